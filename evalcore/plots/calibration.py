"""Calibration: the observed fraction of positives against probabilities, and a histogram of these."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import check
from evalcore.inference.calibration import consistency_band
from evalcore.inference.cells import intervals_of_parts
from evalcore.inference.intervals import Intervals, checked_level, proportion_intervals
from evalcore.kernels.shapes import Line, isotonic_pools
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import Bins, bin_codes, binned, equal_widths, quantiles
from evalcore.kernels.weights import weight_sums
from evalcore.measures import losses
from evalcore.metrics.probabilities import LossDecomposition, decomposition_by_pools
from evalcore.plots import axes, legends
from evalcore.plots.axes import Curve, legend_text, reference
from evalcore.plots.models import check_frequencies, check_line, model_data
from evalcore.typing import CalibrationStrategy, FloatArray, Label, ScoreArray, WeightType
from evalcore.validation.scores import PositiveProbabilities, as_binned_probabilities
from evalcore.validation.values import check_choice, check_positive_integer
from evalcore.validation.weights import are_frequencies

_BINS, _FEWEST_BINS, _LEAST_CASES = 10, 3, 15
"""Bins by default, the fewest bins of few cases, and the least mean number of cases to a bin."""
_BARS = 20
_MOST_HISTOGRAMS, _MOST_BANDS, _MOST_INTERVALS = 2, 2, 5
"""Models; those of more would hide each other."""
_MOST_MARKED = 60
"""Ends of the pools of an isotonic curve; the marks of more would be a thick line."""
_FLOOR, _TOP = -0.24, -0.04
"""Between them stand the bars of the histograms, below the curves."""
_SEED = 0
"""Of the band of isotonic curves, so that a figure is the same each time."""


class _Drawn(NamedTuple):
    curve: Curve
    intervals: Intervals | None
    """Of the observed fractions in bins, if asked for."""
    fractions: FloatArray
    """Of the cases, in each bar of the histogram."""


def plot_calibration(
    y_true: Any,
    y_prob: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    n_bins: int | None = None,
    strategy: CalibrationStrategy = "uniform",
    histogram: bool | None = None,
    interval: bool | None = None,
    level: float = 0.95,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    **line: Any,
) -> Any:
    """Draw the observed fraction of positives against probabilities, in bins or without, above a histogram of these.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.  Without `y_prob`, a ScoredPrecisionRecallEvaluation, or a mapping of names to such.
    y_prob : array-like of shape (n,), mapping or data frame
        Probabilities of the positive class; or those of several models, by their names.
    n_bins : int, optional
        Number of bins; by default 10, or fewer if there are fewer than 150 cases, but at least 3.  None of "isotonic".
    strategy : {"uniform", "quantile", "isotonic"}, default "uniform"
        Bins of the same width, or bounded by quantiles, as in `evalcore.metrics.calibration_curve`; or no bins, but the
        rising curve that fits best, of `evalcore.metrics.isotonic_calibration_curve`.
    histogram : bool, optional
        Whether to draw a histogram below 0, of two bars to a bin by default, else of twenty bars.  The highest bar of
        each model fills the space.  By default for one or two models.
    interval : bool, optional
        Whether to draw Wilson's interval of each observed fraction, of sampling weights with the effective number of
        cases; by default for up to five models.  Of isotonic curves, whether to draw the consistency band, around the
        diagonal, of `evalcore.inference.consistency_band`; by default for up to two models.
    level : float, default 0.95
        Of the intervals, or of the band.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    label : str, optional
        The name of one model.
    names : mapping of str to str or sequence of str, optional
        Other names for models: by their names in `y_prob`, or in order.
    title : str, optional
        Title of the axes.
    percent : bool, default False
        Whether to write the numbers of the axes in percent.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    weight_type : {"sampling", "frequency"}, default "sampling"
        What weights are: how many cases of the population each case stands for, or how many cases like it there were, a
        whole number.
    **line
        Properties of the lines, such as ``color`` and ``linewidth``.

    Returns
    -------
    matplotlib.axes.Axes
        Its lines have the labels of the legend, with the expected calibration error over `n_bins`, or 10, bins, or of
        isotonic curves with the parts of the Brier score, those of `evalcore.metrics.loss_decomposition`, and what the
        band holds; "_perfect" is the diagonal, "_band" a consistency band.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.calibration_curve`; for frequencies that are not whole, or a number of bins of isotonic
        curves; if matplotlib is missing.

    Notes
    -----
    Use it where the probabilities themselves are used, to see in which direction they err; to compare models, a
    loss says more.

    O(n), O(n log n) of isotonic curves.  Misses of an evaluation have no probability and are left out.  An isotonic
    curve is level over each pool of cases, and leaves the band where it is not that of calibrated probabilities; the
    band of a figure is drawn from the seed 0.  Sources: T. Dimitriadis, T. Gneiting and A. I. Jordan, Stable
    reliability diagrams for probabilistic classifiers, PNAS 118 (2021) e2016191118; bins: M. H. DeGroot and S. E.
    Fienberg, The comparison and evaluation of forecasters, The Statistician 32 (1983) 12-22; histograms below the
    curve: F. E. Harrell, Regression Modeling Strategies (2015), 10.9.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_calibration([0, 0, 1, 1], [0.0, 0.25, 0.75, 0.5], n_bins=2, ax=Figure().add_subplot())
    >>> ax.get_lines()[0].get_label()
    'ECE = 0.125'
    """
    check_line(plot_calibration, line)
    check_choice(strategy, ("uniform", "quantile", "isotonic"), "strategy", "plot_calibration")
    confidence, in_bins = checked_level(level), strategy != "isotonic"
    bins = None if n_bins is None else check_positive_integer(n_bins, "n_bins", "plot_calibration")
    check(bins is None or in_bins, "n_bins", "be None for strategy='isotonic', which needs no bins", bins)
    given = model_data(y_true, y_prob, label, names, {"pos_label": pos_label, "sample_weight": sample_weight})
    if are_frequencies(weight_type, "plot_calibration"):
        check_frequencies(sample_weight, y_true)
    most = _MOST_INTERVALS if in_bins else _MOST_BANDS
    with_intervals = len(given) <= most if interval is None else interval
    asked = bins, strategy, (confidence, weight_type) if with_intervals else None
    cases = (as_binned_probabilities(each.y_true, each.y_score, each.sample_weight, pos_label) for each in given)
    drawn = [_drawn(each.name, own, *asked) for each, own in zip(given, cases, strict=True)]
    with_histogram = len(drawn) <= _MOST_HISTOGRAMS if histogram is None else histogram
    marked = in_bins or max(each.curve.line.x.size for each in drawn) <= _MOST_MARKED
    marks = {"marker": "o", "markersize": 4 if in_bins else 3, "markevery": None} if marked else {}
    ax = axes.draw(ax, [each.curve for each in drawn], {**marks, **line})
    lines = [each for each in ax.get_lines() if not each.get_label().startswith("_")][-len(drawn) :]
    for each, own in zip(lines, drawn, strict=True):
        if own.intervals is not None:
            ax.vlines(own.curve.line.x, own.intervals.low, own.intervals.high, color=each.get_color(), linewidth=1)
        if with_histogram:
            _draw_histogram(ax, own.fractions, each)
    reference(ax, "perfect", [0, 1], [0, 1])
    axes.band_reference(ax, "calibrated" if with_intervals and not in_bins else None, confidence)
    _finish(ax, with_histogram)
    return legends.finished(ax, title, [ax.xaxis, ax.yaxis] if percent else [], named=True)


def _drawn(
    name: str, cases: PositiveProbabilities, asked: int | None, strategy: str, interval: tuple[float, WeightType] | None
) -> _Drawn:
    """Return what is drawn of a model; interval: the level, and what weights are."""
    count = asked or min(_BINS, max(_FEWEST_BINS, cases.probabilities.size // _LEAST_CASES))
    bar_edges = equal_widths(_BARS if asked or strategy == "isotonic" else 2 * count)
    bars = binned(cases.probabilities, cases.positive, bar_edges, cases.weights)
    fractions = np.asarray(ratio(bars.weights, bars.weights.sum()))
    if strategy == "isotonic":
        return _Drawn(_isotonic_curve(name, cases, interval), None, fractions)

    def edges_of(count: int) -> ScoreArray:
        return equal_widths(count) if strategy == "uniform" else quantiles(cases.probabilities, count)

    def bins_of(count: int) -> Bins:
        return binned(cases.probabilities, cases.positive, edges_of(count), cases.weights)

    are_pairs = strategy == "uniform" and not asked
    bins = Bins(*(sums.reshape(-1, 2).sum(axis=1) for sums in bars)) if are_pairs else bins_of(count)
    # the error of few cases is that of the metric, whatever bins are drawn
    error = losses.mean_gap(bins if asked or count == _BINS else bins_of(_BINS))
    bins = Bins(*(sums[bins.weights > 0] for sums in bins))
    line = Line(losses.mean_probabilities(bins), losses.observed_rates(bins))
    intervals = None if interval is None else _intervals(cases, bins, edges_of(count), *interval)
    curve = Curve(line, legend_text(name, f"ECE = {error:.3f}"), name)
    return _Drawn(curve, intervals, fractions)


def _intervals(
    cases: PositiveProbabilities, held: Bins, edges: ScoreArray, level: float, weight_type: WeightType
) -> Intervals:
    """Return the intervals of the bins that hold cases.  O(bins), O(n) with weights."""
    if cases.weights is None:
        return proportion_intervals(held.positives, held.weights, level)
    codes, bins = bin_codes(cases.probabilities, edges), edges.size + 1
    frequencies = weight_type == "frequency"
    sums = weight_sums(codes + bins * cases.positive, cases.weights, 2 * bins, frequencies=frequencies)
    successes = sums.at(slice(bins, None))
    trials = sums.at(slice(bins)).plus(successes)
    chosen = np.flatnonzero(trials.sums > 0)
    return intervals_of_parts(successes.at(chosen), trials.at(chosen), level)


def _draw_histogram(ax: Any, fractions: FloatArray, line: Any) -> None:
    heights = _FLOOR + (_TOP - _FLOOR) * fractions / fractions.max()
    edges = np.concatenate([[0.0], equal_widths(fractions.size), [1.0]])
    style = {"facecolor": (line.get_color(), 0.25), "edgecolor": line.get_color(), "linestyle": line.get_linestyle()}
    ax.stairs(heights, edges, baseline=_FLOOR, fill=True, label="_histogram", linewidth=1.2, **style)


def _finish(ax: Any, histogram: bool) -> None:
    ax.set(xlim=(-0.01, 1.01), xlabel="predicted probability", ylabel="observed fraction of positives")
    ax.set_ylim(min(ax.get_ylim()[0], _FLOOR - 0.01) if histogram else -0.01, 1.01)
    ax.set_yticks(np.linspace(0, 1, 6))
    if histogram:
        reference(ax, "floor", [0, 1], [0, 0], linestyle="-", linewidth=0.5)
        if all(text.get_text() != "cases" for text in ax.texts):
            axes.note(ax, 1.025, (_FLOOR + _TOP) / 2, "cases", va="center", rotation=90)
    ax.set_box_aspect(1)


def _isotonic_curve(name: str, cases: PositiveProbabilities, band: tuple[float, WeightType] | None) -> Curve:
    """Return the isotonic regression of outcomes on probabilities, level within each pool.  O(n log n).

    band: the level of the consistency band, and what weights are; None for no band.
    """
    pools = isotonic_pools(*cases[:3])
    x = np.stack([pools.low, pools.high], axis=1, dtype=np.float64).ravel()
    y = np.repeat(ratio(pools.positives, pools.positives + pools.negatives), 2)
    parts = decomposition_by_pools("brier", cases, pools)
    curve = Curve(Line(x, y), legend_text(name, _decomposition(parts)), name)
    if band is None:
        return curve
    level, kind = band
    scores, weights = cases.probabilities, cases.weights
    found = consistency_band(scores, sample_weight=weights, weight_type=kind, level=level, seed=_SEED)
    return curve._replace(band=axes.outline(found.probabilities, found.low, found.high))


def _decomposition(parts: LossDecomposition) -> str:
    """Write a Brier score and what it is made of.

    >>> print(_decomposition(LossDecomposition(0.28125, 0.03125, 0.0, 0.25)))
    Brier score 0.281 =
    miscalibration 0.031
    - discrimination 0.000
    + uncertainty 0.250
    """
    gap = f"miscalibration {parts.miscalibration:.3f}\n- discrimination {parts.discrimination:.3f}"
    return f"Brier score {parts.loss:.3f} =\n{gap}\n+ uncertainty {parts.uncertainty:.3f}"
