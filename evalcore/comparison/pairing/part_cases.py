"""The rows of parts of tables become checked cases, and what is said of them is added up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from evalcore.batched.weighted_rows import check_sizes
from evalcore.comparison.compared_models import ComparedModel
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.pairing.checked_cases import (
    Differing,
    agreeing_joins,
    differing_cases,
    differing_notes,
    labelled_tables,
    present_cases,
)
from evalcore.comparison.pairing.join_counts import JoinCounts
from evalcore.comparison.pairing.joining import ids_of, joined_tables
from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationError
from evalcore.io.columns import ColumnArrays
from evalcore.report.inputs import no_positive_error, numeric_scores, positive_rows_of_part
from evalcore.report.other_labels import OtherLabels
from evalcore.report.weighting import RowWeights, check_total
from evalcore.typing import AnyArray
from evalcore.validation.arrays import as_exact_scores
from evalcore.validation.weights import total_weight


class PartCases(NamedTuple):
    """The cases of a part, n > 0."""

    cases: PairedCases
    """With weights as they were given, whatever the target prevalence."""
    described: Mapping[str, AnyArray]
    """Columns of groups and clusters, (n,) each."""


class JoinedParts:
    """Joins and checks the rows of each part, and counts what became of them; whole: as of `joined_tables`."""

    def __init__(
        self, question: CompareQuestion, old_name: str, models: Sequence[ComparedModel], whole: Sequence[str]
    ) -> None:
        self.joins: dict[str, JoinCounts] = {}
        """By new table."""
        self._question, self._old_name, self._models, self._whole = question, old_name, models, whole
        tables = dict.fromkeys(model.table for model in models if model.table is not None)
        self._names: dict[str | None, str] = {None: old_name, **{table: table for table in tables}}
        """Of the tables, by None for the old one."""
        self._others = OtherLabels()
        self._differing: Counter[Differing] = Counter()
        self._cases = 0
        """With those of weight zero."""
        self._weight = 0.0

    def add(self, old: ColumnArrays, new: Mapping[str, ColumnArrays]) -> PartCases | None:
        """Return the cases of a part; None if it has none.  O(n log n)."""
        question = self._question
        tables = joined_tables(question, old, new, self._old_name, self._whole, of_part=True)
        if not tables.cases:
            self._add_joins(tables.counts)
            return None
        self._differing.update(differing_cases(question, tables))
        self._cases += tables.cases
        tables, weights = present_cases(question, tables, of_part=True)
        if not tables.cases:
            self._add_joins(tables.counts)
            return None
        masks = {
            table: positive_rows_of_part(tables.column(table, question.label), question.label, question.positive)
            for table in labelled_tables(tables, question.label)
        }
        self._add_joins(agreeing_joins(question, tables, masks, self._names))
        home = tables.home(question.label)
        if question.positive is not None:
            self._others.add(tables.column(home, question.label), masks[home])
        scores = {}
        for model in self._models:
            numeric_scores(tables.columns(model.table)[model.column], model.column)
            scores[model.name] = as_exact_scores(tables.column(model.table, model.column), model.column)
        labels = tables.labels(home, question.label)
        cases = PairedCases(masks[home], scores, self._weights(weights), ids=ids_of(question, tables), labels=labels)
        names = dict.fromkeys([*chain(*question.groupings.values()), *filter(None, [question.cluster])])
        return PartCases(cases, {name: tables.column(tables.home(name), name) for name in names})

    def check(self, positives: float) -> None:
        """Raise EvaluationError if no part had a case, one of the positive label, or a weight above zero.  O(1).

        positives: their number.
        """
        question = self._question
        if not self._cases:
            raise EvaluationError(f"all tables must have ids in common, got none in {', '.join(self.joins)}")
        if question.weighting.column is not None:
            check_total(self._weight, question.weighting)
        if question.positive is not None and not positives:
            weighted = question.weighting.column is not None
            raise no_positive_error(question.label, question.positive, "", weighted=weighted)

    @property
    def notes(self) -> list[str]:
        """What is said of columns that differ, and of labels, after all parts were added.  O(columns)."""
        question = self._question
        of_labels = self._others.notes(question.label, question.positive)
        return [*differing_notes(self._differing, self._names, self._cases), *of_labels]

    def _weights(self, given: AnyArray | None) -> RowWeights | None:
        weighting = self._question.weighting
        if given is None:
            return None
        check_sizes(given, f"column {weighting.column!r}")
        self._weight += total_weight(given)
        return RowWeights(weighting._replace(target_prevalence=None), given, given)

    def _add_joins(self, counts: Mapping[str, JoinCounts]) -> None:
        for name, of_part in counts.items():
            known = self.joins.get(name, JoinCounts(*[0] * len(of_part)))
            self.joins[name] = JoinCounts(*map(sum, zip(known, of_part, strict=True)))
