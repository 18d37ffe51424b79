"""Areas of many columns of the same cases: of scores, of labels, or of both."""

import numpy as np

from evalcore.kernels import blocks
from evalcore.kernels.operating_points import LazyOperatingPoints, correct_points_of_columns
from evalcore.kernels.ordering import map_ordered_columns, order
from evalcore.kernels.pairs import pair_counts, pair_counts_of_columns
from evalcore.kernels.rank_sums import SparseLabels, doubled_ranks, rank_sums
from evalcore.measures import curves
from evalcore.typing import BoolArray, FloatArray, KeyArray, ScoreArray


def roc_areas_of_columns(
    scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> FloatArray:
    """Return the ROC area of each column, (k,) float64 in 0 .. 1, NaN where there is one class; as `curves.roc_area`.

    scores, correct: (n, k); extent: as of `order`.  O(k n log n).

    >>> roc_areas_of_columns(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, True], [False, False]]))
    array([1., 0.])
    """

    def area(keys: KeyArray) -> float:
        pairs = pair_counts(keys)
        return curves.roc_area(pairs, pairs.correct, keys.size - pairs.correct)

    def areas(keys: KeyArray) -> FloatArray:
        return curves.roc_areas(pair_counts_of_columns(keys), len(scores))

    if len(scores) > blocks.BLOCK:
        columns = zip(scores.T, correct.T, strict=True)
        return np.array([area(order(*column, extent).keys) for column in columns])
    return np.concatenate(map_ordered_columns(areas, scores, correct, extent))


def average_precisions_of_columns(
    scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> FloatArray:
    """Return the average precision of each column, (k,) float64 in 0 .. 1, NaN without positives.

    As `curves.average_precision`; scores, correct, extent: as of `roc_areas_of_columns`.  O(k n log n).

    >>> average_precisions_of_columns(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, True], [False, False]]))
    array([1. , 0.5])
    """

    def area(keys: KeyArray, positives: int) -> float:
        return curves.average_precision(LazyOperatingPoints(keys), positives)

    def areas(keys: KeyArray) -> FloatArray:
        return curves.average_precisions(correct_points_of_columns(keys))

    if len(scores) > blocks.BLOCK:
        columns = zip(scores.T, correct.T, strict=True)
        return np.array([area(order(*column, extent).keys, int(np.count_nonzero(column[1]))) for column in columns])
    return np.concatenate(map_ordered_columns(areas, scores, correct, extent))


def roc_areas_of_labels(scores: ScoreArray, labels: BoolArray | SparseLabels) -> FloatArray:
    """Return the ROC area of one column of scores for each of many columns of labels, from one sort.

    scores: (n,) float32 or float64, no NaN; labels: (n, k).  Returns (k,), as `roc_areas_of_columns`.
    O(n log n + n k), O(n log n + m + k) for m cases of sparse labels.

    >>> roc_areas_of_labels(np.array([0.9, 0.5]), np.array([[True, False], [False, True]]))
    array([1., 0.])
    """
    sums = rank_sums(labels, doubled_ranks(scores))
    return curves.roc_areas_of_rank_sums(*sums, cases=scores.size)
