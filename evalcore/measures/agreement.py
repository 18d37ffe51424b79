"""Agreement beyond chance: accuracy against that of random responses of the same frequencies.

Correct responses, and those expected by chance, are counted in pairs of a reference and a response, n² for n cases.
These are whole numbers, so that no difference of them loses a digit.  Counts are
Python's integers; `reference` and `response` hold one for each of k categories.  Each costs O(k).

Entropies of counts, in bits, where 0 log 0 is 0.

Counts stand along the last axis of an array, one for each outcome.  Source: T. M. Cover and J. A. Thomas, Elements of
Information Theory, 2nd ed. (2006), chapter 2.  Each costs O(n) for n counts.

Means over chosen cases, and of values some of which are missing.
"""

import math
from collections.abc import Sequence
from operator import add, mul
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.kernels.sums import ratio
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio, ScoreArray


def beyond_chance(agreed: Ratio, by_chance: Ratio, possible: Ratio) -> Ratio:
    """Return agreement beyond chance as a fraction of the possible, (a - e) / (m - e), at most 1.

    Source: J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20
    (1960) 37-46.
    """
    return ratio(agreed - by_chance, possible - by_chance)


def chance_accuracy(reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return the accuracy of independent responses of these frequencies, Σ r c / n², in 0 .. 1 (Cohen 1960)."""
    return ratio(_equal_pairs(reference, response), sum(reference) * sum(response))


def pooled_chance_accuracy(reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return the accuracy of independent responses of the mean frequencies, Σ (r + c)² / 4 n², in 0 .. 1.

    Source: S. Siegel and N. J. Castellan, Nonparametric Statistics for the Behavioral Sciences (1988), 9.8.
    """
    pooled = list(map(add, reference, response))
    return chance_accuracy(pooled, pooled)


def kappa(correct: int, reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return accuracy beyond `chance_accuracy`, (n correct - Σ r c) / (n² - Σ r c), at most 1 (Cohen 1960)."""
    total = sum(reference)
    return beyond_chance(total * correct, _equal_pairs(reference, response), total**2)


def pooled_kappa(correct: int, reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return accuracy beyond `pooled_chance_accuracy`, (4 n correct - Σ (r + c)²) / (4 n² - Σ (r + c)²), at most 1.

    Scott's pi, Siegel and Castellan's kappa (1988).
    """
    pooled = list(map(add, reference, response))
    return kappa(2 * correct, pooled, pooled)


def kappa_no_prevalence(right: int, wrong: int) -> Ratio:
    """Return kappa adjusted for prevalence and bias, 2 a - 1 for the accuracy a, in -1 .. 1.

    Source: T. Byrt, J. Bishop and J. B. Carlin, Bias, prevalence and kappa, J. Clinical Epidemiology 46
    (1993) 423-429.
    """
    return ratio(right - wrong, right + wrong)


def disagreement(categories: int, power: int) -> IntArray:
    """Return the weight of each pair of ordered categories in a weighted kappa, |i - j|^power, and 0 on the diagonal.

    power: 0 for the plain kappa, 1 for linear and 2 for quadratic weights.  Returns (k, k) int64.  O(k²).
    Source: J. Cohen, Weighted kappa, Psychological Bulletin 70 (1968) 213-220; J. L. Fleiss and J. Cohen, The
    equivalence of weighted kappa and the intraclass correlation coefficient, Educational and Psychological Measurement
    33 (1973) 613-619.
    """
    ranks = np.arange(categories)
    distances: IntArray = np.abs(np.subtract.outer(ranks, ranks))
    return np.where(distances > 0, distances**power, 0)


def _equal_pairs(reference: Sequence[int], response: Sequence[int]) -> int:
    """Count the pairs of a reference and a response that are equal, Σ r c."""
    return sum(map(mul, reference, response))


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
    return np.asarray(2 * s * s * (1 + (1 + s) * s * np.polyval(_SERIES, s * s)) / (1 - s))


def _mean_bits(counts: IntArray, more: Ratio) -> Ratio:
    """Return the mean of log₂(1 + more) over the cases; where there are none, `more` does not matter."""
    fractions = ratio(counts, counts.sum(axis=-1, keepdims=True))
    bits: Ratio = (fractions * np.log1p(np.where(counts == 0, 0, more)) / _BIT).sum(axis=-1)
    return bits


_FEW = 1 << 16


def mean_where(values: ScoreArray, rows: BoolArray) -> float:
    """Return the mean of (n,) values, NaN where missing, over the rows of a mask; NaN without values.  O(n)."""
    return float(means_of_rows(values[np.newaxis, rows])[0])


def means_of_rows(values: ScoreArray) -> FloatArray:
    """Return the mean of each row of (k, m) values, NaN where missing, as `mean_where` adds it up; NaN without values.

    Returns (k,).  O(k m): rows with as many values are added up together, so that each sum is that of its row alone.
    """
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        sums = sums_of_chosen(values[defined].astype(np.float64), defined)
    return np.asarray(ratio(sums, np.count_nonzero(defined, axis=1)))


def sums_of_chosen(values: AnyArray, chosen: BoolArray) -> Any:
    """Return the sums along the last axis of the values that a mask, (g, m) or (m,), chooses, each as of its row alone.

    values: (c,), those that are chosen, in the order of the mask.  Returns (g,), or a number.  O(size): rows with as
    many values are added up together.

    >>> sums_of_chosen(np.array([1.0, 2.0, 4.0]), np.array([[True, True], [False, True]]))
    array([3., 4.])
    """
    if chosen.ndim == 1:
        return values.sum()
    counts = np.count_nonzero(chosen, axis=1)
    distinct = np.unique(counts).tolist()
    if len(distinct) == 1:
        return values.reshape(counts.size, distinct[0]).sum(axis=1)
    sums, of_values = np.empty(counts.shape, values.dtype), np.repeat(counts, counts)
    for count in distinct:
        rows = counts == count
        sums[rows] = values[of_values == count].reshape(np.count_nonzero(rows), count).sum(axis=1)
    return sums


def mean_of_all(values: ScoreArray) -> float:
    """Return the mean of (n,) values, of which missing ones (NaN) count as 0; NaN without cases.  O(n)."""
    return _mean(values[~np.isnan(values)].astype(np.float64), values.size)


def mean_of_defined(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted mean of the values that are defined; the plain one if their weights sum to 0.

    values, weights: (n,), NaN where there is no value.  NaN if there is none at all.  O(n).  Of up to 2**16 values, as
    of categories, no digit depends on their order.
    """
    defined = ~np.isnan(values)
    if weights is not None and (total := _sum(weights[defined])) != 0:
        return float(ratio(_sum(values[defined] * weights[defined]), total))
    return float(ratio(_sum(values[defined]), np.count_nonzero(defined)))


def weighted_mean_of_defined(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted mean of (n,) values that are not NaN; NaN if they have no weight.  O(n)."""
    defined = ~np.isnan(values)
    if weights is not None and weights[defined].sum() == 0:
        return np.nan
    return mean_of_defined(values, weights)


def weighted_means_of_rows(values: FloatArray, weights: IntArray) -> FloatArray:
    """Return `weighted_mean_of_defined` of each row of (g, k) values and whole weights, k up to 2**16.  O(g k)."""
    defined = ~np.isnan(values)
    totals = np.where(defined, weights, 0).sum(axis=1)
    return np.asarray(ratio([*map(math.fsum, np.where(defined, values * weights, 0.0).tolist())], totals))


def mean_in_turn(values: FloatArray) -> float:
    """Return the mean of (n,) values added up in turn, as in a plain loop; NaN without values.  O(n)."""
    return float(np.cumsum(values)[-1]) / values.size if values.size else np.nan


def geometric_mean(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted geometric mean of (n,) values above 0, NaN without weight; without weights in turn.  O(n)."""
    logarithms = np.log(values)
    mean = mean_in_turn(logarithms) if weights is None else weighted_mean_of_defined(logarithms, weights)
    return float(np.exp(mean))


def _sum(values: npt.NDArray[Any]) -> float:
    """Add up with one rounding; many values, those of cases, as NumPy does, in a tenth of the time."""
    with np.errstate(over="ignore"):
        rough = float(values.sum())
    return math.fsum(values.tolist()) if values.size <= _FEW and math.isfinite(rough) else rough


def _mean(values: FloatArray, cases: int) -> float:
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        return float(ratio(values.sum(), cases))
