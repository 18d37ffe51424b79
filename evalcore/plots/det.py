"""Detection error trade-offs: both error rates, on axes of normal deviates."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.shapes import CHORD, COLUMN, Line, chords, column_extremes
from evalcore.kernels.sums import ratio
from evalcore.measures import thresholds
from evalcore.plots.axes import FEW, Curve, axes_of, draw, finished, legend, legend_text, reference
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, counts_from_none, models
from evalcore.typing import FloatArray, IntArray, Label

_NORMAL = NormalDist()
_TICKS = 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99
_SMALL_AXES = 2.6
"""Inches; ticks of narrower axes would touch each other."""
_LOWEST = 1e-9
"""Lower rates, such as 0, are drawn here, outside any axis."""
_ENDS = 0.0005, 0.9995


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
    drawn = models(y_true, y_score, label, options, names)
    parts = [_curve(model, thin) for model in drawn]
    ax = axes_of(ax)
    lines = draw(ax, [curve for curve, _ in parts], line)
    for each, (_, rate) in zip(lines, parts, strict=True):
        ax.plot(rate, rate, marker="o", markersize=4, color=each.get_color(), label="_equal error rate")
    reference(ax, "chance", _ENDS, _ENDS[::-1])  # straight: rates that add up to 1 have opposite deviates
    _scale(ax)
    legend(ax, "upper right")
    return finished(ax, title)


def _curve(model: Model, thin: bool) -> tuple[Curve, float]:
    """Return the curve of a model, and its equal error rate.  O(p)."""
    if not model.positives or not model.negatives:
        raise EvaluationError("y_true must hold both classes, got one: the detection error trade-off is undefined")
    fp, tp = counts_from_none(model)
    of_negatives = np.asarray(ratio(fp, model.negatives))
    missed = np.asarray(ratio(model.positives - tp, model.positives))
    rate = thresholds.equal_error_rate(of_negatives, missed)
    drawn = _drawn_points(of_negatives, missed) if thin and fp.size > FEW else slice(None)
    line = Line(of_negatives[drawn], missed[drawn])
    outside = "" if _is_visible(line) else "outside the axes"
    return Curve(line, legend_text(model.name, f"EER = {100 * rate:.1f}%", outside), model.name), rate


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
