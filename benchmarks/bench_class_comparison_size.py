"""How often comparisons of predicted classes find a difference where there is none.

Labels are of three classes; each model is right, independently of the other, in 80% of the cases.
`python -m benchmarks.bench_class_comparison_size [SETS]` prints the rates, by p-values and by intervals; the
benchmark asserts those of a short form.
"""

import sys
from itertools import product

import numpy as np

from evalcore.evaluation.cases import PairedClasses
from evalcore.evaluation.class_differences import class_finder
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.question import Question

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
    found = [class_finder(drawn(generator, size), question)(None)[0][0].differences for _ in range(sets)]
    each = np.array([[(one.found.p_value, one.found.low, one.found.high) for one in of_set] for of_set in found])
    p_values, low, high = np.moveaxis(each, -1, 0)
    rates = np.array([np.mean(p_values <= 0.05, axis=0), np.mean((low > 0) | (high < 0), axis=0)])
    return dict(zip(MEASURES, map(tuple, rates.T.tolist()), strict=True))


def bench_size_of_class_comparisons() -> None:
    """Few sets of equal models differ: three standard deviations above 5% at most."""
    for method in ("analytic", "permutation"):
        assert np.max([*rejected(200, SIZES[0], method).values()]) <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


if __name__ == "__main__":
    for cases, method in product(SIZES, METHODS):
        rates = rejected(int(sys.argv[1]) if len(sys.argv) > 1 else SETS, cases, method)
        print(cases, method, *(f"{name} {one:.1%} {other:.1%}" for name, (one, other) in rates.items()), flush=True)
