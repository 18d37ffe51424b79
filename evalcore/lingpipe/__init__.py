"""The documented classes of com.aliasi.classify under their documented names, each in the file of its name.

The statistics of three of them stand in files of their own, as do printing and saving.
"""

from evalcore.lingpipe.base_classifier_evaluator import BaseClassifierEvaluator
from evalcore.lingpipe.classifications import (
    Classification,
    Classified,
    ConditionalClassification,
    JointClassification,
    RankedClassification,
    ScoredClassification,
)
from evalcore.lingpipe.classifier_adapter import ClassifierAdapter
from evalcore.lingpipe.conditional_classifier_evaluator import ConditionalClassifierEvaluator
from evalcore.lingpipe.confusion_matrix import ConfusionMatrix
from evalcore.lingpipe.joint_classifier_evaluator import JointClassifierEvaluator
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation
from evalcore.lingpipe.ranked_classifier_evaluator import RankedClassifierEvaluator
from evalcore.lingpipe.scored_classifier_evaluator import ScoredClassifierEvaluator
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
