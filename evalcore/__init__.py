"""Exact evaluation of scored predictions at the price of one sort."""

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.lingpipe import PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation

__all__ = [
    "EvaluationError",
    "EvaluationTypeError",
    "PrecisionRecallEvaluation",
    "ScoredPrecisionRecallEvaluation",
]
__version__ = "0.1.0"
