"""Reports as text: tables for terminals and pages, JSON, CSV and Markdown."""

import csv
import html
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from evalcore.optional import require
from evalcore.report.model import CERTIFIED, Section, Statistic
from evalcore.report.records import EXACT, Row, number_rows
from evalcore.text_tables import html_table

_UNLIMITED = 100_000
_BETWEEN = 3
"""Blanks between two columns; a line has one more at its end."""


def as_json(sections: Sequence[Section], notes: Sequence[str] = (), **about: Any) -> str:
    """Return a report as strict JSON, with null for NaN and infinity; `about` are entries before the sections.

    >>> from evalcore.report.model import Section, Statistic
    >>> kappa = Statistic("kappa", "Cohen's kappa", float("nan"))
    >>> print(as_json([Section("scores", "", "score", {"model": [kappa]})], label="late"))
    {
      "label": "late",
      "scores": {
        "model": {
          "kappa": null
        }
      },
      "notes": []
    }
    """
    return json.dumps(_finite({**about, **as_tree(sections, notes)}), indent=2, ensure_ascii=False, allow_nan=False)


def as_tree(sections: Sequence[Section], notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return a report as sections of records of numbers, with the bounds of intervals, and notes.  O(statistics)."""
    report: dict[str, Any] = {
        section.name: {
            record: {item.name: item.value for item in _with_bounds(items)} for record, items in section.records.items()
        }
        for section in sections
    }
    whole = sections[0].whole
    tree = {whole.name: report} if whole else report
    unparted = {section.name: report[section.name][""] for section in sections if not section.record}
    return {**tree, **unparted, "notes": list(notes)}


def as_html_tables(sections: Sequence[Section], notes: Sequence[str] = ()) -> str:
    """Return a report as HTML tables, each under its title, and notes.  O(statistics)."""
    parts = [
        (f"<h4>{html.escape(section.title)}</h4>" if section.title else "") + html_table(list(table_rows(section)))
        for section in sections
    ]
    return "".join([*parts, *(f"<p>Note: {html.escape(note)}</p>" for note in notes)])


def as_csv(sections: Sequence[Section]) -> str:
    """Return a report as CSV: a line for each number, in all digits, by the schema of `evalcore.report.records`.

    >>> from evalcore.report.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"model": [Statistic("cases", "", 3), Statistic("f1", "F1", 0.25)]})
    >>> print(as_csv([section]))
    section,score,group,statistic,value,low,high,kind
    scores,model,,cases,3,,,exact
    scores,model,,f1,0.25,,,exact
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in number_rows(sections):
        bounds = ("", "") if row.kind == EXACT else (row.low, row.high)
        writer.writerow([*row[:-3], *bounds, row.kind])
    return text.getvalue().removesuffix("\n")


def as_markdown(sections: Sequence[Section], notes: Sequence[str] = ()) -> str:
    """Return a report as Markdown tables, and notes below them.

    >>> from evalcore.report.model import Section, Statistic
    >>> print(as_markdown([Section("scores", "", "score", {"model": [Statistic("cases", "cases", 3)]}, across=True)]))
    |       | model |
    |-------|-------|
    | cases |     3 |
    """
    box = require("rich.box", "report").MARKDOWN
    if sections[0].whole:
        tables = [_long_markdown(sections, sections[0].whole.section)]
    else:
        heads = [f"### {section.title}\n\n" if section.title else "" for section in sections]
        tables = [head + _drawn(_escaped(section), box) for head, section in zip(heads, sections, strict=True)]
    return "\n\n".join([*tables, *(f"Note: {note}" for note in notes)])


def as_table(sections: Sequence[Section], title: str = "", width: int | None = None, notes: Sequence[str] = ()) -> str:
    """Return a report as tables for a terminal, and notes below them.

    width: columns of the terminal, into which long names are folded; None for a file or a pipe.

    >>> from evalcore.report.model import Section, Statistic
    >>> statistics = [Statistic("cases", "cases", 1234), Statistic("f1", "F1", 0.5)]
    >>> print(as_table([Section("scores", "", "score", {"model": statistics}, across=True)], "late"))
    late
                 model
     ──────────────────
      cases      1,234
      F1      0.500000
    """
    box = require("rich.box", "report").SIMPLE_HEAD
    lines = [title] if title else []
    for section in sections:
        lines += ["", section.title] if section.title else []
        lines.append(_drawn(section, box, width))
    lines += ["", *(f"Note: {note}" for note in notes)] if notes else []
    return "\n".join(lines)


def _drawn(section: Section, box: Any, width: int | None = None) -> str:
    heading, *rows = table_rows(section)
    if not width:
        return _table_of(heading, rows, box, width)
    parts = _fitting([max(map(len, column)) for column in zip(heading, *rows, strict=True)], width)
    return "\n\n".join(
        _table_of([heading[0], *heading[part]], [[row[0], *row[part]] for row in rows], box, width) for part in parts
    )


def _fitting(widths: Sequence[int], width: int) -> list[slice]:
    """Split the columns after the first into parts that, with the first, fit on a line; O(columns)."""
    ends = [1]
    used = 0
    for index, wide in enumerate(widths[1:], 1):
        used += wide + _BETWEEN
        if used + widths[0] + _BETWEEN + 1 > width and index > ends[-1]:
            ends.append(index)
            used = wide + _BETWEEN
    return list(map(slice, ends, [*ends[1:], len(widths)]))


def _table_of(heading: Sequence[str], rows: Sequence[Sequence[str]], box: Any, width: int | None) -> str:
    console, tables = require("rich.console", "report"), require("rich.table", "report")
    cell = require("rich.text", "report").Text
    table = tables.Table(box=box)
    for index, name in enumerate(heading):
        table.add_column(cell(name), justify="right" if index else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(cell, row))
    text = io.StringIO()
    # in a notebook rich would display the table and return nothing
    console.Console(file=text, width=width or _UNLIMITED, color_system=None, force_jupyter=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip())


def _long_markdown(sections: Sequence[Section], head: str) -> str:
    """Return a row for each number without rich, which takes half a minute for a hundred thousand."""
    rows = [[head, sections[0].record, "statistic", "value"]]
    rows += [
        [*(" ".join(_with_escaped_bars(name).splitlines()) for name in (section, record, item.title)), _cell(item)]
        for section, record, item in _long(sections)
    ]
    first, second, third, fourth = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [f"| {a:<{first}} | {b:<{second}} | {c:<{third}} | {d:>{fourth}} |" for a, b, c, d in rows]
    rule = "|".join("-" * (wide + 2) for wide in (first, second, third, fourth))
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _long(sections: Sequence[Section]) -> Iterator[tuple[str, str, Statistic]]:
    """Yield every number of a report, after the names of its section and record."""
    for section in sections:
        for record, items in section.records.items():
            for item in items:
                yield section.name, record, item


def table_rows(section: Section) -> Iterator[list[str]]:
    """Yield the heading and the rows of a table, as text.  O(statistics)."""
    records = section.records
    titles = [item.title for item in next(iter(records.values()))]
    if section.across:
        yield ["", *records]
        for title, items in zip(titles, zip(*records.values(), strict=True), strict=True):
            yield [title, *map(_cell, items)]
    else:
        yield ["", *titles]
        for record, row in records.items():
            yield [record, *map(_cell, row)]


def _escaped(section: Section) -> Section:
    """Escape the vertical bars in names, which would end cells of a Markdown table."""
    records = {
        _with_escaped_bars(record): [item._replace(title=_with_escaped_bars(item.title)) for item in items]
        for record, items in section.records.items()
    }
    return section._replace(records=records)


def _with_escaped_bars(name: str) -> str:
    return name.replace("|", "\\|")


def _with_bounds(items: Sequence[Statistic]) -> Iterator[Statistic]:
    """Yield statistics, each followed by the bounds of its interval as statistics of their own."""
    for item in items:
        yield item
        if item.interval is not None:
            yield Statistic(f"{item.name}_low", "", item.interval.low)
            yield Statistic(f"{item.name}_high", "", item.interval.high)


def _finite(tree: Any) -> Any:
    """Replace numbers that are not finite, which JSON lacks, by None."""
    if isinstance(tree, Mapping):
        return {name: _finite(part) for name, part in tree.items()}
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


def _cell(statistic: Statistic) -> str:
    interval = statistic.interval
    if interval is None or math.isnan(interval.low):
        return _number_text(statistic.value)
    if interval.method != CERTIFIED:
        return f"{_number_text(statistic.value)} [{_number_text(interval.low)}, {_number_text(interval.high)}]"
    if interval.low == interval.high:
        return _number_text(statistic.value)
    low, high = _shortened(interval.low, ROUND_FLOOR), _shortened(interval.high, ROUND_CEILING)
    return f"{_number_text(statistic.value)} [{_number_text(low)}, {_number_text(high)}]"


def _shortened(bound: float, rounding: str) -> float:
    """Round a bound outward to the digits that are written, so that the written bounds hold the exact value too."""
    if _is_plain(bound):
        return float(Decimal(bound).quantize(Decimal("1e-6"), rounding))
    return float(Context(6, rounding).create_decimal_from_float(bound))


def _number_text(value: int | float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "NaN"
    return f"{value:.6f}" if _is_plain(value) else f"{value:.6g}"


def _is_plain(value: float) -> bool:
    """Whether six decimals are enough."""
    return 1e-3 <= abs(value) < 1e6 or value == 0
