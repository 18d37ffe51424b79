"""Measures of probabilities, of label rankings and calibration, beside their definitions and evalcore.metrics."""

import itertools
import math
from contextlib import contextmanager

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.kernels import label_ranks
from evalcore.kernels.label_ranks import count_labels, label_ranks_of, rank_of_label
from evalcore.kernels.tables import Bins, bin_codes, binned, equal_masses, equal_widths, quantiles, sum_over_cases
from evalcore.measures import losses, ranks
from evalcore.measures.losses import NO_LOSSES, log2_parts, losses_of_groups, normalised, probability_losses
from tests.differences import every
from tests.reference import rankings as slow
from tests.strategies import BLOCKS, WIDTHS, block_size, close_to, columns_of

POOLS = (
    [-3.0, -2.0, -1.0, 0.0, -math.inf, math.nan],
    [-0.1, -0.7, -12.5, -60.0, math.nan],
    [-1000.0, -1001.0, -2000.0, -math.inf, math.nan],
    [-1e-300, -5e-324, -0.0, 0.0, -1e30],
)


@st.composite
def log_columns(draw):
    """Draw logarithms by category and case, (r, n), with something finite in each case."""
    pool, rows = draw(st.sampled_from(POOLS)), draw(st.integers(1, 5))
    column = st.lists(st.sampled_from(pool), min_size=rows, max_size=rows).filter(
        lambda logs: any(map(math.isfinite, logs))
    )
    dtype = WIDTHS[draw(st.sampled_from(sorted(WIDTHS)))]
    return np.array(draw(st.lists(column, max_size=12)), dtype).reshape(-1, rows).T


@given(log_columns(), st.integers(0, 99))
@example(np.zeros((3, 0)), 0)
def test_totals_and_conditional_probabilities_are_those_of_the_definition(logs, seed):
    totals = log2_parts(logs).sum(axis=0)
    assert totals.dtype == np.float64
    assert totals.tolist() == close_to([slow.log2_total(column) for column in logs.T.tolist()], abs=1e-15)
    order = np.random.default_rng(seed).permutation(len(logs))  # nor do they depend on it, or on the columns beside
    assert log2_parts(logs[order]).sum(axis=0).tolist() == totals.tolist()
    assert [log2_parts(logs[:, [case]]).sum(axis=0).item() for case in range(logs.shape[1])] == totals.tolist()
    probabilities = normalised(logs, log2_parts(logs))
    assert probabilities.dtype == np.float64
    for column, row in zip(logs.T.tolist(), probabilities.T.tolist(), strict=True):
        # an error of one unit in the last place of an exponent x changes 2^x by x units
        assert row == close_to(slow.conditional(column), rel=1e-12, abs=1e-300)
        assert math.fsum(fraction for fraction in row if not math.isnan(fraction)) == close_to(1.0)


EDGES = [0.1, 0.3, 0.30000000000000004, 0.7, 0.7000000000000001, np.float32(0.1), np.float32(0.7)]
SCORES = st.sampled_from([0.0, 1.0, 0.5, 1e-20, 1e-9, 1 - 1e-9, *map(float, EDGES)]) | st.floats(0, 1)
CASES = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=60)


def expected(scores, positive, weights):
    error = metrics.expected_calibration_error(positive, scores, pos_label=True, sample_weight=weights)
    return {
        "log_loss": metrics.log_loss(positive, scores, labels=[False, True], sample_weight=weights),
        "brier_score": np.average((scores.astype(np.float64) - positive) ** 2, weights=weights),
        "calibration_error": error,
    }


@given(CASES, st.sampled_from([np.float32, np.float64]), st.sampled_from([1, 4, 1 << 16]), st.booleans())
@example([(1.0, False), (0.0, True)], np.float32, 4, False)
@example([(0.75, False), (0.5, True)], np.float64, 4, True)
def test_losses_are_those_of_the_functions_for_people(cases, dtype, block, weighted):
    scores, positive = np.array([p for p, _ in cases], dtype), np.array([label for _, label in cases])
    weights = 0.5 + np.arange(scores.size) % 3 if weighted else None
    with block_size(block):
        found = probability_losses(scores, positive, weights)
        found = found.statistics(scores.size if weights is None else weights.sum())
    assert found == pytest.approx(expected(scores, positive, weights), rel=1e-12, abs=1e-15)
    if dtype == np.float64:  # of float32 scikit-learn takes short logarithms
        theirs = sklearn.metrics.log_loss(positive, scores, labels=[False, True], sample_weight=weights)
        assert found["log_loss"] == pytest.approx(theirs)


@given(CASES, st.sampled_from([np.float32, np.float64]))
@example([(1e-9, False), (1 - 1e-9, True), (1e-9, False)], np.float64)
@example([(0.001, False), (0.5, True), (0.999, True)], np.float32)
def test_powers_of_losses_are_those_of_each_case_however_small(cases, dtype):
    scores, positive = np.array([p for p, _ in cases], dtype), np.array([label for _, label in cases])
    each = [losses.losses_of_probabilities(name, scores, positive) for name in ("log_loss", "brier_score")]
    sums = np.array([[np.sum(lost**power) for power in (2, 3, 4)] for lost in each])
    assert probability_losses(scores, positive, powers=True).powers == pytest.approx(sums, rel=1e-12, abs=1e-300)


@given(CASES, st.integers(1, 5), st.sampled_from([np.float32, np.float64]))
def test_losses_of_groups_are_those_of_each_and_add_up_to_all(cases, groups, dtype):
    scores, positive = np.array([p for p, _ in cases], dtype), np.array([label for _, label in cases])
    parts = [part for part in np.array_split(np.arange(scores.size), groups) if part.size]
    sizes = np.array([part.size for part in parts])
    found = losses_of_groups(scores, positive, sizes).statistics(sizes)
    total = NO_LOSSES
    for index, part in enumerate(parts):
        alone = probability_losses(scores[part], positive[part])
        values = {name: column[index] for name, column in found.items()}
        assert values == pytest.approx(alone.statistics(part.size), rel=1e-12, abs=1e-15)
        total = total.plus(alone)
    whole = probability_losses(scores, positive).statistics(scores.size)
    assert total.statistics(scores.size) == pytest.approx(whole, rel=1e-12, abs=1e-15)


@every("beyond", [-1e-300, 1.0000000000000002, np.inf, 1e308])
def test_scores_beyond_0_and_1_have_no_losses(beyond):
    scores, positive = np.array([0.5, beyond, 0.25]), np.array([True, False, True])
    assert np.isnan(list(probability_losses(scores, positive).statistics(3).values())).all()
    grouped = losses_of_groups(scores, positive, np.array([2, 1])).statistics(np.array([2, 1]))
    assert all(np.isnan(column).tolist() == [True, False] for column in grouped.values())


def test_the_bin_of_a_float32_is_that_of_its_value():
    scores = np.concatenate([np.nextafter(np.float32(edge), np.float32(to)).reshape(1)
                             for edge in equal_widths(10) for to in (0, edge, 1)])  # fmt: skip
    edges = equal_widths(10)
    assert bin_codes(scores, edges).tolist() == bin_codes(scores.astype(np.float64), edges).tolist()


METHODS = {"compared": 40, "sorted": 0}
"""How many labels are compared at most."""
OF_LABELS = [-1.5, -0.0, 0.0, 0.25, 3.0]
PROBABILITIES = [0.0, 0.1, 0.5, 0.5000001, 0.75, 1.0]


@st.composite
def ranked(draw):
    """Draw scores, relevance and gains of as many cases and labels, as (n, k) arrays."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    return tuple(np.reshape(draw(columns_of(values, math.prod(shape))), shape) for values in (OF_LABELS, [False, True]))


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


@given(ranked(), st.data())
def test_ranks_put_the_later_label_first(case, data):
    scores, mask = case
    codes = np.array(data.draw(columns_of(range(scores.shape[1]), len(scores))))
    expected = [slow.rank_of_label(row, code) for row, code in zip(scores.tolist(), codes.tolist(), strict=True)]
    assert rank_of_label(scores.T, codes).tolist() == expected
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


@given(columns_of(list(itertools.product(OF_LABELS, range(4))), 0, 12), BLOCKS)
def test_totals_are_sums(cases, block):
    terms, weights = (np.array([case[part] for case in cases], np.float64) for part in (0, 1))
    with block_size(block):
        assert sum_over_cases(lambda part: terms[part], terms.size) == close_to(sum(terms), abs=1e-12)
        weighted = sum_over_cases(lambda part: terms[part], terms.size, weights)
        assert weighted == close_to(sum(terms * weights), abs=1e-12)
