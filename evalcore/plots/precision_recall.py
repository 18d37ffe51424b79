"""Precision-recall curves, as the steps whose area is the average precision."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.inference.cells import cells_of_sums, intervals_of, intervals_of_parts
from evalcore.inference.curve_areas import average_precision_intervals
from evalcore.inference.intervals import Interval, checked_level
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.runs import lazy_runs
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number
from evalcore.kernels.weights import WeightSums
from evalcore.measures import binary, curves
from evalcore.measures.bounds import precision_bounds
from evalcore.measures.effective_cases import effective_positives
from evalcore.optional import require
from evalcore.plots import axes, bands, models
from evalcore.plots.keywords import check_line
from evalcore.typing import BandKind, FloatArray, IntArray, Label, WeightType
from evalcore.validation.weights import are_frequencies

_F1_LEVELS = 0.2, 0.4, 0.6, 0.8
_F1_LABEL = "_F1"


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
    y_true, y_score, ax, label, names, title, percent, pos_label, sample_weight, weight_type, thin, **line
        As in `plot_roc`; the interval of the average precision takes the effective number of weighted positives.
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
    target_prevalence : float, optional
        Reweights the cases so that this fraction of them, above 0 and below 1, is positive: what another population, or
        the one from which a class was subsampled, would give.

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
    check_line(plot_precision_recall, line)
    confidence, at = checked_level(level), models.check_threshold(threshold)
    kind = bands.checked_band(band, interval, "plot_precision_recall")
    frequencies = are_frequencies(weight_type, "plot_precision_recall")
    if frequencies and target_prevalence is not None:
        raise EvaluationError("target_prevalence needs sampling weights (weight_type='sampling'), got 'frequency'")
    options = {"pos_label": pos_label, "sample_weight": sample_weight, "target_prevalence": target_prevalence}
    drawn = models.models(y_true, y_score, label, options, names, frequencies=frequencies, thin=thin)
    parts = [
        _curve(model, thin, confidence if interval else None, at)._replace(
            band=bands.outline_of_band(precision_bounds, model, kind, confidence, _intervals_of_precision)
        )
        if models.is_defined(model, "precision-recall curve")
        else axes.empty_curve(model.name, "AP undefined")
        for model in drawn
    ]
    ax = axes.axes_of(ax)
    axes.draw(ax, parts, line)
    for prevalence in dict.fromkeys(model.prevalence for model in drawn):
        axes.reference(ax, f"prevalence {prevalence:.3g}", [0, 1], [prevalence, prevalence])
    if f1_lines:
        _draw_f1_lines(ax)
    axes.unit_axes(ax, "recall", "precision")
    bands.band_reference(ax, kind if any(each.band for each in parts) else None, confidence)
    axes.legend(ax)
    return axes.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [])


def _curve(model: models.Model, thin: bool, level: float | None, threshold: float | None) -> axes.Curve:
    tp, fp, _ = model.points
    gaining = np.flatnonzero(np.diff(tp, prepend=0.0) > 0)
    tp, fp = tp[gaining], fp[gaining]
    line = axes.thinned_step_curve(tp, np.asarray(binary.precision(tp, fp)), 0.0, width=model.positives, thin=thin)
    line = line._replace(x=np.asarray(ratio(line.x, model.positives)))
    area = _area(model)
    text = f"AP = {area:.3f}"
    if level is not None:
        models.check_no_misses(model, "interval")
        if 0 < area < 1:  # the logit of others is infinite
            bounds = _area_interval(model, area, level)
            text += f" [{bounds.low:.3f}, {bounds.high:.3f}]"  # too long for the line of the name
    curve = axes.Curve(line, axes.legend_text(model.name, text, below=level is not None), model.name)
    return curve if threshold is None else _with_point(curve, model, threshold)


def _area_interval(model: models.Model, area: float, level: float) -> Interval:
    """Return the interval of an average precision above 0 and below 1, of a model without misses.  O(n)."""
    estimates = np.array([area])
    numbers = effective_positives(estimates, *(own.at(slice(-1, None)) for own in model.class_sums))
    return average_precision_intervals(estimates, numbers, level).each(level)[0]


def _intervals_of_precision(model: models.Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the intervals of precision at up to 200 of the points that find positives.  O(p)."""
    tp = model.points.tp
    gaining = np.flatnonzero(np.diff(tp, prepend=0.0) > 0)
    chosen = gaining[bands.along(tp[gaining], model.positives)]
    return bands.outline_of_steps(tp[chosen] / model.positives, *_bounds_of_precision(model, chosen, level))


def _bounds_of_precision(model: models.Model, chosen: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the precision at some of the distinct scores, (c,) each.  O(p)."""
    every = model.class_sums
    correct, incorrect = (own.at(chosen) for own in every)
    if model.weighted is None or not model.weighted.known_prevalence:
        wilson = intervals_of_parts(correct, correct.plus(incorrect), level)
        return wilson.low, wilson.high
    fn, tn = (WeightSums(*(np.maximum(column[-1] - column[chosen], 0.0) for column in own)) for own in every)
    tables = WeightSums(
        *(np.stack(cells, axis=-1).reshape(-1, 2, 2) for cells in zip(correct, fn, incorrect, tn, strict=True))
    )
    found = intervals_of("precision", cells_of_sums(tables, known_prevalence=True), level)
    return found.low, found.high


def _with_point(curve: axes.Curve, model: models.Model, threshold: float) -> axes.Curve:
    found, wrong = models.predicted_positive(model, threshold)
    if not found + wrong:
        return curve._replace(text=f"{curve.text}\nat {given_number(threshold)}: nothing predicted positive")
    recall, precision = found / model.positives, found / (found + wrong)
    note = f"at {given_number(threshold)}: precision {precision:.3f},\nrecall {recall:.3f}"
    return curve._replace(text=f"{curve.text}\n{note}", point=(recall, precision))


def _area(model: models.Model) -> float:
    if model.ordering is None:
        return float(curves.average_precisions(runs_of_points(model.points.tp, model.points.fp))[0])
    totals = np.array([[model.positives], [model.negatives]], np.int64)
    return float(curves.average_precisions(lazy_runs(model.ordering.keys)._replace(totals=totals))[0])


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
