"""One table in several files: which files those are, their columns in common types, and their rows in batches."""

import glob
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import numpy as np

from evalcore.errors import EvaluationError, at_index, check, refuse
from evalcore.io import columns as of_columns
from evalcore.io import formats
from evalcore.io.columns import ColumnArrays, Selection, TableFile, selected_arrays, selected_names
from evalcore.io.conditions import holds_text
from evalcore.io.formats import Reading
from evalcore.io.layouts import logs_among, task_in_name
from evalcore.io.libraries import dataset, pa
from evalcore.io.opening import Meter, RemotePath, full_name
from evalcore.io.readers import BATCH_ROWS, is_read_in_batches, read_columns, table_batches, table_contents

_NOT_DATA = ("_", ".")
"""How names of files and folders beside the data begin, such as _SUCCESS and .crc, as in Arrow and Spark."""
_OF_THIS_MACHINE = "file:/"


def expand_paths(paths: Sequence[str], reading: Reading = formats.BY_NAME) -> list[str]:
    """Return the files that paths name, each once, in the order of their full names.  O(files log files).

    paths: files; globs, where ``**`` matches nested folders; folders, which mean all files in them of one format,
    nested ones too, except names that begin with a dot or an underscore; URLs of these.  The name of an existing file
    is not taken for a glob.

    Raises EvaluationError if a path matches no file, if formats differ or are unknown, and if one of several files is
    NPZ, standard input or a pipe.
    """
    local = (unquote(urlsplit(path).path) if path.lower().startswith(_OF_THIS_MACHINE) else path for path in paths)
    found = [file for path in local for file in _files_of(path, reading)]
    found.sort(key=full_name)
    first: dict[str, str] = {}
    for file in found:
        first.setdefault(full_name(file, os.path.realpath), file)
    files = list(first.values())
    _check_formats(files, reading)
    return files


def _files_of(path: str, reading: Reading) -> list[str]:
    if formats.is_remote(path):
        with formats.reading(path):
            found = RemotePath.of(path).files(_is_data)
        refuse({f"{path}: no file matches": found == []})
        return [path] if found is None else _of_one_format(path, found, reading)
    if os.path.isdir(path):
        return _of_one_format(path, list(_files_below(path)), reading)
    if formats.is_read_once(path) or path == formats.IN_MEMORY or os.path.exists(formats.local_name(path)):
        return [path]
    refuse({f"{path}: no such file": not glob.has_magic(path)})
    names = list(_glob_matches(path))
    files = [name for name in names if not os.path.isdir(name)]
    nested = [file for name in names if os.path.isdir(name) for file in _files_below(name)]
    refuse({f"{path}: no file matches": not files and not nested})
    return files + (_of_one_format(path, nested, reading) if nested else [])


def _of_one_format(folder: str, files: Sequence[str], reading: Reading) -> list[str]:
    """Return the files of a folder that have the chosen format by their names, or else have names of no format."""
    chosen = reading.format or ("csv" if reading.delimiter is not None else None)
    files = files if chosen else logs_among(files)
    named = [(formats.named_format(file), file) for file in files]
    known = list(dict.fromkeys(name for name, _ in named if name is not None))
    refuse({
        f"{folder}: this folder has no file whose name ends in one of {' '.join(formats.FORMATS)}; give the format of "
        "other names (--input-format FORMAT)": chosen is None and not known,
        f"{folder}: this folder has files of several formats ({', '.join(sorted(known))}); choose one "
        "(--input-format FORMAT)": chosen is None and len(known) > 1,
    })  # fmt: skip
    chosen = chosen or known[0]
    found = [file for name, file in named if name == chosen] or [file for name, file in named if name is None]
    others = f", but of {' and '.join(sorted(known))}" if known else ""
    refuse({f"{folder}: this folder has no file of the format {chosen}{others}": not found})
    return found


def _glob_matches(pattern: str) -> Iterator[str]:
    """Yield the files and folders that a glob matches, without those that are not data."""
    root = pattern
    while glob.has_magic(root):
        root = os.path.dirname(root)
    for name in glob.iglob(pattern, recursive=True):
        if all(map(_is_data, os.path.relpath(name, root or None).split(os.sep))):
            yield name


def _files_below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = filter(_is_data, folders)
        yield from (os.path.join(parent, name) for name in filter(_is_data, names))


def _refuse_folder(error: OSError) -> NoReturn:
    raise EvaluationError(f"{error.filename}: cannot be read: {formats.reason(error)}") from error


def _is_data(name: str) -> bool:
    return not name.startswith(_NOT_DATA)


def _check_formats(files: Sequence[str], reading: Reading) -> None:
    first = formats.format_of(files[0], reading)
    if len(files) == 1:
        return
    for file in files:
        named, found = "standard input (-)" if file == "-" else f"{file}: a pipe", formats.format_of(file, reading)
        refuse({f"{named} must be the only file; write it to a file first": formats.is_read_once(file)})
        refuse({f"{file}: an NPZ file must be the only file": found == "npz"})
        refuse({f"{file}: several files must have one format, and {files[0]} has another": found != first})


_TEXT = "strings"


def read_table(path: str, selection: Selection, meter: Meter) -> ColumnArrays:
    """Read the selected columns of a file, a glob, a folder or a URL as one table, (n,) each.  O(n).

    Raises EvaluationError, which names the path, if there is no such file, a column is missing, or no row is left.
    """
    files = expand_paths([path], selection.reading)
    read_whole = formats.is_read_once(files[0]) or not is_read_in_batches(files[0], selection.reading)
    if len(files) == 1 and (read_whole or not folder_columns(files)[files[0]]):
        return read_columns(files[0], selection, meter)
    parts = inspect_files(files, selection)
    schema, total = common_schema(parts, selection=selection), sum(part.rows for part in parts)
    batches, done = [], 0
    for batch in chain.from_iterable(file_batches(part, schema, selection) for part in parts):
        batches.append(batch)
        done += batch.num_rows
        meter.rows(done, total)
    refuse({f"{path}: there are no rows": not done})
    with formats.naming(path):
        return selected_arrays(pa.Table.from_batches(batches, schema), schema.names, selection)


def inspect_files(paths: Sequence[str], selection: Selection) -> list[TableFile]:
    """Open the files of a table and return what they have of the selected columns.  O(columns) for each file.

    Raises EvaluationError, which names the file, if it cannot be read or lacks a column.
    """
    from_folders = folder_columns(paths, selection.text)
    return [_inspect(path, from_folders[path], selection) for path in paths]


def folder_columns(paths: Iterable[str], text: Container[str] = ()) -> dict[str, dict[str, Any]]:
    """Return for each file the columns in the names of its folders, as Hive writes them, or of its task.  O(files).

    text: columns that are strings.  Others are numbers if all values are whole numbers of 32 bits, each written in one
    way, else strings; Hive's null is None.  Raises EvaluationError for samples of one task in several folders, which
    are those of several models.

    >>> folder_columns(["year=2013/month=1/x.parquet", "year=2013/month=may/x.parquet"])["year=2013/month=1/x.parquet"]
    {'year': 2013, 'month': '1'}
    """
    folders = {path: [folder.partition("=") for folder in Path(path).parent.parts] for path in paths}
    keyed = {path: [name for name, found, _ in parts if found and name] for path, parts in folders.items()}
    names = dict.fromkeys(name for keys in keyed.values() for name in keys)
    tasks = {path: {} if (task := task_in_name(path)) is None else {"task": task} for path in keyed}
    if not names:
        homes: dict[Any, Path] = {}
        for path, task in ((path, known["task"]) for path, known in tasks.items() if known):
            first, own = homes.setdefault(task, Path(path).parent), Path(path).parent
            got = f"{task!r} in {first} and in {own}; give the folder of one model"
            check(first == own, "samples", "be of one model, each task in one folder", got)
        return tasks
    hive = dataset.HivePartitioning(pa.schema([(name, pa.string()) for name in names]))
    from_folders = {}
    for path, keys in keyed.items():
        values = dataset.get_partition_keys(hive.parse(Path(path).as_posix())) if keys else {}
        from_folders[path] = {**tasks[path], **{name: values[name] for name in keys}}
    for name in names:
        found = {path: values[name] for path, values in from_folders.items() if name in values}
        values = list(found.values())
        for path, value in zip(found, values if name in text else _numbers_or_strings(values), strict=True):
            from_folders[path][name] = value
    return from_folders


def common_schema(files: Sequence[TableFile], selection: Selection) -> Any:
    """Return types that hold the columns of all files, a pyarrow Schema.  O(files).

    Numbers get the widest of their types; dictionaries and bytes become strings, decimals floating-point numbers.
    Raises EvaluationError, which names the file and the column, if types are
    incompatible, a file lacks a column, or a threshold is another number in the type of a file than in the common one.
    """
    types: dict[str, Any] = {}
    named: dict[str, str] = {}
    narrow: dict[str, str] = {}
    for file in files:
        if not file.schema.names:
            continue
        own = file.schema.names
        if lacking := [name for name in named if name not in own]:
            raise EvaluationError(f"{file.path}: there is no column {lacking[0]!r}, but {named[lacking[0]]} has it")
        if types and (more := [name for name in own if name not in named]):
            first = next(iter(named.values()))
            raise EvaluationError(f"{file.path}: there is a column {more[0]!r}, but {first} does not have it")
        for name, kept in zip(own, file.schema.types, strict=True):
            kind = _unpacked_type(kept)
            known = types.get(name, kind)
            if pa.types.is_null(known):
                known = kind
            if not pa.types.is_null(kind) and _family(kind) != _family(known):
                as_text = selection.evaluates(name) and not selection.holds_numbers(name)
                way_out = f"; read it as text (--as-text {name})" if as_text else ""
                why = f"{file.path}: column {name!r} holds {kept}, but {named[name]} has {known}{way_out}"
                raise EvaluationError(why)
            if pa.types.is_float32(kind):
                narrow.setdefault(name, file.path)
            types[name] = known if kind == known or pa.types.is_null(kind) else _wider(kind, known)
            named.setdefault(name, file.path)
    _refuse_widths({name: path for name, path in narrow.items() if pa.types.is_float64(types[name])}, selection)
    return pa.schema(list(types.items()))


def _refuse_widths(narrow: Mapping[str, str], selection: Selection) -> None:
    """Raise EvaluationError if scores of float32 that become float64 would be on another side of a threshold.

    narrow: the columns, and the first such file of each.
    """
    for name, path in narrow.items():
        for threshold in selection.thresholds.get(name, ()):
            with np.errstate(over="ignore"):
                rounded = float(np.float32(threshold))
            if threshold != rounded and abs(rounded) < np.inf:
                raise EvaluationError(
                    f"{path}: column {name!r} holds float32, which other files widen to float64, and the threshold "
                    f"{threshold} is another number in float32; convert the files to one type, or give a threshold "
                    f"that float32 holds, such as {rounded}"
                )


def file_batches(file: TableFile, schema: Any, selection: Selection, batch_rows: int = BATCH_ROWS) -> Iterator[Any]:
    """Yield the rows of a file as pyarrow record batches of a common schema.  O(rows).

    Raises EvaluationError, which names the file, if it is damaged or ends early, if a number does not fit its common
    type, and for nulls, with the first index, unless only some rows are kept, which is left to the caller.
    """
    if not file.schema.names:
        return
    names = [name for name in schema.names if name not in file.partitions]
    begin = 0
    for batch in table_batches(file.path, names, selection, batch_rows):
        columns = []
        with formats.reading(file.path):
            for field in schema:
                if field.name in file.partitions:
                    column = pa.repeat(pa.scalar(file.partitions[field.name], field.type), batch.num_rows)
                else:
                    column = batch.column(field.name)
                    column = of_columns.as_strings(column, field.name) if field.name in selection.text else column
                    column = column.cast(field.type)
                if column.null_count and selection.rows is None and field.name not in selection.with_nulls:
                    first = at_index(begin + column.is_null().to_numpy(zero_copy_only=False).argmax())
                    why = f"nulls in column {field.name!r}, the first {first}{selection.way_out_of_nulls}"
                    raise EvaluationError(why)
                columns.append(column)
            yield pa.record_batch(columns, schema)
        begin += batch.num_rows


def _inspect(path: str, from_folders: Mapping[str, Any], selection: Selection) -> TableFile:
    found = table_contents(path, selection)
    if not found.schema.names and not found.rows:  # programs that write parts in parallel leave some of them empty
        return found._replace(rows_are_counted=True)
    with formats.reading(path):
        own = found.schema.names
        names = selected_names(selection, [*own, *(name for name in from_folders if name not in own)])
        for name in names:
            if name in from_folders and name in own:
                places = f"in the file and in the name of its folder ({name}={from_folders[name]})"
                raise EvaluationError(f"column {name!r} is {places}; rename one of them")
    values = {name: from_folders[name] for name in names if name in from_folders}
    kinds = {int: pa.int32(), str: pa.string(), type(None): pa.null()}
    types = [(name, kinds[type(values[name])] if name in values else found.schema.field(name).type) for name in names]
    schema = pa.schema([(name, pa.string() if name in selection.text else kind) for name, kind in types])
    return found._replace(schema=schema, partitions=values)


def _numbers_or_strings(values: list[str | None]) -> list[Any]:
    try:
        numbers: list[Any] = pa.array(values, pa.string()).cast(pa.int32()).to_pylist()
    except pa.ArrowInvalid:
        return values
    # 1 and 01 are different names
    return numbers if len(set(numbers)) == len(set(values)) else values


def _unpacked_type(kind: Any) -> Any:
    """Return the type of the values of a column: of a dictionary that of its values, of a decimal float64."""
    if pa.types.is_dictionary(kind):
        return _unpacked_type(kind.value_type)
    if pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_string_view(kind):
        return pa.string()
    return kind


def _family(kind: Any) -> str:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "numbers"
    return _TEXT if holds_text(kind) else str(kind)


def _wider(one: Any, other: Any) -> Any:
    if _family(one) == _TEXT:
        return pa.large_string()
    return pa.from_numpy_dtype(np.result_type(of_columns.numpy_dtype(one), of_columns.numpy_dtype(other)))
