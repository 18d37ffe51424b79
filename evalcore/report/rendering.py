"""How a report is written: as a table for people, or as JSON, CSV or Markdown."""

import csv
import io
import json
import math
from typing import Any

from evalcore.report.binary import Report, Statistic

_UNLIMITED = 100_000


def as_json(report: Report, **about: Any) -> str:
    """Write a report as strict JSON, what is not finite as null; `about` are entries beside the scores.

    >>> from evalcore.report.binary import Statistic
    >>> print(as_json({"model": [Statistic("kappa", "Cohen's kappa", float("nan"))]}, label="late"))
    {
      "label": "late",
      "scores": {
        "model": {
          "kappa": null
        }
      }
    }
    """
    scores = {
        name: {item.name: item.value if math.isfinite(item.value) else None for item in statistics}
        for name, statistics in report.items()
    }
    return json.dumps({**about, "scores": scores}, indent=2, ensure_ascii=False, allow_nan=False)


def as_csv(report: Report) -> str:
    """Write a report as CSV: a line for each score column, numbers in full.

    >>> from evalcore.report.binary import Statistic
    >>> print(as_csv({"model": [Statistic("cases", "cases", 3), Statistic("f1", "F1", 0.25)]}))
    score,cases,f1
    model,3,0.25
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["score", *(item.name for item in next(iter(report.values())))])
    writer.writerows([name, *(item.value for item in statistics)] for name, statistics in report.items())
    return text.getvalue().removesuffix("\n")


def as_markdown(report: Report) -> str:
    """Write a report as a Markdown table: a row for each statistic, a column for each score.

    >>> from evalcore.report.binary import Statistic
    >>> print(as_markdown({"model": [Statistic("cases", "cases", 3)]}))
    |       | model |
    |-------|-------|
    | cases |     3 |
    """
    from rich.box import MARKDOWN

    return _drawn({name.replace("|", "\\|"): statistics for name, statistics in report.items()}, MARKDOWN)


def as_table(report: Report, title: str, width: int | None = None) -> str:
    """Write a report for a terminal: a row for each statistic, a column for each score.

    width: columns of the terminal, where long names are folded; a file or a pipe has none.

    >>> from evalcore.report.binary import Statistic
    >>> print(as_table({"model": [Statistic("cases", "cases", 1234), Statistic("f1", "F1", 0.5)]}, "late"))
    late
                 model
     ──────────────────
      cases      1,234
      F1      0.500000
    """
    from rich.box import SIMPLE_HEAD

    return f"{title}\n{_drawn(report, SIMPLE_HEAD, width)}"


def _drawn(report: Report, box: Any, width: int | None = None) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box)
    table.add_column("")
    for name in report:
        table.add_column(Text(name), justify="right", overflow="fold")
    for row in zip(*report.values(), strict=True):
        table.add_row(row[0].title, *map(_cell, row))
    text = io.StringIO()
    Console(file=text, width=width or _UNLIMITED, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip())


def _cell(statistic: Statistic) -> str:
    value = statistic.value
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "NaN"
    return f"{value:.6f}" if 1e-3 <= abs(value) < 1e6 or value == 0 else f"{value:.6g}"
