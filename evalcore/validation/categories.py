"""Names of categories, and rankings and ratings by them, become codes."""

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, check, check_type, listed_names, refuse, shown
from evalcore.measures.losses import total_probability
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_column, as_exact_scores, check_equal_lengths, read_array, refuse_first
from evalcore.validation.labels import are_missing, encode_labels, is_text
from evalcore.validation.values import check_cases, check_hashable, check_integer, check_number, is_missing, is_number

CodeArray: TypeAlias = npt.NDArray[np.intp]
MOST_CASES = int(np.iinfo(np.int64).max)
"""Cases of a table: no sum of its cells overflows."""


class CodedCases(NamedTuple):
    """Names of categories, and the codes of as many references and responses."""

    categories: tuple[Any, ...]
    reference: CodeArray
    response: CodeArray


def as_categories(values: Any, name: str) -> tuple[Any, ...]:
    """Return distinct, hashable names of categories in the order given, NumPy's scalars as Python's.  O(k)."""
    names = as_ranking(values, name)
    first: dict[Any, int] = {}
    for index, value in enumerate(names):
        if is_missing(value):
            raise EvaluationError(f"{name}[{index}] is missing, {shown(value)}")
        if first.setdefault(value, index) != index:
            raise EvaluationError(f"{name}[{index}] = {shown(value)} repeats {name}[{first[value]}]")
    return names


def as_codes(labels: Any, categories: Sequence[Any], name: str) -> CodeArray:
    """Return the index of each label, (n,) of any library's column, among the categories, (n,) intp.  O(n + k)."""
    return _codes(_labels(labels, name), categories, name)


def as_coded_cases(reference: Any, response: Any, given: Any, names: tuple[str, str]) -> CodedCases:
    """Return two columns as codes; if no categories are given, they are the sorted labels of both.  O(n + k log k)."""
    labels = [_labels(*pair) for pair in zip((reference, response), names, strict=True)]
    found = _sorted_labels(labels, names) if given is None else as_categories(given, "categories")
    first, second = (_codes(each, found, name) for each, name in zip(labels, names, strict=True))
    check_equal_lengths(first, second, *names)
    return CodedCases(found, first, second)


def find_code(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a hashable name, -1 if it is not a category.  O(1)."""
    try:
        return index.get(value, -1)
    except TypeError:
        check_hashable(value, name)
        raise


def as_category_index(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a category, given by its name or, if no category has that name, by its index.  O(1)."""
    code = find_code(value, index, name)
    return code if code >= 0 else _as_place(value, tuple(index), name, "an index")


def _as_place(value: Any, names: Sequence[Any], name: str, kind: str) -> int:
    """Return the place, in 0 .. k - 1, that a value which is no name may be; kind: what a place is called."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < len(names):
        return int(value)
    places = f"{kind} in 0 .. {len(names) - 1}"
    raise EvaluationError(f"{name} must be one of {listed_names(names)}, or {places}, got {shown(value)}")


def as_count_matrix(values: Any, size: int, name: str) -> IntArray:
    """Return counts by reference and response as a new (k, k) int64 array, zeros for None.  O(k²)."""
    if values is None:
        return np.zeros((size, size), np.int64)
    cells = read_array(values, name)
    if cells.dtype.kind not in "iu":
        cells = read_array(values, name, object)  # NumPy rounds large integers beside floats
    shape = (size, size)
    check(cells.shape == shape, name, f"have shape {shape}, for {size} categories", cells.shape)
    if cells.dtype.kind == "O":
        whole = [_whole(cell, f"{name}[{i}, {j}]") for (i, j), cell in np.ndenumerate(cells)]
        cells = np.array(whole, dtype=object).reshape(shape)
    refuse_first(cells < 0, cells, name, "must not be negative, got {}")
    if int(cells.max()) * cells.size > MOST_CASES:
        check_total(int(cells.sum(dtype=object)), 0, name)
    return cells.astype(np.int64)


def check_cell_change(value: Any, cell: int, total: int, name: str) -> int:
    """Return how many cases to add to a cell.  Raises EvaluationError if the cell would become negative.  O(1)."""
    change = check_cases(value, name)
    if cell + change < 0:  # the text of an error is written once, not for each case
        raise EvaluationError(f"{name} must be at least {-cell}, as the cell counts {cell}, got {change}")
    check_total(change, total, name)
    return change


def check_total(added: int, total: int, name: str) -> None:
    """Raise EvaluationError if a table would hold more cases than int64 can count.  O(1)."""
    if added + total > MOST_CASES:
        raise EvaluationError(f"{name} must leave at most {MOST_CASES} cases, got {added + total}")


def check_same_categories(theirs: Sequence[Any], ours: Sequence[Any], name: str) -> None:
    """Raise EvaluationError for other categories, or the same in another order.  O(k)."""
    rule = f"have the categories {listed_names(ours)}, in that order"
    check(tuple(theirs) == tuple(ours), name, rule, listed_names(theirs))


def reorder_columns(values: Any, categories: Sequence[Any]) -> Any:
    """Return the columns of a data frame in the order of the categories, if it names them; all else as it is.  O(k)."""
    columns = getattr(values, "columns", None)
    if columns is None or set(columns) != set(categories) or list(columns) == list(categories):
        return values
    return values[list(categories)]


def names_in_order(values: Any, name: str, what: str = "a list of names") -> list[Any]:
    """Return hashable names in the order of a list, a column, or a mapping, NumPy's scalars as Python's.  O(k)."""
    if isinstance(values, set | frozenset):
        raise EvaluationTypeError(f"{name} must be ordered, got a {type(values).__name__}; call sorted() on it")
    if hasattr(values, "__array__") and not isinstance(values, str | bytes):
        values = as_column(values, name).tolist()
    check_type(isinstance(values, Iterable) and not isinstance(values, str | bytes), name, f"be {what}", values)
    names = [value.item() if isinstance(value, np.generic) else value for value in values]
    _check_each_hashable(names, name)
    return names


def _labels(values: Any, name: str) -> Sequence[Any] | AnyArray:
    """Return labels as Python's objects, or as an array of integers."""
    if isinstance(values, list | tuple):
        return values  # NumPy would make strings of numbers among strings
    array = as_column(values, name)
    return array if array.dtype.kind in "iu" else list(array.tolist())


def _codes(labels: Sequence[Any] | AnyArray, categories: Sequence[Any], name: str) -> CodeArray:
    index = {category: code for code, category in enumerate(categories)}
    if isinstance(labels, np.ndarray):
        distinct, places = encode_labels(labels)
        codes = codes_of_names(distinct.tolist(), index)[places]
    else:
        try:
            codes = codes_of_names(labels, index)
        except TypeError:
            _check_each_hashable(labels, name)
            raise
    if codes.size and codes.min() < 0:
        bad = int(codes.argmin())
        label = labels[bad].item() if isinstance(labels, np.ndarray) else labels[bad]
        if is_missing(label):
            raise EvaluationError(f"{name}[{bad}] is missing, {shown(label)}; drop or fill missing labels first")
        raise _no_category_error(label, index, f"{name}[{bad}]")
    return codes


def codes_of_names(names: Sequence[Any], index: Mapping[Any, int]) -> CodeArray:
    """Return the index of each name, -1 for none of them.  O(n)."""
    return np.fromiter(map(index.get, names, itertools.repeat(-1)), np.intp, len(names))


def _check_each_hashable(labels: Sequence[Any] | AnyArray, name: str) -> None:
    for index, label in enumerate(labels):
        check_hashable(label, f"{name}[{index}]")


def _no_category_error(value: Any, categories: Iterable[Any], name: str) -> EvaluationError:
    return EvaluationError(f"{name} must be one of {listed_names(categories)}, got {shown(value)}")


def _sorted_labels(columns: Sequence[Sequence[Any] | AnyArray], names: tuple[str, str]) -> tuple[Any, ...]:
    """Return the sorted labels of two columns."""
    both = " and ".join(names)
    distinct: set[Any] = set()
    for labels, name in zip(columns, names, strict=True):
        try:
            distinct.update(encode_labels(labels)[0].tolist() if isinstance(labels, np.ndarray) else labels)
        except TypeError:
            _check_each_hashable(labels, name)
            raise
    check(distinct, both, "hold a label", "none; pass the categories")
    named = [label for label in distinct if not is_missing(label)]
    try:
        named.sort()
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in named}))
        advice = "pass the categories in their order"
        raise EvaluationTypeError(f"{both} hold labels that cannot be sorted ({kinds}); {advice}") from None
    return as_categories(named, both) if named else ()


def _whole(cell: Any, name: str) -> int:
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return int(cell)
    return check_cases(cell, name)


def as_code(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a category given by its name.  O(1)."""
    code = find_code(value, index, name)
    if code < 0:
        raise _no_category_error(value, index, name)
    return code


def as_ranking(values: Any, name: str) -> tuple[Hashable, ...]:
    """Return the hashable names of one ranking, best first, at least one.  O(r)."""
    names = tuple(names_in_order(values, name))
    refuse({f"{name} must not be empty": not names})
    return names


def check_descending(scores: Sequence[float], name: str) -> None:
    """Raise EvaluationError for a score above the one before it.  O(r)."""
    for index, (before, score) in enumerate(itertools.pairwise(scores), 1):
        if score > before:
            raise EvaluationError(f"{name} must not increase, got {name}[{index}] = {score} after {before}")


def check_rank(value: Any, name: str, size: int) -> int:
    """Return a rank in 0 .. size - 1.  O(1)."""
    number = check_integer(value, name)
    check(0 <= number < size, name, f"be in 0 .. {size - 1}", number)
    return number


def as_rank(value: Any, names: Sequence[Hashable], name: str) -> int:
    """Return the rank of a category given by its name or, if no category has that name, by its rank.  O(r)."""
    return names.index(value) if value in names else _as_place(value, names, name, "a rank")


def as_reference_codes(labels: Any, index: Mapping[Any, int], name: str) -> CodeArray:
    """Return the codes of a column of names, or of codes unless names are numbers, (n,) intp.  O(n)."""
    given = labels if isinstance(labels, list | tuple) else as_column(labels, name)
    return as_codes(given, range(len(index)) if _are_codes(given, index) else tuple(index), name)


def as_rankings(values: Any, index: Mapping[Any, int], name: str) -> tuple[CodeArray, AnyArray | None]:
    """Return rankings (n, r) of names or codes, None or -1 where a rank is empty, as codes, and names given.  O(n r).

    A code is -1 where a place names no category, and names are None if codes were given.
    """
    array = _matrix(values, name, None if hasattr(values, "dtype") else object)
    if _are_codes(array[:, 0], index):
        codes, given = _codes_of(array, len(index), name), None
    else:
        try:
            codes, given = codes_of_names(array.ravel().tolist(), index).reshape(array.shape), array
        except TypeError as error:
            raise EvaluationTypeError(f"{name} must hold names: {error}") from None
    missing = np.flatnonzero(codes[:, 0] < 0)
    if missing.size:
        raise _no_category_error(array[missing[0], 0], index, f"{name}[{missing[0]}, 0]")
    return codes, given


def _codes_of(array: AnyArray, categories: int, name: str) -> CodeArray:
    if array.dtype.kind == "O":
        cells = [-1 if cell is None else cell for cell in array.ravel().tolist()]
        plain = np.fromiter(map(_is_integer, cells), np.bool_, len(cells))
        row, column = divmod(int(plain.argmin()), array.shape[1])
        check_type(plain.all(), f"{name}[{row}, {column}]", "be a code or None", array[row, column])
        array = np.array(cells, object).reshape(array.shape)
    wrong = (array < -1) | (array >= categories)
    refuse_first(wrong, array, name, f"must be a code in -1 .. {categories - 1}, got {{}}")
    return array.astype(np.intp)


def as_inputs(values: Any, cases: int, name: str) -> tuple[Any, ...]:
    """Return the objects that were classified, one for each case.  O(n)."""
    is_list, rule = not (isinstance(values, str | bytes) or hasattr(values, "columns")), "be a list of objects"
    check(is_list, name, rule, f"a {type(values).__name__}; pass the rows of a frame as a list", EvaluationTypeError)
    refuse({f"{name} must be given, {cases} of them, because this evaluator stores them": values is None})
    try:
        objects = tuple(values)
    except TypeError:  # such as of an array without dimensions, which has the methods of a list
        raise EvaluationTypeError(f"{name} must {rule}, got {shown(values)}") from None
    check(len(objects) == cases, name, f"have one object for each of {cases} cases", len(objects))
    return objects


def as_score_rows(values: Any, categories: Sequence[Hashable], name: str) -> ScoreArray:
    """Return scores by category, (n, k), NaN where a case lacks one; each case has at least one.  O(n k)."""
    rows = _matrix(reorder_columns(values, categories), name, width=len(categories))
    check_width(rows.shape[1], len(categories), name)
    rule = "hold float64 or float32 numbers, NaN for absent categories"
    check(rows.dtype.kind in "iuf", name, rule, f"dtype {rows.dtype}", EvaluationTypeError)
    scores = as_exact_scores(rows, name)
    if np.isnan(np.min(scores, initial=0)):
        empty = np.asarray(np.isnan(scores).all(axis=1))
        refuse_first(empty, empty, name, "is all NaN; a case must have a score for some category")
    return scores


def check_width(width: int, categories: int, name: str) -> None:
    """Raise EvaluationError if there is not a column for each category.  O(1)."""
    check(width == categories, name, f"have a column for each of {categories} categories", width)


def check_distributions(columns: ScoreArray, name: str, tolerance: float) -> None:
    """Raise EvaluationError unless probabilities (r, n), or NaN, are in 0 .. 1 and sum to about 1.  O(r n)."""
    margin = check_number(tolerance, "tolerance")
    check(margin >= 0, "tolerance", "be at least 0", margin)
    _refuse((columns < 0) | (columns > 1), columns, name, "must be in 0 .. 1")
    totals = total_probability(columns)[np.newaxis]
    _refuse(~(np.abs(totals - 1) <= margin), totals, name, f"must sum to 1 within {margin}")


def check_log_probabilities(columns: ScoreArray, name: str) -> None:
    """Raise EvaluationError unless logarithms (r, n), or NaN, are at most 0 and not all -inf.  O(r n)."""
    _refuse(columns > 0, columns, name, "must be at most 0")
    largest = np.fmax.reduce(columns, axis=0, keepdims=True)
    _refuse(largest == -np.inf, largest, name, "must not all be -inf")


def _refuse(bad: Any, columns: ScoreArray, name: str, rule: str) -> None:
    """Raise EvaluationError for the first case with a bad value; the text of a single case has no index."""
    if bad.any():
        case = int(bad.any(axis=0).argmax())
        value = columns[int(bad[:, case].argmax()), case]
        where = f"{name}[{case}]" if columns.shape[1] > 1 else name
        raise EvaluationError(f"{where} {rule}, got {value}")


def _matrix(values: Any, name: str, dtype: Any = None, width: int = 1) -> AnyArray:
    """Return a two-dimensional array with at least one column, of `width` columns if it has no rows."""
    array = read_array(values, name, dtype)
    if array.ndim == 1 and array.size == 0:
        return array.reshape(0, width)
    if array.ndim == 1 and isinstance(array[0], list | tuple | np.ndarray):
        raise EvaluationError(f"{name} must have rows of one length; pad them with None, or NaN for scores")
    rule = "have a row for each case and at least one column"
    check(array.ndim == 2 and array.shape[1], name, rule, f"shape {array.shape}")
    return array


def _are_codes(labels: Any, index: Mapping[Any, int]) -> bool:
    """Whether integers stand for codes: no category's name is a number."""
    first = labels[0] if len(labels) else None
    return _is_integer(first) and not any(isinstance(name, int | float) for name in index)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


_LARGEST = 2.0**200


class Ratings(NamedTuple):
    """What r raters said of n subjects."""

    codes: IntArray
    """The category of each rating, (n, r), -1 where it is missing."""
    categories: AnyArray
    """In their order, (q,)."""

    def finite_values(self, option: str) -> FloatArray:
        """Return the numbers that categories are, or 1, 2 … of texts, (q,).  O(q).

        Raises EvaluationError, which names the option that computes with them, for infinite numbers and those whose
        squares might leave float64.
        """
        names = self.categories
        if is_text(names) and not (names.dtype.kind == "O" and all(map(is_number, names.tolist()))):
            return np.arange(1.0, names.size + 1)
        numbers = names.astype(np.float64)
        far = float(numbers[np.abs(numbers).argmax()]) if numbers.size else 0.0
        check(abs(far) <= _LARGEST, "ratings", f"be in -2**200 .. 2**200 for {option}", f"{far:g}; change their unit")
        return numbers


def as_ratings(values: Any, categories: Any) -> Ratings:
    """Return ratings as codes; None, NaN and the like are missing.  O(n r), of many numbers O(n r log n r).

    values: (n, r) of numbers or texts; categories: all that there are in their order, or None for those given.
    """
    array = read_array(values, "ratings")
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = read_array(values, "ratings", object)  # NumPy has made texts of NaN and of numbers beside texts
    rule = "have a row for each subject and a column for each of at least two raters"
    check(array.ndim == 2 and array.shape[1] >= 2, "ratings", rule, f"shape {array.shape}")
    check(array.dtype.kind in "biufUSO", "ratings", "hold numbers or texts", f"dtype {array.dtype}")
    rated = ~are_missing(array)
    found, codes_of_rated = encode_labels(array[rated])
    codes = np.full(array.shape, -1, np.int64)
    if categories is None:
        codes[rated] = codes_of_rated
        return Ratings(codes, found)
    names = as_categories(categories, "categories")
    index = {name: code for code, name in enumerate(names)}
    codes[rated] = codes_of_names(found.tolist(), index)[codes_of_rated]
    unknown = rated & (codes < 0)
    if unknown.any():
        row, column = divmod(int(unknown.argmax()), array.shape[1])
        unlike = f"{shown(array.item(row, column))}; add it to them"
        raise EvaluationError(f"ratings[{row}, {column}] must be one of categories, got {unlike}")
    return Ratings(codes, np.fromiter(names, object, len(names)))
