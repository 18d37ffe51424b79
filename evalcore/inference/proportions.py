"""Intervals of proportions, from numbers of successes and trials."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Callable
from functools import partial
from typing import Any, SupportsIndex

import numpy as np

from evalcore.inference.intervals import (
    Interval,
    Intervals,
    checked_level,
    normal_interval,
    reach_of,
    special,
    undefined_interval,
)
from evalcore.inference.units import ONE_CLUSTER
from evalcore.kernels.sums import ratio
from evalcore.measures import binary
from evalcore.typing import AnyArray, FloatArray, ProportionMethod
from evalcore.validation.values import check_choice, check_count

_MOST_TRIALS = 2**63 - 1
_MANY = 1 << 33
"""Above so many successes and failures, SciPy's inverse of the beta distribution is less exact than the score interval
corrected for continuity, whose bounds are then right to ten digits."""


def proportion_interval(
    successes: SupportsIndex, trials: SupportsIndex, *, level: float = 0.95, method: ProportionMethod = "wilson"
) -> Interval:
    r"""Return the interval of a probability from the number of successes in independent trials.

    Parameters
    ----------
    successes, trials : int
        In 0 .. 2**63 - 1.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the probability, above 0 and below 1.
    method : {'wilson', 'clopper-pearson', 'jeffreys', 'agresti-coull', 'normal'}
        'wilson' inverts the score test: its coverage is near the level, on average over probabilities.
        'clopper-pearson' inverts the exact binomial test: its coverage is never below the level, and mostly above.
        'jeffreys' has the quantiles of the posterior of Jeffreys' prior, with 0 below none and 1 above all.
        'agresti-coull' is normal around the centre of Wilson's, and a little wider than his.
        'normal' assumes a normal estimate, as LingPipe's ``confidence95`` does: too short for few trials, and of no
        width if none or all succeed.

    Returns
    -------
    Interval
        In 0 .. 1.  The lower bound is 0 if no trial succeeds, the upper bound is 1 if all do.

    Raises
    ------
    EvaluationTypeError
        If the counts are not integers, or the level is not a number.
    EvaluationError
        If a count or the level is out of range, there are more successes than trials, the method is unknown, or SciPy
        is not installed for 'clopper-pearson' or 'jeffreys'.

    Warns
    -----
    UndefinedMetricWarning
        If there are no trials: estimate and bounds are NaN.

    Notes
    -----
    $$\frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4n^2}}{1 + z^2 / n}$$

    That is Wilson's, of $n$ trials with the fraction $\hat p$ of successes.  Use it for counts of independent trials;
    where cases have weights or clusters, take `accuracy_interval`.

    O(1).  Measured on 2,000 samples each, 95% bounds held a probability of 0.1 in 20 trials, of 0.3 in 50 and of 0.02
    in 1,000 as follows: Wilson's in 95.6, 96.4 and 95.2%, Clopper and Pearson's in 99.0, 97.5 and 96.3%, normal ones in
    88.3, 94.0 and 95.5%.  Sources: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    JASA 22 (1927) 209-212; C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the
    case of the binomial, Biometrika 26 (1934) 404-413; their comparison: L. D. Brown, T. T. Cai and A. DasGupta,
    Interval estimation for a binomial proportion, Statistical Science 16 (2001) 101-133, which has the others too.

    Examples
    --------
    >>> proportion_interval(9, 10)
    0.9 [0.59585, 0.982124] (95% wilson)
    >>> proportion_interval(0, 10, level=0.9, method="clopper-pearson")
    0 [0, 0.258866] (90% clopper-pearson)
    """
    tried = check_count(trials, "trials", maximum=_MOST_TRIALS)
    succeeded = check_count(successes, "successes", maximum=tried)
    found = succeeded, tried, float(ratio(succeeded, tried))
    return interval_of_trials(found, level, method, function="proportion_interval", empty="there are no trials")


def interval_of_trials(
    found: tuple[float, float, float], level: Any, method: Any, *, function: str, empty: str, stacklevel: int = 4
) -> Interval:
    """Check level and method, and return the interval; a warning names the caller of the public function.  O(1).

    found: successes, trials, NaN where no number of them is known, and the fraction.
    """
    check_choice(method, tuple(_PROPORTION_METHODS), "method", function)
    confidence, (successes, trials, estimate) = checked_level(level), found
    if trials == 0 or math.isnan(trials):
        why = empty if trials == 0 else ONE_CLUSTER
        return undefined_interval(estimate, confidence, method, why, stacklevel)
    low, high = _PROPORTION_METHODS[method](successes, trials, confidence)
    # rounded bounds must hold the estimate
    return Interval(estimate, min(low, estimate), max(high, estimate), confidence, method)


def proportion_intervals(
    successes: AnyArray, trials: AnyArray, level: float, estimates: FloatArray | None = None
) -> Intervals:
    """Return Wilson's intervals of successes, (g,), in trials, (g,), as `proportion_interval`.  O(g).

    estimates: the quotients, where they are known better than that of effective numbers.
    """
    z = reach_of(level)
    defined = trials > 0
    estimates = np.asarray(ratio(successes, trials)) if estimates is None else estimates
    s, n = (each[defined].astype(np.float64, copy=False) for each in (successes, trials))
    centre = wilson_centre(s, n, z, np.sqrt)
    low = np.where(s > 0, s * s / n / centre, 0.0)
    high = np.where(s < n, np.minimum(centre / (n + z * z), 1.0), 1.0)
    # rounded bounds must hold the estimate
    bounds = np.minimum(low, estimates[defined]), np.maximum(high, estimates[defined])
    return Intervals.where(defined, estimates, bounds, "wilson")


def _wilson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the roots of (s - n p)² = z² n p (1 - p), the lower one as a quotient without cancellation.  O(1)."""
    z = reach_of(level)
    centre = wilson_centre(successes, trials, z, math.sqrt)
    low = successes * successes / trials / centre if successes else 0.0
    return low, min(centre / (trials + z * z), 1.0) if successes < trials else 1.0


def wilson_centre(successes: Any, trials: Any, z: Any, root: Callable[[Any], Any]) -> Any:
    """Return the upper root times n + z², of numbers or arrays, by their square root; z: normal quantile.  O(1)."""
    # products and quotients of Python's integers are rounded once
    return successes + z * z / 2 + z * root(successes * (trials - successes) / trials + z * z / 4)


def trials_of_wilson(interval: Interval) -> float:
    """Return the number of trials that leave Wilson's bounds b of a fraction p: n (p - b)² = z² b (1 - b).  O(1).

    >>> round(trials_of_wilson(proportion_interval(9, 10)), 9)
    10.0
    """
    bound = max(interval, key=lambda bound: abs(interval.estimate - bound))
    return reach_of(interval.level) ** 2 * bound * (1 - bound) / (interval.estimate - bound) ** 2


def _of_beta(successes: float, trials: float, level: float, prior: float = 0.0) -> tuple[float, float]:
    """Return Clopper and Pearson's bounds, or Jeffreys' with a prior of half a success and half a failure.  O(1)."""
    failures, tail, rest = trials - successes, (1 - level) / 2, 1 - prior
    if min(successes, failures) > _MANY:
        below, above = (_wilson(successes + side * (rest - 0.5), trials, level) for side in (-1, 1))
        return below[0], above[1]
    low = float(special().betaincinv(successes + prior, failures + rest, tail)) if successes else 0.0
    # exact if the tail is small
    return low, float(special().betainccinv(successes + rest, failures + prior, tail)) if failures else 1.0


def _agresti_coull(successes: float, trials: float, level: float) -> tuple[float, float]:
    z = reach_of(level)
    number = trials + z * z
    own, others = (successes + z * z / 2) / number, (trials - successes + z * z / 2) / number
    reach = z * math.sqrt(own * others / number)
    return max(own - reach, 0.0) if successes else 0.0, min(own + reach, 1.0) if successes < trials else 1.0


def _normal(successes: Any, trials: Any, level: float) -> tuple[float, float]:
    fraction = successes / trials
    if isinstance(trials, float):  # effective ones, whose cube may leave float64
        error = math.sqrt(fraction * (1 - fraction) / trials)
    else:
        error = float(binary.accuracy_deviation(successes, trials - successes, 0, 0))
    interval = normal_interval(fraction, error, level, "normal")
    return interval.low, interval.high


_PROPORTION_METHODS: dict[str, Callable[..., tuple[float, float]]] = {
    "wilson": _wilson,
    "clopper-pearson": _of_beta,
    "jeffreys": partial(_of_beta, prior=0.5),
    "agresti-coull": _agresti_coull,
    "normal": _normal,
}
