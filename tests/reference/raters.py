"""Slow twins of the agreement of raters, from the definitions: by pairs of ratings, as exact fractions."""

from fractions import Fraction
from itertools import permutations


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
