"""How often equal groups are found to differ from all other cases, or to have a gap, and how often different ones are.

`python -m benchmarks.bench_group_coverage [SETS]` prints the table that benchmarks/README.md shows, in a few
minutes; the benchmark asserts it.
"""

import math
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit, ndtri

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.statistics.group_differences import ComparedGroups, samples_of
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.statistics.tallies import Asked
from evalcore.inference.contrasts import Samples, contrasts

SETS, SEED, ALIKE, LEVEL = 2_000, 7, 0.1, 0.95
RANKED = "roc_auc", "average_precision", "log_loss"
DECIDED = "selection_rate", "false_positive_rate", "recall", "f1", "balanced_accuracy"
MEASURES = [*map(MeasureName, RANKED), *(MeasureName(name, 0.5) for name in DECIDED)]


class Design(NamedTuple):
    """Groups, of which the first is compared with the others."""

    sizes: tuple[int, ...]
    area: float
    prevalence: float = 0.3
    clusters: int = 0
    """Number of clusters, which have cases of all groups; 0 where cases are drawn one by one."""
    unequal: bool = False
    """Whether the sizes of clusters are in proportion to 1/k."""
    own: float | None = None
    """The area of the first group, if it is another one."""

    def draw(self, generator: np.random.Generator) -> tuple[PairedCases, GroupedRows]:
        """Draw cases; of a prevalence up to 10% each group has as many positives as it says."""
        codes = np.repeat(np.arange(len(self.sizes)), self.sizes)
        noise, rates, clusters = generator.normal(size=codes.size), np.full(codes.size, self.prevalence), None
        if self.clusters:
            parts = 1 / np.arange(1, self.clusters + 1) if self.unequal else np.ones(self.clusters)
            clusters = generator.choice(self.clusters, codes.size, p=parts / parts.sum())
            shape = self.prevalence * (1 / ALIKE - 1), (1 - self.prevalence) * (1 / ALIKE - 1)
            rates = generator.beta(*shape, self.clusters)[clusters]
            shared = generator.normal(size=self.clusters)[clusters]
            noise = math.sqrt(ALIKE) * shared + math.sqrt(1 - ALIKE) * noise
            clusters = np.unique(clusters, return_inverse=True)[1]
        positive = generator.random(codes.size) < rates
        if self.prevalence <= 0.1:
            positive = np.concatenate([np.arange(size) < self.prevalence * size for size in self.sizes])
        apart = math.sqrt(2) * ndtri(np.where(codes == 0, self.own or self.area, self.area))
        scores = expit(apart * positive + noise - apart / 2 - (0.5 if self.prevalence < 0.3 else 0.0))
        groups = GroupedRows(codes, len(self.sizes), {str(code): code for code in range(len(self.sizes))})
        return PairedCases(positive, {"model": scores}, clusters=clusters), groups


EQUAL = {
    "60 of 1,000": Design((60, 940), 0.9),
    "100 with 5 positives of 1,000": Design((100, 900), 0.9, 0.05),
    "5 groups of 100": Design((100,) * 5, 0.85),
    "30, 60, 100, 300 and 500": Design((30, 60, 100, 300, 500), 0.9),
    "100 to 400, in 20 clusters": Design((100, 200, 300, 400), 0.85, clusters=20),
    "200 of 1,000, in 20 clusters by 1/k": Design((200, 800), 0.85, clusters=20, unequal=True),
}
POWER = {
    "60 of 1,000, 0.75 and 0.9": Design((60, 940), 0.9, own=0.75),
    "60, 0.97 and 0.85": Design((60, 940), 0.85, own=0.97),
}


class Rates(NamedTuple):
    """Of one measure of a design, over the simulated sets."""

    rejected: float
    """The fraction whose bounds of the first group less all others exclude 0."""
    gaps: float
    """The fraction whose largest gap excludes 0."""
    width: float
    """The mean width of these bounds, in units of 3.92 standard deviations of the differences."""


def rates(design: Design, sets: int) -> list[Rates]:
    """Simulate sets, and count for each measure; the samples of all sets are compared at once.

    The largest gap excludes 0 where a pair does at the level of `largest_gap`, of two groups their one difference.
    """
    drawn = [design.draw(generator) for generator in np.random.default_rng(SEED).spawn(sets)]
    compared = [ComparedGroups(*cases_and_groups, "rest", Asked(level=LEVEL)) for cases_and_groups in drawn]
    count, made = len(design.sizes), []
    first, second = np.triu_indices(count, 1)
    starts = 2 * count * np.arange(sets)[:, np.newaxis]
    for measure in MEASURES:
        found = stacked([samples_of(each, each.cases.scores["model"], measure) for each in compared])
        rest = contrasts(found, starts + np.array([0, count]), LEVEL)
        pairs = np.stack([starts + first, starts + second], axis=-1).reshape(-1, 2)
        gaps = contrasts(found, pairs, 1 - (1 - LEVEL) / first.size)
        width = np.nanmean(rest.high - rest.low) / 3.92 / np.nanstd(rest.differences)
        apart = ((each.low > 0) | (each.high < 0) for each in (rest, gaps))
        made.append(Rates(*(float(each.reshape(sets, -1).any(axis=1).mean()) for each in apart), float(width)))
    return made


def stacked(every: list[Samples]) -> Samples:
    """Return the samples of all sets one after the other, with their clusters."""
    size, [head, *_] = every[0].values.size, every
    columns = {
        name: np.concatenate([getattr(each, name) for each in every])
        for name in Samples._fields
        if isinstance(getattr(head, name), np.ndarray)
    }
    if head.contributions is None:
        return head._replace(**columns)
    return head._replace(**columns, contributions=lambda one: every[one // size].contributions(one % size))


def table(sets: int) -> Iterator[str]:
    """Write the table, a row for each design."""
    yield "| groups | " + " | ".join(f"`{each.measure}`" for each in MEASURES) + " |"
    yield "|---|" + "--:|" * len(MEASURES)
    for name, design in (EQUAL | POWER).items():
        cells = (f"{100 * each.rejected:.1f} ({each.width:.2f}), {100 * each.gaps:.1f}" for each in rates(design, sets))
        yield f"| {name} | " + " | ".join(cells) + " |"


@pytest.mark.slow
def test_equal_groups_seldom_differ() -> None:
    """Two standard errors beside the target of 6.5%."""
    for name, design in EQUAL.items():
        for measure, found in zip(MEASURES, rates(design, SETS), strict=True):
            assert max(found.rejected, found.gaps) < 0.065 + 0.011, (name, measure)
            assert found.width < 1.6, (name, measure)


if __name__ == "__main__":
    for row in table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS):
        print(row, flush=True)
