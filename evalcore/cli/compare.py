"""``evalcore compare``: two or more models on the same cases, and a gate."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evalcore.cli.asking import columns_of, gate_of, question_of
from evalcore.cli.errors import is_quiet
from evalcore.cli.output import Outputs, files_of_models, targets_of, write_answer, written
from evalcore.document.comparison import comparison_title
from evalcore.document.comparison_report import ComparisonReport
from evalcore.document.documents import Shown
from evalcore.document.formats import formats_of_comparison
from evalcore.document.tables import checked_digits
from evalcore.document.words.comparison import margin_sentences
from evalcore.errors import check, refuse
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.comparing import answer_tables
from evalcore.evaluation.differences import ComparisonAnswer
from evalcore.evaluation.files import check_memory
from evalcore.evaluation.measure_choice import BOOTSTRAPPED, Measures
from evalcore.evaluation.options import asked_periods
from evalcore.evaluation.progress import progress_bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_paired_question
from evalcore.evaluation.runs import answer_runs
from evalcore.evaluation.wording import listed
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.datasets import expand_paths, read_table
from evalcore.io.formats import STANDARD_INPUT, spoken_name

_OF_RUNS = {"allow", "changed", "measures", "level", "margin", "margin_level", "method", "resamples", "seed"}
"""Parameters that runs of ranked results take too."""


def write_comparison(*, old: str, new: Sequence[str], qrels: str | None, **asked: Any) -> None:
    """Compare the models in files, write what the options ask for, and end with exit code 1 if the gate fails."""
    targets, shown = targets_of(asked), Shown(asked.pop("full"), checked_digits(asked.pop("digits")))
    gate = gate_of(asked, as_typed=bool(asked["values"]))
    _check_options([old, *new], qrels, asked, gate.parts("measure"))
    files = files_of_models([old, *new])
    if qrels is not None:
        asked["label"] = Path(spoken_name(qrels)).name
    else:
        if not asked["values"]:
            asked["thresholds"] = tuple(dict.fromkeys((*asked["thresholds"], *gate.parts("threshold"))))
        asked["every"] = asked_periods(asked["by_time"], asked["every"])
        asked["show"] = columns_of(asked["show"], "--show")
        typed = (columns_of([value]) for value in asked["by"])
        fold = asked["fold"] = columns_of(asked["fold"], "--fold")
        of_gate = [each for each in gate.groupings if {*each} != {*fold}]
        why = f"because the folds are the groups; write 'any {', '.join(fold)}', or compare without --fold"
        refuse({f"--fail-if 'any {each[0]}: ...' cannot be combined with --fold, {why}": fold for each in of_gate})
        groupings = (*typed, *((column,) for column in asked["every"]), *filter(None, [fold]), *of_gate)
        asked["by"] = tuple(dict.fromkeys(columns if len(columns) > 1 else columns[0] for columns in groupings))
        asked["conditions"] = () if asked["values"] else gate.names
    measures, margin = Measures(tuple(asked["measures"])), margin_of(asked["margin"])
    allow = frozenset(word.strip() for words in asked["allow"] for word in words.split(","))
    question = question_of(asked, scores=tuple(asked["score"]), measures=measures, allow=allow, margin=margin)
    files_written = Outputs(targets, junit=gate.junit)
    if qrels is None:
        answer = _answer(question, files, files_written)
    else:
        files_written.check([qrels, *files.values()])
        answer = answer_runs(question, qrels, files)
    checked = ComparisonReport(answer, question).check(gate.conditions, gate.confident) if gate.conditions else None
    formats = formats_of_comparison(answer, question, checked, listed([*map(spoken_name, files.values())]))
    unprinted = written(targets, lambda target: write_answer(target, formats, shown))
    title, margins = comparison_title(answer, question), margin_sentences(answer, question)
    gate._replace(result=checked).end(title, targets, unprinted, margins)


def _answer(question: Question, files: Mapping[str, str], outputs: Outputs) -> ComparisonAnswer:
    """Compare models in tables, after a check of what is written and of the memory limit.  O(n log n)."""
    check_paired_question(question, len(files))
    outputs.check([file for table in files.values() for file in expand_paths([table], question.reading)])
    check_memory(question, list(files.values()))

    def read(name: str, selection: Selection) -> ColumnArrays:
        with progress_bar(f"reading {spoken_name(files[name])}", shown=not is_quiet()) as bar:
            return read_table(files[name], selection, bar)

    return answer_tables(question, list(files), read)


def _check_options(
    files: Sequence[str], qrels: str | None, asked: Mapping[str, Any], conditions: Sequence[str]
) -> None:
    """Raise UsageError for options that are missing, exclude each other, or would change nothing.  O(options).

    files: of the old model and the new ones; asked: values of options by the names of their parameters; conditions: the
    measures that these name.
    """
    given = {name for name, value in asked.items() if value not in (None, (), False)}
    options = click.get_current_context().command.params
    others = " and no ".join(option.opts[0] for option in options if option.name in given - _OF_RUNS)
    named = {*conditions, *(measure_name(name).measure for name in asked["measures"])}
    resampled = asked["method"] in ("bootstrap", "permutation") or not named.isdisjoint(BOOTSTRAPPED)
    refuse({
        "Only one file may be -: standard input can be read only once.": [*files, qrels].count(STANDARD_INPUT) > 1,
        "--qrels FILE needs two runs: evalcore compare OLD NEW --qrels FILE.": qrels is not None and len(files) == 1,
        f"--qrels FILE compares runs, which take no {others}; give one or the other.": qrels is not None and others,
        "Give --new-score COL, --predicted COL or --scores PREFIX of the new model, --value COL, or --qrels FILE for "
        "runs.": qrels is None and given.isdisjoint({"score", "predicted", "prefix", "values"}),
        "Give --label COL, the column of labels.": qrels is None and given.isdisjoint({"label", "values"}),
        "--resamples needs --method bootstrap or permutation.": "resamples" in given and not resampled,
        "--seed needs --method bootstrap or permutation.": "seed" in given and not resampled,
    })  # fmt: skip


def margin_of(given: Sequence[str]) -> float | dict[str, float] | None:
    """Return the margin of all measures, or those of some by name; None for none.  O(margins).

    >>> margin_of(["0.01"]), margin_of(["roc_auc=0.005", "recall=0.02"])
    (0.01, {'roc_auc': 0.005, 'recall': 0.02})
    """
    found = dict(map(_named_margin, given))
    holds, rule = len(found) == len(given) and not ("" in found and found.keys() - {""}), "be one number, or NAME=M"
    check(holds, "--margin", f"{rule} once for each measure", f"{' and '.join(map(repr, given))}.")
    return found.get("", found or None)


def _named_margin(text: str) -> tuple[str, float]:
    """Return the measure that a margin is of, empty for all, and the margin.  O(letters)."""
    name, _, number = text.rpartition("=")
    try:
        return name.strip(), float(number if name.strip() else text)  # which is no number where a name lacks
    except ValueError:
        way_out = "; repeat --margin for several measures" if "," in text else ""
        rule = "be a number, or NAME=M such as roc_auc=0.005"
        raise click.UsageError(f"--margin must {rule}, got {text!r}{way_out}.") from None
