"""Many columns of labels and scores at once: each as if it came alone, to the last bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given

from evalcore import metrics
from tests.strategies import BLOCKS, block_size, case_matrices, many_threads

FINITE = {
    32: ([-0.0, 0.0, 0.25, 1.0], [-3.5, 0.0, 0.1, 3.4028235e38]),
    64: ([-0.0, 0.5, 1.0], [-1e300, 0.0, 1e-300, 1.0]),
}
MEASURES = "roc_auc_score", "average_precision_score"


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


@pytest.mark.parametrize("name", MEASURES)
def test_threads_share_the_columns(name):
    rng = np.random.default_rng(3)
    labels, scores = rng.random((30, 40)) < 0.5, rng.random((30, 40)).round(1)
    alone = getattr(metrics, name)(labels, scores, average=None)
    with many_threads(3, block=64):
        assert np.array_equal(getattr(metrics, name)(labels, scores, average=None), alone)


@pytest.mark.parametrize("name", MEASURES)
def test_each_column_of_one_class_warns(name):
    labels, scores = np.array([[0, 0, 1], [0, 0, 0]]), np.array([[0.1, 0.2, 0.3], [0.4, 0.1, 0.2]])
    with pytest.warns(UserWarning, match="class") as caught:
        getattr(metrics, name)(labels, scores)
    assert len(caught) == 2
