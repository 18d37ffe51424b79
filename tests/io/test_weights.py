"""Columns of weights come exactly from every format, and an invalid weight is named with its row."""

import decimal

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import EvaluationError
from evalcore.evaluation.options import spelled_for_a_shell
from evalcore.evaluation.weighting import Weighting, row_weights
from evalcore.io.columns import Selection
from evalcore.io.frames import from_frame
from evalcore.io.rows import RowFilter, Rows
from tests.differences import every, recorded, refused
from tests.io.written import read

SELECTION = Selection(("late", "model", "w"), numbers=("model", "w"))
LATE, MODEL = [1, 0, 1], [0.9, 0.1, 0.4]
WHOLE, DECIMAL = [3, 0, 2**40], [0.5, 0.0, 2.25]


def table(weights):
    return pa.table({"late": LATE, "model": MODEL, "w": weights})


FRAMES = {
    "mapping": pa.Table.to_pydict, "Arrow": pa.table, "pandas": pa.Table.to_pandas, "polars": pl.from_arrow,
    "lazy": lambda columns: pl.from_arrow(columns).lazy(), "relation": duckdb.from_arrow,
}  # fmt: skip


@every("weights", [WHOLE, DECIMAL])
@every("kind", FRAMES)
def test_every_frame_gives_the_same_weights(kind, weights):
    columns = table(weights)  # which a relation of DuckDB does not keep
    found = row_weights(from_frame(FRAMES[kind](columns), SELECTION), Weighting("w"), None)
    assert found.tolist() == weights
    assert found.dtype == (np.int64 if weights is WHOLE else np.float64)


@every("weights", [pa.array(map(decimal.Decimal, ("0.50", "0.00", "2.25"))), pa.array(DECIMAL, pa.float32())])
def test_decimals_and_float32_become_float64(tmp_path, weights):
    pq.write_table(table(weights), tmp_path / "x.parquet")
    found = row_weights(read(tmp_path / "x.parquet", "w"), Weighting("w"), None)
    assert (found.tolist(), found.dtype) == (DECIMAL, np.float64)


@every(
    ("given", "dtype"),
    [*((np.array([7, 0], kind), np.int64) for kind in (np.int8, np.uint8, np.uint64, np.int32)),
     (np.array([2**53, 2]), np.float64)],
)  # fmt: skip
def test_integers_of_every_width_become_int64_and_those_beyond_float64_floats(given, dtype):
    found = row_weights({"w": given}, Weighting("w"), None)
    assert (found.tolist(), found.dtype) == (given.tolist(), dtype)
    assert row_weights({}, Weighting(target_prevalence=0.5), None) is None


@every(("given", "why"), recorded("io/outputs/refused_weights.txt"))
def test_an_invalid_weight_is_named_with_its_row(given, why):
    weights, kind = eval(given)
    with refused(why):
        row_weights({"w": np.array(weights)}, Weighting("w", kind), None)


def test_a_condition_may_ask_for_weights_and_errors_spell_their_type(tmp_path):
    with spelled_for_a_shell(), pytest.raises(EvaluationError, match=r"\(for other weights: --weight-type sampling\)"):
        row_weights({"w": np.array([0.5])}, Weighting("w", "frequency"), None)
    (tmp_path / "x.csv").write_text("late,model,w\n1,0.9,-1\n0,0.1,0.25\n1,0.4,4\n")
    rows = RowFilter(Rows(where="w > 0", sample=1), str)
    columns = read(tmp_path / "x.csv", "late", "model", "w", rows=rows)
    assert columns["w"][0] == {0.1: 0.25, 0.4: 4}[columns["model"][0]]
    assert rows.notes(intervals=True, weighted=True)[1] == (
        "the numbers are those of a random sample of 1 of 2 rows (seed 0); rows are drawn whatever their weights, and "
        "keep them; intervals are those of the sample"
    )
    assert rows.notes(weighted=True)[1].endswith("; rows are drawn whatever their weights, and keep them")


MISSING = {
    "x.csv": lambda path: path.write_text("late,model,w\n1,0.9,0.5\n0,0.1,\n1,0.4,NA\n"),
    "x.jsonl": lambda path: path.write_text('{"late":1,"model":1,"w":0.5}\n{"late":0,"w":null}\n{"late":1,"w":"NA"}\n'),
    "x.parquet": lambda path: pq.write_table(table([0.5, None, np.nan]), path),
    "x.npz": lambda path: np.savez(path, late=LATE, model=MODEL, w=[0.5, np.nan, np.nan]),
}


@every("name", MISSING)
def test_rows_without_a_weight_are_left_out_and_counted(tmp_path, name):
    MISSING[name](tmp_path / name)
    rows = RowFilter(Rows(nulls="drop"), str)
    assert read(tmp_path / name, "late", "w", rows=rows)["w"].tolist() == [0.5]
    assert rows.notes() == ("2 of 3 rows are left out because of nulls: 2 in column 'w'",)
