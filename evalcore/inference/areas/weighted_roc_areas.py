"""ROC areas of cases whose weights differ, their variances and covariances, and why these are unknown."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.inference.chosen_weights import ChosenWeights
from evalcore.kernels.placements import losses_of_cases
from evalcore.kernels.weights import WeightSums, sort_weights
from evalcore.measures.effective_cases import kish_number, smaller_class, smaller_class_of_cases
from evalcore.measures.roc_variances import (
    AreaAndVariance,
    roc_area_and_variance,
    weighted_roc_areas,
    weighted_roc_covariance,
)
from evalcore.state.cases import WeightedRanking
from evalcore.typing import BoolArray, FloatArray, ScoreArray


class WeightedArea(NamedTuple):
    """The area of one ranking of weighted cases."""

    found: AreaAndVariance
    sizes: tuple[int, int]
    """Cases of each class with a weight above zero, or how many they stand for as frequencies."""
    effective_cases: float
    """Of both classes, as `kish_number`."""
    smaller: float
    """Effective cases of the class that has fewer."""


def weighted_area(correct: BoolArray, scores: ScoreArray, weights: ChosenWeights) -> WeightedArea:
    """Return the area of a ranking; correct, scores: (m,) of the cases with a weight above zero.  O(m log m)."""
    assert weights.values is not None
    ranking = WeightedRanking(scores, correct, weights.values)
    found = roc_area_and_variance(
        ranking.ordering, ranking.parted, frequencies=weights.frequencies, whole=ranking.whole
    )
    positive, negative = map(int, found.classes.cases)
    both = WeightSums(*(column.sum(keepdims=True) for column in found.classes))
    smaller = float(smaller_class(found.classes))
    return WeightedArea(found, (positive, negative), float(kish_number(both)[0]), smaller)


class JointAreas(NamedTuple):
    """Areas of several rankings of the same cases."""

    areas: FloatArray
    """Shape (k,)."""
    covariance: FloatArray
    """Shape (k, k), or (r, r) of weighted sums of them."""
    sizes: tuple[int, int]
    """As `WeightedArea.sizes`."""
    smaller: float
    """As `WeightedArea.smaller`."""


def joint_weighted_areas(
    correct: BoolArray,
    columns: Sequence[ScoreArray],
    weights: ChosenWeights,
    contrasts: npt.ArrayLike | None = None,
) -> JointAreas:
    """Return the areas of k rankings, and the covariances of them or of weighted sums of them, (r, k).

    correct, columns: (m,) of the cases with a weight above zero.  O(k m log m + k² m).
    """
    own = weights.values
    assert own is not None
    positive, negative = (
        int(own[side].sum() if weights.frequencies else np.count_nonzero(side)) for side in (correct, ~correct)
    )
    sizes = positive, negative
    if not all(sizes):
        unknown = len(columns) if contrasts is None else len(np.asarray(contrasts))
        return JointAreas(np.full(len(columns), np.nan), np.full((unknown, unknown), np.nan), sizes, 0.0)
    rankings = [sort_weights(scores, correct, own) for scores in columns]
    losses = [losses_of_cases(ranking) for ranking in rankings]
    covariance = weighted_roc_covariance(losses, correct, own, contrasts, frequencies=weights.frequencies)
    smaller = smaller_class_of_cases(correct, own, frequencies=weights.frequencies)
    return JointAreas(weighted_roc_areas(losses, correct, own, rankings), covariance, sizes, smaller)
