"""Groups of partitioned cases have the numbers that a report in memory has of them."""

import math
import warnings
from unittest import mock

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, evaluate
from evalcore.distributed import groups as distributed_groups
from evalcore.distributed import report
from evalcore.distributed.groups import GroupsOfPartitions, GroupTable, number_groups
from tests.differences import every

pytestmark = pytest.mark.usefixtures("at_once")
WEIGHTINGS = [{}, {"weight_type": "frequency"}, {"weight_type": "sampling"}]


def frame_of(size, seed=0):
    """Cases of groups of unequal sizes, some of one class alone."""
    rng = np.random.default_rng(seed)
    carrier = rng.choice(["AA", "B, inc", "C", "D"], size, p=[0.5, 0.3, 0.15, 0.05])
    late = (rng.random(size) < 0.4) & (carrier != "D")
    return pd.DataFrame(
        {
            "late": late,
            "model": np.round(rng.normal(late), 1),
            "carrier": carrier,
            "month": rng.integers(1, 4, size),
            "weight": rng.integers(0, 3, size),
        }
    )


def records_of(found, model=0):
    """Values of each group, and of the total, by the names of statistics."""
    return {name: {item.name: item.value for item in items} for name, items in found.sections[model].records.items()}


def assert_same(found, expected, tolerance=0.0):
    assert list(found) == list(expected)
    for group, values in found.items():
        for name, value in values.items():
            np.testing.assert_allclose(value, expected[group][name], rtol=tolerance, atol=0, err_msg=f"{group} {name}")


@settings(max_examples=10)
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
        found = report(
            "late", "model", data=dd.from_pandas(frame, npartitions=parts), by=by, exact=True, **given_weights
        )
    assert_same(records_of(found), records_of(expected), 1e-12 if weighting else 0.0)


def test_groups_are_exact_beside_a_total_with_bounds():
    frame = frame_of(3000)
    found = report("late", ["model", "weight"], data=dd.from_pandas(frame, npartitions=3), by="carrier", capacity=16)
    expected = evaluate(frame, label="late", score=["model", "weight"], by="carrier")
    for model in range(2):
        groups, exact = records_of(found, model), records_of(expected, model)
        (area,) = (item for item in found.sections[model].records["total"] if item.name == "roc_area")
        assert area.interval.low <= exact["total"]["roc_area"] <= area.interval.high
        del groups["total"], exact["total"]
        assert_same(groups, exact)


def test_groups_of_arrays_need_no_table():
    frame = frame_of(300)
    arrays = [da.from_array(frame[name].to_numpy(), chunks=100) for name in ("late", "model", "month")]
    found = report(arrays[0], arrays[1], by=arrays[2], exact=True)
    assert_same(records_of(found), records_of(evaluate(frame, label="late", score="model", by="month")))


def test_small_groups_may_be_left_out_and_a_note_says_so():
    frame = frame_of(300)
    found = report("late", "model", data=dd.from_pandas(frame, npartitions=2), by="carrier", min_cases=50)
    expected = evaluate(frame, label="late", score="model", by="carrier", min_cases=50)
    assert list(records_of(found)) == list(records_of(expected))
    assert found.notes == expected.notes[:1]
    assert "left out" in found.notes[0]


@every(
    ("options", "error", "message"),
    [
        ({"by": "weather"}, EvaluationError, "no column 'weather'"),
        ({"by": "model"}, EvaluationError, r"partition \d: column 'model' must hold names, whole numbers or dates"),
        ({"by": "carrier", "groups": 2}, EvaluationError, r"partition \d: column 'carrier' must hold at most 2 groups"),
        ({"by": "carrier", "groups": 0}, EvaluationError, "groups must be at least 1, got 0"),
        ({"by": ["carrier", "carrier"]}, EvaluationError, "columns of groups must be distinct"),
        ({"groups": 2}, EvaluationError, "groups needs by, which names the column of groups"),
        ({"min_cases": 2}, EvaluationError, "min_cases needs by, which names the column of groups"),
        ({"by": 3}, EvaluationTypeError, "by must be the name of a column of data, got 3"),
    ],
)  # fmt: skip
def test_invalid_groups_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        report("late", "model", data=dd.from_pandas(frame_of(100), npartitions=2), **options)


@every("missing", [None, pd.NA, math.nan, pd.NaT])
def test_missing_groups_are_refused(missing):
    frame = frame_of(100)
    frame["carrier"] = [missing, *["AA"] * 99] if missing is not pd.NaT else [missing, *[pd.Timestamp(0)] * 99]
    with pytest.raises(
        EvaluationError, match=r"^partition 0: column 'carrier'\[0\] is missing \((None|<NA>|nan|NaT)\)$"
    ):
        report("late", "model", data=dd.from_pandas(frame, npartitions=2, sort=False), by="carrier")


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


def test_dates_in_other_units_are_the_same_groups():
    groups = GroupsOfPartitions(("day",), 10)
    days = [np.datetime64("2026-01-02", unit) for unit in ("ns", "s", "us")]
    table = groups.merge([groups.counted(case_of(day), NAMES) for day in days])
    assert table.sizes.tolist() == [3]
    for day in days:
        ((found,),) = (part.groups for part in number_groups(table, groups).part(case_of(day), NAMES, None))
        assert found == 0


def test_groups_that_were_not_counted_are_an_error():
    groups = GroupsOfPartitions(("day",), 10)
    numbers = number_groups(groups.counted(case_of("Monday"), NAMES), groups)
    with pytest.raises(EvaluationError, match="column 'day' must hold the same groups whenever the data are computed"):
        numbers.part(case_of("Friday"), NAMES, None)
