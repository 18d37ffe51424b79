"""Differences of all measures of scores between the new models and the old one, in all cases and in groups.

Resamples are the same for all models and measures: units drawn again.  Percentiles of few units are too close together:
resamples vary less than samples by √((n - 1) / n), and have normal tails where Student's are due.  For clusters and
queries they are expanded as far as Student's interval of a mean is wider than the percentiles of its resamples, and
p-values are raised as much.  Source: T. C. Hesterberg, What teachers should know about the bootstrap: resampling in the
undergraduate statistics curriculum, The American Statistician 69 (2015) 371-386.
"""

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from evalcore.errors import refuse
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import ENTRIES, MeasureName
from evalcore.evaluation.differences import Measured, as_reported
from evalcore.evaluation.measure_choice import BOOTSTRAPPED, CALIBRATED, RANKED, RESAMPLED, Measures
from evalcore.evaluation.options import FREQUENCY, SAMPLING, option
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.statistics.scores import calibration_fits, decisions_at_optimum, score_sections
from evalcore.evaluation.statistics.tallies import Asked, decision_measure
from evalcore.evaluation.thresholds import Costs
from evalcore.evaluation.weighting import RowWeights
from evalcore.inference import Interval, bootstrap, bootstrap_interval, intervals
from evalcore.inference.bootstrap import CaseMeasure, bounds_and_p_value, least_resamples
from evalcore.inference.cells import Cells
from evalcore.inference.curve_areas import check_comparable
from evalcore.inference.decisions import OPTIMA, compare_decisions, measure_at_optimum, paired_decisions
from evalcore.inference.intervals import DEFAULT_AREA_METHOD, DELONG, Comparison, Comparisons
from evalcore.inference.logits import CalibrationFit, spread_of_changes
from evalcore.inference.ranked_samples import AREA, RankedSample
from evalcore.inference.rankings import RankingEstimates, rankings
from evalcore.inference.units import MOST_LEFT_OUT, MeanSample, Spread, Units, ValuesOfRows, mean_sample, spread_of_sums
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import sum_in_rows
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above, plain_number
from evalcore.measures.curves import PointMeasure, parse_measure
from evalcore.measures.losses import are_probabilities, changes_of_losses, losses_of_probabilities
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray

METHOD = "percentile bootstrap"
_COUNTED = "roc_auc", "average_precision", *BOOTSTRAPPED, "accuracy", "precision", "recall", "specificity", "f1"
"""Measures of the counts at each threshold, for which resamples need not be sorted."""
_SOME = 1 << 10
"""Cases whose mean is near enough to that of all."""


def differences_of_scores(cases: PairedCases, question: Question, groups: GroupedRows) -> list[list[Measured]]:
    """Return the differences of each new model in each group, as `Find`.

    Groups lack measures without an analytic interval.  O(k n log n) for k models and any number of groups, and O(k n)
    for each resample.  Raises EvaluationError for measures that scores do not have.
    """
    probabilities = all(map(are_probabilities, cases.scores.values()))
    measures = question.score_measures(probabilities=probabilities)
    shifted = [each.measure for each in measures if each.measure in CALIBRATED and cases.weights.known_prevalence]
    why = "its fit assumes that the classes were drawn together"
    refuse({f"measure {' '.join(shifted[:1])!r} takes no {option('target_prevalence')}: {why}": bool(shifted)})
    if groups.is_whole:
        resampled = [each for each in measures if question.method == "bootstrap" or each.measure in RESAMPLED]
    else:
        measures, resampled = [each for each in measures if each.measure not in RESAMPLED], []

    def measured(measure: MeasureName, found: Comparisons) -> Measured:
        if measure.measure in ("precision", "negative_predictive_value"):
            every, positives = np.array(cases.sizes(groups)).T
            found = as_reported(found, positives if measure.measure == "precision" else every - positives)
        return Measured.by(measure, found)

    drawn = bootstrapped_differences(cases, resampled, question)
    known = analytic_differences(cases, [each for each in measures if each not in resampled], question, groups)
    of_models = (one | other for one, other in zip(drawn, known, strict=True))
    return [[measured(each, found[each].at(groups.indices)) for each in measures] for found in of_models]


def analytic_differences(
    cases: PairedCases, measures: Sequence[MeasureName], question: Question, groups: GroupedRows
) -> list[dict[MeasureName, Comparisons]]:
    """Compare each new model with the old one by measures with an analytic interval in each group.

    O(k n log n) for k models, each of which is sorted once; groups in the order of their layout.
    """
    units = cases.units(groups.of_rows, groups.count)
    level, known = question.confidence, groups.is_whole and cases.weights.known_prevalence
    positive, columns = cases.positive, list(cases.scores.values())
    names = dict.fromkeys(each.measure for each in measures if each.measure in RANKED)
    if names and groups.is_whole:
        check_comparable(positive.size, "the label")
    ranked = rankings(RankedSample(positive, units, groups.layout, known), columns, names) if names else {}
    are_fitted = any(each.measure in CALIBRATED for each in measures)
    fits = [*map(calibration_fits, cases.by_group(groups))] if are_fitted else []

    def paired(old: BoolArray, *others: BoolArray) -> list[Cells]:
        return [paired_decisions(positive, old, new, units, known_prevalence=known) for new in others]

    @lru_cache(maxsize=1)
    def decided(threshold: float) -> list[Cells]:
        return paired(*(are_at_or_above(scores, threshold) for scores in columns))

    found: list[dict[MeasureName, Comparisons]] = [{} for _ in cases.new]
    for measure in sorted(measures, key=lambda each: each.threshold or 0.0):  # decisions are added up once for each
        name, threshold = measure.measure, measure.threshold
        if name in RANKED:
            compared = compared_rankings(name, ranked[name], units, question)
        elif name in OPTIMA:
            best = (decisions_at_optimum(cases, scores, name, groups) for scores in columns)
            compared = [compare_decisions(each, measure_at_optimum(name), level) for each in paired(*best)]
        elif name in CALIBRATED:
            compared = [_compared_fits(fits, name, new, level) for new in range(1, len(columns))]
        elif threshold is None:
            compared = _compared_losses(cases, units, name, level, known_prevalence=known)
        else:
            own = decision_measure(measure, question.costs)
            compared = [compare_decisions(each, own, level) for each in decided(threshold)]
        for of_model, pair in zip(found, compared, strict=True):
            of_model[measure] = pair
    return found


PAIRED_T = "paired-t"


def compared_means(
    sample: MeanSample, models: Sequence[ValuesOfRows], level: float, largest: float
) -> list[Comparisons]:
    """Compare the mean values of each new model with those of the old one in each group.  O(k n) for k models.

    models: what finds the values of rows, the old one first, up to the largest.
    """
    found, units = [], sample.units
    changes = np.empty(units.rows)
    for new in models[1:]:

        def both(rows: slice, new: ValuesOfRows = new) -> list[FloatArray]:
            own, old = new(rows), models[0](rows)
            np.subtract(own, old, out=changes[rows])  # to find them a second time would take longer
            return [units.weighted(own, rows), units.weighted(old, rows)]

        sums = sample.strata.in_groups(both)
        values, spread = [*map(sample.means, sums)], sample.spread(changes.__getitem__, sums[0] - sums[1])
        found.append(intervals.compare_normal(values, spread, level, PAIRED_T, largest=largest))
    return found


def _compared_losses(
    cases: PairedCases, units: Units, name: str, level: float, *, known_prevalence: bool
) -> list[Comparisons]:
    """Compare the mean losses of new models with those of the old one in each group, as `compared_means`.  O(k n)."""
    largest = ENTRIES[name].largest
    if units.weights is units.groups is units.clusters is None:
        walked = [_means_in_one_walk(cases, name, new) for new in cases.new]
        if not any(np.isnan(spread.variances[0]) for _, spread in walked):
            return [intervals.compare_normal(*each, level, PAIRED_T, largest=largest) for each in walked]
    losses = [partial(cases.losses, name, scores) for scores in cases.scores.values()]
    return compared_means(mean_sample(units, cases.positive if known_prevalence else None), losses, level, largest)


def _means_in_one_walk(cases: PairedCases, name: str, new: str) -> tuple[list[FloatArray], Spread]:
    """Return the mean losses of a new model and the old one, and how far the difference varies.  O(n).

    Its variance is NaN where nothing, or hardly anything, varies.
    """
    models, size = (cases.scores[new], cases.scores[cases.old]), np.array([cases.positive.size], np.float64)

    def changes_of(rows: slice) -> tuple[float, float, FloatArray]:
        own, old = (scores[rows].astype(cases.score_type, copy=False) for scores in models)
        return changes_of_losses(name, own, old, cases.positive[rows])

    # powers about the mean of some cases keep the digits that powers about 0 may lose
    centre = float(changes_of(slice(_SOME))[-1].mean())

    def add_up(rows: slice) -> list[float]:
        *sums, changes = changes_of(rows)
        changes -= centre
        squares = np.square(changes)
        pairs = (changes, changes), (changes, squares), (squares, squares)
        return [*sums, *(sum_in_rows(*pair) for pair in pairs)]

    sums = np.sum(map_blocks(add_up, cases.positive.size), axis=0)[:, np.newaxis]
    own, old = sums[:2] / size
    return [own, old], spread_of_sums(own - old - centre, sums[2:], size)


def _compared_fits(
    fits: Sequence[tuple[Units, list[CalibrationFit]]], name: str, new: int, level: float
) -> Comparisons:
    """Compare how well a new model is calibrated with the old one, the first of each group's fits.  O(n)."""
    index = CALIBRATED.index(name)
    values = [np.array([own[model].estimates[index] for _, own in fits]) for model in (new, 0)]
    with np.errstate(invalid="ignore"):  # without one cluster, neither may have a slope
        each = [spread_of_changes(units, own[new].changes[index] - own[0].changes[index]) for units, own in fits]
    spread = Spread(*np.concatenate(each, axis=1))
    return intervals.compare_normal(values, spread, level, "wald", largest=np.inf)


LINEARISED, JACKKNIFE = "linearised", "jackknife"


@bootstrap.without_warnings()
def compared_rankings(name: str, estimate: RankingEstimates, units: Units, question: Question) -> list[Comparisons]:
    """Compare the ROC AUCs or average precisions of new models with those of the old one in each group.  O(k g)."""
    level, (old, *others) = question.confidence, estimate.values
    if name == AREA:
        pairs = estimate.pairs([(new, 0) for new in range(1, len(estimate.values))])
        method = question.difference_method
        return [intervals.compare_areas(*pair, level, method) for pair in pairs]
    models = np.eye(len(estimate.values), dtype=np.int64)
    methods = np.where((units.sizes <= MOST_LEFT_OUT) & (units.clusters is not None), JACKKNIFE, LINEARISED)
    spreads = estimate.spread(models[1:] - models[0])
    each = zip(others, map(spreads.at, range(len(others))), strict=True)
    return [intervals.compare_normal((values, old), own, level, methods) for values, own in each]


@bootstrap.without_warnings()
def value_interval(measure: MeasureName, scores: ScoreArray, cases: PairedCases, question: Question) -> Interval | None:
    """Return the interval of a measure of scores, (n,), for the cases; None for a measure that has none.

    It is that of reports; for measures without a formula that of the bootstrap of the question.  O(n log n), times the
    resamples.
    """
    name, threshold = measure.measure, measure.threshold
    if name in RESAMPLED:
        at = "" if threshold is None else f"@{plain_number(threshold)}"
        stratify = question.stratify or cases.weights.known_prevalence
        asked: dict[str, Any] = {**_drawn(cases), "level": question.confidence, "resamples": question.resamples}
        asked |= {"stratify": stratify and cases.clusters is None, "seed": question.seed}
        return bootstrap_interval(cases.positive, scores, f"{RESAMPLED[name]}{at}", **asked)
    measures, method = Measures((name,)), area_method_of(question)
    of_report = Asked(threshold, question.confidence, question.costs, measures, method, threshold is not None or None)
    [section] = score_sections(cases._replace(scores={name: scores}, groups={}), of_report)[None]
    [columns] = section.columns.parts
    return columns.intervals[name].each(question.confidence)[0] if name in columns.intervals else None


def area_method_of(question: Question) -> str:
    """Return the interval of single ROC AUCs that goes with that of their differences.  O(1)."""
    return DELONG if question.difference_method == DELONG else DEFAULT_AREA_METHOD


def _drawn(cases: PairedCases) -> dict[str, Any]:
    """Return the weights and clusters of cases as arguments of `evalcore.inference`.  O(1)."""
    kind = SAMPLING if cases.weights.frequencies is None else FREQUENCY
    return {"sample_weight": cases.weights.values, "weight_type": kind, "cluster": cases.clusters}


def compare_resampled(
    estimates: tuple[float, float],
    drawn: FloatArray,
    level: float,
    largest: float = 1.0,
    *,
    units: float = math.inf,
    lack: str = "",
) -> Comparisons:
    """Compare the estimates of the new model and the old one, by differences of resamples, (b,), NaN left out.  O(b).

    largest: the largest difference that is possible; bounds are cut to it.  units: the number of what was drawn, for
    expanded percentiles; infinite for cases.  lack: why there are no bounds, if that is known.  Without bounds the
    p-value is NaN, or 1 if no resample differs; but where bounds lack alone because too few resamples lie beyond them,
    it stays.  The standard error is NaN from fewer than two differences that are defined.

    >>> drawn = np.linspace(0.05, 0.45, 999)
    >>> compare_resampled((0.75, 0.5), drawn, 0.95).each()
    [0.75 - 0.5 = 0.25 [0.06, 0.44] (95% percentile bootstrap), p = 0.002]
    >>> compare_resampled((0.75, 0.5), drawn, 0.95, units=10).each()
    [0.75 - 0.5 = 0.25 [0.0534203, 0.44658] (95% percentile bootstrap), p = 0.0167]
    """
    difference, defined, expanded = estimates[0] - estimates[1], drawn[~np.isnan(drawn)], expanded_level(level, units)
    low, high, p_value, why = bounds_and_p_value(math.nan if lack else difference, drawn, expanded)
    if not why:
        p_value = expanded_p_value(p_value, units)
    if defined.size < least_resamples(expanded):
        low, high = np.nan, np.nan
    low, high = max(low, -largest), min(high, largest)
    error = np.nan if lack or defined.size < 2 else float(np.std(defined, ddof=1)) * error_factor(units)
    found = Comparison(estimates, difference, low, high, level, np.nan, p_value, METHOD)
    return Comparisons.of_each([found], error, max(units - 1.0, 1.0))


def expanded_level(level: float, units: float) -> float:
    """Return the level, below 1, of percentiles that are expanded for the number of units.  O(1).

    >>> round(expanded_level(0.95, 25), 4), expanded_level(0.95, math.inf)
    (0.9648, 0.95)
    """
    if not 1 < units < math.inf:
        return level
    # of two clusters it may be nearer to 1 than any float
    return min(1 - intervals.tails_of(intervals.reach_of(level, units - 1) * error_factor(units)), 1 - 2.0**-53)


def expanded_p_value(p_value: float, units: float) -> float:
    """Return a p-value of percentiles as that of expanded ones.  O(1).

    >>> round(expanded_p_value(1 - expanded_level(0.95, 25), 25), 4)
    0.05
    """
    if not 1 < units < math.inf:
        return p_value
    return intervals.tails_of(intervals.reach_of(1 - p_value) / error_factor(units), units - 1)


def error_factor(units: float) -> float:
    """Return how many times as much samples vary as their resamples do; 1 for cases.  O(1)."""
    return math.sqrt(units / (units - 1)) if 1 < units < math.inf else 1.0


def bootstrapped_differences(
    cases: PairedCases, measures: Sequence[MeasureName], question: Question
) -> list[dict[MeasureName, Comparisons]]:
    """Compare each new model with the old one by resamples of cases or clusters.

    Bounds and p-values are those of `compare_resampled`.  O(k n log n), and O(k n) for each resample.
    """
    if not measures:
        return [{} for _ in cases.new]
    parsed = [_resampled(measure, cases.score_type, question.costs) for measure in measures]
    with bootstrap.without_warnings_of(parsed):
        given = cases.positive, cases.scores, parsed, None, tuple(_drawn(cases).values())
        models = bootstrap.resampled_models(*given, stratify=question.stratify)
        sources = bootstrap.generators(question.seed, question.resamples)
        values = bootstrap.measure_resamples(models.measured, models.plan.draw, sources, question.resamples)
    units = math.inf if cases.clusters is None else int(cases.clusters.max(initial=-1)) + 1
    found: list[dict[MeasureName, Comparisons]] = [{} for _ in cases.new]
    for new, of_model in enumerate(found, 1):
        for at, measure in enumerate(measures):
            drawn = values[:, new, at] - values[:, 0, at]
            estimates = float(models.estimates[new, at]), float(models.estimates[0, at])
            how = question.confidence, math.inf
            of_model[measure] = compare_resampled(estimates, drawn, *how, units=units, lack=models.lack)
    return found


def _resampled(measure: MeasureName, score_type: np.dtype[Any], costs: Costs | None) -> PointMeasure | CaseMeasure:
    """Return what measures a resample."""
    name, threshold = measure.measure, measure.threshold
    if name in _COUNTED:
        at = "" if threshold is None else f"@{threshold!r}"
        return parse_measure(BOOTSTRAPPED.get(name, name) + at)

    def of_cases(y_true: BoolArray, y_score: ScoreArray, sample_weight: AnyArray | None = None) -> float:
        if name in CALIBRATED:
            drawn = RowWeights(values=sample_weight)
            _, [fit] = calibration_fits(PairedCases(y_true, {"": y_score}, weights=drawn))
            return float(fit.estimates[CALIBRATED.index(name)])
        if threshold is None:
            losses = losses_of_probabilities(name, y_score.astype(score_type, copy=False), y_true)
            return float(np.average(losses, weights=sample_weight))
        codes = binary_codes(y_true, are_at_or_above(y_score, threshold))
        cells = np.bincount(codes, sample_weight, 4).astype(np.float64)
        return float(decision_measure(measure, costs).formula(cells.reshape(2, 2)))

    return of_cases
