"""A report as one HTML file: its panels, but for that of thresholds, and the plots that stand in them."""

import math
from collections.abc import Sequence

from evalcore.document import shown, tables
from evalcore.document.charts.images import OTHERS, Plot
from evalcore.document.charts.plots import MODELS, missing, missing_matrices, plots_of
from evalcore.document.documents import MAIN, NOT_SHOWN, front_of_report
from evalcore.document.model import Part
from evalcore.document.page.panels import View, cell_of, html_page, threshold_cell
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.tables import AnyCell, Cell, Table, item_of
from evalcore.document.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.document.words.classes import groups_apart
from evalcore.evaluation import model
from evalcore.evaluation.model import Section, Statistic
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import shows_all, spelled
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import has_interval
from evalcore.evaluation.wording import FEWEST, count, listed, shortened_names
from evalcore.kernels.tables import BinaryCounts

_OF_CLASSES = {"accuracy", "balanced_accuracy", "macro_f1", "macro_roc_auc", "kappa", "matthews_correlation"}
"""Statistics of reports on classes that a page shows at once, unless measures were named; it folds the others."""
_OF_THE_DATA = {"cases", "positives", "weight", "effective_cases", "prevalence", *BinaryCounts._fields}
"""The same for all models, or counts, which the panel of thresholds has."""
_SHOWN_ABOVE = {model.CLASSES, model.CONFUSION_MATRIX}
"""Sections of which other panels show the main numbers."""
_SCORES_OF_CASES = {STATISTIC_OF[LOWEST_COST], STATISTIC_OF[BEST_F1]}
_CHANGES = {model.CHANGES_SINCE_BASELINE, model.CHANGES_OF_GROUPS}
_WIDE = 5
"""Columns that leave no space for a chart beside them."""


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
    main, rest = numbers_panels(view)
    made = [main, thresholds_panel(view), groups_panel(view), classes_panel(view)]
    gate = Part("What the gate found", (), True, "gate", notes=() if view.gate is None else view.gate.lines)
    titled = (
        (table.title.removeprefix(f"{tables.MISTAKES} of "), table) for table in tables.mistake_tables(answer, question)
    )
    mistakes = [table._replace(title=title, label=table.title) for title, table in titled]
    made.append(Part("Most confident mistakes", mistakes, name="mistakes"))
    made += [Part("More charts", (), True, OTHERS), notes_panel(view), gate, rest]
    plots = plots_of(answer, question) if drawn is None else drawn
    if item_of(answer.sections[0].last, "cases").value < FEWEST:  # which carry no chart, as the warning says
        plots, made[0] = [], main._replace(after=["No charts are drawn of so few cases."])
    front = front_of_report(answer, question, view.gate, brief=False)
    document = front._replace(
        title=_title(question),
        facts={**{name: text for name, text in view.computed.items() if name == "File"}, **front.facts},
        parts=[*filter(None, made)],
        computed=_computed(view),
        meanings=shown.meanings(question.shown(answer.sections)),
    )
    return html_page(document, plots, models=len(answer.scores), script=view.script)


def numbers_panels(view: View) -> tuple[Part, Part]:
    """Return the main numbers of all models side by side, with what changed, and all that no other panel has.

    O(statistics).
    """
    answer, question = view.answer, view.question
    sections = question.shown(answer.sections)
    main, more = _numbers(view, sections)
    first, rest = [main] if main.rows else [], [more] if more.rows else []
    arranged = shown.side_by_side([*sections, *answer.changes])
    for section, found in zip(arranged, tables.tables(arranged, view.full), strict=True):
        begin, *names = found.head
        head = [begin or "statistic", *(name or "value" for name in names)]
        heading, name = found.heading or "Numbers", section.whole.name if section.whole else section.name
        title = f"{heading}: all groups" if _has_groups(section) else f"{heading[0].upper()}{heading[1:]}"
        table = found._replace(title=title, head=head, folded=_has_groups(section) or name in _SHOWN_ABOVE)
        of_models = name == model.COMPARISONS and not section.whole and len(question.scores) > 2
        if of_models or name.startswith(model.FOLDS):
            first.append(table)
        elif name in _CHANGES:  # of the main measures, and of the first one in groups
            main_rows = [row for row in table.rows if row[0] in MAIN.union(question.measures.names)]
            kept = table.columns(range(4)) if _has_groups(section) else table._replace(rows=main_rows)
            first.append(kept._replace(folded=False, anchor=f"change-{len(first)}"))
            rest.append(table._replace(folded=True, label=f"{title}: all measures"))
        elif not (_stands_across(section) and section == sections[0]):
            rest.append(table)
    reasons = [f"N{each[1:]}." for each in missing(answer, question)]
    writer = f"{spelled('--format csv', 'to_csv()')} writes all numbers with all digits."
    shown_first = Part("Numbers", first, name=MODELS, after=reasons, beside=1)
    return shown_first, Part("All numbers", rest, True, "all", after=[writer])


def _stands_across(section: Section) -> bool:
    return section.across or (section.name == model.VALUES and section.whole is None)


def _numbers(view: View, sections: Sequence[Section]) -> tuple[Table, Table]:
    """Return the statistics of all cases, columns being models: the main ones, and the others.  O(statistics)."""
    whole = sections[0].whole
    alike = [section for section in sections if section.whole == whole] if whole else sections[:1]
    of_all = [each for each in alike if whole or _stands_across(each)]
    found = dict[str, Sequence[Statistic]]()
    for section in of_all:
        found |= {section.title: section.last} if section.whole else dict(section.records)
    leading = shown.leading_models(view.answer.sections, list(view.answer.scores), shown.MOST_TILES)
    head = ["statistic", *(name or "value" for name in found)]
    chosen, others = list[list[AnyCell]](), list[list[AnyCell]]()
    main = MAIN if view.question.scores else _OF_CLASSES
    for items in zip(*map(shown.without_repeats, found.values()), strict=True):
        name, is_nan = items[0].name, all(math.isnan(item.value) for item in items)
        is_asked = name not in _OF_THE_DATA and (view.question.measures.names or name in main)
        kept = chosen if (is_asked or view.question.values) and not is_nan else others
        cells: list[AnyCell] = [items[0].title.strip(), *items]
        if name in _SCORES_OF_CASES:  # as it is written everywhere on the page, where the scores are at hand
            for at, (column, item) in enumerate(zip(found, items, strict=True), 1):
                if column in leading.values():
                    cells[at] = threshold_cell(item.value, threshold_text(item.value, view.answer.scores[column]))
        kept.append(cells)
    return Table("", head, chosen, label="Numbers"), Table("More numbers", head, others)


def _has_groups(section: Section) -> bool:
    return section.whole is not None and not section.across and section.whole.name != model.CHANGES_SINCE_BASELINE


def notes_panel(view: View) -> Part:
    """Return the notes of a report, but for those of its gate and those beside its groups.  O(statistics)."""
    sections = view.question.shown(view.answer.sections)
    notes = notes_of(view.answer, view.question.measures)
    if not (view.full or tables.are_whole(sections)):
        notes = [*notes, NOT_SHOWN.format(shows_all())]
    told = () if view.gate is None else view.gate.lines
    kept = [each for each in notes if each not in told and not each.startswith(model.NOTES_ON_GROUPS)]
    return Part("Notes", name="notes", notes=kept)


def _computed(view: View) -> dict[str, str]:
    """Return what decides the numbers, by headings.  O(statistics)."""
    answer, entries = view.answer, {**view.computed, **view.question.described()}
    if answer.positive is not None:
        entries |= {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}
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


def groups_panel(view: View) -> Part | None:
    """Return a table of the groups, for the chart beside it; none for a report without groups.  O(statistics)."""
    groups = shown.shown_groups(view.answer.sections, view.full)
    if groups is None:
        return None
    by = listed(shown.by_titles(view.question)) if view.question.by else "group"
    table = _of_groups(groups, by)
    apart = groups_apart(groups, view.question)
    notes = [note for note in view.answer.notes if note.startswith(model.NOTES_ON_GROUPS)]
    if any(cell.below == _NO_INTERVAL for row in table.rows for cell in row if isinstance(cell, Cell)):
        notes.append(_HOLLOW)
    whose = f" in the {groups.measure} of {groups.models[0].title}" if view.question.values else ""
    rule = f"{groups.rule} {_APART.format(whose)}" if apart else groups.rule
    after = [note if note.endswith(".") else f"{note}." for note in notes]
    table = table._replace(title="", label=table.title, anchor="group", apart=apart)
    beside = int(len(table.head) < _WIDE)
    return Part(f"By {by}", [table], name="groups", before=[rule], after=after, beside=beside)


_APART = "Coloured groups differ from all cases{} after adjustment for the number of groups."


def _of_groups(groups: shown.ShownGroups, by: str) -> Table:
    """Return a row for each group and one for all: the measure of each model, differences, and numbers of cases."""
    first, measure = groups.models[0], groups.measure
    titles = first.columns.titles
    counts = [name for name in _COUNTS if name in titles]
    models = shortened_names(section.title for section in groups.models).values()
    rests = groups.rests if len(models) == 1 else []  # of several models, all numbers have them
    differences = [*shortened_names(section.name for section in groups.pairs).values(), *["to the rest"] * len(rests)]
    heads = [head for what in differences for head in (f"difference {what}", "p, Holm")]
    head = [by, *(f"{titles[measure]} of {each}" for each in models), *heads, *map(titles.__getitem__, counts)]
    rows = list[list[AnyCell]]()
    found = [groups.records(section, measure) for section in groups.models]
    compared = [groups.records(section, *_COMPARED) for section in (*groups.pairs, *rests)]
    for name, sizes in groups.records(first, *counts).items():
        measured = [_measured_cell(*each[name]) for each in found]
        # all cases have no rest
        rows.append([name, *measured, *(cell for each in compared for cell in each.get(name, ["", ""])), *sizes])
    return Table(f"Groups by {by}", head, rows, marked=len(rows) - 1)


def _measured_cell(item: Statistic) -> AnyCell:
    """Return the cell of a measure, which says where an interval that others have is missing.  O(1)."""
    is_missing = item.interval is not None and not has_interval(item) and not math.isnan(item.value)
    return cell_of(item)._replace(below=_NO_INTERVAL) if is_missing else item


_MOST_CONFUSIONS = 5
_OF_A_CLASS = {"cases", "weight", "precision", "recall", "f1", "roc_auc"}


def classes_panel(view: View) -> Part | None:
    """Return the largest confusions, and the measures of each class.  O(k²)."""
    sections = tables.class_sections(view.answer.sections)
    if sections is None:
        return None
    confusions, classes = tables.confusions(sections.matrix, _MOST_CONFUSIONS), _of_classes(sections.classes, view.full)
    undrawn = [f"{what[0].upper()}{what[1:]}." for what in missing_matrices(view.answer, view.question)]
    said = [] if confusions.rows else ["No case was mistaken for another class."]
    found = [
        *([confusions._replace(title="Largest confusions")] if confusions.rows else []),
        classes._replace(anchor="class"),
    ]
    return Part("Classes", found, name="classes", before=[*undrawn, *said], beside=len(found) - 1)


def _of_classes(classes: Section, full: bool) -> Table:
    """Return the main measures of each class, of many those with the lowest F1 and the most frequent ones."""
    total, most = len(classes.records), tables.MOST_LISTED
    some = total > 2 * most and not full
    frequent, worst = tables.listed_classes(classes, most if some else total)
    title = f"The {most} classes of {count(total)} with the lowest F1, and the {most} most frequent ones"
    rows: list[list[AnyCell]] = [
        [name, *(item for item in classes.records[name] if item.name in _OF_A_CLASS)]
        for name in dict.fromkeys([*worst, *frequent])
    ]
    titles = (item.title for item in rows[0] if isinstance(item, Statistic))
    return Table(title if some else "Each class, the lowest F1 first", ["class", *titles], rows)


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or question.predicted
    named = f": {listed(models, most=4) if models else 'scores of classes'}" * (not question.values)
    by = f", by {listed(shown.by_titles(question))}" if question.by else ""
    return f"{question.subject}{named}{by}{question.weighting.in_titles}"
