"""Checks of a comparison's question before anything is read."""

from collections.abc import Sequence

from evalcore.errors import EvaluationError, did_you_mean, shown
from evalcore.evaluation.asked_thresholds import check_thresholds
from evalcore.evaluation.grouping import Grouping, check_grouping
from evalcore.evaluation.options import option, text_option
from evalcore.evaluation.pairs.measure_names import score_measures
from evalcore.evaluation.pairs.options import ALLOWED, BOOTSTRAP, CI_METHODS, METHODS, METHODS_OF_CLASSES
from evalcore.evaluation.pairs.question import CompareQuestion, check_margin, check_margin_names
from evalcore.evaluation.weighting import check_weighting
from evalcore.inference.intervals import checked_level
from evalcore.io.rows import checked_rows
from evalcore.validation.values import check_count, check_integer


def check_compare_question(question: CompareQuestion, tables: int) -> None:
    """Raise EvaluationError for invalid options or options that do not fit; tables: their number.  O(options)."""
    _check_models(question, tables)
    _check_join(question, tables)
    check_thresholds(question.thresholds, ())
    check_grouping(Grouping(question.min_cases), tuple(question.groupings), question.score, question.level)
    checked_rows(question.rows, option)
    of_groups = [name for columns in question.groupings.values() for name in columns]
    check_weighting(
        question.weighting,
        (question.label, *of_groups, question.old_column, *question.columns, *question.on),
        of_one_label=not question.of_classes,
    )
    for group in (question.by, *question.groupings.values()):
        if len(set(group)) < len(group):
            raise EvaluationError(f"{option('by')} must name distinct columns, got {', '.join(map(repr, group))}")
    check_tests(question, METHODS_OF_CLASSES if question.of_classes else METHODS)
    if not question.of_classes:
        possible = score_measures(question.measures, question.thresholds, question.conditions, probabilities=True)
        check_margin_names(question.margin, (measure.name for measure in possible))
    known = {*question.described, *question.on, *(question.predicted and (question.old_column, *question.predicted))}
    for name in question.text:
        if name not in known - {question.weighting.column}:
            raise EvaluationError(
                f"{option('text')} must name columns of ids, labels, predictions, groups or clusters, got {name!r}"
            )


def _check_models(question: CompareQuestion, tables: int) -> None:
    """Raise EvaluationError unless columns of one kind are named, of the old model where that is needed.  O(models)."""
    if question.score and question.predicted:
        raise EvaluationError(
            f"compare takes {option('score')} or {option('predicted')}, got both; give only one of them"
        )
    if not question.columns:
        raise EvaluationError(f"compare needs either {option('score')} or {option('predicted')}")
    kind, other = ("predicted", "score") if question.of_classes else ("score", "predicted")
    of_old = {"score": question.old_score, "predicted": question.old_predicted}
    if of_old[other] is not None:
        raise EvaluationError(f"{option(f'old_{other}')} does not fit {option(kind)}; give {option(f'old_{kind}')}")
    if of_old[kind] is None and (tables == 1 or len(question.columns) > 1):
        other_way = "; or give each model a table of its own" if tables == 1 else ""
        raise EvaluationError(f"{option(f'old_{kind}')} must name the column of the old model{other_way}")
    columns = [*question.columns, *([question.old_column] if tables == 1 else [])]
    if len(set(columns)) < len(columns):
        raise EvaluationError(f"columns of models must be distinct, got {', '.join(map(repr, columns))}")
    if question.label in (*columns, question.old_column):
        raise EvaluationError(f"{option(kind)} must not be the column of labels, got {question.label!r}")
    given = {"positive": question.positive, "threshold": question.thresholds or None}
    for name, value in given.items():
        if question.of_classes and value is not None:
            raise EvaluationError(f"{option(name)} needs {option('score')}, got predicted classes")


def _check_join(question: CompareQuestion, tables: int) -> None:
    if tables > 1 and not question.on:
        raise EvaluationError(f"{option('on')} must name the column, or columns, that identify a case in both tables")
    if tables == 1 and question.allow:
        raise EvaluationError(f"{option('allow')} needs several tables, got one")
    if len(set(question.on)) < len(question.on):
        raise EvaluationError(f"{option('on')} must name distinct columns, got {', '.join(map(repr, question.on))}")
    taken = {question.label, question.old_column, *question.columns}.intersection(question.on)
    if taken:
        raise EvaluationError(f"{option('on')} must not name columns of labels or predictions, got {min(taken)!r}")
    for word in sorted(question.allow):
        if word not in ALLOWED:
            near = did_you_mean(word, ALLOWED) if "," not in word else "; give several as a list"
            raise EvaluationError(f"{option('allow')} must be one or more of {', '.join(ALLOWED)}, got {word!r}{near}")


def check_tests(question: CompareQuestion, methods: Sequence[str]) -> None:
    """Raise EvaluationError for invalid options of intervals, tests and lists; methods: those that there are.  O(1)."""
    checked_level(question.level, option("ci"))
    if question.method not in methods:
        raise EvaluationError(f"{option('method')} must be one of {', '.join(methods)}, got {shown(question.method)}")
    if question.ci_method is not None:
        _check_ci_method(question, question.ci_method)
    if check_integer(question.resamples, option("resamples")) < 1:
        raise EvaluationError(f"{option('resamples')} must be at least 1, got {question.resamples}")
    if question.stratify and question.method != BOOTSTRAP:
        raise EvaluationError(f"{option('stratify')} needs {text_option('method', BOOTSTRAP)}")
    if question.method == BOOTSTRAP and not question.stratify and question.weighting.target_prevalence is not None:
        raise EvaluationError(
            f"{option('target_prevalence')} needs resamples that keep the cases of each class; add {option('stratify')}"
        )
    check_count(question.seed, option("seed"))
    check_count(question.changed, option("changed"))
    check_margin(question.margin)


def _check_ci_method(question: CompareQuestion, method: str) -> None:
    if method not in CI_METHODS:
        raise EvaluationError(f"{option('ci_method')} must be one of {', '.join(CI_METHODS)}, got {shown(method)}")
    if not question.score:
        raise EvaluationError(f"{option('ci_method')} chooses the interval of ROC areas, which need {option('score')}")
    if question.method == BOOTSTRAP:
        raise EvaluationError(
            f"{option('ci_method')} chooses the analytic interval of ROC areas, got {text_option('method', BOOTSTRAP)}"
        )
