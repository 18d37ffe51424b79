"""Logistic regression of outcomes on the logit of a probability, by Newton's method."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.inference.calibration.probability_cases import ProbabilityCases
from evalcore.kernels.blocks import map_blocks
from evalcore.typing import BoolArray, FloatArray

_MANY = 1 << 20
"""Above so many cases some of them show first where the fit is about."""
_SOME = 1 << 17
_NEAR = 1e-6
"""A step that changes no logit by more is the last one: the next would change them by its square."""
_STEPS = 1000


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
            np.subtract(np.log(own), np.log1p(-own), out=found[block])

    map_blocks(fill, found.size)
    return found


def logistic_fit(x: FloatArray, cases: ProbabilityCases, terms: int) -> LogisticFit:
    """Fit the logit of being positive as intercept + slope · x; terms: 1 fixes the slope at 1, 2 fits it.

    x: (n,) finite; some positive case must have a larger x than some negative one, and the other way round; for one
    term both classes must be there.  O(n) for each of a few steps.  With sampling weights the covariance is the robust
    one: of the sums of weighted scores, with the factor n / (n - 1).

    Damped steps always converge, also where probabilities are near 0 and 1: T. Sun and Q. Tran-Dinh, Generalized
    self-concordant functions, Mathematical Programming 178 (2019) 145-213.
    """
    ends = float(x.min()), float(x.max())
    line = np.array([0.0, 1.0])
    for every in _strides(x, cases):
        line, information = _maximised(x[every], cases.at(every), terms, line, ends)
    inverse: FloatArray = np.asarray(np.linalg.inv(information), np.float64)
    if cases.weights is None or cases.frequencies:
        return LogisticFit(line[:terms], inverse)
    spread = _spread_of_scores(x, cases, line, terms) * x.size / (x.size - 1)
    return LogisticFit(line[:terms], inverse @ spread @ inverse)


def _strides(x: FloatArray, cases: ProbabilityCases) -> Iterator[slice]:
    """Yield which cases to fit: of many some that have a fit of their own, then all."""
    some = slice(None, None, max(x.size // _SOME, 1))
    if x.size > _MANY and overlap(x[some], cases.positive[some]):
        yield some
    yield slice(None)


def overlap(x: FloatArray, positive: BoolArray) -> bool:
    """Whether some positive case has a larger x than some negative one, and the other way round.  O(n)."""
    above, below = x[positive], x[~positive]
    return bool(above.size and below.size and above.min() < below.max() and below.min() < above.max())


def _maximised(
    x: FloatArray, cases: ProbabilityCases, terms: int, line: FloatArray, ends: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return intercept and slope, (2,), of the largest likelihood, and its information, (terms, terms)."""
    for _ in range(_STEPS):
        gradient, information = _derivatives(x, cases, line)
        information = information[:terms, :terms]
        step = np.zeros(2)
        step[:terms] = np.linalg.solve(information, gradient[:terms])
        change = max(abs(step[0] + step[1] * end) for end in ends)
        line = line + step * (np.log1p(change) / change if change else 1.0)
        if change < _NEAR:
            break
    return line, information


def _derivatives(x: FloatArray, cases: ProbabilityCases, line: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, (2,), and the negative second derivatives, (2, 2), of the log likelihood.  O(n)."""

    def of_block(block: slice) -> list[float]:
        fitted, missed, weights, own = _fitted(x, cases, line, block)
        spread = fitted * (1 - fitted) * weights
        missed *= weights
        return _sums(missed, own)[:2] + _sums(spread, own)

    first, second, *sums = np.sum(map_blocks(of_block, x.size), axis=0)
    return np.array([first, second]), _symmetric(sums)


def _spread_of_scores(x: FloatArray, cases: ProbabilityCases, line: FloatArray, terms: int) -> FloatArray:
    """Return the sum of the squares, (terms, terms), of what each case adds to the gradient.  O(n)."""

    def of_block(block: slice) -> list[float]:
        _, missed, weights, own = _fitted(x, cases, line, block)
        return _sums(np.square(missed * weights), own)

    return _symmetric(np.sum(map_blocks(of_block, x.size), axis=0))[:terms, :terms]


def _fitted(
    x: FloatArray, cases: ProbabilityCases, line: FloatArray, block: slice
) -> tuple[FloatArray, FloatArray, FloatArray | float, FloatArray]:
    """Return fitted probabilities, outcomes less these, weights, and x of a block.  O(m)."""
    own = x[block]
    with np.errstate(over="ignore"):
        fitted = 1 / (1 + np.exp(-line[0] - line[1] * own))
    return fitted, cases.positive[block] - fitted, cases.weights_of(block), own


def _sums(values: FloatArray, x: FloatArray) -> list[float]:
    """Return Σ v, Σ v x and Σ v x².  O(m)."""
    moved = values * x
    # no dot product: its threads cost more than they save here
    return [float(np.add.reduce(values)), float(np.add.reduce(moved)), float(np.add.reduce(moved * x))]


def _symmetric(sums: list[float] | FloatArray) -> FloatArray:
    return np.array([[sums[0], sums[1]], [sums[1], sums[2]]])
