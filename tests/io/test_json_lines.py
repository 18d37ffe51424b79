"""JSON Lines give the rows of other files, and columns lists of names."""

import bz2
import gzip
import io
import json
import math
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import Contingency, EvaluationError, EvaluationTypeError
from evalcore.io import json_files, text_files
from evalcore.io.columns import Selection, coded_names
from evalcore.io.datasets import common_schema, file_batches, inspect_files
from evalcore.io.readers import table_contents
from tests.differences import every, recorded, refused
from tests.io.written import read as read_arrays

SELECTION = Selection(("late", "model"), numbers=("model",))
ROWS = [{"late": 1, "model": 0.5, "id": "7"}, {"late": 0, "model": 0.25}, {"late": 1, "model": 3}]
TEXT = "".join(json.dumps(row) + "\n" for row in ROWS)


def read(path, *names, **more):
    return {name: values.tolist() for name, values in read_arrays(path, *names, **more).items()}


def in_batches(*paths):
    files = inspect_files(list(map(str, paths)), SELECTION)
    schema = common_schema(files, SELECTION)
    tables = [pa.Table.from_batches(file_batches(file, schema, SELECTION), schema) for file in files]
    return pa.concat_tables(tables).to_pydict()


COPIES = {
    "x.jsonl": TEXT.encode(),
    "x.ndjson": TEXT.replace("\n", "\r\n").encode(),
    "x.json": b"\xef\xbb\xbf" + TEXT.encode(),
    "X.JSONL": TEXT.replace("\n", "\n\n  \n").encode(),
    "end.jsonl": TEXT.rstrip().encode(),
    "x.jsonl.gz": gzip.compress(TEXT.encode()),
    "x.json.bz2": bz2.compress(TEXT.encode()),
}


@every("name", COPIES)
def test_lines_may_be_written_and_compressed_in_many_ways(tmp_path, name):
    (tmp_path / name).write_bytes(COPIES[name])
    expected = {"late": ["1", "0", "1"], "model": [0.5, 0.25, 3.0]}
    assert read(tmp_path / name, "late", "model") == expected
    assert in_batches(tmp_path / name) == expected


VALUES = {
    '"yes"': "yes", '"01"': "01", '""': "", "1": "1", "1.0": "1.0", "1e5": "1e5", "true": "true", "false": "false",
    "NaN": "NaN", "12345678901234567890123": "12345678901234567890123", '"2024-01-01"': "2024-01-01",
    '"h\\u00e9\\n"': "h\u00e9\n",
}  # fmt: skip


@every(("written", "text"), VALUES.items())
@every("first", [True, False])
def test_labels_and_groups_are_what_is_written(tmp_path, written, text, first):
    (tmp_path / "x.jsonl").write_text(f'{{"g": {written}}}\n' + ("" if first else '{"g": "a"}\n'))
    assert read(tmp_path / "x.jsonl", "g")["g"] == [text, *([] if first else ["a"])]


SCORES = {
    "0.5": 0.5, '"0.5"': 0.5, "7": 7.0, '"7"': 7.0, "-1e300": -1e300, "Infinity": math.inf, '"-Infinity"': -math.inf,
    "9007199254740994": 9007199254740994.0, "5e-324": 5e-324, "0e-999": 0.0,
}  # fmt: skip


@every("written", SCORES)
@every("before", ["1", '"1"'])
def test_scores_are_numbers_or_text_that_holds_numbers(tmp_path, written, before):
    (tmp_path / "x.jsonl").write_text(f'{{"model": {written}}}\n{{"model": {before}}}\n')
    assert read(tmp_path / "x.jsonl", "model")["model"] == [SCORES[written], 1.0]


ERRORS = {
    "": "there are no rows",
    "\n": "there are no rows",
    "\n" + TEXT.replace("0.25", "9007199254740993"): (  # by Python; without an empty line by Arrow
        "line 3: column 'model' is 9007199254740993, an integer that float64 cannot hold; scale or round the numbers "
        "first"
    ),
}


@every(("text", "message"), [*ERRORS.items(), *recorded("io/outputs/refused_json_lines.txt")])
def test_a_bad_file_says_what_is_wrong_and_where(tmp_path, text, message):
    path = tmp_path / "x.jsonl"
    path.write_text(text and f"{text}\n")
    with refused(f"{path}: {message}"):
        read(path, "late", "model")


def test_text_of_other_encodings(tmp_path):
    path = tmp_path / "x.jsonl"
    latin = '{"late": "j\xe9", "model": 1}\n'.encode("latin-1")
    for text, message in (
        (latin, "line 1.* is not UTF-8; convert the file, for instance by"),
        (TEXT.encode("utf-16"), "the file is UTF-16; convert it first"),
    ):
        path.write_bytes(text)
        with pytest.raises(EvaluationError, match=message):
            read(path, "late", "model")
    path.write_bytes(b'{"late": 1, "model": 1, "note": "j\xe9"}\n{"late": true, "model": 1, "note": "j\xe9"}\n')
    assert read(path, "late", "model")["late"] == ["1", "true"]
    with pytest.raises(EvaluationError, match="line 1: column 'note' is not UTF-8; convert"):
        read(path, "late", "note")


def test_keys_may_come_late_and_errors_in_later_blocks_name_the_line(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    path.write_text('{"late": 1}\n' * 200 + '{"late": 0, "p_a": 1}\n')
    assert table_contents(str(path), Selection(("p_a",))).schema.names == ["late", "p_a"]
    with pytest.raises(EvaluationError, match=r"nulls in column 'p_a': 200, the first at index 0"):
        read(path, "late", prefixes=("p_",))
    with pytest.raises(EvaluationError, match=r"no column begins with 'q_'"):
        read(path, "late", prefixes=("q_",))
    monkeypatch.setattr(text_files, "SAMPLE_BYTES", 100)
    path = tmp_path / "x.jsonl"
    path.write_text(TEXT * 50 + "\n\n" + TEXT.replace("0.25", "null").replace("3}", '"x"}'))
    with pytest.raises(EvaluationError, match="line 155: column 'model' must hold numbers, got 'x'"):
        read(path, "late", "model")
    path.write_text(TEXT * 50)
    assert in_batches(path, path) == {"late": ["1", "0", "1"] * 100, "model": [0.5, 0.25, 3.0] * 100}


def test_parts_may_be_empty_and_rows_are_estimated(tmp_path, monkeypatch):
    (tmp_path / "a.json").touch()
    (tmp_path / "b.json").write_text(TEXT)
    assert in_batches(tmp_path / "a.json", tmp_path / "b.json")["late"] == ["1", "0", "1"]
    monkeypatch.setattr(text_files, "SAMPLE_BYTES", 1000)
    (tmp_path / "x.jsonl").write_text(TEXT * 1000)
    assert table_contents(str(tmp_path / "x.jsonl"), SELECTION).rows == pytest.approx(3000, rel=0.1)
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": ["x", 1], "b": "x,y"}\n{"a": null, "b": true}\n{"b": 7}\n')
    assert read(path, "a", "b", as_text=True) == {"a": [["x", "1"], None, None], "b": ["x,y", "true", "7"]}


cells = st.one_of(
    st.integers(-(2**70), 2**70),
    st.integers(0, 3),
    st.floats(),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.sampled_from(["1", "0.5", "1e3", "-inf", "2024-01-01", "\ud800"]),
)
few = st.sampled_from([st.integers(0, 9), st.booleans(), st.floats(-1, 1), st.sampled_from(["a", "1"])])


@given(st.one_of(st.lists(cells, min_size=1, max_size=5), few.flatmap(lambda kind: st.lists(kind, min_size=1))))
def test_arrow_reads_what_python_does(values):
    data = "".join(json.dumps({"g": value, "s": value}) + "\n" for value in values).encode()
    source = SimpleNamespace(path="x.json", stream=lambda: io.BufferedReader(io.BytesIO(data)))
    for name, selection in (("g", Selection(("g",))), ("s", Selection(("s",), numbers=("s",)))):
        found = []
        for by_arrow in (True, False):
            with pytest.MonkeyPatch.context() as patched:
                if not by_arrow:
                    patched.setattr(json_files, "_columns_of_one_type", lambda *asked: None)
                try:
                    with json_files.open_json(source, selection, whole=True) as table:
                        batches = table.batches([name], 0)
                        found.append([cell for batch in batches for cell in batch.column(name).to_pylist()])
                except (EvaluationError, UnicodeEncodeError) as error:
                    found.append(str(error))
        assert found[0] == found[1]


CATEGORIES = ["sports", "politics", "arts"]
NAMES = st.sampled_from([*CATEGORIES, "unknown", None])
CELLS = st.none() | st.lists(NAMES, max_size=4)
KINDS = [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.dictionary(pa.int8(), pa.string()))]


def counted(assigned, correct):
    tally = Contingency(CATEGORIES)
    tally.add_results(assigned, correct)
    return tally


@given(st.lists(st.tuples(CELLS, CELLS), max_size=12), st.sampled_from(KINDS), st.integers(0, 12))
def test_lists_of_names_and_names_alone_count_as_lists_do(rows, kind, cut):
    assigned, correct = ([row[side] for row in rows] for side in range(2))
    chunks = pa.chunked_array([pa.array(assigned[:cut], kind), pa.array(assigned[cut:], kind)])
    columns = coded_names(chunks, "assigned"), coded_names(pa.chunked_array([pa.array(correct, kind)]), "correct")
    expected = counted(*([names or [] for names in side] for side in (assigned, correct)))
    assert counted(*columns) == expected
    names = [cell[0] if cell else None for cell in assigned]
    column = coded_names(pa.chunked_array([pa.array(names, kind.value_type)]), "a")
    lists = [[] if name is None else [name] for name in names]
    assert counted(column, column) == counted(lists, lists)


def test_other_columns_are_refused():
    for value, kind in (({"b": 1}, "struct"), ([["sports"]], "list")):
        with pytest.raises(EvaluationError, match=f"column 'a' must hold strings or lists of strings, got {kind}"):
            coded_names(pa.chunked_array([[value]]), "a")
    numbers = coded_names(pa.chunked_array([[[1, 2]]]), "a")
    kinds = "and correct must be of one kind, got a column of names and"
    for correct, must in ((numbers, "must hold names, got 1"), ([["sports"]], kinds)):
        with pytest.raises(EvaluationTypeError, match=f"assigned {must}"):
            counted(numbers, correct)
