"""Where a ROC curve enters and leaves a range of one of its rates, from sorted keys or from sums at each score."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_parts
from evalcore.kernels.operating_points import correct_bits
from evalcore.kernels.tie_groups import cut_between_ties, tie_group_at
from evalcore.typing import Amount, FloatArray, KeyArray

_ROUNDING = 1e-9
"""Of a number of cases: 1 - 0.95 is slightly more than 0.05."""
CaseSums = tuple[Amount, Amount]
"""Correct and incorrect cases, or their weights."""


class CurveEnd(NamedTuple):
    """Where a ROC curve has a rate of one class."""

    height: float
    """Cases of the other class at or above it, or their weight; where several have the rate, the middle of these."""
    before: CaseSums
    """Cases above the last score that the rate needs."""
    through: CaseSums
    """Cases at or above this score."""
    divided: bool
    """Whether the rate needs a part of the cases of this score only."""
    score: int = -1
    """The index of this score, where it was found among sums at each; -1 for none."""


class CurveRange(NamedTuple):
    """A part of a ROC curve, between two rates of one class."""

    low: CurveEnd
    high: CurveEnd
    totals: CaseSums
    """Of all cases."""


def whole_counts(counts: FloatArray) -> FloatArray:
    """Round numbers of cases, (g,), that are whole but for rounding.  O(g)."""
    nearest = np.rint(counts)
    return np.where(np.abs(counts - nearest) <= _ROUNDING * np.maximum(nearest, 1), nearest, counts)


def range_of_keys(keys: KeyArray, rates: tuple[float, float], *, along_correct: bool) -> CurveRange | None:
    """Find two rising rates, true positive ones if `along_correct` and else false positive ones; None for one class.

    keys: (n,) sorted, of `evalcore.kernels.ordering`.  O(n).

    >>> range_of_keys(np.array([2, 5, 6, 9, 10]), (0.0, 0.5), along_correct=False).high
    CurveEnd(height=1.0, before=(1, 1), through=(1, 2), divided=True, score=-1)
    """
    pieces = cut_between_ties(keys, 1)
    counts = map_parts(lambda piece: int(np.count_nonzero(correct_bits(keys[piece]))), pieces, keys.size)
    tp = np.array([0, *accumulate(counts)])
    fp = np.array([0, *(piece.stop for piece in pieces)]) - tp
    totals = int(tp[-1]), int(fp[-1])
    if not all(totals):
        return None
    own = tp if along_correct else fp

    def group_of(number: int) -> tuple[CaseSums, CaseSums]:
        """Return the cases above the score of a case of the class, numbered from 0, and at or above it."""
        at = int(own.searchsorted(number, side="right")) - 1
        part = keys[pieces[at]]
        of_class = correct_bits(part) == along_correct
        group = tie_group_at(part, int(np.flatnonzero(of_class)[number - own[at]]))
        above = int(tp[at]) + group.tp_before, int(fp[at]) + group.before - group.tp_before
        return above, (above[0] + group.correct, above[1] + group.size - group.correct)

    wanted = whole_counts(np.array(rates) * own[-1])
    groups = []
    for count in wanted.tolist():
        last = group_of(int(np.ceil(count)) - 1) if count > 0 else ((0, 0), (0, 0))
        following = group_of(int(count))[0] if count < own[-1] else totals
        groups.append((*last, following))
    low, high = (_end(count, group, along_correct) for count, group in zip(wanted.tolist(), groups, strict=True))
    return CurveRange(low, high, totals)


def range_of_sums(
    correct: FloatArray, incorrect: FloatArray, rates: tuple[float, float], *, along_correct: bool
) -> CurveRange:
    """Find two rising rates as `range_of_keys`; correct, incorrect: (p,) weights at each score, best first.  O(p).

    >>> range_of_sums(np.array([0.0, 1, 0]), np.array([1.0, 0, 1]), (0.0, 0.5), along_correct=False).high.height
    0.5
    """
    tp, fp = (np.concatenate([[0.0], sums.cumsum()]) for sums in (correct, incorrect))
    own = tp if along_correct else fp
    ends = []
    for rate in rates:
        count = float(rate * own[-1])
        at = int(own.searchsorted(count * (1 - _ROUNDING)))
        # beyond what is rounded, the next score with a case of the class is another one
        after = int(own.searchsorted(count * (1 + _ROUNDING), side="right")) - 1
        places = max(at - 1, 0), at, max(after, at)
        if own[at] <= count * (1 + _ROUNDING):
            count = float(own[at])
        group = [(float(tp[place]), float(fp[place])) for place in places]
        ends.append(_end(count, group, along_correct)._replace(score=at - 1))
    return CurveRange(ends[0], ends[1], (float(tp[-1]), float(fp[-1])))


def _end(count: float, group: Sequence[CaseSums], along_correct: bool) -> CurveEnd:
    """Return where so many cases of a class are reached; group: cases before and through a score, and before the next.

    The next score is the next that holds a case of the class.
    """
    before, through, following = group
    own, other = (0, 1) if along_correct else (1, 0)
    if through[own] > count:
        fraction = (count - before[own]) / (through[own] - before[own])
        return CurveEnd(before[other] + fraction * (through[other] - before[other]), before, through, True)
    return CurveEnd((through[other] + following[other]) / 2, before, through, False)
