"""Probabilities, and the thresholds from which on acting on them is worth while."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.typing import FloatArray
from evalcore.validation.array_likes import as_1d, as_finite_scores, check_several
from evalcore.validation.single_values import percent_advice


def as_decision_thresholds(values: Any) -> FloatArray:
    """Return thresholds, (t,) float64.  Raises EvaluationError unless all are above 0 and below 1.  O(t)."""
    check_several(values, "thresholds")
    levels = as_finite_scores(as_1d(values, "thresholds"), "thresholds").astype(np.float64, copy=False)
    outside = levels[(levels <= 0) | (levels >= 1)]
    if outside.size:
        advice = "; leave it out" if outside[0] in (0, 1) else percent_advice(outside[0])
        raise EvaluationError(f"thresholds must be above 0 and below 1, got {outside[0]}{advice}")
    return levels


def as_rising_thresholds(values: Any) -> FloatArray:
    """Return `as_decision_thresholds` that rise, by default 0.01, 0.02, .. 0.99.  Raises EvaluationError.  O(t)."""
    levels = np.arange(1, 100) / 100 if values is None else as_decision_thresholds(values)
    if not levels.size:
        raise EvaluationError("thresholds must hold at least one number, got none")
    falls = np.flatnonzero(levels[1:] <= levels[:-1])
    if falls.size:
        raise EvaluationError(f"thresholds must rise, got {levels[falls[0] + 1]} after {levels[falls[0]]}")
    return levels


def as_rates(values: Any, name: str) -> FloatArray:
    """Return rates, (g,) float64.  Raises EvaluationError unless all are in 0 .. 1.  O(g)."""
    check_several(values, name)
    numbers = as_finite_scores(as_1d(values, name), name).astype(np.float64, copy=False)
    outside = numbers[(numbers < 0) | (numbers > 1)]
    if outside.size:
        raise EvaluationError(f"{name} must be in 0 .. 1, got {outside[0]}{percent_advice(outside[0])}")
    return numbers


def check_within_unit(lowest: float, highest: float, name: str) -> None:
    """Raise EvaluationError unless the least and the largest probability are in 0 .. 1.  O(1)."""
    if lowest < 0 or highest > 1:
        raise EvaluationError(f"{name} must be in 0 .. 1, got {lowest if lowest < 0 else highest}")
