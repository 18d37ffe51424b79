"""Which rows of a table are kept: those that meet a condition, without nulls, and of these a random sample."""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index, check, shown
from evalcore.io.conditions import ArrowCondition, ColumnTypes, SqlCondition, condition_of, holds_text, plain
from evalcore.io.libraries import pa, pc
from evalcore.io.text_cells import without_words
from evalcore.typing import AnyArray
from evalcore.validation.values import check_integer

_DRAWS = 4
"""Numbers that Philox makes of one state of its counter."""
_FEWEST_SPARE = 1 << 16


def random_keys(seed: int, first: int, rows: int) -> npt.NDArray[np.uint64]:
    """Return the random number of each of some rows, (n,), whose first has an index among all.  O(n).

    Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011: numbers by index, in any order.

    >>> random_keys(7, 0, 5)[3:].tolist() == random_keys(7, 3, 2).tolist()
    True
    """
    generator = np.random.Philox(key=seed)
    generator.advance(first // _DRAWS)
    skipped = first % _DRAWS
    return np.asarray(generator.random_raw(skipped + rows)[skipped:])


class RowSample:
    """The rows with the smallest random numbers: each set of that many rows is equally likely.

    >>> import pyarrow
    >>> sample = RowSample(2, seed=0)
    >>> for first in (0, 5):
    ...     sample.add(pyarrow.table({"row": range(first, first + 5)}))
    >>> sample.rows()["row"].to_pylist()
    [0, 2]
    """

    def __init__(self, size: int, seed: int) -> None:
        self.seen = 0
        """Rows among which the sample is chosen."""
        self._size, self._seed = size, seed
        self._tables: list[Any] = []
        self._keys: list[npt.NDArray[np.uint64]] = []
        """Of the rows of each table."""
        self._largest = np.iinfo(np.uint64).max
        """Rows with larger keys are certainly not in the sample."""

    def add(self, table: Any) -> None:
        """Add rows, a pyarrow Table, after those before.  O(n), amortised."""
        keys = random_keys(self._seed, self.seen, table.num_rows)
        self.seen += table.num_rows
        candidates = keys <= self._largest
        if not candidates.all():
            table, keys = table.filter(pa.array(candidates)), keys[candidates]
        self._tables.append(table)
        self._keys.append(keys)
        if sum(map(len, self._keys)) > self._size + max(self._size // 4, _FEWEST_SPARE):
            self.rows()

    def rows(self) -> Any:
        """Return the sample of the rows so far in their order, a pyarrow Table, and forget all others.  O(n)."""
        table, keys = pa.concat_tables(self._tables), np.concatenate(self._keys)
        if keys.size > self._size:
            self._largest = np.partition(keys, self._size - 1)[self._size - 1]
            chosen = keys <= self._largest
            surplus = np.count_nonzero(chosen) - self._size
            if surplus:  # of rows with equal keys the first ones stay
                chosen[np.flatnonzero(keys == self._largest)[-surplus:]] = False
            table, keys = table.filter(pa.array(chosen)), keys[chosen]
        self._tables, self._keys = [table], [keys]
        return table


NULLS = "refuse", "drop"
"""What is done with a row that has a null."""
_MOST_SEED = (1 << 64) - 1


class Rows(NamedTuple):
    """Which rows of a table are kept."""

    nulls: Literal["refuse", "drop"] = "refuse"
    """Whether a row with a null or NaN in a selected column is an error, or left out."""
    where: Any = None
    """The condition that kept rows meet: SQL or a pyarrow expression; None keeps all."""
    sample: int | None = None
    """Number of rows kept, each set of that many equally likely; None keeps all."""
    seed: int = 0
    """Of the random numbers that choose the sample."""

    @property
    def are_all(self) -> bool:
        """Whether all rows are kept.  O(1)."""
        return self.nulls == "refuse" and self.where is None and self.sample is None

    def asked(self) -> dict[str, Any]:
        """Return what is asked for, by the names of options, None for what is not.  O(1)."""
        return {
            "nulls": None if self.nulls == "refuse" else self.nulls,
            "where": None if self.where is None else str(self.where),
            "sample": self.sample,
            "seed": None if self.sample is None else self.seed,
        }


ALL_ROWS = Rows()
Spelled = Callable[[str], str]
"""Returns the name of an option as the caller writes it."""


def checked_rows(rows: Rows, spelled: Spelled) -> Rows:
    """Return the choice of rows; raise EvaluationError or EvaluationTypeError for an invalid one.  O(1)."""
    nulls, sample, seed = map(spelled, ("nulls", "sample", "seed"))
    check(rows.nulls in NULLS, nulls, f"be one of {', '.join(NULLS)}", shown(rows.nulls))
    check(rows.sample is None or check_integer(rows.sample, sample) >= 1, sample, "be at least 1", rows.sample)
    check(0 <= check_integer(rows.seed, seed) <= _MOST_SEED, seed, f"be from 0 to {_MOST_SEED}", rows.seed)
    if rows.where is not None:
        condition_of(rows.where, spelled("where"))
    return rows


class RowFilter:
    """Keeps some of the rows of a table, and counts the others.

    >>> import pyarrow
    >>> rows = RowFilter(Rows(nulls="drop"), str)
    >>> rows.kept(pyarrow.table({"late": [1, None, 0]}), ["late"])["late"].to_pylist()
    [1, 0]
    >>> rows.notes()
    ("1 of 3 rows is left out because of nulls: 1 in column 'late'",)
    """

    def __init__(
        self, rows: Rows, spelled: Spelled, way_out: str = "", labels: Sequence[str] = (), *, if_possible: bool = False
    ) -> None:
        self.asked = rows
        self.shown: Sequence[str] = ()
        """Columns whose nulls leave no row out."""
        self._if_possible = if_possible
        """Whether a table that lacks a column of the condition is read without it."""
        self._labels = labels
        """Columns in which words such as NA are nulls if all else is numbers or Booleans."""
        self._numeric: dict[str, bool] = {}
        """Whether these had numbers."""
        self.untyped: set[str] = set()
        """Columns that a reader of text hands over as strings, whatever they spell."""
        self._types = ColumnTypes()
        self._way_out = way_out
        """What an error about nulls adds."""
        self._spelled = spelled
        self._condition: ArrowCondition | SqlCondition | None = None
        if rows.where is not None:
            self._condition = condition_of(rows.where, spelled("where"))
        self.read = self.met = self.complete = 0
        """Rows so far, those of them that meet the condition, and those of these without nulls."""
        self._nulls: Counter[str] = Counter()

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the columns that the condition needs; raise EvaluationError if one is not there.  O(columns)."""
        try:
            return [] if self._condition is None else self._condition.columns(present)
        except EvaluationError:
            if not self._if_possible:
                raise
        self.asked, self._condition = self.asked._replace(where=None), None
        return []

    @property
    def named(self) -> Sequence[str]:
        """The columns that the condition names, as it writes them.  O(1)."""
        return () if self._condition is None else self._condition.named

    def sample(self) -> RowSample | None:
        """Return what collects the sample, if one is asked for.  O(1)."""
        return None if self.asked.sample is None else RowSample(self.asked.sample, self.asked.seed)

    def kept(self, table: Any, names: Sequence[str], first: int = 0) -> Any:
        """Return some columns of the rows that meet the condition and have no null in them, a pyarrow Table.  O(n).

        table: a pyarrow Table or RecordBatch; first: the index of its first row, for errors.  Raises EvaluationError
        for nulls that are not to be left out.
        """
        met = np.arange(table.num_rows)
        if self._condition is not None:
            untyped = self.untyped.intersection(self._condition.columns(table.schema.names))
            typed = {name: self._types.typed(table.column(name), name, first) for name in untyped}
            asked = pa.table({name: typed.get(name, table.column(name)) for name in table.schema.names})
            met = self._condition.rows_that_meet(asked, first)
        selected = pa.table({name: plain(table.column(name)) for name in names})
        if met.size < table.num_rows:
            selected = selected.take(pa.array(met))
        self.read += table.num_rows
        self.met += met.size
        if self.asked.nulls == "drop":
            selected = self._without_words(selected)
        judged = [name for name in names if name not in self.shown]
        nulls = {name: _nulls(selected.column(name), nan_too=self.asked.nulls == "drop") for name in judged}
        nulls = {name: of_rows for name, of_rows in nulls.items() if of_rows is not None}
        if nulls and self.asked.nulls == "refuse":
            found = {name: (_count(own), first + int(met[pc.index(own, True).as_py()])) for name, own in nulls.items()}
            raise EvaluationError(nulls_text(found) + self._way_out)
        if nulls:
            self._nulls.update({name: _count(rows) for name, rows in nulls.items()})
            selected = selected.filter(pc.invert(functools.reduce(pc.or_, nulls.values())))
        self.complete += selected.num_rows
        return selected

    def sampled(self, table: Any, names: Sequence[str]) -> Any:
        """Return some columns of the kept rows of a whole table, of which a sample may be asked for.  O(n)."""
        kept = self.kept(table, names)
        sample = self.sample()
        if sample is not None:
            sample.add(kept)
            kept = sample.rows()
        self.check_rows()
        return kept

    def check_rows(self) -> None:
        """Raise EvaluationError if rows were read and none is kept.  O(1)."""
        if self.complete or not self.read:
            return
        if not self.met:
            raise EvaluationError(f"none of {self.read:,} rows meets {self._spelled('where')} {self.asked.where}")
        raise EvaluationError(f"no row is left: {self._null_counts()}")

    def notes(self, *, intervals: bool = False, weighted: bool = False) -> tuple[str, ...]:
        """Say how many rows were left out and why, and what a sample means, for intervals too.  O(columns).

        weighted: whether rows have weights.
        """
        notes = []
        if self.asked.where is not None:
            verb = "meets" if self.met == 1 else "meet"
            notes.append(f"{self.met:,} of {self.read:,} rows {verb} the condition {str(self.asked.where)!r}")
        if self.met > self.complete:
            notes.append(self._null_counts())
        if self.asked.sample is not None:
            notes.append(self._sample_note(self.asked.sample, intervals, weighted))
        return tuple(notes)

    @property
    def left(self) -> int:
        """Rows that are evaluated.  O(1)."""
        return self.complete if self.asked.sample is None else min(self.complete, self.asked.sample)

    def _without_words(self, table: Any) -> Any:
        """Return a table with nulls for words such as NA in columns of labels that are numbers or Booleans.  O(n)."""
        for index, name in enumerate(table.column_names):
            column = table.column(name)
            if name in self._labels and holds_text(column.type):
                column, self._numeric[name] = without_words(column, self._numeric.get(name, False))
                table = table.set_column(index, name, column)
        return table

    def _null_counts(self) -> str:
        out = self.met - self.complete
        most_first = sorted(self._nulls.items(), key=lambda item: (-item[1], item[0]))
        counts = ", ".join(f"{count:,} in column {name!r}" for name, count in most_first)
        return f"{out:,} of {self.met:,} rows {'is' if out == 1 else 'are'} left out because of nulls: {counts}"

    def _sample_note(self, size: int, intervals: bool, weighted: bool) -> str:
        if size >= self.complete:
            return f"the sample holds all {self.complete:,} rows, because {size:,} were asked for"
        wide = f"; intervals are as wide as for {size:,} rows, and hold for all {self.complete:,} rows too"
        if weighted:  # frequencies make them narrower than the number of rows does
            wide = "; intervals are those of the sample"
        sample = f"a random sample of {size:,} of {self.complete:,} rows (seed {self.asked.seed})"
        drawn = "; rows are drawn whatever their weights, and keep them" if weighted else ""
        return f"the numbers are those of {sample}{drawn}{wide if intervals else ''}"


def nulls_text(nulls: Mapping[str, tuple[int, int]]) -> str:
    """Say which columns have nulls; nulls: their number, and the index of the first.  O(columns)."""
    found = [f"column {name!r}: {count:,}, the first {at_index(first)}" for name, (count, first) in nulls.items()]
    return f"nulls in {'; '.join(found)}"


def table_of_arrays(columns: Mapping[str, AnyArray]) -> Any:
    """Return arrays (n,) as a pyarrow Table, None and NaN as nulls; raise EvaluationTypeError for mixtures.  O(n)."""
    converted = {}
    for name, values in columns.items():
        try:
            converted[name] = pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError) as error:
            raise EvaluationTypeError(f"column {name!r} must hold values of one kind: {error}") from error
    return pa.table(converted)


def _nulls(column: Any, *, nan_too: bool) -> Any:
    """Return the mask of the nulls, and of NaN if asked for, of a pyarrow ChunkedArray; None if it is empty.  O(n)."""
    if not column.null_count and not (nan_too and pa.types.is_floating(column.type)):
        return None
    mask = pc.is_null(column, nan_is_null=nan_too)
    return mask if _count(mask) else None


def _count(mask: Any) -> int:
    return int(pc.sum(mask, min_count=0).as_py())
