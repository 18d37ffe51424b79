"""Entropies of counts, in bits, where 0 log 0 is 0.

Counts stand along the last axis of an array, one for each outcome.  Source: T. M. Cover and J. A. Thomas, Elements of
Information Theory, 2nd ed. (2006), chapter 2.  Each costs O(n) for n counts.
"""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.measures.averages import sums_of_chosen
from evalcore.typing import FloatArray, IntArray, Ratio

_BIT = np.log(2)
_NEAR = 2.0**-5
"""Relative differences below which x log x - x + 1 loses digits unless it is a series."""
_SERIES = 1 / np.arange(9.0, 2, -2)
"""Coefficients of s², the highest power first: the next one would change nothing where s is below `_NEAR` / 1.9."""


def entropy(counts: IntArray) -> Ratio:
    """Return the entropy in bits, -Σ p log₂ p, in 0 .. log₂ n; NaN without counts (2.1)."""
    return cross_entropy(counts, counts)


def cross_entropy(counts: IntArray, coded: IntArray) -> Ratio:
    """Return the cross-entropy in bits, -Σ p log₂ q, at least the entropy.

    Infinite where q is 0 and p is not, NaN without counts (5.4.3).
    """
    return _mean_bits(counts, ratio(coded.sum(axis=-1, keepdims=True) - coded, coded))


def divergence(excess: IntArray | FloatArray, expected: IntArray | FloatArray) -> Ratio:
    """Return Kullback and Leibler's divergence, Σ p log₂(p / q), at least 0, over all cells of two equal sums.

    excess: p - q along the last axis, exact, for where p and q are close their difference is all that counts;
    expected: q, in the same unit.  Infinite where q is 0 and p is not, NaN without counts (2.26).  With x = p / q it is
    Σ q (x log₂ x), and where x is near 1 the sum of q (x log₂ x - (x - 1) / log 2): all q (x - 1) add up to 0.
    """
    relative, possible = np.asarray(ratio(excess, expected)), np.asarray(expected > 0)
    near = possible & (np.abs(relative) < _NEAR)
    far = possible & ~near
    x = 1 + relative[far]
    bits = sums_of_chosen(expected[far] * x * np.log2(np.where(x > 0, x, 1.0)), far)
    surprise = sums_of_chosen(expected[near] * _surprise(relative[near]), near) - sums_of_chosen(excess[far], far)
    found = ratio(np.maximum(bits + surprise / _BIT, 0), np.sum(expected, axis=-1, dtype=np.float64))
    return np.where(np.any(~possible & (excess > 0), axis=-1), np.inf, found)[()]


def _surprise(relative: FloatArray) -> FloatArray:
    """Return x log x - x + 1 for x = 1 + relative near 1, which is about relative² / 2.

    With s = (x - 1) / (x + 1), log x is 2 (s + s³/3 + s⁵/5 + ..), and x is (1 + s) / (1 - s).
    """
    s = relative / (2 + relative)
    found: FloatArray = 2 * s * s * (1 + (1 + s) * s * np.polyval(_SERIES, s * s)) / (1 - s)
    return found


def _mean_bits(counts: IntArray, more: Ratio) -> Ratio:
    """Return the mean of log₂(1 + more) over the cases; where there are none, `more` does not matter."""
    fractions = ratio(counts, counts.sum(axis=-1, keepdims=True))
    bits: Ratio = (fractions * np.log1p(np.where(counts == 0, 0, more)) / _BIT).sum(axis=-1)
    return bits
