"""Net benefit: what decisions by a probability are worth, in true positives."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.measures import binary
from evalcore.metrics.threshold_selection import metric_curves
from evalcore.typing import FloatArray, Label
from evalcore.validation.array_likes import as_1d, as_finite_scores


def net_benefit(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    thresholds: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> FloatArray:
    """Return the net benefit per case of treating the cases whose probability is at least a threshold.

    Compare it with 0, which treats nobody, and with the net benefit of treating all: that of equal probabilities.

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
    O(n log n + t log n).  Source: A. J. Vickers and E. B. Elkin, Decision curve analysis: a novel method for evaluating
    prediction models, Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.5])
    array([0.4375, 0.25  ])
    """
    levels = as_finite_scores(as_1d(thresholds, "thresholds"), "thresholds").astype(np.float64, copy=False)
    outside = levels[(levels <= 0) | (levels >= 1)]
    if outside.size:
        raise EvaluationError(f"thresholds must be above 0 and below 1, got {outside[0]}")
    counts = metric_curves(
        y_true, y_prob, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    ascending = counts.thresholds[::-1]
    if ascending[0] < 0 or ascending[-1] > 1:
        raise EvaluationError(f"y_prob must be in 0 .. 1, got {ascending[0] if ascending[0] < 0 else ascending[-1]}")
    # in the width of the probabilities, so that 0.1 reaches 0.1
    read = levels.astype(ascending.dtype) if ascending.dtype.kind == "f" else levels
    reached = ascending.size - np.searchsorted(ascending, read)
    tp, fp = (np.concatenate([[0.0], sums])[reached] for sums in (counts.tp, counts.fp))
    return np.asarray(binary.net_benefit(tp, counts.tp[-1] - tp, fp, counts.fp[-1] - fp, levels))
