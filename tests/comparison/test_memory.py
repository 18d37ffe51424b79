"""How much memory a comparison takes, and that what takes more than the limit is refused before it is read."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.comparison.memory import check_memory, comparison_bytes
from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationError
from evalcore.io.rows import Rows
from evalcore.report.weighting import Weighting
from tests.differences import every

QUESTION = CompareQuestion("late", ("score",), on=("id",))
ROWS = 1_000_000


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("tables")
    columns = {
        "id": np.arange(ROWS),
        "late": np.arange(ROWS) % 2 == 0,
        "score": np.zeros(ROWS),
        "other": np.zeros(ROWS),
    }
    pq.write_table(pa.table(columns), tmp_path / "old.parquet")
    pq.write_table(pa.table(columns).drop("late").slice(ROWS // 2), tmp_path / "new.parquet")
    return [str(tmp_path / f"{name}.parquet") for name in ("old", "new")]


def test_the_columns_that_are_read_and_their_rows_decide(paths):
    needed = 160_000_000 + ROWS * (2.25 * 17 + 20) + ROWS // 2 * (2.25 * 16 + 20)
    check_memory(QUESTION, paths, int(needed))
    refused = "the rows of 2 tables take at least 259 MB, more than the memory limit of 246 MB; allow more memory"
    with pytest.raises(EvaluationError, match=rf"{refused} \(--memory SIZE\)"):
        check_memory(QUESTION, paths, int(needed) - 1)
    alone = QUESTION._replace(old_score="other", on=())
    check_memory(alone, paths[:1], 160_000_000 + int(ROWS * (2.25 * 17 + 20)))
    with pytest.raises(EvaluationError, match="the rows of one table take at least 229 MB"):
        check_memory(alone, paths[:1], 200_000_000)


def test_half_of_the_machine_is_the_limit_and_readers_look_at_what_cannot_be_known(paths, monkeypatch, tmp_path):
    monkeypatch.setattr("evalcore.io.memory.machine_memory", lambda: 2**28)
    with pytest.raises(EvaluationError, match="more than the memory limit of 134 MB"):
        check_memory(QUESTION, paths, None)
    monkeypatch.setattr("evalcore.io.memory.machine_memory", lambda: None)
    check_memory(QUESTION, paths, None)
    arrays = tmp_path / "old.npz"
    np.savez(arrays, id=np.arange(2))
    check_memory(QUESTION, ["-", paths[1]], 1)
    check_memory(QUESTION, [str(arrays), paths[1]], 1)
    check_memory(QUESTION._replace(score=("absent",)), paths, 1)


SCHEMA = pa.schema([("id", pa.int64()), ("late", pa.bool_()), ("score", pa.float64())])


@every(
    ("asked", "bytes_of_a_case"),
    [
        ({"weighting": Weighting("weight")}, 140),
        ({"cluster": "day"}, 60),
        ({"by": ("carrier", "month")}, 80),
        ({"method": "bootstrap"}, 100),
        ({"measures": ("roc_area", "maximum_f1")}, 100),
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
