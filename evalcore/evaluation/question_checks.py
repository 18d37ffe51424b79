"""Checks of arguments and of a question before anything is read: what is invalid, or does not fit each other."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, refuse, shown
from evalcore.evaluation import options
from evalcore.evaluation.catalogue import MEASURES, catalogue_name, entry_of
from evalcore.evaluation.differences import check_margin, check_margin_names
from evalcore.evaluation.measure_choice import WHY_NO_RANKS, score_measures
from evalcore.evaluation.options import option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import SORTED
from evalcore.evaluation.thresholds import check_thresholds
from evalcore.evaluation.weighting import check_weighting
from evalcore.inference.intervals import checked_level
from evalcore.io.rows import checked_rows
from evalcore.optional import require
from evalcore.validation.values import check_count, check_integer, check_label

_CHOICES = {
    "compare": options.COMPARED,
    "ci_method": options.CI_METHODS,
    "proportion_method": options.PROPORTION_METHODS,
}
"""Options of the intervals of reports, and what they may be."""
_NAMED = "at_k", "by", "compare", "compare_groups", "ci_method", "cluster"


def named_columns(
    label: Any, score: Any, predicted: Any, of_one_label: Mapping[str, Any], *, matrix: bool, **others: Any
) -> dict[str, Any]:
    """Return what arguments of `evaluate` name, by fields of the question.  O(columns).

    of_one_label: the arguments that need scores of one label; others: by, text, weight and cluster.  Raises
    EvaluationError or EvaluationTypeError for arguments that do not fit.
    """
    for argument, value in {"label": label, "score": score, "predicted": predicted, **others}.items():
        refuse_columns(argument, value)
    classes = dict(score.items()) if isinstance(score, Mapping) else None
    given, of_classes = [name for name, value in of_one_label.items() if value is not None], bool(classes or predicted)
    refuse({
        "evaluate takes score or predicted, got both; give only one of them": (
            score is not None and predicted is not None
        ),
        "evaluate needs either score or predicted": score is None and predicted is None,
        f"{' and '.join(given)} need{'s' * (len(given) == 1)} columns of scores of one label": of_classes and given,
        "matrix=False needs predicted, or score as a mapping of classes to columns": not (of_classes or matrix),
    })  # fmt: skip
    if not isinstance(score, str | Mapping | Sequence | None):
        raise EvaluationTypeError(f"score must be a string, a sequence of strings or a mapping, got {score!r}")
    for argument in ("by", "text"):
        if not isinstance(others[argument], str | Sequence | None):
            raise EvaluationTypeError(f"{argument} must be a string or a sequence of strings, got {others[argument]!r}")
    scores = () if isinstance(score, Mapping) else names_of(score)
    single = (name for name in (predicted, others["weight"], others["cluster"]) if name is not None)
    for name in (label, *scores, *(classes or {}).values(), *names_of(others["by"]), *single):
        check(isinstance(name, str), "names of columns", "be strings", repr(name), EvaluationTypeError)
    if score is not None and not (scores or classes):
        raise EvaluationError("score must name at least one column")
    return {
        "label": label,
        "scores": scores,
        "classes": classes,
        "predicted": names_of(predicted),
        "positive": named_positive(of_one_label["positive"], of_one_label["pos_label"], "evaluate"),
        "cluster": others["cluster"],
        **{name: names_of(others[name]) for name in ("by", "text")},
    }


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
    _check_rows(question, question.scores)
    for name, known in _CHOICES.items():
        given = getattr(question, name)
        check(given is None or given in known, option(name), f"be one of {', '.join(known)}", repr(given))
    of_classes, wants, weighting = question.of_classes, question.measures.wants, question.weighting
    of_groups, of_areas, of_clusters = question.compare_groups, question.ci_method, question.cluster
    depths, compared = question.measures.depths, "roc_auc" if question.scores else "accuracy"
    at_k, by, compare, compare_groups, ci_method, cluster = map(option, _NAMED)
    frequencies = text_option("weight_type", options.FREQUENCY)
    refuse({
        **{
            f"{option(name)} needs {option('ci')}, the level of the intervals": getattr(question, name)
            for name in (*_CHOICES, "compare_groups", "cluster") if question.level is None
        },
        f"{at_k} needs scores, got predicted classes": depths and of_classes,
        f"{at_k} needs {frequencies}: {WHY_NO_RANKS}": depths and question.scores and weighting.of_samples,
        f"{compare_groups} compares groups by {compared}; name this measure too": of_groups and not wants(compared),
        f"{compare_groups} takes no sampling weights: leave it out and compare the intervals of groups, or give "
        f"frequencies ({frequencies})": of_groups and weighting.of_samples,
        f"columns of groups must be distinct, got {_listed(question.by)}": _repeats(question.by),
        f"{compare} compares models by roc_auc; name this measure too": (
            question.compare not in (None, "none") and not wants("roc_auc")
        ),
        f"{ci_method} chooses the interval of ROC AUCs, which need scores, got predicted classes": (
            of_areas and of_classes
        ),
        f"{ci_method} needs scores of one label, or no {by}": of_areas and question.by and not question.scores,
        f"{ci_method} chooses the interval of roc_auc; name this measure too": of_areas and not wants("roc_auc"),
        f"{cluster} must be a column of its own, got {of_clusters!r}, which has another role": (
            of_clusters in {question.label, *question.columns, weighting.column} - {None}
        ),
        f"{cluster} takes no {option('target_prevalence')}; leave one of them out": (
            of_clusters and weighting.target_prevalence is not None
        ),
        f"{cluster} takes no {compare_groups}; leave one of them out": of_clusters and of_groups,
        f"{option('score')} must not be the column of labels, got {question.label!r}": (
            not of_classes and question.label in question.columns
        ),
        f"columns of scores must be distinct, got {_listed(question.scores)}": _repeats(question.scores),
    })  # fmt: skip
    if of_groups and question.scores:
        require("scipy.special", "inference")  # before files are read
    known_columns = {question.label, *question.predicted, of_clusters, *question.group_columns}
    _check_text(question, known_columns.difference(question.scores), "labels, predictions, groups or clusters")


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
    check_tests(question, options.METHODS_OF_CLASSES if question.of_classes else options.METHODS)
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
    refuse({
        f"{option(name)} needs {option('by')}, which names the column of groups": (
            not question.by and getattr(question, name) not in (None, False)
        )
        for name in ("groups", "min_cases", "sort", "compare_groups")
    })  # fmt: skip
    _check_counts(question, "groups", "min_cases")
    if (sort := question.sort) is not None and sort not in SORTED and entry_of(catalogue_name(sort)) is None:
        known, near = f"{', '.join(SORTED)} or the name of a statistic", did_you_mean(sort, [*SORTED, *MEASURES])
        raise EvaluationError(f"{option('sort')} must be {known}, got {sort!r}{near}")
    checked_rows(question.rows, option)
    old = filter(None, [question.old_score, question.old_predicted])
    others = (question.label, *question.group_columns, *old, *question.columns, *question.on)
    check_weighting(question.weighting, others, of_one_label=bool(scores))


def _check_counts(question: Question, *names: str) -> None:
    """Raise EvaluationError or EvaluationTypeError for options that are no whole numbers from 1 on.  O(names)."""
    for name in names:
        if (given := getattr(question, name)) is not None:
            check(check_integer(given, option(name)) >= 1, option(name), "be at least 1", given)


def _check_text(question: Question, known: Collection[str | None], what: str) -> None:
    refuse({f"{option('text')} must name columns of {what}, got {name!r}": name not in known for name in question.text})


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
        if word not in options.ALLOWED:
            near = did_you_mean(word, options.ALLOWED) if "," not in word else "; give several as a list"
            raise EvaluationError(
                f"{option('allow')} must be one or more of {', '.join(options.ALLOWED)}, got {word!r}{near}"
            )


def check_tests(question: Question, methods: Sequence[str]) -> None:
    """Raise EvaluationError for invalid options of intervals, tests and lists; methods: those that there are.  O(1)."""
    checked_level(question.confidence, option("ci"))
    check(question.method in methods, option("method"), f"be one of {', '.join(methods)}", shown(question.method))
    if (chosen := question.ci_method) is not None:
        name = option("ci_method")
        refuse({
            f"{name} must be one of {', '.join(options.DIFFERENCE_METHODS)}, got {shown(chosen)}": (
                chosen not in options.DIFFERENCE_METHODS
            ),
            f"{name} chooses the interval of ROC AUCs, which need {option('score')}": not question.scores,
            f"{name} chooses the analytic interval of ROC AUCs, got {text_option('method', options.BOOTSTRAP)}": (
                question.method == options.BOOTSTRAP
            ),
        })  # fmt: skip
    _check_counts(question, "resamples")
    stratify, resampled = option("stratify"), question.method == options.BOOTSTRAP
    refuse({
        f"{stratify} needs {text_option('method', options.BOOTSTRAP)}": question.stratify and not resampled,
        f"{option('target_prevalence')} needs resamples that keep the cases of each class; add {stratify}": (
            resampled and not question.stratify and question.weighting.target_prevalence is not None
        ),
    })  # fmt: skip
    check_count(question.seed, option("seed"))
    check_count(question.changed, option("changed"))
    check_margin(question.margin)
