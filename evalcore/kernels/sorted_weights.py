"""Weights of cases in the order of their scores, and their sums at and above each distinct score.

Which scores are equal is read off the sort, and sums are kept at the scores that hold a correct case alone: a report of
ten million weighted cases takes 2.2 times the CPU time of one without weights (with a gather of the scores and sums at
every score, 3.6 times).
"""

from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.argsort import descending_with_ends
from evalcore.kernels.blocks import blocks, map_blocks, map_parts
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import Runs, run_starts
from evalcore.kernels.threshold_points import ThresholdPoints, empty_points
from evalcore.kernels.weight_sums import WeightSums
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_ADDED_IN_TURN = 1 << 8
"""Weights that are added up one after the other."""
_FEW = 1 << 16
"""Cases whose running counts fit 16 bits."""


class SortedWeights(NamedTuple):
    """Cases with weights, best score first, equal ones in their order."""

    order: IntArray
    """The indices of the cases, (n,)."""
    ends: BoolArray
    """Which cases are followed by one of another score, or by none, (n,)."""
    weights: FloatArray
    """Those of correct cases, and the negated ones of incorrect cases, (n,)."""

    def reversed(self) -> "SortedWeights":
        """Return the cases worst score first.  O(n)."""
        ends = np.concatenate([self.ends[-2::-1], self.ends[-1:]])
        return SortedWeights(self.order[::-1], ends, self.weights[::-1])


class PartedRuns(NamedTuple):
    """The runs of a ranking of cases with weights, and how its cases were parted."""

    runs: Runs
    """In float64."""
    first_ranks: IntArray
    """The rank of the first case of each run, shape (r,)."""
    last_ranks: IntArray
    """The rank of the last case of each run, shape (r,)."""
    parts: list[slice]
    """Ranks of all cases, one part after the other, none of which divides a score."""
    before: FloatArray
    """Weight of the correct and of the incorrect cases before each part, and of all: shape (parts + 1, 2)."""


class ClassSums(NamedTuple):
    """Sums over the weights of the cases of each distinct score, best first, shape (p,) each."""

    correct: WeightSums
    incorrect: WeightSums


def sort_weights(scores: ScoreArray, correct: BoolArray, weights: AnyArray) -> SortedWeights:
    """Sort cases, (n,) each, by their scores.

    scores: float32 or float64, no NaN; weights: int64 or float64, none negative.  O(n log n).

    >>> sort_weights(np.array([0.5, 0.9]), np.array([True, False]), np.array([1.0, 2.0])).weights
    array([-2.,  1.])
    """
    order, ends = descending_with_ends(scores)
    # weight and label of a case travel as one number, so that a single gather fetches both: faster from few bytes
    whole = weights.dtype.kind != "f" and weights.size
    signed = np.empty(scores.size, np.min_scalar_type(-int(weights.max())) if whole else np.float64)
    found = np.empty(scores.size)

    def join(block: slice) -> None:
        np.multiply(weights[block], 2 * correct[block].view(np.int8) - 1, out=signed[block], casting="unsafe")

    def fetch(block: slice) -> None:
        found[block] = signed.take(order[block], mode="clip")

    map_blocks(join, scores.size)
    map_blocks(fetch, scores.size)
    return SortedWeights(order, ends, found)


def weighted_points(scores: ScoreArray, correct: BoolArray, weights: AnyArray) -> ThresholdPoints:
    """Add up the weights of the cases at or above every distinct score.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; weights: (n,), none negative.  Whole weights add up
    exactly below 2**53.  O(n log n).

    >>> weighted_points(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]), np.array([1.0, 2.0, 3.0]))
    ThresholdPoints(tp=array([2., 3.]), fp=array([3., 3.]), scores=array([0.9, 0.5]))
    """
    return points_of_weights(sort_weights(scores, correct, weights), scores)


def points_of_weights(cases: SortedWeights, scores: ScoreArray) -> ThresholdPoints:
    """Add up the weights at or above every distinct score, as `weighted_points`; scores: (n,), as they came.  O(n)."""
    size = scores.size
    points = empty_points(size, scores.dtype)

    def add_up(block: slice) -> tuple[float, float]:
        # -0.0 becomes 0.0
        np.add(scores.take(cases.order[block], mode="clip"), scores.dtype.type(0), out=points.scores[block])
        sides = _running_sums(cases.weights[block])[1:]
        points.tp[block], points.fp[block] = sides.real, sides.imag
        return float(sides.real[-1]), float(sides.imag[-1])

    sums = map_blocks(add_up, size)
    tp_sums, fp_sums = (accumulate(column) for column in zip((0.0, 0.0), *sums, strict=True))

    def add_before(part: tuple[slice, float, float]) -> None:
        block, tp_before, fp_before = part
        points.tp[block] += tp_before
        points.fp[block] += fp_before

    map_parts(add_before, list(zip(blocks(size), tp_sums, fp_sums, strict=False)), size)
    return points if cases.ends.all() else points.at(cases.ends)


def parted_runs(cases: SortedWeights) -> PartedRuns:
    """Add up the weights above, at and below every score that holds a correct case.  O(n), in blocks of memory.

    >>> cases = sort_weights(np.array([0.9, 0.9, 0.5]), np.array([True, False, False]), np.array([2.0, 3.0, 1.0]))
    >>> [column.tolist() for column in parted_runs(cases).runs[1:6]]
    [[2.0], [3.0], [2.0], [3.0], [[2.0], [4.0]]]
    """
    parts = parts_between_scores(cases.ends)

    def add_up(part: slice) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
        weights = cases.weights[part]
        ranks, firsts, starts, stops = _runs_of_correct(weights, cases.ends[part])
        correct = weights[ranks]
        if firsts is not None:
            correct = np.add.reduceat(correct, firsts) if firsts.size else correct
        incorrect = np.zeros(weights.size + 1)
        np.maximum(-weights, 0.0, out=incorrect[:-1])
        # none of these as a difference of sums, in which small weights would vanish
        if firsts is None:
            between, own = np.add.reduceat(incorrect, np.append(0, stops)), np.zeros(stops.size)
        else:  # between and in runs by turns
            borders = np.zeros(2 * starts.size + 1, np.int64)
            borders[1::2], borders[2::2] = starts, stops
            sums = np.add.reduceat(incorrect, borders)
            sums[:-1][borders[1:] == borders[:-1]] = 0.0
            between, own = sums[::2], sums[1::2]
        before, after, through = between.copy(), between[::-1].copy(), np.append(0.0, correct)
        before[1:] += own
        after[1:] += own[::-1]
        for each in (through, before, after):
            accumulate_rows(each)
        return correct, own, through, before, after[::-1], starts + part.start, stops + (part.start - 1)

    found = map_parts(add_up, parts, cases.ends.size)
    totals = [(float(through[-1]), float(fp[-1])) for _, _, through, fp, *_ in found]
    before = np.cumsum([(0.0, 0.0), *totals], axis=0)
    below = np.append(np.cumsum([each for _, each in totals[:0:-1]])[::-1], 0.0)
    columns = [
        (own, others, through[1:] + above[0], fp[:-1] + others + above[1], after[1:] + rest, *ranks)
        for (own, others, through, fp, after, *ranks), above, rest in zip(found, before, below, strict=False)
    ]
    own, others, tp, fp, after, first_ranks, lasts = map(np.concatenate, zip(*columns, strict=True))
    runs = Runs(np.array([0, own.size]), own, others, tp, fp, before[-1][:, np.newaxis], lasts, after)
    return PartedRuns(runs, first_ranks, lasts, parts, before)


def _runs_of_correct(weights: FloatArray, ends: BoolArray) -> tuple[IntArray, IntArray | None, IntArray, IntArray]:
    """Find the correct cases of a part of m signed weights, and the scores that hold one.  O(m).

    Returns the rank of each correct case, which of them are the first of their score, None if all are, and the ranks of
    the first case of each score and of that behind its last one.
    """
    ranks = np.flatnonzero(weights > 0)
    if ends.all():
        return ranks, None, ranks, ranks + 1
    borders = np.concatenate([[0], np.flatnonzero(ends) + 1])
    counted = running_counts(ends.view(np.uint8)) if ends.size < _FEW else np.cumsum(ends)
    scores = (counted - ends)[ranks]
    firsts = run_starts(scores)
    scores = scores[firsts].astype(np.intp)
    return ranks, firsts, borders[scores], borders[scores + 1]


def _running_sums(weights: FloatArray) -> npt.NDArray[np.complex128]:
    """Return the weights of correct and of incorrect cases before each of m, and of all: (m + 1,).  O(m)."""
    # Each sum by itself: a difference of sums could fall where weights are zero.  Two at once take the time of one.
    sides = np.zeros(weights.size + 1, np.complex128)
    np.maximum(weights, 0.0, out=sides.real[1:])
    np.maximum(-weights, 0.0, out=sides.imag[1:])
    accumulate_rows(sides[1:])
    return sides


def parts_between_scores(ends: BoolArray) -> list[slice]:
    """Cut ranks into blocks whose last case is the last of its score; ends: (n,).  O(n / BLOCK + longest tie)."""
    stops = [block.stop + int(np.argmax(ends[block.stop - 1 :])) for block in blocks(ends.size)]
    return [slice(start, stop) for start, stop in pairwise([0, *dict.fromkeys(stops)])]


def accumulate_rows(values: npt.NDArray[np.complex128] | FloatArray) -> None:
    """Replace values, (m,), by their running sums, in short rows: in one go equal weights would lose digits.  O(m)."""
    whole = values.size - values.size % _ADDED_IN_TURN
    rows = values[:whole].reshape(-1, _ADDED_IN_TURN)
    np.cumsum(rows, axis=1, out=rows)
    rows[1:] += np.cumsum(rows[:-1, -1])[:, np.newaxis]
    rest = values[max(whole - 1, 0) :]
    np.cumsum(rest, out=rest)


def sums_at_scores(cases: SortedWeights, *, frequencies: bool = False) -> ClassSums:
    """Add up the weights of each class at every distinct score; cases: with weights above zero.  O(n).

    >>> cases = sort_weights(np.array([0.9, 0.9, 0.5]), np.array([False, True, True]), np.array([2.0, 3.0, 1.0]))
    >>> sums_at_scores(cases).correct
    WeightSums(sums=array([3., 1.]), squares=array([9., 1.]), cases=array([1., 1.]))
    """
    ends = cases.ends
    starts = None if ends.all() else np.flatnonzero(np.concatenate([ends[-1:], ends[:-1]]))

    def add_up(values: FloatArray) -> FloatArray:
        return values if starts is None else np.add.reduceat(values, starts)

    def of_class(sign: float) -> WeightSums:
        own: FloatArray = np.maximum(sign * cases.weights, 0.0)
        sums = add_up(own)
        return WeightSums(
            sums, *((sums, sums) if frequencies else (add_up(own * own), add_up((own > 0).astype(np.float64))))
        )

    return ClassSums(of_class(1.0), of_class(-1.0))
