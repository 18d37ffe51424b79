"""Cumulative gains and lift: the positives among the highest-scoring cases."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.kernels.sums import ratio
from evalcore.measures import thresholds
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
)
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, counts_from_none, is_defined, models
from evalcore.typing import FloatArray, Label

_LEAST_FRACTION = 0.01
_FIRST = 0.1
"""The legend says what this fraction of the cases holds: the first tenth, which is read most."""


class _Drawn(NamedTuple):
    curve: Curve
    mark: float
    """Gain or lift of the first tenth; NaN if it is not defined."""


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
    drawn = models(
        y_true,
        y_score,
        label=label,
        names=names,
        pos_label=pos_label,
        sample_weight=sample_weight,
        target_prevalence=target_prevalence,
        thin=thin,
    )
    parts = [_gains(model, thin) for model in drawn]
    ax = axes_of(ax)
    _draw_marked(ax, parts, line)
    for fraction in dict.fromkeys(float(ratio(model.positives, model.positives + model.negatives)) for model in drawn):
        reference(ax, f"perfect {fraction:.3g}", [0, fraction, 1], [0, 1, 1])
    reference(ax, "chance", [0, 1], [0, 1])
    unit_axes(ax, "fraction of cases, best first", "fraction of positives found")
    legend(ax, "lower right")
    return finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [])


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
    drawn = models(
        y_true,
        y_score,
        label=label,
        names=names,
        pos_label=pos_label,
        sample_weight=sample_weight,
        target_prevalence=target_prevalence,
        thin=thin,
    )
    parts = [_lift(model, thin) for model in drawn]
    ax = axes_of(ax)
    earlier = ax.get_ylim()[1] if ax.get_lines() else 0.0
    _draw_marked(ax, parts, line)
    reference(ax, "chance", [0, 1], [1, 1])
    tops = [_top(*part.curve.line) for part in parts]
    ax.set(xlim=(-0.01, 1.01), ylim=(0, max(earlier, 1.05 * max(tops))))
    ax.set(xlabel="fraction of cases, best first", ylabel="lift (precision / prevalence)")
    legend(ax, "upper right")
    return finished(ax, title, [ax.xaxis] if percent else [])


def _top(predicted_positive: FloatArray, lifts: FloatArray) -> float:
    """Return the largest lift, at most 1.5 times the largest beyond the first 1% of the cases.  O(p)."""
    usual = lifts[predicted_positive >= _LEAST_FRACTION].max(initial=1.0)
    return float(min(lifts.max(initial=1.0), 1.5 * usual))


def _fractions(model: Model) -> tuple[FloatArray, FloatArray]:
    """Return the fractions of cases and of positives at or above each threshold, from none to all.  O(p)."""
    fp, tp = counts_from_none(model)
    return thresholds.cumulative_fractions(fp + tp), thresholds.cumulative_fractions(tp)


def _draw_marked(ax: Any, parts: list[_Drawn], line: dict[str, Any]) -> None:
    lines = draw(ax, [part.curve for part in parts], line)
    for each, part in zip(lines, parts, strict=True):
        ax.plot(_FIRST, part.mark, marker="o", markersize=4, color=each.get_color(), label="_first tenth")


def _gains(model: Model, thin: bool) -> _Drawn:
    if not is_defined(model, "gains curve"):
        return _Drawn(empty_curve(model.name, "gain undefined"), np.nan)
    of_cases, of_positives = _fractions(model)
    gain = thresholds.fraction_found(of_cases, of_positives, _FIRST)
    line = thinned_curve(of_cases, of_positives, width=1.0, height=1.0, thin=thin)
    return _Drawn(Curve(line, legend_text(model.name, f"gain at 10% = {gain:.3f}"), model.name), gain)


def _lift(model: Model, thin: bool) -> _Drawn:
    if not is_defined(model, "lift curve"):
        return _Drawn(empty_curve(model.name, "lift undefined"), np.nan)
    of_cases, of_positives = _fractions(model)
    lift = thresholds.fraction_found(of_cases, of_positives, _FIRST) / _FIRST
    lifts = thresholds.lifts(of_cases[1:], of_positives[1:])
    line = thinned_curve(of_cases[1:], lifts, width=1.0, height=_top(of_cases[1:], lifts), thin=thin)
    return _Drawn(Curve(line, legend_text(model.name, f"lift at 10% = {lift:.2f}"), model.name), lift)
