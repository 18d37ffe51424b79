"""Cuts: the ends of the intervals of summaries that will merge."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.ordering import order
from evalcore.kernels.ranked_batches import CountedBatch, RankedBatch, WeightedBatch
from evalcore.kernels.score_bins import cut_points
from evalcore.typing import FloatArray, Label
from evalcore.validation.arrays import as_cases, as_scores, check_indices
from evalcore.validation.positive_labels import as_positive_mask
from evalcore.validation.single_values import check_count
from evalcore.validation.weights import as_case_weights

DEFAULT_CAPACITY = 65_536
_LEAST_CAPACITY = 4


def learn_cuts(
    y: ArrayLike,
    s: ArrayLike,
    capacity: int = DEFAULT_CAPACITY,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> FloatArray:
    """Return the cuts that a first batch of cases suggests, for summaries that will merge.  O(n log n).

    Parameters
    ----------
    y, s
        As for `ScoreSummary.update`: at least one case, better ten for each interval.
    capacity : int
        Of the summaries.
    sample_weight : array-like of shape (n,), optional
        As for `ScoreSummary.update`, not all of them zero.
    pos_label : int, float, bool or str, optional
        As for `ScoreSummary.update`.

    Returns
    -------
    (c,) float64
        Ascending, c < capacity.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `ScoreSummary`, and if there are no cases.

    Notes
    -----
    Use it before summaries are made in several places, on a sample of what they will see; a single summary learns
    its own.

    Examples
    --------
    >>> cuts = learn_cuts([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], capacity=4)
    >>> cuts
    array([0.3, 0.5])
    """
    check_indices(y=y, s=s, sample_weight=sample_weight)
    checked = as_cases(as_positive_mask(y, pos_label, "learn_cuts", "y"), s, ("y", "s"))
    if checked.scores.size == 0:
        raise EvaluationError("y must hold at least one case to learn cuts from, got none")
    if sample_weight is None:
        batch: RankedBatch = CountedBatch(order(checked.scores, checked.correct))
    else:
        weights = as_case_weights(sample_weight, checked.scores.size)
        present = weights > 0
        signed = np.where(checked.correct, weights, -weights)
        batch = WeightedBatch(checked.scores[present], signed[present])
    return cut_points(batch.points, checked_capacity(capacity))


def checked_capacity(capacity: Any) -> int:
    """Return a valid number of intervals.  Raises as `ScoreSummary`.  O(1)."""
    number = check_count(capacity, "capacity")
    if number < _LEAST_CAPACITY:
        raise EvaluationError(f"capacity must be at least {_LEAST_CAPACITY}, got {number}")
    return number


def checked_cuts(cuts: Any, capacity: int) -> FloatArray:
    """Return valid cuts as (c,) float64, read-only.  Raises as `ScoreSummary`.  O(c)."""
    ascending = as_scores(cuts, "cuts").astype(np.float64) + 0.0
    if np.any(ascending[1:] <= ascending[:-1]):
        index = int(np.argmax(ascending[1:] <= ascending[:-1])) + 1
        raise EvaluationError(
            f"cuts must be ascending, got {ascending[index]} at index {index} after {ascending[index - 1]}"
        )
    if ascending.size >= capacity:
        raise EvaluationError(f"cuts must be fewer than the capacity {capacity}, got {ascending.size}")
    ascending.flags.writeable = False
    return ascending
