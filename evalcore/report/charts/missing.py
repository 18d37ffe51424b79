"""What a report cannot draw, and why."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evalcore.evaluation.cases import probabilities
from evalcore.evaluation.model import CONFUSION_MATRIX, Answer, CountRecords
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import listed, shown_names, shown_value
from evalcore.report.tables import MOST_DRAWN_CLASSES


def drawn_scores(answer: Answer) -> dict[str, Any]:
    """Return the columns of scores that have curves: finite ones, if both classes occur.  O(n) for each."""
    if answer.positive is None or answer.positive.all() or not answer.positive.any():
        return {}
    return {name: column for name, column in answer.scores.items() if np.isfinite(column).all()}


def missing(answer: Answer, question: Question) -> list[str]:
    """Return which charts a report lacks, and why.  O(n) for each column of scores.

    >>> scores = {"a": np.array([0.5, np.inf]), "b": np.array([2, 3])}
    >>> for each in missing(Answer([], np.array([True, False]), scores), Question("late", ("a", "b"))):
    ...     print(each)
    no curves for a: some of its scores are infinite
    no calibration chart or decision curve for b: its scores are not probabilities, which lie between 0 and 1
    """
    return [
        *_curves(answer, question),
        *_areas_of_groups(answer),
        *missing_matrices(answer, question),
        *_curves_of_classes(answer),
    ]


def _curves(answer: Answer, question: Question) -> Iterator[str]:
    if answer.positive is None:
        if question.scores:
            yield f"no curves: they need all rows in memory; allow more ({option('memory', 'SIZE')})"
        return
    if answer.positive.all() or not answer.positive.any():
        yield f"no curves: all cases are {'positive' if answer.positive.any() else 'negative'}"
        return
    drawn = drawn_scores(answer)
    yield from _of_models("curves", set(answer.scores) - set(drawn), answer, "some of {} scores are infinite")
    beyond = set(drawn) - set(probabilities(drawn))
    why = "{} scores are not probabilities, which lie between 0 and 1"
    yield from _of_models("calibration chart or decision curve", beyond, answer, why)


def _of_models(what: str, names: set[str], answer: Answer, why: str) -> Iterator[str]:
    """Yield one entry for all models of a reason, in their order."""
    if names:
        shown = shown_names(answer.scores)
        models = listed([shown[name] for name in answer.scores if name in names])
        yield f"no {what} for {models}: {why.format('its' if len(names) == 1 else 'their')}"


def _areas_of_groups(answer: Answer) -> Iterator[str]:
    sections = [section for section in answer.sections if section.whole]
    areas = [section.columns.column("roc_auc") for section in sections if "roc_auc" in section.statistics]
    if areas and np.isnan(np.concatenate(areas)).all():
        yield "no chart of groups: no group has cases of both classes"


def missing_matrices(answer: Answer, question: Question) -> Iterator[str]:
    """Yield the entry for a confusion matrix that is too large to be drawn.  O(sections)."""
    for section in question.shown(answer.sections):
        if section.name == CONFUSION_MATRIX and isinstance(section.records, CountRecords):
            classes = len(section.records)
            if classes > MOST_DRAWN_CLASSES:
                why = f"there are {classes:,} classes, and at most {MOST_DRAWN_CLASSES} are drawn"
                yield f"no chart of the confusion matrix: {why}"


def _curves_of_classes(answer: Answer) -> Iterator[str]:
    if answer.class_scores is None:
        return
    cases = answer.class_scores
    codes = np.flatnonzero(np.isinf(cases.scores).any(axis=0)).tolist()
    infinite = [shown_value(str(cases.categories[code])) for code in codes]
    if infinite:
        whose = "its" if len(infinite) == 1 else "their"
        yield f"no ROC curves for {listed(infinite)}: some of {whose} scores are infinite"
