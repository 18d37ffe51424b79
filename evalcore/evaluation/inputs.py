"""Checks of the columns of a file that hold labels, scores or groups."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index, check, note
from evalcore.evaluation.options import SAMPLING, option, spelled, text_option, way_out_of_nulls
from evalcore.io.conditions import quoted
from evalcore.io.text_cells import MISSING_WORDS
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray
from evalcore.validation.labels import are_missing, check_one_type, encode_labels, is_text
from evalcore.validation.positive_class import standard_positive_mask
from evalcore.validation.weights import weights_of_part

_LISTED = 6
_BOOLEANS = {"true": 1, "1": 1, "false": 0, "0": 0}
_NEITHER = 2
_ZERO = r"(?:\.0*)?(?:e[+-]?0+)?"
_USUAL = re.compile(rf"\s*(?:(?P<positive>1{_ZERO}|true)|(?P<minus>-1{_ZERO})|0{_ZERO}|false)\s*", re.IGNORECASE)
"""How programs write 0 and 1, -1 and 1, False and True."""
_NUMERIC = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_PLAIN = re.compile(r"0|-?[1-9]\d{0,17}")
"""Whole numbers as Python writes them, short enough for int64."""


def positive_rows(labels: AnyArray, name: str, positive: str | None = None, *, weighted: bool = False) -> BoolArray:
    """Return which rows are positive, (n,) bool: those that equal `positive` or, without it, True or 1.  O(n).

    labels: (n,) Booleans, numbers or strings; weighted: whether rows of weight zero are not among them.

    Raises EvaluationError for NaN, if no row equals `positive` and, without it, for labels other than Booleans, 0 and
    1, -1 and 1.

    >>> positive_rows(np.array(["no", "yes"], object), "answer", "yes")
    array([False,  True])
    >>> positive_rows(np.array([1, 2]), "answer")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'answer' must hold 0 and 1, or Booleans, got 2 values (1, 2); name the \
positive one (positive=VALUE)
    """
    rows = positive_rows_of_part(labels, name, positive)
    if positive is not None and not rows.any():
        distinct, key = np.unique(labels.astype(str)).tolist(), spelling_key(positive)
        alike = (each for each in distinct if spelling_key(each) == key)
        near = f"; did you mean {meant!r}?" if (meant := next(alike, None)) else ""
        raise no_positive_error(name, positive, f"it holds {values_text(labels)}", weighted=weighted, near=near)
    return rows


def no_positive_error(name: str, positive: str, held: str, *, weighted: bool, near: str = "") -> EvaluationError:
    """Return the error for a column without the positive label; held: what it holds.  O(1).

    near: which label is meant, if that is known.
    """
    which = " with a weight above 0" if weighted else ""
    return EvaluationError(f"no row of column {name!r}{which} equals {positive!r}: {held}{near}")


def positive_rows_of_part(labels: AnyArray, name: str, positive: str | None = None, first: int = 0) -> BoolArray:
    """Return which rows are positive as `positive_rows` does, but also if none is.  O(n).

    first: the index of the first row, for errors about a part of a column.
    """
    _refuse_missing(labels, name, first)
    if is_text(labels):
        try:
            classes, codes = coded_column(labels, name, first)
        except EvaluationTypeError:  # objects of several kinds, or lists, which astype would take apart
            classes, codes = encode_labels(np.array(list(map(str, labels.tolist()))))
        return positive_classes(list(map(str, classes.tolist())), name, positive)[codes]
    if positive is not None:
        return _equal_rows(labels, positive)
    rows = standard_positive_mask(labels)
    if rows is None:
        raise _no_usual_labels(name, labels)
    return rows


def positive_classes(classes: Sequence[str], name: str, positive: str | None = None) -> BoolArray:
    """Return which of the distinct labels of a column of text, (k,), are positive, (k,) bool.  O(k).

    These are the ones written as `positive` or, without it, as 1 or true.

    Raises EvaluationError if `positive` is not given and there are labels other than 0 and 1, -1 and 1, true and false;
    and for a missing label among numbers, such as NA, which `positive` would make negative.

    >>> positive_classes(["0", "1.0"], "late"), positive_classes(["01", "1"], "late", "1")
    (array([False,  True]), array([False,  True]))
    >>> positive_classes(["0", "1", "NA"], "late", "1")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'late' holds 'NA' among numbers; if it marks a missing label, leave out \
the rows with nulls (nulls='drop')
    """
    missing = set(MISSING_WORDS).intersection(classes) - {positive}
    if missing and all(_NUMERIC.fullmatch(label) or _USUAL.fullmatch(label) for label in set(classes) - missing):
        way_out = f"if it marks a missing label{way_out_of_nulls().replace(';', ',', 1)}"
        raise EvaluationError(f"column {name!r} holds {min(missing)!r} among numbers; {way_out}")
    if positive is None:
        found, kinds = list(filter(None, map(_USUAL.fullmatch, classes))), ("positive", "minus")
        positives, minus = (np.array([match[kind] is not None for match in found], np.bool_) for kind in kinds)
        if len(found) < len(classes) or (minus.any() and not (positives | minus).all()):
            raise _no_usual_labels(name, np.array(classes, object))
        return positives
    return np.array([label == positive for label in classes], np.bool_)


def _no_usual_labels(name: str, labels: AnyArray) -> EvaluationError:
    got = f"{values_text(labels)}; name the positive one ({option('positive', 'VALUE')})"
    return EvaluationError(f"column {name!r} must hold 0 and 1, or Booleans, got {got}")


def class_names(names: Sequence[str], labels: AnyArray) -> list[Any]:
    """Return k names of classes in the type of the labels: numbers, Booleans or strings.  O(k)."""
    if labels.dtype.kind == "b":
        return [bool(_BOOLEANS[name.lower()]) if name.lower() in _BOOLEANS else name for name in names]
    if labels.dtype.kind in "iuf":
        return [_number(name, name) for name in names]
    return list(names)


def class_columns(columns: Mapping[str, AnyArray], first: int = 0) -> list[AnyArray]:
    """Return two columns of class labels that can be compared.  O(n).

    Text is compared as it is written: `01` and `1` are two classes.  Text that is all plain whole numbers becomes
    integers, for their order, and so do Booleans beside numbers.

    Raises EvaluationError for fractions, for columns of two types, and for two columns of text that have no class in
    common if one holds numbers and the other words, or if they differ only in spelling: `1.0` and `1`, `True`, `true`.

    first: the index of the first row, for errors about a part of a column.

    >>> class_columns({"tree": np.array(["ash"], object), "code": np.array([3])})
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: columns 'tree' and 'code' must hold labels of one kind, got str and int; read \
the numbers as text (text=COLUMN)
    """
    for name, values in columns.items():
        if values.dtype.kind == "f":
            rule = f"column {name!r} must hold names or whole numbers, got"
            _refuse_first(values != np.floor(values), rule, first, values=values)
    if all(map(is_text, columns.values())):
        return _classes_of_text(columns)
    kinds = {name: type(values[:1].tolist()[0]).__name__ for name, values in columns.items()}
    if len({"number" if kind in ("bool", "int", "float") else kind for kind in kinds.values()}) > 1:
        (name, one), (other_name, other) = kinds.items()
        as_text = f"read the numbers as text ({option('text', 'COLUMN')})"
        got = f"{one} and {other}; {as_text if {one, other} == {'int', 'str'} else 'write the classes alike in both'}"
        raise EvaluationError(f"columns {name!r} and {other_name!r} must hold labels of one kind, got {got}")
    if len(set(kinds.values())) > 1:  # True is 1, and is named so beside numbers
        return [values.astype(np.int64) if values.dtype.kind == "b" else values for values in columns.values()]
    return list(columns.values())


def _classes_of_text(columns: Mapping[str, AnyArray]) -> list[AnyArray]:
    found = {name: coded_column(values, name) for name, values in columns.items()}
    texts = {name: list(map(str, classes.tolist())) for name, (classes, _) in found.items()}
    if len(texts) > 1 and not set.intersection(*map(set, texts.values())):
        _refuse_two_kinds(texts)
    if all(_PLAIN.fullmatch(text) for classes in texts.values() for text in classes):
        return [classes.astype(np.int64)[codes] for classes, codes in found.values()]
    return list(columns.values())


def _refuse_two_kinds(texts: Mapping[str, Sequence[str]]) -> None:
    """Raise EvaluationError if classes differ only in spelling, or one column holds numbers and the other words."""
    (name, one), (other_name, other) = texts.items()
    numeric = [all(map(_NUMERIC.fullmatch, classes)) for classes in (one, other)]
    meeting = {spelling_key(text): text for text in one}
    again = next((text for text in other if spelling_key(text) in meeting), None)
    if again is not None or numeric[0] != numeric[1]:
        shown = (one[0], other[0]) if again is None else (meeting[spelling_key(again)], again)
        got = f"{shown[0]!r} and {shown[1]!r}; classes are equal only if they are written alike"
        raise EvaluationError(f"columns {name!r} and {other_name!r} must have a class in common, got {got}")


def spelling_key(text: str) -> int | float | str:
    """Return what all spellings of a value have in common: a number, 1 for true, or folded text.  O(1).

    >>> list(map(spelling_key, ["1", "01.0", "True", " Yes", "yes"]))
    [1, 1.0, 1, 'yes', 'yes']
    """
    folded = text.strip().casefold()
    return _number(folded, folded) if _NUMERIC.fullmatch(folded) else _BOOLEANS.get(folded, folded)


def spelling_notes(
    classes: Sequence[Any], labels: IntArray, predicted: Mapping[str, IntArray], name: str
) -> tuple[str, ...]:
    """Return notes if classes, (k,), are spellings of one value, or predictions have no class of the labels.  O(n).

    labels, predicted: codes of the cases, (n,) each, predictions by what the error calls them; name: of the labels.

    Raises EvaluationError if a case has one value as label and as prediction, in two spellings that no one means as two
    classes: `1` and `1.0` or `True`, `yes` and ` yes`.  Those that differ in case or in leading zeros alone may be two
    classes, and so are those that are both labels, such as versions 1.1 and 1.10.

    >>> spelling_notes(["No", "Yes", "n", "y"], np.array([0, 1]), {"column 'm'": np.array([2, 3])}, "late")
    ("column 'm' has no class that column 'late' has, so that every prediction counts as wrong",)
    >>> spelling_notes(["Yes", "no", "yes"], np.array([0, 1]), {}, "late")
    ("classes that differ only in spelling count as different classes, so predicting one for another is wrong: \
'Yes', 'yes'",)
    """
    strangers = tuple(
        f"{what} has no class that column {name!r} has, so that every prediction counts as wrong"
        for what, codes in predicted.items()
        if labels.size and not np.isin(codes, labels).any()
    )
    keys, alike = [spelling_key(each) if isinstance(each, str) else each for each in classes], dict[Any, list[int]]()
    for code, key in enumerate(keys):
        alike.setdefault(key, []).append(code)
    if len(alike) == len(classes):
        return strangers
    values = np.array([alike[key][0] for key in keys])
    for what, codes in predicted.items():
        missed = (values[labels] == values[codes]) & (labels != codes) & ~np.isin(codes, labels)
        for pair in np.unique(labels[missed] * len(classes) + codes[missed]).tolist():
            label, other = divmod(pair, len(classes))
            if not _may_differ(str(classes[label]), str(classes[other])):
                got = f"{classes[other]!r} where the label is {classes[label]!r}; write them alike in both"
                raise EvaluationError(f"{what} must spell classes as column {name!r} does, got {got}")
    several = [[repr(classes[code]) for code in together] for together in alike.values() if len(together) > 1]
    shown = "; ".join(", ".join(together[:_LISTED]) for together in several[:_LISTED])
    more = f" and {len(several) - _LISTED:,} more" if len(several) > _LISTED else ""
    said = "classes that differ only in spelling count as different classes, so predicting one for another is wrong"
    return (*strangers, f"{said}: {shown}{more}")


def _may_differ(one: str, other: str) -> bool:
    return (one.isdecimal() and other.isdecimal()) or one.casefold() == other.casefold() == spelling_key(one)


def in_order(labels: AnyArray) -> IntArray:
    """Return the indices that sort ascending labels, (g,), numerically where all are numbers as text.  O(g log g).

    >>> in_order(np.array(["10", "9", "9.5"], object))
    array([1, 2, 0])
    """
    texts = labels.tolist()
    if not (is_text(labels) and all(isinstance(text, str) and _NUMERIC.fullmatch(text) for text in texts)):
        return np.arange(labels.size)
    return np.array(sorted(range(labels.size), key=lambda index: _number(texts[index]) or 0), np.intp)


def numeric_scores(column: AnyArray, name: str, first: int = 0) -> AnyArray:
    """Return a column of numbers as it is.  Raises EvaluationError for any other column, and for NaN.  O(n).

    first: the index of the first row, for errors about a part of a column.
    """
    _check_numbers(column, name, first, "a score is finite or infinite")
    return column


def numeric_weights(column: AnyArray, name: str, first: int = 0, *, whole: bool = False) -> AnyArray:
    """Return a column of weights, (n,) int64 or float64: finite numbers, none negative.  O(n).

    whole: whether they must be whole numbers; they are then int64; first: the index of the first row, for errors about
    a part of a column.  Raises EvaluationError for any other column.

    >>> numeric_weights(np.array([2, 0, -1]), "w")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'w' at index 2 (from 0) is -1; weights must not be negative
    """
    _check_numbers(column, name, first, "a weight is a finite number")
    sampling = text_option("weight_type", SAMPLING)
    return weights_of_part(column, f"column {name!r}", whole=whole, first=first, sampling=sampling)


def values_of_cases(
    parts: Sequence[AnyArray],
    name: str,
    words: Mapping[str, float] | None = None,
    positive: str | None = None,
    *,
    decimal: str = ".",
    drop: bool = False,
) -> list[FloatArray]:
    """Return the columns of one name of several tables, (n,) each, as finite numbers.  O(n), of words O(n log n).

    Words are worth what `words` say; else true and false are 1 and 0, and of two words the positive one is 1.  Where
    false or 0 is positive, what is 0 counts as 1 in columns of these two.  decimal: the sign before the decimals of
    text; drop: whether a case may have no value, as NA has none, which is NaN.

    >>> values_of_cases([np.array(["C", "I"], object), np.array([0.5])], "grade", positive="C")
    [array([1., 0.]), array([0.5])]
    >>> values_of_cases([np.array(["C", "I", "P"], object)], "grade", positive="C")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'grade' must hold numbers, or two words beside positive, got 3 values \
(C, I, P); say what each is worth (words={'C': VALUE, ...})
    """
    found, coded = dict[int, FloatArray](), dict[int, tuple[AnyArray, IntArray]]()
    for index, part in enumerate(parts):
        nested = any(isinstance(each, list | dict | tuple | np.ndarray) for each in part[:1])
        got = f"{type(part[0]).__name__}s" if nested else str(part.dtype)
        check(not nested and part.dtype.kind in "biufUO", f"column {name!r}", "hold numbers or words", got)
        try:
            if is_text(part) and words:
                raise ValueError
            found[index] = part.astype(np.float64)
        except (ValueError, TypeError):
            coded[index] = coded_column(part, name)
    if _is_zero(positive) and all(np.isin(values[~np.isnan(values)], (0, 1)).all() for values in found.values()):
        found = {index: 1 - values for index, values in found.items()}
    distinct = sorted({str(each) for classes, _ in coded.values() for each in classes})
    said = words or ({} if positive is None or spelling_key(positive) in (0, 1) else {positive: 1.0})
    if unused := [word for word in said if word not in distinct]:
        how = option("words" if words else "positive")
        note(f"column {name!r} holds no {' and no '.join(map(repr, unused))}, so that part of {how} changes nothing")
    if coded:
        worth = _worth(distinct, name, words, positive, decimal)
        for index, (classes, codes) in coded.items():
            found[index] = np.array([worth[str(each)] for each in classes.tolist()], np.float64)[codes]
    for values in found.values():
        finite = f"; leave such rows out ({option('where', repr(f'isfinite({quoted(name)})'))})"
        _refuse_first(np.isinf(values), f"column {name!r} must hold finite values, got", 0, finite, values=values)
        if not drop:
            _refuse_missing(values, name, 0, way_out_of_nulls(of_values=True))
    return [found[index] for index in range(len(parts))]


def _is_zero(positive: str | None) -> bool:
    return positive is not None and spelling_key(positive) == 0


def _worth(
    classes: Sequence[str], name: str, words: Mapping[str, float] | None, positive: str | None, decimal: str
) -> dict[str, float]:
    """Return what the distinct texts of a column, (k,), are worth, as `values_of_cases` has it.  O(k)."""
    false = float(_is_zero(positive))
    usual = {"true": 1 - false, "false": false, **dict.fromkeys(MISSING_WORDS, np.nan), **(words or {})}
    known = {text: usual.get(text, _number(text.replace(decimal, "."), usual.get(text.lower()))) for text in classes}
    others = [text for text, value in known.items() if value is None]
    if not others:
        return known
    mapped = spelled(f"--map {others[0]}=VALUE,...", f"words={{{others[0]!r}: VALUE, ...}}")
    way_out = f"say what each is worth ({mapped})"
    is_pair = len(classes) == 2 and not words
    held = values_text(np.array(classes if is_pair or positive is not None else others, object))
    if positive is None:
        if len(others) > _LISTED:  # free text
            way_out = f"choose a column of numbers{spelled(', which evalcore columns FILE lists', '')}"
        if is_pair:
            way_out = f"name the one that is 1 ({text_option('positive', classes[0])})"
        unmapped = f"or the words of {option('words')}" if words else "or true and false"
        raise EvaluationError(f"column {name!r} must hold numbers, {unmapped}, got {held}; {way_out}")
    valued = [text for text in classes if not (isinstance(known[text], float) and np.isnan(known[text]))]
    if len(valued) > 2:
        rule = f"must hold numbers, or two words beside {option('positive')}"
        raise EvaluationError(f"column {name!r} {rule}, got {held}; {way_out}")
    if positive not in valued:
        raise no_positive_error(name, positive, f"it holds {held}", weighted=False)
    return {text: known[text] if text not in valued else float(text == positive) for text in classes}


_CAST = "frame[{0!r}].astype(float), or duckdb: --sql \"select * replace ({0}::double as {0}) from 'FILE'\""
"""How text that spells numbers becomes numbers."""


def _check_numbers(column: AnyArray, name: str, first: int, rule: str) -> None:
    """Raise EvaluationError for a column that does not hold numbers, or holds NaN against the rule.  O(n).

    >>> _check_numbers(np.array(["0.9", "high"], object), "model", 0, "a score is finite or infinite")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'model' must hold numbers, got 'high' (str) at index 1 (from 0)
    """
    if column.dtype.kind not in "iuf" and column.size:
        # one string among numbers makes strings of all
        index = next((index for index, value in enumerate(column) if _number(str(value)) is None), 0)
        bad = column[index]
        if bad is None:
            _refuse_nulls(are_missing(column), name, first)
        all_numbers = _number(str(bad)) is not None
        way_out = f"; convert the column, such as {_CAST.format(name)}" if all_numbers and isinstance(bad, str) else ""
        got = f"{str(bad)!r} ({type(bad).__name__}) {at_index(first + index)}{way_out}"
        raise EvaluationError(f"column {name!r} must hold numbers, got {got}")
    if column.dtype.kind == "f" and column.size and np.isnan(column.min()):  # several times faster than isnan of all
        _refuse_first(np.isnan(column), f"column {name!r} is NaN", first, f"; {rule}{way_out_of_nulls()}")


def group_labels(column: AnyArray, name: str, first: int = 0, periods: Mapping[str, str] = {}) -> AnyArray:
    """Return a column of strings, whole numbers, Booleans or dates as it is, bytes as strings.  O(n).

    first: the index of the first row, for errors about a part of a column; periods: which of `PERIODS` stand for the
    dates of columns.

    Raises EvaluationError for NaN, fractions and any other values.
    """
    _refuse_missing(column, name, first)
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8", "backslashreplace")
    if name in periods:
        return _periods_of(column, name, periods[name])
    if column.dtype.kind == "f":
        other = (column != np.floor(column)) | np.isinf(column)
    else:
        nested = any(isinstance(each, list | dict | tuple | np.ndarray) for each in column[:1])
        other = np.array([nested or column.dtype.kind not in "biuUMO"])[: column.size]
    _refuse_first(other, f"column {name!r} must hold names, whole numbers or dates, got", first, values=column)
    return column


_TIME = re.compile(r"(\d{4}-\d\d(?:-\d\d(?:[T ]\d\d(?::\d\d){0,2}(?:\.\d+)?)?)?)(?:Z|[+-]\d\d:?\d\d)?")
"""A date, or a time without its zone: NumPy would take "now", nothing and 20130501, for a year, as dates too."""
_UNITS = {"hour": "h", "day": "D", "month": "M", "year": "Y"}
_MONDAY = 3
"""Days from the Monday before it to the first day of 1970."""


def _periods_of(dates: AnyArray, name: str, period: str) -> AnyArray:
    """Return the hour, day, month or year of dates or times, (n,), the first day of a week, or the name of a quarter.

    Text may hold dates as ISO 8601 writes them, and times of a zone, which are those of its clocks.  O(n), of text
    O(n log n).  Raises EvaluationError for a column of anything else.

    >>> days = np.array(["2013-05-01", "2013-05-05T23:00"], "M8[m]")
    >>> _periods_of(days, "day", "week").tolist(), _periods_of(days, "day", "quarter").tolist()
    ([datetime.date(2013, 4, 29), datetime.date(2013, 4, 29)], ['2013-Q2', '2013-Q2'])
    """
    got = repr(dates[:1].tolist()[0]) if dates.size else str(dates.dtype)
    if dates.dtype.kind in "OU":
        classes, codes = coded_column(dates, name)
        times = np.array([_local_time(str(each)) for each in classes.tolist()], "M8[us]")
        if not (wrong := np.isnat(times)).any():
            return _periods_of(times, name, period)[codes]
        got = repr(classes.tolist()[wrong.argmax()])
    if dates.dtype.kind != "M":
        such = "dates or times, such as 2026-07-31,"
        raise EvaluationError(f"column {name!r} must hold {such} to be grouped by {period}, got {got}")
    if period == "week":
        days = dates.astype("M8[D]")
        return np.asarray(days - (days.astype(np.int64) + _MONDAY) % 7)
    if period == "quarter":
        years, month = dates.astype("M8[Y]"), dates.astype("M8[M]").astype(np.int64) % 12
        return np.asarray(np.char.add(years.astype(str), np.array(["-Q1", "-Q2", "-Q3", "-Q4"])[month // 3]))
    return dates.astype(f"M8[{_UNITS[period]}]")


def _local_time(text: str) -> np.datetime64:
    """Return a date or time as `_TIME` has it; NaT for anything else, and for a day that no month has.  O(1)."""
    match = _TIME.fullmatch(text)
    with suppress(ValueError):
        return np.datetime64(match[1] if match else "NaT", "us")
    return np.datetime64("NaT", "us")


def values_text(labels: AnyArray) -> str:
    """Say how many distinct values a column has, and list the first ones.  O(n log n).

    >>> values_text(np.array([2, 1, 2]))
    '2 values (1, 2)'
    """
    values = np.unique(labels.astype(str) if labels.dtype.kind == "O" else labels).tolist()
    more = ", ..." if len(values) > _LISTED else ""
    plural = "s" if len(values) > 1 else ""
    return f"{len(values):,} value{plural} ({', '.join(map(str, values[:_LISTED]))}{more})"


def _refuse_missing(column: AnyArray, name: str, first: int, way_out: str = "") -> None:
    if column.dtype.kind not in "fmM":
        return
    missing = np.isnan(column)
    text = f"column {name!r} holds {missing.sum():,} {'NaN' if column.dtype.kind == 'f' else 'NaT'}, the first"
    _refuse_first(missing, text, first, way_out or way_out_of_nulls())


def coded_column(column: AnyArray, name: str, first: int = 0) -> tuple[AnyArray, IntArray]:
    """Return the classes and codes of a column as `coded` does.  O(n log n).

    first: the index of the first row, for errors about a part of a column.  Raises EvaluationError for None, and for
    NaN among objects.
    """
    try:
        classes, codes = encode_labels(column)
    except EvaluationTypeError as error:  # None and strings have no order, nor numbers and strings
        _refuse_nulls(are_missing(column), name, first)
        check_one_type(column, f"column {name!r}", f"; read it as text ({text_option('text', name)})")
        raise EvaluationTypeError(str(error).replace("labels", f"column {name!r}", 1)) from None
    if column.dtype.kind == "O":
        _refuse_nulls(are_missing(classes)[codes], name, first)
    return classes, codes


def _refuse_nulls(rows: BoolArray, name: str, first: int) -> None:
    _refuse_first(rows, f"nulls in column {name!r}, the first", first, way_out_of_nulls())


def _refuse_first(wrong: BoolArray, before: str, first: int, after: str = "", values: AnyArray | None = None) -> None:
    """Raise EvaluationError with the index of the first row that is wrong, and with its value.  O(n)."""
    if wrong.any():
        row = int(wrong.argmax())
        value = "" if values is None else f" {values[row]}"
        raise EvaluationError(f"{before}{value} {at_index(first + row)}{after}")


def _equal_rows(labels: AnyArray, positive: str) -> BoolArray:
    if labels.dtype.kind == "b":
        return np.asarray(labels == _BOOLEANS.get(positive.lower(), _NEITHER))
    if labels.dtype.kind in "iuf":
        number = _BOOLEANS.get(positive.lower(), _number(positive))
        return np.zeros(labels.shape, np.bool_) if number is None else np.asarray(labels == number)
    return np.asarray(labels.astype(str) == positive)


def _number(text: str, otherwise: Any = None) -> Any:
    """Read a number, an integer exactly; return something else for text that is none."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return otherwise


class OtherLabels:
    """Distinct labels other than the positive one: at most one more than notes list.

    >>> import numpy as np
    >>> others = OtherLabels()
    >>> others.add(np.array(["yes", "no", "maybe"]), np.array([True, False, False]))
    >>> others.found
    ['no', 'maybe']
    """

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, labels: AnyArray, positive: BoolArray) -> None:
        """Add the labels of rows, (n,), of which some are positive, (n,).  O(n) for each label that is kept."""
        left = labels[~positive]
        while left.size and len(self.found) <= _LISTED:
            # -0.0 becomes 0.0
            label = f"{left[0] + 0.0:g}" if left.dtype.kind == "f" else str(left[0])
            if label not in self.found:
                self.found.append(label)
            left = left[left != left[0]]

    @property
    def text(self) -> str:
        """The labels, with dots behind them if there are more.  O(1)."""
        return ", ".join(map(repr, self.found[:_LISTED])) + ", ..." * (len(self.found) > _LISTED)

    def notes(self, name: str, positive: str | None) -> tuple[str, ...]:
        """Return a note on the column if several labels count as negative beside the one that was named.  O(1).

        A single one is noted if it is another spelling of that one, such as `Yes` of `yes`.
        """
        if positive is None or (len(self.found) < 2 and spelling_key(positive) not in map(spelling_key, self.found)):
            return ()
        count = f"more than {_LISTED}" if len(self.found) > _LISTED else len(self.found)
        missing = next((label for label in self.found if label in MISSING_WORDS), None)
        condition = option("where", f'"{name if name.isidentifier() else "COL"} <> {missing!r}"')
        way_out = f"; if {missing!r} marks a missing label, leave out its rows ({condition})" if missing else ""
        labels = "label" if count == 1 else "labels"
        held = f"column {name!r} holds {count} {labels} other than {positive!r}"
        return (f"{held}, all counted as negative: {self.text}{way_out}",)
