"""The cases that all models of a comparison scored, as checked columns, and how many rows were joined."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.weighting import RowWeights
from evalcore.inference.units import Units, units_of
from evalcore.measures.losses import losses_of_probabilities
from evalcore.state.cases import EQUAL_WEIGHTS, CaseWeights
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.labels import encode_labels
from evalcore.validation.weights import scale_weights


class JoinCounts(NamedTuple):
    """How many rows were compared, and how many were not."""

    old_rows: int
    new_rows: int
    cases: int
    """Rows of both."""
    only_old: int = 0
    only_new: int = 0
    repeated_old: int = 0
    """Rows of an id that an earlier row has."""
    repeated_new: int = 0
    other_labels: int = 0
    """Cases whose label differs between the two."""


class GivenLabels(NamedTuple):
    """Labels as the data have them, of which few are shown: no copy of the column is made."""

    column: AnyArray
    """Those of all rows of a table."""
    rows: IntArray | None
    """The row of each case, (n,); None where case i is row i."""

    def of(self, case: int) -> Any:
        """Return the label of a case.  O(1)."""
        return self.column[case if self.rows is None else self.rows[case]]


class PairedCases(NamedTuple):
    """Cases with the scores of each model, shape (n,) each."""

    positive: BoolArray
    """Which cases have the positive label."""
    scores: Mapping[str, ScoreArray]
    """By model, the old one first."""
    weights: RowWeights | None = None
    """What cases count by, all above zero; None where they count as one each."""
    clusters: IntArray | None = None
    """The number of the cluster of each case, from 0 on, none of them empty; None where each is its own."""
    groups: Mapping[str, GroupedRows] = {}
    """By the name of a grouping, the cases of each group."""
    ids: npt.NDArray[Any] | None = None
    """The id of each case; None where there is none, and the index of the row serves."""
    labels: GivenLabels | None = None
    """Labels as the data have them; None where they are known as positive and negative alone."""

    @property
    def old(self) -> str:
        """The name of the old model.  O(1)."""
        return next(iter(self.scores))

    @property
    def new(self) -> list[str]:
        """The names of the new models.  O(models)."""
        return list(self.scores)[1:]

    @property
    def amounts(self) -> AnyArray | None:
        """What cases count by, (n,); None where they count as one each.  O(1)."""
        return None if self.weights is None else self.weights.values

    @property
    def frequencies(self) -> IntArray | None:
        """How many cases each row stands for, (n,); None for one each and for sampling weights.  O(1)."""
        return None if self.weights is None else self.weights.frequencies

    @property
    def has_known_prevalence(self) -> bool:
        """Whether cases are reweighted to a prevalence, which is no estimate then.  O(1)."""
        return self.weights is not None and self.weights.weighting.target_prevalence is not None

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of positives and negatives, rows counting by their frequencies.  O(n)."""
        frequencies, positive = self.frequencies, self.positive
        if frequencies is None:
            positives = int(np.count_nonzero(positive))
            return positives, positive.size - positives
        positives = int(frequencies[positive].sum())
        return positives, int(frequencies.sum()) - positives

    @property
    def score_type(self) -> np.dtype[Any]:
        """The float type that holds the scores of all models.  O(models)."""
        return np.result_type(*(scores.dtype for scores in self.scores.values()))

    def units(self, groups: IntArray | None = None, count: int = 1) -> Units:
        """Return what is drawn by chance; groups: the group of each case, (n,) in 0 .. count - 1.  O(n)."""
        frequencies = self.frequencies is not None
        return units_of(
            self.positive.size,
            weights=scale_weights(self.amounts)[0],
            are_frequencies=frequencies,
            clusters=self.clusters,
            groups=groups,
            count=count,
        )

    def losses(self, name: str, scores: ScoreArray, rows: slice = slice(None)) -> FloatArray:
        """Return the losses of scores of a model, (n,), or of some rows.  O(n).

        Probabilities are clipped by the precision of one type for all models, or equal ones could lose differently.
        """
        wide = scores[rows].astype(self.score_type, copy=False)
        return losses_of_probabilities(name, wide, self.positive[rows])

    def where(self, rows: slice | IntArray | BoolArray) -> "PairedCases":
        """Return some of the cases, without groups and given labels.  O(n log n) with clusters.

        rows: their indices, a slice, or a mask.
        """
        weights, clusters, ids = self.weights, self.clusters, self.ids
        if weights is not None:
            given = None if weights.given is None else weights.given[rows]
            weights = weights._replace(given=given, values=weights.values[rows])
        return PairedCases(
            self.positive[rows],
            {model: scores[rows] for model, scores in self.scores.items()},
            weights,
            None if clusters is None else encode_labels(clusters[rows])[1],
            ids=None if ids is None else ids[rows],
        )

    def of_group(self, grouping: str, group: str) -> "PairedCases":
        """Return the cases of a group.  O(cases of the group)."""
        return self.where(self.groups[grouping].rows_of(group))


class PairedClasses(NamedTuple):
    """Cases with the class that each model predicts, as indices of categories, shape (n,) each."""

    categories: tuple[Any, ...]
    """The names of all classes, of labels and of predictions."""
    labels: IntArray
    predicted: Mapping[str, IntArray]
    """By model, the old one first."""
    weights: CaseWeights = EQUAL_WEIGHTS
    clusters: IntArray | None = None
    """As in `PairedCases`, and so are the others."""
    groups: Mapping[str, GroupedRows] = {}
    ids: npt.NDArray[Any] | None = None

    @property
    def old(self) -> str:
        """The name of the old model.  O(1)."""
        return next(iter(self.predicted))

    @property
    def new(self) -> list[str]:
        """The names of the new models.  O(models)."""
        return list(self.predicted)[1:]
