"""Quantiles and tails of distributions, from SciPy."""

from importlib import import_module
from typing import Any

from evalcore.errors import EvaluationError


def normal_quantile(probability: float) -> float:
    """Return the value that a standard normal variable stays below with a probability in 0 .. 1.

    Raises EvaluationError where SciPy is missing, as all functions here do.  O(1).

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    return float(_special().ndtri(probability))


def normal_tails(statistic: float) -> float:
    """Return how often a standard normal variable is at least as far from 0 as a statistic, in 0 .. 1.  O(1).

    >>> round(normal_tails(-1.959964), 6)
    0.05
    """
    return float(2 * _special().ndtr(-abs(statistic)))


def _special() -> Any:
    try:
        return import_module("scipy.special")
    except ImportError:
        raise EvaluationError("intervals need SciPy; pip install 'evalcore[inference]'") from None
