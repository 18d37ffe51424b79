"""Slow twin of partial ROC areas: exact fractions, from the points of the curve."""

from fractions import Fraction
from itertools import pairwise


def points(positives, negatives):
    """Return false and true positive rates at every threshold, from (0, 0) on."""
    m, n = len(positives), len(negatives)
    levels = sorted({*positives, *negatives}, reverse=True)
    return [(Fraction(0), Fraction(0)), *(
        (Fraction(sum(other >= level for other in negatives), n), Fraction(sum(own >= level for own in positives), m))
        for level in levels
    )]  # fmt: skip


def height(curve, rate):
    """Return the middle of the heights that the curve has at a rate."""
    found = [y for x, y in curve if x == rate]
    for (x, y), (right, top) in pairwise(curve):
        if x < rate < right:
            found.append(y + (rate - x) / (right - x) * (top - y))
    return (min(found) + max(found)) / 2


def mean_of_cut(start, stop, low, high):
    """Return the mean of numbers, evenly between two, after they are cut to low .. high."""
    if start == stop:
        return min(max(start, low), high)
    knots = sorted({start, stop, *(each for each in (low, high) if start < each < stop)})
    cut = [min(max(knot, low), high) for knot in knots]
    pieces = zip(pairwise(knots), pairwise(cut), strict=True)
    return sum((b - a) * (y + z) / 2 for (a, b), (y, z) in pieces) / (stop - start)


def losses(positives, negatives, low, high):
    """Return what each positive and each negative loses, cut to the false positive rates low .. high."""
    curve = points(positives, negatives)
    levels = sorted({*positives, *negatives}, reverse=True)
    steps = {level: (curve[i], curve[i + 1]) for i, level in enumerate(levels)}
    foot, top = height(curve, low), height(curve, high)
    own = [mean_of_cut(steps[score][0][0], steps[score][1][0], low, high) for score in positives]
    others = [mean_of_cut(1 - steps[score][1][1], 1 - steps[score][0][1], 1 - top, 1 - foot) for score in negatives]
    return own, others


def variance_of_mean(values):
    """Return the unbiased variance of a mean."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) * (len(values) - 1))


def area_and_variance(positives, negatives, low, high):
    """Return the area between two false positive rates, and its variance."""
    own, others = losses(positives, negatives, low, high)
    return float(high - sum(own) / len(own)), float(variance_of_mean(own) + variance_of_mean(others))


def variance_of_difference(first, second, low, high):
    """Return the variance of the difference of the areas of two models, each of positives and negatives."""
    sides = zip(losses(*first, low, high), losses(*second, low, high), strict=True)
    return float(sum(variance_of_mean([a - b for a, b in zip(*side, strict=True)]) for side in sides))
