"""Names of the array types that the package passes around."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ScoreArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""Scores in the width they came in: float32 or float64, never NaN."""
KeyArray: TypeAlias = npt.NDArray[np.integer[Any]]
"""Scores and labels as integers that sort best first; see `evalcore.kernels.codes`."""
RankArray: TypeAlias = npt.NDArray[np.integer[Any]]
"""Ranks from 0, in the narrowest type that holds the number of categories."""
Count: TypeAlias = int | IntArray | FloatArray
"""Counts of cases, or sums of their weights: one number, or an array of them."""
Ratio: TypeAlias = float | np.float64 | FloatArray
"""What formulas make of counts: one number, or an array of them."""
