"""What is drawn by chance, cases or whole clusters, with or without weights, and the variances that follow from it.

An influence value is what a row adds to the deviation of an estimate from the true value, up to smaller terms; those
of a group have the sum 0.  The variance of the estimate of cases is the sum of the squares of these, with the factor
C / (C - 1) for C cases.  That of clusters is the jackknife's: the sum of the squares of how much the estimate changes
without each, with the factor (C - 1) / C.  Sums of influence values say too little of a large cluster, for it pulls the
estimate towards itself.  Source: C. Jaeckel, The infinitesimal jackknife, Bell Laboratories Memorandum (1972).

A few cases with large losses decide the mean where positives are rare, and its standard error too: both are too small
in samples that hold too few of them.  So Student's t has 3/2 (Σ u²)² / Σ u⁴ degrees of freedom, by the contributions u
of cases, and at most one less than there are cases.  Source: F. E. Satterthwaite, An approximate distribution of
estimates of variance components, Biometrics Bulletin 2 (1946) 110-114; the factor is ours, a cautious one:
benchmarks/README.md has the coverage.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, check
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio, ScoreArray
from evalcore.validation.arrays import as_scores, as_unit_probabilities, check_equal_lengths, check_indices
from evalcore.validation.labels import as_group_names, encode_labels
from evalcore.validation.positive_class import as_positive_mask
from evalcore.validation.weights import are_frequencies, as_case_weights, extent_of_weights, scale_weights

ROUNDED_VARIANCE = 2.0**-90
"""A variance up to this is that of rounded sums: one of counts is 0 or far larger."""
MOST_LEFT_OUT = 100
"""Of more clusters than this, sums of influence values have almost the error of the jackknife, in far less time."""
_OF_CONTRIBUTIONS = 1.5
"""Degrees of freedom of equal contributions, for each of them."""


ValuesOfRows: TypeAlias = Callable[[slice], FloatArray]
"""Finds the values of some rows."""


class Spread(NamedTuple):
    """How far estimates vary from sample to sample, of any shape: one for each group, or contrast and group."""

    variances: FloatArray
    """NaN where they are not known."""
    freedom: FloatArray
    """Degrees of freedom of these variances for Student's t, of the same shape; infinite where normal tails serve."""

    @property
    def errors(self) -> FloatArray:
        """The standard errors."""
        return np.sqrt(self.variances)

    @classmethod
    def normal(cls, variances: FloatArray) -> "Spread":
        """Return variances of estimates that are normal, because there are many cases.  O(g)."""
        return cls(variances, np.full(variances.shape, np.inf))

    def at(self, index: int | slice | IntArray | None) -> "Spread":
        """Return those at an index of the first axis; None adds an axis.  O(g)."""
        return Spread(self.variances[index], self.freedom[index])


class Units(NamedTuple):
    """The units of each of g groups of m rows that have a weight above zero: cases, or clusters of them.

    >>> clustered = units_of(4, clusters=np.array([0, 0, 1, 1]))
    >>> clustered.left_out(clustered.changes(np.array([0.25, -0.25])))
    Spread(variances=array([0.25]), freedom=array([1.]))
    """

    rows: int
    """Number of rows, m."""
    sizes: FloatArray
    """Number of units of each group, shape (g,)."""
    chosen: Any = slice(None)
    """Mask of the rows among all that were given, (n,), or a slice of all: the index of these rows."""
    weights: AnyArray | None = None
    """Shape (m,), int64 or float64; None if they are equal, so that they say nothing."""
    are_frequencies: bool = False
    """Whether a row of weight w stands for w cases, which are units where no clusters are; weights are then int64."""
    groups: IntArray | None = None
    """The group of each row, shape (m,); None for a single group."""
    clusters: IntArray | None = None
    """The unit of each row, shape (m,); None if each row is one, or a frequency of them."""
    groups_of_clusters: Any = None
    """The group of each cluster, shape (u,), int64; None if there are none."""
    shares: Any = None
    """The fraction of the weight of its group that each cluster holds, shape (u,), float64; None if there are none."""

    def squares(self, influence: FloatArray, rows: slice | IntArray = slice(None)) -> FloatArray:
        """Return the squares of influence values of some rows, (r,), each over the cases that it stands for.  O(r)."""
        squares: FloatArray = np.square(influence)
        if self.are_frequencies and self.weights is not None:
            squares /= self.weights[rows]
        return squares

    def totals(self, values: ValuesOfRows) -> FloatArray:
        """Add up what rows hold, times their weights, over each group; values: finds those of some rows.  O(m)."""
        return np.asarray(self.in_groups(lambda rows: [self.weighted(values(rows), rows)])[0])

    def in_groups(self, columns: Callable[[slice], Sequence[FloatArray]]) -> FloatArray:
        """Add up k columns over each group, (k, g), of a single one block by block; columns: of some rows.  O(k m)."""

        def of_rows(rows: slice) -> FloatArray:
            if self.groups is None:
                return np.array([[column.sum()] for column in columns(rows)], np.float64)
            return np.array([np.bincount(self.groups, each, self.sizes.size) for each in columns(rows)], np.float64)

        parts = map_blocks(of_rows, self.rows) if self.groups is None else []
        return np.sum(parts, axis=0) if parts else of_rows(slice(None))

    def changes(self, sums: AnyArray) -> FloatArray:
        """Return how much estimates change without each cluster, from its sum of influence values, (u,) each.  O(u).

        A mean of rows changes by this sum, divided by the fraction of the weight that is left.
        """
        return np.asarray(ratio(sums, 1 - self.shares))

    def left_out(self, changes: FloatArray) -> Spread:
        """Return how estimates vary from how much they change without each cluster, (u,), or of each of r, (r, u).

        Returns (g,) or (r, g).  O(u) for each.

        The degrees of freedom are one less than the effective number of clusters: Kish's number of them by their
        weights or, if that is less, 3 (Σ d²)² / Σ d⁴ of their changes d, Satterthwaite's for normal ones.  At least 1.
        Sources: J. W. Tukey, Bias and confidence in not-quite large samples, Annals of Mathematical Statistics 29
        (1958) 614; F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics
        Bulletin 2 (1946) 110-114; the minimum is ours: benchmarks/README.md has the coverage.

        >>> units_of(6, clusters=np.array([0, 0, 1, 1, 2, 2])).left_out(np.array([0.5, -0.25, -0.25]))
        Spread(variances=array([0.25]), freedom=array([2.]))
        """
        if changes.ndim > 1:
            return Spread(*(np.stack(each) for each in zip(*map(self.left_out, changes), strict=True)))
        (_, groups), number = self.members, self.sizes.size
        squares = np.square(changes)
        sums = np.bincount(groups, squares, number)
        known = np.where(sums > ROUNDED_VARIANCE, sums, np.nan)  # of what rounding leaves, parts say nothing
        parts = ratio(squares, known[groups]) / math.sqrt(3), self.shares
        by_change, by_size = (ratio(1, np.bincount(groups, np.square(each), number)) for each in parts)
        variances = np.where(np.isfinite(sums), sums, np.nan) / self.factors
        return Spread(variances, np.maximum(np.fmin(by_change, by_size) - 1, 1.0))

    @property
    def members(self) -> tuple[IntArray, IntArray]:
        """The cluster of each row, (m,), and the group of each cluster, (u,)."""
        assert self.clusters is not None
        return self.clusters, self.groups_of_clusters

    @property
    def number(self) -> int:
        """Number of units of a single group."""
        return int(self.sizes[0])

    @property
    def factors(self) -> FloatArray:
        """What makes sums of squares unbiased, (g,); NaN for a single unit.  O(g)."""
        return unbiasing(self.sizes)

    @property
    def amounts(self) -> AnyArray:
        """The weights, (m,), 1 where they are equal.  O(m)."""
        return np.ones(self.rows, np.int64) if self.weights is None else self.weights

    def sums(self, codes: AnyArray, cells: int) -> WeightSums:
        """Add up the weights of each of some cells, (cells,) each; codes: (m,) in 0 .. cells-1.  O(m + cells)."""
        if self.weights is None:
            counts = np.bincount(codes, minlength=cells).astype(np.float64)
            return WeightSums(counts, counts, counts)
        return weight_sums(codes, self.weights, cells, frequencies=self.are_frequencies)

    def weighted(self, values: FloatArray, rows: slice = slice(None)) -> FloatArray:
        """Return values of some rows, (r,), times their weights.  O(r)."""
        return values if self.weights is None else values * self.weights[rows]


def unbiasing(sizes: FloatArray) -> FloatArray:
    """Return C / (C - 1) for numbers of units C, (g,); NaN for a single unit.  O(g)."""
    several = np.where(sizes > 1, sizes, np.nan)
    return np.asarray(ratio(several, several - 1))


def units_of(
    rows: int,
    *,
    weights: AnyArray | None = None,
    are_frequencies: bool = False,
    clusters: IntArray | None = None,
    groups: IntArray | None = None,
    count: int = 1,
    chosen: Any = slice(None),
) -> Units:
    """Return the units of checked columns, (m,) each, in g groups; rows: m; count: g.

    weights: above zero; clusters: numbers from 0 on; groups: of each row, in 0 .. g - 1.  O(m), with clusters of groups
    O(m log m).
    """
    groups_of_clusters, shares, frequencies = None, None, weights if are_frequencies else None
    if clusters is not None:
        numbers = int(clusters.max(initial=-1)) + 1
        groups_of_clusters = np.zeros(numbers, np.int64)
        if groups is not None:
            found, clusters = encode_labels(groups * numbers + clusters)
            groups_of_clusters = found // max(numbers, 1)
        sizes: AnyArray = np.bincount(groups_of_clusters, minlength=count)
        amounts = np.bincount(clusters, weights, groups_of_clusters.size)
        shares = np.asarray(ratio(amounts, np.bincount(groups_of_clusters, amounts, count)[groups_of_clusters]))
    elif groups is not None:
        sizes = np.bincount(groups, frequencies, count)
    else:
        sizes = np.array([rows if frequencies is None else frequencies.sum()])
    sizes = sizes.astype(np.float64)
    return Units(rows, sizes, chosen, weights, are_frequencies, groups, clusters, groups_of_clusters, shares)


class MeanSample(NamedTuple):
    """Cases whose values have a mean in each of g groups.

    >>> sample, values = mean_sample(units_of(3)), np.array([0.0, 0.0, 3.0])
    >>> sums = sample.sums(values.__getitem__)
    >>> sample.means(sums), sample.spread(values.__getitem__, sums)
    (array([1.]), Spread(variances=array([1.]), freedom=array([2.])))
    """

    units: Units
    strata: Units
    """These units, grouped by group and class where only values within classes vary."""
    totals: FloatArray
    """The weight of each of s strata, shape (s,)."""

    @property
    def cases(self) -> FloatArray:
        """The effective number of cases of each group, (g,).  O(m) with weights."""
        units = self.units
        if units.weights is None or units.are_frequencies:
            return self.every
        return np.asarray(ratio(np.square(self.every), units.totals(units.weights.__getitem__)))

    @property
    def every(self) -> FloatArray:
        """The weight of each group, (g,)."""
        return np.asarray(self.totals.reshape(self.units.sizes.size, -1).sum(axis=1))

    def sums(self, values: ValuesOfRows) -> FloatArray:
        """Add up values of rows, times their weights, (s,).  O(m)."""
        return self.strata.totals(values)

    def means(self, sums: FloatArray) -> FloatArray:
        """Return the means of groups, (g,), from the sums of strata.  O(s)."""
        return np.asarray(ratio(sums.reshape(self.units.sizes.size, -1).sum(axis=1), self.every))

    def spread(self, values: ValuesOfRows, sums: FloatArray) -> Spread:
        """Return how the means of values vary, (g,); sums: of the same values.  O(m).

        Values are found a second time, for their deviations from the mean: all cases need the memory of a block.
        """
        units, every, strata = self.units, self.every, self.strata.groups
        centres = np.asarray(ratio(sums, self.totals))

        def influence(rows: slice) -> FloatArray:
            changes = values(rows) - (centres[0] if strata is None else centres[strata[rows]])
            changes /= every[0] if units.groups is None else every[units.groups[rows]]
            return units.weighted(changes, rows)

        return spread_of_cases(units, influence) if units.clusters is None else self.left_out(influence(slice(None)))

    def left_out(self, influence: FloatArray) -> Spread:
        """Return how means vary from how they change without each cluster; influence: of rows, (m,).  O(m).

        Of a known prevalence, each class is what is left of it: NaN where one cluster has all of a class.
        """
        units, (clusters, of_clusters), strata = self.units, self.units.members, self.strata.groups
        classes = self.totals.size // units.sizes.size
        codes = clusters if classes == 1 or strata is None else classes * clusters + strata % classes
        columns = (np.bincount(codes, each, classes * of_clusters.size) for each in (influence, units.amounts))
        changes, held = (each.reshape(-1, classes) for each in columns)
        left = 1 - ratio(held, self.totals.reshape(-1, classes)[of_clusters])
        left = np.where(held > 0, np.where(left > 2.0**-40, left, np.nan), 1.0)
        return units.left_out((changes / left).sum(axis=1))


def mean_sample(units: Units, classes: AnyArray | None = None) -> MeanSample:
    """Return the cases of units; classes: of each, 0 or 1, (m,), where their prevalence is known.  O(m)."""
    strata = units
    if classes is not None:
        codes = classes + 2 * (np.int64(0) if units.groups is None else units.groups)
        strata = units._replace(groups=codes, sizes=np.ones(2 * units.sizes.size))
    return MeanSample(units, strata, strata.totals(np.broadcast_to(1.0, units.rows).__getitem__))


def spread_of_cases(units: Units, influence: ValuesOfRows) -> Spread:
    """Return how estimates vary whose influence values, (m,), are those of single cases.  O(m)."""

    def powers_of(rows: slice) -> tuple[FloatArray, FloatArray]:
        squares = units.squares(influence(rows), rows)
        return squares, units.squares(squares, rows)

    squares, fourths = units.in_groups(powers_of)
    return spread_of_powers(squares, fourths, units.sizes)


def spread_of_powers(squares: FloatArray, fourths: FloatArray, sizes: FloatArray) -> Spread:
    """Return how estimates vary from the sums of powers of what single cases contribute, and their number, (g,)."""
    freedom = np.minimum(freedom_of_powers(squares, fourths), sizes - 1)
    return Spread(squares * unbiasing(sizes), np.fmax(freedom, 1.0))


def freedom_of_powers(squares: FloatArray, fourths: FloatArray) -> FloatArray:
    """Return the degrees of freedom from sums of powers of what single cases contribute, of any shape."""
    return _OF_CONTRIBUTIONS * np.asarray(ratio(np.square(squares), fourths))


def spread_of_sums(means: FloatArray, powers: FloatArray, sizes: AnyArray) -> Spread:
    """Return how means of equal cases vary, (g,), from sums of the second to fourth powers of values, (3, g).  O(g).

    NaN where differences of sums leave too few digits: values vary by less than a thousandth of their size.

    >>> spread_of_sums(np.array([1.0]), np.array([[9.0], [27.0], [81.0]]), np.array([3.0]))
    Spread(variances=array([1.]), freedom=array([2.]))
    """
    seconds, thirds, fourths = powers
    of_means = sizes * np.square(means)
    squares = np.where(seconds - of_means > 1e-6 * seconds, seconds - of_means, np.nan)
    fourths = fourths + means * (6 * means * seconds - 4 * thirds - 3 * means * of_means)
    return spread_of_powers(squares / np.square(sizes), fourths / np.power(sizes, 4.0), sizes)


def with_unseen(spread: Spread, means: FloatArray, cases: FloatArray, largest: Ratio = np.inf) -> Spread:
    """Return how mean losses of probabilities vary, of (effective) numbers of cases, one of which may be unseen.  O(g).

    Cases that a model is right about prove little of those that it is not.  So a case counts that has the mean loss but
    for its outcome, which is another one; largest: of each Brier score, infinite for log losses.  Where losses differ
    as outcomes do, it adds next to nothing.

    >>> with_unseen(Spread(np.array([0.0]), np.array([3.0])), np.array([0.0]), np.array([4.0]), 1.0)
    Spread(variances=array([0.0625]), freedom=array([1.5]))
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = 1 - np.sqrt(means / largest)
        other = np.where(np.isinf(largest), -np.log(-np.expm1(-means)), np.square(roots) * largest)
    unseen = np.square(np.maximum(other - means, 0.0) / cases)
    variances = spread.variances + unseen
    apart = np.square(spread.variances) / spread.freedom + np.square(unseen) / _OF_CONTRIBUTIONS
    return Spread(variances, np.fmax(ratio(np.square(variances), apart), 1.0))


def means_and_spread(
    units: Units, values: ValuesOfRows, *, classes: AnyArray | None = None, largest_loss: Ratio | None = None
) -> tuple[FloatArray, Spread]:
    """Return the means of values of rows in each group, (g,), and how they vary.  O(m).

    classes: as of `mean_sample`; largest_loss: if values are losses of probabilities, as of `with_unseen`.
    """
    sample = mean_sample(units, classes)
    sums = sample.sums(values)
    means, spread = sample.means(sums), sample.spread(values, sums)
    return means, spread if largest_loss is None else with_unseen(spread, means, sample.cases, largest_loss)


def checked_cases(
    function: str, y_true: Any, models: Mapping[str, Any], pos_label: Any, drawn: Any = None, *, sample: str = ""
) -> tuple[BoolArray, list[ScoreArray], Units]:
    """Check labels, the column of each model, and what is drawn; return those of cases with a weight above 0.  O(n).

    models: by the names of arguments; those of y_prob are probabilities, of at least one case, others are scores.
    drawn: weights, their type, and clusters; sample: what is behind the names of arguments.
    """
    sample_weight, weight_type, cluster = drawn or (None, "sampling", None)
    name, weight = f"y_true{sample}", f"sample_weight{sample}"
    check_indices(**{name: y_true, **models, weight: sample_weight, "cluster": cluster})
    correct = as_positive_mask(y_true, pos_label, function, name)
    probable = all(model.startswith("y_prob") for model in models)
    read = as_unit_probabilities if probable else as_scores
    columns = {model: read(values, model) for model, values in models.items()}
    for model, column in columns.items():
        check_equal_lengths(correct, column, name, model)
    check(correct.size > 0 or not probable, name, "hold at least one case", "none")
    units = checked_units(sample_weight, weight_type, correct.size, function, cluster, name=weight)
    return correct[units.chosen], [column[units.chosen] for column in columns.values()], units


def checked_units(
    sample_weight: Any,
    weight_type: Any,
    size: int,
    function: str,
    cluster: Any = None,
    *,
    name: str = "sample_weight",
    cases: str = "y_true",
) -> Units:
    """Check weights and clusters of as many cases, and return the units of those with a weight above zero.

    name, cases: of the weights and of another column, for errors.  O(n), O(n log n) for many clusters.  Raises
    EvaluationError or EvaluationTypeError for invalid weights or clusters, and for a type of no weights.

    >>> checked_units([2.0, 0.0, 2.0], "sampling", 3, "f").chosen
    array([ True, False,  True])
    """
    frequencies = are_frequencies(weight_type, function)
    chosen: Any = slice(None)
    codes, own = None, None
    if sample_weight is not None:
        values = as_case_weights(sample_weight, size, name, whole=frequencies)
        present = values > 0
        chosen = chosen if present.all() else present
        values = values[chosen]
        least, largest = extent_of_weights(values, name)
        alike = largest == 1 if frequencies else least == largest
        own = None if alike else scale_weights(values)[0]
    elif frequencies:
        raise EvaluationError(f"weight_type needs {name}, which it describes; pass it, or no weight_type")
    if cluster is not None:
        column = as_group_names(cluster, "cluster")
        check_equal_lengths(range(size), column, cases, "cluster")
        codes = encode_labels(column[chosen])[1]
    rows = size if isinstance(chosen, slice) else int(np.count_nonzero(chosen))
    return units_of(rows, weights=own, are_frequencies=frequencies, clusters=codes, chosen=chosen)
