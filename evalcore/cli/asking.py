"""What options ask for: questions, memory, and gates, which are read early, checked at the end, and decide the code."""

import csv
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import click

from evalcore.cli.errors import tell
from evalcore.cli.option_parsing import MEMORY
from evalcore.cli.output import Outputs, Target, are_read_with_errors, discard_output, write_answer
from evalcore.document.documents import document_of_sections
from evalcore.document.exports import as_csv, as_json, as_tree
from evalcore.document.formats import Formats
from evalcore.errors import EvaluationError, check, did_you_mean, refuse
from evalcore.evaluation.catalogue import difference_of, entry_of, measure_name
from evalcore.evaluation.measure_choice import OF_COSTS, OF_DECISIONS, OF_INTERVALS, Measures, nearest_measures
from evalcore.evaluation.model import CERTIFIED, CLASSES, Answer, CountRecords, Section
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import checked_costs
from evalcore.evaluation.weighting import Weighting
from evalcore.gate.baseline import Baseline, change_sections, check_groups, read_baseline, with_changes
from evalcore.gate.checks import GateResult, as_junit, check_conditions
from evalcore.gate.conditions import Condition, parse_conditions
from evalcore.gate.numbers import GatedNumber, numbers_of_groups, numbers_of_report
from evalcore.io.formats import STANDARD_INPUT, reading_of
from evalcore.io.memory import memory_size
from evalcore.io.rows import Rows
from evalcore.saving.files import write_output


class Gate(NamedTuple):
    """When a command fails, where it says so and, behind the answer, whether it does."""

    conditions: tuple[Condition, ...] = ()
    confident: bool = False
    junit: str | None = None
    started: float = 0.0
    result: GateResult | None = None
    """None where no gate was asked for."""
    baseline: Baseline | None = None
    changes: Sequence[Section] = ()
    """What changed since the baseline."""

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that conditions name, with thresholds and classes.  O(conditions)."""
        return tuple(dict.fromkeys(condition.measure for condition in self.conditions))

    @property
    def depths(self) -> Sequence[int]:
        """The depths of measures that conditions name, such as 7 of precision_at_7.  O(conditions)."""
        return Measures(self.parts("measure")).whole.depths if self.conditions else ()

    @property
    def groupings(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each grouping that conditions are about.  O(conditions)."""
        return tuple(dict.fromkeys(each.scope.columns for each in self.conditions if each.scope.columns))

    def parts(self, part: str) -> tuple[Any, ...]:
        """Return a part of the names of measures in conditions, such as "threshold" or "category".  O(conditions)."""
        found = dict.fromkeys(getattr(measure_name(name), part) for name in self.names)
        return tuple(each for each in found if each is not None)

    def judged(self, numbers: Sequence[GatedNumber]) -> "Gate":
        """Return the gate with what it says of numbers.  O(numbers)."""
        if not self.conditions:
            return self
        return self._replace(result=check_conditions(self.conditions, numbers, self.confident))

    def write(
        self, target: Target, sections: Sequence[Section], notes: Sequence[str], title: str, in_json: Mapping[str, Any]
    ) -> None:
        """Write all of some sections, and what the gate says of them.  O(statistics).

        in_json: entries before the sections.
        """
        entries = partial(as_json, sections, notes, self.result, **in_json)
        document = partial(document_of_sections, sections, notes=lambda _: notes, title=title, gate=self.result)
        write_answer(target, Formats(document, entries, partial(as_csv, sections)))

    def end(
        self, name: str, targets: Sequence[Target], unprinted: Sequence[Exception] = (), said: Mapping[str, str] = {}
    ) -> None:
        """End the command: raise an error of printing, or exit with 1 if the gate failed, with 2 if it is undecided.

        The result is written to standard error, failures in spite of --quiet, unless a person has just read it there,
        and to the file that is asked for.  A gate decides the exit code also where the reader of standard output, such
        as `head`, has ended.

        name: what was checked; targets: what was written; said: properties in JUnit XML.
        """
        result = self.result
        if result is not None and self.junit is not None:
            write_output(self.junit, as_junit(result, name, time.perf_counter() - self.started, said))
        if result is not None and not are_read_with_errors(targets):
            for line in result.lines:
                tell(line, quietly=result.passed)
        for error in unprinted:
            if result is None or not isinstance(error, BrokenPipeError):
                raise error
            discard_output()
        if result is not None and not result.passed:
            click.get_current_context().exit(1 if result.failures else 2)


def gate_of(asked: dict[str, Any], *, as_typed: bool = False) -> Gate:
    """Take the options of gates out of all, and return what they ask for.  O(letters).

    as_typed: whether measures keep the names that are typed.  Raises UsageError for options that would change nothing.
    """
    conditions, junit, confident = (asked.pop(name, False) for name in ("conditions", "junit", "confident"))
    refuse({
        "--confident needs --fail-if CONDITION.": confident and not conditions,
        "--junit FILE needs --fail-if CONDITION.": junit is not None and not conditions,
        "--junit FILE must be a file, got -.": junit == STANDARD_INPUT,
    })  # fmt: skip
    parsed = parse_conditions(conditions, as_typed=as_typed) if conditions else ()
    least = asked.get("min_cases") or 0
    for each in parsed:
        fewer = each.scope.min_cases
        refuse({f"--fail-if {str(each)!r} needs --min-cases of at most {fewer:,}.": 0 < fewer < least})
    return Gate(parsed, confident, junit, time.perf_counter())


def baseline_of(gate: Gate, file: str | None, question: Question, outputs: Outputs) -> Baseline | None:
    """Return the baseline of a report, after a check of what can be known before files are read.  O(bytes).

    outputs: what may not replace the baseline.
    """
    for condition in gate.conditions:
        _check_condition(condition, question, has_baseline=file is not None)
    if file is None:
        return None
    outputs.check([file])
    changed = {frozenset(each.scope.columns) for each in gate.conditions if each.of_change}
    of_groups = bool(question.by) and frozenset(question.by) in changed
    return read_baseline(file, question.in_json, of_groups=of_groups)


def _check_condition(condition: Condition, question: Question, *, has_baseline: bool) -> None:
    """Raise EvaluationError for a condition about numbers that a report on these columns lacks.  O(measures)."""
    said, stem = f"--fail-if {str(condition)!r}", measure_name(condition.measure).measure
    grouping = ", ".join(question.by) or None
    column = condition.scope.in_order_of([grouping or ""]).column
    if condition.of_change and column not in (None, grouping):
        instead = "" if grouping is None else f", got --by {grouping}{did_you_mean(column, [grouping])}"
        raise EvaluationError(f"{said} needs --by {column}{instead}")
    refuse({f"{said} needs --baseline FILE": condition.of_change and not has_baseline})
    if question.values:  # whose names may be any: they are looked up once there are numbers
        return
    got = f"{stem!r} in {said}{nearest_measures(stem)}"
    check(entry_of(stem) is not None, "measure", "be one of the names of --list-measures", got)
    decided, compared = question.thresholds or question.targets, difference_of(stem)
    is_compared = question.compare_groups and compared in {measure.measure for measure in question.compared_by}
    lacks_threshold = question.compare_groups and question.scores and compared in OF_DECISIONS and not decided
    lacking = f"a threshold, such as {stem}@0.5" if lacks_threshold else "--compare-groups"
    refuse({f"{said} needs {lacking}": compared and not is_compared})
    needed = {
        "--predicted COL or scores of classes (--scores PREFIX)": "[" in condition.measure,
        "--costs FP,FN": stem in OF_COSTS and question.costs is None,
        f"a threshold, such as {stem}@0.5": stem in OF_DECISIONS and not decided,
        f"--measure {stem}, and --ci LEVEL": stem in OF_INTERVALS and not question.measures.asks_for(stem),
    }
    refuse({f"{said} needs {option}": lacks and question.scores for option, lacks in needed.items()})


def checked_report(gate: Gate, found: Answer, question: Question, baseline: Baseline | None) -> Gate:
    """Return what a gate says of a report.  O(statistics), and the time of all of them if others are written."""
    if not gate.conditions and baseline is None:
        return gate
    numbers, differing, certified = [], [], found.computed == CERTIFIED
    for by, each in {question.by: found, **found.further}.items():
        answer = each if question.measures.wants(*gate.parts("measure")) else each.whole
        sections = [section for section in answer.sections if not isinstance(section.records, CountRecords)]
        if gate.parts("category") and answer.ungrouped is not None:
            sections += (section for section in answer.ungrouped().sections if section.name == CLASSES)
        tree = {**question._replace(by=by).in_json, "computed": found.computed, **as_tree(sections)}
        of_all = by == question.by
        numbers += [number for number in numbers_of_report(tree) if of_all or number.grouping is not None]
        differing += numbers_of_groups(tree)
    refuse({"--confident needs intervals (--ci LEVEL)": gate.confident and question.level is None and not certified})
    changes: Sequence[Section] = ()
    if baseline is not None:
        for condition in gate.conditions:
            check_groups(numbers, baseline, condition, question.min_cases)
        numbers = with_changes(numbers, baseline, question.level, certified=certified)
        shown = [number for number in numbers if question.measures.is_shown(measure_name(number.measure).stem)]
        changes = change_sections(shown, question.level, certified=certified or baseline.certified)
    return gate.judged([*numbers, *differing])._replace(baseline=baseline, changes=changes)


def _memory_limit(given: str | None) -> int | None:
    """Return the bytes of a memory limit, that of the variable where none is given.  O(1)."""
    memory = os.environ.get(MEMORY) or None if given is None else given
    try:
        return None if memory is None else memory_size(memory)
    except EvaluationError as error:
        raise EvaluationError(f"{MEMORY}: {error}" if given is None else f"--{error}") from None


def question_of(asked: Mapping[str, Any], **changed: Any) -> Question:
    """Return the question that options ask, by the names of their parameters; others have its defaults.  O(options).

    changed: the fields of the question that no option has as it is typed.
    """
    sample, seed, costs = asked.get("sample"), asked["seed"] or 0, asked.get("costs")
    pair = numbers_of(costs or "", float, 0)
    made: dict[str, Any] = {
        "memory": _memory_limit(asked["memory"]),
        "rows": Rows(asked["nulls"] or "refuse", asked["where"], sample, 0 if sample is None else seed),
        "costs": None if costs is None else checked_costs(pair if len(pair) == 2 else costs),
        "reading": reading_of(asked),
        "weighting": Weighting(asked["weight"], asked["weight_type"], asked["target_prevalence"]),
    }
    if asked.get("words") is not None:
        made["words"] = worth_of_words(asked["words"])
    given = {name: asked[name] for name in Question._fields if asked.get(name) not in (None, ())}
    return Question(**{**given, **made, **changed})


def worth_of_words(text: str) -> dict[str, float]:
    """Return what words are worth; EvaluationError for anything but words, each once, and numbers.  O(letters).

    >>> worth_of_words("C=1, P=0.5, I=0")
    {'C': 1.0, 'P': 0.5, 'I': 0.0}
    """
    pairs = [each.rpartition("=") for each in next(csv.reader([text], skipinitialspace=True), [])]
    found = {word.strip(): numbers_of(value, float, -math.inf) for word, _, value in pairs}
    are_numbers = not any(isinstance(each, str) for each in found.values())
    holds = are_numbers and 0 < len(found) == len(pairs) and "" not in found
    check(holds, "--map", "be WORD=VALUE, each word once, such as C=1,P=0.5,I=0", repr(text))
    return {word: float(value[0]) for word, value in found.items()}


def numbers_of(text: str, number: Callable[[str], float], least: float) -> tuple[float, ...] | str:
    """Return numbers of at least so much between commas; other text as it is, for the error to show."""
    try:
        numbers = tuple(map(number, text.split(",")))
    except ValueError:
        return text
    return numbers if min(numbers) >= least else text


def columns_of(values: Sequence[str], option: str = "--by") -> tuple[str, ...]:
    """Return the names of columns, of which a value may hold several between commas, quoted as in CSV.

    option: what errors name.

    >>> columns_of(["carrier, origin", '"a,b"'])
    ('carrier', 'origin', 'a,b')
    """
    names = tuple(chain.from_iterable(csv.reader(values, skipinitialspace=True)))
    got = f"{' and '.join(map(repr, values))}."
    check(len(names) >= len(values) and "" not in names, option, "name columns", got)
    return names
