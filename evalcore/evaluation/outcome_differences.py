"""Differences of values of cases between systems, what changed, and a table of systems that cannot be told apart.

Of three or more systems all pairs are compared, with p-values adjusted by Holm's method.  Systems that have a letter in
common were not told apart.  Source: H.-P. Piepho, An algorithm for a letter-based
representation of all-pairwise comparisons, Journal of Computational and Graphical Statistics 13 (2004) 456-466.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np

from evalcore.evaluation.case_lists import changed_cases
from evalcore.evaluation.cases import PairedOutcomes, ValuedRows
from evalcore.evaluation.differences import (
    Changes,
    ClosestPair,
    GroupDifferences,
    MeasureDifference,
    Standing,
    detectable_difference,
    judged,
    outcome_counts,
)
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference import Interval
from evalcore.inference.units import Units
from evalcore.typing import AnyArray

WON, TIED, LOST = "won", "tied", "lost"
"""Names of the counts of `Changes` of values that are not all 0 and 1."""


def differences_of_outcomes(
    cases: PairedOutcomes, question: Question, groups: GroupedRows | None = None
) -> list[list[GroupDifferences]]:
    """Return the differences of each new model in all cases, or in each group, as `Find`.  O(n) for each column."""
    frequencies, names = cases.weights.frequencies, {"": 0} if groups is None else groups.names
    sizes = [cases.kinds["case"]]
    if groups is not None:
        sizes = np.bincount(groups.of_rows, frequencies, groups.count).astype(np.int64).tolist()
    found: list[dict[str, list[MeasureDifference]]] = [{} for _ in cases.new]
    for column in question.values:
        own = cases.of_column(column)
        units = own.units(groups)
        for of_model, new in zip(found, cases.new, strict=True):
            of_model[column] = _differences(own, units, (cases.old, new), column, question)
    return [
        [GroupDifferences(name, sizes[at], None, [each[at] for each in one.values()]) for name, at in names.items()]
        for one in found
    ]


def _differences(
    own: ValuedRows, units: Units, models: tuple[str, str], column: str, question: Question
) -> list[MeasureDifference]:
    """Return the differences of the means of two models in each group.  O(m)."""
    compared, spread = own.differences(units, *models, question.confidence)
    lower = column in question.lower_is_better
    each = zip(compared, spread.errors.tolist(), spread.freedom.tolist(), strict=True)
    return [MeasureDifference(column, column, one, error, lower, freedom=freedom) for one, error, freedom in each]


def intervals_of_model(
    cases: PairedOutcomes, column: str, model: str, level: float, groups: GroupedRows | None = None
) -> dict[str | None, Interval]:
    """Return the intervals of the mean of a model's column, of all cases under None, or of each group.  O(n)."""
    own = cases.of_column(column)
    found = own.means(own.units(groups), model, level).each(level)
    return {None: found[0]} if groups is None else {name: found[at] for name, at in groups.names.items()}


def changes_of_outcomes(model: str, cases: PairedOutcomes, question: Question) -> Iterator[Changes]:
    """Yield what changed of each column: how often a new model won and lost, and where most.  O(n) for each."""
    for column in question.values:
        old, new = (cases.values[each][column] for each in (cases.old, model))
        gain = old - new if column in question.lower_is_better else new - old
        if column in cases.binary:
            right, has_both = 0 if column in question.lower_is_better else 1, ~np.isnan(gain)
            counts = outcome_counts(old[has_both] == right, new[has_both] == right)
        else:
            masks = {WON: gain > 0, TIED: gain == 0, LOST: gain < 0}
            counts = {name: int(np.count_nonzero(mask)) for name, mask in masks.items()}

        def values_of(row: int, pair: Sequence[AnyArray] = (old, new)) -> tuple[Any, ...]:
            return None, *(each[row] for each in pair)

        listed = partial(changed_cases, cases, model, values_of, size=np.abs(gain), most=question.changed)
        yield Changes(None, counts, listed(gain > 0), listed(gain < 0), column)


def leaderboard(cases: PairedOutcomes, question: Question) -> tuple[list[Standing], list[ClosestPair]]:
    """Return the systems by each column, the best first, and the closest pair of each.  O(k² n) for k systems."""
    standings, closest = list[Standing](), list[ClosestPair]()
    for column in question.values:
        own = cases.of_column(column)
        units, level, sign = own.units(), question.confidence, -1 if column in question.lower_is_better else 1
        means = {model: own.means(units, model, level).each(level)[0] for model in own.values}
        ranked = sorted(means, key=lambda model: -sign * means[model].estimate)
        pairs = [*combinations(range(len(ranked)), 2)]
        compared = ((ranked[worse], ranked[better]) for better, worse in pairs)
        found = judged([_differences(own, units, pair, column, question)[0] for pair in compared], level)
        apart = {pair for pair, each in zip(pairs, found, strict=True) if each.holm < 1 - level}
        for model, letters in zip(ranked, letters_of(len(ranked), apart), strict=True):
            mean = means[model]
            standings.append(Standing(column, model, mean.estimate, mean.low, mean.high, letters))
        normal = (each._replace(freedom=np.inf) for each in found)  # the many cases that are needed have many degrees
        near = [
            (abs(each.found.difference), detectable_difference(each, level), pair)
            for each, pair in zip(normal, pairs, strict=True)
            if pair not in apart and each.found.difference != 0 and each.detectable > 0
        ]
        if near:
            difference, detectable, (better, worse) = min(near)
            needed = math.ceil(sum(own.cases.counts) * (detectable / difference) ** 2)
            closest.append(ClosestPair(column, ranked[better], ranked[worse], difference, needed))
    return standings, closest


def letters_of(systems: int, apart: Collection[tuple[int, int]]) -> list[str]:
    """Return letters of ranked systems, which share one unless they are apart; pairs: of indices.  O(systems³).

    >>> letters_of(3, {(0, 2)}), letters_of(3, {(0, 1), (0, 2)})
    (['a', 'ab', 'b'], ['a', 'b', 'b'])
    """
    alike = [frozenset(range(systems))]
    for one, other in sorted(apart):
        both = [each for each in alike if {one, other} <= each]
        parts = [part for each in both for part in (each - {one}, each - {other})]
        kept = [each for each in alike if each not in both]
        for part in parts:
            if not any(part <= each for each in kept):
                kept = [each for each in kept if not each < part] + [part]
        alike = kept
    named = sorted(map(sorted, alike))
    return ["".join(_letter(place) for place, each in enumerate(named) if one in each) for one in range(systems)]


def _letter(place: int) -> str:
    """Return a letter, or beyond the last one a letter with a number."""
    again, place = divmod(place, len(ascii_lowercase))
    return f"{ascii_lowercase[place]}{again + 1 if again else ''}"
