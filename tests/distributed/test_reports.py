"""Groups, tables and reports of cases in partitions are those of all cases at once."""

import json
import math
import re
import warnings
from unittest import mock

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask import delayed
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evalcore import Contingency, EvaluationError, EvaluationTypeError, distributed, evaluate, metrics
from evalcore.distributed import confusion_matrix, contingency
from evalcore.distributed import groups as distributed_groups
from evalcore.distributed.groups import GroupsOfPartitions, GroupTable, number_groups
from evalcore.errors import InvalidParameterError
from tests.differences import every, refused
from tests.distributed.parted import EDGES, equally, in_chunks, parted, random_cases

pytestmark = pytest.mark.usefixtures("at_once")
WEIGHTINGS = [{}, {"weight_type": "frequency"}, {"weight_type": "sampling"}]


def frame_of(size, seed=0):
    """Cases of groups of unequal sizes, some of one class alone."""
    rng = np.random.default_rng(seed)
    carrier = rng.choice(["AA", "B, inc", "C", "D"], size, p=[0.5, 0.3, 0.15, 0.05])
    late = (rng.random(size) < 0.4) & (carrier != "D")
    columns = {"late": late, "model": np.round(rng.normal(late), 1), "carrier": carrier}
    return pd.DataFrame({**columns, "month": rng.integers(1, 4, size), "weight": rng.integers(0, 3, size)})


def records_of(found, model=0):
    """Values of each group, and of the total, by the names of statistics."""
    return {name: {item.name: item.value for item in items} for name, items in found.sections[model].records.items()}


def assert_same(found, expected, tolerance=0.0):
    assert list(found) == list(expected)
    for group, values in found.items():
        for name, value in values.items():
            np.testing.assert_allclose(value, expected[group][name], rtol=tolerance, atol=0, err_msg=f"{group} {name}")


@given(
    st.tuples(st.integers(5, 200), st.integers(0, 10**6)),
    st.integers(1, 5),
    st.sampled_from(["carrier", ["month", "carrier"]]),
    st.sampled_from(WEIGHTINGS),
    st.tuples(st.sampled_from([1 << 24, 20]), st.sampled_from([1 << 19, 10])),
)
def test_groups_have_the_numbers_of_a_report_in_memory(drawn, parts, by, weighting, limits):
    largest, of_a_bucket = limits
    frame = frame_of(*drawn)
    frame.loc[:1, "weight"] = 1
    frame.loc[0, "late"] = True
    weighted = {"weight": "weight", **weighting} if weighting else {}
    expected = evaluate(frame, label="late", score="model", by=by, **weighted)
    given_weights = {"sample_weight": "weight", **weighting} if weighting else {}
    with (
        mock.patch.object(distributed_groups, "LARGEST_TOGETHER", largest),
        mock.patch.object(distributed_groups, "_CASES_OF_A_BUCKET", of_a_bucket),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        parted_frame = dd.from_pandas(frame, npartitions=parts)
        found = distributed.evaluate("late", "model", data=parted_frame, by=by, exact=True, **given_weights)
    assert_same(records_of(found), records_of(expected), 1e-12 if weighting else 0.0)


def test_groups_are_exact_beside_a_total_with_bounds_of_arrays_and_large_ones_alone():
    frame = frame_of(3000)
    found = distributed.evaluate(
        "late", ["model", "weight"], data=dd.from_pandas(frame, npartitions=3), by="carrier", capacity=16
    )
    expected = evaluate(frame, label="late", score=["model", "weight"], by="carrier")
    for model in range(2):
        groups, exact = records_of(found, model), records_of(expected, model)
        (area,) = (item for item in found.sections[model].records["total"] if item.name == "roc_auc")
        assert area.interval.low <= exact["total"]["roc_auc"] <= area.interval.high
        del groups["total"], exact["total"]
        assert_same(groups, exact)
    frame = frame_of(300)
    arrays = [da.from_array(frame[name].to_numpy(), chunks=100) for name in ("late", "model", "month")]
    found = distributed.evaluate(arrays[0], arrays[1], by=arrays[2], exact=True)
    assert_same(records_of(found), records_of(evaluate(frame, label="late", score="model", by="month")))
    frame = frame_of(300)
    found = distributed.evaluate("late", "model", data=dd.from_pandas(frame, npartitions=2), by="carrier", min_cases=50)
    expected = evaluate(frame, label="late", score="model", by="carrier", min_cases=50)
    assert list(records_of(found)) == list(records_of(expected))
    assert found.notes == expected.notes[:1]
    assert "left out" in found.notes[0]


@every(
    ("options", "error", "message"),
    ({"by": "weather"}, EvaluationError, "no column 'weather'"),
    ({"by": "model"}, EvaluationError, r"partition \d: column 'model' must hold names, whole numbers or dates"),
    ({"by": "carrier", "groups": 2}, EvaluationError, r"partition \d: column 'carrier' must hold at most 2 groups"),
    ({"by": "carrier", "groups": 0}, EvaluationError, "groups must be at least 1, got 0"),
    ({"by": ["carrier", "carrier"]}, EvaluationError, "columns of groups must be distinct"),
    ({"groups": 2}, EvaluationError, "groups needs by, which names the column of groups"),
    ({"min_cases": 2}, EvaluationError, "min_cases needs by, which names the column of groups"),
    ({"by": 3}, EvaluationTypeError, "by must be the name of a column of data, got 3"),
)  # fmt: skip
def test_invalid_groups_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        distributed.evaluate("late", "model", data=dd.from_pandas(frame_of(100), npartitions=2), **options)


@every("missing", [None, pd.NA, math.nan, pd.NaT])
def test_missing_groups_are_refused(missing):
    frame = frame_of(100)
    frame["carrier"] = [missing, *["AA"] * 99] if missing is not pd.NaT else [missing, *[pd.Timestamp(0)] * 99]
    text = r"^partition 0: column 'carrier' at index 0 \(from 0\) is missing \((None|<NA>|nan|NaT)\)$"
    with pytest.raises(EvaluationError, match=text):
        distributed.evaluate("late", "model", data=dd.from_pandas(frame, npartitions=2, sort=False), by="carrier")


def test_buckets_get_about_equally_many_cases():
    sizes = np.arange(1, 1001) * 1000
    table = GroupTable((np.arange(1000),), sizes * 10**6, sizes)  # frequencies take no more room
    numbers = number_groups(table, GroupsOfPartitions(("carrier",), 1000))
    of_buckets = np.bincount(numbers.bucket_of, sizes)
    assert of_buckets.size == numbers.buckets == -(-sizes.sum() // distributed_groups._CASES_OF_A_BUCKET)
    assert of_buckets.max() < 2 * of_buckets.mean()


NAMES = "late", "model", "day"


def case_of(group):
    return [np.array([True]), np.array([0.5]), np.array([group])]


def test_groups_are_the_same_in_other_units_and_those_not_counted_are_an_error():
    groups = GroupsOfPartitions(("day",), 10)
    days = [np.datetime64("2026-01-02", unit) for unit in ("ns", "s", "us")]
    table = groups.merge([groups.counted(case_of(day), NAMES) for day in days])
    assert table.sizes.tolist() == [3]
    for day in days:
        ((found,),) = (part.groups for part in number_groups(table, groups).part(case_of(day), NAMES, None))
        assert found == 0
    groups = GroupsOfPartitions(("day",), 10)
    numbers = number_groups(groups.counted(case_of("Monday"), NAMES), groups)
    with pytest.raises(EvaluationError, match="column 'day' must hold the same groups whenever the data are computed"):
        numbers.part(case_of("Friday"), NAMES, None)


DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
POOLS = ([0, 1], [True, False], [-5, 3, 10**12], ["a", "b", "longer"], [0.0, 2.0], [7])
ARTICLES = [
    (["sports"], ["sports", "finance"]), (["politics"], "politics"), ([], None), ("world", ["politics"]),
    (["sports", "politics"], []),
]  # fmt: skip


def both(ask, in_memory):
    """Call both and return what they return, or the error's text, with the warnings."""
    answers = []
    for call in (ask, in_memory):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                answer = call()
                answer = (answer.tolist(), answer.dtype)
            except EvaluationError as error:
                answer = str(error)
        answers.append((answer, [(each.category, str(each.message)) for each in caught]))
    return answers


PAIRS = st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=1, max_size=30).map(lambda rows: np.array(rows).T)


@st.composite
def labelled(draw):
    pool = draw(st.sampled_from(POOLS))
    columns = np.array(pool)[draw(PAIRS) % len(pool)]
    size = columns.shape[1]
    edges = np.minimum(sorted(draw(EDGES)), size).astype(int)
    labels = draw(st.sampled_from([None, pool, pool[::-1], pool[:1]]))
    weights = np.array(draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    weights = draw(st.sampled_from([None, weights, weights / 3, weights.astype(np.float32) / 3]))
    assume(weights is None or weights.any())
    return columns, np.diff([0, *edges, size]).tolist(), labels, weights


@DRAWN
@given(labelled())
def test_a_table_is_that_of_all_cases_whatever_the_partitions(drawn):
    (y_true, y_pred), sizes, labels, weights = drawn
    given_weights = None if weights is None else in_chunks(sizes, weights)[0]
    found, expected = both(
        lambda: confusion_matrix(*parted(y_true, y_pred, sizes), labels=labels, sample_weight=given_weights),
        lambda: metrics.confusion_matrix(y_true, y_pred, labels=labels, sample_weight=weights),
    )
    if isinstance(expected[0], tuple) and expected[0][1].kind == "f":
        np.testing.assert_allclose(found[0][0], expected[0][0], rtol=1e-12)
        assert (found[0][1], found[1]) == (expected[0][1], expected[1])
    else:
        assert found == expected


def test_tables_come_from_frames_and_files_and_no_case_is_the_error_in_memory(tmp_path):
    frame = pd.DataFrame({"is": ["ash", "oak", "oak", "elm"], "tree": ["oak", "oak", "ash", "oak"]})
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "trees.parquet")
    expected = metrics.confusion_matrix(frame["is"], frame["tree"]).tolist()
    parts = dd.from_pandas(frame, npartitions=2)
    for arguments, data in [(("is", "tree"), parts), (("is", "tree"), tmp_path), ((parts["is"], parts["tree"]), None)]:
        assert confusion_matrix(*arguments, data=data).tolist() == expected
    none = np.array([], int)
    found, expected = both(
        lambda: confusion_matrix(*parted(none, none, [0, 0])), lambda: metrics.confusion_matrix(none, none)
    )
    assert found == expected
    assert "Found empty input array" in found[0]


KINDS = [delayed(np.array(["ash", "oak"])), delayed(np.array([1, 2]))]


@every(
    ("y_true", "y_pred", "weights", "message"),
    (KINDS, KINDS, None, "labels must be strings in all partitions or numbers in all partitions, got 'ash' and 1$"),
    (*parted([1.0, 2.0, 0.5], [1.0, 2.0, 1.0], [2, 1]), None,
     "partition 1: Classification metrics can't handle a mix of continuous and"),
    (*parted([1, 2, 3], ["a", "b", "c"], [2, 1]), None,
     r"partition 1: Mix of label input types \(string and number\)"),
    *((*in_chunks([2, 2], [1, 1, 1, 1], [1, 0, 1, 0], weights), message) for weights, message in (
        ([1, 1, -1, 1], r"partition 1: sample_weight\[0\] is -1; weights must not be negative$"),
        ([0, 0, 0, 0], "sample_weight must hold a weight above 0, got only zeros$"),
        ([1e308, 0, 1e308, 0], "sample_weight must have a finite sum, got infinity$"))),
)  # fmt: skip
def test_invalid_labels_and_weights_of_tables_are_named(y_true, y_pred, weights, message):
    with pytest.raises(EvaluationError, match=f"^{message}"):
        confusion_matrix(y_true, y_pred, sample_weight=weights)


def contingency_of(articles, categories):
    found = Contingency(categories)
    for assigned, correct in articles:
        found.add_result(assigned, correct)
    return found


CATEGORIES = ["sports", "politics", "finance", "world"]
CONTINGENCY = repr(contingency_of(ARTICLES, CATEGORIES))


@every("parts", [1, 2, 5])
def test_contingencies_of_bags_are_those_of_all_documents(parts):
    assigned, correct = (db.from_sequence(list(column), npartitions=parts) for column in zip(*ARTICLES, strict=True))
    found = contingency(CATEGORIES, assigned, correct)
    assert repr(found) == CONTINGENCY
    assert found.category_stats() == contingency_of(ARTICLES, CATEGORIES).category_stats()


def test_contingencies_come_from_matrices_series_and_files_and_errors_name_the_partition(tmp_path):
    masks = [
        np.array([[name in ([names] if isinstance(names, str) else names or []) for name in CATEGORIES]
                  for names in column])
        for column in zip(*ARTICLES, strict=True)
    ]  # fmt: skip
    assert repr(contingency(CATEGORIES, *(da.from_array(each, chunks=2) for each in masks))) == CONTINGENCY

    lists = [[[names] if isinstance(names, str) else names or [] for names in column] for column in
             zip(*ARTICLES, strict=True)]  # fmt: skip
    pq.write_table(pa.table({"given": lists[0], "has": lists[1]}), tmp_path / "articles.parquet", row_group_size=2)
    assert repr(contingency(CATEGORIES, "given", "has", data=tmp_path)) == CONTINGENCY
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dd.from_pandas(pd.DataFrame({"given": lists[0], "has": lists[1]}), npartitions=2)
        assert repr(contingency(CATEGORIES, "given", "has", data=frame)) == CONTINGENCY
    assigned = db.from_sequence([["sports"], [["sports"]]], npartitions=2)
    correct = db.from_sequence([["sports"], ["sports"]], npartitions=2)
    with pytest.raises(EvaluationTypeError, match=r"^partition 1: assigned\[0\]"):
        contingency(CATEGORIES, assigned, correct)
    with pytest.raises(EvaluationTypeError, match=r"^categories must be a list of names or a mapping, got 'sports'"):
        contingency("sports", assigned, correct)
    message = (
        "sample_weight must be None: a Contingency counts whole documents; for weights use "
        "evalcore.distributed.confusion_matrix(sample_weight=...)"
    )
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        contingency(["sports"], "given", "has", sample_weight="w")


CASES = random_cases(3000)
RNG = np.random.default_rng(4)
WEIGHTS = {"w": RNG.gamma(0.7, size=3000) * (RNG.random(3000) < 0.9), "n": RNG.integers(0, 4, 3000)}
FRAME = pd.DataFrame({"late": CASES.correct, "good": CASES.scores, "bad": -CASES.scores, **WEIGHTS})
PARTED = dd.from_pandas(FRAME, npartitions=3)
IN_MEMORY = evaluate(FRAME, label="late", score=["good", "bad"])


INFINITE = FRAME.assign(good=np.where(FRAME.good > 1, np.inf, np.where(FRAME.good < -1, -np.inf, FRAME.good)))
FRAMES = [*map(FRAME.round, (0, 1, 9)), INFINITE, FRAME.assign(late=False)]
WEIGHTED = [{"sample_weight": "w"}, {"sample_weight": "n"}, {"sample_weight": "n", "weight_type": "frequency"}]


@every(("frame", "weighting"), [*((frame, {}) for frame in FRAMES), *((FRAME, weighting) for weighting in WEIGHTED)])
def test_a_report_has_the_numbers_of_one_in_memory(frame, weighting):
    asked = {name.replace("sample_weight", "weight"): value for name, value in weighting.items()}
    in_memory = evaluate(frame, label="late", score=["good", "bad"], **asked)
    for exact in (True, False):
        check_report(dd.from_pandas(frame, npartitions=3), in_memory, weighting, exact)


def check_report(data, in_memory, weighting, exact):
    found = distributed.evaluate("late", ["good", "bad"], data=data, exact=exact, **weighting)
    sampled = weighting and "weight_type" not in weighting
    for model in ("good", "bad"):
        assert set(found[model]) == {
            "cases", "positives", "prevalence", "roc_auc", "average_precision", "maximum_f1",
            *(("weight", "effective_cases") if sampled else ()), *(("maximum_f1_threshold",) if exact else ()),
        }  # fmt: skip
        for name, value in found[model].items():
            expected = in_memory[model][name]
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12 if weighting else 0, err_msg=name)
            assert type(value) is type(expected)
    assert "late" in {line.split(",")[0] for line in repr(found).splitlines()}


def test_the_intervals_of_a_bounded_report_hold_the_exact_values():
    found = distributed.evaluate("late", ["good", "bad"], data=PARTED, capacity=32)
    assert "certified: exact values lie within the intervals" in repr(found)
    assert [json.loads(each.to_json())["computed"] for each in (found, IN_MEMORY)] == ["certified", "exact"]
    for model, statistics in found.to_dict()["scores"].items():
        for name in ("roc_auc", "average_precision", "maximum_f1"):
            assert statistics[f"{name}_low"] < IN_MEMORY[model][name] < statistics[f"{name}_high"]
        for name in ("cases", "positives", "prevalence"):
            assert statistics[name] == IN_MEMORY[model][name]


def test_columns_are_named_by_the_caller_or_by_what_they_are():
    arrays = parted(CASES.correct, CASES.scores, equally(3000, 3))
    for y_true, y_score, data, names in [
        (*arrays, None, ("y_true", ["y_score"])),
        (arrays[0], {"model": arrays[1]}, None, ("y_true", ["model"])),
        (PARTED["late"], PARTED["good"], None, ("late", ["good"])),
        ("late", "good", PARTED, ("late", ["good"])),
    ]:
        found = distributed.evaluate(y_true, y_score, data=data, exact=True)
        assert (found.question.label, list(found.sections[0].records)) == names
        assert found[names[1][0]]["roc_auc"] == IN_MEMORY["good"]["roc_auc"]


@every(
    ("y_score", "error", "message"),
    (["good", "good"], EvaluationError, "y_score must name each column once, got 'good', 'good'"),
    ([], EvaluationError, "y_score must name at least one column of scores, got none"),
    ({1: "good"}, EvaluationTypeError, "keys of y_score must be strings, got 1 (int)"),
)
def test_a_report_takes_each_column_once_and_at_least_one_by_a_name(y_score, error, message):
    with refused(message, error):
        distributed.evaluate("late", y_score, data=PARTED)


def test_a_report_says_its_positive_label_and_what_weighs_its_cases():
    labels = da.from_array(np.where(CASES.correct, "late", "on time"), chunks=1000)
    found = distributed.evaluate(labels, da.from_array(CASES.scores, chunks=1000), pos_label="late", exact=True)
    assert found["y_score"]["positives"] == IN_MEMORY["good"]["positives"]
    assert found.question.positive == "late"
    found = distributed.evaluate("late", "good", data=PARTED, sample_weight="n", weight_type="frequency", exact=True)
    assert found.question.weighting.in_titles == ", weighted by n (frequencies)"
    labels, values, weights = in_chunks(equally(3000, 3), CASES.correct, CASES.scores, WEIGHTS["w"])
    weighted = distributed.evaluate(labels, values, sample_weight=weights)
    assert weighted.question.weighting.in_titles == ", weighted by sample_weight (sampling weights)"


def test_a_common_factor_changes_the_weight_alone():
    weights = FRAME["w"].where(FRAME.index >= 1000, 0)  # a partition without weight
    for factor in (2.0**-900, 2.0**900):
        scaled = dd.from_pandas(FRAME.assign(w=weights, scaled=weights * factor), npartitions=3)
        expected, found = (
            distributed.evaluate("late", "good", data=scaled, sample_weight=name, exact=True)["good"]
            for name in ("w", "scaled")
        )
        assert found == pytest.approx({**expected, "weight": expected["weight"] * factor}, rel=1e-12)
        bounded = distributed.evaluate("late", "good", data=scaled, sample_weight="scaled")["good"]
        assert bounded["weight"] == pytest.approx(found["weight"], rel=1e-12)


@every(
    ("options", "error", "message"),
    ({"sample_weight": "broken", "weight_type": "frequency"}, EvaluationError,
     "partition 2: column 'broken' at index 250 (from 0) is 1.5; frequencies must be whole numbers (for other "
     "weights: weight_type='sampling')"),
    ({"sample_weight": "n", "weight_type": "frequencies"}, InvalidParameterError,
     "The 'weight_type' parameter of evaluate must be one of 'sampling', 'frequency', got 'frequencies' (str)"),
    ({"sample_weight": "none"}, EvaluationError, "column 'none' must hold a weight above 0, got only zeros"),
    ({"sample_weight": "many", "weight_type": "frequency"}, EvaluationError,
     "column 'many' must have a sum below 2**53, got about 1.35108e+16"),
)  # fmt: skip
def test_weights_that_a_report_does_not_take_are_named(options, error, message):
    rows = np.arange(3000)
    table = FRAME.assign(none=0, many=2**52 * (rows % 1000 == 0), broken=np.where(rows == 2250, 1.5, 1))
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        distributed.evaluate("late", "good", data=dd.from_pandas(table, npartitions=3), **options)
