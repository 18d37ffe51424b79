"""Counts of the cases at or above each distinct score, or thresholds; `kernels.weights` adds up weights instead.

What the passes after the sort cost ten million cases, in units of ``np.sort``: 0.7 to count and to give out three
arrays of floats (cumulative sums of labels took 2.5).
"""

import itertools
from decimal import ROUND_FLOOR, Context, Decimal
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks, map_blocks, map_parts, running_counts
from evalcore.kernels.runs import FoundOrder, correct_bits, count_leading
from evalcore.kernels.sorting import Ordering
from evalcore.typing import BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

_SPACES = 4000
"""As many as a thinned curve has columns."""


class ThresholdPoints(NamedTuple):
    """Cases at or above every distinct score, or sums of their weights, best score first."""

    tp: Any
    """The correct ones, shape (p,)."""
    fp: Any
    """The incorrect ones, shape (p,)."""
    scores: ScoreArray
    """The distinct scores, shape (p,)."""

    def at(self, chosen: BoolArray) -> "ThresholdPoints":
        """Return the points of a mask, (p,) bool.  O(p)."""
        indices = np.flatnonzero(chosen)  # several times faster than a mask for three columns
        return ThresholdPoints(*(column.take(indices) for column in self))


def distinct_scores(ordering: Ordering) -> int:
    """Count the distinct scores.  O(n)."""
    return sum(map_blocks(lambda block: int(np.count_nonzero(ordering.ends(block))), ordering.keys.size))


def counted_points(ordering: Ordering | FoundOrder) -> ThresholdPoints:
    """Count the cases at or above every distinct score.

    Exact below 2**53 cases.  O(n) time; three columns of memory for each distinct score.

    >>> from evalcore.kernels.sorting import order
    >>> counted_points(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])))
    ThresholdPoints(tp=array([1., 2.]), fp=array([1., 1.]), scores=array([0.9, 0.5]))
    """

    def count(block: slice) -> tuple[int, int]:
        return int(np.count_nonzero(ordering.marks(block))), int(np.count_nonzero(ordering.ends(block)))

    size = ordering[0].size
    correct, ends = (list(accumulate(column)) for column in zip((0, 0), *map_blocks(count, size), strict=True))
    points = ThresholdPoints(
        np.empty(ends[-1]), np.empty(ends[-1]), np.empty(ends[-1], ordering.scores(slice(0)).dtype)
    )

    def fill(part: tuple[slice, int, slice]) -> None:
        block, correct_before, slots = part
        tp, fp, scores = (column[slots] for column in points)
        distinct = ordering.ends(block)
        chosen = slice(None) if distinct.all() else np.flatnonzero(distinct)
        np.add(running_counts(ordering.marks(block))[chosen], float(correct_before), out=tp, dtype=np.float64)
        np.subtract(np.arange(block.start + 1, block.stop + 1)[chosen], tp, out=fp)
        scores[:] = ordering.scores(block if isinstance(chosen, slice) else chosen + block.start)

    slots = itertools.starmap(slice, itertools.pairwise(ends))
    map_parts(fill, list(zip(blocks(size), correct, slots, strict=False)), size)
    return points


def spaced_points(ordering: Ordering, sizes: IntArray) -> ThresholdPoints:
    """Count the cases at or above distinct scores that are dense enough that no curve bends between two of them.

    From one to the next, at most 1/4000 of the correct cases are passed, and of the incorrect ones, and 1/4000 of the
    cases above, which bounds the change of the precision; more only if they tie.  sizes: (s,) in 1 .. n; the points
    nearest to these numbers of cases are among them.  O(n); 50,000 points of ten million cases.

    >>> from evalcore.kernels.sorting import order
    >>> spaced_points(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])), np.array([3]))
    ThresholdPoints(tp=array([1., 2.]), fp=array([1., 1.]), scores=array([0.9, 0.5]))
    """
    keys = ordering.keys
    correct = correct_bits(keys).view(np.bool_)
    correct_are_fewer = 2 * np.count_nonzero(correct) <= keys.size
    fewer = np.flatnonzero(correct if correct_are_fewer else ~correct)
    spaced = (keys.size, 2 * _SPACES), (fewer.size, _SPACES)
    steps = [np.arange(0, cases, max(cases // spaces, 1)) for cases, spaces in spaced]
    wanted = np.concatenate([sizes, steps[0] + 1, fewer[steps[1]] + 1, _growing(keys.size), [keys.size]])
    chosen = np.unique(nearest_between_ties(keys, np.unique(wanted)))
    passed = fewer.searchsorted(chosen).astype(np.float64)
    counts = (passed, chosen - passed) if correct_are_fewer else (chosen - passed, passed)
    return ThresholdPoints(*counts, ordering.scores(chosen - 1))


def _growing(cases: int) -> IntArray:
    """Return whole numbers from 1 to at most `cases`: each, and from `_SPACES` on ones in steady proportion."""
    first = np.arange(1, min(cases, _SPACES) + 1)
    rounds = max(int(np.ceil(_SPACES * np.log(max(cases / _SPACES, 1)))), 0)
    grown = (_SPACES * (1 + 1 / _SPACES) ** np.arange(1, rounds)).astype(np.int64)
    return np.concatenate([first, grown[grown <= cases]])


def are_at_or_above(scores: ScoreArray, threshold: float) -> BoolArray:
    """Whether scores, (n,), are at or above a threshold, which is read in their width.  O(n)."""
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        return np.asarray(scores >= scores.dtype.type(threshold))


def cases_at_or_above(ordering: Ordering, thresholds: FloatArray) -> IntArray:
    """Return how many cases score at least each threshold, read in the width of the scores.  O(t log n).

    thresholds: (t,), no NaN.  Returns (t,), in 0 .. n.

    >>> from evalcore.kernels.sorting import order
    >>> cases_at_or_above(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])), np.array([0.6, 0.5, 1.0]))
    array([2, 3, 0])
    """
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        least = thresholds.astype(ordering.scores(np.empty(0, np.int64)).dtype)
    return count_leading(lambda own, ranks: ordering.scores(ranks) >= least[own], ordering.keys.size, least.size)


def rounded_up(edges: ScoreArray, dtype: np.dtype[Any]) -> ScoreArray:
    """Return edges, (e,), in the type of some scores, with the same scores at or above them.  O(e).

    >>> rounded_up(np.array([0.5, 0.1]), np.dtype(np.float32)) >= np.array([0.5, 0.1])
    array([ True,  True])
    """
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        rounded = edges.astype(dtype)
        return np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)


def nearest_between_ties(keys: KeyArray, sizes: IntArray) -> IntArray:
    """Return for each number of cases the nearest one, not 0, that divides no tie group; of two the smaller.

    keys: (n,) sorted; sizes: (s,) in 1 .. n.  Returns (s,) in 1 .. n.  O(s log n).

    >>> nearest_between_ties(np.array([2, 4, 5, 5, 5, 8]), np.array([1, 2, 3, 4, 6]))
    array([1, 1, 1, 5, 6])
    """
    highest = keys[sizes - 1] | keys.dtype.type(1)
    starts, ends = keys.searchsorted(highest - 1), keys.searchsorted(highest, side="right")
    return np.where((sizes - starts <= ends - sizes) & (starts > 0), starts, ends)


_FEWEST, _MOST = 3, 17
"""Digits: of the shortest threshold, and of float64."""


def shortest_between(below: np.floating, score: np.floating) -> float:
    """Return the shortest of the numbers that a score is rounded down to and that are above the next lower score.

    below: -infinity for the lowest score.  It has three digits or more.  O(digits).

    >>> shortest_between(np.float64(0.123321), np.float64(0.123456))
    0.1234
    >>> shortest_between(np.float64(0.25), np.float64(0.42))
    0.42
    """
    exact = Decimal(repr(float(score)))  # as people know it: 0.42 is not rounded down, though a little less in binary
    for digits in range(_FEWEST, _MOST):
        rounded = float(Context(digits, ROUND_FLOOR).create_decimal(exact))
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            if below < score.dtype.type(rounded):
                return rounded
    return float(score)


def rounded_down(threshold: float) -> float:
    """Return a threshold with six decimals, or digits, that every score reaches which reaches the exact one.  O(1).

    >>> rounded_down(0.2315829), rounded_down(0.3), rounded_down(-0.0000012345678), rounded_down(float("inf"))
    (0.231582, 0.3, -1.23457e-06, inf)
    """
    if not np.isfinite(threshold):
        return threshold
    exact = Decimal(repr(float(threshold)))
    if 1e-3 <= abs(threshold) < 1e6:
        return float(exact.quantize(Decimal("1e-6"), ROUND_FLOOR))
    return float(Context(6, ROUND_FLOOR).create_decimal(exact))


def given_number(threshold: float) -> str:
    """Return a threshold as it was given, with six decimals at most: more are rounded down, so that no case is lost.

    >>> given_number(0.23158283531665802), given_number(1234567.5)
    ('0.231582', '1234567.5')
    """
    return plain_number(rounded_down(threshold) if abs(threshold) < 1e6 else threshold)


def plain_number(value: float) -> str:
    """Return a number as people type it, with all its digits.  O(1).

    >>> plain_number(0.25), plain_number(30.0), plain_number(-0.0), plain_number(float("inf"))
    ('0.25', '30', '0', 'inf')
    """
    return repr(float(value) + 0.0).removesuffix(".0")
