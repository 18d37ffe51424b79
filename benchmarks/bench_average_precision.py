"""How often intervals of average precisions hold the truth, and differences of equal models are called different.

Scores of either class are normal with variance 1; rows are drawn at random, so that the number of positives varies.
Two models have a correlation of 1/2 or 0.9 within each class.  Subsampled designs keep all positives and a fraction of
the negatives, whose weights say so.  Widths are divided by the honest one, 2 z times the standard deviation of the
estimates over all sets.  `python -m benchmarks.bench_average_precision [SETS]` prints the tables of
benchmarks/README.md in about three minutes; the benchmark asserts them.
"""

import math
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy import integrate
from scipy.special import ndtr, ndtri

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference.curve_areas import intervals_of_precisions
from evalcore.inference.intervals import compare_normal
from evalcore.inference.ranked_samples import PRECISION
from evalcore.inference.rankings import average_precisions
from evalcore.inference.units import Units, units_of
from evalcore.typing import BoolArray, FloatArray

SETS, SEED, Z = 2_000, 20, 1.96
AREAS = 0.5, 0.8, 0.95, 0.99
EQUAL = [*product((0.8, 0.95), (0.5, 0.9))]
"""The area of both models, and the correlation of their scores."""
ERROR = 1.1
"""Two standard errors of such percentages."""


class Design(NamedTuple):
    """How rows are drawn: their number, the fraction of positives, and the fraction of negatives that is kept."""

    rows: int
    prevalence: float
    kept: float = 1.0
    clusters: int = 0
    """Their number, with geometric sizes; scores share half of their variance within them.  0 for none."""

    def draw(
        self, generator: np.random.Generator, areas: tuple[float, ...], correlation: float = 0.0
    ) -> tuple[BoolArray, list[FloatArray], Units]:
        """Draw labels, the scores of a model for each area, and what was drawn."""
        positive = generator.random(self.rows) < self.prevalence
        positive = positive[positive | (generator.random(self.rows) < self.kept)]
        parts = np.geomspace(1, 50, max(self.clusters, 1))
        clusters = np.repeat(np.arange(parts.size), np.ceil(parts / parts.sum() * positive.size).astype(int))
        clusters = clusters[: positive.size]
        noise = generator.normal(size=(1 + len(areas), positive.size))
        if self.clusters:
            noise = math.sqrt(0.5) * (noise + generator.normal(size=(len(noise), parts.size))[:, clusters])
        shared = math.sqrt(correlation) * noise[0]
        columns = [
            shared + math.sqrt(1 - correlation) * own + math.sqrt(2) * float(ndtri(area)) * positive
            for own, area in zip(noise[1:], areas, strict=True)
        ]
        weights = np.where(positive, 1.0, 1 / self.kept) if self.kept < 1 else None
        units = units_of(positive.size, weights=weights, clusters=clusters if self.clusters else None)
        return positive, columns, units


DESIGNS = {
    "1%, 500": Design(500, 0.01),
    "1%, 1,000": Design(1_000, 0.01),
    "1%, 2,000": Design(2_000, 0.01),
    "1%, 5,000": Design(5_000, 0.01),
    "10%, 100": Design(100, 0.1),
    "10%, 200": Design(200, 0.1),
    "10%, 500": Design(500, 0.1),
    "10%, 2,000": Design(2_000, 0.1),
    "5%, 4,000, 1 negative in 10": Design(4_000, 0.05, 0.1),
    "5%, 10,000, 1 negative in 100": Design(10_000, 0.05, 0.01),
    "1%, 20,000, 1 negative in 10": Design(20_000, 0.01, 0.1),
    "1%, 40,000, 1 negative in 100": Design(40_000, 0.01, 0.01),
    "10%, 1,000 in 50 clusters": Design(1_000, 0.1, clusters=50),
}


def truth(area: float, prevalence: float) -> float:
    """Average the precision over the scores of the positives."""
    shift = math.sqrt(2) * float(ndtri(area))

    def weighted_precision(score: float) -> float:
        true, false = prevalence * ndtr(shift - score), (1 - prevalence) * ndtr(-score)
        return float(true / (true + false) * math.exp(-((score - shift) ** 2) / 2) / math.sqrt(2 * math.pi))

    return float(integrate.quad(weighted_precision, shift - 9, shift + 9, limit=200)[0])


def coverage(design: Design, area: float, sets: int = SETS) -> tuple[float, float]:
    """Return the percentage of 95% bounds that hold the truth, and their mean width by the honest one."""
    generator, found = np.random.default_rng(SEED), []
    for _ in range(sets):
        estimate = average_precisions(*design.draw(generator, (area,)))
        interval = intervals_of_precisions(estimate, 0.95)
        found.append((*interval.estimates, *interval.low, *interval.high))
    estimates, low, high = np.array(found).T
    known, true = ~np.isnan(low), truth(area, design.prevalence)
    held = np.mean((low[known] <= true) & (true <= high[known]))
    return 100 * float(held), float(np.mean((high - low)[known]) / (2 * Z * estimates[known].std()))


def rejected(design: Design, areas: tuple[float, float], correlation: float, sets: int = SETS) -> float:
    """Return the percentage of sets whose bounds of the difference of two models do not hold 0."""
    generator, count = np.random.default_rng(SEED), 0
    for _ in range(sets):
        found = average_precisions(*design.draw(generator, areas, correlation))
        [compared] = compare_normal(found.values, found.spread([[1, -1]]).at(0), 0.95, PRECISION).each()
        count += not (compared.low <= 0 <= compared.high or math.isnan(compared.low))
    return 100 * count / sets


def tables(sets: int) -> Iterator[str]:
    """Yield the rows of both tables: coverage and width by area, and sizes by area and correlation, then power."""
    for name, design in DESIGNS.items():
        found = (coverage(design, area, sets) for area in AREAS)
        yield f"| {name} | {' | '.join(f'{held:.1f} ({width:.2f})' for held, width in found)} |"
    for name, design in DESIGNS.items():
        rates = [rejected(design, (area, area), alike, sets) for area, alike in EQUAL]
        rates.append(rejected(design, (0.95, 0.85), 0.5, sets))
        yield f"| {name} | {' | '.join(f'{each:.1f}' for each in rates)} |"


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def bench_average_precision(name: str) -> None:
    """Bounds hold the truth in at least 93% of sets, and tests of equal models reject at most 6.5%."""
    for area in AREAS:
        held, width = coverage(DESIGNS[name], area)
        print(name, area, held, width)
        assert held > 93 - ERROR
        assert width < 3
    for area, alike in EQUAL:
        size = rejected(DESIGNS[name], (area, area), alike)
        print(name, area, alike, size)
        assert size < 6.5 + ERROR


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for row in tables(int(sys.argv[1]) if len(sys.argv) > 1 else SETS):
            print(row, flush=True)
