"""Of 2,000 simulated samples, intervals hold the true value as often as their level and their docstrings say."""

from functools import cache

import numpy as np
import pytest

from evalcore.inference import f1_interval, kappa_interval, mcnemar_test, permutation_test, proportion_interval

pytestmark = pytest.mark.slow
SAMPLES = 2_000
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


def coverage(results, truth):
    return sum(result.low <= truth <= result.high for result in results) / SAMPLES


@cache
def coverage_of_proportion(method, trials, probability):
    counts = generator().binomial(trials, probability, SAMPLES).tolist()
    intervals = {count: proportion_interval(count, trials, method=method) for count in set(counts)}
    return coverage((intervals[count] for count in counts), probability)


@pytest.mark.parametrize(("trials", "probability"), PROBABILITIES)
def test_wilson_covers_about_the_level(trials, probability):
    assert 0.93 <= coverage_of_proportion("wilson", trials, probability) <= 0.97


@pytest.mark.parametrize(("trials", "probability"), PROBABILITIES)
def test_clopper_pearson_covers_no_less_than_the_level(trials, probability):
    assert coverage_of_proportion("clopper-pearson", trials, probability) >= 0.95


def test_normal_covers_too_little_where_few_succeed():
    assert 0.85 <= coverage_of_proportion("normal", 20, 0.1) <= 0.9


@pytest.mark.parametrize(("name", "cases"), [("rare", 200), ("rare", 1000), ("even", 50), ("even", 200)])
def test_f1_covers_about_the_level(name, cases):
    (_, fp), (fn, tp) = TABLES[name]
    covered = coverage((f1_interval(*columns) for columns in samples(TABLES[name], cases)), 2 * tp / (2 * tp + fn + fp))
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize(
    ("name", "cases"), [("rare", 200), ("rare", 1000), ("even", 50), ("even", 200), ("three", 100)]
)
def test_kappa_covers_about_the_level(name, cases):
    cells = np.array(TABLES[name])
    chance = cells.sum(axis=0) @ cells.sum(axis=1)
    truth = (cells.trace() - chance) / (1 - chance)
    assert 0.92 <= coverage((kappa_interval(*columns) for columns in samples(cells, cases)), truth) <= 0.97


@pytest.mark.parametrize("cells", [(0.7, 0.1, 0.05, 0.15), (0.85, 0.05, 0.05, 0.05), (0.6, 0.2, 0.05, 0.15)])
@pytest.mark.parametrize("cases", [50, 200])
def test_newcombe_covers_the_difference_of_accuracies(cases, cells):
    right = np.array([(1, 1), (1, 0), (0, 1), (0, 0)])
    drawn = (np.repeat(right, counts, axis=0) for counts in generator().multinomial(cases, cells, SAMPLES))
    results = (mcnemar_test(np.ones(cases, int), *columns.T) for columns in drawn)
    assert 0.94 <= coverage(results, cells[1] - cells[2]) <= 0.985


@pytest.mark.parametrize("queries", [10, 30, 100])
def test_permutation_covers_the_difference_of_runs(queries):
    differences = generator().laplace(0.1, 0.2, (SAMPLES, queries))
    results = (permutation_test(row, np.zeros(queries), resamples=2_000, seed=1) for row in differences)
    assert 0.94 <= coverage(results, 0.1) <= 0.965
