"""The question that a report answers: which columns are compared and how; its checks, and its answer."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, counting_kept_rows, did_you_mean
from evalcore.inference.intervals import checked_level
from evalcore.io.columns import ColumnArrays, Reading, Selection
from evalcore.io.rows import ALL_ROWS, RowFilter, Rows, checked_rows
from evalcore.kernels.weight_sums import scaled_weights
from evalcore.report.asked_thresholds import AskedThreshold, Target, check_thresholds
from evalcore.report.costs import Costs, with_expected_costs
from evalcore.report.group_choice import sorted_groups, sorting_measures
from evalcore.report.grouping import EVERY_GROUP, Grouping, check_grouping
from evalcore.report.inputs import class_columns, class_names, numeric_scores, positive_rows
from evalcore.report.measure_choice import ALL_MEASURES, WHY_NO_RANKS, Measures, check_available
from evalcore.report.model import Answer, CountRecords, Section
from evalcore.report.options import COMPARED, FREQUENCY, MOST_GROUPS, option, text_option, way_out_of_nulls
from evalcore.report.other_labels import OtherLabels
from evalcore.report.ranked_columns import RankedColumns
from evalcore.report.statistics.binary import binary_report
from evalcore.report.statistics.decisions import decision_sections
from evalcore.report.statistics.group_comparisons import compare_groups
from evalcore.report.statistics.group_differences import accuracy_differences, differences_to_rest
from evalcore.report.statistics.grouped_classes import grouped_class_scores, grouped_predictions
from evalcore.report.statistics.grouped_report import grouped_report
from evalcore.report.statistics.groups import GroupedRows, grouped_rows
from evalcore.report.statistics.intervals import PlacedColumns, compared_pairs, comparisons
from evalcore.report.statistics.multiclass import checked_class_scores, class_scores_report, predicted_report
from evalcore.report.weighted_scores import weighted_scores, weighted_scores_by_group
from evalcore.report.weighting import (
    UNWEIGHTED,
    RowWeights,
    Weighting,
    check_weighting,
    present_rows,
    weights_of_rows,
)
from evalcore.report.wording import listed
from evalcore.state.case_weights import CaseWeights
from evalcore.typing import AnyArray, BoolArray, IntArray
from evalcore.validation.categories import as_coded_cases
from evalcore.validation.single_values import check_integer

Read: TypeAlias = Callable[[Selection], ColumnArrays]
"""Returns the selected columns."""


class Question(NamedTuple):
    """Which columns are compared, and how."""

    label: str
    scores: tuple[str, ...] = ()
    """Columns of scores of the positive label."""
    classes: Mapping[str, str] | None = None
    """Columns of scores by the names of classes."""
    prefix: str | None = None
    """How the names of columns of scores of classes begin."""
    predicted: str | None = None
    """The column of predicted classes."""
    positive: str | None = None
    thresholds: tuple[float, ...] = ()
    """Scores from which on cases are predicted positive."""
    by: tuple[str, ...] = ()
    """Columns of groups: each combination of their values that occurs is a group."""
    level: float | None = None
    """Level of the intervals."""
    groups: int | None = None
    """Number of groups allowed."""
    text: tuple[str, ...] = ()
    """Columns of labels, predictions and groups that are read as text whatever their types."""
    compare: str | None = None
    """Which columns of scores are compared, one of `COMPARED`; by default each with the first."""
    costs: Costs | None = None
    """What wrong decisions cost."""
    reading: Reading = Reading()
    """How files are read."""
    rows: Rows = ALL_ROWS
    """Which rows are evaluated."""
    grouping: Grouping = EVERY_GROUP
    """How groups are reported."""
    matrix: bool = True
    """Whether counts by class are shown: the confusion matrix, and ranks."""
    targets: tuple[Target, ...] = ()
    """What thresholds of each model have to reach."""
    measures: Measures = ALL_MEASURES
    """Which numbers are written."""
    weighting: Weighting = UNWEIGHTED
    """What weighs the rows."""

    @property
    def selection(self) -> Selection:
        """The columns and rows that the question needs, with new counts of rows.  O(columns)."""
        scores = self.scores if self.classes is None else tuple(self.classes.values())
        predicted = () if self.predicted is None else (self.predicted,)
        weights = () if self.weighting.column is None else (self.weighting.column,)
        names = (self.label, *predicted, *scores, *self.by, *weights)
        way_out = way_out_of_nulls()
        labels = [name for name in (self.label, *predicted) if name not in self.text]
        rows = None if self.rows.are_all else RowFilter(self.rows, option, way_out, labels)
        return Selection(
            names,
            self.prefix,
            numbers=scores + weights,
            text=self.text,
            reading=self.reading,
            rows=rows,
            way_out_of_nulls=way_out,
        )

    @property
    def threshold(self) -> float | None:
        """The threshold whose decisions stand beside the ranking, and which charts mark: the first that is given."""
        return self.thresholds[0] if self.thresholds else None

    @property
    def more_thresholds(self) -> tuple[AskedThreshold, ...]:
        """The thresholds whose decisions have sections of their own.  O(t)."""
        return (*self.thresholds[1:], *self.targets)

    @property
    def computed(self) -> Measures:
        """The numbers that are written, and those that groups are sorted by.  O(names)."""
        sort = self.grouping.sort
        more = () if sort is None else sorting_measures(sort)
        return self.measures._replace(names=(*self.measures.names, *more)) if self.measures.names else self.measures

    @property
    def title(self) -> str:
        """The label, the level of intervals and the weights, if there are any.  O(1)."""
        intervals = "" if self.level is None else f", with {100 * self.level:g}% intervals"
        return f"{self.label}{intervals}{self.weighting.in_titles}"

    @property
    def by_as_json(self) -> str | list[str] | None:
        """The column of groups, a list of several columns, or None.  O(columns)."""
        return list(self.by) if len(self.by) > 1 else self.by[0] if self.by else None

    @property
    def most_groups(self) -> int:
        """Number of groups allowed.  O(1)."""
        return MOST_GROUPS if self.groups is None else self.groups

    def shown(self, sections: Sequence[Section]) -> Sequence[Section]:
        """Return the sections that are written, and of their records what is.  O(statistics)."""
        return self.measures.shown(_without_left_out(self, sections))

    def described(self) -> dict[str, str]:
        """Return what decides the numbers, by headings for a page.  O(1)."""
        rows = self.rows.asked()
        asked = {
            "Query": self.reading.sql,
            "Label": self.label,
            "Positive": self.positive,
            "Predicted": self.predicted,
            "Threshold": ", ".join(map(str, self.thresholds)) or None,
            "Threshold for": ", ".join(map(str, self.targets)) or None,
            "Costs": self.costs and "{:g} for a false positive, {:g} for a false negative".format(*self.costs),
            "Groups": ", ".join(self.by) or None,
            "Cases of a group, at least": self.grouping.min_cases,
            "Level of intervals": self.level,
            "Compare": self.compare,
            "Weights": self.weighting.described(),
            "Compare groups": "each with all other cases" if self.grouping.compare_groups else None,
            "Nulls": rows["nulls"] and "rows with nulls are left out",
            "Condition": rows["where"],
            "Sample": self.rows.sample and f"{self.rows.sample:,} rows, seed {self.rows.seed}",
            "Measures": ", ".join(self.measures.names) or None,
            "Depths": ", ".join(map(str, self.measures.depths)) or None,
        }
        return {name: str(value) for name, value in asked.items() if value is not None}


def _without_left_out(question: Question, sections: Sequence[Section]) -> list[Section]:
    return [section for section in sections if question.matrix or not isinstance(section.records, CountRecords)]


def answer(question: Question, read: Read) -> Answer:
    """Read the columns and return the sections of their report.  O(n log n) for each column of scores.

    Raises EvaluationError as `check_question`, `read` and the reports do.
    """
    check_question(question)
    selection = question.selection
    return answer_on(question, read(selection), selection.rows)


def answer_on(question: Question, columns: ColumnArrays, rows: RowFilter | None) -> Answer:
    """Return the sections of the report on columns that were read; rows: what left rows out, if anything did.

    O(n log n) for each column of scores.
    """
    with nullcontext() if rows is None else counting_kept_rows():
        found = with_accuracy_differences(question, _answer(question, columns))
    found = found._replace(sections=sorted_groups(found.sections, question.grouping.sort))
    if rows is not None:
        found = found._replace(notes=(*notes_of_rows(question, rows), *found.notes))
    if not question.measures.names:
        return found
    whole = question._replace(measures=question.measures.whole)
    return found._replace(complete=lambda: answer_on(whole, columns, rows))


def notes_of_rows(question: Question, rows: RowFilter) -> tuple[str, ...]:
    """Say which rows were left out, after all were read.  O(columns)."""
    return rows.notes(intervals=question.level is not None, weighted=question.weighting.column is not None)


def with_accuracy_differences(question: Question, found: Answer) -> Answer:
    """Add the comparison of each group of classes with all other cases if it is asked for.  O(groups log groups)."""
    if not question.grouping.compare_groups or question.scores or question.level is None:
        return found
    differences = accuracy_differences(found.sections[0], question.level)
    return found._replace(sections=[*found.sections, *differences.sections], notes=(*found.notes, *differences.notes))


def _answer(question: Question, columns: ColumnArrays) -> Answer:
    present, weights = present_rows(columns, question.weighting)
    with nullcontext() if present is columns else counting_kept_rows():
        if question.scores:
            return _of_scores(question, present, weights)
        if weights is not None and scaled_weights(weights)[1] != 1:
            raise EvaluationError(
                f"column {question.weighting.column!r} must have its largest weight between 1e-12 and 1e60, got "
                f"{weights.max():g}; multiply all weights by a common factor, which changes no measure"
            )
        own = CaseWeights(weights, question.weighting.of_frequencies)
        if question.predicted is not None:
            return _of_predictions(question, question.predicted, present, own)
        return _of_classes(question, question.classes or {}, present, own)


def _of_predictions(question: Question, predicted: str, columns: ColumnArrays, weights: CaseWeights) -> Answer:
    label, level = question.label, question.level
    classes = class_columns({name: columns[name] for name in (label, predicted)})
    if not question.by:
        return Answer(predicted_report(classes[0], classes[-1], level=level, score=predicted, weights=weights))
    cases = as_coded_cases(classes[0], classes[-1], None, (label, predicted))
    groups = _groups(question, columns, weights.values if weights.frequencies else None)
    return Answer([grouped_predictions(cases, groups, predicted, level, weights)], notes=groups.notes)


def _of_scores(question: Question, columns: ColumnArrays, given: AnyArray | None) -> Answer:
    label, level = question.label, question.level
    rows = positive_rows(columns[label], label, question.positive)
    others = OtherLabels()
    if question.positive is not None:
        others.add(columns[label], rows)
    notes = others.notes(label, question.positive)
    scores = {name: numeric_scores(columns[name], name) for name in question.scores}
    weights = weights_of_rows(rows, given, question.weighting)
    if weights is not None:
        groups = _groups(question, columns, weights.frequencies) if question.by else None
        found = _of_weighted_scores(question, rows, scores, weights, groups)
        return found._replace(notes=(*notes, *found.notes))
    compare, measures = question.compare or COMPARED[0], question.computed
    compares = level is not None and measures.wants("roc_area")
    placed = PlacedColumns() if compares and len(scores) > 1 and compare != "none" else None
    adjusted = 0
    groups = _groups(question, columns) if question.by else None
    if groups is not None:
        notes = (*notes, *groups.notes)
        sections = grouped_report(
            rows, scores, groups, question.threshold, level, placed=placed, costs=question.costs, measures=measures
        )
        if placed is not None and level is not None:
            compared = compare_groups(rows, scores, groups, sections, placed=placed, compare=compare, level=level)
            sections, adjusted, notes = compared.sections, compared.adjusted, (*notes, *compared.notes)
        if question.grouping.compare_groups and compares and level is not None:
            differences = differences_to_rest(rows, scores, groups, level)
            sections, notes = [*sections, *differences.sections], (*notes, *differences.notes)
    else:
        sections = [
            binary_report(rows, scores, question.threshold, level, placed, costs=question.costs, measures=measures)
        ]
        if placed is not None and level is not None:
            chosen = compared_pairs(sections[0], compare)
            sections = comparisons(sections[0], placed, chosen, level)
            adjusted, notes = chosen.adjusted(sections[-1]), (*notes, *chosen.notes(sections[-1]))
    sections += decision_sections(rows, scores, question.more_thresholds, level, groups)
    complete, ranked = with_expected_costs(sections, question.costs), RankedColumns(rows, scores)
    return Answer(complete, rows, scores, notes, adjusted=adjusted, ranked=ranked)


def _of_weighted_scores(
    question: Question,
    rows: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    groups: GroupedRows | None = None,
) -> Answer:
    thresholds, compare = (question.threshold, question.more_thresholds), question.compare or COMPARED[0]
    level, costs, measures = question.level, question.costs, question.computed
    if groups is None:
        return weighted_scores(
            rows, scores, weights, thresholds, level, compare=compare, costs=costs, measures=measures
        )
    return weighted_scores_by_group(
        rows,
        scores,
        weights,
        groups,
        thresholds,
        level=level,
        compare=compare,
        compare_groups=question.grouping.compare_groups,
        costs=costs,
        measures=measures,
    )


def _groups(question: Question, columns: ColumnArrays, frequencies: IntArray | None = None) -> GroupedRows:
    named = {name: columns[name] for name in question.by}
    return grouped_rows(named, question.most_groups, question.grouping.min_cases, frequencies)


def check_question(question: Question) -> None:
    """Raise EvaluationError for invalid options or options that do not fit, and for columns in two roles.  O(1)."""
    if question.level is not None:
        checked_level(question.level, option("ci"))
    check_thresholds(question.thresholds, question.targets)
    if question.groups is not None and check_integer(question.groups, option("groups")) < 1:
        raise EvaluationError(f"{option('groups')} must be at least 1, got {question.groups}")
    if question.groups is not None and not question.by:
        raise EvaluationError(f"{option('groups')} needs {option('by')}, which names the column of groups")
    check_grouping(question.grouping, question.by, question.scores, question.level)
    compared = "roc_area" if question.scores else "accuracy"
    if question.grouping.compare_groups and not question.measures.wants(compared):
        raise EvaluationError(f"{option('compare_groups')} compares groups by {compared}; name this measure too")
    if len(set(question.by)) < len(question.by):
        raise EvaluationError(f"columns of groups must be distinct, got {', '.join(map(repr, question.by))}")
    checked_rows(question.rows, option)
    _check_compare(question)
    _check_weighting(question)
    _check_measures(question)
    if question.label in (*question.scores, *(question.classes or {}).values()):
        raise EvaluationError(f"{option('score')} must not be the column of labels, got {question.label!r}")
    for name in question.text:
        if name not in (question.label, question.predicted, *question.by) or name in question.scores:
            raise EvaluationError(f"{option('text')} must name columns of labels, predictions or groups, got {name!r}")
    if len(set(question.scores)) < len(question.scores):
        raise EvaluationError(f"columns of scores must be distinct, got {', '.join(map(repr, question.scores))}")


def _check_weighting(question: Question) -> None:
    """Raise EvaluationError for options of weights that are invalid, or that this kind of report does not take."""
    others = (question.label, question.predicted or "", *question.scores, *(question.classes or {}).values())
    check_weighting(question.weighting, (*others, *question.by), of_one_label=bool(question.scores))
    if question.grouping.compare_groups and question.weighting.of_samples:
        raise EvaluationError(
            f"{option('compare_groups')} takes no sampling weights: leave it out and compare the intervals of groups, "
            f"or give frequencies ({text_option('weight_type', FREQUENCY)})"
        )


def _check_measures(question: Question) -> None:
    """Raise EvaluationError for measures that a report on such columns lacks.  O(thresholds)."""
    if question.measures.depths and question.predicted is not None:
        raise EvaluationError(f"{option('at_k')} needs scores, got predicted classes")
    if question.measures.depths and question.scores and question.weighting.of_samples:
        raise EvaluationError(f"{option('at_k')} needs {text_option('weight_type', FREQUENCY)}: {WHY_NO_RANKS}")
    if question.measures.names:
        everything = _sections_of_two_rows(question._replace(measures=ALL_MEASURES))
        available = [*everything, *_sections_of_two_rows(question)]
        check_available(question.measures, _without_left_out(question, available))


def _sections_of_two_rows(question: Question) -> list[Section]:
    """Return what is reported of such columns, of two rows: it has the same names."""
    asked = question.measures
    if question.predicted is not None:
        sections = predicted_report(["a", "b"], ["a", "b"])
    elif not question.scores:
        names = np.array(["a", "b"])
        sections = class_scores_report(checked_class_scores(names, names.tolist(), np.eye(2)), measures=asked)
    else:
        rows, scores = np.array([True, False]), {"": np.array([0.5, 0.25])}
        if question.weighting.asked:
            ones = np.ones(rows.size, np.int64)
            return _of_weighted_scores(question, rows, scores, RowWeights(question.weighting, ones, ones)).sections
        ranked = binary_report(rows, scores, question.threshold, costs=question.costs, measures=asked)
        sections = [ranked, *decision_sections(rows, scores, question.more_thresholds)]
    return with_expected_costs(sections[:1] if question.by and not question.scores else sections, question.costs)


def _check_compare(question: Question) -> None:
    if question.compare is None:
        return
    if question.compare not in COMPARED:
        raise EvaluationError(f"{option('compare')} must be one of {', '.join(COMPARED)}, got {question.compare!r}")
    if question.level is None:
        raise EvaluationError(f"{option('compare')} needs {option('ci')}, the level of the intervals")
    if question.compare != "none" and not question.measures.wants("roc_area"):
        raise EvaluationError(f"{option('compare')} compares models by roc_area; name this measure too")


def _of_classes(question: Question, classes: Mapping[str, str], columns: ColumnArrays, weights: CaseWeights) -> Answer:
    label, prefix = question.label, question.prefix
    columns_of = dict(classes)
    if prefix is not None:
        prefixed = {
            name.removeprefix(prefix): name
            for name in columns
            if name.startswith(prefix) and name not in (label, *question.by, question.weighting.column)
        }
        twice = [name for name in prefixed if columns_of.get(name, prefixed[name]) != prefixed[name]]
        if twice:
            raise EvaluationError(f"each class must have one column of scores, got two for {twice[0]!r}")
        columns_of |= prefixed
    matrix = np.column_stack([numeric_scores(columns[name], name) for name in columns_of.values()])
    names = class_names(list(columns_of), columns[label])
    try:
        cases = checked_class_scores(columns[label], names, matrix)._replace(weights=weights)
    except EvaluationError as error:
        raise _class_without_column(question, names, columns) or error from None
    if question.by:
        groups = _groups(question, columns, weights.values if weights.frequencies else None)
        section = grouped_class_scores(cases, groups, question.level, question.computed)
        return Answer([section], notes=groups.notes)
    return Answer(class_scores_report(cases, question.level, question.computed), class_scores=cases)


def _class_without_column(question: Question, names: Sequence[Any], columns: ColumnArrays) -> EvaluationError | None:
    """Return the error for a label that has no column of scores; None if all have one.  O(n)."""
    lacking = [label for label in dict.fromkeys(columns[question.label].tolist()) if label not in names]
    if not lacking:
        return None
    what = f"class {lacking[0]!r} of column {question.label!r} must have a column of scores"
    if question.prefix is not None:
        column = f"{question.prefix}{lacking[0]}"
        found = listed([repr(name) for name in columns if name.startswith(question.prefix)])
        near = did_you_mean(column, columns) or f"; the columns are {found}"
        return EvaluationError(f"{what}, got no {column!r}{near}")
    near = did_you_mean(lacking[0], list(map(str, names)))
    return EvaluationError(f"{what}, got columns for {listed([repr(name) for name in names])}{near}")
