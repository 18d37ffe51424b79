"""Differences between tables of predicted classes in resamples: cases drawn again, or their models swapped."""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.comparison.differences.class_cells import JointCells
from evalcore.comparison.differences.resampled_comparison import compare_resampled, error_factor
from evalcore.comparison.question import CompareQuestion
from evalcore.inference.intervals import Comparison
from evalcore.inference.resampling.resampled_measures import generators, measure_resamples
from evalcore.kernels.draws import Draw, draw_cases, draw_repeated
from evalcore.kernels.sums import ratio
from evalcore.typing import AnyArray, FloatArray, IntArray

ValuesOfTables: TypeAlias = Callable[[AnyArray], FloatArray]
"""Takes tables, (t, k, k), and returns their measures, (t, q)."""
_ROUNDING = 1e-12
"""Differences that are equal but for rounding are equally large."""


class _Units(NamedTuple):
    """What is drawn or swapped as a whole: clusters, or the cases of a cell, all of one weight."""

    of_cells: IntArray
    """The unit of each cell, shape (m,)."""
    number: IntArray
    """How many units like each there are, shape (u,)."""
    amounts: AnyArray
    """What one unit adds to each cell, shape (m,)."""


def bootstrap_comparisons(
    cells: JointCells,
    values: ValuesOfTables,
    question: CompareQuestion,
    estimates: tuple[FloatArray, FloatArray],
    largest: FloatArray,
) -> list[tuple[Comparison, float]]:
    """Compare measures by resamples of cases, or of clusters, with the standard errors of their differences.

    cells: whose cases have the same weight each, unless there are clusters; estimates: of the new model and of the old
    one, (q,) each; largest: the largest difference that each may have, (q,).  O(m + k²) a resample.
    """
    units = _units(cells)
    if cells.clusters is not None:
        draw = draw_cases(units.number.size)
    else:
        strata = cells.labels if question.stratify else np.zeros_like(units.number)
        draw = draw_repeated(units.number, strata, int(strata.max(initial=0)) + 1)
    found = _differences(lambda drawn: cells.tables(drawn[units.of_cells] * units.amounts), values, draw, question)
    number = math.inf if cells.clusters is None else units.number.size
    pairs = zip(*(each.tolist() for each in estimates), strict=True)
    return [
        (compare_resampled(pair, column, question.level, most, units=number), _spread(column) * error_factor(number))
        for pair, column, most in zip(pairs, found.T, largest.tolist(), strict=True)
    ]


def _spread(drawn: FloatArray) -> float:
    """Return the standard deviation of resamples that are not NaN, NaN for fewer than two.  O(b)."""
    defined = drawn[~np.isnan(drawn)]
    return float(np.std(defined, ddof=1)) if defined.size > 1 else np.nan


def permutation_p_values(
    cells: JointCells, values: ValuesOfTables, question: CompareQuestion, differences: FloatArray
) -> FloatArray:
    """Return how often models that are swapped case by case, or in whole clusters, differ as much, (q,).

    differences: those that were found, (q,).  They count as one more, so that no p-value is 0; that of NaN is NaN.
    cells: as for `bootstrap_differences`.  O(m + k²) a resample.  Source: B. Phipson and G. K. Smyth, Permutation
    p-values should never be zero, Statistical Applications in Genetics and Molecular Biology 9 (2010) 39.
    """
    units = _units(cells)

    def draw(generator: np.random.Generator) -> IntArray:
        return generator.binomial(units.number, 0.5)

    def tables(swapped: IntArray) -> AnyArray:
        kept, other = (each[units.of_cells] * units.amounts for each in (units.number - swapped, swapped))
        return cells.tables(kept, other)

    found = _differences(tables, values, draw, question)
    as_large = np.count_nonzero(np.abs(found) >= np.abs(differences) - _ROUNDING, axis=0)
    defined = np.count_nonzero(~np.isnan(found), axis=0)
    return np.where(np.isnan(differences), np.nan, (as_large + 1) / (defined + 1))


def _differences(
    tables: Callable[[IntArray], AnyArray], values: ValuesOfTables, draw: Draw, question: CompareQuestion
) -> FloatArray:
    def differ(drawn: AnyArray) -> FloatArray:
        found = values(drawn.reshape(-1, *drawn.shape[2:])).reshape(*drawn.shape[:2], -1)
        return found[:, 0] - found[:, 1]

    sources = generators(question.seed, question.resamples)
    return measure_resamples(tables, draw, sources, question.resamples, together=differ)


def _units(cells: JointCells) -> _Units:
    amounts, cases = cells.tally.counts, cells.tally.cases
    if cells.clusters is not None:
        distinct, of_cells = np.unique(cells.clusters, return_inverse=True)
        return _Units(of_cells, np.ones(distinct.size, np.int64), amounts)
    each = np.ones(cases.size, np.int64) if cells.tally.weights is None else np.asarray(ratio(amounts, cases))
    return _Units(np.arange(cases.size), cases, each)
