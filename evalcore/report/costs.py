"""What wrong decisions cost: checked once."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, shortened
from evalcore.measures.thresholds import expected_costs
from evalcore.report.options import option
from evalcore.typing import FloatArray
from evalcore.validation.values import is_number


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

    >>> expected_cost(BinaryCounts(tp=1, fn=1, fp=2, tn=4), Costs(1.0, 5.0))
    0.875
    """
    return float(expected_costs([np.array([float(count)]) for count in counts], costs.of_counts)[0])
