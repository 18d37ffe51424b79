"""ROC curves, with the area beneath, its interval and a band."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping
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
from evalcore.plots.axes import Curve, axes_of, curve, draw, empty, legend, reference, texts, unit_axes
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, check_plain, counts_from_none, defined, models
from evalcore.typing import FloatArray, Label

_BAND_POINTS = 200
_WORSE = 0.1
"""How far below chance a curve must go to be in the way of a legend."""


def plot_roc(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
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
        Labels of two classes; or a ScoredPrecisionRecallEvaluation, or a mapping of names to such, without `y_score`.
    y_score : array-like of shape (n,), mapping or data frame
        Finite scores; or those of several models, by their names.
    ax : matplotlib.axes.Axes, optional
        Where to draw; if left out, in a new figure.
    label : str, optional
        The name of one model.
    interval : bool, default False
        Whether to put DeLong's interval of the area into the legend, and draw a band around the curve.  The band is
        pointwise: at each threshold, a rectangle of two Wilson intervals of level √`level`, which holds both true rates
        of that threshold as often as `level` says.  It does not hold the whole curve as often.
    level : float, default 0.95
        Of the interval and the band.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    thin : bool, default True
        Whether to leave out points, so that the curve moves by no more than 1/2000 of an axis; draw all to zoom in.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines are labelled as the legend says, the diagonal "_chance".

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.roc_curve`; for an interval of weighted cases or an evaluation with misses, or where SciPy
        is missing for it; where matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives or negatives: that curve is left empty.

    Notes
    -----
    O(n log n).  Misses of an evaluation share the lowest place.  Sources: T. Fawcett, An introduction to ROC analysis,
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
    share = checked_level(level)
    drawn = models(y_true, y_score, label=label, pos_label=pos_label, sample_weight=sample_weight)
    usable = [defined(model, "ROC curve", negatives=True) for model in drawn]
    parts = [
        _curve(model, thin, share if interval else None) if ok else empty(model.name, "AUC undefined")
        for model, ok in zip(drawn, usable, strict=True)
    ]
    bands = [_band(model, share) if ok and interval else None for model, ok in zip(drawn, usable, strict=True)]
    ax = axes_of(ax)
    for drawn_line, band in zip(draw(ax, parts, line), bands, strict=True):
        if band is not None:
            ax.fill(*band, color=drawn_line.get_color(), alpha=0.2, linewidth=0, label="_band")
    reference(ax, "chance", [0, 1], [0, 1])
    unit_axes(ax, "false positive rate", "true positive rate")
    legend(ax, "best" if any(np.any(drawn.line.x - drawn.line.y > _WORSE) for drawn in parts) else "lower right")
    return ax


def _curve(model: Model, thin: bool, level: float | None) -> Curve:
    falls, found = counts_from_none(model)
    line = curve(falls, found, width=model.negatives, height=model.positives, thin=thin)
    rates = Line(np.asarray(ratio(line.x, model.negatives)), np.asarray(ratio(line.y, model.positives)))
    if level is None:
        return Curve(rates, texts(model.name, f"AUC = {_area(model):.3f}"))
    cases = check_plain(model, "interval")
    area = roc_auc_interval(cases.labels, cases.scores, level=level)
    text = f"AUC = {area.estimate:.3f} [{area.low:.3f}, {area.high:.3f}]"
    return Curve(rates, f"{model.name}\n{text}" if model.name else text)  # in one line it would not fit


def _area(model: Model) -> float:
    if model.ordering is None or model.has_misses:
        falls, found = counts_from_none(model)
        return weighted_curves.roc_area(found[1:], falls[1:])
    return curves.roc_area(pair_counts(model.ordering.keys), int(model.positives), int(model.negatives))


def _band(model: Model, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the rectangles of thresholds along the curve, at most 200 of them."""
    check_plain(model, "interval")
    falls, found = counts_from_none(model)
    along = falls / model.negatives + found / model.positives
    places = np.arange(along.size)
    if along.size > _BAND_POINTS:
        places = np.unique(np.searchsorted(along, np.linspace(0, 2, _BAND_POINTS)).clip(max=along.size - 1))
    (left, right), (low, high) = (
        _bounds(counts[places], total, level**0.5)
        for counts, total in ((falls, model.negatives), (found, model.positives))
    )
    across = np.concatenate([left, right[-1:], right[::-1], left[:1]])
    return across, np.concatenate([high, high[-1:], low[::-1], low[:1]])


def _bounds(counts: FloatArray, total: float, level: float) -> tuple[FloatArray, FloatArray]:
    intervals = [proportion_interval(int(count), int(total), level=level) for count in counts]
    return np.array([each.low for each in intervals]), np.array([each.high for each in intervals])
