"""Means of values of cases, such as losses, in groups, with weights and clusters: how they vary, and their intervals.

A few cases with large values decide the mean loss of rare positives, and its standard error, which is too small where
they are too few, as the mean then is.  So it has degrees of freedom by the contributions u of the cases, 3/2 (Σ u²)² /
Σ u⁴: three quarters of Satterthwaite's, 2 (Σ u²)² / Σ u⁴ for skewed contributions, and at most one less than there are
cases.  Source: F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics
Bulletin 2 (1946) 110-114.
"""

from typing import NamedTuple

import numpy as np

from evalcore.inference.intervals import ROUNDING, Intervals, normal_bounds
from evalcore.inference.units import Spread, Units, ValuesOfRows, unbiasing
from evalcore.kernels.sums import ratio
from evalcore.typing import AnyArray, BoolArray, FloatArray

_OF_CONTRIBUTIONS = 1.5
"""Degrees of freedom of equal contributions, for each of them."""
_FEW_DIGITS = 1e-6


class MeanSample(NamedTuple):
    """Cases whose values have a mean in each of g groups.

    >>> from evalcore.inference.units import units_of
    >>> sample, values = mean_sample(units_of(3)), np.array([0.0, 0.0, 3.0])
    >>> sums = sample.sums(values.__getitem__)
    >>> sample.means(sums), sample.spread(values.__getitem__, sums)
    (array([1.]), Spread(variances=array([1.]), freedom=array([2.])))
    """

    units: Units
    strata: Units
    """These units, grouped by group and class where only values within classes vary."""
    totals: FloatArray
    """The weight of each of s strata, shape (s,)."""

    @property
    def every(self) -> FloatArray:
        """The weight of each group, (g,)."""
        return np.asarray(self.totals.reshape(self.units.sizes.size, -1).sum(axis=1))

    def sums(self, values: ValuesOfRows) -> FloatArray:
        """Add up values of rows, times their weights, (s,).  O(m)."""
        return self.strata.totals(values)

    def means(self, sums: FloatArray) -> FloatArray:
        """Return the means of groups, (g,), from the sums of strata.  O(s)."""
        return np.asarray(sums.reshape(self.units.sizes.size, -1).sum(axis=1) / self.every)

    def spread(self, values: ValuesOfRows, sums: FloatArray) -> Spread:
        """Return how the means of values vary, (g,); sums: of the same values.  O(m).

        Values are found a second time, for their deviations from the mean: all cases need the memory of a block.
        """
        units, every, strata = self.units, self.every, self.strata.groups
        centres = np.asarray(ratio(sums, self.totals))

        def influence(rows: slice) -> FloatArray:
            changes = values(rows) - (centres[0] if strata is None else centres[strata[rows]])
            changes /= every[0] if units.groups is None else every[units.groups[rows]]
            return units.weighted(changes, rows)

        if units.clusters is None:
            return spread_of_cases(units, influence)
        variances, freedom = units.spread(influence)
        return Spread(np.where(self._lone_classes(), np.nan, variances), freedom)

    def _lone_classes(self) -> BoolArray:
        """Whether one cluster has all of a class of a known prevalence, whose variance is unknown then, (g,).  O(m)."""
        (clusters, of_clusters), strata = self.units.members, self.strata.groups
        if strata is None or self.strata is self.units:
            return np.zeros(self.units.sizes.size, np.bool_)
        pairs = np.bincount(2 * clusters + strata % 2, minlength=2 * of_clusters.size).reshape(-1, 2) > 0
        numbers = [np.bincount(of_clusters[own], minlength=self.units.sizes.size) for own in pairs.T]
        return np.asarray(np.equal(numbers, 1).any(axis=0))


def mean_sample(units: Units, classes: AnyArray | None = None) -> MeanSample:
    """Return the cases of units; classes: of each, 0 or 1, (m,), where their prevalence is known.  O(m)."""
    strata = units
    if classes is not None:
        codes = classes + 2 * (np.int64(0) if units.groups is None else units.groups)
        strata = units._replace(groups=codes, sizes=np.ones(2 * units.sizes.size))
    return MeanSample(units, strata, strata.totals(np.broadcast_to(1.0, units.rows).__getitem__))


def spread_of_cases(units: Units, influence: ValuesOfRows) -> Spread:
    """Return how estimates vary whose influence values, (m,), are those of single cases.  O(m)."""

    def powers_of(rows: slice) -> tuple[FloatArray, FloatArray]:
        squares = units.squares(influence(rows), rows)
        return squares, units.squares(squares, rows)

    squares, fourths = units.in_groups(powers_of)
    return _spread_of_powers(squares, fourths, units.sizes)


def _spread_of_powers(squares: FloatArray, fourths: FloatArray, sizes: FloatArray) -> Spread:
    """Return how estimates vary from the sums of powers of what single cases contribute, and their number, (g,)."""
    return Spread(squares * unbiasing(sizes), freedom_of_powers(squares, fourths, sizes))


def freedom_of_powers(squares: FloatArray, fourths: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return degrees of freedom from the sums of powers of what single cases contribute, and their number, (g,)."""
    freedom = np.minimum(_OF_CONTRIBUTIONS * np.asarray(ratio(np.square(squares), fourths)), sizes - 1)
    return np.fmax(freedom, 1.0)


def spread_of_sums(means: FloatArray, powers: FloatArray, sizes: FloatArray) -> Spread:
    """Return how means of equal cases vary, (g,), from sums of the second to fourth powers of values, (3, g).  O(g).

    NaN where differences of sums leave too few digits: values vary by less than a thousandth of their size.

    >>> spread_of_sums(np.array([1.0]), np.array([[9.0], [27.0], [81.0]]), np.array([3.0]))
    Spread(variances=array([1.]), freedom=array([2.]))
    """
    seconds, thirds, fourths = powers
    of_means = sizes * np.square(means)
    squares = np.where(seconds - of_means > _FEW_DIGITS * seconds, seconds - of_means, np.nan)
    fourths = fourths + means * (6 * means * seconds - 4 * thirds - 3 * means * of_means)
    return _spread_of_powers(squares / np.square(sizes), fourths / np.power(sizes, 4), sizes)


def intervals_of_means(means: FloatArray, spread: Spread, level: float) -> Intervals:
    """Return Student's intervals of means of losses, (g,), at least 0.  O(g).

    Values that are all alike prove nothing of unseen ones: their means have no bounds.
    """
    defined = spread.errors > ROUNDING
    own = means[defined], spread.errors[defined], level, spread.freedom[defined]
    return Intervals.where(defined, means, normal_bounds(*own, (0.0, np.inf)), "t")
