"""A report on score columns of rows that come in batches, in bounded memory: summaries, of groups too."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.batched.batches import positive_of, scores_of, values_of
from evalcore.batched.group_codes import GroupCodes
from evalcore.batched.summaries import BYTES_OF_A_SUMMARY, BYTES_OF_AN_INTERVAL, ColumnSummaries, Mark
from evalcore.errors import EvaluationError
from evalcore.io.memory import shown_size
from evalcore.optional import require
from evalcore.report.groups import name_of_total
from evalcore.report.inputs import listed
from evalcore.report.model import Section, Whole
from evalcore.report.options import option
from evalcore.report.other_labels import OtherLabels
from evalcore.report.question import Question
from evalcore.saving import names_of_plain, plain_names
from evalcore.typing import BoolArray, IntArray, ScoreArray

_LEAST_CAPACITY = 16


class Limits(NamedTuple):
    """How much memory summaries may take."""

    capacity: int
    """Intervals of each at most."""
    waiting: int
    """Rows that are sorted together."""
    groups: int = 1 << 62
    """Bytes of the summaries of all groups: where they have more, all get fewer intervals."""
    copies: int = 1
    """Of the intervals of groups, those included which checkpoints take."""


class _Rows(NamedTuple):
    """Rows of groups that wait to be sorted together."""

    codes: IntArray
    positive: BoolArray
    scores: Mapping[str, ScoreArray]


class StreamMark(NamedTuple):
    """What was known at some time, to go back to."""

    total: Mark
    groups: list[Mark]
    known: int
    """Groups that had been met."""
    unsorted: list[_Rows]
    others: list[str]


class Streamed:
    """Summaries of all rows and of each group of them.

    Parameters
    ----------
    question : Question
        Columns and what is asked of them.
    limits : Limits
        Of memory.

    Examples
    --------
    >>> import pyarrow
    >>> streamed = Streamed(Question("late", ("model",)), Limits(16, 1000))
    >>> streamed.update(pyarrow.record_batch({"late": [True, False], "model": [0.9, 0.1]}), 0)
    >>> streamed.settle()
    >>> streamed.sections()[0].records["model"][3].value
    1.0
    """

    def __init__(self, question: Question, limits: Limits) -> None:
        self.question = question
        self.limits = limits
        self.total = self._new(limits.capacity)
        self.groups: list[ColumnSummaries] = []
        self.codes = None if question.by is None else GroupCodes(question.by, question.most_groups)
        self.capacity = limits.capacity
        """Intervals of the summaries of each group."""
        self._unsorted: list[_Rows] = []
        self._waiting = 0
        self._seen = ""
        self._others = OtherLabels()

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch of the columns, without nulls.  O(n log n).

        first: the index of its first row, for errors.  Raises EvaluationError for what are no labels, scores or groups,
        and for too many groups.

        >>> import pyarrow
        >>> streamed = Streamed(Question("late", ("model",)), Limits(16, 1000))
        >>> streamed.update(pyarrow.record_batch({"late": [7], "model": [0.9]}), 0)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'late' holds 1 value (7), where labels are 0 and 1 or Booleans; name \
the positive one (positive=VALUE)
        """
        if not batch.num_rows:
            return
        label = batch.column(self.question.label)
        positive = positive_of(label, self.question.label, self.question.positive, first)
        if self.question.positive is not None and not self._seen and not positive.any():
            self._seen = listed(values_of(label, self.question.label))
        negative = label.filter(require("pyarrow", "report").array(~positive)).unique()
        self._others.add(values_of(negative, self.question.label), np.zeros(len(negative), np.bool_))
        scores = {name: scores_of(batch.column(name), name, first) for name in self.question.scores}
        if self.codes is not None:
            codes = self.codes.codes(batch.column(self.question.by), first)
            self._unsorted.append(_Rows(codes, positive, scores))
        self.total.update(positive, scores)
        self._waiting += batch.num_rows
        if self._waiting >= self.limits.waiting:
            self.settle()
        if sum(rows.codes.size for rows in self._unsorted) >= self.limits.waiting:
            self._settle_groups()

    def settle(self) -> None:
        """Put rows that wait to be sorted into intervals, as if what follows came to a saved state.

        Rows of groups may go on waiting: they are saved.

        >>> Streamed(Question("late", ("model",)), Limits(16, 1000)).settle()
        """
        self.total.settle()
        self._waiting = 0

    def mark(self) -> "StreamMark":
        """Return what is known now, once settled.  O(groups).

        >>> Streamed(Question("late", ("model",)), Limits(16, 1000)).mark().groups
        []
        """
        known = 0 if self.codes is None else len(self.codes.keys)
        groups = [group.mark() for group in self.groups]
        return StreamMark(self.total.mark(), groups, known, list(self._unsorted), list(self._others.found))

    def back_to(self, mark: "StreamMark") -> None:
        """Forget what was added since.  O(groups).

        >>> streamed = Streamed(Question("late", ("model",)), Limits(16, 1000))
        >>> streamed.back_to(streamed.mark())
        """
        self.total.back_to(mark.total)
        self._waiting = 0
        self._unsorted = list(mark.unsorted)
        self._others = OtherLabels(mark.others)
        del self.groups[len(mark.groups) :]
        if self.codes is not None:
            self.codes.restore(self.codes.keys[: mark.known], self.codes.dtype)
        for group, known in zip(self.groups, mark.groups, strict=True):
            group.back_to(known)
        self.capacity = self.groups[0].capacity if self.groups else self.limits.capacity

    @property
    def exact(self) -> bool:
        """Whether every statistic is the exact one.

        >>> Streamed(Question("late", ("model",)), Limits(16, 1000)).exact
        True
        """
        self._settle_groups()
        return self.total.exact and all(group.exact for group in self.groups)

    def sections(self) -> list[Section]:
        """Return the report.  O(groups k log k) for k intervals.

        Raises EvaluationError if the label that is positive never came.

        >>> Streamed(Question("late", ("model",), positive="yes"), Limits(16, 1000)).sections()
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'late' is never 'yes'
        """
        self._check_positive()
        bounded = not self.exact
        names = self.question.scores
        whole = Section(
            "scores", "", "score", {name: self.total.statistics(name, bounded) for name in names}, across=True
        )
        if self.codes is None:
            return [whole]
        ordered = self.codes.ordered(np.array([group.rows for group in self.groups], np.int64))
        sections = []
        for name in names:
            records = {group: self.groups[code].statistics(name, bounded) for group, code in ordered.items()}
            records[name_of_total(ordered)] = whole.records[name]
            sections.append(Section(name, name, "group", records, whole=Whole(whole.name, whole.record)))
        return sections

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known of the labels.

        >>> Streamed(Question("late", ("model",)), Limits(16, 1000)).notes
        ()
        """
        return self._others.notes(self.question.label, self.question.positive)

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what is known, once settled, as facts and columns to be saved.  O(groups k).

        >>> sorted(Streamed(Question("late", ("model",)), Limits(16, 1000)).saved()[1])
        ['lengths', 'parts']
        """
        content, lengths = bytearray(), []
        for summaries in (self.total, *self.groups):
            for part in summaries.saved():
                content += part
                lengths.append(len(part))
        facts: dict[str, Any] = {"capacity": self.capacity, "others": list(self._others.found)}
        columns: dict[str, npt.NDArray[Any]] = {
            "lengths": np.array(lengths, np.int64),
            "parts": np.frombuffer(content, np.uint8),
        }
        if self.codes is not None:
            facts |= {"groups": len(self.groups), "keys": plain_names(self.codes.keys), "dtype": self.codes.dtype}
        if self._unsorted:
            columns["codes"] = np.concatenate([rows.codes for rows in self._unsorted])
            columns["positive"] = np.concatenate([rows.positive for rows in self._unsorted])
            for place, name in enumerate(self.question.scores):
                columns[f"score {place}"] = np.concatenate([rows.scores[name] for rows in self._unsorted])
        return facts, columns

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take back what was saved when the same was asked.  O(groups k).

        Raises EvaluationError for anything else.

        >>> streamed = Streamed(Question("late", ("model",)), Limits(16, 1000))
        >>> streamed.restore(*streamed.saved())
        """
        self.capacity = facts["capacity"]
        self._others = OtherLabels(facts.get("others", ()))  # older checkpoints have no notes
        ends = columns["lengths"].cumsum().tolist()
        content = columns["parts"].data
        parts = (bytes(content[begin:end]) for begin, end in zip([0, *ends], ends, strict=False))
        if self.codes is not None:
            self.codes.restore(names_of_plain(facts["keys"]), facts["dtype"])
            self.groups = [self._new(self.capacity) for _ in range(facts["groups"])]
        for summaries in (self.total, *self.groups):
            summaries.restore(parts)
        if "codes" in columns:
            scores = {name: columns[f"score {place}"] for place, name in enumerate(self.question.scores)}
            self._unsorted = [_Rows(columns["codes"], columns["positive"], scores)]

    def _new(self, capacity: int) -> ColumnSummaries:
        return ColumnSummaries(self.question.scores, capacity, self.question.threshold)

    def _check_positive(self) -> None:
        signs = {label.lstrip().startswith("-") for label in self._others.found}
        if self.question.positive is None and len(signs) > 1:
            raise EvaluationError(
                f"column {self.question.label!r} holds 1, {' and '.join(self._others.found)}, where labels are 0 and 1 "
                f"or -1 and 1; name the positive one ({option('positive', 'VALUE')})"
            )
        if self.question.positive is not None and not next(iter(self.total.scores.values())).positives:
            seen = f": first it holds {self._seen}" if self._seen else ""
            raise EvaluationError(f"column {self.question.label!r} is never {self.question.positive!r}{seen}")

    def _settle_groups(self) -> None:
        """Bring the rows of each group together, which takes one sort for all, and hand them over."""
        if self.codes is None or not self._unsorted:
            return
        codes = np.concatenate([rows.codes for rows in self._unsorted])
        positive = np.concatenate([rows.positive for rows in self._unsorted])
        count = len(self.codes.keys)
        self.groups += [self._new(self.capacity) for _ in range(len(self.groups), count)]
        order = codes.astype(np.int16 if count <= np.iinfo(np.int16).max else np.int32).argsort(kind="stable")
        sizes = np.bincount(codes, minlength=count)
        ends = sizes.cumsum()
        positive = positive[order]
        for name in self.question.scores:
            column = np.concatenate([rows.scores[name] for rows in self._unsorted])[order]
            for code in np.flatnonzero(sizes).tolist():
                part = slice(ends[code] - sizes[code], ends[code])
                self.groups[code].update(positive[part], {name: column[part]})
                self.groups[code].settle_and_free(name)
        self._unsorted = []
        self._keep_to_limits()

    def _keep_to_limits(self) -> None:
        if len(self.groups) * len(self.question.scores) * BYTES_OF_A_SUMMARY > self.limits.groups:
            raise EvaluationError(
                f"column {self.question.by!r} holds at least {len(self.groups):,} values, whose summaries take more "
                f"than the {shown_size(self.limits.groups)} that there are for them; allow more memory (--memory SIZE)"
            )
        while self._bytes > self.limits.groups and self.capacity > _LEAST_CAPACITY:
            self.capacity //= 2
            for group in self.groups:
                group.shrink(self.capacity)

    @property
    def _bytes(self) -> int:
        intervals = sum(group.intervals for group in self.groups)
        copied = intervals * BYTES_OF_AN_INTERVAL * self.limits.copies
        return copied + len(self.groups) * len(self.question.scores) * BYTES_OF_A_SUMMARY
