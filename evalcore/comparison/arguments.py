"""The arguments of `evalcore.compare`: checked, and made a question."""

from collections.abc import Iterable, Sequence
from typing import Any

from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.report.arguments import named_positive, refuse_columns
from evalcore.report.asked_thresholds import asked_thresholds


def question_of_comparison(
    *,
    label: str,
    score: str | Sequence[str] | None,
    predicted: str | Sequence[str] | None,
    on: str | Sequence[str] | None,
    allow: str | Iterable[str],
    positive: Any,
    pos_label: Any,
    measures: str | Sequence[str] | None,
    threshold: Any,
    by: str | Sequence[str | Sequence[str]] | None,
    text: str | Sequence[str] | None,
    **others: Any,
) -> CompareQuestion:
    """Return the question that arguments ask.  Raises EvaluationError or EvaluationTypeError.  O(columns)."""
    several = {"score": score, "predicted": predicted, "on": on, "text": text, "measures": measures}
    single = {name: others[name] for name in ("old_score", "old_predicted", "cluster")}
    single |= {"label": label, "weight": others["weighting"].column}
    for argument, value in (*several.items(), ("by", by), *single.items()):
        refuse_columns(argument, value)
    names: dict[str, Any] = {argument: _names(argument, value) for argument, value in several.items()}
    names["by"] = _groupings(by)
    for argument, value in single.items():
        if not isinstance(value, str | None) or (argument == "label" and value is None):
            raise EvaluationTypeError(f"{argument} must be the name of a column, got {value!r}")
    for argument in ("score", "predicted"):
        if several[argument] is not None and not names[argument]:
            raise EvaluationError(f"{argument} must name at least one column")
    return CompareQuestion(
        label,
        positive=named_positive(positive, pos_label, "compare"),
        thresholds=asked_thresholds(threshold),
        allow=frozenset((allow,) if isinstance(allow, str) else allow),
        **names,
        **others,
    )


def _groupings(given: Any) -> tuple[str | tuple[str, ...], ...]:
    """Return the column of each grouping, or its columns, of which combinations are groups.  O(names)."""
    if not isinstance(given, list | tuple):
        return _names("by", given)
    if [] in given or () in given:
        raise EvaluationError(f"by must name at least one column for each grouping, got {given!r}")
    return tuple(_names("by", each) if isinstance(each, list | tuple) else _names("by", (each,))[0] for each in given)


def _names(argument: str, given: Any) -> tuple[str, ...]:
    """Return the names of an argument that takes one or several.  O(names)."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Sequence | None) or isinstance(given, bytes):
        raise EvaluationTypeError(f"{argument} must be a string or a sequence of strings, got {given!r}")
    for name in given or ():
        if not isinstance(name, str):
            raise EvaluationTypeError(f"{argument} must hold strings, got {name!r}")
    return tuple(given or ())
