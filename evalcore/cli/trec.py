"""``evalcore trec``: a report on runs of TREC."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.cli.errors import tell
from evalcore.cli.gating import Outcome, gate_of, judged
from evalcore.cli.output import Target, about, named_file, read_once, targets_of, title_of, write_sections
from evalcore.errors import EvaluationError, check, refuse
from evalcore.evaluation import runs as of_runs
from evalcore.evaluation.model import RUNS, Section
from evalcore.evaluation.statistics.trec import ALL, DEFAULTS, TrecReport, as_trec, trec_reports
from evalcore.gate.numbers import GatedNumber, numbers_of_record
from evalcore.io.formats import STANDARD_INPUT
from evalcore.report.outputs import Outputs
from evalcore.report.rendering import as_tree


def write_trec(
    *,
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    per_query: bool,
    complete: bool,
    level: float | None,
    compare: str | None,
    test: str | None,
    **asked: Any,
) -> None:
    """Evaluate runs, write what the options ask for, and end with exit code 1 if the gate fails."""
    gate = gate_of(asked, as_typed=True)
    targets = targets_of(asked)
    files = _files_by_name(runs)
    method: Any = "analytic" if test in (None, "t") else test
    tests = of_runs.TESTED._replace(level=level, compare=compare or "first", method=method)
    of_trec = [target for target in targets if target.style == "trec"]
    with_intervals = len(of_trec) < len(targets) or bool(gate.conditions)
    reasons = {
        "--ci needs --format table, json, csv or markdown; lines of trec_eval have no intervals.": (
            level is not None and not with_intervals
        ),
        "--versus needs --ci LEVEL.": compare is not None and level is None,
        "--method needs --ci LEVEL.": test is not None and level is None,
        "--versus needs several runs.": compare is not None and len(files) == 1,
    }
    refuse(reasons)
    if qrels == STANDARD_INPUT and qrels in files.values():
        raise EvaluationError("QRELS and RUN must not both be -: standard input can be read only once")
    Outputs(targets, junit=gate.junit).check([qrels, *files.values()])
    measures = [*(measures or DEFAULTS), *gate.names] if gate.conditions else measures
    level_of_grades = asked["relevance_level"]
    how: dict[str, Any] = {"ties": asked["ties"], "relevance_level": level_of_grades, "find_ties": bool(of_trec)}
    reports = trec_reports(qrels, files, measures, complete=complete, **how)
    for report in reports:
        if not complete and (said := of_runs.missing_queries(report)):
            tell(said)
    if said := of_runs.relevance_above(reports[0], level_of_grades):
        tell(said)
    if of_trec and (said := of_runs.tied_runs(reports)):
        tell(said)
    for target in of_trec:
        target.write("\n".join(as_trec(report, per_query, named=len(reports) > 1) for report in reports))
    gated = Outcome(gate)
    if with_intervals:
        found = of_runs.runs_answer(reports, per_query, None if level is None else tests)
        gated = judged(gate, _numbers(reports, found.sections))
        _write_answer(
            [target for target in targets if target.style != "trec"],
            found,
            [report.run for report in reports],
            qrels,
            tests={"level": level, "compare": tests.compare, "test": test or "t"} if found.has_intervals else {},
            gated=gated,
        )
    gated.end(title_of(list(files)), targets)


def _numbers(reports: Sequence[TrecReport], sections: Sequence[Section]) -> list[GatedNumber]:
    """Return the numbers of runs, of all queries."""
    tree = as_tree(sections)
    records = tree.get(RUNS) or {reports[0].run: tree["queries"]}
    return [number for run, record in records.items() for number in numbers_of_record(run, record.get(ALL, record))]


def _write_answer(
    targets: Sequence[Target],
    found: of_runs.RunsAnswer,
    names: Sequence[str],
    qrels: str,
    *,
    tests: Mapping[str, Any],
    gated: Outcome,
) -> None:
    """Write the answer on runs of these names in formats of reports."""
    title, said = f"{title_of(names)}: {qrels}", [*gated.notes, *found.notes]
    asked: dict[str, Any] = {**about(names), "qrels": qrels}
    if tests:
        title += f", with {100 * tests['level']:g}% intervals"
        asked |= {name: value for name, value in tests.items() if name != "compare" or names[1:]}
    for target in targets:
        write_sections(target, found.sections, lambda _hidden: said, title, in_full=True, **asked, **gated.in_json)


def _files_by_name(runs: Sequence[str]) -> dict[str, str]:
    """Return the files of runs, each once, by their names: those of NAME=FILE, unless a file is called so."""
    names = {file: name for name, file in reversed([*map(named_file, runs)])}
    files: dict[str, str] = {}
    for file in read_once([file for _, file in map(named_file, runs)]):
        check(names[file] not in files, "runs", "have different names", f"{names[file]!r} twice.")
        files[names[file]] = file
    return files
