"""What thresholds decide: that of a model, and those of the grid that a slider moves on."""

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.cases import RankedCases
from evalcore.kernels import thresholds
from evalcore.kernels.tables import BinaryCounts
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray

BEST_F1, LOWEST_COST, GIVEN = "best F1", "lowest expected cost", "given threshold"
STATISTIC_OF = {GIVEN: "threshold", LOWEST_COST: "minimum_expected_cost_threshold", BEST_F1: "maximum_f1_threshold"}
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


class Positions:
    """Positions among cases of both classes; amounts are numbers of cases, or their weights.

    A position is how many cases, best first, are at or above a threshold; of cases with weights, how many distinct
    scores.
    """

    def __init__(self, cases: ScoredCases) -> None:
        self._ordering, self._runs, self.last = cases.ordering, cases.runs, cases.size
        self.positives, self.negatives = cases.positives, cases.negatives

    def reached(self, levels: FloatArray) -> IntArray:
        """Return the positions of thresholds.  O(t log n)."""
        return thresholds.cases_at_or_above(self._ordering, levels)

    def nearest(self, fractions: FloatArray) -> IntArray:
        """Return the positions nearest to fractions of the cases, or of the weight.  O(t log n), O(n) with weights."""
        wanted = np.maximum(np.rint(fractions * self.last), 1).astype(np.int64)
        return thresholds.nearest_between_ties(self._ordering.keys, wanted)

    def decided(self, positions: IntArray) -> tuple[AnyArray, AnyArray]:
        """Return the amounts of true and false positives: int64 if all weights came in as whole numbers.  O(n + t)."""
        tp = self._runs.positives_among(positions)
        return tp, positions - tp

    def scores(self, positions: IntArray) -> ScoreArray:
        """Return the lowest scores at or above; of a position and one more, the next lower score.  O(t)."""
        return self._ordering.scores(positions - 1)


class _OfWeights(Positions):
    """Positions among cases with weights."""

    def __init__(self, cases: WeightedRanking) -> None:
        self._points, self._whole, self._divisor = cases.points, cases.whole, cases.divisor
        self.last = self._points.scores.size
        # the last of the sums: no other total differs by rounding alone
        self.positives, self.negatives = (column.tolist()[0] for column in self.decided(np.array([self.last])))

    def reached(self, levels: FloatArray) -> IntArray:
        scores = self._points.scores
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            least = levels.astype(scores.dtype)
        return np.asarray(self.last - np.searchsorted(scores[::-1], least))

    def nearest(self, fractions: FloatArray) -> IntArray:
        above = np.concatenate([[0.0], self._points.tp + self._points.fp])
        wanted = fractions * float(above[-1])
        if self._whole:  # a whole number of cases
            wanted = np.maximum(np.rint(wanted), 1)
        ends = np.clip(np.searchsorted(above, wanted), 1, self.last)
        lower = (wanted - above[ends - 1] <= above[ends] - wanted) & (ends > 1)
        return np.where(lower, ends - 1, ends)

    def decided(self, positions: IntArray) -> tuple[AnyArray, AnyArray]:
        tp, fp = (np.where(positions > 0, sums[positions - 1], 0.0) for sums in self._points[:2])
        counts = self._whole and self._divisor == 1  # rather than multiples of 0.1
        return (tp.astype(np.int64), fp.astype(np.int64)) if counts else (tp * self._divisor, fp * self._divisor)

    def scores(self, positions: IntArray) -> ScoreArray:
        return np.asarray(self._points.scores[positions - 1])


def positions_of(cases: RankedCases) -> Positions:
    """Return the positions among cases.  O(n) if they are sorted, else O(n log n)."""
    return _OfWeights(cases) if isinstance(cases, WeightedRanking) else Positions(cases)


class Decided(NamedTuple):
    """A threshold, and what it decides."""

    threshold: str
    """With few digits, and the same decisions as the exact one; "none" where no case is predicted positive."""
    counts: BinaryCounts

    @property
    def number(self) -> float:
        """The threshold as it is shown; infinite where no case is predicted positive.  O(1)."""
        return np.inf if self.threshold == _NONE else float(self.threshold)


def decided(positions: Positions, threshold: float, *, given: bool) -> Decided:
    """Return what a threshold decides; given: whether it was given, and is shown as it was.  O(n).

    >>> cases = WeightedRanking(np.array([0.123456, 0.123321]), np.array([True, False]), np.ones(2, np.int64))
    >>> decided(positions_of(cases), 0.123456, given=False)
    Decided(threshold='0.1234', counts=BinaryCounts(tp=1, fn=0, fp=0, tn=1))
    """
    at = positions.reached(np.array([threshold], np.float64))
    tp, fp = (column.item() for column in positions.decided(at))
    shown = thresholds.plain_number(threshold) if given else short_thresholds(positions, at)[0] if at[0] else _NONE
    return Decided(shown, BinaryCounts(tp, positions.positives - tp, fp, positions.negatives - fp))


def short_thresholds(positions: Positions, chosen: IntArray) -> list[str]:
    """Return the thresholds at some positions, (t,), none 0, each with few digits, three or more.  O(t).

    >>> cases = WeightedRanking(np.array([0.123456, 0.123321]), np.array([True, False]), np.ones(2, np.int64))
    >>> short_thresholds(positions_of(cases), np.array([1, 2]))
    ['0.1234', '0.123']
    """
    scores = positions.scores(chosen)
    below = np.full(chosen.size, -np.inf, scores.dtype)
    inside = chosen < positions.last
    below[inside] = positions.scores(chosen[inside] + 1)  # the highest that are lower
    return [*map(thresholds.plain_number, map(thresholds.shortest_between, below, scores))]


def threshold_text(score: float, scores: ScoreArray | None) -> str:
    """Return one of the scores, (n,), as a threshold with few digits that decides the same; without them, rounded down.

    O(n).

    >>> threshold_text(0.123456, np.array([0.123321, 0.123456])), threshold_text(0.1234567, None)
    ('0.1234', '0.123456')
    """
    if scores is None or not np.isfinite(score):
        return thresholds.plain_number(thresholds.rounded_down(score))
    column = scores if scores.dtype == np.float32 else scores.astype(np.float64, copy=False)
    exact = column.dtype.type(score)
    below = column[column < exact].max(initial=-np.inf)
    return thresholds.plain_number(thresholds.shortest_between(below, exact))


def operating_point(statistics: Container[str]) -> str:
    """Return which threshold stands for a model that has these statistics: the first of `STATISTIC_OF`.  O(1).

    >>> operating_point(["maximum_f1_threshold", "minimum_expected_cost_threshold"])
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
    sampled = (column[:: max(column.size // _SAMPLED, 1)] for column in scores.values())
    most = max(float(np.quantile(column, _MOST, method="lower")) for column in sampled)
    inside = [start for start in starts if low <= start <= high]
    return SliderGrid(np.unique(np.concatenate([_multiples(low, most), _multiples(low, high), inside])), np.empty(0))


def _multiples(low: float, high: float) -> FloatArray:
    """Return rising multiples of one of the steps from about `low` to about `high`; none if they are too close."""
    step = next((step for step in _STEPS if step * _LEAST_STEPS <= high - low), None)
    if step is None:
        return np.empty(0)
    # as people write them: 0.3 rather than 0.30000000000000004
    return np.round(np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step, 5)


def slider_counts(grid: SliderGrid, positions: Positions) -> dict[str, list[Any]]:
    """Count the decisions of checked cases, n > 0, at every position of a grid: "tp" and "fp".  O(n).

    Beside them are the model's own "thresholds" as texts, none where all models share them.
    """
    if grid.thresholds is not None:
        chosen, shown = positions.reached(grid.thresholds), list[str]()
    else:
        chosen = positions.nearest(grid.fractions)
        shown = short_thresholds(positions, chosen)
    tp, fp = (column.tolist() for column in positions.decided(chosen))
    return {"tp": tp, "fp": fp, "thresholds": shown}
