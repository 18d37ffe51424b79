"""What tasks of Spark compute of odd partitions, one after the other in this process, which is quick."""

import pickle
import warnings
from functools import partial
from types import SimpleNamespace
from unittest import mock

import cloudpickle
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.distributed.on_spark import columns as on_spark
from evalcore.distributed.on_spark import jobs, ranges
from evalcore.distributed.on_spark.columns import FrameSize, SparkColumns
from evalcore.distributed.on_spark.jobs import Failure, TaskError, chunks_of, collect, merge_stream
from evalcore.distributed.partitions.merged_summaries import merged_summary
from evalcore.distributed.partitions.range_statistics import AVERAGE_PRECISION, MAXIMUM_F1, ROC_AREA, exact_statistics
from evalcore.distributed.partitions.sorted_partitions import LabelCounts
from evalcore.metrics import average_precision_score, roc_auc_score
from tests.distributed.parted import measured, partitioned

NAMES = "column 'late'", "column 'model'"


class FrameHere:
    """The part of a data frame that tasks need: partitions of record batches, on which functions run at once."""

    def __init__(self, partitions):
        self.partitions = partitions
        self.sparkSession = None

    def mapInArrow(self, function, _schema):  # noqa: N802 Spark's name
        found = []
        for number, batches in enumerate(self.partitions):
            here = mock.Mock(return_value=number)
            with (
                mock.patch.object(jobs, "partition_number", here),
                mock.patch.object(on_spark, "partition_number", here),
            ):
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


def columns_of(arrays, sizes, batch=7, names=NAMES):
    """Columns in partitions of these sizes, whose batches have so many rows."""
    keys = [f"c{number}" for number in range(len(arrays))]
    table = pa.table(dict(zip(keys, arrays, strict=True)))
    ends = np.cumsum(sizes).tolist()
    parts = [table.slice(end - size, size).to_batches(batch) for size, end in zip(sizes, ends, strict=True)]
    frame = FrameHere(parts)
    columns = SparkColumns(frame, names, lambda table: [table[key].to_numpy() for key in keys])
    columns.size = FrameSize(table.num_rows, len(sizes))
    return columns


@pytest.fixture
def small_chunks():
    """Chunks and ranges of a few cases; a bucket has its own number for a key."""
    with (
        mock.patch.object(on_spark, "CHUNK", 10),
        mock.patch.object(on_spark, "_sampled", lambda frame, _fraction: frame),
        mock.patch.object(on_spark, "keys_of_buckets", lambda _session, buckets: list(range(buckets))),
        mock.patch.object(ranges, "_CASES_OF_A_RANGE", 6),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.usefixtures("small_chunks")
@settings(max_examples=60)
@given(partitioned(least=1))
def test_areas_of_any_partitions_are_those_of_all_cases(drawn):
    cases, sizes = drawn
    columns = columns_of([cases.correct, cases.scores], sizes)
    _, (area, precision) = exact_statistics(columns, None, ROC_AREA, AVERAGE_PRECISION)
    np.testing.assert_array_equal([area, precision], measured(cases))
    summary = merged_summary(columns, 8, None)
    for certified, exact in ((summary.roc_auc(), area), (summary.average_precision(), precision)):
        assert np.isnan(exact) or certified.low <= exact <= certified.high


@pytest.mark.usefixtures("small_chunks")
@settings(max_examples=40)
@given(partitioned(finite=True, least=2), st.integers(0, 10**6), st.booleans())
def test_weighted_areas_of_any_partitions_are_those_of_all_cases(drawn, seed, whole):
    cases, sizes = drawn
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, cases.scores.size) if whole else rng.gamma(0.5, size=cases.scores.size)
    correct = cases.correct.copy()
    correct[:2], weights[:2] = [True, False], 1
    columns = columns_of([correct, cases.scores, weights], sizes, names=(*NAMES, "column 'weight'"))
    _, (area, precision, _) = exact_statistics(columns, None, ROC_AREA, AVERAGE_PRECISION, MAXIMUM_F1)
    for found, function in ((area, roc_auc_score), (precision, average_precision_score)):
        expected = function(correct, cases.scores, sample_weight=weights)
        assert found == pytest.approx(expected, rel=0 if whole else 1e-12, abs=0)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("seed", range(8))
def test_a_weighted_area_of_0_is_0_from_any_partitions(seed):
    rng = np.random.default_rng(seed)
    correct = np.arange(30) < 15
    scores = np.where(correct, 0.0, 1.0) + rng.integers(0, 8, 30) / 10
    order, sizes = rng.permutation(30), np.diff([0, *np.sort(rng.integers(0, 31, 3)), 30]).tolist()
    columns = columns_of(
        [correct[order], scores[order], rng.gamma(0.5, size=30)], sizes, names=(*NAMES, "column 'weight'")
    )
    _, (area,) = exact_statistics(columns, None, ROC_AREA)
    assert area == 0


@given(st.lists(st.floats(0, 1e300), min_size=3, max_size=20), st.integers(0, 10**6))
def test_sums_of_weights_do_not_depend_on_the_order_of_the_pieces(weights, seed):
    pieces = [LabelCounts(weight, weight / 3) for weight in weights]
    shuffled = [pieces[index] for index in np.random.default_rng(seed).permutation(len(pieces))]
    assert ranges._added(pieces) == ranges._added(shuffled)


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 20))
def test_chunks_hold_all_rows_in_order(sizes, rows):
    ends = np.cumsum(sizes).tolist()
    batches = [pa.record_batch({"a": np.arange(end - size, end)}) for size, end in zip(sizes, ends, strict=True)]
    chunks = list(chunks_of(batches, rows))
    assert [value for chunk in chunks for value in chunk.table["a"].to_pylist()] == list(range(sum(sizes)))
    assert [chunk.first for chunk in chunks] == [chunk.table["a"][0].as_py() for chunk in chunks]
    assert all(chunk.table.num_rows >= rows for chunk in chunks[:-1])
    assert all(chunk.table.num_rows < rows + 9 for chunk in chunks)


@pytest.mark.parametrize("count", [0, 1, 8, 9, 100])
def test_results_are_merged_a_few_at_a_time(count):
    merged = []

    def merge(parts):
        merged.append(len(parts))
        return sum(parts)

    assert list(merge_stream(iter(range(count)), merge)) == [sum(range(count))] * bool(count)
    assert max(merged, default=0) <= 8


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("rows", "message"), [(3, "partition 1: column 'model' at index 3"), (45, "partition 1 from row 42 on: ")]
)
def test_the_first_error_tells_the_partition_and_the_rows(rows, message):
    scores = np.ones(200)
    scores[[50 + rows, 170]] = np.nan
    columns = columns_of([scores > 0, scores], [50, 100, 50])
    with pytest.raises(EvaluationError, match=f"^{message}"):
        merged_summary(columns, 8, None)
    with pytest.raises(EvaluationError, match=f"^{message}"):
        exact_statistics(columns, None, ROC_AREA)


@pytest.mark.usefixtures("small_chunks")
def test_what_is_missing_for_an_error_is_not_an_error_of_its_own():
    scores, weights = np.arange(40.0), np.repeat([0.0, 1.0], 20)
    scores[30] = np.nan
    columns = columns_of([scores > 0, scores, weights], [20, 20], names=(*NAMES, "column 'weight'"))
    for evaluate in (partial(exact_statistics, columns, None, ROC_AREA), partial(merged_summary, columns, 8, None)):
        with pytest.raises(EvaluationError, match=r"^partition 1.*: column 'model' at index \d+ .* is NaN"):
            evaluate()


class Collected:
    """A data frame that has results, or cannot be computed."""

    def __init__(self, *results):
        self.results = results

    def collect(self):
        if isinstance(self.results[0], RuntimeError):
            raise self.results[0]
        return [SimpleNamespace(content=pickle.dumps(result)) for result in self.results]


def test_a_foreign_cause_is_told_and_a_worker_without_evalcore_too():
    with pytest.raises(EvaluationError, match=r"^partition 1: damaged$") as raised:
        collect(
            Collected(
                Failure(False, 2, EvaluationError("later"), ""),
                Failure(True, 0, EvaluationError("of what is missing"), ""),
                Failure(False, 1, EvaluationError("partition 1: damaged"), "of Arrow"),
            )
        )
    assert isinstance(raised.value.__cause__, TaskError)
    assert str(raised.value.__cause__) == "of Arrow"
    with pytest.raises(EvaluationError, match="evalcore must be installed on every worker of Spark") as raised:
        collect(Collected(RuntimeError("ModuleNotFoundError: No module named 'evalcore'")))
    assert isinstance(raised.value.__cause__, RuntimeError)
    with pytest.raises(RuntimeError, match="no space left"):
        collect(Collected(RuntimeError("no space left")))
