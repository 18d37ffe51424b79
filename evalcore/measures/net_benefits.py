"""Net benefit at many thresholds, and its variance, from sums of weights at or above each of them.

A case adds its gain to the net benefit if its probability is at least the threshold t: 1 of a positive, and
-t / (1 - t) of a negative.  So net benefit is a mean over the cases, and the variance of any mean is known.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures import binary
from evalcore.typing import FloatArray

_UNSEEN = 0.5
"""Cases that are added to each cell where models disagree: that none was seen does not mean that there are none."""


def decisions_at(flagged: WeightSums) -> WeightSums:
    """Return the sums of tp, fn, fp and tn, (4, t) each, from those of `weights_from_thresholds`, (2, t+1).  O(t)."""
    return WeightSums(*(_cells(own[:, 1:], own[:, :1]) for own in flagged))


def decisions_on_all(flagged: WeightSums) -> WeightSums:
    """Return the sums of tp, fn, fp and tn, (4, 1) each, where every case is predicted positive.  O(1)."""
    return WeightSums(*(_cells(own[:, :1], own[:, :1]) for own in flagged))


def _cells(flagged: FloatArray, every: FloatArray) -> FloatArray:
    """Return tp, fn, fp and tn, (4, t); flagged: (2, t), of all cases of each class, (2, 1)."""
    return np.stack([flagged, every - flagged], axis=1).reshape(4, -1)


def net_benefits(decisions: WeightSums, thresholds: FloatArray) -> FloatArray:
    """Return the net benefit of `decisions_at` each threshold, (t,).  O(t)."""
    tp, fn, fp, tn = decisions.sums
    return np.asarray(binary.net_benefit(tp, fn, fp, tn, thresholds))


def correlation_of_parts(decisions: WeightSums) -> FloatArray:
    """Return the correlation of tp / n and fp / n over samples, (t,): 0 where one of them does not vary.  O(t)."""
    total, squares = decisions.sums.sum(axis=0), decisions.squares.sum(axis=0)
    (tp, _, fp, _), (tp_squares, _, fp_squares, _) = decisions.sums / total, decisions.squares
    together = tp * fp * squares - tp * fp_squares - fp * tp_squares
    each = [part**2 * squares + (1 - 2 * part) * own for part, own in ((tp, tp_squares), (fp, fp_squares))]
    spread = np.sqrt(each[0].clip(min=0) * each[1].clip(min=0))
    return np.where(spread > 0, np.nan_to_num(ratio(together, spread)).clip(-1, 1), 0.0)


class NetBenefitDifferences(NamedTuple):
    """The differences of the net benefits of two models, and how they vary from sample to sample."""

    differences: FloatArray
    """Shape (t,)."""
    variances: FloatArray
    """Shape (t,)."""


def net_benefit_differences(
    joint: WeightSums, thresholds: FloatArray, *, known_prevalence: bool = False
) -> NetBenefitDifferences:
    """Return the differences of net benefits and their variances, from `weights_from_thresholds` of two models.

    joint: (2, t+1, t+1) each, where the first axis is the class.  known_prevalence: whether weights were shifted to a
    prevalence, so that only decisions within classes vary.  O(t²).

    The variances are those of means over the cases, with half a case of mean weight more in each of the four cells
    where the models disagree.  Sources: for the variance of influence values C. Jaeckel, The infinitesimal jackknife,
    Bell Laboratories Memorandum (1972); for half a case J. B. S. Haldane, The estimation and significance of the
    logarithm of a ratio of frequencies, Annals of Human Genetics 20 (1956) 309-311.
    """
    gains = np.stack([np.ones(thresholds.size), -np.asarray(ratio(thresholds, 1 - thresholds))])
    changes, moments = gains * _changes(joint.sums), gains * _changes(joint.squares)
    products = np.square(gains) * _disagreements(joint.squares)
    totals, squares, cases = (column[:, 0, 0] for column in joint)
    total = totals.sum()
    variances = np.zeros(thresholds.size)
    for classes in ([0], [1]) if known_prevalence else ([0, 1],):
        mean = np.asarray(ratio(changes[classes].sum(axis=0), totals[classes].sum()))
        own = products[classes].sum(axis=0) - 2 * mean * moments[classes].sum(axis=0)
        own += np.square(mean) * squares[classes].sum()
        number = cases[classes].sum()
        with np.errstate(invalid="ignore"):  # one case has no variance
            variances += own * ratio(number, number - 1)
    variances = variances / total**2 + variance_of_unseen(totals, squares, thresholds)
    tp, fp = _changes(joint.sums)
    return NetBenefitDifferences(np.asarray(binary.net_gain(tp, fp, total, thresholds)), variances)


def variance_of_unseen(totals: FloatArray, squares: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Return what half a case of mean weight in each cell where models disagree adds to the variances, (t,).  O(t).

    totals, squares: of the weights of positives and of negatives, (2,) or (2, t).
    """
    weights = np.nan_to_num(ratio(squares, totals)).reshape(2, -1)
    costs = np.asarray(ratio(thresholds, 1 - thresholds))
    squared_gains = np.square(weights[0]) + np.square(weights[1] * costs)
    return np.asarray(2 * _UNSEEN * squared_gains / np.square(totals.sum(axis=0)))


def _changes(sums: FloatArray) -> FloatArray:
    """Return what the first model flags more than the second at each threshold, (2, t)."""
    return sums[:, 1:, 0] - sums[:, 0, 1:]


def _disagreements(squares: FloatArray) -> FloatArray:
    """Return the sums over the cases that one model alone flags at each threshold, (2, t)."""
    return squares[:, 1:, 0] + squares[:, 0, 1:] - 2 * np.diagonal(squares, axis1=1, axis2=2)[:, 1:]
