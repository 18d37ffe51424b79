"""Unusual types, containers and weights, and what small calls cost."""

import functools
import sys
import warnings
from collections import Counter
from datetime import date

import numpy as np
import pytest
import sklearn.metrics
from scipy import sparse

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, ZeroWeightsError
from tests.differences import every
from tests.metrics.comparing import check_same, outcome

LABELLED = (
    "accuracy_score", "balanced_accuracy_score", "class_likelihood_ratios",
    "cohen_kappa_score", "confusion_matrix", "f1_score", "hamming_loss", "jaccard_score", "matthews_corrcoef",
    "multilabel_confusion_matrix", "zero_one_loss",
)  # fmt: skip
CURVES = ("confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve")
SCORED = ("average_precision_score", *CURVES, "roc_auc_score")
PROBABILITIES = ("brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss")
RANKED = ("coverage_error", "dcg_score", "label_ranking_average_precision_score", "label_ranking_loss", "ndcg_score")
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
    for other in (TRUTH, [True, False] * 2, [0.0, 1.0] * 2, DAYS - DAYS[0]):
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


def test_a_single_class_has_no_pairs_to_weigh():
    with pytest.raises(ZeroWeightsError, match="can't be normalized: y_true holds no pair of classes"):
        metrics.roc_auc_score([0, 0], np.full((2, 3), 1 / 3), labels=[0, 1, 2], multi_class="ovo", average="weighted")


@every(
    "score",
    metrics.classification_report,
    metrics.precision_recall_fscore_support,
    functools.partial(metrics.jaccard_score, average=None),
    functools.partial(metrics.f1_score, average="macro"),
    lambda true, pred, labels: metrics.jaccard_score(np.array(true), np.array(pred)),
)
def test_warnings_of_undefined_scores_point_to_the_call(score):
    with pytest.warns(metrics.UndefinedMetricWarning) as caught:
        score([0, 0], [0, 0], labels=[0, 1])
    assert {warning.filename for warning in caught} == {__file__}


def test_a_beta_whose_square_is_zero_leaves_precision_and_one_beyond_all_counts_recall():
    for beta in (0, 1e-200, np.float64(1e-170), 5e-324):
        assert called("fbeta_score", [0, 1, 1, 1], [1, 1, 0, 0], beta=beta) == 0.5
    for beta in (np.inf, 1e200, np.float64(1e200), np.float32(1e30), 10**200):
        assert called("fbeta_score", [0, 1, 1], [1, 1, 0], beta=beta) == 0.5
        assert called("fbeta_score", [0, 0], [1, 1], beta=beta, zero_division=0) == 0


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
OF_LABELS = (
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


@every("name", OF_SCORES + OF_LABELS)
def test_a_call_on_plain_columns_makes_few_calls_of_numpy(name):
    function, other = getattr(metrics, name), SMALL_SCORES if name in OF_SCORES else Y_PRED
    assert 0 < numpy_calls(lambda: function(Y_TRUE, other)) <= 15


def test_weights_of_both_signs_give_no_negative_zero():
    score = metrics.f1_score([1, 0], [0, 1], sample_weight=[-1.0, 0.5])
    assert (score, np.signbit(score)) == (0.0, False)
