"""Answers to questions: columns are read and checked, and the sections of a report on scores or classes computed."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np

from evalcore.errors import counting_kept_rows
from evalcore.evaluation.case_lists import mistakes_of
from evalcore.evaluation.cases import CheckedCases, PairedCases, PairedClasses, PairedOutcomes, checked_cases
from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.folds import NOTES, fold_sections
from evalcore.evaluation.joining import JoinedTables
from evalcore.evaluation.measure_choice import ALL_MEASURES, OF_ALL_CLASSES, check_available
from evalcore.evaluation.model import CONFUSION_MATRIX, Answer, ClassScoreCases, Columns, CountRecords, Section
from evalcore.evaluation.options import COMPARED, text_option
from evalcore.evaluation.outcomes import outcomes_answer
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_question
from evalcore.evaluation.repeats import with_means
from evalcore.evaluation.statistics import classes, comparisons, group_differences
from evalcore.evaluation.statistics.comparisons import PlacedColumns
from evalcore.evaluation.statistics.groups import WORST, GroupedRows, NameOrder, columns_text, sorted_groups
from evalcore.evaluation.statistics.scores import DEBIASED, score_sections
from evalcore.evaluation.statistics.tallies import OF_ACCURACY, OF_CELLS, Asked, stacked, without_undefined_net_benefits
from evalcore.evaluation.weighting import EQUAL_WEIGHTS, RowWeights
from evalcore.evaluation.wording import few_notes
from evalcore.inference import Interval
from evalcore.inference.intervals import interval_of_trials, trials_of_wilson
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.memory import check_room
from evalcore.io.rows import RowFilter
from evalcore.typing import ProportionMethod

_SAID = {
    "delong-wilson": "Wilson's, with DeLong's variance",
    "delong": "DeLong's",
    "delong-logit": "DeLong's, of the logit",
    "wilson": "Wilson's",
    "clopper-pearson": "Clopper and Pearson's",
    "jeffreys": "Jeffreys'",
    "agresti-coull": "Agresti and Coull's",
    "normal": "normal ones",
}

_WILSON = "wilson"


def answer(question: Question, read: Callable[[Selection], ColumnArrays]) -> Answer:
    """Read the columns and return the sections of their report.  O(n log n) for each column of scores.

    Raises EvaluationError as `check_question`, `read` and the reports do.
    """
    check_report(question)
    selection = question.selection
    return answer_on(question, read(selection), selection.rows)


def answer_on(question: Question, columns: ColumnArrays, rows: RowFilter | None, *, drawn: bool = False) -> Answer:
    """Return the sections of the report on columns that were read; rows: what left rows out, if anything did.

    drawn: whether charts are certain to follow.  O(n log n) for each column of scores.
    """
    with nullcontext() if rows is None else counting_kept_rows():
        tables = JoinedTables.alone(question, with_means(question, {"": columns})[""])
        checked = checked_cases(question, tables, question.level)
        found = answer_of(question, checked, drawn=drawn and not question.measures.names)
    found = completed(question, found, rows)
    _, *others = question.of_groupings
    found = found._replace(further={each.by: answer_on(each, columns, rows) for each in others})
    if question.ci_method is not None:
        said = f"intervals of ROC AUCs are {_SAID[question.ci_method]}"
        found = found._replace(notes=(*found.notes, said))
    if not question.measures.names:
        return found
    whole = question._replace(measures=question.measures.whole, also_by=())
    return found._replace(complete=_Once(partial(answer_on, whole, columns, rows, drawn=drawn)))


class _Once:
    """What a task returns, computed when it is asked for and once; a pickle holds it, for the task may hold files."""

    def __init__(self, task: Callable[[], Answer] | None, found: Answer | None = None) -> None:
        self._task, self._found = task, found

    def __call__(self) -> Answer:
        if self._found is None:
            assert self._task is not None
            self._found = self._task()
        return self._found

    def __reduce__(self) -> tuple[Any, ...]:
        return _Once, (None, self())


def completed(question: Question, found: Answer, rows: RowFilter | None) -> Answer:
    """Complete what was computed of all rows by what is made of finished records.  O(statistics).

    Groups are sorted; fractions get the intervals that are asked for; notes say which rows were left out, and why a
    measure has no interval.
    """
    found = _with_chosen_fractions(question, found)
    notes = [*found.notes, *([] if question.level is None else _notes_of_no_intervals(question, found.sections))]
    sort, names = question.sort, found.sections[0].groups
    if question.values and found.sections[0].whole and not sort and not NameOrder(names).is_time:
        sort = WORST
    sections = sorted_groups(found.sections, sort)
    if question.fold:
        sections += [*fold_sections(sections, question.fold)]
        notes += NOTES[: 1 if question.level is None else 2]
    found = found._replace(sections=sections, notes=notes)
    if rows is None:
        return found
    left_out = rows.notes(intervals=question.level is not None, weighted=question.weighting.column is not None)
    return found._replace(notes=(*left_out, *found.notes))


def _with_chosen_fractions(question: Question, found: Answer) -> Answer:
    """Give fractions the intervals that are asked for, and say which.  O(statistics)."""
    method, level = cast("ProportionMethod | None", question.proportion_method), question.level
    if method is None or level is None:
        return found

    def by_method(part: Columns) -> Columns:
        own = {name: each for name, each in part.intervals.items() if each.method == _WILSON != method}
        chosen = {name: stacked([interval_by(one, method) for one in each.each(level)]) for name, each in own.items()}
        return part._replace(intervals={**part.intervals, **chosen})

    sections = [
        each if isinstance(each.records, CountRecords) else each._replace(records=each.columns.map(by_method))
        for each in found.sections
    ]
    said = f"intervals of fractions are {_SAID[method]}"
    return found._replace(sections=sections, notes=(*found.notes, said))


def answer_of(question: Question, checked: CheckedCases, *, drawn: bool = False) -> Answer:
    """Return the report on cases with scores of one label, predicted classes or values.  O(n log n) for each column.

    drawn: as for `scores_answer`.
    """
    cases, _, notes = checked
    check_groups(question, cases.groups)
    few = few_notes({} if question.level is None else cases.kinds)
    if isinstance(cases, PairedOutcomes):
        found = outcomes_answer(question, cases)
        return found._replace(notes=[*few, *notes, *found.notes])
    if isinstance(cases, PairedClasses):
        found = predictions_answer(question, cases)
    else:
        found = scores_answer(question, cases, drawn=drawn)
    notes = [*few, *notes, *found.notes]
    return found._replace(notes=notes, mistakes=mistakes_of(cases, question) if question.show else ())


def interval_by(interval: Interval, method: ProportionMethod) -> Interval:
    """Return the interval of a fraction by a method, from that by Wilson; without bounds where it has none.  O(1).

    >>> interval_by(Interval(0.9, 0.595849973, 0.982124, 0.95, "wilson"), "clopper-pearson")
    0.9 [0.554984, 0.997471] (95% clopper-pearson)
    """
    if math.isnan(interval.low):
        return Interval(interval.estimate, interval.low, interval.high, interval.level, method)
    trials = _whole(trials_of_wilson(interval))
    successes = _whole(interval.estimate * trials)
    found = successes, trials, interval.estimate
    return interval_of_trials(found, interval.level, method, function="", empty="")


def _whole(number: float) -> float:
    """Return a number as the whole one that differs from it by rounding alone, if there is one.  O(1)."""
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-9) else number


def check_report(question: Question) -> None:
    """Raise EvaluationError as `check_question`, and for measures that such a report lacks.  O(thresholds)."""
    check_question(question)
    if question.measures.names:
        everything = _sections_of_two_rows(question._replace(measures=ALL_MEASURES))
        available = [*everything, *_sections_of_two_rows(question)]
        check_available(question.measures, question.without_left_out(available))


def _sections_of_two_rows(question: Question) -> list[Section]:
    """Return what is reported of such columns, of two rows: it has the same names."""
    if question.scores:
        ones = np.ones(2, np.int64)
        weights = RowWeights(question.weighting, ones, ones) if question.weighting.asked else EQUAL_WEIGHTS
        rows = PairedCases(np.array([True, False]), {"": np.array([0.5, 0.25])}, weights=weights)
        return scores_answer(question, rows).sections
    names, codes = ("a", "b"), np.arange(2)
    scored = {} if question.of_classes else {"": ClassScoreCases(names, codes, np.eye(2), 1 - np.eye(2, dtype=np.int8))}
    cases = PairedClasses(names, codes, {"": codes}, scored)
    sections = classes.classes_report(cases, Asked(measures=question.measures))
    return sections[:1] if question.by else sections


_BYTES_OF_A_GROUP = 2_000
"""Of a column of scores: its statistics, and the lines that show them."""


def check_groups(question: Question, groups: Mapping[str, GroupedRows]) -> None:
    """Raise EvaluationError if the statistics of groups need more memory than the limit allows.  O(1)."""
    for found in groups.values():
        needed = len(found.names) * max(1, len(question.scores)) * _BYTES_OF_A_GROUP
        check_room(needed, question.memory, f"{columns_text(question.by)}: {len(found.names):,} groups take at least")


def scores_answer(question: Question, cases: PairedCases, *, drawn: bool = False) -> Answer:
    """Return the report on columns of scores, and what it notes.  O(n log n) for each column.

    drawn: whether charts are certain to follow, for which cases stay sorted.
    """
    scores, weights, groups = cases.scores, cases.weights, cases.grouping
    level, measures = question.level, question.computed
    compare = question.compare or ("none" if question.fold else COMPARED[0])
    compares = level is not None and measures.wants("roc_auc") and compare != "none" and len(scores) > 1
    decides = False if question.thresholds or question.targets else None
    asked = Asked(question.threshold, level, question.costs, measures, question.area_method, decides)
    columns = PlacedColumns(cases) if compares else None
    ranked = cases.ranked()
    found = score_sections(cases, asked, question.more_thresholds, columns, ranked if drawn else None)
    sections, *of_thresholds = found.values()
    notes = [*groups.notes, *question.weighting.notes(level, by_group=not groups.is_whole)]
    if level is not None and question.targets:
        notes.append("thresholds that reach targets were chosen on these cases; intervals take them as given")
    notes += classes.notes_of_clusters(cases, question)
    compared = [] if columns is None else [comparisons.comparisons(cases, columns.found, compare, asked)]
    if not groups.is_whole and question.compare_groups and level is not None:
        given = cases, groups, question.compared_by, asked, question.compare_groups
        compared.append(group_differences.compared_scores(*given))
    notes += chain(*(each.notes for each in compared), question.notes_of_groups)
    sections = [*chain(sections, *(each.sections for each in compared), *of_thresholds)]
    if decides is not None and not (question.targets and measures.asks_for("net_benefit")):
        sections = without_undefined_net_benefits(sections)
    adjusted = sum(each.adjusted for each in compared)
    return Answer(sections, cases.positive, scores, notes, weights.values, adjusted=adjusted, ranked=ranked)


def _notes_of_no_intervals(question: Question, sections: Iterable[Section]) -> Iterator[str]:
    """Say why measures that were named, and that have values, have no interval.  O(numbers)."""
    named = question.measures.typed
    counted = [section.columns.parts for section in sections if named and not isinstance(section.records, CountRecords)]
    shown = {name for part in chain(*counted) for name, values in part.values.items() if not np.isnan(values).all()}
    for name in filter(shown.__contains__, named):
        if (entry := entry_of(name)) and entry.why_no_interval and not entry.stays:
            yield f"{entry.full_title or entry.title} has no interval: {entry.why_no_interval}"
        elif name == DEBIASED and question.cluster is not None:
            yield f"clusters leave {DEBIASED} without an interval"


_BYTES_OF_A_CELL, _BYTES_OF_A_WEIGHTED_CELL = 62, 104
"""While measures are computed from a confusion matrix."""


def needs_matrix(question: Question, k: int) -> bool:
    """Whether the question needs the confusion matrix of k classes.  O(names).

    Raises EvaluationError if it does, and the memory limit does not allow the matrix.
    """
    weighted, names = question.weighting.of_samples, set(question.measures.names)
    parted = question.by or question.cluster is not None or weighted
    of_intervals = () if question.level is None else set(OF_ALL_CLASSES).difference(OF_ACCURACY)
    of_cells = {CONFUSION_MATRIX, *OF_CELLS, *of_intervals}
    if names and not parted and names.isdisjoint(of_cells):
        return False
    needed = (_BYTES_OF_A_WEIGHTED_CELL if weighted else _BYTES_OF_A_CELL) * k**2
    columns = columns_text([question.label, *question.predicted])
    way_out = "" if parted else f"ask for what needs no matrix, such as {text_option('measures', 'accuracy')}"
    check_room(needed, question.memory, f"{columns}: a matrix of at least {k:,} classes takes", way_out)
    return True


def predictions_answer(question: Question, cases: PairedClasses) -> Answer:
    """Return the report on a column of predicted classes, or on scores of each class.  O(n k)."""
    level, k, scored = question.level, len(cases.categories), cases.scored.get(cases.old)
    asked = Asked(level=level, measures=question.computed, area_method=question.area_method)
    in_matrix, groups = scored is not None or needs_matrix(question, k), cases.grouping
    notes = [*groups.notes, *classes.notes_of_clusters(cases, question)]
    if not groups.is_whole:
        each = classes.grouped_classes(cases, asked)
        # a partial can be pickled with the report, which a local function cannot
        alone = question._replace(by=(), fold=(), also_by=(), groups=None, min_cases=None, sort=None, compare_groups="")
        of_all = partial(_answer_on_all_classes, alone, cases._replace(groups={}, shown={}))
        sections = [each]
        if question.compare_groups and level is not None:
            names = [measure.measure for measure in question.compared_by]
            compared = group_differences.compared_classes(cases, groups, names, asked, question.compare_groups)
            sections, notes = [each, *compared.sections], [*notes, *compared.notes, *question.notes_of_groups]
        return Answer(sections, notes=notes, ungrouped=of_all)
    if not in_matrix:
        return Answer(classes.counted_pairs_report(cases, level), notes=notes)
    return Answer(classes.classes_report(cases, asked), notes=notes, class_scores=scored)


def _answer_on_all_classes(question: Question, cases: PairedClasses) -> Answer:
    return completed(question, predictions_answer(question, cases), None)
