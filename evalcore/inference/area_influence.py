"""ROC areas of cases that were drawn by clusters, and their covariances.

The variance is that of the sums of influence values over each cluster, taken of positives and of negatives apart: both
together are correlated where clusters have both.  Where each case is its own cluster, it is DeLong's.  Source: N. A.
Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53 (1997) 567-578, for areas and for the
difference of two.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.inference.roc_area_bounds import AREA_PAIR, JointAreas, PairedAreas
from evalcore.inference.units import ONE_CLUSTER, Units, unbiasing
from evalcore.kernels.grouping import scaled_by_group
from evalcore.kernels.placements import losses_of_cases, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, sort_weights
from evalcore.measures import roc_variances
from evalcore.measures.effective_cases import kish_number
from evalcore.measures.influence import influence_of_lost_fractions, influence_of_placements
from evalcore.measures.roc_variances import sum_of_rows, weighted_roc_areas
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


class ClusteredInfluence(NamedTuple):
    """What n cases of clusters add to the ROC areas of k rankings, in g groups."""

    values: Sequence[FloatArray]
    """Influence values, k of (n,)."""
    correct: BoolArray
    """Shape (n,)."""
    units: Units
    """The clusters, with the weights of the cases."""

    def covariances(self, contrasts: npt.ArrayLike) -> FloatArray:
        """Return the covariances of r weighted sums of the areas, (r, r, g); contrasts: (r, k).  O(r k n + r² u).

        NaN where a class occurs in fewer than two of u clusters.
        """
        (units, groups), number = self.units.members, self.units.sizes.size
        of_cases = sum_of_rows(np.asarray(contrasts, np.float64), self.values)
        own, other = (
            [np.bincount(units[side], values[side], groups.size) for values in of_cases] for side in self._classes
        )

        def products(first: Sequence[AnyArray], second: Sequence[AnyArray]) -> FloatArray:
            found = [[np.bincount(groups, one * other, number) for other in second] for one in first]
            return np.array(found, np.float64)

        across = products(own, other)
        both = across + across.swapaxes(0, 1)
        sizes = *self.clusters_of_classes(), self.units.sizes
        factors = (unbiasing(np.asarray(each, np.float64)) for each in sizes)
        found = zip(factors, (products(own, own), products(other, other), both), strict=True)
        return np.asarray(sum(factor * each for factor, each in found))  # Obuchowski's

    def smaller(self) -> FloatArray:
        """Return the cases of the smaller class that would be as informative alone, (g,).  O(k n).

        They are divided by the design effect, the mean variance of the areas divided by DeLong's, at least 1.  The
        number is at least that of effective clusters, and is this number where the variance is 0.
        """
        (units, groups), number = self.units.members, self.units.sizes.size
        rows = groups[units]
        weights, _ = scaled_by_group(self.units.amounts.astype(np.float64), rows, number)
        clusters, cases = np.full((2, number), np.inf)
        alone = np.zeros(number)
        frequencies = self.units.weights if self.units.are_frequencies else None
        for side in self._classes:
            own, each_own = rows[side], None if frequencies is None else frequencies[side]
            of_clusters = np.bincount(units[side], weights[side], groups.size)
            clusters = np.minimum(clusters, _kish_by_group(of_clusters, groups, number))
            cases = np.minimum(cases, _kish_by_group(weights[side], own, number, each_own))
            factors = unbiasing(np.bincount(own, each_own, number).astype(np.float64))
            squares = (_squares_of_cases(each[side], each_own) for each in self.values)
            alone += factors * sum(np.bincount(own, each, number) for each in squares)
        variances = np.trace(self.covariances(np.eye(len(self.values))))
        informative = np.fmax(clusters, cases * np.minimum(ratio(alone, variances), 1.0))
        return np.where(variances > 0, informative, clusters)

    def pairs(self, areas: FloatArray) -> PairedAreas:
        """Return both areas of each group, (2, g), with what comparisons need.  O(n)."""
        return PairedAreas(areas, np.diagonal(self.covariances(AREA_PAIR)).T, self.smaller())

    def clusters_of_classes(self) -> tuple[IntArray, IntArray]:
        """Return how many clusters have correct cases, and how many have others, (g,) each.  O(n)."""
        units, groups = self.units.members
        found = (groups[np.bincount(units[side], minlength=groups.size) > 0] for side in self._classes)
        own, other = (np.bincount(each, minlength=self.units.sizes.size) for each in found)
        return own, other

    @property
    def _classes(self) -> tuple[BoolArray, BoolArray]:
        return self.correct, ~self.correct


def clustered_areas(
    correct: BoolArray, columns: Sequence[ScoreArray], units: Units, contrasts: npt.ArrayLike | None = None
) -> JointAreas:
    """Return the areas of k rankings; correct, columns: (m,); contrasts: (r, k).  O(k m log m).

    Without contrasts the covariances are those of the areas, and `smaller` is NaN.

    >>> from evalcore.inference.units import units_of
    >>> correct, scores = np.array([True, True, False, False]), np.array([0.9, 0.4, 0.5, 0.1])
    >>> units = units_of(4, clusters=np.arange(4))
    >>> found = clustered_areas(correct, [scores], units)
    >>> found.areas, found.covariance  # each its own cluster: as by DeLong
    (array([0.75]), array([[0.125]]))
    """
    areas, values = _areas_with_influence(correct, columns, units)
    found = ClusteredInfluence(values, correct, units)
    covariance = found.covariances(np.eye(len(columns)) if contrasts is None else contrasts)[..., 0]
    smaller = np.nan if contrasts is None else float(found.smaller()[0])
    return JointAreas(areas, covariance, smaller, _lack(found), float(units.freedom[0]))


def _areas_with_influence(
    correct: BoolArray, columns: Sequence[ScoreArray], units: Units
) -> tuple[FloatArray, list[FloatArray]]:
    """Return areas, (k,), and the influence values of the cases, k of (m,).  O(k m log m)."""
    if correct.all() or not correct.any():
        return np.full(len(columns), np.nan), [np.full(correct.size, np.nan)] * len(columns)
    weights = units.amounts
    if (weights == 1).all():
        placed = [placements(indexed_order(scores, correct)) for scores in columns]
        sizes = int(np.count_nonzero(correct)), int(np.count_nonzero(~correct))
        areas = np.array(
            [roc_variances.roc_area_of_sum(*sizes, int(each.correct.sum(dtype=np.int64))) for each in placed]
        )
        return areas, [influence_of_placements(each, correct) for each in placed]
    rankings = [sort_weights(scores, correct, weights) for scores in columns]
    losses = [losses_of_cases(ranking) for ranking in rankings]
    areas = weighted_roc_areas(losses, correct, weights, rankings)
    return areas, [influence_of_lost_fractions(lost, correct, weights) for lost in losses]


def _lack(found: ClusteredInfluence) -> str:
    """Say why a single group of clusters has no variance of areas; empty if it has one.  O(n)."""
    if found.units.sizes[0] == 1:
        return ONE_CLUSTER
    classes = zip(("positive", "negative"), found.clusters_of_classes(), strict=True)
    for kind, [number] in classes:
        if number < 2:
            return f"one cluster alone has {kind} cases" if number else f"there is no {kind} case"
    return ""


def _squares_of_cases(values: AnyArray, frequencies: AnyArray | None) -> FloatArray:
    """Return the sum of the squares of what each case of a row adds; values: of rows, (n,).  O(n).

    frequencies: how many cases each row stands for, (n,); None for one each.

    >>> _squares_of_cases(np.array([3.0, 4.0]), np.array([1, 2])).tolist()
    [9.0, 8.0]
    """
    squares: FloatArray = np.square(values, dtype=np.float64)
    return squares if frequencies is None else squares / frequencies


def _kish_by_group(weights: AnyArray, groups: IntArray, number: int, frequencies: AnyArray | None = None) -> FloatArray:
    """Return the effective number of weights of each group, (number,), as `kish_number`; 0 for none.  O(n)."""
    columns = weights, _squares_of_cases(weights, frequencies)
    sums, squares = (np.bincount(groups, each, number).astype(np.float64, copy=False) for each in columns)
    return kish_number(WeightSums(sums, squares, sums))
