"""Cases that were drawn by whole clusters: their variances, and the trials that would be as informative.

The variance of an estimate is that of the sums of its influence values over each cluster, as in `sampling_units`; the
intervals take Student's t with one degree of freedom less than there are clusters.
"""

from typing import Any, NamedTuple

import numpy as np

from evalcore.inference.chosen_weights import ChosenWeights
from evalcore.inference.distributions import reach_of
from evalcore.inference.sampling_units import SamplingUnits, sampling_units
from evalcore.kernels.weights import WeightSums
from evalcore.measures.effective_cases import kish_number
from evalcore.measures.multiclass import decision_derivatives, decision_measure
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.labels import as_group_names, encode_labels


class ClusteredCases(NamedTuple):
    """The m cases of a sample of clusters, all with a weight above zero."""

    units: SamplingUnits
    """The clusters, as a single group."""
    weights: AnyArray
    """Of the cases, shape (m,)."""

    @property
    def clusters(self) -> IntArray:
        """The cluster of each case, (m,)."""
        assert self.units.clusters is not None
        return self.units.clusters

    @property
    def alike(self) -> bool:
        """Whether all weights are 1.  O(m)."""
        return bool((self.weights == 1).all())

    @property
    def number(self) -> int:
        """Number of clusters."""
        return int(self.units.sizes[0])

    @property
    def freedom(self) -> float:
        """Degrees of freedom of Student's t, at least 1: of a single cluster the variance is NaN anyway."""
        return max(float(self.units.freedom[0]), 1.0)

    def variance(self, influence: FloatArray) -> float:
        """Return the variance of an estimate from the influence values of the cases, (m,); NaN for one cluster.  O(m).

        >>> cases = clustered_cases(np.array([0, 0, 1, 1]), np.ones(4))
        >>> cases.variance(np.array([0.5, -0.25, -0.25, 0.0]))
        0.25
        """
        return float(self.units.variances(influence)[0])

    def sums(self, codes: AnyArray, cells: int) -> FloatArray:
        """Add up the weights of each of some cells, (cells,); codes: (m,) in 0 .. cells - 1.  O(m + cells)."""
        return np.bincount(codes, self.weights, cells).astype(np.float64, copy=False)

    def variance_of_cells(self, codes: AnyArray, derivatives: FloatArray) -> float:
        """Return the variance of what changes so much with the weight of each cell, (cells,).  O(m)."""
        return self.variance(self.weights * derivatives[codes])

    def decision_measure(self, name: str, codes: AnyArray) -> tuple[float, float]:
        """Return a measure of `DIFFERENTIABLE` and its variance; codes: (m,) of `binary_codes`.  O(m)."""
        table = self.sums(codes, 4).reshape(2, 2)
        derivatives = decision_derivatives(name, table).ravel()
        return float(decision_measure(name, table)), self.variance_of_cells(codes, derivatives)

    def effective_clusters(self, chosen: BoolArray) -> float:
        """Return Kish's number of clusters, by the weights of the chosen of the cases, (m,).  O(m)."""
        return kish_of_weights(np.bincount(self.clusters, self.weights * chosen))

    def effective_trials(
        self, estimate: float, independent: float, successes: BoolArray, trials: BoolArray, level: float
    ) -> float:
        """Return as many independent trials as leave a fraction p of them as uncertain; NaN for one cluster.  O(m).

        estimate: p; independent: as many as there were if each case were its own cluster; successes, trials: (m,).
        The number is p (1 - p) / V, at most `independent`, times the square of the quotient of the quantiles of
        Student's t of cases and of clusters.  Where p is 0 or 1, V is not known, and each cluster counts as one trial,
        as in `effective_clusters`.  Source: E. L. Korn and B. I. Graubard, Confidence intervals for proportions with
        small expected number of positive counts estimated from survey data, Survey Methodology 24 (1998) 193-201.

        >>> cases = clustered_cases(np.array([0, 0, 1, 1, 2, 2]), np.ones(6))
        >>> right, every = np.array([1, 1, 1, 1, 0, 0], bool), np.ones(6, bool)
        >>> round(cases.effective_trials(2 / 3, 6, right, every, 0.95), 3)
        0.714
        """
        if self.number < 2 or not independent:
            return np.nan if independent else 0.0
        if not 0 < estimate < 1:
            return min(self.effective_clusters(trials), independent)
        total = np.sum(self.weights[trials])
        variance = self.variance(np.where(trials, self.weights * ((successes - estimate) / total), 0.0))
        number = independent if variance == 0 else min(estimate * (1 - estimate) / variance, independent)
        frequencies = self.units.frequencies
        cases = np.count_nonzero(trials) if frequencies is None else frequencies[trials].sum()
        of_cases = max(int(cases) - 1, self.freedom)
        return float(number * (reach_of(level, of_cases) / reach_of(level, self.freedom)) ** 2)


def kish_of_weights(weights: AnyArray) -> float:
    """Return the effective number of weights, (n,), as `kish_number`; 0 where all are 0.  O(n)."""
    largest = weights.max(initial=0)
    if not largest:
        return 0.0
    parts = weights / largest  # squares of weights might leave float64
    total = parts.sum(keepdims=True)
    return float(kish_number(WeightSums(total, np.square(parts).sum(keepdims=True), total))[0])


def clustered_cases(clusters: IntArray, weights: AnyArray, *, frequencies: bool = False) -> ClusteredCases:
    """Return the cases of clusters; clusters, weights: (m,), clusters from 0 on, none of them empty.  O(m).

    frequencies: whether weights say how often a case occurred.
    """
    units = sampling_units(clusters.size, clusters=clusters, frequencies=weights if frequencies else None)
    return ClusteredCases(units, weights)


def checked_clusters(cluster: Any, weights: ChosenWeights, size: int) -> ClusteredCases | None:
    """Check the cluster of each of n cases, and return those with a weight above zero; None without clusters.

    O(n), O(n log n) for many clusters.
    """
    if cluster is None:
        return None
    column = as_group_names(cluster, "cluster")
    check_equal_lengths(range(size), column, "y_true", "cluster")
    codes = encode_labels(column[weights.chosen])[1]
    return clustered_cases(codes, weights.of_each(codes.size), frequencies=weights.frequencies)
