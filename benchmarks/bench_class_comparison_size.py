"""How often comparisons of predicted classes find a difference where there is none, and averages of ROC AUCs hold.

Labels are of three classes; each model is right, independently of the other, in 80% of the cases.  Scores of each class
are normal, and each class has its own area against the rest.  `python -m benchmarks.bench_class_comparison_size [SETS]`
prints the rates, of classes by p-values and by intervals; the benchmark asserts those of a short form, and averages.
"""

import math
import sys
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from evalcore.evaluation.cases import PairedClasses
from evalcore.evaluation.class_differences import differences_of_classes
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import compared_rankings
from evalcore.evaluation.statistics.groups import WHOLE
from evalcore.inference.curve_areas import intervals_of_areas
from evalcore.inference.intervals import DEFAULT_AREA_METHOD
from evalcore.inference.ranked_samples import AREA
from evalcore.inference.rankings import MACRO, WEIGHTED, averages_of_areas
from evalcore.inference.units import units_of
from evalcore.kernels.grouping import group_layout
from evalcore.typing import FloatArray, IntArray

SETS, SIZES, SEED = 1_000, (100, 500), 1
METHODS = "analytic", "bootstrap", "permutation"
MEASURES = "accuracy", "balanced_accuracy", "macro_f1", "kappa", "recall[1]", "precision[1]", "f1[1]"


def drawn(generator: np.random.Generator, size: int) -> PairedClasses:
    """Draw labels, and the predictions of two models that are equally good."""
    labels = generator.choice(3, size, p=[0.5, 0.3, 0.2])
    old, new = (np.where(generator.random(size) < 0.7, labels, generator.integers(0, 3, size)) for _ in range(2))
    return PairedClasses((0, 1, 2), labels, {"old": old, "new": new})


def rejected(sets: int, size: int, method: str = METHODS[0]) -> dict[str, tuple[float, float]]:
    """Return the fractions of sets whose p-value is at most 5%, and whose interval excludes 0, by measure."""
    generator = np.random.default_rng(SEED)
    question = Question("label", measures=Measures(MEASURES), method=method, resamples=399)
    found = [differences_of_classes(drawn(generator, size), question, WHOLE)[0] for _ in range(sets)]
    compared = [[(*one.found.p_values, *one.found.low, *one.found.high) for one in of_set] for of_set in found]
    p_values, low, high = np.moveaxis(np.array(compared), -1, 0)
    rates = np.array([np.mean(p_values <= 0.05, axis=0), np.mean((low > 0) | (high < 0), axis=0)])
    return dict(zip(MEASURES, map(tuple, rates.T.tolist()), strict=True))


def bench_size_of_class_comparisons() -> None:
    """Few sets of equal models differ: three standard deviations above 5% at most."""
    for method in ("analytic", "permutation"):
        assert np.max([*rejected(200, SIZES[0], method).values()]) <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


class Scored(NamedTuple):
    """Expected cases of each class, areas from the first to the last, and clusters of equal or geometric sizes."""

    sizes: tuple[int, ...]
    areas: tuple[float, float]
    clusters: int = 0
    geometric: bool = False

    def truths(self, name: str) -> FloatArray:
        """Return the average of the areas of a model, and of one that sets each class apart by 0.8 as much."""
        shifts = ndtri(np.linspace(*self.areas, len(self.sizes)))
        return np.average(ndtr([shifts, 0.8 * shifts]), axis=1, weights=self.sizes if name == WEIGHTED else None)

    def of_cases(self) -> IntArray:
        """Return the cluster of each case."""
        parts = 0.8 ** np.arange(self.clusters) if self.geometric else np.ones(self.clusters)
        sizes = np.maximum(np.rint(parts / parts.sum() * sum(self.sizes)), 1).astype(np.int64)
        return np.resize(np.repeat(np.arange(self.clusters), sizes), sum(self.sizes))

    def found(self, generator: np.random.Generator, sets: int) -> dict[str, FloatArray]:
        """Return by name estimates, bounds and p-values of a model, and of an equal and a worse one less it."""
        k, cases, fractions = len(self.sizes), sum(self.sizes), np.array(self.sizes) / sum(self.sizes)
        groups, clusters = np.repeat(np.arange(sets), cases), None
        noise, codes = generator.normal(size=(4, k, groups.size)), generator.choice(k, groups.size, p=fractions)
        if self.clusters:
            clusters = np.tile(self.of_cases(), sets) + groups * self.clusters
            rates = generator.dirichlet(9 * fractions, sets * self.clusters).cumsum(axis=1)[clusters, :-1]
            codes = (generator.random((groups.size, 1)) > rates).sum(axis=1)
            shared = generator.normal(size=(4, k, sets * self.clusters))[..., clusters]
            noise = math.sqrt(0.1) * shared + math.sqrt(0.9) * noise
        shifts = np.where(codes == np.arange(k)[:, np.newaxis], ndtri(np.linspace(*self.areas, k))[:, np.newaxis], 0.0)
        each = zip(noise[1:], (1, 1, 0.8), strict=True)
        models = [math.sqrt(0.5) * (noise[0] + own) + part * math.sqrt(2) * shifts for own, part in each]
        units, made = units_of(groups.size, clusters=clusters, groups=groups, count=sets), {}
        for name, found in averages_of_areas(codes, models, units, group_layout(groups, sets)).items():
            own = np.array(intervals_of_areas(found, 0.95, DEFAULT_AREA_METHOD)[:3])[:, :sets]
            compared = compared_rankings(AREA, found, units, Question("label"))
            columns = [(one.differences, one.low, one.high, one.p_values) for one in compared]
            made[name] = np.vstack([own, *np.array(columns)])
        return made


UNEQUAL = 100, 60, 40, 30, 20, 15, 10, 8, 6, 5
RISING, FALLING, HIGH = (0.75, 0.97), (0.97, 0.75), (0.98, 0.98)
SCORED = [
    *(Scored((60, 30, 10), areas) for areas in (RISING, FALLING, HIGH)),
    *(Scored((90, 55, 5), areas) for areas in (RISING, FALLING)),
    *(Scored(UNEQUAL, areas) for areas in (RISING, FALLING, HIGH)),
    *(Scored((20,) * 10, areas) for areas in (RISING, HIGH)),
    *(Scored((300, 150, 50), RISING, 20, geometric) for geometric in (False, True)),
    *(Scored(tuple(2 * each for each in UNEQUAL), RISING, *clusters) for clusters in ((20, True), (50, False))),
    Scored((400, 180, 20), FALLING, 10),
]


def scored_rows(sets: int = 2_000) -> Iterator[str]:
    """Yield how often averages of a model and differences of a worse one hold, widths, and how often equals differ.

    Of about five cases of a class some samples have one or two, which do not tell how its area varies: where it is far
    from the others, bounds of the macro average hold it less often.
    """
    slack = 2 * math.sqrt(0.05 * 0.95 / sets)
    for design in SCORED:
        generator, cells = np.random.default_rng(SEED), list[str]()
        together = max(1, 1_000_000 // sum(design.sizes) // len(design.sizes))
        parts = [design.found(generator, min(together, sets - start)) for start in range(0, sets, together)]
        for name in (MACRO, WEIGHTED):
            value, low, high, *compared = np.hstack([each[name] for each in parts])
            *_, equal, worse, below, above, shown = compared
            true, less = design.truths(name)
            held = np.mean((low <= true) & (true <= high)), np.mean((below <= less - true) & (less - true <= above))
            widths = np.mean(high - low) / 3.92 / value.std(), np.mean(above - below) / 3.92 / worse.std()
            size, power = (float(np.mean(each <= 0.05)) for each in (equal, shown))
            few = name == MACRO and min(design.sizes) == 5 and len(design.sizes) == 3
            assert min(held) > (0.9 if few else 0.935) - slack, (design, name, held)
            assert size < 0.065 + slack, (design, name, size)
            assert max(widths) < (1.8 if few else 1.6), (design, name, widths)
            each = (f"{100 * rate:.1f} ({width:.2f})" for rate, width in zip(held, widths, strict=True))
            cells.append(f"{', '.join(each)}, {100 * size:.1f}, {100 * power:.1f}")
        sizes = ", ".join(map(str, design.sizes))
        shown = f"{design.clusters}{', geometric' * design.geometric}" if design.clusters else ""
        yield f"| {sizes} | {design.areas[0]} to {design.areas[1]} | {shown} | {' | '.join(cells)} |"


@pytest.mark.slow
def bench_averages_of_areas_hold() -> None:
    print("\n".join(scored_rows()))


if __name__ == "__main__":
    for cases, method in product(SIZES, METHODS):
        rates = rejected(int(sys.argv[1]) if len(sys.argv) > 1 else SETS, cases, method)
        print(cases, method, *(f"{name} {one:.1%} {other:.1%}" for name, (one, other) in rates.items()), flush=True)
    print("\n".join(scored_rows()))
