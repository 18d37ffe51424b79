"""Tables written in every format, and read back."""

import bz2
import gzip
import lzma

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from pyarrow import feather

from evalcore.evaluation.progress import Bar
from evalcore.io.columns import Selection
from evalcore.io.readers import read_columns

NUMBERS = {"model", "score", "w"}


def quiet(*shown):
    """Take progress and say nothing."""


def read(path, *names, **more):
    """Return columns of a file, those of some names as numbers."""
    numbers = tuple(name for name in names if name in NUMBERS)
    return read_columns(str(path), Selection(names, **{"numbers": numbers, **more}), Bar(quiet))


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACKED = {"plain": bytes, "gzip": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zstd": zstd}


def csv_bytes(table, delimiter=","):
    sink = pa.BufferOutputStream()
    flat = table.drop_columns([name for name in table.column_names if pa.types.is_nested(table[name].type)])
    pa_csv.write_csv(flat, sink, pa_csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue().to_pybytes()


def write_bytes(data, path):
    with open(path, "wb") as file:
        file.write(data)


def in_text(change=bytes, delimiter=","):
    return lambda table, path: write_bytes(change(csv_bytes(table, delimiter)), path)


def write_dictionaries(table, path):
    for index, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            table = table.set_column(index, field.name, table[field.name].dictionary_encode())
    pq.write_table(table, path)


def write_stream(table, path):
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2 + table.num_rows // 10)


def write_npz(table, path):
    flat = {name: table[name] for name in table.column_names if not pa.types.is_nested(table[name].type)}
    arrays = {name: column.to_numpy() for name, column in flat.items()}
    np.savez(path, **{name: each.astype(str) if each.dtype == object else each for name, each in arrays.items()})


def write_json(table, path):
    frame = table.to_pandas()
    frame.to_json(path, orient="records", lines=True, double_precision=15)


def write_database(table, path):
    with duckdb.connect(path) as connection:
        connection.from_arrow(table).create("predictions")


WRITERS = {
    "plain.parquet": pq.write_table,
    "groups.parquet": lambda table, path: pq.write_table(table, path, row_group_size=1 + table.num_rows // 10),
    "dictionary.parquet": write_dictionaries,
    "lz4.feather": lambda table, path: feather.write_feather(table, path, compression="lz4"),
    "chunks.arrow": lambda table, path: feather.write_feather(table, path, compression="uncompressed", chunksize=3),
    "stream.arrow": write_stream,
    "plain.csv": in_text(),
    "UPPER.CSV": in_text(),
    "bom.csv": in_text(b"\xef\xbb\xbf".__add__),
    "crlf.csv": in_text(lambda data: data.replace(b"\n", b"\r\n")),
    "a.b.csv.gz": in_text(gzip.compress),
    "plain.csv.bz2": in_text(bz2.compress),
    "plain.csv.zst": in_text(zstd),
    "plain.tsv": in_text(delimiter="\t"),
    "plain.npz": write_npz,
}


def is_text(name):
    return ".csv" in name.lower() or name.endswith((".tsv", ".jsonl"))
