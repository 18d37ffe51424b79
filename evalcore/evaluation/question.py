"""The question that a report answers, or a comparison, which is a report with a baseline."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from evalcore.errors import EvaluationError, refuse
from evalcore.evaluation import measure_choice, options
from evalcore.evaluation.catalogue import MeasureName, difference_of, measure_name
from evalcore.evaluation.measure_choice import ALL_MEASURES, AT_A_THRESHOLD, OF_DECISIONS, OF_GROUPS, Margin, Measures
from evalcore.evaluation.model import CountRecords, Section
from evalcore.evaluation.options import CI_METHODS, option
from evalcore.evaluation.statistics.groups import sorting_measures
from evalcore.evaluation.thresholds import AskedThreshold, Costs, Target
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting
from evalcore.evaluation.wording import BETWEEN, listed
from evalcore.inference.rankings import MACRO, WEIGHTED
from evalcore.io.columns import Selection
from evalcore.io.formats import Reading
from evalcore.io.rows import ALL_ROWS, RowFilter, Rows

_HEADINGS = {
    "by": "Groups", "fold": "Folds", "level": "Level of intervals", "ci_method": "Intervals of ROC AUCs",
    "proportion_method": "Intervals of fractions", "cluster": "Clusters", "min_cases": "Cases of a group, at least",
    "weight": "Weights", "sql": "Query", "where": "Condition", "targets": "Threshold for",
}  # fmt: skip
"""What pages call some of what is asked for, by the names in JSON, from which other headings are made."""


class Question(NamedTuple):
    """Which columns are evaluated or compared, and how."""

    label: str = ""
    """The column of labels; empty where columns hold one value of each case."""
    scores: tuple[str, ...] = ()
    """Columns of scores of the positive label; in a comparison those of the new models."""
    classes: Mapping[str, str] | None = None
    """Columns of scores by the names of classes."""
    prefix: str | None = None
    """How the names of columns of scores of classes begin; in a comparison those of new models."""
    predicted: tuple[str, ...] = ()
    """The column of predicted classes; in a comparison those of the new models, in place of scores."""
    positive: str | None = None
    thresholds: tuple[float, ...] = ()
    """Scores from which on cases are predicted positive."""
    by: tuple[Any, ...] = ()
    """Columns of groups: of a report, each combination of their values that occurs is a group; in a comparison each is
    a grouping of its own, and several in a tuple are one of their combinations."""
    fold: tuple[str, ...] = ()
    """Columns of folds of a cross-validation, behind those of repeats, which are then the groups."""
    every: Mapping[str, str] = {}
    """Which of `PERIODS` stand for the dates of columns of groups."""
    level: float | None = None
    """Level of the intervals; of those of differences 0.95 where there is none."""
    groups: int | None = None
    """Number of groups allowed."""
    text: tuple[str, ...] = ()
    """Columns of labels, predictions, ids and groups that are read as text whatever their types."""
    compare: str | None = None
    """Which columns of scores are compared, one of `COMPARED`; by default each with the first."""
    costs: Costs | None = None
    """What wrong decisions cost."""
    reading: Reading = Reading()
    """How files are read."""
    rows: Rows = ALL_ROWS
    """Which rows are evaluated."""
    min_cases: int | None = None
    """Groups of fewer are left out."""
    sort: str | None = None
    """How groups are sorted, one of `grouping.SORTED`, or the name of a statistic, the largest first."""
    compare_groups: str = ""
    """What groups are compared with: `options.REST`, `options.ALL` or the name of a group; empty for nothing."""
    matrix: bool = True
    """Whether counts by class are shown: the confusion matrix, and ranks."""
    targets: tuple[Target, ...] = ()
    """What thresholds of each model have to reach."""
    measures: Measures = ALL_MEASURES
    """Which numbers are written."""
    weighting: Weighting = UNWEIGHTED
    """How the rows are weighted."""
    ci_method: str | None = None
    """The interval of ROC AUCs, of `CI_METHODS`, or of their differences, of `DIFFERENCE_METHODS`, if it is chosen."""
    proportion_method: str | None = None
    """The interval of fractions, of `PROPORTION_METHODS`, if one is chosen."""
    cluster: str | None = None
    """The column of clusters of rows, which intervals treat as drawn."""
    memory: int | None = None
    """Bytes that the process may take; None for half of the machine's memory."""
    old_score: str | None = None
    """The column of scores of the old model; by default that of the new one."""
    old_predicted: str | None = None
    old_classes: Mapping[str, str] | None = None
    """Columns of scores of the old model by the names of classes, where `classes` has those of the new one."""
    old_prefix: str | None = None
    on: tuple[str, ...] = ()
    """Columns that together identify a case; none where all models are columns of one table."""
    allow: frozenset[str] = frozenset()
    """Some of `options.ALLOWED`."""
    conditions: tuple[str, ...] = ()
    """Names of measures that conditions are about, beside the others."""
    margin: Margin = None
    """The smallest difference that matters, in units of each measure, or by the names of some measures."""
    margin_level: float | None = None
    """Level of the intervals that verdicts with a margin follow from; by default that of the intervals printed."""
    method: Literal["analytic", "bootstrap", "permutation", "wilcoxon"] = "analytic"
    """Where intervals and p-values of differences come from; the bootstrap serves measures that have no other."""
    resamples: int = options.RESAMPLES
    stratify: bool = False
    """Whether resamples keep the number of cases of each class."""
    seed: int = 0
    """Of resamples."""
    changed: int = options.CHANGED
    """Number of cases that each list of changed ones holds at most."""
    show: tuple[str, ...] = ()
    """Columns whose texts stand beside the cases that are listed."""
    mistakes: int | None = None
    """Number of the most confident mistakes of a model that a report lists, by default `options.CHANGED`."""
    also_by: tuple[tuple[str, ...], ...] = ()
    """The columns of further groupings of a report, which conditions are about: `Answer.further` has their numbers."""
    values: tuple[str, ...] = ()
    """Columns of one value of each case, such as a grade or a cost, in place of labels and predictions."""
    lower_is_better: tuple[str, ...] = ()
    """Those of them of which less is better."""
    quantiles: tuple[float, ...] = ()
    """Quantiles of them that a report has."""
    words: Mapping[str, float] | None = None
    """What the words in them are worth."""
    repeats: str | None = None
    """What becomes of several rows of an id: one case with the "mean" of their values, or with "pass@K"."""
    judge: str | None = None
    """A judge's column, of all cases, of which the column of values has those that people judged."""

    @property
    def selection(self) -> Selection:
        """What is read of a report's table, or of one that holds all models, with new counts of rows.  O(columns)."""
        old = filter(None, (self.old_score, self.old_predicted, *(self.old_classes or {}).values()))
        needed = (*self.on, *self.case_columns, *self.show)
        return self.selected((*old, *self.columns), (self.old_prefix, self.prefix), needed)

    def selected(
        self,
        models: tuple[str, ...],
        prefixes: Iterable[str | None],
        needed: Iterable[str],
        optional: Iterable[str] = (),
        where_possible: bool = False,
    ) -> Selection:
        """Return what is read of a table: the columns of models, and others, with new counts of rows.  O(columns).

        prefixes: of columns of models; optional: those that it may lack; where_possible: whether the condition on rows
        is left out if the table lacks a column of it.
        """
        weights = () if self.weighting.column is None else (self.weighting.column,)
        labels = [self.label, *(models if self.of_classes else ())] if self.label else []
        rows, way_out = None, options.way_out_of_nulls(of_values=bool(self.values) and self.judge is None)
        parsed = map(measure_name, (*self.measures.names, *self.conditions))
        named = (each.threshold for each in parsed if each.threshold is not None and each.measure in AT_A_THRESHOLD)
        shown = tuple(name for name in self.show if name not in {*self.case_columns, *self.on, *models})
        if not self.rows.are_all:
            of_text = [name for name in labels if name not in self.text]
            rows = RowFilter(self.rows, option, way_out, of_text, if_possible=where_possible)
            rows.shown = (*shown, *self.values)
        return Selection(
            tuple(dict.fromkeys((*needed, *models))),
            tuple(each for each in prefixes if each is not None),
            numbers=(*(() if self.of_classes or self.values else models), *weights),
            text=self.text,
            reading=self.reading,
            rows=rows,
            way_out_of_nulls=way_out,
            optional=tuple(optional),
            thresholds=dict.fromkeys(models, (*self.thresholds, *named)),
            shown=shown,
            kept_nulls=self.values if self.rows.nulls == "drop" or self.judge is not None else (),
            ids=self.on if self.repeats is None else (),
        )

    @property
    def of_classes(self) -> bool:
        """Whether models predict classes, rather than scores.  O(1)."""
        return bool(self.predicted)

    @property
    def of_scored_classes(self) -> bool:
        """Whether models have scores of each class.  O(1)."""
        return bool(self.classes) or self.prefix is not None

    @property
    def of_runs(self) -> bool:
        """Whether runs of ranked results are compared, query by query.  O(1)."""
        return not (self.columns or self.of_scored_classes)

    @property
    def units(self) -> str:
        """What models are compared on.  O(1)."""
        return "queries" if self.of_runs else "cases"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the models, of a comparison the new ones.  O(classes)."""
        values = (*self.values, *filter(None, [self.judge]))
        return values or self.predicted or self.scores or tuple((self.classes or {}).values())

    @property
    def old_columns(self) -> tuple[str, ...]:
        """The columns of the old model, by default that of the first new one, or of all classes.  O(classes)."""
        if self.values:
            return self.columns
        named = self.old_predicted if self.of_classes else self.old_score
        own = (named,) if named else tuple((self.old_classes or {}).values())
        return own or (self.columns if self.classes else self.columns[:1])

    def prefix_of(self, *, old: bool) -> str | None:
        """Return how columns of scores of classes begin, of the old model by default as of the new ones.  O(1)."""
        return self.old_prefix if old and self.old_prefix is not None else self.prefix

    def scores_of_classes(self, present: Iterable[str], *, old: bool = False) -> dict[str, str]:
        """Return a model's columns of scores by the names of classes; present: the columns of its table.  O(columns).

        A column is one of the longest prefix with which its name begins.
        """
        begin, named = self.prefix_of(old=old), dict((old and self.old_classes) or self.classes or {})
        if begin is None:
            return named
        known, others = [begin, self.prefix_of(old=not old) or begin], (*self.case_columns, *self.on, *self.show)
        own = (name for name in present if max(filter(name.startswith, known), key=len, default=None) == begin)
        prefixed = {name.removeprefix(begin): name for name in own if name not in others}
        refuse({f"no column of scores begins with {begin!r}, and with no longer prefix that is given": not prefixed})
        if twice := [each for each, name in prefixed.items() if named.get(each, name) != name]:
            raise EvaluationError(f"each class must have one column of scores, got two for {twice[0]!r}")
        return named | prefixed

    @property
    def groupings(self) -> dict[str, tuple[str, ...]]:
        """The columns of each grouping of a comparison by its name.  O(columns).

        >>> Question("late", by=("carrier", ("carrier", "month"))).groupings
        {'carrier': ('carrier',), 'carrier, month': ('carrier', 'month')}
        """
        columns = ((each,) if isinstance(each, str) else each for each in self.by)
        return {BETWEEN.join(each): each for each in columns}

    @property
    def case_columns(self) -> tuple[str, ...]:
        """The columns that describe a case, whatever the model: label, groups, clusters, weights.  O(columns)."""
        others = (self.label or None, *self.group_columns, self.cluster, self.weighting.column)
        return tuple(dict.fromkeys(name for name in others if name is not None))

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns of all groupings.  O(columns)."""
        return (*chain.from_iterable(self.groupings.values()), *chain.from_iterable(self.also_by))

    @property
    def of_groupings(self) -> list["Question"]:
        """The question, and the same on each further grouping, without comparisons.  O(groupings)."""
        alone: dict[str, Any] = {"also_by": (), "fold": (), "compare": "none", "compare_groups": "", "sort": None}
        alone["show"] = ()
        return [self, *(self._replace(by=each, **alone) for each in self.also_by)]

    @property
    def threshold(self) -> float | None:
        """The threshold whose decisions stand beside the ranking, and which charts mark: the first that is given."""
        return self.thresholds[0] if self.thresholds else None

    @property
    def area_method(self) -> str:
        """The interval of ROC AUCs, of `CI_METHODS`.  O(1)."""
        return self.ci_method or CI_METHODS[0]

    @property
    def difference_method(self) -> str:
        """The interval of differences of ROC AUCs between models, of `DIFFERENCE_METHODS`.  O(1)."""
        return self.ci_method or options.DIFFERENCE_METHODS[0]

    @property
    def confidence(self) -> float:
        """The level of the intervals of differences, which always have one.  O(1)."""
        return 0.95 if self.level is None else self.level

    @property
    def at_margin_level(self) -> "Question | None":
        """The question at the level of verdicts with a margin; None where that is the level of the intervals.  O(1)."""
        return None if self.margin_level in (None, self.confidence) else self._replace(level=self.margin_level)

    @property
    def more_thresholds(self) -> tuple[AskedThreshold, ...]:
        """The thresholds whose decisions have sections of their own.  O(t)."""
        return (*self.thresholds[1:], *self.targets)

    @property
    def compared_by(self) -> list[MeasureName]:
        """The measures that groups are compared by: those that are typed, of decisions at each threshold.  O(names)."""
        typed, known = self.measures.typed, OF_GROUPS[bool(self.scores)]
        more = (difference_of(measure_name(each).measure) for each in self.conditions)
        return [
            MeasureName(name, threshold)
            for name in dict.fromkeys([*(typed or known[:1]), *more])
            if name in known or self._scores_groups(name)
            for threshold in (self.thresholds if self.scores and name in OF_DECISIONS else (None,))
        ]

    def _scores_groups(self, name: str) -> bool:
        """Whether groups are compared by a measure of scores of each class; of clusters, areas have no average."""
        left_out = () if self.cluster is None else (MACRO, WEIGHTED)
        return self.of_scored_classes and measure_choice.is_of_scored_classes(name) and name not in left_out

    @property
    def notes_of_groups(self) -> list[str]:
        """Name the measures that are typed but that groups are not compared by.  O(names)."""
        known = {*OF_GROUPS[bool(self.scores)], *self.measures.added}
        others = [each for each in self.measures.names if each not in known and not self._scores_groups(each)]
        of_classes = "scores of classes and predicted ones" if self.of_scored_classes else "predicted classes"
        those = "rankings, losses and decisions" if self.scores else of_classes
        compared = f"groups are compared by measures of {those}, and not by {listed(others or [''])}"
        return [compared] if others and self.compare_groups else []

    def score_measures(self, *, probabilities: bool) -> list[MeasureName]:
        """Return what models are compared by, if scores are or are not probabilities.  O(names thresholds).

        Names of decisions without a threshold are taken at each of the thresholds.  Raises EvaluationError for measures
        that scores do not have.

        >>> [measure.name for measure in Question(thresholds=(0.5,)).score_measures(probabilities=False)][:3]
        ['roc_auc', 'average_precision', 'accuracy@0.5']
        """
        ranked, losses, calibrated = measure_choice.RANKED, measure_choice.LOSSES, measure_choice.CALIBRATED
        levels, found = list(dict.fromkeys(map(float, self.thresholds))), list[MeasureName]()
        decided = [MeasureName(name) for name in measure_choice.DECIDED if levels]
        given = [*map(measure_choice.parse_compared, self.measures.names)]
        if not given:
            given = [*map(MeasureName, (*ranked, *(losses if probabilities else ()))), *decided]
        elif not any(measure.measure in AT_A_THRESHOLD for measure in given):
            given += decided
        for measure in (*given, *map(measure_choice.parse_compared, self.conditions)):
            name, said = measure.measure, f"measure {measure.name!r}"
            each = [measure._replace(threshold=level) for level in levels] if measure.threshold is None else [measure]
            each = each if name in AT_A_THRESHOLD else [measure]
            known = name in (*ranked, *losses, *calibrated, *measure_choice.BOOTSTRAPPED, *AT_A_THRESHOLD)
            unlikely = name in (*losses, *calibrated) and not probabilities
            of_rates = probabilities and all(0 < (one.threshold or 0.0) < 1 for one in each)
            beyond = name == "net_benefit" and not of_rates
            refuse({
                f"{said} is of predicted classes, not of scores": measure.category is not None or not known,
                f"{said} needs probabilities: all scores of all models must be in 0 .. 1": unlikely,
                f"{said} needs probabilities, all in 0 .. 1, and thresholds above 0 and below 1": beyond,
                f"{said} needs {option('costs')}": name in measure_choice.OF_COSTS and self.costs is None,
                f"{said} needs a threshold: name one, such as '{name}@0.5'": not each,
            })  # fmt: skip
            found += each
        return list(dict.fromkeys(found))

    @property
    def computed(self) -> Measures:
        """The numbers that are written, and those that groups are sorted by.  O(names)."""
        more = () if self.sort is None else sorting_measures(self.sort)
        return self.measures._replace(names=(*self.measures.names, *more)) if self.measures.names else self.measures

    @property
    def title(self) -> str:
        """The label, the level of intervals and the weights, if there are any.  O(1)."""
        intervals = "" if self.level is None else f", with {100 * self.level:g}% intervals"
        intervals += "" if self.cluster is None else f" by clusters of {self.cluster}"
        return f"{self.subject}{intervals}{self.weighting.in_titles}"

    @property
    def subject(self) -> str:
        """What is evaluated, as titles have it: the label, or the columns of values.  O(values)."""
        return self.label or listed(self.values)

    @property
    def in_json(self) -> dict[str, Any]:
        """What the JSON of a report says of it: options that decide the numbers, by their names.  O(columns)."""
        of_classes = not self.scores and bool(self.predicted or self.by)  # whose ROC AUCs have no intervals in groups
        has_areas = self.level is not None and not of_classes and self.measures.wants("roc_auc")
        asked = {
            "label": self.label or None,
            "values": list(self.values) or None,
            "lower_is_better": list(self.lower_is_better) or None,
            "words": self.words,
            "repeats": self.repeats,
            "judge": self.judge,
            "positive": self.positive,
            "predicted": next(iter(self.predicted), None),
            "by": list(self.by) if len(self.by) > 1 else next(iter(self.by), None),
            "fold": list(self.fold) or None,
            "periods": dict(self.every) or None,
            "min_cases": self.min_cases,
            "sort": self.sort,
            "level": self.level,
            "ci_method": self.area_method if has_areas else None,
            "proportion_method": self.proportion_method,
            "compare": self.compare,
            "cluster": self.cluster,
            "sql": self.reading.sql,
            **self.rows.asked(),
            **self.weighting.as_json,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def most_groups(self) -> int:
        """Number of groups allowed.  O(1)."""
        return options.MOST_GROUPS if self.groups is None else self.groups

    def shown(self, sections: Sequence[Section]) -> Sequence[Section]:
        """Return the sections that are written, and of their records what is.  O(statistics)."""
        return self.measures.shown(self.without_left_out(sections))

    def without_left_out(self, sections: Sequence[Section]) -> list[Section]:
        """Return the sections without the counts by class, if they are left out.  O(sections)."""
        return [section for section in sections if self.matrix or not isinstance(section.records, CountRecords)]

    def described(self) -> dict[str, str]:
        """Return what decides the numbers, by headings for a page: what JSON says, and what its sections tell.

        O(columns).

        >>> Question("late", ("model",), thresholds=(0.3, 0.5), level=0.9).described()
        {'Label': 'late', 'Level of intervals': '0.9', 'Thresholds': '0.3, 0.5'}
        """
        nulls = "rows with nulls are left out" if self.rows.nulls == "drop" else None
        costs = self.costs and "{:g} for a false positive, {:g} for a false negative".format(*self.costs)
        words = self.words and [f"{word} = {value:g}" for word, value in self.words.items()]
        asked = self.in_json | {
            "words": words, "sample": self.rows.sample and f"{self.rows.sample:,} rows", "nulls": nulls,
            "by": [*self.groupings], "ci_method": self.ci_method, "compare_groups": self.compare_groups,
            "predicted": self.predicted, "thresholds": self.thresholds, "targets": self.targets, "costs": costs,
            "measures": self.measures.names, "depths": self.measures.depths,
        }  # fmt: skip
        found = dict[str, str]()
        for name, value in asked.items():
            values = [f"{each} = {one}" for each, one in value.items()] if isinstance(value, Mapping) else value
            text = ", ".join(map(str, values)) if isinstance(values, list | tuple) else str(values)
            if value is not None and text:
                found[_HEADINGS.get(name, name.replace("_", " ").capitalize())] = text
        return found
