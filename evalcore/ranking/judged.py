"""Rankings of documents beside their judgements, from lists of ids."""

from __future__ import annotations  # keeps signatures short in help()

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, filterfalse, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, shown
from evalcore.io.trec import Joined
from evalcore.ranking.arguments import WEIGHTS_OF_ITEMS
from evalcore.ranking.evaluation import GroupedEvaluation, evaluate
from evalcore.ranking.ids import as_ids, as_ranking, check_mapping, check_one_kind
from evalcore.ranking.names import Measure
from evalcore.typing import AnyArray, SupportsItems, Ties
from evalcore.validation.single_values import is_number
from evalcore.validation.whole_cases import refuses_weights

_UNJUDGED = -1
_RELEVANT = 1
"""The grade of ids that come without one."""


@equal_by_content
class JudgedRankings(Joined):
    """Hold the ranking of each query and the grades of its documents, as flat columns.

    >>> from_ids({"q": ["a", "b"]}, {"q": {"b": 1, "c": 2}}).relevance
    array([-1,  1])
    """

    left_out: int = 0
    """Number of judged queries that are in no ranking, and in no mean."""

    @refuses_weights(WEIGHTS_OF_ITEMS)
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
        found = evaluate(
            self.groups,
            self.relevance,
            self.scores,
            measures=measures,
            misses=self.misses,
            weights=weights,
            ties=ties,
            documents=self.documents,
        )
        return GroupedEvaluation(**vars(found) | {"left_out": self.left_out})


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
        is a query for which nothing was retrieved.  Ids are strings or integers, as those of the judgements.
    judgements : mapping of queries to grades
        For each query a mapping of ids to whole grades: relevant above 0, irrelevant at 0, unjudged below 0; or the
        relevant ids alone.
    complete : bool, default False
        Whether queries that are judged but not in `retrieved` count, with misses alone.  Otherwise means leave them
        out, and the evaluation says how many there are: a retriever that failed for hard queries would look better.

    Returns
    -------
    JudgedRankings
        Columns for `evalcore.ranking.evaluate`, and a method that calls it.  Queries without judgements are left out,
        as in trec_eval.

    Raises
    ------
    EvaluationError
        If a query has an id twice, a score is not a finite number, a grade not a whole one, or no query is in both.
    EvaluationTypeError
        If an argument is not a mapping; if the ids of a query are not a collection or, where they are retrieved, a set,
        which has no order; if ids are neither strings nor integers, or ids or queries are of both kinds.

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

    With scores, and a query for which the retriever returned nothing:

    >>> scored = {"q1": {"d3": 0.7, "d1": 0.9}}
    >>> from_ids(scored, judgements).evaluate("R@3")
    1 group, 2 items; 1 judged query is left out of means (complete=True counts it as 0)
    group  size  R@3
       q1     2  0.5
     mean        0.5
    >>> from_ids(scored, judgements, complete=True).evaluate("R@3").means()
    {'R@3': 0.25}
    """
    for name, value in (("retrieved", retrieved), ("judgements", judgements)):
        check_mapping(name, value)
    check_one_kind("queries", {"retrieved": [*retrieved], "judgements": [*judgements]})
    kept = [query for query in retrieved if query in judgements]
    if not kept:
        raise EvaluationError("retrieved and judgements must have at least one query in common, got none")
    counted = list(judgements) if complete else kept
    ids = {query: as_ranking("retrieved", query, retrieved[query]) for query in kept}
    grades = {query: _grades_of(query, judgements[query]) for query in counted}
    check_one_kind("ids", {"retrieved": _flat(ids), "judgements": _flat(grades)})
    missed = {query: [*filterfalse({*ids.get(query, ())}.__contains__, grades[query])] for query in counted}
    scores = {query: _scores_of(retrieved[query], ids[query]) for query in kept}
    found = JudgedRankings(
        _queries_of(ids),
        _numbers("judgements", ids, {query: map(grades[query].get, ids[query], repeat(_UNJUDGED)) for query in kept}),
        _numbers("retrieved", ids, scores),
        np.fromiter(_flat(ids), object),
        (
            _queries_of(missed),
            _numbers("judgements", missed, {query: map(grades[query].get, missed[query]) for query in counted}),
        ),
    )
    found.left_out = len(judgements) - len(counted)
    return found


def _grades_of(query: Any, given: Any) -> Mapping[Any, Any]:
    """Return the grade of each judged id of a query.  O(ids)."""
    ids = as_ids("judgements", query, given)
    return given if isinstance(given, Mapping) else dict.fromkeys(ids, _RELEVANT)


def _flat(ids: Mapping[Any, Iterable[Any]]) -> list[Any]:
    """Return the ids of all queries.  O(ids)."""
    return [*chain.from_iterable(ids.values())]


def _scores_of(given: Any, ids: Sequence[Any]) -> Iterable[Any]:
    """Return the score of each id of a query; of a list the first is the highest.  O(ids)."""
    return given.values() if isinstance(given, Mapping) else range(len(ids), 0, -1)


def _queries_of(ids: Mapping[Any, Sequence[Any]]) -> npt.NDArray[Any]:
    """Return the query of each id.  O(ids)."""
    return np.repeat(np.fromiter(ids, object), [*map(len, ids.values())])


def _numbers(argument: str, ids: Mapping[Any, Sequence[Any]], values: Mapping[Any, Iterable[Any]]) -> AnyArray:
    """Return the grades or scores of all ids, (n,); raises EvaluationError for an invalid one.  O(n)."""
    listed = [*chain.from_iterable(values.values())]
    column = np.asarray(listed) if listed else np.empty(0)
    whole = argument == "judgements"
    if column.dtype.kind in "biuf" and np.isfinite(column).all() and not (whole and np.any(column % 1)):
        return column
    named = ((query, document) for query, documents in ids.items() for document in documents)
    for (query, document), value in zip(named, listed, strict=True):  # ends at the first that is no number
        if not is_number(value) or not math.isfinite(value):
            raise EvaluationError(f"{argument}[{query!r}][{document!r}] must be a finite number, got {shown(value)}")
        if whole and value % 1:
            raise EvaluationError(
                f"{argument}[{query!r}][{document!r}] must be a whole grade, got {shown(value)}; scores of a run are "
                "the first argument, from_ids(retrieved, judgements)"
            )
    return np.asarray(listed, np.float64)
