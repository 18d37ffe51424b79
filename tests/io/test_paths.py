"""Dotted paths name columns inside nested ones, the same in every format that nests."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import evalcore
from evalcore.errors import EvaluationError
from evalcore.evaluation.progress import Bar
from evalcore.io.columns import Selection
from evalcore.io.formats import Reading
from evalcore.io.paths import path_of, steps_of
from evalcore.io.readers import read_columns
from evalcore.io.rows import RowFilter, Rows
from tests.differences import every, refused
from tests.io.written import quiet

ROWS = [
    {
        "id": row,
        "note": "x" * row,
        "scores": {"exact": row / 4, "a.b": row % 2, "in": {"z": -row}},
        "r": [row, 7.5][: 1 + row % 2],
    }
    | ({"s.t": row} if row else {"s.t": 9})
    | {"s": {"t": 99}}
    for row in range(5)
]
PATHS = {
    "scores.exact": [0.0, 0.25, 0.5, 0.75, 1.0], 'scores."a.b"': [0.0, 1.0, 0.0, 1.0, 0.0],
    "scores.in.z": [0.0, -1.0, -2.0, -3.0, -4.0], "r.0": [0.0, 1.0, 2.0, 3.0, 4.0], "s.t": [9.0, 1.0, 2.0, 3.0, 4.0],
}  # fmt: skip
"""A literal name with a dot, such as s.t, wins over a path."""
TEXT = "".join(json.dumps(row) + "\n" for row in ROWS)
WRITTEN = {
    "x.jsonl": lambda path: path.write_text(TEXT),
    "x.json": lambda path: path.write_text(TEXT),
    "array.json": lambda path: path.write_text(json.dumps(ROWS, indent=1)),
    "in_one_line.json": lambda path: path.write_text(json.dumps(ROWS)),
    "x.parquet": lambda path: pq.write_table(pa.Table.from_pylist(ROWS), path),
    "x.arrow": lambda path: feather.write_feather(pa.Table.from_pylist(ROWS), path),
}


def read(path, *names, where=None, rows=None, **more):
    kept = None if where is None else RowFilter(Rows(where=where), str)
    found = read_columns(str(path), Selection(names, rows=kept, reading=Reading(rows=rows), **more), Bar(quiet))
    return {name: values.tolist() for name, values in found.items()}


@every("name", WRITTEN)
def test_a_path_is_a_column_of_any_role(tmp_path, name):
    path = tmp_path / name
    WRITTEN[name](path)
    assert read(path, *PATHS, numbers=tuple(PATHS)) == PATHS
    assert list(map(float, read(path, "id", where='scores.exact > 0.5 and scores."a.b" = 1')["id"])) == [3]
    assert list(map(float, read(path, "id", where='"r.0" in (1, 4)')["id"])) == [1, 4]
    assert read(path, prefixes=("scores.",)).keys() == {"scores.exact", 'scores."a.b"', "scores.in.z"}
    assert read(path, "id", optional=("scores.exact", "scores.f1")).keys() == {"id", "scores.exact"}
    with pytest.raises(evalcore.EvaluationError, match=r"no column 'scores.exat'; did you mean 'scores.exact'"):
        read(path, "scores.exat")
    with pytest.raises(
        evalcore.EvaluationError, match=r"column 'scores' must hold one .*; name a path .* scores.exact"
    ):
        read(path, "scores", numbers=("scores",))
    for missing in ("r.1", "scores.in"):
        with pytest.raises(evalcore.EvaluationError):
            read(path, missing, numbers=(missing,))


@every("frame", [pd.DataFrame, pa.Table.from_pylist, pl.DataFrame])
def test_paths_of_frames(frame):
    rows = [{"late": {"yes": row % 2}, "model": [{"p": row / 10}]} for row in range(6)]
    whole = evalcore.evaluate(frame(rows), label="late.yes", score="model.0.p")
    flat = {"late.yes": [row % 2 for row in range(6)], "model.0.p": [row / 10 for row in range(6)]}
    assert str(whole) == str(evalcore.evaluate(flat, label="late.yes", score="model.0.p"))


DOCUMENT = {"version": 3, "data": {"rows": ROWS, "table": {"head": [{"id": 1}]}}}


@every("name", WRITTEN)
@every("index", ["9" * 5000, "\u0663", "-1"])
def test_an_index_beyond_all_lists_is_no_column(tmp_path, name, index):
    path = tmp_path / name
    WRITTEN[name](path)
    with pytest.raises(EvaluationError, match=f"no column 'r.{index}'"):
        read(path, f"r.{index}")


@every("indent", [None, 1])
def test_rows_of_a_document(tmp_path, indent):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(DOCUMENT, indent=indent))
    assert (
        read(path, "scores.exact", numbers=("scores.exact",), rows="data.rows")["scores.exact"] == PATHS["scores.exact"]
    )
    rule = "must be an array of objects, one for each row"
    named = "name the array of rows: --rows data.rows, --rows data.table.head"
    with refused(f"{path}: a document {rule}, got one object; {named}"):
        read(path, "id")
    with refused(f"{path}: --rows {rule}, got 'data'; {named}"):
        read(path, "id", rows="data")
    with refused(f"{path.with_suffix('.csv')}: --rows is for JSON documents, and the format is csv"):
        read(path.with_suffix(".csv"), "id", rows="data")


DAMAGED = {
    '{\n "a": 1\n}\n{\n "a": 2\n}': (
        "line 4, character 1: is not JSON: Extra data; write each object on a line of its own (jq -c . FILE)"
    ),
    '[{"a": 1},\n {"a": }]': "line 2, character 8: is not JSON: Expecting value",
    "[1, 2]": (
        "a document must be an array of objects, one for each row, got other values, which has no array of objects"
    ),
}


@every(("text", "why"), DAMAGED.items())
def test_a_bad_document_says_what_is_wrong(tmp_path, text, why):
    path = tmp_path / "x.json"
    path.write_text(text)
    with refused(f"{path}: {why}"):
        read(path, "a")


@given(st.lists(st.text(min_size=1), min_size=1))
def test_any_names_have_a_path(steps):
    assert list(steps_of(path_of(steps))) == steps or len(steps) == 1


def test_a_column_that_is_not_there_may_be_the_end_of_a_path(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(TEXT)
    with refused(f"{path}: no column 'exakt'; did you mean 'scores.exact'?"):
        read(path, "exakt")
