"""Checks of arguments and of a question before anything is read: what is invalid, or does not fit each other."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, refuse, shown
from evalcore.evaluation.catalogue import MEASURES, catalogue_name, entry_of
from evalcore.evaluation.differences import check_margin, check_margin_names
from evalcore.evaluation.grouping import SORTED
from evalcore.evaluation.measure_choice import score_measures
from evalcore.evaluation.options import (
    ALLOWED,
    BOOTSTRAP,
    CI_METHODS,
    COMPARED,
    DIFFERENCE_METHODS,
    FREQUENCY,
    METHODS,
    METHODS_OF_CLASSES,
    PROPORTION_METHODS,
    option,
    text_option,
)
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import check_thresholds
from evalcore.evaluation.weighting import check_weighting
from evalcore.inference.intervals import checked_level
from evalcore.io.rows import checked_rows
from evalcore.optional import require
from evalcore.validation.values import check_count, check_integer, check_label


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
        check(isinstance(name, str), "names of columns", "be strings", repr(name), EvaluationTypeError)
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


def check_question(question: Question) -> None:
    """Raise EvaluationError for invalid options or options that do not fit, and for columns in two roles.  O(1)."""
    if question.level is not None:
        checked_level(question.level, option("ci"))
    if question.groups is not None and check_integer(question.groups, option("groups")) < 1:
        raise EvaluationError(f"{option('groups')} must be at least 1, got {question.groups}")
    if question.groups is not None and not question.by:
        raise EvaluationError(f"{option('groups')} needs {option('by')}, which names the column of groups")
    _check_rows(question, question.scores)
    compared = "roc_auc" if question.scores else "accuracy"
    if question.compare_groups and not question.measures.wants(compared):
        raise EvaluationError(f"{option('compare_groups')} compares groups by {compared}; name this measure too")
    check(not _repeats(question.by), "columns of groups", "be distinct", _listed(question.by))
    _check_intervals(question)
    if question.compare_groups and question.weighting.of_samples:
        raise EvaluationError(
            f"{option('compare_groups')} takes no sampling weights: leave it out and compare the intervals of groups, "
            f"or give frequencies ({text_option('weight_type', FREQUENCY)})"
        )
    _check_cluster(question)
    if not question.of_classes and question.label in question.columns:
        raise EvaluationError(f"{option('score')} must not be the column of labels, got {question.label!r}")
    known = {question.label, *question.predicted, question.cluster, *question.group_columns}
    _check_text(question, known.difference(question.scores), "labels, predictions, groups or clusters")
    check(not _repeats(question.scores), "columns of scores", "be distinct", _listed(question.scores))


def _repeats(names: Collection[Any]) -> bool:
    return len(set(names)) < len(names)


def _listed(names: Collection[Any]) -> str:
    return ", ".join(map(repr, names))


def check_paired_question(question: Question, tables: int) -> None:
    """Raise EvaluationError for invalid options or options that do not fit; tables: their number.  O(options)."""
    _check_models(question, tables)
    _check_rows(question, () if question.of_classes else question.scores)
    for group in (question.by, *question.groupings.values()):
        check(not _repeats(group), option("by"), "name distinct columns", _listed(group))
    check_tests(question, METHODS_OF_CLASSES if question.of_classes else METHODS)
    if not question.of_classes:
        names = question.measures.names
        possible = score_measures(names, question.thresholds, question.conditions, probabilities=True)
        check_margin_names(question.margin, (measure.name for measure in possible))
    predicted = (question.old_column, *question.predicted) if question.of_classes else ()
    known = {*question.case_columns, *question.on, *predicted} - {question.weighting.column}
    _check_text(question, known, "ids, labels, predictions, groups or clusters")


def _check_rows(question: Question, scores: tuple[str, ...]) -> None:
    """Raise EvaluationError for invalid thresholds, groups, conditions on rows and weights; scores: of one label."""
    check_thresholds(question.thresholds, question.targets)
    _check_groups(question, scores)
    checked_rows(question.rows, option)
    old = filter(None, [question.old_score, question.old_predicted])
    others = (question.label, *question.group_columns, *old, *question.columns, *question.on)
    check_weighting(question.weighting, others, of_one_label=bool(scores))


def _check_groups(question: Question, scores: tuple[str, ...]) -> None:
    """Raise EvaluationError for invalid options of groups, and for options without what they need.  O(options)."""
    least, sort = question.min_cases, question.sort
    for name, given in (("min_cases", least), ("sort", sort), ("compare_groups", question.compare_groups or None)):
        if given is not None and not question.by:
            raise EvaluationError(f"{option(name)} needs {option('by')}, which names the column of groups")
    if question.compare_groups and question.level is None:
        raise EvaluationError(f"{option('compare_groups')} needs {option('ci')}, the level of the intervals")
    if question.compare_groups and scores:
        require("scipy.special", "inference")  # before files are read
    if least is not None and check_integer(least, option("min_cases")) < 1:
        raise EvaluationError(f"{option('min_cases')} must be at least 1, got {least}")
    if sort is not None and sort not in SORTED and entry_of(catalogue_name(sort)) is None:
        known, near = f"{', '.join(SORTED)} or the name of a statistic", did_you_mean(sort, [*SORTED, *MEASURES])
        raise EvaluationError(f"{option('sort')} must be {known}, got {sort!r}{near}")


def _check_text(question: Question, known: Collection[str | None], what: str) -> None:
    refuse({f"{option('text')} must name columns of {what}, got {name!r}": name not in known for name in question.text})


def _check_choice(question: Question, name: str, known: Sequence[str]) -> None:
    """Raise EvaluationError for an option of intervals that is unknown, or without their level.  O(1)."""
    given = getattr(question, name)
    if given is not None and given not in known:
        raise EvaluationError(f"{option(name)} must be one of {', '.join(known)}, got {given!r}")
    if given is not None and question.level is None:
        raise EvaluationError(f"{option(name)} needs {option('ci')}, the level of the intervals")


def _check_intervals(question: Question) -> None:
    _check_choice(question, "compare", COMPARED)
    if question.compare not in (None, "none") and not question.measures.wants("roc_auc"):
        raise EvaluationError(f"{option('compare')} compares models by roc_auc; name this measure too")
    _check_choice(question, "ci_method", CI_METHODS)
    if question.ci_method is not None:
        name, wanted = option("ci_method"), question.measures.wants("roc_auc")
        refuse({
            f"{name} chooses the interval of ROC AUCs, which need scores, got predicted classes": question.of_classes,
            f"{name} needs scores of one label, or no {option('by')}": not question.scores and question.by,
            f"{name} chooses the interval of roc_auc; name this measure too": not wanted,
        })  # fmt: skip
    _check_choice(question, "proportion_method", PROPORTION_METHODS)


def _check_cluster(question: Question) -> None:
    """Raise EvaluationError for a column of clusters that has another role, or where no interval takes clusters."""
    if question.cluster is None:
        return
    name, others = option("cluster"), (question.label, *question.columns, question.weighting.column)
    refuse({
        f"{name} needs {option('ci')}, the level of the intervals": question.level is None,
        f"{name} must be a column of its own, got {question.cluster!r}, which has another role": (
            question.cluster in others
        ),
        f"{name} takes no {option('target_prevalence')}; leave one of them out": (
            question.weighting.target_prevalence is not None
        ),
        f"{name} takes no {option('compare_groups')}; leave one of them out": question.compare_groups,
    })  # fmt: skip


def _check_models(question: Question, tables: int) -> None:
    """Raise EvaluationError unless columns of one kind are named, of the old model where that is needed.  O(models)."""
    given, on, label = question.columns, question.on, question.label
    score, predicted, both = option("score"), option("predicted"), question.scores and question.predicted
    refuse({
        f"compare takes {score} or {predicted}, got both; give only one of them": both,
        f"compare needs either {score} or {predicted}": not given,
    })  # fmt: skip
    kind, other = ("predicted", "score") if question.of_classes else ("score", "predicted")
    of_old = {"score": question.old_score, "predicted": question.old_predicted}
    columns = [*given, *([question.old_column] if tables == 1 else [])]
    other_way = "; or give each model a table of its own" if tables == 1 else ""
    taken = {label, question.old_column, *given}.intersection(on)
    old, ids = option(f"old_{kind}"), option("on")
    refuse({
        f"{option(f'old_{other}')} does not fit {option(kind)}; give {old}": of_old[other] is not None,
        f"{old} must name the column of the old model{other_way}": (
            of_old[kind] is None and (tables == 1 or len(given) > 1)
        ),
        f"columns of models must be distinct, got {_listed(columns)}": _repeats(columns),
        f"{option(kind)} must not be the column of labels, got {label!r}": label in (*columns, question.old_column),
        f"{option('positive')} needs {score}, got predicted classes": (
            question.of_classes and question.positive is not None
        ),
        f"{option('threshold')} needs {score}, got predicted classes": question.of_classes and question.thresholds,
        f"{ids} must name the column, or columns, that identify a case in both tables": tables > 1 and not on,
        f"{option('allow')} needs several tables, got one": tables == 1 and question.allow,
        f"{ids} must name distinct columns, got {_listed(on)}": _repeats(on),
        f"{ids} must not name columns of labels or predictions, got {min(taken, default='')!r}": taken,
    })  # fmt: skip
    for word in sorted(question.allow):
        if word not in ALLOWED:
            near = did_you_mean(word, ALLOWED) if "," not in word else "; give several as a list"
            raise EvaluationError(f"{option('allow')} must be one or more of {', '.join(ALLOWED)}, got {word!r}{near}")


def check_tests(question: Question, methods: Sequence[str]) -> None:
    """Raise EvaluationError for invalid options of intervals, tests and lists; methods: those that there are.  O(1)."""
    checked_level(question.confidence, option("ci"))
    check(question.method in methods, option("method"), f"be one of {', '.join(methods)}", shown(question.method))
    if (chosen := question.ci_method) is not None:
        name = option("ci_method")
        refuse({
            f"{name} must be one of {', '.join(DIFFERENCE_METHODS)}, got {shown(chosen)}": (
                chosen not in DIFFERENCE_METHODS
            ),
            f"{name} chooses the interval of ROC AUCs, which need {option('score')}": not question.scores,
            f"{name} chooses the analytic interval of ROC AUCs, got {text_option('method', BOOTSTRAP)}": (
                question.method == BOOTSTRAP
            ),
        })  # fmt: skip
    if check_integer(question.resamples, option("resamples")) < 1:
        raise EvaluationError(f"{option('resamples')} must be at least 1, got {question.resamples}")
    stratify, resampled = option("stratify"), question.method == BOOTSTRAP
    refuse({
        f"{stratify} needs {text_option('method', BOOTSTRAP)}": question.stratify and not resampled,
        f"{option('target_prevalence')} needs resamples that keep the cases of each class; add {stratify}": (
            resampled and not question.stratify and question.weighting.target_prevalence is not None
        ),
    })  # fmt: skip
    check_count(question.seed, option("seed"))
    check_count(question.changed, option("changed"))
    check_margin(question.margin)
