"""Slow twins for measures of rankings: the mean over every order of tied items, each straight from its definition.

A ranking is a list of (score, grade); `missed` holds the grades of relevant items that were not retrieved.
"""

import math
from fractions import Fraction
from itertools import groupby, permutations, product

from tests.reference.scored_cases import mean


def orders(ranking):
    """List every order of the grades in which scores do not rise."""
    best_first = sorted(ranking, key=lambda item: -item[0])
    runs = [[grade for _, grade in run] for _, run in groupby(best_first, key=lambda item: item[0])]
    for chosen in product(*(permutations(run) for run in runs)):
        yield [grade for run in chosen for grade in run]


def over_orders(measure, ranking, missed, **options):
    """Average a measure of one order over all orders."""
    return mean([measure(order, missed, **options) for order in orders(ranking)])


def _relevant(order, missed):
    return sum(grade > 0 for grade in [*order, *missed])


def precision(order, missed, depth):
    """Divide the relevant items among the first by the depth."""
    return Fraction(sum(grade > 0 for grade in order[:depth]), depth)


def recall(order, missed, depth):
    """Divide the relevant items among the first by all relevant ones."""
    every = _relevant(order, missed)
    return Fraction(sum(grade > 0 for grade in order[:depth]), every) if every else Fraction(0)


def r_precision(order, missed):
    """Give the recall at the number of relevant items."""
    return recall(order, missed, _relevant(order, missed))


def success(order, missed, depth):
    """Say whether a relevant item is among the first."""
    return Fraction(any(grade > 0 for grade in order[:depth]))


def reciprocal_rank(order, missed, depth=None):
    """Divide one by the place of the first relevant item."""
    places = [place for place, grade in enumerate(order[:depth], 1) if grade > 0]
    return Fraction(1, places[0]) if places else Fraction(0)


def average_precision(order, missed, depth=None):
    """Add up the precision at each relevant item, over all relevant ones."""
    every = _relevant(order, missed)
    at = [precision(order, missed, place) for place, grade in enumerate(order[:depth], 1) if grade > 0]
    return sum(at, Fraction(0)) / every if every else Fraction(0)


def _discounted(grades, depth, gain):
    return sum(gain(max(grade, 0)) / math.log2(place + 1) for place, grade in enumerate(grades[:depth], 1))


def ndcg(order, missed, depth=None, gain=float):
    """Divide the discounted gain by that of the best order."""
    ideal = _discounted(sorted([*order, *missed], reverse=True), depth, gain)
    return Fraction(_discounted(order, depth, gain)) / Fraction(ideal) if ideal else Fraction(0)


def ndcg_exponential(order, missed, depth=None):
    """Divide the discounted gain by that of the best order, gains doubling with each grade."""
    return ndcg(order, missed, depth, lambda grade: 2.0**grade - 1)


def rank_biased_precision(order, missed, p, depth=None):
    """Add up the gains, of which a reader with persistence p sees ever fewer."""
    return (1 - p) * sum((max(grade, 0) * p**place for place, grade in enumerate(order[:depth])), Fraction(0))


def expected_reciprocal_rank(items, missed, highest, depth=None):
    """Follow a reader who stops among tied items with the chance of all of them, at each of their ranks alike."""
    expected, reading, before = Fraction(0), Fraction(1), 0
    for score in sorted({score for score, _ in items}, reverse=True):
        grades = [grade for each, grade in items if each == score]
        reading_on = math.prod(1 - Fraction(2 ** max(grade, 0) - 1, 2**highest) for grade in grades)
        ranks = range(before + 1, before + len(grades) + 1)
        at = sum(Fraction(1, rank) for rank in ranks if depth is None or rank <= depth)
        expected += reading * (1 - reading_on) * at / len(grades)
        reading *= reading_on
        before += len(grades)
    return expected


def judged(order, missed, depth=None):
    """Divide the judged items among the first by the number of the first."""
    first = order[:depth]
    return Fraction(sum(grade >= 0 for grade in first), len(first)) if first else Fraction(0)


def set_precision(order, missed):
    """Divide the relevant items by all that were retrieved."""
    return precision(order, missed, len(order)) if order else Fraction(0)


def set_f(order, missed, weight):
    """Give the weighted harmonic mean of precision and recall of the whole ranking."""
    p, r = set_precision(order, missed), recall(order, missed, len(order))
    return (1 + weight) * p * r / (r + weight * p) if p else Fraction(0)


def at_level(measure, level):
    """Return a measure that takes items as relevant from a grade on."""

    def cut(grades):
        return [1 if grade >= level else min(grade, 0) for grade in grades]

    return lambda order, missed, **options: measure(cut(order), cut(missed), **options)


def judged_only(measure):
    """Return a measure that leaves items out which nobody judged."""
    return lambda order, missed, **options: measure([grade for grade in order if grade >= 0], missed, **options)


def roc_auc(order, missed):
    """Return the fraction of pairs of a relevant and another retrieved item in which the relevant one comes first."""
    relevant = [place for place, grade in enumerate(order) if grade > 0]
    others = [place for place, grade in enumerate(order) if grade <= 0]
    wins = sum(first < second for first in relevant for second in others)
    return Fraction(wins, len(relevant) * len(others)) if relevant and others else math.nan


def _cuts(ranking, missed):
    """List precision and recall, and how many are relevant, down to each score."""
    every = _relevant([grade for _, grade in ranking], missed)
    for score in sorted({score for score, _ in ranking}, reverse=True):
        at_or_above = [grade for other, grade in ranking if other >= score]
        found = sum(grade > 0 for grade in at_or_above)
        if every:
            yield Fraction(found, len(at_or_above)), Fraction(found, every)


def interpolated_precision(ranking, missed, level):
    """Give the largest precision where the recall is at least the level."""
    return max((precision for precision, recall in _cuts(ranking, missed) if recall >= level), default=Fraction(0))


def maximum_f(ranking, missed):
    """Give the largest harmonic mean of precision and recall."""
    return max((2 * p * r / (p + r) for p, r in _cuts(ranking, missed) if p + r), default=Fraction(0))


def bpref(ranking, missed):
    """Add up, over the relevant items, how few of those judged irrelevant stand above, tied ones by half."""
    every = [grade for _, grade in ranking] + list(missed)
    relevant, irrelevant = sum(grade > 0 for grade in every), sum(grade == 0 for grade in every)
    total = Fraction(0)
    for score, grade in ranking:
        if grade > 0:
            higher = sum(judged == 0 and other > score for other, judged in ranking)
            above = higher + Fraction(sum(judged == 0 and other == score for other, judged in ranking), 2)
            total += 1 - (min(above, relevant) / min(relevant, irrelevant) if above else 0)
    return total / relevant if relevant else Fraction(0)
