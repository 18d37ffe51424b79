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


def plain_area(values):
    """Return the ROC AUC from the ranks of the positives, their mean among equal scores."""
    ordered = np.sort(values)
    own = values[labels() == 1]
    ranks = (ordered.searchsorted(own, "left") + ordered.searchsorted(own, "right") + 1) / 2
    return (ranks.sum() - own.size * (own.size + 1) / 2) / own.size / (values.size - own.size)


def plain_average_precision():
    correct = labels()[np.argsort(-scores())]
    ranks = np.flatnonzero(correct) + 1
    return float(np.mean(np.arange(1, ranks.size + 1) / ranks))


def plain_weighted_area():
    order = np.argsort(-scores())
    correct, weight = labels()[order], weights()[order]
    tp, fp = np.cumsum(weight * correct), np.cumsum(weight * (1 - correct))
    return float(np.trapezoid(tp, fp) / tp[-1] / fp[-1])


def steps(curve):
    return float(-np.sum(np.diff(curve[1]) * curve[0][:-1]))


def trapezoids(curve):
    return float(np.trapezoid(curve[1], curve[0]))


class Case(NamedTuple):
    """What is asked, of which scores, and at most how many sorts of them it may cost."""

    name: str
    ask: Callable[[], Any]
    target: float
    expected: Callable[[], float]
    """What the answer comes down to, by argsort or searchsorted."""
    number: Callable[[Any], float] = float
    """What makes that of the answer."""
    threads: int | None = None
    sorted_scores: Callable[[], Any] = scores


def area_of(values):
    return lambda: metrics.roc_auc_score(labels(), values())


def plain_area_of(values):
    return lambda: plain_area(values())


SPEED = [
    Case("roc_auc_score, one thread", area_of(scores), 1.5, plain_area_of(scores), threads=1),
    Case("roc_auc_score, two threads", area_of(scores), 1.15, plain_area_of(scores), threads=2),
    Case("roc_auc_score, float32, to np.sort of float64", area_of(narrow_scores), 1, plain_area_of(narrow_scores)),
    Case("average_precision_score", lambda: metrics.average_precision_score(labels(), scores()), 1.8,
         plain_average_precision),
    Case("precision_recall_curve", lambda: metrics.precision_recall_curve(labels(), scores()), 3,
         plain_average_precision, steps),
    Case("roc_curve", lambda: metrics.roc_curve(labels(), scores()), 3, plain_area_of(scores), trapezoids),
    Case("ScoredPrecisionRecallEvaluation, every statistic and both curves", every_statistic, 3.5,
         plain_average_precision, lambda answer: answer[0][2]),
    Case("roc_auc_score, 1,000 levels, to np.sort of those", area_of(rounded_scores), 1.8,
         plain_area_of(rounded_scores), sorted_scores=rounded_scores),
    Case("roc_auc_score, float64 weights",
         lambda: metrics.roc_auc_score(labels(), scores(), sample_weight=weights()), 5, plain_weighted_area),
]  # fmt: skip
ORDERS = {
    "sorted": (np.sort, 0.5),
    "reversed": (lambda scores: -np.sort(-scores), 0.5),
    "sorted but for one": (lambda scores: np.append(np.sort(scores[1:]), scores[0]), 1.25),
    "sorted, of 1,000 levels": (lambda scores: np.sort(np.round(scores, 3)), 0.75),
    "equal": (lambda scores: np.full_like(scores, 0.3), 0.75),
    "every second one equal": (lambda scores: np.where(np.arange(scores.size) % 2, 0.3, scores), 1.25),
}
"""What makes scores of another order, and at most how much of the time of random ones they may take."""


def _marked(case):
    """Mark what takes longest, and walks what others walk too."""
    long = case.name.endswith(("curve", "curves", "weights"))
    return pytest.param(case, id=case.name, marks=[pytest.mark.slow] if long else [])


@pytest.mark.parametrize("case", [_marked(case) for case in SPEED])
def bench_speed(interleaved, case):
    with threads(case.threads):
        assert case.number(case.ask()) == pytest.approx(case.expected(), rel=1e-9)
        ratio = interleaved(case.ask, lambda: np.sort(case.sorted_scores()), rounds=5).ratio
    print(f"\n{case.name}: {ratio:.2f} np.sort (target {case.target})")
    assert ratio <= SLACK * case.target


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def bench_order_of_the_scores(interleaved, order):
    arrange, target = ORDERS[order]
    values = arrange(scores())
    assert metrics.roc_auc_score(labels(), values) == pytest.approx(plain_area(values), rel=1e-9)
    ratio = interleaved(
        lambda: metrics.roc_auc_score(labels(), values), lambda: metrics.roc_auc_score(labels(), scores()), rounds=5
    ).ratio
    print(f"\nscores {order}: {ratio:.2f} of random ones (target {target})")
    assert ratio <= SLACK * target


def bench_peak_memory_of_an_area(benchmark):
    labels(), scores()
    tracemalloc.start()
    try:
        benchmark.pedantic(metrics.roc_auc_score, (labels(), scores()))
        ratio = tracemalloc.get_traced_memory()[1] / scores().nbytes
    finally:
        tracemalloc.stop()
    print(f"\npeak extra memory of roc_auc_score: {ratio:.2f} times the bytes of the scores (target 1.5)")
    assert ratio <= 1.5


def bench_hundred_cases(interleaved):
    few = labels()[:100], scores()[:100]
    ours, theirs = metrics.roc_auc_score, sklearn.metrics.roc_auc_score
    assert ours(*few) == pytest.approx(theirs(*few), rel=1e-12)
    ratio = interleaved(lambda: ours(*few), lambda: theirs(*few), rounds=30, calls=100).ratio
    print(f"\nroc_auc_score of 100 cases: 1/{1 / ratio:.0f} of scikit-learn's time (target 1/30)")
    assert ratio <= SLACK / 30
