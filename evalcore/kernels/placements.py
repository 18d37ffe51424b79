"""Placements: of each case, how many cases of the other class stand above it, less how many stand below.

Whole numbers, to which tied cases add nothing.  Sums of placements and of their products are whole numbers too: what
derives from them, such as variances, which are small differences of large sums, loses nothing.

One ranking needs no permutation: the moments of its placements are read off its sorted keys.  With several
rankings, placements are matched by case: a value sort of ``level << bits | index``, as in `evalcore.kernels.argsort`,
brings each placement back to its case.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.kernels.argsort import exact_levels, mixed_levels, sorted_words
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.operating_points import correct_bits
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.sort_keys import extent
from evalcore.kernels.tie_groups import cut_between_ties
from evalcore.typing import BoolArray, IntArray, KeyArray, ScoreArray

WholeNumbers: TypeAlias = npt.NDArray[np.object_]
"""Python's integers, of any size."""
PlacementArray: TypeAlias = npt.NDArray[np.int32]
_WORD = 63
_NEXT_TO_ZERO = 2.0**-46
"""Times the largest score: smaller scores share one level."""


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
    counts = map_parts(lambda piece: _piece_counts(keys[piece]), cut_between_ties(keys, 1), keys.size)
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


def joint_placement_moments(
    columns: Sequence[ScoreArray], correct: BoolArray, pairs: Sequence[tuple[int, int]] | None = None
) -> PlacementMoments:
    """Add up the placements of the same cases in several rankings, and their products.

    columns: k of (n,) float32 or float64, no NaN; correct: (n,) bool, n below 2**31; pairs: those of rankings whose
    products are wanted, by default all; the products of others are 0.  O((k log n + pairs) n) time.

    >>> joint_placement_moments([np.array([0.9, 0.5]), np.array([0.1, 0.3])], np.array([True, False])).correct.products
    array([[1, -1],
           [-1, 1]], dtype=object)
    """
    cases, positives = _by_class(correct)
    rankings = [_placements(scores, cases, positives) for scores in columns]
    same = [(index, index) for index in range(len(columns))]
    wanted = np.array([*same, *(combinations(range(len(columns)), 2) if pairs is None else pairs)]).T
    return PlacementMoments(*(_class_moments(side, correct.size, *wanted) for side in zip(*rankings, strict=True)))


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


def _by_class(correct: BoolArray) -> tuple[IntArray, int]:
    """Where the correct cases stand and then the incorrect ones, and how many are correct."""
    own = np.flatnonzero(correct)
    return np.concatenate([own, np.flatnonzero(~correct)]), own.size


def _placements(scores: ScoreArray, cases: IntArray, positives: int) -> Placements:
    if cases.size == 0:
        return Placements(*np.empty((2, 0), np.int32))
    parted = np.empty(cases.size, scores.dtype)
    map_blocks(lambda block: scores.take(cases[block], mode="clip", out=parted[block]), cases.size)
    bits = parted.size.bit_length()
    words = sorted_words(_float_levels(parted, _WORD - bits), parted, bits)
    placed = _placed(words, bits, positives)
    mixed = np.unique(mixed_levels(words, bits, parted))
    if mixed.size:
        _correct_mixed(placed, _words_of(words, bits, mixed), bits, parted, positives)
    return Placements(placed[:positives], placed[positives:])


def _float_levels(scores: ScoreArray, bits: int) -> Callable[[ScoreArray], IntArray]:
    """Return a map of scores to levels of `bits` bits, which fall, or stay equal, as scores rise.

    The bits of a float, read as an integer, rise with it, evenly on the scale of its logarithm: whatever the scores,
    few share the upper ones.  Where there is a zero among finite scores, what is next to it shares its level.
    """
    if scores.dtype == np.float32:
        return exact_levels
    ends = extent(scores)
    largest = max(map(abs, ends))
    dense = ends[0] <= 0 <= ends[1] and largest < np.inf
    zero = int(_rising(np.array([largest * _NEXT_TO_ZERO]))[0]) if dense else 0
    bottom, top = _rising(np.array(ends), zero).tolist()
    shift = max((top - bottom).bit_length() + 1 - bits, 0)

    def levels_of(some: ScoreArray) -> IntArray:
        rising = _rising(some, zero)
        rising >>= shift
        np.subtract(top >> shift, rising, out=rising)
        return rising

    return levels_of


def _rising(scores: ScoreArray, zero: int = 0) -> IntArray:
    """Whole numbers that rise with float64 scores, but for those up to `zero` on either side of 0, which become 0."""
    rising = (scores + 0.0).view(np.int64)  # -0.0 becomes 0.0
    flipped = rising >> _WORD
    flipped &= 2**_WORD - 1
    rising ^= flipped
    if zero:
        np.minimum(rising, -zero, out=flipped)
        np.maximum(rising, zero, out=rising)
        rising += flipped
    return rising


def _placed(words: IntArray, bits: int, positives: int) -> PlacementArray:
    """Placements by index, where cases of one level are tied; correct cases have the lowest indices."""
    indices = (1 << bits) - 1
    negatives = words.size - positives
    pieces = cut_between_ties(words, indices)
    counts = map_parts(lambda piece: int(np.count_nonzero(words[piece] & indices < positives)), pieces, words.size)
    placed = np.empty(words.size, np.int32)

    def place(part: tuple[slice, int, int]) -> None:
        piece, tp, own = part
        cases = words[piece] & indices
        correct = cases < positives
        fp, other = piece.start - tp, cases.size - own
        start, other_start = 2 * fp - negatives, 2 * tp - positives
        if cases.size > blocks.BLOCK:
            placed[cases] = np.where(correct, start + other, other_start + own)
            return
        values, of_incorrect = _above(words[piece], correct.view(np.uint8), indices)
        values += start
        of_incorrect += other_start
        # a third of the time of np.where
        values -= of_incorrect
        values *= correct
        values += of_incorrect
        placed[cases] = values

    map_parts(place, list(zip(pieces, accumulate(counts, initial=0), counts, strict=False)), words.size)
    return placed


def _above(words: IntArray, mask: npt.NDArray[np.uint8], low: int) -> tuple[PlacementArray, PlacementArray]:
    """Count incorrect cases above each correct one of a piece, and the other way round: twice, and once those beside.

    Of two arrays, (m,) each, the first holds at correct cases only, the second at incorrect ones.
    """
    ends = np.ones(words.size, np.bool_)
    np.greater(words[1:] ^ words[:-1], low, out=ends[:-1])
    correct = running_counts(mask).astype(np.int32)
    incorrect = np.arange(1, words.size + 1, dtype=np.int32) - correct
    above = 2 * incorrect, 2 * correct
    if not ends.all():
        begins = np.concatenate([[True], ends[:-1]])
        starts, lasts = np.flatnonzero(begins > ends), np.flatnonzero(ends > begins)
        tied, sizes = _ranges(starts, lasts + 1), lasts + 1 - starts
        for doubled, counts, side in zip(above, (incorrect, correct), (0, 1), strict=True):
            before = counts[starts] - (mask[starts] == side)
            doubled[tied] = (before + counts[lasts]).repeat(sizes)
    return above


def _correct_mixed(placed: PlacementArray, words: IntArray, bits: int, scores: ScoreArray, positives: int) -> None:
    """Correct the placements of the cases of these words, whose levels hold several scores.

    Among these cases alone, the order of the scores and that of the levels differ by as much as among all.
    """
    indices = (1 << bits) - 1
    words = words[np.argsort(words & indices)]
    cases = words & indices
    own = int(cases.searchsorted(positives))
    placed[cases] += _placed_by_rank(scores[cases], own) - _placed_by_rank(-(words >> bits), own)


def _placed_by_rank(values: npt.NDArray[Any], positives: int) -> PlacementArray:
    distinct, ranks = np.unique(values, return_inverse=True)
    bits = values.size.bit_length()
    return _placed(sorted_words(lambda some: distinct.size - 1 - some, ranks, bits), bits, positives)


def _words_of(words: IntArray, bits: int, levels: IntArray) -> IntArray:
    """Sorted words of some levels."""
    return words[_ranges(words.searchsorted(levels << bits), words.searchsorted((levels + 1) << bits))]


def _ranges(starts: IntArray, stops: IntArray) -> IntArray:
    """Join the whole numbers from each start up to its stop."""
    sizes = stops - starts
    ranges: IntArray = np.repeat(stops - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
    return ranges


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
