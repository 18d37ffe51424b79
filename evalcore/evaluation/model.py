"""The parts of a report before it is written: sections of records of statistics."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.inference import Interval
from evalcore.state.cases import EQUAL_WEIGHTS, CaseWeights, ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, BoolArray, IntArray, RankArray, ScoreArray

CERTIFIED = "certified"
"""The method of intervals that certainly hold the exact value."""
CLASSES, CONFUSION_MATRIX, RANK_COUNTS = "classes", "confusion_matrix", "rank_counts"
"""Names of the sections of classes: of statistics, and of counts."""
DIFFERENCES_TO_REST = "differences_to_rest"
"""The name around the sections of differences between each group and all other cases."""
CHANGES_SINCE_BASELINE, CHANGES_OF_GROUPS = "changes_since_baseline", "group_changes_since_baseline"
"""The names around the sections of what changed since an earlier report, in all cases and in groups."""
COMPARISONS = "comparisons"
"""The name of the section, or around the sections, of differences between models."""
AT_THRESHOLD, FOR_TARGET = "threshold ", "threshold for "
"""How names of sections of decisions begin: at a given threshold, and at one that reaches a target."""
HOLM_OF_GROUPS = "P-values of groups"
"""How the note on the adjusted p-values of models in groups begins."""
HOLM_OF_DIFFERENCES = "P-values of differences to the rest"
"""How the note on the adjusted p-values of groups that are compared with the rest begins."""
NOTES_ON_GROUPS = HOLM_OF_GROUPS, HOLM_OF_DIFFERENCES
"""How notes begin that a page has beside its groups."""
RUNS = "runs"
"""The name of the section, or around the sections, of several runs."""
_RECORDS_OF_SCORES = "score", "pair", "run"


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


class CountRecords(Mapping[str, list[Statistic]]):
    """A table of counts as records, each made when it is read: there may be millions of counts.

    names, columns: of the rows and columns of the counts, (r, c) integers, or float64 sums of weights.

    >>> import numpy as np
    >>> CountRecords(["ash"], ["ash", "elm"], np.array([[3, 1]])).row("ash")
    [3, 1]
    """

    def __init__(self, names: Iterable[str], columns: Iterable[str], counts: AnyArray) -> None:
        self.columns = tuple(columns)
        self.counts = counts
        self._rows = {name: row for row, name in enumerate(names)}

    @property
    def weighted(self) -> bool:
        """Whether these are sums of weights."""
        return bool(self.counts.dtype.kind == "f")

    def row(self, name: str) -> list[int | float]:
        """Return the counts of a record, one for each column.  O(c)."""
        counts: list[int | float] = self.counts[self._rows[name]].tolist()
        return counts

    def __getitem__(self, name: str) -> list[Statistic]:
        return list(map(Statistic, self.columns, self.columns, self.row(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Section(NamedTuple):
    """One table of a report."""

    name: str
    """Its key in JSON."""
    title: str
    """Heading of its table; empty where the title of the report says enough."""
    record: str
    """What a record is; empty where one record, named "", is the whole section."""
    records: Mapping[str, list[Statistic]]
    """By score column, class or the like, its statistics: the same ones in the same order."""
    across: bool = False
    """Whether tables show the records as columns rather than as rows."""
    whole: Whole | None = None
    """The same for all sections of a report that are of scores."""
    score: str | None = None
    """The score column of all records, where they are neither columns nor parts of a whole."""
    sort: str = ""
    """What the groups were asked to be sorted by; empty where the largest come first."""

    @property
    def groups(self) -> list[str]:
        """The names of groups, without the total.  O(groups)."""
        names = list(self.records)
        return names[:-1] if self.whole and self.whole.has_total else names

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
    weights: CaseWeights = EQUAL_WEIGHTS


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
    changes: Sequence[Section] = ()
    """What changed since an earlier report."""

    @property
    def whole(self) -> "Answer":
        """The answer with all statistics.  O(1) if these are all, else as for the report."""
        return self if self.complete is None else self.complete()
