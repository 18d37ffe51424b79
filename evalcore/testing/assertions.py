"""Assertions on the scores of models: a new one is not worse than an old one, or one is good enough."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, EvaluationTypeError, check, refuse
from evalcore.evaluation import differences
from evalcore.evaluation.cases import PairedCases, checked_cases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.differences import GroupDifferences, MeasureDifference, judged_differences
from evalcore.evaluation.joining import JoinedTables
from evalcore.evaluation.measure_choice import RESAMPLED, Measures, parse_compared
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import differences_of_scores, value_interval
from evalcore.evaluation.statistics.groups import WHOLE, GroupedRows
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting, check_weighting
from evalcore.evaluation.wording import listed
from evalcore.inference.intervals import checked_level
from evalcore.kernels.thresholds import plain_number
from evalcore.text_tables import number_text
from evalcore.typing import AnyArray, Label, WeightType
from evalcore.validation.arrays import as_numbers, as_scores, check_equal_lengths, check_indices
from evalcore.validation.labels import as_group_names
from evalcore.validation.positive_class import as_positive_mask
from evalcore.validation.values import check_finite_number

_NOT_INFERIOR = differences.SUPERIOR, differences.EQUIVALENT, differences.NON_INFERIOR
_POINT_LEVEL = 0.95
"""The level of intervals that are shown where point estimates decide."""
_GROUPS = "by"
"""The name of a grouping that has none."""
_SHOWN = 5
"""Groups that a message lists."""


def assert_not_worse(
    y_true: ArrayLike,
    old: ArrayLike,
    new: ArrayLike,
    *,
    measure: str = "roc_auc",
    margin: float = 0.0,
    level: float | None = 0.95,
    proven: bool = False,
    by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    min_cases: int | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    pos_label: Label | None = 1,
) -> None:
    """Raise AssertionError if the scores of a new model are worse than those of the old one, on the same cases.

    The message has both values, the interval of the change, what was required, and the groups that got worse most.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    old, new : array-like of shape (n,)
        Scores of the two models, higher for positive cases.
    measure : str, default 'roc_auc'
        What is compared: roc_auc, average_precision, log_loss, brier_score, recall@0.3 (the recall at the threshold
        0.3, and so on) or maximum_f1; the names of `evalcore.compare`.
    margin : float, default 0
        The largest loss that does not matter, in units of the measure, at least 0.  For log_loss and brier_score it is
        a rise.
    level : float or None, default 0.95
        The assertion fails if the paired interval at this level proves a loss of more than the margin.  None: it fails
        if the estimates differ by more.
    proven : bool, default False
        Whether the assertion fails unless the whole interval at `level` shows a loss of less than the margin: a test of
        non-inferiority.  With ``level=0.9`` it is one-sided at 5%.  Without an interval nothing is proven, also where
        scores are the same.
    by : array-like of shape (n,), or a mapping of names to such, optional
        Groups, each of which must not be worse either; levels are adjusted for their number by Bonferroni's bound.
        A column of pandas or polars has a name; that of an array is "by", or ``{"carrier": carriers}`` names it.
    min_cases : int, optional
        Groups of fewer cases are left out.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are, as for `evalcore.evaluate`.
    cluster : array-like of shape (n,), optional
        Clusters, such as users or days, whose cases may depend on each other.
    pos_label : int, float, bool or str, default 1
        The positive class.

    Raises
    ------
    AssertionError
        If the new model is worse.
    EvaluationError, EvaluationTypeError
        If the input is invalid, or an estimate or interval that would decide is not defined.

    Notes
    -----
    Use it to keep a model from getting worse on the same cases; on other cases compare intervals.

    O(n log n).  The intervals are those of `evalcore.compare`: of score tests for ROC AUCs, McNemar's, and others.

    Examples
    --------
    >>> late, base, forest = [1, 1, 0, 0, 1, 0], [0.9, 0.4, 0.5, 0.1, 0.8, 0.3], [0.2, 0.4, 0.5, 0.1, 0.8, 0.3]
    >>> assert_not_worse(late, base, forest)
    >>> assert_not_worse(late, base, forest, margin=0.1, level=None)
    Traceback (most recent call last):
    AssertionError: new is worse than old
      roc_auc: old 0.888889, new 0.666667, change -0.222222 [-0.982308, 0.376569]
      required: a change of at least -0.1
    """
    __tracebackhide__ = True
    with _ShownAtTheTest():
        given = y_true, measure, pos_label, by, min_cases, sample_weight, weight_type, cluster
        what = _asserted("assert_not_worse", given, {"old": old, "new": new}, level, margin)
        rule = "proven must come with a level, and with a margin above 0, the largest loss that does not matter"
        needed = proven and (level is None or margin == 0)
        refuse({f"{rule}; got level={level!r} and margin={margin!r}": needed})
        found = what.differences(WHOLE, what.question)[0].differences[0]
        check(not _is_undefined(found), found.measure, "be defined for both models", _change_text(found))
        unknown = level is not None and not proven and np.isnan(found.found.low) and found.gain < -margin
        way_out = "pass more cases or clusters, or compare the estimates (level=None)"
        check(not unknown, found.measure, "have an interval to prove anything", f"{_change_text(found)}; {way_out}")

        def judged(found: MeasureDifference, _: tuple[str, str] | None = None) -> _Judged:
            """Judge a change: it is worse than the margin allows, or is not proven not to be."""
            fails = found.gain < -margin if level is None else found.verdict == differences.INFERIOR
            value = np.nan if _is_undefined(found) else found.gain
            return _Judged(found.verdict not in _NOT_INFERIOR if proven else fails, value, _change_text(found, proven))

        limit, least = (plain_number(margin), "most") if found.lower_is_better else (plain_number(-margin), "least")
        required = f"a change of at {least} {limit}{_at_level(level, 'worse', proven=proven)}"
        denied = f"new {'is not proven not to be worse' if proven else 'is worse'} than old"
        if message := _failure(what, denied, required, judged(found), judged, listed_below=0.0):
            raise AssertionError(message)


def assert_at_least(
    y_true: ArrayLike,
    y_score: ArrayLike,
    minimum: float,
    *,
    measure: str = "roc_auc",
    level: float | None = None,
    proven: bool = False,
    by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    min_cases: int | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    pos_label: Label | None = 1,
) -> None:
    """Raise AssertionError if a measure of the scores of a model is below a minimum.

    The message has the value, its interval, what was required, and the groups with the lowest values.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores of the model, higher for positive cases.
    minimum : float
        What the measure must reach.
    measure : str, default 'roc_auc'
        What is measured: roc_auc, average_precision, recall@0.3 (the recall at the threshold 0.3, and so on) or
        maximum_f1; the names of `evalcore.compare`, but no loss, of which less is better.
    level : float or None, default None
        None: the assertion fails if the estimate is below the minimum.  A number: it fails if the interval at this
        level proves that the value is.
    proven : bool, default False
        Whether the assertion fails unless the whole interval at `level` reaches the minimum.
    by : array-like of shape (n,), or a mapping of names to such, optional
        Groups, each of which must reach the minimum too; levels are adjusted for their number by Bonferroni's bound.
        A column of pandas or polars has a name; that of an array is "by", or ``{"carrier": carriers}`` names it.
    min_cases : int, optional
        Groups of fewer cases are left out.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are, as for `evalcore.evaluate`.
    cluster : array-like of shape (n,), optional
        Clusters, such as users or days, whose cases may depend on each other.
    pos_label : int, float, bool or str, default 1
        The positive class.

    Raises
    ------
    AssertionError
        If the measure is below the minimum.
    EvaluationError, EvaluationTypeError
        If the input is invalid, or an estimate or interval that would decide is not defined.

    Notes
    -----
    Use it in tests of a model that stands alone; beside the model before it, `assert_not_worse` needs fewer cases.

    O(n log n); for maximum_f1 and the like, the interval comes from the bootstrap.

    Examples
    --------
    >>> late, forest = [1, 1, 0, 0, 1, 0], [0.2, 0.4, 0.5, 0.1, 0.8, 0.3]
    >>> assert_at_least(late, forest, 0.6)
    >>> assert_at_least(late, forest, 0.7)
    Traceback (most recent call last):
    AssertionError: scores are not good enough
      roc_auc: 0.666667 [0.161079, 0.954197]
      required: at least 0.7
    """
    __tracebackhide__ = True
    with _ShownAtTheTest():
        check_finite_number(minimum, "minimum", "assert_at_least")
        check(not proven or level is not None, "proven", "come with a level", "level=None")
        given = y_true, measure, pos_label, by, min_cases, sample_weight, weight_type, cluster
        models = {"y_score": y_score, "again": y_score}  # a comparison has two
        what = _asserted("assert_at_least", given, models, level)
        got = f"{what.measure.name!r}; compare two models by it (assert_not_worse)"
        check(not what.measure.lower_is_better, "measure", "be one of which more is better", got)
        found = what.differences(WHOLE, what.question)[0].differences[0]

        def judged(found: MeasureDifference, group: tuple[str, str] | None = None) -> _Judged:
            """Judge a value: it is below the minimum, or is not proven to reach it.  O(n log n)."""
            cases, question = (what.cases, what.question) if group is None else (what.cases.of_group(*group), of_groups)
            interval = value_interval(what.measure, cases.scores["y_score"], cases, question)
            value, low, high = (found.new, np.nan, np.nan) if interval is None else (interval.estimate, *interval)
            fails = value < minimum if level is None else high < minimum
            shown = f"{number_text(value)}{_bounds_text(low, high)}"
            return _Judged(not low >= minimum if proven else fails, value, shown, has_bounds=not np.isnan(low))

        of_groups, whole = what.of_groups, judged(found)
        check(not np.isnan(whole.value), found.measure, "have a value to compare with the minimum", whole.text)
        is_known = level is None or proven or whole.has_bounds
        check(is_known, found.measure, "have an interval to compare with the minimum", whole.text)
        required = f"at least {plain_number(minimum)}{_at_level(level, 'less', proven=proven)}"
        if message := _failure(what, "scores are not good enough", required, whole, judged):
            raise AssertionError(message)


class _Asserted(NamedTuple):
    """What an assertion is about."""

    measure: MeasureName
    cases: PairedCases
    question: Question
    """Of all cases."""

    def differences(self, groups: GroupedRows, question: Question) -> list[GroupDifferences]:
        """Return the judged differences in groups.  O(n log n)."""
        return judged_differences(differences_of_scores, self.cases, groups, question)[0]

    @property
    def of_groups(self) -> Question:
        """The question of groups: its intervals hold all groups at the level together, by Bonferroni's bound."""
        count = sum(len(groups.names) for groups in self.cases.groups.values())
        return self.question._replace(level=1 - (1 - self.question.confidence) / max(count, 1))


class _Judged(NamedTuple):
    """What was found in all cases or in a group."""

    fails: bool
    value: float
    """The number that decides which groups are the worst, those with the least; NaN where it is not defined."""
    text: str
    has_bounds: bool = False
    group: str = ""
    """Such as "carrier=UA"."""
    cases: int = 0


_Judge: TypeAlias = Callable[[MeasureDifference, tuple[str, str] | None], _Judged]


class _ShownAtTheTest:
    """Lets pytest show errors about what was passed at the line of the test, without the checks that found them."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        __tracebackhide__ = True
        if isinstance(error, EvaluationError | EvaluationTypeError):
            raise error.with_traceback(None) from None


def _asserted(
    function: str, given: Sequence[Any], scores: dict[str, Any], level: float | None, margin: float = 0.0
) -> _Asserted:
    """Return what an assertion is about; scores: by model.  O(n log n).  Raises EvaluationError for invalid input."""
    y_true, measure, pos_label, by, min_cases, sample_weight, weight_type, cluster = given
    parsed = parse_compared(measure)
    is_resampled, rule = parsed.measure in RESAMPLED, f"be left out for {parsed.name}, whose intervals are resampled"
    check(by is None or not is_resampled, "by", rule, "groups")
    check_finite_number(margin, "margin", function)
    check(margin >= 0, "margin", "not be negative", repr(margin))
    check_indices(y_true=y_true, **scores, sample_weight=sample_weight, cluster=cluster)
    positive = as_positive_mask(y_true, pos_label, function)
    checked = {name: as_scores(column, name) for name, column in scores.items()}
    weighting = Weighting("sample_weight", weight_type)
    check_weighting(weighting, (), of_one_label=True)
    if sample_weight is not None:
        checked["sample_weight"] = as_numbers(sample_weight, "sample_weight")
    if cluster is not None:
        checked["cluster"] = as_group_names(cluster, "cluster")
    groups = _group_columns(by, y_true)
    for name, each in [*checked.items(), *groups.items()]:
        check_equal_lengths(positive, each, "y_true", name)
    question = Question("y_true", tuple(scores), by=tuple(groups), measures=Measures((parsed.name,)))
    question = question._replace(level=_POINT_LEVEL if level is None else checked_level(level), min_cases=min_cases)
    weighted = weighting if "sample_weight" in checked else UNWEIGHTED
    clusters = "cluster" if "cluster" in checked else None
    question = question._replace(weighting=weighted, cluster=clusters, margin=float(margin))
    groupings = {name: (f"by[{name!r}]",) for name in groups}  # no name of another column
    table = {"y_true": positive, **checked, **{column: groups[name] for name, [column] in groupings.items()}}
    tables = JoinedTables.alone(question, table)._replace(groupings=groupings)
    cases: Any = checked_cases(question, tables, level).cases
    return _Asserted(parsed, cases, question)


def _group_columns(by: Any, y_true: Any) -> dict[str, AnyArray]:
    """Return the columns of groups, by their names."""
    if not isinstance(by, Mapping):  # pandas and polars know the names of columns
        by = {} if by is None else {getattr(by, "name", None) or _GROUPS: by}
    check_indices(y_true=y_true, **{f"by[{name!r}]": column for name, column in by.items()})
    groups = {str(name): np.asarray(column) for name, column in by.items()}
    for column in groups.values():
        got = f"shape {column.shape}; pass several columns as {{'carrier': carriers, 'month': months}}"
        check(column.ndim == 1, "by", "be a column, or a mapping of names to columns", got)
    return groups


def _failure(
    what: _Asserted, denied: str, required: str, whole: _Judged, judged: _Judge, *, listed_below: float = np.inf
) -> str | None:
    """Return the message of an assertion that fails; None if its claim holds.  O(groups log groups).

    denied: what a message begins with; whole: in all cases; judged: of a difference, and a grouping and its group;
    listed_below: groups of at least this value are not listed where only all cases fail.  Raises EvaluationError if a
    group has no value.
    """
    groups = [
        judged(group.differences[0], (by, group.group))._replace(group=f"{by}={group.group}", cases=group.cases)
        for by, grouped in what.cases.groups.items()
        for group in what.differences(grouped, what.of_groups)
    ]
    if lacking := [group.group for group in groups if np.isnan(group.value)]:
        got = f"nan in {listed(lacking)}; leave out small groups (min_cases=N), or pass another measure"
        raise EvaluationError(f"{what.measure.name} must be defined in every group, got {got}")
    bad = [group for group in groups if group.fails]
    if not whole.fails and not bad:
        return None
    worst = bad or [group for group in groups if group.value < listed_below]
    where = "" if whole.fails else f" in {len(bad):,} of {len(groups):,} group{'s' * (len(groups) != 1)}"
    lines = [f"{denied}{where}", f"  {what.measure.name}: {whole.text}", f"  required: {required}"]
    lines += [f"  worst groups, intervals at level {what.of_groups.confidence:.6g}:"] * bool(worst)
    for each in sorted(worst, key=lambda group: group.value)[:_SHOWN]:
        lines.append(f"    {each.group} ({each.cases:,} case{'s' * (each.cases != 1)}): {each.text}")
    return "\n".join([*lines, *([f"    and {len(worst) - _SHOWN:,} more"] if len(worst) > _SHOWN else [])])


def _is_undefined(found: MeasureDifference) -> bool:
    """Whether a model has no value, or one by convention, such as precision where it predicts no case.  O(1)."""
    return bool(np.isnan(found.found.difference)) or found.found.method == differences.NOT_PREDICTED


def _change_text(found: MeasureDifference, bounded: bool = False) -> str:
    """Write both values and the change; bounded: and that it has no interval, if it has none."""
    low, high = found.found.low, found.found.high
    change = f"{number_text(found.found.difference)}{_bounds_text(low, high)}"
    change += " without an interval" if bounded and np.isnan(low) else ""
    change += ", where a model predicts no case of the class" if found.found.method == differences.NOT_PREDICTED else ""
    return f"old {number_text(found.old)}, new {number_text(found.new)}, change {change}"


def _bounds_text(low: float, high: float) -> str:
    return "" if np.isnan(low) or np.isnan(high) else f" [{number_text(low)}, {number_text(high)}]"


def _at_level(level: float | None, otherwise: str, *, proven: bool) -> str:
    """Say how certain a number must be."""
    if level is None:
        return ""
    return f", {'proven' if proven else f'or not certainly {otherwise}'} at level {level:g}"
