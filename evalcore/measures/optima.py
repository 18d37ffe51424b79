"""Thresholds that are best by a criterion, such as Youden's index, and the values that they have.

tp, fp: (p + 1,), counts or sums of weights at or above each threshold, of which the first is above every score.
Source of Youden's index: W. J. Youden, Index for rating diagnostic tests, Cancer 3 (1950) 32-35.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import rounding_of
from evalcore.measures import binary
from evalcore.measures.thresholds import cumulative_fractions, equal_error_rate, expected_costs, rate_gaps
from evalcore.typing import FloatArray, Ratio, ScoreArray

_ROUNDING = 2.0**-50
"""Of differences of two rates."""


class OptimalThreshold(NamedTuple):
    """A threshold that is best by a criterion, and its value there."""

    threshold: float
    """One of the scores, the highest among equals; infinity if it is best to predict no positive."""
    value: float
    """NaN if it is not defined."""


class BestThresholdIndex(NamedTuple):
    """Where a criterion is best, and its value there."""

    position: int
    """Of the highest threshold among equals; 0 is above every score."""
    value: float
    """NaN if it is not defined."""


class Criterion(NamedTuple):
    """What a threshold is chosen by."""

    values: Callable[..., Ratio]
    """Takes tp, fn, fp and tn at each threshold."""
    smaller_is_better: bool = False
    crosses: bool = False
    """Whether the threshold is where two error rates meet, which lies between two points."""
    least: float = 0.0
    largest: float = 1.0

    def at_each(self, tp: FloatArray, fp: FloatArray) -> FloatArray:
        """Return its value at each threshold, (p + 1,).  O(p)."""
        return np.asarray(self.values(tp, tp[-1] - tp, fp, fp[-1] - fp))

    def best(self, tp: FloatArray, fp: FloatArray) -> BestThresholdIndex:
        """Return the highest threshold that is best, and its value.  O(p).

        >>> tp, fp = np.array([0.0, 1, 1, 2, 2]), np.array([0.0, 0, 1, 1, 2])
        >>> parse_criterion("youden").best(tp, fp), parse_criterion("eer").best(tp, fp)
        (BestThresholdIndex(position=1, value=0.5), BestThresholdIndex(position=2, value=0.5))
        """
        rounding = max(rounding_of(tp, fp), _ROUNDING)
        if self.crosses:
            fpr, fnr = cumulative_fractions(fp), np.asarray(ratio(tp[-1] - tp, tp[-1]))
            return BestThresholdIndex(int(np.argmax(fpr >= fnr - rounding)), equal_error_rate(fpr, fnr))
        each = self.at_each(tp, fp)
        ranked = np.where(np.isnan(each), -np.inf, -each if self.smaller_is_better else each)
        top = ranked.max()
        if not np.isfinite(top):
            return BestThresholdIndex(0, np.nan)
        index = int(np.argmax(ranked >= top - abs(top) * rounding))
        return BestThresholdIndex(index, float(each[index]))


def best_threshold(criterion: Criterion, tp: FloatArray, fp: FloatArray, scores: ScoreArray) -> OptimalThreshold:
    """Return the best of the scores, falling, (p,); tp, fp: (p,), at or above each of them.  O(p).

    >>> best_threshold(parse_criterion("f1"), np.array([1.0, 1, 2]), np.array([0.0, 1, 1]), np.array([0.8, 0.4, 0.35]))
    OptimalThreshold(threshold=0.35, value=0.8)
    """
    best = criterion.best(from_none(tp), from_none(fp))
    if np.isnan(best.value):
        return OptimalThreshold(np.nan, np.nan)
    return OptimalThreshold(float(scores[best.position - 1]) if best.position else np.inf, best.value)


def from_none(sums: FloatArray) -> FloatArray:
    """Return sums at or above each score after 0.0, above all of them, (p + 1,).  O(p)."""
    return np.concatenate([[0.0], sums])


def _youden(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray) -> FloatArray:
    return np.asarray(ratio(*rate_gaps(tp, fp, tp + fn, fp + tn)))


def _mcc(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray) -> FloatArray:
    """Return Matthews' correlation, 0 where all cases are predicted alike; NaN for one class."""
    return np.where((tp + fn > 0) & (fp + tn > 0), np.nan_to_num(binary.phi(tp, fn, fp, tn)), np.nan)


CRITERIA: dict[str, Criterion] = {
    "youden": Criterion(_youden, least=-1.0),
    "balanced_accuracy": Criterion(lambda tp, fn, fp, tn: (binary.recall(tp, fn) + binary.specificity(fp, tn)) / 2),
    "ks": Criterion(lambda tp, fn, fp, tn: np.abs(_youden(tp, fn, fp, tn))),
    "mcc": Criterion(_mcc, least=-1.0),
    "accuracy": Criterion(binary.accuracy),
    "eer": Criterion(
        lambda tp, fn, fp, tn: (binary.false_positive_rate(fp, tn) + ratio(fn, tp + fn)) / 2,
        smaller_is_better=True,
        crosses=True,
    ),
}
"""By name; ``f1``, ``f2``, ``f0.5`` and so on, and ``cost``, are made as they are asked for."""
SHOWN = (*CRITERIA, "f1", "f2", "f0.5", "cost")


def parse_criterion(name: Any, cost: FloatArray | None = None) -> Criterion:
    """Return the criterion of a name; cost: of tp, fn, fp and tn, (4,), if and only if the name is "cost".  O(1).

    Raises EvaluationError for another name, and if the cost is missing or not asked for.
    """
    if (name == "cost") != (cost is not None):
        raise EvaluationError(
            "criterion 'cost' needs cost=(false_positive, false_negative)"
            if cost is None
            else f"cost must be None unless criterion is 'cost', got criterion {name!r}"
        )
    if cost is not None:
        values = partial(_costs, costs=cost)
        return Criterion(values, smaller_is_better=True, least=float(cost.min()), largest=float(cost.max()))
    if name in CRITERIA:
        return CRITERIA[name]
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", name) if isinstance(name, str) else None
    if beta is None:
        near = did_you_mean(name, SHOWN)
        raise EvaluationError(f"criterion must be one of {', '.join(SHOWN)}, got {name!r}{near}")
    return Criterion(partial(_f_measures, beta=float(beta[1])))


def _costs(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray, costs: FloatArray) -> FloatArray:
    return np.asarray(expected_costs((tp, fn, fp, tn), costs))


def _f_measures(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray, beta: float) -> FloatArray:
    return np.where(tp + fn > 0, binary.f_measure_of_counts(tp, fn, fp, beta), np.nan)
