"""Analytic intervals of cases that were drawn by clusters: beside R, the paper's equations and the bootstrap."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference import (
    accuracy_interval,
    average_precision_interval,
    bootstrap_interval,
    compare_roc_auc,
    f1_interval,
    kappa_interval,
    mcnemar_test,
    precision_interval,
    prevalence_interval,
    recall_interval,
    roc_auc_covariance,
    roc_auc_interval,
    specificity_interval,
)
from evalcore.inference.intervals import student_reach
from tests.reference import clusters as slow

Y_TRUE = np.array([1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0])
Y_PRED = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1])
WEIGHTS = np.array([1, 2.5, 0.5, 3, 1.25, 4, 0.75, 2, 1.5, 6, 2, 0.25] * 2)
CLUSTERS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 7, 7, 7, 7])
SCORES = np.array([9, 4, 3, 8, 6, 1, 7, 2, 9, 1, 8, 7, 4, 7, 3, 6, 8, 2, 1, 9, 4, 4, 2, 6]) / 10
OTHER = np.array([8, 6, 5, 6, 6, 2, 9, 1, 6, 3, 9, 4, 6, 3, 1, 5, 8, 5, 2, 6, 3, 8, 1, 4]) / 10
SURVEY = {
    None: {
        "f1": (0.69565217391304346, 0.080226603846080019),
        "kappa": (0.41666666666666663, 0.1147360494248644),
    },
    "weight": {
        "f1": (0.66272189349112431, 0.13297449402803546),
        "kappa": (0.41710567090176626, 0.19428694923909728),
    },
}
"""Estimates and standard errors by survey 4.1.1 in R 4.2.2: svyratio, and svycontrast of svymean."""
ALL = [accuracy_interval, precision_interval, recall_interval, specificity_interval, f1_interval, kappa_interval]


def close(numbers, rel=1e-12):
    return pytest.approx(numbers, rel=rel)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_f1_and_kappa_have_the_errors_of_survey(weight):
    weights = None if weight is None else WEIGHTS
    reach = student_reach(0.95, 7)
    estimate, error = SURVEY[weight]["f1"]
    found = f1_interval(Y_TRUE, Y_PRED, sample_weight=weights, cluster=CLUSTERS)
    logit = math.log(estimate / (1 - estimate)) + reach * error / (estimate * (1 - estimate)) * np.array([-1, 1])
    assert [*found] == close((1 / (1 + np.exp(-logit))).tolist())
    estimate, error = SURVEY[weight]["kappa"]
    found = kappa_interval(Y_TRUE, Y_PRED, sample_weight=weights, cluster=CLUSTERS)
    assert (found.estimate, *found) == close((estimate, estimate - reach * error, estimate + reach * error))


def test_fractions_have_the_effective_trials_and_exact_bounds_of_survey():
    right = ~np.isin(CLUSTERS, [1, 4, 6])
    right[0] = False
    found = accuracy_interval(np.ones(24), right.astype(int), cluster=CLUSTERS, method="clopper-pearson")
    # svyciprop(method = "beta") of survey 4.1.1 in R 4.2.2
    assert (found.estimate, *found) == close((2 / 3, 0.20900971198669832, 0.96159903153780957))


@pytest.mark.parametrize("weight", [None, "weight"])
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


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4), st.integers(0, 5)), max_size=20))
def test_covariances_of_areas_are_those_of_the_paper(cases):
    # two clusters with both classes
    cases += [(False, 0, 1, 6), (True, 2, 1, 6), (True, 3, 2, 7), (False, 1, 3, 7)]
    y_true, first, second, clusters = (list(column) for column in zip(*cases, strict=True))
    found = roc_auc_covariance(y_true, [first, second], cluster=clusters)
    columns = first, second
    expected = [[slow.roc_area_covariance(y_true, one, other, clusters) for other in columns] for one in columns]
    assert found.covariance == pytest.approx(np.array(expected), rel=1e-9, abs=1e-14)
    assert found.areas.tolist() == roc_auc_covariance(y_true, [first, second]).areas.tolist()
    weighted = roc_auc_covariance(y_true * 2, [first * 2, second * 2], cluster=clusters * 2)
    doubled = roc_auc_covariance(
        y_true, [first, second], sample_weight=[2] * len(cases), weight_type="frequency", cluster=clusters
    )
    assert doubled.covariance == pytest.approx(weighted.covariance, rel=1e-9, abs=1e-14)
    assert doubled.covariance == pytest.approx(found.covariance, rel=1e-9, abs=1e-14)


FREQUENCIES = np.array([3, 1, 2, 1, 4, 2] * 4)
OF_SCORES = {
    "area": lambda truth, _, scores, __, **cases: roc_auc_interval(truth, scores, **cases),
    "average precision": lambda truth, _, scores, __, **cases: average_precision_interval(truth, scores, **cases),
    "areas": lambda truth, _, scores, other, **cases: compare_roc_auc(truth, scores, other, **cases),
}


@pytest.mark.parametrize(
    "function",
    [
        *OF_SCORES.values(),
        *(lambda truth, pred, _, __, of=each, **cases: of(truth, pred, **cases) for each in ALL),
        lambda truth, pred, scores, _, **cases: mcnemar_test(truth, pred, scores > 0.5, **cases),
    ],
)
def test_frequencies_of_clusters_are_repeated_rows(function):
    columns = Y_TRUE, Y_PRED, SCORES, OTHER
    repeated = function(*(each.repeat(FREQUENCIES) for each in columns), cluster=CLUSTERS.repeat(FREQUENCIES))
    found = function(*columns, cluster=CLUSTERS, sample_weight=FREQUENCIES, weight_type="frequency")
    assert [found.low, found.high] == close([repeated.low, repeated.high], rel=1e-9)


def test_areas_and_covariances_are_those_of_the_program_of_the_author():
    # funcs_clusteredROC.R of the Cleveland Clinic, as adapted in DIDSR/mitoticFigureCounts, by R 4.2.2
    found = roc_auc_covariance(Y_TRUE, [SCORES, OTHER], cluster=CLUSTERS)
    assert found.areas.tolist() == close([0.89860139860139865, 0.93356643356643354])
    expected = [0.0023969155134630094, 0.00072346077105658099, 0.00072346077105658099, 0.0023936432993657743]
    assert found.covariance.ravel().tolist() == close(expected)
    compared = compare_roc_auc(Y_TRUE, SCORES, OTHER, cluster=CLUSTERS, method="delong")
    assert (compared.difference / compared.statistic) ** 2 == close(0.0033436372707156218)


def test_the_error_of_the_area_is_that_of_the_paper_with_students_t():
    variance = slow.roc_area_covariance(Y_TRUE.tolist(), SCORES.tolist(), SCORES.tolist(), CLUSTERS.tolist())
    found = roc_auc_interval(Y_TRUE, SCORES, cluster=CLUSTERS, method="delong")
    assert found.low == close(found.estimate - student_reach(0.95, 7) * math.sqrt(variance))
    both = [
        slow.roc_area_covariance(Y_TRUE.tolist(), one.tolist(), other.tolist(), CLUSTERS.tolist())
        for one, other in ((SCORES, SCORES), (OTHER, OTHER), (SCORES, OTHER))
    ]
    compared = compare_roc_auc(Y_TRUE, SCORES, OTHER, cluster=CLUSTERS, method="delong")
    error = math.sqrt(both[0] + both[1] - 2 * both[2])
    assert compared.statistic == close(compared.difference / error, 1e-9)
    reach = student_reach(0.95, 7) * error
    assert (compared.low, compared.high) == close((compared.difference - reach, compared.difference + reach), 1e-9)
    by_score = compare_roc_auc(Y_TRUE, SCORES, OTHER, cluster=CLUSTERS)
    assert by_score.low < compared.low < compared.high < by_score.high


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_cases_that_are_their_own_clusters_have_the_covariances_of_delong(weights):
    alone = roc_auc_covariance(Y_TRUE, [SCORES, OTHER], sample_weight=weights)
    found = roc_auc_covariance(Y_TRUE, [SCORES, OTHER], sample_weight=weights, cluster=[f"case {i}" for i in range(24)])
    assert found.areas.tolist() == alone.areas.tolist()
    assert found.covariance == close(alone.covariance)


@pytest.mark.parametrize("method", ["delong", "delong-logit", "delong-wilson"])
def test_repeated_cases_of_a_cluster_say_nothing_new(method):
    once = roc_auc_interval(Y_TRUE, SCORES, cluster=np.arange(24), method=method)
    found = roc_auc_interval(np.tile(Y_TRUE, 5), np.tile(SCORES, 5), cluster=np.tile(np.arange(24), 5), method=method)
    assert (found.estimate, *found) == close((once.estimate, *once), 1e-2)
    alone = roc_auc_interval(Y_TRUE, SCORES, method=method)
    assert [*once] == pytest.approx([*alone], abs=0.02)  # Student's t


@pytest.mark.parametrize("clusters", [60, 150])
def test_errors_are_close_to_those_of_the_cluster_bootstrap(clusters):
    generator = np.random.default_rng(clusters)
    of_rows = generator.integers(0, clusters, 20 * clusters)
    shared = generator.normal(size=clusters)[of_rows]
    y_true = (shared + generator.normal(size=of_rows.size) > 0).astype(int)
    scores = y_true + shared + generator.normal(size=of_rows.size)
    for function, measure in ((roc_auc_interval, "roc_auc"), (average_precision_interval, "average_precision")):
        low, high = function(y_true, scores, cluster=of_rows)
        again = bootstrap_interval(y_true, scores, measure, cluster=of_rows, resamples=300, method="percentile", seed=1)
        assert high - low == pytest.approx(again.high - again.low, rel=0.15), measure
        alone = function(y_true, scores)
        assert high - low > 1.2 * (alone.high - alone.low), measure


def test_average_precision_of_clusters_has_the_same_estimate():
    for weights in (None, WEIGHTS):
        alone = average_precision_interval(Y_TRUE, SCORES, sample_weight=weights)
        found = average_precision_interval(Y_TRUE, SCORES, sample_weight=weights, cluster=CLUSTERS)
        assert found.estimate == alone.estimate
        assert found.low < found.estimate < found.high


@pytest.mark.parametrize("function", ALL)
def test_one_cluster_has_no_bounds(function):
    with pytest.warns(UndefinedMetricWarning, match="one cluster, or one case that holds all the weight,") as caught:
        found = function(Y_TRUE, Y_PRED, cluster=["a"] * 24)
    assert found.estimate == close(function(Y_TRUE, Y_PRED).estimate)
    assert math.isnan(found.low)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("function", [roc_auc_interval, average_precision_interval])
def test_one_cluster_has_no_bounds_of_rankings(function):
    with pytest.warns(UndefinedMetricWarning, match="one cluster, or one case that holds all the weight,") as caught:
        found = function(Y_TRUE, SCORES, cluster=["a"] * 24)
    assert found.estimate == function(Y_TRUE, SCORES).estimate
    assert math.isnan(found.low)
    assert caught[0].filename == __file__
    positives_together = np.where(Y_TRUE == 1, -1, np.arange(24))
    with pytest.warns(UndefinedMetricWarning, match="one cluster alone has positive cases"):
        function(Y_TRUE, SCORES, cluster=positives_together)
    with pytest.warns(UndefinedMetricWarning, match="there is no positive case"):
        function(np.zeros(24), SCORES, cluster=CLUSTERS)
    zero = np.where(CLUSTERS == 7, 1.0, 0.0)
    with pytest.warns(UndefinedMetricWarning, match="one cluster, or one case that holds all the weight,"):
        function(Y_TRUE, SCORES, cluster=CLUSTERS, sample_weight=zero)


def test_separated_classes_of_clusters_have_a_bound():
    found = roc_auc_interval(Y_TRUE, Y_TRUE, cluster=CLUSTERS)
    assert found.estimate == found.high == 1
    assert 0.5 < found.low < roc_auc_interval(Y_TRUE, Y_TRUE).low


def test_covariances_of_one_cluster_are_unknown_and_equal_models_do_not_differ():
    with pytest.warns(
        UndefinedMetricWarning, match="covariances of the ROC areas are not defined: one cluster, or one case"
    ):
        assert np.isnan(roc_auc_covariance(Y_TRUE, [SCORES], cluster=[1] * 24).covariance).all()
    with pytest.warns(UndefinedMetricWarning, match="the difference has no variance"):
        assert compare_roc_auc(Y_TRUE, SCORES, SCORES, cluster=CLUSTERS, method="delong").p_value == 1
    itself = compare_roc_auc(Y_TRUE, SCORES, SCORES, cluster=CLUSTERS)
    assert itself.low < itself.difference == 0 < itself.high
    assert itself.p_value == 1


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([1, 2], "y_true and cluster must be equally long, got 24 and 2"),
        ([[1]] * 24, r"cluster must be one-dimensional, got shape \(24, 1\)"),
        ([1.0] * 23 + [math.nan], "cluster"),
        (["a"] * 23 + [None], "cluster"),
    ],
)
def test_invalid_clusters_are_refused(clusters, message):
    for function in (accuracy_interval, f1_interval, kappa_interval):
        with pytest.raises(EvaluationError, match=message):
            function(Y_TRUE, Y_PRED, cluster=clusters)
    with pytest.raises(EvaluationError, match=message):
        prevalence_interval(Y_TRUE, cluster=clusters)
    for function in (roc_auc_interval, average_precision_interval):
        with pytest.raises(EvaluationError, match=message):
            function(Y_TRUE, SCORES, cluster=clusters)


def test_clusters_need_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(EvaluationError, match=r"^scipy is not installed; pip install 'evalcore-metrics\[inference\]'"):
        roc_auc_interval(Y_TRUE, SCORES, cluster=CLUSTERS)


PET = ["000", "110", "111", "1", "110", "1111", "111", "11", "11", "1", "110", "11", "111", "11", "00", "110", "110",
       "110", "11", "1", "11"]  # fmt: skip
SPECT = ["011", "111", "111", "1", "111", "1111", "111", "11", "10", "1", "110", "11", "111", "11", "11", "110", "110",
         "111", "11", "1", "11"]  # fmt: skip
"""Glands that were found in each patient: Obuchowski (1998), as in clust.bin.pair 0.1.2 of CRAN."""
FIRST_ONLY = [0, 1, 1, 1, 0, 3, 3, 3, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0]
SECOND_ONLY = [4, 2, 3, 2, 1, 3, 0, 2, 2, 4, 2, 4, 3, 2, 1, 3, 1, 2, 0, 0, 0, 2, 1, 2, 2, 0, 0, 1, 1]
PAIRS = [7, 6, 7, 6, 4, 6, 5, 8, 4, 7, 3, 6, 7, 6, 5, 4, 6, 5, 4, 3, 5, 4, 4, 2, 3, 2, 2, 3, 1]
"""Cases of 29 psychiatrists: Durkalski et al. (2003), as in clust.bin.pair."""


def _glands():
    pet, spect = (np.array([*"".join(each)], int) for each in (PET, SPECT))
    return np.ones(pet.size, int), pet, spect, np.repeat(np.arange(len(PET)), [*map(len, PET)])


def _psychiatrists():
    first, second, cluster = [], [], []
    for index, (one, other, pairs) in enumerate(zip(FIRST_ONLY, SECOND_ONLY, PAIRS, strict=True)):
        first += [1] * one + [0] * other + [1] * (pairs - one - other)
        second += [0] * one + [1] * (pairs - one)
        cluster += [index] * pairs
    return [1] * len(first), first, second, cluster


def test_mcnemars_test_of_clusters_has_the_published_statistics():
    *glands, patient = _glands()
    assert round(mcnemar_test(*glands, cluster=patient, method="durkalski").statistic, 2) == 2.32
    *cases, psychiatrist = _psychiatrists()
    found = mcnemar_test(*cases, cluster=psychiatrist, method="durkalski")
    assert round(found.statistic, 3) == 7.542
    assert found.method == "mcnemar-durkalski"


def test_mcnemars_test_of_clusters_is_obuchowskis_formula_by_default():
    *cases, patient = _glands()
    gains = np.bincount(patient, cases[1] - cases[2])
    k, n, total = gains.size, np.bincount(patient), patient.size
    found = mcnemar_test(*cases, cluster=patient)
    assert found == mcnemar_test(*cases, cluster=patient, method="obuchowski")
    assert found.statistic == close((k - 1) / k * gains.sum() ** 2 / (gains**2).sum())
    assert found.difference == close(gains.sum() / total)
    assert found.estimates == close((cases[1].mean(), cases[2].mean()))
    error = math.sqrt(k / (k - 1) * ((gains - n * found.difference) ** 2).sum()) / total
    reach = student_reach(0.95, k - 1) * error
    assert (found.low, found.high) == close((found.difference - reach, found.difference + reach))
    weighted = mcnemar_test(*cases, cluster=patient, sample_weight=np.full(total, 3), weight_type="frequency")
    assert weighted.statistic == close(found.statistic)
    assert (weighted.low, weighted.high) == close((found.low, found.high))


def test_equal_classifiers_of_clusters_do_not_differ_and_one_cluster_has_no_test():
    equal = mcnemar_test(Y_TRUE, Y_PRED, Y_PRED, cluster=CLUSTERS)
    assert (equal.difference, equal.statistic, equal.p_value, equal.low, equal.high) == (0, 0, 1, 0, 0)
    with pytest.warns(UndefinedMetricWarning, match="obuchowski interval is not defined: one cluster") as caught:
        found = mcnemar_test(Y_TRUE, Y_PRED, Y_TRUE, cluster=[1] * 24)
    assert caught[0].filename == __file__
    assert math.isnan(found.low)
    assert math.isnan(found.p_value)


@pytest.mark.parametrize("method", ["obuchowski", "durkalski"])
@pytest.mark.parametrize("weights", [None, [0.1] * 12 + [0.3] * 12])
def test_clusters_that_all_gain_alike_have_a_test_but_no_bounds(method, weights):
    clusters = np.arange(24) // 3
    right, wrong = np.ones(24), np.arange(24) % 3 > 0  # the first of three cases of each cluster
    with pytest.warns(UndefinedMetricWarning, match="not defined: all clusters gain alike, so that the variance is 0"):
        found = mcnemar_test(right, right, wrong, cluster=clusters, method=method, sample_weight=weights)
    assert found.difference == close(1 / 3)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert 0 < found.p_value < 0.05


def test_tests_of_cases_and_of_clusters_are_told_apart():
    with pytest.raises(EvaluationError, match="method must be 'exact' or 'mid-p' without cluster=, got 'durkalski'"):
        mcnemar_test(Y_TRUE, Y_PRED, Y_TRUE, method="durkalski")
    with pytest.raises(EvaluationError, match="method must be 'obuchowski' or 'durkalski' with cluster=, got 'exact'"):
        mcnemar_test(Y_TRUE, Y_PRED, Y_TRUE, cluster=CLUSTERS, method="exact")
