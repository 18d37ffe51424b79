"""What a report is made of, before it is written: sections of records of statistics."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.inference import Interval
from evalcore.typing import BoolArray

CERTIFIED = "certified"
"""The method of intervals that hold the exact value for certain."""


_RECORDS_OF_SCORES = "score", "pair"


class Statistic(NamedTuple):
    """One number of a report."""

    name: str
    """Machine's name: a key in JSON, a column in CSV."""
    title: str
    """Reader's name."""
    value: int | float
    """NaN where it is not defined."""
    interval: Interval | None = None
    """How sure it is, where that was asked for and there is an answer."""


Records = dict[str, list[Statistic]]
"""Statistics of each score column, or class, or the like; the same ones in the same order."""


class Address(NamedTuple):
    """Where a record stands in a report."""

    section: str
    score: str | None
    """The column, or pair of columns, that it is of; None for several at once, and for none."""
    group: str | None
    """The group of rows, the class, or the like; None where there is no such part."""


class Whole(NamedTuple):
    """What sections of one kind are parts of: then they are a key lower in JSON, and long rows in Markdown."""

    name: str
    """Machine's name of them all: the key around theirs in JSON."""
    section: str
    """What each is: heads the first column of the long rows."""


class Section(NamedTuple):
    """One table of a report."""

    name: str
    """Machine's name."""
    title: str
    """Reader's heading, empty if the report's own says it."""
    record: str
    """What a record is; empty where one record, named "", is the section itself."""
    records: Records
    """What is reported of each."""
    across: bool = False
    """Whether people read the records as columns rather than as rows."""
    whole: Whole | None = None
    """What this section is a part of; the same for all sections of a report, or None."""
    score: str | None = None
    """The one column that all records are of, where they are neither columns nor parts of a whole."""

    def address(self, record: str) -> Address:
        """Return the address of a record.  O(1).

        >>> Section("scores", "", "score", {}).address("model")
        Address(section='scores', score='model', group=None)
        >>> Section("model", "", "group", {}, whole=Whole("scores", "score")).address("UA")
        Address(section='scores', score='model', group='UA')
        """
        if self.whole:
            return Address(self.whole.name, self.name, record)
        if self.record in _RECORDS_OF_SCORES:
            return Address(self.name, record, None)
        return Address(self.name, self.score, record if self.record else None)


class Answer(NamedTuple):
    """A report, and the columns of scores that it is of."""

    sections: list[Section]
    positive: BoolArray | None = None
    """Rows of the positive label, shape (n,), if the scores are of it."""
    scores: Mapping[str, Any] = {}
    """Their columns, shape (n,) each."""
    notes: Sequence[str] = ()
    """What a reader must know that the numbers do not tell."""
