"""What the columns of a file must hold to be labels, scores or groups."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index
from evalcore.report.options import option
from evalcore.typing import BoolArray, IntArray
from evalcore.validation.labels import encode_labels, is_text
from evalcore.validation.positive_labels import standard_positive_mask

_LISTED = 6
_BOOLEANS = {"true": 1, "1": 1, "false": 0, "0": 0}
_NEITHER = 2
_ZERO = r"(?:\.0*)?(?:e[+-]?0+)?"
_USUAL = re.compile(rf"\s*(?:(?P<positive>1{_ZERO}|true)|(?P<minus>-1{_ZERO})|0{_ZERO}|false)\s*", re.IGNORECASE)
"""How programs write 0 and 1, -1 and 1, False and True."""
_NUMERIC = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_PLAIN = re.compile(r"0|-?[1-9]\d{0,17}")
"""Whole numbers as Python writes them, as far as int64 is sure to hold them."""
_MISSING = {"NA", "N/A", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "<NA>"}
"""How programs write that there is no value."""


def positive_rows(labels: npt.NDArray[Any], name: str, positive: str | None = None) -> BoolArray:
    """Mark the rows of the positive class: those labelled `positive`, or True, or 1 beside 0 or -1.

    labels: (n,) Booleans, numbers or strings.  Returns (n,) bool.  O(n), O(n log n) for an error.

    Raises EvaluationError for NaN, if `positive` is not given and the labels are other than Booleans, 0 and 1, -1
    and 1, or if it is given and no row is labelled so.

    >>> positive_rows(np.array(["no", "yes"], object), "answer", "yes")
    array([False,  True])
    >>> positive_rows(np.array([1, 2]), "answer")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'answer' holds 2 values (1, 2), where labels are 0 and 1 or Booleans; \
name the positive one (positive=VALUE)
    """
    rows = marked_rows(labels, name, positive)
    if positive is not None and not rows.any():
        raise EvaluationError(f"column {name!r} is never {positive!r}: it holds {listed(labels)}")
    return rows


def marked_rows(labels: npt.NDArray[Any], name: str, positive: str | None = None, first: int = 0) -> BoolArray:
    """Mark the rows of the positive class as `positive_rows` does, though there be none of them.

    first: the index of the first row, for errors about a part of a column.

    >>> marked_rows(np.array(["no", "no"], object), "answer", "yes")
    array([False, False])
    >>> marked_rows(np.array([np.nan]), "answer", first=100)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'answer' holds 1 NaN, the first at index 100 (from 0)
    """
    _refuse_missing(labels, name, first)
    if is_text(labels):
        try:
            classes, codes = coded_column(labels, name, first)
        except EvaluationTypeError:  # objects of several kinds
            classes, codes = encode_labels(labels.astype(str))
        return positive_classes(list(map(str, classes.tolist())), name, positive)[codes]
    if positive is not None:
        return _equal(labels, positive)
    rows = standard_positive_mask(labels)
    if rows is None:
        raise _no_usual_labels(name, labels)
    return rows


def positive_classes(classes: Sequence[str], name: str, positive: str | None = None) -> BoolArray:
    """Mark the positive ones of the different labels of a column of text.

    classes: (k,); those that are written as `positive` or, by default, as 1 or true.  Returns (k,) bool.  O(k).

    Raises EvaluationError if `positive` is not given and other labels than 0 and 1, -1 and 1, true and false are there,
    and for a missing label among numbers, such as NA, which `positive` would make negative.

    >>> positive_classes(["0", "1.0"], "late"), positive_classes(["01", "1"], "late", "1")
    (array([False,  True]), array([False,  True]))
    >>> positive_classes(["0", "1", "NA"], "late", "1")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'late' holds 'NA' among numbers, which may stand for a missing label: \
leave such rows out
    """
    if positive is None:
        found = list(filter(None, map(_USUAL.fullmatch, classes)))
        positives, minus = (
            np.array([match[kind] is not None for match in found], np.bool_) for kind in ("positive", "minus")
        )
        if len(found) < len(classes) or (minus.any() and not (positives | minus).all()):
            raise _no_usual_labels(name, np.array(classes, object))
        return positives
    missing = _MISSING.intersection(classes) - {positive}
    if missing and all(map(_NUMERIC.fullmatch, set(classes) - missing)):
        raise EvaluationError(
            f"column {name!r} holds {min(missing)!r} among numbers, which may stand for a missing label: "
            "leave such rows out"
        )
    return np.array([label == positive for label in classes], np.bool_)


def _no_usual_labels(name: str, labels: npt.NDArray[Any]) -> EvaluationError:
    return EvaluationError(
        f"column {name!r} holds {listed(labels)}, where labels are 0 and 1 or Booleans; "
        f"name the positive one ({option('positive', 'VALUE')})"
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

    Text stays what is written, `01` and `1` are two classes.  Where all of it is whole numbers, written plainly, it
    becomes these, for their order.  Two columns of text without a class in common are of two kinds if one holds numbers
    and the other words, or if they would meet as numbers or without regard to case: `1.0` and `1`, `True` and `true`.

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
                f"column {name!r} holds {values[index]} {at_index(first + index)}, where classes are names or whole "
                "numbers"
            )
    if all(map(is_text, columns.values())):
        return _classes_of_text(columns)
    kinds = {name: type(values[:1].tolist()[0]).__name__ for name, values in columns.items()}
    if len({"number" if kind in ("int", "float") else kind for kind in kinds.values()}) > 1:
        (name, one), (other_name, other) = kinds.items()
        raise EvaluationError(f"column {name!r} holds {one} and column {other_name!r} {other}: labels are of one kind")
    return list(columns.values())


def _classes_of_text(columns: Mapping[str, npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    found = {name: coded_column(values, name) for name, values in columns.items()}
    texts = {name: list(map(str, classes.tolist())) for name, (classes, _) in found.items()}
    if len(texts) > 1 and not set.intersection(*map(set, texts.values())):
        _refuse_two_kinds(texts)
    if all(_PLAIN.fullmatch(text) for classes in texts.values() for text in classes):
        return [classes.astype(np.int64)[codes] for classes, codes in found.values()]
    return list(columns.values())


def _refuse_two_kinds(texts: Mapping[str, Sequence[str]]) -> None:
    """Raise EvaluationError for classes that are different only because they are written in two ways."""
    (name, one), (other_name, other) = texts.items()
    numeric = [all(map(_NUMERIC.fullmatch, classes)) for classes in (one, other)]
    meeting = {_key(text): text for text in one}
    again = next((text for text in other if _key(text) in meeting), None)
    if again is not None or numeric[0] != numeric[1]:
        shown = (one[0], other[0]) if again is None else (meeting[_key(again)], again)
        raise EvaluationError(
            f"column {name!r} holds {shown[0]!r} and column {other_name!r} {shown[1]!r}, and no class is in both: "
            "classes are compared as they are written"
        )


def _key(text: str) -> Any:
    return float(text) if _NUMERIC.fullmatch(text) else text.strip().lower()


def in_order(labels: npt.NDArray[Any]) -> IntArray:
    """Return the order in which people look for labels: text that is all numbers in theirs.

    labels: (g,), ascending, distinct.  Returns (g,), what sorts them.  O(g log g).

    >>> in_order(np.array(["10", "9", "9.5"], object))
    array([1, 2, 0])
    """
    texts = labels.tolist()
    if not (is_text(labels) and all(isinstance(text, str) and _NUMERIC.fullmatch(text) for text in texts)):
        return np.arange(labels.size)
    return np.array(sorted(range(labels.size), key=lambda place: _number(texts[place]) or 0), np.intp)


def numeric_scores(column: npt.NDArray[Any], name: str, first: int = 0) -> npt.NDArray[Any]:
    """Return a column of numbers as it is.  Raises EvaluationError for one of anything else, or NaN.  O(n).

    first: the index of the first row, for errors about a part of a column.

    >>> numeric_scores(np.array(["0.9", "high"], object), "model")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'model' holds 'high' (str) at index 1 (from 0), where scores are numbers
    """
    if column.dtype.kind not in "iuf":
        # Strings among numbers made strings of all of them.
        index = next((index for index, value in enumerate(column) if _number(str(value)) is None), 0)
        bad = column[index]
        raise EvaluationError(
            f"column {name!r} holds {str(bad)!r} ({type(bad).__name__}) {at_index(first + index)}, "
            "where scores are numbers"
        )
    if column.dtype.kind == "f" and np.isnan(column).any():
        index = first + int(np.isnan(column).argmax())
        raise EvaluationError(f"column {name!r} is NaN {at_index(index)}; a score is finite or infinite")
    return column


def group_labels(column: npt.NDArray[Any], name: str, first: int = 0) -> npt.NDArray[Any]:
    """Return a column of strings, whole numbers, Booleans or dates as it is, bytes as strings.  O(n).

    first: the index of the first row, for errors about a part of a column.

    Raises EvaluationError for NaN, for fractions and for anything else.

    >>> group_labels(np.array([0.5]), "month")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'month' holds 0.5 at index 0 (from 0), where groups are names, whole \
numbers or dates
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
            f"column {name!r} holds {column[index]} {at_index(first + index)}, where groups are names, whole numbers "
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
        raise EvaluationError(f"column {name!r} holds {missing.sum():,} {text}, the first {at_index(index)}")


def coded_column(column: npt.NDArray[Any], name: str, first: int = 0) -> tuple[npt.NDArray[Any], IntArray]:
    """Return the classes and codes of a column as `coded` does.  Raises EvaluationError for None and NaN among objects.

    first: the index of the first row, for errors about a part of a column.

    >>> coded_column(np.array(["b", None], object), "answer")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nulls in column 'answer', the first at index 1 (from 0)
    """
    try:
        classes, codes = encode_labels(column)
    except EvaluationTypeError:  # None has no place in the order of strings
        _refuse_nulls(_nulls(column), name, first)
        raise
    if column.dtype.kind == "O":
        _refuse_nulls(_nulls(classes)[codes], name, first)
    return classes, codes


def _nulls(values: npt.NDArray[Any]) -> BoolArray:
    """Mark None, and NaN, which differs from itself, among objects."""
    return np.asarray(np.equal(values, np.array(None)) | np.not_equal(values, values), np.bool_)


def _refuse_nulls(rows: BoolArray, name: str, first: int) -> None:
    if rows.any():
        raise EvaluationError(f"nulls in column {name!r}, the first {at_index(first + int(rows.argmax()))}")


def _equal(labels: npt.NDArray[Any], positive: str) -> BoolArray:
    if labels.dtype.kind == "b":
        return np.asarray(labels == _BOOLEANS.get(positive.lower(), _NEITHER))
    if labels.dtype.kind in "iuf":
        number = _BOOLEANS.get(positive.lower(), _number(positive))
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
