"""``evalcore trec``: a report on runs of TREC."""

from collections.abc import Sequence
from typing import Any

from evalcore.cli.asking import gate_of
from evalcore.cli.errors import tell
from evalcore.cli.output import Outputs, Target, about, named_file, read_once, targets_of, title_of, written
from evalcore.document.exports import as_tree
from evalcore.errors import check, refuse
from evalcore.evaluation import runs as of_runs
from evalcore.evaluation.model import RUNS, Answer, Section
from evalcore.evaluation.statistics.trec import ALL, DEFAULTS, TrecReport, as_trec, trec_reports
from evalcore.gate.numbers import GatedNumber, numbers_of_record
from evalcore.io.formats import STANDARD_INPUT


def write_trec(
    *, qrels: str, runs: Sequence[str], measures: Sequence[str], per_query: bool, complete: bool, **asked: Any
) -> None:
    """Evaluate runs, write what the options ask for, and end with exit code 1 if the gate fails."""
    gate, targets, files = gate_of(asked, as_typed=True), targets_of(asked), _files_by_name(runs)
    level, compare, test, grade = (asked[name] for name in ("level", "compare", "test", "relevance_level"))
    of_trec = any(target.style == "trec" for target in targets)
    with_intervals = any(target.style != "trec" for target in targets) or bool(gate.conditions)
    needed = "--format table, json, csv or markdown; lines of trec_eval have no intervals"
    refuse({
        f"--ci needs {needed}.": level is not None and not with_intervals,
        "--versus needs --ci LEVEL.": compare is not None and level is None,
        "--method needs --ci LEVEL.": test is not None and level is None,
        "--versus needs several runs.": compare is not None and len(files) == 1,
    })  # fmt: skip
    is_read_twice = qrels == STANDARD_INPUT and qrels in files.values()
    refuse({"QRELS and RUN must not both be -: standard input can be read only once": is_read_twice})
    Outputs(targets, junit=gate.junit).check([qrels, *files.values()])
    measures = [*(measures or DEFAULTS), *gate.names] if gate.conditions else measures
    how: dict[str, Any] = {"ties": asked["ties"], "relevance_level": grade, "find_ties": of_trec}
    reports = trec_reports(qrels, files, measures, complete=complete, **how)
    for said in of_runs.doubts(reports, grade, complete=complete):
        tell(said)
    method: Any = "analytic" if test in (None, "t") else test
    tests = of_runs.TESTED._replace(level=level, compare=compare or "first", method=method)
    found = Answer([])
    if with_intervals:
        found = of_runs.runs_answer(reports, per_query, None if level is None else tests)
        gate = gate.judged(_numbers(reports, found.sections))
    names = [report.run for report in reports]
    title = f"{title_of(names)}: {qrels}"
    in_json: dict[str, Any] = {**about(names), "qrels": qrels}
    if of_runs.has_intervals(found.sections):
        title += f", with {100 * tests.confidence:g}% intervals"
        in_json |= {"level": level, **({"compare": tests.compare} if names[1:] else {}), "test": test or "t"}

    def write(target: Target) -> None:
        if target.style == "trec":
            target.write("\n".join(as_trec(report, per_query, named=len(reports) > 1) for report in reports))
        else:
            gate.write(target, found.sections, found.notes, title, in_json)

    gate.end(title_of(list(files)), targets, written(targets, write))


def _numbers(reports: Sequence[TrecReport], sections: Sequence[Section]) -> list[GatedNumber]:
    """Return the numbers of runs, of all queries."""
    tree = as_tree(sections)
    records = tree.get(RUNS) or {reports[0].run: tree["queries"]}
    return [number for run, record in records.items() for number in numbers_of_record(run, record.get(ALL, record))]


def _files_by_name(runs: Sequence[str]) -> dict[str, str]:
    """Return the files of runs, each once, by their names: those of NAME=FILE, unless a file is called so."""
    names = {file: name for name, file in reversed([*map(named_file, runs)])}
    files: dict[str, str] = {}
    for file in read_once([file for _, file in map(named_file, runs)]):
        check(names[file] not in files, "runs", "have different names", f"{names[file]!r} twice.")
        files[names[file]] = file
    return files
