"""The models of a report by their ROC AUCs, and the tests between them: what rules for sentences read."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from evalcore.document.shown import model_records
from evalcore.document.tables import bound_texts
from evalcore.evaluation import wording
from evalcore.evaluation.model import CERTIFIED, COMPARISONS, Answer, Statistic
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.comparisons import pair_naming
from evalcore.inference import Interval

_RARE = 0.01
"""Prevalence below which positives are counted."""


class AreaTest(NamedTuple):
    """The difference of the best model's ROC AUC from that of another."""

    difference: str
    """The difference and, where they are defined, its interval and p-value."""
    apart: bool | None
    """Whether the test finds a difference at the level; None where it is not defined."""
    alike: bool = False
    """Whether it is not defined because positives and negatives are in the same order."""


class ScoredModel(NamedTuple):
    """One column of scores, and its numbers for all cases."""

    name: str
    shown: str
    """As it stands in sentences."""
    items: Mapping[str, Statistic]
    test: AreaTest | None = None
    """Of the best model against this one; none where cases are too few to tell."""

    @property
    def area(self) -> float:
        """The ROC AUC of all cases; NaN where they are of one class."""
        return self.items["roc_auc"].value

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the area; None if it has none."""
        return confidence_interval(self.items["roc_auc"])

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which the area of these cases certainly lies."""
        return exact_bounds(self.items["roc_auc"])

    @property
    def area_text(self) -> str:
        """The area, or the bounds between which it certainly lies."""
        return value_text(self.items["roc_auc"])

    @property
    def with_area(self) -> str:
        """The model, and its area in brackets."""
        return f"{self.shown} ({self.area_text})"


class ScoredModels(NamedTuple):
    """The models of a report, and what is compared."""

    answer: Answer
    question: Question
    models: list[ScoredModel]
    """The one with the largest area first."""

    @property
    def best(self) -> ScoredModel:
        """The model with the largest area."""
        return self.models[0]

    @property
    def tested(self) -> bool:
        """Whether a test compares the best model with another."""
        return any(model.test for model in self.models)

    @property
    def positives(self) -> int:
        """Number of positive cases."""
        return int(self.best.items["positives"].value)

    @property
    def cases(self) -> int:
        """Number of cases."""
        return int(self.best.items["cases"].value)

    @property
    def enough(self) -> bool:
        """Whether both classes have enough cases for tests."""
        return wording.enough(self.positives, self.cases - self.positives)

    @property
    def of_cases(self) -> str:
        """How many cases there are, and how many of them are positive."""
        weighting = self.question.weighting
        if "prevalence" not in self.best.items:  # of a report on some measures
            return f"on {cases_text(self.best.items)} ({positive_text(self.question)})"
        prevalence = self.best.items["prevalence"].value
        weight = self.best.items["weight"].value if "weight" in self.best.items else None  # frequencies make cases
        part = wording.percent(prevalence)
        if prevalence < _RARE:
            part = wording.percent(prevalence, 3) if weighting.asked else wording.count(self.positives)
        positive = f"{part} of {'them' if weight is None or weight > self.cases else 'the weight'} positive"
        if weighting.target_prevalence is not None:
            positive = f"weighted as if {100 * weighting.target_prevalence:g}% of cases were positive"
        return f"on {cases_text(self.best.items)}, {positive} ({positive_text(self.question)})"


def scored_models(answer: Answer, question: Question) -> ScoredModels:
    """Return the models of a report on scores of one label, and the tests that tell them apart.  O(statistics)."""
    shown = wording.shown_names(question.scores)
    models = [ScoredModel(name, shown[name], items) for name, items in model_records(answer.sections).items()]
    models.sort(key=lambda model: -model.area)  # equal ones, and undefined ones, as they were named
    found = ScoredModels(answer, question, models)
    return found._replace(models=_tested(answer, models, question.scores)) if found.enough else found


def positive_text(question: Question) -> str:
    """Say what is positive: the column of labels, and the positive one if it was named.  O(1).

    >>> positive_text(Question("late")), positive_text(Question("tree", positive="old elm"))
    ('late', "tree = 'old elm'")
    """
    label = column_text(question.label)
    return label if question.positive is None else f"{label} = {wording.shown_value(question.positive)}"


def column_text(name: str) -> str:
    """Return the name of a column as it stands in a sentence.  O(1)."""
    return wording.shown_names([name])[name]


def cases_text(items: Mapping[str, Statistic]) -> str:
    """Return how many cases, or rows with weights, a record is of.  O(1)."""
    return wording.rows_text(int(items["cases"].value), items["weight"].value if "weight" in items else None)


def confidence_interval(item: Statistic) -> Interval | None:
    """Return the interval of a statistic if it is defined and one of confidence.  O(1)."""
    interval = item.interval
    return None if interval is None or interval.method == CERTIFIED or math.isnan(interval.low) else interval


def within(item: Statistic, text: Callable[[float], str] = wording.number) -> str:
    """Return the confidence interval of a statistic in brackets, behind a blank; empty if it has none.  O(1)."""
    interval = confidence_interval(item)
    return f" ({wording.interval_text(interval.level, text(interval.low), text(interval.high))})" if interval else ""


def exact_bounds(item: Statistic) -> tuple[float, float]:
    """Return between which numbers a statistic of these cases certainly lies.  O(1)."""
    interval = item.interval
    return (interval.low, interval.high) if interval and interval.method == CERTIFIED else (item.value, item.value)


def value_text(item: Statistic, text: Callable[[float], str] = wording.number) -> str:
    """Return a statistic, or the bounds between which it certainly lies.  O(1)."""
    low, high = exact_bounds(item)
    return text(item.value) if low == high or item.interval is None else " to ".join(bound_texts(item.interval))


def _tested(answer: Answer, models: Sequence[ScoredModel], names: Sequence[str]) -> list[ScoredModel]:
    """Return the models with the tests of the best one, the first, against others that a report holds."""
    compared: dict[str, Sequence[Statistic]] = {}
    for section in answer.sections:
        if section.whole and section.whole.name == COMPARISONS:
            compared[section.name] = section.last  # the total
        elif section.name == COMPARISONS and not section.whole:  # a column may be called so
            compared |= section.records
    pair, (best, *others) = pair_naming(names), models
    found = [best]
    for other in others:
        keys = {pair(best.name, other.name): 1, pair(other.name, best.name): -1}
        tests = [_test(compared[key], sign) for key, sign in keys.items() if key in compared]
        found.append(other._replace(test=tests[-1]) if tests else other)
    return found


def _test(record: Sequence[Statistic], sign: int) -> AreaTest:
    """Return a test of a pair; sign: -1 if the best model is its second."""
    items = {item.name: item for item in record}
    difference = items["roc_auc_difference"]
    interval = confidence_interval(difference)
    holm = items.get("p_value_holm")
    p = (holm or items["p_value"]).value
    said = f"difference {wording.number(sign * difference.value)}"
    if interval is None or math.isnan(p) or interval.low == interval.high:
        return AreaTest(said, None, difference.value == 0)  # without variance, placements differ by a constant
    low, high = sorted((sign * interval.low, sign * interval.high))
    within = wording.interval_text(interval.level, wording.number(low), wording.number(high))
    tested = wording.p_value(p)  # beside an adjusted one, an interval of one comparison would be of another kind
    how = f"{tested} after adjustment" if holm else f"{within}, {tested}"
    return AreaTest(f"{said} ({how})", p < 1 - interval.level)
