"""ROC curves, with the area under each, its interval and a band."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.intervals import checked_level
from evalcore.inference.proportions import proportion_interval
from evalcore.inference.roc_areas import roc_auc_interval
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.ratios import ratio
from evalcore.kernels.thinning import Line
from evalcore.measures import curves, weighted_curves
from evalcore.plots.axes import (
    Curve,
    axes_of,
    draw,
    empty_curve,
    finished,
    legend,
    legend_text,
    reference,
    thinned_curve,
    unit_axes,
    wrapped,
)
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, check_plain, counts_from_none, is_defined, models
from evalcore.typing import FloatArray, Label

_BAND_POINTS = 200
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
    level: float = 0.95,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
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
        Whether to write DeLong's interval of the area into the legend and draw a band around the curve.  The band is
        pointwise: at each threshold, a rectangle of two Wilson intervals of level √`level` covers both true rates with
        probability `level`.  It covers the whole curve less often.
    level : float, default 0.95
        Of the interval and the band.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Nonnegative weights.
    thin : bool, default True
        Whether to leave out points that move the curve by at most 1/2000 of an axis.  Draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend; the diagonal is "_chance".

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.roc_curve`; for an interval of weighted cases or of an evaluation with misses;
        if matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives or negatives: that curve is left empty.

    Notes
    -----
    O(n log n).  Misses of an evaluation tie
    below all scores.  Sources: T. Fawcett, An introduction to ROC analysis,
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
    confidence = checked_level(level)
    drawn = models(y_true, y_score, label=label, names=names, pos_label=pos_label, sample_weight=sample_weight)
    usable = [is_defined(model, "ROC curve", negatives=True) for model in drawn]
    parts = [
        _curve(model, thin, confidence if interval else None) if ok else empty_curve(model.name, "AUC undefined")
        for model, ok in zip(drawn, usable, strict=True)
    ]
    bands = [_band(model, confidence) if ok and interval else None for model, ok in zip(drawn, usable, strict=True)]
    ax = axes_of(ax)
    for drawn_line, band in zip(draw(ax, parts, line), bands, strict=True):
        if band is not None:
            ax.fill(*band, color=drawn_line.get_color(), alpha=0.2, linewidth=0, label="_band")
    reference(ax, "chance", [0, 1], [0, 1])
    unit_axes(ax, "false positive rate", "true positive rate")
    legend(ax, "best" if any(np.any(drawn.line.x - drawn.line.y > _WORSE) for drawn in parts) else "lower right")
    return finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [])


def _curve(model: Model, thin: bool, level: float | None) -> Curve:
    fp, tp = counts_from_none(model)
    line = thinned_curve(fp, tp, width=model.negatives, height=model.positives, thin=thin)
    rates = Line(np.asarray(ratio(line.x, model.negatives)), np.asarray(ratio(line.y, model.positives)))
    if level is None:
        return Curve(rates, legend_text(model.name, f"AUC = {_area(model):.3f}"), model.name)
    cases = check_plain(model, "interval")
    area = roc_auc_interval(cases.labels, cases.scores, level=level)
    text = f"AUC = {area.estimate:.3f} [{area.low:.3f}, {area.high:.3f}]"
    return Curve(rates, "\n".join(filter(None, [wrapped(model.name), text])), model.name)  # too long for one line


def _area(model: Model) -> float:
    if model.ordering is None or model.has_misses:
        fp, tp = counts_from_none(model)
        return weighted_curves.roc_area(tp[1:], fp[1:])
    return curves.roc_area(pair_counts(model.ordering.keys), int(model.positives), int(model.negatives))


def _band(model: Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the rectangles at up to 200 thresholds along the curve."""
    check_plain(model, "interval")
    fp, tp = counts_from_none(model)
    along = fp / model.negatives + tp / model.positives
    indices = np.arange(along.size)
    if along.size > _BAND_POINTS:
        indices = np.unique(np.searchsorted(along, np.linspace(0, 2, _BAND_POINTS)).clip(max=along.size - 1))
    (left, right), (low, high) = (
        _bounds(counts[indices], total, level**0.5) for counts, total in ((fp, model.negatives), (tp, model.positives))
    )
    across = np.concatenate([left, right[-1:], right[::-1], left[:1]])
    return across, np.concatenate([high, high[-1:], low[::-1], low[:1]])


def _bounds(counts: FloatArray, total: float, level: float) -> tuple[FloatArray, FloatArray]:
    intervals = [proportion_interval(int(count), int(total), level=level) for count in counts]
    return np.array([each.low for each in intervals]), np.array([each.high for each in intervals])
