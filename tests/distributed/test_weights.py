"""Weights of partitioned cases: whole ones stand for as many cases, to the last bit; others as in memory, to 1e-12."""

import re
import warnings
from fractions import Fraction
from unittest import mock

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.metrics
from dask import delayed
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, evaluate, metrics
from evalcore.distributed import (
    average_precision_score,
    confusion_matrix,
    contingency,
    precision_recall_curve,
    precision_recall_curve_arrays,
    report,
    roc_auc_score,
    roc_curve,
    roc_curve_arrays,
)
from evalcore.distributed.on_dask import range_shuffle
from evalcore.distributed.on_dask.columns import dask_columns as partitioned_columns
from evalcore.distributed.partitions import range_statistics as exact_route
from evalcore.distributed.partitions.partition_tasks import check_weight, sort_partition
from evalcore.distributed.partitions.range_statistics import MAXIMUM_F1, exact_statistics
from evalcore.distributed.partitions.sorted_partitions import CutPartition, WeightedScores, merge_pieces
from evalcore.errors import InvalidParameterError
from tests.differences import every
from tests.distributed.parted import equally, partitioned, random_cases
from tests.reference import weighted_scores as slow

pytestmark = pytest.mark.usefixtures("at_once")
DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
AREAS = {roc_auc_score: metrics.roc_auc_score, average_precision_score: metrics.average_precision_score}
CURVES = {roc_curve: metrics.roc_curve, precision_recall_curve: metrics.precision_recall_curve}
ARRAYS = {roc_curve_arrays: metrics.roc_curve, precision_recall_curve_arrays: metrics.precision_recall_curve}
WHOLE, FRACTIONS = [0, 1, 1, 2, 5], [0.0, 0.1, 0.3, 2.5, 1e3]


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def parted(sizes, *columns):
    return [da.from_array(np.asarray(column), chunks=(tuple(sizes),)) for column in columns]


@st.composite
def weighted(draw, pool, dtype=None):
    """Draw labels, scores and weights, not all of them zero, and sizes of partitions."""
    (scores, correct), sizes = draw(partitioned(finite=True, least=1))
    weights = np.array(draw(st.lists(st.sampled_from(pool), min_size=scores.size, max_size=scores.size)), dtype)
    weights[0] = weights[0] or 3
    return (correct, scores, weights), sizes


def arrays(given):
    """Return the function for cases in memory of each curve, and its arrays, all of them computed at once."""
    labels, scores, weights = given
    found = dask.compute(*(function(labels, scores, sample_weight=weights) for function in ARRAYS))
    return zip(ARRAYS.values(), found, strict=True)


def exact_area(correct, scores, weights):
    """The chance that a positive is above a negative, in fractions."""
    cases = list(zip(correct.tolist(), scores.tolist(), map(Fraction, weights.tolist()), strict=True))
    positives, negatives = ([case for case in cases if case[0] is side] for side in (True, False))
    won = sum(
        own * other * (2 * (score > below) + (score == below))
        for _, score, own in positives
        for _, below, other in negatives
    )
    pairs = sum(case[2] for case in positives) * sum(case[2] for case in negatives)
    return won / (2 * pairs) if pairs else None


ONE_SCORE_IN_ALL = (np.array([1, 0, 1, 0, 1], bool), np.full(5, 0.5), np.array([2, 3, 1, 1, 4])), [2, 0, 3]


@DRAWN
@given(st.one_of(weighted(WHOLE), weighted(WHOLE, np.float64), weighted(WHOLE, np.float32)))
@example(ONE_SCORE_IN_ALL)
def test_whole_weights_stand_for_as_many_cases_to_the_last_bit(drawn):
    columns, sizes = drawn
    correct, scores, weights = columns
    repeated = [np.repeat(column, weights.astype(int)) for column in (correct, scores)]
    given = parted(sizes, *columns)
    for function, in_memory in AREAS.items():
        found = quietly(function, *given[:2], sample_weight=given[2], exact=True)
        np.testing.assert_equal(float(found), float(quietly(in_memory, *repeated)))
        np.testing.assert_equal(float(found), float(quietly(in_memory, correct, scores, sample_weight=weights)))
    for in_memory, found in arrays(given):
        expected = quietly(in_memory, *repeated, drop_intermediate=False)
        for column, whole in zip(found, expected, strict=True):
            np.testing.assert_array_equal(column, whole.astype(np.float64))


@DRAWN
@given(weighted(FRACTIONS))
@example(((np.array([1, 0], bool), np.array([0.5, 0.25]), np.array([1e308, 0.5])), [1, 1]))
@example(((np.array([1, 0], bool), np.array([0.5, 0.25]), np.array([5e-324, 5e-324])), [1, 1]))
def test_other_weights_give_what_all_cases_at_once_do_to_1e_12(drawn):
    columns, sizes = drawn
    given = parted(sizes, *columns)
    correct, scores, weights = columns
    area = quietly(roc_auc_score, *given[:2], sample_weight=given[2], exact=True)
    expected = exact_area(*columns)
    if expected is None:
        assert np.isnan(area)
    else:
        assert area == pytest.approx(float(expected), abs=1e-12)
        assert area.exact or area.low <= expected <= area.high
        assert area.exact == (not (weights % 1).any())
        assert area.width < 5e-12
    precision = quietly(average_precision_score, *given[:2], sample_weight=given[2], exact=True)
    in_memory = quietly(metrics.average_precision_score, correct, scores, sample_weight=weights)
    assert precision == pytest.approx(in_memory, abs=1e-12)
    average = slow.answers(zip(scores, correct, weights, strict=True), {"average_precision": ()})["average_precision"]
    assert precision.exact or precision.low <= average <= precision.high
    for in_memory, found in arrays(given):
        expected = quietly(in_memory, correct, scores, sample_weight=weights, drop_intermediate=False)
        for column, whole in zip(found, expected, strict=True):
            np.testing.assert_allclose(column, whole.astype(np.float64), rtol=0, atol=1e-12)


@DRAWN
@given(st.one_of(weighted(WHOLE), weighted(FRACTIONS)), st.sampled_from([4, 65_536]))
def test_bounds_hold_the_exact_areas_and_meet_where_the_distinct_scores_fit(drawn, capacity):
    (correct, scores, weights), sizes = drawn
    expected = exact_area(correct, scores, weights)
    if expected is None:
        return
    labels, values, parted_weights = parted(sizes, correct, scores, weights)
    area = roc_auc_score(labels, values, sample_weight=parted_weights, capacity=capacity)
    assert area.low <= float(expected) <= area.high
    precision = average_precision_score(labels, values, sample_weight=parted_weights, capacity=capacity)
    in_memory = metrics.average_precision_score(correct, scores, sample_weight=weights)
    assert precision.low - 1e-14 <= in_memory <= precision.high + 1e-14
    if capacity > 4:
        assert max(area.width, precision.width) < (1e-300 if weights.dtype.kind == "i" else 1e-12)


RNG = np.random.default_rng(4)
CASES = random_cases(600, levels=30)
WEIGHTS = RNG.gamma(0.7, size=600) * (RNG.random(600) < 0.9)
COLUMNS = CASES.correct, CASES.scores, WEIGHTS
AREA = sklearn.metrics.roc_auc_score(*COLUMNS[:2], sample_weight=WEIGHTS)
PRECISION = sklearn.metrics.average_precision_score(*COLUMNS[:2], sample_weight=WEIGHTS)


@every(
    ("at_once", "parts", "levels", "slice_size"), [(64, 1, 30, 7), (64, 7, None, 9), (3, 10, 30, 5), (2, 9, None, 99)]
)
def test_results_are_those_of_scikit_learn_whatever_the_partitions(at_once, parts, levels, slice_size):
    correct, scores = random_cases(600, levels)[::-1]
    labels, values, weights = parted(equally(600, parts), correct, scores, WEIGHTS)
    with mock.patch.object(range_shuffle, "MOST_AT_ONCE", at_once), mock.patch.object(exact_route, "SLICE", slice_size):
        for function in (roc_auc_score, average_precision_score):
            expected = getattr(sklearn.metrics, function.__name__)(correct, scores, sample_weight=WEIGHTS)
            assert function(labels, values, sample_weight=weights, exact=True) == pytest.approx(expected, abs=1e-12)
        found = dask.compute(*roc_curve_arrays(labels, values, sample_weight=weights))
    present = WEIGHTS > 0
    expected = sklearn.metrics.roc_curve(
        correct[present], scores[present], sample_weight=WEIGHTS[present], drop_intermediate=False
    )
    for column, whole in zip(found, expected, strict=True):
        np.testing.assert_allclose(column, whole, rtol=0, atol=1e-12)
    assert all(np.all(np.diff(rates) >= 0) for rates in found[:2])
    assert (found[0][-1], found[1][-1]) == (1.0, 1.0)


def test_cases_of_many_scores_keep_a_score_and_a_weight_each():
    scores = RNG.random(1000, np.float32)
    columns = [scores < 0.5, scores, np.ones(1000)]
    piece = sort_partition(columns, ["y_true", "y_score", "sample_weight"], None)
    cut = CutPartition(piece, np.array([0.5]), 2)
    merged = merge_pieces(cut.pieces)
    for each in (piece, *cut.pieces, merged):
        assert isinstance(each, WeightedScores)
        assert (each.scores.dtype, each.weights.dtype) == (np.float32, np.int64)
    assert all(column.base is None for piece in cut.pieces for column in piece)
    np.testing.assert_array_equal(merged.scores, np.sort(scores)[::-1])


def test_cuts_are_learnt_by_weight():
    """Where few cases weigh much, intervals are narrow; cuts by the number of cases leave a width of 0.23."""
    cases = random_cases(20_000)
    weights = np.where(np.abs(cases.scores) < 0.02, 1000, 1)
    labels, values, heavy = parted(equally(20_000, 5), cases.correct, cases.scores, weights)
    assert roc_auc_score(labels, values, sample_weight=heavy, capacity=256).width < 0.05


@every("levels", [30, None])
def test_the_maximum_f1_and_its_threshold_are_those_of_all_thresholds(levels):
    correct, scores = random_cases(60, levels)[::-1]
    labels, values, parted_weights = parted(equally(60, 5), correct, scores, WEIGHTS[:60])
    columns = partitioned_columns(labels, values, None, parted_weights)
    _, (best,) = exact_statistics(columns, None, MAXIMUM_F1)
    expected = {
        threshold: sklearn.metrics.f1_score(correct, scores >= threshold, sample_weight=WEIGHTS[:60])
        for threshold in np.unique(scores).tolist()
    }
    assert best.value == pytest.approx(max(expected.values()), abs=1e-12)
    assert expected[best.threshold] == pytest.approx(best.value, abs=1e-12)


@every(("curve", "exact"), [(curve, exact) for curve in CURVES for exact in (True, False)])
def test_thinned_curves_have_points_of_the_whole_one(curve, exact):
    labels, values, weights = parted(equally(600, 4), *COLUMNS)
    few = curve(labels, values, sample_weight=weights, exact=exact, tolerance=0.02)
    whole = CURVES[curve](*COLUMNS[:2], sample_weight=WEIGHTS, drop_intermediate=False)
    ranks = {threshold: rank for rank, threshold in enumerate(whole[2].tolist())}
    chosen = [ranks[threshold] for threshold in few[2].tolist()]
    assert 4 < len(chosen) < 60
    for column, full in zip(few[:2], whole[:2], strict=True):
        np.testing.assert_allclose(column[: len(chosen)], full[chosen], rtol=0, atol=1e-12)


def test_weights_come_from_arrays_series_frames_delayed_objects_and_files(tmp_path):
    table = pd.DataFrame({"late": CASES.correct, "model": CASES.scores, "w": WEIGHTS})
    frame = dd.from_pandas(table, npartitions=3)
    for part, rows in enumerate((slice(0, 250), slice(250, 250), slice(250, 600))):
        pq.write_table(pa.Table.from_pandas(table[rows], preserve_index=False), tmp_path / f"part.{part}.parquet")
    split = [[delayed(part) for part in np.array_split(column, 3)] for column in COLUMNS]
    arrays = [da.from_array(column, chunks=size) for column, size in zip(COLUMNS, (150, 170, 90), strict=True)]
    sources = [
        (arrays, None), ((frame["late"], frame["model"], frame["w"]), None), (split, None),
        (("late", "model", "w"), frame), (("late", "model", "w"), tmp_path),
    ]  # fmt: skip
    for (labels, values, weights), data in sources:
        for exact in (True, False):
            found = roc_auc_score(labels, values, data=data, sample_weight=weights, exact=exact)
            assert found == pytest.approx(AREA, abs=1e-12)


def test_partitions_may_be_empty_or_of_no_weight_and_of_any_type():
    labels = [np.array([1, 0]), np.array([], int), np.array([1, 0]), np.array([0, 1])]
    scores = [np.array([0.5, 0.25]), np.array([]), np.array([0.9, 0.95]), np.array([0.3, 0.4])]
    weights = [np.array([2, 3]), np.array([]), np.array([0.0, 0.0]), np.array([1.0, 4.0], np.float32)]
    given = [[delayed(part) for part in column] for column in (labels, scores, weights)]
    repeated = [1, 1, 0, 0, 0, 0, 1, 1, 1, 1], [0.5, 0.5, 0.25, 0.25, 0.25, 0.3, 0.4, 0.4, 0.4, 0.4]
    for function, in_memory in AREAS.items():
        for exact in (True, False):
            assert function(*given[:2], sample_weight=given[2], exact=exact) == in_memory(*repeated)


def test_sums_beyond_2_to_the_53_stay_exact():
    labels, scores = [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4]
    weights = np.array([2**52 + 1, 2**52, 2**52, 2**52 - 1])
    area = roc_auc_score(*parted([1, 1, 1, 1], labels, scores), sample_weight=parted([1] * 4, weights)[0], exact=True)
    expected = exact_area(np.array(labels, bool), np.array(scores), weights)
    assert area == float(expected)


CHUNKS = [2, 2]


def test_integers_whose_sum_may_not_fit_int64_are_refused():
    message = f"sample_weight must have a sum below 2**62, got {2**62}; divide the weights by a number"
    columns = parted(CHUNKS, [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], [2**60] * 4)
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        check_weight(2**62, ["y_true", "y_score", "sample_weight"])
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        roc_auc_score(*columns[:2], sample_weight=columns[2])


SERIES = dd.from_pandas(pd.DataFrame({"late": [0, 1, 1]}), npartitions=2)


@every(
    ("weights", "error", "message"),
    [
        (da.from_array([1, 1, 1, -2], chunks=2), EvaluationError,
         "partition 1: sample_weight[1] is -2; weights must not be negative"),
        (da.from_array([1, np.nan, 1, 1], chunks=2), EvaluationError,
         "partition 0: sample_weight[1] is NaN; weights must be finite"),
        (da.from_array([1, 1, np.inf, 1], chunks=2), EvaluationError,
         "partition 1: sample_weight[0] is inf; weights must be finite"),
        (da.from_array([0, 0, 0, 0], chunks=2), EvaluationError,
         "sample_weight must hold a weight above 0, got only zeros"),
        (da.from_array([0.0, 0, 0, 0], chunks=2), EvaluationError,
         "sample_weight must hold a weight above 0, got only zeros"),
        (da.from_array([1e308, 1.5, 1e308, 0], chunks=2), EvaluationError,
         "sample_weight must have a finite sum, got infinity"),
        (da.from_array([1e308, 1e308, 1, 1], chunks=2), EvaluationError,
         "partition 0: sample_weight must have a finite sum, got weights up to 1e+308"),
        (da.from_array(["1", "1", "1", "1"], chunks=2), EvaluationTypeError,
         "partition 1: sample_weight must hold numbers, got dtype <U1"),
        (da.ones((4, 2), chunks=(2, 2)), EvaluationError,
         "partition 1: sample_weight must hold one weight for each of 2 cases, got shape (2, 2)"),
        (da.ones(5, chunks=2), EvaluationError, "sample_weight and y_score must be equally long, got 5 and 4"),
        ([delayed(np.ones(2)), delayed(np.ones(3))], EvaluationError,
         "partition 1: sample_weight must hold one weight for each of 2 cases, got 3"),
        ([delayed(np.ones(2))], EvaluationError,
         "sample_weight and y_score must have equally many partitions, got 1 and 2; repartition one of them"),
        (da.ones(4, chunks=2).sum(), EvaluationError, "sample_weight must be one-dimensional, got shape ()"),
        ([1, 1, 1, 1], EvaluationTypeError,
         "sample_weight must be a dask array or Series, or the name of a column of data, got [1, 1, 1, 1] (list); "
         "evalcore.metrics takes arrays in memory"),
        ("w", EvaluationTypeError, "sample_weight names a column, 'w', but data is not given; pass data=..."),
    ],
)  # fmt: skip
def test_invalid_weights_are_named(weights, error, message):
    labels, values = parted(CHUNKS, [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])
    asks = [
        lambda: roc_auc_score(labels, values, sample_weight=weights, exact=True),
        lambda: roc_auc_score(labels, values, sample_weight=weights),
        lambda: dask.compute(*roc_curve_arrays(labels, values, sample_weight=weights)),
    ]
    for ask in asks:
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            ask()


def test_weights_of_a_column_are_named_by_it(tmp_path):
    table = pd.DataFrame({"late": [1, 0, 1, 0], "model": [0.1, 0.2, 0.3, 0.4], "w": [1, 1, 1, -1.5]})
    path = tmp_path / "all.parquet"
    pq.write_table(pa.Table.from_pandas(table), path)
    negative = "column 'w' at index {} (from 0) is -1.5; weights must not be negative"
    for data, message in (
        (dd.from_pandas(table, npartitions=2), f"partition 1: {negative.format(1)}"),
        (path, f"partition 0: {path}: {negative.format(3)}"),
    ):
        with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
            roc_auc_score("late", "model", data=data, sample_weight="w", exact=True)
        with pytest.raises(EvaluationError, match=r"no column 'weight'; the columns are 'late', 'model', 'w'$"):
            roc_auc_score("late", "model", data=data, sample_weight="weight", exact=True)


def test_a_positive_label_without_weight_is_not_there():
    labels, values, weights = parted(CHUNKS, [7, 2, 2, 2], [0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1])
    message = "pos_label=7 is not a valid label: no value of y_true with a weight above 0 equals it"
    for exact in (True, False):
        with pytest.raises(EvaluationError, match=f"^{message}$"):
            roc_auc_score(labels, values, pos_label=7, sample_weight=weights, exact=exact)


LABELS = np.array(["ash", "oak", "elm"])


@DRAWN
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 2, st.integers(0, 4)), min_size=1, max_size=20),
    st.integers(1, 4),
    st.sampled_from([int, float, np.float32]),
    st.sampled_from([None, ["oak", "ash"]]),
)
def test_a_weighted_table_is_that_of_all_cases(rows, parts, dtype, labels):
    y_true, y_pred, weights = np.array(rows).T
    columns = LABELS[y_true], LABELS[y_pred], weights.astype(dtype) / (1 if dtype is int else 3)
    if not weights.any():
        return
    given = parted(equally(len(rows), parts), *columns)
    found, expected = [], []
    for answers, function, (true, pred, weight) in (
        (found, confusion_matrix, given), (expected, metrics.confusion_matrix, columns)
    ):  # fmt: skip
        try:
            answers.append(quietly(function, true, pred, labels=labels, sample_weight=weight))
        except EvaluationError as error:
            answers.append(str(error))
    assert type(found[0]) is type(expected[0])
    if isinstance(found[0], str):
        assert found == expected
    else:
        assert found[0].dtype == expected[0].dtype
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)


@every(
    ("weights", "message"),
    [
        ([1, 1, -1, 1], "partition 1: sample_weight[0] is -1; weights must not be negative"),
        ([0, 0, 0, 0], "sample_weight must hold a weight above 0, got only zeros"),
        ([1e308, 0, 1e308, 0], "sample_weight must have a finite sum, got infinity"),
    ],
)
def test_invalid_weights_of_tables_are_named(weights, message):
    y_true, y_pred, weight = parted(CHUNKS, [1, 1, 1, 1], [1, 0, 1, 0], weights)
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        confusion_matrix(y_true, y_pred, sample_weight=weight)


def test_documents_are_counted_and_take_no_weights():
    message = (
        "sample_weight must be None: a Contingency counts whole documents; for weights use "
        "evalcore.distributed.confusion_matrix(sample_weight=...)"
    )
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        contingency(["sports"], "given", "has", sample_weight="w")


FRAME = pd.DataFrame({"late": CASES.correct, "model": CASES.scores, "w": WEIGHTS, "n": RNG.integers(0, 4, 600)})
PARTED = dd.from_pandas(FRAME, npartitions=3)


@every(
    ("weights", "weight_type", "exact"),
    [(*each, exact) for each in (("w", "sampling"), ("n", "sampling"), ("n", "frequency")) for exact in (True, False)],
)
def test_a_weighted_report_has_the_numbers_of_one_in_memory(weights, weight_type, exact):
    found = report("late", "model", data=PARTED, sample_weight=weights, weight_type=weight_type, exact=exact)["model"]
    in_memory = evaluate(FRAME, label="late", score="model", weight=weights, weight_type=weight_type)["model"]
    assert set(found) - {"maximum_f1_score"} == {
        "cases", "positives", "prevalence", "roc_area", "average_precision", "maximum_f1",
        *(() if weight_type == "frequency" else ("weight", "effective_cases")),
    }  # fmt: skip
    for name, value in found.items():
        assert value == pytest.approx(in_memory[name], abs=1e-12)
        assert type(value) is type(in_memory[name])


def test_a_common_factor_changes_the_weight_alone():
    weights = FRAME["w"].where(FRAME.index >= 200, 0)  # a partition without weight
    for factor in (2.0**-900, 2.0**900):
        scaled = dd.from_pandas(FRAME.assign(w=weights, scaled=weights * factor), npartitions=3)
        expected, found = (
            report("late", "model", data=scaled, sample_weight=name, exact=True)["model"] for name in ("w", "scaled")
        )
        assert found == pytest.approx({**expected, "weight": expected["weight"] * factor}, rel=1e-12)


def test_a_report_says_what_weighs_its_cases():
    found = report("late", "model", data=PARTED, sample_weight="n", weight_type="frequency", exact=True)
    assert found.question.weighting.described() == "n (frequencies)"
    labels, values, weights = parted(equally(600, 3), *COLUMNS)
    assert report(labels, values, sample_weight=weights).question.weighting.described() == (
        "sample_weight (sampling weights)"
    )


@every(
    ("options", "error", "message"),
    [
        ({"sample_weight": "broken", "weight_type": "frequency"}, EvaluationError,
         "partition 2: column 'broken' at index 50 (from 0) is 1.5; frequencies must be whole numbers (for other "
         "weights: weight_type='sampling')"),
        ({"sample_weight": "n", "weight_type": "frequencies"}, InvalidParameterError,
         "The 'weight_type' parameter of report must be one of 'sampling', 'frequency', got 'frequencies' (str)"),
        ({"sample_weight": "none"}, EvaluationError, "column 'none' must hold a weight above 0, got only zeros"),
        ({"sample_weight": "many", "weight_type": "frequency"}, EvaluationError,
         "column 'many' must have a sum below 2**53, got about 1.35108e+16"),
    ],
)  # fmt: skip
def test_weights_that_a_report_does_not_take_are_named(options, error, message):
    rows = np.arange(600)
    table = FRAME.assign(none=0, many=2**52 * (rows % 200 == 0), broken=np.where(rows == 450, 1.5, 1))
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        report("late", "model", data=dd.from_pandas(table, npartitions=3), **options)
