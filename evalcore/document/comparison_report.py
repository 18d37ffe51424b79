"""`evalcore.compare` and its comparison: how this is shown and converted, and the numbers that a gate checks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar

from evalcore.document import exports
from evalcore.document.comparison import comparison_notes
from evalcore.document.formats import Formats, formats_of_comparison
from evalcore.document.report import Exported, checked_names, named_positive, names_of, refuse_columns
from evalcore.document.words.comparison import comparison_sentences
from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, listed_names
from evalcore.evaluation.cases import PairedCases, PairedOutcomes
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.class_differences import cells_by_group, class_value_interval, scored_intervals
from evalcore.evaluation.comparing import OLD, answer_tables, differences_of_models
from evalcore.evaluation.differences import ComparisonAnswer, MeasureDifference, ModelDifferences
from evalcore.evaluation.joining import distinct_names
from evalcore.evaluation.measure_choice import Measures, is_of_scored_classes, parse_compared
from evalcore.evaluation.options import CHANGED, RESAMPLES, asked_periods
from evalcore.evaluation.outcomes import intervals_of_model
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import value_interval
from evalcore.evaluation.statistics.groups import WHOLE
from evalcore.evaluation.thresholds import asked_thresholds, checked_costs
from evalcore.evaluation.weighting import Weighting
from evalcore.gate.checks import GateResult, check_conditions
from evalcore.gate.conditions import Condition, parse_conditions
from evalcore.gate.numbers import GatedNumber
from evalcore.inference import Interval
from evalcore.inference.intervals import checked_level
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.formats import naming
from evalcore.io.frames import from_frame
from evalcore.io.rows import Rows
from evalcore.typing import Period, RocDifferenceMethod, WeightType

_Found = TypeVar("_Found")


@equal_by_content
@dataclass(frozen=True, eq=False, repr=False)
class ComparisonReport(Exported):
    """Differences of measures between an old model and new ones, with intervals, tests and verdicts.

    A difference is always the new model minus the old one.  Comparisons are equal if they have the same numbers
    under the same names.  CSV and data frames have a row for each measure of a model, of all cases and of each group.

    >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
    >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
    >>> report["roc_auc"].old, report["roc_auc"].new
    (0.75, 1.0)
    """

    answer: ComparisonAnswer
    question: Question

    def _compared(self) -> tuple[Any, ...]:
        return tuple(exports.difference_rows(self.answer))

    @property
    def models(self) -> Sequence[ModelDifferences]:
        """What differs between each new model and the old one.  O(1).

        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
        >>> [model.model for model in report.models]
        ['forest']
        """
        return self.answer.models

    @property
    def notes(self) -> list[str]:
        """What a reader must know beside the numbers: rows that were left out, how tests were made.  O(notes).

        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
        >>> report.notes[0]
        "ROC AUC: by a score test with DeLong's variance"
        """
        return comparison_notes(self.answer, self.question)

    @property
    def summary(self) -> str:
        """The answer in words.  O(differences).

        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
        >>> report.summary.partition(":")[0]
        'No claim is made from 2 positives'
        """
        return " ".join(comparison_sentences(self.answer, self.question))

    def __getitem__(self, names: str | tuple[str, ...]) -> MeasureDifference:
        """Return what differs in one measure, such as "roc_auc" or "recall@0.3".  O(differences).

        names: the measure, behind the new model if there are several, and behind the group, such as "carrier=UA", if
        it is one of a group: `report["boosting", "carrier=UA", "roc_auc"]`.

        Raises EvaluationError for other names; the error lists names that work.

        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base", threshold=0.5)
        >>> report["forest", "recall@0.5"].found.difference
        0.5
        """
        *where, measure = (names,) if isinstance(names, str) else names
        models = {model.model: model for model in self.models}
        if len(models) > 1 and not (where and where[0] in models):
            given = ", ".join(map(repr, where)) or "none"
            raise EvaluationError(f"a model must be named first, one of {listed_names(models, 12)}, got {given}")
        model = models[where.pop(0)] if where and where[0] in models else self.models[0]
        differences = model.differences
        if where:
            groups = {f"{by}={group.group}": group for by, found in model.groups.items() for group in found}
            differences = _named(groups, where[0], "a group must be named as COLUMN=VALUE", where).differences
        by_name = {item.measure: item for item in differences}
        known = measure if measure in by_name else measure_name(measure).name
        return _named(by_name, known, "measure must be one that was compared", [measure])

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield the model and the measure of each difference in all cases."""
        return ((model.model, each.measure) for model in self.models for each in model.differences)

    def check(self, conditions: str | Condition | Iterable[str | Condition], confident: bool = False) -> GateResult:
        """Return whether the comparison passes a gate: which numbers meet one of the conditions that make it fail.

        Parameters
        ----------
        conditions : str, Condition, or iterable of either
            Texts as for `evalcore compare --fail-if`, such as "roc_auc drops by 0.005" or "any carrier with 1000
            cases: recall@0.3 < 0.5"; what they name is measured if it was not.
        confident : bool, default False
            Whether a condition must be true of the whole interval of a number.

        Raises
        ------
        EvaluationError
            If a text is no condition, or a number is missing or NaN.

        Notes
        -----
        O(numbers), and the time of the intervals of values that are compared with a limit.

        Examples
        --------
        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
        >>> report.check("roc_auc drops by 0.01").passed
        True
        """
        parsed = parse_conditions(conditions, as_typed=bool(self.question.values))
        return check_conditions(parsed, gated_numbers(self.answer, self.question, parsed), confident)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as nested dictionaries, as `to_json` writes it.  O(differences).

        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
        >>> list(report.to_dict())[:5]
        ['schema_version', 'label', 'old', 'level', 'margin']
        """
        return exports.comparison_tree(self.answer, self.question)

    @property
    def _formats(self) -> Formats:
        return formats_of_comparison(self.answer, self.question)

    def _columns(self) -> dict[str, list[Any]]:
        rows = list(exports.difference_rows(self.answer))
        return {name: [row[index] for row in rows] for index, name in enumerate(exports.ROW)}


def _named(known: Mapping[str, _Found], name: str, rule: str, given: Sequence[str]) -> _Found:
    """Return what has the only name that is given; EvaluationError, with names that are close, for others.  O(names).

    name: the one by which it is known.
    """
    if len(given) > 1 or name not in known:
        near = did_you_mean(given[0], known) or f"; these are {listed_names(known, 12)}"
        raise EvaluationError(f"{rule}, got {', '.join(map(repr, given))}{near}")
    return known[name]


def gated_numbers(
    answer: ComparisonAnswer, question: Question, conditions: Sequence[Condition] = ()
) -> list[GatedNumber]:
    """Return the values and changes of all measures of the new models, and of others that conditions name.

    conditions: values that they name have intervals of their own, which take O(n log n) for each model and measure;
    for groups if a condition is about groups of the column.
    """
    found, bounded = list(_numbers(answer)), _with_bounds(answer, question)
    if question.values:  # means over folds have no intervals
        return [each if question.fold and each.grouping is None else bounded(each) for each in found]
    if missing := _missing(found, conditions):
        asked = question._replace(measures=Measures(tuple(missing)), conditions=())
        further = answer._replace(models=() if answer.cases is None else differences_of_models(answer.cases, asked))
        known = {number.measure for number in found}
        found += (number for number in _numbers(further) if number.measure not in known)
    judged = ((each.scope.column, measure_name(each.measure).stem) for each in conditions if not each.of_change)
    valued = {(column, stem) for column, stem in judged if column or not question.fold}  # means over folds have none
    return [bounded(each) if (each.grouping, measure_name(each.measure).stem) in valued else each for each in found]


def _missing(numbers: Sequence[GatedNumber], conditions: Sequence[Condition]) -> list[str]:
    """Return the measures of conditions that numbers lack; names of no measure are refused later."""
    known = {measure_name(number.measure) for number in numbers}
    stems = {name.stem for name in known}
    found = []
    for condition in conditions:
        name = measure_name(condition.measure)
        if name not in known and (name.name != name.stem or name.stem not in stems):
            with suppress(EvaluationError):
                found.append(parse_compared(condition.measure).name)
    return found


def _numbers(answer: ComparisonAnswer) -> Iterator[GatedNumber]:
    """Yield the numbers of all models, in all cases and in groups.  O(numbers)."""
    of_runs = answer.cases is None  # whose queries are no cases
    for model, by, group, cases, item in exports.differences_in_turn(answer):
        found = item.found
        yield GatedNumber(
            model, item.measure, item.new, change=found.difference, change_low=found.low, change_high=found.high,
            grouping=by or None, group=group if by else None, cases=0 if of_runs else cases or 0, old=item.old,
        )  # fmt: skip


def _with_bounds(answer: ComparisonAnswer, question: Question) -> Callable[[GatedNumber], GatedNumber]:
    """Return what gives a number the interval of its value, if it has one.  O(n log n) for each."""
    cases = answer.cases
    if cases is None:
        return lambda number: number

    @cache
    def by_group(name: str, model: str, grouping: str | None) -> Mapping[str, Interval | None]:
        groups = WHOLE if grouping is None else cases.groups[grouping]
        if isinstance(cases, PairedOutcomes):
            return intervals_of_model(cases, name, model, question.confidence, groups)
        measure = parse_compared(name)
        if isinstance(cases, PairedCases):
            parts = ((group, cases.of_group(grouping, group) if grouping else cases) for group in groups.labels)
            return {group: value_interval(measure, own.scores[model], own, question) for group, own in parts}
        if is_of_scored_classes(measure.measure):
            return scored_intervals(measure.measure, cases, model, question, groups)
        cells = cells_by_group(cases, model, groups)
        return {group: class_value_interval(measure, each, question) for group, each in cells.items()}

    def bounded(number: GatedNumber) -> GatedNumber:
        interval = by_group(number.measure, number.model, number.grouping)[number.group or ""]
        return number if interval is None else number._replace(low=interval.low, high=interval.high)

    return bounded


def compare(
    old: Any,
    new: Any = None,
    *,
    on: str | Sequence[str] | None = None,
    label: str | None = None,
    value: str | Sequence[str] | None = None,
    lower_is_better: str | Sequence[str] | None = None,
    words: Mapping[str, float] | None = None,
    repeats: str | None = None,
    judge: str | None = None,
    score: str | Sequence[str] | Mapping[str, str] | None = None,
    old_score: str | Mapping[str, str] | None = None,
    predicted: str | Sequence[str] | None = None,
    old_predicted: str | None = None,
    positive: Any = None,
    measures: str | Sequence[str] | None = None,
    threshold: float | Sequence[float] | None = None,
    costs: tuple[float, float] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    by_time: str | None = None,
    every: Period | None = None,
    fold: str | Sequence[str] | None = None,
    min_cases: int | None = None,
    cluster: str | None = None,
    ci: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    margin_level: float | None = None,
    method: Literal["analytic", "bootstrap", "permutation"] = "analytic",
    ci_method: RocDifferenceMethod | None = None,
    resamples: int = RESAMPLES,
    stratify: bool = False,
    seed: int = 0,
    changed: int = CHANGED,
    show: str | Sequence[str] | None = None,
    allow: str | Iterable[str] = (),
    weight: str | None = None,
    weight_type: WeightType | None = None,
    target_prevalence: float | None = None,
    nulls: Literal["refuse", "drop"] = "refuse",
    where: Any = None,
    text: str | Sequence[str] | None = None,
    pos_label: Any = None,
) -> ComparisonReport:
    """Compare models on the same cases, as ``evalcore compare`` does for files.

    A difference is always the new model minus the old one.

    Parameters
    ----------
    old : pandas, polars or pyarrow table, polars LazyFrame, DuckDB relation, or mapping of names to arrays
        What `evalcore.evaluate` takes, with the predictions of the old model.
    new : table of the same kinds, sequence of tables, or mapping of names of models to tables, optional
        The predictions of the new model, or of each of several new models, in any order of rows.  By default all models
        are columns of `old`.
    on : str or sequence of str, optional
        The columns that together identify a case, in all tables: text, whole numbers, Booleans or dates.
    label : str
        The column of labels.  Each table may have it.  None beside `value`.
    value : str or sequence of str, optional
        Columns of one number or Boolean for each case in all tables, such as grades: their means are compared in place
        of predictions.  With ``nulls="drop"`` a case that lacks its value in one table does not count.  For three or
        more systems, ``answer.standings`` says which ones cannot be told apart.
    lower_is_better : str or sequence of str, optional
        The columns of `value` in which lower is better, such as a cost.
    words : mapping of str to float, optional
        Values of the words in columns of `value`, such as ``{"C": 1, "P": 0.5, "I": 0}``.
    repeats : 'mean', optional
        Several rows may have one id of `on`, which counts once, with the mean of their values.
    judge : str, optional
        A column of a judge's values for all cases, where `value` has people's values for some of them.  The judge's
        values make the estimates of the differences between people's values more precise.
    score : str, sequence of str or mapping of str to str
        Columns of scores of the new models; or classes and their columns of scores, which are compared without
        thresholds and by the analytic method alone.
    old_score : str or mapping of str to str, optional
        The column of scores of the old model, by default that of the new one; or its columns of the same classes.
    predicted : str or sequence of str, optional
        Columns of predicted classes of the new models, in place of scores.  They are compared with labels as `evaluate`
        does.
    old_predicted : str, optional
        The column of predicted classes of the old model, by default that of the new one.
    positive : str, number or bool, optional
        The positive label, if it is not 1 or True.
    measures : str or sequence of str, optional
        Names of the measures that are compared, such as "roc_auc" or "recall@0.3".  By default those that all cases
        have an interval for.
    threshold : float or sequence of float, optional
        Adds measures of the decisions score >= threshold, and the cases whose decisions changed.
    costs : tuple of two floats, optional
        The costs of a false positive and of a false negative, for measures such as "expected_cost@0.5".
    by : str, or sequence of str or of sequences of str, optional
        Columns of groups, each a grouping of its own; of several columns together, ``by=[("carrier", "month")]``, each
        combination that occurs is a group, with a name such as "AA, 3".
    by_time : str, optional
        A column of dates or times, whose periods are a grouping of their own.
    every : {'hour', 'day', 'week', 'month', 'quarter', 'year'}, default 'month'
        With `by_time`: the periods.  A week is named after its Monday.
    fold : str or sequence of str, optional
        The column of the folds of a cross-validation, or the columns of repeats and folds: models are compared by their
        means over folds, with the corrected resampled t-test.  See `evalcore.inference.paired_t_test`.
    min_cases : int, optional
        Leaves out smaller groups.
    cluster : str, optional
        The column of clusters, such as patients or months, whose cases may depend on each other.
    ci : float, default 0.95
        The level of intervals and verdicts.
    margin : float or mapping of str to float, optional
        The smallest difference that matters, in units of each measure: verdicts are then "superior", "non-inferior",
        "equivalent", "inferior" or "inconclusive".  A mapping has margins of some measures, such as
        ``{"roc_auc": 0.005, "recall": 0.02}``; "recall" means recall at every threshold, or of every class, that has
        no margin of its own.  Measures without a margin are called better, worse or not shown to differ.
    margin_level : float, optional
        The level of the intervals that verdicts with a margin follow from, such as 0.9 for two one-sided tests at 5%.
        By default those are the intervals of `ci`.
    method : {'analytic', 'bootstrap', 'permutation'}, default 'analytic'
        How intervals and p-values are computed; permutations are for predicted classes only.
    ci_method : {'delong-score', 'delong'}, default 'delong-score'
        The analytic interval of differences of ROC AUCs, with its p-value; see `evalcore.inference.compare_roc_auc`.
    resamples : int, default 1000
        Number of resamples or permutations.
    stratify : bool, default False
        Whether resamples keep the number of cases of each class.
    seed : int, default 0
        Seed of the resamples and permutations.
    changed : int, default 10
        Maximum number of cases in each list of changed cases; a page shows up to 100 of them.
    show : str or sequence of str, optional
        Columns whose texts are shown beside the changed cases; both texts, if the old and the new table differ.  The
        page and the JSON contain nothing else of the rows.
    allow : str or iterable of str, optional
        What is counted rather than refused: 'missing' (ids that one table lacks: only the cases of all tables are
        compared), 'repeated' (ids of several rows: the first row counts), 'labels' (labels that disagree: those of the
        new table count).
    weight : str, optional
        The column of the weights of cases: finite numbers, none negative.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What a weight means.  'sampling': how many cases of the population a case stands for.  'frequency': how many
        equal cases there were, a whole number.
    target_prevalence : float, optional
        Reweights the cases so that this fraction of them, above 0 and below 1, is positive.  The prevalence of a group
        may differ.
    nulls : {'refuse', 'drop'}, default 'refuse'
        Whether rows with a null or NaN in a column that is needed are an error, or left out.
    where : str or pyarrow expression, optional
        The condition that rows must meet, as in the SQL of DuckDB.  It is applied to the tables that have its columns,
        and chooses the cases of all.
    text : str or sequence of str, optional
        Columns of labels, predictions, ids or groups that are read as text, whatever their types.
    pos_label : str, number or bool, optional
        Another name for `positive`.

    Returns
    -------
    ComparisonReport

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a column is missing or invalid, ids are missing or repeated, labels disagree, or arguments are incompatible.

    Notes
    -----
    O(n log n).  Columns of labels, groups, clusters and weights come from the new table if it has them, of several from
    the first that has them, else from the old table.  A note counts the cases for which the tables disagree.

    Examples
    --------
    >>> old = {"id": [1, 2, 3, 4], "late": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.6]}
    >>> new = {"id": [4, 3, 2, 1], "score": [0.1, 0.8, 0.3, 0.7]}
    >>> report = compare(old, new, on="id", label="late", score="score")
    >>> report["roc_auc"].old, report["roc_auc"].new, report["roc_auc"].found.difference
    (0.75, 1.0, 0.25)

    Two columns of one table, without ids:

    >>> flights = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
    >>> report = compare(flights, label="late", score="forest", old_score="base", margin={"roc_auc": 0.05})
    >>> report["roc_auc"].verdict, report["roc_auc"].margin
    ('inconclusive', 0.05)
    """
    classes, old_classes = (dict(each) if isinstance(each, Mapping) else None for each in (score, old_score))
    scores, old_column = score if classes is None else [*classes.values()], None if old_classes else old_score
    several = {"score": scores, "predicted": predicted, "on": on, "text": text, "measures": measures, "show": show}
    several |= {"fold": fold, "value": value, "lower_is_better": lower_is_better}
    one: dict[str, Any] = {"old_score": old_column, "old_predicted": old_predicted, "cluster": cluster}
    refuse_columns("by", by)
    names_of("old_score", [*(old_classes or {}).values()])
    single = one | {"label": label, "weight": weight, "by_time": by_time, "judge": judge}
    named, periods = checked_names(several, single), asked_periods(by_time, every)
    allowed = (allow,) if isinstance(allow, str) else allow
    check(isinstance(allowed, Iterable), "allow", "be a string or several", repr(allow), EvaluationTypeError)
    folds = (named["fold"],) if named["fold"][1:] else named["fold"]
    score_columns, measure_names, values = named.pop("score"), named.pop("measures"), named.pop("value")
    question = Question(
        label=label or "", **named, **one, values=values, words=words, repeats=repeats, judge=judge,
        by=(*_groupings(by), *periods, *folds), every=periods, classes=classes,
        scores=() if classes else score_columns,
        measures=Measures(measure_names), positive=named_positive(positive, pos_label, "compare"),
        old_classes=old_classes, thresholds=asked_thresholds(threshold),
        costs=None if costs is None else checked_costs(costs),
        allow=frozenset(allowed), min_cases=min_cases,
        weighting=Weighting(weight, weight_type, target_prevalence), level=checked_level(ci, "ci"), margin=margin,
        margin_level=margin_level, method=method, ci_method=ci_method, resamples=resamples, stratify=stratify,
        seed=seed, changed=changed, rows=Rows(nulls, where),
    )  # fmt: skip
    frames = {OLD: old, **_tables(new)}

    def read(name: str, selection: Selection) -> ColumnArrays:
        with naming(name) if len(frames) > 1 else nullcontext():
            return from_frame(frames[name], selection)

    return ComparisonReport(answer_tables(question, list(frames), read), question)


def _tables(new: Any) -> dict[str, Any]:
    """Return new tables by the names of their models.  O(tables).

    >>> list(_tables([{"a": [1]}, {"a": [2]}]))
    ['new 1', 'new 2']
    """
    if new is None:
        return {}
    are_none = isinstance(new, Mapping | list | tuple) and not new
    check(not are_none, "new", "hold at least one table", "none")
    if isinstance(new, Mapping) and all(map(_is_frame, new.values())):
        return dict(zip(distinct_names(map(str, new), [OLD]), new.values(), strict=True))
    if isinstance(new, Sequence) and not isinstance(new, str | bytes):
        return {f"new {number}": frame for number, frame in enumerate(new, 1)}
    return {"new": new}


def _is_frame(value: Any) -> bool:
    """Whether a value is a table, rather than a column of one."""
    certain = isinstance(value, Mapping) or hasattr(value, "collect_schema") or hasattr(value, "to_table")
    return certain or (hasattr(value, "__arrow_c_stream__") and (hasattr(value, "columns") or hasattr(value, "schema")))


def _groupings(given: Any) -> tuple[str | tuple[str, ...], ...]:
    """Return the column of each grouping, or its columns, of which combinations are groups.  O(names)."""
    if not isinstance(given, list | tuple):
        return names_of("by", given)
    check([] not in given and () not in given, "by", "name at least one column for each grouping", repr(given))
    parted = ((names_of("by", each if isinstance(each, list | tuple) else (each,)), each) for each in given)
    return tuple(names if isinstance(each, list | tuple) else names[0] for names, each in parted)
