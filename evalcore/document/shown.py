"""What of a report is shown: its models and their thresholds, its groups in which order, and what its numbers mean."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evalcore.document.thresholds import STATISTIC_OF, operating_point
from evalcore.evaluation import model
from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.measure_choice import OF_INTERVALS
from evalcore.evaluation.model import CountRecords, Section, Statistic
from evalcore.evaluation.options import shows_all
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import NAMES, SIZE, WORST, NameOrder, has_interval, main_measure
from evalcore.evaluation.thresholds import section_name
from evalcore.evaluation.wording import grouping_title, shown_value
from evalcore.kernels.thresholds import plain_number

MOST_CURVES = 8
"""Models that one chart shows: as many as there are colours."""
MOST_TILES = 12
"""Models that a page shows one by one."""


def model_records(sections: Sequence[Section], measure: str = "roc_auc") -> dict[str, dict[str, Statistic]]:
    """Return the statistics of all cases by their names, for each model; empty if one lacks a measure.  O(models).

    measure: by default one that classes lack.

    >>> from evalcore.evaluation.model import Whole
    >>> area = [Statistic("roc_auc", "ROC AUC", 0.75)]
    >>> list(model_records([Section("a", "", "group", {"x": area, "total": area}, whole=Whole("scores", "score"))]))
    ['a']
    """
    first = sections[0]
    alike = [section for section in sections if section.whole == first.whole]
    of_models = first.records if first.last else {}
    found = {section.name: section.last for section in alike} if first.whole else dict(of_models)
    records = {name: {item.name: item for item in items} for name, items in found.items()}
    return records if all(measure in items for items in records.values()) else {}


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
    """Return the models with the largest ROC AUCs, at most this many, by their index in the report.

    names: of the models to choose among.  O(m log m) for m models.
    """
    records = model_records(sections)
    areas = {name: records[name]["roc_auc"].value for name in names}
    chosen = set(sorted(names, key=lambda name: (math.isnan(areas[name]), -areas[name]))[:most])
    return {index: name for index, name in enumerate(records) if name in chosen}


class ModelThresholds(NamedTuple):
    """A threshold of each model."""

    name: str
    """Why it stands for the model: one of `STATISTIC_OF`, or the bound of a target."""
    values: Mapping[str, float]
    """By the names of the models."""


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
    decided = [section for section in sections if section.whole is None and section.name.startswith(model.AT_THRESHOLD)]
    if not decided or len(decided) == len(sections):
        return sections
    first, *others = (section for section in sections if section not in decided)
    records, columns = dict[str, list[Statistic]](), dict[str, dict[str, list[Statistic]]]()
    for name, items in first.records.items():
        start = next((index for index, item in enumerate(items) if item.name == "threshold"), len(items))
        own = [item for item in items[start:] if item.name not in OF_INTERVALS]  # calibration comes after decisions
        records[name] = [*items[:start], *(item for item in items[start:] if item.name in OF_INTERVALS)]
        columns[name] = {plain_number(own[0].value): own} if own else {}
    for section in decided:
        for name, items in section.records.items():
            columns[name][section.name.removeprefix(model.AT_THRESHOLD)] = items
    of_models = [Section(name, f"decisions of {name}", "threshold", own, across=True) for name, own in columns.items()]
    ranking = [first._replace(records=records)] if any(records.values()) else []
    return [*ranking, *of_models, *others]


def first_threshold(section: Section) -> str:
    """Return the threshold of the decisions that stand beside the ranking in groups; empty for others.  O(statistics).

    >>> from evalcore.evaluation.model import Whole
    >>> cut = Statistic("threshold", "at threshold", 0.5)
    >>> first_threshold(Section("a", "a", "group", {"total": [cut]}, whole=Whole("scores", "score")))
    '0.5'
    """
    if section.whole is None or model.AT_THRESHOLD in section.whole.name:
        return ""
    found = next(iter(section.records.values()), ())
    return next((plain_number(item.value) for item in found if item.name == "threshold"), "")


def by_titles(question: Question) -> list[str]:
    """Return the columns of the groups of a report as readers know them: of dates their period.  O(columns).

    >>> by_titles(Question("late", by=("carrier", "day"), every={"day": "month"}))
    ['carrier', 'month']
    """
    return [grouping_title(each, question.every) for each in question.by]


_BEST = 20
"""Groups that a page shows from either end of more than twice as many."""
_LARGEST_FIRST = "Groups are sorted by number of cases, the largest first."
_WORST_FIRST = "Groups are sorted by {} of {}, the lowest first."


class ShownGroups(NamedTuple):
    """Groups as they are shown, and the statistic that is shown of them."""

    models: list[Section]
    """The sections of the report that are of models."""
    pairs: list[Section]
    """Those of differences between models."""
    rests: list[Section]
    """Those of differences between a group and all other cases, without the total."""
    measure: str
    """The name of the statistic."""
    names: list[str]
    """Without the total."""
    total: str
    rule: str
    """Says which groups are shown, in which order."""

    @property
    def title(self) -> str:
        """The title of the statistic."""
        return self.models[0].columns.titles[self.measure]

    def records(self, section: Section, *statistics: str) -> dict[str, Sequence[Statistic]]:
        """Return some statistics of the shown groups and, last, of the total, where a section has them.  O(groups)."""
        names = [name for name in (*self.names, self.total) if name in section.records]
        return dict(section.columns.only(statistics).ordered(names).in_turn())


def shown_groups(sections: Sequence[Section], full: bool = False) -> ShownGroups | None:
    """Choose groups: all, or of more than 40 the worst and best 20; None for a report without groups.  O(g log g).

    The worst come first, unless they have an order of their own.  full: whether all are shown in any case.
    """
    if sections[0].whole is None:
        return None
    pairs = [section for section in sections if section.whole and section.whole.name == model.COMPARISONS]
    models = [section for section in sections if section.whole == sections[0].whole]
    rests = [section for section in sections if section.whole and section.whole.name == model.DIFFERENCES_TO_REST]
    *names, total = models[0].records
    found = ShownGroups(models, pairs, rests, main_measure(models[0].statistics), names, total, "")
    many = len(names) > 2 * _BEST and not full
    order, rule = in_shown_order(models[0]) if models[0].sort or not many else (names, _LARGEST_FIRST)
    columns = models[0].columns.only([found.measure])
    items = {name: item for name, (item,) in columns.in_turn()} if many or rule == _LARGEST_FIRST else {}
    bounded = {name for name, item in items.items() if has_interval(item)}
    if not models[0].sort and rule == _LARGEST_FIRST:  # without an interval, then without a value, last

        def key(name: str) -> tuple[bool, bool, float]:
            value = items[name].value
            return math.isnan(value), bool(bounded) and name not in bounded, value

        order, rule = sorted(names, key=key), _WORST_FIRST.format(items[total].title, shown_value(models[0].title))
    if many:
        certain = [name for name in order if name in bounded]
        ends = certain if len(certain) >= 2 * _BEST else order
        which = f"There are {len(names):,} groups; the first {_BEST} and the last {_BEST} are shown"
        among = " of those with an interval" if ends is certain and len(certain) < len(names) else ""
        order = [*ends[:_BEST], *ends[-_BEST:]]
        rule = f"{rule} {which}{among}. {shows_all()} shows all in the table."
    return found._replace(names=order, rule=rule)


def in_shown_order(groups: Section) -> tuple[list[str], str]:
    """Return the names of groups, without the total, in the order in which they are shown, and a sentence on it.

    Groups that were sorted on request stay as they are.  Otherwise, where a column of groups holds numbers or dates
    alone, groups are in their order, and in that of the names beside them; other names are the largest first, as they
    are in the report.  O(g log g).
    """
    names = groups.groups
    if key := groups.sort and sorting_key(groups):
        return names, f"Groups are sorted by {key}, the {'worst' if groups.sort == WORST else 'largest'} first."
    order = NameOrder(names)
    if groups.sort == SIZE or (not groups.sort and {*order.kinds} <= {NAMES}):
        return names, _LARGEST_FIRST
    return names if groups.sort else sorted(names, key=order.key), order.rule


def sorting_key(groups: Section) -> str:
    """Return the statistic that groups were sorted by on request, and whose it is; empty for others.  O(statistics)."""
    name = main_measure(groups.statistics) if groups.sort == WORST else groups.sort
    title = groups.columns.titles.get(name)
    return "" if title is None else f"the {title.strip()} of {shown_value(groups.title)}"


_MICRO = "micro_precision", "micro_recall", "micro_f1"


def without_repeats(items: Sequence[Statistic]) -> Sequence[Statistic]:
    """Return statistics without the micro averages, which all equal the accuracy before them.  O(statistics).

    Averages over sets of categories, which have no one accuracy, stay.

    >>> items = [Statistic("accuracy", "accuracy", 0.5), Statistic("micro_f1", "F1, micro average", 0.5)]
    >>> [item.title for item in without_repeats(items)]
    ['accuracy (= micro averages)']
    """
    names = {item.name for item in items}
    if "accuracy" not in names or names.isdisjoint(_MICRO):
        return items
    kept = (item for item in items if item.name not in _MICRO)
    return [
        item._replace(title=f"{item.title} (= micro averages)") if item.name == "accuracy" else item for item in kept
    ]


def meanings(sections: Iterable[Section]) -> dict[str, str]:
    """Return what the statistics of a report mean, by their titles, each once, in their order.  O(statistics)."""
    described = (section.records for section in sections if not isinstance(section.records, CountRecords))
    items = (item for records in described for item in without_repeats(next(iter(records.values()))))
    found = ((item.title.strip(), entry_of(item.name)) for item in items)
    return {title: entry.meaning for title, entry in found if entry}


def interval_methods(sections: Iterable[Section]) -> str:
    """Say how the intervals of a report are computed, by the names of methods; empty where it has none.  O(statistics).

    Statistics of the catalogue alone: classes may have any name.
    """
    titles: dict[str, dict[str, None]] = {}
    for section in sections:
        for part in () if isinstance(section.records, CountRecords) else section.columns.parts:
            for item in without_repeats(next(part.records(0.0, section.columns.titles), ())):
                if item.interval and item.interval.method != model.CERTIFIED and entry_of(item.name):
                    titles.setdefault(item.interval.method, {})[item.title] = None
    return ". ".join(f"{method}: {'; '.join(named)}" for method, named in titles.items())
