"""Placements of weighted cases: the fraction of the other class, by weight, that a case loses to."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.rounded_sums import running_sums
from evalcore.kernels.sorted_weights import SortedWeights, accumulate_rows
from evalcore.typing import FloatArray


class LostFractions(NamedTuple):
    """Of the cases at each score, the fraction of the other class that they lose to; ties count half."""

    correct: FloatArray
    """The weight of incorrect cases above, (p,) in 0 .. 1."""
    incorrect: FloatArray
    """The weight of correct cases below, (p,) in 0 .. 1."""


def lost_fractions(correct: FloatArray, incorrect: FloatArray) -> LostFractions:
    """Place the cases at each score; correct, incorrect: (p,) weights at each, best first, not all 0.  O(p).

    >>> lost_fractions(np.array([3.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    LostFractions(correct=array([0.  , 0.25, 0.75]), incorrect=array([0.625, 0.25 , 0.125]))
    """
    return LostFractions(_fractions_before(incorrect), _fractions_before(correct[::-1])[::-1])


def losses_of_cases(cases: SortedWeights) -> FloatArray:
    """Place each case, (n,) in the order they came; cases: of both classes.  O(n).

    >>> losses_of_cases(SortedWeights(np.array([1, 2, 0]), np.ones(3, np.bool_), np.array([1.0, -1.0, 3.0])))
    array([1.  , 0.  , 0.75])
    """
    tied = not cases.ends.all()
    starts = np.flatnonzero(np.concatenate([cases.ends[-1:], cases.ends[:-1]])) if tied else np.empty(0, np.int64)
    sums = (np.maximum(side, 0.0) for side in (cases.weights, -cases.weights))
    if tied:
        sums = (np.add.reduceat(side, starts) for side in sums)
    lost = lost_fractions(*sums)
    if tied:
        lost = LostFractions(*(np.repeat(each, np.diff(starts, append=cases.ends.size)) for each in lost))
    losses = np.empty(cases.ends.size)

    def place(block: slice) -> None:
        own = np.where(cases.weights[block] > 0, lost.correct[block], lost.incorrect[block])
        losses[cases.order[block]] = own

    map_blocks(place, losses.size)
    return losses


def lost_pairs(correct: FloatArray, incorrect: FloatArray) -> float:
    """Return the weight of the pairs that correct cases lose, ties counting half, to as many digits if it is small.

    correct, incorrect: (p,) weights at each score, best first; worst first, it is the pairs that they win.  O(p).

    >>> lost_pairs(np.array([3.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    1.5
    """
    return float(np.sum(correct * (running_sums(incorrect) - incorrect / 2)))


def _fractions_before(sums: FloatArray) -> FloatArray:
    """Return what comes before the middle of each part, as a fraction of all."""
    through = np.array(sums)
    accumulate_rows(through)
    total = through[-1]

    def place(block: slice) -> None:
        part = through[block]
        part -= sums[block] / 2
        part /= total

    map_blocks(place, sums.size)
    return through
