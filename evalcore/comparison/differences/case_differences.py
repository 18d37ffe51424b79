"""Differences of what is measured case by case, decisions and losses, in all groups of cases at once."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from evalcore.comparison.measure_names import LOSSES, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.cells import Cells
from evalcore.inference.classifiers import compare_decisions, paired_decisions
from evalcore.inference.intervals import Comparison, PairedEstimates, compare_normal
from evalcore.inference.units import Units, units_of
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.multiclass import DIFFERENTIABLE
from evalcore.typing import AnyArray, FloatArray, IntArray

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
    """Return the mean losses of the old and of each new model in each group, (g,).  O(k n) for k models."""
    if units.groups is None and units.clusters is None and not cases.has_known_prevalence:
        return _losses_of_all(cases, units, name)
    weights = cases.amounts
    totals = _sums(np.ones(cases.positive.size) if weights is None else weights, units)
    old, *others = (cases.losses(name, scores) for scores in cases.scores.values())
    mean = _sums(_weighted(old, weights), units) / totals
    found = []
    for new in others:
        differences = new - old
        means = _sums(_weighted(differences, weights), units) / totals
        of_rows = (means, totals) if units.groups is None else (means[units.groups], totals[units.groups])
        influence = _weighted((differences - of_rows[0]) / of_rows[1], weights)
        new_mean = _sums(_weighted(new, weights), units) / totals
        found.append(PairedEstimates(new_mean, mean, np.sqrt(units.spread(within_classes(influence, cases, units)))))
    return found


def _losses_of_all(cases: PairedCases, units: Units, name: str) -> list[PairedEstimates]:
    """Return the same of all cases, each its own unit, (1,), in memory of a block.  O(k n) for k models.

    Squares are taken about the mean difference of a block, so that equal losses of both models leave no rounding.
    """
    given = cases.amounts

    def add_up(block: slice) -> list[list[float]]:
        old, *others = (cases.losses(name, scores, block) for scores in cases.scores.values())
        own = squares = None
        total = factors = float(old.size)
        if given is not None:
            own = given[block].astype(np.float64, copy=False)
            squares = own * own if cases.frequencies is None else own * own / cases.frequencies[block]
            total, factors = own.sum(), squares.sum()
        old_sum, found = _weighted(old, own).sum(), []
        for new in others:
            differences = new - old
            mean = _weighted(differences, own).sum() / total
            differences -= mean
            scaled = _weighted(differences, squares)
            new_sum = _weighted(new, own).sum()
            found.append([total, new_sum, old_sum, mean, factors, scaled.sum(), (scaled * differences).sum()])
        return found

    by_block = np.array(map_blocks(add_up, cases.positive.size)).transpose(1, 2, 0)
    found = []
    for totals, new_sums, old_sums, means, *moments in by_block:
        total = totals.sum()
        shifts = means - totals @ means / total
        square = (moments[2] + 2 * shifts * moments[1] + shifts**2 * moments[0]).sum() / total**2
        new_mean, old_mean = (np.array([sums.sum() / total]) for sums in (new_sums, old_sums))
        found.append(PairedEstimates(new_mean, old_mean, np.sqrt(square * units.factors)))
    return found


def _weighted(values: FloatArray, weights: AnyArray | None) -> FloatArray:
    return values if weights is None else values * weights


def _sums(values: AnyArray, units: Units) -> FloatArray:
    """Add up values, (n,), over each group, (g,).  O(n)."""
    if units.groups is None:
        return np.array([np.sum(values, dtype=np.float64)])
    return np.bincount(units.groups, values, units.sizes.size).astype(np.float64, copy=False)
