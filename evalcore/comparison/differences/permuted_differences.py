"""P-values of differences from permutations: whichever model gave it, a case could have had either of its values.

Of ranks, models swap the mid-ranks that a case has within each; of clusters, all cases of one are swapped together.
Source: A. I. Bandos, H. E. Rockette and D. Gur, A permutation test sensitive to differences in areas for comparing ROC
curves from a paired design, Statistics in Medicine 24 (2005) 2873-2893.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences
from evalcore.comparison.measure_names import LOSSES, RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference.intervals import Comparison
from evalcore.inference.resampled_measures import generators, measure_resamples
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.threshold_counts import are_at_or_above
from evalcore.measures.decision_derivatives import decision_measure
from evalcore.report.statistics.rankings import RankingByCount, RankingByWeight
from evalcore.state.scored_cases import ScoredCases
from evalcore.state.weighted_ranking import WeightedRanking
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

_ROUNDING = 1e-12
"""Differences this near are equal."""
Permuted: TypeAlias = Callable[[BoolArray], float]
"""Takes which cases are swapped, (n,), and returns the difference of a measure, the new model less the old one."""


def with_permutation_p_values(
    cases: PairedCases, found: Sequence[FoundDifferences], question: CompareQuestion
) -> list[FoundDifferences]:
    """Replace the p-values of differences; found: for each new model, of all cases.  O(k n log n) a permutation."""
    old, *others = cases.scores.values()
    return [_with_p_values(cases, (new, old), of_model, question) for new, of_model in zip(others, found, strict=True)]


def _with_p_values(
    cases: PairedCases, scores: tuple[ScoreArray, ScoreArray], found: FoundDifferences, question: CompareQuestion
) -> FoundDifferences:
    measures = list(found)
    permuted = [_permuted(measure, cases, scores) for measure in measures]
    clusters = cases.clusters
    units = cases.positive.size if clusters is None else int(clusters.max(initial=-1)) + 1

    def measured(swapped: IntArray) -> FloatArray:
        mask = swapped.astype(np.bool_)
        of_cases = mask if clusters is None else mask[clusters]
        return np.array([difference(of_cases) for difference in permuted])

    def draw(source: np.random.Generator) -> IntArray:
        return source.integers(0, 2, units)

    sources = generators(question.seed, question.resamples)
    values = measure_resamples(measured, draw, sources, question.resamples)
    return {measure: [_with_p_value(found[measure][0], values[:, at])] for at, measure in enumerate(measures)}


def _with_p_value(difference: MeasureDifference, permuted: FloatArray) -> MeasureDifference:
    """Return a difference with the fraction of permutations, itself among them, that are as far from 0.  O(b)."""
    found = difference.found
    if np.isnan(found.difference):
        return difference
    defined = permuted[~np.isnan(permuted)]
    as_far = np.count_nonzero(np.abs(defined) >= abs(found.difference) * (1 - _ROUNDING) - _ROUNDING)
    p_value = (as_far + 1) / (defined.size + 1)
    method = f"{found.method}, permutation"
    tested = Comparison(
        found.estimates, found.difference, found.low, found.high, found.level, found.statistic, p_value, method
    )
    return difference._replace(found=tested)


def _permuted(measure: ComparedMeasure, cases: PairedCases, scores: tuple[ScoreArray, ScoreArray]) -> Permuted:
    if measure.measure in RANKED:
        return _of_ranks(measure.measure, cases, scores)
    if measure.measure in LOSSES:
        return _of_losses(measure.measure, cases, scores)
    assert measure.threshold is not None
    return _of_decisions(measure.measure, measure.threshold, cases, scores)


def _of_ranks(name: str, cases: PairedCases, scores: tuple[ScoreArray, ScoreArray]) -> Permuted:
    new, old = map(mid_ranks, scores)
    weights = None if cases.weights is None else cases.weights.values

    def value(ranks: FloatArray) -> float:
        if weights is None:
            ranking: RankingByCount | RankingByWeight = RankingByCount(ScoredCases.of(cases.positive, ranks))
        else:
            ranking = RankingByWeight(WeightedRanking(ranks, cases.positive, weights))
        return ranking.roc_area() if name == "roc_area" else ranking.average_precision()

    return lambda swapped: value(np.where(swapped, old, new)) - value(np.where(swapped, new, old))


def mid_ranks(scores: ScoreArray) -> FloatArray:
    """Return the rank of each score from the lowest, (n,), equal ones sharing the middle of theirs.  O(n log n).

    >>> mid_ranks(np.array([0.5, 0.1, 0.5]))
    array([2.5, 1. , 2.5])
    """
    _, codes, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    middles = sizes.cumsum() - (sizes - 1) / 2
    return np.asarray(middles[codes])


def _of_losses(name: str, cases: PairedCases, scores: tuple[ScoreArray, ScoreArray]) -> Permuted:
    new, old = (cases.losses(name, each) for each in scores)
    weights = np.ones(new.size) if cases.weights is None else cases.weights.values
    parts = (new - old) * (weights / weights.sum())
    total = float(parts.sum())
    return lambda swapped: total - 2 * float(parts @ swapped)


def _of_decisions(name: str, threshold: float, cases: PairedCases, scores: tuple[ScoreArray, ScoreArray]) -> Permuted:
    new, old = (are_at_or_above(each, threshold) for each in scores)
    weights = None if cases.weights is None else cases.weights.values

    def value(decided: BoolArray) -> float:
        cells = np.bincount(binary_codes(cases.positive, decided), weights, 4).astype(np.float64)
        return float(decision_measure(name, cells.reshape(2, 2)))

    return lambda swapped: value(np.where(swapped, old, new)) - value(np.where(swapped, new, old))
