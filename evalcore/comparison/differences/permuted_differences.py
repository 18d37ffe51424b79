"""P-values of differences from permutations: whichever model gave it, a case could have had either of its values.

Of ranks, models swap the mid-ranks that a case has within each; of clusters, all cases of one are swapped together.
Source: A. I. Bandos, H. E. Rockette and D. Gur, A permutation test sensitive to differences in areas for comparing ROC
curves from a paired design, Statistics in Medicine 24 (2005) 2873-2893.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences
from evalcore.comparison.measure_names import LOSSES, RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference.decisions.paired_decisions import CELLS
from evalcore.inference.intervals import Comparison
from evalcore.inference.resampling.point_measures import parse_measure
from evalcore.inference.resampling.resampled_measures import generators, measure_resamples
from evalcore.kernels.threshold_counts import are_at_or_above
from evalcore.kernels.threshold_points import ThresholdPoints
from evalcore.measures.decision_derivatives import DIFFERENTIABLE, decision_measure
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_ROUNDING = 1e-12
"""Differences this near are equal."""


class _Family(NamedTuple):
    """Measures that take the same numbers of a permutation."""

    measures: Sequence[ComparedMeasure]
    size: int
    """How many numbers they take, q."""
    numbers: Callable[[BoolArray], FloatArray]
    """Takes which cases are swapped, (n,), and returns these numbers, (q,)."""
    differences: Callable[[AnyArray], FloatArray]
    """Takes the numbers of r permutations, (r, q), and returns the new model less the old one, (r, measures)."""


def with_permutation_p_values(
    cases: PairedCases, found: Sequence[FoundDifferences], question: CompareQuestion
) -> list[FoundDifferences]:
    """Replace the p-values of differences; found: for each new model, of all cases.  O(k n log n) a permutation."""
    old, *others = cases.scores.values()
    return [_with_p_values(cases, (new, old), of_model, question) for new, of_model in zip(others, found, strict=True)]


def _with_p_values(
    cases: PairedCases, scores: tuple[ScoreArray, ScoreArray], found: FoundDifferences, question: CompareQuestion
) -> FoundDifferences:
    families = list(_families(list(found), cases, scores))
    ends = np.cumsum([family.size for family in families]).tolist()
    clusters = cases.clusters
    units = cases.positive.size if clusters is None else int(clusters.max(initial=-1)) + 1

    def measured(drawn: IntArray) -> FloatArray:
        swapped = drawn.astype(np.bool_)
        of_cases = swapped if clusters is None else swapped[clusters]
        return np.concatenate([family.numbers(of_cases) for family in families])

    def together(numbers: AnyArray) -> FloatArray:
        parts = zip(families, np.split(numbers, ends[:-1], axis=1), strict=True)
        return np.concatenate([family.differences(part) for family, part in parts], axis=1)

    def draw(source: np.random.Generator) -> IntArray:
        return source.integers(0, 2, units)

    if not families:
        return found
    sources = generators(question.seed, question.resamples)
    values = measure_resamples(measured, draw, sources, question.resamples, together=together)
    measures = [measure for family in families for measure in family.measures]
    return {measure: [_with_p_value(found[measure][0], values[:, measures.index(measure)])] for measure in found}


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


def _families(
    measures: Sequence[ComparedMeasure], cases: PairedCases, scores: tuple[ScoreArray, ScoreArray]
) -> Iterator[_Family]:
    """Yield the measures that take the same counts of a permutation."""
    weights = None if cases.weights is None else cases.weights.values
    if ranked := [measure for measure in measures if measure.measure in RANKED]:
        yield _of_ranks(ranked, cases.positive, scores, weights)
    if of_losses := [measure for measure in measures if measure.measure in LOSSES]:
        yield _of_losses(of_losses, cases, scores)
    decided = [measure for measure in measures if measure.measure in DIFFERENTIABLE]
    for threshold in dict.fromkeys(measure.threshold for measure in decided):
        assert threshold is not None
        own = [measure for measure in decided if measure.threshold == threshold]
        yield _of_decisions(own, threshold, cases.positive, scores, weights)


def _of_ranks(
    measures: Sequence[ComparedMeasure],
    positive: BoolArray,
    scores: tuple[ScoreArray, ScoreArray],
    weights: AnyArray | None,
) -> _Family:
    """Return the measures of the cases at or above each rank: ranks are few, so that they are counted, not sorted."""
    levels, codes = np.unique(-np.concatenate([mid_ranks(each) for each in scores]), return_inverse=True)
    new, old = np.split(2 * codes + np.tile(positive, 2), 2)
    parsed = [parse_measure("roc_auc" if each.measure == "roc_area" else each.measure) for each in measures]
    computed = [(each if weights is None else each.for_weights()).compute for each in parsed]

    def values(keys: IntArray) -> FloatArray:
        added = np.bincount(keys, weights, 2 * levels.size).astype(np.float64, copy=False)
        fp, tp = added.reshape(-1, 2).cumsum(axis=0).T
        points = ThresholdPoints(tp, fp, -levels)
        return np.array([compute(points) for compute in computed])

    return _Family(
        measures,
        len(measures),
        lambda swapped: values(np.where(swapped, old, new)) - values(np.where(swapped, new, old)),
        np.asarray,
    )


def mid_ranks(scores: ScoreArray) -> FloatArray:
    """Return the rank of each score from the lowest, (n,), equal ones sharing the middle of theirs.  O(n log n).

    >>> mid_ranks(np.array([0.5, 0.1, 0.5]))
    array([2.5, 1. , 2.5])
    """
    _, codes, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    middles = sizes.cumsum() - (sizes - 1) / 2
    return np.asarray(middles[codes])


def _of_losses(
    measures: Sequence[ComparedMeasure], cases: PairedCases, scores: tuple[ScoreArray, ScoreArray]
) -> _Family:
    weights = np.ones(cases.positive.size) if cases.weights is None else cases.weights.values
    losses = [tuple(cases.losses(measure.measure, each) for each in scores) for measure in measures]
    parts = [(new - old) * (weights / weights.sum()) for new, old in losses]
    totals = np.array([part.sum() for part in parts])
    return _Family(
        measures,
        len(measures),
        lambda swapped: np.array([part[swapped].sum() for part in parts]),
        lambda moved: totals - 2 * moved,
    )


def _of_decisions(
    measures: Sequence[ComparedMeasure],
    threshold: float,
    positive: BoolArray,
    scores: tuple[ScoreArray, ScoreArray],
    weights: AnyArray | None,
) -> _Family:
    """Return the measures of eight cells, of which swaps move what the models decide differently."""
    new, old = (are_at_or_above(each, threshold) for each in scores)
    codes = 4 * ~positive + 2 * ~old + ~new
    cells = np.bincount(codes, weights, CELLS).astype(np.float64).reshape(2, 2, 2)
    apart = np.flatnonzero(old != new)
    codes, own = codes[apart], None if weights is None else weights[apart]

    def moved(swapped: BoolArray) -> FloatArray:
        chosen = swapped[apart]
        return np.bincount(codes[chosen], None if own is None else own[chosen], CELLS).astype(np.float64)

    def differences(numbers: AnyArray) -> FloatArray:
        taken = numbers.reshape(-1, 2, 2, 2)
        after = cells - taken + taken.swapaxes(-1, -2)
        tables = after.sum(axis=-2), after.sum(axis=-1)
        values = ([decision_measure(measure.measure, table, threshold) for table in tables] for measure in measures)
        return np.stack([of_new - of_old for of_new, of_old in values], axis=-1)

    return _Family(measures, CELLS, moved, differences)
