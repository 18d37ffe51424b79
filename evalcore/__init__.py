"""Exact evaluation of scored predictions at the price of one sort."""

from evalcore.contingency import Contingency
from evalcore.errors import EvaluationError, EvaluationTypeError, UnsupportedOperationError
from evalcore.lingpipe import (
    BaseClassifierEvaluator,
    Classification,
    Classified,
    ClassifierAdapter,
    ConditionalClassification,
    ConditionalClassifierEvaluator,
    ConfusionMatrix,
    JointClassification,
    JointClassifierEvaluator,
    PrecisionRecallEvaluation,
    RankedClassification,
    RankedClassifierEvaluator,
    ScoredClassification,
    ScoredClassifierEvaluator,
    ScoredPrecisionRecallEvaluation,
)
from evalcore.parallel import threads

__all__ = [
    "BaseClassifierEvaluator",
    "Classification",
    "Classified",
    "ClassifierAdapter",
    "ConditionalClassification",
    "ConditionalClassifierEvaluator",
    "ConfusionMatrix",
    "Contingency",
    "EvaluationError",
    "EvaluationTypeError",
    "JointClassification",
    "JointClassifierEvaluator",
    "PrecisionRecallEvaluation",
    "RankedClassification",
    "RankedClassifierEvaluator",
    "ScoredClassification",
    "ScoredClassifierEvaluator",
    "ScoredPrecisionRecallEvaluation",
    "UnsupportedOperationError",
    "threads",
]
__version__ = "0.1.0"
