"""Rankings of documents beside their judgements, from lists of ids."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Reversible, Sequence, Set
from itertools import chain, filterfalse, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, check, shown
from evalcore.io.trec import Joined
from evalcore.ranking.evaluation import WEIGHTS_OF_ITEMS, GroupedEvaluation, evaluate
from evalcore.ranking.names import Measure
from evalcore.typing import AnyArray, SupportsItems, Ties
from evalcore.validation.values import is_number, refuses_weights

_STRINGS, _INTEGERS = "strings", "integers"
_PANDAS = "; make one of a frame: {query: rows['id'].tolist() for query, rows in frame.groupby('query')}"
_POLARS = "; make one of a frame: {query: rows['id'].to_list() for (query,), rows in frame.group_by('query')}"


def check_mapping(argument: str, given: Any) -> None:
    """Raise EvaluationTypeError unless queries are mapped to their ids.  O(1)."""
    if isinstance(given, Mapping):
        return
    got, made = shown(given), ""
    if hasattr(given, "columns"):
        got, made = f"a {type(given).__name__}", _POLARS if hasattr(given, "group_by") else _PANDAS
    elif hasattr(given, "to_dict"):
        got, made = f"a {type(given).__name__}", f"; pass {argument}.to_dict()"
    raise EvaluationTypeError(f"{argument} must be a mapping of queries to ids, got {got}{made}")


def as_ranking(argument: str, query: Any, given: Any) -> list[Any]:
    """Return the ids of a query, best first, if they have an order.  O(ids)."""
    if isinstance(given, Set) and not isinstance(given, Reversible):  # the keys of a dict are a set, and have one
        raise EvaluationTypeError(
            f"{argument}[{query!r}] must be a list of ids, best first, or a mapping of ids to scores, "
            f"got {shown(given)}, which has no order"
        )
    return as_ids(argument, query, given)


def as_ids(argument: str, query: Any, given: Any) -> list[Any]:
    """Return the ids of a query: strings or integers, each once.  O(ids)."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise EvaluationTypeError(f"{argument}[{query!r}] must be a list or mapping of ids, got {shown(given)}")
    ids = list(given)
    if not {*map(_kind_of, {*map(type, ids)})} <= {_STRINGS, _INTEGERS}:
        wrong = next(each for each in ids if _kind_of(type(each)) not in (_STRINGS, _INTEGERS))
        scored = isinstance(wrong, tuple | list | float | np.floating)
        number = "score" if argument == "retrieved" else "grade"
        instead = f"; for {number}s pass {{id: {number}}}" if scored else ""
        raise EvaluationTypeError(
            f"ids of {argument}[{query!r}] must be strings or integers, got {shown(wrong)}{instead}"
        )
    if len(set(ids)) < len(ids):
        again = Counter(ids).most_common(1)[0][0]
        raise EvaluationError(
            f"{argument}[{query!r}] must have each id once, got {again!r} twice; "
            "list(dict.fromkeys(ids)) keeps the first of each"
        )
    return ids


def check_one_kind(what: str, ids: Mapping[str, Sequence[Any]]) -> None:
    """Raise EvaluationTypeError if ids, by the argument that holds them, are of two kinds: '1' is not 1.  O(ids)."""
    found: dict[str, str] = {}
    for argument, some in ids.items():
        for kind, example in dict(zip(map(type, some), some, strict=True)).items():
            found.setdefault(_kind_of(kind), f"{shown(example)} in {argument}")
    got = " and ".join(list(found.values())[:2])
    check(len(found) <= 1, what, "be all strings or all integers", got, EvaluationTypeError)


def _kind_of(kind: type) -> str:
    if issubclass(kind, str):
        return _STRINGS
    return _INTEGERS if issubclass(kind, int | np.integer) and kind is not bool else kind.__name__


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
    check(kept, "retrieved and judgements", "have at least one query in common", "none")
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
