"""A comparison as a document, for every writer: its verdict, measures, groups, changed decisions, and notes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from evalcore.document.documents import BRIEF, Shown
from evalcore.document.exports import cases_of
from evalcore.document.model import Document, Part, few_warning, verdict_of_comparison
from evalcore.document.tables import AnyCell, Cell, Table, case_tables
from evalcore.document.words import comparison as words
from evalcore.document.words.classes import without_small
from evalcore.evaluation.catalogue import entry_of, measure_name
from evalcore.evaluation.differences import (
    ChangedCase,
    Changes,
    ComparisonAnswer,
    GroupDifferences,
    MeasureDifference,
    ModelDifferences,
)
from evalcore.evaluation.measure_choice import margin_text
from evalcore.evaluation.options import shows_all
from evalcore.evaluation.outcomes import LOST, TIED, WON
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import NameOrder
from evalcore.evaluation.wording import FEWEST, count, enough, grouping_title, listed, p_text, percent
from evalcore.gate.checks import GateResult
from evalcore.kernels.thresholds import given_number, plain_number

CURVES, SCORES, SYSTEMS, GROUPING = "curves", "scores", "systems", "by-{}"
"""Parts where charts stand: those of curves, of scores, of systems, and those of groups in the part of their column."""
MOST_FROM_EACH_END = 20
"""Groups that are shown from each end of more than twice as many."""
_MOST_WORST = 3
"""Groups that are named as those where a model lost most."""
DETECTABLE, P_VALUE, HOLM, BENJAMINI_HOCHBERG = "detectable", "p", "p, Holm", "p, B-H"
_DROPPED = DETECTABLE, BENJAMINI_HOCHBERG, HOLM, P_VALUE
"""Heads of columns that a narrow table leaves out, the first of them first, and any without a number."""
_IN_FULL = P_VALUE, BENJAMINI_HOCHBERG, DETECTABLE
"""Heads of columns that few readers need: one adjusted p-value says enough."""
_DETECTABLE_NOTE = "the detectable difference"
"""How the note on a column begins that is shown where all are."""
_MEANINGS = {
    HOLM: (
        "How often two equally good models would differ by at least this much by chance, adjusted by Holm's method for "
        "the number of comparisons in its table."
    ),
    "verdict": (
        "Better or worse: the interval excludes 0 and the p-value agrees (for groups, after adjustment).  With a "
        "margin (for groups, by intervals that hold for all of them together): "
        "superior, if the gain is certainly larger than the margin; non-inferior, if the loss is certainly smaller; "
        "equivalent, if both models certainly differ by less than the margin; inferior, if the loss is certainly "
        "larger; otherwise inconclusive."
    ),
    "newly right, newly wrong": "Cases that the new model gets right and the old one gets wrong, and the reverse.",
}


def document_of_comparison(
    answer: ComparisonAnswer, question: Question, shown: Shown = BRIEF, gate: GateResult | None = None, file: str = ""
) -> Document:
    """Return a comparison for readers.  O(shown numbers).

    file: the names of what was compared.
    """
    notes = comparison_notes(answer, question)
    if not shown.full:
        notes = [each for each in notes if not each.startswith(_DETECTABLE_NOTE)]
        notes.append(f"some numbers are not shown; {shows_all()} shows them all")
    items = [] if question.values else [item for each in answer.models for item in each.differences]
    entries = (entry_of(measure_name(item.measure).measure) for item in items)
    return Document(
        comparison_title(answer, question),
        {**({"File": file} if file else {}), **_facts(answer, question)},
        verdict_of_comparison(answer, question, gate, shown.digits),
        None if shown.full else _worst(answer, question, shown.digits),
        [*_parts(answer, question, shown)],
        notes,
        computed=_computed(answer, question),
        meanings={entry.title: entry.meaning for entry in entries if entry} | _MEANINGS,
        warning=few_warning(answer.cases.kinds if answer.cases else {}),
    )


def comparison_title(answer: ComparisonAnswer, question: Question) -> str:
    """Return what is compared with what: the title of a comparison.  O(models).

    >>> comparison_title(ComparisonAnswer("logistic", [ModelDifferences("boosting", [])]), Question("late"))
    'late: boosting (new) against logistic (old)'
    >>> comparison_title(ComparisonAnswer("old", [ModelDifferences("new", [])]), Question("late"))
    'late: new against old'
    """
    names = [each.model for each in answer.models]
    new, old = listed(names, most=4), answer.old
    new, old = new if names == ["new"] else f"{new} (new)", old if old == "old" else f"{old} (old)"
    return f"{question.subject}: {new} against {old}{question.weighting.in_titles}"


def _facts(answer: ComparisonAnswer, question: Question) -> Mapping[str, str]:
    """Return how many cases were compared, and how many of them are positive.  O(n)."""
    cases = cases_of(answer)
    facts = {} if cases is None else {question.units.capitalize(): count(cases)}
    if answer.sides is not None:
        positives, negatives = answer.sides
        facts["Positive"] = f"{count(positives)} ({percent(positives / (positives + negatives))})"
    return facts


def _computed(answer: ComparisonAnswer, question: Question) -> dict[str, str]:
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
    }
    return question.described() | {name: text for name, text in entries.items() if text}


def comparison_notes(answer: ComparisonAnswer, question: Question) -> list[str]:
    """Say which rows were compared, and what a reader must know beside the numbers.  O(models)."""
    joined = []
    for model, counts in answer.joins.items():
        left_out = {
            "left out (only on the old side)": counts.only_old,
            "left out (only on the new side)": counts.only_new,
            "left out (repeated id)": counts.repeated_old + counts.repeated_new,
            "with labels that differ (the new side's label counts)": counts.other_labels,
        }
        parts = [f"{count(counts.cases)} {question.units} were compared"]
        parts += [f"{count(number)} {what}" for what, number in left_out.items() if number]
        joined.append(f"{f'{model}: ' if len(answer.joins) > 1 else ''}{'; '.join(parts)}")
    return [*joined, *answer.notes]


def _parts(answer: ComparisonAnswer, question: Question, shown: Shown) -> Iterator[Part]:
    """Yield what is compared, from the top to the end; what few readers need is folded.

    Where no reader can open what is folded, other measures of groups are left out unless all is shown.  Cases are on
    pages, and elsewhere where all is shown or their texts are asked for.
    """
    several, opened = len(answer.models) > 1, shown.full or shown.folds

    def of_model(model: str, table: Table, **how: Any) -> Table:
        """Return a table that fits, with a label that no other has, and a title that names one of several models."""
        label = f"{model}: {table.title}"
        fitted = table if shown.full or not table.optional else table.without(*_IN_FULL).fitted(shown.width)
        return fitted._replace(**{"title": label if several and table.title else table.title, "label": label} | how)

    def of_cases(model: str, lists: Mapping[str, Sequence[ChangedCase]]) -> list[Table]:
        listed = shown.full or shown.page or question.show
        tables = case_tables(lists, question, shown.most_cases) if listed else []
        return [of_model(model, table, folded=True) for table in tables]

    if answer.standings:
        yield Part("Systems", [*_standings(answer, shown.digits)], name=SYSTEMS)
    measured = ((each.model, measure_table(each, question, shown.digits, several=several)) for each in answer.models)
    titled = ((name, f"{name} against {answer.old}" if several else "", table) for name, table in measured)
    named = [of_model(name, table, title=title, label=f"Measures of {name}") for name, title, table in titled]
    yield Part("Measures", named, name="measures")
    yield Part("Curves", name=CURVES)
    for index, (model, by, groups) in enumerate(groupings_of(answer, question)):
        name, kept = model.model, groups if shown.full else ends_of_groups(groups)
        label, anchor = f"{name} by {by}", GROUPING.format(index)
        apart = frozenset(group.group for group in kept if group.differences[0].is_certain)
        table = group_table(by, kept, question, shown.digits, of=len(groups))
        tables = [of_model(name, table, label=label, anchor=anchor, apart=apart)]
        if opened and (others := _other_measures(by, kept, shown.digits)).head[1:]:
            tables.append(of_model(name, others, label=f"{label}: other measures", folded=True))
        yield Part(f"By {by}: {name}" if several else f"By {by}", tables, name=anchor)
    for index, (model, changes) in enumerate((each, one) for each in answer.models for one in each.changes):
        place = "by predicted class" if changes.threshold is None else f"at threshold {given_number(changes.threshold)}"
        place = f"in {changes.measure}" if changes.measure else place
        order = "" if changes.threshold is None and WON not in changes.counts else ", the largest changes first"
        lost, won = ("Lost", "Won") if WON in changes.counts else ("Newly wrong", "Newly right")
        lists = {f"{lost} {place}{order}": changes.newly_wrong, f"{won} {place}{order}": changes.newly_right}
        name, of = model.model, f": {model.model}" if several else ""
        counts = of_model(name, _changed_counts(changes, answer.old, name), label=f"{name} {place}")
        heading = f"Changed {'values' if changes.measure else 'decisions'} {place}{of}"
        yield Part(heading, [counts, *of_cases(name, lists)], name=f"changed-{index}")
    told = (each for each in answer.models if shown.full or shown.page or not each.changes)
    moved = [table for each in told for table in of_cases(each.model, _moved_cases(each, question))]
    yield Part("Queries that changed" if question.of_runs else "Changed scores", moved, True, SCORES)


def groupings_of(
    answer: ComparisonAnswer, question: Question
) -> Iterator[tuple[ModelDifferences, str, Sequence[GroupDifferences]]]:
    """Yield each model with each of its groupings, whose groups stand as readers see them.  O(models x groups).

    Those that are dates or numbers stand in their order, others where the new model lost most first.
    """
    for model in answer.models:
        for by, groups in model.groups.items():
            if groups:
                order = NameOrder([each.group for each in groups])
                in_order = sorted(groups, key=lambda each: order.key(each.group)) if order.is_time else groups
                yield model, grouping_title(by, question.every), in_order


def ends_of_groups(groups: Sequence[GroupDifferences]) -> Sequence[GroupDifferences]:
    """Return the groups, or of more than 40 the first and the last 20 of them.  O(1)."""
    most = MOST_FROM_EACH_END
    return groups if len(groups) <= 2 * most else [*groups[:most], *groups[-most:]]


def _worst(answer: ComparisonAnswer, question: Question, digits: int) -> Table | None:
    """Return the three groups with enough cases in which a new model lost most, or gained least.  O(groups)."""
    found = list[tuple[str, str, list[GroupDifferences], str]]()
    for model in answer.models:
        for by, groups in model.groups.items():
            large = [each for each in groups if _has_enough_cases(each) and not math.isnan(each.differences[0].gain)]
            if large:
                small = sum(not _has_enough_cases(each) for each in groups)
                left_out = without_small(small, of_classes=groups[0].positives is not None)
                found.append((model.model, grouping_title(by, question.every), large[:_MOST_WORST], left_out))
    if not found:
        return None
    model_name, by, kept, left_out = min(found, key=lambda each: each[2][0].differences[0].gain)
    first = kept[0].differences[0]
    title = f"Worst changes{f' of {model_name}' if answer.models[1:] else ''} in {words.titled(first)}{left_out}"
    table = group_table(by, kept, question, digits)
    adjusted = "; only p-values are adjusted" if HOLM in table.head else ""
    return table.without("old", "new", _VERDICT, P_VALUE)._replace(title=f"{title}{adjusted}")


def _has_enough_cases(group: GroupDifferences) -> bool:
    return group.cases >= FEWEST if group.positives is None else enough(group.positives, group.cases - group.positives)


def measure_table(model: ModelDifferences, question: Question, digits: int, *, several: bool) -> Table:
    """Return a row for each measure of a model; several: whether it is one of several new ones.  O(measures)."""
    head = ["measure", *_compared_heads(question), P_VALUE, HOLM, BENJAMINI_HOCHBERG, DETECTABLE]
    rows = list[list[AnyCell]]()
    for item in model.differences:
        tested = map(_cell, (item.found.p_value, item.holm, item.benjamini_hochberg))
        detectable = _cell(item.detectable, words.plain_text(item.detectable, digits))
        judged = item._replace(verdict=item.verdict_adjusted) if several else item
        rows.append([words.titled(item), *_compared_cells(judged, digits), *tested, detectable])
    return _known(Table("", head, rows))


def group_table(by: str, groups: Sequence[GroupDifferences], question: Question, digits: int, of: int = 0) -> Table:
    """Return a row for each group of a column, with the main measure; of: how many groups there are.  O(groups)."""
    rows = list[list[AnyCell]]()
    for name, cases, main in ((group.group, group.cases, group.differences[0]) for group in groups):
        tested = map(_cell, (main.found.p_value, main.holm))
        *cells, verdict = _compared_cells(main._replace(verdict=main.verdict_adjusted), digits)
        if main.judged_by is not None:  # the title tells the margin and the level
            bounds = words.difference_texts(main._replace(found=main.judged_by), digits).bounds
            verdict = Cell(main.verdict, "", bounds, f"{main.verdict} {bounds}".rstrip())
        rows.append([name, Cell(count(cases)), *cells, verdict, *tested])
    gains = [-math.inf if math.isnan(group.differences[0].gain) else -group.differences[0].gain for group in groups]
    main, middle = groups[0].differences[0], len(groups) // 2
    order = ", the worst changes first" if gains == sorted(gains, reverse=True) else ""
    some = f": the first {middle} and the last {middle} of {count(of)} groups" if of > len(groups) else ""
    by_level = main.judged_by and f" (margin {plain_number(main.margin)}, {100 * main.judged_by.level:g}% intervals)"
    table = Table("", [by, "cases", *_compared_heads(question), P_VALUE, HOLM], rows)
    kept = _known(table)
    adjusted = f"; p-values and verdicts{by_level or ''} are adjusted, {100 * question.confidence:g}% intervals are not"
    return kept._replace(title=f"{main.title} by {by}{order}{some}{adjusted if HOLM in kept.head else ''}")


def _other_measures(by: str, groups: Sequence[GroupDifferences], digits: int) -> Table:
    """Return the differences of all measures but the main one in each group of a column.  O(groups x measures)."""
    head = [by, *(f"{item.title}, difference" for item in groups[0].differences[1:])]
    rows: list[list[AnyCell]] = [
        [group.group, *(_difference_cell(item, digits) for item in group.differences[1:])] for group in groups
    ]
    return Table(f"Other measures by {by}", head, rows)


_VERDICT = "verdict"


def _compared_heads(question: Question) -> list[str]:
    return ["old", "new", f"difference, {100 * question.confidence:g}% interval", _VERDICT]


def _compared_cells(item: MeasureDifference, digits: int) -> list[Cell]:
    """Return the cells of both models, of their difference with its interval, and of the verdict with its margin."""
    texts = words.difference_texts(item, digits)
    margin = f"margin {plain_number(item.margin)}{words.judging_interval(item, digits)}" if item.margin > 0 else ""
    return [
        _cell(item.old, texts.old),
        _cell(item.new, texts.new),
        _difference_cell(item, digits),
        Cell(item.verdict, "", margin, f"{item.verdict}, {margin}" if margin else ""),
    ]


def _difference_cell(item: MeasureDifference, digits: int) -> Cell:
    """Return the cell of a difference with its interval.  O(1)."""
    texts, found = words.difference_texts(item, digits), item.found
    interval = f", {found.low!r} to {found.high!r}" if texts.bounds else ""
    return Cell(texts.difference, f"{_cell(found.difference).full}{interval}", texts.bounds, texts.bounded)


def _cell(value: float, text: str = "") -> Cell:
    """Return the cell of a number as a text, by default as that of a p-value."""
    full = "" if math.isnan(value) else repr(float(value))
    return Cell(text or (p_text(value) if full else words.MISSING), full)


def _known(table: Table) -> Table:
    """Return a table without columns of tests in which no row has a number; the others may be left out.  O(cells)."""
    columns = {head: {*texts} for head, *texts in zip(*table.texts, strict=True)}
    table = table.without(*(head for head in _DROPPED if columns.get(head, {""}) <= {words.MISSING}))
    return table._replace(optional=[table.head.index(head) for head in _DROPPED if head in table.head])


def _changed_counts(changes: Changes, old: str, new: str) -> Table:
    """Return how many decisions each of two models has right and wrong, or how many cases the new one won.  O(1)."""
    if WON in changes.counts:
        head = ["cases", *(f"{new} {name}" for name in (WON, LOST)), TIED]
        return Table("", head, [["", *(Cell(count(changes.counts[name])) for name in (WON, LOST, TIED))]])
    counts = {name: Cell(count(number)) for name, number in changes.counts.items()}
    rows: list[list[AnyCell]] = [
        [f"{old} right", counts["right_in_both"], counts["newly_wrong"]],
        [f"{old} wrong", counts["newly_right"], counts["wrong_in_both"]],
    ]
    return Table("", ["decisions", f"{new} right", f"{new} wrong"], rows)


def _standings(answer: ComparisonAnswer, digits: int) -> Iterator[Table]:
    """Yield a table of all systems for each column of values, the best first.  O(systems)."""
    for measure, own in groupby(answer.standings, attrgetter("measure")):
        head = ["system", measure, "letters"]
        rows = list[list[AnyCell]]()
        for each in own:
            bounds = "" if math.isnan(each.low) else f"[{each.low:.{digits}f}, {each.high:.{digits}f}]"
            cell = Cell(f"{each.mean:.{digits}f}", repr(each.mean), bounds, f"{each.mean:.{digits}f} {bounds}".rstrip())
            rows.append([each.model, cell, Cell(each.letters)])
        yield Table(f"Systems by {measure}, the best first", head, rows)


def _moved_cases(model: ModelDifferences, question: Question) -> Mapping[str, Sequence[ChangedCase]]:
    """Return the cases whose score, or the queries whose first measure, rose and fell most, by title.  O(1)."""
    what = f"Queries whose {model.differences[0].title}" if question.of_runs and model.differences else "Scores that"
    return {f"{what} rose most": model.risen, f"{what} fell most": model.fallen}
