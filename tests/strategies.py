"""What property tests draw: cases whose scores come from small pools, so that ties are common."""

from contextlib import contextmanager
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from evalcore.kernels.grouping import group_layout, sorted_by_group
from evalcore.kernels.runs import runs_of_groups
from evalcore.kernels.sorting import order
from evalcore.kernels.tables import BinaryCounts
from evalcore.parallel import threads

WIDTHS = {32: np.float32, 64: np.float64}
NON_NEGATIVE_POOLS = {
    32: ([-0.0, 0.0, 0.25, 0.5, 1.0], [0.0, 1e-45, 1.1754944e-38, 3.4028235e38, np.inf]),
    64: ([-0.0, 0.0, 0.25, 0.5, 1.0], [0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, np.inf]),
}
MIXED_POOLS = {
    32: (
        [-1.0, -0.0, 0.0, 0.5],
        [-np.inf, -3.5, -0.0, 0.0, 0.1, 2.0, np.inf],
        [-1.1754944e-38, -1e-45, -0.0, 0.0, 1e-45, 3e-45],
        [-np.inf, -3.4028235e38, -1e-45, 0.0, 1.0, 3.4028233e38, 3.4028235e38, np.inf],
    ),
    64: (
        [-1.0, -0.0, 0.0, 0.5],
        [-np.inf, -3.5, -0.0, 0.0, 0.1, 2.0, np.inf],
        [-0.9999999999999999, -2.2250738585072014e-308, -5e-324, 0.0, 5e-324, 1e-323],
        [-np.inf, -1.7976931348623157e308, -5.0, -0.0, 0.0, 1e300, 1.7976931348623157e308, np.inf],
        [-np.inf, -1e300, -1.0, -5e-324, -0.0, 0.0, 1e-300, 1e300],
    ),
}
EVERY_POOL = {width: NON_NEGATIVE_POOLS[width] + MIXED_POOLS[width] for width in WIDTHS}
BLOCKS = st.sampled_from([1, 2, 3, 7, 1 << 16])
"""Sizes for `block_size`: borders of blocks fall into tie groups, or nowhere."""
TABLES = st.builds(BinaryCounts, *[st.sampled_from([0, 0, 1, 2, 5]) | st.integers(0, 12)] * 4)
"""Tables of few cases, many with empty cells."""


class Cases(NamedTuple):
    """Scores and labels of as many cases, as arrays."""

    scores: np.ndarray
    correct: np.ndarray

    @property
    def pairs(self):
        """The same cases as `tests.reference` takes them."""
        return list(zip(self.scores.tolist(), self.correct.tolist(), strict=True))

    @property
    def keys(self):
        """Their sorted keys."""
        return order(self.scores, self.correct).keys


def cases_of(pairs, dtype=np.float64):
    """Turn pairs of score and label into arrays."""
    scores, correct = zip(*pairs, strict=True) if pairs else ((), ())
    return Cases(np.array(scores, dtype), np.array(correct, np.bool_))


def score_arrays(pools=None, max_size=40):
    """Draw scores of one width, from one of the pools or, without pools given, also from all there are."""
    arrays = []
    for width, dtype in WIDTHS.items():
        numbers = [st.sampled_from(pool) for pool in (pools[width] if pools else EVERY_POOL[width])]
        if pools is None:
            numbers.append(st.floats(width=width, allow_nan=False))
        arrays += [st.lists(each, max_size=max_size).map(partial(np.array, dtype=dtype)) for each in numbers]
    return st.one_of(arrays)


@cache  # hypothesis checks every new strategy, which takes longer than to draw from it
def label_arrays(size):
    """Draw as many labels: mixed, mostly incorrect, all correct or none."""
    choices = [(True, False), (False,) * 5 + (True,), (True,), (False,)]
    lists = [st.lists(st.sampled_from(each), min_size=size, max_size=size) for each in choices]
    return st.one_of(lists).map(partial(np.array, dtype=np.bool_))


def case_arrays(pools=None, max_size=40):
    """Draw cases: `score_arrays`, and `label_arrays` as long."""
    return score_arrays(pools, max_size).flatmap(lambda scores: label_arrays(scores.size).map(partial(Cases, scores)))


def case_matrices(pools=None):
    """Draw cases of several columns: scores and labels (n, k), neither empty."""
    shapes = st.tuples(score_arrays(pools, max_size=60).filter(len), st.integers(1, 5))
    matrices = shapes.map(lambda drawn: _rows_of(*drawn))
    return matrices.flatmap(
        lambda scores: label_arrays(scores.size).map(lambda labels: Cases(scores, labels.reshape(scores.shape)))
    )


def _rows_of(scores, width):
    """Cut scores into rows of at most this width, none shorter than the others."""
    width = min(width, scores.size)
    return scores[: scores.size // width * width].reshape(-1, width)


def columns_of(values, least, most=None):
    """Draw a list of so many of these values as one string of bytes, which is far faster than one by one.

    There are 256 values at most.
    """
    drawn = st.binary(min_size=least, max_size=least if most is None else most)
    return drawn.map(lambda indices: [values[index % len(values)] for index in indices])


@contextmanager
def block_size(size):
    """Let kernels walk in blocks of this size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalcore.kernels.blocks.BLOCK", size)
        yield


@contextmanager
def many_threads(count, block):
    """Let kernels walk in blocks of this size, however few cases there are, by so many threads."""
    with pytest.MonkeyPatch.context() as patch, block_size(block), threads(count):
        patch.setattr("evalcore.kernels.blocks.MANY", 0)
        yield


def close_to(exact, rel=1e-12, abs=0.0):  # noqa: A002  the names of pytest.approx
    """Expect a number, or a list of numbers; they may be Fractions."""
    numbers = [float(value) for value in exact] if isinstance(exact, list) else float(exact)
    return pytest.approx(numbers, rel=rel, abs=abs, nan_ok=True)


DEALT = case_arrays(max_size=30).flatmap(
    lambda cases: st.tuples(
        st.just(cases), st.lists(st.integers(0, 5), min_size=cases.scores.size, max_size=cases.scores.size)
    )
)


def grouped(cases, codes):
    """Return the runs of cases of groups from 0 on, and the cases of each group that has some, in their order."""
    layout = group_layout(np.array(codes, np.int64), 6)
    keys = sorted_by_group(layout, cases.scores, cases.correct).keys
    runs = runs_of_groups(keys, np.diff(layout.starts))
    return runs, [cases_of([case for case, own in zip(cases.pairs, codes, strict=True) if own == code],
                           cases.scores.dtype) for code in layout.groups.tolist()]  # fmt: skip
