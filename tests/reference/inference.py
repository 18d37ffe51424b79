"""Slow twins of intervals and tests, each from its definition: by search, by all outcomes, patterns or pairs.

Probabilities are `Fraction` where they are rational.
"""

import math
from fractions import Fraction
from itertools import combinations, permutations, product


def first_true(holds, low=0.0, high=1.0):
    """Search the least number from which on something holds."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def wilson(successes, trials, z):
    """Bounds of the probabilities from which so many successes are no more than z standard deviations away."""

    def near(p):
        return abs(successes - trials * p) <= z * math.sqrt(trials * p * (1 - p))

    fraction = successes / trials
    return first_true(near, 0.0, fraction), 1 - first_true(lambda q: near(1 - q), 0.0, 1 - fraction)


def _cells(table):
    total = sum(map(sum, table))
    return {(i, j): Fraction(count, total) for i, row in enumerate(table) for j, count in enumerate(row)}, total


def kappa_variance(table):
    """Fleiss, Cohen and Everitt's three terms; None where kappa is undefined."""
    fractions, total = _cells(table)
    classes = range(len(table))
    rows = [sum(fractions[i, j] for j in classes) for i in classes]
    columns = [sum(fractions[i, j] for i in classes) for j in classes]
    agreed = sum(fractions[i, i] for i in classes)
    chance = sum(rows[i] * columns[i] for i in classes)
    if chance == 1:
        return None
    kappa = (agreed - chance) / (1 - chance)
    right = sum(fractions[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in classes)
    wrong = sum(fraction * (columns[i] + rows[j]) ** 2 for (i, j), fraction in fractions.items() if i != j)
    centre = (kappa - chance * (1 - kappa)) ** 2
    return (right + (1 - kappa) ** 2 * wrong - centre) / (1 - chance) ** 2 / total


def fall_of_coins(first, second, mid):
    """How often coins fall less evenly than these, and as evenly: all of it, or half for a mid-p."""
    tosses, off = first + second, abs(first - second)
    ways = [(abs(2 * k - tosses), math.comb(tosses, k)) for k in range(tosses + 1)]
    less = sum(way for distance, way in ways if distance > off)
    same = sum(way for distance, way in ways if distance == off)
    return (less + (Fraction(same, 2) if mid else same)) * Fraction(1, 2**tosses)


def sign_flips(differences):
    """Share of all patterns of signs whose sum is at least as far from 0.  differences: whole numbers."""
    observed = abs(sum(differences))
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return Fraction(sum(abs(total) >= observed for total in sums), len(sums))


def not_rejected(differences, tail):
    """Bounds of the shifts of which neither tail of the sign flips is too small.  differences: whole numbers.

    The test only changes its mind at means of some of the differences: those are tried, and what lies between them.
    """
    places = range(1, len(differences) + 1)
    means = sorted({Fraction(sum(some), size) for size in places for some in combinations(differences, size)})
    if all(_tails(differences, outside) > tail for outside in (means[0] - 1, means[-1] + 1)):
        return -math.inf, math.inf
    kept = [mean for mean in means if _tails(differences, mean) > tail]
    return kept[0], kept[-1]


def _tails(differences, shift):
    """The smaller fraction of patterns whose sum is at least, or at most, the observed one, all shifted."""
    shifted = [d - shift for d in differences]
    sums = [sum(s * d for s, d in zip(signs, shifted, strict=True)) for signs in product((1, -1), repeat=len(shifted))]
    observed = sum(shifted)
    return min(
        Fraction(sum(t >= observed for t in sums), len(sums)), Fraction(sum(t <= observed for t in sums), len(sums))
    )


def pairs_of(row):
    """All ordered pairs of the ratings of a subject."""
    return list(permutations([rating for rating in row if rating is not None], 2))


def observed(rows, weight):
    """How much two ratings of a subject agree on average: over pairs, then over subjects."""
    means = [sum(weight(*pair) for pair in pairs) / Fraction(len(pairs)) for pairs in map(pairs_of, rows) if pairs]
    return sum(means) / len(means)


def fleiss_kappa(rows, weight):
    """Chance: two ratings are drawn, each from a subject drawn by chance."""
    rated = [[rating for rating in row if rating is not None] for row in rows]
    rated = [row for row in rated if row]
    chances = [(rating, Fraction(1, len(row) * len(rated))) for row in rated for rating in row]
    return beyond(observed(rows, weight), sum(p * q * weight(a, b) for a, p in chances for b, q in chances))


def conger_kappa(rows, weight):
    """Chance: a rating of each of two raters, each drawn from all of that rater's."""
    raters = [[rating for rating in column if rating is not None] for column in zip(*rows, strict=True)]
    chances = [
        sum(weight(a, b) for a in first for b in second) / Fraction(len(first) * len(second))
        for first, second in permutations([rater for rater in raters if rater], 2)
    ]
    return beyond(observed(rows, weight), sum(chances) / len(chances))


def gwet_ac1(rows):
    """Chance: two raters agree on a random rating, as often as ratings vary."""
    rated = [[rating for rating in row if rating is not None] for row in rows]
    rated = [row for row in rated if row]
    categories = {rating for row in rated for rating in row}
    fractions = [sum(Fraction(row.count(each), len(row)) for row in rated) / len(rated) for each in categories]
    chance = sum(p * (1 - p) for p in fractions) / max(len(categories) - 1, 1)
    return beyond(observed(rows, lambda a, b: Fraction(a == b)), chance)


def krippendorff_alpha(rows, distance):
    """1 less the disagreement within subjects by that of all ratings; None where all ratings are equal."""
    rows = [[rating for rating in row if rating is not None] for row in rows]
    rows = [row for row in rows if len(row) > 1]
    ratings = [rating for row in rows for rating in row]
    within = sum(Fraction(distance(*pair, ratings)) / (len(row) - 1) for row in rows for pair in permutations(row, 2))
    among = sum(Fraction(distance(*pair, ratings)) for pair in permutations(ratings, 2))
    return 1 - within * (len(ratings) - 1) / among if among else None


def ordinal_distance(first, second, ratings):
    """The square of how many ratings lie from one to the other, of their own categories one half."""
    low, high = sorted([first, second])
    between = sum(low <= rating <= high for rating in ratings)
    return (between - Fraction(ratings.count(low) + ratings.count(high), 2)) ** 2 if low < high else 0


def beyond(agreed, chance):
    """Agreement beyond chance, None where chance alone agrees."""
    return (agreed - chance) / (1 - chance) if chance != 1 else None
