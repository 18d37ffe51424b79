"""PrecisionRecallEvaluation, specs 002 and 004: counts of decisions, their statistics, and how the classes print."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import re
from collections.abc import Callable, Iterable
from inspect import unwrap
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.kernels.tables import BinaryCounts, binary_counts, one_case, set_counts
from evalcore.measures import agreement, binary
from evalcore.saving.container import Snapshot
from evalcore.saving.saved import Saved
from evalcore.state.shared import Shared
from evalcore.state.tables import BinaryTable
from evalcore.typing import FloatArray, ScoreArray
from evalcore.validation import values
from evalcore.validation.arrays import are_sets, as_label_pair

_GREEK = "chi", "kappa", "lambda", "phi"
"""Letters, which print as they are."""


def statistic_lines(statistics: Iterable[tuple[str, int | float]], indent: str = "  ") -> str:
    """Write one ``name=value`` line per statistic, indented."""
    return "\n".join(f"{indent}{name}={printed(value)}" for name, value in statistics)


def titled(owner: type, names: str, **others: str) -> list[tuple[str, Callable[[Any], int | float]]]:
    """Return what statistics print as, the words of their names but for some others, and what finds each.

    It takes an object of one moment, and does not ask for that moment again: 30 times would cost more than the rest.
    """
    words = {name: re.sub("(?=[A-Z])", " ", name) for name in names.split()}
    titles = {name: each if each.startswith(_GREEK) else each[0].upper() + each[1:] for name, each in words.items()}
    return [(title, unwrap(getattr(owner, name))) for name, title in (titles | others).items()]


def printed(value: int | float) -> str:
    """Write a number, floats by Python's shortest form, NaN and infinities as the original does."""
    return _as_the_original(repr(value))


def printed_in_columns(value: float) -> str:
    """Write a number with six decimals, eight characters wide; NaN and infinities as `printed` does."""
    return f"{value:8.6f}" if math.isfinite(value) else f"{printed(float(value)):>8}"


def read_only_rows(*columns: ScoreArray) -> FloatArray:
    """Stack columns of shape (p,) into a (p, c) float64 array that cannot be written to."""
    rows = np.column_stack(columns).astype(np.float64, copy=False)
    rows.flags.writeable = False
    return rows


def histogram_lines(title: str, names: str, values: npt.NDArray[Any]) -> str:
    """Write a title, the names of k categories, separated by commas, and a value for each, (k,).  O(k)."""
    return f"{title}=\n  {names}\n  {_as_the_original(','.join(map(repr, values.tolist())))}"


def _as_the_original(numbers: str) -> str:
    return numbers.replace("nan", "NaN").replace("inf", "Infinity")


_MOST_CASES = 2**128
"""Products of four larger counts would exceed float64."""


class _FMeasure:
    """Let ``fMeasure`` name both the statistic of an object and the documented static method."""

    def __get__(self, instance: PrecisionRecallEvaluation | None, owner: type) -> Callable[..., float]:
        return fMeasure if instance is None else instance._now()._f_measure_of_rates


def fMeasure(beta: float, recall: float, precision: float) -> float:
    """Return the F measure of a recall and a precision: (1 + beta²) P R / (R + beta² P).

    Only beta² counts.  The limit for infinite beta² is recall; NaN if recall and precision are 0.  On an object,
    ``fMeasure(beta=1.0)`` uses its counts.  O(1).  Source: spec 002.

    Parameters
    ----------
    beta, recall, precision : float
        Weight of recall, and the two ratios.

    Raises
    ------
    EvaluationTypeError
        If one is not a number.

    Examples
    --------
    >>> PrecisionRecallEvaluation.fMeasure(1.0, 0.75, 0.6)
    0.6666666666666665
    """
    numbers = ("beta", beta), ("recall", recall), ("precision", precision)
    checked_beta, checked_recall, checked_precision = (values.check_number(value, name) for name, value in numbers)
    return float(binary.f_measure(checked_precision, checked_recall, checked_beta))


@equal_by_content
class PrecisionRecallEvaluation(Saved, Shared, live="addCase addCases merge"):
    """Collect binary classifications as counts, and report statistics of them.

    Every statistic costs O(1), is computed from whole numbers, and is NaN where it divides 0 by 0.  Evaluations are
    equal if their counts are.  Cases have no weights here: `evalcore.metrics.confusion_matrix` and `evalcore.evaluate`
    take them.  Source: spec 002 (LingPipe 3.9.2).

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

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
        counts = BinaryCounts(tp, fn, fp, tn)._asdict().items()
        checked = (values.check_count(values.check_cases(value, name), name, _MOST_CASES) for name, value in counts)
        self._table = BinaryTable(BinaryCounts(*checked))

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
        """Return the fraction of correct responses, in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).accuracy()
        0.7407407407407407
        """
        return float(binary.accuracy(*self._table.counts))

    def recall(self) -> float:
        """Return the fraction of positive references with a positive response, tp / (tp + fn), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).recall()
        0.75
        """
        return float(binary.recall(self._table.counts.tp, self._table.counts.fn))

    def precision(self) -> float:
        """Return the fraction of positive responses that are correct, tp / (tp + fp), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).precision()
        0.6923076923076923
        """
        return float(binary.precision(self._table.counts.tp, self._table.counts.fp))

    def rejectionRecall(self) -> float:
        """Return the fraction of negative references with a negative response, tn / (fp + tn), in 0 .. 1: specificity.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).rejectionRecall()
        0.7333333333333333
        """
        return float(binary.specificity(self._table.counts.fp, self._table.counts.tn))

    def rejectionPrecision(self) -> float:
        """Return the fraction of negative responses that are correct, tn / (fn + tn), in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).rejectionPrecision()
        0.7857142857142857
        """
        return float(binary.negative_predictive_value(self._table.counts.fn, self._table.counts.tn))

    def _f_measure_of_rates(self, beta: float = 1.0) -> float:
        """Return the F measure, (1 + beta²) P R / (R + beta² P), in 0 .. 1; NaN without a true positive.

        Only beta² counts; its limit for infinite beta² is recall.  On the class, ``fMeasure(beta, recall, precision)``.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).fMeasure(2)
        0.7377049180327869
        """
        return fMeasure(beta, self.recall(), self.precision())

    def fowlkesMallows(self) -> float:
        """Return tp / √(P R), at least 0: the documented formula, not the index of that name.

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
        """Return the fraction of positive references, in 0 .. 1: prevalence.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).referenceLikelihood()
        0.4444444444444444
        """
        return float(binary.prevalence(*self._table.counts))

    def responseLikelihood(self) -> float:
        """Return the fraction of positive responses, in 0 .. 1.

        >>> PrecisionRecallEvaluation(9, 3, 4, 11).responseLikelihood()
        0.48148148148148145
        """
        return float(binary.response_rate(*self._table.counts))

    def randomAccuracy(self) -> float:
        """Return the accuracy of independent responses with the same rates, in 0 .. 1.

        >>> round(PrecisionRecallEvaluation(9, 3, 4, 11).randomAccuracy(), 12)
        0.502057613169
        """
        return float(agreement.chance_accuracy(*self._margins()))

    def randomAccuracyUnbiased(self) -> float:
        """Return the accuracy of independent answers if both rates are the mean of the two, in 0 .. 1.

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
        tp, fn, fp, tn = self._table.counts
        return (tp + fn, fp + tn), (tp + fp, fn + tn)

    @classmethod
    @values.takes_no_weights("confusion_matrix")
    def fromCases(cls, reference: ArrayLike, response: ArrayLike) -> PrecisionRecallEvaluation:
        """Build an evaluation from two columns of labels.  O(n).

        Parameters
        ----------
        reference, response : array-like of shape (n,)
            Booleans, or numbers that are 0 or 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If a label is invalid, or the lengths differ.

        Examples
        --------
        >>> PrecisionRecallEvaluation.fromCases([True, True, False], [True, False, False])
        PrecisionRecallEvaluation(tp=1, fn=1, fp=0, tn=1)
        """
        return cls(*binary_counts(*as_label_pair(reference, response, ("reference", "response"))))

    def addCase(self, reference: bool, response: bool) -> None:
        """Add one case.  O(1).

        Parameters
        ----------
        reference, response : bool
            Whether the case is positive, and whether it was predicted positive.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If one is not a truth value.

        Examples
        --------
        >>> evaluation = PrecisionRecallEvaluation()
        >>> evaluation.addCase(True, False)
        >>> evaluation.falseNegative()
        1
        """
        self._add(self._table, one_case(values.as_label(reference, "reference"), values.as_label(response, "response")))

    @values.takes_no_weights("confusion_matrix")
    def addCases(self, referencePositives: Any, responsePositives: Any) -> None:
        """Add cases from two sets of positive items, or from two columns of labels.  O(n).

        Parameters
        ----------
        referencePositives, responsePositives : set, or array-like of shape (n,)
            Sets count by membership and add no true negatives.  In columns of Booleans, or numbers that are 0 or 1,
            every row is a case.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If only one is a set, a label is invalid, or the lengths differ.  Nothing is added.

        Examples
        --------
        >>> evaluation = PrecisionRecallEvaluation()
        >>> evaluation.addCases({"a", "b"}, {"b", "c"})
        >>> evaluation.addCases([True, False], [True, False])
        >>> evaluation
        PrecisionRecallEvaluation(tp=2, fn=1, fp=1, tn=1)
        """
        names = "referencePositives", "responsePositives"
        if are_sets(referencePositives, responsePositives, names):
            counts = set_counts(referencePositives, responsePositives)
        else:
            counts = binary_counts(*as_label_pair(referencePositives, responsePositives, names))
        self._add(self._table, counts)

    def merge(self, other: PrecisionRecallEvaluation) -> None:
        """Add the counts of another evaluation.  O(1).

        Parameters
        ----------
        other : PrecisionRecallEvaluation
            Unchanged.

        Raises
        ------
        EvaluationTypeError
            If `other` is not a PrecisionRecallEvaluation.

        Examples
        --------
        >>> evaluation = PrecisionRecallEvaluation(1, 2, 3, 4)
        >>> evaluation.merge(evaluation)
        >>> evaluation
        PrecisionRecallEvaluation(tp=2, fn=4, fp=6, tn=8)
        """
        self._add(self._table, values.check_instance(other, PrecisionRecallEvaluation, "other")._table.counts)

    def _compared(self) -> tuple[Any, ...]:
        return (self._table.counts,)

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._kind, self._table.counts._asdict(), {})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        counts = BinaryCounts(*map(snapshot.count, BinaryCounts._fields))
        evaluation = cls()
        evaluation._table.add(counts)  # not checked against a maximum: merging has none either
        return evaluation

    def __repr__(self) -> str:
        tp, fn, fp, tn = self._table.counts
        return f"PrecisionRecallEvaluation(tp={tp}, fn={fn}, fp={fp}, tn={tn})"

    def _repr_html_(self) -> str:
        from evalcore.document.evaluations import decisions_html

        return decisions_html(self._table.counts)


_PRINTED = titled(
    PrecisionRecallEvaluation,
    "total truePositive falseNegative falsePositive trueNegative positiveReference positiveResponse negativeReference "
    "negativeResponse accuracy recall precision rejectionRecall rejectionPrecision _f_measure_of_rates fowlkesMallows "
    "jaccardCoefficient yulesQ yulesY referenceLikelihood responseLikelihood randomAccuracy randomAccuracyUnbiased "
    "kappa kappaUnbiased kappaNoPrevalence chiSquared phiSquared accuracyDeviation",
    _f_measure_of_rates="F(1)", fowlkesMallows="Fowlkes-Mallows", yulesQ="Yule's Q", yulesY="Yule's Y",
)  # fmt: skip
