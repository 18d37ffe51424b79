"""Differences of a measure between samples of the same rows, such as each group and all others, or any two groups.

Each sample is evaluated by itself.  Independent fractions are compared by the score test that their interval inverts.
Bounds of other differences combine those of both samples, as Newcombe's do for two fractions: squared distances to the
bounds add up, less twice their product times the correlation of both estimates, which clusters with rows in both
samples bring about; without clusters it is 0.  The p-value is the level at which the bounds touch 0.  Sources: those of
`bounds_of_difference`.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.inference import intervals
from evalcore.inference.intervals import Bounds, Comparisons, effective_trials_of_areas
from evalcore.inference.units import Spread, units_of
from evalcore.kernels.sums import ratio
from evalcore.typing import AnyArray, FloatArray, IntArray

METHOD = "zou-donner"
Contributions: TypeAlias = Callable[[int], tuple[FloatArray, FloatArray]]
"""Returns how a sample changes without each cluster, and the part of its weight, (c,)."""


class Samples(NamedTuple):
    """A measure of s samples, such as groups: shape (s,) each."""

    values: FloatArray
    variances: FloatArray
    freedom: FloatArray
    """Degrees of freedom of the variances."""
    trials: FloatArray
    """Effective numbers of trials: a fraction of this many trials is as uncertain as the value is between `limits`."""
    limits: tuple[float, float] | None = (0.0, 1.0)
    """The least and the largest value; None for any number, whose bounds are Student's."""
    are_fractions: bool = False
    """Whether values are fractions of independent cases, or of as many as `trials`."""
    losses: FloatArray | float = 0.0
    """By how much unseen cases lower values, on average, shape (s,): lower bounds are those of what is left."""
    contributions: Contributions | None = None
    """None without clusters."""

    def at(self, index: AnyArray) -> "Samples":
        """Return some of the samples, of an index of any shape, without clusters.  O(index)."""
        found = self._replace(**{name: getattr(self, name)[index] for name in self._fields[:4]}, contributions=None)
        return found._replace(losses=self.losses[index]) if isinstance(self.losses, np.ndarray) else found

    def bounds(self, reach: FloatArray) -> Bounds:
        """Return lower and upper bounds; reach: in standard errors.  O(s)."""
        if self.limits is None:
            away = reach * np.sqrt(self.variances)
            return self.values - away, self.values + away
        low, high = self.limits
        known = np.where(np.isnan(self.trials), np.nan, self.values)
        parts = ((each - low) / (high - low) for each in (known - self.losses, known))
        found = (intervals.wilson_bounds(each * self.trials, self.trials, reach, each) for each in parts)
        (below, _), (_, above) = found
        return low + (high - low) * below, low + (high - low) * above


def trials_of_variances(values: FloatArray, variances: FloatArray, limits: tuple[float, float]) -> FloatArray:
    """Return as many trials as leave fractions as uncertain as values between limits, (s,); infinite for 0.  O(s)."""
    inside = (values - limits[0]) * (limits[1] - values)
    return np.where(variances > 0, ratio(inside, variances), np.where(variances == 0, np.inf, np.nan))


def area_samples(
    values: FloatArray, variances: FloatArray, freedom: FloatArray, smaller: FloatArray, cases: FloatArray
) -> Samples:
    """Return ROC AUCs, (s,), as samples, with the trials of `roc_auc_intervals`.  O(s).

    smaller, cases: effective cases c of the smaller class, and n of both.  Where degrees of freedom are infinite, as of
    cases that are drawn by themselves, they are n - 1, but at most (c - 1)², so that two samples that two cases of each
    class separate prove nothing.
    """
    # a single case may hold all the weight
    own = np.where(np.isinf(freedom), np.maximum(np.minimum(cases - 1, np.square(smaller - 1)), 1e-9), freedom)
    return Samples(values, variances, own, np.asarray(effective_trials_of_areas(values, variances, smaller)))


def precision_samples(values: FloatArray, variances: FloatArray, freedom: FloatArray, losses: FloatArray) -> Samples:
    """Return average precisions, (s,), as samples, with the trials of `average_precision_interval`.  O(s).

    variances: with those of unseen cases; losses: by how much an unseen negative lowers values, on average.
    """
    rest = values - losses
    trials = np.asarray(ratio(rest * (1 - rest), variances - np.square(losses)))
    return Samples(values, variances, freedom, trials, losses=losses)


def contrasts(samples: Samples, pairs: IntArray, level: float) -> Comparisons:
    """Return the differences of pairs of samples, (k, 2).  O(k), with c clusters O(k c).

    Degrees of freedom are Welch's, those of clusters of what they add to the difference.
    """
    own, other = samples.at(pairs[:, 0]), samples.at(pairs[:, 1])
    if samples.are_fractions and samples.contributions is None:
        sides = [each.values * each.trials for each in (own, other)], [own.trials, other.trials]
        with np.errstate(divide="ignore", invalid="ignore"):  # a side may be empty
            found = intervals.compare_fractions(*sides, level)
            low, high = (np.where(np.isnan(found.differences), np.nan, each) for each in (found.low, found.high))
            return found._replace(low=low, high=high)
    freedom = intervals.welch_freedom((own.variances, other.variances), (own.freedom, other.freedom))
    alone = own.freedom + other.freedom  # where neither sample has a variance
    freedom, apart = np.maximum(np.where(np.isnan(freedom), alone, freedom), 1.0), np.ones(len(pairs))
    if samples.contributions is not None:
        apart, freedom = np.array([_shared(samples, *pair) for pair in pairs.tolist()]).reshape(-1, 2).T

    def bounds(reach: FloatArray) -> Bounds:
        sides = ((each.values, *each.bounds(reach)) for each in (own, other))
        return intervals.bounds_of_difference(*sides, apart=apart)

    largest = np.inf if samples.limits is None else samples.limits[1] - samples.limits[0]
    with np.errstate(invalid="ignore"):
        low, high = bounds(np.broadcast_to(intervals.reaches_of(level, freedom), freedom.shape))
        p_values = _touching(differences := own.values - other.values, bounds, freedom)
    low, high = np.maximum(low, -largest), np.minimum(high, largest)
    return Comparisons(own.values, other.values, differences, low, high, level, np.nan, p_values, METHOD)


def _shared(samples: Samples, first: int, second: int) -> tuple[float, float]:
    """Return 1 less the correlation of two samples of clusters, and the degrees of freedom of their difference."""
    assert samples.contributions is not None
    (own, of_own), (other, of_other) = map(samples.contributions, (first, second))
    each = zip((own - other, own, other), ((of_own + of_other) / 2, of_own, of_other), strict=True)
    of_difference, *both = (spread_of_clusters(*one) for one in each)
    variances = [float(one.variances[0]) for one in both]
    product = np.sqrt(variances[0] * variances[1])
    shared = sum(variances) - float(of_difference.variances[0])
    return 1 - shared / (2 * product) if product > 0 else 1.0, float(of_difference.freedom[0])


def spread_of_clusters(changes: FloatArray, parts: FloatArray) -> Spread:
    """Return how an estimate varies that changes so much without each cluster; parts: of all weight, (c,).  O(c)."""
    present = parts > 0
    own = changes[present]
    return units_of(own.size, weights=parts[present], clusters=np.arange(own.size)).left_out(own)


def _touching(differences: FloatArray, bounds: Callable[[FloatArray], Bounds], freedom: FloatArray) -> FloatArray:
    """Return 1 - level of the widest bounds that exclude 0, (k,); 1 of equal values, else NaN without bounds.  O(k)."""

    def distances(at: FloatArray) -> FloatArray:  # of 0 from the bounds of a reach r, for r / (1 + r)
        low, high = bounds(at / (1 - at))
        return np.asarray(np.where(differences > 0, low, -high))

    none = np.zeros(differences.shape)
    least, _ = intervals.crossing(distances, 0.0, none, none + 1)
    each = zip((least / (1 - least)).tolist(), freedom.tolist(), strict=True)
    found = np.array([intervals.tails_of(reach, own) for reach, own in each])
    unbounded = np.isnan(distances(least))
    equal = np.where(unbounded, np.abs(differences) <= intervals.ROUNDING, differences == 0)
    return np.where(equal, 1.0, np.where(unbounded, np.nan, found))


def largest_gap(samples: Samples, count: int, level: float) -> tuple[IntArray, Comparisons]:
    """Return the first samples that are compared, by their values, and the difference of the last and the first, (1,).

    count: of first samples, two of which have a value; those whose differences have no bounds are left out if others
    have some.  The bounds are of the largest true difference of
    any pair: the largest lower and the largest upper bound of all pairs at Bonferroni's level, 1 - (1 - level) / pairs,
    cut at 0.  The p-value is the smallest of all pairs, times their number: like the bounds, it may come from another
    pair.  O(s²), with c clusters O(s² c).
    Source: O. J. Dunn, Multiple comparisons among means, Journal of the American Statistical Association 56 (1961)
    52-64.
    """
    known = np.flatnonzero(~np.isnan(samples.values[:count]))
    order = known[np.argsort(samples.values[known], kind="stable")]
    while True:
        first, second = np.triu_indices(order.size, 1)
        pairs = np.stack([order[second], order[first]], axis=1)  # the larger value first
        found = contrasts(samples, pairs, 1 - (1 - level) / max(len(pairs), 1))
        bounded = np.unique(pairs[~np.isnan(found.low)])
        if bounded.size in (0, order.size):
            break
        order = order[np.isin(order, bounded)]
    one, other = samples.values[order[-1:]], samples.values[order[:1]]
    low, high = np.maximum(np.max(found.low), 0.0), np.max(np.maximum(found.high, -found.low))
    p_value = np.minimum(np.min(found.p_values) * len(pairs), 1.0)
    columns = [np.array([each]) for each in (low, high, level, np.nan, p_value, METHOD)]
    return order, Comparisons(one, other, one - other, *columns)
