"""How often intervals from an imperfect judge hold the true pass rate, over simulated sets of several designs.

`python -m benchmarks.bench_judge_coverage` prints the table that benchmarks/README.md shows, in about half a minute.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import Interval, corrected_prevalence_interval, prediction_powered_interval, prevalence_interval
from evalcore.typing import BoolArray

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


if __name__ == "__main__":
    print("\n".join(table()))
