"""Quotients, sums on fixed grids, and sums of weights that are never further off than the roundings that they name."""

import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import sums
from evalcore.kernels.weights import in_whole_units, points_of_weights, sort_weights
from tests.differences import every


@every(
    ("numerator", "denominator", "quotient"),
    [(1, 4, 0.25), (0, 3, 0.0), (0, 0, math.nan), (2, 0, math.inf), (-2, 0, -math.inf), (math.nan, 1, math.nan)],
)
def test_ratio_divides_silently_numbers_and_arrays_alike(numerator, denominator, quotient):
    columns = np.full(3, numerator), np.full(3, denominator)
    with np.errstate(all="raise"):  # as a caller may ask
        assert sums.ratio(numerator, denominator) == pytest.approx(quotient, nan_ok=True)
        assert sums.ratio(*columns).tolist() == pytest.approx([quotient] * 3, nan_ok=True)
    assert sums.ratio(*columns).dtype == np.float64


@every("dtype", [np.int64, np.uint64])
def test_whole_numbers_add_up_beyond_their_type(dtype):
    values = [np.iinfo(dtype).max] * 3 + [5, 2**33 - 1]
    assert sums.exact_sum(np.array(values, dtype)) == sum(values)
    assert sums.exact_sum(np.array([], dtype)) == 0


def test_numbers_that_are_whole_but_for_rounding_are_whole():
    assert sums.whole_counts(np.array([0.1 * 30, (1 - 0.95) * 20, 2.5, 1.5e-9])).tolist() == [3.0, 1.0, 2.5, 1.5e-9]
    without_unit = [2.0, 3.0], [1e-300, 1e300], [0.1, 0.1 * math.pi], [0.5] * 1000 + [math.pi]
    assert [in_whole_units(np.array(weights))[1] for weights in without_unit] == [1.0] * 4


fractions = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), max_size=60)


def add_up(terms, bound):
    return sums.FixedSum(*(part.item() for part in sums.fixed_sums(terms, np.array([terms.size]), np.array([bound]))))


@given(fractions, st.integers(0, 99), st.just(0) | st.integers(0, 40))
def test_parts_in_any_order_add_up_to_the_same_bits(pairs, seed, extra):
    terms = [gained * (gained / (gained + other)) for gained, other in pairs]
    bound = sum(gained for gained, _ in pairs) << extra
    whole = add_up(np.array(terms, np.float64), bound)
    random = np.random.default_rng(seed)
    mixed, cut = random.permutation(np.array(terms, np.float64)), random.integers(0, len(terms), endpoint=True)
    parts = [add_up(part, bound) for part in (mixed[cut:], mixed[:cut])]
    assert sums.add_fixed_sums(parts) == whole
    assert sums.add_fixed_sums([]) == sums.FixedSum(0.0, 0.0)
    exact = sum(map(Fraction, terms))
    assert extra or abs(Fraction(whole.value) - exact) <= exact / 2**52


@given(st.lists(fractions, max_size=5))
def test_runs_add_up_to_the_same_bits_as_each_alone(runs):
    terms = [np.array([gained * (gained / (gained + other)) for gained, other in run], np.float64) for run in runs]
    bounds = [sum(gained for gained, _ in run) for run in runs]
    sizes = np.array([each.size for each in terms], np.int64)
    found = sums.fixed_sums(np.concatenate([[], *terms]), sizes, np.array(bounds))
    assert found.value.tolist() == [add_up(each, own).value for own, each in zip(bounds, terms, strict=True)]


def test_many_terms_are_within_the_last_bit():
    rng = np.random.default_rng(1)
    terms = rng.random(200_000)
    whole = add_up(terms, terms.size)
    shuffled = rng.permutation(terms)
    parts = sums.add_fixed_sums([add_up(part, terms.size) for part in np.array_split(shuffled, 77)])
    assert parts == whole
    assert abs(Fraction(whole.value) - Fraction(math.fsum(terms))) <= Fraction(2) ** -36  # an ulp of 100,000


def test_sums_to_the_largest_counts_and_small_ones_keep_their_digits():
    terms = np.full(65_536, 2.0**46 / 3)
    whole = add_up(terms, 2**62)
    assert abs(whole.value / (2.0**62 / 3) - 1) < 2**-44
    assert sums.add_fixed_sums([add_up(part, 2**62) for part in np.array_split(terms, 10)]) == whole
    terms = np.full(100_000, 1e-9) * np.random.default_rng(2).random(100_000)
    exact = Fraction(math.fsum(terms))
    assert abs(Fraction(add_up(terms, 2**30).value) / exact - 1) < 1e-12


@given(st.integers(1, 2**62), st.lists(st.floats(0, 1), min_size=1, max_size=50))
@example(151_861_904_037, [1e-9])
def test_terms_near_the_bound_add_up_exactly(bound, fractions):
    terms = np.array(fractions) / len(fractions) * bound
    assert sums.add_fixed_sums([add_up(terms[:1], bound), add_up(terms[1:], bound)]) == add_up(terms, bound)
    exact = sum(map(Fraction, terms.tolist()))
    half_a_step = Fraction(sums.grid_below(bound)[2] / 1.5) / 2**53
    assert abs(Fraction(add_up(terms, bound).value) - exact) <= exact / 2**51 + terms.size * half_a_step


WEIGHTS = st.sampled_from([1e-300, 0.1, 1 / 3, 1.0, 7.0, 1e16, 1e300])
WHOLE = st.sampled_from([1, 2, 3, 2**52, 2**55])
SIGNED = st.one_of(
    *(st.lists(st.tuples(kind, st.sampled_from([-1, 1])), min_size=1, max_size=40) for kind in (WEIGHTS, WHOLE))
)


@pytest.fixture(autouse=True)
def short_runs():
    """Cut runs into short ones early."""
    with mock.patch.object(sums, "_PIECE", 3), mock.patch.object(sums, "_LONG", 5):
        yield


def starts_of(data, size):
    return np.array(sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=6)) | {0}))


def check(found, exact, roundings):
    factor = (1 + Fraction(1, 2**53)) ** roundings
    for one, other in zip(found.tolist(), exact, strict=True):
        assert Fraction(other) / factor <= Fraction(one) <= Fraction(other) * factor


@given(SIGNED, st.data())
def test_sums_of_runs_and_classes_are_what_their_definition_says(rows, data):
    signed = np.array([weight * sign for weight, sign in rows])
    starts = starts_of(data, signed.size)
    runs = [list(map(Fraction, run.tolist())) for run in np.split(signed, starts[1:])]
    totals, roundings = sums.sums_of_runs(np.abs(signed), starts)
    check(totals, [sum(map(abs, run)) for run in runs], roundings)
    positives, negatives, of_classes = sums.sums_of_classes(signed, starts)
    check(positives, [sum(w for w in run if w > 0) for run in runs], of_classes)
    check(negatives, [-sum(w for w in run if w < 0) for run in runs], of_classes)
    assert positives.dtype == negatives.dtype == signed.dtype
    if signed.dtype.kind == "i":
        assert (roundings, of_classes) == (0, 0)
    else:
        assert max(roundings, of_classes) <= sums.most_roundings(signed.size) + 1


@given(SIGNED, st.data())
def test_sums_at_indices_are_what_their_definition_says(rows, data):
    weights = np.array([weight for weight, _ in rows])
    indices = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    longest = int(np.bincount(indices).max())
    totals, roundings = sums.sums_at(weights, indices, 5, longest)
    terms = [[Fraction(w) for w, i in zip(weights.tolist(), indices, strict=True) if i == index] for index in range(5)]
    check(totals, list(map(sum, terms)), roundings)
    assert totals.dtype == weights.dtype
    assert roundings == 0 if weights.dtype.kind == "i" else roundings <= longest


@given(st.lists(WEIGHTS, max_size=40))
def test_running_sums_are_what_their_definition_says(weights):
    exact = [sum(map(Fraction, weights[: k + 1])) for k in range(len(weights))]
    check(sums.running_sums(np.array(weights)), exact, sums.most_roundings(len(weights)))


def test_long_sums_of_equal_weights_keep_their_digits():
    size, scores = 200_000, np.arange(200_000.0)
    weights, ones = np.full(size, 0.1), np.ones(size, np.bool_)
    for found in (sums.running_sums(weights), *points_of_weights(sort_weights(scores, ones, weights), scores)[:1]):
        assert abs(Fraction(found[-1].item()) - size * Fraction(0.1)) < Fraction(1, 10**9)  # in turn 1e-8
