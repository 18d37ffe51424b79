"""Weights of pairs of classes: how much two different ones agree."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.measures.agreement import disagreement
from evalcore.typing import AnyArray
from evalcore.validation.array_likes import as_real_matrix, check_finite
from evalcore.validation.parameters import check_choice

_POWERS = {None: 0, "linear": 1, "quadratic": 2}
"""How the weight of a disagreement grows with the distance of the classes."""


def disagreement_of_classes(weights: Any, classes: int, function: str) -> AnyArray:
    """Return how much each two of k classes disagree, (k, k), 0 on the diagonal; float64 of a matrix of agreement.

    Raises EvaluationError for other weights.  O(k²).

    >>> disagreement_of_classes([[1, 0.75], [0.75, 1]], 2, "kappa_interval")
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    if weights is None or isinstance(weights, str):
        check_choice(weights, ("linear", "quadratic", None), "weights", function)
        return disagreement(classes, _POWERS[weights])
    matrix = as_real_matrix(weights, "weights").astype(np.float64)
    check_finite(matrix, "weights")
    if matrix.shape != (classes, classes):
        raise EvaluationError(
            f"weights must have a row and a column for each of {classes} classes, got shape {matrix.shape}"
        )
    valid = (matrix >= 0) & (matrix <= 1) & ((matrix == 1) | ~np.eye(classes, dtype=np.bool_))
    if not valid.all():
        row, column = divmod(int(np.argmin(valid)), classes)
        what = "1, for a class agrees with itself" if row == column else "between 0 and 1"
        raise EvaluationError(f"weights[{row}, {column}] must be {what}, got {matrix[row, column]:g}")
    return np.asarray(1 - matrix)
