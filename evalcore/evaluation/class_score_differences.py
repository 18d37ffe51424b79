"""Differences of measures of scores of each class, in all cases and in groups, beside those of the predicted class."""

from collections.abc import Sequence

import numpy as np

from evalcore.evaluation.cases import PairedClasses
from evalcore.evaluation.catalogue import DEPTH, WILSON, MeasureName, entry_of
from evalcore.evaluation.class_differences import class_finder
from evalcore.evaluation.differences import Find, FoundDifferences, GroupDifferences, differences_of
from evalcore.evaluation.measure_choice import (
    DEFAULT_DEPTHS,
    OF_SCORED_CLASSES,
    TOP_ACCURACY,
    is_of_scored_classes,
    parse_compared,
)
from evalcore.evaluation.model import ClassScoreCases, Columns
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import PAIRED_T, area_method_of
from evalcore.evaluation.statistics.class_scores import (
    OF_AREAS,
    OF_PROBABILITIES,
    largest_of_case,
    values_of_cases,
    with_score_intervals,
)
from evalcore.evaluation.statistics.decisions import Asked
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.intervals import Interval, compare_areas, compare_normal
from evalcore.inference.means import mean_sample
from evalcore.inference.rankings import averages_of_areas
from evalcore.inference.resampled_measures import without_warnings
from evalcore.inference.units import ValuesOfRows
from evalcore.typing import FloatArray
from evalcore.validation.scores import rows_of_probabilities


def scored_finder(cases: PairedClasses, question: Question) -> Find:
    """Return what finds the differences of scored classes: those of scores, then those of the predicted classes.

    Losses are compared by default where all scores are probabilities.  O(n k log n).
    """
    asked = [*map(parse_compared, (*question.measures.names, *question.conditions))]
    of_scores = [each for each in asked if is_of_scored_classes(each.measure)]
    others = tuple(each.name for each in asked if each not in of_scores)
    if not question.measures.names:
        possible = all(rows_of_probabilities(each.scores).all() for each in cases.scored.values())
        named = [name for name in OF_SCORED_CLASSES if possible or name not in OF_PROBABILITIES]
        depths = (depth for depth in DEFAULT_DEPTHS[TOP_ACCURACY] if depth < len(cases.categories))
        named += [TOP_ACCURACY.replace(DEPTH, str(depth)) for depth in depths]
        of_scores = list(dict.fromkeys([*map(MeasureName, named), *of_scores]))
    with_decisions = bool(others) or not question.measures.names
    names = others or (("accuracy",) if question.measures.names else ())  # one that tells how many cases groups have
    asked_of = question.measures._replace(names=names if question.measures.names else ())
    decided = question._replace(measures=asked_of, conditions=() if question.measures.names else others)
    old, *new = cases.scored.values()

    def find(groups: GroupedRows | None) -> list[list[GroupDifferences]]:
        places = {"": 0} if groups is None else groups.names
        found = (_differences(cases, (old, each), of_scores, question, groups) for each in new)
        return [
            [
                every._replace(
                    differences=[
                        *(own[each][places[every.group]] for each in of_scores),
                        *(every.differences if with_decisions else ()),
                    ]
                )
                for every in of_model
            ]
            for own, of_model in zip(found, class_finder(cases, decided)(groups), strict=True)
        ]

    return find


@without_warnings()
def _differences(
    cases: PairedClasses,
    models: tuple[ClassScoreCases, ClassScoreCases],
    measures: Sequence[MeasureName],
    question: Question,
    groups: GroupedRows | None,
) -> FoundDifferences:
    """Return the differences of measures of scores of the old model and a new one, in each group or in all cases."""
    units = cases.units() if groups is None else cases.units(groups.of_rows, groups.count)
    (old, new), level, found = models, question.confidence, FoundDifferences()
    for measure in measures:
        name = measure.measure
        if name in OF_AREAS:
            continue
        entry, values = entry_of(name), [values_of_cases(name, each) for each in (new, old)]
        if entry is not None and entry.method == WILSON:
            hit, old_hit = (own(slice(None)) > 0 for own in values)
            cells = paired_decisions(cases.labels >= 0, old_hit, hit, units)
            compared, spread = compare_decisions(cells, measure_of_decisions("accuracy"), level)
        else:
            sample = mean_sample(units)
            sums = [*map(sample.sums, values)]

            def changes(rows: slice, values: Sequence[ValuesOfRows] = values) -> FloatArray:
                return np.asarray(values[0](rows) - values[1](rows))

            spread, largest = sample.spread(changes, sums[0] - sums[1]), largest_of_case(name, len(cases.categories))
            compared = compare_normal([*map(sample.means, sums)], spread, level, PAIRED_T, largest=largest)
        found[measure] = differences_of(measure, compared, spread)
    if areas := [measure for measure in measures if measure.measure in OF_AREAS]:
        layout = None if groups is None else groups.layout
        estimates = averages_of_areas(old.codes, [old.scores.T, new.scores.T], units, layout)
        for measure in areas:
            [pair] = estimates[measure.measure].pairs([(1, 0)])
            found[measure] = differences_of(
                measure, compare_areas(*pair, level, question.difference_method), pair[1].at(0)
            )
    return found


def scored_intervals(
    name: str, cases: PairedClasses, model: str, question: Question, groups: GroupedRows | None
) -> dict[str | None, Interval]:
    """Return the intervals of a measure of a model's scores of each class, those of reports, by group.  O(n k log n).

    groups: None for all cases, which are under None.
    """
    asked = Asked(level=question.confidence, area_method=area_method_of(question))
    unknown = Columns({name: np.empty(0)})  # whose intervals alone are asked for
    found = with_score_intervals(cases, cases.scored[model], asked, unknown, groups)
    each = found.intervals[name].each(question.confidence)
    return dict(zip([None] if groups is None else groups.labels, each, strict=True))
