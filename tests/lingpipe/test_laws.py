"""Laws of both evaluations: order, batches and merging change no number; copies are independent."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationTypeError, PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation
from tests.checks.refusals import memory, refused
from tests.lingpipe.evaluations import answers, scored, ten_cases
from tests.strategies import case_arrays

COUNTS = st.integers(0, 2**70)
TABLES = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS)
MISSES = st.integers(0, 50)
LABEL_PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40)
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in range(2, 6)},
}


def added(evaluation, cases, misses=(0, 0)):
    evaluation.addCases(cases.correct, cases.scores)
    evaluation.addMisses(misses[0])
    evaluation.addNegativeMisses(misses[1])
    return evaluation


@given(case_arrays(), st.tuples(MISSES, MISSES), case_arrays(), st.tuples(MISSES, MISSES))
def test_merging_rankings_equals_filling_one(first, first_misses, second, second_misses):
    one = added(added(ScoredPrecisionRecallEvaluation(), first, first_misses), second, second_misses)
    merged = added(ScoredPrecisionRecallEvaluation(), first, first_misses)
    other = added(ScoredPrecisionRecallEvaluation(), second, second_misses)
    before = memory(other)
    merged.merge(other)
    assert answers(merged) == answers(one)
    assert memory(other) == before


@given(case_arrays(), st.data())
def test_the_order_of_cases_changes_no_number(cases, data):
    order = np.array(data.draw(st.permutations(range(cases.scores.size))), dtype=np.intp)
    assert answers(scored(cases.correct[order], cases.scores[order])) == answers(scored(cases.correct, cases.scores))


@given(case_arrays(), st.lists(st.integers(0, 40)))
def test_batches_change_no_number(cases, cuts):
    evaluation = ScoredPrecisionRecallEvaluation()
    pieces = (np.split(column, sorted(cuts)) for column in (cases.correct, cases.scores))
    for correct, scores in zip(*pieces, strict=True):
        evaluation.addCases(correct, scores)
    assert answers(evaluation) == answers(scored(cases.correct, cases.scores))


@given(case_arrays())
def test_single_cases_equal_a_batch(cases):
    evaluation = ScoredPrecisionRecallEvaluation()
    for correct, score in zip(cases.correct.tolist(), cases.scores.tolist(), strict=True):
        evaluation.addCase(correct, score)
    assert answers(evaluation) == answers(scored(cases.correct, cases.scores))


@given(case_arrays(), st.tuples(MISSES, MISSES))
def test_merging_a_ranking_with_itself_doubles_it(cases, misses):
    once = added(ScoredPrecisionRecallEvaluation(), cases, misses)
    twice = added(added(ScoredPrecisionRecallEvaluation(), cases, misses), cases, misses)
    once.merge(once)
    assert answers(once) == answers(twice)


@given(case_arrays(), MISSES)
def test_break_even_stays_below_the_best_f_and_interpolation_above_the_raw_areas(cases, misses):
    evaluation = scored(cases.correct, cases.scores, misses, negative_misses=1)
    assert evaluation.prBreakevenPoint() <= evaluation.maximumFMeasure() * (1 + 1e-12)
    for area in evaluation.areaUnderPrCurve, evaluation.areaUnderRocCurve:
        assert area(True) >= area(False) * (1 - 1e-12)


@given(TABLES, TABLES)
def test_merging_counts_equals_their_sums(first, second):
    merged, other = PrecisionRecallEvaluation(*first), PrecisionRecallEvaluation(*second)
    merged.merge(other)
    assert repr(merged) == repr(PrecisionRecallEvaluation(*map(sum, zip(first, second, strict=True))))
    assert repr(other) == repr(PrecisionRecallEvaluation(*second))


@given(LABEL_PAIRS)
def test_columns_of_labels_equal_single_cases(pairs):
    reference, response = zip(*pairs, strict=True) if pairs else ((), ())
    one_by_one, batch = PrecisionRecallEvaluation(), PrecisionRecallEvaluation()
    for labels in pairs:
        one_by_one.addCase(*labels)
    batch.addCases(reference, np.array(response, dtype=np.float32))
    assert repr(one_by_one) == repr(batch) == repr(PrecisionRecallEvaluation.fromCases(reference, list(response)))


@given(LABEL_PAIRS)
def test_sets_equal_columns_of_labels_without_true_negatives(pairs):
    sets = [{row for row, labels in enumerate(pairs) if labels[column]} for column in (0, 1)]
    by_membership, by_row = PrecisionRecallEvaluation(), PrecisionRecallEvaluation()
    by_membership.addCases(*sets)
    for labels in filter(any, pairs):
        by_row.addCase(*labels)
    assert repr(by_membership) == repr(by_row)


@pytest.mark.parametrize("evaluation", [ten_cases(misses=1), PrecisionRecallEvaluation(1, 2, 3, 4)], ids=repr)
@pytest.mark.parametrize(("other", "shown"), [(None, "None (NoneType)"), ([], "[] (list)"), (3, "3 (int)")])
def test_merge_refuses_other_types(evaluation, other, shown):
    name = type(evaluation).__name__
    with refused(evaluation, EvaluationTypeError, f"other must be a {name}, got {shown}"):
        evaluation.merge(other)


def test_merge_refuses_the_other_evaluation():
    ranking, table = ten_cases(), PrecisionRecallEvaluation(1, 2, 3, 4)
    shown = "PrecisionRecallEvaluation(tp=1, fn=2, fp=3, tn=4) (PrecisionRecallEvaluation)"
    with refused(ranking, EvaluationTypeError, f"other must be a ScoredPrecisionRecallEvaluation, got {shown}"):
        ranking.merge(table)
    cut = "ScoredPrecisionRecallEvaluation(cases=10, correct=4, miss... (ScoredPrecisionRecallEvaluation)"
    with refused(table, EvaluationTypeError, f"other must be a PrecisionRecallEvaluation, got {cut}"):
        table.merge(ranking)


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_copy_of_a_ranking_answers_the_same_and_is_independent(duplicate, dtype):
    original = scored([1, 0, 1], np.array([0.1, 0.2, -np.inf], dtype), misses=2, negative_misses=1)
    before = memory(original)
    copied = duplicate(original)
    assert answers(copied) == answers(original)
    copied.addCase(True, 3.0)
    copied.addMisses(1)
    assert repr(copied) == "ScoredPrecisionRecallEvaluation(cases=4, correct=3, misses=3, negativeMisses=1)"
    assert memory(original) == before


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("asked", [False, True])
def test_an_original_and_its_copy_grow_apart(duplicate, asked):
    original = scored([1, 0], [0.1, 0.2], misses=2, negative_misses=1)
    original.addCase(True, 0.3)  # leaves room for the next case
    if asked:
        answers(original)
    copied = duplicate(original)
    original.addCase(True, 0.4)
    copied.addCase(False, 0.5)
    original.addMisses(1)
    copied.addNegativeMisses(1)
    assert answers(original) == answers(scored([1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], 3, 1))
    assert answers(copied) == answers(scored([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.5], 2, 2))


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_a_copy_of_counts_answers_the_same_and_is_independent(duplicate):
    original = PrecisionRecallEvaluation(9, 3, 4, 11)
    copied = duplicate(original)
    assert str(copied) == str(original)
    copied.addCase(False, False)
    assert (copied.trueNegative(), original.trueNegative()) == (12, 11)
    original.addCase(True, True)
    assert (copied.truePositive(), original.truePositive()) == (9, 10)
