"""Functions of rankings beside scikit-learn's: curves, areas and ranked labels, of one column or of many at once."""

import warnings
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.metrics
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning
from tests.differences import every
from tests.metrics.comparing import check, check_same, outcome
from tests.strategies import BLOCKS, block_size, case_matrices, columns_of

LABEL_FUNCTIONS = ("coverage_error", "label_ranking_average_precision_score", "label_ranking_loss")
POOLS = ([0.0, 0.5], [-1.5, -0.0, 0.0, 2.0], [1, 2, 3], [0.1, 0.2, 0.3, 0.4, 1e30])
RELEVANCE = ([0, 1], [0, 0, 0, 1], [1], [0], [False, True], [0.0, 1.0], [0, 2], [1, 2], [0, 1, 2], [0, 0.5])
GAINS = ([0, 1, 3], [0.0, 0.5, 2.5], [0], [False, True], [-1, 0, 1])
WEIGHTS = (0, 1, 2, 0.5)


@st.composite
def tables(draw, pools, shape, dtypes=(None,)):
    """Draw an array of a shape from one of the pools."""
    pool = draw(st.sampled_from(pools))
    size = int(np.prod(shape))
    values = draw(columns_of(pool, size))
    return np.array(values, draw(st.sampled_from(dtypes))).reshape(shape)


@st.composite
def ranked(draw, pools, most_labels=6):
    """Draw relevance or gains, scores and weights of as many cases."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, most_labels))
    weights = draw(st.none() | columns_of(WEIGHTS, shape[0]).filter(any))
    return draw(tables(pools, shape)), draw(tables(POOLS, shape, (None, np.float32))), weights


@given(ranked(RELEVANCE), BLOCKS)
def test_label_functions(case, block):
    y_true, y_score, weights = case
    in_double = y_score.astype(np.float64)  # the ranks of newer SciPy are float32 where the scores are
    for name in LABEL_FUNCTIONS:
        with block_size(block):
            ours = outcome(getattr(metrics, name), y_true, y_score, sample_weight=weights)
        check_same(ours, outcome(getattr(sklearn.metrics, name), y_true, in_double, sample_weight=weights))


@every("name", LABEL_FUNCTIONS)
def test_label_functions_of_many_labels(name):
    random = np.random.default_rng(5)
    for labels in (39, 41, 300):
        y_true, y_score = random.random((9, labels)) < 0.2, random.integers(0, 30, (9, labels)) / 8
        check(name, y_true, y_score)


@every("name", ["label_ranking_average_precision_score", "label_ranking_loss"])
@every("container", [scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array])
def test_sparse_relevance(name, container):
    y_true, y_score = [[1, 0, 0], [0, 0, 1], [0, 0, 0]], [[0.5, 0.9, 0.6], [0, 0, 1], [1, 2, 3]]
    check(name, container(y_true), y_score)
    assert getattr(metrics, name)(container(y_true), y_score) == getattr(metrics, name)(y_true, y_score)


@given(ranked(GAINS), st.none() | st.integers(1, 7), st.sampled_from([2, 10, 0.5, np.e, 2.0]), BLOCKS)
def test_gains(case, k, base, block):
    y_true, y_score, weights = case
    options = {"k": k, "sample_weight": weights}
    with block_size(block):
        check("dcg_score", y_true, y_score, log_base=base, **options)
        check("ndcg_score", y_true, y_score, **options)
        # which of two equal scores scikit-learn puts first depends on NumPy's sort
        y_score = np.random.default_rng(0).permuted(np.tile(np.arange(y_score.shape[1]), (len(y_score), 1)), axis=1)
        for name in ("dcg_score", "ndcg_score"):
            check(name, y_true, y_score / 4, ignore_ties=True, **options)


def test_depths_of_all_classes_labels_of_objects_and_ignored_ties():
    assert metrics.dcg_score([[0, 1]], [[1, 1]], ignore_ties=True) == 1
    assert metrics.dcg_score([[1, 0]], [[1, 1]], ignore_ties=True) == pytest.approx(1 / np.log2(3))
    with pytest.warns(UndefinedMetricWarning, match=r"'k' \(2\) greater than or equal to 'n_classes' \(2\)") as caught:
        assert metrics.top_k_accuracy_score([0, 1], [0.5, 0.25], k=2) == 1
    assert caught[0].filename == __file__
    y_true, y_score = np.array(["b", "a", "c"], object), np.eye(3)
    found, expected = (metrics.top_k_accuracy_score(y, y_score, k=1) for y in (y_true, y_true.astype(str)))
    assert found == expected


@st.composite
def classified(draw):
    """Draw true classes, scores, depth, weights and perhaps the labels."""
    classes = draw(st.sampled_from([[0, 1], [0, 1, 2], [3, 5, 9, 11], ["a", "b"], ["a", "b", "c"], [0.0, 1.0, 2.5]]))
    cases = draw(st.integers(1, 8))
    y_true = draw(columns_of(classes, cases))
    columns = draw(st.sampled_from([None, len(classes), len(classes), len(classes), 1, 3]))
    y_score = draw(tables(POOLS, (cases,) if columns is None else (cases, columns), (None, np.float32)))
    labels = draw(st.sampled_from([None, classes, classes, classes[::-1], [*classes, classes[0]], classes[1:]]))
    weights = draw(st.none() | columns_of(WEIGHTS, cases).filter(any))
    return y_true, y_score, labels, weights


@given(classified(), st.integers(1, 4), st.booleans(), BLOCKS)
def test_top_k_accuracy_score(case, k, normalize, block):
    y_true, y_score, labels, weights = case
    with block_size(block):
        check("top_k_accuracy_score", y_true, y_score, k=k, normalize=normalize, sample_weight=weights, labels=labels)


@given(st.binary(min_size=1, max_size=90).map(lambda drawn: [byte % 74 - 3 for byte in drawn]), st.booleans())
@example([0, 64] * 40, True)
def test_classes_that_are_integers_close_together(y_true, unsigned):
    y_true = np.abs(y_true).astype(np.uint8) if unsigned else np.array(y_true, np.int8)
    labels = np.arange(0 if unsigned else -3, 71)
    y_score = np.tile(np.arange(labels.size) % 7, (len(y_true), 1))
    check("top_k_accuracy_score", y_true, y_score, k=9, labels=labels)
    check("top_k_accuracy_score", y_true, y_score, k=9, labels=labels[:-1])


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


def test_undefined_columns_hold_the_nan_without_a_sign_and_one_warning_tells_of_all():
    labels, scores = np.array([[0, 0], [0, 1]]), np.array([[0.1, 0.2], [0.4, 0.1]])
    with pytest.warns(UserWarning, match="class"):
        found = metrics.roc_auc_score(labels, scores, average=None), metrics.roc_auc_by_column(labels, scores[:, 0])
    assert [np.signbit(areas).tolist() for areas in found] == [[False, False]] * 2
    labels = np.array([[0, 0, 1, 1], [1, 0, 1, 0]])
    with pytest.warns(metrics.UndefinedMetricWarning, match=r"for 2 of 4 columns, the first of them 1\.") as caught:
        areas = metrics.roc_auc_by_column(labels, [0.25, 0.5])
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_array_equal(areas, [1, np.nan, np.nan, 0])


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


@every(
    ("labels", "scores", "name"),
    (sparse.csr_array([[0, 1], [1, 0]]), [0.1, 0.2], "y_true"),
    ([0, 1], sparse.csr_array([[0.5], [1]]), "y_score"),
)
def test_sparse_columns_are_refused(labels, scores, name):
    with pytest.raises(EvaluationError, match=f"{name} must be dense"):
        metrics.roc_auc_by_column(labels, scores)


CURVES = ("confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve")
AREAS = ("average_precision_score", "roc_auc_score")
LABELS = st.sampled_from(
    [[0, 1], [-1, 1], [False, True], [0.0, 1.0], ["a", "b"], [1, 2], [0, 1, 2], [0], [1], [0.5, 1]]
)
OF_CASES = (0.5, 1, 2)
SCORES = st.sampled_from([[0.0, 0.5, 1.0], [-1.0, -0.0, 0.0, 2.5], [1, 2, 3], [1e-300, 5e-324, 1e300, -1e300]])


TWO_AVERAGES = st.sampled_from(list(combinations(("macro", "micro", "weighted", "samples", None, "mean"), 2)))


@st.composite
def cases(draw):
    size = draw(st.integers(1, 12))
    labels, pool = draw(LABELS), draw(SCORES)
    y_true = np.array(draw(columns_of(labels, size)))
    scores = draw(columns_of(pool, size) | st.lists(st.floats(-9, 9), min_size=size, max_size=size))
    dtype = draw(st.sampled_from([None, np.float32])) if max(map(abs, scores)) < 10 else None
    weights = draw(st.none() | columns_of((0, *OF_CASES), size))
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
    weights = data.draw(st.none() | columns_of(OF_CASES, size))
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
    weights = data.draw(st.none() | columns_of(OF_CASES, size))
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
