"""Comparisons of the ROC areas of two models, on the same cases or on different ones."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.curve_areas import (
    AreaEstimate,
    area_of_cases,
    area_of_moments,
    interval_of_area,
    joint_areas,
    joint_areas_of_moments,
)
from evalcore.inference.intervals import (
    Comparison,
    Interval,
    checked_level,
    student_reach,
    student_tails,
    undefined_interval,
)
from evalcore.inference.roc_area_bounds import (
    AREA_PAIR,
    DEFAULT_AREA_METHOD,
    DIFFERENCE_METHODS,
    JointAreas,
    PairedAreas,
    compare_areas,
    difference_method,
)
from evalcore.inference.units import Units, checked_units
from evalcore.kernels.placements import PlacementMoments, Placements, moments_of
from evalcore.measures import roc_variances
from evalcore.typing import BoolArray, FloatArray, Label, RocDifferenceMethod, ScoreArray, WeightType
from evalcore.validation.arrays import as_scores, check_equal_lengths, check_indices
from evalcore.validation.targets import as_positive_mask, as_scored_cases
from evalcore.validation.values import check_choice

_TOO_MANY = 1 << 31
"""Placements are kept in 32 bits."""


@equal_by_content
class RocAreas(NamedTuple):
    """Areas under the ROC curves of k models, and how they vary together from sample to sample."""

    areas: FloatArray
    """Shape (k,), in 0 .. 1."""
    covariance: FloatArray
    """Covariances of the areas, shape (k, k); their variances on the diagonal."""


class PlacedAreas(NamedTuple):
    """What the placements of k models say of their ROC areas."""

    intervals: list[Interval]
    """Of each model."""
    comparisons: list[Comparison]
    """Of the pairs that were asked for."""


def compare_roc_auc(
    y_true: ArrayLike,
    y_score1: ArrayLike,
    y_score2: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: RocDifferenceMethod = "delong-score",
) -> Comparison:
    r"""Compare the areas under the ROC curves of two models that scored the same cases.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score1, y_score2 : array-like of shape (n,)
        Scores of the first and of the second model, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type, cluster
        As `roc_auc_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.
    method : {'delong-score', 'delong'}
        'delong-score', the default, inverts a score test: the variance grows with the distance from the difference
        where few cases are misplaced.  It has bounds and a p-value where both models separate the classes too, is close
        to 'delong' for many cases, and holds differences of large areas more often.
        'delong' assumes a normal difference with DeLong's variance, as pROC does.

    Returns
    -------
    Comparison
        Of the areas, the first less the second.  The statistic is normal if the true areas are equal.  The bounds are
        cut to -1 .. 1, and hold 0 if and only if the p-value is above 1 - level.  For a model and itself, and others
        that rank all cases alike, the p-value is 1, and the bounds of 'delong-score' are those of models that rank half
        a case differently: 0 for many cases.  If they separate the classes, the cases do not tell how alike they
        are, and the bounds are those for any two such models.  If the difference has no variance, statistic and bounds
        of 'delong' are NaN, and its p-value is 1 if the areas are equal, NaN if not.  Range: the p-value 0 .. 1.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range; if the method is
        unknown; if weights or clusters are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases: bounds, statistic and p-value are NaN, and if it has none, the areas too.
        If a class occurs in fewer than two clusters.  By 'delong', if the difference has no variance.

    Notes
    -----
    $$z = \frac{A_1 - A_2}{\sqrt{V_1 + V_2 - 2 C_{12}}}$$

    That is the statistic of 'delong', with variances and covariance of `roc_auc_covariance`.  Use it in place of two
    intervals, which are too wide for models that scored the same cases.

    O(n log n): each model is sorted once.  The variance is the exact one, rounded once.  Measured on 2,000 samples of
    200 cases each, half or a tenth of them positive, with normal scores of correlation 1/2, 95% bounds of 'delong' held
    the true difference of areas of 0.75 in 95.6 and 94.0%, of 0.9 and 0.75 in 94.3 and 93.6%; benchmarks/README.md has
    more, and how 'delong-score' was found.  With clusters the variance is Obuchowski's, and the statistic is Student's,
    with one degree of freedom less than there are clusters.  For two models that scored different cases see
    `compare_unpaired_roc_auc`.  Sources: those of `roc_auc_interval`.

    Examples
    --------
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> compare_roc_auc(y_true, [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], [0.1, 0.6, 0.2, 0.3, 0.5, 0.4])
    0.888889 - 0.666667 = 0.222222 [-0.480522, 0.924966] (95% delong-score), p = 0.44
    """
    check_choice(method, DIFFERENCE_METHODS, "method", "compare_roc_auc")
    confidence = checked_level(level)
    check_indices(y_true=y_true, y_score1=y_score1, y_score2=y_score2, sample_weight=sample_weight, cluster=cluster)
    correct = as_positive_mask(y_true, pos_label, "compare_roc_auc")
    units = checked_units(sample_weight, weight_type, correct.size, "compare_roc_auc", cluster)
    columns = checked_columns(correct, [("y_score1", y_score1), ("y_score2", y_score2)], units)
    return _compared(joint_areas(correct[units.chosen], columns, units, AREA_PAIR), confidence, method)


def _compared(found: JointAreas, level: float, method: str) -> Comparison:
    """Compare two areas as `compare_roc_auc`, and warn where there are no bounds.  O(1)."""
    [compared] = compare_areas(found.pair, level, method, np.array([found.freedom]))
    if math.isnan(compared.low):
        lack = found.lack or "the difference has no variance"
        undefined_interval(compared.difference, level, method, lack, stacklevel=4)
    return compared


def areas_of_placements(
    models: Sequence[Placements], pairs: Sequence[tuple[int, int]], level: float, method: str = DEFAULT_AREA_METHOD
) -> PlacedAreas:
    """Return intervals of k models, and compare pairs of them, by their indices.  O((k + pairs) n)."""
    moments = moments_of(models, pairs)
    areas = (area_of_moments(moments.of([model])) for model in range(len(models)))
    joint = (joint_areas_of_moments(moments.of(pair), AREA_PAIR) for pair in pairs)
    compared = [_compared(pair, level, difference_method(method)) for pair in joint]
    return PlacedAreas([interval_of_area(area, level, method) for area in areas], compared)


def check_comparable(cases: int, name: str) -> None:
    """Raise EvaluationError for more cases than comparisons take; name: of the column.  O(1)."""
    if cases >= _TOO_MANY:
        raise EvaluationError(f"{name} must have fewer than {_TOO_MANY:,} cases for a comparison, got {cases:,}")


def roc_auc_covariance(
    y_true: ArrayLike,
    y_scores: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
) -> RocAreas:
    r"""Return the areas under the ROC curves of several models that scored the same cases, and their covariances.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_scores : array-like of shape (n, k), or list or tuple of k array-likes of shape (n,)
        Scores of each model, in a column or an element of the list, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type, cluster
        As `roc_auc_interval`.

    Returns
    -------
    RocAreas
        Areas (k,) in 0 .. 1, as from `evalcore.metrics.roc_auc_score`, and covariances (k, k), float64.  The difference
        of two areas has the sum of their variances less twice their covariance.

    Raises
    ------
    EvaluationTypeError
        If labels or scores have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, scores are not two-dimensional, or there is no
        model; if weights or clusters are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or occurs in fewer than two clusters: the covariances are NaN, and if it
        has none, the areas too.

    Notes
    -----
    $$\hat C_{kl} = \frac{S^{10}_{kl}}{m} + \frac{S^{01}_{kl}}{n}$$

    $S^{10}$ and $S^{01}$ are the covariances of the placements of the $m$ positive and the $n$ negative cases.  Use
    it to build tests of several areas of your own; for two `compare_roc_auc`.

    O(k n log n + k² n): each model is sorted once.  Every number is the exact one, rounded once.  Sources: those of
    `roc_auc_interval`.

    Examples
    --------
    >>> roc_auc_covariance([0, 0, 1, 1], [[0.1, 0.4, 0.3, 0.8], [0.2, 0.1, 0.9, 0.7]])
    RocAreas(areas=array([0.75, 1.  ]), covariance=array([[0.125, 0.   ],
           [0.   , 0.   ]]))
    """
    models = _scores_of_models(y_scores)
    check_indices(y_true=y_true, y_scores=y_scores, **dict(models), sample_weight=sample_weight, cluster=cluster)
    correct = as_positive_mask(y_true, pos_label, "roc_auc_covariance")
    units = checked_units(sample_weight, weight_type, correct.size, "roc_auc_covariance", cluster)
    columns = checked_columns(correct, models, units)
    found = joint_areas(correct[units.chosen], columns, units)
    if found.lack:
        message = f"The covariances of the ROC areas are not defined: {found.lack}."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return RocAreas(found.areas, found.covariance)


def pair_of_moments(moments: PlacementMoments) -> PairedAreas:
    """Return the areas of two rankings with DeLong's variances.  O(1)."""
    return joint_areas_of_moments(moments, AREA_PAIR).pair


def checked_columns(correct: BoolArray, models: list[tuple[str, Any]], units: Units) -> list[ScoreArray]:
    """Return the scores of each model, (m,), of the cases with a weight above zero.  O(k n)."""
    check_comparable(correct.size, "y_true")
    columns: list[ScoreArray] = []
    for name, scores in models:
        columns.append(as_scores(scores, name))
        check_equal_lengths(correct, columns[-1], "y_true", name)
    return [column[units.chosen] for column in columns]


def _scores_of_models(y_scores: Any) -> list[tuple[str, Any]]:
    """Return the scores of each model with the name of its column.  O(k)."""
    if isinstance(y_scores, list | tuple):
        models = [(f"y_scores[{index}]", scores) for index, scores in enumerate(y_scores)]
    else:
        columns = np.asanyarray(y_scores)  # a masked array stays one, and is refused by column
        if columns.ndim != 2:
            raise EvaluationError(f"y_scores must be of shape (n, k) or a list of columns, got shape {columns.shape}")
        models = [(f"y_scores[:, {index}]", columns[:, index]) for index in range(columns.shape[1])]
    if not models:
        raise EvaluationError("y_scores must hold the scores of at least one model")
    return models


def compare_unpaired_roc_auc(
    y_true1: ArrayLike,
    y_score1: ArrayLike,
    y_true2: ArrayLike,
    y_score2: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight1: ArrayLike | None = None,
    sample_weight2: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
) -> Comparison:
    r"""Compare the areas under the ROC curves of two models that scored different, independent cases.

    Parameters
    ----------
    y_true1, y_score1 : array-like of shape (n,)
        Labels and scores of the cases of the first model, as `roc_auc_interval` takes them.
    y_true2, y_score2 : array-like of shape (m,)
        Labels and scores of the cases of the second model.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight1 : array-like of shape (n,), optional
        Weights of the cases of the first model, as for `roc_auc_interval`.
    sample_weight2 : array-like of shape (m,), optional
        Weights of the cases of the second model.
    weight_type : {'sampling', 'frequency'}
        What the weights of both samples are, as for `roc_auc_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.

    Returns
    -------
    Comparison
        Of the areas, the first less the second.  The statistic has Student's distribution, with Welch's degrees of
        freedom, if the true areas are equal, as in the R package pROC.  The bounds are cut to -1 .. 1.  If neither
        area has a variance, statistic and bounds are NaN, and the p-value is 1 if the areas are equal, NaN if not.
        Range: the p-value 0 .. 1.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range;
        if weights are invalid, as for `roc_auc_interval`; if SciPy is not installed.

    Warns
    -----
    UndefinedMetricWarning
        If a class of either sample has fewer than two cases: bounds, statistic and p-value are NaN, and if it has none,
        the area too.  If neither area has a variance.

    Notes
    -----
    $$t = \frac{A_1 - A_2}{\sqrt{V_1 + V_2}}$$

    Use it for different cases, such as two hospitals; of the same cases it finds too little.

    O(n log n + m log m).  Measured on 2,000 pairs of samples of 200 cases each, half of the first and a tenth of the
    second positive, with normal scores, 95% bounds held the true difference of areas of 0.75 in 93.9%, of 0.9 and 0.75
    in 93.5%.  With sampling weights the degrees of freedom count effective cases, as of 1 / Σ (w / W)² equal ones: no
    source says so.  Of 1,000 pairs of samples bounds held a difference of 0.1 in 95.6% with a tenth of the negatives,
    in 94.9% of 200 cases each with lognormal weights, and in 90.4% of 100 such cases and 400 of more equal weights.
    Sources: those of `roc_auc_interval`, and X. Robin et al., pROC: an open-source package for R
    and S+ to analyze and compare ROC curves, BMC Bioinformatics 12 (2011) 77.

    Examples
    --------
    >>> first = [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7]
    >>> compare_unpaired_roc_auc(*first, [0, 0, 1, 1, 1, 0], [0.3, 0.6, 0.5, 0.4, 0.7, 0.2])
    0.888889 - 0.777778 = 0.111111 [-0.56058, 0.782802] (95% delong), p = 0.715
    """
    confidence = checked_level(level)
    given = (y_true1, y_score1, ("y_true1", "y_score1")), (y_true2, y_score2, ("y_true2", "y_score2"))
    function = "compare_unpaired_roc_auc"
    check_indices(y_true1=y_true1, y_score1=y_score1, sample_weight1=sample_weight1)
    check_indices(y_true2=y_true2, y_score2=y_score2, sample_weight2=sample_weight2)
    samples = [as_scored_cases(labels, scores, pos_label, function, names) for labels, scores, names in given]
    columns = sample_weight1, sample_weight2
    of_one = any(column is not None for column in columns)  # the other sample may have none
    drawn = []
    for number, column, cases in zip((1, 2), columns, samples, strict=True):
        kind, names = weight_type if column is not None or not of_one else "sampling", f"sample_weight{number}"
        drawn.append(checked_units(column, kind, cases.correct.size, function, name=names))
    first, second = map(area_of_cases, samples, drawn)
    return compare_independent_areas((first, second), confidence)


def compare_independent_areas(samples: tuple[AreaEstimate, AreaEstimate], level: float) -> Comparison:
    """Compare the areas of two samples of different cases, as `compare_unpaired_roc_auc` does.  O(1)."""
    estimates = samples[0].area, samples[1].area
    difference, variances = estimates[0] - estimates[1], (samples[0].variance, samples[1].variance)
    lacks = [f"in sample {number}, {lack}" for number, sample in enumerate(samples, 1) if (lack := sample.why_no_test)]
    total, statistic = sum(variances), math.nan
    if total > 0:
        freedom = max(roc_variances.welch_freedom(variances, (samples[0].cases, samples[1].cases)), 1.0)
        reach, statistic = student_reach(level, freedom) * math.sqrt(total), difference / math.sqrt(total)
        p_value = student_tails(statistic, freedom)
        low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    else:
        low, high = undefined_interval(difference, level, "delong", "; ".join(lacks), 4)
        p_value = 1.0 if total == 0 == difference else math.nan  # equal models always differ at least as much
    return Comparison(estimates, difference, low, high, level, statistic, p_value, "delong")
