"""Quantiles and tails of distributions: normal ones from the standard library, others from SciPy."""

import math
from statistics import NormalDist
from types import ModuleType

from evalcore.optional import require

_NORMAL = NormalDist()
_ROOT_2 = math.sqrt(2)


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile of a probability in 0 .. 1, infinite at its ends.  O(1)."""
    if probability in (0, 1):
        return math.copysign(math.inf, probability - 0.5)
    return _NORMAL.inv_cdf(probability)


def normal_reach(level: float) -> float:
    """Return the standard deviations around its mean that hold a normal variable at a level, also next to 1.  O(1)."""
    return -normal_quantile((1 - level) / 2)


def normal_probability(value: float) -> float:
    """Return the probability, in 0 .. 1, that a standard normal variable is below a value.  O(1)."""
    return math.erfc(-value / _ROOT_2) / 2


def normal_tails(statistic: float) -> float:
    """Return the probability that a standard normal variable is at least as far from 0 as a statistic.  O(1)."""
    return math.erfc(abs(statistic) / _ROOT_2)


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the quantile, in 0 .. 1, of a beta distribution with parameters above 0.  O(1)."""
    return float(_special().betaincinv(a, b, probability))


def beta_upper_quantile(probability: float, a: float, b: float) -> float:
    """Return the value that a beta variable exceeds with a probability, exact if it is small.  O(1)."""
    return float(_special().betainccinv(a, b, probability))


def heads_at_most(heads: int, tosses: int) -> float:
    """Return the probability of at most so many heads in tosses of a fair coin; 0 below 0 heads.  O(1)."""
    if heads < 0:
        return 0.0
    if heads >= tosses:
        return 1.0
    return float(_special().betainc(float(tosses - heads), float(heads + 1), 0.5))


def student_reach(level: float, freedom: float) -> float:
    """Return the distance from 0 that holds Student's variable at a level; freedom: at least 1.  O(1)."""
    return -float(_special().stdtrit(freedom, (1 - level) / 2))


def student_tails(statistic: float, freedom: float) -> float:
    """Return the probability that Student's variable is at least as far from 0 as a statistic.  O(1)."""
    return float(2 * _special().stdtr(freedom, -abs(statistic)))


def reach_of(level: float, freedom: float = math.inf) -> float:
    """Return the distance from 0 that holds a normal variable or, with degrees of freedom, Student's.  O(1).

    At 2 level - 1 it is the quantile of a level.

    >>> round(reach_of(0.95), 3), round(reach_of(2 * 0.95 - 1), 3)
    (1.96, 1.645)
    """
    return normal_reach(level) if freedom == math.inf else student_reach(level, freedom)


def tails_of(statistic: float, freedom: float = math.inf) -> float:
    """Return the probability that a normal variable or, with degrees of freedom, Student's is as far from 0.  O(1).

    >>> round(tails_of(1.96), 3)
    0.05
    """
    return normal_tails(statistic) if freedom == math.inf else student_tails(statistic, freedom)


def _special() -> ModuleType:
    return require("scipy.special", "inference")
