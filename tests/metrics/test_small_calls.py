"""What a call on few cases costs, counted: on a hundred cases the number of calls of NumPy is the time."""

import sys
from collections import Counter

import numpy as np
import pytest

from evalcore import metrics
from tests.differences import every

RNG = np.random.default_rng(7)
Y_TRUE, Y_PRED, SCORES = RNG.integers(0, 2, 100), RNG.integers(0, 2, 100), RNG.random(100)
OF_SCORES = "roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"
OF_LABELS = (
    "accuracy_score", "confusion_matrix", "matthews_corrcoef", "f1_score", "precision_score", "recall_score",
    "jaccard_score", "zero_one_loss", "hamming_loss",
)  # fmt: skip
KINDS = {
    "bool": lambda labels: labels == 1,
    "int8": lambda labels: labels.astype(np.int8),
    "big-endian": lambda labels: labels.astype(">i4"),
    "float": lambda labels: labels.astype(float),
    "list": lambda labels: labels.tolist(),
    "tuple of bool": lambda labels: tuple((labels == 1).tolist()),
    "every other": lambda labels: np.repeat(labels, 2)[::2],
    "column": lambda labels: labels[:, np.newaxis],
}


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
    function, other = getattr(metrics, name), SCORES if name in OF_SCORES else Y_PRED
    assert 0 < numpy_calls(lambda: function(Y_TRUE, other)) <= 15


@every("kind", KINDS)
@every("name", [*OF_LABELS, "balanced_accuracy_score", "cohen_kappa_score"])
def test_the_kind_of_labels_changes_no_bit(name, kind):
    function, convert = getattr(metrics, name), KINDS[kind]
    expected = function(Y_TRUE, Y_PRED)
    np.testing.assert_array_equal(function(convert(Y_TRUE), convert(Y_PRED)), expected, strict=True)
    np.testing.assert_array_equal(function(convert(Y_TRUE), Y_PRED), expected, strict=True)


@every("average", ["binary", "micro", "macro", "weighted"])
@every("beta", [0, 1, 2, 1e200])
def test_each_score_by_itself_is_that_of_all(average, beta):
    together = metrics.precision_recall_fscore_support(Y_TRUE, Y_PRED, average=average, beta=beta)
    alone = (
        metrics.precision_score(Y_TRUE, Y_PRED, average=average),
        metrics.recall_score(Y_TRUE, Y_PRED, average=average),
        metrics.fbeta_score(Y_TRUE, Y_PRED, average=average, beta=beta),
    )
    assert together == (*alone, None)
    assert {type(value) for value in alone} == {float}


def test_weights_of_both_signs_give_no_negative_zero():
    score = metrics.f1_score([1, 0], [0, 1], sample_weight=[-1.0, 0.5])
    assert (score, np.signbit(score)) == (0.0, False)


def test_a_warning_of_an_undefined_overlap_points_to_the_caller():
    with pytest.warns(UserWarning, match="Jaccard is ill-defined") as caught:
        metrics.jaccard_score(np.array([0, 0]), np.array([0, 0]))
    assert caught[0].filename == __file__
