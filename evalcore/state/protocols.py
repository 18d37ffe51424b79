"""What plots, intervals and reports ask of an evaluation: its counts, cases or values, whatever its class."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy.typing as npt

from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import FloatArray, IntArray


@runtime_checkable
class HasScoredCases(Protocol):
    """An evaluation that holds the score and the label of every case."""

    def scored_cases(self) -> ScoredCases:
        """Return the cases themselves, not a copy.  O(1)."""


@runtime_checkable
class HasCategoryCounts(Protocol):
    """An evaluation that counts cases by reference and response category."""

    def categories(self) -> tuple[Any, ...]:
        """Return the k names, in the order of rows and columns."""

    def category_counts(self) -> IntArray:
        """Return the counts, shape (k, k) int64, rows by reference."""


@runtime_checkable
class HasRankCounts(Protocol):
    """An evaluation that counts cases by reference category and by the rank it was given."""

    def categories(self) -> tuple[Any, ...]:
        """Return the k names, in the order of rows."""

    def rank_counts(self) -> IntArray:
        """Return the counts, shape (k, k) int64, rows by reference, columns by rank from 0."""


@runtime_checkable
class GroupValues(Protocol):
    """An evaluation with one value of each measure for each of g groups."""

    @property
    def groups(self) -> npt.NDArray[Any]:
        """The names of the groups, shape (g,)."""

    @property
    def sizes(self) -> IntArray:
        """The number of items of each group, shape (g,)."""

    @property
    def values(self) -> Mapping[str, FloatArray]:
        """The values of each measure, shape (g,), by its name."""

    @property
    def weights(self) -> FloatArray | None:
        """The weights of the groups in means, shape (g,), if they have any."""

    @property
    def geometric(self) -> frozenset[str]:
        """The keys of `values` of the measures whose means are geometric ones."""

    def measure_name(self, measure: str) -> str:
        """Return the key of `values` for any name of a measure."""

    def mean(self, measure: str) -> float:
        """Return the mean of a measure over the groups."""
