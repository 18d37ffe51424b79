"""Statistics of score columns against a binary label: the rows of ``evalcore report``."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from evalcore.inference.areas.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.inference.intervals import Interval
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures import binary
from evalcore.report.catalogue import statistics
from evalcore.report.costs import Costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Section, Statistic
from evalcore.report.statistics.calibrations import calibration_of_cases, estimates
from evalcore.report.statistics.class_scores import class_averages, class_scores
from evalcore.report.statistics.intervals import PlacedColumns, decision_intervals, ranking_intervals
from evalcore.report.statistics.rankings import ranking_of_cases, ranking_values
from evalcore.state.cases import ScoredCases
from evalcore.typing import BoolArray, Ratio
from evalcore.validation.arrays import as_cases


def binary_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    threshold: float | None = None,
    level: float | None = None,
    placed: PlacedColumns | None = None,
    *,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
    area_method: str = DEFAULT_AREA_METHOD,
    with_calibration: bool = True,
) -> Section:
    """Evaluate score columns against one label column: a record for each.  O(n log n) for each.

    positive: (n,); scores: (n,) each; threshold: scores of at least this, in their own width, are predicted positive;
    level: of intervals; placed: takes the placements of each column, from which `comparisons` adds the intervals of ROC
    areas; costs: of wrong decisions, whose least sum at any threshold is found; measures: which are computed;
    area_method: of the intervals of ROC areas; with_calibration: whether calibration has intervals, if there are any.

    Raises EvaluationError or EvaluationTypeError if a column holds NaN, or is not numeric.
    """

    def measured(name: str) -> list[Statistic]:
        given = as_cases(positive, scores[name], ("label", f"column {name!r}"))
        with nullcontext(ScoredCases.of(*given)) if placed is None else placed.ranked(*given) as cases:
            return binary_statistics(
                cases, threshold, level, with_area=placed is None, costs=costs, measures=measures,
                area_method=area_method, with_calibration=with_calibration,
            )  # fmt: skip

    return Section("scores", "", "score", {name: measured(name) for name in scores}, across=True)


def binary_statistics(
    cases: ScoredCases,
    threshold: float | None = None,
    level: float | None = None,
    *,
    with_area: bool = True,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
    area_method: str = DEFAULT_AREA_METHOD,
    with_calibration: bool = False,
) -> list[Statistic]:
    """Return the statistics of checked cases.  O(n log n).

    threshold, level, costs, measures, area_method, with_calibration: as in `binary_report`; with_area: whether the ROC
    area has an interval too.
    """
    values = ranking_statistics(cases, costs, measures)
    intervals: dict[str, Interval] = {}
    if level is not None:
        intervals = ranking_intervals(cases, values, level, with_area=with_area, area_method=area_method)
        calibration = calibration_of_cases(cases, measures, level) if with_calibration else {}
        values |= estimates(calibration)
        intervals |= calibration
    if threshold is not None:
        counts = binary_counts(cases.correct, are_at_or_above(cases.scores, threshold))
        values |= {"threshold": threshold, **decision_statistics(counts)}
        intervals |= {} if level is None else decision_intervals(counts, level)
    return statistics(values, intervals)


def decision_statistics(counts: BinaryCounts) -> dict[str, int | float]:
    """Return counts and what derives from them, by name; the fractions of either class as `class_scores`.  O(1).

    >>> decision_statistics(BinaryCounts(1, 2, 3, 4))["accuracy"]
    0.5
    """
    return {**counts._asdict(), **{name: float(value) for name, value in decision_measures(*counts).items()}}


def decision_measures(tp: Any, fn: Any, fp: Any, tn: Any) -> dict[str, Ratio]:
    """Return the measures of decisions by name, of counts or of arrays of counts, (g,).  O(g)."""
    positive, negative = class_scores(tp, fn, fp), class_scores(tn, fp, fn)
    of_both = (np.stack(pair, axis=-1).reshape(-1, 2) for pair in ((tp, tn), (fn, fp), (fp, fn)))
    averages = {name: values.reshape(np.shape(tp)) for name, values in class_averages(*of_both).items()}
    return {
        "accuracy": binary.accuracy(tp, fn, fp, tn),
        "balanced_accuracy": averages.pop("balanced_accuracy"),
        "recall": positive.recall,
        "precision": positive.precision,
        "specificity": negative.recall,
        "negative_predictive_value": negative.precision,
        "f1": positive.f1,
        **averages,
        "jaccard": binary.jaccard(tp, fn, fp),
        "kappa": binary.kappa(tp, fn, fp, tn),
        "matthews_correlation": binary.phi(tp, fn, fp, tn),
        "phi_squared": binary.phi_squared(tp, fn, fp, tn),
        "chi_squared": binary.chi_squared(tp, fn, fp, tn),
        "yules_q": binary.yules_q(tp, fn, fp, tn),
    }


def ranking_statistics(
    cases: ScoredCases, costs: Costs | None = None, measures: Measures = ALL_MEASURES
) -> dict[str, int | float]:
    """Return what is reported of a ranking by score, by name.  O(n log n), O(n) if no measure needs the ranking."""
    positives = cases.positives
    found: dict[str, int | float] = {
        "cases": cases.size,
        "positives": positives,
        "prevalence": float(binary.prevalence(positives, 0, 0, cases.negatives)),
    }
    return found | ranking_values(ranking_of_cases(cases), costs, measures)
