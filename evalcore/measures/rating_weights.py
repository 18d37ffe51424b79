"""How much two different ratings agree, from 0 to 1: 1 for equal ratings, 0 for the most distant ones.

Source: K. L. Gwet, Handbook of Inter-Rater Reliability, 4th edition (2014), 3.5, as the R package irrCAC computes them;
K. Krippendorff, Content Analysis, 2nd edition (2004), 11.3, for `middle_ranks`.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.typing import FloatArray, IntArray


class RatingWeights(Protocol):
    """The weights of pairs of q categories."""

    @property
    def categories(self) -> int:
        """Their number q."""

    def between(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the weight of each pair of codes, (n,).  O(n)."""

    def against(self, fractions: FloatArray) -> FloatArray:
        """Return the weighted sum of fractions (..., q) for a rating of each category, (..., q).  O(q) to O(q²)."""


class EqualRatings(NamedTuple):
    """Weights of 1 for equal categories, else 0.

    >>> EqualRatings(2).against(np.array([0.25, 0.75]))
    array([0.25, 0.75])
    """

    categories: int

    def between(self, first: IntArray, second: IntArray) -> FloatArray:
        """As `RatingWeights`.  O(n)."""
        return np.equal(first, second).astype(np.float64)

    def against(self, fractions: FloatArray) -> FloatArray:
        """As `RatingWeights`.  O(1)."""
        return fractions


class NearRatings(NamedTuple):
    """Weights of 1 less the squared distance of numbers; values: (q,), from -1/2 to 1/2.

    >>> NearRatings(np.array([-0.5, 0.0, 0.5])).against(np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.75, 0.  ])
    """

    values: FloatArray

    @property
    def categories(self) -> int:
        """As `RatingWeights`.  O(1)."""
        return self.values.size

    def between(self, first: IntArray, second: IntArray) -> FloatArray:
        """As `RatingWeights`.  O(n)."""
        return np.asarray(1 - np.square(self.values[first] - self.values[second]))

    def against(self, fractions: FloatArray) -> FloatArray:
        """As `RatingWeights`.  O(q)."""
        # the mean of squares is found from moments, so that as many values as ratings may differ
        total, mean, square = ((fractions * self.values**power).sum(axis=-1, keepdims=True) for power in range(3))
        return np.asarray(total * (1 - np.square(self.values)) + 2 * self.values * mean - square)


class TableOfWeights(NamedTuple):
    """Weights of any kind; matrix: (q, q), symmetric.

    >>> TableOfWeights(np.array([[1.0, 0.5], [0.5, 1.0]])).between(np.array([0]), np.array([1]))
    array([0.5])
    """

    matrix: FloatArray

    @property
    def categories(self) -> int:
        """As `RatingWeights`.  O(1)."""
        return len(self.matrix)

    def between(self, first: IntArray, second: IntArray) -> FloatArray:
        """As `RatingWeights`.  O(n)."""
        return self.matrix[first, second]

    def against(self, fractions: FloatArray) -> FloatArray:
        """As `RatingWeights`.  O(q²)."""
        return np.asarray(fractions @ self.matrix)


def rating_weights(values: FloatArray, kind: str) -> RatingWeights:
    """Return the weights of categories; values: (q,) numbers, or 1, 2 … of texts in order.  O(q²).

    kind: "identity", "quadratic", both O(q), or one of `DISTANCES`.
    """
    if kind == "identity":
        return EqualRatings(values.size)
    if kind == "quadratic":
        low, high = values.min(), values.max()
        return NearRatings(np.nan_to_num(ratio(values - (low / 2 + high / 2), high - low)))
    return _nearness(DISTANCES[kind](*np.meshgrid(values, values, indexing="ij", sparse=True)))


def middle_ranks(fractions: FloatArray) -> FloatArray:
    """Return the fraction of ratings below each category, and half of its own, (q,): Krippendorff's ordinal values.

    fractions: (q,), how often each category is given, in their order.  O(q).

    >>> middle_ranks(np.array([0.5, 0.25, 0.25]))
    array([0.25 , 0.625, 0.875])
    """
    ranks: FloatArray = np.cumsum(fractions) - fractions / 2
    return ranks


def _nearness(distances: FloatArray) -> TableOfWeights:
    return TableOfWeights(1 - np.nan_to_num(np.asarray(ratio(distances, distances.max(initial=0.0)))))


def _ordinal(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the number of pairs of categories from one to the other, in their order."""
    ranks = np.arange(first.size)
    apart = np.abs(np.subtract.outer(ranks, ranks))
    return np.asarray(apart * (apart + 1) / 2)


def _circular(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(np.square(np.sin(np.pi * (first - second) / (np.ptp(first) + 1))))


def _bipolar(first: FloatArray, second: FloatArray) -> FloatArray:
    both, low, high = first + second, first.min(), first.max()
    distances: FloatArray = np.nan_to_num(ratio(np.square(first - second), (both - 2 * low) * (2 * high - both)))
    return distances


def _ratio(first: FloatArray, second: FloatArray) -> FloatArray:
    distances: FloatArray = np.nan_to_num(np.square(ratio(first - second, first + second)))
    return distances


DISTANCES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "linear": lambda first, second: np.asarray(np.abs(first - second)),
    "ordinal": _ordinal,
    "radical": lambda first, second: np.sqrt(np.abs(first - second)),
    "ratio": _ratio,
    "circular": _circular,
    "bipolar": _bipolar,
}
"""Distances of two categories by the name of the weights, of columns and rows of values."""
