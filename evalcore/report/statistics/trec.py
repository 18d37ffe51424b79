"""The evaluation of runs against judgements, by the names and in the lines of trec_eval."""

from collections.abc import Iterator, Sequence
from itertools import filterfalse
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.io.trec import Judgements, joined, read_qrels, read_run
from evalcore.measures import averages
from evalcore.ranking import GroupedEvaluation, JudgedRankings, parse
from evalcore.report.model import Statistic
from evalcore.report.options import option
from evalcore.typing import BoolArray, Ties

DEFAULTS = ("map", "recip_rank", "P_10", "ndcg_cut_10")
_RUN = "runid"
_OFFICIAL = (
    *(_RUN, "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P"),
)
_TREC_DEPTHS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_LEVELS = {
    "P": _TREC_DEPTHS,
    "recall": _TREC_DEPTHS,
    "ndcg_cut": _TREC_DEPTHS,
    "map_cut": _TREC_DEPTHS,
    "success": ("1", "5", "10"),
    "iprec_at_recall": tuple(f"{tenth / 10:.2f}" for tenth in range(11)),
}
"""By trec_eval's families of measures, the depths or recalls that are used if none is given."""
_ORDER = (*_OFFICIAL, "recall", "ndcg", "ndcg_cut", "map_cut", "success")
"""The order in which trec_eval prints, whatever the order of the question."""
_NAMES = (
    *(f"{family}_{'RECALL' if family == 'iprec_at_recall' else 'DEPTH'}" for family in _LEVELS),
    *("map", "recip_rank", "ndcg", "Rprec", "bpref", "gm_map", "num_q", "num_ret", "num_rel", "num_rel_ret"),
    *("official", "AUC", "maxF", "nDCGexp", "RBP", "ERR", "Judged", "SetP", "SetR", "SetF", "SetAP"),
)
"""Names of measures that errors list, those of the command's help."""
_COUNTS = ("num_ret", "num_rel", "num_rel_ret")
_QUERIES = "num_q"
_OF_ALL_QUERIES = {_RUN: "num_ret", _QUERIES: "num_ret", "gm_map": "gm_map"}
"""Statistics that trec_eval prints for all queries only, and the measure of ours that each is computed from."""
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
    """The name of its file."""
    missing: Sequence[str] = ()
    """Queries that are judged, and for which nothing was retrieved."""
    judged: int = 0
    """Number of queries that are judged."""

    @property
    def measured(self) -> list[tuple[str, str]]:
        """The measures that are numbers, by both names.  O(measures)."""
        return [(name, ours) for name, ours in self.measures.items() if name != _RUN]

    @property
    def averaged(self) -> list[tuple[str, str]]:
        """The measures whose values are averaged over queries, by both names.  O(measures)."""
        return [
            (name, ours)
            for name, ours in self.measured
            if not (name in _OF_ALL_QUERIES or ours in self.result.geometric or _is_count(ours))
        ]


def trec_reports(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str] = DEFAULTS,
    *,
    ties: Ties = "mean",
    complete: bool = False,
    relevance_level: int | None = None,
) -> list[TrecReport]:
    """Evaluate the runs in some files against the judgements in another.  O(n log n) for each run.

    measures: names that `evalcore.ranking.parse` or trec_eval knows: ``P.5,10``, ``P`` for all its depths,
    ``official``.  complete: whether judged queries that a run lacks count as 0.  relevance_level: the least grade of
    relevant documents, 1 unless given; measures that name one, or take grades as gains, keep theirs.

    Raises EvaluationError as `read_qrels`, `read_run` and `evaluate` do, and for a level below 1.
    """
    if relevance_level is not None and relevance_level < 1:
        raise EvaluationError(f"{option('relevance_level')} must be at least 1, got {relevance_level}")
    names = dict.fromkeys(name for measure in measures or DEFAULTS for name in _spelled_out(measure))
    asked = {name: _name_of(name, relevance_level) for name in names}
    judgements = read_qrels(qrels)
    return [_evaluated(judgements, run, asked, qrels=qrels, ties=ties, complete=complete) for run in runs]


def _evaluated(
    judgements: Judgements, run: str, asked: dict[str, str], *, qrels: str, ties: Ties, complete: bool
) -> TrecReport:
    """Evaluate the run in a file; qrels: the file of the judgements.  O(n log n)."""
    retrieved = read_run(run)
    try:
        rankings = JudgedRankings(*joined(judgements, retrieved, complete=complete))
    except EvaluationError as error:
        raise EvaluationError(f"{run}, {qrels}: {error}") from error
    result = rankings.evaluate(list(dict.fromkeys(asked.values())), ties=ties)
    judged = dict.fromkeys(judgements.queries.tolist())
    missing = [*filterfalse(set(retrieved.queries.tolist()).__contains__, judged)]
    return TrecReport(result, asked, retrieved.tag, run, missing, len(judged))


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
        lines += [
            _line(item.name, query, item.value)
            for query, items in of_queries(ordered, report.result.sizes > 0)
            for item in items
            if item.name not in _OF_ALL_QUERIES
        ]
    if _RUN in report.measures:
        lines.append(_line(_RUN, ALL, report.tag))
    begin = f"{report.run}\t" if named else ""
    return "\n".join(begin + line for line in lines + [_line(item.name, ALL, item.value) for item in of_all(ordered)])


def of_queries(report: TrecReport, shown: BoolArray) -> Iterator[tuple[str, list[Statistic]]]:
    """Yield the queries of a mask, (g,), each with its values.  O(queries)."""
    columns = [(name, _numbers(name, ours, report.result)) for name, ours in report.measured]
    for index in np.flatnonzero(shown).tolist():
        yield str(report.result.groups[index]), [Statistic(name, name, values[index]) for name, values in columns]


def of_all(report: TrecReport) -> list[Statistic]:
    """Return the values of all queries together.  O(queries)."""
    return [Statistic(name, name, _summary(name, ours, report.result)) for name, ours in report.measured]


def _numbers(name: str, ours: str, result: GroupedEvaluation) -> list[Any]:
    """Return the values of the queries: integers for counts, NaN for the geometric mean, which one query lacks."""
    values = result.values[ours]
    if ours in result.geometric:
        values = np.full_like(values, np.nan)
    elif name == _QUERIES:
        values = np.ones_like(values)
    numbers: list[Any] = values.astype(np.int64 if _is_count(ours) else np.float64).tolist()
    return numbers


def _summary(name: str, ours: str, result: GroupedEvaluation) -> int | float:
    values = result.values[ours]
    if _is_count(ours):
        return int(values.size if name == _QUERIES else values.sum())
    if ours in result.geometric:
        return averages.geometric_mean(values)
    # in the order of trec_eval, on which the last printed digit may depend
    return averages.mean_in_turn(values[~np.isnan(values)])


def _is_count(ours: str) -> bool:
    """Whether a measure is a number of documents, at any relevance level."""
    return ours.partition("(")[0] in _COUNTS


def _line(name: str, record: str, value: int | float | str) -> str:
    return f"{name:<22}\t{record}\t" + (f"{value:6.4f}" if isinstance(value, float) else str(value))


def _print_rank(name: str) -> int:
    """Return the rank of a measure in trec_eval's order; its depths keep the order of the question."""
    family = name if name in _ORDER else name.rpartition("_")[0]
    return _ORDER.index(family) if family in _ORDER else len(_ORDER)


def _name_of(measure: str, relevance_level: int | None) -> str:
    """Return our name of a measure, given by our name or trec_eval's."""
    try:
        return parse(_OF_ALL_QUERIES.get(measure, measure), rel=relevance_level).name
    except EvaluationError as error:
        if "must be one of" not in str(error):
            raise
        near = did_you_mean(measure, _NAMES)
        raise EvaluationError(f"measure must be one of {', '.join(_NAMES)}, got {measure!r}{near}") from error


def _spelled_out(measure: str) -> list[str]:
    """Return ``P_5`` and ``P_10`` for trec_eval's ``P.10,5``, and the name itself for any other."""
    if measure == "official":
        return [name for family in _OFFICIAL for name in _spelled_out(family)]
    family, point, given = measure.partition(".")
    if family not in _LEVELS or not (point or measure == family):
        return [measure]
    levels = given.split(",") if point else _LEVELS[family]
    digits = 2 if family == "iprec_at_recall" else 0
    try:
        numbers = sorted(map(float if digits else int, levels))
    except ValueError:
        raise EvaluationError(f"measure must be written {family}.NUMBER,NUMBER, got {measure!r}") from None
    if not digits and numbers[0] < 1:
        raise EvaluationError(f"depths of measure {measure!r} must be at least 1, got {numbers[0]}")
    return [f"{family}_{number:.{digits}f}" for number in numbers]
