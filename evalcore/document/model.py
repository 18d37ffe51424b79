"""What is written of a report or a comparison, in whatever format: the verdict first, then tables, notes and charts."""

import math
from collections.abc import Container, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.document.words.comparison import DECIMALS, comparison_sentences, few_cases, fixed_text, most_decimals
from evalcore.document.words.summary import sentences
from evalcore.evaluation import differences
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.differences import ComparisonAnswer, MeasureDifference, ModelDifferences
from evalcore.evaluation.model import Answer
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import FEWEST, count, listed, shown_value
from evalcore.gate.checks import CheckedCondition, Failure, GateResult
from evalcore.kernels.thresholds import plain_number

PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"
"""Outcomes, the worst of several being the outcome of all."""
_WORST_FIRST = FAIL, INCONCLUSIVE, PASS
_OF_MARGINS = {
    differences.SUPERIOR: PASS,
    differences.NON_INFERIOR: PASS,
    differences.EQUIVALENT: PASS,
    differences.INFERIOR: FAIL,
    differences.INCONCLUSIVE: INCONCLUSIVE,
}
DECIDED_BY = "decided by"
"""The head of the column that says whose number decides, which stands below the number on a page."""
_MOST_NAMED = 3
"""Groups that a row of the table of conditions names."""


class Verdict(NamedTuple):
    """What a reader sees first."""

    outcome: str
    """PASS, FAIL or INCONCLUSIVE; empty where neither a gate nor a margin was asked for."""
    claim: str
    """The answer in one sentence; empty where there is none."""
    more: Sequence[str] = ()
    """Further sentences."""
    conditions: Table | None = None
    """A row for each condition of a gate: the number that decides it and the outcome; under the gate's
    outcome in one sentence."""
    change: MeasureDifference | None = None
    """Of a comparison, its main difference, which one line draws."""
    digits: int = DECIMALS
    """Its decimals, as in tables and sentences."""
    details: str = ""
    """What a long form of the claim says behind it, before a full stop: ", on 100 cases, ..."."""
    judged: str = ""
    """By what the outcome is: the gate, or a margin."""

    @property
    def line(self) -> str:
        """The outcome, by what it is, and the claim.  O(1)."""
        return ": ".join(filter(None, [" ".join(filter(None, [self.outcome, self.judged])), self.claim]))


class Part(NamedTuple):
    """Some tables, texts and charts under a heading.

    On a page `page/elements.py` decides in which order its fields stand.  There are no `style` attributes and
    no handlers of events, which the page's policy forbids: styles stand in `page.css`.  If there is a
    `page/assets/{name}.js`, the page runs it once, after all parts.
    """

    heading: str
    tables: Sequence[Table] = ()
    folded: bool = False
    """Whether a reader has to open it."""
    name: str = ""
    """Its anchor on a page, the name of its script, and what charts that stand in it name."""
    before: Sequence[str] = ()
    """Texts before its charts and tables."""
    after: Sequence[str] = ()
    notes: Sequence[str] = ()
    entries: Mapping[str, str] = {}
    """Texts by their terms."""
    content: Mapping[str, Any] = {}
    """What a page shows of thresholds, with their sliders."""
    beside: int = 0
    """How many of its first tables share rows with its charts."""

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing but a heading.  O(1)."""
        return not (self.tables or self.before or self.after or self.notes or self.entries or self.content)


class Document(NamedTuple):
    """All that is written of a report or a comparison."""

    title: str
    facts: Mapping[str, str]
    """What it is of, by headings: the file, the number of cases and how many of them are positive, the version."""
    verdict: Verdict
    worst: Table | None = None
    """The three worst groups or classes, with intervals and numbers of cases."""
    parts: Sequence[Part] = ()
    notes: Sequence[str] = ()
    """What a reader must know beside the numbers."""
    computed: Mapping[str, str] = {}
    """What decides the numbers, by headings."""
    meanings: Mapping[str, str] = {}
    """What the numbers mean, by their titles."""
    warning: str = ""
    """What keeps a reader from relying on the numbers, such as few cases."""


def few_warning(kinds: Mapping[str, int]) -> str:
    """Say that there are too few cases to rely on numbers; kinds: numbers of cases by what they are.  O(1).

    >>> few_warning({"positive case": 1, "negative case": 4}), few_warning({"case": 30})
    ('Only 1 positive case and 4 negative cases: too few to rely on these numbers.', '')
    >>> few_warning({"positive case": 90, "negative case": 0})
    'There are no negative cases: too few to rely on these numbers.'
    """
    few = sorted((what for what, number in kinds.items() if number < FEWEST), key=lambda what: kinds[what] == 0)
    if not few:
        return ""
    begin = "Only" if kinds[few[0]] else "There are"
    named = listed([f"{kinds[what] or 'no'} {what}{'s' * (kinds[what] != 1)}" for what in few])
    return f"{begin} {named}: too few to rely on these numbers."


def verdict_of_report(
    answer: Answer, question: Question, gate: GateResult | None = None, *, brief: bool = False
) -> Verdict:
    """Return the answer of a report, and what a gate says of it.  O(statistics + failures).

    brief: whether the claim is enough, which needs the fewest statistics.

    >>> verdict_of_report(Answer([]), Question("late"))
    Verdict(outcome='', claim='', more=[], conditions=None, change=None, digits=4, details='', judged='')
    """
    found = [*islice(sentences(answer, question), 1 if brief else None)]
    claim = "".join(f"{each.claim}." for each in found[:1])
    details = "".join(f", {detail}" for each in found[:1] for detail in each.details if not brief)
    return with_gate(Verdict("", claim, [*map(str, found[1:])], details=details), gate, question.values)


def verdict_of_comparison(
    answer: ComparisonAnswer, question: Question, gate: GateResult | None = None, digits: int = DECIMALS
) -> Verdict:
    """Return the answer of a comparison, and what margins, or else a gate, say of it.  O(measures + groups + failures).

    A margin of all measures judges the main measure, the first of each new model; margins of some measures judge these.
    The worst of several verdicts counts.  Where there is a gate, it alone decides, as it does the exit code.  The best
    of several new models comes first.  digits: decimals of numbers.
    """
    best_first = answer._replace(models=sorted(answer.models, key=_loss))
    claim, *more = comparison_sentences(best_first, question, digits)
    judged, lost = list[MeasureDifference](), list[str]()
    for model in answer.models:
        asked = model.differences if isinstance(question.margin, Mapping) else model.differences[:1]
        deciding = [each for each in asked if each.margin > 0]
        judged += deciding
        others = (item for item in model.differences if item not in deciding)
        lost += (_named(item, model, answer).title for item in others if item.verdict == differences.INFERIOR)
    outcomes = {_OF_MARGINS.get(item.verdict, INCONCLUSIVE) for item in judged}
    if outcomes and few_cases(answer):
        outcomes = {INCONCLUSIVE}
    if lost:
        more.insert(0, f"Not decisive, but inferior by the same margin: {listed(lost)}.")
    best = best_first.models[0]
    change = next((_named(item, best, answer) for item in best.differences[:1]), None)
    by = [f"(margin of {plain_number(each.margin)} in {each.title})" for each in judged]
    judging = by[0] if len({*by}) == 1 else "(several margins)" if by else ""
    found = Verdict(_worst(outcomes), claim, more, change=change, digits=digits, judged=judging)
    return with_gate(found, gate, question.values)


def _loss(model: ModelDifferences) -> float:
    """Return how much a new model lost by its main measure, infinity if it has none.  O(1)."""
    return next((-item.gain for item in model.differences[:1] if not math.isnan(item.gain)), math.inf)


def _named(item: MeasureDifference, model: ModelDifferences, answer: ComparisonAnswer) -> MeasureDifference:
    """Return a difference whose title names its model, if that is one of several new ones."""
    return item._replace(title=f"{item.title} of {model.model}") if answer.models[1:] else item


def _worst(outcomes: set[str]) -> str:
    return next((each for each in _WORST_FIRST if each in outcomes), "")


def with_gate(verdict: Verdict, gate: GateResult | None, columns: Container[str] = ()) -> Verdict:
    """Return a verdict with the outcome of a gate and its conditions; columns: of values.  O(failures)."""
    if gate is None:
        return verdict
    outcomes = [
        FAIL if each.failures else INCONCLUSIVE if each.undecided or each.unproven else PASS for each in gate.conditions
    ]
    more = [*verdict.more]
    if gate.undecided:
        more.append(f"The bounds are too wide to decide a condition; allow more memory ({option('memory')}).")
    outcome, conditions = _worst({*outcomes}), _of_conditions(gate, outcomes)
    decisive = (each for each, own in zip(gate.conditions, outcomes, strict=True) if PASS != own == outcome)
    why = [_said(each, columns) for each in decisive]
    judged = f"(gate: {listed(why, _MOST_NAMED - 1)})" if why else "(gate)"
    return verdict._replace(outcome=outcome, more=more, conditions=conditions, judged=judged)


def _said(checked: CheckedCondition, columns: Container[str]) -> str:
    """Return a condition with the title of its measure and, if it is about a change, the change that decides."""
    condition, worst = checked.condition, checked.worst
    assert worst is not None
    before, name, after = str(condition).rpartition(condition.measure)
    title = name if name in columns else measure_name(name).title  # a column of values is its own measure
    who = "it" if worst.number.grouping is None else shown_value(str(worst.number.group))
    verb, size = "dropped" if worst.value < 0 else "rose", fixed_text(abs(worst.value), most_decimals(*worst[2:5]))
    return f"{before}{title}{after}" + f"; {who} {verb} by {size}" * (condition.of_change and not worst.between)


def _of_conditions(gate: GateResult, outcomes: Sequence[str]) -> Table:
    """Return a row for each condition, with the number that decides it."""
    rows = list[list[AnyCell]]()
    for checked, outcome in zip(gate.conditions, outcomes, strict=True):
        condition, worst = checked.condition, checked.worst
        assert worst is not None
        full = repr(worst.value) if not worst.between else ""
        sign = "+" * (condition.of_change and worst.value > 0)
        number, whose = worst.text(most_decimals(*worst[2:5]), fixed_text), _whose(checked, worst)
        text = f"{sign}{number.replace(' and ', ' to ')}"
        value = Cell(text, full, below=whose, line=text)  # a page has it below, where phones show it
        rows.append([str(condition), value, Cell(outcome), Cell(whose)])
    line = gate.lines[0]
    head = ["fails if", "value", "result", DECIDED_BY]
    table = Table(f"{line[0].upper()}{line[1:]}", head, rows)
    return table if any(row[-1] != Cell("") for row in rows) else table.without(head[-1])


def _whose(checked: CheckedCondition, worst: Failure) -> str:
    """Return whose number decides: a group, and a model where there are several; and those that do so after it."""
    kinds = (checked.failures, checked.undecided, checked.unproven)
    alike = next((each for each in kinds if worst in each), (worst,))
    by_value = sorted(alike, key=lambda each: each.value, reverse=not checked.condition.is_least)

    def named(found: Failure) -> str:
        model = found.number.model if checked.models > 1 else ""
        group = shown_value(str(found.number.group)) if found.number.grouping is not None else ""
        return " of ".join(filter(None, [group, model]))

    cases = f" ({count(worst.number.cases)} cases)" if worst.number.cases and worst.number.grouping else ""
    others = [named(each) for each in by_value if each is not worst]
    return f"{named(worst)}{cases}{f'; also {listed(others, _MOST_NAMED - 1)}' if others else ''}"
