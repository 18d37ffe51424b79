"""A run against judgements, as trec_eval reports it, or as the sections of any other report."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.trec import joined, read_qrels, read_run
from evalcore.ranking import GroupedEvaluation, evaluate, parse
from evalcore.report.sections import Section, Statistic

DEFAULTS = ("map", "recip_rank", "P_10", "ndcg_cut_10")
_ALL = "all"


class TrecReport(NamedTuple):
    """The evaluation of a run, and the measures under the names that were asked for."""

    result: GroupedEvaluation
    measures: dict[str, str]
    """By the name asked for, the name in the result."""


def trec_report(
    qrels: str, run: str, measures: Sequence[str] = DEFAULTS, ties: str = "mean", complete: bool = False
) -> TrecReport:
    """Evaluate the run of one file against the judgements of another.

    measures: as `evalcore.ranking.parse` reads them, or as trec_eval does, ``P.5,10``.  complete: whether judged
    queries that the run lacks count as 0.  O(n log n).

    Raises EvaluationError as `read_qrels`, `read_run` and `evaluate` do.

    >>> trec_report("nowhere.qrels", "nowhere.run")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.qrels: no such file
    """
    asked = {name: parse(name).name for measure in measures or DEFAULTS for name in _spelled_out(measure)}
    judgements, retrieved = read_qrels(qrels), read_run(run)
    try:
        columns = joined(judgements, retrieved, complete=complete)
    except EvaluationError as error:
        raise EvaluationError(f"{run}, {qrels}: {error}") from error
    result = evaluate(
        columns.groups,
        columns.relevance,
        columns.scores,
        measures=list(asked),
        misses=columns.misses,
        ties=ties,
        documents=columns.documents,
    )
    return TrecReport(result, asked)


def as_trec(report: TrecReport, per_query: bool = False) -> str:
    """Write the lines of ``trec_eval`` or, for each query too, of ``trec_eval -q``.

    >>> result = evaluate(["7", "7", "8"], [0, 1, 1], [0.9, 0.5, 0.5], measures="map")
    >>> print(as_trec(TrecReport(result, {"map": "AP"}), per_query=True).expandtabs(1))
    map                    7 0.5000
    map                    8 1.0000
    map                    all 0.7500
    """
    return "\n".join(
        f"{item.name:<22}\t{record}\t{item.value:6.4f}"
        for record, items in _records(report, per_query)
        for item in items
    )


def trec_sections(report: TrecReport, per_query: bool = False) -> list[Section]:
    """Return the means and, if asked, the values of each query as a report's section.

    >>> result = evaluate(["7", "7", "8"], [0, 1, 1], [0.9, 0.5, 0.5], measures="map")
    >>> trec_sections(TrecReport(result, {"map": "AP"}))[0].records
    {'all': [Statistic(name='map', title='map', value=0.75)]}
    """
    return [Section("queries", "", "query", dict(_records(report, per_query)))]


def _records(report: TrecReport, per_query: bool) -> Iterator[tuple[str, list[Statistic]]]:
    """Yield the queries, those that the run lacks left out as trec_eval does, and then the means."""
    result = report.result
    if per_query:
        columns = [(name, result.values[ours].tolist()) for name, ours in report.measures.items()]
        for place in np.flatnonzero(result.sizes).tolist():
            yield str(result.groups[place]), [Statistic(name, name, values[place]) for name, values in columns]
    yield _ALL, [Statistic(name, name, result.mean(ours)) for name, ours in report.measures.items()]


def _spelled_out(measure: str) -> list[str]:
    """Return ``P_5`` and ``P_10`` for trec_eval's ``P.5,10``, and the name itself for any other."""
    found = re.fullmatch(r"([a-zA-Z_]+)\.([0-9.,]+)", measure)
    return [f"{found[1]}_{level}" for level in found[2].split(",")] if found else [measure]
