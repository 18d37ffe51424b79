"""How many cases a study needs, and what it would find with those it has."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationTypeError, check, refuse, shown
from evalcore.inference.curve_areas import roc_auc_covariance
from evalcore.inference.intervals import checked_level, normal_probability, normal_quantile, reach_of
from evalcore.inference.units import checked_cases
from evalcore.validation.values import check_choice, check_count, check_number, check_open_fraction

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)


class StudyDesign(NamedTuple):
    """A study that tests a measure against a given value: how far apart they are, and how much the estimate varies.

    Examples
    --------
    Ratings that should exceed 3 by 0.2 on average, and vary by 1.1:

    >>> sample_size(StudyDesign(0.2, 1.1, 1.1))
    238
    """

    difference: float
    """The true value less the one that is tested."""
    null_deviation: float
    """The standard error times the square root of the number of cases, if the tested value were true."""
    deviation: float
    """The standard error times the square root of the number of cases, if the true value is as expected."""


def roc_auc_design(
    roc_auc: float, null: float = 0.5, *, prevalence: float = 0.5, variance: str = "normal"
) -> StudyDesign:
    r"""Describe a study of one ROC AUC, tested against a given one.

    Parameters
    ----------
    roc_auc : float
        The area that you expect, above 0 and below 1.
    null : float, default 0.5
        The area that the test should rule out, above 0 and below 1.
    prevalence : float, default 0.5
        The fraction of positive cases, above 0 and below 1.
    variance : {"normal", "obuchowski"}, default "normal"
        "normal" is the variance of the area of normal scores with the same spread in both classes, which DeLong's
        method estimates; "obuchowski" is the published approximation that ``power.roc.test`` of R's pROC uses, which
        asks for more cases if areas are large.

    Returns
    -------
    StudyDesign
        For `power` and `sample_size`.  Range: a difference of -1 .. 1, and deviations of at least 0.

    Raises
    ------
    EvaluationError
        If a number is outside its range, or roc_auc equals null.

    See Also
    --------
    paired_roc_auc_design : For two models.

    Notes
    -----
    $$\delta = A - A_0, \quad \sigma^2 = n V(A), \quad \sigma_0^2 = n V(A_0)$$

    $V(A)$ is the variance of an area of $n$ cases.  Use it to plan the test set of one model; for two models
    `paired_roc_auc_design`.

    O(1).  Sources: E. R. DeLong and others, Biometrics 44 (1988) 837-845; N. A. Obuchowski, M. L. Lieber, F. H. Wians,
    ROC curves in clinical chemistry, Clinical Chemistry 50 (2004) 1118-1125.

    Examples
    --------
    >>> sample_size(roc_auc_design(0.75, null=0.7, prevalence=0.2), power=0.9)
    1659
    >>> sample_size(roc_auc_design(0.8, prevalence=0.2, variance="obuchowski"), power=0.9)
    55
    """
    _check_fractions(roc_auc=roc_auc, null=null, prevalence=prevalence)
    check_choice(variance, ("normal", "obuchowski"), "variance", "roc_auc_design")
    variance_of = _obuchowski_variance if variance == "obuchowski" else _area_variance
    return StudyDesign(roc_auc - null, *(math.sqrt(variance_of(value, prevalence)) for value in (null, roc_auc)))


def paired_roc_auc_design(
    roc_auc_old: float, roc_auc_new: float, *, correlation: float = 0.5, prevalence: float = 0.5
) -> StudyDesign:
    r"""Describe a study that compares the ROC AUCs of two models on the same cases.

    Parameters
    ----------
    roc_auc_old, roc_auc_new : float
        The areas that you expect, above 0 and below 1.
    correlation : float, default 0.5
        The correlation of both models' scores within each class, at least -1 and below 1.  Versions of one model
        often have 0.8 or more; with data at hand, use `pilot_design`.
    prevalence : float, default 0.5
        The fraction of positive cases, above 0 and below 1.

    Returns
    -------
    StudyDesign
        For `power` and `sample_size`.  Range: a difference of -1 .. 1, and deviations of at least 0.

    Raises
    ------
    EvaluationError
        If a number is outside its range, or both areas are equal.

    See Also
    --------
    pilot_design : From scores of both models.

    Notes
    -----
    $$\delta = A_{new} - A_{old}, \quad \sigma^2 = n (V_{new} + V_{old} - 2 C)$$

    $V$ and $C$ are the variances of both areas of $n$ cases, and their covariance.  Use it to plan a comparison
    before there are scores.

    Scores are normal, with the same spread in both classes; the variance is that of DeLong's test.  O(1).  Sources:
    E. R. DeLong and others, Biometrics 44 (1988) 837-845; N. A. Obuchowski, D. K. McClish, Sample size determination
    for diagnostic accuracy studies involving binormal ROC curve indices, Statistics in Medicine 16 (1997) 1529-1542.
    R's pROC (``power.roc.test`` with ``parslist``) asks for more cases: its variances leave out the covariance of the
    parameters, its covariances do not.

    Examples
    --------
    >>> design = paired_roc_auc_design(0.8, 0.85, prevalence=0.25)
    >>> sample_size(design), round(power(design, 1000), 3)
    (835, 0.868)
    """
    _check_fractions(roc_auc_new=roc_auc_new, roc_auc_old=roc_auc_old, prevalence=prevalence)
    within = -1 <= check_number(correlation, "correlation") < 1
    check(within, "correlation", "be at least -1 and below 1", repr(correlation))
    areas = roc_auc_old, roc_auc_new
    old, new = (_area_variance(area, prevalence) for area in areas)
    unchanged, shared = (_area_covariance(roc_auc_old, area, correlation, prevalence) for area in areas)
    return StudyDesign(roc_auc_new - roc_auc_old, math.sqrt(2 * (old - unchanged)), math.sqrt(old + new - 2 * shared))


def pilot_design(y_true: ArrayLike, y_score_old: ArrayLike, y_score_new: ArrayLike) -> StudyDesign:
    r"""Describe a study that compares two ROC AUCs as they are, and vary, in scores at hand.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels, 0 or 1, or Booleans, of a pilot study, with at least two of each class.
    y_score_old, y_score_new : array-like of shape (n,)
        Scores of both models for the same cases.

    Returns
    -------
    StudyDesign
        For `power` and `sample_size`; the study has the prevalence of the pilot.  Range: a difference of -1 .. 1, and
        deviations of at least 0.

    Raises
    ------
    EvaluationError
        If the arrays are not columns of one length, a class has fewer than two cases, or both areas are equal.

    Notes
    -----
    $$\delta = \hat A_{new} - \hat A_{old}, \quad \sigma^2 = n (\hat V_{new} + \hat V_{old} - 2 \hat C)$$

    DeLong's variances and covariance, of the $n$ cases of the pilot.  Use it to plan a larger study of the same two
    models.

    O(n log n).  A difference seen in a small pilot is as uncertain as its interval: look at `compare_roc_auc` too.
    Equal to ``power.roc.test(roc1, roc2)`` of R's pROC.  Source: E. R. DeLong and others, Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> y_true, old, new = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 3, 5], [1, 2, 3, 3, 4, 5]
    >>> sample_size(pilot_design(y_true, old, new))
    125
    """
    models = {"y_score_old": y_score_old, "y_score_new": y_score_new}
    positive, columns, _ = checked_cases("pilot_design", y_true, models, None)
    positives = int(np.count_nonzero(positive))
    negatives = positive.size - positives
    got = f"{positives} positive and {negatives} negative cases"
    check(min(positives, negatives) >= 2, "y_true", "hold two cases of each class to see how scores vary", got)
    areas = roc_auc_covariance(positive, columns)
    old, new = map(float, areas.areas)
    _check_different(roc_auc_new=new, roc_auc_old=old)
    (variance, covariance), *_ = variances = areas.covariance * positive.size
    squares = 2 * (variance - covariance), variances.trace() - 2 * covariance
    return StudyDesign(new - old, *(math.sqrt(max(0.0, each)) for each in squares))


def proportion_design(proportion: float, null: float) -> StudyDesign:
    r"""Describe a study of one proportion, such as an accuracy or a pass rate, tested against a given one.

    Parameters
    ----------
    proportion : float
        The proportion that you expect, above 0 and below 1.
    null : float
        The proportion that the test should rule out, above 0 and below 1.

    Returns
    -------
    StudyDesign
        For `power` and `sample_size`; count only the cases that the proportion is of, such as positives for a recall.
        Range: a difference of -1 .. 1, and deviations of at least 0.

    Raises
    ------
    EvaluationError
        If a number is outside its range, or both proportions are equal.

    Notes
    -----
    $$\delta = p - p_0, \quad \sigma^2 = p (1 - p), \quad \sigma_0^2 = p_0 (1 - p_0)$$

    Use it for accuracies, recalls and pass rates of one model; not for a difference of two on the same cases.

    Of the score test, in its normal approximation.  O(1).  Source: J. L. Fleiss, B. Levin, M. C. Paik, Statistical
    Methods for Rates and Proportions, 3rd edition (2003), section 2.5.

    Examples
    --------
    >>> sample_size(proportion_design(0.93, null=0.9), power=0.8)
    716
    """
    _check_fractions(proportion=proportion, null=null)
    return StudyDesign(proportion - null, *(math.sqrt(value * (1 - value)) for value in (null, proportion)))


def power(design: StudyDesign, cases: int, *, level: float = 0.95) -> float:
    r"""Return the probability that a study with a given number of cases finds the difference.

    Parameters
    ----------
    design : StudyDesign
        From `roc_auc_design`, `paired_roc_auc_design`, `pilot_design` or `proportion_design`.
    cases : int
        Number of cases, of both classes together.
    level : float, default 0.95
        One less the size of the two-sided test, above 0 and below 1.

    Returns
    -------
    float
        In 0 .. 1; the chance of a significant difference in the wrong direction does not count.

    Raises
    ------
    EvaluationError
        If cases is negative or level outside its range.
    EvaluationTypeError
        If design is none, or cases is not an integer.

    Notes
    -----
    $$\Phi\left( \frac{\sqrt{n} |\delta| - z \sigma_0}{\sigma} \right)$$

    $\delta$, $\sigma_0$ and $\sigma$ are the fields of the design.  Use it before a study; once it is done, its
    interval says more.

    By the normal approximation, which promises too much below about 20 cases of each class.  O(1).  Source: S. J.
    Julious, Sample Sizes for Clinical Trials (2009), section 1.3.

    Examples
    --------
    >>> round(power(roc_auc_design(0.75, prevalence=0.4, variance="obuchowski"), 100), 4)
    0.9946
    """
    _check_design(design)
    reach = reach_of(checked_level(level))
    excess = abs(design.difference) * math.sqrt(check_count(cases, "cases")) - reach * design.null_deviation
    return float(excess > 0) if design.deviation == 0 else normal_probability(excess / design.deviation)


def sample_size(design: StudyDesign, power: float = 0.8, *, level: float = 0.95) -> int:
    r"""Return how many cases a study needs to find the difference.

    Parameters
    ----------
    design : StudyDesign
        From `roc_auc_design`, `paired_roc_auc_design`, `pilot_design` or `proportion_design`.
    power : float, default 0.8
        The probability that the difference is found, at least 0.5 and below 1.
    level : float, default 0.95
        One less the size of the two-sided test, above 0 and below 1.

    Returns
    -------
    int
        The least number of cases, of both classes together, with that power.  Range: at least 1.

    Raises
    ------
    EvaluationError
        If the difference is 0, or power or level is outside its range.
    EvaluationTypeError
        If design is none, or power is not a number.

    Notes
    -----
    $$\left\lceil \left( \frac{z \sigma_0 + z_p \sigma}{\delta} \right)^2 \right\rceil$$

    $\delta$, $\sigma_0$ and $\sigma$ are the fields of the design, $z_p$ is the normal quantile of the power.  Use it
    before a study.

    O(1).  Source: S. J. Julious, Sample Sizes for Clinical Trials (2009), section 1.3.

    Examples
    --------
    >>> sample_size(proportion_design(0.55, null=0.5), power=0.9, level=0.99)
    1483
    """
    _check_design(design)
    check(0.5 <= check_number(power, "power") < 1, "power", "be at least 0.5 and below 1", repr(power))
    refuse({"the difference of design must not be 0, which no number of cases detects": not design.difference})
    reach = reach_of(checked_level(level))
    standard_errors = reach * design.null_deviation + normal_quantile(power) * design.deviation
    return math.ceil((standard_errors / design.difference) ** 2)


def _check_design(design: Any) -> None:
    got = f"{shown(design)}; make one, such as by paired_roc_auc_design(0.8, 0.85)"
    check(isinstance(design, StudyDesign), "design", "be a StudyDesign", got, EvaluationTypeError)


def _check_fractions(**values: float) -> None:
    for name, value in values.items():
        check_open_fraction(value, name, least_percent=2)
    _check_different(**values)


def _check_different(**values: float) -> None:
    (name, value), (other, tested), *_ = values.items()
    check(value != tested, name, f"differ from {other}", f"{value!r} for both: there is nothing to find")


def _area_variance(area: float, prevalence: float) -> float:
    """Return the variance of the area of normal scores, times the number of cases.  O(1)."""
    return _area_covariance(area, area, 1.0, prevalence)


def _area_covariance(first: float, second: float, correlation: float, prevalence: float) -> float:
    """Return the covariance of two areas of normal scores, times the number of cases.  O(1).

    That of the placements of one class is the integral of the normal density of both quantiles over correlations up to
    half of that of the scores.  Source: R. L. Plackett, Biometrika 41 (1954) 351-360.
    """
    a, b = normal_quantile(first), normal_quantile(second)
    correlations = correlation / 4 * (_NODES + 1)
    rest = 1 - correlations**2
    densities = np.exp(-(a * a - 2 * correlations * a * b + b * b) / (2 * rest)) / (2 * np.pi * np.sqrt(rest))
    return float(correlation / 4 * (densities * _WEIGHTS).sum()) / (prevalence * (1 - prevalence))


def _obuchowski_variance(area: float, prevalence: float) -> float:
    """Return the published approximation, with its rounded constants, times the number of cases.  O(1)."""
    square = (normal_quantile(area) * 1.414) ** 2
    of_negatives = (square + 8) * prevalence / (1 - prevalence)
    return 0.0099 * math.exp(-square / 2) * (5 * square + 8 + of_negatives) / prevalence
