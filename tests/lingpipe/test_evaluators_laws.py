"""Laws of the classifier evaluators: batches, merging, relabelling, order and copies; and what they are made of."""

import copy
import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore import (
    Classification,
    Classified,
    ConditionalClassifierEvaluator,
    JointClassification,
    JointClassifierEvaluator,
    RankedClassifierEvaluator,
    ScoredClassification,
    ScoredClassifierEvaluator,
)
from tests.checks.refusals import memory
from tests.lingpipe.classified import (
    ANSWERS,
    ANY,
    FOUND,
    NAMES,
    POOLS,
    Batch,
    add_batch,
    add_singly,
    answer_to,
    answers,
    by_name,
    filled,
    objects,
    of_one_kind,
    ranking_batches,
    score_batches,
)
from tests.reference import rankings as slow
from tests.strategies import close_to

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in range(2, 6)},
}


@given(ANY)
def test_a_batch_equals_single_cases(batch):
    batched, single = filled(batch), filled(batch, add=add_singly)
    assert answers(batched) == answers(single)
    if batch.kind is not RankedClassifierEvaluator:
        for name, category in itertools.product(FOUND, NAMES):
            pairs = zip(getattr(batched, name)(category), getattr(single, name)(category), strict=True)
            assert all(one.getClassification() == other.getClassification() for one, other in pairs)


@given(of_one_kind(3))
def test_batches_and_single_cases_mix(batches):
    mixed = batches[0].kind(None, NAMES, storeInputs=True)
    start = 0
    for batch, add in zip(batches, (add_batch, add_singly, add_batch), strict=True):
        add(mixed, batch, start)
        start += len(batch)
    assert answers(mixed) == answers(filled(*batches, add=add_singly))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", POOLS)
def test_a_long_batch_equals_single_cases(kind, dtype):
    rng = np.random.default_rng(7)
    rows = rng.random((1000, 3)) * 30
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 0] = rng.random(1000)
    if kind is ConditionalClassifierEvaluator:
        rows /= np.nansum(rows, axis=1, keepdims=True)
    elif kind is JointClassifierEvaluator:
        rows *= -1
    batch = Batch(kind, rng.choice(NAMES, 1000).tolist(), rows.astype(dtype))
    assert answers(filled(batch)) == answers(filled(batch, add=add_singly))


@given(of_one_kind(2), st.booleans(), st.booleans())
def test_merging_equals_filling_one(batches, first_singly, second_singly):
    adds = [add_singly if singly else add_batch for singly in (first_singly, second_singly)]
    merged = filled(batches[0], add=adds[0])
    other = batches[1].kind(None, NAMES, storeInputs=True)
    adds[1](other, batches[1], len(batches[0]))
    before = memory(other)
    merged.merge(other)
    assert answers(merged) == answers(filled(*batches))
    assert memory(other) == before


@given(of_one_kind(3))
def test_chains_of_merges_equal_filling_one(batches):
    starts = itertools.accumulate(map(len, batches[:-1]), initial=0)
    left, middle, right = evaluators = [batch.kind(None, NAMES, storeInputs=True) for batch in batches]
    for evaluator, batch, start in zip(evaluators, batches, starts, strict=True):
        add_batch(evaluator, batch, start)
    folded = batches[0].kind(None, NAMES, storeInputs=True)
    for evaluator in evaluators:
        folded.merge(evaluator)
    middle.merge(right)
    left.merge(middle)
    assert answers(folded) == answers(left) == answers(filled(*batches))


@given(ANY)
def test_merging_with_itself_doubles(batch):
    evaluator = filled(batch)
    once = objects(evaluator)
    evaluator.merge(evaluator)
    assert (by_name(evaluator), str(evaluator)) == answers(filled(batch, batch))[:2]
    assert objects(evaluator) == {key: rows + rows for key, rows in once.items()}


@given(of_one_kind(2))
def test_after_a_merge_both_grow_apart(batches):
    first, second = filled(batches[0]), filled(batches[1])
    first.merge(second)
    before = answers(first)
    add_singly(second, batches[0])
    add_batch(second, batches[1])
    assert answers(first) == before


@given(ranking_batches() | score_batches(distinct=True), st.permutations(range(3)))
def test_relabelling_the_categories_permutes_the_results(batch, order):
    renamed = tuple(NAMES[code] for code in order)
    moved = batch if batch.kind is RankedClassifierEvaluator else replace(batch, rows=batch.rows[:, order])
    relabelled = filled(moved, categories=renamed)
    assert by_name(relabelled) == by_name(filled(batch))
    assert objects(relabelled) == objects(filled(batch))
    assert relabelled.categories() == renamed


@given(ANY, st.data())
def test_the_order_of_cases_changes_no_count_and_no_average_but_in_its_last_digits(batch, data):
    order = data.draw(st.permutations(range(len(batch))))
    rows = [batch.rows[row] for row in order]
    rows = rows if batch.kind is RankedClassifierEvaluator else np.array(rows, batch.rows.dtype).reshape(-1, 3)
    moved = by_name(filled(Batch(batch.kind, [batch.references[row] for row in order], rows)))
    for key, text in by_name(filled(batch)).items():
        name = key if isinstance(key, str) else key[0]
        if (name.startswith("average") and "Rank" not in name) or name == "corpusLog2JointProbability":
            assert float(moved[key]) == close_to(float(text), abs=1e-12)
        else:
            assert moved[key] == text


@given(score_batches(absent=False))
def test_average_ranks_of_complete_rankings_sum_to_the_sum_of_all_ranks(batch):
    evaluator = filled(batch)
    for reference in set(batch.references):
        assert sum(evaluator.averageRank(reference, response) for response in NAMES) == close_to(3 * 2 / 2)


@given(ANY)
def test_statistics_are_those_of_their_definitions(batch):
    evaluator = filled(batch)
    rankings = [list(answer_to(batch.kind, row)._categories) for row in batch.rows]
    cases = list(zip(batch.references, rankings, strict=True))
    assert evaluator.confusionMatrix().matrix().tolist() == slow.first_best(cases, NAMES)
    assert [[evaluator.rankCount(name, rank) for rank in range(3)] for name in NAMES] == slow.rank_counts(cases, NAMES)
    assert evaluator.averageRankReference() == close_to(slow.average_rank_reference(cases, NAMES))
    assert evaluator.meanReciprocalRank() == close_to(slow.mean_reciprocal_rank(cases, NAMES))
    for pair in itertools.product(NAMES, NAMES):
        assert evaluator.averageRank(*pair) == close_to(slow.average_rank(cases, NAMES, *pair))


def assert_averages(references, columns, of_pair, of_reference):
    """Compare averages with those of values by case and category, NaN where a case lacks it."""
    for reference, (code, response) in itertools.product(NAMES, enumerate(NAMES)):
        chosen = [row[code] for case, row in zip(references, columns, strict=True) if case == reference]
        assert of_pair(reference, response) == close_to(slow.average(chosen), abs=1e-15)
    own = [row[NAMES.index(case)] for case, row in zip(references, columns, strict=True)]
    assert of_reference() == close_to(slow.average_reference(own), abs=1e-15)


@given(score_batches())
def test_averages_and_rankings_of_scores_are_those_of_their_definitions(batch):
    evaluator, scores = filled(batch), batch.rows.astype(np.float64).tolist()
    columns = {"Score": scores}
    if batch.kind is ConditionalClassifierEvaluator:
        columns["ConditionalProbability"] = scores
    elif batch.kind is JointClassifierEvaluator:
        columns |= {"Log2JointProbability": scores, "ConditionalProbability": list(map(slow.conditional, scores))}
        assert evaluator.corpusLog2JointProbability() == close_to(math.fsum(map(slow.log2_total, scores)), abs=1e-14)
    for name, values in columns.items():
        questions = getattr(evaluator, f"average{name}"), getattr(evaluator, f"average{name}Reference")
        assert_averages(batch.references, values, *questions)
    for code, category in enumerate(NAMES):
        pairs, misses = slow.one_versus_all(batch.references, [row[code] for row in scores], category)
        ranking = evaluator.scoredOneVersusAll(category)
        correct = sum(right for _, right in pairs)
        assert ranking.numCases() == len(pairs)
        assert ranking.numPositiveRef() == correct + misses
        held = sorted({score for score, right in pairs if right}, reverse=True)
        assert ranking.prScoreCurve(False)[:, 2].tolist() == held


class Chooser:
    """A classifier that can be pickled."""

    def classify(self, name):
        return ScoredClassification([name, *(other for other in NAMES if other != name)], [2, 1, 1])


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@settings(max_examples=25)
@given(batch=ANY)
def test_copies_answer_the_same_and_are_independent(duplicate, batch):
    original = filled(batch)
    before = answers(original)
    copied = duplicate(original)
    assert answers(copied) == before
    add_batch(copied, batch)
    add_singly(copied, batch)
    assert answers(original) == before
    doubled = answers(filled(batch, batch, batch))
    add_batch(original, batch)
    add_batch(original, batch)
    assert (by_name(original), by_name(copied)) == (doubled[0], doubled[0])


def test_a_copy_shares_the_classifier_alone():
    evaluator = ScoredClassifierEvaluator(Chooser(), NAMES, storeInputs=True)
    copied, deep, pickled = (COPIES[name](evaluator) for name in ("copy", "deepcopy", "pickle 5"))
    assert copied.classifier() is evaluator.classifier()
    assert deep.classifier() is not evaluator.classifier()
    for each in copied, deep, pickled:
        each.handle(Classified("b", Classification("b")))
        assert each.oneVersusAll("b").truePositive() == 1
    assert evaluator.numCases() == 0


def kept(evaluator):
    return [columns.values for columns in evaluator._cases.columns]


@pytest.mark.parametrize("kind", [ConditionalClassifierEvaluator, JointClassifierEvaluator])
@pytest.mark.parametrize("duplicate", [lambda value: value, *COPIES.values()], ids=["itself", *COPIES])
def test_scores_and_probabilities_are_kept_once_while_they_agree(kind, duplicate):
    rows = np.log2([[0.5, 0.25, 0.25]] * 4) if kind is JointClassifierEvaluator else [[0.5, 0.25, 0.25]] * 4
    first = filled(Batch(kind, ["a"] * 4, np.array(rows, np.float32)))
    second = filled(Batch(kind, ["b"] * 2, np.array(rows[:2], np.float32)), add=add_singly)
    first.merge(second)
    evaluator = duplicate(first)
    scores, others = kept(evaluator)
    assert np.shares_memory(scores, others)
    apart = ANSWERS[kind](NAMES, [3, 2, 1], [0, -1, -2] if kind is JointClassifierEvaluator else [0, 0.5, 0.5])
    evaluator.addClassification("c", apart)
    scores, others = kept(evaluator)
    assert not np.shares_memory(scores, others)
    assert scores[:, -1].tolist() == [3.0, 2.0, 1.0]
    assert evaluator.averageScore("c", "a") == 3.0
    assert evaluator.averageConditionalProbability("c", "a") == close_to(
        4 / 7 if kind is JointClassifierEvaluator else 0.0
    )
    assert evaluator.averageConditionalProbability("a", "b") == close_to(0.25)
    assert evaluator.averageScore("b", "b") == close_to(float(np.array(rows)[0, 1]))
    first.merge(evaluator)
    assert not np.shares_memory(*kept(first))
    assert first.averageScore("c", "a") == 3.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_batch_keeps_scores_once_and_in_their_width(dtype):
    rows = np.full((1000, 3), 0.25, dtype)
    evaluator = ScoredClassifierEvaluator(None, NAMES)
    evaluator.addScores(["a"] * 1000, rows)
    (scores,) = kept(evaluator)
    assert (scores.dtype, scores.nbytes) == (dtype, rows.nbytes)
    assert len(pickle.dumps(evaluator)) < rows.nbytes + 3000
    rows[:] = 9
    assert evaluator.averageScore("a", "a") == 0.25


def test_a_joint_answer_is_a_conditional_one_and_gives_its_conditional_probabilities():
    answer = JointClassification(["a", "b"], [-1, -2])
    evaluator = ConditionalClassifierEvaluator(None, NAMES)
    evaluator.addClassification("a", answer)
    assert evaluator.averageScore("a", "a") == -1.0
    assert evaluator.averageConditionalProbability("a", "a") == answer.conditionalProbability("a")
    assert evaluator.averageConditionalProbabilityReference() == close_to(2 / 3)
