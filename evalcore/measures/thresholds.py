"""Measures of decisions by a threshold, from the counts at every threshold, highest first.

tp, fn, fp, tn: (p,) each, counts, or sums of weights, if every case at or above the threshold is predicted positive.
"""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.typing import FloatArray


def cumulative_fractions(sums: FloatArray) -> FloatArray:
    """Return sums / last sum, the fraction at or above each threshold, (p,); NaN if the last is 0.  O(p)."""
    return np.asarray(ratio(sums, sums[-1]))


def rates(sums: FloatArray) -> FloatArray:
    """Return the `cumulative_fractions` after 0.0, above every score, (p + 1,).  O(p)."""
    return np.concatenate([[0.0], cumulative_fractions(sums)])


def largest_where(values: FloatArray, bounded: FloatArray, least: float) -> float:
    """Return the largest value where `bounded` >= `least`; 0.0 if there is none, NaN if all are NaN.  O(p)."""
    if np.isnan(bounded).all() or np.isnan(values).all():
        return np.nan
    return float(np.max(values, where=bounded >= least, initial=0.0))


def kolmogorov_smirnov(tp: FloatArray, fp: FloatArray) -> float:
    """Return the largest |tpr - fpr|, in 0 .. 1; NaN without both classes.

    O(p).  Source: W. J. Conover, Practical Nonparametric Statistics (1999), 6.3.
    """
    return float(np.abs(cumulative_fractions(tp) - cumulative_fractions(fp)).max())


def lifts(of_cases: FloatArray, of_positives: FloatArray) -> FloatArray:
    """Return precision / prevalence, at least 0: how much denser positives are among cases predicted positive.

    of_cases, of_positives: (p,), fractions at or above each threshold.  O(p).  Source: I. H. Witten, E. Frank and M. A.
    Hall, Data Mining (2011), 5.7.
    """
    return np.asarray(ratio(of_positives, of_cases))


def expected_costs(counts: tuple[FloatArray, FloatArray, FloatArray, FloatArray], costs: FloatArray) -> FloatArray:
    """Return Σ cost · fraction of the cases, over tp, fn, fp and tn, between the least and the greatest cost.

    costs: (4,) finite.  NaN without cases.  Returns (p,).  O(p).  Source: C. Elkan, The foundations of cost-sensitive
    learning, IJCAI 2001.
    """
    exponent = int(np.frexp(np.abs(costs).max())[1])
    table = np.stack(counts)
    # fractions of costs below 1 neither overflow nor vanish, and a power of two leaves equal sums equal
    total = table[:, 0].sum()
    scale = np.ldexp(1.0, -int(np.frexp(total)[1])) if total < 1 else 1.0
    fractions = np.asarray(ratio(np.ldexp(costs, -exponent) @ (table * scale), total * scale))
    values: FloatArray = np.ldexp(fractions, exponent)
    return values
