"""Intervals of one measure of many groups at once, as arrays: of counts, and of sums over weights.

Whatever is asked of trials takes the effective number of them: as many equal ones as would give the estimate the
variance that it has.  Frequencies are counts, and so are their intervals those of counts.
"""

from typing import Any, NamedTuple

import numpy as np

from evalcore.inference.intervals import ROUNDED_VARIANCE, Bounds, Interval, logit_bounds, normal_reach
from evalcore.inference.proportions import wilson_centre
from evalcore.inference.roc_area_bounds import AREA_METHODS, DEFAULT_AREA_METHOD
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums
from evalcore.measures import binary, multiclass
from evalcore.measures.agreement import disagreement
from evalcore.measures.effective_cases import effective_decisions, effective_positives, effective_trials
from evalcore.measures.multiclass import DECISION_RATIOS
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray


class Intervals(NamedTuple):
    """Intervals of one level and method."""

    estimates: FloatArray
    """Shape (g,)."""
    low: FloatArray
    """Lower bounds, shape (g,); NaN where none is defined."""
    high: FloatArray
    """Upper bounds, shape (g,); NaN where none is defined."""
    method: str

    def each(self, level: float) -> list[Interval]:
        """Return the interval of each group.  O(g)."""
        columns = zip(self.estimates.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return [Interval(estimate, low, high, level, self.method) for estimate, low, high in columns]


def proportion_intervals(
    successes: AnyArray, trials: AnyArray, level: float, estimates: FloatArray | None = None
) -> Intervals:
    """Return Wilson's intervals of successes, (g,), in trials, (g,) up to 2**26, as `proportion_interval`.  O(g).

    estimates: the quotients, where they are known better than that of effective numbers.
    """
    z = normal_reach(level)
    defined = trials > 0
    estimates = np.asarray(ratio(successes, trials)) if estimates is None else estimates
    s, n = successes[defined], trials[defined]
    centre = wilson_centre(s, n, z, np.sqrt)
    low = np.where(s > 0, s * s / n / centre, 0.0)
    high = np.where(s < n, np.minimum(centre / (n + z * z), 1.0), 1.0)
    # rounded bounds must hold the estimate
    bounds = np.minimum(low, estimates[defined]), np.maximum(high, estimates[defined])
    return _intervals(estimates, defined, bounds, "wilson")


def roc_area_intervals(
    areas: FloatArray, area_variances: FloatArray, smaller: AnyArray, level: float, method: str = DEFAULT_AREA_METHOD
) -> Intervals:
    """Return the intervals of areas with DeLong's variances, (g,) each, as `roc_auc_interval`.  O(g).

    smaller: effective cases of the smaller class, (g,).
    """
    constant_too = method == DEFAULT_AREA_METHOD
    defined = ~np.isnan(area_variances) if constant_too else area_variances > ROUNDED_VARIANCE
    bounds = AREA_METHODS[method](areas[defined], area_variances[defined], smaller[defined], level)
    return _intervals(areas, defined, bounds, method)


def average_precision_intervals(estimates: FloatArray, positives: AnyArray, level: float) -> Intervals:
    """Return the intervals of average precisions of so many positives, (g,) each; see `average_precision_interval`."""
    defined = (positives > 0) & (estimates < 1)
    inside = estimates[defined]
    bounds = logit_bounds(inside, np.sqrt(inside * (1 - inside) / positives[defined]), level)
    return _intervals(estimates, defined, bounds, "logit")


def f1_intervals(tp: IntArray, fn: IntArray, fp: IntArray, level: float) -> Intervals:
    """Return the intervals of F1 of counts, (g,) each, as `f1_interval`.  O(g)."""
    estimates = np.asarray(binary.f_measure_of_counts(tp, fn, fp))
    return logit_intervals(estimates, np.asarray(multiclass.f1_variance(tp, fn, fp)), level)


def kappa_intervals(tables: IntArray, level: float) -> Intervals:
    """Return the intervals of kappa of confusion matrices, (g, k, k), as `kappa_interval`.  O(g k²)."""
    estimates = np.asarray(multiclass.kappa(tables))
    return normal_intervals(estimates, np.asarray(multiclass.kappa_variance(tables)), level)


def logit_intervals(estimates: FloatArray, squares: FloatArray, level: float) -> Intervals:
    """Return the intervals of estimates, (g,), whose logits are normal; squares: (g,) variances.  O(g)."""
    defined = squares > ROUNDED_VARIANCE
    bounds = logit_bounds(estimates[defined], np.sqrt(squares[defined]), level)
    return _intervals(estimates, defined, bounds, "delta-logit")


def normal_intervals(estimates: FloatArray, squares: FloatArray, level: float) -> Intervals:
    """Return the intervals of normal estimates, (g,), cut to -1 .. 1; squares: (g,) variances.  O(g)."""
    defined = squares > ROUNDED_VARIANCE
    reach = normal_reach(level) * np.sqrt(squares[defined])
    inside = estimates[defined]
    return _intervals(estimates, defined, (np.maximum(inside - reach, -1.0), np.minimum(inside + reach, 1.0)), "delta")


def _intervals(estimates: FloatArray, defined: BoolArray, bounds: Bounds, method: str) -> Intervals:
    """Return intervals with these bounds, (d,) each, where they are defined, (g,)."""
    low, high = np.full((2, estimates.size), np.nan)
    low[defined], high[defined] = bounds
    return Intervals(estimates, low, high, method)


def proportion_intervals_of_weights(successes: WeightSums, trials: WeightSums, level: float) -> Intervals:
    """Return Wilson's intervals of weighted proportions with `effective_trials`, (g,) each.  O(g)."""
    if _are_counts(successes, trials):
        return proportion_intervals(_counts(successes), _counts(trials), level)
    estimates, number = effective_trials(successes, trials)
    return proportion_intervals(estimates * number, number, level, estimates)


def decision_intervals_of_weights(cells: WeightSums, successes: AnyArray, trials: AnyArray, level: float) -> Intervals:
    """Return Wilson's intervals of weighted fractions of decisions with `effective_decisions`, (g,).  O(g).

    cells: tp, fn, fp and tn, (4, g) each; successes, trials: (4,), 1 for each cell that they add up.
    """
    if _are_counts(cells):
        counts = _counts(cells)
        return proportion_intervals(successes @ counts, trials @ counts, level)
    estimates, number = effective_decisions(cells, successes, trials)
    return proportion_intervals(estimates * number, number, level, estimates)


def f1_intervals_of_weights(tp: WeightSums, fn: WeightSums, fp: WeightSums, level: float) -> Intervals:
    """Return the intervals of F1 of weighted cases, (g,) each, by the delta method on its logit.  O(g)."""
    if _are_counts(tp, fn, fp):
        return f1_intervals(_counts(tp), _counts(fn), _counts(fp), level)
    estimates = np.asarray(binary.f_measure_of_counts(tp.sums, fn.sums, fp.sums))
    return logit_intervals(estimates, np.asarray(multiclass.weighted_f1_variance(tp, fn, fp)), level)


def kappa_intervals_of_weights(tables: WeightSums, level: float) -> Intervals:
    """Return the intervals of kappa of tables of weighted cases, (g, k, k) each, by the delta method.  O(g k²)."""
    if _are_counts(tables):
        return kappa_intervals(_counts(tables), level)
    estimates = np.asarray(multiclass.weighted_kappa(tables.sums, disagreement(tables.sums.shape[-1], 0)))
    squares = np.asarray(multiclass.kappa_variance(tables.sums, tables.squares))
    return normal_intervals(estimates, squares, level)


def average_precision_intervals_of_weights(
    estimates: FloatArray, positives: WeightSums, negatives: WeightSums, level: float
) -> Intervals:
    """Return the intervals of average precisions with `effective_positives`, (g,) each.  O(g)."""
    counted = _are_counts(positives, negatives)
    number = _counts(positives) if counted else effective_positives(estimates, positives, negatives)
    return average_precision_intervals(estimates, number, level)


def _are_counts(*cells: WeightSums) -> bool:
    """Whether these are frequencies, or weights of 1."""
    return all(np.array_equal(each.sums, each.squares) and np.array_equal(each.sums, each.cases) for each in cells)


def _counts(cells: WeightSums) -> Any:
    return cells.sums.astype(np.int64)


def intervals_of_known_prevalence(tables: WeightSums, level: float) -> dict[str, Intervals]:
    """Return the intervals of measures of decisions, by name, of weights that were shifted to a prevalence.  O(g).

    tables: (g, 2, 2), a row for each reference, the positive first.  The prevalence is then no estimate: intervals of
    precision and F1 that took it for one would be too wide.
    """
    found = {name: _interval_within_classes(name, tables, level) for name in DECISION_RATIOS}
    kappas = np.asarray(multiclass.weighted_kappa(tables.sums, disagreement(2, 0)))
    squares = multiclass.variance_of_known_prevalence(multiclass.kappa_derivatives(tables.sums), tables)
    return found | {"kappa": normal_intervals(kappas, squares, level)}


def _interval_within_classes(name: str, tables: WeightSums, level: float) -> Intervals:
    """Return the intervals of a measure of `DECISION_RATIOS`, by Wilson's method or, of F1, on the logit."""
    above, below = (np.array(factors) for factors in DECISION_RATIOS[name])
    squares = multiclass.variance_of_known_prevalence(multiclass.ratio_derivatives(above, below, tables.sums), tables)
    if name == "f1":
        estimates = ratio(*((factors * tables.sums).sum(axis=(-2, -1)) for factors in (above, below)))
        return logit_intervals(np.asarray(estimates), squares, level)
    cells = WeightSums(*(column.reshape(-1, 4).T for column in tables))
    estimates, number = effective_decisions(cells, above.ravel(), below.ravel())
    # without variance in either class, such as where all is predicted positive, the number is that of one sample
    number = np.where(squares > 0, ratio(estimates * (1 - estimates), squares), number)
    return proportion_intervals(estimates * number, number, level, estimates)
