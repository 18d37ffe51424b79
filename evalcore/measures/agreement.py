"""Agreement beyond chance: accuracy against what random responses of the same rates would reach.

Each costs O(1), for arrays O(n).
"""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.typing import Ratio


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
