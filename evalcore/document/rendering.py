"""Reports as text: tables for terminals and notebooks, of evaluations by themselves too, JSON, CSV and Markdown."""

import csv
import html
import io
import json
import math
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from evalcore.document.case_tables import MOST_CASES
from evalcore.document.records import EXACT, Row, bounds_of
from evalcore.document.shown import first_threshold, side_by_side
from evalcore.document.tables import (
    DIGITS,
    Table,
    cell_text,
    on_one_line,
    parts_that_fit,
    remarks,
    shown_records,
    tables,
)
from evalcore.evaluation.measure_choice import OF_DECISIONS
from evalcore.evaluation.model import (
    AT_THRESHOLD,
    SCHEMA_VERSION,
    ColumnRecords,
    Columns,
    CountRecords,
    Section,
    Statistic,
)
from evalcore.evaluation.options import spelled
from evalcore.evaluation.statistics.case_tallies import Tally
from evalcore.evaluation.statistics.classes import agreement_columns, confusion
from evalcore.evaluation.statistics.decisions import decision_values
from evalcore.evaluation.statistics.scores import columns_of_whole
from evalcore.kernels.tables import BinaryCounts
from evalcore.optional import require
from evalcore.state.cases import ScoredCases
from evalcore.text_tables import MARKDOWN, TERMINAL, TableStyle, html_table, ruled_lines
from evalcore.typing import AnyArray, IntArray

_PLAIN_TYPES = {int, float, bool, str, type(None)}
_UNLIMITED = 100_000
_NOT_ALL_COLUMNS = "some statistics of groups do not fit on a line and are not shown; {} writes them all"
_NOT_FINITE = {"nan": "null", "inf": '"Infinity"', "-inf": '"-Infinity"'}
_DECIDED = {"threshold", *OF_DECISIONS}
"""Statistics whose models have a threshold in long Markdown."""
_MARKUP = re.compile(r"[\\`*<>\[\]|~]|\b_|_\b")
"""Letters that Markdown would read as markup; not those inside a word with underscores."""


def as_json(sections: Sequence[Section], notes: Sequence[str] = (), **about: Any) -> str:
    """Return a report as strict JSON; `about` are entries before the sections.  NaN is null, infinities are text.

    The first entry is the version of the schema.

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> kappa = Statistic("kappa", "Cohen's kappa", float("nan"))
    >>> print(as_json([Section("scores", "", "score", {"model": [kappa]})], label="late"))
    {
      "schema_version": 2,
      "label": "late",
      "scores": {
        "model": {
          "kappa": null
        }
      },
      "notes": []
    }
    """
    return json_text({"schema_version": SCHEMA_VERSION, **about, **as_tree(sections, notes, attrgetter("columns"))})


def as_tree(
    sections: Sequence[Section], notes: Sequence[str] = (), records: Callable[[Section], Any] | None = None
) -> dict[str, Any]:
    """Return a report as sections of records of numbers, with the bounds of intervals, and notes.  O(statistics).

    records: returns what stands for the records of a section.
    """
    report: dict[str, Any] = {}
    for section in sections:
        around = report.setdefault(section.whole.name, {}) if section.whole else report
        around[section.name] = (records or _numbers)(section) if section.record else _numbers(section)[""]
    return {**report, "notes": list(notes)}


def _numbers(section: Section) -> dict[str, dict[str, int | float]]:
    """Return for each record, by its name, its numbers and the bounds of intervals by their names."""
    found = dict[str, dict[str, int | float]]()
    for names, part in section.columns.blocks():
        columns = part.with_bounds
        # the same NaN for each, which mappings take for equal
        plain = ([np.nan if math.isnan(value) else value for value in values.tolist()] for values in columns.values())
        rows = zip(*plain, strict=True) if columns else [()]
        found |= {name: dict(zip(columns, row, strict=True)) for name, row in zip(names, rows, strict=True)}
    return found


def json_text(part: Any, line: str = "\n") -> str:
    """Write indented JSON; the encoder in C, many times as fast as the one in Python, cannot indent.

    line: the end of a line, and what the next one begins with.
    """
    return "".join(_pieces(part, line))


def _pieces(part: Any, line: str) -> Iterator[str]:
    """Yield indented JSON in pieces, which are put together once: it may take as much memory as all else."""
    inner = f"{line}  "
    if not isinstance(part, Mapping) or not part:
        yield json.dumps(plain_value(part), indent=2, ensure_ascii=False).replace("\n", line)
    elif isinstance(part, ColumnRecords):
        begin = f"{{{inner}"
        for entries in _entries(part, inner):
            yield begin + f",{inner}".join(f"{_quoted(name)}: {entry}" for name, entry in entries)
            begin = f",{inner}"
        yield f"{line}}}"
    elif set(map(type, part.values())) <= _PLAIN_TYPES:
        values = {name: plain_value(value) for name, value in part.items()}
        cells = json.dumps(values, separators=(f",{inner}", ": "), ensure_ascii=False)
        yield f"{{{inner}{cells[1:-1]}{line}}}"
    else:
        begin = f"{{{inner}"
        for name, value in part.items():
            yield f"{begin}{_quoted(name)}: "
            yield from _pieces(value, inner)
            begin = f",{inner}"
        yield f"{line}}}"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _entries(records: ColumnRecords, line: str) -> Iterator[Iterator[tuple[str, str]]]:
    """Yield the names of many records at a time, and their numbers as JSON."""
    quoted, first = cache(lambda name: f"{_quoted(name)}: ".replace("%", "%%") + "%s"), 0
    for names, part in records.blocks():
        columns = part.with_bounds
        cells = f",{line}  ".join(map(quoted, columns))
        if isinstance(records, CountRecords):  # whose rows lie in a row
            texts: Iterable[Any] = map(tuple, records.counts[first : first + len(names)].tolist())
        else:
            texts = zip(*map(_json_numbers, columns.values()), strict=True) if columns else [()]
        first += len(names)
        record = f"{{{line}  {cells}{line}}}" if columns else "{}"
        yield zip(names, map(record.__mod__, texts), strict=True)


def _json_numbers(values: AnyArray) -> Sequence[object]:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [_NOT_FINITE.get(text, text) for text in map(repr, values.tolist())]
    found: list[object] = values.tolist()
    return found


def as_html_tables(
    sections: Sequence[Section], notes: Sequence[str] = (), summary: str = "", cases: Sequence[Table] = ()
) -> str:
    """Return a report as its summary, HTML tables, each under its title, and notes; cases: as of `as_table`.

    O(statistics).
    """
    shown = [*tables(side_by_side(sections)), *(each._replace(rows=each.rows[:MOST_CASES]) for each in cases)]
    return html_document({"p": filter(None, [summary])}, shown, notes)


def html_document(begin: Mapping[str, Iterable[str]], shown: Iterable[Table], notes: Iterable[str]) -> str:
    """Return texts by their elements, tables, each under its heading, and notes, as HTML for a notebook.  O(cells)."""
    said = [f"<{tag}>{html.escape(text)}</{tag}>" for tag, texts in begin.items() for text in texts]
    for table in shown:
        said += [f"<h4>{html.escape(table.heading)}</h4>"] if table.heading else []
        said.append(html_table(table.texts))
    return "".join([*said, *(f"<p>Note: {html.escape(note)}</p>" for note in notes)])


LABEL_SET_AVERAGES = {
    f"{kind}_{name}": f"{name}, {kind} average"
    for kind in ("macro", "micro")
    for name in ("recall", "precision", "F1", "accuracy", "error")
}
"""Titles of the averages over all categories, by the methods of `Contingency`."""


def scores_html(cases: ScoredCases) -> str:
    """Return the statistics of a ranking by score as an HTML table.  O(n log n)."""
    return as_html_tables([_section("scores", columns_of_whole(cases))])


def decisions_html(counts: BinaryCounts) -> str:
    """Return the statistics of decisions as an HTML table.  O(1)."""
    tally = Tally(np.array(counts, object).reshape(4, 1))  # counts may exceed int64
    return as_html_tables([_section("decisions", Columns(decision_values(tally)))])


def counts_html(categories: Sequence[Any], counts: IntArray) -> str:
    """Return the statistics of counts (k, k), and the counts or the largest of them, as HTML tables.  O(k²)."""
    table = Tally(counts)
    return as_html_tables([_section("all", agreement_columns(table.at(None), None)), confusion(categories, table)])


def _section(name: str, found: Columns) -> Section:
    return Section(name, "", "", ColumnRecords([name], [found]), across=True)


def contingency_sections(
    averages: Mapping[str, float], categories: Mapping[Any, Mapping[str, int | float]]
) -> list[Section]:
    """Return a section of `LABEL_SET_AVERAGES` and, if there are categories, one of them.  O(k)."""
    statistics = [Statistic(name, title, averages[name]) for name, title in LABEL_SET_AVERAGES.items()]
    sections = [Section("statistics", "", "", {"": statistics}, across=True)]
    if categories:
        found = ((category, values.items()) for category, values in categories.items())
        records = {str(category): [Statistic(name, name, value) for name, value in items] for category, items in found}
        sections.append(Section("categories", "by category", "category", records))
    return sections


def as_csv(sections: Sequence[Section]) -> str:
    """Return a report as CSV: a line for each number, in all digits, by the schema of `evalcore.document.records`.

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"model": [Statistic("cases", "", 3), Statistic("f1", "F1", 0.25)]})
    >>> print(as_csv([section]))
    section,score,group,statistic,value,low,high,kind
    scores,model,,cases,3,,,exact
    scores,model,,f1,0.25,,,exact
    """
    pieces = [",".join(Row._fields) + "\n"]
    for section in sections:
        pieces += filter(None, _lines(section))
    pieces[-1] = pieces[-1].removesuffix("\n")
    return "".join(pieces)


def _lines(section: Section) -> Iterator[str]:
    """Yield the lines of many records at a time: names, which may need quotes, are written once."""
    exact, begin = f",,{EXACT}", cache(lambda name: "%s" + csv_text([["", name]]).replace("%", "%%") + ",%s")
    for names, part in section.columns.blocks():
        addresses = [csv_text([section.address(name)]) for name in names]
        columns, template = list[Sequence[object]](), ""
        for name, values in part.values.items():
            columns += [addresses, values.tolist()]
            if name in part.intervals:
                *bounds, kind = bounds_of(part.intervals[name], values.size)
                ends = zip(*(bound.tolist() for bound in bounds), strict=True)
                columns.append([exact if math.isnan(low) else f"{low},{high},{kind}" for low, high in ends])
            template += f"{begin(name)},{'%s' if name in part.intervals else exact}\n"
        yield "".join(map(template.__mod__, zip(*columns, strict=True)))


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows of cells as CSV, without the end of the last line.  O(cells).

    >>> print(csv_text([["a", None], ["b,c", 0.5]]))
    a,
    "b,c",0.5
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().removesuffix("\n")


def as_markdown(
    sections: Sequence[Section],
    notes: Sequence[str] = (),
    in_full: bool = False,
    headline: str = "",
    digits: int = DIGITS,
    *,
    cases: Sequence[Table] = (),
) -> str:
    """Return a report as its headline, Markdown tables, and notes below them; in_full, digits: as for `tables`.

    cases: tables of single cases, which follow the others.

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> print(as_markdown([Section("scores", "", "score", {"model": [Statistic("cases", "cases", 3)]}, across=True)]))
    |       | model |
    |-------|-------|
    | cases |     3 |
    """
    if sections[0].whole:
        texts = [_long_markdown(sections, sections[0].whole.section, in_full, digits)]
    else:
        shown = tables(side_by_side(sections), in_full, digits)
        headings = (f"### {each.heading}\n\n" if each.heading else "" for each in shown)
        texts = [title + markdown_table(each, _with_escaped_bars) for title, each in zip(headings, shown, strict=True)]
    texts += [f"### {without_markup(each.title)}\n\n{markdown_table(each, without_markup)}" for each in cases]
    said = [without_markup(headline)] if headline else []
    return "\n\n".join([*said, *texts, *(f"Note: {note}" for note in (*notes, *remarks(sections, in_full)))])


def as_table(
    sections: Sequence[Section],
    title: str = "",
    width: int | None = None,
    notes: Callable[[Collection[str]], Sequence[str]] = lambda hidden: (),
    *,
    in_full: bool = False,
    headline: str = "",
    digits: int = DIGITS,
    wrapped: bool = True,
    every: bool = False,
    cases: Sequence[Table] = (),
) -> str:
    """Return a report as its headline, tables for a terminal, and notes below them.

    width: letters of a line, on which the columns of tables fit, None for any number; notes: returns them without those
    on statistics for which there is no room, which it is given; wrapped: whether long names are
    folded and sentences wrapped too; in_full: as for `tables`; every: show all statistics of groups, in parts, not only
    those that matter most; cases: tables of single cases, of which the first follow the others.

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> statistics = [Statistic("cases", "cases", 1234), Statistic("f1", "F1", 0.5)]
    >>> print(as_table([Section("scores", "", "score", {"model": statistics}, across=True)], "late"))
    late
                 model
     ──────────────────
      cases      1,234
      F1      0.500000
    """
    folded = width if wrapped else None
    whole = tables(side_by_side(sections), in_full, digits)
    fitting = whole if every else [on_one_line(table, width) for table in whole]
    hidden = {name for table in whole for name in table.statistics}
    hidden -= {name for table in fitting for name in table.statistics}
    remarked = [*notes(hidden), *remarks(sections, in_full)]
    if any(len(shown.head) < len(table.head) for shown, table in zip(fitting, whole, strict=True)):
        remarked.append(_NOT_ALL_COLUMNS.format(spelled("--format csv", "to_csv()")))
    fitting += [each._replace(rows=each.rows[:MOST_CASES]) for each in cases]
    return text_document(filter(None, [title, wrapped_sentence(headline, folded)]), fitting, remarked, width, folded)


def text_document(
    begin: Iterable[str], shown: Iterable[Table], notes: Sequence[str], width: int | None, folded: int | None
) -> str:
    """Return lines, tables, each under its heading, and notes, for a terminal.  O(cells).

    width: letters of a line, on which the columns of a part of a table fit; folded: those of cells and notes.
    """
    lines = [*begin]
    for table in shown:
        lines += ["", table.heading] if table.heading else []
        parts = parts_that_fit(table, width)
        lines.append("\n\n".join(drawn_table(part, TERMINAL, table.names, folded) for part in parts))
    lines += ["", *(wrapped_sentence(f"Note: {note}", folded, "  ") for note in notes)] if notes else []
    return "\n".join(lines)


def wrapped_sentence(sentence: str, width: int | None, indent: str = "") -> str:
    """Break a sentence at blanks into lines of a terminal.  O(letters)."""
    return textwrap.fill(sentence, width, subsequent_indent=indent) if width else sentence


def drawn_table(rows: Sequence[Sequence[str]], style: TableStyle, names: int = 1, width: int | None = None) -> str:
    """Return a table; with rich, a hundred times slower, only if cells need several lines.  O(cells)."""
    texts = ["".join(row) for row in rows]
    if all(map(str.isprintable, texts)):
        width_of = len if all(map(str.isascii, texts)) else require("rich.cells", "report").cell_len
        lines = ruled_lines(rows, style, names, width_of)
        if not width or width_of(lines[1]) <= width:
            return "\n".join(line.rstrip() for line in lines if line.strip())
    return _folded(rows, style, names, width)


def markdown_table(table: Table, escaped: Callable[[str], str]) -> str:
    """Return a table as Markdown; escaped: makes the text of a cell.  O(cells)."""
    known = len(table.head) - table.shown
    rows = [[*map(escaped, row[:known]), *map(_of_data, row[known:])] for row in table.texts]
    return drawn_table(rows, MARKDOWN, table.names)


def _of_data(text: str) -> str:
    """Return a text of the data as it is, where nobody is mentioned by it."""
    return without_markup(text).replace("@", "@<!-- -->")


def _folded(rows: Sequence[Sequence[str]], style: TableStyle, names: int, width: int | None) -> str:
    """Return a table whose cells may take several lines."""
    console, tables = require("rich.console", "report"), require("rich.table", "report")
    boxes, cell = require("rich.box", "report"), require("rich.text", "report").Text
    table = tables.Table(box=boxes.MARKDOWN if style is MARKDOWN else boxes.SIMPLE_HEAD)
    heading, *body = rows
    for index, name in enumerate(heading):
        table.add_column(cell(name), justify="left" if index < names else "right", overflow="fold")
    for row in body:
        table.add_row(*map(cell, row))
    text = io.StringIO()
    # in a notebook rich would display the table and return nothing
    console.Console(file=text, width=width or _UNLIMITED, color_system=None, force_jupyter=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip())


def _long_markdown(sections: Sequence[Section], head: str, in_full: bool, digits: int) -> str:
    """Return a row for each number."""
    rows = [[head, sections[0].record, "statistic", "value"]]
    for section in sections:
        whose = section.title if section.whole and section.whole.name.startswith(AT_THRESHOLD) else section.name
        at, names = f" at threshold {threshold}" if (threshold := first_threshold(section)) else "", list[list[str]]()
        for record, items in shown_records(section, in_full):
            named = ((f"{whose}{at if item.name in _DECIDED else ''}", item.title) for item in items)
            names = names or [list(map(_in_one_line, each)) for each in named]
            own, numbers = _in_one_line(record), [cell_text(item, digits) for item in items]
            rows += [[name, own, title, number] for (name, title), number in zip(names, numbers, strict=True)]
    return "\n".join(ruled_lines(rows, MARKDOWN, names=3))


def _in_one_line(name: str) -> str:
    return " ".join(_with_escaped_bars(name).splitlines())


def without_markup(text: str) -> str:
    r"""Return a text that Markdown shows as it is.  O(letters).

    >>> print(without_markup("a_b *c* <d>"))
    a_b \*c\* \<d\>
    """
    return _MARKUP.sub(r"\\\g<0>", text)


def _with_escaped_bars(name: str) -> str:
    return name.replace("|", "\\|")


def plain_value(value: Any) -> Any:
    """Return a value as JSON holds it: names with their values, lists, the text of what JSON lacks, null for NaN.

    Infinities are text that float reads.  O(values).

    >>> plain_value([math.nan, {"low": -math.inf}, np.float32(0.5)]), plain_value(("UA", np.int64(3)))
    ([None, {'low': '-Infinity'}, 0.5], ['UA', 3])
    """
    if isinstance(value, float):  # asked first: most are
        return float(value) if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value)
    if isinstance(value, np.generic):
        return plain_value(value.item())
    if isinstance(named := value._asdict() if hasattr(value, "_asdict") else value, Mapping):
        return {name: plain_value(each) for name, each in named.items()}
    if isinstance(value, list | tuple):
        return list(map(plain_value, value))
    return value if isinstance(value, int | str | None) else str(value)
