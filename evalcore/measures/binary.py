"""Measures of the 2x2 table of counts tp, fn, fp, tn: numbers, or arrays that broadcast.

Products of counts are computed in whole numbers, so that no table overflows and no difference loses a digit; sums of
arrays must stay within int64.  Sources: [LingPipe], the class
documentation of com.aliasi.classify.PrecisionRecallEvaluation 3.9.2; [Sokolova], M. Sokolova and G. Lapalme,
A systematic analysis of performance measures for classification tasks, Information Processing & Management
45 (2009) 427-437.  Each costs O(1), for arrays O(n).
"""

import math
from typing import Any

import numpy as np

from evalcore.kernels.sums import exact_integers, ratio
from evalcore.kernels.weights import rounding_of
from evalcore.typing import Count, Ratio

_RECALL_ALONE = 2.0**200
"""A beta² that leaves recall in all digits, of tables of up to 2**128 cases."""
_HALF_ULP = 2.0**-53


def accuracy(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the fraction of correct responses, (tp + tn) / total, in 0 .. 1 [Sokolova].

    >>> float(accuracy(9, 3, 4, 11))
    0.7407407407407407
    """
    return ratio(tp + tn, tp + fp + fn + tn)


def error(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the fraction of wrong responses, (fp + fn) / all, in 0 .. 1.

    >>> float(error(9, 3, 4, 4))
    0.35
    """
    return ratio(fp + fn, tp + fp + fn + tn)


def recall(tp: Count, fn: Count) -> Ratio:
    """Return the fraction of positives that are found, tp / (tp + fn), in 0 .. 1 [Sokolova].

    >>> float(recall(9, 3))
    0.75
    """
    return ratio(tp, tp + fn)


def precision(tp: Count, fp: Count) -> Ratio:
    """Return the fraction of positive responses that are correct, tp / (tp + fp), in 0 .. 1 [Sokolova].

    >>> float(precision(3, 1))
    0.75
    """
    return ratio(tp, tp + fp)


def fraction_by_odds(part: float, rest: float) -> float:
    """Return part / (part + rest) as 1 / (1 + rest / part), in 0 .. 1; 0 where the part is 0.

    Spec 001 computes precision, recall and F1 so.  The last digit may differ from the plain quotient's, and decides
    how a number that ends in 5 is rounded.

    >>> fraction_by_odds(3, 1)
    0.75
    """
    return 1 / (1 + rest / part) if part else 0.0


def specificity(fp: Count, tn: Count) -> Ratio:
    """Return the fraction of negatives that are rejected, tn / (fp + tn), in 0 .. 1 [Sokolova].

    >>> float(specificity(1, 3))
    0.75
    """
    return ratio(tn, fp + tn)


def false_positive_rate(fp: Count, tn: Count) -> Ratio:
    """Return fp / (fp + tn), in 0 .. 1: the fraction of the negatives that are predicted positive.

    >>> false_positive_rate(1, 3)
    0.25
    """
    return ratio(fp, fp + tn)


def negative_predictive_value(fn: Count, tn: Count) -> Ratio:
    """Return the fraction of negative responses that are correct, tn / (fn + tn), in 0 .. 1 [LingPipe].

    >>> float(negative_predictive_value(1, 3))
    0.75
    """
    return ratio(tn, fn + tn)


def f_measure(precision: Ratio, recall: Ratio, beta: float = 1.0) -> Ratio:
    """Return (1 + beta²) P R / (R + beta² P), in 0 .. 1; NaN where P = R = 0.

    The document of spec 002 writes it so.  A larger `beta` gives recall more weight; where beta² is infinite, recall
    alone counts, which is the limit.

    >>> float(f_measure(0.6, 0.75, beta=2.0))
    0.7142857142857143
    """
    weight = float(beta) * float(beta)
    if math.isinf(weight):
        return np.where(np.maximum(precision, recall) > 0, recall, np.nan)
    # not P R first, which may vanish
    return precision * ratio((1 + weight) * recall, recall + weight * precision)


def f_measure_of_counts(tp: Count, fn: Count, fp: Count, beta: float = 1.0) -> Ratio:
    """Return (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp), in 0 .. 1; NaN only where nothing is positive.

    Unlike `f_measure` it is 0, not NaN, where there are positives and none is found.  Where beta² is infinite it is the
    limit, recall.  Source: C. J. van Rijsbergen, Information Retrieval (1979), ch. 7.

    >>> float(f_measure_of_counts(3, 1, 2)), float(f_measure_of_counts(0, 1, 2))
    (0.6666666666666666, 0.0)
    """
    weight = min(float(beta) * float(beta), _RECALL_ALONE)
    return ratio((1 + weight) * tp, weight * (tp + fn) + (tp + fp))


def positive_likelihood_ratio(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return how much a positive response raises the odds of a positive, recall / (1 - specificity), at least 0.

    Infinite without false positives.  Source: D. G. Altman and J. M. Bland, Diagnostic tests 4: likelihood ratios,
    BMJ 329 (2004) 168-169.

    >>> float(positive_likelihood_ratio(3, 1, 1, 3))
    3.0
    """
    tp, fn, fp, tn = exact_integers(tp, fn, fp, tn)
    return ratio(tp * (fp + tn), fp * (tp + fn))


def negative_likelihood_ratio(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return what a negative response makes of the odds of a positive, (1 - recall) / specificity, at least 0.

    Infinite without true negatives.  Source: that of `positive_likelihood_ratio`.

    >>> float(negative_likelihood_ratio(1, 1, 0, 4))
    0.5
    """
    tp, fn, fp, tn = exact_integers(tp, fn, fp, tn)
    return ratio(fn * (fp + tn), tn * (tp + fn))


def jaccard(tp: Count, fn: Count, fp: Count) -> Ratio:
    """Return the overlap of reference and response, tp / (tp + fn + fp), in 0 .. 1 [LingPipe].

    >>> float(jaccard(9, 3, 4))
    0.5625
    """
    return ratio(tp, tp + fn + fp)


def fowlkes_mallows(tp: Count, fn: Count, fp: Count) -> Ratio:
    """Return the Fowlkes-Mallows index, the geometric mean of precision and recall, in 0 .. 1.

    Source: E. B. Fowlkes and C. L. Mallows, A method for comparing two hierarchical clusterings,
    JASA 78 (1983) 553-569.

    >>> float(fowlkes_mallows(4, 4, 4))
    0.5
    """
    return np.sqrt(np.multiply(precision(tp, fp), recall(tp, fn)))


def tp_over_fowlkes_mallows(tp: Count, fn: Count, fp: Count) -> Ratio:
    """Return tp / √(P R), at least 0: what spec 002 calls the Fowlkes-Mallows score.

    >>> float(tp_over_fowlkes_mallows(4, 4, 4))
    8.0
    """
    return ratio(tp, fowlkes_mallows(tp, fn, fp))


def yules_q(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return Yule's coefficient of association, (tp tn - fp fn) / (tp tn + fp fn), in -1 .. 1.

    Source: G. U. Yule, On the association of attributes in statistics, Phil. Trans. A 194 (1900) 257-319.

    >>> float(yules_q(3, 1, 1, 1))
    0.5
    """
    concordant, discordant = _pairs(tp, fn, fp, tn)
    return ratio(concordant - discordant, concordant + discordant)


def yules_y(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return Yule's coefficient of colligation, (√(tp tn) - √(fp fn)) / (√(tp tn) + √(fp fn)), in -1 .. 1.

    Computed as (tp tn - fp fn) / (√(tp tn) + √(fp fn))², where no difference of roots cancels.
    Source: G. U. Yule, On the methods of measuring association between two attributes, J. Royal
    Statistical Society 75 (1912) 579-652.

    >>> float(yules_y(9, 2, 2, 4))
    0.5
    """
    concordant, discordant = _pairs(tp, fn, fp, tn)
    roots = np.sqrt(ratio(concordant, 1)) + np.sqrt(ratio(discordant, 1))
    return ratio(concordant - discordant, np.square(roots))


def prevalence(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the fraction of positives among the cases, in 0 .. 1: LingPipe's reference likelihood.

    >>> float(prevalence(1, 1, 3, 3))
    0.25
    """
    return ratio(tp + fn, tp + fn + fp + tn)


def response_rate(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the fraction of positive responses among the cases, in 0 .. 1: LingPipe's response likelihood.

    >>> float(response_rate(1, 3, 1, 3))
    0.25
    """
    return ratio(tp + fp, tp + fn + fp + tn)


def net_benefit(tp: Count, fn: Count, fp: Count, tn: Count, threshold: Ratio) -> Ratio:
    """Return tp / n - fp / n · threshold / (1 - threshold), at most the prevalence.

    threshold: above 0 and below 1, the probability from which on a positive response is worth while.  Source: A. J.
    Vickers and E. B. Elkin, Decision curve analysis, Medical Decision Making 26 (2006) 565-574.

    >>> float(net_benefit(3, 1, 2, 4, 0.2))
    0.25
    """
    return net_gain(tp, fp, tp + fn + fp + tn, threshold)


def net_gain(tp: Count, fp: Count, cases: Any, threshold: Ratio) -> Ratio:
    """Return `net_benefit`, or its change from changes of tp and fp: 0 where it is less than what is rounded.

    >>> float(net_gain(3, 7, 10, 0.3)), float(net_gain(3, 2, 10, 0.2))
    (0.0, 0.25)
    """
    found = ratio(tp, cases)
    gain = found - ratio(fp, cases) * ratio(threshold, 1 - threshold)
    # odds differ from those of the threshold that was meant by this part, which 1 - threshold enlarges near 1
    rounding = rounding_of(*np.atleast_1d(tp, fp)) + _HALF_ULP * (6 + ratio(1, 1 - threshold))
    return np.where(np.abs(gain) <= np.abs(found) * rounding, 0.0, gain)


def kappa(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return Cohen's kappa, 2 (tp tn - fp fn) / ((tp + fn)(fn + tn) + (tp + fp)(fp + tn)), at most 1.

    As `evalcore.measures.agreement` has it, with one difference alone: a weight that dominates hides no other.

    >>> float(kappa(20, 5, 10, 15))
    0.4
    """
    concordant, discordant = _pairs(tp, fn, fp, tn)
    references, responses = exact_integers(tp + fn, fp + tn), exact_integers(tp + fp, fn + tn)
    return ratio(2 * (concordant - discordant), references[0] * responses[1] + references[1] * responses[0])


def phi_squared(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the mean square contingency, (tp tn - fp fn)² / product of the margins, in 0 .. 1.

    Source: H. Cramér, Mathematical Methods of Statistics (1946), 21.9.

    >>> float(phi_squared(5, 0, 0, 7))
    1.0
    """
    # sums of weights are rounded
    squared: Ratio = np.minimum(ratio(*_squared_covariance_and_margins(tp, fn, fp, tn)), 1.0)
    return squared


def phi(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the correlation of label and prediction, Matthews' coefficient, in -1 .. 1: the signed root of phi².

    Source: B. W. Matthews, Comparison of the predicted and observed secondary structure of T4 phage lysozyme,
    Biochimica et Biophysica Acta 405 (1975) 442-451.

    >>> float(phi(0, 5, 7, 0))
    -1.0
    """
    concordant, discordant = _pairs(tp, fn, fp, tn)
    return np.where(concordant < discordant, -1.0, 1.0) * np.sqrt(phi_squared(tp, fn, fp, tn))


def chi_squared(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return Pearson's statistic of independence, total times phi², at least 0 [LingPipe].

    >>> float(chi_squared(5, 0, 0, 7))
    12.0
    """
    squared, margins = _squared_covariance_and_margins(tp, fn, fp, tn)
    (cases,) = exact_integers(tp + fn + fp + tn)
    return ratio(cases * squared, margins)


def accuracy_deviation(tp: Count, fn: Count, fp: Count, tn: Count) -> Ratio:
    """Return the binomial standard deviation of the accuracy a, √(a (1 - a) / n) = √(right wrong / n³), in 0 .. 0.5.

    Source: [LingPipe].

    >>> float(accuracy_deviation(1, 1, 1, 1))
    0.25
    """
    right, wrong = exact_integers(tp + tn, fn + fp)
    return np.sqrt(ratio(right * wrong, (right + wrong) ** 3))


def _pairs(tp: Count, fn: Count, fp: Count, tn: Count) -> tuple[Any, Any]:
    """Products of the diagonals: pairs of cases in the same and in the opposite order."""
    tp, fn, fp, tn = exact_integers(tp, fn, fp, tn)
    return tp * tn, fp * fn


def _squared_covariance_and_margins(tp: Count, fn: Count, fp: Count, tn: Count) -> tuple[Any, Any]:
    """(tp tn - fp fn)², and the product of the margins."""
    concordant, discordant = _pairs(tp, fn, fp, tn)
    references, responses = exact_integers(tp + fn, fp + tn), exact_integers(tp + fp, fn + tn)
    return (concordant - discordant) ** 2, references[0] * references[1] * responses[0] * responses[1]
