"""What the classifier evaluators answer by definition, whatever the categories are called, and what they keep."""

import copy
import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import evalcore
from tests.differences import every
from tests.lingpipe import classified
from tests.reference import rankings as slow
from tests.strategies import close_to

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": lambda value, p=p: pickle.loads(pickle.dumps(value, p)) for p in range(2, 6)},
}


@given(classified.ranking_batches() | classified.score_batches(distinct=True), st.permutations(range(3)))
def test_relabelling_the_categories_permutes_the_results(batch, order):
    renamed = tuple(classified.NAMES[code] for code in order)
    moved = batch if batch.kind is evalcore.RankedClassifierEvaluator else replace(batch, rows=batch.rows[:, order])
    relabelled = classified.filled(moved, categories=renamed)
    assert classified.by_name(relabelled) == classified.by_name(classified.filled(batch))
    assert classified.objects(relabelled) == classified.objects(classified.filled(batch))
    assert relabelled.categories() == renamed


@given(classified.ANY)
def test_statistics_are_those_of_their_definitions(batch):
    evaluator = classified.filled(batch)
    rankings = [list(classified.answer_to(batch.kind, row)._categories) for row in batch.rows]
    cases = list(zip(batch.references, rankings, strict=True))
    assert evaluator.confusionMatrix().matrix().tolist() == slow.first_best(cases, classified.NAMES)
    assert [[evaluator.rankCount(name, rank) for rank in range(3)] for name in classified.NAMES] == slow.rank_counts(
        cases, classified.NAMES
    )
    assert evaluator.averageRankReference() == close_to(slow.average_rank_reference(cases, classified.NAMES))
    assert evaluator.meanReciprocalRank() == close_to(slow.mean_reciprocal_rank(cases, classified.NAMES))
    for pair in itertools.product(classified.NAMES, classified.NAMES):
        assert evaluator.averageRank(*pair) == close_to(slow.average_rank(cases, classified.NAMES, *pair))


def assert_averages(references, columns, of_pair, of_reference):
    """Compare averages with those of values by case and category, NaN where a case lacks it."""
    for reference, (code, response) in itertools.product(classified.NAMES, enumerate(classified.NAMES)):
        chosen = [row[code] for case, row in zip(references, columns, strict=True) if case == reference]
        assert of_pair(reference, response) == close_to(slow.average(chosen), abs=1e-15)
    own = [row[classified.NAMES.index(case)] for case, row in zip(references, columns, strict=True)]
    assert of_reference() == close_to(slow.average_reference(own), abs=1e-15)


@given(classified.score_batches())
def test_averages_and_rankings_of_scores_are_those_of_their_definitions(batch):
    evaluator, scores = classified.filled(batch), batch.rows.astype(np.float64).tolist()
    columns = {"Score": scores}
    if batch.kind is evalcore.ConditionalClassifierEvaluator:
        columns["ConditionalProbability"] = scores
    elif batch.kind is evalcore.JointClassifierEvaluator:
        columns |= {"Log2JointProbability": scores, "ConditionalProbability": list(map(slow.conditional, scores))}
        assert evaluator.corpusLog2JointProbability() == close_to(math.fsum(map(slow.log2_total, scores)), abs=1e-14)
    for name, values in columns.items():
        questions = getattr(evaluator, f"average{name}"), getattr(evaluator, f"average{name}Reference")
        assert_averages(batch.references, values, *questions)
    for code, category in enumerate(classified.NAMES):
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
        return evalcore.ScoredClassification([name, *(other for other in classified.NAMES if other != name)], [2, 1, 1])


def test_a_copy_shares_the_classifier_alone():
    evaluator = evalcore.ScoredClassifierEvaluator(Chooser(), classified.NAMES, storeInputs=True)
    copied, deep, pickled = (COPIES[name](evaluator) for name in ("copy", "deepcopy", "pickle 5"))
    assert copied.classifier() is evaluator.classifier()
    assert deep.classifier() is not evaluator.classifier()
    for each in copied, deep, pickled:
        each.handle(evalcore.Classified("b", evalcore.Classification("b")))
        assert each.oneVersusAll("b").truePositive() == 1
    assert evaluator.numCases() == 0


def kept(evaluator):
    return [columns.values for columns in evaluator._cases.columns]


@every("dtype", [np.float32, np.float64])
def test_a_batch_keeps_scores_once_and_in_their_width(dtype):
    rows = np.full((1000, 3), 0.25, dtype)
    evaluator = evalcore.ScoredClassifierEvaluator(None, classified.NAMES)
    evaluator.addScores(["a"] * 1000, rows)
    (scores,) = kept(evaluator)
    assert (scores.dtype, scores.nbytes) == (dtype, rows.nbytes)
    assert len(pickle.dumps(evaluator)) < rows.nbytes + 3000
    rows[:] = 9
    assert evaluator.averageScore("a", "a") == 0.25


def test_a_joint_answer_is_a_conditional_one_and_gives_its_conditional_probabilities():
    answer = evalcore.JointClassification(["a", "b"], [-1, -2])
    evaluator = evalcore.ConditionalClassifierEvaluator(None, classified.NAMES)
    evaluator.addClassification("a", answer)
    assert evaluator.averageScore("a", "a") == -1.0
    assert evaluator.averageConditionalProbability("a", "a") == answer.conditionalProbability("a")
    assert evaluator.averageConditionalProbabilityReference() == close_to(2 / 3)
