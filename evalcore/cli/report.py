"""``evalcore report``: a report on predictions in files."""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import click

from evalcore.cli import asking
from evalcore.cli.errors import is_quiet, tell
from evalcore.cli.option_parsing import OF_ONE_LABEL
from evalcore.cli.output import Outputs, about, read_once, targets_of, title_of, write_answer, written
from evalcore.document.documents import Shown
from evalcore.document.formats import formats_of_report
from evalcore.document.tables import checked_digits
from evalcore.errors import counting_rows_of_text, refuse
from evalcore.evaluation import measure_choice
from evalcore.evaluation.files import answer_files
from evalcore.evaluation.model import Answer
from evalcore.evaluation.options import asked_periods
from evalcore.evaluation.progress import progress_bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import target_of_text
from evalcore.io.formats import DELIMITERS, named_format


def write_report(*, files: Sequence[str], **asked: Any) -> None:
    """Answer the question that the options ask of files, and write what they ask for."""
    gate, targets = asking.gate_of(asked, as_typed=bool(asked["values"])), targets_of(asked)
    if asked["scores"]:
        of_texts = tuple(map(target_of_text, asked["targets"]))
        asked["measures"], at, reached = measure_choice.at_thresholds(asked["measures"], asked["thresholds"], of_texts)
        _, asked["thresholds"], asked["targets"] = measure_choice.at_thresholds(gate.names, at, reached)
    asked["every"] = asked_periods(asked["by_time"], asked["every"])
    asked["show"] = asking.columns_of(asked["show"], "--show")
    asked["fold"] = asking.columns_of(asked["fold"], "--fold")
    asked["by"] = (*asking.columns_of(asked["by"]), *asked["every"], *asked["fold"]) or next(iter(gate.groupings), ())
    asked["also_by"] = tuple({frozenset(each): each for each in gate.groupings if {*each} != {*asked["by"]}}.values())
    question = _question(asked, gate.depths)._replace(conditions=gate.names)
    outputs = Outputs(targets, asked["folder"], gate.junit)
    refuse({
        "--no-matrix needs --predicted COL or scores of classes.": question.scores and not question.matrix,
        "--no-script needs --output FILE.html or --format html.": asked["no_script"] and not outputs.has_page,
    })  # fmt: skip
    shown, files = Shown(bool(asked["full"]), checked_digits(asked["digits"])), read_once(files)
    title = title_of(files)
    before = asking.baseline_of(gate, asked["baseline"], question, outputs)
    as_in_file = files[1:] == [] and named_format(files[0]) in DELIMITERS and os.path.isfile(files[0])
    counting = counting_rows_of_text() if as_in_file and question.rows.are_all else nullcontext()
    with counting, progress_bar(f"reading {title}", shown=not is_quiet()) as bar:
        kept = {"plots": outputs.plots is not None, "drawn": outputs.draws}
        found = answer_files(question, files, bar, check=outputs.check, **kept)
    gate = asking.checked_report(gate, found, question, before)
    answer = _with_outcome(found, gate)
    formats = formats_of_report(answer, question, gate=gate.result, title=title, about=about(files))
    unprinted = written(targets, lambda target: write_answer(target, formats, shown, script=not asked["no_script"]))
    if all(target.style == "csv" for target in targets):  # its rows have no place for notes
        list(map(tell, found.notes))
    outputs.write_plots(formats.plots)
    if outputs.draws:
        from evalcore.document.charts.plots import missing  # now: tables alone need no plots

        list(map(tell, missing(answer.whole, question)))
    gate.end(title, targets, unprinted)


def _with_outcome(answer: Answer, gate: asking.Gate) -> Answer:
    """Return an answer with the note on a baseline before its own, and changes, in what it completes to as well."""
    complete = None if answer.complete is None else lambda: _with_outcome(answer.whole, gate)
    notes = (*([gate.baseline.note] if gate.baseline else []), *answer.notes)
    return answer._replace(notes=notes, changes=gate.changes, complete=complete)


def _question(asked: Mapping[str, Any], further: Sequence[int]) -> Question:
    """Return the question that options ask, by the names of their parameters; EvaluationError for what conflicts.

    further: depths that conditions need.
    """
    scores, predicted = asked["scores"], asked["predicted"]
    of_classes = _check_kind(scores, asked["prefix"], predicted, asked["values"])
    refuse({"Give --label COL, the column of labels.": asked["label"] is None and not asked["values"]})
    if predicted is not None or of_classes:
        options = [each for each in click.get_current_context().command.params if each.name in OF_ONE_LABEL]
        refuse({f"{each.opts[0]} needs --score COL.": asked[each.name or ""] not in (None, ()) for each in options})
    refuse({"--seed needs --sample N.": asked["seed"] is not None and asked["sample"] is None})
    depths = None if asked["at_k"] is None else asking.numbers_of(asked["at_k"], int, 1)
    if further and predicted is None and not isinstance(depths, str):
        family = measure_choice.TOP_ACCURACY if of_classes else measure_choice.PRECISION_AT
        usual = () if asked["measures"] else measure_choice.DEFAULT_DEPTHS[family]
        depths = (*(usual if depths is None else depths), *further)
    decided, costed = bool(asked["thresholds"] or asked["targets"]), asked["costs"] is not None
    how = {"of_classes": of_classes, "decided": decided, "costed": costed}
    changed = {
        "predicted": () if predicted is None else (predicted,),
        "scores": () if of_classes else tuple(scores),
        "classes": dict(score.split("=", 1) for score in scores) if of_classes else None,
        "measures": measure_choice.asked_measures(asked["measures"], depths, **how),
    }
    return asking.question_of(asked, **changed, matrix=not asked["no_matrix"], seed=0)


def _check_kind(scores: Sequence[str], prefix: str | None, predicted: str | None, values: Sequence[str]) -> bool:
    """Return whether options name scores of classes, and no other kind of columns; refuse several kinds."""
    named = (f"{flag} {name}" for flag, name in (("--scores", prefix), ("--predicted", predicted)) if name is not None)
    given = [*(f"--score {name}" for name in scores[:1]), *named, *(f"--value {name}" for name in values[:1])]
    by_class = [score.partition("=")[0] for score in scores if "=" in score]
    are_alike = len(given) < 2 or (len(given) == 2 and predicted is None and len(by_class) == len(scores))
    refuse({
        "Give one of --score COL, --score CLASS=COL, --scores PREFIX, --predicted COL and --value COL; evalcore "
        "columns FILE shows what there is.": not given,
        f"Give only one of {', '.join(given[:-1])} and {''.join(given[-1:])}.": not are_alike,
        "Give all --score options as CLASS=COL, or none.": by_class and len(by_class) < len(scores),
        "Give only one --score for each class.": len({*by_class}) < len(by_class),
    })  # fmt: skip
    return prefix is not None or bool(by_class)
