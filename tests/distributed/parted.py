"""Cases in partitions of any sizes, as dask arrays."""

import dask.array as da
import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from evalcore.kernels.ordering import order
from evalcore.kernels.pairs import pair_counts
from evalcore.measures import curves
from tests.strategies import Cases, case_arrays


def parted(labels, scores, sizes):
    """Return labels and scores as dask arrays in chunks of these sizes, which add up to the cases."""
    return tuple(da.from_array(np.asarray(array), chunks=(tuple(sizes),)) for array in (labels, scores))


def equally(size, parts):
    """Sizes of so many partitions, as equal as they can be."""
    return np.diff(np.linspace(0, size, parts + 1).astype(int)).tolist()


def random_cases(size, levels=None, seed=0):
    """Cases whose scores tell something of their labels; where levels are given, rounded to parts of so many."""
    rng = np.random.default_rng(seed)
    correct = rng.random(size) < 0.3
    scores = rng.normal(correct)
    return Cases(scores if levels is None else np.round(scores * levels) / levels, correct)


CASES = case_arrays()
EDGES = st.lists(st.integers(0, 40), max_size=3)
"""Of few partitions, since there are as many tasks as the square of their number."""


@st.composite
def partitioned(draw, finite=False, least=0):
    """Draw cases, scores and labels, and the sizes of their partitions, some of them perhaps empty."""
    scores, correct = draw(CASES)
    if finite:
        scores[~np.isfinite(scores)] = 0.0
    assume(scores.size >= least)
    edges = np.minimum(sorted(draw(EDGES)), scores.size).astype(int)
    return Cases(scores, correct), np.diff([0, *edges, scores.size]).tolist()


def measured(cases):
    """The ROC area and the average precision of all cases at once; infinite scores too."""
    ordering = order(cases.scores, cases.correct)
    pairs = pair_counts(ordering.keys)
    positives = pairs.correct
    points = curves.LazyOperatingPoints(ordering.keys)
    area = curves.roc_area(pairs, positives, cases.correct.size - positives)
    return area, curves.average_precision(points, positives)
