"""Sums of weights at each distinct score of many groups of cases at once.

Weights are added up in each group by itself: a running sum over several groups, less what it was before a group, would
keep the rounding errors of groups whose weights may be far larger.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.grouped_keys import GroupLayout, order_in_groups, rows_of_equal_size
from evalcore.kernels.runs import Runs, run_starts
from evalcore.kernels.weight_sums import WeightSums
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_COMMON = 2.0**-40, 2.0**200
"""Weights between these have sums and products that neither overflow nor vanish."""
_EXACT_SUM = 2**53


class WeightsOfClass(NamedTuple):
    """Sums over the weights of the cases of one class."""

    at_scores: WeightSums
    """Of each distinct score, shape (p,)."""
    above: FloatArray
    """Weight of the cases above each, shape (p,)."""
    of_groups: WeightSums
    """Of each group, shape (g,)."""


class GroupedWeights(NamedTuple):
    """Cases at p distinct scores in g groups: group after group, best score first."""

    correct: WeightsOfClass
    incorrect: WeightsOfClass
    group: IntArray
    """Index of the group, from 0 on, shape (p,)."""
    first: IntArray
    """Index of the first score of each group, shape (g,)."""
    last: IntArray
    """Index of the last case of each score among those of all groups in order, shape (p,)."""
    order: IntArray
    """Indices of the cases in order, shape (n,)."""
    incorrect_below: FloatArray
    """Weight of the incorrect cases below each score, shape (p,)."""

    @property
    def runs(self) -> Runs:
        """Their runs.  O(p)."""
        (own, above, totals), (others, others_above, others_totals) = self.correct, self.incorrect
        held = np.flatnonzero(own.cases)
        starts = held.searchsorted(np.append(self.first, own.sums.size))
        sides = (own.sums, others.sums, above + own.sums, others_above + others.sums)
        columns = (each[held] for each in sides)
        ends = np.stack([totals.sums, others_totals.sums]), self.last[held], self.incorrect_below[held]
        return Runs._make([starts, *columns, *ends])


def grouped_weights(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray, sizes: IntArray, *, frequencies: bool = False
) -> GroupedWeights:
    """Add up the weights of both classes at each distinct score of each group.

    scores: (n,), no NaN, n at most `blocks.BLOCK`; correct: (n,); weights: (n,) above zero; all of them stand group
    after group; sizes: (g,) of the groups, at least 1; frequencies: as for `weight_sums`.  O(n log n).

    >>> columns = np.array([0.5, 0.9, 0.5]), np.array([True, False, False]), np.array([2.0, 1.0, 0.5])
    >>> found = grouped_weights(*columns, sizes=np.array([3]))
    >>> found.incorrect.at_scores.sums, found.incorrect.above, found.order
    (array([1. , 0.5]), array([0., 1.]), array([1, 0, 2]))
    """
    order, groups = order_in_groups(scores, sizes)
    heads = run_starts(groups, scores[order])  # each group stays where it was
    group = groups[heads].astype(np.int64)
    first, last = run_starts(group), np.append(heads[1:], scores.size) - 1
    mask, own = correct[order], weights[order].astype(np.float64)
    sides = np.where(mask, own, 0.0), np.where(mask, 0.0, own)
    through = sides[0] + 1j * sides[1]  # two running sums take the time of one
    edges, onwards = np.append(0, sizes.cumsum()), np.append(sides[1], 0.0)
    for rows, back in zip(rows_of_equal_size(through, edges), rows_of_equal_size(onwards, edges), strict=True):
        np.cumsum(rows, axis=1, out=rows)
        np.cumsum(back[:, ::-1], axis=1, out=back[:, ::-1])
    below = onwards[last + 1]
    below[np.append(first[1:], heads.size) - 1] = 0.0
    above = np.concatenate([np.zeros(1), through[last[:-1]]])
    above[first] = 0.0
    found, incorrect = (
        _of_class(side, part, heads, first, frequencies)
        for side, part in zip(sides, (above.real.copy(), above.imag.copy()), strict=True)
    )
    return GroupedWeights(found, incorrect, group, first, last, order, below)


def _of_class(
    weights: FloatArray, above: FloatArray, heads: IntArray, first: IntArray, frequencies: bool
) -> WeightsOfClass:
    """Add up the weights of a class, (n,), 0 for cases of the other, from each head, (p,), to the next.  O(n)."""
    ties = heads.size < weights.size

    def add_up(values: AnyArray) -> AnyArray:
        return np.add.reduceat(values, heads) if ties else values

    sums = add_up(weights)
    squares, cases = (sums, sums) if frequencies else (add_up(weights * weights), add_up((weights > 0) * 1.0))
    # all that comes before the end of a group is all of it, to the last bit
    ends = np.append(first[1:], heads.size) - 1
    totals = above[ends] + sums[ends]
    others = (totals, totals) if frequencies else (np.add.reduceat(each, first) for each in (squares, cases))
    return WeightsOfClass(WeightSums(sums, squares, cases), above, WeightSums(totals, *others))


def scaled_by_group(weights: FloatArray, groups: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return weights, (n,) above zero, with the `scaled_weights` of each group, and the divisors of these, (count,).

    groups: (n,) in 0 .. count - 1.  O(n + count).
    """
    divisors = np.ones(count)
    if _COMMON[0] <= weights.min(initial=1.0) and weights.max(initial=1.0) <= _COMMON[1]:
        return weights, divisors
    largest = np.zeros(count)
    np.maximum.at(largest, groups, weights)
    exponents = np.where((largest < _COMMON[0]) | (largest > _COMMON[1]), np.frexp(largest)[1] - 1, 0)
    with np.errstate(under="ignore"):
        return np.ldexp(weights, -exponents[groups]), np.ldexp(divisors, exponents)


class WholeGroups(NamedTuple):
    """Which of m groups have weights that are whole numbers, and the weight of each, shape (m,) both."""

    whole: BoolArray
    totals: FloatArray


def whole_groups(weights: AnyArray, layout: GroupLayout) -> WholeGroups:
    """Find the groups all of whose weights, (n,), are whole numbers, with sums that float64 holds exactly.  O(n).

    >>> from evalcore.kernels.grouped_keys import group_layout
    >>> whole_groups(np.array([1.0, 2.0, 0.5]), group_layout(np.array([0, 0, 1]), 2))
    WholeGroups(whole=array([ True, False]), totals=array([3. , 0.5]))
    """
    starts = layout.starts[:-1]
    own = weights if layout.order is None else weights[layout.order]
    totals = np.add.reduceat(own, starts, dtype=np.float64)
    whole = totals < _EXACT_SUM
    if own.dtype.kind == "f":
        whole &= np.logical_and.reduceat(own == np.rint(own), starts)
    return WholeGroups(whole, totals)
