"""Of 2,000 simulated samples, intervals hold the true value as often as their level and their docstrings say.

Scores of either class are normal with variance 1, so that areas are known; each sample has 200 cases, half or a tenth
of them positive.
"""

import math
from functools import cache, partial
from itertools import product

import numpy as np
import pytest
from scipy import integrate
from scipy.special import ndtr, ndtri

from evalcore import inference
from evalcore.inference import bootstrap
from evalcore.inference.bootstrap import METHODS, bounds_and_p_value
from evalcore.measures.curves import parse_measure

pytestmark = pytest.mark.slow
SAMPLES, CASES, RESAMPLES = 2_000, 200, 400
PROBABILITIES = [(20, 0.1), (20, 0.5), (50, 0.3), (100, 0.9), (1000, 0.02)]
"""Sizes of samples, and true proportions."""
TABLES = {
    "rare": [[0.86, 0.03], [0.04, 0.07]],
    "even": [[0.4, 0.1], [0.15, 0.35]],
    "three": [[0.3, 0.05, 0.05], [0.05, 0.2, 0.05], [0.05, 0.05, 0.2]],
}
"""Shares of the cells, a row for each true class."""


def generator():
    return np.random.default_rng(1)


def samples(table, cases):
    """Draw columns of references and responses."""
    cells = np.array(table)
    for counts in generator().multinomial(cases, cells.ravel(), SAMPLES):
        yield np.divmod(np.repeat(np.arange(cells.size), counts), len(cells))


def held(results, truth):
    return sum(result.low <= truth <= result.high for result in results) / SAMPLES


@cache
def coverage_of_proportion(method, trials, probability):
    counts = generator().binomial(trials, probability, SAMPLES).tolist()
    intervals = {count: inference.proportion_interval(count, trials, method=method) for count in set(counts)}
    return held((intervals[count] for count in counts), probability)


def coverage_of_f1(name, cases):
    (_, fp), (fn, tp) = TABLES[name]
    found = (inference.f1_interval(*columns) for columns in samples(TABLES[name], cases))
    return held(found, 2 * tp / (2 * tp + fn + fp))


def coverage_of_kappa(name, cases):
    cells = np.array(TABLES[name])
    chance = cells.sum(axis=0) @ cells.sum(axis=1)
    found = (inference.kappa_interval(*columns) for columns in samples(cells, cases))
    return held(found, (cells.trace() - chance) / (1 - chance))


def coverage_of_tango(cases, cells):
    right = np.array([(1, 1), (0, 1), (1, 0), (0, 0)])
    drawn = (np.repeat(right, counts, axis=0) for counts in generator().multinomial(cases, cells, SAMPLES))
    found = (inference.mcnemar_test(np.ones(cases, int), *columns.T) for columns in drawn)
    return held(found, cells[1] - cells[2])


def coverage_of_permutation(queries):
    differences = generator().laplace(0.1, 0.2, (SAMPLES, queries))
    found = (inference.permutation_test(np.zeros(queries), row, resamples=2_000, seed=1) for row in differences)
    return held(found, 0.1)


AREAS = [0.6, 0.75, 0.9, 0.95]
PREVALENCES = [0.5, 0.1]


def labels(prevalence):
    return np.arange(CASES) < CASES * prevalence


def distance(area):
    """Give how far the means of two normal classes are apart."""
    return math.sqrt(2) * float(ndtri(area))


def true_average_precision(area, prevalence):
    """Average the precision over the scores of the positives."""
    shift = distance(area)

    def weighted_precision(score):
        true, false = prevalence * ndtr(shift - score), (1 - prevalence) * ndtr(-score)
        return true / (true + false) * math.exp(-((score - shift) ** 2) / 2) / math.sqrt(2 * math.pi)

    return integrate.quad(weighted_precision, shift - 9, shift + 9)[0]


@cache
def coverage(interval, area, prevalence, **options):
    """Give how often the intervals of simulated scores hold the true value."""
    rng = np.random.default_rng(1)
    truth = true_average_precision(area, prevalence) if interval is inference.average_precision_interval else area
    drawn = (rng.normal(size=CASES) + distance(area) * labels(prevalence) for _ in range(SAMPLES))
    return held((interval(labels(prevalence), scores, **options) for scores in drawn), truth)


@cache
def coverage_of_paired(areas, prevalence):
    rng = np.random.default_rng(1)
    correct, shifts = labels(prevalence), [distance(area) for area in areas]

    def drawn():
        """Draw two models whose scores have a correlation of 1/2."""
        shared, *own = math.sqrt(0.5) * rng.normal(size=(3, CASES))
        return [shared + noise + shift * correct for noise, shift in zip(own, shifts, strict=True)]

    found = (inference.compare_roc_auc(correct, *drawn(), method="delong") for _ in range(SAMPLES))
    return held(found, areas[1] - areas[0])


@cache
def coverage_of_unpaired(areas):
    rng = np.random.default_rng(1)

    def drawn(prevalence, area):
        return labels(prevalence), rng.normal(size=CASES) + distance(area) * labels(prevalence)

    samples = ((*drawn(0.5, areas[0]), *drawn(0.1, areas[1])) for _ in range(SAMPLES))
    return held((inference.compare_unpaired_roc_auc(*sample) for sample in samples), areas[1] - areas[0])


@cache
def covered(positives, negatives, area):
    """Return the fraction of simulated sets of normal scores whose 95% bounds hold the area, by method."""
    rng = np.random.default_rng(20)
    shift = distance(area)
    y_true = np.arange(positives + negatives) < positives
    counts = dict.fromkeys(METHODS, 0)
    for number in range(SAMPLES):
        y_score = rng.normal(size=y_true.size) + shift * y_true
        asked = [parse_measure("roc_auc")], None, (None, "sampling", None)
        found = bootstrap.resampled_models(y_true, {"y_score": y_score}, *asked, stratify=True)
        sources = bootstrap.generators(number, RESAMPLES)
        values = bootstrap.measure_resamples(found.measured, found.plan.draw, sources, RESAMPLES)[:, 0, 0]
        left = found.plan.without_blocks(found.measured, sources[-1])[:, 0, 0]
        for method in METHODS:
            low, high, *_ = bounds_and_p_value(float(found.estimates[0, 0]), values, 0.95, method, left)
            counts[method] += low <= area <= high
    return {method: count / SAMPLES for method, count in counts.items()}


def coverage_of_resamples(method, *given):
    return covered(*given)[method]


ROC_AUC, AVERAGE_PRECISION = inference.roc_auc_interval, inference.average_precision_interval
SIZES, SETTINGS = [("rare", 200), ("rare", 1000), ("even", 50), ("even", 200)], [*product(AREAS, PREVALENCES)]
delong, logit = (partial(coverage, ROC_AUC, method=method) for method in ("delong", "delong-logit"))
COVERED = [
    *((partial(coverage_of_proportion, "wilson"), each, 0.93, 0.97) for each in PROBABILITIES),
    *((partial(coverage_of_proportion, "clopper-pearson"), each, 0.95, 1) for each in PROBABILITIES),
    (partial(coverage_of_proportion, "normal"), (20, 0.1), 0.85, 0.9),
    *((coverage_of_f1, each, 0.93, 0.97) for each in SIZES),
    *((coverage_of_kappa, each, 0.92, 0.97) for each in [*SIZES, ("three", 100)]),
    *((coverage_of_tango, (cases, cells), 0.94, 0.985) for cases in (50, 200) for cells in [
        (0.7, 0.1, 0.05, 0.15), (0.85, 0.05, 0.05, 0.05), (0.6, 0.2, 0.05, 0.15)]),
    *((coverage_of_permutation, (queries,), 0.94, 0.965) for queries in (10, 30, 100)),
    *((delong, (area, 0.5), 0.93, 0.97) for area in AREAS[:2]),
    *((delong, (area, prevalence), 0.83, 0.935) for area in AREAS[2:] for prevalence in PREVALENCES),
    *((logit, each, 0.89, 0.97) for each in SETTINGS),
    *((partial(coverage, ROC_AUC), each, 0.94, 0.99) for each in SETTINGS),
    *((partial(coverage, AVERAGE_PRECISION), each, 0.96, 0.995) for each in SETTINGS),
    *((coverage_of_paired, each, 0.93, 0.97) for each in product([(0.75, 0.75), (0.9, 0.75)], PREVALENCES)),
    *((coverage_of_unpaired, (areas,), 0.93, 0.97) for areas in [(0.75, 0.75), (0.9, 0.75)]),
    *((coverage_of_resamples, (method, 100, 100, 0.75), 0.93 - 0.01 * (method == "basic"), 0.97) for method in METHODS),
    *((coverage_of_resamples, (method, 20, 80, 0.9), 0.8, 0.97) for method in METHODS),
]  # fmt: skip
"""How often intervals hold the true value, of what, and the fractions between which that has to lie."""


@pytest.mark.parametrize(("held_by", "given", "low", "high"), COVERED)
def test_intervals_hold_the_true_value_as_often_as_is_said(held_by, given, low, high):
    assert low <= held_by(*given) <= high


@pytest.mark.parametrize("given", SETTINGS)
def test_delong_logit_covers_more_of_large_areas(given):
    assert logit(*given) > delong(*given)
