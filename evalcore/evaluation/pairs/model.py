"""What a comparison of models found, before it is written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.evaluation.pairs.cases import JoinCounts, PairedCases, PairedClasses
from evalcore.evaluation.pairs.measure_names import ComparedMeasure
from evalcore.inference.intervals import Comparison
from evalcore.typing import FloatArray

BETTER, WORSE, NOT_SHOWN = "better", "worse", "no difference shown"
"""Verdicts without a margin: whether the interval of the difference and its p-value show one."""
SUPERIOR, EQUIVALENT, NON_INFERIOR, INFERIOR, INCONCLUSIVE = (
    "superior", "equivalent", "non-inferior", "inferior", "inconclusive",
)  # fmt: skip
"""Verdicts with a margin, the strongest that the intervals prove; the last one also where there is no interval."""


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
    """One of the verdicts above, inconclusive where there is no interval; empty before it is judged."""
    detectable: float = np.nan
    """The smallest true difference that so many cases would show with a power of 80%."""
    margin: float = np.nan
    """The smallest difference that matters; NaN if none was named."""
    freedom: float = np.inf
    """Degrees of freedom of the standard error; infinite where the difference is normal."""

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
        """Whether the interval excludes 0, and the p-value, if there is one, is at most 1 - level."""
        found = self.found
        return (found.low > 0 or found.high < 0) and not found.p_value > 1 - found.level

    @property
    def gain(self) -> float:
        """The difference, negative where the new model is worse: of a loss, the old value less the new one."""
        return -self.found.difference if self.lower_is_better else self.found.difference


FoundDifferences: TypeAlias = dict[ComparedMeasure, list[MeasureDifference]]
"""By measure, the difference in each of g groups, or in all cases as the only one; not judged yet."""


def differences_of(
    measure: ComparedMeasure, comparisons: Iterable[Comparison], errors: FloatArray, freedom: FloatArray
) -> list[MeasureDifference]:
    """Return the differences of a measure in g groups; errors, freedom: (g,).  O(g)."""
    name, title, lower = measure.name, measure.title, measure.lower_is_better
    return [
        MeasureDifference(name, title, found, error, lower, freedom=own)
        for found, error, own in zip(comparisons, errors.tolist(), freedom.tolist(), strict=True)
    ]


class GroupDifferences(NamedTuple):
    """Differences in one group of cases."""

    group: str
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


class Changes(NamedTuple):
    """What changed hands between two models, at a threshold or between predicted classes."""

    threshold: float | None
    """None where there are predicted classes."""
    counts: Mapping[str, int]
    """By name: newly_right, newly_wrong, right_in_both, wrong_in_both; rows, without their weights."""
    newly_right: Sequence[ChangedCase]
    """Those with the largest change of score first."""
    newly_wrong: Sequence[ChangedCase]


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


class ComparisonAnswer(NamedTuple):
    """All that a comparison found."""

    old: str
    """The name of the old model."""
    models: Sequence[ModelDifferences]
    joins: Mapping[str, JoinCounts] = {}
    """By new model; empty where all are columns of one table."""
    notes: Sequence[str] = ()
    """What a reader must know beside the numbers."""
    cases: PairedCases | None = None
    """From which charts are drawn; None for predicted classes and ranked results."""
    classes: PairedClasses | None = None
    """The cases of predicted classes, from which conditions are checked."""
