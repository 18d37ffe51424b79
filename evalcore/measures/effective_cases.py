"""Effective numbers of weighted cases: as many of equal weight as would leave an estimate as uncertain.

Also weights under which cases have another prevalence: what would be measured where positives are rarer or more common.

Every positive counts by one factor and every negative by another, so measures of one class alone, such as recall,
specificity and the ROC AUC, stay as they are, and precision, accuracy and the like become those of the other
population.  That holds if its positives score like these, and its negatives too.  Source: M. Saerens, P. Latinne and
C. Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities, Neural Computation 14 (2002)
21-41.
"""

import numpy as np

from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums
from evalcore.typing import AnyArray, BoolArray, FloatArray


def effective_trials(successes: WeightSums, trials: WeightSums) -> tuple[FloatArray, FloatArray]:
    """Return weighted proportions p, and as many trials as have their variance V, p (1 - p) / V, (g,) each.  O(g).

    Where p is 0 or 1, the variance is not known, and the number is `kish_number`.  Source: E. L. Korn and B. I.
    Graubard, Confidence intervals for proportions with small expected number of positive counts estimated from survey
    data, Survey Methodology 24 (1998) 193-201.

    >>> heavy, light = np.array([3.0]), np.array([1.0])  # the only success weighs 3, the only failure 1
    >>> trials = WeightSums(heavy + light, heavy**2 + light**2, np.array([2.0]))
    >>> effective_trials(WeightSums(heavy, heavy**2, light), trials)
    (array([0.75]), array([2.66666667]))
    """
    estimates = np.asarray(ratio(successes.sums, trials.sums))
    failed = np.maximum(trials.squares - successes.squares, 0.0)
    scatter = np.square(1 - estimates) * successes.squares + np.square(estimates) * failed
    number = ratio(estimates * (1 - estimates), ratio(ratio(scatter, trials.sums), trials.sums))
    inside = (successes.cases > 0) & (successes.cases < trials.cases)
    return estimates, np.where(inside, number, kish_number(trials))


def effective_decisions(cells: WeightSums, successes: AnyArray, trials: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted fractions of decisions, and effective trials of each, (g,) each, as `effective_trials`.  O(g).

    cells: tp, fn, fp and tn, (4, g) each; successes, trials: (4,), 1 for each cell that they add up.  Where p is 0 or
    1, what is absent may be there in the population, and weigh as much as the mean case, by weight, of its class: the
    number is then the limit of p (1 - p) / V, the weight of the trials divided by this mean.

    >>> cells = WeightSums(*np.array([[9.0, 0, 0, 300], [9.0, 0, 0, 3e4], [9.0, 0, 0, 3]])[..., np.newaxis])
    >>> effective_decisions(cells, np.array([1, 0, 0, 0]), np.array([1, 0, 1, 0]))  # a negative stands for 100
    (array([1.]), array([0.09]))
    """
    succeeded, tried = (WeightSums(*(chosen @ column for column in cells)) for chosen in (successes, trials))
    estimates, number = effective_trials(succeeded, tried)
    of_classes = (chosen.reshape(2, 2).any(axis=1).repeat(2) for chosen in (trials - successes, successes))
    absent = (_mean_weight(WeightSums(*(classes @ column for column in cells))) for classes in of_classes)
    weight = np.where(estimates == 1, *absent)
    unseen = ((estimates == 0) | (estimates == 1)) & (weight > 0)
    return estimates, np.where(unseen, ratio(tried.sums, weight), number)


def kish_number(cells: WeightSums) -> FloatArray:
    """Return the effective number of cases, (Σ w)² / Σ w², 0 for none; that of frequencies is their sum.  O(g).

    Source: L. Kish, Survey Sampling (1965), 11.7.
    """
    return np.asarray(np.fmax(ratio(cells.sums, ratio(cells.squares, cells.sums)), 0.0))


def smaller_class(classes: WeightSums) -> FloatArray:
    """Return the `kish_number` of the class that has fewer effective cases; classes: (2, …).  O(cells)."""
    return np.asarray(kish_number(classes).min(axis=0))


def effective_positives(estimates: FloatArray, positives: WeightSums, negatives: WeightSums) -> FloatArray:
    """Return how many positives of equal weight would leave average precisions a as uncertain, (g,), 0 for none.  O(g).

    Trials of the weight W of the positives, a W of them positive and the others negative, each with the mean weight of
    its class by weight, q and r: as `effective_trials`, these are W / ((1 - a) q + a r).  The number of the positives
    alone would say nothing of a few heavy negatives.

    >>> one, heavy = (WeightSums(np.array([w]), np.array([w * w]), np.array([1.0])) for w in (1.0, 4.0))
    >>> effective_positives(np.array([0.5]), one, heavy), effective_positives(np.array([0.5]), one, one)
    (array([0.4]), array([1.]))
    """
    heaviness = ((1 - estimates) * _mean_weight(positives), estimates * _mean_weight(negatives))
    return np.asarray(np.fmax(ratio(positives.sums, sum(heaviness)), 0.0))


def _mean_weight(cells: WeightSums) -> FloatArray:
    """Return the mean weight of cases drawn by weight, 0 for none."""
    return np.asarray(np.fmax(ratio(cells.squares, cells.sums), 0.0))


def weights_for_prevalence(correct: BoolArray, prevalence: float, weights: AnyArray | None = None) -> FloatArray:
    """Return weights, (n,) float64, with the same sum, of which the correct cases have this fraction.

    correct: (n,) with cases of both classes; prevalence: above 0 and below 1; weights: (n,) of the cases as they are,
    by default 1 each, both classes with a weight above zero.  O(n).

    >>> weights_for_prevalence(np.array([True, False, False, False]), 0.5)
    array([2.        , 0.66666667, 0.66666667, 0.66666667])
    """
    own = np.ones(correct.size) if weights is None else weights.astype(np.float64)
    positive = float(np.sum(own, where=correct))
    negative = float(np.sum(own, where=~correct))
    total = positive + negative
    own /= np.where(correct, positive, negative)  # fractions first: a factor might leave float64
    own *= np.where(correct, prevalence * total, (1 - prevalence) * total)
    return own
