"""Measures of groups as samples, and of the rest of each group: tables, means and rankings of the same rows.

Tables and sums of a rest are those of all cases less the group's; its rankings are ranked again.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.options import REST
from evalcore.evaluation.statistics.case_tallies import tallied
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference.cells import FRACTIONS, cells_of_sums, trials_of, trials_of_estimates
from evalcore.inference.contrasts import (
    Samples,
    area_samples,
    precision_samples,
    spread_of_clusters,
    trials_of_variances,
)
from evalcore.inference.decisions import DecisionMeasure
from evalcore.inference.intervals import ROUNDING
from evalcore.inference.means import mean_sample
from evalcore.inference.ranked_samples import AREA, RankedSample, rank_sample
from evalcore.inference.rankings import rankings
from evalcore.inference.units import Units
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray

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

    def parts(self) -> Iterator[tuple[Any, PairedCases, Units, GroupLayout | None, IntArray]]:
        """Yield all rows in groups, then those of each rest: rows, cases, units, layout, and the indices of samples."""
        cases, groups = self.cases, self.groups
        yield slice(None), cases, cases.units(groups.of_rows, groups.count), groups.layout, groups.indices
        for rows in map(self.rows_of, self.samples[len(self.names) :]):
            rest = cases.where(rows)
            yield rows, rest, rest.units(), None, np.zeros(1, np.int64)

    def chosen(self, of_groups: AnyArray) -> AnyArray:
        """Return what is added up over samples, (s, ...), from what is over all groups by their codes.  O(g)."""
        own = of_groups[self.groups.named]
        return np.concatenate([own, of_groups.sum(axis=0) - own]) if self.has_rests else own

    def clustered(
        self, units: Units, influence: Callable[[int], FloatArray]
    ) -> tuple[Callable[[int], tuple[FloatArray, FloatArray]], FloatArray, FloatArray]:
        """Return how samples change without each cluster, and their variances and degrees of freedom, (s,).  O(s n).

        influence: returns the influence values of the rows of a sample.
        """
        clusters, of_clusters = units.members

        @lru_cache(MOST_IN_PAIRS)
        def contributions(sample: int) -> tuple[FloatArray, FloatArray]:
            rows = self.rows_of(sample)
            columns = influence(sample), units.amounts[rows]
            sums, weights = (np.bincount(clusters[rows], each, of_clusters.size).astype(np.float64) for each in columns)
            parts = weights / weights.sum()
            return np.asarray(ratio(sums, 1 - parts)), parts

        each = (spread_of_clusters(*own) for own in map(contributions, self.samples))
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
    return Samples(values, variances, freedom, trials, limits, fraction, contributions=contributions)


def mean_samples(compared: ComparedGroups, values: FloatArray) -> Samples:
    """Return the weighted mean of values of rows, (n,), in each sample.  O(n), with rests O(g n)."""
    columns, units, contributions = list[list[FloatArray]](), compared.cases.units(), None
    for rows, _, own, _, index in compared.parts():
        sample, chosen = mean_sample(own), values[rows].__getitem__
        sums = sample.sums(chosen)
        columns.append([each[index] for each in (sample.means(sums), *sample.spread(chosen, sums))])
    means, variances, freedom = map(np.concatenate, zip(*columns, strict=True))
    if compared.cases.clusters is not None:

        def influence(sample: int) -> FloatArray:
            rows = compared.rows_of(sample)
            amounts = units.amounts[rows].astype(np.float64)
            return np.asarray((values[rows] - means[sample]) * (amounts / amounts.sum()))

        contributions, variances, freedom = compared.clustered(units, influence)
    variances = np.where(np.sqrt(variances) > ROUNDING, variances, np.nan)  # as of `intervals_of_means`
    return Samples(means, variances, freedom, variances, None, contributions=contributions)


def ranking_samples(compared: ComparedGroups, scores: ScoreArray, name: str) -> Samples:
    """Return the ROC AUC or average precision of each sample.  O(n log n), with rests O(g n log n)."""
    columns, changes, contributions = list[list[FloatArray]](), list[FloatArray](), None
    for rows, own, units, layout, index in compared.parts():
        if not own.positive.size:  # the group holds all cases
            columns.append([np.full(1, np.nan)] * (5 if name == AREA else 4))
            changes.append(np.empty(0))
            continue
        given = own.positive, [scores[rows]], units, [name], layout
        estimates = rankings(*given)[name]
        spread = estimates.spread([[1]])
        others = (estimates.smaller([0]), estimates.cases) if estimates.losses is None else (estimates.losses[0],)
        every = estimates.values[0], spread.variances[0], spread.freedom[0], *others
        columns.append([each[index] for each in every])
        if own.clusters is not None:
            changes.append(rank_sample(scores[rows], RankedSample(own.positive, units, layout), [name]).rows[name])
    if compared.cases.clusters is not None:
        count = len(compared.names)

        def influence(sample: int) -> FloatArray:
            return changes[0][compared.rows_of(sample)] if sample < count else changes[1 + sample - count]

        contributions, _, _ = compared.clustered(compared.cases.units(), influence)
    found = map(np.concatenate, zip(*columns, strict=True))
    return (area_samples if name == AREA else precision_samples)(*found)._replace(contributions=contributions)
