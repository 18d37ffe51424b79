"""PrecisionRecallEvaluation, specs 002 and 004: statistics of a 2x2 table of counts."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import copy
from typing import Any

from numpy.typing import ArrayLike

from evalcore.kernels.tables import binary_counts, one_case, set_counts
from evalcore.lingpipe.decision_statistics import DecisionStatistics
from evalcore.lingpipe.saving import SavedDecisions
from evalcore.validation.arrays import are_sets, as_label_pair
from evalcore.validation.values import as_label, check_instance, takes_no_weights


class PrecisionRecallEvaluation(SavedDecisions, DecisionStatistics, live="addCase addCases merge"):
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

    __slots__ = ()

    @classmethod
    @takes_no_weights("confusion_matrix")
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
        self._add(self._table, one_case(as_label(reference, "reference"), as_label(response, "response")))

    @takes_no_weights("confusion_matrix")
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
        checked: PrecisionRecallEvaluation = check_instance(other, PrecisionRecallEvaluation, "other")
        self._add(self._table, checked._table.counts)

    def __copy__(self) -> PrecisionRecallEvaluation:
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        tp, fn, fp, tn = self._table.counts
        return f"PrecisionRecallEvaluation(tp={tp}, fn={fn}, fp={fp}, tn={tn})"

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import decisions_html

        return decisions_html(self._table.counts)
