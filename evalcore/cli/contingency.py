"""``evalcore contingency``: a report on sets of categories in files."""

from collections.abc import Sequence
from typing import Any

import click

from evalcore.cli.common_options import reading_of
from evalcore.cli.errors import is_quiet, tell
from evalcore.cli.options import SECTION_STYLES
from evalcore.cli.output import about, each_once, target_of, title_of, write_sections
from evalcore.contingency import Contingency
from evalcore.errors import EvaluationError
from evalcore.report.outputs import Outputs
from evalcore.report.progress import progress_bar
from evalcore.report.rendering import as_table
from evalcore.report.statistics.label_sets import (
    LABEL_SET_AVERAGES,
    contingency_sections,
    other_separator,
    read_name_lists,
)
from evalcore.report.words.notes import notes


def write_contingency(
    *,
    files: Sequence[str],
    assigned: str,
    correct: str,
    sep: str,
    per_category: bool,
    style: str | None,
    output: str | None,
    **asked: Any,
) -> None:
    """Count the categories in files, and write what the options ask for."""
    if not sep:
        raise click.UsageError("--sep must not be empty.")
    reading = reading_of(asked)
    target = target_of(style, output, SECTION_STYLES)
    files = each_once(files)
    Outputs(report=target.file, style=target.style).check(files)
    title = title_of(files)
    with progress_bar(f"reading {title}", shown=not is_quiet()) as bar:
        given, right = read_name_lists(files, (assigned, correct), sep, bar, reading)
    if said := other_separator([*given, *right], sep):
        tell(said)
    categories = sorted(set().union(*given, *right))
    if not categories:
        raise EvaluationError("no document has a category, assigned or correct")
    experiment = Contingency(categories)
    experiment.add_results(given, right)
    averages = {name: getattr(experiment, name)() for name in LABEL_SET_AVERAGES}
    sections = contingency_sections(averages, experiment.category_stats() if per_category else {})
    if target.style == "table":
        tables = [experiment.stats_table().removesuffix("\n"), *([as_table(sections[1:])] if per_category else [])]
        target.write("\n".join(tables))
    else:
        said_of = {**about(files), "assigned": assigned, "correct": correct}
        write_sections(target, sections, said_of, lambda hidden: notes(sections, hidden=hidden))
