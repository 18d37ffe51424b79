"""The statistics of ConfusionMatrix, spec 003, each computed by one measure."""

from typing import Any

from evalcore.measures import agreement, multiclass
from evalcore.state.shared import Shared
from evalcore.state.tables import CategoryTable
from evalcore.validation.categories import as_categories, as_count_matrix
from evalcore.validation.values import check_count, check_number


class ConfusionStatistics(Shared, live="categories numCategories"):
    """Report statistics of counts by reference and response category; `ConfusionMatrix` adds the cases."""

    __slots__ = ("_codes", "_table")

    def __init__(self, categories: Any, matrix: Any = None) -> None:
        names = as_categories(categories, "categories")
        self._codes = {name: code for code, name in enumerate(names)}
        self._table = CategoryTable(as_count_matrix(matrix, len(names), "matrix"))

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
        return float(multiclass.chance_accuracy(self._table.counts))

    def randomAccuracyUnbiased(self) -> float:
        """Return the accuracy of independent answers if both margins are the mean of the two, in 0 .. 1.

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
        return float(multiclass.lambda_of_response(self._table.counts))

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
