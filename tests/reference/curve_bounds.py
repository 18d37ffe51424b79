"""Bounds of curves at one rate, case by case from their definitions."""

from math import sqrt


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
    spread, skewness = z * sqrt(expected * (1 - rate)), z * z / 6 * (1 - 2 * rate)
    fewest, most = expected - spread + min(skewness, 0), expected + spread + max(skewness, 0)
    height = _rate_near(positives, negatives, expected)
    if expected < 1 or fewest <= -1:
        below = 0.0
    else:
        below = _rate_near(positives, negatives, max(fewest, 0)) * min(1 + fewest, 1)
    above = 1.0 if n - expected < 1 else _rate_near(positives, negatives, most)
    centre = (height * m + z * z / 2) / (m + z * z)
    reach = z * sqrt(centre * (1 - centre) / (m + z * z))
    low, high = max(min(centre - reach, height), 0.0), min(max(centre + reach, height), 1.0)
    down, up = sqrt((height - low) ** 2 + (height - below) ** 2), sqrt((high - height) ** 2 + (above - height) ** 2)
    return height, max(height - down, 0.0), min(height + up, 1.0)
