"""Histograms of the rank that a classifier gives to the right category."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationTypeError, shown
from evalcore.kernels.ratios import ratio
from evalcore.plots.axes import COLOURS, GREY, SMALLER, axes_of, plain
from evalcore.plots.keywords import check_colour
from evalcore.state.protocols import HasRankCounts
from evalcore.typing import FloatArray, IntArray

_ROW = 0.7
"""Height of a bar of all cases of a category; rows are 1 apart."""
_MOST_NUMBERED = 12
_INCHES = 0.45


def plot_rank_histograms(evaluator: HasRankCounts, *, ax: Any = None, color: Any = COLOURS[0]) -> Any:
    """Draw, for each category in its own row, a bar chart of the ranks that its cases were given.

    Parameters
    ----------
    evaluator : RankedClassifierEvaluator
        An evaluator of rankings, scores or probabilities of k categories.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    color : matplotlib colour, optional
        Of the bars.

    Returns
    -------
    matplotlib.axes.Axes
        Its patches are the bars, row by row from the top.  A bar of all cases of a row would be 0.7 high.  Up to 12
        categories, each bar has its count above it.

    Raises
    ------
    EvaluationTypeError
        If the evaluator has no ranks.
    EvaluationError
        Where matplotlib is missing.

    Notes
    -----
    O(k²).  Ranks count from 0.  Source: LingPipe 3.9.2, the class documentation of
    com.aliasi.classify.RankedClassifierEvaluator.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from evalcore import RankedClassifierEvaluator
    >>> evaluator = RankedClassifierEvaluator(None, ["a", "b"])
    >>> evaluator.addRankings(["a", "a", "b"], [["a", "b"], ["b", "a"], ["b", "a"]])
    >>> [text.get_text() for text in plot_rank_histograms(evaluator, ax=Figure().add_subplot()).texts]
    ['1', '1', '1', '0']
    """
    check_colour("color", color)
    if not isinstance(evaluator, HasRankCounts):
        raise EvaluationTypeError(f"evaluator must be a RankedClassifierEvaluator, got {shown(evaluator)}")
    names, counts = [str(category) for category in evaluator.categories()], evaluator.rank_counts()
    cases = counts.sum(axis=1)
    heights = np.nan_to_num(np.asarray(ratio(counts, cases[:, np.newaxis]))) * _ROW
    floors = np.arange(len(names))[::-1, np.newaxis] + np.zeros_like(heights)
    ranks = np.broadcast_to(np.arange(len(names)), heights.shape)
    ax = axes_of(ax, height=_INCHES * len(names))
    ax.bar(ranks.ravel(), heights.ravel(), bottom=floors.ravel(), width=0.7, color=color)
    ax.hlines(floors[:, 0], -0.5, len(names) - 0.5, color=GREY, linewidth=0.6)
    ax.set_yticks(
        floors[:, 0], [f"{plain(name)} ({count:,})" for name, count in zip(names, cases.tolist(), strict=True)]
    )
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlim=(-0.6, len(names) - 0.4), ylim=(-0.15, len(names) + 0.1))
    ax.set(xlabel="rank of the right category (0 is best)", ylabel="category (cases)")
    if len(names) <= _MOST_NUMBERED:
        _number(ax, counts, floors + heights)
    return ax


def _number(ax: Any, counts: IntArray, tops: FloatArray) -> None:
    for row, rank in np.ndindex(counts.shape):
        ax.text(rank, tops[row, rank] + 0.02, f"{counts[row, rank]:,}", ha="center", va="bottom", fontsize=SMALLER)
