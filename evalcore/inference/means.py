"""Means of values of cases, such as losses, in groups, with weights and clusters: how they vary, and their intervals.

A few cases with large losses decide the mean where positives are rare, and its standard error too: both are too small
in samples that hold too few of them.  So Student's t has 3/2 (Σ u²)² / Σ u⁴ degrees of freedom, by the contributions u
of cases, and at most one less than there are cases.  Source: F. E. Satterthwaite, An approximate distribution of
estimates of variance components, Biometrics Bulletin 2 (1946) 110-114; the factor is ours, a cautious one:
benchmarks/README.md has the coverage.
"""

from typing import NamedTuple

import numpy as np

from evalcore.inference.intervals import ROUNDING, Intervals, normal_bounds
from evalcore.inference.units import Spread, Units, ValuesOfRows, unbiasing
from evalcore.kernels.sums import ratio
from evalcore.typing import AnyArray, FloatArray, Ratio

_OF_CONTRIBUTIONS = 1.5
"""Degrees of freedom of equal contributions, for each of them."""


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
    def cases(self) -> FloatArray:
        """The effective number of cases of each group, (g,).  O(m) with weights."""
        units = self.units
        if units.weights is None or units.are_frequencies:
            return self.every
        return np.asarray(ratio(np.square(self.every), units.totals(units.weights.__getitem__)))

    @property
    def every(self) -> FloatArray:
        """The weight of each group, (g,)."""
        return np.asarray(self.totals.reshape(self.units.sizes.size, -1).sum(axis=1))

    def sums(self, values: ValuesOfRows) -> FloatArray:
        """Add up values of rows, times their weights, (s,).  O(m)."""
        return self.strata.totals(values)

    def means(self, sums: FloatArray) -> FloatArray:
        """Return the means of groups, (g,), from the sums of strata.  O(s)."""
        return np.asarray(ratio(sums.reshape(self.units.sizes.size, -1).sum(axis=1), self.every))

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

        return spread_of_cases(units, influence) if units.clusters is None else self.left_out(influence(slice(None)))

    def left_out(self, influence: FloatArray) -> Spread:
        """Return how means vary from how they change without each cluster; influence: of rows, (m,).  O(m).

        Of a known prevalence, each class is what is left of it: NaN where one cluster has all of a class.
        """
        units, (clusters, of_clusters), strata = self.units, self.units.members, self.strata.groups
        classes = self.totals.size // units.sizes.size
        codes = clusters if classes == 1 or strata is None else classes * clusters + strata % classes
        columns = (np.bincount(codes, each, classes * of_clusters.size) for each in (influence, units.amounts))
        changes, held = (each.reshape(-1, classes) for each in columns)
        left = 1 - ratio(held, self.totals.reshape(-1, classes)[of_clusters])
        left = np.where(held > 0, np.where(left > 2.0**-40, left, np.nan), 1.0)
        return units.left_out((changes / left).sum(axis=1))


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
    return spread_of_powers(squares, fourths, units.sizes)


def spread_of_powers(squares: FloatArray, fourths: FloatArray, sizes: FloatArray) -> Spread:
    """Return how estimates vary from the sums of powers of what single cases contribute, and their number, (g,)."""
    freedom = np.minimum(freedom_of_powers(squares, fourths), sizes - 1)
    return Spread(squares * unbiasing(sizes), np.fmax(freedom, 1.0))


def freedom_of_powers(squares: FloatArray, fourths: FloatArray) -> FloatArray:
    """Return the degrees of freedom from sums of powers of what single cases contribute, of any shape."""
    return _OF_CONTRIBUTIONS * np.asarray(ratio(np.square(squares), fourths))


def spread_of_sums(means: FloatArray, powers: FloatArray, sizes: AnyArray) -> Spread:
    """Return how means of equal cases vary, (g,), from sums of the second to fourth powers of values, (3, g).  O(g).

    NaN where differences of sums leave too few digits: values vary by less than a thousandth of their size.

    >>> spread_of_sums(np.array([1.0]), np.array([[9.0], [27.0], [81.0]]), np.array([3.0]))
    Spread(variances=array([1.]), freedom=array([2.]))
    """
    seconds, thirds, fourths = powers
    of_means = sizes * np.square(means)
    squares = np.where(seconds - of_means > 1e-6 * seconds, seconds - of_means, np.nan)
    fourths = fourths + means * (6 * means * seconds - 4 * thirds - 3 * means * of_means)
    return spread_of_powers(squares / np.square(sizes), fourths / np.power(sizes, 4.0), sizes)


def with_unseen(spread: Spread, means: FloatArray, cases: FloatArray, largest: Ratio = np.inf) -> Spread:
    """Return how mean losses of probabilities vary, of (effective) numbers of cases, one of which may be unseen.  O(g).

    Cases that a model is right about prove little of those that it is not.  So a case counts that has the mean loss but
    for its outcome, which is another one; largest: of each Brier score, infinite for log losses.  Where losses differ
    as outcomes do, it adds next to nothing.

    >>> with_unseen(Spread(np.array([0.0]), np.array([3.0])), np.array([0.0]), np.array([4.0]), 1.0)
    Spread(variances=array([0.0625]), freedom=array([1.5]))
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = 1 - np.sqrt(means / largest)
        other = np.where(np.isinf(largest), -np.log(-np.expm1(-means)), np.square(roots) * largest)
    unseen = np.square(np.maximum(other - means, 0.0) / cases)
    variances = spread.variances + unseen
    apart = np.square(spread.variances) / spread.freedom + np.square(unseen) / _OF_CONTRIBUTIONS
    return Spread(variances, np.fmax(ratio(np.square(variances), apart), 1.0))


def means_and_spread(
    units: Units, values: ValuesOfRows, *, classes: AnyArray | None = None, largest_loss: Ratio | None = None
) -> tuple[FloatArray, Spread]:
    """Return the means of values of rows in each group, (g,), and how they vary.  O(m).

    classes: as of `mean_sample`; largest_loss: if values are losses of probabilities, as of `with_unseen`.
    """
    sample = mean_sample(units, classes)
    sums = sample.sums(values)
    means, spread = sample.means(sums), sample.spread(values, sums)
    return means, spread if largest_loss is None else with_unseen(spread, means, sample.cases, largest_loss)


def intervals_of_means(
    means: FloatArray,
    spread: Spread,
    level: float,
    largest: Ratio = np.inf,
    *,
    least: float = 0.0,
    rounding: float = ROUNDING,
    method: str = "t",
) -> Intervals:
    """Return Student's intervals of means of values from the least to the largest, (g,), or of q measures, (q, g).

    largest: of each value, or of all.  Means of values that are all alike but for rounding, which prove nothing of
    unseen ones, have no bounds.  O(g).
    """
    defined = spread.errors > rounding
    limits = least, np.broadcast_to(largest, means.shape)[defined]
    own = means[defined], spread.errors[defined], level, spread.freedom[defined]
    return Intervals.where(defined, means, normal_bounds(*own, limits), method)
