"""Statistics of score columns against a binary label where rows have weights: the weighted twin of `binary`.

Where the sums of weights are whole numbers, measures are computed of Python's integers, so that whole weights give to
the bit what repeated rows give.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.areas.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, are_whole, class_weight_sums, decision_weight_sums, scaled_weights
from evalcore.measures import binary
from evalcore.measures.effective_cases import kish_number
from evalcore.report.asked_thresholds import AskedThreshold
from evalcore.report.catalogue import statistics
from evalcore.report.costs import Costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Section, Statistic
from evalcore.report.statistics.binary import decision_measures
from evalcore.report.statistics.calibrations import calibration_of_weights, estimates
from evalcore.report.statistics.decisions import NO_DECISIONS, section_of, values_of_thresholds
from evalcore.report.statistics.rankings import ranking_of_weights, ranking_values
from evalcore.report.statistics.weighted_intervals import (
    WeightedColumns,
    weighted_decision_intervals,
    weighted_ranking_intervals,
)
from evalcore.report.weighting import RowWeights, Weighting
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray
from evalcore.validation.arrays import as_cases


def weighted_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    threshold: float | None = None,
    level: float | None = None,
    *,
    models: WeightedColumns | None = None,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
    area_method: str = DEFAULT_AREA_METHOD,
    with_calibration: bool = True,
) -> Section:
    """Evaluate score columns against one label column, as `binary_report` does.  O(n log n) for each column.

    models: takes what comparisons need of each column, and gives the ROC areas their intervals afterwards.
    """
    effective = None if weights.given is weights.values else given_effective_cases(weights)
    classes: list[WeightSums] = []  # the same for all models

    def measured(name: str) -> list[Statistic]:
        ranking = ranking_of(positive, scores[name], weights.values, name, *classes[:1])
        classes.append(ranking.classes)
        if models is not None:
            models.add(ranking)
        return weighted_statistics(
            ranking, threshold, level, weighting=weights.weighting, effective=effective, costs=costs, measures=measures,
            with_area=models is None, area_method=area_method, with_calibration=with_calibration,
        )  # fmt: skip

    return Section("scores", "", "score", {name: measured(name) for name in scores}, across=True)


def given_effective_cases(weights: RowWeights) -> float:
    """Return the effective number of cases of weights as they were given.  O(n)."""
    given = weights.given
    if given is None:
        return float(weights.values.size)
    if given.dtype.kind == "f":
        given = scaled_weights(given)[0]
    return effective_cases(class_weight_sums(np.ones(given.size, np.bool_), given))


def ranking_of(
    positive: BoolArray, scores: Any, weights: AnyArray, name: str, classes: WeightSums | None = None
) -> WeightedRanking:
    """Return the ranking of a column of scores, (n,); raise EvaluationError for invalid scores.  O(n).

    classes: sums over the weights of each class, if they are known.
    """
    correct, values = as_cases(positive, scores, ("label", f"column {name!r}"))
    return WeightedRanking(values, correct, weights, classes)


def weighted_statistics(
    ranking: WeightedRanking,
    threshold: float | None = None,
    level: float | None = None,
    *,
    weighting: Weighting,
    effective: float | None = None,
    with_area: bool = True,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
    area_method: str = DEFAULT_AREA_METHOD,
    with_calibration: bool = False,
) -> list[Statistic]:
    """Return the statistics of checked cases with weights, as `binary_statistics` does.  O(n log n).

    effective: Kish's effective number of cases, of the weights that were given, where others follow from these;
    with_area: whether the ROC area has an interval too, by area_method; with_calibration: as in `binary_report`.
    """
    if effective is None:
        effective = effective_cases(ranking.classes)
    frequencies = weighting.of_frequencies
    values = values_of_cases(ranking.classes, weighting, effective, ranking.divisor)
    values |= ranking_values(ranking_of_weights(ranking, has_ranks=frequencies), costs, measures)
    intervals: dict[str, Interval] = {}
    if level is not None:
        intervals = weighted_ranking_intervals(
            ranking, values, level, weighting, with_area=with_area, area_method=area_method
        )
        calibration = calibration_of_weights(ranking, weighting, measures, level) if with_calibration else {}
        values |= estimates(calibration)
        intervals |= calibration
    if threshold is not None:
        cells = decisions_at(ranking, threshold, weighting)
        values["threshold"] = threshold
        values |= weighted_decisions(cells, weighting, ranking.divisor)
        intervals |= {} if level is None else weighted_decision_intervals(cells, level, weighting)
    return statistics(values, intervals)


def values_of_cases(
    classes: WeightSums, weighting: Weighting, effective: float, divisor: float = 1.0
) -> dict[str, int | float]:
    """Return numbers of cases, by name.  O(1).

    classes: positives and negatives, (2,) each; effective: Kish's number of cases; divisor: as of
    `weighted_decisions`.

    >>> values_of_cases(WeightSums(*np.array([[1.0, 3.0], [1.0, 5.0], [1.0, 2.0]])), Weighting("w"), 2.5)
    {'cases': 3, 'positives': 1, 'weight': 4.0, 'effective_cases': 2.5, 'prevalence': 0.25}
    """
    positives, negatives = classes.sums.tolist()
    prevalence = {"prevalence": float(binary.prevalence(positives, 0, 0, negatives))}
    if weighting.of_frequencies:
        return {"cases": int(positives + negatives), "positives": int(positives), **prevalence}
    cases, positive_cases = int(classes.cases.sum()), int(classes.cases[0])
    found: dict[str, int | float] = {"cases": cases, "positives": positive_cases}
    if weighting.column is not None:
        found |= {"weight": (positives + negatives) * divisor, "effective_cases": effective}
    if weighting.target_prevalence is not None:
        prevalence = {"prevalence": weighting.target_prevalence}
    return found | prevalence


def effective_cases(cells: WeightSums) -> float:
    """Return the effective number of the cases of all cells, as `kish_number`.  O(cells)."""
    return float(kish_number(WeightSums(*(np.atleast_1d(column.sum()) for column in cells)))[0])


def decisions_at(ranking: WeightedRanking, threshold: float, weighting: Weighting) -> WeightSums:
    """Return the sums of weights of tp, fn, fp and tn, (4,) each.  O(n)."""
    predicted = are_at_or_above(ranking.scores, threshold)
    return decision_weight_sums(ranking.correct, predicted, ranking.weights, frequencies=weighting.of_frequencies)


def weighted_decisions(cells: WeightSums, weighting: Weighting, divisor: float = 1.0) -> dict[str, int | float]:
    """Return sums of weights and what derives from them, by name, as `decision_statistics`.  O(1).

    cells: tp, fn, fp and tn, (4,) each; divisor: what weights were divided by.  Chi-squared is of the effective number
    of cases.

    >>> cells = WeightSums(*np.array([[1.5, 2.0, 3.0, 4.0], [2.25, 4.0, 9.0, 16.0], [1.0, 1.0, 1.0, 1.0]]))
    >>> found = weighted_decisions(cells, Weighting("w"))
    >>> found["tp"], round(found["accuracy"], 6)
    (1.5, 0.52381)
    """
    whole = are_whole(cells.sums)
    amounts = BinaryCounts(*(int(each) if whole else each for each in cells.sums.tolist()))
    found = {name: float(value) for name, value in decision_measures(*amounts).items()}
    if weighting.of_frequencies:
        return {**amounts._asdict(), **found}
    found["chi_squared"] = effective_cases(cells) * found["phi_squared"]  # a common factor of weights changes nothing
    return {**{name: each * divisor for name, each in zip(amounts._fields, cells.sums.tolist(), strict=True)}, **found}


def weighted_decision_sections(
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    thresholds: Sequence[AskedThreshold],
    level: float | None = None,
) -> list[Section]:
    """Return a section for each threshold, as `decision_sections` does.  O(n log n) for each column and target."""
    if not thresholds:
        return []
    found: dict[AskedThreshold, dict[str, list[Statistic]]] = {threshold: {} for threshold in thresholds}
    for name, column in scores.items():
        ranking = ranking_of(positive, column, weights.values, name)
        for threshold, value in values_of_thresholds(partial(getattr, ranking, "points"), thresholds):
            found[threshold][name] = weighted_decision_record(ranking, value, level, weights.weighting)
    return [section_of(threshold, models) for threshold, models in found.items()]


def weighted_decision_record(
    ranking: WeightedRanking,
    threshold: float,
    level: float | None,
    weighting: Weighting,
) -> list[Statistic]:
    """Return the statistics of decisions at a threshold; all are NaN where it is.  O(n)."""
    if np.isnan(threshold):
        return statistics({"threshold": np.nan, **NO_DECISIONS})
    cells = decisions_at(ranking, threshold, weighting)
    values = {"threshold": threshold, **weighted_decisions(cells, weighting, ranking.divisor)}
    return statistics(values, {} if level is None else weighted_decision_intervals(cells, level, weighting))
