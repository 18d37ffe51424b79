"""What the shell completes: names of files, and columns of the file that is typed."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from evalcore.errors import EvaluationError, EvaluationTypeError

_NEW = "score", "predicted"
"""Parameters of columns of new models."""


def completed_paths(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Let the shell complete the name of a file or folder."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def completed_columns(context: click.Context, parameter: click.Parameter, typed: str) -> list[Any]:
    """Return the columns that begin with what is typed, of the first file; new scores are in the last.  O(columns)."""
    files = _local_files(context)
    return _items(_columns_of(files[-1:] if parameter.name in _NEW else files[:1], context.params), typed)


def completed_measures(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Return the names of measures that begin with what is typed.  O(measures)."""
    from evalcore.evaluation.measure_choice import described_measures

    return _items(described_measures(), typed)


def completed_compared(context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Return the measures of comparisons that begin with what is typed, at the thresholds so far, or 0.5.  O(names)."""
    from evalcore.evaluation.measure_choice import described_compared, named_at

    thresholds = list(map(float, context.params.get("thresholds") or (0.5,)))
    return _items((full for name in described_compared() for full in named_at(name, thresholds)), typed)


def completed_allowed(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Return what may be allowed, behind the words and commas that are typed.  O(1)."""
    from evalcore.evaluation.options import ALLOWED

    before, comma, _ = typed.rpartition(",")
    return _items((f"{before}{comma}{word}" for word in ALLOWED), typed)


def _items(names: Iterable[str], typed: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(typed)]


def _local_files(context: click.Context) -> list[str]:
    """Return the files that are typed, as far as they can be opened."""
    named = [context.params.get(name) or () for name in ("files", "old", "new")]
    files = [file for of_name in named for file in ([of_name] if isinstance(of_name, str) else of_name)]
    typed = files or context.args  # not yet arguments if an option lacks its value
    return [file for file in typed if os.path.exists(file) or "*" in file]


def _columns_of(files: Sequence[str], options: Mapping[str, Any]) -> Sequence[str]:
    """Return the columns of the first file; none if it cannot be read, for a completion must not end in an error.

    A pipe, which would wait, is not opened.
    """
    with suppress(EvaluationError, EvaluationTypeError, ImportError, OSError):
        from evalcore.io.columns import Selection
        from evalcore.io.datasets import expand_paths, inspect_files
        from evalcore.io.formats import reading_of

        how = reading_of(options)
        if files and os.path.isfile(first := expand_paths(files, how)[0]):
            names: list[str] = inspect_files([first], Selection((), prefix="", reading=how))[0].schema.names
            return names
    return []
