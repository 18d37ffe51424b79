"""The scores of two models against each other."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.blocks import blocks
from evalcore.kernels.sums import ratio
from evalcore.optional import require
from evalcore.plots.axes import COLOURS, axes_of, finished, legend, plain, reference, wrapped
from evalcore.plots.models import check_threshold
from evalcore.typing import FloatArray, Label, ScoreArray
from evalcore.validation.scores import WeightedCases, as_binary_scores
from evalcore.validation.values import check_count

_MOST_BINS = 1000
_USUAL_BINS = 60
_FAINTEST = 0.2
"""How opaque a cell with the least cases is."""
_LEAST_COMMON = 0.25
"""Part of the range of all scores that both models must have, so that the axes are the same."""


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
    at = check_threshold(threshold)
    count = None if bins is None else check_count(bins, "bins", _MOST_BINS)
    if count == 0:
        raise EvaluationError("bins must be at least 1, got 0")
    names = list(y_score) if isinstance(y_score, Mapping) else [*getattr(y_score, "columns", ())]
    if len(names) != 2:
        raise EvaluationError(f"y_score must have the scores of two models by their names, got {len(names)}")
    first, second = (as_binary_scores(y_true, y_score[name], sample_weight, pos_label) for name in names)
    horizontal, vertical = _shared(_ends(first.scores), _ends(second.scores))
    cells = count or min(max(math.isqrt(first.scores.size), 1), _USUAL_BINS)
    every, positive = _cells((first, second), (horizontal, vertical), cells)
    ax = axes_of(ax)
    extent = (*horizontal, *vertical)
    ax.imshow(_colours(every, positive), extent=extent, origin="lower", interpolation="nearest", aspect="auto")
    ax.set_box_aspect(1)
    if horizontal == vertical:
        reference(ax, "same score", horizontal, vertical)
    if at is not None:
        reference(ax, "threshold of the first", [at, at], vertical, linestyle="-")
        reference(ax, "threshold of the second", horizontal, [at, at], linestyle="-")
    across, up = (plain(wrapped(f"score of {name}")) for name in names)
    ax.set(xlabel=across, ylabel=up, xlim=horizontal, ylim=vertical)
    patch = require("matplotlib.patches", "plots").Patch
    samples = [(patch(color=COLOURS[index]), text) for index, text in enumerate(("all negative", "all positive"))]
    legend(ax, groups=[samples], below=True)
    return finished(ax, title)


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
    negative_colour, positive_colour = (np.array(to_rgb(COLOURS[index])) for index in (0, 1))
    fraction = np.nan_to_num(np.asarray(ratio(positive, every)))[..., np.newaxis]
    colours = np.concatenate([(1 - fraction) * negative_colour + fraction * positive_colour, fraction], axis=2)
    filled = every > 0
    least, most = np.log(every[filled].min()), np.log(every[filled].max())
    dense = (np.log(every, where=filled, out=np.zeros_like(every)) - least) / ((most - least) or 1.0)
    colours[..., 3] = np.where(filled, _FAINTEST + (1 - _FAINTEST) * dense, 0.0)
    return colours
