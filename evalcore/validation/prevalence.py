"""The prevalence to which labels of two classes are reweighted."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.measures.prevalence_shift import weights_for_prevalence
from evalcore.typing import AnyArray, BoolArray, FloatArray
from evalcore.validation.single_values import check_open_fraction
from evalcore.validation.weights import check_weight_sum


def check_target_prevalence(value: Any, name: str = "target_prevalence") -> float:
    """Return a prevalence.  Raises EvaluationError unless it is above 0 and below 1.  O(1)."""
    return check_open_fraction(value, name)


def weights_at_prevalence(
    positive: BoolArray, weights: AnyArray | None, prevalence: Any, name: str = "target_prevalence"
) -> FloatArray:
    """Return weights, (n,) float64, of which the positive cases have a checked prevalence.  O(n).

    weights: (n,), none negative, or None for one each.  Raises EvaluationError if a class has no weight.

    >>> import numpy as np
    >>> weights_at_prevalence(np.array([True, True, False, False]), None, 0.25)
    array([0.5, 0.5, 1.5, 1.5])
    """
    target = check_target_prevalence(prevalence, name)
    held = positive if weights is None else positive[weights > 0]
    if not held.any() or held.all():
        what = "negative" if held.any() else "positive"
        raise EvaluationError(f"{name} needs cases of both classes, got no {what} case")
    shifted = weights_for_prevalence(positive, target, weights)
    check_weight_sum(shifted)
    return shifted


def class_factors_at_prevalence(totals: FloatArray, prevalence: Any, name: str = "target_prevalence") -> FloatArray:
    """Return by how much each weight of a class counts at a checked prevalence, (2,), positives first.  O(1).

    totals: (2,), the weights of both classes.  Raises EvaluationError if one has none.

    >>> import numpy as np
    >>> class_factors_at_prevalence(np.array([2.0, 2.0]), 0.25)
    array([0.5, 1.5])
    """
    target = check_target_prevalence(prevalence, name)
    if not totals.all():
        what = "negative" if totals[0] else "positive"
        raise EvaluationError(f"{name} needs cases of both classes, got no {what} case")
    wanted = np.array([target, 1 - target]) * totals.sum()
    factors: FloatArray = wanted / totals
    return factors
