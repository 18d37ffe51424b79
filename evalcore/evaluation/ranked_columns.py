"""Columns of scores that are sorted once for all that looks at them, and where a threshold may stand among the cases.

A position is how many cases, best first, are at or above a threshold; of cases with weights, how many distinct scores.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.kernels.thresholds import cases_at_or_above, correct_among_first, nearest_between_ties
from evalcore.kernels.weights import WeightSums
from evalcore.measures.curves import BestRuns
from evalcore.measures.losses import are_probabilities
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import Amount, AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_cases

RankedCases: TypeAlias = ScoredCases | WeightedRanking
"""Cases that count as one each, or by weights, sorted when they are asked for."""
_MOST_KEPT = 8
"""Sorted columns that take memory at a time: one for each model of a chart."""


def ranked_cases(
    correct: BoolArray, scores: ScoreArray, weights: AnyArray | None, classes: WeightSums | None = None
) -> RankedCases:
    """Return checked cases, (n,) each; weights: None where they count as one each; classes: as of `WeightedRanking`.

    O(1), O(n) with weights.
    """
    return ScoredCases.of(correct, scores) if weights is None else WeightedRanking(scores, correct, weights, classes)


def probabilities(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of scores, (n,) each, that are all between 0 and 1.  O(n) for each.

    >>> import numpy as np
    >>> list(probabilities({"a": np.array([0.0, 1.0]), "b": np.array([-1.0, 0.5])}))
    ['a']
    """
    return {name: column for name, column in scores.items() if are_probabilities(column)}


class RankedColumns(Mapping[str, RankedCases]):
    """The cases of each column of scores, which stay sorted once they were: those of the last eight columns.

    positive, scores, weights: (n,) each, checked; weights: None where cases count as one each.

    >>> import numpy as np
    >>> ranked = RankedColumns(np.array([True, False]), {"model": np.array([0.5, 0.25])})
    >>> ranked["model"] is ranked["model"]
    True
    """

    def __init__(self, positive: BoolArray, scores: Mapping[str, Any], weights: AnyArray | None = None) -> None:
        self._positive = positive
        self._scores = scores
        self._weights = weights
        self._kept: dict[str, RankedCases] = {}

    def __getitem__(self, name: str) -> RankedCases:
        cases = self._kept.pop(name, None)
        if cases is None:
            cases = ranked_cases(*as_cases(self._positive, self._scores[name]), self._weights)
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        self._kept[name] = cases
        return cases

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)


class CountedPositions(NamedTuple):
    """Positions among cases that count as one each."""

    cases: ScoredCases

    @property
    def last(self) -> int:
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

    def reached(self, thresholds: FloatArray) -> IntArray:
        """Return the positions of thresholds.  O(t log n)."""
        return cases_at_or_above(self.cases.ordering, thresholds)

    def nearest(self, fractions: FloatArray) -> IntArray:
        """Return the positions nearest to fractions.  O(t log n)."""
        wanted = np.maximum(np.rint(fractions * self.cases.size), 1).astype(np.int64)
        return nearest_between_ties(self.cases.ordering.keys, wanted)

    def decided(self, positions: IntArray) -> tuple[IntArray, IntArray]:
        """Count true and false positives.  O(n)."""
        tp = correct_among_first(self.cases.ordering.keys, positions)
        return tp, positions - tp

    def scores(self, positions: IntArray) -> ScoreArray:
        """Return the lowest scores at or above.  O(t)."""
        return self.cases.ordering.scores(positions - 1)

    def of_best(self, best: BestRuns) -> int:
        """Return the position of the best run; 0 if there is none.  O(1)."""
        return int(self.cases.runs.last_case(best.runs)[0]) + 1 if best.runs[0] >= 0 else 0


class WeightedPositions(NamedTuple):
    """Positions among cases with weights."""

    cases: WeightedRanking

    @property
    def last(self) -> int:
        """O(1)."""
        return self.cases.points.scores.size

    @property
    def positives(self) -> Amount:
        """O(1): the last of the sums, from which no other differs by rounding alone."""
        return self._amounts(self.cases.points.tp[-1:])[0].item()

    @property
    def negatives(self) -> Amount:
        """O(1)."""
        return self._amounts(self.cases.points.fp[-1:])[0].item()

    def reached(self, thresholds: FloatArray) -> IntArray:
        """Return the positions of thresholds.  O(t log p)."""
        scores = self.cases.points.scores
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            least = thresholds.astype(scores.dtype)
        return np.asarray(scores.size - np.searchsorted(scores[::-1], least))

    def nearest(self, fractions: FloatArray) -> IntArray:
        """Return the positions nearest to fractions of the weight.  O(p + t log p)."""
        above = np.concatenate([[0.0], self.cases.points.tp + self.cases.points.fp])
        wanted = fractions * float(above[-1])
        if self.cases.whole:  # as of so many cases
            wanted = np.maximum(np.rint(wanted), 1)
        ends = np.clip(np.searchsorted(above, wanted), 1, self.last)
        lower = (wanted - above[ends - 1] <= above[ends] - wanted) & (ends > 1)
        return np.where(lower, ends - 1, ends)

    def decided(self, positions: IntArray) -> tuple[AnyArray, AnyArray]:
        """Return the weights of true and false positives.  O(p)."""
        tp, fp = (np.concatenate([[0.0], sums])[positions] for sums in self.cases.points[:2])
        return self._amounts(tp), self._amounts(fp)

    def scores(self, positions: IntArray) -> ScoreArray:
        """Return the lowest scores at or above.  O(t)."""
        found: ScoreArray = self.cases.points.scores[positions - 1]
        return found

    def of_best(self, best: BestRuns) -> int:
        """Return the position of the best run; 0 if there is none.  O(n)."""
        cases = int(self.cases.runs.last_case(best.runs)[0]) + 1 if best.runs[0] >= 0 else 0
        return int(np.count_nonzero(self.cases.ordering.ends[:cases]))

    def _amounts(self, sums: FloatArray) -> AnyArray:
        """Return sums of weights as they came in: int64 if all weights are whole."""
        return sums.astype(np.int64) if self.cases.whole else sums * self.cases.divisor


Positions: TypeAlias = CountedPositions | WeightedPositions
"""The positions among the cases of both classes; amounts are numbers of cases, or their weights."""


def positions_of(cases: RankedCases) -> Positions:
    """Return the positions among cases.  O(1)."""
    return WeightedPositions(cases) if isinstance(cases, WeightedRanking) else CountedPositions(cases)
