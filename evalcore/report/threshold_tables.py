"""Decisions at several thresholds as tables: for each model the thresholds side by side."""

from collections.abc import Sequence

from evalcore.kernels.thresholds import plain_number
from evalcore.report.model import AT_THRESHOLD, Section, Statistic


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

    >>> from evalcore.report.model import Whole
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
