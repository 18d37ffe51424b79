"""ConfusionMatrix, spec 003: counts of cases by reference and response category, and statistics of them."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any

from numpy.typing import ArrayLike

from evalcore.kernels.tables import category_counts
from evalcore.lingpipe.confusion_printing import category_statistics, global_statistics
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation
from evalcore.lingpipe.saving import SavedCounts
from evalcore.lingpipe.showing import ShowsCounts
from evalcore.measures import entropies, multiclass
from evalcore.state.category_table import CategoryTable
from evalcore.typing import IntArray
from evalcore.validation.categories import (
    as_categories,
    as_category_index,
    as_coded_cases,
    as_count_matrix,
    check_cell_change,
    check_same_categories,
    check_total,
    find_code,
)
from evalcore.validation.single_values import check_count, check_instance, check_number


class ConfusionMatrix(SavedCounts, ShowsCounts):
    """Count cases by what they are and what they were taken for, and report statistics of the counts.

    Rows are references, columns are responses.  Of k categories, a statistic costs O(k²); it is computed from whole
    numbers, right to 1e-12 however large they are, and NaN where it divides 0 by 0.  Entropies are in bits.
    Equal if categories and counts are.  Source: spec 003 (LingPipe 3.9.2).

    Parameters
    ----------
    categories : sequence of str or int
        Distinct names, k of them, in the order of rows and columns.
    matrix : array-like of shape (k, k), optional
        Counts to begin with, copied; zeros if left out.

    Raises
    ------
    EvaluationError
        If there is no category or one twice, the matrix has another shape, or a count is negative.
    EvaluationTypeError
        If a name cannot be hashed, or a count is no whole number.

    Examples
    --------
    >>> wine = ConfusionMatrix(["Cabernet", "Syrah", "Pinot"], [[9, 3, 0], [3, 5, 1], [1, 1, 4]])
    >>> wine.totalAccuracy(), wine.kappa()
    (0.6666666666666666, 0.474025974025974)
    """

    __slots__ = ("_codes", "_table")

    def __init__(self, categories: Any, matrix: Any = None) -> None:
        names = as_categories(categories, "categories")
        self._codes = {name: code for code, name in enumerate(names)}
        self._table = CategoryTable(as_count_matrix(matrix, len(names), "matrix"))

    @classmethod
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
            If a label is missing or no category, or the lengths differ.
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

    def getIndex(self, category: Any) -> int:
        """Return the index of a category, -1 if there is none of that name.  O(1).

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
        """Add one case.  Takes categories, and raises, as `incrementByN` does.  O(1).

        >>> matrix = ConfusionMatrix(["a", "b"])
        >>> matrix.increment("a", "b")
        >>> matrix.count("a", "b")
        1
        """
        self.incrementByN(reference, response, 1)

    def incrementByN(self, reference: Any, response: Any, n: int) -> None:
        """Add `n` cases of one reference and response, or take them away if `n` is negative.  O(1).

        Categories are names or, where no category has that name, indices.  Raises EvaluationError for others, for
        an `n` that would make the count negative and for a total beyond int64; EvaluationTypeError for no integer.

        >>> matrix = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
        >>> matrix.incrementByN("b", 1, -3)
        >>> matrix.count("b", "b")
        1
        """
        cell = self._cell(reference, response)
        change = check_cell_change(n, int(self._table.counts[cell]), self._table.total, "n")
        self._table.add_to_cell(cell, change)

    def count(self, reference: Any, response: Any) -> int:
        """Return the number of cases of a reference with a response.  Takes categories as `incrementByN` does.  O(1).

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).count("a", "b")
        1
        """
        return int(self._table.counts[self._cell(reference, response)])

    def merge(self, other: ConfusionMatrix) -> None:
        """Add the counts of another matrix.  O(k²).

        Raises EvaluationTypeError if `other` is not a ConfusionMatrix, EvaluationError if it has not the same
        categories in the same order or the total would leave int64.

        >>> matrix = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
        >>> matrix.merge(matrix)
        >>> matrix.totalCount()
        20
        """
        checked: ConfusionMatrix = check_instance(other, ConfusionMatrix, "other")
        check_same_categories(checked.categories(), self.categories(), "other")
        check_total(checked._table.total, self._table.total, "other")
        self._table.add(checked._table.counts)

    def __copy__(self) -> ConfusionMatrix:
        return ConfusionMatrix(self.categories(), self._table.counts)

    def totalCount(self) -> int:
        """Return the number of cases.  O(1).

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).totalCount()
        10
        """
        return self._table.total

    def totalCorrect(self) -> int:
        """Return the number of cases whose response is the reference.  O(k).

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).totalCorrect()
        7
        """
        return multiclass.correct(self._table.counts)

    def totalAccuracy(self) -> float:
        """Return the share of cases whose response is the reference, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).totalAccuracy()
        0.7
        """
        return float(multiclass.accuracy(self._table.counts))

    def confidence95(self) -> float:
        """Return how far the 95% confidence interval reaches to either side of the accuracy: 1.96 deviations.

        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).confidence95()
        0.49
        """
        return multiclass.confidence(self._table.counts, multiclass.Z_95)

    def confidence99(self) -> float:
        """Return how far the 99% confidence interval reaches to either side of the accuracy: 2.58 deviations.

        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).confidence99()
        0.645
        """
        return multiclass.confidence(self._table.counts, multiclass.Z_99)

    def confidence(self, z: float) -> float:
        """Return how far an interval of `z` standard deviations reaches to either side of the accuracy.

        >>> ConfusionMatrix(["a", "b"], [[1, 1], [1, 1]]).confidence(2)
        0.5
        """
        return multiclass.confidence(self._table.counts, check_number(z, "z"))

    def referenceEntropy(self) -> float:
        """Return the entropy of the references, in 0 .. log₂ k.

        >>> ConfusionMatrix(["a", "b"], [[2, 2], [4, 0]]).referenceEntropy()
        1.0
        """
        return float(multiclass.reference_entropy(self._table.counts))

    def responseEntropy(self) -> float:
        """Return the entropy of the responses, in 0 .. log₂ k.

        >>> ConfusionMatrix(["a", "b"], [[2, 0], [2, 4]]).responseEntropy()
        1.0
        """
        return float(multiclass.response_entropy(self._table.counts))

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
        return float(multiclass.joint_entropy(self._table.counts))

    def conditionalEntropy(self, referenceIndex: int | None = None) -> float:
        """Return the entropy of the responses given the reference, in 0 .. log₂ k.

        Of one reference, by index, if that is given: NaN without cases of it.  Otherwise the mean over the cases.
        Raises EvaluationError for an index out of range, EvaluationTypeError for no integer.

        >>> matrix = ConfusionMatrix(["a", "b"], [[2, 2], [4, 0]])
        >>> matrix.conditionalEntropy(), matrix.conditionalEntropy(0)
        (0.5, 1.0)
        """
        if referenceIndex is None:
            return float(multiclass.conditional_entropy(self._table.counts))
        return float(entropies.entropy(self._table.counts[self._index(referenceIndex, "referenceIndex")]))

    def mutualInformation(self) -> float:
        """Return the bits that reference and response tell of each other, in 0 .. log₂ k.

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
        """Return the accuracy of independent responses of the same shares, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).randomAccuracy()
        0.5
        """
        return float(multiclass.chance_accuracy(self._table.counts))

    def randomAccuracyUnbiased(self) -> float:
        """Return the accuracy of independent answers where both have the mean of both shares, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[0, 4], [0, 0]]).randomAccuracyUnbiased()
        0.5
        """
        return float(multiclass.pooled_chance_accuracy(self._table.counts))

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
        return float(multiclass.pooled_kappa(self._table.counts))

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
        """Return the share of errors in guessing the reference that the response saves, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [1, 3]]).lambdaA()
        0.5
        """
        return float(multiclass.lambda_of_reference(self._table.counts))

    def lambdaB(self) -> float:
        """Return the share of errors in guessing the response that the reference saves, in 0 .. 1.

        >>> ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]).lambdaB()
        0.4
        """
        return float(multiclass.lambda_of_response(self._table.counts))

    def oneVsAll(self, index: int) -> PrecisionRecallEvaluation:
        """Return the table of one category, by index, against all others.

        Raises EvaluationError for an index out of range, EvaluationTypeError for no integer.

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

    def _cell(self, reference: Any, response: Any) -> tuple[int, int]:
        return (
            as_category_index(reference, self._codes, "reference"),
            as_category_index(response, self._codes, "response"),
        )

    def _index(self, index: Any, name: str) -> int:
        return check_count(index, name, self.numCategories() - 1)
