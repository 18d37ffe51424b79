"""``evalcore trec``: a report on a TREC run."""

from collections.abc import Sequence
from typing import Any

from evalcore.cli.options import TREC_STYLES
from evalcore.cli.output import target_of, write_sections
from evalcore.report.outputs import Outputs
from evalcore.report.statistics.trec import as_trec, trec_report, trec_sections
from evalcore.report.words.notes import notes


def write_trec(
    *,
    qrels: str,
    run: str,
    measures: Sequence[str],
    per_query: bool,
    style: str | None,
    output: str | None,
    **asked: Any,
) -> None:
    """Evaluate a run, and write what the options ask for."""
    target = target_of(style, output, TREC_STYLES)
    Outputs(report=target.file, style=target.style).check([qrels, run])
    evaluated = trec_report(qrels, run, measures, **asked)
    if target.style == "trec":
        target.write(as_trec(evaluated, per_query))
    else:
        sections = trec_sections(evaluated, per_query)
        write_sections(target, sections, {"file": run, "qrels": qrels}, notes(sections))
