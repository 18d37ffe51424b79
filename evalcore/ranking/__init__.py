"""Measures of many rankings at once: one for each query, user or slice, from flat columns or lists of ids."""

from evalcore.ranking.evaluation import GroupedEvaluation, JudgedRankings, evaluate, from_ids
from evalcore.ranking.names import Measure, parse

__all__ = ["GroupedEvaluation", "JudgedRankings", "Measure", "evaluate", "from_ids", "parse"]
__dir__ = __all__.copy
