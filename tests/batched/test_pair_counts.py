"""Counts of batches are the report of all rows."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix, EvaluationError
from evalcore.batched import pair_counts as pair_counts_module
from evalcore.batched.pair_counts import ClassPairCounts
from evalcore.batched.weighted_rows import WeightedRows
from evalcore.report.answers import answer
from evalcore.report.question import Question
from evalcore.report.weighting import Weighting

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


WEIGHTED = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 12)),
    min_size=1, max_size=30,
).filter(lambda rows: any(row[-1] for row in rows))  # fmt: skip


def columns_of(rows, scale):
    tree, guess, site, weights = zip(*rows, strict=True)
    return {"tree": tree, "guess": guess, "site": site, "w": [weight / scale if scale > 1 else weight for weight in
            weights]}  # fmt: skip


def weighted(rows, scale, question, size, *, saved):
    state = WeightedRows(ClassPairCounts(question), question.weighting)
    for begin in range(0, len(rows), size):
        state.update(pa.record_batch(columns_of(rows[begin : begin + size], scale)), begin)
        if saved:
            facts, columns = state.copy().saved()
            state = WeightedRows(ClassPairCounts(question), question.weighting)
            state.restore(facts, columns)
    state.finish()
    return state._inner


def numbers(sections):
    """Return all numbers of sections by where they stand, with the bounds of intervals."""
    found = {}
    for section in sections:
        for record, items in section.records.items():
            for item in items:
                found[section.name, record, item.name] = item.value
                if item.interval is not None:
                    found |= {(section.name, record, item.name, end): getattr(item.interval, end) for end in
                              ("low", "high")}  # fmt: skip
    return found


@given(
    WEIGHTED, st.integers(1, 10), st.sampled_from([(1, "frequency"), (1, None), (4, None), (3, None)]),
    st.sampled_from([(), ("site",)]), st.booleans(),
)  # fmt: skip
def test_weighted_counts_are_those_of_all_rows(rows, size, kind, by, saved):
    scale, weight_type = kind
    question = Question("tree", predicted="guess", by=by, level=0.9, weighting=Weighting("w", weight_type))
    state = weighted(rows, scale, question, size, saved=saved)
    whole = answer(question, lambda selection: {name: np.array(column) for name, column in
                   columns_of(rows, scale).items()})  # fmt: skip
    found, expected = numbers(state.sections()), numbers(whole.sections)
    assert list(found) == list(expected)
    for key, value in found.items():
        assert value == pytest.approx(expected[key], rel=1e-11, abs=1e-12, nan_ok=True), key
        if scale < 3 or scale == 4:
            assert value == expected[key] or (math.isnan(value) and math.isnan(expected[key]))


@given(WEIGHTED, st.integers(1, 10))
def test_frequencies_are_repeated_rows(rows, size):
    repeated = [(*row[:3], 1) for row in rows for _ in range(row[-1])]
    asked = {"predicted": "guess", "by": ("site",), "level": 0.9}
    plain = ClassPairCounts(Question("tree", **asked))
    plain.update(pa.record_batch(columns_of(repeated, 1)), 0)
    state = weighted(rows, 1, Question("tree", **asked, weighting=Weighting("w", "frequency")), size, saved=False)
    assert repr(state.sections()) == repr(plain.sections())


def test_the_same_rows_have_the_same_bits_after_a_resumption():
    rng = np.random.default_rng(0)
    rows = list(zip("abcab" * 8, "aabbc" * 8, "xxyyx" * 8, rng.random(40).tolist(), strict=True))
    question = Question("tree", predicted="guess", by=("site",), weighting=Weighting("w"))
    one, other = (weighted(rows, 3, question, 7, saved=saved) for saved in (True, False))
    assert repr(one.sections()) == repr(other.sections())


def test_long_sums_of_weights_keep_their_digits():
    size = 1 << 16
    state = ClassPairCounts(Question("tree", predicted="guess", weighting=Weighting("w")))
    for _ in range(3):
        state.update(pa.record_batch({"tree": ["a"] * size, "guess": ["a"] * size, "w": [0.1] * size}), 0)
    assert state.matrix().weights.sums[0, 0] == pytest.approx(float(3 * size * Fraction(0.1)), rel=2e-13)
