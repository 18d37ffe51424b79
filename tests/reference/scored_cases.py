"""Slow twins: every ranking statistic straight from its definition, in plain Python and exact fractions.

Cases are pairs of a score and whether the case is correct, in any order.  Quotients are `Fraction`, and NaN where they
divide 0 by 0.
"""

import math
from fractions import Fraction
from itertools import product


def quotient(numerator, denominator):
    """Divide exactly; 0/0 is NaN, and so is what derives from it."""
    if denominator == 0 or numerator != numerator:  # noqa: PLR0124  NaN alone differs from itself
        return math.nan
    return Fraction(numerator) / denominator


def mean(values):
    """Add and divide by how many there are; NaN for none."""
    values = list(values)
    return quotient(sum(values), len(values))


def at_or_above(cases, threshold):
    """Count correct and incorrect cases that score at least the threshold."""
    at_or_above = [correct for score, correct in cases if score >= threshold]
    return sum(at_or_above), len(at_or_above) - sum(at_or_above)


def above(cases, threshold):
    """Count cases, and correct cases, that score more than the threshold."""
    at_or_above = [correct for score, correct in cases if score > threshold]
    return len(at_or_above), sum(at_or_above)


def distinct_scores(cases):
    """List every score once, best first."""
    return sorted({score for score, _ in cases}, reverse=True)


def correct_scores(cases):
    """List every score that holds a correct case once, best first."""
    return distinct_scores([case for case in cases if case[1]])


def tied_at(cases, score):
    """List the labels of the cases that share a score."""
    return [correct for other, correct in cases if other == score]


def tie_group(cases, score):
    """Count cases above a score, correct ones among them, cases of the score, correct ones among them."""
    tied = tied_at(cases, score)
    return *above(cases, score), len(tied), sum(tied)


def operating_points(cases):
    """Count tp and fp of accepting the cases at or above each distinct score, best first."""
    return [at_or_above(cases, score) for score in distinct_scores(cases)]


def correct_points(cases):
    """Count tp and fp of accepting the cases at or above each score that holds a correct case, best first."""
    return [at_or_above(cases, score) for score in correct_scores(cases)]


def pair_counts(cases):
    """Count correct cases, and pairs in which one is not above, and in which it is beside, an incorrect case."""
    sides = [[score for score, correct in cases if correct is side] for side in (True, False)]
    pairs = list(product(*sides))
    return len(sides[0]), sum(ours <= theirs for ours, theirs in pairs), sum(ours == theirs for ours, theirs in pairs)


def undominated(heights):
    """Mark the heights for which no later one is at least as high."""
    return [not any(later >= height for later in heights[i + 1 :]) for i, height in enumerate(heights)]


def positives(cases, misses=0):
    """Count correct cases and misses."""
    return sum(correct for _, correct in cases) + misses


def negatives(cases, negative_misses=0):
    """Count incorrect cases and negative misses."""
    return len(cases) - positives(cases) + negative_misses


def pr_curve(cases, misses=0, interpolate=False):
    """List recall tp/P, precision tp/(tp+fp) and score, for every score that holds a correct case, best first."""
    rows = [
        (quotient(tp, positives(cases, misses)), quotient(tp, tp + fp), score)
        for (tp, fp), score in zip(correct_points(cases), correct_scores(cases), strict=True)
    ]
    return _interpolated(rows) if interpolate else rows


def roc_curve(cases, misses=0, negative_misses=0, interpolate=False):
    """List recall tp/P and rejection recall 1 - fp/N, for every score that holds a correct case, best first."""
    all_negatives = negatives(cases, negative_misses)
    rows = [
        (quotient(tp, positives(cases, misses)), 1 - quotient(fp, all_negatives)) for tp, fp in correct_points(cases)
    ]
    return _interpolated(rows) if interpolate else rows


def _interpolated(rows):
    """Drop every row for which a later one has at least the same second component."""
    return [row for row, kept in zip(rows, undominated([row[1] for row in rows]), strict=True) if kept]


def step_area(rows):
    """Sum (r_i - r_(i-1)) y_i with r_0 = 0; 0 for no rows."""
    recalls = [0, *(row[0] for row in rows)]
    return sum(((row[0] - before) * row[1] for row, before in zip(rows, recalls, strict=False)), Fraction(0))


def average_precision(cases, misses=0):
    """Average, over all positives, the precision after the tie group of each; a miss has precision 0."""
    after = {score: quotient(tp, tp + fp) for score in correct_scores(cases) for tp, fp in [at_or_above(cases, score)]}
    return mean([after[score] for score, correct in cases if correct] + [Fraction(0)] * misses)


def roc_auc(cases, misses=0, negative_misses=0, tied=Fraction(1, 2)):
    """Average over all pairs of a positive and a negative: 1 if it stands above, 0 if below, `tied` if equal.

    A negative that was not retrieved stands below every case, a positive that was not retrieved above nothing.
    """
    correct = [score for score, label in cases if label]
    incorrect = [score for score, label in cases if not label]
    won = sum(Fraction(best > other) + tied * (best == other) for best in correct for other in incorrect)
    won += len(correct) * negative_misses
    return quotient(won, positives(cases, misses) * negatives(cases, negative_misses))


def f_measure(precision, recall, beta):
    """Divide (1 + beta²) P R by R + beta² P."""
    weight = Fraction(beta) ** 2
    return quotient((1 + weight) * precision * recall, recall + weight * precision)


def maximum_f_measure(cases, misses=0, beta=1.0):
    """Take the largest F of the uninterpolated points; 0 for no points."""
    points = pr_curve(cases, misses)
    return max((f_measure(precision, recall, beta) for recall, precision, _ in points), default=Fraction(0))


def break_even_point(cases, misses=0):
    """Take the precision of the first interpolated point with recall >= precision; 0 if there is none."""
    points = pr_curve(cases, misses, interpolate=True)
    return next((precision for recall, precision, _ in points if recall >= precision), Fraction(0))


def interpolated_precisions(cases, misses=0):
    """Take the largest precision at recall >= 0.0, 0.1, .. 1.0; 0 beyond the last recall."""
    rows = pr_curve(cases, misses)
    wanted = [Fraction(tenths, 10) for tenths in range(11)]
    return [max((row[1] for row in rows if row[0] >= least), default=Fraction(0)) for least in wanted]


def precision_at_of_group(before, tp_before, size, correct, depth):
    """Take the fraction (tp_before + (k - before) * correct / size) / k where the group straddles or ends before k."""
    return quotient(tp_before + min(depth - before, size) * quotient(correct, size), depth)


def reciprocal_rank_of_group(before, size, correct):
    """Sum C(t-j, c-1) / C(t, c) / (b+j) over the places j that the first correct case of the group may take."""
    chances = {j: quotient(math.comb(size - j, correct - 1), math.comb(size, correct))
               for j in range(1, size - correct + 2)}  # fmt: skip
    return sum(chance / (before + j) for j, chance in chances.items())


def corners(points):
    """Mark the ends, and where the step to the next point is not the step from the one before."""
    inner = range(1, len(points) - 1)
    steps = [[points[i][side] - points[i - 1][side] for side in (0, 1)] for i in range(1, len(points))]
    return [i not in inner or steps[i - 1] != steps[i] for i in range(len(points))]


def not_level(heights):
    """Mark the ends, and points that differ from a neighbour."""
    inner = range(1, len(heights) - 1)
    return [i not in inner or not heights[i - 1] == heights[i] == heights[i + 1] for i in range(len(heights))]


def standing(case, other):
    """Tell how another score stands to that of a case: 1 if above, -1 if below, 0 beside it."""
    return (other > case) - (other < case)


def placements(cases):
    """Count, for each correct and each incorrect case, those of the other class above, less those below."""
    sides = [[score for score, correct in cases if correct is side] for side in (True, False)]
    return [[sum(standing(case, other) for other in others) for case in own]
            for own, others in (sides, sides[::-1])]  # fmt: skip


def moments(rankings):
    """List, for each class, its size, the sums of the placements and the sums of their products."""
    sides = zip(*map(placements, rankings), strict=True)
    return [(len(side[0]), [sum(own) for own in side], [[dot(one, other) for other in side] for one in side])
            for side in sides]  # fmt: skip


def dot(one, other):
    """Add up products."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def wins(correct, incorrect):
    """Credit of a correct case's score against that of an incorrect one: 1 above, 1/2 beside, 0 below."""
    return Fraction(correct > incorrect) + Fraction(correct == incorrect, 2)


def components(cases):
    """Average the credit of each correct case over the incorrect ones, and of each incorrect one over the correct."""
    correct = [score for score, label in cases if label]
    incorrect = [score for score, label in cases if not label]
    return ([mean(wins(one, other) for other in incorrect) for one in correct],
            [mean(wins(one, other) for one in correct) for other in incorrect])  # fmt: skip


def area(cases):
    """Average the components of the correct cases; NaN if a class is empty."""
    own, others = components(cases)
    return mean(own) if others else math.nan


def covariance(first, second):
    """Add up the sample covariances of the components of both classes, each over the size of the class."""
    return sum(quotient(sample_covariance(one, other), len(one))
               for one, other in zip(components(first), components(second), strict=True))  # fmt: skip


def sample_covariance(one, other):
    """Add up the products of deviations from the means, over the size less one; NaN of fewer than two."""
    if len(one) < 2:
        return math.nan
    means = mean(one), mean(other)
    return quotient(sum((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True)), len(one) - 1)


def covariances(rankings):
    """List the covariances of the areas of all models."""
    size = len(rankings)
    rows = [covariance(*pair) for pair in product(rankings, repeat=2)]
    return [rows[start : start + size] for start in range(0, size * size, size)]
