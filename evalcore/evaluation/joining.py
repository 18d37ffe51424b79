"""Tables of an old model and of new ones, joined by id, and the models that they hold."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, count
from typing import NamedTuple, TypeVar

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.model import CLASS_SCORES
from evalcore.evaluation.options import MISSING, REPEATED, option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import BETWEEN
from evalcore.io.columns import ColumnArrays, Selection, Texts
from evalcore.io.matching_ids import matched_rows
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.matching import Matches
from evalcore.typing import AnyArray, BoolArray, IntArray


class JoinCounts(NamedTuple):
    """How many rows were compared, and how many were not."""

    old_rows: int
    new_rows: int
    cases: int
    """Rows of both."""
    only_old: int = 0
    only_new: int = 0
    repeated_old: int = 0
    """Rows of an id that an earlier row has."""
    repeated_new: int = 0
    other_labels: int = 0
    """Cases whose label differs between the two."""


_T = TypeVar("_T")
_LISTED = 3
"""Ids that an error lists."""


class ComparedModel(NamedTuple):
    """A column of scores or of predicted classes, or one for each class."""

    name: str
    table: str
    """Which has it."""
    column: str
    """Of no meaning where there are scores of each class."""


class JoinedTables(NamedTuple):
    """The table of the old model, those of new ones, and which of their rows belong together."""

    tables: Mapping[str, ColumnArrays]
    """By name, the old one first; a report has one, without a name."""
    rows: Mapping[str, IntArray | None]
    """Those of each table that are compared, (n,), in the same order; None for all."""
    models: Sequence[ComparedModel]
    """Those whose columns are read, of a comparison the old one first."""
    groupings: Mapping[str, tuple[str, ...]]
    """The columns of each grouping, by its name."""
    counts: Mapping[str, JoinCounts] = {}
    """By new table."""

    @classmethod
    def alone(cls, question: Question, columns: ColumnArrays) -> "JoinedTables":
        """Return the table of a report.  O(models)."""
        names = (CLASS_SCORES,) if question.of_scored_classes else ("",) if question.values else question.columns
        models = [ComparedModel(name, "", name) for name in names]
        return cls({"": columns}, {"": None}, models, {BETWEEN.join(question.by): question.by} if question.by else {})

    @property
    def old(self) -> str:
        """The name of the old table, or of the only one.  O(1)."""
        return next(iter(self.tables))

    @property
    def cases(self) -> int:
        """The number of rows that are compared.  O(1)."""
        rows = self.rows[self.old]
        return len(next(iter(self.tables[self.old].values()))) if rows is None else rows.size

    def column(self, table: str, name: str) -> AnyArray:
        """Return a column of the compared rows, (n,).  O(n)."""
        return np.asarray(taken(self.tables[table][name], self.rows[table]))

    def home(self, name: str) -> str:
        """Return the table that a column is taken from: the first new one that has it, else the old one.  O(k)."""
        old, *new = self.tables
        return next((table for table in new if name in self.tables[table]), old)

    def column_at_home(self, name: str) -> AnyArray:
        """Return a column of the compared rows from the table that it is taken from, (n,).  O(n)."""
        return self.column(self.home(name), name)

    def with_column(self, name: str) -> list[str]:
        """Return the tables that have a column, the old one first.  O(k)."""
        return [table for table, columns in self.tables.items() if name in columns]

    def shown(self, names: Iterable[str]) -> dict[str, dict[str, AnyArray]]:
        """Return for each model the columns that are shown beside its cases, (n,) each, by their headings.  O(n).

        Where its table and the old one both have a column and differ in it, that of each is shown.
        """
        found = dict[str, dict[str, AnyArray]]()
        for model in self.models:
            columns = found[model.name] = {}
            for name in names:
                tables = [each for each in dict.fromkeys((self.old, model.table)) if name in self.tables[each]]
                own = [self.column(table, name) for table in tables or [self.home(name)]]
                differ = len(own) > 1 and not np.array_equal(own[0], own[-1])
                columns |= dict(zip([f"{name}, old", f"{name}, new"], own, strict=True)) if differ else {name: own[-1]}
        return found

    def where(self, kept: BoolArray) -> "JoinedTables":
        """Return the same with some of the compared rows only; kept: (n,).  O(n)."""
        parts = {name: np.flatnonzero(kept) if rows is None else rows[kept] for name, rows in self.rows.items()}
        return self._replace(rows=parts)


def taken(column: AnyArray, rows: IntArray | None) -> AnyArray:
    """Return some rows of a column, or all for None, (m,).  O(m)."""
    if rows is None or isinstance(column, Texts):
        return column if rows is None else column[rows]
    found = np.empty(rows.size, column.dtype)

    def take(block: slice) -> None:
        np.take(column, rows[block], out=found[block], mode="clip")  # faster than with checks

    map_blocks(take, rows.size)
    return found


def tables_in_turn(
    question: Question, tables: int, read: Callable[[int, Selection], _T], columns_of: Callable[[_T], Iterable[str]]
) -> list[tuple[Selection, _T]]:
    """Read the tables of a comparison by their indices, the old one last, which has what the new ones lack of cases.

    Returns each with what was selected, the old one first.  O(columns) beside reading.
    """
    on, of_cases = question.on, (*question.case_columns, *question.show)
    select_new = partial(question.selected, question.columns, [question.prefix], on, of_cases, where_possible=True)
    selections = [select_new() for _ in range(1, tables)]  # each counts its own rows
    new = [(selection, read(table, selection)) for table, selection in enumerate(selections, 1)]
    of_old = question.selection
    if new:  # what describes a case is needed here if no new table has it; else it is read to be compared
        found = {name for selection, each in new for name in columns_of(each) if selection.evaluates(name)}
        lacking, others = ([name for name in of_cases if (name in found) == known] for known in (False, True))
        filtered = any(selection.is_filtered for selection in selections)
        models = question.old_columns, [question.prefix_of(old=True)]
        of_old = question.selected(*models, (*on, *lacking), others, where_possible=filtered)
    return [(of_old, read(0, of_old)), *new]


def joined_tables(question: Question, tables: Mapping[str, ColumnArrays], whole: Collection[str] = ()) -> JoinedTables:
    """Find the rows of the same ids.  O(n) for whole numbers that lie close together, else O(n log n).

    tables: the old one first; whole: those whose rows may lack a match, because the condition on rows was applied to
    others alone.  Raises EvaluationError for ids that one table lacks or that several rows have, unless the question
    allows them.
    """
    (old_name, *others), groupings = tables, question.groupings
    models = compared_models(question, old_name, others)
    if not others:
        return JoinedTables(tables, {old_name: None}, models, groupings)
    ids = {name: [columns[each] for each in question.on] for name, columns in tables.items()}
    sizes, as_text = {name: columns[0].size for name, columns in ids.items()}, partial(text_option, "text")
    rows = sizes[old_name]
    found = {name: matched_rows(ids[old_name], ids[name], question.on, as_text) for name in others}
    for name, matches in found.items():
        _check(question, {each: tables[each] for each in (old_name, name)}, matches, whole)
    kept = np.ones(rows, np.bool_)  # which all new tables have, and no earlier row repeats
    for matches in found.values():
        if matches.rows is not None:
            kept &= matches.rows >= 0
        kept[matches.repeated_old] = False
    if not kept.any():
        first = {name: np.arange(_LISTED)[:size] for name, size in sizes.items()}
        held = [f"{ids_text(question.on, tables[name], rows)} in {name}" for name, rows in first.items()]
        got = f"{' and '.join(held)}; {option('on')} names their column, whose values must be written alike"
        raise EvaluationError(f"{'both' if len(others) == 1 else 'all'} tables must have ids in common, got {got}")
    counts, old_rows = {}, None if kept.all() else np.flatnonzero(kept)
    rows_of = {old_name: old_rows}
    for name, matches in found.items():
        only_old, repeated = matches.only_old().size, matches.repeated_old.size
        counts[name] = JoinCounts(
            rows, sizes[name], rows - only_old - repeated,
            only_old, matches.only_new.size, repeated, matches.repeated_new.size,
        )  # fmt: skip
        own = matches.rows
        rows_of[name] = own if old_rows is None else old_rows if own is None else own[old_rows]
    return JoinedTables(tables, rows_of, models, groupings, counts)


def _check(question: Question, tables: Mapping[str, ColumnArrays], matches: Matches, whole: Collection[str]) -> None:
    """Raise EvaluationError for repeated and missing ids of two tables that are not allowed.  O(ids)."""
    old, new = tables

    def said(why: str, *found: tuple[str, IntArray, str]) -> str:
        shown = [(*each, ids_text(question.on, tables[each[0]], each[1])) for each in found if each[1].size]
        return " and ".join(
            f"{rows.size:,} row{'s' * (rows.size != 1)} of {name} {why.format(other)} ({ids})"
            for name, rows, other, ids in shown
        )

    found = said("with the id of an earlier row", (old, matches.repeated_old, ""), (new, matches.repeated_new, ""))
    if found and REPEATED not in question.allow:
        way_out = f"keep the first row of each id ({text_option('allow', REPEATED)})"
        if question.values:
            way_out = f"take the mean of the samples of each id ({text_option('repeats', 'mean')})"
        got = f"{found}; name more columns that tell rows apart, or {way_out}"
        raise EvaluationError(f"{option('on')} must identify each row, got {got}")
    only_old = matches.only_old()
    lacking = (old, only_old, new), (new, matches.only_new, old)
    found = said("whose id {} lacks", *(each for each in lacking if each[0] not in whole))
    in_common = only_old.size < tables[old][question.on[0]].size
    if found and MISSING not in question.allow and in_common:
        left_out = ", after rows with nulls were left out" if question.rows.nulls == "drop" else ""
        got = f"{found}{left_out}; compare only the cases of both ({text_option('allow', MISSING)})"
        raise EvaluationError(f"both tables must have the same ids, got {got}")


def ids_text(on: Sequence[str], columns: Mapping[str, AnyArray], rows: IntArray) -> str:
    """List the ids of the first of some rows.  O(1).

    >>> ids_text(["id"], {"id": np.array([7, 8, 9, 10, 11])}, np.array([0, 2, 3, 4]))
    'id 7, 9, 10, ...'
    >>> ids_text(["id", "day"], {"id": np.array([7]), "day": np.array(["Mon"])}, np.array([0]))
    "id 7, day 'Mon'"
    """
    shown = rows[:_LISTED]
    values = [columns[name][shown].tolist() for name in on]
    more = ", ..." if rows.size > _LISTED else ""
    if len(on) == 1:
        return f"{on[0]} {', '.join(map(repr, values[0]))}{more}"
    each = (", ".join(map("{} {!r}".format, on, row)) for row in zip(*values, strict=True))
    return f"{'; '.join(each)}{'; ...' if more else ''}"


def ids_of(question: Question, tables: JoinedTables) -> AnyArray | None:
    """Return the id of each compared case, (n,), of several columns a record; None for one table without ids.  O(n)."""
    if not question.on:
        return None
    if len(question.on) == 1:  # few of which are read
        return taken(tables.tables[tables.old][question.on[0]], tables.rows[tables.old])
    columns = [tables.column(tables.old, name) for name in question.on]
    types = [(name, column.dtype) for name, column in zip(question.on, columns, strict=True)]
    return np.rec.fromarrays(columns, dtype=types).view(np.ndarray)


def compared_models(question: Question, old_name: str, new_names: Collection[str]) -> list[ComparedModel]:
    """Return the models, the old one first, with names of their own.  O(models).

    Models of one table are called as their columns.  Others are called as their tables and, where new tables hold
    several models, also as their columns.

    >>> [model.name for model in compared_models(Question("late", ("a", "b"), old_score="base"), "old", [])]
    ['base', 'a', 'b']
    >>> [model.name for model in compared_models(Question("late", ("score",)), "old", ["May", "June"])]
    ['old', 'May', 'June']
    >>> [model.name for model in compared_models(Question("late", ("a", "b"), old_score="base"), "old", ["new"])]
    ['old', 'a', 'b']
    """
    together = question.of_scored_classes or question.values  # the columns of a table are one model's
    old, *columns = ("old", "new") if together else (question.old_columns[0], *question.columns)
    if not new_names:
        return [ComparedModel(column, old_name, column) for column in (old, *columns)]
    found = [(table, column) for table in new_names for column in columns]
    names = (
        table if len(columns) == 1 else column if len(new_names) == 1 else f"{table} {column}"
        for table, column in found
    )
    named = zip(distinct_names(names, {old_name}), found, strict=True)
    return [ComparedModel(old_name, old_name, old), *(ComparedModel(name, *model) for name, model in named)]


def distinct_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names with a number behind those that an earlier one has.  O(names).

    >>> distinct_names(["model", "model", "model 2"])
    ['model', 'model 2', 'model 2 2']
    """
    found, used = [], set(taken)
    for name in names:
        own = next(each for each in chain([name], (f"{name} {number}" for number in count(2))) if each not in used)
        used.add(own)
        found.append(own)
    return found
