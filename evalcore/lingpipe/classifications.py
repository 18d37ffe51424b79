"""What classifiers answer: a best category, a ranking, a ranking with scores or probabilities.

Classifications are immutable, equal where type and contents are, and hashable.  Categories are names: strings, mostly.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError
from evalcore.measures.probabilities import log2_parts, normalised
from evalcore.state.growing import GrowingColumns
from evalcore.validation.arrays import as_scores
from evalcore.validation.rankings import (
    as_rank,
    as_ranking,
    check_descending,
    check_distributions,
    check_log_probabilities,
    check_rank,
)
from evalcore.validation.single_values import check_count, check_instance

Numbers = tuple[float, ...]


class Classification:
    """The best category of an object.  Source: spec 003.

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

    def _contents(self) -> tuple[Any, ...]:
        return self._categories

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Classification) or type(self) is not type(other):
            return NotImplemented
        return self._contents() == other._contents()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._contents()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._contents()))})"


class RankedClassification(Classification):
    """Categories of an object, best first.  Source: spec 003.

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
        self._categories = as_ranking(categories, "categories")

    def size(self) -> int:
        """Return how many categories are ranked.  O(1).

        >>> RankedClassification(["wine", "beer"]).size()
        2
        """
        return len(self._categories)

    def category(self, rank: int) -> Hashable:
        """Return the category of a rank, from 0.  O(1).

        Raises EvaluationError for a rank outside 0 .. size - 1.

        >>> RankedClassification(["wine", "beer"]).category(2)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: rank must be in 0 .. 1, got 2
        """
        return self._categories[check_rank(rank, "rank", self.size())]

    def _contents(self) -> tuple[Any, ...]:
        return (self._categories,)


class ScoredClassification(RankedClassification):
    """Categories of an object with their scores, best first.  Source: spec 003.

    Parameters
    ----------
    categories : sequence of hashable
        At least one.
    scores : sequence of float
        As many, not NaN, none above the one before it.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If one of these does not hold.

    Examples
    --------
    >>> ScoredClassification(["wine", "beer"], [0.5, -1.0]).score(1)
    -1.0
    """

    __slots__ = ("_scores",)

    def __init__(self, categories: Iterable[Hashable], scores: Sequence[float]) -> None:
        super().__init__(categories)
        self._scores: Numbers = _numbers(scores, "scores", self.size())
        check_descending(self._scores, "scores")

    def score(self, rank: int) -> float:
        """Return the score of a rank, from 0.  O(1).

        Raises EvaluationError for a rank outside 0 .. size - 1.

        >>> ScoredClassification(["wine", "beer"], [0.5, -1.0]).score(0)
        0.5
        """
        return self._scores[check_rank(rank, "rank", self.size())]

    def _contents(self) -> tuple[Any, ...]:
        return self._categories, self._scores


class ConditionalClassification(ScoredClassification):
    """Categories of an object with their probabilities given the object, best first.  Source: spec 003.

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
        self._probabilities: Numbers = (
            self._scores if probabilities is scores else _numbers(probabilities, "probabilities", self.size())
        )
        check_distributions(np.array(self._probabilities)[:, np.newaxis], "probabilities", tolerance)

    def conditionalProbability(self, rankOrCategory: Hashable) -> float:
        """Return the probability of a category, or of the category of a rank (from 0), in 0 .. 1.  O(size).

        Raises EvaluationError for what is neither.

        >>> ConditionalClassification(["wine", "beer"], [0.75, 0.25]).conditionalProbability(0)
        0.75
        """
        rank = as_rank(rankOrCategory, self._categories, "rankOrCategory")
        return self._probabilities[rank]

    def _contents(self) -> tuple[Any, ...]:
        return self._categories, self._scores, self._probabilities


class JointClassification(ConditionalClassification):
    """Categories of an object with the logarithms of their joint probabilities, best first.  Source: spec 003.

    Parameters
    ----------
    categories : sequence of hashable
        At least one.
    *columns : sequence of float
        Logarithms to base 2, which are then the scores too; or scores and logarithms.  None is above 0, and one
        at least is finite.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If one of these does not hold, or scores increase.

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
        check_log_probabilities(column, "log2JointProbs")
        self._log2_parts = log2_parts(column)
        self._probabilities = tuple(normalised(column, self._log2_parts)[:, 0].tolist())

    def jointLog2Probability(self, rank: int) -> float:
        """Return the logarithm to base 2 of the joint probability at a rank, at most 0; -inf beyond the end.  O(1).

        Raises EvaluationError for a negative rank.

        >>> JointClassification(["wine", "beer"], [-1.0, -2.0]).jointLog2Probability(2)
        -inf
        """
        depth = check_count(rank, "rank")
        return self._logs[depth] if depth < self.size() else -np.inf

    def _contents(self) -> tuple[Any, ...]:
        return self._categories, self._scores, self._logs


@equal_by_content
class Classified:
    """An object and its classification, right or guessed; equal to one of equal ones.  Source: spec 003.

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
    """Objects with rankings, each a Classified when it is asked for.

    >>> RankedRows(["Riesling"], np.array([[1, -1, 0, -1]]), None, ("wine", "beer"))[0]
    Classified('Riesling', RankedClassification(('beer', None, 'wine')))
    """

    objects: Sequence[Any]
    codes: npt.NDArray[Any]
    """Codes of categories, shape (n, r), -1 where a place names none."""
    names: npt.NDArray[Any] | None
    """Names as they were given, shape (n, r), if they were."""
    categories: tuple[Hashable, ...]

    def __len__(self) -> int:
        return len(self.objects)

    def __getitem__(self, row: int) -> "Classified":
        given = [None] * self.codes.shape[1] if self.names is None else self.names[row].tolist()
        pairs = zip(self.codes[row].tolist(), given, strict=True)
        names = [name if code < 0 else self.categories[code] for code, name in pairs]
        while names[-1] is None:  # at the end nothing was ranked
            names.pop()
        return Classified(self.objects[row], RankedClassification(names))


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Objects with scores, each a Classified when it is asked for.

    >>> columns = GrowingColumns(2, np.float64)
    >>> columns.extend(np.array([[0.5], [0.75]]))
    >>> ScoredRows(["Riesling"], columns, 0, ("wine", "beer"), ScoredClassification)[0]
    Classified('Riesling', ScoredClassification(('beer', 'wine'), (0.75, 0.5)))
    """

    objects: Sequence[Any]
    columns: GrowingColumns
    """The evaluator's own scores by category, (k, n), NaN where a case lacks one."""
    start: int
    """Where the scores of these objects begin."""
    categories: tuple[Hashable, ...]
    answer: Callable[..., Any]
    """What makes a classification of categories, best first, and their scores."""

    def __len__(self) -> int:
        return len(self.objects)

    def __getitem__(self, row: int) -> "Classified":
        scores = self.columns.values[:, self.start + row]
        codes = np.argsort(-scores, kind="stable")[: np.count_nonzero(~np.isnan(scores))]
        names = [self.categories[code] for code in codes.tolist()]
        return Classified(self.objects[row], self.answer(names, scores[codes].tolist()))


def _scores_and(columns: tuple[Sequence[float], ...], name: str) -> tuple[Sequence[float], Sequence[float]]:
    """Take one column for both."""
    if len(columns) not in (1, 2):
        raise EvaluationError(f"after categories come {name}, or scores and {name}; got {len(columns)} columns")
    return columns[0], columns[-1]


def _numbers(values: Sequence[float], name: str, length: int) -> Numbers:
    numbers = as_scores(values, name)
    if numbers.size != length:
        raise EvaluationError(f"{name} must be as many as categories, got {numbers.size} and {length}")
    return tuple(numbers.tolist())
