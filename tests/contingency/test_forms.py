"""Every form of a batch equals single results, and what is no batch is refused with its whole text."""

import copy
import io
import itertools
import math
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from evalcore import Contingency, EvaluationError, EvaluationTypeError
from tests.contingency.experiments import AVERAGES, answers, kept, unchanged
from tests.differences import collected, every
from tests.reference import exact as slow
from tests.strategies import close_to, columns_of

NAMES = "sports", "politics", "two words", "0", "naïve"
SETS = [frozenset(names) for size in range(5) for names in itertools.combinations(NAMES, size)]
DOCUMENTS = columns_of(SETS, 0, 24).map(lambda sets: list(zip(sets[::2], sets[1::2], strict=False)))
CATEGORIES = st.sampled_from([list(names) for size in range(1, 6) for names in itertools.permutations(NAMES, size)])


def filled(categories, documents):
    experiment = Contingency(categories)
    for pair in documents:
        experiment.add_result(*pair)
    return experiment


def batched(categories, assigned, correct):
    experiment = Contingency(categories)
    experiment.add_results(assigned, correct)
    return experiment


def matrix(lists, categories):
    return np.array([[name in each for name in categories] for each in lists], bool).reshape(-1, len(categories))


def coordinates(cells, dtype):
    """Every cell twice in COO form: a Boolean marked twice, a number with a zero."""
    places = np.nonzero(cells)
    values = np.ones(places[0].size, dtype)
    twice = values if dtype is bool else np.zeros_like(values)
    return sp.coo_matrix(
        (np.concatenate([twice, values]), [np.tile(place, 2) for place in places]), shape=cells.shape, dtype=dtype
    )


def unsorted(cells):
    """Rows of a CSR matrix from right to left, with explicit zeros."""
    rows, width = cells[:, ::-1], cells.shape[1]
    indices = np.tile(np.arange(width)[::-1], len(rows))
    return sp.csr_matrix((rows.ravel().astype(np.int8), indices, np.arange(len(rows) + 1) * width), shape=cells.shape)


def objects(lists):
    column = np.empty(len(lists), object)
    column[:] = [np.array(sorted(each), object) for each in lists]
    return column


MATRICES = {
    "Boolean": np.array,
    **{np.dtype(dtype).name: lambda cells, dtype=dtype: cells.astype(dtype)
       for dtype in (np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, np.float64)},
    "big-endian": lambda cells: cells.astype(">f8"),
    "Fortran": np.asfortranarray,
    "backwards": lambda cells: cells[::-1].copy()[::-1],
    "pandas": pd.DataFrame,
    "polars": lambda cells: pl.DataFrame(cells, schema=[f"c{column}" for column in range(cells.shape[1])]),
    "csr_matrix": sp.csr_matrix,
    "csr_array": lambda cells: sp.csr_array(cells.astype(int)),
    "csc_matrix": lambda cells: sp.csc_matrix(cells.astype(np.float32)),
    "lil_array": sp.lil_array,
    "Booleans twice": lambda cells: coordinates(cells, bool),
    "int8 and zeros": lambda cells: coordinates(cells, np.int8),
    "float64 and zeros": lambda cells: coordinates(cells, np.float64),
    "unsorted": unsorted,
}  # fmt: skip
LISTS = {
    "sets": list,
    "tuples": lambda lists: tuple(tuple(each) for each in lists),
    "repeats and unknown names": lambda lists: [["zz", *each, *each] for each in lists],
    "mappings": lambda lists: [{**dict.fromkeys(NAMES, 0), **dict.fromkeys(each, 1)} for each in lists],
    "keys": lambda lists: [dict.fromkeys(each).keys() for each in lists],
    "names and None": lambda lists: [{0: None, 1: "".join(each)}.get(len(each), each) for each in lists],
    "generator": lambda lists: (sorted(each) for each in lists),
    "arrays": lambda lists: [np.array(sorted(each), str) for each in lists],
    "array of arrays": objects,
    "pandas": lambda lists: pd.Series([sorted(each) for each in lists], dtype=object, index=range(5, len(lists) + 5)),
    "pandas, None": lambda lists: pd.Series([sorted(each) or None for each in lists], dtype=object),
    "polars": lambda lists: pl.Series([sorted(each) for each in lists], dtype=pl.List(pl.String)),
    "polars, null": lambda lists: pl.Series([sorted(each) or None for each in lists], dtype=pl.List(pl.String)),
    "pyarrow": lambda lists: pa.array([sorted(each) for each in lists], pa.list_(pa.string())),
    "pyarrow, null": lambda lists: pa.array([sorted(each) or None for each in lists], pa.list_(pa.string())),
    "pyarrow chunks": lambda lists: pa.chunked_array([[sorted(each)] for each in lists], pa.list_(pa.string())),
}


def sides(documents):
    return [[pair[side] for pair in documents] for side in (0, 1)]


def assert_same(experiment, other):
    assert answers(experiment) == answers(other)
    assert repr(experiment) == repr(other)


@given(categories=CATEGORIES, documents=DOCUMENTS)
def test_single_results_are_what_their_definitions_say(categories, documents):
    experiment = filled(categories, documents)
    for name, cells in experiment.category_stats().items():
        assert [cells[cell] for cell in "abcd"] == slow.table(documents, name)
    for name, value in slow.answers(documents, categories).items():
        assert getattr(experiment, name)() == close_to(value)
    assert list(slow.answers(documents, categories)) == AVERAGES


@given(categories=CATEGORIES, documents=DOCUMENTS)
def test_every_form_of_a_batch_equals_single_results(categories, documents):
    one = kept(filled(categories, documents))
    matrices, lists = [matrix(each, categories) for each in sides(documents)], sides(documents)
    with collected() as checking:
        for forms, given_as in ((MATRICES, matrices), (LISTS, lists)):
            for name, form in forms.items():
                with checking(name):
                    assert kept(batched(categories, *map(form, given_as))) == one


@every("form", ["unsorted", "Booleans twice", "csr_matrix"])
def test_matrices_and_lists_are_left_as_they_are(form):
    lists = [["a", "a", "zz"], {"a": 0, "b": 1}, "b", None]
    batched(["a", "b"], lists, lists)
    assert lists == [["a", "a", "zz"], {"a": 0, "b": 1}, "b", None]
    cells = np.array([[True, False, True], [True, True, False]])
    given_as = MATRICES[form](cells)
    before = copy.deepcopy(given_as)
    batched(["a", "b", "c"], given_as, given_as)
    assert given_as.nnz == before.nnz
    assert given_as.data.tolist() == before.data.tolist()
    if form != "Booleans twice":
        assert given_as.indices.tolist() == before.indices.tolist()


@given(CATEGORIES, DOCUMENTS, DOCUMENTS, st.data())
def test_merging_equals_filling_one_whatever_the_order_of_the_categories(categories, mine, others, data):
    merged = filled(categories, mine)
    other = filled(data.draw(st.permutations(categories)), others)
    before = answers(other)
    merged.merge(other)
    assert_same(merged, filled(categories, mine + others))
    assert list(merged.category_stats()) == categories
    assert answers(other) == before
    other.merge(filled(categories, mine))
    assert other.category_stats() == merged.category_stats()


def test_copies_print_to_the_same_writer_and_know_categories_by_identity():
    writer = io.StringIO()
    original = Contingency(["a"], verbose=True, writer=writer)
    copy.copy(original).add_result("a", "a", "copy")
    copy.deepcopy(original).add_result("a", "a", "deep copy")
    assert writer.getvalue() == "copy: assigned=(a) correct=(a)\ndeep copy: assigned=(a) correct=(a)\n"
    name = type("Topic", (), {})()
    original = Contingency([name])
    copied = copy.copy(original)
    copied.add_result([name], [name])
    assert copied.micro_recall() == copied.category_stats()[name]["a"] == 1
    original.merge(copied)


NO_NAMES = "must be a name, a list or set of names, or a mapping, got"
NO_LIST = "must be a list with names for each document, got"
MARKS = "must be True or False, 1 or 0"
NUMBERS = "must hold Booleans, or the numbers 0 and 1, got dtype"
EMPTY = np.zeros((2, 3), bool)


def experiment():
    """Hold a result, a batch and entries that were set."""
    filled = Contingency(["a", "b", "c"])
    filled.add_result(["a", "b"], "b")
    filled.set_entries(0.5, 2, 3, 4)
    filled.add_results([["c"], "a"], [None, "c"])
    return filled


UNHASHABLE = "[0] must be hashable, such as a string or an integer, got {}"


@every(
    ("categories", "error", "message"),
    ("abc", EvaluationTypeError, "must be a list of names or a mapping, got 'abc' (str)"),
    (np.str_("abc"), EvaluationTypeError, "must be a list of names or a mapping, got 'abc' (str)"),
    (b"abc", EvaluationTypeError, "must be a list of names or a mapping, got b'abc' (bytes)"),
    (3, EvaluationTypeError, "must be a list of names or a mapping, got 3 (int)"),
    (None, EvaluationTypeError, "must be a list of names or a mapping, got None (NoneType)"),
    ([["a"], "b"], EvaluationTypeError, UNHASHABLE.format("['a'] (list)")),
    ([("a", [])], EvaluationTypeError, UNHASHABLE.format("('a', []) (tuple)")),
    ({"a", "b"}, EvaluationTypeError, "must be ordered, got a set; call sorted() on it"),
    (np.array([["a"], ["b"]]), EvaluationError, "must be one-dimensional, got shape (2, 1)"),
    (np.array("abc"), EvaluationError, "must be one-dimensional, got array('abc', dtype='<U3') (ndarray)"),
)
def test_categories_that_are_refused(categories, error, message):
    with pytest.raises(error, match=rf"\Acategories ?{re.escape(message)}\Z"):
        Contingency(categories)


@every(
    ("names", "message"),
    (object, f"{NO_NAMES} <class 'object'> (type)"),
    (..., f"{NO_NAMES} Ellipsis (ellipsis)"),
    (iter(["a"]), None),
    (pd.Series(["a"]), None),
    (bytearray(b"a"), f"{NO_NAMES} bytearray(b'a') (bytearray)"),
    (1j, f"{NO_NAMES} 1j (complex)"),
    (np.array("a"), f"{NO_NAMES} array('a', dtype='<U1') (ndarray)"),
    (np.array([["a"]]), f"{NO_NAMES} array([['a']], dtype='<U1') (ndarray)"),
    ([["a"]], "must hold names, got ['a'] (list)"),
    ([{"a": 1}], "must hold names, got {'a': 1} (dict)"),
    (["a", {"b"}], "must hold names, got {'b'} (set)"),
)
@every("side", ["assigned", "correct"])
def test_names_that_are_refused(side, names, message):
    filled, good = experiment(), {"assigned": ["a"], "correct": ["b"]}
    cut = repr(names) if len(repr(names)) <= 60 else f"{repr(names)[:57]}..."
    message = message or f"{NO_NAMES} {cut} ({type(names).__name__})"
    with unchanged(filled, EvaluationTypeError, f"{side} {message}"):
        filled.add_result(**{**good, side: names})
    if not message.startswith("must hold"):
        with unchanged(filled, EvaluationTypeError, f"{side}[1] {message}"):
            filled.add_results(**{each: ["a", names if each == side else "b"] for each in good})


UNHASHABLE = np.array(["a"]), bytearray(b"a"), ("a", []), np.zeros(1, [("x", int)])[0]


@every(
    ("assigned", "correct"),
    *(sides for bad in UNHASHABLE for sides in ((["a", bad], "a"), ("a", [bad]))),
    *(({"a": without_truth}, "a") for without_truth in (np.array([1, 0]), pd.NA)),
)
def test_names_that_cannot_be_hashed_and_values_without_truth_are_refused_by_a_named_error(assigned, correct):
    filled = experiment()
    before = kept(filled)
    errors = (EvaluationTypeError, EvaluationError) if isinstance(assigned, dict) else EvaluationTypeError
    with pytest.raises(errors, match=r"\A(assigned|correct)\b"):
        filled.add_result(assigned, correct)
    assert kept(filled) == before


BAD_MATRICES = [
    (np.array([[0, 1, 0], [0, 0, 2]]), EvaluationError, f"[1, 2] {MARKS}, got 2"),
    (np.array([[0, -1, 0], [0, 0, 2]], np.int8), EvaluationError, f"[0, 1] {MARKS}, got -1"),
    (np.array([[0.0, 0.5, 0], [1, 1, 1]]), EvaluationError, f"[0, 1] {MARKS}, got 0.5"),
    (np.array([[0, 1, math.nan], [1, 1, 1]], np.float32), EvaluationError, f"[0, 2] {MARKS}, got nan"),
    (np.asfortranarray([[0, 1, 0], [math.inf, 1, 3]]), EvaluationError, f"[1, 0] {MARKS}, got inf"),
    (pd.DataFrame([[0, 1, 0], [1, 7, 1]]), EvaluationError, f"[1, 1] {MARKS}, got 7"),
    (EMPTY[:, :2], EvaluationError, " must have a column for each of 3 categories, got 2"),
    (np.zeros((2, 4)), EvaluationError, " must have a column for each of 3 categories, got 4"),
    (np.array([["a", "b"], ["c", "a"]]), EvaluationError, " must have a column for each of 3 categories, got 2"),
    (np.array([["a", "b", "c"]] * 2), EvaluationTypeError, f" {NUMBERS} <U1"),
    (np.array([[1, 0, None]] * 2), EvaluationTypeError, f" {NUMBERS} object"),
    (EMPTY.astype(complex), EvaluationTypeError, f" {NUMBERS} complex128"),
    (EMPTY.astype("m8[s]"), EvaluationTypeError, f" {NUMBERS} timedelta64[s]"),
    (np.ma.masked_array([[1, 0, 1]] * 2, [[0, 0, 1]] * 2), EvaluationError,
     " holds masked cells; drop or fill them first"),
    (sp.csr_matrix([[0, 1, 0], [0, 0, 2]]), EvaluationError, f"[1, 2] {MARKS}, got 2"),
    (sp.csr_matrix(([1, 1], [1, 1], [0, 2]), shape=(1, 3)), EvaluationError, f"[0, 1] {MARKS}, got 2"),
    (sp.csc_matrix([[0, 1, 0], [-1, 0, 2]]), EvaluationError, f"[1, 0] {MARKS}, got -1"),
    (sp.coo_matrix([[0, 0, 0.5], [0, 0, 2]]), EvaluationError, f"[0, 2] {MARKS}, got 0.5"),
    (sp.csr_array([[0, 0, 0], [0, math.nan, 2]]), EvaluationError, f"[1, 1] {MARKS}, got nan"),
    (sp.coo_matrix((np.ones(3, int), ([1, 0, 1], [2, 0, 2])), shape=(2, 3)), EvaluationError, f"[1, 2] {MARKS}, got 2"),
    (sp.csr_matrix((2, 2)), EvaluationError, " must have a column for each of 3 categories, got 2"),
    (sp.csr_array((2, 4)), EvaluationError, " must have a column for each of 3 categories, got 4"),
    (sp.coo_array(np.array([1, 0, 1])), EvaluationError, " must have two dimensions, got shape (3,)"),
]  # fmt: skip


KINDS = {"matrix": EMPTY, "sparse matrix": sp.csr_matrix(EMPTY), "list of lists": [[], []]}


LEAST = "must be a number of at least 0, got"


def test_merge_refuses_other_types_and_other_categories():
    filled = experiment()
    with unchanged(filled, EvaluationTypeError, "other must be a Contingency, got [] (list)"):
        filled.merge([])
    for names_of_other in ["a", "b"], ["a", "b", "d"], ["a", "b", "c", "d"], []:
        other = Contingency(names_of_other)
        other.add_result("a", "b")
        before = kept(other)
        message = f"other must have the categories ['a', 'b', 'c'], got {names_of_other}"
        with unchanged(filled, EvaluationError, message):
            filled.merge(other)
        assert kept(other) == before


LISTS_OF_NO_NAMES = [
    ("ab", f" {NO_LIST} 'ab' (str)"),
    (b"ab", f" {NO_LIST} b'ab' (bytes)"),
    ({"a": 1}, f" {NO_LIST} {{'a': 1}} (dict)"),
    ({"a"}, f" {NO_LIST} {{'a'}} (set)"),
    (3, f" {NO_LIST} 3 (int)"),
    (None, f" {NO_LIST} None (NoneType)"),
    ([["a"], [["b"]]], "[1] must hold names, got ['b'] (list)"),
    ([["a"], (("a", {}),)], "[1] must hold names, got ('a', {}) (tuple)"),
    ([[1, 0], [0, 1]], "[0] must hold names, got 1 (int)"),
    (["a", [["b"]]], "[1] must hold names, got ['b'] (list)"),
    (["a", pd.NA], f"[1] {NO_NAMES} <NA> (NAType)"),
]
SIDES = "assigned", "correct"
REFUSED = [
    *((lambda filled, side=side, lists=lists: filled.add_results(
        **{"assigned": [["a"], ["c"]], "correct": [["b"], "c"], side: lists}), EvaluationTypeError, f"{side}{text}")
      for side in SIDES for lists, text in LISTS_OF_NO_NAMES),
    *((lambda filled, side=side, cells=cells: filled.add_results(
        **dict.fromkeys(SIDES, sp.csr_matrix(EMPTY) if sp.issparse(cells) else EMPTY) | {side: cells}), error,
       f"{side}{text}") for side in SIDES for cells, error, text in BAD_MATRICES),
    *((lambda filled, lists=lists: filled.add_results(lists, lists), EvaluationError,
       f"assigned must be one-dimensional, got shape {lists.shape}")
      for lists in (np.array("abc"), np.array(5), np.array(None), np.zeros((2, 3, 1)))),
    *((lambda filled, form=form, sizes=sizes: filled.add_results(*(form(np.zeros((size, 3))) for size in sizes)),
       EvaluationError, "assigned and correct must be equally long, got {} and {}".format(*sizes))
      for form in (np.array, sp.csr_matrix, lambda cells: [[]] * len(cells)) for sizes in ((2, 3), (0, 1), (5, 4))),
    *((lambda filled, kinds=kinds: filled.add_results(*map(KINDS.get, kinds)), EvaluationTypeError,
       "assigned and correct must be of one kind, got a {} and a {}".format(*kinds))
      for kinds in itertools.permutations(KINDS, 2)),
    *((lambda filled, name=name, bad=bad: filled.set_entries(**{**dict.fromkeys("abcd", 7), name: bad}), error,
       f"{name} {text}") for name in "abcd" for bad, error, text in [
        (-1, EvaluationError, f"{LEAST} -1 (int)"),
        (-0.5, EvaluationError, f"{LEAST} -0.5 (float)"),
        (np.int8(-3), EvaluationError, f"{LEAST} np.int8(-3) (int8)"),
        (math.nan, EvaluationError, f"{LEAST} nan (float)"),
        (math.inf, EvaluationError, f"{LEAST} inf (float)"),
        (-math.inf, EvaluationError, f"{LEAST} -inf (float)"),
        (10**400, EvaluationError, f"must be a float64 number, got {10**56}... (int)"),
        ("1", EvaluationTypeError, "must be a number, got '1' (str)"),
        (None, EvaluationTypeError, "must be a number, got None (NoneType)"),
        (1j, EvaluationTypeError, "must be a number, got 1j (complex)"),
        ([1], EvaluationTypeError, "must be a number, got [1] (list)"),
        (Fraction(1, 2), EvaluationTypeError, "must be a number, got Fraction(1, 2) (Fraction)"),
        (np.timedelta64(1, "s"), EvaluationTypeError, "must be a number, got np.timedelta64(1,'s') (timedelta64)"),
    ]),
    *((lambda filled, figs=figs: filled.stats_table(figs), error, text) for figs, error, text in [
        (-1, EvaluationError, "figs must not be negative, got -1"),
        (2.0, EvaluationTypeError, "figs must be an integer, got 2.0 (float)"),
        ("3", EvaluationTypeError, "figs must be an integer, got '3' (str)"),
        (None, EvaluationTypeError, "figs must be an integer, got None (NoneType)"),
    ]),
]  # fmt: skip
"""What an experiment refuses, the error and its text."""


@every(("call", "error", "message"), REFUSED)
def test_what_is_refused_leaves_an_experiment_as_it_was(call, error, message):
    filled = experiment()
    with unchanged(filled, error, message):
        call(filled)


def test_without_categories_there_is_nothing_to_average():
    bare = Contingency([])
    bare.add_results([["a"]], [["a"]])
    for name in (*(name for name in AVERAGES if name.startswith("macro")), "category_stats", "stats_table"):
        with unchanged(bare, EvaluationError, "No category information has been recorded"):
            getattr(bare, name)()


SCRIPT = """
import sys
import numpy as np
from evalcore import Contingency
experiment = Contingency(["a"], verbose=True)
experiment.add_result("a", ["a"])
experiment.add_results([["a"]], [[]])
experiment.add_results(np.zeros((2, 1), bool), np.ones((2, 1)))
try:
    experiment.add_results(np.zeros((2, 1)), [[], []])
except TypeError:
    pass
print(experiment.stats_table(), experiment)
assert not {"scipy", "pandas", "polars", "pyarrow"} & sys.modules.keys()
import scipy.sparse
experiment.add_results(scipy.sparse.csr_array((2, 1)), scipy.sparse.csr_array((2, 1)))
"""


@pytest.mark.process
def test_scipy_is_not_imported_unless_a_sparse_matrix_is_given():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_writer_that_cannot_write_is_refused():
    with pytest.raises(EvaluationTypeError, match=r"\Awriter must have write, got 3 \(int\)\Z"):
        Contingency(["a"], True, 3)
