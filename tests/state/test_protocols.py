"""The protocols by which plots, intervals and reports ask evaluations, and who follows them."""

import numpy as np
import pytest

import evalcore
from evalcore.ranking import evaluate
from evalcore.state.cases import ScoredCases
from evalcore.state.shared import GroupValues, HasCategoryCounts, HasRankCounts, HasScoredCases
from tests.differences import every

SCORED = evalcore.ScoredPrecisionRecallEvaluation()
MATRIX = evalcore.ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
FIRSTS = evalcore.BaseClassifierEvaluator(None, ["a", "b"])
RANKED = evalcore.RankedClassifierEvaluator(None, ["a", "b"])
GROUPS = evaluate(["x", "y"], [1, 0], [0.5, 0.25], measures="AP")
PROTOCOLS = (HasScoredCases, HasCategoryCounts, HasRankCounts, GroupValues)


@every(
    ("evaluation", "followed"),
    [
        (SCORED, {HasScoredCases}),
        (MATRIX, {HasCategoryCounts}),
        (FIRSTS, {HasCategoryCounts}),
        (RANKED, {HasCategoryCounts, HasRankCounts}),
        (GROUPS, {GroupValues}),
        (evalcore.PrecisionRecallEvaluation(1, 2, 3, 4), set()),
        (np.eye(2), set()),
        ({"values": 1}, set()),
        ("name", set()),
    ],
)
def test_each_protocol_is_followed_by_the_evaluations_that_have_it(evaluation, followed):
    assert {protocol for protocol in PROTOCOLS if isinstance(evaluation, protocol)} == followed


@every("counts_of", [FIRSTS.category_counts, RANKED.category_counts, RANKED.rank_counts])
def test_counts_of_an_evaluator_are_copies(counts_of):
    counts_of()[0, 0] = 9
    assert counts_of().sum() == 0


def test_counts_of_a_matrix_cannot_be_written_to_and_cases_are_those_that_are_kept():
    assert not MATRIX.category_counts().flags.writeable
    assert MATRIX.category_counts().tolist() == MATRIX.matrix().tolist()
    assert isinstance(SCORED.scored_cases(), ScoredCases)
    assert SCORED.scored_cases() is SCORED.scored_cases()


def test_any_name_of_a_measure_leads_to_its_values():
    assert [GROUPS.measure_name(name) for name in ("AP", "map", "average_precision")] == ["AP"] * 3
    with pytest.raises(evalcore.EvaluationError, match="measure must be one of AP, got 'RR'"):
        GROUPS.measure_name("RR")
