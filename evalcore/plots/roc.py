"""ROC curves, with the area under each, its interval and a band."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.curve_areas import roc_auc_interval_of_keys
from evalcore.inference.intervals import Interval, checked_level
from evalcore.inference.roc_area_bounds import AREA_METHODS, roc_area_intervals
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.shapes import Line
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number
from evalcore.kernels.weights import WeightSums
from evalcore.measures import curves
from evalcore.measures.bounds import roc_bounds
from evalcore.measures.effective_cases import smaller_class
from evalcore.measures.roc_variances import roc_area_and_variance
from evalcore.plots import axes
from evalcore.plots.bands import along, band_reference, checked_band, outline_of_band, weighted_bounds, wilson_bounds
from evalcore.plots.keywords import check_line
from evalcore.plots.models import (
    Model,
    check_no_misses,
    check_threshold,
    counts_from_none,
    is_defined,
    models,
    predicted_positive,
)
from evalcore.typing import BandKind, FloatArray, IntArray, Label, RocAreaMethod, WeightType
from evalcore.validation.values import check_choice
from evalcore.validation.weights import are_frequencies

_WORSE = 0.1
"""A curve this far below chance would be behind the legend."""


def plot_roc(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    interval: bool = False,
    band: BandKind | None = None,
    level: float = 0.95,
    method: RocAreaMethod = "delong-wilson",
    threshold: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw ROC curves, each with its area in the legend, and the diagonal of chance.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.  Without `y_score`, a ScoredPrecisionRecallEvaluation, or a mapping of names to such.
    y_score : array-like of shape (n,), mapping or data frame
        Finite scores, or those of several models by their names.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    label : str, optional
        The name of one model.
    names : mapping of str to str or sequence of str, optional
        Other names for models: by their names in `y_score`, or in order.
    title : str, optional
        Stands above the axes.
    percent : bool, default False
        Whether to write the numbers of the axes in percent.
    interval : bool, default False
        Whether to write the interval of the area, that of `evalcore.inference.roc_auc_interval`, into the legend and
        draw a band around the curve.
    band : {'threshold', 'pointwise', 'simultaneous'}, optional
        Which band to draw, by default 'threshold' with `interval` and none without.  'threshold': at each threshold, a
        rectangle of two Wilson intervals of level √`level` covers both true rates with probability `level`.
        'pointwise' and 'simultaneous': that of `evalcore.inference.roc_curve_band`, which holds the curve at each false
        positive rate or as a whole; of cases without weights.
    level : float, default 0.95
        Of the interval and the band.
    method : {'delong-wilson', 'delong', 'delong-logit'}
        Of the interval, as of `evalcore.inference.roc_auc_interval`.
    threshold : float, optional
        Marks the point where scores at or above it are predicted positive, and writes its rates into the legend.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    weight_type : {"sampling", "frequency"}, default "sampling"
        What weights are, which decides the interval and the band.  "sampling": how many cases of the population each
        case stands for.  "frequency": how many cases like it there were, a whole number.  See the notes of
        `evalcore.evaluate`.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend; the diagonal is "_chance", a point of the threshold "_threshold".
        A curve that lies exactly under another is named in the legend.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.roc_curve`; for an interval of an evaluation with misses; for
        frequencies that are not whole; for an infinite threshold; if matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives or negatives: that curve is left empty.

    Notes
    -----
    Use it to compare how models rank whatever the prevalence; where positives are rare, `plot_precision_recall`
    shows more.

    O(n log n).  Misses of an evaluation tie below all scores.  Sources: T. Fawcett, An introduction to ROC analysis,
    Pattern Recognition Letters 27 (2006) 861-874; the rectangles: M. S. Pepe, The Statistical Evaluation of Medical
    Tests for Classification and Prediction (2003), 2.2.2.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot(), label="model")
    >>> ax.get_lines()[0].get_label()
    'model, AUC = 0.750'
    """
    check_line(plot_roc, line)
    check_choice(method, tuple(AREA_METHODS), "method", "plot_roc")
    confidence, at = checked_level(level), check_threshold(threshold)
    kind = checked_band(band, interval, "plot_roc")
    frequencies = are_frequencies(weight_type, "plot_roc")
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    drawn = models(y_true, y_score, label, options, names, frequencies=frequencies, thin=thin)
    parts = [
        _curve(model, thin, confidence if interval else None, at, method)._replace(
            band=outline_of_band(roc_bounds, model, kind, confidence, _rectangles)
        )
        if is_defined(model, "ROC curve", negatives=True)
        else axes.empty_curve(model.name, "AUC undefined")
        for model in drawn
    ]
    ax = axes.axes_of(ax)
    axes.draw(ax, parts, line)
    axes.reference(ax, "chance", [0, 1], [0, 1])
    axes.unit_axes(ax, "false positive rate", "true positive rate")
    band_reference(ax, kind if any(each.band for each in parts) else None, confidence)
    axes.legend(ax, "best" if any(np.any(drawn.line.x - drawn.line.y > _WORSE) for drawn in parts) else "lower right")
    return axes.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [])


def _curve(model: Model, thin: bool, level: float | None, threshold: float | None, method: str) -> axes.Curve:
    fp, tp = counts_from_none(model)
    line = axes.thinned_curve(fp, tp, width=model.negatives, height=model.positives, thin=thin)
    rates = Line(np.asarray(ratio(line.x, model.negatives)), np.asarray(ratio(line.y, model.positives)))
    if level is None:
        text = f"AUC = {_area(model):.3f}"
    else:
        check_no_misses(model, "interval")
        area = _area_interval(model, level, method)
        bounds = "" if np.isnan(area.low) else f" [{area.low:.3f}, {area.high:.3f}]"  # undefined without variance
        text = f"AUC = {area.estimate:.3f}{bounds}"  # too long for the line of the name
    curve = axes.Curve(rates, axes.legend_text(model.name, text, below=level is not None), model.name)
    if threshold is None:
        return curve
    found, wrong = predicted_positive(model, threshold)
    across, up = wrong / model.negatives, found / model.positives
    note = f"at {given_number(threshold)}: true positive rate {up:.3f},\nfalse positive rate {across:.3f}"
    return curve._replace(text=f"{curve.text}\n{note}", point=(across, up))


def _area(model: Model) -> float:
    if model.ordering is None or model.has_misses:
        fp, tp = counts_from_none(model)
        return float(curves.roc_areas(runs_of_points(tp[1:], fp[1:]))[0])
    return curves.roc_area(pair_counts(model.ordering.keys), int(model.positives), int(model.negatives))


def _area_interval(model: Model, level: float, method: str) -> Interval:
    """Return the interval of the area, of a model without misses.  O(n)."""
    if model.ordering is not None:
        return roc_auc_interval_of_keys(model.ordering.keys, level, method)
    assert model.weighted is not None
    ranking, frequencies, _ = model.weighted
    found = roc_area_and_variance(ranking.walk, frequencies=frequencies)
    smaller = smaller_class(found.classes).reshape(1)
    area, variance = np.array([found.area]), np.array([found.variance])
    (interval,) = roc_area_intervals(area, variance, smaller, level, method).each(level)
    return interval


def _rectangles(model: Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the rectangles at up to 200 thresholds along the curve."""
    fp, tp = counts_from_none(model)
    chosen = along(fp / model.negatives + tp / model.positives, 2.0)
    if model.weighted is None:
        sides = ((fp, model.negatives), (tp, model.positives))
        bounds = [wilson_bounds(own[chosen], np.full(chosen.size, total), level**0.5) for own, total in sides]
    else:
        correct, incorrect = model.weighted.class_sums
        bounds = [_bounds_of_class(own, chosen, level**0.5) for own in (incorrect, correct)]
    (left, right), (low, high) = bounds
    across = np.concatenate([left, right[-1:], right[::-1], left[:1]])
    return across, np.concatenate([high, high[-1:], low[::-1], low[:1]])


def _bounds_of_class(sums: WeightSums, chosen: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the rates of a class after so many distinct scores; sums: at or above each, (p,)."""
    found = WeightSums(*(np.concatenate([[0.0], column])[chosen] for column in sums))
    every = WeightSums(*(np.full(chosen.size, column[-1]) for column in sums))
    return weighted_bounds(found, every, level)
