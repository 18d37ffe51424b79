"""Reports as spreadsheets: XLSX with numbers in full, which Excel, LibreOffice and others open."""

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from evalcore.errors import EvaluationError
from evalcore.optional import require
from evalcore.report.model import CountRecords, Section, Statistic
from evalcore.report.records import EXACT, Row, bounds_of, number_rows
from evalcore.report.tables import is_weight

SheetCell: TypeAlias = str | int | float | None
"""None is an empty cell."""

_MOST_ROWS, _MOST_COLUMNS, _MOST_LETTERS = 1_048_576, 16_384, 32_767
"""Of a sheet, and of a cell."""
_MOST_OF_NAME, _KEPT = 31, 24
"""Letters of the name of a sheet, and those that stay of a longer one, such as that of a threshold of many digits."""
_MOST_WIDTH, _NUMBER_WIDTH = 60, 10
_SIX_DECIMALS = "[>=0.001]0.000000;[<=-0.001]-0.000000;General"
"""How numbers are shown: small ones, such as p-values, with an exponent."""
_NOT_UNICODE = re.compile("[\ud800-\udfff]")
"""Bytes of names of files that are no text."""


def as_xlsx(sections: Sequence[Section], lines: Iterable[str] = ()) -> bytes:
    """Return a report as an XLSX workbook: the answer in words, a sheet for each section, and one of all numbers.

    The last sheet has the rows and columns of CSV (`evalcore.report.records`).  Numbers have 16 digits.  Names are
    text, never formulas or links; NaN and infinity, which no cell can hold as numbers, are text too.  lines: the title,
    the answer and notes; empty ones are left out.  O(statistics).

    Raises EvaluationError if a sheet has no room for the numbers, MissingLibraryError if xlsxwriter is missing.
    """
    _check_room(sections)
    sheets = {
        name: _across(parts[0]) if parts[0].across else _by_record(parts) for name, parts in _by_sheet(sections).items()
    }
    return xlsx_of_sheets(lines, {**sheets, "numbers": _all_numbers(sections)})


def xlsx_of_sheets(lines: Iterable[str], sheets: Mapping[str, Iterable[Sequence[SheetCell]]]) -> bytes:
    """Return an XLSX workbook: lines of text on the first sheet, then sheets by their names, the first rows as heads.

    Texts are written as such, never as formulas or links.  O(cells).  Raises EvaluationError for too many rows of a
    sheet, MissingLibraryError if xlsxwriter is missing.
    """
    library = require("xlsxwriter", "xlsx")
    content = io.BytesIO()
    with library.Workbook(content, {"in_memory": True}) as book:
        looks = {
            str: book.add_format({"bold": True, "bottom": 1}),
            int: book.add_format({"num_format": "#,##0"}),
            float: book.add_format({"num_format": _SIX_DECIMALS}),
        }
        about = book.add_worksheet("report")
        about.set_column(0, 0, 2 * _MOST_WIDTH, book.add_format({"text_wrap": True}))
        for index, line in enumerate(filter(None, lines)):
            about.write_string(index, 0, _writable(line))
        for index, (name, rows) in enumerate(sheets.items(), 1):
            short = name if len(name) <= _MOST_OF_NAME else f"{name[:_KEPT]}... {index}"
            _fill(book.add_worksheet(short), rows, looks)
    return content.getvalue()


def _check_room(sections: Sequence[Section]) -> None:
    """Raise EvaluationError if the numbers are too many for a sheet.  O(records)."""
    numbers = 0
    widest = 0
    for section in sections:
        records = section.records
        first = len(records.columns) if isinstance(records, CountRecords) else len(next(iter(records.values()), []))
        numbers += first * len(records)
        widest = max(widest, len(records) if section.across else first)
    if numbers >= _MOST_ROWS or 3 * widest + 2 > _MOST_COLUMNS:
        raise EvaluationError(
            f"the report must have less than {_MOST_ROWS:,} numbers, and few columns, for XLSX; got {numbers:,}; "
            "write CSV or JSON"
        )


def _by_sheet(sections: Iterable[Section]) -> dict[str, list[Section]]:
    """Return the sections of each sheet: those that are parts of a whole share one.  O(sections)."""
    sheets: dict[str, list[Section]] = {}
    for section in sections:
        sheets.setdefault(section.whole.name if section.whole else section.name, []).append(section)
    return sheets


def _across(section: Section) -> Iterator[list[SheetCell]]:
    """Yield a row for each statistic, with a column for each record."""
    records = section.records
    bounded = {name: any(map(_has_bounds, items)) for name, items in records.items()}
    yield ["", *(heading for name in records for heading in _headings(name, bounded[name]))]
    shown = [_whole_weights(section, items) for items in records.values()]
    for items in zip(*shown, strict=True):
        cells = zip(items, bounded.values(), strict=True)
        yield [items[0].title.strip(), *(cell for item, wide in cells for cell in _cells(item, wide))]


def _by_record(sections: Sequence[Section]) -> Iterator[list[SheetCell]]:
    """Yield a row for each record, with a column for each statistic."""
    rows = [
        (section.address(record), _whole_weights(section, items))
        for section in sections
        for record, items in section.records.items()
    ]
    titles = {item.name: item.title.strip() for _, items in rows for item in items}
    bounded = {item.name for _, items in rows for item in items if _has_bounds(item)}
    named = [part for part in ("score", "group") if any(getattr(address, part) for address, _ in rows)]
    yield [*named, *(heading for name in titles for heading in _headings(titles[name], name in bounded))]
    for address, items in rows:
        found = {item.name: item for item in items}
        cells = (cell for name in titles for cell in _cells(found.get(name), name in bounded))
        yield [*(getattr(address, part) for part in named), *cells]


def _whole_weights(section: Section, items: Sequence[Statistic]) -> list[Statistic]:
    """Return statistics with whole sums of weights as whole numbers, which are shown without decimals."""
    weighted = isinstance(section.records, CountRecords) and section.records.weighted
    of_weights = (weighted or is_weight(item) for item in items)
    return [
        item._replace(value=int(item.value)) if weight and float(item.value).is_integer() else item
        for item, weight in zip(items, of_weights, strict=True)
    ]


def _all_numbers(sections: Sequence[Section]) -> Iterator[Sequence[SheetCell]]:
    yield Row._fields
    for row in number_rows(sections):
        yield [*row[:5], None, None, row.kind] if row.kind == EXACT else row


def _headings(title: str, bounded: bool) -> list[SheetCell]:
    return [title, f"{title}, low", f"{title}, high"] if bounded else [title]


def _cells(item: Statistic | None, bounded: bool) -> list[SheetCell]:
    """Return a value and, if their column has them, its bounds; empty ones where there are none."""
    value = None if item is None else item.value
    if not bounded:
        return [value]
    return [value, *(bounds_of(item)[:2] if item is not None and _has_bounds(item) else (None, None))]


def _has_bounds(item: Statistic) -> bool:
    return bounds_of(item)[2] != EXACT


def _fill(sheet: Any, rows: Iterable[Sequence[SheetCell]], looks: dict[type, Any]) -> None:
    """Write a heading and rows; the heading stays in sight, and columns are as wide as their names."""
    widths: dict[int, int] = {}
    for index, cells in enumerate(rows):
        if index == _MOST_ROWS:
            raise EvaluationError(f"a sheet must have at most {_MOST_ROWS:,} rows for XLSX; write CSV or JSON")
        for column, cell in enumerate(cells):
            if isinstance(cell, str) or (cell is not None and not math.isfinite(cell)):
                text = cell if isinstance(cell, str) else "NaN" if math.isnan(cell) else str(cell)
                sheet.write_string(index, column, _writable(text), None if index else looks[str])
                widths[column] = max(widths.get(column, _NUMBER_WIDTH), len(text))
            elif cell is not None:
                sheet.write_number(index, column, cell, looks[type(cell)])
    for column, width in widths.items():
        sheet.set_column(column, column, min(width + 2, _MOST_WIDTH))
    sheet.freeze_panes(1, 1)


def _writable(text: str) -> str:
    """Return a text as a cell holds it: Unicode, and not too long.  O(text)."""
    return _NOT_UNICODE.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text)[:_MOST_LETTERS]
