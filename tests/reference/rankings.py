"""Slow twins for rankings of categories: every statistic straight from its definition, in plain Python.

A ranking is a list of names, best first; it may repeat names, and hold names that are no categories.  Scores are lists
of floats in the order of the categories, NaN where a case lacks the category.  Quotients are `Fraction`, NaN for 0/0.
"""

import math
from fractions import Fraction

from tests.reference.scored_cases import mean, quotient


def is_absent(value):
    """Tell whether a case lacks the category."""
    return math.isnan(value)


def rank_in(ranking, category, size):
    """Give the first place of a category, the last rank where it is absent or stands past the number of categories."""
    return min(ranking.index(category), size - 1) if category in ranking else size - 1


def ranking_by_score(categories, scores):
    """List the categories that a case has, best score first, equal scores in the order of the categories."""
    present = [code for code, score in enumerate(scores) if not is_absent(score)]
    return [categories[code] for code in sorted(present, key=lambda code: (-scores[code], code))]


def value_of(ranking, values, category):
    """Give the value beside the first place of a category, NaN where it is absent."""
    return values[ranking.index(category)] if category in ranking else math.nan


def first_best(cases, categories):
    """Count cases by reference, and first category of the ranking."""
    return [[sum(case == reference and ranking[0] == response for case, ranking in cases) for response in categories]
            for reference in categories]  # fmt: skip


def rank_counts(cases, categories):
    """Count cases by reference, and its rank."""
    size = len(categories)
    own = [(reference, rank_in(ranking, reference, size)) for reference, ranking in cases]
    return [[own.count((category, rank)) for rank in range(size)] for category in categories]


def ranks_of(cases, categories, reference, response):
    """List the ranks of one category in the cases of another."""
    return [rank_in(ranking, response, len(categories)) for case, ranking in cases if case == reference]


def rank_sums(cases, categories):
    """Add up ranks by reference, and ranked category."""
    return [[sum(ranks_of(cases, categories, *pair)) for pair in zip([reference] * len(categories), categories,
                                                                     strict=True)]
            for reference in categories]  # fmt: skip


def average_rank(cases, categories, reference, response):
    """Average the ranks of one category over the cases of another."""
    return mean(ranks_of(cases, categories, reference, response))


def average_rank_reference(cases, categories):
    """Average the rank of the reference over all cases."""
    return mean(rank_in(ranking, reference, len(categories)) for reference, ranking in cases)


def mean_reciprocal_rank(cases, categories):
    """Average 1 / (1 + rank of the reference) over all cases."""
    return mean(Fraction(1, 1 + rank_in(ranking, reference, len(categories))) for reference, ranking in cases)


def total(values):
    """Add up: exactly where all are finite, infinite where some are of one sign, NaN where they are of both."""
    if all(map(math.isfinite, values)):
        return sum(map(Fraction, values), Fraction(0))
    return sum(value for value in values if math.isinf(value))


def average(values):
    """Average the values of the cases that have one."""
    present = [value for value in values if not is_absent(value)]
    added = total(present)
    return added if added in (math.inf, -math.inf) else quotient(added, len(present))


def average_reference(values):
    """Add up the values of the references, 0 for cases without, and divide by all cases."""
    return average([0.0 if is_absent(value) else value for value in values])


def one_versus_all(references, values, category):
    """Split the cases into pairs of value and whether the category is right; and count the misses."""
    pairs = list(zip(references, values, strict=True))
    held = [(value, reference == category) for reference, value in pairs if not is_absent(value)]
    return held, sum(reference == category and is_absent(value) for reference, value in pairs)


def log2_total(logs):
    """Give log2 of the sum of 2^x, exactly where all x are whole and near."""
    present = [x for x in logs if not is_absent(x)]
    top = max(present)
    return top + math.log2(math.fsum(2.0 ** (x - top) for x in present))


def conditional(logs):
    """Divide each joint probability by the sum of all."""
    top = max(x for x in logs if not is_absent(x))
    everything = math.fsum(2.0 ** (x - top) for x in logs if not is_absent(x))
    return [2.0 ** (x - top) / everything for x in logs]
