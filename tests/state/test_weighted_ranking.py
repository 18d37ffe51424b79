"""Cases with weights, against the definitions and against repeated cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.state.cases import ScoredCases, WeightedRanking
from tests.differences import every
from tests.strategies import BLOCKS, block_size

ROWS = st.lists(
    st.tuples(st.sampled_from([-0.0, 0.0, 0.25, 0.5, np.inf]), st.booleans(), st.integers(0, 3)),
    min_size=1,
    max_size=30,
).filter(lambda rows: any(weight for *_, weight in rows))


def ranking_of(rows, factor=1):
    scores, correct, weights = (np.array(column) for column in zip(*rows, strict=True))
    repeated = np.repeat(np.arange(scores.size), weights)
    return WeightedRanking(scores, correct, weights * factor), ScoredCases.of(correct[repeated], scores[repeated])


@given(ROWS, BLOCKS)
def test_whole_weights_are_repeated_cases(rows, block):
    with block_size(block):
        found, cases = ranking_of(rows)
        assert (found.whole, found.positives, found.negatives) == (True, cases.positives, cases.negatives)
        for name in ("starts", "positives", "negatives", "tp", "fp", "totals"):
            own, other = getattr(found.runs, name), getattr(cases.runs, name)
            assert own.dtype == np.int64
            assert own.tolist() == other.tolist()
        every = np.arange(found.runs.tp.size)
        scores = cases.ordering.scores(cases.runs.last_case(every))
        assert found.scores_of_ranks(found.runs.last_case(every)).tolist() == scores.tolist()


@given(ROWS, BLOCKS)
def test_sums_at_correct_scores_are_those_of_all_points(rows, block):
    with block_size(block):
        found, _ = ranking_of(rows, 0.25)
        runs, every = found.runs, found.points
    gains = np.diff(every.tp, prepend=0.0) > 0
    assert runs.tp.tolist() == every.tp[gains].tolist()
    assert runs.fp.tolist() == every.fp[gains].tolist()
    assert runs.negatives.tolist() == np.diff(every.fp, prepend=0.0)[gains].tolist()
    assert np.sort(found.scores)[::-1][runs.lasts].tolist() == every.scores[gains].tolist()


def test_cases_of_weight_zero_are_left_out():
    ranking = WeightedRanking(np.array([0.5, 0.9, 0.1]), np.array([True, False, True]), np.array([0.5, 0.0, 0.7]))
    assert (ranking.size, ranking.positives, ranking.negatives, ranking.points.scores.tolist()) == (
        2,
        12,
        0,
        [0.5, 0.1],
    )
    assert ranking.divisor == 0.1
    assert np.isnan(ranking.losses()).all()
    assert ranking.runs.positives.tolist() == [5, 7]


@every("weight", [1.5, 2.0**300, 1.5 * 2.0**-300])
def test_weights_of_uncommon_size_are_scaled(weight):
    ranking = WeightedRanking(np.array([0.5]), np.array([True]), np.array([weight]))
    assert 1 <= ranking.positives <= 2
    assert ranking.positives * ranking.divisor == weight


@every("factor", [0.1, 0.3, 1 / 3, 7e-5])
def test_weights_that_are_whole_multiples_of_a_unit_tie_as_the_multiples_do(factor):
    whole = np.random.default_rng(0).integers(1, 9, 200)
    scores, correct = np.repeat(np.arange(20.0), 10), np.tile([True, False], 100)
    exact, scaled = (WeightedRanking(scores, correct, weights) for weights in (whole, whole * factor))
    assert scaled.whole
    assert np.array_equal(scaled.points.tp, exact.points.tp)
    assert scaled.divisor == pytest.approx(factor, rel=1e-15)
    assert not WeightedRanking(scores, correct, np.sqrt(whole)).whole
