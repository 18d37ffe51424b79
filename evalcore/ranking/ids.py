"""Ids of queries and documents that people hand in, checked."""

from collections import Counter
from collections.abc import Iterable, Mapping, Reversible, Sequence, Set
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, shown

_STRINGS, _INTEGERS = "strings", "integers"
_PANDAS = "; make one of a frame: {query: rows['id'].tolist() for query, rows in frame.groupby('query')}"
_POLARS = "; make one of a frame: {query: rows['id'].to_list() for (query,), rows in frame.group_by('query')}"


def check_mapping(argument: str, given: Any) -> None:
    """Raise EvaluationTypeError unless queries are mapped to their ids.  O(1)."""
    if isinstance(given, Mapping):
        return
    got, made = shown(given), ""
    if hasattr(given, "columns"):
        got, made = f"a {type(given).__name__}", _POLARS if hasattr(given, "group_by") else _PANDAS
    elif hasattr(given, "to_dict"):
        got, made = f"a {type(given).__name__}", f"; pass {argument}.to_dict()"
    raise EvaluationTypeError(f"{argument} must be a mapping of queries to ids, got {got}{made}")


def as_ranking(argument: str, query: Any, given: Any) -> list[Any]:
    """Return the ids of a query, best first, if they have an order.  O(ids)."""
    if isinstance(given, Set) and not isinstance(given, Reversible):  # the keys of a dict are a set, and have one
        raise EvaluationTypeError(
            f"{argument}[{query!r}] must be a list of ids, best first, or a mapping of ids to scores, "
            f"got {shown(given)}, which has no order"
        )
    return as_ids(argument, query, given)


def as_ids(argument: str, query: Any, given: Any) -> list[Any]:
    """Return the ids of a query: strings or integers, each once.  O(ids)."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise EvaluationTypeError(f"{argument}[{query!r}] must be a list or mapping of ids, got {shown(given)}")
    ids = list(given)
    if not {*map(_kind_of, {*map(type, ids)})} <= {_STRINGS, _INTEGERS}:
        wrong = next(each for each in ids if _kind_of(type(each)) not in (_STRINGS, _INTEGERS))
        scored = isinstance(wrong, tuple | list | float | np.floating)
        number = "score" if argument == "retrieved" else "grade"
        instead = f"; for {number}s pass {{id: {number}}}" if scored else ""
        raise EvaluationTypeError(
            f"ids of {argument}[{query!r}] must be strings or integers, got {shown(wrong)}{instead}"
        )
    if len(set(ids)) < len(ids):
        again = Counter(ids).most_common(1)[0][0]
        raise EvaluationError(
            f"{argument}[{query!r}] must have each id once, got {again!r} twice; "
            "list(dict.fromkeys(ids)) keeps the first of each"
        )
    return ids


def check_one_kind(what: str, ids: Mapping[str, Sequence[Any]]) -> None:
    """Raise EvaluationTypeError if ids, by the argument that holds them, are of two kinds: '1' is not 1.  O(ids)."""
    found: dict[str, str] = {}
    for argument, some in ids.items():
        for kind, example in dict(zip(map(type, some), some, strict=True)).items():
            found.setdefault(_kind_of(kind), f"{shown(example)} in {argument}")
    if len(found) > 1:
        raise EvaluationTypeError(
            f"{what} must be all strings or all integers, got {' and '.join(list(found.values())[:2])}"
        )


def _kind_of(kind: type) -> str:
    if issubclass(kind, str):
        return _STRINGS
    return _INTEGERS if issubclass(kind, int | np.integer) and kind is not bool else kind.__name__
