"""What intervals and comparisons of areas cost, in units of ``np.sort`` of one model's scores.

10% of the cases are positive.  Each benchmark fails beyond its target and a quarter: the machine is noisy.
"""

import functools
import math

import numpy as np
import pytest
from scipy.special import ndtri

from evalcore import metrics
from evalcore.inference import average_precision_interval, compare_roc_auc, roc_auc_interval

CASES = 10_000_000
SLACK = 1.25


@functools.cache
def made(size):
    """Draw labels, and scores of two models that agree in part, those of the first being probabilities."""
    rng = np.random.default_rng(20130101)
    labels, scores = (rng.random(size) < 0.1).astype(np.int64), rng.random(size)
    return labels, scores, scores + rng.normal(size=size)


def components(labels, scores):
    """Return the fraction of the other class below each positive and above each negative, without ties."""
    own, others = scores[labels == 1], scores[labels == 0]
    return np.sort(others).searchsorted(own) / others.size, 1 - np.sort(own).searchsorted(others) / own.size


def reach(*parts):
    """Give how far the bounds of an area, or of a difference, are from it, by the components of both classes."""
    return ndtri(0.975) * math.sqrt(sum(part.var(ddof=1) / part.size for part in parts))


def check_interval(size):
    labels, scores, _ = made(size)
    interval = roc_auc_interval(labels, scores, method="delong")
    expected = reach(*components(labels, scores))
    assert interval.high - interval.estimate == pytest.approx(expected, rel=1e-7)
    assert interval.estimate - interval.low == pytest.approx(expected, rel=1e-7)


def check_comparison(size):
    labels, *models = made(size)
    comparison = compare_roc_auc(labels, *models[::-1], method="delong")
    of_first, of_second = (components(labels, scores) for scores in models)
    differences = (one - other for one, other in zip(of_first, of_second, strict=True))
    assert comparison.high - comparison.low == pytest.approx(2 * reach(*differences), rel=1e-7)


def report(name, ratio, target):
    print(f"\n{name}: {ratio:.2f} np.sort (target {target})")
    assert ratio <= SLACK * target


def bench_roc_auc_interval(interleaved):
    labels, scores, _ = made(CASES)
    check_interval(CASES // 10)
    assert roc_auc_interval(labels, scores).estimate == metrics.roc_auc_score(labels, scores)
    ratio = interleaved(lambda: roc_auc_interval(labels, scores), lambda: np.sort(scores), rounds=5).ratio
    report("roc_auc_interval", ratio, 2)


@pytest.mark.parametrize("size", [CASES // 5, pytest.param(CASES, marks=pytest.mark.slow)])
def bench_compare_roc_auc(interleaved, size):
    labels, *models = made(size)
    check_comparison(CASES // 10)
    areas = tuple(metrics.roc_auc_score(labels, scores) for scores in models)
    assert compare_roc_auc(labels, *models[::-1]).estimates == areas
    ratio = interleaved(lambda: compare_roc_auc(labels, *models[::-1]), lambda: np.sort(models[0]), rounds=5).ratio
    report(f"compare_roc_auc, {size:,} cases", ratio, 12)


@pytest.mark.slow
def bench_average_precision_interval(interleaved):
    labels, scores, _ = made(CASES)
    interval = average_precision_interval(labels, scores)
    assert interval.estimate == metrics.average_precision_score(labels, scores)
    ratio = interleaved(lambda: average_precision_interval(labels, scores), lambda: np.sort(scores), rounds=5).ratio
    report("average_precision_interval", ratio, 2.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "target"), [(roc_auc_interval, 3.5), (average_precision_interval, 3), (compare_roc_auc, 2.5)]
)
def bench_weights_beside_none(interleaved, function, target):
    labels, *models = made(CASES)
    columns = labels, *(models if function is compare_roc_auc else models[:1])
    check_frequencies(function, [column[: CASES // 10] for column in columns])
    weights = np.random.default_rng(1).gamma(2.0, 1.0, CASES)
    ratio = interleaved(lambda: function(*columns, sample_weight=weights), lambda: function(*columns), rounds=3).ratio
    print(f"\n{function.__name__} with weights: {ratio:.2f} times that without (target {target})")
    assert ratio <= SLACK * target


def check_frequencies(function, columns):
    weights = np.random.default_rng(2).integers(0, 4, columns[0].size)
    found = function(*columns, sample_weight=weights, weight_type="frequency")
    expected = function(*(np.repeat(column, weights) for column in columns))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
