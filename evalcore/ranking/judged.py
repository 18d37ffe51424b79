"""Rankings of documents beside their judgements, from lists of ids."""

from __future__ import annotations  # keeps signatures short in help()

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, filterfalse, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.io.trec import Joined
from evalcore.ranking.evaluation import GroupedEvaluation, evaluate
from evalcore.ranking.names import Measure
from evalcore.typing import AnyArray, SupportsItems, Ties
from evalcore.validation.single_values import is_number

_UNJUDGED = -1
_RELEVANT = 1
"""The grade of ids that come without one."""


@equal_by_content
class JudgedRankings(Joined):
    """Hold the ranking of each query and the grades of its documents, as flat columns.

    >>> from_ids({"q": ["a", "b"]}, {"q": {"b": 1, "c": 2}}).relevance
    array([-1,  1])
    """

    __slots__ = ()

    def evaluate(
        self,
        measures: str | Measure | Sequence[str | Measure],
        *,
        weights: SupportsItems | None = None,
        ties: Ties = "mean",
    ) -> GroupedEvaluation:
        """Evaluate the ranking of each query.

        Parameters
        ----------
        measures, weights, ties
            As `evalcore.ranking.evaluate` takes them.

        Returns
        -------
        GroupedEvaluation

        Raises
        ------
        EvaluationError, EvaluationTypeError
            As `evalcore.ranking.evaluate`.

        Notes
        -----
        O(n log n) for n retrieved documents.

        Examples
        --------
        >>> from_ids({"q": ["a", "b"]}, {"q": {"b": 1}}).evaluate("RR R@1").means()
        {'RR': 0.5, 'R@1': 0.0}
        """
        return evaluate(
            self.groups,
            self.relevance,
            self.scores,
            measures=measures,
            misses=self.misses,
            weights=weights,
            ties=ties,
            documents=self.documents,
        )


def from_ids(
    retrieved: Mapping[Any, Iterable[Any] | Mapping[Any, float]],
    judgements: Mapping[Any, Mapping[Any, float] | Iterable[Any]],
    *,
    complete: bool = False,
) -> JudgedRankings:
    """Join lists of retrieved ids with the judgements of their queries.

    Use it for what a retriever returns for each query, such as the passages that a language model is given.

    Parameters
    ----------
    retrieved : mapping of queries to ids
        For each query the ids of documents, best first, or a mapping of ids to scores, higher is better.  An empty list
        is a query for which nothing was retrieved.
    judgements : mapping of queries to grades
        For each query a mapping of ids to grades: relevant above 0, irrelevant at 0, unjudged below 0; or the relevant
        ids alone.
    complete : bool, default False
        Whether queries that are judged but not in `retrieved` count, with misses alone.

    Returns
    -------
    JudgedRankings
        Columns for `evalcore.ranking.evaluate`, and a method that calls it.  Queries without judgements are left out,
        as in trec_eval.

    Raises
    ------
    EvaluationError
        If a query has an id twice, a grade or score is not a finite number, or no query is in both.
    EvaluationTypeError
        If an argument is not a mapping, or the ids of a query are not a collection.

    Notes
    -----
    O(n + m) for n retrieved and m judged ids.

    Examples
    --------
    >>> retrieved = {"q1": ["d3", "d1", "d7"], "q2": ["d2"]}
    >>> judgements = {"q1": {"d1": 2, "d4": 1, "d3": 0}, "q2": {"d2": 1}}
    >>> from_ids(retrieved, judgements).evaluate("R@3 nDCG@3 RR Judged@3")
    2 groups, 4 items
    group  size   R@3  nDCG@3    RR  Judged@3
       q1     3   0.5  0.4796   0.5    0.6667
       q2     1     1       1     1         1
     mean        0.75  0.7398  0.75    0.8333
    """
    for name, value in (("retrieved", retrieved), ("judgements", judgements)):
        if not isinstance(value, Mapping):
            raise EvaluationTypeError(f"{name} must be a mapping of queries to ids, got {shown(value)}")
    kept = [query for query in retrieved if query in judgements]
    if not kept:
        raise EvaluationError("retrieved and judgements must have at least one query in common, got none")
    counted = list(judgements) if complete else kept
    ids = {query: _distinct_ids("retrieved", query, retrieved[query]) for query in kept}
    grades = {query: _grades_of(query, judgements[query]) for query in counted}
    missed = {query: [*filterfalse({*ids.get(query, ())}.__contains__, grades[query])] for query in counted}
    scores = {query: _scores_of(retrieved[query], ids[query]) for query in kept}
    return JudgedRankings(
        _queries_of(ids),
        _numbers("judgements", ids, {query: map(grades[query].get, ids[query], repeat(_UNJUDGED)) for query in kept}),
        _numbers("retrieved", ids, scores),
        np.fromiter(chain.from_iterable(ids.values()), object),
        (
            _queries_of(missed),
            _numbers("judgements", missed, {query: map(grades[query].get, missed[query]) for query in counted}),
        ),
    )


def _distinct_ids(argument: str, query: Any, given: Any) -> list[Any]:
    """Return the ids of a query.  O(ids)."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise EvaluationTypeError(f"{argument}[{query!r}] must be a list or mapping of ids, got {shown(given)}")
    ids = list(given)
    if len(set(ids)) < len(ids):
        again = Counter(ids).most_common(1)[0][0]
        raise EvaluationError(
            f"{argument}[{query!r}] must have each id once, got {again!r} twice; "
            "list(dict.fromkeys(ids)) keeps the first of each"
        )
    return ids


def _grades_of(query: Any, given: Any) -> Mapping[Any, Any]:
    """Return the grade of each judged id of a query.  O(ids)."""
    return given if isinstance(given, Mapping) else dict.fromkeys(_distinct_ids("judgements", query, given), _RELEVANT)


def _scores_of(given: Any, ids: Sequence[Any]) -> Iterable[Any]:
    """Return the score of each id of a query; of a list the first is the highest.  O(ids)."""
    return given.values() if isinstance(given, Mapping) else range(len(ids), 0, -1)


def _queries_of(ids: Mapping[Any, Sequence[Any]]) -> npt.NDArray[Any]:
    """Return the query of each id.  O(ids)."""
    return np.repeat(np.fromiter(ids, object), [*map(len, ids.values())])


def _numbers(argument: str, ids: Mapping[Any, Sequence[Any]], values: Mapping[Any, Iterable[Any]]) -> AnyArray:
    """Return the grades or scores of all ids, (n,); raises EvaluationError for one that is not finite.  O(n)."""
    listed = [*chain.from_iterable(values.values())]
    column = np.asarray(listed) if listed else np.empty(0)
    if column.dtype.kind in "biuf" and np.isfinite(column).all():
        return column
    named = ((query, document) for query, documents in ids.items() for document in documents)
    for (query, document), value in zip(named, listed, strict=True):  # ends at the first that is no number
        if not is_number(value) or not math.isfinite(value):
            raise EvaluationError(f"{argument}[{query!r}][{document!r}] must be a finite number, got {shown(value)}")
    return np.asarray(listed, np.float64)
