"""Average precisions without each of several clusters, from one sort of all cases."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.sorted_weights import SortedWeights, correct_sums
from evalcore.typing import FloatArray, IntArray


def average_precisions_left_out(
    cases: SortedWeights, clusters: IntArray, *, known_prevalence: bool = False
) -> FloatArray:
    """Return the average precision without each of u clusters, (u,); NaN if the others have no correct case.

    clusters: of the cases as they came, (n,) in 0 .. u - 1, each with cases; known_prevalence: whether the weight of
    each class is that of all cases still.  O(n log n + p u) for p scores of correct cases.

    >>> from evalcore.kernels.sorted_weights import sort_weights
    >>> cases = sort_weights(np.array([0.9, 0.8, 0.7, 0.6]), np.array([False, True, False, True]), np.ones(4))
    >>> average_precisions_left_out(cases, np.array([0, 0, 1, 1]))
    array([0.5, 0.5])
    """
    sums = correct_sums(cases)
    points = sums.ranks.searchsorted(np.arange(cases.order.size))  # the first that counts a case

    def at_points(rows: IntArray | slice, sign: int) -> FloatArray:
        weights = np.maximum(sign * cases.weights[rows], 0.0)
        return np.bincount(points[rows], weights, sums.tp.size + 1).astype(np.float64, copy=False)

    own, others = (at_points(slice(None), sign) for sign in (1, -1))
    in_order = clusters[cases.order]
    found = []
    for rows in np.split(np.argsort(in_order, kind="stable"), np.bincount(in_order).cumsum()[:-1]):
        # rounding must not leave less than nothing
        left, left_others = (np.maximum(each - at_points(rows, sign), 0.0) for each, sign in ((own, 1), (others, -1)))
        tp, fp = left[:-1].cumsum(), left_others[:-1].cumsum()
        if known_prevalence:
            fp = np.asarray(ratio(fp * (left.sum() / own.sum()), left_others.sum() / others.sum()))
        precisions = np.nan_to_num(ratio(tp, tp + fp))
        found.append(float(ratio((left[:-1] * precisions).sum(), left.sum())))
    return np.array(found)
