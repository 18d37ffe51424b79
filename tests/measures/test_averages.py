"""Means of categories, of groups and of values in turn, and agreement beyond chance, beside slow twins."""

import math
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.measures import agreement
from tests.differences import every
from tests.reference import rankings as slow
from tests.reference.exact import binary
from tests.strategies import TABLES, WIDTHS, close_to

POOLS = [0.1, -0.25, 3.0, math.nan], [-math.inf, 0.5, math.nan], [math.inf, 0.0, math.nan]
BOTH_SIGNS = [math.inf, -math.inf]


@st.composite
def columns_of_values(draw):
    """Draw values by category and case, (k, n), with NaN where a case lacks the category; and references."""
    pool = st.sampled_from(draw(st.sampled_from(POOLS)))
    categories, cases = draw(st.integers(1, 3)), draw(st.integers(0, 20))
    values = draw(st.lists(pool, min_size=categories * cases, max_size=categories * cases))
    reference = draw(st.lists(st.integers(0, categories - 1), min_size=cases, max_size=cases))
    dtype = WIDTHS[draw(st.sampled_from(sorted(WIDTHS)))]
    return np.array(values, dtype).reshape(categories, cases), np.array(reference, np.uint8)


@given(columns_of_values())
@example((np.zeros((1, 0)), np.zeros(0, np.uint8)))
@example((np.zeros((2, 0), np.float32), np.zeros(0, np.uint8)))
@example((np.array([[math.nan]]), np.array([0], np.uint8)))
def test_the_mean_is_over_chosen_rows_that_have_a_value_or_divides_by_all_cases(drawn):
    columns, reference = drawn
    for values in columns:
        for code in range(len(columns)):
            chosen = [value for value, row in zip(values.tolist(), reference.tolist(), strict=True) if row == code]
            mean = agreement.mean_where(values, reference == code)
            assert type(mean) is float
            assert mean == close_to(slow.average(chosen), abs=1e-15)
    own = [columns[code, case].item() for case, code in enumerate(reference.tolist())]
    mean = agreement.mean_of_all(columns[reference, np.arange(reference.size)])  # absent ones count too
    assert type(mean) is float
    assert mean == close_to(slow.average_reference(own), abs=1e-15)


@given(columns_of_values())
@example((np.zeros((1, 0)), np.zeros(0, np.uint8)))
@example((np.random.default_rng(1).random((3, 20_000)), np.zeros(20_000, np.uint8)))
@example((np.where(np.arange(3000) % 7 > 1, np.random.default_rng(2).random((3, 3000)), np.nan), np.zeros(3000, int)))
def test_means_of_rows_are_those_of_each_alone_weighted_too(drawn):
    columns, reference = drawn
    for code in range(len(columns)):
        rows = reference == code
        alone = [agreement.mean_where(values, rows) for values in columns]
        assert repr(agreement.means_of_rows(columns[:, rows]).tolist()) == repr(alone)
    columns, weights = np.where(np.isinf(columns), 0, columns).astype(np.float64), reference.astype(np.int64)
    alone = [agreement.weighted_mean_of_defined(values, weights) for values in columns]
    assert repr(agreement.weighted_means_of_rows(columns, weights).tolist()) == repr(alone)


def test_float32_values_are_added_up_as_float64():
    values = np.full(1 << 20, 0.1, np.float32)
    exact = float(np.float32(0.1))
    assert agreement.mean_where(values, np.ones(values.size, np.bool_)) == close_to(exact)
    assert agreement.mean_of_all(values) == close_to(exact)


@every("dtype", WIDTHS.values())
def test_the_mean_of_infinities_of_both_signs_is_nan_and_silent(dtype):
    values = np.array(BOTH_SIGNS, dtype)
    assert math.isnan(agreement.mean_where(values, np.ones(2, np.bool_)))
    assert math.isnan(agreement.mean_of_all(values))


@given(st.lists(st.tuples(st.sampled_from([0.25, 1.0, 0.0, math.nan]), st.integers(0, 3)), max_size=8))
def test_the_mean_of_what_is_defined_is_over_repetitions_or_plain_without_weight(pairs):
    values, weights = np.array(pairs, np.float64).reshape(-1, 2).T
    repeated = [value for value, weight in pairs for _ in range(weight) if not math.isnan(value)]
    plain = [value for value, _ in pairs if not math.isnan(value)]
    assert agreement.mean_of_defined(values) == close_to(slow.average(plain), abs=1e-15)
    assert agreement.mean_of_defined(values, weights) == close_to(slow.average(repeated or plain), abs=1e-15)


@given(st.permutations([0.1, 0.7, 1 / 3, 0.2, 0.9, math.nan, 2 / 3]), st.booleans())
def test_no_digit_of_the_mean_of_what_is_defined_depends_on_the_order(values, weighted):
    given_values = np.array(values)
    exactly = [Fraction(value) for value in values if not math.isnan(value)]
    weights = given_values if weighted else None
    products = [Fraction(float(value) * float(value)) for value in exactly] if weighted else exactly
    total = sum(exactly) if weighted else len(exactly)
    assert agreement.mean_of_defined(given_values, weights) == float(sum(products)) / float(total)


@every("weights", [[1e16, 1.0, -1e16], [1e16, 1.0, -1e16, -1.0]])
def test_weights_of_both_signs_are_added_up_before_they_are_found_to_be_zero(weights):
    values = np.array([0.0, 0.5, 0.0, 0.5])[: len(weights)]
    assert agreement.mean_of_defined(values, np.array(weights)) == (0.5 if sum(map(Fraction, weights)) else 0.25)


def test_sums_may_overflow_be_many_or_add_up_as_a_loop_does():
    assert agreement.mean_of_defined(np.array([1e308, 1e308])) == math.inf
    assert agreement.mean_of_defined(np.full(70_000, 0.1)) == close_to(0.1)
    values = [0.1] * 10
    assert agreement.mean_in_turn(np.array(values)) == reduce(add, values) / 10 != 0.1
    assert math.isnan(agreement.mean_in_turn(np.empty(0)))


def test_geometric_means_may_have_weights_and_values_without_weight_have_no_mean():
    assert agreement.geometric_mean(np.array([1e-4, 1.0])) == close_to(0.01)
    assert agreement.geometric_mean(np.array([16.0, 1.0]), np.array([1, 3])) == close_to(2.0)
    assert math.isnan(agreement.geometric_mean(np.empty(0)))
    assert math.isnan(agreement.geometric_mean(np.array([2.0]), np.array([0])))
    of_defined, values = agreement.weighted_mean_of_defined, np.array([1.0, math.nan])
    assert math.isnan(of_defined(values, np.array([0, 2])))
    assert of_defined(values, np.array([2, 0])) == of_defined(values) == 1.0


def margins(table):
    """Write down the references and the responses of both classes."""
    tp, fn, fp, tn = table
    return [tp + fn, fp + tn], [tp + fp, fn + tn]


@pytest.mark.parametrize(
    ("chance", "beyond", "kind"),
    [(agreement.chance_accuracy, agreement.kappa, ""),
     (agreement.pooled_chance_accuracy, agreement.pooled_kappa, "Unbiased")],
)  # fmt: skip
@given(TABLES)
def test_agreement_of_all_pairs_of_answers_and_beyond_it(chance, beyond, kind, table):
    expected = binary(*table)
    assert chance(*margins(table)) == close_to(expected[f"randomAccuracy{kind}"], rel=1e-15)
    assert beyond(table.tp + table.tn, *margins(table)) == close_to(expected[f"kappa{kind}"], rel=1e-15)


@every("power", [0, 1, 2])
def test_disagreement_grows_with_the_distance(power):
    expected = [[abs(i - j) ** power if i != j else 0 for j in range(4)] for i in range(4)]
    found = agreement.disagreement(4, power)
    assert found.dtype == np.int64
    assert found.tolist() == expected
