"""Sums of weights beside sums of fractions: never further off than the roundings that they name."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels import sums
from evalcore.kernels.sums import most_roundings, running_sums, sums_at, sums_of_classes, sums_of_runs

WEIGHTS = st.sampled_from([1e-300, 0.1, 1 / 3, 1.0, 7.0, 1e16, 1e300])
WHOLE = st.sampled_from([1, 2, 3, 2**52, 2**55])
SIGNED = st.one_of(
    *(st.lists(st.tuples(kind, st.sampled_from([-1, 1])), min_size=1, max_size=40) for kind in (WEIGHTS, WHOLE))
)


@pytest.fixture(autouse=True)
def short_runs():
    """Cut runs into short ones early."""
    with mock.patch.object(sums, "_PIECE", 3), mock.patch.object(sums, "_LONG", 5):
        yield


def starts_of(data, size):
    return np.array(sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=6)) | {0}))


def check(found, exact, roundings):
    factor = (1 + Fraction(1, 2**53)) ** roundings
    for one, other in zip(found.tolist(), exact, strict=True):
        assert Fraction(other) / factor <= Fraction(one) <= Fraction(other) * factor


@given(SIGNED, st.data())
def test_sums_of_runs_and_classes_are_what_their_definition_says(rows, data):
    signed = np.array([weight * sign for weight, sign in rows])
    starts = starts_of(data, signed.size)
    runs = [list(map(Fraction, run.tolist())) for run in np.split(signed, starts[1:])]
    sums, roundings = sums_of_runs(np.abs(signed), starts)
    check(sums, [sum(map(abs, run)) for run in runs], roundings)
    positives, negatives, of_classes = sums_of_classes(signed, starts)
    check(positives, [sum(w for w in run if w > 0) for run in runs], of_classes)
    check(negatives, [-sum(w for w in run if w < 0) for run in runs], of_classes)
    assert positives.dtype == negatives.dtype == signed.dtype
    if signed.dtype.kind == "i":
        assert (roundings, of_classes) == (0, 0)
    else:
        assert max(roundings, of_classes) <= most_roundings(signed.size) + 1


@given(SIGNED, st.data())
def test_sums_at_indices_are_what_their_definition_says(rows, data):
    weights = np.array([weight for weight, _ in rows])
    indices = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    longest = int(np.bincount(indices).max())
    sums, roundings = sums_at(weights, indices, 5, longest)
    terms = [[Fraction(w) for w, i in zip(weights.tolist(), indices, strict=True) if i == index] for index in range(5)]
    check(sums, list(map(sum, terms)), roundings)
    assert sums.dtype == weights.dtype
    assert roundings == 0 if weights.dtype.kind == "i" else roundings <= longest


@given(st.lists(WEIGHTS, max_size=40))
def test_running_sums_are_what_their_definition_says(weights):
    exact = [sum(map(Fraction, weights[: k + 1])) for k in range(len(weights))]
    check(running_sums(np.array(weights)), exact, most_roundings(len(weights)))
