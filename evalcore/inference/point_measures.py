"""Named measures of the counts at every threshold, for which resamples need not be sorted."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.pairs import pair_counts_of_points
from evalcore.kernels.runs import rises
from evalcore.kernels.sums import as_written, whole_counts
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.measures import binary, curves, thresholds
from evalcore.measures.thresholds import CRITERIA, best_threshold, from_none
from evalcore.typing import FloatArray, Ratio

_DIGITS_OF_WEIGHTS = 14
_Curve: TypeAlias = Callable[[ThresholdPoints], FloatArray]


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

    def for_weights(self) -> "PointMeasure":
        """Return the measure of sums of weights, without the last digits, which depend on how they are rounded."""
        compute = self.of_weights or self.compute
        return self._replace(compute=lambda points: round(compute(points), _DIGITS_OF_WEIGHTS))


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
        raise EvaluationTypeError(f"measure must be a name or a function, got {name!r}")
    stem, _, level = name.partition("@")
    if stem in _NAMED and not level:
        return PointMeasure(_NAMED[stem], of_weights=_OF_WEIGHTS.get(stem))
    number = float(level) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", level) else None
    if stem in _AT_RATE and number is not None and 0 <= number <= 1:
        return PointMeasure(partial(_AT_RATE[stem], rate=number), largest=number if stem == "partial_auc" else 1.0)
    if stem in _AT_THRESHOLD and number is not None:
        return PointMeasure(partial(_of_decisions, _AT_THRESHOLD[stem], threshold=number), number)
    shown = [*_NAMED, *(f"{stem}@rate" for stem in _AT_RATE), *(f"{stem}@threshold" for stem in _AT_THRESHOLD)]
    near = did_you_mean(name, shown)
    raise EvaluationError(f"measure must be one of {', '.join(shown)}, or a function, got {name!r}{near}")


def _roc_auc(points: ThresholdPoints) -> float:
    pairs = pair_counts_of_points(points.tp, points.fp)
    return curves.roc_area(pairs, pairs.correct, int(points.fp[-1]))


def _average_precision_of_points(points: ThresholdPoints) -> float:
    positives = points.tp[-1]
    if positives == 0:
        return np.nan
    # divided once: a perfect order has 1.0, and not something next to it in some resamples
    gained = np.einsum("i,i->", rises(points.tp), _precisions(points))
    return float(gained / positives)


def _max_f1(points: ThresholdPoints) -> float:
    values = binary.f_measure_of_counts(points.tp, points.tp[-1] - points.tp, points.fp)
    return float(np.nan_to_num(np.asarray(values)).max()) if points.tp[-1] else np.nan


def _partial_auc(points: ThresholdPoints, rate: float) -> float:
    if not points.fp[-1] or not points.tp[-1]:
        return np.nan
    return float(thresholds.partial_roc_area(points.tp, points.fp, Fraction(0), as_written(rate)))


def _largest_where(values: _Curve, bounded: _Curve, points: ThresholdPoints, rate: float) -> float:
    return thresholds.largest_where(values(points), bounded(points), rate)


def _precision_at_specificity(points: ThresholdPoints, rate: float) -> float:
    return _predictive_value(from_none(points.fp), from_none(points.tp), 1 - rate)


def _negative_predictive_value_at_recall(points: ThresholdPoints, rate: float) -> float:
    fn, tn = (sums[-1] - from_none(sums)[::-1] for sums in (points.tp, points.fp))
    return _predictive_value(fn, tn, 1 - rate)


def _predictive_value(wrong: FloatArray, right: FloatArray, rate: float) -> float:
    """Return right / (right + wrong) where wrong is a fraction of all, between straight lines; 0 for 0 of 0.  O(p)."""
    if not wrong[-1] or not right[-1]:
        return np.nan
    at = whole_counts(rate * wrong[-1:])
    return float(np.nan_to_num(binary.precision(np.interp(at, wrong, right), at))[0])


def _optimum(points: ThresholdPoints, criterion: str) -> float:
    return best_threshold(CRITERIA[criterion], *points).value


def _recalls(points: ThresholdPoints) -> FloatArray:
    return thresholds.cumulative_fractions(points.tp)


def _specificities(points: ThresholdPoints) -> FloatArray:
    return np.asarray(binary.specificity(points.fp, points.fp[-1] - points.fp))


def _precisions(points: ThresholdPoints) -> FloatArray:
    """Return the precision at each score, 0.0 if nothing is predicted positive.  O(p)."""
    return np.asarray(np.nan_to_num(binary.precision(points.tp, points.fp)))


def _of_decisions(measure: Callable[..., Ratio], points: ThresholdPoints, threshold: float) -> float:
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        border = points.scores.dtype.type(threshold)
    predicted = points.scores.size - int(points.scores[::-1].searchsorted(border))
    tp, fp = (float(sums[predicted - 1]) if predicted else 0.0 for sums in (points.tp, points.fp))
    return float(measure(tp, float(points.tp[-1]) - tp, fp, float(points.fp[-1]) - fp))


_NAMED: dict[str, Callable[[ThresholdPoints], float]] = {
    "roc_auc": _roc_auc,
    "average_precision": _average_precision_of_points,
    "max_f1": _max_f1,
    "ks": lambda points: thresholds.kolmogorov_smirnov(points.tp, points.fp),
    "youden": partial(_optimum, criterion="youden"),
    "eer": partial(_optimum, criterion="eer"),
    "max_mcc": partial(_optimum, criterion="mcc"),
    "max_balanced_accuracy": partial(_optimum, criterion="balanced_accuracy"),
}
_OF_WEIGHTS: dict[str, Callable[[ThresholdPoints], float]] = {
    "roc_auc": lambda points: float(curves.roc_areas(runs_of_points(points.tp, points.fp))[0])
}
_AT_RATE: dict[str, Callable[..., float]] = {
    "partial_auc": _partial_auc,
    "negative_predictive_value_at_recall": _negative_predictive_value_at_recall,
    "precision_at_recall": partial(_largest_where, _precisions, _recalls),
    "precision_at_specificity": _precision_at_specificity,
    "recall_at_precision": partial(_largest_where, _recalls, _precisions),
    "recall_at_specificity": partial(_largest_where, _recalls, _specificities),
    "specificity_at_recall": partial(_largest_where, _specificities, _recalls),
}
_AT_THRESHOLD: dict[str, Callable[..., Ratio]] = {
    "accuracy": binary.accuracy,
    "precision": lambda tp, fn, fp, tn: binary.precision(tp, fp),
    "recall": lambda tp, fn, fp, tn: binary.recall(tp, fn),
    "specificity": lambda tp, fn, fp, tn: binary.specificity(fp, tn),
    "f1": lambda tp, fn, fp, tn: binary.f_measure_of_counts(tp, fn, fp),
}
