"""What a whole evaluation costs, in units of ``np.sort`` of the same scores: the guard of the table in README.md.

Ten million cases, 10% of them positive.  Each case fails beyond its target and a quarter: the machine is noisy.
"""

import functools
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn.metrics

from evalcore import ScoredPrecisionRecallEvaluation, metrics, threads

CASES = 10_000_000
SLACK = 1.25


@functools.cache
def continuous():
    rng = np.random.default_rng(20130101)
    return (rng.random(CASES) < 0.1).astype(np.int64), rng.random(CASES)


def labels():
    return continuous()[0]


def scores():
    return continuous()[1]


@functools.cache
def narrow_scores():
    return scores().astype(np.float32)


@functools.cache
def rounded_scores():
    return np.round(scores(), 3)


@functools.cache
def weights():
    return np.random.default_rng(5).random(CASES)


def every_statistic():
    evaluation = ScoredPrecisionRecallEvaluation()
    evaluation.addCases(labels(), scores())
    curves = evaluation.prCurve(False), evaluation.rocCurve(False)
    scalars = (
        evaluation.areaUnderPrCurve(False), evaluation.areaUnderRocCurve(False), evaluation.averagePrecision(),
        evaluation.maximumFMeasure(), evaluation.prBreakevenPoint(), evaluation.reciprocalRank(),
        evaluation.rPrecision(), evaluation.elevenPtInterpPrecision(), evaluation.precisionAt(100),
    )  # fmt: skip
    return scalars, curves


class Case(NamedTuple):
    """What is asked, of which scores, and at most how many sorts of them it may cost."""

    name: str
    ask: Callable[[], Any]
    target: float
    threads: int | None = None
    sorted_scores: Callable[[], Any] = scores


SPEED = [
    Case("roc_auc_score, one thread", lambda: metrics.roc_auc_score(labels(), scores()), 1.5, 1),
    Case("roc_auc_score, two threads", lambda: metrics.roc_auc_score(labels(), scores()), 1.15, 2),
    Case("roc_auc_score, float32, to np.sort of float64", lambda: metrics.roc_auc_score(labels(), narrow_scores()), 1),
    Case("average_precision_score", lambda: metrics.average_precision_score(labels(), scores()), 1.8),
    Case("precision_recall_curve", lambda: metrics.precision_recall_curve(labels(), scores()), 3),
    Case("roc_curve", lambda: metrics.roc_curve(labels(), scores()), 3),
    Case("ScoredPrecisionRecallEvaluation, every statistic and both curves", every_statistic, 3.5),
    Case("roc_auc_score, 1,000 levels, to np.sort of those",
         lambda: metrics.roc_auc_score(labels(), rounded_scores()), 1.8, sorted_scores=rounded_scores),
    Case("roc_auc_score, float64 weights",
         lambda: metrics.roc_auc_score(labels(), scores(), sample_weight=weights()), 5),
]  # fmt: skip


def plain_area(labels, scores):
    """Return the ROC area from the ranks of the positives, their mean among equal scores."""
    ordered = np.sort(scores)
    own = scores[labels == 1]
    ranks = (ordered.searchsorted(own, "left") + ordered.searchsorted(own, "right") + 1) / 2
    return (ranks.sum() - own.size * (own.size + 1) / 2) / own.size / (scores.size - own.size)


def bench_the_areas_are_right():
    for values in (scores(), narrow_scores(), rounded_scores()):
        assert metrics.roc_auc_score(labels(), values) == pytest.approx(plain_area(labels(), values), rel=1e-9)


@pytest.mark.parametrize("case", SPEED, ids=lambda case: case.name)
def bench_speed(interleaved, case):
    assert case.ask() is not None
    with threads(case.threads):
        ratio = interleaved(case.ask, lambda: np.sort(case.sorted_scores()), rounds=5).ratio
    print(f"\n{case.name}: {ratio:.2f} np.sort (target {case.target})")
    assert ratio <= SLACK * case.target


@pytest.mark.parametrize("make", [np.sort, lambda scores: -np.sort(-scores), lambda scores: np.full_like(scores, 0.3)])
def bench_order_of_the_scores(interleaved, make):
    values = make(scores())
    ratio = interleaved(
        lambda: metrics.roc_auc_score(labels(), values), lambda: metrics.roc_auc_score(labels(), scores()), rounds=5
    ).ratio
    print(f"\nsorted, reversed or equal scores: {ratio:.2f} of random ones (target 1.25)")
    assert ratio <= SLACK * 1.25


def bench_peak_memory_of_an_area(benchmark):
    labels(), scores()
    tracemalloc.start()
    try:
        benchmark.pedantic(metrics.roc_auc_score, (labels(), scores()))
        share = tracemalloc.get_traced_memory()[1] / scores().nbytes
    finally:
        tracemalloc.stop()
    print(f"\npeak extra memory of roc_auc_score: {share:.2f} times the bytes of the scores (target 1.5)")
    assert share <= 1.5


def bench_hundred_cases(interleaved):
    few = labels()[:100], scores()[:100]
    ours, theirs = metrics.roc_auc_score, sklearn.metrics.roc_auc_score
    assert ours(*few) == pytest.approx(theirs(*few), rel=1e-12)
    ratio = interleaved(lambda: ours(*few), lambda: theirs(*few), rounds=30, calls=100).ratio
    print(f"\nroc_auc_score of 100 cases: 1/{1 / ratio:.0f} of scikit-learn's time (target 1/30)")
    assert ratio <= SLACK / 30
