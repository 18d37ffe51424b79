"""What is refused by every function, and what is not: unusual types, containers and weights; what small calls cost."""

import functools
import inspect
import math
import re
import sys
import warnings
from collections import Counter
from datetime import date

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics
from scipy import sparse

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, ZeroWeightsError
from tests.differences import collected, every, recorded
from tests.metrics.comparing import check_same, outcome

FUNCTIONS = {name: function for name in metrics.__all__ if inspect.isfunction(function := getattr(metrics, name))}
PARAMETERS = {name: inspect.signature(function).parameters for name, function in FUNCTIONS.items()}
RANKED = ("coverage_error", "dcg_score", "label_ranking_average_precision_score", "label_ranking_loss", "ndcg_score")
OF_LABELS = "y_pred", "y2"
NEEDED = {
    "expected_cost": {"false_positive": 1, "false_negative": 1}, "fbeta_score": {"beta": 1},
    "metric_at_thresholds": {"metric_func": sklearn.metrics.accuracy_score}, "net_benefit": {"thresholds": [0.5]},
    "partial_auc": {"fpr_range": (0, 1)}, "precision_at_recall": {"recall": 0.5},
    "recall_at_precision": {"precision": 0.5}, "recall_at_specificity": {"specificity": 0.5},
    "specificity_at_recall": {"recall": 0.5}, "threshold_at": {"recall": 0.5}, "top_k_accuracy_score": {"k": 1},
}  # fmt: skip
RATES = ["a", 1.5, -1, math.nan, 10**400, -(10**400)], "a number in 0 .. 1, got"
COSTS = ["a", math.inf, 10**400], "a finite number, got"
OPTIONS = {
    "adjusted": (["yes"], "a bool"), "average": (["mean"], "one of"), "beta": ([-1, "1"], ""),
    "cost": ([3, (1, -2)], "two finite numbers"), "digits": ([-1], ""), "drop_intermediate": (["yes", None], "a bool"),
    "false_negative": COSTS, "false_positive": COSTS, "flagged": RATES, "fpr": RATES,
    "fpr_range": ([(0.5, 0.5), (0,), 3, "ab", (0, "1")], "two rising numbers in 0 .. 1, got"),
    "k": ([0, -1, 1.5, "2"], "an int"), "labels": ([5, "ab"], ""), "log_base": ([0, -2, "e", math.nan], "a float"),
    "loss": (["hinge"], "one of"), "max_fpr": (["a", 0], ""), "multi_class": (["all"], "one of"),
    "n_bins": ([0, 1.5], "an int in the range"), "norm": (["l3"], "one of 'l1', 'l2', 'max'"),
    "output_dict": (["yes"], "a bool"), "precision": RATES, "recall": RATES, "replace_undefined_by": ([7], ""),
    "samplewise": (["yes"], "a bool"), "scale_by_half": (["yes"], ""), "specificity": RATES,
    "strategy": (["even"], "one of 'uniform', 'quantile'"), "tpr_range": ([(0, 2)], "two rising numbers in 0 .. 1, "),
    "weights": (["cubic"], ""), "zero_division": ([2, "zero"], ""),
}  # fmt: skip
"""Values that are refused, and how what they must be begins."""


def given(name, without=None):
    """Return columns, and options that the function needs beside one of its own."""
    options = {} if without in NEEDED["threshold_at"].keys() | {"tpr_range", *OPTIONS} and name in (
        "threshold_at", "partial_auc"
    ) else NEEDED.get(name, {})  # fmt: skip
    if name in RANKED:
        return ([[0, 1], [1, 0]], [[0.5, 0.25], [0.125, 1.0]]), options
    return ([0, 1], [0, 1] if [*PARAMETERS[name]][1] in OF_LABELS else [0.25, 0.75]), options


def taking(parameter):
    found = [name for name in FUNCTIONS if parameter in PARAMETERS[name]]
    assert found
    return found


@every("option", OPTIONS)
def test_options_are_refused_by_name_by_every_function_that_has_them(option):
    values, must = OPTIONS[option]
    with collected() as checking:
        for name in taking(option):
            columns, options = given(name, option)
            text = (
                rf"^The '{option}' parameter of {name} must be {re.escape(must)}|Expected array-like .* for {option}$"
            )
            for value in values:
                with checking((name, value)), pytest.raises(InvalidParameterError, match=text):
                    FUNCTIONS[name](*columns, **{**options, option: value})


@every(
    ("weights", "error", "text"),
    ("ab", InvalidParameterError,
     "The 'sample_weight' parameter( of {})? must be an array-like( or None)?, got 'ab'"),
    (5, InvalidParameterError, "The 'sample_weight' parameter( of {})? must be an array-like( or None)?, got 5"),
    ([1, 1, 1], EvaluationError, "Found input variables with inconsistent numbers of samples: "),
    ([[1], [1]], EvaluationError, "Sample weights must be 1D array or scalar"),
    ([1, math.nan], EvaluationError, r"Input sample_weight contains NaN\."),
    ([None, 1], EvaluationError, r"Input sample_weight contains NaN\."),
    ([1, math.inf], EvaluationError, "Input sample_weight contains infinity"),
    (["a", "b"], EvaluationTypeError, "sample_weight must hold numbers, got dtype <U1"),
    ([{}, 1], EvaluationTypeError, "sample_weight must hold numbers"),
    ([1j, 1], EvaluationError, "Complex data not supported: sample_weight has dtype complex128"),
    (sparse.csr_matrix([[1], [0]]), EvaluationTypeError, ".*sample_weight'?.* must be (a )?dense"),
    ([0, 0], EvaluationError,
     "Sample weights must contain at least one non-zero number|Weights sum to zero, can't"),
)  # fmt: skip
def test_weights_are_refused_alike_by_every_function(weights, error, text):
    with collected() as checking:
        for name in taking("sample_weight"):
            columns, options = given(name)
            with checking(name), pytest.raises(error, match=rf"^({text.format(name)})"):
                FUNCTIONS[name](*columns, sample_weight=weights, **options)


SIGNED = {
    "balanced_accuracy_score", "class_likelihood_ratios", "classification_report", "cohen_kappa_score",
    "confusion_matrix", "f1_score", "fbeta_score", "jaccard_score", "matthews_corrcoef", "multilabel_confusion_matrix",
    "precision_recall_fscore_support", "precision_score", "recall_score",
}  # fmt: skip
"""Functions of labels take weights of both signs, as scikit-learn does."""
MEANS = {"accuracy_score", "hamming_loss", "zero_one_loss"}
"""Those that divide by their sum."""


def test_signs_of_weights_and_positive_classes_that_are_not_there_are_refused_by_all():
    for name in taking("sample_weight"):
        columns, options = given(name)
        if name not in SIGNED:
            text = (
                "Weights sum to zero" if name in MEANS else r"sample_weight\[0\] is -1.0; weights must not be negative"
            )
            with pytest.raises(EvaluationError, match=text):
                FUNCTIONS[name](*columns, sample_weight=[-1, 1], **options)
        if name in MEANS or name in (*RANKED, "top_k_accuracy_score"):
            with pytest.raises(ZeroDivisionError, match="Weights sum to zero") as caught:
                FUNCTIONS[name](*columns, sample_weight=[-1, 1] if name in MEANS else [0, 0], **options)
            assert isinstance(caught.value, ZeroWeightsError)
            assert isinstance(caught.value, EvaluationError)
    text = r"^pos_label=Spam is not a valid label. It should be one of \['ham' 'spam'"
    for name in taking("pos_label"):
        if [*PARAMETERS[name]][1] not in OF_LABELS and name not in ONLY_WARN:
            with pytest.raises(EvaluationError, match=text):
                FUNCTIONS[name](["ham", "spam"], [0.1, 0.2], pos_label="Spam", **given(name)[1])


@pytest.mark.filterwarnings("error")
def test_weights_whose_sum_overflows_are_refused_or_scaled():
    for name in taking("sample_weight"):
        columns, options = given(name)
        value, warned = outcome(FUNCTIONS[name], *columns, sample_weight=[1e308, 1e308], **options)
        if isinstance(value, Exception):
            assert str(value).startswith("sample_weight must have a finite sum, got weights up to 1e+308"), name
            assert "y_score" in PARAMETERS[name] or name == "net_benefit", name
        assert "RuntimeWarning" not in warned


def theirs(name):
    return sklearn.calibration.calibration_curve if name == "calibration_curve" else getattr(sklearn.metrics, name)


MATRIX, TWO = [[0.9, 0.1], [0.25, 0.75]], [[1.0, 2.0]] * 3
WRONG = {
    ("log_loss", "brier_score_loss"): [
        ([[1, 0], [0, 1]], MATRIX), ([[1, 0, 1], [0, 2, 0]], [[0.5, 0.25, 0.25], [0, 1, 0]]),
        ([[1, 0], [0, 1]], [0.9, 0.1]),
        ([[1, 0, 1], [0, 1, 0], [0, 0, 0]], [[0.5, 0.25, 0.25], [0, 1, 0], [0.2, 0.2, 0.6]]),
        (np.array([[1], [0]]), [0.9, 0.1]), ([0, 1], [[0.9, 0.2], [0.25, 0.75]]), ([0, 1], [0.5, 1.5]),
        ([0, 1], [[0.5, 1.5], [0.5, 0.5]]), ([0, 1], [0.5, -0.5]), ([0, 1], [0.5, np.nan]), ([0, 1], ["a", "b"]),
        ([0, 1], [0.5, 0.5, 0.5]), ([0.5, 1], MATRIX), ([0, np.nan], [0.5, 0.5]), ([], []), (1, 0.5),
        ([0, 1], [[[0.5]], [[0.5]]]), ([None, 1], [0.5, 0.5]), ("x", "x"), (None, [0.5]), ({1: 2}, [0.5]),
    ],
    ("calibration_curve",): [
        ([0, 1, 2], [0.5, 0.2, 0.1]), ([0, 1], [0.5, 1.1]), (["a", "b"], [0.5, 0.1]), ([0, 1], MATRIX), ([0, 1], [0.5]),
        ([], []),
    ],
    ("hinge_loss",): [
        ([0, 1, 2], [1.0, 2.0, 3.0]), ([0, 1, 2], TWO), ([0, 1], TWO[:2]), ([0, 1], [1.0, np.nan]), ([], []),
        ([0, 1], [1.0, np.inf]), ([0.5, 1.25], [1.0, 2.0]), ([0, 1], [1.0]), ([0, 1], ["a", "b"]), (0, [1.0]),
        ([0, 1], "ab"),
    ],
    (*RANKED, "top_k_accuracy_score"): [
        ([[0, 1], [1, 0]], [[0.5, np.nan], [1, 2]]), ([[0, 1], [1, 0]], [[0.5, np.inf], [1, 2]]),
        ([[0, np.nan], [1, 0]], [[0.5, 0.2], [1, 2]]), ([[0, 1], [1, 0]], [["a", "b"], ["c", "d"]]), ([], []),
        ([[0, 1], [1, 0]], [[0.5, 0.2]]), ([[0, 1], [1, 0]], [[[0.5, 0.2]], [[0.5, 0.2]]]), ([[], []], [[], []]),
        ([[0, 1], [1, 0]], [[0.5, 1j], [1, 2]]), (3, 4), ([[0, 1], [1]], [[0.5, 0.2], [1, 2]]),
    ],
}  # fmt: skip


@every("names", WRONG)
def test_columns_that_do_not_fit_have_the_outcome_of_scikit_learn(names):
    with collected() as checking:
        for name in names:
            for columns in WRONG[names]:
                with checking((name, columns)):
                    ours, peer = outcome(FUNCTIONS[name], *columns), outcome(theirs(name), *columns)
                    check_same(ours, peer)
                    if len(names) != 2:
                        assert isinstance(ours[0], EvaluationError | EvaluationTypeError)


@every("columns", [("x", "x"), (5, 5), (None, [0.5]), ([0, 1], None)])
def test_what_is_no_array_is_refused_as_a_parameter(columns):
    with collected() as checking:
        for name in FUNCTIONS.keys() - {"auc", "roc_auc_by_column"}:
            text = r"^Expected array-like|^The 'y\w+' parameter( of \w+)? must be an array-like"
            with checking(name), pytest.raises(InvalidParameterError, match=text):
                FUNCTIONS[name](*columns, **given(name)[1])


@every("scores", [["0.1", "0.2"], [b"1", b"2"], [0.1, np.nan], [0.1, np.inf]])
def test_scores_that_are_none_are_refused_by_name(scores):
    for name in {*taking("y_score"), *taking("y_prob"), *taking("y_proba")} - {*RANKED, "top_k_accuracy_score"}:
        with pytest.raises((EvaluationError, EvaluationTypeError), match=r"y_score|y_proba?"):
            FUNCTIONS[name]([0, 1], scores, **given(name)[1])


ONLY_WARN = {
    "brier_score_loss", "calibration_curve", "confusion_matrix_at_thresholds", "d2_brier_score", "det_curve",
    "precision_recall_curve", "roc_curve",
}  # fmt: skip
"""Of an unknown class scikit-learn says nothing, or warns."""


@every(("call", "said"), recorded("metrics/outputs/refused_calls.txt"))
def test_errors_of_single_functions_have_their_texts(call, said):
    known, (name, _, _) = {"np": np, "nan": math.nan}, call.partition("(")
    with pytest.raises((EvaluationError, EvaluationTypeError)) as caught:
        eval(call, vars(metrics) | known)
    assert f"{type(caught.value).__name__}: {caught.value}" == said
    if hasattr(sklearn.metrics, name) and name not in ("roc_auc_score", "multilabel_confusion_matrix"):
        assert isinstance(outcome(eval, call, vars(sklearn.metrics) | known)[0], Exception)


LABELLED = (
    "accuracy_score", "balanced_accuracy_score", "class_likelihood_ratios",
    "cohen_kappa_score", "confusion_matrix", "f1_score", "hamming_loss", "jaccard_score", "matthews_corrcoef",
    "multilabel_confusion_matrix", "zero_one_loss",
)  # fmt: skip
CURVES = ("confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve")
SCORED = ("average_precision_score", *CURVES, "roc_auc_score")
PROBABILITIES = ("brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss")
TRUTH, SCORES = [0, 1, 1, 0], [0.25, 0.75, 0.5, 0.125]
ROWS, ROW_SCORES = [[0, 1], [1, 0]], [[0.5, 0.25], [0.125, 1.0]]


def called(name, truth, other, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return getattr(metrics, name)(truth, other, **options)


def arguments_of(name):
    if name in RANKED:
        return ROWS, ROW_SCORES
    return (TRUTH, [0, 1, 0, 1]) if name in LABELLED else (TRUTH, SCORES)


def same(found, expected):
    flat = [parts if isinstance(parts, tuple) else (parts,) for parts in (found, expected)]
    return all(np.array_equal(one, other) for one, other in zip(*flat, strict=True))


def matrix_of(values):
    return np.array(values).view(np.matrix)


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


CONTAINERS = {
    "tuple": lambda values: tuple(map(tuple, values)) if np.ndim(values) == 2 else tuple(values),
    "float16": lambda values: np.array(values, np.float16),
    "longdouble": lambda values: np.array(values, np.longdouble),
    "big-endian": lambda values: np.array(values).astype(np.array(values).dtype.newbyteorder(">")),
    "read-only": read_only,
    "strided": lambda values: np.repeat(np.array(values), 2, axis=0)[::2],
    "reversed": lambda values: np.array(values)[::-1].copy()[::-1],
    "fortran": np.asfortranarray,
    "objects": lambda values: np.array(values, object if isinstance(np.ravel(values)[0], float) else None),
    "unmasked": np.ma.masked_array,
}


@functools.cache
def plain_answer(name, *weights):
    """What lists give."""
    return called(name, *arguments_of(name), **({"sample_weight": list(weights)} if weights else {}))


@every("container", CONTAINERS)
def test_containers_change_nothing(container):
    convert = CONTAINERS[container]
    for name in LABELLED + SCORED + PROBABILITIES + RANKED:
        given = arguments_of(name)
        assert same(called(name, *map(convert, given)), plain_answer(name)), name
        if name in RANKED:  # gains in float16 are gains all the same
            continue
        weights = [0.5, 1.0, 0.25, 2.0]
        assert same(called(name, *given, sample_weight=convert(weights)), plain_answer(name, *weights)), name


@every("name", SCORED + PROBABILITIES + RANKED)
def test_sparse_scores_strings_and_matrices_are_refused(name):
    truth, scores = arguments_of(name)
    with pytest.raises(InvalidParameterError, match="dense"):
        called(name, truth, sparse.csr_matrix(np.reshape(scores, (len(scores), -1))))
    with pytest.raises(EvaluationTypeError, match="must hold numbers, got strings"):
        called(name, truth, np.array(np.array(scores, str), object))
    with pytest.raises(EvaluationTypeError, match=r"must hold numbers, got dates$"):
        called(name, truth, np.full(np.shape(scores), date(2020, 1, 1)))
    with pytest.raises(EvaluationTypeError, match=r"must be an array, got an np\.matrix"):
        called(name, truth, matrix_of(scores))


def test_matrices_are_no_labels_or_weights_and_strings_no_weights():
    for name in LABELLED:
        with pytest.raises(EvaluationTypeError, match=r"y_true must be an array, got an np\.matrix"):
            called(name, matrix_of(TRUTH), matrix_of(TRUTH))
    for function in (metrics.accuracy_score, metrics.roc_auc_score, metrics.log_loss):
        with pytest.raises(EvaluationTypeError, match=r"sample_weight must be an array, got an np\.matrix"):
            function([0, 1], [0, 1], sample_weight=matrix_of([1, 1]))
    with pytest.raises(EvaluationTypeError, match="sample_weight must hold numbers, got strings"):
        metrics.accuracy_score([0, 1], [0, 1], sample_weight=np.array(["1", "2"], object))


DAYS = np.array(["2020-01-01", "2020-01-03"] * 2, "M8[D]")


@every("name", LABELLED)
def test_dates_are_labels_but_not_beside_numbers(name):
    options = {"pos_label": DAYS[0]} if name in ("f1_score", "jaccard_score") else {}
    for other in (TRUTH, np.array(TRUTH), np.array([True, False] * 2), [0.0, 1.0] * 2, DAYS - DAYS[0]):
        for pair in ((DAYS, other), (other, DAYS)):
            with pytest.raises(EvaluationTypeError, match="labels must be comparable, got"):
                called(name, *pair)
    with pytest.raises(EvaluationError, match=r"Input y_pred contains NaT\."):
        called(name, DAYS, np.array(["2020-01-01", "NaT"] * 2, "M8[D]"))
    if not options:
        assert same(called(name, DAYS, DAYS[[0, 1, 1, 0]]), called(name, [0, 1] * 2, [0, 1, 1, 0]))


@every("name", LABELLED + SCORED + PROBABILITIES)
def test_labels_without_an_order_and_records_are_refused(name):
    truth, other = arguments_of(name)
    mixed = np.array(["a", 1, "a", 1], object)
    records = np.array([(label,) for label in truth], [("label", np.int64)])
    for labels in (mixed, np.array(["a", np.nan, "b", "a"], object), records):
        with pytest.raises((EvaluationError, EvaluationTypeError)):
            called(name, labels, labels if name in LABELLED else other)
    with pytest.raises(EvaluationTypeError, match="y_true must hold labels or numbers, got records"):
        called(name, records, other)
    for labels, column in ((mixed, other), (None, other[:1])):
        with pytest.raises((EvaluationError, EvaluationTypeError)):
            called(name, labels, column)


@every("name", CURVES)
def test_arrays_have_positive_strides(name):
    assert all(array.strides[0] > 0 for array in called(name, TRUTH, SCORES))


@every("name", RANKED)
def test_text_in_the_place_of_relevance_is_a_value_error(name):
    with pytest.raises(ValueError, match=r"y_true|supported"):
        called(name, np.array(["a", "b"], object), [0, 1])


@every("name", LABELLED + SCORED + PROBABILITIES + RANKED)
def test_lengths_are_told_all_at_once(name):
    truth, other = arguments_of(name)
    with pytest.raises(EvaluationError, match=r"inconsistent numbers of samples: \[") as caught:
        called(name, truth, other[:-1], sample_weight=[1])
    with pytest.raises(ValueError, match="inconsistent") as expected:
        getattr(sklearn.metrics, name)(truth, other[:-1], sample_weight=[1])
    # of some functions scikit-learn checks the weights later
    assert str(caught.value).split("samples: ")[1].startswith(str(expected.value).split("samples: ")[1].rstrip("]"))
    assert len(str(caught.value).split(", ")) == 3
    if name in ("average_precision_score", "roc_auc_score"):
        with pytest.raises(EvaluationError, match=r"inconsistent numbers of samples: \[2, 2, 1\]"):
            called(name, ROWS, ROW_SCORES, sample_weight=[1])


@every("weights", [[0, 0, 1, 1], [1, 1, 0, 0]])
@every("max_fpr", [None, 0.5])
def test_classes_without_weight_leave_the_area_undefined(weights, max_fpr):
    with pytest.warns(metrics.UndefinedMetricWarning, match="Only one class is present in y_true"):
        area = metrics.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], sample_weight=weights, max_fpr=max_fpr)
    assert np.isnan(area)


@every(
    "score",
    metrics.classification_report,
    metrics.precision_recall_fscore_support,
    functools.partial(metrics.jaccard_score, average=None),
    functools.partial(metrics.f1_score, average="macro"),
    lambda true, pred, labels: metrics.jaccard_score(np.array(true), np.array(pred)),
    lambda true, pred, labels: metrics.metric_at_thresholds(true, pred, metrics.recall_score),
)
def test_warnings_of_undefined_scores_point_to_the_call(score):
    with pytest.warns(metrics.UndefinedMetricWarning) as caught:
        score([0, 0], [0, 0], labels=[0, 1])
    assert {warning.filename for warning in caught} == {__file__}


def test_code_without_a_name_may_cause_a_warning():
    found = {"__name__": None, "metrics": metrics}
    exec("area = metrics.roc_auc_score([0, 0], [0.1, 0.2])", found)  # Python itself drops the warning
    assert np.isnan(found["area"])


def test_betas_and_weights_at_the_borders_of_f_measures():
    for beta in (0, 1e-200, np.float64(1e-170), 5e-324):
        assert called("fbeta_score", [0, 1, 1, 1], [1, 1, 0, 0], beta=beta) == 0.5
    for beta in (np.inf, 1e200, np.float64(1e200), np.float32(1e30), 10**200):
        assert called("fbeta_score", [0, 1, 1], [1, 1, 0], beta=beta) == 0.5
        assert called("fbeta_score", [0, 0], [1, 1], beta=beta, zero_division=0) == 0
    score = metrics.f1_score([1, 0], [0, 1], sample_weight=[-1.0, 0.5])
    assert (score, np.signbit(score)) == (0.0, False)
    with pytest.raises(ZeroWeightsError, match="can't be normalized: y_true holds no pair of classes"):
        metrics.roc_auc_score([0, 0], np.full((2, 3), 1 / 3), labels=[0, 1, 2], multi_class="ovo", average="weighted")


CLASSES, OF_CLASSES = ["a", "b", "c"], np.full((3, 3), 1 / 3)
INDICATORS = [[1, 0], [0, 0], [1, 0]], [[0.5, 0.25], [0.5, 0.75], [0.25, 0.5]]


@every(
    ("name", "arguments", "options"),
    ("roc_auc_score", (CLASSES, [0.1, 0.2, 0.3]), {"multi_class": "ovr"}),
    ("roc_auc_score", (CLASSES, np.eye(3) * 2), {"multi_class": "ovr"}),
    ("roc_auc_score", (CLASSES, OF_CLASSES), {"multi_class": "ovr", "labels": ["a", "a", "b"]}),
    ("roc_auc_score", (CLASSES, OF_CLASSES), {"multi_class": "ovr", "labels": ["c", "b", "a"]}),
    ("roc_auc_score", (CLASSES, OF_CLASSES), {"multi_class": "ovr", "labels": ["a", "b"]}),
    ("roc_auc_score", (CLASSES, OF_CLASSES), {"multi_class": "ovr", "labels": ["a", "b", "d"]}),
    ("roc_auc_score", INDICATORS, {"average": "samples", "max_fpr": 0.5}),
    ("roc_auc_score", INDICATORS, {"average": None}),
    ("average_precision_score", INDICATORS, {"average": "samples"}),
    ("average_precision_score", (np.zeros((3, 2), int), INDICATORS[1]), {"average": "weighted"}),
    ("top_k_accuracy_score", (CLASSES, OF_CLASSES), {"labels": ["a", "a", "b", "c"]}),
    ("top_k_accuracy_score", (CLASSES, OF_CLASSES), {"labels": ["c", "b", "a"]}),
    ("top_k_accuracy_score", (CLASSES, OF_CLASSES), {"labels": ["a", "b", "d"]}),
    ("confusion_matrix", (CLASSES, CLASSES), {"labels": []}),
    ("class_likelihood_ratios", (CLASSES, CLASSES), {}),
    ("class_likelihood_ratios", (TRUTH, TRUTH), {"replace_undefined_by": {"LR+": 1.0, "LR-": 0.5}}),
    ("class_likelihood_ratios", (TRUTH, TRUTH), {"replace_undefined_by": {"LR+": 0.5, "LR-": 0.5}}),
    ("class_likelihood_ratios", (TRUTH, TRUTH), {"replace_undefined_by": 7}),
    ("balanced_accuracy_score", ([0, 0, 1], [0, 2, 1]), {}),
    ("precision_recall_fscore_support", (TRUTH, TRUTH), {"warn_for": 3}),
    ("classification_report", (TRUTH, TRUTH), {"target_names": ["a"]}),
    ("d2_log_loss_score", ([1], [[0.25, 0.75]]), {}),
)
def test_unusual_options_and_tables_have_the_same_outcome_in_scikit_learn(name, arguments, options):
    ours, theirs = (outcome(getattr(module, name), *arguments, **options) for module in (metrics, sklearn.metrics))
    if isinstance(theirs[0], Exception):
        check_same(ours, theirs)
    else:  # some of scikit-learn's numbers are Python's
        assert ours[1] == theirs[1]
        np.testing.assert_array_equal(ours[0], theirs[0])


RNG = np.random.default_rng(7)
Y_TRUE, Y_PRED, SMALL_SCORES = RNG.integers(0, 2, 100), RNG.integers(0, 2, 100), RNG.random(100)
OF_SCORES = "roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"
LABEL_SCORES = (
    "accuracy_score", "confusion_matrix", "matthews_corrcoef", "f1_score", "precision_score", "recall_score",
    "jaccard_score", "zero_one_loss", "hamming_loss",
)  # fmt: skip


def numpy_calls(call):
    """Count the functions and methods of NumPy that a call enters; operators are not seen."""
    counts = Counter()

    def count(frame, event, function):
        if event == "c_call":
            owner = getattr(function, "__self__", None)
            owners = (function, owner, type(owner))
            counts["numpy"] += any(str(getattr(each, "__module__", None)).startswith("numpy") for each in owners)

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return counts["numpy"]


@every("name", OF_SCORES + LABEL_SCORES)
def test_a_call_on_plain_columns_makes_few_calls_of_numpy(name):
    function, other = getattr(metrics, name), SMALL_SCORES if name in OF_SCORES else Y_PRED
    assert 0 < numpy_calls(lambda: function(Y_TRUE, other)) <= 15
