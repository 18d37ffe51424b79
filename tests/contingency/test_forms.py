"""Every form of a batch equals single results; results follow their definitions, whatever the categories are called."""

import copy
import io
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import multilabel_confusion_matrix, precision_recall_fscore_support

from evalcore import Contingency
from tests.contingency.experiments import AVERAGES, answers, kept
from tests.differences import collected, every
from tests.reference import decisions as slow
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
def test_matrices_are_left_as_they_are(form):
    cells = np.array([[True, False, True], [True, True, False]])
    given_as = MATRICES[form](cells)
    before = copy.deepcopy(given_as)
    batched(["a", "b", "c"], given_as, given_as)
    assert given_as.nnz == before.nnz
    assert given_as.data.tolist() == before.data.tolist()
    if form != "Booleans twice":
        assert given_as.indices.tolist() == before.indices.tolist()


def test_lists_are_left_as_they_are():
    given_as = [["a", "a", "zz"], {"a": 0, "b": 1}, "b", None]
    before = copy.deepcopy(given_as)
    batched(["a", "b"], given_as, given_as)
    assert given_as == before


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


def test_copies_print_to_the_same_writer():
    writer = io.StringIO()
    original = Contingency(["a"], verbose=True, writer=writer)
    copy.copy(original).add_result("a", "a", "copy")
    copy.deepcopy(original).add_result("a", "a", "deep copy")
    assert writer.getvalue() == "copy: assigned=(a) correct=(a)\ndeep copy: assigned=(a) correct=(a)\n"


def test_a_copy_knows_categories_by_identity():
    name = type("Topic", (), {})()
    original = Contingency([name])
    copied = copy.copy(original)
    copied.add_result([name], [name])
    assert copied.micro_recall() == copied.category_stats()[name]["a"] == 1
    original.merge(copied)


@given(CATEGORIES.filter(lambda names: len(names) > 1), DOCUMENTS.filter(bool))
def test_scikit_learn_counts_and_averages_the_same(categories, documents):
    experiment = filled(categories, documents)
    assigned, correct = (matrix(lists, categories).astype(int) for lists in sides(documents))
    tables = multilabel_confusion_matrix(correct, assigned)
    stats = experiment.category_stats()
    assert [[cells[cell] for cell in "dbca"] for cells in stats.values()] == tables.reshape(-1, 4).tolist()
    precision, recall, f1, _ = precision_recall_fscore_support(correct, assigned, zero_division=1)
    missed = (tables[:, 0, 1] + tables[:, 1, 1] == 0) & (tables[:, 1, 0] > 0)  # nothing assigned: 0, not 1
    precision[missed] = 0
    for name, values in {"precision": precision, "recall": recall, "F1": f1}.items():
        assert [cells[name] for cells in stats.values()] == close_to(values.tolist())
        assert getattr(experiment, f"macro_{name}")() == close_to(values.mean())
    micro = precision_recall_fscore_support(correct, assigned, average="micro", zero_division=1)
    if assigned.any() or not correct.any():
        assert experiment.micro_precision() == close_to(micro[0])
    assert (experiment.micro_recall(), experiment.micro_F1()) == tuple(map(close_to, micro[1:3]))
