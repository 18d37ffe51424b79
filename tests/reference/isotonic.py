"""Slow twins of isotonic regression: neighbours pooled one after the other, and lines between all points."""

from fractions import Fraction
from itertools import groupby
from operator import itemgetter


def pool_adjacent_violators(probabilities, positive, weights):
    """Pool probabilities, outcomes and weights: positives, negatives, least and largest probability of each pool."""
    pools = []
    cases = sorted(zip(probabilities, positive, weights, strict=True), key=itemgetter(0))
    for probability, tied in groupby(cases, key=itemgetter(0)):
        sides = [0, 0]
        for _, outcome, weight in tied:
            sides[not outcome] += weight
        pools.append((*sides, probability, probability))
        while len(pools) > 1 and _rate(pools[-2]) >= _rate(pools[-1]):
            after, before = pools.pop(), pools.pop()
            pools.append((before[0] + after[0], before[1] + after[1], before[2], after[3]))
    return pools


def _rate(pool):
    positives, negatives = map(Fraction, map(float, pool[:2]))
    return positives / (positives + negatives)


def concave_vertices(x, y):
    """Find the points that no line between others passes at or above, and the first and the last."""
    kept = []
    for index in range(len(x)):
        while len(kept) > 1 and _is_not_above(x, y, kept[-2], kept[-1], index):
            kept.pop()
        kept.append(index)
    return kept


def _is_not_above(x, y, before, point, after):
    return (y[point] - y[before]) * (x[after] - x[before]) <= (y[after] - y[before]) * (x[point] - x[before])
