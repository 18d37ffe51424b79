"""Many columns of labels and scores at once: each as if it came alone, to the last bit."""

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError
from tests.differences import every
from tests.strategies import BLOCKS, block_size, case_matrices, many_threads

FINITE = {
    32: ([-0.0, 0.0, 0.25, 1.0], [-3.5, 0.0, 0.1, 3.4028235e38]),
    64: ([-0.0, 0.5, 1.0], [-1e300, 0.0, 1e-300, 1.0]),
}
MEASURES = "roc_auc_score", "average_precision_score"
OPTIONS = {}, {"sample_weight": [1, 2]}


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **options)


@pytest.mark.parametrize("name", MEASURES)
@given(cases=case_matrices(FINITE).filter(lambda cases: cases.scores.shape[1] > 1), block=BLOCKS)
def test_labels_of_any_number_score_as_each_alone(name, cases, block):
    measure, (scores, correct) = getattr(metrics, name), cases
    alone = [quietly(measure, own, scored) for own, scored in zip(correct.T, scores.T, strict=True)]
    with block_size(block):
        assert quietly(measure, correct, scores, average=None).tolist() == pytest.approx(
            alone, rel=0, abs=0, nan_ok=True
        )


@every("name", MEASURES)
def test_threads_share_the_columns(name):
    rng = np.random.default_rng(3)
    labels, scores = rng.random((30, 40)) < 0.5, rng.random((30, 40)).round(1)
    alone = getattr(metrics, name)(labels, scores, average=None)
    with many_threads(3, block=64):
        assert np.array_equal(getattr(metrics, name)(labels, scores, average=None), alone)


@every("average", ["micro", "macro", "weighted", "samples", None])
@every(("name", "options"), [*product(MEASURES, OPTIONS), ("roc_auc_score", {"max_fpr": 0.5})])
def test_warnings_of_undefined_areas_point_to_the_call(name, average, options):
    empty = average in ("micro", "samples")
    labels, scores = np.array([[0, not empty], [0, 0]]), np.array([[0.1, 0.2], [0.4, 0.1]])
    with pytest.warns(UserWarning, match="class") as caught:
        getattr(metrics, name)(labels, scores, average=average, **options)
    assert [warning.filename for warning in caught] == [__file__]
    if average == "macro" and not options:
        labels, scores = np.array([[0, 0, 1], [0, 0, 0]]), np.array([[0.1, 0.2, 0.3], [0.4, 0.1, 0.2]])
        with pytest.warns(UserWarning, match="class") as caught:
            getattr(metrics, name)(labels, scores)
        assert len(caught) == 2  # one for each column of one class


def test_undefined_columns_hold_the_nan_without_a_sign():
    labels, scores = np.array([[0, 0], [0, 1]]), np.array([[0.1, 0.2], [0.4, 0.1]])
    with pytest.warns(UserWarning, match="class"):
        found = metrics.roc_auc_score(labels, scores, average=None), metrics.roc_auc_by_column(labels, scores[:, 0])
    assert [np.signbit(areas).tolist() for areas in found] == [[False, False]] * 2


def each_alone(labels, scores):
    """Ask for the area of each column, of labels (n, k) or (n,) and of scores (n, k) or (n,), by itself."""
    labels, scores = (np.reshape(part, (len(part), -1)) for part in (labels, scores))
    pairs = zip(*np.broadcast_arrays(labels.T[..., np.newaxis], scores.T[..., np.newaxis]), strict=True)
    return [quietly(metrics.roc_auc_score, own.ravel(), scored.ravel()) for own, scored in pairs]


MATRICES = case_matrices(FINITE).filter(lambda cases: cases.scores.shape[1] > 1)


@given(MATRICES, BLOCKS, st.sampled_from([np.asarray, np.asfortranarray, np.int8, np.float32]))
def test_areas_by_column_are_those_of_each_column_to_the_last_bit(cases, block, convert):
    scores, labels = cases.scores, convert(cases.correct)
    for own, scored in (
        (labels, scores),
        (labels[:, 0], scores),
        (labels, scores[:, 0]),
        (labels[:, :1], scores[:, :1]),
    ):
        with block_size(block):
            found = quietly(metrics.roc_auc_by_column, own, scored)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, each_alone(own, scored))


@every("kind", [">i4", "<i4", ">u2", ">f8", "i1"])
def test_labels_may_have_any_order_of_bytes(kind):
    labels, scores = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.arange(8.0).reshape(4, 2)
    expected = metrics.roc_auc_by_column(labels, scores).tolist()
    assert metrics.roc_auc_by_column(labels.astype(kind), scores).tolist() == expected
    with pytest.raises(EvaluationError, match=r"y_true\[1, 0\] must be 0 or 1, or a Boolean, got 2"):
        metrics.roc_auc_by_column((labels * [2, 1]).astype(kind), scores)


def test_columns_of_many_rows_are_ordered_one_by_one_and_any_two_classes_may_be_the_labels():
    rng = np.random.default_rng(8)
    labels, scores = rng.random((70_000, 2)) < 0.3, rng.random((70_000, 2)).round(3)
    for own, scored in ((labels, scores), (labels[:, 0], scores), (labels, scores[:, 0])):
        assert metrics.roc_auc_by_column(own, scored).tolist() == each_alone(own, scored)
    scores = np.array([[0.1, 0.9], [0.4, 0.2], [0.35, 0.3]])
    for labels in (["no", "no", "yes"], [-1, -1, 1], [3, 3, 7], [False, False, True], [[0], [0], [1]]):
        assert metrics.roc_auc_by_column(labels, scores).tolist() == [0.5, 0.5]


def test_one_warning_tells_of_all_columns_of_one_class():
    labels = np.array([[0, 0, 1, 1], [1, 0, 1, 0]])
    with pytest.warns(metrics.UndefinedMetricWarning, match=r"for 2 of 4 columns, the first of them 1\.") as caught:
        areas = metrics.roc_auc_by_column(labels, [0.25, 0.5])
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_array_equal(areas, [1, np.nan, np.nan, 0])


@every(
    ("labels", "scores", "error", "text"),
    ([0, 1, 2], [[0.1], [0.2], [0.3]], EvaluationError, "multiclass format is not supported"),
    ([[0, 1], [1, 2]], [0.1, 0.2], EvaluationError, r"y_true\[1, 1\] must be 0 or 1, or a Boolean, got 2"),
    ([["a", "b"], ["b", "a"]], [0.1, 0.2], EvaluationTypeError, "y_true must hold Booleans, or the numbers 0 and 1"),
    (sparse.csr_array([[0, 1], [1, 0]]), [0.1, 0.2], EvaluationError, "y_true must be dense"),
    ([[0, 1], [1, 0]], np.ones((2, 3)), EvaluationError, "must have as many columns, .* got 2 and 3"),
    ([0, 1, 1], np.ones((2, 3)), EvaluationError, r"inconsistent numbers of samples: \[3, 2\]"),
    (np.ones((2, 0)), [0.1, 0.2], EvaluationError, r"y_true must be .* got shape \(2, 0\)"),
    ([], [], EvaluationError, r"y_true must be .* got shape \(0,\)"),
    ([0, 1], np.ones((2, 2, 2)), EvaluationError, r"y_score must be .* got shape \(2, 2, 2\)"),
    ([0, 1], [[0.1, np.nan], [0.2, 0.3]], EvaluationError, "Input y_score contains NaN"),
    ([0, 1], sparse.csr_array([[0.5], [1]]), EvaluationError, "y_score must be dense"),
)
def test_columns_that_do_not_fit_are_refused(labels, scores, error, text):
    with pytest.raises(error, match=text):
        metrics.roc_auc_by_column(labels, scores)
