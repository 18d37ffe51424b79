"""Influence values: what each case adds to the deviation of a measure from its true value, up to smaller terms.

They add up to 0, and the sum of their squares is the variance of the measure.  Source: F. R. Hampel, The influence
curve and its role in robust estimation, Journal of the American Statistical Association 69 (1974) 383-393.

Average precisions without each of several clusters, from one sort of all cases.

Effective numbers of weighted cases: as many of equal weight as would leave an estimate as uncertain.

Also weights under which cases have another prevalence: what would be measured where positives are rarer or more common.

Every positive counts by one factor and every negative by another, so measures of one class alone, such as recall,
specificity and the ROC AUC, stay as they are, and precision, accuracy and the like become those of the other
population.  That holds if its positives score like these, and its negatives too.  Source: M. Saerens, P. Latinne and
C. Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities, Neural Computation 14 (2002)
21-41.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks, map_parts
from evalcore.kernels.grouping import GroupedWeights
from evalcore.kernels.placements import Placements
from evalcore.kernels.runs import Runs, rises, runs_of_keys
from evalcore.kernels.sorting import IndexedOrdering, sorted_words
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import RankedPart, SortedWeights, WeightSums, WeightWalk, walk_of_weights
from evalcore.measures import curves
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio

_INDEX = 31


def mean_influence(values: FloatArray, weights: AnyArray) -> FloatArray:
    """Return the influence values of a mean; values, weights: (n,).  Returns (n,).  O(n).

    >>> mean_influence(np.array([1.0, 3.0]), np.ones(2))
    array([-0.5,  0.5])
    """
    total = weights.sum()
    mean = (values * weights).sum() / total  # BLAS would add in as many parts as it has threads
    return np.asarray(weights * ((values - mean) / total))


def less_class_means(values: FloatArray, classes: AnyArray, weights: AnyArray) -> FloatArray:
    """Return values, (n,), less those of the mean of each class for as much weight; classes: (n,) from 0 on.  O(n).

    >>> less_class_means(np.array([1.0, 5.0, 2.0]), np.array([0, 0, 1]), np.array([1.0, 2.0, 1.0]))
    array([-1.,  1.,  0.])
    """
    means = np.asarray(ratio(np.bincount(classes, values), np.bincount(classes, weights)))
    return np.asarray(values - weights * means[classes])


def influence_of_placements(placed: Placements) -> FloatArray:
    """Return the influence values of the ROC AUC, (n,).  O(n).

    >>> from evalcore.kernels.sorting import indexed_order
    >>> from evalcore.kernels.placements import placements
    >>> correct = np.array([True, False, True])
    >>> influence_of_placements(placements(indexed_order(np.array([0.9, 0.5, 0.1]), correct)))
    array([ 0.25,  0.  , -0.25])
    """
    correct, values = placed.correct, placed.values.astype(np.float64)
    pairs = int(np.count_nonzero(correct)) * int(np.count_nonzero(~correct))
    for side, sign in ((correct, -1), (~correct, 1)):
        own = values[side]
        values[side] = (own - own.mean()) / (sign * 2.0 * pairs)
    return values


def influence_of_lost_fractions(lost: FloatArray, correct: BoolArray, weights: AnyArray) -> FloatArray:
    """Return the influence values of the ROC AUC of weighted cases; lost: of `losses_of_cases`; all (n,).  O(n)."""
    values = np.empty(correct.size)
    for side in (correct, ~correct):
        own = weights[side].astype(np.float64)
        values[side] = -mean_influence(lost[side], own) if own.size else 0.0
    return values


class PrecisionInfluence(NamedTuple):
    """The average precision of m positives and any number of negatives, and its influence values."""

    average_precision: float
    """NaN without positives."""
    rows: IntArray
    """The positives among the cases as they came, shape (m,), ascending."""
    of_positives: FloatArray
    """Of these, shape (m,)."""
    by_rank: FloatArray
    """Of a negative, by half of the positives that rank above it less those below, plus m: shape (m + 1,)."""
    runs: Runs
    """Of the ranking."""

    def of_cases(self, placed: Placements, part: slice) -> FloatArray:
        """Return the influence values of some cases, (k,).  O(k)."""
        ranks = placed.values[part].astype(np.int64)
        ranks += self.rows.size
        ranks >>= 1
        values = self.by_rank.take(ranks, mode="clip")  # faster than with checks
        own = slice(*self.rows.searchsorted([part.start, part.stop]))
        values[self.rows[own] - part.start] = self.of_positives[own]
        return np.asarray(values)


def average_precision_influence(found: IndexedOrdering) -> PrecisionInfluence:
    """Return the average precision of ranked cases and its influence values.  O(n), and O(m log m) of m positives.

    A is the mean over m positives of p_i = TP_i / N_i, of the N_i cases at or above the score of each.  One more case
    at score x changes N_i wherever x is at or above that score, so that its influence is, of a positive, (p_x - A) / m
    + Σ FP_i / N_i² / m, of a negative -Σ TP_i / N_i² / m, over the positives i at or below x.  All 0 without positives.

    >>> from evalcore.kernels.sorting import indexed_order
    >>> from evalcore.kernels.placements import placements
    >>> ordering = indexed_order(np.array([0.9, 0.5, 0.1]), np.array([True, False, True]))
    >>> average_precision_influence(ordering).of_cases(placements(ordering), slice(0, 3))
    array([ 0.13888889, -0.11111111, -0.02777778])
    """
    runs = runs_of_keys(found.keys)._replace(keys=None)  # whose memory the next ranking has
    own, count, below = runs.positives, int(runs.retrieved[0]), np.zeros((2, 1))
    area, of_class = curves.average_precisions(runs), np.zeros((2, own.size))

    def order_of_cases() -> tuple[IntArray, IntArray]:
        ranks = np.arange(count) + runs.fp.repeat(own)
        words: IntArray = sorted_words(found.cases[ranks].__getitem__, count, _INDEX)
        return words >> _INDEX, words & ((1 << _INDEX) - 1)

    def change_by_run() -> None:  # a block that stays in the cache, from the last one up
        for block in reversed([*blocks(own.size)]):
            of_class[:, block] = _influence_of_runs(runs.part(block), area, below)

    # side by side, for neither has parts for more threads
    tasks: list[Callable[[], Any]] = [order_of_cases, change_by_run]
    (rows, order), _ = map_parts(lambda task: task(), tasks, found.keys.size)
    # no negative ranks between positives of one score: its rank finds the first of them
    gained, lost = ((each if own.size == count else each.repeat(own)) / max(count, 1) for each in of_class)
    return PrecisionInfluence(float(area[0]), rows, gained[order], -np.append(lost, 0.0), runs)


def _sums_from(values: FloatArray, rest: float = 0.0) -> FloatArray:
    """Return the sums of values up to 1, (m,), and of the rest from each on, the rest alone last, (m + 1,).  O(m).

    As sums of whole numbers, which take a tenth of the time.
    """
    exponent, sums = 62 - max(math.frexp(float(values.sum()))[1], -900), np.zeros(values.size + 1, np.int64)
    scaled = values * 2.0**exponent
    sums[1:] = np.rint(scaled, out=scaled)
    np.cumsum(sums, out=sums)  # forwards, a quarter of the time of backwards
    found: FloatArray = np.subtract(sums[-1], sums, out=sums) * 2.0**-exponent
    return found + rest if rest else found


def average_precision_influence_of_weights(ranking: WeightWalk) -> FloatArray:
    """Return the influence values of the average precision of weighted cases, (n,) in the order they came.  O(n).

    Those of `average_precision_influence`, with sums of weights for counts, each times the weight of its case.

    >>> from evalcore.kernels.weights import sort_weights
    >>> columns = np.array([0.9, 0.5, 0.1]), np.array([True, False, True]), np.ones(3)
    >>> average_precision_influence_of_weights(walk_of_weights(sort_weights(*columns)))
    array([ 0.13888889, -0.11111111, -0.02777778])
    """
    values = np.empty(ranking.cases.ends.size)

    def store(part: RankedPart, own: FloatArray) -> None:
        values[part.cases] = own

    _influence_of_parts(ranking, store)
    return values


def average_precision_squares_of_weights(ranking: WeightWalk) -> FloatArray:
    """Return the sum of the squares of `average_precision_influence_of_weights`, (1,), in less memory.  O(n)."""
    return np.array([sum(_influence_of_parts(ranking, lambda _, own: float(np.square(own, out=own).sum())))])


def _influence_of_parts(ranking: WeightWalk, task: Callable[[RankedPart, FloatArray], Any]) -> list[Any]:
    """Return what a task makes of each part of a ranking, and the influence values of its cases.  O(n)."""
    total = ranking.sums[:, 0].sum()

    def add_up(part: RankedPart) -> list[float]:
        precisions, *later = _precisions_and_changes(part.runs.positives, part.runs.tp, part.runs.fp)
        return [float(each.sum()) for each in (part.runs.positives * precisions, *later)]

    sums = np.array(ranking.map_parts(add_up))
    mean = ratio(sums[:, 0].sum(), total)
    below = np.append(sums[:0:-1, 1:].cumsum(axis=0)[::-1], np.zeros((1, 2)), axis=0)

    def of_part(part: RankedPart, rest: FloatArray) -> Any:
        precisions, *later = _precisions_and_changes(part.runs.positives, part.runs.tp, part.runs.fp)
        gained, lost = map(_sums_from, later, rest)
        of_positives, of_negatives = ratio(precisions - mean + gained[:-1], total), np.asarray(ratio(-lost, total))
        of_cases = part.of_cases(np.asarray(of_positives), of_negatives[:-1], of_negatives)
        of_cases *= np.abs(part.weights)
        return task(part, of_cases)

    return ranking.map_parts(of_part, list(below))


def average_precision_influence_in_groups(found: GroupedWeights, weights: FloatArray) -> FloatArray:
    """Return the influence values of the average precision of each group, (n,) as they came.  O(n).

    As `average_precision_influence_of_weights` of each group by itself; weights: (n,).
    """
    runs = found.scores
    gained, lost = _influence_of_runs(runs, curves.average_precisions(runs), np.zeros(runs.totals.shape))
    total = runs.of_runs(runs.totals[0])
    return np.asarray(found.of_cases(np.asarray(ratio(gained, total)), np.asarray(ratio(lost, -total))) * weights)


def average_precision_squares_of_runs(runs: Runs, areas: FloatArray) -> FloatArray:
    """Return the sum of the squares of the influence values of counted cases, of each ranking, (g,).  O(r).

    areas: the average precisions, (g,).

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> runs = runs_of_scores(np.array([1, 0, 1]), np.array([0, 1, 0]))
    >>> average_precision_squares_of_runs(runs, curves.average_precisions(runs))
    array([0.03240741])
    """
    found, below = np.zeros(areas.size), np.zeros((2, areas.size))
    for block in reversed([*blocks(runs.tp.size)]):
        part = runs.part(block)
        gained, lost = _influence_of_runs(part, areas, below)
        negatives = rises(part.fp, runs.fp[block.start - 1])  # down to each run
        firsts = runs.starts[slice(*runs.starts.searchsorted([block.start, block.stop]))] - block.start
        negatives[firsts] = part.fp[firsts]
        for each, amounts in ((gained, part.positives), (lost, negatives)):
            np.multiply(np.square(each, out=each), amounts, out=each)
        gained += lost
        found += part.add_up(gained)
    return np.asarray(ratio(found, np.square(runs.totals[0], dtype=np.float64)))


def _influence_of_runs(runs: Runs, areas: FloatArray, below: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return m times the influence of a positive at each run, and of a negative at or next above it, (r,) each.  O(r).

    areas: the average precisions, (g,); below: what the runs below these change, (2, g), to which these are added.
    """
    precisions, *changes = _precisions_and_changes(runs.positives, runs.tp, runs.fp)
    sums = [_sums_from(change) for change in changes]
    ends = np.array([each[runs.starts] for each in sums])
    gained, lost = (each[:-1] + runs.of_runs(rest) for each, rest in zip(sums, below - ends[:, 1:], strict=True))
    below += ends[:, :-1] - ends[:, 1:]
    gained += precisions
    gained -= runs.of_runs(areas)
    return gained, lost


def _precisions_and_changes(own: AnyArray, tp: AnyArray, fp: AnyArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the precision at each score, and what one more positive and one more negative above it change.  O(p).

    own: weight of the positives at each score, tp, fp: weights at or above it, (p,) each.  p_i, own FP_i / N_i² and
    own TP_i / N_i² of `average_precision_influence`.
    """
    own, tp, fp = (each.astype(np.float64, copy=False) for each in (own, tp, fp))
    cases = tp + fp
    precisions, gained, lost = tp / cases, fp / cases, own / cases
    gained *= lost
    lost *= precisions
    return precisions, gained, lost


class PrecisionSpread(NamedTuple):
    """How average precisions of cases vary from sample to sample, (g,) each, the cases that no sample drew included."""

    squares: FloatArray
    """Mean squared errors; NaN with fewer than two positives, or without negatives."""
    loss: FloatArray
    """By how much a negative that was not drawn lowers them on average."""


@np.errstate(divide="ignore", invalid="ignore")
def precision_spread(
    runs: Runs, drawn: WeightSums, squares: Ratio = 0.0, numbers: FloatArray | None = None
) -> PrecisionSpread:
    """Return how average precisions vary: by the cases that were seen, and by one unseen case of each class.  O(r).

    drawn: over the positives and the negatives, (2, g) each; squares: sums of those of influence values, (g,) or none;
    numbers: the effective ones of both, (2, g), by default Kish's.

    What lies beyond the extreme cases of a sample has about the probability of one case.  An unseen positive is as
    likely next to each of the negatives above all positives that were seen, an unseen negative next to each of the
    positives above all negatives, with the mean weight of their class, by weight.  Of a positive with negatives of f
    times its weight above, the precision has the mean ln(1 + f) / f and the mean square 1 / (1 + f).

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> perfect, drawn = runs_of_scores(np.array([1] * 99 + [0]), np.array([0] * 99 + [9])), np.array([[99.0], [9.0]])
    >>> precision_spread(perfect, WeightSums(drawn, drawn, drawn), np.zeros(1)).loss  # one unseen negative: 1 / m
    array([0.00963114])
    """
    held, number = runs.starts[1:] > runs.starts[:-1], drawn.cases.sum(axis=0)
    numbers = kish_number(drawn) if numbers is None else numbers
    own, other = np.asarray(ratio(1.0, numbers) * ratio(runs.totals, runs.totals[0]))  # of all positives
    above = np.zeros(held.size)
    above[held] = runs.fp[runs.starts[:-1][held]]
    f = np.asarray(ratio(above, own * runs.totals[0]))
    gains = np.square(own) * (1 / (1 + f) - np.square(np.where(f > 0, ratio(np.log1p(f), f), 1.0)))

    def losing(part: Runs) -> tuple[AnyArray, FloatArray]:
        own, cases, clean, kept = part.positives, part.tp + part.fp, part.fp == 0, np.zeros(held.size)
        if clean.any():
            kept = part.add_up(own * clean)
            own = own * ~clean
        gained = own / cases
        gained *= part.tp
        gained /= cases + part.of_runs(other * runs.totals[0])
        return kept, part.add_up(gained)

    clean, rest = (sum(each) for each in zip(*runs.map(losing), strict=True))
    t, rest = np.asarray(ratio(ratio(clean, runs.totals[0]), other)), other * rest
    log, some = np.log1p(t), t > 0
    loss = other * np.where(some, 1 - ratio(log, t), 0.0) + rest
    losses = np.square(other) * np.where(some, 2 - ratio(log * (log + 2), t), 0.0) + rest * (2 * loss - rest)
    found = squares * np.asarray(ratio(number, number - 1)) + gains + losses
    return PrecisionSpread(np.where(drawn.cases[0] > 1, found, np.nan), loss)


_BLOCK = 1 << 14
"""Sums that are worked on at once, so that they stay in the cache."""
_TINY = np.finfo(np.float64).tiny


def average_precisions_left_out(cases: SortedWeights, clusters: IntArray, *, known_prevalence: bool) -> FloatArray:
    """Return the average precision without each of u clusters, (u,); NaN if the others have no correct case.

    clusters: of the cases as they came, (n,) in 0 .. u - 1, each with cases; known_prevalence: whether the weight of
    each class is that of all cases still.  O(n + p u) for p scores of correct cases.

    >>> from evalcore.kernels.weights import sort_weights
    >>> cases = sort_weights(np.array([0.9, 0.8, 0.7, 0.6]), np.array([False, True, False, True]), np.ones(4))
    >>> average_precisions_left_out(cases, np.array([0, 0, 1, 1]), known_prevalence=False)
    array([0.5, 0.5])
    """
    in_order = clusters[cases.order]
    stops = np.concatenate(walk_of_weights(cases).map(lambda runs: runs.lasts)) + 1
    sides = np.maximum(cases.weights, 0.0), np.maximum(-cases.weights, 0.0)
    totals = [np.bincount(in_order, side) for side in sides]
    count = totals[0].size
    scale = np.ones(count)
    if known_prevalence:
        correct_left, others_left = (ratio(total.sum() - total, total.sum()) for total in totals)
        scale = np.asarray(ratio(correct_left, np.where(others_left, others_left, np.nan)))
    tp, fp, added = np.zeros((3, count))
    step = max(_BLOCK // max(count, 1), 1)
    for start in range(0, stops.size, step):
        points = stops[start : start + step]
        rows = slice(int(stops[start - 1]) if start else 0, int(points[-1]))
        codes = in_order[rows] * points.size + np.arange(points.size).repeat(np.diff(points, prepend=rows.start))
        own, others = (np.bincount(codes, side[rows], count * points.size).reshape(count, -1) for side in sides)
        left = own.sum(axis=0) - own
        tps = tp[:, np.newaxis] + left.cumsum(axis=1)
        fps = fp[:, np.newaxis] + (others.sum(axis=0) - others).cumsum(axis=1)
        cases_left = tps + fps * scale[:, np.newaxis]
        added += (left * (tps / np.maximum(cases_left, _TINY))).sum(axis=1)  # 0/0 where none is left
        tp, fp = tps[:, -1], fps[:, -1]
    return np.asarray(ratio(added, tp))


def effective_trials(successes: WeightSums, trials: WeightSums) -> tuple[FloatArray, FloatArray]:
    """Return weighted proportions p, and as many trials as have their variance V, p (1 - p) / V, (g,) each.  O(g).

    Where p is 0 or 1, the variance is not known, and the number is `kish_number`.  Source: E. L. Korn and B. I.
    Graubard, Confidence intervals for proportions with small expected number of positive counts estimated from survey
    data, Survey Methodology 24 (1998) 193-201.

    >>> heavy, light = np.array([3.0]), np.array([1.0])  # the only success weighs 3, the only failure 1
    >>> trials = WeightSums(heavy + light, heavy**2 + light**2, np.array([2.0]))
    >>> effective_trials(WeightSums(heavy, heavy**2, light), trials)
    (array([0.75]), array([2.66666667]))
    """
    estimates = np.asarray(ratio(successes.sums, trials.sums))
    failed = np.maximum(trials.squares - successes.squares, 0.0)
    scatter = np.square(1 - estimates) * successes.squares + np.square(estimates) * failed
    number = ratio(estimates * (1 - estimates), ratio(ratio(scatter, trials.sums), trials.sums))
    inside = (successes.cases > 0) & (successes.cases < trials.cases)
    return estimates, np.where(inside, number, kish_number(trials))


def effective_decisions(cells: WeightSums, successes: AnyArray, trials: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted fractions of decisions, and effective trials of each, (g,) each, as `effective_trials`.  O(g).

    cells: of tables, (k², g) each; successes, trials: (k²,), 1 for each cell that they add up.  Where p is 0 or
    1, what is absent may be there in the population, and weigh as much as the mean case, by weight, of its class: the
    number is then the limit of p (1 - p) / V, the weight of the trials divided by this mean.

    >>> cells = WeightSums(*np.array([[9.0, 0, 0, 300], [9.0, 0, 0, 3e4], [9.0, 0, 0, 3]])[..., np.newaxis])
    >>> effective_decisions(cells, np.array([1, 0, 0, 0]), np.array([1, 0, 1, 0]))  # a negative stands for 100
    (array([1.]), array([0.09]))
    """
    succeeded, tried = (WeightSums(*(chosen @ column for column in cells)) for chosen in (successes, trials))
    estimates, number = effective_trials(succeeded, tried)
    size = math.isqrt(len(trials))
    of_classes = (chosen.reshape(size, -1).any(axis=1).repeat(size) for chosen in (trials - successes, successes))
    # the mean weight of cases drawn by weight, 0 for none
    absent = (np.fmax(ratio(classes @ cells.squares, classes @ cells.sums), 0.0) for classes in of_classes)
    weight = np.where(estimates == 1, *absent)
    unseen = ((estimates == 0) | (estimates == 1)) & (weight > 0)
    return estimates, np.where(unseen, ratio(tried.sums, weight), number)


def kish_number(cells: WeightSums) -> FloatArray:
    """Return the effective number of cases, (Σ w)² / Σ w², 0 for none; that of frequencies is their sum.  O(g).

    It is 1, the least there can be, of weights so light beside others that float64 does not hold their squares.
    Source: L. Kish, Survey Sampling (1965), 11.7.

    >>> kish_number(WeightSums(*np.array([[4.0, 2e-200, 0.0], [10.0, 0.0, 0.0], [2.0, 2.0, 0.0]])))
    array([1.6, 1. , 0. ])
    """
    number = ratio(cells.sums, ratio(cells.squares, cells.sums))
    return np.where(np.isfinite(number), number, cells.sums > 0).astype(np.float64, copy=False)


def smaller_class(classes: WeightSums) -> FloatArray:
    """Return the `kish_number` of the class that has fewer effective cases; classes: (2, …).  O(cells)."""
    return np.asarray(kish_number(classes).min(axis=0))


def weights_for_prevalence(correct: BoolArray, prevalence: float, weights: AnyArray | None = None) -> FloatArray:
    """Return weights, (n,) float64, with the same sum, of which the correct cases have this fraction.

    correct: (n,) with cases of both classes; prevalence: above 0 and below 1; weights: (n,) of the cases as they are,
    by default 1 each, both classes with a weight above zero.  O(n).

    >>> weights_for_prevalence(np.array([True, False, False, False]), 0.5)
    array([2.        , 0.66666667, 0.66666667, 0.66666667])
    """
    own = np.ones(correct.size) if weights is None else weights.astype(np.float64)
    positive = float(np.sum(own, where=correct))
    negative = float(np.sum(own, where=~correct))
    total = positive + negative
    own /= np.where(correct, positive, negative)  # fractions first: a factor might leave float64
    own *= np.where(correct, prevalence * total, (1 - prevalence) * total)
    return own
