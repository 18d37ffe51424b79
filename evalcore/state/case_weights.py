"""Weights of cases, whatever is asked of them."""

from typing import NamedTuple

import numpy as np

from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray


class CaseWeights(NamedTuple):
    """The weights of n cases."""

    values: AnyArray | None = None
    """Shape (n,) int64 or float64, all above zero; None for one each."""
    frequencies: bool = False
    """Whether a case stands for as many cases like it."""
    divisor: float = 1.0
    """What the values were divided by, a power of two: 1.0 for weights of common size."""

    @property
    def floats(self) -> FloatArray | None:
        """The weights as float64, which holds them."""
        return None if self.values is None else self.values.astype(np.float64, copy=False)

    def chosen(self, rows: BoolArray | IntArray | slice) -> "CaseWeights":
        """Return the weights of some cases.  O(n)."""
        return self if self.values is None else self._replace(values=self.values[rows])


EQUAL_WEIGHTS = CaseWeights()
"""Each case counts once."""
