"""Scored and classified cases, with weights too, tables of decisions, and the protocols of evaluations."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import evalcore
from evalcore.kernels.runs import runs_of_keys
from evalcore.ranking import evaluate
from evalcore.state.cases import GrowingColumns, ScoredCases, WeightedRanking, placed
from evalcore.state.shared import GroupValues, HasCategoryCounts, HasRankCounts, HasScoredCases
from evalcore.state.tables import CaseBatch, ClassifiedCases
from tests.differences import every
from tests.laws.states import check_scored_cases
from tests.strategies import BLOCKS, block_size


def filled_with(*batches, misses=0, negative_misses=0):
    state = ScoredCases()
    for scores, correct in batches:
        state.extend(correct, scores)
    state.misses, state.negative_misses = misses, negative_misses
    return state


def add(state, correct, score):
    state.extend(np.array([correct]), np.array([score]))


@every(
    "add_nothing",
    [lambda state: state.merge(ScoredCases()), lambda state: state.extend(np.empty(0, np.bool_), np.empty(0))],
)
def test_nothing_does_not_widen_float32(add_nothing):
    state = filled_with((np.array([0.5], np.float32), np.array([True])))
    add_nothing(state)
    assert state.scores.dtype == np.float32


@every(
    ("batches", "width"),
    ([np.float32], np.float32),
    ([np.float32, np.float32], np.float32),
    ([np.float64], np.float64),
    ([np.float32, np.float64], np.float64),
    ([np.float64, np.float32], np.float64),
    ([np.float32] * 3 + [np.float64], np.float64),  # the wider ones fit into the room for more
)
def test_scores_keep_their_width_until_something_wider_comes(batches, width):
    state = filled_with(*((np.array([0.1, 0.1], dtype), np.array([True, False])) for dtype in batches))
    assert state.scores.dtype == width
    assert state.scores.tolist() == [float(dtype(0.1)) for dtype in batches for _ in range(2)]


@every("batch", [0, 1, 2, 5, 8])
def test_single_cases_fill_the_columns_up_to_their_borders_and_beyond(batch):
    state = filled_with((np.arange(batch, dtype=np.float64), np.zeros(batch, np.bool_)))
    for row in range(batch, 40):
        add(state, row % 3 == 0, row + 0.5)
        assert state.size == row + 1
        check_scored_cases(state)
    assert state.scores.tolist() == [*range(batch), *(row + 0.5 for row in range(batch, 40))]
    assert state.correct.tolist() == [False] * batch + [row % 3 == 0 for row in range(batch, 40)]


def test_columns_grow_a_logarithmic_number_of_times_and_a_pickle_holds_no_room_for_more():
    state, columns = ScoredCases(), GrowingColumns(1, np.float64)
    kept, addresses = {}, set()  # what is kept frees no address
    for value in range(1000):
        add(state, True, 0.5)
        kept[id(state.scores.base)] = state.scores.base
        columns.extend(np.array([[float(value)]]))
        addresses.add(columns.values.ctypes.data)
    assert len(kept) <= 11
    assert len(addresses) <= 12
    assert columns.values[0].tolist() == list(range(1000))
    state = filled_with((np.zeros(1025), np.zeros(1025, np.bool_)))
    columns.extend(np.zeros((1, 25)))
    before = len(pickle.dumps(state)), len(pickle.dumps(columns))
    add(state, True, 0.5)
    columns.extend(np.zeros((1, 1)))
    assert state.scores.base.size > 2000
    assert len(pickle.dumps(state)) < before[0] + 100
    assert len(pickle.dumps(columns)) <= before[1] + 16


def test_the_ordering_is_kept_until_cases_are_added_and_points_are_built_only_when_asked_for(monkeypatch):
    state = filled_with((np.array([0.5, 0.25]), np.array([True, False])))
    ordering, runs = state.ordering, state.runs
    state.misses += 1
    state.merge(ScoredCases())
    assert state.ordering is ordering
    assert state.runs.tp is runs.tp
    add(state, True, 0.75)
    assert state.ordering is not ordering
    assert state.runs.tp.tolist() == [1, 2]
    assert ordering.keys.size == 2
    built = []
    monkeypatch.setattr("evalcore.state.cases.runs_of_keys", lambda keys: built.append(keys) or runs_of_keys(keys))
    state = filled_with((np.array([0.5]), np.array([True])))
    ordering = state.ordering
    assert built == []
    assert state.runs.tp is state.runs.tp
    assert len(built) == 1
    assert built[0] is ordering.keys


def test_batches_are_copied_and_first_columns_are_not_but_never_written_to():
    scores, correct = np.array([0.5, 0.25]), np.array([True, False])
    state = filled_with((scores, correct))
    scores[0], correct[0] = 7.0, False
    assert state.scores.tolist() == [0.5, 0.25]
    assert state.correct.tolist() == [True, False]
    first = np.array([[1.0, 2.0]])
    first.flags.writeable = False
    columns = GrowingColumns(1, np.float32)
    columns.extend(first)
    assert np.shares_memory(columns.values, first)
    columns.extend(np.array([[3.0]]))
    assert first.tolist() == [[1.0, 2.0]]
    assert columns.values.tolist() == [[1.0, 2.0, 3.0]]


DTYPES = st.sampled_from([np.uint8, np.uint16, np.int64, np.float32, np.float64])


@given(
    st.sampled_from([1, 2, 5]),
    st.sampled_from([np.uint8, np.float32, np.float64]),
    st.lists(st.tuples(st.integers(0, 6), DTYPES), max_size=12),
)
@example(2, np.float32, [(0, np.float64), (1, np.float32)])
@example(2, np.float32, [(1, np.float32), (0, np.float64), (1, np.float32)])
@example(1, np.float32, [(1, np.float32), (3, np.float32), (1, np.float64)])
@example(1, np.float32, [*[(1, np.float32)] * 3, (1, np.float64)])
def test_extending_is_concatenating(rows, start, pieces):
    columns = GrowingColumns(rows, start)
    parts, value = [], 0
    for size, dtype in pieces:
        part = (np.arange(rows * size).reshape(rows, size) + value).astype(dtype)
        value += size
        columns.extend(part)
        if size:
            parts.append(part)
    expected = np.concatenate(parts, axis=1) if parts else np.empty((rows, 0), start)
    np.testing.assert_array_equal(columns.values, expected)
    assert columns.values.dtype == expected.dtype
    assert columns.size == expected.shape[1]


@every("shape", [(0,), (3,), (2, 3), (2, 0)])
def test_room_is_along_the_last_axis(shape):
    values = np.arange(np.prod(shape)).reshape(shape)
    grown = placed(values, shape[-1], np.ones((*shape[:-1], 5)))
    assert grown.shape == (*shape[:-1], max(5 + shape[-1], 2 * shape[-1]))
    assert grown.dtype == np.float64
    np.testing.assert_array_equal(grown[..., : shape[-1]], values)


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
    assert (ranking.size, ranking.positives, ranking.negatives) == (2, 12, 0)
    assert ranking.points.scores.tolist() == [0.5, 0.1]
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


CATEGORIES = 3


def test_only_tallies_are_kept_where_nothing_else_is_asked_for():
    kept, plain = (ClassifiedCases(1, columns=0, keeps_objects=keeps) for keeps in (True, False))
    kept.add(CaseBatch(np.array([0]), np.zeros((1, 1), np.uint8)), ["object"])
    plain.merge(kept)
    assert plain.objects is None
    assert plain.tallies.firsts.tolist() == [[1]]
    cases = ClassifiedCases(CATEGORIES, columns=0, keeps_objects=False)
    cases.add(CaseBatch(np.array([0, 1]), np.zeros((3, 2), np.uint8)))
    assert cases.reference.size == 0
    assert cases.columns == []
    assert cases.objects is None


@every(("categories", "dtype"), [(2, np.uint8), (255, np.uint8), (256, np.uint16), (300, np.uint16)])
def test_codes_are_kept_as_narrow_as_they_can_be(categories, dtype):
    cases = ClassifiedCases(categories, columns=0, keeps_objects=True)
    ranks = np.ones((categories, 1), np.uint16)
    ranks[-1] = 0
    for row in range(3):
        cases.add(CaseBatch(np.array([categories - 1]), ranks), [row])
    assert cases.reference.dtype == dtype
    assert cases.reference.tolist() == [categories - 1] * 3
    assert cases.found(categories - 1, is_reference=True, is_first=True) == [0, 1, 2]


SCORED = evalcore.ScoredPrecisionRecallEvaluation()
MATRIX = evalcore.ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
FIRSTS = evalcore.BaseClassifierEvaluator(None, ["a", "b"])
RANKED = evalcore.RankedClassifierEvaluator(None, ["a", "b"])
GROUPS = evaluate(["x", "y"], [1, 0], [0.5, 0.25], measures="AP")
PROTOCOLS = (HasScoredCases, HasCategoryCounts, HasRankCounts, GroupValues)


@every(
    ("evaluation", "followed"),
    (SCORED, {HasScoredCases}),
    (MATRIX, {HasCategoryCounts}),
    (FIRSTS, {HasCategoryCounts}),
    (RANKED, {HasCategoryCounts, HasRankCounts}),
    (GROUPS, {GroupValues}),
    (evalcore.PrecisionRecallEvaluation(1, 2, 3, 4), set()),
    (np.eye(2), set()),
    ({"values": 1}, set()),
    ("name", set()),
)
def test_each_protocol_is_followed_by_the_evaluations_that_have_it(evaluation, followed):
    assert {protocol for protocol in PROTOCOLS if isinstance(evaluation, protocol)} == followed


def test_protocols_answer_with_copies_or_what_cannot_be_written_to_by_any_name_of_a_measure():
    for counts_of in (FIRSTS.category_counts, RANKED.category_counts, RANKED.rank_counts):
        counts_of()[0, 0] = 9
        assert counts_of().sum() == 0
    assert not MATRIX.category_counts().flags.writeable
    assert MATRIX.category_counts().tolist() == MATRIX.matrix().tolist()
    assert isinstance(SCORED.scored_cases(), ScoredCases)
    assert SCORED.scored_cases() is SCORED.scored_cases()
    assert [GROUPS.measure_name(name) for name in ("AP", "map", "average_precision")] == ["AP"] * 3
    with pytest.raises(evalcore.EvaluationError, match="measure must be one of AP, got 'RR'"):
        GROUPS.measure_name("RR")
