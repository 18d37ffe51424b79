"""Counts of the cases at or above each distinct score; `evalcore.kernels.sorted_weights` adds up weights instead.

What the passes after the sort cost ten million cases, in units of ``np.sort``: 0.7 to count and to give out three
arrays of floats (cumulative sums of labels took 2.5).
"""

import itertools
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import blocks, map_blocks, map_parts
from evalcore.kernels.ordering import Ordering
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import correct_bits, score_changes
from evalcore.kernels.threshold_counts import correct_among_first, nearest_between_ties
from evalcore.typing import BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

_SPACES = 4000
"""As many as a thinned curve has columns."""


class ThresholdPoints(NamedTuple):
    """Cases at or above every distinct score, or sums of their weights, best score first."""

    tp: FloatArray
    """The correct ones, shape (p,)."""
    fp: FloatArray
    """The incorrect ones, shape (p,)."""
    scores: ScoreArray
    """The distinct scores, shape (p,)."""

    def at(self, chosen: BoolArray) -> "ThresholdPoints":
        """Return the points of a mask, (p,) bool.  O(p)."""
        sizes = map_blocks(lambda block: int(np.count_nonzero(chosen[block])), chosen.size)
        ends = list(accumulate(sizes))
        columns = empty_points(ends[-1] if ends else 0, self.scores.dtype)

        def fill(part: tuple[slice, int, int]) -> None:
            block, end, size = part
            indices = np.flatnonzero(chosen[block])
            for source, column in zip(self, columns, strict=True):
                column[end - size : end] = source[block][indices]

        map_parts(fill, list(zip(blocks(chosen.size), ends, sizes, strict=True)), chosen.size)
        return columns


def distinct_scores(keys: KeyArray) -> int:
    """Count the distinct scores.  O(n).  keys: (n,) sorted, of `evalcore.kernels.ordering`."""
    return sum(map_blocks(lambda block: int(np.count_nonzero(_score_ends(keys, block))), keys.size))


def counted_points(ordering: Ordering) -> ThresholdPoints:
    """Count the cases at or above every distinct score.

    Exact below 2**53 cases.  O(n) time; three columns of memory for each distinct score.

    >>> from evalcore.kernels.ordering import order
    >>> counted_points(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])))
    ThresholdPoints(tp=array([1., 2.]), fp=array([1., 1.]), scores=array([0.9, 0.5]))
    """
    keys, code = ordering
    counts = map_blocks(lambda block: _correct_and_points(keys, block), keys.size)
    correct, ends = (list(accumulate(column)) for column in zip((0, 0), *counts, strict=True))
    points = empty_points(ends[-1], code.score_dtype)

    def fill(part: tuple[slice, int, slice]) -> None:
        block, correct_before, slots = part
        tp, fp, scores = (column[slots] for column in points)
        distinct = _score_ends(keys, block)
        chosen = slice(None) if distinct.all() else np.flatnonzero(distinct)
        np.add(running_counts(correct_bits(keys[block]))[chosen], float(correct_before), out=tp, dtype=np.float64)
        np.subtract(np.arange(block.start + 1, block.stop + 1)[chosen], tp, out=fp)
        scores[:] = code.unpack(keys[block][chosen])

    slots = itertools.starmap(slice, itertools.pairwise(ends))
    map_parts(fill, list(zip(blocks(keys.size), correct, slots, strict=False)), keys.size)
    return points


def spaced_points(ordering: Ordering, sizes: IntArray) -> ThresholdPoints:
    """Count the cases at or above so many distinct scores that no curve bends between two of them.

    From one to the next, at most 1/4000 of the correct cases are passed, and of the incorrect ones, and 1/4000 of the
    cases above, which bounds the change of the precision; more only if they tie.  sizes: (s,) in 1 .. n; the points
    nearest to so many cases are among them.  O(n); 50,000 points of ten million cases.

    >>> from evalcore.kernels.ordering import order
    >>> spaced_points(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])), np.array([3]))
    ThresholdPoints(tp=array([1., 2.]), fp=array([1., 1.]), scores=array([0.9, 0.5]))
    """
    keys = ordering.keys
    correct = correct_bits(keys).view(np.bool_)
    fewer = np.flatnonzero(correct if 2 * np.count_nonzero(correct) <= keys.size else ~correct)
    steps = [
        np.arange(0, cases, max(cases // spaces, 1))
        for cases, spaces in ((keys.size, 2 * _SPACES), (fewer.size, _SPACES))
    ]
    wanted = np.concatenate([sizes, steps[0] + 1, fewer[steps[1]] + 1, _growing(keys.size), [keys.size]])
    chosen = np.unique(nearest_between_ties(keys, np.unique(wanted)))
    tp = correct_among_first(keys, chosen).astype(np.float64)
    return ThresholdPoints(tp, chosen - tp, ordering.scores(chosen - 1))


def _growing(cases: int) -> IntArray:
    """Return whole numbers from 1 to at most `cases`: each, and from `_SPACES` on ones in steady proportion."""
    first = np.arange(1, min(cases, _SPACES) + 1)
    rounds = max(int(np.ceil(_SPACES * np.log(max(cases / _SPACES, 1)))), 0)
    grown = (_SPACES * (1 + 1 / _SPACES) ** np.arange(1, rounds)).astype(np.int64)
    return np.concatenate([first, grown[grown <= cases]])


def empty_points(size: int, score_dtype: np.dtype[Any]) -> ThresholdPoints:
    """Return memory for so many points.  O(1)."""
    return ThresholdPoints(np.empty(size), np.empty(size), np.empty(size, score_dtype))


def _correct_and_points(keys: KeyArray, block: slice) -> tuple[int, int]:
    return int(np.count_nonzero(correct_bits(keys[block]))), int(np.count_nonzero(_score_ends(keys, block)))


def _score_ends(keys: KeyArray, block: slice) -> npt.NDArray[np.bool_]:
    """Return a mask of the keys of a block that are followed by another score, or by nothing.  O(n)."""
    ends = np.ones(block.stop - block.start, np.bool_)
    changes = score_changes(keys[block.start : block.stop + 1])
    ends[: changes.size] = changes
    return ends
