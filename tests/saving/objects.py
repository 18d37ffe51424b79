"""Examples of what can be saved, everything that one answers, and ways to save it."""

import io
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from evalcore import ConfusionMatrix, Contingency, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from tests.contingency import experiments
from tests.lingpipe import evaluations


def matrix_answers(matrix):
    names = matrix.categories()
    return repr([(type(name), name) for name in names]), matrix.matrix().tolist(), str(matrix)


def contingency_answers(experiment):
    names = [(type(name), name) for name in experiment._codes]
    return repr(names), repr(experiments.answers(experiment)), experiment._verbose


class Kind(NamedTuple):
    """A class, what its objects answer, and one of them."""

    cls: type
    answers: Any
    example: Any


def experiment():
    filled = Contingency(["sports", "politics", "finance"])
    filled.add_results([["sports"], ["politics", "finance"]], [["sports"], ["politics"]])
    return filled


KINDS = {
    kind.cls.__name__: kind
    for kind in (
        Kind(ScoredPrecisionRecallEvaluation, evaluations.answers, lambda: evaluations.ten_cases(2, 1)),
        Kind(PrecisionRecallEvaluation, lambda table: (repr(table), str(table)), lambda: PrecisionRecallEvaluation(9,
         3, 4, 11)),
        Kind(ConfusionMatrix, matrix_answers, lambda: ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])),
        Kind(Contingency, contingency_answers, experiment),
    )
}  # fmt: skip


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
