"""Slow twins of curves: bounds at one rate, how far curves are apart, isotonic pools, lines between all points."""

import math
from fractions import Fraction
from itertools import groupby, pairwise
from operator import itemgetter


def _rate_near(scores, others, count):
    """Return the fraction of scores above a threshold that has so many others above it, between straight lines."""
    thresholds = sorted({*scores, *others}, reverse=True)
    points = [(sum(each >= own for each in others), sum(each >= own for each in scores)) for own in thresholds]
    points.insert(0, (0, 0))
    if count >= len(others):
        return 1.0
    before = [point for point in points if point[0] <= count][-1]
    after = next(point for point in points if point[0] > count)
    height = before[1] + (after[1] - before[1]) * (count - before[0]) / (after[0] - before[0])
    return height / len(scores)


def roc_bounds(positives, negatives, rate, z):
    """Return the true positive rate at a false positive rate, and its bounds."""
    if rate == 1:
        return 1, 1, 1
    m, n = len(positives), len(negatives)
    expected = rate * n
    spread, skewness = z * math.sqrt(expected * (1 - rate)), z * z / 6 * (1 - 2 * rate)
    fewest, most = expected - spread + min(skewness, 0), expected + spread + max(skewness, 0)
    height = _rate_near(positives, negatives, expected)
    if expected < 1 or fewest <= -1:
        below = 0.0
    else:
        below = _rate_near(positives, negatives, max(fewest, 0)) * min(1 + fewest, 1)
    above = 1.0 if n - expected < 1 else _rate_near(positives, negatives, most)
    centre = (height * m + z * z / 2) / (m + z * z)
    reach = z * math.sqrt(centre * (1 - centre) / (m + z * z))
    low, high = max(min(centre - reach, height), 0.0), min(max(centre + reach, height), 1.0)
    down, up = math.hypot(height - low, height - below), math.hypot(high - height, above - height)
    return height, max(height - down, 0.0), min(height + up, 1.0)


def steps(points, start):
    """List the corners of steps, each of a point's height and up to it."""
    corners, before = [], start
    for x, y in points:
        corners += [(before, y), (x, y)]
        before = x
    return corners


def distance_to_segment(point, first, last):
    """Give the distance of a point from the straight line between two others."""
    across, up = last[0] - first[0], last[1] - first[1]
    length = across**2 + up**2
    along = ((point[0] - first[0]) * across + (point[1] - first[1]) * up) / length if length else 0.0
    along = min(max(along, 0.0), 1.0)
    return math.dist(point, (first[0] + along * across, first[1] + along * up))


def distance(point, curve):
    """Give the distance of a point from a curve of straight lines."""
    if len(curve) == 1:
        return math.dist(point, curve[0])
    return min(distance_to_segment(point, *ends) for ends in pairwise(curve))


def along(curve, parts=4):
    """List the points of a curve, and some between them."""
    between = [
        (a[0] + (b[0] - a[0]) * part / parts, a[1] + (b[1] - a[1]) * part / parts)
        for a, b in pairwise(curve)
        for part in range(parts)
    ]
    return [*between, curve[-1]]


def apart(one, other):
    """Give how far the points of either of two curves are from the other, at most."""
    there = [distance(point, other) for point in along(one)]
    back = [distance(point, one) for point in along(other)]
    return max(there + back)


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
