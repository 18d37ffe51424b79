"""Measures of many rankings at once: one for each query, user or slice, from flat columns."""

from evalcore.ranking.evaluation import GroupedEvaluation, evaluate
from evalcore.ranking.names import Measure, parse

__all__ = ["GroupedEvaluation", "Measure", "evaluate", "parse"]
