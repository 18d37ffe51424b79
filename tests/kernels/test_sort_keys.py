import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.sort_keys import BitCode, LevelCode, ScaledCode, code_of
from tests.differences import every
from tests.strategies import MIXED_POOLS, NON_NEGATIVE_POOLS, score_arrays

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


@every("dtype", [np.float32, np.float64])
@every("scores", [[], [0.0], [-0.0], [-0.0, 1e-45], [0.5, 1.0], [3e38, np.inf], [np.inf]])
def test_non_negative_scores_keep_their_bits(scores, dtype):
    scores = np.array(scores, dtype)
    code = code_of(scores)
    assert isinstance(code, BitCode)
    assert code.key_dtype == {np.float32: np.uint32, np.float64: np.uint64}[dtype]
    assert_code_is_faithful(code, scores)


@every(
    ("scores", "scale"),
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
)
def test_scores_of_both_signs_are_scaled_below_one(scores, scale):
    scores = np.array(scores)
    code = code_of(scores)
    assert code == ScaledCode(scores.dtype, scale)
    assert code.key_dtype == np.int64
    assert_code_is_faithful(code, scores)


@every(
    "scores",
    [-1.0, TINY],
    [-1.0, 3 * TINY],
    [1.0, -TINY],
    [-1.0, np.nextafter(NORMAL, 1)],
    [-HUGE, np.nextafter(4.0, 0.0)],
    [-HUGE, TINY],
    [-np.inf, 1e300, 1e-300, -0.0, 0.0, np.inf],
)
def test_scores_that_scaling_would_change_are_coded_by_their_places(scores):
    scores = np.array(scores)
    code = code_of(scores)
    assert isinstance(code, LevelCode)
    assert code.levels.tolist() == sorted(set(scores.tolist()))
    assert_code_is_faithful(code, scores)


@every(
    ("scores", "scale"),
    ([-HUGE32, 1e-45, HUGE32, np.inf], 2.0**-128),
    ([-1e-45, 0.0, HUGE32], 2.0**-128),
    ([-np.inf, 1e-45], 1.0),
)
def test_float32_of_both_signs_is_scaled_in_float64(scores, scale):
    scores = np.array(scores, np.float32)
    assert code_of(scores) == ScaledCode(scores.dtype, scale)
    assert_code_is_faithful(code_of(scores), scores)


@every("dtype", [np.float32, np.float64])
def test_one_negative_score_changes_the_code_but_not_the_order(dtype):
    scores = np.array([0.5, 0.25, 0.0], dtype)
    with_negative = np.append(scores, dtype(-0.25))
    assert isinstance(code_of(scores), BitCode)
    assert isinstance(code_of(with_negative), ScaledCode)


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
    monkeypatch.setattr("evalcore.kernels.sort_keys._TINIEST", np.float64(0))
    assert code_of(scores).sort_dtype == np.uint64
