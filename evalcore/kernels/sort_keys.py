"""Codes: scores and labels as integers whose ascending order is best score first.

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

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.kernels.blocks import map_blocks
from evalcore.typing import BoolArray, FloatArray, KeyArray, ScoreArray

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


class Code(Protocol):
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

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """Return the scores of the keys, shape (n,), in the width they came in; -0.0 as 0.0.  O(n)."""


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

    levels: FloatArray
    """Distinct scores, ascending, shape (d,)."""

    def write_levels(self, scores: ScoreArray, out: KeyArray) -> None:
        """See `Code`."""
        order = scores.argsort(axis=None)  # needles in order find neighbouring levels, which are in cache
        out.put(order, self.levels.size - 1 - self.levels.searchsorted(scores.take(order)))

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """See `Code`."""
        scores: FloatArray = self.levels[self.levels.size - 1 - (keys >> 1)]
        return scores + 0.0  # -0.0 becomes 0.0


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
        narrow = np.dtype(np.float32) if _fits_float32(scores) else scores.dtype
        return BitCode(scores.dtype, narrow, highest)
    scale = _scale(scores, lowest, highest)
    if scale == 1 or _survives(scores, scale):
        return ScaledCode(scores.dtype, scale)
    return LevelCode(np.unique(scores))


def extent(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Return the least and the largest of some numbers, (n,) with n > 0; NaN twice if there is one.  O(n).

    >>> extent(np.array([0.5, 2.0]))
    (0.5, 2.0)
    """
    if values.size <= blocks.BLOCK:
        return float(values.min()), float(values.max())
    ends = np.array(map_blocks(lambda block: (values[block].min(), values[block].max()), values.size))
    return float(ends.min()), float(ends.max())


def knows_subnormals() -> bool:
    """Whether this thread takes the smallest floats for what they are; some programs tell it to take them for zero."""
    return _TINIEST * _ONE > 0


def _fits_float32(scores: ScoreArray) -> bool:
    """Whether float32 holds every score, if that is worth knowing."""
    if scores.dtype == np.float32 or scores.size < _WORTH_NARROWING:
        return scores.dtype == np.float32
    with np.errstate(over="ignore", under="ignore"):
        if np.any(scores[:_FEW].astype(np.float32) != scores[:_FEW]):
            return False
        return all(
            map_blocks(lambda block: bool(np.all(scores[block].astype(np.float32) == scores[block])), scores.size)
        )


def _scale(scores: ScoreArray, lowest: float, highest: float) -> float:
    """Power of two, at most 1, that brings every finite score below 1 in magnitude."""
    largest = max(abs(highest), abs(lowest))
    if largest == np.inf:
        finite = np.isfinite(scores)
        largest = max(scores.max(where=finite, initial=0), -scores.min(where=finite, initial=0))
    exponent = int(np.frexp(np.float64(largest))[1])
    return float(np.ldexp(1.0, min(-exponent, 0)))


def _survives(scores: ScoreArray, scale: float) -> bool:
    """Whether multiplying and dividing by `scale` gives the same float64 scores again."""

    def survives(block: slice) -> bool:
        return bool(np.all(np.multiply(scores[block], scale, dtype=np.float64) / scale == scores[block]))

    with np.errstate(under="ignore"):
        return all(map_blocks(survives, scores.size))
