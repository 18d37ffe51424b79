"""Intervals beside the statistics of a report, and comparisons of its score columns."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import Interval, holm, proportion_interval
from evalcore.inference.curve_areas import average_precision_interval_of_estimate, roc_auc_interval_of_keys
from evalcore.inference.decisions.agreement import f1_interval_of_counts, kappa_interval_of_counts
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
from evalcore.inference.intervals import Comparison
from evalcore.inference.roc_area_bounds import DEFAULT_AREA_METHOD, PairedAreas, compare_areas, difference_method
from evalcore.inference.roc_area_comparisons import PlacedAreas, areas_of_placements, check_comparable
from evalcore.kernels.placements import Placements, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.weights import WeightSums
from evalcore.measures.effective_cases import smaller_class, smaller_class_of_cases
from evalcore.measures.roc_variances import roc_area_and_variance, weighted_roc_covariance
from evalcore.report.catalogue import statistics
from evalcore.report.model import COMPARISONS, Section, Statistic
from evalcore.report.ranked_columns import RankedCases
from evalcore.report.weighting import Weighting
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import FloatArray, IntArray, KeyArray

OF_ACCURACY = "accuracy", "micro_precision", "micro_recall", "micro_f1"
"""Statistics that all are the accuracy, where each case has one class."""


@contextmanager
def without_warnings() -> Iterator[None]:
    """Give undefined intervals no bounds, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


@without_warnings()
def ranking_intervals(
    cases: RankedCases,
    values: Mapping[str, float],
    level: float,
    weighting: Weighting,
    *,
    with_area: bool = True,
    area_method: str = DEFAULT_AREA_METHOD,
) -> dict[str, Interval]:
    """Return the intervals of prevalence, ROC area and average precision, of those that are among values.  O(n).

    cases: sorted already, if they are ranked; with_area: whether the ROC area has an interval, by this method.  A
    target prevalence has none.
    """
    if isinstance(cases, WeightedRanking) and not weighting.of_frequencies:
        found = _intervals_of_classes(cases.classes, values, level)
    else:
        found = intervals_of_positives(cases.positives, cases.positives + cases.negatives, values, level)
    if weighting.target_prevalence is not None:
        del found["prevalence"]
    if with_area and "roc_area" in values:
        if isinstance(cases, WeightedRanking):
            area = roc_area_and_variance(cases.walk, frequencies=weighting.of_frequencies)
            smaller, variances = smaller_class(area.classes).reshape(1), np.array([area.variance])
            areas = roc_area_intervals(np.array([values["roc_area"]]), variances, smaller, level, area_method)
            found["roc_area"] = areas.each(level)[0]
        else:
            found["roc_area"] = roc_auc_interval_of_keys(cases.ordering.keys, level, area_method)
    return found


@without_warnings()
def intervals_of_positives(
    positives: int, cases: int, values: Mapping[str, float], level: float
) -> dict[str, Interval]:
    """Return the intervals of the prevalence, and of the average precision if it is among values.  O(1)."""
    found = {"prevalence": proportion_interval(positives, cases, level=level)}
    if (estimate := values.get("average_precision")) is not None:
        found["average_precision"] = average_precision_interval_of_estimate(estimate, positives, level)
    return found


def _intervals_of_classes(classes: WeightSums, values: Mapping[str, float], level: float) -> dict[str, Interval]:
    positives, negatives = classes.at(slice(0, 1)), classes.at(slice(1, 2))
    found = {"prevalence": proportion_intervals_of_weights(positives, positives.plus(negatives), level)}
    if (estimate := values.get("average_precision")) is not None:
        found["average_precision"] = average_precision_intervals_of_weights(
            np.array([estimate]), positives, negatives, level
        )
    return {name: each.each(level)[0] for name, each in found.items()}


@without_warnings()
def decision_intervals(counts: BinaryCounts, level: float) -> dict[str, Interval]:
    """Return the intervals of what is reported of decisions, without bounds where they are not defined.  O(1)."""
    tp, fn, fp, tn = counts
    fractions = decision_fractions(tp, fn, fp, tn)
    return {
        **{name: proportion_interval(*parts, level=level) for name, parts in fractions.items()},
        "f1": f1_interval_of_counts(tp, fn, fp, level),
        "kappa": kappa_interval_of_counts(np.array([[tp, fn], [fp, tn]]), level),
    }


def cell_intervals(cells: WeightSums, level: float, weighting: Weighting) -> dict[str, Interval]:
    """Return the same from the sums over tp, fn, fp and tn, (4,) each.  O(1)."""
    if weighting.of_frequencies:
        return decision_intervals(BinaryCounts(*map(int, cells.sums.tolist())), level)
    if weighting.target_prevalence is not None:
        found = intervals_of_known_prevalence(WeightSums(*(column.reshape(1, 2, 2) for column in cells)), level)
    else:
        found = weighted_decision_intervals(WeightSums(*(column.reshape(4, 1) for column in cells)), level)
    return {name: each.each(level)[0] for name, each in found.items()}


def weighted_decision_intervals(cells: WeightSums, level: float) -> dict[str, Intervals]:
    """Return the same of g groups of cases with weights, from tp, fn, fp and tn, (4, g) each.  O(g)."""
    tp, fn, fp = (cells.at(index) for index in range(3))
    fractions = decision_fractions(*np.eye(4))
    return {
        **{name: decision_intervals_of_weights(cells, *parts, level) for name, parts in fractions.items()},
        "f1": f1_intervals_of_weights(tp, fn, fp, level),
        "kappa": kappa_intervals_of_weights(WeightSums(*(column.T.reshape(-1, 2, 2) for column in cells)), level),
    }


def decision_fractions(tp: Any, fn: Any, fp: Any, tn: Any) -> dict[str, tuple[Any, Any]]:
    """Return successes and trials of the measures that are fractions of cases, of counts or arrays of them.  O(1)."""
    return {
        "accuracy": (tp + tn, tp + fn + fp + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "specificity": (tn, tn + fp),
        "negative_predictive_value": (tn, tn + fn),
        "jaccard": (tp, tp + fn + fp),
    }


@without_warnings()
def agreement_intervals(counts: IntArray, level: float) -> dict[str, Interval]:
    """Return the intervals of accuracy, which all micro averages equal, and of kappa, from counts (k, k).  O(k²)."""
    accuracy = proportion_interval(int(counts.trace()), int(counts.sum()), level=level)
    kappa = kappa_interval_of_counts(counts, level)
    return {**dict.fromkeys(OF_ACCURACY, accuracy), "kappa": kappa}


def pair_naming(names: Sequence[str]) -> Callable[[str, str], str]:
    """Return what names pairs of score columns, each pair unlike all others.  O(names).

    >>> pair_naming(["a", "b"])("a", "b"), pair_naming(["a - b", "c"])("a - b", "c")
    ('a - b', "'a - b' - 'c'")
    """
    shown: Callable[[str], str] = repr if any(" - " in name for name in names) else str
    return lambda first, second: f"{shown(first)} - {shown(second)}"


class ComparedPairs(NamedTuple):
    """Which score columns are compared."""

    pairs: list[tuple[int, int]]
    """Indices of columns."""
    baseline: str
    """The column that all others are compared with; empty if there is none."""
    family: int
    """Number of comparisons that p-values are adjusted for, if each has one."""

    def adjusted(self, compared: Section) -> int:
        """Return how many comparisons p-values are adjusted for: undefined ones are left out.  O(pairs)."""
        p_values = [item.value for items in compared.records.values() for item in items if item.name == "p_value"]
        defined = int(np.count_nonzero(~np.isnan(p_values)))
        return self.family - len(p_values) + defined if defined else 0

    def notes(self, compared: Section) -> list[str]:
        """Say how many comparisons p-values are adjusted for, if there are several.  O(pairs)."""
        adjusted = self.adjusted(compared)
        if adjusted < 2:
            return []
        why = ", because any model could have been the best" if self.family > len(self.pairs) else ""
        return [f"P-values are adjusted by Holm's method for {adjusted:,} comparisons{why}"]


def compared_pairs(ranked: Section, compare: str, measure: str = "roc_area") -> ComparedPairs:
    """Choose pairs of columns; ranked: a record for each column; compare: one of `COMPARED` but "none".  O(pairs).

    The best column has the largest value of the measure.  If the same cases choose it, p-values are adjusted for all
    pairs: another could have been the best.
    """
    names, every = list(ranked.records), list(combinations(range(len(ranked.records)), 2))
    if compare == "all":
        return ComparedPairs(every, "", len(every))
    values = [item.value for items in ranked.records.values() for item in items if item.name == measure]
    baseline = int(np.argmax(values)) if compare == "best" else 0
    pairs = [(baseline, other) for other in range(len(names)) if other != baseline]
    return ComparedPairs(pairs, names[baseline], len(every) if compare == "best" else len(pairs))


class ComparableColumns(Protocol):
    """What comparisons need of k score columns on the same cases, in their order."""

    def areas(self, values: Sequence[float], pairs: Sequence[tuple[int, int]], level: float) -> PlacedAreas:
        """Return the intervals of the ROC areas, which have these values, and compare pairs of them, by index."""


class PlacedColumns(list[Placements]):
    """The placements of score columns in their order, for comparisons that sort nothing again."""

    def __init__(self, area_method: str) -> None:
        super().__init__()
        self._area_method = area_method

    _memory: KeyArray | None = None
    """For the keys of the next column: new memory costs the system half as much as the sort of it."""

    @contextmanager
    def ranked(self, cases: RankedCases) -> Iterator[ScoredCases]:
        """Lend the state of the sorted cases of a column; on exit its placements replace it.  O(n log n)."""
        check_comparable(cases.size, "label")
        found = indexed_order(cases.scores, cases.correct, self._memory)
        yield ScoredCases.of(cases.correct, cases.scores, found.ordering)
        self._memory = found.keys
        self.append(placements(found))

    def areas(self, values: Sequence[float], pairs: Sequence[tuple[int, int]], level: float) -> PlacedAreas:
        """Return the intervals of the ROC areas, and compare pairs of them, by index.  O((k + pairs) n)."""
        return areas_of_placements(self, pairs, level, self._area_method)


class WeightedColumns:
    """The losses of score columns on the same cases with weights, in their order, for comparisons."""

    def __init__(self, area_method: str, *, frequencies: bool) -> None:
        self._frequencies, self._area_method = frequencies, area_method
        self._losses: list[FloatArray] = []

    @contextmanager
    def ranked(self, cases: RankedCases) -> Iterator[RankedCases]:
        """Lend the cases of a column with weights; on exit their losses are kept.  O(n), if they are sorted."""
        assert isinstance(cases, WeightedRanking)
        yield cases
        self._correct, self._weights = cases.correct, cases.weights
        self._losses.append(cases.losses())

    def areas(self, values: Sequence[float], pairs: Sequence[tuple[int, int]], level: float) -> PlacedAreas:
        """Return the intervals of the ROC areas, and compare pairs of them, by index.  O((k + pairs) n)."""
        own, chosen = np.array([self._variance([index], [1.0]) for index in range(len(values))]), [*map(list, pairs)]
        smaller = smaller_class_of_cases(self._correct, self._weights, frequencies=self._frequencies)
        found = roc_area_intervals(np.array(values), own, np.full(len(values), smaller), level, self._area_method)
        areas = PairedAreas(
            np.array(values)[chosen].T,
            np.array([[self._variance(pair, [1.0, -1.0]) for pair in chosen], *own[chosen].T]),
            np.full(len(chosen), smaller),
        )
        return PlacedAreas(found.each(level), compare_areas(areas, level, difference_method(self._area_method)))

    def _variance(self, models: Sequence[int], factors: Sequence[float]) -> float:
        losses = [self._losses[model] for model in models]
        found = weighted_roc_covariance(losses, self._correct, self._weights, [factors], frequencies=self._frequencies)
        return float(found[0, 0])


@without_warnings()
def comparisons(ranked: Section, columns: ComparableColumns, chosen: ComparedPairs, level: float) -> list[Section]:
    """Give the ROC areas of score columns intervals, and compare pairs of them.  O(pairs n).

    ranked: a record for each column, without these intervals: both need the placements, which are added up once.
    If there is more than one comparison, p-values adjusted by Holm's method are added.
    """
    names = list(ranked.records)
    name_of = pair_naming(names)
    values = [item.value for items in ranked.records.values() for item in items if item.name == "roc_area"]
    intervals, found = columns.areas(values, chosen.pairs, level)
    whole = {
        name: [item._replace(interval=interval) if item.name == "roc_area" else item for item in items]
        for (name, items), interval in zip(ranked.records.items(), intervals, strict=True)
    }
    p_values = np.array([comparison.p_value for comparison in found])
    adjusted = adjusted_p_values(p_values, chosen.family - p_values.size)
    records = {}
    for (first, second), one, corrected in zip(chosen.pairs, found, adjusted.tolist(), strict=True):
        pair = name_of(names[first], names[second])
        records[pair] = comparison_statistics(one, corrected if chosen.family > 1 else None)
    baseline = f" with that of {chosen.baseline!r}" if chosen.baseline and len(records) > 1 else ""
    compared = Section(COMPARISONS, f"ROC areas compared{baseline}, on the same cases", "pair", records)
    return [ranked._replace(records=whole), compared]


def adjusted_p_values(p_values: FloatArray, unseen: int) -> FloatArray:
    """Adjust p-values, (k,), by Holm's method, as if there were so many unseen ones more; NaN stays.  O(k log k).

    >>> adjusted_p_values(np.array([0.25, np.nan, 0.125]), 1)
    array([0.5  ,   nan, 0.375])
    """
    defined = ~np.isnan(p_values)
    adjusted = np.full(p_values.size, np.nan)
    ones = np.ones(unseen)  # with a p-value of 1 nothing is rejected
    adjusted[defined] = holm(np.concatenate([p_values[defined], ones]))[: np.count_nonzero(defined)]
    return adjusted


def comparison_statistics(found: Comparison, adjusted: float | None) -> list[Statistic]:
    """Return what is reported of a comparison; adjusted: its p-value, corrected for others, if there are any.  O(1)."""
    values = {"roc_area_difference": found.difference, "p_value": found.p_value}
    if adjusted is not None:
        values["p_value_holm"] = adjusted
    interval = Interval(found.difference, found.low, found.high, found.level, found.method)
    return statistics(values, {"roc_area_difference": interval})
