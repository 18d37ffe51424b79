"""Measures of decisions at every threshold, the thresholds that are best by a criterion, and net benefit.

tp, fn, fp, tn: (p,) each, highest threshold first, counts, or sums of weights, if every case at or above the threshold
is predicted positive; criteria take (p + 1,), of which the first is above every score.  Source of Youden's index: W. J.
Youden, Index for rating diagnostic tests, Cancer 3 (1950) 32-35.

A case adds its gain to the net benefit if its probability is at least the threshold t: 1 of a positive, and
-t / (1 - t) of a negative.  So net benefit is a mean over the cases, and the variance of any mean is known.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, check, did_you_mean, refuse
from evalcore.kernels.pairs import half_pairs_of_points
from evalcore.kernels.sums import exact_integers, ratio
from evalcore.kernels.weights import WeightSums, rounding_of
from evalcore.measures import binary
from evalcore.typing import AnyArray, FloatArray, Ratio, ScoreArray

TARGETS = "precision", "recall", "specificity", "fpr", "flagged"
"""What a threshold may have to reach: at least a value, of the last two at most."""


def cumulative_fractions(sums: FloatArray) -> FloatArray:
    """Return sums / last sum, the fraction at or above each threshold, (p,); NaN if the last is 0.  O(p)."""
    return np.asarray(ratio(sums, sums[-1]))


def rates(sums: FloatArray) -> FloatArray:
    """Return the `cumulative_fractions` after 0.0, above every score, (p + 1,).  O(p)."""
    return np.concatenate([[0.0], cumulative_fractions(sums)])


def largest_where(values: FloatArray, bounded: FloatArray, least: float) -> float:
    """Return the largest value where `bounded` >= `least`; 0.0 if there is none, NaN if all are NaN.  O(p)."""
    if np.isnan(bounded).all() or np.isnan(values).all():
        return np.nan
    return float(np.max(values, where=bounded >= least, initial=0.0))


def threshold_reaching(target: str, value: float, tp: FloatArray, fp: FloatArray, scores: ScoreArray) -> float:
    """Return the highest threshold whose recall is at least a value, or the lowest that reaches another target.

    target: one of `TARGETS`: precision and specificity are at least the value; fpr, the false positive rate, and
    flagged, the fraction of the cases that is predicted positive, are at most the value.  scores: (p,).  Infinity if
    only to predict no positive reaches it; NaN if nothing does.  O(p).

    >>> tp, fp, scores = np.array([1.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]), np.array([0.8, 0.4, 0.35])
    >>> threshold_reaching("precision", 0.6, tp, fp, scores), threshold_reaching("flagged", 0.3, tp, fp, scores)
    (0.35, inf)
    """
    rounding, sums = rounding_of(tp, fp), tp + fp if target == "flagged" else fp
    if target in ("fpr", "flagged"):
        found = cumulative_fractions(sums) <= value * (1 + rounding)
    elif target == "specificity":
        found = np.asarray(binary.specificity(fp, fp[-1] - fp)) >= value * (1 - rounding)
    else:
        rates = binary.precision(tp, fp) if target == "precision" else binary.recall(tp, tp[-1] - tp)
        sums, found = np.zeros(1), np.asarray(rates) >= value * (1 - rounding)
    if found.any():
        return float(scores[found.argmax() if target == "recall" else np.flatnonzero(found)[-1]])
    return np.inf if sums[-1] else np.nan


def kolmogorov_smirnov(tp: FloatArray, fp: FloatArray) -> float:
    """Return the largest |tpr - fpr|, in 0 .. 1; NaN without both classes.

    O(p).  Source: W. J. Conover, Practical Nonparametric Statistics (1999), 6.3.

    >>> kolmogorov_smirnov(np.array([7.0, 10.0]), np.array([4.0, 10.0]))  # 7/10 - 4/10, rounded once
    0.3
    """
    gaps, scale = rate_gaps(tp, fp, tp[-1], fp[-1])
    return float(ratio(np.asarray(np.abs(gaps).max()).item(), scale.item()))


def rate_gaps(tp: Any, fp: Any, positives: Any, negatives: Any) -> tuple[AnyArray, AnyArray]:
    """Return tp / positives - fp / negatives times a scale, and the scale: whole numbers if all four are.  O(p).

    Each a number or (p,).  The rates of weights are equal where they differ by less than their rounding.
    """
    cells = [np.atleast_1d(each) for each in (tp, fp, positives, negatives)]
    if rounding := rounding_of(*cells):
        rates = np.asarray(ratio(cells[0], cells[2]))
        gaps = rates - np.asarray(ratio(cells[1], cells[3]))
        return np.where(np.abs(gaps) <= rates * rounding, 0.0, gaps), np.ones(1)
    most = int(cells[2].max()) * int(cells[3].max())
    tp, fp, positives, negatives = exact_integers(*(each.astype(np.int64, copy=False) for each in cells), most=most)
    return tp * negatives - fp * positives, positives * negatives


def lifts(of_cases: FloatArray, of_positives: FloatArray) -> FloatArray:
    """Return precision / prevalence, at least 0: how much denser positives are among cases predicted positive.

    of_cases, of_positives: (p,), fractions at or above each threshold.  O(p).  Source: I. H. Witten, E. Frank and M. A.
    Hall, Data Mining (2011), 5.7.
    """
    return np.asarray(ratio(of_positives, of_cases))


def fraction_found(of_cases: FloatArray, of_positives: FloatArray, fraction: float) -> float:
    """Return the fraction of the positives in a fraction of the cases, the highest scores first, with ties on average.

    of_cases, of_positives: (p,), fractions at or above each threshold, from 0 to 1.  O(p).  Source: Witten, Frank and
    Hall (2011), 5.7.
    """
    return float(np.interp(fraction, of_cases, of_positives))


def equal_error_rate(fpr: FloatArray, fnr: FloatArray) -> float:
    """Return the rate at which straight lines between the points have as many false positives as false negatives.

    fpr, fnr: (p,), from 0 and 1 at the highest threshold to 1 and 0.  O(p).  Source: A. Martin et al., The DET curve in
    assessment of detection task performance, Eurospeech 1997.

    >>> equal_error_rate(np.array([0.0, 0.0, 0.5, 1.0]), np.array([1.0, 0.25, 0.0, 0.0]))
    0.16666666666666666
    """
    gaps = fpr - fnr
    after = int(np.argmax(gaps >= 0))
    before = max(after - 1, 0)
    along = ratio(-gaps[before], gaps[after] - gaps[before])
    return float(fpr[before] + along * (fpr[after] - fpr[before]))


def expected_costs(counts: Sequence[AnyArray], costs: FloatArray, totals: AnyArray | None = None) -> FloatArray:
    """Return Σ cost · fraction of the cases, over tp, fn, fp and tn, between the least and the greatest cost.

    costs: (4,) finite; totals: cases of each column of counts, (p,), where they differ.  NaN without cases.  Returns
    (p,).  O(p).  Source: C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.
    """
    exponent = int(np.frexp(np.abs(costs).max())[1])
    table = np.stack(counts)
    # fractions of costs below 1 neither overflow nor vanish, and a power of two leaves equal sums equal
    if totals is not None:
        return np.asarray(np.ldexp(np.asarray(ratio(np.ldexp(costs, -exponent) @ table, totals)), exponent))
    total = table[:, 0].sum()
    of_total = min(int(np.frexp(total)[1]), 0)
    fractions = np.asarray(ratio(np.ldexp(costs, -exponent) @ np.ldexp(table, -of_total), np.ldexp(total, -of_total)))
    return np.asarray(np.ldexp(fractions, exponent))


_ROUNDING = 2.0**-50
"""Of differences of two rates."""


class OptimalThreshold(NamedTuple):
    """A threshold that is best by a criterion, and its value there."""

    threshold: float
    """One of the scores, the highest among equals; infinity if it is best to predict no positive."""
    value: float
    """NaN if it is not defined."""


class BestThresholdIndex(NamedTuple):
    """Where a criterion is best, and its value there."""

    position: int
    """Of the highest threshold among equals; 0 is above every score."""
    value: float
    """NaN if it is not defined."""


class Criterion(NamedTuple):
    """What a threshold is chosen by."""

    values: Callable[..., Ratio]
    """Takes tp, fn, fp and tn at each threshold."""
    smaller_is_better: bool = False
    crosses: bool = False
    """Whether the threshold is where two error rates meet, which lies between two points."""
    least: float = 0.0
    largest: float = 1.0

    def best(self, tp: FloatArray, fp: FloatArray) -> BestThresholdIndex:
        """Return the highest threshold that is best, and its value.  O(p).

        >>> tp, fp = np.array([0.0, 1, 1, 2, 2]), np.array([0.0, 0, 1, 1, 2])
        >>> parse_criterion("youden").best(tp, fp), parse_criterion("eer").best(tp, fp)
        (BestThresholdIndex(position=1, value=0.5), BestThresholdIndex(position=2, value=0.5))
        """
        rounding = max(rounding_of(tp, fp), _ROUNDING)
        if self.crosses:
            fpr, fnr = cumulative_fractions(fp), np.asarray(ratio(tp[-1] - tp, tp[-1]))
            return BestThresholdIndex(int(np.argmax(fpr >= fnr - rounding)), equal_error_rate(fpr, fnr))
        each = np.asarray(self.values(tp, tp[-1] - tp, fp, fp[-1] - fp))
        ranked = np.where(np.isnan(each), -np.inf, -each if self.smaller_is_better else each)
        top = ranked.max()
        if not np.isfinite(top):
            return BestThresholdIndex(0, np.nan)
        index = int(np.argmax(ranked >= top - abs(top) * rounding))
        return BestThresholdIndex(index, float(each[index]))


def best_threshold(criterion: Criterion, tp: FloatArray, fp: FloatArray, scores: ScoreArray) -> OptimalThreshold:
    """Return the best of the scores, falling, (p,); tp, fp: (p,), at or above each of them.  O(p).

    >>> best_threshold(parse_criterion("f1"), np.array([1.0, 1, 2]), np.array([0.0, 1, 1]), np.array([0.8, 0.4, 0.35]))
    OptimalThreshold(threshold=0.35, value=0.8)
    """
    best = criterion.best(from_none(tp), from_none(fp))
    if np.isnan(best.value):
        return OptimalThreshold(np.nan, np.nan)
    return OptimalThreshold(float(scores[best.position - 1]) if best.position else np.inf, best.value)


def from_none(sums: AnyArray) -> AnyArray:
    """Return sums at or above each score after 0, above all of them, (p + 1,).  O(p)."""
    return np.append(sums.dtype.type(0), sums)


def _youden(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray) -> FloatArray:
    return np.asarray(ratio(*rate_gaps(tp, fp, tp + fn, fp + tn)))


def _mcc(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray) -> FloatArray:
    """Return Matthews' correlation, 0 where all cases are predicted alike; NaN for one class."""
    gaps, _ = rate_gaps(tp, fp, tp + fn, fp + tn)  # 0 also where sums of weights are rounded apart
    cells = (each.astype(np.float64) for each in (tp, fn, fp, tn))  # Python's integers take long
    found = np.where(gaps == 0, 0.0, np.nan_to_num(binary.phi(*cells)))
    return np.where((tp + fn > 0) & (fp + tn > 0), found, np.nan)


CRITERIA: dict[str, Criterion] = {
    "youden": Criterion(_youden, least=-1.0),
    "balanced_accuracy": Criterion(lambda tp, fn, fp, tn: (binary.recall(tp, fn) + binary.specificity(fp, tn)) / 2),
    "ks": Criterion(lambda tp, fn, fp, tn: np.abs(_youden(tp, fn, fp, tn))),
    "mcc": Criterion(_mcc, least=-1.0),
    "accuracy": Criterion(binary.accuracy),
    "eer": Criterion(
        lambda tp, fn, fp, tn: (binary.false_positive_rate(fp, tn) + ratio(fn, tp + fn)) / 2, True, crosses=True
    ),
}
"""By name; ``f1``, ``f2``, ``f0.5`` and so on, and ``cost``, are made as they are asked for."""
SHOWN = (*CRITERIA, "f1", "f2", "f0.5", "cost")


def parse_criterion(name: Any, cost: FloatArray | None = None) -> Criterion:
    """Return the criterion of a name; cost: of tp, fn, fp and tn, (4,), if and only if the name is "cost".  O(1).

    Raises EvaluationError for another name, and if the cost is missing or not asked for.
    """
    check(cost is None or name == "cost", "cost", "be None unless criterion is 'cost'", f"criterion {name!r}")
    refuse({"criterion 'cost' needs cost=(false_positive, false_negative)": name == "cost" and cost is None})
    if cost is not None:
        ends = float(cost.min()), float(cost.max())
        return Criterion(lambda *cells: expected_costs(cells, cost), True, False, *ends)
    if name in CRITERIA:
        return CRITERIA[name]
    beta = re.fullmatch(r"f(\d+(?:\.\d+)?)", name) if isinstance(name, str) else None
    if beta is None:
        raise EvaluationError(f"criterion must be one of {', '.join(SHOWN)}, got {name!r}{did_you_mean(name, SHOWN)}")
    formula = partial(binary.f_measure_of_counts, beta=float(beta[1]))
    return Criterion(lambda tp, fn, fp, tn: np.where(tp + fn > 0, formula(tp, fn, fp), np.nan))


_UNSEEN = 0.5
"""Cases that are added to each cell where models disagree: that none was seen does not mean that there are none."""


def decisions_at(flagged: WeightSums, *, on_all: bool = False) -> WeightSums:
    """Return the sums of tp, fn, fp and tn, (4, t) each, from those of `weights_from_thresholds`, (2, t+1).  O(t).

    on_all: (4, 1) each instead, where every case is predicted positive.
    """
    chosen = slice(1) if on_all else slice(1, None)
    some = ((own[:, chosen], own[:, :1] - own[:, chosen]) for own in flagged)
    return WeightSums(*(np.stack(each, axis=1).reshape(4, -1) for each in some))


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


def variance_of_unseen(totals: FloatArray, squares: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Return what half a case of mean weight in each cell where models disagree adds to the variances, (t,).  O(t).

    totals, squares: of the weights of positives and of negatives, (2,) or (2, t).  Source: J. B. S. Haldane, The
    estimation and significance of the logarithm of a ratio of frequencies, Annals of Human Genetics 20 (1956) 309-311.
    """
    weights = np.nan_to_num(ratio(squares, totals)).reshape(2, -1)
    costs = np.asarray(ratio(thresholds, 1 - thresholds))
    squared_gains = np.square(weights[0]) + np.square(weights[1] * costs)
    return np.asarray(2 * _UNSEEN * squared_gains / np.square(totals.sum(axis=0)))


def partial_roc_auc(tp: FloatArray, fp: FloatArray, low: Fraction, high: Fraction) -> Fraction:
    """Return the area under a ROC curve between two false positive rates: of counts exactly.  O(p).

    tp, fp: (p,), the last above 0.

    >>> partial_roc_auc(np.array([1.0, 1, 2]), np.array([0.0, 1, 2]), Fraction(0), Fraction(1, 2))
    Fraction(1, 4)
    """
    kind: type = float if rounding_of(tp, fp) else int
    if kind is float:
        tp, fp = cumulative_fractions(tp), cumulative_fractions(fp)
    twice = _twice_area_below(tp, fp, kind, high) - _twice_area_below(tp, fp, kind, low)
    return Fraction(twice) / (2 * int(tp[-1]) * int(fp[-1]))


def _twice_area_below(tp: FloatArray, fp: FloatArray, kind: type, rate: Fraction) -> Any:
    """Return twice the area up to a false positive rate, in pairs of cases, or parts of all.  O(p).

    kind: int for an exact Fraction of counts, float for fractions of weights.
    """
    end = (rate if kind is int else float(rate)) * kind(fp[-1])
    passed = int(fp.searchsorted(kind(end), side="right"))
    if kind is int:
        area: Any = Fraction(half_pairs_of_points(tp[:passed], fp[:passed]))
    else:
        area = 2 * trapezoidal_area(from_none(fp[:passed]), from_none(tp[:passed]))
    if passed == fp.size:
        return area
    (x, right), (y, top) = ((kind(sums[passed - 1]) if passed else 0, kind(sums[passed])) for sums in (fp, tp))
    return area + (end - x) * (2 * y + (top - y) * (end - x) / (right - x))


def trapezoidal_area(x: FloatArray, y: FloatArray) -> float:
    """Return the area under the straight lines between points, negative where x falls.  x, y: (p,).  O(p)."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
