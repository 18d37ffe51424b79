"""``evalcore report``: a report on predictions in files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import click

from evalcore.batched.files import FilesAnswer, answer_files
from evalcore.cli.gating import Outcome, baseline_of, checked_report, gate_of
from evalcore.cli.group_columns import columns_of_groups
from evalcore.cli.memory_options import memory_limit
from evalcore.cli.options import REPORT_STYLES
from evalcore.cli.output import (
    Target,
    about,
    each_once,
    errors_kept,
    is_read_with_errors,
    target_of,
    title_of,
    write_sections,
)
from evalcore.cli.quiet import is_quiet, tell
from evalcore.cli.row_options import rows_of
from evalcore.io.formats import STANDARD_INPUT, Reading, checked_delimiter, format_named
from evalcore.report.asked_thresholds import target_of_text
from evalcore.report.charts.images import Plot
from evalcore.report.charts.missing import missing
from evalcore.report.costs import checked_costs
from evalcore.report.grouping import Grouping
from evalcore.report.measure_choice import asked_measures
from evalcore.report.model import Answer
from evalcore.report.outputs import Outputs
from evalcore.report.progress import progress_bar
from evalcore.report.question import Question
from evalcore.report.tables import checked_digits
from evalcore.report.weighting import Weighting
from evalcore.report.words.notes import notes_of
from evalcore.report.words.summary import headline


def write_report(
    *,
    files: Sequence[str],
    memory: str | None,
    style: str | None,
    output: str | None,
    digits: int | None,
    page: str | None,
    folder: str | None,
    full_matrix: bool,
    no_matrix: bool,
    all_groups: bool,
    no_script: bool,
    json_out: str | None,
    baseline: str | None,
    conditions: Sequence[str],
    confident: bool,
    junit: str | None,
    **asked: Any,
) -> None:
    """Answer the question that the options ask of files, and write what they ask for."""
    _check_files(page, json_out)
    gate = gate_of(conditions, confident=confident, junit=junit)
    if asked["scores"]:
        typed = asked["thresholds"]
        asked["thresholds"] = (*typed, *(each for each in dict.fromkeys(gate.thresholds) if each not in typed))
    target = target_of(style, output, REPORT_STYLES)
    question = _question(**asked)._replace(matrix=not no_matrix)
    outputs = Outputs(page, folder, target.file, target.style, json_out, junit)
    _check_options(question, outputs, full_matrix=full_matrix, all_groups=all_groups, no_script=no_script)
    decimals = checked_digits(digits)
    in_full = full_matrix or all_groups
    files = each_once(files)
    title = title_of(files)
    said = {
        **about(files),
        **asked,
        "by": question.by_as_json,
        "ci_method": question.area_method if question.has_area_intervals else None,
        **question.rows.asked(),
        **question.weighting.as_json,
        "weighted": question.weighting.in_titles,
    }
    before = baseline_of(gate, baseline, question, said, outputs)
    with progress_bar(f"reading {title}", shown=not is_quiet()) as bar:
        found = answer_files(question, files, bar, memory=memory_limit(memory), outputs=outputs)
    gated = checked_report(gate, found, question, before, said)
    report = _Report(
        _with_outcome(found.answer, gated), question, found, said, gated.in_json, in_full, not no_script, decimals
    )
    with errors_kept() as unprinted:
        report.write(target)
    if target.style == "csv":  # its rows have no place for notes
        list(map(tell, found.answer.notes))
    outputs.write(lambda: report.html, lambda: report.plots)
    for absent in missing(report.whole, question) if outputs.draws else ():
        tell(str(absent))
    if json_out is not None:
        report.write(Target("json", json_out))
    gated.tell(title, told=is_read_with_errors(target))
    gated.end(unprinted)


def _check_files(page: str | None, json_out: str | None) -> None:
    """Raise UsageError for standard output where a file is needed."""
    refused = {
        "--html OUT must be a file, got -; standard output is /dev/stdout.": page,
        "--json-out FILE must be a file, got -; --format json writes to standard output.": json_out,
    }
    for why, file in refused.items():
        if file == STANDARD_INPUT:
            raise click.UsageError(why)


def _with_outcome(answer: Answer, gated: Outcome) -> Answer:
    """Return an answer with the notes of a gate before its own, and changes, in what it completes to as well."""
    complete = None if answer.complete is None else lambda: _with_outcome(answer.whole, gated)
    return answer._replace(notes=(*gated.notes, *answer.notes), changes=gated.changes, complete=complete)


@dataclass
class _Report:
    """A report in all formats; its page and the plots on it are made when they are asked for, and once."""

    answer: Answer
    question: Question
    found: FilesAnswer
    asked: Mapping[str, Any]
    """Options by their names in JSON, and words for titles."""
    in_json: Mapping[str, Any]
    """Further entries of JSON."""
    in_full: bool
    script: bool
    digits: int

    def write(self, target: Target) -> None:
        """Write the report in a format."""
        if target.style == "html":
            target.write(self.html)
            return
        write_sections(
            target,
            [*self.question.shown(self.answer.sections), *self.answer.changes],
            self.asked,
            partial(notes_of, self.answer, self.question.measures),
            self.found.caption,
            in_full=self.in_full,
            headline=headline(self.answer, self.question),
            digits=self.digits,
            every=bool(self.question.measures.names),
            computed=self.found.computed,
            **self.in_json,
        )

    @cached_property
    def whole(self) -> Answer:
        """The answer with all statistics, which words and charts need."""
        return self.answer.whole

    @cached_property
    def plots(self) -> Sequence[Plot]:
        from evalcore.report.charts.plots import plots_of  # now: tables alone need no plots

        return plots_of(self.whole, self.question)

    @cached_property
    def html(self) -> bytes:
        from evalcore.report.page.document import as_html

        text = as_html(
            self.whole,
            self.question,
            computed={"File": self.asked["title"], **self.found.described()},
            drawn=self.plots,
            in_full=self.in_full,
            script=self.script,
        )
        return text.encode("utf-8", "backslashreplace")  # names of files may hold bytes that are not text


def _check_options(
    question: Question, outputs: Outputs, *, full_matrix: bool, all_groups: bool, no_script: bool
) -> None:
    """Raise UsageError for an option that would change nothing."""
    refused = {
        "--full-matrix needs --predicted COL or scores of classes.": full_matrix and question.scores,
        "--no-matrix needs --predicted COL or scores of classes.": not question.matrix and question.scores,
        "--no-matrix leaves out what --full-matrix shows; give only one of them.": not question.matrix and full_matrix,
        "--all-groups needs --by COL.": all_groups and not question.by,
        "--no-script needs --html OUT or --format html.": no_script and not outputs.has_page,
    }
    for why, applies in refused.items():
        if applies:
            raise click.UsageError(why)


def _question(
    *,
    label: str,
    positive: str | None,
    scores: Sequence[str],
    prefix: str | None,
    predicted: str | None,
    thresholds: Sequence[float],
    targets: Sequence[str],
    costs: str | None,
    by: Sequence[str],
    level: float | None,
    compare: str | None,
    ci_method: str | None,
    proportion_method: str | None,
    groups: int | None,
    min_cases: int | None,
    sort: str | None,
    compare_groups: bool,
    text: Sequence[str],
    input_format: str | None,
    delimiter: str | None,
    decimal: str | None,
    sql: str | None,
    nulls: str | None,
    where: str | None,
    sample: int | None,
    seed: int | None,
    measures: Sequence[str],
    at_k: str | None,
    weight: str | None,
    weight_type: str | None,
    target_prevalence: float | None,
    cluster: str | None,
) -> Question:
    of_classes = prefix is not None or any("=" in score for score in scores)
    _check_one_kind(scores, prefix, predicted)
    for name, given in (
        ("--positive", positive),
        ("--threshold", thresholds or None),
        ("--compare", compare),
        ("--costs", costs),
        ("--threshold-for", targets or None),
        ("--target-prevalence", target_prevalence),
    ):
        if given is not None and (predicted is not None or of_classes):
            raise click.UsageError(f"{name} needs --score COL.")
    classes = _columns_of_classes(scores) if of_classes else None
    named = () if of_classes else tuple(scores)
    return Question(
        label, named, classes, prefix, predicted, positive, tuple(thresholds), columns_of_groups(by), level, groups,
        tuple(text), compare, None if costs is None else checked_costs(_two_numbers(costs)),
        Reading(format_named(input_format), checked_delimiter(delimiter), sql, decimal),
        rows_of(nulls=nulls, where=where, sample=sample, seed=seed),
        grouping=Grouping(min_cases, sort, compare_groups), targets=tuple(map(target_of_text, targets)),
        measures=asked_measures(
            measures, None if at_k is None else _whole_numbers(at_k), of_classes=of_classes,
            decided=bool(thresholds or targets), costed=costs is not None,
        ),
        weighting=Weighting(weight, weight_type, target_prevalence), ci_method=ci_method,
        proportion_method=proportion_method, cluster=cluster,
    )  # fmt: skip


def _check_one_kind(scores: Sequence[str], prefix: str | None, predicted: str | None) -> None:
    """Raise UsageError unless options name scores of one label, scores of classes, or predicted classes."""
    kinds = {
        f"--score {next(iter(scores), '')}": bool(scores),
        f"--scores {prefix}": prefix is not None,
        f"--predicted {predicted}": predicted is not None,
    }
    given = [typed for typed, is_given in kinds.items() if is_given]
    if not given:
        raise click.UsageError("Give one of --score COL, --score CLASS=COL, --scores PREFIX and --predicted COL.")
    classes_named = len(given) == 2 and predicted is None and all("=" in score for score in scores)
    if len(given) > 1 and not classes_named:
        raise click.UsageError(f"Give only one of {', '.join(given[:-1])} and {given[-1]}.")


def _two_numbers(text: str) -> tuple[float, ...] | str:
    """Return two numbers of at least 0 between commas; other text as it is, for the error to show."""
    try:
        numbers = tuple(map(float, text.split(",")))
    except ValueError:
        return text
    return numbers if len(numbers) == 2 and min(numbers) >= 0 else text


def _whole_numbers(text: str) -> tuple[int, ...] | str:
    """Return whole numbers from 1 on between commas; other text as it is, for the error to show."""
    try:
        numbers = tuple(map(int, text.split(",")))
    except ValueError:
        return text
    return numbers if min(numbers) >= 1 else text


def _columns_of_classes(scores: Sequence[str]) -> dict[str, str]:
    if not all("=" in score for score in scores):
        raise click.UsageError("Give all --score options as CLASS=COL, or none.")
    columns_of = dict(score.split("=", 1) for score in scores)
    if len(columns_of) < len(scores):
        raise click.UsageError("Give only one --score for each class.")
    return columns_of
