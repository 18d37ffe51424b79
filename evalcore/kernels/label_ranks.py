"""Ranks of labels among the labels of the same case, by score, for many cases at once.

Columns are arrays (k, n): one row for each label, one column for each case.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import blocks
from evalcore.kernels.rankings import ranks_by_score
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, RankArray

_FEW_LABELS = 40
"""Up to here comparing every pair of labels, k² cheap passes, beats sorting the labels of each case."""


class LabelRanks(NamedTuple):
    """How many labels of the same case stand above each label, and down to it."""

    above: RankArray
    """Those of higher score, shape (k, n)."""
    through: RankArray
    """Those of at least its score, shape (k, n)."""


def label_ranks_of(scores: AnyArray, counted: BoolArray | None = None) -> LabelRanks:
    """Count, for each label of each case, the labels of higher score and of at least its score.

    scores: (k, n) real, no NaN; counted: (k, n), which labels are counted, all if None.  O(k² n), for many labels
    O(k log k n).

    >>> above, through = label_ranks_of(np.array([[0.5], [0.9], [0.5]]))
    >>> above.ravel().tolist(), through.ravel().tolist()
    ([1, 0, 1], [3, 1, 3])
    """
    if len(scores) > _FEW_LABELS:
        return _label_ranks_by_sorting(scores, np.ones(scores.shape, np.bool_) if counted is None else counted)
    return _label_ranks_by_comparing(scores, None if counted is None else np.ascontiguousarray(counted).view(np.uint8))


def _label_ranks_by_comparing(scores: AnyArray, ones: npt.NDArray[np.uint8] | None) -> LabelRanks:
    above, below = np.zeros((2, *scores.shape), np.uint8)
    for label in range(len(scores) - 1):
        others = slice(label + 1, None)
        higher = (scores[others] > scores[label]).view(np.uint8)
        lower = (scores[others] < scores[label]).view(np.uint8)
        above[others] += lower if ones is None else lower & ones[label]
        below[others] += higher if ones is None else higher & ones[label]
        above[label] += np.add.reduce(higher if ones is None else higher & ones[others], axis=0, dtype=np.uint8)
        below[label] += np.add.reduce(lower if ones is None else lower & ones[others], axis=0, dtype=np.uint8)
    counted = len(scores) if ones is None else np.add.reduce(ones, axis=0)
    return LabelRanks(above, np.subtract(counted, below, dtype=np.uint8))


def _label_ranks_by_sorting(scores: AnyArray, counted: BoolArray) -> LabelRanks:
    order = np.argsort(scores, axis=0)[::-1]
    ranked = np.take_along_axis(scores, order, axis=0)
    through: IntArray = np.cumsum(np.take_along_axis(counted, order, axis=0), axis=0)
    above = np.zeros_like(through)
    above[1:] = through[:-1]
    tied = ranked[1:] == ranked[:-1]
    # counts only rise along a case: the first of a run is its smallest, the last its largest
    above[1:][tied] = 0
    np.maximum.accumulate(above, axis=0, out=above)
    through[:-1][tied] = len(scores)
    through = np.minimum.accumulate(through[::-1], axis=0)[::-1]
    return LabelRanks(_put_back(above, order), _put_back(through, order))


def _put_back(values: IntArray, order: IntArray) -> IntArray:
    original = np.empty_like(values)
    np.put_along_axis(original, order, values, axis=0)
    return original


def ranks_with_later_first(scores: AnyArray) -> RankArray:
    """Rank labels, (k, n), by falling score; of equal scores the later is first.  As `label_ranks_of`."""
    return ranks_by_score(scores[::-1])[::-1]


def rank_of_label(scores: AnyArray, codes: IntArray) -> IntArray:
    """Rank the label `codes`, (n,), of each case as `ranks_with_later_first`; scores: (k, n).  O(k n)."""
    own = np.take_along_axis(scores, codes[np.newaxis], axis=0)[0]
    ranks = count_labels(scores > own)
    equal = scores == own
    if np.count_nonzero(equal) > codes.size:  # not each label to itself alone
        ranks += count_labels(equal & (codes < np.arange(len(scores))[:, np.newaxis]))
    return ranks


def count_labels(mask: BoolArray) -> IntArray:
    """Count the true labels of each case.  mask: (k, n), contiguous.  Returns (n,).  O(k n)."""
    if len(mask) > np.iinfo(np.uint8).max:
        return np.asarray(np.count_nonzero(mask, axis=0))
    return np.asarray(np.add.reduce(mask.view(np.uint8), axis=0, dtype=np.uint8), np.int64)


def by_case(formula: Callable[..., npt.NDArray[Any]], *rows: npt.NDArray[Any]) -> FloatArray:
    """Apply a formula on columns (k, m) to rows (n, k), in blocks that stay in cache.

    formula: takes as many columns as there are rows, returns (m,).  rows: (n, k) each, or (n,), which are cut into
    blocks only.  Returns (n,) float64.  O(n k), and the cost of the formula.
    """
    cases, labels = rows[0].shape
    values = np.empty(cases)
    # by one thread: the passes over single labels are so short that several only wait for each other
    for block in blocks(cases, labels):
        values[block] = formula(*(np.ascontiguousarray(part[block].T) for part in rows))
    return values
