"""Logs of harnesses that evaluate language models: which files of a folder they are, and the rows in them.

lm-evaluation-harness writes JSON lines, a file for each task; inspect_ai documents or ZIP archives (.eval); promptfoo,
HELM and DeepEval documents.  The rows of all have a column ``task``.
"""

import io
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from evalcore.errors import EvaluationError, note
from evalcore.io.libraries import pa
from evalcore.io.paths import steps_of, value_at

Objects = list[dict[str, Any]]
_NAMES = (
    re.compile(r"samples_(?P<task>.+?)_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl\b.*"),
    re.compile(r".*\.eval"),
    re.compile(r"per_instance_stats\.json\b.*"),
)
"""Names of the files with rows beside others of the harness, such as results of whole tasks."""
_ZSTANDARD = 93
"""The number of this compression in ZIP archives."""
_NAME_LENGTHS = 26
"""Where a file in an archive says how long its name and what follows it are, before its bytes."""


def logs_among(files: Sequence[str]) -> Sequence[str]:
    """Return those files of a folder that are logs of a harness with rows; all if none is.  O(files).

    >>> logs_among(["m/results_1.json", "m/samples_gsm8k_2026-01-16T15-23-47.285735.jsonl"])
    ['m/samples_gsm8k_2026-01-16T15-23-47.285735.jsonl']
    """
    named = ([file for file in files if pattern.fullmatch(PurePath(file).name)] for pattern in _NAMES)
    return next(filter(None, named), files)


def task_in_name(path: str) -> str | None:
    """Return the task in the name of a file of samples of lm-evaluation-harness, None for other files.  O(letters).

    >>> task_in_name("samples_arc_easy_2026-01-16T15-23-47.285735.jsonl")
    'arc_easy'
    """
    found = _NAMES[0].fullmatch(PurePath(path).name)
    return None if found is None else found["task"]


def rows_of_log(document: Any, path: str) -> Objects | None:
    """Return the rows in the log of a harness, with the task; None for other documents.  O(rows).

    The metrics that HELM and DeepEval list become columns of their names.
    """
    name = PurePath(path)
    task: Any = name.name.partition(".")[0]
    more: dict[str, Any] = {}
    match document:
        case {"eval": {"task": task, "model": model}, "version": _}:
            rows, more = document.get("samples") or [], {"model": model}
        case {"results": {"results": [*rows]}}:
            task = value_at(document, ("config", "description")) or task
        case {"testCases": [*cases]} | {"testRunData": {"testCases": [*cases]}}:
            rows = [{**row, **{each["name"]: each for each in row.pop("metricsData", None) or ()}} for row in cases]
        case [{"instance_id": _, "stats": [*_]}, *_]:
            task = name.parent.name or task
            rows = [row | {each["name"]["name"]: each.get("mean") for each in row.pop("stats")} for row in document]
        case _:
            return None
    return [{"task": task, **more, **row} for row in rows]


def tell_errors(rows: Objects, asked: Iterable[str]) -> None:
    """Say how many rows of promptfoo are errors, which it scores 0, unless a column that is asked for tells.  O(n)."""
    errors = sum(row.get("failureReason") == "2" for row in rows)
    if errors and "failureReason" not in asked:
        what = "1 row is an error" if errors == 1 else f"{errors:,} rows are errors"
        note(f"{what} of the provider or a grader, scored 0; --where 'failureReason <> 2' leaves such rows out")


def rows_of_archive(file: Any, path: str, decoded: Callable[[bytes], Any], needed: Iterable[str]) -> Objects:
    """Return the samples in an archive of inspect_ai, from its summaries if they have what is needed.  O(bytes)."""
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        header = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
        if header is None:
            raise EvaluationError("is no log of inspect_ai: the archive has no header.json")
        document, missing = {"version": None, **decoded(_member(archive, file, header))}, object()
        for kind in ("summaries.json", "samples/"):
            parts = [decoded(_member(archive, file, name)) for name in names if name.startswith(kind)]
            document["samples"] = parts[0] if parts and kind == "summaries.json" else parts
            rows = rows_of_log(document, path) or []
            if rows and all(value_at(rows[0], steps_of(name), missing) is not missing for name in needed):
                break
        return rows


def _member(archive: zipfile.ZipFile, file: Any, name: str) -> bytes:
    """Return a file of an archive, which Python before 3.14 does not decompress if it is Zstandard.  O(bytes)."""
    about = archive.getinfo(name)
    if about.compress_type != _ZSTANDARD:
        return archive.read(name)
    file.seek(about.header_offset + _NAME_LENGTHS)
    lengths = struct.unpack("<HH", file.read(4))
    file.seek(sum(lengths), io.SEEK_CUR)
    return bytes(pa.CompressedInputStream(pa.BufferReader(file.read(about.compress_size)), "zstd").read())
