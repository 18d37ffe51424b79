import copy
import pickle

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from evalcore.kernels.runs import runs_of_keys
from evalcore.state.cases import ScoredCases
from tests.laws.states import check_scored_cases
from tests.reference import scored_cases as slow
from tests.strategies import case_arrays

COPIES = [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))]
BATCHES = case_arrays(max_size=12)
NUMBERS = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, 2.0, np.inf]) | st.floats(allow_nan=False)


def filled(*batches, misses=0, negative_misses=0):
    state = ScoredCases()
    for scores, correct in batches:
        state.extend(correct, scores)
    state.misses, state.negative_misses = misses, negative_misses
    return state


def add(state, correct, score):
    state.extend(np.array([correct]), np.array([score]))


def content(state):
    """What questions are answered from; the order and the width in which cases are kept is not."""
    keys, code = state.ordering
    runs = state.runs
    return (
        (state.size, state.positives, state.negatives, state.misses, state.negative_misses),
        (code.unpack(keys).tolist(), (keys & 1).tolist(), runs.tp.tolist(), runs.fp.tolist()),
    )


class ScoredCasesBesideAList(RuleBasedStateMachine):
    """Do the same to `ScoredCases` and to a plain list of cases, and compare them after each step."""

    def __init__(self):
        super().__init__()
        self.state = ScoredCases()
        self.cases = []
        self.misses = self.negative_misses = 0
        self.widths = set()

    def took(self, batch):
        self.cases += batch.pairs
        self.widths.add(batch.scores.dtype)

    @rule(correct=st.booleans(), score=NUMBERS)
    def add(self, correct, score):
        add(self.state, correct, score)
        self.cases.append((score, correct))
        self.widths.add(np.dtype(np.float64))

    @rule(batch=BATCHES.filter(lambda batch: batch.scores.size))
    def extend(self, batch):
        self.state.extend(batch.correct, batch.scores)
        self.took(batch)

    @rule(batch=BATCHES.filter(lambda batch: batch.scores.size), misses=st.integers(0, 3))
    def merge(self, batch, misses):
        self.state.merge(filled(batch, misses=misses, negative_misses=2 * misses))
        self.took(batch)
        self.misses += misses
        self.negative_misses += 2 * misses

    @precondition(lambda self: len(self.cases) < 200)
    @rule()
    def merge_with_itself(self):
        self.state.merge(self.state)
        self.cases += self.cases
        self.misses *= 2
        self.negative_misses *= 2

    @rule(count=st.integers(0, 5), negative=st.booleans())
    def miss(self, count, negative):
        if negative:
            self.state.negative_misses += count
            self.negative_misses += count
        else:
            self.state.misses += count
            self.misses += count

    @rule(copied=st.sampled_from(COPIES))
    def go_on_with_a_copy(self, copied):
        original, self.state = self.state, copied(self.state)
        add(original, True, 1.0)
        original.misses += 1

    @rule()
    def ask(self):
        runs = self.state.runs
        assert list(zip(runs.tp.tolist(), runs.fp.tolist(), strict=True)) == slow.correct_points(self.cases)
        ordering = self.state.ordering
        assert ordering.scores(np.arange(len(self.cases))).tolist() == sorted((s for s, _ in self.cases), reverse=True)

    @invariant()
    def holds_what_was_added(self):
        assert list(zip(self.state.scores.tolist(), self.state.correct.tolist(), strict=True)) == self.cases
        assert self.state.size == len(self.cases)
        assert self.state.positives == slow.positives(self.cases, self.misses)
        assert self.state.negatives == slow.negatives(self.cases, self.negative_misses)

    @invariant()
    def keeps_the_widest_of_the_widths_that_came(self):
        if self.widths:
            assert self.state.scores.dtype == max(self.widths, key=lambda dtype: dtype.itemsize)

    @invariant()
    def keeps_every_invariant(self):
        check_scored_cases(copy.copy(self.state))  # a copy: the check would sort the cases, and hide a stale ordering


TestScoredCasesBesideAList = ScoredCasesBesideAList.TestCase
TestScoredCasesBesideAList.settings = settings(stateful_step_count=15)


@pytest.mark.parametrize(
    "add_nothing",
    [lambda state: state.merge(ScoredCases()), lambda state: state.extend(np.empty(0, np.bool_), np.empty(0))],
)
def test_nothing_does_not_widen_float32(add_nothing):
    state = filled((np.array([0.5], np.float32), np.array([True])))
    add_nothing(state)
    assert state.scores.dtype == np.float32


@pytest.mark.parametrize(
    ("batches", "width"),
    [
        ([np.float32], np.float32),
        ([np.float32, np.float32], np.float32),
        ([np.float64], np.float64),
        ([np.float32, np.float64], np.float64),
        ([np.float64, np.float32], np.float64),
    ],
)
def test_scores_keep_their_width_until_something_wider_comes(batches, width):
    state = filled(*((np.array([0.1, 0.1], dtype), np.array([True, False])) for dtype in batches))
    assert state.scores.dtype == width
    assert state.scores.tolist() == [float(dtype(0.1)) for dtype in batches for _ in range(2)]


def test_a_single_case_after_a_float32_batch_keeps_all_its_digits():
    state = filled((np.array([0.1], np.float32), np.array([False])))
    add(state, True, 0.1)
    assert state.scores.dtype == np.float64
    assert state.scores.tolist() == [float(np.float32(0.1)), 0.1]
    assert state.correct.tolist() == [False, True]
    check_scored_cases(state)


@pytest.mark.parametrize("batch", [0, 1, 2, 5, 8])
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


def test_points_follow_cases_that_came_after_the_ordering_was_asked_for_again():
    state = filled((np.array([0.5]), np.array([True])))
    assert state.runs.tp.tolist() == [1]
    add(state, True, 0.75)
    assert state.ordering.keys.size == 2
    assert state.runs.tp.tolist() == [1, 2]


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
