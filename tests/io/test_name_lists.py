"""Columns of lists of names count as the lists do."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import Contingency, EvaluationError, EvaluationTypeError
from evalcore.io.columns import coded_names

CATEGORIES = ["sports", "politics", "arts"]
NAMES = st.sampled_from([*CATEGORIES, "unknown", None])
CELLS = st.none() | st.lists(NAMES, max_size=4)
KINDS = [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.dictionary(pa.int8(), pa.string()))]


def counted(assigned, correct):
    tally = Contingency(CATEGORIES)
    tally.add_results(assigned, correct)
    return tally


@given(st.lists(st.tuples(CELLS, CELLS), max_size=12), st.sampled_from(KINDS), st.integers(0, 12))
def test_lists_of_names_count_as_lists_do(rows, kind, cut):
    assigned, correct = ([row[side] for row in rows] for side in range(2))
    chunks = pa.chunked_array([pa.array(assigned[:cut], kind), pa.array(assigned[cut:], kind)])
    columns = coded_names(pa.table({"assigned": chunks, "correct": pa.array(correct, kind)}), ["assigned", "correct"])
    expected = counted(*([names or [] for names in side] for side in (assigned, correct)))
    assert counted(columns["assigned"], columns["correct"]) == expected


@given(st.lists(NAMES, max_size=12), st.sampled_from([pa.string(), pa.dictionary(pa.int8(), pa.string())]))
def test_a_name_in_each_row_is_a_list_of_one(names, kind):
    columns = coded_names(pa.table({"a": pa.array(names, kind)}), ["a"])
    lists = [[] if name is None else [name] for name in names]
    assert counted(columns["a"], columns["a"]) == counted(lists, lists)


def test_other_columns_are_refused():
    with pytest.raises(EvaluationError, match="column 'a' must hold strings or lists of strings, got struct"):
        coded_names(pa.table({"a": [{"b": 1}]}), ["a"])
    with pytest.raises(EvaluationError, match="column 'a' must hold strings or lists of strings, got list"):
        coded_names(pa.table({"a": [[["sports"]]]}), ["a"])
    numbers = coded_names(pa.table({"a": [[1, 2]]}), ["a"])["a"]
    with pytest.raises(EvaluationTypeError, match="assigned must hold names, got 1"):
        counted(numbers, numbers)
    with pytest.raises(
        EvaluationTypeError, match="assigned and correct must be of one kind, got a column of names and"
    ):
        counted(numbers, [["sports"]])
