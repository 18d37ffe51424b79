"""Measures of decisions on one label by name, and how much they change with each cell of the table."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.measures import multiclass, variances
from evalcore.measures.agreement import disagreement
from evalcore.typing import FloatArray

DECISION_RATIOS = {
    "accuracy": ([[1, 0], [0, 1]], [[1, 1], [1, 1]]),
    "recall": ([[1, 0], [0, 0]], [[1, 1], [0, 0]]),
    "precision": ([[1, 0], [0, 0]], [[1, 0], [1, 0]]),
    "specificity": ([[0, 0], [0, 1]], [[0, 0], [1, 1]]),
    "negative_predictive_value": ([[0, 0], [0, 1]], [[0, 1], [0, 1]]),
    "jaccard": ([[1, 0], [0, 0]], [[1, 1], [1, 0]]),
    "f1": ([[2, 0], [0, 0]], [[2, 1], [1, 0]]),
}
"""Measures as quotients of sums over tp, fn, fp and tn, each times its factor."""
DIFFERENTIABLE = (*DECISION_RATIOS, "kappa")
"""Names of measures whose derivatives are known."""


def decision_measure(name: str, tables: FloatArray) -> FloatArray:
    """Return a measure of `DIFFERENTIABLE`; tables: (..., 2, 2), tp, fn, fp, tn.  Returns (...).  O(1) for each.

    >>> decision_measure("precision", np.array([[3.0, 2.0], [1.0, 4.0]]))
    array(0.75)
    """
    if name == "kappa":
        return np.asarray(multiclass.weighted_kappa(tables, disagreement(2, 0)))
    above, below = ((np.array(factors) * tables).sum(axis=(-2, -1)) for factors in DECISION_RATIOS[name])
    return np.asarray(ratio(above, below))


def decision_derivatives(name: str, tables: FloatArray) -> FloatArray:
    """Return how much a measure of `DIFFERENTIABLE` changes with each cell of tables, (..., 2, 2).  O(1) for each.

    >>> decision_derivatives("recall", np.array([[3.0, 1.0], [1.0, 4.0]]))
    array([[ 0.0625, -0.1875],
           [ 0.    ,  0.    ]])
    """
    if name == "kappa":
        return variances.kappa_derivatives(tables)
    above, below = (np.array(factors) for factors in DECISION_RATIOS[name])
    return variances.ratio_derivatives(above, below, tables)
