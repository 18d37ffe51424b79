"""Label rankings and calibration, beside twins that look at one case at a time."""

import itertools
import math
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels import label_ranks
from evalcore.kernels.label_ranks import by_case, count_labels, label_ranks_of, rank_of_label, ranks_with_later_first
from evalcore.kernels.tables import Bins, binned, equal_masses, quantiles, sum_over_cases
from evalcore.measures import losses, ranks
from tests.reference import label_rankings as slow
from tests.strategies import BLOCKS, block_size, close_to, columns_of

METHODS = {"compared": 40, "sorted": 0}
"""How many labels are compared at most."""
SCORES = [-1.5, -0.0, 0.0, 0.25, 3.0]
PROBABILITIES = [0.0, 0.1, 0.5, 0.5000001, 0.75, 1.0]


@st.composite
def ranked(draw):
    """Draw scores, relevance and gains of as many cases and labels, as (n, k) arrays."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    return tuple(np.reshape(draw(columns_of(values, math.prod(shape))), shape) for values in (SCORES, [False, True]))


@contextmanager
def compared(most):
    """Let at most so many labels be compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_ranks, "_FEW_LABELS", most)
        yield


@given(ranked())
def test_places_count_labels_above_and_through(case):
    scores, counted = case
    for mask, most in itertools.product((None, counted), METHODS.values()):
        with compared(most):
            above, through = label_ranks_of(scores.T, None if mask is None else mask.T)
        for n, row in enumerate(scores.tolist()):
            own = None if mask is None else mask[n].tolist()
            assert above[:, n].tolist() == [slow.above(row, label, own) for label in range(len(row))]
            assert through[:, n].tolist() == [slow.through(row, label, own) for label in range(len(row))]


@given(ranked(), BLOCKS)
def test_measures_of_labels_are_what_their_definitions_say(case, block):
    scores, relevant = case
    for name, most in itertools.product(("label_average_precision", "ranking_loss", "coverage"), METHODS.values()):
        with block_size(block), compared(most):
            found = by_case(getattr(ranks, name), scores, relevant)
        rows = zip(scores.tolist(), relevant.tolist(), strict=True)
        assert found.tolist() == close_to([getattr(slow, name)(*row) for row in rows])


@given(ranked(), st.none() | st.integers(1, 6))
def test_discounted_gains_are_what_their_definitions_say(case, depth):
    scores, gains = case
    weights = ranks.discounts(scores.shape[1], depth)
    rows = list(zip(gains.tolist(), scores.tolist(), strict=True))
    for name, most in itertools.product(("discounted_gain", "discounted_gain_without_ties"), METHODS.values()):
        with compared(most):
            found = getattr(ranks, name)(gains.T, scores.T, weights)
        assert found.tolist() == close_to([getattr(slow, name)(*row, depth) for row in rows], abs=1e-14)
    best = ranks.largest_discounted_gain(gains.T, weights)
    assert best.tolist() == close_to([slow.largest_discounted_gain(row, depth) for row, _ in rows])


@given(ranked(), st.data())
def test_ranks_put_the_later_label_first(case, data):
    scores, mask = case
    codes = np.array(data.draw(columns_of(range(scores.shape[1]), len(scores))))
    expected = [slow.rank_of_label(row, code) for row, code in zip(scores.tolist(), codes.tolist(), strict=True)]
    assert rank_of_label(scores.T, codes).tolist() == expected
    assert ranks_with_later_first(scores.T)[codes, np.arange(codes.size)].tolist() == expected
    assert count_labels(np.ascontiguousarray(mask.T)).tolist() == mask.sum(axis=1).tolist()


def test_more_labels_than_a_byte_counts():
    scores, relevant = np.arange(300.0)[:, np.newaxis], np.ones((300, 1), np.bool_)
    assert count_labels(relevant).tolist() == [300]
    assert label_ranks_of(scores).through[0].tolist() == [300]
    assert ranks.coverage(scores, relevant).tolist() == [300]
    assert rank_of_label(scores, np.array([0])).tolist() == [299]


@given(columns_of(PROBABILITIES, 1, 12), st.integers(1, 12))
def test_edges_of_equal_mass_are_what_their_definition_says(probabilities, bins):
    values = np.array(probabilities)
    expected = slow.equal_masses(probabilities, bins)
    assert equal_masses(values, None, bins).tolist() == expected
    assert equal_masses(values, np.full(values.size, 3.0), bins).tolist() == expected


@given(
    st.lists(st.sampled_from(PROBABILITIES) | st.floats(0, 1, width=32), min_size=1, max_size=12),
    st.integers(1, 12),
    st.sampled_from([np.float32, np.float64]),
)
@example([0.03, 0.86], 2, np.float64)  # halfway, where the two formulas round differently
def test_quantiles_are_those_of_numpy(probabilities, bins, dtype):
    values = np.array(probabilities, dtype)
    expected = np.percentile(values, np.linspace(0, 1, bins + 1) * 100)[1:-1]
    assert quantiles(values, bins).tolist() == expected.tolist()


@given(
    columns_of(list(itertools.product(PROBABILITIES, [False, True], [1, 2, 3])), 1, 12),
    columns_of(PROBABILITIES, 0, 4),
    st.sampled_from([0, 96]),
    BLOCKS,
)
def test_bins_hold_what_is_up_to_their_edges(cases, edges, compared, block):
    probabilities, positive, weights = (np.array(column) for column in zip(*cases, strict=True))
    edges = sorted(edges)
    with block_size(block), pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalcore.kernels.tables._MOST_COMPARED", compared)
        bins = binned(probabilities, positive, np.array(edges), weights.astype(np.float64))
    inside = [[case for case in cases if slow.bin_of(case[0], edges) == code] for code in range(len(edges) + 1)]
    assert bins.weights.tolist() == [sum(case[2] for case in each) for each in inside]
    assert bins.positives.tolist() == [sum(case[2] for case in each if case[1]) for each in inside]
    assert bins.probabilities.tolist() == close_to([sum(case[0] * case[2] for case in each) for each in inside])


def test_bins_without_cases_have_no_rate_and_no_gap():
    empty, filled = Bins(*np.zeros((3, 2))), Bins(np.array([0.0, 2]), np.array([0.0, 1]), np.array([0.0, 0.5]))
    gaps = (losses.mean_gap, losses.root_mean_square_gap, losses.largest_gap)
    assert all(np.isnan(gap(empty)) for gap in gaps)
    assert [gap(filled) for gap in gaps] == [0.25, 0.25, 0.25]
    assert np.isnan(losses.observed_rates(filled)).tolist() == [True, False]
    assert np.isnan(losses.mean_probabilities(filled)).tolist() == [True, False]


def test_losses_of_each_case():
    assert losses.log_loss(np.array([1, 0.5], np.float32)).tolist() == close_to([0, np.log(2)])
    assert losses.log_loss(np.array([1.0])).dtype == np.float64
    errors = losses.squared_errors(np.array([[0.5, 0.5]]), np.array([[True, False]]))
    assert errors.tolist() == [0.5]
    assert losses.squared_errors(np.array([[0.5, 0.5], [0, 1]]), np.array([0, 0])).tolist() == [0.5, 2.0]


@given(columns_of(list(itertools.product(SCORES, range(4))), 0, 12), BLOCKS)
def test_totals_are_sums(cases, block):
    terms, weights = (np.array([case[part] for case in cases], np.float64) for part in (0, 1))
    with block_size(block):
        assert sum_over_cases(lambda part: terms[part], terms.size) == close_to(sum(terms), abs=1e-12)
        weighted = sum_over_cases(lambda part: terms[part], terms.size, weights)
        assert weighted == close_to(sum(terms * weights), abs=1e-12)
