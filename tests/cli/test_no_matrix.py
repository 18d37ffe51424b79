"""Reports on classes without the counts by class."""

import json

import pytest
from click.testing import CliRunner

from evalcore import EvaluationError, evaluate
from evalcore.cli import main

COLUMNS = {"tree": ["ash", "elm", "ash"], "guess": ["ash", "ash", "ash"], "s_ash": [2, 1, 3], "s_elm": [1, 2, 0]}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [",".join(COLUMNS), *(",".join(map(str, row)) for row in zip(*COLUMNS.values(), strict=True))]
    (tmp_path / "trees.csv").write_text("\n".join(rows) + "\n")
    return lambda *more: CliRunner().invoke(main, ["report", "trees.csv", "--label", "tree", *more])


@pytest.mark.parametrize("asked", [["--predicted", "guess"], ["--scores", "s_"]])
@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown"])
def test_every_format_leaves_the_counts_out(run, asked, style):
    whole, without = (run(*asked, "--format", style, *more).stdout for more in ([], ["--no-matrix"]))
    counted = "matrix" if style != "markdown" else "### confusion matrix"
    assert counted in whole
    assert "matrix" not in without
    assert "rank of the label among" not in without
    assert "rank_counts" not in without
    if style == "json":
        kept = {
            key: value for key, value in json.loads(whole).items() if key not in ("confusion_matrix", "rank_counts")
        }
        assert json.loads(without) == kept


def test_batches_too(run):
    found = run("--predicted", "guess", "--nulls", "drop", "--no-matrix", "--format", "json")
    assert "confusion_matrix" not in json.loads(found.stdout)


def test_pages_still_list_the_largest_confusions():
    report = evaluate(COLUMNS, label="tree", predicted="guess", matrix=False)
    page = report.to_html()
    assert "Confusion matrix" not in page
    assert "mistaken for" in page
    assert [section.name for section in report.sections] == ["statistics", "classes"]
    assert list(report.to_dict()) == ["statistics", "classes", "notes"]


def test_reports_without_classes():
    with pytest.raises(EvaluationError, match=r"^matrix=False needs predicted, or score"):
        evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model", matrix=False)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--score", "s_ash"], "--no-matrix needs --predicted COL or scores of classes."),
        (
            ["--scores", "s_", "--full-matrix"],
            "--no-matrix leaves out what --full-matrix shows; give only one of them.",
        ),
    ],
)
def test_options_that_do_not_fit(run, options, why):
    refused = run(*options, "--no-matrix")
    assert refused.exit_code == 2
    assert refused.stderr.endswith(f"evalcore: {why}\n")
