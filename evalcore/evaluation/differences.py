"""What a comparison of models found, before it is written."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.evaluation.cases import AnyCases, PairedCases
from evalcore.evaluation.catalogue import ENTRIES, MeasureName, entry_of
from evalcore.evaluation.joining import JoinCounts
from evalcore.evaluation.measure_choice import Margin, margins_of
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.comparisons import adjusted_p_values
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference import benjamini_hochberg, holm
from evalcore.inference.intervals import ROUNDING, Comparison, Comparisons, reach_of
from evalcore.typing import AnyArray, BoolArray

BETTER, WORSE, NOT_SHOWN = "better", "worse", "no difference shown"
"""Verdicts without a margin: whether the interval of the difference excludes 0."""
SUPERIOR, EQUIVALENT, NON_INFERIOR, INFERIOR, INCONCLUSIVE = (
    "superior", "equivalent", "non-inferior", "inferior", "inconclusive",
)  # fmt: skip
"""Verdicts with a margin, the strongest that the interval proves; the last one also where there is no interval."""


class MeasureDifference(NamedTuple):
    """One measure of two models."""

    measure: str
    """Its name, with its threshold if it has one, such as "recall@0.3"."""
    title: str
    """Its name for people."""
    found: Comparison
    """Of the new model less the old one; without an interval, bounds and p-value are NaN."""
    error: float = np.nan
    """Standard error of the difference; NaN if it is not known."""
    lower_is_better: bool = False
    holm: float = np.nan
    """P-value adjusted by Holm's method for all measures of the table."""
    benjamini_hochberg: float = np.nan
    """P-value adjusted by the method of Benjamini and Hochberg for all measures of the table."""
    verdict: str = ""
    """One of the verdicts above, unadjusted without a margin; inconclusive without an interval; empty if not judged."""
    detectable: float = np.nan
    """The smallest true difference that this many cases detect with 80% power."""
    margin: float = np.nan
    """The smallest difference that matters; NaN if none was named."""
    freedom: float = np.inf
    """Degrees of freedom of the standard error; infinite where the difference is normal."""
    judged_by: Comparison | None = None
    """The same at the level of verdicts with a margin, where that is another."""

    @property
    def old(self) -> float:
        """The value of the old model."""
        return self.found.estimates[1]

    @property
    def new(self) -> float:
        """The value of the new model."""
        return self.found.estimates[0]

    @property
    def is_shown(self) -> bool:
        """Whether the interval excludes 0."""
        return self.found.low > 0 or self.found.high < 0

    @property
    def is_certain(self) -> bool:
        """Whether it is shown as one of many: also by its p-value adjusted by Holm's method, if it has one."""
        return self.is_shown and not self.holm > 1 - self.found.level

    @property
    def verdict_adjusted(self) -> str:
        """The verdict as one of many, some of which differ by chance; with a margin it is that of its interval."""
        return NOT_SHOWN if self.is_shown and not (self.is_certain or self.margin > 0) else self.verdict

    @property
    def decisive(self) -> tuple[float, float]:
        """The bounds that the verdict follows from."""
        found = self.judged_by or self.found
        return found.low, found.high

    @property
    def gain(self) -> float:
        """The difference, negative where the new model is worse: of a loss, the old value less the new one."""
        return -self.found.difference if self.lower_is_better else self.found.difference


class Measured(NamedTuple):
    """One measure of two models in each of g groups, not judged yet."""

    measure: str
    title: str
    found: Comparisons
    lower_is_better: Any = False
    """Of all groups, or of each, (g,)."""

    @classmethod
    def by(cls, measure: MeasureName, found: Comparisons) -> "Measured":
        """Return what was found by a measure: where it has a best value, the one nearer to it is better.  O(g)."""
        entry, lower = ENTRIES.get(measure.measure) or entry_of(measure.measure), measure.lower_is_better
        above = False if entry is None else found.new + found.old > 2 * entry.target
        return cls(measure.name, measure.title, found, lower | above)

    @property
    def each(self) -> list[MeasureDifference]:
        """Return the difference in each group.  O(g)."""
        name, title, found, lower = self
        columns = np.broadcast_arrays(found.errors, lower, found.freedom, found.low)[:3]
        each = zip(found.each(), *(column.tolist() for column in columns), strict=True)
        return [MeasureDifference(name, title, one, error, low, freedom=own) for one, error, low, own in each]


class GroupDifferences(NamedTuple):
    """Differences in one group of cases."""

    group: str
    """Empty where these are all cases."""
    cases: int
    positives: int | None
    """None where labels are classes."""
    differences: Sequence[MeasureDifference]


class ChangedCase(NamedTuple):
    """A case whose score or predicted class changed."""

    id: Any
    label: Any
    old: Any
    new: Any
    shown: Mapping[str, str] = {}
    """Texts of the columns that a reader asked for, by their headings."""


class Changes(NamedTuple):
    """What changed hands between two models, at a threshold or between predicted classes."""

    threshold: float | None
    """None where there are predicted classes."""
    counts: Mapping[str, int]
    """By name: newly_right, newly_wrong, right_in_both, wrong_in_both; cases, without sampling weights."""
    newly_right: Sequence[ChangedCase]
    """Those with the largest change of score first."""
    newly_wrong: Sequence[ChangedCase]
    measure: str = ""
    """The column of values that changed: right is then the better value, or any change for the better."""


class ModelDifferences(NamedTuple):
    """One new model against the old one."""

    model: str
    differences: Sequence[MeasureDifference]
    groups: Mapping[str, Sequence[GroupDifferences]] = {}
    """By the name of the grouping, such as "carrier": the groups that got worse first."""
    changes: Sequence[Changes] = ()
    """One for each threshold, or one for predicted classes."""
    risen: Sequence[ChangedCase] = ()
    """Cases whose score rose most, the largest change first."""
    fallen: Sequence[ChangedCase] = ()


class Standing(NamedTuple):
    """One of three or more systems, by the mean of a column."""

    measure: str
    """The column."""
    model: str
    mean: float
    low: float
    high: float
    letters: str
    """Systems with one of these in common were not told apart, after adjustment for all pairs."""


class ClosestPair(NamedTuple):
    """Two systems that were not told apart, and whose means of a column are closest without being equal."""

    measure: str
    better: str
    worse: str
    difference: float
    cases: int
    """How many like these would show it with a power of 80%, before adjustment."""


class ComparisonAnswer(NamedTuple):
    """All that a comparison found."""

    old: str
    """The name of the old model."""
    models: Sequence[ModelDifferences]
    joins: Mapping[str, JoinCounts] = {}
    """By new model; empty where all are columns of one table."""
    notes: Sequence[str] = ()
    """What a reader must know beside the numbers."""
    cases: AnyCases | None = None
    """From which charts are drawn and conditions are checked; None for ranked results."""
    standings: Sequence[Standing] = ()
    """Of three or more systems, these by each column of values."""
    closest: Sequence[ClosestPair] = ()
    """Of each column, the closest systems that were not told apart."""

    @property
    def sides(self) -> tuple[int, int] | None:
        """The numbers of positives and negatives; None where labels are not of one class.  O(n)."""
        return self.cases.counts if isinstance(self.cases, PairedCases) else None


OUTCOMES = "newly_right", "newly_wrong", "right_in_both", "wrong_in_both"
"""Names of the counts of `Changes`."""


def outcome_counts(
    old_right: BoolArray, new_right: BoolArray, count: Callable[[BoolArray], int] = np.count_nonzero
) -> dict[str, int]:
    """Count cases by `OUTCOMES`; the masks: (n,); count: returns the number of cases of one.  O(n).

    >>> outcome_counts(np.array([True, True, False]), np.array([True, False, True]))
    {'newly_right': 1, 'newly_wrong': 1, 'right_in_both': 1, 'wrong_in_both': 0}
    """
    masks = new_right > old_right, old_right > new_right, old_right & new_right, ~(old_right | new_right)
    return dict(zip(OUTCOMES, map(int, map(count, masks)), strict=True))


POWER = 0.8
"""The probability with which a difference that is called detectable would be shown."""
NOT_PREDICTED = "not predicted"
"""In place of a method, where one model predicts no case of the class: there is no interval."""


def as_reported(found: Comparisons, cases: AnyArray) -> Comparisons:
    """Return precisions of 0, as in reports, of models that never predict a class of so many cases, (g,).  O(g).

    Two models that both do so decide all cases alike, and are equal.  A class without cases leaves it 0/0.

    >>> found = Comparisons(np.array([np.nan]), np.array([0.75]), np.nan, np.nan, np.nan, 0.95, np.nan, np.nan, "delta")
    >>> as_reported(found, np.array([3])).each()
    [0 - 0.75 = -0.75 [nan, nan] (95% not predicted), p = nan]
    """
    unknown, new, old = np.isnan([found.new, found.old]), np.nan_to_num(found.new), np.nan_to_num(found.old)
    same, replaced = np.where(unknown.all(axis=0), 1.0, np.nan), unknown.any(axis=0) & (cases > 0)
    zero = Comparisons(new, old, new - old, np.nan, np.nan, found.level, np.nan, same, NOT_PREDICTED)
    return Comparisons(*(np.where(replaced, other, own) for own, other in zip(found, zero, strict=True)))


def judged(
    every: Sequence[MeasureDifference], level: float, margin: Margin = None, others: Sequence[MeasureDifference] = ()
) -> list[MeasureDifference]:
    """Judge differences, adjusting p-values for all of them together.  O(k log k).

    margin: of all measures, or by the names of some; others: the same at the level of verdicts with a margin, if that
    is another.

    >>> from evalcore.inference import Comparison
    >>> found = Comparison((0.75, 0.5), 0.25, 0.125, 0.375, 0.95, 4.0, 6e-05, "delong")
    >>> [difference] = judged([MeasureDifference("roc_auc", "ROC AUC", found, error=0.0625)], 0.95, margin=0.25)
    >>> difference.holm, difference.verdict, round(difference.detectable, 4)
    (6e-05, 'non-inferior', 0.1751)
    """
    p_values = np.array([each.found.p_value for each in every], np.float64)
    by_holm, by_rate = (adjusted_p_values(p_values, method=each).tolist() for each in (holm, benjamini_hochberg))
    margins = margins_of(margin, (each.measure for each in every))
    if others:
        pairs = zip(every, others, strict=True)
        every = [each if margins[each.measure] is None else each._replace(judged_by=own.found) for each, own in pairs]
    return [
        each._replace(
            holm=of_all,
            benjamini_hochberg=of_rate,
            verdict=verdict(each, own),
            margin=np.nan if own is None else own,
            detectable=detectable_difference(each, level),
        )
        for each, of_all, of_rate in zip(every, by_holm, by_rate, strict=True)
        for own in [margins[each.measure]]
    ]


Find: TypeAlias = Callable[[Any, Question, GroupedRows], list[list[Measured]]]
"""Returns the measures of cases that a question asks for, of each new model in each group with a name."""


def judged_differences(
    find: Find, cases: AnyCases, groups: GroupedRows, question: Question
) -> list[list[GroupDifferences]]:
    """Return the judged differences of each new model in each group, the groups that got worse first.

    P-values are adjusted for all models, groups and measures.  The first measure says which groups got worse; where it
    is not defined they come last.  O(g log g) beside the differences.
    """

    def gain(group: GroupDifferences) -> tuple[bool, float]:
        value = group.differences[0].gain if group.differences else np.nan
        return bool(np.isnan(value)), value

    of_models, *narrow = (find(cases, own, groups) for own in filter(None, (question, question.at_margin_level)))
    flat = ([each for measured in chain(*models) for each in measured.each] for models in (of_models, *narrow))
    found, sizes = iter(judged(next(flat), question.confidence, question.margin, *flat)), cases.sizes(groups)

    def in_groups(measured: Sequence[Measured]) -> list[GroupDifferences]:
        columns = [[*islice(found, len(sizes))] for _ in measured]
        named = enumerate(zip(groups.labels, sizes, strict=True))
        each = (GroupDifferences(name, *counts, [own[at] for own in columns]) for at, (name, counts) in named)
        return sorted(each, key=gain)

    return [*map(in_groups, of_models)]


def for_groups(question: Question, count: int) -> Question:
    """Return a question whose verdicts with a margin are valid for all groups together.  O(1).

    Each follows from an interval at Bonferroni's level.  Source: O. J. Dunn, Multiple comparisons among means, Journal
    of the American Statistical Association 56 (1961) 52-64.

    >>> for_groups(Question("late", margin=0.01), 5).margin_level, for_groups(Question("late"), 5).margin_level
    (0.99, None)
    """
    level = 1 - (1 - (question.margin_level or question.confidence)) / max(count, 1)
    return question if question.margin is None else question._replace(margin_level=level)


def detectable_difference(difference: MeasureDifference, level: float) -> float:
    """Return the true difference that an interval of this level would show with a power of 80%; NaN if unknown.  O(1).

    It is not known where the error is none but that of rounding, as of losses that differ by a constant.

    >>> from evalcore.inference import Comparison
    >>> found = Comparison((0.75, 0.5), 0.25, 0.125, 0.375, 0.95, 4.0, 6e-05, "delong")
    >>> round(detectable_difference(MeasureDifference("roc_auc", "ROC AUC", found, error=0.01), 0.95), 5)
    0.02802
    """
    error, freedom = difference.error, difference.freedom
    if not error > ROUNDING:
        return np.nan
    return (reach_of(level, freedom) + reach_of(2 * POWER - 1, freedom)) * error


def verdict(difference: MeasureDifference, margin: float | None = None) -> str:
    """Return the strongest verdict that the interval of a difference proves; inconclusive without an interval.  O(1).

    Models that decide or rank all cases alike may have none, which proves nothing of unseen cases.
    """
    low, high = (difference.found.low, difference.found.high) if margin is None else difference.decisive
    low, high = (-high, -low) if difference.lower_is_better else (low, high)
    if np.isnan(low) or np.isnan(high):
        return INCONCLUSIVE
    if margin is None:
        return BETTER if low > 0 else WORSE if high < 0 else NOT_SHOWN
    if low > margin:
        return SUPERIOR
    if high < -margin:
        return INFERIOR
    if low > -margin:
        return EQUIVALENT if high < margin else NON_INFERIOR
    return INCONCLUSIVE
