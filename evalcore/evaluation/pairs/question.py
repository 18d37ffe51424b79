"""The question that a comparison answers: which models are compared, by what, and what difference matters."""

from collections.abc import Collection, Container, Iterable, Mapping
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.options import option, way_out_of_nulls
from evalcore.evaluation.pairs.measure_names import parse_compared
from evalcore.evaluation.pairs.options import CHANGED, CI_METHODS, RESAMPLES
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting
from evalcore.evaluation.wording import BETWEEN
from evalcore.io.columns import Selection
from evalcore.io.formats import Reading
from evalcore.io.rows import ALL_ROWS, RowFilter, Rows
from evalcore.kernels.thresholds import plain_number
from evalcore.measures.multiclass import DIFFERENTIABLE
from evalcore.validation.values import check_number

Margin: TypeAlias = float | Mapping[str, float] | None
"""One margin for all measures, or margins by measure; None for none."""


class CompareQuestion(NamedTuple):
    """Which models are compared, by what, and what difference matters."""

    label: str
    score: tuple[str, ...] = ()
    """Columns of scores of the new models."""
    old_score: str | None = None
    """The column of scores of the old model; by default that of the new one."""
    predicted: tuple[str, ...] = ()
    """Columns of predicted classes of the new models, in place of scores."""
    old_predicted: str | None = None
    on: tuple[str, ...] = ()
    """Columns that together identify a case; none where all models are columns of one table."""
    allow: frozenset[str] = frozenset()
    """Some of `options.ALLOWED`."""
    positive: str | None = None
    measures: tuple[str, ...] = ()
    """Names of measures, such as "roc_area" or "recall@0.3"; none for those that all cases have an interval for."""
    conditions: tuple[str, ...] = ()
    """Names of measures that conditions are about, beside the others."""
    thresholds: tuple[float, ...] = ()
    """Adds the measures of decisions at each of them, and what changed hands there."""
    by: tuple[str | tuple[str, ...], ...] = ()
    """Columns of groups; each is a grouping of its own, and several together are one of their combinations."""
    min_cases: int | None = None
    """Groups of fewer are left out."""
    cluster: str | None = None
    """The column of clusters, whose cases may depend on each other."""
    weighting: Weighting = UNWEIGHTED
    level: float = 0.95
    margin: Margin = None
    """The smallest difference that matters, in units of each measure, or by the names of some measures."""
    method: Literal["analytic", "bootstrap", "permutation", "wilcoxon"] = "analytic"
    """Where intervals and p-values come from; the bootstrap serves measures that have no other."""
    ci_method: str | None = None
    """The interval of differences of ROC areas, of `options.CI_METHODS`, if one is chosen."""
    resamples: int = RESAMPLES
    stratify: bool = False
    """Whether resamples keep the number of cases of each class."""
    seed: int = 0
    changed: int = CHANGED
    """Number of cases that each list of changed ones holds at most."""
    rows: Rows = ALL_ROWS
    reading: Reading = Reading()
    text: tuple[str, ...] = ()
    """Columns that are read as text, whatever their types."""

    @property
    def of_classes(self) -> bool:
        """Whether models predict classes, rather than scores.  O(1)."""
        return bool(self.predicted)

    @property
    def of_runs(self) -> bool:
        """Whether runs of ranked results are compared, query by query.  O(1)."""
        return not self.columns

    @property
    def area_method(self) -> str:
        """The interval of differences of ROC areas, of `options.CI_METHODS`.  O(1)."""
        return self.ci_method or CI_METHODS[0]

    @property
    def units(self) -> str:
        """What models are compared on.  O(1)."""
        return "queries" if self.of_runs else "cases"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the new models.  O(1)."""
        return self.predicted or self.score

    @property
    def old_column(self) -> str:
        """The column of the old model.  O(1)."""
        return (self.old_predicted if self.of_classes else self.old_score) or self.columns[0]

    @property
    def groupings(self) -> dict[str, tuple[str, ...]]:
        """The columns of each grouping by its name.  O(columns).

        >>> CompareQuestion("late", by=("carrier", ("carrier", "month"))).groupings
        {'carrier': ('carrier',), 'carrier, month': ('carrier', 'month')}
        """
        columns = ((each,) if isinstance(each, str) else each for each in self.by)
        return {BETWEEN.join(each): each for each in columns}

    @property
    def described(self) -> tuple[str, ...]:
        """The columns that describe a case, whatever the model: label, groups, clusters, weights.  O(columns)."""
        others = (self.cluster, self.weighting.column)
        of_groups = chain.from_iterable(self.groupings.values())
        return tuple(dict.fromkeys((self.label, *of_groups, *(name for name in others if name is not None))))

    @property
    def selection(self) -> Selection:
        """What is read of the one table that holds all models, with new counts of rows.  O(columns)."""
        return self._selected((self.old_column, *self.columns), needed=(*self.on, *self.described))

    @property
    def new_selection(self) -> Selection:
        """What is read of the table of a new model, with new counts of rows.  O(columns).

        The condition on rows is left out if the table lacks a column of it.
        """
        return self._selected(self.columns, needed=self.on, optional=self.described, where_possible=True)

    def old_selection(self, found: Container[str] = (), *, filtered: bool = False) -> Selection:
        """Return what is read of the table of the old model.  O(columns).

        What describes a case is needed here if no new table has it; else it is read to be compared, if it is here.
        found: columns that a new table has; filtered: whether the condition on rows was applied to a new table, so that
        it may be left out here.
        """
        lacking = tuple(name for name in self.described if name not in found)
        others = tuple(name for name in self.described if name in found)
        needed = (*self.on, *lacking)
        return self._selected((self.old_column,), needed=needed, optional=others, where_possible=filtered)

    def _selected(
        self,
        models: Iterable[str],
        *,
        needed: Iterable[str],
        optional: tuple[str, ...] = (),
        where_possible: bool = False,
    ) -> Selection:
        weights = () if self.weighting.column is None else (self.weighting.column,)
        labels = [self.label, *(models if self.of_classes else ())]
        parsed = map(parse_compared, (*self.measures, *self.conditions))
        named = [each.threshold for each in parsed if each.threshold is not None and each.measure in DIFFERENTIABLE]
        rows, way_out = None, way_out_of_nulls()
        if not self.rows.are_all:
            of_text = [name for name in labels if name not in self.text]
            rows = RowFilter(self.rows, option, way_out, of_text, where_possible=where_possible)
        return Selection(
            tuple(dict.fromkeys((*needed, *models))),
            numbers=(*(() if self.of_classes else models), *weights),
            text=self.text,
            reading=self.reading,
            rows=rows,
            way_out_of_nulls=way_out,
            optional=optional,
            thresholds=dict.fromkeys(models, (*self.thresholds, *named)),
        )


def check_margin(margin: Margin) -> None:
    """Raise EvaluationError unless margins are finite numbers above 0, one for each measure.  O(margins)."""
    if margin is None:
        return
    of_measures = margin if isinstance(margin, Mapping) else {}
    for name, value in of_measures.items() if of_measures else [("", margin)]:
        what = f"{option('margin')} of {name!r}" if name else option("margin")
        if not 0 < check_number(value, what) < float("inf"):
            raise EvaluationError(f"{what} must be a finite number above 0, got {value!r}")
    if len(set(map(_full_name, of_measures))) < len(of_measures):
        raise EvaluationError(
            f"{option('margin')} must name each measure once, got {', '.join(map(repr, of_measures))}"
        )


def check_margin_names(margin: Margin, compared: Iterable[str]) -> None:
    """Raise EvaluationError for margins of measures that are not compared; compared: their names.  O(measures)."""
    known = list(dict.fromkeys(compared))
    for name in margin if isinstance(margin, Mapping) else ():
        if not any({str(name), _full_name(name)}.intersection(_names_of(measure)) for measure in known):
            at_a_threshold = f" or {option('threshold')}" if _full_name(name) in DIFFERENTIABLE else ""
            near = did_you_mean(name, known) or f"; choose them with {option('measures')}{at_a_threshold}"
            raise EvaluationError(
                f"{option('margin')} must name measures that are compared ({', '.join(known)}), got {name!r}{near}"
            )


def margins_of(margin: Margin, compared: Iterable[str]) -> dict[str, float | None]:
    """Return the margin of each measure, None for those without one; compared: their names.  O(measures x margins).

    A margin of "recall" is that of "recall@0.3" too, unless that has its own.

    >>> margins_of({"recall": 0.02, "recall@0.5": 0.01}, ["roc_area", "recall@0.3", "recall@0.5"])
    {'roc_area': None, 'recall@0.3': 0.02, 'recall@0.5': 0.01}
    """
    names = dict.fromkeys(compared)
    if not isinstance(margin, Mapping):
        return dict.fromkeys(names, margin)
    by_name = {str(name): float(value) for name, value in margin.items()}
    given = {_full_name(name): value for name, value in by_name.items()} | by_name
    return {name: next((given[each] for each in _names_of(name) if each in given), None) for name in names}


def plain_margin(margin: Margin) -> float | dict[str, float] | None:
    """Return margins as JSON holds them.  O(margins)."""
    if isinstance(margin, Mapping):
        return {str(name): float(value) for name, value in margin.items()}
    return None if margin is None else float(margin)


def margin_text(margin: Margin) -> str:
    """Return margins for people; empty for none.  O(margins).

    >>> margin_text(0.005), margin_text({"roc_area": 0.005, "recall": 0.02})
    ('0.005', 'roc_area 0.005, recall 0.02')
    """
    if isinstance(margin, Mapping):
        return ", ".join(f"{name} {plain_number(value)}" for name, value in margin.items())
    return "" if margin is None else plain_number(margin)


def _names_of(measure: str) -> tuple[str, str]:
    """Return the names by which a measure may have a margin: its own, and that without a threshold or a class."""
    return measure, measure.partition("@")[0].partition("[")[0]


def _full_name(name: Any) -> str:
    """Return the name of a measure as comparisons write it; other names, such as those of runs, as they are.  O(1)."""
    try:
        return parse_compared(name).name
    except EvaluationError:
        return str(name)


class ComparedModel(NamedTuple):
    """A column of scores or of predicted classes."""

    name: str
    table: str | None
    """The new table that has it; None for the old one."""
    column: str


def compared_models(question: CompareQuestion, old_name: str, new_names: Collection[str]) -> list[ComparedModel]:
    """Return the models, the old one first, with names of their own.  O(models).

    Models of one table are called as their columns.  Others are called as their tables and, where new tables hold
    several models, also as their columns.

    >>> [model.name for model in compared_models(CompareQuestion("late", ("a", "b"), "base"), "old", [])]
    ['base', 'a', 'b']
    >>> [model.name for model in compared_models(CompareQuestion("late", ("score",)), "old", ["May", "June"])]
    ['old', 'May', 'June']
    >>> [model.name for model in compared_models(CompareQuestion("late", ("a", "b"), "base"), "old", ["new"])]
    ['old', 'a', 'b']
    """
    old, columns = question.old_column, question.columns
    if not new_names:
        return [ComparedModel(column, None, column) for column in (old, *columns)]
    found = [(table, column) for table in new_names for column in columns]
    names = (
        table if len(columns) == 1 else column if len(new_names) == 1 else f"{table} {column}"
        for table, column in found
    )
    named = zip(distinct_names(names, {old_name}), found, strict=True)
    return [ComparedModel(old_name, None, old), *(ComparedModel(name, *model) for name, model in named)]


def distinct_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names with a number behind those that an earlier one has.  O(names).

    >>> distinct_names(["model", "model", "model 2"])
    ['model', 'model 2', 'model 2 2']
    """
    found, used = [], set(taken)
    for name in names:
        own, count = name, 1
        while own in used:
            count += 1
            own = f"{name} {count}"
        used.add(own)
        found.append(own)
    return found
