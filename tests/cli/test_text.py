"""The command on CSV: text stays as it is written, however it is read, and errors name the line."""

import gzip
import io
import math
import sys
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.io import text_files
from evalcore.io.text_cells import CellError, numbers_of_text
from tests.cli.command import command, reported
from tests.differences import every

run = partial(command, "report")

ASKED = ("--label", "late", "--score", "model")
READINGS = ["whole", "batches", "summaries", "standard input", "gzip", "tsv"]
OF_ROWS = READINGS[:4]
"""Those that treat rows in ways of their own: other files are only opened otherwise."""


@pytest.fixture(params=READINGS)
def read(request, tmp_path, monkeypatch):
    """Return what reports on the text of a CSV file, read in one of the ways."""

    def outcome(text, *asked):
        asked = (*asked, "--format", "json")
        (tmp_path / "x.csv").write_text(text)
        (tmp_path / "empty.csv").write_text(text.splitlines()[0] + "\n")
        if request.param == "standard input":
            return run("-", *asked, input=text)
        if request.param == "gzip":
            (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text.encode()))
            return run("x.csv.gz", *asked)
        if request.param == "tsv":
            (tmp_path / "x.tsv").write_text(text.replace(",", "\t"))
            return run("x.tsv", *asked)
        if request.param == "summaries":
            monkeypatch.setattr("evalcore.evaluation.files.exact_bytes", lambda *asked: 10**9)
            asked = (*asked, "--memory", "300M")
        monkeypatch.setattr(text_files, "_BLOCK_BYTES", 64)
        return run(*(["x.csv"] if request.param == "whole" else ["empty.csv", "x.csv"]), *asked)

    return outcome


def matrix(found):
    return {(label, guess): n for label, row in found["confusion_matrix"].items() for guess, n in row.items() if n}


def test_classes_are_what_is_written_and_scores_what_float64_holds(read):
    found = reported(read("late,guess\n01,01\n1,01\n1,1\n", "--label", "late", "--predicted", "guess"))
    assert matrix(found) == {("01", "01"): 1, ("1", "01"): 1, ("1", "1"): 1}
    ids = [str(10**19 + place) for place in range(3)]
    text = "late,guess\n" + "".join(f"{name},{ids[1]}\n" for name in ids)
    found = reported(read(text, "--label", "late", "--predicted", "guess"))
    assert found["statistics"]["accuracy"] == pytest.approx(1 / 3)
    found = reported(read("late,guess\n10,9\n9,10\n", "--label", "late", "--predicted", "guess"))
    assert list(found["confusion_matrix"]) == ["9", "10"]
    assert (
        reported(read("late,model\n1,9007199254740994\n0,9007199254740992\n", *ASKED))["scores"]["model"]["roc_auc"]
        == 1
    )
    found = read("late,model\n1,0.5\n0,9007199254740993\n", *ASKED)
    assert "column 'model' is 9007199254740993, an integer that float64 cannot hold; scale or round" in found.stderr
    assert "row 2 below the header" in found.stderr or "line 3" in found.stderr


@pytest.mark.parametrize("read", OF_ROWS, indirect=True)
def test_groups_are_what_is_written_and_stand_in_the_order_of_numbers(read):
    names = ["10", "9", "09", str(10**19), str(10**19 + 1), "9.5", "1e1"]
    text = "late,model,g\n" + "".join(f"1,0.5,{name}\n0,0.25,{name}\n" for name in names)
    found = list(reported(read(text, *ASKED, "--by", "g"))["scores"]["model"])
    assert found == ["09", "9", "9.5", "10", "1e1", str(10**19), str(10**19 + 1), "total"]
    found = list(reported(read(text + "1,0.5,NA\n0,0.5,NA\n", *ASKED, "--by", "g"))["scores"]["model"])
    assert found == [*sorted([*names, "NA"]), "total"]


@every(
    ("negative", "positive"),
    [("0", "1"), ("false", "true"), ("False", "True"), ("0.0", "1.0"), ("0.000e+00", "1.000e+00"), (" 0", " 1")],
)
def test_usual_labels_need_no_name_of_the_positive(tmp_path, negative, positive):
    (tmp_path / "x.csv").write_text(f"model,late\n0.5,{positive}\n0.75,{negative}\n1,{positive}\n")
    for files in (["x.csv"], ["x.csv", "./x.csv"]):
        assert reported(run(*files, *ASKED, "--format", "json"))["scores"]["model"]["roc_auc"] == 0.5
    named = run("x.csv", *ASKED, "--positive", positive, "--format", "json")
    assert reported(named)["scores"]["model"]["roc_auc"] == 0.5


LABELS = {
    "late,model\n01,1\n1,2\n0,3\n": "must hold 0 and 1, or Booleans, got 3 values (0, 01, 1)",
    "late,model\n1,1\nNA,2\n0,3\n": "column 'late' holds 'NA' among numbers; if it marks a missing label, leave such "
    "rows out (--nulls drop)",
    "late,model\ntrue,1\nNaN,2\nfalse,3\n": "holds 'NaN' among numbers",
}


@pytest.mark.parametrize("read", OF_ROWS, indirect=True)
def test_labels_that_are_not_usual_and_missing_ones_are_refused(read):
    for text, message in LABELS.items():
        assert message in read(text, *ASKED).stderr
    found = read("late,model\n1,1\nNA,2\n0,3\n", *ASKED, "--positive", "1")
    assert "column 'late' holds 'NA' among numbers; if it marks a missing label, leave such rows out" in found.stderr
    assert reported(read("late,model\nno,1\nNA,2\nyes,3\n", *ASKED, "--positive", "yes"))["scores"]


@pytest.mark.parametrize("read", OF_ROWS, indirect=True)
def test_classes_that_would_meet_as_numbers_are_not_taken_for_mistakes(read):
    asked = "--label", "late", "--predicted", "guess"
    for text in ("1.0,1\n0.0,0\n", "True,true\nFalse,false\n", "ash,1\nelm,2\n"):
        assert "must have a class in common" in read("late,guess\n" + text, *asked).stderr
    said = (
        "columns 'late' and 'guess' must have a class in common, got 'ash' and '1'; classes are equal only if they are"
    )
    assert f"{said} written alike" in read("late,guess\nash,1\nelm,2\n", *asked).stderr
    assert reported(read("late,guess\nash,elm\n", *asked))["statistics"]["accuracy"] == 0


@given(
    st.lists(
        st.one_of(
            st.integers(-(2**70), 2**70).map(str),
            st.floats(allow_nan=False).map(repr),
            st.sampled_from(["", "nan", "0x1", "1_0", "1e999", "inf", "-Infinity", " 1 ", "1,0", "9" * 400, "high"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_cells_are_scores_if_python_reads_them_exactly(cells):
    def score(cell):
        """Return what Python makes of a cell, None for what is refused."""
        try:
            number = float(cell)
        except ValueError:
            return None
        finite = "inf" not in cell.lower()
        if "_" in cell or math.isnan(number) or (finite and abs(number) == float("inf")):
            return None
        return None if cell.strip().lstrip("-").isdecimal() and int(cell) != number else number

    expected = list(map(score, cells))
    if None in expected:
        with pytest.raises(CellError) as raised:
            numbers_of_text(pa.array(cells))
        assert expected[raised.value.index] is None
    else:
        assert numbers_of_text(pa.array(cells)).to_pylist() == expected


def test_columns_of_several_types_and_folders_are_read_as_text(tmp_path):
    for name, column in {"a": [7, 8], "b": ["7", "x"]}.items():
        table = pa.table({"late": [1, 0], "model": [0.5, 0.25], "g": column})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    asked = ("a.parquet", "b.parquet", *ASKED, "--by", "g", "--format", "json")
    message = "b.parquet: column 'g' holds string, but a.parquet has int64; read it as text (--as-text g)"
    assert run(*asked).stderr == f"evalcore: {message}\n"
    found = reported(run(*asked, "--as-text", "g"))["scores"]["model"]
    assert {name: group["cases"] for name, group in found.items()} == {"7": 2, "8": 1, "x": 1, "total": 4}
    alone = reported(run("a.parquet", *asked[2:], "--as-text", "g", "--as-text", "late"))["scores"]["model"]
    assert list(alone) == ["7", "8", "total"]
    message = "--as-text must name columns of labels, predictions, groups or clusters, got 'model'"
    assert run(*asked, "--as-text", "model").stderr == f"evalcore: {message}\n"
    for name in ("01", "1", "2"):
        (tmp_path / f"h/m={name}").mkdir(parents=True)
        pq.write_table(pa.table({"late": [1, 0], "model": [0.5, 0.25]}), tmp_path / f"h/m={name}/x.parquet")
    asked = ("h", *ASKED, "--by", "m", "--format", "json")
    assert list(reported(run(*asked))["scores"]["model"]) == ["01", "1", "2", "total"]
    (tmp_path / "h/m=1/x.parquet").unlink()
    assert list(reported(run(*asked))["scores"]["model"]) == ["1", "2", "total"]
    assert list(reported(run(*asked, "--as-text", "m"))["scores"]["model"]) == ["01", "2", "total"]


def test_standard_input_may_begin_with_a_mark_and_end_without_a_line(monkeypatch):
    text = b"\xef\xbb\xbflate,model\r\n1,0.5\r\n0,0.25"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert reported(run("-", *ASKED, "--format", "json", input=text))["scores"]["model"]["cases"] == 2
