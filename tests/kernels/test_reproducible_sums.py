"""Sums on fixed grids: the same in any parts and order, and as exact as float64 is."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.sums import FixedSum, add_fixed_sums, fixed_sums, grid_below

fractions = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), max_size=60)


def add_up(terms, bound):
    return FixedSum(*(part.item() for part in fixed_sums(terms, np.array([terms.size]), np.array([bound]))))


@given(fractions, st.integers(0, 99), st.integers(0, 40))
def test_parts_in_any_order_add_up_to_the_same_bits(pairs, seed, extra):
    terms = [gained * (gained / (gained + other)) for gained, other in pairs]
    bound = sum(gained for gained, _ in pairs) << extra
    whole = add_up(np.array(terms, np.float64), bound)
    random = np.random.default_rng(seed)
    mixed, cut = random.permutation(np.array(terms, np.float64)), random.integers(0, len(terms), endpoint=True)
    parts = [add_up(part, bound) for part in (mixed[cut:], mixed[:cut])]
    assert add_fixed_sums(parts) == whole
    assert add_fixed_sums([]) == FixedSum(0.0, 0.0)


@given(st.lists(fractions, max_size=5))
def test_runs_add_up_to_the_same_bits_as_each_alone(runs):
    terms = [np.array([gained * (gained / (gained + other)) for gained, other in run], np.float64) for run in runs]
    bounds = [sum(gained for gained, _ in run) for run in runs]
    found = fixed_sums(
        np.concatenate([[], *terms]), np.array([each.size for each in terms], np.int64), np.array(bounds)
    )
    assert found.value.tolist() == [add_up(each, own).value for own, each in zip(bounds, terms, strict=True)]


@given(fractions)
def test_the_sum_is_the_exact_one_rounded(pairs):
    terms = [gained * (gained / (gained + other)) for gained, other in pairs]
    bound = sum(gained for gained, _ in pairs)
    exact = sum(map(Fraction, terms))
    assert abs(Fraction(add_up(np.array(terms, np.float64), bound).value) - exact) <= exact / 2**52


def test_many_terms_are_within_the_last_bit():
    rng = np.random.default_rng(1)
    terms = rng.random(200_000)
    whole = add_up(terms, terms.size)
    shuffled = rng.permutation(terms)
    parts = add_fixed_sums([add_up(part, terms.size) for part in np.array_split(shuffled, 77)])
    assert parts == whole
    assert abs(Fraction(whole.value) - Fraction(math.fsum(terms))) <= Fraction(2) ** -36  # an ulp of 100,000


def test_sums_to_the_largest_counts_are_exact_to_float64():
    terms = np.full(65_536, 2.0**46 / 3)
    whole = add_up(terms, 2**62)
    assert abs(whole.value / (2.0**62 / 3) - 1) < 2**-44
    assert add_fixed_sums([add_up(part, 2**62) for part in np.array_split(terms, 10)]) == whole


@given(st.integers(1, 2**62), st.lists(st.floats(0, 1), min_size=1, max_size=50))
@example(151_861_904_037, [1e-9])
def test_terms_near_the_bound_add_up_exactly(bound, fractions):
    terms = np.array(fractions) / len(fractions) * bound
    assert add_fixed_sums([add_up(terms[:1], bound), add_up(terms[1:], bound)]) == add_up(terms, bound)
    exact = sum(map(Fraction, terms.tolist()))
    half_a_step = Fraction(grid_below(bound)[2] / 1.5) / 2**53
    assert abs(Fraction(add_up(terms, bound).value) - exact) <= exact / 2**51 + terms.size * half_a_step


def test_small_sums_keep_their_digits():
    terms = np.full(100_000, 1e-9) * np.random.default_rng(2).random(100_000)
    exact = Fraction(math.fsum(terms))
    assert abs(Fraction(add_up(terms, 2**30).value) / exact - 1) < 1e-12
