"""Isotonic regression of outcomes on probabilities, as pools of cases.

The pools are the sides of the concave hull of the ROC curve: a pool ends where the hull has a vertex.  So neither a
permutation of the cases is built nor the fitted value of each.  Sources: M. Ayer, H. D. Brunk, G. M. Ewing, W. T. Reid
and E. Silverman, An empirical distribution function for sampling with incomplete information, Annals of Mathematical
Statistics 26 (1955) 641-647; T. Fawcett and A. Niculescu-Mizil, PAV and the ROC convex hull, Machine Learning 68 (2007)
97-106.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.concave_hull import hull_candidates, hull_vertices
from evalcore.kernels.ordering import order
from evalcore.kernels.runs import Runs, lazy_runs
from evalcore.kernels.sorted_weights import weighted_points
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


class Pools(NamedTuple):
    """Cases by rising probability, cut so that the fraction of positives rises from pool to pool."""

    positives: FloatArray
    """Weight of the positive cases, shape (k,)."""
    negatives: FloatArray
    """Weight of the negative cases, shape (k,)."""
    low: ScoreArray
    """The least probability of each pool, shape (k,)."""
    high: ScoreArray
    """The largest probability of each pool, shape (k,)."""


def isotonic_pools(probabilities: ScoreArray, positive: BoolArray, weights: FloatArray | None = None) -> Pools:
    """Return the pools of the isotonic regression of outcomes on probabilities.

    probabilities, positive: (n,), n > 0; weights: (n,) above zero, or None for one each.  O(n log n).

    >>> isotonic_pools(np.array([0.1, 0.3, 0.3, 0.6]), np.array([True, False, False, True]))
    Pools(positives=array([1., 1.]), negatives=array([2., 0.]), low=array([0.1, 0.6]), high=array([0.3, 0.6]))
    """
    if weights is None:
        return _pools_of_cases(probabilities, positive)
    points = weighted_points(probabilities, positive, weights)
    rises = (np.diff(points.tp) > 0) | (np.diff(points.fp) > 0)
    tp, fp, scores = points.at(np.append(rises, True))  # a tiny weight may add nothing to a sum
    tp, fp = np.concatenate([[0.0], tp]), np.concatenate([[0.0], fp])
    vertices = hull_vertices(fp, tp)
    high, low = scores[vertices[:-1]], scores[vertices[1:] - 1]
    return _rising(tp[vertices], fp[vertices], low, high)


def _pools_of_cases(probabilities: ScoreArray, positive: BoolArray) -> Pools:
    ordering = order(probabilities, positive)

    def candidates(points: Runs) -> tuple[AnyArray, AnyArray]:
        if not points.positives.size:
            return points.tp, points.fp
        kept = hull_candidates(points.fp, points.tp)
        return kept.y, kept.x

    runs = lazy_runs(ordering.keys)
    tp, fp = (
        np.concatenate([[0], *parts, last])
        for parts, last in zip(zip(*runs.map(candidates), strict=True), runs.totals, strict=True)
    )
    vertices = hull_vertices(fp, tp)
    tp, fp = tp[vertices], fp[vertices]
    ranks: IntArray = tp + fp
    high, low = ordering.scores(ranks[:-1]), ordering.scores(ranks[1:] - 1)
    return _rising(tp.astype(np.float64), fp.astype(np.float64), low, high)


def _rising(tp: FloatArray, fp: FloatArray, low: ScoreArray, high: ScoreArray) -> Pools:
    """Return the pools between vertices, (k + 1,), that come by falling probability.  O(k)."""
    return Pools(np.diff(tp)[::-1], np.diff(fp)[::-1], low[::-1], high[::-1])
