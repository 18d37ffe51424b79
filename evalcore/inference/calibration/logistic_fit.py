"""Logistic regression of outcomes on the logit of a probability, by Newton's method."""

from functools import reduce
from typing import NamedTuple

import numpy as np

from evalcore.inference.calibration.probability_cases import ProbabilityCases
from evalcore.kernels.blocks import map_blocks
from evalcore.typing import FloatArray

_MANY = 1 << 16
"""Above so many cases, means of neighbours show first where the fit is about."""
_CELLS = 1 << 14
_NEAR = 1e-5
"""A step that changes no logit by more is the last one: the next would change them by its square."""
_STEPS = 1000
_LARGEST = 1e300
"""Odds that are not infinite."""


class LogisticFit(NamedTuple):
    """Intercept and slope, or the intercept alone, where the slope is 1."""

    estimates: FloatArray
    """Shape (k,)."""
    covariance: FloatArray
    """Shape (k, k)."""


def logits(cases: ProbabilityCases) -> FloatArray:
    """Return ln p - ln (1 - p), (n,); infinite for 0 and 1.  O(n)."""
    found = np.empty(cases.probabilities.size)

    def fill(block: slice) -> None:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        with np.errstate(divide="ignore"):
            np.log(own / (1 - own), out=found[block])  # 1 - p is exact where a logit could lose digits

    map_blocks(fill, found.size)
    return found


class LogitCases(NamedTuple):
    """Cases by the logits of their probabilities."""

    x: FloatArray
    """Shape (n,), finite."""
    cases: ProbabilityCases
    neighbours: "LogitCases | None" = None
    """Of many cases, means of neighbours."""

    @property
    def overlap(self) -> bool:
        """Whether some positive case has a larger logit than some negative one, and the other way round.  O(n)."""
        if self.neighbours is not None and self.neighbours.overlap:
            return True  # no mean is beyond the largest or the least of its cases
        above, below = self.x[self.cases.positive], self.x[~self.cases.positive]
        return bool(above.size and below.size and above.min() < below.max() and below.min() < above.max())


def with_neighbours(x: FloatArray, cases: ProbabilityCases) -> LogitCases:
    """Return the cases and, of many, the means of each class in cells of equal width, as cases with weights.  O(n)."""
    low, high = float(x.min()), float(x.max())
    if x.size <= _MANY or low == high:
        return LogitCases(x, cases)
    scale = _CELLS / (high - low)

    def of_block(block: slice) -> FloatArray:
        own = x[block]
        codes = ((own - low) * scale).astype(np.int64).clip(max=_CELLS - 1)
        codes += _CELLS * cases.positive[block]
        weights = None if cases.weights is None else cases.weights[block]
        sums = np.bincount(codes, own if weights is None else own * weights, 2 * _CELLS)
        return np.stack([np.bincount(codes, weights, 2 * _CELLS), sums])

    weights, sums = reduce(np.add, map_blocks(of_block, x.size))
    held = np.flatnonzero(weights)
    means = sums[held] / weights[held]
    return LogitCases(x, cases, LogitCases(means, ProbabilityCases(means, held >= _CELLS, weights[held], True)))


def logistic_fit(given: LogitCases, terms: int) -> LogisticFit:
    """Fit the logit of being positive as intercept + slope · x; terms: 1 fixes the slope at 1, 2 fits it.

    For two terms the cases must overlap; for one term both classes must be there.  O(n) for each of a few steps, of
    many cases one or two.  With sampling weights the covariance is the robust one: of the sums of weighted scores, with
    the factor n / (n - 1).

    Damped steps always converge, also where probabilities are near 0 and 1: T. Sun and Q. Tran-Dinh, Generalized
    self-concordant functions, Mathematical Programming 178 (2019) 145-213.
    """
    x, cases, neighbours = given
    ends = float(x.min()), float(x.max())
    line = np.array([0.0, 1.0])
    if neighbours is not None and (terms == 1 or neighbours.overlap):
        line = _maximised(neighbours, terms, line, ends)
    line = _maximised(given, terms, line, ends)
    _, information = _derivatives(x, cases, line, terms)  # at the estimates, not one step before them
    inverse: FloatArray = np.asarray(np.linalg.inv(information), np.float64)
    if cases.weights is None or cases.frequencies:
        return LogisticFit(line[:terms], inverse)
    spread = _spread_of_scores(x, cases, line, terms) * x.size / (x.size - 1)
    return LogisticFit(line[:terms], inverse @ spread @ inverse)


def _maximised(given: LogitCases, terms: int, line: FloatArray, ends: tuple[float, float]) -> FloatArray:
    """Return intercept and slope, (2,), of the largest likelihood."""
    for _ in range(_STEPS):
        gradient, information = _derivatives(given.x, given.cases, line, terms)
        step = np.zeros(2)
        step[:terms] = np.linalg.solve(information, gradient)
        change = max(abs(step[0] + step[1] * end) for end in ends)
        line = line + step * (np.log1p(change) / change if change else 1.0)
        if change < _NEAR:
            break
    return line


def _derivatives(x: FloatArray, cases: ProbabilityCases, line: FloatArray, terms: int) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, (terms,), and negative second derivatives, (terms, terms), of the log likelihood.  O(n)."""

    def of_block(block: slice) -> list[float]:
        fitted, rest, weights, own = _fitted(x, cases, line, block)
        missed, spread = np.where(cases.positive[block], rest, -fitted), fitted * rest
        if cases.weights is not None:
            missed *= weights
            spread *= weights
        if terms == 1:
            return [float(np.add.reduce(missed)), float(np.add.reduce(spread))]
        return _sums(missed, own)[:2] + _sums(spread, own)

    sums = np.sum(map_blocks(of_block, x.size), axis=0)
    return sums[:terms], _symmetric(sums[terms:])[:terms, :terms] if terms == 2 else sums[1:].reshape(1, 1)


def _spread_of_scores(x: FloatArray, cases: ProbabilityCases, line: FloatArray, terms: int) -> FloatArray:
    """Return the sum of the squares, (terms, terms), of what each case adds to the gradient.  O(n)."""

    def of_block(block: slice) -> list[float]:
        fitted, rest, weights, own = _fitted(x, cases, line, block)
        missed = np.where(cases.positive[block], rest, -fitted)
        return _sums(np.square(missed * weights), own)

    return _symmetric(np.sum(map_blocks(of_block, x.size), axis=0))[:terms, :terms]


def _fitted(
    x: FloatArray, cases: ProbabilityCases, line: FloatArray, block: slice
) -> tuple[FloatArray, FloatArray, FloatArray | float, FloatArray]:
    """Return fitted probabilities, 1 less these with all digits, weights, and x of a block.  O(m)."""
    own = x[block]
    with np.errstate(over="ignore"):
        odds = np.exp(-line[0] - line[1] * own)
    np.minimum(odds, _LARGEST, out=odds)
    fitted = 1 / (1 + odds)
    return fitted, odds * fitted, cases.weights_of(block), own


def _sums(values: FloatArray, x: FloatArray) -> list[float]:
    """Return Σ v, Σ v x and Σ v x².  O(m)."""
    moved = values * x
    # no dot product: its threads cost more than they save here
    return [float(np.add.reduce(values)), float(np.add.reduce(moved)), float(np.add.reduce(moved * x))]


def _symmetric(sums: list[float] | FloatArray) -> FloatArray:
    return np.array([[sums[0], sums[1]], [sums[1], sums[2]]])
