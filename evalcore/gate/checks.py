"""Conditions checked against numbers: which of them stop a release, how sure that is, and the result as JUnit XML."""

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from xml.etree import ElementTree

from evalcore.errors import EvaluationError, did_you_mean, listed_names
from evalcore.evaluation.catalogue import MeasureName, entry_of, measure_name
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
_listed = partial(listed_names, most=10)
_KINDS = "failures", "unproven", "undecided", "bounded"
"""Of what a condition finds."""
_DECIDED = {"failures": "failed", "undecided": "undecided", "unproven": "inconclusive"}
"""How a gate ends of which a condition finds some, in the order in which they decide."""
_DECIDING = *_DECIDED, "bounded", ""
"""Of numbers too, and last those of which nothing is said."""


class Failure(NamedTuple):
    """A number that meets a condition, or may meet it; or one between certain bounds that do not."""

    condition: Condition
    number: GatedNumber
    value: float
    """What the condition is about: the value of the number, or its change."""
    low: float
    """The lower bound of that; NaN if it has no interval."""
    high: float
    certain: bool = False
    """Whether all of its interval meets the condition."""
    between: bool = False
    """Whether its certain bounds do not meet the condition, or leave it undecided."""

    def __str__(self) -> str:
        number, relation, limit = self.number, self.condition.relation, plain_number(self.condition.number)
        turned = self if relation != DROPS else self._replace(value=-self.value, low=-self.high, high=-self.low)
        shown = turned.text()
        if self.between:
            verb = relation if self.condition.of_change else "is"
            return f"{_measured(number)} {verb} between {shown}; the limit is {limit}"
        sure = "certain" if self.certain else "no interval" if math.isnan(self.low + self.high) else "uncertain"
        cases = f" ({number.cases:,} case{'s' * (number.cases != 1)})" if number.cases and number.grouping else ""
        if not self.condition.of_change:
            return f"{_measured(number)}{cases} is {shown}, {_COMPARED[relation][1]} {limit} ({sure})"
        ends = f"from {number_text(number.old)} to {number_text(number.value)}"
        return f"{_measured(number)}{cases} {relation} {shown}, {ends}; the limit is {limit} ({sure})"

    def text(self, digits: int = 6, write: Callable[[float, int], str] = number_text) -> str:
        """Write the value with its interval, or its certain bounds; more digits where it would look like the limit."""
        if self.between:  # rounded bounds might not hold the exact value
            return f"{plain_number(self.low)} and {plain_number(self.high)}"
        limits = self.condition.number, -self.condition.number
        texts = (write(self.value, each) for each in range(digits, 18))
        told_apart = next((text for text in texts if float(text) not in limits), number_text(self.value))
        bounds = [write(each, digits) for each in (self.low, self.high) if not math.isnan(self.low + self.high)]
        return f"{told_apart} [{', '.join(bounds)}]" if bounds else told_apart

    def as_tree(self) -> dict[str, Any]:
        """Return it as JSON has it, with None for NaN.  O(1)."""
        number, values = self.number, zip(self._fields[2:5], self[2:5], strict=True)
        return {
            "model": number.model,
            "measure": number.measure,
            "column": number.grouping,
            "group": number.group,
            "cases": number.cases or None,  # queries and documents are not counted here
            **{name: None if math.isnan(value) else value for name, value in values},
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
    models: int = 1
    """Of how many models these are."""
    worst: Failure | None = None
    """The number that decides: of those above the farthest beyond the limit, else the one nearest to it."""


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
        kinds = {kind: sum(bool(getattr(each, kind)) for each in self.conditions) for kind in _DECIDED}
        decisive, found = next(((kind, number) for kind, number in kinds.items() if number), ("", 0))
        count, met = len(self.conditions), "certainly met" if self.confident else "met"
        some = "the condition" if count == 1 else f"{found or 'none'} of {count:,} conditions"
        are = "are" if found > 1 else "is not" if found < count == 1 else "is"
        outcome = f"{some} {are} {met}"
        if decisive == "undecided":
            outcome = f"{some} may be {met}"
        elif decisive == "unproven":
            outcome = f"{some} {are} met, but not certainly, so the gate does not fail"
        judged = [
            f"{checked.groups:,} group{'s' * (checked.groups != 1)} by {checked.condition.scope.column}"
            for checked in self.conditions
            if checked.groups and self.passed
        ]
        counted = f" ({' and '.join(judged)} judged)" if judged else ""
        first = f"gate {_DECIDED.get(decisive, 'passed')}: {outcome}{counted}"
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
    checked = (_checked(each, numbers, confident) for each in parse_conditions(conditions))
    return GateResult(tuple(checked), confident)


def _checked(condition: Condition, numbers: Sequence[GatedNumber], confident: bool) -> CheckedCondition:
    considered = _numbers_of(condition, numbers)
    tested = [number.tested(change=condition.of_change) for number in considered]
    for number, part in zip(considered, tested, strict=True):
        _check_defined(condition, number, part.value)
    without = [part for part in tested if not part.has_bounds] if confident else []
    unknown = [part for part in without if _holds(condition, part.value)]
    if unknown or (without and len(without) == len(tested)):
        number = (unknown or without)[0]
        entry = entry_of(measure_name(number.measure).measure)
        why = f": {entry.why_no_interval}" if entry and entry.why_no_interval else ""
        what = f"{_measured(number)} has no interval{' of its change' * condition.of_change}{why}"
        raise EvaluationError(f"condition must have intervals to be certain, got {str(condition)!r}: {what}")
    found: dict[str, list[Failure]] = {kind: [] for kind in (*_KINDS, "")}
    for number, part in zip(considered, tested, strict=True):
        kind = _kind(condition, part, confident)
        shown = part if kind in ("unproven", "") or (kind == "failures" and part.has_bounds) else part.within
        certain = kind == "failures" and _met(condition, shown, certainly=True) is True
        between = kind in ("undecided", "bounded")
        found[kind].append(Failure(condition, number, shown.value, shown.low, shown.high, certain, between))
    limit = -condition.number if condition.relation == DROPS else condition.number
    found["bounded"].sort(key=lambda each: min(abs(each.low - limit), abs(each.high - limit)))
    groups = len({number.group for number in considered}) if condition.scope.column is not None else 0
    deciding = next(each for kind in _DECIDING if (each := found[kind]))
    worst = (min if condition.is_least else max)(deciding, key=lambda each: each.value)
    kinds = {kind: tuple(each) for kind, each in found.items() if kind}
    models = len({number.model for number in numbers})
    return CheckedCondition(condition, len(considered), groups=groups, models=models, worst=worst, **kinds)


def _kind(condition: Condition, number: GatedNumber, confident: bool) -> str:
    """Return where a number belongs that a condition tests, one of `_KINDS`; empty where nothing is said of it."""
    met = _met(condition, number, certainly=confident)
    if met is None:
        return "undecided"
    if met:
        return "failures"
    if confident and _holds(condition, number.value):
        return "unproven"
    return "" if number.certain is None else "bounded"


def _met(condition: Condition, number: GatedNumber, *, certainly: bool) -> bool | None:
    """Whether a number meets a condition, or all of its interval does; None if certain bounds leave both open."""
    is_upper = condition.is_least
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


def _check_defined(condition: Condition, number: GatedNumber, tested: float) -> None:
    """Raise EvaluationError if the number that a condition tests is NaN."""
    if not math.isnan(tested):
        return
    scope, got = condition.scope, f"got {str(condition)!r}:"
    if not math.isnan(number.value):  # which is tested unless its change is
        none = f"there is none of {_measured(number)}"
        raise EvaluationError(f"condition must have an old value to compare with, {got} {none}")
    way_out = f"; leave small groups out ('any {scope.column} with N cases')" if None in scope.values else ""
    raise EvaluationError(f"condition must be about numbers, {got} {_measured(number)} is NaN{way_out}")


def _numbers_of(condition: Condition, numbers: Sequence[GatedNumber]) -> list[GatedNumber]:
    """Return the numbers that a condition is about; EvaluationError if there are none."""
    models = list(dict.fromkeys(number.model for number in numbers))
    groupings = list(dict.fromkeys(number.grouping for number in numbers if number.grouping is not None))
    if (model := condition.model) not in (None, *models):
        of_groups = f"; for groups write 'any {model}'" if model in groupings else did_you_mean(model, models)
        raise _wrong("model", f"one of {_listed(models)}", model, condition, of_groups)
    numbers = [number for number in numbers if model in (None, number.model)]
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


def _measured(number: GatedNumber) -> str:
    where = "" if number.grouping is None else f" where {number.grouping} is {number.group}"
    of = "" if number.measure == number.model else f" of {number.model}"  # of columns of values each is both
    return f"{number.measure}{of}{where}"


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters and halves of surrogate pairs."""


def as_junit(result: GateResult | str, name: str, seconds: float = 0.0, said: Mapping[str, str] | None = None) -> bytes:
    """Return the result of a gate as JUnit XML, a test case for each condition.  O(failures).

    result: or the message of the error that kept the command from one, which is a single test case.

    name: what was checked, such as the name of a file; seconds: how long it took; said: what else is known, as
    properties.

    >>> result = check_conditions("roc_auc < 0.7", [GatedNumber("boosting", "roc_auc", 0.72)])
    >>> print(as_junit(result, "flights.csv", 1.5).decode().rstrip())
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites name="evalcore" tests="1" failures="0" errors="0" time="1.500">
      <testsuite name="flights.csv" tests="1" failures="0" errors="0" skipped="0" time="1.500">
        <testcase name="roc_auc &lt; 0.7" classname="evalcore.gate" time="0.000" />
      </testsuite>
    </testsuites>
    """
    if isinstance(result, str):
        told = [(name, [("error", {"message": result, "type": "error"}, result)])]
    else:
        told = [(str(each.condition), [*_elements(each)]) for each in result.conditions]
    tags = [tag for _, elements in told for tag, _, _ in elements]
    counts = {"tests": len(told), "failures": tags.count("failure"), "errors": tags.count("error")}
    counted, took = {key: str(count) for key, count in counts.items()}, {"time": f"{seconds:.3f}"}
    suites = ElementTree.Element("testsuites", {"name": "evalcore", **counted, **took})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": name, **counted, "skipped": "0", **took})
    properties = ElementTree.SubElement(suite, "properties") if said else suite
    for key, value in (said or {}).items():
        ElementTree.SubElement(properties, "property", {"name": key, "value": value})
    for case, elements in told:
        named = {"name": case, "classname": "evalcore.gate", "time": "0.000"}
        test_case = ElementTree.SubElement(suite, "testcase", named)
        for tag, about, text in elements:
            ElementTree.SubElement(test_case, tag, about).text = text
    ElementTree.indent(suites)
    content = _NOT_IN_XML.sub("\ufffd", ElementTree.tostring(suites, encoding="unicode"))
    return f"<?xml version='1.0' encoding='utf-8'?>\n{content}\n".encode()


def _elements(checked: CheckedCondition) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield what the test case of a condition holds: tags, their attributes, and their texts.  O(failures)."""
    if checked.failures:
        first, *others = checked.failures
        certain = any(failure.certain for failure in checked.failures)
        about = {"message": f"{first}{f', and {len(others):,} more' if others else ''}"}
        yield "failure", about | {"type": "certain" if certain else "uncertain"}, "\n".join(map(str, checked.failures))
    elif checked.undecided:
        about = {"message": str(checked.undecided[0]), "type": "undecided"}
        yield "error", about, "\n".join(map(str, checked.undecided))
    if lines := [*(f"not proven: {each}" for each in checked.unproven), *map(str, checked.bounded)]:
        yield "system-out", {}, "\n".join(lines)
