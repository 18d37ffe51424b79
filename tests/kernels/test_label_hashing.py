"""Codes by words number labels as looking for each of them does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels import matching
from tests.differences import every

POOLS = {
    matching.code_numbers: [0, 1, -1, 2**62, -(2**62), 7],
    matching.code_objects: ["", "a", "ab", None, 3, ("a", 1)],
    matching.code_texts: ["", "a", "b", "ab", "ba", "\U0001f600", "a\0b"],
}


def check(labels, found):
    """Fail unless the labels of the first cases, taken by the codes, are the labels."""
    assert labels[found.first][found.codes].tolist() == labels.tolist()


def column(function, labels):
    if function is not matching.code_objects:
        return np.array(labels, np.str_ if function is matching.code_texts else np.int64)
    objects = np.empty(len(labels), object)
    objects[:] = labels
    return objects


LABELS = st.sampled_from(list(POOLS)).flatmap(
    lambda function: st.tuples(st.just(function), st.lists(st.sampled_from(POOLS[function]), min_size=1))
)


@given(LABELS)
def test_codes_give_the_labels_back(drawn):
    function, drawn_labels = drawn
    labels = column(function, drawn_labels)
    found = function(labels)
    check(labels, found)
    assert len({*map(repr, labels[found.first].tolist())}) == found.first.size == len({*map(repr, labels.tolist())})


@every("dtype", [np.bool_, np.int8, np.uint64, np.float16, np.float32, np.float64])
def test_numbers_of_any_width(dtype):
    labels = np.array([1, 0, 3, 1, 0]).astype(dtype)
    check(labels, matching.code_numbers(labels))


def test_zero_has_no_sign():
    assert matching.code_numbers(np.array([0.0, -0.0])).first.tolist() == [0]


@every("distinct", [1, 2, 100, 256, 257, 5000])
def test_labels_that_come_late_are_numbered_too_or_there_are_many(distinct):
    random = np.random.default_rng(distinct)
    labels = np.sort(random.integers(0, 2**63, distinct)[random.integers(0, distinct, 40_000)])
    found = matching.code_numbers(labels)
    if np.unique(labels).size > 256:
        assert found is None
    else:
        check(labels, found)


def test_a_text_that_is_not_that_of_its_code_is_noticed(monkeypatch):
    monkeypatch.setattr(matching, "_text_words", lambda labels: np.ones(labels.size, np.uint64))
    assert matching.code_texts(np.array(["a", "a"])) is not None
    assert matching.code_texts(np.array(["a", "b"])) is None
