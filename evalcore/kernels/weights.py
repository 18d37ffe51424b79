"""Sums of weights: of cases by a code, in the order of their scores, at or above thresholds, and what cases lose.

Which scores are equal is read off the sort, and sums are kept at the scores that hold a correct case alone: a report of
ten million weighted cases takes 2.2 times the CPU time of one without weights (with a gather of the scores and sums at
every score, 3.6 times).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evalcore.kernels.blocks import BLOCK, blocks, map_blocks, map_parts
from evalcore.kernels.runs import Runs, run_starts
from evalcore.kernels.sorting import descending, extent
from evalcore.kernels.sums import EXACT_IN_FLOAT64, accumulate_rows, row_width, sum_in_rows
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

T = TypeVar("T")

LARGEST, SMALLEST = 2.0**200, 2.0**-40
"""The fourth power of a weight up to this fits float64, for up to 2**40 cases; and so does the product of one of at
least this with one that is far smaller."""
_FIRST, _MOST_PARTS, _ROUNDING = 1000, 16, 2.0**-50
_APART = 1e-12
"""More than sums of ten million weights are off."""
_PARTS, _FEW_CELLS = 16, 1 << 6
"""Parts in which a block of cases of few cells is added up, at least."""


class WeightSums(NamedTuple):
    """Sums over the cases of each cell of a table of any shape.

    Where weights are frequencies, each case stands for as many: all three are then the sums of the weights.
    """

    sums: FloatArray
    """Of the weights."""
    squares: FloatArray
    """Of the squares of the weights."""
    cases: FloatArray
    """Cases with a weight above zero."""

    def plus(self, other: "WeightSums") -> "WeightSums":
        """Return the sums over the cases of two tables.  O(cells)."""
        return WeightSums(self.sums + other.sums, self.squares + other.squares, self.cases + other.cases)

    def scaled(self, factors: FloatArray) -> "WeightSums":
        """Return the sums with the weights in each cell multiplied by a factor.  O(cells)."""
        return WeightSums(self.sums * factors, self.squares * factors**2, self.cases)

    def at(self, chosen: int | slice | IntArray | tuple[slice | int | IntArray | None, ...]) -> "WeightSums":
        """Return the cells at an index.  O(cells)."""
        return WeightSums(*(column[chosen] for column in self))


def weight_sums(codes: AnyArray, weights: AnyArray, cells: int, *, frequencies: bool = False) -> WeightSums:
    """Add up the weights of the cases of each cell.

    codes: (n,) in 0 .. cells-1; weights: (n,) int64 or float64, none negative.  Returns (cells,) each.  O(n + cells).

    >>> weight_sums(np.array([0, 2, 2]), np.array([0.5, 3.0, 0.0]), 3)
    WeightSums(sums=array([0.5, 0. , 3. ]), squares=array([0.25, 0.  , 9.  ]), cases=array([1., 0., 1.]))
    """
    rows = max(BLOCK // (_PARTS * cells), 1)

    def of_block(block: slice) -> WeightSums:
        own, size = weights[block], block.stop - block.start
        parts = size // rows + 1 if cells <= _FEW_CELLS else 1
        places = codes[block] if parts == 1 else codes[block] + cells * (np.arange(size) // rows)

        def add_up(values: AnyArray) -> FloatArray:
            # a long sum in turn would lose digits: equal weights are rounded the same way again and again
            found = np.bincount(places, values, cells * parts).astype(np.float64, copy=False)
            return np.asarray(found.reshape(parts, cells).sum(axis=0))

        sums = add_up(own)
        if frequencies:
            return WeightSums(sums, sums, sums)
        return WeightSums(sums, add_up(np.square(own, dtype=np.float64)), add_up(own > 0))

    found = map_blocks(of_block, weights.size) if cells <= BLOCK else [of_block(slice(0, weights.size))]
    return reduce(WeightSums.plus, found, WeightSums(*np.zeros((3, cells))))


def class_weight_sums(positive: BoolArray, weights: AnyArray) -> WeightSums:
    """Add up the weights of the positives and of the negatives, (n,) each.  Returns (2,) each.  O(n).

    >>> class_weight_sums(np.array([True, False, False]), np.array([2, 3, 1])).sums
    array([2., 4.])
    """

    def of_block(block: slice) -> FloatArray:
        own, correct_cases = weights[block].astype(np.float64, copy=False), positive[block]
        correct = own * correct_cases
        sides = correct, own - correct  # exactly: each case has all of its weight on one side
        present = own != 0
        cases = np.count_nonzero(present & correct_cases)
        counts = cases, np.count_nonzero(present) - cases
        pairs = zip(sides, counts, strict=True)
        return np.array([(np.add.reduce(side), sum_in_rows(side, side), count) for side, count in pairs])

    return WeightSums(*np.sum(map_blocks(of_block, weights.size), axis=0).T.copy())


def are_whole(weights: AnyArray) -> bool:
    """Whether weights, (n,), none negative, are whole numbers whose sum float64 holds exactly.  O(n)."""
    return _hold_whole_numbers(weights) and bool(np.sum(weights, dtype=np.float64) < EXACT_IN_FLOAT64)


def _hold_whole_numbers(numbers: AnyArray) -> bool:
    parts = (numbers[block] for block in blocks(numbers.size))
    return numbers.dtype.kind != "f" or all(bool((part == np.rint(part)).all()) for part in parts)


def rounding_of(*sums: AnyArray) -> float:
    """Return by what part of them sums of weights, (p,) each, may differ where the exact sums are equal.  O(p).

    0 of whole numbers.  What is decided by comparing sums allows for it, so that a common factor of weights leaves the
    decision.

    >>> rounding_of(np.array([1, 2])), rounding_of(np.array([0.5, 0.8]))
    (0, 1e-12)
    """
    # beyond 2**53 sums of floats are rounded, and beyond 2**63 no int64
    exact = all(each.dtype.kind != "f" or each.max(initial=0) <= EXACT_IN_FLOAT64 for each in sums)
    return 0 if exact and all(map(_hold_whole_numbers, sums)) else _APART


def in_whole_units(weights: FloatArray) -> tuple[FloatArray, float]:
    """Return weights as whole multiples of a unit, and the unit; as they are, and 1.0, if they are no such multiples.

    weights: (n,) above zero.  Sums of multiples are exact, so that weights such as 0.1 and 0.3 tie wherever 1 and 3 do.
    The unit is the smallest weight divided by 1 .. 16; weights may differ from multiples by their rounding.  O(n).

    >>> in_whole_units(np.array([0.3, 0.1, 0.2]))
    (array([3., 1., 2.]), 0.1)
    """
    if weights.size == 0 or are_whole(weights):
        return weights, 1.0
    least, largest = extent(weights)
    if largest / EXACT_IN_FLOAT64 >= least:
        return weights, 1.0
    first = weights[:_FIRST] / least
    parts = next((parts for parts in range(1, _MOST_PARTS + 1) if _are_multiples(first * parts)), 0)
    if not parts:
        return weights, 1.0
    multiples = weights / least
    multiples *= parts
    if not _are_multiples(multiples):
        return weights, 1.0
    multiples = np.rint(multiples)
    return (multiples, least / parts) if are_whole(multiples) else (weights, 1.0)


def _are_multiples(ratios: FloatArray) -> bool:
    """Whether numbers are whole except for a few roundings.  O(n)."""
    return bool(np.all(np.abs(ratios - np.rint(ratios)) <= ratios * _ROUNDING) and ratios.max() < EXACT_IN_FLOAT64)


def scaled_weights(weights: FloatArray) -> tuple[FloatArray, float]:
    """Return weights, (n,) with n > 0, whose sums and products neither overflow nor vanish, and their divisor.

    The divisor is a power of two, 1.0 for weights of common size, so that only what is far below the largest is
    rounded.  O(n).
    """
    low, high = extent(weights)
    largest = max(high, -low)
    if SMALLEST <= largest <= LARGEST or largest == 0:
        return weights, 1.0
    exponent = int(np.frexp(largest)[1]) - 1
    with np.errstate(under="ignore"):
        return np.ldexp(weights, -exponent), float(np.ldexp(1.0, exponent))


class SortedWeights(NamedTuple):
    """Cases with weights, best score first, equal ones in their order."""

    order: IntArray
    """The indices of the cases, (n,)."""
    ends: BoolArray
    """Which cases are followed by one of another score, or by none, (n,)."""
    weights: FloatArray
    """Those of correct cases, and the negated ones of incorrect cases, (n,)."""

    def at(self, ranks: slice) -> "SortedWeights":
        """Return some neighbours.  O(1)."""
        return SortedWeights(self.order[ranks], self.ends[ranks], self.weights[ranks])


class RankedPart(NamedTuple):
    """Neighbours in a ranking of cases with weights, with all cases of each of their scores."""

    runs: Runs
    """Their runs among all, in float64."""
    cases: IntArray
    """Their indices, shape (m,)."""
    weights: FloatArray
    """As of `SortedWeights`, shape (m,)."""
    starts: IntArray
    """Which of them is the first case of each run, shape (r,)."""
    stops: IntArray
    """Which of them comes behind each run, shape (r,)."""
    between: FloatArray
    """Weight of the incorrect cases between the runs, shape (r + 1,)."""
    above: FloatArray
    """Weight of the correct and of the incorrect cases of the parts above, shape (2,)."""
    below: FloatArray
    """The same of the parts below, shape (2,)."""

    def of_cases(self, correct: FloatArray, beside: FloatArray, between: FloatArray) -> FloatArray:
        """Return a value for each case, (m,): that of its run or, of incorrect cases in no run, of where they stand.

        correct, beside: of the correct and of the incorrect cases of each run, (r,); between: between runs, (r + 1,).
        O(m).
        """
        if np.array_equal(self.starts + 1, self.stops):  # each a correct case alone
            values = between.repeat(np.diff(self.stops, prepend=0, append=self.weights.size))
            values[self.starts] = correct
            return values
        borders = np.zeros(2 * correct.size + 2, np.int64)
        borders[1:-1:2], borders[2::2], borders[-1] = self.starts, self.stops, self.weights.size
        of_incorrect, sizes = np.empty(borders.size - 1), np.diff(borders)
        of_incorrect[::2], of_incorrect[1::2] = between, beside
        of_correct = of_incorrect.copy()
        of_correct[1::2] = correct
        return np.where(self.weights > 0, of_correct.repeat(sizes), of_incorrect.repeat(sizes))

    def squares(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Add up the squares of the weights of correct and of incorrect cases in runs, (r,) each, and between them.

        Those between, (r + 1,), are of incorrect cases alone.  O(m).

        >>> columns = np.array([0.9, 0.9, 0.5]), np.array([True, False, False]), np.array([2.0, 3.0, 1.0])
        >>> walk_of_weights(sort_weights(*columns)).map_parts(RankedPart.squares)
        [(array([4.]), array([9.]), array([0., 1.]))]
        """
        squares = np.zeros((2, self.weights.size + 1))
        for side, part in zip((self.weights, -self.weights), squares, strict=True):
            np.maximum(side, 0.0, out=part[:-1])
        np.square(squares, out=squares)
        _, own = _between_and_in_runs(squares[0], self.starts, self.stops)
        between, others = _between_and_in_runs(squares[1], self.starts, self.stops)
        return own, others, between


class BuiltParts(NamedTuple):
    """The columns of all `RankedPart`, one part after the other."""

    runs: Runs
    """As they are met."""
    starts: IntArray
    """As of each part, shape (r,)."""
    between: FloatArray
    """As of each part, shape (r + parts,)."""
    firsts: IntArray
    """The first run of each part, and r, shape (parts + 1,)."""


@dataclass(frozen=True)
class WeightWalk:
    """The runs of a ranking of cases with weights, part by part: columns of all runs are built only on request."""

    cases: SortedWeights
    parts: list[slice]
    """Ranks of all cases, one part after the other, none of which divides a score."""
    sums: FloatArray
    """Weight of the correct and of the incorrect cases of each part, shape (parts, 2)."""
    are_counts: bool
    """Whether runs are met in int64."""

    @property
    def totals(self) -> AnyArray:
        """As of `Runs`, shape (2, 1).  O(parts)."""
        totals: AnyArray = np.add.reduce(self.sums)[:, np.newaxis]
        return totals.astype(np.int64) if self.are_counts else totals

    @property
    def retrieved(self) -> AnyArray:
        """As of `Runs`.  O(parts)."""
        return np.asarray(self.totals[0])

    def map(self, task: Callable[[Runs], T]) -> list[T]:
        """Call a task with the runs of one part after the other, at least one; as `map_parts`."""
        return self.map_parts(lambda part: task(self.counted(part.runs)))

    def counted(self, runs: Runs) -> Runs:
        """Return the runs of a part as they are met.  O(r)."""
        return runs.in_counts if self.are_counts else runs

    def map_parts(self, task: Callable[..., T], *columns: Sequence[Any]) -> list[T]:
        """Call a task with each `RankedPart`, one at least, and its element of columns, (parts,); as `map_parts`.

        O(n) time, a few blocks of memory for each thread.
        """
        totals, count = np.add.reduce(self.sums)[:, np.newaxis], len(self.parts)
        through = np.zeros((2, count + 1, 2))  # from either end
        if count > 1:
            np.cumsum([self.sums, self.sums[::-1]], axis=1, out=through[:, 1:])

        def ranked(index: int) -> RankedPart:
            part, built = self.parts[index], self.__dict__.get("built")
            cases, sides = self.cases.at(part), (through[0, index], through[1, count - 1 - index])
            if built is None:
                return _ranked_part(cases, *sides, totals, part.start)
            own = slice(*built.firsts[index : index + 2].tolist())
            runs, between = built.runs.part(own), built.between[own.start + index : own.stop + index + 1]
            if self.are_counts:
                amounts = (each.astype(np.float64) for each in runs[1:5])
                runs = Runs._make([runs.starts, *amounts, *runs[5:]])
            after = totals[1] - runs.fp if runs.fp_after is None else runs.fp_after
            runs = runs._replace(totals=totals, fp_after=after)
            stops = runs.lasts + (1 - part.start)
            return RankedPart(runs, cases.order, cases.weights, built.starts[own], stops, between, *sides)

        def call(index: int) -> T:
            return task(ranked(index), *(column[index] for column in columns))

        return map_parts(call, list(range(count)), self.cases.ends.size)

    @cached_property
    def built(self) -> BuiltParts:
        """The parts in columns, of which later walks read them.  O(n), then O(1)."""

        def columns_of(part: RankedPart) -> tuple[AnyArray, ...]:
            runs = self.counted(part.runs)
            after = () if runs.fp_after is None else (runs.fp_after,)
            return *runs[1:5], part.runs.lasts, part.starts, part.between, *after

        columns = list(zip(*self.map_parts(columns_of), strict=True))
        firsts = np.cumsum([0, *map(len, columns[0])])
        # a column is given back before the next is joined
        own, others, tp, fp, lasts, starts, between = (np.concatenate(columns.pop(0)) for _ in range(7))
        runs = Runs(np.array([0, tp.size]), own, others, tp, fp, self.totals, lasts)
        if columns:
            after = np.concatenate(columns.pop())
            # totals of sums in this order
            totals = np.array([tp[-1:], fp[-1:] + after[-1:]]) if tp.size else runs.totals
            runs = runs._replace(totals=totals, fp_after=after)
        return BuiltParts(runs, starts, between, firsts)


def sort_weights(scores: ScoreArray, correct: BoolArray, weights: AnyArray) -> SortedWeights:
    """Sort cases, (n,) each, by their scores.

    scores: float32 or float64, no NaN; weights: int64 or float64, none negative.  O(n log n).

    >>> sort_weights(np.array([0.5, 0.9]), np.array([True, False]), np.array([1.0, 2.0])).weights
    array([-2.,  1.])
    """
    ends = np.ones(scores.size, np.bool_)
    order = descending(scores, ends)
    # weight and label of a case travel as one number, so that a single gather fetches both: faster from few bytes
    whole = weights.dtype.kind != "f" and weights.size
    signed = np.empty(scores.size, np.min_scalar_type(~int(weights.max())) if whole else np.float64)
    found = np.empty(scores.size)

    def join(block: slice) -> None:
        np.multiply(weights[block], 2 * correct[block].view(np.int8) - 1, out=signed[block], casting="unsafe")

    def fetch(block: slice) -> None:
        found[block] = signed.take(order[block], mode="clip")

    map_blocks(join, scores.size)
    map_blocks(fetch, scores.size)
    return SortedWeights(order, ends, found)


def points_of_weights(cases: SortedWeights, scores: ScoreArray) -> ThresholdPoints:
    """Add up the weights of the cases at or above every distinct score; scores: (n,), as they came.  O(n).

    Whole weights add up exactly below 2**53.

    >>> scores = np.array([0.5, 0.9, 0.9])
    >>> points_of_weights(sort_weights(scores, np.array([True, True, False]), np.array([1.0, 2.0, 3.0])), scores)
    ThresholdPoints(tp=array([2., 3.]), fp=array([3., 3.]), scores=array([0.9, 0.5]))
    """
    # each class by itself: a difference of sums could fall where weights are zero
    tp, fp = (np.maximum(side, 0.0) for side in (cases.weights, -cases.weights))
    for each in (tp, fp):
        accumulate_rows(each, row_width(scores.size))
    points = ThresholdPoints(tp, fp, scores.take(cases.order, mode="clip") + scores.dtype.type(0))  # -0.0 becomes 0.0
    return points if cases.ends.all() else points.at(cases.ends)


def walk_of_weights(cases: SortedWeights, *, whole: bool = False) -> WeightWalk:
    """Return the runs of a ranking for walks over its parts; whole: whether weights are, with exact sums.  O(n).

    >>> cases = sort_weights(np.array([0.9, 0.9, 0.5]), np.array([True, False, False]), np.array([2.0, 3.0, 1.0]))
    >>> [column.tolist() for column in walk_of_weights(cases).built.runs[1:6]]
    [[2.0], [3.0], [2.0], [3.0], [[2.0], [4.0]]]
    """
    parts = parts_between_scores(cases.ends) or [slice(0, 0)]

    def add_up(part: slice) -> list[np.float64]:
        weights = cases.weights[part]
        return [np.add.reduce(np.maximum(side, 0.0)) for side in (weights, -weights)]

    sums = map_parts(add_up, parts, cases.ends.size)
    return WeightWalk(cases, parts, np.array([*zip(*sums, strict=True)]).T, whole)


def _ranked_part(
    cases: SortedWeights, above: FloatArray, below: FloatArray, totals: FloatArray, start: int
) -> RankedPart:
    """Add up the weights at, above and below every score of a part that holds a correct case.  O(m).

    above, below: weight of the correct and of the incorrect cases of the other parts, (2,); totals: of all, (2, 1);
    start: cases above.
    """
    weights = cases.weights
    ranks, firsts, starts, stops = _runs_of_correct(weights, cases.ends)
    correct = weights[ranks]
    if firsts is not None:
        correct = np.add.reduceat(correct, firsts) if firsts.size else correct
    incorrect = np.zeros(weights.size + 1)
    np.maximum(-weights, 0.0, out=incorrect[:-1])
    # none of these as a difference of sums, in which small weights would vanish
    between, own = _between_and_in_runs(incorrect, starts, stops)
    through, after = np.zeros(between.size, np.complex128), between[::-1].copy()
    through.real[1:], through.imag = correct, between  # two running sums take the time of one
    through.imag[1:] += own
    after[1:] += own[::-1]
    for each in (through, after):
        accumulate_rows(each)
    tp, fp = through.real[1:], through.imag[:-1] + own
    runs = Runs(
        np.array([0, correct.size]), correct, own, tp + above[0], fp + above[1], totals, stops + (start - 1),
        after[-2::-1] + below[1],
    )  # fmt: skip
    return RankedPart(runs, cases.order, weights, starts, stops, between, above, below)


def _between_and_in_runs(values: FloatArray, starts: IntArray, stops: IntArray) -> tuple[FloatArray, FloatArray]:
    """Add up values, (m + 1,) with 0 behind the last, between runs, (r + 1,), and in them, (r,).  O(m)."""
    borders = np.zeros(2 * starts.size + 1, np.int64)
    borders[1::2], borders[2::2] = starts, stops
    sums = np.add.reduceat(values, borders)
    sums[:-1:2] *= borders[:-1:2] < starts  # of no values it gives the next one
    return sums[::2], sums[1::2]


def _runs_of_correct(weights: FloatArray, ends: BoolArray) -> tuple[IntArray, IntArray | None, IntArray, IntArray]:
    """Find the correct cases of a part of m signed weights, and the scores that hold one.  O(m).

    Returns the rank of each correct case, which of them are the first of their score, None if all are, and the ranks of
    the first case of each score and of that behind its last one.
    """
    ranks = (weights > 0).nonzero()[0]
    if ends.all():
        return ranks, None, ranks, ranks + 1
    scores = ends.cumsum()[ranks] - ends[ranks]
    firsts = run_starts(scores)
    own, borders = scores[firsts], np.append(0, ends.nonzero()[0] + 1)
    return ranks, firsts, borders[own], borders[own + 1]


def parts_between_scores(ends: BoolArray) -> list[slice]:
    """Cut ranks into blocks whose last case is the last of its score; ends: (n,).  O(n / BLOCK + longest tie)."""
    if 0 < ends.size <= BLOCK:
        return [slice(0, ends.size)]
    stops = [block.stop + int(np.argmax(ends[block.stop - 1 :])) for block in blocks(ends.size)]
    return [slice(start, stop) for start, stop in pairwise([0, *dict.fromkeys(stops)])]


def sums_at_scores(cases: SortedWeights, *, frequencies: bool = False) -> WeightSums:
    """Add up the weights of correct and of incorrect cases at every distinct score, (2, p); all above zero.  O(n).

    >>> cases = sort_weights(np.array([0.9, 0.9, 0.5]), np.array([False, True, True]), np.array([2.0, 3.0, 1.0]))
    >>> sums_at_scores(cases).sums
    array([[3., 1.],
           [2., 0.]])
    """
    sides = np.stack([np.maximum(cases.weights, 0.0), np.maximum(-cases.weights, 0.0)])
    starts = None if cases.ends.all() else np.flatnonzero(np.concatenate([cases.ends[-1:], cases.ends[:-1]]))

    def add_up(values: FloatArray) -> FloatArray:  # each row by itself takes half the time
        return values if starts is None else np.stack([np.add.reduceat(row, starts) for row in values])

    sums = add_up(sides)
    if frequencies:
        return WeightSums(sums, sums, sums)
    return WeightSums(sums, add_up(sides * sides), add_up((sides > 0).astype(np.float64)))


def weights_from_thresholds(
    positive: BoolArray,
    scores: tuple[ScoreArray, ...],
    thresholds: FloatArray,
    weights: AnyArray | None = None,
    *,
    frequencies: bool = False,
) -> WeightSums:
    """Add up the weights of the cases that score at least each of t rising thresholds, of k models together.

    positive: (n,); scores: (n,) of each of the k models; weights: (n,) above 0, by default 1.  Returns (2, t+1, ..)
    with an axis of t+1 for each model, positives first.  Along such an axis, 0 stands for all cases, and i + 1 for
    those at or above the i-th threshold, which is read in the width of the scores.  O(n log t + t^k).

    >>> positive, scores = np.array([True, False, True]), np.array([0.1, 0.4, 0.8])
    >>> weights_from_thresholds(positive, (scores,), np.array([0.3, 0.5])).sums
    array([[2., 1., 1.],
           [1., 1., 0.]])
    """
    cells = thresholds.size + 1
    codes = (~positive).astype(np.int64)
    for own in scores:
        codes *= cells
        codes += np.searchsorted(thresholds.astype(own.dtype), own, side="right")
    each = np.ones(positive.size, np.int64) if weights is None else weights
    shape = 2, *[cells] * len(scores)
    found = weight_sums(codes, each, 2 * cells ** len(scores), frequencies=frequencies or weights is None)

    def from_each_on(table: FloatArray) -> FloatArray:
        for axis in range(1, table.ndim):
            table = np.flip(np.cumsum(np.flip(table, axis), axis), axis)
        return table

    return WeightSums(*(from_each_on(column.reshape(shape)) for column in found))
