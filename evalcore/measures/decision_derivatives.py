"""Measures of decisions on one label by name, and how much they change with each cell of the table."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.measures import multiclass, variances
from evalcore.measures.agreement import disagreement
from evalcore.typing import AnyArray, FloatArray

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
DIFFERENTIABLE = (*DECISION_RATIOS, "kappa", "net_benefit")
"""Names of measures whose derivatives are known."""


def decision_measure(name: str, tables: FloatArray, threshold: float | None = None) -> FloatArray:
    """Return a measure of `DIFFERENTIABLE`; tables: (..., 2, 2), tp, fn, fp, tn.  Returns (...).  O(1) for each.

    threshold: of the decisions, above 0 and below 1, which net benefit depends on.

    >>> decision_measure("precision", np.array([[3.0, 2.0], [1.0, 4.0]]))
    array(0.75)
    """
    if name == "kappa":
        return np.asarray(multiclass.weighted_kappa(tables, disagreement(2, 0)))
    above, below = ((factors * tables).sum(axis=(-2, -1)) for factors in _factors(name, threshold))
    return np.asarray(ratio(above, below))


def decision_derivatives(name: str, tables: FloatArray, threshold: float | None = None) -> FloatArray:
    """Return how much a measure of `DIFFERENTIABLE` changes with each cell of tables, (..., 2, 2).  O(1) for each.

    >>> decision_derivatives("recall", np.array([[3.0, 1.0], [1.0, 4.0]]))
    array([[ 0.0625, -0.1875],
           [ 0.    ,  0.    ]])
    """
    if name == "kappa":
        return variances.kappa_derivatives(tables)
    return variances.ratio_derivatives(*_factors(name, threshold), tables)


def _factors(name: str, threshold: float | None) -> tuple[AnyArray, AnyArray]:
    """Return the factors of tp, fn, fp and tn in the sums whose quotient a measure is, (2, 2) each.  O(1)."""
    if name == "net_benefit":
        assert threshold is not None
        return np.array([[1.0, 0.0], [threshold / (threshold - 1), 0.0]]), np.ones((2, 2))
    above, below = map(np.array, DECISION_RATIOS[name])
    return above, below
