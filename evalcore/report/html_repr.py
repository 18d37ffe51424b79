"""Tables of evaluations for notebooks."""

from typing import Any

from evalcore.report.binary import decision_statistics, ranking_statistics
from evalcore.report.label_sets import contingency_sections
from evalcore.report.model import Section
from evalcore.report.multiclass import agreement, confusion
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
    return as_pages([Section("decisions", "", "", {"decisions": list(decision_statistics(evaluation))}, across=True)])


def counts_html(matrix: Any) -> str:
    """Return a ConfusionMatrix as HTML tables: its statistics, and its counts where they are not too many.  O(k²).

    >>> from evalcore import ConfusionMatrix
    >>> "accuracy" in counts_html(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]))
    True
    """
    sections = [Section("statistics", "", "", {"all": agreement(matrix, None)}, across=True)]
    if matrix.numCategories() <= _MOST_CLASSES:
        sections.append(confusion(matrix))
    return as_pages(sections)


def firsts_html(evaluator: Any) -> str:
    """Return what a classifier evaluator was answered first as the tables of `counts_html`.  O(n + k²).

    >>> from evalcore import BaseClassifierEvaluator
    >>> "accuracy" in firsts_html(BaseClassifierEvaluator(None, ["a", "b"]))
    True
    """
    return counts_html(evaluator.confusionMatrix())


def label_sets_html(experiment: Any) -> str:
    """Return the statistics of a Contingency, of all and of each category, as HTML tables.  O(k).

    >>> from evalcore import Contingency
    >>> "micro" in label_sets_html(Contingency(["a", "b"]))
    True
    """
    return as_pages(contingency_sections(experiment, True))
