"""The one sort that answers everything: cases in order of their scores, best first.

Sorting keys by value costs what sorting the scores does, and packing them a tenth of that.  (``np.argsort`` costs
6 to 7 times.)  For two threads the keys are parted at their middle first, for a seventh of a sort, and each half is
sorted by itself.  Scores that come sorted, either way, need no sort: one look, a sixteenth of one, says so.  Areas and
curves of metrics read them as they came, `found_order`; whoever needs keys sorts them only where scores are tied.

What must move along with the scores, weights, groups or several columns, needs the permutation: a value sort of
``level << bits | index``, where the level of a score is a whole number that falls as the score rises.  The level of a
float32 score is exact; that of a float64 score is a linear map to the bits that the index leaves, or its upper bits,
and the few neighbours that share a level are put right afterwards.  A million float64 scores take a quarter of the
time of ``np.argsort(kind="stable")``.

A key is ``2 * level + correct``, where ``level`` falls as the score rises.  Sorting keys by value
thus orders the scores *and* carries the labels, so that no permutation is ever built; among equal scores
the incorrect cases come first and the correct ones last.

The bits of a float, read as an integer, keep the order of non-negative floats, and reversed that of
negative ones.  One bit must be freed for the label:

- `BitCode`: non-negative scores (infinity too) leave their sign bit unused.  Always exact; what float32 holds needs
  32 bits, which sort in half the time.
- `ScaledCode`: finite scores below 1 in magnitude leave the top bit of the exponent unused, and a power of
  two brings every other score there, exactly unless the smallest become subnormal.
- `LevelCode`: otherwise the level of a score is its index among the distinct scores.  Always exact, ten to
  fifteen times slower.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.kernels.blocks import map_blocks, map_parts, threads_for
from evalcore.kernels.runs import FoundOrder, correct_bits, ranges, run_starts, score_changes
from evalcore.typing import AnyArray, BoolArray, IntArray, KeyArray, ScoreArray

T = TypeVar("T")
_UINT32, _UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
_FEW = 64
"""Scores that are looked at first: of most data none fits float32."""
_WORTH_NARROWING = 1 << 12
_SIGN = np.int64(np.iinfo(np.int64).min)
_EVEN_KEYS_ARE_FINITE = 1.5
"""Keys of scores below this are patterns of finite positive float64, whose order is that of the integers."""
_TINIEST, _ONE = 5e-324, 1.0
_INFINITY = 1.5
"""Where `ScaledCode` puts infinity: above every finite scaled score, below 2."""


class KeyReader(Protocol):
    """What turns keys back into scores: a code, or what remembers the scores."""

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """Return the scores of the keys, shape (n,), in the width they came in; -0.0 as 0.0.  O(n)."""


class Code(KeyReader, Protocol):
    """What turns scores and labels into keys, and keys back into scores.

    >>> code = code_of(np.array([-3.0, np.inf]))
    >>> keys = np.empty(2, code.key_dtype)
    >>> code.pack(np.array([-3.0, np.inf]), np.array([True, False]), keys)
    >>> code.unpack(keys), keys & 1
    (array([-3., inf]), array([1, 0]))
    """

    @property
    def key_dtype(self) -> np.dtype[Any]:
        """Integer type of the keys."""
        return np.dtype(np.int64)

    @property
    def sort_dtype(self) -> np.dtype[Any]:
        """Type whose order on the same bits is that of the keys, the one that sorts fastest."""
        return self.key_dtype

    def write_levels(self, scores: ScoreArray, out: KeyArray) -> None:
        """Write the levels of scores into `out`, both (n,) or (n, k); their highest bit does not count.  O(n k)."""

    def pack(self, scores: ScoreArray, correct: BoolArray, out: KeyArray) -> None:
        """Write the keys of the cases into `out`; all three of one shape, (n,) or (n, k).  O(n k)."""
        self.write_levels(scores, out)
        np.left_shift(out, 1, out=out)
        np.bitwise_or(out, correct, out=out)


@dataclass(frozen=True)
class BitCode(Code):
    """Code of non-negative scores in as many bits as the narrowest float that holds them.

    The level of a score is how far its bits are below those of the highest.
    """

    score_dtype: np.dtype[Any]
    narrow_dtype: np.dtype[Any]
    """float32 or float64, which holds every score exactly."""
    highest: float
    """No score is above it."""

    @property
    def key_dtype(self) -> np.dtype[Any]:
        """See `Code`."""
        return _UINT32 if self.narrow_dtype.itemsize == 4 else _UINT64

    @property
    def sort_dtype(self) -> np.dtype[Any]:
        """See `Code`."""
        # without AVX-512, float64 sorts a third faster than uint64
        floats = self.narrow_dtype == np.float64 and self.highest < _EVEN_KEYS_ARE_FINITE
        return self.narrow_dtype if floats and knows_subnormals() else self.key_dtype

    def write_levels(self, scores: ScoreArray, out: KeyArray) -> None:
        """See `Code`."""
        bits = scores.astype(self.narrow_dtype, copy=False).view(self.key_dtype)
        np.subtract(self._top, bits, out=out)  # the sign, which does not count, alone tells -0.0 from 0.0

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """See `Code`."""
        bits: KeyArray = self._top - (keys >> 1)
        return bits.view(self.narrow_dtype).astype(self.score_dtype, copy=False)

    @property
    def _top(self) -> Any:
        return self.narrow_dtype.type(self.highest + 0.0).view(self.key_dtype)


@dataclass(frozen=True)
class ScaledCode(Code):
    """Code of scores of both signs in int64, after a multiplication that leaves the finite ones below 1."""

    score_dtype: np.dtype[Any]
    scale: float

    def write_levels(self, scores: ScoreArray, out: KeyArray) -> None:
        """See `Code`."""
        scaled = out.view(np.float64)
        np.multiply(scores, self.scale, out=scaled, dtype=np.float64)
        scaled += 0.0  # -0.0 becomes 0.0
        np.clip(scaled, -_INFINITY, _INFINITY, out=scaled)
        out ^= ~(out >> 63) | _SIGN  # best first: all bits of x >= 0 flip, of x < 0 only the sign

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """See `Code`."""
        shifted = keys >> 1
        shifted ^= (shifted >> 63) | _SIGN
        scaled = shifted.view(np.float64)
        with np.errstate(over="ignore"):  # what stands for infinity
            scores = scaled / self.scale
        infinite = np.abs(scaled) > 1
        scores[infinite] = np.copysign(np.inf, scaled[infinite])
        return scores.astype(self.score_dtype, copy=False)


@dataclass(frozen=True)
class LevelCode(Code):
    """Code of any scores in int64, by their indices among the distinct ones."""

    levels: ScoreArray
    """Distinct scores, ascending, shape (d,)."""

    def write_levels(self, scores: ScoreArray, out: KeyArray) -> None:
        """See `Code`."""
        order = scores.argsort(axis=None)  # needles in order find neighbouring levels, which are in cache
        out.put(order, self.levels.size - 1 - self.levels.searchsorted(scores.take(order)))

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """See `Code`."""
        return np.asarray(self.levels[self.levels.size - 1 - (keys >> 1)] + 0.0)  # -0.0 becomes 0.0


def code_of(scores: ScoreArray, ends: tuple[float, float] | None = None) -> Code:
    """Choose the narrowest code that holds these scores exactly.

    scores: (n,) float32 or float64, no NaN; ends: their `extent`, or numbers around it, where they are known.
    O(n), for `LevelCode` O(n log n).

    >>> code_of(np.array([0.5, 0.1]))
    BitCode(score_dtype=dtype('float64'), narrow_dtype=dtype('float64'), highest=0.5)
    >>> code_of(np.array([5.0, -np.inf]))
    ScaledCode(score_dtype=dtype('float64'), scale=0.125)
    >>> code_of(np.array([-1e300, 1e-300]))
    LevelCode(levels=array([-1.e+300,  1.e-300]))
    """
    if scores.size == 0:
        return BitCode(scores.dtype, scores.dtype, 0.0)
    lowest, highest = ends or extent(scores)
    if lowest >= 0:
        return BitCode(scores.dtype, np.dtype(np.float32) if _fits_float32(scores) else scores.dtype, highest)
    scale = _scale(scores, lowest, highest)

    def survives(block: slice) -> bool:
        return bool(np.all(np.multiply(scores[block], scale, dtype=np.float64) / scale == scores[block]))

    with np.errstate(under="ignore"):
        if scale == 1 or all(map_blocks(survives, scores.size)):
            return ScaledCode(scores.dtype, scale)
    return LevelCode(np.unique(scores))


def extent(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the least and the largest of some numbers, n > 0 of any shape; NaN twice if there is one.  O(n).

    >>> extent(np.array([0.5, 2.0]))
    (0.5, 2.0)
    """
    if values.ndim == 1 and values.size > blocks.BLOCK:
        return extent(np.array(map_blocks(lambda block: extent(values[block]), values.size)))
    return float(np.minimum.reduce(values, axis=None)), float(np.maximum.reduce(values, axis=None))


def knows_subnormals() -> bool:
    """Whether this thread takes the smallest floats for what they are; some programs tell it to take them for zero."""
    return _TINIEST * _ONE > 0


def _fits_float32(scores: ScoreArray) -> bool:
    """Whether float32 holds every score, if that is worth knowing."""
    if scores.dtype == np.float32 or scores.size < _WORTH_NARROWING:
        return scores.dtype == np.float32

    def fits(block: slice) -> bool:
        return bool(np.all(scores[block].astype(np.float32) == scores[block]))

    with np.errstate(over="ignore", under="ignore"):
        return fits(slice(_FEW)) and all(map_blocks(fits, scores.size))


def _scale(scores: ScoreArray, lowest: float, highest: float) -> float:
    """Power of two, at most 1, that brings every finite score below 1 in magnitude."""
    largest = max(abs(highest), abs(lowest))
    if largest == np.inf:
        finite = np.isfinite(scores)
        largest = float(max(scores.max(where=finite, initial=0), -scores.min(where=finite, initial=0)))
    return float(np.ldexp(1.0, min(-int(np.frexp(np.float64(largest))[1]), 0)))


_LOOKS = 1 << 4
"""Scores that are looked at first: random ones are sorted once in 10**13 times."""
_ORDERS = {np.less: (1, True), np.greater: (-1, True), np.less_equal: (1, False), np.greater_equal: (-1, False)}
_SAMPLE = 1 << 10
_SCATTERING = np.uint64(2654435761)


class Ordering(NamedTuple):
    """Cases in order: best score first; among equal scores the incorrect before the correct."""

    keys: KeyArray
    """Ascending keys, shape (n,); the lowest bit is set for correct cases."""
    code: KeyReader
    """What the keys are written in."""

    def scores(self, ranks: KeyArray | slice) -> ScoreArray:
        """Return the scores of the cases at these ranks (from 0), same shape.  O(size of ranks).

        >>> order(np.array([0.5, 0.9]), np.array([True, False])).scores(np.array([1]))
        array([0.5])
        """
        return self.code.unpack(self.keys[ranks])

    def marks(self, block: slice) -> npt.NDArray[np.uint8]:
        """As of `FoundOrder`."""
        return correct_bits(self.keys[block])

    def ends(self, block: slice) -> BoolArray:
        """As of `FoundOrder`."""
        changes = score_changes(self.keys[block.start : block.stop + 1])
        return np.append(changes, True)[: block.stop - block.start]


def order(scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None) -> Ordering:
    """Sort cases by descending score, exactly, whatever the scores.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; extent: numbers that no score is below or above, where
    they are known already.  O(n log n) time; n keys of memory.

    >>> ordering = order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]))
    >>> ordering.scores(np.arange(3)), ordering.keys & 1
    (array([0.9, 0.9, 0.5]), array([0, 1, 1], dtype=uint64))
    """
    found = found_order(scores, correct)
    if found:
        scores, correct, _ = found
    code = code_of(scores, extent)
    keys: KeyArray = np.empty(scores.size, code.key_dtype)
    map_blocks(lambda block: code.pack(scores[block], correct[block], keys[block]), scores.size)
    if not (found and found.distinct):
        sort(keys.view(code.sort_dtype))
    return Ordering(keys, code)


def found_order(scores: ScoreArray, correct: BoolArray) -> FoundOrder | None:
    """Return cases, (n,), best first, if their scores never fall or never rise; None for others and for few.

    O(n) for sorted scores; for others O(1), or up to where the order breaks.
    """
    if scores.size <= blocks.BLOCK or not knows_subnormals():
        return None  # a sort in cache takes hardly longer than the look, which may take subnormal scores for equal
    sample = scores[:: max(scores.size // _LOOKS, 1)]
    for in_order, (step, distinct) in _ORDERS.items():
        parts = chain([sample], (scores[block.start : block.stop + 1] for block in blocks.blocks(scores.size)))
        if all(in_order(part[1:], part[:-1]).all() for part in parts):
            return FoundOrder(scores[::step], correct[::step], distinct)
    return None


def map_ordered_columns(
    task: Callable[[KeyArray], T], scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> list[T]:
    """Sort each column of cases by itself, and call a task with the keys of one block of columns after the other.

    scores: (n, k) float32 or float64, no NaN; correct: (n, k) bool; extent: as for `order`.  The task takes keys
    (w, n), a row sorted as by `order` for each of w columns.  Returns what it returned.  O(k n log n) time; keys of
    one block of memory for each thread, or of one column where that is longer.

    >>> map_ordered_columns(lambda keys: keys & 1, np.array([[0.5], [0.9]]), np.array([[True], [False]]))
    [array([[0, 1]], dtype=uint64)]
    """
    cases, columns = scores.shape
    code = code_of(scores.ravel(order="K"), extent)

    def call(block: slice) -> T:
        columns_of_keys: KeyArray = np.empty((cases, block.stop - block.start), code.key_dtype)
        code.pack(scores[:, block], correct[:, block], columns_of_keys)
        keys = np.ascontiguousarray(columns_of_keys.T)  # packing before this moves fewer bytes
        keys.view(code.sort_dtype).sort(axis=1)
        return task(keys)

    return map_blocks(call, columns, cases)


def sort(values: npt.NDArray[Any]) -> None:
    """Sort an array in place, in parts at once where more than one thread is allowed.

    values: (n,), no NaN.  O(n log n).

    >>> values = np.array([3, 1, 2])
    >>> sort(values)
    >>> values
    array([1, 2, 3])
    """
    map_parts(lambda part: part.sort(), _parted(values, threads_for(values.size)), values.size)


def _parted(values: npt.NDArray[Any], count: int) -> list[npt.NDArray[Any]]:
    """Partition values into `count` parts, each with larger values than the one before; fewer if many are equal."""
    parts = [values]
    while len(parts) < count:
        halves = map_parts(_halved, parts, values.size)
        if len(parts) == sum(map(len, halves)):
            break
        parts = [half for pair in halves for half in pair]
    return parts


def _halved(part: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """Part values at their middle, unless more than about a hundredth are equal to it: then a sort is far faster."""
    if part.size < 2:
        return [part]
    # at indices without a period, for values may have one
    sample = np.sort(part[np.arange(_SAMPLE, dtype=np.uint64) * _SCATTERING % part.size])
    if np.count_nonzero(sample == sample[sample.size // 2]) > sample.size // 100:
        return [part]
    middle = part.size // 2
    part.partition(middle)
    return [part[:middle], part[middle:]]


_SHORT = 1 << 10
"""Below this the passes cost more than they save."""
WORD, _HALF_WORD = 62, 32
"""Bits of what is sorted: whole numbers of so few have the order of the floats of the same bits, below 2."""
INFINITE = 0x7FF << 52
"""Bits of infinity: whole numbers below have the order of the floats of the same bits."""


def descending(scores: ScoreArray, ends: BoolArray | None = None) -> IntArray:
    """Return the indices that sort (n,) scores without NaN, best first, equal ones in their order.  O(n log n).

    ends: (n,), all True, takes a mask of the ranks that another score follows, or nothing: which scores are equal is
    read off the sort, without fetching them.

    >>> ends = np.ones(3, np.bool_)
    >>> descending(np.array([0.5, 0.9, 0.5]), ends), ends
    (array([1, 0, 2]), array([ True, False,  True]))
    """
    if scores.size < _SHORT:
        order = np.argsort(-scores, kind="stable").astype(np.int64, copy=False)
        if ends is not None:
            ranked = scores[order]
            np.not_equal(ranked[:-1], ranked[1:], out=ends[:-1])
        return order
    bits = (scores.size - 1).bit_length()
    levels_of = upper_levels(scores, WORD - bits)
    words = sorted_words(lambda block: levels_of(scores[block]), scores.size, bits)

    def unpack(block: slice) -> None:
        words[block] &= (1 << bits) - 1

    if ends is not None:

        def mark_ends(block: slice) -> None:
            near = words[block.start : block.stop + 1]
            np.greater_equal(near[1:] ^ near[:-1], 1 << bits, out=ends[block])  # a word of another level follows

        map_blocks(mark_ends, scores.size - 1)
    rows = np.empty(0, np.int64) if levels_of is exact_levels else sort_mixed(words, bits, scores)
    map_blocks(unpack, scores.size)
    if ends is not None:
        upper = rows[rows < scores.size - 1]
        ends[upper] = scores[words[upper]] != scores[words[upper + 1]]
    return words


def sorted_words(
    levels_of: Callable[[slice], AnyArray], size: int, bits: int, level_bits: int = WORD, memory: Any = None
) -> AnyArray:
    """Return the levels of n = `size` values, each above the bits that hold its index, sorted.  O(n log n).

    levels_of: gives the levels of a block of values; level_bits: bits of the levels; memory: (n,) of 64 bits that the
    words may have, by default new.  Returns uint32, which sort in half the time, if these are enough, else int64.
    """
    dtype = np.uint32 if bits + level_bits <= _HALF_WORD else np.int64
    words: AnyArray = np.empty(size, dtype) if memory is None else memory.view(np.int64)

    def pack(block: slice) -> None:
        part = words[block]
        np.left_shift(levels_of(block), bits, out=part, dtype=words.dtype, casting="unsafe")
        np.bitwise_or(part, np.arange(block.start, block.stop, dtype=words.dtype), out=part)

    map_blocks(pack, size)
    sort(as_sorted(words))
    return words


def as_sorted(words: AnyArray) -> AnyArray:
    """Return words, of any shape, as numbers of the same order that sort faster: of at most 62 bits, as floats.  O(1).

    Without AVX-512 that takes an eighth less time.
    """
    return words.view(np.float64) if words.itemsize == 8 and knows_subnormals() else words


def exact_levels(scores: ScoreArray) -> IntArray:
    """Return levels of 32 bits that fall as float32 scores, (n,), rise: (n,) int64.  O(n)."""
    patterns = (scores + np.float32(0)).view(np.int32)  # -0.0 becomes 0.0
    rising = patterns ^ ((patterns >> 31) & np.int32(0x7FFFFFFF))
    return np.asarray(np.subtract(np.int64(0x7FFFFFFF), rising, dtype=np.int64))


def sort_mixed(words: IntArray, bits: int, scores: ScoreArray, flags: int = 0) -> IntArray:
    """Sort the words of the levels that hold different scores by score, and return their ranks, (m,) rising.

    words: (n,) sorted, a level above `flags` bits and, below these, `bits` bits that hold an index; scores: (n,).
    Equal scores stay in order.  O(n + m log m).

    >>> words = np.array([0b00, 0b01, 0b110])
    >>> sort_mixed(words, 2, np.array([0.8, 0.9, 0.5])), words
    (array([0, 1]), array([1, 0, 6]))
    """
    indices = (1 << bits) - 1

    def mixed(block: slice) -> IntArray:
        near = words[block.start : block.stop + 1]
        shared = np.append((near[1:] ^ near[:-1]) < 1 << bits + flags, False)  # with the next one
        touched = shared.copy()
        touched[1:] |= shared[:-1]
        ranks = np.flatnonzero(touched)
        part = near[ranks]
        own = scores.take(part & indices, mode="clip")  # each once, for they may lie far apart
        return np.asarray(part[:-1][(own[1:] != own[:-1]) & shared[ranks[:-1]]] >> bits + flags)

    found = np.concatenate([np.empty(0, np.int64), *map_blocks(mixed, words.size)])
    if not found.size:
        return found
    levels = np.unique(found)
    rows = ranges(*(words.searchsorted(border << bits + flags) for border in (levels, levels + 1)))
    part = words[rows]
    words[rows] = part[np.lexsort((-scores[part & indices], part >> bits + flags))]
    return rows


_EXACT = 32
"""Bits of the levels of float32 scores."""
_OCTAVES = 46
"""Below the largest score, in which levels are finer the smaller scores are, if these go on to 0 or below."""


class IndexedOrdering(NamedTuple):
    """Cases in order, best score first, and their indices."""

    keys: KeyArray
    """Ascending keys, shape (n,); the lowest bit is set for correct cases, the others are equal for equal scores."""
    cases: npt.NDArray[np.int32]
    """Index of the case of each key, shape (n,); among equal keys ascending."""
    values: ScoreArray
    """Scores of the cases in the order they came, shape (n,)."""
    correct: BoolArray
    """Which of these are correct, shape (n,)."""

    @property
    def ordering(self) -> Ordering:
        """The same as `evalcore.kernels.sorting.order` returns, but for the numbers of the keys.  O(1)."""
        return Ordering(self.keys, self)

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """Return the scores of some keys, (m,); -0.0 as 0.0.  O(m log n)."""
        return self.values[self.cases[self.keys.searchsorted(keys)]] + self.values.dtype.type(0)


def indexed_order(scores: ScoreArray, correct: BoolArray, memory: KeyArray | None = None) -> IndexedOrdering:
    """Sort cases by descending score, exactly, whatever the scores, and keep their indices.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool, n below 2**31; memory: (n,) that the keys may
    have, by default new.  O(n log n) time; 12 bytes of memory for each case.

    >>> found = indexed_order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]))
    >>> found.cases, found.keys & 1, found.ordering.scores(np.array([0, 2]))
    (array([2, 1, 0], dtype=int32), array([0, 1, 1]), array([0.9, 0.5]))
    """
    bits = max(scores.size - 1, 0).bit_length()
    levels_of = upper_levels(scores, WORD - 1 - bits)
    words = sorted_words(lambda block: levels_of(scores[block]) << 1 | correct[block], scores.size, bits, memory=memory)
    rows = np.empty(0, np.int64) if levels_of is exact_levels else sort_mixed(words, bits, scores, flags=1)
    cases, low = np.empty(scores.size, np.int32), (2 << bits) - 1

    def unpack(block: slice) -> None:
        part = words[block]
        np.copyto(cases[block], part & low >> 1, casting="unsafe")  # half the time of `out`
        labels = part >> bits
        labels &= 1
        part &= ~low
        part |= labels

    map_blocks(unpack, scores.size)
    if rows.size:  # the scores of a level are numbered, where the keys have zeros in place of the indices
        levels, rises = words[rows] >> 1, np.zeros(rows.size, np.int64)
        rises[run_starts(levels, scores[cases[rows]])] = 2
        numbers, first = np.cumsum(rises), run_starts(levels)
        words[rows] += numbers - numbers[first].repeat(np.diff(first, append=rows.size))
    return IndexedOrdering(words, cases, scores, correct)


def upper_levels(scores: ScoreArray, bits: int) -> Callable[[ScoreArray], IntArray]:
    """Return a map of scores to levels of `bits` bits, which fall, or stay equal, as scores rise.

    The bits of a float, read as an integer, rise with it, evenly on the scale of its logarithm: whatever the scores,
    few share the upper ones.  Where there may be a zero among finite scores, what is next to it becomes subnormal: then
    its bits rise with itself.
    """
    if scores.size == 0 or (scores.dtype == np.float32 and bits >= _EXACT):
        return exact_levels
    ends = extent(scores)
    largest, signed, scale = max(map(abs, ends)), ends[0] < 0, 1.0
    if ends[0] <= 0 <= ends[1] and largest < np.inf:
        scale = float(np.ldexp(1.0, max(_OCTAVES - 1022 - int(np.frexp(largest)[1]), -1022)))
    bottom, top = _rising(np.array(ends), scale, signed).tolist()
    shift = max((top - bottom).bit_length() + 1 - bits, 0)

    def levels_of(some: ScoreArray) -> IntArray:
        rising = _rising(some, scale, signed)
        rising >>= shift
        np.subtract(top >> shift, rising, out=rising)
        return rising

    return levels_of


def _rising(scores: ScoreArray, scale: float, signed: bool) -> IntArray:
    """Return whole numbers that rise, or stay equal, as scores do; scale: a power of two that multiplies these."""
    with np.errstate(under="ignore"):
        scaled = np.multiply(scores, scale, dtype=np.float64)
    scaled += 0.0  # -0.0 becomes 0.0
    rising: IntArray = scaled.view(np.int64)
    if signed:
        flipped = rising >> 63
        flipped &= 2**63 - 1
        rising ^= flipped
    return rising
