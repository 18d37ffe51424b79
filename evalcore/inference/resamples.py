"""Measures over resamples, seeded and in several threads, and the bounds that follow from them."""

import itertools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning, shown
from evalcore.inference.intervals import normal_probability, normal_quantile, reach_of
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.draws import Draw, draw_cases, draw_clusters, draw_repeated, draw_within
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.arrays import as_column, check_equal_lengths
from evalcore.validation.labels import as_group_names, encode_labels
from evalcore.validation.values import check_count

ProgressCallback: TypeAlias = Callable[[int, int], object]
"""Called with the number of resamples done and their total number."""
Measured: TypeAlias = Callable[[IntArray], FloatArray]
"""Takes the number of draws of each case, (n,) int64, and returns the measures of that resample."""

_PER_GENERATOR = 16
"""Resamples of one generator: draws depend on the seed and on this, not on the number of threads."""
_JACKKNIFE_BLOCKS = 200


def generator(seed: Any) -> np.random.Generator:
    """Return the generator of a seed, as `numpy.random.default_rng` does; raises errors that name `seed`.  O(1)."""
    try:
        made = np.random.default_rng(seed)
        made.spawn(0)  # which the generator of a RandomState cannot
        return made
    except TypeError as error:
        raise EvaluationTypeError(
            f"seed must be None, an integer, a SeedSequence or a Generator of NumPy, got {shown(seed)}; pass an "
            "integer or numpy.random.default_rng(0)"
        ) from error
    except ValueError as error:
        raise EvaluationError(f"seed must not be negative, got {seed!r}") from error


def checked_resamples(resamples: Any) -> int:
    """Return a number of resamples; raises EvaluationError unless it is at least 1.  O(1)."""
    count = check_count(resamples, "resamples")
    if count < 1:
        raise EvaluationError(f"resamples must be at least 1, got {resamples!r}")
    return count


def generators(seed: Any, resamples: int) -> list[np.random.Generator]:
    """Return a generator for each 16 resamples, and one for the blocks of a jackknife.  O(resamples)."""
    return generator(seed).spawn(-(-resamples // _PER_GENERATOR) + 1)


def plan_draws(
    y_true: Any, stratify: bool, cluster: Any, numbering: IntArray, frequencies: IntArray | None = None
) -> tuple[Draw, IntArray, IntArray | None]:
    """Return how cases are drawn, the units that are drawn as a whole, and any strata.  O(n).

    numbering: indices of the cases in the order of draws, (n,); frequencies: how many rows each stands for, in it.
    """
    if not isinstance(stratify, bool | np.bool_):
        raise EvaluationTypeError(f"stratify must be True, to keep the size of each class, or False, got {stratify!r}")
    if cluster is not None:
        if stratify:
            raise EvaluationError(
                "stratify and cluster cannot be combined, for a cluster may hold every class; pass one of them"
            )
        distinct, codes = encode_labels(clusters_of_rows(cluster, numbering, slice(None)))
        units = codes[numbering]
        return draw_clusters(units, distinct.size), units, None
    strata = encode_labels(as_column(y_true, "y_true"))[1][numbering] if stratify else None
    if strata is None and frequencies is not None:
        strata = np.zeros(numbering.size, np.int64)
    return draw_units(numbering.size, strata, frequencies), np.arange(numbering.size), strata


def draw_units(size: int, strata: IntArray | None = None, frequencies: IntArray | None = None) -> Draw:
    """Return how as many units are drawn as there are, of each stratum or of all; strata, frequencies: (size,).  O(n).

    frequencies: how many rows each stands for, which are drawn in its place.
    """
    if frequencies is not None:
        strata = np.zeros(size, np.int64) if strata is None else strata
        return draw_repeated(frequencies, strata, int(strata.max(initial=0)) + 1)
    return draw_cases(size) if strata is None else draw_within(strata, int(strata.max(initial=-1)) + 1)


def clusters_of_rows(cluster: Any, cases: AnyArray, rows: AnyArray | slice) -> Any:
    """Return the clusters of some rows, or None; raises EvaluationError unless there are as many as cases.  O(n)."""
    if cluster is None:
        return None
    column = as_group_names(cluster, "cluster")
    check_equal_lengths(column, cases, "cluster", "y_true")
    return column[rows]


def measure_resamples(
    measured: Measured,
    draw: Draw,
    sources: list[np.random.Generator],
    resamples: int,
    progress: ProgressCallback | None = None,
    *,
    together: Callable[[AnyArray], FloatArray] = np.asarray,
) -> FloatArray:
    """Measure resamples, (resamples, ...): the same values for any number of threads.

    sources: from `generators`.  O(resamples) draws and measurements, in several threads from 2**15 cases on; progress
    is called in them, one call at a time.  together: what takes the results of up to 16 resamples at once, (r, ...),
    and returns their measures, (r, ...).
    """
    finished, lock = itertools.count(), Lock()

    def measure(generator: np.random.Generator, count: int) -> FloatArray:
        values = []
        for _ in range(count):
            values.append(measured(draw(generator)))
            if progress is not None:
                with lock:
                    progress(next(finished) + 1, resamples)
        return together(np.array(values))

    sizes = [min(_PER_GENERATOR, resamples - start) for start in range(0, resamples, _PER_GENERATOR)]
    cases = draw(np.random.default_rng(0)).size
    parts = map_parts(lambda part: measure(*part), list(zip(sources, sizes, strict=False)), cases * _PER_GENERATOR)
    return np.concatenate(parts)


def measure_without_blocks(
    measured: Measured, units: IntArray, source: np.random.Generator, strata: IntArray | None = None
) -> FloatArray:
    """Measure the cases without each of 200 random blocks of units, or without each unit if there are fewer.

    units: (n,) of 0 .. u-1, not empty; strata: (n,), if units are single cases: every block then has its part of each
    stratum, and the smallest stratum limits the number of blocks.  Returns (blocks, ...).  O(200) measurements.

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


def measure_without_rows(
    measured: Measured, frequencies: IntArray, source: np.random.Generator, strata: IntArray
) -> FloatArray:
    """Measure cases without each of up to 200 random blocks of the rows that they stand for, (blocks, ...).

    frequencies: (n,), rows of each case, with a sum below 10**9; strata: (n,).  O(200) measurements.  As
    `measure_without_blocks` of the repeated rows, which are never built.
    """
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    sizes = [int(frequencies[rows].sum()) for rows in members]
    count = min(*sizes, _JACKKNIFE_BLOCKS, _JACKKNIFE_BLOCKS)
    left, values = frequencies.copy(), []
    for block in range(count):
        kept = frequencies.copy()
        for rows, size in zip(members, sizes, strict=True):
            drawn = size // count + (block < size % count)
            part = source.multivariate_hypergeometric(left[rows], drawn, method="marginals")
            left[rows] -= part
            kept[rows] -= part
        values.append(measured(kept))
    return np.array(values)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore UndefinedMetricWarning: undefined intervals get no bounds, and resamples that lack a class are counted.

    The whole process ignores it meanwhile, and two blocks at once may leave it so: only for functions that may warn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


class Resampled(NamedTuple):
    """Values of one measure, or of the difference of two models."""

    estimate: float
    """Of the cases."""
    values: FloatArray
    """Of each resample, shape (b,)."""
    without_blocks: FloatArray
    """Of the cases without each block of a jackknife, shape (j,); used by "bca" alone."""


class BootstrapBounds(NamedTuple):
    """The bounds of an interval, or NaN and why there are none."""

    low: float
    high: float
    why: str = ""


def bootstrap_bounds(sample: Resampled, method: str, level: float) -> BootstrapBounds:
    """Return the bounds by one of `METHODS`; resamples for which the measure is NaN are left out.  O(b log b)."""
    values = sample.values[~np.isnan(sample.values)]
    if np.isnan(sample.estimate) or not values.size:
        return BootstrapBounds(np.nan, np.nan, "the measure is not defined for these cases")
    if np.isinf(values).any():
        return BootstrapBounds(np.nan, np.nan, "the measure is infinite for some resamples")
    if values.min() == values.max():
        return BootstrapBounds(np.nan, np.nan, "all resamples have the same value")
    return METHODS[method](sample._replace(values=values), level)


def _percentile(sample: Resampled, level: float) -> BootstrapBounds:
    return _quantiles(sample.values, (1 - level) / 2, (1 + level) / 2)


def _basic(sample: Resampled, level: float) -> BootstrapBounds:
    low, high, _ = _percentile(sample, level)
    return BootstrapBounds(2 * sample.estimate - high, 2 * sample.estimate - low)


def _bca(sample: Resampled, level: float) -> BootstrapBounds:
    """Return corrected quantiles: Efron and Tibshirani (1993), 14.10, 14.14, 14.15; equal resamples are half below."""
    below = np.mean(sample.values < sample.estimate) + np.mean(sample.values == sample.estimate) / 2
    if below in (0, 1):
        return BootstrapBounds(np.nan, np.nan, "all resamples lie on one side of the estimate")
    if np.isnan(sample.without_blocks).any():
        return BootstrapBounds(np.nan, np.nan, "the measure is not defined without some block of cases")
    deviations = sample.without_blocks.mean() - sample.without_blocks
    spread = float(np.sum(deviations**2))
    # a sixth of the skewness of the jackknife, 0.0 for equal values
    acceleration = float(np.sum(deviations**3)) / (6 * spread**1.5) if spread else 0.0
    bias = normal_quantile(float(below))
    fractions = []
    for reach in (-reach_of(level), reach_of(level)):
        shift = bias + reach
        if acceleration * shift >= 1:
            return BootstrapBounds(np.nan, np.nan, "the resamples are too skewed for this level")
        fractions.append(normal_probability(bias + shift / (1 - acceleration * shift)))
    return _quantiles(sample.values, *fractions)


def _quantiles(values: FloatArray, low: float, high: float) -> BootstrapBounds:
    return BootstrapBounds(*np.quantile(values, [low, high]).tolist())


METHODS: dict[str, Callable[[Resampled, float], BootstrapBounds]] = {
    "percentile": _percentile,
    "basic": _basic,
    "bca": _bca,
}


def two_sided_p_value(differences: FloatArray, *, defined: bool = True) -> float:
    """Return twice the smaller fraction of resamples, (b,), on one side of no difference, NaN left out.  O(b).

    defined: whether the difference has bounds; without them it is NaN, or 1 if no resample differs.
    """
    found = differences[~np.isnan(differences)]
    if not defined:
        return 1.0 if found.size and not found.any() else np.nan
    sides = np.count_nonzero(found <= 0), np.count_nonzero(found >= 0)
    return float(min(2 * (min(sides) + 1) / (found.size + 1), 1.0))
