import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import sort_keys, sorting
from evalcore.kernels.sorting import map_ordered_columns, order
from tests.strategies import BLOCKS, Cases, block_size, case_arrays, case_matrices, cases_of, many_threads


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
def test_cases_come_best_first_and_of_equal_ones_the_incorrect_before_the_correct(cases, block):
    with block_size(block):
        ordering = order(*cases)
        ranked = zip(ordering.scores(np.arange(cases.scores.size)).tolist(), (ordering.keys & 1).tolist(), strict=True)
    assert list(ranked) == sorted(cases.pairs, key=lambda case: (-case[0], case[1]))


@given(case_arrays())
def test_order_is_the_one_of_a_lexicographic_argsort(cases):
    ordering = order(*cases)
    ranks = np.lexsort((cases.correct, -cases.scores))
    assert np.array_equal(ordering.scores(np.arange(ranks.size)), cases.scores[ranks])
    assert np.array_equal(ordering.keys & 1, cases.correct[ranks])


@given(case_arrays())
def test_keys_are_the_same_for_any_order_of_the_cases(cases):
    backwards = Cases(cases.scores[::-1].copy(), cases.correct[::-1].copy())
    assert cases.keys.tobytes() == backwards.keys.tobytes()


@given(case_arrays())
def test_keys_ascend_and_inputs_stay_as_they_were(cases):
    before = cases.scores.tobytes(), cases.correct.tobytes()
    keys = cases.keys
    assert np.array_equal(keys, np.sort(keys))
    assert before == (cases.scores.tobytes(), cases.correct.tobytes())


@given(case_arrays(), BLOCKS, st.sampled_from([1, -1]), st.integers(0, 40))
@example(Cases(np.full(40, 0.5), np.arange(40) % 2 > 0), 3, 1, 0)
@example(Cases(np.zeros(0), np.zeros(0, np.bool_)), 1, -1, 0)
def test_sorted_cases_and_nearly_sorted_ones_have_the_keys_of_any_other_order(cases, block, step, turned):
    ranks = np.argsort(cases.scores, kind="stable")[::step].copy()
    ranks[turned : turned + 2] = ranks[turned : turned + 2][::-1].copy()
    near = Cases(cases.scores[ranks], cases.correct[ranks])
    before = near.scores.tobytes(), near.correct.tobytes()
    with block_size(block):
        assert near.keys.tobytes() == cases.keys.tobytes()
    assert before == (near.scores.tobytes(), near.correct.tobytes())


def test_sorted_cases_are_ordered_by_threads_too():
    scores = np.sort(np.random.default_rng(4).random(1000).round(2))
    cases = Cases(scores, np.arange(1000) % 3 > 0)
    with many_threads(3, block=64):
        parallel = cases.keys
    assert parallel.tobytes() == cases.keys.tobytes()


def test_no_scores_pass_for_sorted_where_subnormal_ones_count_as_zero(monkeypatch):
    scores = np.arange(9.0)
    with block_size(4):
        assert sorting._step_of_sorted(scores) == -1
        monkeypatch.setattr(sort_keys, "_TINIEST", 0.0)
        assert sorting._step_of_sorted(scores) is None


def test_scores_of_chosen_ranks_keep_their_width():
    ordering = order(np.array([0.25, -1.0, 2.0], np.float32), np.array([True, False, True]))
    scores = ordering.scores(np.array([2, 0]))
    assert scores.dtype == np.float32
    assert scores.tolist() == [-1.0, 2.0]


@given(case_matrices(), BLOCKS)
def test_each_column_is_ordered_as_if_it_were_alone(cases, block):
    before = cases.scores.tobytes(), cases.correct.tobytes()
    with block_size(block):
        rows = np.concatenate(map_ordered_columns(lambda keys: keys, *cases))
    for row, scores, correct in zip(rows, cases.scores.T, cases.correct.T, strict=True):
        alone = order(scores, correct).keys
        assert np.array_equal(row & 1, alone & 1)
        assert np.array_equal(np.diff(row >> 1) == 0, np.diff(alone >> 1) == 0)
    assert before == (cases.scores.tobytes(), cases.correct.tobytes())


@given(case_matrices())
def test_columns_are_ordered_in_any_layout(cases):
    rows = map_ordered_columns(lambda keys: keys, *cases)
    fortran = map_ordered_columns(lambda keys: keys, *map(np.asfortranarray, cases))
    wide = map_ordered_columns(lambda keys: keys, *(np.repeat(part, 2, axis=1)[:, ::2] for part in cases))
    assert np.array_equal(rows, fortran)
    assert np.array_equal(rows, wide)
