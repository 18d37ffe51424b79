"""`evalcore compare`: the question that options ask, tables joined by id, and what is said of wrong commands."""

import json
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

import evalcore
from tests.cli.command import FLIGHTS, command, refused
from tests.differences import BESIDE_THE_GUIDE, every

run = partial(command, "compare")

COLUMNS = FLIGHTS, "--label", "late", "--score", "boosting", "--old-score", "logistic"
OLD = "case,late,score,team\na,1,0.6,x\nb,0,0.5,x\nc,1,0.4,y\nd,0,0.2,y\ne,1,0.9,y\n"
NEW = "case,score\ne,0.8\nd,0.1\nc,0.7\nb,0.3\na,0.9\n"
FILES = {"old.csv": OLD, "new.csv": NEW}
JOINED = "old.csv", "new.csv", "--id", "case", "--label", "late", "--score", "score"


def compared(*arguments, **more):
    outcome = run(*arguments, "--format", "json", **more)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    return json.loads(outcome.stdout)


def area(found, model):
    return found["models"][model]["measures"]["roc_auc"]


def rounded(item):
    return [f"{item[name]:.6f}" for name in ("difference", "low", "high")]


ROWS = (f"{case},{['ash', 'elm'][case % 2]},{0.1 * (case % 7)},0.5,{case % 5},2\n" for case in range(40))
FILES["species.csv"] = "id,species,p_ash,p_elm,p_old_ash,p_old_elm\n" + "".join(ROWS)
FILES["was.csv"] = FILES["species.csv"].replace("p_ash,p_elm,p_old_ash,p_old_elm", "x,y,p_ash,p_elm")
SCORED = "--label", "species", "--scores", "p_"


def test_scores_of_each_class_are_named_by_their_prefixes():
    one = compared("species.csv", *SCORED, "--old-scores", "p_old_")
    Path("new.csv").write_text(FILES["species.csv"].replace("p_old_", "old_"))  # else of the classes old_ash, old_elm
    two = compared("was.csv", "new.csv", "--id", "id", *SCORED)
    assert one["models"]["new"]["measures"] == two["models"]["new"]["measures"]
    assert one["models"]["new"]["measures"]["macro_roc_auc"]["old"] == pytest.approx(0.5)


@every(
    "arguments, said",
    [
        ((), "--old-scores must name the column of the old model; or give each model a table of its own"),
        (("--old-scores", "p_"), "columns of models must be distinct, got 'p_', 'p_'"),
        (("--old-scores", "p"), "no column of scores begins with 'p', and with no longer prefix that is given"),
        (("--old-scores", "q_"), "species.csv: no column begins with 'q_'; the columns are 'id', "),
        (("--old-score", "p_ash"), "--old-score cannot be combined with --scores; give --old-scores"),
        (("--old-scores", "p_old_", "--method", "bootstrap"), "scores of classes take --method analytic alone; "),
        (("--old-scores", "p_old_", "--threshold", 0.5), "--threshold needs scores of one label, got scores of "),
        (("--old-scores", "p_old_", "--target-prevalence", 0.5), "--target-prevalence needs columns of scores of one"),
        (("--old-scores", "p_old_", "--fail-if", "roc_auc < 0.5"), "--measure must be one of macro_roc_auc, "),
    ],
)
def test_what_scores_of_each_class_do_not_take(arguments, said):
    assert refused(run("species.csv", *SCORED, *arguments)).startswith(said)


SHOWN = ["0.018280", "0.017092", "0.019467"]


@BESIDE_THE_GUIDE
def test_two_columns_of_one_file():
    found = compared(*COLUMNS)
    assert found["old"] == "logistic"
    assert found["cases"] == 327_346
    assert rounded(area(found, "boosting")) == SHOWN
    report = evalcore.compare(pq.read_table(FLIGHTS), label="late", score="boosting", old_score="logistic")
    assert found == json.loads(report.to_json())
    table = run(*COLUMNS).stdout
    assert "\nlate: boosting (new) against logistic (old)\n" in table
    assert "ROC AUC 0.7321 against 0.7138, difference +0.0183 [0.0171, 0.0195]" in table


def test_margins_of_some_measures_are_typed_or_in_the_config_file():
    asked = *JOINED, "--threshold", 0.5, "--fail-if", "roc_auc < 0", "--junit", "x.xml"
    outcome = run(*asked, "--margin", "roc_auc=0.01", "--margin", "recall=0.02", "--format", "json")
    assert json.loads(outcome.stdout)["margin"] == {"roc_auc": 0.01, "recall": 0.02}
    said = [each.get("name") for each in ElementTree.parse("x.xml").iter("property")]
    assert "verdict on recall@0.5 of new" in said
    Path("evalcore.toml").write_text('compare = {margin = ["roc_auc=0.01", "recall=0.02"]}')
    asked = *asked, "--config", "evalcore.toml"
    assert json.loads(run(*asked, "--format", "json").stdout)["margin"] == {"roc_auc": 0.01, "recall": 0.02}
    Path("evalcore.toml").write_text("compare = {margin = 0.03}")
    assert json.loads(run(*asked, "--format", "json").stdout)["margin"] == 0.03


def test_models_have_the_names_of_their_files_and_may_be_folders_or_standard_input():
    found = compared(*JOINED)
    assert (found["old"], list(found["models"])) == ("old", ["new"])
    Path("newer").mkdir()
    Path("newer/new.csv").write_text(NEW)
    Path("last.csv").write_text(NEW)
    found = compared("old.csv", "new.csv", "newer/new.csv", "best=last.csv", *JOINED[2:])
    assert list(found["models"]) == ["new", "newer/new", "best"]
    areas = [area(found, name)["new"] for name in found["models"]]
    assert areas == [1.0] * 3
    assert compared("old.csv", "-", *JOINED[2:], input=NEW)["models"].keys() == {"standard input"}
    Path("parts").mkdir()
    head, *rows = NEW.splitlines()
    for index, part in enumerate((rows[:2], rows[2:])):
        Path(f"parts/{index}.csv").write_text("\n".join([head, *part]) + "\n")
    whole = compared(*JOINED)["models"]["new"]
    assert compared("old.csv", "parts", *JOINED[2:])["models"]["parts"] == whole
    assert compared("old.csv", "parts/*.csv", *JOINED[2:])["models"]["parts/*.csv"] == whole
    assert compared("old.csv", "new=new.csv", *JOINED[2:])["models"]["new"] == whole


def test_runs_of_ranked_results():
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 c 1\n")
    Path("bm25.txt").write_text("1 Q0 b 1 0.5 x\n1 Q0 a 2 0.25 x\n2 Q0 a 1 0.5 x\n3 Q0 c 1 2 x\n")
    Path("dense.run").write_text("1 Q0 a 1 0.5 x\n1 Q0 b 2 0.25 x\n2 Q0 a 1 0.5 x\n3 Q0 c 1 2 x\n")
    asked = "bm25.txt", "dense.run", "--qrels", "qrels"
    assert "\nqrels: dense (new) against bm25 (old)\n" in run(*asked).stdout
    whole = run(*asked[:-1], str(Path("qrels").absolute())).stdout
    assert "\nqrels: dense (new) against bm25 (old)\n" in whole
    average = compared(*asked, "--measure", "map", "--method", "wilcoxon")["models"]["dense"]["measures"]["map"]
    assert average["difference"] == pytest.approx(1 / 6)
    outcome = run(*asked, "--fail-if", "map rises by 0.1")
    assert (outcome.exit_code, outcome.stderr.splitlines()[0]) == (1, "evalcore: gate failed: the condition is met")


@pytest.mark.usefixtures("undrawn")
@every("ending", ["csv", "html", "json", "md", "txt"])
def test_a_comparison_goes_to_a_file_in_the_format_of_its_ending(ending):
    outcome = run(*JOINED, "-o", f"x.{ending}")
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert Path(f"x.{ending}").stat().st_size > 100


GATES = {
    "roc_auc drops by 0.5": (0, "gate passed: the condition is not met"),
    "roc_auc < 1.5": (1, "gate failed: the condition is met"),
    "any team: roc_auc < 1.5": (1, "gate failed"),
    "recall@0.5 rises by 0.1": (1, "gate failed"),
    "roc_auc < ": (2, "condition must have a number"),
    "rok_area < 1": (2, "measure must be one of"),
    "any crew: roc_auc < 1": (2, "no column 'crew'"),
    "kappa@0.4 > 2": (0, "gate passed"),
    "maximum_f1 drops by 0.9": (0, "gate passed"),
}


@every("condition", GATES)
def test_a_gate_decides_the_exit_code(condition):
    code, said = GATES[condition]
    outcome = run(*JOINED, "--fail-if", condition)
    assert outcome.exit_code == code
    assert said in outcome.stderr


@pytest.mark.usefixtures("undrawn")
def test_a_gate_writes_its_result_for_people_and_machines_and_a_page_beside_the_table():
    outcome = run(*JOINED, "--fail-if", "roc_auc < 1.5", "--fail-if", "roc_auc < 0", "--junit", "x.xml", "-o", "x.md")
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    suite = ElementTree.fromstring(Path("x.xml").read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "Gate failed: 1 of 2 conditions is met" in Path("x.md").read_text("utf-8")
    assert "roc_auc of new is 1" in outcome.stderr
    quiet = run(*JOINED, "--fail-if", "roc_auc < 1.5", "--quiet", "-o", "x.md")
    assert (quiet.exit_code, quiet.stderr) == (1, outcome.stderr.replace("1 of 2 conditions is", "the condition is"))
    outcome = run(*JOINED, "-o", "x.html", "--format", "table")
    assert "\nlate: new against old\n" in outcome.stdout
    assert "late: new against old</h1>" in Path("x.html").read_text("utf-8")


def test_columns_between_commas_are_one_grouping_and_changed_cases_have_the_labels_of_the_data():
    asked = JOINED[0], "--label", "late", "--score", "score", "--old-score", "other", "--measure", "accuracy@0.5"
    Path("old.csv").write_text(OLD.replace("team", "team,other").replace("x\n", "x,0.3\n").replace("y\n", "y,0.4\n"))
    found = compared(*asked, "--by", "team,late", "--by", "team")["models"]["score"]["groups"]
    assert {by: sorted(groups) for by, groups in found.items()} == {
        "team, late": ["x, 0", "x, 1", "y, 0", "y, 1"],
        "team": ["x", "y"],
    }
    gated = run(*asked, "--fail-if", "any team, late: accuracy@0.5 drops by 0.5")
    assert gated.exit_code == 1, gated.output
    assert refused(run(*asked, "--by", "team,")) == "--by must name columns, got 'team,'."
    Path("old.csv").write_text(OLD.replace(",1,", ",oak,").replace("b,0", "b,elm").replace("d,0", "d,ash"))
    asked = *JOINED, "--positive", "oak", "--threshold", "0.45"
    model = compared(*asked)["models"]["new"]
    listed = [*model["risen"], *model["fallen"], *model["changes"][0]["newly_right"]]
    assert {(case["id"], case["label"]) for case in listed} == set(
        zip("abcde", ("oak", "elm", "oak", "ash", "oak"), strict=True)
    )
    assert "elm" in run(*asked).stdout


MISMATCHED = {
    "missing": ("case,score\ne,0.8\nd,0.1\nc,0.7\nb,0.3\n", "got 1 row of old whose id new lacks (case 'a')"),
    "repeated": (f"{NEW}a,0.1\n", "got 1 row of new with the id of an earlier row (case 'a')"),
    "labels": (NEW.replace("\n", ",0\n").replace("score,0", "score,late").replace("e,0.8,0", "e,0.8,1"),
               "got 2 of 5 cases whose labels differ (case 'a', 'c'; the first is '1' in old and '0' in new)"),
}  # fmt: skip


@every("allowed", MISMATCHED)
def test_tables_that_do_not_match_are_refused_unless_allowed(allowed):
    text, why = MISMATCHED[allowed]
    Path("new.csv").write_text(text)
    said = refused(run(*JOINED))
    assert why in said
    assert f"(--allow-mismatch {allowed})" in said
    outcome = run(*JOINED, "--allow-mismatch", allowed, "--format", "json")
    assert outcome.exit_code == 0, outcome.stderr
    assert json.loads(outcome.stdout)["cases"] == (4 if allowed == "missing" else 5)


@every(
    "typed",
    [["--allow-mismatch", "missing, repeated"], ["--allow-mismatch", "missing", "--allow-mismatch", "repeated"]],
)
def test_what_is_allowed_stands_between_commas_or_is_repeated(typed):
    Path("new.csv").write_text("case,score\ne,0.8\nd,0.1\nc,0.7\nb,0.3\ne,0.9\n")
    said = refused(run(*JOINED, "--allow-mismatch", "missing"))
    assert "--allow-mismatch repeated" in said
    assert compared(*JOINED, *typed)["joins"]["new"]["repeated_new"] == 1


def test_what_takes_more_than_the_memory_limit_is_refused(monkeypatch):
    monkeypatch.setattr("evalcore.evaluation.files.program_bytes", lambda rows: 301_000_000)
    said = (
        "the rows of 2 tables take at least 316 MB, more than the memory limit of 256 MB; allow more memory "
        "(--memory SIZE)"
    )
    for more, limited in ((("--memory", "256M"), {}), ((), {"env": {"EVALCORE_MEMORY": "256M"}})):
        assert refused(run(*JOINED, *more, **limited)) == said
    assert compared(*JOINED, "--memory", "316M") == compared(*JOINED)
    wrong = run(*JOINED, env={"EVALCORE_MEMORY": "much"})
    assert refused(wrong).startswith("EVALCORE_MEMORY: memory must be a size such as 500M")


def test_labels_of_one_class_are_inconclusive_and_the_report_says_why():
    Path("one.csv").write_text("late,score,other\n1,0.5,0.6\n1,0.3,0.2\n1,0.4,0.3\n")
    asked = "one.csv", "--label", "late", "--score", "score", "--old-score", "other", "--positive", 1
    outcome = run(*asked, "--format", "json")
    found = json.loads(outcome.stdout)
    assert found["models"]["score"]["measures"]["roc_auc"]["verdict"] == "inconclusive"
    assert (
        "no case is negative, so measures that need both classes are undefined, and their comparison is inconclusive"
        in found["notes"]
    )
    assert run(*asked).stdout.splitlines()[:2] == [
        "Only 3 positive cases and no negative cases: too few to rely on these numbers.",
        "Inconclusive: no ROC AUC is defined for both score and other, from no negatives.",
    ]
    assert run(*asked, "--fail-if", "roc_auc drops by 0.01").exit_code == 2
