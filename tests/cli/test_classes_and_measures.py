"""Which numbers `evalcore report` writes: --measure, --at-k, --digits, and those of classes."""

import json
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click import Context

from evalcore import EvaluationError, evaluate
from evalcore.cli import main
from evalcore.evaluation.catalogue import MEASURES
from tests.cli.command import command, refused, reported
from tests.differences import check_output, every

CASES = {"late": [1, 0, 0, 1, 1], "model": [0.5123456789, 0.3123456789, 0.25, 0.75, 0.2315829123]}
TREES = {"tree": ["ash", "elm", "ash"], "guess": ["ash", "ash", "ash"], "s_ash": [2, 1, 3], "s_elm": [1, 2, 0]}
FILES = {
    "x.csv": "late,model,tree\n1,0.5,ash\n0,0.5,elm\n0,0.25,elm\n1,0.75,ash\n",
    "cases.csv": "late,model\n" + "".join(f"{label},{score}\n" for label, score in zip(*CASES.values(), strict=True)),
    "trees.csv": "\n".join(",".join(map(str, row)) for row in [TREES, *zip(*TREES.values(), strict=True)]) + "\n",
}
run = partial(command, "report", "x.csv", "--label", "late", "--score", "model")
with_decimals = partial(command, "report", "cases.csv", "--label", "late", "--score", "model")
of_trees = partial(command, "report", "trees.csv", "--label", "tree")


def test_measures_and_depths_that_were_asked_for_are_listed_with_their_meanings():
    check_output(
        "cli/outputs/report_of_two_measures.txt", run("--measure", "roc_auc", "--measure", "brier_score").stdout
    )
    found = reported(run("--at-k", "1,2", "--format", "json"))["scores"]["model"]
    at = {name: value for name, value in found.items() if "_at_" in name}
    assert at == {"precision_at_1": 1, "precision_at_2": 0.75, "recall_at_1": 0.5, "recall_at_2": 0.75}
    outcome = command("report", "--list-measures")
    assert outcome.exit_code == 0
    names = [line.split()[0] for line in outcome.stdout.splitlines()]
    assert names == [*MEASURES, "confusion_matrix", "rank_counts"]
    assert "roc_auc                         Probability that a random positive scores higher than a" in outcome.stdout
    asked = "--threshold", "0.3", "--threshold-for", "recall=0.5", "--measure"
    at = [word for name in ("f1@0.3", "f1@recall=0.5", "auc") for word in ("--measure", name)]
    assert run(*at, "--format", "json").stdout == run(*asked, "f1", "--measure", "auc", "--format", "json").stdout
    measures = next(each for each in main.commands["report"].params if each.name == "measures")
    found = measures.shell_complete(Context(main), "macro_r")
    assert [item.value for item in found] == ["macro_recall", "macro_roc_auc"]


@pytest.mark.usefixtures("beyond_memory")
def test_what_does_not_fit_in_memory_has_the_measures_of_summaries():
    model = np.random.default_rng(3).random(200_000)
    pq.write_table(pa.table({"late": np.random.default_rng(4).random(model.size) < model, "model": model}), "x.parquet")
    large = partial(command, "report", "x.parquet", "--label", "late", "--score", "model", "--memory", "256M")

    def names(*asked):
        found = reported(large(*asked, "--format", "json"))["scores"]["model"]
        return {name for name in found if not name.endswith(("_low", "_high"))}

    asked = [word for name in ("roc_auc", "log_loss", "recall") for word in ("--measure", name)]
    assert names(*asked, "--threshold", 0.5) == {"cases", "positives", "roc_auc", "log_loss", "threshold", "recall"}
    shown = {"threshold", "tp", "fn", "fp", "tn", "precision", "recall", "f1", "expected_cost"}
    more = "--measure", "roc_auc", "--threshold", 0.5, "--costs", "1,5"
    assert names(*more) == {"cases", "positives", "roc_auc", *shown}
    for more in (("--measure", "precision_at_10"), ("--at-k", "10")):
        said = "measures of single ranks (precision_at_10) need all rows in memory"
        assert refused(large(*more)).startswith(said)


def line_of(outcome, begin):
    assert outcome.exit_code == 0, outcome.stderr
    return next(line for line in outcome.stdout.splitlines() if line.strip(" |").startswith(begin)).split()


@every(("style", "last"), [("table", -1), ("markdown", -2)])
def test_digits_of_tables(style, last):
    assert line_of(with_decimals("--format", style), "ROC AUC")[last] == "0.6667"
    found = with_decimals("--format", style, "--digits", "2", "--ci", "0.95")
    assert line_of(found, "ROC AUC")[2 if style == "table" else 4] == "0.67"
    # thresholds keep their decimals, so that they lose no case
    assert line_of(with_decimals("--format", style, "--digits", "2"), "at the threshold")[last] == "0.512345"


def test_digits_and_the_largest_confusions_are_chosen_from_python_too():
    report = evaluate(CASES, label="late", score="model")
    assert "0.667 |" in report.to_markdown(digits=3)
    with pytest.raises(EvaluationError, match=r"^digits must be between 1 and 15, got 0$"):
        report.to_markdown(digits=0)
    grouped = evaluate({**CASES, "month": [1, 1, 1, 1, 1]}, label="late", score="model", by="month")
    assert "|    0.67 |" in grouped.to_markdown(digits=2)
    report = evaluate(TREES, label="tree", predicted="guess", matrix=False)
    page = report.to_html()
    assert "Confusion matrix" not in page
    assert "Largest confusions" in page
    assert [section.name for section in report.sections] == ["statistics", "classes"]
    assert list(report.to_dict()) == ["statistics", "classes", "notes"]
    with pytest.raises(EvaluationError, match=r"^matrix=False needs predicted, or score"):
        evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model", matrix=False)


@every("style", ["json", "csv"])
def test_digits_where_all_are_written(style):
    assert with_decimals("--digits", "2", "--format", style).stdout == with_decimals("--format", style).stdout


@every("asked", [["--predicted", "guess"], ["--scores", "s_"], ["--predicted=guess", "--nulls=drop"]])
@every("style", ["table", "json", "csv", "markdown"])
def test_every_format_leaves_the_counts_out(asked, style):
    whole, without = (of_trees(*asked, "--format", style, *more).stdout for more in ([], ["--no-matrix"]))
    assert ("matrix" if style != "markdown" else "### confusion matrix") in whole
    assert not [counted for counted in ("matrix", "rank of the label among", "rank_counts") if counted in without]
    if style == "json":
        kept = {
            key: value for key, value in json.loads(whole).items() if key not in ("confusion_matrix", "rank_counts")
        }
        assert json.loads(without) == kept


of_file = partial(command, "report")

NAMES = ["ash", "birch", "elm"]


@pytest.fixture
def trees():
    """A file of labels, predictions and scores of three classes, and the same as arrays."""
    rng = np.random.default_rng(11)
    codes = rng.integers(0, 3, 400)
    scores = np.round(rng.normal(size=(400, 3)) + 1.5 * np.eye(3)[codes], 1)
    predicted = scores.argmax(axis=1)
    columns = {"tree": np.array(NAMES)[codes], "guess": np.array(NAMES)[predicted], "code": codes}
    columns |= {f"s_{name}": scores[:, code] for code, name in enumerate(NAMES)}
    pq.write_table(pa.table(columns), "trees.parquet")
    return codes, predicted, scores


def found_in(*arguments):
    return reported(of_file(*arguments, "--format", "json"))


def test_classes_may_be_numbers_or_booleans_and_tables_name_their_sections(trees, tmp_path):
    found = found_in(
        "trees.parquet", "--label", "code", "--score", "0=s_ash", "--score", "1=s_birch", "--score=2=s_elm"
    )
    named = found_in("trees.parquet", "--label", "tree", "--scores", "s_")
    assert found["statistics"] == named["statistics"]
    pq.write_table(pa.table({"y": [True, False], "p_true": [0.9, 0.2], "p_False": [0.1, 0.8]}), "x.parquet")
    assert found_in("x.parquet", "--label", "y", "--scores", "p_")["statistics"]["accuracy"] == 1.0
    table = of_file("trees.parquet", "--label", "tree", "--scores", "s_").stdout
    assert "\ntrees.parquet: tree\n" in table
    assert "\n\nby class, each against the rest\n" in table
    assert "\n\nconfusion matrix: cases by label (rows) and prediction\n" in table
    markdown = of_file("trees.parquet", "--label", "tree", "--predicted", "guess", "--format", "markdown").stdout
    assert "\n\n### by class\n\n|" in markdown


@pytest.mark.usefixtures("undrawn")
def test_many_classes_show_the_most_confused_pairs_unless_all_are_asked_for(tmp_path):
    codes = np.arange(93) % 31
    rows = {"y": codes, "guess": np.where(codes == 30, [3] * 31 + [4] * 62, codes)}
    file = str(tmp_path / "many.parquet")
    pq.write_table(pa.table(rows | {f"s_{code}": 1.0 * (rows["guess"] == code) for code in range(31)}), file)
    options = [file, "--label", "y", "-o", str(tmp_path / "page.html")]
    table = of_file(*options, "--format", "table", "--predicted", "guess").stdout.split("\n\n")[-2]
    check_output("cli/outputs/confused_pairs.txt", table)
    page = (tmp_path / "page.html").read_text()
    assert (
        '<tr><th scope="row">30</th><th scope="row">4</th><td>2</td><td title="0.6666666666666666">0.667</td>' in page
    )
    markdown = of_file(*options, "--scores", "s_", "--format", "markdown").stdout
    assert "| 30    | 4         |     2 |            0.6667 |" in markdown
    assert "| 0    |    90 |              0.9677 |" in markdown  # the first ranks
    assert "some numbers are not shown; --full shows them all" in markdown
    for text in (
        of_file(*options, "--format", "table", "--predicted", "guess", "--full").stdout,
        of_file(*options, "--scores", "s_", "--full", "--format", "markdown").stdout,
        (tmp_path / "page.html").read_text(),
    ):
        assert "cases by label (rows) and prediction" in text
        assert "confused" not in text
        assert "--full" not in text
    found = found_in(*options, "--predicted", "guess")
    assert len(found["confusion_matrix"]["30"]) == 31


OF_TREE = "trees.parquet", "--label", "tree"


def test_columns_that_classes_lack_or_a_prefix_takes_too_are_explained(trees, tmp_path):
    outcome = of_file(*OF_TREE, "--score", "ash=s_ash", "--score", "elm=s_elm")
    said = "class 'birch' of column 'tree' must have a column of scores, got "
    assert outcome.stderr == f"evalcore: trees.parquet: {said}columns for 'ash' and 'elm'\n"
    misspelt = of_file(*OF_TREE, "--score", "ash=s_ash", "--score", "elm=s_elm", "--score", "brich=s_birch").stderr
    assert misspelt.endswith(f"{said}columns for 'ash', 'elm' and 'brich'; did you mean 'brich'?\n")
    table = pq.read_table("trees.parquet").rename_columns(["tree", "guess", "code", "s_ash", "s_brich", "s_elm"])
    pq.write_table(table, "trees.parquet")
    assert of_file(*OF_TREE, "--scores", "s_").stderr == misspelt.replace(
        "'ash', 'elm' and 'brich'", "'ash', 'brich' and 'elm'"
    )
    pq.write_table(table.rename_columns(["tree", "guess", "code", "s_ash", "s_x", "s_elm"]), "trees.parquet")
    assert of_file(*OF_TREE, "--scores", "s_").stderr.endswith(f"{said}columns for 'ash', 'x' and 'elm'\n")
    named = of_file(*OF_TREE, "--score", "oak=code", "--scores", "s_").stderr
    assert named.endswith(f"{said}columns for 'oak', 'ash', 'x' and 'elm'\n")
    rows = [("ash", 0.75, 0.25, "ash"), ("elm", 0.25, 0.75, "elm")]
    (tmp_path / "x.csv").write_text("tree,pash,pelm,pred\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    names = ("tree", "pash", "pelm", "pred")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    for name in ("x.csv", "x.jsonl"):
        said = of_file(str(tmp_path / name), "--label", "tree", "--scores", "p").stderr
        assert said.endswith(
            "column 'pred' must hold numbers, got 'ash'; it counts as scores because its name begins with 'p', so give "
            "a longer prefix\n"
        )
