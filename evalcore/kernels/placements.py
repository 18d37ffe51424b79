"""Placements: of each case, how many cases of the other class stand above it, less how many stand below.

Whole numbers, to which tied cases add nothing.  Sums of placements and of their products are whole numbers too: what
derives from them, such as variances, which are small differences of large sums, loses nothing.

One ranking needs no permutation: the moments of its placements are read off its runs.  With several rankings,
placements are matched by case: `evalcore.kernels.sorting` keeps the indices, where each placement is written.

A case outside a group has the placement that it has among all cases, D, less d, that of it among the cases of the
group.  So the sums over the cases outside come from sums over all cases and over those of the group: Σ (D - d)² over
all cases is Σ D² - 2 Σ D d + Σ d², and both last terms are sums over the cases of the group of the other class.
"""

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks, grouping
from evalcore.kernels.blocks import map_blocks, map_parts, running_counts
from evalcore.kernels.pairs import sum_of_products
from evalcore.kernels.runs import Runs, correct_bits, cut_between_ties, lazy_runs, ranges, run_starts
from evalcore.kernels.sorting import IndexedOrdering, indexed_order
from evalcore.kernels.sums import accumulate_rows
from evalcore.kernels.weights import RankedPart, WeightWalk
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

WholeNumbers: TypeAlias = npt.NDArray[np.object_]
"""Python's integers, of any size."""
PlacementArray: TypeAlias = npt.NDArray[np.int32]
_EXACT = 2.0**62
"""Sums of products that are known to be below are int64."""


class ClassMoments(NamedTuple):
    """Sums over the placements of the cases of one class, in each of k rankings."""

    size: int
    """Cases of the class."""
    sums: WholeNumbers
    """Sums of the placements, shape (k,)."""
    products: WholeNumbers
    """Sums of the products of the placements in two rankings, shape (k, k)."""


class PlacementMoments(NamedTuple):
    """Sums over the placements of the cases of both classes."""

    correct: ClassMoments
    incorrect: ClassMoments


class Placements(NamedTuple):
    """Cases of the other class above each case, less those below; in the order the cases came."""

    values: PlacementArray
    """Shape (n,)."""
    correct: BoolArray
    """Which cases are correct, shape (n,)."""


def moments_of(rankings: Sequence[Placements], pairs: Sequence[tuple[int, int]] | None = None) -> PlacementMoments:
    """Add up the placements of the same n cases in k rankings, and their products.

    pairs: those of rankings whose products are wanted, by default all; the products of others are 0.
    O((k + pairs) n) time.
    """
    count, correct, same = len(rankings), rankings[0].correct, [(index, index) for index in range(len(rankings))]
    rows, columns = np.array([*same, *(combinations(range(count), 2) if pairs is None else pairs)]).T
    width = 1 + blocks.BLOCK * correct.size**2 // 2**63  # the products of so few add up to less than 64 bits

    def add_up(block: slice) -> WholeNumbers:
        chosen, every = np.flatnonzero(correct[block]), [each.values[block].astype(np.int64) for each in rankings]
        sides, found = ([each.take(chosen) for each in every], every), list[list[int]]()
        for side in sides:
            products = (side[row] @ side[column] for row, column in zip(rows, columns, strict=True))
            found.append([*(int(each.sum()) for each in side), *map(int, products)])
        return _whole(found)

    own, every = sum(map_blocks(add_up, correct.size, width), _whole([[0] * (count + rows.size)] * 2))
    positives = int(np.count_nonzero(correct))

    def of_class(size: int, sums: WholeNumbers) -> ClassMoments:
        products = _whole([[0] * count] * count)
        products[rows, columns] = products[columns, rows] = sums[count:]
        return ClassMoments(size, sums[:count], products)

    return PlacementMoments(of_class(positives, own), of_class(correct.size - positives, every - own))


def placements(found: IndexedOrdering) -> Placements:
    """Return the placements of n ranked cases in the order they came.  O(n)."""
    keys, runs = found.keys, lazy_runs(found.keys)
    positives, negatives = runs.totals[:, 0].tolist()
    placed = np.empty(keys.size, np.int32)

    def place(part: tuple[slice, int]) -> None:
        piece, tp = part
        words, mask = keys[piece], correct_bits(keys[piece])
        of_correct, of_incorrect = 2 * (piece.start - tp) - negatives, 2 * tp - positives
        if mask.size > blocks.BLOCK:
            own = int(np.count_nonzero(mask))
            values = np.where(mask, of_correct + mask.size - own, of_incorrect + own)
        else:
            values = _placed(words, mask, of_correct, of_incorrect)
        placed[found.cases[piece].astype(np.intp)] = values  # half the time of indices that NumPy widens

    map_parts(place, list(zip(runs.pieces, runs.tp_before, strict=False)), keys.size)
    return Placements(placed, found.correct)


def _placed(keys: KeyArray, mask: npt.NDArray[np.uint8], of_correct: int, of_incorrect: int) -> PlacementArray:
    """Place the cases of a piece, whose first correct and first incorrect one would have these placements."""
    counts = running_counts(mask)
    below = counts.astype(np.int32)  # twice the correct cases up to here
    below += below
    placed = np.arange(2, 2 * mask.size + 2, 2, dtype=np.int32)
    placed -= below
    placed += of_correct
    below += of_incorrect
    changes = keys[1:] ^ keys[:-1]
    if changes.min(initial=2) < 2:
        ends = np.append(changes > 1, True)
        begins = np.concatenate([[True], ends[:-1]])
        starts, lasts = np.flatnonzero(begins > ends), np.flatnonzero(ends > begins)
        tied, sizes = ranges(starts, lasts + 1), lasts + 1 - starts
        # twice the correct cases above a tie group, and once those in it
        twice = counts[starts].astype(np.int64) - mask[starts] + counts[lasts]
        placed[tied] = (starts + lasts + 1 - twice + of_correct).repeat(sizes)
        below[tied] = (twice + of_incorrect).repeat(sizes)
    # a third of the time of np.where
    placed -= below
    placed *= mask
    placed += below
    return placed


def placements_in_groups(scores: ScoreArray, correct: BoolArray, sizes: IntArray) -> PlacementArray:
    """Place each case within its group: (n,) int32 in the order they came.

    scores: (n,), no NaN, n at most `blocks.BLOCK`; correct: (n,); both stand group after group; sizes: (g,) of the
    groups, at least 1.  O(n log n).

    >>> placements_in_groups(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, False, True, True]), np.array([2, 2]))
    array([-1,  1,  0,  0], dtype=int32)
    """
    order, starts = grouping.order_in_groups(scores, sizes)
    mask, stops, edges = correct.take(order), np.append(starts[1:], scores.size), np.append(0, sizes.cumsum())
    before = np.zeros(scores.size + 1, np.int32)  # of half the memory, in two thirds of the time
    mask.cumsum(out=before[1:])

    def above_less_below(counts: PlacementArray) -> PlacementArray:
        """Return what comes before a run's start and its end, less what comes before the ends of its group, (n,)."""
        if starts.size == scores.size:
            found = counts[:-1] + counts[1:]
        else:
            found = (counts[starts] + counts[stops]).repeat(stops - starts)
        found -= (counts[edges[:-1]] + counts[edges[1:]]).repeat(sizes)
        return found

    of_incorrect, of_ranks = above_less_below(before), above_less_below(np.arange(before.size, dtype=np.int32))
    of_ranks -= 2 * of_incorrect
    of_ranks *= mask  # a third of the time of np.where
    of_ranks += of_incorrect
    placed = np.empty_like(of_ranks)
    placed[order] = of_ranks
    return placed


def _whole(numbers: Any) -> WholeNumbers:
    return np.array(numbers, dtype=object)


_LOW = 31
"""Bits of a number that are added up apart from those above, so that no sum takes more than 64 bits."""


class GroupMoments(NamedTuple):
    """Sums over the placements of the cases of each of m samples, shape (m,) each: int64, or Python's integers."""

    correct: AnyArray
    """Correct cases."""
    incorrect: AnyArray
    """Incorrect cases."""
    sums: AnyArray
    """Sums of the placements of the correct cases."""
    squares: AnyArray
    """Sums of their squares."""
    incorrect_squares: AnyArray
    """Sums of the squares of the placements of the incorrect cases."""


def moments_of_runs(runs: Runs) -> GroupMoments:
    """Add up the placements in each ranking, and their squares.  O(r)."""
    totals = runs.totals.astype(np.float64)
    exact = 16 * np.max(totals.prod(axis=0) * totals.max(axis=0), initial=0.0) < _EXACT

    def sums_of(part: Runs) -> list[AnyArray]:
        # twice what stands above the cases of a run, and once what stands beside them
        own, above, own_above, (mixed, tied) = part.positives, 2 * part.fp, 2 * part.tp - part.positives, part.mixed
        above[mixed] -= tied
        lost, squares = own * above, np.square(own[mixed])
        if not exact:
            crossed = 2 * sum_of_products(lost, own_above) + sum_of_products(squares, tied)
            return [part.add_up(lost), *np.array([[sum_of_products(lost, above)], [crossed]], object)]
        above *= lost
        own_above *= lost
        own_above *= 2
        own_above[mixed] += squares * tied
        return [part.add_up(each) for each in (lost, above, own_above)]

    lost, squares, crossed = (sum(each) for each in zip(*runs.map(sums_of), strict=True))
    positives, negatives = runs.totals if exact else runs.totals.astype(object)
    return GroupMoments(
        positives,
        negatives,
        lost - positives * negatives,
        squares - 2 * negatives * lost + negatives**2 * positives,
        # the square of how many stand above is the sum of increments, one at each of them
        2 * positives * lost + positives**2 * negatives - crossed,
    )


def moments_of_keys(keys: KeyArray) -> GroupMoments:
    """Add up the placements in one ranking, and their squares, from its sorted keys, (n,).  O(n), little memory.

    Pieces are rankings of their own at first: sums over so few cases are int64.

    >>> moments_of_keys(np.array([2, 3, 3, 4, 7])).squares
    array([6], dtype=object)
    """
    pieces = cut_between_ties(keys) or [slice(0, 0)]
    found = map_parts(lambda piece: _moments_of_piece(keys[piece]), pieces, keys.size)
    correct, incorrect, sums, squares, incorrect_squares = _whole(found).T
    # cases of the other class above a piece, less those below it
    shift, incorrect_shift = (2 * each.cumsum() - each - each.sum() for each in (incorrect, correct))
    squares += shift * (2 * sums + correct * shift)
    incorrect_squares += incorrect_shift * (incorrect * incorrect_shift - 2 * sums)
    sums += correct * shift
    return GroupMoments(*np.sum([correct, incorrect, sums, squares, incorrect_squares], axis=1)[:, np.newaxis])


def _moments_of_piece(keys: KeyArray) -> list[int]:
    """Add up the placements within a piece, as `GroupMoments`: of a block of keys at most, or of one tie group."""
    mask = correct_bits(keys)
    correct = int(np.count_nonzero(mask))
    incorrect = keys.size - correct
    if not keys.size or keys[0] | 1 == keys[-1] | 1:
        return [correct, incorrect, 0, 0, 0]
    ranks = np.flatnonzero(mask.view(np.bool_))
    # first as if incorrect cases stood above the correct ones of their score, which they come before
    below = np.arange(correct - 1, -correct - 1, -2)  # correct cases below each of them, less those above
    placed = 2 * ranks + below - (keys.size - 1)
    # incorrect cases have of correct ones what increments of one at each correct case add up to
    moments = np.array([placed.sum(), placed @ placed, incorrect * correct**2 + 2 * (placed @ below)])
    first = np.flatnonzero(keys.take(ranks - 1, mode="wrap") ^ keys.take(ranks) == 1)  # the last key is not one less
    if first.size:
        at = ranks[first]
        own = keys.searchsorted(keys[at], side="right") - at
        others = at - keys.searchsorted(keys[at - 1])
        pairs = own * others
        moments -= [pairs.sum(), pairs @ (2 * placed[first] - others), pairs @ (2 + 2 * below[first] - own)]
    return [correct, incorrect, *moments.tolist()]


class _Whole(NamedTuple):
    """All cases in r runs of equal scores, best first, a row for the correct ones and one for the others."""

    cases: IntArray
    """Shape (2, r)."""
    below: IntArray
    """Cases of the class below the run, shape (2, r)."""
    placements: IntArray
    """Placement of a case of the class in the run, shape (2, r)."""
    facing: IntArray
    """Sum of the placements of the cases of the other class below the run, less those above, shape (2, r)."""
    size: WholeNumbers
    """Cases of the class, shape (2, 1)."""
    sums: WholeNumbers
    """Sum of their placements, shape (2, 1)."""
    squares: WholeNumbers
    """Sum of the squares of their placements, shape (2, 1)."""


def placements_by_group(
    scores: ScoreArray, correct: BoolArray, layout: grouping.GroupLayout, frequencies: IntArray | None = None
) -> tuple[GroupMoments, GroupMoments]:
    """Add up the placements of cases inside and outside each group, in the order of the layout.

    scores: (n,) float32 or float64, no NaN; correct: (n,); frequencies: (n,), how many cases each stands for, by
    default 1, together fewer than 2**30; all in the order in which the cases came.  O(n log n), for any number of
    groups.

    >>> layout = grouping.group_layout(np.array([0, 0, 1, 1, 1]), 2)
    >>> scores, correct = np.array([0.9, 0.1, 0.8, 0.2, 0.1]), np.array([False, True, False, True, True])
    >>> placements_by_group(scores, correct, layout)[1].sums
    array([2, 1], dtype=object)
    """
    order = indexed_order(scores, correct)
    heads = run_starts(order.keys >> 1)
    runs = np.repeat(np.arange(heads.size, dtype=np.int32), np.diff(heads, append=scores.size))
    mask = (order.keys & 1).astype(np.bool_)
    groups = grouping.groups_of_rows(layout)[order.cases]
    counts = np.ones(scores.size, np.int8) if frequencies is None else frequencies[order.cases]
    whole = _whole_of(_class_counts(counts, mask, heads))
    by_group = grouping.group_layout(groups, layout.groups.size)

    inside, outside = (GroupMoments(*np.empty((5, layout.groups.size), object)) for _ in range(2))

    def add_up(part: slice) -> None:
        rows, starts = grouping.rows_of_groups(by_group, part), by_group.starts[part.start : part.stop + 1]
        found = _moments(whole, runs[rows], mask[rows], counts[rows], starts - starts[0])
        for column, own in zip((*inside, *outside), chain(*found), strict=True):
            column[by_group.groups[part]] = own

    small, large = grouping.blocks_of_groups(by_group.starts)
    map_parts(add_up, small, scores.size)
    for group in large:
        add_up(slice(group, group + 1))
    return inside, outside


def _class_counts(counts: AnyArray, mask: BoolArray, heads: IntArray) -> IntArray:
    """Return the correct and the incorrect cases of the runs that start at `heads`, (2, r).  O(n).

    counts, mask: (n,), how many cases each stands for, and whether it is correct.
    """
    correct, sizes = (np.add.reduceat(each, heads, dtype=np.int64) for each in (counts * mask, counts))
    return np.stack([correct, sizes - correct])


def _whole_of(cases: IntArray) -> _Whole:
    """Return both classes of runs, (2, r), from their correct and incorrect cases.  O(r)."""
    size, above = cases.sum(axis=1, keepdims=True), cases.cumsum(axis=1) - cases
    placed = (2 * above + cases - size)[::-1]
    sums, start = cases * placed, np.zeros(1, np.int64)
    facing = sums.sum(axis=1, keepdims=True) - 2 * sums.cumsum(axis=1) + sums
    totals = size.astype(object), _sums(cases, placed, start), _sums(cases, placed * placed, start)
    return _Whole(cases, size - above - cases, placed, facing[::-1], *totals)


def _moments(
    whole: _Whole, runs: AnyArray, mask: BoolArray, cases: AnyArray, starts: IntArray
) -> tuple[GroupMoments, GroupMoments]:
    """Return the moments of some groups of rows, (k,), that stand group after group, best first.

    whole: of all cases; runs, cases: the run of each row and how many cases it stands for, (k,); starts: of the groups,
    and k, (g + 1,).  O(k).
    """
    groups = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    heads = run_starts(groups, runs)
    first, runs = heads.searchsorted(starts[:-1]), runs[heads]
    own = _class_counts(cases, mask, heads)
    lengths, above = np.diff(first, append=runs.size), own.cumsum(axis=1) - own
    theirs, theirs_above = own[::-1], (above - above[:, first].repeat(lengths, axis=1))[::-1]
    totals = np.add.reduceat(own, first, axis=1)
    among = 2 * theirs_above + theirs - totals[::-1].repeat(lengths, axis=1)
    # all cases of the class have these placements among the cases of the group
    lost, products = (_sums(theirs, each.take(runs, axis=1)[::-1], first) for each in (whole.placements, whole.facing))
    # The square of twice the cases above another is a sum of increments, one for each case above: a case in a run of t,
    # with a above them, adds 4a + t for a case beside it, and 8a + 4t for one below.
    beside, below = 4 * theirs_above + theirs, 8 * theirs_above + 4 * theirs
    size, others = totals.astype(object), totals[::-1].astype(object)
    squares = _sums(theirs, whole.cases.take(runs, axis=1) * beside + whole.below.take(runs, axis=1) * below, first)
    squares += others * (2 * lost - whole.size * others)
    apart = whole.placements.take(runs, axis=1) - among
    outside = whole.squares - 2 * products + squares - _sums(own, apart * apart, first)
    rest = whole.sums + lost - _sums(own, apart, first)
    inside = GroupMoments._make([*size, _sums(own, among, first)[0], *_sums(own, among * among, first)])
    return inside, GroupMoments._make([*(whole.size - size), rest[0], *outside])


def _sums(counts: IntArray, values: IntArray, starts: IntArray) -> WholeNumbers:
    """Add up products of counts and values, (2, r), exactly, from each start, (g,), to the next: (2, g).  O(r)."""
    high = np.add.reduceat(counts * (values >> _LOW), starts, axis=1)
    low = np.add.reduceat(counts * (values & ((1 << _LOW) - 1)), starts, axis=1)
    return np.asarray(high.astype(object) * (1 << _LOW) + low.astype(object))


def losses_of_cases(ranking: WeightWalk) -> FloatArray:
    """Place each case, (n,) in the order they came; the ranking has cases of both classes.  O(n), in blocks of memory.

    >>> from evalcore.kernels.weights import SortedWeights, walk_of_weights
    >>> cases = SortedWeights(np.array([1, 2, 0]), np.ones(3, np.bool_), np.array([1.0, -1.0, 3.0]))
    >>> losses_of_cases(walk_of_weights(cases))
    array([1.  , 0.  , 0.75])
    """
    positive, negative = ranking.sums.sum(axis=0)
    losses = np.empty(ranking.cases.ends.size)

    def place(part: RankedPart) -> None:
        runs = part.runs
        below = np.append(runs.positives, part.below[0])[::-1].copy()
        accumulate_rows(below)
        below = below[::-1]
        lost, missed = (runs.fp - runs.negatives / 2) / negative, (below[1:] + runs.positives / 2) / positive
        losses[part.cases] = part.of_cases(lost, missed, below / positive)

    ranking.map_parts(place)
    return losses
