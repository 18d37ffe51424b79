"""The numbers of a comparison that conditions are about, and whether they pass a gate."""

from collections.abc import Iterable, Iterator, Sequence

from evalcore.comparison.cases import PairedCases
from evalcore.comparison.measure_names import parse_compared
from evalcore.comparison.model import ComparisonAnswer, MeasureDifference
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.value_intervals import value_interval
from evalcore.gate.checks import GateResult, check_conditions
from evalcore.gate.conditions import Condition, measure_name, parse_conditions
from evalcore.gate.numbers import GatedNumber
from evalcore.inference import proportion_interval


def check_comparison(
    answer: ComparisonAnswer,
    question: CompareQuestion,
    conditions: str | Condition | Iterable[str | Condition],
    confident: bool = False,
) -> GateResult:
    """Return whether a comparison passes a gate.  O(numbers), and the time of the intervals of values.

    Raises EvaluationError as `check_conditions` does.
    """
    parsed = parse_conditions(conditions)
    return check_conditions(parsed, gated_numbers(answer, question, parsed), confident)


def gated_numbers(
    answer: ComparisonAnswer, question: CompareQuestion, conditions: Sequence[Condition] = ()
) -> list[GatedNumber]:
    """Return the values and changes of all measures of the new models.

    conditions: values that they name have intervals of their own, which take O(n log n) for each model and measure;
    for groups if a condition is about groups of the column.
    """
    valued = {(condition.scope.column, _stem(condition.measure)) for condition in conditions if not condition.of_change}
    found: list[GatedNumber] = []
    for model in answer.models:
        size = 0 if answer.cases is None else _size(answer.cases)
        found += _numbers(model.model, None, None, size, model.differences)
        for column, groups in model.groups.items():
            for group in groups:
                found += _numbers(model.model, column, group.group, group.cases, group.differences)
    cases = answer.cases
    if cases is None:
        return [_with_wilson(number, answer, question) for number in found]
    return [
        _with_bounds(number, cases, question) if (number.grouping, _stem(number.measure)) in valued else number
        for number in found
    ]


def _with_wilson(number: GatedNumber, answer: ComparisonAnswer, question: CompareQuestion) -> GatedNumber:
    """Return the accuracy of predicted classes in all cases with its interval; other numbers as they are.  O(models).

    Weights and clusters are not known here: with them there is none.
    """
    if number.measure != "accuracy" or number.grouping is not None or question.weighting.asked or question.cluster:
        return number
    [counts] = (changes.counts for model in answer.models if model.model == number.model for changes in model.changes)
    right, cases = counts["newly_right"] + counts["right_in_both"], sum(counts.values())
    interval = proportion_interval(right, cases, level=question.level)
    return number._replace(low=interval.low, high=interval.high, cases=cases)


def _stem(name: str) -> str:
    return measure_name(name).stem


def _size(cases: PairedCases) -> int:
    """Return the number of cases.  O(n) for frequencies."""
    frequencies = None if cases.weights is None else cases.weights.frequencies
    return cases.positive.size if frequencies is None else int(frequencies.sum())


def _numbers(
    model: str, column: str | None, group: str | None, cases: int, differences: Sequence[MeasureDifference]
) -> Iterator[GatedNumber]:
    """Yield the numbers of a model in all cases or in a group."""
    for each in differences:
        found = each.found
        change = {"old": each.old, "change": found.difference, "change_low": found.low, "change_high": found.high}
        yield GatedNumber(model, each.measure, each.new, **change, grouping=column, group=group, cases=cases)


def _with_bounds(number: GatedNumber, cases: PairedCases, question: CompareQuestion) -> GatedNumber:
    """Return a number with the interval of its value.  O(n log n)."""
    if number.grouping is not None:
        cases = cases.of_group(number.grouping, str(number.group))
    interval = value_interval(parse_compared(number.measure), cases.scores[number.model], cases, question)
    return number if interval is None else number._replace(low=interval.low, high=interval.high)
