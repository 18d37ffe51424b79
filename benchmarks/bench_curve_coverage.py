"""How often bands of ROC and precision-recall curves, and intervals of partial ROC areas, hold the truth.

Scores are normal, those of negatives with variance 1; a second model's scores are correlated with them by 1/2.
`python -m benchmarks.bench_curve_coverage [SETS]` prints the tables of benchmarks/README.md in a few minutes.
"""

import math
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    compare_partial_auc,
    partial_auc_interval,
    precision_recall_curve_band,
    roc_curve_band,
)
from evalcore.typing import AnyArray, FloatArray

SETS, PARTIAL_SETS, SEED = 500, 600, 7
RATES = np.arange(1, 200) / 200
AREAS, SPREADS = (0.75, 0.95), (1.0, 2.0)
CLASSES = [(20, 180), (50, 50), (50, 450), (200, 200), (500, 500), (200, 5000), (5000, 5000)]
PARTIAL_CLASSES = [(20, 20), (20, 180), (50, 50), (50, 450), (200, 50), (200, 200)]
RANGES = [{"fpr_range": (0, 0.1)}, {"fpr_range": (0, 0.2)}, {"fpr_range": (0.05, 0.3)}, {"tpr_range": (0.8, 1)}]
PARTIAL_AREAS = 0.7, 0.9, 0.98
METHODS = "delong-wilson", "delong", "delong-logit"
_WORSE, _SHARED = 0.8, 0.5
"""The distance of the classes by the second model, relative to the first, and the correlation of the scores."""
_CELLS = (np.arange(20_000) + 0.5) / 20_000


class Design(NamedTuple):
    """The numbers of cases of both classes, the true area, and the standard deviation of scores of positives."""

    positives: int
    negatives: int
    area: float
    spread: float

    @property
    def distance(self) -> float:
        """How far apart the means of the classes are."""
        return math.hypot(1, self.spread) * float(ndtri(self.area))

    def draw(self, generator: np.random.Generator) -> tuple[AnyArray, FloatArray, FloatArray]:
        """Draw labels and the scores of both models."""
        labels = np.repeat([1, 0], [self.positives, self.negatives])
        noise, other = generator.standard_normal((2, labels.size))
        copied = _SHARED * noise + math.sqrt(1 - _SHARED**2) * other
        spread = np.where(labels, self.spread, 1.0)
        return labels, noise * spread + self.distance * labels, copied * spread + _WORSE * self.distance * labels

    def recalls(self, rates: FloatArray, distance: float) -> FloatArray:
        """Return the true true positive rates at false positive rates."""
        return np.asarray(ndtr((distance - ndtri(1 - rates)) / self.spread))

    def false_positive_rates(self, recalls: FloatArray, distance: float) -> FloatArray:
        """Return the true false positive rates at recalls."""
        return np.asarray(ndtr(-distance - self.spread * ndtri(1 - recalls)))

    def precisions(self, recalls: FloatArray) -> FloatArray:
        """Return the true precisions at recalls."""
        found = self.positives * recalls
        return found / (found + self.negatives * self.false_positive_rates(recalls, self.distance))

    def partial_area(self, between: dict[str, tuple[float, float]], distance: float) -> float:
        """Return the true area between two rates."""
        ((name, (low, high)),) = between.items()
        rates = low + (high - low) * _CELLS
        if name == "fpr_range":
            return float((high - low) * self.recalls(rates, distance).mean())
        return float((high - low) * (1 - self.false_positive_rates(rates, distance)).mean())


def band_rows(sets: int) -> Iterator[str]:
    """Yield for each number of cases how often bands hold: pointwise on average and at worst, and the whole curve."""
    for classes in CLASSES:
        designs = [Design(*classes, *each) for each in product(AREAS, SPREADS)]
        found = np.array([_held_by_bands(design, sets) for design in designs])
        shown = [f"{each.min():.1f} - {each.max():.1f}" for each in 100 * found.T]
        yield f"| {classes[0]} | {classes[1]} | {' | '.join(shown)} |"


def _held_by_bands(design: Design, sets: int) -> list[float]:
    """Return what `band_rows` shows of a design, for both curves."""
    generator = np.random.default_rng(SEED)
    truths = design.recalls(RATES, design.distance), design.precisions(RATES)
    hits: list[list[AnyArray]] = [[], [], [], []]
    for _ in range(sets):
        labels, scores, _ = design.draw(generator)
        for index, simultaneous in product((0, 1), (False, True)):
            if index:
                band = precision_recall_curve_band(labels, scores, recall=RATES, simultaneous=simultaneous)
            else:
                band = roc_curve_band(labels, scores, fpr=RATES, simultaneous=simultaneous)
            hits[2 * index + simultaneous].append((band.low <= truths[index]) & (truths[index] <= band.high))
    shown = []
    for pointwise, whole in (hits[:2], hits[2:]):
        rates = np.mean(pointwise, axis=0)
        shown += [float(rates.mean()), float(rates.min()), float(np.mean([each.all() for each in whole]))]
    return shown


def partial_rows(sets: int) -> Iterator[str]:
    """Yield for each range how often intervals hold: the least and the mean over designs, by method."""
    for between in RANGES:
        designs = [Design(*classes, *each) for classes, *each in product(PARTIAL_CLASSES, PARTIAL_AREAS, SPREADS)]
        found = 100 * np.array([_held_partial_areas(design, between, sets) for design in designs])
        shown = " | ".join(f"{each.min():.1f}, {each.mean():.1f}" for each in found.T)
        ((name, (low, high)),) = between.items()
        yield f"| {name[:3]} {low} to {high} | {shown} |"


def _held_partial_areas(design: Design, between: dict[str, tuple[float, float]], sets: int) -> list[float]:
    generator, hits = np.random.default_rng(SEED), []
    first, second = (design.partial_area(between, scale * design.distance) for scale in (1, _WORSE))
    for _ in range(sets):
        labels, scores, others = design.draw(generator)
        own = [partial_auc_interval(labels, scores, **between, method=method) for method in METHODS]  # type: ignore
        both = [
            compare_partial_auc(labels, scores, others, **between, method=method)  # type: ignore
            for method in ("delong", "delong-score")
        ]
        held = [_holds(each.low, first, each.high, each.estimate) for each in own]
        hits.append([*held, *(_holds(each.low, first - second, each.high, each.difference) for each in both)])
    return [float(rate) for rate in np.mean(hits, axis=0)]


def _holds(low: float, truth: float, high: float, estimate: float) -> bool:
    """Whether bounds hold the truth; those that are not defined are the estimate."""
    return estimate == truth if math.isnan(low) else low <= truth <= high


if __name__ == "__main__":
    asked = [int(sys.argv[1])] * 2 if len(sys.argv) > 1 else [SETS, PARTIAL_SETS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for row in (*band_rows(asked[0]), *partial_rows(asked[1])):
            print(row, flush=True)
