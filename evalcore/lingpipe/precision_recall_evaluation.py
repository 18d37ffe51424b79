"""PrecisionRecallEvaluation, specs 002 and 004: statistics of a 2x2 table of counts."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import copy
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from evalcore.kernels.tables import BinaryCounts, one_case
from evalcore.lingpipe.printing import statistic_lines
from evalcore.lingpipe.saving import SavedDecisions
from evalcore.lingpipe.showing import ShowsDecisions
from evalcore.measures import agreement, binary
from evalcore.state.binary_table import BinaryTable
from evalcore.validation.arrays import count_binary_cases, count_binary_cases_or_sets
from evalcore.validation.single_values import as_label, check_count, check_instance, check_number

_MOST_CASES = 2**128
"""So that products of four counts stay float64."""


class _FMeasure:
    """F measure of an object, or as the document's static method: ``fMeasure`` names both."""

    def __get__(self, instance: PrecisionRecallEvaluation | None, owner: type) -> Callable[..., float]:
        return fMeasure if instance is None else instance._f_measure_of_counts


def fMeasure(beta: float, recall: float, precision: float) -> float:
    """Return the F measure of a recall and a precision: (1 + beta²) P R / (R + beta² P).

    Only beta² counts; where it is infinite, the limit, recall; NaN where both are 0.  On an object,
    ``fMeasure(beta=1.0)`` takes them from its counts.  O(1).  Source: spec 002.

    >>> PrecisionRecallEvaluation.fMeasure(1.0, 0.75, 0.6)
    0.6666666666666665
    """
    numbers = ("beta", beta), ("recall", recall), ("precision", precision)
    checked_beta, checked_recall, checked_precision = (check_number(value, name) for name, value in numbers)
    return float(binary.f_measure(checked_precision, checked_recall, checked_beta))


class PrecisionRecallEvaluation(SavedDecisions, ShowsDecisions):
    """Collect binary classifications as counts, and report statistics of them.

    Every statistic costs O(1), is computed from whole numbers, and is NaN where it divides 0 by 0.
    Evaluations are equal if their counts are.
    Source: spec 002 (LingPipe 3.9.2).

    Parameters
    ----------
    tp, fn, fp, tn : int
        Counts to begin with: true positives, false negatives, false positives, true negatives.

    Raises
    ------
    EvaluationError
        If a count is negative, or more than 2**128.
    EvaluationTypeError
        If a count is not an integer.

    Examples
    --------
    >>> cabernet = PrecisionRecallEvaluation(9, 3, 4, 11)
    >>> cabernet.recall(), cabernet.kappa()
    (0.75, 0.4793388429752066)
    """

    __slots__ = ("_table",)

    fMeasure = _FMeasure()  # noqa: N815  the documented name

    def __init__(self, tp: int = 0, fn: int = 0, fp: int = 0, tn: int = 0) -> None:
        counts = zip(("tp", "fn", "fp", "tn"), (tp, fn, fp, tn), strict=True)
        self._table = BinaryTable(BinaryCounts(*(check_count(value, name, _MOST_CASES) for name, value in counts)))

    @classmethod
    def fromCases(cls, reference: ArrayLike, response: ArrayLike) -> PrecisionRecallEvaluation:
        """Build an evaluation from two columns of labels.

        reference, response: (n,) Booleans, or numbers that are 0 or 1.  O(n).

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If one holds anything else, or their lengths differ.

        Examples
        --------
        >>> PrecisionRecallEvaluation.fromCases([True, True, False], [True, False, False])
        PrecisionRecallEvaluation(tp=1, fn=1, fp=0, tn=1)
        """
        return cls(*count_binary_cases(reference, response, ("reference", "response")))

    def addCase(self, reference: bool, response: bool) -> None:
        """Add one case with what it is and what it was taken for.  O(1).

        >>> evaluation = PrecisionRecallEvaluation()
        >>> evaluation.addCase(True, False)
        >>> evaluation.falseNegative()
        1
        """
        self._table.add(one_case(as_label(reference, "reference"), as_label(response, "response")))

    def addCases(self, referencePositives: Any, responsePositives: Any) -> None:
        """Add cases from two sets of positive items, or from two columns of labels.

        Sets count by membership and add no true negatives.  Columns are (n,) Booleans, or numbers that are
        0 or 1, and every row is a case.  O(n).

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If one is a set and the other is not, a column holds anything else, or the lengths differ;
            nothing is added then.

        Examples
        --------
        >>> evaluation = PrecisionRecallEvaluation()
        >>> evaluation.addCases({"a", "b"}, {"b", "c"})
        >>> evaluation.addCases([True, False], [True, False])
        >>> evaluation
        PrecisionRecallEvaluation(tp=2, fn=1, fp=1, tn=1)
        """
        names = "referencePositives", "responsePositives"
        self._table.add(count_binary_cases_or_sets(referencePositives, responsePositives, names))

    def merge(self, other: PrecisionRecallEvaluation) -> None:
        """Add the counts of another evaluation.  O(1).

        Raises EvaluationTypeError if `other` is not a PrecisionRecallEvaluation.

        >>> evaluation = PrecisionRecallEvaluation(1, 2, 3, 4)
        >>> evaluation.merge(evaluation)
        >>> evaluation
        PrecisionRecallEvaluation(tp=2, fn=4, fp=6, tn=8)
        """
        checked: PrecisionRecallEvaluation = check_instance(other, PrecisionRecallEvaluation, "other")
        self._table.add(checked._table.counts)

    def __copy__(self) -> PrecisionRecallEvaluation:
        return copy.deepcopy(self)

    def truePositive(self) -> int:
        """Return the number of true positives.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).truePositive()
        9
        """
        return self._table.counts.tp

    def falseNegative(self) -> int:
        """Return the number of false negatives.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).falseNegative()
        3
        """
        return self._table.counts.fn

    def falsePositive(self) -> int:
        """Return the number of false positives.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).falsePositive()
        4
        """
        return self._table.counts.fp

    def trueNegative(self) -> int:
        """Return the number of true negatives.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).trueNegative()
        11
        """
        return self._table.counts.tn

    def positiveReference(self) -> int:
        """Return the number of positive references, tp + fn.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).positiveReference()
        12
        """
        return self._table.counts.tp + self._table.counts.fn

    def negativeReference(self) -> int:
        """Return the number of negative references, fp + tn.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).negativeReference()
        15
        """
        return self._table.counts.fp + self._table.counts.tn

    def positiveResponse(self) -> int:
        """Return the number of positive responses, tp + fp.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).positiveResponse()
        13
        """
        return self._table.counts.tp + self._table.counts.fp

    def negativeResponse(self) -> int:
        """Return the number of negative responses, fn + tn.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).negativeResponse()
        14
        """
        return self._table.counts.fn + self._table.counts.tn

    def correctResponse(self) -> int:
        """Return the number of correct responses, tp + tn.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).correctResponse()
        20
        """
        return self._table.counts.tp + self._table.counts.tn

    def incorrectResponse(self) -> int:
        """Return the number of incorrect responses, fn + fp.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).incorrectResponse()
        7
        """
        return self._table.counts.fn + self._table.counts.fp

    def total(self) -> int:
        """Return the number of cases.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).total()
        27
        """
        return sum(self._table.counts)

    def accuracy(self) -> float:
        """Return the share of correct responses, in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).accuracy()
        0.7407407407407407
        """
        return float(binary.accuracy(*self._table.counts))

    def recall(self) -> float:
        """Return the share of positive references that are found, tp / (tp + fn), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).recall()
        0.75
        """
        return float(binary.recall(self.truePositive(), self.falseNegative()))

    def precision(self) -> float:
        """Return the share of positive responses that are right, tp / (tp + fp), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).precision()
        0.6923076923076923
        """
        return float(binary.precision(self.truePositive(), self.falsePositive()))

    def rejectionRecall(self) -> float:
        """Return the share of negative references that are rejected, tn / (fp + tn), in 0 .. 1: specificity.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).rejectionRecall()
        0.7333333333333333
        """
        return float(binary.specificity(self.falsePositive(), self.trueNegative()))

    def rejectionPrecision(self) -> float:
        """Return the share of negative responses that are right, tn / (fn + tn), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).rejectionPrecision()
        0.7857142857142857
        """
        return float(binary.negative_predictive_value(self.falseNegative(), self.trueNegative()))

    def _f_measure_of_counts(self, beta: float = 1.0) -> float:
        """Return the F measure, (1 + beta²) P R / (R + beta² P), in 0 .. 1; NaN without a true positive.

        Only beta² counts; where it is infinite, the limit, recall.  On the class,
        ``fMeasure(beta, recall, precision)``.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).fMeasure(2)
        0.7377049180327869
        """
        return fMeasure(beta, self.recall(), self.precision())

    def fowlkesMallows(self) -> float:
        """Return tp / √(P R), at least 0: not the index of that name, but as documented.

        >>> PrecisionRecallEvaluation(5, 4, 4, 14).fowlkesMallows()
        9.0
        """
        return float(binary.tp_over_fowlkes_mallows(*self._table.counts[:3]))

    def jaccardCoefficient(self) -> float:
        """Return tp / (total - tn), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).jaccardCoefficient()
        0.5625
        """
        return float(binary.jaccard(*self._table.counts[:3]))

    def yulesQ(self) -> float:
        """Return Yule's Q, (tp tn - fp fn) / (tp tn + fp fn), in -1 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).yulesQ()
        0.7837837837837838
        """
        return float(binary.yules_q(*self._table.counts))

    def yulesY(self) -> float:
        """Return Yule's Y, (√(tp tn) - √(fp fn)) / (√(tp tn) + √(fp fn)), in -1 .. 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).yulesY(), 12)
        0.483508600478
        """
        return float(binary.yules_y(*self._table.counts))

    def referenceLikelihood(self) -> float:
        """Return the share of positive references, in 0 .. 1: prevalence.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).referenceLikelihood()
        0.4444444444444444
        """
        return float(binary.prevalence(*self._table.counts))

    def responseLikelihood(self) -> float:
        """Return the share of positive responses, in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).responseLikelihood()
        0.48148148148148145
        """
        return float(binary.response_rate(*self._table.counts))

    def randomAccuracy(self) -> float:
        """Return the accuracy of independent responses of the same rates, in 0 .. 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).randomAccuracy(), 12)
        0.502057613169
        """
        return float(agreement.chance_accuracy(*self._margins()))

    def randomAccuracyUnbiased(self) -> float:
        """Return the accuracy of independent answers where both have the mean of both rates, in 0 .. 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).randomAccuracyUnbiased(), 12)
        0.502743484225
        """
        return float(agreement.pooled_chance_accuracy(*self._margins()))

    def kappa(self) -> float:
        """Return accuracy beyond `randomAccuracy`, at most 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).kappa(), 12)
        0.479338842975
        """
        return float(agreement.kappa(self.correctResponse(), *self._margins()))

    def kappaUnbiased(self) -> float:
        """Return accuracy beyond `randomAccuracyUnbiased`, at most 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).kappaUnbiased(), 12)
        0.478620689655
        """
        return float(agreement.pooled_kappa(self.correctResponse(), *self._margins()))

    def kappaNoPrevalence(self) -> float:
        """Return 2 accuracy - 1, in -1 .. 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).kappaNoPrevalence(), 12)
        0.481481481481
        """
        return float(agreement.kappa_no_prevalence(self.correctResponse(), self.incorrectResponse()))

    def chiSquared(self) -> float:
        """Return Pearson's statistic of independence, total times phi², at least 0.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).chiSquared(), 12)
        6.238186813187
        """
        return float(binary.chi_squared(*self._table.counts))

    def phiSquared(self) -> float:
        """Return (tp tn - fp fn)² over the product of the margins, in 0 .. 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).phiSquared(), 12)
        0.231043956044
        """
        return float(binary.phi_squared(*self._table.counts))

    def accuracyDeviation(self) -> float:
        """Return the standard deviation of the accuracy, √(a (1 - a) / total), in 0 .. 0.5.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).accuracyDeviation(), 12)
        0.084337043341
        """
        return float(binary.accuracy_deviation(*self._table.counts))

    def toString(self) -> str:
        """Return every statistic, one per line.

        >>> print(PrecisionRecallEvaluation(9, 3, 4, 11).toString().splitlines()[0].strip())
        Total=27
        """
        return statistic_lines((name, statistic(self)) for name, statistic in _PRINTED)

    __str__ = toString

    def _margins(self) -> tuple[tuple[int, int], tuple[int, int]]:
        references = self.positiveReference(), self.negativeReference()
        return references, (self.positiveResponse(), self.negativeResponse())

    def __repr__(self) -> str:
        tp, fn, fp, tn = self._table.counts
        return f"PrecisionRecallEvaluation(tp={tp}, fn={fn}, fp={fp}, tn={tn})"


_PRINTED: tuple[tuple[str, Callable[[PrecisionRecallEvaluation], int | float]], ...] = (
    ("Total", PrecisionRecallEvaluation.total),
    ("True Positive", PrecisionRecallEvaluation.truePositive),
    ("False Negative", PrecisionRecallEvaluation.falseNegative),
    ("False Positive", PrecisionRecallEvaluation.falsePositive),
    ("True Negative", PrecisionRecallEvaluation.trueNegative),
    ("Positive Reference", PrecisionRecallEvaluation.positiveReference),
    ("Positive Response", PrecisionRecallEvaluation.positiveResponse),
    ("Negative Reference", PrecisionRecallEvaluation.negativeReference),
    ("Negative Response", PrecisionRecallEvaluation.negativeResponse),
    ("Accuracy", PrecisionRecallEvaluation.accuracy),
    ("Recall", PrecisionRecallEvaluation.recall),
    ("Precision", PrecisionRecallEvaluation.precision),
    ("Rejection Recall", PrecisionRecallEvaluation.rejectionRecall),
    ("Rejection Precision", PrecisionRecallEvaluation.rejectionPrecision),
    ("F(1)", PrecisionRecallEvaluation._f_measure_of_counts),
    ("Fowlkes-Mallows", PrecisionRecallEvaluation.fowlkesMallows),
    ("Jaccard Coefficient", PrecisionRecallEvaluation.jaccardCoefficient),
    ("Yule's Q", PrecisionRecallEvaluation.yulesQ),
    ("Yule's Y", PrecisionRecallEvaluation.yulesY),
    ("Reference Likelihood", PrecisionRecallEvaluation.referenceLikelihood),
    ("Response Likelihood", PrecisionRecallEvaluation.responseLikelihood),
    ("Random Accuracy", PrecisionRecallEvaluation.randomAccuracy),
    ("Random Accuracy Unbiased", PrecisionRecallEvaluation.randomAccuracyUnbiased),
    ("kappa", PrecisionRecallEvaluation.kappa),
    ("kappa Unbiased", PrecisionRecallEvaluation.kappaUnbiased),
    ("kappa No Prevalence", PrecisionRecallEvaluation.kappaNoPrevalence),
    ("chi Squared", PrecisionRecallEvaluation.chiSquared),
    ("phi Squared", PrecisionRecallEvaluation.phiSquared),
    ("Accuracy Deviation", PrecisionRecallEvaluation.accuracyDeviation),
)
