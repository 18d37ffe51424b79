"""The question that a report answers, or a comparison, which is a report with a baseline; what is refused unread."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from evalcore.errors import EvaluationError, check, did_you_mean, refuse, shown
from evalcore.evaluation import measure_choice, options
from evalcore.evaluation.catalogue import MEASURES, MeasureName, catalogue_name, entry_of, measure_name
from evalcore.evaluation.measure_choice import ALL_MEASURES, AT_A_THRESHOLD, Margin, Measures
from evalcore.evaluation.model import CountRecords, Section
from evalcore.evaluation.options import CI_METHODS, COMPARED, PROPORTION_METHODS, option, text_option
from evalcore.evaluation.statistics.groups import SORTED, sorting_measures
from evalcore.evaluation.thresholds import AskedThreshold, Costs, Target, check_thresholds
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting, check_weighting
from evalcore.evaluation.wording import BETWEEN, listed
from evalcore.inference.intervals import checked_level
from evalcore.inference.rankings import MACRO, WEIGHTED
from evalcore.io.columns import Selection
from evalcore.io.formats import Reading
from evalcore.io.rows import ALL_ROWS, RowFilter, Rows, checked_rows
from evalcore.validation.values import check_count, check_integer

_CHOICES = {"compare": COMPARED, "ci_method": CI_METHODS, "proportion_method": PROPORTION_METHODS}
"""Options of the intervals of reports, and what they may be."""
_NAMED = "at_k", "by", "compare", "compare_groups", "ci_method", "show"


class Question(NamedTuple):
    """Which columns are evaluated or compared, and how."""

    label: str
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
        labels = [self.label, *(models if self.of_classes else ())]
        rows, way_out = None, options.way_out_of_nulls()
        parsed = map(measure_name, (*self.measures.names, *self.conditions))
        named = (each.threshold for each in parsed if each.threshold is not None and each.measure in AT_A_THRESHOLD)
        shown = tuple(name for name in self.show if name not in {*self.case_columns, *self.on, *models})
        if not self.rows.are_all:
            of_text = [name for name in labels if name not in self.text]
            rows = RowFilter(self.rows, option, way_out, of_text, if_possible=where_possible)
            rows.shown = shown
        return Selection(
            tuple(dict.fromkeys((*needed, *models))),
            tuple(each for each in prefixes if each is not None),
            numbers=(*(() if self.of_classes else models), *weights),
            text=self.text,
            reading=self.reading,
            rows=rows,
            way_out_of_nulls=way_out,
            optional=tuple(optional),
            thresholds=dict.fromkeys(models, (*self.thresholds, *named)),
            shown=shown,
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
        return self.predicted or self.scores or tuple((self.classes or {}).values())

    @property
    def old_columns(self) -> tuple[str, ...]:
        """The columns of the old model, by default that of the first new one, or of all classes.  O(classes)."""
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
        others = (self.cluster, self.weighting.column)
        return tuple(dict.fromkeys((self.label, *self.group_columns, *(name for name in others if name is not None))))

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns of all groupings.  O(columns)."""
        return (*chain.from_iterable(self.groupings.values()), *chain.from_iterable(self.also_by))

    @property
    def of_groupings(self) -> list["Question"]:
        """The question, and the same on each further grouping, without comparisons.  O(groupings)."""
        alone: dict[str, Any] = {"also_by": (), "compare": "none", "compare_groups": "", "sort": None, "show": ()}
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
        asked, scores = (self.measures, self.thresholds, self.conditions), bool(self.scores)
        return measure_choice.compared_by(*asked, scores=scores, scored=self._scores_groups)

    def _scores_groups(self, name: str) -> bool:
        """Whether groups are compared by a measure of scores of each class; of clusters, areas have no average."""
        left_out = () if self.cluster is None else (MACRO, WEIGHTED)
        return self.of_scored_classes and measure_choice.is_of_scored_classes(name) and name not in left_out

    @property
    def notes_of_groups(self) -> list[str]:
        """Name the measures that are typed but that groups are not compared by.  O(names)."""
        known = {*measure_choice.of_groups(scores=bool(self.scores)), *self.measures.added}
        others = [each for each in self.measures.names if each not in known and not self._scores_groups(each)]
        of_classes = "scores of classes and predicted ones" if self.of_scored_classes else "predicted classes"
        those = "rankings, losses and decisions" if self.scores else of_classes
        compared = f"groups are compared by measures of {those}, and not by {listed(others or [''])}"
        return [compared] if others and self.compare_groups else []

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
        return f"{self.label}{intervals}{self.weighting.in_titles}"

    @property
    def in_json(self) -> dict[str, Any]:
        """What the JSON of a report says of it: options that decide the numbers, by their names.  O(columns)."""
        of_classes = not self.scores and bool(self.predicted or self.by)  # whose ROC AUCs have no intervals in groups
        has_areas = self.level is not None and not of_classes and self.measures.wants("roc_auc")
        asked = {
            "label": self.label,
            "positive": self.positive,
            "predicted": next(iter(self.predicted), None),
            "by": list(self.by) if len(self.by) > 1 else next(iter(self.by), None),
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
        """Return what decides the numbers, by headings for a page.  O(1)."""
        rows = self.rows.asked()
        asked = {
            "Query": self.reading.sql,
            "Label": self.label,
            "Positive": self.positive,
            "Predicted": ", ".join(self.predicted) or None,
            "Threshold": ", ".join(map(str, self.thresholds)) or None,
            "Threshold for": ", ".join(map(str, self.targets)) or None,
            "Costs": self.costs and "{:g} for a false positive, {:g} for a false negative".format(*self.costs),
            "Groups": ", ".join(self.groupings) or None,
            "Periods": next(iter(self.every.values()), None),
            "Cases of a group, at least": self.min_cases,
            "Level of intervals": self.level,
            "Intervals of ROC AUCs": self.ci_method,
            "Intervals of fractions": self.proportion_method,
            "Clusters": self.cluster,
            "Compare": self.compare,
            "Weights": self.weighting.described(),
            "Compare groups": self.compare_groups or None,
            "Nulls": rows["nulls"] and "rows with nulls are left out",
            "Condition": rows["where"],
            "Sample": self.rows.sample and f"{self.rows.sample:,} rows, seed {self.rows.seed}",
            "Measures": ", ".join(self.measures.names) or None,
            "Depths": ", ".join(map(str, self.measures.depths)) or None,
        }
        return {name: str(value) for name, value in asked.items() if value is not None}


def check_question(question: Question) -> None:
    """Raise EvaluationError for invalid options or options that do not fit, and for columns in two roles.  O(1)."""
    if question.level is not None:
        checked_level(question.level, option("ci"))
    _check_rows(question, question.scores)
    for name, known in _CHOICES.items():
        given = getattr(question, name)
        check(given is None or given in known, option(name), f"be one of {', '.join(known)}", repr(given))
    of_classes, wants, weighting = question.of_classes, question.measures.wants, question.weighting
    of_groups, of_areas, of_clusters = question.compare_groups, question.ci_method, question.cluster
    depths, scores, shifted = question.measures.depths, question.scores, weighting.target_prevalence is not None
    at_threshold = f", or {option('threshold')} for those of decisions" if scores else ""
    kind = f"of {'rankings or losses' if scores else 'predicted classes'}"
    compared = f"{measure_choice.of_groups(scores=bool(scores))[0]}{at_threshold}"
    at_k, by, compare, against, method, show = map(option, _NAMED)
    frequencies = text_option("weight_type", options.FREQUENCY)
    refuse({
        **{
            f"{option(name)} needs {option('ci')}, the level of the intervals": getattr(question, name)
            for name in (*_CHOICES, "compare_groups", "cluster") if question.level is None
        },
        f"{at_k} needs scores, got predicted classes": depths and of_classes,
        f"{at_k} needs {frequencies}: {measure_choice.WHY_NO_RANKS}": depths and scores and weighting.of_samples,
        f"{against} needs a measure {kind}, like {compared}": of_groups and not question.compared_by,
        f"{against} takes no {option('target_prevalence')}": of_groups and shifted,
        f"columns of groups must be distinct, got {_listed(question.by)}": _repeats(question.by),
        f"{show} needs {option('threshold')}, or predicted classes": (
            question.show and scores and not question.thresholds
        ),
        f"{option('mistakes')} needs {show}": question.mistakes is not None and not question.show,
        f"{compare} compares models by roc_auc; name this measure too": (
            question.compare not in (None, "none") and not wants("roc_auc")
        ),
        f"{method} chooses the interval of ROC AUCs, which need scores, got predicted classes": of_areas and of_classes,
        f"{method} needs scores of one label, or no {by}": of_areas and question.by and not scores,
        f"{method} chooses the interval of roc_auc; name this measure too": of_areas and not wants("roc_auc"),
        f"{option('score')} must not be the column of labels, got {question.label!r}": (
            not of_classes and question.label in question.columns
        ),
        f"columns of scores must be distinct, got {_listed(scores)}": _repeats(scores),
    })  # fmt: skip
    rule = f"be at most {options.MOST_LISTED}"
    check((question.mistakes or 1) <= options.MOST_LISTED, option("mistakes"), rule, question.mistakes)
    known_columns = {question.label, *question.predicted, of_clusters, *question.group_columns, *question.show}
    _check_text(question, known_columns.difference(scores), "labels, predictions, groups or clusters")


def _repeats(names: Collection[Any]) -> bool:
    return len(set(names)) < len(names)


def _listed(names: Collection[Any]) -> str:
    return ", ".join(map(repr, names))


def check_paired_question(question: Question, tables: int) -> None:
    """Raise EvaluationError for invalid options or options that do not fit; tables: their number.  O(options)."""
    _check_models(question, tables)
    _check_rows(question, () if question.of_classes else question.scores)
    for group in (question.by, *question.groupings.values()):
        check(not _repeats(group), option("by"), "name distinct columns", _listed(group))
    check_tests(question, options.METHODS_OF_CLASSES if question.of_classes else options.METHODS)
    if not question.of_classes and not question.of_scored_classes:
        names = question.measures.names
        possible = measure_choice.score_measures(
            names, question.thresholds, question.conditions, probabilities=True, costed=question.costs is not None
        )
        measure_choice.check_margin_names(question.margin, (measure.name for measure in possible))
    predicted = (*question.old_columns, *question.predicted) if question.of_classes else ()
    known = {*question.case_columns, *question.on, *predicted, *question.show} - {question.weighting.column}
    _check_text(question, known, "ids, labels, predictions, groups or clusters")


def _check_rows(question: Question, scores: tuple[str, ...]) -> None:
    """Raise EvaluationError for invalid thresholds, groups, conditions on rows and weights; scores: of one label."""
    check_thresholds(question.thresholds, question.targets)
    refuse({
        f"{option(name)} needs {option('by')}, which names the column of groups": (
            not question.by and getattr(question, name) not in (None, "")
        )
        for name in ("groups", "min_cases", "sort", "compare_groups")
    })  # fmt: skip
    _check_counts(question, "groups", "min_cases", "mistakes")
    if (sort := question.sort) is not None and sort not in SORTED and entry_of(catalogue_name(sort)) is None:
        known, near = f"{', '.join(SORTED)} or the name of a statistic", did_you_mean(sort, [*SORTED, *MEASURES])
        raise EvaluationError(f"{option('sort')} must be {known}, got {sort!r}{near}")
    checked_rows(question.rows, option)
    judged = (question.label, *filter(None, [question.old_score, question.old_predicted]), *question.columns)
    cluster, of_itself = question.cluster, f"{option('cluster')} must be a column of its own"
    in_use = cluster in {*judged, question.weighting.column} - {None}
    refuse({f"{of_itself}, got {cluster!r}, which has another role": in_use})
    others = (*judged, *question.group_columns, *question.on)
    check_weighting(question.weighting, others, of_one_label=bool(scores))


def _check_counts(question: Question, *names: str) -> None:
    """Raise EvaluationError or EvaluationTypeError for options that are no whole numbers from 1 on.  O(names)."""
    for name in names:
        if (given := getattr(question, name)) is not None:
            check(check_integer(given, option(name)) >= 1, option(name), "be at least 1", given)


def _check_text(question: Question, known: Collection[str | None], what: str) -> None:
    refuse({f"{option('text')} must name columns of {what}, got {name!r}": name not in known for name in question.text})


def _check_models(question: Question, tables: int) -> None:
    """Raise EvaluationError unless columns of one kind are named, of the old model where that is needed.  O(models)."""
    given, on, label, score = question.columns, question.on, question.label, option("score")
    of_kinds = {
        "score": (question.scores or question.classes or None, question.old_score or question.old_classes),
        "predicted": (question.predicted or None, question.old_predicted),
        "prefix": (question.prefix, question.old_prefix),
    }
    kinds = [name for name, (new, _) in of_kinds.items() if new is not None] or ["score"]
    kind, others = kinds[0], [f"old_{name}" for name, (_, own) in of_kinds.items() if own and name != kinds[0]]
    of_old = [*question.old_columns, question.old_prefix] if tables == 1 else []
    columns = [each for each in (*given, question.prefix, *of_old) if each is not None]
    other_way = "; or give each model a table of its own" if tables == 1 else ""
    taken = {label, *question.old_columns, *given}.intersection(on)
    old, ids = option(f"old_{kind}"), option("on")
    got = "predicted classes" if question.of_classes else "scores of classes"
    of_one_label = {"positive": question.positive, "threshold": question.thresholds, "costs": question.costs}
    refuse({
        f"give only one of {' and '.join(map(option, kinds))}": len(kinds) > 1,
        f"compare needs either {score} or {option('predicted')}": question.of_runs,
        f"{option(''.join(others[:1]))} does not fit {option(kind)}; give {old}": others,
        f"{old} must name the column of the old model{other_way}": (
            of_kinds[kind][1] is None and (tables == 1 or len(question.scores or question.predicted) > 1)
        ),
        f"columns of models must be distinct, got {_listed(columns)}": _repeats(columns),
        f"{option(kind)} must not be the column of labels, got {label!r}": label in (*given, *question.old_columns),
        **{
            f"{option(name)} needs scores of one label, got {got}": given not in (None, ()) and not question.scores
            for name, given in of_one_label.items()
        },
        f"{ids} must name the column, or columns, that identify a case in both tables": tables > 1 and not on,
        f"{option('allow')} needs several tables, got one": tables == 1 and question.allow,
        f"{ids} must name distinct columns, got {_listed(on)}": _repeats(on),
        f"{ids} must not name columns of labels or predictions, got {min(taken, default='')!r}": taken,
    })  # fmt: skip
    for word in sorted(question.allow):
        near = did_you_mean(word, options.ALLOWED) if "," not in word else "; give several as a list"
        rule = f"be one or more of {', '.join(options.ALLOWED)}"
        check(word in options.ALLOWED, option("allow"), rule, f"{word!r}{near}")


def check_tests(question: Question, methods: Sequence[str]) -> None:
    """Raise EvaluationError for invalid options of intervals, tests and lists; methods: those that there are.  O(1)."""
    for level, name in ((question.confidence, "ci"), (question.margin_level, "margin_level")):
        checked_level(0.95 if level is None else level, option(name))
    check(question.method in methods, option("method"), f"be one of {', '.join(methods)}", shown(question.method))
    _check_counts(question, "resamples")
    name, chosen, stratify = option("ci_method"), question.ci_method, option("stratify")
    by_resamples, resampled = text_option("method", options.BOOTSTRAP), question.method == options.BOOTSTRAP
    has_areas = question.scores or question.of_scored_classes
    refuse({
        f"{name} must be one of {', '.join(options.DIFFERENCE_METHODS)}, got {shown(chosen)}": (
            chosen not in (None, *options.DIFFERENCE_METHODS)
        ),
        f"{name} chooses the interval of ROC AUCs, which need scores": chosen and not has_areas,
        f"{name} chooses the analytic interval of ROC AUCs, got {by_resamples}": chosen and resampled,
        f"{stratify} needs {by_resamples}": question.stratify and not resampled,
        f"{option('margin_level')} needs {option('margin')}": question.margin is None and question.margin_level,
        f"{option('target_prevalence')} needs resamples that keep the cases of each class; add {stratify}": (
            resampled and not question.stratify and question.weighting.target_prevalence is not None
        ),
        f"scores of classes take {text_option('method', options.ANALYTIC)} alone; {option('predicted')} takes others": (
            question.of_scored_classes and question.method != options.ANALYTIC
        ),
    })  # fmt: skip
    check_count(question.seed, option("seed"))
    check_count(question.changed, option("changed"))
    measure_choice.check_margin(question.margin)
