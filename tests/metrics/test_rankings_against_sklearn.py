"""Functions on ranked labels beside scikit-learn's: the same value, or an error or warning of the same kind."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.errors import UndefinedMetricWarning
from tests.differences import every
from tests.metrics.comparing import check, check_same, outcome
from tests.strategies import BLOCKS, block_size, columns_of

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


def test_the_later_document_goes_first_where_ties_are_ignored():
    assert metrics.dcg_score([[0, 1]], [[1, 1]], ignore_ties=True) == 1
    assert metrics.dcg_score([[1, 0]], [[1, 1]], ignore_ties=True) == pytest.approx(1 / np.log2(3))


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


def test_a_depth_of_all_classes_is_warned_of():
    with pytest.warns(UndefinedMetricWarning, match=r"'k' \(2\) greater than or equal to 'n_classes' \(2\)") as caught:
        assert metrics.top_k_accuracy_score([0, 1], [0.5, 0.25], k=2) == 1
    assert caught[0].filename == __file__


def test_labels_of_objects_are_found_as_those_of_strings_are():
    y_true, y_score = np.array(["b", "a", "c"], object), np.eye(3)
    found, expected = (metrics.top_k_accuracy_score(y, y_score, k=1) for y in (y_true, y_true.astype(str)))
    assert found == expected
