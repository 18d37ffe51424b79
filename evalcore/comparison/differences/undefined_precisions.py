"""Precision where a model predicts no case of a class: 0/0, for which comparisons have 0 as reports do."""

import numpy as np

from evalcore.comparison.model import MeasureDifference
from evalcore.inference.intervals import Comparison

NOT_PREDICTED = "not predicted"
"""In place of a method, where one model predicts no case of the class: there is no interval."""


def as_reported(difference: MeasureDifference, positives: int, negatives: int) -> MeasureDifference:
    """Return a difference with a precision of 0 for a model that never predicts a class that occurs.  O(1).

    Two models that both do so decide all cases alike, and are equal.

    >>> found = Comparison((np.nan, 0.75), np.nan, np.nan, np.nan, 0.95, np.nan, np.nan, "delta")
    >>> as_reported(MeasureDifference("precision@0.9", "precision at threshold 0.9", found), 3, 5).found
    0 - 0.75 = -0.75 [nan, nan] (95% not predicted), p = nan
    """
    cases = {"precision": positives, "negative_predictive_value": negatives}.get(difference.measure.partition("@")[0])
    found = difference.found
    if not cases or not np.isnan(found.estimates).any():
        return difference
    new, old = np.nan_to_num(found.estimates).tolist()
    p_value = 1.0 if np.isnan(found.estimates).all() else np.nan
    zero = Comparison((new, old), new - old, np.nan, np.nan, found.level, np.nan, p_value, NOT_PREDICTED)
    return difference._replace(found=zero, error=np.nan)
