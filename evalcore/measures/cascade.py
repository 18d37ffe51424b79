"""Expected reciprocal rank: a reader goes down a ranking, and is likely to stop at an item of a high grade."""

from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.segments import products_before
from evalcore.measures.grouped_rankings import GroupedRankings
from evalcore.typing import FloatArray, IntArray


def expected_reciprocal_rank(ranked: GroupedRankings, depth: int | None = None, *, max_rel: float = 4.0) -> FloatArray:
    """Return the expected reciprocal of the rank, from 1, at which a reader stops, (g,) in 0 .. 1; 0.0 beyond `depth`.

    The reader stops at an item of grade r with chance (2**r - 1) / 2**max_rel.  Of tied items it is the mean over all
    their orders.  O(t log t), and O(items times relevant items) for each run of ties.  Source: O. Chapelle et al.,
    Expected reciprocal rank for graded relevance, CIKM 2009; the grades of gdeval end at 4.

    Raises EvaluationError if a grade is larger than `max_rel`.

    >>> ranked = GroupedRankings(np.array([0, 0]), np.array([0.9, 0.5]), np.array([0, 1]), groups=1)
    >>> expected_reciprocal_rank(ranked, max_rel=1)
    array([0.25])
    """
    highest = np.max(ranked.wanted_grades, initial=0.0)
    if highest > max_rel:
        instead = f"ERR(max_rel={highest:g})" + ("" if depth is None else f"@{depth}")
        raise EvaluationError(
            f"max_rel of ERR must be the largest grade, {highest:g} or more, got {max_rel:g}; write {instead}"
        )
    if not ranked.group.size:
        return np.zeros(ranked.groups)
    stops = np.exp2(ranked.grades - max_rel) - np.exp2(-max_rel)
    heads = np.cumsum(ranked.relevant).astype(np.int64) - ranked.relevant.astype(np.int64)
    reached = products_before(ranked.group, np.multiply.reduceat(1 - stops, heads))
    ranks = (ranked.before + 1).astype(np.float64)
    expected = stops[heads] / ranks  # where a run is one item
    taken = ranked.size if depth is None else np.clip(depth - ranked.before, 0, ranked.size)
    expected[taken == 0] = 0.0
    tied = np.flatnonzero((ranked.size > 1) & (taken > 0))
    if tied.size:
        of_ties = _Ties(ranked.size[tied], ranked.relevant[tied].astype(np.int64), heads[tied], taken[tied])
        chances = _chances_to_stop(of_ties, stops)
        first = np.cumsum(taken[tied]) - taken[tied]
        at = np.repeat(ranks[tied], taken[tied]) + _ranks_within(taken[tied])
        expected[tied] = np.add.reduceat(chances / at, first)
    return ranked.per_group(expected * reached)


class _Ties(NamedTuple):
    """Runs of tied items, (s,) each: their items, relevant items, the index of the first of these, and ranks taken."""

    size: IntArray
    relevant: IntArray
    heads: IntArray
    taken: IntArray


def _chances_to_stop(ties: _Ties, stops: FloatArray) -> FloatArray:
    """Return the chance, over all orders of each run, to stop at each rank that is taken, run after run.

    stops: (r,), the chance to stop at each relevant item.  Relevant items are put into each run of irrelevant ones one
    after another, at a random rank.  Of n + 1 items the new one has rank i, from 0, with chance 1 / (n + 1), a better
    one with chance i / (n + 1).  All terms are positive: no digits are lost.  O(taken times relevant items of runs).

    >>> ties = _Ties(*(np.array([number]) for number in (2, 1, 0, 2)))
    >>> _chances_to_stop(ties, np.array([0.5]))
    array([0.25, 0.25])
    """
    rank = _ranks_within(ties.taken)
    run = np.repeat(np.arange(ties.taken.size), ties.taken)
    irrelevant = (ties.size - ties.relevant)[run]
    reached = (rank <= irrelevant).astype(np.float64)
    stopped = np.zeros(rank.size)
    for added in range(int(ties.relevant.max())):
        rows = np.flatnonzero(ties.relevant[run] > added)
        above, items = rank[rows], irrelevant[rows] + added + 1
        below = np.maximum(items - 1 - above, 0)
        stop = stops[ties.heads[run[rows]] + added]
        before = rows - 1  # of another run where nothing is above
        stopped[rows] = (stop * reached[rows] + above * (1 - stop) * stopped[before] + below * stopped[rows]) / items
        unseen = np.maximum(items - above, 0)
        reached[rows] = (unseen * reached[rows] + above * (1 - stop) * reached[before]) / items
    return stopped


def _ranks_within(lengths: IntArray) -> IntArray:
    """Return 0, 1, 2, .. for each length, one after another.  O(sum of lengths)."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
