"""Differences of scores that are added up part by part: exact but for those of ranks, which may be certified."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.batched.grouped_summaries import SummaryLimits
from evalcore.comparison.differences.case_differences import FoundDifferences, decisions_at, differences_of, units_of
from evalcore.comparison.differences.certified_ranks import AreaTest, CertifiedRanks, RankErrors
from evalcore.comparison.differences.class_moments import (
    ClassMoments,
    PartClusters,
    PartGroups,
    class_moments,
    with_groups,
)
from evalcore.comparison.differences.cluster_sums import ClusterSquares
from evalcore.comparison.differences.clustered_area_parts import ClusteredAreaSums
from evalcore.comparison.differences.ranked_differences import AREA, PRECISION
from evalcore.comparison.measure_names import LOSSES, RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference.decisions.paired_decisions import PairedDecisions
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import MOST_LEFT_OUT, SamplingUnits
from evalcore.kernels.ratios import ratio
from evalcore.kernels.threshold_counts import are_at_or_above
from evalcore.kernels.weight_sums import WeightSums, weight_sums
from evalcore.measures.decision_derivatives import DIFFERENTIABLE
from evalcore.measures.probability_losses import are_probabilities
from evalcore.typing import FloatArray, IntArray


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

    def influence(
        self, differences: FloatArray, codes: IntArray, factors: FloatArray, *, known_prevalence: bool
    ) -> FloatArray:
        """Return what cases of weight 1 add to the difference of the means, (n,).  O(n).

        differences: of losses, (n,); codes: of `PartGroups.of_classes`, (n,).
        """
        moments = self.moments.scaled(factors)
        totals = moments.totals.sum(axis=1)
        means = ratio(moments.sums.sum(axis=1), totals)
        about = moments.means if known_prevalence else np.repeat(means, 2)
        return np.asarray((differences - about.ravel()[codes]) / totals[codes // 2])


class AddedDifferences:
    """What the cases of all parts add up to in each of g groups, or in a single one.

    Parts are added by `add`, one after the other; then `measure` is called, and they are added again by `add_errors`.
    """

    def __init__(
        self,
        measures: Sequence[ComparedMeasure],
        question: CompareQuestion,
        limits: SummaryLimits,
        columns: Sequence[str] = (),
    ) -> None:
        self.classes = WeightSums(*np.zeros((3, 0, 2)))
        """Sums over the positives and the negatives of each group, (g, 2)."""
        self.of_probabilities = True
        asked = {each.measure for each in measures}
        self.ranks = CertifiedRanks([name for name in RANKED if name in asked], limits, columns)
        self._measures = measures
        self._weighting = question.weighting
        self._level = question.level
        self._area_method = question.area_method
        self._factors = np.ones(2)
        self._losses: dict[tuple[str, str], _AddedLosses] = {}
        """By model and loss."""
        self._cells: dict[tuple[str, float], WeightSums] = {}
        """By model and threshold, (g, 2, 2, 2)."""
        self.clusters: FloatArray | None = None
        """The number of clusters of each group, (g,); None where each case is its own."""
        self._variances: dict[tuple[str, ComparedMeasure], FloatArray] = {}
        """Where there are clusters, of differences, by new model and measure, (g,)."""
        self._areas = ClusteredAreaSums()
        self._of_areas = ClusterSquares(*np.zeros((3, 0)))
        self._models: Sequence[str] = ()
        """The new ones, where there are clusters."""

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
        self.ranks.measure(factors, known_prevalence=self._known)

    def add_errors(self, cases: PairedCases, groups: PartGroups) -> None:
        """Add what the errors of measures of ranks need of the cases of a part.  O(k n log n)."""
        self.ranks.add_errors(cases, groups)

    def add_clusters(self, cases: PairedCases, groups: PartGroups, clusters: PartClusters) -> list[FloatArray]:
        """Return what the cases of a part add to all differences, (n,) each, of which clusters have the sums.

        Then what positives and negatives add to those of areas, and whether cases are of either class.  O(k n log n).
        """
        weights: FloatArray = np.where(cases.positive, self._factors[0], self._factors[1])
        if cases.weights is not None:
            weights *= cases.weights.values
        of_ranks = self.ranks.influence(cases, groups) if self.ranks.names else {}
        if PRECISION in self.ranks.names:
            self.ranks.add_left_out(cases, groups, clusters)
        found = []
        for model, measure in self._compared(cases.new):
            if measure.measure == PRECISION:
                found.append(weights * (of_ranks[model, PRECISION] - of_ranks[cases.old, PRECISION]))
            else:
                found.append(weights * self._influence(cases, groups, model, measure))
        if AREA in self.ranks.names:
            areas = {model: weights * of_ranks[model, AREA] for model in cases.scores}
            frequencies = None if cases.weights is None else cases.weights.frequencies
            found += self._areas.add(areas, cases.positive, weights, groups, frequencies)
        return found

    def take_clusters(self, found: ClusterSquares, models: Sequence[str]) -> None:
        """Take what the sums over clusters come to, after the second pass; models: the new ones."""
        self.clusters = found.clusters
        compared = self._compared(models)
        self._variances = dict(zip(compared, found.variances, strict=False))  # those of areas stand behind
        of_areas = (column[len(compared) :] for column in (found.squares, found.present))
        self._of_areas, self._models = ClusterSquares(found.clusters, *of_areas), models

    def differences(self, measures: Sequence[ComparedMeasure], old: str, new: str) -> FoundDifferences:
        """Return the differences of two models in each group, not judged yet.  O(g)."""
        found = {measure: self._difference(measure, old, new) for measure in measures}
        return {
            measure: self.ranks.with_certain_bounds(measure.measure, old, new, each)
            if measure.measure in RANKED
            else each
            for measure, each in found.items()
        }

    @property
    def _known(self) -> bool:
        return self._weighting.target_prevalence is not None

    def _compared(self, models: Sequence[str]) -> list[tuple[str, ComparedMeasure]]:
        """Return the new models with the measures that all scores have, without areas."""
        left_out = {AREA, *(() if self.of_probabilities else LOSSES)}
        measures = [each for each in self._measures if each.measure not in left_out]
        return [(model, measure) for model in models for measure in measures]

    def _influence(self, cases: PairedCases, groups: PartGroups, model: str, measure: ComparedMeasure) -> FloatArray:
        """Return what each case of weight 1 adds to the difference of a loss or a measure of decisions, (n,).  O(n)."""
        codes = groups.of_classes(cases.positive)
        scores = cases.scores[cases.old], cases.scores[model]
        if measure.measure in LOSSES:
            old, new = (cases.losses(measure.measure, each) for each in scores)
            losses = self._losses[model, measure.measure]
            return losses.influence(new - old, codes, self._factors, known_prevalence=self._known)
        assert measure.threshold is not None
        rejected = [~are_at_or_above(each, measure.threshold) for each in scores]
        derivatives = self._decisions(model, measure.threshold).derivatives(measure.measure, measure.threshold)
        return np.asarray(derivatives.ravel()[4 * codes + 2 * rejected[0] + rejected[1]])

    def _decisions(self, model: str, threshold: float) -> PairedDecisions:
        cells = self._cells[model, threshold].scaled(self._factors.reshape(2, 1, 1))
        whole = self.clusters is None and not self._weighting.of_samples
        return PairedDecisions(cells, SamplingUnits(self.sizes), None, whole, self._known)

    def _difference(self, measure: ComparedMeasure, old: str, new: str) -> list[MeasureDifference]:
        level, errors = self._level, None
        freedom = np.full(self.sizes.shape, np.inf) if self.clusters is None else self.clusters - 1
        if measure.measure == AREA:
            return self._area_difference(measure, old, new, freedom)
        if self.clusters is not None:
            errors = np.sqrt(self._variances[new, measure])
        if measure.measure == PRECISION:
            return self._precision_difference(measure, (old, new), errors, freedom)
        if measure.measure in LOSSES:
            estimates = self._losses[new, measure.measure].estimates(
                self._factors, self.sizes, known_prevalence=self._known
            )
            estimates = estimates if errors is None else estimates._replace(errors=errors)
            compared = compare_normal(estimates, level, "paired-normal", np.inf, freedom)
            return differences_of(measure, compared, estimates.errors, freedom)
        assert measure.threshold is not None
        decisions = self._decisions(new, measure.threshold)
        decided = decisions.compare(measure.measure, level, measure.threshold, errors=errors, freedom=freedom)
        return differences_of(measure, *decided, freedom)

    def _area_difference(
        self, measure: ComparedMeasure, old: str, new: str, freedom: FloatArray
    ) -> list[MeasureDifference]:
        if self.clusters is None:
            found = self.ranks.area_pairs(old, new, self.classes, self._factors)
        else:
            index, areas = list(self._models).index(new), self.ranks.areas(old, new)
            found = self._areas.pairs(self._of_areas, index, (new, old), areas)
        test = AreaTest(self._level, self._area_method)
        return self.ranks.area_differences(measure, (old, new), found, freedom, test)

    def _precision_difference(
        self, measure: ComparedMeasure, models: tuple[str, str], errors: FloatArray | None, freedom: FloatArray
    ) -> list[MeasureDifference]:
        few = None
        if errors is None or self.clusters is None:
            errors = self.ranks.precision_errors(models[1], self.classes, self._factors)
        else:
            left_out = self.ranks.errors_left_out(*models, self.clusters, self._factors, known_prevalence=self._known)
            few = self.clusters <= MOST_LEFT_OUT
            errors = np.where(few, left_out, errors)
        return self.ranks.differences(measure, models, RankErrors(errors, freedom, few), self._level)


def _sums(one: WeightSums, other: WeightSums) -> WeightSums:
    """Add up the sums over groups, of which one side may have more.  O(g)."""
    return WeightSums(*(_sum(first, second) for first, second in zip(one, other, strict=True)))


def _sum(one: FloatArray, other: FloatArray) -> FloatArray:
    count = max(len(one), len(other))
    return with_groups(one, count) + with_groups(other, count)
