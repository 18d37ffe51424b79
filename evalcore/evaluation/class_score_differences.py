"""Differences of measures of scores of each class, in all cases and in groups, beside those of the predicted class."""

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np

from evalcore.errors import counting_kept_rows, refuse
from evalcore.evaluation.cases import CheckedCases, PairedClasses, described_cases, present_cases
from evalcore.evaluation.catalogue import DEPTH, WILSON, MeasureName, entry_of
from evalcore.evaluation.class_differences import class_finder
from evalcore.evaluation.differences import Find, FoundDifferences, GroupDifferences, differences_of
from evalcore.evaluation.inputs import class_names, numeric_scores
from evalcore.evaluation.joining import JoinedTables
from evalcore.evaluation.measure_choice import (
    DEFAULT_DEPTHS,
    OF_SCORED_CLASSES,
    TOP_ACCURACY,
    is_of_scored_classes,
    parse_compared,
)
from evalcore.evaluation.options import ANALYTIC, option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import PAIRED_T
from evalcore.evaluation.statistics.class_scores import (
    OF_AREAS,
    OF_PROBABILITIES,
    checked_class_scores,
    largest_of_case,
    values_of_cases,
)
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.weighting import case_weights
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.intervals import compare_areas, compare_normal
from evalcore.inference.means import mean_sample
from evalcore.inference.rankings import averages_of_areas
from evalcore.inference.resampled_measures import without_warnings
from evalcore.inference.units import ValuesOfRows
from evalcore.kernels.label_ranks import first_ranked
from evalcore.typing import FloatArray
from evalcore.validation.scores import rows_of_probabilities


def check_scored_classes(question: Question, tables: int) -> None:
    """Raise EvaluationError for what scores of classes do not take; tables: their number.  O(classes)."""
    of_one_label = question.positive is not None or question.thresholds or question.costs
    refuse({
        f"{option('score')} and {option('old_score')} must have columns of the same classes": (
            sorted(question.old_classes or {}) != sorted(question.classes or {})
        ),
        "scores of classes are compared in one table, got several": tables > 1,
        f"scores of classes take no {option('positive')}, {option('threshold')} or {option('costs')}": of_one_label,
        f"scores of classes are compared by {text_option('method', ANALYTIC)} alone": question.method != ANALYTIC,
    })  # fmt: skip


def checked_scored_classes(question: Question, tables: JoinedTables, level: float) -> CheckedCases:
    """Check the scores of each class of both models, which are columns of one table.  O(n k log k)."""
    present, given = present_cases(question, tables, level)
    with nullcontext() if present is tables else counting_kept_rows():
        weights = case_weights(given, question.weighting)
        labels, models = present.column(present.old, question.label), (question.old_classes, question.classes)
        scored = {}
        for model, columns in zip(present.models, models, strict=True):
            named = sorted((columns or {}).items())  # the same classes in the same order
            each = [numeric_scores(present.column(present.old, column), column) for _, column in named]
            names = class_names([name for name, _ in named], labels)
            scored[model.name] = checked_class_scores(labels, names, np.column_stack(each))._replace(weights=weights)
        described = described_cases(question, present, weights.frequencies)
    first = next(iter(scored.values()))
    predicted = {name: first_ranked(each.ranks) for name, each in scored.items()}
    cases = PairedClasses(tuple(first.categories), first.codes, predicted, weights, scored=scored, **described)
    return CheckedCases(cases, {})


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
    measures = question.measures._replace(names=others if question.measures.names else ())
    decided = question._replace(measures=measures, conditions=() if question.measures.names else others)
    with_decisions = bool(others) or not question.measures.names

    def find(groups: GroupedRows | None) -> list[list[GroupDifferences]]:
        found, names = _differences(cases, of_scores, question, groups), {"": 0} if groups is None else groups.names
        if with_decisions:
            [every] = class_finder(cases, decided)(groups)
        else:
            sizes = np.bincount(np.zeros(cases.labels.size, np.int64) if groups is None else groups.of_rows)
            every = [GroupDifferences(name, int(sizes[index]), None, ()) for name, index in names.items()]
        own = ([found[measure][names[each.group]] for measure in of_scores] for each in every)
        pairs = zip(every, own, strict=True)
        return [[each._replace(differences=[*more, *each.differences]) for each, more in pairs]]

    return find


@without_warnings()
def _differences(
    cases: PairedClasses, measures: Sequence[MeasureName], question: Question, groups: GroupedRows | None
) -> FoundDifferences:
    """Return the differences of measures of scores in each group, in the order of its numbers, or in all cases."""
    units = cases.units() if groups is None else cases.units(groups.of_rows, groups.count)
    (old, new), level, found = cases.scored.values(), question.confidence, FoundDifferences()
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
