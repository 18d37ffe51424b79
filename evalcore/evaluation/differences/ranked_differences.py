"""Differences of ROC areas and average precisions of models that ranked the same cases, whole or in many groups."""

from collections.abc import Sequence
from dataclasses import replace as replaced

import numpy as np

from evalcore.evaluation.pairs.cases import PairedCases
from evalcore.evaluation.pairs.measure_names import RANKED, ComparedMeasure
from evalcore.evaluation.pairs.model import FoundDifferences, differences_of
from evalcore.evaluation.question import Question
from evalcore.inference.curve_areas import check_comparable
from evalcore.inference.intervals import Comparison, PairedEstimates, compare_normal
from evalcore.inference.ranking_estimates import rankings
from evalcore.inference.rankings import AREA
from evalcore.inference.resamples import without_warnings
from evalcore.inference.roc_area_bounds import compare_areas
from evalcore.inference.units import MOST_LEFT_OUT, Units
from evalcore.kernels.grouping import GroupLayout

LINEARISED, JACKKNIFE = "linearised", "jackknife"


@without_warnings()
def ranked_differences(
    cases: PairedCases,
    units: Units,
    measures: Sequence[ComparedMeasure],
    question: Question,
    layout: GroupLayout | None = None,
) -> list[FoundDifferences]:
    """Compare each new model with the old one by those measures that are of ranks.

    layout: of the groups, in whose order differences come; None for all cases.  O(k n log n) for k models, each
    of which is sorted once.
    """
    asked = [measure for measure in measures if measure.measure in RANKED]
    found: list[FoundDifferences] = [{} for _ in cases.new]
    if not asked:
        return found
    if layout is None:
        check_comparable(cases.positive.size, "the label")
    names, columns = dict.fromkeys(measure.measure for measure in asked), list(cases.scores.values())
    known = cases.has_known_prevalence
    estimates = rankings(cases.positive, columns, units, names, layout, known_prevalence=known)
    pairs, freedom, level = [(new, 0) for new in range(1, len(columns))], units.freedom, question.confidence
    for measure in asked:
        estimate = estimates[measure.measure]
        if measure.measure == AREA:
            for of_model, pair in zip(found, estimate.pairs(pairs), strict=True):
                compared = compare_areas(*pair, level, question.difference_method, freedom=freedom)
                of_model[measure] = differences_of(measure, compared, np.sqrt(pair[1][0]), freedom)
        else:
            columns_of_errors = np.sqrt(estimate.of_differences(pairs))
            for of_model, values, errors in zip(found, estimate.values[1:], columns_of_errors, strict=True):
                compared = _compared_precisions(PairedEstimates(values, estimate.values[0], errors), units, level)
                of_model[measure] = differences_of(measure, compared, errors, freedom)
    return found


def _compared_precisions(estimates: PairedEstimates, units: Units, level: float) -> list[Comparison]:
    """Compare the average precisions of the new and the old model in each group.  O(g)."""
    compared = compare_normal(estimates, level, LINEARISED, freedom=units.freedom)
    if units.clusters is None:
        return compared
    few = (units.sizes <= MOST_LEFT_OUT).tolist()
    return [replaced(each, method=JACKKNIFE) if own else each for each, own in zip(compared, few, strict=True)]
