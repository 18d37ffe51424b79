"""Intervals of one measure of many groups at once, as arrays: the bounds that the intervals of each group have."""

from typing import NamedTuple

import numpy as np

from evalcore.inference.areas.roc_area_bounds import AREA_METHODS, DEFAULT_AREA_METHOD
from evalcore.inference.distributions import normal_reach
from evalcore.inference.intervals import ROUNDING, Interval, logit_bounds
from evalcore.inference.proportions import wilson_centre
from evalcore.kernels.sums import ratio
from evalcore.measures import binary, multiclass
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio


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


def proportion_intervals(successes: AnyArray, trials: AnyArray, level: float) -> Intervals:
    """Return Wilson's intervals of successes, (g,), in trials, (g,) up to 2**26, as `proportion_interval`.  O(g)."""
    z = normal_reach(level)
    defined = trials > 0
    estimates = np.asarray(ratio(successes, trials))
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
    chosen = AREA_METHODS[method]
    defined = ~np.isnan(area_variances) if chosen.of_constant else area_variances > ROUNDING
    bounds = chosen.bounds(areas[defined], area_variances[defined], smaller[defined], level)
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
    defined = squares > ROUNDING
    bounds = logit_bounds(estimates[defined], np.sqrt(squares[defined]), level)
    return _intervals(estimates, defined, bounds, "delta-logit")


def normal_intervals(estimates: FloatArray, squares: FloatArray, level: float) -> Intervals:
    """Return the intervals of normal estimates, (g,), cut to -1 .. 1; squares: (g,) variances.  O(g)."""
    defined = squares > ROUNDING
    reach = normal_reach(level) * np.sqrt(squares[defined])
    inside = estimates[defined]
    return _intervals(estimates, defined, (np.maximum(inside - reach, -1.0), np.minimum(inside + reach, 1.0)), "delta")


def _intervals(estimates: FloatArray, defined: BoolArray, bounds: tuple[Ratio, Ratio], method: str) -> Intervals:
    """Return intervals with these bounds, (d,) each, where they are defined, (g,)."""
    low, high = np.full((2, estimates.size), np.nan)
    low[defined], high[defined] = bounds
    return Intervals(estimates, low, high, method)
