"""The sentences on decisions: what the best model finds at the thresholds that were asked for."""

import math
from collections.abc import Iterator, Mapping

from evalcore.kernels.thresholds import given_number
from evalcore.report.asked_thresholds import Target, section_name
from evalcore.report.formats import count, percent
from evalcore.report.model import Statistic
from evalcore.report.model_records import decisions_of
from evalcore.report.threshold_choice import threshold_text
from evalcore.report.wording import Sentence
from evalcore.report.words.scored_models import ScoredModels

_MANY_ALARMS = 20
"""Fewer are counted: 100% of two alarms would promise too much."""


def decision_sentences(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what the best model finds at the first threshold that was given.  O(1)."""
    if "threshold" in facts.best.items:
        yield _at_given(facts, facts.best.items)


def further_decision_sentences(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what the best model finds at each other threshold.  O(sections + n)."""
    for threshold in facts.question.more_thresholds:
        items = decisions_of(facts.answer.sections, facts.best.name, section_name(threshold))
        if "threshold" in items:
            yield _of_target(facts, threshold, items) if isinstance(threshold, Target) else _at_given(facts, items)
    if facts.question.targets:
        yield Sentence("Thresholds that reach a target were chosen on these same cases")


def _at_given(facts: ScoredModels, items: Mapping[str, Statistic]) -> Sentence:
    return _found(f"At threshold {given_number(items['threshold'].value)},", facts.best.shown, items)


def unreached(target: Target, model: str) -> str:
    """Say that no threshold of a model reaches a target.  O(1).

    >>> unreached(Target("precision", 0.9), "boosting")
    'No threshold of boosting has a precision of at least 0.9'
    """
    return f"No threshold of {model} has a {target.goal}"


def _of_target(facts: ScoredModels, target: Target, items: Mapping[str, Statistic]) -> Sentence:
    model, threshold = facts.best.shown, items["threshold"].value
    reached, which = f"a {target.goal}", "highest" if target.measure == "recall" else "lowest"
    if math.isnan(threshold):
        return Sentence(unreached(target, model))
    if math.isinf(threshold) and not items["tp"].value + items["fp"].value:
        return Sentence(f"{model} has {reached} only if it flags no case")
    at = threshold_text(threshold, facts.answer.scores.get(facts.best.name))
    return _found(f"At threshold {at}, the {which} with {reached},", model, items)


def _found(at: str, model: str, items: Mapping[str, Statistic]) -> Sentence:
    """Say what a model finds at a threshold."""
    tp, fn, fp, tn = (items[name].value for name in ("tp", "fn", "fp", "tn"))
    if not tp + fp:
        return Sentence(f"{at} {model} predicts no case positive")
    if not fn + tn:
        return Sentence(f"{at} {model} predicts every case positive")
    if not tp:
        number = f"{count(fp)} " if isinstance(fp, int) else ""  # the weight of alarms is not their number
        alarms = "its one alarm is" if fp == 1 and number else f"all its {number}alarms are"
        return Sentence(f"{at} {model} finds no positive; {alarms} wrong")
    found, right = (percent(items[name].value, 0) for name in ("recall", "precision"))
    if isinstance(tp, int) and tp + fp < _MANY_ALARMS:
        alarms = "its one alarm is" if tp + fp == 1 else f"{tp} of its {tp + fp} alarms {'is' if tp == 1 else 'are'}"
    else:
        alarms = f"{right} of its alarms are"
    return Sentence(f"{at} {model} finds {found} of the positives; {alarms} right")
