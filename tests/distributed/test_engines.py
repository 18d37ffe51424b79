"""Either engine gives the numbers of all cases at once: to the last bit, or within bounds that hold them."""

import pickle
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, metrics
from evalcore.distributed.on_spark import Failure, TaskError, chunks_of, collect, merge_stream
from evalcore.distributed.partitions import merged_summary
from evalcore.distributed.ranges import AVERAGE_PRECISION, MAXIMUM_F1, ROC_AUC, exact_statistics
from tests.differences import every
from tests.distributed.parted import ENGINES, columns_of_spark, equally, measured, partitioned, random_cases
from tests.reference import summaries as slow
from tests.strategies import cases_of

pytestmark = pytest.mark.usefixtures("at_once", "small_chunks")
DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
WHOLE, FRACTIONS = [0, 1, 1, 2, 5], [0.0, 0.1, 0.3, 2.5, 1e3]
LARGEST = np.finfo(np.float64).max
TIED = cases_of([(0.5, True)] * 9 + [(0.5, False)] * 40), [20, 0, 29]
AT_BORDERS = cases_of([(-0.0, True), (0.0, False), (LARGEST, True), (-LARGEST, False)]), [1, 1, 1, 1]


@every("engine", ENGINES)
@DRAWN
@given(partitioned(least=1))
@example(TIED)
@example(AT_BORDERS)
def test_areas_are_those_of_all_cases(engine, drawn):
    cases, sizes = drawn
    columns = ENGINES[engine]([cases.correct, cases.scores], sizes)
    counts, (area, precision) = exact_statistics(columns, None, ROC_AUC, AVERAGE_PRECISION)
    assert counts == (cases.correct.sum(), (~cases.correct).sum())
    np.testing.assert_array_equal([area, precision], measured(cases))
    for capacity in (8, 65_536):
        summary = merged_summary(columns, capacity, None)
        for certified, exact in ((summary.roc_auc(), area), (summary.average_precision(), precision)):
            assert np.isnan(exact) or certified.low <= exact <= certified.high
            assert np.isnan(exact) or capacity == 8 or certified == exact


@st.composite
def weighted(draw):
    """Draw labels, scores and weights, not all of them zero, and sizes of partitions."""
    (scores, correct), sizes = draw(partitioned(finite=True, least=1))
    pool, dtype = draw(st.sampled_from([(WHOLE, None), (WHOLE, np.float32), (FRACTIONS, np.float64)]))
    weights = np.array(draw(st.lists(st.sampled_from(pool), min_size=scores.size, max_size=scores.size)), dtype)
    weights[0] = weights[0] or 3
    return (correct, scores, weights), sizes


def exact_area(correct, scores, weights):
    """The chance that a positive is above a negative, in fractions."""
    cases = list(zip(correct.tolist(), scores.tolist(), map(Fraction, weights.tolist()), strict=True))
    positives, negatives = ([case for case in cases if case[0] is side] for side in (True, False))
    won = sum(
        own * other * (2 * (score > below) + (score == below))
        for _, score, own in positives
        for _, below, other in negatives
    )
    pairs = sum(case[2] for case in positives) * sum(case[2] for case in negatives)
    return won / (2 * pairs) if pairs else None


ONE_SCORE_IN_ALL = (np.array([1, 0, 1, 0, 1], bool), np.full(5, 0.5), np.array([2, 3, 1, 1, 4])), [2, 0, 3]


@every("engine", ENGINES)
@DRAWN
@given(weighted())
@example(ONE_SCORE_IN_ALL)
@example(((np.array([1, 0], bool), np.array([0.5, 0.25]), np.array([1e308, 0.5])), [1, 1]))
@example(((np.array([1, 0], bool), np.array([0.5, 0.25]), np.array([5e-324, 5e-324])), [1, 1]))
def test_weighted_areas_are_those_of_all_cases(engine, drawn):
    """Whole weights stand for as many cases, to the last bit; others are rounded, and their bounds tell."""
    (correct, scores, weights), sizes = drawn
    columns = ENGINES[engine]([correct, scores, weights], sizes)
    _, (area, precision) = exact_statistics(columns, None, ROC_AUC, AVERAGE_PRECISION)
    if not (weights % 1).any() and weights.max() < 10:
        repeated = [np.repeat(column, weights.astype(int)) for column in (scores, correct)]
        np.testing.assert_array_equal([area, precision], measured(type(cases_of([(0.5, True)]))(*repeated)))
    expected = exact_area(correct, scores, weights)
    if expected is None:
        assert np.isnan(area)
        return
    cases = zip(scores, correct, weights.tolist(), strict=True)
    average = slow.answers(cases, {"average_precision": ()})["average_precision"]
    for found, right in ((area, expected), (precision, average)):
        assert found == pytest.approx(float(right), abs=1e-12)
        assert found.exact or found.low <= right <= found.high
        assert found.exact == (not (weights % 1).any())
        assert found.width < 5e-12
    for capacity in (4, 65_536) if weights.max() < 1e300 else ():  # which summaries refuse
        summary = merged_summary(columns, capacity, None)
        bounded = summary.roc_auc(), summary.average_precision()
        assert bounded[0].low <= float(expected) <= bounded[0].high
        assert bounded[1].low - 1e-14 <= average <= bounded[1].high + 1e-14
        assert capacity == 4 or max(each.width for each in bounded) < 1e-12


@every("engine", ENGINES)
@every("levels", [30, None])
def test_the_maximum_f1_and_its_threshold_are_those_of_all_thresholds(engine, levels):
    correct, scores = random_cases(60, levels)[::-1]
    weights = np.random.default_rng(4).gamma(0.7, size=60)
    for given_weights in (None, weights):
        more = [] if given_weights is None else [given_weights]
        columns = ENGINES[engine]([correct, scores, *more], equally(60, 5))
        _, (best,) = exact_statistics(columns, None, MAXIMUM_F1)
        expected = {
            threshold: metrics.f1_score(correct, scores >= threshold, sample_weight=given_weights)
            for threshold in np.unique(scores).tolist()
        }
        assert best.value == pytest.approx(max(expected.values()), abs=1e-12)
        assert expected[best.threshold] == pytest.approx(best.value, abs=1e-12)


@every("engine", ENGINES)
@every("seed", range(4))
def test_a_weighted_area_of_0_is_0_from_any_partitions(engine, seed):
    rng = np.random.default_rng(seed)
    correct = np.arange(30) < 15
    scores = np.where(correct, 0.0, 1.0) + rng.integers(0, 8, 30) / 10
    order, sizes = rng.permutation(30), np.diff([0, *np.sort(rng.integers(0, 31, 3)), 30]).tolist()
    columns = ENGINES[engine]([correct[order], scores[order], rng.gamma(0.5, size=30)], sizes)
    _, (area,) = exact_statistics(columns, None, ROC_AUC)
    assert area == 0


@every("engine", ENGINES)
def test_what_is_missing_for_an_error_is_not_an_error_of_its_own(engine):
    scores, weights = np.arange(40.0), np.repeat([0.0, 1.0], 20)
    scores[30] = np.nan
    columns = ENGINES[engine]([scores > 0, scores, weights], [20, 20])
    for evaluate in (partial(exact_statistics, columns, None, ROC_AUC), partial(merged_summary, columns, 8, None)):
        with pytest.raises(EvaluationError, match=r"^partition 1.*: y_score\[\d+\] is NaN"):
            evaluate()


@every(("rows", "message"), [(3, r"partition 1: y_score\[3\] is"), (45, r"partition 1 from row 42 on: y_score\[3\]")])
def test_an_error_tells_the_rows_of_a_large_partition(rows, message):
    scores = np.ones(200)
    scores[[50 + rows, 170]] = np.nan
    columns = columns_of_spark([scores > 0, scores], [50, 100, 50])
    for evaluate in (partial(exact_statistics, columns, None, ROC_AUC), partial(merged_summary, columns, 8, None)):
        with pytest.raises(EvaluationError, match=f"^{message}"):
            evaluate()


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 20))
def test_chunks_hold_all_rows_in_order(sizes, rows):
    ends = np.cumsum(sizes).tolist()
    batches = [pa.record_batch({"a": np.arange(end - size, end)}) for size, end in zip(sizes, ends, strict=True)]
    chunks = list(chunks_of(batches, rows))
    assert [value for table, _ in chunks for value in table["a"].to_pylist()] == list(range(sum(sizes)))
    assert [first for _, first in chunks] == [table["a"][0].as_py() for table, _ in chunks]
    assert all(table.num_rows >= rows for table, _ in chunks[:-1])
    assert all(table.num_rows < rows + 9 for table, _ in chunks)


@every("count", [0, 1, 8, 9, 100])
def test_results_are_merged_a_few_at_a_time(count):
    merged = []

    def merge(parts):
        merged.append(len(parts))
        return sum(parts)

    assert [found for _, found in merge_stream(merge, iter(range(count)))] == [sum(range(count))] * bool(count)
    assert max(merged, default=0) <= 8


class Collected:
    """A data frame that has results, or cannot be computed."""

    def __init__(self, *results):
        self.results = results

    def collect(self):
        if isinstance(self.results[0], RuntimeError):
            raise self.results[0]
        return [SimpleNamespace(content=pickle.dumps(result)) for result in self.results]


def test_a_foreign_cause_is_told_and_a_worker_without_evalcore_too():
    later = Failure(False, 2, EvaluationError("later"), "")
    missing = Failure(True, 0, EvaluationError("of what is missing"), "")
    damaged = Failure(False, 1, EvaluationError("partition 1: damaged"), "of Arrow")
    with pytest.raises(EvaluationError, match=r"^partition 1: damaged$") as raised:
        collect(Collected(later, missing, damaged))
    assert isinstance(raised.value.__cause__, TaskError)
    assert str(raised.value.__cause__) == "of Arrow"
    with pytest.raises(EvaluationError, match="evalcore must be installed on every worker of Spark") as raised:
        collect(Collected(RuntimeError("ModuleNotFoundError: No module named 'evalcore'")))
    assert isinstance(raised.value.__cause__, RuntimeError)
    with pytest.raises(RuntimeError, match="no space left"):
        collect(Collected(RuntimeError("no space left")))
