"""How often intervals of means of outcomes hold the true one, by people and by an imperfect judge, over simulated sets.

`python -m benchmarks.bench_outcome_coverage` prints the tables that benchmarks/README.md shows, in two to five minutes.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    Interval,
    corrected_prevalence_interval,
    mean_interval,
    prediction_powered_interval,
    prevalence_interval,
)
from evalcore.inference.outcomes import quantile_intervals
from evalcore.inference.units import units_of
from evalcore.typing import BoolArray, FloatArray, IntArray

SETS, SEED = 2_000, 7
Sample = tuple[BoolArray, BoolArray, BoolArray]
"""Labels by people, those by the judge for the same cases, and those by the judge for others."""


class Design(NamedTuple):
    """A population, its judge, and the numbers of cases with and without labels by people."""

    rate: float
    sensitivity: float
    specificity: float
    labelled: int
    unlabelled: int

    def draw(self, generator: np.random.Generator) -> Sample:
        """Draw one sample."""
        passes, luck = generator.random((2, self.labelled + self.unlabelled))
        true = passes < self.rate
        judged = np.where(true, luck < self.sensitivity, luck >= self.specificity)
        return true[: self.labelled], judged[: self.labelled], judged[self.labelled :]


DESIGNS = (
    Design(0.7, 0.9, 0.8, 50, 1_000),
    Design(0.7, 0.9, 0.8, 200, 1_000),
    Design(0.7, 0.99, 0.99, 50, 1_000),
    Design(0.9, 0.95, 0.9, 50, 1_000),
    Design(0.9, 0.95, 0.9, 100, 5_000),
    Design(0.97, 0.98, 0.8, 100, 5_000),
)
METHODS: dict[str, Callable[[Sample], Interval]] = {
    "judge alone": lambda sample: prevalence_interval(sample[2]),
    "people alone": lambda sample: prevalence_interval(sample[0]),
    "Lang-Reiczigel": lambda sample: corrected_prevalence_interval(*sample),
    "PPI": lambda sample: prediction_powered_interval(*sample, power_tuning=False, limits=(0, 1)),
    "PPI++": lambda sample: prediction_powered_interval(*sample, limits=(0, 1)),
}


def cell(design: Design, method: Callable[[Sample], Interval]) -> str:
    """Return the percentage of the bounds that hold the rate, their mean width, and how many sets have none."""
    generator = np.random.default_rng(SEED)
    found = [method(design.draw(generator)) for _ in range(SETS)]
    bounds = np.array([[*interval] for interval in found if interval.low == interval.low])
    held = np.mean((bounds[:, 0] <= design.rate) & (design.rate <= bounds[:, 1]))
    missing = f", {SETS - len(bounds)} without" if len(bounds) < SETS else ""
    return f"{100 * held:.1f} ({np.mean(bounds[:, 1] - bounds[:, 0]):.3f}{missing})"


def table() -> Iterator[str]:
    """Write the table, a row for each design."""
    yield "| " + " | ".join([*Design._fields, *METHODS]) + " |"
    yield "|" + " --- |" * (len(Design._fields) + len(METHODS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for design in DESIGNS:
            yield "| " + " | ".join([*map(str, design), *(cell(design, method) for method in METHODS.values())]) + " |"


Values = Callable[[FloatArray], FloatArray]
"""Makes values of normal numbers."""
KINDS: dict[str, tuple[Values, float, float]] = {
    "normal": (lambda z: z, 0.0, 0.0),
    "exponential": (lambda z: -np.log(ndtr(-z)), 1.0, math.log(2)),
    "log-normal": (np.exp, math.exp(0.5), 1.0),
    "rate 0.9": (lambda z: (ndtr(-z) < 0.9).astype(float), 0.9, 1.0),
    "rate 0.02": (lambda z: (ndtr(-z) < 0.02).astype(float), 0.02, 0.0),
}
"""By name, values of standard normal numbers, their mean and their median."""
DRAWN = ("20", "100", "1,000", "100 weighted", "20 clusters", "20 unequal", "50 unequal")


def clusters_of(drawn: str) -> IntArray:
    """Return the cluster of each case: 400 cases in equal ones, or in unequal ones down to 2 cases."""
    number = int(drawn.split(maxsplit=1)[0])
    sizes = (
        np.full(number, 20)
        if "unequal" not in drawn
        else np.maximum(80 * (0.83 if number == 20 else 0.92) ** np.arange(1, number + 1), 2)
    )
    return np.repeat(np.arange(number), sizes.astype(int))


def held_by_means(kind: str, drawn: str) -> str:
    """Return the percentage of bounds that hold the true mean, and of independent cases those that hold the median."""
    (values, truth, middle), generator, held, of_median = KINDS[kind], np.random.default_rng(SEED), [], []
    for _ in range(SETS):
        if "cluster" in drawn or "unequal" in drawn:
            clusters = clusters_of(drawn)
            of_cluster, own = generator.normal(size=clusters.max() + 1), generator.normal(size=clusters.size)
            numbers = values(math.sqrt(0.2) * of_cluster[clusters] + math.sqrt(0.8) * own)
            found = mean_interval(numbers, cluster=clusters)
        else:
            size = int(drawn.split(maxsplit=1)[0].replace(",", ""))
            numbers = values(generator.normal(size=size))
            weights = generator.lognormal(size=size) if "weighted" in drawn else None
            found = mean_interval(numbers, sample_weight=weights)
            if weights is None and not kind.startswith("rate"):
                [median] = quantile_intervals(units_of(size), numbers, 0.5, 0.95).each(0.95)
                of_median.append(median.low <= middle <= median.high)
        held.append(found.low <= truth <= found.high)
    return f"{100 * np.mean(held):.1f}" + (f" ({100 * np.mean(of_median):.1f})" if of_median else "")


def table_of_means() -> Iterator[str]:
    """Write the table of means, a row for each kind of values."""
    yield "| values | " + " | ".join(DRAWN) + " |"
    yield "|" + " --- |" * (1 + len(DRAWN))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for kind in KINDS:
            yield f"| {kind} | " + " | ".join(held_by_means(kind, drawn) for drawn in DRAWN) + " |"


if __name__ == "__main__":
    print("\n".join([*table_of_means(), "", *table()]))
