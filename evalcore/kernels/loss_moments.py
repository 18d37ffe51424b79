"""How much weight of the other class cases lose to: what the variance of a ROC area needs, in one pass after the sort.

Each part of the ranking gives the moments of its own losses, to cases of the part alone.  Those to the cases of other
parts are the same for all of a part, so that moments of parts add up to those of all: no array of all cases is built.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_parts
from evalcore.kernels.runs import ranges
from evalcore.kernels.sorted_weights import PartedRuns, SortedWeights, accumulate_rows
from evalcore.typing import FloatArray, IntArray


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


def loss_moments(
    cases: SortedWeights, sums: PartedRuns, *, frequencies: bool = False
) -> tuple[LossMoments, LossMoments]:
    """Return the moments of correct and of incorrect cases; sums: `parted_runs`.  O(n), a few blocks of memory.

    >>> from evalcore.kernels.sorted_weights import parted_runs
    >>> cases = SortedWeights(np.arange(3), np.array([True, True, True]), np.array([-1.0, 3.0, -1.0]))
    >>> loss_moments(cases, parted_runs(cases))[1]
    LossMoments(weight=2.0, squares=2.0, cases=2.0, lost=1.5, scatter=4.5)
    """

    def of_part(part: tuple[slice, slice, float, float]) -> tuple[_PartMoments, ...]:
        ranks, own, above, through = part
        within = _PartRuns(
            sums.first_ranks[own] - ranks.start,
            sums.last_ranks[own] + (1 - ranks.start),
            sums.runs.fp[own] - sums.runs.negatives[own] - above,
            sums.runs.fp[own] - above,
        )
        return _moments_of_part(cases.weights[ranks], within, through - above, frequencies)

    points = sums.last_ranks.searchsorted([part.start for part in sums.parts] + [cases.ends.size])
    owns = [slice(*each) for each in pairwise(points.tolist())]
    above = sums.before[:, 1].tolist()
    parts = list(zip(sums.parts, owns, above[:-1], above[1:], strict=True))
    correct, incorrect = np.array(map_parts(of_part, parts, cases.ends.size)).swapaxes(0, 1)
    if frequencies:
        correct[:, 2], incorrect[:, 2] = correct[:, 0], incorrect[:, 0]
    below = (np.cumsum(correct[::-1, 0]) - correct[::-1, 0])[::-1]
    return _joined(correct, sums.before[:-1, 1]), _joined(incorrect, below)


def _joined(parts: FloatArray, others: FloatArray) -> LossMoments:
    """Return the moments of all parts, (parts, 6), of the weights that each loses to elsewhere, (parts,)."""
    weights, squares, cases, lost, drifts, scatters = parts.T
    if not weights.any():
        return LossMoments(0.0, 0.0, 0.0, np.nan, np.nan)
    losses = others + lost
    mean = _mean(losses, weights, float(np.sum(weights)))
    away = losses - mean
    scatter = np.sum(scatters + 2 * away * drifts + away * away * squares)
    return LossMoments(float(np.sum(weights)), float(np.sum(squares)), float(np.sum(cases)), mean, float(scatter))


class _PartRuns(NamedTuple):
    """The scores of a part that hold a correct case, best first, (p,) each."""

    starts: IntArray
    """Where their cases start."""
    stops: IntArray
    above: FloatArray
    """Weight of the incorrect cases of the part above each."""
    through: FloatArray
    """Weight of the incorrect cases of the part at or above each."""


def _moments_of_part(
    weights: FloatArray, runs: _PartRuns, incorrect: float, frequencies: bool
) -> tuple[_PartMoments, ...]:
    """Return the moments of correct and of incorrect cases of a part, (m,), that divides no score.  O(m).

    incorrect: weight of the incorrect cases.
    """
    correct_cases = int(np.count_nonzero(weights > 0))
    of_correct, squares_of_correct = _sums_of_correct(weights, runs)
    tied = np.flatnonzero(runs.through > runs.above)
    of_incorrect = _between_and_beside(runs.above, runs.through, incorrect, tied)
    below = np.zeros(of_correct.size + 1)
    below[:-1] = of_correct[::-1]
    accumulate_rows(below[:-1])
    below[:-1] = below[-2::-1]
    if frequencies:
        squares_of_correct, squares_of_incorrect = of_correct, of_incorrect
    else:
        squares = np.zeros(weights.size + 1)
        np.minimum(weights, 0.0, out=squares[1:])
        np.square(squares, out=squares)
        accumulate_rows(squares[1:])
        squares_of_incorrect = _between_and_beside(squares[runs.starts], squares[runs.stops], squares[-1], tied)
    return (
        _moments(of_correct, squares_of_correct, correct_cases, (runs.above + runs.through) / 2),
        _moments(
            of_incorrect,
            squares_of_incorrect,
            weights.size - correct_cases,
            np.concatenate([below, (below[tied + 1] + below[tied]) / 2]),
        ),
    )


def _sums_of_correct(weights: FloatArray, runs: _PartRuns) -> tuple[FloatArray, FloatArray]:
    """Add up the weights of the correct cases of each run, and their squares, (p,).  O(p + tied cases)."""
    sums = weights[runs.starts]
    squares = sums * sums
    tied = np.flatnonzero(runs.stops - runs.starts > 1)
    if tied.size:
        starts, stops = runs.starts[tied], runs.stops[tied]
        own = np.maximum(weights[ranges(starts, stops)], 0.0)
        firsts = np.cumsum(stops - starts) - (stops - starts)
        sums[tied], squares[tied] = np.add.reduceat(own, firsts), np.add.reduceat(own * own, firsts)
    return sums, squares


def _between_and_beside(above: FloatArray, through: FloatArray, total: float, tied: IntArray) -> FloatArray:
    """Return what of a sum is before, between and after runs, (p,), and then in those that are tied: (p + 1 + tied,).

    above, through: (p,) the running sum before and after each.
    """
    return np.concatenate([np.append(above, total) - np.append(0.0, through), through[tied] - above[tied]])


def _moments(weights: FloatArray, squares: FloatArray, cases: int, losses: FloatArray) -> _PartMoments:
    """Return the moments of cases of some losses, (p,).  O(p)."""
    weight, square = float(np.sum(weights)), float(np.sum(squares))
    if weight == 0:
        return _PartMoments(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    mean = _mean(losses, weights, weight)
    losses = losses - mean
    squares = squares * losses
    return _PartMoments(weight, square, cases, mean, float(np.sum(squares)), float(np.sum(squares * losses)))


def _mean(losses: FloatArray, weights: FloatArray, weight: float) -> float:
    """Return the mean of losses, (p,), by weight, exactly that of all if they are equal; weight: their sum.  O(p)."""
    near = losses[np.argmax(weights)]
    return float(near + np.sum((losses - near) * weights) / weight)
