"""``evalcore contingency``: a report on sets of categories in files."""

from collections.abc import Sequence

import click

from evalcore.cli.options import SECTION_STYLES
from evalcore.cli.output import about, each_once, target_of, title_of, write_sections
from evalcore.cli.quiet import is_quiet, tell
from evalcore.contingency import Contingency
from evalcore.errors import EvaluationError
from evalcore.io.formats import Reading, checked_delimiter, format_named
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
    input_format: str | None,
    delimiter: str | None,
    sql: str | None,
    style: str | None,
    output: str | None,
) -> None:
    """Count the categories in files, and write what the options ask for."""
    if not sep:
        raise click.UsageError("--sep must not be empty.")
    reading = Reading(format_named(input_format), checked_delimiter(delimiter), sql)
    target = target_of(style, output, SECTION_STYLES)
    files = each_once(files)
    Outputs(report=target.file, style=target.style).check(files)
    title = title_of(files)
    with progress_bar(f"reading {title}", shown=not is_quiet()) as bar:
        given, right = read_name_lists(files, (assigned, correct), sep, bar, reading)
    if said := other_separator([*given, *right], sep):
        tell(said)
    experiment = _contingency_of(given, right)
    averages = {name: getattr(experiment, name)() for name in LABEL_SET_AVERAGES}
    sections = contingency_sections(averages, experiment.category_stats() if per_category else {})
    if target.style == "table":
        tables = [experiment.stats_table().removesuffix("\n"), *([as_table(sections[1:])] if per_category else [])]
        target.write("\n".join(tables))
    else:
        asked = {**about(files), "assigned": assigned, "correct": correct}
        write_sections(target, sections, asked, lambda hidden: notes(sections, hidden=hidden))


def _contingency_of(assigned: Sequence[Sequence[str]], correct: Sequence[Sequence[str]]) -> Contingency:
    """Count lists of names, one for each document, over the sorted categories of all names."""
    categories = sorted(set().union(*assigned, *correct))
    if not categories:
        raise EvaluationError("no document has a category, assigned or correct")
    experiment = Contingency(categories)
    experiment.add_results(assigned, correct)
    return experiment
