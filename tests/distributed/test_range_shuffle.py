"""Ranges come from groups of partitions, none of which is large, and wait for others without their statistics."""

import time
from functools import partial
from types import SimpleNamespace
from unittest import mock

import distributed
import numpy as np
import pytest
from dask import delayed

from evalcore import metrics
from evalcore.distributed import roc_auc_score, roc_curve_arrays
from evalcore.distributed.on_dask import range_shuffle
from evalcore.distributed.on_dask.range_shuffle import measured_ranges
from evalcore.distributed.on_dask.task_graph import Graph
from evalcore.distributed.partitions.sorted_partitions import sort_cases
from tests.differences import every
from tests.distributed.parted import equally, parted, random_cases

pytestmark = pytest.mark.usefixtures("at_once")
ROWS = 20


def in_order(cases, parts):
    """Partitions that are sorted, one after the other."""
    return np.array_split(np.argsort(cases.scores), parts)


def in_cycles(cases, parts, period=6):
    sorted_parts = in_order(cases, parts)
    return [sorted_parts[part] for first in range(period) for part in range(first, parts, period)]


@every(("parts", "arranged", "most"), [(16, in_order, 2), (16, partial(in_cycles, period=4), 4), (36, in_cycles, 4)])
def test_no_group_merges_many_partitions_however_they_are_arranged(parts, arranged, most):
    cases = random_cases(parts * ROWS)
    sizes = []

    def spy(pieces, after=None):
        sizes.append(sum(sum(piece.counts) for piece in pieces))
        return merge_pieces(pieces, after)

    merge_pieces = range_shuffle.merge_pieces
    rows = np.concatenate(arranged(cases, parts))
    with mock.patch.multiple(range_shuffle, merge_pieces=spy, MOST_AT_ONCE=12):
        found = roc_auc_score(*parted(cases.correct[rows], cases.scores[rows], equally(rows.size, parts)), exact=True)
    assert found == metrics.roc_auc_score(*cases[::-1])
    assert max(sizes) <= most * ROWS


@pytest.mark.parametrize("count", [1, 3, 12])
def test_neighbours_are_spread_over_groups(count):
    groups = range_shuffle.spread(list(range(100)), count)
    assert sorted(number for group in groups for number in group) == list(range(100))
    assert max(map(len, groups)) - min(map(len, groups)) <= 1
    for first in range(100 - count):
        assert max(sum(first <= number < first + count for number in group) for group in groups) <= 2


def test_what_waits_for_a_range_is_not_sent_its_statistics():
    given = []

    def statistic(index, after):
        given.extend(after)
        return f"statistic {index}"

    graph = Graph()
    graph.concurrency = 1
    rng = np.random.default_rng(0)
    partitions = [graph.call("sort", sort_cases, rng.random(20) < 0.5, rng.random(20)) for _ in range(10)]

    def measure(pieces, contexts, index, after):
        return graph.call("measure", statistic, index, after)

    found = graph.compute(graph.call("all", list, measured_ranges(graph, partitions, measure)))
    assert found == [f"statistic {index}" for index in range(12)]
    assert given
    assert set(given) == {None}


def test_graphs_of_many_partitions_are_made_quickly():
    cases = random_cases(200)
    begin = time.perf_counter()
    fpr, _, _ = roc_curve_arrays(*parted(cases.correct, cases.scores, equally(200, 100)))
    assert time.perf_counter() - begin < 5  # and not a minute
    assert fpr.dtype == np.float64


def test_a_cluster_may_have_no_worker_yet(monkeypatch):
    monkeypatch.setattr(distributed, "get_client", lambda: SimpleNamespace(nthreads=dict))
    assert Graph().concurrency > 0
    assert roc_auc_score([delayed([1, 0])], [delayed([0.9, 0.1])], exact=True) == 1.0
