"""Cases with scores and weights, sorted when a question comes: the weighted twin of `ScoredCases`."""

from functools import cached_property
from typing import Any

import numpy as np

from evalcore.kernels.operating_points import OperatingPoints
from evalcore.kernels.sorted_weights import (
    ClassSums,
    CorrectSums,
    SortedWeights,
    correct_sums,
    points_of_weights,
    sort_weights,
    sums_at_scores,
    tie_group_of_weight,
)
from evalcore.kernels.threshold_points import ThresholdPoints
from evalcore.kernels.tie_groups import TieGroup
from evalcore.kernels.weight_sums import WeightSums, are_whole, class_weight_sums, in_whole_units, scaled_weights
from evalcore.kernels.weighted_placements import losses_of_cases
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray


class WeightedRanking:
    """Checked cases with weights above zero.  The columns are kept, not copied: nobody may change them.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; weights: (n,) int64 or float64, not negative, with a
    finite sum.  Cases of weight zero are left out: they count as absent.  classes: what `classes` holds, if known.

    >>> ranking = WeightedRanking(np.array([0.5, 0.9, 0.1]), np.array([True, False, True]), np.array([2, 1, 0]))
    >>> ranking.size, ranking.positives, ranking.negatives, ranking.points.tp
    (2, 2, 1, array([0., 2.]))
    """

    def __init__(
        self, scores: ScoreArray, correct: BoolArray, weights: AnyArray, classes: WeightSums | None = None
    ) -> None:
        present = weights > 0
        chosen: Any = slice(None) if present.all() else present
        self.scores, self.correct, self.weights = scores[chosen], correct[chosen], weights[chosen]
        self.divisor = 1.0
        """What weights were divided by: 1.0 for whole weights of common size."""
        if self.weights.dtype.kind == "f" and self.size:
            scaled, power = scaled_weights(self.weights)
            self.weights, unit = in_whole_units(scaled)
            self.divisor = power * unit
        if classes is not None:
            self.classes = classes

    @property
    def size(self) -> int:
        """Number of cases."""
        return int(self.scores.size)

    @cached_property
    def whole(self) -> bool:
        """Whether all weights are whole, and their sums exact: then counts decide, bit for bit.  O(n), then O(1)."""
        return are_whole(self.weights)

    @cached_property
    def classes(self) -> WeightSums:
        """Sums over the weights of the correct and of the incorrect cases, (2,).  O(n), then O(1)."""
        return class_weight_sums(self.correct, self.weights)

    @property
    def positives(self) -> Any:
        """Weight of the correct cases: int if all weights are whole, else float.  O(n), then O(1)."""
        return self._amount(self.classes.sums[0])

    @property
    def negatives(self) -> Any:
        """Weight of the incorrect cases, as `positives`.  O(n), then O(1)."""
        return self._amount(self.classes.sums[1])

    @cached_property
    def ordering(self) -> SortedWeights:
        """Cases in order of their scores.  O(n log n), then O(1)."""
        return sort_weights(self.scores, self.correct, self.weights)

    @cached_property
    def correct_sums(self) -> CorrectSums:
        """Sums of weights at each distinct score that holds a correct case.  O(n log n), then O(1)."""
        return correct_sums(self.ordering)

    @cached_property
    def points(self) -> ThresholdPoints:
        """Weights at or above each distinct score.  O(n log n), O(n) if sorted, then O(1)."""
        return points_of_weights(self.ordering, self.scores)

    @cached_property
    def correct_points(self) -> OperatingPoints:
        """Weights at or above each distinct score that holds a correct case, as `ScoredCases.points`: int64 if whole.

        O(n log n), O(p) if sorted, then O(1).
        """
        tp, fp = self.correct_sums[:2]
        if self.whole:
            return OperatingPoints(tp.astype(np.int64), fp.astype(np.int64))
        # another order of summation rounds otherwise, but the last score finds all positives
        tp = np.minimum(tp, self.positives)
        tp[-1:] = self.positives
        return OperatingPoints(tp, fp)

    def sums_at_scores(self, *, frequencies: bool = False) -> ClassSums:
        """Return the sums over the weights of each class at each distinct score.  O(n log n), O(n) if sorted."""
        return sums_at_scores(self.ordering, frequencies=frequencies)

    def losses(self) -> FloatArray:
        """Return what fraction of the other class each case loses to, (n,); NaN without both classes.  O(n log n)."""
        if not self.classes.sums.all():
            return np.full(self.size, np.nan)
        return losses_of_cases(self.ordering)

    def lowest_score(self, weight: float) -> float:
        """Return the score at or above which cases have this weight, one of those of a correct case.  O(p)."""
        tp, fp, _, ranks, *_ = self.correct_sums
        rank = ranks[min(int((tp + fp).searchsorted(weight)), ranks.size - 1)]
        return float(self.scores[self.ordering.order[rank]]) + 0.0  # -0.0 becomes 0.0

    def tie_group(self, weight: float) -> TieGroup:
        """Return the tie group that holds the last of so much weight of the best cases.  O(n / BLOCK)."""
        group = tie_group_of_weight(self.ordering, self.correct_sums, weight)
        return TieGroup(*map(self._amount, group))

    def first_correct_group(self) -> TieGroup | None:
        """Return the best tie group that holds a correct case, or None.  O(1)."""
        tp, fp, tied, *_ = self.correct_sums
        if not tp.size:
            return None
        return TieGroup(*map(self._amount, (fp[0] - tied[0], 0.0, tp[0] + tied[0], tp[0])))

    def _amount(self, weight: Any) -> Any:
        return int(weight) if self.whole else float(weight)
