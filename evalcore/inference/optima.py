"""Optima of decisions over all thresholds, such as maximum F1: their intervals, from the decisions at the optimum.

Near its optimum a measure is flat, so that an estimate of the threshold changes it by smaller terms only: it varies as
the measure at that threshold does.  The optimum of a sample is the best of many, though, and too good on average: with
m cases of the smaller class by about m^(-1/6) standard errors, for thresholds converge by the cube root of m.  The
bound that this bias comes near lies so much farther away.  Source: J. Kim and D. Pollard, Cube root asymptotics, Annals
of Statistics 18 (1990) 191-219, the rate.
"""

import numpy as np

from evalcore.inference.cells import Cells, intervals_of, intervals_of_values
from evalcore.inference.decisions import DecisionMeasure, measure_of_decisions
from evalcore.inference.intervals import Intervals, bounds_of_difference, reach_of
from evalcore.kernels.weights import WeightSums
from evalcore.measures.influence import kish_number
from evalcore.measures.multiclass import decision_derivatives, decision_measure
from evalcore.typing import FloatArray

GAP = "ks"
"""Recall less the false positive rate, at most the statistic of Kolmogorov and Smirnov."""
OPTIMA = {"maximum_f1": "f1", GAP: "balanced_accuracy", "minimum_expected_cost": "expected_cost"}
"""By name, the measure of decisions that is best there."""


def optimum_intervals(name: str, cells: Cells, level: float, costs: FloatArray | None = None) -> Intervals:
    """Return the intervals of an optimum in each group from the decisions there, (g, 2, 2); costs: of each cell.  O(g).

    name: of `OPTIMA`.  That of Kolmogorov and Smirnov is the difference of two fractions, by Newcombe's method.
    """
    if name == GAP:
        recall, alarms = (intervals_of(each, cells, level)[:3] for each in ("recall", "false_positive_rate"))
        found = Intervals(recall[0] - alarms[0], *bounds_of_difference(recall, alarms), "newcombe")
    else:
        found = intervals_of("f1", cells, level) if costs is None else intervals_of_values(cells, costs, level)
    estimates, low, high = found[:3]
    classes = WeightSums(*(column.sum(axis=-1) for column in (cells.sums if cells.every is None else cells.every())))
    farther = 1 + np.maximum(kish_number(classes).min(axis=-1), 1.0) ** (-1 / 6) / reach_of(level)
    if costs is None:
        low = np.maximum(estimates - (estimates - low) * farther, 0.0)
    else:
        high = np.minimum(estimates + (high - estimates) * farther, costs.max())
    return Intervals(estimates, low, high, found.method)


def measure_at_optimum(name: str) -> DecisionMeasure:
    """Return what compares the decisions of two models, each at its own optimum.  O(1)."""
    if name != GAP:
        return measure_of_decisions(OPTIMA[name])._replace(of_few=True)

    def gaps(tables: FloatArray) -> FloatArray:
        return np.asarray(decision_measure("recall", tables) + decision_measure("specificity", tables) - 1)

    def derivatives(tables: FloatArray) -> FloatArray:
        return np.asarray(decision_derivatives("recall", tables) + decision_derivatives("specificity", tables))

    return DecisionMeasure(gaps, derivatives, 1.0, of_few=True)
