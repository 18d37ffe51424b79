"""Differences of decision measures of two models on the same cases, of many groups at once, from eight counts each."""

from typing import NamedTuple

import numpy as np

from evalcore.inference.decisions.classifiers import mcnemar_test_of_counts
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.measures.multiclass import decision_derivatives, decision_measure
from evalcore.measures.thresholds import variance_of_unseen
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray

CELLS = 8
"""Of label, old decision and new decision."""
_TESTED = "accuracy", "recall", "specificity"
"""Measures that are fractions of the same cases for both models."""


_LARGEST = {"kappa": 2.0, "net_benefit": np.inf}
"""Differences, where they may be above 1."""


class PairedDecisions(NamedTuple):
    """Decisions of two models on the cases of g groups."""

    cells: WeightSums
    """Sums over the cases by label, old and new decision, positives first, shape (g, 2, 2, 2) each."""
    units: SamplingUnits
    of_clusters: FloatArray | None = None
    """Sums of the weights of each cluster, shape (u, 8); None if cases are the units."""
    whole: bool = False
    """Whether the sums count cases, each of which is a unit."""
    known_prevalence: bool = False
    """Whether weights were shifted to a prevalence, which is then no estimate."""

    def derivatives(self, name: str, threshold: float | None = None) -> FloatArray:
        """Return how much the difference of a measure changes with each cell, (g, 2, 2, 2).  O(g)."""
        of_old, of_new = (decision_derivatives(name, table, threshold) for table in self._tables)
        derivatives = of_new[..., np.newaxis, :] - of_old[..., np.newaxis]
        if self.known_prevalence:
            sums = self.cells.sums
            means = ((each * sums).sum(axis=(-2, -1), keepdims=True) for each in (derivatives, np.ones(sums.shape)))
            derivatives = derivatives - np.nan_to_num(ratio(*means))  # a group may lack a class
        return np.asarray(derivatives)

    def compare(self, name: str, level: float, threshold: float | None = None) -> tuple[list[Comparison], FloatArray]:
        """Compare a measure of `DIFFERENTIABLE` in each group, the new one first, and return the errors too.  O(g + u).

        threshold: of the decisions, for net benefit, whose errors are those of `compare_decision_curves`.
        """
        old, new = (decision_measure(name, table, threshold) for table in self._tables)
        variances = self._variances(self.derivatives(name, threshold))
        if name == "net_benefit" and self.of_clusters is None:
            totals, squares = (column.sum(axis=(-2, -1)).T for column in (self.cells.sums, self.cells.squares))
            variances = variances + variance_of_unseen(totals, squares, np.full(totals.shape[1], threshold))
        found = PairedEstimates(new, old, np.sqrt(variances))
        if not (self.whole and name in _TESTED):
            return compare_normal(found, level, "delta", _LARGEST.get(name, 1.0), self.units.freedom), found.errors
        undefined = compare_normal(PairedEstimates(*np.full((3, 1), np.nan)), level, "mcnemar-mid-p")[0]
        tables = self._right(name).tolist()
        tested = [
            mcnemar_test_of_counts(BinaryCounts(*right), level, "mid-p") if any(right) else undefined
            for right in tables
        ]
        return tested, found.errors

    @property
    def _tables(self) -> tuple[FloatArray, FloatArray]:
        """The sums of the old and of the new model, (g, 2, 2) each."""
        return self.cells.sums.sum(axis=-1), self.cells.sums.sum(axis=-2)

    def _variances(self, derivatives: FloatArray) -> FloatArray:
        if self.of_clusters is None:
            squares: FloatArray = (self.cells.squares * np.square(derivatives)).sum(axis=(-3, -2, -1))
            return squares * self.units.factors
        groups = self.units.groups
        assert groups is not None
        sums = np.einsum("uc,uc->u", self.of_clusters, derivatives.reshape(-1, CELLS)[groups])
        return self.units.of_squares(np.square(sums), groups)

    def _right(self, name: str) -> IntArray:
        """Return how many cases both, the new one alone, the old one alone and neither get right, (g, 4).  O(g)."""
        counts = self.cells.sums.astype(np.int64)
        of_positives, of_negatives = counts[:, 0], counts[:, 1, ::-1, ::-1]  # axes: old wrong, new wrong
        right = {"recall": of_positives, "specificity": of_negatives, "accuracy": of_positives + of_negatives}[name]
        counts_of_both: IntArray = right.transpose(0, 2, 1).reshape(-1, 4)
        return counts_of_both


def paired_decisions(
    positive: BoolArray,
    old: BoolArray,
    new: BoolArray,
    units: SamplingUnits,
    *,
    weights: AnyArray | None = None,
    known_prevalence: bool = False,
) -> PairedDecisions:
    """Add up the decisions of two models; positive, old, new: (n,); weights: (n,) above 0, by default 1.  O(n + g).

    >>> from evalcore.inference.sampling_units import sampling_units
    >>> truth, new, old = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1, 1]], bool)
    >>> paired_decisions(truth, old, new, sampling_units(8)).compare("accuracy", 0.95)[0]
    [0.875 - 0.375 = 0.5 [0.0292941, 0.759309] (95% mcnemar-mid-p), p = 0.0625]
    """
    codes: AnyArray = (~positive).view(np.int8) * np.int8(4)
    codes += (~old).view(np.int8) * np.int8(2)
    codes += (~new).view(np.int8)
    shape = units.sizes.size, 2, 2, 2
    in_groups = codes if units.rows is None else units.rows * CELLS + codes
    own = np.ones(positive.size, np.int64) if weights is None else weights
    frequencies = weights is None or units.frequencies is not None
    cells = weight_sums(in_groups, own, CELLS * units.sizes.size, frequencies=frequencies)
    cells = WeightSums(*(column.reshape(shape) for column in cells))
    of_clusters = None
    if units.clusters is not None:
        assert units.groups is not None
        in_clusters = units.clusters * CELLS + codes
        of_clusters = (
            np.bincount(in_clusters, weights, CELLS * units.groups.size)
            .astype(np.float64, copy=False)
            .reshape(-1, CELLS)
        )
    return PairedDecisions(cells, units, of_clusters, frequencies and of_clusters is None, known_prevalence)
