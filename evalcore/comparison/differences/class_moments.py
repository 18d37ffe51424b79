"""Moments of what differs case by case between two models, by group and class, added up part by part."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.report.weighting import RowWeights
from evalcore.typing import AnyArray, FloatArray, IntArray


class PartGroups(NamedTuple):
    """The groups of the cases of a part."""

    rows: IntArray | None
    """The group of each case, (n,) in 0 .. number - 1; None for a single group."""
    number: int = 1
    """Number of groups so far."""

    def of_classes(self, positive: AnyArray) -> IntArray:
        """Return twice the group of each case, and one more for negatives, (n,).  O(n).

        >>> PartGroups(np.array([0, 1, 1]), 2).of_classes(np.array([True, True, False])).tolist()
        [0, 2, 3]
        """
        negative: IntArray = (~positive).astype(np.int64)
        return negative if self.rows is None else negative + 2 * self.rows


class PartClusters(NamedTuple):
    """The clusters of the cases of a part."""

    names: AnyArray
    """Those that the part has, (u,) whole numbers, text or dates."""
    codes: IntArray
    """The index of the name of each case, (n,)."""


class ClassMoments(NamedTuple):
    """Sums over the cases of each class in g groups, positives first, of weights w and differences d, (g, 2) each.

    >>> some = class_moments(np.array([1.0, 3.0, 8.0]), np.array([0, 0, 1]), 1)
    >>> some.plus(some).means.tolist(), some.plus(some).about_means.tolist()
    ([[2.0, 8.0]], [[4.0, 0.0]])
    """

    totals: FloatArray
    """Of w."""
    sums: FloatArray
    """Of w d."""
    squares: FloatArray
    """Of w², or of w where weights are frequencies."""
    reference: FloatArray
    """What differences are taken from in the next two, which then lose no digits where all are equal."""
    first: FloatArray
    """Of (d - reference), each times the square of its weight."""
    second: FloatArray
    """Of (d - reference)², in the same way."""

    @property
    def means(self) -> FloatArray:
        """The means of d by weight; NaN without cases.  O(g)."""
        return np.asarray(ratio(self.sums, self.totals))

    @property
    def about_means(self) -> FloatArray:
        """The second moments about the means of each class.  O(g)."""
        return self.about(np.nan_to_num(self.means)).second

    def about(self, reference: FloatArray) -> "ClassMoments":
        """Return the same with another reference, (g, 2) or what broadcasts to it.  O(g)."""
        shift = self.reference - reference
        first = self.first + shift * self.squares
        second = self.second + shift * (self.first + first)
        return ClassMoments(self.totals, self.sums, self.squares, self.reference - shift, first, second)

    def plus(self, other: "ClassMoments") -> "ClassMoments":
        """Return the sums over the cases of both; one may have more groups.  O(g)."""
        size = max(len(self.totals), len(other.totals))
        one, two = (ClassMoments._make(with_groups(column, size) for column in each) for each in (self, other))
        reference = np.nan_to_num(ratio(one.sums + two.sums, one.totals + two.totals))
        both = zip(one.about(reference), two.about(reference), strict=True)
        return ClassMoments._make(first + second for first, second in both)._replace(reference=reference)

    def scaled(self, factors: FloatArray) -> "ClassMoments":
        """Return the same where the weights of each class are so many times as large, (2,).  O(g)."""
        squared = np.square(factors)
        of_weights = self.totals * factors, self.sums * factors, self.squares * squared
        return ClassMoments(*of_weights, self.reference, self.first * squared, self.second * squared)


def class_moments(values: FloatArray, codes: IntArray, count: int, weights: RowWeights | None = None) -> ClassMoments:
    """Add up differences, (n,), by twice the group and the class of each case, (n,); count: of groups.  O(n + g)."""
    cells, own, squares = 2 * count, None, None
    if weights is not None:
        own = weights.values.astype(np.float64, copy=False)
        squares = own if weights.frequencies is not None else np.square(own)
    totals = np.bincount(codes, own, cells).astype(np.float64)
    sums = np.bincount(codes, values if own is None else own * values, cells)
    reference = np.nan_to_num(ratio(sums, totals))
    away = values - reference[codes]
    scaled = away if squares is None else squares * away
    moments = (np.bincount(codes, each, cells) for each in (scaled, scaled * away))
    columns = totals, sums, np.bincount(codes, squares, cells), reference, *moments
    return ClassMoments._make(column.reshape(count, 2).astype(np.float64, copy=False) for column in columns)


def with_groups(column: FloatArray, count: int) -> FloatArray:
    """Return a column of groups, (g, ...), with zeros for more groups.  O(g).

    >>> with_groups(np.array([[1.0]]), 2).tolist()
    [[1.0], [0.0]]
    """
    return np.concatenate([column, np.zeros((count - len(column), *column.shape[1:]))])
