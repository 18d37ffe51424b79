"""Columns of labels become masks of the positive class, or references and responses by class."""

from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, refuse
from evalcore.kernels.tables import joint_counts, small_joint_counts
from evalcore.typing import AnyArray, BoolArray, IntArray
from evalcore.validation import weights as weighing
from evalcore.validation.arrays import Cases, as_array, as_cases, as_class_labels, check_equal_lengths, ones_among
from evalcore.validation.labels import INDICATOR, check_format, encode_labels, encode_together, is_text, type_of_target
from evalcore.validation.values import AVERAGES, check_label, is_sparse


def as_positive_mask(labels: Any, pos_label: Any, function: str, name: str = "y_true") -> BoolArray:
    """Mark the positive ones of labels (n,), which may lack either class; errors name the function.  O(n)."""
    check_label(pos_label, "pos_label", function)
    column = as_class_labels(labels, name)
    mask = positive_mask(column, pos_label, name)
    if not mask.any():
        check_positive_label(pos_label, column)
    return mask


def as_scored_cases(y_true: Any, y_score: Any, pos_label: Any, function: str) -> Cases:
    """Return which cases are positive, and their scores.  O(n)."""
    return as_cases(as_positive_mask(y_true, pos_label, function), y_score, ("y_true", "y_score"))


def as_positive_masks(y_true: Any, y_pred: Any, pos_label: Any, function: str) -> tuple[BoolArray, BoolArray]:
    """Mark the positive labels of two columns; as `as_positive_mask`, but neither may hold a third class.  O(n)."""
    check_label(pos_label, "pos_label", function)
    columns = as_class_labels(y_true, "y_true"), as_class_labels(y_pred, "y_pred")
    check_equal_lengths(*columns, "y_true", "y_pred")
    if pos_label in (None, 1, True) and all(column.dtype.kind in "biuf" for column in columns):
        true, pred = map(standard_positive_mask, columns)  # much faster than finding out the classes
        if true is not None and pred is not None and {int(column.min(initial=1)) for column in columns} != {-1, 0}:
            return true, pred
    if pos_label is None:
        for column, name in zip(columns, ("y_true", "y_pred"), strict=True):
            positive_mask(column, None, name)
        pos_label = 1
    targets = check_targets(*columns)
    if targets.kind == "multiclass":
        raise EvaluationError("y_true and y_pred hold more than two classes; compare one with the rest, as in y == c")
    check_positive_class(targets, pos_label)
    code = targets.code_of(pos_label)
    return targets.y_true == code, targets.y_pred == code


def positive_mask(labels: AnyArray, pos_label: Any, name: str = "y_true") -> BoolArray:
    """Mark the labels of the positive class; without one, 1 beside 0 or beside -1.  O(n), O(n log n) for an error."""
    standard = standard_positive_mask(labels) if pos_label is None or pos_label in (True, 1) else None
    if standard is not None:
        return standard
    kind = type_of_target(labels, name)
    check_format(kind, kind == "binary" or (kind == "multiclass" and pos_label is not None))
    if pos_label is None:
        listed = ", ".join(map(repr, encode_labels(labels)[0].tolist()))
        way_out = f"either make {name} take value in {{0, 1}} or {{-1, 1}} or pass pos_label explicitly."
        raise EvaluationError(f"{name} takes value in {{{listed}}} and pos_label is not specified: {way_out}")
    return np.asarray(labels == pos_label, dtype=np.bool_)


def check_positive_label(pos_label: Any, labels: AnyArray) -> None:
    """Raise EvaluationError if there are two labels and the positive one is neither.  O(n)."""
    if pos_label is None:
        return
    present = encode_labels(labels)[0]
    if present.size == 2 and pos_label not in present.tolist():
        raise EvaluationError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")


def standard_positive_mask(labels: AnyArray) -> BoolArray | None:
    """Mark the ones among labels (n,) of {0, 1} or {-1, 1}; None for other labels.  O(n)."""
    return ones_among(labels, 0, -1)


_SMALL = 1 << 31
_FEW = 64
MOST_CELLS = 1 << 20
"""Cells of a table that is counted without being asked for."""


class Columns(NamedTuple):
    """References and responses of as many cases, of one kind, as they came."""

    kind: str
    """'multilabel-indicator', or another where there is one label to a case."""
    y_true: AnyArray
    """Labels, shape (n,), or indicators, shape (n, k)."""
    y_pred: AnyArray
    """As many."""
    weights: AnyArray | None
    """As in `Targets`."""
    scale: float
    """As in `Targets`."""
    dtype: Any
    """What numbers came in, where whole floats have become integers; None for others."""


class Targets(NamedTuple):
    """References and responses of as many cases, by class."""

    kind: str
    """'binary', 'multiclass' or 'multilabel-indicator'."""
    classes: AnyArray
    """The labels of both, ascending, shape (k,); of indicators the columns' numbers."""
    y_true: AnyArray
    """Whole numbers in `low` .. `low + span - 1`, shape (n,); of indicators the matrix, shape (n, k)."""
    y_pred: AnyArray
    """As many."""
    weights: AnyArray | None
    """Finite int64 or float64, shape (n,); None if all count as one."""
    scale: float
    """The power of two that weights of extreme size were divided by, else 1."""
    class_indices: IntArray
    """The whole number of each class less `low`, ascending, shape (k,)."""
    low: int
    """The smallest of the whole numbers."""
    span: int
    """How many there are, some of them perhaps no class."""
    pairs: IntArray | None
    """Cases, without weights, by class and by response if counted already, shape (k, k)."""

    @property
    def is_indicator(self) -> bool:
        """Whether each case has a column for each label."""
        return self.kind == INDICATOR

    def code_of(self, label: Any) -> int:
        """Return the whole number of a class, that of none for another label.  O(k)."""
        classes = self.classes.tolist()
        return self.low + int(self.class_indices[classes.index(label)] if label in classes else self.span)


def check_targets(y_true: Any, y_pred: Any, sample_weight: Any = None, *, wraps: bool = False) -> Targets:
    """Return references, responses and weights by class.  O(n), O(n log n) for many numbers far apart."""
    columns = check_columns(y_true, y_pred, sample_weight, wraps=wraps)
    if columns.kind == INDICATOR:
        numbers = np.arange(columns.y_true.shape[1])
        return Targets(INDICATOR, numbers, *columns[1:5], numbers, 0, numbers.size, None)
    if all(column.dtype.kind in "iu" for column in columns[1:3]) and (targets := _counted(columns)) is not None:
        return targets
    classes, true, pred = encode_together(columns.y_true, columns.y_pred)
    kind = "binary" if classes.size <= 2 else "multiclass"
    if columns.dtype is not None:
        classes = classes.astype(columns.dtype)
    elif isinstance(classes[0], str):
        classes = np.asarray(classes.tolist())
    return Targets(kind, classes, true, pred, *columns[3:5], np.arange(classes.size), 0, classes.size, None)


def check_columns(y_true: Any, y_pred: Any, sample_weight: Any = None, *, wraps: bool = False) -> Columns:
    """Return references, responses and weights of one kind of target, as they came.  O(n)."""
    if sample_weight is None and (columns := _plain_columns(y_true, y_pred)) is not None:
        return columns
    true: Any = as_array(y_true, "y_true")
    pred: Any = as_array(y_pred, "y_pred")
    weighing.check_consistent_lengths(true, pred, sample_weight)
    plain = has_plain_labels(true) and has_plain_labels(pred)
    if {true.dtype.kind, pred.dtype.kind} == {"i", "u"} and np.result_type(true, pred).kind == "f":
        fit = [column.size == 0 or int(column.max()) < weighing.ABOVE_INT64 for column in (true, pred)]
        whole_type = np.int64 if all(fit) else np.object_  # NumPy would make floats of them, and round
        true, pred = true.astype(whole_type), pred.astype(whole_type)
    whole = [_as_integers(column) for column in (true, pred)]
    plain = plain or all(column is not None for column in whole)
    kind = "multiclass" if plain else _common_kind(true, pred)
    weights, scale = weighing.scale_weights(weighing.as_weights(sample_weight, true.shape[0]), wraps=wraps)
    if kind == INDICATOR:
        refuse({"Multi-label binary indicator input with different numbers of labels": true.shape[1] != pred.shape[1]})
        true, pred = (column.toarray() if is_sparse(column) else column for column in (true, pred))
        return Columns(kind, true, pred, weights, scale, None)
    if is_sparse(true) or is_sparse(pred):
        raise EvaluationTypeError("Sparse input is only supported when targets are of multilabel type")
    if whole[0] is not None and whole[1] is not None:
        return Columns(kind, whole[0], whole[1], weights, scale, np.result_type(true, pred))
    _check_dates(true, pred)
    if is_text(true) != is_text(pred):
        found = f"{encode_labels(true)[0]} and {encode_labels(pred)[0]}"
        raise EvaluationError(f"Mix of label input types (string and number); Got {found}.")
    dtype = None if is_text(true) else np.result_type(true, pred)
    return Columns(kind, true.ravel(), pred.ravel(), weights, scale, dtype)


def _plain_columns(y_true: Any, y_pred: Any) -> Columns | None:
    """Return columns of plain arrays of integers or Booleans, in a handful of calls; None for all others.  O(1)."""
    if type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
        return None
    if y_true.ndim != 1 or y_true.shape != y_pred.shape or not y_true.size:
        return None
    if y_true.dtype.kind not in "biu" or y_pred.dtype.kind not in "biu":  # dates and integers have no common type
        return None
    dtype = y_true.dtype if y_true.dtype is y_pred.dtype else np.result_type(y_true, y_pred)
    if dtype.kind == "f":  # of integers with and without signs
        return None
    true, pred = (each.view(np.uint8) if each.dtype.kind == "b" else each for each in (y_true, y_pred))
    return Columns("multiclass", true, pred, None, 1.0, dtype)


def check_positive_class(targets: Targets, pos_label: Any) -> None:
    """Raise EvaluationError for more than two classes, and for a positive one that is neither of two.  O(1)."""
    if targets.kind != "binary":
        others = [one for one in (None, *AVERAGES[1:5]) if one != "samples" or targets.is_indicator]
        way_out = f"Please choose another average setting, one of {others!r}."
        raise EvaluationError(f"Target is {targets.kind} but average='binary'. {way_out}")
    if len(targets.classes) == 2 and pos_label not in targets.classes.tolist():
        raise EvaluationError(f"pos_label={pos_label} is not a valid label. It should be one of {targets.classes}")


def targets_at_prevalence(targets: Targets, target_prevalence: Any, pos_label: Any = None) -> Targets:
    """Return targets reweighted to a prevalence of a label, by default the larger of two; unchanged for None.  O(n).

    Raises EvaluationError for more than two classes, a class without weight, and negative weights.
    """
    if target_prevalence is None:
        return targets
    check(targets.kind == "binary", "labels", "be binary for target_prevalence", f"{targets.kind} ones")
    label = targets.classes.tolist()[-1] if pos_label is None else pos_label
    check_positive_class(targets, label)
    given = weighing.as_non_negative_weights(weighing.unscale(targets.weights, targets.scale), targets.y_true.size)
    weights = weighing.weights_at_prevalence(targets.y_true == targets.code_of(label), given, target_prevalence)
    scaled, scale = weighing.scale_weights(weights)
    return targets._replace(weights=scaled, scale=scale)


def correct_mask(columns: Columns | Targets) -> BoolArray:
    """Mark the cases whose response is right, in all labels of indicators, (n,).  O(n), O(n k) for indicators."""
    true, pred = columns.y_true, columns.y_pred
    if columns.kind == INDICATOR:
        return np.asarray((true == pred).all(axis=1))
    if "O" in (true.dtype.kind, pred.dtype.kind):  # comparing objects costs more than numbering them
        _, true, pred = encode_together(true, pred)
    return np.asarray(true == pred)


def right_cases(y_true: Any, y_pred: Any) -> BoolArray:
    """Return `correct_mask` of two columns of `as_class_labels`, or of indicators, (n, k).  O(n), O(n k)."""
    columns = []
    for values, name in ((y_true, "y_true"), (y_pred, "y_pred")):
        array = as_array(values, name)
        columns.append(array if array.ndim == 2 and array.shape[1] > 1 else as_class_labels(values, name))
    return correct_mask(check_columns(*columns))


def has_plain_labels(column: AnyArray) -> bool:
    """Whether there is one integer or string to a case, which shows without a look at all of them.  O(1).

    >>> has_plain_labels(np.array(["a"])), has_plain_labels(np.array([0.5]))
    (True, False)
    """
    kind = column.dtype.kind
    return _is_column(column) and (kind in "biuUT" or (kind == "O" and isinstance(column.flat[0], str)))


def _is_column(array: AnyArray) -> bool:
    """Whether this has one label to a case, and a case."""
    return not is_sparse(array) and array.ndim in (1, 2) and 0 < array.size == array.shape[0]


def _check_dates(true: AnyArray, pred: AnyArray) -> None:
    if {true.dtype.kind, pred.dtype.kind} & {"m", "M"}:
        what = f"{true.dtype} in y_true and {pred.dtype} in y_pred"
        check(true.dtype.kind == pred.dtype.kind, "labels", "be comparable", what, EvaluationTypeError)
        for column, name in ((true, "y_true"), (pred, "y_pred")):
            refuse({f"Input {name} contains NaT.": np.isnat(column).any()})


def _common_kind(true: AnyArray, pred: AnyArray) -> str:
    kinds = type_of_target(true, "y_true"), type_of_target(pred, "y_pred")
    why = "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
    refuse({why: true.shape[0] == 0})
    if set(kinds) == {"binary", "multiclass"}:
        return "multiclass"
    refuse({f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets": kinds[0] != kinds[1]})
    refuse({f"{kinds[0]} is not supported": kinds[0] not in ("binary", "multiclass", INDICATOR)})
    return kinds[0]


def _as_integers(column: AnyArray) -> AnyArray | None:
    if not _is_column(column):
        return None
    flat = column.ravel()
    if flat.dtype.kind == "b":
        return flat.view(np.uint8)
    if flat.dtype.kind == "f" and max(abs(float(flat.min())), abs(float(flat.max()))) < _SMALL:
        integers = flat.astype(np.int64)
        return integers if np.array_equal(integers, flat) else None
    return flat if flat.dtype.kind in "iu" else None


def _counted(columns: Columns) -> Targets | None:
    """Return targets of integers, with their table; None unless the integers lie close together."""
    true, pred = columns.y_true, columns.y_pred
    low, table = 0, small_joint_counts(true, pred, _FEW)
    if table is None:
        low = min(int(true.min()), int(pred.min()))
        high = max(int(true.max()), int(pred.max()))
        span = high - low + 1
        if low < -_SMALL or high > _SMALL or span * span > min(max(4 * true.size, 4096), MOST_CELLS):
            return None
        table = joint_counts(true, pred, span, low)
    class_indices = np.bitwise_or.reduce(table | table.T).nonzero()[0]
    kind = "binary" if class_indices.size <= 2 else "multiclass"
    pairs = table if class_indices.size == len(table) else table[np.ix_(class_indices, class_indices)]
    classes = (class_indices + low).astype(columns.dtype)
    return Targets(kind, classes, true, pred, *columns[3:5], class_indices, low, len(table), pairs)
