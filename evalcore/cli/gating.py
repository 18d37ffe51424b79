"""What the options of gates ask for: conditions that are read early, checked at the end, and decide the exit code."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from evalcore.cli.errors import tell
from evalcore.cli.output import Target, are_read_with_errors, discard_output
from evalcore.errors import EvaluationError, check, did_you_mean, refuse
from evalcore.evaluation.catalogue import MEASURES, entry_of, measure_name
from evalcore.evaluation.files import FilesAnswer
from evalcore.evaluation.measure_choice import OF_COSTS, OF_DECISIONS, OF_INTERVALS, Measures
from evalcore.evaluation.model import CERTIFIED, CLASSES, CountRecords, Section
from evalcore.evaluation.question import Question
from evalcore.gate.baseline import Baseline, change_sections, check_groups, read_baseline, with_changes
from evalcore.gate.checks import GateResult, check_conditions
from evalcore.gate.conditions import Condition, parse_conditions
from evalcore.gate.junit import as_junit
from evalcore.gate.numbers import GatedNumber, numbers_of_report
from evalcore.io.formats import STANDARD_INPUT
from evalcore.report.outputs import Outputs
from evalcore.report.rendering import as_tree
from evalcore.saving.files import write_output


class Gate(NamedTuple):
    """When a command fails, and where it says so."""

    conditions: tuple[Condition, ...] = ()
    confident: bool = False
    junit: str | None = None
    started: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that conditions name, with thresholds and classes.  O(conditions)."""
        return each_once(condition.measure for condition in self.conditions)

    @property
    def depths(self) -> Sequence[int]:
        """The depths of measures that conditions name, such as 7 of precision_at_7.  O(conditions)."""
        return Measures(self.parts("measure")).whole.depths if self.conditions else ()

    @property
    def groupings(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each grouping that conditions are about.  O(conditions)."""
        return each_once(condition.scope.columns or None for condition in self.conditions)

    def parts(self, part: str) -> tuple[Any, ...]:
        """Return a part of the names of measures in conditions, such as "threshold" or "target".  O(conditions)."""
        return each_once(getattr(measure_name(name), part) for name in self.names)


def each_once(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values without None, each once, in their order.  O(values)."""
    return tuple(dict.fromkeys(each for each in values if each is not None))


class Outcome(NamedTuple):
    """What a gate says of a report; nothing where no gate was asked for."""

    gate: Gate
    result: GateResult | None = None
    baseline: Baseline | None = None
    changes: Sequence[Section] = ()
    """What changed since the baseline."""

    @property
    def notes(self) -> list[str]:
        """What the report says of it.  O(failures)."""
        lines = () if self.result is None else self.result.lines
        return [*lines, *([self.baseline.note] if self.baseline else ())]

    @property
    def in_json(self) -> dict[str, Any]:
        """What JSON says of it.  O(failures)."""
        return {} if self.result is None else {"gate": self.result.as_tree()}

    def end(
        self,
        name: str,
        targets: Sequence[Target],
        unprinted: Sequence[Exception] = (),
        said: Mapping[str, str] | None = None,
    ) -> None:
        """End the command: raise an error of printing, or exit with 1 if the gate failed, with 2 if it is undecided.

        The result is written to standard error, failures in spite of --quiet, unless a person has just read it there,
        and to the file that is asked for.  A gate decides the exit code also where the reader of standard output, such
        as `head`, has ended.

        name: what was checked; targets: what was written; said: properties in JUnit XML.
        """
        if self.result is not None and self.gate.junit is not None:
            took = time.perf_counter() - self.gate.started
            write_output(self.gate.junit, as_junit(self.result, name, took, said))
        if self.result is not None and not are_read_with_errors(targets):
            for line in self.result.lines:
                tell(line, quietly=self.result.passed)
        for error in unprinted:
            if self.result is None or not isinstance(error, BrokenPipeError):
                raise error
            discard_output()
        if self.result is not None and not self.result.passed:
            click.get_current_context().exit(1 if self.result.failures else 2)


def gate_of(asked: dict[str, Any], *, as_typed: bool = False) -> Gate:
    """Take the options of gates out of all, and return what they ask for.  O(letters).

    as_typed: whether measures keep the names that are typed.  Raises UsageError for options that would change nothing.
    """
    conditions, junit, confident = (asked.pop(name, False) for name in ("conditions", "junit", "confident"))
    reasons = {
        "--confident needs --fail-if CONDITION.": confident and not conditions,
        "--junit FILE needs --fail-if CONDITION.": junit is not None and not conditions,
        "--junit FILE must be a file, got -.": junit == STANDARD_INPUT,
    }
    refuse(reasons)
    parsed = parse_conditions(conditions, as_typed=as_typed) if conditions else ()
    return Gate(parsed, confident, junit, time.perf_counter())


def judged(gate: Gate, numbers: Sequence[GatedNumber]) -> Outcome:
    """Return what a gate says of numbers.  O(numbers)."""
    return Outcome(gate, check_conditions(gate.conditions, numbers, gate.confident) if gate.conditions else None)


def baseline_of(gate: Gate, file: str | None, question: Question, outputs: Outputs) -> Baseline | None:
    """Return the baseline of a report, after a check of what can be known before files are read.  O(bytes).

    outputs: what may not replace the baseline.
    """
    for condition in gate.conditions:
        _check_condition(condition, question, has_baseline=file is not None)
    if file is None:
        return None
    outputs.check([file])
    of_groups = any({*columns} == {*question.by} for columns in gate.groupings)
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
    got = f"{stem!r} in {said}{did_you_mean(stem, MEASURES)}"
    check(entry_of(stem) is not None, "measure", "be one of the names of --list-measures", got)
    decided = question.thresholds or question.targets
    needed = {
        "--predicted COL or scores of classes (--scores PREFIX)": "[" in condition.measure,
        "--costs FP,FN": stem in OF_COSTS and question.costs is None,
        f"a threshold, such as {stem}@0.5": stem in OF_DECISIONS and not decided,
        f"--measure {stem}, and --ci LEVEL": stem in OF_INTERVALS and not question.measures.asks_for(stem),
    }
    refuse({f"{said} needs {option}": lacks and question.scores for option, lacks in needed.items()})


def checked_report(gate: Gate, found: FilesAnswer, question: Question, baseline: Baseline | None) -> Outcome:
    """Return what a gate says of a report.  O(statistics), and the time of all of them if others are written."""
    if not gate.conditions and baseline is None:
        return Outcome(gate)
    numbers, certified = [], found.computed == CERTIFIED
    for by, each in {question.by: found.answer, **found.answer.further}.items():
        answer = each if question.measures.wants(*gate.parts("measure")) else each.whole
        sections = [section for section in answer.sections if not isinstance(section.records, CountRecords)]
        if gate.parts("category") and answer.ungrouped is not None:
            sections += (section for section in answer.ungrouped().sections if section.name == CLASSES)
        tree = {**question._replace(by=by).in_json, "computed": found.computed, **as_tree(sections)}
        of_all = by == question.by
        numbers += [number for number in numbers_of_report(tree) if of_all or number.grouping is not None]
    if gate.confident and question.level is None and not certified:
        raise EvaluationError("--confident needs intervals (--ci LEVEL)")
    changes: Sequence[Section] = ()
    if baseline is not None:
        for condition in gate.conditions:
            check_groups(numbers, baseline, condition, question.min_cases)
        numbers = with_changes(numbers, baseline, question.level, certified=certified)
        shown = [number for number in numbers if question.measures.is_shown(measure_name(number.measure).stem)]
        changes = change_sections(shown, question.level, certified=certified or baseline.certified)
    return judged(gate, numbers)._replace(baseline=baseline, changes=changes)
