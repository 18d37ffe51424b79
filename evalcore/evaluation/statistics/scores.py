"""Statistics of score columns against a binary label, with and without weights: of one group of cases as of many."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

import numpy as np

from evalcore.evaluation.cases import PairedCases, RankedCases, ranked_cases
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.model import Columns, Section
from evalcore.evaluation.statistics.case_tallies import Tally, fraction_intervals, joined, stacked, tally_of
from evalcore.evaluation.statistics.clusters import drawn
from evalcore.evaluation.statistics.comparisons import PlacedColumns
from evalcore.evaluation.statistics.decisions import (
    EVERYTHING,
    Asked,
    decisions_in,
    decisions_of,
    section_of,
    section_of_groups,
    values_of_thresholds,
)
from evalcore.evaluation.statistics.groups import GroupedRows, named_records
from evalcore.evaluation.statistics.rankings import Rankings, ranking_columns
from evalcore.evaluation.thresholds import AskedThreshold
from evalcore.evaluation.weighting import COUNTED, EQUAL_WEIGHTS, RowWeights, Weighting
from evalcore.inference.calibration import DEBIASED_BINS, calibration_of_logits, error_interval_of_bins, logits
from evalcore.inference.curve_areas import average_precision_intervals
from evalcore.inference.intervals import Interval, Intervals, roc_auc_intervals
from evalcore.inference.resampled_measures import without_warnings
from evalcore.kernels import blocks, grouping
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.placements import placement_moments
from evalcore.kernels.runs import correct_bits, runs_of_groups
from evalcore.kernels.sorting import KeyReader
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import binned, mass_ranks
from evalcore.kernels.weights import WeightSums, in_whole_units, weight_sums
from evalcore.measures import curves, roc_variances
from evalcore.measures.effective_cases import effective_positives, kish_number
from evalcore.measures.losses import (
    ProbabilityLosses,
    are_probabilities,
    losses_of_groups,
    probability_losses,
)
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, FloatArray, IntArray, KeyArray, ScoreArray
from evalcore.validation.arrays import Cases
from evalcore.validation.scores import PositiveProbabilities

_OF_LOGITS = "calibration_slope", "calibration_intercept", "calibration_in_the_large"
_DEBIASED = "debiased_calibration_error"
CALIBRATION = *_OF_LOGITS, _DEBIASED
"""Statistics of probabilities that reports have with intervals, and by name: they take half as long as all others."""


@without_warnings()
def calibration_columns(cases: RankedCases, weighting: Weighting, measures: Measures, level: float) -> Columns:
    """Return what is reported of probabilities with intervals, as of one group; NaN where it is not defined.  O(n).

    cases: sorted already, so that the bins of equal numbers of cases need no sort.  The debiased error counts whole
    cases, and has none of sampling weights; those that were shifted to a prevalence have nothing, for slopes take the
    classes for drawn together.
    """
    if weighting.target_prevalence is not None:
        return Columns({})
    weights = cases.weights.astype(np.float64, copy=False) if isinstance(cases, WeightedRanking) else None
    given = PositiveProbabilities(
        cases.scores, cases.correct, weights, weights is not None and weighting.of_frequencies
    )
    probable = bool(cases.size) and are_probabilities(cases.scores)
    found: dict[str, Interval] = {}
    if measures.asks_for(*_OF_LOGITS):
        found |= dict.fromkeys(_OF_LOGITS, Interval(np.nan, np.nan, np.nan, level, "wald"))
        if probable and cases.scores.min() > 0 and cases.scores.max() < 1:
            fit = calibration_of_logits(logits(given), level)
            each = fit.slope, fit.intercept, fit.in_the_large
            found |= {name: own for name, own in zip(_OF_LOGITS, each, strict=True) if np.isfinite(own.low)}
    if measures.asks_for(_DEBIASED) and weighting.of_frequencies:
        found[_DEBIASED] = Interval(np.nan, np.nan, np.nan, level, "debiased-l2")
        if probable:
            bins = binned(given.probabilities, given.positive, _edges(cases), weights)
            found[_DEBIASED] = error_interval_of_bins(bins, level)
    intervals = {name: stacked([own]) for name, own in found.items()}
    return Columns({name: each.estimates for name, each in intervals.items()}, intervals)


def _edges(cases: RankedCases) -> ScoreArray:
    """Return the scores between bins of equal numbers of cases.  O(n)."""
    if not isinstance(cases, WeightedRanking):
        return cases.ordering.scores(cases.size - 1 - mass_ranks(cases.size, DEBIASED_BINS))
    tp, fp, scores = cases.points
    below = np.concatenate([[0.0], (tp + fp)[:-1]])  # the weight above each score
    total = float(tp[-1] + fp[-1])
    masses = ((total - below) * DEBIASED_BINS)[::-1]  # at or below each score, rising
    return np.asarray(scores[::-1][np.searchsorted(masses, np.arange(1, DEBIASED_BINS) * total)])


_LARGEST = 1 << 31
"""Products of two whole numbers below this fit int64."""


def described(
    classes: Tally, weighting: Weighting, effective: FloatArray | None = None, cases: AnyArray | None = None
) -> dict[str, AnyArray]:
    """Return numbers of cases, (g,) each, by name.  O(g).

    classes: positives and negatives, (2, g); effective: the effective number of cases, if it is not that of the
    classes; cases: their number, if it is not the sum of the classes.

    >>> classes = tally_of(WeightSums(*np.array([[[1.0], [3.0]], [[1.0], [5.0]], [[1.0], [2.0]]])))
    >>> {name: column.item() for name, column in described(classes, Weighting("w"), np.array([2.5])).items()}
    {'cases': 3, 'positives': 1, 'weight': 4.0, 'effective_cases': 2.5, 'prevalence': 0.25}
    """
    every = classes.sums(0)
    found = {"cases": every.cases if cases is None else cases, "positives": classes.at(0).cases}
    if classes.weights is not None and weighting.column is not None:
        found |= {"weight": every.shown, "effective_cases": every.effective if effective is None else effective}
    if weighting.target_prevalence is not None:
        return found | {"prevalence": np.full(every.counts.size, weighting.target_prevalence)}
    return found | {"prevalence": np.asarray(ratio(classes.counts[0], every.counts))}


def score_columns(
    groups: Rankings,
    asked: Asked = EVERYTHING,
    weighting: Weighting = COUNTED,
    effective: FloatArray | None = None,
) -> Columns:
    """Return the statistics of ranked groups but for decisions.  O(n), if they are sorted.

    effective: as of `described`.  A target prevalence has no interval.
    """
    values = described(groups.classes, weighting, effective, groups.cases)
    values |= ranking_columns(groups, asked.costs, asked.measures)
    if asked.level is None:
        return Columns(values)
    intervals = _intervals(groups, values, asked.level, asked.area_method)
    if weighting.target_prevalence is not None:
        del intervals["prevalence"]
    return Columns(values, intervals)


def _intervals(
    groups: Rankings, values: Mapping[str, AnyArray], level: float, area_method: str | None
) -> dict[str, Intervals]:
    classes = groups.classes
    positives, negatives = classes.at(0), classes.at(1)
    found = {"prevalence": fraction_intervals(positives, classes.sums(0), level)}
    if (areas := values.get("roc_auc")) is not None and area_method is not None:
        smaller = np.minimum(positives.effective, negatives.effective)
        found["roc_auc"] = roc_auc_intervals(areas, groups.area_variances(), smaller, level, area_method)
    if (means := values.get("average_precision")) is not None:
        number = positives.counts
        if positives.weights is not None and negatives.weights is not None:
            number = effective_positives(means, positives.weights, negatives.weights)
        found["average_precision"] = average_precision_intervals(means, number, level)
    return found


def ranked_whole(cases: RankedCases, weighting: Weighting = COUNTED) -> Rankings:
    """Return cases as one group; whole weights give to the bit what repeated cases give.  O(1), O(n) with weights."""
    weights = cases.weights if isinstance(cases, WeightedRanking) else None

    def losses() -> ProbabilityLosses:
        return probability_losses(cases.scores, cases.correct, weights)

    if isinstance(cases, WeightedRanking):
        ranking, frequencies = cases, weighting.of_frequencies
        classes = tally_of(cases.classes, frequencies=frequencies, whole=cases.whole).reshaped(2, 1)

        def variances_of_weights() -> FloatArray:
            area = float(ranked.roc_aucs()[0])
            return np.array([roc_variances.roc_auc_and_variance(ranking.walk, area, frequencies=frequencies).variance])

        ranked = Rankings(
            classes._replace(divisor=cases.divisor), lambda: cases.runs, cases.scores_of_ranks, losses,
            variances_of_weights, np.array([cases.positives + cases.negatives]), frequencies,
        )  # fmt: skip
        return ranked

    def areas() -> FloatArray:
        return np.array([curves.roc_auc(pair_counts(cases.ordering.keys), cases.positives, cases.negatives)])

    def variances() -> FloatArray:
        return roc_variances.roc_covariance(placement_moments(cases.ordering.keys)).ravel()

    def scores_at(ranks: IntArray) -> ScoreArray:
        return cases.ordering.scores(ranks)

    counts, size = Tally(np.array([[cases.positives], [cases.negatives]])), np.array([cases.size])
    return Rankings(counts, lambda: cases.runs, scores_at, losses, variances, size, areas=areas, cases=size)


def _ranked_counts(keys: KeyArray, sizes: IntArray, code: KeyReader) -> Rankings:
    """Return some groups, (g,), whose sorted keys, (n,), stand one group after the other.  O(n)."""
    runs = runs_of_groups(keys, sizes)

    def losses() -> ProbabilityLosses:
        return losses_of_groups(code.unpack(keys), correct_bits(keys).view(np.bool_), sizes)

    def variances() -> FloatArray:
        return roc_variances.roc_auc_variances_of_runs(runs)

    return Rankings(Tally(runs.totals), lambda: runs, lambda last: code.unpack(keys[last]), losses, variances, sizes)


def columns_of_whole(
    cases: RankedCases, asked: Asked, weights: RowWeights = EQUAL_WEIGHTS, *, with_calibration: bool = False
) -> Columns:
    """Return the statistics of checked cases.  O(n log n).

    with_calibration: whether calibration has intervals, if there are any.
    """
    weighting, effective = weights.weighting, None
    if weights.given is not None:
        given = WeightedRanking(cases.scores, cases.correct, weights.given)
        effective = tally_of(given.classes).reshaped(2, 1).sums(0).effective
    found = score_columns(ranked_whole(cases, weighting), asked, weighting, effective)
    if with_calibration and asked.level is not None:
        found = found.plus(calibration_columns(cases, weighting, asked.measures, asked.level))
    return found if asked.threshold is None else found.plus(decisions_of(cases, asked.threshold, asked, weighting))


def columns_of_groups(cases: Cases, layout: GroupLayout, asked: Asked, weights: RowWeights = EQUAL_WEIGHTS) -> Columns:
    """Return the statistics of each group but for decisions, in the order of the layout.

    O(n log largest group), in blocks of groups.

    Groups larger than a block, by rows or by whole weights, whose sums of products int64 might not hold, are taken one
    by one.
    """
    large, parts, indices = np.diff(layout.starts) > blocks.BLOCK, list[Columns](), list[IntArray]()

    def add(columns_of: Callable[[slice], Columns], starts: IntArray, groups: IntArray) -> None:
        small, _ = grouping.blocks_of_groups(starts)
        parts.extend(map_parts(columns_of, small, cases.scores.size))
        indices.extend(groups[block] for block in small)

    if weights.values is not None:
        values, unit = in_whole_units(weights.values.astype(np.float64, copy=False))
        multiples = weights._replace(values=values, unit=unit)
        whole, totals = grouping.whole_groups(values, layout)
        large |= whole & (totals >= _LARGEST)
        for chosen, are_whole in ((whole & ~large, True), (~whole & ~large, False)):
            if chosen.any():
                part = layout if chosen.all() else grouping.part_of_layout(layout, chosen)
                columns_of = partial(_columns_of_weights, cases, multiples, part, asked, are_whole=are_whole)
                add(columns_of, part.starts, np.flatnonzero(chosen))
    elif not large.all():
        keys, code = grouping.sorted_by_group(layout, cases.scores, cases.correct)

        def of_counts(block: slice) -> Columns:
            own = layout.starts[block.start : block.stop + 1]
            return score_columns(_ranked_counts(keys[own[0] : own[-1]], np.diff(own), code), asked)

        add(of_counts, layout.starts, np.arange(large.size))
    for group in np.flatnonzero(large).tolist():
        rows = grouping.rows_of_groups(layout, slice(group, group + 1))
        own = weights.of_group(rows)
        ranked = ranked_cases(cases.correct[rows], cases.scores[rows], own.values)
        parts.append(columns_of_whole(ranked, asked._replace(threshold=None), own))
        indices.append(np.array([group]))
    return joined(parts, indices)


def _columns_of_weights(
    cases: Cases, weights: RowWeights, layout: GroupLayout, asked: Asked, block: slice, *, are_whole: bool
) -> Columns:
    """Return the statistics of some groups, all of whose weights are whole numbers if `are_whole`.  O(n log n)."""
    rows, sizes = grouping.rows_of_groups(layout, block), np.diff(layout.starts[block.start : block.stop + 1])
    correct, scores, own = cases.correct[rows], cases.scores[rows], weights.of_group(rows)
    groups, frequencies, effective = np.arange(sizes.size).repeat(sizes), own.weighting.of_frequencies, None
    assert own.values is not None
    values, divisors = grouping.scaled_by_group(own.values, groups, sizes.size)
    found = grouping.grouped_weights(scores, correct, values, sizes, frequencies=frequencies)
    runs = found.runs.in_counts if are_whole else found.runs
    classes = tally_of(found.of_groups, frequencies=frequencies, whole=are_whole)
    ranked = Rankings(
        classes._replace(divisor=divisors * own.unit),
        lambda: runs,
        lambda last: scores[found.cases.order[last]],
        lambda: losses_of_groups(scores, correct, sizes, values),
        lambda: roc_variances.weighted_roc_variances(found),
        runs.sizes,
        frequencies,
    )
    if own.given is not None:
        given, _ = grouping.scaled_by_group(own.given.astype(np.float64, copy=False), groups, sizes.size)
        effective = kish_number(weight_sums(groups, given, sizes.size))
    return score_columns(ranked, asked, own.weighting, effective)


def score_report(
    cases: PairedCases,
    asked: Asked = EVERYTHING,
    placed: PlacedColumns | None = None,
) -> dict[str, Columns]:
    """Evaluate score columns against one label column: the statistics of each.  O(n log n) for each.

    placed: takes what `comparisons` needs of each column, and gives the ROC AUCs their intervals afterwards.
    Calibration has intervals where there are no groups.
    """
    classes: list[WeightSums] = []  # the same for all models
    found = {}
    for name, scores in cases.scores.items():
        ranking = ranked_cases(cases.positive, scores, cases.weights.values, *classes[:1])
        if isinstance(ranking, WeightedRanking):
            classes.append(ranking.classes)
        own = asked if placed is None else asked._replace(area_method=None)
        with nullcontext(ranking) if placed is None else placed.ranked(ranking) as ranked:
            own = own.of_scores(scores)
            of_whole = columns_of_whole(ranked, own, cases.weights, with_calibration=not cases.groups)
        found[name] = drawn(cases, own, of_whole, scores)
    return found


def grouped_sections(
    cases: PairedCases,
    groups: GroupedRows,
    whole: Mapping[str, Columns],
    asked: Asked = EVERYTHING,
) -> list[Section]:
    """Return a section for each score column, with a record for each group of rows and, last, one for all rows.

    whole: the statistics of all rows, as of `score_report`.  O(n log n) for each column.
    """
    sections = []
    for name, scores in cases.scores.items():
        given, own = Cases(cases.positive, scores), asked.of_scores(scores)
        found = columns_of_groups(given, groups.layout, own, cases.weights)
        if own.threshold is not None:
            found = found.plus(decisions_in(groups, cases.weights)(given, own.threshold, own))
        found = drawn(cases, own, found.at(groups.indices), scores, groups)
        records = named_records(groups.names, found, whole[name], asked.level)
        sections.append(section_of_groups(None, name, records))
    return sections


def decision_sections(
    cases: PairedCases,
    thresholds: Sequence[AskedThreshold],
    asked: Asked = EVERYTHING,
    groups: GroupedRows | None = None,
) -> list[Section]:
    """Return a section for each threshold, or with groups one for each threshold and column of scores.

    A target's threshold is that of each model in all rows, which is then applied to groups.  O(n) for each threshold
    and column; O(n log n) for each column if there are targets.
    """
    if not thresholds:
        return []
    weighting = cases.weights.weighting
    decided = None if groups is None else decisions_in(groups, cases.weights)
    found: dict[AskedThreshold, dict[str, Columns]] = {threshold: {} for threshold in thresholds}
    in_groups: dict[AskedThreshold, list[Section]] = {threshold: [] for threshold in thresholds}
    for name, scores in cases.scores.items():
        given, own = Cases(cases.positive, scores), asked.of_scores(scores)
        ranked = ranked_cases(*given, cases.weights.values)
        for threshold, value in values_of_thresholds(ranked, thresholds):
            found[threshold][name] = total = drawn(cases, own, decisions_of(ranked, value, own, weighting), scores)
            if groups is not None and decided is not None:
                each = drawn(cases, own, decided(given, value, own).at(groups.indices), scores, groups)
                records = named_records(groups.names, each, total, asked.level)
                in_groups[threshold].append(section_of_groups(threshold, name, records))
    if groups is not None:
        return [section for sections in in_groups.values() for section in sections]
    return [section_of(threshold, models, asked.level) for threshold, models in found.items()]
