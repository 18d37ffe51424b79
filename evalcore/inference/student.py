"""Student's t distribution, of degrees of freedom that need not be whole: its tails and quantiles, without SciPy.

Tails are the incomplete beta function of half their number and 1/2, by its continued fraction: from the side where 32
of its terms have all digits, 2 being far enough from 0 for the one and near enough for the other.  Source: M.
Abramowitz and I. A. Stegun, Handbook of Mathematical Functions (1964), 26.5.8 and 26.7.1.
"""

import math
from statistics import NormalDist

import numpy as np

from evalcore.typing import FloatArray, Ratio

_TERMS = 32
_FAR = 4.0
"""Squares from here on are far from 0."""
_SHIFT = 24
_SERIES = -1.0, 1 / 2, 5 / 2, -21 / 8, -399 / 8, 869 / 16
"""Of Γ(a + 1/2) / (Γ(a) √a), by powers of 1 / 8a."""
_LARGEST = 1e15
"""Degrees of freedom from here on are as good as infinite."""
_NEAR = 1e-7
"""A step of Newton's method that is smaller is the last: the next would be its square."""
_NORMAL = NormalDist()


def student_tails(statistics: Ratio, freedom: Ratio) -> FloatArray:
    """Return the probability that Student's t is as far from 0, in 0 .. 1; arrays of one shape, or numbers.  O(g).

    freedom: above 0 and finite.

    >>> student_tails(np.array([2.0, 12.7062]), np.array([1e6, 1.0])).round(4)
    array([0.0455, 0.05  ])
    """
    squares, freedom = np.square(np.asarray(statistics, np.float64)), np.asarray(freedom, np.float64)
    a, odds = freedom / 2, squares / freedom
    far = squares >= _FAR
    # I(x; a, 1/2) far from 0, and 1 - I(1 - x; 1/2, a) near it
    one, other, x = np.where(far, a, 0.5), np.where(far, 0.5, a), np.where(far, 1.0, odds) / (1 + odds)
    weight = np.exp(-a * np.log1p(odds)) * np.sqrt(odds / (1 + odds)) * _gamma_ratio(a) / math.sqrt(math.pi)
    found = weight / (one * _fraction(one, other, x))
    return np.asarray(np.where(far, found, 1 - found))


def student_reaches(tails: float, freedom: FloatArray) -> FloatArray:
    """Return how far from 0 Student's t is with a probability above 0 and below 1, for degrees of freedom (g,).  O(g).

    By Newton's method for logarithms, from the first terms of Cornish and Fisher's expansion.

    >>> student_reaches(0.05, np.array([1.0, 10.0])).round(4)
    array([12.7062,  2.2281])
    """
    freedom, z = np.minimum(freedom, _LARGEST), -_NORMAL.inv_cdf(tails / 2)
    reaches = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * np.square(freedom))
    steps = np.ones(freedom.shape)
    constants = 2 * _gamma_ratio(freedom / 2) / np.sqrt(math.pi * freedom)
    while steps.size and np.abs(steps).max() > _NEAR:
        own = student_tails(reaches, freedom)
        slopes = reaches * constants * np.exp(-(freedom + 1) / 2 * np.log1p(np.square(reaches) / freedom)) / own
        steps = (np.log(own) - math.log(tails)) / slopes
        reaches = reaches * np.exp(steps)
    return reaches


def _fraction(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """Return the continued fraction of the incomplete beta function, whose inverse is a factor of it.  O(g)."""
    found: FloatArray = np.ones(np.shape(x))
    for m in range(_TERMS, 0, -1):
        end = a + 2 * m
        found = 1 - (a + m) * (a + b + m) * x / (end * (end + 1)) / found
        found = 1 + m * (b - m) * x / ((end - 1) * end) / found
    return np.asarray(1 - (a + b) * x / (a + 1) / found)


def _gamma_ratio(a: FloatArray) -> FloatArray:
    """Return Γ(a + 1/2) / Γ(a), with all digits.  O(g)."""
    factor: FloatArray = np.ones(np.shape(a))
    for shift in range(_SHIFT):
        factor = factor * ((a + shift) / (a + shift + 0.5))
    part, series = 1 / (8 * (a + _SHIFT)), np.zeros(np.shape(a))
    for each in reversed(_SERIES):
        series = part * (each + series)
    return np.asarray(factor * np.sqrt(a + _SHIFT) * (1 + series))
