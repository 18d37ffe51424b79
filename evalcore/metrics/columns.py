"""ROC areas of many columns at once: of labels, such as targets or gene sets, or of scores, such as models."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import warnings

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import UndefinedMetricWarning
from evalcore.measures.column_areas import roc_areas_of_columns, roc_areas_of_labels
from evalcore.typing import FloatArray
from evalcore.validation.scores import as_scored_columns
from evalcore.validation.values import refuses_weights


@refuses_weights(
    "counts ranks and takes no sample_weight; evalcore.metrics.roc_auc_score takes it, one column at a time"
)
def roc_auc_by_column(y_true: ArrayLike, y_score: ArrayLike) -> FloatArray:
    r"""Return the area under the ROC curve of each column of labels, of scores, or of both.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k)
        Labels of two classes in one column, of which the larger is positive; or k columns of 0 and 1, or Booleans.
    y_score : array-like of shape (n,) or (n, k)
        Finite scores.

    Returns
    -------
    (k,) float64
        In 0 .. 1, where ties count half; NaN, with one UndefinedMetricWarning for all, where a column of labels holds
        one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels or scores are invalid, differ in length, or have different numbers of columns, neither of them 1.

    Notes
    -----
    $$\frac{R - n_+ (n_+ + 1) / 2}{n_+ n_-}$$

    $R$ is the sum of the ranks, from 1, of the positive cases of a column, ties having their mean rank.  Range: 0 to 1;
    1 is best, 0.5 is chance.

    Each number is that of `roc_auc_score`, to the last bit; that function takes weights of cases, this one none.
    Use this function instead of a loop: for one ranking and many sets, targets or annotations, it sorts once and adds
    up ranks, O(n log n + n k); for many models or features and one column of labels, and for as many columns of either,
    it sorts columns in blocks, O(k n log n).  Memory beyond the arguments: O(n + k), one byte for each number of
    `y_true` that is not Boolean, and a copy of `y_score` that is neither float32 nor float64.  Source: J. A. Hanley
    and B. J. McNeil, Radiology 143 (1982) 29-36.

    Examples
    --------
    Two models, one column of labels:

    >>> import numpy as np
    >>> models = np.array([[0.1, 0.3], [0.4, 0.2], [0.35, 0.9], [0.8, 0.7]])
    >>> roc_auc_by_column([0, 0, 1, 1], models)
    array([0.75, 1.  ])

    One ranking, three sets:

    >>> sets = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 0, 1]])
    >>> roc_auc_by_column(sets, [0.1, 0.4, 0.35, 0.8])
    array([0.75, 0.  , 1.  ])
    """
    labels, scores, extent = as_scored_columns(y_true, y_score)
    if scores.shape[1] == 1 < labels.shape[1]:
        areas = roc_areas_of_labels(scores[:, 0], labels)
    else:
        areas = roc_areas_of_columns(scores, np.broadcast_to(labels, scores.shape), extent)
    undefined = np.flatnonzero(np.isnan(areas))
    if undefined.size:
        warnings.warn(
            f"Only one class is present in y_true for {undefined.size} of {areas.size} columns, the first of them "
            f"{undefined[0]}. ROC AUC score is not defined there.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return areas
