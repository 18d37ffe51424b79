"""What ScoredPrecisionRecallEvaluation costs, in units of ``np.sort`` of the same scores."""

import tracemalloc

import numpy as np
import pytest

from evalcore import ScoredPrecisionRecallEvaluation

CASES = 10_000_000
SINGLE_CASES = 1_000_000
POSITIVE_SHARE = 0.1


def uniform(rng, size):
    return rng.random(size)


def normal(rng, size):
    return rng.standard_normal(size)


def uniform_float32(rng, size):
    return rng.random(size, dtype=np.float32)


def normal_float32(rng, size):
    return rng.standard_normal(size, dtype=np.float32)


def drawn(scores_of, size):
    rng = np.random.default_rng(20130101)
    return rng.random(size) < POSITIVE_SHARE, scores_of(rng, size)


def evaluate(correct, scores):
    evaluation = ScoredPrecisionRecallEvaluation()
    evaluation.addCases(correct, scores)
    return evaluation.areaUnderRocCurve(False), evaluation.averagePrecision(), evaluation.maximumFMeasure()


def evaluate_plainly(correct, scores):
    """Return the same three by argsort and cumulative sums, from their definitions."""
    order = np.argsort(-scores)
    correct, scores = correct[order], scores[order]
    ends = np.append(scores[1:] != scores[:-1], True)  # of runs of equal scores
    tp, fp = np.cumsum(correct)[ends], np.cumsum(~correct)[ends]
    gained = np.diff(tp, prepend=0)
    precision, recall = tp / (tp + fp), tp / tp[-1]
    f = 2 * precision * recall / np.maximum(precision + recall, np.finfo(float).tiny)
    return (gained * (1 - fp / fp[-1])).sum() / tp[-1], (gained * precision).sum() / tp[-1], f.max()


@pytest.mark.parametrize("scores_of", [uniform, normal, uniform_float32])
def bench_filling_and_three_statistics(interleaved, scores_of):
    correct, scores = drawn(scores_of, CASES)
    assert evaluate(correct, scores) == pytest.approx(evaluate_plainly(correct, scores), rel=1e-9)
    ratio = interleaved(lambda: evaluate(correct, scores), lambda: np.sort(scores)).ratio
    print(f"\nfilling and three statistics, {scores_of.__name__}: {ratio:.2f} np.sort")
    assert ratio <= 3


@pytest.mark.parametrize("scores_of", [uniform, normal, uniform_float32, normal_float32])
def bench_peak_memory(benchmark, scores_of):
    correct, scores = drawn(scores_of, CASES)
    expected = evaluate_plainly(correct, scores)
    tracemalloc.start()
    try:
        found = benchmark.pedantic(evaluate, (correct, scores))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == pytest.approx(expected, rel=1e-9)
    ratio = peak / scores.nbytes
    print(f"\npeak extra memory, {scores_of.__name__}: {ratio:.2f} times the bytes of the scores")
    assert ratio <= 4


def bench_single_cases(interleaved):
    correct, scores = (column.tolist() for column in drawn(uniform, SINGLE_CASES))

    def add_all():
        evaluation = ScoredPrecisionRecallEvaluation()
        for case in zip(correct, scores, strict=True):
            evaluation.addCase(*case)
        return evaluation

    def append_all():
        rows = []
        for case in zip(correct, scores, strict=True):
            rows.append(case)  # noqa: PERF402  the price of a loop and a call
        return rows

    assert add_all().averagePrecision() == evaluate(correct, scores)[1]
    medians = interleaved(add_all, append_all)
    nanoseconds = [1e9 * time / SINGLE_CASES for time in (medians.task, medians.fastest)]
    print(f"\naddCase: {nanoseconds[0]:.0f} ns, {nanoseconds[1]:.0f} at best, {medians.ratio:.1f} list.append")
    assert medians.ratio <= 4
