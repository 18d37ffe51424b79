"""Slow twins for measures of rankings: the mean over every order of tied items, each straight from its definition.

A ranking is a list of (score, grade); `missed` holds the grades of relevant items that were not retrieved.
"""

import math
from fractions import Fraction
from itertools import groupby, permutations, product

from tests.slow import mean


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


def _discounted(grades, depth):
    return sum(max(grade, 0) / math.log2(place + 1) for place, grade in enumerate(grades[:depth], 1))


def ndcg(order, missed, depth=None):
    """Divide the discounted gain by that of the best order."""
    ideal = _discounted(sorted([*order, *missed], reverse=True), depth)
    return Fraction(_discounted(order, depth)) / Fraction(ideal) if ideal else Fraction(0)
