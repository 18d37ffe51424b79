"""Tables of evaluations for notebooks."""

from collections.abc import Mapping
from typing import Any

from evalcore.report.binary import decision_statistics, ranking_statistics
from evalcore.report.label_sets import contingency_sections
from evalcore.report.model import Section
from evalcore.report.multiclass import Confusion, agreement, confusion
from evalcore.report.rendering import as_pages

_MOST_CLASSES = 30


def scores_html(evaluation: Any) -> str:
    """Return the statistics of a ScoredPrecisionRecallEvaluation as an HTML table.  O(n log n).

    >>> from evalcore import ScoredPrecisionRecallEvaluation
    >>> evaluation = ScoredPrecisionRecallEvaluation()
    >>> evaluation.addCase(True, 0.5)
    >>> "ROC area" in scores_html(evaluation)
    True
    """
    statistics = list(ranking_statistics(evaluation._cases))
    return as_pages([Section("scores", "", "", {"scores": statistics}, across=True)])


def decisions_html(evaluation: Any) -> str:
    """Return the statistics of a PrecisionRecallEvaluation as an HTML table.  O(1).

    >>> from evalcore import PrecisionRecallEvaluation
    >>> "precision" in decisions_html(PrecisionRecallEvaluation(1, 2, 3, 4))
    True
    """
    statistics = list(decision_statistics(evaluation._table.counts))
    return as_pages([Section("decisions", "", "", {"decisions": statistics}, across=True)])


def counts_html(matrix: Any) -> str:
    """Return a ConfusionMatrix as HTML tables: its statistics, and its counts where they are not too many.  O(k²).

    >>> from evalcore import ConfusionMatrix
    >>> "accuracy" in counts_html(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]))
    True
    """
    table = Confusion(matrix.categories(), matrix.matrix())
    sections = [Section("statistics", "", "", {"all": agreement(table.counts, None)}, across=True)]
    if len(table.categories) <= _MOST_CLASSES:
        sections.append(confusion(table))
    return as_pages(sections)


def firsts_html(evaluator: Any) -> str:
    """Return what a classifier evaluator was answered first as the tables of `counts_html`.  O(n + k²).

    >>> from evalcore import BaseClassifierEvaluator
    >>> "accuracy" in firsts_html(BaseClassifierEvaluator(None, ["a", "b"]))
    True
    """
    return counts_html(evaluator.confusionMatrix())


def label_sets_html(averages: Mapping[str, float], categories: Mapping[Any, Mapping[str, int | float]]) -> str:
    """Return statistics of sets of categories, of all and of each category, as HTML tables.  O(k).

    >>> from evalcore.report.label_sets import AVERAGES
    >>> "micro" in label_sets_html(dict.fromkeys(AVERAGES, 1.0), {"sports": {"recall": 1.0}})
    True
    """
    return as_pages(contingency_sections(averages, categories))
