"""What the columns of a file must hold to be labels, scores or groups."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.typing import BoolArray

_LISTED = 6
_BOOLEANS = {"true": 1, "1": 1, "false": 0, "0": 0}
_NEITHER = 2


def positive_rows(labels: npt.NDArray[Any], name: str, positive: str | None = None) -> BoolArray:
    """Mark the rows of the positive class: those labelled `positive`, or True, or 1.

    labels: (n,) Booleans, numbers or strings.  Returns (n,) bool.  O(n), O(n log n) for an error.

    Raises EvaluationError for NaN, if `positive` is not given and the labels are other than Booleans, 0 and 1, or
    if it is given and no row is labelled so.

    >>> positive_rows(np.array(["no", "yes"], object), "answer", "yes")
    array([False,  True])
    >>> positive_rows(np.array([1, 2]), "answer")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'answer' holds 2 values (1, 2), where labels are 0 and 1 or Booleans; \
name the positive one (--positive VALUE)
    """
    rows = marked_rows(labels, name, positive)
    if positive is not None and not rows.any():
        raise EvaluationError(f"column {name!r} never is {positive!r}: it holds {listed(labels)}")
    return rows


def marked_rows(labels: npt.NDArray[Any], name: str, positive: str | None = None, first: int = 0) -> BoolArray:
    """Mark the rows of the positive class as `positive_rows` does, though there be none of them.

    first: the index of the first row, for errors about a part of a column.

    >>> marked_rows(np.array(["no", "no"], object), "answer", "yes")
    array([False, False])
    >>> marked_rows(np.array([np.nan]), "answer", first=100)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'answer' holds 1 NaN, the first at index 100
    """
    _refuse_missing(labels, name, first)
    if positive is not None:
        return _equal(labels, positive)
    if labels.dtype.kind == "b":
        return labels
    if labels.dtype.kind in "iuf":
        rows: BoolArray = labels == 1
        if np.all(rows | (labels == 0)):
            return rows
    raise EvaluationError(
        f"column {name!r} holds {listed(labels)}, where labels are 0 and 1 or Booleans; "
        "name the positive one (--positive VALUE)"
    )


def class_names(names: Sequence[str], labels: npt.NDArray[Any]) -> list[Any]:
    """Read names of classes as what the labels are: numbers, Booleans or strings.  O(k).

    >>> class_names(["1", "2"], np.array([1, 2, 1]))
    [1, 2]
    """
    if labels.dtype.kind == "b":
        return [bool(_BOOLEANS[name.lower()]) if name.lower() in _BOOLEANS else name for name in names]
    if labels.dtype.kind in "iuf":
        numbers = [_number(name) for name in names]
        return [name if number is None else number for name, number in zip(names, numbers, strict=True)]
    return list(names)


def class_columns(columns: Mapping[str, npt.NDArray[Any]], first: int = 0) -> list[npt.NDArray[Any]]:
    """Return two columns of class labels.  Raises EvaluationError for fractions, and for two kinds of labels.  O(n).

    first: the index of the first row, for errors about a part of a column.

    >>> class_columns({"tree": np.array(["ash"], object), "code": np.array([3])})
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'tree' holds str and column 'code' int: labels are of one kind
    """
    for name, values in columns.items():
        fractions = values != np.floor(values) if values.dtype.kind == "f" else np.zeros(1, np.bool_)
        if fractions.any():
            index = int(fractions.argmax())
            raise EvaluationError(
                f"column {name!r} holds {values[index]} at index {first + index}, where classes are names or whole "
                "numbers"
            )
    kinds = {name: type(values[:1].tolist()[0]).__name__ for name, values in columns.items()}
    if len({"number" if kind in ("int", "float") else kind for kind in kinds.values()}) > 1:
        (name, one), (other_name, other) = kinds.items()
        raise EvaluationError(f"column {name!r} holds {one} and column {other_name!r} {other}: labels are of one kind")
    return list(columns.values())


def numeric_scores(column: npt.NDArray[Any], name: str, first: int = 0) -> npt.NDArray[Any]:
    """Return a column of numbers as it is.  Raises EvaluationError for one of anything else, or NaN.  O(n).

    first: the index of the first row, for errors about a part of a column.

    >>> numeric_scores(np.array(["0.9", "high"], object), "model")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'model' holds 'high' (str) at index 1, where scores are numbers
    """
    if column.dtype.kind not in "iuf":
        # Strings among numbers made strings of all of them.
        index = next((index for index, value in enumerate(column) if _number(str(value)) is None), 0)
        bad = column[index]
        raise EvaluationError(
            f"column {name!r} holds {str(bad)!r} ({type(bad).__name__}) at index {first + index}, "
            "where scores are numbers"
        )
    if column.dtype.kind == "f" and np.isnan(column).any():
        index = first + int(np.isnan(column).argmax())
        raise EvaluationError(f"column {name!r}[{index}] is NaN; a score is finite or infinite")
    return column


def group_labels(column: npt.NDArray[Any], name: str, first: int = 0) -> npt.NDArray[Any]:
    """Return a column of strings, whole numbers, Booleans or dates as it is, bytes as strings.  O(n).

    first: the index of the first row, for errors about a part of a column.

    Raises EvaluationError for NaN, for fractions and for anything else.

    >>> group_labels(np.array([0.5]), "month")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'month' holds 0.5 at index 0, where groups are names, whole numbers or dates
    """
    _refuse_missing(column, name, first)
    if column.dtype.kind == "S":
        return np.char.decode(column, "utf-8", "backslashreplace")
    if column.dtype.kind == "f":
        other = (column != np.floor(column)) | np.isinf(column)
    else:
        other = np.array([column.dtype.kind not in "biuUMO" or isinstance(column[0], list | dict | tuple | np.ndarray)])
    if other.any():
        index = int(other.argmax())
        raise EvaluationError(
            f"column {name!r} holds {column[index]} at index {first + index}, where groups are names, whole numbers "
            "or dates"
        )
    return column


def listed(labels: npt.NDArray[Any]) -> str:
    """Say how many values a column holds, and which the first are.  O(n log n).

    >>> listed(np.array([2, 1, 2]))
    '2 values (1, 2)'
    """
    values = np.unique(labels.astype(str) if labels.dtype.kind == "O" else labels).tolist()
    more = ", ..." if len(values) > _LISTED else ""
    plural = "s" if len(values) > 1 else ""
    return f"{len(values):,} value{plural} ({', '.join(map(str, values[:_LISTED]))}{more})"


def _refuse_missing(column: npt.NDArray[Any], name: str, first: int) -> None:
    if column.dtype.kind not in "fmM":
        return
    missing = np.isnan(column)
    if missing.any():
        text = "NaN" if column.dtype.kind == "f" else "NaT"
        index = first + int(missing.argmax())
        raise EvaluationError(f"column {name!r} holds {missing.sum():,} {text}, the first at index {index}")


def _equal(labels: npt.NDArray[Any], positive: str) -> BoolArray:
    if labels.dtype.kind == "b":
        return np.asarray(labels == _BOOLEANS.get(positive.lower(), _NEITHER))
    if labels.dtype.kind in "iuf":
        number = _number(positive)
        return np.zeros(labels.shape, np.bool_) if number is None else np.asarray(labels == number)
    return np.asarray(labels.astype(str) == positive)


def _number(text: str) -> int | float | None:
    """Read a number, an integer exactly."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None
