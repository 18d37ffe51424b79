"""The numbers of a comparison that conditions are about, and whether they pass a gate."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial

from evalcore.comparison.tree import difference_rows
from evalcore.errors import EvaluationError
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.class_differences import cells_by_group, class_value_interval
from evalcore.evaluation.comparing import differences_of_models
from evalcore.evaluation.differences import ComparisonAnswer
from evalcore.evaluation.measure_choice import Measures, parse_compared
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.gate.checks import GateResult, check_conditions
from evalcore.gate.conditions import Condition, parse_conditions
from evalcore.gate.numbers import GatedNumber


def check_comparison(
    answer: ComparisonAnswer,
    question: Question,
    conditions: str | Condition | Iterable[str | Condition],
    confident: bool = False,
) -> GateResult:
    """Return whether a comparison passes a gate.  O(numbers), and the time of the intervals of values.

    Raises EvaluationError as `check_conditions` does.
    """
    parsed = parse_conditions(conditions)
    return check_conditions(parsed, gated_numbers(answer, question, parsed), confident)


def gated_numbers(
    answer: ComparisonAnswer, question: Question, conditions: Sequence[Condition] = ()
) -> list[GatedNumber]:
    """Return the values and changes of all measures of the new models, and of others that conditions name.

    conditions: values that they name have intervals of their own, which take O(n log n) for each model and measure;
    for groups if a condition is about groups of the column.
    """
    found = list(_numbers(answer))
    if missing := _missing(found, conditions):
        known = {number.measure for number in found}
        found += (
            number
            for number in _numbers(_by_further_measures(answer, question, missing))
            if number.measure not in known
        )
    valued = {(condition.scope.column, _stem(condition.measure)) for condition in conditions if not condition.of_change}
    wanted = [number for number in found if (number.grouping, _stem(number.measure)) in valued]
    bounded = dict(zip(wanted, _with_bounds(wanted, answer, question), strict=True))
    return [bounded.get(number, number) for number in found]


def _missing(numbers: Sequence[GatedNumber], conditions: Sequence[Condition]) -> list[str]:
    """Return the measures of conditions that numbers lack; names of no measure are refused later."""
    known = {measure_name(number.measure) for number in numbers}
    stems = {name.stem for name in known}
    found = []
    for condition in conditions:
        name = measure_name(condition.measure)
        if name not in known and (name.name != name.stem or name.stem not in stems):
            with suppress(EvaluationError):
                found.append(parse_compared(condition.measure).name)
    return found


def _by_further_measures(answer: ComparisonAnswer, question: Question, names: Sequence[str]) -> ComparisonAnswer:
    """Return the answer by further measures; without models of runs.  O(n log n) for each model."""
    cases = answer.classes if answer.cases is None else answer.cases
    asked = question._replace(measures=Measures(tuple(names)), conditions=())
    return answer._replace(models=() if cases is None else differences_of_models(cases, asked))


def _stem(name: str) -> str:
    return measure_name(name).stem


def _numbers(answer: ComparisonAnswer) -> Iterator[GatedNumber]:
    """Yield the numbers of all models, in all cases and in groups.  O(numbers)."""
    of_runs = answer.cases is None and answer.classes is None  # whose queries are no cases
    for row in difference_rows(answer):
        grouping, group = (row.grouping, row.group) if row.grouping else (None, None)
        yield GatedNumber(
            row.model, row.measure, row.new, change=row.difference, change_low=row.low, change_high=row.high,
            grouping=grouping, group=group, cases=0 if of_runs else row.cases or 0, old=row.old,
        )  # fmt: skip


def _with_bounds(numbers: Sequence[GatedNumber], answer: ComparisonAnswer, question: Question) -> Iterator[GatedNumber]:
    """Yield numbers with the intervals of their values, as far as they have some.  O(n log n) for each."""
    cases, classes = answer.cases, answer.classes
    cells_of = None if classes is None else cache(partial(cells_by_group, classes))
    for number in numbers:
        interval = None
        if cases is not None:
            own = cases if number.grouping is None else cases.of_group(number.grouping, str(number.group))
            interval = value_interval(parse_compared(number.measure), own.scores[number.model], own, question)
        elif classes is not None and cells_of is not None:
            cells = cells_of(number.model, number.grouping)[number.group]
            measure = parse_compared(number.measure)
            interval = class_value_interval(measure, number.value, classes.categories, cells, question)
        yield number if interval is None else number._replace(low=interval.low, high=interval.high)
