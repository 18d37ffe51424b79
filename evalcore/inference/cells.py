"""Cases counted into the cells of a table, with what is drawn by chance beside them: all that measures of cells need.

A measure brings its derivatives by the cells; standard errors, intervals and comparisons of it follow, of counts,
weights, frequencies, clusters and groups, and under a known prevalence.  Source of the method: Y. M. M. Bishop, S. E.
Fienberg and P. W. Holland, Discrete Multivariate Analysis (1975), 14.6.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.inference import intervals
from evalcore.inference.intervals import Intervals
from evalcore.inference.units import ROUNDED_VARIANCE, Spread, Units, freedom_of_powers
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import binary_codes, binary_counts
from evalcore.kernels.weights import WeightSums
from evalcore.measures import multiclass
from evalcore.measures.influence import effective_decisions, effective_trials, kish_number
from evalcore.measures.multiclass import DECISION_RATIOS
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio

FRACTIONS = {name: factors for name, factors in DECISION_RATIOS.items() if name != "f1"}
FRACTIONS["prevalence"] = np.array([[[1.0, 1.0], [0.0, 0.0]], np.ones((2, 2))])
"""The cells of successes and of trials of fractions of decisions, 1 for each that counts, by name, (2, 2, 2)."""
_BY_TRIALS = "delta-wilson"
"""Wilson's bounds by the effective trials that the delta method gives, of measures that are no fractions."""
_MOST = 2.0**63
"""Effective trials: the variance of one weight that dominates all others is rounded to next to nothing."""
_HALF = 0.5
"""Cases of a class that may be elsewhere in the population where all of the sample are in one cell."""
_TINY = np.finfo(np.float64).tiny
_MOST_LEFT_OUT, _MOST_GROUPS = 1 << 16, 64
"""Of more cells of clusters in a group than the first, or as many in more groups than the second, sums of influence
values have the error of the jackknife, in less time and memory."""
_ROUNDED = 2.0**-40
Formula: TypeAlias = Callable[[FloatArray], FloatArray] | None
"""Finds estimates, (t,), of tables, (t, ...)."""
_WORTHWHILE = 4
"""Rows of the same cluster and cell are added up if at least this many become one."""


class _Places(NamedTuple):
    """The m cells in which some of g groups have cases, or may have unseen ones."""

    cells: IntArray
    """Their indices in a table, (m,)."""
    squares: FloatArray
    """Sums of squared weights, (g, m)."""
    cases: FloatArray | None
    """The numbers of cases, (g, m), infinite where weights are alike in a group; None where they are in all."""
    open: IntArray
    """Which of them may have unseen cases, (o,) in 0 .. m - 1."""
    unseen: FloatArray
    """How many each of these may have, (g, o)."""
    heaviness: FloatArray
    """The weight of one of them in any cell, (g, m); 0 where a group has none."""
    classes: tuple[IntArray, ...]
    """The class of each cell by each axis, (m,) each."""
    of_axes: list[tuple[IntArray, FloatArray]]
    """Of each axis of classes that of each cell, (g m,) in 0 .. g k - 1, and its degrees of freedom, (g, k)."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cases of each of g groups, in the cells of a table of any shape."""

    sums: WeightSums
    """Shape (g, ...) each; int64 or float64."""
    counted: bool
    """Whether sums count cases, each of which is drawn by itself or with its cluster."""
    units: Units | None = None
    """The clusters, of rows with a cell each; None where cases are drawn one by one."""
    codes: Any = None
    """The cell of each of these rows, (m,), among those of all groups."""
    known_prevalence: bool = False
    """Whether weights were shifted to a prevalence, no estimate then; the first axis of a table has the classes."""
    axes: Sequence[IntArray] = ()
    """The class of each cell by each axis, where cells are those that occur of a larger table."""
    heavy: FloatArray | None = None
    """Their heaviness, where sums have more than the rows of clusters do."""

    @property
    def table(self) -> AnyArray:
        """What measures are computed from, (g, ...): counts, int64, or sums of weights, float64."""
        return self.sums.sums.astype(np.int64) if self.counted else self.sums.sums

    def spread(self, derivatives: FloatArray, formula: Formula = None) -> Spread:
        """Return how estimates vary from their derivatives by the cells, (g, ...).  Returns (g,).  O(cells).

        formula: finds estimates of tables, (t, ...), to leave out clusters that are not too many.  O(m + u cells) then.
        """
        if self.units is not None and formula is not None:
            (_, groups), tables = self.units.members, self.sums.sums
            if groups.size * tables[0].size <= _MOST_LEFT_OUT * min(len(tables), _MOST_GROUPS):
                return self.units.left_out(formula(tables)[groups] - formula(self._without_each()))
        if self.known_prevalence:
            derivatives = _within_classes(derivatives, self.sums.sums)
        if self.units is not None:
            return self.units.left_out(self.units.changes(self.of_units(derivatives)))
        return self.spread_of_changes(self.at_places(derivatives))

    def spread_of_changes(self, changes: FloatArray) -> Spread:
        """Return how estimates vary from their derivatives by the cells of `places`, ([q,] g, m).  O(q g m).

        With sampling weights a few heavy cases may decide them: degrees of freedom are at most `freedom_of_powers`.
        """
        terms = self.places.squares * np.square(changes)
        variances, freedom = self.spread_of_terms(terms)
        if self.places.cases is not None:
            known = np.where(variances > ROUNDED_VARIANCE, variances, np.nan)
            fourths = np.nan_to_num(ratio(np.square(terms), self.places.cases))  # as if weights were alike in a cell
            freedom = np.fmax(np.fmin(freedom, freedom_of_powers(known, fourths.sum(axis=-1))), 1.0)
        return Spread(variances, freedom)

    def at_places(self, amounts: FloatArray) -> FloatArray:
        """Return what is known of all cells, (g, ...), of those of `places` alone, (g, m).  O(g m)."""
        return np.asarray(amounts.reshape(len(amounts), -1).take(self.places.cells, axis=1, mode="clip"))

    def spread_of_terms(self, terms: FloatArray) -> Spread:
        """Return how estimates vary, (g,), from what the cells of `places` add to their variances, (g, m).  O(g m).

        Of q measures at once, (q, g), from (q, g, m).

        Each class of labels tells its part of the degrees of freedom with one less than its effective cases; so does
        each class of predictions, and what leaves less counts.  Effective cases of a cell are Kish's number squared
        over the number of cases, for the squares of weights differ more than these.  Infinite without classes.  Source:
        F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2
        (1946) 110-114.
        """
        axes, each = self.places.of_axes, list[FloatArray]()
        for codes, known in axes:
            rows = terms.reshape(math.prod(terms.shape[:-2]), -1)
            sums = np.array([np.bincount(codes, row, known.size) for row in rows])
            each.append(sums.reshape(*terms.shape[:-2], *known.shape))
        # either way the same if labels and predictions are exchanged
        variances = (each[0].sum(axis=-1) + each[1].sum(axis=-1)) / 2 if len(each) == 2 else np.sort(terms).sum(axis=-1)
        freedom = np.full(variances.shape, np.inf)
        squares = np.square(np.where(variances > ROUNDED_VARIANCE, variances, np.nan))  # others are of rounded sums
        for parts, (_, known) in zip(each, axes, strict=True):
            freedom = np.fmin(freedom, ratio(squares, (np.square(parts) / known).sum(axis=-1)))
        return Spread(variances, freedom)

    def of_unseen(self, derivatives: FloatArray) -> Spread:
        """Return how an unseen case of each class of labels, with any two decisions, moves a measure, (g,).  O(g k²).

        derivatives: of the measure by the cells, (g, k, k).
        """
        k = derivatives.shape[-1]
        squares = np.square(derivatives - derivatives.mean(axis=-1, keepdims=True))
        moves = (k * squares + squares.sum(axis=-1, keepdims=True)) / max(k * (k - 1), 1)
        return self.spread_of_terms(np.square(self.places.heaviness) * self.at_places(moves))

    @cached_property
    def places(self) -> _Places:
        """What intervals need of the cells that count for something, the same for all measures.  O(g k²)."""
        sums = self.sums.sums
        count, shape = len(sums), sums.shape[1:]
        number = _unseen(sums > 0)
        occupied = ((sums > 0) | (number > 0)).reshape(count, -1)
        cells = np.flatnonzero(occupied.any(axis=0))
        own = WeightSums(*(each.reshape(count, -1).take(cells, axis=1, mode="clip") for each in self.sums))
        unseen = number.reshape(count, -1).take(cells, axis=1, mode="clip")
        opened = np.flatnonzero(unseen.any(axis=0))
        of_classes = self.heaviness.reshape(count, -1)
        known = np.isfinite(of_classes)
        mean = ratio(of_classes.sum(axis=1, where=known, keepdims=True), known.sum(axis=1, keepdims=True))
        # a class that is only predicted may be a label of other cases; what other groups have says nothing of a group
        heaviness = np.nan_to_num(np.where(known, of_classes, mean))[:, cells // shape[-1]] * occupied[:, cells]
        effective = own.sums if self.counted else _effective_cases(own)
        of_axes = list[tuple[IntArray, FloatArray]]()
        classes = np.unravel_index(cells, shape)
        for codes in self.axes or (classes if len(shape) > 1 else ()):
            k = 1 + int(codes.max(initial=0))
            of_groups = (np.arange(count)[:, np.newaxis] * k + codes).ravel()
            known = np.bincount(of_groups, effective.ravel(), count * k).reshape(count, k) - 1
            of_axes.append((of_groups, np.maximum(known, 1.0)))
        sums, squares, number = (each.sum(axis=1, keepdims=True, dtype=np.float64) for each in own)
        alike = np.square(sums) >= (1 - _ROUNDED) * squares * number
        cases = None if self.counted or alike.all() else np.where(alike, np.inf, own.cases)
        return _Places(cells, own.squares, cases, opened, unseen[:, opened], heaviness, classes, of_axes)

    @property
    def heaviness(self) -> FloatArray:
        """The mean weight, by weight, of the cases of each class of labels, or of what clusters hold of it: (g, k)."""
        if self.heavy is not None:
            return self.heavy
        if self.units is None:
            return np.asarray(ratio(self.sums.squares.sum(axis=-1), self.sums.sums.sum(axis=-1)))
        (clusters, groups), (count, k, _) = self.units.members, self.sums.sums.shape
        weights = self.units.weighted(np.ones(clusters.size))
        held = np.bincount(clusters * k + self.codes // k % k, weights, groups.size * k).astype(np.float64, copy=False)
        classes = (groups[:, np.newaxis] * k + np.arange(k)).ravel()
        sums, squares = (np.bincount(classes, each, count * k).reshape(count, k) for each in (held, np.square(held)))
        return np.asarray(ratio(squares, sums))

    @cached_property
    def at(self) -> tuple[IntArray, ...] | None:
        """The rows and columns of the cells whose derivatives intervals need, (m,) each; None for all.  O(m)."""
        return None if self.units is not None or self.known_prevalence else self.places.classes

    def _without_each(self) -> FloatArray:
        """Return the table of its group without each cluster, (u, ...), at a prevalence that is known.  O(m + u cells).

        What rounding leaves is 0 where a cluster holds all of a cell.
        """
        assert self.units is not None
        (clusters, groups), tables = self.units.members, self.sums.sums
        codes = clusters * tables[0].size + self.codes % tables[0].size
        own = np.bincount(codes, self.units.weights, groups.size * tables[0].size).reshape(-1, *tables.shape[1:])
        every = tables[groups]
        left = np.where(every - own > _ROUNDED * every, every - own, 0.0)
        if self.known_prevalence:
            axes = tuple(range(2, left.ndim))
            totals, rest = (each.sum(axis=axes, keepdims=True) for each in (every, left))
            left *= ratio(totals, np.where(rest > 0, rest, np.nan))  # NaN where one cluster has all of a class
        return left

    def of_units(self, amounts: AnyArray) -> FloatArray:
        """Add up what cells count by, (g, ...), over the cases of each cluster.  Returns (u,).  O(m)."""
        assert self.units is not None
        clusters, groups = self.units.members
        sums = np.bincount(clusters, self.units.weighted(amounts.ravel()[self.codes]), groups.size)
        return sums.astype(np.float64, copy=False)


def cells_of_rows(units: Units, codes: AnyArray, shape: tuple[int, ...], *, known_prevalence: bool = False) -> Cells:
    """Count rows into the cells of a table; codes: the cell of each, (m,), in 0 .. cells - 1.  O(m + g cells)."""
    cells, groups = math.prod(shape), units.sizes.size
    counted = units.weights is None or units.are_frequencies
    drawn, places = units, codes if units.groups is None else units.groups * cells + codes
    sums = WeightSums(*(column.reshape(groups, *shape) for column in units.sums(places, groups * cells)))
    if units.clusters is not None and _WORTHWHILE * units.members[1].size * cells <= units.rows:
        clusters, of = units.members
        places = clusters * cells
        places += codes
        weights = np.bincount(places, units.weights, of.size * cells).astype(np.float64, copy=False)
        joined = np.arange(of.size).repeat(cells)
        drawn = units._replace(rows=weights.size, weights=weights, are_frequencies=counted, clusters=joined)
        places = (cells * of[:, np.newaxis] + np.arange(cells)).ravel()
    whole = Cells(sums, counted, known_prevalence=known_prevalence)
    return whole if units.clusters is None else replaced(whole, units=drawn, codes=places)


def cells_of_decisions(
    units: Units, positive: BoolArray, predicted: BoolArray, *, known_prevalence: bool = False
) -> Cells:
    """Count the true positives, false negatives, false positives and true negatives of groups, (g, 2, 2).

    positive, predicted: (n,) of all cases that were given.  O(n).
    """
    masks = positive[units.chosen], predicted[units.chosen]
    if units.clusters is units.weights is units.groups is None:
        return cells_of_counts(np.array(binary_counts(*masks)).reshape(1, 2, 2))
    return cells_of_rows(units, binary_codes(*masks), (2, 2), known_prevalence=known_prevalence)


def cells_of_counts(tables: AnyArray) -> Cells:
    """Return the cells of tables of counts, (g, ...) int64.  O(1)."""
    return Cells(WeightSums(tables, tables, tables), counted=True)


def cells_of_sums(tables: WeightSums, *, known_prevalence: bool = False) -> Cells:
    """Return the cells of sums over the cases of tables, (g, ...) each, of frequencies or samples.  O(cells)."""
    return Cells(tables, _are_counts(tables) and not known_prevalence, known_prevalence=known_prevalence)


def tables_of(columns: WeightSums) -> WeightSums:
    """Return sums over tp, fn, fp and tn of g groups, (4, g) each, as tables of them, (g, 2, 2) each.  O(g)."""
    return WeightSums(*(column.T.reshape(-1, 2, 2) for column in columns))


def with_unseen_pairs(spread: Spread, *models: tuple[Cells, FloatArray]) -> Spread:
    """Return how differences of two models vary, (g,), so that none is certain.  O(g k²).

    models: the cells of each, (g, k, k), and the derivatives of its measure.  Models that decide all alike, or all in
    one way differently, may decide otherwise on other cases: the pairs of different decisions share an unseen case of
    each class of labels, half of which moves either model.
    """
    certain = spread.variances <= ROUNDED_VARIANCE
    if not certain.any():
        return spread
    new, old = (cells.of_unseen(derivatives) for cells, derivatives in models)
    variances = np.where(certain, spread.variances + (new.variances + old.variances) / 2, spread.variances)
    freedom = np.fmin(np.fmin(new.freedom, old.freedom), spread.freedom)
    return Spread(variances, np.where(certain, freedom, spread.freedom))


def _effective_cases(cells: WeightSums) -> FloatArray:
    """Return Kish's number squared over the number of cases, of the same shape; that of equal weights is the latter.

    Squares of weights differ more than these do: a variance is known by fewer cases than the estimate is.
    """
    return np.nan_to_num(ratio(np.square(kish_number(cells)), cells.cases))


def _unseen(occupied: BoolArray) -> FloatArray:
    """Return how many unseen cases cells may have that are not occupied, (g, k, k), as they are.  O(g k²).

    Where all cases of a class of labels, or of predictions, are in one cell, half a case is shared by its other cells.
    A cell takes the larger of both.
    """
    found = np.zeros(occupied.shape)
    for axis in (-1, -2):
        alone = np.count_nonzero(occupied, axis=axis, keepdims=True) == 1
        if alone.any():
            found = np.maximum(found, np.where(alone & ~occupied, _HALF / max(occupied.shape[axis] - 1, 1), 0.0))
    return found


def _within_classes(derivatives: FloatArray, sums: FloatArray) -> FloatArray:
    """Return derivatives, (g, 2, ...), less their mean in each class: exactly 0 where all of a class are alike.

    Then only decisions within classes vary.  Source: D. Holt and T. M. F. Smith, Post stratification, Journal of the
    Royal Statistical Society A 142 (1979) 33-46.
    """
    changes, amounts = (each.reshape(*each.shape[:2], -1) for each in (derivatives, sums))
    fractions = np.nan_to_num(ratio(amounts, amounts.sum(axis=-1, keepdims=True)))  # a group may lack a class
    found = ((changes[..., np.newaxis] - changes[..., np.newaxis, :]) * fractions[..., np.newaxis, :]).sum(axis=-1)
    return np.asarray(found.reshape(derivatives.shape))


def trials_of(cells: Cells, parts: FloatArray, level: float | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return fractions of decisions last, and as many independent successes and trials as leave them as uncertain.

    cells: (g, k, k); parts: as in `FRACTIONS`; level: of the interval, None for p (1 - p) / V alone.  Returns (g,)
    each, of cases that are drawn one by one their numbers.  O(g).

    Where fractions p are above 0 and below 1, the number is p (1 - p) / V, times the square of the quotient of the
    quantiles of Student's t of cases, and of the degrees of freedom of V: those of clusters or, of weights, one less
    than the effective cases of successes and of failures together.  Source: E. L. Korn and B. I. Graubard, Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data, Survey
    Methodology 24 (1998) 193-201.
    """
    of_cells = parts.reshape(2, -1)
    succeeded, number = of_cells @ cells.sums.sums.reshape(-1, of_cells.shape[1]).T
    estimates = np.asarray(ratio(succeeded, number))
    if cells.counted and cells.units is None:
        return succeeded, number, estimates
    of_groups = WeightSums(*(column.reshape(-1, of_cells.shape[1]).T for column in cells.sums))
    if not cells.counted:
        estimates, number = effective_decisions(of_groups, *of_cells)
    if cells.known_prevalence:
        squares, _ = spread_of_parts(cells, parts)
        # without variance in either class, such as where all is predicted positive, the number is that of one sample
        number = np.where(squares > 0, ratio(estimates * (1 - estimates), squares), number)
    successes, trials = (WeightSums(*(chosen @ column for column in of_groups)) for chosen in of_cells)
    freedom = _freedom_of_fractions(successes, trials)
    if cells.units is not None:
        number, freedom = _trials_of_clusters(cells, estimates, number, parts)
    if level is not None:
        number = _fewer_trials(estimates, number, trials.cases, freedom, level)
    return estimates * number, number, estimates


def _fewer_trials(
    estimates: FloatArray, number: FloatArray, cases: FloatArray, freedom: FloatArray, level: float
) -> FloatArray:
    """Return what `trials_of` makes of p (1 - p) / V, from cases and degrees of freedom, (g,).  O(g)."""
    of_cases = intervals.reaches_of(level, np.maximum(cases - 1, freedom)) / intervals.reaches_of(level, freedom)
    return np.where((estimates > 0) & (estimates < 1), number * np.square(of_cases), number)


def _freedom_of_fractions(successes: WeightSums, trials: WeightSums) -> FloatArray:
    """Return the degrees of freedom of the variances of weighted fractions, (g,): effective cases less one.  O(g)."""
    failures = WeightSums(*(np.maximum(every - own, 0.0) for own, every in zip(successes, trials, strict=True)))
    return np.maximum(_effective_cases(successes) + _effective_cases(failures) - 1, 1.0)


def spread_of_parts(cells: Cells, parts: FloatArray) -> Spread:
    """Return how quotients of sums over cells vary, (g,); parts: as in `FRACTIONS`.  O(g + m)."""
    _, derivatives = multiclass.ratio_with_derivatives(parts, cells.sums.sums)
    return cells.spread(derivatives, lambda tables: multiclass.ratio_with_derivatives(parts, tables)[0])


def _trials_of_clusters(
    cells: Cells, estimates: FloatArray, independent: FloatArray, parts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return p (1 - p) / V of fractions p of clusters, NaN for one cluster, and V's degrees of freedom, (g,) each.

    independent: as many trials as there were if each case were its own cluster, (g,), the most there can be.  Where p
    is 0 or 1, V is not known, and each cluster counts as one trial, by Kish's number of their weights.
    """
    assert cells.units is not None
    trials, inside = parts[1], (estimates > 0) & (estimates < 1)
    variances, freedom = spread_of_parts(cells, parts)
    found = np.where(variances == 0, np.inf, ratio(estimates * (1 - estimates), variances))
    if not inside.all():
        of_units = cells.of_units(np.broadcast_to(trials, cells.sums.sums.shape))
        of_units = of_units / of_units.max(initial=_TINY)  # squares of weights might leave float64
        columns = (np.bincount(cells.units.members[1], each, found.size) for each in (of_units, np.square(of_units)))
        sums, squares = (column.astype(np.float64, copy=False) for column in columns)
        found = np.where(inside, found, kish_number(WeightSums(sums, squares, sums)))
    alone = np.where(independent > 0, np.nan, 0.0)
    return np.where(cells.units.sizes < 2, alone, np.minimum(found, independent)), freedom


def intervals_of(name: str, cells: Cells, level: float) -> Intervals:
    """Return the intervals of a fraction of decisions, or of F1, in each group.  O(g k²), and O(m) of clusters.

    name: of `FRACTIONS` or "f1"; cells: (g, 2, 2), for the accuracy of any classes, (g, k, k).  F1 is 2 j / (1 + j)
    for Jaccard's fraction j; with Wilson's bounds of that, whose trials are the cases that are positive or predicted
    so, its own are finite at 0 and 1.
    """
    k = cells.sums.sums.shape[-1]
    if name != "f1":
        parts = FRACTIONS[name] if k == 2 else np.array([np.eye(k), np.ones((k, k))])
        return intervals_of_fractions(cells, parts, level)
    estimates = multiclass.decision_measure("f1", cells.sums.sums)
    low, high = (2 * each / (1 + each) for each in intervals_of_fractions(cells, FRACTIONS["jaccard"], level)[1:3])
    return Intervals(estimates, np.minimum(low, estimates), np.maximum(high, estimates), _BY_TRIALS)


def intervals_of_values(cells: Cells, values: FloatArray, level: float) -> Intervals:
    """Return the intervals of the mean of what a case in each cell is worth, (k, k), as parts of the span of these."""
    least, span = float(values.min()), float(np.ptp(values))
    parts = np.array([(values - least) / span if span else values * np.nan, np.ones(values.shape)])
    measure = partial(multiclass.ratio_with_derivatives, parts)
    own = *measure(cells.sums.sums), level, 0.0
    found = intervals_by_derivatives(cells, *own, formula=lambda tables: measure(tables)[0])
    estimates, low, high = (least + span * each for each in found[:3])
    return Intervals(estimates, low, high, found.method)


def trials_of_estimates(
    cells: Cells, estimates: FloatArray, derivatives: FloatArray, limits: tuple[Ratio, Ratio], formula: Formula = None
) -> tuple[FloatArray, Spread]:
    """Return as many trials as leave fractions as uncertain as estimates x, (g,), and how these vary.  O(g k²).

    derivatives: by all cells, (g, ...), or by those of `Cells.at`, (g, m), also of q measures at once, (q, g, m);
    limits: of the estimates; formula: as for `Cells.spread`.  The trials are (x - low) (high - x) / V, for the variance
    V: both with the cases of `_unseen`, so that no estimate is certain.  What is returned of V is without these.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # weights may be so far apart that there are no bounds
        places, changes = cells.places, derivatives
        if derivatives.ndim > estimates.ndim + 1:
            spread = cells.spread(derivatives, formula)
            changes = _within_classes(changes, cells.sums.sums) if cells.known_prevalence else changes
            changes = cells.at_places(changes)
        else:
            spread = cells.spread_of_changes(changes)
        moved = places.heaviness[:, places.open] * changes[..., places.open]
        nearby = np.clip(estimates + (places.unseen * moved).sum(axis=-1), *limits)
        variances = spread.variances + (places.unseen * np.square(moved)).sum(axis=-1)
        trials = np.asarray(ratio((nearby - limits[0]) * (limits[1] - nearby), variances))
        trials = np.where(trials > _ROUNDED, trials, 0.0)
    return np.where(variances > 0, np.minimum(trials, _MOST), np.nan), spread


def intervals_by_derivatives(
    cells: Cells, estimates: FloatArray, derivatives: FloatArray, level: float, least: Ratio, *, formula: Formula = None
) -> Intervals:
    """Return Wilson's intervals of estimates from the least up to 1, from their derivatives.  O(g k²).

    derivatives, formula: as for `trials_of_estimates`; the least of q measures: (q, 1).
    """
    trials, spread = trials_of_estimates(cells, estimates, derivatives, (least, 1.0), formula)
    defined = trials > 0
    least = np.broadcast_to(least, defined.shape)[defined]
    span, freedom = 1 - least, spread.freedom[defined]
    own = (estimates[defined] - least) / span, trials[defined], intervals.reaches_of(level, freedom)
    bounds = intervals.wilson_bounds(own[0] * own[1], *own[1:], own[0])
    low, high = (least + span * each for each in bounds)
    kept = np.minimum(low, estimates[defined]), np.maximum(high, estimates[defined])
    return Intervals.where(defined, estimates, kept, _BY_TRIALS)


def intervals_of_fractions(cells: Cells, parts: FloatArray, level: float) -> Intervals:
    """Return Wilson's intervals of fractions of decisions, as `trials_of` has them.  O(g)."""
    succeeded, number, estimates = trials_of(cells, parts, level)
    return intervals.proportion_intervals(succeeded, number, level, estimates)


def intervals_of_parts(successes: WeightSums, trials: WeightSums, level: float) -> Intervals:
    """Return Wilson's intervals of weighted fractions with `effective_trials`, (g,) each.  O(g)."""
    if _are_counts(successes) and _are_counts(trials):
        return intervals.proportion_intervals(successes.sums, trials.sums, level)
    estimates, number = effective_trials(successes, trials)
    number = _fewer_trials(estimates, number, trials.cases, _freedom_of_fractions(successes, trials), level)
    return intervals.proportion_intervals(estimates * number, number, level, estimates)


def _are_counts(cells: WeightSums) -> bool:
    """Whether these are frequencies, or weights of 1."""
    return np.array_equal(cells.sums, cells.squares) and np.array_equal(cells.sums, cells.cases)
