"""Cumulative gains and lift: what the best-scored part of the cases holds."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from evalcore.kernels.ratios import ratio
from evalcore.measures import thresholds
from evalcore.plots.axes import Curve, axes_of, curve, draw, empty, legend, reference, unit_axes
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, counts_from_none, defined, models
from evalcore.typing import FloatArray, Label

_LEAST_SHARE = 0.01


def plot_gains(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw which share of the positives each best-scored share of the cases holds.

    Parameters
    ----------
    y_true, y_score, ax, label, pos_label, sample_weight, thin, **line
        As in `plot_roc`.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines are labelled by the names of the models; beside them are "_chance" and "_perfect ...".

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.cumulative_gains_curve`; where matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives: that curve is left empty.

    Notes
    -----
    O(n log n).  Misses of an evaluation share the lowest place.  Source: I. H. Witten, E. Frank and M. A. Hall, Data
    Mining (2011), 5.7.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> plot_gains([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot()).get_lines()[0].get_ydata()
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    check_line(plot_gains, line)
    drawn = models(y_true, y_score, label=label, pos_label=pos_label, sample_weight=sample_weight)
    curves = [_gains(model, thin) for model in drawn]
    ax = axes_of(ax)
    draw(ax, curves, line)
    for share in dict.fromkeys(float(ratio(model.positives, model.positives + model.negatives)) for model in drawn):
        reference(ax, f"perfect {share:.3g}", [0, share, 1], [0, 1, 1])
    reference(ax, "chance", [0, 1], [0, 1])
    unit_axes(ax, "share of cases accepted, best first", "share of positives found")
    legend(ax, "lower right")
    return ax


def plot_lift(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    ax: Any = None,
    label: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    thin: bool = True,
    **line: Any,
) -> Any:
    """Draw how much denser positives are in each best-scored share of the cases than in all.

    Parameters
    ----------
    y_true, y_score, ax, label, pos_label, sample_weight, thin, **line
        As in `plot_roc`.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines are labelled by the names of the models; "_chance" is a lift of 1.  The axis reaches half
        above what curves do from 1% of the cases on: the first few cases alone may be far above.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.lift_curve`; where matplotlib is missing.

    Warns
    -----
    UndefinedMetricWarning
        Without positives: that curve is left empty.

    Notes
    -----
    O(n log n).  Misses of an evaluation share the lowest place.  Source: that of `plot_gains`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> plot_lift([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().add_subplot()).get_lines()[0].get_ydata()
    array([2.        , 1.        , 1.33333333, 1.        ])
    """
    check_line(plot_lift, line)
    drawn = models(y_true, y_score, label=label, pos_label=pos_label, sample_weight=sample_weight)
    curves = [_lift(model, thin) for model in drawn]
    ax = axes_of(ax)
    lines = draw(ax, curves, line)
    reference(ax, "chance", [0, 1], [1, 1])
    tops = [_top(*each.get_data()) for each in lines]
    earlier = ax.get_ylim()[1] if len(ax.get_lines()) > len(lines) + 1 else 0.0
    ax.set(xlim=(-0.01, 1.01), ylim=(0, max(earlier, 1.05 * max(tops))))
    ax.set(xlabel="share of cases accepted, best first", ylabel="lift (precision / prevalence)")
    legend(ax, "upper right")
    return ax


def _top(accepted: FloatArray, lifts: FloatArray) -> float:
    """Return the largest lift, but no more than half above the largest from 1% of the cases on."""
    usual = lifts[accepted >= _LEAST_SHARE].max(initial=1.0)
    return float(min(lifts.max(initial=1.0), 1.5 * usual))


def _shares(model: Model) -> tuple[FloatArray, FloatArray]:
    """Return the shares of the cases and of the positives from accepting none to accepting all."""
    falls, found = counts_from_none(model)
    return thresholds.cumulative_fractions(falls + found), thresholds.cumulative_fractions(found)


def _gains(model: Model, thin: bool) -> Curve:
    if not defined(model, "gains curve"):
        return empty(model.name)
    return Curve(curve(*_shares(model), width=1.0, height=1.0, thin=thin), model.name)


def _lift(model: Model, thin: bool) -> Curve:
    if not defined(model, "lift curve"):
        return empty(model.name)
    accepted, found = (shares[1:] for shares in _shares(model))
    lifts = thresholds.lifts(accepted, found)
    return Curve(curve(accepted, lifts, width=1.0, height=_top(accepted, lifts), thin=thin), model.name)
