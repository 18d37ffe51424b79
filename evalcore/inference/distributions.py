"""Quantiles and tails of distributions, from SciPy."""

from types import ModuleType

from evalcore.optional import require


def normal_quantile(probability: float) -> float:
    """Return the value that a standard normal variable stays below with a probability in 0 .. 1.

    Raises MissingLibraryError where SciPy is missing, as all functions here do.  O(1).

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    return float(_special().ndtri(probability))


def normal_reach(level: float) -> float:
    """Return within how many standard deviations of its mean a normal variable stays, as often as a level says.

    For levels next to 1 too, where (1 + level) / 2 rounds to 1.  O(1).

    >>> round(normal_reach(0.95), 6)
    1.959964
    """
    return -normal_quantile((1 - level) / 2)


def normal_probability(value: float) -> float:
    """Return how often a standard normal variable stays below a value, in 0 .. 1.  O(1).

    >>> round(normal_probability(1.959964), 6)
    0.975
    """
    return float(_special().ndtr(value))


def normal_tails(statistic: float) -> float:
    """Return how often a standard normal variable is at least as far from 0 as a statistic, in 0 .. 1.  O(1).

    >>> round(normal_tails(-1.959964), 6)
    0.05
    """
    return float(2 * _special().ndtr(-abs(statistic)))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the value, in 0 .. 1, that a beta variable of parameters above 0 stays below with a probability.  O(1).

    >>> round(beta_quantile(0.75, 1.0, 2.0), 12)
    0.5
    """
    return float(_special().betaincinv(a, b, probability))


def beta_upper_quantile(probability: float, a: float, b: float) -> float:
    """Return the value, in 0 .. 1, that a beta variable of parameters above 0 exceeds with a probability.  O(1).

    Exact for small probabilities too, where 1 less the probability is rounded.

    >>> round(beta_upper_quantile(0.25, 1.0, 2.0), 12)
    0.5
    """
    return float(_special().betainccinv(a, b, probability))


def heads_at_most(heads: int, tosses: int) -> float:
    """Return how often a fair coin shows no more heads than that in so many tosses, in 0 .. 1; 0 below 0 heads.  O(1).

    >>> heads_at_most(1, 2), heads_at_most(-1, 2), heads_at_most(0, 0)
    (0.75, 0.0, 1.0)
    """
    if heads < 0:
        return 0.0
    if heads >= tosses:
        return 1.0
    return float(_special().betainc(float(tosses - heads), float(heads + 1), 0.5))


def student_reach(level: float, freedom: float) -> float:
    """Return within what distance of 0 Student's variable stays, as often as a level says; freedom: at least 1.  O(1).

    >>> round(student_reach(0.95, 10), 6)
    2.228139
    """
    return -float(_special().stdtrit(freedom, (1 - level) / 2))


def student_tails(statistic: float, freedom: float) -> float:
    """Return how often Student's variable is at least as far from 0 as a statistic, in 0 .. 1.  O(1).

    >>> round(student_tails(2.228139, 10), 6)
    0.05
    """
    return float(2 * _special().stdtr(freedom, -abs(statistic)))


def _special() -> ModuleType:
    return require("scipy.special", "inference")
