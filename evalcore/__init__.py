"""Exact model evaluation, with confidence intervals, in about the time it takes to sort the scores.

`evaluate` reports on a data frame or a mapping of arrays in one call, and `compare` compares models on the same cases.
Subpackages load when they are first used:

- ``metrics``: functions on labels, scores, rankings and probabilities, named as in scikit-learn;
- ``inference``: how certain a number is: intervals, tests, the bootstrap, comparisons of two models;
- ``ranking``: many rankings at once: measures of each query, user or slice;
- ``streaming``: one pass in constant memory, with bounds that contain the exact value;
- ``distributed``: data frames of Spark and dask, dask arrays and Parquet files, on a cluster;
- ``plots``: charts on matplotlib axes;
- ``io``: TREC files of judgements and runs;
- ``saving``: evaluations as bytes and files;
- ``testing``: assertions on models for pytest: not worse than an old one, or at least as good as a limit.

The classes that follow LingPipe and Perl take cases one by one or in batches, merge, save, print and plot:

- `ScoredPrecisionRecallEvaluation`, `PrecisionRecallEvaluation`, `ConfusionMatrix`: scores, decisions, classes;
- `BaseClassifierEvaluator`, and the `Ranked`-, `Scored`-, `Conditional`- and `JointClassifierEvaluator`: responses of a
  classifier, as `Classification` and its subclasses; `ClassifierAdapter` wraps a scikit-learn model;
- `Contingency`: sets of categories.

`evaluate` returns a `Report`, which holds a `Record` for each model, group or class, and `compare` a
`ComparisonReport`: annotate with these names.

An invalid value raises `EvaluationError` (a ValueError), a wrong type `EvaluationTypeError` (a TypeError), a missing
optional library `MissingLibraryError` (also an ImportError), and a request for inputs that were not kept
`UnsupportedOperationError`.  `threads` limits the number of threads, `show_config` prints processor, threads
and versions.

Contributors find the layers, the rules and where to add things in notebooks/contribute.md.

>>> import evalcore
>>> evalcore.metrics.roc_auc_score([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
1.0
"""

import typing as _typing
from importlib import import_module as _import_module

from evalcore._version import __version__ as __version__
from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError, UnsupportedOperationError

__all__ = [
    "BaseClassifierEvaluator",
    "Classification",
    "Classified",
    "ClassifierAdapter",
    "ComparisonReport",
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
    "Record",
    "Report",
    "ScoredClassification",
    "ScoredClassifierEvaluator",
    "ScoredPrecisionRecallEvaluation",
    "UnsupportedOperationError",
    "compare",
    "distributed",
    "evaluate",
    "inference",
    "metrics",
    "plots",
    "ranking",
    "saving",
    "show_config",
    "streaming",
    "testing",
    "threads",
]


_SUBPACKAGES = "distributed", "inference", "io", "metrics", "plots", "ranking", "saving", "streaming", "testing"
_HOMES = {
    "ComparisonReport": "document.comparison_report",
    "Contingency": "contingency",
    "Record": "document.records",
    "Report": "document.report",
    "compare": "document.comparison_report",
    "evaluate": "document.report",
    "show_config": "configuration",
    "threads": "parallel",
}


if _typing.TYPE_CHECKING:
    from evalcore.configuration import show_config
    from evalcore.contingency import Contingency
    from evalcore.document.comparison_report import ComparisonReport, compare
    from evalcore.document.records import Record
    from evalcore.document.report import Report, evaluate
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

    from . import distributed, inference, metrics, plots, ranking, saving, streaming, testing
    from . import io as io  # not listed: `from evalcore import *` must not hide the io of Python
else:  # type checkers would accept every name

    def __getattr__(name: str) -> _typing.Any:
        """Load a name when it is first used, so that a command starts fast."""
        if name in _SUBPACKAGES:
            return _import_module(f"evalcore.{name}")
        if name not in __all__:
            raise AttributeError(f"module 'evalcore' has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"evalcore.{_HOMES.get(name, 'lingpipe')}"), name)
        return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "io", "__version__"]
