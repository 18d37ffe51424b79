"""Measures of a table of counts by category, shape (k, k) int64: a row for each reference, a column for each response.

Sources: [Cohen], A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20 (1960)
37-46; [Cramér], Mathematical Methods of Statistics (1946), 30.5 and 21.9; [Goodman], L. A. Goodman and W. H. Kruskal,
Measures of association for cross classifications, JASA 49 (1954) 732-764; [Sokolova], M. Sokolova and G. Lapalme, A
systematic analysis of performance measures for classification tasks, Information Processing & Management 45 (2009)
427-437.  The other measures, and their names, are those of LingPipe's confusion matrix (spec 003).  Each costs O(k²).
Some take many tables too, shape (..., k, k) int64, and return what they do of each.

The total must stay within int64.  Differences of products of counts are computed in whole numbers: correct
to 1e-12 for tables of any size.

Derivatives of measures by the cells of a table, of decisions on one label and of classes, by name.  Their mean over the
cases is 0, for measures stay the same where all cells grow alike: variances need no mean.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.kernels import tables
from evalcore.kernels.sums import EXACT_IN_FLOAT64, exact_integers, ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import agreement, binary
from evalcore.measures.agreement import disagreement
from evalcore.typing import Amount, AnyArray, FloatArray, IntArray, Ratio

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


def kappa(counts: AnyArray) -> Ratio:
    """Return accuracy beyond `chance_accuracy`, at most 1, of one table or many, or of sums of weights [Cohen]."""
    if counts.ndim == len(_CELLS) and counts.dtype.kind != "f":
        return agreement.kappa(correct(counts), *margins(counts))  # O(k) beside the margins
    return weighted_kappa(counts, disagreement(counts.shape[-1], 0))


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
        most = int(disagreement.max()) * int(np.abs(counts).sum(axis=_CELLS).max(initial=0)) ** 2
        most_kept = most if most <= EXACT_IN_FLOAT64 else None  # a quotient of int64 would be rounded three times
        cells, total, apart = exact_integers(cells, total, apart, most=most_kept)
    by_chance = (cells.sum(axis=-1)[..., np.newaxis, :] @ apart @ cells.sum(axis=-2)[..., np.newaxis])[..., 0, 0][()]
    kappas = ratio(by_chance - total * (apart * cells).sum(axis=_CELLS), by_chance)
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


def cross_entropy(counts: IntArray) -> Ratio:
    """Return the cross-entropy of references coded for responses in bits, at least the reference entropy."""
    return agreement.cross_entropy(counts.sum(axis=1), counts.sum(axis=0))


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


def margins(counts: IntArray) -> tuple[list[int], list[int]]:
    """Return the row and the column totals, in Python's integers."""
    return counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()


def _excess(counts: IntArray) -> FloatArray:
    """How many more cases each cell holds than in an independent table, times n: n count - r c, rounded once."""
    sums = (counts.sum(axis=axes, keepdims=True) for axes in (_CELLS, -1, -2))
    most = int(counts.sum(axis=_CELLS).max(initial=0)) ** 2
    cells, total, rows, columns = exact_integers(counts, *sums, most=most)
    return np.asarray((total * cells - rows * columns).astype(np.float64))


def _products_of_margins(counts: IntArray) -> FloatArray:
    """Row total times column total of each cell: n times its count in an independent table, (..., k, k)."""
    return np.asarray(counts.sum(axis=-1, keepdims=True) * counts.sum(axis=-2, keepdims=True).astype(np.float64))


def _in_rows(tables: FloatArray) -> FloatArray:
    """Return the cells of each table in one row, (..., k²)."""
    return tables.reshape(*tables.shape[:-2], -1)


def _geometric_mean(first: float, second: float) -> float:
    """Return √(a b), of which a b may overflow or vanish; NaN for a negative one, from weights of both signs."""
    (one, exponent), (other, other_exponent) = math.frexp(first), math.frexp(second)
    odd = (exponent + other_exponent) % 2
    product = math.ldexp(one * other, odd)
    return math.nan if product < 0 else math.ldexp(math.sqrt(product), (exponent + other_exponent - odd) // 2)


Places: TypeAlias = tuple[IntArray, ...]
"""The rows and columns of m cells, (m,) each, where not all of a table are needed."""


def _at(part: AnyArray, at: Places | None) -> AnyArray:
    """Return some cells of a table, (..., m), of which part may be one row or column; all for None.  O(m)."""
    if at is None:
        return part
    (rows, columns), (height, width) = at, part.shape[-2:]
    if width == 1:
        return part[..., 0].take(rows, axis=-1, mode="clip") if height > 1 else part[..., 0]
    return part[..., 0, :].take(columns, axis=-1, mode="clip") if height == 1 else part[..., rows, columns]


def kappa_derivatives(counts: AnyArray, apart: AnyArray | None = None, *, at: Places | None = None) -> FloatArray:
    """Return how much kappa changes with each cell of tables, (..., k, k) int64, or float64 sums of weights.  O(k²).

    apart: (k, k), how much two classes disagree, 0 on the diagonal; by default 1 for any other; at: m cells that are
    asked for, which gives (..., m), also of other measures.  Of whole numbers they are exactly 0 where they are 0.
    Source: J. L. Fleiss, J. Cohen and B. S. Everitt, Large sample standard errors of kappa and weighted kappa,
    Psychological Bulletin 72 (1969) 323-327.
    """
    apart = disagreement(counts.shape[-1], 0) if apart is None else apart
    cells = counts.astype(np.float64) if apart.dtype.kind == "f" else counts
    if cells.dtype.kind != "f":
        most = int(np.max(counts.sum(axis=_CELLS), initial=0))
        cells, apart = exact_integers(cells, apart, most=4 * int(apart.max(initial=0)) ** 2 * most**3)
    reference, response, total = (cells.sum(axis=axes, keepdims=True) for axes in (-1, -2, _CELLS))
    # added, not subtracted: sums of weights are rounded
    wrong = (cells * apart).sum(axis=_CELLS, keepdims=True)
    from_response, from_reference = apart @ response.swapaxes(*_CELLS), reference.swapaxes(*_CELLS) @ apart
    by_chance = from_reference @ response.swapaxes(*_CELLS)
    # the derivatives, except for a factor that all have: whole numbers of counts
    number, wrong, by_chance = (_at(each, at) for each in (total, wrong, by_chance))
    expected = _at(from_response, at) + _at(from_reference, at)
    deviations = number * wrong * expected - by_chance * (wrong + number * _at(apart, at))
    return np.asarray(ratio(deviations, np.square(by_chance.astype(np.float64))))


def ratio_with_derivatives(factors: FloatArray, tables: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a quotient of sums over cells, (...), and how it changes with each cell, (..., k, k).  O(k²).

    factors: of the cells in both sums, (2, k, k); tables: (..., k, k).
    """
    above, below = ((each * tables).sum(axis=_CELLS, keepdims=True) for each in factors)
    quotients = np.asarray(ratio(above, below))
    return quotients[..., 0, 0], np.asarray(ratio(factors[0] - quotients * factors[1], below))


def accuracy_derivatives(tables: AnyArray) -> FloatArray:
    """Return how much the accuracy changes with each cell of tables, (..., k, k).  O(k²)."""
    right = np.eye(tables.shape[-1])
    return ratio_with_derivatives(np.array([right, np.ones_like(right)]), tables)[1]


def average_derivatives(kind: str, name: str, tables: AnyArray, *, at: Places | None = None) -> FloatArray:
    """Return how much an average over classes changes with each cell of tables, (..., k, k).  O(k²).

    name: precision, recall or f1; kind: macro, of the classes that occur or are predicted; balanced, of those that
    occur; or weighted by their cases.

    >>> average_derivatives("balanced", "recall", np.array([[3, 1], [0, 4]]))
    array([[ 0.03125, -0.09375],
           [-0.125  ,  0.     ]])
    """
    tp, fn, fp, _ = one_versus_all(tables)
    (gain, *_), (own, missed, wrong, _) = DECISION_RATIOS[name].reshape(2, -1)
    below = own * tp + missed * fn + wrong * fp
    below = np.where(below > 0, below, np.inf)  # a quotient of 0 does not change
    values = gain * tp / below
    amounts = tp + fn if kind == "weighted" else (tp + fn + (fp if kind == "macro" else 0) > 0)
    total = amounts.sum(axis=-1, keepdims=True)
    parts = np.asarray(ratio(amounts, total)) / below
    tp, fn, fp = parts * (gain - own * values), -missed * parts * values, -wrong * parts * values
    found = _at(fn[..., np.newaxis], at) + _at(fp[..., np.newaxis, :], at)
    every = np.arange(tables.shape[-1])
    if at is None:
        found[..., every, every] = tp
    else:
        right = np.flatnonzero(np.equal(*at))
        found[..., right] = tp.take(at[0][right], axis=-1)
    if kind == "weighted":
        means = np.asarray(ratio((amounts * values).sum(axis=-1, keepdims=True), total))
        found += _at(np.asarray(ratio(values - means, total))[..., np.newaxis], at)
    return found


def matthews_derivatives(tables: AnyArray, *, at: Places | None = None) -> FloatArray:
    """Return how much `matthews` changes with each cell of tables, (..., k, k).  O(k²)."""
    total = tables.sum(axis=_CELLS, keepdims=True)
    sides = (tables.sum(axis=axis)[..., np.newaxis] for axis in (-1, -2))
    parts = *sides, tables.trace(0, *_CELLS)[..., np.newaxis, np.newaxis]
    reference, response, right = (np.asarray(ratio(each, total)) for each in parts)
    covariance = right - (reference * response).sum(axis=_CELLS, keepdims=True)
    of_reference, of_response = (1 - np.square(each).sum(axis=_CELLS, keepdims=True) for each in (reference, response))
    # with the sum of the cells beside them, all three stay in proportion where all cells grow alike
    same = np.eye(tables.shape[-1], dtype=np.bool_) if at is None else np.equal(*at)
    changes = _at(right, at) + same - _at(response, at) - _at(reference.swapaxes(*_CELLS), at)
    of_reference, of_response = (np.where(each > 0, each, np.nan) for each in (of_reference, of_response))
    scale = np.sqrt(of_reference * of_response)
    varying = (reference, of_reference), (response.swapaxes(*_CELLS), of_response)
    given = (np.asarray(ratio(1 - each, np.where(variance, variance, np.nan))) for each, variance in varying)
    lost = sum(_at(each, at) for each in given)
    return np.asarray(ratio(changes - _at(covariance, at) * lost, _at(np.asarray(scale * total), at)))


def yules_q_derivatives(tables: AnyArray, *, at: Places | None = None) -> FloatArray:
    """Return how much Yule's Q changes with each cell of tables, (..., 2, 2).  O(1) for each."""
    total = tables.sum(axis=_CELLS, keepdims=True)
    cells = np.asarray(ratio(tables, total))
    products = (np.asarray(cells[..., 0, end] * cells[..., 1, 1 - end]) for end in (0, 1))
    concordant, discordant = (each[..., np.newaxis, np.newaxis] for each in products)
    others = cells[..., ::-1, ::-1] * np.where(np.eye(2, dtype=np.bool_), discordant, -concordant)
    return _at(np.asarray(ratio(2 * others, np.square(concordant + discordant) * total)), at)


DECISION_RATIOS = {
    name: np.array(factors, np.float64)
    for name, factors in {
        "accuracy": ([[1, 0], [0, 1]], [[1, 1], [1, 1]]),
        "recall": ([[1, 0], [0, 0]], [[1, 1], [0, 0]]),
        "precision": ([[1, 0], [0, 0]], [[1, 0], [1, 0]]),
        "specificity": ([[0, 0], [0, 1]], [[0, 0], [1, 1]]),
        "false_positive_rate": ([[0, 0], [1, 0]], [[0, 0], [1, 1]]),
        "selection_rate": ([[1, 0], [1, 0]], [[1, 1], [1, 1]]),
        "negative_predictive_value": ([[0, 0], [0, 1]], [[0, 1], [0, 1]]),
        "jaccard": ([[1, 0], [0, 0]], [[1, 1], [1, 0]]),
        "f1": ([[2, 0], [0, 0]], [[2, 1], [1, 0]]),
    }.items()
}
"""Measures as quotients of sums over tp, fn, fp and tn, each times its factor: (2, 2, 2)."""


def decision_measure(name: str, tables: FloatArray) -> FloatArray:
    """Return a measure of `DECISION_RATIOS`; tables: (..., 2, 2), tp, fn, fp, tn.  Returns (...).  O(1) for each.

    >>> decision_measure("precision", np.array([[3.0, 2.0], [1.0, 4.0]]))
    array(0.75)
    """
    return ratio_with_derivatives(DECISION_RATIOS[name], tables)[0]


def decision_derivatives(name: str, tables: FloatArray) -> FloatArray:
    """Return how much a measure of `DECISION_RATIOS` changes with each cell of tables, (..., 2, 2).  O(1) for each.

    >>> decision_derivatives("recall", np.array([[3.0, 1.0], [1.0, 4.0]]))
    array([[ 0.0625, -0.1875],
           [ 0.    ,  0.    ]])
    """
    return ratio_with_derivatives(DECISION_RATIOS[name], tables)[1]


def net_benefit_factors(threshold: float) -> FloatArray:
    """Return the factors of tp, fn, fp and tn in the sums whose quotient net benefit is, (2, 2, 2).  O(1)."""
    return np.array([[[1.0, 0.0], [threshold / (threshold - 1), 0.0]], np.ones((2, 2))])
