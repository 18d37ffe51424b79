"""Agreement beyond chance: accuracy against what random responses of the same rates would reach.

Each costs O(1), for arrays O(n), unless it says more.
"""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.typing import IntArray, Ratio


def chance_accuracy(reference: Ratio, response: Ratio) -> Ratio:
    """Return the accuracy of independent answers that are positive at these rates, in 0 .. 1.

    Source: J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20 (1960) 37-46.

    >>> chance_accuracy(0.5, 0.25)
    0.5
    """
    return reference * response + (1 - reference) * (1 - response)


def pooled_rate(reference: Ratio, response: Ratio) -> Ratio:
    """Return the mean of both rates, in 0 .. 1: what the unbiased kappa takes for either.

    Source: S. Siegel and N. J. Castellan, Nonparametric Statistics for the Behavioral Sciences (1988), 9.8.

    >>> pooled_rate(0.5, 0.25)
    0.375
    """
    return (reference + response) / 2


def kappa(accuracy: Ratio, chance: Ratio) -> Ratio:
    """Return agreement beyond chance, (a - e) / (1 - e), at most 1 (Cohen 1960).

    >>> float(kappa(0.75, 0.5))
    0.5
    """
    return ratio(np.subtract(accuracy, chance), np.subtract(1, chance))


def kappa_no_prevalence(accuracy: Ratio) -> Ratio:
    """Return kappa adjusted for prevalence and bias, 2 a - 1, in -1 .. 1.

    Source: T. Byrt, J. Bishop and J. B. Carlin, Bias, prevalence and kappa, J. Clinical Epidemiology 46
    (1993) 423-429.

    >>> kappa_no_prevalence(0.75)
    0.5
    """
    return 2 * accuracy - 1


def disagreement(categories: int, power: int) -> IntArray:
    """Return what each pair of ordered categories counts in a weighted kappa, |i - j|^power, and 0 on the diagonal.

    power: 0 for the plain kappa, 1 for linear and 2 for quadratic weights.  Returns (k, k) int64.  O(k²).
    Source: J. Cohen, Weighted kappa, Psychological Bulletin 70 (1968) 213-220; J. L. Fleiss and J. Cohen, The
    equivalence of weighted kappa and the intraclass correlation coefficient, Educational and Psychological Measurement
    33 (1973) 613-619.

    >>> disagreement(3, 2)
    array([[0, 1, 4],
           [1, 0, 1],
           [4, 1, 0]])
    """
    ranks = np.arange(categories)
    distances: IntArray = np.abs(np.subtract.outer(ranks, ranks))
    return np.where(distances > 0, distances**power, 0)
