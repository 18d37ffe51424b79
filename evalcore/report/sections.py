"""What a report is made of, before it is written: sections of records of statistics."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from evalcore.inference import Interval
from evalcore.typing import BoolArray

CERTIFIED = "certified"
"""The method of intervals that hold the exact value for certain."""


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


class Whole(NamedTuple):
    """What sections of one kind are parts of: then they are a key lower in JSON, and long rows in CSV and Markdown."""

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
    """What a record is: heads the first column in CSV; empty where one record, named "", is the section itself."""
    records: Records
    """What is reported of each."""
    across: bool = False
    """Whether people read the records as columns rather than as rows."""
    whole: Whole | None = None
    """What this section is a part of; the same for all sections of a report, or None."""


class Answer(NamedTuple):
    """A report, and the columns of scores that it is of."""

    sections: list[Section]
    positive: BoolArray | None = None
    """Rows of the positive label, shape (n,), if the scores are of it."""
    scores: Mapping[str, Any] = {}
    """Their columns, shape (n,) each."""
