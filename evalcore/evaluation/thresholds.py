"""Thresholds: those that a question asks for, those that readers choose among, and the grid that a slider moves on.

What wrong decisions cost is asked for beside them.
"""

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean, shortened
from evalcore.evaluation.model import AT_THRESHOLD, FOR_TARGET
from evalcore.evaluation.options import option
from evalcore.evaluation.ranked_columns import Positions, positions_of
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import plain_number, rounded_down, shortest_between
from evalcore.measures.curves import maximum_f_measures, minimum_expected_costs
from evalcore.measures.thresholds import TARGETS, expected_costs
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import Amount, FloatArray, IntArray, ScoreArray
from evalcore.validation.values import check_number, is_number

_NAMES_AT_MOST = {"fpr": "false positive rate", "flagged": "flagged fraction"}
"""In words, the measures that a target bounds from above."""


class Target(NamedTuple):
    """What a threshold has to reach."""

    measure: str
    """One of `TARGETS`."""
    value: float

    def __str__(self) -> str:
        return f"{self.measure}={plain_number(self.value)}"

    @property
    def goal(self) -> str:
        """What it asks for, in words.

        >>> Target("fpr", 0.05).goal
        'false positive rate of at most 0.05'
        """
        least = "most" if self.measure in _NAMES_AT_MOST else "least"
        return f"{self._name} of at {least} {plain_number(self.value)}"

    @property
    def bound(self) -> str:
        """What it asks for, in a table.

        >>> Target("fpr", 0.05).bound.split()
        ['false', 'positive', 'rate', '≤', '0.05']
        """
        sign = "\N{LESS-THAN OR EQUAL TO}" if self.measure in _NAMES_AT_MOST else "\N{GREATER-THAN OR EQUAL TO}"
        return f"{self._name} {sign}\N{NO-BREAK SPACE}{plain_number(self.value)}"

    @property
    def _name(self) -> str:
        return _NAMES_AT_MOST.get(self.measure, self.measure)


AskedThreshold: TypeAlias = float | Target


def section_name(threshold: AskedThreshold) -> str:
    """Return the name of the section of decisions at a threshold.  O(1).

    >>> section_name(0.25), section_name(Target("precision", 0.9))
    ('threshold 0.25', 'threshold for precision=0.9')
    """
    return f"{FOR_TARGET}{threshold}" if isinstance(threshold, Target) else f"{AT_THRESHOLD}{plain_number(threshold)}"


def asked_thresholds(given: Any) -> tuple[float, ...]:
    """Return thresholds from one number, several or none; their values are checked with the question.  O(t).

    >>> asked_thresholds(0.5), asked_thresholds([0.3, 0.5]), asked_thresholds(None)
    ((0.5,), (0.3, 0.5), ())
    """
    if given is None:
        return ()
    several = not (is_number(given) or isinstance(given, str | Mapping)) and isinstance(given, Iterable)
    each = given if several else (given,)
    return tuple(one.item() if isinstance(one, np.generic) else one for one in each)  # JSON takes Python's numbers


def asked_targets(given: Any) -> tuple[Target, ...]:
    """Return targets from a mapping of measures to values, one or several of each.  O(t).

    >>> asked_targets({"precision": [0.8, 0.9], "recall": 0.5})[1:]
    (Target(measure='precision', value=0.9), Target(measure='recall', value=0.5))
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise EvaluationTypeError(
            f"threshold_for must be a mapping of measures to values, such as {{'precision': 0.9}}, got {given!r}"
        )
    return tuple(Target(measure, value) for measure, values in given.items() for value in asked_thresholds(values))


def target_of_text(text: str) -> Target:
    """Return a target as the command's users write it; raise EvaluationError for anything else.  O(1).

    >>> target_of_text("precision=0.9")
    Target(measure='precision', value=0.9)
    """
    measure, _, value = text.partition("=")
    try:
        return Target(measure.strip(), float(value))
    except ValueError:
        raise EvaluationError(
            f"{option('threshold_for')} must be a measure and a value, such as precision=0.9, got {shortened(text)!r}"
        ) from None


def check_thresholds(thresholds: Sequence[Any], targets: Sequence[Target]) -> None:
    """Raise EvaluationError or EvaluationTypeError for thresholds and targets that cannot be asked for.  O(t)."""
    for threshold in thresholds:
        if math.isnan(check_number(threshold, option("threshold"))):
            raise EvaluationError(f"{option('threshold')} must be a number, got nan")
    for target in targets:
        _check_target(target, option("threshold_for"))
    names = list(map(section_name, (*thresholds, *targets)))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise EvaluationError(f"thresholds must be distinct, got {twice} twice")


def _check_target(target: Target, name: str) -> None:
    measure, value = target
    if measure not in TARGETS:
        near = did_you_mean(measure, TARGETS)
        raise EvaluationError(f"{name} must name one of {', '.join(TARGETS)}, got {shortened(repr(measure))}{near}")
    if not (is_number(value) and 0 <= value <= 1):
        percent = f"; write {value / 100:g} for {value:g}%" if is_number(value) and 1 < value <= 100 else ""
        raise EvaluationError(f"{name} {measure} must be a number between 0 and 1, got {value!r}{percent}")


class Costs(NamedTuple):
    """What a wrong decision costs; a right one costs nothing."""

    false_positive: float
    false_negative: float

    @property
    def of_counts(self) -> FloatArray:
        """The costs of tp, fn, fp and tn, (4,).  O(1)."""
        return np.array([0.0, self.false_negative, self.false_positive, 0.0])


def checked_costs(costs: Any) -> Costs:
    """Return a pair of costs; raise EvaluationError for anything but two finite numbers of at least 0.  O(1).

    >>> checked_costs((1, 5))
    Costs(false_positive=1.0, false_negative=5.0)
    """
    pair = tuple(costs) if isinstance(costs, Sequence) and not isinstance(costs, str) else ()
    if len(pair) != 2 or not all(is_number(cost) and 0 <= cost < math.inf for cost in pair):
        raise EvaluationError(
            f"{option('costs')} must be two numbers of at least 0, the costs of a false positive and of a false "
            f"negative, got {shortened(repr(costs))}"
        )
    return Costs(*map(float, pair))


def expected_cost(counts: Sequence[float], costs: Costs) -> float:
    """Return the mean cost of a case; counts: tp, fn, fp and tn, or their weights.  O(1).

    >>> expected_cost((1, 1, 2, 4), Costs(1.0, 5.0))
    0.875
    """
    return float(expected_costs([np.array([float(count)]) for count in counts], costs.of_counts)[0])


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


class _Entry(NamedTuple):
    """A line among the thresholds."""

    position: int
    names: tuple[str, ...]
    given: float | None = None


def choices(
    cases: ScoredCases | WeightedRanking,
    given: Sequence[float] = (),
    costs: Costs | None = None,
    reaching: Mapping[str, float] | None = None,
) -> list[Choice]:
    """Return thresholds of checked cases of both classes, the highest first: each once, under all its names.

    given: each has a line of its own; costs: for the threshold of the lowest expected cost; reaching: some of the
    scores, or infinity, which reach targets, by their names.  A threshold cannot divide ties: that of a fraction is the
    one whose fraction is nearest.  O(n log n).
    """
    positions = positions_of(cases)
    own = positions.reached(np.array(given, np.float64)).tolist()
    entries = [_Entry(at, tuple(names)) for at, names in _names_by_position(positions, costs, reaching or {}).items()]
    entries += [_Entry(at, (GIVEN,), each) for at, each in zip(own, given, strict=True)]
    entries.sort(key=lambda entry: (entry.position, -np.inf if entry.given is None else -entry.given))
    decided = positions.decided(np.array([entry.position for entry in entries]))
    found = []
    for entry, tp, fp in zip(entries, *(column.tolist() for column in decided), strict=True):
        counts = BinaryCounts(tp, positions.positives - tp, fp, positions.negatives - fp)
        exact = entry.given
        shown, exact = _threshold(positions, entry.position) if exact is None else (plain_number(exact), exact)
        found.append(Choice(entry.names, shown, exact, counts))
    return found


def _names_by_position(
    positions: Positions, costs: Costs | None, reaching: Mapping[str, float]
) -> dict[int, list[str]]:
    """Return the names of thresholds by their positions."""
    named = defaultdict(list)
    for fraction, position in zip(FRACTIONS, positions.nearest(np.array(FRACTIONS)).tolist(), strict=True):
        named[position].append(f"{100 * fraction:g}%")
    runs = positions.cases.runs
    named[positions.of_best(maximum_f_measures(runs))].append(BEST_F1)
    if costs is not None:
        named[positions.of_best(minimum_expected_costs(runs, costs.of_counts))].append(LOWEST_COST)
    reached = positions.reached(np.array([*reaching.values()], np.float64)).tolist()
    for name, position in zip(reaching, reached, strict=True):
        named[position].append(name)
    return named


def _threshold(positions: Positions, position: int) -> tuple[str, float]:
    """Return the threshold at a position, with few digits and exactly."""
    if not position:
        return _NONE, np.inf
    at = np.array([position])
    (shown,) = short_thresholds(positions, at)
    return shown, float(positions.scores(at)[0])


def short_thresholds(positions: Positions, chosen: IntArray) -> list[str]:
    """Return the thresholds at some positions, (t,), none 0, each with few digits, three or more.  O(t).

    >>> cases = ScoredCases.of(np.array([True, False]), np.array([0.123456, 0.123321]))
    >>> short_thresholds(positions_of(cases), np.array([1, 2]))
    ['0.1234', '0.123']
    """
    scores = positions.scores(chosen)
    below = np.full(chosen.size, -np.inf, scores.dtype)
    inside = chosen < positions.last
    below[inside] = positions.scores(chosen[inside] + 1)  # the highest that are lower
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

    tp: list[Amount]
    """True positives at each position."""
    fp: list[Amount]
    """False positives at each position."""
    thresholds: list[str]
    """Its own thresholds; none where all models share them."""


def slider_counts(grid: SliderGrid, cases: ScoredCases | WeightedRanking) -> SliderCounts:
    """Count the decisions of checked cases, (n,) with n > 0, at every position of a grid.  O(n log n)."""
    positions = positions_of(cases)
    if grid.thresholds is not None:
        falling = positions.reached(grid.thresholds)
        tp, fp = (column[::-1].tolist() for column in positions.decided(falling[::-1]))
        return SliderCounts(tp, fp, [])
    chosen = positions.nearest(grid.fractions)
    tp, fp = (column.tolist() for column in positions.decided(chosen))
    return SliderCounts(tp, fp, short_thresholds(positions, chosen))
