"""Statistics of one table by the conventions of Statistics::Contingency, and their text."""

import math
from collections.abc import Sequence

from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import binary
from evalcore.state.tables import PooledTable


def accuracy_or_one(table: BinaryCounts | PooledTable) -> float:
    """Return the accuracy, 1 without decisions.  O(1)."""
    return float(binary.accuracy(*table)) if any(table) else 1.0


def error_or_zero(table: BinaryCounts | PooledTable) -> float:
    """Return the fraction of wrong decisions, 0 without decisions.  O(1)."""
    return float(binary.error(*table)) if any(table) else 0.0


def precision_or_one(table: BinaryCounts | PooledTable) -> float:
    """Return the precision: 1 if nothing is assigned or correct, 0 if only correct categories are missed.  O(1)."""
    missed_all = table.fn and not table.tp and not table.fp
    return 0.0 if missed_all else _fraction_or_one(table.tp, table.fp)


def recall_or_one(table: BinaryCounts | PooledTable) -> float:
    """Return the recall, 1 if nothing is correct.  O(1)."""
    return _fraction_or_one(table.tp, table.fn)


def f1_or_one(table: BinaryCounts | PooledTable) -> float:
    """Return the F1, 1 if every decision is right.  O(1)."""
    return binary.f1_by_odds(table.tp, table.fn, table.fp) if table.fp or table.fn else 1.0


def table_statistics(table: BinaryCounts) -> dict[str, int | float]:
    """Return a table a, b, c, d and its statistics, by their documented names.  O(1)."""
    return {
        "a": table.tp,
        "b": table.fp,
        "c": table.fn,
        "d": table.tn,
        "accuracy": accuracy_or_one(table),
        "error": error_or_zero(table),
        "precision": precision_or_one(table),
        "recall": recall_or_one(table),
        "F1": f1_or_one(table),
    }


def significant_digits(value: float, digits: int) -> str:
    """Write a number with so many significant digits, rounded as documented."""
    decimals = digits - (math.trunc(math.log(value) / math.log(10)) if value else 0)
    return f"{value:.{decimals}f}"


def statistics_text(cells: Sequence[str]) -> str:
    """Write three macro statistics, three micro statistics and the error as the documented table."""
    width = max(map(len, cells))
    space = " " * (width - 4)
    rule = f"+{'-' * (10 + 7 * width)}+\n"
    heading = f"| {space} maR {space} maP{space} maF1  {space} miR {space} miP{space} miF1  {space} Err |\n"
    groups = (cells[:3], cells[3:6], cells[6:])
    row = "  ".join(" ".join(cell.rjust(width) for cell in group) for group in groups)
    return f"{rule}{heading}| {row} |\n{rule}"


def _fraction_or_one(part: float, rest: float) -> float:
    return binary.fraction_by_odds(part, rest) if rest else 1.0
