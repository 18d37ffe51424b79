"""Clusters of tables that are compared in parts: their cases lie in any of them."""

import numpy as np
import pytest

from evalcore.comparison.comparing_parts import compared_parts
from evalcore.comparison.differences.class_moments import PartClusters, PartGroups
from evalcore.comparison.differences.cluster_sums import ClusterSums
from evalcore.errors import EvaluationError
from evalcore.report.weighting import Weighting
from evalcore.saving.files import temporary_files
from tests.comparison.test_comparing_parts import QUESTION, assert_same, drawn, in_memory, in_parts, tables_of
from tests.comparison.test_groups_in_parts import described
from tests.differences import every

KINDS = {
    "numbers": lambda numbers: numbers,
    "text": lambda numbers: np.array([f"user {number}" for number in numbers.tolist()]),
    "dates": lambda numbers: np.datetime64("2024-01-01") + numbers.astype("m8[D]"),
}


@every(
    ("users", "kind", "weighting"),
    [
        (7, "numbers", Weighting()),
        (150, "text", Weighting()),
        (60, "dates", Weighting("w")),
        (150, "numbers", Weighting("w", None, 0.05)),
        (60, "text", Weighting("n", "frequency")),
        (40, "text", Weighting(None, None, 0.05)),
    ],
)
def test_clusters_in_many_parts_say_what_they_say_together(users, kind, weighting):
    old, new = described(900, 3), drawn(900, 4)
    old["user"], old["n"] = KINDS[kind](old["id"] // 7 % 999 % users), old["id"] // 7 % 4 + 1
    question = QUESTION._replace(cluster="user", by=("carrier",), weighting=weighting)
    parts, whole = in_parts(question, 8, old, new), in_memory(question, old, new)
    assert_same(parts, whole)
    [model] = whole.models
    assert model.differences[0].freedom == users - 1
    if not weighting.asked:
        assert list(parts.notes) == list(whole.notes)


def test_frequencies_of_clusters_are_repeated_rows():
    old, new = described(300, 3), drawn(300, 4)
    old["user"], old["n"] = old["id"] // 7 % 17, old["id"] // 7 % 4 + 1
    repeated = [{name: column.repeat(_frequencies(each)) for name, column in each.items()} for each in (old, new)]
    for table in repeated:
        order = np.argsort(table["id"], kind="stable")
        copies = np.arange(order.size) - np.searchsorted(table["id"][order], table["id"][order])
        for name in table:
            table[name] = table[name][order]
        table["id"] = table["id"] * 10 + copies
    question = QUESTION._replace(cluster="user", by=("carrier",))
    weighted = in_memory(question._replace(weighting=Weighting("n", "frequency")), old, new)
    for found, expected in zip(_differences(weighted), _differences(in_memory(question, *repeated)), strict=True):
        assert [found.found.low, found.found.high] == pytest.approx([expected.found.low, expected.found.high], rel=1e-9)


def _frequencies(table):
    return table["id"] // 7 % 4 + 1


def _differences(answer):
    [model] = answer.models
    of_groups = [each for groups in model.groups.values() for group in groups for each in group.differences]
    return [*model.differences, *of_groups]


def test_a_cluster_differs_in_a_note_and_that_of_the_new_table_counts():
    old, new = described(300, 3), described(300, 4)
    question = QUESTION._replace(cluster="day")
    old["day"] = old["day"][::-1].copy()
    parts, whole = in_parts(question, 8, old, new), in_memory(question, old, new)
    assert_same(parts, whole)
    assert list(parts.notes) == list(whole.notes)
    assert parts.notes[0].startswith("day differs between old and new in 2")


@pytest.mark.parametrize("users", [20, 300])
def test_certified_ranks_of_clusters_hold_what_all_rows_say(users):
    old, new = drawn(4000), drawn(4000, 4)
    old["user"] = old["id"] // 7 % users
    question = QUESTION._replace(cluster="user", thresholds=())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("evalcore.comparison.comparing_parts._CAPACITY", 1 << 9)
        patched.setattr("evalcore.comparison.differences.certified_ranks._MOST_LEFT_OUT", 1 << 8)
        parts, whole = in_parts(question, 4, old, new), in_memory(question, old, new)
    for found, expected in zip(parts.models[0].differences[:2], whole.models[0].differences[:2], strict=True):
        assert found.found.method == "certified"
        assert found.error == pytest.approx(expected.error, rel=0.01)
        assert found.freedom == expected.freedom
        assert found.found.low < expected.found.low
        assert found.found.high > expected.found.high


def test_sums_over_clusters_are_those_of_their_definition():
    rng = np.random.default_rng(2)
    groups, users, values = rng.integers(0, 3, 200), rng.integers(0, 30, 200), rng.normal(size=(2, 200))
    with temporary_files(4) as files:
        sums = ClusterSums(files)
        for part in np.array_split(np.arange(200), 5):
            names, codes = np.unique(users[part], return_inverse=True)
            clusters = PartClusters(names, codes)
            sums.add(0, PartGroups(None), clusters, [each[part] for each in values])
            sums.add(1, PartGroups(groups[part], 3), clusters, [each[part] for each in values])
        whole, of_groups = sums.squares([1, 3])
    for found, chosen in ((whole, [np.full(200, True)]), (of_groups, [groups == group for group in range(3)])):
        for group, rows in enumerate(chosen):
            present = sorted(set(users[rows].tolist()))
            assert found.clusters[group] == len(present)
            for column, each in enumerate(values):
                expected = sum(each[rows & (users == user)].sum() ** 2 for user in present)
                assert found.squares[column, group] == pytest.approx(expected)


def test_few_clusters_of_more_groups_than_memory_holds_are_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.comparison.differences.left_out_parts.BYTES_OF_AN_ENTRY", 10_000)
    question = QUESTION._replace(by=("day",), cluster="month", thresholds=())
    tables = tables_of(described(300, 3), drawn(300, 4), folder=tmp_path, question=question)
    with pytest.raises(EvaluationError, match="average precisions without each of few clusters, in 34 groups, take"):
        compared_parts(question, tables, 2, lambda *_: None, of_groups=1_000_000)


def test_one_cluster_alone_has_no_interval_as_in_memory():
    old, new = drawn(60), drawn(60, 4)
    old["user"] = np.zeros(60, np.int64)
    question = QUESTION._replace(cluster="user")
    parts, whole = in_parts(question, 4, old, new), in_memory(question, old, new)
    assert_same(parts, whole)
    assert "with one cluster, fewer than 30, intervals and p-values are rough" in parts.notes
