"""Curves and areas give what scikit-learn gives: values, warnings, errors, signatures."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError
from tests.differences import every
from tests.metrics.comparing import check
from tests.strategies import columns_of

CURVES = ("confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve")
AREAS = ("average_precision_score", "roc_auc_score")
LABELS = st.sampled_from(
    [[0, 1], [-1, 1], [False, True], [0.0, 1.0], ["a", "b"], [1, 2], [0, 1, 2], [0], [1], [0.5, 1]]
)
WEIGHTS = (0.5, 1, 2)
SCORES = st.sampled_from([[0.0, 0.5, 1.0], [-1.0, -0.0, 0.0, 2.5], [1, 2, 3], [1e-300, 5e-324, 1e300, -1e300]])


TWO_AVERAGES = st.sampled_from(list(combinations(("macro", "micro", "weighted", "samples", None, "mean"), 2)))


@st.composite
def cases(draw):
    size = draw(st.integers(1, 12))
    labels, pool = draw(LABELS), draw(SCORES)
    y_true = np.array(draw(columns_of(labels, size)))
    scores = draw(columns_of(pool, size) | st.lists(st.floats(-9, 9), min_size=size, max_size=size))
    dtype = draw(st.sampled_from([None, np.float32])) if max(map(abs, scores)) < 10 else None
    weights = draw(st.none() | columns_of((0, *WEIGHTS), size))
    return y_true, np.array(scores, None if dtype is None or isinstance(scores[0], int) else dtype), weights


@given(cases(), st.none() | st.sampled_from([1, 0, "a", 2]), st.sampled_from([None, False, True]))
def test_curves(case, pos_label, drop_intermediate):
    *columns, weights = case
    options = {"pos_label": pos_label, "sample_weight": weights}
    thinned = {} if drop_intermediate is None else {"drop_intermediate": drop_intermediate}
    for name in CURVES:
        more = {} if name == "confusion_matrix_at_thresholds" else thinned
        check(name, *columns, **options, **more)


@given(cases(), st.sampled_from([None, 1, 0.3, 0.05, 2]), st.sampled_from([{}, {"pos_label": 1}, {"pos_label": 2}]))
def test_areas_of_two_classes(case, max_fpr, pos_label):
    *columns, weights = case
    if weights is None or np.any(np.array(weights)[columns[0] == np.unique(columns[0])[0]]):
        check("roc_auc_score", *columns, sample_weight=weights, max_fpr=max_fpr)
    else:  # of negatives without weight scikit-learn's partial area finds too few points
        check("roc_auc_score", *columns, sample_weight=weights)
    check("average_precision_score", *columns, sample_weight=weights, **pos_label)


@given(st.data())
def test_areas_of_labels(data):
    size, width = data.draw(st.integers(1, 8)), data.draw(st.integers(2, 4))
    y_true = np.reshape(data.draw(columns_of((0, 1), size * width)), (size, width))
    scores = np.reshape(data.draw(columns_of((0.0, 0.25, 0.5, 0.75), size * width)), (size, width))
    weights = data.draw(st.none() | columns_of(WEIGHTS, size))
    for average in data.draw(TWO_AVERAGES):
        for name in AREAS:
            check(name, y_true, scores, average=average, sample_weight=weights)


@given(st.data())
def test_areas_of_classes(data):
    size, width = data.draw(st.integers(2, 12)), data.draw(st.integers(3, 4))
    labels = data.draw(st.sampled_from([list("abcd"), [0, 1, 2, 3], [3, 5, 7, 9]]))[:width]
    y_true = np.array(data.draw(columns_of(labels, size)))
    scores = np.reshape(data.draw(columns_of((1.0, 2.0, 3.0, 4.0), size * width)), (size, width))
    scores /= scores.sum(axis=1, keepdims=True)
    weights = data.draw(st.none() | columns_of(WEIGHTS, size))
    listed = data.draw(st.sampled_from([None, labels, labels[::-1], labels[:-1]]))
    options = {"average": data.draw(st.sampled_from(["macro", "micro", "weighted", None])), "sample_weight": weights}
    check("average_precision_score", y_true, scores, **options)
    for multi_class in data.draw(st.sampled_from(list(combinations(("ovr", "ovo", "raise"), 2)))):
        check("roc_auc_score", y_true, scores, **options, multi_class=multi_class, labels=listed)
    for average in ("macro", "weighted"):  # without weights of cases, which pairs of classes do not take
        check("roc_auc_score", y_true, scores, average=average, multi_class="ovo", labels=listed)


@every("dtype", [np.float16, ">f2", np.float32])
def test_probabilities_of_classes_sum_to_one_in_their_own_dtype(dtype):
    scores = np.random.default_rng(1).dirichlet([1, 1, 1], 50).astype(dtype)
    scores = scores[scores.sum(axis=1) == 1]
    y_true = np.arange(len(scores)) % 3
    for multi_class, average in (("ovr", "micro"), ("ovr", None), ("ovo", "macro")):
        area = metrics.roc_auc_score(y_true, scores, multi_class=multi_class, average=average)
        expected = sklearn.metrics.roc_auc_score(y_true, scores, multi_class=multi_class, average=average)
        np.testing.assert_allclose(area, expected, rtol=1e-12)


@every("weights", [[-1, 1, 1], [np.nan, 1, 1], [1e308] * 3, ["a", "b", "c"]])
@every("average", ["micro", "macro", "weighted", "samples", None])
def test_weights_of_several_labels_are_checked_whatever_the_average(weights, average):
    for name in AREAS:
        with pytest.raises((EvaluationError, EvaluationTypeError), match="weight"):
            getattr(metrics, name)([[1, 0], [0, 1], [1, 1]], np.eye(3)[:, :2], average=average, sample_weight=weights)


def test_small_weights_under_an_error_state_that_raises_and_nullable_frames_are_read():
    with np.errstate(all="raise"):
        for name in (*CURVES, *AREAS):
            getattr(metrics, name)([0, 1, 1, 0], [0.1, 0.5, 0.5, 0.5], sample_weight=[1e-320, 1e300, 1e-310, 1e250])
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 1]})
    scores = np.array([[0.1, 0.9], [0.5, 0.4], [0.3, 0.2]])
    expected = metrics.roc_auc_score(frame, scores)
    assert metrics.roc_auc_score(frame.convert_dtypes(), scores) == expected
    assert metrics.roc_auc_score(frame.astype("boolean"), scores) == expected
