"""Intervals of any measure, and comparisons of two models by any measure, from resamples of the cases.

Resamples of cases, or of whole clusters, are seeded, and measured in several threads.  The cases of each model are
checked and sorted once, and measured by the number of draws of each.
"""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from inspect import signature
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning, check, refuse, shown, warn
from evalcore.inference import intervals
from evalcore.inference.intervals import Comparison, Interval
from evalcore.inference.units import Units, checked_units
from evalcore.kernels import draws
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.draws import Draw, RankedCases
from evalcore.measures.curves import PointMeasure, parse_measure
from evalcore.typing import AnyArray, BootstrapMethod, FloatArray, IntArray, Label, Seed, WeightType
from evalcore.validation.arrays import as_cases, as_column, check_indices, check_not_masked
from evalcore.validation.labels import encode_labels
from evalcore.validation.positive_class import as_positive_mask
from evalcore.validation.values import check_choice, check_count

METHODS = "percentile", "basic", "bca"
ProgressCallback: TypeAlias = Callable[[int, int], object]
"""Called with the number of resamples done and their total number."""
Measured: TypeAlias = Callable[[IntArray], FloatArray]
"""Takes the number of draws of each case, (n,) int64, and returns the measures of that resample."""

CaseMeasure: TypeAlias = Callable[..., Any]
"""A function of y_true, y_score and, if it takes that, sample_weight: the number of draws of each case."""
Measures: TypeAlias = Sequence[PointMeasure | CaseMeasure]
MeasureLike: TypeAlias = str | CaseMeasure
"""A name that `parse_measure` knows, or a function of y_true, y_score and sample_weight."""
_PER_GENERATOR = 16
"""Resamples of one generator: draws depend on the seed and on this, not on the number of threads."""
_MOST_ROWS = 10**9
"""NumPy's hypergeometric draws take fewer rows."""


def bootstrap_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    measure: MeasureLike = "roc_auc",
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    method: BootstrapMethod = "percentile",
    resamples: int = 1000,
    stratify: bool = False,
    cluster: ArrayLike | None = None,
    seed: Seed = None,
    progress: ProgressCallback | None = None,
) -> Interval:
    r"""Return the interval of a measure over resamples of the cases.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes; for a function whatever it takes.
    y_score : array-like of shape (n,)
        Scores; for a function whatever it takes, one row for each case.
    measure : str or callable
        ``roc_auc``, ``average_precision``, ``max_f1``, ``max_mcc``, ``max_balanced_accuracy``, ``youden``, ``ks``,
        ``eer``, ``partial_auc@0.1`` (up to that false positive rate), ``precision_at_recall@0.8``,
        ``precision_at_specificity@0.9``, ``recall_at_precision@0.9``, ``recall_at_specificity@0.9``,
        ``specificity_at_recall@0.9``, ``negative_predictive_value_at_recall@0.9``; of scores of at least a threshold
        predicted positive ``f1@0.5``, ``accuracy@0.5``, ``precision@0.5``, ``recall@0.5``,
        ``specificity@0.5``.  Or a function of `y_true`, `y_score` and ``sample_weight``, like those of
        `evalcore.metrics`.  It is called with the rows that are drawn and the number of draws of each; if it takes no
        ``sample_weight``, rows are repeated.  Its values are taken as they are, also 0 for an undefined precision, and
        its bounds are not cut.
    pos_label : int, float, bool or str, optional
        The positive class of named measures.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.  Cases with
        sampling weights are drawn with equal chances and take their weights along; functions get the weight times the
        number of draws.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.  Of frequencies, the rows that they stand for are drawn, though never
        built.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds should hold the true value, above 0 and below 1.
    method : {"percentile", "basic", "bca"}
        The quantiles of the resamples; the quantiles mirrored at the estimate; or quantiles corrected for bias, and for
        skewness by a jackknife of 200 blocks.
    resamples : int, default 1000
        Number of resamples.  A UserWarning says so if there are fewer than 2 / (1 - level), 40 for 95%.
    stratify : bool, default False
        Whether each class keeps its number of cases.
    cluster : array-like of shape (n,), optional
        The query, user or the like of each case.  Clusters are drawn as a whole.
    seed : int or numpy.random.Generator, optional
        The same seed gives the same interval for any number of threads.
    progress : callable, optional
        Called with the number of resamples done and their total number.

    Returns
    -------
    Interval
        Of a named measure, within its range.  Bounds are NaN, with an UndefinedMetricWarning, if the measure is not
        defined, if all resamples are equal or, for "bca", on one side of the estimate, or if a class is a single case
        or cluster.  Resamples for which the measure is not defined, for example without a class, are left out with a
        warning.  Range: of a measure in 0 .. 1, such as an area, 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, scores, weights, the measure or an option are invalid; if both `stratify` and `cluster` are given; if
        cases have sampling weights and a function takes no ``sample_weight``; for "bca" if frequencies add up to 10**9
        or more.

    Notes
    -----
    $$
    [\hat\theta^*_{(\alpha / 2)}, \hat\theta^*_{(1 - \alpha / 2)}], \quad [2 \hat\theta - \hat\theta^*_{(1 - \alpha
    / 2)}, 2 \hat\theta - \hat\theta^*_{(\alpha / 2)}]
    $$

    $\hat\theta^*_{(q)}$ is the quantile of the measure over the resamples.  The bounds are those of 'percentile'
    and 'basic'; 'bca' takes quantiles that correct bias and acceleration.  Use it for measures without an interval
    of their own; those that have one, such as `roc_auc_interval`, are quicker and hold better with few cases.

    The cases are sorted once, O(n log n); each resample of a named measure is O(n).  Each thread needs memory of a few
    columns; from 2**15 cases on, functions are called in several threads at once.  Source: B. Efron and R. J.
    Tibshirani, An Introduction to the Bootstrap (1993), 13 and 14.

    Measured on 2,000 samples each, 95% bounds of 400 stratified resamples held a ROC AUC of 0.75, of 100 cases of each
    class, in 94.6% (percentile), 93.5% (basic) and 95.0% (bca), and one of 0.9, of 20 positives among 100 cases, in
    91.6%, 87.5% and 93.3%.  Where negatives were subsampled and heavy, percentile bounds of average precision were much
    too short: see `average_precision_interval`.

    Examples
    --------
    >>> bootstrap_interval([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7], stratify=True, seed=0)
    0.888889 [0.555556, 1] (95% percentile bootstrap)
    """
    given = pos_label, sample_weight, weight_type, level, method, resamples, stratify, cluster, seed, progress
    [(_, interval, _)] = _resampled(y_true, {"y_score": y_score}, [measure], given)
    return interval


def bootstrap_intervals(
    y_true: ArrayLike,
    y_score: ArrayLike,
    measures: Sequence[MeasureLike],
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    method: BootstrapMethod = "percentile",
    resamples: int = 1000,
    stratify: bool = False,
    cluster: ArrayLike | None = None,
    seed: Seed = None,
    progress: ProgressCallback | None = None,
) -> dict[str, Interval]:
    """Return the intervals of several measures over the same resamples, by their names.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes; for a function whatever it takes.
    y_score : array-like of shape (n,)
        Scores; for a function whatever it takes, one row for each case.
    measures : sequence of str or callable
        Measures as for `bootstrap_interval`.  The name of a function is its ``__name__``.
    pos_label : int, float, bool or str, optional
        The positive class of named measures.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds should hold the true value, above 0 and below 1.
    method : {"percentile", "basic", "bca"}, default "percentile"
        The quantiles of the resamples; the quantiles mirrored at the estimate; or quantiles corrected for bias and
        skewness.
    resamples : int, default 1000
        Number of resamples.  A UserWarning says so if there are fewer than 2 / (1 - level), 40 for 95%.
    stratify : bool, default False
        Whether each class keeps its number of cases.
    cluster : array-like of shape (n,), optional
        The query, user or the like of each case.  Clusters are drawn as a whole.
    seed : int or numpy.random.Generator, optional
        The same seed gives the same intervals for any number of threads.
    progress : callable, optional
        Called with the number of resamples done and their total number.

    Returns
    -------
    dict of str to Interval
        The interval of each measure, in their order.  Range: as `bootstrap_interval`.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `bootstrap_interval`, and if two measures have the same name.

    Notes
    -----
    Use it for several measures of one model: their bounds are those of `bootstrap_interval`.

    Costs what `bootstrap_interval` does, with a single sort and a single draw of each resample.  Source: that of
    `bootstrap_interval`.

    Examples
    --------
    >>> found = bootstrap_intervals([0, 1, 0, 1], [0.1, 0.3, 0.2, 0.15], ["roc_auc", "ks"], seed=0, stratify=True)
    >>> {name: interval.estimate for name, interval in found.items()}
    {'roc_auc': 0.75, 'ks': 0.5}
    """
    given = pos_label, sample_weight, weight_type, level, method, resamples, stratify, cluster, seed, progress
    if isinstance(measures, str) or callable(measures) or not isinstance(measures, Iterable):
        raise EvaluationTypeError(f"measures must be a sequence of names or functions, got {measures!r}")
    measures = list(measures)
    names = [_measure_name(measure) for measure in measures]
    for name in names:
        check(names.count(name) == 1, "measures", "have names of their own", f"{name!r} twice")
    found = _resampled(y_true, {"y_score": y_score}, measures, given)
    return {name: interval for name, (_, interval, _) in zip(names, found, strict=True)}


def bootstrap_comparison(
    y_true: ArrayLike,
    y_score_old: ArrayLike,
    y_score_new: ArrayLike,
    measure: MeasureLike = "roc_auc",
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    method: BootstrapMethod = "percentile",
    resamples: int = 1000,
    stratify: bool = False,
    cluster: ArrayLike | None = None,
    seed: Seed = None,
    progress: ProgressCallback | None = None,
) -> Comparison:
    r"""Compare two models by a measure over the same resamples of the cases that both scored.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes; for a function whatever it takes.
    y_score_old, y_score_new : array-like of shape (n,)
        Scores of the old and of the new model for the same cases.
    measure : str or callable
        The name of a measure, such as ``roc_auc``, ``average_precision`` or ``recall@0.5``, or a function of `y_true`,
        scores and ``sample_weight``; `bootstrap_interval` lists the names.
    pos_label : int, float, bool or str, optional
        The positive class of named measures.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds should hold the true value, above 0 and below 1.
    method : {"percentile", "basic", "bca"}, default "percentile"
        The quantiles of the resamples; the quantiles mirrored at the estimate; or quantiles corrected for bias and
        skewness.
    resamples : int, default 1000
        Number of resamples.  A UserWarning says so if there are fewer than 2 / (1 - level), 40 for 95%.
    stratify : bool, default False
        Whether each class keeps its number of cases.
    cluster : array-like of shape (n,), optional
        The query, user or the like of each case.  Clusters are drawn as a whole.
    seed : int or numpy.random.Generator, optional
        The same seed gives the same intervals for any number of threads.
    progress : callable, optional
        Called with the number of resamples done and their total number.

    Returns
    -------
    Comparison
        Of the measures, the new one less the old one, without a statistic.  The p-value is 1 less the level whose
        bounds touch 0, and at least 2 / (resamples + 1).  Range: of a measure in 0 .. 1 the difference and its bounds
        -1 .. 1; the p-value above 0, at most 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `bootstrap_interval`.

    Notes
    -----
    $$[\hat\delta^*_{(\alpha / 2)}, \hat\delta^*_{(1 - \alpha / 2)}]$$

    Quantiles of the difference $\hat\delta$ over the resamples, as in `bootstrap_interval`.  Use it for measures
    without a test of their own; for ROC AUCs `compare_roc_auc` is quicker and holds better with few cases.

    Costs what `bootstrap_interval` does for each model.  Source: that of `bootstrap_interval`.

    Examples
    --------
    >>> y_true, y_score_old, y_score_new = [0, 0, 1, 1], [0.5, 0.2, 0.4, 0.3], [0.1, 0.2, 0.15, 0.8]
    >>> bootstrap_comparison(y_true, y_score_old, y_score_new, resamples=200, seed=0, stratify=True)
    0.75 - 0.5 = 0.25 [-1, 1] (95% percentile bootstrap), p = 0.714
    """
    given = pos_label, sample_weight, weight_type, level, method, resamples, stratify, cluster, seed, progress
    models = {"y_score_new": y_score_new, "y_score_old": y_score_old}
    [((new, old), each, p_value)] = _resampled(y_true, models, [measure], given)
    return Comparison((new, old), each.estimate, each.low, each.high, each.level, np.nan, p_value, each.method)


def _resampled(
    y_true: Any, scores: Mapping[str, Any], measures: Sequence[MeasureLike], given: tuple[Any, ...]
) -> list[tuple[list[float], Interval, float]]:
    """Check the arguments of a public function, and resample one model, or the difference of two, by each measure.

    given: the options that all functions take, in their order.  Returns, for each measure, the estimates of the models,
    the interval of the measure or of the difference, and the p-value of no difference.
    """
    pos_label, sample_weight, weight_type, level, method, resamples, stratify, cluster, seed, progress = given
    parsed = [measure if callable(measure) else parse_measure(measure) for measure in measures]
    confidence = intervals.checked_level(level)
    check_choice(method, METHODS, "method", "the bootstrap")
    count = checked_resamples(resamples)
    if not (progress is None or callable(progress)):
        raise EvaluationTypeError(f"progress must be a function or None, got {progress!r}")
    sources = generators(seed, count)
    weighted = sample_weight, weight_type, cluster
    models = resampled_models(y_true, scores, parsed, pos_label, weighted, stratify=stratify)
    values = left = np.full((0, *models.estimates.shape), np.nan)
    if models.plan.units.size:
        with without_warnings_of(parsed):
            values = measure_resamples(models.measured, models.plan.draw, sources, count, progress)
            if method == "bca" and models.plan.units.max() > 0:
                left = models.plan.without_blocks(models.measured, sources[-1])
    _warn_of_resamples(values[:, ~np.isnan(models.estimates)], confidence)
    found, label, paired = [], f"{method} bootstrap", len(scores) > 1
    for index, (name, measure) in enumerate(zip(measures, parsed, strict=True)):
        each, *columns = (part[..., index] for part in (models.estimates, values, left))
        estimate, drawn, rest = (part[..., 0] - part[..., 1] if paired else part[..., 0] for part in (each, *columns))
        lack = models.lack if isinstance(measure, PointMeasure) and not np.isnan(estimate) else ""
        value = float(estimate)
        low, high, p_value, why = bounds_and_p_value(math.nan if lack else value, drawn, confidence, method, rest)
        if isinstance(measure, PointMeasure):
            low, high = max(low, -measure.largest if paired else 0.0), min(high, measure.largest)
        if why:
            intervals.undefined_interval(value, confidence, label, f"{lack or why} ({_measure_name(name)})")
        found.append((each.tolist(), Interval(value, low, high, confidence, label), p_value))
    return found


def _warn_of_resamples(values: FloatArray, level: float) -> None:
    """Warn of too few resamples, and of those without a value; values: those that the cases have, (b, m).  O(b)."""
    resamples, least = len(values), least_resamples(level)
    if 0 < resamples < least:
        few = f"{resamples:,} resamples are too few for a level of {level:g}: with fewer than {least:,}"
        what = "the bounds are little more than the smallest and the largest resample"
        warn(f"{few} {what}.", UserWarning)
    lacking = np.count_nonzero(np.isnan(values).any(axis=1))
    if lacking:
        why = f"{lacking:,} of {resamples:,} resamples have no value and are left out"
        advice = "if they lack a class, pass stratify=True to keep every class"
        warn(f"{why}; {advice}.")


def least_resamples(level: float) -> int:
    """Return how many resamples tell the bounds of an interval from the smallest and the largest of them.  O(1).

    >>> least_resamples(0.95)
    40
    """
    return math.ceil(2 / (1 - level) * (1 - 1e-9))  # 1 - 0.95 is slightly more than 0.05


def _measure_name(measure: MeasureLike) -> str:
    return measure if isinstance(measure, str) else getattr(measure, "__name__", repr(measure))


def bounds_and_p_value(
    estimate: float, values: FloatArray, level: float, method: str = "percentile", left: FloatArray | None = None
) -> tuple[float, float, float, str]:
    """Return the bounds of a measure or a difference by a method of `bootstrap_interval`, its p-value, and any lack.

    estimate: NaN gives no bounds; values: of each resample, (b,), NaN left out; left: of the cases without each block
    of a jackknife, (j,), for "bca".  The p-value is 1 less the level whose bounds touch no difference, at least that of
    two resamples; without bounds it is NaN, or 1 if no resample differs.  O(b log b).

    >>> drawn = np.linspace(-0.125, 0.875, 1001)
    >>> *_, p_value, _ = bounds_and_p_value(0.375, drawn, 0.95)
    >>> p_value, bounds_and_p_value(0.375, drawn, 1 - p_value)[0]
    (0.25, 0.0)
    """
    found, why = np.sort(values[~np.isnan(values)]), ""
    fractions: tuple[float, ...] = (1 - level) / 2, (1 + level) / 2
    if np.isnan(estimate) or not found.size:
        why = "the measure is undefined for these cases"
    elif np.isinf(found).any():
        why = "the measure is infinite for some resamples"
    elif found[0] == found[-1]:
        why = "all resamples have the same value"
    elif method == "bca" and left is not None:
        fractions, why = _corrected(estimate, found, left, level)
    if why:
        return np.nan, np.nan, 1.0 if found.size and not found.any() else np.nan, why
    low, high = np.quantile(found, fractions).tolist()
    if method == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    last, place = found.size - 1, _place_of(2 * estimate if method == "basic" else 0.0, found)
    tail = min(place, last - place) / last
    if method == "bca" and left is not None and tail > 0:
        bias = _bias(estimate, found)
        shift = math.copysign(intervals.normal_quantile(tail), place - last / 2) - bias
        tail = intervals.normal_probability(-abs(shift / (1 + _acceleration(left) * shift) - bias))
    return low, high, min(2 * max(tail, 1 / (found.size + 1)), 1.0), ""


def _place_of(null: float, values: FloatArray) -> float:
    """Return where no difference stands among sorted values, (b,), from 0 to b - 1.  O(log b)."""
    below, up_to = (int(values.searchsorted(null, side)) for side in ("left", "right"))
    if below < up_to:  # resamples without a difference: of their places, the one that is nearest to the middle
        return min(max((values.size - 1) / 2, below), up_to - 1)
    if 0 < below < values.size:
        return below - 1 + float((null - values[below - 1]) / (values[below] - values[below - 1]))
    return (values.size - 1) * (below > 0)


def _corrected(estimate: float, values: FloatArray, left: FloatArray, level: float) -> tuple[tuple[float, ...], str]:
    """Return corrected fractions, or why there are none."""
    if math.isnan(bias := _bias(estimate, values)):
        return (), "all resamples lie on one side of the estimate"
    if np.isnan(left).any():
        return (), "the measure is undefined without some block of cases"
    acceleration = _acceleration(left)
    shifts = bias - intervals.reach_of(level), bias + intervals.reach_of(level)
    if any(acceleration * shift >= 1 for shift in shifts):
        return (), "the resamples are too skewed for this level"
    return tuple(intervals.normal_probability(bias + shift / (1 - acceleration * shift)) for shift in shifts), ""


def _bias(estimate: float, values: FloatArray) -> float:
    """Return the quantile of the resamples below an estimate, those that equal it half; NaN where none or all are.

    Source of this and of the acceleration: Efron and Tibshirani (1993), 14.10, 14.14 and 14.15.
    """
    below = float(np.mean(values < estimate) + np.mean(values == estimate) / 2)
    return math.nan if below in (0, 1) else intervals.normal_quantile(below)


def _acceleration(left: FloatArray) -> float:
    """Return a sixth of the skewness of the jackknife, 0.0 for equal values."""
    deviations = left.mean() - left
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6 * spread**1.5) if spread else 0.0


def generator(seed: Any) -> np.random.Generator:
    """Return the generator of a seed, as `numpy.random.default_rng` does; raises errors that name `seed`.  O(1)."""
    try:
        made = np.random.default_rng(seed)
        made.spawn(0)  # which the generator of a RandomState cannot
        return made
    except TypeError as error:
        rule = "be None, an integer, a SeedSequence or a Generator of NumPy"
        got = f"{shown(seed)}; pass an integer or numpy.random.default_rng(0)"
        raise EvaluationTypeError(f"seed must {rule}, got {got}") from error
    except ValueError as error:
        raise EvaluationError(f"seed must not be negative, got {seed!r}") from error


def checked_resamples(resamples: Any) -> int:
    """Return a number of resamples; raises EvaluationError unless it is at least 1.  O(1)."""
    count = check_count(resamples, "resamples")
    check(count >= 1, "resamples", "be at least 1", repr(resamples))
    return count


def generators(seed: Any, resamples: int) -> list[np.random.Generator]:
    """Return a generator for each 16 resamples, and one for the blocks of a jackknife.  O(resamples)."""
    return generator(seed).spawn(-(-resamples // _PER_GENERATOR) + 1)


class Plan(NamedTuple):
    """How cases are drawn again, in the order of their numbers."""

    draw: Draw
    units: IntArray
    """Number of the unit, drawn as a whole, of each case."""
    strata: IntArray | None = None
    """The class of each case, shape (n,), if the sizes of classes are kept."""
    frequencies: IntArray | None = None
    """How many rows each case stands for, shape (n,), if such rows are drawn."""

    def without_blocks(self, measured: Measured, source: np.random.Generator) -> FloatArray:
        """Measure without each of 200 random blocks of units, or without each unit if there are fewer, (blocks, ...).

        Every block has its part of each stratum, the smallest of which limits the number of blocks.  Rows of
        frequencies are never built.  O(200) measurements.  Raises EvaluationError for 10**9 rows or more.

        >>> cases_left = lambda counts: np.array([[counts.sum()]])
        >>> Plan(lambda _: np.ones(4, int), np.arange(4)).without_blocks(cases_left, np.random.default_rng(0)).ravel()
        array([3, 3, 3, 3])
        """
        units, frequencies = self.units, self.frequencies
        strata = np.zeros(int(units.max()) + 1, np.int64) if self.strata is None else self.strata
        members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
        sizes = [own.size if frequencies is None else int(frequencies[own].sum()) for own in members]
        count, rows = min([*sizes, 200]), sum(sizes)
        if frequencies is None:
            blocks = np.empty(strata.size, np.int64)
            for own in members:
                blocks[own] = source.permutation(np.arange(own.size) % count)
            blocks, each = blocks[units], list(range(count))
            return np.array(map_parts(lambda one: measured((blocks != one).astype(np.int64)), each, units.size * count))
        rule = f"have a sum below {_MOST_ROWS:,} for method='bca'"
        check(rows < _MOST_ROWS, "sample_weight", rule, f"{rows:,}; pass another method")
        left, values = frequencies.copy(), []
        for block in range(count):
            kept = frequencies.copy()
            for own, size in zip(members, sizes, strict=True):
                drawn = size // count + (block < size % count)
                part = source.multivariate_hypergeometric(left[own], drawn, method="marginals")
                left[own] -= part
                kept[own] -= part
            values.append(measured(kept))
        return np.array(values)


def plan_draws(y_true: Any, stratify: bool, drawn: Units, numbering: IntArray) -> Plan:
    """Return how cases are drawn; numbering: their indices in the order of draws, (n,).  O(n)."""
    rule = "be True, to keep the size of each class, or False"
    check(isinstance(stratify, bool | np.bool_), "stratify", rule, repr(stratify), EvaluationTypeError)
    if drawn.clusters is not None:
        both = "stratify and cluster cannot be combined, because a cluster may hold every class; pass one of them"
        refuse({both: stratify})
        units = drawn.clusters[numbering]
        return Plan(draws.draw_clusters(units, drawn.number), units)
    strata = encode_labels(as_column(y_true, "y_true"))[1][numbering] if stratify else None
    frequencies = drawn.weights[numbering] if drawn.are_frequencies and drawn.weights is not None else None
    return Plan(draw_units(numbering.size, strata, frequencies), np.arange(numbering.size), strata, frequencies)


def draw_units(size: int, strata: IntArray | None = None, frequencies: IntArray | None = None) -> Draw:
    """Return how as many units are drawn as there are, of each stratum or of all; strata, frequencies: (size,).  O(n).

    frequencies: how many rows each stands for, which are drawn in its place.
    """
    if strata is None and frequencies is None:
        return draws.draw_cases(size)
    strata = np.zeros(size, np.int64) if strata is None else strata
    return draws.draw_within(strata, int(strata.max(initial=0)) + 1, frequencies)


def measure_resamples(
    measured: Measured,
    draw: Draw,
    sources: list[np.random.Generator],
    resamples: int,
    progress: ProgressCallback | None = None,
    *,
    together: Callable[[AnyArray], FloatArray] = np.asarray,
) -> FloatArray:
    """Measure resamples, (resamples, ...): the same values for any number of threads.

    sources: from `generators`.  O(resamples) draws and measurements, in several threads from 2**15 cases on; progress
    is called in them, one call at a time.  together: what takes the results of up to 16 resamples at once, (r, ...),
    and returns their measures, (r, ...).
    """
    finished, lock = itertools.count(), Lock()

    def measure(generator: np.random.Generator, count: int) -> FloatArray:
        values = []
        for _ in range(count):
            values.append(measured(draw(generator)))
            if progress is not None:
                with lock:
                    progress(next(finished) + 1, resamples)
        return together(np.array(values))

    sizes = [min(_PER_GENERATOR, resamples - start) for start in range(0, resamples, _PER_GENERATOR)]
    cases = draw(np.random.default_rng(0)).size
    parts = map_parts(lambda part: measure(*part), list(zip(sources, sizes, strict=False)), cases * _PER_GENERATOR)
    return np.concatenate(parts)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore UndefinedMetricWarning: undefined intervals get no bounds, and resamples that lack a class are counted.

    The whole process ignores it meanwhile, and two blocks at once may leave it so: only for functions that may warn.
    """
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        yield


def without_warnings_of(measures: Measures) -> AbstractContextManager[None]:
    """Ignore the warnings of functions among measures, as `without_warnings`; named measures give none.  O(m)."""
    return nullcontext() if all(isinstance(measure, PointMeasure) for measure in measures) else without_warnings()


class ResampledModels(NamedTuple):
    """Models that scored the same cases, which are numbered by their rank in the first model."""

    measured: Measured
    """Takes the number of draws of each case, (n,), and returns (models, measures)."""
    estimates: FloatArray
    """Of the cases themselves, shape (models, measures)."""
    plan: Plan
    """How whatever `measured` takes the number of draws of is drawn."""
    lack: str
    """Why resamples do not show how named measures vary; empty if they do."""


def resampled_models(
    y_true: Any, scores: Mapping[str, Any], measures: Measures, pos_label: Any, drawn: Any, *, stratify: bool = False
) -> ResampledModels:
    """Check and sort the cases of models; scores: by the names of arguments, (n,) each.  O(n log n).

    drawn: weights, their type and clusters, as of `checked_cases`.
    With sampling weights, measures are those of the weights times the number of draws.  Frequencies are the numbers of
    rows that are drawn from.

    >>> given = [0, 1, 1], {"y_score": [0.1, 0.4, 0.05]}, [parse_measure("roc_auc")]
    >>> found = resampled_models(*given, None, (None, "sampling", None))
    >>> found.estimates, found.measured(np.array([0, 1, 1]))
    (array([[0.5]]), array([[0.]]))
    """
    sample_weight, weight_type, cluster = drawn
    check_indices(y_true=y_true, **scores, sample_weight=sample_weight, cluster=cluster)
    units = checked_units(sample_weight, weight_type, _size(y_true), "the bootstrap", cluster)
    if not isinstance(chosen := units.chosen, slice):
        scores = {name: _checked_rows(values, name, chosen.size)[chosen] for name, values in scores.items()}
        y_true = _checked_rows(y_true, "y_true", chosen.size)[chosen]
    if units.weights is not None and not units.are_frequencies:
        measures = [_for_weights(measure) for measure in measures]
    size, every = _size(y_true), _ranked_models(y_true, scores, measures, pos_label)
    numbering, number_of = every[0].rows if every else np.arange(size), np.empty(size, np.int64)
    number_of[numbering] = np.arange(size)
    called, models = not all(isinstance(measure, PointMeasure) for measure in measures), []
    for index, (name, values) in enumerate(scores.items()):
        ranks = number_of[every[index].rows] if every and index else None
        given = (("y_true", y_true), (name, values)) if called else ()
        columns = [_checked_rows(each, column, size)[numbering] for column, each in given]
        models.append(partial(_measure_model, measures, every[index] if every else None, ranks, columns))
    own = None if units.weights is None else units.weights[numbering]
    plan = plan_draws(y_true, stratify, units, numbering)
    with without_warnings_of(measures):
        estimates = np.array([model(own) if size else [np.nan] * len(measures) for model in models])
    lack = _why_constant(plan, every[0].correct) if every and size else ""

    def measured(counts: IntArray) -> FloatArray:
        amounts = counts if own is None or plan.frequencies is not None else counts * own
        return np.array([model(amounts) for model in models])

    return ResampledModels(measured, estimates, plan, lack)


def _for_weights(measure: PointMeasure | CaseMeasure) -> PointMeasure | CaseMeasure:
    """Return the measure of weights, a named one without the last digits, which depend on how sums are rounded.

    Raises EvaluationError for a function that takes no weights.
    """
    if isinstance(measure, PointMeasure):
        return measure._replace(compute=lambda points: round(measure.compute(points), 14))
    rule, got = "take sample_weight where cases have sampling weights", f"{measure!r}; give it that argument"
    check(_takes_weights(measure), "measure", rule, got)
    return measure


def _why_constant(plan: Plan, correct: int) -> str:
    """Say which class is in a single unit, so that it is the same in all resamples.  O(n)."""
    for side, kind in ((slice(correct), "positive"), (slice(correct, None), "negative")):
        part = plan.units[side]
        if plan.frequencies is not None and plan.frequencies[side].sum() > 1:
            continue
        if part.size and (part == part[0]).all():
            return f"all {kind} cases are in one cluster" if part.size > 1 else f"one {kind} case alone does not vary"
    return ""


def _measure_model(
    measures: Measures, ranked: RankedCases | None, rows: IntArray | None, columns: Sequence[AnyArray], counts: Any
) -> list[float]:
    """Measure a resample of one model; counts: those, or weights times counts, None of the cases themselves.

    ranked: None if no measure is named; rows: numbers of the ranked cases, None if these are their ranks; columns:
    labels and scores, (n, ...) each, if a function takes them.
    """
    points: Any = None
    if ranked is not None:
        amounts = np.ones(ranked.rows.size, np.int64) if counts is None else counts
        points = ranked.points(amounts if rows is None else amounts[rows])
    return [one.compute(points) if isinstance(one, PointMeasure) else _called(one, columns, counts) for one in measures]


def _called(measure: CaseMeasure, columns: Sequence[AnyArray], counts: AnyArray | None) -> float:
    """Call a function with the cases that are drawn, and the number of draws of each."""
    options = {}
    if counts is not None:
        rows = np.flatnonzero(counts)
        if _takes_weights(measure):
            options["sample_weight"] = counts[rows]
        else:
            rows = np.repeat(rows, counts[rows])
        columns = [column[rows] for column in columns]
    value = measure(*columns, **options)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise EvaluationTypeError(f"measure must return a number, {measure!r} returned {shown(value)}") from None


def _takes_weights(measure: CaseMeasure) -> bool:
    try:
        parameters = signature(measure).parameters
    except (TypeError, ValueError):  # some callables in C tell nothing
        return True
    return "sample_weight" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def _ranked_models(y_true: Any, scores: Mapping[str, Any], measures: Measures, pos_label: Any) -> list[RankedCases]:
    """Sort the cases of each model, unless no measure is named.  O(n log n)."""
    named = [measure for measure in measures if isinstance(measure, PointMeasure)]
    if not named:
        return []
    thresholds = np.array([measure.threshold for measure in named if measure.threshold is not None])
    correct = as_positive_mask(y_true, pos_label, "the bootstrap")
    every = [as_cases(correct, values, ("y_true", name)) for name, values in scores.items()]
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        return [draws.ranked_cases(own, mask, thresholds.astype(own.dtype)) for mask, own in every]


def _size(y_true: Any) -> int:
    try:
        return len(y_true)
    except TypeError:
        raise EvaluationTypeError(f"y_true must be an array-like, got {shown(y_true)}") from None


def _checked_rows(values: Any, name: str, size: int) -> AnyArray:
    check_not_masked(values, name)
    array = np.asarray(values)
    check(array.shape[:1] == (size,), name, f"have {size} rows like y_true", f"shape {array.shape}")
    return array
