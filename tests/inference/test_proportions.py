import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from statsmodels.stats.proportion import proportion_confint

from evalcore import inference, metrics
from evalcore.evaluation.statistics.tallies import measure_intervals
from evalcore.inference import cells as module
from evalcore.inference import intervals as distributions
from evalcore.inference.cells import cells_of_rows
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.student import student_reaches, student_tails
from evalcore.inference.units import units_of
from tests.differences import every
from tests.reference import exact as slow_exact
from tests.strategies import TABLES, close_to, columns_of

METHODS = ("wilson", "clopper-pearson", "normal")
IN_STATSMODELS = {"jeffreys": "jeffreys", "agresti-coull": "agresti_coull"}
IN_STATSMODELS |= {"wilson": "wilson", "clopper-pearson": "beta", "normal": "normal"}
COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted).filter(lambda counts: counts[1] > 0)
LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.999])


def bounds(interval):
    return [interval.low, interval.high]


def columns(table):
    """Write a table out as references and responses."""
    return np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)


@given(COUNTS, LEVELS)
def test_bounds_are_those_of_statsmodels(counts, level):
    successes, trials = counts
    for method, named in IN_STATSMODELS.items():
        interval = inference.proportion_interval(*counts, level=level, method=method)
        low, high = proportion_confint(*counts, alpha=1 - level, method=named)
        # fractions of none and of all end where the proportion does
        expected = [max(low, 0.0) if successes else 0.0, min(high, 1.0) if successes < trials else 1.0]
        assert bounds(interval) == close_to(expected, rel=1e-9, abs=1e-12)
        assert (interval.estimate, interval.level, interval.method) == (successes / trials, level, method)
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
        mirrored = inference.proportion_interval(trials - successes, trials, level=level, method=method)
        assert [1 - mirrored.high, 1 - mirrored.low] == close_to(bounds(interval), rel=1e-9, abs=1e-12)


@every("method", ["jeffreys", "agresti-coull"])
@every("trials", [10**11, 2**53 + 1, 2**62])
def test_further_bounds_of_many_trials_come_to_those_of_wilson(method, trials):
    for successes in (1, trials // 1000, trials // 2, trials - 1):
        found = inference.proportion_interval(successes, trials, method=method)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        if 1 < successes < trials - 1:
            assert bounds(found) == close_to(bounds(inference.proportion_interval(successes, trials)), rel=1e-8)


@given(st.integers(0, 2**60), st.integers(0, 3), st.booleans())
@example(10**15, 2, True)
def test_normal_bounds_of_large_counts_are_those_of_exact_fractions(many, few, flipped):
    successes, failures = (few, many) if flipped else (many, few)
    if not (trials := successes + failures):
        return
    interval = inference.proportion_interval(successes, trials, method="normal")
    deviation = slow_exact.root(Fraction(successes * failures, trials**3))
    reach = distributions.reach_of(0.95) * float(deviation)
    expected = [max(interval.estimate - reach, 0.0), min(interval.estimate + reach, 1.0)]
    # what a bound near 0 is the difference of has an error of its own size
    assert bounds(interval) == close_to(expected, rel=1e-14, abs=interval.estimate * 2**-52)


@given(COUNTS, LEVELS | st.sampled_from([1e-300, 1e-12, 1 - 2**-53]))
@example([0, 1], 1e-300)
def test_bounds_enclose_the_estimate_and_end_where_the_proportion_does(counts, level):
    for method in METHODS:
        interval = inference.proportion_interval(*counts, level=level, method=method)
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
        assert interval.low == 0 or counts[0] > 0
        assert interval.high == 1 or counts[0] < counts[1]


@every("trials", [10**6, 10**12, 2**53 + 1, 2**62])
@every("parts", [2, 1000])
def test_large_counts_do_not_overflow_and_come_to_the_normal_bounds(trials, parts):
    successes = trials // parts
    probability = 1 / parts
    deviation = math.sqrt(probability * (1 - probability) / trials)
    expected = [probability - 1.959964 * deviation, probability + 1.959964 * deviation]
    for method in METHODS:
        near = 1e-15 + 2 / trials + 2 * deviation / math.sqrt(successes)
        assert bounds(inference.proportion_interval(successes, trials, method=method)) == close_to(expected, abs=near)


@every("method", METHODS)
def test_large_counts_keep_both_ends_exact(method):
    none, every = (inference.proportion_interval(successes, 2**62, method=method) for successes in (0, 2**62))
    assert (none.low, every.high) == (0, 1)
    assert none.high <= 4 / 2**62 * 1.1
    assert every.low >= 1 - 2**-52
    one = inference.proportion_interval(1, 2**62, method=method)
    assert one.low < one.estimate < one.high < 1e-17


@pytest.mark.parametrize("probability", [0.001, 0.5, 0.99])
def test_both_ways_to_clopper_pearson_meet(probability, monkeypatch):
    trials = 10**12
    exact = inference.proportion_interval(int(trials * probability), trials, method="clopper-pearson")
    monkeypatch.setattr("evalcore.inference.intervals._MANY", 10**6)
    corrected = inference.proportion_interval(int(trials * probability), trials, method="clopper-pearson")
    assert bounds(corrected) == close_to(bounds(exact), rel=1e-9)
    assert bounds(corrected) != bounds(inference.proportion_interval(int(trials * probability), trials))


@given(TABLES)
def test_measures_of_two_classes_are_proportions_of_the_table(table):
    tp, fn, fp, tn = table
    cases = columns(table)
    measured = [
        (inference.precision_interval, tp, tp + fp), (inference.recall_interval, tp, tp + fn),
        (inference.specificity_interval, tn, tn + fp),
        (lambda y_true, _, **options: inference.prevalence_interval(y_true, **options), tp + fn, sum(table)),
    ]  # fmt: skip
    if sum(table):
        measured.append((inference.accuracy_interval, tp + tn, sum(table)))
    for function, successes, trials in measured:
        if trials:
            expected = inference.proportion_interval(successes, trials, level=0.9, method="clopper-pearson")
            assert function(*cases, level=0.9, method="clopper-pearson") == expected


@given(columns_of(list(product("abc", "abc")), 1, 20), st.integers(0, 99))
@example([("a", "b")], 0)
def test_accuracy_counts_equal_labels_of_any_kind_in_any_order(pairs, seed):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    interval = inference.accuracy_interval(y_true, y_pred)
    assert interval == inference.proportion_interval(sum(a == b for a, b in pairs), len(pairs))
    numbers = {"a": 7, "b": -1, "c": 3}
    assert inference.accuracy_interval([numbers[a] for a in y_true], [numbers[b] for b in y_pred]) == interval
    mixed = np.random.default_rng(seed).permutation(pairs)
    assert inference.accuracy_interval(*mixed.T) == interval


def test_accuracy_of_indicators_asks_for_all_labels_of_a_case():
    y_true, y_pred = [[0, 1], [1, 1], [0, 0]], [[0, 1], [1, 0], [0, 0]]
    assert inference.accuracy_interval(y_true, y_pred).estimate == metrics.accuracy_score(y_true, y_pred) == 2 / 3


@given(LEVELS, st.integers(1, 100), st.floats(-5, 5))
def test_quantiles_and_tails_are_those_of_scipy(level, freedom, statistic):
    assert distributions.reach_of(level) == close_to(stats.norm.ppf((1 + level) / 2))
    assert distributions.normal_quantile(level) == close_to(stats.norm.ppf(level), rel=1e-14)
    assert distributions.normal_probability(statistic) == close_to(stats.norm.cdf(statistic), rel=1e-14)
    far = 7 * statistic  # farther away tails are subnormal numbers, which SciPy may round to 0
    assert distributions.tails_of(far) == close_to(2 * stats.norm.sf(abs(far)), rel=1e-12)
    assert distributions.reach_of(level, freedom) == close_to(stats.t.ppf((1 + level) / 2, freedom), rel=1e-9)
    assert distributions.tails_of(statistic, freedom) == close_to(2 * stats.t.sf(abs(statistic), freedom), rel=1e-9)


SIZE = 400


def drawn(kind, *, grouped=False):
    rng = np.random.default_rng(3)
    weights = {"plain": None, "frequency": rng.integers(1, 5, SIZE), "sampling": rng.uniform(0.5, 4, SIZE)}[kind]
    groups = {"groups": rng.integers(0, 2, SIZE), "count": 2} if grouped else {}
    return units_of(
        SIZE, weights=weights, are_frequencies=kind == "frequency", clusters=rng.integers(0, 6, SIZE), **groups
    )


def decisions(*sizes):
    rng = np.random.default_rng(5)
    return [rng.random(SIZE) < chance for chance in sizes]


@every("kind", ["plain", "frequency", "sampling"])
@every("grouped", [False, True])
def test_rows_joined_by_cluster_and_cell_change_no_number(kind, grouped):
    units, (positive, old, new) = drawn(kind, grouped=grouped), decisions(0.4, 0.5, 0.6)
    codes = (2 * ~positive + ~new).astype(np.int8)

    def found():
        paired = paired_decisions(positive, old, new, units)
        asked = map(measure_of_decisions, ("accuracy", "f1", "kappa"))
        compared = [compare_decisions(paired, measure, 0.9)[-2:] for measure in asked]
        cells = cells_of_rows(units, codes, (2, 2))
        intervals = measure_intervals(("recall", "prevalence", "f1", "kappa"), cells, 0.9).values()
        return cells.codes.size, np.array(compared), np.array([each[:3] for each in intervals])

    size, *joined = found()
    assert size < SIZE
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_WORTHWHILE", SIZE)
        size, *apart = found()
    assert size == SIZE
    for one, other in zip(joined, apart, strict=True):
        assert one == pytest.approx(other, rel=1e-12)


@every("kind", ["plain", "frequency", "sampling"])
def test_a_fraction_of_0_counts_each_cluster_as_a_trial(kind):
    units, (positive,) = drawn(kind), decisions(0.4)
    cells = cells_of_rows(units, (2 * ~positive + 1).astype(np.int8), (2, 2))
    _, [number], _ = module.trials_of(cells, module.FRACTIONS["recall"], 0.9)
    of_clusters = np.bincount(units.clusters, units.amounts * positive)
    assert number == pytest.approx(of_clusters.sum() ** 2 / np.square(of_clusters).sum())


@given(st.floats(1, 1e6), st.sampled_from((1e-12, 1e-3, 0.05, 0.5, 0.999)))
def test_students_t_takes_any_degrees_of_freedom(freedom, tail):
    [reach] = student_reaches(tail, np.array([freedom]))
    assert reach == close_to(stats.t.isf(tail / 2, freedom), rel=1e-9)
    assert student_tails(reach, freedom) == close_to(tail, rel=1e-11)


def test_two_fractions_are_compared_by_the_test_that_their_interval_inverts():
    """P-values are those of Pearson's test, times √((n - 1) / n)."""

    def loglikelihood(*fractions):
        return stats.binom.logpmf([7, 3], 25, fractions).sum()

    tables = [(s, m, t, n) for m, n in ((5, 8), (1, 12), (30, 30)) for s in range(m + 1) for t in range(n + 1)]
    first, m, second, n = np.array(tables).T
    for level in (0.8, 0.95):
        found = distributions.compare_fractions([first, second], [m, n], level)
        for each in found.each():
            assert -1 <= each.low <= each.difference <= each.high <= 1
            assert each.high - each.low > 0.05
            assert (each.low > 0 or each.high < 0) == (each.p_value < 1 - level)
        [mirrored] = distributions.compare_fractions([[3], [7]], [[25], [25]], level).each()
        [each] = distributions.compare_fractions([[7], [3]], [[25], [25]], level).each()
        assert [mirrored.low, mirrored.p_value] == close_to([-each.high, each.p_value], rel=1e-9)
        for bound in each.low, each.high:  # the likeliest fractions that differ by as much
            q = minimize_scalar(
                lambda q, bound=bound: -loglikelihood(q, q - bound), bounds=(max(bound, 0), 1 + min(bound, 0))
            ).x
            variance = (q * (1 - q) + (q - bound) * (1 - q + bound)) / 25 * 50 / 49
            assert (0.16 - bound) ** 2 / variance == close_to(distributions.reach_of(level) ** 2, rel=1e-5)
    table = np.array([[7, 18], [3, 22]])
    assert each.statistic**2 == close_to(stats.chi2_contingency(table, correction=False).statistic * 49 / 50)
