"""Joined columns become checked cases: labels that agree, scores or classes, weights, clusters and groups."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.comparison.options import LABELS
from evalcore.comparison.pairing.cases import JoinCounts, PairedCases, PairedClasses
from evalcore.comparison.pairing.joining import JoinedTables, ids_of, ids_text
from evalcore.comparison.question import ComparedModel, CompareQuestion
from evalcore.errors import EvaluationError
from evalcore.io.formats import naming
from evalcore.report.formats import count
from evalcore.report.inputs import (
    class_columns,
    coded_column,
    group_labels,
    numeric_scores,
    positive_rows,
    spelling_notes,
)
from evalcore.report.options import text_option
from evalcore.report.other_labels import OtherLabels
from evalcore.report.statistics.groups import GroupedRows, grouped_rows
from evalcore.report.weighting import case_weights, row_weights, weights_of_rows
from evalcore.typing import AnyArray, BoolArray, IntArray
from evalcore.validation.arrays import as_exact_scores
from evalcore.validation.categories import CodedCases, as_coded_cases
from evalcore.validation.labels import is_text


class CheckedCases(NamedTuple):
    """The cases of a comparison, and what is said of them."""

    cases: PairedCases | PairedClasses
    joins: Mapping[str, JoinCounts]
    notes: Sequence[str] = ()


def checked_cases(
    question: CompareQuestion, tables: JoinedTables, models: Sequence[ComparedModel], names: Mapping[str | None, str]
) -> CheckedCases:
    """Check the compared rows of all columns.  O(n) for each column, O(n log n) for many groups or clusters.

    names: of the tables, by None for the old one.  Raises EvaluationError for labels that disagree unless the question
    allows them, and as reports do for invalid labels, scores, weights and groups.
    """
    notes = _differing_notes(question, tables, names)
    tables, given = _present_cases(question, tables)
    scored = _classified if question.of_classes else _scored
    checked = scored(question, tables, models, names, given)
    return checked._replace(notes=(*notes, *checked.notes))


def _differing_notes(question: CompareQuestion, tables: JoinedTables, names: Mapping[str | None, str]) -> list[str]:
    """Say in how many cases tables disagree on a group, a cluster or a weight.  O(n) for each column.

    Such columns only describe a case, so that they are no reason for an error as labels that differ are.
    """
    notes = []
    for name in question.described:
        home = tables.home(name)
        for table in _labelled_tables(tables, name):
            if name == question.label or table == home:
                continue
            differing = np.count_nonzero(_differing(tables.column(home, name), tables.column(table, name)))
            if differing:
                notes.append(
                    f"{name} differs between {names[table]} and {names[home]} in {count(int(differing))} of "
                    f"{count(tables.cases)} cases; that of {names[home]} counts"
                )
    return notes


def _differing(one: AnyArray, other: AnyArray) -> BoolArray:
    """Return which values of two columns differ, (n,): text and other values by how they are written.  O(n)."""
    if is_text(one) != is_text(other):
        one, other = one.astype(str), other.astype(str)
    return np.asarray(one != other, np.bool_)


def _present_cases(question: CompareQuestion, tables: JoinedTables) -> tuple[JoinedTables, AnyArray | None]:
    """Return the rows with a weight above zero, and their weights, (n,), None if all count as one.  O(n)."""
    name = question.weighting.column
    if name is None:
        return tables, None
    weights = row_weights({name: tables.column(tables.home(name), name)}, question.weighting)
    if weights is None or weights.all():
        return tables, weights
    present = weights > 0
    return tables.where(present), weights[present]


def _scored(
    question: CompareQuestion,
    tables: JoinedTables,
    models: Sequence[ComparedModel],
    names: Mapping[str | None, str],
    given: AnyArray | None,
) -> CheckedCases:
    """Return cases with scores.  O(n) for each column."""
    label, weighted = question.label, question.weighting.column is not None
    home = tables.home(label)
    masks = {
        table: positive_rows(tables.column(table, label), label, question.positive, weighted=weighted)
        for table in _labelled_tables(tables, label)
    }
    joins = _agreeing_joins(question, tables, masks, names)
    positive = masks[home]
    others = OtherLabels()
    if question.positive is not None:
        others.add(tables.column(home, label), positive)
    scores = {}
    for model in models:
        numeric_scores(tables.columns(model.table)[model.column], model.column)
        scores[model.name] = as_exact_scores(tables.column(model.table, model.column), model.column)
    weights = weights_of_rows(positive, given, question.weighting)
    groups = _groups(question, tables, weights and weights.frequencies)
    cases = PairedCases(
        positive, scores, weights, _clusters(question, tables), groups, ids_of(question, tables),
        tables.labels(home, label),
    )  # fmt: skip
    return CheckedCases(cases, joins, (*others.notes(label, question.positive), *_group_notes(groups)))


def _classified(
    question: CompareQuestion,
    tables: JoinedTables,
    models: Sequence[ComparedModel],
    names: Mapping[str | None, str],
    given: AnyArray | None,
) -> CheckedCases:
    """Return cases with predicted classes.  O(n) for each column."""
    label = question.label
    home = tables.home(label)
    labels = {table: tables.column(table, label) for table in _labelled_tables(tables, label)}
    for table in set(labels) - {home}:
        labels[home], labels[table] = class_columns({label: labels[home], f"{label} of {names[table]}": labels[table]})
    joins = _agreeing_joins(question, tables, labels, names)
    predicted = {model.name: tables.column(model.table, model.column) for model in models}
    weights = case_weights(given, frequencies=question.weighting.of_frequencies)
    groups = _groups(question, tables, weights.values if weights.frequencies else None)
    columns = {model.name: model.column for model in models}
    cases = paired_classes(label, tables.column(home, label), predicted, columns)._replace(
        weights=weights, clusters=_clusters(question, tables), groups=groups, ids=ids_of(question, tables)
    )
    of_models = {
        f"column {columns[model]!r}{'' if columns[model] == model else f' of {model}'}": codes
        for model, codes in cases.predicted.items()
    }
    notes = spelling_notes(cases.categories, cases.labels, of_models, label)
    return CheckedCases(cases, joins, (*notes, *_group_notes(groups)))


def _labelled_tables(tables: JoinedTables, label: str) -> list[str | None]:
    """Return the tables that have the label, the old one first.  O(tables)."""
    return [table for table in (None, *tables.new) if label in tables.columns(table)]


def _agreeing_joins(
    question: CompareQuestion,
    tables: JoinedTables,
    labels: Mapping[str | None, AnyArray],
    names: Mapping[str | None, str],
) -> dict[str, JoinCounts]:
    """Return the counts of the join, with those of labels, (n,) each, that differ from those of the old table.  O(n).

    Raises EvaluationError if there are any, unless the question allows them.
    """
    joins = dict(tables.counts)
    if not joins:
        return joins
    first, *others = labels
    for table in others:
        differing = np.flatnonzero(labels[first] != labels[table])
        if not differing.size:
            continue
        if LABELS not in question.allow:
            raise _other_labels(question, tables, (first, table), differing, names)
        joins[str(table)] = joins[str(table)]._replace(other_labels=differing.size)
    return joins


def _other_labels(
    question: CompareQuestion,
    tables: JoinedTables,
    pair: tuple[str | None, str | None],
    differing: IntArray,
    names: Mapping[str | None, str],
) -> EvaluationError:
    label = question.label
    case = differing[:1]
    held = [f"{tables.column(table, label)[case].tolist()[0]!r} in {names[table]}" for table in pair]
    ids = ids_text(question.on, {name: tables.column(None, name) for name in question.on}, differing)
    return EvaluationError(
        f"column {label!r} must hold one label for an id in all tables, got {differing.size:,} of {tables.cases:,} "
        f"cases whose labels differ ({ids}; the first is {' and '.join(held)}); take those of the new table "
        f"({text_option('allow', LABELS)})"
    )


def _clusters(question: CompareQuestion, tables: JoinedTables) -> IntArray | None:
    """Return the number of the cluster of each case, (n,).  O(n log n)."""
    name = question.cluster
    if name is None:
        return None
    return coded_column(group_labels(tables.column(tables.home(name), name), name), name)[1]


def _groups(question: CompareQuestion, tables: JoinedTables, frequencies: IntArray | None) -> dict[str, GroupedRows]:
    """Return the cases of the groups of each grouping.  O(n log n)."""
    return {
        name: grouped_rows(
            {column: tables.column(tables.home(column), column) for column in columns},
            min_cases=question.min_cases,
            frequencies=frequencies,
        )
        for name, columns in question.groupings.items()
    }


def _group_notes(groups: Mapping[str, GroupedRows]) -> tuple[str, ...]:
    return tuple(f"{name}: {note}" for name, grouped in groups.items() for note in grouped.notes)


def paired_classes(
    label: str,
    labels: npt.NDArray[Any],
    predicted: Mapping[str, npt.NDArray[Any]],
    columns: Mapping[str, str] = {},
) -> PairedClasses:
    """Return labels and predicted classes, (n,) each, by their categories, which are sorted.  O(n + k log k) a model.

    label: the name of the column of labels; predicted: by model, the old one first; columns: the names of their
    columns, by default those of the models.  Raises EvaluationError as `class_columns` does.

    >>> labels, old, new = (np.array(pair, object) for pair in (("ash", "elm"), ("elm", "elm"), ("ash", "oak")))
    >>> found = paired_classes("tree", labels, {"old": old, "new": new})
    >>> found.categories, found.labels, found.predicted["new"]
    (('ash', 'elm', 'oak'), array([0, 1]), array([0, 2]))
    """
    names = {model: columns.get(model, model) for model in predicted}
    pairs = []
    for model, name in names.items():
        with nullcontext() if name == model else naming(model):
            pairs.append(class_columns({label: labels, name: predicted[model]}))
    if len({pair[0].dtype.kind for pair in pairs}) > 1:  # text becomes numbers beside one model, but not beside all
        pairs = [[labels, column] for column in predicted.values()]
    coded = [
        as_coded_cases(first, second, None, (label, name))
        for (first, second), name in zip(pairs, names.values(), strict=True)
    ]
    categories = tuple(sorted(set().union(*(cases.categories for cases in coded))))
    of_pairs = [_codes_among(categories, cases) for cases in coded]
    return PairedClasses(
        categories, of_pairs[0][0], {model: pair[1] for model, pair in zip(predicted, of_pairs, strict=True)}
    )


def _codes_among(categories: Sequence[Any], cases: CodedCases) -> tuple[IntArray, IntArray]:
    """Return the indices of references and responses among more categories.  O(n + k)."""
    if len(categories) == len(cases.categories):
        return cases.reference, cases.response
    index = {category: code for code, category in enumerate(categories)}
    codes = np.array([index[category] for category in cases.categories])
    return codes[cases.reference], codes[cases.response]
