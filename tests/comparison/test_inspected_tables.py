"""What tables of comparisons hold before they are read, and how much memory they take."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.comparison.pairing.inspected_tables import comparison_bytes, inspected_tables
from evalcore.comparison.question import CompareQuestion
from evalcore.io.rows import Rows
from evalcore.report.weighting import Weighting

QUESTION = CompareQuestion("late", ("score",), on=("id",))
ROWS = 1_000_000


@pytest.fixture
def paths(tmp_path):
    columns = {"id": np.arange(9), "late": np.arange(9) % 2 == 0, "score": np.zeros(9), "other": np.zeros(9)}
    pq.write_table(pa.table(columns), tmp_path / "old.parquet")
    pq.write_table(pa.table(columns).drop("late").slice(2), tmp_path / "new.parquet")
    return [str(tmp_path / f"{name}.parquet") for name in ("old", "new")]


def test_the_columns_that_are_read_and_their_rows(paths):
    found = inspected_tables(QUESTION, paths)
    assert [(table.schema.names, table.rows) for table in found] == [(["id", "late", "score"], 9), (["id", "score"], 7)]
    [alone] = inspected_tables(QUESTION._replace(old_score="other", on=()), paths[:1])
    assert (alone.schema.names, alone.rows) == (["late", "other", "score"], 9)


def test_what_cannot_be_looked_at_first_is_left_to_the_reader(paths):
    assert inspected_tables(QUESTION, ["-", paths[1]]) is None
    assert inspected_tables(QUESTION._replace(score=("absent",)), paths) is None


SCHEMA = pa.schema([("id", pa.int64()), ("late", pa.bool_()), ("score", pa.float64())])


@pytest.mark.parametrize(
    ("asked", "bytes_of_a_case"),
    [
        ({"weighting": Weighting("weight")}, 140),
        ({"cluster": "day"}, 60),
        ({"by": ("carrier", "month")}, 80),
    ],
)
def test_what_a_question_adds(asked, bytes_of_a_case):
    tables = [(SCHEMA, ROWS)] * 2
    more = comparison_bytes(QUESTION._replace(**asked), tables) - comparison_bytes(QUESTION, tables)
    assert more == bytes_of_a_case * ROWS


def test_what_tables_and_conditions_add():
    texts = pa.schema([("id", pa.string()), ("late", pa.bool_()), ("score", pa.float64())])
    numbers = comparison_bytes(QUESTION, [(SCHEMA, ROWS)])
    assert comparison_bytes(QUESTION, [(texts, ROWS)]) - numbers == ROWS * (120 + 2.25 * 4)
    assert comparison_bytes(QUESTION._replace(rows=Rows(where="score > 0")), [(SCHEMA, ROWS)]) - numbers == 110_000_000
    assert comparison_bytes(QUESTION, [(SCHEMA, ROWS)] * 3) - numbers == 2 * ROWS * (2.25 * 17 + 20)
