"""The evaluation of runs against judgements, by the names and in the lines of trec_eval."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import filterfalse
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.model import Columns
from evalcore.evaluation.options import option
from evalcore.evaluation.statistics.trec_names import OF_ALL_QUERIES, OFFICIAL, QUERIES, RUN_ID, asked_names
from evalcore.io.trec import joined, read_qrels, read_run
from evalcore.measures import agreement
from evalcore.ranking import GroupedEvaluation, JudgedRankings
from evalcore.ranking.evaluation import has_ties
from evalcore.typing import AnyArray, Ties

DEFAULTS = ("map", "recip_rank", "P_10", "ndcg_cut_10")
_ORDER = (*OFFICIAL, "recall", "ndcg", "ndcg_cut", "map_cut", "success")
"""The order in which trec_eval prints, whatever the order of the question."""
_COUNTS = ("num_ret", "num_rel", "num_rel_ret")
_PIPES = "/dev/fd/", "/proc/self/fd/"
"""How the names of pipes begin that shells make for <(command)."""
ALL = "all"
"""The name of all queries together."""


class TrecReport(NamedTuple):
    """The evaluation of a run, and the names of its measures."""

    result: GroupedEvaluation
    measures: dict[str, str]
    """Names in the result, by the names that the question used."""
    tag: str = ""
    """The name that the run gives itself."""
    run: str = ""
    """Its name, that of its file unless another is given."""
    missing: Sequence[str] = ()
    """Queries that are judged, and for which nothing was retrieved."""
    judged: int = 0
    """Number of queries that are judged."""
    top_grade: int = 0
    """The largest grade."""
    tied: bool = False
    """Whether documents of equal score that are not in trec_eval's order were looked for, and found."""

    @property
    def measured(self) -> list[tuple[str, str]]:
        """The measures that are numbers, by both names.  O(measures)."""
        return [(name, ours) for name, ours in self.measures.items() if name != RUN_ID]

    @property
    def averaged(self) -> list[tuple[str, str]]:
        """The measures whose values are averaged over queries, by both names.  O(measures)."""
        return [
            (name, ours)
            for name, ours in self.measured
            if not (name in OF_ALL_QUERIES or ours in self.result.geometric or _is_count(ours))
        ]


def trec_reports(
    qrels: str,
    runs: Mapping[str, str],
    measures: Sequence[str] = DEFAULTS,
    *,
    ties: Ties = "mean",
    complete: bool = False,
    relevance_level: int | None = None,
    find_ties: bool = False,
) -> list[TrecReport]:
    """Evaluate the runs in some files against the judgements in another.  O(n log n) for each run.

    runs: files by the names that the runs are to have; those of pipes are replaced by tags that no other run has.
    measures: names that `evalcore.ranking.parse` or trec_eval knows, one or several in a text: ``P.5,10``, ``P`` for
    all its depths, ``official``.  complete: whether judged queries that a run lacks count as 0.  relevance_level: the
    least grade of relevant documents, 1 unless given; measures that name one, or take grades as gains, keep theirs.
    find_ties: whether to look for ties that are not in trec_eval's order.

    Raises EvaluationError as `read_qrels`, `read_run` and `evaluate` do, and for a level below 1.
    """
    if relevance_level is not None and relevance_level < 1:
        raise EvaluationError(f"{option('relevance_level')} must be at least 1, got {relevance_level}")
    asked = asked_names(measures or DEFAULTS, relevance_level)
    judgements = read_qrels(qrels)

    def evaluated(name: str, run: str) -> TrecReport:
        retrieved = read_run(run)
        try:
            rankings = JudgedRankings(*joined(judgements, retrieved, complete=complete))
        except EvaluationError as error:
            raise EvaluationError(f"{run}, {qrels}: {error}") from error
        result = rankings.evaluate(list(dict.fromkeys(asked.values())), ties=ties)
        judged = dict.fromkeys(judgements.queries.tolist())
        missing = [*filterfalse(set(retrieved.queries.tolist()).__contains__, judged)]
        tied = find_ties and ties == "mean" and has_ties(rankings.groups, rankings.scores)
        top_grade = int(judgements.grades.max())
        return TrecReport(result, asked, retrieved.tag, name, missing, len(judged), top_grade, tied)

    reports = [evaluated(name, file) for name, file in runs.items()]
    taken = Counter([*runs, *(report.tag for report in reports)])
    return [
        report._replace(run=report.tag) if report.run.startswith(_PIPES) and taken[report.tag] == 1 else report
        for report in reports
    ]


def as_trec(report: TrecReport, per_query: bool = False, named: bool = False) -> str:
    """Return the lines that ``trec_eval`` prints or, with each query, ``trec_eval -q``.

    named: begin each line with the run and a tab, for several runs.  Measures are in trec_eval's order, others after
    them; queries that the run lacks are left out.

    >>> from evalcore.ranking import evaluate
    >>> result = evaluate(["7", "7", "8"], [0, 1, 1], [0.9, 0.5, 0.5], measures="map num_rel")
    >>> print(as_trec(TrecReport(result, {"map": "AP", "num_rel": "num_rel"}), per_query=True).expandtabs(1))
    num_rel                7 1
    map                    7 0.5000
    num_rel                8 1
    map                    8 1.0000
    num_rel                all 2
    map                    all 0.7500
    """
    ordered = report._replace(measures=dict(sorted(report.measures.items(), key=lambda named: _print_rank(named[0]))))
    lines = []
    if per_query:
        if ALL in map(str, report.result.groups.tolist()):
            raise EvaluationError(
                f"queries must not be named {ALL!r}, as the total is in lines of trec_eval; take JSON"
            )
        columns = {name: values.tolist() for name, values in of_queries(ordered).values.items()}
        lines += [
            _line(name, str(report.result.groups[index]), values[index])
            for index in np.flatnonzero(report.result.sizes > 0).tolist()
            for name, values in columns.items()
            if name not in OF_ALL_QUERIES
        ]
    if RUN_ID in report.measures:
        lines.append(_line(RUN_ID, ALL, report.tag))
    begin = f"{report.run}\t" if named else ""
    lines += [_line(name, ALL, value.item()) for name, value in of_all(ordered).values.items()]
    return "\n".join(begin + line for line in lines)


def of_queries(report: TrecReport) -> Columns:
    """Return the values of all queries, (g,).  O(queries)."""
    return Columns({name: _numbers(name, ours, report.result) for name, ours in report.measured})


def of_all(report: TrecReport) -> Columns:
    """Return the values of all queries together, (1,).  O(queries)."""
    return Columns({name: np.array([_summary(name, ours, report.result)]) for name, ours in report.measured})


def _numbers(name: str, ours: str, result: GroupedEvaluation) -> AnyArray:
    """Return the values of the queries: integers for counts, NaN for the geometric mean, which one query lacks."""
    values = result.values[ours]
    if ours in result.geometric:
        values = np.full_like(values, np.nan)
    elif name == QUERIES:
        values = np.ones_like(values)
    return values.astype(np.int64 if _is_count(ours) else np.float64)


def _summary(name: str, ours: str, result: GroupedEvaluation) -> int | float:
    values = result.values[ours]
    if _is_count(ours):
        return int(values.size if name == QUERIES else values.sum())
    if ours in result.geometric:
        return agreement.geometric_mean(values)
    # in the order of trec_eval, on which the last printed digit may depend
    return agreement.mean_in_turn(values[~np.isnan(values)])


def _is_count(ours: str) -> bool:
    """Whether a measure is a number of documents, at any relevance level."""
    return ours.partition("(")[0] in _COUNTS


def _line(name: str, record: str, value: int | float | str) -> str:
    return f"{name:<22}\t{record}\t" + (f"{value:6.4f}" if isinstance(value, float) else str(value))


def _print_rank(name: str) -> int:
    """Return the rank of a measure in trec_eval's order; its depths keep the order of the question."""
    family = name if name in _ORDER else name.rpartition("_")[0]
    return _ORDER.index(family) if family in _ORDER else len(_ORDER)
