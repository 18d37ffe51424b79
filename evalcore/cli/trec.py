"""``evalcore trec``: a report on a TREC run."""

from collections.abc import Sequence
from typing import Any

from evalcore.cli.output import echo, write_sections
from evalcore.report.statistics.trec import as_trec, trec_report, trec_sections
from evalcore.report.words.notes import notes


def write_trec(*, qrels: str, run: str, measures: Sequence[str], per_query: bool, style: str, **asked: Any) -> None:
    """Evaluate a run, and write what the options ask for."""
    evaluated = trec_report(qrels, run, measures, **asked)
    if style == "trec":
        echo(as_trec(evaluated, per_query))
    else:
        sections = trec_sections(evaluated, per_query)
        write_sections(style, sections, {"file": run, "qrels": qrels}, notes(sections))
