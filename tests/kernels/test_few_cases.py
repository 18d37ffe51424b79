import math

import numpy as np
import pytest
from hypothesis import assume, example, given

from evalcore import metrics
from evalcore.kernels import pairs, sort_keys
from evalcore.kernels.pairs import MOST_FEW, are_few, best_first, few_half_pairs, few_points, pair_counts
from evalcore.kernels.runs import lazy_runs, runs_of_keys
from evalcore.measures import curves
from evalcore.validation.scores import few_plain_cases
from tests.reference import scored_cases as slow
from tests.strategies import Cases, case_arrays, cases_of


def _half_pairs(pairs, correct, incorrect):
    return correct, 2 * (correct * incorrect - pairs[1]) + pairs[2]


@given(case_arrays())
@example(cases_of([(1.0, False), (1.0, True)]))
def test_pairs_of_few_cases_are_those_of_the_cases(cases):
    assume(cases.scores.size)
    correct = int(cases.correct.sum())
    found = few_half_pairs(*best_first(cases.correct, cases.scores))
    assert found == _half_pairs(slow.pair_counts(cases.pairs), correct, cases.correct.size - correct)


@given(case_arrays())
def test_points_of_few_cases_are_those_of_their_keys(cases):
    assume(cases.scores.size)
    gained, tp, predicted_positive = few_points(*best_first(cases.correct, cases.scores))
    runs = runs_of_keys(cases.keys)
    held = slice(None) if gained is None else gained > 0
    assert tp[held].tolist() == runs.tp.tolist()
    assert predicted_positive[held].tolist() == (runs.tp + runs.fp).tolist()
    assert (np.ones(tp.size) if gained is None else gained[held]).tolist() == runs.positives.tolist()


def _cases(rng, size, distinct):
    scores = rng.normal(size=size) if distinct is None else rng.integers(0, distinct, size) / distinct
    return Cases(scores, rng.random(size) < rng.random())


@pytest.mark.parametrize("distinct", [None, 2, 100, 5000])
@pytest.mark.parametrize("size", [1, 2, 3, 17, 255, 256, 257, 600, MOST_FEW - 1, MOST_FEW])
def test_few_cases_give_bit_for_bit_what_sorted_keys_do(size, distinct):
    rng = np.random.default_rng(size)
    for _ in range(20 if size < 1000 else 5):
        cases = _cases(rng, size, distinct)
        few = best_first(cases.correct, cases.scores)
        positives = int(cases.correct.sum())
        expected = curves.average_precisions(lazy_runs(cases.keys)).item()
        np.testing.assert_array_equal(curves.average_precision_of_few(*few), expected, strict=True)
        expected = curves.roc_area(pair_counts(cases.keys), positives, size - positives)
        np.testing.assert_array_equal(curves.roc_area_of_few(*few), expected, strict=True)


@pytest.mark.parametrize("function", [metrics.roc_auc_score, metrics.average_precision_score])
@pytest.mark.parametrize("distinct", [None, 50])
@pytest.mark.parametrize("size", [2, 100, MOST_FEW - 1, MOST_FEW, MOST_FEW + 1])
def test_the_kind_of_columns_and_the_border_change_no_bit(monkeypatch, function, size, distinct):
    rng = np.random.default_rng(size)
    for _ in range(3):
        scores, labels = _cases(rng, size, distinct)
        labels[:2] = False, True
        columns = [
            (labels, scores), (labels.astype(np.int64), scores), (labels.astype(">u2"), scores),
            (labels.astype(float), scores), (labels.tolist(), scores.tolist()), (labels[::-1], scores[::-1]),
            (np.where(labels, 1, -1), scores), (labels[:, np.newaxis], scores),
        ]  # fmt: skip
        answers = {function(*each) for each in columns}
        answers.add(function(labels, scores, sample_weight=None))
        with monkeypatch.context() as patch:
            patch.setattr(pairs, "MOST_FEW", 0)
            answers |= {function(*each) for each in columns}
        assert len(answers) == 1
        assert {type(answer) for answer in answers} == {float}


@pytest.mark.parametrize("scores", [[0.5, math.nan], [0.5, math.inf], [-math.inf, 0.5]])
@pytest.mark.filterwarnings("error")
def test_numbers_that_are_not_finite_are_refused_without_a_warning(scores):
    for function in (metrics.roc_auc_score, metrics.average_precision_score):
        with pytest.raises(ValueError, match="Input y_score contains"):
            function(np.array([0, 1]), np.array(scores))


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (np.array([0, 2]), np.array([0.5, 0.6])),
        (np.array([0, 256]), np.array([0.5, 0.6])),
        (np.array([0, 1 << 40]), np.array([0.5, 0.6])),
        (np.array([0, -1]), np.array([0.5, 0.6])),
        (np.array([0.0, 1.0]), np.array([0.5, 0.6])),
        (np.array([0, 1]), np.array([5, 6])),
        (np.array([0, 1]), np.array([0.5, 0.6], np.float16)),
        (np.array([0, 1]), np.array([0.5, 0.6], ">f8")),
        (np.array([0, 1]), np.array([[0.5, 0.6]])),
        (np.array([0, 1]), np.array([0.5, 0.6, 0.7])),
        (np.array([], int), np.array([])),
        (np.ma.array([0, 1]), np.array([0.5, 0.6])),
        ([0, 1], np.array([0.5, 0.6])),
        (np.array([0, 1]), np.array([0.5, math.nan])),
    ],
)
def test_only_plain_columns_are_plain(labels, scores):
    assert few_plain_cases(labels, scores) is None


def test_no_cases_are_few_where_subnormal_scores_count_as_zero(monkeypatch):
    assert are_few(2)
    monkeypatch.setattr(sort_keys, "_TINIEST", 0.0)
    assert not are_few(2)
