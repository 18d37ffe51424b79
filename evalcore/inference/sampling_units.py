"""What is drawn by chance, cases or whole clusters, with or without weights, and the variances that follow from it.

An influence value is what a row adds to the deviation of an estimate from the true value, up to smaller terms; those
of a group have the sum 0.  The variance of the estimate is the sum of the squares of what each unit adds, with the
factor C / (C - 1) for C units.  Sources: C. Jaeckel, The infinitesimal jackknife, Bell Laboratories Memorandum (1972);
for clusters N. A. Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53 (1997) 567-578.
"""

from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.inference.intervals import reach_of
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sort_keys import extent
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.kernels.weights import WeightSums, decision_weight_sums, weight_sums
from evalcore.measures.effective_cases import kish_number
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.labels import as_group_names, encode_labels
from evalcore.validation.weights import are_frequencies, as_case_weights, scale_weights

ONE_CLUSTER = "one cluster, or one case that holds all the weight, has no variance"
"""Why bounds are not defined."""
MOST_LEFT_OUT = 100
"""Of more clusters than this, sums of influence values have almost the error of the jackknife, in far less time."""
_FARTHEST = 2.0**480
"""Variances take the squares of weights, and some the squares of these."""


class SamplingUnits(NamedTuple):
    """The units of each of g groups of n rows: cases, or clusters of them.

    >>> units = sampling_units(4, clusters=np.array([0, 0, 1, 1]))
    >>> units.variances(np.array([0.5, -0.25, -0.25, 0.0])), sampling_units(4).variances(np.array([0.5, -0.5, 0, 0]))
    (array([0.25]), array([0.66666667]))
    """

    sizes: FloatArray
    """Number of units, shape (g,)."""
    rows: IntArray | None = None
    """The group of each row, shape (n,); None for a single group."""
    frequencies: AnyArray | None = None
    """How many cases each row stands for, shape (n,), which are units where no clusters are; None for one each."""
    clusters: IntArray | None = None
    """The unit of each row, shape (n,); None if each row is one."""
    groups: IntArray | None = None
    """The group of each unit, shape (u,); None if each row is one."""

    def variances(self, values: FloatArray) -> FloatArray:
        """Return the variances of estimates from the influence values of their rows, (n,).  Returns (g,).  O(n)."""
        if self.clusters is not None:
            clusters, groups = self.members
            return self.of_squares(np.square(np.bincount(clusters, values, groups.size)), groups)
        if self.rows is None:
            total = sum(map_blocks(lambda block: self._sum_of_squares(values, block), values.size))
            return np.array([total]) * self.factors
        squares = np.square(values)
        if self.frequencies is not None:
            squares /= self.frequencies
        return self.of_squares(squares, self.rows)

    @property
    def members(self) -> tuple[IntArray, IntArray]:
        """The cluster of each row, (n,), and the group of each cluster, (u,)."""
        assert self.clusters is not None
        assert self.groups is not None
        return self.clusters, self.groups

    def of_squares(self, squares: FloatArray, groups: IntArray) -> FloatArray:
        """Return the variances from the squares of what units add, and their groups, (u,) each.  O(u)."""
        return np.bincount(groups, squares, self.sizes.size) * self.factors

    def variances_left_out(self, values: FloatArray) -> FloatArray:
        """Return the jackknife's variances of estimates from those without each cluster, (u,).  Returns (g,).  O(u).

        Source: J. W. Tukey, Bias and confidence in not-quite large samples, Annals of Mathematical Statistics 29 (1958)
        614.

        >>> sampling_units(4, clusters=np.array([0, 0, 1, 1])).variances_left_out(np.array([1.5, 0.5]))
        array([0.25])
        """
        _, groups = self.members
        means = np.asarray(ratio(np.bincount(groups, values, self.sizes.size), self.sizes))
        return np.bincount(groups, np.square(values - means[groups]), self.sizes.size) / self.factors

    @property
    def freedom(self) -> FloatArray:
        """The degrees of freedom of Student's t, (g,): of clusters one less than there are, of cases infinite.  O(g).

        Source: A. C. Cameron and D. L. Miller, A practitioner's guide to cluster-robust inference, Journal of Human
        Resources 50 (2015) 317-372.
        """
        return np.full(self.sizes.shape, np.inf) if self.clusters is None else self.sizes - 1

    @property
    def factors(self) -> FloatArray:
        """What makes sums of squares unbiased, (g,); NaN for a single unit.  O(g)."""
        several = np.where(self.sizes > 1, self.sizes, np.nan)
        return np.asarray(ratio(several, several - 1))

    def _sum_of_squares(self, values: FloatArray, block: slice) -> float:
        own = values[block]
        # without the threads that BLAS would start for @
        return float(np.einsum("i,i->", own, own if self.frequencies is None else own / self.frequencies[block]))


def sampling_units(
    size: int,
    *,
    rows: IntArray | None = None,
    count: int = 1,
    clusters: IntArray | None = None,
    frequencies: AnyArray | None = None,
) -> SamplingUnits:
    """Return the units of groups; size: number of rows; rows: the group of each, (n,) in 0 .. count - 1.

    clusters: (n,) numbers of clusters, from 0 on; frequencies: (n,), how many cases each row stands for.  O(n), with
    clusters of groups O(n log n).
    """
    groups = None
    if clusters is not None:
        numbers = int(clusters.max(initial=-1)) + 1
        groups = np.zeros(numbers, np.int64)
        if rows is not None:
            found, clusters = encode_labels(rows * numbers + clusters)
            groups = found // max(numbers, 1)
        sizes: AnyArray = np.bincount(groups, minlength=count)
    elif rows is not None:
        sizes = np.bincount(rows, frequencies, count)
    else:
        sizes = np.array([size if frequencies is None else frequencies.sum()])
    return SamplingUnits(sizes.astype(np.float64), rows, frequencies, clusters, groups)


class ChosenWeights(NamedTuple):
    """Which of n cases have a weight above zero, and the weights of these m."""

    chosen: Any
    """Mask, (n,), or a slice of all: the index of these cases."""
    values: AnyArray | None
    """Shape (m,), int64 or float64; None if they are equal, so that they say nothing."""
    frequencies: bool
    """Whether a case of weight w stands for w cases; the weights are then int64."""

    def counts(self, positive: BoolArray, predicted: BoolArray) -> BinaryCounts | None:
        """Count the cases of each cell; None if they do not count alike.  positive, predicted: (n,).  O(n)."""
        if self.values is None:
            return binary_counts(positive[self.chosen], predicted[self.chosen])
        if self.frequencies:
            return BinaryCounts(*map(int, self.cells(positive, predicted).sums.tolist()))
        return None

    def cells(self, positive: BoolArray, predicted: BoolArray) -> WeightSums:
        """Add up the weights of tp, fn, fp and tn, (4,) each; positive, predicted: (n,).  O(n)."""
        masks = positive[self.chosen], predicted[self.chosen]
        return decision_weight_sums(*masks, self.of_each(masks[0].size), frequencies=self.frequencies)

    def sums(self, codes: AnyArray, cells: int) -> WeightSums:
        """Add up the weights of each of some cells; codes: (m,) in 0 .. cells-1.  O(m + cells)."""
        return weight_sums(codes, self.of_each(codes.size), cells, frequencies=self.frequencies)

    def of_each(self, size: int) -> AnyArray:
        """Return the weights of the m cases, 1 where they are equal; size: m.  O(m)."""
        return np.ones(size, np.int64) if self.values is None else self.values


def checked_weights(
    weights: Any, weight_type: Any, size: int, function: str, name: str = "sample_weight"
) -> ChosenWeights:
    """Check the weights of as many cases; name: for errors.  O(n).

    Raises EvaluationError or EvaluationTypeError for invalid weights, and for a type of no weights.

    >>> checked_weights([2.0, 0.0, 2.0], "sampling", 3, "f")
    ChosenWeights(chosen=array([ True, False,  True]), values=None, frequencies=False)
    """
    frequencies = are_frequencies(weight_type, function)
    if weights is None:
        if frequencies:
            raise EvaluationError(f"weight_type needs {name}, which it describes; pass it, or no weight_type")
        return ChosenWeights(slice(None), None, frequencies)
    values = as_case_weights(weights, size, name, whole=frequencies)
    present = values > 0
    chosen = slice(None) if present.all() else present
    values = values[chosen]
    least, largest = extent(values) if values.size else (1, 1)
    if largest / _FARTHEST > least:
        raise EvaluationError(
            f"{name} must hold weights above 0 that differ by less than a factor of 2**480, got {least:g} and "
            f"{largest:g}; set weights that say nothing to 0"
        )
    alike = largest == 1 if frequencies else least == largest
    return ChosenWeights(chosen, None if alike else scale_weights(values)[0], frequencies)


class ClusteredCases(NamedTuple):
    """The m cases of a sample of clusters, all with a weight above zero."""

    units: SamplingUnits
    """The clusters, as a single group."""
    weights: AnyArray
    """Of the cases, shape (m,)."""

    @property
    def clusters(self) -> IntArray:
        """The cluster of each case, (m,)."""
        return self.units.members[0]

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

        >>> cases = ClusteredCases(sampling_units(4, clusters=np.array([0, 0, 1, 1])), np.ones(4))
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

    def effective_trials(
        self, estimate: float, independent: float, successes: BoolArray, trials: BoolArray, level: float
    ) -> float:
        """Return as many independent trials as leave a fraction p of them as uncertain; NaN for one cluster.  O(m).

        estimate: p; independent: as many as there were if each case were its own cluster; successes, trials: (m,).
        The number is p (1 - p) / V, at most `independent`, times the square of the quotient of the quantiles of
        Student's t of cases and of clusters.  Where p is 0 or 1, V is not known, and each cluster counts as one trial,
        by Kish's number of their weights.  Source: E. L. Korn and B. I. Graubard, Confidence intervals for proportions
        with small expected number of positive counts estimated from survey data, Survey Methodology 24 (1998) 193-201.

        >>> cases = ClusteredCases(sampling_units(6, clusters=np.array([0, 0, 1, 1, 2, 2])), np.ones(6))
        >>> right, every = np.array([1, 1, 1, 1, 0, 0], bool), np.ones(6, bool)
        >>> round(cases.effective_trials(2 / 3, 6, right, every, 0.95), 3)
        0.714
        """
        if self.number < 2 or not independent:
            return np.nan if independent else 0.0
        if not 0 < estimate < 1:
            of_clusters = np.bincount(self.clusters, self.weights * trials)
            parts = of_clusters / of_clusters.max()  # squares of weights might leave float64
            total = parts.sum(keepdims=True)
            return min(
                float(kish_number(WeightSums(total, np.square(parts).sum(keepdims=True), total))[0]), independent
            )
        total = np.sum(self.weights[trials])
        variance = self.variance(np.where(trials, self.weights * ((successes - estimate) / total), 0.0))
        number = independent if variance == 0 else min(estimate * (1 - estimate) / variance, independent)
        frequencies = self.units.frequencies
        cases = np.count_nonzero(trials) if frequencies is None else frequencies[trials].sum()
        of_cases = max(int(cases) - 1, self.freedom)
        return float(number * (reach_of(level, of_cases) / reach_of(level, self.freedom)) ** 2)


def checked_clusters(cluster: Any, weights: ChosenWeights, size: int) -> ClusteredCases | None:
    """Check the cluster of each of n cases, and return those with a weight above zero; None without clusters.

    O(n), O(n log n) for many clusters.
    """
    if cluster is None:
        return None
    column = as_group_names(cluster, "cluster")
    check_equal_lengths(range(size), column, "y_true", "cluster")
    codes = encode_labels(column[weights.chosen])[1]
    own = weights.of_each(codes.size)
    return ClusteredCases(
        sampling_units(codes.size, clusters=codes, frequencies=own if weights.frequencies else None), own
    )
