"""What decisions by a threshold are worth: expected cost, and net benefit."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.measures import binary
from evalcore.measures.optima import best_threshold, parse_criterion
from evalcore.metrics.threshold_selection import metric_curves
from evalcore.typing import FloatArray, Label
from evalcore.validation.scores import as_decision_thresholds, check_within_unit
from evalcore.validation.values import check_finite_number


class BestThreshold(NamedTuple):
    """The least expected cost of a decision, and the threshold that has it."""

    cost: float
    """Per case, or per unit of weight."""
    threshold: float
    """Scores of at least this are predicted positive; infinity predicts none."""


def expected_cost(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    false_positive: float,
    false_negative: float,
    true_positive: float = 0.0,
    true_negative: float = 0.0,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> BestThreshold:
    r"""Return the least expected cost per case of a threshold, and the threshold.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.
    false_positive, false_negative, true_positive, true_negative : float
        Costs of a case in each cell, finite; gains are negative costs.

    Returns
    -------
    BestThreshold
        Of equal costs the one of the highest threshold.

    Raises
    ------
    InvalidParameterError
        If a cost is not finite.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\min_t \frac{c_{fp} fp + c_{fn} fn + c_{tp} tp + c_{tn} tn}{n}$$

    Range: between the least and the largest of the four costs; the least is best.  Use it where you can say how many
    false positives a miss is worth; where you cannot, show `net_benefit` at several thresholds.

    O(n log n).  Source: C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.

    Examples
    --------
    >>> expected_cost([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], false_positive=1.0, false_negative=5.0)
    BestThreshold(cost=0.25, threshold=0.35)
    """
    given = {
        "true_positive": true_positive,
        "false_negative": false_negative,
        "false_positive": false_positive,
        "true_negative": true_negative,
    }
    costs = np.array([check_finite_number(cost, name, "expected_cost") for name, cost in given.items()])
    counts = metric_curves(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    best = best_threshold(parse_criterion("cost", costs), counts.tp, counts.fp, counts.thresholds)
    return BestThreshold(best.value, best.threshold)


def net_benefit(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    thresholds: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> FloatArray:
    r"""Return the net benefit per case of treating the cases whose probability is at least a threshold.

    Compare it with 0, which treats nobody, and with the net benefit of treating all: that of equal probabilities.
    `evalcore.inference.decision_curve` gives both, with intervals.

    Parameters
    ----------
    y_true, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    thresholds : array-like of shape (t,)
        Probabilities above 0 and below 1, from which on treatment is worth while.

    Returns
    -------
    (t,) float64
        tp / n - fp / n * threshold / (1 - threshold), at most the prevalence; may be negative.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If thresholds are not above 0 and below 1, or probabilities not in 0 .. 1, and as `metric_curves`.

    Notes
    -----
    $$\frac{tp}{n} - \frac{fp}{n} \cdot \frac{t}{1 - t}$$

    Range: up to the prevalence, which is best; negative if treating nobody is better.  Use it for calibrated
    probabilities whose threshold says how many false positives a true one is worth.  Equal to the R package dcurves'
    `dca`.

    O(n log n + t log n).  Source: A. J. Vickers and E. B. Elkin, Decision curve analysis: a novel method for evaluating
    prediction models, Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.5])
    array([0.4375, 0.25  ])
    """
    levels = as_decision_thresholds(thresholds)
    counts = metric_curves(
        y_true, y_prob, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    ascending = counts.thresholds[::-1]
    check_within_unit(ascending[0], ascending[-1], "y_prob")
    # in the width of the probabilities, so that 0.1 reaches 0.1
    read = levels.astype(ascending.dtype) if ascending.dtype.kind == "f" else levels
    reached = ascending.size - np.searchsorted(ascending, read)
    tp, fp = (np.concatenate([[0.0], sums])[reached] for sums in (counts.tp, counts.fp))
    return np.asarray(binary.net_benefit(tp, counts.tp[-1] - tp, fp, counts.fp[-1] - fp, levels))
