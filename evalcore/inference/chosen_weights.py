"""Weights of the cases of an interval or a comparison, checked."""

from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.sort_keys import extent
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.kernels.weights import WeightSums, decision_weight_sums, weight_sums
from evalcore.typing import AnyArray, BoolArray
from evalcore.validation.weights import are_frequencies, as_case_weights, scale_weights

_FARTHEST = 2.0**480
"""Variances take the squares of weights, and some the squares of these."""


class ChosenWeights(NamedTuple):
    """Which of n cases have a weight above zero, and the weights of these m."""

    chosen: Any
    """Mask, (n,), or a slice of all: the index of these cases."""
    values: AnyArray | None
    """Shape (m,), int64 or float64; None if they are equal, so that they say nothing."""
    frequencies: bool
    """Whether a case of weight w stands for w cases; the weights are then int64."""

    def counts(self, positive: BoolArray, predicted: BoolArray) -> BinaryCounts | None:
        """Count the cases of each cell; None if they do not count alike.  positive, predicted: (n,).  O(n)."""
        if self.values is None:
            return binary_counts(positive[self.chosen], predicted[self.chosen])
        if self.frequencies:
            return BinaryCounts(*map(int, self.cells(positive, predicted).sums.tolist()))
        return None

    def cells(self, positive: BoolArray, predicted: BoolArray) -> WeightSums:
        """Add up the weights of tp, fn, fp and tn, (4,) each; positive, predicted: (n,).  O(n)."""
        masks = positive[self.chosen], predicted[self.chosen]
        return decision_weight_sums(*masks, self.of_each(masks[0].size), frequencies=self.frequencies)

    def sums(self, codes: AnyArray, cells: int) -> WeightSums:
        """Add up the weights of each of some cells; codes: (m,) in 0 .. cells-1.  O(m + cells)."""
        return weight_sums(codes, self.of_each(codes.size), cells, frequencies=self.frequencies)

    def of_each(self, size: int) -> AnyArray:
        """Return the weights of the m cases, 1 where they are equal; size: m.  O(m)."""
        return np.ones(size, np.int64) if self.values is None else self.values


def checked_weights(
    weights: Any, weight_type: Any, size: int, function: str, name: str = "sample_weight"
) -> ChosenWeights:
    """Check the weights of as many cases; name: for errors.  O(n).

    Raises EvaluationError or EvaluationTypeError for invalid weights, and for a type of no weights.

    >>> checked_weights([2.0, 0.0, 2.0], "sampling", 3, "f")
    ChosenWeights(chosen=array([ True, False,  True]), values=None, frequencies=False)
    """
    frequencies = are_frequencies(weight_type, function)
    if weights is None:
        if frequencies:
            raise EvaluationError(f"weight_type needs {name}, which it describes; pass it, or no weight_type")
        return ChosenWeights(slice(None), None, frequencies)
    values = as_case_weights(weights, size, name, whole=frequencies)
    present = values > 0
    chosen = slice(None) if present.all() else present
    values = values[chosen]
    least, largest = extent(values) if values.size else (1, 1)
    if largest / _FARTHEST > least:
        raise EvaluationError(
            f"{name} must hold weights above 0 that differ by less than a factor of 2**480, got {least:g} and "
            f"{largest:g}; set weights that say nothing to 0"
        )
    alike = largest == 1 if frequencies else least == largest
    return ChosenWeights(chosen, None if alike else scale_weights(values)[0], frequencies)
