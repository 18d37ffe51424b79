"""Intervals of a measure of one model itself, of scores or classes, for conditions and assertions on a value."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from evalcore.comparison.differences.case_differences import units_of_cases
from evalcore.comparison.differences.class_cells import JointCells, cells_of_groups, joint_cells
from evalcore.comparison.measure_names import LOSSES, OF_EACH_CLASS, RANKED, RESAMPLED, ComparedMeasure, threshold_text
from evalcore.comparison.pairing.cases import PairedCases, PairedClasses
from evalcore.comparison.question import CompareQuestion
from evalcore.inference import (
    Interval,
    accuracy_interval,
    average_precision_interval,
    bootstrap_interval,
    f1_interval,
    kappa_interval,
    precision_interval,
    recall_interval,
    roc_auc_interval,
    specificity_interval,
)
from evalcore.inference.intervals import reach_of
from evalcore.inference.roc_area_bounds import DELONG
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums
from evalcore.measures.influence import mean_influence
from evalcore.measures.multiclass import OF_ALL
from evalcore.report.model import CLASSES, CountRecords
from evalcore.report.options import FREQUENCY, SAMPLING
from evalcore.report.statistics.case_tallies import Tally
from evalcore.report.statistics.classes import Confusion, matrix_report
from evalcore.report.statistics.intervals import without_warnings
from evalcore.typing import AnyArray, FloatArray, ScoreArray

_INTERVALS: dict[str, Callable[..., Interval]] = {
    "roc_area": roc_auc_interval,
    "average_precision": average_precision_interval,
    "accuracy": accuracy_interval,
    "recall": recall_interval,
    "specificity": specificity_interval,
    "precision": precision_interval,
    "f1": f1_interval,
    "kappa": kappa_interval,
}
_OF_ANY_PREVALENCE = "roc_area", "recall", "specificity"
_BOUNDS = {"kappa": (-1.0, 1.0)}
"""The least and the largest value of measures that are no fractions."""


@without_warnings()
def value_interval(
    measure: ComparedMeasure, scores: ScoreArray, cases: PairedCases, question: CompareQuestion
) -> Interval | None:
    """Return the interval of a measure of scores, (n,), for the cases; None for a measure that has none.

    As in reports: Wilson's, Boyd's and the like, also of clusters; for measures without a formula the bootstrap of the
    question.  O(n log n), times the resamples.
    """
    name = measure.measure
    if cases.has_known_prevalence and name not in _OF_ANY_PREVALENCE:
        return None  # the prevalence is no estimate there
    if name in LOSSES:
        return _mean_interval(cases.losses(name, scores), cases, question)
    asked: dict[str, Any] = {
        "sample_weight": cases.amounts,
        "weight_type": SAMPLING if cases.frequencies is None else FREQUENCY,
        "level": question.level,
    }
    if name in _INTERVALS and (name in RANKED or measure.threshold is not None):
        if name == "roc_area" and question.area_method == DELONG:
            asked["method"] = DELONG
        found = scores if measure.threshold is None else are_at_or_above(scores, measure.threshold)
        return _INTERVALS[name](cases.positive, found, **asked, cluster=cases.clusters)
    if name not in RESAMPLED:
        return None
    at = "" if measure.threshold is None else f"@{threshold_text(measure.threshold)}"
    return bootstrap_interval(
        cases.positive,
        scores,
        f"{RESAMPLED[name]}{at}",
        **asked,
        resamples=question.resamples,
        stratify=question.stratify and cases.clusters is None,
        cluster=cases.clusters,
        seed=question.seed,
    )


def _mean_interval(losses: FloatArray, cases: PairedCases, question: CompareQuestion) -> Interval:
    """Return the interval of the mean of losses, (n,): of cases normal, of clusters Student's.  O(n)."""
    weights, units = cases.amounts, units_of_cases(cases)
    mean = float(np.average(losses, weights=weights))
    [variance] = units.spread(mean_influence(losses, weights)).tolist()
    reach = reach_of(question.level, float(units.freedom[0])) * float(np.sqrt(variance))
    method = "normal" if cases.clusters is None else "t"
    return Interval(mean, max(mean - reach, 0.0), mean + reach, question.level, method)


def cells_by_group(cases: PairedClasses, model: str, grouping: str | None) -> Mapping[str | None, JointCells]:
    """Return the cells of each group; of all cases, under None, without a grouping.  O(n log n)."""
    if grouping is None:
        return {None: joint_cells(cases, model)}
    return dict(cells_of_groups(cases, model, cases.groups[grouping]))


def class_value_interval(
    measure: ComparedMeasure, value: float, categories: tuple[Any, ...], cells: JointCells, question: CompareQuestion
) -> Interval | None:
    """Return the interval of a measure of the new model, which has a value; None where it has none.  O(m + k²).

    It is that of reports, such as Wilson's; of clusters, and of measures without an interval in reports, the normal one
    by the delta method.  categories: of all classes, whose indices the cells have.
    """
    occurring, own = cells.of_classes_that_occur()
    names = [str(categories[code]) for code in occurring.tolist()]
    if measure.category is not None and measure.category not in names:
        return None
    if cells.clusters is None:
        reported = _reported(own, names, question.level).get(measure)
        if reported is not None:
            return reported
    return _by_delta(measure, value, own, names, question.level)


def _reported(cells: JointCells, names: list[str], level: float) -> dict[ComparedMeasure, Interval]:
    """Return the intervals that reports have, by measure.  O(m + k²)."""
    sections = matrix_report(Confusion(tuple(names), *_tally(cells)), level)
    return {
        ComparedMeasure(item.name, category=name if section.name == CLASSES else None): item.interval
        for section in sections
        if not isinstance(section.records, CountRecords)
        for name, items in section.records.items()
        for item in items
        if item.interval is not None
    }


def _tally(cells: JointCells) -> Tally:
    """Return the table of labels and new predictions.  O(m + k²)."""
    classes = 1 + int(max(each.max(initial=0) for each in (cells.labels, cells.old, cells.new)))

    def added(column: AnyArray) -> AnyArray:
        sums = np.bincount(cells.labels * classes + cells.new, column, classes**2)
        return sums.astype(column.dtype).reshape(classes, classes)

    weights = cells.tally.weights
    return Tally(added(cells.tally.counts), None if weights is None else WeightSums(*map(added, weights)))


def _by_delta(
    measure: ComparedMeasure, value: float, cells: JointCells, names: list[str], level: float
) -> Interval | None:
    """Return the normal interval, of clusters Student's, within the values of the measure.  O(m log m + k²)."""
    if measure.measure not in (*OF_ALL, *OF_EACH_CLASS):
        return None
    index = 0 if measure.category is None else names.index(measure.category)
    error = float(cells.errors([measure.measure], of_new_alone=True)[measure.measure][index])
    reach = reach_of(level, cells.freedom) * error
    least, largest = _BOUNDS.get(measure.measure, (0.0, 1.0))
    return Interval(value, max(value - reach, least), min(value + reach, largest), level, "delta")
