"""Averages over classes of ROC AUCs, each class against the rest: of k models, in g groups.

An average is a sum of areas, so that its influence values are the same sum of theirs; one that is weighted by cases
varies with their numbers too.  As in DeLong's variance, what the m cases of one side add has the factor m / (m - 1)
where each is drawn by itself: a class of few cases tells how its area varies with fewer than all.
"""

from collections.abc import Sequence

import numpy as np

from evalcore.inference.ranked_samples import AREA, RankedSample, rank_sample
from evalcore.inference.rankings import Contrasts, RankingEstimates
from evalcore.inference.units import Spread, Units
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import are_whole
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.measures.influence import kish_number
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

MACRO, WEIGHTED = "macro_roc_auc", "weighted_roc_auc"


def averages_of_areas(
    codes: IntArray, models: Sequence[ScoreArray], units: Units, layout: GroupLayout | None = None
) -> dict[str, RankingEstimates]:
    """Return the averages of the areas of c classes, by `MACRO` and `WEIGHTED`.  O(k c n log n).

    codes: the class of each case, (n,); models: their scores of each class, (c, n); units: of the same cases and
    groups; layout: of these.  A class that a group lacks, or that has all of its cases, counts for nothing there.
    """
    count, classes = units.sizes.size, len(models[0])
    groups = np.zeros(codes.size, np.int64) if units.groups is None else units.groups
    weights = np.bincount(groups * classes + codes, units.amounts, count * classes).reshape(count, classes)
    present = (weights > 0) & (weights < weights.sum(axis=1, keepdims=True))
    own = np.array([present, present * weights], np.float64)
    parts = np.nan_to_num(ratio(own, own.sum(axis=-1, keepdims=True)))  # (2, g, c)
    areas, influence = np.full((len(models), count, classes), np.nan), np.zeros((2, len(models), codes.size))
    deviations = np.zeros((2, count))
    for code in range(classes):
        correct, of_class = codes == code, parts[..., code]
        sides = RankedSample(correct, units, layout).drawn_classes()
        factors = np.sqrt(sides.cases / np.maximum(sides.cases - 1, 1.0)) ** (units.clusters is None)
        scales = np.where(correct, *(each[groups] for each in factors))
        with np.errstate(divide="ignore", invalid="ignore"):  # of a class that is left out
            deviations += np.nan_to_num(of_class / np.sqrt(kish_number(sides).min(axis=0)))
        for model, scores in enumerate(models):
            areas[model, :, code], changes = _area_influence(scores[code], correct, units, layout)
            influence[:, model] += of_class[:, groups] * np.nan_to_num(changes) * scales
    values = np.array([[weighted_means_of_rows(each, part) for each in areas] for part in own])
    beyond = np.nan_to_num(ratio(areas - values[1, ..., np.newaxis], own[1].sum(axis=-1, keepdims=True)))
    for model, each in enumerate(beyond):
        influence[1, model] += units.weighted(np.where(present, each, 0.0)[groups, codes])
    smaller = np.asarray(ratio(1, np.square(deviations)))
    ones = np.ones(codes.size, np.bool_)
    every = kish_number(RankedSample(ones, units, layout).drawn_classes())[0]
    return {
        name: _estimates(values[index], influence[index], smaller[index], every, units)
        for index, name in enumerate((MACRO, WEIGHTED))
    }


def _estimates(
    values: FloatArray, influence: FloatArray, smaller: FloatArray, cases: FloatArray, units: Units
) -> RankingEstimates:
    """Return estimates of k models from the influence values of cases, (k, n); the others: (k, g) or (g,)."""

    def spread(contrasts: Contrasts) -> Spread:
        each = [units.spread(own @ influence) for own in np.asarray(contrasts, np.float64)]
        return Spread(*(np.stack(column) for column in zip(*each, strict=True)))

    return RankingEstimates(values, spread, lambda _: smaller, cases)


def _area_influence(
    scores: ScoreArray, correct: BoolArray, units: Units, layout: GroupLayout | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the area of one ranking in each group, (g,), and the influence values of its cases, (n,).  O(n log n)."""
    whole = layout is not None and units.weights is not None and are_whole(units.weights)
    of_rows = units._replace(clusters=np.zeros(correct.size, np.int64))  # of which influence values are kept
    found = rank_sample(scores, RankedSample(correct, of_rows, layout, are_whole=whole), [AREA])
    return found.values[AREA], found.rows[AREA]
