"""How often bootstrapped intervals of ROC AUCs hold the true area, and how wide they are, beside closed ones.

`python -m benchmarks.bench_area_bootstraps` prints the table that benchmarks/README.md shows, in a few minutes; with a
number of sets after it, of so many.  All methods see the same sets; resamples keep the size of each class.
"""

import sys
from itertools import product

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.bench_area_intervals import LEVEL, Design, Found, of_package
from evalcore.typing import FloatArray

SETS, RESAMPLES, SEED = 400, 999, 7
KINDS = "equal", "double", "half", "exponential"
CLASSES = (20, 20), (20, 180), (50, 50), (50, 450)
AREAS = 0.7, 0.9, 0.98
TAILS = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])


def moments(wins: FloatArray, counts: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the areas and DeLong's variances of r resamples; wins: (m, n); counts: (r, m) and (r, n)."""
    m, n = wins.shape
    won, beaten = counts[1] @ wins.T / n, counts[0] @ wins / m
    areas = (counts[0] * won).sum(axis=1) / m
    variances = sum(
        ((each * np.square(values - areas[:, np.newaxis])).sum(axis=1) / (size - 1) / size)
        for each, values, size in ((counts[0], won, m), (counts[1], beaten, n))
    )
    return areas, np.asarray(variances)


def bounds(wins: FloatArray, generator: np.random.Generator) -> dict[str, FloatArray]:
    """Return the bounds, (2,), of one set by each method; wins: (m, n), 1 where a positive beats a negative."""
    counts = tuple(generator.multinomial(size, np.full(size, 1 / size), RESAMPLES).astype(float) for size in wins.shape)
    areas, variances = moments(wins, (counts[0], counts[1]))
    area, variance = (each[0] for each in moments(wins, (np.ones((1, len(wins))), np.ones((1, wins.shape[1])))))
    if not variance:
        return {
            "percentile": np.array([area, area]),
            "BCa": np.array([area, area]),
            "bootstrap-t": np.array([area] * 2),
        }
    influence = [(wins.mean(axis=axis) - area) / wins.shape[1 - axis] for axis in (1, 0)]
    cubes, squares = (sum(np.sum(side**power) for side in influence) for power in (3, 2))
    acceleration = cubes / 6 / squares**1.5
    below = ((areas < area).mean() + (areas <= area).mean()) / 2
    start = ndtri(np.clip(below, 1 / RESAMPLES, 1 - 1 / RESAMPLES))
    shifted = start + ndtri(TAILS)
    corrected = ndtr(start + shifted / (1 - acceleration * shifted))
    varied = variances > 0
    studentised = (areas[varied] - area) / np.sqrt(variances[varied])
    return {
        "percentile": np.quantile(areas, TAILS),
        "BCa": np.quantile(areas, corrected),
        "bootstrap-t": (area - np.quantile(studentised, TAILS[::-1]) * np.sqrt(variance)).clip(0, 1),
    }


def held(design: Design, sets: int) -> dict[str, tuple[float, float]]:
    """Return the fraction of sets whose bounds hold the area, and their mean width, by method."""
    generator = np.random.default_rng(SEED)
    found: dict[str, list[FloatArray]] = {}
    for positive, negative in zip(*design.draw(generator, sets), strict=True):
        wins = (positive[:, np.newaxis] > negative).astype(float)
        area, variance = moments(wins, (np.ones((1, positive.size)), np.ones((1, negative.size))))
        own = Found(area, variance, np.empty((2, 1)), design, variance, variance)
        closed = {method: np.array(of_package(own, method)).ravel() for method in ("delong-wilson", "delong")}
        for method, of_set in {**closed, **bounds(wins, generator)}.items():
            found.setdefault(method, []).append(of_set)
    columns = {method: np.array(each).T for method, each in found.items()}
    truth = design.true_area()
    return {
        method: (float(((low <= truth + 1e-12) & (high >= truth - 1e-12)).mean()), float((high - low).mean()))
        for method, (low, high) in columns.items()
    }


def table(sets: int) -> str:
    """Print the least coverage of each kind of scores, the mean of all, and the mean width in DeLong's."""
    designs = [Design(kind, area, *classes) for kind, classes, area in product(KINDS, CLASSES, AREAS)]
    found = {design: held(design, sets) for design in designs}
    rows = [f"| 95% bounds | {' | '.join(KINDS)} | mean | width |", "|---" + "|--:" * (len(KINDS) + 2) + "|"]
    for method in found[designs[0]]:
        least = [min(found[each][method][0] for each in designs if each.kind == kind) for kind in KINDS]
        mean = np.mean([found[each][method][0] for each in designs])
        width = np.mean([found[each][method][1] / found[each]["delong"][1] for each in designs])
        cells = " | ".join(f"{100 * each:.1f}" for each in (*least, mean))
        rows.append(f"| {method} | {cells} | {width:.2f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS))
