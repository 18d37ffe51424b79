"""Columns of scores that are sorted once for all that looks at them."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from evalcore.kernels.weights import WeightSums
from evalcore.measures.losses import are_probabilities
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, BoolArray, ScoreArray
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
