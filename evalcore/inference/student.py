"""Student's t distribution, of degrees of freedom that need not be whole: its tails and quantiles, without SciPy.

Tails are the incomplete beta function of half their number and 1/2, by its continued fraction: from the side where 24
of its terms have all digits, 2 being far enough from 0 for the one and near enough for the other.  Sources: M.
Abramowitz and I. A. Stegun, Handbook of Mathematical Functions (1964), 26.7.1; A. R. DiDonato and A. H. Morris,
Algorithm 708: significant digit computation of the incomplete beta function ratios, ACM Transactions on Mathematical
Software 18 (1992) 360-373, whose fraction loses no digits where degrees of freedom are many.
"""

import math
from statistics import NormalDist

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.typing import FloatArray, Ratio

_TERMS = 24
_SHIFT = 24
_SERIES = -1.0, 1 / 2, 5 / 2, -21 / 8, -399 / 8, 869 / 16
"""Of Γ(a + 1/2) / (Γ(a) √a), by powers of 1 / 8a."""
_EXPANSION = (
    (1 / 4, 1 / 4),
    (3 / 96, 16 / 96, 5 / 96),
    (-15 / 384, 17 / 384, 19 / 384, 3 / 384),
    (-945 / 92160, -1920 / 92160, 1482 / 92160, 776 / 92160, 79 / 92160),
)
"""Of the quantile less the normal one z, by powers of the degrees of freedom, each by even powers of z, times z."""


def student_tails(statistics: Ratio, freedom: Ratio) -> FloatArray:
    """Return the probability that Student's t is as far from 0, in 0 .. 1; arrays of one shape, or numbers.  O(g).

    freedom: above 0 and finite.

    >>> student_tails(np.array([2.0, 12.7062]), np.array([1e6, 1.0])).round(4)
    array([0.0455, 0.05  ])
    """
    squares, freedom = np.square(np.asarray(statistics, np.float64)), np.asarray(freedom, np.float64)
    a, odds = freedom / 2, squares / freedom
    far = squares >= 4
    # I(x; a, 1/2) far from 0, and 1 - I(1 - x; 1/2, a) near it
    one, other, parts = np.where(far, a, 0.5), np.where(far, 0.5, a), np.array([np.ones(odds.shape), odds]) / (1 + odds)
    weight = np.exp(-a * np.log1p(odds)) * np.sqrt(odds / (1 + odds)) * _gamma_ratio(a) / math.sqrt(math.pi)
    found = weight / _fraction(one, other, *np.where(far, parts, parts[::-1]))
    return np.asarray(np.where(far, found, 1 - found))


def student_reaches(tails: float, freedom: FloatArray) -> FloatArray:
    """Return how far from 0 Student's t is with a probability above 0 and below 1, for degrees of freedom (g,).  O(g).

    By Cornish and Fisher's expansion, and where they are few by Newton's method for logarithms from there.

    >>> student_reaches(0.05, np.array([1.0, 10.0, 1000.0])).round(4)
    array([12.7062,  2.2281,  1.9623])
    """
    freedom, z = np.minimum(freedom, 1e15), -NormalDist().inv_cdf(tails / 2)  # more are as good as infinitely many
    reaches = np.full(freedom.shape, z)
    for power, terms in enumerate(_EXPANSION, 1):
        reaches += z * sum(each * z ** (2 * place) for place, each in enumerate(terms)) / freedom**power
    few = freedom < 100 * (1 + z * z)  # for more the expansion has twelve digits
    if few.any():
        reaches[few] = _reached(tails, reaches[few], freedom[few])
    return reaches


def _reached(tails: float, reaches: FloatArray, freedom: FloatArray) -> FloatArray:
    constants, steps = 2 * _gamma_ratio(freedom / 2) / np.sqrt(math.pi * freedom), np.ones(freedom.shape)
    while np.abs(steps).max() > 1e-7:  # the next step of Newton's method would be the square
        own = student_tails(reaches, freedom)
        slopes = reaches * constants * np.exp(-(freedom + 1) / 2 * np.log1p(np.square(reaches) / freedom)) / own
        steps = (np.log(own) - math.log(tails)) / slopes
        reaches = reaches * np.exp(steps)
    return reaches


def _fraction(a: FloatArray, b: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the continued fraction of the incomplete beta function, whose inverse is a factor; y: 1 - x.  O(g)."""
    columns, n = np.array([each.ravel() for each in (a, b, x, y)]), np.arange(_TERMS, 0.0, -1)[:, np.newaxis]

    def of_block(block: slice) -> FloatArray:
        a, b, x, y = columns[:, block]
        end, first, rest = a + 2 * n, a * y - b * x + 1, np.zeros(x.size)
        times = n * (b - n) * x / (end - 1)
        wholes = n + times + (a + n) / (end + 1) * (first + n * (1 + y))
        parts = (a + n - 1) * (a + b + n - 1) * times * x / (end - 1)
        for whole, part in zip(wholes, parts, strict=True):
            rest = part / (whole + rest)
        return np.asarray(a / (a + 1) * first + rest)

    return np.concatenate([np.empty(0), *map_blocks(of_block, x.size, _TERMS)]).reshape(x.shape)


def _gamma_ratio(a: FloatArray) -> FloatArray:
    """Return Γ(a + 1/2) / Γ(a), with all digits.  O(g)."""
    shifted = np.add.outer(np.arange(_SHIFT), a)
    factor = np.prod(shifted / (shifted + 0.5), axis=0)
    part, series = 1 / (8 * (a + _SHIFT)), np.zeros(np.shape(a))
    for each in reversed(_SERIES):
        series = part * (each + series)
    return np.asarray(factor * np.sqrt(a + _SHIFT) * (1 + series))
