"""Every format gives the same columns; every bad file gives one clear error."""

import csv
import gzip
import io
import os
import re
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.errors import taking_notes
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.weighting import Weighting, row_weights
from evalcore.io import columns as reading_columns
from evalcore.io import text_files
from evalcore.io.columns import Selection, column_arrays
from evalcore.io.readers import read_columns, table_batches, table_contents
from tests.differences import every, recorded, refused
from tests.io.written import WRITERS, csv_bytes, is_text, quiet, read, write_bytes, write_database, write_json

LATE = [True, False, True, False]
MODEL = [0.5, 0.25, -1.0, float("inf")]
WEIGHTS = {"whole": [3, 0, 2**40, 1], "decimal": [0.5, 0.0, 2.25, 1.0]}
TABLE = pa.table({
    "late": LATE, "ignored": [[1], [2], [3], [4]], "model": MODEL, "kind": ["a", "b", "a", "a"], **WEIGHTS,
})  # fmt: skip


@every("name", [*WRITERS, "x.jsonl", "x.duckdb"])
def test_every_format_gives_the_same_columns_and_weights(tmp_path, name):
    path = str(tmp_path / name)
    writers = WRITERS | {"x.jsonl": write_json, "x.duckdb": write_database}
    table = TABLE.slice(0, 3) if name == "x.jsonl" else TABLE  # which has no infinity
    writers[name](table, path)
    numbers = ("model", *WEIGHTS)
    path = f"duckdb:{path}" if name.endswith("duckdb") else path
    columns = read(path, "late", "model", "kind", "late", *WEIGHTS, numbers=numbers)
    assert list(columns) == ["late", "model", "kind", *WEIGHTS]
    text, rows = is_text(name), table.num_rows
    assert columns["late"].tolist() == ([str(late).lower() for late in LATE] if text else LATE)[:rows]
    assert columns["model"].tolist() == MODEL[:rows]
    assert columns["kind"].tolist() == ["a", "b", "a", "a"][:rows]
    assert columns["late"].dtype == (object if text else np.bool_)
    assert columns["model"].dtype == np.float64
    for kind, weights in WEIGHTS.items():
        found = row_weights(columns, Weighting(kind), None)
        assert found.tolist() == weights[:rows]
        assert found.dtype == (np.int64 if kind == "whole" and not text else np.float64)
    frequencies = row_weights(columns, Weighting("whole", "frequency"), None)
    assert (frequencies.tolist(), frequencies.dtype) == (WEIGHTS["whole"][:rows], np.int64)


@every("name", ["x.parquet", "x.feather"])
def test_the_width_of_scores_and_exact_decimals_are_kept(tmp_path, name):
    path = str(tmp_path / name)
    half = pa.array([0.5, 0.25], pa.float32())
    table = pa.table({"half": half, "price": half.cast(pa.decimal128(6, 3))})
    WRITERS["plain.parquet" if name.endswith("parquet") else "lz4.feather"](table, path)
    columns = read(path, "half", "price")
    assert columns["half"].dtype == np.float32
    assert columns["price"].tolist() == [0.5, 0.25]


def test_a_csv_column_widens_where_a_later_row_asks_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "_BLOCK_BYTES", 1 << 12)
    path = tmp_path / "x.csv"
    rows = 4_000  # several of the reader's blocks
    path.write_text("score,label\n" + "1,0\n" * rows + "0.5,1\n")
    columns = read(path, "score", "label")
    assert columns["score"].dtype == np.float64
    assert columns["label"].tolist() == ["0"] * rows + ["1"]
    assert columns["score"].tolist() == [1] * rows + [0.5]
    path.write_text("score,label\n" + "1,0\n" * rows + "late,1\n")
    with pytest.raises(EvaluationError, match=r"x.csv: line 4002: column 'score' must hold numbers, got 'late'$"):
        read(path, "score")


def test_csv_has_quoted_names_and_comes_by_standard_input(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text('"a,\nb","say ""c"""\n1,2\n')
    columns = read(path, "a,\nb", 'say "c"')
    assert [column.tolist() for column in columns.values()] == [["1"], ["2"]]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(csv_bytes(TABLE))))
    assert read("-", "model")["model"].tolist() == MODEL


@every("name", ["groups.parquet", "chunks.arrow", "plain.csv", "plain.csv.bz2", "plain.npz"])
def test_progress_rises_to_its_total(tmp_path, name):
    path = str(tmp_path / name)
    WRITERS[name](TABLE, path)
    calls = []
    read_columns(path, Selection(("late",)), Bar(lambda done, total, words: calls.append((done, total))))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert calls[-1][1] in (done[-1], None)


CSV_ERRORS = {
    "": "there are no rows",
    "\n": "there is no header line",
    "late,model\r1,0.5\r": "lines must end in LF or CRLF, got CR alone (tr '\\r' '\\n' < FILE converts them)",
    f"late,{'x' * 131073}\n1,0.5\n": "names of columns must have at most 131,072 letters",
    "late,model\n1,0.5\n\n0,  \n": "line 4: column 'model' is empty",
    "late,model\n1,0.5\n\r\n0\n": "line 4: must have 2 cells, got 1: 0",
}


@every(
    ("text", "message"),
    [*CSV_ERRORS.items(), *((f"{text}\n", said) for text, said in recorded("io/outputs/refused_csv_files.txt"))],
)
def test_a_bad_csv_file_says_what_is_wrong(tmp_path, text, message):
    path = tmp_path / "x.csv"
    path.write_text(text, newline="")
    with refused(f"{path}: {message}"):
        read(path, "late", "model")


@every(
    ("text", "is_noted"),
    ("late,note\n1,a", True), ("late,note\n1,a\n0,b\r\n1,c", True), ("late,note\n1,a\n", False),
     ("late,note\n1,a\r", False), ('late,note\n1,"a"', False), ("late,note\n1,a\n\n", False),
     ("late,note", False), ("late,note\n", False),
)  # fmt: skip
@every("pack", [bytes, gzip.compress])
def test_a_last_line_without_an_end_is_noted(tmp_path, text, is_noted, pack):
    path = tmp_path / "x.csv"
    path.write_bytes(pack(text.encode()))
    notes = []
    with taking_notes(notes.append):
        read_columns(str(path), Selection(("late",)), Bar(quiet), needs_rows=False)
    said = "there is no line break at the end, so the last cell may be cut off; check that the file is complete"
    assert notes == [f"{path}: {said}"] * is_noted


def test_numbers_of_all_sizes_and_no_rows_are_held(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("model\n0\n0.000000\n -0.0e5 \n0e-999\n5e-324\n2.5e-310\n")
    assert read(path, "model")["model"].tolist() == [0, 0, 0, 0, 5e-324, 2.5e-310]
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE.slice(0, 0), path)
    with pytest.raises(EvaluationError, match="there are no rows"):
        read(path, "late")


def test_a_cell_may_have_megabytes(tmp_path, monkeypatch):
    path, most = tmp_path / "x.csv", 4 << 20
    lines = "a line, with a comma\n" * 100_000
    text = f'late,model,note\n1,0.5,"{lines}"\n0,0.25,""""\n1,0.75,{"x" * 1_500_000}\n0,1,z\n'
    path.write_text(text)
    assert read(path, "late", "model")["model"].tolist() == [0.5, 0.25, 0.75, 1.0]
    assert read(path, "note", "late")["note"].tolist()[0] == lines
    path.write_text(text + ",1,\n")
    with pytest.raises(EvaluationError, match="line 100006: column 'late' is empty"):
        read(path, "late")
    path.write_text(f"late,model,note\n1,0.5,a\n0,0.5,{'x' * 2 * most}\n")
    with pytest.raises(EvaluationError, match="line 3: takes more than 4,194,304 bytes; is a quote not"):
        read(path, "late")


@every("note", ['5" pipe', '"a ""b"""', 'a"', 'a"b"c', '"a\nb"', '"a,"', '""', '""""'])
@every("times", [1, 2, 300])
def test_quotes_in_rows_do_not_change_what_is_read(tmp_path, monkeypatch, note, times):
    monkeypatch.setattr(text_files, "_BLOCK_BYTES", 64)
    path = tmp_path / "x.csv"
    notes = [note] * times + ["a"] * (300 - times)
    path.write_text("note,late,model\n" + "".join(f"{note},1,{row}\n" for row, note in enumerate(notes)))
    assert read(path, "model")["model"].tolist() == list(range(300))


@given(
    st.lists(
        st.lists(
            st.sampled_from(["a", 'b"c', "x,y", "l\nm", "l\r\nm", '"', ',"', '",', '"\n', "\n", "z" * 40]), max_size=4
        )
    ),
    st.integers(200, 300),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_blocks_of_any_size_give_the_rows_that_were_written(rows, size, quoting):
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting)
    notes = ["".join(row) or "n" for row in rows]
    writer.writerows([("note", "late"), *((note, str(index)) for index, note in enumerate(notes))])
    source = SimpleNamespace(stream=lambda: io.BufferedReader(io.BytesIO(text.getvalue().encode())), path="x.csv")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_files, "_BLOCK_BYTES", size)
        with text_files.open_delimited(source, Selection(("note", "late")), whole=True) as table:
            batches = list(table.batches(["note", "late"], 0))
    assert pa.Table.from_batches(batches).column("note").to_pylist() == notes


@every("shift", range(1, 20))
def test_a_line_break_in_a_cell_stays_where_a_block_ends_in_it(tmp_path, monkeypatch, shift):
    monkeypatch.setattr(text_files, "_BLOCK_BYTES", 16)
    path = tmp_path / "x.csv"
    path.write_bytes(b"note,late\r\n" + b"a" * shift + b',0\r\n"b\r\nc",1\r\n')
    assert read(path, "note")["note"].tolist()[-1] == "b\r\nc"


@every("offset", range(100, 7900, 400))
def test_a_damaged_page_of_parquet_is_refused(tmp_path, offset):
    path = tmp_path / "x.parquet"
    table = pa.table({"model": np.random.default_rng(0).random(1000)})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    content[pq.ParquetFile(path).metadata.row_group(0).column(0).data_page_offset + offset] ^= 0x40
    path.write_bytes(content)
    for ask in (lambda: read(path, "model"), lambda: list(table_batches(str(path), ["model"], Selection(("model",))))):
        with pytest.raises(EvaluationError, match=r"x\.parquet: cannot be read: .*CRC"):
            ask()


MUST_STAY = "must stay as it is while it is read, got {}; wait until it is written, or read a copy"


@every("name", [*WRITERS, "x.jsonl"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, name):
    path = str(tmp_path / name)
    writers = WRITERS | {"x.jsonl": lambda _, path: write_bytes(b'{"late":1}\n{"late":0}\n', path)}
    writers[name](TABLE, path)
    with refused(f"{path}: {MUST_STAY.format('a change of its content')}"):
        read_columns(path, Selection(("late",)), Bar(lambda *_: os.utime(path, ns=(0, 0))))


@every(
    ("change", "sizes"),
    {
        "grows": (lambda path: write_bytes(b"late\n1\n0\n1\n", path), "9 bytes before and 11 bytes after"),
        "is cut": (lambda path: os.truncate(path, 7), "9 bytes before and 7 bytes after"),
        "goes": (os.unlink, "9 bytes before and no file after"),
    }.values(),
)
def test_the_sizes_of_a_file_that_changes_are_named(tmp_path, change, sizes):
    path = str(tmp_path / "x.csv")
    write_bytes(b"late\n1\n0\n", path)
    changes = [change]
    with refused(f"{path}: {MUST_STAY.format(sizes)}"):
        read_columns(path, Selection(("late",)), Bar(lambda *_: changes and changes.pop()(path)))


@every("name", ["groups.parquet", "chunks.arrow", "plain.csv"])
def test_a_file_that_changes_between_its_batches_is_refused(tmp_path, name):
    path = str(tmp_path / name)
    WRITERS[name](TABLE, path)
    batches = table_batches(path, ["late"], Selection(("late",)), 1)
    next(batches)
    os.utime(path, ns=(0, 0))
    with pytest.raises(EvaluationError, match="must stay as it is while it is read"):
        list(batches)


def cut(file):
    name = os.path.basename(file.name)
    WRITERS[name](TABLE, file.name)
    os.truncate(file.name, os.path.getsize(file.name) - 30)


NOISE = ["x.parquet", "x.arrow", "x.feather", "x.csv", "x.csv.gz", "x.npz"]
CUT = ["plain.parquet", "lz4.feather", "stream.arrow", "plain.csv.bz2", "plain.npz"]


@every(
    ("name", "write"),
    [*((name, lambda file: file.write(b"\x93 noise \xff\n" * 5)) for name in NOISE),
     *((name, cut) for name in CUT),
     ("array.npz", lambda file: np.save(file, np.zeros(3))),
     ("pickled.npz", lambda file: np.savez(file, late=np.array([print], object)))],
)  # fmt: skip
def test_noise_a_truncated_file_an_array_and_pickled_objects_are_one_line_that_names_the_file(tmp_path, name, write):
    with open(tmp_path / name, "wb") as file:
        write(file)
    with pytest.raises(EvaluationError) as caught:
        read(tmp_path / name, "late")
    assert str(caught.value).startswith(f"{tmp_path / name}: {'' if name.startswith('x.') else 'cannot be read: '}")
    assert "\n" not in str(caught.value)


@every("name", ["x.parquet", "x.arrow", "x.csv", "x.csv.gz", "x.tsv.gz", "x.npz"])
def test_a_missing_file(tmp_path, name):
    path, chosen = str(tmp_path / name), Selection(("late",))
    in_parts = [] if name == "x.npz" else [lambda: list(table_batches(path, ["late"], chosen))]
    for opened in (lambda: read(path, "late"), lambda: table_contents(path, chosen), *in_parts):
        with pytest.raises(EvaluationError, match="no such file"):
            opened()


@every("model", [np.zeros(3), np.zeros((2, 2))])
def test_npz_columns_of_other_shapes(tmp_path, model):
    path = tmp_path / "x.npz"
    np.savez(path, late=np.zeros(2), model=model)
    shapes = f"late (2,), model {model.shape}"
    with refused(f"{path}: columns must be one-dimensional and equally long, got shapes {shapes}"):
        read(path, "late", "model")


def test_bytes_and_na_are_text_and_equal_strings_one_object(tmp_path):
    pq.write_table(pa.table({"kind": pa.array([b"a", "è".encode()])}), tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", "kind")["kind"].tolist() == ["a", "è"]
    (tmp_path / "x.csv").write_bytes(b"kind,score\nj\xe9,0.5\n")
    with pytest.raises(EvaluationError, match=r"line 2: column 'kind' is not UTF-8; convert the file, for"):
        read(tmp_path / "x.csv", "score", "kind")
    (tmp_path / "x.csv").write_bytes("kind,score\na,0.5\n".encode("utf-16"))
    with pytest.raises(EvaluationError, match="the file is UTF-16; convert it"):
        read(tmp_path / "x.csv", "kind")
    path = tmp_path / "x.csv"
    path.write_text("country\nNA\nUS\n")
    assert read(path, "country")["country"].tolist() == ["NA", "US"]
    path.write_text('country,score\nNA,1\n"",2\nUS,3\n')
    with pytest.raises(EvaluationError, match="line 3: column 'country' is empty"):
        read(path, "country")
    chunks = [pa.array(["".join(["no", "pe"]), "yes"]), pa.array([], pa.string()), pa.array(["yes", "nope"])]
    whole, empty = pa.chunked_array(chunks), pa.chunked_array(chunks[1:2])
    coded = [([1, 0], ["yes", "no"]), ([0, 1, 1], ["no", "yes", "maybe"]), ([1, 0, 1], ["no", None]), ([0], [*"abc"])]
    parts = [pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), names) for codes, names in coded]
    dictionaries = [pa.chunked_array(parts[begin:end]) for begin, end in ((0, 2), (1, 3), (2, 3), (3, 4))]
    views = pa.chunked_array([parts[1].cast(pa.dictionary(pa.int8(), pa.large_string()))]), whole.cast("string_view")
    for column in (whole, whole.dictionary_encode(), empty, empty.dictionary_encode(), *dictionaries, *views):
        found, texts = (column_arrays(pa.table({"a": column}), ["a"], ids=ids)["a"] for ids in ("", "a"))
        assert (found.dtype, found.tolist(), texts.tolist()) == (object, column.to_pylist(), column.to_pylist())
        assert len(set(map(id, found))) == len(set(found))


@every("name", ["plain.parquet", "plain.csv", "lz4.feather", "plain.npz"])
def test_columns_can_be_chosen_by_a_prefix(tmp_path, name):
    table = pa.table({"p_a": [1.0, 2.0], "late": [True, False], "p_b": [3.0, 4.0], "q": [0, 0]})
    WRITERS[name](table, str(tmp_path / name))
    columns = read(tmp_path / name, "late", prefixes=("p_",))
    late = ["true", "false"] if name.endswith("csv") else [True, False]
    found = {column: values.tolist() for column, values in columns.items()}
    assert found == {"late": late, "p_a": [1.0, 2.0], "p_b": [3.0, 4.0]}
    with pytest.raises(EvaluationError, match="no column begins with 'r_'; the columns are 'p_a', 'late', 'p_b', 'q'"):
        read(tmp_path / name, "late", prefixes=("r_",))


NUMBERS = ("bool", "int8", "uint16", "int32", "uint64", "halffloat", "float", "double")


def test_batches_of_numbers_and_other_columns_are_joined_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_columns, "_ROWS_OF_PROGRESS", 3)
    values = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1]
    kinds = dict.fromkeys(NUMBERS) | {"string": list("abcabcabca"), "date32": values}
    arrays = {
        name: pa.array(given or values).cast({"date32": "int32"}.get(name, name)) for name, given in kinds.items()
    }
    table = pa.table({name: array.cast(name) for name, array in arrays.items()})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=7)
    found = read(tmp_path / "x.parquet", *reversed(kinds))
    expected = column_arrays(table, table.column_names)
    assert list(found) == list(reversed(kinds))
    for name, array in found.items():
        assert array.dtype == expected[name].dtype, name
        assert array.tolist() == expected[name].tolist() == table[name].to_numpy().tolist()


def test_nulls_of_all_batches_and_columns_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_columns, "_ROWS_OF_PROGRESS", 3)
    columns = {"a": [1.0] * 4 + [None, 2.0, None], "b": [*"abcd", None, "e", "f"], "c": [True] * 6 + [None]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    nulls = {"c": (1, 6), "b": (1, 4), "a": (2, 4)}
    told = (f"column {name!r}: {count}, the first at index {at} (from 0)" for name, (count, at) in nulls.items())
    with pytest.raises(EvaluationError, match=re.escape(f"nulls in {'; '.join(told)}")):
        read(tmp_path / "x.parquet", *nulls)
