"""How sure the calibration of probabilities is: slope and intercept, and the calibration error without its bias."""

from collections.abc import Callable, Mapping

import numpy as np

from evalcore.inference.calibration.binned import DEBIASED_BINS, error_interval_of_bins
from evalcore.inference.calibration.probability_cases import ProbabilityCases
from evalcore.inference.calibration.recalibration import calibration_of_logits, logits
from evalcore.inference.intervals import Interval
from evalcore.kernels.tables import binned, mass_ranks
from evalcore.measures.losses import are_probabilities
from evalcore.report.measure_choice import Measures
from evalcore.report.statistics.intervals import without_warnings
from evalcore.report.weighting import Weighting
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import ScoreArray

_OF_LOGITS = "calibration_slope", "calibration_intercept", "calibration_in_the_large"
_DEBIASED = "debiased_calibration_error"
CALIBRATION = *_OF_LOGITS, _DEBIASED
"""Statistics of probabilities that reports have with intervals, and by name: they take half as long as all others."""


def estimates(intervals: Mapping[str, Interval]) -> dict[str, float]:
    """Return the estimates of intervals, by their names.  O(intervals)."""
    return {name: interval.estimate for name, interval in intervals.items()}


def calibration_of_cases(cases: ScoredCases, measures: Measures, level: float) -> dict[str, Interval]:
    """Return what is reported of probabilities with intervals, by name; NaN where it is not defined.  O(n).

    cases: sorted already, so that the bins of equal numbers of cases need no sort.
    """

    def edges() -> ScoreArray:
        return cases.ordering.scores(cases.size - 1 - mass_ranks(cases.size, DEBIASED_BINS))

    return _calibration(ProbabilityCases(cases.scores, cases.correct, None, False), edges, measures, level)


def calibration_of_weights(
    ranking: WeightedRanking, weighting: Weighting, measures: Measures, level: float
) -> dict[str, Interval]:
    """Return the same of cases with weights.  O(n), if they are sorted.

    The debiased error counts whole cases, and has none of sampling weights; those that were shifted to a prevalence
    have nothing, for slopes take the classes for drawn together.
    """
    if weighting.target_prevalence is not None:
        return {}
    frequencies = weighting.of_frequencies
    weights = ranking.weights.astype(np.float64, copy=False)
    cases = ProbabilityCases(ranking.scores, ranking.correct, weights, frequencies)

    def edges() -> ScoreArray:
        tp, fp, scores = ranking.points
        below = np.concatenate([[0.0], (tp + fp)[:-1]])  # the weight above each score
        total = float(tp[-1] + fp[-1])
        wanted = np.arange(1, DEBIASED_BINS) * total
        masses = ((total - below) * DEBIASED_BINS)[::-1]  # at or below each score, rising
        return np.asarray(scores[::-1][np.searchsorted(masses, wanted)])

    return _calibration(cases, edges if frequencies else None, measures, level)


@without_warnings()
def _calibration(
    cases: ProbabilityCases, edges: Callable[[], ScoreArray] | None, measures: Measures, level: float
) -> dict[str, Interval]:
    probable = bool(cases.probabilities.size) and are_probabilities(cases.probabilities)
    found: dict[str, Interval] = {}
    if measures.asks_for(*_OF_LOGITS):
        found |= dict.fromkeys(_OF_LOGITS, Interval(np.nan, np.nan, np.nan, level, "wald"))
        if probable and cases.probabilities.min() > 0 and cases.probabilities.max() < 1:
            fit = calibration_of_logits(logits(cases), cases, level)
            each = fit.slope, fit.intercept, fit.in_the_large
            found |= {name: own for name, own in zip(_OF_LOGITS, each, strict=True) if np.isfinite(own.low)}
    if measures.asks_for(_DEBIASED) and edges is not None:
        found[_DEBIASED] = Interval(np.nan, np.nan, np.nan, level, "debiased-l2")
        if probable:
            bins = binned(cases.probabilities, cases.positive, edges(), cases.weights)
            found[_DEBIASED] = error_interval_of_bins(bins, level)
    return found
