"""ConfusionMatrix, spec 003: counts of cases by reference and response category, and statistics of them."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any

from numpy.typing import ArrayLike

from evalcore.kernels.tables import category_counts
from evalcore.lingpipe.confusion_printing import category_statistics, global_statistics
from evalcore.lingpipe.confusion_statistics import ConfusionStatistics
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation
from evalcore.lingpipe.saving import SavedCounts
from evalcore.measures import multiclass
from evalcore.typing import IntArray
from evalcore.validation.categories import (
    as_category_index,
    as_coded_cases,
    check_cell_change,
    check_same_categories,
    check_total,
    find_code,
)
from evalcore.validation.values import check_instance, takes_no_weights


class ConfusionMatrix(SavedCounts, ConfusionStatistics, live="count getIndex increment incrementByN merge totalCount"):
    """Count cases by reference and response category, and report statistics of the counts.

    Rows are references, columns are responses.  With k categories a statistic costs O(k²).  It is computed from whole
    numbers, exact to 1e-12 however large they are, and NaN where it divides 0 by 0.  Entropies are in bits.  Two
    matrices are equal if categories and counts are.  Cases have no weights here:
    `evalcore.metrics.confusion_matrix` and `evalcore.evaluate` take them.  Source: spec 003 (LingPipe 3.9.2).

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    Parameters
    ----------
    categories : sequence of str or int
        Distinct names, k of them, in the order of rows and columns.
    matrix : array-like of shape (k, k), optional
        Counts to begin with, copied; zeros if left out.

    Raises
    ------
    EvaluationError
        If there is no category, a category is repeated, the matrix has another shape, or a count is negative.
    EvaluationTypeError
        If a name cannot be hashed, or a count is not a whole number.

    Examples
    --------
    >>> wine = ConfusionMatrix(["Cabernet", "Syrah", "Pinot"], [[9, 3, 0], [3, 5, 1], [1, 1, 4]])
    >>> wine.totalAccuracy(), wine.kappa()
    (0.6666666666666666, 0.474025974025974)
    """

    __slots__ = ()

    @classmethod
    @takes_no_weights("confusion_matrix")
    def fromLabels(cls, reference: ArrayLike, response: ArrayLike, categories: Any = None) -> ConfusionMatrix:
        """Build a matrix from two columns of labels.  O(n + k²).

        Parameters
        ----------
        reference, response : array-like of shape (n,)
            Names of categories: lists, or columns of NumPy, pandas, Polars or Arrow.
        categories : sequence of str or int, optional
            Distinct names; if left out, the labels of both columns, sorted.

        Raises
        ------
        EvaluationError
            If a label is missing or unknown, or the lengths differ.
        EvaluationTypeError
            If a label cannot be hashed or, without `categories`, the labels cannot be sorted.

        Examples
        --------
        >>> ConfusionMatrix.fromLabels(["a", "a", "b"], ["a", "b", "b"]).matrix()
        array([[1, 1],
               [0, 1]])
        """
        cases = as_coded_cases(reference, response, categories, ("reference", "response"))
        return cls(cases.categories, category_counts(cases.reference, cases.response, len(cases.categories)))

    def getIndex(self, category: Any) -> int:
        """Return the index of a category, -1 if there is none of that name.  O(1).

        Parameters
        ----------
        category : hashable
            Its name.

        Examples
        --------
        >>> ConfusionMatrix(["a", "b"]).getIndex("b"), ConfusionMatrix(["a", "b"]).getIndex("c")
        (1, -1)
        """
        return find_code(category, self._codes, "category")

    def matrix(self) -> IntArray:
        """Return a copy of the counts that cannot be written to, shape (k, k) int64, rows by reference.  O(k²).

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).matrix()
        array([[3, 1],
               [2, 4]])
        """
        return self._table.snapshot()

    category_counts = matrix  # the name by which plots and reports ask

    def increment(self, reference: Any, response: Any) -> None:
        """Add one case.  O(1).

        Parameters
        ----------
        reference, response : hashable or int
            Names of categories or, if no category has that name, indices.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> matrix = ConfusionMatrix(["a", "b"])
        >>> matrix.increment("a", "b")
        >>> matrix.count("a", "b")
        1
        """
        self.incrementByN(reference, response, 1)

    def incrementByN(self, reference: Any, response: Any, n: int) -> None:
        """Add cases of one reference and response, or remove some.  O(1).

        Parameters
        ----------
        reference, response : hashable or int
            Names of categories or, if no category has that name, indices.
        n : int
            How many to add; a negative number removes cases.

        Raises
        ------
        EvaluationError
            If a category is unknown, the count would become negative, or the total exceeds int64.
        EvaluationTypeError
            If `n` is not an integer.

        Examples
        --------
        >>> matrix = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
        >>> matrix.incrementByN("b", 1, -3)
        >>> matrix.count("b", "b")
        1
        """
        cell = self._cell(reference, response)
        with self._lock:
            change = check_cell_change(n, int(self._table.counts[cell]), self._table.total, "n")
            self._moment = None
            self._table.add_to_cell(cell, change)

    def count(self, reference: Any, response: Any) -> int:
        """Return the number of cases with a reference and a response.  O(1).

        Parameters
        ----------
        reference, response : hashable or int
            Names of categories or, if no category has that name, indices.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).count("a", "b")
        1
        """
        return int(self._table.counts[self._cell(reference, response)])

    def merge(self, other: ConfusionMatrix) -> None:
        """Add the counts of another matrix.  O(k²).

        Parameters
        ----------
        other : ConfusionMatrix
            With the same categories in the same order.

        Raises
        ------
        EvaluationTypeError
            If `other` is not a ConfusionMatrix.
        EvaluationError
            If the categories differ, or the total exceeds int64.

        Examples
        --------
        >>> matrix = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
        >>> matrix.merge(matrix)
        >>> matrix.totalCount()
        20
        """
        checked: ConfusionMatrix = check_instance(other, ConfusionMatrix, "other")
        check_same_categories(checked.categories(), self.categories(), "other")
        theirs = checked._now()._table
        with self._lock:
            check_total(theirs.total, self._table.total, "other")
            self._moment = None
            self._table.add(theirs.counts)

    def __copy__(self) -> ConfusionMatrix:
        return ConfusionMatrix(self.categories(), self._table.counts)

    def totalCount(self) -> int:
        """Return the number of cases.  O(1).

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).totalCount()
        10
        """
        return self._table.total

    def oneVsAll(self, index: int) -> PrecisionRecallEvaluation:
        """Return the counts of one category against all others.  O(k²).

        Parameters
        ----------
        index : int
            Of the category, from 0.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the index is out of range or not an integer.

        Examples
        --------
        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).oneVsAll(0)
        PrecisionRecallEvaluation(tp=3, fn=1, fp=2, tn=4)
        """
        counts = multiclass.category_versus_all(self._table.counts, self._index(index, "index"))
        return PrecisionRecallEvaluation(*counts)

    def microAverage(self) -> PrecisionRecallEvaluation:
        """Return the sum of the tables of each category against all others.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).microAverage()
        PrecisionRecallEvaluation(tp=7, fn=3, fp=3, tn=7)
        """
        return PrecisionRecallEvaluation(*multiclass.pooled_versus_all(self._table.counts))

    def toString(self) -> str:
        """Return every statistic, one per line, of the whole and then of each category against all others.

        >>> print(ConfusionMatrix(["a", "b"]).toString().splitlines()[0])
        GLOBAL CONFUSION MATRIX STATISTICS
        """
        names, counts = self.categories(), self._table.counts
        parts = (
            global_statistics("GLOBAL CONFUSION MATRIX STATISTICS", names, counts),
            category_statistics(names, counts),
        )
        return "\n".join([*parts, ""])

    __str__ = toString

    def __repr__(self) -> str:
        return (
            f"ConfusionMatrix(categories={self.numCategories()}, cases={self.totalCount()}, "
            f"correct={self.totalCorrect()})"
        )

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw the counts and their fraction of each row as a heat map.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; if left out, in a new figure.
        **options
            As `evalcore.plots.plot_confusion_matrix` takes them.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> len(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).plot(ax=Figure().add_subplot()).get_xticks())
        2
        """
        from evalcore.plots import plot_confusion_matrix

        return plot_confusion_matrix(self, ax=ax, **options)

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import counts_html

        return counts_html(self.categories(), self._table.counts)

    def _cell(self, reference: Any, response: Any) -> tuple[int, int]:
        return (
            as_category_index(reference, self._codes, "reference"),
            as_category_index(response, self._codes, "response"),
        )
