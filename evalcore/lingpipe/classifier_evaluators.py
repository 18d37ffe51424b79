"""Evaluators of classifiers, spec 003: of their first-best answers, and of the ranks of the right ones."""

import copy
from collections.abc import Hashable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, UnsupportedOperationError, check_type
from evalcore.kernels.label_ranks import by_category, ranks_in_rankings
from evalcore.kernels.sums import ratio
from evalcore.lingpipe.classifications import Classification, Classified, RankedClassification, RankedRows
from evalcore.lingpipe.confusion_matrix import ConfusionMatrix, global_statistics
from evalcore.lingpipe.precision_recall_evaluation import PrecisionRecallEvaluation, histogram_lines, printed
from evalcore.measures import multiclass, ranks
from evalcore.state.shared import Shared
from evalcore.state.tables import CaseBatch, ClassifiedCases
from evalcore.typing import IntArray
from evalcore.validation import categories as checks
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.values import check_attribute, check_instance, takes_no_weights


class Classifier(Protocol):
    """Any object with a method ``classify``."""

    def classify(self, input: Any, /) -> Classification:  # noqa: A002  the documented name
        """Return the classification of an object."""


class BaseClassifierEvaluator(
    Shared, live="addClassification categories classifier handle merge numCases numCategories setClassifier"
):
    """Collect answers of a classifier, and report how often the first-best is right.

    An evaluator is equal only to itself, since it holds a classifier and any objects: compare what it reports.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.  A classifier is
    asked without making other threads wait.

    Source: spec 003, by which the other evaluators inherit all this.

    Parameters
    ----------
    classifier : object with ``classify``, or None
        The classifier that `handle` asks; None if cases are only added.
    categories : sequence of hashable
        All categories, each once.
    storeInputs : bool
        Whether to keep the classified objects and the answers, for `truePositives` and similar methods.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If there are no categories, one is repeated, or the classifier has no method ``classify``.

    Examples
    --------
    >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
    >>> evaluator.addClassification("wine", Classification("beer"), "Riesling")
    >>> evaluator.confusionMatrix().matrix()
    array([[0, 1],
           [0, 0]])
    """

    _ANSWER: ClassVar[type[Classification]] = Classification
    _KEPT: ClassVar[Sequence[str]] = ()
    """The numbers for each category that are kept of an answer."""

    def __init__(
        self, classifier: Classifier | None, categories: Iterable[Hashable], storeInputs: bool = False
    ) -> None:
        self._categories = checks.as_categories(categories, "categories")
        self._codes = {category: code for code, category in enumerate(self._categories)}
        self._cases = ClassifiedCases(len(self._categories), len(self._KEPT), bool(storeInputs))
        self.setClassifier(classifier)

    def classifier(self) -> Classifier | None:
        """Return the classifier being evaluated.  O(1).

        >>> BaseClassifierEvaluator(None, ["wine", "beer"]).classifier()
        """
        return self._classifier

    def setClassifier(self, classifier: Classifier | None) -> None:
        """Set the classifier that `handle` asks from now on, as in cross-validation.  O(1).

        Parameters
        ----------
        classifier : object with ``classify``, or None
            None if cases are only added.

        Raises
        ------
        EvaluationTypeError
            If the classifier has no method ``classify``.

        Examples
        --------
        >>> BaseClassifierEvaluator(None, ["wine", "beer"]).setClassifier("wine")
        Traceback (most recent call last):
        evalcore.errors.EvaluationTypeError: classifier must have classify, got 'wine' (str)
        """
        if classifier is not None:
            hint = "; wrap a scikit-learn model in ClassifierAdapter" if hasattr(classifier, "predict") else ""
            check_attribute(classifier, "classify", "classifier", hint)
        self._classifier, self._moment = classifier, None

    def categories(self) -> tuple[Hashable, ...]:
        """Return the categories.  O(1).

        >>> BaseClassifierEvaluator(None, ["wine", "beer"]).categories()
        ('wine', 'beer')
        """
        return self._categories

    def numCategories(self) -> int:
        """Return how many categories there are.  O(1).

        >>> BaseClassifierEvaluator(None, ["wine", "beer"]).numCategories()
        2
        """
        return len(self._categories)

    def numCases(self) -> int:
        """Return the number of cases.  O(k²).

        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.numCases()
        2
        """
        with self._lock or nullcontext():  # a look at the whole state would cost more after each case
            return int(self._cases.tallies.firsts.sum())

    def handle(self, classified: Classified) -> None:
        """Classify an object, and add the answer with the right category.

        Parameters
        ----------
        classified : Classified
            The object with its right classification.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            As `addClassification`, and if there is no classifier.

        Examples
        --------
        >>> class Optimist:
        ...     def classify(self, input):
        ...         return Classification("wine")
        >>> evaluator = BaseClassifierEvaluator(Optimist(), ["wine", "beer"])
        >>> evaluator.handle(Classified("Riesling", Classification("wine")))
        >>> evaluator.confusionMatrix().totalCorrect()
        1
        """
        case: Classified = check_instance(classified, Classified, "classified")
        classifier = self._classifier
        if classifier is None:
            raise EvaluationError("handle needs a classifier; set one by setClassifier")
        answer = classifier.classify(case.getObject())
        self.addClassification(case.getClassification().bestCategory(), answer, case.getObject())

    def addClassification(self, reference: Hashable, classification: Classification, input: Any = None) -> None:  # noqa: A002  the documented name
        """Add the answer for an object of a known category.  O(k²).

        Parameters
        ----------
        reference : hashable
            The right category.
        classification : Classification
            The answer, of the kind that this evaluator takes.
        input : object, optional
            The object that was classified, for evaluators that store inputs.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the reference or the first-best category is unknown, or the classification is of another kind. Nothing is
            added.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addClassification("cider", Classification("wine"))
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: reference must be one of 'wine', 'beer', got 'cider' (str)
        """
        code = checks.as_code(reference, self._codes, "reference")
        answer: Classification = check_instance(classification, self._ANSWER, "classification")
        checks.as_code(answer.bestCategory(), self._codes, "classification.bestCategory()")
        self._add(self._cases, self._single(code, answer), [Classified(input, answer)])

    def merge(self, other: Self) -> None:
        """Add the cases of another evaluator, as if this one had seen both.  O(size of the other).

        Parameters
        ----------
        other : BaseClassifierEvaluator
            Of the same class, with the same categories.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If class or categories differ, only this evaluator stores inputs, or the number of cases exceeds int64.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.merge(evaluator)
        >>> evaluator.numCases()
        4
        """
        check_type(type(other) is type(self), "other", f"be a {type(self).__name__}", other)
        theirs = other._now()
        checks.check_same_categories(theirs._categories, self._categories, "other")
        if self._cases.objects is not None and theirs._cases.objects is None:
            raise EvaluationError("other must store its inputs, as this evaluator does")
        # Sums of ranks stay below cases times categories
        with self._lock:
            more, kept = (each.numCases() * self.numCategories() for each in (theirs, self))
            checks.check_total(more, kept, "other")
            self._moment = None
            self._cases.merge(theirs._cases)

    def confusionMatrix(self) -> ConfusionMatrix:
        """Return a copy of the counts by reference and first-best category.  O(k²).

        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.confusionMatrix().matrix().tolist()
        [[1, 0], [1, 0]]
        """
        return ConfusionMatrix(self._categories, self._cases.tallies.firsts)

    def category_counts(self) -> IntArray:
        """Return a copy of the counts by reference and first-best category, shape (k, k) int64.  O(k²).

        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.category_counts().tolist()
        [[1, 0], [1, 0]]
        """
        return self._cases.tallies.firsts.copy()

    def oneVersusAll(self, category: Hashable) -> PrecisionRecallEvaluation:
        """Return the decisions for one category against all others, as a copy.  O(k²).

        Parameters
        ----------
        category : hashable
            One of `categories`.

        Raises
        ------
        EvaluationError
            If the category is unknown.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.oneVersusAll("wine")
        PrecisionRecallEvaluation(tp=1, fn=0, fp=1, tn=0)
        """
        return self.confusionMatrix().oneVsAll(self._code(category))

    def truePositives(self, category: Hashable) -> list[Classified]:
        """Return the cases of a category whose first-best answer is that category, in the order they came.  O(n).

        Parameters
        ----------
        category : hashable
            One of `categories`.

        Raises
        ------
        EvaluationError
            If the category is unknown.
        UnsupportedOperationError
            If inputs are not stored.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> [case.getObject() for case in evaluator.truePositives("wine")]
        ['Riesling']
        """
        return self._found(category, is_reference=True, is_first=True)

    def falsePositives(self, category: Hashable) -> list[Classified]:
        """Return the cases of other categories whose first-best answer is this category.  O(n).

        Parameters
        ----------
        category : hashable
            One of `categories`.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> [case.getObject() for case in evaluator.falsePositives("wine")]
        ['Stout']
        """
        return self._found(category, is_reference=False, is_first=True)

    def falseNegatives(self, category: Hashable) -> list[Classified]:
        """Return the cases of a category whose first-best answer is another category.  O(n).

        Parameters
        ----------
        category : hashable
            One of `categories`.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.falseNegatives("wine")
        []
        """
        return self._found(category, is_reference=True, is_first=False)

    def trueNegatives(self, category: Hashable) -> list[Classified]:
        """Return the cases of other categories whose first-best answer is not this category either.  O(n).

        Parameters
        ----------
        category : hashable
            One of `categories`.

        Examples
        --------
        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.trueNegatives("beer")
        [Classified('Riesling', Classification('wine'))]
        """
        return self._found(category, is_reference=False, is_first=False)

    def toString(self) -> str:
        """Return the documented statistics, of all cases and of each category against all others.

        >>> evaluator = BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=True)
        >>> evaluator.addClassification("wine", Classification("wine"), "Riesling")
        >>> evaluator.addClassification("beer", Classification("wine"), "Stout")
        >>> evaluator.toString().splitlines()[0]
        'BASE CLASSIFIER EVALUATION'
        """
        firsts = self._cases.tallies.firsts
        whole = global_statistics("BASE CLASSIFIER EVALUATION", self.confusionMatrix())
        sections = [whole, *self._global_lines(), "\nONE VERSUS ALL EVALUATIONS BY CATEGORY\n"]
        names = ",".join(map(str, self._categories))
        tables = np.transpose(multiclass.one_versus_all(firsts)).tolist()
        for code, (category, table) in enumerate(zip(self._categories, tables, strict=True)):
            first_best = f"First-Best Precision/Recall Evaluation\n{PrecisionRecallEvaluation(*table)}"
            own = first_best, *self._category_lines(code, names)
            sections += [f"\nCATEGORY[{code}]={category} VERSUS ALL\n", *own, ""]
        return "\n".join(sections)

    def __str__(self) -> str:
        return self.toString()

    def __repr__(self) -> str:
        matrix = self._cases.tallies.firsts
        return f"{type(self).__name__}(categories={len(matrix)}, cases={matrix.sum()}, correct={matrix.trace()})"

    def _repr_html_(self) -> str:
        from evalcore.document.evaluations import counts_html

        return counts_html(self._categories, self._cases.tallies.firsts)

    def __copy__(self) -> Self:
        # The classifier and the classified objects do not change, so both copies share them.
        shared = [self._classifier, *(self._cases.objects or ())]
        return copy.deepcopy(self, {id(value): value for value in shared})

    def _global_lines(self) -> list[str]:
        """Return the lines on all cases that a subclass adds."""
        return []

    def _category_lines(self, code: int, names: str) -> list[str]:
        """Return the lines on a category that a subclass adds; names: of all categories, separated by commas."""
        return []

    def _single(self, reference: int, answer: Classification) -> CaseBatch:
        """Turn one checked case into arrays."""
        codes = np.array([[self._codes.get(category, -1) for category in answer._categories]])
        columns = [getattr(answer, name) for name in self._KEPT]
        # equal columns stay one object
        spread = {id(values): by_category(codes, np.array([values]), len(self._categories)) for values in columns}
        ranks_of_answer = ranks_in_rankings(codes, len(self._categories))
        return CaseBatch(np.array([reference]), ranks_of_answer, tuple(spread[id(values)] for values in columns))

    def _checked_inputs(self, inputs: Sequence[Any] | None, cases: int) -> Sequence[Any]:
        """Return the inputs of a batch if they are stored."""
        return () if self._cases.objects is None else checks.as_inputs(inputs, cases, "inputs")

    def _code(self, category: Hashable) -> int:
        return checks.as_code(category, self._codes, "category")

    def _found(self, category: Hashable, is_reference: bool, is_first: bool) -> list[Classified]:
        code = self._code(category)
        if self._cases.objects is None:
            raise UnsupportedOperationError("inputs are not stored; construct the evaluator with storeInputs=True")
        return self._cases.found(code, is_reference, is_first)


class RankedClassifierEvaluator(BaseClassifierEvaluator, live="addRankings"):
    """Collect rankings of categories, and report the ranks of the right ones.

    Ranks count from 0.  A category that a ranking lacks, or names after the k-th, has the last rank.  Constructor and
    first-best statistics as in `BaseClassifierEvaluator`.  Cases have no weights here:
    `evalcore.metrics.top_k_accuracy_score` and `evalcore.evaluate` take them.  Source: spec 003.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
    >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
    >>> evaluator.averageRank("b", "c"), evaluator.rankCount("b", 2)
    (1.5, 1)
    """

    _ANSWER: ClassVar[type[Classification]] = RankedClassification

    @takes_no_weights("top_k_accuracy_score")
    def addRankings(self, references: Any, rankings: Any, inputs: Sequence[Any] | None = None) -> None:
        """Add many rankings, as one `addClassification` for each would.  O(n (r + k²)).

        Parameters
        ----------
        references : array-like of shape (n,)
            Names of categories.
        rankings : array-like of shape (n, r)
            Names, best first; None or an unknown name where nothing is ranked.  Or codes, which index `categories`, -1
            where nothing is ranked, unless the names themselves are integers.
        inputs : sequence of n objects, optional
            For evaluators that store inputs.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If a reference or a first-best category is unknown, or lengths differ.  Nothing is added.

        Examples
        --------
        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(["a", "c"], [["a", "b", "c"], ["b", "c", None]])
        >>> evaluator.meanReciprocalRank()
        0.75
        """
        if self._KEPT:
            raise EvaluationTypeError(f"a {type(self).__name__} takes rankings with scores; use addScores")
        reference = checks.as_reference_codes(references, self._codes, "references")
        codes, names = checks.as_rankings(rankings, self._codes, "rankings")
        check_equal_lengths(reference, codes, "references", "rankings")
        batch = CaseBatch(reference, ranks_in_rankings(codes, self.numCategories()))
        objects = self._checked_inputs(inputs, reference.size)
        kept = None if names is None or self._cases.objects is None else names.copy()
        self._add(self._cases, batch, RankedRows(objects, codes, kept, self._categories))

    def rankCount(self, referenceCategory: Hashable, rank: int) -> int:
        """Return the number of cases of a category whose right answer has a rank.  O(1).

        Parameters
        ----------
        referenceCategory : hashable
            One of `categories`.
        rank : int
            From 0 to numCategories - 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the category is unknown, or the rank out of range or not an integer.

        Examples
        --------
        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
        >>> [evaluator.rankCount("a", rank) for rank in range(3)]
        [3, 1, 0]
        """
        code = checks.as_code(referenceCategory, self._codes, "referenceCategory")
        return int(self._cases.tallies.counts[code, checks.check_rank(rank, "rank", self.numCategories())])

    def rank_counts(self) -> IntArray:
        """Return a copy of the counts by category and by the rank it was given, shape (k, k) int64.  O(k²).

        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
        >>> evaluator.rank_counts().tolist()
        [[3, 1, 0], [1, 0, 1], [1, 0, 0]]
        """
        return self._cases.tallies.counts.copy()

    def averageRank(self, refCategory: Hashable, responseCategory: Hashable) -> float:
        """Return the mean rank of a category over the cases of another, in 0 .. k - 1; NaN without cases.  O(k).

        Parameters
        ----------
        refCategory, responseCategory : hashable
            The category of the cases, and the one whose rank is averaged.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
        >>> evaluator.averageRank("a", "c")
        1.75
        """
        code = checks.as_code(refCategory, self._codes, "refCategory")
        response = checks.as_code(responseCategory, self._codes, "responseCategory")
        return float(ratio(self._cases.tallies.sums[code, response], self._cases.tallies.firsts[code].sum()))

    def averageRankReference(self) -> float:
        """Return the mean rank of the right category, in 0 .. k - 1; NaN without cases.  O(k²).

        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
        >>> round(evaluator.averageRankReference(), 2)
        0.43
        """
        return float(ranks.mean_rank(self._cases.tallies.counts.sum(axis=0)))

    def meanReciprocalRank(self) -> float:
        """Return the mean of 1 / (1 + rank) of the right category, in 0 .. 1; NaN without cases.  O(k²).

        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
        >>> round(evaluator.meanReciprocalRank(), 2)
        0.83
        """
        return float(ranks.mean_reciprocal_rank(self._cases.tallies.counts.sum(axis=0)))

    def plot_rank_histograms(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw for each category a bar graph of the ranks that its cases were given.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; if left out, in a new figure.
        **options
            As `evalcore.plots.plot_rank_histograms` takes them.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> evaluator = RankedClassifierEvaluator(None, ["a", "b", "c"])
        >>> evaluator.addRankings(list("aaaabbc"), list(map(list, "abc acb abc bac bac acb cba".split())))
        >>> [text.get_text() for text in evaluator.plot_rank_histograms(ax=Figure().add_subplot()).texts[:3]]
        ['3', '1', '0']
        """
        from evalcore.plots import plot_rank_histograms

        return plot_rank_histograms(self, ax=ax, **options)

    def _global_lines(self) -> list[str]:
        return [f"Average Reference Rank={printed(self.averageRankReference())}"]

    def _category_lines(self, code: int, names: str) -> list[str]:
        tallies = self._cases.tallies
        averages = np.asarray(ratio(tallies.sums[code], tallies.firsts[code].sum()))
        counted = histogram_lines("Rank Histogram", names, tallies.counts[code])
        return [counted, histogram_lines("Average Rank Histogram", names, averages)]
