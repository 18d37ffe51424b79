"""How often intervals of differences of paired ROC AUCs hold the true one, over simulated sets of two models.

Scores of either class are normal, those of both models correlated within it.
`python -m benchmarks.bench_area_differences` prints the table that benchmarks/README.md shows, in a few minutes.
"""

import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtri

from evalcore.inference.intervals import Comparison, compare_areas
from evalcore.inference.units import normal_spread
from evalcore.typing import FloatArray

SETS, SEED = 1_000, 8
AREAS = [(0.75, 0.75), (0.9, 0.9), (0.95, 0.95), (0.98, 0.98), (0.99, 0.99), (0.9, 0.75), (0.98, 0.9), (0.99, 0.95)]
CLASSES = [(20, 20), (20, 180), (50, 50), (50, 450), (200, 200), (200, 800)]
SPREADS = {"equal": 1.0, "double": 2.0, "half": 0.5}
"""Standard deviation of the scores of positives; that of negatives is 1."""
CORRELATIONS = 0.0, 0.5, 0.9
_TOGETHER = 4_000_000
"""Pairs of a positive and a negative that are compared at once."""


class Design(NamedTuple):
    """How the scores of two models are drawn."""

    areas: tuple[float, float]
    classes: tuple[int, int]
    spread: str
    correlation: float

    def draw(self, generator: np.random.Generator, sets: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Draw the scores of positives and of negatives by each model, a row for each set."""
        shared = [generator.standard_normal((sets, size)) for size in self.classes]
        parts = math.sqrt(self.correlation), math.sqrt(1 - self.correlation)
        spread = SPREADS[self.spread]
        for area in self.areas:
            own = [parts[0] * each + parts[1] * generator.standard_normal(each.shape) for each in shared]
            yield own[0] * spread + math.hypot(1, spread) * float(ndtri(area)), own[1]


class Found(NamedTuple):
    """Areas of two models, and DeLong's variances of their difference and of each."""

    areas: tuple[float, float]
    variances: tuple[float, float, float]


def found_of(design: Design, sets: int) -> Iterator[Found]:
    generator = np.random.default_rng(SEED)
    each = max(1, _TOGETHER // math.prod(design.classes))
    for start in range(0, sets, each):
        wins = [
            (positive[:, :, np.newaxis] > negative[:, np.newaxis])
            for positive, negative in design.draw(generator, min(each, sets - start))
        ]
        first, second = ([won.mean(axis=axis) for axis in (2, 1)] for won in wins)
        columns = zip(first, second, strict=True)
        differences = [one - other for one, other in columns]
        variances = [
            sum(side.var(axis=1, ddof=1) / side.shape[1] for side in sides) for sides in (differences, first, second)
        ]
        areas = [sides[0].mean(axis=1) for sides in (first, second)]
        for one, other, *three in zip(*(column.tolist() for column in (*areas, *variances)), strict=True):
            yield Found((one, other), (three[0], three[1], three[2]))


def compared(found: Found, method: str, smaller: int) -> Comparison:
    """Compare two areas; a difference without variance has no width."""
    variances = found.variances
    if method == "delong":
        variances = max(variances[0], 1e-18), *variances[1:]
    areas, of_each = np.array(found.areas)[:, np.newaxis], np.array(variances)[:, np.newaxis]
    [comparison] = compare_areas(areas, normal_spread(of_each), np.array([smaller]), 0.95, method)
    return comparison


METHODS = "delong", "delong-score"


def held(design: Design, sets: int) -> dict[str, tuple[float, float]]:
    """Return how often each method holds the true difference, and its mean width."""
    truth, samples = design.areas[0] - design.areas[1], list(found_of(design, sets))
    results = {}
    for method in METHODS:
        bounds = [compared(found, method, min(design.classes)) for found in samples]
        covered = np.mean([each.low - 1e-9 <= truth <= each.high + 1e-9 for each in bounds])
        results[method] = float(covered), float(np.mean([each.high - each.low for each in bounds]))
    return results


def table(sets: int) -> str:
    """Print the least and the mean coverage of each spread, and the widths where DeLong's covers 95%."""
    covered: dict[tuple[str, str], list[float]] = defaultdict(list)
    widths = []
    for design in (Design(*each) for each in product(AREAS, CLASSES, SPREADS, CORRELATIONS)):
        results = held(design, sets)
        for method, (fraction, _) in results.items():
            covered[method, design.spread].append(100 * fraction)
        plain, score = (results[method] for method in METHODS)
        if 0.945 <= plain[0] <= 0.96:
            widths.append(score[1] / plain[1])
    rows = [f"| 95% bounds | {' | '.join(SPREADS)} | width | widest |", "|---" + "|--:" * (len(SPREADS) + 2) + "|"]
    for method in METHODS:
        of_spreads = [covered[method, spread] for spread in SPREADS]
        cells = " | ".join(f"{min(each):.1f}, {np.mean(each):.1f}" for each in of_spreads)
        width = f"{np.mean(widths):.2f} | {max(widths):.2f}" if method == "delong-score" else "1.00 | 1.00"
        rows.append(f"| {method} | {cells} | {width} |")
    return "\n".join(rows)


@pytest.mark.parametrize(("spread", "least"), [("equal", 0.92), ("double", 0.89), ("half", 0.89)])
def bench_the_score_test_covers(spread: str, least: float) -> None:
    for areas, classes in product([(0.95, 0.95), (0.99, 0.95)], [(20, 20), (50, 50)]):
        results = held(Design(areas, classes, spread, 0.5), SETS)
        print(areas, classes, spread, results)
        assert results["delong-score"][0] >= least


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS))
