"""The evaluation of many rankings at once, from columns or from lists of ids, and the checks of what it is given."""

from __future__ import annotations  # keeps signatures short in help()

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Reversible, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, filterfalse, repeat
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, refuse, shown
from evalcore.io.libraries import Framed
from evalcore.io.trec import Joined
from evalcore.kernels.grouping import order_by_group
from evalcore.measures import agreement
from evalcore.measures.retrieval import GroupedRankings
from evalcore.ranking.names import Measure, parse, parse_all
from evalcore.text_tables import aligned_lines, html_table
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray, SupportsItems, Ties
from evalcore.validation.arrays import as_column, as_finite_numbers, as_scores, check_equal_lengths, check_indices
from evalcore.validation.labels import encode_groups, encode_labels
from evalcore.validation.values import check_count, is_number, refuses_weights
from evalcore.validation.weights import as_case_weights

WEIGHTS_OF_ITEMS = (
    "takes no sample_weight: ranks count items, so weights of items have no meaning here; "
    "evalcore.metrics.roc_auc_score takes them, and weights={group: weight} weights the groups in means"
)
"""Why, after the name of a function."""
_MOST_MISSES = 1 << 30
"""Each takes one row."""


def as_grades(values: Any, name: str) -> npt.NDArray[Any]:
    """Return finite grades, (n,): numbers or Booleans.  O(n)."""
    return as_finite_numbers(values, name, "be a finite grade, or -1 for an unjudged item")


def check_whole_grades(columns: Mapping[str, npt.NDArray[Any]], measure: str) -> None:
    """Raise EvaluationError for grades that a measure of relevant items does not know; columns: (n,) by name.  O(n)."""
    for name, grades in columns.items():
        if grades.dtype.kind == "f" and (broken := np.flatnonzero(grades != np.rint(grades))).size:
            order = "the order is evaluate(groups, relevance, scores)"
            fractions = "grades that are fractions need the least one of a relevant item, as in AP(rel=0.5)"
            got = f"{name}[{broken[0]}] = {grades[broken[0]]}; {order}, and {fractions}"
            raise EvaluationError(f"{name} must hold Booleans or whole grades for {measure}, got {got}")


def as_misses(misses: Any, names: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the groups and grades, (m,) each, of the items that were not retrieved; names: the groups, (n,).  O(m)."""
    if misses is None:
        return names[:0], np.empty(0)
    if hasattr(misses, "items"):
        misses = dict(misses.items())
        counts = [check_count(count, f"misses[{group!r}]", _MOST_MISSES) for group, count in misses.items()]
        check(sum(counts) <= _MOST_MISSES, "misses", f"be at most {_MOST_MISSES:,} in all", f"{sum(counts):,}")
        groups = np.fromiter(misses, object, len(misses)) if names.dtype.kind == "O" else list(misses) or names[:0]
        groups = as_column(groups, "misses")  # objects may be tuples
        return np.repeat(groups, counts), np.ones(sum(counts))
    is_pair = isinstance(misses, tuple) and len(misses) == 2
    refuse({"misses must be a mapping of groups to counts, or (groups, relevance)": not is_pair})
    groups, grades = as_column(misses[0], "misses[0]"), as_grades(misses[1], "misses[1]")
    check_equal_lengths(groups, grades, "misses[0]", "misses[1]")
    return groups, grades


def as_group_weights(weights: Any, names: npt.NDArray[Any]) -> FloatArray | None:
    """Return the weight of each group, (g,), if there are any.  O(g)."""
    if weights is None:
        return None
    if not hasattr(weights, "items"):
        way_out = "items have no weights, because ranks count them: evalcore.metrics.roc_auc_score takes sample_weight"
        raise EvaluationError(f"weights must be a mapping of groups to numbers, got {shown(weights)}; {way_out}")
    weights = dict(weights.items())
    lacking = [name for name in names.tolist() if name not in weights]
    if lacking:
        raise EvaluationError(f"weights must have an entry for every group, got none for {lacking[0]!r}")
    given = as_case_weights([weights[name] for name in names.tolist()], names.size, "weights", zeros=True)
    return given.astype(np.float64, copy=False)


_EXACT_IN_FLOAT32 = 1 << 24


def has_ties(groups: npt.NDArray[Any], scores: ScoreArray) -> bool:
    """Whether two items of a group have one score, in float32, so that trec_eval looks at their ids.  O(n log n)."""
    _, codes = encode_labels(groups)
    return order_by_group(codes, _single(scores)).starts.size < scores.size


def trec_scores(groups: IntArray, scores: ScoreArray, documents: Any) -> ScoreArray:
    """Return scores (n,) whose descending order is trec_eval's: by float32 score, then by document.  O(n log n)."""
    check(documents is not None, "documents", "hold the ids of the items for ties='trec'", "None")
    order, starts = order_by_group(groups, _single(scores))
    lengths = np.diff(starts, append=order.size)
    tied = np.flatnonzero(np.repeat(lengths > 1, lengths))
    runs = np.repeat(np.arange(starts.size), lengths)[tied]
    order[tied] = order[tied][_by_run_and_id(runs, documents[order[tied]])]
    ordered_scores: ScoreArray = np.empty(order.size, np.float32 if order.size <= _EXACT_IN_FLOAT32 else np.float64)
    ordered_scores[order] = np.arange(order.size, 0, -1)
    return ordered_scores


def _single(scores: ScoreArray) -> ScoreArray:
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32)


def _by_run_and_id(runs: IntArray, ids: npt.NDArray[Any]) -> IntArray:
    """Order the documents of each run by their ids, descending, as strings, the only ids of trec_eval."""
    texts = ids if ids.dtype.kind in "UST" else np.fromiter(map(str, ids.tolist()), object, ids.size)
    _, codes = encode_labels(texts)
    ordered = order_by_group(runs, codes.astype(np.float64))
    first = np.zeros(runs.size, np.bool_)
    first[ordered.starts] = True
    if not first.all():
        repeated = str(texts[ordered.order[int(first.argmin())]])
        raise EvaluationError(f"documents must be unique within a group, got {repeated!r} twice")
    return ordered.order


_SHOWN = 10
_TREC_SLACK = 0.9


@equal_by_content
@dataclass(frozen=True, eq=False)
class GroupedEvaluation(Framed):
    """Hold one value of each measure for each group, and take means over groups.

    Data frames have a row for each group: its name, its size and a column for each measure.

    >>> evaluate(["a", "a", "b"], [1, 0, 1], [0.9, 0.5, 0.1], measures=["P@1", "AP"])
    2 groups, 3 items
    group  size  P@1  AP
        a     2    1   1
        b     1    1   1
     mean          1   1
    """

    groups: npt.NDArray[Any]
    """Names of the groups, ascending, shape (g,)."""
    sizes: IntArray
    """Retrieved items of each, shape (g,)."""
    positives: IntArray
    """Relevant items of each, retrieved or not, shape (g,)."""
    values: Mapping[str, FloatArray]
    """Values of each measure by its name, shape (g,) float64."""
    weights: FloatArray | None = None
    """Weights of the groups, shape (g,), if any were given."""
    geometric: frozenset[str] = frozenset()
    """Names of the measures whose means are geometric ones."""
    left_out: int = 0
    """Number of judged queries that are in no group, and in no mean; see `evalcore.ranking.from_ids`."""

    def __getitem__(self, measure: str) -> FloatArray:
        """Return the values of a measure by any of its names, shape (g,).  O(1).

        Parameters
        ----------
        measure : str
            Such as "AP" or "map".

        Raises
        ------
        EvaluationError
            If the measure was not evaluated.

        Examples
        --------
        >>> evaluate([1, 2], [1, 0], [0.9, 0.5], measures="AP")["map"]
        array([1., 0.])
        """
        return self.values[self.measure_name(measure)]

    def measure_name(self, measure: str) -> str:
        """Return the key of `values` for any name of a measure.  O(1).

        Parameters
        ----------
        measure : str
            Such as "AP" or "map".

        Raises
        ------
        EvaluationError
            If the measure was not evaluated.

        Examples
        --------
        >>> evaluate([1, 2], [1, 0], [0.9, 0.5], measures="AP").measure_name("map")
        'AP'
        """
        if isinstance(measure, str) and measure in self.values:
            return measure
        with suppress(EvaluationError, EvaluationTypeError):
            name = parse(measure).name
            if name in self.values:
                return name
        near = did_you_mean(measure, self.values)
        raise EvaluationError(f"measure must be one of {', '.join(self.values)}, got {measure!r}{near}")

    def mean(self, measure: str, by: str | None = None) -> float:
        """Return the mean of a measure over the groups that have it, NaN if none of them has weight.  O(g).

        The mean of ``gm_map`` is the geometric mean of its values, which are the average precisions or, where these are
        smaller, 1e-5.

        Parameters
        ----------
        measure : str
            Any of its names.
        by : {None, "equal", "size", "positives"}, default None
            None for the given weights, or equal ones; "equal" for equal ones in any case; "size" or "positives" to
            weight groups by their items or relevant items.

        Raises
        ------
        EvaluationError
            If the measure was not evaluated, or `by` is invalid.

        Examples
        --------
        >>> evaluate([1, 1, 2], [1, 0, 0], [0.9, 0.5, 0.1], measures=["P@1"]).mean("P@1", by="size")
        0.6666666666666666
        """
        kinds = {None: self.weights, "equal": None, "size": self.sizes, "positives": self.positives}
        check(by in kinds, "by", "be None, 'equal', 'size' or 'positives'", f"{by!r}")
        geometric = self.measure_name(measure) in self.geometric
        mean = agreement.geometric_mean if geometric else agreement.weighted_mean_of_defined
        return mean(self[measure], kinds[by])

    def means(self, by: str | None = None) -> dict[str, float]:
        """Return the mean of each measure.  O(g) for each.

        Parameters
        ----------
        by : {None, "equal", "size", "positives"}, default None
            None for the given weights, or equal ones; "equal" for equal ones in any case; "size" or "positives" to
            weight groups by their items or relevant items.

        Examples
        --------
        >>> evaluate([1, 2], [1, 0], [0.9, 0.5], measures=["P@1", "AUC"]).means()
        {'P@1': 0.5, 'AUC': nan}
        """
        return {measure: self.mean(measure, by) for measure in self.values}

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns group, size, positives, weight if groups have weights, and each measure, shape (g,) each.

        >>> list(evaluate([1], [1], [0.5], measures=["AP"]).to_dict())
        ['group', 'size', 'positives', 'AP']
        """
        weights = {} if self.weights is None else {"weight": self.weights}
        return {"group": self.groups, "size": self.sizes, "positives": self.positives, **weights, **self.values}

    _columns = to_dict

    def plot(self, measure: str, *, ax: Any = None, **options: Any) -> Any:
        """Draw a dot for each group.

        Parameters
        ----------
        measure : str
            Any name of an evaluated measure.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.
        **options
            As `evalcore.plots.plot_groups` takes them.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> len(evaluate([1, 2], [1, 0], [0.9, 0.5], measures="AP").plot("AP", ax=Figure().add_subplot()).get_yticks())
        2
        """
        from evalcore.plots import plot_groups

        return plot_groups(self, measure=measure, ax=ax, **options)

    def __repr__(self) -> str:
        heading = f"{_counted(self.groups.size, 'group')}, {_counted(int(self.sizes.sum()), 'item')}"
        parts = filter(None, [heading, self._left_out()])
        return "\n".join(["; ".join(parts), *aligned_lines(self._rows())])

    def _repr_html_(self) -> str:
        said = self._left_out()
        return html_table(self._rows()) + (f"<p>{said}</p>" if said else "")

    def _left_out(self) -> str:
        """Say how many judged queries are in no mean; empty if there are none."""
        if self.left_out == 1:
            return "1 judged query is left out of means (complete=True counts it as 0)"
        many = f"{self.left_out:,} judged queries are left out of means (complete=True counts them as 0)"
        return many if self.left_out else ""

    def _rows(self) -> list[list[str]]:
        """Return the shown cells: a heading, the first groups, and the means."""
        weights = {} if self.weights is None else {"weight": self.weights}
        columns = {**weights, **self.values}
        rows = [["group", "size", *columns]]
        for row in range(min(self.groups.size, _SHOWN)):
            values = (f"{column[row]:.4g}" for column in columns.values())
            rows.append([str(self.groups[row]), f"{self.sizes[row]:,}", *values])
        if self.groups.size > _SHOWN:
            rows.append(["...", *[""] * (len(columns) + 1)])
        what = "weighted mean" if weights else "mean"
        rows.append([what, "", *[""] * len(weights), *(f"{mean:.4g}" for mean in self.means().values())])
        return rows


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@refuses_weights(WEIGHTS_OF_ITEMS)
def evaluate(
    groups: ArrayLike,
    relevance: ArrayLike,
    scores: ArrayLike,
    *,
    measures: str | Measure | Sequence[str | Measure],
    misses: SupportsItems | tuple[ArrayLike, ArrayLike] | None = None,
    weights: SupportsItems | None = None,
    ties: Ties = "mean",
    documents: ArrayLike | None = None,
) -> GroupedEvaluation:
    """Evaluate many rankings at once.

    Parameters
    ----------
    groups : array-like of shape (n,)
        The ranking of each item: integers or strings, in any order.
    relevance : array-like of shape (n,)
        Booleans or grades: relevant above 0, irrelevant at 0, unjudged below 0.  Fractions are grades of nDCG, ERR, RBP
        and measures with the least grade of a relevant item, such as ``AP(rel=0.5)``; others refuse them.
    scores : array-like of shape (n,)
        Finite or infinite; higher is better.
    measures : str, Measure or sequence of them
        Such as ``P@10 AP(rel=2) RR nDCG@10 R@100 Rprec bpref success@5 iprec@0.1 RBP(p=0.8) ERR@20 Judged@10 SetF
        gm_map AUC maxF num_rel``, in one string or several; see `parse`.
    misses : mapping or Series of group to count, or (groups, relevance), optional
        Relevant items that were not retrieved: their number, or one row for each.  Groups without items get zeros.
    weights : mapping or Series of group to weight, optional
        Of the groups in means over them, as ``sample_weight`` of scikit-learn's ``ndcg_score``; no other number depends
        on them.  Items have no weights, because ranks count them: `evalcore.metrics.roc_auc_score` takes weights of
        items.
    ties : {"mean", "trec"}, default "mean"
        "mean" takes the mean over the orders of items with equal scores; then bpref counts half of them as above, AUC
        half a win, interpolated precision and maximum F take tied items together, and the reader of ERR stops at each
        of their ranks alike.  "trec" orders them as trec_eval does: scores as float32, then documents, both descending.
    documents : array-like of shape (n,), optional
        Ids of the items, for ``ties="trec"``.

    Returns
    -------
    GroupedEvaluation

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If columns have different lengths or indices, or hold NaN, groups lack names or are of several types, grades are
        fractions, measures are unknown, misses or weights are negative; for "trec", if documents are missing or
        repeated within a group.

    Notes
    -----
    Use it for rankings of queries, users or slices at once; of a single ranking the functions of `evalcore.metrics`
    say more.

    nDCG and RBP take grades as gains, nDCGexp 2**grade - 1; RBP(rel=1) counts 1 for each relevant item.  AUC is of the
    retrieved items, where unjudged items count as irrelevant; it is NaN without both classes, and left out of means.
    Other measures are 0 if nothing is relevant.  O(n log n), without a loop over groups; AUC alone is several times as
    fast as the others.  GAUC, the AUC of each user or query weighted by its items, is
    ``evaluate(..., measures="AUC").mean("AUC", by="size")``.  Sources: as named in `evalcore.measures.retrieval`.

    Examples
    --------
    >>> result = evaluate(["b", "a", "a"], [1, 0, 1], [0.3, 0.9, 0.2], measures="RR AP", misses={"b": 1})
    >>> result.groups.tolist(), result.values["RR"], result.values["AP"]
    (['a', 'b'], array([0.5, 1. ]), array([0.5, 0.5]))
    """
    check(ties in ("mean", "trec"), "ties", "be 'mean' or 'trec'", f"{ties!r}")
    wanted = parse_all(measures)
    check_indices(groups=groups, relevance=relevance, scores=scores, documents=documents)
    names, grades = as_column(groups, "groups"), as_grades(relevance, "relevance")
    values = as_scores(scores, "scores")
    check_equal_lengths(names, values, "groups", "scores")
    check_equal_lengths(grades, values, "relevance", "scores")
    missed_names, missed_grades = as_misses(misses, names)
    if (whole := next((measure.name for measure in wanted if measure.whole_grades), None)) is not None:
        check_whole_grades({"relevance": grades, "misses[1]": missed_grades}, whole)
    distinct, codes, missed_codes = encode_groups(names, missed_names, ("groups", "misses"))
    if documents is not None:
        documents = as_column(documents, "documents")
        check_equal_lengths(documents, values, "documents", "scores")
    slack, missed = 0.0, (missed_codes, missed_grades)
    if ties == "trec":
        values, slack = trec_scores(codes, values, documents), _TREC_SLACK
    ranked = GroupedRankings(codes, values, grades, distinct.size, missed=missed, recall_slack=slack)
    found = {measure.name: _column_of(measure, ranked) for measure in wanted}
    sizes, positives = ranked.sizes, ranked.all_relevant.astype(np.int64)
    for column in (distinct, sizes, positives, *found.values()):
        column.flags.writeable = False
    geometric = frozenset(measure.name for measure in wanted if measure.geometric)
    return GroupedEvaluation(distinct, sizes, positives, found, as_group_weights(weights, distinct), geometric)


def _column_of(measure: Measure, ranked: GroupedRankings) -> FloatArray:
    values = np.array(measure.compute(ranked), np.float64)
    rule = f"return one value for each of {ranked.groups} groups"
    check(values.shape == (ranked.groups,), f"measure {measure.name!r}", rule, values.shape)
    return values


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
        rule = "be a list of ids, best first, or a mapping of ids to scores"
        raise EvaluationTypeError(f"{argument}[{query!r}] must {rule}, got {shown(given)}, which has no order")
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
        why = f"ids of {argument}[{query!r}] must be strings or integers, got {shown(wrong)}{instead}"
        raise EvaluationTypeError(why)
    if len(set(ids)) < len(ids):
        again = Counter(ids).most_common(1)[0][0]
        way_out = "list(dict.fromkeys(ids)) keeps the first of each"
        raise EvaluationError(f"{argument}[{query!r}] must have each id once, got {again!r} twice; {way_out}")
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
        measures : str, Measure or sequence of them
            Such as ``P@10 AP(rel=2) nDCG@10``, in one string or several; see `parse`.
        weights : mapping or Series of query to weight, optional
            Of the queries in means over them.
        ties : {"mean", "trec"}, default "mean"
            "mean" takes the mean over the orders of items with equal scores.  "trec" orders them as trec_eval does.

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
            *self[:3], measures=measures, misses=self.misses, weights=weights, ties=ties, documents=self.documents
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
    scores = {  # of a list the first is the highest
        query: each.values() if isinstance(each := retrieved[query], Mapping) else range(len(ids[query]), 0, -1)
        for query in kept
    }
    graded = {query: map(grades[query].get, ids[query], repeat(_UNJUDGED)) for query in kept}
    relevance, ranked = _numbers("judgements", ids, graded), _numbers("retrieved", ids, scores)
    unseen = _numbers("judgements", missed, {query: map(grades[query].get, missed[query]) for query in counted})
    misses = _queries_of(missed), unseen
    found = JudgedRankings(_queries_of(ids), relevance, ranked, np.fromiter(_flat(ids), object), misses)
    found.left_out = len(judgements) - len(counted)
    return found


def _grades_of(query: Any, given: Any) -> Mapping[Any, Any]:
    """Return the grade of each judged id of a query.  O(ids)."""
    ids = as_ids("judgements", query, given)
    return given if isinstance(given, Mapping) else dict.fromkeys(ids, _RELEVANT)


def _flat(ids: Mapping[Any, Iterable[Any]]) -> list[Any]:
    """Return the ids of all queries.  O(ids)."""
    return [*chain.from_iterable(ids.values())]


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
            got = f"{shown(value)}; scores of a run are the first argument, from_ids(retrieved, judgements)"
            raise EvaluationError(f"{argument}[{query!r}][{document!r}] must be a whole grade, got {got}")
    return np.asarray(listed, np.float64)
