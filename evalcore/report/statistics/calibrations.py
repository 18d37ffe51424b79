"""How sure the calibration of probabilities is: slope and intercept, and the calibration error without its bias."""

import numpy as np

from evalcore.inference.calibration import DEBIASED_BINS, ProbabilityCases, error_interval_of_bins
from evalcore.inference.intervals import Interval
from evalcore.inference.recalibration import calibration_of_logits, logits
from evalcore.kernels.tables import binned, mass_ranks
from evalcore.measures.losses import are_probabilities
from evalcore.report.measure_choice import Measures
from evalcore.report.ranked_columns import RankedCases
from evalcore.report.statistics.columns import Columns, stacked
from evalcore.report.statistics.intervals import without_warnings
from evalcore.report.weighting import Weighting
from evalcore.state.cases import WeightedRanking
from evalcore.typing import ScoreArray

_OF_LOGITS = "calibration_slope", "calibration_intercept", "calibration_in_the_large"
_DEBIASED = "debiased_calibration_error"
CALIBRATION = *_OF_LOGITS, _DEBIASED
"""Statistics of probabilities that reports have with intervals, and by name: they take half as long as all others."""


@without_warnings()
def calibration_columns(cases: RankedCases, weighting: Weighting, measures: Measures, level: float) -> Columns:
    """Return what is reported of probabilities with intervals, as of one group; NaN where it is not defined.  O(n).

    cases: sorted already, so that the bins of equal numbers of cases need no sort.  The debiased error counts whole
    cases, and has none of sampling weights; those that were shifted to a prevalence have nothing, for slopes take the
    classes for drawn together.
    """
    if weighting.target_prevalence is not None:
        return Columns({})
    weights = cases.weights.astype(np.float64, copy=False) if isinstance(cases, WeightedRanking) else None
    given = ProbabilityCases(cases.scores, cases.correct, weights, weights is not None and weighting.of_frequencies)
    probable = bool(cases.size) and are_probabilities(cases.scores)
    found: dict[str, Interval] = {}
    if measures.asks_for(*_OF_LOGITS):
        found |= dict.fromkeys(_OF_LOGITS, Interval(np.nan, np.nan, np.nan, level, "wald"))
        if probable and cases.scores.min() > 0 and cases.scores.max() < 1:
            fit = calibration_of_logits(logits(given), given, level)
            each = fit.slope, fit.intercept, fit.in_the_large
            found |= {name: own for name, own in zip(_OF_LOGITS, each, strict=True) if np.isfinite(own.low)}
    if measures.asks_for(_DEBIASED) and weighting.of_frequencies:
        found[_DEBIASED] = Interval(np.nan, np.nan, np.nan, level, "debiased-l2")
        if probable:
            bins = binned(given.probabilities, given.positive, _edges(cases), weights)
            found[_DEBIASED] = error_interval_of_bins(bins, level)
    intervals = {name: stacked([own]) for name, own in found.items()}
    return Columns({name: each.estimates for name, each in intervals.items()}, intervals)


def _edges(cases: RankedCases) -> ScoreArray:
    """Return the scores between bins of equal numbers of cases.  O(n)."""
    if not isinstance(cases, WeightedRanking):
        return cases.ordering.scores(cases.size - 1 - mass_ranks(cases.size, DEBIASED_BINS))
    tp, fp, scores = cases.points
    below = np.concatenate([[0.0], (tp + fp)[:-1]])  # the weight above each score
    total = float(tp[-1] + fp[-1])
    masses = ((total - below) * DEBIASED_BINS)[::-1]  # at or below each score, rising
    return np.asarray(scores[::-1][np.searchsorted(masses, np.arange(1, DEBIASED_BINS) * total)])
