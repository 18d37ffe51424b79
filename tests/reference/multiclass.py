"""Slow twins of the measures of a table of categories, each by another way than the formula: from the cases themselves.

Cases are pairs of a reference and a response, both below `categories`.  Quotients are `Fraction`, and NaN where they
divide 0 by 0.
"""

import math
from collections import Counter
from fractions import Fraction

from tests.reference import tables as slow_tables
from tests.reference.scored_cases import mean, quotient


def cases_of(matrix):
    """Write a table out as pairs of reference and response."""
    return [(i, j) for i, row in enumerate(matrix) for j, count in enumerate(row) for _ in range(count)]


def category_counts(cases, categories):
    """Count each pair."""
    return [[cases.count((i, j)) for j in range(categories)] for i in range(categories)]


def one_versus_all(cases, category):
    """Count the cases by whether reference and response are the category."""
    pairs = [(reference == category, response == category) for reference, response in cases]
    return tuple(pairs.count(cell) for cell in [(True, True), (True, False), (False, True), (False, False)])


def pooled_versus_all(cases, categories):
    """Add up the tables of all categories."""
    return tuple(map(sum, zip(*(one_versus_all(cases, category) for category in range(categories)), strict=True)))


def correct(cases, categories):
    """Count cases whose response is the reference."""
    return sum(reference == response for reference, response in cases)


def accuracy(cases, categories):
    """Share of cases whose response is the reference."""
    return mean(reference == response for reference, response in cases)


def macro_precision(cases, categories):
    """Mean of precisions."""
    return mean(_precision(cases, category) for category in range(categories))


def macro_recall(cases, categories):
    """Mean of recalls."""
    return mean(_recall(cases, category) for category in range(categories))


def macro_f_measure(cases, categories):
    """Mean of the harmonic means of precision and recall."""
    pairs = [(_precision(cases, category), _recall(cases, category)) for category in range(categories)]
    if any(ratio != ratio for pair in pairs for ratio in pair):  # noqa: PLR0124  NaN alone differs from itself
        return math.nan
    return mean(slow_tables.f_measure(*pair, 1) for pair in pairs)


def chance_accuracy(cases, categories):
    """Share of equal answers among all pairs of a reference and a response, not only those of the same case."""
    return mean(reference == response for reference, _ in cases for _, response in cases)


def pooled_chance_accuracy(cases, categories):
    """Share of equal answers among all pairs of answers, whether reference or response."""
    answers = [answer for case in cases for answer in case]
    return mean(one == other for one in answers for other in answers)


def kappa(cases, categories):
    """Right answers beyond those by chance, over those that chance leaves."""
    return _beyond(chance_accuracy(cases, categories), cases)


def pooled_kappa(cases, categories):
    """Right answers beyond those by chance of equal rates, over those that chance leaves."""
    return _beyond(pooled_chance_accuracy(cases, categories), cases)


def kappa_no_prevalence(cases, categories):
    """Right less wrong answers, over all."""
    return mean(1 if reference == response else -1 for reference, response in cases)


def reference_entropy(cases, categories):
    """Mean surprise at a reference."""
    counts = _counts(cases)[0]
    return _mean_log2((len(cases), counts[reference]) for reference, _ in cases)


def response_entropy(cases, categories):
    """Mean surprise at a response."""
    counts = _counts(cases)[1]
    return _mean_log2((len(cases), counts[response]) for _, response in cases)


def cross_entropy(cases, categories):
    """Mean surprise at a reference for who expects responses."""
    counts = _counts(cases)[1]
    return _mean_log2((len(cases), counts[reference]) for reference, _ in cases)


def joint_entropy(cases, categories):
    """Mean surprise at a case."""
    return _mean_log2((len(cases), cases.count(case)) for case in cases)


def conditional_entropy(cases, categories):
    """Mean surprise at a response for who knows the reference."""
    counts = _counts(cases)[0]
    return _mean_log2((counts[case[0]], cases.count(case)) for case in cases)


def conditional_entropy_of(cases, reference):
    """Mean surprise at the responses to one reference."""
    return response_entropy([case for case in cases if case[0] == reference], None)


def mutual_information(cases, categories):
    """Mean of how many times likelier a case is than its answers would make it if they were independent, in bits."""
    references, responses = _counts(cases)
    return _mean_log2((len(cases) * cases.count(case), references[case[0]] * responses[case[1]]) for case in cases)


def divergence(cases, categories):
    """Mean of how many times likelier a category is as a reference than as a response, in bits."""
    references, responses = _counts(cases)
    return _mean_log2((references[reference], responses[reference]) for reference, _ in cases)


def degrees_of_freedom(cases, categories):
    """Cells that are free to choose: the last row and the last column follow."""
    return len([(i, j) for i in range(1, categories) for j in range(1, categories)])


def chi_squared(cases, categories):
    """Sum of (observed - expected)² / expected over the cells."""
    references, responses = _counts(cases)
    if categories == 1 or len(references) < categories or len(responses) < categories:
        return math.nan
    total = Fraction(0)
    for i in range(categories):
        for j in range(categories):
            expected = Fraction(references[i] * responses[j], len(cases))
            total += (cases.count((i, j)) - expected) ** 2 / expected
    return total


def phi_squared(cases, categories):
    """Chi squared of one case."""
    return quotient(chi_squared(cases, categories), len(cases))


def cramers_v(cases, categories):
    """Root of chi squared over the largest it can be."""
    return math.sqrt(quotient(chi_squared(cases, categories), len(cases) * (categories - 1)))


def lambda_of_reference(cases, categories):
    """Share of wrong guesses of the reference that knowing the response saves."""
    blind = _wrong_guesses([reference for reference, _ in cases])
    seeing = sum(_wrong_guesses([case[0] for case in cases if case[1] == response]) for response in range(categories))
    return quotient(blind - seeing, blind)


def lambda_of_response(cases, categories):
    """Share of wrong guesses of the response that knowing the reference saves."""
    return lambda_of_reference([(response, reference) for reference, response in cases], categories)


def confidence(cases, z):
    """Deviation of the accuracy, times z."""
    right = correct(cases, None)
    return z * slow_tables.accuracy_deviation(right, len(cases) - right, 0, 0)


def _precision(cases, category):
    return mean(reference == category for reference, response in cases if response == category)


def _recall(cases, category):
    return mean(response == category for reference, response in cases if reference == category)


def _beyond(by_chance, cases):
    return quotient(accuracy(cases, None) - by_chance, 1 - by_chance) if cases else math.nan


def _counts(cases):
    return Counter(reference for reference, _ in cases), Counter(response for _, response in cases)


def _mean_log2(ratios):
    """Mean of the logarithms of some quotients, infinite where one divides by 0."""
    bits = [math.log2(Fraction(*ratio)) if ratio[1] else math.inf for ratio in ratios]
    return math.fsum(bits) / len(bits) if bits else math.nan


def _wrong_guesses(answers):
    """How often the commonest answer is wrong."""
    return len(answers) - max(Counter(answers).values(), default=0)
