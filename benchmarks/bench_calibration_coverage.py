"""How often intervals of calibration hold the truth, and how often its tests err, over simulated sets.

The logits of the true probabilities are normal; the predicted logits are these, stretched, shrunk or shifted.  `python
-m benchmarks.bench_calibration_coverage [SETS]` prints the tables of benchmarks/README.md.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from evalcore.errors import UndefinedMetricWarning
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

SETS, SEED, SPREAD, BINS, RESAMPLES = 1000, 12, 1.2, 15, 100
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


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for row in (*interval_rows(asked), *calibrated_rows(asked)):
            print(row, flush=True)
