"""Intervals and comparisons, of one estimate or many, their distributions, and bounds of proportions and ROC AUCs."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import repeat
from operator import attrgetter
from statistics import NormalDist
from types import ModuleType
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

import numpy as np

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import check, warn
from evalcore.inference.student import student_reaches, student_tails
from evalcore.inference.units import ROUNDED_VARIANCE, Spread
from evalcore.kernels.sums import ratio
from evalcore.measures.bounds import trial_bounds
from evalcore.optional import require
from evalcore.text_tables import html_table, number_text
from evalcore.typing import AnyArray, BoolArray, FloatArray, ProportionMethod, Ratio, RocAucMethod, RocDifferenceMethod
from evalcore.validation.values import check_choice, check_count, check_open_fraction

_ROOT_2 = math.sqrt(2)
ROUNDING = 1e-14
"""A standard error up to this is that of rounded sums."""
ONE_CLUSTER = "one cluster, or one case that holds all the weight, has no variance"
"""Why bounds are not defined."""
_LEAST_P_VALUE = "< 1e-300"
"""Floats have no smaller ones."""
_MOST_TRIALS = 2**63 - 1
_MANY = 1 << 33
"""Above this many successes and failures, SciPy's inverse of the beta distribution is less exact than the score
interval corrected for continuity, whose bounds are then right to ten digits."""
Bounds: TypeAlias = tuple[Any, Any]
"""Lower and upper ones: numbers, or arrays."""
DEFAULT_AREA_METHOD: RocAucMethod = "delong-wilson"
LOGIT: RocAucMethod = "delong-logit"
_TINY = float(np.finfo(np.float64).tiny)
DIFFERENCE_METHODS: tuple[RocDifferenceMethod, ...] = ("delong-score", "delong")
"""What users may ask for, the default first."""
DEFAULT_DIFFERENCE_METHOD, DELONG = DIFFERENCE_METHODS
_UNSEEN = 0.5
"""Cases that models move which rank all alike, as in `measures.thresholds`."""


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile of a probability in 0 .. 1, infinite at its ends.  O(1)."""
    return math.copysign(math.inf, probability - 0.5) if probability in (0, 1) else NormalDist().inv_cdf(probability)


def normal_probability(value: float) -> float:
    """Return the probability, in 0 .. 1, that a standard normal variable is below a value.  O(1)."""
    return math.erfc(-value / _ROOT_2) / 2


@lru_cache
def reach_of(level: float, freedom: float = math.inf) -> float:
    """Return the distance from 0 that holds a normal variable or, with degrees of freedom, Student's.  O(1).

    At 2 level - 1 it is the quantile of a level.  freedom: at least 1.

    >>> round(reach_of(0.95), 3), round(reach_of(2 * 0.95 - 1), 3)
    (1.96, 1.645)
    """
    tail = (1 - level) / 2  # next to 1, a level has all its digits here
    if freedom == math.inf or not 0 < tail < 0.5:
        return -normal_quantile(tail)
    return float(student_reaches(2 * tail, np.array([freedom]))[0])


def tails_of(statistic: float, freedom: float = math.inf) -> float:
    """Return the probability that a normal variable or, with degrees of freedom, Student's is as far from 0.  O(1).

    >>> round(tails_of(1.96), 3)
    0.05
    """
    return math.erfc(abs(statistic) / _ROOT_2) if freedom == math.inf else float(student_tails(statistic, freedom))


def special() -> ModuleType:
    """Return SciPy's functions of the distributions that need it; raises EvaluationError without SciPy.  O(1)."""
    return require("scipy.special", "inference")


@equal_by_content
@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate, with bounds that hold the true value at a level of confidence.

    `float` gives the estimate.  Unpacking gives the two bounds, as SciPy's intervals do.  A format applies to all three
    numbers.  `dataclasses.asdict` gives all fields, such as for a row of a data frame.

    >>> interval = Interval(0.75, 0.5, 0.875, 0.95, "wilson")
    >>> interval
    0.75 [0.5, 0.875] (95% wilson)
    >>> f"{interval:.1%}", float(interval)
    ('75.0% [50.0%, 87.5%]', 0.75)
    >>> low, high = interval
    >>> high - low
    0.375
    """

    estimate: float
    low: float
    """The lower bound; NaN if none is defined."""
    high: float
    """The upper bound; NaN if none is defined."""
    level: float
    """Fraction of samples whose bounds hold the true value, in 0 .. 1."""
    method: str

    __hash__ = content_hash

    def __float__(self) -> float:
        return float(self.estimate)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __format__(self, spec: str) -> str:
        return f"{self.estimate:{spec}} [{self.low:{spec}}, {self.high:{spec}}]" if spec else repr(self)

    def __repr__(self) -> str:
        bounds = f"[{number_text(self.low)}, {number_text(self.high)}]"
        return f"{number_text(self.estimate)} {bounds} ({_percent(self.level)} {self.method})"

    def _repr_html_(self) -> str:
        numbers = map(number_text, (self.estimate, self.low, self.high))
        heading = ["estimate", "low", "high", "level", "method"]
        return html_table([heading, [*numbers, _percent(self.level), self.method]])


class Intervals(NamedTuple):
    """Intervals of one level and method, of many groups at once."""

    estimates: FloatArray
    """Shape (g,)."""
    low: FloatArray
    """Lower bounds, shape (g,); NaN where none is defined."""
    high: FloatArray
    """Upper bounds, shape (g,); NaN where none is defined."""
    method: str

    @classmethod
    def where(cls, defined: BoolArray, estimates: FloatArray, bounds: Bounds, method: str) -> Intervals:
        """Return intervals with these bounds, (d,) each, where they are defined, of any shape.  O(g)."""
        low, high = np.full((2, *estimates.shape), np.nan)
        low[defined], high[defined] = bounds
        return cls(estimates, low, high, method)

    def by_name(self, names: Sequence[str]) -> dict[str, Intervals]:
        """Return those of q measures, (q, g), by their names.  O(q)."""
        each = zip(names, self.estimates, self.low, self.high, strict=True)
        return {name: Intervals(estimates, low, high, self.method) for name, estimates, low, high in each}

    def only(self, level: float, why: str) -> Interval:
        """Return the interval of the only group, or warn why it has no bounds.  O(1)."""
        [interval] = self.each(level)
        defined = not math.isnan(interval.low)
        return interval if defined else undefined_interval(interval.estimate, level, self.method, why)

    def each(self, level: float) -> list[Interval]:
        """Return the interval of each group.  O(g)."""
        columns = zip(self.estimates.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return [Interval(estimate, low, high, level, self.method) for estimate, low, high in columns]


@equal_by_content
@dataclass(frozen=True, slots=True)
class Comparison:
    """Two estimates, the bounds of the new one less the old one, and a test of whether the true values are equal.

    A format applies to all numbers but the p-value.

    >>> Comparison((0.75, 0.5), 0.25, 0.125, 0.375, 0.95, 2.5, 0.0124, "delong")
    0.75 - 0.5 = 0.25 [0.125, 0.375] (95% delong), p = 0.0124
    >>> f"{Comparison((0.75, 0.5), 0.25, 0.125, 0.375, 0.95, 2.5, 0.0124, 'delong'):.1%}"
    '75.0% - 50.0% = 25.0% [12.5%, 37.5%], p = 0.0124'
    """

    estimates: tuple[float, float]
    """Of the new model and of the old one, in the order in which they are subtracted."""
    difference: float
    low: float
    """The lower bound of the difference; NaN if none is defined."""
    high: float
    """The upper bound of the difference; NaN if none is defined."""
    level: float
    """Fraction of samples whose bounds hold the true difference, in 0 .. 1."""
    statistic: float
    """Statistic of the test; NaN if it has none."""
    p_value: float
    """Probability that equal models differ at least as much, two-sided, in 0 .. 1."""
    method: str

    __hash__ = content_hash

    def __format__(self, spec: str) -> str:
        if not spec:
            return repr(self)
        numbers = (*self.estimates, self.difference, self.low, self.high)
        first, second, difference, low, high = (format(number, spec) for number in numbers)
        return f"{first} - {second} = {difference} [{low}, {high}], {self._p_text()}"

    def __repr__(self) -> str:
        first, second = self._told_apart()
        bounds = f"[{number_text(self.low)}, {number_text(self.high)}] ({_percent(self.level)} {self.method})"
        return f"{first} - {second} = {number_text(self.difference)} {bounds}, {self._p_text()}"

    def _repr_html_(self) -> str:
        heading = ["new", "old", "difference", "low", "high", "level", "method", "p"]
        bounds = map(number_text, (self.difference, self.low, self.high))
        p_value = f"{self.p_value:.3g}" if self.p_value != 0 else _LEAST_P_VALUE
        return html_table([heading, [*self._told_apart(), *bounds, _percent(self.level), self.method, p_value]])

    def _p_text(self) -> str:
        return f"p = {self.p_value:.3g}" if self.p_value != 0 else f"p {_LEAST_P_VALUE}"

    def _told_apart(self) -> tuple[str, str]:
        """Write the estimates with as many digits as tell them apart."""
        first, second = self.estimates
        digits = next((digits for digits in range(6, 18) if f"{first:.{digits}g}" != f"{second:.{digits}g}"), 6)
        return number_text(first, digits), number_text(second, digits)


_OF_COMPARISONS = "difference", "low", "high", "level", "statistic", "p_value", "method"


class Comparisons(NamedTuple):
    """Comparisons of many groups at once: shape (g,) each, or one value for all."""

    new: FloatArray
    old: FloatArray
    differences: FloatArray
    """New less old, which may have more digits than those have."""
    low: Any
    high: Any
    level: Any
    statistics: Any
    p_values: FloatArray
    methods: Any
    errors: Any = np.nan
    """Standard errors of the differences; NaN where they are not known."""
    freedom: Any = np.inf
    """Degrees of freedom of these; infinite where differences are normal."""

    @classmethod
    def of_each(cls, found: Iterable[Comparison], errors: Any = np.nan, freedom: Any = np.inf) -> Comparisons:
        """Return comparisons, at least one, as columns.  O(g)."""
        rows = ((*each.estimates, *attrgetter(*_OF_COMPARISONS)(each)) for each in found)
        return cls(*map(np.array, zip(*rows, strict=True)))._replace(errors=errors, freedom=freedom)

    @classmethod
    def joined(cls, parts: Iterable[Comparisons]) -> Comparisons:
        """Return the comparisons of all parts, one after the other.  O(g)."""
        return cls(*map(np.concatenate, zip(*(np.broadcast_arrays(*part) for part in parts), strict=True)))

    def at(self, index: Any) -> Comparisons:
        """Return some of the comparisons.  O(g)."""
        return Comparisons(*(column[index] if isinstance(column, np.ndarray) else column for column in self))

    def each(self) -> list[Comparison]:
        """Return the comparison of each group.  O(g)."""
        columns = (column.tolist() if isinstance(column, np.ndarray) else repeat(column) for column in self[:9])
        return [Comparison((new, old), *others) for new, old, *others in zip(*columns, strict=False)]


def _percent(level: float) -> str:
    return f"{number_text(100 * level)}%"


def checked_level(level: Any, name: str = "level") -> float:
    """Return a level of confidence as a number; raises EvaluationError unless it is above 0 and below 1.  O(1)."""
    check(level is not True, name, "be a level, such as 0.95", level)
    return check_open_fraction(level, name, least_percent=50)


def undefined_interval(estimate: float, level: float, method: str, why: str) -> Interval:
    """Return an interval without bounds, and warn why with UndefinedMetricWarning.  O(1)."""
    warn(f"The {method} interval is not defined: {why}.")
    return Interval(estimate, np.nan, np.nan, level, method)


def normal_bounds(
    estimate: Ratio, error: Ratio, level: float, freedom: Ratio = math.inf, limits: Bounds = (0.0, 1.0)
) -> Bounds:
    """Return the bounds of normal estimates, cut to some limits: numbers, or arrays (g,).  O(g).

    error: standard errors; freedom: their degrees of freedom, for Student's t.
    """
    reach = reaches_of(level, freedom) * error
    low, high = (np.minimum(np.maximum(bound, limits[0]), limits[1]) for bound in (estimate - reach, estimate + reach))
    return low, high


def intervals_of_means(
    means: FloatArray,
    spread: Spread,
    level: float,
    largest: Ratio = np.inf,
    *,
    least: float = 0.0,
    rounding: float = ROUNDING,
    method: str = "t",
) -> Intervals:
    """Return Student's intervals of means of values from the least to the largest, (g,), or of q measures, (q, g).

    largest: of each value, or of all.  Means of values that are all alike but for rounding, which prove nothing of
    unseen ones, have no bounds.  O(g).
    """
    defined = spread.errors > rounding
    limits = least, np.broadcast_to(largest, means.shape)[defined]
    own = means[defined], spread.errors[defined], level, spread.freedom[defined]
    return Intervals.where(defined, means, normal_bounds(*own, limits), method)


def logit_bounds(estimate: Ratio, error: Ratio, level: float, freedom: Ratio = math.inf) -> Bounds:
    """Return the bounds of estimates in 0 .. 1 whose logits are normal: numbers, or arrays (g,).  O(g).

    error: of the estimates themselves.
    """
    rest = 1 - estimate
    with np.errstate(over="ignore"):  # a bound may be as good as 0
        ratios = np.exp(reaches_of(level, freedom) * error / (estimate * rest))  # of odds
    low, high = estimate / (estimate + rest * ratios), estimate / (estimate + rest / ratios)
    # rounded bounds must hold the estimate
    return np.minimum(low, estimate), np.maximum(high, estimate)


def bounds_of_difference(first: Sequence[Any], second: Sequence[Any], *, apart: Ratio = 1.0) -> Bounds:
    """Return the bounds of the difference of two estimates: squared distances to their bounds add up.  O(g).

    first, second: estimates, lower and upper bounds of one level, numbers or arrays (g,); apart: 1 less their
    correlation, 1 if they are independent.  Source: R. G. Newcombe, Interval estimation for the difference between
    independent proportions, Statistics in Medicine 17 (1998) 873-890, method 10; for any estimates G. Y. Zou and A.
    Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27 (2008) 1693-1702.

    >>> low, high = bounds_of_difference((0.75, 0.72, 0.78), (0.5, 0.46, 0.54))
    >>> round(float(low), 3), round(float(high), 3)
    (0.2, 0.3)
    """

    def across(one: Ratio, other: Ratio) -> Ratio:
        """Return the side of a triangle across from an angle whose cosine is the correlation, with all digits."""
        return ((one - other) ** 2 + 2 * apart * (one * other)) ** 0.5

    difference = first[0] - second[0]
    below = across(first[0] - first[1], second[2] - second[0])
    return difference - below, difference + across(first[2] - first[0], second[0] - second[1])


def compare_fractions(successes: Sequence[Any], trials: Sequence[Any], level: float) -> Comparisons:
    """Compare two independent fractions in each group by a score test, with the interval that inverts it.  O(g).

    successes, trials: of the first and of the second sample, (g,) each, numbers of cases or effective ones.  The
    statistic is that of Pearson's chi-squared, times √((n - 1) / n); a bound touches 0 at a level of 1 less the
    p-value.  Source: O. Miettinen and M. Nurminen, Comparative analysis of two rates,
    Statistics in Medicine 4 (1985) 213-226; the closed form C. P. Farrington and G. Manning, Test statistics and sample
    size formulae for comparative binomial trials, Statistics in Medicine 9 (1990) 1447-1454.

    >>> compare_fractions([[7], [3]], [[25], [25]], 0.95).each()
    [0.28 - 0.12 = 0.16 [-0.0686603, 0.382327] (95% miettinen-nurminen), p = 0.162]
    """
    (one, other), (m, n) = (np.asarray(ratio(successes, trials)), np.asarray(trials, np.float64))
    difference, correction = one - other, ratio(m + n, np.maximum(m + n - 1, 1.0))

    def statistics(at: FloatArray) -> FloatArray:
        """Return the score statistics of true differences, (g,), from the likeliest fractions that differ by these."""
        own, rest = np.asarray(ratio(n, m)), np.square(at)  # coefficients of a cubic equation of the first fraction
        b = -(1 + own + one + own * other + at * (own + 2)) / (3 * (1 + own))
        c = (rest + at * (2 * one + own + 1) + one + own * other) / (3 * (1 + own))
        half = b**3 - 1.5 * b * c - one * at * (1 + at) / (2 * (1 + own))
        radius = np.copysign(np.sqrt(np.maximum(b * b - c, 0.0)), half)
        angle = (math.pi + np.arccos(np.clip(np.nan_to_num(ratio(half, radius**3)), -1.0, 1.0))) / 3
        first = np.clip(2 * radius * np.cos(angle) - b, 0.0, 1.0)
        second = np.clip(first - at, 0.0, 1.0)
        variance = (first * (1 - first) / m + second * (1 - second) / n) * correction
        return np.where(difference == at, 0.0, ratio(difference - at, np.sqrt(variance)))

    reach = reach_of(level)
    below = crossing(statistics, reach, np.full(difference.shape, -1.0), difference)
    above = crossing(statistics, -reach, difference, np.ones(difference.shape))
    columns = one, other, below[0], above[1], statistics(np.zeros(difference.shape))
    return comparisons_of(columns, level, "miettinen-nurminen")


def crossing(
    statistics: Callable[[FloatArray], FloatArray], reach: Ratio, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return values, (g,) each, between which falling statistics pass a reach.  O(g)."""
    for _ in range(54):  # halvings of a length of 1 leave less than what float64 tells apart near 1
        middle = (low + high) / 2
        beyond = statistics(middle) > reach
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return low, high


def compare_normal(
    estimates: Sequence[FloatArray],
    spread: Spread,
    level: float,
    method: str | AnyArray,
    *,
    largest: Ratio = 1.0,
    rounding: float = ROUNDING,
) -> Comparisons:
    """Compare the estimates of each group, whose difference is normal.  O(g).

    estimates: the new ones and the old ones, (g,) each; spread: of the differences, (g,); method: of all, or of each,
    (g,).  largest: that of the measure, or of each; bounds are cut to it.  Without a variance, but for rounding, there
    are neither bounds nor statistic; the p-value is then 1 if the difference is 0.

    >>> equal = np.array([0.5])
    >>> compare_normal((equal, equal), Spread(np.array([0.0]), np.array([np.inf])), 0.95, "delta").each()
    [0.5 - 0.5 = 0 [nan, nan] (95% delta), p = 1]
    """
    differences, errors = estimates[0] - estimates[1], spread.errors
    known = np.where(errors > rounding, errors, np.nan)
    bounds = normal_bounds(differences, known, level, spread.freedom, (-largest, largest))
    equal, statistics = (errors <= rounding) & (np.abs(differences) <= rounding), np.asarray(ratio(differences, known))
    return comparisons_of((*estimates, *bounds, statistics), level, method, errors, spread.freedom, equal=equal)


def comparisons_of(
    columns: Sequence[FloatArray],
    level: float,
    method: Any,
    errors: Ratio = np.nan,
    freedom: Ratio = np.inf,
    *,
    equal: Any = False,
) -> Comparisons:
    """Return the comparisons of g pairs of estimates, by Student's t of their statistics.  O(g).

    columns: both estimates, lower and upper bounds of the differences, and statistics; equal: where the p-value is 1;
    (g,) each; method: of all, or of each, (g,).
    """
    new, old, low, high, statistics = columns
    each = zip(*(own.tolist() for own in np.broadcast_arrays(statistics, freedom, equal)), strict=True)
    p_values = np.array([1.0 if same else tails_of(statistic, own) for statistic, own, same in each])
    return Comparisons(new, old, new - old, low, high, level, statistics, p_values, method, errors, freedom)


def nothing_to_compare(level: float, method: str) -> Comparison:
    """Return the comparison of two models where a measure is not defined.  O(1)."""
    return Comparison((np.nan, np.nan), np.nan, np.nan, np.nan, level, np.nan, np.nan, method)


def reaches_of(level: float, freedom: Ratio) -> Ratio:
    """Return the `reach_of` a level for degrees of freedom: a number, or an array.  O(g)."""
    if not isinstance(freedom, np.ndarray):
        return reach_of(level, float(freedom))
    reaches, finite = np.full(freedom.shape, reach_of(level)), freedom < np.inf
    if finite.any():
        reaches[finite] = student_reaches(1 - level, freedom[finite])
    return reaches


def welch_freedom(variances: Any, freedom: Any) -> FloatArray:
    """Return the degrees of freedom of the difference of two independent estimates, (g,), from those of both.

    Seldom whole numbers.  Source: B. L. Welch, The generalization of Student's problem when several different
    population variances are involved, Biometrika 34 (1947) 28-35.

    >>> welch_freedom(np.array([2.0, 2.0]), np.array([9, 9])).item()
    18.0
    """
    parts = np.array(variances)
    return np.asarray(ratio(parts.sum(axis=0) ** 2, (parts**2 / np.array(freedom)).sum(axis=0)))


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


def interval_of_trials(found: Sequence[float], level: Any, method: Any, *, function: str, empty: str) -> Interval:
    """Check level and method, and return the interval, or warn why there is none.  O(1).

    found: successes, trials, NaN where no number of them is known, and the fraction.
    """
    check_choice(method, tuple(_PROPORTION_METHODS), "method", function)
    confidence, (successes, trials, estimate) = checked_level(level), found
    if trials == 0 or math.isnan(trials):
        return undefined_interval(estimate, confidence, method, empty if trials == 0 else ONE_CLUSTER)
    low, high = _PROPORTION_METHODS[method](successes, trials, confidence)
    # rounded bounds must hold the estimate
    return Interval(estimate, float(min(low, estimate)), float(max(high, estimate)), confidence, method)


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
    return Intervals.where(defined, estimates, wilson_bounds(s, n, z, estimates[defined]), "wilson")


def wilson_bounds(successes: Ratio, trials: Ratio, z: Ratio, estimates: Ratio) -> Bounds:
    """Return Wilson's bounds of fractions, which hold the estimates even when rounded; z: normal quantile.  O(g).

    They are the roots of (s - n p)² = z² n p (1 - p), the lower one as a quotient without cancellation.
    """
    # products and quotients of Python's integers are rounded once; what is added keeps 0 / 0 away at levels near 0
    centre = _TINY + successes + z * z / 2 + z * np.sqrt(successes * (trials - successes) / trials + z * z / 4)
    low = np.where(successes > 0, successes * successes / trials / centre, 0.0)
    high = np.where(successes < trials, np.minimum(centre / (trials + z * z), 1.0), 1.0)
    return np.minimum(low, estimates), np.maximum(high, estimates)


def _wilson(successes: float, trials: float, level: float) -> Bounds:
    return wilson_bounds(successes, trials, reach_of(level), successes / trials)


def trials_of_wilson(interval: Interval) -> float:
    """Return the number of trials that leave Wilson's bounds b of a fraction p: n (p - b)² = z² b (1 - b).  O(1).

    >>> round(trials_of_wilson(proportion_interval(9, 10)), 9)
    10.0
    """
    bound = max(interval, key=lambda bound: abs(interval.estimate - bound))
    return reach_of(interval.level) ** 2 * bound * (1 - bound) / (interval.estimate - bound) ** 2


def _of_beta(successes: float, trials: float, level: float, prior: float = 0.0) -> Bounds:
    """Return Clopper and Pearson's bounds, or Jeffreys' with a prior of half a success and half a failure.  O(1)."""
    failures, tail, rest = trials - successes, (1 - level) / 2, 1 - prior
    if min(successes, failures) > _MANY:
        below, above = (_wilson(successes + side * (rest - 0.5), trials, level) for side in (-1, 1))
        return below[0], above[1]
    low = float(special().betaincinv(successes + prior, failures + rest, tail)) if successes else 0.0
    # exact if the tail is small
    return low, float(special().betainccinv(successes + rest, failures + prior, tail)) if failures else 1.0


_PROPORTION_METHODS: dict[str, Callable[..., Bounds]] = {
    "wilson": _wilson,
    "clopper-pearson": _of_beta,
    "jeffreys": partial(_of_beta, prior=0.5),
    "agresti-coull": lambda successes, trials, level: trial_bounds(successes, trials, reach_of(level)),
    "normal": lambda s, n, level: normal_bounds(s / n, math.sqrt(s / n * ((n - s) / n) / n), level),
}


def effective_trials_of_areas(areas: Ratio, variances: Ratio, smaller: Ratio) -> Ratio:
    """Return as many trials as would leave proportions as uncertain as ROC AUCs A: A (1 - A) / V, (g,).  O(g).

    areas: numbers or (g,); variances: DeLong's; smaller: effective cases of the smaller class.

    DeLong's variance v rests on the few cases that are misplaced, and is 0 where none is.  V is the mean of v, with the
    weight k, and of A (1 - A) / 2c, with the weight 1.  Hanley and McNeil's variance comes close to the latter for
    large areas.  k = c u √(u / (c v + u²)), where c is the number of cases of the smaller class and u = min(A, 1 - A),
    is the geometric mean of two numbers of misplaced cases: c u, if each is wholly misplaced, and Kish's effective
    number c u² / (c v + u²).  The more cases, the closer is V to v.  Source of the second variance: J. A. Hanley and B.
    J. McNeil, The meaning and use of the area under a receiver operating characteristic (ROC) curve, Radiology 143
    (1982) 29-36.  The weight is ours: benchmarks/README.md says how it was measured.

    >>> effective_trials_of_areas(np.array([1.0]), np.array([0.0]), 20)  # all of 20 positives are above all negatives
    array([40.])
    >>> variances = 0.12 / np.array([20, 1000, 100_000])
    >>> effective_trials_of_areas(0.75, variances, np.array([20, 1000, 100_000])) * variances / 0.1875
    array([1.03297752, 1.00074561, 1.00000748])
    """
    u = np.minimum(areas, 1 - areas)
    misplaced = misplaced_cases(areas, variances, smaller)
    scaled = np.divide(misplaced, u, out=np.zeros_like(u * smaller), where=u > 0)
    trials: Ratio = 2 * smaller * (1 + misplaced) / (1 + 2 * smaller * scaled * variances / (1 - u))
    return trials


def misplaced_cases(areas: Ratio, variances: Ratio, smaller: Ratio) -> Ratio:
    """Return about how many cases of the smaller class are misplaced, k of `effective_trials_of_areas`, (g,).  O(g)."""
    u = np.minimum(areas, 1 - areas)
    number: Ratio = smaller * u * np.sqrt(u / np.maximum(smaller * variances + u * u, _TINY))
    return number


def _area_wilson(areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: Ratio = math.inf) -> Bounds:
    t = reaches_of(level, freedom)
    t = np.where(np.isinf(freedom), t * (1 + (t * t + 1) / (4 * smaller)), t)  # Student's, to the first order in 1 / c
    trials = effective_trials_of_areas(areas, variances, smaller)
    return wilson_bounds(areas * trials, trials, t, areas)


AREA_METHODS: dict[str, Callable[..., Bounds]] = {
    "delong-wilson": _area_wilson,
    DELONG: lambda areas, variances, _, *how: normal_bounds(areas, np.sqrt(variances), *how),
    LOGIT: lambda areas, variances, _, *how: logit_bounds(areas, np.sqrt(variances), *how),
}
"""What users may ask for, by name: bounds of areas, variances, cases of the smaller class, and a level.

Numbers or (g,) each; only the first also takes areas whose variance is estimated as 0.
"""


def roc_auc_intervals(
    areas: FloatArray, spread: Spread, smaller: AnyArray, level: float, method: str, *, least: float = ROUNDED_VARIANCE
) -> Intervals:
    """Return the intervals of areas, (g,), by their spread, as `roc_auc_interval`.  O(g).

    smaller: effective cases of the smaller class, (g,); least: the largest variance that tells nothing.
    """
    variances, freedom = spread
    defined = ~np.isnan(variances) if method == DEFAULT_AREA_METHOD else variances > least
    if method == LOGIT:
        defined &= (areas > 0) & (areas < 1)  # of weights far apart, 0 and 1 may have a variance
    *known, own = (column[defined] for column in (areas, variances, smaller, freedom))
    return Intervals.where(defined, areas, AREA_METHODS[method](*known, level, own), method)


def interval_at(interval: Interval, level: float) -> Interval:
    """Return an interval at another level, by the method of ROC AUCs that it has, or as of a normal estimate.  O(1).

    Of a side that was cut, or of a logit that was rounded, the other side's error counts.

    >>> interval_at(Interval(1.0, 0.9, 1.0, 0.95, "delong-wilson"), 0.99).low.__round__(4)
    0.839
    >>> interval_at(Interval(0.5, 0.25, 0.75, 0.95, "delong-logit"), 0.99).low.__round__(4)
    0.191
    >>> interval_at(Interval(0.95, 0.9, 1.0, 0.95, "delong"), 0.99).low.__round__(4)
    0.8843
    >>> interval_at(Interval(2.5, 2.25, 2.75, 0.95, "ppi++"), 0.99).high.__round__(4)
    2.8286
    """
    estimate, z = interval.estimate, reach_of(interval.level)
    if interval.method == LOGIT:
        bounds = np.array([interval.low, estimate, interval.high])
        with np.errstate(divide="ignore"):  # a bound may be as good as 0 or 1
            below, above = np.diff(np.log(bounds) - np.log1p(-bounds))
        low, high = logit_bounds(estimate, float(min(below, above)) / z * estimate * (1 - estimate), level)
    elif interval.method == DEFAULT_AREA_METHOD:
        trials = trials_of_wilson(interval)
        low, high = wilson_bounds(estimate * trials, trials, reach_of(level), estimate)
    else:
        of_fractions = interval.method != "t" and 0 <= interval.low <= interval.high <= 1
        limits = (0.0, 1.0) if of_fractions else (-math.inf, math.inf)
        error = max(estimate - interval.low, interval.high - estimate) / z
        low, high = normal_bounds(estimate, error, level, limits=limits)
    return Interval(estimate, float(low), float(high), level, interval.method)


def compare_areas(
    areas: FloatArray, spread: Spread, smaller: FloatArray, level: float, method: str = DEFAULT_DIFFERENCE_METHOD
) -> Comparisons:
    """Compare two areas in each group, (2, g), by a method of `DIFFERENCE_METHODS`.  O(g).

    spread: of the difference and of both areas, (3, g); smaller: effective cases of the smaller class, (g,).
    'delong-score' inverts the test of the statistic (d - δ) / √(v + 2 A (1 - A) d² / (c - 2) + w max(|δ| - |d|, 0)),
    where v is the variance of the difference d, A the mean area, and c the cases of the smaller class.  The test of
    equal models, δ = 0, is DeLong's but for the second term, which turns a normal quantile into about Student's with
    (c - 2) / 4 A (1 - A) degrees of freedom, and without which cases that all moved by as much would prove anything:
    two cases of a class prove nothing.
    The third term makes bounds wider on the side away from 0.  As A (1 - A) / n of proportions does, the variance grows
    with the distance from what was found, for which few cases may be misplaced by chance alone.  Its rate w is the mean
    of 1 / n, for n effective trials of each area, times √(v / (v1 + v2)), for similar models differ by less, and
    2 / (3 + k), for many misplaced cases, k, tell the variance.  Where models rank all cases alike, √(v / (v1 + v2)) is
    taken for that of models that move half a case of the smaller class, √(1 / 2c), and bounds below 1e-6 are 0; by
    'delong' they have no bounds.  These numbers are ours: benchmarks/README.md says how they were measured.  Source of
    the second term: M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions (1964), 26.7.8.

    >>> each = Spread(np.zeros((3, 1)), np.full((3, 1), np.inf))
    >>> compare_areas(np.ones((2, 1)), each, np.array([20]), 0.95).each()
    [1 - 1 = 0 [-0.0640243, 0.0640243] (95% delong-score), p = 1]
    """
    differences = areas[0] - areas[1]
    alike, freedom = np.abs(differences) <= ROUNDING, spread.freedom[0]
    own, of_both = spread.variances[0], spread.variances[1:].sum(axis=0)
    variances = np.where(own <= 1e-24 * of_both, 0.0, own)  # of rounded sums
    growth = np.zeros(own.shape)
    with np.errstate(invalid="ignore", divide="ignore"):  # a class may be empty, and models may rank cases alike
        equal = alike & (variances == 0)
        if method != DELONG:
            growth = _growth(areas, np.array([variances, *spread.variances[1:]]), smaller, alike)
            misplaced = 2 * areas.mean(axis=0) * (1 - areas.mean(axis=0))
            terms = misplaced * np.square(np.where(alike, 0.0, differences))
            variances = variances + terms / np.maximum(smaller - 2, 1e-300)
        statistics = np.where(alike & (variances + growth >= 0), 0.0, differences / np.sqrt(variances))
        reaches = _score_reaches(differences, reaches_of(level, freedom), variances, growth)
    reaches = np.where(equal & (reaches < 1e-6), 0.0, reaches)
    if method == DELONG:
        reaches, statistics = (np.where(variances > 0, column, np.nan) for column in (reaches, statistics))
    bounds = np.maximum(differences - reaches[0], -1.0), np.minimum(differences + reaches[1], 1.0)
    return comparisons_of((*areas, *bounds, statistics), level, method, spread.errors[0], freedom, equal=equal)


def _score_reaches(differences: FloatArray, z: Ratio, variances: FloatArray, growth: FloatArray) -> FloatArray:
    """Return how far below and above differences the bounds are, (2, g): r² = z² (v + w max(|δ| - |d|, 0)).  O(g)."""
    normal, half = z * np.sqrt(variances), z * z * growth / 2
    start = np.array([np.maximum(side * differences, 0.0) for side in (2, -2)])  # up to the same distance from 0
    grown = half + np.sqrt(np.maximum(half * half + normal * normal - 2 * half * start, 0.0))
    return np.where(normal >= start, grown, normal)


def _growth(areas: FloatArray, area_variances: FloatArray, smaller: FloatArray, alike: BoolArray) -> FloatArray:
    """Return w of `compare_areas`, (g,), where a variance that was rounded may be 0.  O(g)."""
    own, of_both = area_variances[1:], area_variances[1:].sum(axis=0)
    likeness = np.where(of_both > 0, np.sqrt(area_variances[0] / of_both), 1.0)
    # nothing tells how like models are that moved all cases by as much; of few cases, none may be moved by chance
    unmoved = np.where(alike, np.sqrt(_UNSEEN / np.maximum(smaller, _UNSEEN)), 1.0)
    likeness = np.where(likeness == 0, unmoved, likeness)
    trials = effective_trials_of_areas(areas, own, smaller)
    misplaced = misplaced_cases(areas, own, smaller)
    return np.asarray(np.mean(1 / trials, axis=0) * likeness * 2 / (3 + np.mean(misplaced, axis=0)))
