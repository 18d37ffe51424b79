"""The arguments of `evalcore.evaluate` that name columns, checked."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.validation.values import check_label


class NamedColumns(NamedTuple):
    """What arguments name."""

    scores: tuple[str, ...]
    """Columns of scores of one label."""
    classes: dict[str, str] | None
    """Columns of scores by the names of classes."""
    positive: str | None
    """The positive label as text."""


def named_columns(
    label: Any, score: Any, predicted: Any, of_one_label: Mapping[str, Any], *, matrix: bool, **others: Any
) -> NamedColumns:
    """Return what arguments of `evaluate` name; of_one_label: those that need scores of one label.  O(columns).

    others: by, text, weight and cluster.  Raises EvaluationError or EvaluationTypeError for arguments that do not fit.
    """
    for argument, value in {"label": label, "score": score, "predicted": predicted, **others}.items():
        refuse_columns(argument, value)
    if score is not None and predicted is not None:
        raise EvaluationError("evaluate takes score or predicted, got both; give only one of them")
    if score is None and predicted is None:
        raise EvaluationError("evaluate needs either score or predicted")
    named = named_positive(of_one_label["positive"], of_one_label["pos_label"], "evaluate")
    classes = dict(score.items()) if isinstance(score, Mapping) else None
    _check_kind(of_one_label, matrix, of_classes=bool(classes or predicted))
    if not isinstance(score, str | Mapping | Sequence | None):
        raise EvaluationTypeError(f"score must be a string, a sequence of strings or a mapping, got {score!r}")
    scores = names_of(None if isinstance(score, Mapping) else score)
    for argument in ("by", "text"):
        if not isinstance(others[argument], str | Sequence | None):
            raise EvaluationTypeError(f"{argument} must be a string or a sequence of strings, got {others[argument]!r}")
    single = (name for name in (predicted, others["weight"], others["cluster"]) if name is not None)
    for name in (label, *scores, *(classes or {}).values(), *names_of(others["by"]), *single):
        if not isinstance(name, str):
            raise EvaluationTypeError(f"names of columns must be strings, got {name!r}")
    if score is not None and not (scores or classes):
        raise EvaluationError("score must name at least one column")
    return NamedColumns(scores, classes, named)


def _check_kind(of_one_label: Mapping[str, Any], matrix: bool, *, of_classes: bool) -> None:
    """Raise EvaluationError for arguments that do not fit reports on classes, or fit no others.  O(1)."""
    given = [name for name, value in of_one_label.items() if value is not None]
    if of_classes and given:
        needs = "needs" if len(given) == 1 else "need"
        raise EvaluationError(f"{' and '.join(given)} {needs} columns of scores of one label")
    if not (of_classes or matrix):
        raise EvaluationError("matrix=False needs predicted, or score as a mapping of classes to columns")


def refuse_columns(argument: str, value: Any) -> None:
    """Raise EvaluationTypeError for a column itself where its name belongs.  O(1)."""
    if hasattr(value, "__array__") and not isinstance(value, str):
        kind = "a Series" if type(value).__name__ == "Series" else "an array"
        raise EvaluationTypeError(
            f"{argument} must be the name of a column, got {kind}; put it into the frame as a column, and give its name"
        )


def named_positive(positive: Any, pos_label: Any, function: str) -> str | None:
    """Return the positive label, which has two names, as text; None if it is not given.  O(1)."""
    if positive is not None and pos_label is not None:
        raise EvaluationError("positive and pos_label mean the same; give only one of them")
    given = positive if pos_label is None else pos_label
    check_label(given, "positive", function)
    return None if given is None else str(given)


def names_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return one name, several or none.  O(names)."""
    return (given,) if isinstance(given, str) else tuple(given or ())
