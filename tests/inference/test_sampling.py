"""Weights and clusters of cases in intervals and tests: laws for functions and columns; R, papers, the bootstrap."""

import dataclasses
import math
import warnings
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import inference
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.evaluation.statistics.tallies import measure_intervals
from evalcore.inference import (
    RocAreas,
    accuracy_interval,
    compare_roc_auc,
    mcnemar_test,
    proportion_interval,
    roc_auc_covariance,
    roc_auc_interval,
)
from evalcore.inference.cells import (
    FRACTIONS,
    cells_of_counts,
    cells_of_sums,
    intervals_of_parts,
)
from evalcore.inference.curve_areas import average_precision_intervals
from evalcore.inference.intervals import proportion_intervals, reach_of, tails_of
from evalcore.kernels.weights import WeightSums, sort_weights, walk_of_weights, weight_sums
from evalcore.measures.influence import PrecisionSpread, weights_for_prevalence
from evalcore.measures.multiclass import DECISION_RATIOS
from evalcore.measures.roc_variances import roc_auc_and_variance
from evalcore.metrics import roc_auc_score
from tests.differences import every
from tests.strategies import TABLES


def close(numbers, rel=1e-12, **options):
    return pytest.approx(numbers, rel=rel, **options)


def labelled(size=80, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(size) < 0.4).astype(int)
    return y_true, (rng.random(size) < np.where(y_true, 0.8, 0.3)).astype(int)


def scored(size=80, seed=0):
    """Draw labels, and scores of two models with ties."""
    y_true, _ = labelled(size, seed)
    rng = np.random.default_rng(seed + 1)
    return y_true, *(np.round(rng.normal(size=size) + shift * y_true, 1) for shift in (1, 1.5))


SIZE = 80
ROWS = np.arange(SIZE)
OF_ROWS = np.sort(np.random.default_rng(7).integers(0, 15, SIZE))
"""Clusters of the rows."""
Y_LABELS, Y_DECISIONS = labelled(SIZE)
FIRST, SECOND = scored(SIZE)[1:]
COLUMNS = {
    **dict.fromkeys(
        [f"{name}_interval" for name in ("accuracy", "precision", "recall", "specificity", "f1", "kappa")],
        (Y_LABELS, Y_DECISIONS),
    ),
    "prevalence_interval": (Y_LABELS,),
    "mcnemar_test": (Y_LABELS, Y_DECISIONS, labelled(SIZE, seed=1)[1]),
    "roc_auc_interval": (Y_LABELS, FIRST),
    "average_precision_interval": (Y_LABELS, FIRST),
    "compare_roc_auc": (Y_LABELS, FIRST, SECOND),
    "roc_auc_covariance": (Y_LABELS, np.stack([FIRST, SECOND], axis=1)),
    "compare_unpaired_roc_auc": (Y_LABELS, FIRST, *scored(SIZE, 2)[:2]),
}
"""What the functions that take weights are asked of."""
UNPAIRED = "compare_unpaired_roc_auc"
SETTINGS = [(name, own) for name in COLUMNS for own in (False, True) if (name, own) != (UNPAIRED, True)]
OF_ANY_WEIGHTS = [setting for setting in SETTINGS if setting != ("mcnemar_test", False)]


def function_of_rows(name, clustered=False):
    """Return a function of the indices of rows, and of options, that calls one of `COLUMNS` with these rows."""

    def called(rows, **options):
        if clustered:
            options["cluster"] = OF_ROWS[rows]
        if name == UNPAIRED and "sample_weight" in options:
            weights = options.pop("sample_weight")
            options |= {"sample_weight_old": weights, "sample_weight_new": weights}
        return getattr(inference, name)(*(column[rows] for column in COLUMNS[name]), **options)

    return called


def numbers(result):
    """Return all numbers of a result in one array."""
    fields = (
        result if isinstance(result, RocAreas) else (getattr(result, each.name) for each in dataclasses.fields(result))
    )
    return np.concatenate([np.ravel(each) for each in fields if not isinstance(each, str)])


def estimates_of(result):
    return result.areas if isinstance(result, RocAreas) else getattr(result, "estimates", None) or (result.estimate,)


@every(("name", "clustered"), SETTINGS)
def test_frequencies_count_as_repeated_rows(name, clustered):
    called, weights = function_of_rows(name, clustered), np.random.default_rng(3).integers(0, 4, SIZE)
    expected, found = called(ROWS.repeat(weights)), called(ROWS, sample_weight=weights, weight_type="frequency")
    if "roc_auc" in name or clustered:  # the placements of repeated rows are whole numbers
        assert numbers(found) == close(numbers(expected), rel=1e-9 if clustered else 1e-12)
    else:
        assert found == expected
    assert called(ROWS, sample_weight=weights.astype(float), weight_type="frequency") == found


@every(("name", "clustered"), SETTINGS)
def test_equal_weights_count_as_none(name, clustered):
    called = function_of_rows(name, clustered)
    for weight in (0.1, 7, 1e-300, 1e300):
        assert called(ROWS, sample_weight=np.full(SIZE, weight)) == called(ROWS)
    some = np.where(ROWS % 3, 0.3, 0)
    assert called(ROWS, sample_weight=some) == called(ROWS[some > 0])


@every(("name", "clustered"), OF_ANY_WEIGHTS)
def test_a_common_factor_rows_of_weight_zero_and_the_order_of_rows_change_nothing(name, clustered):
    called, rel = function_of_rows(name, clustered), 1e-9 if clustered else 1e-12
    weights = np.random.default_rng(4).lognormal(size=SIZE)
    weights[::7] = 0
    expected = called(ROWS, sample_weight=weights)
    for factor in (1e-250, 3.0, 1e250):
        assert numbers(called(ROWS, sample_weight=factor * weights)) == close(numbers(expected), rel=rel, nan_ok=True)
    kept = ROWS[weights > 0]
    assert called(kept, sample_weight=weights[kept]) == expected
    assert numbers(called(ROWS[::-1], sample_weight=weights[::-1])) == close(numbers(expected), rel=rel, nan_ok=True)


@every("name", [name for name in COLUMNS if name != UNPAIRED])
def test_one_cluster_has_no_bounds(name):
    called = function_of_rows(name)
    with pytest.warns(UndefinedMetricWarning, match="one cluster, or one case that holds all the weight,") as caught:
        found = called(ROWS, cluster=["a"] * SIZE)
    assert estimates_of(found) == close(estimates_of(called(ROWS)))
    assert np.isnan(found.covariance if name == "roc_auc_covariance" else [found.low, found.high]).all()
    assert caught[0].filename == __file__


@every("method", ["wilson", "clopper-pearson", "normal"])
def test_every_method_takes_the_effective_number_of_trials(method):
    y_true, y_pred = Y_LABELS, Y_DECISIONS
    weights = np.random.default_rng(6).lognormal(size=80)
    share = weights / weights.sum()
    mean = np.sum(share * (y_true == y_pred))
    variance = np.sum(np.square(share * ((y_true == y_pred) - mean)))
    parts = [weights[y_true == y_pred], weights[y_true != y_pred]]
    effective = sum(own.sum() ** 4 / np.square(own).sum() ** 2 / own.size for own in parts)
    wider = reach_of(0.95, effective - 1) / reach_of(0.95, weights.size - 1)
    found = inference.accuracy_interval(y_true, y_pred, sample_weight=weights, method=method)
    if method == "normal":
        assert found.high - found.low == close(2 * 1.959963984540054 * np.sqrt(variance) * wider, rel=1e-9)
        return
    number = mean * (1 - mean) / variance / wider**2
    # the whole numbers of trials on both sides have bounds on both sides
    low, high = (
        inference.proportion_interval(round(mean * trials), trials, method=method)
        for trials in (int(number * 0.9), int(number * 1.1))
    )
    assert high.high - high.low < found.high - found.low < low.high - low.low


@every("weight", [1e20, 1e140])
def test_a_cluster_that_holds_all_the_weight_leaves_no_bounds(weight):
    labels, scores = [1, 1, 0, 0, 0], [0.1, 0.5, 0.4, 0.3, 0.2]
    options = {"sample_weight": [weight, 1, 1, 1, 1], "cluster": [0, 1, 2, 3, 4]}
    with pytest.warns(UndefinedMetricWarning, match="one cluster, or one case that holds all the weight"):
        found = inference.roc_auc_interval(labels, scores, **options)
    assert found.estimate == pytest.approx(1 / weight, rel=1e-15)
    assert np.isnan([found.low, found.high]).all()


def test_normal_bounds_of_many_effective_trials_hold_the_fraction():
    found = inference.accuracy_interval([1, 1, 0, 0], [1, 0, 0, 0], sample_weight=[1, 1e140, 1, 1], method="normal")
    assert 0 <= found.low <= found.estimate <= found.high < 1e-60


def test_welch_takes_the_effective_number_of_cases():
    stats = pytest.importorskip("scipy.stats")
    first, second = scored(60, 1)[:2], scored(40, 2)[:2]
    weights = np.random.default_rng(3).lognormal(size=60)
    variances = [
        roc_auc_covariance(first[0], [first[1]], sample_weight=weights).covariance[0, 0],
        roc_auc_covariance(second[0], [second[1]]).covariance[0, 0],
    ]
    sizes = np.array([weights.sum() ** 2 / np.sum(weights**2), 40])
    freedom = sum(variances) ** 2 / np.sum(np.square(variances) / (sizes - 1))
    found = inference.compare_unpaired_roc_auc(*first, *second, sample_weight_old=weights, method="delong")
    assert found.p_value == close(2 * stats.t.sf(abs(found.difference) / np.sqrt(sum(variances)), freedom), rel=1e-10)


def test_frequencies_of_one_positive_row_have_a_variance():
    found = roc_auc_covariance([1, 0, 0], [[0.5, 0.3, 0.7]], sample_weight=[3, 1, 2], weight_type="frequency")
    expected = roc_auc_covariance([1, 1, 1, 0, 0, 0], [[0.5, 0.5, 0.5, 0.3, 0.7, 0.7]])
    assert found.covariance == close(expected.covariance, rel=1e-13)


@every("cluster", [None, ROWS // 3])
def test_a_model_compared_with_itself_differs_in_nothing(cluster):
    y_true, scores, _ = scored()
    options = {"sample_weight": np.random.default_rng(8).lognormal(size=80), "cluster": cluster}
    with pytest.warns(UndefinedMetricWarning, match="the difference has no variance"):
        assert inference.compare_roc_auc(y_true, scores, scores, method="delong", **options).p_value == 1
    comparison = inference.compare_roc_auc(y_true, scores, scores, **options)
    assert comparison.low < comparison.difference == 0 < comparison.high < 0.05
    assert comparison.p_value == 1


@every("missing", ["fp", "tp"])
def test_what_a_sample_lacks_may_weigh_as_much_as_its_class(missing):
    """One negative stands for 100 cases: without one among 80 alarms, precision is not sure to be near 1."""
    y_true, weights = np.array([1] * 100 + [0] * 400), np.array([1.0] * 100 + [100.0] * 400)
    alarms = np.isin(np.arange(500), np.arange(80) if missing == "fp" else np.arange(100, 180))
    found = inference.precision_interval(y_true, alarms.astype(int), sample_weight=weights)
    trials = 80 / 100 if missing == "fp" else 80 * 100 / 1  # the weight of the alarms by that of a missing case
    z = NormalDist().inv_cdf(0.975)
    bound = trials / (trials + z * z)
    assert found.estimate == (missing == "fp")
    assert (found.low if missing == "fp" else 1 - found.high) == pytest.approx(bound, rel=1e-12)
    recall = inference.recall_interval(y_true, y_true, sample_weight=weights)
    assert recall.low == pytest.approx(100 / (100 + z * z), rel=1e-12)


@every(("name", "clustered"), OF_ANY_WEIGHTS)
@every("row", [0, 79])
@pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")
def test_one_weight_that_dominates_leaves_an_estimate(name, clustered, row):
    weights = np.full(SIZE, 1e20)
    weights[row] = 1e160  # its square leaves float64
    assert np.isfinite(estimates_of(function_of_rows(name, clustered)(ROWS, sample_weight=weights))).all()


def test_one_weight_that_dominates_leaves_a_comparison_of_samples():
    y_true, first, second = scored()
    weights = np.r_[1e160, np.full(79, 1e20)]
    found = inference.compare_unpaired_roc_auc(y_true, second, y_true, first, sample_weight_new=weights)
    assert np.isfinite([found.difference, found.low, found.high, found.p_value]).all()
    counts = np.arange(80) % 3 + 1
    of_one = inference.compare_unpaired_roc_auc(
        y_true, second, y_true, first, sample_weight_new=counts, weight_type="frequency"
    )
    repeated = [column.repeat(counts) for column in (y_true, first)]
    assert of_one.p_value == close(inference.compare_unpaired_roc_auc(y_true, second, *repeated).p_value, rel=1e-12)
    with pytest.raises(EvaluationError, match="weight_type needs sample_weight_new, which it describes"):
        inference.compare_unpaired_roc_auc(y_true, second, y_true, first, weight_type="frequency")


Y_TRUE = np.array([1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0])
Y_PRED = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1])
WEIGHTS = np.array([1, 2.5, 0.5, 3, 1.25, 4, 0.75, 2, 1.5, 6, 2, 0.25] * 2)
CLUSTERS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 7, 7, 7, 7])
SCORES = np.array([9, 4, 3, 8, 6, 1, 7, 2, 9, 1, 8, 7, 4, 7, 3, 6, 8, 2, 1, 9, 4, 4, 2, 6]) / 10
OTHER = np.array([8, 6, 5, 6, 6, 2, 9, 1, 6, 3, 9, 4, 6, 3, 1, 5, 8, 5, 2, 6, 3, 8, 1, 4]) / 10


def test_fractions_have_the_effective_trials_and_exact_bounds_of_the_jackknife():
    """As svyciprop(method = "beta") of R's survey, whose errors are those of sums over clusters."""
    stats, right = pytest.importorskip("scipy.stats"), ~np.isin(CLUSTERS, [1, 4, 6])
    right[0] = False
    found = accuracy_interval(np.ones(24), right.astype(int), cluster=CLUSTERS, method="clopper-pearson")
    squares = np.square(right.mean() - np.array([right[each != CLUSTERS].mean() for each in np.unique(CLUSTERS)]))
    sizes, count = np.bincount(CLUSTERS), np.unique(CLUSTERS).size
    freedom = min(3 * squares.sum() ** 2 / (squares**2).sum(), 24**2 / (sizes**2).sum()) - 1
    trials = 2 / 9 / ((count - 1) / count * squares.sum()) * (reach_of(0.95, 23) / reach_of(0.95, freedom)) ** 2
    bounds = (
        stats.beta.ppf(0.025, trials * 2 / 3, trials / 3 + 1),
        stats.beta.isf(0.025, trials * 2 / 3 + 1, trials / 3),
    )
    assert (found.estimate, *found) == close((2 / 3, *bounds), rel=1e-10)


@every("weight", [None, "weight"])
def test_clusters_that_agree_less_than_by_chance_do_not_narrow_fractions(weight):
    weights = None if weight is None else WEIGHTS
    alone = accuracy_interval(Y_TRUE, Y_PRED, sample_weight=weights)
    found = accuracy_interval(Y_TRUE, Y_PRED, sample_weight=weights, cluster=CLUSTERS)
    assert found.estimate == close(alone.estimate)
    assert found.low < alone.low < alone.high < found.high


def test_fractions_of_0_or_1_take_each_cluster_for_a_trial():
    clusters = np.repeat(np.arange(8), 3)
    found = accuracy_interval(Y_TRUE, Y_TRUE, cluster=clusters)
    assert [*found] == [*accuracy_interval(np.ones(8), np.ones(8))]
    assert found.low > accuracy_interval(Y_TRUE, Y_TRUE, cluster=CLUSTERS).low  # of unequal sizes
    weights = np.repeat(np.arange(1.0, 9), 3)
    number = weights.sum() ** 2 / (3 * weights @ weights)  # Kish's of clusters
    weighted = accuracy_interval(Y_TRUE, Y_TRUE, cluster=clusters, sample_weight=weights)
    assert weighted.low == close(number / (number + NormalDist().inv_cdf(0.975) ** 2))


@every("clusters", [CLUSTERS, np.arange(24)])
def test_areas_of_clusters_have_almost_the_variance_of_the_areas_without_each(clusters):
    """Pairs within a cluster count once in place of twice: none, where each case is its own cluster."""
    found = roc_auc_covariance(Y_TRUE, [SCORES, OTHER], cluster=clusters)
    assert found.areas.tolist() == close([0.89860139860139865, 0.93356643356643354])
    kept = [clusters != each for each in np.unique(clusters)]
    areas = np.array([[roc_auc_score(Y_TRUE[rows], model[rows]) for model in (SCORES, OTHER)] for rows in kept])
    changes = found.areas - areas
    covariance = changes.T @ changes * (1 - 1 / len(kept))
    assert found.covariance == close(covariance, 1e-13 if clusters is not CLUSTERS else 0.1)
    compared = compare_roc_auc(Y_TRUE, OTHER, SCORES, cluster=clusters, method="delong")
    assert (compared.difference / compared.statistic) ** 2 == close([1, -1] @ found.covariance @ [1, -1])


@every("method", ["delong", "delong-logit", "delong-wilson"])
def test_repeated_cases_of_a_cluster_say_nothing_new(method):
    once = roc_auc_interval(Y_TRUE, SCORES, cluster=np.arange(24), method=method)
    found = roc_auc_interval(np.tile(Y_TRUE, 5), np.tile(SCORES, 5), cluster=np.tile(np.arange(24), 5), method=method)
    assert (found.estimate, *found) == close((once.estimate, *once), 1e-2)
    alone = roc_auc_interval(Y_TRUE, SCORES, method=method)
    assert [*once] == pytest.approx([*alone], abs=0.025)  # Student's t


def test_separated_classes_of_clusters_have_a_bound():
    found = roc_auc_interval(Y_TRUE, Y_TRUE, cluster=CLUSTERS)
    assert found.estimate == found.high == 1
    assert 0.5 < found.low < roc_auc_interval(Y_TRUE, Y_TRUE).low


PET = ["000", "110", "111", "1", "110", "1111", "111", "11", "11", "1", "110", "11", "111", "11", "00", "110", "110",
       "110", "11", "1", "11"]  # fmt: skip
SPECT = ["011", "111", "111", "1", "111", "1111", "111", "11", "10", "1", "110", "11", "111", "11", "11", "110", "110",
         "111", "11", "1", "11"]  # fmt: skip
"""Glands that were found in each patient: Obuchowski (1998), as in clust.bin.pair 0.1.2 of CRAN."""


def _glands():
    pet, spect = (np.array([*"".join(each)], int) for each in (PET, SPECT))
    return np.ones(pet.size, int), pet, spect, np.repeat(np.arange(len(PET)), [*map(len, PET)])


def test_mcnemars_test_of_clusters_is_students_test_of_its_bounds_by_default():
    *cases, patient = _glands()
    gains = np.bincount(patient, cases[2] - cases[1])
    k, n, total = gains.size, np.bincount(patient), patient.size
    found = mcnemar_test(*cases, cluster=patient)
    assert found == mcnemar_test(*cases, cluster=patient, method="obuchowski")
    assert found.difference == close(gains.sum() / total)
    assert found.estimates == close((cases[2].mean(), cases[1].mean()))
    changes = found.difference - (gains.sum() - gains) / (total - n)
    squares = changes**2
    error = math.sqrt((k - 1) / k * squares.sum())
    freedom = min(3 * squares.sum() ** 2 / (squares**2).sum(), total**2 / (n**2).sum()) - 1
    reach = reach_of(0.95, freedom) * error
    assert (found.low, found.high) == close((found.difference - reach, found.difference + reach))
    assert found.statistic == close(found.difference / error)
    assert found.p_value == close(tails_of(found.statistic, freedom))
    weighted = mcnemar_test(*cases, cluster=patient, sample_weight=np.full(total, 3), weight_type="frequency")
    assert weighted.statistic == close(found.statistic)
    assert (weighted.low, weighted.high) == close((found.low, found.high))


def test_equal_classifiers_of_clusters_do_not_differ():
    equal = mcnemar_test(Y_TRUE, Y_PRED, Y_PRED, cluster=CLUSTERS)
    assert (equal.difference, equal.statistic, equal.p_value, equal.low, equal.high) == (0, 0, 1, 0, 0)


LEVELS = st.sampled_from([0.5, 0.95, 0.999])


def same(intervals, level, one_by_one):
    """Compare the numbers, NaN too, and the types of all fields."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        expected = [make() for make in one_by_one]
    return [fields(each) for each in intervals.each(level)] == [fields(each) for each in expected]


def fields(interval):
    return repr((interval.estimate, interval.low, interval.high, interval.level, interval.method))


@given(st.lists(TABLES, min_size=1, max_size=8), LEVELS)
def test_intervals_of_decisions(tables, level):
    tp, fn, _, _ = np.array(tables).T
    assert same(
        proportion_intervals(tp, tp + fn, level),
        level,
        [lambda t=t: proportion_interval(t.tp, t.tp + t.fn, level=level) for t in tables],
    )
    for name in (*FRACTIONS, "f1", "kappa"):
        found = measure_intervals([name], cells_of_counts(np.reshape(tables, (-1, 2, 2))), level)[name]
        each = [measure_intervals([name], cells_of_counts(np.reshape(t, (1, 2, 2))), level)[name][:3] for t in tables]
        assert np.ravel(found[:3]) == near(np.concatenate(each, axis=1).ravel(), rel=1e-12, abs=1e-15, nan_ok=True)


LEVEL = 0.95
near = pytest.approx


def cells(y_true, y_pred, weights, *, frequencies=False):
    """Add up the weights of the cells tp, fn, fp, tn, (1,) each."""
    codes = 2 * ~np.asarray(y_true) + ~np.asarray(y_pred)
    sums = weight_sums(codes, np.asarray(weights), 4, frequencies=frequencies)
    return [sums.at(slice(cell, cell + 1)) for cell in range(4)]


def of_intervals(found):
    return [found.estimates[0], found.low[0], found.high[0]]


def drawn(size, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(size) < 0.4
    return y_true, rng.random(size) < np.where(y_true, 0.8, 0.3), rng.integers(1, 5, size)


def tables_of(y_true, y_pred, weights, **options):
    return WeightSums(
        *(np.reshape(column, (1, 2, 2)) for column in zip(*cells(y_true, y_pred, weights, **options), strict=True))
    )


def intervals_at_prevalence(y_true, y_pred, given=None):
    tables = tables_of(y_true, y_pred, weights_for_prevalence(y_true, 0.1, given))
    cases = cells_of_sums(tables, known_prevalence=True)
    return measure_intervals((*DECISION_RATIOS, "kappa"), cases, LEVEL)


def test_no_weight_has_no_interval():
    nothing, no_cases = WeightSums(*np.zeros((3, 1))), cells_of_sums(WeightSums(*np.zeros((3, 1, 2, 2))))
    for found in (
        intervals_of_parts(nothing, nothing, LEVEL),
        *measure_intervals((*DECISION_RATIOS, "kappa"), no_cases, LEVEL).values(),
        average_precision_intervals(np.array([np.nan]), PrecisionSpread(*np.full((2, 1), np.nan)), LEVEL),
    ):
        assert np.isnan(of_intervals(found)).all()


@every("predicted", [True, False])
def test_decisions_that_do_not_vary_still_have_uncertain_fractions(predicted):
    y_true, _, _ = drawn(60)
    y_pred = np.full(60, predicted)
    found = intervals_at_prevalence(y_true, y_pred)
    for name in ("accuracy", "precision" if predicted else "negative_predictive_value", "recall", "specificity"):
        estimate, low, high = of_intervals(found[name])
        assert 0 <= low <= estimate <= high <= 1
        assert high - low > 0.01


def test_full_agreement_has_bounds_of_kappa_however_sums_are_rounded():
    sums = np.diag([0.1, 0.2, 0.3])
    cells = cells_of_sums(WeightSums(sums[None], np.square(sums)[None], (sums[None] > 0) * 1.0))
    found = measure_intervals(["kappa"], cells, LEVEL)["kappa"]
    assert found.estimates == found.high == 1
    assert -1 < found.low < 1


def area_and_variance(scores, correct, weights, *, frequencies=False):
    return roc_auc_and_variance(walk_of_weights(sort_weights(scores, correct, weights)), frequencies=frequencies)


@every("scores", [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 1]])
def test_pairs_that_are_all_ranked_alike_have_no_variance(scores):
    correct, ranked = np.repeat([False, False, True, True], 5), np.repeat(np.array(scores, dtype=np.float64), 5)
    for weights in np.random.default_rng(4).random((50, 20)):  # however their sums are rounded
        area, variance, _ = area_and_variance(ranked, correct, weights)
        assert (area, variance) == ({1: 1.0, 4: 0.0}.get(scores[0] if scores[0] != scores[1] else None, 0.5), 0.0)
