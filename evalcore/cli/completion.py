"""What the shell completes: names of files, and columns of the file that is typed."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from evalcore.errors import EvaluationError, EvaluationTypeError


def completed_paths(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Let the shell complete the name of a file or folder."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def completed_columns(context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Return the columns that begin with what is typed.  O(columns)."""
    from click.shell_completion import CompletionItem

    files = context.params.get("files") or context.args  # not yet arguments if an option lacks its value
    local = [file for file in files if os.path.exists(file) or "*" in file]
    names = _columns_of(local[0], context.params) if local else []
    return [CompletionItem(name) for name in names if name.startswith(typed)]


def completed_measures(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
    """Return the names of measures that begin with what is typed.  O(measures)."""
    from click.shell_completion import CompletionItem

    from evalcore.report.measure_choice import described_measures

    return [CompletionItem(name) for name in described_measures() if name.startswith(typed)]


def _columns_of(path: str, options: Mapping[str, Any]) -> Sequence[str]:
    """Return the columns of the first file; none if it cannot be read, for a completion must not end in an error.

    A pipe, which would wait, is not opened.
    """
    with suppress(EvaluationError, EvaluationTypeError, ImportError, OSError):
        from evalcore.io.columns import Reading, Selection
        from evalcore.io.datasets import inspect_files
        from evalcore.io.formats import checked_delimiter
        from evalcore.io.paths import expand_paths

        how = Reading(options.get("input_format"), checked_delimiter(options.get("delimiter")))
        first = expand_paths([path], how)[0]
        if os.path.isfile(first):
            names: list[str] = inspect_files([first], [first], Selection((), prefix="", reading=how))[0].schema.names
            return names
    return []
