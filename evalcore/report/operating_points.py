"""The threshold that stands for each model: where its curve has a dot, and where its confusion matrix is counted."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalcore.report.asked_thresholds import section_name
from evalcore.report.model import Section
from evalcore.report.model_records import decisions_of, model_records
from evalcore.report.question import Question
from evalcore.report.threshold_choice import STATISTIC_OF, operating_point


class ModelThresholds(NamedTuple):
    """A threshold of each model."""

    name: str
    """Why it stands for the model: one of `STATISTIC_OF`, or the bound of a target."""
    values: Mapping[str, float]
    """By the names of the models."""

    @property
    def of_target(self) -> bool:
        """Whether it is the threshold that reaches a target."""
        return self.name not in STATISTIC_OF


def model_thresholds(sections: Sequence[Section], question: Question) -> ModelThresholds:
    """Return the given threshold, or that of the first target if all models reach it, or that of cost or F1.

    The sections hold scores of one label.  O(models).
    """
    records = model_records(sections)
    if not question.thresholds and question.targets:
        target = question.targets[0]
        decisions = {model: decisions_of(sections, model, section_name(target)) for model in records}
        values = {model: items["threshold"].value for model, items in decisions.items() if "threshold" in items}
        if len(values) == len(records) and not any(map(math.isnan, values.values())):
            return ModelThresholds(target.bound, values)
    name = operating_point(next(iter(records.values())))
    return ModelThresholds(name, {model: items[STATISTIC_OF[name]].value for model, items in records.items()})
