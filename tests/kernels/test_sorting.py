"""Cases and permutations come in the order of a stable sort, by keys that keep order, ties, labels and scores."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import sorting
from evalcore.kernels.runs import score_changes
from evalcore.kernels.sorting import (
    BitCode,
    LevelCode,
    ScaledCode,
    code_of,
    descending,
    indexed_order,
    map_ordered_columns,
    order,
    sorted_words,
)
from tests.differences import every
from tests.strategies import (
    BLOCKS,
    MIXED_POOLS,
    NON_NEGATIVE_POOLS,
    Cases,
    block_size,
    case_arrays,
    case_matrices,
    cases_of,
    score_arrays,
)


@given(case_arrays(), BLOCKS)
@example(cases_of([]), 1)
def test_cases_come_best_first_and_of_equal_ones_the_incorrect_before_the_correct(cases, block):
    with block_size(block):
        ordering = order(*cases)
        ranked = zip(ordering.scores(np.arange(cases.scores.size)).tolist(), (ordering.keys & 1).tolist(), strict=True)
    assert list(ranked) == sorted(cases.pairs, key=lambda case: (-case[0], case[1]))


@given(case_arrays())
def test_keys_ascend_whatever_the_order_of_the_cases_which_stay_as_they_were(cases):
    before = cases.scores.tobytes(), cases.correct.tobytes()
    keys = cases.keys
    assert np.array_equal(keys, np.sort(keys))
    backwards = Cases(cases.scores[::-1].copy(), cases.correct[::-1].copy())
    assert keys.tobytes() == backwards.keys.tobytes()
    assert before == (cases.scores.tobytes(), cases.correct.tobytes())


@given(case_arrays(), BLOCKS, st.sampled_from([1, -1]), st.integers(0, 40))
@example(Cases(np.full(40, 0.5), np.arange(40) % 2 > 0), 3, 1, 0)
@example(Cases(np.repeat([0.5, -0.0, -2.5], 20), np.arange(60) % 3 > 0), 3, -1, 58)
@example(Cases(np.zeros(0), np.zeros(0, np.bool_)), 1, -1, 0)
def test_sorted_cases_and_nearly_sorted_ones_are_ordered_as_any_others(cases, block, step, turned):
    ranks = np.argsort(cases.scores, kind="stable")[::step].copy()
    ranks[turned : turned + 2] = ranks[turned : turned + 2][::-1].copy()
    near = Cases(cases.scores[ranks], cases.correct[ranks])
    before = near.scores.tobytes(), near.correct.tobytes()
    with block_size(block):
        found, expected = order(*near), order(*cases)
    ranks = np.arange(near.scores.size)
    assert found.scores(ranks).tobytes() == expected.scores(ranks).tobytes()
    assert (found.keys & 1).tolist() == (expected.keys & 1).tolist()
    assert score_changes(found.keys).tolist() == score_changes(expected.keys).tolist()
    assert before == (near.scores.tobytes(), near.correct.tobytes())


def test_no_scores_pass_for_sorted_where_subnormal_ones_count_as_zero(monkeypatch):
    scores = np.arange(9.0)
    with block_size(4):
        found = [sorting.found_order(each, each > 4) for each in (scores, np.repeat(scores, 2))]
        assert [(each.ranked[0], each.correct[0], each.distinct) for each in found] == [
            (8, True, True),
            (8, True, False),
        ]
        monkeypatch.setattr(sorting, "_TINIEST", 0.0)
        assert sorting.found_order(scores, scores > 4) is None


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


POOLS = (
    [0.0, -0.0, 0.5, 1.0],
    [-np.inf, np.inf, 0.0, 5e-324],
    [1e308, -1e308, 1.0],
    [1.0, 1.0 + 2**-52, 1.0 + 2**-51, 0.0],
    [1e-300, 2e-300, -1e-300],
)


@pytest.fixture(autouse=True)
def no_short_way(monkeypatch):
    monkeypatch.setattr(sorting, "_SHORT", 2)


def check_ends(scores):
    ends = np.ones(scores.size, np.bool_)
    order = descending(scores, ends)
    assert np.array_equal(order, descending(scores))
    ranked = scores[order]
    assert np.array_equal(ends[:-1], ranked[:-1] != ranked[1:])
    assert ends[-1:].all()


def plainly(scores):
    return sorted(range(len(scores)), key=lambda index: -scores[index])  # stable


@given(st.sampled_from(POOLS).flatmap(lambda pool: st.lists(st.sampled_from(pool) | st.floats(-2, 2), max_size=40)))
@example([])
@example([0.0, -0.0, np.inf, -np.inf, 1e-45, 3.4e38] * 5)
@example([1.0, 1.0 + 2**-52] * 9)
@example([1.0, 0.0, 5e-324])  # the lowest two share a level
def test_the_permutation_is_the_stable_one(scores):
    for dtype in (np.float64, np.float32):
        with np.errstate(over="ignore"):
            own = np.array(scores, np.float64).astype(dtype)
        assert descending(own).tolist() == plainly(own.tolist())
        check_ends(own)


@every("size", [2, 1023, 1024, 1025, 70_000])
@every(
    "scores_of",
    lambda rng, n: rng.random(n),
    lambda rng, n: np.round(rng.standard_normal(n), 1),
    lambda rng, n: np.exp(30 * rng.standard_normal(n)),
    lambda rng, n: np.append(rng.random(n - 1), [-0.0, 1e20][n % 2]),
    lambda rng, n: np.append(rng.standard_normal(n - 1), 1e20),  # all but one are next to zero
    lambda rng, n: 1e307 * rng.standard_normal(n),  # whose octaves do not all become subnormal
    lambda rng, n: 1e-310 * rng.standard_normal(n),
    lambda rng, n: np.append(rng.standard_normal(n - 1), -np.inf),
    lambda rng, n: 1 + rng.integers(0, 3, n) * 2.0**-52,
    lambda rng, n: np.zeros(n),
    lambda rng, n: rng.standard_normal(n).astype(np.float32),
)
def test_many_scores_are_sorted_as_numpy_does(size, scores_of):
    scores = scores_of(np.random.default_rng(size), size)
    check_ends(scores)
    before = scores.copy()
    np.testing.assert_array_equal(descending(scores), np.argsort(-scores, kind="stable"))
    np.testing.assert_array_equal(scores, before)


@given(case_arrays(), BLOCKS)
def test_keys_are_those_of_order_but_for_their_numbers(cases, block):
    with block_size(block):
        found, expected = indexed_order(cases.scores, cases.correct), order(cases.scores, cases.correct)
    ranks = np.arange(cases.scores.size)
    assert (found.keys & 1).tolist() == (expected.keys & 1).tolist()
    assert found.ordering.scores(ranks).tolist() == expected.scores(ranks).tolist()
    assert score_changes(found.keys).tolist() == score_changes(expected.keys).tolist()
    assert sorted(found.cases.tolist()) == ranks.tolist()
    assert cases.correct[found.cases].tolist() == (found.keys & 1).astype(bool).tolist()
    assert cases.scores[found.cases].tolist() == expected.scores(ranks).tolist()


def test_scores_that_share_a_level_are_in_order():
    rng = np.random.default_rng(0)
    near = 1 + rng.integers(0, 9, 3000) * 2.0**-52
    scores = np.concatenate([near, -near, near * 1e300, [0.0, -0.0, np.inf, -np.inf, 5e-324]])
    correct = rng.random(scores.size) < 0.5
    found = indexed_order(scores, correct)
    assert found.ordering.scores(np.arange(scores.size)).tolist() == (np.sort(scores)[::-1] + 0.0).tolist()
    assert np.array_equal(found.keys, np.sort(found.keys))
    ends = np.flatnonzero(np.diff(found.keys >> 1))
    assert ends.size + 1 == np.unique(scores).size


def test_memory_of_another_ordering_changes_nothing():
    rng = np.random.default_rng(1)
    scores, correct = rng.random((2, 3000)), rng.random(3000) < 0.5
    used = indexed_order(scores[0], correct).keys
    found, expected = indexed_order(scores[1], correct, used), indexed_order(scores[1], correct)
    assert np.shares_memory(found.keys, used)
    assert (found.keys.tolist(), found.cases.tolist()) == (expected.keys.tolist(), expected.cases.tolist())


HUGE = np.finfo(np.float64).max
HUGE32 = np.finfo(np.float32).max
TINY = np.finfo(np.float64).smallest_subnormal
NORMAL = np.finfo(np.float64).smallest_normal
BELOW_ONE = np.nextafter(1.0, 0.0)


def packed(code, scores, correct):
    keys = np.empty(scores.size, code.key_dtype)
    code.pack(scores, correct, keys)
    return keys


def assert_code_is_faithful(code, scores):
    correct, before = np.arange(scores.size) % 3 == 0, scores.tobytes()
    keys = packed(code, scores, correct)
    assert scores.tobytes() == before
    assert np.array_equal(keys[keys.view(code.sort_dtype).argsort()], np.sort(keys))
    places = keys >> 1
    assert (keys & 1).astype(bool).tolist() == correct.tolist()
    assert np.array_equal(np.less.outer(places, places), np.greater.outer(scores, scores))
    back = code.unpack(keys)
    assert back.dtype == scores.dtype
    assert np.array_equal(back, scores)
    assert not np.signbit(back[back == 0]).any()


@given(score_arrays(NON_NEGATIVE_POOLS))
def test_bit_code_is_faithful_to_non_negative_scores_and_packs_float64_that_float32_holds_into_32_bits(scores):
    assert_code_is_faithful(BitCode(scores.dtype, scores.dtype, float(scores.max(initial=0.0))), scores)
    with np.errstate(over="ignore"):
        scores = np.tile(scores.astype(np.float32).astype(np.float64), 5000)
    code = code_of(scores)
    assert code.key_dtype == np.uint32 if scores.size else np.uint64
    assert np.array_equal(code.unpack(packed(code, scores, scores > 0)), scores)
    if scores.size:
        scores[-1] = 1 + 2**-40
        assert code_of(scores).key_dtype == np.uint64


@given(score_arrays())
def test_level_code_and_the_chosen_one_keep_order_ties_labels_and_scores(scores):
    assert_code_is_faithful(LevelCode(np.unique(scores)), scores)
    assert_code_is_faithful(code_of(scores), scores)


@given(st.lists(st.floats(width=32, allow_nan=False) | st.sampled_from(MIXED_POOLS[32][-1]), max_size=40))
def test_float32_of_both_signs_always_fits_a_scaled_code(scores):
    scores = np.array([-1.0, *scores], np.float32)
    code = code_of(scores)
    assert isinstance(code, ScaledCode)
    assert_code_is_faithful(code, scores)


@given(st.floats(min_value=1e-300, max_value=HUGE))
def test_float64_beside_infinities_and_its_own_negative_fits_a_scaled_code(score):
    scores = np.array([-np.inf, -score, -0.0, 0.0, score, np.nextafter(score, 0), np.inf])
    code = code_of(scores)
    assert isinstance(code, ScaledCode)
    assert_code_is_faithful(code, scores)


NON_NEGATIVE = [[], [0.0], [-0.0], [-0.0, 1e-45], [0.5, 1.0], [3e38, np.inf], [np.inf]]
SCALED = [
    ([0.5, -TINY], 1.0),
    ([-BELOW_ONE], 1.0),
    ([-0.5, BELOW_ONE], 1.0),
    ([-1.0], 0.5),
    ([-0.5, 1.0], 0.5),
    ([-2 * BELOW_ONE, 1.5], 0.5),
    ([-2.0], 0.25),
    ([-HUGE, HUGE], 2.0**-1024),
    ([-np.inf], 1.0),
    ([-np.inf, np.inf], 1.0),
    ([-np.inf, 0.5], 1.0),
    ([-np.inf, 1.0], 0.5),
    ([-1.0, np.inf], 0.5),
    ([-np.inf, -HUGE, HUGE, np.inf], 2.0**-1024),
    # from here on, the last scores that scaling keeps
    ([-1.0, 2 * TINY], 0.5),
    ([-1.0, NORMAL], 0.5),
    ([-1.0, 2 * np.nextafter(NORMAL, 1)], 0.5),
    ([-HUGE, np.nextafter(4.0, 5.0)], 2.0**-1024),
]
"""Float64 scores of both signs, and what brings them below one."""
OF_FLOAT32 = [
    ([-HUGE32, 1e-45, HUGE32, np.inf], 2.0**-128),
    ([-1e-45, 0.0, HUGE32], 2.0**-128),
    ([-np.inf, 1e-45], 1.0),
]
BY_PLACES = [
    [-1.0, TINY],
    [-1.0, 3 * TINY],
    [1.0, -TINY],
    [-1.0, np.nextafter(NORMAL, 1)],
    [-HUGE, np.nextafter(4.0, 0.0)],
    [-HUGE, TINY],
    [-np.inf, 1e300, 1e-300, -0.0, 0.0, np.inf],
]
"""Scores that scaling would change."""


@every(
    ("scores", "code"),
    *((np.array(scores, kind), BitCode) for scores in NON_NEGATIVE for kind in (np.float32, np.float64)),
    *((np.array(scores), ScaledCode(np.dtype(np.float64), scale)) for scores, scale in SCALED),
    *((np.array(scores, np.float32), ScaledCode(np.dtype(np.float32), scale)) for scores, scale in OF_FLOAT32),
    *((np.array(scores), LevelCode) for scores in BY_PLACES),
)
def test_scores_have_the_cheapest_code_that_keeps_them(scores, code):
    found = code_of(scores)
    if code is BitCode:
        assert found.key_dtype == {4: np.uint32, 8: np.uint64}[scores.itemsize]
    elif code is LevelCode:
        assert found.levels.tolist() == sorted(set(scores.tolist()))
    else:
        assert (found, found.key_dtype) == (code, np.int64)
    assert isinstance(found, code if isinstance(code, type) else ScaledCode)
    assert_code_is_faithful(found, scores)


@every(
    "code",
    BitCode(np.dtype(np.float32), np.dtype(np.float32), 0.5),
    BitCode(np.dtype(np.float64), np.dtype(np.float32), 0.5),
    BitCode(np.dtype(np.float64), np.dtype(np.float64), 0.5),
    ScaledCode(np.dtype(np.float64), 0.25),
    LevelCode(np.array([0.0, 0.5, 1.0])),
)
def test_keys_of_equal_scores_differ_in_the_label_only(code):
    scores = np.array([0.5, 0.5, -0.0, 0.0], code.unpack(np.zeros(1, code.key_dtype)).dtype)
    keys = packed(code, scores, np.array([False, True, False, True])).tolist()
    assert [b - a for a, b in itertools.pairwise(keys)][::2] == [1, 1]


def test_keys_stay_integers_where_subnormal_floats_are_taken_for_zero(monkeypatch):
    scores = 1 - np.arange(8) * 2.0**-53
    assert code_of(scores).sort_dtype == np.float64
    monkeypatch.setattr("evalcore.kernels.sorting._TINIEST", np.float64(0))
    assert code_of(scores).sort_dtype == np.uint64


@every("tiniest", [5e-324, 0.0])
def test_words_of_all_bits_are_sorted_as_whole_numbers_whatever_floats_do(monkeypatch, tiniest):
    monkeypatch.setattr("evalcore.kernels.sorting._TINIEST", np.float64(tiniest))
    levels, bits = np.array([2**58 - 1, 0, 2**58 - 1, 1, 2**52 - 1, 0]), 4
    words = sorted_words(levels.__getitem__, levels.size, bits)
    assert words.tolist() == sorted((level << bits) + row for row, level in enumerate(levels.tolist()))
    assert int(words[-1]).bit_length() == sorting.WORD
