"""Intervals of the agreement of several raters, such as people and the models that judge in their place."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError
from evalcore.inference.intervals import Interval, checked_level, student_reach, student_tails, undefined_interval
from evalcore.measures import raters
from evalcore.measures.raters import DISTANCES, RatingWeights, middle_ranks, rating_weights
from evalcore.typing import AgreementCoefficient, AgreementWeights, FloatArray, RatingMetric
from evalcore.validation.categories import Ratings, as_ratings
from evalcore.validation.values import check_choice

_WEIGHTS_OF_METRICS = {"nominal": "identity", "ordinal": "quadratic", "interval": "quadratic", "ratio": "ratio"}
_MOST_CATEGORIES = 1 << 12
"""Of weights that are held as a table."""
_LEAST = {"percent": 0.0}
"""Of coefficients; others have no least value that all weights share."""


@equal_by_content
@dataclass(frozen=True, slots=True, repr=False)
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

    __hash__ = content_hash


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
        'quadratic') or, for 'ratio', are negative; if an option is unknown, the level is not a number between 0 and 1,
        or SciPy is not installed.

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
    function = "agreement_interval"
    check_choice(coefficient, tuple(raters.CHANCE_AGREEMENTS), "coefficient", function)
    check_choice(weights, ("identity", "quadratic", *DISTANCES), "weights", function)
    confidence = checked_level(level)
    rated = as_ratings(ratings, categories)
    found = raters.rater_agreement(rated.codes, _weights(rated, weights, f"weights={weights!r}"), coefficient)
    return _interval(found, confidence, coefficient)


def krippendorff_interval(
    ratings: ArrayLike,
    *,
    metric: RatingMetric = "nominal",
    categories: ArrayLike | None = None,
    level: float = 0.95,
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
        As `agreement_interval`.

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
    confidence = checked_level(level)
    rated = as_ratings(ratings, categories)

    def weights_of(fractions: FloatArray) -> RatingWeights:
        if metric == "ordinal":
            return rating_weights(middle_ranks(fractions), "quadratic")
        return _weights(rated, _WEIGHTS_OF_METRICS[metric], f"metric={metric!r}")

    found = raters.krippendorff_alpha(rated.codes, weights_of, len(rated.categories))
    return _interval(found, confidence, "krippendorff")


def _weights(rated: Ratings, kind: str, option: str) -> RatingWeights:
    """Return the weights of ratings, or raise EvaluationError that names the option.  O(q²)."""
    if kind == "identity" or not rated.categories.size:
        return rating_weights(np.empty(rated.categories.size), "identity")
    values = rated.finite_values(option)
    if kind == "ratio" and values.min() < 0:
        raise EvaluationError(f"ratings must not be negative for {option}, got {values.min():g}")
    if kind in DISTANCES and values.size > _MOST_CATEGORIES:
        raise EvaluationError(
            f"ratings must have at most {_MOST_CATEGORIES} different values for {option}, got {values.size}; round them"
        )
    return rating_weights(values, kind)


def _interval(found: raters.RaterAgreement, level: float, method: str) -> AgreementInterval:
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
        low, high = undefined_interval(found.estimate, level, method, why, stacklevel=4)
    else:
        reach = student_reach(level, freedom) * error
        low, high = max(found.estimate - reach, _LEAST.get(method, -math.inf)), min(found.estimate + reach, 1.0)
        p_value = student_tails(found.estimate / error, freedom)
    parts = error, found.observed, found.by_chance, p_value, found.subjects
    return AgreementInterval(found.estimate, low, high, level, method, *parts)
