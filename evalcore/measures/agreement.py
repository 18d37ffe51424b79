"""Agreement beyond chance: accuracy against that of random responses of the same frequencies.

Correct responses, and those expected by chance, are counted in pairs of a reference and a response, n² for n cases.
These are whole numbers, so that no difference of them loses a digit.  Counts are
Python's integers; `reference` and `response` hold one for each of k categories.  Each costs O(k).
"""

from collections.abc import Sequence
from operator import add, mul
from typing import Any

import numpy as np

from evalcore.kernels.ratios import exact_integers, ratio
from evalcore.typing import Count, IntArray, Ratio


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


def kappa(correct: Count, reference: Sequence[Count], response: Sequence[Count]) -> Ratio:
    """Return accuracy beyond `chance_accuracy`, (n correct - Σ r c) / (n² - Σ r c), at most 1 (Cohen 1960).

    Counts may be arrays, of as many tables.
    """
    correct, *counts = exact_integers(correct, *reference, *response)
    reference, response = counts[: len(reference)], counts[len(reference) :]
    total: Any = sum(reference)
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


def _equal_pairs(reference: Sequence[Count], response: Sequence[Count]) -> Any:
    """Count the pairs of a reference and a response that are equal, Σ r c."""
    return sum(map(mul, reference, response))
