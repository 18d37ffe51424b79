"""How often intervals of calibration hold the truth, and how often its tests err, over simulated sets.

The logits of the true probabilities are normal; the predicted logits are these, stretched, shrunk or shifted.  `python
-m benchmarks.bench_calibration_coverage [SETS]` prints the tables of benchmarks/README.md, and asserts what they say of
slopes, intercepts and mean losses.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit, logit

from evalcore.errors import UndefinedMetricWarning
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.comparing import differences_of_models
from evalcore.evaluation.measure_choice import CALIBRATED, LOSSES, Measures
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.inference import (
    calibration_curve_intervals,
    consistency_band,
    cumulative_calibration_test,
    debiased_calibration_error_interval,
    logistic_calibration,
    spiegelhalter_test,
)
from evalcore.metrics import isotonic_calibration_curve
from evalcore.typing import AnyArray, FloatArray, IntArray

SETS, SEED, SPREAD, BINS, RESAMPLES = 2_000, 12, 1.2, 15, 100
_KINDS = {"calibrated": (1.0, 0.0), "stretched": (2.0, 0.0), "shrunk": (0.5, 0.0), "too high": (1.0, 0.7)}
"""The slope of the predicted logits against the true ones, and their shift."""


class Design(NamedTuple):
    """Number of cases and prevalence."""

    cases: int
    prevalence: float

    @property
    def centre(self) -> float:
        """The mean logit of this prevalence."""
        deviates = np.random.default_rng(0).normal(scale=SPREAD, size=100_000)
        centre = float(logit(self.prevalence))
        for _ in range(30):
            rates = expit(centre + deviates)
            centre -= float((rates.mean() - self.prevalence) / (rates * (1 - rates)).mean())
        return centre

    def draw(self, generator: np.random.Generator, centre: float) -> tuple[AnyArray, FloatArray]:
        """Draw labels and true probabilities."""
        truth = np.asarray(expit(centre + generator.normal(scale=SPREAD, size=self.cases)))
        return generator.random(self.cases) < truth, truth


DESIGNS = [Design(cases, prevalence) for cases in (100, 500, 2000) for prevalence in (0.02, 0.1, 0.5)]


def error_of_bins(truth: FloatArray, predicted: FloatArray) -> float:
    """Return the true error between bins of equally many cases."""
    codes: IntArray = np.argsort(np.argsort(predicted)) * BINS // predicted.size
    gaps = np.bincount(codes, truth - predicted) / np.bincount(codes)
    return float(np.sqrt(np.average(gaps**2, weights=np.bincount(codes))))


def interval_rows(sets: int) -> Iterator[str]:
    """Yield how often bounds hold the calibration error, slope, intercept, and the rates of bins."""
    for design in DESIGNS:
        centre = design.centre
        for kind, (slope, shift) in _KINDS.items():
            generator, held = np.random.default_rng(SEED), []
            for _ in range(sets):
                labels, truth = design.draw(generator, centre)
                predicted = expit(slope * logit(truth) + shift)
                found = debiased_calibration_error_interval(labels, predicted, n_bins=BINS)
                line = logistic_calibration(labels, predicted)
                pairs = [(found, error_of_bins(truth, predicted)), (line.slope, 1 / slope),
                         (line.intercept, -shift / slope)]  # fmt: skip
                held.append([np.nan if np.isnan(each.low) else each.low <= true <= each.high for each, true in pairs])
            rates = " | ".join(f"{100 * rate:.1f}" for rate in np.nanmean(held, axis=0))
            yield f"| {design.cases} | {design.prevalence} | {kind} | {rates} |"


def calibrated_rows(sets: int) -> Iterator[str]:
    """Yield of calibrated probabilities how often bins hold their rates, bands the curve, and tests find anything."""
    for design in DESIGNS:
        centre = design.centre
        generator, held = np.random.default_rng(SEED), []
        for _ in range(sets):
            labels, truth = design.draw(generator, centre)
            of_bins = [calibration_curve_intervals(labels, truth, n_bins=5, strategy="quantile", method=method)
                       for method in ("clopper-pearson", "wilson")]  # fmt: skip
            band = consistency_band(truth, resamples=RESAMPLES, seed=generator)
            curve = isotonic_calibration_curve(labels, truth)
            fitted = curve.prob_true[np.searchsorted(curve.high, band.probabilities).clip(max=curve.high.size - 1)]
            inside = (band.low <= fitted + 1e-12) & (fitted - 1e-12 <= band.high)
            tests = [test(labels, truth).p_value < 0.05 for test in (spiegelhalter_test, cumulative_calibration_test)]
            held.append([
                *(np.mean((each.low <= each.prob_pred) & (each.prob_pred <= each.high)) for each in of_bins),
                inside.mean(), *tests,
            ])  # fmt: skip
        rates = " | ".join(f"{100 * rate:.1f}" for rate in np.mean(held, axis=0))
        yield f"| {design.cases} | {design.prevalence} | {rates} |"


LOSS_DESIGNS = [Design(30, 0.5), Design(150, 0.1), Design(500, 0.03), Design(1500, 0.01)]
"""With 15 positives."""
NOISE = 0.7
"""Standard deviation of what two equal models add to the true logits, each for itself."""
QUESTION = Question("label", measures=Measures(LOSSES))


def mean_losses(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return the expected log loss and Brier score."""
    lost = [[-np.log(predicted), -np.log1p(-predicted)], [(1 - predicted) ** 2, predicted**2]]
    return np.array([(truth * one + (1 - truth) * other).mean() for one, other in lost])


def loss_rows(sets: int) -> Iterator[str]:
    """Yield how often bounds hold mean losses and their differences, widths, and how often equal models differ."""
    for design in LOSS_DESIGNS:
        centre = design.centre
        many = Design(1_000_000, design.prevalence).draw(np.random.default_rng(SEED), centre)[1]
        lines = [*_KINDS.values()]
        true = np.array([mean_losses(many, expit(slope * logit(many) + shift)) for slope, shift in lines])
        generator, rows, sizes = np.random.default_rng(SEED), [], []
        for _ in range(sets):
            labels, truth = design.draw(generator, centre)
            models = {kind: expit(slope * logit(truth) + shift) for kind, (slope, shift) in _KINDS.items()}
            noisy = {name: expit(logit(truth) + NOISE * generator.normal(size=design.cases)) for name in "ab"}
            cases, equal = PairedCases(labels, models), PairedCases(labels, noisy)
            own = [value_interval(MeasureName(name), scores, cases, QUESTION)
                   for scores in models.values() for name in LOSSES]  # fmt: skip
            apart = [each.found for model in differences_of_models(cases, QUESTION) for each in model.differences]
            sizes.append([each.found.p_value < 0.05 for each in differences_of_models(equal, QUESTION)[0].differences])
            rows.append([[each.low, each.high, each.estimate] for each in own])
            rows[-1] += [[each.low, each.high, each.difference] for each in apart]
        true = np.concatenate([true, true[1:] - true[0]]).ravel()
        low, high, estimates = np.moveaxis(np.array(rows), -1, 0)
        held = ((low <= true) & (true <= high)).mean(axis=0).reshape(-1, len(LOSSES))
        widths = ((high - low).mean(axis=0) / (2 * 1.96 * estimates.std(axis=0))).reshape(held.shape)
        differ, slack = np.mean(sizes, axis=0), 2 * np.sqrt(0.05 * 0.95 / sets)
        assert held.min() > 0.935 - slack, (design, held)
        assert differ.max() < 0.065 + slack, (design, differ)
        assert widths.max() < 1.6, (design, widths)
        for index, kind in enumerate(_KINDS):
            places = [index, len(_KINDS) - 1 + index] if index else [index]
            cells = [f"{100 * a:.1f} ({b:.2f})" for a, b in zip(held[places].flat, widths[places].flat, strict=True)]
            cells += [] if index else ["", "", *(f"{100 * each:.1f}" for each in differ)]
            yield f"| {design.cases} | {design.prevalence} | {kind} | {' | '.join(cells)} |"


class LineDesign(NamedTuple):
    """Number of cases and prevalence, the fraction of negatives that are kept, spread of weights, and clusters."""

    cases: int
    prevalence: float
    kept: float = 1.0
    sigma: float = 0.0
    clusters: int = 0

    def draw(self, generator: np.random.Generator, centre: float, cases: int | None = None) -> PairedCases:
        """Draw cases and two equal models; clusters share a half of a standard deviation that no model knows."""
        size = self.cases if cases is None else cases
        known, clusters = centre + generator.normal(scale=SPREAD, size=size), None
        if self.clusters:
            clusters = np.arange(size) % (self.clusters if cases is None else cases // 50)
            shared = 0.5 * generator.normal(size=int(clusters.max()) + 1)
        positive = generator.random(size) < expit(known + (shared[clusters] if self.clusters else 0.0))
        kept = positive | (generator.random(size) < self.kept)
        models = {name: expit(known + NOISE * generator.normal(size=size))[kept] for name in "ab"}
        weights = np.where(positive, 1.0, 1 / self.kept) * generator.lognormal(sigma=self.sigma, size=size)
        weighted = RowWeights(Weighting("weight"), weights[kept]) if np.ptp(weights) else RowWeights()
        clusters = None if clusters is None else clusters[kept]
        return PairedCases(positive[kept], models, weights=weighted, clusters=clusters)


LINE_DESIGNS = [
    *(LineDesign(*each) for each in ((100, 0.5), (500, 0.1), (1000, 0.05))),
    *(LineDesign(cases, 0.05, 0.1) for cases in (1000, 2000, 4000)),
    *(LineDesign(500, 0.3, sigma=sigma) for sigma in (0.5, 1.0)),
    *(LineDesign(1000, 0.3, clusters=clusters) for clusters in (10, 20)),
]


def line_rows(sets: int) -> Iterator[str]:
    """Yield how often bounds hold slope and intercepts, their widths, and how often equal models differ."""
    question, slack = Question("label", measures=Measures(CALIBRATED)), 2 * np.sqrt(0.05 * 0.95 / sets)
    for design in LINE_DESIGNS:
        generator, centre = np.random.default_rng(SEED), Design(design.cases, design.prevalence).centre
        population = differences_of_models(design.draw(generator, centre, 1_000_000), question)
        true = [each.new for each in population[0].differences]
        rows = list[list[tuple[float, ...]]]()
        for _ in range(sets):
            cases = design.draw(generator, centre)
            found = [value_interval(MeasureName(name), cases.scores["b"], cases, question) for name in CALIBRATED]
            compared = [each.found.p_value for each in differences_of_models(cases, question)[0].differences]
            rows.append([(one.estimate, one.low, one.high, p) for one, p in zip(found, compared, strict=True)])
        estimates, low, high, p_values = np.moveaxis(np.array(rows), -1, 0)
        held, differ = ((low <= true) & (true <= high)).mean(axis=0), (p_values < 0.05).mean(axis=0)
        widths = np.median(high - low, axis=0) / np.ptp(np.quantile(estimates, [0.025, 0.975], axis=0), axis=0)
        assert held.min() > 0.935 - slack, (design, held)
        assert differ.max() < 0.065 + slack, (design, differ)
        assert widths.max() < 1.6, (design, widths)
        each = zip(100 * held, widths, 100 * differ, strict=True)
        yield f"| {' | '.join([*map(str, design), *(f'{a:.1f} ({b:.2f}), {c:.1f}' for a, b, c in each)])} |"


@pytest.mark.slow
def bench_coverage_of_lines_and_losses() -> None:
    """Each row asserts what it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        print("\n".join([*line_rows(SETS), *loss_rows(SETS)]))


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for rows in (line_rows, loss_rows, interval_rows, calibrated_rows):
            for row in rows(asked):
                print(row, flush=True)
