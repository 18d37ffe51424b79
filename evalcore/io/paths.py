"""Columns inside nested ones, named by dotted paths: ``scores.exact``, ``metrics."a.b"``, ``answers.0``."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from evalcore.io.libraries import pa, pc

_STEP = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')
_PLAIN = re.compile(r'[^."]+')
_INDEX = re.compile(r"\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MOST_ITEMS = 3
"""How many items of a list have paths that are listed."""
_MOST_LISTED = 8
"""How many paths an error lists."""

Paths = dict[str, tuple[str, ...]]
"""The steps to each column from the object of a row: one to a key."""


@cache
def steps_of(path: str) -> tuple[str, ...]:
    """Return the names and indices that a path goes through; the name alone if it is no path.  O(letters).

    >>> steps_of('metrics."a.b".0'), steps_of("late"), steps_of("ends in a dot.")
    (('metrics', 'a.b', '0'), ('late',), ('ends in a dot.',))
    """
    steps, end = [], 0
    while step := _STEP.match(path, end):
        steps.append(step[2] or step[1].replace('""', '"'))
        end = step.end() + 1
        if step.end() == len(path):
            return tuple(steps)
        if path[step.end()] != ".":
            break
    return (path,)


def path_of(steps: Iterable[str]) -> str:
    """Return the path that goes through some names and indices.  O(letters).

    >>> path_of(["metrics", "a.b", "0"])
    'metrics."a.b".0'
    """
    return ".".join(step if _PLAIN.fullmatch(step) else '"' + step.replace('"', '""') + '"' for step in steps)


def value_at(value: Any, steps: Sequence[str], missing: Any = None) -> Any:
    """Return what a path leads to in objects and lists of JSON, or in a type of Arrow.  O(steps).

    missing: in place of what is not there.
    """
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step, missing)
        elif isinstance(value, list) and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        elif not isinstance(value, pa.DataType):
            return missing
        elif pa.types.is_struct(value) and value.get_field_index(step) >= 0:
            value = value.field(value.get_field_index(step)).type
        elif _is_list(value) and _INDEX.fullmatch(step):
            value = value.value_type
        else:
            return missing
    return value


def leaves(node: Any, *above: str) -> Iterator[tuple[str, Any]]:
    """Yield the paths below an object of JSON or a type of Arrow, and the values or types they lead to.  O(paths).

    above: the steps that lead to it.

    >>> dict(leaves({"exact": 1, "parts": [0.5, {"a.b": None}]}, "scores"))
    {'scores.exact': 1, 'scores.parts.0': 0.5, 'scores.parts.1."a.b"': None}
    """
    parts: list[tuple[str, Any]] = []
    if isinstance(node, dict):
        parts = list(node.items())
    elif isinstance(node, list):
        parts = [(str(index), part) for index, part in enumerate(node[:_MOST_ITEMS])]
    elif isinstance(node, pa.DataType):
        if pa.types.is_struct(node):
            parts = [(field.name, field.type) for field in map(node.field, range(node.num_fields))]
        elif _is_list(node):
            parts = [("0", node.value_type)]
    for step, part in parts:
        yield from leaves(part, *above, step)
    if above and not parts:
        yield (above[0] if len(above) == 1 else path_of(above)), node


def way_out_of_nested(name: str, node: Any) -> str:
    """Say which paths below a column, an object of JSON or a type of Arrow, hold numbers; '' if none do.  O(paths)."""
    paths = [path for path, leaf in leaves(node, *steps_of(name)) if _is_number(leaf)]
    listed = ", ".join(paths[:_MOST_LISTED]) + (", ..." if paths[_MOST_LISTED:] else "")
    return f"name a path below it: {listed}" if paths else ""


def _is_number(leaf: Any) -> bool:
    if isinstance(leaf, pa.DataType):
        return any(holds(leaf) for holds in (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating))
    return isinstance(leaf, bool) or (isinstance(leaf, str) and _NUMBER.fullmatch(leaf) is not None)


def _is_list(kind: Any) -> bool:
    return any(holds(kind) for holds in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def heads(names: Iterable[str], schema: Any, *, fields: bool) -> list[str]:
    """Return the columns of a schema that names and paths lead into, each once.  O(names).

    fields: whether their fields are named too, as Parquet does, so that no others are read.
    """
    found = []
    for name in names:
        head, *steps = (name,) if name in schema.names else steps_of(name)
        kind = schema.field(head).type
        while fields and steps and pa.types.is_struct(kind):
            kind, head = value_at(kind, steps[:1]), f"{head}.{steps.pop(0)}"
        found.append(head)
    return list(dict.fromkeys(found))


def columns_at(table: Any, names: Iterable[str], schema: Any) -> list[Any]:
    """Return the columns of a pyarrow Table or RecordBatch that names and paths lead to.  O(n).

    schema: whose columns are named by what they are called.
    """
    columns = []
    for name in names:
        head, *steps = (name,) if name in schema.names else steps_of(name)
        column = table.column(head)
        for step in steps:
            if pa.types.is_struct(column.type):
                column = pc.struct_field(column, step)
            else:  # lists of different lengths
                one = pc.list_slice(column, int(step), int(step) + 1, return_fixed_size_list=True)
                column = pc.list_element(one, 0)
        columns.append(column)
    return columns
