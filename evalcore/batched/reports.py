"""A report on score columns in batches, in bounded memory: summaries of all rows and of each group."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from evalcore.batched.group_codes import GroupCodes
from evalcore.batched.rows import batch_labels, batch_scores, batch_values, batch_weights
from evalcore.batched.summaries import BYTES_OF_A_SUMMARY, BYTES_OF_AN_INTERVAL, ColumnSummaries
from evalcore.errors import EvaluationError
from evalcore.io.libraries import pa
from evalcore.io.memory import shown_size
from evalcore.report.inputs import no_positive_error, values_text
from evalcore.report.model import Section
from evalcore.report.options import option
from evalcore.report.other_labels import OtherLabels
from evalcore.report.question import Question
from evalcore.report.statistics.columns import Columns, joined
from evalcore.report.statistics.decisions import (
    Asked,
    section_of,
    section_of_groups,
    without_undefined_net_benefits,
)
from evalcore.report.statistics.groups import columns_text, named_records
from evalcore.report.weighting import class_factors
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray

_FEWEST_OF_A_GROUP = 16


class SummaryLimits(NamedTuple):
    """How much memory summaries may take."""

    capacity: int
    """Intervals of each at most."""
    waiting: int
    """Rows that are sorted together."""
    groups: int = 1 << 62
    """Bytes of the summaries of all groups: where they have more, all get fewer intervals."""


class _WaitingRows(NamedTuple):
    """Rows of groups that wait to be sorted together."""

    codes: IntArray
    positive: BoolArray
    scores: Mapping[str, ScoreArray]
    weights: AnyArray | None


class GroupedSummaries:
    """Summaries of all rows and of each group of them.

    >>> import pyarrow
    >>> state = GroupedSummaries(Question("late", ("model",)), SummaryLimits(16, 1000))
    >>> state.update(pyarrow.record_batch({"late": [True, False], "model": [0.9, 0.1]}), 0)
    >>> state.sections()[0].records["model"][3].value
    1.0
    """

    def __init__(self, question: Question, limits: SummaryLimits) -> None:
        self.question = question
        self.limits = limits
        self.total = self._new(limits.capacity)
        self.groups: list[ColumnSummaries] = []
        self.codes = GroupCodes(question.by, question.most_groups) if question.by else None
        self.capacity = limits.capacity
        """Intervals of the summaries of each group."""
        self._unsorted: list[_WaitingRows] = []
        self._waiting = 0
        self._first_labels = ""
        self._others = OtherLabels()

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch, of weights above zero, whose first row has this index in its file.  O(n log n).

        Raises EvaluationError for invalid labels, scores or groups, and for too many groups.
        """
        if not batch.num_rows:
            return
        label = batch.column(self.question.label)
        positive = batch_labels(label, self.question.label, self.question.positive, first)
        if self.question.positive is not None and not self._first_labels and not positive.any():
            self._first_labels = values_text(batch_values(label, self.question.label))
        negative = label.filter(pa.array(~positive)).unique()
        self._others.add(batch_values(negative, self.question.label), np.zeros(len(negative), np.bool_))
        scores = {name: batch_scores(batch.column(name), name, first) for name in self.question.scores}
        weights = batch_weights(batch, self.question.weighting)
        if self.codes is not None:
            codes = self.codes.codes(list(map(batch.column, self.question.by)), first)
            check_room(len(self.codes), len(scores), self.limits, self.question.by)
            self._unsorted.append(_WaitingRows(codes, positive, scores, weights))
        self.total.update(positive, scores, weights)
        self._waiting += batch.num_rows
        if self._waiting >= self.limits.waiting:
            self._settle_total()
        if sum(rows.codes.size for rows in self._unsorted) >= self.limits.waiting:
            self._settle_groups()

    @property
    def exact(self) -> bool:
        """Whether every statistic is exact.  O(n log n) for n rows that wait."""
        self._settle_groups()
        return self.total.exact and all(group.exact for group in self.groups)

    def sections(self) -> list[Section]:
        """Return the report; raise EvaluationError if no label was positive.  O(groups k log k) for k intervals."""
        self._check_positive()
        self._settle_total()  # frees memory for the rows of groups
        question, bounded, names = self.question, not self.exact, None
        factors = class_factors(self.total.classes.sums, question.weighting)
        if self.codes is not None:
            sizes = np.array([group.cases for group in self.groups], np.int64)
            names = self.codes.ordered(sizes, question.grouping.min_cases)

        def columns_of(
            summary: ColumnSummaries, name: str, threshold: float | None, *, of_group: bool = False
        ) -> Columns:
            is_probable = self.total.are_probabilities(name) if question.thresholds else None
            asked = Asked(costs=question.costs, are_probabilities=is_probable)
            if threshold is not None:
                return summary.decided(name, threshold, asked, factors)
            return summary.columns(name, asked, factors, bounded=bounded, of_group=of_group)

        sections = []
        for threshold in (None, *question.thresholds[1:]):
            whole = {name: columns_of(self.total, name, threshold) for name in question.scores}
            if names is None:
                sections.append(section_of(threshold, whole, 1.0))
                continue
            for score, total in whole.items():
                own = joined(
                    [columns_of(self.groups[code], score, threshold, of_group=True) for code in names.values()]
                )
                records = named_records(dict(zip(names, count(), strict=False)), own, total, 1.0)
                sections.append(section_of_groups(threshold, score, records))
        return without_undefined_net_benefits(sections)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the labels and, after `sections`, of the groups."""
        question = self.question
        of_groups = () if self.codes is None else self.codes.notes
        of_weights = question.weighting.notes(question.level, by_group=self.codes is not None)
        return (*self._others.notes(question.label, question.positive), *of_groups, *of_weights)

    def _new(self, capacity: int) -> ColumnSummaries:
        return ColumnSummaries(self.question.scores, capacity, self.question.thresholds, self.question.weighting)

    def _check_positive(self) -> None:
        signs = {label.lstrip().startswith("-") for label in self._others.found}
        if self.question.positive is None and len(signs) > 1:
            raise EvaluationError(
                f"column {self.question.label!r} holds 1, {' and '.join(self._others.found)}, where labels are 0 and 1 "
                f"or -1 and 1; name the positive one ({option('positive', 'VALUE')})"
            )
        if self.question.positive is not None and not next(iter(self.total.scores.values())).positives:
            held = f"its first rows hold {self._first_labels}" if self._first_labels else ""
            weighted = self.question.weighting.column is not None
            raise no_positive_error(self.question.label, self.question.positive, held, weighted=weighted)

    def _settle_total(self) -> None:
        """Sort the waiting rows of the total into its intervals."""
        for name in self.question.scores:
            self.total.settle(name)
        self._waiting = 0

    def _settle_groups(self) -> None:
        """Bring the waiting rows of each group together, which takes one sort for all, and add them to its summary."""
        if self.codes is None or not self._unsorted:
            return
        codes = np.concatenate([rows.codes for rows in self._unsorted])
        count = len(self.codes)
        order = codes.astype(np.int16 if count <= np.iinfo(np.int16).max else np.int32).argsort(kind="stable")
        sizes = np.bincount(codes, minlength=count)
        ends = sizes.cumsum()
        positive = np.concatenate([rows.positive for rows in self._unsorted])[order]
        given = [rows.weights for rows in self._unsorted if rows.weights is not None]
        weights = np.concatenate(given)[order] if given else None
        self.groups += [self._new(self.capacity) for _ in range(len(self.groups), count)]
        met = np.flatnonzero(sizes).tolist()
        for name in self.question.scores:
            column = np.concatenate([rows.scores[name] for rows in self._unsorted])[order]
            for code in met:
                part = slice(ends[code] - sizes[code], ends[code])
                own = None if weights is None else weights[part]
                self.groups[code].update(positive[part], {name: column[part]}, own)
                self.groups[code].settle(name)
        self._unsorted = []
        self._keep_to_limits()

    def _keep_to_limits(self) -> None:
        """Leave summaries of groups as many intervals as fit.  O(intervals).

        Raises EvaluationError if summaries without intervals take too much.
        """
        limits = self.limits
        alone = check_room(len(self.groups), len(self.question.scores), limits, self.question.by)
        groups, fewer = self.groups, self.capacity
        while (
            alone + BYTES_OF_AN_INTERVAL * sum(group.intervals for group in groups) > limits.groups
            and fewer > _FEWEST_OF_A_GROUP
        ):
            fewer //= 2
            groups = [group.shrunk(fewer) if group.exceeds(fewer) else group for group in groups]
        if fewer < self.capacity:
            groups = [group if group.capacity == fewer else group.shrunk(fewer) for group in groups]
        self.groups, self.capacity = groups, fewer


def check_room(groups: int, scores: int, limits: SummaryLimits, columns: Sequence[str]) -> int:
    """Return the bytes of summaries of groups without intervals; raise EvaluationError if they are too many.  O(1).

    scores: columns of them; columns: of the groups, for errors.
    """
    alone = groups * scores * BYTES_OF_A_SUMMARY
    if alone > limits.groups:
        raise EvaluationError(
            f"{columns_text(columns)} must hold fewer groups, got at least {groups:,}, whose summaries take "
            f"{shown_size(alone)}, more than the {shown_size(limits.groups)} left for them; allow more memory "
            "(--memory SIZE)"
        )
    return alone
