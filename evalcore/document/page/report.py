"""A report as one HTML file: its panels, but for that of thresholds, and the plots that stand in them."""

import math
from collections.abc import Mapping, Sequence

from evalcore.document import shown, tables
from evalcore.document.charts.images import OTHERS, Plot
from evalcore.document.charts.plots import MODELS, missing, missing_matrices, plots_of
from evalcore.document.documents import MAIN, NOT_SHOWN, front_of_report
from evalcore.document.model import Part
from evalcore.document.page.cells import cell_of, threshold_cell
from evalcore.document.page.elements import html_page
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.tables import AnyCell, Cell, Table, item_of
from evalcore.document.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.document.words.classes import groups_apart
from evalcore.evaluation import model
from evalcore.evaluation.model import Answer, Section, Statistic
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import shows_all, spelled
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import has_interval
from evalcore.evaluation.wording import FEWEST, count, listed, shortened_names
from evalcore.gate.checks import GateResult
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


def as_html(
    answer: Answer,
    question: Question,
    drawn: Sequence[Plot] | None = None,
    *,
    described: Mapping[str, str] = {},
    full: bool = False,
    script: bool = True,
    gate: GateResult | None = None,
) -> str:
    """Write a report as an HTML page: its verdict, numbers, plots, how they were computed, and what they mean.

    drawn: the plots, if they exist already; described: how files were read, by headings; full: whether all groups,
    classes and counts are shown, however many; script: whether the page may hold a script.  All names are escaped.
    O(n log n) for each plot.  Raises MissingLibraryError if matplotlib is missing.

    >>> section = Section("scores", "", "score", {"<b>": [Statistic("cases", "cases", 40)]})
    >>> page = as_html(Answer([section]), Question("late"))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    sections, told = question.shown(answer.sections), () if gate is None else gate.lines
    main, rest = numbers_panels(answer, question, full)
    of_groups = thresholds_panel(answer, question, script), groups_panel(answer, question, full)
    titled = (
        (table.title.removeprefix(f"{tables.MISTAKES} of "), table) for table in tables.mistake_tables(answer, question)
    )
    mistakes = [table._replace(title=title, label=table.title) for title, table in titled]
    notes = [each for each in notes_of(answer, question.measures) if not each.startswith(model.NOTES_ON_GROUPS)]
    notes += [] if full or tables.are_whole(sections) else [NOT_SHOWN.format(shows_all())]
    plots = plots_of(answer, question) if drawn is None else drawn
    if item_of(answer.sections[0].last, "cases").value < FEWEST:  # which carry no chart, as the warning says
        plots, main = [], main._replace(after=["No charts are drawn of so few cases."])
    made = [main, *of_groups, classes_panel(answer, question, full)]
    made += [Part("Most confident mistakes", mistakes, name="mistakes"), Part("More charts", (), True, OTHERS)]
    made += [Part("Notes", name="notes", notes=[each for each in notes if each not in told])]
    made += [Part("What the gate found", (), True, "gate", notes=told), rest]
    front, computed = front_of_report(answer, question, gate, brief=False), {**described, **question.described()}
    if answer.positive is not None:
        computed |= {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}
    if methods := shown.interval_methods(sections):
        computed["Intervals"] = methods
    document = front._replace(
        title=_title(question),
        facts={**{name: text for name, text in described.items() if name == "File"}, **front.facts},
        parts=[*filter(None, made)],
        computed=computed,
        meanings=shown.meanings(sections),
    )
    return html_page(document, plots, models=len(answer.scores), script=script)


def numbers_panels(answer: Answer, question: Question, full: bool = False) -> tuple[Part, Part]:
    """Return the main numbers of all models side by side, with what changed, and all that no other panel has.

    O(statistics).
    """
    sections = question.shown(answer.sections)
    first, rest = _main_numbers(answer, question, sections), list[Table]()
    arranged = shown.side_by_side([*sections, *answer.changes])
    for section, found in zip(arranged, tables.tables(arranged, full), strict=True):
        begin, *names = found.head
        head = [begin or "statistic", *(name or "value" for name in names)]
        heading, name = found.heading or "all cases", section.whole.name if section.whole else section.name
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
        else:
            rest.append(table)
    reasons = [f"N{each[1:]}." for each in missing(answer, question)]
    writer = f"{spelled('--format csv', 'to_csv()')} writes all numbers with all digits."
    shown_first = Part("Numbers", first, name=MODELS, after=reasons, beside=1)
    return shown_first, Part("All numbers", rest, True, "all", after=[writer])


def _main_numbers(answer: Answer, question: Question, sections: Sequence[Section]) -> list[Table]:
    """Return the main statistics of all cases, columns being models; no table where none is.  O(statistics)."""
    whole, of_scores, names = sections[0].whole, bool(question.scores), question.measures.names
    if whole is None and not (sections[0].across or question.values):
        return []
    of_models = {section.title: section.last for section in sections if section.whole == whole}
    found = of_models if whole else dict(sections[0].records)
    leading = shown.leading_models(answer.sections, list(answer.scores), shown.MOST_TILES).values()
    rows, main = list[list[AnyCell]](), MAIN if of_scores else _OF_CLASSES
    for items in zip(*map(shown.without_repeats, found.values()), strict=True):
        name, is_nan = items[0].name, all(math.isnan(item.value) for item in items)
        is_asked = name not in _OF_THE_DATA and (names or name in main)
        cells: list[AnyCell] = [items[0].title.strip(), *items]
        if name in _SCORES_OF_CASES:  # as it is written everywhere on the page, where the scores are at hand
            for at, (column, item) in enumerate(zip(found, items, strict=True), 1):
                if column in leading:
                    cells[at] = threshold_cell(item.value, threshold_text(item.value, answer.scores[column]))
        rows += [cells] if (is_asked or question.values) and not is_nan else []
    head = ["statistic", *(name or "value" for name in found)]
    return [Table("", head, rows, label="Numbers")] if rows else []


def _has_groups(section: Section) -> bool:
    return section.whole is not None and not section.across and section.whole.name != model.CHANGES_SINCE_BASELINE


_COUNTS = "cases", "weight", "positives"
_COMPARED = "roc_auc_difference", "difference_to_rest", "accuracy_difference_to_rest", "p_value_holm"
_NO_INTERVAL = "no interval"
_HOLLOW = (
    "A group without an interval has a hollow dot in the chart: it has fewer than two cases of a class, or all its "
    "pairs of a positive and a negative are ranked alike. Do not rely on its value, high or low."
)


def groups_panel(answer: Answer, question: Question, full: bool = False) -> Part | None:
    """Return a table of the groups, for the chart beside it; none for a report without groups.  O(statistics)."""
    groups = shown.shown_groups(answer.sections, full)
    if groups is None:
        return None
    by = listed(shown.by_titles(question)) if question.by else "group"
    table = _of_groups(groups, by)
    apart = groups_apart(groups, question)
    notes = [note for note in answer.notes if note.startswith(model.NOTES_ON_GROUPS)]
    if any(cell.below == _NO_INTERVAL for row in table.rows for cell in row if isinstance(cell, Cell)):
        notes.append(_HOLLOW)
    whose = f" in the {groups.measure} of {groups.models[0].title}" if question.values else ""
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


def classes_panel(answer: Answer, question: Question, full: bool = False) -> Part | None:
    """Return the largest confusions, and the measures of each class.  O(k²)."""
    sections = tables.class_sections(answer.sections)
    if sections is None:
        return None
    confusions, classes = tables.confusions(sections.matrix, _MOST_CONFUSIONS), _of_classes(sections.classes, full)
    undrawn = [f"{what[0].upper()}{what[1:]}." for what in missing_matrices(answer, question)]
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
