"""Ranks of categories in rankings, for many cases at once.

A ranking is the order in which one case's response names categories, best first.  Ranks count from 0.  A category
that a ranking lacks, or names beyond as many ranks as there are categories, has the last rank, categories - 1.
"""

from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks
from evalcore.typing import FloatArray, IntArray, RankArray, ScoreArray

_MOST_COMPARED = 128
"""Up to here comparing every pair of columns, k² cheap passes, beats sorting each row."""
_MOST_MULTIPLIED = 64
"""Up to here products of matrices add up ranks faster than sorting by reference category."""
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
    ranks = np.empty(scores.shape, _rank_dtype(len(scores)))
    for block in blocks(scores.shape[1], len(scores)):
        ranks[:, block] = rank(scores[:, block])
    return ranks


def _ranks_by_comparing(scores: ScoreArray) -> RankArray:
    last = len(scores) - 1
    ranks = np.zeros(scores.shape, np.uint8)
    for category in range(last):
        later = slice(category + 1, None)
        ranks[category] += np.add.reduce((scores[later] > scores[category]).view(np.uint8), axis=0, dtype=np.uint8)
        ranks[later] += (scores[category] >= scores[later]).view(np.uint8)
    np.putmask(ranks, np.isnan(scores), last)
    return ranks


def _ranks_by_sorting(scores: ScoreArray) -> IntArray:
    last = len(scores) - 1
    order = np.argsort(-scores, axis=0, kind="stable")  # NaN comes last
    ranks = np.empty(scores.shape, np.int64)
    np.put_along_axis(ranks, order, np.arange(last + 1)[:, np.newaxis], axis=0)
    np.putmask(ranks, np.isnan(scores), last)
    return ranks


def ranks_in_rankings(rankings: IntArray, categories: int) -> RankArray:
    """Rank the categories of each case by the first rank at which its ranking names them.

    rankings: (n, r) codes of categories, negative at ranks that name none of them.  Returns (categories, n).
    O(n (r + categories)).
    """
    cases, depth = rankings.shape
    ranks = np.full((categories, cases), categories - 1, _rank_dtype(categories))
    for rank in reversed(range(min(depth, categories))):  # the first naming is written last
        known = np.flatnonzero(rankings[:, rank] >= 0)
        ranks[rankings[known, rank], known] = rank
    return ranks


def by_category(rankings: IntArray, values: FloatArray, categories: int) -> FloatArray:
    """Give each category the value beside its first rank in a ranking, NaN if it has none.

    rankings: (n, r) codes as for `ranks_in_rankings`; values: (n, r).  Returns (categories, n).
    O(n (r + categories)).
    """
    cases, depth = rankings.shape
    columns = np.full((categories, cases), np.nan)
    for rank in reversed(range(depth)):  # the first naming is written last
        known = np.flatnonzero(rankings[:, rank] >= 0)
        columns[rankings[known, rank], known] = values[known, rank]
    return columns


def rank_tallies(reference: IntArray, ranks: RankArray) -> RankTallies:
    """Add up ranks, (k, n), by reference category, (n,) codes.  O(k² n), for many categories O(k n + n log n)."""
    categories, cases = ranks.shape
    if categories > _MOST_MULTIPLIED:
        return _tallies_by_sorting(reference, ranks)
    codes = np.arange(categories)[:, np.newaxis]
    tallies = RankTallies(*np.zeros((3, categories, categories), np.int64))
    for block in blocks(cases, categories):
        part = ranks[:, block]
        is_reference = reference[block] == codes
        own_rank = np.sum(part * is_reference, axis=0)
        # Sums over a block are whole and below 2**24: exact in float32
        rows = is_reference.astype(np.float32)
        for table, columns in zip(tallies, (part == 0, own_rank == codes, part), strict=True):
            np.add(table, rows @ columns.astype(np.float32).T, out=table, casting="unsafe")
    return tallies


def _tallies_by_sorting(reference: IntArray, ranks: RankArray) -> RankTallies:
    categories = len(ranks)
    own = ranks[reference, np.arange(reference.size)]
    pairs = [reference.astype(np.int64) * categories + codes for codes in (first_ranked(ranks), own)]
    firsts, counts = (np.bincount(codes, minlength=categories**2).reshape(categories, -1) for codes in pairs)
    order = np.argsort(reference, kind="stable")
    present, starts = np.unique(reference[order], return_index=True)
    sums = np.zeros((categories, categories), np.int64)
    sums[present] = np.add.reduceat(ranks[:, order], starts, axis=1, dtype=np.int64).T
    return RankTallies(firsts, counts, sums)


def first_ranked(ranks: RankArray) -> IntArray:
    """Return the code of the category of rank 0 in each column of ranks, (k, n): (n,) int64.  O(k n)."""
    codes: IntArray = np.argmin(ranks, axis=0)
    return codes


def _rank_dtype(categories: int) -> np.dtype[Any]:
    return np.min_scalar_type(categories)
