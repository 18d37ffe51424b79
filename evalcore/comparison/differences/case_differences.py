"""Differences of what is measured case by case, decisions and losses, in all groups of cases at once."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from evalcore.comparison.measure_names import LOSSES, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.cells import Cells
from evalcore.inference.classifiers import compare_decisions, paired_decisions
from evalcore.inference.intervals import Comparison, PairedEstimates, compare_normal
from evalcore.inference.units import Units, units_of
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.multiclass import DIFFERENTIABLE
from evalcore.typing import FloatArray, IntArray, ScoreArray

FoundDifferences: TypeAlias = dict[ComparedMeasure, list[MeasureDifference]]
"""By measure, the difference in each of g groups, or in all cases as the only one; not judged yet."""


def units_of_cases(cases: PairedCases, groups: IntArray | None = None, count: int = 1) -> Units:
    """Return what is drawn by chance; groups: the group of each case, (n,) in 0 .. count - 1.  O(n)."""
    frequencies = cases.frequencies is not None
    return units_of(
        cases.positive.size,
        weights=cases.amounts,
        are_frequencies=frequencies,
        clusters=cases.clusters,
        groups=groups,
        count=count,
    )


def within_classes(values: FloatArray, cases: PairedCases, units: Units) -> FloatArray:
    """Return influence values, (n,), without what the prevalence adds where it is known, not estimated.  O(n)."""
    weights = cases.amounts
    if weights is None or not cases.has_known_prevalence:
        return values
    codes = cases.positive + 2 * (np.zeros(values.size, np.int64) if units.groups is None else units.groups)
    means = np.asarray(ratio(np.bincount(codes, values), np.bincount(codes, weights)))
    return np.asarray(values - weights * means[codes])


def differences_of(
    measure: ComparedMeasure, comparisons: Iterable[Comparison], errors: FloatArray, freedom: FloatArray
) -> list[MeasureDifference]:
    """Return the differences of a measure in g groups; errors, freedom: (g,).  O(g)."""
    name, title, lower = measure.name, measure.title, measure.lower_is_better
    return [
        MeasureDifference(name, title, found, error, lower, freedom=own)
        for found, error, own in zip(comparisons, errors.tolist(), freedom.tolist(), strict=True)
    ]


def case_differences(
    cases: PairedCases, units: Units, measures: Sequence[ComparedMeasure], level: float
) -> list[FoundDifferences]:
    """Compare each new model with the old one by those measures that are of decisions or losses.  O(k n) for k."""
    found: list[FoundDifferences] = [{} for _ in cases.new]
    decided = [measure for measure in measures if measure.measure in DIFFERENTIABLE]
    for threshold in dict.fromkeys(measure.threshold for measure in decided):
        assert threshold is not None
        at_threshold = [measure for measure in decided if measure.threshold == threshold]
        for model, decisions in zip(found, decisions_at(cases, units, threshold), strict=True):
            for measure in at_threshold:
                pair = compare_decisions(decisions, measure.measure, level, threshold)
                model[measure] = differences_of(measure, *pair, units.freedom)
    for measure in measures:
        if measure.measure in LOSSES:
            for model, estimates in zip(found, _losses(cases, units, measure.measure), strict=True):
                compared = compare_normal(estimates, level, "paired-normal", np.inf, units.freedom)
                model[measure] = differences_of(measure, compared, estimates.errors, units.freedom)
    return found


def decisions_at(cases: PairedCases, units: Units, threshold: float) -> list[Cells]:
    """Add up what the old model and each new one decide at a threshold.  O(k n) for k models."""
    old, *others = (are_at_or_above(scores, threshold) for scores in cases.scores.values())
    known = cases.has_known_prevalence
    return [paired_decisions(cases.positive, old, new, units, known_prevalence=known) for new in others]


def _losses(cases: PairedCases, units: Units, name: str) -> list[PairedEstimates]:
    """Return the mean losses of the old and of each new model in each group, (g,).  O(k n) for k models.

    Losses are found twice, for their means and for their deviations from these: all cases need the memory of a block.
    """
    strata, groups = units, units.sizes.size
    if cases.has_known_prevalence:  # only losses within classes vary
        codes = cases.positive + 2 * (0 if units.groups is None else units.groups)
        strata = units._replace(groups=codes, sizes=np.ones(2 * groups))
    totals = strata.totals(lambda rows: np.ones(cases.positive[rows].size))
    every = totals.reshape(groups, -1).sum(axis=1)
    found, (old_sums, *others) = (
        [],
        [strata.totals(partial(cases.losses, name, scores)) for scores in cases.scores.values()],
    )
    old, *models = cases.scores.values()
    for new, sums in zip(models, others, strict=True):
        means = np.asarray(ratio(sums - old_sums, totals))

        def influence(rows: slice, new: ScoreArray = new, means: FloatArray = means) -> FloatArray:
            changes = cases.losses(name, new, rows) - cases.losses(name, old, rows)
            changes -= means[0] if strata.groups is None else means[strata.groups[rows]]
            changes /= every[0] if units.groups is None else every[units.groups[rows]]
            return units.weighted(changes, rows)

        new_mean, old_mean = (each.reshape(groups, -1).sum(axis=1) / every for each in (sums, old_sums))
        found.append(PairedEstimates(new_mean, old_mean, np.sqrt(units.spread(influence))))
    return found
