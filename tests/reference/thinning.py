"""Slow twins: how far two curves are apart, point by point, and steps as straight lines."""

import math
from itertools import pairwise


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
