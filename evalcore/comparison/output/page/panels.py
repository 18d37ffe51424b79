"""A comparison as one HTML file, and its panels."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore._version import __version__
from evalcore.comparison.output.number_texts import DifferenceTexts, difference_texts, p_text, plain_text
from evalcore.comparison.output.page.charts import (
    CURVES,
    SCORES,
    capitalised,
    comparison_plots,
    group_panel_name,
    groupings_of,
)
from evalcore.comparison.output.summary import comparison_sentences, gate_sentences
from evalcore.comparison.output.tables import (
    case_heads,
    case_text,
    changed_cases,
    comparison_notes,
    comparison_title,
    ends_of_groups,
    group_heads,
    measure_heads,
    moved_cases,
    place_of,
)
from evalcore.evaluation.catalogue import entry_of, measure_name
from evalcore.evaluation.differences import (
    ChangedCase,
    Changes,
    ComparisonAnswer,
    GroupDifferences,
    MeasureDifference,
    ModelDifferences,
    margin_text,
)
from evalcore.evaluation.joining import JoinCounts
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count
from evalcore.gate.checks import GateResult
from evalcore.kernels.thresholds import plain_number
from evalcore.report.page.cells import Cell, Grid, Row
from evalcore.report.page.panels import Panel, html_page

_MEANINGS = {
    "old, new": "The measure of each model, on the same cases.",
    "difference": "The measure of the new model less that of the old one, with its interval below.",
    "p": "How often two models that are equally good would differ at least as much.",
    "p, Holm": "The p-value, corrected for the number of comparisons in its table by Holm's method.",
    "p, B-H": (
        "The p-value, adjusted by the method of Benjamini and Hochberg: of all differences with at most 0.05, about 5% "
        "are expected to be none."
    ),
    "verdict": (
        "Better or worse: the interval excludes 0 and the p-value agrees, before any adjustment.  With a margin: "
        "superior, if the gain is certainly larger than the margin; non-inferior, if the loss is certainly smaller; "
        "equivalent, if both models certainly differ by less than the margin; inferior, if the loss is certainly "
        "larger; otherwise inconclusive."
    ),
    "detectable": "The smallest true difference that so many cases would show in four of five samples.",
    "newly right, newly wrong": "Cases that the new model decides rightly and the old one wrongly, and the reverse.",
}


class Part(NamedTuple):
    """A table of a panel, below its heading."""

    title: str
    table: Grid
    collapsed: bool = False


def as_comparison_html(
    answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None, script: bool = True
) -> str:
    """Write a comparison as an HTML page: verdict, gate, measures, charts, groups, changed cases, notes and meanings.

    script: whether the page may hold a script.  All names are escaped.  Of more than 40 groups, the first 20 and the
    last 20 are shown.  O(n log n) for each model.  Raises MissingLibraryError if Jinja2 or matplotlib is missing.
    """
    plots = list(comparison_plots(answer, question))
    panels = [
        panel._replace(plots=[plot for plot in plots if plot.panel == panel.name])
        for panel in _panels(answer, question, gate)
    ]
    filled = [panel for panel in panels if panel.plots or not panel.template or any(panel.content.values())]
    models = len(answer.models) + 1
    return html_page(comparison_title(answer, question), filled, models=models, script=script, templates=__package__)


def _panels(answer: ComparisonAnswer, question: Question, gate: GateResult | None) -> Iterator[Panel]:
    """Yield the panels of a page, from its top to its end.  O(shown numbers)."""
    alone = len(answer.models) == 1
    yield _verdict(answer, question, gate)
    measured = [Part("" if alone else model.model, _measures(model, question)) for model in answer.models]
    yield _of_parts("measures", "Measures", measured)
    yield _of_parts(CURVES, "Curves", [])
    for index, (model, by, groups) in enumerate(groupings_of(answer)):
        heading = f"By {by}" if alone else f"By {by}: {model.model}"
        yield _of_parts(group_panel_name(index), heading, _groups(model.model, by, groups, question))
    changed = []
    for model in answer.models:
        for changes in model.changes:
            counts = _counts(changes, model.model, answer.old)
            changed.append(_part(model.model, f"Decisions {place_of(changes)}", counts, alone=alone))
            changed += _lists(model.model, changed_cases(changes), question, alone=alone)
    yield _of_parts("changed", "What changed hands", changed)
    moved = [
        part
        for model in answer.models
        for part in _lists(model.model, moved_cases(model, question), question, alone=alone)
    ]
    yield _of_parts(SCORES, "Queries that changed" if question.of_runs else "Scores", moved)
    joins = [Part("", _joins(answer.joins, question))] if answer.joins else []
    if notes := comparison_notes(answer, question):
        yield _of_parts("cases", f"{question.units.capitalize()} and notes", joins, notes)
    yield Panel("computed", "How it was computed", {"entries": _asked(answer, question)}, collapsed=True)
    yield Panel("meanings", "What the numbers mean", {"entries": _meanings(answer)}, collapsed=True)


def _of_parts(name: str, heading: str, parts: Sequence[Part], notes: Sequence[str] = ()) -> Panel:
    """Return a panel of charts and tables."""
    return Panel(name, heading, {"parts": parts, "notes": notes}, template="tables")


def _verdict(answer: ComparisonAnswer, question: Question, gate: GateResult | None) -> Panel:
    claim, *more = comparison_sentences(answer, question)
    content: dict[str, Any] = {"claim": claim, "more": more, "gate": None}
    if gate is not None:
        outcome, *reasons = gate_sentences(gate)
        words = ("true", "failures"), ("undecided", "undecided"), ("not proven", "unproven")
        conditions = {
            str(each.condition): next((word for word, kind in words if getattr(each, kind)), "not true")
            for each in gate.conditions
        }
        content["gate"] = {"passed": gate.passed, "outcome": outcome, "reasons": reasons, "conditions": conditions}
    return Panel("verdict", "Verdict", content)


def _measures(model: ModelDifferences, question: Question) -> Grid:
    rows: list[Row] = [
        [
            item.title,
            *_difference_cells(item),
            *_p_cells(item.found.p_value, item.holm, item.benjamini_hochberg),
            Cell(plain_text(item.detectable), _full(item.detectable)),
        ]
        for item in model.differences
    ]
    return Grid(f"Measures of {model.model}", measure_heads(question.confidence), rows)


def _difference_cells(item: MeasureDifference) -> list[Cell]:
    """Return the cells of both models, of their difference with its interval below, and of the verdict."""
    texts: DifferenceTexts = difference_texts(item)
    found = item.found
    interval = f", {found.low!r} to {found.high!r}" if texts.bounds else ""
    return [
        Cell(texts.old, _full(item.old)),
        Cell(texts.new, _full(item.new)),
        Cell(texts.difference, f"{_full(found.difference)}{interval}", texts.bounds.strip("[]").replace(", ", " to ")),
        Cell(item.verdict, below=f"margin {plain_number(item.margin)}" if item.margin > 0 else ""),
    ]


def _p_cells(*values: float) -> list[Cell]:
    return [Cell(p_text(value), _full(value)) for value in values]


def _full(value: float) -> str:
    return "" if np.isnan(value) else repr(float(value))


def _groups(model: str, by: str, groups: Sequence[GroupDifferences], question: Question) -> list[Part]:
    """Return the table of the groups, of many those that got worse most and those that got better most."""
    if not groups:
        return []
    kept = ends_of_groups(groups)
    main, *others = groups[0].differences
    head = [*group_heads(by, question.confidence), *(f"difference in {item.title}" for item in others)]
    title = f"{capitalised(main.title)}, the groups that got worse first"
    if len(kept) < len(groups):
        most = len(kept) // 2
        title = f"{title}: the first {most} and the last {most} of {count(len(groups))} groups"
    return [Part(title, Grid(f"{model} by {by}", head, [_group_row(group) for group in kept]))]


def _group_row(group: GroupDifferences) -> Row:
    main, *others = group.differences
    more = [_difference_cells(item)[2] for item in others]
    return [
        group.group,
        Cell(count(group.cases)),
        *_difference_cells(main),
        *_p_cells(main.found.p_value, main.holm),
        *more,
    ]


def _counts(changes: Changes, new: str, old: str) -> Grid:
    numbers = {name: Cell(count(number)) for name, number in changes.counts.items()}
    rows: list[Row] = [
        [f"{old} right", numbers["right_in_both"], numbers["newly_wrong"]],
        [f"{old} wrong", numbers["newly_right"], numbers["wrong_in_both"]],
    ]
    return Grid("", ["decisions", f"{new} right", f"{new} wrong"], rows)


def _lists(
    model: str, lists: Mapping[str, Sequence[ChangedCase]], question: Question, *, alone: bool
) -> Iterator[Part]:
    """Yield lists of cases, which a reader opens."""
    for title, cases in lists.items():
        rows: list[Row] = [
            [case_text(case.id), *(Cell(case_text(value), _more_digits(value)) for value in case[1:])] for case in cases
        ]
        yield _part(model, capitalised(title), Grid("", case_heads(question), rows), alone=alone, collapsed=True)


def _part(model: str, title: str, table: Grid, *, alone: bool, collapsed: bool = False) -> Part:
    """Return a table whose label no other table has, and whose heading names the model where there are several."""
    label = f"{model}: {title[0].lower()}{title[1:]}"
    return Part(title if alone else label, table._replace(label=label), collapsed)


def _more_digits(value: object) -> str:
    full = repr(float(value)) if isinstance(value, float | np.floating) else ""
    return "" if full == case_text(value) else full


def _joins(joins: Mapping[str, JoinCounts], question: Question) -> Grid:
    rows_of, both = "queries" if question.of_runs else "rows", question.units
    heads = [f"{rows_of} of old", f"{rows_of} of new", f"{both} of both", "only in old", "only in new"]
    if not question.of_runs:  # which have each query once, and no labels of their own
        heads += ["repeated in old", "repeated in new", "other labels"]
    rows: list[Row] = [
        [model, *(Cell(count(number)) for number in counts[: len(heads)])] for model, counts in joins.items()
    ]
    return Grid(f"{rows_of.capitalize()} that were compared", ["new model", *heads], rows)


def _asked(answer: ComparisonAnswer, question: Question) -> dict[str, str]:
    """Return what decides the numbers, by headings."""
    drawn = f"{question.method}, {question.resamples:,} resamples, seed {question.seed}"
    entries = {
        "Judgements" if question.of_runs else "Label": question.label,
        "Positive": question.positive,
        "Old model": answer.old,
        "New models": ", ".join(model.model for model in answer.models),
        "Joined on": ", ".join(question.on) or None,
        "Allowed": ", ".join(sorted(question.allow)) or None,
        "Thresholds": ", ".join(map(str, question.thresholds)) or None,
        "Groups": "; ".join(question.groupings) or None,
        "Cases of a group, at least": question.min_cases,
        "Clusters": question.cluster,
        "Weights": question.weighting.described(),
        "Level of intervals": question.confidence,
        "Margin": margin_text(question.margin),
        "Method": question.method if question.method == "analytic" else drawn,
        "Intervals and tests": ", ".join(
            dict.fromkeys(item.found.method for model in answer.models for item in model.differences)
        ),
        "Program": f"evalcore {__version__}, NumPy {np.__version__}",
    }
    return {name: str(value) for name, value in entries.items() if value}


def _meanings(answer: ComparisonAnswer) -> dict[str, str]:
    """Return what each measure and column means.  O(measures)."""
    found: dict[str, str] = {}
    for model in answer.models:
        for item in model.differences:
            if entry := entry_of(measure_name(item.measure).measure):
                found[entry.title] = entry.meaning
    return {**found, **_MEANINGS}
