"""Joined columns become checked cases: labels that agree, scores or classes, weights, clusters and groups."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.evaluation.formats import count
from evalcore.evaluation.inputs import (
    OtherLabels,
    class_columns,
    coded_column,
    group_labels,
    numeric_scores,
    positive_rows,
    spelling_notes,
)
from evalcore.evaluation.options import LABELS, text_option
from evalcore.evaluation.pairs.cases import GivenLabels, JoinCounts, PairedCases, PairedClasses
from evalcore.evaluation.pairs.joining import ComparedModel, JoinedTables, ids_of, ids_text
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.weighting import case_weights, row_weights, weights_of_rows
from evalcore.io.formats import naming
from evalcore.typing import AnyArray, IntArray
from evalcore.validation.arrays import as_exact_scores
from evalcore.validation.categories import CodedCases, as_coded_cases
from evalcore.validation.labels import is_text


class CheckedCases(NamedTuple):
    """The cases of a comparison, and what is said of them."""

    cases: PairedCases | PairedClasses
    joins: Mapping[str, JoinCounts]
    notes: Sequence[str] = ()


def checked_cases(question: Question, tables: JoinedTables, models: Sequence[ComparedModel]) -> CheckedCases:
    """Check the compared rows of all columns.  O(n) for each column, O(n log n) for many groups or clusters.

    Raises EvaluationError for labels that disagree unless the question allows them, and as reports do for invalid
    labels, scores, weights and groups.
    """
    notes = _differing_notes(question, tables)
    name, given = question.weighting.column, None
    if name is not None:
        given = row_weights({name: tables.column_at_home(name)}, question.weighting)
    if given is not None and not given.all():  # a row of weight zero counts as absent
        present = given > 0
        tables, given = tables.where(present), given[present]
    checked = (_classified if question.of_classes else _scored)(question, tables, models, given)
    of_groups = (f"{name}: {note}" for name, grouped in checked.cases.groups.items() for note in grouped.notes)
    return checked._replace(notes=(*notes, *checked.notes, *of_groups))


def _differing_notes(question: Question, tables: JoinedTables) -> list[str]:
    """Say in how many cases tables disagree on a group, a cluster or a weight.  O(n) for each column.

    Such columns only describe a case, so that they are no reason for an error as labels that differ are.
    """
    notes = []
    for name in question.case_columns:
        home = tables.home(name)
        for table in tables.with_column(name):
            if name == question.label or table == home:
                continue
            one, other = tables.column(home, name), tables.column(table, name)
            if is_text(one) != is_text(other):
                one, other = one.astype(str), other.astype(str)
            if differing := int(np.count_nonzero(one != other)):
                own = tables.called(home)
                notes.append(
                    f"{name} differs between {tables.called(table)} and {own} in {count(differing)} of "
                    f"{count(tables.cases)} cases; that of {own} counts"
                )
    return notes


def _scored(
    question: Question, tables: JoinedTables, models: Sequence[ComparedModel], given: AnyArray | None
) -> CheckedCases:
    """Return cases with scores; given: weights, (n,), None if all count as one.  O(n) for each column."""
    label, weighted = question.label, question.weighting.column is not None
    home = tables.home(label)
    masks = {
        table: positive_rows(tables.column(table, label), label, question.positive, weighted=weighted)
        for table in tables.with_column(label)
    }
    joins = _agreeing_joins(question, tables, masks)
    positive = masks[home]
    others = OtherLabels()
    if question.positive is not None:
        others.add(tables.column(home, label), positive)
    scores = {}
    for model in models:
        numeric_scores(tables.columns(model.table)[model.column], model.column)
        scores[model.name] = as_exact_scores(tables.column(model.table, model.column), model.column)
    weights = weights_of_rows(positive, given, question.weighting)
    labels = GivenLabels(tables.columns(home)[label], tables.rows(home))
    described = _described(question, tables, weights and weights.frequencies)
    return CheckedCases(
        PairedCases(positive, scores, weights, labels=labels, **described),
        joins,
        others.notes(label, question.positive),
    )


def _classified(
    question: Question, tables: JoinedTables, models: Sequence[ComparedModel], given: AnyArray | None
) -> CheckedCases:
    """Return cases with predicted classes.  O(n) for each column."""
    label = question.label
    home = tables.home(label)
    labels = {table: tables.column(table, label) for table in tables.with_column(label)}
    for table in set(labels) - {home}:
        name = f"{label} of {tables.called(table)}"
        labels[home], labels[table] = class_columns({label: labels[home], name: labels[table]})
    joins = _agreeing_joins(question, tables, labels)
    predicted = {model.name: tables.column(model.table, model.column) for model in models}
    weights = case_weights(given, frequencies=question.weighting.of_frequencies)
    columns = {model.name: model.column for model in models}
    described = _described(question, tables, weights.values if weights.frequencies else None)
    cases = paired_classes(label, tables.column(home, label), predicted, columns)
    cases = cases._replace(weights=weights, **described)
    of_models = {
        f"column {columns[model]!r}{'' if columns[model] == model else f' of {model}'}": codes
        for model, codes in cases.predicted.items()
    }
    return CheckedCases(cases, joins, spelling_notes(cases.categories, cases.labels, of_models, label))


def _agreeing_joins(
    question: Question, tables: JoinedTables, labels: Mapping[str | None, AnyArray]
) -> dict[str, JoinCounts]:
    """Return the counts of the join, with those of labels, (n,) each, that differ from those of the old table.  O(n).

    Raises EvaluationError if there are any, unless the question allows them.
    """
    joins, label = dict(tables.counts), question.label
    if not joins:
        return joins
    first, *others = labels
    for table in others:
        differing = np.flatnonzero(labels[first] != labels[table])
        if not differing.size:
            continue
        if LABELS not in question.allow:
            held = [
                f"{tables.column(each, label)[differing[:1]].tolist()[0]!r} in {tables.called(each)}"
                for each in (first, table)
            ]
            ids = ids_text(question.on, {name: tables.column(None, name) for name in question.on}, differing)
            raise EvaluationError(
                f"column {label!r} must hold one label for an id in all tables, got {differing.size:,} of "
                f"{tables.cases:,} cases whose labels differ ({ids}; the first is {' and '.join(held)}); take those of "
                f"the new table ({text_option('allow', LABELS)})"
            )
        joins[str(table)] = joins[str(table)]._replace(other_labels=differing.size)
    return joins


def _described(question: Question, tables: JoinedTables, frequencies: IntArray | None) -> dict[str, Any]:
    """Return the ids of the cases, the numbers of their clusters, (n,), and the cases of each group.  O(n log n)."""
    clusters, name = None, question.cluster
    if name is not None:
        clusters = coded_column(group_labels(tables.column_at_home(name), name), name)[1]
    groups = {
        name: grouped_rows(
            {column: tables.column_at_home(column) for column in columns},
            min_cases=question.grouping.min_cases,
            frequencies=frequencies,
        )
        for name, columns in question.groupings.items()
    }
    return {"ids": ids_of(question, tables), "clusters": clusters, "groups": groups}


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
