"""What the statistics of a ranking by score ask of it, whether its cases count as one each or have weights."""

from typing import NamedTuple, Protocol

import numpy as np

from evalcore.kernels.operating_points import OperatingPoints
from evalcore.kernels.pairs import pair_counts, pair_counts_of_correct
from evalcore.kernels.tie_groups import TieGroup, first_correct_group, tie_group_at
from evalcore.measures import curves, weighted_curves
from evalcore.measures.probability_losses import ProbabilityLosses, probability_losses
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import Amount


class Ranking(Protocol):
    """A ranking by score; amounts are numbers of cases, or their weights."""

    @property
    def total(self) -> Amount:
        """Of all cases."""

    @property
    def positives(self) -> Amount:
        """Of the positive cases."""

    @property
    def negatives(self) -> Amount:
        """Of the negative cases."""

    @property
    def points(self) -> OperatingPoints:
        """The points that hold a positive case."""

    def roc_area(self) -> float:
        """Return the ROC area, ties counting half."""

    def average_precision(self) -> float:
        """Return the average precision."""

    def lowest_score(self, amount: Amount) -> float:
        """Return the score that so much reaches."""

    def tie_group(self, amount: Amount) -> TieGroup:
        """Return the tie group of the last of so much of the best cases."""

    def first_correct_group(self) -> TieGroup | None:
        """Return the best tie group that holds a positive case."""

    def losses(self) -> ProbabilityLosses:
        """Return the losses of the scores as probabilities."""


class RankingByCount(NamedTuple):
    """A ranking of cases that count as one each; each answer costs what the kernel does."""

    cases: ScoredCases

    @property
    def total(self) -> int:
        """O(1)."""
        return self.cases.size

    @property
    def positives(self) -> int:
        """O(n)."""
        return self.cases.positives

    @property
    def negatives(self) -> int:
        """O(n)."""
        return self.cases.negatives

    @property
    def points(self) -> OperatingPoints:
        """O(n log n), then O(1)."""
        return self.cases.points

    def roc_area(self) -> float:
        """Return the ROC area.  O(n log n)."""
        return curves.roc_area(pair_counts(self.cases.ordering.keys), self.positives, self.negatives)

    def average_precision(self) -> float:
        """Return the average precision.  O(n log n)."""
        return curves.average_precision(self.cases.points, self.positives)

    def lowest_score(self, amount: int) -> float:
        """Return the score at a depth.  O(1)."""
        return float(self.cases.ordering.scores(np.array([amount - 1]))[0])

    def tie_group(self, amount: int) -> TieGroup:
        """Return the tie group at a depth.  O(n)."""
        return tie_group_at(self.cases.ordering.keys, amount - 1)

    def first_correct_group(self) -> TieGroup | None:
        """Return the best tie group that holds a positive case.  O(n)."""
        return first_correct_group(self.cases.ordering.keys)

    def losses(self) -> ProbabilityLosses:
        """Return the sums of losses.  O(n)."""
        return probability_losses(self.cases.scores, self.cases.correct)


class RankingByWeight(NamedTuple):
    """A ranking of cases with weights; whole ones give to the bit what repeated cases give."""

    cases: WeightedRanking

    @property
    def total(self) -> Amount:
        """O(n), then O(1)."""
        return self.positives + self.negatives

    @property
    def positives(self) -> Amount:
        """O(n), then O(1)."""
        return self.cases.positives

    @property
    def negatives(self) -> Amount:
        """O(n), then O(1)."""
        return self.cases.negatives

    @property
    def points(self) -> OperatingPoints:
        """O(n log n), then O(1)."""
        return self.cases.correct_points

    def roc_area(self) -> float:
        """Return the ROC area.  O(n log n)."""
        sums = self.cases.correct_sums
        if self.cases.whole:
            return curves.roc_area(pair_counts_of_correct(*sums[:3]), self.positives, self.negatives)
        return weighted_curves.roc_area_of_correct(self.cases.ordering, sums)

    def average_precision(self) -> float:
        """Return the average precision.  O(n log n)."""
        if self.cases.whole:
            return curves.average_precision(self.points, self.positives)
        return weighted_curves.average_precision(*self.cases.correct_sums[:2])

    def lowest_score(self, amount: Amount) -> float:
        """Return the score that a weight reaches.  O(n)."""
        return self.cases.lowest_score(amount)

    def tie_group(self, amount: Amount) -> TieGroup:
        """Return the tie group of the last of so much weight.  O(n)."""
        return self.cases.tie_group(amount)

    def first_correct_group(self) -> TieGroup | None:
        """Return the best tie group that holds a positive case.  O(log n)."""
        return self.cases.first_correct_group()

    def losses(self) -> ProbabilityLosses:
        """Return the sums of losses.  O(n)."""
        return probability_losses(self.cases.scores, self.cases.correct, self.cases.weights)
