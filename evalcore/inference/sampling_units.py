"""What is drawn by chance, cases or whole clusters, and the variances of estimates that follow from it.

An influence value is what a row adds to the deviation of an estimate from the true value, up to smaller terms; those
of a group have the sum 0.  The variance of the estimate is the sum of the squares of what each unit adds, with the
factor C / (C - 1) for C units.  Sources: C. Jaeckel, The infinitesimal jackknife, Bell Laboratories Memorandum (1972);
for clusters N. A. Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53 (1997) 567-578.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import ratio
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.labels import encode_labels

ONE_CLUSTER = "one cluster, or one case that holds all the weight, has no variance"
"""Why bounds are not defined."""
MOST_LEFT_OUT = 100
"""Of more clusters than this, sums of influence values have almost the error of the jackknife, in far less time."""


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
            assert self.groups is not None
            sums = np.bincount(self.clusters, values, self.groups.size)
            return self.of_squares(np.square(sums), self.groups)
        if self.rows is None:
            return np.array([sum(map_blocks(lambda block: self._sum_of_squares(values, block), values.size))]) * (
                self.factors
            )
        squares = np.square(values)
        if self.frequencies is not None:
            squares /= self.frequencies
        return self.of_squares(squares, self.rows)

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
        assert self.groups is not None
        means = np.asarray(ratio(np.bincount(self.groups, values, self.sizes.size), self.sizes))
        squares = np.square(values - means[self.groups])
        return np.bincount(self.groups, squares, self.sizes.size) / self.factors

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
    if clusters is None:
        if rows is None:
            return SamplingUnits(
                np.array([size if frequencies is None else frequencies.sum()], np.float64), None, frequencies
            )
        return SamplingUnits(np.bincount(rows, frequencies, count).astype(np.float64), rows, frequencies)
    if rows is None:
        units = int(clusters.max(initial=-1)) + 1
        return SamplingUnits(np.array([units], np.float64), None, frequencies, clusters, np.zeros(units, np.int64))
    numbers = int(clusters.max(initial=-1)) + 1
    found, units_of_rows = encode_labels(rows * numbers + clusters)
    groups = found // max(numbers, 1)
    sizes = np.bincount(groups, minlength=count).astype(np.float64)
    return SamplingUnits(sizes, rows, frequencies, units_of_rows, groups)
