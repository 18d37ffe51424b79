"""Tables that are compared in parts say what they say in memory, ranks within certain bounds."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.comparison.comparing_parts import answer_in_parts, compared_parts
from evalcore.comparison.gating import check_comparison
from evalcore.comparison.pairing.inspected_tables import inspected_tables
from evalcore.comparison.pairing.joined_parts import split_tables
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.reading import answer_tables
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.datasets import read_table
from evalcore.io.rows import Rows
from evalcore.report.progress import Bar
from evalcore.report.weighting import Weighting
from evalcore.saving.files import temporary_files
from tests.differences import every

BAR = Bar(lambda *_: None)
QUESTION = CompareQuestion("late", ("score",), on=("id",), thresholds=(0.5,))
PROBABILITIES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
SCORES = st.one_of(PROBABILITIES, st.sampled_from([-1.5, 2.0]))


def tables_of(*columns, folder, question=QUESTION):
    paths = {name: str(Path(folder) / f"{name}.parquet") for name in ["old", "new", "newer"][: len(columns)]}
    for path, values in zip(paths.values(), columns, strict=True):
        pq.write_table(pa.table(values), path)
    return dict(zip(paths, inspected_tables(question, list(paths.values())), strict=True))


def in_parts(question, count, *columns):
    with tempfile.TemporaryDirectory() as folder:
        return compared_parts(question, tables_of(*columns, folder=folder, question=question), count, lambda *_: None)


def in_memory(question, *columns):
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: table.path for name, table in tables_of(*columns, folder=folder, question=question).items()}
        return answer_tables(question, list(paths), lambda name, selection: read_table(paths[name], selection, BAR))


def assert_same(parts, whole, exact=True):
    """Assert that parts say what all rows say, ranks within their bounds; exact: whether they too are known exactly."""
    assert parts.joins == whole.joins
    for of_parts, of_whole in zip(parts.models, whole.models, strict=True):
        assert_same_differences(of_parts.differences, of_whole.differences, exact)
        assert list(of_parts.groups) == list(of_whole.groups)
        for by, groups in of_parts.groups.items():
            named = [{group.group: group for group in each} for each in (groups, of_whole.groups[by])]
            assert named[0].keys() == named[1].keys()
            for name, group in named[0].items():
                assert group[:3] == named[1][name][:3]
                assert_same_differences(group.differences, named[1][name].differences, exact)
        for found, expected in zip(of_parts.changes, of_whole.changes, strict=True):
            assert (found.threshold, found.counts) == (expected.threshold, expected.counts)
        for name in ("risen", "fallen"):
            sizes = [[case.new - case.old for case in getattr(each, name)] for each in (of_parts, of_whole)]
            assert sizes[0] == sizes[1]


def assert_same_differences(parts, whole, exact):
    assert [each.measure for each in parts] == [each.measure for each in whole]
    for found, expected in zip(parts, whole, strict=True):
        numbers = [(*each.found.estimates, each.found.difference) for each in (found, expected)]
        ranked = found.measure in ("roc_area", "average_precision")
        rounding = 1e-12 if exact or not ranked else 0.05
        np.testing.assert_allclose(*numbers, rtol=0, atol=rounding, err_msg=found.measure)
        if exact or not ranked:
            known = [(each.found.low, each.found.high, each.found.p_value, each.error) for each in (found, expected)]
            rounding = 1e-6 if found.found.method == "certified" else 1e-9  # of weights that are not whole
            np.testing.assert_allclose(*known, rtol=rounding, atol=rounding, err_msg=found.measure)
            assert found.found.method in (expected.found.method, "certified")
            if not 0 < abs(expected.found.difference) < 1e-15:
                assert found.verdict == expected.verdict


@st.composite
def joined(draw, scores):
    ids = draw(st.lists(st.integers(-20, 20), min_size=3, max_size=25, unique=True))
    rows = len(ids)

    def column(values):
        return np.array(draw(st.lists(values, min_size=rows, max_size=rows)))

    order = draw(st.permutations(range(rows)))
    old = {"id": np.array(ids), "late": column(st.booleans()), "score": column(scores)}
    new = {"id": np.array(ids)[order], "score": column(scores)}
    of_cases = {
        "w": column(st.sampled_from([0.0, 1.0, 2.0, 0.5, 0.7])),
        "carrier": column(st.sampled_from(["UA", "AA", "B6"])),
        "month": column(st.integers(1, 2)),
        "user": column(st.integers(0, 6)),
    }
    if draw(st.booleans()):
        return old | of_cases, new
    return old, new | {name: values[order] for name, values in of_cases.items()}


WEIGHTINGS = [
    *(Weighting(), Weighting("w"), Weighting("w", "frequency"), Weighting(None, None, 0.25), Weighting("w", None, 0.1))
]
BY = "carrier", ("carrier", "month")


@given(
    st.one_of(joined(PROBABILITIES), joined(SCORES)),
    st.sampled_from([2, 8]),
    st.sampled_from(WEIGHTINGS),
    st.sampled_from([(), BY]),
    st.sampled_from([None, "user"]),
)
def test_parts_say_what_all_rows_say(tables, count, weighting, by, cluster):
    probabilities = all(table["score"].min() >= 0 and table["score"].max() <= 1 for table in tables)
    more = ("kappa@0.75", *(["net_benefit@0.25"] if probabilities else []))
    question = QUESTION._replace(weighting=weighting, by=by, cluster=cluster, conditions=more)
    if weighting.of_frequencies:
        tables = [table | ({"w": np.ceil(table["w"])} if "w" in table else {}) for table in tables]
    held = {name: values[np.argsort(table["id"])] for table in tables for name, values in table.items()}
    kept = held["late"][held["w"] > 0] if weighting.column else held["late"]
    refused = "must hold a weight above 0" if not kept.size else "target_prevalence needs cases of both classes"
    if kept.size and (weighting.target_prevalence is None or kept.all() != kept.any()):
        parts, whole = in_parts(question, count, *tables), in_memory(question, *tables)
        assert_same(parts, whole)
        if not weighting.of_samples:
            assert list(parts.notes) == list(whole.notes)
        return
    for compared in (in_memory, lambda question, *tables: in_parts(question, count, *tables)):
        with pytest.raises(EvaluationError, match=refused):
            compared(question, *tables)


def drawn(rows, seed=3, ids=None):
    rng = np.random.default_rng(seed)
    late = np.random.default_rng(0).random(rows) < 0.3
    ids = np.arange(rows) * 7 if ids is None else ids
    order = rng.permutation(rows)
    return {"id": ids[order], "late": late[order], "score": (rng.random(rows) * 0.6 + late * 0.3)[order]}


@pytest.mark.parametrize("kind", [np.int32, np.uint64, str])
def test_ids_of_any_kind_meet_in_their_part(kind):
    old, new = drawn(500), drawn(500, 4)
    parts = in_parts(QUESTION, 4, old, {**new, "id": new["id"].astype(kind)})
    assert_same(parts, in_memory(QUESTION, old, new))
    assert parts.joins["new"].cases == 500
    assert parts.cases is None


def test_several_models_and_several_ids():
    question = QUESTION._replace(on=("id", "day"))
    tables = [drawn(300, seed, np.arange(300) // 2) for seed in range(3)]
    for table in tables:
        first = np.unique(table["id"], return_index=True)[1]
        table["day"] = np.where(np.isin(np.arange(300), first), "Mon", "Tue")
    question = question._replace(allow=frozenset({"labels"}))
    parts, whole = in_parts(question, 4, *tables), in_memory(question, *tables)
    assert_same(parts, whole)
    assert parts.joins["newer"].other_labels > 0


def test_bounds_of_ranks_hold_the_exact_difference(monkeypatch):
    monkeypatch.setattr("evalcore.comparison.comparing_parts._CAPACITY", 16)
    old, new = drawn(2000), drawn(2000, 4)
    parts, whole = in_parts(QUESTION, 4, old, new), in_memory(QUESTION, old, new)
    for index, title in enumerate(("ROC area", "average precision")):
        words = parts.notes[index].split()
        assert parts.notes[index].startswith(f"{title} of new less that of old is certified: the exact difference is ")
        low, high = float(words[words.index("from") + 1]), float(words[words.index("to") + 1].rstrip(";"))
        exact = whole.models[0].differences[index].found.difference
        assert low < exact < high
        assert low <= parts.models[0].differences[index].found.difference <= high


def test_gates_are_decided_by_certain_bounds(monkeypatch):
    monkeypatch.setattr("evalcore.comparison.comparing_parts._CAPACITY", 16)
    parts = in_parts(QUESTION, 4, drawn(2000), drawn(2000, 4))
    area = parts.models[0].differences[0]
    (low, high), (least, most) = area.certain
    assert low < area.new < high
    assert least < area.found.difference < most
    for condition, outcome in {
        f"roc_area < {low!r}": "passed",
        f"roc_area < {area.new!r}": "undecided",
        f"roc_area < {high + 1e-9!r}": "failed",
        f"roc_area drops by {-least + 1e-9!r}": "passed",
        f"roc_area rises by {most - 1e-9!r}": "undecided",
        "brier_score < 1": "failed",
    }.items():
        result = check_comparison(parts, QUESTION, condition)
        assert result.lines[0].startswith(f"gate {outcome}: "), condition
    assert check_comparison(parts, QUESTION, "roc_area rises by 0.9", confident=True).passed


def test_intervals_of_ranks_come_close_to_those_of_all_rows(monkeypatch):
    monkeypatch.setattr("evalcore.comparison.comparing_parts._CAPACITY", 1 << 12)
    tables = drawn(20_000), drawn(20_000, 4)
    parts, whole = in_parts(QUESTION, 4, *tables), in_memory(QUESTION, *tables)
    for found, expected in zip(parts.models[0].differences[:2], whole.models[0].differences[:2], strict=True):
        assert found.found.method == "certified"
        assert found.error == pytest.approx(expected.error, rel=1e-3)
        assert (found.found.low, found.found.high) == pytest.approx((expected.found.low, expected.found.high), abs=2e-3)
        assert found.found.p_value == pytest.approx(expected.found.p_value, abs=0.05)
        assert found.verdict == expected.verdict


def test_intervals_of_ranks_hold_both_certain_bounds(monkeypatch):
    tables = drawn(20_000), drawn(20_000, 4)
    exact = in_parts(QUESTION, 4, *tables).models[0].differences
    monkeypatch.setattr("evalcore.comparison.comparing_parts._CAPACITY", 16)
    for wide, narrow in zip(in_parts(QUESTION, 4, *tables).models[0].differences[:2], exact, strict=False):
        assert wide.found.low < narrow.found.low
        assert wide.found.high > narrow.found.high
        assert wide.found.p_value == 1
        assert wide.verdict == "no difference shown"


def test_a_part_without_positives_leaves_ranks_without_an_interval():
    ids, late = np.arange(8), np.array([True] + [False] * 7)
    tables = [{"id": ids, "late": late, "score": scores} for scores in (ids / 8, ids[::-1] / 8)]
    found = in_parts(QUESTION, 4, *tables).models[0].differences[0]
    assert np.isnan([found.found.low, found.found.high, found.found.p_value]).all()
    assert (found.found.difference, found.verdict) == (1.0, "inconclusive")


def test_what_is_allowed_is_counted_over_all_parts():
    old, new = drawn(400), drawn(400, 4)
    old = {name: np.append(values[50:], values[60:63]) for name, values in old.items()}
    new = {name: np.append(values[20:], values[30:35]) for name, values in new.items()}
    question = QUESTION._replace(allow=frozenset({"missing", "repeated"}))
    parts, whole = in_parts(question, 8, old, new), in_memory(question, old, new)
    assert_same(parts, whole)
    assert parts.joins["new"].repeated_new == 5
    assert parts.joins["new"].only_new > 0


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"id": lambda ids: ids + 7}, r"both tables must have the same ids.*\(found in part [1-4] of 4, in which"),
        ({"id": lambda ids: ids % 700}, "must identify each row"),
        ({"late": np.logical_not}, "must hold one label for an id"),
        ({"score": lambda scores: np.where(scores > 0.5, np.nan, scores)}, "score"),
        ({"id": lambda ids: ids / 2}, "must hold whole numbers or text to join tables beyond the memory limit"),
    ],
)
def test_what_cannot_be_compared_is_refused_as_in_memory(change, refused):
    new = drawn(400, 4)
    new |= {name: changed(new[name]) for name, changed in change.items()}
    with pytest.raises((EvaluationError, EvaluationTypeError), match=refused):
        in_parts(QUESTION, 4, drawn(400), new)


ROWS = {
    "where": Rows(where="month >= 6 and Month < 9"),
    "nulls": Rows(nulls="drop"),
    "both": Rows(nulls="drop", where="month <> 7"),
}


@every(
    ("rows", "with_month"),
    [(rows, held) for rows in ROWS for held in ("old", "new", "both")],
)
def test_the_rows_that_are_kept_are_those_of_all_rows(rows, with_month):
    old, new = drawn(600), drawn(600, 4)
    for name, table in (("old", old), ("new", new)):
        if with_month in (name, "both"):
            table["month"] = table["id"] // 7 % 12
        table["score"][table["id"] % 23 == 1] = np.nan if ROWS[rows].nulls == "drop" else 0.5
    question = QUESTION._replace(rows=ROWS[rows], allow=frozenset({"missing"} if ROWS[rows].nulls == "drop" else ()))
    parts, whole = in_parts(question, 4, old, new), in_memory(question, old, new)
    assert_same(parts, whole)
    said = [[note for note in each.notes if note.startswith(("old: ", "new: "))] for each in (parts, whole)]
    assert said[0] == said[1] != []


def test_each_of_several_tables_counts_its_own_rows():
    tables = [drawn(60, seed) for seed in range(3)]
    for table in tables:
        table["month"] = table["id"] // 7 % 12
    question = QUESTION._replace(rows=Rows(where="month = 3"))
    said = [f"{name}: 5 of 60 rows meet the condition 'month = 3'" for name in ("old", "new", "newer")]
    for compared in (in_parts, lambda question, _, *tables: in_memory(question, *tables)):
        assert [note for note in compared(question, 2, *tables).notes if "condition" in note] == said


def test_a_condition_on_a_column_that_no_table_has_is_left_to_the_reader(tmp_path):
    question = QUESTION._replace(rows=Rows(where="month > 6"))
    tables_of(drawn(9), drawn(9, 4), folder=tmp_path)
    assert inspected_tables(question, [str(tmp_path / f"{name}.parquet") for name in ("old", "new")]) is None


@every(
    ("rows", "refused"),
    [
        (Rows(where="month > 20"), r"old\.parquet: none of 60 rows meets where month > 20"),
        (Rows(where="month < 20"), r"nulls in column 'score': 60, the first at index 0"),
        (Rows(nulls="drop"), r"no row is left: 60 of 60 rows are left out because of nulls: 60 in column 'score'"),
    ],
)
def test_rows_that_cannot_be_kept_are_refused_with_the_file(rows, refused):
    old, new = drawn(60), drawn(60, 4)
    old["month"] = old["id"] % 12
    old["score"] = pa.nulls(60, pa.float64())
    with pytest.raises(EvaluationError, match=refused):
        in_parts(QUESTION._replace(rows=rows, allow=frozenset({"missing"})), 4, old, new)


def test_tables_without_an_id_in_common():
    old, new = (drawn(40, ids=np.arange(40) << 56) for _ in range(2))  # far apart, in parts that one table leaves empty
    new["id"] = new["id"] + 1
    with pytest.raises(EvaluationError, match="all tables must have ids in common, got none in new"):
        in_parts(QUESTION._replace(allow=frozenset({"missing"})), 32, old, new)


def test_the_positive_label_may_lack_in_a_part():
    old, new = drawn(64), drawn(64, 4)
    labels = np.array(["no", "maybe"] * 31 + ["no", "yes"])
    for table in (old, new):
        table["late"] = labels[table["id"] // 7]
    question = QUESTION._replace(positive="yes")
    found = in_parts(question, 16, old, new)
    assert any("holds 2 labels other than 'yes'" in note for note in found.notes)
    assert "with one positive case, fewer than 30, intervals are rough" in " ".join(found.notes)
    with pytest.raises(EvaluationError, match="no row of column 'late' equals 'never'"):
        in_parts(question._replace(positive="never"), 4, old, new)


def test_losses_by_name_need_probabilities():
    old, new = drawn(40), drawn(40, 4)
    new["score"] = new["score"] + 1
    with pytest.raises(EvaluationError, match="measure 'log_loss' needs probabilities"):
        in_parts(QUESTION._replace(measures=("log_loss",)), 2, old, new)


@pytest.fixture(scope="module")
def large_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    tables_of(drawn(100_000), drawn(100_000, 4), folder=folder)
    return {each: str(folder / f"{each}.parquet") for each in ("old", "new")}


@every(
    ("asked", "name"),
    [
        ({"score": (), "predicted": ("score",), "thresholds": ()}, r"predicted classes \(--predicted\)"),
        ({"method": "bootstrap"}, "--method bootstrap"),
        (
            {"measures": ("maximum_f1", "ks")},
            r"intervals by the bootstrap \(maximum F1, Kolmogorov-Smirnov statistic\)",
        ),
        ({}, "more than 256 parts"),
    ],
)
def test_what_needs_all_rows_is_refused_by_name(large_files, asked, name):
    with pytest.raises(EvaluationError, match=f"{name} needs? all rows in memory, about .* allow more"):
        answer_in_parts(QUESTION._replace(**asked), large_files, 160_100_000, lambda *_: None)


def test_models_of_one_table_need_all_rows(tmp_path):
    tables_of(drawn(10_000), folder=tmp_path, question=QUESTION._replace(old_score="id"))
    with pytest.raises(
        EvaluationError,
        match=r"models in one table need all rows .*; name the file twice, with .* \(--id\), or ",
    ):
        answer_in_parts(
            QUESTION._replace(on=(), old_score="id"), {"old": str(tmp_path / "old.parquet")}, 160_000_001, print
        )


def test_tables_that_fit_are_left_to_others(tmp_path):
    tables_of(drawn(10), drawn(10, 4), folder=tmp_path)
    files = {each: str(tmp_path / f"{each}.parquet") for each in ("old", "new")}
    assert answer_in_parts(QUESTION, files, 256_000_000, print) is None
    assert answer_in_parts(QUESTION, files, None, print) is None


def test_progress_counts_the_rows_of_all_tables(tmp_path):
    seen, tables = [], tables_of(drawn(30), drawn(30, 4), folder=tmp_path)
    with split_tables(QUESTION, tables, 2, lambda *done: seen.append(done)) as parts:
        assert seen == [(30, 60), (60, 60)]
        for _ in range(2):
            read = list(parts.read())
            assert sum(old["id"].size for old, _ in read) == sum(new["new"]["id"].size for _, new in read) == 30


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_temporary_files_are_removed_after_errors_too(tmp_path, monkeypatch, error):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    opened = []

    def fail():
        with temporary_files(3) as files:
            files[0].write(b"rows")
            opened.extend(files)
            raise error

    with pytest.raises(error):
        fail()
    assert [file.closed for file in opened] == [True] * 3
    assert os.listdir(tmp_path) == []


def test_a_disk_that_is_full_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(EvaluationError, match=r"temporary files in .*: No space left on device"), temporary_files(1):
        raise OSError(28, "No space left on device")
