"""Comparisons of two classifiers by their decisions on the same cases, also in many groups at once."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, EvaluationTypeError, check
from evalcore.inference.cells import Cells, cells_of_decisions, cells_of_rows
from evalcore.inference.intervals import (
    ROUNDED_VARIANCE,
    Comparison,
    PairedEstimates,
    bounds_of_difference,
    checked_level,
    compare_normal,
    normal_interval,
    proportion_interval,
    special,
    tails_of,
    undefined_interval,
)
from evalcore.inference.units import ONE_CLUSTER, Units, checked_units, unbiasing
from evalcore.kernels.tables import BinaryCounts
from evalcore.measures.multiclass import decision_derivatives, decision_measure
from evalcore.measures.thresholds import variance_of_unseen
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, WeightType
from evalcore.validation.arrays import check_indices
from evalcore.validation.targets import right_cases
from evalcore.validation.values import check_choice

_TESTS = "exact", "mid-p"
"""Tests of cases by name, the default first."""
_CLUSTERED_TESTS = "obuchowski", "durkalski"
"""Tests of clusters."""
_TESTED = "accuracy", "recall", "specificity"
"""Measures that are fractions of the same cases for both models."""
_LARGEST = {"kappa": 2.0, "net_benefit": np.inf}
"""Differences, where they may be above 1."""


def mcnemar_test(
    y_true: ArrayLike,
    y_pred_old: ArrayLike,
    y_pred_new: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    method: Literal["exact", "mid-p", "obuchowski", "durkalski"] | None = None,
    level: float = 0.95,
) -> Comparison:
    r"""Compare the accuracies of two classifiers on the same cases by McNemar's test.

    Only cases count that one classifier gets right and the other wrong.  If the accuracies are equal, either of them is
    right equally often.

    Parameters
    ----------
    y_true, y_pred_old, y_pred_new : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels of any number of classes: Booleans, numbers or text.
    sample_weight : array-like of shape (n,), optional
        With ``weight_type="frequency"``, how many cases like each one there were.  The binomial test counts cases, so
        sampling weights are refused unless all are equal, or there are clusters: `bootstrap_comparison` takes them.
    weight_type : {'sampling', 'frequency'}
        As `accuracy_interval`.
    cluster : array-like of shape (n,), optional
        As `roc_auc_interval`: the patient, day or the like of each case, which is then what is drawn by chance.
    method : {'exact', 'mid-p', 'obuchowski', 'durkalski'}, optional
        'exact', the default, is the binomial test, which finds a false difference less often than its p-values say.
        'mid-p' counts the observed outcome half, and comes close to them.  With clusters 'obuchowski', the default
        there, tests the difference of the accuracies by the variance of what clusters add to it, 'durkalski' the mean
        difference within clusters, where large ones count no more than small ones.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.

    Returns
    -------
    Comparison
        Of the accuracies, in 0 .. 1, and the new one less the old one.  The statistic is the smaller number of cases
        that one classifier alone gets right.  The p-value is 1 if there are no such cases.  The bounds, in -1 .. 1, are
        Newcombe's, from the Wilson intervals of both accuracies and their correlation; they may disagree with the test
        if it is close.  With clusters the statistic is chi-squared with one degree of freedom, and the bounds those of
        a normal difference with the variance of clusters, by Student's t with one degree of freedom less than there are
        clusters.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If the columns differ in kind or length or are empty; if weights are invalid, as for `accuracy_interval`, or
        sampling weights differ; if a cluster is missing; if the method is unknown, needs clusters or takes none; if the
        level is not a number between 0 and 1; if SciPy is not installed.

    Warns
    -----
    UndefinedMetricWarning
        If there is a single cluster: bounds, statistic and p-value are NaN.  If all clusters gain alike, but not 0, so
        that the variance is 0: the bounds are NaN.

    Notes
    -----
    $$p = 2 \sum_{i=0}^{\min(b, c)} \binom{b + c}{i} 2^{-(b + c)}$$

    That is the exact test, at most 1; $b$ and $c$ are the cases that one classifier alone gets right.  Use it for
    decisions on the same cases; for scores take `compare_roc_auc`.

    O(n), with indicators O(n k).  Measured on 2,000 samples each, where 10% of cases were right by one alone and
    5% by the other, 95% bounds held the difference for 50 cases in 96.6% and for 200 in 95.5%.  Sources: Q. McNemar,
    Note on the sampling error of the difference between correlated proportions or percentages, Psychometrika 12 (1947)
    153-157; M. W. Fagerland, S. Lydersen and P. Laake, The McNemar test for binary matched-pairs data: mid-p and
    asymptotic are better than exact conditional, BMC Medical Research Methodology 13 (2013) 91; R. G. Newcombe,
    Improved confidence intervals for the difference between binomial proportions based on paired data, Statistics in
    Medicine 17 (1998) 2635-2650, method 10; N. A. Obuchowski, On the comparison of correlated proportions for clustered
    data, Statistics in Medicine 17 (1998) 1495-1507; V. L. Durkalski, Y. Y. Palesch, S. R. Lipsitz and P. F. Rust,
    Analysis of clustered matched-pair data, Statistics in Medicine 22 (2003) 2417-2428.

    Examples
    --------
    >>> truth, old, new = [1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 0, 1]
    >>> mcnemar_test(truth, old, new)
    0.875 - 0.375 = 0.5 [0.0292941, 0.759309] (95% mcnemar-exact), p = 0.125
    >>> mcnemar_test(truth, old, new, cluster=[1, 1, 2, 2, 3, 3, 4, 4])
    0.875 - 0.375 = 0.5 [-0.149614, 1] (95% mcnemar-obuchowski), p = 0.157
    """
    allowed, which = (_TESTS, "without") if cluster is None else (_CLUSTERED_TESTS, "with")
    test: str = allowed[0] if method is None else method
    check_choice(test, (*_TESTS, *_CLUSTERED_TESTS), "method", "mcnemar_test")
    check(test in allowed, "method", f"be {' or '.join(map(repr, allowed))} {which} cluster=", repr(test))
    confidence = checked_level(level)
    models = {"y_pred_new": y_pred_new, "y_pred_old": y_pred_old}
    check_indices(y_true=y_true, **models, sample_weight=sample_weight, cluster=cluster)
    masks = [_right(y_true, decisions, name) for name, decisions in models.items()]
    units = checked_units(sample_weight, weight_type, masks[0].size, "mcnemar_test", cluster)
    cells = cells_of_decisions(units, *masks)
    if units.clusters is not None:
        return _mcnemar_test_of_clusters(cells, confidence, test)
    advice = "else bootstrap_comparison(..., measure=metrics.accuracy_score)"
    got = f"sampling weights; give weight_type='frequency' if a weight says how often a case occurred, {advice}"
    check(cells.counted, "sample_weight", "hold frequencies for McNemar's test", got)
    return mcnemar_test_of_counts(BinaryCounts(*cells.table.ravel().tolist()), confidence, test)


def mcnemar_test_of_counts(right: BinaryCounts, level: float, method: str = "exact") -> Comparison:
    """Compare two fractions of the same cases; right: by both, by the first alone, by the second alone, by neither.

    As `mcnemar_test`, of at least one case.  O(1).

    >>> mcnemar_test_of_counts(BinaryCounts(3, 4, 0, 1), 0.95)
    0.875 - 0.375 = 0.5 [0.0292941, 0.759309] (95% mcnemar-exact), p = 0.125
    """
    first, second = right[1:3]
    p_value = _p_value(first, second, mid=method == "mid-p")
    estimates, low, high = _newcombe(right, level)
    difference = (first - second) / sum(right)
    return Comparison(estimates, difference, low, high, level, float(min(first, second)), p_value, f"mcnemar-{method}")


def _right(y_true: Any, y_pred: Any, name: str) -> BoolArray:
    """Return the mask of the cases that are predicted right; errors name the column of predictions.  O(n)."""
    try:
        return right_cases(y_true, y_pred)
    except (EvaluationError, EvaluationTypeError) as error:
        raise type(error)(f"y_true and {name}: {error}") from None


def _p_value(first: int, second: int, *, mid: bool) -> float:
    """Return how often a fair coin's tosses are at least as uneven; a mid-p value counts equal ones half.  O(1)."""
    fewer, tosses = min(first, second), first + second

    def at_most(heads: int) -> float:
        return float(special().betainc(float(tosses - heads), float(heads + 1), 0.5)) if heads >= 0 else 0.0

    if tosses == 0 or not mid:
        return min(2 * at_most(fewer), 1.0) if tosses else 1.0
    # an even outcome is its own mirror image; from 10**12 tosses on SciPy before 1.17 passes 1
    return min(at_most(fewer - 1) + (0.5 if first == second else at_most(fewer)), 1.0)


def _newcombe(table: BinaryCounts, level: float) -> tuple[tuple[float, float], float, float]:
    """Return both accuracies and the bounds of their difference; table: both, first, second, neither right.  O(1)."""
    both, first, second, _ = table
    cases = sum(table)
    one, other = (proportion_interval(both + alone, cases, level=level) for alone in (first, second))
    found = ((each.estimate, each.low, each.high) for each in (one, other))
    low, high = map(float, bounds_of_difference(*found, apart=_lack_of_correlation(table)))
    return (one.estimate, other.estimate), max(low, -1.0), min(high, 1.0)


def _lack_of_correlation(table: BinaryCounts) -> float:
    """Return 1 - phi, a positive phi corrected by half a case as Newcombe does, 1 if it is undefined.  O(1).

    1 - c / √m is (m - c²) / (m + c √m), which keeps all digits if the correlation is near 1.
    """
    both, first, second, neither = table
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    twice = 2 * (both * neither - first * second)
    if not margins:
        return 1.0
    if twice <= 0:
        return 1 - twice / (2 * math.sqrt(margins))
    twice = max(twice - sum(table), 0)
    return (4 * margins - twice**2) / (4 * margins + 2 * twice * math.sqrt(margins))


def _mcnemar_test_of_clusters(cells: Cells, level: float, method: str) -> Comparison:
    """Compare the fractions of clustered cases that two classifiers get right, as `mcnemar_test`.  O(m).

    cells: (1, 2, 2), a row for those that the first gets right, another for the others.

    >>> from evalcore.inference.units import units_of
    >>> codes = np.array([[1, 0, 1, 0, 2, 0]])[0]  # clusters gain 1, 1 and -1
    >>> cells = cells_of_rows(units_of(6, clusters=np.array([0, 0, 1, 1, 2, 2])), codes, (2, 2))
    >>> round(_mcnemar_test_of_clusters(cells, 0.95, "obuchowski").statistic, 6)
    0.222222
    """
    assert cells.units is not None
    sums, gain, number = cells.sums.sums[0], np.array([[0.0, 1.0], [-1.0, 0.0]]), cells.units.number
    total = float(sums.sum())
    estimates = float(sums[0].sum()) / total, float(sums[:, 0].sum()) / total
    difference = float((sums * gain).sum()) / total
    variance = float(cells.spread((gain - difference)[np.newaxis] / total)[0])
    statistic = p_value = math.nan
    if number > 1:  # chi-squared with one degree of freedom for equal classifiers
        own, factor = cells.of_units(gain), 1 - 1 / number
        if method == "durkalski":
            own, factor = own / cells.of_units(np.ones((2, 2))), 1.0
        squares = float(np.square(own).sum())
        statistic = factor * float(own.sum()) ** 2 / squares if squares else 0.0
        p_value = tails_of(math.sqrt(statistic))
    how = float(cells.freedom[0]), (-1.0, 1.0)
    low, high = normal_interval(difference, math.sqrt(variance), level, method, *how)
    if number < 2 or (variance <= ROUNDED_VARIANCE and sums[gain != 0].any()):
        why = ONE_CLUSTER if number < 2 else "all clusters gain alike, so that the variance is 0"
        low, high = undefined_interval(difference, level, method, why, 4)
    return Comparison(estimates, difference, low, high, level, statistic, p_value, f"mcnemar-{method}")


def compare_decisions(
    cells: Cells, name: str, level: float, threshold: float | None = None
) -> tuple[list[Comparison], FloatArray]:
    """Compare a measure of `DIFFERENTIABLE` in each group, the new one first, and return the errors too.  O(g + m).

    cells: by label, old and new decision, positives first, (g, 2, 2, 2); threshold: of the decisions, for net benefit,
    whose errors are those of `compare_decision_curves`.

    >>> from evalcore.inference.units import units_of
    >>> truth, new, old = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1, 1]], bool)
    >>> compare_decisions(paired_decisions(truth, old, new, units_of(8)), "accuracy", 0.95)[0]
    [0.875 - 0.375 = 0.5 [0.0292941, 0.759309] (95% mcnemar-mid-p), p = 0.0625]
    """
    sums = cells.sums.sums
    tables = sums.sum(axis=-1), sums.sum(axis=-2)
    old, new = (decision_measure(name, table, threshold) for table in tables)
    of_old, of_new = (decision_derivatives(name, table, threshold) for table in tables)
    variances = cells.spread(of_new[..., np.newaxis, :] - of_old[..., np.newaxis])
    if cells.units is None:
        variances = variances * unbiasing(cells.sums.cases.sum(axis=(1, 2, 3)))
        if name == "net_benefit":
            totals, squares = (column.sum(axis=(-2, -1)).T for column in (sums, cells.sums.squares))
            variances += variance_of_unseen(totals, squares, np.full(totals.shape[1], threshold))
    found = PairedEstimates(new, old, np.sqrt(variances))
    if name not in _TESTED or not cells.counted or cells.units is not None:
        return compare_normal(found, level, "delta", _LARGEST.get(name, 1.0), cells.freedom), found.errors
    undefined = compare_normal(PairedEstimates(*np.full((3, 1), np.nan)), level, "mcnemar-mid-p")[0]
    tested = [
        mcnemar_test_of_counts(BinaryCounts(*right), level, "mid-p") if any(right) else undefined
        for right in _right_of_both(cells, name).tolist()
    ]
    return tested, found.errors


def _right_of_both(cells: Cells, name: str) -> IntArray:
    """Return how many cases both, the new one alone, the old one alone and neither get right, (g, 4).  O(g)."""
    of_positives, of_negatives = cells.table[:, 0], cells.table[:, 1, ::-1, ::-1]  # axes: old wrong, new wrong
    right = {"recall": of_positives, "specificity": of_negatives, "accuracy": of_positives + of_negatives}[name]
    return np.asarray(right.transpose(0, 2, 1).reshape(-1, 4))


def paired_decisions(
    positive: BoolArray, old: BoolArray, new: BoolArray, units: Units, *, known_prevalence: bool = False
) -> Cells:
    """Count cases by label, old and new decision, (g, 2, 2, 2); positive, old, new: (m,).  O(m + g)."""
    codes: AnyArray = (~positive).view(np.int8) * np.int8(4)
    codes += (~old).view(np.int8) * np.int8(2)
    codes += (~new).view(np.int8)
    return cells_of_rows(units, codes, (2, 2, 2), known_prevalence=known_prevalence)
