"""Intervals of sensitivity, specificity, precision and the like at given thresholds."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference.curves.curve_bands import CurveBand
from evalcore.inference.interval_columns import decision_intervals_of_weights
from evalcore.inference.intervals import checked_level
from evalcore.inference.sampling_units import checked_weights
from evalcore.kernels.weights import WeightSums, weights_from_thresholds
from evalcore.measures.multiclass import DECISION_RATIOS
from evalcore.measures.thresholds import decisions_at
from evalcore.text_tables import html_columns
from evalcore.typing import FloatArray, Label, WeightType
from evalcore.validation.arrays import as_scores, check_indices, check_several
from evalcore.validation.targets import as_scored_cases


@equal_by_content
class ThresholdIntervals(NamedTuple):
    """Measures of the decisions at each of t thresholds: `x` thresholds, `y` the measure, with bounds."""

    recall: CurveBand
    """The sensitivity."""
    specificity: CurveBand
    precision: CurveBand
    """The positive predictive value; NaN where no case is predicted positive."""
    negative_predictive_value: CurveBand
    """NaN where no case is predicted negative."""
    accuracy: CurveBand

    def _repr_html_(self) -> str:
        columns: dict[str, Any] = {"threshold": self.recall.x}
        for name, band in self._asdict().items():
            columns |= {name: band.y, f"{name} low": band.low, f"{name} high": band.high}
        return html_columns(columns)


def threshold_intervals(
    y_true: ArrayLike,
    y_score: ArrayLike,
    thresholds: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
) -> ThresholdIntervals:
    r"""Return recall, specificity, precision and the like at each of some thresholds, with intervals.

    Use it for thresholds that were fixed before the cases were seen; for one that was chosen on them
    `optimal_threshold_interval`, for a threshold that gives a specificity or a sensitivity `sensitivity_intervals` and
    `specificity_intervals`, and ``precision_at_recall@0.9`` and the like in `bootstrap_interval`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores that float32 or float64 hold exactly; they may be infinite.
    thresholds : array-like of shape (t,)
        Scores from which on a case is predicted positive, in any order; they may be infinite.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type
        As for `accuracy_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true value at any one threshold, above 0 and
        below 1.

    Returns
    -------
    ThresholdIntervals
        Each measure as a `CurveBand`: values and bounds in 0 .. 1, of shape (t,), NaN for 0 of 0 cases.

    Raises
    ------
    EvaluationTypeError
        If labels, scores, thresholds or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores or thresholds hold NaN, columns differ in length, or the level is out of range; if
        weights are invalid, as for `accuracy_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class is empty: the measures of that class are NaN.

    Notes
    -----
    $$\frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4n^2}}{1 + z^2 / n}$$

    $\hat p$ is the measure, a fraction of the $n$ cases that it counts.

    O(n log t), without a sort.  Wilson's intervals, which hold proportions as `proportion_interval` says, also of few
    cases, where bounds that are resampled are too short, and are a single point for a rate of 0 or 1.  Source: E. B.
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927) 209-212; as resampled
    by ``ci.thresholds`` and ``ci.coords`` of the R package pROC.

    Examples
    --------
    >>> found = threshold_intervals([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], [0.5, 0.36])
    >>> found.recall.y.round(3), found.recall.low.round(3), found.recall.high.round(3)
    (array([0.667, 1.   ]), array([0.208, 0.439]), array([0.939, 1.   ]))
    >>> found.precision.y
    array([1.  , 0.75])
    """
    function = "threshold_intervals"
    check_several(thresholds, "thresholds")
    confidence, given = checked_level(level), as_scores(thresholds, "thresholds").astype(np.float64)
    check_indices(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    cases = as_scored_cases(y_true, y_score, pos_label, function)
    weights = checked_weights(sample_weight, weight_type, cases.correct.size, function)
    correct, scores = (column[weights.chosen] for column in cases)
    for kind, mask in (("positive", correct), ("negative", ~correct)):
        if not mask.any():
            message = f"The intervals of {kind} cases are not defined: there are none."
            warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    rising, order = np.unique(given, return_inverse=True)
    sums = weights_from_thresholds(correct, (scores,), rising, weights.values, frequencies=weights.frequencies)
    cells = WeightSums(*(column[:, order] for column in decisions_at(sums)))
    return ThresholdIntervals(*(_band(name, given, cells, confidence) for name in ThresholdIntervals._fields))


def _band(name: str, thresholds: FloatArray, cells: WeightSums, level: float) -> CurveBand:
    """Return the intervals of a measure of `DECISION_RATIOS`; cells: tp, fn, fp and tn, (4, t) each.  O(t)."""
    successes, trials = (np.array(factors).ravel() for factors in DECISION_RATIOS[name])
    found = decision_intervals_of_weights(cells, successes, trials, level)
    return CurveBand(thresholds, found.estimates, found.low, found.high, level, False)
