"""Reports and comparisons in every format: what makes each, for Python and for the command."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from evalcore.document.charts.images import Plot
from evalcore.document.comparison import document_of_comparison
from evalcore.document.documents import PAGE, Shown, document_of_report
from evalcore.document.exports import as_comparison_csv, as_comparison_json, as_csv, as_json
from evalcore.document.model import Document
from evalcore.evaluation.differences import ComparisonAnswer
from evalcore.evaluation.model import CERTIFIED, EXACT, Answer
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.question import Question
from evalcore.gate.checks import GateResult


class Formats(NamedTuple):
    """What makes an answer in each format, when it is asked for."""

    document: Callable[[Shown], Document]
    """For readers of text."""
    json: Callable[[], str]
    csv: Callable[[], str]
    html: Callable[[Shown, bool], str] | None = None
    """The page, which may hold a script if told so; None where there is none."""
    plots: Callable[[], Sequence[Plot]] = list
    """Its charts, which are made once."""


def formats_of_report(
    answer: Answer, question: Question, *, gate: GateResult | None = None, title: str = "",
    about: Mapping[str, Any] = {},
) -> Formats:  # fmt: skip
    """Return what makes a report in each format.  O(1).

    title: of files; about: what JSON says of them.
    """
    sections = [*question.shown(answer.sections), *answer.changes]
    described = {"File": title, **answer.described} if answer.computed else {}
    whole_title = f"{title}: {question.title}" if title else question.title

    @cache
    def plots() -> Sequence[Plot]:
        from evalcore.document.charts.plots import plots_of  # now: tables alone need no plots

        return plots_of(answer.whole, question)

    def page(shown: Shown, script: bool) -> str:
        from evalcore.document.page.report import as_html

        how: dict[str, Any] = {"described": described, "full": shown.full, "script": script, "gate": gate}
        return as_html(answer.whole, question, plots(), **how)

    def entries() -> str:
        parts = (part for section in sections for part in section.columns.parts)
        bounded = any(each.method == CERTIFIED for part in parts for each in part.intervals.values())
        computed = answer.computed or (CERTIFIED if bounded else EXACT)
        asked = {**about, **question.in_json, "computed": computed, **answer.in_json}
        return as_json(sections, notes_of(answer, question.measures), gate, **asked)

    document = partial(document_of_report, answer, question, title=whole_title, gate=gate)
    return Formats(document, entries, partial(as_csv, sections), page, plots)


def formats_of_comparison(
    answer: ComparisonAnswer, question: Question, gate: GateResult | None = None, file: str = ""
) -> Formats:
    """Return what makes a comparison in each format; file: the names of what was compared.  O(1)."""
    document = partial(document_of_comparison, answer, question, gate=gate, file=file)

    def page(shown: Shown, script: bool) -> str:
        from evalcore.document.page.comparison import as_comparison_html

        of_page = document(PAGE._replace(full=shown.full, digits=shown.digits))
        return as_comparison_html(of_page, answer, question, script=script)

    entries = partial(as_comparison_json, answer, question, gate=gate)
    return Formats(document, entries, partial(as_comparison_csv, answer), page)
