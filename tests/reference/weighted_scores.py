"""Measures of rows (score, label, weight) as fractions, straight from their definitions; None where undefined."""

from fractions import Fraction


def answers(rows, questions, misses=0, negative_misses=0):
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
