"""Counts of batches are the report of all rows."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix, EvaluationError
from evalcore.batched import pair_counts as pair_counts_module
from evalcore.batched.pair_counts import ClassPairCounts
from evalcore.report.question import Question

QUESTION = Question("tree", predicted="guess")
KINDS = {"strings": list("abc"), "integers": [3, -1, 10], "Booleans": [True, False]}


def counted(cases, size):
    state = ClassPairCounts(QUESTION)
    for begin in range(0, len(cases), size):
        tree, guess = zip(*cases[begin : begin + size], strict=True)
        copied = state.copy()
        state.update(pa.record_batch({"tree": list(guess), "guess": list(tree)}), 0)
        state = copied
        state.update(pa.record_batch({"tree": list(tree), "guess": list(guess)}), 0)
        again = ClassPairCounts(QUESTION)
        again.restore(*state.saved())
        state = again
    return state


@given(
    st.sampled_from(list(KINDS)).flatmap(
        lambda kind: st.lists(st.tuples(*[st.sampled_from(KINDS[kind])] * 2), min_size=1, max_size=30)
    ),
    st.integers(1, 10),
)
def test_counts_are_those_of_all_rows(cases, size):
    matrix = counted(cases, size).matrix()
    expected = ConfusionMatrix.fromLabels(*map(np.array, zip(*cases, strict=True)))
    assert matrix.categories == expected.categories()
    assert np.array_equal(matrix.counts, expected.matrix())


def test_whole_floats_are_classes_and_fractions_are_not():
    state = ClassPairCounts(QUESTION)
    state.update(pa.record_batch({"tree": [1.0, 2.0], "guess": [1, 1]}), 0)
    assert state.matrix().categories == (1, 2)
    with pytest.raises(EvaluationError) as raised:
        state.update(pa.record_batch({"tree": [1, 1], "guess": [1.0, 2.5]}), 70)
    assert str(raised.value) == "column 'guess' must hold names or whole numbers, got 2.5 at index 71 (from 0)"


def test_too_many_pairs_are_an_error(monkeypatch):
    monkeypatch.setattr(pair_counts_module, "_MOST_PAIRS", 3)
    state = ClassPairCounts(QUESTION)
    state.update(pa.record_batch({"tree": [1, 2, 3, 3], "guess": [1, 1, 1, 1]}), 0)
    with pytest.raises(EvaluationError) as raised:
        state.update(pa.record_batch({"tree": [4], "guess": [1]}), 4)
    assert str(raised.value) == (
        "columns 'tree' and 'guess' must hold at most 3 pairs of classes, got at least 4; are these columns of classes?"
    )
    assert state.matrix().counts.sum() == 4


def test_one_column_can_be_both():
    state = ClassPairCounts(Question("tree", predicted="tree"))
    state.update(pa.record_batch({"tree": ["a", "b", "a"]}), 0)
    assert state.matrix().counts.tolist() == [[2, 0], [0, 1]]
