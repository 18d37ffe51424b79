"""Cumulative gains and lift: the positives among the highest-scoring cases."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from evalcore.measures import thresholds
from evalcore.plots import axes
from evalcore.plots.models import Model, check_line, counts_from_none, is_defined, models
from evalcore.typing import FloatArray, Label

_LEAST_FRACTION = 0.01
_FIRST = 0.1
"""The legend says what this fraction of the cases holds: the first tenth, which is read most."""
_DOT = "_first tenth"


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
    y_true, y_score, ax, label, names, title, percent, pos_label, sample_weight, thin, **line
        As in `plot_roc`.
    target_prevalence : float, optional
        As in `plot_precision_recall`.

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
    check_line(plot_gains, line)
    drawn = models(y_true, y_score, label, names, pos_label, sample_weight, target_prevalence, thin=thin)
    ax = axes.draw(ax, [_curve(model, thin, "gain") for model in drawn], line)
    for fraction in dict.fromkeys(model.prevalence for model in drawn):
        axes.reference(ax, f"perfect {fraction:.3g}", [0, fraction, 1], [0, 1, 1])
    axes.reference(ax, "chance", [0, 1], [0, 1])
    axes.unit_axes(ax, "fraction of cases, best first", "fraction of positives found")
    return axes.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [], "lower right")


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
    y_true, y_score, ax, label, names, title, percent, pos_label, sample_weight, thin, **line
        As in `plot_roc`; lifts are no percentages.
    target_prevalence : float, optional
        As in `plot_precision_recall`.

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
    check_line(plot_lift, line)
    drawn = models(y_true, y_score, label, names, pos_label, sample_weight, target_prevalence, thin=thin)
    parts = [_curve(model, thin, "lift") for model in drawn]
    ax = axes.axes_of(ax)
    earlier = ax.get_ylim()[1] if ax.get_lines() else 0.0
    axes.draw(ax, parts, line)
    axes.reference(ax, "chance", [0, 1], [1, 1])
    tops = [_top(*part.line) for part in parts]
    ax.set(xlim=(-0.01, 1.01), ylim=(0, max(earlier, 1.05 * max(tops))))
    ax.set(xlabel="fraction of cases, best first", ylabel="lift (precision / prevalence)")
    return axes.finished(ax, title, [ax.xaxis] if percent else [], "upper right")


def _top(predicted_positive: FloatArray, lifts: FloatArray) -> float:
    """Return the largest lift, at most 1.5 times the largest beyond the first 1% of the cases.  O(p)."""
    usual = lifts[predicted_positive >= _LEAST_FRACTION].max(initial=1.0)
    return float(min(lifts.max(initial=1.0), 1.5 * usual))


def _curve(model: Model, thin: bool, what: Literal["gain", "lift"]) -> axes.Curve:
    """Return the curve of gains or of lifts.  O(p)."""
    if not is_defined(model, "gains curve" if what == "gain" else "lift curve"):
        return axes.empty_curve(model.name, f"{what} undefined")._replace(dot=(_DOT, _FIRST, np.nan))
    fp, tp = counts_from_none(model)
    x, y = thresholds.cumulative_fractions(fp + tp), thresholds.cumulative_fractions(tp)
    mark, height, decimals = thresholds.fraction_found(x, y, _FIRST), 1.0, 3
    if what == "lift":
        mark, decimals = mark / _FIRST, 2
        x, y = x[1:], thresholds.lifts(x[1:], y[1:])
        height = _top(x, y)
    line = axes.thinned_curve(x, y, width=1.0, height=height, thin=thin)
    text = axes.legend_text(model.name, f"{what} at 10% = {mark:.{decimals}f}")
    return axes.Curve(line, text, model.name, dot=(_DOT, _FIRST, mark))
