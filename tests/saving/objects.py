"""Examples of what can be saved, everything that one answers, and ways to save it."""

import io
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from evalcore import ConfusionMatrix, Contingency, PrecisionRecallEvaluation
from tests.lingpipe import evaluations


class Kind(NamedTuple):
    """A class, and one of its objects."""

    cls: type
    example: Any


def experiment():
    filled = Contingency(["sports", "politics", "finance"])
    filled.add_results([["sports"], ["politics", "finance"]], [["sports"], ["politics"]])
    return filled


EXAMPLES = (
    lambda: evaluations.ten_cases(2, 1),
    lambda: PrecisionRecallEvaluation(9, 3, 4, 11),
    lambda: ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]),
    experiment,
)
KINDS = {type(example()).__name__: Kind(type(example()), example) for example in EXAMPLES}


def by_parquet(table):
    file = io.BytesIO()
    pq.write_table(table, file)
    return pq.read_table(io.BytesIO(file.getvalue()))


def by_feather(table):
    file = io.BytesIO()
    feather.write_feather(table, file)
    return feather.read_table(io.BytesIO(file.getvalue()))


def by_stream(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


WAYS = {
    "bytes": lambda saved: type(saved).from_bytes(saved.to_bytes()),
    "Arrow": lambda saved: type(saved).from_arrow(saved.to_arrow()),
    "Parquet": lambda saved: type(saved).from_arrow(by_parquet(saved.to_arrow())),
    "Feather": lambda saved: type(saved).from_arrow(by_feather(saved.to_arrow())),
    "stream": lambda saved: type(saved).from_arrow(by_stream(saved.to_arrow())),
}
