"""Weights of partitioned cases: whole ones stand for as many cases, to the last bit; others as in memory, to 1e-12."""

import re
import warnings
from fractions import Fraction

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.metrics
from dask import delayed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, evaluate, metrics
from evalcore.distributed import (
    average_precision_score,
    confusion_matrix,
    contingency,
    precision_recall_curve,
    report,
    roc_auc_score,
    roc_curve,
)
from evalcore.distributed.partitions import check_weight
from evalcore.errors import InvalidParameterError
from tests.differences import every
from tests.distributed.parted import equally, in_chunks, random_cases

pytestmark = pytest.mark.usefixtures("at_once")
DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
AREAS = {roc_auc_score: metrics.roc_auc_score, average_precision_score: metrics.average_precision_score}
CURVES = {roc_curve: metrics.roc_curve, precision_recall_curve: metrics.precision_recall_curve}


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


RNG = np.random.default_rng(4)
CASES = random_cases(600, levels=30)
WEIGHTS = RNG.gamma(0.7, size=600) * (RNG.random(600) < 0.9)
COLUMNS = CASES.correct, CASES.scores, WEIGHTS
AREA = sklearn.metrics.roc_auc_score(*COLUMNS[:2], sample_weight=WEIGHTS)
PRECISION = sklearn.metrics.average_precision_score(*COLUMNS[:2], sample_weight=WEIGHTS)


@every(("parts", "levels"), [(1, 30), (7, None), (10, 30)])
def test_results_are_those_of_scikit_learn_whatever_the_partitions(parts, levels):
    correct, scores = random_cases(600, levels)[::-1]
    labels, values, weights = in_chunks(equally(600, parts), correct, scores, WEIGHTS)
    for function in AREAS:
        expected = getattr(sklearn.metrics, function.__name__)(correct, scores, sample_weight=WEIGHTS)
        assert function(labels, values, sample_weight=weights, exact=True) == pytest.approx(expected, abs=1e-12)
    fpr, tpr, _ = roc_curve(labels, values, sample_weight=weights, exact=True)
    assert np.all(np.diff(fpr) >= 0)
    assert np.all(np.diff(tpr) >= 0)
    assert (fpr[-1], tpr[-1]) == (1.0, 1.0)


def test_cuts_are_learnt_by_weight():
    """Where few cases weigh much, intervals are narrow; cuts by the number of cases leave a width of 0.23."""
    cases = random_cases(20_000)
    weights = np.where(np.abs(cases.scores) < 0.02, 1000, 1)
    labels, values, heavy = in_chunks(equally(20_000, 5), cases.correct, cases.scores, weights)
    assert roc_auc_score(labels, values, sample_weight=heavy, capacity=256).width < 0.05


@every(("curve", "exact"), [(curve, exact) for curve in CURVES for exact in (True, False)])
def test_thinned_curves_have_points_of_the_whole_one(curve, exact):
    labels, values, weights = in_chunks(equally(600, 4), *COLUMNS)
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
    given = in_chunks([1, 1, 1, 1], labels, scores, weights)
    area = roc_auc_score(*given[:2], sample_weight=given[2], exact=True)
    assert area == float(Fraction(2**104, (2**53 + 1) * (2**53 - 1)))


CHUNKS = [2, 2]


def test_integers_whose_sum_may_not_fit_int64_are_refused():
    message = f"sample_weight must have a sum below 2**62, got {2**62}; divide the weights by a number"
    columns = in_chunks(CHUNKS, [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], [2**60] * 4)
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
         "partition 1: sample_weight must hold numbers, got dtype <U1, first sample_weight[0] = '1' (str)"),
        (da.ones((4, 2), chunks=(2, 2)), EvaluationError,
         "partition 1: sample_weight must be one-dimensional, got shape (2, 2)"),
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
    labels, values = in_chunks(CHUNKS, [1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])
    asks = [
        lambda: roc_auc_score(labels, values, sample_weight=weights, exact=True),
        lambda: roc_auc_score(labels, values, sample_weight=weights),
        lambda: roc_curve(labels, values, sample_weight=weights, exact=True),
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
    labels, values, weights = in_chunks(CHUNKS, [7, 2, 2, 2], [0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1])
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
    given = in_chunks(equally(len(rows), parts), *columns)
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
    y_true, y_pred, weight = in_chunks(CHUNKS, [1, 1, 1, 1], [1, 0, 1, 0], weights)
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
    labels, values, weights = in_chunks(equally(600, 3), *COLUMNS)
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
