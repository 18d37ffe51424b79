"""Agreement beyond chance: accuracy against that of random responses of the same frequencies.

Correct responses, and those expected by chance, are counted in pairs of a reference and a response, n² for n cases.
These are whole numbers, so that no difference of them loses a digit.  Counts are Python's integers; `reference` and
`response` hold one for each of k categories.  Each costs O(k).

Entropies of counts, in bits, where 0 log 0 is 0.

Counts stand along the last axis of an array, one for each outcome.  Source: T. M. Cover and J. A. Thomas, Elements of
Information Theory, 2nd ed. (2006), chapter 2.  Each costs O(n) for n counts.

Means over chosen cases, and of values some of which are missing.

Agreement of raters beyond chance, with its variance, and means that a judge with errors measured.

A coefficient is (o - e) / (1 - e), for the observed agreement o of two raters of a subject and the agreement e that is
expected by chance.  Two ratings agree from 0, for the most distant ones, to 1, for equal ones.  Codes are (n, r), a row
for each subject and a column for each rater, -1 where there is none.  Sources: K. L. Gwet, Handbook of Inter-Rater
Reliability, 4th edition (2014), chapters 2 to 5, as the R package irrCAC computes them; K. Krippendorff, Content
Analysis, 2nd edition (2004), 11.3, for `middle_ranks`.
"""

import math
from collections.abc import Callable, Sequence
from operator import add, mul
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio, ScoreArray


def beyond_chance(agreed: Ratio, by_chance: Ratio, possible: Ratio) -> Ratio:
    """Return agreement beyond chance as a fraction of the possible, (a - e) / (m - e), at most 1.

    Source: J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20
    (1960) 37-46.
    """
    return ratio(agreed - by_chance, possible - by_chance)


def chance_accuracy(reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return the accuracy of independent responses of these frequencies, Σ r c / n², in 0 .. 1 (Cohen 1960)."""
    return ratio(sum(map(mul, reference, response)), sum(reference) * sum(response))


def pooled_chance_accuracy(reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return the accuracy of independent responses of the mean frequencies, Σ (r + c)² / 4 n², in 0 .. 1.

    Source: S. Siegel and N. J. Castellan, Nonparametric Statistics for the Behavioral Sciences (1988), 9.8.
    """
    pooled = list(map(add, reference, response))
    return chance_accuracy(pooled, pooled)


def kappa(correct: int, reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return accuracy beyond `chance_accuracy`, (n correct - Σ r c) / (n² - Σ r c), at most 1 (Cohen 1960)."""
    total = sum(reference)
    return beyond_chance(total * correct, sum(map(mul, reference, response)), total**2)


def pooled_kappa(correct: int, reference: Sequence[int], response: Sequence[int]) -> Ratio:
    """Return accuracy beyond `pooled_chance_accuracy`, (4 n correct - Σ (r + c)²) / (4 n² - Σ (r + c)²), at most 1.

    Scott's pi, Siegel and Castellan's kappa (1988).
    """
    pooled = list(map(add, reference, response))
    return kappa(2 * correct, pooled, pooled)


def kappa_no_prevalence(right: int, wrong: int) -> Ratio:
    """Return kappa adjusted for prevalence and bias, 2 a - 1 for the accuracy a, in -1 .. 1.

    Source: T. Byrt, J. Bishop and J. B. Carlin, Bias, prevalence and kappa, J. Clinical Epidemiology 46
    (1993) 423-429.
    """
    return ratio(right - wrong, right + wrong)


def disagreement(categories: int, power: int) -> IntArray:
    """Return the weight of each pair of ordered categories in a weighted kappa, |i - j|^power, and 0 on the diagonal.

    power: 0 for the plain kappa, 1 for linear and 2 for quadratic weights.  Returns (k, k) int64.  O(k²).
    Source: J. Cohen, Weighted kappa, Psychological Bulletin 70 (1968) 213-220; J. L. Fleiss and J. Cohen, The
    equivalence of weighted kappa and the intraclass correlation coefficient, Educational and Psychological Measurement
    33 (1973) 613-619.
    """
    ranks = np.arange(categories)
    if power == 0:
        return np.not_equal.outer(ranks, ranks).astype(np.int64)
    distances: IntArray = np.abs(np.subtract.outer(ranks, ranks))
    return np.where(distances > 0, distances**power, 0)


_BIT = np.log(2)
_NEAR = 2.0**-5
"""Relative differences below which x log x - x + 1 loses digits unless it is a series."""
_SERIES = 1 / np.arange(9.0, 2, -2)
"""Coefficients of s², the highest power first: the next one would change nothing where s is below `_NEAR` / 1.9."""


def entropy(counts: IntArray) -> Ratio:
    """Return the entropy in bits, -Σ p log₂ p, in 0 .. log₂ n; NaN without counts (2.1)."""
    return cross_entropy(counts, counts)


def cross_entropy(counts: IntArray, coded: IntArray) -> Ratio:
    """Return the cross-entropy in bits, -Σ p log₂ q, at least the entropy.

    Infinite where q is 0 and p is not, NaN without counts (5.4.3).
    """
    more = np.where(counts == 0, 0, ratio(coded.sum(axis=-1, keepdims=True) - coded, coded))  # where none are: anything
    fractions = ratio(counts, counts.sum(axis=-1, keepdims=True))
    bits: Ratio = (fractions * np.log1p(more) / _BIT).sum(axis=-1)
    return bits


def divergence(excess: IntArray | FloatArray, expected: IntArray | FloatArray) -> Ratio:
    """Return Kullback and Leibler's divergence, Σ p log₂(p / q), at least 0, over all cells of two equal sums.

    excess: p - q along the last axis, exact, for where p and q are close their difference is all that counts;
    expected: q, in the same unit.  Infinite where q is 0 and p is not, NaN without counts (2.26).  With x = p / q it is
    Σ q (x log₂ x), and where x is near 1 the sum of q (x log₂ x - (x - 1) / log 2): all q (x - 1) add up to 0.
    """
    relative, possible = np.asarray(ratio(excess, expected)), np.asarray(expected > 0)
    near = possible & (np.abs(relative) < _NEAR)
    far = possible & ~near
    x = 1 + relative[far]
    bits = sums_of_chosen(expected[far] * x * np.log2(np.where(x > 0, x, 1.0)), far)
    surprise = sums_of_chosen(expected[near] * _surprise(relative[near]), near) - sums_of_chosen(excess[far], far)
    found = ratio(np.maximum(bits + surprise / _BIT, 0), np.sum(expected, axis=-1, dtype=np.float64))
    return np.where(np.any(~possible & (excess > 0), axis=-1), np.inf, found)[()]


def _surprise(relative: FloatArray) -> FloatArray:
    """Return x log x - x + 1 for x = 1 + relative near 1, which is about relative² / 2.

    With s = (x - 1) / (x + 1), log x is 2 (s + s³/3 + s⁵/5 + ..), and x is (1 + s) / (1 - s).
    """
    s = relative / (2 + relative)
    return np.asarray(2 * s * s * (1 + (1 + s) * s * np.polyval(_SERIES, s * s)) / (1 - s))


_FEW = 1 << 16


def means_of_rows(values: ScoreArray) -> FloatArray:
    """Return the mean of each row of (k, m) values, NaN where missing, each added up as alone; NaN without values.

    Returns (k,).  O(k m): rows with as many values are added up together, so that each sum is that of its row alone.
    """
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        sums = sums_of_chosen(values[defined].astype(np.float64), defined)
    return np.asarray(ratio(sums, np.count_nonzero(defined, axis=1)))


def sums_of_chosen(values: AnyArray, chosen: BoolArray) -> Any:
    """Return the sums along the last axis of the values that a mask, (g, m) or (m,), chooses, each as of its row alone.

    values: (c,), those that are chosen, in the order of the mask.  Returns (g,), or a number.  O(size): rows with as
    many values are added up together.

    >>> sums_of_chosen(np.array([1.0, 2.0, 4.0]), np.array([[True, True], [False, True]]))
    array([3., 4.])
    """
    if chosen.ndim == 1:
        return values.sum()
    counts = np.count_nonzero(chosen, axis=1)
    distinct = np.unique(counts).tolist()
    if len(distinct) == 1:
        return values.reshape(counts.size, distinct[0]).sum(axis=1)
    sums, of_values = np.empty(counts.shape, values.dtype), np.repeat(counts, counts)
    for count in distinct:
        rows = counts == count
        sums[rows] = values[of_values == count].reshape(np.count_nonzero(rows), count).sum(axis=1)
    return sums


def mean_of_all(values: ScoreArray) -> float:
    """Return the mean of (n,) values, of which missing ones (NaN) count as 0; NaN without cases.  O(n)."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        return float(ratio(values[~np.isnan(values)].astype(np.float64).sum(), values.size))


def mean_of_defined(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted mean of the values that are defined; the plain one if their weights sum to 0.

    values, weights: (n,), NaN where there is no value.  NaN if there is none at all.  O(n).  Of up to 2**16 values, as
    of categories, no digit depends on their order.
    """
    defined = ~np.isnan(values)
    if weights is not None and (total := _sum(weights[defined])) != 0:
        return float(ratio(_sum(values[defined] * weights[defined]), total))
    return float(ratio(_sum(values[defined]), np.count_nonzero(defined)))


def weighted_mean_of_defined(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted mean of (n,) values that are not NaN; NaN if they have no weight.  O(n)."""
    defined = ~np.isnan(values)
    if weights is not None and weights[defined].sum() == 0:
        return np.nan
    return mean_of_defined(values, weights)


def weighted_means_of_rows(values: FloatArray, weights: IntArray | FloatArray) -> FloatArray:
    """Return `weighted_mean_of_defined` of each row of (g, k) values and weights, k up to 2**16.  O(g k)."""
    defined = ~np.isnan(values)
    given = np.where(defined, weights, 0)
    # sums that are rounded once leave the mean of equal values of 1 what it is
    totals = given.sum(axis=1) if given.dtype.kind == "i" else np.array([*map(math.fsum, given.tolist())])
    return np.asarray(ratio([*map(math.fsum, np.where(defined, values * weights, 0.0).tolist())], totals))


def mean_in_turn(values: FloatArray) -> float:
    """Return the mean of (n,) values added up in turn, as in a plain loop; NaN without values.  O(n)."""
    return float(np.cumsum(values)[-1]) / values.size if values.size else np.nan


def geometric_mean(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted geometric mean of (n,) values above 0, NaN without weight; without weights in turn.  O(n)."""
    logarithms = np.log(values)
    mean = mean_in_turn(logarithms) if weights is None else weighted_mean_of_defined(logarithms, weights)
    return float(np.exp(mean))


def _sum(values: npt.NDArray[Any]) -> float:
    """Add up with one rounding; many values, those of cases, as NumPy does, in a tenth of the time."""
    with np.errstate(over="ignore"):
        rough = float(values.sum())
    return math.fsum(values.tolist()) if values.size <= _FEW and math.isfinite(rough) else rough


class RatingWeights(NamedTuple):
    """The weights of pairs of q categories."""

    categories: int
    """Their number q."""
    between: Callable[[IntArray, IntArray], FloatArray]
    """Returns the weight of each pair of codes, (n,) each.  O(n)."""
    against: Callable[[FloatArray], FloatArray]
    """Returns the weighted sum of fractions, (..., q), for a rating of each category, (..., q).  O(q) to O(q²)."""


def rating_weights(values: FloatArray, kind: str) -> RatingWeights:
    """Return the weights of categories; values: (q,) numbers, or 1, 2 … of texts in order.  O(q²).

    kind: "identity", 1 for equal categories, else 0; "quadratic", 1 less the squared distance of numbers that are moved
    to -1/2 .. 1/2; both O(q), so that as many values as ratings may differ; or one of `DISTANCES`.

    >>> rating_weights(np.array([1.0, 2.0]), "identity").against(np.array([0.25, 0.75]))
    array([0.25, 0.75])
    >>> rating_weights(np.array([1.0, 2.0, 3.0]), "quadratic").against(np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.75, 0.  ])
    >>> rating_weights(np.array([1.0, 2.0, 3.0]), "linear").between(np.array([0]), np.array([1]))
    array([0.5])
    """
    if kind == "identity":
        return RatingWeights(values.size, lambda first, second: (first == second).astype(np.float64), np.asarray)
    if kind == "quadratic":
        low, high = values.min(), values.max()
        near = np.nan_to_num(ratio(values - (low / 2 + high / 2), high - low))

        def against(fractions: FloatArray) -> FloatArray:
            # the mean of squares is found from moments
            total, mean, square = ((fractions * near**power).sum(axis=-1, keepdims=True) for power in range(3))
            return np.asarray(total * (1 - np.square(near)) + 2 * near * mean - square)

        return RatingWeights(values.size, lambda first, second: 1 - np.square(near[first] - near[second]), against)
    distances = DISTANCES[kind](*np.meshgrid(values, values, indexing="ij", sparse=True))
    matrix: FloatArray = 1 - np.nan_to_num(np.asarray(ratio(distances, distances.max(initial=0.0))))
    return RatingWeights(values.size, lambda first, second: matrix[first, second], lambda fractions: fractions @ matrix)


def middle_ranks(fractions: FloatArray) -> FloatArray:
    """Return the fraction of ratings below each category, and half of its own, (q,): Krippendorff's ordinal values.

    fractions: (q,), how often each category is given, in their order.  O(q).

    >>> middle_ranks(np.array([0.5, 0.25, 0.25]))
    array([0.25 , 0.625, 0.875])
    """
    return np.asarray(np.cumsum(fractions) - fractions / 2)


def _ordinal(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the number of pairs of categories from one to the other, in their order."""
    apart = disagreement(first.size, 1)
    return np.asarray(apart * (apart + 1) / 2)


def _bipolar(first: FloatArray, second: FloatArray) -> FloatArray:
    both, low, high = first + second, first.min(), first.max()
    return np.asarray(np.nan_to_num(ratio(np.square(first - second), (both - 2 * low) * (2 * high - both))))


DISTANCES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "linear": lambda first, second: np.asarray(np.abs(first - second)),
    "ordinal": _ordinal,
    "radical": lambda first, second: np.sqrt(np.abs(first - second)),
    "ratio": lambda first, second: np.asarray(np.nan_to_num(np.square(ratio(first - second, first + second)))),
    "circular": lambda first, second: np.square(np.sin(np.pi * (first - second) / (np.ptp(first) + 1))),
    "bipolar": _bipolar,
}
"""Distances of two categories by the name of the weights, of columns and rows of values."""


class RaterAgreement(NamedTuple):
    """A coefficient of agreement and its parts; NaN where it is not defined."""

    estimate: float
    observed: float
    by_chance: float
    variance: float
    """Of the estimate, over samples of subjects."""
    subjects: int
    """How many the variance is from."""


ByChance: TypeAlias = tuple[float, FloatArray | float]
"""The agreement that is expected by chance, and what each of n subjects adds to twice its mean, (n,)."""


class RatedSubjects(NamedTuple):
    """Subjects with at least one rating each, and how alike two categories are."""

    codes: IntArray
    weights: RatingWeights

    @property
    def numbers(self) -> IntArray:
        """The number of ratings of each subject, (n,).  O(n r)."""
        return np.asarray(np.count_nonzero(self.codes >= 0, axis=1))

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up the values (q,) of the categories that each subject was given, (n,).  O(n r)."""
        padded = np.append(values, 0.0)  # which code -1 reads
        return np.concatenate(map_blocks(lambda block: padded[self.codes[block]].sum(axis=1), *self.codes.shape))

    def pair_sums(self) -> FloatArray:
        """Add up the weights of the ordered pairs of ratings of each subject, (n,).  O(n q) or O(n r²) weights."""
        # codes of a row beyond the largest number of its ratings are -1
        ordered = -np.sort(-self.codes, axis=1)[:, : int(self.numbers.max(initial=0))]
        by_category = self.weights.categories <= ordered.shape[1]
        sums_of = self._sums_by_category if by_category else self._sums_by_pair
        width = max(self.weights.categories if by_category else ordered.shape[1], 1)
        return np.concatenate(map_blocks(lambda block: sums_of(ordered[block]), len(ordered), width))

    def _sums_by_category(self, codes: IntArray) -> FloatArray:
        categories = self.weights.categories
        cells = np.arange(len(codes))[:, np.newaxis] * categories + codes
        counts = np.bincount(cells[codes >= 0], minlength=len(codes) * categories).reshape(-1, categories)
        return np.asarray(np.sum(counts * (self.weights.against(counts.astype(np.float64)) - 1), axis=1))

    def _sums_by_pair(self, codes: IntArray) -> FloatArray:
        sums = np.zeros(len(codes))
        for second in range(1, codes.shape[1]):
            rated = codes[:, second] >= 0
            for first in range(second):
                sums += np.where(rated, self.weights.between(codes[:, first], codes[:, second]), 0.0)
        return 2 * sums

    def fractions(self) -> FloatArray:
        """Return how often each category was given, (q,), all ratings of a subject together counting one.  O(n r)."""
        rated = self.codes >= 0
        each = np.broadcast_to((1 / self.numbers)[:, np.newaxis], rated.shape)[rated]
        sums = np.bincount(self.codes[rated], each, self.weights.categories)
        return np.asarray(sums / sums.sum())  # exactly 1 of a single category, however thirds are rounded


def rater_agreement(codes: IntArray, weights: RatingWeights, coefficient: str) -> RaterAgreement:
    """Return one of `CHANCE_AGREEMENTS` by name; codes: (n, r), perhaps with subjects without ratings.  O(n r).

    And as `RatedSubjects.pair_sums`.  Source: Gwet (2014), 5.3; the variance is that of linearised values, 5.10 there.
    """
    rated = RatedSubjects(codes[(codes >= 0).any(axis=1)], weights)
    numbers = rated.numbers
    several = numbers > 1
    size, compared = numbers.size, int(np.count_nonzero(several))
    if not compared:
        return RaterAgreement(np.nan, np.nan, np.nan, np.nan, size)
    agreeing = np.asarray(ratio(rated.pair_sums(), np.where(several, numbers * (numbers - 1), 1)))
    observed = float(agreeing.sum() / compared)
    expected, values = CHANCE_AGREEMENTS[coefficient](rated)
    estimate = float(ratio(observed - expected, 1 - expected))
    beyond = (size / compared) * (agreeing - expected * several)
    linear = np.asarray(ratio(beyond - 2 * (1 - estimate) * (values - expected), 1 - expected))
    return RaterAgreement(estimate, observed, expected, _variance(linear - estimate), size)


def krippendorff_alpha(
    codes: IntArray, weights_of: Callable[[FloatArray], RatingWeights], categories: int
) -> RaterAgreement:
    """Return Krippendorff's alpha; weights_of: the weights from the fractions of the categories, (q,).  O(n r).

    codes: (n, r); subjects with one rating do not count.  And as `RatedSubjects.pair_sums`.  The variance takes the
    weights as given.  Sources: K. Krippendorff, Content Analysis, 2nd edition (2004), chapter 11; Gwet (2014), 5.10.
    """
    codes = codes[np.count_nonzero(codes >= 0, axis=1) > 1]
    if not codes.size:
        return RaterAgreement(np.nan, np.nan, np.nan, np.nan, 0)
    each = np.bincount(codes[codes >= 0], minlength=categories).astype(np.float64)
    fractions = each / each.sum()
    rated = RatedSubjects(codes, weights_of(fractions))
    numbers = rated.numbers
    against = rated.weights.against(fractions)
    mean, expected = float(numbers.mean()), 1.0 if fractions.max() == 1 else float(fractions @ against)
    agreeing = rated.pair_sums() / (mean * (numbers - 1))
    pairs = float(agreeing.mean())
    observed = pairs + (1 - pairs) / float(each.sum())  # as without replacement
    beyond = float(ratio(pairs - expected, 1 - expected))
    uneven = numbers / mean - 1
    values = rated.sums(against) / mean - expected * uneven
    linear = agreeing - observed * uneven - expected - 2 * (1 - beyond) * (values - expected)
    variance = _variance(np.asarray(ratio(linear, 1 - expected)) - beyond)
    return RaterAgreement(float(ratio(observed - expected, 1 - expected)), observed, expected, variance, numbers.size)


def _variance(deviations: FloatArray) -> float:
    several = deviations.size > 1  # of a single subject, rounding may leave a deviation
    return float(np.square(deviations).sum() / (deviations.size * (deviations.size - 1))) if several else np.nan


def _brennan_prediger(rated: RatedSubjects) -> ByChance:
    """Expect that every category is as likely as any other.  O(q), of other weights O(q²)."""
    expected = _total_weight(rated) / rated.weights.categories**2
    return expected, expected


def _gwet(rated: RatedSubjects) -> ByChance:
    """Expect agreement where one of two ratings is random: the more varied ratings are, the more.  O(n r)."""
    categories, numbers = rated.weights.categories, rated.numbers
    factor = float(ratio(_total_weight(rated), max(categories * (categories - 1), 1)))
    others = 1 - rated.fractions()
    return factor * float((1 - others) @ others), factor * rated.sums(others) / numbers


def _fleiss(rated: RatedSubjects) -> ByChance:
    """Expect that every rater gives the categories as often as all do.  O(n r)."""
    numbers = rated.numbers
    fractions = rated.fractions()
    against = rated.weights.against(fractions)
    return float(fractions @ against), rated.sums(against) / numbers


def _conger(rated: RatedSubjects) -> ByChance:
    """Expect that each rater gives the categories as often as that rater does: Cohen's of two raters.  O(n r + r q)."""
    codes = rated.codes[:, (rated.codes >= 0).any(axis=0)]
    given = codes >= 0
    size, raters, categories = *codes.shape, rated.weights.categories
    of_raters = (np.arange(raters) * categories + codes)[given]
    counts = np.bincount(of_raters, minlength=raters * categories).reshape(raters, categories)
    totals = counts.sum(axis=1)
    fractions = counts / totals[:, np.newaxis]
    against = rated.weights.against(fractions.sum(axis=0) - fractions)
    own = np.sum(fractions * against, axis=1)
    pairs = raters * (raters - 1)
    cells = np.where(given, against.ravel()[np.arange(raters) * categories + codes], 0.0)
    values = (cells - (given - totals / size) * own) @ (size / totals)
    return float(ratio(own.sum(), pairs)), np.asarray(ratio(values, pairs))


def _total_weight(rated: RatedSubjects) -> float:
    return float(rated.weights.against(np.ones(rated.weights.categories)).sum())


CHANCE_AGREEMENTS: dict[str, Callable[[RatedSubjects], ByChance]] = {
    "gwet": _gwet,
    "fleiss": _fleiss,
    "conger": _conger,
    "brennan-prediger": _brennan_prediger,
    "percent": lambda rated: (0.0, 0.0),
}


def corrected_prevalence(positive: float, sensitivity: float, specificity: float) -> float:
    """Return the prevalence that explains a fraction of positive decisions, perhaps outside 0 .. 1.  O(1).

    Source: W. J. Rogan and B. Gladen, American J. Epidemiology 107 (1978) 71-76.

    >>> round(corrected_prevalence(0.62, 0.9, 0.8), 3)
    0.6
    """
    return float(ratio(positive + specificity - 1, sensitivity + specificity - 1))


def corrected_prevalence_bounds(successes: int, trials: int, counts: BinaryCounts, z: float) -> tuple[float, float]:
    """Return the bounds of `corrected_prevalence`, perhaps outside 0 .. 1; z: normal quantile.  O(1).

    The lower one is above the upper one, or both are NaN or infinite, for a judge who may be no better than chance.

    Source: Z. Lang and J. Reiczigel, Preventive Veterinary Medicine 113 (2014) 13-22, equations 4 to 17, where (1 - p)²
    is misprinted in 4.

    >>> low, high = corrected_prevalence_bounds(259, 509, BinaryCounts(84, 43, 13, 96), 1.959964)
    >>> round(low, 2), round(high, 2)
    (0.58, 0.87)
    """
    tp, fn, fp, tn = counts
    # with a few successes and failures more, so that no fraction is 0 or 1
    tried = np.array([trials + z * z, tp + fn + 2, tn + fp + 2])
    shrunk = np.array([successes + z * z / 2, tp + 1, tn + 1]) / tried
    positive, sensitivity, specificity = shrunk.tolist()
    variances = (shrunk * (1 - shrunk) / tried).tolist()
    found = corrected_prevalence(positive, sensitivity, specificity)
    shift = 2 * z * z * (found * variances[1] - (1 - found) * variances[2])
    variance = variances[0] + found**2 * variances[1] + (1 - found) ** 2 * variances[2]
    reach = float(ratio(z * math.sqrt(variance), sensitivity + specificity - 1))
    return found + shift - reach, found + shift + reach
