"""Measures of groups as samples, and of the rest of each group: tables, means and rankings of the same rows.

Tables and sums of a rest are those of all cases less the group's; its rankings are ranked again.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.options import REST
from evalcore.evaluation.statistics.case_tallies import tallied
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference.cells import FRACTIONS, cells_of_sums, trials_of, trials_of_estimates
from evalcore.inference.contrasts import UNIT_LIMITS, Samples, spread_of_clusters, trials_of_variances
from evalcore.inference.decisions import DecisionMeasure
from evalcore.inference.intervals import effective_trials_of_areas
from evalcore.inference.rankings import AREA, RankedSample, rank_sample, rankings
from evalcore.inference.units import Units, unbiasing
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

MOST_IN_PAIRS = 300
"""Groups of which all pairs are compared."""


class ComparedGroups(NamedTuple):
    """The cases of groups that are compared: sample i is group i, and sample g + i the rest of group i."""

    cases: PairedCases
    groups: GroupedRows
    against: str
    """`REST`, `ALL` or the name of a group."""
    level: float

    @property
    def names(self) -> list[str]:
        """The names of the groups, (g,)."""
        return [*self.groups.labels]

    @property
    def has_rests(self) -> bool:
        """Whether the rests of groups are compared.  O(1)."""
        return self.against == REST

    def rows_of(self, sample: int) -> slice | IntArray:
        """Return the rows of a sample.  O(n)."""
        code = self.groups.named[sample % len(self.names)]
        if sample < len(self.names):
            return self.groups.rows_of(self.names[sample])
        return np.flatnonzero(self.groups.numbers != code)

    @property
    def samples(self) -> range:
        """The indices of all samples, (s,)."""
        return range((1 + self.has_rests) * len(self.names))

    def chosen(self, of_groups: AnyArray) -> AnyArray:
        """Return what is added up over samples, (s, ...), from what is over all groups by their codes.  O(g)."""
        own = of_groups[self.groups.named]
        return np.concatenate([own, of_groups.sum(axis=0) - own]) if self.has_rests else own

    def clustered(
        self, units: Units, influence: Callable[[int], FloatArray]
    ) -> tuple[Callable[[int], tuple[FloatArray, BoolArray]], FloatArray, FloatArray]:
        """Return what clusters add to samples, and the variances and degrees of freedom of each, (s,).  O(s n).

        influence: returns the influence values of the rows of a sample.
        """
        clusters, of_clusters = units.members

        @lru_cache(MOST_IN_PAIRS)
        def contributions(sample: int) -> tuple[FloatArray, BoolArray]:
            own = clusters[self.rows_of(sample)]
            sums = np.bincount(own, influence(sample), of_clusters.size).astype(np.float64, copy=False)
            return sums, np.bincount(own, minlength=of_clusters.size) > 0

        each = (spread_of_clusters(sums[present]) for sums, present in map(contributions, self.samples))
        variances, freedom = np.array([(one.variances[0], one.freedom[0]) for one in each]).T
        return contributions, variances, freedom


def table_samples(
    compared: ComparedGroups,
    codes: AnyArray,
    shape: tuple[int, ...],
    measure: DecisionMeasure,
    name: str,
    *,
    limits: tuple[float, float],
) -> Samples:
    """Return a measure of tables of each sample; codes: the cell of each row, (n,); shape: of a table.

    limits: of the measure.  O(n + s cells), with clusters O(s n).
    """
    cases, cells, contributions = compared.cases, int(np.prod(shape)), None
    places, count = compared.groups.codes * cells + codes, compared.groups.count
    if cases.weights.sums is not None:  # of several cases
        found = tallied(places, cases.weights, count * cells).sums
    else:
        units = cases.units()
        found = units.sums(places, count * cells)
    own = cells_of_sums(
        WeightSums(*(compared.chosen(each.reshape(count, *shape)).astype(np.float64) for each in found))
    )
    values, derivatives, fraction = (
        np.asarray(measure.formula(own.table)),
        measure.derivatives(own.table),
        name in FRACTIONS,
    )
    trials, (variances, freedom) = trials_of_estimates(own, values, derivatives, limits)
    if fraction:
        _, trials, _ = trials_of(own, FRACTIONS[name], compared.level)
        freedom = np.full(values.shape, np.inf)
    if cases.clusters is not None:

        def influence(sample: int) -> FloatArray:
            rows = compared.rows_of(sample)
            return np.asarray(derivatives[sample].ravel()[codes[rows]] * units.amounts[rows])

        contributions, variances, freedom = compared.clustered(units, influence)
        trials = np.minimum(trials, trials_of_variances(values, variances, limits))
    return Samples(values, variances, freedom, trials, limits, fraction, contributions)


def mean_samples(compared: ComparedGroups, values: FloatArray) -> Samples:
    """Return the weighted mean of values of rows, (n,), in each sample.  O(n), with clusters O(s n)."""
    cases, units = compared.cases, compared.cases.units()
    amounts = units.amounts.astype(np.float64)
    squares = amounts if units.are_frequencies else np.square(amounts)
    centre = np.average(values, weights=amounts)
    near = values - centre  # what is subtracted below is then small
    columns = (amounts, amounts * near, squares, squares * near, squares * np.square(near))
    codes, count = compared.groups.codes, compared.groups.count
    total, first, weight, second, third = (compared.chosen(np.bincount(codes, each, count)) for each in columns)
    means = np.asarray(ratio(first, total))
    scatter = np.asarray(ratio(third - 2 * means * second + np.square(means) * weight, np.square(total)))
    freedom = np.maximum(ratio(np.square(total), weight) - 1, 1.0)
    cases_of = compared.chosen(np.bincount(codes, amounts if units.are_frequencies else None, count))
    variances, contributions = scatter * unbiasing(cases_of.astype(np.float64)), None
    if cases.clusters is not None:

        def influence(sample: int) -> FloatArray:
            rows = compared.rows_of(sample)
            return np.asarray((near[rows] - means[sample]) / total[sample] * units.amounts[rows])

        contributions, variances, freedom = compared.clustered(units, influence)
    return Samples(means + centre, variances, freedom, variances, None, contributions=contributions)


def ranking_samples(compared: ComparedGroups, scores: ScoreArray, name: str) -> Samples:
    """Return the ROC AUC or average precision of each sample.  O(n log n), with rests O(g n log n)."""
    cases, groups, count = compared.cases, compared.groups, len(compared.names)
    parts: list[tuple[PairedCases, ScoreArray, GroupLayout | None, Units, IntArray]] = [
        (cases, scores, groups.layout, cases.units(groups.of_rows, groups.count), groups.indices)
    ]
    for rows in map(compared.rows_of, compared.samples[count:]):
        rest = cases.where(rows)
        parts.append((rest, scores[rows], None, rest.units(), np.zeros(1, np.int64)))
    columns, changes, contributions = [], list[FloatArray](), None
    for own, own_scores, layout, units, index in parts:
        found = rankings(own.positive, [own_scores], units, [name], layout)[name]
        spread = found.spread([[1]])
        every = found.values[0], spread.variances[0], spread.freedom[0], found.smaller([0])
        columns.append([each[index] for each in every])
        if cases.clusters is not None:
            changes.append(rank_sample(own_scores, RankedSample(own.positive, units, layout), [name]).rows[name])
    values, variances, freedom, smaller = map(np.concatenate, zip(*columns, strict=True))
    if cases.clusters is not None:

        def influence(sample: int) -> FloatArray:
            return changes[0][compared.rows_of(sample)] if sample < count else changes[1 + sample - count]

        contributions, _, _ = compared.clustered(cases.units(), influence)
    if name == AREA:
        trials = np.asarray(effective_trials_of_areas(values, variances, smaller))
    else:
        trials = np.where(variances > 0, trials_of_variances(values, variances, UNIT_LIMITS), smaller)
    return Samples(values, variances, freedom, trials, contributions=contributions)
