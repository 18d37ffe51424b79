"""Measures of a table of counts by category, shape (k, k) int64: a row for each reference, a column for each response.

Sources: [Cohen], A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20 (1960)
37-46; [Cramér], Mathematical Methods of Statistics (1946), 30.5 and 21.9; [Goodman], L. A. Goodman and W. H. Kruskal,
Measures of association for cross classifications, JASA 49 (1954) 732-764; [Sokolova], M. Sokolova and G. Lapalme, A
systematic analysis of performance measures for classification tasks, Information Processing & Management 45 (2009)
427-437.  The other measures, and their names, are those of LingPipe's confusion matrix (spec 003).  Each costs O(k²).
Some take many tables too, shape (..., k, k) int64, and return what they do of each.

The total must stay within int64.  Differences of products of counts are computed in whole numbers: correct
to 1e-12 for tables of any size.

Variances of measures over samples of the same size, by the delta method on the multinomial of a table's cells.

Each is Σ p (g - Σ p g)² / n, where p are the fractions of the cells and g the derivatives of the measure by them.  Of
weighted cases it is Σ w² g², for derivatives by the sums of the weights, whose weighted mean is 0.
Source of the method: Y. M. M. Bishop, S. E. Fienberg and P. W. Holland, Discrete Multivariate Analysis (1975), 14.6.

How much measures of classes change with each case: their derivatives by the cells of a table, where these are few.

A case of a cell changes the measures of its label and of its prediction alone, so that each cell has few entries.  The
weighted mean of the entries of a class is 0, for the measures stay the same where all cells grow alike: variances need
no mean.  The source of the method is that of `evalcore.measures.multiclass`.

Measures of decisions on one label by name, and how much they change with each cell of the table.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evalcore.kernels import tables
from evalcore.kernels.sums import exact_integers, ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.weights import WeightSums
from evalcore.measures import agreement, binary
from evalcore.measures.agreement import disagreement
from evalcore.typing import Amount, AnyArray, Count, FloatArray, IntArray, Ratio

Z_95, Z_99 = 1.96, 2.58
"""Standard deviations that hold 95 and 99 of 100 cases of a normal distribution, rounded as LingPipe does."""


_CELLS = -2, -1
"""Axes of a table."""


class CategoryCounts(NamedTuple):
    """The table of each category against all others, four columns of shape (k,): counts, or sums of weights.

    Of many tables, shape (..., k).
    """

    tp: AnyArray
    fn: AnyArray
    fp: AnyArray
    tn: AnyArray


def one_versus_all(counts: AnyArray) -> CategoryCounts:
    """Return the counts, or sums of weights, of each category against all others, of one table or many.

    Weights are added, not subtracted, so that a heavy category leaves the digits of the light ones.
    """
    tp = counts.diagonal(0, *_CELLS)
    if counts.dtype.kind != "f":
        reference, response = np.add.reduce(counts, axis=-1), np.add.reduce(counts, axis=-2)
        total = np.add.reduce(reference, axis=-1, keepdims=True)
        return CategoryCounts(tp, reference - tp, response - tp, total - reference - response + tp)
    beside = tables.sums_of_others(counts, -1)
    wrong_and_right = beside, tables.sums_of_others(counts, -2), tables.sums_of_others(beside, -2)
    return CategoryCounts(tp, *(sums.diagonal(0, *_CELLS) for sums in wrong_and_right))


def category_versus_all(counts: IntArray, category: int) -> BinaryCounts:
    """Return the counts of one category against all others."""
    return BinaryCounts(*(int(column[category]) for column in one_versus_all(counts)))


def pooled_versus_all(counts: IntArray) -> BinaryCounts:
    """Return the sum of the counts of each category against all others, in Python's integers."""
    right, wrong = _right_and_wrong(counts)
    # true negatives: every case in all categories but its own, and but for its response where that is wrong
    return BinaryCounts(right, wrong, wrong, (len(counts) - 1) * (right + wrong) - wrong)


def correct(counts: AnyArray) -> Amount:
    """Return the number of cases on the diagonal, or their weight."""
    right: Amount = counts.trace().item()
    return right


def accuracy(counts: IntArray) -> Ratio:
    """Return the fraction of correct responses, in 0 .. 1."""
    return binary.accuracy(*_right_and_wrong(counts), 0, 0)


def confidence(counts: IntArray, z: float) -> float:
    """Return how far an interval of `z` standard deviations reaches to either side of the accuracy."""
    return z * float(binary.accuracy_deviation(*_right_and_wrong(counts), 0, 0))


def macro_precision(counts: IntArray) -> Ratio:
    """Return the mean of the categories' precisions, in 0 .. 1; NaN if one is NaN [Sokolova].

    The order of the categories does not matter, as for the other means.
    """
    return _mean_of_categories(_precisions(counts))


def macro_recall(counts: IntArray) -> Ratio:
    """Return the mean of the categories' recalls, in 0 .. 1; NaN if one is NaN [Sokolova]."""
    return _mean_of_categories(_recalls(counts))


def macro_f_measure(counts: IntArray) -> Ratio:
    """Return the mean of the categories' F measures, in 0 .. 1; NaN if one is NaN."""
    return _mean_of_categories(binary.f_measure(_precisions(counts), _recalls(counts)))


def chance_accuracy(counts: IntArray) -> Ratio:
    """Return the accuracy of independent responses of the same frequencies, Σ p q, in 0 .. 1 [Cohen]."""
    return agreement.chance_accuracy(*_margins(counts))


def pooled_chance_accuracy(counts: IntArray) -> Ratio:
    """Return the accuracy of independent responses where both have the mean frequencies, Σ ((p + q) / 2)², in 0 .. 1.

    Source: S. Siegel and N. J. Castellan, Nonparametric Statistics for the Behavioral Sciences (1988), 9.8.
    """
    return agreement.pooled_chance_accuracy(*_margins(counts))


def kappa(counts: AnyArray) -> Ratio:
    """Return accuracy beyond `chance_accuracy`, at most 1, of one table or many, or of sums of weights [Cohen]."""
    if counts.dtype.kind == "f":  # a difference of products would lose what a weight that dominates hides
        return weighted_kappa(counts, agreement.disagreement(counts.shape[-1], 0))
    if counts.ndim == len(_CELLS):
        return agreement.kappa(correct(counts), *_margins(counts))
    margins = (np.moveaxis(counts.sum(axis=axis), -1, 0) for axis in (-1, -2))
    return agreement.kappa(counts.trace(0, *_CELLS), *map(list, margins))


def pooled_kappa(counts: IntArray) -> Ratio:
    """Return accuracy beyond `pooled_chance_accuracy`, at most 1: Scott's pi, Siegel and Castellan's kappa."""
    return agreement.pooled_kappa(correct(counts), *_margins(counts))


def kappa_no_prevalence(counts: IntArray) -> Ratio:
    """Return 2 accuracy - 1, in -1 .. 1."""
    return agreement.kappa_no_prevalence(*_right_and_wrong(counts))


def weighted_kappa(counts: AnyArray, disagreement: AnyArray) -> Ratio:
    """Return how much less responses disagree than independent ones, 1 - Σ d n / Σ d e, at most 1.

    counts: of one table or many, or sums of weights; disagreement: (k, k), d of each reference and response, 0 on the
    diagonal.  NaN where independent responses could not disagree, and for weights of both signs that sum to 0.
    Source: J. Cohen, Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial credit,
    Psychological Bulletin 70 (1968) 213-220.
    """
    cells, total, apart = counts, counts.sum(axis=_CELLS), disagreement
    if counts.dtype.kind != "f" and disagreement.dtype.kind != "f":
        most = int(disagreement.max()) * int(np.abs(counts).sum()) ** 2
        cells, total, apart = exact_integers(cells, total, apart, most=most)
    by_chance = (cells.sum(axis=-1)[..., np.newaxis, :] @ apart @ cells.sum(axis=-2)[..., np.newaxis])[..., 0, 0]
    kappas = ratio(by_chance - total * np.sum(apart * cells, axis=_CELLS), by_chance)
    return np.where(total, kappas, np.nan)[()]


def matthews(tp: AnyArray, fn: AnyArray, fp: AnyArray, tn: AnyArray) -> Ratio:
    """Return the correlation of references and responses, in -1 .. 1; NaN where either are all of one category.

    tp, fn, fp, tn: (k,), each category against all others, of which the covariance and the variances are sums of
    products without cancellation except for one difference.
    Source: J. Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient, Computational
    Biology and Chemistry 28 (2004) 367-374, equation 8.
    """
    rows = np.array((tp, fn, fp, tn)).T.tolist()  # of Python's integers, which are exact
    covariance = sum(tp * tn - fn * fp for tp, fn, fp, tn in rows)
    of_reference = sum((tp + fn) * (fp + tn) for tp, fn, fp, tn in rows)
    of_response = sum((tp + fp) * (fn + tn) for tp, fn, fp, tn in rows)
    return ratio(float(covariance), _geometric_mean(float(of_reference), float(of_response)))


def reference_entropy(counts: IntArray) -> Ratio:
    """Return the entropy of the references in bits, in 0 .. log₂ k."""
    return agreement.entropy(counts.sum(axis=1))


def response_entropy(counts: IntArray) -> Ratio:
    """Return the entropy of the responses in bits, in 0 .. log₂ k."""
    return agreement.entropy(counts.sum(axis=0))


def cross_entropy(counts: IntArray) -> Ratio:
    """Return the cross-entropy of references coded for responses in bits, at least the reference entropy."""
    return agreement.cross_entropy(counts.sum(axis=1), counts.sum(axis=0))


def joint_entropy(counts: IntArray) -> Ratio:
    """Return the joint entropy of reference and response in bits, in 0 .. 2 log₂ k."""
    return agreement.entropy(counts.ravel())


def conditional_entropy(counts: IntArray) -> Ratio:
    """Return the entropy of the response given the reference in bits, in 0 .. log₂ k.  Empty rows add 0."""
    reference = counts.sum(axis=1)
    return ratio(np.sum(reference * np.where(reference == 0, 0, agreement.entropy(counts))), counts.sum())


def mutual_information(counts: IntArray) -> Ratio:
    """Return the mutual information of reference and response in bits, in 0 .. log₂ k, of one table or many."""
    return agreement.divergence(_in_rows(_excess(counts)), _in_rows(_products_of_margins(counts)))


def divergence(counts: IntArray) -> Ratio:
    """Return Kullback and Leibler's divergence of the references' frequencies from the responses', at least 0."""
    return agreement.divergence(counts.sum(axis=1) - counts.sum(axis=0), counts.sum(axis=0))


def degrees_of_freedom(counts: IntArray) -> int:
    """Return how many cells the margins leave free, (k - 1)² [Cramér]."""
    return (len(counts) - 1) ** 2


def chi_squared(counts: IntArray) -> Ratio:
    """Return Pearson's statistic of independence, Σ (n - e)² / e, at least 0, of one table or many [Cramér].

    NaN with an empty row or column, and with one category, which leaves nothing to be independent.
    """
    if counts.shape[-1] == 1:
        return np.full(counts.shape[:-2], np.nan)[()]
    # n times the textbook's numbers are whole
    excess, products = _in_rows(_excess(counts)), _in_rows(_products_of_margins(counts))
    return ratio(np.sum(ratio(excess**2, products), axis=-1), counts.sum(axis=_CELLS))


def phi_squared(counts: IntArray) -> Ratio:
    """Return the mean square contingency, chi² / n, in 0 .. k - 1, of one table or many [Cramér]."""
    return ratio(chi_squared(counts), counts.sum(axis=_CELLS))


def cramers_v(counts: IntArray) -> Ratio:
    """Return Cramér's V, √(phi² / (k - 1)), in 0 .. 1, of one table or many [Cramér]."""
    return np.sqrt(ratio(phi_squared(counts), counts.shape[-1] - 1))


def lambda_of_reference(counts: IntArray) -> Ratio:
    """Return the fraction of errors in guessing the reference that the response saves, in 0 .. 1: lambda A [Goodman].

    That is (Σ largest of each column - largest row total) / (n - largest row total).
    """
    guessed = counts.sum(axis=1).max()
    return ratio(counts.max(axis=0).sum() - guessed, counts.sum() - guessed)


def lambda_of_response(counts: IntArray) -> Ratio:
    """Return the fraction of errors in guessing the response that the reference saves: lambda B [Goodman]."""
    return lambda_of_reference(counts.T)


def _right_and_wrong(counts: AnyArray) -> tuple[Amount, Amount]:
    right = correct(counts)
    return right, counts.sum().item() - right


def _precisions(counts: IntArray) -> Ratio:
    tp, _, fp, _ = one_versus_all(counts)
    return binary.precision(tp, fp)


def _recalls(counts: IntArray) -> Ratio:
    tp, fn, _, _ = one_versus_all(counts)
    return binary.recall(tp, fn)


def _mean_of_categories(values: Ratio) -> Ratio:
    return math.fsum(np.asarray(values)) / np.size(values)


def _margins(counts: IntArray) -> tuple[list[int], list[int]]:
    """Row and column totals, in Python's integers."""
    return counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()


def _excess(counts: IntArray) -> FloatArray:
    """How many more cases each cell holds than in an independent table, times n: n count - r c, rounded once."""
    sums = (counts.sum(axis=axes, keepdims=True) for axes in (_CELLS, -1, -2))
    most = int(counts.sum(axis=_CELLS).max(initial=0)) ** 2
    cells, total, rows, columns = exact_integers(counts, *sums, most=most)
    excess: FloatArray = (total * cells - rows * columns).astype(np.float64)
    return excess


def _products_of_margins(counts: IntArray) -> FloatArray:
    """Row total times column total of each cell: n times its count in an independent table, (..., k, k)."""
    columns = counts.sum(axis=-2, keepdims=True).astype(np.float64)
    products: FloatArray = counts.sum(axis=-1, keepdims=True) * columns
    return products


def _in_rows(tables: FloatArray) -> FloatArray:
    """Return the cells of each table in one row, (..., k²)."""
    return tables.reshape(*tables.shape[:-2], -1)


def _geometric_mean(first: float, second: float) -> float:
    """Return √(a b), of which a b may overflow or vanish; NaN for a negative one, from weights of both signs."""
    (one, exponent), (other, other_exponent) = math.frexp(first), math.frexp(second)
    odd = (exponent + other_exponent) % 2
    product = math.ldexp(one * other, odd)
    return math.nan if product < 0 else math.ldexp(math.sqrt(product), (exponent + other_exponent - odd) // 2)


_CELL_NAMES = -2, -1
"""Axes of a table."""


def f1_variance(tp: Count, fn: Count, fp: Count) -> Ratio:
    """Return the variance of F1, F (1 - F) (2 - F) / (2 tp + fn + fp), at least 0; NaN where nothing is positive.

    The mean of the derivatives is 0, for F1 stays the same where all cells grow alike, and true negatives do not
    matter.  O(1).  Source of the method for F measures: K. Takahashi, K. Yamamoto, A. Kuchiba and T. Koyama,
    Confidence interval for micro-averaged F1 and macro-averaged F1 scores, Applied Intelligence 52 (2022) 4961-4972.
    """
    f1, twice = binary.f_measure_of_counts(tp, fn, fp), np.multiply(2.0, tp) + fn + fp
    return ratio(f1 * (2 - f1) * ratio(fn + fp, twice), twice)


def weighted_f1_variance(tp: WeightSums, fn: WeightSums, fp: WeightSums) -> Ratio:
    """Return the variance of F1 of weighted cases, Σ w² g² for the derivatives g; that of `f1_variance` for equal ones.

    At least 0; NaN where nothing is positive.  O(1).
    """
    wrong = fn.sums + fp.sums
    twice = 2 * tp.sums + wrong
    found, missed = ratio(2 * wrong, twice), ratio(2 * tp.sums, twice)  # 2 (1 - F) and F
    return ratio(ratio(np.square(found) * tp.squares + np.square(missed) * (fn.squares + fp.squares), twice), twice)


def kappa_variance(counts: AnyArray, squares: AnyArray | None = None, apart: AnyArray | None = None) -> Ratio:
    """Return the variance of Cohen's kappa, at least 0; NaN where kappa is.

    counts: (k, k) int64, a row for each reference, or (..., k, k) of many tables; or float64 sums of weights, with the
    sums of their squares; apart: as of `kappa_derivatives`.  O(k²) for each.  Source: J. L. Fleiss, J. Cohen and B. S.
    Everitt, Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72 (1969) 323-327, here as
    the variance that it is instead of a difference of squares, from whole numbers.  Exactly 0 where it is 0.
    """
    variances: Ratio = np.sum(
        (counts if squares is None else squares) * np.square(kappa_derivatives(counts, apart)), axis=_CELL_NAMES
    )
    return variances


def kappa_derivatives(counts: AnyArray, apart: AnyArray | None = None) -> FloatArray:
    """Return how much kappa changes with each cell of tables, (..., k, k), as `kappa_variance` takes them.

    apart: (k, k), how much two classes disagree, 0 on the diagonal; by default 1 for any other.  O(k²).
    """
    apart = disagreement(counts.shape[-1], 0) if apart is None else apart
    cells = counts.astype(np.float64) if apart.dtype.kind == "f" else counts
    if cells.dtype.kind != "f":
        total = int(np.max(counts.sum(axis=_CELL_NAMES), initial=0))
        cells, apart = exact_integers(cells, apart, most=4 * int(apart.max(initial=0)) ** 2 * total**3)
    reference, response, total = (cells.sum(axis=axes, keepdims=True) for axes in (-1, -2, _CELL_NAMES))
    # added, not subtracted: sums of weights are rounded
    wrong = (cells * apart).sum(axis=_CELL_NAMES, keepdims=True)
    from_response, from_reference = apart @ response.swapaxes(*_CELL_NAMES), reference.swapaxes(*_CELL_NAMES) @ apart
    by_chance = from_reference @ response.swapaxes(*_CELL_NAMES)
    # the derivatives, except for a factor that all have: whole numbers of counts
    deviations = total * wrong * (from_response + from_reference) - by_chance * (wrong + total * apart)
    return np.asarray(ratio(deviations, np.square(by_chance.astype(np.float64))))


def ratio_derivatives(numerators: AnyArray, denominators: AnyArray, tables: FloatArray) -> FloatArray:
    """Return how much a quotient of sums over cells changes with each; factors: (2, 2); tables: (..., 2, 2).  O(1)."""
    above, below = ((each * tables).sum(axis=_CELL_NAMES, keepdims=True) for each in (numerators, denominators))
    return np.asarray(ratio(numerators - ratio(above, below) * denominators, below))


def variance_of_known_prevalence(derivatives: FloatArray, tables: WeightSums) -> FloatArray:
    """Return variances of measures of weights whose prevalence is given, so that only decisions within classes vary.

    derivatives, tables: (..., 2, 2), a row for each reference.  Returns (...).  O(1).  Source: D. Holt and T. M. F.
    Smith, Post stratification, Journal of the Royal Statistical Society A 142 (1979) 33-46.
    """
    others = ratio(tables.sums[..., ::-1], tables.sums.sum(axis=-1, keepdims=True))
    deviations = (derivatives - derivatives[..., ::-1]) * others  # from the mean of the class, and 0 of a single cell
    variances: FloatArray = np.sum(tables.squares * np.square(deviations), axis=_CELL_NAMES)
    return variances


_DENSE = 16
"""Tables of all units and classes are filled if they have at most so many times as many fields as there are entries."""
_FIELDS = 1 << 16
"""Fields of a table that stays in cache."""


class Influences(NamedTuple):
    """Derivatives by the number of cases of m cells, or by their weight: p entries for each cell, shape (p, m)."""

    classes: IntArray | None
    """Classes of which a measure changes, also the same one twice; None for a measure of all, with one entry."""
    values: FloatArray


class _Cells(NamedTuple):
    """The cells of a table that are asked for, and its margins."""

    labels: IntArray
    predicted: IntArray
    table: AnyArray

    @property
    def right(self) -> FloatArray:
        right: FloatArray = (self.labels == self.predicted).astype(np.float64)
        return right


def influences(measure: str, labels: IntArray, predicted: IntArray, table: AnyArray) -> Influences:
    """Return how much a measure changes with a case of each cell; measure: one of `INFLUENCES`.  O(m + k²).

    labels, predicted: (m,), the class of each; table: (k, k) int64, a row for each label, or float64 sums of weights.

    >>> table = np.array([[3, 1], [0, 4]])
    >>> influences("recall", np.array([0, 0, 1]), np.array([0, 1, 1]), table).values
    array([[ 0.0625, -0.1875,  0.    ]])
    """
    return INFLUENCES[measure](_Cells(labels, predicted, table))


def _accuracy(cells: _Cells) -> Influences:
    return _of_all((cells.right - accuracy(cells.table)) / cells.table.sum())


def _kappa(cells: _Cells) -> Influences:
    return _of_all(kappa_derivatives(cells.table)[cells.labels, cells.predicted])


def _recall(cells: _Cells) -> Influences:
    tp, fn, _, _ = one_versus_all(cells.table)
    return _of_classes(
        cells.labels, (cells.right - np.asarray(binary.recall(tp, fn))[cells.labels]) / (tp + fn)[cells.labels]
    )


def _precision(cells: _Cells) -> Influences:
    tp, _, fp, _ = one_versus_all(cells.table)
    own = cells.predicted
    return _of_classes(own, (cells.right - np.asarray(binary.precision(tp, fp))[own]) / (tp + fp)[own])


def _f1(cells: _Cells) -> Influences:
    tp, fn, fp, _ = one_versus_all(cells.table)
    f1, twice = np.asarray(binary.f_measure_of_counts(tp, fn, fp)), 2 * tp + fn + fp
    of_label = (2 * cells.right - f1[cells.labels]) / twice[cells.labels]
    of_prediction = -f1[cells.predicted] / twice[cells.predicted]
    return Influences(np.stack([cells.labels, cells.predicted]), np.stack([of_label, of_prediction]))


def _macro_f1(cells: _Cells) -> Influences:
    tp, fn, fp, _ = one_versus_all(cells.table)
    return _mean(_f1(cells), tp + fn + fp)


def _balanced_accuracy(cells: _Cells) -> Influences:
    return _mean(_recall(cells), cells.table.sum(axis=1))


INFLUENCES: dict[str, Callable[[_Cells], Influences]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "macro_f1": _macro_f1,
    "kappa": _kappa,
    "recall": _recall,
    "precision": _precision,
    "f1": _f1,
}
"""By the name of a measure, the first four of all classes, the others of each."""


def _of_all(values: AnyArray) -> Influences:
    return Influences(None, np.asarray(values)[np.newaxis])


def _of_classes(classes: IntArray, values: AnyArray) -> Influences:
    return Influences(classes[np.newaxis], np.asarray(values)[np.newaxis])


def _mean(found: Influences, amounts: AnyArray) -> Influences:
    """Return the influences on the mean over the classes of which there is anything, (k,).  O(p m + k)."""
    return _of_all(found.values.sum(axis=0) / np.count_nonzero(amounts))


def squares_of_differences(
    new: Influences,
    old: Influences | None,
    classes: int,
    *,
    sums: AnyArray,
    squares: AnyArray,
    clusters: IntArray | None = None,
) -> FloatArray:
    """Return the sum of the squares of what each unit adds to the difference of a measure, of each class, (classes,).

    old: None for a measure of the new model alone; sums, squares: (m,), of the weights of the cases of each cell and of
    their squares; of cases that count alike both are counts.  clusters: (m,) ascending, the unit of the cases of each
    cell; None if each case is one.  O(m), of very many clusters and classes O(m log m).  Returns (1,) for a measure of
    all classes.
    """
    if new.classes is None:
        change = new.values[0] if old is None else new.values[0] - old.values[0]
        added = change if clusters is None else np.bincount(clusters, change * sums)
        weights = squares if clusters is None else 1.0
        return np.atleast_1d((weights * np.square(added)).sum(dtype=np.float64))
    entries = [*zip(new.classes, new.values, strict=True)]
    if old is not None and old.classes is not None:
        entries += zip(old.classes, -old.values, strict=True)
    if clusters is None:
        return _squares_of_cells(entries, classes, squares)
    if (int(clusters[-1]) + 1) * classes <= _DENSE * len(entries) * clusters.size:
        return _squares_of_clusters(entries, classes, sums, clusters)
    keys = np.concatenate([clusters * classes + of for of, _ in entries])
    occurring, codes = np.unique(keys, return_inverse=True)
    added = np.bincount(codes, np.concatenate([values * sums for _, values in entries]))
    return np.bincount(occurring % classes, np.square(added), classes).astype(np.float64, copy=False)


def _squares_of_cells(entries: Sequence[tuple[IntArray, FloatArray]], classes: int, squares: AnyArray) -> FloatArray:
    """Return the sums of squares of units that are cases; entries: p of classes and values, (m,) each.  O(p² m).

    The entries of a cell and of a class are added to the first of them, so that those of equal models cancel.
    """
    found = np.zeros(classes)
    for index, (own, first) in enumerate(entries):
        added, is_first = first.copy(), np.ones(own.size, np.bool_)
        for earlier, _ in entries[:index]:
            is_first &= earlier != own
        for later, values in entries[index + 1 :]:
            added += np.where(later == own, values, 0.0)
        found += np.bincount(own, squares * np.square(added) * is_first, classes)
    return found


def _squares_of_clusters(
    entries: Sequence[tuple[IntArray, FloatArray]], classes: int, sums: AnyArray, clusters: IntArray
) -> FloatArray:
    """Return the sums of squares of clusters, (m,) ascending, in tables of few of them.  O(p m + u classes)."""
    found, units = np.zeros(classes), max(_FIELDS // classes, 1)
    firsts = np.arange(0, int(clusters[-1]) + 1, units)
    edges = np.append(clusters.searchsorted(firsts), clusters.size)
    for first, (start, stop) in zip(firsts.tolist(), pairwise(edges.tolist()), strict=True):
        rows = slice(start, stop)
        shift = (clusters[rows] - first) * classes
        added = np.zeros(units * classes)
        for of, values in entries:
            added += np.bincount(shift + of[rows], values[rows] * sums[rows], added.size)
        found += np.einsum("uc,uc->c", *[added.reshape(units, classes)] * 2)
    return found


DECISION_RATIOS = {
    "accuracy": ([[1, 0], [0, 1]], [[1, 1], [1, 1]]),
    "recall": ([[1, 0], [0, 0]], [[1, 1], [0, 0]]),
    "precision": ([[1, 0], [0, 0]], [[1, 0], [1, 0]]),
    "specificity": ([[0, 0], [0, 1]], [[0, 0], [1, 1]]),
    "negative_predictive_value": ([[0, 0], [0, 1]], [[0, 1], [0, 1]]),
    "jaccard": ([[1, 0], [0, 0]], [[1, 1], [1, 0]]),
    "f1": ([[2, 0], [0, 0]], [[2, 1], [1, 0]]),
}
"""Measures as quotients of sums over tp, fn, fp and tn, each times its factor."""
DIFFERENTIABLE = (*DECISION_RATIOS, "kappa", "net_benefit")
"""Names of measures whose derivatives are known."""


def decision_measure(name: str, tables: FloatArray, threshold: float | None = None) -> FloatArray:
    """Return a measure of `DIFFERENTIABLE`; tables: (..., 2, 2), tp, fn, fp, tn.  Returns (...).  O(1) for each.

    threshold: of the decisions, above 0 and below 1, which net benefit depends on.

    >>> decision_measure("precision", np.array([[3.0, 2.0], [1.0, 4.0]]))
    array(0.75)
    """
    if name == "kappa":
        return np.asarray(weighted_kappa(tables, disagreement(2, 0)))
    above, below = ((factors * tables).sum(axis=(-2, -1)) for factors in _factors(name, threshold))
    return np.asarray(ratio(above, below))


def decision_derivatives(name: str, tables: FloatArray, threshold: float | None = None) -> FloatArray:
    """Return how much a measure of `DIFFERENTIABLE` changes with each cell of tables, (..., 2, 2).  O(1) for each.

    >>> decision_derivatives("recall", np.array([[3.0, 1.0], [1.0, 4.0]]))
    array([[ 0.0625, -0.1875],
           [ 0.    ,  0.    ]])
    """
    if name == "kappa":
        return kappa_derivatives(tables)
    return ratio_derivatives(*_factors(name, threshold), tables)


def _factors(name: str, threshold: float | None) -> tuple[AnyArray, AnyArray]:
    """Return the factors of tp, fn, fp and tn in the sums whose quotient a measure is, (2, 2) each.  O(1)."""
    if name == "net_benefit":
        assert threshold is not None
        return np.array([[1.0, 0.0], [threshold / (threshold - 1), 0.0]]), np.ones((2, 2))
    above, below = map(np.array, DECISION_RATIOS[name])
    return above, below
