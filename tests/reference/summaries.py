"""Slow twins of `evalcore.kernels.bins` and `score_counts`, case by case, and of the answers of ScoreSummary.

An interval is a tuple (low, high, positives, negatives).  Measures of rows (score, label, weight) are fractions,
straight from their definitions; None where undefined.
"""

from bisect import bisect_right
from collections import Counter
from fractions import Fraction

from hypothesis import strategies as st


def counts_at(pairs):
    """List (score, positives, negatives), the highest first, of pairs of score and label."""
    positives = Counter(score for score, label in pairs if label)
    negatives = Counter(score for score, label in pairs if not label)
    return [(score, positives[score], negatives[score]) for score in sorted({*positives, *negatives}, reverse=True)]


def arranged(intervals, positives_high):
    """List pairs of score and label, the positives at one end of their interval and the negatives at the other."""
    pairs = []
    for low, high, positives, negatives in intervals:
        pairs += [(high if positives_high else low, True)] * positives
        pairs += [(low if positives_high else high, False)] * negatives
    return pairs


def cells(pairs, cuts):
    """List the intervals of the cases between cuts."""
    parts = {}
    for score, label in sorted(pairs):
        parts.setdefault(bisect_right(cuts, score), []).append((score, label))
    return [
        (part[0][0], part[-1][0], sum(label for _, label in part), sum(not label for _, label in part))
        for _, part in sorted(parts.items())
    ]


def certain(intervals):
    """List (score, cases at or above it) for the low ends that no interval straddles, the highest first."""
    clear = [low for low, *_ in intervals if not any(other[0] < low <= other[1] for other in intervals)]
    return [
        (score, sum(sum(other[2:]) for other in intervals if other[0] >= score))
        for score in sorted(set(clear), reverse=True)
    ]


QUESTIONS = {
    "roc_auc": (),
    "average_precision": (),
    "maximum_f_measure": (2.0,),
    "precision_at_threshold": (0.25,),
    "recall_at_threshold": (0.25,),
    "f_measure_at_threshold": (0.25, 0.5),
    "recall_at_precision": (0.6,),
    "precision_at_recall": (0.6,),
}
"""What tests ask of summaries."""
MISSES = st.tuples(*[st.sampled_from([0, 0, 1, 3])] * 2)


def asked(summary):
    return {name: getattr(summary, name)(*arguments) for name, arguments in QUESTIONS.items()}


def answers(rows, questions=QUESTIONS, misses=0, negative_misses=0):
    """Answer each question of ScoreSummary."""
    cases = [(score, label, Fraction(weight)) for score, label, weight in rows if weight]
    table = _Tables(cases, Fraction(misses), Fraction(negative_misses))
    return {name: getattr(table, name)(*arguments) for name, arguments in questions.items()}


def divided(part, whole):
    return part / whole if whole else None


class _Tables:
    """Sums of weights at each threshold."""

    def __init__(self, cases, misses, negative_misses):
        self.cases, self.unranked = cases, (misses, negative_misses)
        self.positives = sum((w for _, label, w in cases if label), misses)
        self.negatives = sum((w for _, label, w in cases if not label), negative_misses)
        self.thresholds = sorted({score for score, *_ in cases}, reverse=True)

    def at(self, threshold):
        tp = sum((w for score, label, w in self.cases if label and score >= threshold), Fraction(0))
        return tp, sum((w for score, label, w in self.cases if not label and score >= threshold), Fraction(0))

    def roc_auc(self):
        below, negatives = Fraction(0), {}
        for score, label, w in self.cases:
            if not label:
                negatives[score] = negatives.get(score, Fraction(0)) + w
        for score, label, w in self.cases:
            if label:
                lower = sum((n for other, n in negatives.items() if other < score), self.unranked[1])
                below += w * (lower + negatives.get(score, Fraction(0)) / 2)
        below += self.unranked[0] * self.unranked[1] / 2
        return divided(below, self.positives * self.negatives)

    def average_precision(self):
        precisions = {
            threshold: divided(tp, tp + fp) for threshold in self.thresholds for tp, fp in [self.at(threshold)]
        }
        return divided(
            sum((w * precisions[score] for score, label, w in self.cases if label), Fraction(0)), self.positives
        )

    def maximum_f_measure(self, beta):
        return max((self.f_measure_at_threshold(t, beta) or Fraction(0) for t in self.thresholds), default=Fraction(0))

    def precision_at_threshold(self, threshold):
        tp, fp = self.at(threshold)
        return divided(tp, tp + fp)

    def recall_at_threshold(self, threshold):
        return divided(self.at(threshold)[0], self.positives)

    def f_measure_at_threshold(self, threshold, beta):
        (tp, fp), weight = self.at(threshold), Fraction(beta) ** 2
        return divided((1 + weight) * tp, weight * self.positives + tp + fp)

    def recall_at_precision(self, least):
        if not self.positives:
            return None
        found = [self.recall_at_threshold(t) for t in self.thresholds if self.precision_at_threshold(t) >= least]
        return max(found, default=Fraction(0))

    def precision_at_recall(self, least):
        if not self.positives:
            return None
        found = [self.precision_at_threshold(t) for t in self.thresholds if self.recall_at_threshold(t) >= least]
        return max(found, default=Fraction(0))
