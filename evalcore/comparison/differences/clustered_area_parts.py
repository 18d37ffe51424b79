"""ROC areas of clusters whose cases lie in any part of tables, and what comparisons of them need."""

from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.comparison.differences.class_moments import PartGroups
from evalcore.comparison.differences.cluster_sums import ClusterSquares
from evalcore.inference.areas.clustered_roc_areas import covariance_of_classes, informative_cases, squares_of_cases
from evalcore.inference.areas.roc_area_differences import PairedAreas
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures.effective_cases import kish_number
from evalcore.typing import AnyArray, BoolArray, FloatArray

_OF_CLASSES, _OF_A_MODEL = 2, 9


class ClusteredAreaSums:
    """What the cases of each class add to ROC areas; the sums over clusters are kept elsewhere."""

    def __init__(self) -> None:
        self._cases: FloatArray | None = None
        """Number of cases, sums of their weights and of the squares of these, (3, g, 2)."""
        self._alone: dict[str, FloatArray] = {}
        """By model, sums of the squares of what each case adds to its area, (g, 2)."""

    def add(
        self,
        values: Mapping[str, FloatArray],
        positive: BoolArray,
        weights: FloatArray,
        groups: PartGroups,
        frequencies: AnyArray | None = None,
    ) -> list[FloatArray]:
        """Add cases, and return columns of which clusters have the sums, (n,) each.  O(k n) for k models.

        values: what rows add to the area of each model, the old one first, (n,); weights: (n,); frequencies: how many
        cases each row stands for, (n,), by default one.
        """
        codes, size = groups.of_classes(positive), 2 * groups.number

        def of_classes(each: AnyArray | None) -> FloatArray:
            return np.bincount(codes, each, size).reshape(-1, 2).astype(np.float64, copy=False)

        squares = squares_of_cases(weights, frequencies)
        cases = np.array([of_classes(each) for each in (frequencies, weights, squares)])
        self._cases = cases if self._cases is None else self._cases + cases
        for model, each in values.items():
            alone = of_classes(squares_of_cases(each, frequencies))
            self._alone[model] = self._alone[model] + alone if model in self._alone else alone
        old, *others = values.values()
        columns = [weights * positive, weights * ~positive]
        for new in others:
            for each in (new - old, new, old):
                columns += [each * positive, each * ~positive, each]
        return columns

    def pairs(self, found: ClusterSquares, index: int, models: Sequence[str], areas: FloatArray) -> PairedAreas:
        """Return what a comparison needs, as `ClusteredInfluence.pairs`.  O(g).

        found: of the columns of `add`; index: of the new model; models: the new and the old one; areas: theirs, (2, g).
        """
        assert self._cases is not None
        start = _OF_CLASSES + _OF_A_MODEL * index
        own, other, both = found.squares[start : start + _OF_A_MODEL].reshape(3, 3, -1).transpose(1, 0, 2)
        sizes = found.present[0], found.present[1], found.clusters
        variances = covariance_of_classes(sizes, own, other, both - own - other)
        number, sums, squares = self._cases
        clusters = kish_number(WeightSums(sums.T, found.squares[:_OF_CLASSES], sums.T)).min(axis=0)
        cases = kish_number(WeightSums(sums, squares, number)).min(axis=1)
        alone = (SamplingUnits(number).factors * sum(self._alone[model] for model in models)).sum(axis=1)
        smaller = informative_cases(clusters, cases, alone, variances[1] + variances[2])
        return PairedAreas(areas, variances, smaller)
