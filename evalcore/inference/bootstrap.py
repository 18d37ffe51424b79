"""Intervals of any measure, and comparisons of two models by any measure, from resamples of the cases."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationTypeError, UndefinedMetricWarning, check
from evalcore.inference import intervals, resampled_measures
from evalcore.inference.intervals import Comparison, Interval
from evalcore.inference.resampled_measures import CaseMeasure, ProgressCallback
from evalcore.measures.curves import PointMeasure, parse_measure
from evalcore.typing import BootstrapMethod, FloatArray, Label, Seed, WeightType
from evalcore.validation.values import check_choice

METHODS = "percentile", "basic", "bca"
MeasureLike: TypeAlias = str | CaseMeasure
"""A name that `parse_measure` knows, or a function of y_true, y_score and sample_weight."""


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

    The cases are sorted once, O(n log n); each resample of a named measure is O(n).  That of the ROC AUC alone is
    O(g²) for g clusters, at most √n, whose pairs are counted once, O(n g).  Each thread needs memory of a few columns;
    from 2**15 cases on, functions are called in several threads at once.  Source: B. Efron and R. J. Tibshirani, An
    Introduction to the Bootstrap (1993), 13 and 14.

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
    count = resampled_measures.checked_resamples(resamples)
    if not (progress is None or callable(progress)):
        raise EvaluationTypeError(f"progress must be a function or None, got {progress!r}")
    sources = resampled_measures.generators(seed, count)
    weighted = sample_weight, weight_type, cluster
    models = resampled_measures.resampled_models(y_true, scores, parsed, pos_label, weighted, stratify=stratify)
    values = left = np.full((0, *models.estimates.shape), np.nan)
    if models.plan.units.size:
        with resampled_measures.without_warnings_of(parsed):
            values = resampled_measures.measure_resamples(models.measured, models.plan.draw, sources, count, progress)
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
            intervals.undefined_interval(value, confidence, label, f"{lack or why} ({_measure_name(name)})", 4)
        found.append((each.tolist(), Interval(value, low, high, confidence, label), p_value))
    return found


def _warn_of_resamples(values: FloatArray, level: float) -> None:
    """Warn of too few resamples, and of those without a value; values: those that the cases have, (b, m).  O(b)."""
    resamples, least = len(values), least_resamples(level)
    if 0 < resamples < least:
        few = f"{resamples:,} resamples are too few for a level of {level:g}: with fewer than {least:,}"
        what = "the bounds are little more than the smallest and the largest resample"
        warnings.warn(f"{few} {what}.", UserWarning, stacklevel=4)
    lacking = np.count_nonzero(np.isnan(values).any(axis=1))
    if lacking:
        why = f"{lacking:,} of {resamples:,} resamples have no value and are left out"
        advice = "if they lack a class, pass stratify=True to keep every class"
        warnings.warn(f"{why}; {advice}.", UndefinedMetricWarning, stacklevel=4)


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
