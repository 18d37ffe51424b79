"""What thresholds decide: those that readers choose among, and the grid that a slider moves on."""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.kernels.short_thresholds import plain_number, rounded_down, shortest_between
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.threshold_counts import cases_at_or_above, correct_among_first, nearest_between_ties
from evalcore.measures import curves
from evalcore.report.costs import Costs
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import FloatArray, IntArray, ScoreArray

FRACTIONS = 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5
"""Fractions of the cases, the most confident ones, whose thresholds are shown."""
BEST_F1, LOWEST_COST, GIVEN = "best F1", "lowest expected cost", "given threshold"
STATISTIC_OF = {
    GIVEN: "threshold",
    LOWEST_COST: "minimum_expected_cost_score",
    BEST_F1: "maximum_f1_score",
}
"""The statistics of thresholds, the preferred one first."""
_NONE = "none"
"""In place of a threshold, where no case is predicted positive: an infinite score reaches every number."""
_FINE, _MEDIUM, _COARSE = np.arange(1, 10) / 1000, np.arange(2, 20) / 200, np.arange(10, 101) / 100
_GRID_FRACTIONS = np.concatenate([_FINE, _MEDIUM, _COARSE])
"""Steps of a tenth of a percent, then half a percent, then one."""
_STEPS = 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002, 0.00001
"""Between probabilities, of which the first is taken that makes at least `_LEAST_STEPS`."""
_LEAST_STEPS = 60
_SAMPLED = 1 << 13
"""Scores of each model that say where most of them are."""
_MOST = 0.9
"""The fraction of the scores among which steps are fine."""


class Choice(NamedTuple):
    """A threshold, and what it decides."""

    names: tuple[str, ...]
    """Why it is of interest: fractions in percent, then `BEST_F1`, `LOWEST_COST`, targets, or `GIVEN`."""
    threshold: str
    """With few digits, and the same decisions as the exact one; "none" where no case is predicted positive."""
    exact: float
    """The lowest score at or above it, or the given threshold; infinite where no case is predicted positive."""
    counts: BinaryCounts

    @property
    def number(self) -> float:
        """The threshold as it is shown; infinite where no case is predicted positive.  O(1)."""
        return np.inf if self.threshold == _NONE else float(self.threshold)

    @property
    def predicted_positive(self) -> int:
        """Cases at or above it.  O(1)."""
        return self.counts.tp + self.counts.fp


class _Entry(NamedTuple):
    """A line among the thresholds."""

    size: int
    """Cases at or above it."""
    names: tuple[str, ...]
    given: float | None = None


def choices(
    cases: ScoredCases,
    given: Sequence[float] = (),
    costs: Costs | None = None,
    reaching: Mapping[str, float] | None = None,
) -> list[Choice]:
    """Return thresholds of checked cases of both classes, the highest first: each once, under all its names.

    given: each has a line of its own; costs: for the threshold of the lowest expected cost; reaching: some of the
    scores, or infinity, which reach targets, by their names.  A threshold cannot divide ties: that of a fraction is the
    one whose fraction is nearest.  O(n log n).
    """
    positives, negatives = cases.positives, cases.negatives
    entries = [_Entry(size, tuple(names)) for size, names in _names_by_size(cases, costs, reaching or {}).items()]
    entries += [_Entry(size, (GIVEN,), each) for size, each in zip(_sizes(cases, given), given, strict=True)]
    entries.sort(key=lambda entry: (entry.size, -np.inf if entry.given is None else -entry.given))
    tps = correct_among_first(cases.ordering.keys, np.array([entry.size for entry in entries])).tolist()
    found = []
    for (size, names, own), tp in zip(entries, tps, strict=True):
        counts = BinaryCounts(tp, positives - tp, size - tp, negatives - (size - tp))
        shown, exact = _threshold(cases, size) if own is None else (plain_number(own), own)
        found.append(Choice(names, shown, exact, counts))
    return found


def _sizes(cases: ScoredCases, thresholds: Sequence[float]) -> list[int]:
    """Return how many cases score at least each threshold."""
    sizes: list[int] = cases_at_or_above(cases.ordering, np.array(thresholds, np.float64)).tolist()
    return sizes


def _names_by_size(cases: ScoredCases, costs: Costs | None, reaching: Mapping[str, float]) -> dict[int, list[str]]:
    """Return the names of thresholds by how many cases they predict positive."""
    positives, named = cases.positives, defaultdict(list)
    wanted = np.maximum(np.rint(np.array(FRACTIONS) * cases.size), 1).astype(np.int64)
    for fraction, size in zip(FRACTIONS, nearest_between_ties(cases.ordering.keys, wanted).tolist(), strict=True):
        named[size].append(f"{100 * fraction:g}%")
    named[curves.maximum_f_measure(cases.points, positives).predicted_positive].append(BEST_F1)
    if costs is not None:
        lowest = curves.minimum_expected_cost(cases.points, positives, cases.negatives, costs.of_counts)
        named[lowest.predicted_positive].append(LOWEST_COST)
    for name, size in zip(reaching, _sizes(cases, [*reaching.values()]), strict=True):
        named[size].append(name)
    return named


def _threshold(cases: ScoredCases, size: int) -> tuple[str, float]:
    """Return the threshold that so many cases reach, with few digits and exactly."""
    if not size:
        return _NONE, np.inf
    (shown,) = short_thresholds(cases, np.array([size]))
    return shown, float(cases.ordering.scores(np.array([size - 1]))[0])


def short_thresholds(cases: ScoredCases, sizes: IntArray) -> list[str]:
    """Return thresholds that predict so many cases positive, each with few digits, three or more.  O(sizes).

    sizes: (s,) in 1 .. n, which divide no ties.

    >>> cases = ScoredCases.of(np.array([True, False]), np.array([0.123456, 0.123321]))
    >>> short_thresholds(cases, np.array([1, 2]))
    ['0.1234', '0.123']
    """
    scores = cases.ordering.scores(sizes - 1)
    below = np.full(sizes.size, -np.inf, scores.dtype)
    below[sizes < cases.size] = cases.ordering.scores(sizes[sizes < cases.size])
    return [plain_number(shortest_between(low, high)) for low, high in zip(below, scores, strict=True)]


def threshold_text(score: float, scores: ScoreArray | None) -> str:
    """Return one of the scores, (n,), as a threshold with few digits that decides the same; without them, rounded down.

    O(n).

    >>> threshold_text(0.123456, np.array([0.123321, 0.123456])), threshold_text(0.1234567, None)
    ('0.1234', '0.123456')
    """
    if scores is None or not np.isfinite(score):
        return plain_number(rounded_down(score))
    column = scores if scores.dtype == np.float32 else scores.astype(np.float64, copy=False)
    exact = column.dtype.type(score)
    below = column[column < exact].max(initial=-np.inf)
    return plain_number(shortest_between(below, exact))


def operating_point(statistics: Container[str]) -> str:
    """Return which threshold stands for a model that has these statistics: the first of `STATISTIC_OF`.  O(1).

    >>> operating_point(["maximum_f1_score", "minimum_expected_cost_score"])
    'lowest expected cost'
    """
    return next(name for name, statistic in STATISTIC_OF.items() if statistic in statistics)


class SliderGrid(NamedTuple):
    """The positions of a slider."""

    thresholds: FloatArray | None
    """The same for all models, rising, (t,); None where each model has its own at a fraction of its cases."""
    fractions: FloatArray
    """Rising fractions of the cases, (t,); none where there are thresholds."""


def slider_grid(scores: Mapping[str, ScoreArray], starts: Sequence[float]) -> SliderGrid:
    """Return thresholds between the lowest and the highest score, if all are probabilities, or fractions.  O(n).

    scores: (n,) of each model, n > 0; starts: thresholds that are positions too.

    >>> slider_grid({"a": np.array([0.0, 0.9])}, [0.125]).thresholds[:5]
    array([0.  , 0.01, 0.02, 0.03, 0.04])
    """
    low = min(float(column.min()) for column in scores.values())
    high = max(float(column.max()) for column in scores.values())
    if low < 0 or high > 1 or high - low < _LEAST_STEPS * _STEPS[-1]:
        return SliderGrid(None, _GRID_FRACTIONS)
    most = max(
        float(np.quantile(column[:: max(column.size // _SAMPLED, 1)], _MOST, method="lower"))
        for column in scores.values()
    )
    inside = [start for start in starts if low <= start <= high]
    return SliderGrid(np.unique(np.concatenate([_multiples(low, most), _multiples(low, high), inside])), np.empty(0))


def _multiples(low: float, high: float) -> FloatArray:
    """Return rising multiples of one of the steps from about `low` to about `high`; none if they are too close."""
    step = next((step for step in _STEPS if step * _LEAST_STEPS <= high - low), None)
    if step is None:
        return np.empty(0)
    # as people write them: 0.3 rather than 0.30000000000000004
    return np.round(np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step, 5)


class SliderCounts(NamedTuple):
    """What the positions of a slider decide of one model."""

    tp: list[int]
    """True positives at each position."""
    fp: list[int]
    """False positives at each position."""
    thresholds: list[str]
    """Its own thresholds; none where all models share them."""


def slider_counts(grid: SliderGrid, cases: ScoredCases) -> SliderCounts:
    """Count the decisions of checked cases, (n,) with n > 0, at every position of a grid.  O(n log n)."""
    if grid.thresholds is not None:
        sizes, own = cases_at_or_above(cases.ordering, grid.thresholds), []
        tp = correct_among_first(cases.ordering.keys, sizes[::-1])[::-1]
    else:
        wanted = np.maximum(np.rint(grid.fractions * cases.size), 1).astype(np.int64)
        sizes = nearest_between_ties(cases.ordering.keys, wanted)
        own = short_thresholds(cases, sizes)
        tp = correct_among_first(cases.ordering.keys, sizes)
    return SliderCounts(tp.tolist(), (sizes - tp).tolist(), own)
