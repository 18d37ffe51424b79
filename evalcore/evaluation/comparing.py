"""Answers to questions of comparison: tables are joined, columns checked, differences measured, and notes taken."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np

from evalcore.evaluation import differences, wording
from evalcore.evaluation.case_lists import ValuesOf, changed_cases
from evalcore.evaluation.cases import AnyCases, CheckedCases, PairedCases, PairedClasses, PairedOutcomes, checked_cases
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.class_differences import differences_of_classes
from evalcore.evaluation.differences import Changes, ComparisonAnswer, MeasureDifference, ModelDifferences
from evalcore.evaluation.folds import notes_of_folds, over_folds
from evalcore.evaluation.joining import joined_tables, tables_in_turn
from evalcore.evaluation.measure_choice import RESAMPLED, check_margin_names
from evalcore.evaluation.options import option
from evalcore.evaluation.outcomes import changes_of_outcomes, differences_of_outcomes, leaderboard
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_paired_question
from evalcore.evaluation.repeats import with_means
from evalcore.evaluation.score_differences import JACKKNIFE, PAIRED_T, differences_of_scores
from evalcore.evaluation.score_differences import METHOD as BOOTSTRAP
from evalcore.evaluation.statistics.groups import WHOLE
from evalcore.evaluation.thresholds import notes_on_unreached
from evalcore.inference.outcomes import POWERED
from evalcore.inference.significance_tests import CORRECTED_T
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.typing import AnyArray, BoolArray

OLD = "old"
"""The name of a table that has no other."""


ReadTable: TypeAlias = Callable[[str, Selection], ColumnArrays]
"""Returns the selected columns of a table, which its name tells."""


def answer_tables(question: Question, names: Sequence[str], read: ReadTable) -> ComparisonAnswer:
    """Read tables, each model's columns from its own, and compare their models.  O(n log n) for each.

    names: of the tables, the old one first, which are also those of the models; of one table, it holds all models.
    Raises EvaluationError as `read` and `check_paired_question` do, and for tables that cannot be joined or columns
    that are invalid.
    """
    check_paired_question(question, len(names))
    checked, old = _joined_cases(question, names, read)  # other columns take no memory while differences are measured
    cases = checked.cases
    found = [with_changes(model, cases, question) for model in differences_of_models(cases, question)]
    notes, kept = (*checked.notes, *notes_of(cases, question, found)), cases._replace(shown={})
    if isinstance(kept, PairedCases):
        kept = kept._replace(label_of=None)  # which holds all rows of a table, as what is shown does
    answer = ComparisonAnswer(old, found, checked.joins, notes, kept)
    if isinstance(cases, PairedOutcomes) and len(cases.new) > 1 and not question.fold:
        standings, closest = leaderboard(cases, question)
        notes = (*notes, *notes_of_systems(closest, len(cases.values)))
        answer = answer._replace(standings=standings, closest=closest, notes=notes)
    # whether losses are compared is known only after all scores were read
    check_margin_names(question.margin, (item.measure for model in found for item in model.differences))
    return answer


def differences_of_models(cases: AnyCases, question: Question) -> list[ModelDifferences]:
    """Return the differences of each new model, in all cases and in groups.  O(n log n) for each, or O(n + k²)."""
    judged = differences.judged_differences
    find: differences.Find
    if isinstance(cases, PairedOutcomes):
        find = differences_of_outcomes
    else:
        find = differences_of_classes if isinstance(cases, PairedClasses) else differences_of_scores
    if question.fold:
        [folds] = cases.groups.values()
        find = over_folds(find, cases, folds, question)
    whole = judged(find, cases, WHOLE, question)
    asked = partial(differences.for_groups, question)
    groups = {name: judged(find, cases, each, asked(len(each.names))) for name, each in cases.groups.items()}
    return [
        ModelDifferences(model, of_all.differences, {name: each[index] for name, each in groups.items()})
        for index, (model, [of_all]) in enumerate(zip(cases.new, whole, strict=True))
    ]


def _joined_cases(question: Question, names: Sequence[str], read: ReadTable) -> tuple[CheckedCases, str]:
    """Read and join tables, and return their cases and the name of the old model.  O(n log n)."""
    found = tables_in_turn(question, len(names), lambda table, selection: read(names[table], selection), list)
    selected = dict(zip(names, (selection for selection, _ in found), strict=True))
    whole = [name for name, each in selected.items() if question.rows.where is not None and not each.is_filtered]
    columns = with_means(question, dict(zip(names, (table for _, table in found), strict=True)))
    tables = joined_tables(question, columns, whole)
    checked = checked_cases(question, tables, question.confidence)
    notes = [
        f"{name}: {note}" if len(names) > 1 else note
        for name, selection in selected.items()
        if selection.rows is not None
        for note in selection.rows.notes(intervals=True, weighted=question.weighting.column is not None)
    ]
    of_groups = (f"{name}: {note}" for name, grouped in checked.cases.groups.items() for note in grouped.notes)
    return checked._replace(notes=(*notes, *checked.notes, *of_groups)), tables.models[0].name


_SAID = {
    "delong-score": "a score test with DeLong's variance",
    "delong": "DeLong's paired method",
    "linearised": "the influence of each case",
    JACKKNIFE: "leaving out one cluster after another",
    PAIRED_T: "the differences of the losses of each case",
    "mcnemar-score": "McNemar's test, with Tango's interval",
    CORRECTED_T: "the corrected resampled t-test over folds, which allows for the training data that they share",
    POWERED: "the differences of people's values, made more precise by the judge's",
    "delta": "the delta method on the paired decisions",
    "permutation": "swaps of the two models",
}
_BY_CLUSTER = ", summed by cluster"
_STUDENT = ", with Student's t distribution"


def notes_of(cases: AnyCases, question: Question, models: Sequence[ModelDifferences]) -> list[str]:
    """Say how differences were tested, for how many of them p-values are adjusted, and which are rough.  O(n)."""
    by_cluster, grouped = cases.clusters is not None, bool(cases.groups)
    every = [each for model in models for each in model.differences]
    in_groups = {
        name: [each for model in models for group in model.groups[name] for each in group.differences]
        for name in models[0].groups
    }
    notes = [*_methods(every, question, by_cluster=by_cluster)]
    of_models = ((f" of {one.model}" if models[1:] else "", each) for one in models for each in one.differences)
    of_none = (each for each in chain(*in_groups.values()) if each.found.method == differences.NOT_PREDICTED)
    notes += _without_intervals([*of_models, *(("", each) for each in of_none)], question)
    notes += chain(*(notes_of_folds(models, name) for name in models[0].groups if question.fold))
    needed = "measures that need both classes are undefined, and their comparison is inconclusive"
    notes += [f"no case is {kind.split()[0]}, so {needed}" for kind, count in cases.kinds.items() if count == 0]
    notes += wording.few_notes(cases.kinds)
    if cases.clusters is not None and every:
        notes += wording.few_notes({"cluster": int(cases.clusters.max(initial=-1)) + 1}, "intervals and p-values are")
    notes += notes_of_tests(every, question, "all cases", f"measure{and_model(models)}")
    for name, of_groups in in_groups.items():
        by = f"groups by {wording.grouping_title(name, question.every)}"
        notes += notes_of_tests(of_groups, question, by, f"group and measure{and_model(models)}")
    if grouped and question.method != "analytic" and isinstance(cases, PairedCases):
        notes.append(f"groups have analytic intervals and p-values, not {question.method} ones")
    left_out = [each.title for each in models[0].differences if measure_name(each.measure).measure in RESAMPLED]
    if grouped and left_out:
        notes.append(f"groups have no {', '.join(left_out)}: only the bootstrap has intervals for them")
    if isinstance(cases, PairedCases):
        largest = max(map(np.max, cases.scores.values()), default=np.inf)
        notes += notes_on_unreached(each for each in question.thresholds if each > largest)
    if any(each.detectable > 0 for each in every):
        power = f"{'folds' if question.fold else 'cases'} detect with {differences.POWER:.0%} power"
        notes.append(f"the detectable difference is the smallest true one that this many {power}")
    return notes


def _without_intervals(every: Iterable[tuple[str, MeasureDifference]], question: Question) -> Iterator[str]:
    """Say which differences, and of which models, have no interval, and why their verdicts are inconclusive.

    O(differences).
    """
    reasons: dict[str, dict[str, None]] = {}
    for of_model, each in every:
        found = each.found
        if not np.isnan(found.low):
            continue
        why = "nothing varies"
        if found.method == differences.NOT_PREDICTED:
            why = "it is 0 where a model predicts no case of the class"
        elif np.isnan(found.difference):
            why = "it is not defined for both models"
        elif found.method == BOOTSTRAP and each.error > 0:
            why = f"bounds lie beyond {question.resamples:,} resamples; draw more ({option('resamples')})"
        reasons.setdefault(why, {})[f"{each.title}{of_model}"] = None
    yield from (f"{_named(titles)}: inconclusive, without an interval: {why}" for why, titles in reasons.items())


def notes_of_tests(compared: Iterable[MeasureDifference], question: Question, family: str, kind: str) -> Iterator[str]:
    """Say for how many comparisons p-values are adjusted, and where verdicts may surprise.  O(comparisons).

    family: what is compared, such as "all cases"; kind: what there is a comparison for, such as "measure".
    """
    tested = [each for each in compared if not np.isnan(each.found.p_value)]
    if len(tested) > 1:
        yield f"p-values of {family} are adjusted for {len(tested):,} comparisons, one for each {kind}"
    if lost := sum(each.found.p_value <= 1 - question.confidence < each.holm for each in tested):
        some = f"{lost:,} p-values of {family} are" if lost > 1 else f"one p-value of {family} is"
        of_many = kind.startswith("group") or kind.endswith("model")
        alone = "" if of_many else "verdicts judge each comparison by itself: "
        yield f"{alone}{some} at most {1 - question.confidence:.4g} only before Holm's adjustment"
    if levels := {each.judged_by.level for each in tested if each.judged_by}:
        grouped = kind.startswith("group")
        of, together = (f" of {family}", ", by Bonferroni's bound, for all groups together") if grouped else ("", "")
        yield f"verdicts{of} with a margin follow from intervals at level {levels.pop():g}{together}"


def notes_of_systems(closest: Iterable[differences.ClosestPair], systems: int) -> Iterator[str]:
    """Say how systems are told apart, and how many cases would tell the closest ones.  O(columns)."""
    pairs = systems * (systems - 1) // 2
    yield f"systems with a letter in common were not told apart, after Holm's adjustment for all {pairs:,} pairs"
    for each in closest:
        shows = f"their difference of {each.difference:.3g} with {differences.POWER:.0%} power, before adjustment"
        pair = f"{each.better} and {each.worse} are the closest that were not told apart"
        yield f"{each.measure}: {pair}; about {each.cases:,} cases like these would detect {shows}"


def and_model(models: Sequence[ModelDifferences]) -> str:
    """Return what makes a comparison for each measure one for each measure and model, if there are several.  O(1)."""
    return " and model" if len(models) > 1 else ""


def _named(titles: Iterable[str]) -> str:
    """List titles, of many the first, and how many more there are.  O(titles)."""
    found = [*titles]
    return wording.listed(found) if found[wording.LISTED :] else ", ".join(found)


def _methods(every: Sequence[MeasureDifference], question: Question, *, by_cluster: bool) -> list[str]:
    """Say which measures have their intervals by which method."""
    titles: dict[str, dict[str, None]] = {}
    for each in every:
        titles.setdefault(each.found.method.partition(",")[0], {})[each.title] = None
    said = _SAID | ({PAIRED_T: "the differences of the values of each case"} if question.values else {})
    notes = [
        f"{_named(names)}: by {said[method]}{'' if method == JACKKNIFE or not by_cluster else _BY_CLUSTER}"
        f"{_STUDENT if by_cluster or method == PAIRED_T else ''}"
        for method, names in titles.items()
        if method in _SAID
    ]
    if BOOTSTRAP in titles:
        units = "clusters" if by_cluster else "cases of each class" if question.stratify else "cases"
        expanded = ", expanded as Student's t distribution is" if by_cluster else ""
        drawn = f"{question.resamples:,} resamples of {units}, the same for all models{expanded}"
        notes.append(f"{_named(titles[BOOTSTRAP])}: percentiles of {drawn}")
    return notes


def with_changes(model: ModelDifferences, cases: AnyCases, question: Question) -> ModelDifferences:
    """Return a new model with what changed, of n > 0 cases.  O(n) for each threshold.

    Lists hold the largest changes; those of classes, which are equally large, hold the first ones.
    """
    if isinstance(cases, PairedOutcomes):
        return model._replace(changes=[*changes_of_outcomes(model.model, cases, question)])
    rights: Iterable[tuple[float | None, BoolArray, BoolArray]]
    values_of: ValuesOf
    size: AnyArray
    if isinstance(cases, PairedClasses):
        names, columns = cases.categories, (cases.labels, cases.predicted[cases.old], cases.predicted[model.model])
        rights = [(None, columns[1] == columns[0], columns[2] == columns[0])]
        rose, fell = np.zeros((2, cases.labels.size), np.bool_)
        size, values_of = rose.view(np.int8), lambda row: [names[codes[row]] for codes in columns]
    else:
        old, new, positive = cases.scores[cases.old], cases.scores[model.model], cases.positive
        label_of = cases.label_of or positive.__getitem__
        decided = ((each, are_at_or_above(old, each), are_at_or_above(new, each)) for each in question.thresholds)
        rights = ((each, was == positive, now == positive) for each, was, now in decided)
        rose, fell = np.empty((2, old.size), np.bool_)
        size, values_of = np.empty(old.size), lambda row: (label_of(row), old[row], new[row])

        def subtract(block: slice) -> None:
            with np.errstate(invalid="ignore"):
                part = np.subtract(new[block], old[block], out=size[block], dtype=np.float64)
            part[np.isnan(part)] = 0.0  # equal infinite scores did not change
            np.greater(part, 0.0, out=rose[block])
            np.less(part, 0.0, out=fell[block])
            np.abs(part, out=part)

        map_blocks(subtract, old.size)
    listed = partial(changed_cases, cases, model.model, values_of, size=size, most=question.changed)
    changes = [
        Changes(at, differences.outcome_counts(was, now, cases.weights.cases_of), listed(now > was), listed(was > now))
        for at, was, now in rights
    ]
    return model._replace(changes=changes, risen=listed(rose), fallen=listed(fell))
