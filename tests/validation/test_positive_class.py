"""Targets, and one rule for what is read as labels."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import accuracy_score
from sklearn.utils import multiclass

import evalcore
from evalcore import EvaluationError, EvaluationTypeError, distributed, inference, metrics, ranking
from evalcore.kernels.tables import category_weights, joint_counts
from evalcore.metrics.decisions import class_counts, pair_table
from evalcore.streaming import ScoreSummary, learn_cuts
from evalcore.validation.labels import type_of_target
from evalcore.validation.positive_class import check_targets
from evalcore.validation.weights import as_weights
from tests.differences import every
from tests.strategies import columns_of

NUMBERS = st.sampled_from([0, 1, 2, -1, 7]) | st.sampled_from([0.0, 1.0, 2.0, 0.5])
TEXTS = st.sampled_from(["a", "b", "c"])


def rows(cells):
    return st.integers(0, 3).flatmap(lambda k: st.lists(st.lists(cells, min_size=k, max_size=k), max_size=5))


@given(st.lists(NUMBERS) | st.lists(st.booleans()) | st.lists(TEXTS) | rows(NUMBERS) | rows(st.integers(0, 1)))
def test_kind_of_target_is_that_of_sklearn(values):
    dates = (np.array(dates, "M8[D]") for dates in (["2020", "NaT"], ["NaT", "NaT"], ["2020", "2021", "NaT"]))
    for y in (values, np.array(values), np.array(values, dtype=object), *dates):
        assert type_of_target(y) == multiclass.type_of_target(y)


@given((rows(st.integers(0, 1)) | rows(NUMBERS)).filter(lambda rows: rows and len(rows[0]) > 1))  # both refuse others
@example([[1, 2], [2, 1]])
@example([[0, 0], [1, 2]])
def test_kind_of_a_sparse_matrix_is_that_of_sklearn(values):
    for form in (sparse.csr_matrix, sparse.csc_array):
        kind = multiclass.type_of_target(form(values))
        if kind == "binary":  # as scikit-learn calls a matrix whose first row is empty; its metrics refuse it
            with pytest.raises(TypeError, match="multilabel"):
                accuracy_score(form(values), form(values))
            kind = "multiclass-multioutput"
        assert type_of_target(form(values)) == kind


@every("dtype", [bool, np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64, object, str])
@every("weighted", [False, True])
def test_every_way_to_codes_counts_the_same(dtype, weighted):
    random = np.random.default_rng(3)
    codes = random.integers(0, 2 if dtype is bool else 5, (2, 400))
    weights = random.integers(0, 4, 400) if weighted else None
    columns = codes.astype(str).astype(dtype) if dtype in (object, str) else codes.astype(dtype)
    expected = np.zeros((codes.max() + 1,) * 2)
    np.add.at(expected, tuple(codes), 1 if weights is None else weights)
    targets = check_targets(*columns, weights)
    assert np.array_equal(targets.classes, np.unique(columns))
    assert np.array_equal(pair_table(targets), expected)


@every("labels", [[-3, -1, 5], [2**40, 2**41, -(2**62)], [1e300, 2.0, -5.0], [10**6, 3, 2]])
def test_labels_that_are_far_apart_or_negative(labels):
    random = np.random.default_rng(4)
    places = random.integers(0, 3, (2, 50))
    targets = check_targets(*np.array(labels)[places])
    assert targets.classes.tolist() == sorted(labels)
    assert targets.classes.dtype == np.array(labels).dtype
    ranks = np.argsort(np.argsort(labels))[places]
    assert np.array_equal(pair_table(targets), joint_counts(*ranks, 3))


def test_classes_keep_the_type_that_both_columns_have():
    assert check_targets([True, False], [True, True]).classes.dtype == np.bool_
    assert check_targets([True, False], [3, 1]).classes.tolist() == [0, 1, 3]
    assert check_targets([0.0, 1.0], [0, 2]).classes.dtype == np.float64
    assert check_targets(np.array(["b", "a"], dtype=object), ["b", "b"]).classes.dtype.kind == "U"
    above = np.array([2**63 + 1, 2**63 + 2, 2**63 + 3], np.uint64)
    assert metrics.confusion_matrix(above, above[::-1]).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


@given(st.lists(columns_of(range(-3, 4), 3), max_size=30))
def test_tables_and_margins_are_sums_over_cases(cases):
    first, second, weights = np.array(cases, np.int64).reshape(-1, 3).T
    counts, sums = np.zeros((2, 7, 7), np.int64)
    for a, b, weight in cases:
        counts[a + 3, b + 3] += 1
        sums[a + 3, b + 3] += weight
    assert np.array_equal(joint_counts(first, second, 7, -3), counts)
    assert np.array_equal(joint_counts(first, second, 7, -3, weights), sums)
    assert np.array_equal(joint_counts(first, second, 7, -3, weights / 4), sums / 4)
    for table, of_cases in ((counts, None), (sums, weights)):
        own = [table.diagonal(), table.sum(axis=1) - table.diagonal(), table.sum(axis=0) - table.diagonal()]
        assert np.array_equal(category_weights(first + 3, second + 3, 7, of_cases), [*own, table.sum() - sum(own)])
    large, codes = np.array([2**53, 1, 2**53]), np.array([0, 0, 1])  # sums beyond float64
    assert joint_counts(codes, codes, 2, weights=large).tolist() == [[2**53 + 1, 0], [0, 2**53]]


def test_margins_of_many_classes_need_no_table():
    random = np.random.default_rng(5)
    first, second = random.integers(0, 1200, (2, 2000))
    found = class_counts(check_targets(first, second))
    classes = np.union1d(first, second)
    assert np.array_equal(found.tp + found.fn, [(first == label).sum() for label in classes])
    assert found.tp.sum() == (first == second).sum()


def test_whole_weights_become_int64_and_others_float64():
    whole = [np.ones(2, dtype) for dtype in (bool, np.int8, np.uint64, np.int64)]
    assert {as_weights(weights, 2).dtype for weights in whole} == {np.dtype(np.int64)}
    others = np.ones(2, np.float32), np.ones(2, object) / 2, np.full(2, 2**64 - 1, np.uint64)
    assert {as_weights(weights, 2).dtype for weights in others} == {np.dtype(np.float64)}


SCORES = [0.25, 0.5, 0.375, 0.75, 0.125, 0.625, 0.875, 0.0625]
LABELS = [0, 0, 1, 1, 0, 1, 0, 1]
PREDICTED = [0, 1, 1, 1, 0, 0, 0, 1]
WEIGHTS = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0]
CLUSTERS = [1, 1, 2, 2, 3, 3, 4, 4]


def summary(labels, scores, weights=None):
    found = ScoreSummary()
    found.update(labels, scores, sample_weight=weights)
    return found.roc_auc()


def added(labels, scores):
    evaluation = evalcore.ScoredPrecisionRecallEvaluation()
    evaluation.addCases(labels, scores)
    return evaluation


def report(label=LABELS, score=SCORES, **columns):
    frame = {"label": label, "score": score, **columns}
    return evalcore.evaluate(frame, label="label", score="score", **{name: name for name in columns}).to_dict()


SCORED = {
    "area": lambda scores: inference.roc_auc_interval(LABELS, scores),
    "areas": lambda scores: inference.compare_roc_auc(LABELS, scores, SCORES),
    "AP": lambda scores: inference.average_precision_interval(LABELS, scores),
    "bootstrap": lambda scores: inference.bootstrap_interval(LABELS, scores, resamples=9, seed=1),
    "summary": lambda scores: summary(LABELS, scores),
    "rankings": lambda scores: ranking.evaluate(CLUSTERS, LABELS, scores, measures="AP"),
    "report": lambda scores: report(score=scores),
    "class": lambda scores: added(LABELS, scores),
    "decision curve": lambda scores: inference.decision_curve(LABELS, scores, [0.5]).net_benefit.tolist(),
    "calibration": lambda scores: inference.spiegelhalter_test(LABELS, scores),
    "band": lambda scores: inference.consistency_band(scores, resamples=9, seed=1),
}
LABELLED = {
    "area": lambda labels: inference.roc_auc_interval(labels, SCORES),
    "bootstrap": lambda labels: inference.bootstrap_interval(labels, SCORES, resamples=9, seed=1),
    "prevalence": inference.prevalence_interval,
    "calibration": lambda labels: inference.spiegelhalter_test(labels, SCORES),
    "judge": lambda labels: inference.corrected_prevalence_interval(labels, PREDICTED, PREDICTED),
    "summary": lambda labels: summary(labels, SCORES),
    "report": lambda labels: report(label=labels),
    "class": lambda labels: added(labels, SCORES),
    "f1": lambda labels: inference.f1_interval(labels, PREDICTED),
    "accuracy": lambda labels: inference.accuracy_interval(labels, PREDICTED),
    "kappa": lambda labels: inference.kappa_interval(labels, PREDICTED),
}
WEIGHTED = {
    "area": lambda weights: inference.roc_auc_interval(LABELS, SCORES, sample_weight=weights),
    "f1": lambda weights: inference.f1_interval(LABELS, PREDICTED, sample_weight=weights),
    "calibration": lambda weights: inference.spiegelhalter_test(LABELS, SCORES, sample_weight=weights),
    "summary": lambda weights: summary(LABELS, SCORES, weights),
    "cuts": lambda weights: learn_cuts(LABELS, SCORES, sample_weight=weights).tolist(),
    "report": lambda weights: report(weight=weights),
}
CLUSTERED = {
    "area": lambda cluster: inference.roc_auc_interval(LABELS, SCORES, cluster=cluster),
    "bootstrap": lambda cluster: inference.bootstrap_interval(LABELS, SCORES, cluster=cluster, resamples=9, seed=1),
    "threshold": lambda cluster: inference.optimal_threshold_interval(
        LABELS, SCORES, cluster=cluster, stratify=False, resamples=9, seed=1
    ),
    "rankings": lambda cluster: ranking.evaluate(cluster, LABELS, SCORES, measures="AP").values["AP"].tolist(),
    "report": lambda cluster: report(by=cluster),
}
FAMILIES = [
    *((call, SCORES) for call in SCORED.values()),
    *((call, LABELS) for call in LABELLED.values()),
    *((call, WEIGHTS) for call in WEIGHTED.values()),
    *((call, CLUSTERS) for call in CLUSTERED.values()),
]
TAKEN = {
    "tuple": tuple,
    "objects": lambda column: np.array(column, object),
    "float32": lambda column: np.array(column, np.float32),
    "Decimal": lambda column: [Decimal(str(value)) for value in column],
    "fractions": lambda column: np.array([Fraction(value) for value in column], object),
    "Series": pd.Series,
    "Series of objects": lambda column: pd.Series(column, dtype=object),
    "nullable": pd.array,
    "nothing masked": np.ma.masked_array,
}
REFUSED = {
    "column": lambda column: np.array(column)[:, np.newaxis],
    "row": lambda column: np.array(column)[np.newaxis],
    "frame": lambda column: pd.DataFrame({"a": column}),
    "number": lambda column: column[0],
    "nothing": lambda _: None,
    "None": lambda column: [None, *column[1:]],
    "NaN": lambda column: [float("nan"), *column[1:]],
    "NA": lambda column: pd.array([None, *column[1:]]),
    "complex": lambda column: np.array(column, complex),
    "masked": lambda column: np.ma.masked_array(column, [1] + [0] * 7),
}


@every("how", TAKEN)
@pytest.mark.filterwarnings("ignore")
def test_the_same_column_gives_the_same_answer_however_it_is_held(how):
    for call, column in FAMILIES:
        if (how, column) != ("float32", CLUSTERS) and not (how in ("Decimal", "fractions") and column is CLUSTERS):
            assert str(call(TAKEN[how](column))) == str(call(column))


@every("how", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_column_is_refused_everywhere(how):
    for call, column in FAMILIES:
        if how != "nothing" or column in (SCORES, LABELS):  # weights and clusters may be left out
            with pytest.raises((EvaluationError, EvaluationTypeError)):
                call(REFUSED[how](column))


@every("calls", [SCORED, WEIGHTED])
def test_booleans_are_neither_scores_nor_weights(calls):
    for call in calls.values():
        with pytest.raises((EvaluationError, EvaluationTypeError)):
            call(np.array([True, False] * 4))


@pytest.mark.filterwarnings("ignore")
def test_infinite_scores_are_ranked_and_all_else_that_is_infinite_is_refused():
    for name, call in SCORED.items():
        if name not in ("decision curve", "calibration", "band"):
            infinite, large = ([*SCORES[:6], score, SCORES[7]] for score in (np.inf, 2.0**99))
            assert str(call(infinite)) == str(call(large))
    probable = [SCORED[name] for name in ("decision curve", "calibration", "band")]
    for calls in (probable, LABELLED.values(), WEIGHTED.values(), CLUSTERED.values()):
        for call in calls:
            with pytest.raises(EvaluationError):
                call([1.0, np.inf, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0])


def test_fractions_are_no_names():
    for call in CLUSTERED.values():
        with pytest.raises(EvaluationError, match=r"0\.5"):
            call([0.5, *CLUSTERS[1:]])


@every("labels", [[2, 2, 1, 1], ["a", "b", "a", "b"], [0, 1, 2, 1]])
def test_without_pos_label_labels_are_zero_and_one_minus_one_and_one_or_booleans(labels):
    text = "pos_label is not specified|multiclass format is not supported"
    for interval in (inference.precision_interval, inference.f1_interval):
        with pytest.raises(EvaluationError, match=text):
            interval(labels, labels, pos_label=None)
        assert interval([-1, 1], [1, 1], pos_label=None) == interval([0, 1], [True, True], pos_label=1)
    for call in (inference.roc_auc_interval, inference.spiegelhalter_test, summary):
        with pytest.raises(EvaluationError, match=text):
            call(labels, [0.1, 0.2, 0.3, 0.4])


CODINGS = [
    ((0, 1), {}), ((-1, 1), {}), ((0.0, 1.0), {}), (("ham", "spam"), {"pos_label": "spam"}), ((3, 2), {"pos_label": 2}),
]  # fmt: skip
"""The negative and the positive label, and what must be said of them."""
DECIDED = (
    inference.precision_interval, inference.recall_interval, inference.specificity_interval, inference.f1_interval,
)  # fmt: skip


def summary_with_cuts(y_true, **options):
    found = ScoreSummary(8, learn_cuts(y_true, SCORES, 8, **options))
    found.update(y_true, SCORES, **options)
    return found


def certified(y_true, **options):
    array, config = pytest.importorskip("dask.array"), pytest.importorskip("dask.config")
    given = [array.from_array(np.asarray(column), chunks=5) for column in (y_true, SCORES)]
    with config.set(scheduler="synchronous"):
        return distributed.roc_auc_score(*given, **options)


RESAMPLED = {"resamples": 4, "level": 0.5, "seed": 1}
CODED = {
    "area": lambda y, **o: inference.roc_auc_interval(y, SCORES, **o),
    "areas": lambda y, **o: inference.compare_roc_auc(y, SCORES[::-1], SCORES, **o),
    "unpaired": lambda y, **o: inference.compare_unpaired_roc_auc(y, SCORES[::-1], y, SCORES, **o),
    "covariance": lambda y, **o: inference.roc_auc_covariance(y, [SCORES, SCORES[::-1]], **o).covariance.tolist(),
    "AP": lambda y, **o: inference.average_precision_interval(y, SCORES, **o),
    "prevalence": inference.prevalence_interval,
    "bootstrap": lambda y, **o: inference.bootstrap_interval(y, SCORES, **RESAMPLED, **o),
    "several": lambda y, **o: inference.bootstrap_intervals(y, SCORES, ["ks"], **RESAMPLED, **o),
    "comparison": lambda y, **o: inference.bootstrap_comparison(y, SCORES, SCORES[::-1], **RESAMPLED, **o),
    "summary": summary_with_cuts,
}


@every(("coding", "options"), CODINGS)
@pytest.mark.filterwarnings("ignore")
def test_labels_of_any_coding_give_the_same(coding, options):
    labels, responses = (np.array(coding)[column] for column in (LABELS, PREDICTED))
    for name, function in CODED.items():
        found = function(labels if isinstance(coding[0], str) else labels.tolist(), **options)
        assert str(found) == str(function(LABELS)), name
    for interval in DECIDED:
        assert interval(labels, responses, **options) == interval(LABELS, PREDICTED)
    assert certified(labels, **options) == metrics.roc_auc_score(LABELS, SCORES)


@every(
    ("labels", "options"),
    (["a", "b"], {}), ([0, 2], {}), ([0, 1, 2], {}), ([0.5, 1], {}), ([0, np.nan], {}), ([0, 1], {"pos_label": 2}),
    (["a", "b"], {"pos_label": "c"}), ([0, 1], {"pos_label": "1"}), ([0, 1], {"pos_label": [1]}),
    (["a", "b", "c"], {"pos_label": "d"}),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_errors_of_labels_are_those_of_metrics(labels, options):
    def text_of(function, *columns):
        try:
            function(*columns, **options)
        except (EvaluationError, EvaluationTypeError) as error:
            return str(error).split(" must be ")[-1]
        return None

    labels = np.resize(np.array(labels), len(SCORES))
    # of an unknown class scikit-learn's curves only warn
    expected = text_of(metrics.roc_curve, labels, SCORES) or text_of(metrics.metric_curves, labels, SCORES)
    for name, function in CODED.items():
        told = expected and expected.replace("y_true", "y_true_new" if name == "unpaired" else "y_true")
        assert text_of(function, labels) == told, name
    expected = text_of(metrics.precision_score, labels, labels)
    if expected is not None and "another average setting" in expected:  # which intervals do not have
        expected = "y_true and y_pred hold more than two classes; compare one with the rest, as in y == c"
    for interval in DECIDED:
        assert text_of(interval, labels, labels) == expected


def test_decisions_in_two_codings_are_three_classes():
    turned = [2 * label - 1 for label in LABELS]
    for first, second in ((turned, LABELS), (LABELS, turned)):
        with pytest.raises(EvaluationError, match="hold more than two classes"):
            inference.recall_interval(first, second)
    ones = np.ones(3, int)  # of either coding
    assert inference.recall_interval(ones, [-1, 1, 1]).estimate == inference.recall_interval(ones, [0, 1, 1]).estimate
