"""Runs of ranked results, side by side or compared query by query: ``evalcore trec``, ``evalcore compare --qrels``."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from itertools import islice
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation import options
from evalcore.evaluation.case_lists import first_rows
from evalcore.evaluation.comparing import and_model, notes_of_tests
from evalcore.evaluation.differences import ChangedCase, ComparisonAnswer, MeasureDifference, ModelDifferences, judged
from evalcore.evaluation.joining import JoinCounts
from evalcore.evaluation.measure_choice import check_margin_names
from evalcore.evaluation.model import COMPARISONS, RUNS, Answer, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.notes import notes
from evalcore.evaluation.options import option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_tests
from evalcore.evaluation.score_differences import compare_resampled
from evalcore.evaluation.statistics import comparisons
from evalcore.evaluation.statistics.groups import beside_total
from evalcore.evaluation.statistics.trec import ALL, DEFAULTS, TrecReport, of_all, of_queries, trec_reports
from evalcore.evaluation.wording import listed
from evalcore.inference import Comparison, paired_t_test, permutation_test
from evalcore.inference.bootstrap import draw_units, generators, measure_resamples, without_warnings
from evalcore.inference.intervals import Comparisons, Intervals, checked_level, nothing_to_compare
from evalcore.inference.significance_tests import signed_rank_test
from evalcore.ranking import parse
from evalcore.typing import FloatArray, IntArray

_ROUNDING = 12
"""Decimals to which differences are read by Wilcoxon's test, so that 0.3 - 0.2 ties with 0.2 - 0.1."""
TESTED = Question("", resamples=10_000)
"""How a report tests pairs of runs, beside the level, the pairs and the method."""
_FISHER = "Fisher's randomisation test"
_SAID_OF_REPORTS = {
    "analytic": ("Student's t distribution", "Student's t test"),
    "permutation": (f"{_FISHER} (at most {TESTED.resamples:,} patterns of signs, seed {TESTED.seed})", _FISHER),
}
"""By the method, what notes of reports call the distribution of intervals, and the test."""


@without_warnings()
def runs_answer(reports: Sequence[TrecReport], per_query: bool = False, tests: Question | None = None) -> Answer:
    """Return the values of runs for all queries and, if `per_query`, for each; with `tests` compared.  O(queries).

    tests: `TESTED` with a level and, perhaps, pairs and a method; the best run has the largest first measure.
    Raises EvaluationError if runs to be compared have different queries.
    """
    if not reports[0].measured:
        raise EvaluationError("runid is not a number: add other measures, or give --format trec")
    level = None if tests is None else checked_level(tests.confidence, option("ci"))
    names, titles = [report.run for report in reports], {name: name for name, _ in reports[0].measured}
    totals = ColumnRecords(names, [_with_intervals(report, tests) for report in reports], level, titles)
    sections = _side_by_side(reports, totals, per_query)
    said = _notes_of_measures(reports[0], sections, per_query)
    if tests and has_intervals(sections):
        said.append(f"Intervals are from {_SAID_OF_REPORTS[tests.method][0]}, with queries as the sample")
    compared = _compared(reports, totals, tests) if tests and len(reports) > 1 else Answer([])
    return Answer(sections + compared.sections, notes=[*said, *compared.notes])


def has_intervals(sections: Sequence[Section]) -> bool:
    """Whether a report on runs has some interval with bounds.  O(statistics)."""
    parts = (part for section in sections for part in section.columns.parts)
    return any(not np.isnan(found.low).all() for part in parts for found in part.intervals.values())


def _notes_of_measures(report: TrecReport, sections: Sequence[Section], per_query: bool) -> list[str]:
    """Say why numbers are NaN, and what may surprise in the measures that are asked for.  O(statistics)."""
    geometric = [name for name, ours in report.measured if per_query and ours in report.result.geometric]
    others = [name for name, _ in report.measured if name not in geometric]
    said = notes(section._replace(records=section.columns.only(others)) for section in sections)
    said += [f"{listed(geometric)} is of all queries only"] if geometric else []
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


def _with_intervals(report: TrecReport, tests: Question | None) -> Columns:
    """Return the values of all queries; means have intervals, as of differences from 0, if they are asked for."""
    found = dict[str, Intervals]()
    for name, ours in () if tests is None else report.averaged:
        values = report.result.values[ours]
        if (defined := values[~np.isnan(values)]).size and tests is not None:
            compared = _within(ours, compare_values(defined, np.zeros_like(defined), tests), of_values=True)
            found |= comparisons.difference_columns(Comparisons.of_each([compared]), name=name).intervals
    return of_all(report)._replace(intervals=found)


def _within(measure: str, found: Comparison, *, of_values: bool = False) -> Comparison:
    """Return the comparison with bounds that are cut to the differences of a measure, or values, that are possible."""
    highest = parse(measure).highest
    return replaced(found, low=max(found.low, 0.0 if of_values else -highest), high=min(found.high, highest))


def _compared(reports: Sequence[TrecReport], totals: ColumnRecords, tests: Question) -> Answer:
    """Compare pairs of runs in each measure; p-values of a measure are adjusted together."""
    _check_same_queries(reports)
    averaged = reports[0].averaged
    if not averaged:
        raise EvaluationError(f"none of these measures is a mean over queries; add one that is, or drop {option('ci')}")
    chosen = comparisons.compared_pairs([*totals], totals.column(averaged[0][0]), tests.compare or "first")
    compared, partly = dict[str, list[Comparison]](), list[str]()
    for name, ours in averaged:
        values = _defined(ours, reports)
        if values.size:
            each = (compare_values(values[first], values[second], tests) for first, second in chosen.pairs)
            compared[name] = [_within(ours, found) for found in each]
            partly += [name] if values.shape[1] < reports[0].result.groups.size else []
    p_values = (np.array([found.p_value for found in of_pairs]) for of_pairs in compared.values())
    adjusted = [comparisons.adjusted_p_values(each, chosen.family - each.size) for each in p_values]
    sections, of_pairs = list[Section](), zip(*compared.values(), strict=True)
    for pair, found, corrected in zip(chosen.names, of_pairs, zip(*adjusted, strict=True), strict=False):
        holm = np.array(corrected) if chosen.family > 1 else None
        own = comparisons.difference_columns(Comparisons.of_each(found), holm, "difference")
        records = ColumnRecords(compared, [own], tests.confidence, {"difference": "difference"})
        sections.append(Section(pair, f"{pair}, query by query", "measure", records, whole=Whole(COMPARISONS, "pair")))
    return Answer(sections, notes=_pair_notes(sections, chosen, partly, tests))


def _defined(measure: str, runs: Sequence[TrecReport]) -> FloatArray:
    """Return a measure of each of k runs of the same queries, of those for which all have a value, (k, q)."""
    values = np.array([run.result.values[measure] for run in runs])
    return values[:, ~np.isnan(values).any(axis=0)]


def _check_same_queries(reports: Sequence[TrecReport]) -> None:
    """Raise EvaluationError for runs that lack queries of others: their means are not comparable."""
    every = set().union(*(report.result.groups.tolist() for report in reports))
    for report in reports:
        if lacking := sorted(every.difference(report.result.groups.tolist())):
            but = f"{report.run} lacks {listed([*map(str, lacking)])}; count them as 0 (--complete)"
            raise EvaluationError(f"runs must have the same queries to be compared, but {but}")


def _lacking(report: TrecReport) -> str:
    missing, judged = report.missing, f"{report.judged:,} judged queries"
    return f"{report.run} lacks {len(missing):,} of the {judged} ({listed([*map(str, missing)])})"


def doubts(reports: Sequence[TrecReport], relevance_level: int | None, *, complete: bool) -> Iterator[str]:
    """Yield what a reader must know of runs: which queries they lack, a level above all grades, and their ties.

    relevance_level, complete: as for `trec_reports`.  O(queries).
    """
    for report in reports:
        if report.missing and not complete:
            yield f"{_lacking(report)}: its means leave them out, and --complete counts them as 0"
    if relevance_level is not None and relevance_level > (top := reports[0].top_grade):
        yield f"no grade is {relevance_level} or more ({option('relevance_level')}); the largest is {top}"
    if tied := [report.run for report in reports if report.tied]:
        have = f"{listed(tied)} {'have' if len(tied) > 1 else 'has'} documents of equal score"
        other = f"these numbers may differ from trec_eval's, which {text_option('ties', 'trec')} prints"
        yield f"{have}: {other}"


def _pair_notes(
    sections: Sequence[Section], chosen: comparisons.ComparedPairs, partly: Sequence[str], tests: Question
) -> list[str]:
    """Say how p-values are computed, and where they are not."""
    said = [f"P-values are from {_SAID_OF_REPORTS[tests.method][1]}, paired by query"]
    if chosen.family > 1:
        count = f"{chosen.family:,} comparisons of each measure{chosen.why('run')}"
        said.append(f"P-values are adjusted by Holm's method for {count}")
    if any(np.isnan(section.columns.column("p_value")).any() for section in sections):
        said.append("p is NaN if there is a single query, or all differences are equal and not 0")
    if partly:
        said.append(f"differences in {listed(partly)} are of the queries for which all runs have a value")
    return said


class _Pair(NamedTuple):
    """The old run and a new one, of the queries of both, in the order of the old one."""

    old: TrecReport
    new: TrecReport
    counts: JoinCounts
    """How many queries are compared, and how many are not."""


@without_warnings()
def answer_runs(question: Question, qrels: str, runs: Mapping[str, str]) -> ComparisonAnswer:
    """Compare the new runs in some files with the first, query by query.  O(n log n) for each.

    qrels: the file of the judgements; runs: files by the names of models, the old one first.  Raises EvaluationError as
    `trec_reports` and `check_tests` do, and for runs of different queries unless the question allows "missing".
    """
    check_tests(question, (*options.METHODS_OF_CLASSES, options.WILCOXON))
    if others := question.allow - {options.MISSING}:
        raise EvaluationError(f"{option('allow')} must be {options.MISSING} for runs, got {min(others)!r}")
    old, *new = trec_reports(qrels, runs, question.measures.names or DEFAULTS)
    if not old.averaged:
        raise EvaluationError(f"measures must include a mean over queries, got {listed(list(old.measures))}")
    pairs = [_pair(old, run, question) for run in new]
    asked = filter(None, (question, question.at_margin_level))
    measured, *narrow = ([each for pair in pairs for each in _differences(pair, own)] for own in asked)
    every = judged(measured, question.confidence, question.margin, *narrow)
    check_margin_names(question.margin, (each.measure for each in every))
    found = iter(every)
    models = [
        ModelDifferences(pair.new.run, [*islice(found, len(old.averaged))], risen=risen, fallen=fallen)
        for pair in pairs
        for risen, fallen in [_changed_queries(pair, question.changed)]
    ]
    notes = [*_notes(pairs, question), *notes_of_tests(every, question, "all queries", f"measure{and_model(models)}")]
    return ComparisonAnswer(old.run, models, {pair.new.run: pair.counts for pair in pairs}, notes)


def _pair(old: TrecReport, new: TrecReport, question: Question) -> _Pair:
    """Return the queries of both runs; raises EvaluationError if one lacks queries of the other, unless allowed."""
    runs, names = (old, new), [run.result.groups.astype(str) for run in (old, new)]
    for run, own, other in zip(runs, names, reversed(names), strict=True):
        lacking = other[~np.isin(other, own)]
        if lacking.size and options.MISSING not in question.allow:
            but = f"{run.run} lacks {lacking.size:,} of the other ({listed(lacking.tolist())})"
            way_out = f"{text_option('allow', options.MISSING)} compares the queries of both"
            raise EvaluationError(f"{old.run} and {new.run} must have the same queries, but {but}; {way_out}")
    shared, of_old, of_new = np.intersect1d(names[0], names[1], return_indices=True)
    if not shared.size:
        raise EvaluationError(f"{old.run} and {new.run} must have a query in common, got none")
    order, size, (first, second) = of_old.argsort(), shared.size, (own.size for own in names)
    counts = JoinCounts(first, second, size, first - size, second - size)
    return _Pair(_of_queries(old, of_old[order]), _of_queries(new, of_new[order]), counts)


def _of_queries(run: TrecReport, rows: IntArray) -> TrecReport:
    """Return a run with some of its queries alone.  O(queries)."""
    found = run.result
    values = {measure: column[rows] for measure, column in found.values.items()}
    result = replaced(found, groups=found.groups[rows], positives=found.positives[rows], values=values)
    return run._replace(result=result)


def _differences(pair: _Pair, question: Question) -> list[MeasureDifference]:
    found, nothing = list[MeasureDifference](), nothing_to_compare(question.confidence, "paired-t")
    for name, measure in pair.old.averaged:
        old, new = _defined(measure, (pair.old, pair.new))
        error = float(np.std(new - old, ddof=1) / np.sqrt(new.size)) if new.size > 1 else np.nan
        freedom = np.inf if question.method == "permutation" else new.size - 1.0
        tested = _within(measure, compare_values(new, old, question)) if new.size else nothing
        found.append(MeasureDifference(name, name, tested, error, freedom=freedom))
    return found


def compare_values(new: FloatArray, old: FloatArray, question: Question) -> Comparison:
    """Compare values of queries, (g,) each, by the method of a question.  O(g) for each resample."""
    if question.method == "permutation":
        return permutation_test(old, new, level=question.confidence, resamples=question.resamples, seed=question.seed)
    differences = new - old
    if question.method == options.BOOTSTRAP:  # the same resamples for all measures that all queries have
        sources, size = generators(question.seed, question.resamples), differences.size

        def mean(counts: IntArray) -> FloatArray:
            return np.asarray(counts @ differences / size)

        drawn = measure_resamples(mean, draw_units(size), sources, question.resamples)
        estimates = float(new.mean()), float(old.mean())
        return compare_resampled(estimates, drawn, question.confidence, np.inf, units=size).each()[0]
    found = paired_t_test(old, new, level=question.confidence)
    if question.method != options.WILCOXON:
        return found
    statistic, p_value, low, high = signed_rank_test(np.round(differences, _ROUNDING), question.confidence)
    return replaced(found, statistic=statistic, p_value=p_value, low=low, high=high, method=options.WILCOXON)


def _changed_queries(pair: _Pair, most: int) -> tuple[list[ChangedCase], list[ChangedCase]]:
    """Return the queries whose first measure rose most, and those whose fell most.  O(queries)."""
    old, new = (run.result.values[pair.old.averaged[0][1]] for run in (pair.old, pair.new))
    change, result = new - old, pair.new.result

    def cases(sign: int) -> list[ChangedCase]:
        rows = first_rows(sign * change > 0, sign * change, most)
        columns = (column[rows].tolist() for column in (result.groups.astype(str), result.positives, old, new))
        return [*map(ChangedCase, *columns)]

    return cases(1), cases(-1)


_SAID = {
    "analytic": "intervals and p-values are from Student's t test, paired by query",
    "wilcoxon": "intervals and p-values are from Wilcoxon's signed ranks of the queries",
    "permutation": "intervals and p-values are from Fisher's randomisation test, which swaps the runs query by query",
    "bootstrap": "intervals and p-values are from resamples of the queries, expanded as Student's t distribution is",
}


def _notes(pairs: Sequence[_Pair], question: Question) -> list[str]:
    """Say how differences are tested, what queries are listed by, and which are compared."""
    name = pairs[0].old.averaged[0][0]
    said = [_SAID[question.method], f"the queries that changed most are those by the first measure, {name}"]
    runs = pairs[0].old, *(pair.new for pair in pairs)
    return [*said, *(f"{_lacking(run)}, which are not compared" for run in runs if run.missing)]
