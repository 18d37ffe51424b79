"""Intervals of the agreement of several raters, and of what a judge that errs measures, corrected by people.

The judge decides on many cases, of which people judged a few too.
"""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import check
from evalcore.inference import intervals
from evalcore.inference.intervals import Interval
from evalcore.inference.outcomes import POWERED, prediction_powered
from evalcore.inference.units import units_of
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.measures import agreement, binary
from evalcore.measures.agreement import DISTANCES, RatingWeights, middle_ranks, rating_weights
from evalcore.typing import AgreementCoefficient, AgreementWeights, AnyArray, FloatArray, Label, RatingMetric
from evalcore.validation.arrays import as_finite_numbers, check_equal_lengths, check_indices
from evalcore.validation.categories import Ratings, as_ratings
from evalcore.validation.positive_class import as_positive_mask
from evalcore.validation.values import check_choice, check_count, check_flag, check_rising_numbers

_WEIGHTS_OF_METRICS = {"nominal": "identity", "ordinal": "quadratic", "interval": "quadratic", "ratio": "ratio"}
_MOST_CATEGORIES = 1 << 12
"""Of weights that are held as a table."""
_CORRECTED = "lang-reiczigel"
_MOST_TRIALS = 2**63 - 1


@equal_by_content
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AgreementInterval(Interval):
    """An agreement of raters with its bounds, and what it is computed from.

    >>> found = agreement_interval([[1, 1], [1, 1], [0, 0], [0, 1], [0, 0]])
    >>> found
    0.6 [-0.510578, 1] (95% gwet)
    >>> found.observed, round(found.by_chance, 3), round(found.standard_error, 3)
    (0.8, 0.5, 0.4)
    """

    standard_error: float
    """Of the estimate, over samples of subjects."""
    observed: float
    """The agreement of two raters of a subject, at most 1."""
    by_chance: float
    """The agreement that is expected by chance, at most 1; 0 for "percent"."""
    p_value: float
    """Probability that raters who agree by chance agree at least as much, two-sided, in 0 .. 1."""
    subjects: int
    """How many subjects count."""


def agreement_interval(
    ratings: ArrayLike,
    *,
    coefficient: AgreementCoefficient = "gwet",
    weights: AgreementWeights = "identity",
    categories: ArrayLike | None = None,
    level: float = 0.95,
) -> AgreementInterval:
    r"""Return the interval of the agreement of several raters beyond chance, such as Gwet's AC1 or Fleiss' kappa.

    Parameters
    ----------
    ratings : array-like of shape (n, r)
        A row for each subject, a column for each of at least two raters: numbers or texts.  None and NaN are missing,
        but an empty text is a rating.
        Subjects without ratings do not count; those with one rating count for the agreement by chance alone.
    coefficient : {'gwet', 'fleiss', 'conger', 'brennan-prediger', 'percent'}
        What is expected by chance.  'gwet' is AC1, with weights AC2: of use where most subjects are of one category, as
        kappas are then low for raters who nearly always agree.  'fleiss': all raters use the categories equally often.
        'conger': each rater has frequencies of their own; for two raters this is Cohen's kappa.  'brennan-prediger':
        all categories are equally likely.  'percent' is the agreement itself.
    weights : {'identity', 'linear', 'quadratic', 'ordinal', 'radical', 'ratio', 'circular', 'bipolar'}
        How much two ratings agree.  'identity' counts equal ratings.  The others count near ratings in part, 'ordinal'
        by their order alone and the others by their distance.  Texts stand for 1, 2 … in their order.
    categories : array-like of shape (q,), optional
        All possible ratings in their order.  By default those that occur, ascending.  Pass it if some may not occur or
        if texts have another order: 'gwet' and 'brennan-prediger' depend on q.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true value, above 0 and below 1.

    Returns
    -------
    AgreementInterval
        At most 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If ratings are no matrix of two columns or more, cannot be sorted or are not among `categories`; if weights
        compute with ratings that are infinite, have more than 4,096 different values (except 'identity' and
        'quadratic') or, for 'ratio', are negative; if an option is unknown, or the level is not a number between 0 and
        1.

    Warns
    -----
    UndefinedMetricWarning
        If no subject has two ratings, all ratings are of one category, or the variance is 0, as for full agreement.
        The bounds are NaN.

    Notes
    -----
    $$\frac{p_a - p_e}{1 - p_e}$$

    $p_a$ is the mean agreement of two raters of a subject; coefficients differ in $p_e$, what they take for chance.
    Use Gwet's where nearly all ratings are of one category, for kappas are low there.

    O(n r + n q) for few categories, else O(n r²); weights that are held as a table add O(q²), and O(n q²) for few
    categories.  Student's t has n - 1 degrees of freedom, and subjects are the sample: raters are taken as given.
    Numbers equal those of the R package irrCAC.  Sources: K. L. Gwet, Computing inter-rater reliability and its
    variance in the presence of high agreement, British J. Mathematical and Statistical Psychology 61 (2008) 29-48, and
    Handbook of Inter-Rater Reliability, 4th edition (2014); J. L. Fleiss, Psychological Bulletin 76 (1971) 378-382; A.
    J. Conger, Psychological Bulletin 88 (1980) 322-328; R. L. Brennan and D. J. Prediger, Educational and Psychological
    Measurement 41 (1981) 687-699.

    Examples
    --------
    >>> verdicts = [["good", "good", None], ["bad", "bad", "bad"], ["good", "bad", "good"], ["bad", None, "bad"]]
    >>> agreement_interval(verdicts)
    0.675676 [-0.423646, 1] (95% gwet)
    >>> agreement_interval([[1, 2], [3, 3], [5, 4], [2, 2]], coefficient="conger", weights="quadratic")
    0.826087 [0.683723, 0.968451] (95% conger)
    """
    check_choice(coefficient, tuple(agreement.CHANCE_AGREEMENTS), "coefficient", "agreement_interval")
    check_choice(weights, ("identity", "quadratic", *DISTANCES), "weights", "agreement_interval")
    confidence = intervals.checked_level(level)
    rated = as_ratings(ratings, categories)
    found = agreement.rater_agreement(rated.codes, _weights(rated, weights, f"weights={weights!r}"), coefficient)
    return _interval(found, confidence, coefficient)


def krippendorff_interval(
    ratings: ArrayLike, *, metric: RatingMetric = "nominal", categories: ArrayLike | None = None, level: float = 0.95
) -> AgreementInterval:
    r"""Return the interval of Krippendorff's alpha, the reliability of ratings of any scale, some of them missing.

    Parameters
    ----------
    ratings : array-like of shape (n, r)
        A row for each subject, a column for each of at least two raters: numbers or texts.  None and NaN are missing,
        but an empty text is a rating.
        Subjects with a single rating do not count.
    metric : {'nominal', 'ordinal', 'interval', 'ratio'}
        How far ratings disagree: all alike, by the ratings that lie between them, by their difference, or by their
        difference divided by their sum, each squared.  Texts stand for 1, 2 … in their order.
    categories : array-like of shape (q,), optional
        All possible ratings in their order.  By default those that occur, ascending.  Pass it if texts have another
        order.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true value, above 0 and below 1.

    Returns
    -------
    AgreementInterval
        At most 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `agreement_interval`, 'ratio' alone being limited to 4,096 different ratings.

    Warns
    -----
    UndefinedMetricWarning
        As `agreement_interval`.

    Notes
    -----
    $$\alpha = 1 - \frac{D_o}{D_e}$$

    $D_o$ is the observed disagreement of pairs of ratings, $D_e$ that of chance.  Use it where raters missed subjects,
    or ratings have an order or a scale.

    Costs as `agreement_interval`.  Alpha is that of Krippendorff's definition, with his correction for small samples;
    standard error and bounds are those of the R package irrCAC, with Student's t.  For 'ordinal', where irrCAC has
    weights of its own, they take the distances as given.  Sources: K. Krippendorff, Content Analysis, 2nd edition
    (2004), chapter 11; K. L. Gwet, On Krippendorff's alpha coefficient (2011).

    Examples
    --------
    >>> krippendorff_interval([[1, 1, None], [2, 2, 3], [3, 3, 3], [4, 4, 4], [1, 2, 1]], metric="interval")
    0.893443 [0.637061, 1] (95% krippendorff)
    """
    check_choice(metric, tuple(_WEIGHTS_OF_METRICS), "metric", "krippendorff_interval")
    confidence = intervals.checked_level(level)
    rated = as_ratings(ratings, categories)

    def weights_of(fractions: FloatArray) -> RatingWeights:
        if metric == "ordinal":
            return rating_weights(middle_ranks(fractions), "quadratic")
        return _weights(rated, _WEIGHTS_OF_METRICS[metric], f"metric={metric!r}")

    found = agreement.krippendorff_alpha(rated.codes, weights_of, len(rated.categories))
    return _interval(found, confidence, "krippendorff")


def _weights(rated: Ratings, kind: str, option: str) -> RatingWeights:
    """Return the weights of ratings, or raise EvaluationError that names the option.  O(q²)."""
    if kind == "identity" or not rated.categories.size:
        return rating_weights(np.empty(rated.categories.size), "identity")
    values = rated.finite_values(option)
    check(kind != "ratio" or values.min() >= 0, "ratings", f"not be negative for {option}", f"{values.min():g}")
    rule = f"have at most {_MOST_CATEGORIES} different values for {option}"
    check(kind not in DISTANCES or values.size <= _MOST_CATEGORIES, "ratings", rule, f"{values.size}; round them")
    return rating_weights(values, kind)


def _interval(found: agreement.RaterAgreement, level: float, method: str) -> AgreementInterval:
    """Return the interval by Student's t, or one without bounds and a warning.  O(1)."""
    error, freedom, p_value = math.sqrt(found.variance), found.subjects - 1, math.nan
    why = f"the agreement is {found.estimate:g}, and its variance 0" if found.variance == 0 else ""
    if math.isnan(found.observed):
        why = "no subject has two ratings"
    elif math.isnan(found.estimate):
        why = "all ratings are of one category, and chance alone makes raters agree"
    elif math.isnan(found.variance):
        why = "a single subject has two ratings"
    if why:
        low, high = intervals.undefined_interval(found.estimate, level, method, why)
    else:
        limits = 0.0 if method == "percent" else -math.inf, 1.0  # others have no least value that all weights share
        low, high = map(float, intervals.normal_bounds(found.estimate, error, level, freedom, limits))
        p_value = intervals.tails_of(found.estimate / error, freedom)
    parts = error, found.observed, found.by_chance, p_value, found.subjects
    return AgreementInterval(found.estimate, low, high, level, method, *parts)


@equal_by_content
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PredictionPoweredInterval(Interval):
    """A mean with its bounds, and how much the judge's values count.

    >>> found = prediction_powered_interval([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1, 1])
    >>> found, round(found.judge_weight, 5)
    (0.835938 [0.389326, 0.976032] (95% ppi++), 0.34375)
    """

    standard_error: float
    judge_weight: float
    """How much the judge's values count, in 0 .. 1: 0 is the mean of the labelled cases alone."""


def corrected_proportion_interval(
    successes: SupportsIndex,
    trials: SupportsIndex,
    *,
    tp: SupportsIndex,
    fn: SupportsIndex,
    fp: SupportsIndex,
    tn: SupportsIndex,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of a proportion that a judge with known errors counted, such as a pass rate.

    Parameters
    ----------
    successes, trials : int
        How many cases the judge found positive, and of how many, in 0 .. 2**63 - 1.
    tp, fn, fp, tn : int
        How the judge decided on other cases whose true class is known: their sensitivity and specificity.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true proportion, above 0 and below 1.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If counts are negative or no integers, there are more successes than trials, or the level is not a number
        between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If there are no trials, or no cases of either class whose truth is known; if the judge is no better than chance;
        or if the proportion that the judge found is one that no true proportion explains.  The bounds are NaN.

    Notes
    -----
    $$\frac{p + S - 1}{R + S - 1}$$

    $p$ is the proportion that the judge found, $R$ the judge's sensitivity, $S$ the specificity; the estimate is cut
    to 0 .. 1.  Use it where only the counts of both samples are known; with the labels at hand,
    `corrected_prevalence_interval`.

    O(1).  It needs a judge who errs equally often in both samples within each class.  Their prevalence may differ:
    people may label as many positives as negatives on purpose.  Sources: W. J. Rogan and B. Gladen, Estimating
    prevalence from the results of a screening test, American J. Epidemiology 107 (1978) 71-76; Z. Lang and J.
    Reiczigel, Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity,
    Preventive Veterinary Medicine 113 (2014) 13-22.

    Examples
    --------
    >>> corrected_proportion_interval(259, 509, tp=84, fn=43, fp=13, tn=96)
    0.718572 [0.584868, 0.866458] (95% lang-reiczigel)
    """
    tried = check_count(trials, "trials", maximum=_MOST_TRIALS)
    succeeded = check_count(successes, "successes", maximum=tried)
    named = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    counts = BinaryCounts(*(check_count(count, name, maximum=_MOST_TRIALS) for name, count in named.items()))
    return _corrected(succeeded, tried, counts, intervals.checked_level(level))


def corrected_prevalence_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_pred_unlabelled: ArrayLike,
    *,
    pos_label: Label | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of the prevalence among cases that a judge labelled, corrected for the judge's errors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes that people and the judge gave to the same cases.
    y_pred_unlabelled : array-like of shape (m,)
        Labels that the judge alone gave to other cases, whose prevalence is asked.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true prevalence, above 0 and below 1.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels are invalid, as for `prevalence_interval`; if `y_true` and `y_pred` differ in length; if the level is
        not a number between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        As `corrected_proportion_interval`.

    Notes
    -----
    $$\frac{p + S - 1}{R + S - 1}$$

    $p$ is the fraction that the judge found, $R$ the judge's sensitivity, $S$ the specificity.

    O(n + m).  Use it where people did not label a random sample of the cases, but as many of each class or those of
    last month; `prediction_powered_interval` is mostly shorter where they did.  Measured on 2,000 samples each, with
    sensitivity 0.9 and specificity 0.8, 95% bounds held a prevalence of 0.7 for n = 50 and m = 1,000 in 96.5%; with
    0.95 and 0.9 one of 0.9 for n = 100 and m = 5,000 in 96.2%.  The bounds of the judge's labels alone held that in
    none.  Sources: those of `corrected_proportion_interval`.

    Examples
    --------
    >>> y_true, y_pred = [1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [1] * 10 + [0] * 40
    >>> corrected_prevalence_interval(y_true, y_pred, [1] * 620 + [0] * 380)
    0.6 [0.494592, 0.716631] (95% lang-reiczigel)
    """
    mask = partial(as_positive_mask, pos_label=pos_label, function="corrected_prevalence_interval")
    true, pred, other = _judged(y_true, y_pred, y_pred_unlabelled, mask)
    confidence = intervals.checked_level(level)
    return _corrected(int(np.count_nonzero(other)), other.size, binary_counts(true, pred), confidence)


def prediction_powered_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_pred_unlabelled: ArrayLike,
    *,
    power_tuning: bool = True,
    limits: tuple[float, float] | None = None,
    level: float = 0.95,
) -> PredictionPoweredInterval:
    r"""Return the interval of a mean from few values by people and many by a judge who need not be right.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Finite numbers or Booleans that people and the judge gave to the same cases, n at least 2: verdicts, grades, or
        any measure of single cases.
    y_pred_unlabelled : array-like of shape (m,)
        What the judge alone gave to other cases, m at least 2.
    power_tuning : bool, default True
        Whether to give the judge's values the weight that makes the interval shortest, instead of 1.  With it the
        interval is hardly ever longer than that of `y_true` alone, however bad the judge.
    limits : (float, float), optional
        The least and the largest mean that is possible, such as (1, 5) of grades, to which estimate and bounds are cut;
        those of verdicts, 0 and 1, are in 0 .. 1 anyway.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true mean, above 0 and below 1.

    Returns
    -------
    PredictionPoweredInterval
        Its method is "ppi++", or "ppi" without power tuning.  Range: 0 .. 1 of verdicts, else that of `y_true`, or a
        little beyond it.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If columns do not hold finite numbers of at most 2**200, are too short, or `y_true` and `y_pred` differ in
        length; if `limits` are not two rising numbers, or the level is not a number between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If the standard error of values that are not 0 and 1 is 0.  The bounds are NaN.

    Notes
    -----
    $$\bar y + \lambda (\bar f_u - \bar f)$$

    $\bar y$ and $\bar f$ are the means of people and judge on the cases with labels, $\bar f_u$ is the judge's on the
    others.  Use it where people labelled a random sample of what a judge scored.

    O(n + m).  The estimate is right for any judge.  The bounds are those of Student's t, with Welch's degrees of
    freedom.  Those of verdicts are Wilson's, of as many trials as leave people's pass rate as uncertain, with a quarter
    of a case added to each pair of verdicts.  Measured on 2,000 samples each, with a judge of sensitivity 0.9 and
    specificity 0.8, 95% bounds held a pass rate of 0.7 for n = 50 and m = 1,000 in 94.8%, for n = 200 in 95.2%, and
    were a quarter shorter than those of `y_true` alone; a rate of 0.9 for n = 50 (sensitivity 0.95, specificity 0.9)
    was held in 95.3%, one of 0.97 for n = 100 in 96.1%, without power tuning in 93.0 and 91.8%.  Sources: A. N.
    Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic, Prediction-powered inference, Science 382 (2023)
    669-674; A. N. Angelopoulos, J. C. Duchi and T. Zrnic, PPI++: efficient prediction-powered inference, arXiv
    2311.01453 (2023).

    Examples
    --------
    >>> generator = np.random.default_rng(1)
    >>> quality = generator.normal(3, 1, 1050)
    >>> people, judge = quality + generator.normal(0, 0.2, 1050), quality + 0.5
    >>> prediction_powered_interval(people[:50], judge[:50], judge[50:])
    2.92909 [2.83398, 3.0242] (95% ppi++)
    """
    function = "prediction_powered_interval"
    check_flag(power_tuning, "power_tuning", function)
    low, high = (-math.inf, math.inf) if limits is None else check_rising_numbers(limits, "limits", function)
    confidence = intervals.checked_level(level)
    true, pred, other = _judged(y_true, y_pred, y_pred_unlabelled, _numbers)
    people = np.concatenate([true, np.full(other.size, np.nan)])
    judged = np.concatenate([pred, other])
    given = units_of(judged.size), people, judged, confidence
    binary = bool(((judged == 0) | (judged == 1)).all() and ((true == 0) | (true == 1)).all())
    found = prediction_powered(*given, binary=binary, weights=None if power_tuning else 1.0)
    error, weight = float(found.spread.errors[0]), float(found.judge_weights[0])
    method, (estimate, *bounds) = POWERED if power_tuning else "ppi", (float(each[0]) for each in found.intervals[:3])
    estimate, below, above = (min(max(each, low), high) for each in (estimate, *bounds))
    if math.isnan(bounds[0]):
        why = "the standard error is 0, because people and the judge never differ, or always differ alike"
        below, above = intervals.undefined_interval(estimate, confidence, method, why)
    return PredictionPoweredInterval(estimate, below, above, confidence, method, error, weight)


def _corrected(successes: int, trials: int, counts: BinaryCounts, level: float) -> Interval:
    """Return the interval of the counts by a judge and of the judge's errors.  O(1)."""
    sensitivity, specificity = float(binary.recall(*counts[:2])), float(binary.recall(counts.tn, counts.fp))
    positive = float(ratio(successes, trials))
    low, high = agreement.corrected_prevalence_bounds(successes, trials, counts, intervals.reach_of(level))
    if math.isnan(positive):
        why = "the judge decided on no cases without labels"
    elif math.isnan(sensitivity + specificity):
        why = "the labelled cases do not hold both classes"
    elif sensitivity + specificity <= 1 or not low < high:
        why = f"the judge may be no better than chance (sensitivity {sensitivity:.3g}, specificity {specificity:.3g})"
    elif high < 0 or low > 1:
        why = f"no prevalence explains the fraction {positive:.3g} that the judge found positive with these errors"
    else:
        estimate = min(max(agreement.corrected_prevalence(positive, sensitivity, specificity), 0.0), 1.0)
        return Interval(estimate, max(min(low, estimate), 0.0), min(max(high, estimate), 1.0), level, _CORRECTED)
    return intervals.undefined_interval(math.nan, level, _CORRECTED, why)


def _judged(y_true: Any, y_pred: Any, y_pred_unlabelled: Any, checked: Callable[..., AnyArray]) -> list[AnyArray]:
    """Check labels by people and by a judge; checked: takes labels and their name, and returns an array.  O(n + m)."""
    columns = {"y_true": y_true, "y_pred": y_pred, "y_pred_unlabelled": y_pred_unlabelled}
    true, pred, other = (checked(values, name=name) for name, values in columns.items())
    check_indices(y_true=y_true, y_pred=y_pred)
    check_equal_lengths(true, pred, "y_true", "y_pred")
    return [true, pred, other]


def _numbers(values: Any, name: str) -> FloatArray:
    """Return finite numbers, (n,), n at least 2, Booleans as 1 and 0.  O(n)."""
    numbers = as_finite_numbers(values, name).astype(np.float64)
    check(numbers.size > 1, name, "hold at least two values", numbers.size)
    far = numbers[np.abs(numbers).argmax()]
    # their fourth powers fit float64: variances have squares
    check(abs(far) <= 2.0**200, name, "hold values in -2**200 .. 2**200", f"{far:g}; change their unit")
    return numbers
