"""Thresholds that are best by a criterion, and the rates that are reached where another rate is required."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import numpy as np
from numpy.typing import ArrayLike

from evalcore.measures import binary, thresholds
from evalcore.measures.optima import OptimalThreshold, best_threshold, parse_criterion
from evalcore.metrics.threshold_selection import metric_curves
from evalcore.typing import FloatArray, Label
from evalcore.validation.values import check_costs, check_real


def optimal_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    criterion: str = "youden",
    *,
    cost: tuple[float, float] | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> OptimalThreshold:
    """Return the threshold that is best by a criterion, and its value.

    The value looks better than it will be on other cases, for it is the best of many:
    `evalcore.inference.optimal_threshold_interval` says by how much.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.
    criterion : str, default "youden"
        ``youden``, recall + specificity - 1; ``balanced_accuracy``; ``f1``, ``f2``, ``f0.5`` and so on, the F measure
        with that beta; ``mcc``, Matthews' correlation; ``accuracy``; ``ks``, the distance of the true and the false
        positive rate; ``eer``, the equal error rate; or ``cost``, the expected cost.  The largest value is best, but
        of ``eer`` and ``cost`` the smallest.
    cost : (float, float), optional
        For ``cost``, the costs of a false positive and of a false negative, at least 0.

    Returns
    -------
    OptimalThreshold
        Of equal values the one of the highest threshold; infinity if it is best to predict no positive.  Both are NaN
        if the value is not defined, such as for one class.  The equal error rate is interpolated between two points of
        the ROC curve, and its threshold is the highest score at which the false positive rate is at least the false
        negative rate.

    Raises
    ------
    EvaluationError
        For other criteria; if `cost` is missing for ``cost``, or given for another; and as `metric_curves`.
    InvalidParameterError
        If `cost` is not two finite numbers of at least 0.

    Notes
    -----
    Range: the threshold is one of the scores, or infinity, the value that of the criterion.  Use ``cost`` if you know
    what mistakes cost; ``youden`` weighs both rates alike, whatever the prevalence.  Equal to the R package pROC's
    `coords(x = "best")` for ``youden``, but that its thresholds are halfway between scores.

    O(n log n).  Sources: W. J. Youden, Index for rating diagnostic tests, Cancer 3 (1950) 32-35; A. Martin et al., The
    DET curve in assessment of detection task performance, Eurospeech 1997; for costs that of `expected_cost`.

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> optimal_threshold(y_true, y_score)
    OptimalThreshold(threshold=0.8, value=0.5)
    >>> optimal_threshold(y_true, y_score, "f2")
    OptimalThreshold(threshold=0.35, value=0.9090909090909091)
    """
    asked = parse_criterion(criterion, None if cost is None else check_costs(cost, "cost", "optimal_threshold"))
    counts = metric_curves(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    return best_threshold(asked, counts.tp, counts.fp, counts.thresholds)


def recall_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    specificity: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the largest recall, or sensitivity, of a threshold whose specificity is at least the one given.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `metric_curves`.
    specificity : float
        The least specificity, in 0 .. 1.

    Returns
    -------
    float
        max {recall(t): specificity(t) >= specificity} over the scores t, in 0 .. 1; 0.0 if only to predict no positive
        has that specificity; NaN for one class.

    Raises
    ------
    InvalidParameterError
        If `specificity` is outside 0 .. 1.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \{ R(t) : S(t) \geq s \}$$

    $R$ is recall and $S$ specificity.  Range: 0 to 1; 1 is best.  Use it where only so many false alarms can be
    afforded.  Equal to the largest true positive rate of scikit-learn's `roc_curve` among points whose false positive
    rate is at most 1 - s.

    O(n log n).  Its interval is that of ``recall_at_specificity@0.9`` and the like in
    `evalcore.inference.bootstrap_interval`.

    Examples
    --------
    >>> recall_at_specificity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.9)
    0.5
    """
    check_real(specificity, 0, 1, "specificity", "recall_at_specificity")
    recalls, specificities = _rates(y_true, y_score, pos_label, sample_weight)
    return thresholds.largest_where(recalls, specificities, specificity)


def specificity_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    recall: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the largest specificity of a threshold whose recall, or sensitivity, is at least the one given.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `metric_curves`.
    recall : float
        The least recall, in 0 .. 1.

    Returns
    -------
    float
        max {specificity(t): recall(t) >= recall} over the scores t, in 0 .. 1; NaN for one class.

    Raises
    ------
    InvalidParameterError
        If `recall` is outside 0 .. 1.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \{ S(t) : R(t) \geq r \}$$

    $R$ is recall and $S$ specificity.  Range: 0 to 1; 1 is best.  Use it where so many positives must be found.  Equal
    to 1 - the least false positive rate of scikit-learn's `roc_curve` among points of that recall.

    O(n log n).  Its interval is that of ``specificity_at_recall@0.9`` and the like in
    `evalcore.inference.bootstrap_interval`.

    Examples
    --------
    >>> specificity_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.9)
    0.5
    """
    check_real(recall, 0, 1, "recall", "specificity_at_recall")
    recalls, specificities = _rates(y_true, y_score, pos_label, sample_weight)
    return thresholds.largest_where(specificities, recalls, recall)


def _rates(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: Label | None, sample_weight: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Check cases, and return the recall and the specificity at every threshold, (p,).  O(n log n)."""
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    recalls, specificities = binary.recall(counts.tp, counts.fn), binary.specificity(counts.fp, counts.tn)
    return np.asarray(recalls), np.asarray(specificities)
