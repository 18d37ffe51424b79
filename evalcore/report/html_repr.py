"""Tables of evaluations for notebooks."""

from collections.abc import Mapping
from typing import Any

from evalcore.kernels.tables import BinaryCounts
from evalcore.report.binary import decision_statistics, ranking_statistics
from evalcore.report.label_sets import contingency_sections
from evalcore.report.model import Section
from evalcore.report.multiclass import Confusion, agreement, confusion
from evalcore.report.rendering import as_pages
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import IntArray

_MOST_CLASSES = 30


def scores_html(cases: ScoredCases) -> str:
    """Return the statistics of scored cases as an HTML table.  O(n log n)."""
    statistics = list(ranking_statistics(cases))
    return as_pages([Section("scores", "", "", {"scores": statistics}, across=True)])


def decisions_html(counts: BinaryCounts) -> str:
    """Return the statistics of four counts as an HTML table.  O(1)."""
    statistics = list(decision_statistics(counts))
    return as_pages([Section("decisions", "", "", {"decisions": statistics}, across=True)])


def counts_html(categories: tuple[Any, ...], counts: IntArray) -> str:
    """Return counts (k, k) as HTML tables: statistics, and the counts unless they are too many.  O(k²)."""
    table = Confusion(categories, counts)
    sections = [Section("statistics", "", "", {"all": agreement(table.counts, None)}, across=True)]
    if len(table.categories) <= _MOST_CLASSES:
        sections.append(confusion(table))
    return as_pages(sections)


def label_sets_html(averages: Mapping[str, float], categories: Mapping[Any, Mapping[str, int | float]]) -> str:
    """Return statistics of sets of categories, of all and of each category, as HTML tables.  O(k).

    >>> from evalcore.report.label_sets import AVERAGES
    >>> "micro" in label_sets_html(dict.fromkeys(AVERAGES, 1.0), {"sports": {"recall": 1.0}})
    True
    """
    return as_pages(contingency_sections(averages, categories))
