"""Reports on runs of TREC: side by side, with intervals, and compared with each other query by query."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replaced
from functools import partial
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.catalogue import statistic
from evalcore.evaluation.grouping import has_interval
from evalcore.evaluation.model import COMPARISONS, RUNS, Section, Statistic, Whole
from evalcore.evaluation.notes import notes
from evalcore.evaluation.options import option, text_option
from evalcore.evaluation.statistics.comparisons import (
    ComparedPairs,
    adjusted_p_values,
    compared_pairs,
    pair_naming,
)
from evalcore.evaluation.statistics.groups import beside_total
from evalcore.evaluation.statistics.trec import ALL, TrecReport, of_all, of_queries
from evalcore.evaluation.wording import listed
from evalcore.inference import Comparison, Interval, paired_t_test, permutation_test
from evalcore.inference.intervals import checked_level
from evalcore.inference.resamples import without_warnings
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
    totals = {report.run: _with_intervals(report, tests) for report in reports}
    sections = _side_by_side(reports, totals, per_query)
    said = _notes_of_measures(reports[0], sections, per_query)
    with_intervals = any(has_interval(item) for items in totals.values() for item in items)
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
        said = notes(
            section._replace(
                records={
                    record: [item for item in items if item.name not in geometric]
                    for record, items in section.records.items()
                }
            )
            for section in sections
        )
        said.append(f"{listed(geometric)} is of all queries only")
    graded = [name for name, ours in report.measured if ours.startswith("RBP") and math.isinf(parse(ours).highest)]
    if graded and report.top_grade > 1:
        said.append(f"{listed(graded)} may exceed 1: RBP takes grades as gains, RBP(rel=1) counts relevant documents")
    return said


def _side_by_side(
    reports: Sequence[TrecReport], totals: Mapping[str, list[Statistic]], per_query: bool
) -> list[Section]:
    """Return one section of runs or, if queries are shown, one of each run."""
    if len(reports) > 1 and not per_query:
        return [Section(RUNS, "", "run", totals)]
    of_each = {report.run: _with_queries(report, totals[report.run], per_query) for report in reports}
    if len(reports) == 1:
        return [Section("queries", "", "query", of_each[reports[0].run], across=not per_query)]
    return [Section(run, run, "query", records, whole=Whole(RUNS, "run")) for run, records in of_each.items()]


def _with_queries(report: TrecReport, total: list[Statistic], per_query: bool) -> dict[str, list[Statistic]]:
    every = np.ones(report.result.groups.size, np.bool_)
    records = {beside_total(query, ALL): items for query, items in of_queries(report, every)} if per_query else {}
    records[ALL] = total
    return records


def _with_intervals(report: TrecReport, tests: PairedTests | None) -> list[Statistic]:
    """Return the values of all queries; means have intervals if they are asked for."""
    if tests is None:
        return of_all(report)
    averaged = dict(report.averaged)
    return [
        item._replace(interval=_mean_interval(report.result.values[ours], tests, parse(ours).highest))
        if (ours := averaged.get(item.name))
        else item
        for item in of_all(report)
    ]


def _mean_interval(values: FloatArray, tests: PairedTests, highest: float) -> Interval | None:
    """Return the interval of the mean of values (g,), as of differences from 0; highest: the largest possible value."""
    defined = values[~np.isnan(values)]
    return _interval(_tested(defined, np.zeros_like(defined), tests), 0.0, highest) if defined.size else None


def _tested(first: FloatArray, second: FloatArray, tests: PairedTests) -> Comparison:
    return TESTS[tests.test].compare(first, second, level=tests.level)


def cut_to_possible(found: Comparison, lowest: float, highest: float) -> Comparison:
    """Return the comparison with bounds that are cut to the differences that are possible."""
    return replaced(found, low=max(found.low, lowest), high=min(found.high, highest))


def _interval(found: Comparison, lowest: float, highest: float) -> Interval:
    cut = cut_to_possible(found, lowest, highest)
    return Interval(cut.difference, cut.low, cut.high, cut.level, cut.method)


def _compared(reports: Sequence[TrecReport], totals: Mapping[str, list[Statistic]], tests: PairedTests) -> RunsAnswer:
    """Compare pairs of runs in each measure; p-values of a measure are adjusted together."""
    _check_same_queries(reports)
    averaged = reports[0].averaged
    if not averaged:
        raise EvaluationError(f"no measure is a mean over queries: add others, or leave out {option('ci')}")
    runs = list(totals)
    chosen = compared_pairs(Section(RUNS, "", "run", totals), tests.compare, averaged[0][0])
    compared: dict[str, list[list[Statistic]]] = {}
    partly: list[str] = []
    for name, ours in averaged:
        columns = np.array([report.result.values[ours] for report in reports])
        defined = ~np.isnan(columns).any(axis=0)
        if defined.any():
            compared[name] = _pairs_of_measure(columns[:, defined], chosen, tests, parse(ours).highest)
            partly += [] if defined.all() else [name]
    name_of = pair_naming(runs)
    names = [name_of(runs[first], runs[second]) for first, second in chosen.pairs]
    sections = [
        Section(
            pair,
            f"{pair}, query by query",
            "measure",
            {name: pairs[index] for name, pairs in compared.items()},
            whole=Whole(COMPARISONS, "pair"),
        )
        for index, pair in enumerate(names)
        if compared
    ]
    return RunsAnswer(sections, _notes(sections, chosen, partly, tests))


def _pairs_of_measure(
    columns: FloatArray, chosen: ComparedPairs, tests: PairedTests, highest: float
) -> list[list[Statistic]]:
    """Compare the values of a measure, (runs, g), in each pair of runs, with p-values adjusted for all pairs."""
    found = [_tested(columns[first], columns[second], tests) for first, second in chosen.pairs]
    p_values = np.array([comparison.p_value for comparison in found])
    adjusted = adjusted_p_values(p_values, chosen.family - p_values.size).tolist()
    return [
        [
            Statistic("difference", "difference", comparison.difference, _interval(comparison, -highest, highest)),
            statistic("p_value", comparison.p_value),
            *([statistic("p_value_holm", corrected)] if chosen.family > 1 else []),
        ]
        for comparison, corrected in zip(found, adjusted, strict=True)
    ]


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
    records = (items for section in sections for items in section.records.values())
    if any(item.name == "p_value" and math.isnan(item.value) for items in records for item in items):
        said.append("p is NaN where there is a single query, or all differences are equal and not 0")
    if partly:
        said.append(f"differences in {listed(partly)} are of the queries for which all runs have a value")
    return said
