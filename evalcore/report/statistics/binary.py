"""Statistics of score columns against a binary label, with and without weights: the rows of ``evalcore report``.

Where the sums of weights are whole numbers, measures are computed of Python's integers, so that whole weights give to
the bit what repeated rows give.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from evalcore.inference.intervals import Interval
from evalcore.inference.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, are_whole, class_weight_sums, decision_weight_sums, scaled_weights
from evalcore.measures import binary
from evalcore.measures.effective_cases import kish_number
from evalcore.report.catalogue import statistics
from evalcore.report.costs import Costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Section, Statistic
from evalcore.report.ranked_columns import RankedCases, ranked_cases
from evalcore.report.statistics.calibrations import calibration_intervals
from evalcore.report.statistics.class_scores import class_averages, class_scores
from evalcore.report.statistics.intervals import PlacedColumns, WeightedColumns, cell_intervals, ranking_intervals
from evalcore.report.statistics.rankings import ranking_of, ranking_values
from evalcore.report.weighting import COUNTED, RowWeights, Weighting
from evalcore.state.cases import WeightedRanking
from evalcore.typing import BoolArray, Ratio
from evalcore.validation.arrays import as_cases


class Asked(NamedTuple):
    """What is asked of columns of scores, and of each group."""

    threshold: float | None = None
    """Scores of at least this, in their own width, are predicted positive."""
    level: float | None = None
    """Of intervals."""
    costs: Costs | None = None
    """Of wrong decisions, whose least sum at any threshold is found."""
    measures: Measures = ALL_MEASURES
    """Which are computed."""
    area_method: str = DEFAULT_AREA_METHOD
    """Of the intervals of ROC areas."""


EVERYTHING = Asked()


def binary_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    asked: Asked = EVERYTHING,
    weights: RowWeights | None = None,
    placed: PlacedColumns | WeightedColumns | None = None,
    *,
    with_calibration: bool = True,
) -> Section:
    """Evaluate score columns against one label column: a record for each.  O(n log n) for each.

    positive: (n,); scores: (n,) each; weights: of the rows; placed: takes what `comparisons` needs of each column, and
    gives the ROC areas their intervals afterwards; with_calibration: whether calibration has intervals, if there are
    any.

    Raises EvaluationError or EvaluationTypeError if a column holds NaN, or is not numeric.
    """
    effective = None if weights is None or weights.given is weights.values else given_effective_cases(weights)
    weighting = COUNTED if weights is None else weights.weighting
    classes: list[WeightSums] = []  # the same for all models

    def measured(name: str) -> list[Statistic]:
        given = as_cases(positive, scores[name], ("label", f"column {name!r}"))
        ranking = ranked_cases(*given, None if weights is None else weights.values, *classes[:1])
        if isinstance(ranking, WeightedRanking):
            classes.append(ranking.classes)
        with nullcontext(ranking) if placed is None else placed.ranked(ranking) as cases:
            return binary_statistics(
                cases, asked, weighting, effective, with_area=placed is None, with_calibration=with_calibration
            )

    return Section("scores", "", "score", {name: measured(name) for name in scores}, across=True)


def binary_statistics(
    cases: RankedCases,
    asked: Asked,
    weighting: Weighting = COUNTED,
    effective: float | None = None,
    *,
    with_area: bool = True,
    with_calibration: bool = False,
) -> list[Statistic]:
    """Return the statistics of checked cases.  O(n log n).

    effective: Kish's effective number of cases, of the weights that were given, where others follow from these;
    with_area: whether the ROC area has an interval too; with_calibration: as in `binary_report`.
    """
    threshold, level, _, measures, area_method = asked
    values = ranking_statistics(cases, asked, weighting, effective)
    intervals: dict[str, Interval] = {}
    if level is not None:
        intervals = ranking_intervals(cases, values, level, weighting, with_area=with_area, area_method=area_method)
        calibration = calibration_intervals(cases, weighting, measures, level) if with_calibration else {}
        values |= {name: interval.estimate for name, interval in calibration.items()}
        intervals |= calibration
    found = statistics(values, intervals)
    return found if threshold is None else found + decision_statistics_at(cases, threshold, level, weighting)


def given_effective_cases(weights: RowWeights) -> float:
    """Return the effective number of cases of weights as they were given.  O(n)."""
    given = weights.given
    if given is None:
        return float(weights.values.size)
    if given.dtype.kind == "f":
        given = scaled_weights(given)[0]
    return effective_cases(class_weight_sums(np.ones(given.size, np.bool_), given))


def effective_cases(cells: WeightSums) -> float:
    """Return the effective number of the cases of all cells, as `kish_number`.  O(cells)."""
    return float(kish_number(WeightSums(*(np.atleast_1d(column.sum()) for column in cells)))[0])


def ranking_statistics(
    cases: RankedCases, asked: Asked = EVERYTHING, weighting: Weighting = COUNTED, effective: float | None = None
) -> dict[str, int | float]:
    """Return what is reported of a ranking by score, by name.  O(n log n), O(n) if no measure needs the ranking.

    effective: as in `binary_statistics`.
    """
    if isinstance(cases, WeightedRanking):
        effective = effective_cases(cases.classes) if effective is None else effective
        found = values_of_cases(cases.classes, weighting, effective, cases.divisor)
    else:
        positives, prevalence = cases.positives, float(binary.prevalence(cases.positives, 0, 0, cases.negatives))
        found = {"cases": cases.size, "positives": positives, "prevalence": prevalence}
    return found | ranking_values(ranking_of(cases, has_ranks=weighting.of_frequencies), asked.costs, asked.measures)


def values_of_cases(
    classes: WeightSums, weighting: Weighting, effective: float, divisor: float = 1.0
) -> dict[str, int | float]:
    """Return numbers of cases, by name.  O(1).

    classes: positives and negatives, (2,) each; effective: Kish's number of cases; divisor: as of `decision_values`.

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


def decision_statistics_at(
    cases: RankedCases, threshold: float, level: float | None, weighting: Weighting
) -> list[Statistic]:
    """Return the statistics of decisions at a threshold, which comes first; all are NaN where it is.  O(n)."""
    if np.isnan(threshold):
        return [*NO_DECISIONS]
    predicted = are_at_or_above(cases.scores, threshold)
    if isinstance(cases, WeightedRanking):
        cells = decision_weight_sums(cases.correct, predicted, cases.weights, frequencies=weighting.of_frequencies)
        return decision_record(threshold, cells, level, weighting, cases.divisor)
    return decision_record(threshold, sums_of_counts(binary_counts(cases.correct, predicted)), level)


def sums_of_counts(counts: Sequence[float]) -> WeightSums:
    """Return counts of cases, below 2**53, as the sums of weights of one.  O(counts)."""
    sums = np.array(counts, np.float64)
    return WeightSums(sums, sums, sums)


def decision_record(
    threshold: float,
    cells: WeightSums,
    level: float | None = None,
    weighting: Weighting = COUNTED,
    divisor: float = 1.0,
) -> list[Statistic]:
    """Return the statistics of decisions at a threshold.  O(1).

    cells, divisor: as of `decision_values`.
    """
    values = {"threshold": threshold, **decision_values(cells, weighting, divisor)}
    return statistics(values, {} if level is None else cell_intervals(cells, level, weighting))


def decision_values(cells: WeightSums, weighting: Weighting = COUNTED, divisor: float = 1.0) -> dict[str, int | float]:
    """Return counts or sums of weights and what derives from them, by name; fractions as `class_scores`.  O(1).

    cells: tp, fn, fp and tn, (4,) each; divisor: what weights were divided by.  Chi-squared is of the effective number
    of cases.

    >>> decision_values(sums_of_counts(BinaryCounts(1, 2, 3, 4)))["accuracy"]
    0.5
    >>> cells = WeightSums(*np.array([[1.5, 2.0, 3.0, 4.0], [2.25, 4.0, 9.0, 16.0], [1.0, 1.0, 1.0, 1.0]]))
    >>> found = decision_values(cells, Weighting("w"))
    >>> found["tp"], round(found["accuracy"], 6)
    (1.5, 0.52381)
    """
    whole, fields = are_whole(cells.sums), BinaryCounts._fields
    amounts = [int(each) if whole else each for each in cells.sums.tolist()]
    found = {name: float(value) for name, value in decision_measures(*amounts).items()}
    if weighting.of_frequencies:
        return {**dict(zip(fields, amounts, strict=True)), **found}
    found["chi_squared"] = effective_cases(cells) * found["phi_squared"]  # a common factor of weights changes nothing
    return {**{name: each * divisor for name, each in zip(fields, cells.sums.tolist(), strict=True)}, **found}


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


NO_DECISIONS = [
    item._replace(value=np.nan) for item in decision_record(np.nan, sums_of_counts(BinaryCounts(0, 0, 0, 0)))
]
"""The statistics where there is no threshold."""
