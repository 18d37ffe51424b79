"""The documented classes of com.aliasi.classify, one file each, under their documented names."""

from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation

__all__ = ["PrecisionRecallEvaluation", "ScoredPrecisionRecallEvaluation"]
