"""Placements: of each case, how many cases of the other class stand above it, less how many stand below.

Whole numbers, to which tied cases add nothing.  Sums of placements and of their products are whole numbers too: what
derives from them, such as variances, which are small differences of large sums, loses nothing.

One ranking needs no permutation: the moments of its placements are read off its sorted keys.  With several rankings,
placements are matched by case: `evalcore.kernels.indexed_ordering` keeps the indices, and a second value sort takes
each placement back to its case.
"""

from collections.abc import Sequence
from itertools import accumulate, combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.indexed_ordering import IndexedOrdering, indexed_order
from evalcore.kernels.ordering import sort
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import correct_bits, cut_between_ties, ranges
from evalcore.typing import BoolArray, IntArray, KeyArray, ScoreArray

WholeNumbers: TypeAlias = npt.NDArray[np.object_]
"""Python's integers, of any size."""
PlacementArray: TypeAlias = npt.NDArray[np.int32]
_WORD = 63
_PLACEMENT = 32
_SIGN = 31


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

    def of(self, rankings: Sequence[int]) -> "PlacementMoments":
        """Return the moments of some of the rankings, by their indices.  O(their number squared)."""
        chosen = list(rankings)
        return PlacementMoments(
            *(ClassMoments(side.size, side.sums[chosen], side.products[np.ix_(chosen, chosen)]) for side in self)
        )


class Placements(NamedTuple):
    """Cases of the other class above each case, less those below; in the order the cases came."""

    correct: PlacementArray
    """Of the correct cases, shape (p,)."""
    incorrect: PlacementArray
    """Of the incorrect cases, shape (n - p,)."""


class _PieceCounts(NamedTuple):
    """Of a piece of a ranking, cases, and what they have above them in it: twice those above and once those beside."""

    correct: int
    incorrect: int
    above_correct: int
    """Sum over the correct cases of what incorrect ones they have above them."""
    above_correct_squared: int
    """Sum of the squares of these."""
    above_incorrect_squared: int
    """Sum over the incorrect cases of the squares of what correct ones they have above them."""


def placement_moments(keys: KeyArray) -> PlacementMoments:
    """Add up the placements of one ranking, and their squares.

    keys: (n,) sorted, of `evalcore.kernels.ordering`.  O(n), and O(log n) for each score that cases of both classes
    share; one block of memory for each thread.

    >>> placement_moments(np.array([2, 3, 3, 4, 7])).correct
    ClassMoments(size=3, sums=array([0], dtype=object), products=array([[6]], dtype=object))
    """
    counts = map_parts(lambda piece: _piece_counts(keys[piece]), cut_between_ties(keys), keys.size)
    correct, incorrect = (sum(count[side] for count in counts) for side in (0, 1))
    tp = fp = total = correct_squares = incorrect_squares = 0
    for own, other, above, above_squares, other_above_squares in counts:
        # what stands above the whole piece, twice, less all that there are
        start, other_start = 2 * fp - incorrect, 2 * tp - correct
        other_above = 2 * own * other - above  # each pair of the piece stands one way or the other, or beside
        total += own * start + above
        correct_squares += own * start**2 + 2 * start * above + above_squares
        incorrect_squares += other * other_start**2 + 2 * other_start * other_above + other_above_squares
        tp, fp = tp + own, fp + other
    return PlacementMoments(
        ClassMoments(correct, _whole([total]), _whole([[correct_squares]])),
        ClassMoments(incorrect, _whole([-total]), _whole([[incorrect_squares]])),
    )


def joint_placement_moments(columns: Sequence[ScoreArray], correct: BoolArray) -> PlacementMoments:
    """Add up the placements of the same cases in several rankings, and their products.

    columns: k of (n,) float32 or float64, no NaN; correct: (n,) bool, n below 2**31.  O(k n log n + k² n) time.

    >>> joint_placement_moments([np.array([0.9, 0.5]), np.array([0.1, 0.3])], np.array([True, False])).correct.products
    array([[1, -1],
           [-1, 1]], dtype=object)
    """
    return moments_of([placements(indexed_order(scores, correct)) for scores in columns])


def moments_of(rankings: Sequence[Placements], pairs: Sequence[tuple[int, int]] | None = None) -> PlacementMoments:
    """Add up the placements of the same n cases in k rankings, and their products.

    pairs: those of rankings whose products are wanted, by default all; the products of others are 0.
    O((k + pairs) n) time.
    """
    same = [(index, index) for index in range(len(rankings))]
    wanted = np.array([*same, *(combinations(range(len(rankings)), 2) if pairs is None else pairs)]).T
    size = rankings[0].correct.size + rankings[0].incorrect.size
    return PlacementMoments(*(_class_moments(side, size, *wanted) for side in zip(*rankings, strict=True)))


def _piece_counts(keys: KeyArray) -> _PieceCounts:
    if keys.size > blocks.BLOCK:
        other = int(keys.searchsorted(keys[0] | 1))
        own = keys.size - other
        return _PieceCounts(own, other, own * other, own * other**2, other * own**2)
    ranks = np.flatnonzero(correct_bits(keys).view(np.bool_))
    own, other = ranks.size, keys.size - ranks.size
    before = np.arange(own)
    above = ranks - before
    sums = _PieceCounts(
        own,
        other,
        2 * int(above.sum()),
        4 * int(above @ above),
        # the square of how many are above is the sum of the odd numbers 2 j + 1 of each, the j-th, of them
        4 * (other * own**2 - int(above @ (2 * before + 1))),
    )
    # In a tie group incorrect cases come first, so that tied ones were counted as above.  Index -1 is the
    # last key, which is not one below the first.
    first = np.flatnonzero(keys[ranks - 1] == keys[ranks] - 1)
    return _with_ties(sums, keys, ranks, first) if first.size else sums


def _with_ties(sums: _PieceCounts, keys: KeyArray, ranks: IntArray, first: IntArray) -> _PieceCounts:
    """Count as beside what was counted as above; first: which correct cases follow an incorrect one of their score."""
    at = ranks[first]
    own = keys.searchsorted(keys[at], side="right") - at
    other = at - keys.searchsorted(keys[at] - 1)
    pairs = own * other
    return sums._replace(
        above_correct=sums.above_correct - int(pairs.sum()),
        above_correct_squared=sums.above_correct_squared - int(pairs @ (4 * (at - first) - other)),
        above_incorrect_squared=sums.above_incorrect_squared + int(pairs @ (4 * first + own)),
    )


def placements(found: IndexedOrdering) -> Placements:
    """Use up an ordering of n cases and return their placements in its memory, in the order they came.  O(n log n).

    A value sort of ``correct << 63 | index << 32 | placement`` takes them back there: half the time of writing each at
    the index of its case, far from the one before.
    """
    keys, cases, pieces = found.keys, found.cases, cut_between_ties(found.keys)
    counts = map_parts(lambda piece: int(np.count_nonzero(correct_bits(keys[piece]))), pieces, keys.size)
    positives = sum(counts)
    negatives = keys.size - positives

    def place(part: tuple[slice, int, int]) -> None:
        piece, tp, own = part
        words, mask = keys[piece], correct_bits(keys[piece])
        fp, other = piece.start - tp, mask.size - own
        of_correct, of_incorrect = 2 * fp - negatives, 2 * tp - positives
        if mask.size > blocks.BLOCK:
            placed = np.where(mask, of_correct + other, of_incorrect + own).astype(np.int32)
        else:
            placed = _placed(words, mask, of_correct, of_incorrect)
        indices = cases[piece]
        indices |= mask.astype(np.int32) << _SIGN
        np.left_shift(indices, _PLACEMENT, out=words, dtype=np.int64)
        words |= placed.view(np.uint32)

    map_parts(place, list(zip(pieces, accumulate(counts, initial=0), counts, strict=False)), keys.size)
    sort(keys)
    map_blocks(lambda block: np.copyto(cases[block], keys[block], casting="unsafe"), keys.size)
    return Placements(cases[:positives], cases[positives:])


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


def _class_moments(rankings: Sequence[PlacementArray], largest: int, rows: IntArray, columns: IntArray) -> ClassMoments:
    """Moments of the placements of one class in each of k rankings, none of which is above `largest`.

    rows, columns: (p,), the pairs of rankings whose products are wanted.
    """
    width = 1 + blocks.BLOCK * largest**2 // 2**_WORD  # the products of so few add up to less than 64 bits

    def add_up(block: slice) -> list[int]:
        part = [ranking[block].astype(np.int64) for ranking in rankings]
        products = (part[row] @ part[column] for row, column in zip(rows, columns, strict=True))
        return [*(int(one.sum()) for one in part), *map(int, products)]

    totals = _whole([0] * (len(rankings) + rows.size))
    for sums in map_blocks(add_up, rankings[0].size, width):
        totals += _whole(sums)
    products = _whole([[0] * len(rankings)] * len(rankings))
    products[rows, columns] = products[columns, rows] = totals[len(rankings) :]
    return ClassMoments(rankings[0].size, totals[: len(rankings)], products)


def _whole(numbers: Any) -> WholeNumbers:
    return np.array(numbers, dtype=object)
