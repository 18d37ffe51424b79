"""The arguments of `evalcore.evaluate`: checked, and made a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.rows import Rows
from evalcore.report.asked_thresholds import asked_targets, asked_thresholds
from evalcore.report.costs import checked_costs
from evalcore.report.grouping import Grouping
from evalcore.report.measure_choice import asked_measures
from evalcore.report.question import Question
from evalcore.report.weighting import Weighting
from evalcore.validation.values import check_label


def question_of(
    *,
    label: str,
    score: str | Sequence[str] | Mapping[str, str] | None,
    predicted: str | None,
    positive: Any,
    pos_label: Any,
    threshold: Any,
    threshold_for: Any,
    costs: tuple[float, float] | None,
    by: str | Sequence[str] | None,
    level: float | None,
    compare: str | None,
    ci_method: str | None,
    proportion_method: str | None,
    groups: int | None,
    grouping: Grouping,
    matrix: bool,
    rows: Rows,
    text: str | Sequence[str] | None,
    measures: Any,
    at_k: Any,
    weighting: Weighting,
    cluster: str | None,
) -> Question:
    """Return the question that arguments ask.  Raises EvaluationError or EvaluationTypeError.  O(columns)."""
    columns = {"label": label, "score": score, "predicted": predicted, "by": by, "text": text}
    for argument, value in {**columns, "weight": weighting.column, "cluster": cluster}.items():
        refuse_columns(argument, value)
    if score is not None and predicted is not None:
        raise EvaluationError("evaluate takes score or predicted, got both; give only one of them")
    if score is None and predicted is None:
        raise EvaluationError("evaluate needs either score or predicted")
    named = named_positive(positive, pos_label, "evaluate")
    classes = dict(score.items()) if isinstance(score, Mapping) else None
    of_one_label = {"positive": positive, "pos_label": pos_label, "threshold": threshold,
                    "threshold_for": threshold_for, "costs": costs,
                    "compare": compare}  # fmt: skip
    _check_kind(of_one_label, matrix, of_classes=bool(classes or predicted))
    if not isinstance(score, str | Mapping | Sequence | None):
        raise EvaluationTypeError(f"score must be a string, a sequence of strings or a mapping, got {score!r}")
    scores = _names(None if isinstance(score, Mapping) else score)
    for argument, names in {"by": by, "text": text}.items():
        if not isinstance(names, str | Sequence | None):
            raise EvaluationTypeError(f"{argument} must be a string or a sequence of strings, got {names!r}")
    single = (name for name in (predicted, weighting.column, cluster) if name is not None)
    for name in (label, *scores, *(classes or {}).values(), *_names(by), *single):
        if not isinstance(name, str):
            raise EvaluationTypeError(f"names of columns must be strings, got {name!r}")
    if score is not None and not (scores or classes):
        raise EvaluationError("score must name at least one column")
    return Question(
        label, scores, classes, None, predicted, named, asked_thresholds(threshold), _names(by), level, groups,
        compare=compare, costs=None if costs is None else checked_costs(costs), matrix=matrix, grouping=grouping,
        targets=asked_targets(threshold_for), rows=rows, text=_names(text), weighting=weighting, ci_method=ci_method,
        proportion_method=proportion_method, cluster=cluster,
        measures=asked_measures(
            measures, at_k, of_classes=bool(classes), decided=threshold is not None or bool(threshold_for),
            costed=costs is not None,
        ),
    )  # fmt: skip


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


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
