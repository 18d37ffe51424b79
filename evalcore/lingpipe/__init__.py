"""The documented classes of com.aliasi.classify under their documented names."""

from evalcore.lingpipe.classifications import (
    Classification,
    Classified,
    ClassifierAdapter,
    ConditionalClassification,
    JointClassification,
    RankedClassification,
    ScoredClassification,
)
from evalcore.lingpipe.classifier_evaluators import BaseClassifierEvaluator, RankedClassifierEvaluator
from evalcore.lingpipe.confusion_matrix import ConfusionMatrix
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation
from evalcore.lingpipe.scored_classifier_evaluators import (
    ConditionalClassifierEvaluator,
    JointClassifierEvaluator,
    ScoredClassifierEvaluator,
)
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation

__all__ = [
    "BaseClassifierEvaluator",
    "Classification",
    "Classified",
    "ClassifierAdapter",
    "ConditionalClassification",
    "ConditionalClassifierEvaluator",
    "ConfusionMatrix",
    "JointClassification",
    "JointClassifierEvaluator",
    "PrecisionRecallEvaluation",
    "RankedClassification",
    "RankedClassifierEvaluator",
    "ScoredClassification",
    "ScoredClassifierEvaluator",
    "ScoredPrecisionRecallEvaluation",
]
__dir__ = __all__.copy
