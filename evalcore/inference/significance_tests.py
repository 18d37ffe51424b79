"""Comparisons of two rankers, or other runs, by their values for the same queries, and p-values of several tests."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, check, check_type, refuse
from evalcore.inference import intervals
from evalcore.inference.bootstrap import checked_resamples, generator
from evalcore.inference.intervals import Comparison
from evalcore.state.shared import GroupValues
from evalcore.typing import AnyArray, FloatArray, Seed
from evalcore.validation.arrays import as_column, as_scores, check_equal_lengths, check_indices
from evalcore.validation.values import check_number

CORRECTED_T = "corrected-t"
_RUNS = ("new", "old")
_SIGNS_AT_ONCE = 1 << 17
"""Number of signs that are drawn at once, 8 bytes each."""


class _Differences(NamedTuple):
    """The new run less the old one, in units of a power of two in which no sum or square overflows."""

    means: tuple[float, float]
    """Of both runs, not in this unit."""
    values: FloatArray
    """Shape (g,); the absolute values add up to less than 2**52."""
    rounding: FloatArray
    """Largest distance between differences of a query that are equal except for rounding, shape (g,)."""
    exponent: int
    """Of the unit."""

    def unscaled(self, value: float) -> float:
        return math.ldexp(value, self.exponent)


def paired_t_test(
    old: ArrayLike | GroupValues,
    new: ArrayLike | GroupValues,
    *,
    measure: str | None = None,
    level: float = 0.95,
    test_train_ratio: float = 0.0,
) -> Comparison:
    r"""Compare the means of two runs over the same queries, or of learners over the same folds, by Student's t test.

    The test assumes normal differences.  With many queries it is enough that their mean is about normal.

    Parameters
    ----------
    old, new : array-like of shape (g,), or GroupedEvaluation
        Finite values of a measure for each query, in the same order of queries; or two evaluations of the same
        groups, in any order, without weights of groups.
    measure : str, optional
        The measure of the evaluations to compare, by any name that they know: "map" for "AP".  It must have plain
        means: for the geometric mean ``gm_map`` compare the logarithms that it averages.
    level : float, default 0.95
        Confidence level: the fraction of samples of queries whose bounds hold the true difference, above 0 and below 1.
    test_train_ratio : float, default 0
        Of values of folds, or of other random splits, the number of cases that each tests, divided by the number that
        it trains on, such as 1 / 9 of ten folds.  The test is then the corrected resampled t-test of Nadeau and Bengio:
        splits share training data, and without the correction it finds differences where there are none.

    Returns
    -------
    Comparison
        Of the means, the new one less the old one.  If all differences are equal except for rounding, nothing is known
        of their variance: bounds, statistic and p-value are NaN, and the p-value is 1 if all differences are 0.
        Range: the p-value 0 .. 1, the difference that of the values.

    Raises
    ------
    EvaluationError
        If a value is not finite or is beyond 2**1000 (the message names the query); if there are no queries, or the
        columns differ in length; if the measure is unknown, or only one evaluation has a group; if the level is out of
        range, or the ratio negative or not finite.
    EvaluationTypeError
        If the values are not numbers, or only one argument is an evaluation.

    Warns
    -----
    UndefinedMetricWarning
        If there is a single query, or all differences are equal.

    Notes
    -----
    $$t = \frac{\bar d}{s_d \sqrt{1 / g + n_{test} / n_{train}}}$$

    $d$ are the differences of $g$ queries, new less old; $n_{test} / n_{train}$ is `test_train_ratio`.  Use it for many
    queries; for few, or some with large differences, take `permutation_test`.

    O(g).  Sources: Student, The probable error of a mean, Biometrika 6 (1908) 1-25; C. Nadeau and Y. Bengio, Inference
    for the generalization error, Machine Learning 52 (2003) 239-281.

    Examples
    --------
    >>> paired_t_test([0.25, 0.75, 0.5, 0.0], [0.5, 0.75, 1.0, 0.25])
    0.625 - 0.375 = 0.25 [-0.0748071, 0.574807] (95% paired-t), p = 0.0917

    Two evaluations of the same queries:

    >>> from evalcore import ranking
    >>> judged = {"q1": ["d1"], "q2": ["d2"], "q3": ["d1", "d3"]}
    >>> new = {"q1": ["d1", "d2"], "q2": ["d2", "d1"], "q3": ["d3", "d1"]}
    >>> old = {"q1": ["d2", "d1"], "q2": ["d2", "d1"], "q3": ["d2", "d1"]}
    >>> before, after = (ranking.from_ids(run, judged).evaluate("AP P@1") for run in (old, new))
    >>> paired_t_test(before, after, measure="map")
    1 - 0.583333 = 0.416667 [-0.531979, 1.36531] (95% paired-t), p = 0.199

    The accuracies of two learners in four folds:

    >>> paired_t_test([0.25, 0.75, 0.5, 0.0], [0.5, 0.75, 1.0, 0.25], test_train_ratio=1 / 3)
    0.625 - 0.375 = 0.25 [-0.246151, 0.746151] (95% corrected-t), p = 0.207
    """
    differences, confidence = _differences(new, old, measure), intervals.checked_level(level)
    per_trained = check_number(test_train_ratio, "test_train_ratio")
    check(0 <= per_trained < math.inf, "test_train_ratio", "be finite and not negative", per_trained)
    method = CORRECTED_T if per_trained else "paired-t"
    queries = differences.values.size
    shifted = differences.values - differences.values[0]  # all 0 for equal differences, which a mean may not show
    centre = shifted.mean()
    mean = float(differences.values[0] + centre)
    means, difference = differences.means, differences.unscaled(mean)
    rounding, statistic = differences.rounding.max(), math.nan
    if np.ptp(shifted) <= rounding:
        why = "there is a single query" if queries == 1 else "the differences are all equal, except for rounding"
        p_value = 1.0 if queries > 1 and np.abs(differences.values).max() <= rounding else math.nan
        low, high = intervals.undefined_interval(difference, confidence, method, why)
    else:
        error = math.sqrt(np.square(shifted - centre).sum() / (queries - 1) / queries * (1 + queries * per_trained))
        reach = intervals.reach_of(confidence, queries - 1) * error
        low, high = differences.unscaled(mean - reach), differences.unscaled(mean + reach)
        statistic = mean / error
        p_value = intervals.tails_of(statistic, queries - 1)
    return Comparison(means, difference, low, high, confidence, statistic, p_value, method)


def permutation_test(
    old: ArrayLike | GroupValues,
    new: ArrayLike | GroupValues,
    *,
    measure: str | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: Seed = None,
) -> Comparison:
    r"""Compare the means of two runs over the same queries by Fisher's randomisation test.

    If the runs are equal, either could have either value of a query, so all patterns of signs of the differences are
    equally likely.  The test assumes nothing else.

    Parameters
    ----------
    old, new : array-like of shape (g,), or GroupedEvaluation
        Finite values of a measure for each query, in the same order of queries; or two evaluations of the same groups,
        in any order, without weights of groups.
    measure : str, optional
        The measure of the evaluations to compare, by any name that they know: "map" for "AP".  It must have plain
        means.
    level : float, default 0.95
        Confidence level: the fraction of samples of queries whose bounds hold the true difference, above 0 and below 1.
    resamples : int, default 10_000
        Number of patterns of signs to draw.  If there are no more than that, each counts once.
    seed : optional
        As for ``numpy.random.default_rng``; the same seed gives the same result.

    Returns
    -------
    Comparison
        Of the means, the new one less the old one, which is the statistic.  The p-value is the fraction of patterns,
        the observed one included, whose mean is at least as far from 0: it is never 0, and 1 if all differences are 0.
        The bounds hold every difference that the same patterns do not reject once it is taken from all values; they
        assume that differences are symmetric around their centre.  They are infinite if queries or patterns are too few
        to reject anything: up to five queries or 38 patterns for 95%.  Range: the p-value above 0, at most 1.

    Raises
    ------
    EvaluationError
        As `paired_t_test`; if `resamples` is below 1, or the seed is negative.
    EvaluationTypeError
        As `paired_t_test`; if `resamples` or the seed has the wrong type.

    Notes
    -----
    $$p = \frac{|\{ s \in \{-1, 1\}^g : |\sum_i s_i d_i| \geq |\sum_i d_i| \}|}{2^g}$$

    $d$ are the differences of $g$ queries; of many patterns some are drawn.  Use it for rankings, query by query, or
    any value for each case.

    O(g r) for g queries and r patterns, in O(g + r) memory.  Differences are added up exactly.  Means of two patterns
    are equal if they differ by no more than the rounding of the values, half a unit in the last place of each, so that
    0.3 - 0.2 ties with 0.2 - 0.1; integers are not rounded.  Measured on 2,000 samples of differences with Laplace's
    distribution each, 95% bounds held the true one for 10 queries in 94.4% and for 30 in 95.0%.  Sources: R. A. Fisher,
    The Design of Experiments (1935), 21; for rankings M. D. Smucker, J. Allan and B. Carterette, A comparison of
    statistical significance tests for information retrieval evaluation, CIKM (2007) 623-632; for the bounds J. A.
    Hartigan, Using subsample values as typical values, JASA 64 (1969) 1303-1317; for drawn patterns B. Phipson and
    G. K. Smyth, Permutation p-values should never be zero, Statistical Applications in Genetics and Molecular Biology 9
    (2010) 39.

    Examples
    --------
    >>> permutation_test([0.25, 0.5, 0.5, 0.0, 0.25, 0.5], [0.5, 0.75, 1.0, 0.25, 0.5, 0.75])
    0.625 - 0.333333 = 0.291667 [0.25, 0.5] (95% permutation), p = 0.0312
    """
    differences, confidence = _differences(new, old, measure), intervals.checked_level(level)
    patterns = checked_resamples(resamples)
    whole = np.rint(differences.values)  # so that all sums are exact
    sums, sizes = _flip_signs(whole, patterns, generator(seed))
    total = float(whole.sum())
    slack = float(np.sum(differences.rounding + 2 * np.abs(differences.values - whole)))
    as_far = np.count_nonzero(np.abs(total - 2 * sums) >= abs(total) - slack)
    p_value = float(as_far + 1) / (sums.size + 1)
    low, high = map(differences.unscaled, _bounds_not_rejected(sums, sizes, (1 - confidence) / 2))
    difference = differences.unscaled(total / whole.size)
    return Comparison(differences.means, difference, low, high, confidence, difference, p_value, "permutation")


def signed_rank_test(differences: FloatArray, level: float) -> tuple[float, float, float, float]:
    """Return the statistic of Wilcoxon's signed ranks of differences, (g,), its p-value, and the bounds that invert it.

    Bounds are Walsh averages, which are means of two differences or one of them, and hold every difference that the
    test does not reject.  An average of 0 counts for either side, so that they exclude 0 if and only if p <= 1 - level.
    Exact up to 50 differences, then normal; of differences that are all 0 there are no bounds.  O(g²).  Source: M.
    Hollander, D. A. Wolfe and E. Chicken, Nonparametric Statistical Methods (2013), 3.1 to 3.3.

    >>> signed_rank_test(np.array([0.25, 0.5, -0.125, 0.75, 1.0, 0.375]), 0.9)
    (1.0, 0.0625, 0.125, 0.75)
    """
    size, tail = differences.size, (1 - level) / 2
    averages = np.sort(np.add.outer(differences, differences)[np.tri(size, dtype=np.bool_)]) / 2
    against = min(int(np.count_nonzero(averages <= 0)), int(np.count_nonzero(averages >= 0)))
    if size <= 50:
        counts = np.eye(1, averages.size + 1)[0]  # sets of ranks by their sums
        for rank in range(1, size + 1):
            counts[rank:] += counts[:-rank].copy()
        tails = np.cumsum(counts) / 2.0**size
        p_value, depth = float(tails[against]), int(np.count_nonzero(tails <= tail + 1e-12))
    else:
        mean, deviation = averages.size / 2 - 0.5, math.sqrt(averages.size * (2 * size + 1) / 12)
        p_value = intervals.normal_probability((against - mean) / deviation)
        depth = math.floor(mean + intervals.normal_quantile(tail) * deviation) + 1
    low, high = (averages[depth - 1], averages[-depth]) if depth > 0 else (-math.inf, math.inf)
    bounds = (float(low), float(high)) if differences.any() else (math.nan, math.nan)
    return float(against), min(2 * p_value, 1.0), *bounds


def _differences(new: Any, old: Any, measure: str | None) -> _Differences:
    """Check two runs, and return the differences of their values for each query.  O(g)."""
    evaluated = [isinstance(run, GroupValues) for run in (new, old)]
    if any(evaluated):
        other = evaluated.index(min(evaluated))
        check_type(all(evaluated), _RUNS[other], f"be a GroupedEvaluation like {_RUNS[1 - other]}", (new, old)[other])
        columns, groups = _values_of_groups(new, old, measure)
        of_lack = [f" in {run}; leave that group out of both" for run in _RUNS]

        def named(run: str, index: int) -> str:
            return f"{measure} of group {groups[index]!r}"
    else:
        check(measure is None, "measure", "be None where no evaluations are given", repr(measure))
        check_indices(old=old, new=new)
        columns = [_numbers(values, run) for values, run in zip((new, old), _RUNS, strict=True)]
        of_lack, named = ["; a value is finite: leave that query out of both"] * 2, "{}[{}]".format
    runs = [_query_values(*each, named) for each in zip(columns, _RUNS, of_lack, strict=True)]
    (values, spacing), (other_values, other_spacing) = runs
    check_equal_lengths(other_values, values, *_RUNS[::-1])
    refuse({"old and new must hold at least one value": values.size == 0})
    differences, rounding = values - other_values, spacing + other_spacing
    rounding += np.where(rounding > 0, np.spacing(np.abs(differences)), 0.0)  # whole numbers are not rounded
    # whole numbers whose absolute values add up to less than 2**52 have exact sums in any order
    exponent = int(np.frexp(np.abs(differences).sum())[1]) - 52
    means = float(values.mean()), float(other_values.mean())
    with np.errstate(over="ignore"):  # infinite next to far smaller differences: all are ties
        return _Differences(means, np.ldexp(differences, -exponent), np.ldexp(rounding, -exponent), exponent)


def _numbers(values: Any, name: str) -> AnyArray:
    column = as_column(values, name)
    return column if column.dtype.kind in "fiu" else as_scores(values, name)


def _query_values(
    column: AnyArray, run: str, of_lack: str, named: Callable[[str, int], str]
) -> tuple[FloatArray, FloatArray]:
    """Return finite values, and the distance from each to the next float, 0 for whole numbers, (g,) each.  O(g).

    of_lack: how errors go on after a value that is not finite; named: how they name one of a run.
    """
    wrong = ~(np.abs(column) <= np.float64(2.0**1000))  # sums of these do not overflow
    if wrong.any():
        index = int(wrong.argmax())
        value = column[index]
        far = f"must be in -2**1000 .. 2**1000, got {value}; scale both runs"
        raise EvaluationError(f"{named(run, index)} {far if np.isfinite(value) else f'is {value}{of_lack}'}")
    numbers = as_scores(column, run)
    values = numbers.astype(np.float64)
    spacing = np.zeros_like(values) if column.dtype.kind in "iu" else np.spacing(np.abs(numbers)).astype(np.float64)
    return values, spacing


def _values_of_groups(new: GroupValues, old: GroupValues, measure: str | None) -> tuple[list[FloatArray], list[Any]]:
    """Return the values of a measure in the groups of two evaluations, and their names, as in the new one.  O(g)."""
    names = [run.groups.tolist() for run in (new, old)]
    for run, evaluation, here, there in zip(_RUNS, (new, old), names, map(set, names[::-1]), strict=True):
        lone = next((name for name in here if name not in there), None)
        weights = f"{run} must be an evaluation without weights of groups, which no paired test takes"
        refuse({f"group {lone!r} is only in {run}": lone is not None, weights: evaluation.weights is not None})
    refuse({"old and new must have at least one group": not names[0]})
    index_of = {name: index for index, name in enumerate(names[1])}
    order = [index_of[name] for name in names[0]]
    return [_measure_values(new, measure), _measure_values(old, measure)[order]], names[0]


def _measure_values(run: GroupValues, measure: str | None) -> FloatArray:
    if measure is None:
        raise EvaluationError(f"measure must be one of {', '.join(run.values)}, got None")
    name = run.measure_name(measure)
    logarithms = " and ".join(f"np.log({each}[{measure!r}])" for each in _RUNS)
    got = f"{measure!r}, whose mean is geometric; compare {logarithms}, the values it averages"
    refuse({f"measure must not be {got}": name in run.geometric})
    return run.values[name]


def _flip_signs(differences: FloatArray, resamples: int, source: np.random.Generator) -> FloatArray:
    """Flip signs by every other pattern if there are at most `resamples`, otherwise by random ones.  O(g r).

    Returns the sum and the number of the differences whose sign each pattern flips, (2, r).
    """
    queries = differences.size
    exact = queries < resamples.bit_length()  # 2**queries <= resamples
    count, words = (1 << queries) - 1 if exact else resamples, -(-queries // 64)
    summed = np.column_stack([differences, np.ones(queries)])
    flips, rows = np.empty((count, 2)), max(_SIGNS_AT_ONCE // queries, 1)
    for start in range(0, count, rows):
        taken = min(rows, count - start)
        if exact:  # the binary digits of consecutive numbers; those of 0 would flip nothing
            mask: AnyArray = np.arange(start + 1, start + 1 + taken)[:, None] >> np.arange(queries) & 1
        else:  # bits of whole words: the same patterns for blocks of any size
            drawn = source.integers(0, 1 << 64, (taken, words), dtype=np.uint64)
            mask = np.unpackbits(drawn.astype("<u8").view(np.uint8), axis=1, count=queries)
        flips[start : start + taken] = mask.astype(np.float64) @ summed
    return flips.T


def _bounds_not_rejected(sums: FloatArray, sizes: FloatArray, tail: float) -> tuple[float, float]:
    """Return the bounds of the differences that no tail of the patterns rejects.  O(r).

    If a difference is taken from all values, a pattern's sum is at least the observed sum if and only if the mean of
    the values that it flips is at most the difference.  So these means, in order, are the borders between p-values.
    """
    flipping = sizes > 0
    means = sums[flipping] / sizes[flipping]
    depth = math.floor(round(tail * (sizes.size + 1), 9)) - (sizes.size - means.size)
    if depth < 1:
        return -math.inf, math.inf
    ordered = np.partition(means, [depth - 1, means.size - depth])
    return float(ordered[depth - 1]), float(ordered[means.size - depth])


def holm(p_values: ArrayLike) -> FloatArray:
    r"""Return p-values adjusted for the number of tests by Holm's step-down method.

    If you reject hypotheses with adjusted p-values of at most alpha, the probability of any false rejection is at most
    alpha, however the tests depend on each other.

    Parameters
    ----------
    p_values : array-like of shape (k,)
        In 0 .. 1, in any order; for example the ``p_value`` of some comparisons.

    Returns
    -------
    ndarray of shape (k,), float64
        In the same order, each at least the p-value it adjusts and at most 1.

    Raises
    ------
    EvaluationError
        If a p-value is NaN or outside 0 .. 1, or the array is not one-dimensional.
    EvaluationTypeError
        If the array does not hold numbers.

    Notes
    -----
    $$\max_{j \leq i} \min(1, (k - j + 1) p_{(j)})$$

    $p_{(j)}$ is the $j$-th smallest of $k$ p-values.  Use it for few tests, any false rejection of which matters; for
    many take `benjamini_hochberg`.

    O(k log k).  Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> holm([0.25, 0.0625, 0.125])
    array([0.25  , 0.1875, 0.25  ])
    """
    return _adjusted(p_values, lambda k: np.arange(k, 0, -1), np.maximum.accumulate)  # the smallest is one of k


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    r"""Return p-values adjusted for the number of tests by the step-up method of Benjamini and Hochberg.

    If you reject hypotheses with adjusted p-values of at most alpha, the false rejections are at most the fraction
    alpha of all rejections, on average.  Use it where many groups are searched and some false findings do no harm;
    `holm` bounds the probability of any.

    Parameters
    ----------
    p_values : array-like of shape (k,)
        In 0 .. 1, in any order; for example the ``p_value`` of some comparisons.

    Returns
    -------
    ndarray of shape (k,), float64
        In the same order, each at least the p-value it adjusts and at most that of `holm`.  In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `holm`.

    Notes
    -----
    $$\min_{j \geq i} \frac{k}{j} p_{(j)}$$

    At most 1; $p_{(j)}$ is the $j$-th smallest of $k$ p-values.  Use it to look through many tests; where any false
    rejection matters take `holm`.

    O(k log k).  The tests must be independent, or depend on each other positively.  Source: Y. Benjamini and Y.
    Hochberg, Controlling the false discovery rate: a practical and powerful approach to multiple testing, Journal of
    the Royal Statistical Society B 57 (1995) 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.25, 0.0625, 0.125])
    array([0.25  , 0.1875, 0.1875])
    """
    # of k tests, j have so small a p-value
    return _adjusted(p_values, lambda k: k / np.arange(1, k + 1), lambda each: np.minimum.accumulate(each[::-1])[::-1])


def _adjusted(
    p_values: ArrayLike, factors: Callable[[int], AnyArray], stepped: Callable[[AnyArray], AnyArray]
) -> FloatArray:
    """Check p-values, (k,), and return them adjusted: in their order times the factors of k, and stepped.  O(k log k).

    Raises EvaluationError for an invalid p-value.
    """
    values = _numbers(p_values, "p_values")
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        index = int(wrong.argmax())
        raise EvaluationError(f"p_values[{index}] is {values[index]}; a p-value is in 0 .. 1")
    order, adjusted = np.argsort(values, kind="stable"), np.empty(values.size)
    adjusted[order] = np.minimum(stepped(values[order] * factors(values.size)), 1.0)
    return adjusted
