"""A report as one HTML file: its panels, but for that of thresholds, and the plots that stand in them."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evalcore._version import __version__
from evalcore.document import shown, tables
from evalcore.document.charts.images import OTHERS, Plot
from evalcore.document.charts.plots import MODELS, missing, missing_matrices, plots_of
from evalcore.document.model import Document, verdict_of_report
from evalcore.document.page.panels import (
    Panel,
    Part,
    View,
    amount_cell,
    cell_of,
    facts_of,
    few_warning,
    html_page,
    is_narrow,
    threshold_cell,
)
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.document.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.document.words.classes import groups_apart, has_enough_cases
from evalcore.evaluation import model
from evalcore.evaluation.model import CountRecords, Section, Statistic
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import spelled
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import has_interval
from evalcore.evaluation.wording import FEWEST, count, listed, percent, shortened_names, shown_value
from evalcore.kernels.tables import BinaryCounts
from evalcore.typing import ScoreArray

_MAIN = frozenset({
    "roc_auc", "average_precision", "maximum_f1", "maximum_f1_threshold", "minimum_expected_cost",
    "minimum_expected_cost_threshold", "log_loss", "brier_score", "calibration_error", "threshold", "precision",
    "recall", "f1", "specificity", "expected_cost",
})  # fmt: skip
"""Statistics that a page shows at once, unless measures were named; it folds the others."""
_OF_CLASSES = "accuracy", "balanced_accuracy", "macro_f1", "macro_roc_auc", "kappa", "matthews_correlation"
"""The same of reports on classes."""
_OF_THE_DATA = {"cases", "positives", "weight", "effective_cases", "prevalence", *BinaryCounts._fields}
"""The same for all models, or counts, which the panel of thresholds has."""
_SHOWN_ABOVE = {model.CLASSES, model.CONFUSION_MATRIX}
"""Sections of which other panels show the main numbers."""
_SCORES_OF_CASES = {STATISTIC_OF[LOWEST_COST], STATISTIC_OF[BEST_F1]}
_CHANGES = {model.CHANGES_SINCE_BASELINE, model.CHANGES_OF_GROUPS}
_WRITER = "{} writes all numbers with all digits."
_MOST_WORST = 3


def as_html(view: View, drawn: Sequence[Plot] | None = None) -> str:
    """Write a report as an HTML page: its verdict, numbers, plots, how they were computed, and what they mean.

    drawn: the plots, if they exist already.  All names are escaped.  O(n log n) for each plot.  Raises
    MissingLibraryError if Jinja2 or matplotlib is missing.

    >>> from evalcore.evaluation.model import Answer
    >>> section = Section("scores", "", "score", {"<b>": [Statistic("cases", "cases", 40)]})
    >>> page = as_html(View(Answer([section]), Question("late")))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    answer, question = view.answer, view.question
    facts = {item.name: item.value for item in next(iter(_of_all(answer.sections[0]).values()))}
    cases, positives = int(facts["cases"]), int(facts.get("positives", -1))
    kinds = {"case": cases} if positives < 0 else {"positive case": positives, "negative case": cases - positives}
    verdict = verdict_of_report(answer, question, view.gate)
    if warning := few_warning(kinds):  # which says it already
        verdict = verdict._replace(more=[each for each in verdict.more if not each.startswith("Fewer than ")])
    document = Document(
        _title(question),
        facts_of(cases, facts.get("prevalence", math.nan), view.computed.get("File", "")),
        verdict,
        _worst(view),
        computed=_computed(view),
        meanings=shown.meanings(question.shown(answer.sections)),
        warning=warning,
    )
    made = [numbers_panel(view), thresholds_panel(view), groups_panel(view), classes_panel(view)]
    made += [Panel(OTHERS, "More charts", folded=True), notes_panel(view), _gate(view), all_numbers_panel(view)]
    plots = [] if cases < FEWEST else plots_of(answer, question) if drawn is None else drawn
    return html_page(document, filter(None, made), plots, models=len(answer.scores), script=view.script)


def _of_all(section: Section) -> Mapping[str, Sequence[Statistic]]:
    """Return the statistics of all cases by the names of models, of a section that may hold groups.  O(models)."""
    return {section.title: section.last} if section.whole else dict(section.records)


def _worst(view: View) -> Table | None:
    """Return the three groups below all cases, or the classes, with the lowest values among those with enough cases."""
    sections = view.answer.sections
    groups, classes = shown.shown_groups(sections, view.in_full), tables.class_sections(sections)
    if groups is not None:
        section, name, total = groups.models[0], groups.measure, groups.measured(groups.models[0], groups.total)
        records = {each: groups.items(section, each) for each in groups.names}
        large = [each for each, items in records.items() if has_enough_cases([*items.values()], name)]
        found = [each for each in large if records[each][name].value < total.value]
        what = f"{total.title} of {shown_value(section.title)}"
    elif classes is not None and len(classes.classes.records) > 2:
        name = "f1"
        records = {each: {item.name: item for item in items} for each, items in classes.classes.records.items()}
        found = [each for each, items in records.items() if items["cases"].value >= FEWEST]
        what = "F1"
    else:
        return None
    found = sorted(found, key=lambda each: records[each][name].value)[:_MOST_WORST]
    rows: list[list[AnyCell]] = [[each, records[each][name], records[each]["cases"]] for each in found]
    by = " and ".join(view.question.by) or "class"
    return Table(f"Where it fails: the lowest {what}", [by, what, "cases"], rows) if rows else None


def numbers_panel(view: View) -> Panel:
    """Return the main numbers of all models side by side, and what changed since an earlier report.  O(statistics)."""
    answer, question = view.answer, view.question
    found, _ = _numbers(view)
    parts = [Part("", found)] if found and found.rows else []
    sections = [*question.shown(answer.sections), *answer.changes]
    several = len(question.scores) > 2
    for section, table in _tables(sections, view.in_full):
        name = section.whole.name if section.whole else section.name
        if name in _CHANGES or (several and not section.whole and name == model.COMPARISONS):
            parts.append(Part(_heading(section, table), table._replace(title=_heading(section, table))))
    reasons = [f"N{each[1:]}." for each in missing(answer, question)]
    return Panel(MODELS, "Numbers", parts=parts, after=reasons, beside=int(bool(parts) and is_narrow(parts[0].table)))


def _numbers(view: View) -> tuple[Table | None, Table | None]:
    """Return the statistics of all cases, columns being models: the main ones, and the others.  O(statistics)."""
    sections = view.question.shown(view.answer.sections)
    whole = sections[0].whole if sections else None
    alike = [section for section in sections if section.whole == whole] if whole else sections[:1]
    found = {name: each for section in alike if whole or section.across for name, each in _of_all(section).items()}
    if not found:
        return None, None
    leading = shown.leading_models(view.answer.sections, list(view.answer.scores), shown.MOST_TILES)
    scores = {name: view.answer.scores[name] for name in leading.values()}
    head = ["statistic", *(name or "value" for name in found)]
    rows: dict[bool, list[list[AnyCell]]] = {True: [], False: []}
    named, main = view.question.measures.names, _MAIN.union(() if view.question.scores else _OF_CLASSES)
    for items in zip(*map(shown.without_repeats, found.values()), strict=True):
        first = items[0]
        is_nan = all(math.isnan(item.value) for item in items)
        is_main = first.name not in _OF_THE_DATA and (bool(named) or first.name in main) and not is_nan
        cells = [_number(item, scores.get(name)) for name, item in zip(found, items, strict=True)]
        rows[is_main].append([first.title.strip(), *cells])
    return Table("Numbers", head, rows[True]), Table("More numbers", head, rows[False])


def _tables(sections: Sequence[Section], in_full: bool) -> Iterator[tuple[Section, Table]]:
    """Yield sections as tables, whose first columns have a heading."""
    arranged = shown.side_by_side(sections)
    for section, table in zip(arranged, tables.tables(arranged, in_full), strict=True):
        first, *names = table.head
        yield section, table._replace(head=[first or table.corner or "statistic", *(name or "value" for name in names)])


def _number(item: Statistic, scores: ScoreArray | None) -> AnyCell:
    """Return a threshold as it is written everywhere on the page, where the scores of its model are at hand."""
    if item.name in _SCORES_OF_CASES and scores is not None:
        return threshold_cell(item.value, threshold_text(item.value, scores))
    return item


def all_numbers_panel(view: View) -> Panel:
    """Return the tables of a report that no other panel has.  O(statistics)."""
    sections = [*view.question.shown(view.answer.sections), *view.answer.changes]
    _, more = _numbers(view)
    parts = [Part(more.title, more)] if more and more.rows else []
    for section, table in _tables(sections, view.in_full):
        if not (section.across and section == sections[0]):
            title, repeats = _heading(section, table), _has_groups(section) or section.name in _SHOWN_ABOVE
            parts.append(Part(title, table._replace(title=title), folded=repeats))
    after = [_WRITER.format(spelled("--format csv", "to_csv()"))]
    return Panel("all", "All numbers", parts=parts, after=after, folded=True)


def _heading(section: Section, table: Table) -> str:
    """Return the heading of a table, which says what it holds where nobody sees it at first.  O(1)."""
    heading = table.heading or "Numbers"
    return f"{heading}: all groups" if _has_groups(section) else f"{heading[0].upper()}{heading[1:]}"


def _has_groups(section: Section) -> bool:
    return section.whole is not None and section.whole.name != model.CHANGES_SINCE_BASELINE


def _gate(view: View) -> Panel | None:
    """Return all that a gate found, of which the verdict has the worst."""
    if view.gate is None:
        return None
    return Panel("gate", "What the gate found", notes=view.gate.lines, folded=True)


def notes_panel(view: View) -> Panel:
    """Return the notes of a report, but for those of its gate and those beside its groups.  O(statistics)."""
    sections = view.question.shown(view.answer.sections)
    notes = [*notes_of(view.answer, view.question.measures), *tables.remarks(sections, view.in_full)]
    told = () if view.gate is None else view.gate.lines
    kept = [each for each in notes if each not in told and not each.startswith(model.NOTES_ON_GROUPS)]
    return Panel("notes", "Notes", notes=kept)


def _computed(view: View) -> dict[str, str]:
    """Return what decides the numbers, by headings.  O(statistics)."""
    answer, entries = view.answer, {**view.computed, **view.question.described()}
    if answer.positive is not None:
        entries |= {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}
    entries["Program"] = f"evalcore {__version__}, NumPy {np.__version__}"
    if methods := shown.interval_methods(view.question.shown(answer.sections)):
        entries["Intervals"] = methods
    return entries


_COUNTS = "cases", "weight", "positives"
_COMPARED = "roc_auc_difference", "difference_to_rest", "accuracy_difference_to_rest", "p_value_holm"
_NO_INTERVAL = "no interval"
_HOLLOW = (
    "A group without an interval has a hollow dot in the chart: it has fewer than two cases of a class, or all its "
    "pairs of a positive and a negative are ranked alike. Do not rely on its value, high or low."
)


def groups_panel(view: View) -> Panel | None:
    """Return a table of the groups, for the chart beside it; none for a report without groups.  O(statistics)."""
    groups = shown.shown_groups(view.answer.sections, view.in_full)
    if groups is None:
        return None
    by = listed(view.question.by) if view.question.by else "group"
    table = _of_groups(groups, by)
    apart = groups_apart(groups, view.question)
    notes = [note for note in view.answer.notes if note.startswith(model.NOTES_ON_GROUPS)]
    if any(cell.below == _NO_INTERVAL for row in table.rows for cell in row if isinstance(cell, Cell)):
        notes.append(_HOLLOW)
    rule = f"{groups.rule} {_APART}" if apart else groups.rule
    rest = [at for at, head in enumerate(table.head) if head.endswith(" to the rest") and groups.models[1:]]
    rest = [each for at in rest for each in (at, at + 1)]  # with its p-value
    kept = table.columns([at for at in range(len(table.head)) if at not in rest])
    parts = [Part("", kept, anchor="group", apart=apart)]
    if rest:
        title = "Differences to the rest"
        parts.append(Part(title, table.columns([0, *rest])._replace(title=title), folded=True))
    after = [note if note.endswith(".") else f"{note}." for note in notes]
    return Panel("groups", f"By {by}", before=[rule], parts=parts, after=after, beside=int(is_narrow(kept)))


_APART = "Coloured groups differ from all cases after adjustment for the number of groups."


def _of_groups(groups: shown.ShownGroups, by: str) -> Table:
    """Return a row for each group and one for all: the measure of each model, differences, and numbers of cases."""
    total = groups.items(groups.models[0], groups.total)
    title, counts = total[groups.measure].title, [name for name in _COUNTS if name in total]
    models = shortened_names(section.title for section in groups.models).values()
    rests = shortened_names(section.name for section in groups.rests).values()
    to_rest = ("to the rest" if len(rests) == 1 else f"of {each} to the rest" for each in rests)
    differences = *shortened_names(section.name for section in groups.pairs).values(), *to_rest
    heads = [head for what in differences for head in (f"difference {what}", "p, Holm")]
    head = [by, *(f"{title} of {each}" for each in models), *heads, *(total[name].title for name in counts)]
    rows = list[list[AnyCell]]()
    for name in [*groups.names, groups.total]:
        measured = [_measured_cell(groups.measured(section, name)) for section in groups.models]
        compared = [cell for section in (*groups.pairs, *groups.rests) for cell in _of_difference(section, name)]
        rows.append([name, *measured, *compared, *map(groups.items(groups.models[0], name).__getitem__, counts)])
    return Table(f"Groups by {by}", head, rows, marked=len(rows) - 1)


def _measured_cell(item: Statistic) -> AnyCell:
    """Return the cell of a measure, which says where an interval that others have is missing.  O(1)."""
    is_missing = item.interval is not None and not has_interval(item) and not math.isnan(item.value)
    return cell_of(item)._replace(below=_NO_INTERVAL) if is_missing else item


def _of_difference(section: Section, name: str) -> Sequence[AnyCell]:
    """Return the cells of a difference and of its adjusted p-value, empty ones of all cases, which have no rest."""
    return [item for item in section.records.get(name, ()) if item.name in _COMPARED] or ["", ""]


_MOST_CONFUSIONS = 5
_OF_A_CLASS = {"cases", "weight", "precision", "recall", "f1", "roc_auc"}


def classes_panel(view: View) -> Panel | None:
    """Return the largest confusions, and the measures of each class.  O(k²)."""
    found = tables.class_sections(view.answer.sections)
    if found is None:
        return None
    measured = [_confusions(found.matrix), *_of_classes(found.classes, view.in_full)]
    undrawn = [f"{what[0].upper()}{what[1:]}." for what in missing_matrices(view.answer, view.question)]
    parts = [Part(table.title, table, anchor="class" * (table.head[0] == "class")) for table in measured if table.rows]
    said = [] if measured[0].rows else ["No case was mistaken for another class."]
    return Panel("classes", "Classes", before=[*undrawn, *said], parts=parts, beside=1 - len(said))


def _confusions(matrix: CountRecords) -> Table:
    """Return the labels that are most often mistaken, for which class, and how often.  O(k²)."""
    rows: list[list[AnyCell]] = [
        [label, other, amount_cell(cases), Cell(percent(fraction), repr(fraction))]
        for label, other, cases, fraction in tables.most_confused(matrix, _MOST_CONFUSIONS)
    ]
    head = ["label", "mistaken for", "weight" if matrix.weighted else "cases", "of the label"]
    return Table("Largest confusions", head, rows, names=2)


def _of_classes(classes: Section, in_full: bool) -> Iterator[Table]:
    """Yield the measures of each class, of many those of the most frequent and of those with the lowest F1."""
    total = len(classes.records)
    listed_in = {"Each class": tables.most_frequent(classes)}
    if total > 2 * tables.MOST_LISTED and not in_full:
        most = tables.MOST_LISTED
        titles = f"The {most} most frequent of {count(total)} classes", f"The {most} classes with the lowest F1"
        listed_in = dict(zip(titles, tables.listed_classes(classes, most), strict=True))
    for title, names in listed_in.items():
        items = [[item for item in classes.records[name] if item.name in _OF_A_CLASS] for name in names]
        rows: list[list[AnyCell]] = [[name, *own] for name, own in zip(names, items, strict=True)]
        yield Table(title, ["class", *(item.title for item in items[0])], rows)


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or question.predicted
    named = listed(models, most=4) if models else "scores of classes"
    by = f", by {listed(question.by)}" if question.by else ""
    return f"{question.label}: {named}{by}{question.weighting.in_titles}"
