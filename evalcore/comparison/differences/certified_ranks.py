"""Differences of measures of ranks in tables that are read in parts, twice: certified, with standard errors.

The first time the scores of each group are summarised.  Then what each case adds to a measure is known from the
summaries, and the second time its squares are added up.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.batched.grouped_summaries import SummaryLimits, within_limits
from evalcore.batched.summaries import ColumnSummaries, measures_of
from evalcore.comparison.differences.case_differences import differences_of
from evalcore.comparison.differences.class_moments import ClassMoments, PartClusters, PartGroups, class_moments
from evalcore.comparison.differences.left_out_clusters import JACKKNIFE, LINEARISED
from evalcore.comparison.differences.left_out_parts import BYTES_OF_AN_ENTRY, LeftOutClusters, variance_left_out
from evalcore.comparison.differences.ranked_differences import AREA, PRECISION
from evalcore.comparison.differences.summarised_influence import SummarisedInfluence, summarised_influence
from evalcore.comparison.measure_names import RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.errors import EvaluationError
from evalcore.inference.areas.roc_area_differences import PairedAreas, compare_areas
from evalcore.inference.distributions import reach_of
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_estimates import ROUNDING, PairedEstimates, compare_normal
from evalcore.inference.sampling_units import MOST_LEFT_OUT, SamplingUnits
from evalcore.io.memory import shown_size
from evalcore.kernels.grouped_keys import group_layout, rows_of_groups
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures.effective_cases import smaller_class
from evalcore.typing import BoolArray, FloatArray, IntArray

METHOD = "certified"
_ALONE = "alone"
"""In place of a measure: the area of a model by itself."""
_FEWEST_LEFT_OUT, _MOST_LEFT_OUT = 16, 1 << 11
"""Intervals of scores for average precisions without each of few clusters."""


class RankErrors(NamedTuple):
    """Standard errors of the differences of a measure in g groups."""

    errors: FloatArray
    freedom: FloatArray
    """Their degrees of freedom."""
    left_out: BoolArray | None = None
    """Whether they are the jackknife's; None if none is."""


class AreaTest(NamedTuple):
    """How areas are compared."""

    level: float
    method: str
    """One of `DIFFERENCE_METHODS`."""


class CertifiedRanks:
    """Summaries of the scores of each group, and what they say of differences between models."""

    def __init__(self, names: Sequence[str], limits: SummaryLimits, columns: Sequence[str] = ()) -> None:
        self.names = names
        """Of measures of ranks."""
        self._limits = limits
        self._columns = columns
        """Of the groups, for errors."""
        self._capacity = limits.capacity
        self._groups: list[ColumnSummaries] = []
        self._influence: list[dict[str, SummarisedInfluence]] = []
        """Of each group, by model."""
        self._values: dict[str, FloatArray] = {}
        """By model, the value, the lower and the upper bound of both measures of `RANKED`, (3, 2, g)."""
        self._moments: dict[tuple[str, str], ClassMoments] = {}
        """By model and measure."""
        self._left_out: list[LeftOutClusters] = []
        """Of each group."""

    def add(self, cases: PairedCases, groups: PartGroups) -> None:
        """Summarise the scores of a part.  O(k n log n) for k models."""
        missing = range(len(self._groups), groups.number)
        self._groups += [ColumnSummaries(cases.scores, self._capacity) for _ in missing]
        own = None if cases.weights is None else cases.weights.values
        for group, rows in _rows_of_each(groups):
            weights = None if own is None else own[rows]
            scores = {model: values[rows] for model, values in cases.scores.items()}
            self._groups[group].update(cases.positive[rows], scores, weights)
            for model in scores:
                self._groups[group].settle(model)  # waiting cases would take the memory of the next part
        self._groups, self._capacity = within_limits(self._groups, self._capacity, self._limits, self._columns)

    def measure(self, factors: FloatArray, *, known_prevalence: bool) -> None:
        """Measure all groups after the first pass; factors: of the weights of both classes, (2,).  O(g k log k).

        known_prevalence: whether the factors shift it, so that it is no estimate.
        """
        found: dict[str, list[list[tuple[float, float, float]]]] = {}
        for group in self._groups:
            influence = {}
            for model, summary in group.scores.items():
                values = measures_of(summary, factors)[: len(RANKED)]
                found.setdefault(model, []).append([(float(each), each.low, each.high) for each in values])
                influence[model] = summarised_influence(summary, self.names, factors, within_classes=known_prevalence)
                group.settle(model)  # frees what the values were read from
            self._influence.append(influence)
        self._values = {model: np.array(values).transpose(2, 1, 0) for model, values in found.items()}

    def influence(self, cases: PairedCases, groups: PartGroups) -> dict[tuple[str, str], FloatArray]:
        """Return what cases of weight 1 add to measures, (n,), by model and measure, in the second pass.  O(k n)."""
        found = {(model, name): np.empty(cases.positive.size) for model in cases.scores for name in self.names}
        for group, rows in _rows_of_each(groups):
            positive = cases.positive[rows]
            for model, scores in cases.scores.items():
                for name, values in self._influence[group][model].of_cases(scores[rows], positive).items():
                    found[model, name][rows] = values
        return found

    def add_errors(self, cases: PairedCases, groups: PartGroups) -> None:
        """Add up the squares of what the cases of a part add to differences, in the second pass.  O(k n log n)."""
        found = self.influence(cases, groups)
        for model, name in found:
            if model != cases.old:
                self._add_moments((model, name), found[model, name] - found[cases.old, name], cases, groups)
            if name == AREA:
                self._add_moments((model, _ALONE), found[model, name], cases, groups)

    def _add_moments(self, key: tuple[str, str], values: FloatArray, cases: PairedCases, groups: PartGroups) -> None:
        moments = class_moments(values, groups.of_classes(cases.positive), groups.number, cases.weights)
        self._moments[key] = self._moments[key].plus(moments) if key in self._moments else moments

    def add_left_out(self, cases: PairedCases, groups: PartGroups, clusters: PartClusters) -> None:
        """Add what average precisions without each of few clusters need, in the second pass.  O(k n log n)."""
        if not self._left_out:
            models = len(cases.scores)
            cells = self._limits.groups // (len(self._groups) * models * 2 * MOST_LEFT_OUT * BYTES_OF_AN_ENTRY)
            cells = min(max(cells, _FEWEST_LEFT_OUT), _MOST_LEFT_OUT)
            self._left_out = [LeftOutClusters(group.scores, cells) for group in self._groups]
        own = None if cases.weights is None else cases.weights.values
        for group, rows in _rows_of_each(groups):
            scores = {model: values[rows] for model, values in cases.scores.items()}
            weights = None if own is None else own[rows]
            of_group = clusters._replace(codes=clusters.codes[rows])
            self._left_out[group].add(of_group, cases.positive[rows], scores, weights)
        if sum(each.bytes for each in self._left_out) > self._limits.groups:
            raise EvaluationError(
                f"average precisions without each of few clusters, in {len(self._groups):,} groups, take more than the "
                f"{shown_size(self._limits.groups)} left for them; allow more memory (--memory SIZE)"
            )

    def errors_left_out(
        self, old: str, new: str, clusters: FloatArray, factors: FloatArray, *, known_prevalence: bool
    ) -> FloatArray:
        """Return the jackknife's errors of differences of average precision, (g,), NaN for many clusters.  O(g u k).

        clusters: number of those of each group, (g,).
        """
        errors = np.full(clusters.size, np.nan)
        for group in np.flatnonzero(clusters <= MOST_LEFT_OUT).tolist():
            values = [
                self._left_out[group].left_out(model, factors, known_prevalence=known_prevalence)
                for model in (old, new)
            ]
            errors[group] = np.sqrt(variance_left_out(values[1] - values[0]))
        return errors

    def precision_errors(self, model: str, classes: WeightSums, scale: FloatArray) -> FloatArray:
        """Return the errors of the differences of average precision, (g,).  O(g).

        classes: sums over both, (g, 2); scale: of their weights, (2,).
        """
        squares = self._moments[model, PRECISION].scaled(scale).about(np.zeros(2)).second.sum(axis=1)
        return np.asarray(np.sqrt(squares * SamplingUnits(classes.cases.sum(axis=1)).factors))

    def area_pairs(self, old: str, new: str, classes: WeightSums, scale: FloatArray) -> PairedAreas:
        """Return what a comparison of areas needs; classes, scale: as of `precision_errors`.  O(g)."""
        factors = SamplingUnits(classes.cases).factors
        moments = (self._moments[key].scaled(scale) for key in ((new, AREA), (new, _ALONE), (old, _ALONE)))
        variances = [(each.about_means * factors).sum(axis=1) for each in moments]
        smaller = smaller_class(WeightSums(*(column.T for column in classes)))
        return PairedAreas(self.areas(old, new), np.array(variances), smaller)

    def areas(self, old: str, new: str) -> FloatArray:
        """Return the areas of the new and of the old model, (2, g).  O(g)."""
        return np.array([self._values[model][0, RANKED.index(AREA)] for model in (new, old)])

    def area_differences(
        self,
        measure: ComparedMeasure,
        models: tuple[str, str],
        found: PairedAreas,
        freedom: FloatArray,
        asked: AreaTest,
    ) -> list[MeasureDifference]:
        """Return the difference of the areas of two models, the old one first, in each group, not judged yet.  O(g).

        Where it is not known exactly, bounds reach as far beyond the certain ones as they would from the estimate, and
        the p-value is that of the certain difference nearest to 0.
        """
        level, method = asked
        low, high = self.certain_bounds(measure.measure, *models)
        wide, old = low < high, found.areas[1]
        known = np.where(wide, found.areas[0] - old, low)
        known[np.abs(known) <= ROUNDING] = 0.0  # equal areas, by rounded weights
        nearest = np.where(wide, np.clip(0.0, low, high), low)
        at_estimate, at_nearest = (
            compare_areas(found._replace(areas=np.array([old + each, old])), level, method, freedom)
            for each in (known, nearest)
        )
        compared = [
            widened(exact, test, bounds) if uncertain else exact
            for exact, test, uncertain, *bounds in zip(
                at_estimate, at_nearest, wide.tolist(), low.tolist(), high.tolist(), strict=True
            )
        ]
        return differences_of(measure, compared, np.sqrt(found.variances[0]), freedom)

    def certain_bounds(self, name: str, old: str, new: str) -> tuple[FloatArray, FloatArray]:
        """Return the bounds between which the difference of a measure certainly lies in each group, (g,).  O(g)."""
        before, after = (self._values[model][:, RANKED.index(name)] for model in (old, new))
        return after[1] - before[2], after[2] - before[1]

    def with_certain_bounds(
        self, name: str, old: str, new: str, found: Sequence[MeasureDifference]
    ) -> list[MeasureDifference]:
        """Return the differences of a measure with their certain bounds, where these are not exact.  O(g)."""
        low, high = self.certain_bounds(name, old, new)
        after = self._values[new][1:, RANKED.index(name)]
        columns = (each.tolist() for each in (*after, low, high))
        return [
            each._replace(certain=((least, most), (less, more))) if less < more else each
            for each, least, most, less, more in zip(found, *columns, strict=True)
        ]

    def differences(
        self, measure: ComparedMeasure, models: tuple[str, str], found: RankErrors, level: float
    ) -> list[MeasureDifference]:
        """Return the difference of two models, the old one first, in each group, not judged yet.  O(g).

        Where the exact difference is not known, bounds and p-value hold wherever it lies.
        """
        errors, freedom, left_out = found
        low, high = self.certain_bounds(measure.measure, *models)
        old, new = (self._values[model][0, RANKED.index(measure.measure)] for model in models)
        exact = ~(low < high)
        differences = np.where(exact, low, new - old)
        differences[(np.abs(differences) <= ROUNDING) & (errors <= ROUNDING)] = 0.0  # equal ranks, by rounded weights
        nearest = np.clip(0.0, low, high)
        tested = compare_normal(PairedEstimates(nearest, np.zeros(nearest.size), errors), level, METHOD, 1.0, freedom)
        reaches = np.array([reach_of(level, each) for each in freedom.tolist()]) * errors
        reaches[np.isnan([each.low for each in tested])] = np.nan
        methods = np.full(exact.size, LINEARISED, object)
        if left_out is not None:
            methods[left_out] = JACKKNIFE
        methods[~exact] = METHOD
        columns = (new, old, differences, np.maximum(low - reaches, -1.0), np.minimum(high + reaches, 1.0), methods)
        compared = []
        for test, (after, before, difference, *bounds, method) in zip(
            tested, zip(*(each.tolist() for each in columns), strict=True), strict=True
        ):
            tests = test.statistic, test.p_value
            compared.append(Comparison((after, before), difference, bounds[0], bounds[1], level, *tests, method))
        return differences_of(measure, compared, errors, freedom)


def widened(found: Comparison, test: Comparison, bounds: Sequence[float]) -> Comparison:
    """Return a comparison whose exact difference is between bounds; test: of the one nearest to 0.  O(1)."""
    reach = max(found.difference - found.low, found.high - found.difference)
    low, high = max(bounds[0] - reach, -1.0), min(bounds[1] + reach, 1.0)
    if np.isnan(reach):
        low = high = reach
    tests = test.statistic, test.p_value
    return Comparison(found.estimates, found.difference, low, high, found.level, *tests, METHOD)


def _rows_of_each(groups: PartGroups) -> Iterator[tuple[int, slice | IntArray]]:
    """Yield the groups that a part has, and their rows.  O(n log n)."""
    if groups.rows is None:
        yield 0, slice(None)
        return
    layout = group_layout(groups.rows, groups.number)
    for index, group in enumerate(layout.groups.tolist()):
        yield group, rows_of_groups(layout, slice(index, index + 1))
