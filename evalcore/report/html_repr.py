"""HTML tables by which evaluations show themselves in a notebook, from their cases and counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.kernels.tables import BinaryCounts
from evalcore.report.catalogue import statistics
from evalcore.report.model import Section
from evalcore.report.rendering import as_html_tables
from evalcore.report.statistics.binary import decision_values, ranking_statistics, sums_of_counts
from evalcore.report.statistics.case_tallies import Tally
from evalcore.report.statistics.label_sets import contingency_sections
from evalcore.report.statistics.multiclass import Confusion, agreement, confusion
from evalcore.state.cases import ScoredCases
from evalcore.typing import IntArray


def scores_html(cases: ScoredCases) -> str:
    """Return the statistics of a ranking by score as an HTML table.  O(n log n)."""
    return as_html_tables([_section("scores", ranking_statistics(cases))])


def decisions_html(counts: BinaryCounts) -> str:
    """Return the statistics of decisions as an HTML table.  O(1)."""
    return as_html_tables([_section("decisions", decision_values(sums_of_counts(counts)))])


def counts_html(categories: Sequence[Any], counts: IntArray) -> str:
    """Return the statistics of counts (k, k), and the counts or the largest of them, as HTML tables.  O(k²)."""
    statistics = Section("statistics", "", "", {"all": agreement(Tally(counts), None)}, across=True)
    return as_html_tables([statistics, confusion(Confusion(tuple(categories), counts))])


def label_sets_html(averages: Mapping[str, float], categories: Mapping[Any, Mapping[str, int | float]]) -> str:
    """Return the statistics of sets of categories, of all and of each category, as HTML tables.  O(k)."""
    return as_html_tables(contingency_sections(averages, categories))


def _section(name: str, values: Mapping[str, int | float]) -> Section:
    return Section(name, "", "", {name: statistics(values)}, across=True)
