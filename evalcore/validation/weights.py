"""Weights of cases and of pairs of classes, and the prevalence to which cases are reweighted."""

from typing import Any, get_args

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, ZeroWeightsError, check, refuse
from evalcore.kernels.sorting import extent
from evalcore.kernels.sums import EXACT_IN_FLOAT64, exact_sum
from evalcore.kernels.tables import sums_below
from evalcore.kernels.weights import scaled_weights
from evalcore.measures.agreement import disagreement
from evalcore.measures.influence import weights_for_prevalence
from evalcore.typing import AnyArray, BoolArray, FloatArray, WeightType
from evalcore.validation import arrays
from evalcore.validation.values import check_choice, check_open_fraction, is_array_like

ABOVE_INT64 = np.uint64(2**63)
"""The least uint64 that int64 cannot hold."""
_LARGEST_SUM = 2**62
_FEW = 64

_FARTHEST = 2.0**480
"""Variances take the squares of weights, and some the squares of these."""
_SOME_WEIGHT = "hold a weight above 0", "only zeros"


def are_frequencies(weight_type: Any, function: str) -> bool:
    """Return whether weights are frequencies; raise InvalidParameterError for a type that is none of weights.  O(1)."""
    check_choice(weight_type, get_args(WeightType), "weight_type", function)
    return bool(weight_type == "frequency")


def check_consistent_lengths(*columns: Any) -> None:
    """Raise EvaluationError, in scikit-learn's words, if array-likes differ in length; others are ignored.  O(1)."""
    lengths = [_length(each) for each in columns if is_array_like(each) and not isinstance(each, np.matrix)]
    if len(set(lengths)) > 1:
        raise EvaluationError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def as_weights(values: Any, n: int, *, zeros: bool = False) -> AnyArray | None:
    """Return the finite weights of n cases, int64 or float64, None for None; zeros: whether all may be zero.  O(n)."""
    if values is None:
        return None
    if not is_array_like(values):
        raise InvalidParameterError(f"The 'sample_weight' parameter must be an array-like or None, got {values!r}")
    weights = arrays.as_dense(values, "sample_weight")
    if weights.dtype.kind == "O":
        weights = arrays.floats_of_objects(weights, "sample_weight")
    if weights.dtype.kind not in "biuf":  # NumPy takes long to name a dtype
        raise EvaluationTypeError(f"sample_weight must hold numbers, got dtype {weights.dtype}")
    arrays.check_finite(weights, "sample_weight")
    found = f"{weights.ndim}D array; expected one weight for each of {n} cases"
    check(weights.ndim == 1, "Sample weights", "be 1D array or scalar", found)
    if weights.size != n:
        check_consistent_lengths(range(n), weights)
    if n and not zeros and not weights.any():
        raise no_weight_error()
    whole = weights.dtype.kind != "f" and (weights.dtype != np.uint64 or bool(np.all(weights < ABOVE_INT64)))
    return weights.astype(np.int64 if whole else np.float64, copy=False)


def as_non_negative_weights(values: Any, n: int, *, zeros: bool = False) -> FloatArray | None:
    """Return the finite weights of n cases, float64, none negative; as `as_weights`.  O(n)."""
    weights = as_weights(values, n, zeros=zeros)
    if weights is None:
        return None
    floats: FloatArray = weights.astype(np.float64, copy=False)
    if n and np.minimum.reduce(floats) < 0:
        _largest(floats, "sample_weight")
    return floats


def as_case_weights(
    values: Any, n: int, name: str = "sample_weight", *, whole: bool = False, zeros: bool = False
) -> AnyArray:
    """Return the weights of n cases, int64 or float64: finite, none negative, with a finite sum.  O(n).

    whole: whether they must be whole numbers, whose sum float64 holds exactly; they are then int64; zeros: whether all
    may be zero, as in one of several batches.

    >>> as_case_weights([1, 2.5], 2), as_case_weights([1.0, 2.0], 2, whole=True)
    (array([1. , 2.5]), array([1, 2]))
    """
    weights = weights_of_part(_numbers_of_cases(values, n, name), name, whole=whole)
    check(not n or zeros or weights.any(), name, *_SOME_WEIGHT)
    if weights.dtype.kind == "f":
        check_weight_sum(weights, name)
    return weights


def as_added_weights(values: Any, n: int, most: int | None, name: str = "sample_weight") -> AnyArray:
    """Return the weights of n cases that join others: int64 if all are whole numbers, else float64.  O(n).

    most: the largest sum that whole numbers may have, up to 2**62; above it, floats stay floats.  None: all become
    floats.  Raises EvaluationError for weights that are negative or not finite, and for integers of a larger sum.

    >>> as_added_weights([1.0, 2.0], 2, most=3), as_added_weights([1, 2], 2, most=3)
    (array([1, 2]), array([1, 2]))
    >>> as_added_weights([1.0, 2.0], 2, most=2), as_added_weights([1, 2], 2, most=None)
    (array([1., 2.]), array([1., 2.]))
    """
    weights = _numbers_of_cases(values, n, name)
    largest = _largest(weights, name)
    if most is None:
        return weights.astype(np.float64, copy=False)
    if weights.dtype.kind == "f":
        # of most weights a few tell that they are not whole
        whole = bool(largest <= most and all(np.all(part == np.rint(part)) for part in (weights[:_FEW], weights)))
        if not whole or exact_sum(weights.astype(np.int64)) > most:
            return weights.astype(np.float64, copy=False)
    else:
        total = exact_sum(weights)
        check(total <= most, name, f"have a sum of at most {most}", total)
    return weights.astype(np.int64, copy=False)


def _numbers_of_cases(values: Any, n: int, name: str) -> AnyArray:
    """Return numbers of any type, one for each case.  Raises EvaluationError, EvaluationTypeError.  O(n)."""
    weights = arrays.as_numbers(values, name)
    advice = "Booleans; select the rows instead: y_true[keep]"
    check(weights.dtype.kind != "b", name, "hold numbers", advice, EvaluationTypeError)
    check(weights.size == n, name, f"hold one weight for each of {n} cases", weights.size)
    return weights


def weights_of_part(
    numbers: AnyArray, name: str, *, whole: bool = False, first: int = 0, sampling: str = "weight_type='sampling'"
) -> AnyArray:
    """Return numbers as some of the weights of a column, int64 or float64: finite, none negative.  O(n).

    numbers: (n,) integers or floats; whole: whether they must be whole numbers; they are then int64; first: the index
    of the first one, for errors; sampling: how the caller asks for weights of another type.  Raises EvaluationError.

    >>> weights_of_part(np.array([1.0, -2.0]), "column 'w'", first=10)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'w' at index 11 (from 0) is -2.0; weights must not be negative
    """
    _largest(numbers, name, first)
    if whole and numbers.dtype.kind == "f":
        rule = f"is {{}}; frequencies must be whole numbers (for other weights: {sampling})"
        arrays.refuse_first(numbers != np.rint(numbers), numbers, name, rule, first)
    if whole or numbers.dtype.kind != "f":
        if sums_below(numbers, EXACT_IN_FLOAT64):
            return numbers.astype(np.int64, copy=False)
        check(not whole, name, "have a sum below 2**53", f"weights up to {numbers.max()}")
    return numbers.astype(np.float64, copy=False)


def total_weight(weights: AnyArray) -> float:
    """Return the sum of weights, (n,), infinite if it is too large.  O(n)."""
    with np.errstate(over="ignore"):
        return float(weights.sum(dtype=np.float64))


def check_total_weight(total: float, name: str, *, whole: bool) -> None:
    """Raise EvaluationError unless the weights of a whole column have a sum that is above 0 and not too large.  O(1).

    whole: whether float64 must hold the sum exactly.
    """
    check(total, name, *_SOME_WEIGHT)
    check(not whole or total < EXACT_IN_FLOAT64, name, "have a sum below 2**53", f"about {total:g}")
    check(total < np.inf, name, "have a finite sum", "infinity")


def extent_of_weights(weights: AnyArray, name: str) -> tuple[float, float]:
    """Return the least and the largest of weights above 0, (n,), 1 for none.  O(n).

    Raises EvaluationError if they are so far apart that variances would leave float64.
    """
    least, largest = extent(weights) if weights.size else (1, 1)
    got = f"{least:g} and {largest:g}; set negligible weights to 0"
    check(largest / _FARTHEST <= least, name, "hold weights above 0 that differ by less than a factor of 2**480", got)
    return least, largest


def _largest(weights: AnyArray, name: str, first: int = 0) -> float:
    """Return the largest weight; raise EvaluationError for the first that is negative, NaN or infinite.  O(n)."""
    low, high = extent(weights) if weights.size else (0.0, 0.0)
    if not (low >= 0 and high < np.inf):
        wrong = ~((weights >= 0) & (weights < np.inf))
        value = weights[wrong][0]
        rule = "must not be negative" if value < 0 else "must be finite"
        arrays.refuse_first(wrong, weights, name, f"is {'NaN' if np.isnan(value) else '{}'}; weights {rule}", first)
    return high


def no_weight_error() -> EvaluationError:
    """Return the error for weights that are all zero."""
    return EvaluationError("Sample weights must contain at least one non-zero number.")


def check_weight_sum(weights: FloatArray, name: str = "sample_weight") -> None:
    """Raise EvaluationError for weights whose sum is infinite.  O(n)."""
    if total_weight(weights) == np.inf:
        raise EvaluationError(f"{name} must have a finite sum, got weights up to {weights.max()}")


def check_divisor(total: Any) -> None:
    """Raise ZeroWeightsError for a sum of weights that is zero.  O(1)."""
    if total == 0:
        raise ZeroWeightsError("Weights sum to zero, can't be normalized: sample_weight needs a positive sum")


def weighted_mean(values: AnyArray, weights: AnyArray | None) -> float:
    """Return the mean of (n,) values by (n,) weights.  Raises ZeroWeightsError for a sum of zero.  O(n)."""
    if weights is not None:
        check_divisor(weights.sum())
    return float(np.average(values, weights=weights))


def scale_weights(weights: AnyArray | None, *, wraps: bool = False) -> tuple[AnyArray | None, float]:
    """Return weights whose sums and products neither overflow nor vanish, and what they were divided by.

    weights: from `as_weights`.  Integers become float64 if their sums might not fit int64, unless `wraps`.  The divisor
    is a power of two, 1.0 for weights of common size, so that only what is far below the largest is rounded.  O(n).

    >>> weights, divisor = scale_weights(np.array([2.0**900, 2.0**898]))
    >>> weights, divisor == 2.0**900
    (array([1.  , 0.25]), True)
    """
    if weights is None or weights.size == 0:
        return weights, 1.0
    if weights.dtype.kind != "f":
        return (weights if wraps or sums_below(weights, _LARGEST_SUM) else weights.astype(np.float64)), 1.0
    return scaled_weights(weights)


def unscale(sums: Any, scale: float) -> Any:
    """Return sums of scaled weights in the units of the weights that came in, infinite if they are too large.  O(n)."""
    if scale == 1:
        return sums
    with np.errstate(over="ignore", under="ignore"):
        return sums * scale


def _length(column: Any) -> int:
    shape = getattr(column, "shape", None)
    if shape is not None and len(shape) == 0:
        raise EvaluationTypeError(f"Input should have at least 1 dimension, got scalar {column!r} instead.")
    try:
        return int(shape[0]) if shape is not None else len(column)
    except TypeError:
        raise EvaluationTypeError(f"Expected sequence or array-like, got {type(column)}") from None


def weights_at_prevalence(
    positive: BoolArray, weights: AnyArray | None, prevalence: Any, name: str = "target_prevalence"
) -> FloatArray:
    """Return weights, (n,) float64, of which the positive cases have a checked prevalence.  O(n).

    weights: (n,), none negative, or None for one each.  Raises EvaluationError if a class has no weight.

    >>> import numpy as np
    >>> weights_at_prevalence(np.array([True, True, False, False]), None, 0.25)
    array([0.5, 0.5, 1.5, 1.5])
    """
    target = check_open_fraction(prevalence, name)
    held = positive if weights is None else positive[weights > 0]
    what = "negative" if held.any() else "positive"
    refuse({f"{name} needs cases of both classes, got no {what} case": not held.any() or held.all()})
    shifted = weights_for_prevalence(positive, target, weights)
    check_weight_sum(shifted)
    return shifted


_POWERS = {None: 0, "linear": 1, "quadratic": 2}
"""How the weight of a disagreement grows with the distance of the classes."""


def disagreement_of_classes(weights: Any, classes: int, function: str) -> AnyArray:
    """Return how much each two of k classes disagree, (k, k), 0 on the diagonal; float64 of a matrix of agreement.

    Raises EvaluationError for other weights.  O(k²).

    >>> disagreement_of_classes([[1, 0.75], [0.75, 1]], 2, "kappa_interval")
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    if weights is None or isinstance(weights, str):
        check_choice(weights, ("linear", "quadratic", None), "weights", function)
        return disagreement(classes, _POWERS[weights])
    matrix = arrays.as_real_matrix(weights, "weights").astype(np.float64)
    arrays.check_finite(matrix, "weights")
    rule = f"have a row and a column for each of {classes} classes"
    check(matrix.shape == (classes, classes), "weights", rule, f"shape {matrix.shape}")
    valid = (matrix >= 0) & (matrix <= 1) & ((matrix == 1) | ~np.eye(classes, dtype=np.bool_))
    if not valid.all():
        row, column = divmod(int(np.argmin(valid)), classes)
        what = "1, because a class agrees with itself" if row == column else "between 0 and 1"
        raise EvaluationError(f"weights[{row}, {column}] must be {what}, got {matrix[row, column]:g}")
    return np.asarray(1 - matrix)
