"""Cells: what sorted cases come to between cuts of their scores."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks, map_parts
from evalcore.kernels.operating_points import correct_marks
from evalcore.kernels.ordering import Ordering
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.score_intervals import NO_INTERVALS, ScoreIntervals
from evalcore.typing import FloatArray, IntArray


class _Counted(NamedTuple):
    """What one block knows of the cuts that end in it."""

    accepted: IntArray
    """Cases at or above each cut."""
    correct: IntArray
    """The correct of those that are in the block."""
    correct_in_all: int
    """Correct cases of the whole block."""


def cells_of(ordering: Ordering, cuts: FloatArray) -> ScoreIntervals:
    """Return what stands between each cut and the next, in intervals from the lowest to the highest score there.

    ordering: of n cases; cuts: (c,) ascending, each the lowest score of its cell.  Cells where nothing is are left out.
    O(n + c), for blocks of sorted scores are searched for the cuts near them; one block of memory for each thread.

    >>> from evalcore.kernels.ordering import order
    >>> ordering = order(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    >>> cells_of(ordering, np.array([0.5]))
    ScoreIntervals(low=array([0.1, 0.5]), high=array([0.1, 0.9]), positives=array([0, 2]), negatives=array([1, 1]))
    """
    keys, code = ordering
    if keys.size == 0:
        return NO_INTERVALS
    parts = list(blocks(keys.size))
    heads = code.unpack(keys[[part.start for part in parts]])
    # the cuts of a block are those between its highest score and the highest of the next block
    ends = cuts.searchsorted(heads, side="right").tolist()
    ends[0] = cuts.size  # those above all scores too
    starts = [*ends[1:], 0]

    def count(part: tuple[slice, int, int]) -> _Counted:
        block, start, end = part
        marks = correct_marks(keys[block])
        accepted = marks.size - code.unpack(keys[block])[::-1].searchsorted(cuts[start:end])
        counts = np.concatenate([[0], running_counts(marks)])
        return _Counted(accepted + block.start, counts[accepted], int(counts[-1]))

    counted = map_parts(count, list(zip(parts, starts, ends, strict=True)), keys.size)
    before = list(accumulate((part.correct_in_all for part in counted), initial=0))
    correct = [part.correct + known for part, known in zip(counted, before, strict=False)]
    return _between(
        ordering,
        # the last block holds the lowest cuts
        np.concatenate([[keys.size], *(part.accepted for part in reversed(counted)), [0]]),
        np.concatenate([[before[-1]], *reversed(correct), [0]]),
    )


def _between(ordering: Ordering, accepted: IntArray, correct: IntArray) -> ScoreIntervals:
    """Return the cells between falling numbers of accepted cases, so many of them correct."""
    filled = accepted[1:] < accepted[:-1]
    ends, starts = accepted[:-1][filled], accepted[1:][filled]
    positives = (correct[:-1] - correct[1:])[filled]
    low, high = (ordering.scores(ranks).astype(np.float64, copy=False) for ranks in (ends - 1, starts))
    return ScoreIntervals(low, high, positives, ends - starts - positives)
