"""Running measures over resamples: seeded, in several threads, in memory of a few columns."""

import itertools
import warnings
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.resamples import Draw
from evalcore.typing import FloatArray, IntArray

Progress: TypeAlias = Callable[[int, int], object]
"""Called with how many resamples are done, and how many there will be."""
Measured: TypeAlias = Callable[[IntArray], FloatArray]
"""Takes how often each case is drawn, (n,) int64, and returns the measures of that resample."""

_AT_ONCE = 16
"""Resamples that share a generator: what is drawn hangs on the seed and on this, not on the number of threads."""
_JACKKNIFE_BLOCKS = 200


def generator(seed: Any) -> np.random.Generator:
    """Return the generator of a seed, as `numpy.random.default_rng` does.

    Raises EvaluationError or EvaluationTypeError for what is no seed.  O(1).

    >>> int(generator(0).integers(10))
    8
    """
    try:
        return np.random.default_rng(seed)
    except TypeError as error:
        raise EvaluationTypeError(f"seed must be None, an integer or a numpy Generator, got {seed!r}") from error
    except ValueError as error:
        raise EvaluationError(f"seed must not be negative, got {seed!r}") from error


def generators(seed: Any, resamples: int) -> list[np.random.Generator]:
    """Return a generator for each few resamples, and one for the blocks of a jackknife.

    seed: as for `generator`.  O(resamples).

    >>> len(generators(0, 17))
    3
    """
    return generator(seed).spawn(-(-resamples // _AT_ONCE) + 1)


def measure_resamples(
    measured: Measured, draw: Draw, sources: list[np.random.Generator], resamples: int, progress: Progress | None = None
) -> FloatArray:
    """Measure resamples, several at once: the same values for any number of threads.

    sources: as `generators` returns them.  Returns (resamples, ...).  O(resamples) draws and measurements, in several
    threads from 2**15 cases on; progress is called in them, one at a time.

    >>> from evalcore.kernels.resamples import draw_cases
    >>> share = lambda counts: np.array([np.mean(counts > 0)])
    >>> measure_resamples(share, draw_cases(4), generators(0, 100), 100).shape
    (100, 1)
    """
    finished, lock = itertools.count(), Lock()

    def measure(generator: np.random.Generator, count: int) -> list[FloatArray]:
        values = []
        for _ in range(count):
            values.append(measured(draw(generator)))
            if progress is not None:
                with lock:
                    progress(next(finished) + 1, resamples)
        return values

    sizes = [min(_AT_ONCE, resamples - start) for start in range(0, resamples, _AT_ONCE)]
    cases = draw(np.random.default_rng(0)).size
    parts = map_parts(lambda part: measure(*part), list(zip(sources, sizes, strict=False)), cases * _AT_ONCE)
    return np.array(list(itertools.chain.from_iterable(parts)))


def measure_without_blocks(
    measured: Measured, units: IntArray, source: np.random.Generator, strata: IntArray | None = None
) -> FloatArray:
    """Measure what is left without each of 200 random blocks of units, or without each unit if there are fewer.

    units: (n,) of 0 .. u-1, not empty: what is drawn as a whole; strata: (n,), of units that are single cases: each
    block then has its share of every stratum, of which the smallest limits the blocks.  Returns (blocks, ...).
    O(200) measurements.

    >>> cases_left = lambda counts: counts.sum(keepdims=True)
    >>> measure_without_blocks(cases_left, np.arange(4), np.random.default_rng(0)).ravel()
    array([3, 3, 3, 3])
    """
    strata = np.zeros(int(units.max()) + 1, np.int64) if strata is None else strata
    sizes = np.bincount(strata)
    count = min(int(sizes[sizes > 0].min()), _JACKKNIFE_BLOCKS)
    blocks = np.empty(strata.size, np.int64)
    order = np.argsort(strata, kind="stable")
    for rows in np.split(order, np.cumsum(sizes)[:-1]):
        blocks[rows] = source.permutation(np.arange(rows.size) % count)
    blocks = blocks[units]
    left = map_parts(lambda block: measured((blocks != block).astype(np.int64)), list(range(count)), units.size * count)
    return np.array(left)


class without_warnings(warnings.catch_warnings):  # noqa: N801  used as a statement
    """Keep quiet about resamples that lack a class: they are counted instead.

    What is ignored is ignored in the whole process meanwhile, and two at once may leave it so: only for what warns.

    >>> with without_warnings():
    ...     warnings.warn("undefined", UndefinedMetricWarning)
    """

    def __enter__(self) -> None:
        super().__enter__()
        warnings.simplefilter("ignore", UndefinedMetricWarning)
