"""How often bands of ROC and precision-recall curves hold the truth.

Scores are normal, those of negatives with variance 1.  `python -m benchmarks.bench_curve_coverage [SETS]` prints the
table of benchmarks/README.md in a few minutes.
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
from evalcore.inference import precision_recall_curve_band, roc_curve_band
from evalcore.typing import AnyArray, FloatArray

SETS, SEED = 500, 7
RATES = np.arange(1, 200) / 200
AREAS, SPREADS = (0.75, 0.95), (1.0, 2.0)
CLASSES = [(20, 180), (50, 50), (50, 450), (200, 200), (500, 500), (200, 5000), (5000, 5000)]


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

    def draw(self, generator: np.random.Generator) -> tuple[AnyArray, FloatArray]:
        """Draw labels and scores."""
        labels = np.repeat([1, 0], [self.positives, self.negatives])
        spread = np.where(labels, self.spread, 1.0)
        return labels, generator.standard_normal(labels.size) * spread + self.distance * labels

    def recalls(self, rates: FloatArray) -> FloatArray:
        """Return the true true positive rates at false positive rates."""
        return np.asarray(ndtr((self.distance - ndtri(1 - rates)) / self.spread))

    def precisions(self, recalls: FloatArray) -> FloatArray:
        """Return the true precisions at recalls."""
        found = self.positives * recalls
        wrong = self.negatives * ndtr(-self.distance - self.spread * ndtri(1 - recalls))
        return np.asarray(found / (found + wrong))


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
    truths = design.recalls(RATES), design.precisions(RATES)
    hits: list[list[AnyArray]] = [[], [], [], []]
    for _ in range(sets):
        labels, scores = design.draw(generator)
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


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for row in band_rows(int(sys.argv[1]) if len(sys.argv) > 1 else SETS):
            print(row, flush=True)
