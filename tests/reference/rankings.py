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


def above(scores, label, counted=None):
    """Count the labels of higher score."""
    return sum(score > scores[label] for code, score in enumerate(scores) if counted is None or counted[code])


def through(scores, label, counted=None):
    """Count the labels of at least the score."""
    return sum(score >= scores[label] for code, score in enumerate(scores) if counted is None or counted[code])


def rank_of_label(scores, label):
    """Rank from 0, the later label first where scores are equal."""
    return sorted(range(len(scores)), key=lambda code: (-scores[code], -code)).index(label)


def bin_of(probability, edges):
    """Give the first bin whose upper edge is not below the probability."""
    return next((code for code, edge in enumerate(edges) if probability <= edge), len(edges))


def equal_masses(probabilities, bins):
    """Give the least probabilities with i/bins of the cases at or below them."""
    return [
        min(
            edge
            for edge in probabilities
            if bins * sum(each <= edge for each in probabilities) >= i * len(probabilities)
        )
        for i in range(1, bins)
    ]


def gaps(probabilities, positive, edges):
    """List the number of cases, and the gap between rate and mean probability, of each bin that holds any."""
    found = []
    for code in range(len(edges) + 1):
        cases = [case for case, probability in enumerate(probabilities) if bin_of(probability, edges) == code]
        if cases:
            rate = mean([Fraction(positive[case]) for case in cases])
            found.append((len(cases), abs(rate - mean([Fraction(probabilities[case]) for case in cases]))))
    return found
