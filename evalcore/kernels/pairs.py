"""Pairs of a correct and an incorrect case, by which of the two stands higher."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import BLOCK, blocks, map_blocks
from evalcore.kernels.runs import run_starts
from evalcore.typing import AnyArray, FloatArray, IntArray, KeyArray, ScoreArray

_EXACT_IN_FLOAT64, _BITS_OF_INT64 = 2**53, 63
_INDICES = np.arange(BLOCK // 8 + 1, dtype=np.uint32)
_RANKS_IN_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1) @ np.arange(8, dtype=np.uint16)
"""Sum of the indices of the bits that are set, the highest at 0."""


class PairCounts(NamedTuple):
    """Pairs in which the correct case does not stand above the incorrect one."""

    correct: int
    """Correct cases."""
    lost: int
    """Pairs in which a correct case stands below, or beside."""
    tied: int
    """Those among them in which it stands beside it, with the same score."""


def pair_counts(keys: KeyArray) -> PairCounts:
    """Count the pairs that correct cases lose, from the sum of their ranks, and those that are tied.

    keys: (n,) sorted, of `evalcore.kernels.ordering`: an incorrect case before the correct ones of its score.
    O(n), and O(log n) for each score that holds both; one block of memory.  With Python's integers: exact.

    >>> pair_counts(np.array([2, 3, 3, 4, 7]))
    PairCounts(correct=3, lost=4, tied=2)
    """
    sums = map_blocks(lambda block: (*_correct_ranks(keys[block]), _tied(keys, block)), keys.size)
    correct = lost = tied = 0
    for block, (count, ranks, block_tied) in zip(blocks(keys.size), sums, strict=True):
        # a correct case at this rank, the j-th of its kind, has rank - j incorrect ones at or above it
        lost += ranks + count * (block.start - correct) - count * (count - 1) // 2
        correct += count
        tied += block_tied
    return PairCounts(correct, lost, tied)


def pair_counts_of_points(tp: FloatArray, fp: FloatArray) -> PairCounts:
    """Count the pairs that correct cases lose, and those that are tied, from the counts at or above each score.

    tp, fp: (p,) rising whole numbers up to 2**53, not empty.  O(p).  With Python's integers: exact.
    """
    tied = rises(fp)

    def count(block: slice) -> tuple[int, int]:
        gained = rises(tp[block], tp[block.start - 1] if block.start else 0.0)
        return _sum_of_products(gained, fp[block]), _sum_of_products(gained, tied[block])

    lost, beside = (sum(parts) for parts in zip((0, 0), *map_blocks(count, tp.size), strict=True))
    return PairCounts(int(tp[-1]) if tp.size else 0, lost, beside)


def rises(sums: AnyArray, before: float = 0) -> AnyArray:
    """Return how far each sum is above the one before it, (p,); on few a third of the time of `np.diff`.  O(p).

    >>> rises(np.array([2.0, 2.0, 5.0]), before=1.0)
    array([1., 0., 3.])
    """
    found = sums.copy()
    found[1:] -= sums[:-1]
    found[:1] -= before
    return found


def _sum_of_products(gained: FloatArray, others: FloatArray) -> int:
    """Return the exact Σ gained · other of whole numbers, (m,), Σ gained at most 2**53.  O(m)."""
    total = float(np.add.reduce(gained))
    # not `@`: the threads of BLAS are not those that callers allow
    if total * others.max(initial=0.0) < _EXACT_IN_FLOAT64:
        return int(np.einsum("i,i->", gained, others))
    own, rest = gained.astype(np.int64), others.astype(np.int64)
    bits = _BITS_OF_INT64 - int(total).bit_length()
    found = shift = 0
    while rest.any():
        found += int(np.einsum("i,i->", own, rest & ((1 << bits) - 1))) << shift
        rest >>= bits
        shift += bits
    return found


def _correct_ranks(keys: KeyArray) -> tuple[int, int]:
    """Count the correct cases, and add up their ranks.  keys: (n,), n at most `BLOCK`.

    Eight labels are packed into a byte: how many of its bits are set, and which, stands in a table.  Of half correct
    cases that takes a sixth of the time of finding each and adding up where they are.
    """
    eights = np.packbits(keys.astype(np.uint8) & 1)
    counts = np.bitwise_count(eights)
    ranks = 8 * int(counts @ _INDICES[: eights.size]) + int(_RANKS_IN_BYTE[eights].sum(dtype=np.int64))
    return int(counts.sum(dtype=np.int64)), ranks


def _tied(keys: KeyArray, block: slice) -> int:
    """Tied pairs of the scores whose last incorrect case is in the block."""
    part = keys[block.start : block.stop + 1]
    last = np.flatnonzero((part[1:] ^ part[:-1]) == 1)  # one key is the other with the lowest bit set
    if last.size == 0:
        return 0
    incorrect = part[last]
    correct = incorrect | keys.dtype.type(1)
    # the block is in cache; only its first and its last tie group may go on beyond it
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
    wins: FloatArray = np.bincount(ranked_codes, weights=above, minlength=classes).astype(np.float64, copy=False)
    return wins
