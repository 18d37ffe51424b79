"""The numbers that conditions are about: of a report, from its sections or from its JSON, or of a comparison."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.evaluation import model as report_model
from evalcore.evaluation.catalogue import difference_of, measure_name
from evalcore.evaluation.model import CLASS_SCORES, CLASSES, FOR_TARGET, GATED, LARGEST_GAPS, VALUES
from evalcore.kernels.thresholds import plain_number


class GatedNumber(NamedTuple):
    """One measure of a model, of all cases or of a group, and how it changed."""

    model: str
    measure: str
    """Its name, with its threshold if it has one, such as "recall@0.3"."""
    value: float
    low: float = np.nan
    """The lower bound of the value; NaN without an interval."""
    high: float = np.nan
    change: float = np.nan
    """The value less that of the old model; NaN where there is none."""
    change_low: float = np.nan
    """The lower bound of the change; NaN without an interval."""
    change_high: float = np.nan
    grouping: str | None = None
    """The column of the group; None for all cases."""
    group: str | None = None
    cases: int = 0
    """Number of cases."""
    old: float = np.nan
    """The value of the old model; NaN where there is none."""
    certain: tuple[float, float] | None = None
    """The bounds between which the exact value certainly lies, where it is not known."""
    change_certain: tuple[float, float] | None = None

    def tested(self, *, change: bool) -> "GatedNumber":
        """Return the number as a condition tests it: with the change in the place of the value, if asked to.  O(1)."""
        if not change:
            return self
        return self._replace(value=self.change, low=self.change_low, high=self.change_high, certain=self.change_certain)

    @property
    def within(self) -> "GatedNumber":
        """The number with its certain bounds, if it has some, in the place of its interval.  O(1)."""
        low, high = self.certain or (self.low, self.high)
        return self._replace(low=low, high=high)

    @property
    def has_bounds(self) -> bool:
        """Whether the value has an interval.  O(1)."""
        return not (math.isnan(self.low) or math.isnan(self.high))


Tree: TypeAlias = Mapping[str, Any]
"""A report as sections of records of numbers, with the bounds of intervals."""
_SCORES, _STATISTICS, _THRESHOLD, _CASES = "scores", "statistics", "threshold", "cases"
_LOW, _HIGH = "_low", "_high"


def is_certified(tree: Tree) -> bool:
    """Whether bounds certainly hold the exact values.  O(1)."""
    return bool(tree.get("computed") == report_model.CERTIFIED)


def numbers_of_report(tree: Tree) -> list[GatedNumber]:
    """Return the numbers of a report, without changes.  O(statistics).

    tree: as JSON has it, with the names of columns; it may hold NaN.  Where bounds certainly hold the exact values,
    numbers without bounds are exact, and their own bounds.

    >>> tree = {"label": "late", "scores": {"a": {"cases": 3, "roc_auc": 1.0, "threshold": 0.3, "recall": 0.5}}}
    >>> [(number.measure, number.value) for number in numbers_of_report(tree)]
    [('cases', 3.0), ('roc_auc', 1.0), ('recall@0.3', 0.5)]
    """
    grouping = _grouping(tree)
    cases: dict[tuple[str, str | None], int] = {}
    found: list[GatedNumber] = []
    for name, section in tree.items():
        for model, group, record in _records(name, section, tree, grouped=grouping is not None):
            if record.get(_CASES) is not None:
                cases[model, group] = int(record[_CASES])  # further thresholds do not repeat them
            number = GatedNumber(model, "", math.nan, cases=cases.get((model, group), 0))
            if name != CLASSES and group is not None:
                number = number._replace(grouping=grouping, group=group)
            target = f"@{name.removeprefix(FOR_TARGET)}" if name.startswith(FOR_TARGET) else ""
            suffix = f"[{group}]" if name == CLASSES else target
            numbers = [*_numbers(number, suffix, record, exact=is_certified(tree))]
            if name == VALUES:  # a column is its mean, whatever statistic has its name
                named = [each._replace(measure=model) for each in numbers if each.measure == "mean"]
                numbers = [*named, *(each for each in numbers if each.measure not in tree[VALUES])]
            found += numbers
    return found


def numbers_of_groups(tree: Tree) -> list[GatedNumber]:
    """Return the differences of groups to others, and the largest gaps, which are numbers of all cases.  O(groups).

    >>> tree = {"largest_gaps of recall@0.3": {"a": {"UA - HA": {"recall_gap": 0.5, "p_value": 0.25}}}, "by": "carrier"}
    >>> [(number.measure, number.value) for number in numbers_of_groups(tree)]
    [('recall_gap@0.3', 0.5)]
    """
    found = list[GatedNumber]()
    for name, section in tree.items():
        around, _, measure = name.partition(" of ")
        if around not in GATED:
            continue
        at, grouping = measure_name(measure).threshold, None if around == LARGEST_GAPS else _grouping(tree)
        suffix = "" if at is None else f"@{plain_number(at)}"
        for model, records in section.items():
            for group, record in records.items():
                named = None if grouping is None else group
                number = GatedNumber(model, "", math.nan, grouping=grouping, group=named)
                numbers = _numbers(number, suffix, record, exact=False)
                found += (each for each in numbers if difference_of(measure_name(each.measure).measure))
    return found


def numbers_of_record(model: str, record: Tree, suffix: str = "") -> list[GatedNumber]:
    """Return the numbers of a record of a model, with the bounds of intervals; suffix: what follows names.  O(numbers).

    >>> [(number.measure, number.low) for number in numbers_of_record("bm25", {"map": 0.5, "map_low": 0.25})]
    [('map', 0.25)]
    """
    return list(_numbers(GatedNumber(model, "", math.nan), suffix, record, exact=False))


def _grouping(tree: Tree) -> str | None:
    by = tree.get("by")
    return by if by is None or isinstance(by, str) else ", ".join(by)


def _records(name: str, section: Any, tree: Tree, *, grouped: bool) -> Iterator[tuple[str, str | None, Tree]]:
    """Yield the model, the group and the numbers of each record of a section; the group of the total is None."""
    if name == CLASSES:
        yield from ((_model(tree), group, record) for group, record in section.items())
    elif name == _STATISTICS and not grouped:
        yield _model(tree), None, section
    elif name in (_SCORES, _STATISTICS, VALUES) or name.startswith(report_model.AT_THRESHOLD):
        for model, records in section.items():
            *groups, total = records.items() if grouped else [(None, records)]
            yield from ((model, group, record) for group, record in groups)
            yield model, None, total[1]


def _model(tree: Tree) -> str:
    """Return the name of the only model of a report on classes."""
    return str(tree.get("predicted") or CLASS_SCORES)


def _numbers(number: GatedNumber, suffix: str, record: Tree, *, exact: bool) -> Iterator[GatedNumber]:
    """Yield the numbers of a record, as parts of one; decisions follow their threshold."""
    for name, value in record.items():
        if name == _THRESHOLD:
            suffix = suffix or f"@{plain_number(value)}"
        elif not (_is_bound(name, _LOW, record) or _is_bound(name, _HIGH, record)):
            alone = value if exact else None
            low, high = (_number(record.get(f"{name}{side}", alone)) for side in (_LOW, _HIGH))
            certain = (low, high) if exact and low < high else None
            yield number._replace(measure=f"{name}{suffix}", value=_number(value), low=low, high=high, certain=certain)


def _is_bound(name: str, side: str, record: Tree) -> bool:
    return name.endswith(side) and name.removesuffix(side) in record


def _number(value: Any) -> float:
    """Return a number of JSON, NaN for null."""
    return math.nan if value is None else float(value)
