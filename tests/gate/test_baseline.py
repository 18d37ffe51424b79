"""Earlier reports as baselines, and the numbers of reports as conditions name them, from sections and from JSON."""

import json

import numpy as np
import pytest

import evalcore
from evalcore.document.exports import as_json
from evalcore.errors import EvaluationError
from evalcore.evaluation.model import CERTIFIED, Section, Statistic
from evalcore.gate.baseline import Baseline, change_sections, check_groups, read_baseline, with_changes
from evalcore.gate.conditions import parse_condition
from evalcore.gate.numbers import GatedNumber, numbers_of_report
from evalcore.inference.intervals import bounds_of_difference, proportion_interval
from tests.differences import check_refusals, every, refused

TREE = {"schema_version": 2, "label": "late", "by": "carrier", "level": 0.9, "computed": "exact",
        "scores": {"a": {"UA": {"cases": 2, "f1": 0.5}, "total": {"cases": 4, "f1": 0.75}}}}  # fmt: skip


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(tree):
        (tmp_path / "old.json").write_text(tree if isinstance(tree, str) else json.dumps(tree))
        return "old.json"

    return write


def test_a_baseline_is_read_with_its_level_and_infinities(written, tmp_path):
    baseline = read_baseline(written(TREE), {"label": "late", "by": "carrier"}, of_groups=True)
    assert (baseline.file, baseline.level, baseline.certified) == ("old.json", 0.9, False)
    assert [(each.measure, each.group, each.value) for each in baseline.numbers] == [
        *(("cases", "UA", 2), ("f1", "UA", 0.5), ("cases", None, 4), ("f1", None, 0.75))
    ]
    assert read_baseline(written(TREE), {"label": "late"}) == baseline  # groups are not compared
    assert baseline.note == (
        "changes since old.json are unpaired: the baseline holds no predictions; evalcore compare pairs the cases, "
        "so its intervals are narrower"
    )
    items = [Statistic("threshold", "", -np.inf), Statistic("x", "", np.inf)]
    text = as_json([Section("scores", "", "score", {"a": items})], label="late")
    assert '"Infinity"' in text
    assert '"-Infinity"' in text
    (number,) = read_baseline(written(text), {"label": "late"}).numbers
    assert (number.measure, number.value) == ("x@-inf", np.inf)
    now, before = [GatedNumber("a", "x@-inf", np.inf)], read_baseline(written(text), {"label": "late"})
    (same,) = with_changes(now, before, None, certified=False)
    assert same.change == 0
    (tmp_path / "old").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EvaluationError, match=r"baseline must be a JSON report .*: 'utf-8' codec can't decode"):
        read_baseline(str(tmp_path / "old"), {})


OTHERS = [
    ["{", {}], [[1], {}], [{"a": 1}, {}], [{"schema_version": 7}, {}], [TREE, {"label": "paid", "by": "carrier"}],
    *([TREE, {"label": "late", **more}] for more in ({}, {"weight": "w"}, {"where": "x > 1"}, {"positive": "1"})),
]  # fmt: skip


def test_other_baselines_are_refused(written):
    def read(given):
        read_baseline(written(given[0]), given[1], of_groups=True)

    check_refusals("gate/outputs/refused_baselines.txt", read, OTHERS)


def baseline_of(*numbers, level=0.95, certified=False):
    return Baseline("old.json", numbers, level, certified)


def test_bounds_of_changes_are_those_of_independent_samples_and_take_arrays():
    new, old = proportion_interval(56, 70), proportion_interval(48, 80)
    number = GatedNumber("new", "recall@0.5", new.estimate, new.low, new.high)
    before = GatedNumber("old", "recall@0.5", old.estimate, old.low, old.high)
    changed = with_changes([number], baseline_of(before), 0.95, certified=False)[0]
    assert round(changed.change_low, 4) == 0.0524  # Newcombe 1998, table II, method 10
    assert round(changed.change_high, 4) == 0.3339
    assert changed.change == new.estimate - old.estimate
    number = GatedNumber("a", "roc_auc", 0.8, 0.8 - 0.03 * 1.959963984540054, 0.8 + 0.03 * 1.959963984540054)
    before = GatedNumber("a", "roc_auc", 0.7, 0.7 - 0.04 * 1.6448536269514722, 0.7 + 0.04 * 1.6448536269514722)
    changed = with_changes([number], baseline_of(before, level=0.9), 0.95, certified=False)[0]
    bounds = 0.1 + 0.05 * 1.959963984540054 * np.array([-1, 1])
    assert [changed.change_low, changed.change_high] == pytest.approx(bounds, rel=1e-12)
    first = tuple(np.array([0.75, 0.5]) + shift for shift in (0, -0.03, 0.03))
    second = tuple(np.array([0.5, 0.5]) + shift for shift in (0, -0.04, 0.04))
    low, high = bounds_of_difference(first, second)
    np.testing.assert_allclose([low, high], [[0.2, -0.05], [0.3, 0.05]], atol=1e-12)


@every("certified", [(True, True), (True, False), (False, True)])
def test_certified_bounds_are_subtracted(certified):
    number, before = GatedNumber("a", "f1", 0.5, 0.4, 0.7), GatedNumber("a", "f1", 0.3, 0.2, 0.35)
    level = 0.95 if not all(certified) else None
    baseline = baseline_of(before, level=level, certified=certified[1])
    changed = with_changes([number], baseline, level, certified=certified[0])[0]
    np.testing.assert_allclose([changed.change_low, changed.change_high], [0.4 - 0.35, 0.7 - 0.2])


def test_what_the_baseline_lacks_has_no_change_and_models_match_by_name():
    number, before = GatedNumber("a", "f1", 0.5, 0.4, 0.7), GatedNumber("a", "f1", 0.3)
    other = GatedNumber("a", "kappa", 0.5)
    found = with_changes([number, other], baseline_of(before), 0.95, certified=False)
    assert found[0].change == 0.2
    assert np.isnan([found[0].change_low, found[0].change_high, found[1].change]).all()
    one, two = GatedNumber("a", "f1", 0.5), GatedNumber("b", "f1", 0.25)
    assert with_changes([one], baseline_of(two), None, certified=False)[0].change == 0.25
    assert [each.change for each in with_changes([two, one], baseline_of(one, two), None, certified=False)] == [0, 0]
    with pytest.raises(EvaluationError, match=r"^old.json: models must include 'b', got 'a'$"):
        with_changes([one, two], baseline_of(one), None, certified=False)


@every(("old", "new"), [((0.2, 0.4), None), (None, (0.45, 0.55)), ((0.2, 0.4), (0.45, 0.55)), (None, None)])
def test_changes_of_certified_numbers_lie_between_the_bounds_of_both(old, new):
    number, before = GatedNumber("a", "f1", 0.5, certain=new), GatedNumber("a", "f1", 0.3, certain=old)
    [changed] = with_changes([number], baseline_of(before), None, certified=True)
    if old is None and new is None:
        assert changed.change_certain is None
    else:
        (least, most), (old_least, old_most) = new or (0.5, 0.5), old or (0.3, 0.3)
        assert changed.change_certain == (least - old_most, most - old_least)


def test_a_group_that_vanished_is_an_error_that_names_it():
    before = [GatedNumber("a", "f1", 0.5, grouping="x", group=name, cases=size) for name, size in (("g", 90), ("h", 7))]
    now = [GatedNumber("a", "f1", 0.5, grouping="x", group="i", cases=90)]
    each = parse_condition("any x: f1 < 0.1")
    with refused(
        "old.json: each group by x must be in the new report, got no 'g' (90 cases there) and 'h' (7 cases there) in "
        "condition 'any x: f1 < 0.1'; it is gone: look for its rows, or write a new baseline"
    ):
        check_groups(now, baseline_of(*before), each)
    few = r"got no 'g' \(90 cases there\) in .* or has fewer than 10 cases \(min_c"
    with pytest.raises(EvaluationError, match=few):
        check_groups(now, baseline_of(*before), each, 10)
    with pytest.raises(EvaluationError, match=r"got no 'g' \(90 cases there\) in condition"):
        check_groups(now, baseline_of(*before), parse_condition("any x with 8 cases: f1 < 0.1"))
    check_groups(now, baseline_of(*before), parse_condition("any x with 91 cases: f1 < 0.1"))
    check_groups(now, baseline_of(*before), parse_condition("f1 < 0.1"))
    check_groups([*before, *now], baseline_of(*before), each)


OLD = {"old": 0.5, "change": 0.25}
BOUNDS = {"change_low": 0.125, "change_high": 0.375}
AREA = GatedNumber("a", "roc_auc", 0.75, **OLD, **BOUNDS)
NOTHING = str(float("nan"))


def named(items):
    return {item.name: str(item.value) for item in items}


def test_each_model_has_a_section_of_the_measures_that_have_an_old_value_with_its_bounds():
    cases = GatedNumber("a", "cases", 12.0, old=10.0, change=2.0)
    new, counted = GatedNumber("a", "f1@0.3", 0.5), GatedNumber("a", "tp@0.3", 7.0, old=5.0, change=2.0)
    first, second = change_sections([cases, AREA, new, counted, AREA._replace(model="b")], 0.95, certified=False)
    assert (first.name, list(first.records), second.name) == ("a", ["cases", "roc_auc"], "b")
    assert named(first.records["cases"]) == {"baseline": "10", "now": "12", "change": "2"}
    interval = first.records["roc_auc"][2].interval
    assert (interval.low, interval.high, interval.level, interval.method) == (0.125, 0.375, 0.95, "unpaired")
    assert first.records["cases"][2].interval is None
    [section] = change_sections([AREA], None, certified=True)
    assert section.records["roc_auc"][2].interval.method == CERTIFIED


def test_groups_have_the_same_measures_and_nan_where_one_has_no_old_value():
    old = AREA._replace(grouping="carrier", group="UA")
    new = GatedNumber("a", "roc_auc", 0.625, grouping="carrier", group="ZZ")
    [section] = change_sections([old, new, new._replace(measure="prevalence")], 0.95, certified=False)
    assert section.title == "changes of a by carrier since the baseline, unpaired"
    values = {group: list(named(items).values()) for group, items in section.records.items()}
    assert values == {"UA": ["0.5", "0.75", "0.25"], "ZZ": [NOTHING, "0.625", NOTHING]}
    assert [item.title for item in section.records["UA"]] == ["ROC AUC baseline", "ROC AUC now", "ROC AUC change"]
    assert change_sections([new], 0.95, certified=False) == []


RANDOM = np.random.default_rng(1)
LABELS = RANDOM.integers(0, 2, 60)
COLUMNS = {
    "late": LABELS,
    "a": np.clip(0.3 * LABELS + 0.7 * RANDOM.random(60), 0, 1),
    "b": RANDOM.random(60),
    "carrier": np.where(np.arange(60) % 3, "UA", "AA"),
    "month": np.arange(60) % 2,
    "species": RANDOM.choice(["ash", "elm"], 60),
    "guess": RANDOM.choice(["ash", "elm"], 60),
}


def numbers_of(about, **asked):
    """Return the numbers of a report by their addresses, of its tree, after they agree with those of its JSON."""
    report = evalcore.evaluate(COLUMNS, **asked)
    numbers = numbers_of_report({**about, **report.to_dict()})
    again = numbers_of_report(json.loads(report.to_json()))
    assert repr(again) == repr(numbers)
    found = {(each.model, each.measure, each.grouping, each.group): each for each in numbers}
    assert len(found) == len(numbers)
    return report, found


def test_scores_have_numbers_of_each_model_and_threshold():
    asked = {"label": "late", "score": ["a", "b"], "threshold": [0.5, 0.3], "threshold_for": {"precision": 0.4}}
    report, found = numbers_of({}, **asked, ci=0.9)
    for model in ("a", "b"):
        area, recall = found[model, "roc_auc", None, None], found[model, "recall@0.3", None, None]
        tree = report.to_dict()
        assert (area.value, area.low) == (report["scores", model, "roc_auc"], tree["scores"][model]["roc_auc_low"])
        assert recall.high == tree["threshold 0.3"][model]["recall_high"]
        assert found[model, "recall@0.5", None, None].value == report["scores", model, "recall"]
        target = found[model, "f1@precision=0.4", None, None]
        assert target.value == report["threshold for precision=0.4", model, "f1"]
        assert np.isnan(found[model, "r_precision", None, None].low)
        assert area.cases == 60
    assert not [address for address in found if address[1].startswith("threshold")]


@every(("by", "grouping", "group"), [("carrier", "carrier", "UA"), (["carrier", "month"], "carrier, month", "UA, 0")])
def test_groups_have_numbers_of_their_own_and_the_total_is_of_all_cases(by, grouping, group):
    report, found = numbers_of({"by": by}, label="late", score="a", by=by, threshold=[0.5, 0.3])
    assert found["a", "roc_auc", grouping, group].value == report["a", group, "roc_auc"]
    assert found["a", "recall@0.3", grouping, group].value == report["threshold 0.3", "a", group, "recall"]
    assert found["a", "roc_auc", None, None].value == report["a", "total", "roc_auc"]
    for name in ("roc_auc", "recall@0.5", "recall@0.3"):
        assert found["a", name, grouping, group].cases == report["scores", "a", group, "cases"]


def test_classes_have_numbers_of_all_of_each_and_of_groups():
    report, found = numbers_of({"predicted": "guess"}, label="species", predicted="guess", ci=0.95)
    assert found["guess", "kappa", None, None].value == report["statistics", "kappa"]
    assert found["guess", "recall[ash]", None, None].value == report["classes", "ash", "recall"]
    assert found["guess", "recall[ash]", None, None].high == report.to_dict()["classes"]["ash"]["recall_high"]
    about = {"predicted": "guess", "by": "carrier"}
    report, found = numbers_of(about, label="species", predicted="guess", by="carrier", ci=0.95, compare_groups=True)
    assert found["guess", "accuracy", "carrier", "UA"].value == report["statistics", "guess", "UA", "accuracy"]
    assert found["guess", "accuracy", None, None].value == report["statistics", "guess", "total", "accuracy"]
    _, found = numbers_of({}, label="species", score={"ash": "a", "elm": "b"})
    assert {address[0] for address in found} == {"class scores"}
    assert ("class scores", "roc_auc[elm]", None, None) in found


def test_certified_numbers_without_bounds_are_exact():
    record = {"cases": 9, "roc_auc": 0.7, "roc_auc_low": 0.6, "roc_auc_high": 0.8, "log_loss": 0.5, "f1": None}
    exact, certified = ({"computed": computed, "scores": {"a": record}} for computed in ("exact", "certified"))
    assert [(each.low, each.high) for each in numbers_of_report(certified)[1:3]] == [(0.6, 0.8), (0.5, 0.5)]
    assert np.isnan([numbers_of_report(exact)[2].low, numbers_of_report(certified)[3].low]).all()


@every("name", ["comparisons", "notes", "gate", "confusion_matrix", "differences_to_rest"])
def test_other_parts_of_json_are_no_numbers(name):
    assert numbers_of_report({name: {"a": {"roc_auc": 1.0}}}) == []
