import pickle

import numpy as np

from evalcore.kernels.runs import runs_of_keys
from evalcore.state.cases import ScoredCases
from tests.differences import every
from tests.laws.states import check_scored_cases


def filled(*batches, misses=0, negative_misses=0):
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
    state = filled((np.array([0.5], np.float32), np.array([True])))
    add_nothing(state)
    assert state.scores.dtype == np.float32


@every(
    ("batches", "width"),
    [
        ([np.float32], np.float32),
        ([np.float32, np.float32], np.float32),
        ([np.float64], np.float64),
        ([np.float32, np.float64], np.float64),
        ([np.float64, np.float32], np.float64),
        ([np.float32] * 3 + [np.float64], np.float64),  # the wider ones fit into the room for more
    ],
)
def test_scores_keep_their_width_until_something_wider_comes(batches, width):
    state = filled(*((np.array([0.1, 0.1], dtype), np.array([True, False])) for dtype in batches))
    assert state.scores.dtype == width
    assert state.scores.tolist() == [float(dtype(0.1)) for dtype in batches for _ in range(2)]


@every("batch", [0, 1, 2, 5, 8])
def test_single_cases_fill_the_columns_up_to_their_borders_and_beyond(batch):
    state = filled((np.arange(batch, dtype=np.float64), np.zeros(batch, np.bool_)))
    for row in range(batch, 40):
        add(state, row % 3 == 0, row + 0.5)
        assert state.size == row + 1
        check_scored_cases(state)
    assert state.scores.tolist() == [*range(batch), *(row + 0.5 for row in range(batch, 40))]
    assert state.correct.tolist() == [False] * batch + [row % 3 == 0 for row in range(batch, 40)]


def test_columns_grow_a_logarithmic_number_of_times():
    state = ScoredCases()
    columns = set()
    kept = []  # so that no address is used again
    for _ in range(1000):
        add(state, True, 0.5)
        kept.append(state.scores.base)
        columns.add(id(state.scores.base))
    assert len(columns) <= 11


def test_the_ordering_is_kept_until_cases_are_added():
    state = filled((np.array([0.5, 0.25]), np.array([True, False])))
    ordering, runs = state.ordering, state.runs
    state.misses += 1
    state.merge(ScoredCases())
    assert state.ordering is ordering
    assert state.runs.tp is runs.tp
    add(state, True, 0.75)
    assert state.ordering is not ordering
    assert state.runs.tp.tolist() == [1, 2]
    assert ordering.keys.size == 2


def test_points_are_built_only_when_asked_for(monkeypatch):
    built = []
    monkeypatch.setattr("evalcore.state.cases.runs_of_keys", lambda keys: built.append(keys) or runs_of_keys(keys))
    state = filled((np.array([0.5]), np.array([True])))
    ordering = state.ordering
    assert built == []
    assert state.runs.tp is state.runs.tp
    assert len(built) == 1
    assert built[0] is ordering.keys


def test_batches_are_copied():
    scores, correct = np.array([0.5, 0.25]), np.array([True, False])
    state = filled((scores, correct))
    scores[0], correct[0] = 7.0, False
    assert state.scores.tolist() == [0.5, 0.25]
    assert state.correct.tolist() == [True, False]


def test_a_pickle_holds_the_cases_but_not_the_room_for_more():
    state = filled((np.zeros(1025), np.zeros(1025, np.bool_)))
    before = len(pickle.dumps(state))
    add(state, True, 0.5)
    assert state.scores.base.size > 2000
    assert len(pickle.dumps(state)) < before + 100
