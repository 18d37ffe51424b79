"""How much weight of the other class cases lose to: what the variance of a ROC area needs, in one pass after the sort.

Each part of the ranking gives the moments of its own losses, to cases of the part alone.  Those to the cases of other
parts are the same for all of a part, so that moments of parts add up to those of all: no array of all cases is built.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_parts
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorted_weights import SortedWeights, accumulate_rows, parts_between_scores
from evalcore.typing import BoolArray, FloatArray, IntArray


class LossMoments(NamedTuple):
    """Moments of the losses of the cases of a class: of the weight of the other class on the wrong side of each.

    Ties count half.  Where weights are frequencies, squares and cases are the sums of the weights.
    """

    weight: float
    squares: float
    """Sum of the squares of the weights."""
    cases: float
    lost: float
    """Mean of the losses, by weight."""
    scatter: float
    """Sum of the squares of weights times squared deviations from the mean."""


class _PartMoments(NamedTuple):
    """Moments of a class in one part of a ranking; of a list of parts, (parts,) each."""

    weight: float
    squares: float
    cases: float
    lost: float
    drift: float
    """Sum of the squares of weights times deviations from the mean."""
    scatter: float


def loss_moments(cases: SortedWeights, *, frequencies: bool = False) -> tuple[LossMoments, LossMoments]:
    """Return the moments of correct and of incorrect cases, each with a case.  O(n), a few blocks of memory.

    >>> loss_moments(SortedWeights(np.arange(3), np.array([True, True, True]), np.array([-1.0, 3.0, -1.0])))[1]
    LossMoments(weight=2.0, squares=2.0, cases=2.0, lost=1.5, scatter=4.5)
    """

    def of_part(part: slice) -> tuple[_PartMoments, ...]:
        return _moments_of_part(cases.weights[part], cases.ends[part], frequencies)

    found = map_parts(of_part, parts_between_scores(cases.ends), cases.ends.size)
    correct, incorrect = np.array(found).swapaxes(0, 1)
    if frequencies:
        correct[:, 2], incorrect[:, 2] = correct[:, 0], incorrect[:, 0]
    above = np.cumsum(incorrect[:, 0]) - incorrect[:, 0]
    below = (np.cumsum(correct[::-1, 0]) - correct[::-1, 0])[::-1]
    return _joined(correct, above), _joined(incorrect, below)


def _joined(parts: FloatArray, others: FloatArray) -> LossMoments:
    """Return the moments of all parts, (parts, 6), of the weights that each loses to elsewhere, (parts,)."""
    weights, squares, cases, lost, drifts, scatters = parts.T
    if not weights.any():
        return LossMoments(0.0, 0.0, 0.0, np.nan, np.nan)
    losses = others + lost
    mean = _mean(losses, weights)
    away = losses - mean
    scatter = np.sum(scatters + 2 * away * drifts + away * away * squares)
    return LossMoments(float(np.sum(weights)), float(np.sum(squares)), float(np.sum(cases)), mean, float(scatter))


class _Runs(NamedTuple):
    """The cases of each score of a part that holds a correct case, best first, (p,) each."""

    starts: IntArray
    stops: IntArray
    weights: FloatArray
    """Of the correct cases."""
    squares: FloatArray


def _moments_of_part(weights: FloatArray, ends: BoolArray, frequencies: bool) -> tuple[_PartMoments, ...]:
    """Return the moments of correct and of incorrect cases of a part, (m,), that divides no score.  O(m)."""
    ranks = np.flatnonzero(weights > 0)
    others = weights.size - ranks.size
    if ranks.size > others:  # fewer correct cases take less time, and upside down each case loses to the same ones
        starts = np.concatenate([[True], ends[:-1]])
        return _moments_of_part(-weights[::-1], starts[::-1], frequencies)[::-1]
    runs = _runs_of_correct(weights[ranks], ranks, ends, frequencies)
    sums = np.zeros(weights.size + 1)
    np.negative(weights, out=sums[1:])
    np.maximum(sums, 0.0, out=sums)
    squares = sums if frequencies else sums * sums
    for column in (sums,) if frequencies else (sums, squares):
        accumulate_rows(column[1:])
    below = np.zeros(runs.weights.size + 1)
    below[:-1] = runs.weights[::-1]
    accumulate_rows(below[:-1])
    below[:-1] = below[-2::-1]
    # incorrect cases stand between two of these scores or beside one, in turn
    borders = np.concatenate([[0], np.stack([runs.starts, runs.stops], axis=1).ravel(), [weights.size]])
    losses = np.repeat(below, 2)[:-1]
    losses[1::2] = (below[1:] + below[:-1]) / 2
    return (
        _moments(runs.weights, runs.squares, ranks.size, (sums[runs.starts] + sums[runs.stops]) / 2),
        _moments(np.diff(sums[borders]), np.diff(squares[borders]), others, losses),
    )


def _runs_of_correct(weights: FloatArray, ranks: IntArray, ends: BoolArray, frequencies: bool) -> _Runs:
    """Return the scores that hold correct cases, of their weights and ranks, (c,).  O(m)."""
    squares = weights if frequencies else weights * weights
    if not ranks.size or ends.all():
        return _Runs(ranks, ranks + 1, weights, squares)
    stops = np.concatenate([[0], np.flatnonzero(ends) + 1])
    scores = stops.searchsorted(ranks, side="right")
    firsts = run_starts(scores)
    scores = scores[firsts]
    weights, squares = (np.add.reduceat(column, firsts) for column in (weights, squares))
    return _Runs(stops[scores - 1], stops[scores], weights, squares)


def _moments(weights: FloatArray, squares: FloatArray, cases: int, losses: FloatArray) -> _PartMoments:
    """Return the moments of cases of some losses, (p,).  O(p)."""
    weight, square = float(np.sum(weights)), float(np.sum(squares))
    if weight == 0:
        return _PartMoments(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    mean = _mean(losses, weights)
    losses = losses - mean
    squares = squares * losses
    return _PartMoments(weight, square, cases, mean, float(np.sum(squares)), float(np.sum(squares * losses)))


def _mean(losses: FloatArray, weights: FloatArray) -> float:
    """Return the mean of losses, (p,), by weight, exactly that of all if they are equal.  O(p)."""
    near = losses[np.argmax(weights)]
    return float(near + np.sum((losses - near) * weights) / np.sum(weights))
