"""Average precisions without each of several clusters, from one sort of all cases."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.sorted_weights import SortedWeights, parted_runs
from evalcore.typing import FloatArray, IntArray

_BLOCK = 1 << 14
"""Sums that are worked on at once, so that they stay in the cache."""
_TINY = np.finfo(np.float64).tiny


def average_precisions_left_out(
    cases: SortedWeights, clusters: IntArray, *, known_prevalence: bool = False
) -> FloatArray:
    """Return the average precision without each of u clusters, (u,); NaN if the others have no correct case.

    clusters: of the cases as they came, (n,) in 0 .. u - 1, each with cases; known_prevalence: whether the weight of
    each class is that of all cases still.  O(n + p u) for p scores of correct cases.

    >>> from evalcore.kernels.sorted_weights import sort_weights
    >>> cases = sort_weights(np.array([0.9, 0.8, 0.7, 0.6]), np.array([False, True, False, True]), np.ones(4))
    >>> average_precisions_left_out(cases, np.array([0, 0, 1, 1]))
    array([0.5, 0.5])
    """
    in_order, stops = clusters[cases.order], parted_runs(cases).last_ranks + 1
    sides = np.maximum(cases.weights, 0.0), np.maximum(-cases.weights, 0.0)
    totals = [np.bincount(in_order, side) for side in sides]
    count = totals[0].size
    scale = np.ones(count)
    if known_prevalence:
        correct_left, others_left = (ratio(total.sum() - total, total.sum()) for total in totals)
        scale = np.asarray(ratio(correct_left, np.where(others_left, others_left, np.nan)))
    tp, fp, added = np.zeros((3, count))
    step = max(_BLOCK // count, 1)
    for start in range(0, stops.size, step):
        points = stops[start : start + step]
        rows = slice(int(stops[start - 1]) if start else 0, int(points[-1]))
        codes = in_order[rows] * points.size + np.arange(points.size).repeat(np.diff(points, prepend=rows.start))
        own, others = (np.bincount(codes, side[rows], count * points.size).reshape(count, -1) for side in sides)
        left = own.sum(axis=0) - own
        tps = tp[:, np.newaxis] + left.cumsum(axis=1)
        fps = fp[:, np.newaxis] + (others.sum(axis=0) - others).cumsum(axis=1)
        cases_left = tps + fps * scale[:, np.newaxis]
        added += (left * (tps / np.maximum(cases_left, _TINY))).sum(axis=1)  # 0/0 where none is left
        tp, fp = tps[:, -1], fps[:, -1]
    return np.asarray(ratio(added, tp))
