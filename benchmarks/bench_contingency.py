"""What tallying a million documents costs, in units of ``np.sort`` of a million float64."""

import tracemalloc

import numpy as np
import pytest

from evalcore import Contingency

DOCUMENTS = 1_000_000
CATEGORIES = 50
NAMES_EACH = 2
NAMES = [f"category {code}" for code in range(CATEGORIES)]


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(1)
    return tuple(rng.random((DOCUMENTS, CATEGORIES)) < NAMES_EACH / CATEGORIES for _ in range(2))


@pytest.fixture(scope="module")
def lists(matrices):
    names = np.array(NAMES, object)
    return tuple([names[row].tolist() for row in matrix] for matrix in matrices)


@pytest.fixture(scope="module")
def floor():
    scores = np.random.default_rng(2).random(DOCUMENTS)
    return lambda: np.sort(scores)


def tallied(assigned, correct):
    experiment = Contingency(NAMES)
    experiment.add_results(assigned, correct)
    return experiment


def assert_right(experiment, matrices):
    assigned, correct = matrices
    stats = experiment.category_stats()
    found = [[stats[name][cell] for cell in "abcd"] for name in NAMES]
    cells = assigned & correct, assigned & ~correct, ~assigned & correct, ~(assigned | correct)
    assert found == np.stack([cell.sum(axis=0) for cell in cells], axis=1).tolist()


def peak_of(assigned, correct):
    tracemalloc.start()
    try:
        tallied(assigned, correct)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bench_boolean_matrices(interleaved, matrices, floor):
    assert_right(tallied(*matrices), matrices)
    ratio = interleaved(lambda: tallied(*matrices), floor).ratio
    print(f"\nBoolean matrices: {ratio:.1f} np.sort, {peak_of(*matrices) / 2**20:.1f} MiB beside them")
    assert ratio <= 15


def bench_lists_of_names(interleaved, matrices, lists, floor):
    assert_right(tallied(*lists), matrices)
    medians = interleaved(lambda: tallied(*lists), floor, rounds=5)
    print(
        f"\nlists of names: {medians.ratio:.1f} np.sort, {medians.task:.2f} s, {medians.fastest:.2f} s at best, "
        f"{peak_of(*lists) / 2**20:.0f} MiB beside them"
    )
    assert medians.ratio <= 100
