"""The report on class labels: its numbers beside scikit-learn's, its formats, its mistakes."""

import json
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import command, refused
from tests.cli.command import reported as json_of
from tests.differences import every

run = partial(command, "report")

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


def reported(*arguments):
    return json_of(run(*arguments, "--format", "json"))


def test_classes_may_be_numbers_or_booleans_and_tables_name_their_sections(trees, tmp_path):
    found = reported(
        "trees.parquet", "--label", "code", "--score", "0=s_ash", "--score", "1=s_birch", "--score=2=s_elm"
    )
    named = reported("trees.parquet", "--label", "tree", "--scores", "s_")
    assert found["statistics"] == named["statistics"]
    pq.write_table(pa.table({"y": [True, False], "p_true": [0.9, 0.2], "p_False": [0.1, 0.8]}), "x.parquet")
    assert reported("x.parquet", "--label", "y", "--scores", "p_")["statistics"]["accuracy"] == 1.0
    table = run("trees.parquet", "--label", "tree", "--scores", "s_").stdout
    assert table.startswith("trees.parquet: tree\n")
    assert "\n\nby class, each against the rest\n" in table
    assert "\n\nconfusion matrix: cases by label (rows) and prediction\n" in table
    markdown = run("trees.parquet", "--label", "tree", "--predicted", "guess", "--format", "markdown").stdout
    assert "\n\n### by class\n\n|" in markdown


@pytest.mark.usefixtures("undrawn")
def test_many_classes_show_the_most_confused_pairs_unless_all_are_asked_for(tmp_path):
    codes = np.arange(93) % 31
    rows = {"y": codes, "guess": np.where(codes == 30, [3] * 31 + [4] * 62, codes)}
    file = str(tmp_path / "many.parquet")
    pq.write_table(pa.table(rows | {f"s_{code}": 1.0 * (rows["guess"] == code) for code in range(31)}), file)
    options = [file, "--label", "y", "-o", str(tmp_path / "page.html")]
    table = run(*options, "--format", "table", "--predicted", "guess").stdout.split("\n\n")[-2].splitlines()
    assert [line.split() for line in table if "─" not in line] == [
        ["most", "confused", "pairs", "of", "31", "classes"],
        ["label", "predicted", "cases", "fraction", "of", "label"],
        ["30", "4", "2", "0.666667"],
        ["30", "3", "1", "0.333333"],
    ]
    page = (tmp_path / "page.html").read_text()
    assert (
        '<tr><th scope="row">30</th><th scope="row">4</th><td>2</td><td title="0.6666666666666666">0.667</td>' in page
    )
    markdown = run(*options, "--scores", "s_", "--format", "markdown").stdout
    assert "| 30    | 4         |     2 |          0.666667 |" in markdown
    assert "| 0    |    90 |            0.967742 |" in markdown  # the first ranks
    assert "only the largest counts by class are shown; --full-matrix shows them all" in markdown
    for text in (
        run(*options, "--format", "table", "--predicted", "guess", "--full-matrix").stdout,
        run(*options, "--scores", "s_", "--full-matrix", "--format", "markdown").stdout,
        (tmp_path / "page.html").read_text(),
    ):
        assert "cases by label (rows) and prediction" in text
        assert "confused" not in text
        assert "--full-matrix" not in text
    found = reported(*options, "--predicted", "guess")
    assert len(found["confusion_matrix"]["30"]) == 31


LABEL = ["trees.parquet", "--label", "tree"]
DATA_MISTAKES = [
    ([*LABEL, "--scores", "S_"], "trees.parquet: no column begins with 'S_'; did you mean 's_'?"),
    ([*LABEL, "--scores", "z_"], "trees.parquet: no column begins with 'z_'; the columns are 'tree', 'guess'"),
    ([*LABEL, "--score", "ash=s_ash"], "trees.parquet: class "),
    ([*LABEL, "--score", "ash=s_asch"], "trees.parquet: no column 's_asch'; did you mean 's_ash' or 's_birch'?"),
    ([*LABEL, "--score", "ash=guess"], "trees.parquet: column 'guess' must hold numbers, got "),
    ([*LABEL, "--predicted", "guss"], "trees.parquet: no column 'guss'; did you mean 'guess'?"),
    ([*LABEL, "--predicted", "code"],
     "trees.parquet: columns 'tree' and 'code' must hold labels of one kind, got str and int; read the numbers "
     "as text (--as-text COLUMN)"),
]  # fmt: skip


@every(("arguments", "message"), DATA_MISTAKES)
def test_a_mistake_in_the_data_is_one_line(trees, arguments, message):
    assert refused(run(*arguments)).startswith(message)


def test_columns_that_classes_lack_or_a_prefix_takes_too_are_explained(trees, tmp_path):
    outcome = run(*LABEL, "--score", "ash=s_ash", "--score", "elm=s_elm")
    said = "class 'birch' of column 'tree' must have a column of scores, got "
    assert outcome.stderr == f"evalcore: trees.parquet: {said}columns for 'ash' and 'elm'\n"
    misspelt = run(*LABEL, "--score", "ash=s_ash", "--score", "elm=s_elm", "--score", "brich=s_birch").stderr
    assert misspelt.endswith(f"{said}columns for 'ash', 'elm' and 'brich'; did you mean 'brich'?\n")
    table = pq.read_table("trees.parquet").rename_columns(["tree", "guess", "code", "s_ash", "s_brich", "s_elm"])
    pq.write_table(table, "trees.parquet")
    assert run(*LABEL, "--scores", "s_").stderr.endswith(f"{said}no 's_birch'; did you mean 's_brich'?\n")
    pq.write_table(table.rename_columns(["tree", "guess", "code", "s_ash", "s_x", "s_elm"]), "trees.parquet")
    assert run(*LABEL, "--scores", "s_").stderr.endswith("; the columns are 's_ash', 's_x' and 's_elm'\n")
    rows = [("ash", 0.75, 0.25, "ash"), ("elm", 0.25, 0.75, "elm")]
    (tmp_path / "x.csv").write_text("tree,pash,pelm,pred\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    names = ("tree", "pash", "pelm", "pred")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    for name in ("x.csv", "x.jsonl"):
        said = run(str(tmp_path / name), "--label", "tree", "--scores", "p").stderr
        assert said.endswith(
            "column 'pred' must hold numbers, got 'ash'; it counts as scores because its name begins with 'p', so give "
            "a longer prefix\n"
        )
