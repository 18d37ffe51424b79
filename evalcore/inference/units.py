"""What is drawn by chance, cases or whole clusters, with or without weights, and the variances that follow from it.

An influence value is what a row adds to the deviation of an estimate from the true value, up to smaller terms; those
of a group have the sum 0.  The variance of the estimate of cases is the sum of the squares of these, with the factor
C / (C - 1) for C cases.  That of clusters is the jackknife's: the sum of the squares of how much the estimate changes
without each, with the factor (C - 1) / C.  Sums of influence values say too little of a large cluster, for it pulls the
estimate towards itself.  Source: C. Jaeckel, The infinitesimal jackknife, Bell Laboratories Memorandum (1972).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, check
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_scores, as_unit_probabilities, check_equal_lengths, check_indices
from evalcore.validation.labels import as_group_names, encode_labels
from evalcore.validation.positive_class import as_positive_mask
from evalcore.validation.weights import are_frequencies, as_case_weights, extent_of_weights, scale_weights

ONE_CLUSTER = "one cluster, or one case that holds all the weight, has no variance"
"""Why bounds are not defined."""
ROUNDED_VARIANCE = 2.0**-90
"""A variance up to this is that of rounded sums: one of counts is 0 or far larger."""
MOST_LEFT_OUT = 100
"""Of more clusters than this, sums of influence values have almost the error of the jackknife, in far less time."""


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
    groups_of_clusters: IntArray | None = None
    """The group of each cluster, shape (u,); None if there are none."""
    shares: FloatArray | None = None
    """The fraction of the weight of its group that each cluster holds, shape (u,); None if there are none."""

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
        assert self.shares is not None
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
        assert self.shares is not None
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
        assert self.groups_of_clusters is not None
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
