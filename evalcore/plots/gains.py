"""Cumulative gains and lift: the positives among the highest-scoring cases."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from evalcore.kernels.ratios import ratio
from evalcore.measures import thresholds
from evalcore.plots.axes import Curve, axes_of, draw, empty_curve, legend, reference, thinned_curve, unit_axes
from evalcore.plots.keywords import check_line
from evalcore.plots.models import Model, counts_from_none, is_defined, models
from evalcore.typing import FloatArray, Label

_LEAST_FRACTION = 0.01


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
    """Draw the fraction of the positives that each highest-scoring fraction of the cases holds.

    Parameters
    ----------
    y_true, y_score, ax, label, pos_label, sample_weight, thin, **line
        As in `plot_roc`.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the names of the models as labels; reference lines are "_chance" and "_perfect ...".

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
    O(n log n).  Misses of an evaluation tie
    below all scores.  Source: I. H. Witten, E. Frank and M. A. Hall, Data
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
    for fraction in dict.fromkeys(float(ratio(model.positives, model.positives + model.negatives)) for model in drawn):
        reference(ax, f"perfect {fraction:.3g}", [0, fraction, 1], [0, 1, 1])
    reference(ax, "chance", [0, 1], [0, 1])
    unit_axes(ax, "fraction of cases predicted positive, best first", "fraction of positives found")
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
    """Draw how much denser positives are among each highest-scoring fraction of the cases than among all.

    Parameters
    ----------
    y_true, y_score, ax, label, pos_label, sample_weight, thin, **line
        As in `plot_roc`.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the names of the models as labels; "_chance" is a lift of 1.  The axis ends at 1.5 times the
        largest lift beyond the first 1% of the cases: the lift of the first few cases may be far higher.

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
    O(n log n).  Misses of an evaluation tie
    below all scores.  Source: as `plot_gains`.

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
    ax.set(xlabel="fraction of cases predicted positive, best first", ylabel="lift (precision / prevalence)")
    legend(ax, "upper right")
    return ax


def _top(predicted_positive: FloatArray, lifts: FloatArray) -> float:
    """Return the largest lift, at most 1.5 times the largest beyond the first 1% of the cases.  O(p)."""
    usual = lifts[predicted_positive >= _LEAST_FRACTION].max(initial=1.0)
    return float(min(lifts.max(initial=1.0), 1.5 * usual))


def _fractions(model: Model) -> tuple[FloatArray, FloatArray]:
    """Return the fractions of cases and of positives at or above each threshold, from none to all.  O(p)."""
    fp, tp = counts_from_none(model)
    return thresholds.cumulative_fractions(fp + tp), thresholds.cumulative_fractions(tp)


def _gains(model: Model, thin: bool) -> Curve:
    if not is_defined(model, "gains curve"):
        return empty_curve(model.name)
    return Curve(thinned_curve(*_fractions(model), width=1.0, height=1.0, thin=thin), model.name)


def _lift(model: Model, thin: bool) -> Curve:
    if not is_defined(model, "lift curve"):
        return empty_curve(model.name)
    predicted_positive, tp = (fractions[1:] for fractions in _fractions(model))
    lifts = thresholds.lifts(predicted_positive, tp)
    return Curve(
        thinned_curve(predicted_positive, lifts, width=1.0, height=_top(predicted_positive, lifts), thin=thin),
        model.name,
    )
