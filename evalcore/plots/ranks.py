"""Histograms of the rank that a classifier gives to the right category."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationTypeError, shown
from evalcore.kernels.sums import ratio
from evalcore.plots.axes import COLOURS, SMALLER, axes_of, finished, grey, plain
from evalcore.plots.keywords import check_colour
from evalcore.state.shared import HasRankCounts
from evalcore.typing import FloatArray, IntArray

_ROW = 0.7
"""Height of a bar of all cases of a category; rows are 1 apart."""
_MOST_NUMBERED = 12
_INCHES = 0.45
_MOST_RANKS = 10
"""So many ranks have bars of their own, however few the cases."""
_LEAST_CASES = 5
"""For a bar of each rank, on average."""
_ROUND = 1, 2, 5
"""Ranks where bars begin, times powers of ten."""


def plot_rank_histograms(
    evaluator: HasRankCounts, *, ax: Any = None, title: str | None = None, color: Any = COLOURS[0]
) -> Any:
    """Draw, for each category in its own row, a bar chart of the ranks that its cases were given.

    Parameters
    ----------
    evaluator : RankedClassifierEvaluator
        An evaluator of rankings, scores or probabilities of k categories.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        Stands above the axes.
    color : matplotlib colour, optional
        Of the bars.

    Returns
    -------
    matplotlib.axes.Axes
        Its patches are the bars, row by row from the top.  A bar of all cases of a row would be 0.7 high.  Up to 12
        categories, each bar has its count above it.  Where more than ten ranks have fewer than five cases each, later
        ranks share bars: 2 to 4, 5 to 9, 10 to 19 and so on.

    Raises
    ------
    EvaluationTypeError
        If the evaluator has no ranks.
    EvaluationError
        Where matplotlib is missing.

    Notes
    -----
    Use it where a person may look at several guesses, to see which classes are found late.

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
    starts = starts_of_bars(len(names), int(cases.sum()))
    counts = np.add.reduceat(counts, starts, axis=1)
    heights = np.nan_to_num(np.asarray(ratio(counts, cases[:, np.newaxis]))) * _ROW
    floors = np.arange(len(names))[::-1, np.newaxis] + np.zeros_like(heights)
    bars = np.broadcast_to(np.arange(starts.size), heights.shape)
    ax = axes_of(ax, height=_INCHES * len(names))
    ax.bar(bars.ravel(), heights.ravel(), bottom=floors.ravel(), width=0.7, color=color)
    ax.hlines(floors[:, 0], -0.5, starts.size - 0.5, color=grey(), linewidth=0.6)
    ax.set_yticks(
        floors[:, 0], [f"{plain(name)} ({count:,})" for name, count in zip(names, cases.tolist(), strict=True)]
    )
    ax.tick_params(axis="y", length=0)
    if starts.size < len(names):
        ax.set_xticks(range(starts.size), _texts_of_bars(starts, len(names)))
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlim=(-0.6, starts.size - 0.4), ylim=(-0.15, len(names) + 0.1))
    ax.set(xlabel="rank of the right category (0 is best)", ylabel="category (cases)")
    if len(names) <= _MOST_NUMBERED:
        _number(ax, counts, floors + heights)
    return finished(ax, title)


def starts_of_bars(ranks: int, cases: int) -> IntArray:
    """Return the first rank of each bar.  O(ranks)."""
    if ranks <= _MOST_RANKS or cases >= _LEAST_CASES * ranks**2:  # each category has a bar for each rank
        return np.arange(ranks)
    rounded = [first * 10**power for power in range(len(str(ranks))) for first in _ROUND]
    return np.array([0, *(start for start in rounded if start < ranks)])


def _texts_of_bars(starts: IntArray, ranks: int) -> list[str]:
    ends = [*(starts[1:] - 1).tolist(), ranks - 1]
    return [f"{start}-{end}" if start < end else str(end) for start, end in zip(starts.tolist(), ends, strict=True)]


def _number(ax: Any, counts: IntArray, tops: FloatArray) -> None:
    for row, rank in np.ndindex(counts.shape):
        ax.text(rank, tops[row, rank] + 0.02, f"{counts[row, rank]:,}", ha="center", va="bottom", fontsize=SMALLER)
