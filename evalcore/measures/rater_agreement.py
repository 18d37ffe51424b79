"""Agreement of several raters beyond chance, with its variance: Gwet's AC, kappas of Fleiss and Conger, and others.

Every coefficient is (o - e) / (1 - e), for the observed agreement o of two raters of a subject and the agreement e that
is expected by chance.  Codes are (n, r), a row for each subject and a column for each rater, -1 where there is none.
Source: K. L. Gwet, Handbook of Inter-Rater Reliability, 4th edition (2014), chapters 2, 4 and 5.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.ratios import ratio
from evalcore.measures.rating_weights import RatingWeights
from evalcore.typing import BoolArray, FloatArray, IntArray


class RaterAgreement(NamedTuple):
    """A coefficient of agreement and its parts; NaN where it is not defined."""

    estimate: float
    observed: float
    by_chance: float
    variance: float
    """Of the estimate, over samples of subjects."""
    subjects: int
    """How many the variance is from."""


class ByChance(NamedTuple):
    """The agreement that is expected by chance, and what each of n subjects adds to twice its mean, (n,)."""

    expected: float
    values: FloatArray | float


class RatedSubjects(NamedTuple):
    """Subjects with at least one rating each, and how alike two categories are."""

    codes: IntArray
    weights: RatingWeights

    @property
    def numbers(self) -> IntArray:
        """The number of ratings of each subject, (n,).  O(n r)."""
        counted: IntArray = np.count_nonzero(self.codes >= 0, axis=1)
        return counted

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
        sums: FloatArray = np.sum(counts * (self.weights.against(counts.astype(np.float64)) - 1), axis=1)
        return sums

    def _sums_by_pair(self, codes: IntArray) -> FloatArray:
        sums = np.zeros(len(codes))
        for second in range(1, codes.shape[1]):
            rated = codes[:, second] >= 0
            for first in range(second):
                sums += np.where(rated, self.weights.between(codes[:, first], codes[:, second]), 0.0)
        return 2 * sums

    def fractions(self, weights: FloatArray) -> FloatArray:
        """Return how often each category was given, (q,), each rating with the weight (n,) of its subject.  O(n r)."""
        rated = self.codes >= 0
        each = np.broadcast_to(weights[:, np.newaxis], rated.shape)[rated]
        return np.bincount(self.codes[rated], each, self.weights.categories).astype(np.float64)


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
    mean, expected = float(numbers.mean()), float(fractions @ against)
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
    return float(ratio(np.square(deviations).sum(), deviations.size * (deviations.size - 1)))


def _none(rated: RatedSubjects) -> ByChance:
    return ByChance(0.0, 0.0)


def _brennan_prediger(rated: RatedSubjects) -> ByChance:
    """Expect that every category is as likely as any other.  O(q), of other weights O(q²)."""
    expected = _total_weight(rated) / rated.weights.categories**2
    return ByChance(expected, expected)


def _gwet(rated: RatedSubjects) -> ByChance:
    """Expect agreement where one of two ratings is random: the more varied ratings are, the more.  O(n r)."""
    categories, numbers = rated.weights.categories, rated.numbers
    factor = float(ratio(_total_weight(rated), max(categories * (categories - 1), 1)))
    others = 1 - rated.fractions(1 / numbers) / numbers.size
    return ByChance(factor * float((1 - others) @ others), factor * rated.sums(others) / numbers)


def _fleiss(rated: RatedSubjects) -> ByChance:
    """Expect that every rater gives the categories as often as all do.  O(n r)."""
    numbers = rated.numbers
    fractions = rated.fractions(1 / numbers) / numbers.size
    against = rated.weights.against(fractions)
    return ByChance(float(fractions @ against), rated.sums(against) / numbers)


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
    values = _values_of_raters(codes, given, against, own) @ (size / totals)
    return ByChance(float(ratio(own.sum(), pairs)), np.asarray(ratio(values, pairs)))


def _values_of_raters(codes: IntArray, given: BoolArray, against: FloatArray, own: FloatArray) -> FloatArray:
    """Return what each rating adds to the expected agreement of its rater with the others, (n, r).  O(n r)."""
    size, categories = len(codes), against.shape[1]
    cells = np.where(given, against.ravel()[np.arange(len(own)) * categories + codes], 0.0)
    return np.asarray(cells - (given - np.count_nonzero(given, axis=0) / size) * own)


def _total_weight(rated: RatedSubjects) -> float:
    return float(rated.weights.against(np.ones(rated.weights.categories)).sum())


CHANCE_AGREEMENTS: dict[str, Callable[[RatedSubjects], ByChance]] = {
    "gwet": _gwet,
    "fleiss": _fleiss,
    "conger": _conger,
    "brennan-prediger": _brennan_prediger,
    "percent": _none,
}
