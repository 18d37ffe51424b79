"""An earlier report as the old model, where its predictions are gone, and what changed since: its JSON is left."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, check, shortened
from evalcore.evaluation import model as report_model
from evalcore.evaluation.catalogue import entry_of, measure_name
from evalcore.evaluation.model import CHANGES_OF_GROUPS, CHANGES_SINCE_BASELINE, Section, Statistic, Whole
from evalcore.evaluation.options import option
from evalcore.evaluation.wording import listed
from evalcore.gate.conditions import Condition
from evalcore.gate.numbers import GatedNumber, is_certified, numbers_of_report
from evalcore.inference import Interval
from evalcore.inference.intervals import bounds_of_difference, reach_of
from evalcore.kernels.tables import BinaryCounts

_SAME = "label", "positive", "where", "weight", "weight_type", "target_prevalence"
"""What a report and its baseline must agree in, by the names of JSON."""
_LISTED = 10


class Baseline(NamedTuple):
    """An earlier report."""

    file: str
    numbers: Sequence[GatedNumber]
    level: float | None
    """Of its intervals; None if it has none."""
    certified: bool
    """Whether its bounds certainly hold the exact values."""

    @property
    def note(self) -> str:
        """What a reader must know of changes since then.  O(1)."""
        why = "the baseline holds no predictions; evalcore compare pairs the cases, so its intervals are narrower"
        return f"changes since {self.file} are unpaired: {why}"


def read_baseline(file: str, asked: Mapping[str, Any], *, of_groups: bool = False) -> Baseline:
    """Return the report of a JSON file.  O(bytes).

    asked: what the new report is on, by the names of JSON; of_groups: whether groups are compared too.

    Raises EvaluationError for a file that is no JSON report of evalcore, and for one on something else.
    """
    tree = _tree(file)
    version, known, anew = tree["schema_version"], report_model.SCHEMA_VERSION, "write a new baseline (-o FILE.json)"
    check(version == known, f"{file}: schema_version", f"be {known}", f"{version!r}; {anew}")
    for name in (*_SAME, *["by"] * of_groups):
        now, before = asked.get(name), tree.get(name)
        check(before == now, f"{file}: {name}", f"be as in the new report, {now!r}", repr(before))
    return Baseline(file, numbers_of_report(tree), tree.get("level"), is_certified(tree))


def with_changes(
    numbers: Sequence[GatedNumber], baseline: Baseline, level: float | None, *, certified: bool
) -> list[GatedNumber]:
    """Return numbers with their changes since the baseline, NaN where it lacks one.  O(numbers).

    level: of the intervals of the numbers; certified: whether these certainly hold the exact values.  A single model is
    compared with the single one of the baseline, whatever their names; others with those of their names, and
    EvaluationError names one that is missing.  Bounds of changes are those of independent samples; certified bounds are
    subtracted as they are.
    """
    models, olds = (list(dict.fromkeys(each.model for each in some)) for some in (numbers, baseline.numbers))
    old_of = dict(zip(models, olds, strict=True)) if len(models) == len(olds) == 1 else {}
    for model in models:
        known, named = old_of.setdefault(model, model) in olds, ", ".join(map(repr, olds))
        check(known, f"{baseline.file}: models", f"include {model!r}", named)
    before = {_key(number, number.model): number for number in baseline.numbers}
    linear = certified or baseline.certified
    scale = 1.0 if level is None or baseline.level is None else reach_of(level) / reach_of(baseline.level)
    return [_changed(number, before.get(_key(number, old_of[number.model])), scale, linear) for number in numbers]


def check_groups(
    numbers: Sequence[GatedNumber], baseline: Baseline, condition: Condition, min_cases: int | None = None
) -> None:
    """Raise EvaluationError if a condition is about each group, and one of the baseline is gone.  O(numbers).

    min_cases: what smaller groups the new report leaves out; those of the baseline are not missed.
    """
    scope = condition.scope
    if None not in scope.values:
        return
    scope = scope.in_order_of({number.grouping or "" for number in baseline.numbers})
    least = max(scope.min_cases, min_cases or 0)
    known = {number.group for number in numbers if number.grouping == scope.column}
    gone = {
        str(number.group): number.cases
        for number in baseline.numbers
        if number.grouping == scope.column and number.cases >= least and number.group not in known
        if scope.holds(str(number.group))
    }
    if gone:
        named = listed([f"{group!r} ({cases:,} cases there)" for group, cases in gone.items()], _LISTED)
        fewer = f" or has fewer than {min_cases:,} cases ({option('min_cases')})" if min_cases else ""
        rule = f"{baseline.file}: each group by {scope.column} must be in the new report"
        got = f"no {named} in condition {str(condition)!r}; it is gone{fewer}"
        raise EvaluationError(f"{rule}, got {got}: look for its rows, or write a new baseline")


def _tree(file: str) -> dict[str, Any]:
    what = f"{file}: baseline must be a JSON report (-o FILE.json)"
    try:
        with open(file, encoding="utf-8") as opened:
            tree = json.load(opened)
    except ValueError as error:  # also what is not UTF-8
        raise EvaluationError(f"{what}: {error}") from error
    if not (isinstance(tree, dict) and "schema_version" in tree):
        raise EvaluationError(f"{what}, got {shortened(repr(tree))}")
    return tree


def _key(number: GatedNumber, model: str) -> tuple[str, str, str | None, str | None]:
    return model, number.measure, number.grouping, number.group


def _changed(number: GatedNumber, old: GatedNumber | None, scale: float, linear: bool) -> GatedNumber:
    """Return a number with its change; scale: what widens the old interval to the level of the new one."""
    if old is None:
        return number
    old_low, old_high = (old.value + scale * (bound - old.value) for bound in (old.low, old.high))
    low, high = number.low - old_high, number.high - old_low
    if not linear:
        ends = (number.value, number.low, number.high), (old.value, old_low, old_high)
        low, high = map(float, bounds_of_difference(*ends))
    if math.isnan(low) or math.isnan(high):
        low = high = math.nan
    certain = None
    if number.certain or old.certain:
        (least, most), (old_least, old_most) = (each.certain or (each.value, each.value) for each in (number, old))
        certain = least - old_most, most - old_least
    change = 0.0 if number.value == old.value else number.value - old.value  # infinities too
    return number._replace(old=old.value, change=change, change_low=low, change_high=high, change_certain=certain)


_UNPAIRED = "unpaired"
"""The method of intervals of changes where the old predictions are gone."""
_COUNTS = "cases", "positives", "classes"
_OF_SIZE = frozenset((*_COUNTS[1:], "weight", "effective_cases", "prevalence"))
"""What says how large groups are, beside their numbers of cases."""


def change_sections(numbers: Sequence[GatedNumber], level: float | None, *, certified: bool) -> list[Section]:
    """Return what changed: for each model a row for each measure, and a row for each group.  O(numbers).

    numbers: with their changes; level: of the intervals; certified: whether these certainly hold the exact changes.
    Measures without an old value are left out.

    >>> area = GatedNumber("boosting", "roc_auc", 0.75, old=0.5, change=0.25)
    >>> [(item.name, item.value) for item in change_sections([area], None, certified=False)[0].records["roc_auc"]]
    [('baseline', 0.5), ('now', 0.75), ('change', 0.25)]
    """
    made = math.nan if level is None else level, report_model.CERTIFIED if certified else _UNPAIRED
    compared = [number for number in numbers if measure_name(number.measure).stem not in BinaryCounts._fields]
    sections = []
    for of_groups, model in product((False, True), dict.fromkeys(number.model for number in numbers)):
        own = [each for each in compared if each.model == model and (each.grouping is not None) == of_groups]
        measured = {number.measure: _statistics(number, *made) for number in own if _has_old_value(number)}
        if measured:
            title = f"changes of {model}{f' by {own[0].grouping}' * of_groups} since the baseline, unpaired"
            name, record = (CHANGES_OF_GROUPS, "group") if of_groups else (CHANGES_SINCE_BASELINE, "measure")
            records = _of_groups(own, *made) if of_groups else measured
            sections.append(Section(model, title, record, records, whole=Whole(name, "score", has_total=False)))
    return sections


def _has_old_value(number: GatedNumber) -> bool:
    return not math.isnan(number.change)


def _of_groups(numbers: Sequence[GatedNumber], level: float, method: str) -> dict[str, list[Statistic]]:
    """Return by group the changes of all measures that some group has an old value of.  O(groups measures)."""
    found = {(str(number.group), number.measure): number for number in numbers}
    groups = dict.fromkeys(group for group, _ in found)
    changed = dict.fromkeys(measure for (_, measure), number in found.items() if _has_old_value(number))
    measures = sorted((name for name in changed if name not in _OF_SIZE), key=_COUNTS.__contains__)
    nothing = GatedNumber("", "", math.nan)
    return {
        group: [
            item._replace(name=f"{measure}_{item.name}", title=f"{_title(measure)} {item.title}")
            for measure in measures
            for item in _statistics(found.get((group, measure), nothing)._replace(measure=measure), level, method)
        ]
        for group in groups
    }


def _statistics(number: GatedNumber, level: float, method: str) -> list[Statistic]:
    """Return the old value, the new one and the change of a measure.  O(1)."""
    old, new, change, interval = number.old, number.value, number.change, None
    if number.measure in _COUNTS and _has_old_value(number):
        old, new, change = map(round, (old, new, change))
    elif not math.isnan(number.change_low):
        interval = Interval(change, number.change_low, number.change_high, level, method)
    both = (Statistic(name, name, value) for name, value in (("baseline", old), ("now", new)))
    return [*both, Statistic("change", "change", change, interval)]


def _title(measure: str) -> str:
    """Return the name of a measure in headings, with its threshold.  O(letters)."""
    name = measure_name(measure)
    entry = entry_of(name.stem)
    at = "" if name.name == name.stem else f"@{measure.partition('@')[2]}"
    return measure if entry is None else f"{entry.title.strip()}{at}"
