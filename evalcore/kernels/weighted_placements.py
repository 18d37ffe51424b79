"""Placements of weighted cases: the fraction of the other class, by weight, that a case loses to."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorted_weights import accumulate_rows
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


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


def losses_of_cases(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray, order: IntArray | None = None
) -> FloatArray:
    """Place each case, (n,) in the order they came; weights: (n,) above 0, of both classes.  O(n log n).

    order: the indices that sort the scores, best first, if they are known.
    """
    order = descending(scores) if order is None else order
    mask, ranked_weights = correct[order], weights[order].astype(np.float64)
    starts = run_starts(scores[order])
    sums = (np.add.reduceat(np.where(side, ranked_weights, 0.0), starts) for side in (mask, ~mask))
    lost = (np.repeat(each, np.diff(starts, append=scores.size)) for each in lost_fractions(*sums))
    losses = np.empty(scores.size)
    losses[order] = np.where(mask, *lost)
    return losses


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
