"""ScoreSummary: exact while it can be, certain beyond, the same however cases came."""

import copy
import itertools
import pickle
import warnings
from fractions import Fraction
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, ScoredPrecisionRecallEvaluation, metrics
from evalcore.state import score_sketch
from evalcore.streaming import Certified, ScoreSummary, learn_cuts
from tests.differences import every
from tests.reference.summaries import MISSES, QUESTIONS, asked
from tests.reference.summaries import answers as exact_sums
from tests.strategies import Cases, case_arrays

SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.6, 1.0])
THRESHOLDS = st.sampled_from([-np.inf, -1.0, 0.0, 0.1, 0.5, 1.0, np.inf])
CAPACITIES = st.sampled_from([4, 5, 8, 16])
BATCHES = st.lists(case_arrays(max_size=20), max_size=6)


@pytest.fixture(autouse=True)
def waiting():
    """Let few cases wait, so that what happens to many happens to few."""
    with mock.patch.object(score_sketch, "_WAITING", 7):
        yield


def summary_of(batches, capacity=65_536, cuts=None, misses=(0, 0)):
    summary = ScoreSummary(capacity, cuts)
    for scores, correct in batches:
        summary.update(correct, scores)
    summary.misses, summary.negative_misses = misses
    summary._cases._check()
    return summary


def joined(batches):
    """All cases of some batches, in float64."""
    scores = np.concatenate([np.empty(0), *(batch.scores for batch in batches)])
    return scores, np.concatenate([np.empty(0, np.bool_), *(batch.correct for batch in batches)])


def places(scores):
    """Finite numbers in the order of the scores, for functions that take no infinite ones."""
    return np.unique(scores, return_inverse=True)[1]


def exact_answers(batches, misses=(0, 0)):
    """The same questions to classes and functions that hold every case, NaN where they refuse."""
    scores, correct = joined(batches)
    evaluation = ScoredPrecisionRecallEvaluation()
    evaluation.addCases(correct, scores)
    evaluation.addMisses(misses[0])
    evaluation.addNegativeMisses(misses[1])
    found = {"average_precision": evaluation.averagePrecision(), "maximum_f_measure": evaluation.maximumFMeasure(2.0)}
    behind = np.full(sum(misses), -1)  # which is no place
    every, labels = np.append(places(scores), behind), np.append(correct, np.arange(sum(misses)) < misses[0])
    if 0 < labels.sum() < labels.size:
        found["roc_auc"] = metrics.roc_auc_score(labels, every)
    if misses == (0, 0) and 0 < correct.sum() < correct.size:
        accepted, scores = scores >= 0.25, places(scores)
        found |= {
            "precision_at_threshold": metrics.precision_score(correct, accepted, zero_division=np.nan),
            "recall_at_threshold": metrics.recall_score(correct, accepted),
            "f_measure_at_threshold": metrics.fbeta_score(correct, accepted, beta=0.5),
            "recall_at_precision": metrics.recall_at_precision(correct, scores, 0.6),
            "precision_at_recall": metrics.precision_at_recall(correct, scores, 0.6),
        }
        assert metrics.average_precision_score(correct, scores) == found["average_precision"]
    return found


def holds(answer, exact):
    if np.isnan(exact):
        # what has no value in some arrangements has one value in the others
        return np.isnan(answer) or answer.width < 1e-12 or answer.low == 0
    return answer.low <= exact <= answer.high


@given(BATCHES, CAPACITIES | st.just(65_536), MISSES)
def test_exact_values_lie_between_the_bounds_or_are_the_answers_to_the_last_bit(batches, capacity, misses):
    summary = summary_of(batches, capacity, misses=misses)
    found = asked(summary)
    for name, exact in exact_answers(batches, misses).items():
        assert holds(found[name], exact), (name, found[name], exact)
        if summary.exact:
            np.testing.assert_equal((name, found[name].low, float(found[name]), found[name].high), (name, *[exact] * 3))
            assert found[name].exact
    scores, correct = joined(batches)
    assert (summary.size, summary.positives, summary.negatives) == (
        scores.size, correct.sum() + misses[0], scores.size - correct.sum() + misses[1]
    )  # fmt: skip
    if np.unique(scores).size <= capacity:
        assert summary.exact


@given(BATCHES, CAPACITIES, SHARES, THRESHOLDS)
def test_bounds_hold_at_every_share_and_threshold(batches, capacity, share, threshold):
    scores, correct = joined(batches)
    if not 0 < correct.sum() < correct.size:
        return
    summary = summary_of(batches, capacity)
    accepted = scores >= threshold
    pairs = [
        (summary.recall_at_precision(share), metrics.recall_at_precision(correct, places(scores), share)),
        (summary.precision_at_recall(share), metrics.precision_at_recall(correct, places(scores), share)),
        (summary.recall_at_threshold(threshold), metrics.recall_score(correct, accepted)),
        (summary.f_measure_at_threshold(threshold), metrics.f1_score(correct, accepted)),
        (summary.precision_at_threshold(threshold), metrics.precision_score(correct, accepted, zero_division=np.nan)),
    ]
    for answer, exact in pairs:
        assert holds(answer, exact), (answer, exact)


@given(BATCHES, CAPACITIES)
def test_points_of_curves_are_points_of_the_exact_curves(batches, capacity):
    scores, correct = joined(batches)
    if not 0 < correct.sum() < correct.size:
        return
    scores = places(scores)
    summary = summary_of([(scores, correct)], capacity)
    roc, pr = summary.roc_curve(), summary.precision_recall_curve()
    exact_roc = metrics.roc_curve(correct, scores, drop_intermediate=False)
    exact_pr = metrics.precision_recall_curve(correct, scores)
    for found, exact in ((roc, exact_roc), (pr, exact_pr)):  # a curve of precision ends without a threshold
        points, exact_points = (set(itertools.zip_longest(*map(np.ndarray.tolist, each))) for each in (found, exact))
        assert points <= exact_points
    if summary.exact:
        for found, exact in ((roc, exact_roc), (pr, exact_pr)):
            for column, other in zip(found, exact, strict=True):
                np.testing.assert_array_equal(column, other)


@given(BATCHES, CAPACITIES)
def test_each_threshold_of_a_roc_curve_accepts_what_its_rates_count(batches, capacity):
    scores, correct = joined(batches)
    with np.errstate(invalid="ignore"):
        curve, tables = summary_of(batches, capacity).roc_curve(), np.array([correct, ~correct])
        for *rates, threshold in zip(curve.tpr, curve.fpr, curve.thresholds, strict=True):
            np.testing.assert_array_equal(rates, (tables & (scores >= threshold)).sum(axis=1) / tables.sum(axis=1))
    assert np.unique(curve.thresholds).size == curve.thresholds.size
    assert not np.nan_to_num([curve.tpr[0], curve.fpr[0]]).any()


def test_a_summary_of_another_kind_of_scores_stays_narrow():
    rng = np.random.default_rng(3)
    for shape in ("sorted", "drifting", "with a heavy score", "rounded"):
        labels = rng.random(30_000) < 0.2
        scores = rng.normal(labels)
        if shape == "sorted":
            rows = np.argsort(scores)
            labels, scores = labels[rows], scores[rows]
        elif shape == "drifting":
            scores += np.arange(scores.size) / 1500
        elif shape == "with a heavy score":
            scores[rng.random(scores.size) < 0.5] = 0.25
        else:
            scores = np.round(scores, 3)
        summary = ScoreSummary(256)
        with mock.patch.object(score_sketch, "_WAITING", 2500):
            for part in np.array_split(np.arange(labels.size), 13):
                summary.update(labels[part], scores[part])
            area = summary.roc_auc()
        assert area.low <= metrics.roc_auc_score(labels, scores) <= area.high
        assert area.width < 4 / 256, shape


@every("doublings", [40, 56])
def test_counts_grow_to_two_to_the_62_and_no_further(doublings):
    rng = np.random.default_rng(4)
    labels = rng.random(64) < 0.4
    scores = rng.normal(labels)
    for capacity in (16, 64):
        summary = summary_of([(scores, labels)], capacity)
        once = asked(summary)
        for _ in range(doublings):
            summary.merge(summary)
        assert summary.size == 64 << doublings
        found = asked(summary)
        for name, answer in once.items():
            if name != "average_precision" or summary.exact:  # whose bounds know of the cases one by one
                bounds = found[name].low, found[name].high
                np.testing.assert_allclose(bounds, (answer.low, answer.high), rtol=0, atol=1e-12)
        precision = metrics.average_precision_score(labels, scores)
        assert found["average_precision"].low <= precision <= found["average_precision"].high
        exact = metrics.roc_auc_score(labels, scores)
        assert found["roc_auc"].low <= exact <= found["roc_auc"].high
    if doublings == 56:
        before = copy.deepcopy(summary)
        with pytest.raises(EvaluationError, match="other's cases and misses must be at most 0, got 46"):
            summary.merge(summary)
        with pytest.raises(EvaluationError, match="misses must be at most 0, got 1"):
            summary.misses = 1
        with pytest.raises(EvaluationError, match="the number of cases in y_score must be at most 0, got 1"):
            summary.update([1], [0.5])
        assert summary == before


@every(
    ("action", "kind", "text"),
    (lambda s: ScoreSummary(3), EvaluationError, "capacity must be at least 4, got 3"),
    (lambda s: ScoreSummary(-1), EvaluationError, "capacity must not be negative, got -1"),
    (lambda s: ScoreSummary(4.5), EvaluationTypeError, r"capacity must be an integer, got 4.5 \(float\)"),
    (lambda s: ScoreSummary(4, [2, 1]), EvaluationError, "cuts must be ascending, got 1.0 at index 1 after 2.0"),
    (lambda s: ScoreSummary(4, [1, 1]), EvaluationError, "cuts must be ascending, got 1.0 at index 1 after 1.0"),
    (lambda s: ScoreSummary(4, [1, 2, 3, 4]), EvaluationError, "cuts must be fewer than the capacity 4, got 4"),
    (lambda s: ScoreSummary(4, [np.nan]), EvaluationError, r"cuts\[0\] is NaN"),
    (lambda s: s.update([1, 2], [1.0, 2.0]), EvaluationError, "y_true takes value in {1, 2} and pos_label is not"),
    (lambda s: s.update([1], [np.nan]), EvaluationError, r"y_score\[0\] is NaN"),
    (lambda s: s.update([1], [1.0, 2.0]), EvaluationError, "y_true and y_score"),
    (lambda s: s.merge(3), EvaluationTypeError, "other must be a ScoreSummary, got 3"),
    (lambda s: setattr(s, "misses", -1), EvaluationError, "misses must not be negative, got -1"),
    (lambda s: setattr(s, "negative_misses", 0.5), EvaluationTypeError, "negative_misses must be an integer"),
    (lambda s: s.recall_at_precision(1.5), EvaluationError, r"precision must be in 0 .. 1, got 1.5"),
    (lambda s: s.precision_at_recall(np.nan), EvaluationError, r"recall must be in 0 .. 1, got nan"),
    (lambda s: s.recall_at_threshold(np.nan), EvaluationError, "t is NaN"),
    (lambda s: s.maximum_f_measure("1"), EvaluationTypeError, "beta must be a number, got '1'"),
    (lambda s: learn_cuts([], []), EvaluationError, "y_true must hold at least one case to learn cuts from, got none"),
    (lambda s: learn_cuts([1], [0.5], 2), EvaluationError, "capacity must be at least 4, got 2"),
)
def test_errors_name_what_is_wrong_and_change_nothing(action, kind, text):
    summary = summary_of([(np.array([0.5, 0.25]), np.array([True, False]))], misses=(1, 2))
    before = copy.deepcopy(summary)
    with pytest.raises(kind, match=text):
        action(summary)
    assert summary == before


@every("sizes", [(500, 300), (300, 500)])
@every("capacities", [(4, 64), (64, 4), (16, 128)])
def test_merged_summaries_keep_the_capacity_of_the_first(sizes, capacities):
    rng = np.random.default_rng(6)
    batches = [(rng.normal(labels), labels) for labels in (rng.random(size) < 0.4 for size in sizes)]
    with mock.patch.object(score_sketch, "_WAITING", 100):
        parts = [summary_of([batch], capacity) for batch, capacity in zip(batches, capacities, strict=True)]
        parts[0].merge(parts[1])
    parts[0]._cases._check()
    assert parts[0].capacity == capacities[0]
    scores, correct = joined([Cases(*batch) for batch in batches])
    assert parts[0].roc_auc().low <= metrics.roc_auc_score(correct, scores) <= parts[0].roc_auc().high
    assert parts[0].roc_auc().width < 8 / min(capacities)


def test_an_empty_summary_takes_the_cuts_of_the_first_it_merges_and_learnt_cuts_fit_the_next():
    rng = np.random.default_rng(7)
    cuts = np.array([-1.0, 0.0, 1.0])
    parts = [summary_of([(rng.normal(size=30), rng.random(30) < 0.5)], 8, cuts) for _ in range(3)]
    forth, back = ScoreSummary(8), ScoreSummary(8)
    for part in parts:
        forth.merge(part)
    for part in reversed(parts):
        back.merge(part)
    assert forth == back
    rng = np.random.default_rng(5)
    batches = [(rng.normal(labels), labels) for labels in rng.random((10, 20_000)) < 0.3]
    cuts = learn_cuts(batches[0][1], batches[0][0], 512)
    with mock.patch.object(score_sketch, "_WAITING", 5000):
        parts = [summary_of([batch], 512, cuts) for batch in batches]
    for part in parts[1:]:
        parts[0].merge(part)
    assert parts[0].roc_auc().width < 1.5 / 512
    with pytest.raises(ValueError, match="read-only"):
        parts[0].cuts[0] = 0.0


def test_the_f_measure_of_a_huge_beta_is_recall_and_what_no_interval_straddles_is_exact():
    summary = summary_of([(np.array([0.5, 0.25]), np.array([True, False]))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for beta in (1e154, 1e200, -1e200):
            assert summary.f_measure_at_threshold(0.3, beta) == summary.recall_at_threshold(0.3) == 1.0
    rng = np.random.default_rng(8)
    labels = rng.random(500) < 0.5
    summary = summary_of([(rng.normal(labels), labels)], 8, [0.0, 1.0])
    assert not summary.exact
    assert summary.recall_at_threshold(0.0).exact
    assert not summary.recall_at_threshold(0.5).exact


@given(st.integers(40, 59), st.integers(0, 2**32), CAPACITIES)
def test_bounds_are_honest_where_counts_are_beyond_float64(doublings, seed, capacity):
    """Counts near 2**62: exact fractions lie between the bounds."""
    rng = np.random.default_rng(seed)
    labels = rng.random(7) < 0.5
    scores = rng.normal(labels)
    summary = summary_of([(scores, labels)], capacity)
    for _ in range(doublings):
        summary.merge(summary)
    single = ScoreSummary(capacity)
    for _ in range(3):  # so that counts are no powers of two
        single.update(labels[:3], scores[:3])
    summary.merge(single)
    factor, cases = 2**doublings, list(zip(scores.tolist(), labels.tolist(), strict=True))
    rows = [(*case, factor + 3 * (place < 3)) for place, case in enumerate(cases)]
    for name, value in exact_sums(rows).items():
        answer = getattr(summary, name)(*QUESTIONS[name])
        if value is None or labels.all() or not labels.any():
            continue
        if answer.exact:
            assert abs(Fraction(float(answer)) - value) < Fraction(1, 2**50)
        else:
            assert Fraction(answer.low) <= value <= Fraction(answer.high)


def test_answers_at_the_borders_are_known_beyond_float64_or_undefined():
    summary = summary_of([(np.arange(64.0), np.arange(64) >= 32)], 8)
    known = summary.recall_at_precision(1.0)
    for _ in range(50):
        summary.merge(summary)
    assert not summary.exact
    assert summary.recall_at_precision(1.0) == known
    assert known.low >= 0.5
    summary = ScoreSummary()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan([answer for name, answer in asked(summary).items() if name != "maximum_f_measure"]).all()
    assert summary.maximum_f_measure() == 0
    assert summary.roc_curve().thresholds.tolist() == [np.inf]
    assert repr(summary) == "ScoreSummary(cases=0, positives=0, negatives=0, exact)"
    summary = summary_of([], misses=(3, 0))
    assert summary.recall_at_precision(0.5) == summary.precision_at_recall(0.5) == 0.0
    assert summary.recall_at_threshold(0.5) == 0.0


def test_columns_of_pandas_must_have_one_index():
    y, s = pd.Series([1, 0]), pd.Series([0.9, 0.1], index=[1, 0])
    summary = ScoreSummary()
    for call in (summary.update, learn_cuts):
        with pytest.raises(EvaluationError, match=r"^y_score must have the same index as y_true; align them with "):
            call(y, s)
        with pytest.raises(EvaluationError, match=r"^sample_weight must have the same index as y_true; "):
            call(y, s.to_numpy(), sample_weight=s)
    assert summary == ScoreSummary()


def test_a_certified_number_is_a_number():
    answer = Certified(0.5, 0.75)
    assert answer == 0.625
    assert (answer.low, answer.high, answer.width, answer.exact) == (0.5, 0.75, 0.25, False)
    assert repr(answer) == str(answer) == "0.625 [0.5, 0.75]"
    assert f"{answer:.2f}" == "0.62"
    assert repr(Certified(0.5, 0.5)) == "0.5"
    for other in (copy.copy(answer), pickle.loads(pickle.dumps(answer))):
        assert (other, other.low, other.high) == (answer, 0.5, 0.75)
    assert Certified(np.nan, np.nan).exact
    for bounds in ((0.6, 0.5), (np.nan, 0.5), (0.5, np.nan)):
        with pytest.raises(EvaluationError, match="low must be at most high, or both NaN, got "):
            Certified(*bounds)
