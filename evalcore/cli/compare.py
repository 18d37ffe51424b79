"""``evalcore compare``: two or more models on the same cases, and a gate."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evalcore.cli.compare_question import check_options, compare_question
from evalcore.cli.gating import Outcome, gate_of
from evalcore.cli.group_columns import columns_of_groups
from evalcore.cli.memory_options import is_typed, memory_limit
from evalcore.cli.named_files import files_of_models
from evalcore.cli.options import REPORT_STYLES
from evalcore.cli.output import Target, errors_kept, is_read_with_errors, line_width, target_of
from evalcore.cli.quiet import is_quiet
from evalcore.comparison.comparing import answer_tables
from evalcore.comparison.differences.run_differences import answer_runs
from evalcore.comparison.gating import check_comparison
from evalcore.comparison.memory import check_memory
from evalcore.comparison.model import ComparisonAnswer
from evalcore.comparison.output.rendering import (
    as_comparison_csv,
    as_comparison_json,
    as_comparison_markdown,
    as_comparison_table,
)
from evalcore.comparison.output.summary import margin_sentences
from evalcore.comparison.output.tables import comparison_title
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.question_checks import check_compare_question
from evalcore.gate.checks import GateResult
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.datasets import expand_paths, read_table
from evalcore.io.formats import STANDARD_INPUT, spoken_name
from evalcore.report.outputs import Outputs
from evalcore.report.progress import progress_bar
from evalcore.saving.files import write_output


def write_comparison(
    *,
    old: str,
    new: Sequence[str],
    qrels: str | None,
    memory: str | None,
    style: str | None,
    output: str | None,
    page: str | None,
    conditions: Sequence[str],
    confident: bool,
    junit: str | None,
    **asked: Any,
) -> None:
    """Compare the models in files, write what the options ask for, and end with exit code 1 if the gate fails."""
    if page == STANDARD_INPUT:
        raise click.UsageError("--html OUT must be a file, got -; standard output is /dev/stdout.")
    target = target_of(style, output, REPORT_STYLES)
    gate = gate_of(conditions, confident=confident, junit=junit)
    check_options([old, *new], qrels, asked | {"memory": memory if is_typed("memory") else None})
    limit = memory_limit(memory)
    files = files_of_models([old, *new])
    if qrels is not None:
        asked["label"] = Path(spoken_name(qrels)).name
    else:
        asked["thresholds"] = tuple(dict.fromkeys((*asked["thresholds"], *gate.thresholds)))
        groupings = (columns_of_groups([value]) for value in (*asked["by"], *gate.columns))
        asked["by"] = tuple(dict.fromkeys(columns if len(columns) > 1 else columns[0] for columns in groupings))
        asked["conditions"] = tuple(gate.names)
    question = compare_question(**asked)
    outputs = Outputs(page=page, report=target.file, style=target.style, junit=junit)
    if qrels is None:
        answer = _answer(question, files, outputs, limit)
    else:
        answer = _answer_runs(question, qrels, files, outputs)
    checked = check_comparison(answer, question, gate.conditions, gate.confident) if gate.conditions else None
    gated = Outcome(gate, checked)
    if page is not None:
        write_output(page, _as_html(answer, question, checked))
    with errors_kept() as unprinted:
        target.write(_written(target, answer, question, checked))
    gated.tell(
        comparison_title(answer, question), told=is_read_with_errors(target), said=margin_sentences(answer, question)
    )
    gated.end(unprinted)


def _answer(
    question: CompareQuestion, files: Mapping[str, str], outputs: Outputs, memory: int | None
) -> ComparisonAnswer:
    """Compare models in tables, after a check of what is written and of the memory limit, in bytes.  O(n log n)."""
    check_compare_question(question, len(files))
    outputs.check([file for table in files.values() for file in expand_paths([table], question.reading)])
    check_memory(question, list(files.values()), memory)
    return answer_tables(question, list(files), lambda name, selection: _read(files[name], selection))


def _answer_runs(question: CompareQuestion, qrels: str, files: Mapping[str, str], outputs: Outputs) -> ComparisonAnswer:
    """Compare runs of ranked results, after a check of what is written.  O(n log n)."""
    outputs.check([qrels, *files.values()])
    return answer_runs(question, qrels, files)


def _read(file: str, selection: Selection) -> ColumnArrays:
    """Read the selected columns of a table, and show progress.  O(n)."""
    with progress_bar(f"reading {spoken_name(file)}", shown=not is_quiet()) as bar:
        return read_table(file, selection, bar)


def _written(
    target: Target, answer: ComparisonAnswer, question: CompareQuestion, result: GateResult | None
) -> str | bytes:
    """Return a comparison in the format of its target.  O(numbers)."""
    if target.style == "table":
        return as_comparison_table(answer, question, gate=result, width=line_width(target))
    if target.style == "csv":
        return as_comparison_csv(answer)
    if target.style == "html":
        return _as_html(answer, question, result)
    written = as_comparison_json if target.style == "json" else as_comparison_markdown
    return written(answer, question, gate=result)


def _as_html(answer: ComparisonAnswer, question: CompareQuestion, result: GateResult | None) -> bytes:
    """Return a comparison as a page.  O(n log n)."""
    from evalcore.comparison.output.page.panels import as_comparison_html  # now: tables alone need no plots

    return as_comparison_html(answer, question, gate=result).encode("utf-8", "backslashreplace")
