"""Exact evaluation of scored predictions at the price of one sort."""

import typing as _typing

from evalcore.contingency import Contingency
from evalcore.errors import (
    EvaluationError,
    EvaluationTypeError,
    MissingLibraryError,
    UnsupportedOperationError,
)
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

if _typing.TYPE_CHECKING:
    from evalcore.report.evaluation import evaluate

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
    "MissingLibraryError",
    "PrecisionRecallEvaluation",
    "RankedClassification",
    "RankedClassifierEvaluator",
    "ScoredClassification",
    "ScoredClassifierEvaluator",
    "ScoredPrecisionRecallEvaluation",
    "UnsupportedOperationError",
    "evaluate",
    "threads",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> _typing.Any:
    """Load `evaluate` when it is asked for: what reads and reports takes as long to load as all the rest."""
    if name == "evaluate":
        from evalcore.report.evaluation import evaluate

        return evaluate
    raise AttributeError(f"module 'evalcore' has no attribute {name!r}")
