"""Answers of classifiers: a best category, a ranking, scores, probabilities; and classifiers of scikit-learn's kind.

Classifications are immutable and hashable, and equal if type and contents are.  Categories are names, mostly strings.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError, check
from evalcore.measures.losses import log2_parts, normalised
from evalcore.state.cases import GrowingColumns
from evalcore.typing import ScoreArray
from evalcore.validation import categories as checks
from evalcore.validation.arrays import as_scores
from evalcore.validation.values import check_attribute, check_count, check_instance

Numbers = tuple[float, ...]


@equal_by_content
class Classification:
    """Hold the best category of an object.  Source: spec 003.

    Parameters
    ----------
    bestCategory : hashable
        Its name.

    Examples
    --------
    >>> Classification("wine").bestCategory()
    'wine'
    """

    __slots__ = ("_categories",)

    def __init__(self, bestCategory: Hashable) -> None:
        self._categories: tuple[Hashable, ...] = (bestCategory,)

    def bestCategory(self) -> Hashable:
        """Return the best category.  O(1).

        >>> RankedClassification(["wine", "beer"]).bestCategory()
        'wine'
        """
        return self._categories[0]

    def _compared(self) -> tuple[Any, ...]:
        return self._categories

    __hash__ = content_hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._compared()))})"


class RankedClassification(Classification):
    """Hold categories of an object, best first.  Source: spec 003.

    Parameters
    ----------
    categories : sequence of hashable
        At least one.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If there are none, or it is a string.

    Examples
    --------
    >>> RankedClassification(["wine", "beer"]).category(1)
    'beer'
    """

    __slots__ = ()

    def __init__(self, categories: Iterable[Hashable]) -> None:
        self._categories = checks.as_ranking(categories, "categories")

    def size(self) -> int:
        """Return how many categories are ranked.  O(1).

        >>> RankedClassification(["wine", "beer"]).size()
        2
        """
        return len(self._categories)

    def category(self, rank: int) -> Hashable:
        """Return the category at a rank.  O(1).

        Parameters
        ----------
        rank : int
            From 0, the best, to size - 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the rank is out of range or not an integer.

        Examples
        --------
        >>> RankedClassification(["wine", "beer"]).category(2)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: rank must be in 0 .. 1, got 2
        """
        return self._categories[checks.check_rank(rank, "rank", self.size())]

    def _compared(self) -> tuple[Any, ...]:
        return (self._categories,)


class ScoredClassification(RankedClassification):
    """Hold categories of an object with their scores, best first.  Source: spec 003.

    Parameters
    ----------
    categories : sequence of hashable
        At least one.
    scores : sequence of float
        One for each category, not NaN, in descending order.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If categories or scores are invalid.

    Examples
    --------
    >>> ScoredClassification(["wine", "beer"], [0.5, -1.0]).score(1)
    -1.0
    """

    __slots__ = ("_scores",)

    def __init__(self, categories: Iterable[Hashable], scores: Sequence[float]) -> None:
        super().__init__(categories)
        self._scores: Numbers = _numbers(scores, "scores", self.size())
        checks.check_descending(self._scores, "scores")

    def score(self, rank: int) -> float:
        """Return the score at a rank.  O(1).

        Parameters
        ----------
        rank : int
            From 0, the best, to size - 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the rank is out of range or not an integer.

        Examples
        --------
        >>> ScoredClassification(["wine", "beer"], [0.5, -1.0]).score(0)
        0.5
        """
        return self._scores[checks.check_rank(rank, "rank", self.size())]

    def _compared(self) -> tuple[Any, ...]:
        return self._categories, self._scores


class ConditionalClassification(ScoredClassification):
    """Hold categories of an object with their probabilities given the object, best first.  Source: spec 003.

    Parameters
    ----------
    categories : sequence of hashable
        At least one.
    *columns : sequence of float
        Probabilities, which are then the scores too; or scores and probabilities.
    tolerance : float
        How far the sum of the probabilities may be from 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a probability is outside 0 .. 1, the sum is off, or scores increase.

    Examples
    --------
    >>> ConditionalClassification(["wine", "beer"], [0.75, 0.25]).conditionalProbability("beer")
    0.25
    """

    __slots__ = ("_probabilities",)

    def __init__(self, categories: Iterable[Hashable], *columns: Sequence[float], tolerance: float = 0.01) -> None:
        scores, probabilities = _scores_and(columns, "probabilities")
        super().__init__(categories, scores)
        own = self._scores if probabilities is scores else _numbers(probabilities, "probabilities", self.size())
        self._probabilities: Numbers = own
        checks.check_distributions(np.array(self._probabilities)[:, np.newaxis], "probabilities", tolerance)

    def conditionalProbability(self, rankOrCategory: Hashable) -> float:
        """Return the probability of a category, in 0 .. 1.  O(size).

        Parameters
        ----------
        rankOrCategory : int or hashable
            The rank of the category, from 0, or its name.

        Raises
        ------
        EvaluationError
            If there is no such rank or category.

        Examples
        --------
        >>> ConditionalClassification(["wine", "beer"], [0.75, 0.25]).conditionalProbability(0)
        0.75
        """
        return self._probabilities[checks.as_rank(rankOrCategory, self._categories, "rankOrCategory")]

    def _compared(self) -> tuple[Any, ...]:
        return self._categories, self._scores, self._probabilities


class JointClassification(ConditionalClassification):
    """Hold categories of an object with the logarithms of their joint probabilities, best first.  Source: spec 003.

    Parameters
    ----------
    categories : sequence of hashable
        At least one.
    *columns : sequence of float
        Base-2 logarithms, which are then the scores too; or scores and logarithms. No logarithm is above 0, and at
        least one is finite.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If logarithms are invalid, or scores increase.

    Examples
    --------
    >>> answer = JointClassification(["wine", "beer"], [-1.0, -2.0])
    >>> answer.jointLog2Probability(1), round(answer.conditionalProbability("wine"), 12)
    (-2.0, 0.666666666667)
    """

    __slots__ = ("_log2_parts", "_logs")

    def __init__(self, categories: Iterable[Hashable], *columns: Sequence[float]) -> None:
        scores, logs = _scores_and(columns, "log2JointProbs")
        ScoredClassification.__init__(self, categories, scores)
        self._logs: Numbers = self._scores if logs is scores else _numbers(logs, "log2JointProbs", self.size())
        column = np.array(self._logs)[:, np.newaxis]
        checks.check_log_probabilities(column, "log2JointProbs")
        self._log2_parts = log2_parts(column)
        self._probabilities = tuple(normalised(column, self._log2_parts)[:, 0].tolist())

    def jointLog2Probability(self, rank: int) -> float:
        """Return the base-2 logarithm of the joint probability at a rank, at most 0.  O(1).

        Parameters
        ----------
        rank : int
            From 0, the best.  Beyond the end the answer is -inf.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the rank is negative or not an integer.

        Examples
        --------
        >>> JointClassification(["wine", "beer"], [-1.0, -2.0]).jointLog2Probability(2)
        -inf
        """
        depth = check_count(rank, "rank")
        return self._logs[depth] if depth < self.size() else -np.inf

    def _compared(self) -> tuple[Any, ...]:
        return self._categories, self._scores, self._logs


@equal_by_content
class Classified:
    """Hold an object and its classification, right or guessed.  Equal if both parts are.  Source: spec 003.

    Parameters
    ----------
    object : object
        Anything.
    classification : Classification
        Its category, or an answer for it.

    Raises
    ------
    EvaluationTypeError
        If the classification is not a Classification.

    Examples
    --------
    >>> case = Classified("Riesling", Classification("wine"))
    >>> case.getObject(), case.getClassification().bestCategory()
    ('Riesling', 'wine')
    """

    __slots__ = ("_classification", "_object")

    def __init__(self, object: Any, classification: Classification) -> None:  # noqa: A002  the documented name
        self._object = object
        self._classification: Classification = check_instance(classification, Classification, "classification")

    def getObject(self) -> Any:
        """Return the object.  O(1).

        >>> Classified("Riesling", Classification("wine")).getObject()
        'Riesling'
        """
        return self._object

    def getClassification(self) -> Classification:
        """Return the classification.  O(1).

        >>> Classified("Riesling", Classification("wine")).getClassification()
        Classification('wine')
        """
        return self._classification

    def _compared(self) -> tuple[Any, ...]:
        return self._object, self._classification

    __hash__ = content_hash

    def __repr__(self) -> str:
        return f"Classified({self._object!r}, {self._classification!r})"


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Objects with rankings; indexing makes a Classified of one."""

    objects: Sequence[Any]
    codes: npt.NDArray[Any]
    """Codes of categories, shape (n, r), -1 where a rank has none."""
    names: npt.NDArray[Any] | None
    """Names as they were given, shape (n, r), if they were."""
    categories: tuple[Hashable, ...]

    def __len__(self) -> int:
        return len(self.objects)

    def __getitem__(self, row: int) -> "Classified":
        given = [None] * self.codes.shape[1] if self.names is None else self.names[row].tolist()
        pairs = zip(self.codes[row].tolist(), given, strict=True)
        names = [name if code < 0 else self.categories[code] for code, name in pairs]
        while names[-1] is None:  # nothing was ranked at the end
            names.pop()
        return Classified(self.objects[row], RankedClassification(names))


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Objects with scores; indexing makes a Classified of one."""

    objects: Sequence[Any]
    columns: GrowingColumns
    """The evaluator's own scores by category, (k, n), NaN where a case lacks one."""
    start: int
    """Index of the scores of the first object."""
    categories: tuple[Hashable, ...]
    answer: Callable[..., Any]
    """Makes a classification of categories, best first, and their scores."""

    def __len__(self) -> int:
        return len(self.objects)

    def __getitem__(self, row: int) -> "Classified":
        scores = self.columns.values[:, self.start + row]
        codes = np.argsort(-scores, kind="stable")[: np.count_nonzero(~np.isnan(scores))]
        names = [self.categories[code] for code in codes.tolist()]
        return Classified(self.objects[row], self.answer(names, scores[codes].tolist()))

    def over(self, views: Mapping[int, GrowingColumns]) -> "ScoredRows":
        """Return these rows with the view of their columns, by the id of these, so that they are saved once.  O(1)."""
        view = views.get(id(self.columns), self.columns)
        return ScoredRows(self.objects, view, self.start, self.categories, self.answer)


def _scores_and(columns: tuple[Sequence[float], ...], name: str) -> tuple[Sequence[float], Sequence[float]]:
    """Return scores and the other column, which may be one."""
    rule = f"be followed by {name}, or by scores and {name}"
    check(len(columns) in (1, 2), "categories", rule, f"{len(columns)} columns")
    return columns[0], columns[-1]


def _numbers(values: Sequence[float], name: str, length: int) -> Numbers:
    numbers = as_scores(values, name)
    check(numbers.size == length, name, "have one value for each category", f"{numbers.size} for {length}")
    return tuple(numbers.tolist())


class ClassifierAdapter:
    """Let a fitted model with ``predict_proba`` or ``decision_function`` classify for an evaluator.

    An adapter is equal only to itself.

    Parameters
    ----------
    model : object
        Has ``classes_`` and one of these methods; ``predict_proba`` is preferred.

    Raises
    ------
    EvaluationTypeError
        If the model has neither method.
    EvaluationError
        If the model decides between pairs of classes.

    Examples
    --------
    >>> class Model:
    ...     classes_ = np.array(["beer", "wine"])
    ...     def predict_proba(self, rows):
    ...         return np.array([[0.25, 0.75] for row in rows])
    >>> adapter = ClassifierAdapter(Model())
    >>> adapter.classify([12.5])
    ConditionalClassification(('wine', 'beer'), (0.75, 0.25), (0.75, 0.25))
    """

    __slots__ = ("_model", "_probabilistic")

    def __init__(self, model: Any) -> None:
        check_attribute(model, "classes_", "model", "; fit it first")
        self._probabilistic = hasattr(model, "predict_proba")
        if not self._probabilistic and getattr(model, "decision_function_shape", "ovr") == "ovo":
            raise EvaluationError('model decides between pairs of classes; set its decision_function_shape to "ovr"')
        if not self._probabilistic:
            check_attribute(model, "decision_function", "model")
        self._model = model

    def categories(self) -> tuple[Hashable, ...]:
        """Return the model's classes, in its order.  O(k).

        >>> class Model:
        ...     classes_ = np.array(["beer", "wine"])
        ...     predict_proba = None
        >>> ClassifierAdapter(Model()).categories()
        ('beer', 'wine')
        """
        return tuple(np.asarray(self._model.classes_).tolist())

    def scores(self, inputs: Any) -> ScoreArray:
        """Return the model's scores of many objects, shape (n, k) in the order of `categories`, for ``addScores``.

        Parameters
        ----------
        inputs : array-like of shape (n, features)
            What the model takes.

        Raises
        ------
        EvaluationError
            If the model does not give one column for each class, as scikit-learn's SVC with
            ``decision_function_shape="ovo"``.

        Notes
        -----
        With two classes, a positive decision counts for the second and against the first.

        Examples
        --------
        >>> class Model:
        ...     classes_ = np.array(["beer", "wine"])
        ...     def decision_function(self, rows):
        ...         return np.array([1.5 for row in rows])
        >>> ClassifierAdapter(Model()).scores([[12.5]])
        array([[-1.5,  1.5]])
        """
        answer = self._model.predict_proba if self._probabilistic else self._model.decision_function
        scores = np.asarray(answer(inputs))
        columns = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        classes = len(self.categories())
        holds = columns.ndim == 2 and columns.shape[1] == classes
        check(holds, "the model's scores", f"have a column for each of {classes} classes", f"shape {columns.shape}")
        return columns

    def classify(self, input: Any) -> ScoredClassification:  # noqa: A002  the documented name
        """Return the classification of one object: a ConditionalClassification if the model gives probabilities.

        Parameters
        ----------
        input : array-like of shape (features,)
            One row of features: an array, a list, a pandas Series or a data frame of one row.

        Notes
        -----
        Equal scores rank in the order of `categories`.

        Examples
        --------
        >>> class Model:
        ...     classes_ = np.array(["beer", "wine"])
        ...     def decision_function(self, rows):
        ...         return np.array([1.5 for row in rows])
        >>> ClassifierAdapter(Model()).classify([12.5])
        ScoredClassification(('wine', 'beer'), (1.5, -1.5))
        """
        scores = self.scores(_one_row(input))[0]
        order = np.argsort(-scores, kind="stable")
        categories = self.categories()
        kind = ConditionalClassification if self._probabilistic else ScoredClassification
        return kind([categories[code] for code in order.tolist()], scores[order])


def _one_row(features: Any) -> Any:
    """Make a table of one row, which keeps the names of a data frame's columns."""
    if hasattr(features, "columns"):
        return features
    return features.to_frame().T.infer_objects() if hasattr(features, "to_frame") else [features]
