"""Checks of a question before anything is read: options that are invalid, or that do not fit each other."""

from collections.abc import Sequence

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.asked_thresholds import check_thresholds
from evalcore.evaluation.grouping import check_grouping
from evalcore.evaluation.measure_choice import ALL_MEASURES, WHY_NO_RANKS, check_available
from evalcore.evaluation.model import Section
from evalcore.evaluation.options import CI_METHODS, COMPARED, FREQUENCY, PROPORTION_METHODS, option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_answers import scores_answer
from evalcore.evaluation.statistics.case_tallies import Tally
from evalcore.evaluation.statistics.classes import checked_class_scores, class_scores_report, matrix_report
from evalcore.evaluation.weighting import RowWeights, check_weighting
from evalcore.inference.intervals import checked_level
from evalcore.io.rows import checked_rows
from evalcore.validation.values import check_integer


def check_question(question: Question) -> None:
    """Raise EvaluationError for invalid options or options that do not fit, and for columns in two roles.  O(1)."""
    if question.level is not None:
        checked_level(question.level, option("ci"))
    check_thresholds(question.thresholds, question.targets)
    if question.groups is not None and check_integer(question.groups, option("groups")) < 1:
        raise EvaluationError(f"{option('groups')} must be at least 1, got {question.groups}")
    if question.groups is not None and not question.by:
        raise EvaluationError(f"{option('groups')} needs {option('by')}, which names the column of groups")
    check_grouping(question.grouping, question.by, question.scores, question.level)
    compared = "roc_area" if question.scores else "accuracy"
    if question.grouping.compare_groups and not question.measures.wants(compared):
        raise EvaluationError(f"{option('compare_groups')} compares groups by {compared}; name this measure too")
    if len(set(question.by)) < len(question.by):
        raise EvaluationError(f"columns of groups must be distinct, got {', '.join(map(repr, question.by))}")
    checked_rows(question.rows, option)
    _check_intervals(question)
    _check_weighting(question)
    _check_cluster(question)
    _check_measures(question)
    if question.label in (*question.scores, *(question.classes or {}).values()):
        raise EvaluationError(f"{option('score')} must not be the column of labels, got {question.label!r}")
    for name in question.text:
        if name not in (question.label, question.predicted, question.cluster, *question.by) or name in question.scores:
            raise EvaluationError(
                f"{option('text')} must name columns of labels, predictions, groups or clusters, got {name!r}"
            )
    if len(set(question.scores)) < len(question.scores):
        raise EvaluationError(f"columns of scores must be distinct, got {', '.join(map(repr, question.scores))}")


def _check_choice(question: Question, name: str, known: Sequence[str]) -> None:
    """Raise EvaluationError for an option of intervals that is unknown, or without their level.  O(1)."""
    given = getattr(question, name)
    if given is not None and given not in known:
        raise EvaluationError(f"{option(name)} must be one of {', '.join(known)}, got {given!r}")
    if given is not None and question.level is None:
        raise EvaluationError(f"{option(name)} needs {option('ci')}, the level of the intervals")


def _check_intervals(question: Question) -> None:
    _check_choice(question, "compare", COMPARED)
    if question.compare not in (None, "none") and not question.measures.wants("roc_area"):
        raise EvaluationError(f"{option('compare')} compares models by roc_area; name this measure too")
    _check_choice(question, "ci_method", CI_METHODS)
    if question.ci_method is not None:
        _check_ci_method(question)
    _check_choice(question, "proportion_method", PROPORTION_METHODS)


def _check_ci_method(question: Question) -> None:
    if question.predicted is not None:
        raise EvaluationError(
            f"{option('ci_method')} chooses the interval of ROC areas, which need scores, got predicted classes"
        )
    if not question.scores and question.by:
        raise EvaluationError(f"{option('ci_method')} needs scores of one label, or no {option('by')}")
    if not question.measures.wants("roc_area"):
        raise EvaluationError(f"{option('ci_method')} chooses the interval of roc_area; name this measure too")


def _check_weighting(question: Question) -> None:
    """Raise EvaluationError for options of weights that are invalid, or that this kind of report does not take."""
    others = (question.label, question.predicted or "", *question.scores, *(question.classes or {}).values())
    check_weighting(question.weighting, (*others, *question.by), of_one_label=bool(question.scores))
    if question.grouping.compare_groups and question.weighting.of_samples:
        raise EvaluationError(
            f"{option('compare_groups')} takes no sampling weights: leave it out and compare the intervals of groups, "
            f"or give frequencies ({text_option('weight_type', FREQUENCY)})"
        )


def _check_cluster(question: Question) -> None:
    """Raise EvaluationError for a column of clusters that has another role, or where no interval takes clusters."""
    if question.cluster is None:
        return
    if question.level is None:
        raise EvaluationError(f"{option('cluster')} needs {option('ci')}, the level of the intervals")
    columns = question.label, question.predicted, *question.scores, *(question.classes or {}).values()
    if question.cluster in (*columns, question.weighting.column):
        raise EvaluationError(
            f"{option('cluster')} must be a column of its own, got {question.cluster!r}, which has another role"
        )
    for name, given in (
        ("target_prevalence", question.weighting.target_prevalence is not None),
        ("compare_groups", question.grouping.compare_groups),
    ):
        if given:
            raise EvaluationError(f"{option('cluster')} takes no {option(name)}; leave one of them out")


def _check_measures(question: Question) -> None:
    """Raise EvaluationError for measures that a report on such columns lacks.  O(thresholds)."""
    if question.measures.depths and question.predicted is not None:
        raise EvaluationError(f"{option('at_k')} needs scores, got predicted classes")
    if question.measures.depths and question.scores and question.weighting.of_samples:
        raise EvaluationError(f"{option('at_k')} needs {text_option('weight_type', FREQUENCY)}: {WHY_NO_RANKS}")
    if question.measures.names:
        everything = _sections_of_two_rows(question._replace(measures=ALL_MEASURES))
        available = [*everything, *_sections_of_two_rows(question)]
        check_available(question.measures, question.without_left_out(available))


def _sections_of_two_rows(question: Question) -> list[Section]:
    """Return what is reported of such columns, of two rows: it has the same names."""
    if question.scores:
        ones = np.ones(2, np.int64)
        weights = RowWeights(question.weighting, ones, ones) if question.weighting.asked else None
        one = question._replace(level=None if question.by else question.level)
        return scores_answer(one, np.array([True, False]), {"": np.array([0.5, 0.25])}, weights).sections
    if question.predicted is not None:
        sections = matrix_report(("a", "b"), Tally(np.eye(2, dtype=np.int64)))
    else:
        names = np.array(["a", "b"])
        cases = checked_class_scores(names, names.tolist(), np.eye(2))
        sections = class_scores_report(cases, measures=question.measures)
    return sections[:1] if question.by else sections
