"""Exact evaluation of scored predictions at the price of one sort.

`evaluate` reports on a data frame or a mapping of arrays in one call.  The subpackages load when they are asked for:

===============  =====================================================================================
``metrics``      functions on labels, scores, rankings and probabilities, named as in scikit-learn
``inference``    how sure a number is: intervals, tests, the bootstrap, comparisons of two models
``ranking``      many rankings at once: measures of each query, user or slice
``streaming``    one pass in constant memory, with bounds that hold the exact value
``distributed``  dask arrays, dask data frames and Parquet files on a cluster
``plots``        charts on axes of matplotlib
``io``           judgements and runs in TREC's files
``saving``       what evaluations remember, as bytes and files
===============  =====================================================================================

The documented classes take cases one by one or in batches, merge, save, print and plot:

- `ScoredPrecisionRecallEvaluation`, `PrecisionRecallEvaluation`, `ConfusionMatrix`: scores, decisions, classes;
- `BaseClassifierEvaluator`, and `Ranked`-, `Scored`-, `Conditional`- and `JointClassifierEvaluator` beside it: what
  classifiers answer, as `Classification` and its kin; `ClassifierAdapter` makes a classifier of a scikit-learn model;
- `Contingency`: sets of categories.

A wrong value raises `EvaluationError` (a ValueError), a wrong type `EvaluationTypeError` (a TypeError), an optional
library that is not installed `MissingLibraryError` (an ImportError too), a question about inputs that were not kept
`UnsupportedOperationError`.  `threads` limits how many threads work.

>>> import evalcore
>>> evalcore.metrics.roc_auc_score([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
1.0
"""

import typing as _typing
from importlib import import_module as _import_module

from evalcore._version import __version__ as __version__
from evalcore.errors import (
    EvaluationError,
    EvaluationTypeError,
    MissingLibraryError,
    UnsupportedOperationError,
)

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
    "distributed",
    "evaluate",
    "inference",
    "io",
    "metrics",
    "plots",
    "ranking",
    "saving",
    "streaming",
    "threads",
]


_SUBPACKAGES = "distributed", "inference", "io", "metrics", "plots", "ranking", "saving", "streaming"
_HOMES = {"Contingency": "contingency", "evaluate": "report.report", "threads": "parallel"}


if _typing.TYPE_CHECKING:
    from evalcore.contingency import Contingency
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
    from evalcore.report.report import evaluate

    from . import distributed, inference, io, metrics, plots, ranking, saving, streaming
else:  # type checkers would take every name for one that this finds

    def __getattr__(name: str) -> _typing.Any:
        """Load what is asked for: a command then starts fast enough to tell of Ctrl-C in one line."""
        if name in _SUBPACKAGES:
            return _import_module(f"evalcore.{name}")
        if name not in __all__:
            raise AttributeError(f"module 'evalcore' has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"evalcore.{_HOMES.get(name, 'lingpipe')}"), name)
        return value


def __dir__() -> list[str]:
    """List what is public."""
    return [*__all__, "__version__"]
