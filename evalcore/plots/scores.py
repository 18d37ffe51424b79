"""How the scores of each class are distributed, of one model and of two against each other."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import check
from evalcore.kernels.blocks import blocks
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number, rounded_up
from evalcore.optional import require
from evalcore.plots import axes, legends, models
from evalcore.typing import FloatArray, Label, ScoreArray
from evalcore.validation.scores import WeightedCases, as_binary_scores
from evalcore.validation.values import check_count

_MOST_BINS = 10_000
_USUAL_BINS = 50
"""Of many cases."""
_ROW = 0.85
"""Height of the highest bar of a model; rows are 1 apart."""
_INCHES = 0.75
"""Height of a row in a new figure."""
_FILL = 0.35
_MOST_CELLS, _USUAL_CELLS = 1000, 60
_FAINTEST = 0.2
"""How opaque a cell with the least cases is."""
_LEAST_COMMON = 0.25
"""Part of the range of all scores that both models must have, so that the axes are the same."""


def plot_score_distributions(
    y_true: Any,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    bins: int | None = None,
    threshold: float | None = None,
    ax: Any = None,
    label: str | None = None,
    names: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    percent: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    **line: Any,
) -> Any:
    """Draw histograms of the scores of each class, as fractions of that class: positives filled, negatives as outline.

    Several models stand in rows, each in its own colour, and each as high as its highest bar lets it.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.  Without `y_score`, a ScoredPrecisionRecallEvaluation, or a mapping of names to such.
    y_score : array-like of shape (n,), mapping or data frame
        Finite scores, or those of several models by their names.
    bins : int, optional
        Bins of equal width, from the lowest score of a model to its highest.  By default twice the cube root of the
        cases of the smaller class, at most 50.
    threshold : float, optional
        Draws a line at this threshold, and writes which fractions of the classes score at least as high.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    label : str, optional
        The name of one model.
    names : mapping of str to str or sequence of str, optional
        Other names for models: by their names in `y_score`, or in order.
    title : str, optional
        Title of the axes.
    percent : bool, default False
        Whether to write the fractions on the axis in percent.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    **line
        Properties of the outlines, such as ``color`` and ``linewidth``; those of markers change nothing.

    Returns
    -------
    matplotlib.axes.Axes
        Its patches are the histograms of negatives and positives of each model, in this order, labelled by model and
        class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.metric_curves`; for infinite scores or thresholds, or no bins; if matplotlib is missing.

    Notes
    -----
    Use it to see how far the scores separate the classes, and what a threshold would cut off.

    O(n log n + bins log n) for each model.  A score on the edge between two bins is in the upper one.  Misses of an
    evaluation have no score and are left out.  A class without cases has no histogram.  Source of the number of bins:
    D. M. Lane, Online Statistics Education (2013), 2.4, the Rice rule.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_score_distributions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2, ax=Figure().add_subplot())
    >>> [patch.get_label() for patch in ax.patches]
    ['negative (2)', 'positive (2)']
    """
    models.check_line(plot_score_distributions, line)
    count = _checked_bins(bins, _MOST_BINS)
    at = models.check_threshold(threshold)
    drawn = models.models(y_true, y_score, label, names, pos_label, sample_weight)
    models.check_finite_scores(drawn)
    rows = len(drawn) > 1
    ax = axes.axes_of(ax, height=_INCHES * len(drawn) + 1 if rows else 0.0)
    properties, first = axes.merged({}, line), len(ax.patches)
    colour = properties.pop("color", None)
    earlier = len({tuple(patch.get_edgecolor()) for patch in ax.patches})
    for number, model in enumerate(drawn):
        baseline = len(drawn) - 1 - number if rows else None
        own = colour or axes.nth_style(earlier + number)["color"]
        _draw(ax, model, own, _edges(model, count), baseline=baseline, at=at)
    for patch in ax.patches[first:]:
        patch.set(**{name: value for name, value in properties.items() if hasattr(patch, f"set_{name}")})
    if at is not None:
        axes.reference(ax, f"threshold {given_number(at)}", [at, at], [0, 1], transform=ax.get_xaxis_transform())
    ax.set(xlabel="score")
    if rows:
        _name_rows(ax, drawn)
        return legends.finished(ax, title)
    ax.set(ylabel="fraction of the class in each bin")
    ax.set_ylim(bottom=0)
    legends.legend(ax)
    return legends.finished(ax, title, [ax.yaxis] if percent else [])


def _checked_bins(bins: Any, most: int) -> int | None:
    """Return a number of bins from 1 to `most`, or None for the usual one.  O(1)."""
    count = None if bins is None else check_count(bins, "bins", most)
    check(count != 0, "bins", "be at least 1", count)
    return count


def _draw(
    ax: Any, model: models.Model, colour: str, edges: FloatArray, *, baseline: int | None, at: float | None
) -> None:
    """Draw the histograms of a model: from 0, or scaled to its row."""
    cases = {"negative": float(model.points.fp[-1]), "positive": float(model.points.tp[-1])}
    starts = rounded_up(edges[:-1], model.points.scores.dtype).astype(np.float64)
    counts = dict(zip(("positive", "negative"), models.counts_at_or_above(model, starts), strict=True))
    parts = {name: ratio(-np.diff(counts[name], append=0.0), whole) for name, whole in cases.items() if whole > 0}
    heights, above, shown = {name: np.asarray(part) for name, part in parts.items()}, dict[str, float](), ""
    if at is not None:
        shown, decided = given_number(at), dict(zip(counts, models.predicted_positive(model, at), strict=True))
        above = {name: decided[name] / cases[name] for name in heights}
    scale = 1.0 if baseline is None else _ROW / max(each.max() for each in heights.values())
    start = baseline or 0
    for name, fractions in heights.items():
        text = axes.legend_text(model.name, f"{name} ({axes.count_text(cases[name] * _unit(model))})")
        if baseline is None and above:
            text += f"\n{100 * above[name]:.1f}% at or above {shown}"
        fill = {"facecolor": (colour, _FILL) if name == "positive" else "none", "edgecolor": colour, "linewidth": 1.2}
        ax.stairs(start + scale * fractions, edges, baseline=start, fill=True, label=axes.plain(text), **fill)
    if baseline is not None and above:
        text = ", ".join(f"{100 * above[name]:.1f}% of {name}s" for name in reversed(heights))
        where = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "top"}
        axes.note(ax, 0.99, start + _ROW + 0.1, f"\N{GREATER-THAN OR EQUAL TO} {shown}: {text}", **where)


def _name_rows(ax: Any, drawn: list[models.Model]) -> None:
    """Name the rows, and say how the classes are drawn."""
    starts = range(len(drawn))[::-1]
    ax.set_yticks(starts, [axes.plain(axes.wrapped(model.name)) for model in drawn], va="bottom")
    ax.tick_params(axis="y", length=0)
    ax.set(ylim=(-0.05, len(drawn) - 0.02), ylabel="fraction of the class, scaled to the row")
    for start in starts:
        axes.reference(ax, f"row {start}", [0, 1], [start] * 2, linestyle="-", transform=ax.get_yaxis_transform())
    patch, ink = require("matplotlib.patches", "plots").Patch, axes.settings()["text.color"]
    counts = {tuple(float(sums[-1]) * _unit(model) for sums in (model.points.fp, model.points.tp)) for model in drawn}
    texts = ["negative", "positive"]
    if len(counts) == 1:  # the same cases for all
        texts = [f"{name} ({axes.count_text(count)})" for name, count in zip(texts, counts.pop(), strict=True)]
    samples = patch(facecolor="none", edgecolor=ink), patch(facecolor=(ink, _FILL), edgecolor=ink)
    legends.legend(ax, [*zip(samples, texts, strict=True)], below=True)


def _unit(model: models.Model) -> float:
    """Return what weights were divided by, before they were summed."""
    return float(getattr(model.cases, "divisor", 1.0))


def _edges(model: models.Model, bins: int | None) -> FloatArray:
    if bins is None:
        positives = int(np.count_nonzero(model.cases.correct))
        smaller = min(filter(None, (positives, model.cases.size - positives)))
        bins = min(math.ceil(2 * math.cbrt(smaller)), _USUAL_BINS)
    return np.linspace(*_ends(model.points.scores[[0, -1]]), bins + 1)


def plot_score_pairs(
    y_true: Any,
    y_score: Mapping[str, ArrayLike] | Any,
    *,
    bins: int | None = None,
    threshold: float | None = None,
    ax: Any = None,
    title: str | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Draw how the cases lie between the scores of two models: where they agree, and where one of them is right.

    The colour of a cell tells which class its cases have, from all negative to all positive; the more cases it has, the
    less one sees through it, on a logarithmic scale.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : mapping of str to array-like of shape (n,), or data frame
        Finite scores of two models by their names: of the horizontal axis, then of the vertical one.
    bins : int, optional
        Cells along each axis, from the lowest score to the highest.  By default 60, fewer of few cases.
    threshold : float, optional
        Draws a line at this threshold on both axes: between the lines, the models decide differently.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        Stands above the axes.
    pos_label : int, float, bool or str, optional
        The positive class; by default labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    matplotlib.axes.Axes
        Its image has the cells as colours.  The diagonal is "_same score"; models whose ranges of scores have less than
        a quarter in common have an axis each, and no diagonal.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.roc_curve`; unless there are two models; for infinite scores; if matplotlib is missing.

    Notes
    -----
    Use it to see on which cases two models disagree, before they are combined or exchanged.

    O(n + bins²).  Source: W. S. Cleveland, The Elements of Graphing Data (1994), 3.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> scores = {"old": [0.1, 0.4, 0.35, 0.8], "new": [0.2, 0.3, 0.6, 0.9]}
    >>> plot_score_pairs([0, 0, 1, 1], scores, ax=Figure().add_subplot()).get_ylabel()
    'score of new'
    """
    at = models.check_threshold(threshold)
    count = _checked_bins(bins, _MOST_CELLS)
    names = list(y_score) if isinstance(y_score, Mapping) else [*getattr(y_score, "columns", ())]
    check(len(names) == 2, "y_score", "have the scores of two models by their names", len(names))
    first, second = (as_binary_scores(y_true, y_score[name], sample_weight, pos_label) for name in names)
    horizontal, vertical = _shared(_ends(first.scores), _ends(second.scores))
    cells = count or min(max(math.isqrt(first.scores.size), 1), _USUAL_CELLS)
    every, positive = _cells((first, second), (horizontal, vertical), cells)
    ax = axes.axes_of(ax)
    extent = (*horizontal, *vertical)
    ax.imshow(_colours(every, positive), extent=extent, origin="lower", interpolation="nearest", aspect="auto")
    ax.set_box_aspect(1)
    if horizontal == vertical:
        axes.reference(ax, "same score", horizontal, vertical)
    if at is not None:
        axes.reference(ax, "threshold of the first", [at, at], vertical)
        axes.reference(ax, "threshold of the second", horizontal, [at, at])
    across, up = (axes.plain(axes.wrapped(f"score of {name}")) for name in names)
    ax.set(xlabel=across, ylabel=up, xlim=horizontal, ylim=vertical)
    patch = require("matplotlib.patches", "plots").Patch
    samples = [(patch(color=axes.COLOURS[index]), text) for index, text in enumerate(("all negative", "all positive"))]
    legends.legend(ax, samples, below=True)
    return legends.finished(ax, title)


def _ends(scores: ScoreArray) -> tuple[float, float]:
    """Return the lowest and the highest score of a column, (n,), or numbers around the only one.  O(n)."""
    low, high = float(scores.min()), float(scores.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _shared(first: tuple[float, float], second: tuple[float, float]) -> tuple[tuple[float, float], ...]:
    """Return the ends of both axes: the same ones unless the scales of the models have little in common.  O(1).

    >>> _shared((0.0, 0.5), (0.25, 1.0)), _shared((0.0, 1.0), (-20.0, 20.0))
    (((0.0, 1.0), (0.0, 1.0)), ((0.0, 1.0), (-20.0, 20.0)))
    """
    (low, common_low), (common_high, high) = sorted([first[0], second[0]]), sorted([first[1], second[1]])
    return ((low, high),) * 2 if common_high - common_low >= _LEAST_COMMON * (high - low) else (first, second)


def _cells(
    cases: tuple[WeightedCases, WeightedCases], ends: Sequence[tuple[float, float]], bins: int
) -> tuple[FloatArray, FloatArray]:
    """Return the cases, and the positive ones, of each cell, (bins, bins) each: rows are cells of the second.  O(n)."""
    labels, weights = cases[0].labels, cases[0].weights
    found = np.zeros(2 * bins * bins)
    for block in blocks(labels.size):
        across, up = (
            np.minimum((own.scores[block].astype(np.float64) - low) * (bins / (high - low)), bins - 1).astype(np.int64)
            for own, (low, high) in zip(cases, ends, strict=True)
        )
        own = None if weights is None else weights[block]
        found += np.bincount((up * bins + across) * 2 + labels[block], own, found.size)
    negatives, positives = found.reshape(bins, bins, 2).transpose(2, 0, 1)
    return negatives + positives, positives


def _colours(every: FloatArray, positive: FloatArray) -> FloatArray:
    """Return the colour of each cell, (b, b, 4): its class by the colour, its cases by how opaque it is.  O(b²)."""
    to_rgb = require("matplotlib.colors", "plots").to_rgb
    negative_colour, positive_colour = (np.array(to_rgb(axes.COLOURS[index])) for index in (0, 1))
    fraction = np.nan_to_num(np.asarray(ratio(positive, every)))[..., np.newaxis]
    colours = np.concatenate([(1 - fraction) * negative_colour + fraction * positive_colour, fraction], axis=2)
    filled = every > 0
    least, most = np.log(every[filled].min()), np.log(every[filled].max())
    dense = (np.log(every, where=filled, out=np.zeros_like(every)) - least) / ((most - least) or 1.0)
    colours[..., 3] = np.where(filled, _FAINTEST + (1 - _FAINTEST) * dense, 0.0)
    return colours
