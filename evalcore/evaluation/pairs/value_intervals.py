"""Intervals of a measure of one model itself, of scores or classes, for conditions and assertions on a value."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from evalcore import inference
from evalcore.evaluation.options import FREQUENCY, SAMPLING
from evalcore.evaluation.pairs.cases import PairedCases, PairedClasses
from evalcore.evaluation.pairs.class_cells import JointCells, cells_of_groups, joint_cells
from evalcore.evaluation.pairs.measure_names import (
    LOSSES,
    OF_EACH_CLASS,
    RANKED,
    RESAMPLED,
    ComparedMeasure,
    threshold_text,
)
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.classes import agreement_columns, class_columns
from evalcore.inference import Interval, bootstrap_interval
from evalcore.inference.intervals import reach_of
from evalcore.inference.resamples import without_warnings
from evalcore.inference.roc_area_bounds import DELONG
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.influence import mean_influence
from evalcore.measures.multiclass import OF_ALL, one_versus_all
from evalcore.typing import FloatArray, ScoreArray

_OWN_NAMES = "average_precision", "accuracy", "recall", "specificity", "precision", "f1", "kappa"
_INTERVALS: dict[str, Callable[..., Interval]] = {
    "roc_area": inference.roc_auc_interval,
    **{name: getattr(inference, f"{name}_interval") for name in _OWN_NAMES},
}
_OF_ANY_PREVALENCE = "roc_area", "recall", "specificity"
_BOUNDS = {"kappa": (-1.0, 1.0)}
"""The least and the largest value of measures that are no fractions."""


@without_warnings()
def value_interval(
    measure: ComparedMeasure, scores: ScoreArray, cases: PairedCases, question: Question
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
        "level": question.confidence,
    }
    if name in _INTERVALS and (name in RANKED or measure.threshold is not None):
        if name == "roc_area" and question.difference_method == DELONG:
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


def _mean_interval(losses: FloatArray, cases: PairedCases, question: Question) -> Interval:
    """Return the interval of the mean of losses, (n,): of cases normal, of clusters Student's.  O(n)."""
    weights, units = cases.amounts, cases.units()
    mean = float(np.average(losses, weights=weights))
    [variance] = units.spread(mean_influence(losses, weights)).tolist()
    reach = reach_of(question.confidence, float(units.freedom[0])) * float(np.sqrt(variance))
    method = "normal" if cases.clusters is None else "t"
    return Interval(mean, max(mean - reach, 0.0), mean + reach, question.confidence, method)


def cells_by_group(cases: PairedClasses, model: str, grouping: str | None) -> Mapping[str | None, JointCells]:
    """Return the cells of each group; of all cases, under None, without a grouping.  O(n log n)."""
    if grouping is None:
        return {None: joint_cells(cases, model)}
    return dict(cells_of_groups(cases, model, cases.groups[grouping]))


def class_value_interval(
    measure: ComparedMeasure, value: float, categories: tuple[Any, ...], cells: JointCells, question: Question
) -> Interval | None:
    """Return the interval of a measure of the new model, which has a value; None where it has none.  O(m + k²).

    It is that of reports, such as Wilson's; of clusters, and of measures without an interval in reports, the normal one
    by the delta method, of clusters Student's.  categories: of all classes, whose indices the cells have.
    """
    occurring, own = cells.of_classes_that_occur()
    names, name, level = [str(categories[code]) for code in occurring.tolist()], measure.measure, question.confidence
    if measure.category is not None and measure.category not in names:
        return None
    index, k = 0 if measure.category is None else names.index(measure.category), len(names)
    if own.clusters is None:
        codes = own.labels * k + own.new
        table = own.tally.map(lambda column: np.bincount(codes, column, k * k).astype(column.dtype).reshape(k, k))
        if measure.category is None:
            columns = agreement_columns(table.of_one_group, level)
        else:
            columns = class_columns(table.map(lambda column: np.array(one_versus_all(column))), level)
        if name in columns.intervals:
            return columns.intervals[name].each(level)[index]
    if name not in (*OF_ALL, *OF_EACH_CLASS):
        return None
    reach = reach_of(level, own.freedom) * float(own.errors([name], of_new_alone=True)[name][index])
    least, largest = _BOUNDS.get(name, (0.0, 1.0))
    return Interval(value, max(value - reach, least), min(value + reach, largest), level, "delta")
