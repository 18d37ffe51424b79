"""How often intervals of decisions, of tables of classes and of optimal thresholds hold the truth, over simulated sets.

Tables are drawn from the true fractions of all cells.  Scores are normal with variance 1 in both classes; probabilities
are calibrated, and the second model's scores are noisier copies.  `python -m benchmarks.bench_decision_coverage [SETS]`
prints the tables of benchmarks/README.md; the benchmark asserts those of tables and of paired fractions.
"""

import sys
import warnings
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr

from evalcore.errors import UndefinedMetricWarning
from evalcore.evaluation.statistics.tallies import measure_intervals
from evalcore.evaluation.thresholds import Costs
from evalcore.inference import compare_decision_curves, decision_curve, optimal_threshold_interval
from evalcore.inference.cells import Cells, cells_of_counts, cells_of_rows
from evalcore.inference.decisions import compare_decisions, mcnemar_test_of_counts, measure_of_decisions
from evalcore.inference.intervals import Intervals, reach_of
from evalcore.inference.units import units_of
from evalcore.kernels.tables import BinaryCounts
from evalcore.typing import AnyArray, FloatArray

SETS, SEED, RESAMPLES = 300, 11, 200
_WORSE, _SHARED = 0.8, 0.8
"""The distance of the classes by the second model, relative to the first, and the correlation of the scores."""


class Design(NamedTuple):
    """Number of cases, prevalence, and distance of the classes in standard deviations."""

    cases: int
    prevalence: float
    distance: float

    @property
    def thresholds(self) -> FloatArray:
        """Probabilities around the prevalence and up to eight times it."""
        levels: FloatArray = np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8]) * self.prevalence
        return levels[levels < 0.9]

    def draw(self, generator: np.random.Generator) -> tuple[AnyArray, FloatArray, FloatArray]:
        """Draw labels and the scores of both models."""
        positive = generator.random(self.cases) < self.prevalence
        noise, other = generator.normal(size=(2, self.cases))
        copied = _SHARED * noise + np.sqrt(1 - _SHARED**2) * other
        return positive, noise + self.distance * positive, copied + _WORSE * self.distance * positive

    def probabilities(self, scores: FloatArray, distance: float) -> FloatArray:
        """Return the calibrated probabilities of scores."""
        return np.asarray(expit(distance * scores - distance**2 / 2 + logit(self.prevalence)))

    def net_benefits(self, distance: float) -> FloatArray:
        """Return the true net benefits."""
        levels = self.thresholds
        cuts = (logit(levels) - logit(self.prevalence) + distance**2 / 2) / distance
        costs = levels / (1 - levels) * (1 - self.prevalence)
        return np.asarray(self.prevalence * ndtr(distance - cuts) - costs * ndtr(-cuts))


DESIGNS = Design(50, 0.5, 1), Design(100, 0.2, 1), Design(300, 0.05, 1.5), Design(1000, 0.02, 1.5), Design(1000, 0.3, 1)
OPTIMA = Design(100, 0.2, 1), Design(100, 0.5, 1.5), Design(220, 0.1, 2), Design(400, 0.5, 1.5)


def net_benefit_rows(sets: int) -> Iterator[str]:
    """Yield for each design how often bounds hold: the least and the largest fraction over the thresholds."""
    for design in DESIGNS:
        generator, held = np.random.default_rng(SEED), []
        second = _WORSE * design.distance
        first_true, second_true = (design.net_benefits(each) for each in (design.distance, second))
        for _ in range(sets):
            labels, *scores = design.draw(generator)
            first, other = map(design.probabilities, scores, (design.distance, second))
            curve = decision_curve(labels, first, design.thresholds)
            found = compare_decision_curves(labels, other, first, design.thresholds)
            truths = (curve, first_true), (found, first_true - second_true)
            held.append([(each.low <= true) & (true <= each.high) for each, true in truths])
        rates = 100 * np.mean(held, axis=0)
        yield (
            f"| {' | '.join(map(str, design))} | " + " | ".join(f"{r.min():.1f} - {r.max():.1f}" for r in rates) + " |"
        )


def optimum_rows(sets: int) -> Iterator[str]:
    """Yield for each design how often bounds of Youden's index hold the largest, and that of the chosen threshold."""
    for design in OPTIMA:
        generator, held = np.random.default_rng(SEED), []

        def index_at(threshold: float, distance: float = design.distance) -> float:
            return float(ndtr(distance - threshold) - ndtr(-threshold))

        for _ in range(sets):
            labels, scores, _ = design.draw(generator)
            found = optimal_threshold_interval(labels, scores, resamples=RESAMPLES, seed=generator)
            truths = index_at(design.distance / 2), index_at(found.threshold.estimate)
            held.append([each.low <= true <= each.high for each in (found.value, found.corrected) for true in truths])
        yield (
            f"| {' | '.join(map(str, design))} | " + " | ".join(f"{r:.1f}" for r in 100 * np.mean(held, axis=0)) + " |"
        )


class Classes(NamedTuple):
    """Number of cases, the fraction of each class of labels, and how much of it is right: the rest is spread evenly."""

    cases: int
    fractions: tuple[float, ...]
    right: tuple[float, ...]

    @property
    def cells(self) -> FloatArray:
        """The true fractions of all cases, (k, k)."""
        right, k = np.array(self.right)[:, np.newaxis], len(self.right)
        return np.asarray(np.array(self.fractions)[:, np.newaxis] * np.where(np.eye(k), right, (1 - right) / (k - 1)))


TABLES = (
    *(Classes(n, (p, 1 - p), right) for n, p in ((100, 0.1), (200, 0.05), (200, 0.1), (1000, 0.02), (100, 0.5))
      for right in ((0.5, 0.9), (0.8, 0.9), (0.8, 0.99), (0.95, 0.95), (0.95, 0.995))),
    *(Classes(200, (0.6, 0.2, 0.1, 0.05, 0.05), (right,) * 5) for right in (0.8, 0.97)),
    Classes(100, (0.7, 0.2, 0.1), (0.95, 0.7, 0.5)),
)  # fmt: skip
OF_DECISIONS, COSTS = ("f1", "net_benefit", "expected_cost"), Costs(1, 5)
OF_TABLES = "kappa", "matthews_correlation", "balanced_accuracy", "macro_f1", "macro_precision", "weighted_f1"


def of_tables(name: str, cells: Cells) -> Intervals:
    """Return the intervals of a measure of many tables."""
    return measure_intervals([name], cells, 0.95, threshold=0.2, costs=COSTS)[name]


def table_rates(design: Classes, sets: int = 10_000, sigma: float = 0.0) -> dict[str, tuple[float, float]]:
    """Return how often bounds of tables hold each measure, in percent, and their mean width beside the honest one.

    sigma: of the lognormal weights of cases, where they have some.
    """
    generator, k = np.random.default_rng(SEED), len(design.right)
    sets = sets // 4 if sigma else sets
    if sigma:
        codes = generator.choice(k * k, (sets, design.cases), p=design.cells.ravel()).ravel()
        weights = generator.lognormal(sigma=sigma, size=codes.size)
        units = units_of(codes.size, weights=weights, groups=np.arange(sets).repeat(design.cases), count=sets)
        cells = cells_of_rows(units, codes, (k, k))
    else:
        cells = cells_of_counts(generator.multinomial(design.cases, design.cells.ravel(), sets).reshape(sets, k, k))
    every, found = cells_of_counts((design.cells[np.newaxis] * 1e9).round().astype(np.int64)), {}
    for name in (*OF_TABLES, *(OF_DECISIONS if k == 2 else ())):
        estimates, low, high, _ = of_tables(name, cells)
        true, defined = of_tables(name, every).estimates[0], ~np.isnan(estimates)
        held = (low[defined] <= true) & (true <= high[defined])
        honest = 2 * reach_of(0.95) * float(estimates[defined].std())
        found[name] = 100 * float(held.mean()), float((high - low)[defined].mean()) / honest
    return found


def table_rows() -> Iterator[str]:
    """Yield for each design how often bounds hold each measure, and how wide they are beside the honest width."""
    names = *OF_TABLES, *OF_DECISIONS
    yield f"| cases | classes | right | {' | '.join(names)} |"
    yield f"|--:|---|---|{'---|' * len(names)}"
    for design in TABLES:
        shown, found = (", ".join(f"{each:g}" for each in column) for column in design[1:]), table_rates(design)
        cells = ("{:.1f} ({:.2f})".format(*found[name]) if name in found else "" for name in names)
        yield f"| {design.cases} | {' | '.join(shown)} | {' | '.join(cells)} |"


def test_bounds_of_tables_hold_and_are_no_wider_than_they_must() -> None:
    """Where most samples have no false positive, few are as far off as bounds must allow for."""
    for design in TABLES:
        for name, (held, width) in table_rates(design).items():
            assert held > 93.5 - 0.5, (design, name, held)
            assert width < (1.6 if design.right[-1] < 0.995 else 1.8), (design, name, width)


class Pair(NamedTuple):
    """Number of cases of two models, the fraction that one of them alone gets right, and the true difference."""

    cases: int
    discordant: float
    difference: float


PAIRS = [Pair(n, q, q * part) for n, q, part in product((20, 50, 200), (0.02, 0.1, 0.3, 0.5), (0.0, 0.6))]
OTHERS = "mid-p", "exact"


def paired_rates(design: Pair, sets: int = 10_000) -> tuple[float, float, list[float]]:
    """Return how often bounds of paired fractions hold the difference, their width, and how often tests show one.

    In percent, the width beside the honest one; tests are that of the bounds and those of `OTHERS`.
    """
    one, other = (design.discordant + np.array([1, -1]) * design.difference) / 2
    fractions = 0.8 * (1 - design.discordant), other, one, 0.2 * (1 - design.discordant)
    drawn = np.random.default_rng(SEED).multinomial(design.cases, fractions, sets)
    tables, counts = np.unique(drawn, axis=0, return_counts=True)
    positives = np.stack([tables, np.zeros_like(tables)], axis=1).reshape(-1, 2, 2, 2)
    compared = compare_decisions(cells_of_counts(positives), measure_of_decisions("recall"), 0.95)
    found = compared.differences, compared.low, compared.high, compared.p_values
    values, low, high, p_values = (each.repeat(counts) for each in found)
    held = (low <= design.difference) & (design.difference <= high)
    right = [BinaryCounts(*own) for own in tables[:, [0, 2, 1, 3]].tolist()]
    tests = [[mcnemar_test_of_counts(own, 0.95, method).p_value for own in right] for method in OTHERS]
    shown = [100 * float(np.mean(each <= 0.05)) for each in (p_values, *np.repeat(tests, counts, axis=1))]
    return 100 * float(held.mean()), float((high - low).mean() / (2 * reach_of(0.95) * values.std())), shown


def paired_rows() -> Iterator[str]:
    """Yield for each design what `paired_rates` finds."""
    for design in PAIRS:
        held, width, shown = paired_rates(design)
        tests = " | ".join(f"{each:.1f}" for each in shown)
        yield f"| {' | '.join(f'{each:g}' for each in design)} | {held:.1f} ({width:.2f}) | {tests} |"


def test_bounds_of_paired_fractions_hold_and_show_what_tests_do() -> None:
    """Of one discordant case or less, samples tell little."""
    for design in PAIRS:
        held, width, (shown, *others) = paired_rates(design)
        assert held > 93.5 - 0.5, (design, held)
        assert width < 1.6 or design.cases * design.discordant <= 1, (design, width)
        assert shown < 6.5 + 0.5 if design.difference == 0 else shown > max(others) - 0.5, (design, shown, others)


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for row in (*net_benefit_rows(asked), *optimum_rows(asked), *table_rows(), *paired_rows()):
            print(row)
