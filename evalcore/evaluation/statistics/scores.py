"""Statistics of score columns against a binary label, with and without weights: of one group of cases as of many."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cache, cached_property, partial

import numpy as np

from evalcore.evaluation.cases import PairedCases, RankedCases, ranked_cases
from evalcore.evaluation.catalogue import COSTS, DEPTH, ENTRIES, NAMED, RANKS
from evalcore.evaluation.measure_choice import CALIBRATED, LOSSES, Measures
from evalcore.evaluation.model import Columns, Section
from evalcore.evaluation.statistics import tallies
from evalcore.evaluation.statistics.comparisons import PlacedColumns
from evalcore.evaluation.statistics.groups import WHOLE, GroupedRows
from evalcore.evaluation.statistics.tallies import EVERYTHING, Asked, Tally, joined, measure_intervals, tally_of
from evalcore.evaluation.thresholds import AskedThreshold, Costs
from evalcore.evaluation.weighting import COUNTED, EQUAL_WEIGHTS, RowWeights, Weighting
from evalcore.inference.bootstrap import without_warnings
from evalcore.inference.calibration import DEBIASED_BINS, cases_of_units, error_interval_of_bins
from evalcore.inference.cells import cells_of_counts, cells_of_decisions, intervals_of_parts
from evalcore.inference.curve_areas import average_precision_intervals, intervals_of_areas, intervals_of_precisions
from evalcore.inference.decisions import OPTIMA, optimum_intervals
from evalcore.inference.intervals import Interval, Intervals, intervals_of_means, roc_auc_intervals
from evalcore.inference.logits import CalibrationFit, calibration_fit, intervals_of_fit, logits, spread_of_changes
from evalcore.inference.ranked_samples import AREA, PRECISION, RankedSample
from evalcore.inference.rankings import rankings, squares_of_precision
from evalcore.inference.units import Spread, Units, means_and_spread
from evalcore.kernels import blocks, grouping
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.placements import moments_of_runs
from evalcore.kernels.runs import Runs, correct_bits, runs_of_groups
from evalcore.kernels.sorting import KeyReader
from evalcore.kernels.tables import binned, equal_masses
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.measures import curves, influence, losses, roc_variances
from evalcore.measures.influence import PrecisionSpread, kish_number, precision_spread, smaller_class
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, Ratio, ScoreArray
from evalcore.validation.arrays import Cases

DEBIASED = "debiased_calibration_error"
CALIBRATION = *CALIBRATED, DEBIASED
"""Statistics of probabilities that reports have with intervals, and by name: they take half as long as all others."""


@without_warnings()
def calibration_columns(cases: PairedCases, asked: Asked, groups: GroupedRows) -> Columns:
    """Return what is reported of probabilities in groups with intervals; NaN where it is not defined.  O(n log n).

    The debiased error counts whole cases: there is none of sampling weights, nor bounds of clusters.  Slopes take the
    classes for drawn together: there is nothing of cases that were shifted to a prevalence.
    """
    level, measures, found = asked.level, asked.measures, dict[str, Intervals]()
    if level is None or cases.weights.known_prevalence or not measures.asks_for(*CALIBRATION):
        return Columns({})
    parts = [*cases.by_group(groups)]
    if measures.asks_for(*CALIBRATED):
        large = measures.asks_for(CALIBRATED[-1])
        fits = [(units, fit) for units, [fit] in map(partial(calibration_fits, large=large), parts)]
        spreads = (spread_of_changes(units, fit.changes[: 2 + large]) for units, fit in fits)
        spread = Spread(*(np.stack(column, axis=1) for column in zip(*spreads, strict=True)))
        own = intervals_of_fit(np.array([fit.estimates[: 2 + large] for _, fit in fits]).T, spread, level)
        found |= own.by_name(CALIBRATED[: 2 + large])
    if measures.asks_for(DEBIASED) and cases.weights.weighting.of_frequencies:
        found[DEBIASED] = tallies.stacked([_debiased_error(own, level) for own in parts])
    every = Columns({name: own.estimates for name, own in found.items()}, found)
    return every.at(groups.indices)


def calibration_fits(cases: PairedCases, *, large: bool = True) -> tuple[Units, list[CalibrationFit]]:
    """Return the units of cases, and the fit of the probabilities of each model, infinite slopes as NaN.  O(n)."""
    units = cases.units(apart=True)
    fits = [
        calibration_fit(logits(cases_of_units(scores, cases.positive, units)), units, large=large)
        for scores in cases.scores.values()
    ]
    return units, [fit._replace(estimates=np.where(np.isinf(fit.estimates), np.nan, fit.estimates)) for fit in fits]


def _debiased_error(cases: PairedCases, level: float) -> Interval:
    """Return the debiased calibration error of the only column, without bounds of clusters.  O(n log n)."""
    [scores], found = cases.scores.values(), Interval(np.nan, np.nan, np.nan, level, "debiased-l2")
    if scores.size and losses.are_probabilities(scores):
        weights = None if cases.weights.values is None else cases.weights.values.astype(np.float64, copy=False)
        edges = equal_masses(scores, weights, DEBIASED_BINS)
        found = error_interval_of_bins(binned(scores, cases.positive, edges, weights), level)
    return found if cases.clusters is None else replaced(found, low=np.nan, high=np.nan)


_LARGEST = 1 << 31
"""Products of two whole numbers below this fit int64."""


@dataclass
class Rankings:
    """The rankings of g groups, as far as measures need them: each part is found once, when a measure asks for it."""

    classes: Tally
    """Positives and negatives, shape (2, g)."""
    runs_of: Callable[[], Runs]
    """Returns their runs."""
    scores_at: Callable[[IntArray], ScoreArray]
    """Returns the scores of cases by their indices among those of all groups in order."""
    losses_of: Callable[[bool], losses.ProbabilityLosses]
    """Adds up what probabilities lose in each group, and powers of it, if these are asked for."""
    area_variances: Callable[[FloatArray], FloatArray]
    """Returns the variances of the ROC AUCs, (g,), from these."""
    precision_squares: Callable[[FloatArray], FloatArray]
    """Returns the sums of the squares of the influence values of the average precisions, (g,), from these."""
    sizes: AnyArray
    """Cases of each group, or their weight, shape (g,)."""
    weighting: Weighting = COUNTED
    """Of frequencies the best cases can be counted."""
    effective: FloatArray | None = None
    """As of `described`."""
    areas: Callable[[bool], FloatArray] | None = None
    """Returns the ROC AUCs without the runs, from what their variances need if these are asked for."""
    cases: AnyArray | None = None
    """The number of cases, shape (g,), where misses are among the classes."""
    costs: Costs | None = None
    """Of wrong decisions."""
    vary: bool = False
    """Whether it is asked how much cases vary, which count as one each."""
    areas_vary: bool = False
    """Whether it is asked how much the ROC AUCs vary."""

    @cached_property
    def runs(self) -> Runs:
        """The runs of scores."""
        return self.runs_of()

    @cached_property
    def best_f1(self) -> curves.BestRuns:
        """The largest F1 of each ranking, and the run that reaches it."""
        return curves.maximum_f_measures(self.runs)

    @cached_property
    def least_cost(self) -> curves.BestRuns:
        """The least expected cost of each ranking, and the run that has it; -1 where it is cheapest to flag no case."""
        assert self.costs is not None
        return curves.minimum_expected_costs(self.runs, self.costs.of_counts)

    @cached_property
    def largest_gap(self) -> curves.BestRuns:
        """The statistic of Kolmogorov and Smirnov of each ranking, and the run that reaches it."""
        return curves.largest_gaps(self.runs)

    @cached_property
    def lost(self) -> losses.ProbabilityLosses:
        """What probabilities lose."""
        return self.losses_of(self.vary)

    @cached_property
    def losses(self) -> Mapping[str, Ratio]:
        """The measures of probabilities."""
        return self.lost.statistics(self.sizes)

    def roc_aucs(self) -> FloatArray:
        """Return the ROC AUCs, (g,)."""
        return curves.roc_aucs(self.runs) if self.areas is None else self.areas(self.areas_vary)

    def decisions_at(self, chosen: IntArray) -> IntArray:
        """Return tables of decisions, (g, 2, 2), at runs of counted cases, one of each group; -1 for none.  O(g)."""
        (positives, negatives), found = self.runs.totals, chosen >= 0
        tp, fp = np.zeros((2, chosen.size), np.int64)
        tp[found], fp[found] = self.runs.tp[chosen[found]], self.runs.fp[chosen[found]]
        return np.array([[tp, positives - tp], [fp, negatives - fp]]).transpose(2, 0, 1)

    def scores_of(self, chosen: IntArray, otherwise: float) -> FloatArray:
        """Return the scores of runs, (g,), one of each group; -1 for none.  O(g)."""
        scores = np.full(chosen.size, otherwise)
        found = chosen >= 0
        if found.any():
            scores[found] = self.scores_at(self.runs.last_case(chosen[found]))
        return scores


_FORMULAS = [(name, entry, entry.of_ranking) for name, entry in ENTRIES.items() if entry.of_ranking is not None]


def ranking_columns(ranked: Rankings, costs: Costs | None, measures: Measures) -> dict[str, AnyArray]:
    """Return the measures of rankings that are asked for, (g,) each, by name.  O(n log n)."""
    ranked.costs = costs
    found: dict[str, AnyArray] = {}
    lacking = {need for need, lacks in ((RANKS, not ranked.weighting.of_frequencies), (COSTS, costs is None)) if lacks}
    for name, entry, formula in _FORMULAS:
        wanted = measures.asks_for(name, entry.partner) if NAMED in entry.needs else measures.wants(name)
        if not lacking.isdisjoint(entry.needs) or not wanted:
            continue
        if entry.depths is None:
            found[name] = np.asarray(formula(ranked))
        elif depths := measures.depths_of(name):
            asked = np.array(depths, np.int64)[:, np.newaxis].repeat(ranked.sizes.size, axis=1)
            # a single ranking is asked for all depths at once
            together = [asked] if ranked.sizes.size == 1 else asked
            values = np.reshape([formula(ranked, each) for each in together], asked.shape)
            found |= {name.replace(DEPTH, str(depth)): each for depth, each in zip(depths, values, strict=True)}
    return found


def _columns_of_rankings(ranked: Rankings, asked: Asked) -> tuple[Columns, Columns]:
    """Return the statistics of ranked groups but for decisions, and what their intervals need.  O(n), if sorted.

    A target prevalence has no interval.
    """
    classes, vary = ranked.classes.sums, ranked.classes.weights is None and ranked.weighting is COUNTED
    values = tallies.described(ranked.classes, ranked.weighting, ranked.effective, ranked.cases)
    ranked.vary = asked.level is not None and vary
    ranked.areas_vary = asked.level is not None and asked.area_method != ""
    values |= ranking_columns(ranked, asked.costs, asked.measures)
    needed = dict[str, AnyArray]()
    if asked.level is None:
        return Columns(values), Columns(needed)
    if ranked.weighting.target_prevalence is None:
        needed["prevalence"] = np.array(classes).T
    if AREA in values and ranked.areas_vary:
        needed[AREA] = np.array([ranked.area_variances(values[AREA]), smaller_class(classes)]).T
    if (means := values.get(PRECISION)) is not None:
        needed[PRECISION] = np.array(precision_spread(ranked.runs, classes, ranked.precision_squares(means))).T
    if vary and "maximum_f1" in values:
        needed["maximum_f1"] = ranked.decisions_at(ranked.best_f1.runs)
    if vary and not values.keys().isdisjoint(LOSSES):
        needed["losses"] = ranked.lost.powers.reshape(-1, 2, 3)
    return Columns(values), Columns(needed)


def _with_intervals(found: Columns, sums: Columns, asked: Asked) -> Columns:
    """Return `_columns_of_rankings` with intervals in place of what they need.  O(g), for all groups at once."""
    values, needed, level, own = found.values, sums.values, asked.level, dict[str, Intervals]()
    if level is None:
        return found
    if "prevalence" in needed:
        classes = WeightSums(*needed["prevalence"].T)
        every = WeightSums(*(column.sum(axis=0) for column in classes))
        own["prevalence"] = intervals_of_parts(classes.at(0), every, level)
    if AREA in needed:
        variances, smaller = needed[AREA].T
        own[AREA] = roc_auc_intervals(values[AREA], Spread.normal(variances), smaller, level, asked.area_method)
    if PRECISION in needed:
        own[PRECISION] = average_precision_intervals(values[PRECISION], PrecisionSpread(*needed[PRECISION].T), level)
    if "maximum_f1" in needed:
        best = optimum_intervals("maximum_f1", cells_of_counts(needed["maximum_f1"]), level)
        low, high = np.where(np.isnan(values["maximum_f1_threshold"]), np.nan, best[1:3])
        own["maximum_f1"] = Intervals(values["maximum_f1"], low, high, best.method)
    if "losses" in needed:
        own |= tallies.loss_intervals(values, needed["losses"], values["cases"], level)
    return Columns(values, own)


def ranked_whole(cases: RankedCases, weights: RowWeights = EQUAL_WEIGHTS) -> Rankings:
    """Return cases as one group; whole weights give to the bit what repeated cases give.  O(1), O(n) with weights."""
    weighting, effective, frequencies = weights.weighting, None, weights.weighting.of_frequencies
    if isinstance(cases, WeightedRanking):
        if weights.given is not None:
            given = WeightedRanking(cases.scores, cases.correct, weights.given)
            effective = tally_of(given.classes).reshaped(2, 1).along(0).effective
        classes = tally_of(cases.classes, frequencies=frequencies, whole=cases.whole).reshaped(2, 1)
        of_area = roc_variances.roc_auc_and_variance
        return Rankings(
            classes._replace(divisor=cases.divisor),
            lambda: cases.runs,
            cases.scores_of_ranks,
            lambda _: losses.probability_losses(cases.scores, cases.correct, cases.weights),
            lambda areas: np.array([of_area(cases.walk, float(areas[0]), frequencies=frequencies).variance]),
            partial(squares_of_precision, cases, frequencies=frequencies, known_prevalence=weights.known_prevalence),
            np.array([cases.positives + cases.negatives]),
            weighting,
            effective,
        )
    size, counts = np.array([cases.size]), (cases.positives, cases.negatives)
    moments = cache(lambda: moments_of_runs(cases.runs))

    def areas(vary: bool) -> FloatArray:
        if vary:
            return np.array([roc_variances.roc_auc_of_sum(*counts, int(moments().sums[0]))])
        return np.array([curves.roc_auc(pair_counts(cases.ordering.keys), *counts)])

    return Rankings(
        Tally(np.array(counts)[:, np.newaxis]),
        lambda: cases.runs,
        lambda ranks: cases.ordering.scores(ranks),  # noqa: PLW0108  sorts no sooner
        lambda vary: losses.probability_losses(cases.scores, cases.correct, powers=vary),
        lambda _: roc_variances.roc_auc_variances(*moments()),
        partial(squares_of_precision, cases),
        size,
        areas=areas,
        cases=size,
    )


def _ranked_counts(keys: KeyArray, sizes: IntArray, code: KeyReader) -> Rankings:
    """Return some groups, (g,), whose sorted keys, (n,), stand one group after the other.  O(n)."""
    runs = runs_of_groups(keys, sizes)
    return Rankings(
        Tally(runs.totals),
        lambda: runs,
        lambda last: code.unpack(keys[last]),
        lambda vary: losses.losses_of_groups(code.unpack(keys), correct_bits(keys).view(np.bool_), sizes, powers=vary),
        lambda _: roc_variances.roc_auc_variances(*moments_of_runs(runs)),
        lambda means: influence.average_precision_squares_of_runs(runs, means),
        sizes,
    )


def columns_of_whole(cases: RankedCases, asked: Asked = EVERYTHING, weights: RowWeights = EQUAL_WEIGHTS) -> Columns:
    """Return the statistics of checked cases but for decisions.  O(n log n)."""
    return _with_intervals(*_columns_of_rankings(ranked_whole(cases, weights), asked), asked)


def columns_of_groups(cases: Cases, groups: GroupedRows, asked: Asked, weights: RowWeights = EQUAL_WEIGHTS) -> Columns:
    """Return the statistics of each group but for decisions.  O(n log largest group), in blocks of groups.

    Groups larger than a block, by rows or by whole weights, whose sums of products int64 might not hold, are taken one
    by one.
    """
    layout, scaled = groups.layout, weights.by_group(groups.numbers, groups.count)
    large, parts, found = np.diff(layout.starts) > blocks.BLOCK, list[tuple[Columns, Columns]](), list[IntArray]()

    def add(columns_of: Callable[[slice], tuple[Columns, Columns]], part: GroupLayout) -> None:
        small, _ = grouping.blocks_of_groups(part.starts)
        parts.extend(map_parts(columns_of, small, cases.scores.size))
        found.extend(part.groups[block] for block in small)

    if scaled.values is not None:
        whole, totals = grouping.whole_groups(scaled.values, layout)
        large |= whole & (totals >= _LARGEST)
        for chosen, are_whole in ((whole & ~large, True), (~whole & ~large, False)):
            if chosen.any():
                part = layout if chosen.all() else grouping.part_of_layout(layout, chosen)
                add(partial(_columns_of_weights, cases, scaled, part, asked, are_whole=are_whole), part)
    elif not large.all():
        keys, code = grouping.sorted_by_group(layout, cases.scores, cases.correct)

        def of_counts(block: slice) -> tuple[Columns, Columns]:
            own = layout.starts[block.start : block.stop + 1]
            return _columns_of_rankings(_ranked_counts(keys[own[0] : own[-1]], np.diff(own), code), asked)

        add(of_counts, layout)
    for group in np.flatnonzero(large).tolist():
        rows = grouping.rows_of_groups(layout, slice(group, group + 1))
        own = weights.of_group(rows)
        ranked = ranked_whole(ranked_cases(cases.correct[rows], cases.scores[rows], own.values), own)
        parts.append(_columns_of_rankings(ranked, asked))
        found.append(layout.groups[group : group + 1])
    values, sums = (joined(each, found) for each in zip(*parts, strict=True))
    return _with_intervals(values, sums, asked)


def _columns_of_weights(
    cases: Cases, weights: RowWeights, layout: GroupLayout, asked: Asked, block: slice, *, are_whole: bool
) -> tuple[Columns, Columns]:
    """Return the statistics of some groups, all of whose weights are whole numbers if `are_whole`.  O(n log n).

    weights: as `RowWeights.by_group` has them.
    """
    rows, sizes = grouping.rows_of_groups(layout, block), np.diff(layout.starts[block.start : block.stop + 1])
    correct, scores, own = cases.correct[rows], cases.scores[rows], weights.of_group(rows)
    groups, frequencies, effective = np.arange(sizes.size).repeat(sizes), own.weighting.of_frequencies, None
    assert own.values is not None
    found = grouping.grouped_weights(scores, correct, own.values, sizes, frequencies=frequencies)
    runs = found.runs.in_counts if are_whole else found.runs
    if own.given is not None:
        given, _ = grouping.scaled_by_group(own.given.astype(np.float64, copy=False), groups, sizes.size)
        effective = kish_number(weight_sums(groups, given, sizes.size))
    classes = tally_of(found.of_groups, frequencies=frequencies, whole=are_whole)

    def precision_squares(_: FloatArray) -> FloatArray:
        of_rows = np.asarray(own.values, np.float64)
        values = influence.average_precision_influence_in_groups(found, of_rows)
        if own.weighting.target_prevalence is not None:
            values = influence.less_class_means(values, 2 * groups + correct, of_rows)
        squares = np.square(values) / (of_rows if frequencies else 1.0)
        return np.asarray(np.add.reduceat(squares, np.cumsum(sizes) - sizes))

    ranked = Rankings(
        classes._replace(divisor=np.asarray(own.unit)[layout.groups[block]]),
        lambda: runs,
        lambda last: scores[found.cases.order[last]],
        lambda _: losses.losses_of_groups(scores, correct, sizes, own.values),
        lambda _: roc_variances.weighted_roc_variances(found),
        precision_squares,
        runs.sizes,
        own.weighting,
        effective,
    )
    return _columns_of_rankings(ranked, asked)


@without_warnings()
def with_intervals_of_rows(
    cases: PairedCases, asked: Asked, found: Columns, groups: GroupedRows = WHOLE, chosen: BoolArray | None = None
) -> Columns:
    """Return the statistics of one model with the intervals that are found from its rows, where intervals are there.

    Those of clusters stand in place of those that take each row for a draw of its own, and have the same names and
    methods; mean losses and optima have what they lack.  cases: with the scores of the model, if it has some; groups:
    those that the statistics are of, whose prevalence may be any but in all rows; chosen: the decisions, (n,), where
    they are not those at the threshold among the statistics.  O(n), with clusters O(n log n).
    """
    level, columns = asked.level, [*cases.scores.values()]
    are_drawn = cases.clusters is not None and len(found.intervals) > 0
    lows = {} if are_drawn else {name: own.low for name, own in found.intervals.items()}
    present = [name for name in (*LOSSES, *OPTIMA) if name in found.values]
    lacking = [name for name in present if (~np.isnan(found.values[name]) & np.isnan(lows.get(name, np.nan))).any()]
    if level is None or not (lacking or are_drawn):
        return found
    units = cases.units(groups.of_rows, groups.count, apart=groups.is_whole and not are_drawn)
    known, named = groups.is_whole and cases.weights.known_prevalence, groups.indices
    classes, intervals = cases.positive if known else None, dict[str, Intervals]()
    if are_drawn:
        threshold = float(found.values.get("threshold", [np.inf])[0])
        predicted = are_at_or_above(columns[0], threshold) if chosen is None else chosen
        cells = cells_of_decisions(units, cases.positive, predicted, known_prevalence=known)
        own = measure_intervals(found.intervals, cells, level, threshold=threshold, costs=asked.costs)
        ranked = [name for name in (AREA, PRECISION) if columns and name in found.intervals]
        sample = RankedSample(cases.positive, units, groups.layout, known)
        for name, each in rankings(sample, columns, ranked).items():
            if name == AREA:
                own[name] = intervals_of_areas(each, level, asked.area_method)
            else:
                own[name] = intervals_of_precisions(each, level)
        found = found._replace(intervals=Columns({}, own).at(named).intervals)
    for name in lacking:
        if name in OPTIMA:
            thresholds = found.values[f"{name}_threshold"]
            of_codes = np.full(groups.count, np.nan)
            of_codes[groups.named] = thresholds
            predicted = tallies.decisions_at(columns[0], of_codes, groups)
            cells = cells_of_decisions(units, cases.positive, predicted, known_prevalence=known)
            costs = asked.costs.of_counts.reshape(2, 2) if asked.costs and COSTS in ENTRIES[name].needs else None
            best = optimum_intervals(name, cells, level, costs)
            low, high = np.where(np.isnan(thresholds), np.nan, [best.low[named], best.high[named]])
            intervals[name] = Intervals(found.values[name], low, high, best.method)
            continue

        lost, largest = np.empty(cases.positive.size), ENTRIES[name].largest

        def fill(rows: slice, name: str = name, lost: FloatArray = lost) -> None:
            # other groups may hold scores that are no probabilities
            lost[rows] = losses.losses_of_probabilities(name, columns[0][rows].clip(0, 1), cases.positive[rows])

        map_blocks(fill, lost.size)
        _, spread = means_and_spread(units, lost.__getitem__, classes=classes, largest_loss=largest)
        intervals[name] = intervals_of_means(found.values[name], spread.at(named), level, largest)
    return found.plus(Columns({}, intervals))


def decisions_at_optimum(cases: PairedCases, scores: ScoreArray, name: str, groups: GroupedRows) -> BoolArray:
    """Return the decisions, (n,), at the threshold where a measure of `OPTIMA` is best, in each group.  O(n log n)."""
    given, asked = Cases(cases.positive, scores), Asked(measures=Measures((name,)))
    if groups.is_whole:
        found = columns_of_whole(ranked_cases(*given, cases.weights.values), asked, cases.weights)
    else:
        found = columns_of_groups(given, groups, asked, cases.weights)
    return tallies.decisions_at(scores, found.values[f"{name}_threshold"], groups)


@without_warnings()
def score_sections(
    cases: PairedCases,
    asked: Asked = EVERYTHING,
    thresholds: Sequence[AskedThreshold] = (),
    placed: PlacedColumns | None = None,
    kept: Mapping[str, RankedCases] | None = None,
) -> dict[AskedThreshold | None, list[Section]]:
    """Evaluate score columns against one label column: under None what rankings tell, and decisions by threshold.

    There is a section of all columns or, with groups, one for each column, with a record for each group and, last, one
    for all rows.  A target's threshold is that of each column in all rows, which is then applied to groups.
    thresholds: beside that of `asked`, whose decisions stand with the rankings; placed: takes what `comparisons` needs
    of each column, and gives the ROC AUCs their intervals afterwards; kept: the cases of each column, which stay
    sorted for others.  O(n log n) for each column, and O(n) for each threshold.
    """
    groups, classes = cases.grouping, list[WeightSums]()  # the same for all models
    every = {each: (dict[str, Columns](), dict[str, Columns]()) for each in (None, *thresholds)}
    for name, scores in cases.scores.items():
        given, own, weights = Cases(cases.positive, scores), asked.of_scores(scores), cases.weights
        alone = cases._replace(scores={name: scores})
        ranking = ranked_cases(*given, weights.values, *classes[:1]) if kept is None else kept[name]
        if isinstance(ranking, WeightedRanking):
            classes.append(ranking.classes)
            weights = weights._replace(values=ranking.weights, unit=ranking.divisor)
        with nullcontext(ranking) if placed is None else placed.ranked(ranking) as ranked:
            # first: the counts at each score would stand beside runs
            values = [(None, asked.threshold), *tallies.values_of_thresholds(ranked, thresholds)]
            without_areas = own if placed is None else own._replace(area_method="")
            found = columns_of_whole(ranked, without_areas, cases.weights)
        del ranking, ranked  # what is sorted takes no memory beside groups
        for part in (WHOLE,) if groups.is_whole else (WHOLE, groups):
            if not part.is_whole:
                found = columns_of_groups(given, part, own, cases.weights)
                weights = cases.weights.by_group(part.numbers, part.count)
            for threshold, value in values:
                found = found if value is None else found.plus(tallies.decisions_of(given, value, own, weights, part))
                found = found if part.is_whole else found.at(part.named)
                found = with_intervals_of_rows(alone, own, found, part)
                if threshold is None:
                    found = found.plus(calibration_columns(alone, own, part))
                every[threshold][not part.is_whole][name] = found
                found = Columns({})
    if placed is not None and asked.level is not None:
        wholes, _ = every[None]
        areas = placed.areas(np.array([each.values[AREA][0] for each in wholes.values()]))
        intervals = intervals_of_areas(areas, asked.level, asked.area_method)
        for model, (name, whole) in enumerate(wholes.items()):
            wholes[name] = whole.plus(Columns({}, {AREA: intervals}).at(slice(model, model + 1)))
    level, names = asked.level, groups.labels
    return {each: tallies.sections_of(each, wholes, level, parts, names) for each, (wholes, parts) in every.items()}
