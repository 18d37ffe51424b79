"""Slow twins of the measures of a 2x2 table, each by another way than the formula: from the cases themselves.

A table is its counts tp, fn, fp, tn.  Quotients are `Fraction`, and NaN where they divide 0 by 0.
"""

import math
import statistics
from fractions import Fraction
from itertools import combinations

from tests.reference.scored_cases import mean, quotient


def cases(tp, fn, fp, tn):
    """Write a table out as pairs of reference and response."""
    return [(True, True)] * tp + [(True, False)] * fn + [(False, True)] * fp + [(False, False)] * tn


def accuracy(*table):
    """Share of cases whose response equals the reference."""
    return mean(reference == response for reference, response in cases(*table))


def error(*table):
    """Share of cases whose response differs from the reference."""
    return mean(reference != response for reference, response in cases(*table))


def recall(tp, fn):
    """Share of positive responses where the reference is positive."""
    return mean(response for reference, response in cases(tp, fn, 1, 1) if reference)


def precision(tp, fp):
    """Share of positive references where the response is positive."""
    return mean(reference for reference, response in cases(tp, 1, fp, 1) if response)


def specificity(fp, tn):
    """Share of negative responses where the reference is negative."""
    return mean(not response for reference, response in cases(1, 1, fp, tn) if not reference)


def false_positive_rate(fp, tn):
    return mean(response for reference, response in cases(0, 0, fp, tn) if not reference)


def negative_predictive_value(fn, tn):
    """Share of negative references where the response is negative."""
    return mean(not reference for reference, response in cases(1, fn, 1, tn) if not response)


def positive_likelihood_ratio(tp, fn, fp, tn):
    """How many times as often a positive reference is answered positively as a negative one."""
    return _times(recall(tp, fn), mean(response for reference, response in cases(1, 1, fp, tn) if not reference))


def negative_likelihood_ratio(tp, fn, fp, tn):
    """How many times as often a positive reference is answered negatively as a negative one."""
    return _times(mean(not response for reference, response in cases(tp, fn, 1, 1) if reference), specificity(fp, tn))


def _times(one, other):
    if other == 0 and one > 0:
        return math.inf
    return math.nan if other == 0 or math.isnan(one) or math.isnan(other) else one / other


def prevalence(*table):
    """Share of positive references."""
    return mean(reference for reference, _ in cases(*table))


def response_rate(*table):
    """Share of positive responses."""
    return mean(response for _, response in cases(*table))


def f_measure(precision, recall, beta):
    """Weighted harmonic mean of precision and recall, the precision's weight being 1 / (1 + beta²)."""
    if precision == recall == 0:
        return math.nan
    if precision == 0 or recall == 0:
        return Fraction(0)
    weight = 1 / (1 + Fraction(beta) ** 2)
    return 1 / (weight / Fraction(precision) + (1 - weight) / Fraction(recall))


def jaccard(tp, fn, fp):
    """Size of the intersection of the positives of both over the size of their union."""
    numbered = list(enumerate(cases(tp, fn, fp, 1)))
    references = {number for number, (reference, _) in numbered if reference}
    responses = {number for number, (_, response) in numbered if response}
    return quotient(len(references & responses), len(references | responses))


def fowlkes_mallows(tp, fn, fp):
    """Cosine of the angle between the two columns of 0 and 1."""
    references, responses = zip(*cases(tp, fn, fp, 1), strict=True)
    lengths = sum(references) * sum(responses)
    shared = sum(a and b for a, b in zip(references, responses, strict=True))
    return shared / math.sqrt(lengths) if lengths else math.nan


def yules_q(*table):
    """Goodman and Kruskal's gamma: pairs of cases in the same order less those in the opposite one, over both."""
    pairs = [(a[0] - b[0]) * (a[1] - b[1]) for a, b in combinations(cases(*table), 2)]
    return quotient(pairs.count(1) - pairs.count(-1), pairs.count(1) + pairs.count(-1))


def yules_y(tp, fn, fp, tn):
    """Yule's Q of the table that has the square roots of the odds, (1 - 1/√o) / (1 + 1/√o) for o = tp tn / (fp fn)."""
    if tp * tn == 0:
        return -1.0 if fp * fn else math.nan
    odds = math.sqrt(Fraction(fp * fn, tp * tn))
    return (1 - odds) / (1 + odds)


def kappa(*table):
    """How much less often reference and response differ than those of two cases, one of which gives either."""
    rows = cases(*table)
    by_chance = mean(one != other for one, _ in rows for _, other in rows)
    return quotient(by_chance - error(*table), by_chance)


def phi(*table):
    """Correlation of the two columns of 0 and 1."""
    rows = cases(*table)
    x, y = prevalence(*table), response_rate(*table)
    covariance = mean((reference - x) * (response - y) for reference, response in rows)
    return quotient(covariance, math.sqrt(x * (1 - x) * y * (1 - y))) if rows else math.nan


def phi_squared(*table):
    """Squared correlation of the two columns of 0 and 1."""
    rows = cases(*table)
    x, y = prevalence(*table), response_rate(*table)
    covariance = mean((reference - x) * (response - y) for reference, response in rows)
    return quotient(covariance**2, x * (1 - x) * y * (1 - y)) if rows else math.nan


def chi_squared(tp, fn, fp, tn):
    """Sum of (observed - expected)² / expected over the cells."""
    total = tp + fn + fp + tn
    cells = [(tp, tp + fn, tp + fp), (fn, tp + fn, fn + tn), (fp, fp + tn, tp + fp), (tn, fp + tn, fn + tn)]
    if not all(row * column for _, row, column in cells):
        return math.nan
    return sum((observed - Fraction(row * column, total)) ** 2 / Fraction(row * column, total)
               for observed, row, column in cells)  # fmt: skip


def accuracy_deviation(*table):
    """Population standard deviation of being right, over the root of the number of cases."""
    right = [float(reference == response) for reference, response in cases(*table)]
    return statistics.pstdev(right) / math.sqrt(len(right)) if right else math.nan


def chance_accuracy(*table):
    """Share of equal answers among all pairs of a reference and a response, not only those of the same case."""
    rows = cases(*table)
    return mean(reference == response for reference, _ in rows for _, response in rows)


def chance_accuracy_unbiased(*table):
    """Share of equal answers among all pairs of answers, whether reference or response."""
    answers = [answer for case in cases(*table) for answer in case]
    return mean(one == other for one in answers for other in answers)


def chance_corrected(chance, *table):
    """Right answers beyond those by chance, over those that chance leaves."""
    total = sum(table)
    by_chance = chance(*table) * total
    return quotient(accuracy(*table) * total - by_chance, total - by_chance) if total else math.nan
