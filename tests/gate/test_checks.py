"""Gates: which numbers make them fail, what is certain, and what a result says, in JUnit XML too."""

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.errors import EvaluationError
from evalcore.gate.checks import as_junit, check_conditions
from evalcore.gate.numbers import GatedNumber
from tests.differences import every, recorded, refused

OF_ALL = [
    GatedNumber("boosting", "roc_auc", 0.72, 0.71, 0.729, -0.006, -0.008, -0.004, cases=9000, old=0.726),
    GatedNumber("boosting", "log_loss", 0.4, 0.39, 0.41, 0.02, -0.001, 0.041, cases=9000, old=0.38),
    GatedNumber("boosting", "recall@0.3", 0.5, 0.48, 0.52, 0.0, -0.01, 0.01, cases=9000),
    GatedNumber("boosting", "maximum_f1", 0.6, cases=9000),
]
OF_GROUPS = [
    GatedNumber("boosting", "recall@0.3", 0.45, 0.44, 0.46, -0.03, -0.04, -0.02, "carrier", "UA", 5000, 0.48),
    GatedNumber("boosting", "recall@0.3", 0.41, 0.3, 0.52, -0.03, -0.07, 0.01, "carrier", "HA", 90),
    GatedNumber("boosting", "recall@0.3", float("nan"), grouping="carrier", group="YV", cases=1),
    GatedNumber("boosting", "f1@0.3", 0.5, 0.4, 0.6, grouping="carrier", group="UA", cases=5000),
    GatedNumber("boosting", "f1@0.5", 0.5, 0.4, 0.6, grouping="carrier", group="UA", cases=5000),
]
NUMBERS = [*OF_ALL, *OF_GROUPS]


@every(
    ("condition", "failures"),
    ("roc_auc < 0.72", []),
    ("roc_auc <= 0.72", [False]),
    ("roc_auc < 0.73", [True]),
    ("roc_auc < 0.729", [False]),
    ("roc_auc <= 0.729", [True]),
    ("log_loss > 0.39", [False]),
    ("log_loss >= 0.39", [True]),
    ("log_loss > 0.4", []),
    ("roc_auc drops by 0.005", [False]),
    ("roc_auc drops by 0.004", [True]),
    ("roc_auc drops by 0.006", [False]),
    ("roc_auc drops by 0.0061", []),
    ("roc_auc rises by 0.001", []),
    ("log_loss rises by 0.02", [False]),
    ("log_loss drops by 0.01", []),
    ("recall < 0.6", [True]),
    ("maximum_f1 < 0.7", [False]),
    ("any carrier with 90 cases: recall@0.30 drops by 0.02", [True, False]),
    ("any carrier with 91 cases: sensitivity@0.3 drops by 0.02", [True]),
    ("carrier=HA: recall drops by 0.02", [False]),
)
def test_conditions_are_of_estimates_and_certain_if_the_whole_interval_meets_them(condition, failures):
    result = check_conditions(condition, NUMBERS)
    assert [failure.certain for failure in result.failures] == failures
    assert result.passed == (not failures)
    if "maximum_f1" not in condition:
        sure = check_conditions(condition, NUMBERS, confident=True)
        assert [failure.certain for failure in sure.failures] == [True] * sum(failures)
        assert len(sure.unproven) == len(failures) - sum(failures)


thousandths = st.integers(1, 999).map(lambda number: number / 1000)


@given(thousandths, thousandths)
def test_a_drop_by_exactly_the_number_counts_whatever_binary_fractions_are(old, drop):
    new = round(old - drop, 3)
    assert not check_conditions(f"f1 drops by {drop}", [GatedNumber("a", "f1", new, change=new - old)]).passed
    assert not check_conditions(f"f1 rises by {drop}", [GatedNumber("a", "f1", old, change=old - new)]).passed
    assert check_conditions(f"f1 drops by {drop + 0.001}", [GatedNumber("a", "f1", new, change=new - old)]).passed


def test_any_model_fails_the_gate_and_values_next_to_the_limit_are_told_apart():
    numbers = [GatedNumber("a", "f1", 0.5), GatedNumber("b", "f1", 0.4)]
    assert [failure.number.model for failure in check_conditions("f1 < 0.45", numbers).failures] == ["b"]
    number = GatedNumber("a", "f1", 0.7299999999)
    assert str(check_conditions("f1 < 0.73", [number]).failures[0]) == (
        "f1 of a is 0.7299999999, below 0.73 (no interval)"
    )


@every(("condition", "sentence"), recorded("gate/outputs/failures.txt"))
def test_failures_say_what_was_found_and_how_sure_it_is(condition, sentence):
    assert list(map(str, check_conditions(condition, NUMBERS).failures)) == [sentence]


def test_a_result_says_its_outcome_first():
    two = ["roc_auc < 0.729", "f1 < 0.1"]
    numbers = [*OF_ALL, GatedNumber("boosting", "f1", 0.5, 0.4, 0.6)]
    failed, unproven = check_conditions(two, numbers), check_conditions(two, numbers, confident=True)
    sentence = "roc_auc of boosting is 0.72 [0.71, 0.729], below 0.729 (uncertain)"
    assert failed.lines == ["gate failed: 1 of 2 conditions is met", sentence]
    assert repr(unproven) == (
        "gate inconclusive: 1 of 2 conditions is met, but not certainly, so the gate does not fail\n"
        f"not proven, so the gate ignores it: {sentence}"
    )
    assert unproven  # only what is certain stops a release
    for conditions, outcome in {
        ("roc_auc < 0.729",): "the condition is met, but not certainly, so the gate does not fail",
        ("roc_auc < 0.729", "f1 < 0.59"): "2 of 2 conditions are met, but not certainly, so the gate does not fail",
    }.items():
        assert check_conditions(conditions, numbers, confident=True).lines[0] == f"gate inconclusive: {outcome}"
    sure = check_conditions("f1 < 0.1", numbers, confident=True)
    assert sure.lines == ["gate passed: the condition is not certainly met"]
    assert check_conditions("f1 < 0.1", numbers).lines == ["gate passed: the condition is not met"]
    assert check_conditions("f1 < 1", numbers).lines[0] == "gate failed: the condition is met"
    assert check_conditions(["f1 < 1"] * 2, numbers).lines[0] == "gate failed: 2 of 2 conditions are met"


def test_a_result_as_json_has_all_numbers():
    conditions = ["maximum_f1 < 0.7", "carrier=UA: recall drops by 0.02"]
    tree = json.loads(json.dumps(check_conditions(conditions, NUMBERS).as_tree(), allow_nan=False))
    assert {name: tree[name] for name in ("passed", "confident")} == {"passed": False, "confident": False}
    first, second = tree["conditions"]
    names = ("model", "measure", "column", "group", "cases", "value", "low", "high", "certain", "sentence")
    found = dict(zip(names, ("boosting", "maximum_f1", None, None, 9000, 0.6, None, None, False, ""), strict=True))
    assert first["failures"][0] | {"sentence": ""} == found
    assert [second[name] for name in ("condition", "passed", "numbers", "unproven")] == [conditions[1], False, 1, []]
    shown = [second["failures"][0][name] for name in ("column", "group", "value", "low", "high", "certain")]
    assert shown == ["carrier", "UA", -0.03, -0.04, -0.02, True]


@every(("condition", "message"), recorded("gate/outputs/refused_without_numbers.txt"))
def test_conditions_without_numbers_are_errors(condition, message):
    for confident in (False, True):
        with refused(message):
            check_conditions(condition, NUMBERS, confident)


def test_changes_need_intervals_and_groups_a_report_of_groups():
    with pytest.raises(EvaluationError, match=r"^column must be a column that the report is grouped by, got 'x' in"):
        check_conditions("any x: roc_auc < 1", OF_ALL)
    numbers = [GatedNumber("a", "f1", 0.5, change=-0.1), GatedNumber("b", "f1", 0.5, 0, 1, -0.1, -0.2, 0.0)]
    with pytest.raises(EvaluationError, match=r"f1 of a has no interval of its change$"):
        check_conditions("f1 drops by 0.1", numbers, confident=True)
    assert check_conditions("f1 drops by 0.2", numbers, confident=True).passed


@every("condition", ["maximum_f1 < 0.7", "maximum_f1 < 0.1"])
def test_a_confident_gate_needs_intervals(condition):
    with refused(
        f"condition must have intervals to be certain, got {condition!r}: maximum_f1 of boosting has no interval"
    ):
        check_conditions(condition, NUMBERS, confident=True)


CERTIFIED = GatedNumber(
    "a", "roc_auc", 0.75, 0.74, 0.76, 0.0, -0.03, 0.03, old=0.75, certain=(0.74, 0.76), change_certain=(-0.01, 0.01)
)
AS_INTERVALS = CERTIFIED._replace(low=0.7, high=0.8)


@every(
    ("condition", "exact", "confident"),
    ("roc_auc < 0.74", "passed", "passed"),
    ("roc_auc <= 0.74", "undecided", "passed"),
    ("roc_auc < 0.745", "undecided", "passed"),
    ("roc_auc < 0.755", "undecided", "passed"),
    ("roc_auc < 0.76", "undecided", "passed"),
    ("roc_auc < 0.761", "failed", "passed"),
    ("roc_auc < 0.79", "failed", "undecided"),
    ("roc_auc < 0.801", "failed", "failed"),
    ("roc_auc > 0.755", "undecided", "passed"),
    ("roc_auc > 0.69", "failed", "failed"),
    ("roc_auc drops by 0.011", "passed", "passed"),
    ("roc_auc drops by 0.01", "undecided", "passed"),
    ("roc_auc rises by 0.005", "undecided", "passed"),
    ("roc_auc rises by 0.02", "passed", "passed"),
)
def test_certain_bounds_decide_or_leave_open(condition, exact, confident):
    """Bounds of intervals reach as far beyond the certain ones as they would from the exact value."""
    for expected, result in (
        (exact, check_conditions(condition, [AS_INTERVALS])),
        (confident, check_conditions(condition, [AS_INTERVALS], confident=True)),
    ):
        said = "inconclusive" if result.unproven and expected == "passed" else expected
        assert result.lines[0].startswith(f"gate {said}: ")
        assert (bool(result.failures), bool(result.undecided)) == (expected == "failed", expected == "undecided")
        assert result.passed == (expected == "passed")


def test_what_is_undecided_says_both_bounds_and_what_decides_it():
    result = check_conditions(["roc_auc < 0.755", "roc_auc drops by 0.001", "roc_auc < 0.1"], [CERTIFIED])
    assert result.lines == [
        "gate undecided: 2 of 3 conditions may be met",
        "undecided: roc_auc of a is between 0.74 and 0.76; the limit is 0.755; allow more memory (memory)",
        "undecided: roc_auc of a drops by between -0.01 and 0.01; the limit is 0.001; allow more memory (memory)",
    ]
    first, _, last = result.as_tree()["conditions"]
    assert (first["passed"], last["passed"]) == (False, True)
    assert [first["undecided"][0][name] for name in ("low", "high")] == [0.74, 0.76]
    assert [last["bounded"][0][name] for name in ("low", "high")] == [0.74, 0.76]
    failed = check_conditions(["roc_auc < 0.755", "roc_auc < 0.9"], [CERTIFIED])
    assert failed.lines[0] == "gate failed: 1 of 2 conditions is met"
    assert failed.lines[1] == "roc_auc of a is 0.75 [0.74, 0.76], below 0.9 (certain)"


def test_a_pass_says_the_nearest_bounds_or_how_many_groups_were_judged():
    others = [CERTIFIED._replace(model=name, certain=(low, 0.95)) for name, low in (("b", 0.9), ("c", 0.72))]
    assert check_conditions("roc_auc < 0.7", [CERTIFIED, *others]).lines == [
        "gate passed: the condition is not met",
        "roc_auc of c is between 0.72 and 0.95; the limit is 0.7; 2 more are farther from it",
    ]
    groups = [GatedNumber(model, "f1", 0.5, grouping="x", group=group, cases=9) for model in "ab" for group in "ghi"]
    assert check_conditions("any x: f1 < 0.1", groups).lines == [
        "gate passed: the condition is not met (3 groups by x judged)"
    ]
    both = check_conditions(["any x: f1 < 0.1", "x=g: f1 < 0.1"], groups).lines
    assert both == ["gate passed: none of 2 conditions is met (3 groups by x and 1 group by x judged)"]
    assert "judged" not in check_conditions("any x: f1 < 0.9", groups).lines[0]


IN_XML = [GatedNumber("a<b", "f1", 0.5, 0.4, 0.6), GatedNumber("c\x00\x1b\ud800d", "f1", 0.3, 0.2, 0.45)]
ALLOWED = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, {"testcase", "properties"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "system-out"}),
    "error": ({"message", "type"}, set()),
    "failure": ({"message", "type"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children of each element, of those that the schema has."""


def checked_junit(conditions, *, confident=False, name="flights.csv", said=None, numbers=IN_XML):
    return checked(as_junit(check_conditions(conditions, numbers, confident), name, 0.12345, said))


def checked(content):
    root = ElementTree.fromstring(content)
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
    for suite in (root, *root.iter("testsuite")):
        assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
        assert int(suite.get("failures")) == len(list(suite.iter("failure")))
        assert int(suite.get("errors")) == len(list(suite.iter("error")))
        assert re.fullmatch(r"\d+\.\d{3}", suite.get("time"))
    assert all(len(case.findall("failure")) <= 1 for case in root.iter("testcase"))
    return root


def test_each_condition_is_a_test_case_that_fails_once_if_it_is_proven():
    root = checked_junit(["f1 < 0.55", "f1 < 0.1", "f1 < 0.31"])
    assert [case.get("name") for case in root.iter("testcase")] == ["f1 < 0.55", "f1 < 0.1", "f1 < 0.31"]
    both, one = root.iter("failure")
    assert both.attrib == {
        "message": "f1 of a<b is 0.5 [0.4, 0.6], below 0.55 (uncertain), and 1 more",
        "type": "certain",
    }
    assert both.text.splitlines() == [
        "f1 of a<b is 0.5 [0.4, 0.6], below 0.55 (uncertain)",
        "f1 of c\ufffd\ufffd\ufffdd is 0.3 [0.2, 0.45], below 0.55 (certain)",
    ]
    assert one.get("type") == "uncertain"
    root = checked_junit("f1 < 0.4", confident=True)
    assert [out.text for out in root.iter("system-out")] == [
        "not proven: f1 of c\ufffd\ufffd\ufffdd is 0.3 [0.2, 0.45], below 0.4 (uncertain)"
    ]
    assert root.get("failures") == "0"


def test_names_and_properties_may_hold_what_xml_may_not():
    assert checked_junit("f1 < 0.1", name="a\udcff&").find("testsuite").get("name") == "a\ufffd&"
    suite = checked_junit("f1 < 0.1", said={"verdict\x00": "<superior>"}).find("testsuite")
    assert [child.tag for child in suite] == ["properties", "testcase"]
    assert suite.find("properties/property").attrib == {"name": "verdict\ufffd", "value": "<superior>"}


def test_what_is_undecided_or_ends_early_is_an_error():
    number = GatedNumber("a", "f1", 0.5, 0.4, 0.6, certain=(0.4, 0.6))
    root = checked_junit(["f1 < 0.45", "f1 < 0.3"], numbers=[number])
    (error,) = root.iter("error")
    assert error.attrib == {"message": "f1 of a is between 0.4 and 0.6; the limit is 0.45", "type": "undecided"}
    assert [out.text for out in root.iter("system-out")] == ["f1 of a is between 0.4 and 0.6; the limit is 0.3"]
    root = checked(as_junit("x\x1b.csv: no rows", "evalcore report"))
    (error,) = root.iter("error")
    assert error.attrib == {"message": "x\ufffd.csv: no rows", "type": "error"}
    assert [case.get("name") for case in root.iter("testcase")] == ["evalcore report"]
