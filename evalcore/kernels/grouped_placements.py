"""Placements of cases within their groups, of many groups at once: see `evalcore.kernels.placements`."""

import numpy as np

from evalcore.kernels.grouped_keys import order_in_groups
from evalcore.kernels.runs import run_starts
from evalcore.typing import BoolArray, IntArray, ScoreArray


def grouped_placements(scores: ScoreArray, correct: BoolArray, sizes: IntArray) -> IntArray:
    """Count for each case the cases of the other class above it in its group, less those below.

    scores: (n,), no NaN, n at most `blocks.BLOCK`; correct: (n,); both stand group after group; sizes: (g,) of the
    groups, at least 1.  Returns (n,) int64.  O(n log n).

    >>> grouped_placements(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, False, True, True]), np.array([2, 2]))
    array([-1,  1,  0,  0])
    """
    order, groups = order_in_groups(scores, sizes)
    mask = correct[order]
    starts = run_starts(groups, scores[order])  # each group stays where it was
    stops = np.append(starts[1:], scores.size)
    group_stops = sizes.cumsum()[groups[starts]]
    group_starts = group_stops - sizes[groups[starts]]
    before = np.zeros(scores.size + 1, np.int64)
    mask.cumsum(out=before[1:])
    # cases above a run, less those below: those before its start and its end, less those of its group
    every = starts + stops - group_starts - group_stops
    of_incorrect = before[starts] + before[stops] - before[group_starts] - before[group_stops]
    placed = np.empty(scores.size, np.int64)
    of_both = (column.repeat(stops - starts) for column in (every - of_incorrect, of_incorrect))
    placed[order] = np.where(mask, *of_both)
    return placed
