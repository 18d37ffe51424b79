"""How often intervals of equal and unequal clusters hold the truth, and equal models are found to differ.

Each cluster has its own prevalence, and shifts the scores of both models.  `python -m benchmarks.bench_cluster_coverage
[SETS]` prints the table that benchmarks/README.md shows, in about twenty minutes; the benchmark asserts it.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit, ndtri

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.comparing import differences_of_models
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.typing import FloatArray, IntArray

SETS, SEED, CASES, AREA = 2_000, 7, 1_000, 0.85
ALIKE = 0.1
"""The correlation of scores in a cluster, and of labels."""
MEASURES = (
    *("accuracy@0.5", "precision@0.5", "recall@0.5", "f1@0.5", "kappa@0.5"),
    *("log_loss", "brier_score", "roc_auc", "average_precision"),
)
QUESTION = Question("label", measures=Measures(MEASURES))


class Design(NamedTuple):
    """How cases are spread over clusters."""

    sizes: str
    clusters: int
    prevalence: float = 0.3

    def of_cases(self) -> IntArray:
        """Return the cluster of each case: equal ones, of sizes 0.8^k, 1/k, or one with 30% of the cases."""
        rank = np.arange(1, self.clusters + 1)
        parts = {
            "equal": np.ones(self.clusters),
            "geometric": 0.8**rank if self.clusters <= 20 else 0.92**rank,
            "1/k": 1 / rank,
            "one of 30%": np.where(rank == 1, 0.3 * (self.clusters - 1) / 0.7, 1.0),
        }[self.sizes]
        return np.repeat(rank - 1, np.maximum(np.rint(parts / parts.sum() * CASES), 2).astype(np.int64))

    def draw(self, generator: np.random.Generator) -> PairedCases:
        """Draw the cases of two equal models, whose scores have a correlation of 0.7 in each class."""
        clusters, shape = self.of_cases(), self.prevalence * (1 / ALIKE - 1)
        prevalence = generator.beta(shape, (1 - self.prevalence) * (1 / ALIKE - 1), self.clusters)
        positive = generator.random(clusters.size) < prevalence[clusters]
        of_clusters, own = generator.normal(size=(3, self.clusters)), generator.normal(size=(3, clusters.size))
        shared, *noises = math.sqrt(ALIKE) * of_clusters[:, clusters] + math.sqrt(1 - ALIKE) * own
        scores = [self.scored(positive, math.sqrt(0.7) * shared + math.sqrt(0.3) * noise) for noise in noises]
        return PairedCases(positive, {"old": scores[0], "new": scores[1]}, clusters=clusters)

    def scored(self, positive: FloatArray, noise: FloatArray) -> FloatArray:
        """Return scores, 0.5 at a cut between the classes, nearer to the rarer one."""
        apart = math.sqrt(2) * float(ndtri(AREA))
        return np.asarray(expit(apart * positive + noise - apart / 2 - (0.5 if self.prevalence < 0.3 else 0.0)))


DESIGNS = [
    *(Design(*each) for each in product(("equal", "geometric", "1/k", "one of 30%"), (10, 20, 50))),
    *(Design(sizes, 20, 0.1) for sizes in ("geometric", "1/k", "one of 30%")),
]


@cache
def truths(prevalence: float) -> Mapping[str, float]:
    """Return the true values of a model, from quantiles of its scores."""
    design, positive = Design("", 0, prevalence), np.arange(1_000_000) < 1_000_000 * prevalence
    noise = np.concatenate([ndtri((np.arange(each) + 0.5) / each) for each in np.bincount(positive)[::-1]])
    scores = design.scored(positive, noise)
    found = differences_of_models(PairedCases(positive, {"old": scores, "new": scores}), QUESTION)[0].differences
    return {each.measure: each.new for each in found}


class Rates(NamedTuple):
    """Of one measure of a design, over the simulated sets."""

    held: float
    """The fraction whose bounds hold the true value of a model."""
    width: float
    """The mean width of these bounds, in units of 3.92 standard deviations of the values."""
    rejected: float
    """The fraction whose p-value of the difference of equal models is at most 5%."""
    wide: float
    """The mean width of the bounds of the difference, as `width`."""


def rates(design: Design, sets: int) -> dict[str, Rates]:
    """Simulate sets, and count by measure."""
    rows = []
    for generator in np.random.default_rng(SEED).spawn(sets):
        cases = design.draw(generator)
        found = differences_of_models(cases, QUESTION)[0].differences
        for each in found:
            own = value_interval(measure_name(each.measure), cases.scores["new"], cases, QUESTION)
            assert own is not None
            rows.append((each.new, own.low, own.high, each.found.difference, each.found.low, each.found.high))
            rows[-1] += (each.found.p_value,)
    of_measures = np.moveaxis(np.array(rows).reshape(sets, len(MEASURES), -1), 0, -1)
    made = {}
    for name, (value, low, high, difference, below, above, p_value) in zip(MEASURES, of_measures, strict=True):
        truth = truths(design.prevalence)[name]
        widths = (np.nanmean(high - low) / value.std(), np.nanmean(above - below) / difference.std())
        own, of_difference = (float(each) / 3.92 for each in widths)
        made[name] = Rates(np.mean((low <= truth) & (truth <= high)), own, np.mean(p_value <= 0.05), of_difference)
    return made


def table(sets: int) -> Iterator[str]:
    """Write the table, a row for each design."""
    yield "| sizes | clusters | prevalence | " + " | ".join(f"`{name}`" for name in MEASURES) + " |"
    yield "|---|--:|--:|" + "--:|" * len(MEASURES)
    for design in DESIGNS:
        cells = (
            f"{100 * each.held:.1f} ({each.width:.2f}), {100 * each.rejected:.1f} ({each.wide:.2f})"
            for each in rates(design, sets).values()
        )
        yield "| " + " | ".join([*map(str, design), *cells]) + " |"


@pytest.mark.slow
def test_unequal_clusters_have_honest_bounds() -> None:
    """Two standard errors beside the targets: 93.5% of bounds of 20 clusters or more, and 6.5% of differences."""
    for design in DESIGNS:
        for measure, found in rates(design, SETS).items():
            assert found.held > 0.935 - 0.011, (design, measure)
            assert found.rejected < 0.065 + 0.011, (design, measure)
            assert max(found.width, found.wide) < 1.6, (design, measure)


if __name__ == "__main__":
    print("\n".join(table(int(sys.argv[1]) if len(sys.argv) > 1 else SETS)))
