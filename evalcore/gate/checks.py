"""Conditions checked against numbers: which of them stop a release, and how sure that is."""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.catalogue import MeasureName, measure_name
from evalcore.evaluation.options import option
from evalcore.gate.conditions import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    DROPS,
    RISES,
    Condition,
    parse_conditions,
)
from evalcore.gate.numbers import GatedNumber
from evalcore.kernels.thresholds import plain_number
from evalcore.text_tables import number_text

_COMPARED: dict[str, Callable[[float, float], bool]] = {
    BELOW: operator.lt,
    AT_MOST: operator.le,
    ABOVE: operator.gt,
    AT_LEAST: operator.ge,
}
_WORDS = {BELOW: "below", AT_MOST: "at most", ABOVE: "above", AT_LEAST: "at least"}
_DECIMALS_OF_CHANGES = 12
"""0.795 - 0.8 is not quite -0.005 in binary; changes are rounded, so that they mean what people write."""
_LISTED = 10


class Failure(NamedTuple):
    """A number that meets a condition."""

    condition: Condition
    number: GatedNumber
    certain: bool
    """Whether all of its interval meets the condition."""

    @property
    def value(self) -> float:
        """The number that the condition is about: a value, or a change."""
        return _tested(self.condition, self.number).value

    @property
    def low(self) -> float:
        """The lower bound of that number; NaN if it has no interval."""
        return _tested(self.condition, self.number).low

    @property
    def high(self) -> float:
        """The upper bound of that number; NaN if it has no interval."""
        return _tested(self.condition, self.number).high

    def __str__(self) -> str:
        number, limit = self.number, plain_number(self.condition.number)
        cases = f" ({number.cases:,} case{'s' * (number.cases != 1)})" if number.cases else ""
        where = "" if number.grouping is None else f" where {number.grouping} is {number.group}{cases}"
        measured = f"{number.measure} of {number.model}{where}"
        sure = "certain" if self.certain else "uncertain" if _has_bounds(self.low, self.high) else "no interval"
        if not self.condition.of_change:
            value = _told_apart(number.value, self.condition.number)
            said = f"is {value}{_bounds(self.low, self.high)}, {_WORDS[self.condition.relation]} {limit}"
            return f"{measured} {said} ({sure})"
        drops = self.condition.relation == DROPS
        amounts = (-self.value, -self.high, -self.low) if drops else (self.value, self.low, self.high)
        by = f"{_told_apart(amounts[0], self.condition.number)}{_bounds(*amounts[1:])}"
        ends = f"from {number_text(number.old)} to {number_text(number.value)}"
        return f"{measured} {self.condition.relation} {by}, {ends}; the limit is {limit} ({sure})"


class BoundedNumber(Failure):
    """A number between certain bounds, which do not meet a condition or leave it undecided."""

    __slots__ = ()

    def __str__(self) -> str:
        relation, limit = self.condition.relation, self.condition.number
        ends = (-self.high, -self.low) if relation == DROPS else (self.low, self.high)
        bounds = " and ".join(map(plain_number, ends))  # rounded they might not hold the exact value
        verb = relation if self.condition.of_change else "is"
        return f"{_measured(self.number)} {verb} between {bounds}; the limit is {plain_number(limit)}"


class CheckedCondition(NamedTuple):
    """A condition, and which of the numbers that it is about meet it."""

    condition: Condition
    numbers: int
    """How many numbers it is about."""
    failures: tuple[Failure, ...] = ()
    """Those that make the gate fail."""
    unproven: tuple[Failure, ...] = ()
    """Those that meet it, but do not make the gate fail, as only what is certain does."""
    undecided: tuple[BoundedNumber, ...] = ()
    """Those whose certain bounds do not decide."""
    bounded: tuple[BoundedNumber, ...] = ()
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
    def undecided(self) -> tuple[BoundedNumber, ...]:
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
        bounded = (_and_more(checked.bounded) for checked in self.conditions if checked.bounded)
        return [first, *map(str, self.failures), *undecided, *unproven, *(bounded if self.passed else ())]

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
                    "failures": list(map(_failure_tree, checked.failures)),
                    "unproven": list(map(_failure_tree, checked.unproven)),
                    "undecided": list(map(_failure_tree, checked.undecided)),
                    "bounded": list(map(_failure_tree, checked.bounded)),
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
    tested = [_tested(condition, number) for number in considered]
    if confident:
        without = [number for number in tested if not _has_bounds(number.low, number.high)]
        unknown = [number for number in without if _holds(condition, number.value)]
        if unknown or len(without) == len(considered):
            what = f"{_measured((unknown or without)[0])} has no interval{' of its change' * condition.of_change}"
            raise EvaluationError(f"condition must have intervals to be certain, got {str(condition)!r}: {what}")
    failures, unproven, undecided, bounded = [], [], [], []
    for number, part in zip(considered, tested, strict=True):
        met = _met(condition, part, certainly=confident)
        if met is None:
            undecided.append(BoundedNumber(condition, number.within, certain=False))
        elif met:
            shown = number if _has_bounds(part.low, part.high) else number.within
            certain = _met(condition, _tested(condition, shown), certainly=True) is True
            failures.append(Failure(condition, shown, certain))
        elif confident and _holds(condition, part.value):
            unproven.append(Failure(condition, number, certain=False))
        elif part.certain is not None:
            bounded.append(BoundedNumber(condition, number.within, certain=False))
    limit = -condition.number if condition.relation == DROPS else condition.number
    bounded.sort(key=lambda each: min(abs(each.low - limit), abs(each.high - limit)))
    groups = len({number.group for number in considered}) if condition.scope.column is not None else 0
    return CheckedCondition(
        condition, len(considered), tuple(failures), tuple(unproven), tuple(undecided), tuple(bounded), groups
    )


def _tested(condition: Condition, number: GatedNumber) -> GatedNumber:
    """Return a number, or its change in its place, as a condition tests it."""
    return number.as_change if condition.of_change else number


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
        return _COMPARED[condition.relation](value, condition.number)
    change = round(value, _DECIMALS_OF_CHANGES)
    return change >= condition.number if condition.relation == RISES else change <= -condition.number


def _check_defined(condition: Condition, number: GatedNumber) -> None:
    """Raise EvaluationError if the number that a condition is about is NaN."""
    if condition.of_change and math.isnan(number.change) and not math.isnan(number.value):
        raise EvaluationError(
            f"condition must have an old value to compare with, got {str(condition)!r}: there is none of"
            f" {_measured(number)}"
        )
    if math.isnan(number.change if condition.of_change else number.value):
        scope = condition.scope
        many = None in scope.values
        way_out = f"; leave small groups out ('any {scope.column} with N cases')" if many else ""
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
    if scope.value is not None:
        found = [number for number in measured if number.group == scope.value]
        if not found:
            values = list(dict.fromkeys(str(number.group) for number in measured))
            near = did_you_mean(scope.value, values)
            raise _wrong(f"value of {scope.column}", f"one of {_listed(values)}", scope.value, condition, near)
        return found
    if any(value is not None for value in scope.values):
        of_values = [number for number in measured if scope.holds(str(number.group))]
        if not of_values:
            values = list(dict.fromkeys(str(number.group) for number in measured))
            raise _wrong("groups", f"some of {_listed(values)}", str(scope), condition)
        measured = of_values
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
    raise _wrong("measure", f"one of {_listed(names)}", condition.measure, condition,
                 did_you_mean(condition.measure, names))  # fmt: skip


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


def _bounds(low: float, high: float) -> str:
    return f" [{number_text(low)}, {number_text(high)}]" if _has_bounds(low, high) else ""


def _and_more(numbers: Sequence[BoundedNumber]) -> str:
    """Return the first of some numbers, and how many more there are."""
    return f"{numbers[0]}{f'; {len(numbers) - 1:,} more are farther from it' if numbers[1:] else ''}"


def _told_apart(value: float, limit: float) -> str:
    """Write a value with as many digits as tell it apart from a limit."""
    texts = (number_text(value, digits) for digits in range(6, 18))
    return next((text for text in texts if float(text) != limit), number_text(value))


def _failure_tree(failure: Failure) -> dict[str, Any]:
    """Return a failure as JSON has it."""
    numbers = {"value": failure.value, "low": failure.low, "high": failure.high}
    return {
        "model": failure.number.model,
        "measure": failure.number.measure,
        "column": failure.number.grouping,
        "group": failure.number.group,
        "cases": failure.number.cases,
        **{name: None if math.isnan(number) else number for name, number in numbers.items()},
        "certain": failure.certain,
        "sentence": str(failure),
    }
