"""Slow twins for label rankings and calibration: every measure straight from its definition, in plain Python.

A case is a list of scores and as long a list of relevance or gains, one of each for every label.
"""

import math
from fractions import Fraction
from itertools import pairwise, permutations

from tests.reference.scored_cases import mean, quotient


def above(scores, label, counted=None):
    """Count the labels of higher score."""
    return sum(score > scores[label] for code, score in enumerate(scores) if counted is None or counted[code])


def through(scores, label, counted=None):
    """Count the labels of at least the score."""
    return sum(score >= scores[label] for code, score in enumerate(scores) if counted is None or counted[code])


def label_average_precision(scores, relevant):
    """Average the precision at each relevant label."""
    return mean([Fraction(through(scores, label, relevant), through(scores, label)) for label in _true(relevant)])


def ranking_loss(scores, relevant):
    """Return the fraction of pairs whose relevant label is not above."""
    irrelevant = [label for label in range(len(scores)) if not relevant[label]]
    pairs = [(one, other) for one in _true(relevant) for other in irrelevant]
    return quotient(sum(scores[one] <= scores[other] for one, other in pairs), len(pairs))


def coverage(scores, relevant):
    """Count the labels down to the last relevant one."""
    return max((through(scores, label) for label in _true(relevant)), default=0)


def discount(rank, depth=None, base=2.0):
    """Give what a gain at a rank from 0 is multiplied by."""
    return 1 / math.log(rank + 2, base) if depth is None or rank < depth else 0.0


def discounted_gain(gains, scores, depth=None):
    """Average over all orders in which no label is behind one of lower score."""
    orders = [order for order in permutations(range(len(scores))) if _falls([scores[label] for label in order])]
    return mean([_gain_of([gains[label] for label in order], depth) for order in orders])


def discounted_gain_without_ties(gains, scores, depth=None):
    """Put the later label first where scores are equal."""
    order = sorted(range(len(scores)), key=lambda label: (-scores[label], -label))
    return _gain_of([gains[label] for label in order], depth)


def largest_discounted_gain(gains, depth=None):
    """Try every order."""
    return max(_gain_of(order, depth) for order in permutations(gains))


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


def _true(mask):
    return [label for label, is_true in enumerate(mask) if is_true]


def _falls(values):
    return all(first >= second for first, second in pairwise(values))


def _gain_of(gains, depth):
    return math.fsum(gain * discount(rank, depth) for rank, gain in enumerate(gains))
