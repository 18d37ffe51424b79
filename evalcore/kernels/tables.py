"""Counting: tables of decisions and classes, distinct decisions, and bins of probabilities."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorting import descending
from evalcore.kernels.sums import EXACT_IN_FLOAT64
from evalcore.kernels.thresholds import rounded_up
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

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


def joint_counts(
    reference: npt.NDArray[Any], response: npt.NDArray[Any], span: int, low: int = 0, weights: AnyArray | None = None
) -> AnyArray:
    """Count cases by two whole numbers in low .. low + span - 1, or add up their weights.

    reference, response: (n,) integers or bool, `low` and its product with `span` within int64; weights: (n,) float64,
    or int64, whose sums are exact and wrap around at 2**63.  Returns (span, span), a row for each reference, int64 or
    of the type of the weights.  O(n + span²).
    """
    size = span * span
    sums = np.zeros(size, np.int64 if weights is None else weights.dtype)
    exact = weights is not None and (weights.dtype.kind == "f" or sums_below(weights, EXACT_IN_FLOAT64))
    step = max(blocks.BLOCK, size)  # shorter blocks would add the whole table for fewer cases
    buffer = np.empty(min(step, reference.size), np.int64)
    for start in range(0, reference.size, step):
        block = slice(start, start + step)
        cells = _cells(reference[block], response[block], span, buffer)
        cells -= low * span + low
        if weights is None:
            sums += np.bincount(cells, minlength=size)
        elif exact:
            sums += np.bincount(cells, weights[block], size).astype(weights.dtype, copy=False)
        else:
            np.add.at(sums, cells, weights[block])
    return sums.reshape(span, span)


def _cells(first: npt.NDArray[Any], second: npt.NDArray[Any], span: int, buffer: IntArray) -> IntArray:
    """Return the cell of each case in a table of `span` rows, (n,), in the memory of a buffer.  O(n)."""
    cells = buffer[: first.size]
    np.multiply(first, span, out=cells, dtype=np.int64)  # of uint64 too: it is small
    np.add(cells, second, out=cells, dtype=np.int64)
    return cells


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
        table = np.bincount(_cells(first, second, span, buffer), minlength=span * span).reshape(span, span)
        if counts is not None:
            table[: len(counts), : len(counts)] += counts
        counts = table
    return np.zeros((1, 1), np.int64) if counts is None else counts


def sums_below(weights: npt.NDArray[Any], limit: int) -> bool:
    """Whether no sum of some of the (n,) int64 weights reaches the limit, give or take rounding.  O(n)."""
    if weights.size == 0 or max(int(weights.max()), -int(weights.min())) * weights.size < limit:
        return True
    return float(np.abs(weights.astype(np.float64)).sum()) < limit


def category_weights(
    reference: IntArray, response: IntArray, categories: int, weights: AnyArray | None = None
) -> tuple[Any, Any, Any, Any]:
    """Count cases by each category against all others, without a table, or add up weights: tp, fn, fp, tn, each (k,).

    reference, response: (n,) codes below `categories`; weights: (n,) numbers.  True negatives are correct to the last
    digits: subtraction loses digits where a category has most of the weight, so that the two heaviest, if they have
    half of it, are added up by themselves.  O(n + k log k).
    """
    right = reference == response
    if weights is None:
        columns = reference[right], reference, response
        tp, references, responses = (np.bincount(codes, minlength=categories) for codes in columns)
        return counts_from_margins(tp, references, responses, reference.size)
    wrong, total = ~right, weights.sum()
    tp = np.bincount(reference[right], weights[right], categories)
    fn, fp = (np.bincount(codes[wrong], weights[wrong], categories) for codes in (reference, response))
    own = tp + fn + fp
    tn, heaviest = total - own, np.argsort(np.abs(own))[-2:]
    for heavy in heaviest[2 * np.abs(own[heaviest]) > abs(total)].tolist():
        tn[heavy] = weights[(reference != heavy) & (response != heavy)].sum()
    return tp, fn, fp, tn


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


_FOLD = 256
"""Rows laid side by side, so that a sum over rows runs along memory: a tenth of the time of ``sum(axis=0)``."""
_SUMMED = 255
"""Ones that a byte can hold."""


class DecisionCounts(NamedTuple):
    """Documents by whether a category was assigned to them, and whether it was correct; each (k,) int64."""

    both: IntArray
    assigned: IntArray
    correct: IntArray


def matrix_counts(assigned: BoolArray, correct: BoolArray) -> DecisionCounts:
    """Count decisions given as Boolean matrices, a row for each document.  assigned, correct: (n, k) bool.  O(n k)."""
    documents, categories = assigned.shape
    counts = DecisionCounts(*np.zeros((3, categories), np.int64))
    for block in blocks.blocks(documents, 1 + categories // 8):  # eight cells take as much memory as a number
        parts = assigned[block] & correct[block], assigned[block], correct[block]
        for count, part in zip(counts, parts, strict=True):
            np.add(count, column_sums(part), out=count)
    return counts


def column_sums(rows: BoolArray) -> IntArray:
    """Count the true cells of each column.  rows: (n, k) bool.  Returns (k,) int64.  O(n k)."""
    cells = np.ascontiguousarray(rows).view(np.uint8)
    count, columns = cells.shape
    if columns == 0:
        return np.zeros(0, np.int64)
    folded = cells[: count - count % _FOLD].reshape(-1, _FOLD * columns)
    sums: IntArray = cells[count - count % _FOLD :].sum(axis=0, dtype=np.int64)
    for start in range(0, len(folded), _SUMMED):
        part = np.add.reduce(folded[start : start + _SUMMED], axis=0, dtype=np.uint8)
        sums += part.reshape(_FOLD, columns).sum(axis=0, dtype=np.int64)
    return sums


def listed_counts(assigned: IntArray, correct: IntArray, categories: int) -> DecisionCounts:
    """Count decisions given as keys, document x categories + code of a category; repeats count once.

    assigned: (m,), correct: (l,) int64.  O((m + l) log (m + l)).

    >>> counts = listed_counts(np.array([0, 2, 2]), np.array([1, 2]), categories=2)
    >>> counts.both, counts.assigned, counts.correct
    (array([1, 0]), array([2, 0]), array([1, 1]))
    """
    # `np.unique` builds a table of hashes, at ten times the price
    distinct = [keys[run_starts(keys)] for keys in map(np.sort, (assigned, correct))]
    merged = np.sort(np.concatenate(distinct))
    both = merged[1:][merged[1:] == merged[:-1]]
    return DecisionCounts(*(np.bincount(keys % categories, minlength=categories) for keys in (both, *distinct)))


_MOST_COMPARED = 96
"""Up to here comparing with every edge beats a binary search for each probability."""
_FEW = 1 << 8
"""Probabilities for which a call for each edge takes longer than their searches."""


class Bins(NamedTuple):
    """Sums over the cases of each bin, weighted if the cases are."""

    weights: FloatArray
    """Cases, shape (b,)."""
    positives: FloatArray
    """Cases of the positive class, shape (b,)."""
    probabilities: FloatArray
    """Probabilities, shape (b,)."""


def equal_widths(bins: int) -> FloatArray:
    """Return the b - 1 inner edges of b equally wide bins of 0 .. 1.  O(b)."""
    return np.asarray(np.linspace(0.0, 1.0, bins + 1)[1:-1])


def quantiles(probabilities: ScoreArray, bins: int) -> ScoreArray:
    """Return the b - 1 inner edges at the interpolated quantiles 1/b, 2/b .. of (n,), n > 0.  O(n log n)."""
    positions = np.linspace(0.0, 1.0, bins + 1)[1:-1] * 100 / 100 * (probabilities.size - 1)
    before = positions.astype(np.int64)
    ordered = np.sort(probabilities)
    low, high = ordered[before], ordered[np.minimum(before + 1, ordered.size - 1)]
    fraction = positions - before
    # from the nearer neighbour, so that rounding does not carry an edge past it
    return np.where(fraction < 0.5, low + (high - low) * fraction, high - (high - low) * (1 - fraction))


def equal_masses(probabilities: ScoreArray, weights: FloatArray | None, bins: int) -> ScoreArray:
    """Return the b - 1 inner edges that are the least probabilities with i/b of the weight at or below them.

    probabilities: (n,), not empty; weights: (n,) positive, or None for one each.  Exact for integer weights, which
    give what repeated cases give.  O(n log n).

    >>> equal_masses(np.array([0.1, 0.2, 0.6, 0.8]), None, 2)
    array([0.2])
    """
    if weights is None:
        ranks = -(-np.arange(1, bins) * probabilities.size // bins) - 1  # least probability first
        return np.asarray(np.sort(probabilities)[ranks])
    order = descending(probabilities)[::-1]
    mass = np.cumsum(weights[order])
    least = np.searchsorted(mass * bins, np.arange(1, bins) * mass[-1])
    return np.asarray(probabilities[order[least]])


def binned(
    probabilities: ScoreArray, positive: BoolArray, edges: ScoreArray, weights: FloatArray | None = None
) -> Bins:
    """Add up the cases of each bin; a probability equal to an edge is in the bin below.

    probabilities, positive: (n,); edges: (b - 1,) rising; weights: (n,), or None for one each.  O(b n), O(n log b) for
    many bins.

    >>> binned(np.array([0.2, 0.5, 0.9]), np.array([False, True, True]), np.array([0.5]))
    Bins(weights=array([2., 1.]), positives=array([1., 1.]), probabilities=array([0.7, 0.9]))
    """
    count = edges.size + 1

    def add_up(block: slice) -> tuple[FloatArray, FloatArray]:
        part = probabilities[block]
        codes, own = bin_codes(part, edges), None if weights is None else weights[block]
        sums = np.bincount(codes, part if own is None else part * own, count).astype(np.float64, copy=False)
        codes += count * positive[block]
        return sums, np.bincount(codes, own, 2 * count).astype(np.float64, copy=False)

    sums, totals = np.zeros(count), np.zeros(2 * count)
    for own_sums, own_totals in map_blocks(add_up, probabilities.size):
        sums += own_sums
        totals += own_totals
    negatives, positives = totals.reshape(2, count)
    return Bins(negatives + positives, positives, sums)


def bin_codes(probabilities: ScoreArray, edges: ScoreArray) -> IntArray:
    """Count the edges, (b - 1,), below each probability, (n,).  O(b n), O(n log b) for many bins."""
    if edges.size > _MOST_COMPARED or probabilities.size < _FEW:
        return np.searchsorted(edges, probabilities)
    edges = -rounded_up(-edges, probabilities.dtype)  # two types compare slower
    above = (probabilities > edges[:, np.newaxis]).view(np.uint8)
    codes: AnyArray = np.add.reduce(above, axis=0, dtype=np.uint8)
    return codes.astype(np.int64)


def sum_over_cases(terms: Callable[[slice], Any], n: int, weights: FloatArray | None = None, width: int = 1) -> float:
    """Add up one term for each case, in blocks that stay in cache.

    terms: gives the (m,) terms of a slice of the cases; weights: (n,), or None for one each; width: elements that a
    term is made of.  O(n width).
    """
    parts = ((terms(block), block) for block in blocks.blocks(n, width))
    # no dot product: its threads cost more than they save here, and change the last bits
    return sum(float(np.add.reduce(part if weights is None else part * weights[block])) for part, block in parts)
