"""Differences of scores that are added up part by part: exact but for those of ranks, which may be certified."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.batched.grouped_summaries import SummaryLimits
from evalcore.comparison.differences.case_differences import FoundDifferences, decisions_at, differences_of, units_of
from evalcore.comparison.differences.certified_ranks import CertifiedRanks
from evalcore.comparison.differences.class_moments import ClassMoments, PartGroups, class_moments, with_groups
from evalcore.comparison.measure_names import LOSSES, RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.paired_decisions import PairedDecisions
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums, weight_sums
from evalcore.measures.decision_derivatives import DIFFERENTIABLE
from evalcore.measures.probability_losses import are_probabilities
from evalcore.report.weighting import Weighting
from evalcore.typing import FloatArray


class _AddedLosses(NamedTuple):
    """Sums of the losses of two models over the cases of each class in g groups, (g, 2)."""

    new: FloatArray
    moments: ClassMoments
    """Of the new loss less the old one."""

    def plus(self, other: "_AddedLosses") -> "_AddedLosses":
        return _AddedLosses(_sum(self.new, other.new), self.moments.plus(other.moments))

    def estimates(self, factors: FloatArray, sizes: FloatArray, *, known_prevalence: bool) -> PairedEstimates:
        """Return the means, and the errors of their differences, (g,); sizes: numbers of cases, (g,).  O(g)."""
        moments = self.moments.scaled(factors)
        totals = moments.totals.sum(axis=1)
        means = np.asarray(ratio(moments.sums.sum(axis=1), totals))
        about = moments.about_means if known_prevalence else moments.about(np.nan_to_num(means)[:, np.newaxis]).second
        squares = ratio(ratio(about.sum(axis=1), totals), totals) * SamplingUnits(sizes).factors
        new = np.asarray(ratio((self.new * factors).sum(axis=1), totals))
        return PairedEstimates(new, new - means, np.sqrt(squares))


class AddedDifferences:
    """What the cases of all parts add up to in each of g groups, or in a single one.

    Parts are added by `add`, one after the other; then `measure` is called, and they are added again by `add_errors`.
    """

    def __init__(
        self,
        measures: Sequence[ComparedMeasure],
        weighting: Weighting,
        level: float,
        limits: SummaryLimits,
        columns: Sequence[str] = (),
    ) -> None:
        self.classes = WeightSums(*np.zeros((3, 0, 2)))
        """Sums over the positives and the negatives of each group, (g, 2)."""
        self.of_probabilities = True
        asked = {each.measure for each in measures}
        self.ranks = CertifiedRanks([name for name in RANKED if name in asked], limits, columns)
        self._measures = measures
        self._weighting = weighting
        self._level = level
        self._factors = np.ones(2)
        self._losses: dict[tuple[str, str], _AddedLosses] = {}
        """By model and loss."""
        self._cells: dict[tuple[str, float], WeightSums] = {}
        """By model and threshold, (g, 2, 2, 2)."""

    @property
    def sizes(self) -> FloatArray:
        """The number of cases of each group, (g,).  O(g)."""
        return np.asarray(self.classes.cases.sum(axis=1))

    def add(self, cases: PairedCases, groups: PartGroups) -> None:
        """Add the cases of a part, n > 0.  O(k n log n) for k models."""
        frequencies = cases.weights is None or cases.weights.frequencies is not None
        own = np.ones(cases.positive.size, np.int64) if cases.weights is None else cases.weights.values
        codes = groups.of_classes(cases.positive)
        sums = weight_sums(codes, own, 2 * groups.number, frequencies=frequencies)
        self.classes = _sums(self.classes, WeightSums(*(column.reshape(-1, 2) for column in sums)))
        if self.ranks.names:
            self.ranks.add(cases, groups)
        self._add_losses(cases, groups)
        units = units_of(cases, groups.rows, groups.number)
        for threshold in dict.fromkeys(each.threshold for each in self._measures if each.measure in DIFFERENTIABLE):
            assert threshold is not None
            for model, decisions in zip(cases.new, decisions_at(cases, units, threshold), strict=True):
                known = self._cells.get((model, threshold))
                self._cells[model, threshold] = decisions.cells if known is None else _sums(known, decisions.cells)

    def _add_losses(self, cases: PairedCases, groups: PartGroups) -> None:
        self.of_probabilities = self.of_probabilities and all(map(are_probabilities, cases.scores.values()))
        if not self.of_probabilities:
            return
        codes = groups.of_classes(cases.positive)
        for name in dict.fromkeys(each.measure for each in self._measures if each.measure in LOSSES):
            old, *others = (cases.losses(name, scores) for scores in cases.scores.values())
            for model, new in zip(cases.new, others, strict=True):
                weighted = new if cases.weights is None else new * cases.weights.values
                sums = np.asarray(np.bincount(codes, weighted, 2 * groups.number).reshape(-1, 2), np.float64)
                added = _AddedLosses(sums, class_moments(new - old, codes, groups.number, cases.weights))
                known = self._losses.get((model, name))
                self._losses[model, name] = added if known is None else known.plus(added)

    def measure(self, factors: FloatArray) -> None:
        """Measure what can be known before the second pass; factors: of the weights of both classes, (2,)."""
        self._factors = factors
        self.ranks.measure(factors)

    def add_errors(self, cases: PairedCases, groups: PartGroups) -> None:
        """Add what the errors of measures of ranks need of the cases of a part.  O(k n log n)."""
        self.ranks.add_errors(cases, groups)

    def differences(self, measures: Sequence[ComparedMeasure], old: str, new: str) -> FoundDifferences:
        """Return the differences of two models in each group, not judged yet.  O(g)."""
        return {measure: self._difference(measure, old, new) for measure in measures}

    def _difference(self, measure: ComparedMeasure, old: str, new: str) -> list[MeasureDifference]:
        level, units, known = self._level, SamplingUnits(self.sizes), self._weighting.target_prevalence is not None
        if measure.measure in RANKED:
            variances = self.ranks.variances(new, measure.measure, self.classes, self._factors, known_prevalence=known)
            return self.ranks.differences(measure, (old, new), np.sqrt(variances), level, units.freedom)
        if measure.measure in LOSSES:
            losses = self._losses[new, measure.measure]
            estimates = losses.estimates(self._factors, units.sizes, known_prevalence=known)
            compared = compare_normal(estimates, level, "paired-normal", np.inf, units.freedom)
            return differences_of(measure, compared, estimates.errors, units.freedom)
        assert measure.threshold is not None
        cells = self._cells[new, measure.threshold].scaled(self._factors.reshape(2, 1, 1))
        decisions = PairedDecisions(cells, units, None, not self._weighting.of_samples, known)
        decided = decisions.compare(measure.measure, level, measure.threshold)
        return differences_of(measure, *decided, units.freedom)


def _sums(one: WeightSums, other: WeightSums) -> WeightSums:
    """Add up the sums over groups, of which one side may have more.  O(g)."""
    return WeightSums(*(_sum(first, second) for first, second in zip(one, other, strict=True)))


def _sum(one: FloatArray, other: FloatArray) -> FloatArray:
    count = max(len(one), len(other))
    return with_groups(one, count) + with_groups(other, count)
