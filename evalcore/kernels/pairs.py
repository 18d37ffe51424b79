"""Pairs of a correct and an incorrect case, by which stands higher: of one ranking, of many, and of few cases.

A call of NumPy on a hundred numbers costs half a microsecond or more, whatever it does.  Up to some thousand cases two
sorts and a binary search cost less than to pack keys, to sort them and to read them in blocks.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.blocks import BLOCK, blocks, map_blocks, map_parts, running_counts
from evalcore.kernels.grouping import blocks_of_groups
from evalcore.kernels.runs import FoundOrder, correct_bits, counts_at_ends, cut_between_ties, rises, run_starts
from evalcore.kernels.sorting import descending
from evalcore.kernels.sums import EXACT_IN_FLOAT64
from evalcore.typing import AnyArray, FloatArray, IntArray, KeyArray, ScoreArray

_EXACT_IN_INT64, _BITS_OF_INT64 = 2**62, 63
_FEW_TIES = 8
"""If less than one case in eight is tied with the next, ranks are right but for a few."""
_MANY_SEARCHES = 32
"""From one search in so many cases on, one pass over all cases beats the searches."""
_FIRST_RANKS = 8 * np.arange(BLOCK // 8 + 1, dtype=np.uint32)
_RANKS_IN_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1) @ np.arange(8, dtype=np.uint16)
"""Sum of the indices of the bits that are set, the highest at 0."""


class PairCounts(NamedTuple):
    """Pairs in which the correct case does not stand above the incorrect one, of one group or (g,) of many."""

    correct: Any
    """Correct cases."""
    lost: Any
    """Pairs in which a correct case stands below, or beside."""
    tied: Any
    """Those among them in which it stands beside it, with the same score."""


def pair_counts(keys: KeyArray) -> PairCounts:
    """Count the pairs that correct cases lose, from the sum of their ranks, and those that are tied.

    keys: (n,) sorted, of `evalcore.kernels.sorting`: an incorrect case before the correct ones of its score.
    O(n), and O(log n) for each score that holds both; one block of memory.  With Python's integers: exact.

    >>> pair_counts(np.array([2, 3, 3, 4, 7]))
    PairCounts(correct=3, lost=4, tied=2)
    """

    def sums_of(block: slice) -> tuple[int, int, int]:
        # how many bits of a byte are set, and which, stands in a table: of half correct cases that takes a sixth of the
        # time of finding each
        eights = np.packbits(correct_bits(keys[block]))
        counts = np.bitwise_count(eights)
        ranks: AnyArray = counts * _FIRST_RANKS[: counts.size]
        ranks += _RANKS_IN_BYTE.take(eights)
        return int(counts.sum(dtype=np.int64)), int(ranks.sum(dtype=np.int64)), _tied(keys, block)

    correct = lost = tied = 0
    for block, (count, ranks, block_tied) in zip(blocks(keys.size), map_blocks(sums_of, keys.size), strict=True):
        # a correct case at this rank, the j-th of its kind, has rank - j incorrect ones at or above it
        lost += ranks + count * (block.start - correct) - count * (count - 1) // 2
        correct += count
        tied += block_tied
    return PairCounts(correct, lost, tied)


def doubled_ranks(found: FoundOrder) -> IntArray:
    """Count the correct cases, and add up their ranks, each twice the cases below and those beside: shape (2, 1).

    O(n) time, one block of memory.
    """

    def sums_of(piece: slice) -> tuple[int, int]:
        marks, ends = found.marks(piece), found.ends(piece)
        correct, runs = (int(np.count_nonzero(mask)) for mask in (marks.view(np.bool_), ends))
        if (marks.size - runs) * _FEW_TIES > marks.size:
            lasts, counts = counts_at_ends(marks, ends)
            above = np.sum(rises(counts) * (2 * lasts + 1 - rises(lasts, -1)))
        else:
            rows = np.flatnonzero(marks.view(np.bool_))
            above = 2 * rows.sum()
            if runs < marks.size:  # the indices of tied cases give way to those of the ends of their groups
                before = np.append(True, ends[:-1])
                own = rows[~(ends & before).take(rows)]
                first, last = np.flatnonzero(before > ends), np.flatnonzero(ends > before)
                above += np.sum((first + last)[last.searchsorted(own)] - 2 * own)
        return correct, correct * (2 * (found.size - piece.start) - 1) - int(above)

    parts = map_parts(sums_of, cut_between_ties(found), found.size)
    return np.asarray(np.sum(parts, axis=0)[:, np.newaxis])


def half_pairs_of_points(tp: AnyArray, fp: AnyArray) -> int:
    """Count twice the pairs of a correct case above an incorrect one, where ties count half.

    tp, fp: counts at or above each score, (p,) rising whole numbers up to 2**53.  O(p).  Exact.

    >>> half_pairs_of_points(np.array([1, 2]), np.array([1, 3]))
    7
    """
    correct = tp.astype(np.int64, copy=False)  # sums of two may be too large for float64
    above = correct.copy()
    above[1:] += correct[:-1]
    return sum_of_products(rises(fp), above)


def sum_of_products(first: AnyArray, second: AnyArray) -> int:
    """Return Σ a_i b_i of (n,) whole numbers, exactly; Σ a_i at most 2**62, of float64 2**53.  O(n)."""
    total = int(first.sum())
    # not `@`: the threads of BLAS are not those that callers allow
    if total * int(second.max(initial=0)) < (EXACT_IN_FLOAT64 if first.dtype.kind == "f" else _EXACT_IN_INT64):
        return int(np.einsum("i,i->", first, second))
    own, rest = first.astype(np.int64), second.astype(np.int64)
    bits = max(_BITS_OF_INT64 - total.bit_length(), 1)
    found = shift = 0
    while rest.any():
        found += int(np.einsum("i,i->", own, rest & ((1 << bits) - 1))) << shift
        rest >>= bits
        shift += bits
    return found


def _tied(keys: KeyArray, block: slice) -> int:
    """Tied pairs of the scores whose last incorrect case is in the block."""
    part = keys[block.start : block.stop + 1]
    differences = part[1:] ^ part[:-1]
    last = np.flatnonzero(differences == 1)  # one key is the other with the lowest bit set
    if last.size == 0:
        return 0
    incorrect = part[last]
    correct = incorrect | keys.dtype.type(1)
    # the block is in cache; only its first and its last tie group may go on beyond it
    if last.size * _MANY_SEARCHES > part.size:
        edges = np.concatenate([[0], np.flatnonzero(differences != 0) + 1, [part.size]])
        at = np.flatnonzero(differences[edges[1:-1] - 1] == 1) + 1
        above, below = edges[at - 1], edges[at + 1]
    else:
        above, below = part.searchsorted(incorrect), part.searchsorted(correct, side="right")
    above[0] = keys.searchsorted(incorrect[0]) - block.start
    below[-1] = keys.searchsorted(correct[-1], side="right") - block.start
    return int(np.sum((last + 1 - above) * (below - last - 1)))


def wins_over_classes(scores: ScoreArray, codes: IntArray, own: int, classes: int) -> FloatArray:
    """Count, for each class, the pairs in which a case of one class has a higher score, ties as half.

    scores: (n,), no NaN; codes: (n,) of 0 .. classes-1; own: the code of the one class.  Returns (classes,), at `own`
    the pairs of the class with itself.  O(n log n).

    >>> wins_over_classes(np.array([0.9, 0.5, 0.5, 0.1]), np.array([0, 0, 1, 2]), own=0, classes=3)
    array([2. , 1.5, 2. ])
    """
    order = descending(scores)
    ranked, ranked_codes = scores[order], codes[order]
    owned = np.concatenate([[0], np.cumsum(ranked_codes == own)])
    starts = run_starts(ranked)
    sizes = np.diff(starts, append=scores.size)
    # above a case stand those of its own class before its tie group, and half of those in it
    above = np.repeat((owned[starts] + owned[starts + sizes]) / 2, sizes)
    return np.asarray(np.bincount(ranked_codes, weights=above, minlength=classes).astype(np.float64, copy=False))


def pair_counts_of_groups(keys: KeyArray, starts: IntArray) -> PairCounts:
    """Count the pairs of each of g groups, whose cases stand one group after the other: (g,) in each field.

    keys: (n,) of `sorted_by_group`; starts: (g + 1,) where groups start, and n.  A pair is a correct and an incorrect
    case of one group.  O(n), a few blocks of memory.

    >>> pair_counts_of_groups(np.array([2, 3, 3, 4, 7]), np.array([0, 3, 5]))
    PairCounts(correct=array([2, 1]), lost=array([2, 1]), tied=array([2, 0]))
    """
    counts = np.empty((3, starts.size - 1), np.int64)

    def count(block: slice) -> None:
        counts[:, block] = _counts_of_block(keys, starts[block.start : block.stop + 1])

    small, large = blocks_of_groups(starts)
    map_parts(count, small, keys.size)
    for group in large:
        counts[:, group] = pair_counts(keys[starts[group] : starts[group + 1]])
    return PairCounts(*counts)


def _counts_of_block(keys: KeyArray, starts: IntArray) -> PairCounts:
    """Count the pairs of groups of at most one block of cases; starts: (m + 1,) within all keys.  O(n)."""
    keys, starts = keys[starts[0] : starts[-1]], starts - starts[0]
    mask = correct_bits(keys)
    rank_of = mask.view(np.bool_).nonzero()[0]
    if starts.size * _MANY_SEARCHES > keys.size:
        before = np.append(np.uint16(0), running_counts(mask))[starts].astype(np.int64)
    else:
        before = rank_of.searchsorted(starts)
    correct, ranks = np.diff(before), np.diff(np.concatenate([[0], rank_of.cumsum()])[before])
    # a correct case at this rank of its group, the j-th of its kind, has rank - j incorrect ones at or above it
    lost = ranks - correct * starts[:-1] - correct * (correct - 1) // 2
    return PairCounts(correct, lost, _tied_of_groups(keys, starts))


def _tied_of_groups(keys: KeyArray, starts: IntArray) -> IntArray:
    """Count the tied pairs of each group, in runs of one score, where incorrect cases come first."""
    first_correct = ((keys[1:] ^ keys[:-1]) == 1).nonzero()[0] + 1
    group = starts.searchsorted(first_correct, side="right") - 1
    inside = first_correct != starts[group]
    first_correct, group = first_correct[inside], group[inside]
    if not group.size:
        return np.zeros(starts.size - 1, np.int64)
    changes = np.empty(keys.size + 1, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=changes[1:-1])
    changes[starts] = True
    edges = np.flatnonzero(changes)
    run = edges.searchsorted(first_correct)
    tied = (first_correct - edges[run - 1]) * (edges[run + 1] - first_correct)
    return np.bincount(group, weights=tied, minlength=starts.size - 1).astype(np.int64)


MOST_FEW = 1 << 12
"""Cases up to which this is the faster way."""
_ONES = np.ones(MOST_FEW, np.intp)
_FALLING = np.arange(MOST_FEW, -1.0, -1)
_FASTER_BY_LIST = 1 << 6


@cache
def falling(few: int) -> FloatArray:
    """Return the whole numbers from that of few cases down to 0: a slice that is kept costs a third of a new one."""
    return _FALLING[~few:]


def few_half_pairs(ranked: ScoreArray, own: ScoreArray) -> int:
    """Count twice the pairs of a correct case above an incorrect one, where ties count half.

    ranked, own: scores of all few cases, (n,), and of the p correct ones, both ascending.  O(n + p log n).

    >>> few_half_pairs(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.5, 0.9]))
    7
    """
    ranks, positives = ranked.searchsorted(own), own.size
    tied = 1 in (ranked[1:] == ranked[:-1]).tobytes()  # a look through bytes takes a tenth of a call of NumPy
    if tied:
        ranks += ranked.searchsorted(own, "right")
    total = sum(ranks.tolist()) if positives <= _FASTER_BY_LIST else int(ranks.dot(_ONES[:positives]))
    # each correct case has those below it twice and those beside it once: among themselves that is the square
    return (total if tied else 2 * total + positives) - positives * positives
