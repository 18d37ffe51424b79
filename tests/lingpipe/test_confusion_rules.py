"""Rules for ConfusionMatrix that no golden value shows: names, columns of labels, borders, copies, laws."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics

from evalcore import ConfusionMatrix, EvaluationError, EvaluationTypeError
from tests.differences import every
from tests.differences import refused as raises
from tests.lingpipe.golden import documented_names
from tests.strategies import block_size
from tests.validation.refusals import Tensor, refused

E, T = EvaluationError, EvaluationTypeError
LIMIT = 2**63 - 1
DROP = "; drop or fill missing labels first"
FOR_WEIGHTS = (
    "for weights use evalcore.metrics.confusion_matrix(..., sample_weight=...) or evalcore.evaluate(..., weight=...)"
)
WINE = ["Cabernet", "Syrah", "Pinot"]
COUNTS = [[9, 3, 0], [3, 5, 1], [1, 1, 4]]
MANY = [f"c{index}" for index in range(9)]
ONE_OF_MANY = "one of 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 3 more"
SORTING = "reference and response hold labels that cannot be sorted ({}); pass the categories in their order"


def wine():
    return ConfusionMatrix(WINE, COUNTS)


# categories and matrix


@every(
    ("categories", "expected"),
    pytest.param(("b", "a"), ("b", "a"), id="tuple"),
    pytest.param({"b": 1, "a": 2}, ("b", "a"), id="mapping"),
    pytest.param({"b": 1, "a": 2}.keys(), ("b", "a"), id="keys"),
    pytest.param(iter(["b", "a"]), ("b", "a"), id="iterator"),
    pytest.param(range(2), (0, 1), id="range"),
    pytest.param(np.array(["b", "a"]), ("b", "a"), id="NumPy strings"),
    pytest.param([np.str_("b"), np.int64(2)], ("b", 2), id="NumPy scalars"),
    pytest.param(np.array([3, 1], np.int8), (3, 1), id="NumPy integers"),
    pytest.param(pd.Index(["b", "a"]), ("b", "a"), id="pandas"),
    pytest.param(pl.Series(["b", "a"]), ("b", "a"), id="Polars"),
    pytest.param(pa.array(["b", "a"]), ("b", "a"), id="Arrow"),
    pytest.param([("a", 1), False], (("a", 1), False), id="anything that can be hashed"),
)
def test_categories_keep_their_order_and_become_pythons_own(categories, expected):
    matrix = ConfusionMatrix(categories)
    assert matrix.categories() == expected
    assert [type(name) for name in matrix.categories()] == [type(name) for name in expected]
    assert matrix.numCategories() == len(expected)
    assert not matrix.matrix().any()


@every(
    "matrix",
    pytest.param([[1, 2], [3, 4]], id="lists"),
    pytest.param([[1, 2.0], [np.float32(3), True + 3]], id="whole floats"),
    pytest.param(np.array([[1, 2], [3, 4]], np.uint8), id="uint8"),
    pytest.param(np.array([[1, 2], [3, 4]], ">i4"), id="other byte order"),
    pytest.param(np.array([[1.0, 2.0], [3.0, 4.0]]), id="float64"),
    pytest.param(np.array([[1, 2], [3, 4]], dtype=object), id="objects"),
    pytest.param(np.ma.array([[1, 2], [3, 4]]), id="nothing masked"),
    pytest.param(pd.DataFrame([[1, 2], [3, 4]]), id="pandas"),
    pytest.param(pl.DataFrame([[1, 3], [2, 4]]), id="Polars"),
    pytest.param(Tensor([[1, 2], [3, 4]]), id="tensor"),
)
def test_counts_to_begin_with(matrix):
    assert ConfusionMatrix(["a", "b"], matrix).matrix().tolist() == [[1, 2], [3, 4]]


def test_large_integers_are_kept_and_the_matrix_is_a_copy_both_ways():
    with pytest.raises(EvaluationTypeError, match=r"\Amatrix cannot be read as an array: .*inhomogeneous shape"):
        ConfusionMatrix(["a", "b"], [[1, 2], [3]])
    assert ConfusionMatrix(["a", "b"], [[2**53 + 1, 1.0], [0, 0]]).count(0, 0) == 2**53 + 1
    given_matrix = np.array(COUNTS)
    matrix = ConfusionMatrix(WINE, given_matrix)
    given_matrix[0, 0] = 100
    returned = matrix.matrix()
    assert returned.dtype == np.int64
    matrix.increment("Cabernet", "Cabernet")
    assert returned.tolist() == COUNTS
    with pytest.raises(ValueError, match="read-only"):
        returned[0, 0] = 1


# names and indices


@every("reference", ["Syrah", 1, np.int64(1), np.uint8(1), np.str_("Syrah")])
@every("response", ["Pinot", 2])
def test_names_or_indices(reference, response):
    matrix = wine()
    matrix.increment(reference, response)
    matrix.incrementByN(reference, response, 10)
    matrix.incrementByN(reference, response, np.int8(-2))
    assert matrix.count(reference, response) == matrix.count("Syrah", "Pinot") == 10
    assert type(matrix.count(reference, response)) is int
    assert matrix.totalCount() == 36


def test_what_is_a_name_is_no_index_and_what_is_no_category_of_many_is_told():
    assert [wine().getIndex(name) for name in (*WINE, "Merlot", 0, None)] == [0, 1, 2, -1, -1, -1]
    matrix = ConfusionMatrix([1, 0, "x"], COUNTS)
    assert [matrix.count(name, name) for name in (1, 0, "x", 2)] == [9, 5, 4, 4]
    assert matrix.getIndex(1) == 0
    assert matrix.oneVsAll(0).truePositive() == 9
    assert ConfusionMatrix([False, True], [[1, 2], [3, 4]]).count(False, True) == 2
    with raises("category must be hashable, such as a string or an integer, got ['Syrah'] (list)", EvaluationTypeError):
        wine().getIndex(["Syrah"])
    with raises(f"reference must be {ONE_OF_MANY}, or an index in 0 .. 8, got 'x' (str)"):
        ConfusionMatrix(MANY).count("x", 0)
    with raises("response must be hashable, such as a string or an integer, got [] (list)", EvaluationTypeError):
        ConfusionMatrix(MANY).count(0, [])


def test_a_cell_can_reach_zero_and_the_total_the_limit():
    matrix = wine()
    matrix.incrementByN(1, 2, -1)
    assert matrix.count(1, 2) == 0
    matrix.incrementByN(1, 2, LIMIT - 26)
    assert matrix.totalCount() == LIMIT
    with refused(matrix, E, f"n must leave at most {LIMIT} cases, got {LIMIT + 1}"):
        matrix.increment(0, 0)
    assert matrix.microAverage().total() == 3 * LIMIT


def test_confidence_needs_a_number_and_an_empty_row_has_no_entropy():
    with raises("z must be a number, got '2' (str)", EvaluationTypeError):
        wine().confidence("2")
    assert wine().confidence(-2) == -wine().confidence(2)
    assert math.isnan(wine().confidence(math.nan))
    assert math.isnan(ConfusionMatrix(["a"], [[1]]).confidence(math.inf))
    matrix = ConfusionMatrix(["a", "b", "c"], [[2, 2, 0], [0, 0, 0], [4, 0, 0]])
    assert math.isnan(matrix.conditionalEntropy(1))
    assert matrix.conditionalEntropy() == 0.5
    assert math.isnan(matrix.macroAvgRecall())
    assert matrix.crossEntropy() == matrix.klDivergence() == math.inf


# columns of labels


@every(
    ("reference", "response", "categories"),
    pytest.param(["a", "c", "a"], ("b", "c", "a"), ("a", "b", "c"), id="list and tuple"),
    pytest.param(np.array(["a", "c", "a"]), ["b", "c", "a"], ("a", "b", "c"), id="NumPy strings"),
    pytest.param(np.array(["a", "c", "a"], object), ["b", "c", "a"], ("a", "b", "c"), id="objects"),
    pytest.param(np.array([b"a", b"c", b"a"]), [b"b", b"c", b"a"], (b"a", b"b", b"c"), id="bytes"),
    pytest.param(pd.Series(["a", "c", "a"], index=[7, 7, 1]), ["b", "c", "a"], ("a", "b", "c"), id="pandas"),
    pytest.param(pd.Categorical(["a", "c", "a"]), ["b", "c", "a"], ("a", "b", "c"), id="pandas categorical"),
    pytest.param(pl.Series(["a", "c", "a"]), ["b", "c", "a"], ("a", "b", "c"), id="Polars"),
    pytest.param(pa.chunked_array([["a"], ["c", "a"]]), ["b", "c", "a"], ("a", "b", "c"), id="Arrow"),
    pytest.param([1, 3, 1], [2, 3, 1], (1, 2, 3), id="integers"),
    pytest.param(np.array([-1, 126, -1], np.int8), [1, 126, -1], (-1, 1, 126), id="int8"),
    pytest.param(np.array([1, 3, 1], np.uint64), np.array([2, 3, 1], ">i2"), (1, 2, 3), id="other widths"),
    pytest.param(np.array([2**64 - 3, 2**64 - 1, 2**64 - 3], np.uint64),
                 np.array([2**64 - 2, 2**64 - 1, 2**64 - 3], np.uint64),
                 (2**64 - 3, 2**64 - 2, 2**64 - 1), id="close together, far up"),
    pytest.param(np.array([-(2**63), 2**63 - 1, -(2**63)]), np.array([0, 2**63 - 1, -(2**63)]),
                 (-(2**63), 0, 2**63 - 1), id="far apart"),
    pytest.param([1, 3.0, np.int8(1)], [np.float32(2), 3, True], (1, 2, 3), id="equal numbers"),
    pytest.param(pd.Series([1, 3, 1], dtype="Int64"), pl.Series([2, 3, 1]), (1, 2, 3), id="integer columns"),
    pytest.param([("a", 1), ("c",), ("a", 1)], [("b",), ("c",), ("a", 1)], (("a", 1), ("b",), ("c",)), id="tuples"),
)  # fmt: skip
def test_columns_of_labels(reference, response, categories):
    matrix = ConfusionMatrix.fromLabels(reference, response)
    assert matrix.categories() == categories
    assert matrix.matrix().tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    backwards = ConfusionMatrix.fromLabels(reference, response, categories[::-1])
    assert backwards.categories() == categories[::-1]
    assert backwards.matrix().tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 1]]


def test_labels_may_be_booleans_or_none_and_those_of_many_categories_are_told():
    matrix = ConfusionMatrix.fromLabels(np.array([True, True, False]), [True, False, False])
    assert matrix.categories() == (False, True)
    assert matrix.matrix().tolist() == [[1, 0], [1, 1]]
    for empty in ([], (), np.array([]), np.array([], np.int8), np.array([], str), pd.Series([])):
        assert ConfusionMatrix.fromLabels(empty, empty, ["a", "b"]).totalCount() == 0
        with raises("reference and response must hold a label, got none; pass the categories"):
            ConfusionMatrix.fromLabels(empty, empty)
    with raises(f"response[1] must be {ONE_OF_MANY}, got 'x' (str)"):
        ConfusionMatrix.fromLabels(["c0", "c1"], ["c8", "x"], MANY)
    with raises("categories[1] = 'a' (str) repeats categories[0]"):
        ConfusionMatrix.fromLabels(["a"], ["a"], ["a", "a"])


@every("dtype", [np.int8, np.int64, np.float64, "U2"])
def test_long_columns_are_those_of_scikit_learn(dtype):
    reference, response = np.random.default_rng(1).integers(-3, 9, (2, 9000)).astype(dtype)
    with block_size(1 << 12):
        matrix = ConfusionMatrix.fromLabels(reference, response)
    assert matrix.categories() == tuple(np.unique(reference).tolist())
    assert np.array_equal(matrix.matrix(), metrics.confusion_matrix(reference, response))


@every("index", [0, 70_000, 149_999])
def test_a_bad_label_is_found_anywhere_in_a_long_column(index):
    labels = np.zeros(150_000, np.int64)
    labels[index] = 2
    with raises(f"reference[{index}] must be one of 0, 1, got 2 (int)"):
        ConfusionMatrix.fromLabels(labels, labels, [0, 1])


REFUSED = [
    *((lambda matrix, given=given: ConfusionMatrix(given), error, text) for given, error, text in [
        ([], E, "categories must not be empty"),
        (["a", "b", "a"], E, "categories[2] = 'a' (str) repeats categories[0]"),
        ([1, 1.0], E, "categories[1] = 1.0 (float) repeats categories[0]"),
        (["a", None], E, "categories[1] is missing, None (NoneType)"),
        ([1, math.nan], E, "categories[1] is missing, nan (float)"),
        ([pd.NA], E, "categories[0] is missing, <NA> (NAType)"),
        ("abc", T, "categories must be a list of names, got 'abc' (str)"),
        (b"abc", T, "categories must be a list of names, got b'abc' (bytes)"),
        (3, T, "categories must be a list of names, got 3 (int)"),
        (None, T, "categories must be a list of names, got None (NoneType)"),
        ({"a"}, T, "categories must be ordered, got a set; call sorted() on it"),
        (frozenset(), T, "categories must be ordered, got a frozenset; call sorted() on it"),
        (np.zeros((2, 2)), E, "categories must be one-dimensional, got shape (2, 2)"),
        (np.array("a"), E, "categories must be one-dimensional, got array('a', dtype='<U1') (ndarray)"),
        ([["a"]], T, "categories[0] must be hashable, such as a string or an integer, got ['a'] (list)"),
    ]),
    *((lambda matrix, given=given: ConfusionMatrix(["a", "b"], given), error, text) for given, error, text in [
        ([[1]], E, "matrix must have shape (2, 2), for 2 categories, got (1, 1)"),
        ([1, 2], E, "matrix must have shape (2, 2), for 2 categories, got (2,)"),
        (7, E, "matrix must have shape (2, 2), for 2 categories, got ()"),
        ([[1, -2], [3, 4]], E, "matrix[0, 1] must not be negative, got -2"),
        ([[1, 2], [-3.0, -4]], E, "matrix[1, 0] must not be negative, got -3"),
        ([[1, 0.5], [3, 4]], T, f"matrix[0, 1] must be an integer, got 0.5 (float); {FOR_WEIGHTS}"),
        ([[1, 2], [3, math.inf]], T, "matrix[1, 1] must be an integer, got inf (float)"),
        ([[1, 2], [3, math.nan]], T, "matrix[1, 1] must be an integer, got nan (float)"),
        ([[1, 2], ["3", 4]], T, "matrix[1, 0] must be an integer, got '3' (str)"),
        (np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]), E, "matrix holds masked cells; drop or fill them first"),
        ([[LIMIT, 1], [0, 0]], E, f"matrix must leave at most {LIMIT} cases, got {LIMIT + 1}"),
        (np.full((2, 2), 2**63, np.uint64), E, f"matrix must leave at most {LIMIT} cases, got {2**65}"),
        ([[2**70, 0], [0, 0]], E, f"matrix must leave at most {LIMIT} cases, got {2**70}"),
    ]),
    *((lambda matrix, method=method, n=n, given=given: getattr(matrix, method)(
        **{"reference": "Syrah", "response": "Pinot"} | given, **n), E, text + f"{bad!r} ({type(bad).__name__})")
      for method, n in [("increment", {}), ("incrementByN", {"n": 1}), ("count", {})]
      for name in ("reference", "response") for bad in ["Merlot", 3, -1, True, 1.0, None, math.nan] for given, text in [
        ({name: bad}, f"{name} must be one of 'Cabernet', 'Syrah', 'Pinot', or an index in 0 .. 2, got ")]),
    *((lambda matrix, n=n: matrix.incrementByN("Syrah", "Pinot", n), error, text) for n, error, text in [
        (-2, E, "n must be at least -1, as the cell counts 1, got -2"),
        (LIMIT - 26, E, f"n must leave at most {LIMIT} cases, got {LIMIT + 1}"),
        (2**80, E, f"n must leave at most {LIMIT} cases, got {2**80 + 27}"),
        (0.5, T, f"n must be an integer, got 0.5 (float); {FOR_WEIGHTS}"),
        (1.0, T, "n must be an integer, got 1.0 (float)"),
        ("1", T, "n must be an integer, got '1' (str)"),
    ]),
    *((lambda matrix, method=method, index=index: getattr(matrix, method)(index), error, text.format(name))
      for method, name in [("oneVsAll", "index"), ("conditionalEntropy", "referenceIndex")] for index, error, text in [
        (3, E, "{} must be at most 2, got 3"),
        (-1, E, "{} must not be negative, got -1"),
        ("Syrah", T, "{} must be an integer, got 'Syrah' (str)"),
    ]),
    *((lambda matrix, given=given, name=name: ConfusionMatrix.fromLabels(
        **{"reference": ["a"], "response": ["a"], name: given}, categories=["a", "b"]), error, text.format(name))
      for name in ("reference", "response") for given, error, text in [
        (["a", "x", "y"], E, "{}[1] must be one of 'a', 'b', got 'x' (str)"),
        (np.array(["a", "x"]), E, "{}[1] must be one of 'a', 'b', got 'x' (str)"),
        ([1], E, "{}[0] must be one of 'a', 'b', got 1 (int)"),
        (np.array([5, 5, 5], np.int8), E, "{}[0] must be one of 'a', 'b', got 5 (int)"),
        (np.array([5, 500]), E, "{}[0] must be one of 'a', 'b', got 5 (int)"),
        (["a", None], E, "{}[1] is missing, None (NoneType)" + DROP),
        ([math.nan, "a"], E, "{}[0] is missing, nan (float)" + DROP),
        (pd.Series(["a", math.nan]), E, "{}[1] is missing, nan (float)" + DROP),
        (pd.Series(["a", pd.NA], dtype=object), E, "{}[1] is missing, <NA> (NAType)" + DROP),
        (pl.Series(["a", None]), E, "{}[1] is missing, None (NoneType)" + DROP),
        (pa.array([None, "a"]), E, "{}[0] is missing, None (NoneType)" + DROP),
        (pl.Series([1, None]), E, "{}[0] must be one of 'a', 'b', got 1.0 (float)"),
        (["a", ["b"]], T, "{}[1] must be hashable, such as a string or an integer, got ['b'] (list)"),
        ("ab", E, "{} must be one-dimensional, got 'ab' (str)"),
        (None, E, "{} must be one-dimensional, got None (NoneType)"),
        (np.array([["a"]]), E, "{} must be one-dimensional, got shape (1, 1)"),
        (np.ma.array([1, 2], mask=[0, 1]), E, "{}[1] is masked; drop or fill masked cases first"),
    ]),
    *((lambda matrix, one=one, other=other: ConfusionMatrix.fromLabels(one, other), error, text)
      for one, other, error, text in [
        (["a", 1], ["a", "a"], T, SORTING.format("int, str")),
        ([1j, 2j], [1j, 1j], T, SORTING.format("complex")),
        (["a", None], ["a", "b"], E, "reference[1] is missing, None (NoneType)" + DROP),
        (["a", "b"], [math.nan, "b"], E, "response[0] is missing, nan (float)" + DROP),
        ([None], [None], E, "reference[0] is missing, None (NoneType)" + DROP),
        (["a", {}], ["a", "b"], T, "reference[1] must be hashable, such as a string or an integer, got {} (dict)"),
        (["a", "b"], ["a"], E, "reference and response must be equally long, got 2 and 1"),
    ]),
    *((lambda matrix, other=other: matrix.merge(other), error, text) for other, error, text in [
        (ConfusionMatrix(WINE[::-1]), E, "other must have the categories 'Cabernet', 'Syrah', 'Pinot', "
         "in that order, got 'Pinot', 'Syrah', 'Cabernet'"),
        (ConfusionMatrix(MANY), E, "other must have the categories 'Cabernet', 'Syrah', 'Pinot', "
         "in that order, got 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 3 more"),
        (ConfusionMatrix(WINE, np.diag([LIMIT, 0, 0])), E, f"other must leave at most {LIMIT} cases, got {LIMIT + 27}"),
        (COUNTS, T, "other must be a ConfusionMatrix, got [[9, 3, 0], [3, 5, 1], [1, 1, 4]] (list)"),
    ]),
]  # fmt: skip
"""Calls beside a matrix of wines, the error and its text."""


@every(("call", "error", "message"), REFUSED)
def test_what_is_refused_leaves_a_matrix_as_it_was(call, error, message):
    matrix = wine()
    with refused(matrix, error, message):
        call(matrix)


# borders of the statistics


@every("size", [1, 3])
def test_without_counts_every_ratio_is_nan(size):
    matrix = ConfusionMatrix(range(size))
    whole = {"numCategories": size, "totalCount": 0, "totalCorrect": 0, "chiSquaredDegreesOfFreedom": (size - 1) ** 2}
    for name in documented_names(ConfusionMatrix) - whole.keys() - NO_STATISTICS:
        assert math.isnan(getattr(matrix, name)())
    assert {name: getattr(matrix, name)() for name in whole} == whole


NO_STATISTICS = {
    "categories", "getIndex", "matrix", "increment", "incrementByN", "count", "merge", "fromLabels", "toString",
    "oneVsAll", "microAverage", "confidence",
}  # fmt: skip


def test_str_is_the_text_and_repr_counts():
    assert str(wine()) == f"{wine()}" == wine().toString()
    assert repr(wine()) == "ConfusionMatrix(categories=3, cases=27, correct=18)"
    assert "\n  ,1,2\n  1,3,0\n  2,0,4\n" in str(ConfusionMatrix([1, 2], [[3, 0], [0, 4]]))
    assert "\n95% Confidence Interval=NaN +/- NaN\n" in str(ConfusionMatrix(["a"]))
    assert "\nCross Entropy=Infinity\n" in str(ConfusionMatrix(["a", "b"], [[0, 8], [0, 0]]))
