"""Cases with scores and weights, sorted when a question comes: the weighted twin of `ScoredCases`."""

from functools import cached_property
from typing import Any

import numpy as np

from evalcore.kernels.threshold_points import ThresholdPoints, weighted_points
from evalcore.typing import AnyArray, BoolArray, ScoreArray

_EXACT_IN_FLOAT64 = 2**53


class WeightedRanking:
    """Checked cases with weights above zero.  The columns are kept, not copied: nobody may change them.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; weights: (n,) int64 or float64, not negative, with a
    finite sum.  Cases of weight zero are left out: they count as absent.

    >>> ranking = WeightedRanking(np.array([0.5, 0.9, 0.1]), np.array([True, False, True]), np.array([2, 1, 0]))
    >>> ranking.size, ranking.positives, ranking.negatives, ranking.points.tp
    (2, 2.0, 1.0, array([0., 2.]))
    """

    def __init__(self, scores: ScoreArray, correct: BoolArray, weights: AnyArray) -> None:
        present = weights > 0
        chosen: Any = slice(None) if present.all() else present
        self.scores, self.correct, self.weights = scores[chosen], correct[chosen], weights[chosen]

    @property
    def size(self) -> int:
        """Number of cases."""
        return int(self.scores.size)

    @cached_property
    def positives(self) -> float:
        """Weight of the correct cases.  O(n), then O(1)."""
        return float(np.sum(self.weights, where=self.correct, dtype=np.float64))

    @cached_property
    def negatives(self) -> float:
        """Weight of the incorrect cases.  O(n), then O(1)."""
        return float(np.sum(self.weights, where=~self.correct, dtype=np.float64))

    @cached_property
    def whole(self) -> bool:
        """Whether all weights are whole, and their sums exact: then counts decide, bit for bit.  O(n), then O(1)."""
        whole = self.weights.dtype.kind != "f" or bool(np.all(self.weights == np.rint(self.weights)))
        return whole and self.positives + self.negatives < _EXACT_IN_FLOAT64

    @cached_property
    def points(self) -> ThresholdPoints:
        """Weights at or above each distinct score.  O(n log n), then O(1)."""
        return weighted_points(self.scores, self.correct, self.weights.astype(np.float64, copy=False))
