"""Calibration: the observed fraction of positives against probabilities, and a histogram of these."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.inference.intervals import Interval, checked_level
from evalcore.inference.proportions import proportion_interval
from evalcore.kernels.probability_bins import Bins, binned, equal_widths, quantiles
from evalcore.kernels.ratios import ratio
from evalcore.kernels.thinning import Line
from evalcore.measures import calibration
from evalcore.plots.axes import Curve, axes_of, draw, filled, legend, legend_text, note, reference
from evalcore.plots.keywords import check_line
from evalcore.plots.models import model_data
from evalcore.typing import BinStrategy, FloatArray, Label
from evalcore.validation.parameters import check_choice, check_positive_integer
from evalcore.validation.probabilities import as_binned_probabilities

_BARS = 20
_FLOOR, _TOP = -0.24, -0.04
"""Between them stand the bars of the histograms, below the curves."""


class _Drawn(NamedTuple):
    curve: Curve
    intervals: list[Interval]
    """Of the observed fractions; empty unless asked for."""
    fractions: FloatArray
    """Of the cases, in each bar of the histogram."""


def plot_calibration(
    y_true: Any,
    y_prob: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    n_bins: int = 10,
    strategy: BinStrategy = "uniform",
    histogram: bool = True,
    interval: bool = False,
    level: float = 0.95,
    ax: Any = None,
    label: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    **line: Any,
) -> Any:
    """Draw the observed fraction of positives in bins of probabilities, above a histogram of the probabilities.

    Parameters
    ----------
    y_true, ax, label, pos_label, sample_weight, **line
        As in `plot_roc`.
    y_prob : array-like of shape (n,), mapping or data frame
        Probabilities of the positive class; or those of several models, by their names.
    n_bins : int, default 10
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or bounded by quantiles, as in `evalcore.metrics.calibration_curve`.
    histogram : bool, default True
        Whether to draw a histogram of twenty bars below 0.  The highest bar of each model fills the space.
    interval : bool, default False
        Whether to draw Wilson's interval of each observed fraction.
    level : float, default 0.95
        Of the intervals.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend, with the expected calibration error over the bins; "_perfect" is the
        diagonal.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.calibration_curve`; for intervals of weighted cases; if matplotlib is
        missing.

    Notes
    -----
    O(n).  Misses of an evaluation have no probability and are left out.  Sources: M. H. DeGroot and S. E. Fienberg,
    The comparison and evaluation of forecasters, The Statistician 32 (1983) 12-22; histograms below the curve: F. E.
    Harrell, Regression Modeling Strategies (2015), 10.9.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_calibration([0, 0, 1, 1], [0.0, 0.25, 0.75, 0.5], n_bins=2, ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_label()
    'ECE = 0.125'
    """
    check_line(plot_calibration, line)
    check_choice(strategy, ("uniform", "quantile"), "strategy", "plot_calibration")
    confidence, count = checked_level(level), check_positive_integer(n_bins, "n_bins", "plot_calibration")
    if interval and sample_weight is not None:
        raise EvaluationError("interval needs cases without weights; leave out sample_weight")
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    given = model_data(y_true, y_prob, label, options)
    columns = [(each.y_true, each.y_score, sample_weight, pos_label) for each in given]
    binned_by = count, strategy, confidence if interval else None
    drawn = [_drawn(each.name, own, *binned_by) for each, own in zip(given, columns, strict=True)]
    ax = axes_of(ax)
    lines = draw(ax, [each.curve for each in drawn], {"marker": "o", "markersize": 4, **line})
    for each, own in zip(lines, drawn, strict=True):
        if interval:
            lows, highs = ([getattr(bounds, side) for bounds in own.intervals] for side in ("low", "high"))
            ax.vlines(own.curve.line.x, lows, highs, color=each.get_color())
        if histogram:
            _draw_histogram(ax, own.fractions, each)
    reference(ax, "perfect", [0, 1], [0, 1])
    _finish(ax, histogram)
    return ax


def _drawn(name: str, columns: tuple[Any, Any, Any, Any], count: int, strategy: str, level: float | None) -> _Drawn:
    cases = as_binned_probabilities(*columns)
    edges = equal_widths(count) if strategy == "uniform" else quantiles(cases.probabilities, count)
    bins = binned(cases.probabilities, cases.positive, edges, cases.weights)
    filled = bins.weights > 0
    bins = Bins(*(sums[filled] for sums in bins))
    line = Line(calibration.mean_probabilities(bins), calibration.observed_rates(bins))
    bars = binned(cases.probabilities, cases.positive, equal_widths(_BARS), cases.weights).weights
    text = legend_text(name, f"ECE = {calibration.mean_gap(bins):.3f}")
    intervals = [] if level is None else _intervals(bins, level)
    return _Drawn(Curve(line, text), intervals, np.asarray(ratio(bars, bars.sum())))


def _intervals(bins: Bins, level: float) -> list[Interval]:
    counts = zip(bins.positives.tolist(), bins.weights.tolist(), strict=True)
    return [proportion_interval(int(positives), int(cases), level=level) for positives, cases in counts]


def _draw_histogram(ax: Any, fractions: FloatArray, line: Any) -> None:
    heights = _FLOOR + (_TOP - _FLOOR) * fractions / fractions.max()
    edges = np.concatenate([[0.0], equal_widths(_BARS), [1.0]])
    style = filled(line.get_color(), line.get_linestyle())
    ax.stairs(heights, edges, baseline=_FLOOR, fill=True, label="_histogram", **style)


def _finish(ax: Any, histogram: bool) -> None:
    ax.set(xlim=(-0.01, 1.01), xlabel="predicted probability", ylabel="observed fraction of positives")
    ax.set_ylim(min(ax.get_ylim()[0], _FLOOR - 0.01) if histogram else -0.01, 1.01)
    ax.set_yticks(np.linspace(0, 1, 6))
    if histogram:
        reference(ax, "floor", [0, 1], [0, 0], linestyle="-", linewidth=0.5)
        if all(text.get_text() != "cases" for text in ax.texts):
            note(ax, 1.025, (_FLOOR + _TOP) / 2, "cases", va="center", rotation=90)
    ax.set_box_aspect(1)
    legend(ax, "upper left")
