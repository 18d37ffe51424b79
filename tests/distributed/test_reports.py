"""Reports of partitioned cases say what those of all cases at once do."""

import re

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from evalcore import EvaluationError, EvaluationTypeError, distributed, evaluate
from evalcore.errors import InvalidParameterError
from tests.differences import every, refused
from tests.distributed.parted import equally, in_chunks, parted, random_cases

pytestmark = pytest.mark.usefixtures("at_once")
CASES = random_cases(3000)
RNG = np.random.default_rng(4)
WEIGHTS = {"w": RNG.gamma(0.7, size=3000) * (RNG.random(3000) < 0.9), "n": RNG.integers(0, 4, 3000)}
FRAME = pd.DataFrame({"late": CASES.correct, "good": CASES.scores, "bad": -CASES.scores, **WEIGHTS})
PARTED = dd.from_pandas(FRAME, npartitions=3)
IN_MEMORY = evaluate(FRAME, label="late", score=["good", "bad"])


@every("decimals", [0, 1, 9])
def test_an_exact_report_has_the_numbers_of_one_in_memory(decimals):
    rounded = FRAME.round(decimals)
    found = distributed.evaluate("late", ["good", "bad"], data=dd.from_pandas(rounded, npartitions=3), exact=True)
    in_memory = evaluate(rounded, label="late", score=["good", "bad"])
    for model in ("good", "bad"):
        assert len(found[model]) == 7
        assert found[model] == {name: in_memory[model][name] for name in found[model]}
    assert repr(found).splitlines()[0] == "late"


@every("exact", [True, False])
def test_a_report_takes_infinite_scores_as_one_in_memory(exact):
    infinite = FRAME.assign(good=np.where(FRAME.good > 1, np.inf, np.where(FRAME.good < -1, -np.inf, FRAME.good)))
    found = distributed.evaluate("late", "good", data=dd.from_pandas(infinite, npartitions=3), exact=exact)["good"]
    in_memory = evaluate(infinite, label="late", score="good")["good"]
    assert found == {name: in_memory[name] for name in found}


def test_the_intervals_of_a_bounded_report_hold_the_exact_values():
    found = distributed.evaluate("late", ["good", "bad"], data=PARTED, capacity=32)
    assert "certified: exact values lie within the intervals" in repr(found)
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


@every("exact", [True, False])
def test_without_positives_undefined_statistics_are_as_in_memory(exact):
    none = da.zeros(6, chunks=4, dtype=bool)
    found = distributed.evaluate(none, da.arange(6, chunks=4), exact=exact)["y_score"]
    in_memory = evaluate({"y": np.zeros(6, bool), "y_score": np.arange(6)}, label="y", score="y_score")["y_score"]
    for name, value in found.items():
        np.testing.assert_equal(value, in_memory[name])


@every(
    ("y_score", "error", "message"),
    (["good", "good"], EvaluationError, "y_score must name each column once, got 'good', 'good'"),
    ([], EvaluationError, "y_score must name at least one column of scores, got none"),
    ({1: "good"}, EvaluationTypeError, "keys of y_score must be strings, got 1 (int)"),
)
def test_a_report_takes_each_column_once_and_at_least_one_by_a_name(y_score, error, message):
    with refused(message, error):
        distributed.evaluate("late", y_score, data=PARTED)


def test_the_positive_label_may_be_named():
    labels = da.from_array(np.where(CASES.correct, "late", "on time"), chunks=1000)
    found = distributed.evaluate(labels, da.from_array(CASES.scores, chunks=1000), pos_label="late", exact=True)
    assert found["y_score"]["positives"] == IN_MEMORY["good"]["positives"]
    assert found.question.positive == "late"


@every(
    ("weights", "weight_type", "exact"),
    [(*each, exact) for each in (("w", "sampling"), ("n", "sampling"), ("n", "frequency")) for exact in (True, False)],
)
def test_a_weighted_report_has_the_numbers_of_one_in_memory(weights, weight_type, exact):
    found = distributed.evaluate(
        "late", "good", data=PARTED, sample_weight=weights, weight_type=weight_type, exact=exact
    )["good"]
    in_memory = evaluate(FRAME, label="late", score="good", weight=weights, weight_type=weight_type)["good"]
    assert set(found) - {"maximum_f1_threshold"} == {
        "cases", "positives", "prevalence", "roc_auc", "average_precision", "maximum_f1",
        *(() if weight_type == "frequency" else ("weight", "effective_cases")),
    }  # fmt: skip
    for name, value in found.items():
        assert value == pytest.approx(in_memory[name], abs=1e-12)
        assert type(value) is type(in_memory[name])


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


def test_a_report_says_what_weighs_its_cases():
    found = distributed.evaluate("late", "good", data=PARTED, sample_weight="n", weight_type="frequency", exact=True)
    assert found.question.weighting.described() == "n (frequencies)"
    labels, values, weights = in_chunks(equally(3000, 3), CASES.correct, CASES.scores, WEIGHTS["w"])
    weighted = distributed.evaluate(labels, values, sample_weight=weights)
    assert weighted.question.weighting.described() == "sample_weight (sampling weights)"


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
