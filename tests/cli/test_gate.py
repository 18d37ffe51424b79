"""Gates of `evalcore report`: exit codes, what is written where, baselines, and errors before anything is read."""

import errno
import itertools
import json
import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from evalcore.cli.output import Target, are_read_with_errors
from evalcore.evaluation.summaries import GroupedSummaries
from evalcore.inference.intervals import bounds_of_difference
from tests.cli.command import command, refused
from tests.differences import every

run = partial(command, "report", "cases.csv", "--label", "late")

RANDOM = np.random.default_rng(2)
LABELS = RANDOM.integers(0, 2, 300)
GOOD = np.clip(0.4 * LABELS + 0.6 * RANDOM.random(300), 0, 1).round(3)
POOR = np.clip(0.1 * LABELS + 0.9 * RANDOM.random(300), 0, 1).round(3)
ROWS = [
    f"{label},{good},{poor},{'UA' if row % 3 else 'AA'}"
    for row, (label, good, poor) in enumerate(zip(LABELS, GOOD, POOR, strict=True))
]
FILES = {"cases.csv": "\n".join(["late,good,poor,carrier", *ROWS]) + "\n"}


@every(
    ("options", "code"),
    (["--fail-if", "roc_auc < 0.1"], 0),
    (["--fail-if", "roc_auc > 0.1"], 1),
    (["--fail-if", "roc_auc > 0.1", "--fail-if", "roc_auc < 0.1"], 1),
    (["--fail-if", "recall@0.3 < 0.1"], 0),
    (["--fail-if", "recall < 1.1", "--threshold", "0.4"], 1),
    (["--fail-if", "any carrier: roc_auc < 0.1", "--by", "carrier"], 0),
    (["--fail-if", "any carrier with 150 cases: roc_auc < 2", "--by", "carrier"], 1),
    (["--fail-if", "carrier=AA: roc_auc < 2", "--by", "carrier", "--format", "csv"], 1),
    (["--fail-if", "roc_auc > 0.1", "--ci", "0.95", "--confident"], 1),
    (["--fail-if", "roc_auc > 0.1", "--measure", "log_loss"], 1),
)
def test_the_report_is_written_and_the_code_says_whether_the_gate_passed(options, code):
    outcome = run("--score", "good", *options)
    assert outcome.exit_code == code, outcome.output
    assert len(outcome.stdout.splitlines()) > 5
    first, *failures = outcome.stderr.splitlines()
    assert first.startswith(f"evalcore: gate {'failed' if code else 'passed'}: ")
    assert all(line.startswith("evalcore: ") for line in failures)
    assert bool(failures) == bool(code)


def test_a_failure_is_told_on_standard_error_in_the_notes_and_in_json():
    passed = run("--score", "good", "--fail-if", "auc>2", "-q")
    assert (passed.exit_code, passed.stderr) == (0, "")
    outcome = run("--score", "good", "--fail-if", "auc<2", "--ci", "0.95", "--format", "json", "-q")
    tree = json.loads(outcome.stdout)
    sentence = tree["gate"]["conditions"][0]["failures"][0]["sentence"]
    assert sentence.startswith("roc_auc of good is 0.")
    assert sentence.endswith("], below 2 (certain)")
    assert outcome.stderr.splitlines() == ["evalcore: gate failed: the condition is met", f"evalcore: {sentence}"]
    assert tree["notes"][:2] == ["gate failed: the condition is met", sentence]
    assert tree["gate"]["passed"] is False
    table = run("--score", "good", "--fail-if", "auc<2", "--ci", "0.95", "--measure", "f1", "--threshold", "0.5").stdout
    assert "Gate failed: the condition is met\n" in table


def test_only_what_is_certain_fails_a_confident_gate_and_a_file_may_configure_it():
    area = json.loads(run("--score", "good", "--format", "json").stdout)["scores"]["good"]["roc_auc"]
    asked = "--score", "good", "--ci", "0.95", "--fail-if", f"roc_auc < {area + 0.001}"
    assert run(*asked).exit_code == 1
    outcome = run(*asked, "--confident")
    assert outcome.exit_code == 0
    assert "evalcore: not proven, so the gate ignores it: roc_auc of good" in outcome.stderr
    assert run("--score", "good", "--ci", "0.95", "--fail-if", "roc_auc < 0.999", "--confident").exit_code == 1
    Path("gate.toml").write_text('score = "good"\nfail-if = ["roc_auc < 0.1", "log_loss > 0.01"]\n')
    outcome = run("--config", "gate.toml")
    assert outcome.exit_code == 1
    assert "gate failed: 1 of 2 conditions is met" in outcome.stderr
    Path("gate.toml").write_text('junit = "gate.xml"\nci = "high"\n')
    assert run("--score", "good", "--config", "gate.toml").exit_code == 2
    assert errors_in("gate.xml") == ["gate.toml: ci: 'high' is not a valid float."]


def test_junit_and_json_are_written_beside_the_report():
    outcome = run(
        *("--score", "good", "--fail-if", "auc < 0.1", "--fail-if", "auc > 0.1", "--junit", "gate.xml"),
        *("-o", "report.json", "-o", "report.md"),
    )
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    suite = ElementTree.parse("gate.xml").getroot().find("testsuite")
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("cases.csv", "2", "1")
    assert json.loads(Path("report.json").read_text())["gate"]["passed"] is False
    assert "Gate failed: 1 of 2 conditions is met" in Path("report.md").read_text()
    printed = run("--score", "good", "--format", "json", "-o", "beside.json").stdout
    assert Path("beside.json").read_text() == printed


@pytest.fixture
def baseline():
    asked = "--score", "good", "--ci", "0.95", "--by", "carrier", "--threshold", "0.3", "-o", "old.json"
    assert run(*asked).exit_code == 0
    return "old.json"


@every(
    ("condition", "code", "confident"),
    ("roc_auc drops by 0.05", 1, 1),
    ("roc_auc rises by 0.05", 0, 0),
    ("calibration_error rises by 0.01", 1, 2),
    ("carrier=AA: roc_auc drops by 0.05", 1, 1),
    ("any carrier with 150 cases: recall@0.3 drops by 0.9", 0, 0),
    ("any carrier: roc_auc drops by 0.05", 1, 1),
)
def test_drops_are_those_since_the_baseline(baseline, condition, code, confident):
    asked = "--score", "poor", "--ci", "0.9", "--by", "carrier", "--baseline", baseline, "--fail-if", condition
    outcome = run(*asked)
    assert outcome.exit_code == code, outcome.output
    title = "calibration error" if "error" in condition else "ROC AUC"
    says = rf"FAIL \(gate: .*{title} (drops|rises) by [0-9.]+; (it|AA|UA) (dropped|rose) by 0\.\d+\):"
    assert (re.search(says, outcome.stdout) is not None) == bool(code)
    assert "Note: changes since old.json are unpaired: the baseline holds no predictions" in outcome.stdout
    assert run(*asked, "--confident").exit_code == confident


def test_a_baseline_needs_its_groups_and_is_not_replaced(baseline):
    asked = "--score", "good", "--baseline", baseline, "--fail-if", "auc drops by 1", "-o", baseline
    assert refused(run(*asked)) == "old.json is one of the files to read; name another (--output FILE)"
    assert run("--score", "good", "-o", "alone.json").exit_code == 0
    outcome = run("--score", "poor", "--by", "carrier", "--baseline", "alone.json", "--format", "json")
    assert {name for name in json.loads(outcome.stdout) if "changes" in name} == {"changes_since_baseline"}
    asked = "--score", "poor", "--baseline", "alone.json", "--fail-if"
    assert run(*asked, "any carrier: roc_auc < 0").exit_code == 0  # only changes need old groups
    said = refused(run(*asked, "any carrier: roc_auc drops by 0.5"))
    assert said == "alone.json: by must be as in the new report, 'carrier', got None"
    rows = [row for row in ROWS if not row.endswith("AA")]
    Path("cases.csv").write_text("\n".join(["late,good,poor,carrier", *rows]) + "\n")
    asked = "--score", "good", "--by", "carrier", "--baseline", baseline
    said = refused(run(*asked, "--fail-if", "any carrier: roc_auc drops by 0.5"))
    assert said.startswith("old.json: each group by carrier must be in the new report, got no 'AA' (100 cases there)")
    assert run(*asked, "--fail-if", "carrier=UA: roc_auc drops by 0.5").exit_code == 0
    assert run(*asked, "--fail-if", "any carrier: roc_auc drops by 0.5", "--min-cases", "150").exit_code == 0


def test_a_report_says_what_changed_since_its_baseline(baseline):
    asked = "--score", "poor", "--ci", "0.95", "--baseline", baseline
    outcome = run(*asked)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    _, changes = outcome.stdout.split("changes of poor since the baseline, unpaired\n")
    assert changes.split("\n", 1)[0].split() == ["measure", "baseline", "now", "change"]
    assert "r_precision" not in changes
    assert "r_precision" in run(*asked, "--full").stdout
    assert "Note: changes since old.json are unpaired: the baseline holds no predictions" in changes
    old, new = (json.loads(text) for text in (Path(baseline).read_text(), run(*asked, "--format", "json").stdout))
    found = new["changes_since_baseline"]["poor"]
    assert found["cases"] == {"baseline": 300, "now": 300, "change": 0}
    before, after = old["scores"]["good"]["total"], new["scores"]["poor"]
    not_compared = {"tp", "fn", "fp", "tn", "precision_at_1000"}  # the last is not defined
    both = {name for name in after if name in before and not name.endswith(("_low", "_high"))}
    assert set(found) == both - not_compared
    bounds = bounds_of_difference(
        *((each["roc_auc"], each["roc_auc_low"], each["roc_auc_high"]) for each in (after, before))
    )
    assert found["roc_auc"] == {
        "baseline": before["roc_auc"], "now": after["roc_auc"],
        "change": after["roc_auc"] - before["roc_auc"], "change_low": bounds[0], "change_high": bounds[1],
    }  # fmt: skip
    assert "change_low" not in found["calibration_error"]


@pytest.mark.usefixtures("undrawn")
def test_every_format_has_the_changes_of_groups_and_of_the_measures_asked_for(baseline):
    asked = "--score", "poor", "--ci", "0.95", "--by", "carrier", "--baseline", baseline, "--measure", "roc_auc"
    made = {name: run(*asked, "--format", name).stdout for name in ("table", "markdown", "csv", "json", "html")}
    tree = json.loads(made["json"])
    assert list(tree["changes_since_baseline"]["poor"]) == ["cases", "positives", "roc_auc"]
    group = tree["group_changes_since_baseline"]["poor"]["AA"]
    old = json.loads(Path(baseline).read_text())["scores"]["good"]["AA"]["roc_auc"]
    new = tree["scores"]["poor"]["AA"]["roc_auc"]
    assert [group[f"roc_auc_{name}"] for name in ("baseline", "now", "change")] == [old, new, new - old]
    low, high = group["roc_auc_change_low"], group["roc_auc_change_high"]
    assert f"group_changes_since_baseline,poor,AA,roc_auc_change,{new - old},{low},{high},interval" in made["csv"]
    text = f"{new - old:.4f} [{low:.4f}, {high:.4f}]"
    for name in ("table", "markdown"):
        assert text in made[name], name
    title = "Changes of poor {}since the baseline, unpaired"
    assert title.format("").lower() in made["html"].lower()
    assert f"{title.format('by carrier ')}: all groups".lower() in made["html"].lower()


@pytest.fixture
def pipe_broken(monkeypatch):
    def write(*_arguments, **_options):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("evalcore.cli.output._print", write)
    monkeypatch.setattr("evalcore.cli.asking.discard_output", lambda: None)


@every(("condition", "code"), [("roc_auc < 0.1", 0), ("roc_auc > 0.1", 1)])
def test_a_gate_decides_the_exit_code_however_the_report_is_written(condition, code):
    Path("evalcore.toml").write_text(f'score = "good"\nfail-if = "{condition}"\n')
    for options in ((), ("--quiet",), ("--output", "report.json"), ("--output", "x.md", "--quiet")):
        outcome = run("--config", "evalcore.toml", *options)
        assert outcome.exit_code == code
        assert ("evalcore: gate" in outcome.stderr) == (code == 1 or "--quiet" not in options)


MODELS = {"report": ["--score", "good"], "compare": ["--score", "good", "--old-score", "poor"]}


@every(("name", "code"), list(itertools.product(MODELS, (0, 1))))
@pytest.mark.usefixtures("pipe_broken")
def test_a_gate_decides_the_exit_code_where_the_reader_has_ended(name, code):
    asked = name, "cases.csv", "--label", "late", *MODELS[name]
    outcome = command(*asked, "--fail-if", f"roc_auc {'<>'[code]} 0.1")
    assert outcome.exit_code == code
    assert "evalcore: gate " in outcome.stderr
    assert command(*asked).exit_code == 1  # nobody asked for a gate


@every("name", MODELS)
def test_groups_that_conditions_are_about_are_not_left_out(name):
    asked = name, "cases.csv", "--label", "late", *MODELS[name], "--by", "carrier", "--min-cases", "100"
    outcome = command(*asked, "--fail-if", "any carrier with 9 cases: roc_auc < 0")
    assert outcome.exit_code == 2
    assert outcome.stderr.endswith(
        "--fail-if 'any carrier with 9 cases: roc_auc < 0' needs --min-cases of at most 9.\n"
    )


@every("name", MODELS)
def test_the_result_is_said_once_on_a_terminal(monkeypatch, name):
    monkeypatch.setattr("evalcore.cli.asking.are_read_with_errors", lambda targets: targets[0].style == "table")
    asked = name, "cases.csv", "--label", "late", *MODELS[name], "--fail-if", "roc_auc > 0.1"
    outcome = command(*asked, "--junit", "gate.xml")
    assert (outcome.exit_code, outcome.stderr) == (1, "")
    assert outcome.stdout.lower().count("gate failed: the condition is met") == 1
    assert Path("gate.xml").exists()
    assert command(*asked, "--format", "csv").stderr.count("gate failed") == 1


@every(
    ("style", "file", "terminals", "once"),
    ("table", None, (True, True), True),
    ("markdown", None, (True, True), True),
    ("csv", None, (True, True), False),
    ("table", "x.txt", (True, True), False),
    ("table", None, (False, True), False),
    ("table", None, (True, False), False),
)
def test_a_terminal_shows_both_streams(monkeypatch, style, file, terminals, once):
    for stream, on_terminal in zip(("stdout", "stderr"), terminals, strict=True):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda on_terminal=on_terminal: on_terminal, raising=False)
    assert are_read_with_errors([Target(style, file)]) == once


def errors_in(file):
    root = ElementTree.parse(file).getroot()
    assert (root.get("tests"), root.get("errors")) == ("1", "1")
    return [error.get("message") for error in root.iter("error")]


@every(
    ("options", "message"),
    (["--labl", "x"], "No such option '--labl'"),
    (["--ci", "x"], "Invalid value for '--ci': 'x' is not a valid float."),
    (["--ci", "9.5"], "--ci must be above 0 and below 1, got 9.5"),
    (["--fail-if", "auc"], "condition must have <"),
    (["--where", "nope = 1"], "--where"),
    (["--by", "nope"], "cases.csv: no column 'nope'"),
    (["--fail-if", "precision_at_1000 < 1"], "condition must be about numbers"),
    (["--config", "none.toml"], "none.toml: No such file or directory"),
    (["--baseline", "none.json"], "none.json: No such file or directory"),
)
def test_an_error_is_in_the_file_of_junit_too(options, message):
    outcome = run("--score", "good", "--fail-if", "roc_auc < 0.1", "--junit", "gate.xml", *options)
    assert outcome.exit_code == 2
    [said] = errors_in("gate.xml")
    assert message in said
    assert outcome.stderr.splitlines()[-1] == f"evalcore: {said}"
    Path("gate.xml").unlink()
    assert run("--score", "good", "--fail-if", "roc_auc < 0.1", "--junit=gate.xml", *options).exit_code == 2
    assert errors_in("gate.xml") == [said]


def test_an_error_replaces_no_file_but_xml():
    before = Path("cases.csv").read_bytes()
    asked = "--score", "good", "--fail-if", "roc_auc < 0.1", "--junit"
    for wrong in ((), ("--labl", "x")):
        assert run(*asked, "cases.csv", *wrong).exit_code == 2
        assert Path("cases.csv").read_bytes() == before
    assert run(*asked, "gate.xml").exit_code == 0
    assert run(*asked, "gate.xml", "--by", "nope").exit_code == 2
    assert errors_in("gate.xml") == ["cases.csv: no column 'nope'; the columns are 'late', 'good', 'poor', 'carrier'"]
    assert refused(run(*asked, "none/gate.xml")).startswith("none/gate.xml: cannot be written")


@every(
    ("condition", "needed", "failures"),
    ("precision_at_7 < 2", ["--at-k", "5,10,100,1000,7"], 2),
    ("good: recall_at_7 < 2", ["--at-k", "5,10,100,1000,7"], 1),
    ("'recall@precision=0.9' < 2", ["--threshold-for", "precision=0.9"], 2),
    ("good: any carrier: auc < 2", ["--by", "carrier"], None),
    ("carrier=AA: auc < 2", ["--by", "carrier"], 2),
    ("poor: any late=1, carrier: cases > 0", ["--by", "late", "--by", "carrier"], None),
)
def test_conditions_add_what_they_need(condition, needed, failures):
    asked = "--score", "good", "--score", "poor", "--fail-if", condition, "--format", "json"
    outcome = run(*asked)
    assert outcome.exit_code == 1, outcome.stderr
    found = json.loads(outcome.stdout)
    assert found == json.loads(run(*asked, *needed).stdout)
    failed = found["gate"]["conditions"][0]["failures"]
    assert failures in (None, len(failed))
    assert {each["model"] for each in failed} == ({"good", "poor"} if failures == 2 else {condition.split(":")[0]})
    assert all(each["group"].startswith("1, ") for each in failed if "late=1" in condition)


def test_conditions_are_about_groupings_that_the_report_is_not_written_by():
    asked = "--score", "good", "--measure", "accuracy", "--threshold", "0.5", "--format", "json"
    one = "--fail-if", "any carrier: accuracy < 2"
    more = "--fail-if", "poor=0.5: cases > 9", "--fail-if", "any late, carrier with 9 cases: accuracy < 0"
    outcome = run(*asked, "--by", "late", *one, *more[2:], "--fail-if", "carrier=AA, late=1: accuracy > 0")
    assert outcome.exit_code == 1, outcome.stderr
    tree, plain, alone = (json.loads(each.stdout) for each in (outcome, run(*asked, "--by", "late"), run(*asked, *one)))
    gate = tree.pop("gate")["conditions"]
    assert gate[0] == alone["gate"]["conditions"][0]
    assert [len(each["failures"]) for each in gate] == [2, 0, 1]
    assert {**tree, "notes": []} == plain
    assert refused(run(*asked, "--by", "late", *more[:2])).startswith("value of poor must be one of '0.592', ")


@every("kind", (("--predicted", "late"), ("--score", "1=good", "--score", "0=poor")))
def test_conditions_on_a_class_are_of_all_groups(kind):
    asked = "report", "cases.csv", "--label", "late", *kind, "--ci", "--fail-if", "recall[1] < 2", "--format", "json"
    outcome = command(*asked, "--by", "carrier", "--measure", "accuracy")
    assert outcome.exit_code == 1, outcome.stderr
    whole, by_group = (json.loads(each.stdout) for each in (command(*asked), outcome))
    assert by_group["gate"] == whole["gate"]
    assert {*by_group} == {*whole, "by"} - {"classes", "confusion_matrix", "rank_counts", "ci_method"}


def test_bounds_that_leave_a_condition_open_end_with_code_2(monkeypatch):
    monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *_: 10**12)
    whole = GroupedSummaries._new
    monkeypatch.setattr(GroupedSummaries, "_new", lambda summaries, _capacity: whole(summaries, 8))
    asked = "--score", "good", "--memory", "300M", "--measure", "roc_auc", "--format", "json"
    tree = json.loads(run(*asked).stdout)["scores"]["good"]
    low, high = tree["roc_auc_low"], tree["roc_auc_high"]
    assert low < tree["roc_auc"] < high
    for limit in (low + 1e-9, high - 1e-9):
        outcome = run(*asked, "--fail-if", f"roc_auc < {limit!r}", "--junit", "gate.xml")
        assert outcome.exit_code == 2
        assert "gate undecided: the condition may be met" in outcome.stderr
        assert outcome.stderr.rstrip().endswith("allow more memory (--memory)")
        assert json.loads(outcome.stdout)["gate"]["passed"] is False
        assert len(errors_in("gate.xml")) == 1
    assert run(*asked, "--fail-if", f"roc_auc < {low!r}").exit_code == 0
    assert run(*asked, "--fail-if", f"roc_auc < {high + 1e-9!r}").exit_code == 1


@every(
    ("settings", "coloured"),
    ({}, False),
    ({"FORCE_COLOR": "1"}, True),
    ({"FORCE_COLOR": "0"}, False),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
)
def test_outcomes_have_colours_where_these_are_asked_for(settings, coloured):
    for condition, colour, outcome in (("roc_auc > 0.1", 31, "FAIL"), ("roc_auc < 0.1", 32, "PASS")):
        for name, options in MODELS.items():
            asked = name, "cases.csv", "--label", "late", *options, "--fail-if", condition
            text = command(*asked, env={"FORCE_COLOR": "", "NO_COLOR": "", **settings}).stdout
            assert text.startswith(f"\x1b[1m\x1b[1;{colour}m{outcome}\x1b[0m\x1b[1m (gate") == coloured
            assert (text.count(f"\x1b[1;{colour}m{outcome}\x1b[0m") == 2) == coloured
            reason = ": ROC AUC > 0.1" if outcome == "FAIL" else ""
            assert re.sub(r"\x1b\[[0-9;]*m", "", text).startswith(f"{outcome} (gate{reason}): ")
            assert ("\x1b" in text) == coloured
