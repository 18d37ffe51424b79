"""ConfusionMatrix, spec 003: counts of cases by reference and response category, their statistics and text."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import check
from evalcore.kernels.tables import joint_counts
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation, printed, statistic_lines, titled
from evalcore.measures import agreement, multiclass
from evalcore.saving.container import Snapshot, names_of_plain, plain_names
from evalcore.saving.saved import Saved
from evalcore.state.shared import Shared
from evalcore.state.tables import CategoryTable
from evalcore.typing import IntArray
from evalcore.validation import categories as checks
from evalcore.validation.values import check_count, check_instance, check_number, takes_no_weights


def global_statistics(heading: str, matrix: ConfusionMatrix) -> str:
    """Write a heading, the table and what derives from all of it, one statistic per line.  O(k²)."""
    categories, counts = matrix.categories(), matrix.category_counts()

    def derived(statistics: Sequence[tuple[str, Callable[[Any], int | float]]]) -> str:
        return statistic_lines(((name, statistic(matrix)) for name, statistic in statistics), indent="")

    lines = [heading, f"Categories=[{', '.join(map(str, categories))}]", derived(_TOTALS)]
    lines.append(f"95% Confidence Interval={printed(matrix.totalAccuracy())} +/- {printed(matrix.confidence95())}")
    lines += ["Confusion Matrix", "reference \\ response", _row(["", *categories])]
    lines += (_row([category, *row]) for category, row in zip(categories, counts.tolist(), strict=True))
    lines += [derived(_MACRO_AVERAGES), "Micro-averaged Results", _SYMMETRIES]
    lines += [str(PrecisionRecallEvaluation(*multiclass.pooled_versus_all(counts))), derived(_OF_THE_WHOLE)]
    return "\n".join(lines)


def _row(cells: Sequence[Any]) -> str:
    return f"  {','.join(map(str, cells))}"


_SYMMETRIES = """\
         the following symmetries are expected:
           TP=TN, FN=FP
           PosRef=PosResp=NegRef=NegResp
           Acc=Prec=Rec=F"""


@equal_by_content
class ConfusionMatrix(
    Saved, Shared, live="categories count getIndex increment incrementByN merge numCategories totalCount"
):
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

    __slots__ = ("_codes", "_table")

    def __init__(self, categories: Any, matrix: Any = None) -> None:
        names = checks.as_categories(categories, "categories")
        self._codes = {name: code for code, name in enumerate(names)}
        self._table = CategoryTable(checks.as_count_matrix(matrix, len(names), "matrix"))

    def categories(self) -> tuple[Any, ...]:
        """Return the names of the categories, in the order of rows and columns.  O(k).

        >>> ConfusionMatrix(["a", "b"]).categories()
        ('a', 'b')
        """
        return tuple(self._codes)

    def numCategories(self) -> int:
        """Return the number of categories.  O(1).

        >>> ConfusionMatrix(["a", "b"]).numCategories()
        2
        """
        return len(self._codes)

    def totalCorrect(self) -> int:
        """Return the number of cases whose response is the reference.  O(k).

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).totalCorrect()
        7
        """
        return int(multiclass.correct(self._table.counts))

    def totalAccuracy(self) -> float:
        """Return the fraction of cases whose response is the reference, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).totalAccuracy()
        0.7
        """
        return float(multiclass.accuracy(self._table.counts))

    def confidence95(self) -> float:
        """Return the half-width of the 95% confidence interval of the accuracy: 1.96 standard errors.

        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).confidence95()
        0.49
        """
        return multiclass.confidence(self._table.counts, multiclass.Z_95)

    def confidence99(self) -> float:
        """Return the half-width of the 99% confidence interval of the accuracy: 2.58 standard errors.

        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).confidence99()
        0.645
        """
        return multiclass.confidence(self._table.counts, multiclass.Z_99)

    def confidence(self, z: float) -> float:
        """Return the half-width of an interval of `z` standard errors around the accuracy.

        Parameters
        ----------
        z : float
            Number of standard errors.

        Raises
        ------
        EvaluationTypeError
            If `z` is not a number.

        Examples
        --------
        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).confidence(2)
        0.5
        """
        return multiclass.confidence(self._table.counts, check_number(z, "z"))

    def referenceEntropy(self) -> float:
        """Return the entropy of the references, in 0 .. log₂ k.

        >>> ConfusionMatrix(["a", "b"], [[2, 2], [4, 0]]).referenceEntropy()
        1.0
        """
        return float(agreement.entropy(self._table.counts.sum(axis=1)))

    def responseEntropy(self) -> float:
        """Return the entropy of the responses, in 0 .. log₂ k.

        >>> ConfusionMatrix(["a", "b"], [[2, 0], [2, 4]]).responseEntropy()
        1.0
        """
        return float(agreement.entropy(self._table.counts.sum(axis=0)))

    def crossEntropy(self) -> float:
        """Return the cross entropy, at least `referenceEntropy`, infinite for a reference that is never a response.

        >>> ConfusionMatrix(["a", "b"], [[2, 2], [2, 2]]).crossEntropy()
        1.0
        """
        return float(multiclass.cross_entropy(self._table.counts))

    def jointEntropy(self) -> float:
        """Return the entropy of reference and response together, in 0 .. 2 log₂ k.

        >>> ConfusionMatrix(["a", "b"], [[2, 2], [4, 0]]).jointEntropy()
        1.5
        """
        return float(agreement.entropy(self._table.counts.ravel()))

    def conditionalEntropy(self, referenceIndex: int | None = None) -> float:
        """Return the entropy of the responses given the reference, in 0 .. log₂ k.

        Parameters
        ----------
        referenceIndex : int, optional
            The index of one reference, NaN if it has no cases.  By default the mean over all cases.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the index is out of range or not an integer.

        Examples
        --------
        >>> matrix = ConfusionMatrix(["a", "b"], [[2, 2], [4, 0]])
        >>> matrix.conditionalEntropy(), matrix.conditionalEntropy(0)
        (0.5, 1.0)
        """
        if referenceIndex is None:
            return float(multiclass.conditional_entropy(self._table.counts))
        return float(agreement.entropy(self._table.counts[self._index(referenceIndex, "referenceIndex")]))

    def mutualInformation(self) -> float:
        """Return the mutual information of reference and response in bits, in 0 .. log₂ k.

        >>> ConfusionMatrix(["a", "b"], [[2, 0], [0, 2]]).mutualInformation()
        1.0
        """
        return float(multiclass.mutual_information(self._table.counts))

    def klDivergence(self) -> float:
        """Return the Kullback-Leibler divergence, at least 0, infinite for a reference that is never a response.

        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).klDivergence()
        0.0
        """
        return float(multiclass.divergence(self._table.counts))

    def randomAccuracy(self) -> float:
        """Return the accuracy of independent responses with the same margins, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).randomAccuracy()
        0.5
        """
        return float(agreement.chance_accuracy(*multiclass.margins(self._table.counts)))

    def randomAccuracyUnbiased(self) -> float:
        """Return the accuracy of independent answers if both margins are the mean of the two, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[0, 4], [0, 0]]).randomAccuracyUnbiased()
        0.5
        """
        return float(agreement.pooled_chance_accuracy(*multiclass.margins(self._table.counts)))

    def kappa(self) -> float:
        """Return accuracy beyond `randomAccuracy`, at most 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).kappa()
        0.5
        """
        return float(multiclass.kappa(self._table.counts))

    def kappaUnbiased(self) -> float:
        """Return accuracy beyond `randomAccuracyUnbiased`, at most 1.

        >>> ConfusionMatrix(["a", "b"], [[0, 4], [0, 0]]).kappaUnbiased()
        -1.0
        """
        return float(agreement.pooled_kappa(self.totalCorrect(), *multiclass.margins(self._table.counts)))

    def kappaNoPrevalence(self) -> float:
        """Return 2 accuracy - 1, in -1 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).kappaNoPrevalence()
        0.5
        """
        return float(multiclass.kappa_no_prevalence(self._table.counts))

    def chiSquaredDegreesOfFreedom(self) -> int:
        """Return the number of cells that the margins leave free, (k - 1)².  O(1).

        >>> ConfusionMatrix(["a", "b", "c"]).chiSquaredDegreesOfFreedom()
        4
        """
        return multiclass.degrees_of_freedom(self._table.counts)

    def chiSquared(self) -> float:
        """Return Pearson's statistic of independence, at least 0.

        NaN with an empty row or column, or with one category.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).chiSquared()
        2.0
        """
        return float(multiclass.chi_squared(self._table.counts))

    def phiSquared(self) -> float:
        """Return `chiSquared` over `totalCount`, in 0 .. k - 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).phiSquared()
        0.25
        """
        return float(multiclass.phi_squared(self._table.counts))

    def cramersV(self) -> float:
        """Return the root of `phiSquared` over k - 1, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).cramersV()
        0.5
        """
        return float(multiclass.cramers_v(self._table.counts))

    def lambdaA(self) -> float:
        """Return the fraction of errors in guessing the reference that the response avoids, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).lambdaA()
        0.5
        """
        return float(multiclass.lambda_of_reference(self._table.counts))

    def lambdaB(self) -> float:
        """Return the fraction of errors in guessing the response that the reference avoids, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).lambdaB()
        0.4
        """
        return float(multiclass.lambda_of_reference(self._table.counts.T))

    def macroAvgPrecision(self) -> float:
        """Return the mean of the categories' precisions, in 0 .. 1; NaN if one of them is.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [3, 1]]).macroAvgPrecision()
        0.5
        """
        return float(multiclass.macro_precision(self._table.counts))

    def macroAvgRecall(self) -> float:
        """Return the mean of the categories' recalls, in 0 .. 1; NaN if one of them is.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 2]]).macroAvgRecall()
        0.625
        """
        return float(multiclass.macro_recall(self._table.counts))

    def macroAvgFMeasure(self) -> float:
        """Return the mean of the categories' F measures, in 0 .. 1; NaN if one of them is.

        >>> ConfusionMatrix(["a", "b"], [[4, 4], [4, 4]]).macroAvgFMeasure()
        0.5
        """
        return float(multiclass.macro_f_measure(self._table.counts))

    def _index(self, index: Any, name: str) -> int:
        return check_count(index, name, self.numCategories() - 1)

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
        cases = checks.as_coded_cases(reference, response, categories, ("reference", "response"))
        return cls(cases.categories, joint_counts(cases.reference, cases.response, len(cases.categories)))

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
        return checks.find_code(category, self._codes, "category")

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
            change = checks.check_cell_change(n, int(self._table.counts[cell]), self._table.total, "n")
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
        checks.check_same_categories(checked.categories(), self.categories(), "other")
        theirs = checked._now()._table
        with self._lock:
            checks.check_total(theirs.total, self._table.total, "other")
            self._moment = None
            self._table.add(theirs.counts)

    def __copy__(self) -> ConfusionMatrix:
        return ConfusionMatrix(self.categories(), self._table.counts)  # with the same categories, not copies of them

    def _compared(self) -> tuple[Any, ...]:
        return tuple(self._codes), self._table.counts

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._kind, {"categories": plain_names(self._codes)}, {"count": self._table.counts.ravel()})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        names, counts = names_of_plain(snapshot.fact("categories")), snapshot.column("count", np.int64)
        size = len(names)
        check(counts.size == size**2, "there", f"be {size**2} counts, for {size} categories", counts.size)
        return cls(names, counts.reshape(size, size))

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
        code, columns = self._index(index, "index"), multiclass.one_versus_all(self._table.counts)
        return PrecisionRecallEvaluation(*(int(column[code]) for column in columns))

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
        counts, parts = self._table.counts, [global_statistics("GLOBAL CONFUSION MATRIX STATISTICS", self)]
        entropies, tables = agreement.entropy(counts), np.transpose(multiclass.one_versus_all(counts))
        columns = self.categories(), np.asarray(entropies).tolist(), tables.tolist()
        for index, (name, entropy, table) in enumerate(zip(*columns, strict=True)):
            parts += [f"CATEGORY {index}={name} VS. ALL", statistic_lines([("Conditional Entropy", entropy)])]
            parts.append(PrecisionRecallEvaluation(*table).toString())
        return "\n".join([*parts, ""])

    __str__ = toString

    def __repr__(self) -> str:
        cases, correct = self.totalCount(), self.totalCorrect()
        return f"ConfusionMatrix(categories={self.numCategories()}, cases={cases}, correct={correct})"

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
        from evalcore.document.evaluations import counts_html

        return counts_html(self.categories(), self._table.counts)

    def _cell(self, reference: Any, response: Any) -> tuple[int, int]:
        row = checks.as_category_index(reference, self._codes, "reference")
        return row, checks.as_category_index(response, self._codes, "response")


_TOTALS = titled(ConfusionMatrix, "totalCount totalCorrect totalAccuracy")
_MACRO_AVERAGES = titled(
    ConfusionMatrix, "", macroAvgPrecision="Macro-averaged Precision", macroAvgRecall="Macro-averaged Recall",
    macroAvgFMeasure="Macro-averaged F",
)  # fmt: skip
_OF_THE_WHOLE = titled(
    ConfusionMatrix,
    "randomAccuracy randomAccuracyUnbiased kappa kappaUnbiased kappaNoPrevalence referenceEntropy responseEntropy "
    "crossEntropy jointEntropy conditionalEntropy mutualInformation klDivergence chiSquared chiSquaredDegreesOfFreedom "
    "phiSquared cramersV lambdaA lambdaB",
    kappaNoPrevalence="kappa No Prevalence ", klDivergence="Kullback-Liebler Divergence", cramersV="Cramer's V",
    chiSquaredDegreesOfFreedom="chi-Squared Degrees of Freedom",
)  # fmt: skip
