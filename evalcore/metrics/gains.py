"""Cumulative gains and lift of the cases of highest score."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import NamedTuple

from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.measures import thresholds
from evalcore.metrics.threshold_selection import metric_curves
from evalcore.text_tables import html_columns
from evalcore.typing import FloatArray, Label


@equal_by_content
class Gains(NamedTuple):
    """How many positives the cases of highest score hold."""

    share: FloatArray
    """Fraction of the cases predicted positive, rising, in 0 .. 1."""
    value: FloatArray
    """Fraction of the positives among them, or lift over chance."""

    def _repr_html_(self) -> str:
        return html_columns(self._asdict())


def cumulative_gains_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> Gains:
    r"""Return the fraction of the positives among each fraction of the cases of highest score.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.

    Returns
    -------
    Gains
        Two (p + 1,) float64, rising from 0 to 1; the fractions of the positives are NaN without positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\left( \frac{tp + fp}{n}, \frac{tp}{tp + fn} \right)$$

    Range: both 0 to 1; a curve above the diagonal is better than chance.  Use it to say what contacting the best so
    many percent brings.

    O(n log n).  Source: I. H. Witten, E. Frank and M. A. Hall, Data Mining (2011), 5.7.

    Examples
    --------
    >>> cumulative_gains_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    counts = metric_curves(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    return Gains(thresholds.rates(counts.tp + counts.fp), thresholds.rates(counts.tp))


def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> Gains:
    r"""Return the lift, precision / prevalence, of each fraction of the cases of highest score.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.

    Returns
    -------
    Gains
        Two (p,) float64; the lifts are NaN without positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\left( \frac{tp + fp}{n}, \frac{tp / (tp + fp)}{(tp + fn) / n} \right)$$

    Range: 0 to 1 / prevalence; 1 is chance.  Use it to say how many times more positives a list has than one drawn at
    random; not to compare sets of cases of different prevalence, which limits the lift.

    O(n log n).  Source: I. H. Witten, E. Frank and M. A. Hall, Data Mining (2011), 5.7.

    Examples
    --------
    >>> lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    array([2.        , 1.        , 1.33333333, 1.        ])
    """
    gains = cumulative_gains_curve(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    return Gains(gains.share[1:], thresholds.lifts(gains.share[1:], gains.value[1:]))
