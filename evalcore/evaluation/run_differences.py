"""Differences between runs of ranked results, query by query, ``evalcore compare OLD NEW --qrels FILE``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace as replaced
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.comparing import and_model, largest, notes_of_tests
from evalcore.evaluation.differences import (
    ChangedCase,
    ComparisonAnswer,
    MeasureDifference,
    ModelDifferences,
    check_margin_names,
    judged,
)
from evalcore.evaluation.joining import JoinCounts
from evalcore.evaluation.options import BOOTSTRAP, METHODS_OF_CLASSES, MISSING, WILCOXON, option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_tests
from evalcore.evaluation.score_differences import compare_resampled
from evalcore.evaluation.statistics.runs import cut_to_possible
from evalcore.evaluation.statistics.trec import DEFAULTS, TrecReport, trec_reports
from evalcore.evaluation.wording import listed
from evalcore.inference import Comparison, paired_t_test, permutation_test
from evalcore.inference.resampled_measures import draw_units, generators, measure_resamples, without_warnings
from evalcore.optional import require
from evalcore.ranking import parse
from evalcore.typing import FloatArray, IntArray

_LISTED = 6
_ROUNDING = 12
"""Decimals to which differences are read by Wilcoxon's test, so that 0.3 - 0.2 ties with 0.2 - 0.1."""


class _Pair(NamedTuple):
    """The queries of the old run and of a new one."""

    old: TrecReport
    new: TrecReport
    queries: list[str]
    """Names of the queries of both, g of them."""
    old_rows: IntArray
    """Indices of these queries in the old run, shape (g,)."""
    new_rows: IntArray

    @property
    def counts(self) -> JoinCounts:
        """How many queries are compared, and how many are not."""
        both = len(self.queries)
        old, new = (run.result.groups.size for run in (self.old, self.new))
        return JoinCounts(old, new, both, old - both, new - both)

    def values(self, measure: str) -> tuple[FloatArray, FloatArray]:
        """Return the values of a measure of the new run and of the old one, (g,) each."""
        return self.new.result.values[measure][self.new_rows], self.old.result.values[measure][self.old_rows]


@without_warnings()
def answer_runs(question: Question, qrels: str, runs: Mapping[str, str]) -> ComparisonAnswer:
    """Compare the new runs in some files with the first, query by query.  O(n log n) for each.

    qrels: the file of the judgements; runs: files by the names of models, the old one first.  Raises EvaluationError as
    `trec_reports` and `check_tests` do, and for runs of different queries unless the question allows "missing".
    """
    check_tests(question, (*METHODS_OF_CLASSES, WILCOXON))
    if others := question.allow - {MISSING}:
        raise EvaluationError(f"{option('allow')} must be {MISSING} for runs, got {min(others)!r}")
    old, *new = trec_reports(qrels, runs, question.measures.names or DEFAULTS)
    if not old.averaged:
        raise EvaluationError(f"no measure is a mean over queries, got {listed(list(old.measures))}; ask for others")
    pairs = [_pair(old, run, question) for run in new]
    found = judged([_differences(pair, question) for pair in pairs], question.confidence, question.margin)
    check_margin_names(question.margin, (item.measure for of_model in found for item in of_model))
    models = [
        ModelDifferences(pair.new.run, differences, risen=risen, fallen=fallen)
        for pair, differences in zip(pairs, found, strict=True)
        for risen, fallen in [_changed_queries(pair, question.changed)]
    ]
    every = [each for of_model in found for each in of_model]
    notes = [*_notes(pairs, question), *notes_of_tests(every, question, "all queries", f"measure{and_model(models)}")]
    return ComparisonAnswer(old.run, models, {pair.new.run: pair.counts for pair in pairs}, notes)


def _pair(old: TrecReport, new: TrecReport, question: Question) -> _Pair:
    """Return the queries of both runs; raises EvaluationError if one lacks queries of the other, unless allowed."""
    first, second = ({str(query): row for row, query in enumerate(run.result.groups.tolist())} for run in (old, new))
    for name, own, other in ((old.run, first, second), (new.run, second, first)):
        lacking = [query for query in other if query not in own]
        if lacking and MISSING not in question.allow:
            raise EvaluationError(
                f"{old.run} and {new.run} must have the same queries, but {name} lacks {len(lacking):,} of the other "
                f"({listed(lacking, _LISTED)}); {text_option('allow', MISSING)} compares the queries of both"
            )
    queries = [query for query in first if query in second]
    if not queries:
        raise EvaluationError(f"{old.run} and {new.run} must have a query in common, got none")
    return _Pair(old, new, queries, *(np.array([own[query] for query in queries]) for own in (first, second)))


def _differences(pair: _Pair, question: Question) -> list[MeasureDifference]:
    found = []
    for name, measure in pair.old.averaged:
        new, old = pair.values(measure)
        defined = ~np.isnan(new) & ~np.isnan(old)
        if not defined.any():
            nothing = Comparison(
                (np.nan, np.nan), np.nan, np.nan, np.nan, question.confidence, np.nan, np.nan, "paired-t"
            )
            found.append(MeasureDifference(name, name, nothing))
            continue
        new, old = new[defined], old[defined]
        error = float(np.std(new - old, ddof=1) / np.sqrt(new.size)) if new.size > 1 else np.nan
        freedom = np.inf if question.method == "permutation" else new.size - 1.0
        highest = parse(measure).highest
        tested = cut_to_possible(compare_values(new, old, question), -highest, highest)
        found.append(MeasureDifference(name, name, tested, error, freedom=freedom))
    return found


def compare_values(new: FloatArray, old: FloatArray, question: Question) -> Comparison:
    """Compare values of queries, (g,) each, by the method of a question.  O(g) for each resample."""
    if question.method == "permutation":
        return permutation_test(old, new, level=question.confidence, resamples=question.resamples, seed=question.seed)
    differences = new - old
    if question.method == BOOTSTRAP:  # the same resamples for all measures that all queries have
        drawn = measure_resamples(
            lambda counts: np.asarray(counts @ differences / differences.size),
            draw_units(differences.size),
            generators(question.seed, question.resamples),
            question.resamples,
        )
        estimates = float(new.mean()), float(old.mean())
        return compare_resampled(estimates, drawn, question.confidence, np.inf, units=differences.size)
    found = paired_t_test(old, new, level=question.confidence)
    if question.method != WILCOXON:
        return found
    statistic, p_value, rounded = 0.0, 1.0, np.round(differences, _ROUNDING)
    if rounded.any():
        statistic, p_value = map(float, require("scipy.stats", "inference").wilcoxon(rounded))
    return replaced(found, statistic=statistic, p_value=p_value, method="paired-t, Wilcoxon's p")


def _changed_queries(pair: _Pair, most: int) -> tuple[list[ChangedCase], list[ChangedCase]]:
    """Return the queries whose first measure rose most, and those whose fell most.  O(queries)."""
    new, old = pair.values(pair.old.averaged[0][1])
    change, relevant = new - old, pair.new.result.positives[pair.new_rows]

    def cases(sign: int) -> list[ChangedCase]:
        rows = np.flatnonzero(sign * change > 0)
        rows = rows[largest(sign * change[rows], most)]
        return [
            ChangedCase(pair.queries[row], *(column[row].item() for column in (relevant, old, new)))
            for row in rows.tolist()
        ]

    return cases(1), cases(-1)


_SAID: dict[str, str] = {
    "analytic": "intervals and p-values are from Student's t test, paired by query",
    WILCOXON: "p-values are from Wilcoxon's signed ranks of the queries, intervals from Student's t distribution",
    "permutation": "intervals and p-values are from Fisher's randomisation test, which swaps the runs query by query",
    "bootstrap": "intervals and p-values are from resamples of the queries, expanded as Student's t distribution is",
}


def _notes(pairs: Sequence[_Pair], question: Question) -> list[str]:
    """Say how differences are tested, what queries are listed by, and which are compared."""
    name = pairs[0].old.averaged[0][0]
    said: list[Any] = [_SAID[question.method], f"the queries that changed most are those by the first measure, {name}"]
    said += [
        f"{run.run} lacks {len(run.missing):,} of the {run.judged:,} judged queries "
        f"({listed(list(map(str, run.missing)), _LISTED)}), which are not compared"
        for run in (pairs[0].old, *(pair.new for pair in pairs))
        if run.missing
    ]
    return said
