"""Models to be resampled: their cases checked, sorted once, and measured by the number of draws of each.

Named measures are those of the counts at every threshold, for which resamples need not be sorted.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean, shown
from evalcore.inference.resamples import clusters_of_rows, plan_draws, without_warnings
from evalcore.inference.units import checked_units
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.draws import (
    Draw,
    RankedCases,
    cluster_pairs,
    draw_cases,
    ranked_cases,
)
from evalcore.kernels.pairs import pair_counts_of_points
from evalcore.kernels.runs import rises
from evalcore.kernels.sums import as_written, whole_counts
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.measures import binary, curves, thresholds
from evalcore.measures.curves import roc_area
from evalcore.measures.thresholds import CRITERIA, best_threshold, from_none
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio
from evalcore.validation.arrays import as_cases, check_indices, check_not_masked
from evalcore.validation.targets import as_positive_mask

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


CaseMeasure: TypeAlias = Callable[..., Any]
"""A function of y_true, y_score and, if it takes that, sample_weight: the number of draws of each case."""


class ResampledModels(NamedTuple):
    """Models that scored the same cases, which are numbered by their rank in the first model."""

    measured: Callable[[IntArray], FloatArray]
    """Takes the number of draws of each case, (n,), or of each of few clusters, and returns (models, measures)."""
    estimates: FloatArray
    """Of the cases themselves, shape (models, measures)."""
    draw: Draw
    units: IntArray
    """Number of the unit, drawn as a whole, of whatever `measured` takes the number of draws of."""
    lack: str
    """Why resamples do not show how named measures vary; empty if they do."""
    strata: IntArray | None = None
    """The class of each case, shape (n,), if the sizes of classes are kept."""
    frequencies: IntArray | None = None
    """How many rows each case stands for, shape (n,), if such rows are drawn."""


def resampled_models(
    y_true: Any,
    scores: Mapping[str, Any],
    measures: Sequence[PointMeasure | CaseMeasure],
    stratify: bool = False,
    cluster: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    weight_type: Any = "sampling",
) -> ResampledModels:
    """Check and sort the cases of models; scores: by the names of arguments, (n,) each.  O(n log n).

    With sampling weights, measures are those of the weights times the number of draws.  Frequencies are the numbers of
    rows that are drawn from.

    >>> found = resampled_models([0, 1, 1], {"y_score": [0.1, 0.4, 0.05]}, [parse_measure("roc_auc")])
    >>> found.estimates, found.measured(np.array([0, 1, 1]))
    (array([[0.5]]), array([[0.]]))
    """
    check_indices(y_true=y_true, **scores, sample_weight=sample_weight, cluster=cluster)
    drawn = checked_units(sample_weight, weight_type, _size(y_true), "the bootstrap")
    if not isinstance(drawn.chosen, slice):
        y_true, scores, cluster = _weighing_something(y_true, scores, cluster, drawn.chosen)
    if drawn.weights is not None and not drawn.are_frequencies:
        measures = [_for_weights(measure) for measure in measures]
    sorted_cases = _ranked_models(y_true, scores, measures, pos_label)
    size = _size(y_true)
    numbering = sorted_cases[0].rows if sorted_cases else np.arange(size)
    number_of = np.empty(size, np.int64)
    number_of[numbering] = np.arange(size)
    found = [
        _ModelCases(
            measures,
            sorted_cases[number] if sorted_cases else None,
            number_of[sorted_cases[number].rows] if sorted_cases and number else None,
            _checked_rows(y_true, "y_true", size)[numbering],
            _checked_rows(values, name, size)[numbering],
        )
        for number, (name, values) in enumerate(scores.items())
    ]
    own = None if drawn.weights is None else drawn.weights[numbering]
    rows = own if drawn.are_frequencies and cluster is None else None
    draw, units, strata = plan_draws(y_true, stratify, cluster, numbering, rows)
    with without_warnings() if has_functions(measures) else nullcontext():
        estimates = np.array([model.values(own) if size else [np.nan] * len(measures) for model in found])
    lack = _why_constant(units, sorted_cases[0].correct, rows) if sorted_cases and size else ""
    clusters = 0 if cluster is None or own is not None or not size else int(units.max()) + 1
    if 0 < clusters**2 <= size and measures == [parse_measure("roc_auc")]:
        ranks = (units if model.rows is None else units[model.rows] for model in found)
        pairs = [cluster_pairs(*each, clusters) for each in zip(sorted_cases, ranks, strict=True)]

        def areas(counts: IntArray) -> FloatArray:  # O(models g²)
            drawn = [each.drawn(counts) for each in pairs]
            return np.array([[roc_area(pairs, pairs.correct, incorrect)] for pairs, incorrect in drawn])

        return ResampledModels(areas, estimates, draw_cases(clusters), np.arange(clusters), lack)

    def measured(counts: IntArray) -> FloatArray:
        amounts = counts if own is None or rows is not None else counts * own
        return np.array([model.values(amounts) for model in found])

    return ResampledModels(measured, estimates, draw, units, lack, strata, rows)


def _weighing_something(
    y_true: Any, scores: Mapping[str, Any], cluster: Any, chosen: BoolArray
) -> tuple[Any, dict[str, Any], Any]:
    """Return the columns without the cases of weight zero.  O(n)."""
    columns = {name: _checked_rows(values, name, chosen.size)[chosen] for name, values in scores.items()}
    cluster = clusters_of_rows(cluster, chosen, chosen)
    return _checked_rows(y_true, "y_true", chosen.size)[chosen], columns, cluster


def _for_weights(measure: PointMeasure | CaseMeasure) -> PointMeasure | CaseMeasure:
    """Return the measure of weights; raise EvaluationError for a function that takes none."""
    if isinstance(measure, PointMeasure):
        return measure.for_weights()
    if not _takes_weights(measure):
        raise EvaluationError(
            f"measure must take sample_weight where cases have sampling weights, got {measure!r}; give it that argument"
        )
    return measure


def _why_constant(units: IntArray, correct: int, rows: IntArray | None) -> str:
    """Say which class is in a single unit, so that it is the same in all resamples; rows: of frequencies.  O(n)."""
    for side, kind in ((slice(correct), "positive"), (slice(correct, None), "negative")):
        part = units[side]
        if rows is not None and rows[side].sum() > 1:
            continue
        if part.size and (part == part[0]).all():
            return f"all {kind} cases are in one cluster" if part.size > 1 else f"one {kind} case alone does not vary"
    return ""


def has_functions(measures: Sequence[PointMeasure | CaseMeasure]) -> bool:
    """Whether any measure is a function, which may warn.  O(m)."""
    return any(not isinstance(measure, PointMeasure) for measure in measures)


class _ModelCases(NamedTuple):
    """The cases of one model, in the forms that its measures take."""

    measures: Sequence[PointMeasure | CaseMeasure]
    ranked: RankedCases | None
    """None if no measure is named."""
    rows: IntArray | None
    """Numbers of the ranked cases; None if these are their ranks."""
    y_true: npt.NDArray[Any]
    y_score: npt.NDArray[Any]

    def values(self, counts: AnyArray | None) -> list[float]:
        """Measure a resample, of counts or of weights times counts, or the cases themselves if that is None."""
        points: Any = None
        if self.ranked is not None:
            amounts = np.ones(self.y_true.shape[0], np.int64) if counts is None else counts
            points = self.ranked.points(amounts if self.rows is None else amounts[self.rows])
        return [
            measure.compute(points) if isinstance(measure, PointMeasure) else self._called(measure, counts)
            for measure in self.measures
        ]

    def _called(self, measure: CaseMeasure, counts: AnyArray | None) -> float:
        """Call a function with the cases that are drawn, and the number of draws of each."""
        if counts is None:
            return _returned_number(measure(self.y_true, self.y_score), measure)
        rows = np.flatnonzero(counts)
        if _takes_weights(measure):
            return _returned_number(measure(self.y_true[rows], self.y_score[rows], sample_weight=counts[rows]), measure)
        rows = np.repeat(rows, counts[rows])
        return _returned_number(measure(self.y_true[rows], self.y_score[rows]), measure)


def _takes_weights(measure: CaseMeasure) -> bool:
    try:
        parameters = signature(measure).parameters
    except (TypeError, ValueError):  # some callables in C tell nothing
        return True
    return "sample_weight" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def _returned_number(value: Any, measure: CaseMeasure) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise EvaluationTypeError(f"measure must return a number, {measure!r} returned {shown(value)}") from None


def _ranked_models(
    y_true: Any, scores: Mapping[str, Any], measures: Sequence[PointMeasure | CaseMeasure], pos_label: Any
) -> list[RankedCases]:
    """Sort the cases of each model, unless no measure is named.  O(n log n)."""
    named = [measure for measure in measures if isinstance(measure, PointMeasure)]
    if not named:
        return []
    thresholds = np.array([measure.threshold for measure in named if measure.threshold is not None])
    correct = as_positive_mask(y_true, pos_label, "the bootstrap")
    every = [as_cases(correct, values, ("y_true", name)) for name, values in scores.items()]
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        return [ranked_cases(cases.scores, cases.correct, thresholds.astype(cases.scores.dtype)) for cases in every]


def _size(y_true: Any) -> int:
    try:
        return len(y_true)
    except TypeError:
        raise EvaluationTypeError(f"y_true must be an array-like, got {shown(y_true)}") from None


def _checked_rows(values: Any, name: str, size: int) -> npt.NDArray[Any]:
    check_not_masked(values, name)
    array = np.asarray(values)
    if array.ndim == 0 or array.shape[0] != size:
        raise EvaluationError(f"{name} must have {size} rows like y_true, got shape {array.shape}")
    return array
