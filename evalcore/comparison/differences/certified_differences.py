"""Differences of scores that are added up part by part: exact but for those of ranks, which are certified.

The parts are random samples.  What a difference of ranks varies by in each says what the mean of the parts varies by,
weighted by their cases, and the difference over all cases comes close to that mean.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.batched.summaries import ColumnSummaries
from evalcore.comparison.differences.case_differences import decisions_at, differences_of, units_of
from evalcore.comparison.differences.ranked_differences import ranked_differences
from evalcore.comparison.differences.undefined_precisions import as_reported
from evalcore.comparison.measure_names import LOSSES, RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.distributions import normal_reach
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_decisions import PairedDecisions
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import SamplingUnits, sampling_units
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures.certified import Certified
from evalcore.measures.decision_derivatives import DIFFERENTIABLE
from evalcore.measures.probability_losses import are_probabilities, losses_of_probabilities
from evalcore.typing import FloatArray

METHOD = "certified"


class PairedLosses(NamedTuple):
    """Means of the losses of two models on the same cases.

    >>> first, second = (paired_losses(np.array([1.0, 2.0]), np.array(new)) for new in ([2.0, 5.0], [1.0, 2.0]))
    >>> first.plus(second)
    PairedLosses(cases=4, old=1.5, new=2.5, scatter=6.0)
    """

    cases: int = 0
    old: float = 0.0
    new: float = 0.0
    scatter: float = 0.0
    """Sum of the squared deviations of the differences from their mean."""

    def plus(self, other: "PairedLosses") -> "PairedLosses":
        """Return the means over the cases of both.  O(1)."""
        cases = self.cases + other.cases
        if not cases:
            return self
        part = other.cases / cases
        apart = (other.new - other.old) - (self.new - self.old)
        return PairedLosses(
            cases,
            self.old + (other.old - self.old) * part,
            self.new + (other.new - self.new) * part,
            self.scatter + other.scatter + apart * apart * self.cases * part,
        )

    @property
    def estimates(self) -> PairedEstimates:
        """The means, and the standard error of their difference, (1,) each; without cases NaN.  O(1)."""
        cases = self.cases or np.nan
        error = np.sqrt(self.scatter / cases / (cases - 1)) if cases != 1 else np.nan
        defined = cases / cases
        return PairedEstimates(*(np.array([value * defined]) for value in (self.new, self.old, error)))


def paired_losses(old: FloatArray, new: FloatArray) -> PairedLosses:
    """Return the means of losses, (n,) each with n > 0.  O(n)."""
    differences = new - old
    away = differences - differences.mean()
    return PairedLosses(old.size, float(old.mean()), float(new.mean()), float(np.square(away).sum()))


class AddedDifferences:
    """What the cases of all parts add up to; capacity: the most intervals of a summary of scores."""

    def __init__(self, measures: Sequence[ComparedMeasure], level: float, capacity: int) -> None:
        self.positives = self.negatives = 0
        self.of_probabilities = True
        self._measures = measures
        self._ranked = [measure for measure in measures if measure.measure in RANKED]
        self._level = level
        self._capacity = capacity
        self._summaries: ColumnSummaries | None = None
        self._losses: dict[tuple[str, str], PairedLosses] = {}
        """By model and loss."""
        self._cells: dict[tuple[str, float], WeightSums] = {}
        """By model and threshold."""
        self._squares: dict[tuple[str, ComparedMeasure], float] = {}
        """Sums over the parts of squared products of cases and standard error, by model and measure of ranks."""

    def add(self, cases: PairedCases) -> None:
        """Add the cases of a part, n > 0.  O(k n log n) for k models."""
        if self._summaries is None:
            self._summaries = ColumnSummaries(cases.scores, self._capacity)
        positives = int(np.count_nonzero(cases.positive))
        self.positives += positives
        self.negatives += cases.positive.size - positives
        units = units_of(cases)
        if self._ranked:
            self._summaries.update(cases.positive, cases.scores)
            for model in cases.scores:
                self._summaries.settle(model)  # waiting cases would take the memory of the next part
            self._add_variances(cases, units)
        self._add_losses(cases)
        for threshold in dict.fromkeys(each.threshold for each in self._measures if each.measure in DIFFERENTIABLE):
            assert threshold is not None
            for model, decisions in zip(cases.new, decisions_at(cases, units, threshold), strict=True):
                known = self._cells.get((model, threshold))
                self._cells[model, threshold] = decisions.cells if known is None else known.plus(decisions.cells)

    def _add_variances(self, cases: PairedCases, units: SamplingUnits) -> None:
        found = ranked_differences(cases, units, self._ranked, self._level)
        for model, differences in zip(cases.new, found, strict=True):
            for measure, [difference] in differences.items():
                known = self._squares.get((model, measure), 0.0)
                self._squares[model, measure] = known + (cases.positive.size * difference.error) ** 2

    def _add_losses(self, cases: PairedCases) -> None:
        self.of_probabilities = self.of_probabilities and all(map(are_probabilities, cases.scores.values()))
        if not self.of_probabilities:
            return
        for name in dict.fromkeys(each.measure for each in self._measures if each.measure in LOSSES):
            old, *others = (losses_of_probabilities(name, scores, cases.positive) for scores in cases.scores.values())
            for model, new in zip(cases.new, others, strict=True):
                known = self._losses.get((model, name), PairedLosses())
                self._losses[model, name] = known.plus(paired_losses(old, new))

    def difference(self, measure: ComparedMeasure, old: str, new: str) -> MeasureDifference:
        """Return the difference of two models, not judged yet.  O(k log k) for k intervals of scores."""
        level = self._level
        if measure.measure in RANKED:
            return self._ranked_difference(measure, old, new)
        if measure.measure in LOSSES:
            estimates = self._losses[new, measure.measure].estimates
            compared = compare_normal(estimates, level, "paired-normal", np.inf)
            return differences_of(measure, compared, estimates.errors)[0]
        assert measure.threshold is not None
        units = sampling_units(self.positives + self.negatives)
        decisions = PairedDecisions(self._cells[new, measure.threshold], units, whole=True)
        [decided] = differences_of(measure, *decisions.compare(measure.measure, level))
        return as_reported(decided, self.positives, self.negatives)

    def _ranked_difference(self, measure: ComparedMeasure, old: str, new: str) -> MeasureDifference:
        """Return a certified difference, whose bounds and p-value hold wherever the exact one lies.  O(k log k)."""
        low, high = self.certain_bounds(measure, old, new)
        values = float(self._certified(measure, new)), float(self._certified(measure, old))
        error = float(np.sqrt(self._squares[new, measure])) / (self.positives + self.negatives)
        nearest = min(max(low, 0.0), high)  # to 0
        [tested] = compare_normal(PairedEstimates(*np.array([[nearest], [0.0], [error]])), self._level, METHOD)
        reach = normal_reach(self._level) * error if np.isfinite(tested.low) else np.nan
        bounds = max(low - reach, -1.0), min(high + reach, 1.0)
        tests = tested.statistic, tested.p_value
        found = Comparison(values, values[0] - values[1], *bounds, self._level, *tests, METHOD)
        return differences_of(measure, [found], np.array([error]))[0]

    def certain_bounds(self, measure: ComparedMeasure, old: str, new: str) -> tuple[float, float]:
        """Return the bounds between which the difference of a measure of ranks certainly lies.  O(k log k)."""
        after, before = (self._certified(measure, model) for model in (new, old))
        return after.low - before.high, after.high - before.low

    def _certified(self, measure: ComparedMeasure, model: str) -> Certified:
        assert self._summaries is not None
        summary = self._summaries.scores[model]
        return summary.roc_auc() if measure.measure == "roc_area" else summary.average_precision()
