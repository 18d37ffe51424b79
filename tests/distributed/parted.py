"""Cases in partitions of any sizes: as dask arrays, and as columns of either engine."""

import pickle
from types import SimpleNamespace
from unittest import mock

import cloudpickle
import dask.array as da
import numpy as np
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from evalcore.distributed import on_spark
from evalcore.distributed.on_spark import FrameSize, SparkColumns
from evalcore.distributed.partitions import partitioned_columns
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.runs import lazy_runs
from evalcore.kernels.sorting import order
from evalcore.measures import curves
from tests.strategies import Cases, case_arrays


def in_chunks(sizes, *columns):
    """Return columns as dask arrays in chunks of these sizes, which add up to the cases."""
    return [da.from_array(np.asarray(column), chunks=(tuple(sizes),)) for column in columns]


def parted(labels, scores, sizes):
    """Return labels and scores as dask arrays."""
    return in_chunks(sizes, labels, scores)


def equally(size, parts):
    """Sizes of so many partitions, as equal as they can be."""
    return np.diff(np.linspace(0, size, parts + 1).astype(int)).tolist()


def random_cases(size, levels=None, seed=0):
    """Cases whose scores tell something of their labels; where levels are given, rounded to parts of so many."""
    rng = np.random.default_rng(seed)
    correct = rng.random(size) < 0.3
    scores = rng.normal(correct)
    return Cases(scores if levels is None else np.round(scores * levels) / levels, correct)


CASES = case_arrays()
EDGES = st.lists(st.integers(0, 40), max_size=3)
"""Of few partitions, since there are as many tasks as the square of their number."""


@st.composite
def partitioned(draw, finite=False, least=0):
    """Draw cases, scores and labels, and the sizes of their partitions, some of them perhaps empty."""
    scores, correct = draw(CASES)
    if finite:
        scores[~np.isfinite(scores)] = 0.0
    assume(scores.size >= least)
    edges = np.minimum(sorted(draw(EDGES)), scores.size).astype(int)
    return Cases(scores, correct), np.diff([0, *edges, scores.size]).tolist()


def measured(cases):
    """The ROC AUC and the average precision of all cases at once; infinite scores too."""
    ordering = order(cases.scores, cases.correct)
    pairs = pair_counts(ordering.keys)
    positives = pairs.correct
    area = curves.roc_auc(pairs, positives, cases.correct.size - positives)
    return area, curves.average_precisions(lazy_runs(ordering.keys)).item()


class FrameHere:
    """The part of a data frame that tasks need: partitions of record batches, on which functions run at once."""

    def __init__(self, partitions):
        self.partitions = partitions
        self.sparkSession = None

    def mapInArrow(self, function, _schema):  # noqa: N802 Spark's name
        found = []
        for number, batches in enumerate(self.partitions):
            with mock.patch.object(on_spark, "partition_number", mock.Mock(return_value=number)):
                sent = pickle.loads(cloudpickle.dumps(function))
                found.append(list(sent(iter(batches))))
        return FrameHere(found)

    def repartition(self, count, _column):
        parted = [[] for _ in range(count)]
        for batches in self.partitions:
            for batch in batches:
                parted[batch["key"][0].as_py() % count].append(batch)
        return FrameHere(parted)

    def where(self, _condition):
        return self

    def collect(self):
        rows = (batch for batches in self.partitions for batch in batches)
        return [SimpleNamespace(content=batch["content"][0].as_py()) for batch in rows]


NAMES = "y_true", "y_score", "sample_weight"


def columns_of_spark(arrays, sizes, batch=7):
    """Columns in partitions of these sizes, whose batches have so many rows."""
    keys = [f"c{number}" for number in range(len(arrays))]
    table = pa.table(dict(zip(keys, arrays, strict=True)))
    ends = np.cumsum(sizes).tolist()
    parts = [table.slice(end - size, size).to_batches(batch) for size, end in zip(sizes, ends, strict=True)]
    frame = FrameHere(parts)
    columns = SparkColumns(frame, NAMES[: len(arrays)], lambda table: [table[key].to_numpy() for key in keys])
    columns.size = FrameSize(table.num_rows, len(sizes))
    return columns


def columns_of_dask(arrays, sizes):
    labels, scores, *weights = in_chunks(sizes, *arrays)
    return partitioned_columns(labels, scores, None, *weights)


ENGINES = {"dask": columns_of_dask, "spark": columns_of_spark}
