"""Net benefit beside the decisions of a report, where scores are probabilities."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.inference.decision_curves import net_benefit_intervals
from evalcore.inference.intervals import Interval
from evalcore.kernels.grouping import groups_of_rows, scaled_by_group
from evalcore.kernels.tables import BinaryCounts, binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, scaled_weights
from evalcore.measures.losses import are_probabilities
from evalcore.measures.thresholds import net_benefits
from evalcore.report.catalogue import statistic
from evalcore.report.model import Section
from evalcore.report.statistics.grouped_statistics import decision_cells
from evalcore.report.statistics.groups import GroupedRows
from evalcore.report.weighting import RowWeights
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

_READ = "threshold", *BinaryCounts._fields


class SampledRows(NamedTuple):
    """Rows with sampling weights, (n,) each, whose squares intervals need."""

    positive: BoolArray
    scores: Mapping[str, ScoreArray]
    weights: RowWeights
    groups: GroupedRows | None

    def decisions(self, model: str, threshold: float) -> WeightSums:
        """Return the sums over tp, fn, fp and tn in each group and in all rows, (4, g + 1).  O(n)."""
        codes = binary_codes(self.positive, are_at_or_above(self.scores[model], threshold)).astype(np.int64)
        weights = self.weights.values.astype(np.float64, copy=False)
        every = decision_cells(codes, scaled_weights(weights)[0], 1, frequencies=False)
        if self.groups is None:
            return every
        groups, count = groups_of_rows(self.groups.layout), self.groups.layout.groups.size
        weights = scaled_by_group(weights, groups, count)[0]
        own = decision_cells(codes + 4 * groups, weights, count, frequencies=False)
        named = own.at((slice(None), np.array([*self.groups.names.values()], np.int64)))
        return WeightSums(*(np.concatenate(pair, axis=1) for pair in zip(named, every, strict=True)))


def probabilities(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of scores, (n,) each, that are all between 0 and 1.  O(n) for each.

    >>> list(probabilities({"a": np.array([0.0, 1.0]), "b": np.array([-1.0, 0.5])}))
    ['a']
    """
    return {name: column for name, column in scores.items() if are_probabilities(column)}


class _Decided(NamedTuple):
    """The decisions of the records of a section, (r,) each."""

    models: Sequence[str]
    thresholds: FloatArray
    counts: FloatArray
    """True positives, false negatives, false positives and true negatives, or their weights, shape (4, r)."""

    @property
    def within(self) -> BoolArray:
        """Whether thresholds are above 0 and below 1, (r,).  O(r)."""
        return (self.thresholds > 0) & (self.thresholds < 1)


def with_net_benefits(
    sections: Iterable[Section],
    probabilities: Collection[str],
    level: float | None = None,
    rows: SampledRows | None = None,
) -> list[Section]:
    """Return sections of scores whose records of decisions end with their net benefit, if a threshold can have one.

    probabilities: the columns of scores that are; level: of intervals, if there are any; rows: of sampling weights, for
    their intervals.  It is NaN where scores are no probabilities, or a threshold is not above 0 and below 1.
    O(records), O(n) for each model and threshold with sampling weights.
    """
    given = list(sections)
    found = [_decided(section) for section in given]
    if not any(each is not None and each.within.any() for each in found):
        return given
    return [
        section if each is None else _completed(section, each, probabilities, level, rows)
        for section, each in zip(given, found, strict=True)
    ]


def _decided(section: Section) -> _Decided | None:
    """Return the decisions of a section, if it holds any.  O(records)."""
    names = [item.name for item in next(iter(section.records.values()), ())]
    if not set(_READ).issubset(names):
        return None
    indices = [names.index(name) for name in _READ]
    numbers = np.array([[items[index].value for index in indices] for items in section.records.values()], np.float64)
    models = [*section.records] if section.whole is None else [section.name] * len(section.records)
    return _Decided(models, numbers[:, 0], numbers[:, 1:].T)


def _completed(
    section: Section,
    decided: _Decided,
    probabilities: Collection[str],
    level: float | None,
    rows: SampledRows | None,
) -> Section:
    valid = np.flatnonzero(decided.within & np.array([model in probabilities for model in decided.models], np.bool_))
    counts = decided.counts[:, valid]
    values = np.full(decided.thresholds.size, np.nan)
    values[valid] = net_benefits(WeightSums(counts, counts, counts), decided.thresholds[valid])
    intervals: list[Interval | None] = [None] * values.size
    if level is not None and valid.size:
        found = _intervals(section, decided, valid, level, rows)
        for index, interval in zip(valid.tolist(), found, strict=True):
            intervals[index] = interval
    numbers = (np.nan if np.isnan(value) else value for value in values.tolist())  # mappings take one NaN for equal
    items = (statistic("net_benefit", *pair) for pair in zip(numbers, intervals, strict=True))
    return section._replace(records={name: [*own, next(items)] for name, own in section.records.items()})


def _intervals(
    section: Section, decided: _Decided, valid: IntArray, level: float, rows: SampledRows | None
) -> list[Interval]:
    """Return the intervals of valid records, by their indices, (v,).  O(v), O(n) for each model of sampled rows."""
    thresholds, counts = decided.thresholds[valid], decided.counts[:, valid]
    if rows is None:
        return net_benefit_intervals(WeightSums(counts, counts, counts), thresholds, level).each(level)
    if section.whole is None:
        each = [rows.decisions(decided.models[index], float(decided.thresholds[index])) for index in valid.tolist()]
        decisions = WeightSums(*(np.concatenate(columns, axis=1) for columns in zip(*each, strict=True)))
    else:
        decisions = rows.decisions(section.name, float(thresholds[0]))
    found = net_benefit_intervals(decisions, thresholds, level).each(level)
    if rows.weights.weighting.target_prevalence is None:
        return found
    known = net_benefit_intervals(decisions, thresholds, level, known_prevalence=True).each(level)
    return known if section.whole is None else [*found[:-1], known[-1]]  # the prevalence of a group is not known
