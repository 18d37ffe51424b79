"""Curves of rankings: ROC, precision-recall with areas, intervals and bands, error trade-offs, gains and lift."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.inference.cells import cells_of_sums, intervals_of, intervals_of_parts
from evalcore.inference.curve_areas import intervals_of_areas, intervals_of_precisions
from evalcore.inference.intervals import AREA_METHODS, checked_level
from evalcore.inference.rankings import areas_of_ranked, precisions_of_ranked
from evalcore.inference.thresholds import bounds_of_points
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.shapes import CHORD, COLUMN, Line, chords, column_extremes, steps
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number
from evalcore.kernels.weights import WeightSums
from evalcore.measures import binary, curves, thresholds
from evalcore.measures.bounds import CurveBounds, precision_bounds, roc_bounds
from evalcore.optional import require
from evalcore.plots import axes, legends, models
from evalcore.typing import BandKind, FloatArray, IntArray, Label, RocAucMethod, WeightType
from evalcore.validation.values import check_choice
from evalcore.validation.weights import are_frequencies

_NORMAL = NormalDist()
_TICKS = 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99
_LOWEST = 1e-9
"""Lower rates, such as 0, are drawn here, outside any axis."""
_ENDS = 0.0005, 0.9995

_F1_LEVELS = 0.2, 0.4, 0.6, 0.8
_F1_LABEL = "_F1"

_POINTS = 200
"""Of a band: more would not be told apart."""


_LEAST_FRACTION = 0.01
_FIRST = 0.1
"""The legend says what this fraction of the cases holds: the first tenth, which is read most."""
_DOT = "_first tenth"


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
    models.check_line(plot_roc, line)
    check_choice(method, tuple(AREA_METHODS), "method", "plot_roc")
    confidence, at = checked_level(level), models.check_threshold(threshold)
    kind = _checked_band(band, interval, "plot_roc")
    frequencies = are_frequencies(weight_type, "plot_roc")
    drawn = models.models(y_true, y_score, label, names, pos_label, sample_weight, frequencies=frequencies, thin=thin)
    parts = [_roc_curve(model, confidence, method if interval else None, kind, at, thin=thin) for model in drawn]
    ax = axes.draw(ax, parts, line)
    axes.reference(ax, "chance", [0, 1], [0, 1])
    axes.unit_axes(ax, "false positive rate", "true positive rate")
    axes.band_reference(ax, kind if any(each.band for each in parts) else None, confidence)
    return legends.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [], named=True)


def _roc_curve(
    model: models.Model, level: float, method: str | None, kind: BandKind | None, threshold: float | None, *, thin: bool
) -> axes.Curve:
    """Return the curve of a model; method: of the interval, None for no interval."""
    if not models.is_defined(model, "ROC curve", negatives=True):
        return axes.empty_curve(model.name, "AUC undefined")
    fp, tp = models.counts_from_none(model)
    line = axes.thinned_curve(fp, tp, width=model.negatives, height=model.positives, thin=thin)
    rates = Line(np.asarray(ratio(line.x, model.negatives)), np.asarray(ratio(line.y, model.positives)))
    if method is None:
        runs = runs_of_points(tp[1:], fp[1:]) if model.has_misses else model.cases.runs  # misses tie below all scores
        text = f"AUC = {curves.roc_aucs(runs)[0]:.3f}"
    else:
        models.check_no_misses(model, "interval")
        areas = areas_of_ranked(model.cases, frequencies=model.frequencies)
        [found] = intervals_of_areas(areas, level, method).each(level)
        bounds = "" if np.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]"  # undefined without variance
        text = f"AUC = {found.estimate:.3f}{bounds}"  # too long for the line of the name
    band = _outline_of_band(roc_bounds, model, kind, level, _rectangles)
    curve = axes.Curve(rates, axes.legend_text(model.name, text, below=method is not None), model.name, band)
    if threshold is None:
        return curve
    right, wrong = models.predicted_positive(model, threshold)
    across, up = wrong / model.negatives, right / model.positives
    return _marked(curve, threshold, f"true positive rate {up:.3f},\nfalse positive rate {across:.3f}", (across, up))


def _marked(curve: axes.Curve, threshold: float, said: str, point: tuple[float, float] | None) -> axes.Curve:
    """Return a curve with the point of a threshold, and what is said of it.  O(1)."""
    return curve._replace(text=f"{curve.text}\nat {given_number(threshold)}: {said}", point=point)


def _rectangles(model: models.Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the rectangles at up to 200 thresholds along the curve."""
    fp, tp = models.counts_from_none(model)
    chosen = _along(fp / model.negatives + tp / model.positives, 2.0)
    correct, incorrect = model.class_sums
    (left, right), (low, high) = (_bounds_of_class(own, chosen, level**0.5) for own in (incorrect, correct))
    across = np.concatenate([left, right[-1:], right[::-1], left[:1]])
    return across, np.concatenate([high, high[-1:], low[::-1], low[:1]])


def _bounds_of_class(sums: WeightSums, chosen: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the rates of a class after each number of distinct scores; sums: at or above each, (p,)."""
    found = WeightSums(*(np.concatenate([[0.0], column])[chosen] for column in sums))
    every = WeightSums(*(np.full(chosen.size, column[-1]) for column in sums))
    intervals = intervals_of_parts(found, every, level)
    return intervals.low, intervals.high


def plot_precision_recall(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    f1_lines: bool = True,
    interval: bool = False,
    band: BandKind | None = None,
    level: float = 0.95,
    threshold: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    target_prevalence: float | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw precision against recall, as the steps whose area, the average precision, is in the legend.

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
        Title of the axes.
    percent : bool, default False
        Whether to write the numbers of the axes in percent.
    f1_lines : bool, default True
        Whether to draw lines of equal F1.
    interval : bool, default False
        Whether to write the interval of the average precision into the legend and draw a band around the curve.
    band : {'threshold', 'pointwise', 'simultaneous'}, optional
        Which band to draw, by default 'threshold' with `interval` and none without.  'threshold': at each threshold,
        Wilson's interval of the precision of the cases that are predicted positive there.  'pointwise' and
        'simultaneous': that of `evalcore.inference.precision_recall_curve_band`, which holds the curve at each recall
        or as a whole; of cases without weights, of both classes.
    level : float, default 0.95
        Of the interval and the band.
    threshold : float, optional
        Marks the point where scores at or above it are predicted positive, and writes its numbers into the legend.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.  The interval of the average precision takes the effective number of
        positives.
    weight_type : {"sampling", "frequency"}, default "sampling"
        What weights are: how many cases of the population each case stands for, or how many cases like it there were, a
        whole number.
    target_prevalence : float, optional
        Reweights the cases so that this fraction of them, above 0 and below 1, is positive: what another population, or
        the one from which a class was subsampled, would give.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend, also the one at the prevalence; a point of the threshold is
        "_threshold".

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.precision_recall_curve`; for an interval of an evaluation with misses; for
        frequencies that are not whole or have a target prevalence; for an infinite threshold; if matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives: that curve is left empty.

    Notes
    -----
    Use it where positives are rare and the top of the list is what people read; not to compare cases of different
    prevalence.

    O(n log n).  Each step has the precision of a threshold and goes from the recall of the previous threshold to
    its own.  Misses of an evaluation lower the recall: the curve ends before 1.  Source: C. D. Manning, P. Raghavan and
    H. Schütze, Introduction to Information Retrieval (2008), 8.4; the band: E. B. Wilson, Probable inference, the law
    of succession, and statistical inference, JASA 22 (1927) 209-212, for the number of true positives among the cases
    predicted positive; the interval of the average precision: as `evalcore.inference.average_precision_interval`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_label()
    'AP = 0.833'
    """
    models.check_line(plot_precision_recall, line)
    confidence, at = checked_level(level), models.check_threshold(threshold)
    kind = _checked_band(band, interval, "plot_precision_recall")
    frequencies = are_frequencies(weight_type, "plot_precision_recall")
    if frequencies and target_prevalence is not None:
        raise EvaluationError("target_prevalence needs sampling weights (weight_type='sampling'), got 'frequency'")
    given = y_true, y_score, label, names, pos_label, sample_weight, target_prevalence
    drawn = models.models(*given, frequencies=frequencies, thin=thin)
    parts = [_precision_recall_curve(model, confidence, interval, kind, at, thin=thin) for model in drawn]
    ax = axes.draw(ax, parts, line)
    for prevalence in dict.fromkeys(model.prevalence for model in drawn):
        axes.reference(ax, f"prevalence {prevalence:.3g}", [0, 1], [prevalence, prevalence])
    if f1_lines:
        _draw_f1_lines(ax)
    axes.unit_axes(ax, "recall", "precision")
    axes.band_reference(ax, kind if any(each.band for each in parts) else None, confidence)
    return legends.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [], named=True)


def _precision_recall_curve(
    model: models.Model, level: float, interval: bool, kind: BandKind | None, threshold: float | None, *, thin: bool
) -> axes.Curve:
    if not models.is_defined(model, "precision-recall curve"):
        return axes.empty_curve(model.name, "AP undefined")
    tp, fp, _ = model.points
    gaining = np.flatnonzero(np.diff(tp, prepend=0.0) > 0)
    tp, fp = tp[gaining], fp[gaining]
    line = axes.thinned_step_curve(tp, np.asarray(binary.precision(tp, fp)), 0.0, width=model.positives, thin=thin)
    line = line._replace(x=np.asarray(ratio(line.x, model.positives)))
    text = f"AP = {curves.average_precisions(model.cases.runs)[0]:.3f}"
    if interval:
        models.check_no_misses(model, "interval")
        drawn = WeightSums(*(np.array([each[-1:] for each in sides]) for sides in zip(*model.class_sums, strict=True)))
        how = {"frequencies": model.frequencies, "known_prevalence": model.known_prevalence}
        [bounds] = intervals_of_precisions(precisions_of_ranked(model.cases, drawn, **how), level).each(level)
        if not np.isnan(bounds.low):
            text += f" [{bounds.low:.3f}, {bounds.high:.3f}]"  # too long for the line of the name
    band = _outline_of_band(precision_bounds, model, kind, level, _intervals_of_precision)
    curve = axes.Curve(line, axes.legend_text(model.name, text, below=interval), model.name, band)
    if threshold is None:
        return curve
    found, wrong = models.predicted_positive(model, threshold)
    if not found + wrong:
        return _marked(curve, threshold, "nothing predicted positive", None)
    recall, precision = found / model.positives, found / (found + wrong)
    return _marked(curve, threshold, f"precision {precision:.3f},\nrecall {recall:.3f}", (recall, precision))


def _intervals_of_precision(model: models.Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the intervals of precision at up to 200 of the points that find positives.  O(p)."""
    tp, sums = model.points.tp, model.class_sums
    gaining = np.flatnonzero(np.diff(tp, prepend=0.0) > 0)
    chosen = gaining[_along(tp[gaining], model.positives)]
    correct, incorrect = (own.at(chosen) for own in sums)
    if model.known_prevalence:
        fn, tn = (WeightSums(*(np.maximum(column[-1] - column[chosen], 0.0) for column in own)) for own in sums)
        stacked = (np.stack(cells, axis=-1) for cells in zip(correct, fn, incorrect, tn, strict=True))
        tables = WeightSums(*(cells.reshape(-1, 2, 2) for cells in stacked))
        found = intervals_of("precision", cells_of_sums(tables, known_prevalence=True), level)
    else:
        found = intervals_of_parts(correct, correct.plus(incorrect), level)
    low, high = (steps(tp[chosen] / model.positives, bounds, 0.0) for bounds in (found.low, found.high))
    return axes.outline(low.x, low.y, high.y)


def _draw_f1_lines(ax: Any) -> None:
    """Draw precision = F r / (2 r - F): F1 = 2 p r / (p + r), solved for the precision."""
    if any(lines.get_label() == _F1_LABEL for lines in ax.collections):
        return
    recalls = [np.linspace(level / (2 - level), 1, 100) for level in _F1_LEVELS]
    lines = [np.stack([r, f1 * r / (2 * r - f1)], axis=1) for r, f1 in zip(recalls, _F1_LEVELS, strict=True)]
    collection = require("matplotlib.collections", "plots").LineCollection
    thin = {"alpha": 0.3, "linewidths": 0.6, "zorder": 0.9}  # a legend may cover them
    ax.add_collection(collection(lines, colors=[axes.grey()], label=_F1_LABEL, **thin))
    for level, line in zip(_F1_LEVELS, lines, strict=True):
        axes.note(ax, 1.02, line[-1, 1], f"F\N{SUBSCRIPT ONE} = {level}", va="center")


def _checked_band(band: BandKind | None, interval: bool, function: str) -> BandKind | None:
    """Return the kind of band, by default "threshold" with an interval and none without one.  O(1)."""
    if band is None:
        return "threshold" if interval else None
    check_choice(band, get_args(BandKind), "band", function)
    return band


def _outline_of_band(
    bounds: Callable[..., CurveBounds],
    model: models.Model,
    kind: BandKind | None,
    level: float,
    at_thresholds: Callable[[models.Model, float], tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray] | None:
    """Return the outline of a band, if there is one: `at_thresholds` or of bounds evenly along the axis.  O(p)."""
    if kind is None:
        return None
    models.check_no_misses(model, "band")
    if kind == "threshold" or not model.negatives:
        return at_thresholds(model, level)
    if model.ordering is None:
        raise EvaluationError(f"band must be 'threshold' for cases with weights, got {kind!r}")
    rates = np.linspace(0, 1, _POINTS + 1)
    found = bounds_of_points(bounds, model.points, rates, level, simultaneous=kind == "simultaneous")
    assert found is not None
    return axes.outline(rates, found.low, found.high)


def _along(positions: FloatArray, length: float) -> IntArray:
    """Return the indices of at most 200 points that are evenly spaced along a curve.

    positions: (p,) float64, not falling, within 0 .. length.  O(p).
    """
    indices = np.arange(positions.size)
    if positions.size > _POINTS:
        indices = np.unique(np.searchsorted(positions, np.linspace(0, length, _POINTS)).clip(max=positions.size - 1))
    return indices


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
        Title of the axes.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines hold rates, which the scales of the axes turn into normal deviates, and have the labels of the legend,
        with the equal error rate, which is a dot; "_chance" is the diagonal.  Rates of 0 and 1 lie outside the axes,
        and so do models without errors.

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
    models.check_line(plot_det, line)
    drawn = models.models(y_true, y_score, label, names, pos_label, sample_weight)
    ax = axes.draw(ax, [_det_curve(model, thin) for model in drawn], line)
    axes.reference(ax, "chance", _ENDS, _ENDS[::-1])  # straight: rates that add up to 1 have opposite deviates
    _scale(ax)
    return legends.finished(ax, title, named=True)


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
    text = axes.legend_text(model.name, f"EER = {100 * rate:.1f}%")
    return axes.Curve(line, text, model.name, dot=("_equal error rate", rate, rate))


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
    for axis, which, name in ((ax.xaxis, "x", "false positive rate (%)"), (ax.yaxis, "y", "false negative rate (%)")):
        getattr(ax, f"set_{which}scale")("function", functions=(normal_deviates, normal_rates))
        axis.set_ticks(_TICKS, [f"{100 * tick:g}" for tick in _TICKS])
        axis.set_ticks([], minor=True)
        ax.set(**{f"{which}lim": _ENDS, f"{which}label": name})
    ax.set_box_aspect(1)


def plot_gains(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw the fraction of the positives that each highest-scoring fraction of the cases holds.

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
        Title of the axes.
    percent : bool, default False
        Whether to write the numbers of the axes in percent.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweights the cases so that this fraction of them, above 0 and below 1, is positive.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend, with the fraction of the positives among the first tenth of the cases,
        which is a dot; reference lines are "_chance" and "_perfect ...".

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.cumulative_gains_curve`; if matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives: that curve is left empty.

    Notes
    -----
    Use it to say how many of the positives a list of a given length finds.

    O(n log n).  Misses of an evaluation tie below all scores.  Source: I. H. Witten, E. Frank and M. A. Hall, Data
    Mining (2011), 5.7.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> plot_gains([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot()).get_lines()[0].get_ydata()
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    models.check_line(plot_gains, line)
    drawn = models.models(y_true, y_score, label, names, pos_label, sample_weight, target_prevalence, thin=thin)
    ax = axes.draw(ax, [_gains_curve(model, thin, "gain") for model in drawn], line)
    for fraction in dict.fromkeys(model.prevalence for model in drawn):
        axes.reference(ax, f"perfect {fraction:.3g}", [0, fraction, 1], [0, 1, 1])
    axes.reference(ax, "chance", [0, 1], [0, 1])
    axes.unit_axes(ax, "fraction of cases, best first", "fraction of positives found")
    return legends.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [], named=True)


def plot_lift(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw how much denser positives are among each highest-scoring fraction of the cases than among all.

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
        Title of the axes.
    percent : bool, default False
        Whether to write the fractions of cases in percent; lifts are no percentages.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweights the cases so that this fraction of them, above 0 and below 1, is positive.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend, with the lift of the first tenth of the cases, which is a dot;
        "_chance" is a lift of 1.  The axis ends at 1.5 times the largest lift beyond the first 1% of the cases: the
        lift of the first few cases may be far higher.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.lift_curve`; if matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives: that curve is left empty.

    Notes
    -----
    Use it to say how much better than chance a list of a given length is; not to compare cases of different prevalence.

    O(n log n).  Misses of an evaluation tie below all scores.  Source: as `plot_gains`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> plot_lift([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot()).get_lines()[0].get_ydata()
    array([2.        , 1.        , 1.33333333, 1.        ])
    """
    models.check_line(plot_lift, line)
    drawn = models.models(y_true, y_score, label, names, pos_label, sample_weight, target_prevalence, thin=thin)
    parts = [_gains_curve(model, thin, "lift") for model in drawn]
    ax = axes.axes_of(ax)
    earlier = ax.get_ylim()[1] if ax.get_lines() else 0.0
    axes.draw(ax, parts, line)
    axes.reference(ax, "chance", [0, 1], [1, 1])
    tops = [_top(*part.line) for part in parts]
    ax.set(xlim=(-0.01, 1.01), ylim=(0, max(earlier, 1.05 * max(tops))))
    ax.set(xlabel="fraction of cases, best first", ylabel="lift (precision / prevalence)")
    return legends.finished(ax, title, [ax.xaxis] if percent else [], named=True)


def _top(predicted_positive: FloatArray, lifts: FloatArray) -> float:
    """Return the largest lift, at most 1.5 times the largest beyond the first 1% of the cases.  O(p)."""
    usual = lifts[predicted_positive >= _LEAST_FRACTION].max(initial=1.0)
    return float(min(lifts.max(initial=1.0), 1.5 * usual))


def _gains_curve(model: models.Model, thin: bool, what: Literal["gain", "lift"]) -> axes.Curve:
    """Return the curve of gains or of lifts.  O(p)."""
    if not models.is_defined(model, "gains curve" if what == "gain" else "lift curve"):
        return axes.empty_curve(model.name, f"{what} undefined")._replace(dot=(_DOT, _FIRST, np.nan))
    fp, tp = models.counts_from_none(model)
    x, y = thresholds.cumulative_fractions(fp + tp), thresholds.cumulative_fractions(tp)
    mark, height, decimals = thresholds.fraction_found(x, y, _FIRST), 1.0, 3
    if what == "lift":
        mark, decimals = mark / _FIRST, 2
        x, y = x[1:], thresholds.lifts(x[1:], y[1:])
        height = _top(x, y)
    line = axes.thinned_curve(x, y, width=1.0, height=height, thin=thin)
    text = axes.legend_text(model.name, f"{what} at 10% = {mark:.{decimals}f}")
    return axes.Curve(line, text, model.name, dot=(_DOT, _FIRST, mark))
