"""Logs of harnesses that evaluate language models: which files of a folder they are, and the rows in them.

lm-evaluation-harness writes JSON lines, a file for each task; inspect_ai documents or ZIP archives (.eval); promptfoo,
HELM and DeepEval documents.  The rows of all have a column ``task``.
"""

import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from evalcore.errors import note, refuse
from evalcore.io.libraries import pa
from evalcore.io.memory import check_room, shown_size
from evalcore.io.paths import steps_of, value_at

Objects = list[dict[str, Any]]
_NAMES = (
    re.compile(r"samples_(?P<task>.+?)_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl\b.*"),
    re.compile(r".*\.eval"),
    re.compile(r"per_instance_stats\.json\b.*"),
)
"""Names of the files with rows beside others of the harness, such as results of whole tasks."""
_BYTES_OF_OBJECTS = 10
"""Python takes for each byte of JSON."""
_ZSTANDARD = 93
"""The number of this compression in ZIP archives."""


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
    above: dict[str, Any] = {"task": name.name.partition(".")[0]}
    try:
        match document:
            case {"eval": {"task": task, "model": model}, "version": _}:
                rows, above = document.get("samples") or [], {"task": task, "model": model}
            case {"results": {"results": [*rows]}}:
                above["task"] = value_at(document, ("config", "description")) or above["task"]
            case {"testCases": [*cases]} | {"testRunData": {"testCases": [*cases]}}:
                rows = [_spread(row, "metricsData", lambda one: (one["name"], one)) for row in cases]
            case [{"instance_id": _, "stats": [*_]}, *_]:
                above["task"] = name.parent.name or above["task"]
                rows = [_spread(row, "stats", lambda one: (one["name"]["name"], one.get("mean"))) for row in document]
            case _:
                return None
        return [{**above, **row} for row in rows]
    except (AttributeError, KeyError, TypeError):  # it only looks like one
        return None


def _spread(row: dict[str, Any], key: str, cell: Callable[[Any], tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key} | dict(map(cell, row.get(key) or ()))


def tell_errors(rows: Objects, asked: Iterable[str]) -> None:
    """Say how many rows of promptfoo are errors, which it scores 0, unless a column that is asked for tells.  O(n)."""
    errors = sum(row.get("failureReason") == "2" for row in rows)
    if errors and "failureReason" not in asked:
        what = "1 row is an error" if errors == 1 else f"{errors:,} rows are errors"
        note(f"{what} of the provider or a grader, scored 0; --where 'failureReason <> 2' leaves them out")


def rows_of_archive(file: Any, path: str, decoded: Callable[[bytes], Any], needed: Iterable[str]) -> Objects:
    """Return the samples in an archive of inspect_ai, from its summaries if they have what is needed.  O(bytes)."""
    rows: Objects | None = None
    with zipfile.ZipFile(file) as archive:
        names = [name for name in dict.fromkeys(archive.namelist()) if name.endswith(".json")]
        begun = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
        refuse({"is no log of inspect_ai: the archive has no header.json": begun is None})
        check_room_of_json(archive.getinfo(str(begun)).file_size)
        header, missing = decoded(_member(archive, str(begun))), object()
        for kind in ("summaries.json", "samples/"):
            chosen = [name for name in names if name.startswith(kind)]
            check_room_of_json(sum(archive.getinfo(name).file_size for name in chosen))
            parts = [decoded(_member(archive, name)) for name in chosen]
            samples = parts[0] if parts and kind == "summaries.json" else parts
            log = {"version": None, **(header if isinstance(header, dict) else {}), "samples": samples}
            rows = rows_of_log(log, path)
            if rows and all(value_at(rows[0], steps_of(name), missing) is not missing for name in needed):
                break
    refuse({"is no log of inspect_ai: its task, model or samples are not as that writes them": rows is None})
    return rows or []


def check_room_of_json(size: int) -> None:
    """Raise EvaluationError if the objects of `size` bytes of JSON do not fit in memory.  O(1)."""
    check_room(_BYTES_OF_OBJECTS * size, None, f"the objects of {shown_size(size)} of JSON take about")


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a file of an archive, which Python before 3.14 does not decompress if it is Zstandard.  O(bytes)."""
    about: Any = archive.getinfo(name)
    if about.compress_type != _ZSTANDARD:
        return archive.read(name)
    size, about.compress_type, about.CRC = about.file_size, zipfile.ZIP_STORED, None
    about.file_size = about.compress_size
    return bytes(pa.CompressedInputStream(pa.BufferReader(archive.read(about)), "zstd").read(size))
