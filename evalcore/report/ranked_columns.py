"""Columns of scores that are sorted once for all that looks at them."""

from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import BoolArray
from evalcore.validation.arrays import as_cases

_MOST_KEPT = 8
"""Sorted columns that take memory at a time: one for each model of a chart."""


class RankedColumns(Mapping[str, ScoredCases]):
    """The cases of each column of scores, which stay sorted once they were: those of the last eight columns.

    positive, scores: (n,) each, checked.

    >>> import numpy as np
    >>> ranked = RankedColumns(np.array([True, False]), {"model": np.array([0.5, 0.25])})
    >>> ranked["model"] is ranked["model"]
    True
    """

    def __init__(self, positive: BoolArray, scores: Mapping[str, Any]) -> None:
        self._positive = positive
        self._scores = scores
        self._kept: dict[str, ScoredCases] = {}

    def __getitem__(self, name: str) -> ScoredCases:
        cases = self._kept.pop(name, None)
        if cases is None:
            cases = ScoredCases.of(*as_cases(self._positive, self._scores[name]))
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        self._kept[name] = cases
        return cases

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)
