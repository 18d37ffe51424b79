"""Evaluations by themselves, without a question, as HTML tables for a notebook."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.document.model import Document, Part, Verdict
from evalcore.document.tables import tables
from evalcore.document.terminal import as_notebook
from evalcore.evaluation.model import ColumnRecords, Columns, Section, Statistic
from evalcore.evaluation.statistics.classes import agreement_columns, confusion
from evalcore.evaluation.statistics.scores import columns_of_whole
from evalcore.evaluation.statistics.tallies import Tally, decision_values
from evalcore.kernels.tables import BinaryCounts
from evalcore.state.cases import ScoredCases
from evalcore.typing import IntArray

LABEL_SET_AVERAGES = {
    f"{kind}_{name}": f"{name}, {kind} average"
    for kind in ("macro", "micro")
    for name in ("recall", "precision", "F1", "accuracy", "error")
}
"""Titles of the averages over all categories, by the methods of `Contingency`."""


def scores_html(cases: ScoredCases) -> str:
    """Return the statistics of a ranking by score as an HTML table.  O(n log n)."""
    return sections_html([_section("scores", columns_of_whole(cases))])


def decisions_html(counts: BinaryCounts) -> str:
    """Return the statistics of decisions as an HTML table.  O(1)."""
    tally = Tally(np.array(counts, object).reshape(4, 1))  # counts may exceed int64
    return sections_html([_section("decisions", Columns(decision_values(tally)))])


def counts_html(categories: Sequence[Any], counts: IntArray) -> str:
    """Return the statistics of counts (k, k), and the counts or the largest of them, as HTML tables.  O(k²)."""
    table = Tally(counts)
    return sections_html([_section("all", agreement_columns(table.at(None), None)), confusion(categories, table)])


def sections_html(sections: Sequence[Section]) -> str:
    """Return sections as HTML tables, each under its title.  O(statistics)."""
    parts = [Part(table.heading, [table]) for table in tables(sections)]
    return as_notebook(Document("", {}, Verdict("", ""), parts=parts))


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
