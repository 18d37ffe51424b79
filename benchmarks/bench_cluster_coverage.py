"""How often intervals of clustered cases hold the truth, over simulated sets of few and of many clusters.

`python -m benchmarks.bench_cluster_coverage` prints the table that benchmarks/README.md shows, in about four minutes.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import accuracy_interval, bootstrap_interval, compare_roc_auc, roc_auc_interval
from evalcore.typing import BoolArray, FloatArray, IntArray

SETS, BOOTSTRAPPED, SEED, OF_CLUSTER, POSITIVE, WORSE = 1_000, 200, 7, 10, 0.3, 0.05


class Sample(NamedTuple):
    """Cases of one set, and where two models put them."""

    positive: BoolArray
    scores: FloatArray
    others: FloatArray
    right: BoolArray
    """Whether the first model decides right, at the threshold that is best for classes of equal size."""
    clusters: IntArray


class Design(NamedTuple):
    """How many clusters there are, how alike the scores of each are, and the true area of the better model."""

    clusters: int
    correlation: float
    area: float

    def draw(self, generator: np.random.Generator) -> Sample:
        """Draw one set: normal scores, whose noise is partly that of the cluster, for both models alike by half."""
        clusters = np.repeat(np.arange(self.clusters), OF_CLUSTER)
        positive = generator.random(clusters.size) < POSITIVE
        shared = generator.normal(size=(3, self.clusters))[:, clusters]
        own = generator.normal(size=(3, clusters.size))
        noise = np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * own
        first, second = (noise[0] + noise[1:]) / np.sqrt(2)
        apart = self.apart(self.area)
        scores = apart * positive + first
        right = (scores > apart / 2) == positive
        return Sample(positive, scores, self.apart(self.area - WORSE) * positive + second, right, clusters)

    def apart(self, area: float) -> float:
        """Return the distance between the means of the classes for an area."""
        return float(np.sqrt(2) * norm.ppf(area))


DESIGNS = [Design(*each) for each in product((10, 30, 100), (0.1, 0.5), (0.75, 0.95))]


def area(sample: Sample, method: str, *, clustered: bool = True) -> tuple[float, float]:
    """Return the bounds of the area of the first model."""
    cluster = sample.clusters if clustered else None
    low, high = roc_auc_interval(sample.positive, sample.scores, cluster=cluster, method=method)
    return low, high


def bootstrapped(sample: Sample) -> tuple[float, float]:
    """Return the bounds of the area of the first model by the percentile bootstrap of clusters."""
    low, high = bootstrap_interval(
        sample.positive, sample.scores, resamples=200, method="percentile", cluster=sample.clusters
    )
    return low, high


def difference(sample: Sample, method: str) -> tuple[float, float]:
    """Return the bounds of the difference of the areas of the models."""
    found = compare_roc_auc(sample.positive, sample.others, sample.scores, cluster=sample.clusters, method=method)
    return found.low, found.high


def accuracy(sample: Sample, *, clustered: bool = True) -> tuple[float, float]:
    """Return the bounds of the accuracy of the first model."""
    low, high = accuracy_interval(
        np.ones(sample.right.size), sample.right, cluster=sample.clusters if clustered else None
    )
    return low, high


def truth_of_area(design: Design) -> float:
    """Return the true area of the first model."""
    return design.area


def truth_of_difference(design: Design) -> float:
    """Return the true difference of the areas."""
    return WORSE


def truth_of_accuracy(design: Design) -> float:
    """Return the true accuracy of the first model."""
    return float(norm.cdf(design.apart(design.area) / 2))


Bounds = Callable[[Sample], tuple[float, float]]
METHODS: dict[str, tuple[Bounds, Callable[[Design], float], int]] = {
    "area ignoring clusters": (partial(area, method="delong", clustered=False), truth_of_area, SETS),
    "area, delong": (partial(area, method="delong"), truth_of_area, SETS),
    "area, delong-wilson": (partial(area, method="delong-wilson"), truth_of_area, SETS),
    "area, bootstrap": (bootstrapped, truth_of_area, BOOTSTRAPPED),
    "difference, delong": (partial(difference, method="delong"), truth_of_difference, SETS),
    "difference, delong-score": (partial(difference, method="delong-score"), truth_of_difference, SETS),
    "accuracy ignoring clusters": (partial(accuracy, clustered=False), truth_of_accuracy, SETS),
    "accuracy": (accuracy, truth_of_accuracy, SETS),
}


def cell(design: Design, bounds: Bounds, truth: float, sets: int) -> str:
    """Return the percentage of the bounds that hold the truth, and their mean width."""
    generator = np.random.default_rng(SEED)
    low, high = np.array([bounds(design.draw(generator)) for _ in range(sets)]).T
    return f"{100 * np.mean((low <= truth) & (truth <= high)):.1f} ({np.nanmean(high - low):.3f})"


def table() -> Iterator[str]:
    """Write the table, a row for each design."""
    yield "| " + " | ".join([*Design._fields, *METHODS]) + " |"
    yield "|" + " --- |" * (len(Design._fields) + len(METHODS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for design in DESIGNS:
            cells = [cell(design, bounds, truth(design), sets) for bounds, truth, sets in METHODS.values()]
            yield "| " + " | ".join([*map(str, design), *cells]) + " |"


if __name__ == "__main__":
    print("\n".join(table()))
