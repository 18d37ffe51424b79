"""ROC curves and detection error trade-offs: both error rates, with areas, intervals and bands."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.inference.cells import intervals_of_parts
from evalcore.inference.curve_areas import roc_auc_interval_of_keys
from evalcore.inference.intervals import AREA_METHODS, Interval, checked_level, roc_auc_intervals
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.shapes import CHORD, COLUMN, Line, chords, column_extremes
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number
from evalcore.kernels.weights import WeightSums
from evalcore.measures import curves, thresholds
from evalcore.measures.bounds import roc_bounds
from evalcore.measures.effective_cases import smaller_class
from evalcore.measures.roc_variances import roc_auc_and_variance
from evalcore.plots import axes, bands, models
from evalcore.plots.keywords import check_line
from evalcore.typing import BandKind, FloatArray, IntArray, Label, RocAucMethod, WeightType
from evalcore.validation.values import check_choice
from evalcore.validation.weights import are_frequencies

_WORSE = 0.1
"""A curve this far below chance would be behind the legend."""
_NORMAL = NormalDist()
_TICKS = 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99
_SMALL_AXES = 2.6
"""Inches; ticks of narrower axes would touch each other."""
_LOWEST = 1e-9
"""Lower rates, such as 0, are drawn here, outside any axis."""
_ENDS = 0.0005, 0.9995


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
    method: RocAucMethod = "delong-wilson",
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
    confidence, at = checked_level(level), models.check_threshold(threshold)
    kind = bands.checked_band(band, interval, "plot_roc")
    frequencies = are_frequencies(weight_type, "plot_roc")
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    drawn = models.models(y_true, y_score, label, options, names, frequencies=frequencies, thin=thin)
    parts = [
        _curve(model, thin, confidence if interval else None, at, method)._replace(
            band=bands.outline_of_band(roc_bounds, model, kind, confidence, _rectangles)
        )
        if models.is_defined(model, "ROC curve", negatives=True)
        else axes.empty_curve(model.name, "AUC undefined")
        for model in drawn
    ]
    ax = axes.axes_of(ax)
    axes.draw(ax, parts, line)
    axes.reference(ax, "chance", [0, 1], [0, 1])
    axes.unit_axes(ax, "false positive rate", "true positive rate")
    bands.band_reference(ax, kind if any(each.band for each in parts) else None, confidence)
    axes.legend(ax, "best" if any(np.any(drawn.line.x - drawn.line.y > _WORSE) for drawn in parts) else "lower right")
    return axes.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [])


def _curve(model: models.Model, thin: bool, level: float | None, threshold: float | None, method: str) -> axes.Curve:
    fp, tp = models.counts_from_none(model)
    line = axes.thinned_curve(fp, tp, width=model.negatives, height=model.positives, thin=thin)
    rates = Line(np.asarray(ratio(line.x, model.negatives)), np.asarray(ratio(line.y, model.positives)))
    if level is None:
        text = f"AUC = {_area(model):.3f}"
    else:
        models.check_no_misses(model, "interval")
        area = _area_interval(model, level, method)
        bounds = "" if np.isnan(area.low) else f" [{area.low:.3f}, {area.high:.3f}]"  # undefined without variance
        text = f"AUC = {area.estimate:.3f}{bounds}"  # too long for the line of the name
    curve = axes.Curve(rates, axes.legend_text(model.name, text, below=level is not None), model.name)
    if threshold is None:
        return curve
    found, wrong = models.predicted_positive(model, threshold)
    across, up = wrong / model.negatives, found / model.positives
    note = f"at {given_number(threshold)}: true positive rate {up:.3f},\nfalse positive rate {across:.3f}"
    return curve._replace(text=f"{curve.text}\n{note}", point=(across, up))


def _area(model: models.Model) -> float:
    if model.ordering is None or model.has_misses:
        fp, tp = models.counts_from_none(model)
        return float(curves.roc_aucs(runs_of_points(tp[1:], fp[1:]))[0])
    return curves.roc_auc(pair_counts(model.ordering.keys), int(model.positives), int(model.negatives))


def _area_interval(model: models.Model, level: float, method: str) -> Interval:
    """Return the interval of the area, of a model without misses.  O(n)."""
    if model.ordering is not None:
        return roc_auc_interval_of_keys(model.ordering.keys, level, method)
    assert model.weighted is not None
    ranking, frequencies, _ = model.weighted
    found = roc_auc_and_variance(ranking.walk, frequencies=frequencies)
    smaller = smaller_class(found.classes).reshape(1)
    area, variance = np.array([found.area]), np.array([found.variance])
    (interval,) = roc_auc_intervals(area, variance, smaller, level, method).each(level)
    return interval


def _rectangles(model: models.Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the rectangles at up to 200 thresholds along the curve."""
    fp, tp = models.counts_from_none(model)
    chosen = bands.along(fp / model.negatives + tp / model.positives, 2.0)
    correct, incorrect = model.class_sums
    (left, right), (low, high) = (_bounds_of_class(own, chosen, level**0.5) for own in (incorrect, correct))
    across = np.concatenate([left, right[-1:], right[::-1], left[:1]])
    return across, np.concatenate([high, high[-1:], low[::-1], low[:1]])


def _bounds_of_class(sums: WeightSums, chosen: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the rates of a class after so many distinct scores; sums: at or above each, (p,)."""
    found = WeightSums(*(np.concatenate([[0.0], column])[chosen] for column in sums))
    every = WeightSums(*(np.full(chosen.size, column[-1]) for column in sums))
    intervals = intervals_of_parts(found, every, level)
    return intervals.low, intervals.high


def normal_deviates(rates: Any) -> FloatArray:
    """Return the normal deviates of rates of any shape, clipped to 1e-9 .. 1 - 1e-9.  O(size), slow per element."""
    cut = np.clip(np.asarray(rates, np.float64), _LOWEST, 1 - _LOWEST)
    return np.fromiter(map(_NORMAL.inv_cdf, cut.ravel().tolist()), np.float64, cut.size).reshape(cut.shape)


def normal_rates(deviates: Any) -> FloatArray:
    """Return the rates of normal deviates of any shape.  O(size), slow per element."""
    given = np.asarray(deviates, np.float64)
    return np.fromiter(map(_NORMAL.cdf, given.ravel().tolist()), np.float64, given.size).reshape(given.shape)


def plot_det(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw false negative against false positive rates, on axes of normal deviates.

    Parameters
    ----------
    y_true, y_score, ax, label, names, title, pos_label, sample_weight, thin, **line
        As in `plot_roc`.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines hold rates, which the scales of the axes turn into normal deviates, and have the labels of the legend,
        with the equal error rate, which is a dot; "_chance" is the diagonal.  Rates of 0 and 1 lie outside the axes,
        and so do models without errors: the legend says so.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.det_curve`, also if only one class is present; if matplotlib is missing.

    Notes
    -----
    Use it for good detectors, whose ROC curves crowd into a corner; others are easier to read as ROC curves.

    O(n log n).  Models with normal scores of equal variance give straight lines.  Misses of an evaluation tie below all
    scores.  Source: A. Martin et al., The DET curve in assessment of detection task performance, Eurospeech 1997.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> plot_det([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot()).get_lines()[0].get_ydata()
    array([1. , 0.5, 0.5, 0. , 0. ])
    """
    check_line(plot_det, line)
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    drawn = models.models(y_true, y_score, label, options, names)
    curves = [_det_curve(model, thin) for model in drawn]  # refused before there is a figure
    ax = axes.axes_of(ax)
    axes.draw(ax, curves, line)
    axes.reference(ax, "chance", _ENDS, _ENDS[::-1])  # straight: rates that add up to 1 have opposite deviates
    _scale(ax)
    axes.legend(ax, "upper right")
    return axes.finished(ax, title)


def _det_curve(model: models.Model, thin: bool) -> axes.Curve:
    """Return the curve of a model, with a dot at its equal error rate.  O(p)."""
    if not model.positives or not model.negatives:
        raise EvaluationError("y_true must hold both classes, got one: the detection error trade-off is undefined")
    fp, tp = models.counts_from_none(model)
    of_negatives = np.asarray(ratio(fp, model.negatives))
    missed = np.asarray(ratio(model.positives - tp, model.positives))
    rate = thresholds.equal_error_rate(of_negatives, missed)
    drawn = _drawn_points(of_negatives, missed) if thin and fp.size > axes.FEW else slice(None)
    line = Line(of_negatives[drawn], missed[drawn])
    outside = "" if _is_visible(line) else "outside the axes"
    text = axes.legend_text(model.name, f"EER = {100 * rate:.1f}%", outside)
    return axes.Curve(line, text, model.name, dot=("_equal error rate", rate, rate))


def _is_visible(line: Line) -> bool:
    """Whether a part of a curve may lie within the axes.  O(p)."""
    inside = [
        (np.maximum(rates[1:], rates[:-1]) > _ENDS[0]) & (np.minimum(rates[1:], rates[:-1]) < _ENDS[1])
        for rates in line
    ]
    return bool(np.logical_and(*inside).any())


def _drawn_points(fp: FloatArray, missed: FloatArray) -> IntArray:
    """Return the indices of the points to draw, so that none moves further than in a thinned curve; see `thinning`.

    The columns are found by the rates of their edges, so that only the drawn points are turned into deviates.
    """
    across = _NORMAL.inv_cdf(_ENDS[1]) - _NORMAL.inv_cdf(_ENDS[0])
    furthest = _NORMAL.inv_cdf(_LOWEST)
    edges = normal_rates(np.arange(furthest, -furthest, across * COLUMN))
    drawn = column_extremes(fp, missed, edges)
    x, y = (normal_deviates(rates[drawn]) / across for rates in (fp, missed))
    return drawn[chords(x, y, CHORD)]


def _scale(ax: Any) -> None:
    narrow = ax.get_window_extent().width < _SMALL_AXES * ax.figure.dpi
    ticks = _TICKS[1::2] if narrow else _TICKS
    for axis, which, name in ((ax.xaxis, "x", "false positive rate (%)"), (ax.yaxis, "y", "false negative rate (%)")):
        getattr(ax, f"set_{which}scale")("function", functions=(normal_deviates, normal_rates))
        axis.set_ticks(ticks, [f"{100 * tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
        ax.set(**{f"{which}lim": _ENDS, f"{which}label": name})
    ax.set_box_aspect(1)
