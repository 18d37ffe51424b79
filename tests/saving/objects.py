"""Objects that can be saved, as tests draw them and as examples; everything that one answers; ways to save it."""

import io
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from pyarrow import feather

from evalcore import ConfusionMatrix, Contingency, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from tests.contingency import experiments
from tests.lingpipe import evaluations
from tests.strategies import case_arrays

MISSES = st.sampled_from([0, 1, 7, 2**53 + 1, 2**62])
COUNTS = st.sampled_from([0, 1, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**128]) | st.integers(0, 2**70)
CELLS = st.sampled_from([0, 1, 7, 2**53 + 1, 2**58])
TEXTS = st.text(max_size=5) | st.sampled_from(["", "naïve", "\ud800", "1", "True", "1.0", "\x00"])
ATOMS = TEXTS | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.binary(max_size=4)
NAMES = st.recursive(ATOMS, lambda parts: st.lists(parts, max_size=3).map(tuple), max_leaves=4)
DOCUMENTS = st.lists(st.tuples(*[st.frozensets(st.integers(0, 3), max_size=3)] * 2), max_size=5)


@st.composite
def scored(draw):
    misses = draw(MISSES), draw(MISSES)
    return evaluations.scored(*draw(case_arrays(max_size=12))[::-1], *misses)


@st.composite
def decisions(draw):
    return PrecisionRecallEvaluation(*draw(st.tuples(*[COUNTS] * 4)))


@st.composite
def matrices(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    cells = draw(st.lists(CELLS, min_size=len(names) ** 2, max_size=len(names) ** 2))
    return ConfusionMatrix(names, np.array(cells, np.int64).reshape(len(names), len(names)))


@st.composite
def contingencies(draw):
    names = draw(st.lists(NAMES | st.none(), max_size=4, unique=True))
    experiment = Contingency(names, verbose=draw(st.booleans()))
    documents = draw(DOCUMENTS)
    assigned, correct = np.zeros((2, len(documents), len(names)), np.bool_)
    for row, (first, second) in enumerate(documents):
        assigned[row, [code for code in first if code < len(names)]] = True
        correct[row, [code for code in second if code < len(names)]] = True
    experiment.add_results(assigned, correct)
    if draw(st.booleans()):
        experiment.set_entries(*draw(st.tuples(*[st.integers(0, 2**128) | st.floats(0, 2.0**128)] * 4)))
    return experiment


def matrix_answers(matrix):
    names = matrix.categories()
    return repr([(type(name), name) for name in names]), matrix.matrix().tolist(), str(matrix)


def contingency_answers(experiment):
    names = [(type(name), name) for name in experiment._codes]
    return repr(names), repr(experiments.answers(experiment)), experiment._verbose


class Kind(NamedTuple):
    """A class, what draws its objects, what they answer, and one of them."""

    cls: type
    drawn: Any
    answers: Any
    example: Any


def experiment():
    filled = Contingency(["sports", "politics", "finance"])
    filled.add_results([["sports"], ["politics", "finance"]], [["sports"], ["politics"]])
    return filled


KINDS = {
    kind.cls.__name__: kind
    for kind in (
        Kind(ScoredPrecisionRecallEvaluation, scored(), evaluations.answers, lambda: evaluations.ten_cases(2, 1)),
        Kind(
            PrecisionRecallEvaluation,
            decisions(),
            lambda table: (repr(table), str(table)),
            lambda: PrecisionRecallEvaluation(9, 3, 4, 11),
        ),
        Kind(ConfusionMatrix, matrices(), matrix_answers, lambda: ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])),
        Kind(Contingency, contingencies(), contingency_answers, experiment),
    )
}


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
