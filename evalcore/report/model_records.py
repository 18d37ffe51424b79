"""The models of a report: their statistics of all cases, the threshold that stands for each, and their decisions."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalcore.evaluation.model import AT_THRESHOLD, Section, Statistic
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import section_name
from evalcore.kernels.thresholds import plain_number
from evalcore.report.thresholds import STATISTIC_OF, operating_point

MOST_CURVES = 8
"""Models that one chart shows: as many as there are colours."""
MOST_TILES = 12
"""Models that a page shows one by one."""


def model_records(sections: Sequence[Section]) -> dict[str, dict[str, Statistic]]:
    """Return the statistics of all cases by their names, for each column of scores; empty for classes.  O(models).

    >>> from evalcore.evaluation.model import Whole
    >>> area = [Statistic("roc_auc", "ROC AUC", 0.75)]
    >>> list(model_records([Section("a", "", "group", {"x": area, "total": area}, whole=Whole("scores", "score"))]))
    ['a']
    """
    first = sections[0]
    if first.whole:
        found: Mapping[str, list[Statistic]] = {
            section.name: section.last for section in sections if section.whole == first.whole
        }
    else:
        found = first.records
    records = {name: {item.name: item for item in items} for name, items in found.items()}
    return records if all("roc_auc" in items for items in records.values()) else {}


def decisions_of(sections: Sequence[Section], model: str, name: str) -> dict[str, Statistic]:
    """Return the decisions of a model in all rows, by their names, of a section; none if there is none.  O(sections).

    name: as `section_name` makes it.
    """
    for section in sections:
        if section.whole is None and section.name == name:
            return {item.name: item for item in section.records[model]}
        if section.whole is not None and (section.whole.name, section.name) == (name, model):
            return {item.name: item for item in section.last}  # the total
    return {}


def leading_models(sections: Sequence[Section], names: Sequence[str], most: int = MOST_CURVES) -> dict[int, str]:
    """Return at most so many models, those with the largest ROC AUCs, by their index in the report.

    names: of the models to choose among.  O(m log m) for m models.
    """
    records = model_records(sections)

    def order(name: str) -> float:
        area = records[name]["roc_auc"].value
        return math.inf if math.isnan(area) else -area

    chosen = set(sorted(names, key=order)[:most])
    return {index: name for index, name in enumerate(records) if name in chosen}


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


def side_by_side(sections: Sequence[Section]) -> Sequence[Section]:
    """Return sections as tables show them: those of further thresholds become one for each model.  O(statistics).

    Reports with one threshold, and reports on groups, stay as they are.

    >>> cut = Statistic("threshold", "at threshold", 0.5)
    >>> scores = Section("scores", "", "score", {"a": [cut]}, across=True)
    >>> other = Section("threshold 0.25", "", "score", {"a": [cut._replace(value=0.25)]}, across=True)
    >>> list(side_by_side([scores, other])[0].records)
    ['0.5', '0.25']
    """
    decided = [section for section in sections if section.whole is None and section.name.startswith(AT_THRESHOLD)]
    if not decided or len(decided) == len(sections):
        return sections
    first, *others = (section for section in sections if section not in decided)
    columns = {model: _by_threshold(items) for model, items in first.records.items()}
    for section in decided:
        for model, items in section.records.items():
            columns[model][section.name.removeprefix(AT_THRESHOLD)] = items
    records = {model: [*items[: _start(items)]] for model, items in first.records.items()}
    of_models = [
        Section(model, f"decisions of {model}", "threshold", by_threshold, across=True)
        for model, by_threshold in columns.items()
    ]
    ranking = [first._replace(records=records)] if any(records.values()) else []
    return [*ranking, *of_models, *others]


def first_threshold(section: Section) -> str:
    """Return the threshold of the decisions that stand beside the ranking in groups; empty for others.  O(statistics).

    >>> from evalcore.evaluation.model import Whole
    >>> cut = Statistic("threshold", "at threshold", 0.5)
    >>> first_threshold(Section("a", "a", "group", {"total": [cut]}, whole=Whole("scores", "score")))
    '0.5'
    """
    if section.whole is None or section.whole.name.startswith(AT_THRESHOLD):
        return ""
    return next(iter(_by_threshold(next(iter(section.records.values()), ()))), "")


def _by_threshold(items: Sequence[Statistic]) -> dict[str, list[Statistic]]:
    """Return the statistics of decisions in a record of scores, by their threshold; none if it has none."""
    own = [*items[_start(items) :]]
    return {plain_number(own[0].value): own} if own else {}


def _start(items: Sequence[Statistic]) -> int:
    """Return where the statistics of decisions begin."""
    return next((index for index, item in enumerate(items) if item.name == "threshold"), len(items))
