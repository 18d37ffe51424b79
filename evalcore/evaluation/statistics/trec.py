"""The evaluation of runs against judgements, by the names and in the lines of trec_eval."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import filterfalse
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, did_you_mean, refuse
from evalcore.evaluation.model import Columns
from evalcore.evaluation.options import listing_option, option
from evalcore.io.trec import joined, read_qrels, read_run
from evalcore.measures import agreement
from evalcore.ranking import GroupedEvaluation, JudgedRankings, parse
from evalcore.ranking.evaluation import has_ties
from evalcore.ranking.names import UnknownMeasureError, near_measures, split_names
from evalcore.typing import AnyArray, Ties

RUN_ID, QUERIES = "runid", "num_q"
OF_ALL_QUERIES = {RUN_ID: "num_ret", QUERIES: "num_ret", "gm_map": "gm_map"}
"""Statistics that trec_eval prints for all queries only, and the measure of ours that each is computed from."""
OFFICIAL = (
    *(RUN_ID, QUERIES, "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P"),
)
"""What trec_eval prints by default."""
_ALONE = *OF_ALL_QUERIES, "official"
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
MEANINGS = {
    "official": "All measures that trec_eval prints by default.",
    "map": "Average precision: the mean of the precisions at the relevant documents.",
    "map_cut_K": "Average precision of the K best documents.",
    "gm_map": "Geometric mean of the average precisions, each at least 1e-5.",
    "P_K": "Precision: the fraction of the K best documents that are relevant.",
    "recall_K": "Fraction of the relevant documents that are among the K best.",
    "success_K": "1 if a relevant document is among the K best, else 0.",
    "recip_rank": "1 / rank of the first relevant document.",
    "Rprec": "Precision of the R best documents, where R is the number of relevant ones.",
    "bpref": "How rarely documents judged irrelevant rank above relevant ones.",
    "ndcg": "Normalised discounted cumulative gain; the gain is the grade.",
    "ndcg_cut_K": "nDCG of the K best documents; the gain is the grade.",
    "iprec_at_recall_X": "Largest precision at a recall of at least X.",
    "set_P": "Precision of all retrieved documents (SetP).",
    "set_recall": "Recall of all retrieved documents (SetR).",
    "set_F": "Harmonic mean of set_P and set_recall (SetF); SetF(beta=2) weights recall more.",
    "set_map": "Product of set_P and set_recall (SetAP).",
    "num_q": "Number of queries.",
    "num_ret": "Number of retrieved documents.",
    "num_rel": "Number of relevant documents.",
    "num_rel_ret": "Number of relevant documents that were retrieved.",
    "runid": "The name that the run gives itself; for --format trec.",
    "RR@K": "recip_rank, 0 if no relevant document is among the K best.",
    "nDCGexp@K": "nDCG with the gain 2**grade - 1; @K may be left out.",
    "RBP": "Rank-biased precision; the gain is the grade, or 1 for a relevant document with RBP(rel=1).",
    "ERR@K": "Expected reciprocal rank; ERR(max_rel=3) if the largest grade is 3, not 4.",
    "Judged@K": "Fraction of the K best documents that are judged, with a grade of 0 or more.",
    "AUC": "Area under the ROC curve of the retrieved documents.",
    "maxF": "Largest F1 at any rank.",
}
"""What names mean; K stands for a depth, X for a recall."""
_WITHOUT_DEPTHS = [name for name in MEANINGS if not name.endswith(("K", "X"))]


def asked_names(measures: Iterable[str], relevance_level: int | None) -> dict[str, str]:
    """Return our names of measures, by the names that are asked for, each once.  O(measures).

    measures: texts with one name or several, of trec_eval or ours.  Raises EvaluationError for an unknown name.

    >>> asked_names(["P.10,5 map"], 2)
    {'P_5': 'P(rel=2)@5', 'P_10': 'P(rel=2)@10', 'map': 'AP(rel=2)'}
    """
    names = (name for text in measures for each in split_names(text) for name in _spelled_out(each))
    return {name: _name_of(name, relevance_level) for name in names}


def _name_of(measure: str, relevance_level: int | None) -> str:
    """Return our name of a measure, given by our name or trec_eval's."""
    try:
        return parse(OF_ALL_QUERIES.get(measure, measure), rel=relevance_level).name
    except UnknownMeasureError as error:
        near = did_you_mean(measure, _WITHOUT_DEPTHS) or near_measures(measure, _ALONE)
        raise EvaluationError(f"measure must be one of {listing_option(MEANINGS)}, got {measure!r}{near}") from error


def _spelled_out(measure: str) -> list[str]:
    """Return ``P_5`` and ``P_10`` for trec_eval's ``P.10,5``, and the name itself for any other."""
    if measure == "official":
        return [name for family in OFFICIAL for name in _spelled_out(family)]
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
        of_queries = ((name, ours) for name, ours in self.measured if name not in OF_ALL_QUERIES)
        return [(name, ours) for name, ours in of_queries if not (ours in self.result.geometric or _is_count(ours))]


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
        said = f"queries must not be named {ALL!r}, as the total is in lines of trec_eval; take JSON"
        refuse({said: ALL in map(str, report.result.groups.tolist())})
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
