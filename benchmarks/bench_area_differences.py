"""How often intervals of differences of paired ROC AUCs hold the true one, and tests show one, over simulated sets.

Scores of either class are normal, those of both models correlated within it.
`python -m benchmarks.bench_area_differences` prints the tables that benchmarks/README.md shows, in a few minutes.
"""

import math
import sys
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtri

from evalcore.inference.intervals import DIFFERENCE_METHODS, compare_areas
from evalcore.inference.units import Spread
from evalcore.typing import FloatArray

SETS, SEED = 2_000, 8
AREAS = [(0.75, 0.75), (0.9, 0.9), (0.95, 0.95), (0.98, 0.98), (0.99, 0.99), (0.9, 0.75), (0.98, 0.9), (0.99, 0.95)]
CLASSES = [(20, 20), (20, 180), (50, 50), (50, 450), (200, 200), (200, 800)]
SPREADS = {"equal": 1.0, "double": 2.0, "half": 0.5}
"""Standard deviation of the scores of positives; that of negatives is 1."""
CORRELATIONS = 0.0, 0.5, 0.9
FEW_POSITIVES = [
    ((0.97, 0.88), (20, 180)),
    ((0.9, 0.75), (20, 180)),
    ((0.95, 0.85), (50, 450)),
    ((0.9, 0.7), (10, 190)),
    ((0.97, 0.88), (10, 190)),
]
Z = float(ndtri(0.975))
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


def found_of(design: Design, sets: int) -> tuple[FloatArray, FloatArray]:
    """Return the areas of two models, (2, s), and DeLong's variances of their difference and of each, (3, s)."""
    generator, parts = np.random.default_rng(SEED), []
    each = max(1, _TOGETHER // math.prod(design.classes))
    for start in range(0, sets, each):
        wins = [
            (positive[:, :, np.newaxis] > negative[:, np.newaxis])
            for positive, negative in design.draw(generator, min(each, sets - start))
        ]
        first, second = ([won.mean(axis=axis) for axis in (2, 1)] for won in wins)
        differences = [one - other for one, other in zip(first, second, strict=True)]
        variances = [
            sum(side.var(axis=1, ddof=1) / side.shape[1] for side in sides) for sides in (differences, first, second)
        ]
        parts.append(np.array([first[0].mean(axis=1), second[0].mean(axis=1), *variances]))
    areas, found = np.split(np.concatenate(parts, axis=1), [2])
    return areas, found


class Held(NamedTuple):
    """How a method did in one design."""

    covered: float
    """Sets whose bounds hold the true difference."""
    shown: float
    """Sets with a p-value of at most 5%."""
    width: float
    """Mean, in those that the true standard deviation of the difference would give."""


def held(design: Design, sets: int) -> dict[str, Held]:
    """Return how each method did; a difference without variance has no width."""
    (areas, variances), truth, found = found_of(design, sets), design.areas[0] - design.areas[1], {}
    honest, smaller = 2 * Z * float((areas[0] - areas[1]).std()), np.full(sets, float(min(design.classes)))
    for method in DIFFERENCE_METHODS:
        own = np.maximum(variances, 1e-18) if method == "delong" else variances
        each = compare_areas(areas, Spread(own, np.full(own.shape, np.inf)), smaller, 0.95, method)
        covered = (each.low <= truth + 1e-9) & (each.high >= truth - 1e-9)
        columns = covered, each.p_values <= 0.05, (each.high - each.low) / honest
        found[method] = Held(*(float(np.mean(values)) for values in columns))
    return found


def table(sets: int) -> str:
    """Print the least and the mean coverage of each spread, the sizes of tests, and widths."""
    results = {
        each: held(each, sets) for each in (Design(*own) for own in product(AREAS, CLASSES, SPREADS, CORRELATIONS))
    }
    rows = [f"| 95% bounds | {' | '.join(SPREADS)} | size, largest | width, largest |", "|---" + "|--:" * 5 + "|"]
    for method in DIFFERENCE_METHODS:
        of_spreads = [
            [100 * each[method].covered for design, each in results.items() if design.spread == spread]
            for spread in SPREADS
        ]
        sizes = [100 * each[method].shown for design, each in results.items() if len({*design.areas}) == 1]
        widths = [each[method].width for each in results.values()]
        cells = [f"{min(each):.1f}, {np.mean(each):.1f}" for each in of_spreads]
        cells += [f"{np.mean(sizes):.1f}, {max(sizes):.1f}", f"{np.mean(widths):.2f}, {max(widths):.2f}"]
        rows.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join([*rows, "", *powers(sets)])


def powers(sets: int) -> Iterator[str]:
    """Print how often each test shows a true difference, and one of equal areas, by correlation."""
    yield (
        "| areas | positives, negatives | "
        + " | ".join(f"{method}: shown, size" for method in DIFFERENCE_METHODS)
        + " |"
    )
    yield "|---|---" + "|--:" * len(DIFFERENCE_METHODS) + "|"
    for areas, classes in FEW_POSITIVES:
        of_both = [of_correlations(areas, classes, sets), of_correlations((areas[0], areas[0]), classes, sets)]
        cells = (
            ", ".join("/".join(f"{100 * each[method].shown:.1f}" for each in own) for own in of_both)
            for method in DIFFERENCE_METHODS
        )
        yield f"| {areas[0]}, {areas[1]} | {classes[0]}, {classes[1]} | {' | '.join(cells)} |"


def of_correlations(areas: tuple[float, float], classes: tuple[int, int], sets: int) -> list[dict[str, Held]]:
    return [held(Design(areas, classes, "equal", each), sets) for each in CORRELATIONS]


@pytest.mark.parametrize(("spread", "least"), [("equal", 0.93), ("double", 0.92), ("half", 0.92)])
def bench_the_score_test_covers(spread: str, least: float) -> None:
    for areas, classes in product([(0.95, 0.95), (0.99, 0.95)], [(20, 20), (20, 180), (50, 50)]):
        results = held(Design(areas, classes, spread, 0.5), SETS)
        print(areas, classes, spread, results)
        assert results["delong-score"].covered >= least
        assert results["delong-score"].width <= 1.6 or areas == (0.95, 0.95)


@pytest.mark.parametrize(("areas", "classes"), FEW_POSITIVES)
def bench_the_score_test_is_fair_and_has_power(areas: tuple[float, float], classes: tuple[int, int]) -> None:
    """At most 6%, up to two standard errors, and at least 95% of DeLong's power, with ten positives 88%."""
    for equal in areas:
        for results in of_correlations((equal, equal), classes, SETS):
            print(equal, classes, results)
            assert results["delong-score"].shown <= 0.06 + 2 * math.sqrt(0.06 * 0.94 / SETS)
    for results in of_correlations(areas, classes, SETS):
        print(areas, classes, results)
        assert results["delong-score"].shown >= (0.95 if classes[0] >= 20 else 0.88) * results["delong"].shown
        assert results["delong-score"].width <= 1.6


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS))
