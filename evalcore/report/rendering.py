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
from evalcore.text_tables import MARKDOWN, TERMINAL, TableStyle, html_table, ruled_lines

_UNLIMITED = 100_000
_BETWEEN = 3
"""Letters between two columns; a line has one more at its end."""


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
    if sections[0].whole:
        tables = [_long_markdown(sections, sections[0].whole.section)]
    else:
        heads = [f"### {section.title}\n\n" if section.title else "" for section in sections]
        rows = [[list(map(_with_escaped_bars, row)) for row in table_rows(section)] for section in sections]
        tables = [head + _drawn(cells, MARKDOWN) for head, cells in zip(heads, rows, strict=True)]
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
    lines = [title] if title else []
    for section in sections:
        lines += ["", section.title] if section.title else []
        rows = list(table_rows(section))
        lines.append(
            "\n\n".join(
                _drawn([[row[0], *row[part]] for row in rows], TERMINAL, width) for part in _fitting(rows, width)
            )
        )
    lines += ["", *(f"Note: {note}" for note in notes)] if notes else []
    return "\n".join(lines)


def _fitting(rows: Sequence[Sequence[str]], width: int | None) -> list[slice]:
    """Split the columns after the first into parts that, with the first, fit on a line.  O(cells)."""
    if not width:
        return [slice(1, None)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ends = [1]
    used = 0
    for index, wide in enumerate(widths[1:], 1):
        used += wide + _BETWEEN
        if used + widths[0] + _BETWEEN + 1 > width and index > ends[-1]:
            ends.append(index)
            used = wide + _BETWEEN
    return list(map(slice, ends, [*ends[1:], len(widths)]))


def _drawn(rows: Sequence[Sequence[str]], style: TableStyle, width: int | None = None) -> str:
    """Return a table; with rich, a hundred times slower, only if cells need several lines.  O(cells)."""
    texts = ["".join(row) for row in rows]
    if all(map(str.isprintable, texts)):
        width_of = len if all(map(str.isascii, texts)) else require("rich.cells", "report").cell_len
        lines = ruled_lines(rows, style, width_of=width_of)
        if not width or width_of(lines[1]) <= width:
            return "\n".join(line.rstrip() for line in lines if line.strip())
    return _folded(rows, style, width)


def _folded(rows: Sequence[Sequence[str]], style: TableStyle, width: int | None) -> str:
    """Return a table whose cells may take several lines."""
    console, tables = require("rich.console", "report"), require("rich.table", "report")
    boxes, cell = require("rich.box", "report"), require("rich.text", "report").Text
    table = tables.Table(box=boxes.MARKDOWN if style is MARKDOWN else boxes.SIMPLE_HEAD)
    heading, *body = rows
    for index, name in enumerate(heading):
        table.add_column(cell(name), justify="right" if index else "left", overflow="fold")
    for row in body:
        table.add_row(*map(cell, row))
    text = io.StringIO()
    # in a notebook rich would display the table and return nothing
    console.Console(file=text, width=width or _UNLIMITED, color_system=None, force_jupyter=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip())


def _long_markdown(sections: Sequence[Section], head: str) -> str:
    """Return a row for each number."""
    rows = [[head, sections[0].record, "statistic", "value"]]
    rows += [
        [*(" ".join(_with_escaped_bars(name).splitlines()) for name in (section, record, item.title)), _cell(item)]
        for section, record, item in _long(sections)
    ]
    return "\n".join(ruled_lines(rows, MARKDOWN, names=3))


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
