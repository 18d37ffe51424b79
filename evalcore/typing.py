"""Names of the types that the package passes around."""

from collections.abc import Iterable
from typing import Any, Literal, Protocol, TypeAlias, Union

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
AnyArray: TypeAlias = npt.NDArray[Any]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ScoreArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""Scores in the width they came in: float32 or float64, never NaN."""
KeyArray: TypeAlias = npt.NDArray[np.integer[Any]]
"""Scores and labels as integers that sort best first; see `evalcore.kernels.sorting`."""
RankArray: TypeAlias = npt.NDArray[np.integer[Any]]
"""Ranks from 0, in the narrowest type that holds the number of categories."""
Count: TypeAlias = int | IntArray | FloatArray
"""Counts of cases, or sums of their weights: one number, or an array of them."""
Amount: TypeAlias = Any
"""A number of cases, int, or their weight, float."""
Ratio: TypeAlias = float | np.float64 | FloatArray
"""Results of formulas on counts: one number, or an array of them."""


class SparseMatrix(Protocol):
    """The method that evalcore needs of SciPy's sparse arrays and matrices."""

    def tocsr(self) -> Any:
        """Return the matrix row by row."""


class SupportsItems(Protocol):
    """The method that mappings and pandas' Series share."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Return keys and values."""


class SupportsWrite(Protocol):
    """Anything with a ``write`` for text: an open file, `io.StringIO`, `sys.stdout`."""

    def write(self, text: str, /) -> object:
        """Take a piece of text."""


LabelsLike: TypeAlias = npt.ArrayLike | SparseMatrix
"""Labels of cases, or indicators of several labels, sparse ones too."""
Label: TypeAlias = str | float | np.generic
"""One label; numbers and Booleans are floats to type checkers."""
ZeroDivision: TypeAlias = float | Literal["warn"]
"""The value of a score that divides by zero: 0, 1, NaN, or 0 with a warning."""
AreaAverage: TypeAlias = Literal["micro", "macro", "weighted", "samples"]
"""How areas of classes or labels are averaged."""
Average: TypeAlias = Literal["binary"] | AreaAverage
"""How scores of classes are averaged, or that one class is scored."""
BinStrategy: TypeAlias = Literal["uniform", "quantile"]

CalibrationStrategy: TypeAlias = BinStrategy | Literal["isotonic"]
"""Bins of equal width, or with equal numbers of cases."""
GapNorm: TypeAlias = Literal["l1", "l2", "max"]
"""How the gaps of bins are combined: their mean, the root of their mean square, or the largest."""
ProbabilityLoss: TypeAlias = Literal["brier", "log_loss"]
"""Losses of probabilities."""
Period: TypeAlias = Literal["hour", "day", "week", "month", "quarter", "year"]
ProportionMethod: TypeAlias = Literal["wilson", "clopper-pearson", "jeffreys", "agresti-coull", "normal"]
"""Methods for intervals of proportions."""
AgreementCoefficient: TypeAlias = Literal["gwet", "fleiss", "conger", "brennan-prediger", "percent"]
"""What agreement of raters is expected by chance."""
AgreementWeights: TypeAlias = Literal[
    "identity", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"
]
"""How much two ratings agree."""
RatingMetric: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""Scales of ratings in Krippendorff's alpha."""
RocAucMethod: TypeAlias = Literal["delong-wilson", "delong", "delong-logit"]
"""Methods for intervals of ROC AUCs."""
BandKind: TypeAlias = Literal["threshold", "pointwise", "simultaneous"]
"""What a band around a curve holds: the rates of each threshold, the curve at each rate, or the whole curve."""
RocDifferenceMethod: TypeAlias = Literal["delong-score", "delong"]
UnpairedRocMethod: TypeAlias = Literal["zou-donner", "delong"]
"""Methods for intervals of differences of ROC AUCs of the same cases."""
WeightType: TypeAlias = Literal["sampling", "frequency"]
"""Whether a weight says how many cases of the population a case stands for, or how often it occurred."""
BootstrapMethod: TypeAlias = Literal["percentile", "basic", "bca"]
"""Methods for bounds from resamples."""
Seed: TypeAlias = Union[int, np.integer[Any], "np.random.SeedSequence", "np.random.Generator", None]
"""Seeds of random numbers; generators are quoted, since NumPy loads them when they are asked for."""
Ties: TypeAlias = Literal["mean", "trec"]
"""Whether items of equal score count as the mean over their orders, or are ordered as trec_eval does."""
