"""Checked probabilities, outcomes and weights of what asks how sure calibration is."""

from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.inference.sampling_units import checked_weights
from evalcore.typing import BoolArray, FloatArray, ScoreArray
from evalcore.validation.arrays import as_unit_probabilities, check_equal_lengths, check_indices
from evalcore.validation.targets import as_positive_mask


class ProbabilityCases(NamedTuple):
    """Cases whose weight is above zero, (n,) each."""

    probabilities: ScoreArray
    positive: BoolArray
    weights: FloatArray | None
    """None if they are equal."""
    frequencies: bool
    """Whether a case of weight w stands for w cases."""

    def at(self, chosen: slice) -> "ProbabilityCases":
        """Return some of the cases.  O(1)."""
        weights = None if self.weights is None else self.weights[chosen]
        return ProbabilityCases(self.probabilities[chosen], self.positive[chosen], weights, self.frequencies)

    def weights_of(self, block: slice) -> FloatArray | float:
        """Return the weights of a block, (m,), or 1.  O(1)."""
        return 1.0 if self.weights is None else self.weights[block]

    def squared_weights(self, block: slice) -> FloatArray | float:
        """Return the factors of the variances of outcomes in that of their weighted sum, (m,), or 1.  O(m)."""
        weights = self.weights_of(block)
        return weights if self.frequencies else weights * weights


def checked_cases(
    y_true: Any, y_prob: Any, sample_weight: Any, weight_type: Any, pos_label: Any, *, function: str
) -> ProbabilityCases:
    """Check labels, probabilities of the positive class, and weights; errors name the function.  O(n)."""
    check_indices(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    positive = as_positive_mask(y_true, pos_label, function)
    probabilities = as_unit_probabilities(y_prob, "y_prob")
    check_equal_lengths(positive, probabilities, "y_true", "y_prob")
    if not positive.size:
        raise EvaluationError("y_true must hold at least one case, got none")
    chosen, weights, frequencies = checked_weights(sample_weight, weight_type, positive.size, function)
    if weights is not None:
        weights = weights.astype(np.float64, copy=False)
    return ProbabilityCases(probabilities[chosen], positive[chosen], weights, frequencies)
