"""A comparison as one HTML file: its panels, and the charts that stand in them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore import plots
from evalcore._version import __version__
from evalcore.document import comparison_text as text
from evalcore.document.case_tables import case_tables
from evalcore.document.charts.images import Plot
from evalcore.document.charts.plots import models_of
from evalcore.document.documents import facts_of_comparison, worst_of_comparison
from evalcore.document.exports import cases_of
from evalcore.document.model import Document, Part, verdict_of_comparison
from evalcore.document.page.panels import facts_of, few_warning, html_page, p_cell
from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.document.words import comparison as words
from evalcore.evaluation.cases import RankedColumns
from evalcore.evaluation.catalogue import entry_of, measure_name
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, ModelDifferences
from evalcore.evaluation.measure_choice import margin_text
from evalcore.evaluation.options import MOST_LISTED
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import FEWEST, count, listed, percent, shown_value
from evalcore.gate.checks import GateResult
from evalcore.plots.axes import grey, in_styles, nth_style
from evalcore.plots.groups import figure_height

_MEANINGS = {
    "p, Holm": (
        "How often two equally good models would differ by at least this much by chance, adjusted by Holm's method for "
        "the number of comparisons in its table."
    ),
    "verdict": (
        "Better or worse: the interval excludes 0 and the p-value agrees, before any adjustment.  With a margin: "
        "superior, if the gain is certainly larger than the margin; non-inferior, if the loss is certainly smaller; "
        "equivalent, if both models certainly differ by less than the margin; inferior, if the loss is certainly "
        "larger; otherwise inconclusive."
    ),
    "newly right, newly wrong": "Cases that the new model decides rightly and the old one wrongly, and the reverse.",
}


def as_comparison_html(
    answer: ComparisonAnswer,
    question: Question,
    *,
    gate: GateResult | None = None,
    full: bool = False,
    script: bool = True,
    file: str = "",
) -> str:
    """Write a comparison as an HTML page: verdict, measures, charts, groups, changed cases, notes and meanings.

    full: whether all groups are shown, of more than 40 not only the first 20 and the last 20; script: whether the page
    may hold a script; file: the names of what was compared.  All names are escaped.  O(n log n) for each model.  Raises
    MissingLibraryError if Jinja2 or matplotlib is missing.
    """
    found, cases = answer.cases or answer.classes, cases_of(answer)
    kinds = found.kinds if found else {}
    entries = (entry_of(measure_name(item.measure).measure) for each in answer.models for item in each.differences)
    worst = worst_of_comparison(answer, question)
    document = Document(
        text.comparison_title(answer, question),
        facts_of(file, facts_of_comparison(answer, question)),
        verdict_of_comparison(answer, question, gate),
        worst and _short(worst),
        [*_parts(answer, question, full)],
        computed=_asked(answer, question),
        meanings={entry.title: entry.meaning for entry in entries if entry} | _MEANINGS,
        warning=few_warning(kinds),
    )
    plots = [] if cases is not None and cases < FEWEST else list(comparison_plots(answer, question))
    return html_page(document, plots, models=len(answer.models) + 1, script=script)


def _parts(answer: ComparisonAnswer, question: Question, full: bool) -> Iterator[Part]:
    """Yield the parts of a page, from its top to its end.  O(shown numbers)."""
    alone = len(answer.models) == 1

    def of_model(model: str, table: Table, folded: bool) -> Table:
        """Return a table whose label no other has, and whose heading names the model where there are several."""
        label = f"{model}: {table.title}"
        return table._replace(title=capitalised(table.title) if alone else label, label=label, folded=folded)

    tables_of = partial(case_tables, most=MOST_LISTED, whole=True)
    measured, changed, moved = list[Table](), list[Table](), list[Table]()
    for model in answer.models:
        name, table = model.model, text.measure_table(model, answer.old, question.confidence)
        measured.append(_short(table)._replace(title="" if alone else name, label=f"Measures of {name}"))
        for changes in model.changes:
            changed.append(of_model(name, text.changed_counts(changes, "decisions", answer.old, name), False))
            changed += [of_model(name, each, True) for each in tables_of(text.changed_cases(changes), question)]
        moved += [of_model(name, each, True) for each in tables_of(text.moved_cases(model, question), question)]
    yield Part("Measures", measured, name="measures")
    yield Part("Curves", name=CURVES)
    for index, (model, by, groups) in enumerate(groupings_of(answer)):
        heading, name = f"By {by}" if alone else f"By {by}: {model.model}", _GROUPING.format(index)
        yield Part(heading, _groups(model.model, by, groups, question, anchor=name, full=full), name=name)
    yield Part("Changed decisions", changed, name="changed")
    yield Part("Queries that changed" if question.of_runs else "Changed scores", moved, True, SCORES)
    notes = text.comparison_notes(answer, question)
    yield Part("Notes", name="notes", notes=[note for note in notes if not note.startswith(f"the {text.DETECTABLE} ")])


def _short(table: Table) -> Table:
    """Return a table with one p-value, the adjusted one, and both values of a measure as old → new.  O(cells)."""
    table = table.without(text.P_VALUE, text.BENJAMINI_HOCHBERG, text.DETECTABLE, *table.others)
    rows = list[list[AnyCell]]()
    for row in table.rows:
        cells = dict(zip(table.head, row, strict=True))
        old, new, tested = (cell for cell in (cells["old"], cells["new"], cells[text.HOLM]) if isinstance(cell, Cell))
        full = f"{old.full} → {new.full}" if old.full and new.full else ""
        cells["old"] = Cell(f"{old.text} → {new.text}".replace(" ", "\N{NO-BREAK SPACE}"), full)
        cells[text.HOLM] = p_cell(float(tested.full or "nan"))
        del cells["new"]
        rows.append([*cells.values()])
    head = ["old → new" if name == "old" else name for name in table.head if name != "new"]
    return table._replace(head=head, rows=rows)


def _groups(
    model: str, by: str, groups: Sequence[GroupDifferences], question: Question, *, anchor: str, full: bool
) -> list[Table]:
    """Return the tables of the groups, of many those that got worse most and those that got better most."""
    if not groups:
        return []
    kept = groups if full else text.ends_of_groups(groups)
    title = f"{capitalised(groups[0].differences[0].title)}, the groups that got worse first"
    if len(kept) < len(groups):
        most = len(kept) // 2
        title = f"{title}: the first {most} and the last {most} of {count(len(groups))} groups"
    whole, level = text.group_table(by, kept, question.confidence), question.confidence
    apart = frozenset(group.group for group in kept if words.is_certain(group.differences[0], level))
    label = f"{model} by {by}"
    found = [_short(whole)._replace(title=title, label=label, anchor=anchor, apart=apart)]
    if whole.others:
        others = whole.columns([0, *range(len(whole.head) - len(whole.others), len(whole.head))])
        found.append(others._replace(title="Other measures", label=f"{label}: other measures", folded=True))
    return found


def _asked(answer: ComparisonAnswer, question: Question) -> dict[str, str]:
    """Return what decides the numbers, by headings."""
    drawn = f"{question.method}, {question.resamples:,} resamples, seed {question.seed}"
    methods = dict.fromkeys(item.found.method for model in answer.models for item in model.differences)
    entries = {
        "Old model": answer.old,
        "New models": ", ".join(model.model for model in answer.models),
        "Joined on": ", ".join(question.on),
        "Allowed": ", ".join(sorted(question.allow)),
        "Groups": "; ".join(question.groupings),
        "Level of intervals": f"{question.confidence}",
        "Margin": margin_text(question.margin),
        "Level of verdicts with a margin": question.margin_level and str(question.margin_level),
        "Method": question.method if question.method == "analytic" else drawn,
        "Intervals and tests": ", ".join(methods),
        "Program": f"evalcore {__version__}, NumPy {np.__version__}",
    }
    return question.described() | {name: text for name, text in entries.items() if text}


CURVES, SCORES, _GROUPING = "curves", "scores", "by-{}"
"""Parts of a page where charts stand: those of scores, and those of groups in the part of their column."""
_MOST_MODELS = 7
"""New models that have a colour of their own beside the old one."""
_MOST_PAIRS = 4
"""New models whose scores are drawn against those of the old one."""
_BEYOND = 0.5
"""How far the axis of the changes of groups goes beyond the dots, in parts of their range."""


def comparison_plots(answer: ComparisonAnswer, question: Question) -> Iterator[Plot]:
    """Yield the charts of a comparison.  O(n log n) for each model when they are drawn."""
    yield from _of_scores(answer, question)
    numbers = {model.model: index for index, model in enumerate(answer.models, 1)}
    for index, (model, by, groups) in enumerate(groupings_of(answer)):
        models = {answer.old: 0, model.model: numbers[model.model]}
        yield from _of_groups(_GROUPING.format(index), by, groups, models, question)


def groupings_of(answer: ComparisonAnswer) -> Iterator[tuple[ModelDifferences, str, Sequence[GroupDifferences]]]:
    """Yield each model with each of its groupings.  O(models x groupings)."""
    return ((model, by, groups) for model in answer.models for by, groups in model.groups.items())


def _of_scores(answer: ComparisonAnswer, question: Question) -> Iterator[Plot]:
    """Yield the curves of the models and their scores: none of infinite scores, or of labels of one class."""
    cases = answer.cases
    if cases is None or cases.positive.all() or not cases.positive.any():
        return
    names = [answer.old, *(model.model for model in answer.models[:_MOST_MODELS])]
    scores = {name: cases.scores[name] for name in names}
    if not all(np.isfinite(column).all() for column in scores.values()):
        return
    models = models_of(RankedColumns(cases.positive, scores, cases.weights.values), question.weighting)
    for name, title, measure, plot in (
        ("roc", "ROC curves", "roc_auc", plots.plot_roc),
        ("precision_recall", "Precision-recall curves", "average_precision", plots.plot_precision_recall),
    ):
        caption = f"{title} of {listed(names)}."
        areas = ((each.model, item) for each in answer.models for item in each.differences if item.measure == measure)
        found = ((f"{item.title} of {model}", words.short_texts(item)) for model, item in areas)
        said = [f"{what}: {texts.new}, {answer.old}: {texts.old}" for what, texts in found]

        def draw(*, ax: Any, plot: Any = plot) -> None:
            plot({name: models(name) for name in names}, ax=ax)

        yield Plot(name, caption, draw, CURVES, f"{caption} {'. '.join(said)}.")
    old, at = answer.old, next((each for each in question.thresholds[:1] if np.isfinite(each)), None)
    for index, new in enumerate(names[1 : 1 + _MOST_PAIRS]):
        caption = f"Scores of {new} against those of {old}; darker cells hold more cases (log scale)"
        higher = percent(np.count_nonzero(scores[new] > scores[old]) / cases.positive.size)
        pair, weights = {old: scores[old], new: scores[new]}, cases.weights.values
        pairs = partial(plots.plot_score_pairs, cases.positive, pair, threshold=at, sample_weight=weights)
        alt = f"{caption}. {new} scores higher in {higher} of the cases."
        yield Plot(f"score_pairs_{index}", f"{caption}.", pairs, SCORES, alt)


def _of_groups(
    panel: str, by: str, groups: Sequence[GroupDifferences], models: Mapping[str, int], question: Question
) -> Iterator[Plot]:
    """Yield the chart of the changes of groups, from the old to the new model, with the intervals of the differences.

    models: the numbers of their colours.
    """
    shown = [group for group in text.ends_of_groups(groups) if not np.isnan(group.differences[0].found.difference)]
    if not shown:
        return
    old, new = models
    items = [group.differences[0] for group in shown]
    names, title = [group.group for group in shown], items[0].title
    asked: dict[str, Any] = {"sizes": [group.cases for group in shown], "order": "given", "measure": title}
    estimates = {old: [item.old for item in items], new: [item.new for item in items]}
    if bounded := any(map(words.is_bounded, items)):
        for side in ("low", "high"):
            bounds = [item.old + getattr(item.found, side) for item in items]
            asked[side] = {old: [np.nan] * len(items), new: bounds}

    def draw(*, ax: Any) -> None:
        """Draw the models in the colours that they have in all charts."""
        with in_styles([*models.values()]):
            plots.plot_groups(names, estimates, **asked, ax=ax)
        if bounded:
            certain = (words.is_certain(item, question.confidence) for item in items[::-1] if words.is_bounded(item))
            ax.collections[-1].set_color([nth_style(models[new])["color"] if each else grey() for each in certain])
        drawn, (left, right) = np.array([*estimates.values()]), ax.get_xlim()
        low, high = drawn.min(), drawn.max()  # intervals of a few cases may end far from all dots
        if low < high:  # else all dots are at one value
            ax.set_xlim(max(left, low - _BEYOND * (high - low)), min(right, high + _BEYOND * (high - low)))

    changes = [words.difference_texts(item).difference for item in items]
    first, last = (f"{shown_value(names[index])} {changes[index]}" for index in (0, -1))
    caption = f"{capitalised(title)} of {old} and of {new} by {by}; the groups that got worse stand first."
    if bounded:
        better = "left" if items[0].lower_is_better else "right"
        interval = f"The line through {new} is the {100 * question.confidence:g}% interval of its difference from {old}"
        caption = f"{caption} {interval}: where it lies to the {better} of {old}, the group got better."
        caption = f"{caption} It has a colour where a difference remains after adjustment."
    inches = Plot.inches[0], figure_height(len(shown), 1)
    yield Plot(f"{panel}-changes", caption, draw, panel, f"{caption} From {first} to {last}.", inches)


def capitalised(title: str) -> str:
    """Return a title with a capital letter.  O(1)."""
    return f"{title[0].upper()}{title[1:]}"
