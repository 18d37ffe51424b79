"""Tables of comparisons that exceed the memory limit are refused before they are read."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.comparison import memory_check
from evalcore.comparison.memory_check import check_fits_memory, comparison_bytes
from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationError
from evalcore.io.rows import Rows
from evalcore.report.weighting import Weighting

QUESTION = CompareQuestion("late", ("score",), on=("id",))
ROWS = 1_000_000


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    columns = {"id": np.arange(ROWS), "late": np.arange(ROWS) % 2 == 0, "score": np.zeros(ROWS)}
    for name in ("old", "new"):
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return [str(folder / f"{name}.parquet") for name in ("old", "new")]


def test_tables_that_do_not_fit_are_refused_by_name(paths):
    refused = (
        "comparisons need all rows in memory: 2,000,000 rows take about 276 MB, and the limit is 270 MB; allow more "
        r"\(--memory SIZE\)$"
    )
    with pytest.raises(EvaluationError, match=refused):
        check_fits_memory(QUESTION, paths, 270_000_000)


def test_tables_that_fit_pass(paths):
    check_fits_memory(QUESTION, paths, 280_000_000)
    check_fits_memory(QUESTION._replace(score=("score",), old_score="id", on=()), paths[:1], 260_000_000)


@pytest.mark.parametrize(("limit", "fits"), [(270_000_000, False), (280_000_000, True), (None, True)])
def test_the_default_is_that_of_the_machine(paths, monkeypatch, limit, fits):
    monkeypatch.setattr(memory_check, "default_memory", lambda: limit)
    if fits:
        check_fits_memory(QUESTION, paths)
    else:
        with pytest.raises(EvaluationError, match="the limit is 270 MB"):
            check_fits_memory(QUESTION, paths)


def test_what_cannot_be_looked_at_first_is_left_to_the_reader(paths, tmp_path):
    arrays = tmp_path / "old.npz"
    np.savez(arrays, id=np.arange(2))
    for old in ("-", str(arrays)):
        check_fits_memory(QUESTION, [old, paths[1]], 1)
    check_fits_memory(QUESTION._replace(score=("absent",)), paths, 1)


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
