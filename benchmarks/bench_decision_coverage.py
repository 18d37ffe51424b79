"""How often intervals of net benefit and of optimal thresholds hold the truth, over simulated sets.

Scores are normal with variance 1 in both classes; probabilities are calibrated, and the second model's scores are
noisier copies.  `python -m benchmarks.bench_decision_coverage [SETS]` prints the tables of benchmarks/README.md.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import compare_decision_curves, decision_curve, optimal_threshold_interval
from evalcore.typing import AnyArray, FloatArray

SETS, SEED, RESAMPLES = 300, 11, 200
_WORSE, _SHARED = 0.8, 0.8
"""The distance of the classes by the second model, relative to the first, and the correlation of the scores."""


class Design(NamedTuple):
    """Number of cases, prevalence, and distance of the classes in standard deviations."""

    cases: int
    prevalence: float
    distance: float

    @property
    def thresholds(self) -> FloatArray:
        """Probabilities around the prevalence and up to eight times it."""
        levels: FloatArray = np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8]) * self.prevalence
        return levels[levels < 0.9]

    def draw(self, generator: np.random.Generator) -> tuple[AnyArray, FloatArray, FloatArray]:
        """Draw labels and the scores of both models."""
        positive = generator.random(self.cases) < self.prevalence
        noise, other = generator.normal(size=(2, self.cases))
        copied = _SHARED * noise + np.sqrt(1 - _SHARED**2) * other
        return positive, noise + self.distance * positive, copied + _WORSE * self.distance * positive

    def probabilities(self, scores: FloatArray, distance: float) -> FloatArray:
        """Return the calibrated probabilities of scores."""
        return np.asarray(expit(distance * scores - distance**2 / 2 + logit(self.prevalence)))

    def net_benefits(self, distance: float) -> FloatArray:
        """Return the true net benefits."""
        levels = self.thresholds
        cuts = (logit(levels) - logit(self.prevalence) + distance**2 / 2) / distance
        costs = levels / (1 - levels) * (1 - self.prevalence)
        return np.asarray(self.prevalence * ndtr(distance - cuts) - costs * ndtr(-cuts))


DESIGNS = Design(50, 0.5, 1), Design(100, 0.2, 1), Design(300, 0.05, 1.5), Design(1000, 0.02, 1.5), Design(1000, 0.3, 1)
OPTIMA = Design(100, 0.2, 1), Design(100, 0.5, 1.5), Design(220, 0.1, 2), Design(400, 0.5, 1.5)


def net_benefit_rows(sets: int) -> Iterator[str]:
    """Yield for each design how often bounds hold: the least and the largest fraction over the thresholds."""
    for design in DESIGNS:
        generator, held = np.random.default_rng(SEED), []
        second = _WORSE * design.distance
        first_true, second_true = (design.net_benefits(each) for each in (design.distance, second))
        for _ in range(sets):
            labels, *scores = design.draw(generator)
            first, other = map(design.probabilities, scores, (design.distance, second))
            curve = decision_curve(labels, first, design.thresholds)
            found = compare_decision_curves(labels, other, first, design.thresholds)
            truths = (curve, first_true), (found, first_true - second_true)
            held.append([(each.low <= true) & (true <= each.high) for each, true in truths])
        rates = 100 * np.mean(held, axis=0)
        yield (
            f"| {' | '.join(map(str, design))} | " + " | ".join(f"{r.min():.1f} - {r.max():.1f}" for r in rates) + " |"
        )


def optimum_rows(sets: int) -> Iterator[str]:
    """Yield for each design how often bounds of Youden's index hold the largest, and that of the chosen threshold."""
    for design in OPTIMA:
        generator, held = np.random.default_rng(SEED), []

        def index_at(threshold: float, distance: float = design.distance) -> float:
            return float(ndtr(distance - threshold) - ndtr(-threshold))

        for _ in range(sets):
            labels, scores, _ = design.draw(generator)
            found = optimal_threshold_interval(labels, scores, resamples=RESAMPLES, seed=generator)
            truths = index_at(design.distance / 2), index_at(found.threshold.estimate)
            held.append([each.low <= true <= each.high for each in (found.value, found.corrected) for true in truths])
        yield (
            f"| {' | '.join(map(str, design))} | " + " | ".join(f"{r:.1f}" for r in 100 * np.mean(held, axis=0)) + " |"
        )


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for row in (*net_benefit_rows(asked), *optimum_rows(asked)):
            print(row)
