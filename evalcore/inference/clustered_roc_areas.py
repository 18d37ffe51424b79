"""ROC areas of cases that were drawn by clusters, and their covariances.

The variance is that of the sums of influence values over each cluster, taken of positives and of negatives apart: both
together are correlated where clusters have both.  Where each case is its own cluster, it is DeLong's.  Source: N. A.
Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53 (1997) 567-578, for areas and for the
difference of two.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.inference.clustered_cases import ClusteredCases, kish_of_weights
from evalcore.inference.sampling_units import ONE_CLUSTER
from evalcore.kernels.indexed_ordering import indexed_order
from evalcore.kernels.placements import placements
from evalcore.kernels.sorted_weights import sort_weights
from evalcore.kernels.weighted_placements import losses_of_cases
from evalcore.measures import roc_variances
from evalcore.measures.influence import influence_of_lost_fractions, influence_of_placements
from evalcore.measures.partial_areas import RateRange, cut_losses
from evalcore.measures.weighted_roc_variances import sum_of_rows, weighted_roc_areas
from evalcore.typing import BoolArray, FloatArray, ScoreArray


class ClusteredAreas(NamedTuple):
    """ROC areas of k rankings of the same m cases, and what each case adds to them."""

    areas: FloatArray
    """Shape (k,); NaN without cases of both classes."""
    influence: FloatArray
    """Influence values, shape (k, m)."""
    correct: BoolArray
    """Shape (m,)."""
    cases: ClusteredCases
    parts: tuple[float, float] = (1.0, 1.0)
    """The fraction of each class that the areas are of."""

    def covariance(self, contrasts: npt.ArrayLike) -> FloatArray:
        """Return the covariances of r weighted sums of the areas, (r, r); contrasts: (r, k).  O(r k m).

        NaN where a class occurs in fewer than two clusters.
        """
        factors = np.asarray(contrasts, np.float64)
        if self.lack:
            return np.full((len(factors), len(factors)), np.nan)
        of_cases = sum_of_rows(factors, list(self.influence))
        clusters, number = self.cases.clusters, self.cases.number
        own, other = (
            np.array([np.bincount(clusters[side], values[side], number) for values in of_cases])
            for side in self._classes
        )
        of_own, of_other, of_both = (size / (size - 1) for size in (*self._clusters_of_classes, number))
        across = of_both * _products(own, other)
        return of_own * _products(own, own) + of_other * _products(other, other) + across + across.T

    @property
    def lack(self) -> str:
        """Why there is no variance; empty if there is one.  O(m)."""
        if self.cases.number == 1:
            return ONE_CLUSTER
        for kind, side, clusters in zip(
            ("positive", "negative"), self._classes, self._clusters_of_classes, strict=True
        ):
            if not side.any():
                return f"there is no {kind} case"
            if clusters < 2:
                return f"one cluster alone has {kind} cases"
        return ""

    @property
    def smaller(self) -> float:
        """Cases of the smaller class that would be as informative alone: divided by the design effect.  O(k² m).

        The design effect is the mean variance of the areas divided by DeLong's, at least 1.  The number is at least
        that of effective clusters, and is this number where the variance is 0.
        """
        classes = list(zip(self._classes, self.parts, strict=True))
        clusters = min(part * self.cases.effective_clusters(side) for side, part in classes)
        cases = min(part * kish_of_weights(self.cases.weights[side]) for side, part in classes)
        variance = float(np.trace(self.covariance(np.eye(self.areas.size))))
        if not variance > 0:
            return clusters
        alone = sum(
            side.sum() / (side.sum() - 1) * np.sum(np.square(self.influence[:, side])) for side in self._classes
        )
        return max(clusters, cases * min(float(alone) / variance, 1.0))

    @property
    def _classes(self) -> tuple[BoolArray, BoolArray]:
        return self.correct, ~self.correct

    @property
    def _clusters_of_classes(self) -> list[int]:
        clusters = self.cases.clusters
        return [int(np.count_nonzero(np.bincount(clusters[side]))) for side in self._classes]


def clustered_areas(
    correct: BoolArray, columns: Sequence[ScoreArray], cases: ClusteredCases, between: RateRange | None = None
) -> ClusteredAreas:
    """Return the areas of k rankings; correct, columns: (m,).  O(k m log m).

    between: rates that the areas, as fractions of the largest, are between; by default all.

    >>> from evalcore.inference.clustered_cases import clustered_cases
    >>> correct, scores = np.array([True, True, False, False]), np.array([0.9, 0.4, 0.5, 0.1])
    >>> found = clustered_areas(correct, [scores], clustered_cases(np.arange(4), np.ones(4)))
    >>> found.areas, found.covariance([[1]])  # each its own cluster: as by DeLong
    (array([0.75]), array([[0.125]]))
    """
    if correct.all() or not correct.any():
        unknown = np.full((len(columns), correct.size), np.nan)
        return ClusteredAreas(np.full(len(columns), np.nan), unknown, correct, cases)
    if not cases.alike or between is not None:
        cut = None if between is None else partial(cut_losses, asked=between)
        losses = [losses_of_cases(sort_weights(scores, correct, cases.weights), cut) for scores in columns]
        values = [influence_of_lost_fractions(lost, correct, cases.weights) for lost in losses]
        side = correct if between is None or not between.of_positives else ~correct
        areas = weighted_roc_areas(losses, side, cases.weights)
        return ClusteredAreas(areas, np.array(values), correct, cases, (1.0, 1.0) if between is None else between.parts)
    placed = [placements(indexed_order(scores, correct)) for scores in columns]
    exact = [
        roc_variances.roc_area_of_sum(each.correct.size, each.incorrect.size, int(each.correct.sum(dtype=np.int64)))
        for each in placed
    ]
    values = [influence_of_placements(each, correct) for each in placed]
    return ClusteredAreas(np.array(exact), np.array(values), correct, cases)


def _products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Add up the products of the sums of clusters, (r, c) each: (r, r).  O(r² c)."""
    products: FloatArray = np.einsum("ic,jc->ij", first, second)
    return products
