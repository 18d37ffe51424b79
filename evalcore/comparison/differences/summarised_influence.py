"""Influence values of measures of ranks by the interval of a score, from a summary of all scores.

Cases of one interval count as tied.  Where each score has an interval of its own, the values are those that all rows
give: of the ROC area DeLong's components, of the average precision those of `measures.influence`.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from evalcore.comparison.measure_names import RANKED
from evalcore.kernels.ratios import ratio
from evalcore.measures.influence import influence_at_scores
from evalcore.streaming import ScoreSummary
from evalcore.typing import BoolArray, FloatArray, ScoreArray

_AREA, _PRECISION = RANKED


class SummarisedInfluence(NamedTuple):
    """What a case of weight 1 adds to measures of ranks, by the interval that its score is in."""

    low: FloatArray
    """The lowest score of each interval, (k,), ascending."""
    by_measure: Mapping[str, FloatArray]
    """Of negatives and of positives, (2, k) each."""

    def of_cases(self, scores: ScoreArray, positive: BoolArray) -> dict[str, FloatArray]:
        """Return the values of cases by measure, (n,) each; scores, positive: (n,).  O(n log k)."""
        places = self.low.searchsorted(scores, side="right") - 1
        np.maximum(places, 0, out=places)
        places += positive * self.low.size
        return {name: values.ravel().take(places) for name, values in self.by_measure.items()}


def summarised_influence(
    summary: ScoreSummary, names: Collection[str], factors: FloatArray, *, within_classes: bool = False
) -> SummarisedInfluence:
    """Return the influence values of measures of ranks; factors: of the weights of both classes, (2,).  O(k).

    within_classes: whether the prevalence is known, so that what it adds is left out.

    >>> summary = ScoreSummary()
    >>> summary.update([1, 0, 1], [0.9, 0.5, 0.1])
    >>> found = summarised_influence(summary, ["roc_area"], np.ones(2))
    >>> found.of_cases(np.array([0.9, 0.5, 0.1]), np.array([True, False, True]))["roc_area"].tolist()
    [0.25, 0.0, -0.25]
    """
    intervals = summary.intervals
    positives, negatives = intervals.positives * factors[0], intervals.negatives * factors[1]
    found = {}
    if _AREA in names:
        beaten = _fraction_below(negatives), 1 - _fraction_below(positives)
        found[_AREA] = np.array([_of_mean(*each) for each in zip(beaten[::-1], (negatives, positives), strict=True)])
    if _PRECISION in names:
        best_first = positives[::-1], negatives[::-1]
        tp, fp = (side.cumsum(dtype=np.float64) for side in best_first)
        of_positives, of_negatives = influence_at_scores(best_first[0], tp, fp)
        sides = (of_negatives[::-1], negatives), (of_positives[::-1], positives)
        found[_PRECISION] = np.array([_less_mean(*side) if within_classes else side[0] for side in sides])
    return SummarisedInfluence(intervals.low, found)


def _fraction_below(weights: FloatArray) -> FloatArray:
    """Return the fraction of the weights in lower intervals, with half of those in its own, (k,).  O(k)."""
    sums = weights.cumsum(dtype=np.float64)
    return np.asarray(ratio(sums - weights / 2, sums[-1]))


def _of_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the influence on the mean of values of a case of weight 1 at each, (k,); weights: (k,).  O(k)."""
    return np.asarray(ratio(_less_mean(values, weights), weights.sum()))


def _less_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(values - ratio((values * weights).sum(), weights.sum()))
