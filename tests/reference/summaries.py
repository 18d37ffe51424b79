"""Slow twins of `evalcore.kernels.bins` and `score_counts`, case by case.

An interval is a tuple (low, high, positives, negatives).
"""

from bisect import bisect_right
from collections import Counter


def counts_at(pairs):
    """List (score, positives, negatives), the highest first, of pairs of score and label."""
    positives = Counter(score for score, label in pairs if label)
    negatives = Counter(score for score, label in pairs if not label)
    return [(score, positives[score], negatives[score]) for score in sorted({*positives, *negatives}, reverse=True)]


def arranged(intervals, positives_high):
    """List pairs of score and label, the positives at one end of their interval and the negatives at the other."""
    pairs = []
    for low, high, positives, negatives in intervals:
        pairs += [(high if positives_high else low, True)] * positives
        pairs += [(low if positives_high else high, False)] * negatives
    return pairs


def cells(pairs, cuts):
    """List the intervals of the cases between cuts."""
    parts = {}
    for score, label in sorted(pairs):
        parts.setdefault(bisect_right(cuts, score), []).append((score, label))
    return [
        (part[0][0], part[-1][0], sum(label for _, label in part), sum(not label for _, label in part))
        for _, part in sorted(parts.items())
    ]


def certain(intervals):
    """List (score, cases at or above it) for the low ends that no interval straddles, the highest first."""
    clear = [low for low, *_ in intervals if not any(other[0] < low <= other[1] for other in intervals)]
    return [
        (score, sum(sum(other[2:]) for other in intervals if other[0] >= score))
        for score in sorted(set(clear), reverse=True)
    ]
