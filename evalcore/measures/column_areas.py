"""Areas of many columns of the same cases: of scores, of labels, or of both."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from evalcore.kernels import blocks
from evalcore.kernels.grouped_pairs import pair_counts_of_block
from evalcore.kernels.ordering import map_ordered_columns, order
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.rank_sums import doubled_ranks, rank_sums
from evalcore.kernels.runs import lazy_runs, runs_of_groups
from evalcore.measures import curves
from evalcore.typing import BoolArray, FloatArray, KeyArray, ScoreArray

T = TypeVar("T")


class ColumnAreas(NamedTuple):
    """Of each of k columns."""

    roc_area: FloatArray
    """As of `roc_areas_of_columns`, shape (k,)."""
    average_precision: FloatArray
    """As of `average_precisions_of_columns`, shape (k,)."""


def areas_of_columns(scores: ScoreArray, correct: BoolArray) -> ColumnAreas:
    """Return both areas of each column, from one sort; scores, correct: (n, k).  O(k n log n).

    >>> areas_of_columns(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, True], [False, False]]))
    ColumnAreas(roc_area=array([1., 0.]), average_precision=array([1. , 0.5]))
    """
    areas = _map_keys(lambda keys: (_roc_areas(keys), _average_precisions(keys)), scores, correct)
    return ColumnAreas(*map(np.concatenate, zip(*areas, strict=True)))


def roc_areas_of_columns(
    scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> FloatArray:
    """Return the ROC area of each column, (k,) float64 in 0 .. 1, NaN where there is one class; as `curves.roc_area`.

    scores, correct: (n, k); extent: as of `order`.  O(k n log n).
    """
    return np.concatenate(_map_keys(_roc_areas, scores, correct, extent))


def average_precisions_of_columns(
    scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> FloatArray:
    """Return the average precision of each column, (k,) float64 in 0 .. 1, NaN without positives.

    As `curves.average_precision`; scores, correct, extent: as of `roc_areas_of_columns`.  O(k n log n).
    """
    return np.concatenate(_map_keys(_average_precisions, scores, correct, extent))


def roc_areas_of_labels(scores: ScoreArray, labels: BoolArray) -> FloatArray:
    """Return the ROC area of one column of scores for each of many columns of labels, from one sort.

    scores: (n,) float32 or float64, no NaN; labels: (n, k).  Returns (k,), as `roc_areas_of_columns`.
    O(n log n + n k).

    >>> roc_areas_of_labels(np.array([0.9, 0.5]), np.array([[True, False], [False, True]]))
    array([1., 0.])
    """
    sums = rank_sums(labels, doubled_ranks(scores))
    return curves.roc_areas_of_rank_sums(*sums, cases=scores.size)


def _map_keys(
    task: Callable[[KeyArray], T], scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> list[T]:
    """Call a task as `map_ordered_columns` does; of columns longer than a block, with the keys of one at a time."""
    if len(scores) > blocks.BLOCK:
        columns = zip(scores.T, correct.T, strict=True)
        return [task(order(*column, extent).keys[np.newaxis]) for column in columns]
    return map_ordered_columns(task, scores, correct, extent)


def _roc_areas(keys: KeyArray) -> FloatArray:
    """Return the area of each row of sorted keys, (w, n); w is 1 if n is above `BLOCK`."""
    columns, cases = keys.shape
    if cases > blocks.BLOCK:
        pairs = pair_counts(keys[0])
        return np.array([curves.roc_area(pairs, pairs.correct, cases - pairs.correct)])
    return curves.roc_areas_of_pairs(pair_counts_of_block(keys.ravel(), np.arange(columns + 1) * cases))


def _average_precisions(keys: KeyArray) -> FloatArray:
    """Return the average precision of each row of sorted keys, as `_roc_areas`."""
    columns, cases = keys.shape
    long = cases > blocks.BLOCK
    return curves.average_precisions(
        lazy_runs(keys[0]) if long else runs_of_groups(keys.ravel(), np.full(columns, cases))
    )
