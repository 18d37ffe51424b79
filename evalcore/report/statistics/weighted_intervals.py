"""Intervals beside the statistics of rows with weights, and comparisons of score columns on such rows.

Of frequencies they are those of repeated rows; of sampling weights they are as wide as the sampled rows make them.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.areas.roc_area_bounds import DEFAULT_AREA_METHOD, PairedAreas, compare_areas, difference_method
from evalcore.inference.areas.roc_area_comparisons import PlacedAreas
from evalcore.inference.interval_columns import (
    Intervals,
    average_precision_intervals_of_weights,
    decision_intervals_of_weights,
    f1_intervals_of_weights,
    intervals_of_known_prevalence,
    kappa_intervals_of_weights,
    proportion_intervals_of_weights,
    roc_area_intervals,
)
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.weights import WeightSums
from evalcore.measures.effective_cases import smaller_class, smaller_class_of_cases
from evalcore.measures.roc_variances import roc_area_and_variance, weighted_roc_covariance
from evalcore.report.statistics.intervals import decision_fractions, decision_intervals, intervals_of_positives
from evalcore.report.weighting import Weighting
from evalcore.state.cases import WeightedRanking
from evalcore.typing import FloatArray


class WeightedColumns:
    """The losses of score columns on the same cases with weights, in their order, for comparisons."""

    def __init__(self, *, frequencies: bool, area_method: str = DEFAULT_AREA_METHOD) -> None:
        self._frequencies, self._area_method = frequencies, area_method
        self._losses: list[FloatArray] = []

    def add(self, ranking: WeightedRanking) -> None:
        """Take what a comparison needs of a column, all of the same cases.  O(n), if they are sorted."""
        self._correct, self._weights = ranking.correct, ranking.weights
        self._losses.append(ranking.losses())

    def areas(self, values: Sequence[float], pairs: Sequence[tuple[int, int]], level: float) -> PlacedAreas:
        """Return the intervals of the ROC areas, and compare pairs of them, by index.  O((k + pairs) n)."""
        variances = [self._variance([index], [1.0]) for index in range(len(self._losses))]
        smaller = smaller_class_of_cases(self._correct, self._weights, frequencies=self._frequencies)
        of_each = np.full(len(values), smaller)
        found = roc_area_intervals(np.array(values), np.array(variances), of_each, level, self._area_method)
        chosen, own = list(map(list, pairs)), np.array(variances)
        areas = PairedAreas(
            np.array(values)[chosen].T,
            np.array([[self._variance(pair, [1.0, -1.0]) for pair in chosen], *own[chosen].T]),
            np.full(len(chosen), smaller),
        )
        return PlacedAreas(found.each(level), compare_areas(areas, level, difference_method(self._area_method)))

    def _variance(self, models: Sequence[int], factors: Sequence[float]) -> float:
        found = weighted_roc_covariance(
            [self._losses[model] for model in models],
            self._correct,
            self._weights,
            [factors],
            frequencies=self._frequencies,
        )
        return float(found[0, 0])


def weighted_ranking_intervals(
    ranking: WeightedRanking,
    values: Mapping[str, float],
    level: float,
    weighting: Weighting,
    *,
    with_area: bool = True,
    area_method: str = DEFAULT_AREA_METHOD,
) -> dict[str, Interval]:
    """Return the intervals of prevalence, ROC area and average precision, as `ranking_intervals`.  O(n).

    A target prevalence has none.
    """
    frequencies = weighting.of_frequencies
    if frequencies:
        found = intervals_of_positives(ranking.positives, ranking.positives + ranking.negatives, values, level)
    else:
        found = _intervals_of_classes(ranking.classes, values, level)
    if weighting.target_prevalence is not None:
        del found["prevalence"]
    if with_area and "roc_area" in values:
        area = roc_area_and_variance(ranking.ordering, ranking.parted, frequencies=frequencies)
        smaller = smaller_class(area.classes).reshape(1)
        areas, variances = np.array([values["roc_area"]]), np.array([area.variance])
        found["roc_area"] = _first(roc_area_intervals(areas, variances, smaller, level, area_method), level)
    return found


def _intervals_of_classes(classes: WeightSums, values: Mapping[str, float], level: float) -> dict[str, Interval]:
    positives, negatives = classes.at(slice(0, 1)), classes.at(slice(1, 2))
    found = {"prevalence": proportion_intervals_of_weights(positives, positives.plus(negatives), level)}
    if (estimate := values.get("average_precision")) is not None:
        found["average_precision"] = average_precision_intervals_of_weights(
            np.array([estimate]), positives, negatives, level
        )
    return {name: _first(each, level) for name, each in found.items()}


def weighted_decision_intervals(cells: WeightSums, level: float, weighting: Weighting) -> dict[str, Interval]:
    """Return the intervals of what is reported of decisions, as `decision_intervals`.  O(1).

    cells: tp, fn, fp and tn, (4,) each.
    """
    if weighting.of_frequencies:
        return decision_intervals(BinaryCounts(*map(int, cells.sums.tolist())), level)
    tables = WeightSums(*(column.reshape(1, 2, 2) for column in cells))
    if weighting.target_prevalence is not None:
        return {name: _first(each, level) for name, each in intervals_of_known_prevalence(tables, level).items()}
    tp, fn, fp = (cells.at(slice(cell, cell + 1)) for cell in range(3))
    group = WeightSums(*(column.reshape(4, 1) for column in cells))
    fractions = decision_fractions(*np.eye(4))
    return {
        **{
            name: _first(decision_intervals_of_weights(group, *parts, level), level)
            for name, parts in fractions.items()
        },
        "f1": _first(f1_intervals_of_weights(tp, fn, fp, level), level),
        "kappa": _first(kappa_intervals_of_weights(tables, level), level),
    }


def _first(intervals: Intervals, level: float) -> Interval:
    return intervals.each(level)[0]
