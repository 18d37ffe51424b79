"""Measures by their names, of the counts at or above each score, or of sums of weights.

Resamples need not be sorted for them: all have the scores of the cases themselves.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean, shortened
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.pairs import pair_counts_of_points
from evalcore.kernels.runs import rises
from evalcore.kernels.sums import as_written, whole_counts
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.measures import binary, curves, thresholds
from evalcore.measures.thresholds import CRITERIA, best_threshold, from_none


class PointMeasure(NamedTuple):
    """A measure of the counts at or above each score, at least 0."""

    compute: Callable[[ThresholdPoints], float]
    """NaN if it is not defined."""
    threshold: float | None = None
    """For a measure of decisions, the least score that is predicted positive."""
    largest: float = 1.0
    """Its largest possible value."""
    of_weights: Callable[[ThresholdPoints], float] | None = None
    """The same of sums of weights, where `compute` takes counts alone."""


def parse_measure(name: Any) -> PointMeasure:
    """Return the measure of a name.

    ``roc_auc``, ``average_precision``, ``ks``, ``youden``, ``eer``, ``max_f1``, ``max_mcc`` and
    ``max_balanced_accuracy`` take no number.  ``partial_auc@0.1`` is the area up to a false positive rate, not
    standardised.  ``precision_at_recall@0.8``, ``recall_at_precision@0.9``, ``recall_at_specificity@0.9`` and
    ``specificity_at_recall@0.9`` are the largest values of any threshold; ``precision_at_specificity@0.9`` and
    ``negative_predictive_value_at_recall@0.9`` are those at a point of the ROC curve, between straight lines.
    ``accuracy``, ``precision``, ``recall``, ``specificity`` and ``f1`` take a threshold, ``f1@0.5``, in the width of
    the scores.  O(1).

    Raises EvaluationError for another name, EvaluationTypeError for other types.

    >>> parse_measure("f1@0.5").threshold, parse_measure("ks").threshold
    (0.5, None)
    """
    if not isinstance(name, str):
        raise EvaluationTypeError(f"measure must be a name or a function, got {shortened(repr(name))}")
    stem, _, level = name.partition("@")
    if stem in _NAMED and not level:
        return PointMeasure(_NAMED[stem], of_weights=_area_of_weights if stem == "roc_auc" else None)
    number = float(level) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", level) else None
    if stem in _AT_RATE and number is not None and 0 <= number <= 1:
        return PointMeasure(partial(_AT_RATE[stem], rate=number), largest=number if stem == "partial_auc" else 1.0)
    if stem in OF_DECISIONS and number is not None:
        return PointMeasure(partial(_at_threshold, OF_DECISIONS[stem], threshold=number), number)
    shown = [*_NAMED, *(f"{stem}@rate" for stem in _AT_RATE), *(f"{stem}@threshold" for stem in OF_DECISIONS)]
    near = did_you_mean(name, shown)
    raise EvaluationError(f"measure must be one of {', '.join(shown)}, or a function, got {name!r}{near}")


def _area(points: ThresholdPoints) -> float:
    pairs = pair_counts_of_points(points.tp, points.fp)
    return curves.roc_auc(pairs, pairs.correct, int(points.fp[-1]))


def _area_of_weights(points: ThresholdPoints) -> float:
    return float(curves.roc_aucs(runs_of_points(points.tp, points.fp))[0])


def _average_precision(points: ThresholdPoints) -> float:
    positives = points.tp[-1]
    if positives == 0:
        return np.nan
    # divided once: a perfect order has 1.0, and not something next to it in some resamples
    gained = np.einsum("i,i->", rises(points.tp), np.nan_to_num(binary.precision(points.tp, points.fp)))
    return float(gained / positives)


def _max_f1(points: ThresholdPoints) -> float:
    values = binary.f_measure_of_counts(points.tp, points.tp[-1] - points.tp, points.fp)
    return float(np.nan_to_num(np.asarray(values)).max()) if points.tp[-1] else np.nan


def _optimum(points: ThresholdPoints, criterion: str) -> float:
    return best_threshold(CRITERIA[criterion], *points).value


def _partial_area(points: ThresholdPoints, rate: float) -> float:
    if not points.fp[-1] or not points.tp[-1]:
        return np.nan
    return float(thresholds.partial_roc_auc(points.tp, points.fp, Fraction(0), as_written(rate)))


def _largest_rate(points: ThresholdPoints, name: str, rate: float) -> float:
    """Return the largest of one rate where another is at least a number, as the name says.  O(p)."""
    first = min(int(sums.searchsorted(0, side="right")) for sums in points[:2])  # without a case there is no precision
    tp, fp = points.tp[first:], points.fp[first:]
    cells = tp, points.tp[-1] - tp, fp, points.fp[-1] - fp
    values, bounded = (np.asarray(OF_DECISIONS[each](*cells)) for each in name.split("_at_"))
    return thresholds.largest_where(values, bounded, rate)


def _predictive_value(points: ThresholdPoints, rate: float, positive: bool) -> float:
    """Return the predictive value where a rate of what is predicted wrongly, between straight lines.  O(p)."""
    right, wrong = (from_none(sums) for sums in (points.tp, points.fp))
    if not positive:  # seen from the other corner, where false negatives run along
        right, wrong = wrong[-1] - wrong[::-1], right[-1] - right[::-1]
    if not wrong[-1] or not right[-1]:
        return np.nan
    at = whole_counts((1 - rate) * wrong[-1:])
    return float(np.nan_to_num(binary.precision(np.interp(at, wrong, right), at))[0])


def _at_threshold(measure: Callable[..., float], points: ThresholdPoints, threshold: float) -> float:
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        border = points.scores.dtype.type(threshold)
    predicted = points.scores.size - int(points.scores[::-1].searchsorted(border))
    tp, fp = (float(sums[predicted - 1]) if predicted else 0.0 for sums in (points.tp, points.fp))
    return float(measure(tp, float(points.tp[-1]) - tp, fp, float(points.fp[-1]) - fp))


OF_DECISIONS: dict[str, Callable[..., Any]] = {
    "accuracy": binary.accuracy,
    "precision": lambda tp, fn, fp, tn: binary.precision(tp, fp),
    "recall": lambda tp, fn, fp, tn: binary.recall(tp, fn),
    "specificity": lambda tp, fn, fp, tn: binary.specificity(fp, tn),
    "f1": lambda tp, fn, fp, tn: binary.f_measure_of_counts(tp, fn, fp),
}
"""Measures of tp, fn, fp and tn, numbers or arrays."""
_NAMED: dict[str, Callable[[ThresholdPoints], float]] = {
    "roc_auc": _area,
    "average_precision": _average_precision,
    "max_f1": _max_f1,
    "ks": lambda points: thresholds.kolmogorov_smirnov(points.tp, points.fp),
    "youden": partial(_optimum, criterion="youden"),
    "eer": partial(_optimum, criterion="eer"),
    "max_mcc": partial(_optimum, criterion="mcc"),
    "max_balanced_accuracy": partial(_optimum, criterion="balanced_accuracy"),
}
_AT_RATE: dict[str, Callable[..., float]] = {
    "partial_auc": _partial_area,
    "negative_predictive_value_at_recall": partial(_predictive_value, positive=False),
    "precision_at_recall": partial(_largest_rate, name="precision_at_recall"),
    "precision_at_specificity": partial(_predictive_value, positive=True),
    "recall_at_precision": partial(_largest_rate, name="recall_at_precision"),
    "recall_at_specificity": partial(_largest_rate, name="recall_at_specificity"),
    "specificity_at_recall": partial(_largest_rate, name="specificity_at_recall"),
}
