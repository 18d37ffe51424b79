"""How often comparisons find a difference where there is none, hold the true one, and show the detectable one.

Scores of both models are normal with variance 1 and a correlation of 1/2 within each class.  Without a difference the
models have the same area; with one, the true differences are those of a million cases.  Cases are alone or, as
clusters of four, share half of their variance.  `python -m benchmarks.bench_comparison_coverage [SETS]` prints a table
for each size; the benchmark asserts the rates of a short form.
"""

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from evalcore.comparison.cases import PairedCases
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.score_differences import score_differences
from evalcore.report.weighting import RowWeights, Weighting
from evalcore.typing import FloatArray

SETS, RESAMPLES, SEED = 1_000, 199, 20
SIZES = 400, 2_000
AREAS = 0.75, 0.80
"""Of the old model, and of the new one where there is a difference."""
MEASURES = (
    *("roc_area", "average_precision", "log_loss", "brier_score"),
    *("accuracy@0.5", "recall@0.5", "specificity@0.5", "precision@0.5", "f1@0.5", "kappa@0.5"),
)
CLUSTER = 4


class Design(NamedTuple):
    """How cases are drawn, and compared."""

    method: str = "analytic"
    clustered: bool = False
    weighted: bool = False


DESIGNS = {
    "analytic": Design(),
    "clusters": Design(clustered=True),
    "weights": Design(weighted=True),
    "bootstrap": Design("bootstrap"),
    "permutation": Design("permutation"),
}


class Rates(NamedTuple):
    """Fractions of the simulated sets."""

    rejected: float
    """Whose p-value is at most 5% although the models are equal."""
    held: float
    """Whose 95% bounds hold the true difference."""
    shown: float
    """Whose bounds exclude 0 where the models differ."""
    predicted: float
    """The power that the standard errors predict, on average."""


def drawn(generator: np.random.Generator, size: int, areas: tuple[float, float], design: Design) -> PairedCases:
    """Draw cases, every cluster of one class; weights are independent of scores."""
    units = size // CLUSTER if design.clustered else size
    repeats = size // units
    positive = (generator.random(units) < 0.3).repeat(repeats)
    shifts = math.sqrt(2) * ndtri(np.array(areas))
    shared, *own = math.sqrt(0.5) * _normal(generator, 3, units, repeats)
    # a cut between both classes, at which the score is 0.5
    columns = [
        1 / (1 + np.exp(0.5 - shared - noise - shift * positive)) for noise, shift in zip(own, shifts, strict=True)
    ]
    weights = None
    if design.weighted:
        values = generator.lognormal(sigma=0.7, size=size)
        weights = RowWeights(Weighting("weight"), values, values)
    clusters = np.arange(units).repeat(repeats) if design.clustered else None
    return PairedCases(positive, dict(zip(("old", "new"), columns, strict=True)), weights, clusters)


def _normal(generator: np.random.Generator, rows: int, units: int, repeats: int) -> FloatArray:
    """Return normal columns, (rows, units repeats), whose units share half of their variance if they have several."""
    alone = generator.normal(size=(rows, units * repeats))
    if repeats == 1:
        return alone
    return math.sqrt(0.5) * (alone + generator.normal(size=(rows, units)).repeat(repeats, axis=1))


def differences(cases: PairedCases, method: str, seed: int) -> Mapping[str, MeasureDifference]:
    """Compare the models of one set."""
    question = CompareQuestion("label", measures=MEASURES, method=method, resamples=RESAMPLES, seed=seed)
    return {each.measure: each for each in score_differences(cases, question)[0]}


@cache
def truths(clustered: bool) -> Mapping[str, float]:
    """Return the true differences, from a million cases."""
    cases = drawn(np.random.default_rng(SEED), 1_000_000, AREAS, Design(clustered=clustered))
    return {name: each.found.difference for name, each in differences(cases, "analytic", 0).items()}


def rates(design: Design, size: int, sets: int) -> dict[str, Rates]:
    """Simulate sets of both kinds, and count by measure."""
    counted: defaultdict[str, list[tuple[bool, bool, bool, float]]] = defaultdict(list)
    sources = np.random.default_rng([SEED, size]).spawn(sets)
    reach = float(ndtri(0.975))
    for number, generator in enumerate(sources):
        equal, apart = (
            differences(drawn(generator, size, areas, design), design.method, number)
            for areas in ((AREAS[0], AREAS[0]), AREAS)
        )
        for name, true in truths(design.clustered).items():
            found = apart[name].found
            shift = true / apart[name].error
            power = float(ndtr(shift - reach) + ndtr(-shift - reach))
            excluded = found.low > 0 or found.high < 0
            counted[name].append((equal[name].found.p_value <= 0.05, found.low <= true <= found.high, excluded, power))
    return {name: Rates(*np.mean(rows, axis=0).tolist()) for name, rows in counted.items()}


def lines(sets: int) -> Iterator[str]:
    """Yield a table for each size, a row for each design and measure, in percent."""
    for size in SIZES:
        yield f"| {size:,} cases | measure | rejected | held | shown | predicted |"
        yield "|---|---|---|---|---|---|"
        for name, design in DESIGNS.items():
            for measure, found in rates(design, size, sets).items():
                yield f"| {name} | {measure} | " + " | ".join(f"{100 * rate:.1f}" for rate in found) + " |"
        yield ""


def test_rates_are_those_that_are_promised() -> None:
    """In 60 sets of 400 cases, a rate of 5% or 95% is off by more than 9 in 100 once in thousands of times."""
    for design in DESIGNS.values():
        for measure, found in rates(design, SIZES[0], 60).items():
            assert found.rejected < 0.15, (design, measure)
            assert found.held > 0.85, (design, measure)
            assert abs(found.shown - found.predicted) < 0.2, (design, measure)


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else SETS):
        print(line, flush=True)
