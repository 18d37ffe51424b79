"""Weights in ScoreSummary: whole ones repeat a case, and bounds contain the exact value whatever their sizes."""

import copy
import warnings
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.kernels import bins, sums
from evalcore.kernels.sorting import order
from evalcore.state import score_sketch
from evalcore.streaming import ScoreSummary, learn_cuts
from tests.differences import every
from tests.reference import summaries as slow
from tests.reference.summaries import MISSES, QUESTIONS, asked

SCORES = st.sampled_from([-np.inf, -1.0, 0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0, np.inf])
WHOLE = st.sampled_from([0, 1, 1, 2, 3, 7])
COMMON = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0, 2.5, 1 / 3])
WIDE = st.sampled_from([1e-300, 3e-200, 1e-17, 0.1, 0.3, 1.0, 7.0, 1e17, 3e200, 1e300]) | st.floats(1e-300, 1e300)
CAPACITIES = st.sampled_from([4, 5, 8, 16, 64])


@pytest.fixture(autouse=True)
def waiting():
    """Let few cases wait, and add few weights in a row, so that what happens to many happens to few."""
    with (
        mock.patch.object(score_sketch, "_WAITING", 7),
        mock.patch.object(sums, "_PIECE", 3),
        mock.patch.object(bins, "_PIECE", 4),
    ):
        yield


def batches_of(weights, max_batches=5):
    """Draw batches of rows: score, label, weight."""
    return st.lists(st.lists(st.tuples(SCORES, st.booleans(), weights), max_size=12), max_size=max_batches)


def columns_of(rows):
    scores, labels, weights = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(labels, np.bool_), np.array(scores, np.float64), weights


def summary_of(batches, capacity=65_536, cuts=None, misses=(0, 0), dtype=None):
    summary = ScoreSummary(capacity, cuts)
    for rows in batches:
        labels, scores, weights = columns_of(rows)
        summary.update(labels, scores, sample_weight=np.array(weights, dtype))
    summary.misses, summary.negative_misses = misses
    summary._cases._check()
    return summary


def rows_of(batches):
    return [row for rows in batches for row in rows]


def check_bounds(summary, batches, misses=(0, 0)):
    found = asked(summary)
    for name, exact in slow.answers(rows_of(batches), QUESTIONS, *misses).items():
        answer = found[name]
        if exact is None:
            # what has no value in some arrangements has one value in the others
            assert np.isnan(answer) or answer.width < 1e-10 or answer.low == 0
            continue
        if answer.exact:
            assert float(answer) == pytest.approx(float(exact), rel=1e-15, abs=0), (name, answer)
            continue
        assert Fraction(answer.low) <= exact <= Fraction(answer.high), (name, answer, float(exact))
        if summary.exact and not name.endswith(("_at_precision", "_at_recall")):
            assert abs(Fraction(float(answer)) - exact) < Fraction(1, 10**12), (name, answer, float(exact))
            assert answer.width < 2e-12


@given(batches_of(WHOLE), MISSES, st.sampled_from([None, [0.0, 0.3]]), st.sampled_from([np.int64, np.float64]))
def test_whole_weights_are_repeated_cases_to_the_last_bit(batches, misses, cuts, dtype):
    weighted = summary_of(batches, 8 if cuts else 65_536, cuts, misses, dtype)
    repeated = ScoreSummary(8 if cuts else 65_536, cuts)
    for rows in batches:
        labels, scores, weights = columns_of(rows)
        repeats = np.array(weights, np.int64)
        repeated.update(labels.repeat(repeats), scores.repeat(repeats))
    repeated.misses, repeated.negative_misses = misses
    assert weighted == repeated
    assert repr(asked(weighted)) == repr(asked(repeated))
    assert repr((weighted.roc_curve(), weighted.precision_recall_curve())) == repr(
        (repeated.roc_curve(), repeated.precision_recall_curve())
    )
    assert (weighted.size, weighted.positives) == (repeated.size, repeated.positives)
    assert type(weighted.size) is type(weighted.negatives) is int


@given(batches_of(COMMON) | batches_of(WIDE), CAPACITIES, MISSES)
def test_bounds_contain_the_exact_value_of_weights_of_all_sizes(batches, capacity, misses):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_bounds(summary_of(batches, capacity, misses=misses), batches, misses)


@given(st.lists(st.sampled_from([1e-300, 1.0, 1e16, 1e300, 0.1]), min_size=8, max_size=40), st.booleans(), CAPACITIES)
def test_bounds_contain_the_exact_value_in_adverse_order(weights, rising, capacity):
    weights = sorted(weights, reverse=not rising)
    batches = [[(float(i % 11), i % 3 == 0, w)] for i, w in enumerate(weights)]
    check_bounds(summary_of(batches, capacity), batches)


def test_sums_that_are_rounded_have_four_columns_and_average_precision_is_undefined_without_positives():
    summary = summary_of([[(float(score), False, 0.1) for score in range(9)]], capacity=4)
    assert not summary.exact
    assert np.isnan(summary.average_precision())
    summary = summary_of([[(0.5, True, 0.1), (0.5, True, 0.2), (0.25, False, 0.5)]])
    low, high, positives, negatives = summary.intervals
    assert (low.tolist(), high.tolist()) == ([0.25, 0.5], [0.25, 0.5])
    assert (positives.tolist(), negatives.tolist()) == ([0.0, 0.1 + 0.2], [0.5, 0.0])


def test_bounds_hold_beside_weights_that_dwarf_others():
    tiny, large = 5e-324, 1e300
    rows = [(0.9, True, tiny), (0.7, False, large), (0.5, True, large), (0.3, True, large), (0.1, False, tiny)]
    rows += [(score + 0.05, label, weight) for score, label, weight in rows]
    for capacity in (64, 5):
        summary = summary_of([rows], capacity)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_bounds(summary, [rows])
        for threshold in (0.9, 0.75, 0.6):
            found = summary.f_measure_at_threshold(threshold)
            exact = slow.answers(rows, {"f_measure_at_threshold": (threshold, 1.0)}, 0, 0)["f_measure_at_threshold"]
            assert Fraction(found.low) <= exact <= Fraction(found.high)


@given(batches_of(COMMON | WHOLE), st.lists(CAPACITIES, min_size=5, max_size=5), st.lists(st.booleans(), min_size=5))
def test_bounds_contain_the_exact_value_of_merged_and_saved_summaries(batches, capacities, plain):
    merged = ScoreSummary(capacities[0])
    held = []
    for batch, capacity, without in zip(batches, capacities, plain, strict=False):
        rows = [(score, label, 1) for score, label, _ in batch] if without else batch
        held.append(rows)
        part = ScoreSummary(capacity)
        labels, scores, weights = columns_of(rows)
        part.update(labels, scores, sample_weight=None if without else weights)
        before = copy.deepcopy(part)
        merged.merge(ScoreSummary.from_bytes(part.to_bytes()))
        merged._cases._check()
        assert part == before
    check_bounds(ScoreSummary.from_bytes(merged.to_bytes()), held)


@given(batches_of(COMMON), st.randoms(use_true_random=False))
def test_order_and_batches_change_no_answer_beyond_rounding(batches, random):
    rows = rows_of(batches)
    shuffled = random.sample(rows, len(rows))
    found, other = asked(summary_of(batches)), asked(summary_of([shuffled]))
    for name in QUESTIONS:
        if not name.endswith(("_at_precision", "_at_recall")):  # where a sum may reach a limit or just miss it
            np.testing.assert_allclose(float(found[name]), float(other[name]), rtol=0, atol=1e-12)


@given(batches_of(COMMON), CAPACITIES, st.sampled_from([2.0**-40, 8.0, 2.0**300, 0.1, 3.0, 1e100]))
def test_a_common_factor_changes_no_answer(batches, capacity, factor):
    batches = [[(score, label, w or 0.1) for score, label, w in rows] for rows in batches]
    batches.append([(0.5, True, 0.5), (0.25, False, 0.3)])
    times = [[(score, label, w * factor) for score, label, w in rows] for rows in batches]
    found, other = asked(summary_of(batches, capacity)), asked(summary_of(times, capacity))
    if np.frexp(factor)[0] == 0.5:
        assert repr(found) == repr(other)
    elif summary_of(batches, capacity).exact:
        for name in QUESTIONS:
            if not name.endswith(("_at_precision", "_at_recall")):
                np.testing.assert_allclose(float(found[name]), float(other[name]), rtol=0, atol=1e-12)


@given(batches_of(COMMON), CAPACITIES)
def test_a_weight_of_zero_is_absence(batches, capacity):
    present = [[row for row in rows if row[2]] for rows in batches]
    assert summary_of(batches, capacity) == summary_of(present, capacity)


@every(
    ("weights", "kind", "text"),
    ([1, -1], EvaluationError, r"sample_weight\[1\] is -1; weights must not be negative"),
    ([1], EvaluationError, "sample_weight must hold one weight for each of 2 cases, got 1"),
    ([2**61, 2**61], EvaluationError, f"sample_weight must have a sum of at most {2**62 - 5}, got {2**62}"),
    (np.array([2**63, 1], np.uint64), EvaluationError, f"sample_weight must have a sum of at most .*, got {2**63 + 1}"),
    ([1e308, 0.5], EvaluationError, r"earlier weights must have a sum of at most 8.99e\+307, got 1e\+308"),
    ([1.5e308, 1.5e308], EvaluationError, "sample_weight and earlier weights must have a sum of .*, got inf"),
)
@every("before", [7, 5])
def test_errors_name_the_weights_and_change_nothing(weights, kind, text, before):
    summary = ScoreSummary()
    summary.update([1, 0], [0.5, 0.25], sample_weight=[1, 1])
    summary.misses = 3
    copied = copy.deepcopy(summary)
    with pytest.raises(kind, match=text), mock.patch.object(score_sketch, "_WAITING", before - 4):
        summary.update([1, 0], [0.75, 0.5], sample_weight=weights)
    assert summary == copied


@every(
    ("weight", "sorted_by", "first"),
    (None, "state.score_sketch.order", order(np.zeros(0), np.zeros(0, bool))),
    (0.5, "kernels.bins.WeightedBatch", bins.WeightedBatch(np.zeros(1), np.ones(1))),
)
def test_a_batch_is_taken_whole_or_not_at_all(weight, sorted_by, first):
    weights = weight and np.full(30, weight)
    summary = summary_of([[(0.5, True, weight or 1), (0.25, False, 2.5 if weight else 1)]])
    before = copy.deepcopy(summary)
    with mock.patch(f"evalcore.{sorted_by}", side_effect=[first, MemoryError]), pytest.raises(MemoryError):
        summary.update(np.ones(30, bool), np.arange(30.0), sample_weight=weights)
    assert summary == before


def test_summaries_of_too_much_weight_do_not_merge():
    parts = [summary_of([[(0.5, True, 2.0**1022), (0.25, False, 0.5)]]) for _ in range(2)]
    parts[0].merge(parts[1])
    before = copy.deepcopy(parts[0])
    with pytest.raises(
        EvaluationError, match=r"the weights of both summaries must have a sum of at most 8.*, got 1\.35"
    ):
        parts[0].merge(parts[1])
    assert parts[0] == before


def test_cuts_are_learnt_from_as_many_cases_as_weights_say():
    rng = np.random.default_rng(3)
    labels, scores, weights = rng.random(300) < 0.4, rng.normal(size=300), rng.integers(0, 4, 300)
    expected = learn_cuts(np.repeat(labels, weights), np.repeat(scores, weights), 16)
    for scaled in (weights, weights * 0.5):
        np.testing.assert_array_equal(learn_cuts(labels, scores, 16, sample_weight=scaled), expected)
    with pytest.raises(EvaluationError, match=r"^sample_weight must hold a weight above 0, got only zeros$"):
        learn_cuts([1, 0], [0.5, 0.25], sample_weight=[0, 0])
