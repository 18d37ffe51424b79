"""The question that a report answers: which columns are compared, and how."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalcore.evaluation.asked_thresholds import AskedThreshold, Costs, Target
from evalcore.evaluation.grouping import EVERY_GROUP, Grouping, sorting_measures
from evalcore.evaluation.measure_choice import ALL_MEASURES, Measures
from evalcore.evaluation.model import CountRecords, Section
from evalcore.evaluation.options import CI_METHODS, MOST_GROUPS, option, way_out_of_nulls
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting
from evalcore.io.columns import Selection
from evalcore.io.formats import Reading
from evalcore.io.rows import ALL_ROWS, RowFilter, Rows


class Question(NamedTuple):
    """Which columns are compared, and how."""

    label: str
    scores: tuple[str, ...] = ()
    """Columns of scores of the positive label."""
    classes: Mapping[str, str] | None = None
    """Columns of scores by the names of classes."""
    prefix: str | None = None
    """How the names of columns of scores of classes begin."""
    predicted: str | None = None
    """The column of predicted classes."""
    positive: str | None = None
    thresholds: tuple[float, ...] = ()
    """Scores from which on cases are predicted positive."""
    by: tuple[str, ...] = ()
    """Columns of groups: each combination of their values that occurs is a group."""
    level: float | None = None
    """Level of the intervals."""
    groups: int | None = None
    """Number of groups allowed."""
    text: tuple[str, ...] = ()
    """Columns of labels, predictions and groups that are read as text whatever their types."""
    compare: str | None = None
    """Which columns of scores are compared, one of `COMPARED`; by default each with the first."""
    costs: Costs | None = None
    """What wrong decisions cost."""
    reading: Reading = Reading()
    """How files are read."""
    rows: Rows = ALL_ROWS
    """Which rows are evaluated."""
    grouping: Grouping = EVERY_GROUP
    """How groups are reported."""
    matrix: bool = True
    """Whether counts by class are shown: the confusion matrix, and ranks."""
    targets: tuple[Target, ...] = ()
    """What thresholds of each model have to reach."""
    measures: Measures = ALL_MEASURES
    """Which numbers are written."""
    weighting: Weighting = UNWEIGHTED
    """How the rows are weighted."""
    ci_method: str | None = None
    """The interval of ROC areas, of `CI_METHODS`, if one is chosen."""
    proportion_method: str | None = None
    """The interval of fractions, of `PROPORTION_METHODS`, if one is chosen."""
    cluster: str | None = None
    """The column of clusters of rows, which intervals treat as drawn."""
    memory: int | None = None
    """Bytes that the process may take; None for half of the machine's memory."""

    @property
    def selection(self) -> Selection:
        """The columns and rows that the question needs, with new counts of rows.  O(columns)."""
        scores = self.scores if self.classes is None else tuple(self.classes.values())
        predicted = () if self.predicted is None else (self.predicted,)
        weights = () if self.weighting.column is None else (self.weighting.column,)
        clusters = () if self.cluster is None else (self.cluster,)
        names = (self.label, *predicted, *scores, *self.by, *weights, *clusters)
        way_out = way_out_of_nulls()
        labels = [name for name in (self.label, *predicted) if name not in self.text]
        rows = None if self.rows.are_all else RowFilter(self.rows, option, way_out, labels)
        return Selection(
            names,
            self.prefix,
            numbers=scores + weights,
            text=self.text,
            reading=self.reading,
            rows=rows,
            way_out_of_nulls=way_out,
            thresholds=dict.fromkeys(self.scores, self.thresholds),
        )

    @property
    def threshold(self) -> float | None:
        """The threshold whose decisions stand beside the ranking, and which charts mark: the first that is given."""
        return self.thresholds[0] if self.thresholds else None

    @property
    def area_method(self) -> str:
        """The interval of ROC areas, of `CI_METHODS`.  O(1)."""
        return self.ci_method or CI_METHODS[0]

    @property
    def has_area_intervals(self) -> bool:
        """Whether ROC areas have intervals; those of classes have none in groups.  O(names)."""
        of_classes = not self.scores and (self.predicted is not None or bool(self.by))
        return self.level is not None and not of_classes and self.measures.wants("roc_area")

    @property
    def more_thresholds(self) -> tuple[AskedThreshold, ...]:
        """The thresholds whose decisions have sections of their own.  O(t)."""
        return (*self.thresholds[1:], *self.targets)

    @property
    def computed(self) -> Measures:
        """The numbers that are written, and those that groups are sorted by.  O(names)."""
        sort = self.grouping.sort
        more = () if sort is None else sorting_measures(sort)
        return self.measures._replace(names=(*self.measures.names, *more)) if self.measures.names else self.measures

    @property
    def title(self) -> str:
        """The label, the level of intervals and the weights, if there are any.  O(1)."""
        intervals = "" if self.level is None else f", with {100 * self.level:g}% intervals"
        intervals += "" if self.cluster is None else f" by clusters of {self.cluster}"
        return f"{self.label}{intervals}{self.weighting.in_titles}"

    @property
    def by_as_json(self) -> str | list[str] | None:
        """The column of groups, a list of several columns, or None.  O(columns)."""
        return list(self.by) if len(self.by) > 1 else self.by[0] if self.by else None

    @property
    def most_groups(self) -> int:
        """Number of groups allowed.  O(1)."""
        return MOST_GROUPS if self.groups is None else self.groups

    def shown(self, sections: Sequence[Section]) -> Sequence[Section]:
        """Return the sections that are written, and of their records what is.  O(statistics)."""
        return self.measures.shown(self.without_left_out(sections))

    def without_left_out(self, sections: Sequence[Section]) -> list[Section]:
        """Return the sections without the counts by class, if they are left out.  O(sections)."""
        return [section for section in sections if self.matrix or not isinstance(section.records, CountRecords)]

    def described(self) -> dict[str, str]:
        """Return what decides the numbers, by headings for a page.  O(1)."""
        rows = self.rows.asked()
        asked = {
            "Query": self.reading.sql,
            "Label": self.label,
            "Positive": self.positive,
            "Predicted": self.predicted,
            "Threshold": ", ".join(map(str, self.thresholds)) or None,
            "Threshold for": ", ".join(map(str, self.targets)) or None,
            "Costs": self.costs and "{:g} for a false positive, {:g} for a false negative".format(*self.costs),
            "Groups": ", ".join(self.by) or None,
            "Cases of a group, at least": self.grouping.min_cases,
            "Level of intervals": self.level,
            "Intervals of ROC areas": self.ci_method,
            "Intervals of fractions": self.proportion_method,
            "Clusters": self.cluster,
            "Compare": self.compare,
            "Weights": self.weighting.described(),
            "Compare groups": "each with all other cases" if self.grouping.compare_groups else None,
            "Nulls": rows["nulls"] and "rows with nulls are left out",
            "Condition": rows["where"],
            "Sample": self.rows.sample and f"{self.rows.sample:,} rows, seed {self.rows.seed}",
            "Measures": ", ".join(self.measures.names) or None,
            "Depths": ", ".join(map(str, self.measures.depths)) or None,
        }
        return {name: str(value) for name, value in asked.items() if value is not None}
