"""Counting cases into tables."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.typing import BoolArray, FloatArray, IntArray

_EXACT_IN_FLOAT64 = 2**53
_BLOCK = 1 << 15
"""Cases whose labels are read twice: both readings of both columns stay in cache."""


class BinaryCounts(NamedTuple):
    """The four cells of a 2x2 table, in the order that every function here keeps."""

    tp: int
    fn: int
    fp: int
    tn: int


def one_case(reference: bool, response: bool) -> BinaryCounts:
    """Return the table of a single case, O(1)."""
    return _SINGLE[2 * reference + response]


_SINGLE = [BinaryCounts(*cells) for cells in ((0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0))]


def set_counts(reference: AbstractSet[Any], response: AbstractSet[Any]) -> BinaryCounts:
    """Count two sets of positives by membership, without true negatives.  O(n)."""
    tp = len(reference & response)
    return BinaryCounts(tp, len(reference) - tp, len(response) - tp, 0)


def binary_counts(reference: BoolArray, response: BoolArray) -> BinaryCounts:
    """Count cases by reference and response.  reference, response: (n,) bool.  O(n)."""
    tp, positives, taken = (int(np.count_nonzero(labels)) for labels in (reference & response, reference, response))
    return counts_from_margins(tp, positives, taken, reference.size)


def binary_codes(reference: BoolArray, response: BoolArray) -> npt.NDArray[np.int8]:
    """Return the cell of each case, its index in `BinaryCounts`; reference, response: (n,) bool.  O(n).

    >>> binary_codes(np.array([True, True, False, False]), np.array([True, False, True, False]))
    array([0, 1, 2, 3], dtype=int8)
    """
    return 2 * (~reference).view(np.int8) + (~response).view(np.int8)


def counts_from_margins(tp: Any, reference: Any, response: Any, cases: Any) -> BinaryCounts:
    """Complete a table, or arrays of them, from true positives, references, responses and all cases.  O(1)."""
    return BinaryCounts(tp, reference - tp, response - tp, cases - reference - response + tp)


class Margins(NamedTuple):
    """How much of each category there is: counts, or sums of weights."""

    correct: npt.NDArray[Any]
    """References that are responses too, shape (k,)."""
    reference: npt.NDArray[Any]
    """References, shape (k,)."""
    response: npt.NDArray[Any]
    """Responses, shape (k,)."""


def category_counts(reference: npt.NDArray[np.intp], response: npt.NDArray[np.intp], categories: int) -> IntArray:
    """Count cases by reference (rows) and response (columns), (n,) codes below `categories`: (k, k).  O(n + k²)."""
    return joint_counts(reference, response, 0, categories)


def joint_counts(reference: npt.NDArray[Any], response: npt.NDArray[Any], low: int, span: int) -> IntArray:
    """Count cases by two whole numbers in low .. low + span - 1.

    reference, response: (n,) integers or bool, `low` and its product with `span` within int64.  Returns (span, span)
    int64, a row for each reference.  O(n + span²).
    """
    size = span * span
    counts = np.zeros(size, np.int64)
    for _, cells in _cells(reference, response, low, span):
        counts += np.bincount(cells, minlength=size)
    return counts.reshape(span, span)


def small_joint_counts(reference: npt.NDArray[Any], response: npt.NDArray[Any], limit: int) -> IntArray | None:
    """Count cases by two whole numbers from 0 on, whose largest is not known; None if one is not below `limit`.

    reference, response: (n,) integers or bool; limit: a power of two.  Returns (span, span) int64, a row for each
    reference, where `span` is a bound on the numbers.  O(n + limit²), in one pass over the cases.
    """
    counts: IntArray | None = None
    buffer = np.empty(min(_BLOCK, reference.size), np.int64)
    for start in range(0, reference.size, _BLOCK):
        first, second = reference[start : start + _BLOCK], response[start : start + _BLOCK]
        bits = int(np.bitwise_or.reduce(first)) | int(np.bitwise_or.reduce(second))  # at least the largest number
        if not 0 <= bits < limit:
            return None
        span = bits + 1 if counts is None else max(bits + 1, len(counts))
        cells = buffer[: first.size]
        np.multiply(first, span, out=cells, dtype=np.int64)  # of uint64 too: it is small
        np.add(cells, second, out=cells, dtype=np.int64)
        table = np.bincount(cells, minlength=span * span).reshape(span, span)
        if counts is not None:
            table[: len(counts), : len(counts)] += counts
        counts = table
    return np.zeros((1, 1), np.int64) if counts is None else counts


def pair_weights(
    reference: npt.NDArray[Any], response: npt.NDArray[Any], weights: npt.NDArray[Any], low: int, span: int
) -> npt.NDArray[Any]:
    """Add up the weights of cases by two whole numbers in low .. low + span - 1.

    reference, response: as `joint_counts`; weights: (n,) float64, or int64, whose sums are exact and wrap around at
    2**63.  Returns (span, span) of the weights' type.  O(n + span²).
    """
    size = span * span
    sums = np.zeros(size, weights.dtype)
    exact = weights.dtype.kind == "f" or sums_below(weights, _EXACT_IN_FLOAT64)
    for block, cells in _cells(reference, response, low, span):
        if exact:
            sums += np.bincount(cells, weights=weights[block], minlength=size).astype(weights.dtype, copy=False)
        else:
            np.add.at(sums, cells, weights[block])
    return sums.reshape(span, span)


def sums_below(weights: npt.NDArray[Any], limit: int) -> bool:
    """Whether no sum of some of the (n,) int64 weights reaches the limit, give or take rounding.  O(n)."""
    if weights.size == 0 or max(int(weights.max()), -int(weights.min())) * weights.size < limit:
        return True
    return float(np.abs(weights.astype(np.float64)).sum()) < limit


def _cells(
    reference: npt.NDArray[Any], response: npt.NDArray[Any], low: int, span: int
) -> Iterator[tuple[slice, IntArray]]:
    """Cell of each case in a table of `span` rows, in blocks whose buffer is used again."""
    step = max(blocks.BLOCK, span * span)  # shorter blocks would add the whole table for fewer cases
    buffer = np.empty(min(step, reference.size), np.int64)
    for start in range(0, reference.size, step):
        block = slice(start, min(start + step, reference.size))
        cells = buffer[: block.stop - start]
        np.multiply(reference[block], span, out=cells, dtype=np.int64)  # of uint64 too: it is small
        np.add(cells, response[block], out=cells, dtype=np.int64)
        if low:
            cells -= low * span + low
        yield block, cells


def category_margins(reference: npt.NDArray[np.intp], response: npt.NDArray[np.intp], categories: int) -> Margins:
    """Count (n,) references, responses and what is both, by codes below `categories`, without a table.  O(n + k)."""
    right = reference[reference == response]
    return Margins(*(np.bincount(codes, minlength=categories) for codes in (right, reference, response)))


def category_weights(
    reference: npt.NDArray[np.intp], response: npt.NDArray[np.intp], categories: int, weights: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], FloatArray]:
    """Add up weights by each category against all others, without a table: tp, fn, fp, tn, each (k,).

    reference, response: (n,) codes below `categories`; weights: (n,) numbers.  O(n + k).
    """
    right = reference == response
    wrong = ~right
    tp = np.bincount(reference[right], weights[right], categories)
    fn, fp = (np.bincount(codes[wrong], weights[wrong], categories) for codes in (reference, response))
    return (
        tp,
        fn,
        fp,
        true_negatives(tp, fn, fp, weights.sum(), lambda k: weights[(reference != k) & (response != k)].sum()),
    )


def true_negatives(
    tp: npt.NDArray[Any], fn: npt.NDArray[Any], fp: npt.NDArray[Any], total: float, rest: Callable[[int], float]
) -> FloatArray:
    """Return the weight of the cases outside each category by reference and by response, (k,), to the last digits.

    tp, fn, fp: (k,); total: the sum of all weights; rest: adds up the weight outside one category.  Subtraction loses
    digits where a category has most of the weight: for the two heaviest, if they have half of it, `rest` is called.
    O(k log k) and two calls at most.
    """
    own = tp + fn + fp
    negatives: FloatArray = total - own
    heaviest = np.argsort(np.abs(own))[-2:]
    for heavy in heaviest[2 * np.abs(own[heaviest]) > abs(total)]:
        negatives[heavy] = rest(int(heavy))
    return negatives


def sums_of_others(values: FloatArray, axis: int) -> FloatArray:
    """Return for each element the sum of all others along an axis, without subtraction, which loses digits.

    values: any shape.  O(size).

    >>> sums_of_others(np.array([1e20, 1.0, 2.0]), 0)
    array([3.e+00, 1.e+20, 1.e+20])
    """
    along = np.moveaxis(values, axis, -1)
    sums = np.zeros(along.shape)
    sums[..., 1:] = along[..., :-1].cumsum(axis=-1)
    sums[..., :-1] += along[..., :0:-1].cumsum(axis=-1)[..., ::-1]
    return np.moveaxis(sums, -1, axis)
