"""Models to be resampled: their cases checked, sorted once, and measured by the number of draws of each."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.inference.point_measures import PointMeasure, parse_measure
from evalcore.inference.resampled_measures import without_warnings
from evalcore.inference.units import checked_units
from evalcore.kernels.draws import (
    Draw,
    RankedCases,
    cluster_pairs,
    draw_cases,
    draw_clusters,
    draw_repeated,
    draw_within,
    ranked_cases,
)
from evalcore.measures.curves import roc_area
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray
from evalcore.validation.arrays import as_cases, as_column, check_equal_lengths, check_indices, check_not_masked
from evalcore.validation.labels import as_group_names, encode_labels
from evalcore.validation.targets import as_positive_mask

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

    >>> from evalcore.inference.point_measures import parse_measure
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
    draw, units, strata = plan_draws(y_true, stratify, cluster, numbering)
    own = None if drawn.weights is None else drawn.weights[numbering]
    with without_warnings() if has_functions(measures) else nullcontext():
        estimates = np.array([model.values(own) if size else [np.nan] * len(measures) for model in found])
    rows = own if drawn.are_frequencies and cluster is None else None
    lack = _why_constant(units, sorted_cases[0].correct, rows) if sorted_cases and size else ""
    if rows is not None:
        strata = np.zeros(rows.size, np.int64) if strata is None else strata
        draw = draw_repeated(rows, strata, int(strata.max()) + 1)
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


def plan_draws(
    y_true: Any, stratify: bool, cluster: Any, numbering: IntArray
) -> tuple[Draw, IntArray, IntArray | None]:
    """Return how cases are drawn, the units that are drawn as a whole, and any strata.  O(n)."""
    size = numbering.size
    if not isinstance(stratify, bool | np.bool_):
        raise EvaluationTypeError(f"stratify must be True, to keep the size of each class, or False, got {stratify!r}")
    if cluster is not None:
        if stratify:
            raise EvaluationError(
                "stratify and cluster cannot be combined, for a cluster may hold every class; pass one of them"
            )
        distinct, codes = encode_labels(clusters_of_rows(cluster, numbering, slice(None)))
        units = codes[numbering]
        return draw_clusters(units, distinct.size), units, None
    cases = np.arange(size)
    if stratify:
        classes, codes = encode_labels(as_column(y_true, "y_true"))
        strata = codes[numbering]
        return draw_within(strata, classes.size), cases, strata
    return draw_cases(size), cases, None


def clusters_of_rows(cluster: Any, cases: AnyArray, rows: AnyArray | slice) -> Any:
    """Return the clusters of some rows, or None; raises EvaluationError unless there are as many as cases.  O(n)."""
    if cluster is None:
        return None
    column = as_group_names(cluster, "cluster")
    check_equal_lengths(column, cases, "cluster", "y_true")
    return column[rows]


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
