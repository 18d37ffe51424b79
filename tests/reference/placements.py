"""Slow twins of DeLong's method: structural components of every case from all its pairs, in exact fractions.

Cases are pairs of a score and whether the case is correct; models score the same cases, in the same order.
"""

import math
from fractions import Fraction
from itertools import product

from tests.reference.scored_cases import mean, quotient


def standing(case, other):
    """Tell how another score stands to that of a case: 1 if above, -1 if below, 0 beside it."""
    return (other > case) - (other < case)


def placements(cases):
    """Count, for each correct and each incorrect case, those of the other class above, less those below."""
    sides = [[score for score, correct in cases if correct is side] for side in (True, False)]
    return [[sum(standing(case, other) for other in others) for case in own]
            for own, others in (sides, sides[::-1])]  # fmt: skip


def moments(rankings):
    """List, for each class, its size, the sums of the placements and the sums of their products."""
    sides = zip(*map(placements, rankings), strict=True)
    return [(len(side[0]), [sum(own) for own in side], [[dot(one, other) for other in side] for one in side])
            for side in sides]  # fmt: skip


def dot(one, other):
    """Add up products."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def wins(correct, incorrect):
    """Credit of a correct case's score against that of an incorrect one: 1 above, 1/2 beside, 0 below."""
    return Fraction(correct > incorrect) + Fraction(correct == incorrect, 2)


def components(cases):
    """Average the credit of each correct case over the incorrect ones, and of each incorrect one over the correct."""
    correct = [score for score, label in cases if label]
    incorrect = [score for score, label in cases if not label]
    return ([mean(wins(one, other) for other in incorrect) for one in correct],
            [mean(wins(one, other) for one in correct) for other in incorrect])  # fmt: skip


def area(cases):
    """Average the components of the correct cases; NaN if a class is empty."""
    own, others = components(cases)
    return mean(own) if others else math.nan


def covariance(first, second):
    """Add up the sample covariances of the components of both classes, each over the size of the class."""
    return sum(quotient(sample_covariance(one, other), len(one))
               for one, other in zip(components(first), components(second), strict=True))  # fmt: skip


def sample_covariance(one, other):
    """Add up the products of deviations from the means, over the size less one; NaN of fewer than two."""
    if len(one) < 2:
        return math.nan
    means = mean(one), mean(other)
    return quotient(sum((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True)), len(one) - 1)


def covariances(rankings):
    """List the covariances of the areas of all models."""
    size = len(rankings)
    rows = [covariance(*pair) for pair in product(rankings, repeat=2)]
    return [rows[start : start + size] for start in range(0, size * size, size)]
