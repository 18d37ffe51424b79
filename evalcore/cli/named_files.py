"""Files of models, which may be typed as NAME=FILE."""

import glob
import os
import re
from collections import Counter
from collections.abc import Sequence

import click

from evalcore.io.formats import shown_name, spoken_name

_ENDING = re.compile(r"\.[A-Za-z]\w*(\.(gz|bz2|zst|xz))?$", re.ASCII)


def named_file(typed: str) -> tuple[str, str]:
    """Return the name and the file of NAME=FILE; what is called so itself is a file, and its own name.  O(1).

    >>> named_file("bm25=runs/1.txt"), named_file("data/month=1")
    (('bm25', 'runs/1.txt'), ('data/month=1', 'data/month=1'))
    """
    name, _, file = typed.partition("=")
    is_named = name and file and "/" not in name and not os.path.exists(typed) and not glob.glob(typed)
    return (name, file) if is_named else (typed, typed)


def files_of_models(typed: Sequence[str]) -> dict[str, str]:
    """Return files by the names of their models: those of NAME=FILE, else of the files without folder and ending.

    Files of one name keep their folders.  Raises UsageError for one file or one name that is typed twice.  O(files).

    >>> files_of_models(["old/scores.csv", "new/scores.csv", "new/v1.5.csv.gz", "best=x.parquet"])
    {'old/scores': 'old/scores.csv', 'new/scores': 'new/scores.csv', 'v1.5': 'new/v1.5.csv.gz', 'best': 'x.parquet'}
    """
    named = list(map(named_file, typed))
    _refuse_repeated("files", [os.path.realpath(file) for _, file in named], [file for _, file in named])
    whole = [_ENDING.sub("", shown_name(file)) if name == file else name for name, file in named]
    short = [_short_name(file) if name == file else name for name, file in named]
    uses = Counter(short)
    names = [brief if uses[brief] == 1 else full for brief, full in zip(short, whole, strict=True)]
    _refuse_repeated("names of models", names, names)
    return {name: file for name, (_, file) in zip(names, named, strict=True)}


def _short_name(file: str) -> str:
    """Return the name of a file without its folder and ending, of a glob with them."""
    name = spoken_name(file)
    return name if glob.has_magic(name) else _ENDING.sub("", os.path.basename(name.rstrip("/")) or name)


def _refuse_repeated(what: str, keys: Sequence[str], shown: Sequence[str]) -> None:
    """Raise UsageError if a key stands twice."""
    uses = Counter(keys)
    for key, text in zip(keys, shown, strict=True):
        if uses[key] > 1:
            raise click.UsageError(f"OLD and NEW must have different {what}, got {text!r} twice.")
