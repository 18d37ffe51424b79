"""Weights of cases in the order of their scores, and their sums at and above each distinct score.

What the passes after the sort cost ten million cases, in units of ``np.sort``: 1.6 to fetch and add up weights (with a
gather and a sum for each column, 4).
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import blocks, map_blocks, map_parts
from evalcore.kernels.threshold_points import ThresholdPoints, empty_points
from evalcore.kernels.weight_sums import WeightSums
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_ROW = 1 << 8
"""Weights that are added up one after the other."""


class SortedWeights(NamedTuple):
    """Cases with weights, best score first, equal ones in their order."""

    scores: ScoreArray
    """Shape (n,), without negative zeros."""
    weights: FloatArray
    """Shape (n,): those of correct cases, and the negated ones of incorrect cases."""


class ClassSums(NamedTuple):
    """Sums over the weights of the cases of each distinct score, best first, shape (p,) each."""

    correct: WeightSums
    incorrect: WeightSums


def sort_weights(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray, order: IntArray | None = None
) -> SortedWeights:
    """Sort cases, (n,) each, by their scores.

    scores: float32 or float64, no NaN; weights: int64 or float64, none negative; order: the indices that sort the
    scores, best first, if they are known.  O(n log n).

    >>> sort_weights(np.array([0.5, 0.9]), np.array([True, False]), np.array([1.0, 2.0]))
    SortedWeights(scores=array([0.9, 0.5]), weights=array([-2.,  1.]))
    """
    size = scores.size
    indices = descending(scores) if order is None else order
    # Score, weight and label of a case travel as one number, so that a single gather fetches them all
    rows = np.empty(size, np.complex128)

    def join(block: slice) -> None:
        rows.real[block] = scores[block]
        np.copysign(weights[block], correct[block] - np.float64(0.5), out=rows.imag[block])

    map_blocks(join, size)
    found = SortedWeights(np.empty(size, scores.dtype), np.empty(size))

    def fetch(block: slice) -> None:
        gathered = rows.take(indices[block], mode="clip")
        np.add(gathered.real, 0.0, out=found.scores[block], casting="same_kind")  # -0.0 becomes 0.0
        found.weights[block] = gathered.imag

    map_blocks(fetch, size)
    return found


def weighted_points(scores: ScoreArray, correct: BoolArray, weights: AnyArray) -> ThresholdPoints:
    """Add up the weights of the cases at or above every distinct score.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; weights: (n,), none negative.  Whole weights add up
    exactly below 2**53.  O(n log n).

    >>> weighted_points(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]), np.array([1.0, 2.0, 3.0]))
    ThresholdPoints(tp=array([2., 3.]), fp=array([3., 3.]), scores=array([0.9, 0.5]))
    """
    return points_of_weights(sort_weights(scores, correct, weights))


def points_of_weights(cases: SortedWeights) -> ThresholdPoints:
    """Add up the weights at or above every distinct score, as `weighted_points`, of sorted cases.  O(n)."""
    scores, weights = cases
    points = empty_points(scores.size, scores.dtype)._replace(scores=scores)

    def add_up(block: slice) -> tuple[float, float]:
        # Each sum by itself: a difference of sums could fall where weights are zero.  Two at once take the time of one.
        sides = np.empty(block.stop - block.start, np.complex128)
        np.maximum(weights[block], 0.0, out=sides.real)
        np.maximum(-weights[block], 0.0, out=sides.imag)
        accumulate_rows(sides)
        points.tp[block], points.fp[block] = sides.real, sides.imag
        return float(sides.real[-1]), float(sides.imag[-1])

    sums = map_blocks(add_up, scores.size)
    tp_sums, fp_sums = (accumulate(column) for column in zip((0.0, 0.0), *sums, strict=True))

    def add_before(part: tuple[slice, float, float]) -> None:
        block, tp_before, fp_before = part
        points.tp[block] += tp_before
        points.fp[block] += fp_before

    map_parts(add_before, list(zip(blocks(scores.size), tp_sums, fp_sums, strict=False)), scores.size)
    distinct = _ends(scores)
    return points if distinct.all() else points.at(distinct)


def accumulate_rows(values: npt.NDArray[np.complex128] | FloatArray) -> None:
    """Replace values, (m,), by their running sums, in short rows: in one go equal weights would lose digits.  O(m)."""
    whole = values.size - values.size % _ROW
    rows = values[:whole].reshape(-1, _ROW)
    np.cumsum(rows, axis=1, out=rows)
    rows[1:] += np.cumsum(rows[:-1, -1])[:, np.newaxis]
    rest = values[max(whole - 1, 0) :]
    np.cumsum(rest, out=rest)


def sums_at_scores(cases: SortedWeights, *, frequencies: bool = False) -> ClassSums:
    """Add up the weights of each class at every distinct score; cases: with weights above zero.  O(n).

    >>> sorted_cases = SortedWeights(np.array([0.9, 0.9, 0.5]), np.array([-2.0, 3.0, 1.0]))
    >>> sums_at_scores(sorted_cases).correct
    WeightSums(sums=array([3., 1.]), squares=array([9., 1.]), cases=array([1., 1.]))
    """
    ends = _ends(cases.scores)
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


def _ends(scores: ScoreArray) -> BoolArray:
    """Return a mask of the scores in order, (n,), that are followed by another one, or by nothing.  O(n)."""
    ends = np.ones(scores.size, np.bool_)

    def fill(block: slice) -> None:
        np.not_equal(scores[block], scores[block.start + 1 : block.stop + 1], out=ends[block])

    map_blocks(fill, scores.size - 1)
    return ends
