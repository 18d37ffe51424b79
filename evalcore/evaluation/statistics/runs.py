"""Reports on runs of TREC: side by side, with intervals, and compared with each other query by query."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from functools import partial
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.model import COMPARISONS, RUNS, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.notes import notes
from evalcore.evaluation.options import option, text_option
from evalcore.evaluation.statistics.comparisons import (
    ComparedPairs,
    adjusted_p_values,
    compared_pairs,
    difference_columns,
    pair_naming,
)
from evalcore.evaluation.statistics.groups import beside_total
from evalcore.evaluation.statistics.trec import ALL, TrecReport, of_all, of_queries
from evalcore.evaluation.wording import listed
from evalcore.inference import Comparison, paired_t_test, permutation_test
from evalcore.inference.intervals import Intervals, checked_level
from evalcore.inference.resampled_measures import without_warnings
from evalcore.ranking import parse
from evalcore.typing import FloatArray

_DRAWS, _SEED = 10_000, 0


class _Test(NamedTuple):
    """A test of paired values, and what a note calls its distribution and itself."""

    compare: Callable[..., Comparison]
    intervals: str
    p_values: str


TESTS = {
    "t": _Test(paired_t_test, "Student's t distribution", "Student's t test"),
    "permutation": _Test(
        partial(permutation_test, resamples=_DRAWS, seed=_SEED),
        f"Fisher's randomisation test (at most {_DRAWS:,} patterns of signs, seed {_SEED})",
        "Fisher's randomisation test",
    ),
}
"""By the names that the command has."""


class PairedTests(NamedTuple):
    """Which intervals and tests are asked for."""

    level: float
    compare: str = "first"
    """Which pairs of runs are compared: one of `COMPARED` but "none"; the best has the largest first measure."""
    test: str = "t"
    """One of `TESTS`."""


class RunsAnswer(NamedTuple):
    """A report on runs."""

    sections: list[Section]
    notes: list[str]
    has_intervals: bool = False


@without_warnings()
def runs_answer(reports: Sequence[TrecReport], per_query: bool = False, tests: PairedTests | None = None) -> RunsAnswer:
    """Return the values of runs for all queries and, if `per_query`, for each; with `tests` compared.  O(queries).

    Raises EvaluationError if runs to be compared have different queries.
    """
    if not reports[0].measured:
        raise EvaluationError("runid is not a number: add other measures, or give --format trec")
    if tests:
        checked_level(tests.level, option("ci"))
    level = None if tests is None else tests.level
    totals = ColumnRecords(
        [report.run for report in reports],
        [_with_intervals(report, tests) for report in reports],
        level,
        {name: name for name, _ in reports[0].measured},
    )
    sections = _side_by_side(reports, totals, per_query)
    said = _notes_of_measures(reports[0], sections, per_query)
    bounds = (found.low for part in totals.parts for found in part.intervals.values())
    with_intervals = any(not np.isnan(low).all() for low in bounds)
    if tests and with_intervals:
        said.append(f"Intervals are from {TESTS[tests.test].intervals}, with queries as the sample")
    if tests and len(reports) > 1:
        compared = _compared(reports, totals, tests)
        return RunsAnswer(sections + compared.sections, said + compared.notes, with_intervals)
    return RunsAnswer(sections, said, with_intervals)


def _notes_of_measures(report: TrecReport, sections: Sequence[Section], per_query: bool) -> list[str]:
    """Say why numbers are NaN, and what may surprise in the measures that are asked for.  O(statistics)."""
    geometric = [name for name, ours in report.measured if ours in report.result.geometric]
    if not (per_query and geometric):
        said = notes(sections)
    else:
        others = [name for name, _ in report.measured if name not in geometric]
        said = notes(section._replace(records=section.columns.only(others)) for section in sections)
        said.append(f"{listed(geometric)} is of all queries only")
    graded = [name for name, ours in report.measured if ours.startswith("RBP") and math.isinf(parse(ours).highest)]
    if graded and report.top_grade > 1:
        said.append(f"{listed(graded)} may exceed 1: RBP takes grades as gains, RBP(rel=1) counts relevant documents")
    return said


def _side_by_side(reports: Sequence[TrecReport], totals: ColumnRecords, per_query: bool) -> list[Section]:
    """Return one section of runs or, if queries are shown, one of each run."""
    if len(reports) > 1 and not per_query:
        return [Section(RUNS, "", "run", totals)]
    of_each = {}
    for report, total in zip(reports, totals.parts, strict=True):
        queries = [beside_total(str(query), ALL) for query in report.result.groups.tolist()] if per_query else []
        parts = [of_queries(report), total] if per_query else [total]
        of_each[report.run] = ColumnRecords((*queries, ALL), parts, totals.level, totals.titles)
    if len(reports) == 1:
        return [Section("queries", "", "query", of_each[reports[0].run], across=not per_query)]
    return [Section(run, run, "query", records, whole=Whole(RUNS, "run")) for run, records in of_each.items()]


def _with_intervals(report: TrecReport, tests: PairedTests | None) -> Columns:
    """Return the values of all queries; means have intervals, as of differences from 0, if they are asked for."""
    found = dict[str, Intervals]()
    for name, ours in () if tests is None else report.averaged:
        values = report.result.values[ours]
        if (defined := values[~np.isnan(values)]).size and tests is not None:
            compared = _tested(defined, np.zeros_like(defined), tests)
            found |= difference_columns([cut_to_possible(compared, 0.0, parse(ours).highest)], name=name).intervals
    return of_all(report)._replace(intervals=found)


def _tested(first: FloatArray, second: FloatArray, tests: PairedTests) -> Comparison:
    return TESTS[tests.test].compare(second, first, level=tests.level)


def cut_to_possible(found: Comparison, lowest: float, highest: float) -> Comparison:
    """Return the comparison with bounds that are cut to the differences that are possible."""
    return replaced(found, low=max(found.low, lowest), high=min(found.high, highest))


def _compared(reports: Sequence[TrecReport], totals: ColumnRecords, tests: PairedTests) -> RunsAnswer:
    """Compare pairs of runs in each measure; p-values of a measure are adjusted together."""
    _check_same_queries(reports)
    averaged = reports[0].averaged
    if not averaged:
        raise EvaluationError(f"no measure is a mean over queries: add others, or leave out {option('ci')}")
    runs = list(totals)
    chosen = compared_pairs(totals, tests.compare, averaged[0][0])
    compared: dict[str, list[Comparison]] = {}
    partly: list[str] = []
    for name, ours in averaged:
        columns = np.array([report.result.values[ours] for report in reports])
        defined = ~np.isnan(columns).any(axis=0)
        if defined.any():
            highest = parse(ours).highest
            compared[name] = [
                cut_to_possible(_tested(columns[first, defined], columns[second, defined], tests), -highest, highest)
                for first, second in chosen.pairs
            ]
            partly += [] if defined.all() else [name]
    name_of = pair_naming(runs)
    names = [name_of(runs[first], runs[second]) for first, second in chosen.pairs]
    sections = [
        Section(
            pair,
            f"{pair}, query by query",
            "measure",
            ColumnRecords(compared, [columns], tests.level, {"difference": "difference"}),
            whole=Whole(COMPARISONS, "pair"),
        )
        for pair, columns in zip(names, _pairs(compared, chosen), strict=True)
        if compared
    ]
    return RunsAnswer(sections, _notes(sections, chosen, partly, tests))


def _pairs(compared: Mapping[str, Sequence[Comparison]], chosen: ComparedPairs) -> Iterator[Columns]:
    """Yield the comparisons of each pair by all measures; p-values of a measure are adjusted for all pairs."""
    p_values = [np.array([comparison.p_value for comparison in of_pairs]) for of_pairs in compared.values()]
    adjusted = [adjusted_p_values(each, chosen.family - each.size) for each in p_values]
    for index in range(len(chosen.pairs)):
        holm = np.array([each[index] for each in adjusted]) if chosen.family > 1 else None
        yield difference_columns([of_pairs[index] for of_pairs in compared.values()], holm, "difference")


def _check_same_queries(reports: Sequence[TrecReport]) -> None:
    """Raise EvaluationError for runs that lack queries of others: their means are not comparable."""
    every = set().union(*(report.result.groups.tolist() for report in reports))
    for report in reports:
        lacking = sorted(every.difference(report.result.groups.tolist()))
        if lacking:
            raise EvaluationError(
                f"runs must have the same queries to be compared, but {report.run} lacks {_some(lacking)}; "
                "count them as 0 (--complete)"
            )


def missing_queries(report: TrecReport) -> str:
    """Say which judged queries a run lacks; empty if there are none.  O(queries)."""
    if not report.missing:
        return ""
    lacking = f"{len(report.missing):,} of the {report.judged:,} judged queries ({_some(report.missing)})"
    return f"{report.run} lacks {lacking}: its means leave them out, and --complete counts them as 0"


def relevance_above(report: TrecReport, relevance_level: int | None) -> str:
    """Say that no grade reaches the level of relevance; empty if one does.  O(1)."""
    if relevance_level is None or relevance_level <= report.top_grade:
        return ""
    return f"no grade is {relevance_level} or more ({option('relevance_level')}); the largest is {report.top_grade}"


def tied_runs(reports: Sequence[TrecReport]) -> str:
    """Say which runs have ties that are not broken as trec_eval does; empty if none has.  O(runs)."""
    tied = [report.run for report in reports if report.tied]
    if not tied:
        return ""
    have = "have" if len(tied) > 1 else "has"
    return (
        f"{listed(tied)} {have} documents of equal score: these numbers may differ from those of trec_eval, "
        f"which {text_option('ties', 'trec')} prints"
    )


def _some(queries: Sequence[str]) -> str:
    return listed(list(map(str, queries)))


def _notes(sections: Sequence[Section], chosen: ComparedPairs, partly: Sequence[str], tests: PairedTests) -> list[str]:
    """Say how p-values are computed, and where they are not."""
    said = [f"P-values are from {TESTS[tests.test].p_values}, paired by query"]
    if chosen.family > 1:
        why = ", because any run could have been the best" if chosen.family > len(chosen.pairs) else ""
        said.append(f"P-values are adjusted by Holm's method for {chosen.family:,} comparisons of each measure{why}")
    if any(np.isnan(section.columns.column("p_value")).any() for section in sections):
        said.append("p is NaN where there is a single query, or all differences are equal and not 0")
    if partly:
        said.append(f"differences in {listed(partly)} are of the queries for which all runs have a value")
    return said
