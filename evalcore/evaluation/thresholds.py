"""The thresholds that a question asks for: numbers, and targets that each model's own threshold has to reach.

What wrong decisions cost is asked for beside them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, shortened
from evalcore.evaluation.model import AT_THRESHOLD, FOR_TARGET
from evalcore.evaluation.options import option
from evalcore.kernels.thresholds import plain_number
from evalcore.measures.thresholds import TARGETS, expected_costs
from evalcore.typing import FloatArray
from evalcore.validation.values import check_number, is_number

_NAMES_AT_MOST = {"fpr": "false positive rate", "flagged": "flagged fraction"}
"""In words, the measures that a target bounds from above."""


class Target(NamedTuple):
    """What a threshold has to reach."""

    measure: str
    """One of `TARGETS`."""
    value: float

    def __str__(self) -> str:
        return f"{self.measure}={plain_number(self.value)}"

    @property
    def goal(self) -> str:
        """What it asks for, in words.

        >>> Target("fpr", 0.05).goal
        'false positive rate of at most 0.05'
        """
        least = "most" if self.measure in _NAMES_AT_MOST else "least"
        return f"{self._name} of at {least} {plain_number(self.value)}"

    @property
    def bound(self) -> str:
        """What it asks for, in a table.

        >>> Target("fpr", 0.05).bound.split()
        ['false', 'positive', 'rate', '≤', '0.05']
        """
        sign = "\N{LESS-THAN OR EQUAL TO}" if self.measure in _NAMES_AT_MOST else "\N{GREATER-THAN OR EQUAL TO}"
        return f"{self._name} {sign}\N{NO-BREAK SPACE}{plain_number(self.value)}"

    @property
    def _name(self) -> str:
        return _NAMES_AT_MOST.get(self.measure, self.measure)


AskedThreshold: TypeAlias = float | Target


def section_name(threshold: AskedThreshold) -> str:
    """Return the name of the section of decisions at a threshold.  O(1).

    >>> section_name(0.25), section_name(Target("precision", 0.9))
    ('threshold 0.25', 'threshold for precision=0.9')
    """
    return f"{FOR_TARGET}{threshold}" if isinstance(threshold, Target) else f"{AT_THRESHOLD}{plain_number(threshold)}"


def notes_on_unreached(thresholds: Iterable[float]) -> Iterator[str]:
    """Yield a note on thresholds that no score reaches, if percent was perhaps meant.  O(t).

    >>> [*notes_on_unreached([0.5, 50.0])]
    ['no score reaches the threshold 50; if scores are probabilities, 50% is 0.5']
    """
    for each in thresholds:
        if 1 < each <= 100:
            meant = f"{plain_number(each)}% is {plain_number(each / 100)}"
            yield f"no score reaches the threshold {plain_number(each)}; if scores are probabilities, {meant}"


def several(given: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple, which is empty for None."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str | Mapping) else (given,)


def asked_thresholds(given: Any) -> tuple[float, ...]:
    """Return thresholds from one number, several or none; their values are checked with the question.  O(t).

    >>> asked_thresholds(0.5), asked_thresholds([0.3, 0.5]), asked_thresholds(None)
    ((0.5,), (0.3, 0.5), ())
    """
    return tuple(one.item() if isinstance(one, np.generic) else one for one in several(given))  # JSON takes Python's


def asked_targets(given: Any) -> tuple[Target, ...]:
    """Return targets from a mapping of measures to values, one or several of each.  O(t).

    >>> asked_targets({"precision": [0.8, 0.9], "recall": 0.5})[1:]
    (Target(measure='precision', value=0.9), Target(measure='recall', value=0.5))
    """
    if given is None:
        return ()
    rule = "be a mapping of measures to values, such as {'precision': 0.9}"
    check(isinstance(given, Mapping), "threshold_for", rule, repr(given), EvaluationTypeError)
    return tuple(Target(measure, value) for measure, values in given.items() for value in asked_thresholds(values))


def target_of_text(text: str, measure: str = "") -> Target:
    """Return a target as the command's users write it; raise EvaluationError for anything else.  O(1).

    measure: the whole name of a measure that the target is part of, if it is.

    >>> target_of_text("precision=0.9")
    Target(measure='precision', value=0.9)
    """
    reached, _, value = text.partition("=")
    try:
        return Target(reached.strip(), float(value))
    except ValueError:
        rule = f"{option('threshold_for')} must be a measure and a value, such as precision=0.9"
        if measure:
            rule = "measure must end in a threshold, such as f1@0.3, or in a target, such as f1@recall=0.9"
        raise EvaluationError(f"{rule}, got {shortened(measure or text)!r}") from None


def check_thresholds(thresholds: Sequence[Any], targets: Sequence[Target]) -> None:
    """Raise EvaluationError or EvaluationTypeError for thresholds and targets that cannot be asked for.  O(t)."""
    name = option("threshold")
    for threshold in thresholds:
        check(not math.isnan(check_number(threshold, name)), name, "be a number", "nan")
    for measure, value in targets:
        name, near = option("threshold_for"), did_you_mean(measure, TARGETS)
        check(measure in TARGETS, name, f"name one of {', '.join(TARGETS)}", f"{shortened(repr(measure))}{near}")
        percent = f"; write {value / 100:g} for {value:g}%" if is_number(value) and 1 < value <= 100 else ""
        is_fraction = is_number(value) and 0 <= value <= 1
        check(is_fraction, f"{name} {measure}", "be a number between 0 and 1", f"{value!r}{percent}")
    names = list(map(section_name, (*thresholds, *targets)))
    twice = next((name for name in names if names.count(name) > 1), None)
    check(twice is None, "thresholds", "be distinct", f"{twice} twice")


class Costs(NamedTuple):
    """What a wrong decision costs; a right one costs nothing."""

    false_positive: float
    false_negative: float

    @property
    def of_counts(self) -> FloatArray:
        """The costs of tp, fn, fp and tn, (4,).  O(1)."""
        return np.array([0.0, self.false_negative, self.false_positive, 0.0])


def checked_costs(costs: Any) -> Costs:
    """Return a pair of costs; raise EvaluationError for anything but two finite numbers of at least 0.  O(1).

    >>> checked_costs((1, 5))
    Costs(false_positive=1.0, false_negative=5.0)
    """
    pair = tuple(costs) if isinstance(costs, Sequence) and not isinstance(costs, str) else ()
    are_costs = len(pair) == 2 and all(is_number(cost) and 0 <= cost < math.inf for cost in pair)
    rule = "be two numbers of at least 0, the costs of a false positive and of a false negative"
    check(are_costs, option("costs"), rule, shortened(repr(costs)))
    return Costs(*map(float, pair))


def expected_cost(counts: Sequence[float], costs: Costs) -> float:
    """Return the mean cost of a case; counts: tp, fn, fp and tn, or their weights.  O(1).

    >>> expected_cost((1, 1, 2, 4), Costs(1.0, 5.0))
    0.875
    """
    return float(expected_costs([np.array([float(count)]) for count in counts], costs.of_counts)[0])
