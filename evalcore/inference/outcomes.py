"""Means of outcomes, one value for each case such as a grade, a cost or a pass, with intervals and comparisons.

Values of 0 and 1 are decisions: their intervals are Wilson's, and two systems are compared as classifiers are.  Means
of other values have Student's t, of n cases with n - 1 degrees of freedom; clusters and unequal weights leave fewer, by
how unequal they are and how far out their contributions lie, as `Units.left_out` has them.
"""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.cells import cells_of_rows, intervals_of
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.intervals import (
    ROUNDING,
    Comparison,
    Interval,
    Intervals,
    checked_level,
    compare_normal,
    normal_bounds,
    undefined_interval,
)
from evalcore.inference.means import MeanSample, mean_sample
from evalcore.inference.units import ONE_CLUSTER, Spread, Units, checked_units
from evalcore.kernels.sums import ratio
from evalcore.typing import FloatArray, WeightType
from evalcore.validation.arrays import as_finite_numbers, check_indices, refuse_first

_ANY = -math.inf, math.inf
"""Limits of a mean of any values."""


def outcome_intervals(units: Units, values: FloatArray, level: float, *, binary: bool) -> Intervals:
    """Return the intervals of the mean of values of rows, (m,), in each group.  O(m).

    binary: whether all values of the column are 0 or 1, not only those of a group.  Means of other values that are all
    alike, which prove nothing of unseen ones, have no bounds.

    >>> from evalcore.inference.units import units_of
    >>> outcome_intervals(units_of(3), np.array([0.0, 0.0, 3.0]), 0.5, binary=False).each(0.5)
    [1 [0.183503, 1.8165] (50% t)]
    """
    units = _by_unit(units)
    if binary:
        return intervals_of("prevalence", cells_of_rows(units, np.where(values == 1, 0, 3), (2, 2)), level)
    means, spread = means_of_outcomes(units, values)
    defined = spread.variances > 0
    own = means[defined], spread.errors[defined], level, spread.freedom[defined]
    return Intervals.where(defined, means, normal_bounds(*own, _ANY), "t")


def outcome_differences(
    units: Units, old: FloatArray, new: FloatArray, level: float, *, binary: bool
) -> tuple[list[Comparison], Spread]:
    """Compare the means of values of the same rows, (m,) each, new less old, in each group.  O(m).

    Returns how the differences vary, (g,), beside; binary: as for `outcome_intervals`, of both.  Differences that are
    all alike have no bounds, and those that are all 0 a p-value of 1.

    >>> from evalcore.inference.units import units_of
    >>> outcome_differences(units_of(3), np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 5.0]), 0.5, binary=False)[0]
    [3 - 2 = 1 [0.528595, 1.4714] (50% paired-t), p = 0.225]
    """
    units = _by_unit(units)
    if binary:
        every = np.ones(units.rows, np.bool_)
        return compare_decisions(
            paired_decisions(every, old == 1, new == 1, units), measure_of_decisions("recall"), level
        )
    rounding = ROUNDING * np.maximum(np.abs(old).max(initial=0.0), np.abs(new).max(initial=0.0))
    _, spread = means_of_outcomes(units, new - old, rounding)
    means = means_of_outcomes(units, new)[0], means_of_outcomes(units, old)[0]
    return compare_normal(means, spread, level, "paired-t", largest=np.inf, rounding=rounding), spread


def means_of_outcomes(units: Units, values: FloatArray, rounding: float = 0.0) -> tuple[FloatArray, Spread]:
    """Return the means of values of rows, (m,), in each group, (g,), and how they vary.  O(m).

    A standard error up to the rounding, or to what rounded values of this size may have, is returned as 0.
    """
    sample = mean_sample(units)
    unit = math.frexp(float(np.abs(values).max(initial=0.0)))[1]  # squares of values in units of 2**unit fit float64
    scaled = np.ldexp(values, -unit)
    means = sample.means(sample.sums(scaled.__getitem__))
    rest = scaled - _of_rows(units, means)
    closer = sample.means(sample.sums(rest.__getitem__))  # what the sums of many cases lost
    spread = spread_of_deviations(sample, rest - _of_rows(units, closer))
    variances = np.where(spread.errors > max(ROUNDING, math.ldexp(rounding, -unit)), spread.variances, 0.0)
    variances = np.where(np.isnan(spread.variances), np.nan, variances)
    with np.errstate(over="ignore"):  # their squares may leave float64, after all
        return np.ldexp(means + closer, unit), Spread(np.ldexp(variances, 2 * unit), spread.freedom)


def spread_of_deviations(sample: MeanSample, deviations: FloatArray) -> Spread:
    """Return how means vary, (g,), from the deviations of rows from them, (m,).  O(m).

    Degrees of freedom are n - 1 of n cases, those of `Units.left_out` with clusters, and by the same rule with unequal
    weights.
    """
    units = sample.units
    influence = units.weighted(deviations) / _of_rows(units, sample.every)
    if units.clusters is not None:
        return units.left_out(units.changes(np.bincount(units.clusters, influence, units.members[1].size)))
    squares = units.squares(influence)
    second, fourth = units.in_groups(lambda rows: (squares[rows], units.squares(squares[rows], rows)))
    freedom = sample.cases - 1
    if units.weights is not None and not units.are_frequencies:
        freedom = np.fmin(ratio(3 * np.square(second), fourth), sample.cases) - 1
    return Spread(second * units.factors, np.fmax(freedom, 1.0))


def _of_rows(units: Units, of_groups: FloatArray) -> FloatArray | np.float64:
    """Return what is known of groups, (g,), for each row, (m,), or for all of a single group.  O(m)."""
    return of_groups[0] if units.groups is None else of_groups[units.groups]


def _by_unit(units: Units) -> Units:
    """Return the same units without clusters where each has a single row."""
    alone = units.clusters is not None and units.members[1].size == units.rows and not units.are_frequencies
    return units._replace(clusters=None, groups_of_clusters=None, shares=None) if alone else units


def mean_interval(
    values: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of the mean of a value of each case, such as a grade, an error, a cost or a pass.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite numbers or Booleans.
    sample_weight, weight_type, cluster
        As `accuracy_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true mean, above 0 and below 1.

    Returns
    -------
    Interval
        Its method is "wilson" if all values are 0 or 1, else "t".  Range: that of the values; bounds of "t" may lie
        beyond it.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If values are not finite numbers, or beyond 2**500; if weights are invalid, as for `accuracy_interval`; if a
        cluster is missing; if the level is not a number between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If there are no cases, a single case or cluster, or if all values are alike but not 0 or 1: the bounds are NaN.

    Notes
    -----
    $$\bar x \pm t_{n-1} \frac{s}{\sqrt n}$$

    Use it for whatever has one number per case and no label of its own; of two systems on the same cases compare the
    differences, as `evalcore.compare` does.

    O(n).  Sources: Student, The probable error of a mean, Biometrika 6 (1908) 1-25; for evaluations of language models
    E. Miller, Adding error bars to evals, arXiv 2411.00640 (2024); those of `accuracy_interval`.

    Examples
    --------
    >>> mean_interval([3.0, 4.5, 4.0, 2.5])
    3.5 [2.04742, 4.95258] (95% t)
    >>> mean_interval([True, True, True, False])
    0.75 [0.300642, 0.954413] (95% wilson)
    >>> mean_interval([3.0, 4.5, 4.0, 2.5, 3.0, 4.0], cluster=["a", "a", "b", "b", "c", "c"])
    3.5 [2.87897, 4.12103] (95% t)
    """
    check_indices(values=values, sample_weight=sample_weight, cluster=cluster)
    numbers = as_finite_numbers(values, "values").astype(np.float64)
    refuse_first(
        np.abs(numbers) > 2.0**500, numbers, "values", "must be in -2**500 .. 2**500, got {}; change their unit"
    )
    confidence = checked_level(level)
    units = checked_units(sample_weight, weight_type, numbers.size, "mean_interval", cluster, cases="values")
    binary = bool(((numbers == 0) | (numbers == 1)).all())
    found = outcome_intervals(units, numbers[units.chosen], confidence, binary=binary)
    [interval] = found.each(confidence)
    if not math.isnan(interval.low):
        return interval
    why = "all values are alike, which proves nothing of others"
    if units.number < 2:
        why = (
            "there are no cases" if not units.rows else ONE_CLUSTER if cluster is not None else "there is a single case"
        )
    return undefined_interval(interval.estimate, confidence, interval.method, why)
