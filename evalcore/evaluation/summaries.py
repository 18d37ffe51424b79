"""Statistics of score columns after one pass, in bounded memory, with bounds that certainly contain the exact values.

There are summaries of all rows and of each group.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import check, refuse
from evalcore.evaluation.answers import completed
from evalcore.evaluation.batches import GroupCodes, batch_labels, batch_scores, batch_values, batch_weights
from evalcore.evaluation.inputs import OtherLabels, no_positive_error
from evalcore.evaluation.model import CERTIFIED, Answer, Columns, Section
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics import tallies
from evalcore.evaluation.statistics.groups import columns_text
from evalcore.evaluation.statistics.tallies import EVERYTHING, Asked
from evalcore.evaluation.weighting import UNWEIGHTED, RowWeights, Weighting, class_factors
from evalcore.inference.intervals import Intervals, proportion_intervals
from evalcore.io.libraries import pa
from evalcore.io.memory import shown_size
from evalcore.io.rows import RowFilter
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, class_weight_sums
from evalcore.measures.bounds import Certified
from evalcore.measures.influence import kish_number
from evalcore.measures.losses import NO_LOSSES, ProbabilityLosses, probability_losses
from evalcore.streaming import ScoreSummary
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray

BYTES_OF_AN_INTERVAL = 40
"""32 for an interval of a summary, 8 for the cut before it."""
BYTES_OF_A_SUMMARY = 8_000
"""For a summary without its intervals, its statistics, and the lines that show them."""
_CERTIFIED = "roc_auc", "average_precision", "maximum_f1"
_Losses: TypeAlias = tuple[ProbabilityLosses, ...]
ONES: FloatArray = np.ones(2)
"""The factors of the weights of positives and of negatives where no other prevalence is asked for."""


class ColumnSummary:
    """The summary of a score column against one label, and sums over decisions at thresholds.

    >>> summary = ColumnSummary(16, thresholds=[0.5])
    >>> summary.update(np.array([True, False]), np.array([0.9, 0.1]))
    >>> summary.columns(bounded=False).values["roc_auc"].item()
    1.0
    """

    __slots__ = ("decisions", "losses", "scores", "sums", "vary", "weighting")

    def __init__(
        self, capacity: int, thresholds: Iterable[float] = (), weighting: Weighting = UNWEIGHTED, vary: bool = False
    ) -> None:
        self.weighting, self.vary = weighting, vary and not weighting.asked
        self.scores = ScoreSummary(capacity)
        self.losses: _Losses = (NO_LOSSES,) * (1 if weighting.target_prevalence is None else 2)
        """Of all cases or, where the classes are reweighted to another prevalence at the end, of each class."""
        self.decisions = dict.fromkeys(thresholds, WeightSums(*np.zeros((3, 4))))
        """By threshold, over tp, fn, fp and tn, shape (4,)."""
        self.sums = WeightSums(*np.zeros((3, 2)))
        """Over positives and negatives, shape (2,), where the summary of scores does not tell."""

    def update(self, positive: BoolArray, scores: ScoreArray, weights: AnyArray | None = None) -> None:
        """Add labels (n,) bool, scores (n,), and weights (n,) above zero.  O(n log n)."""
        self.scores.update(positive, scores, sample_weight=weights)
        self.losses = tuple(map(ProbabilityLosses.plus, self.losses, self._losses_of(scores, positive, weights)))
        if self._are_sampled and weights is not None:
            self.sums = self.sums.plus(class_weight_sums(positive, weights))
        for threshold, sums in self.decisions.items():
            predicted = are_at_or_above(scores, threshold)
            added = tallies.tallied(binary_codes(positive, predicted), RowWeights(self.weighting, weights), 4)
            self.decisions[threshold] = sums.plus(added.sums)

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are between 0 and 1.  O(1)."""
        return not any(np.isnan(sums.squared_error) for sums in self.losses)

    def settle(self) -> None:
        """Sort the waiting rows into intervals, and free their memory.  O(w log w + k)."""
        self.scores._moment = None  # it would keep the rows that waited
        self.scores._cases.settle()

    @property
    def classes(self) -> WeightSums:
        """Sums over the positives and the negatives, shape (2,).  O(k)."""
        counts = self.scores.positives, self.scores.negatives
        return self.sums if self._are_sampled else tallies.sums_of_counts(counts)

    def shrunk(self, capacity: int) -> "ColumnSummary":
        """Return a summary of the same rows with fewer intervals.  O(k)."""
        other = ColumnSummary(capacity, (), self.weighting, self.vary)
        other.decisions, other.sums, other.losses = dict(self.decisions), self.sums, self.losses
        other.scores.merge(self.scores)
        return other

    def columns(
        self, asked: Asked = EVERYTHING, factors: FloatArray = ONES, *, bounded: bool, of_group: bool = False
    ) -> Columns:
        """Return the statistics, as of one group; if `bounded`, exact ones too have bounds.  O(k log k).

        asked: of decisions; factors: (2,), of the weights of positives and of negatives; of_group: whether these are
        not all rows, so that their prevalence is not the one that all rows are reweighted to.
        """
        classes = self.classes.scaled(factors)
        weighting = self.weighting._replace(target_prevalence=None) if of_group else self.weighting
        effective = kish_number(WeightSums(*(column.sum(keepdims=True) for column in self.classes)))
        measures = measures_of(self.scores, factors)
        found = certified_columns(classes, weighting, measures, bounded=bounded, effective=effective)
        pairs = zip(self.losses, factors.tolist(), strict=False)
        scaled = (ProbabilityLosses(*(column * factor for column in losses)) for losses, factor in pairs)
        lost, cases = reduce(ProbabilityLosses.plus, scaled), np.asarray(classes.sums.sum(keepdims=True))
        losses = {key: np.atleast_1d(value) for key, value in lost.statistics(cases).items()}
        intervals: dict[str, Intervals] = {}
        if self.vary and asked.level is not None:
            intervals = tallies.loss_intervals(losses, lost.powers, cases, asked.level)
            intervals["prevalence"] = proportion_intervals(classes.sums[:1], cases, asked.level)
        found = found.plus(Columns(losses, intervals))
        self.settle()  # frees what the answers were read from
        threshold = next(iter(self.decisions), None)
        return found if threshold is None else found.plus(self.decided(threshold, asked, factors, of_group=of_group))

    def decided(
        self, threshold: float, asked: Asked = EVERYTHING, factors: FloatArray = ONES, *, of_group: bool = False
    ) -> Columns:
        """Return the statistics of the decisions at a threshold, as `columns`.  O(1)."""
        cells = self.decisions[threshold].scaled(factors.repeat(2))
        tally = tallies.tally_of(cells, frequencies=not self.weighting.of_samples).reshaped(4, 1)
        known_prevalence = self.weighting.target_prevalence is not None and not of_group
        return tallies.decision_columns(tally, threshold, asked, known_prevalence=known_prevalence)

    @property
    def _are_sampled(self) -> bool:
        """Whether rows have sampling weights; the summary of scores holds all about other rows."""
        return self.weighting.column is not None and not self.weighting.of_frequencies

    def _losses_of(self, scores: ScoreArray, positive: BoolArray, weights: AnyArray | None) -> _Losses:
        """Return the losses of all cases, or of each class where `losses` keeps them apart.  O(n)."""
        if self.weighting.target_prevalence is None:
            return (probability_losses(scores, positive, weights, powers=self.vary),)
        return tuple(
            probability_losses(scores[side], positive[side], None if weights is None else weights[side])
            for side in (positive, ~positive)
        )


_Summaries: TypeAlias = dict[str, ColumnSummary]
"""By column of scores."""


def certified_columns(
    classes: WeightSums,
    weighting: Weighting,
    measures: tuple[Certified, ...],
    *,
    bounded: bool,
    effective: FloatArray | None = None,
    divisor: float = 1.0,
) -> Columns:
    """Return the numbers of cases, and ROC AUC, average precision and maximum F1, as of one group.  O(1).

    classes: positives and negatives, (2,) each; bounded: whether exact ones too have bounds; effective: number of
    cases, (1,), by default Kish's of the classes; divisor: what weights were divided by.
    """
    counted = tallies.tally_of(classes, frequencies=weighting.of_frequencies).reshaped(2, 1)
    numbers = tallies.described(counted._replace(divisor=divisor), weighting, effective)
    bounds = {
        name: Intervals(np.array([float(each)]), np.array([each.low]), np.array([each.high]), CERTIFIED)
        for name, each in zip(_CERTIFIED, measures, strict=True)
    }
    return Columns(numbers | {name: each.estimates for name, each in bounds.items()}, bounds if bounded else {})


def measures_of(summary: ScoreSummary, factors: FloatArray = ONES) -> tuple[Certified, Certified, Certified]:
    """Return the ROC AUC, the average precision and the maximum F1 of a summary, with bounds.  O(k log k).

    factors: (2,), of the weights of positives and of negatives.
    """
    area = summary.roc_auc()  # no factor changes it
    if not np.array_equal(factors, ONES):
        cells, summary = summary._cases.cells, ScoreSummary(summary.capacity)
        summary._cases.restore(cells._replace(intervals=cells.intervals.scaled(*factors.tolist())))
    return area, summary.average_precision(), summary.maximum_f_measure()


_FEWEST_OF_A_GROUP = 16


class SummaryLimits(NamedTuple):
    """How much memory summaries may take."""

    capacity: int
    """Intervals of each at most."""
    waiting: int
    """Rows that are sorted together."""
    groups: int = 1 << 62
    """Bytes of the summaries of all groups: where they have more, all get fewer intervals."""


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
        self.groups: list[_Summaries] = []
        self.codes = GroupCodes(question.by, question.most_groups, question.every) if question.by else None
        self.capacity = limits.capacity
        """Intervals of the summaries of each group."""
        self._unsorted: list[tuple[Any, ...]] = []
        """Rows of groups that wait to be sorted together: codes, positive ones, weights or None, and each column."""
        self._waiting = 0
        self._others = OtherLabels()

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch, of weights above zero, whose first row has this index in its file.  O(n log n).

        Raises EvaluationError for invalid labels, scores or groups, and for too many groups.
        """
        label = batch.column(self.question.label)
        positive = batch_labels(label, self.question.label, self.question.positive, first)
        negative = label.filter(pa.array(~positive)).unique()
        self._others.add(batch_values(negative, self.question.label), np.zeros(len(negative), np.bool_))
        scores = {name: batch_scores(batch.column(name), name, first) for name in self.question.scores}
        weights = batch_weights(batch, self.question.weighting)
        if self.codes is not None:
            codes = self.codes.codes(list(map(batch.column, self.question.by)), first)
            self._bytes_alone(len(self.codes))
            self._unsorted.append((codes, positive, weights, *scores.values()))
        for name, column in scores.items():
            self.total[name].update(positive, column, weights)
        self._waiting += batch.num_rows
        if self._waiting >= self.limits.waiting:
            self._settle_total()
        if sum(codes.size for codes, *_ in self._unsorted) >= self.limits.waiting:
            self._settle_groups()

    @property
    def exact(self) -> bool:
        """Whether every statistic is exact, as those of decisions are.  O(n log n) for n rows that wait."""
        self._settle_groups()
        every = (summary.scores for each in (self.total, *self.groups) for summary in each.values())
        return self.question.level is not None or all(scores.exact for scores in every)

    def sections(self) -> list[Section]:
        """Return the report; raise EvaluationError if no label was positive.  O(groups k log k) for k intervals."""
        self._check_positive()
        self._settle_total()  # frees memory for the rows of groups
        question, bounded, names = self.question, not self.exact, dict[str, int]()
        factors = class_factors(self._first.classes.sums, question.weighting)
        if self.codes is not None:
            sizes = np.array([next(iter(each.values())).classes.cases.sum() for each in self.groups], np.int64)
            names = self.codes.ordered(sizes, question.min_cases)

        def columns_of(summaries: _Summaries, name: str, threshold: float | None, *, of_group: bool = False) -> Columns:
            is_probable = self.total[name].are_probabilities if question.thresholds else None
            asked = Asked(level=question.level, costs=question.costs, are_probabilities=is_probable)
            if threshold is not None:
                return summaries[name].decided(threshold, asked, factors, of_group=of_group)
            return summaries[name].columns(asked, factors, bounded=bounded, of_group=of_group)

        sections, groups = list[Section](), [self.groups[code] for code in names.values()]
        for threshold in (None, *question.thresholds[1:]):
            whole = {name: columns_of(self.total, name, threshold) for name in question.scores}
            in_groups = {
                name: tallies.joined([columns_of(each, name, threshold, of_group=True) for each in groups])
                for name in (() if self.codes is None else question.scores)
            }
            sections += tallies.sections_of(threshold, whole, question.level or 1.0, in_groups, names)
        return tallies.without_undefined_net_benefits(sections) if question.thresholds else sections

    def answer(self, rows: RowFilter | None = None) -> Answer:
        """Return the report; rows: as of `completed`.  Raises EvaluationError as `sections`."""
        return completed(self.question, Answer(self.sections(), notes=self.notes), rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the labels and, after `sections`, of the groups."""
        question = self.question
        of_groups = () if self.codes is None else self.codes.notes
        of_weights = question.weighting.notes(question.level, by_group=self.codes is not None)
        return (*self._others.notes(question.label, question.positive), *of_groups, *of_weights)

    def _new(self, capacity: int) -> _Summaries:
        asked, vary = self.question, self.question.level is not None
        return {name: ColumnSummary(capacity, asked.thresholds, asked.weighting, vary) for name in asked.scores}

    @property
    def _first(self) -> ColumnSummary:
        return self.total[self.question.scores[0]]

    def _check_positive(self) -> None:
        signs = {label.lstrip().startswith("-") for label in self._others.found}
        held = f"column {self.question.label!r} holds 1, {' and '.join(self._others.found)}"
        usual = f"where labels are 0 and 1 or -1 and 1; name the positive one ({option('positive', 'VALUE')})"
        refuse({f"{held}, {usual}": self.question.positive is None and len(signs) > 1})
        if self.question.positive is not None and not self._first.scores.positives:
            held = f"it holds {self._others.text}"
            weighted = self.question.weighting.column is not None
            raise no_positive_error(self.question.label, self.question.positive, held, weighted=weighted)

    def _settle_total(self) -> None:
        """Sort the waiting rows of the total into its intervals."""
        for summary in self.total.values():
            summary.settle()
        self._waiting = 0

    def _settle_groups(self) -> None:
        """Bring the waiting rows of each group together, which takes one sort for all, and add them to its summary."""
        if self.codes is None or not self._unsorted:
            return
        of_codes, of_classes, of_weights, *columns = zip(*self._unsorted, strict=True)
        codes, count = np.concatenate(of_codes), len(self.codes)
        order = codes.astype(np.int16 if count <= np.iinfo(np.int16).max else np.int32).argsort(kind="stable")
        sizes = np.bincount(codes, minlength=count)
        ends = sizes.cumsum()
        positive = np.concatenate(of_classes)[order]
        weights = None if of_weights[0] is None else np.concatenate(of_weights)[order]
        self.groups += [self._new(self.capacity) for _ in range(len(self.groups), count)]
        for name, parts in zip(self.question.scores, columns, strict=True):
            column = np.concatenate(parts)[order]
            for code in np.flatnonzero(sizes).tolist():
                part = slice(ends[code] - sizes[code], ends[code])
                own = None if weights is None else weights[part]
                self.groups[code][name].update(positive[part], column[part], own)
                self.groups[code][name].settle()
        self._unsorted = []
        self._keep_to_limits()

    def _keep_to_limits(self) -> None:
        """Leave summaries of groups as many intervals as fit.  O(intervals).

        Raises EvaluationError if summaries without intervals take too much.
        """
        alone = self._bytes_alone(len(self.groups))
        while self.capacity > _FEWEST_OF_A_GROUP:
            held = sum(each.scores.intervals.low.size for group in self.groups for each in group.values())
            if alone + BYTES_OF_AN_INTERVAL * held <= self.limits.groups:
                return
            self.capacity //= 2
            self.groups = [{name: each.shrunk(self.capacity) for name, each in group.items()} for group in self.groups]

    def _bytes_alone(self, groups: int) -> int:
        """Return the bytes of summaries of groups without intervals; raise EvaluationError if they are too many."""
        alone = groups * len(self.question.scores) * BYTES_OF_A_SUMMARY
        more = f"more than the {shown_size(self.limits.groups)} left for them; allow more memory (--memory SIZE)"
        got = f"at least {groups:,}, whose summaries take {shown_size(alone)}, {more}"
        check(alone <= self.limits.groups, columns_text(self.question.by), "hold fewer groups", got)
        return alone
