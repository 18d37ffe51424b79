"""The documented classes of com.aliasi.classify under their documented names."""

import typing as _typing

from evalcore.lingpipe.classifications import Classification as Classification
from evalcore.lingpipe.classifications import Classified as Classified
from evalcore.lingpipe.classifications import ClassifierAdapter as ClassifierAdapter
from evalcore.lingpipe.classifications import ConditionalClassification as ConditionalClassification
from evalcore.lingpipe.classifications import JointClassification as JointClassification
from evalcore.lingpipe.classifications import RankedClassification as RankedClassification
from evalcore.lingpipe.classifications import ScoredClassification as ScoredClassification
from evalcore.lingpipe.classifier_evaluators import BaseClassifierEvaluator as BaseClassifierEvaluator
from evalcore.lingpipe.classifier_evaluators import RankedClassifierEvaluator as RankedClassifierEvaluator
from evalcore.lingpipe.confusion_matrix import ConfusionMatrix as ConfusionMatrix
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation as PrecisionRecallEvaluation
from evalcore.lingpipe.scored_classifier_evaluators import (
    ConditionalClassifierEvaluator as ConditionalClassifierEvaluator,
)
from evalcore.lingpipe.scored_classifier_evaluators import JointClassifierEvaluator as JointClassifierEvaluator
from evalcore.lingpipe.scored_classifier_evaluators import ScoredClassifierEvaluator as ScoredClassifierEvaluator
from evalcore.lingpipe.scored_precision_recall_evaluation import (
    ScoredPrecisionRecallEvaluation as ScoredPrecisionRecallEvaluation,
)

if not _typing.TYPE_CHECKING:  # checkers take the names from the imports
    __all__ = [name for name, value in sorted(globals().items()) if hasattr(value, "__module__") and name[0] != "_"]
    __dir__ = __all__.copy
