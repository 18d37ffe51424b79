"""Conditions checked against numbers: which of them stop a release, and how sure that is."""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.catalogue import MeasureName, measure_name
from evalcore.evaluation.options import option
from evalcore.gate.conditions import ABOVE, AT_LEAST, AT_MOST, BELOW, DROPS, Condition, parse_conditions
from evalcore.gate.numbers import GatedNumber
from evalcore.kernels.thresholds import plain_number
from evalcore.text_tables import number_text

_COMPARED: dict[str, tuple[Callable[[float, float], bool], str]] = {
    BELOW: (operator.lt, "below"),
    AT_MOST: (operator.le, "at most"),
    ABOVE: (operator.gt, "above"),
    AT_LEAST: (operator.ge, "at least"),
}
_DECIMALS_OF_CHANGES = 12
"""0.795 - 0.8 is not quite -0.005 in binary; changes are rounded, so that they mean what people write."""
_LISTED = 10
_KINDS = "failures", "unproven", "undecided", "bounded"
"""Of what a condition finds."""


class Failure(NamedTuple):
    """A number that meets a condition, or may meet it; or one between certain bounds that do not."""

    condition: Condition
    number: GatedNumber
    certain: bool = False
    """Whether all of its interval meets the condition."""
    between: bool = False
    """Whether its certain bounds do not meet the condition, or leave it undecided."""

    @property
    def value(self) -> float:
        """The number that the condition is about: a value, or a change."""
        return self._tested.value

    @property
    def low(self) -> float:
        """The lower bound of that number; NaN if it has no interval."""
        return self._tested.low

    @property
    def high(self) -> float:
        """The upper bound of that number; NaN if it has no interval."""
        return self._tested.high

    @property
    def _tested(self) -> GatedNumber:
        return self.number.tested(change=self.condition.of_change)

    def __str__(self) -> str:
        number, relation, limit = self.number, self.condition.relation, plain_number(self.condition.number)
        value, low, high = self.value, self.low, self.high
        if relation == DROPS:
            value, low, high = -value, -high, -low
        if self.between:  # rounded bounds might not hold the exact value
            verb = relation if self.condition.of_change else "is"
            bounds = f"{plain_number(low)} and {plain_number(high)}"
            return f"{_measured(number)} {verb} between {bounds}; the limit is {limit}"
        bounded = _has_bounds(low, high)
        shown = f"{_told_apart(value, self.condition.number)}"
        shown += f" [{number_text(low)}, {number_text(high)}]" if bounded else ""
        sure = "certain" if self.certain else "uncertain" if bounded else "no interval"
        cases = f" ({number.cases:,} case{'s' * (number.cases != 1)})" if number.cases and number.grouping else ""
        if not self.condition.of_change:
            return f"{_measured(number)}{cases} is {shown}, {_COMPARED[relation][1]} {limit} ({sure})"
        ends = f"from {number_text(number.old)} to {number_text(number.value)}"
        return f"{_measured(number)}{cases} {relation} {shown}, {ends}; the limit is {limit} ({sure})"

    def as_tree(self) -> dict[str, Any]:
        """Return it as JSON has it, with None for NaN.  O(1)."""
        number, values = self.number, {"value": self.value, "low": self.low, "high": self.high}
        return {
            "model": number.model,
            "measure": number.measure,
            "column": number.grouping,
            "group": number.group,
            "cases": number.cases,
            **{name: None if math.isnan(value) else value for name, value in values.items()},
            "certain": self.certain,
            "sentence": str(self),
        }


class CheckedCondition(NamedTuple):
    """A condition, and which of the numbers that it is about meet it."""

    condition: Condition
    numbers: int
    """How many numbers it is about."""
    failures: tuple[Failure, ...] = ()
    """Those that make the gate fail."""
    unproven: tuple[Failure, ...] = ()
    """Those that meet it, but do not make the gate fail, as only what is certain does."""
    undecided: tuple[Failure, ...] = ()
    """Those whose certain bounds do not decide."""
    bounded: tuple[Failure, ...] = ()
    """Those whose certain bounds do not meet it, the nearest to the limit first."""
    groups: int = 0
    """How many groups it is about."""


@dataclass(frozen=True)
class GateResult:
    """Whether a gate lets a release pass, and what stops it.

    >>> number = GatedNumber("boosting", "roc_auc", 0.72, 0.71, 0.729)
    >>> result = check_conditions("roc_auc < 0.73", [number])
    >>> result.passed, str(result.failures[0])
    (False, 'roc_auc of boosting is 0.72 [0.71, 0.729], below 0.73 (certain)')
    """

    conditions: tuple[CheckedCondition, ...]
    confident: bool = False
    """Whether only what is certain makes the gate fail."""

    @property
    def passed(self) -> bool:
        """Whether no condition makes the gate fail, and all are decided.  O(conditions)."""
        return not (self.failures or self.undecided)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The numbers that make the gate fail.  O(failures)."""
        return tuple(failure for checked in self.conditions for failure in checked.failures)

    @property
    def unproven(self) -> tuple[Failure, ...]:
        """The numbers that meet a condition, but not for certain, where only that counts.  O(numbers)."""
        return tuple(failure for checked in self.conditions for failure in checked.unproven)

    @property
    def undecided(self) -> tuple[Failure, ...]:
        """The numbers whose certain bounds do not decide a condition.  O(numbers)."""
        return tuple(number for checked in self.conditions for number in checked.undecided)

    @property
    def lines(self) -> list[str]:
        """The result in words, the outcome first.  O(failures)."""
        count, failed = len(self.conditions), sum(bool(checked.failures) for checked in self.conditions)
        open_ones = 0 if failed else sum(bool(checked.undecided) for checked in self.conditions)
        true = "certainly true" if self.confident else "true"
        if open_ones:
            outcome = f"{'the condition' if count == 1 else f'{open_ones} of {count:,} conditions'} may be {true}"
        elif count == 1:
            outcome = f"the condition is {'' if failed else 'not '}{true}"
        else:
            outcome = f"{failed or 'none'} of {count:,} conditions {'are' if failed > 1 else 'is'} {true}"
        judged = [
            f"{checked.groups:,} group{'s' * (checked.groups != 1)} by {checked.condition.scope.column}"
            for checked in self.conditions
            if checked.groups and self.passed
        ]
        counted = f" ({' and '.join(judged)} judged)" if judged else ""
        first = f"gate {'failed' if failed else 'undecided' if open_ones else 'passed'}: {outcome}{counted}"
        unproven = (f"not proven, so the gate ignores it: {each}" for each in self.unproven)
        undecided = (f"undecided: {each}; allow more memory ({option('memory')})" for each in self.undecided)
        bounded = []
        for nearest, *others in (checked.bounded for checked in self.conditions if checked.bounded and self.passed):
            bounded.append(f"{nearest}{f'; {len(others):,} more are farther from it' if others else ''}")
        return [first, *map(str, self.failures), *undecided, *unproven, *bounded]

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def as_tree(self) -> dict[str, Any]:
        """Return the result as JSON has it, with None for NaN.  O(failures)."""
        return {
            "passed": self.passed,
            "confident": self.confident,
            "conditions": [
                {
                    "condition": str(checked.condition),
                    "passed": not (checked.failures or checked.undecided),
                    "numbers": checked.numbers,
                    **{kind: [each.as_tree() for each in getattr(checked, kind)] for kind in _KINDS},
                }
                for checked in self.conditions
            ],
        }


def check_conditions(
    conditions: str | Condition | Iterable[str | Condition], numbers: Sequence[GatedNumber], confident: bool = False
) -> GateResult:
    """Return which numbers meet which conditions; one that does so makes the gate fail.

    confident: whether only numbers count whose whole intervals meet a condition.  A number that is not known exactly is
    decided by its certain bounds, or undecided.  O(c n log n).

    Raises EvaluationError for a condition that is about no number, or about one that is NaN, or whose interval would
    decide but is not defined: a gate never passes for lack of numbers.
    """
    return GateResult(
        tuple(_checked(condition, numbers, confident) for condition in parse_conditions(conditions)), confident
    )


def _checked(condition: Condition, numbers: Sequence[GatedNumber], confident: bool) -> CheckedCondition:
    considered = _numbers_of(condition, numbers)
    for number in considered:
        _check_defined(condition, number)
    tested = [number.tested(change=condition.of_change) for number in considered]
    if confident:
        without = [number for number in tested if not _has_bounds(number.low, number.high)]
        unknown = [number for number in without if _holds(condition, number.value)]
        if unknown or len(without) == len(considered):
            what = f"{_measured((unknown or without)[0])} has no interval{' of its change' * condition.of_change}"
            raise EvaluationError(f"condition must have intervals to be certain, got {str(condition)!r}: {what}")
    found: dict[str, list[Failure]] = {kind: [] for kind in _KINDS}
    for number, part in zip(considered, tested, strict=True):
        met = _met(condition, part, certainly=confident)
        if met is None:
            found["undecided"].append(Failure(condition, number.within, between=True))
        elif met:
            shown = number if _has_bounds(part.low, part.high) else number.within
            certain = _met(condition, shown.tested(change=condition.of_change), certainly=True) is True
            found["failures"].append(Failure(condition, shown, certain))
        elif confident and _holds(condition, part.value):
            found["unproven"].append(Failure(condition, number))
        elif part.certain is not None:
            found["bounded"].append(Failure(condition, number.within, between=True))
    limit = -condition.number if condition.relation == DROPS else condition.number
    found["bounded"].sort(key=lambda each: min(abs(each.low - limit), abs(each.high - limit)))
    groups = len({number.group for number in considered}) if condition.scope.column is not None else 0
    kinds = {kind: tuple(each) for kind, each in found.items()}
    return CheckedCondition(condition, len(considered), groups=groups, **kinds)


def _met(condition: Condition, number: GatedNumber, *, certainly: bool) -> bool | None:
    """Whether a number meets a condition, or all of its interval does; None if certain bounds leave both open."""
    is_upper = condition.relation in (BELOW, AT_MOST, DROPS)
    tested = number.value if not certainly else number.high if is_upper else number.low
    if number.certain is None:
        return _holds(condition, tested)
    ends = least, most = number.certain
    if certainly:  # bounds of intervals reach as far beyond the certain ones as they would from the exact value
        ends = (tested - (most - least), tested) if is_upper else (tested, tested + (most - least))
    first, last = (_holds(condition, end) for end in ends)
    return first if first == last else None


def _holds(condition: Condition, value: float) -> bool:
    if not condition.of_change:
        return _COMPARED[condition.relation][0](value, condition.number)
    change = round(value, _DECIMALS_OF_CHANGES)
    return (-change if condition.relation == DROPS else change) >= condition.number


def _check_defined(condition: Condition, number: GatedNumber) -> None:
    """Raise EvaluationError if the number that a condition is about is NaN."""
    if condition.of_change and math.isnan(number.change) and not math.isnan(number.value):
        raise EvaluationError(
            f"condition must have an old value to compare with, got {str(condition)!r}: there is none of"
            f" {_measured(number)}"
        )
    if math.isnan(number.change if condition.of_change else number.value):
        scope = condition.scope
        way_out = f"; leave small groups out ('any {scope.column} with N cases')" if None in scope.values else ""
        raise EvaluationError(
            f"condition must be about numbers, got {str(condition)!r}: {_measured(number)} is NaN{way_out}"
        )


def _numbers_of(condition: Condition, numbers: Sequence[GatedNumber]) -> list[GatedNumber]:
    """Return the numbers that a condition is about; EvaluationError if there are none."""
    models = list(dict.fromkeys(number.model for number in numbers))
    groupings = list(dict.fromkeys(number.grouping for number in numbers if number.grouping is not None))
    if condition.model is not None:
        if condition.model not in models:
            near = did_you_mean(condition.model, models)
            of_groups = f"; for groups write 'any {condition.model}'" if condition.model in groupings else near
            raise _wrong("model", f"one of {_listed(models)}", condition.model, condition, of_groups)
        numbers = [number for number in numbers if number.model == condition.model]
    scope = condition.scope.in_order_of(groupings)
    if scope.column is not None and scope.column not in groupings:
        known = f"one of {_listed(groupings)}" if groupings else "a column that the report is grouped by"
        raise _wrong("column", known, scope.column, condition, did_you_mean(scope.column, groupings))
    within = [number for number in numbers if number.grouping == scope.column]
    wanted = _wanted_name(condition, within)
    measured = [number for number in within if measure_name(number.measure) == wanted]
    if any(value is not None for value in scope.values):
        values, one = list(dict.fromkeys(str(number.group) for number in measured)), scope.value
        measured = [number for number in measured if scope.holds(str(number.group))]
        if not measured and one is None:
            raise _wrong("groups", f"some of {_listed(values)}", str(scope), condition)
        if not measured:
            near = did_you_mean(one, values)
            raise _wrong(f"value of {scope.column}", f"one of {_listed(values)}", one, condition, near)
    large = [number for number in measured if number.cases >= scope.min_cases]
    if not large:
        most = max(number.cases for number in measured)
        known = f"at most {most:,}, the cases of the largest group"
        raise _wrong(f"number of cases of any {scope.column}", known, scope.min_cases, condition)
    return large


def _wanted_name(condition: Condition, numbers: Sequence[GatedNumber]) -> MeasureName:
    """Return the measure of a condition by the name that numbers have; EvaluationError if there is none."""
    wanted = measure_name(condition.measure)
    known = {measure_name(number.measure): number.measure for number in numbers}
    if wanted in known:
        return wanted
    thresholds = [name for name in known if name.stem == wanted.stem]
    if wanted.name == wanted.stem and len(thresholds) == 1:
        return thresholds[0]
    if thresholds:
        with_thresholds = _listed([known[name] for name in thresholds])
        raise _wrong("measure", f"one of {with_thresholds}, with its threshold", condition.measure, condition)
    names = list(known.values())
    near = did_you_mean(condition.measure, names)
    raise _wrong("measure", f"one of {_listed(names)}", condition.measure, condition, near)


def _wrong(what: str, allowed: str, got: object, condition: Condition, near: str = "") -> EvaluationError:
    return EvaluationError(f"{what} must be {allowed}, got {got!r} in condition {str(condition)!r}{near}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(map(repr, names[:_LISTED])) + more


def _measured(number: GatedNumber) -> str:
    where = "" if number.grouping is None else f" where {number.grouping} is {number.group}"
    return f"{number.measure} of {number.model}{where}"


def _has_bounds(low: float, high: float) -> bool:
    return not (math.isnan(low) or math.isnan(high))


def _told_apart(value: float, limit: float) -> str:
    """Write a value with as many digits as tell it apart from a limit."""
    texts = (number_text(value, digits) for digits in range(6, 18))
    return next((text for text in texts if float(text) != limit), number_text(value))
