"""Areas under ROC curves between pairs of classes, each with its own scores."""

import numpy as np

from evalcore.kernels.blocks import map_parts
from evalcore.kernels.pairs import wins_over_classes
from evalcore.kernels.ratios import ratio
from evalcore.typing import FloatArray, IntArray, ScoreArray


def pair_areas(scores: ScoreArray, codes: IntArray) -> FloatArray:
    """Return the area of each class against each other one, the mean of those by either one's scores.

    scores: (n, k); codes: (n,) of 0 .. k-1.  Returns (k, k) float64 in 0 .. 1, symmetric; NaN for a class without
    cases.  O(k n log n).

    Source: D. J. Hand and R. J. Till, A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45 (2001) 171-186.
    """
    classes = scores.shape[1]
    every = list(range(classes))
    columns = map_parts(lambda own: wins_over_classes(scores[:, own], codes, own, classes), every, scores.size)
    counts = np.bincount(codes, minlength=classes)
    areas = np.asarray(ratio(np.stack(columns), np.outer(counts, counts)))
    return np.asarray((areas + areas.T) / 2)


def mean_pair_area(areas: FloatArray, counts: IntArray, *, by_prevalence: bool = False) -> float:
    """Return the mean of the areas of all pairs of classes that have cases, in 0 .. 1; NaN if there is no pair.

    areas: (k, k) of `pair_areas`; counts: (k,) cases of each class.  by_prevalence: weigh a pair by its cases.  O(k²).

    Source: Hand and Till (2001), equation 7, for the plain mean.
    """
    one, other = np.triu_indices(len(areas), 1)
    there = (counts[one] > 0) & (counts[other] > 0)
    one, other = one[there], other[there]
    if not one.size:
        return np.nan
    return float(np.average(areas[one, other], weights=counts[one] + counts[other] if by_prevalence else None))
