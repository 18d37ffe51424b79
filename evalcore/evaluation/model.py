"""The parts of a report before it is written: sections of records of statistics."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, repeat
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.weighting import EQUAL_WEIGHTS, RowWeights
from evalcore.inference import Interval
from evalcore.inference.intervals import Intervals
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, RankArray, ScoreArray

SCHEMA_VERSION = 2
"""Of the JSON of reports."""
EXACT, CERTIFIED = "exact", "certified"
"""How a report was computed; the second is also the method of intervals that certainly hold the exact value."""
CLASS_SCORES = "class scores"
"""What is compared with labels, and the name of a section, where there are scores of each class."""
CLASSES, CONFUSION_MATRIX, RANK_COUNTS = "classes", "confusion_matrix", "rank_counts"
"""Names of the sections of classes: of statistics, and of counts."""
DIFFERENCES_TO_REST = "differences_to_rest"
"""The name around the sections of differences between each group and all other cases."""
DIFFERENCES_TO_REFERENCE, DIFFERENCES_OF_GROUPS = "differences_to_reference", "differences_of_groups"
"""The same of differences between each group and one of them, and between all pairs."""
LARGEST_GAPS = "largest_gaps"
"""The same of the largest differences between any two groups."""
GATED = LARGEST_GAPS, DIFFERENCES_TO_REST, DIFFERENCES_TO_REFERENCE
"""Differences of groups that conditions are about."""
CHANGES_SINCE_BASELINE, CHANGES_OF_GROUPS = "changes_since_baseline", "group_changes_since_baseline"
"""The names around the sections of what changed since an earlier report, in all cases and in groups."""
FOLDS = "folds"
"""The name around the sections of what is said of all folds together, which names of records begin with."""
COMPARISONS = "comparisons"
"""The name of the section, or around the sections, of differences between models."""
AT_THRESHOLD, FOR_TARGET = "threshold ", "threshold for "
"""How names of sections of decisions begin: at a given threshold, and at one that reaches a target."""
HOLM_OF_GROUPS = "P-values of groups"
"""How the note on the adjusted p-values of models in groups begins."""
HOLM_OF_DIFFERENCES = "P-values of differences"
"""How the note on the adjusted p-values of groups that are compared with others begins."""
NOTES_ON_GROUPS = HOLM_OF_GROUPS, HOLM_OF_DIFFERENCES
"""How notes begin that a page has beside its groups."""
VALUES = "values"
"""The name of the section of values of cases, or around those of groups."""
RUNS = "runs"
"""The name of the section, or around the sections, of several runs."""
_RECORDS_OF_SCORES = "score", "pair", "run", "value"


class Statistic(NamedTuple):
    """One number of a report."""

    name: str
    """Its name in JSON and CSV."""
    title: str
    """Its name in tables."""
    value: int | float
    """NaN where it is not defined."""
    interval: Interval | None = None
    """None where no interval was asked for, or the statistic has none."""


class Address(NamedTuple):
    """Which record of a report."""

    section: str
    score: str | None
    """The column, or pair of columns; None where a record is of several columns, or of none."""
    group: str | None
    """The group of rows, class or the like, if any."""


class Whole(NamedTuple):
    """A larger section that several sections are parts of."""

    name: str
    """The key around the sections in JSON."""
    section: str
    """What each section is: the heading of the first column in Markdown, which has a row for each number."""
    has_total: bool = True
    """Whether the last record of each section is of all groups together."""


class Columns(NamedTuple):
    """Statistics of g groups, shape (g,) each, and the intervals of some of them, by name; a whole is one group."""

    values: Mapping[str, AnyArray]
    intervals: Mapping[str, Intervals] = {}

    @property
    def size(self) -> int:
        """Number of groups, one where there are no statistics."""
        return len(next(iter(self.values.values()), "1"))

    @property
    def with_bounds(self) -> dict[str, AnyArray]:
        """The statistics, each followed by the bounds of its interval as statistics of their own.  O(statistics)."""
        found = {}
        for name, values in self.values.items():
            found[name] = values
            if (interval := self.intervals.get(name)) is not None:
                found[f"{name}_low"], found[f"{name}_high"] = interval.low, interval.high
        return found

    def plus(self, other: "Columns") -> "Columns":
        """Return these statistics and further ones of the same groups.  O(statistics)."""
        return Columns({**self.values, **other.values}, {**self.intervals, **other.intervals})

    def only(self, names: Iterable[str]) -> "Columns":
        """Return some of the statistics.  O(statistics)."""
        chosen = [*names]
        values = {name: self.values[name] for name in chosen if name in self.values}
        return Columns(values, {name: self.intervals[name] for name in chosen if name in self.intervals})

    def at(self, groups: IntArray | slice) -> "Columns":
        """Return the statistics of some groups, by their indices, (m,).  O(m statistics)."""
        own = self.intervals.items()
        intervals = {name: Intervals._make([*(each[groups] for each in ends[:3]), ends.method]) for name, ends in own}
        return Columns({name: column[groups] for name, column in self.values.items()}, intervals)

    def records(self, level: float, titles: Mapping[str, str]) -> Iterator[tuple[Statistic, ...]]:
        """Yield the record of each group; level: of the intervals.  O(statistics)."""
        columns = list[Iterator[Statistic]]()
        for name, column in self.values.items():
            values: Iterable[Any] = column.tolist()
            if column.dtype.kind not in "iu":  # mappings take one NaN for equal
                values = (np.nan if math.isnan(value) else value for value in values)
            intervals: Iterator[Interval | None] = repeat(None)
            if (bounds := self.intervals.get(name)) is not None:
                ends = (each.tolist() for each in bounds[:3])
                intervals = map(Interval, *ends, repeat(level), repeat(bounds.method))
            columns.append(map(Statistic, repeat(name), repeat(titles[name]), values, intervals))
        return zip(*columns, strict=True) if columns else repeat((), self.size)


_IN_A_BLOCK = 1 << 16
"""Statistics that are written at once."""


class ColumnRecords(Mapping[str, list[Statistic]]):
    """Records kept as columns: each is made when it is read, for there may be a hundred thousand.

    names: of the records of all parts, one part after the other; all parts have the same statistics, but maybe not the
    same intervals; level: of the intervals; titles: of statistics that the catalogue lacks.

    >>> records = ColumnRecords(["tree", "shrub"], [Columns({"cases": np.array([3, 4])})])
    >>> records["shrub"][0].value, records["tree"][0].title
    (4, 'cases')
    """

    def __init__(
        self, names: Iterable[str], parts: Sequence[Columns], level: float | None = None, titles: Mapping[str, str] = {}
    ) -> None:
        self.parts = parts if level is not None else [Columns(part.values) for part in parts]
        self.level = math.nan if level is None else level
        self._titles = titles
        self._rows = {name: row for row, name in enumerate(names)}

    @classmethod
    def of(cls, records: Mapping[str, Sequence[Statistic]]) -> "ColumnRecords":
        """Return records of the same statistics as columns.  O(statistics)."""
        parts, titles, level = list[Columns](), dict[str, str](), math.nan
        for items in records.values():
            found = {item.name: item.interval for item in items if item.interval is not None}
            every = {name: map(np.array, ([each.estimate], [each.low], [each.high])) for name, each in found.items()}
            bounds = {name: Intervals._make([*columns, found[name].method]) for name, columns in every.items()}
            parts.append(Columns({item.name: np.array([item.value]) for item in items}, bounds))
            titles |= {item.name: item.title for item in items}
            level = next((each.level for each in found.values()), level)
        return cls(records, parts, level, titles)

    @property
    def statistics(self) -> list[str]:
        """The names of the statistics."""
        return [*self.parts[0].values] if self.parts else []

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of the statistics by their names."""
        entries = {name: entry_of(name) for name in self.statistics if name not in self._titles}
        assert all(entries.values()), entries
        return {**self._titles, **{name: entry.title for name, entry in entries.items() if entry}}

    def column(self, name: str) -> AnyArray:
        """Return a statistic of all records, (r,).  O(r)."""
        return np.concatenate([part.values[name] for part in self.parts])

    def blocks(self) -> Iterator[tuple[list[str], Columns]]:
        """Yield the columns of a few thousand records at a time, and the names of these.  O(statistics)."""
        names, first = list(self._rows), 0
        step = _IN_A_BLOCK // max(len(self.statistics), 1) + 1
        for part in self.parts:
            for start in range(0, part.size, step):
                end = min(start + step, part.size)
                block = part if end == part.size == end - start else part.at(slice(start, end))
                yield names[first + start : first + end], block
            first += part.size

    def in_turn(self) -> Iterator[tuple[str, Sequence[Statistic]]]:
        """Yield the names of the records, and these, made together.  O(statistics)."""
        parts = (part.records(self.level, self.titles) for _, part in self.blocks())
        return zip(self._rows, chain.from_iterable(parts), strict=True)

    def only(self, names: Iterable[str]) -> "ColumnRecords":
        """Return the records with some of their statistics.  O(statistics)."""
        chosen = [*names]
        return self.map(lambda part: part.only(chosen))

    def map(self, task: Callable[[Columns], Columns]) -> "ColumnRecords":
        """Return the records with what a task makes of each part.  O(1) beside the task."""
        return ColumnRecords(self._rows, [*map(task, self.parts)], self.level, self._titles)

    def ordered(self, names: Sequence[str]) -> "ColumnRecords":
        """Return the records of these names in their order.  O(statistics)."""
        ends = np.array([*accumulate(part.size for part in self.parts)], np.int64)
        rows = np.array([self._rows[name] for name in names], np.int64)
        owners = ends.searchsorted(rows, side="right")
        parts = [
            self.parts[owners[run[0]]].at(rows[run] - ends[owners[run[0]]] + self.parts[owners[run[0]]].size)
            for run in np.split(np.arange(rows.size), np.flatnonzero(np.diff(owners)) + 1)
        ]
        return ColumnRecords(names, parts, self.level, self._titles)

    def __getitem__(self, name: str) -> list[Statistic]:
        (part,) = self.ordered([name]).parts
        return list(next(part.records(self.level, self.titles)))

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __repr__(self) -> str:
        return repr(dict(self))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class CountRecords(ColumnRecords):
    """A table of counts as records whose statistics are its columns: there may be millions of counts.

    names, columns: of the rows and columns of the counts, (r, c) integers, or float64 sums of weights.

    >>> import numpy as np
    >>> [item.value for item in CountRecords(["ash"], ["ash", "elm"], np.array([[3, 1]]))["ash"]]
    [3, 1]
    """

    def __init__(self, names: Iterable[str], columns: Iterable[str], counts: AnyArray) -> None:
        titles = {name: name for name in columns}
        super().__init__(names, [Columns(dict(zip(titles, counts.T, strict=True)))], titles=titles)
        self.counts = counts

    def __reduce__(self) -> tuple[Any, ...]:
        return CountRecords, (list(self), self.statistics, self.counts)  # without a copy of each column

    @property
    def weighted(self) -> bool:
        """Whether these are sums of weights."""
        return bool(self.counts.dtype.kind == "f")


class Section(NamedTuple):
    """One table of a report."""

    name: str
    """Its key in JSON."""
    title: str
    """Heading of its table; empty where the title of the report says enough."""
    record: str
    """What a record is; empty where one record, named "", is the whole section."""
    records: ColumnRecords | dict[str, list[Statistic]]
    """By score column, class or the like, its statistics: the same ones in the same order."""
    across: bool = False
    """Whether tables show the records as columns rather than as rows."""
    whole: Whole | None = None
    """The same for all sections of a report that are of scores."""
    score: str | None = None
    """The score column of all records, where they are neither columns nor parts of a whole."""
    sort: str = ""
    """What the groups were asked to be sorted by; empty where the largest come first."""
    lower_is_better: bool = False
    """Whether these are groups of values of which less is better."""

    @property
    def groups(self) -> list[str]:
        """The names of groups, without the total.  O(groups)."""
        names = list(self.records)
        return names[:-1] if self.whole and self.whole.has_total else names

    @property
    def columns(self) -> ColumnRecords:
        """The records as columns.  O(1), O(statistics) where they are not kept as such."""
        return self.records if isinstance(self.records, ColumnRecords) else ColumnRecords.of(self.records)

    @property
    def statistics(self) -> Sequence[str]:
        """The names of the statistics.  O(statistics of a record)."""
        return self.columns.statistics

    @property
    def last(self) -> list[Statistic]:
        """The last record, which is the total of groups; none where it is a class.  O(statistics of a record)."""
        of_classes = self.whole is None and self.name in (CLASSES, CONFUSION_MATRIX, RANK_COUNTS)
        return [] if of_classes else self.records[next(reversed(self.records))]

    def address(self, record: str) -> Address:
        """Return the address of a record.  O(1).

        >>> Section("model", "", "group", {}, whole=Whole("scores", "score")).address("UA")
        Address(section='scores', score='model', group='UA')
        """
        if self.whole:
            return Address(self.whole.name, self.name, record)
        if self.record in _RECORDS_OF_SCORES:
            return Address(self.name, record, None)
        return Address(self.name, self.score, record if self.record else None)


class ClassScoreCases(NamedTuple):
    """Checked cases with a score for each of k classes."""

    categories: tuple[Any, ...]
    codes: IntArray
    """The right class of each case, shape (n,)."""
    scores: ScoreArray
    """Shape (n, k)."""
    ranks: RankArray
    """Rank of each class among the scores of a case, shape (k, n)."""
    weights: RowWeights = EQUAL_WEIGHTS

    @property
    def own_ranks(self) -> IntArray:
        """The rank of the right class of each case, from 0, (n,).  O(n)."""
        return self.ranks[self.codes, np.arange(self.codes.size)].astype(np.int64)


class Mistake(NamedTuple):
    """A case that a model decides wrongly."""

    model: str
    row: int
    """Its index among the rows that are evaluated, from 0."""
    label: Any
    predicted: Any
    """A class, or "positive" or "negative"."""
    score: float | None
    """Of scores of each class that of the predicted one; None where classes have no scores."""
    shown: Mapping[str, str]
    """Texts of the columns that a reader asked for."""


class Answer(NamedTuple):
    """The sections of a report, and the columns from which plots are drawn."""

    sections: list[Section]
    positive: BoolArray | None = None
    """Which rows have the positive label, shape (n,), where all scores are of one label."""
    scores: Mapping[str, Any] = {}
    """Columns of scores of the positive label, shape (n,) each."""
    notes: Sequence[str] = ()
    """What a reader must know beside the numbers."""
    weights: AnyArray | None = None
    """What the rows count by, shape (n,), all above zero; None where they count as one each."""
    class_scores: ClassScoreCases | None = None
    """Where each class has scores, the cases."""
    adjusted: int = 0
    """Number of comparisons that p-values are adjusted for."""
    ranked: Mapping[str, ScoredCases | WeightedRanking] = {}
    """The cases of each column of scores, sorted when they are asked for."""
    complete: "Callable[[], Answer] | None" = None
    """Computes all statistics, for words and charts; None if these are all."""
    ungrouped: "Callable[[], Answer] | None" = None
    """Computes the report on all rows together, which tells of each class; None if this is it."""
    changes: Sequence[Section] = ()
    """What changed since an earlier report."""
    further: Mapping[tuple[str, ...], "Answer"] = {}
    """The answers on the further groupings of the question, by their columns."""

    values: Mapping[str, FloatArray] = {}
    """Columns of values of cases, (n,) each, NaN where a case has none."""
    mistakes: Sequence[Mistake] = ()
    """Of each model, those with the highest confidence first, where columns are to be shown beside them."""
    computed: str = ""
    """Of a report on files, `EXACT` or `CERTIFIED`."""
    files: int = 1
    rows: int | None = None
    """None if one file was read whole, without counting."""
    kept: int | None = None
    """Rows that are evaluated; None if they are all."""

    @property
    def caption(self) -> str:
        """How a report on files was computed; empty for one file that was read whole.

        >>> Answer([], computed="certified", files=24, rows=10_000_000).caption
        '24 files, 10,000,000 rows; certified: exact values lie within the intervals'
        """
        if self.rows is None:
            return ""
        files, rows, computed = self.described.values()
        return f"{files} file{'s' if self.files > 1 else ''}, {rows} row{'s' * (self.rows != 1)}; {computed}"

    @property
    def described(self) -> dict[str, str]:
        """The same as rows of a table."""
        of = "" if self.kept is None else f"{self.kept:,} of "
        read = {} if self.rows is None else {"Files": f"{self.files:,}", "Rows": f"{of}{self.rows:,}"}
        exact = self.computed == EXACT
        return {**read, "Computed": EXACT if exact else f"{CERTIFIED}: exact values lie within the intervals"}

    @property
    def in_json(self) -> dict[str, Any]:
        """What JSON has beside the sections.  O(cases)."""
        return {"mistakes": [each._asdict() for each in self.mistakes]} if self.mistakes else {}

    @property
    def whole(self) -> "Answer":
        """The answer with all statistics.  O(1) if these are all, else as for the report."""
        return self if self.complete is None else self.complete()
