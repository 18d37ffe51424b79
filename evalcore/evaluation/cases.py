"""The cases of models as checked columns, sorted when they are asked for, with their weights, clusters and groups."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, check, counting_kept_rows, did_you_mean, refuse
from evalcore.evaluation import inputs, weighting
from evalcore.evaluation.inputs import OtherLabels
from evalcore.evaluation.joining import JoinCounts, JoinedTables, ids_of, ids_text
from evalcore.evaluation.model import ClassScoreCases
from evalcore.evaluation.options import LABELS, option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.repeats import MEAN, note_of_samples, read_values, values_of_ids
from evalcore.evaluation.statistics.groups import WHOLE, GroupedRows, grouped_rows
from evalcore.evaluation.weighting import RowWeights
from evalcore.evaluation.wording import count, listed
from evalcore.inference import outcomes
from evalcore.inference.intervals import Comparisons, Intervals
from evalcore.inference.units import Units, units_of
from evalcore.io.formats import naming
from evalcore.kernels.grouping import rows_of_groups, scaled_by_group
from evalcore.kernels.label_ranks import by_columns, first_ranked, ranks_by_score
from evalcore.kernels.weights import WeightSums
from evalcore.measures.losses import are_probabilities, losses_of_probabilities
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_exact_scores, check_equal_lengths
from evalcore.validation.categories import CodedCases, as_categories, as_coded_cases, as_codes, as_score_rows
from evalcore.validation.labels import encode_labels, is_text
from evalcore.validation.weights import extent_of_weights, scale_weights

RankedCases: TypeAlias = ScoredCases | WeightedRanking
"""Cases that count as one each, or by weights, sorted when they are asked for."""
_MOST_KEPT = 8
"""Sorted columns that take memory at a time: one for each model of a chart."""


def ranked_cases(
    correct: BoolArray, scores: ScoreArray, weights: AnyArray | None, classes: WeightSums | None = None
) -> RankedCases:
    """Return checked cases, (n,) each; weights: None where they count as one each; classes: as of `WeightedRanking`.

    O(1), O(n) with weights.
    """
    return ScoredCases.of(correct, scores) if weights is None else WeightedRanking(scores, correct, weights, classes)


def probabilities(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of scores, (n,) each, that are all between 0 and 1.  O(n) for each.

    >>> import numpy as np
    >>> list(probabilities({"a": np.array([0.0, 1.0]), "b": np.array([-1.0, 0.5])}))
    ['a']
    """
    return {name: column for name, column in scores.items() if are_probabilities(column)}


class RankedColumns(dict[str, RankedCases]):
    """The cases of each column of scores, which stay sorted once they were: those of the last eight columns.

    positive, scores, weights: (n,) each, checked; weights: None where cases count as one each.

    >>> import numpy as np
    >>> ranked = RankedColumns(np.array([True, False]), {"model": np.array([0.5, 0.25])})
    >>> ranked["model"] is ranked["model"]
    True
    """

    def __init__(self, positive: BoolArray, scores: Mapping[str, Any], weights: AnyArray | None = None) -> None:
        super().__init__()
        self._columns = positive, scores, weights

    def __missing__(self, name: str) -> RankedCases:
        for oldest in list(self)[: 1 - _MOST_KEPT]:
            self.pop(oldest, None)  # which another thread may have done
        positive, scores, weights = self._columns
        found = self[name] = ranked_cases(positive, scores[name], weights)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return RankedColumns, self._columns  # what is sorted is not worth its bytes


@dataclass(frozen=True, eq=False, kw_only=True)
class _Described:
    """What is known of cases beside the columns of models, shape (n,) each."""

    weights: RowWeights = weighting.EQUAL_WEIGHTS
    """What cases count by."""
    clusters: IntArray | None = None
    """The number of the cluster of each case, from 0 on, none of them empty; None where each is its own."""
    groups: Mapping[str, GroupedRows] = field(default_factory=dict)
    """By the name of a grouping, the cases of each group."""
    ids: AnyArray | None = None
    """The id of each case; None where there is none, and the index of the row serves."""
    shown: Mapping[str, Mapping[str, AnyArray]] = field(default_factory=dict)
    """By model, the columns that are shown beside its cases, (n,) each, by their headings."""
    of_models: ClassVar[str] = "scores"
    """The field that has the columns of each model, in a comparison of the old one first."""

    @property
    def old(self) -> str:
        """The name of the old model, or of the only one.  O(1)."""
        return str(next(iter(getattr(self, self.of_models))))

    @property
    def new(self) -> list[str]:
        """The names of the new models.  O(models)."""
        return list(getattr(self, self.of_models))[1:]

    @property
    def grouping(self) -> GroupedRows:
        """The groups of a report, which has one grouping; all cases where it has none.  O(1)."""
        return next(iter(self.groups.values()), WHOLE)

    @property
    def kinds(self) -> dict[str, int]:
        """The numbers of cases, rows counting by their frequencies, by what they are numbers of.  O(n)."""
        columns, cases = getattr(self, self.of_models)[self.old], self.weights.cases
        first = next(iter(columns.values())) if isinstance(columns, dict) else columns
        return {"case": int(first.size if cases is None else cases.sum())}

    def sizes(self, groups: GroupedRows) -> list[tuple[int, int | None]]:
        """Return the numbers of cases of each group with a name, and of positives, None without any.  O(n)."""
        cases, positive = self.weights.cases, getattr(self, "positive", None)
        kinds = np.array([*self.kinds.values()])[:, np.newaxis]  # those with the positive label first
        if not groups.is_whole:
            codes = groups.codes if positive is None else groups.codes + groups.count * ~positive
            kinds = np.bincount(codes, cases, kinds.size * groups.count).astype(np.int64)
            kinds = kinds.reshape(-1, groups.count)[:, groups.named]
        return [(sum(own), None if positive is None else own[0]) for own in kinds.T.tolist()]

    def _replace(self, **changed: Any) -> Self:
        return replaced(self, **changed)


@dataclass(frozen=True, eq=False)
class PairedCases(_Described):
    """Cases with the scores of each model, shape (n,) each."""

    positive: BoolArray
    """Which cases have the positive label."""
    scores: Mapping[str, ScoreArray]
    label_of: Callable[[int], Any] | None = None
    """Returns the label of a case as the data have it; None where it is known as positive or negative alone."""

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of positives and negatives, rows counting by their frequencies.  O(n)."""
        return self.weights.cases_of(self.positive), self.weights.cases_of(~self.positive)

    @property
    def kinds(self) -> dict[str, int]:
        """The same, by what they are numbers of.  O(n)."""
        return dict(zip(("positive case", "negative case"), self.counts, strict=True))

    @property
    def score_type(self) -> np.dtype[Any]:
        """The float type that holds the scores of all models.  O(models)."""
        return np.result_type(*(scores.dtype for scores in self.scores.values()))

    def units(self, groups: Any = 0, count: int = 1, *, apart: bool = False) -> Units:
        """Return what is drawn by chance; groups: the group of each case, (n,) in 0 .. count - 1, or 0 of all.  O(n).

        Raises EvaluationError for weights so far apart that a factor for all leaves nothing of some, or that variances
        of clusters would leave float64; apart: unless these may count for nothing.
        """
        weights, given, frequencies = self.weights.values, self.weights.values, self.weights.frequencies
        groups = None if isinstance(groups, int) else groups
        if given is not None:
            if groups is None:
                weights, _ = scale_weights(given)
            elif frequencies is None:  # groups may be of different orders of magnitude
                weights, _ = scaled_by_group(given.astype(np.float64, copy=False), groups, count)
            of_clusters = groups is None and self.clusters is not None
            if not apart and (of_clusters or not np.asarray(weights).all()):
                extent_of_weights(given, f"column {self.weights.weighting.column!r}")
        own: dict[str, Any] = {"weights": weights, "are_frequencies": frequencies is not None}
        return units_of(self.positive.size, **own, clusters=self.clusters, groups=groups, count=count)

    def ranked(self) -> RankedColumns:
        """Return the cases of each model, sorted when they are asked for.  O(1)."""
        return RankedColumns(self.positive, self.scores, self.weights.values)

    def losses(self, name: str, scores: ScoreArray, rows: slice = slice(None)) -> FloatArray:
        """Return the losses of scores of a model, (n,), or of some rows.  O(n).

        Probabilities are clipped by the precision of one type for all models, or equal ones could lose differently.
        """
        wide = scores[rows].astype(self.score_type, copy=False)
        return losses_of_probabilities(name, wide, self.positive[rows])

    def where(self, rows: slice | IntArray | BoolArray) -> "PairedCases":
        """Return some of the cases, without groups, ids and given labels.  O(n log n) with clusters.

        rows: their indices, a slice, or a mask.
        """
        clusters = self.clusters
        return PairedCases(
            self.positive[rows],
            {model: scores[rows] for model, scores in self.scores.items()},
            weights=self.weights.at(rows),
            clusters=None if clusters is None else encode_labels(clusters[rows])[1],
        )

    def by_group(self, groups: GroupedRows) -> Iterator["PairedCases"]:
        """Yield the cases of each group in the order of the layout.  O(n), O(n log n) with clusters."""
        parts = (slice(group, group + 1) for group in range(groups.count))
        yield from (self if groups.is_whole else self.where(rows_of_groups(groups.layout, part)) for part in parts)

    def of_group(self, grouping: str, group: str) -> "PairedCases":
        """Return the cases of a group, whose prevalence may be any.  O(cases of the group)."""
        rows = self.groups[grouping].rows_of(group)
        return self.where(rows)._replace(weights=self.weights.of_group(rows))


@dataclass(frozen=True, eq=False)
class PairedClasses(_Described):
    """Cases with the class that each model predicts, as indices of categories, shape (n,) each."""

    categories: tuple[Any, ...]
    """The names of all classes, of labels and of predictions."""
    labels: IntArray
    predicted: Mapping[str, IntArray]
    scored: Mapping[str, ClassScoreCases] = field(default_factory=dict)
    """By model, the same cases with scores of each class, by which classes are predicted; empty without any."""
    of_models: ClassVar[str] = "predicted"

    def units(self, groups: Any = 0, count: int = 1) -> Units:
        """Return what is drawn by chance, as those of `PairedCases`.  O(n)."""
        return PairedCases(self.labels >= 0, {}, weights=self.weights, clusters=self.clusters).units(groups, count)

    @property
    def response(self) -> IntArray:
        """The class that the old model, or the only one, predicts, (n,).  O(1)."""
        return self.predicted[self.old]


class ValuedRows(NamedTuple):
    """The m cases that have a value of a column of every model."""

    cases: PairedCases
    """Their weights and clusters."""
    values: Mapping[str, FloatArray]
    """By model, (m,) each."""
    binary: bool = False
    """Whether all values of the column are 0 or 1."""
    judged: Mapping[str, FloatArray] = {}
    """A judge's values by model, where those of people are NaN in other cases; empty without a judge."""
    present: slice | BoolArray = slice(None)
    """Which of all cases these are."""

    def means(self, units: Units, model: str, level: float) -> Intervals:
        """Return the intervals of the mean of a model in each group of these units, (g,).  O(m)."""
        if self.judged:
            return self.powered(units, model, level).intervals
        return outcomes.outcome_intervals(units, self.values[model], level, binary=self.binary)

    def powered(self, units: Units, model: str, level: float) -> outcomes.PoweredMeans:
        """Return the means of people's values with the judge's help.  O(m)."""
        return outcomes.prediction_powered(units, self.values[model], self.judged[model], level, binary=self.binary)

    def differences(self, units: Units, old: str, new: str, level: float) -> Comparisons:
        """Compare the means of two models in each group of these units, new less old.  O(m)."""
        if self.judged:
            before, after = ((self.values[model], self.judged[model]) for model in (old, new))
            return outcomes.powered_differences(units, before, after, level)
        return outcomes.outcome_differences(units, self.values[old], self.values[new], level, binary=self.binary)

    def units(self, groups: GroupedRows = WHOLE) -> Units:
        """Return what is drawn by chance, in groups of all cases.  O(m)."""
        return self.cases.units(groups.where(self.present).codes, groups.count)


@dataclass(frozen=True, eq=False)
class PairedOutcomes(_Described):
    """Cases with values of several columns, such as grades or costs, of each system, shape (n,) each."""

    values: Mapping[str, Mapping[str, FloatArray]]
    """By model, in a comparison the old one first, and by column; NaN where a case has none."""
    binary: frozenset[str] = frozenset()
    """The columns whose values are 0 and 1, of all models and groups."""
    samples: Mapping[str, AnyArray] = field(default_factory=dict)
    """The `SAMPLES` of the cases by column, of the old model; empty if each case has one value."""
    judged: Mapping[str, FloatArray] = field(default_factory=dict)
    """A judge's values of all cases by model, where those of the only column are people's, and NaN elsewhere."""
    of_models: ClassVar[str] = "values"

    def of_column(self, column: str) -> "ValuedRows":
        """Return the values of a column, where every model has one.  O(n), O(n log n) with clusters."""
        values = {model: own[column] for model, own in self.values.items()}
        missing = np.logical_or.reduce([np.isnan(each) & (not self.judged) for each in values.values()])
        present, binary = ~missing, column in self.binary
        rows = PairedCases(present, {}, weights=self.weights, clusters=self.clusters)
        if present.all():
            return ValuedRows(rows, values, binary, self.judged)
        values = {model: own[present] for model, own in values.items()}
        return ValuedRows(rows.where(present), values, binary, present=present)


AnyCases: TypeAlias = PairedCases | PairedClasses | PairedOutcomes
"""Cases of one kind of columns."""


class CheckedCases(NamedTuple):
    """The cases of a comparison, and what is said of them."""

    cases: AnyCases
    joins: Mapping[str, JoinCounts]
    notes: Sequence[str] = ()


def checked_cases(question: Question, tables: JoinedTables, level: float | None) -> CheckedCases:
    """Check the rows of all columns.  O(n) for each column, O(n log n) for many groups or clusters.

    level: of intervals, None without any.  Raises EvaluationError for labels that disagree unless the question allows
    them, and for invalid labels, scores, weights and groups.
    """
    notes, present, given = _differing_notes(question, tables), tables, None
    if (name := question.weighting.column) is not None:
        apart = None if question.by else level  # each group may be of an order of magnitude of its own
        given = weighting.row_weights({name: tables.column_at_home(name)}, question.weighting, apart)
    if given is not None and not given.all():  # a row of weight zero counts as absent: so may its label and its group
        present, given = tables.where(given > 0), given[given > 0]
    with nullcontext() if present is tables else counting_kept_rows():
        if question.scores:
            found = _scored(question, present, given)
        else:
            find = _valued if question.values else scored_classes if question.of_scored_classes else classified
            found = find(question, present, weighting.case_weights(given, question.weighting))
    return found._replace(notes=(*notes, *found.notes))


def _differing_notes(question: Question, tables: JoinedTables) -> list[str]:
    """Say in how many cases tables disagree on a group, a cluster or a weight.  O(n) for each column.

    Such columns only describe a case, so that they are no reason for an error as labels that differ are.
    """
    notes = []
    for name in question.case_columns:
        home = tables.home(name)
        for table in [each for each in tables.with_column(name) if name != question.label and each != home]:
            one, other = tables.column(home, name), tables.column(table, name)
            if is_text(one) != is_text(other):
                one, other = one.astype(str), other.astype(str)
            if differing := int(np.count_nonzero(one != other)):
                where = f"{count(differing)} of {count(tables.cases)} cases"
                same = name not in question.fold
                check(same, f"column {name!r}", "hold the same folds in all tables", f"others in {where}")
                notes.append(f"{name} differs between {table} and {home} in {where}; that of {home} counts")
    return notes


def _scored(question: Question, tables: JoinedTables, given: AnyArray | None) -> CheckedCases:
    """Return cases with scores; given: weights, (n,), None if all count as one.  O(n) for each column."""
    label, weighted = question.label, question.weighting.column is not None
    home = tables.home(label)
    rows_of = partial(inputs.positive_rows, name=label, positive=question.positive, weighted=weighted)
    masks = {table: rows_of(tables.column(table, label)) for table in tables.with_column(label)}
    joins = _agreeing_joins(question, tables, masks)
    positive = masks[home]
    others = OtherLabels()
    if question.positive is not None:
        others.add(tables.column(home, label), positive)
    scores = {}
    for model in tables.models:
        inputs.numeric_scores(tables.tables[model.table][model.column], model.column)
        name = model.column if tables.old else f"column {model.column!r}"
        scores[model.name] = as_exact_scores(tables.column(model.table, model.column), name)
    weights = weighting.weights_of_rows(positive, given, question.weighting)
    column, rows = tables.tables[home][label], tables.rows[home]

    def label_of(case: int) -> Any:  # few are asked for, so that the column is not copied
        return column[case if rows is None else rows[case]]

    cases = PairedCases(positive, scores, label_of, **described_cases(question, tables, weights))
    return CheckedCases(cases, joins, others.notes(label, question.positive))


def _valued(question: Question, tables: JoinedTables, weights: RowWeights) -> CheckedCases:
    """Return cases with values.  O(n) for each column, of texts O(n log n).

    Raises EvaluationError for missing values, unless rows with nulls may be left out, and for columns without any.
    """
    values: dict[str, dict[str, FloatArray]] = {model.name: {} for model in tables.models}
    drop, notes, binary = question.rows.nulls == "drop", list[str](), list[str]()
    samples, judged = dict[str, AnyArray](), list[FloatArray]()
    read = partial(read_values, question)
    for name in question.values:
        parts = [tables.column(model.table, name) for model in tables.models]
        if question.repeats is not None:
            found = [values_of_ids(name, part, question.repeats) for part in parts]
            samples |= {name: parts[0]} if question.repeats == MEAN else {}
            notes.append(note_of_samples(name, np.concatenate(parts), question.repeats))
        elif question.judge is not None:
            others = [tables.column(model.table, question.judge) for model in tables.models]
            both = read([*parts, *others], name, drop=True)  # together, so that one may hold one word alone
            found, judged = both[: len(parts)], both[len(parts) :]
            lacking = any(np.isnan(own).any() for own in judged)
            refuse({f"column {question.judge!r} must have a value for every case, got nulls": lacking})
        else:
            found = read(parts, name, drop=drop)
        missing = np.logical_or.reduce([np.isnan(each) for each in found])
        if out := int(np.count_nonzero(missing)):
            where = " of all systems" if len(found) > 1 else ""
            refuse({f"column {name!r} has no value{where} in any of {count(missing.size)} cases": out == missing.size})
        if out and not judged:
            are = "is" if out == 1 else "are"
            notes.append(f"{name}: {count(out)} of {count(missing.size)} cases {are} left out, without a value")
        if judged:
            looked = f"{count(missing.size - out)} of {count(missing.size)} cases were judged by people"
            notes.append(f"{name}: {looked}, all {count(missing.size)} by {question.judge}")
        if all(((each == 0) | (each == 1) | np.isnan(each)).all() for each in (*found, *judged)):
            binary.append(name)
        for model, own in zip(tables.models, found, strict=True):
            values[model.name][name] = own
    described = described_cases(question, tables, weights)
    described |= {"samples": samples, "judged": dict(zip(values, judged, strict=False))}
    return CheckedCases(PairedOutcomes(values, frozenset(binary), **described), tables.counts, notes)


def classified(question: Question, tables: JoinedTables, weights: RowWeights) -> CheckedCases:
    """Return cases with predicted classes.  O(n) for each column."""
    label, joins = question.label, _joins_of_classes(question, tables)
    predicted = {model.name: tables.column(model.table, model.column) for model in tables.models}
    columns = {model.name: model.column for model in tables.models}
    described = described_cases(question, tables, weights)
    cases = paired_classes(label, tables.column_at_home(label), predicted, columns)._replace(**described)
    of_models = {
        f"column {columns[model]!r}{'' if columns[model] == model else f' of {model}'}": codes
        for model, codes in cases.predicted.items()
    }
    return CheckedCases(cases, joins, inputs.spelling_notes(cases.categories, cases.labels, of_models, label))


def scored_classes(question: Question, tables: JoinedTables, weights: RowWeights) -> CheckedCases:
    """Return cases with scores of each class, and the classes of the highest.  O(n k log k) for k classes and a model.

    Raises EvaluationError unless all models score the same classes, which all labels are among.
    """
    label, joins = question.label, _joins_of_classes(question, tables)
    labels, scored, notes = tables.column_at_home(label), dict[str, ClassScoreCases](), list[str]()
    old, *others = tables.models
    columns_of = {
        model: question.scores_of_classes(tables.tables[model.table], old=model is old and bool(others))
        for model in tables.models
    }
    order, every = list(columns_of[old]), [set[Any](columns) for columns in columns_of.values()]
    if apart := sorted(map(repr, set.union(*every) - set.intersection(*every))):
        raise EvaluationError(f"models must have scores of the same classes, got {listed(apart)} of one alone")
    names = inputs.class_names(order, labels)
    for model, columns in columns_of.items():
        scores = [inputs.numeric_scores(tables.column(model.table, columns[name]), columns[name]) for name in order]
        try:
            found = checked_class_scores(labels, names, np.column_stack(scores))
        except EvaluationError as error:
            raise _class_without_column(question, names, labels) or error from None
        scored[model.name] = found._replace(weights=weights)
        best = f"the class with the highest score{f' of {model.name}' if others else ''}"
        notes += inputs.spelling_notes(names, found.codes, {best: first_ranked(found.ranks)}, label)
    absent = np.flatnonzero(np.bincount(found.codes, minlength=len(names)) == 0).tolist()
    if absent:
        named = question.prefix is not None and not others
        way_out = f"; if one is no class, name the columns ({option('score', 'CLASS=COL')})" if named else ""
        lacking = listed([repr(str(names[code])) for code in absent])
        notes.append(f"column {label!r} holds no label of these classes, which have scores: {lacking}{way_out}")
    predicted = {name: first_ranked(each.ranks) for name, each in scored.items()}
    described = described_cases(question, tables, weights)
    cases = PairedClasses(tuple(names), found.codes, predicted, scored, **described)
    return CheckedCases(cases, joins, list(dict.fromkeys(notes)))


def checked_class_scores(labels: Any, classes: Sequence[Any], scores: AnyArray) -> ClassScoreCases:
    """Check and rank scores of each class.  O(n k²), for many classes O(n k log k).

    labels: (n,) strings or integers, each one of the k classes; scores: (n, k), no NaN.

    Raises EvaluationError or EvaluationTypeError for unknown labels and invalid scores.
    """
    categories = as_categories(classes, "categories")
    codes = as_codes(labels, categories, "label")
    rows = as_score_rows(scores, categories, "scores")
    check_equal_lengths(codes, rows, "references", "scores")
    return ClassScoreCases(categories, codes, rows, ranks_by_score(by_columns(rows)))


def _class_without_column(question: Question, names: Sequence[Any], labels: AnyArray) -> EvaluationError | None:
    """Return the error for a label that has no column of scores; None if all have one.  O(n)."""
    lacking = [label for label in dict.fromkeys(labels.tolist()) if label not in names]
    if not lacking:
        return None
    what = f"class {lacking[0]!r} of column {question.label!r} must have a column of scores"
    near = did_you_mean(lacking[0], list(map(str, names)))
    return EvaluationError(f"{what}, got columns for {listed([repr(name) for name in names])}{near}")


def _joins_of_classes(question: Question, tables: JoinedTables) -> dict[str, JoinCounts]:
    """Return the counts of the join of tables whose labels are classes, as `_agreeing_joins`.  O(n)."""
    label, home = question.label, tables.home(question.label)
    labels = {table: tables.column(table, label) for table in tables.with_column(label)}
    for table in set(labels) - {home}:
        name = f"{label} of {table}"
        labels[home], labels[table] = inputs.class_columns({label: labels[home], name: labels[table]})
    return _agreeing_joins(question, tables, labels)


def _agreeing_joins(question: Question, tables: JoinedTables, labels: Mapping[str, AnyArray]) -> dict[str, JoinCounts]:
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
            held = [f"{tables.column(each, label)[differing[:1]].tolist()[0]!r} in {each}" for each in (first, table)]
            ids = ids_text(question.on, {name: tables.column(tables.old, name) for name in question.on}, differing)
            differ = f"cases whose labels differ ({ids}; the first is {' and '.join(held)})"
            got = f"{differing.size:,} of {tables.cases:,} {differ}"
            way_out = f"take those of the new table ({text_option('allow', LABELS)})"
            rule = f"column {label!r} must hold one label for an id in all tables"
            raise EvaluationError(f"{rule}, got {got}; {way_out}")
        joins[str(table)] = joins[str(table)]._replace(other_labels=differing.size)
    return joins


def described_cases(question: Question, tables: JoinedTables, weights: RowWeights) -> dict[str, Any]:
    """Return the weights and ids of the cases, the numbers of their clusters, (n,), and those of each group.

    O(n log n).
    """
    clusters, shown = None, tables.shown(question.show)
    if (name := question.cluster) is not None:
        clusters = inputs.coded_column(inputs.group_labels(tables.column_at_home(name), name), name)[1]
    limits = question.most_groups, question.min_cases, weights.cases, question.every
    groups = {
        name: grouped_rows({column: tables.column_at_home(column) for column in columns}, *limits)
        for name, columns in tables.groupings.items()
    }
    own = {"weights": weights, "ids": ids_of(question, tables)}
    return own | {"clusters": clusters, "groups": groups, "shown": shown}


def paired_classes(
    label: str, labels: AnyArray, predicted: Mapping[str, AnyArray], columns: Mapping[str, str] = {}
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
            found = inputs.class_columns({label: labels, name: predicted[model]})  # one, if it is the column of labels
            pairs.append([found[0], found[-1]])
    if len({pair[0].dtype.kind for pair in pairs}) > 1:  # text becomes numbers beside one model, but not beside all
        pairs = [[labels, column] for column in predicted.values()]
    named = zip(pairs, names.values(), strict=True)
    coded = [as_coded_cases(first, second, None, (label, name)) for (first, second), name in named]
    categories = tuple(sorted(set().union(*(cases.categories for cases in coded))))
    references, responses = zip(*(_codes_among(categories, cases) for cases in coded), strict=True)
    return PairedClasses(categories, references[0], dict(zip(predicted, responses, strict=True)))


def _codes_among(categories: Sequence[Any], cases: CodedCases) -> tuple[IntArray, IntArray]:
    """Return the indices of references and responses among more categories.  O(n + k)."""
    if len(categories) == len(cases.categories):
        return cases.reference, cases.response
    index = {category: code for code, category in enumerate(categories)}
    codes = np.array([index[category] for category in cases.categories])
    return codes[cases.reference], codes[cases.response]
