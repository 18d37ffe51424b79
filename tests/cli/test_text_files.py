"""The command on CSV: text stays as it is written, whatever signs stand between cells, and errors name the line."""

import ast
import gzip
import io
import json
import math
import sys
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.cli import main
from evalcore.io import text_files
from evalcore.io.formats import FORMATS
from evalcore.io.text_cells import CellError, numbers_of_text
from tests.cli.command import command, refused, reported
from tests.differences import every, recorded

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
    "late,model\n1,1\nNA,2\n0,3\n": "column 'late' holds 'NA' among numbers; if it marks a missing label, leave out "
    "the rows with nulls (--nulls drop)",
    "late,model\ntrue,1\nNaN,2\nfalse,3\n": "holds 'NaN' among numbers",
}


@pytest.mark.parametrize("read", OF_ROWS, indirect=True)
def test_labels_that_are_not_usual_and_missing_ones_are_refused(read):
    for text, message in LABELS.items():
        assert message in read(text, *ASKED).stderr
    found = read("late,model\n1,1\nNA,2\n0,3\n", *ASKED, "--positive", "1")
    assert (
        "column 'late' holds 'NA' among numbers; if it marks a missing label, leave out the rows with nulls"
        in found.stderr
    )
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


ROWS = [("late", "model"), ("1", "0.5"), ("0", "0.25"), ("1", "0.75")]
SEMICOLONS = "\n".join(map(";".join, ROWS)) + "\n"


def cases(outcome):
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)["scores"]["model"]["cases"]


@every("given", [";", "|", "tab", "\\t", "\t", " ", "/"])
def test_cells_may_stand_between_any_sign(tmp_path, given):
    sign = {"tab": "\t", "\\t": "\t"}.get(given, given)
    (tmp_path / "x.csv").write_text("\n".join(map(sign.join, ROWS)) + "\n")
    (tmp_path / "empty.csv").write_text(sign.join(ROWS[0]) + "\n")
    for files in (["x.csv"], ["x.csv", "empty.csv"]):
        assert cases(run(*files, *ASKED, "--delimiter", given, "--format", "json")) == 3


@every("name", ["x.txt", "x", "x.data", "x.txt.gz", "x.csv.parquet"])
def test_the_format_of_any_name_can_be_given(tmp_path, name):
    data = SEMICOLONS.replace(";", "\t").encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert cases(run(name, *ASKED, "--input-format", "tsv", "--format", "json")) == 3
    assert cases(run(name, *ASKED, "--input-format", "CSV", "--delimiter", "tab", "--format", "json")) == 3


def test_a_format_or_a_delimiter_tells_what_any_file_is(tmp_path):
    (tmp_path / "x.txt").write_text(SEMICOLONS)
    assert cases(run("x.txt", *ASKED, "--delimiter", ";", "--format", "json")) == 3
    assert cases(run("-", *ASKED, "--delimiter", ";", "--format", "json", input=SEMICOLONS)) == 3
    assert run("-", *ASKED, "--delimiter", ";", input=SEMICOLONS).stdout.splitlines()[2] == "standard input: late"
    for name in ("a.parquet", "b", "c.txt"):
        pq.write_table(pa.table({"late": [1, 0, 1], "model": [0.5, 0.25, 0.75]}), tmp_path / name)
    asked = ("b", "c.txt", "a.parquet", *ASKED, "--input-format", "parquet", "--format", "json")
    assert cases(run(*asked)) == 9
    (tmp_path / "x.txt").write_text("given;right\na,b;a\n")
    asked = ["--assigned", "given", "--correct", "right", "--input-format", "csv", "--delimiter", ";"]
    outcome = command("contingency", tmp_path / "x.txt", *asked)
    assert outcome.exit_code == 0, outcome.stderr
    chosen = next(each for each in main.commands["report"].params if each.name == "input_format")
    assert set(chosen.type.choices) == {*FORMATS.values(), "json"}
    (tmp_path / "x.csv").write_text("0,1\n1,0.5\n0,0.25\n")
    assert run("x.csv", "--label", "0", "--score", "1").exit_code == 0


@every("files", [["x.csv"], ["x.csv", "y.csv"]])
@every("rows", [[], ["--nulls", "drop"]])
def test_decimal_commas_give_the_report_of_points(tmp_path, files, rows):
    text = "late;model;other;w\n1; 0,85;-1;2,5\n0;,5;3e-1;1\n1;+1,5e-1;0,2;1,5\n0;inf;7;0\n"
    for name in ("x.csv", "y.csv"):
        (tmp_path / name).write_text(text)
    asked = [*files, *ASKED, "--score", "other", "--weight", "w", "--delimiter", ";", *rows, "--format", "json"]
    commas = json.loads(run(*asked, "--decimal", ",").stdout)
    for name in ("x.csv", "y.csv"):
        (tmp_path / name).write_text(text.replace(",", "."))
    assert commas == json.loads(run(*asked, "--decimal", ".").stdout) == json.loads(run(*asked).stdout)


LINES = '{"late": true, "model": "0.5", "g": 10}\n{"late": false, "model": "0.25", "g": 9}\n'


@every("more", [(), ("--by", "g"), ("--ci", "0.9"), ("--memory", "300M")])
def test_json_lines_are_read_like_other_files(tmp_path, more):
    (tmp_path / "x.jsonl").write_text(LINES)
    (tmp_path / "y.jsonl").write_text("")
    expected = {"--by": ["9", "10", "total"]}.get(more[0] if more else "")
    for files in (["x.jsonl"], ["*.jsonl"]):
        found = run(*files, *ASKED, *more, "--format", "json")
        assert found.exit_code == 0, found.stderr
        items = json.loads(found.stdout)["scores"]["model"]
        assert items["cases"] == 2 if expected is None else list(items) == expected


def test_json_lines_on_standard_input_need_no_format_and_have_two_names():
    for before in ("", "\n", "\ufeff", "\ufeff\n"):
        assert cases(run("-", *ASKED, "--format", "json", input=before + LINES)) == 2
    assert cases(run("-", *ASKED, "--input-format", "jsonl", "--format", "json", input="\n" + LINES)) == 2
    lines = '{"late": 1, "model": 0.5}\n{"late": 0, "model": 0.25}\n'
    assert cases(run("-", *ASKED, "--input-format", "JSON", "--format", "json", input=lines)) == 2


@every(("asked", "message"), recorded("cli/outputs/refused_texts.txt"))
def test_what_is_no_table_or_seems_to_be_another_is_refused(tmp_path, asked, message):
    name, text, options = ast.literal_eval(asked)
    content = text if isinstance(text, bytes) else text.encode()
    ways = [[name], [name, "--memory", "366M"]]
    if name != "-":
        for copy in (name, f"y{name}"):
            (tmp_path / copy).write_bytes(content)
        ways += [[name, f"y{name}"]] if name == "x.csv" else []
    ways += [[name, "--score", "other"]] if ";other" in str(text) else []
    for way in ways:
        said = refused(run(*way, *ASKED, *options, input=content))
        assert said.removeprefix(f"{name}: ").startswith(message.removeprefix(f"{name}: ")), way
        assert said.startswith((f"{name}: ", "--delimiter"))
