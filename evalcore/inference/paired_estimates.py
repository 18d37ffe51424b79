"""Estimates of two models from the same cases, of many groups at once, and comparisons of them."""

from typing import NamedTuple

import numpy as np

from evalcore.inference.distributions import normal_reach, normal_tails, student_reach, student_tails
from evalcore.inference.intervals import Comparison
from evalcore.kernels.sums import ratio
from evalcore.typing import FloatArray, Ratio

ROUNDING = 1e-14
"""A standard error up to this is that of rounded sums."""


class PairedEstimates(NamedTuple):
    """Values of one measure in g groups, shape (g,) each."""

    new: FloatArray
    old: FloatArray
    errors: FloatArray
    """Standard errors of the differences; NaN where they are not known."""


def compare_normal(
    found: PairedEstimates, level: float, method: str, largest: Ratio = 1.0, freedom: FloatArray | None = None
) -> list[Comparison]:
    """Compare the estimates of each group, whose difference is normal, the new ones first.  O(g).

    largest: that of the measure, or of each; bounds are cut to it.  freedom: degrees of freedom of the errors, (g,),
    for Student's t; where they are infinite, and by default, the normal distribution serves.  Without a variance there
    are neither bounds nor statistic; the p-value is then 1 if the difference is 0.

    >>> equal = np.array([0.5])
    >>> compare_normal(PairedEstimates(equal, equal, np.array([0.0])), 0.95, "delta")
    [0.5 - 0.5 = 0 [nan, nan] (95% delta), p = 1]
    """
    differences = found.new - found.old
    errors = np.where(found.errors > ROUNDING, found.errors, np.nan)
    statistics = np.asarray(ratio(differences, errors))
    if freedom is None or np.isinf(freedom).all():
        reaches, p_values = normal_reach(level) * errors, map(normal_tails, statistics.tolist())
    else:
        reaches = np.array([student_reach(level, each) for each in freedom.tolist()]) * errors
        p_values = map(student_tails, statistics.tolist(), freedom.tolist())
    low, high = np.maximum(differences - reaches, -largest), np.minimum(differences + reaches, largest)
    equal = (found.errors <= ROUNDING) & (np.abs(differences) <= ROUNDING)
    columns = (found.new, found.old, differences, low, high, statistics, equal)
    rows = zip(*(each.tolist() for each in columns), p_values, strict=True)
    return [
        Comparison((new, old), difference, least, most, level, statistic, 1.0 if same else p_value, method)
        for new, old, difference, least, most, statistic, same, p_value in rows
    ]
