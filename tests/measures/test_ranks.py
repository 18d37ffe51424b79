"""Measures of rankings and of ranked labels, means of values, groups and categories, beside slow twins."""

import math
from fractions import Fraction
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.bins import runs_of_scores
from evalcore.measures import agreement, ranks, retrieval
from evalcore.measures.ranks import label_roc_auc
from evalcore.measures.retrieval import GroupedRankings
from tests.differences import every
from tests.reference import rankings as categories
from tests.reference import scored_cases as slow
from tests.strategies import WIDTHS, close_to


class TieGroup(NamedTuple):
    """Cases of one score, and what stands above them."""

    before: int
    tp_before: int
    size: int
    correct: int

    @property
    def runs(self):
        """The group and what is above it as runs: one of each."""
        positives = np.array([self.tp_before, self.correct])
        return runs_of_scores(positives, np.array([self.before, self.size]) - positives)


@st.composite
def groups(draw, largest=60, with_correct=False):
    """Draw a tie group and what stands above it."""
    before = draw(st.integers(0, largest))
    size = draw(st.integers(1, largest))
    return TieGroup(before, draw(st.integers(0, before)), size, draw(st.integers(int(with_correct), size)))


def first_reciprocal(group):
    return ranks.first_reciprocals(*np.array([[group.before], [group.size], [group.correct]], np.float64), None)[0]


@given(groups(), st.integers(1, 100))
def test_precision_at_is_its_formula(group, past):
    depth = group.before + past  # beyond the cases above, whose order does not matter
    assert ranks.precisions_at(group.runs, np.array([depth]))[0] == close_to(slow.precision_at_of_group(*group, depth))


@given(groups(largest=60, with_correct=True))
@example(TieGroup(0, 0, 1, 1))
@example(TieGroup(0, 0, 300, 1))
@example(TieGroup(7, 0, 300, 299))
@example(TieGroup(0, 0, 700, 245))
@example(TieGroup(10, 0, 700, 60))
def test_reciprocal_rank_is_its_formula(group):
    exact = slow.reciprocal_rank_of_group(group.before, group.size, group.correct)
    assert first_reciprocal(group) == close_to(exact)


@every("before", [0, 3])
def test_reciprocal_rank_of_one_correct_among_very_many_is_the_mean_of_all_reciprocals(before):
    size = 100_000
    exact = math.fsum(1 / np.arange(before + 1.0, before + size + 1)) / size
    assert first_reciprocal(TieGroup(before, 0, size, 1)) == close_to(exact)


def test_reciprocal_rank_of_half_a_billion_correct_in_a_billion_is_a_logarithm():
    # the first correct case comes j-th with chance 2**-j, and the sum of 2**-j / j is ln 2
    group = TieGroup(0, 0, 10**9, 5 * 10**8)
    assert first_reciprocal(group) == close_to(math.log(2), rel=1e-8)


@every(
    ("positives", "negatives", "misses", "depth", "expected"),
    [(3, 1, (2**62, 2**62), 2**62 + 3, 3 / (2**62 + 3)), (50_000, 50_000, (0, 0), 10**14, 5e-10)],
)
def test_neither_misses_nor_depths_leave_int64(positives, negatives, misses, depth, expected):
    runs = runs_of_scores(np.array([positives]), np.array([negatives]))
    runs = runs._replace(totals=runs.totals + np.array(misses)[:, np.newaxis])
    assert ranks.precisions_at(runs, np.array([depth])).tolist() == [expected]


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=1, max_size=50))
def test_area_of_the_labels_of_a_case_is_that_of_as_many_cases(labels):
    scores, relevant = (np.array(column) for column in zip(*labels, strict=True))
    found = label_roc_auc(scores[:, np.newaxis], relevant[:, np.newaxis])
    assert found.tolist() == close_to([float(slow.roc_auc(labels))])


def test_areas_near_0_are_rounded_once():
    scores = np.arange(101.0)
    relevant = scores == 1
    assert label_roc_auc(scores[:, np.newaxis], relevant[:, np.newaxis]).tolist() == [0.01]
    ranked = GroupedRankings(np.zeros(101, np.int64), scores, relevant, 1)
    assert retrieval.roc_auc(ranked).tolist() == [0.01]


POOLS = [0.1, -0.25, 3.0, math.nan], [-math.inf, 0.5, math.nan], [math.inf, 0.0, math.nan]


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
@example((np.random.default_rng(1).random((3, 20_000)), np.zeros(20_000, np.uint8)))
@example((np.where(np.arange(3000) % 7 > 1, np.random.default_rng(2).random((3, 3000)), np.nan), np.zeros(3000, int)))
def test_means_of_rows_are_those_of_each_alone_weighted_too(drawn):
    columns, reference = drawn
    for code in range(len(columns)):
        rows = reference == code
        alone = [agreement.means_of_rows(values[np.newaxis, rows]).item() for values in columns]
        assert repr(agreement.means_of_rows(columns[:, rows]).tolist()) == repr(alone)
    columns, weights = np.where(np.isinf(columns), 0, columns).astype(np.float64), reference.astype(np.int64)
    alone = [agreement.weighted_mean_of_defined(values, weights) for values in columns]
    assert repr(agreement.weighted_means_of_rows(columns, weights).tolist()) == repr(alone)


def test_float32_values_are_added_up_as_float64():
    values = np.full(1 << 20, 0.1, np.float32)
    exact = float(np.float32(0.1))
    assert agreement.means_of_rows(values[np.newaxis]).item() == close_to(exact)
    assert agreement.mean_of_all(values) == close_to(exact)


@given(st.lists(st.tuples(st.sampled_from([0.25, 1.0, 0.0, math.nan]), st.integers(0, 3)), max_size=8))
def test_the_mean_of_what_is_defined_is_over_repetitions_or_plain_without_weight(pairs):
    values, weights = np.array(pairs, np.float64).reshape(-1, 2).T
    repeated = [value for value, weight in pairs for _ in range(weight) if not math.isnan(value)]
    plain = [value for value, _ in pairs if not math.isnan(value)]
    assert agreement.mean_of_defined(values) == close_to(categories.average(plain), abs=1e-15)
    assert agreement.mean_of_defined(values, weights) == close_to(categories.average(repeated or plain), abs=1e-15)


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


@every("power", [0, 1, 2])
def test_disagreement_grows_with_the_distance(power):
    expected = [[abs(i - j) ** power if i != j else 0 for j in range(4)] for i in range(4)]
    found = agreement.disagreement(4, power)
    assert found.dtype == np.int64
    assert found.tolist() == expected
