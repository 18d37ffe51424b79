"""The tables of what changed between two models: decisions, and the cases or queries that changed most."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evalcore.comparison.model import ChangedCase, Changes, ModelDifferences
from evalcore.comparison.output.tables import TextTable
from evalcore.comparison.question import CompareQuestion
from evalcore.kernels.thresholds import given_number
from evalcore.report.formats import count


def change_tables(changes: Changes, question: CompareQuestion, most: int) -> Iterator[TextTable]:
    """Yield how many decisions changed, and at most so many of the cases newly wrong and newly right.  O(most)."""
    counts, where = changes.counts, place_of(changes)
    order = "" if changes.threshold is None else ", the largest changes first"
    yield TextTable(
        f"decisions {where}",
        [
            ["", "new right", "new wrong"],
            ["old right", count(counts["right_in_both"]), count(counts["newly_wrong"])],
            ["old wrong", count(counts["newly_right"]), count(counts["wrong_in_both"])],
        ],
    )
    for title, cases in {"newly wrong": changes.newly_wrong, "newly right": changes.newly_right}.items():
        if cases:
            yield _case_table(f"{title} {where}{order}", cases[:most], case_heads(question))


def place_of(changes: Changes) -> str:
    """Say at which threshold decisions are.  O(1)."""
    return "by predicted class" if changes.threshold is None else f"at threshold {given_number(changes.threshold)}"


def moved_tables(model: ModelDifferences, question: CompareQuestion, most: int) -> Iterator[TextTable]:
    """Yield at most so many of the cases or queries that rose and that fell most.  O(most)."""
    for title, cases in moved_cases(model, question).items():
        yield _case_table(title, cases[:most], case_heads(question))


def moved_cases(model: ModelDifferences, question: CompareQuestion) -> Mapping[str, Sequence[ChangedCase]]:
    """Return the cases whose score, or the queries whose first measure, rose and fell most, by title.  O(1)."""
    what = f"queries whose {model.differences[0].title}" if question.of_runs and model.differences else "scores that"
    lists = {f"{what} rose most": model.risen, f"{what} fell most": model.fallen}
    return {title: cases for title, cases in lists.items() if cases}


def case_heads(question: CompareQuestion) -> list[str]:
    """Return the heads of a table of changed cases or queries.  O(1)."""
    return [*(("query", "relevant") if question.of_runs else ("id", "label")), "old", "new"]


def _case_table(title: str, cases: Sequence[ChangedCase], heads: list[str]) -> TextTable:
    return TextTable(title, [heads, *([case_text(each) for each in case] for case in cases)])


def case_text(value: object) -> str:
    """Return an id, a label, a score or a class as text; an id of several columns as a list.  O(1)."""
    if isinstance(value, tuple):
        return ", ".join(map(case_text, value))
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
