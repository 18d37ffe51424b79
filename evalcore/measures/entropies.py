"""Entropies of counts, in bits, where 0 log 0 is 0.

Counts stand along the last axis of an array, one for each outcome.  Source: T. M. Cover and J. A. Thomas, Elements of
Information Theory, 2nd ed. (2006), chapter 2.  Each costs O(n) for n counts.
"""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.typing import FloatArray, IntArray, Ratio


def entropy(counts: IntArray) -> Ratio:
    """Return the bits that an outcome tells, -Σ p log₂ p, in 0 .. log₂ n; NaN without counts (2.1).

    >>> float(entropy(np.array([4, 2, 2])))
    1.5
    """
    return cross_entropy(counts, counts)


def cross_entropy(counts: IntArray, coded: IntArray) -> Ratio:
    """Return the bits that an outcome takes in a code made for other shares, -Σ p log₂ q, at least the entropy.

    Infinite where q is 0 and p is not, NaN without counts (5.4.3).

    >>> float(cross_entropy(np.array([2, 2]), np.array([3, 1])))
    1.207518749639422
    """
    return _mean_bits(counts, ratio(coded.sum(axis=-1, keepdims=True), coded))


def divergence(counts: IntArray, expected: IntArray | FloatArray) -> Ratio:
    """Return Kullback and Leibler's divergence, Σ p log₂(p / q), at least 0, from counts of equal sum.

    Infinite where q is 0 and p is not, NaN without counts (2.26).

    >>> float(divergence(np.array([2, 2]), np.array([4, 0])))
    inf
    """
    return np.maximum(_mean_bits(counts, ratio(counts, expected)), 0)  # rounding may leave -1e-17


def _mean_bits(counts: IntArray, factor: Ratio) -> Ratio:
    """Mean of log₂ of a factor over the cases, whatever the factor where there is no case."""
    shares = ratio(counts, counts.sum(axis=-1, keepdims=True))
    bits: Ratio = (shares * np.log2(np.where(counts == 0, 1, factor))).sum(axis=-1)
    return bits
