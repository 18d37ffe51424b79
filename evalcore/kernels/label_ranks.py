"""Ranks of categories in rankings and of labels by score, for many cases at once.

A ranking is the order in which one case's response names categories, best first.  Ranks count from 0.  A category
that a ranking lacks, or names beyond as many ranks as there are categories, has the last rank, categories - 1.
"""

from collections.abc import Callable
from itertools import product
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import BLOCK, blocks, map_parts
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorting import descending
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, RankArray, ScoreArray

_MOST_COMPARED = 128
"""Up to here comparing every pair of columns, k² cheap passes, beats sorting each row."""
_MOST_TABULATED = 64
"""Up to here a table of reference categories and ranks takes less than three passes over the cases."""
_WORTH_COMPARING = 16
"""Cases per category from which on the passes outweigh their calls."""


class RankTallies(NamedTuple):
    """Cases and their ranks, added up by reference category."""

    firsts: IntArray
    """Cases by reference category and first category of the ranking, shape (k, k)."""
    counts: IntArray
    """Cases by reference category and rank of that category, shape (k, k)."""
    sums: IntArray
    """Ranks added up by reference category and ranked category, shape (k, k)."""


def by_columns(rows: ScoreArray) -> ScoreArray:
    """Copy scores by case (n, k) into columns by category (k, n), in blocks that stay in cache.  O(k n)."""
    cases, categories = rows.shape
    columns = np.empty((categories, cases), rows.dtype)
    for block in blocks(cases, categories):
        columns[:, block] = rows[block].T
    return columns


def ranks_by_score(scores: ScoreArray) -> RankArray:
    """Rank the categories of each case by falling score; equal scores rank in category order.

    scores: (k, n), NaN where a case lacks the category.  Returns (k, n).  O(k² n), for many categories
    O(k log k n).

    >>> ranks_by_score(np.array([[0.5, 0.1], [0.5, np.nan], [0.9, 0.2]]))
    array([[1, 1],
           [2, 2],
           [0, 0]], dtype=uint8)
    """
    categories, cases = scores.shape
    few = categories <= _MOST_COMPARED and cases >= _WORTH_COMPARING * categories
    rank = _ranks_by_comparing if few else _ranks_by_sorting
    ranks = np.empty(scores.shape, np.min_scalar_type(categories))
    for block in blocks(cases, categories):
        ranks[:, block] = rank(scores[:, block])
    return ranks


def _ranks_by_comparing(scores: ScoreArray) -> RankArray:
    last, ranks = len(scores) - 1, np.zeros(scores.shape, np.uint8)
    for category in range(last):
        later = slice(category + 1, None)
        ranks[category] += np.add.reduce((scores[later] > scores[category]).view(np.uint8), axis=0, dtype=np.uint8)
        ranks[later] += (scores[category] >= scores[later]).view(np.uint8)
    np.putmask(ranks, np.isnan(scores), last)
    return ranks


def _ranks_by_sorting(scores: ScoreArray) -> IntArray:
    last = len(scores) - 1
    order = np.argsort(-scores, axis=0, kind="stable")  # NaN comes last
    ranks = _put_back(np.arange(last + 1)[:, np.newaxis], order)
    np.putmask(ranks, np.isnan(scores), last)
    return ranks


def ranks_in_rankings(rankings: IntArray, categories: int) -> RankArray:
    """Rank the categories of each case by the first rank at which its ranking names them.

    rankings: (n, r) codes of categories, -1 at ranks that name none of them.  Returns (categories, n).
    O(n (r + categories)).
    """
    named, last = rankings[:, :categories], categories - 1
    ranks = np.full((categories + 1, len(rankings)), last, np.min_scalar_type(categories))
    return _first_named(named, np.arange(named.shape[1]), ranks)


def by_category(rankings: IntArray, values: FloatArray, categories: int) -> FloatArray:
    """Give each category the value beside its first rank in a ranking, NaN if it has none.

    rankings: (n, r) codes as for `ranks_in_rankings`; values: (n, r).  Returns (categories, n).
    O(n (r + categories)).
    """
    return np.asarray(_first_named(rankings, values, np.full((categories + 1, len(rankings)), np.nan)))


def _first_named(rankings: IntArray, values: AnyArray, columns: AnyArray) -> AnyArray:
    """Write for each category the value, (n, r) or (r,), beside its first rank, and return (k, n).  O(n r).

    columns: (k + 1, n), of which the last row takes the values beside -1.
    """
    from_last = rankings.T[::-1].copy()  # NumPy writes in the order of memory: the first naming last
    columns[from_last, np.arange(len(rankings))] = values[..., ::-1].T.reshape(len(from_last), -1)
    return columns[:-1]


def rank_tallies(reference: IntArray, ranks: RankArray) -> RankTallies:
    """Add up ranks, (k, n), by reference category, (n,) codes.  O(k n + k²)."""
    categories = len(ranks)
    tallies = firsts, counts, sums = RankTallies(*np.zeros((3, categories, categories), np.int64))
    for block in blocks(reference.size):
        part = reference[block].astype(np.int64)
        for code, row in enumerate(ranks[:, block]):
            if categories <= _MOST_TABULATED:
                table = np.bincount(part * categories + row, minlength=categories**2).reshape(categories, -1)
                firsts[:, code] += table[:, 0]
                counts[code] += table[code]
                sums[:, code] += table @ np.arange(categories)
            else:
                firsts[:, code] += np.bincount(part[row == 0], minlength=categories)
                counts[code] += np.bincount(row[part == code], minlength=categories)
                sums[:, code] += np.bincount(part, row, categories).astype(np.int64)
    return tallies


def first_ranked(ranks: RankArray) -> IntArray:
    """Return the code of the category of rank 0 in each column of ranks, (k, n): (n,) int64.  O(k n)."""
    return np.asarray(np.argmin(ranks, axis=0))


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
    original = np.empty(order.shape, np.int64)
    np.put_along_axis(original, order, values, axis=0)
    return original


def rank_of_label(scores: AnyArray, codes: IntArray) -> IntArray:
    """Rank the label `codes`, (n,), of each case; of equal scores the later is first; scores: (k, n).  O(k n)."""
    own = np.take_along_axis(scores, codes[np.newaxis], axis=0)[0]
    ranks, equal = count_labels(scores > own), scores == own
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


_SIDE = 16
"""Least cases and columns of a tile, if there are so many: calls on fewer outweigh their passes."""


def doubled_ranks(scores: ScoreArray) -> IntArray:
    """Count for each case twice the cases of lower score, and once those of its score, itself too.

    scores: (n,), no NaN, n below 2**31.  Returns (n,) int64.  O(n log n).

    >>> doubled_ranks(np.array([0.5, 0.1, 0.5]))
    array([4, 1, 4])
    """
    order = descending(scores)
    starts = run_starts(scores[order])
    sizes = np.diff(starts, append=scores.size)
    ranks = np.empty(scores.size, np.int64)
    ranks[order] = (2 * (scores.size - starts) - sizes).repeat(sizes)
    return ranks


def rank_sums(labels: BoolArray, ranks: IntArray) -> tuple[IntArray, IntArray]:
    """Count the cases of each label, and add up their ranks, (k,) each.

    labels: (n, k); ranks: (n,) of `doubled_ranks`.  O(n k); one block of memory for each thread.

    >>> rank_sums(np.array([[True, False], [True, False], [False, True]]), np.array([4, 1, 4]))
    (array([2, 1]), array([5, 4]))
    """
    cases, count = labels.shape
    found, floats, lock = np.zeros((2, count), np.int64), ranks.astype(np.float64), Lock()
    # what lies together in memory is read in half the time
    width = max(BLOCK // cases, _SIDE) if labels.strides[0] < labels.strides[1] else BLOCK // _SIDE
    width = max(min(width, count), 1)

    def add_up(tile: tuple[slice, slice]) -> None:
        marks = labels[tile].astype(np.float64)
        # Sums of whole numbers of a tile, below 2**53: exact in float64, in any order.  Not `@`: the threads of BLAS
        # are not those that callers allow.
        sums = np.stack([np.einsum("ij->j", marks), np.einsum("i,ij->j", floats[tile[0]], marks)])
        with lock:
            found[:, tile[1]] += sums.astype(np.int64)

    map_parts(add_up, list(product(blocks(cases, width), blocks(count, BLOCK // width))), labels.size)
    correct, totals = found
    return correct, totals
