"""Assertions on the scores of models: a new one is not worse than an old one, or one is good enough."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.evaluation.differences import (
    EQUIVALENT,
    INFERIOR,
    NON_INFERIOR,
    NOT_PREDICTED,
    SUPERIOR,
    MeasureDifference,
    one_sided_bounds,
)
from evalcore.evaluation.score_differences import score_differences, value_interval
from evalcore.inference import Interval
from evalcore.kernels.thresholds import plain_number
from evalcore.testing.claims import Asserted, CaseColumns, Claim, ShownAtTheTest, asserted, failure, found_in_groups
from evalcore.text_tables import number_text
from evalcore.typing import Label, WeightType
from evalcore.validation.values import check_finite_number

_NOT_INFERIOR = SUPERIOR, EQUIVALENT, NON_INFERIOR


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
        Whether the assertion fails unless the interval proves that the loss is less than the margin: a test of
        non-inferiority, one-sided at `level`.  Without an interval nothing is proven, also where scores are the same.
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
      roc_auc: old 0.888889, new 0.666667, change -0.222222 [-0.92262, 0.478175]
      required: a change of at least -0.1
    """
    __tracebackhide__ = True
    with ShownAtTheTest():
        columns = CaseColumns(y_true, pos_label, by, min_cases, sample_weight, weight_type, cluster)
        what = asserted("assert_not_worse", columns, {"old": old, "new": new}, measure, level=level, margin=margin)
        if proven and (level is None or margin == 0):
            raise EvaluationError(
                f"proven must come with a level, and with a margin above 0, the largest loss that does not matter; got "
                f"level={level!r} and margin={margin!r}"
            )
        [[found]] = score_differences(what.cases, what.question)
        if _is_undefined(found):
            raise EvaluationError(f"{found.measure} must be defined for both models, got {_change_text(found)}")
        if level is not None and not proven and np.isnan(found.found.low) and found.gain < -margin:
            raise EvaluationError(
                f"{found.measure} must have an interval to prove anything, got {_change_text(found)}; pass more cases "
                "or clusters, or compare the estimates (level=None)"
            )
        claim = Claim(
            f"new {'is not proven not to be worse' if proven else 'is worse'} than old",
            _required_change(found, margin, level, proven=proven),
            partial(_is_worse, margin=margin, level=level, proven=proven),
            lambda each: np.nan if _is_undefined(each) else each.gain,
            partial(_change_text, one_sided=proven),
            listed_below=0.0,
        )
        if message := failure(what, claim, found, found_in_groups(what, lambda each, _: each)):
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
        As for `assert_not_worse`, but not a loss, of which less is better.
    level : float or None, default None
        None: the assertion fails if the estimate is below the minimum.  A number: it fails if the interval at this
        level proves that the value is.
    proven : bool, default False
        Whether the assertion fails unless the whole interval at `level` reaches the minimum.
    by, min_cases
        Groups, each of which must reach the minimum too, as for `assert_not_worse`.
    sample_weight, weight_type, cluster, pos_label
        As for `assert_not_worse`.

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
    with ShownAtTheTest():
        check_finite_number(minimum, "minimum", "assert_at_least")
        if proven and level is None:
            raise EvaluationError("proven must come with a level, got level=None")
        columns = CaseColumns(y_true, pos_label, by, min_cases, sample_weight, weight_type, cluster)
        models = {"y_score": y_score, "again": y_score}  # a comparison has two
        what = asserted("assert_at_least", columns, models, measure, level=level)
        if what.measure.lower_is_better:
            raise EvaluationError(
                f"measure must be one of which more is better, got {what.measure.name!r}; compare two models by it "
                "(assert_not_worse)"
            )
        [[found]] = score_differences(what.cases, what.question)
        value = _interval(what, found)
        if np.isnan(value.estimate) or (level is not None and not proven and np.isnan(value.low)):
            lack = "a value" if np.isnan(value.estimate) else "an interval"
            raise EvaluationError(
                f"{found.measure} must have {lack} to compare with the minimum, got {_value_text(value)}"
            )
        shown = "" if level is None else f", {'proven' if proven else 'or not certainly less'} at level {level:g}"
        claim = Claim(
            "scores are not good enough",
            f"at least {plain_number(minimum)}{shown}",
            partial(_is_below, minimum=minimum, level=level, proven=proven),
            lambda each: each.estimate,
            _value_text,
        )
        if message := failure(what, claim, value, found_in_groups(what, partial(_interval, what))):
            raise AssertionError(message)


def _is_undefined(found: MeasureDifference) -> bool:
    """Whether a model has no value, or one by convention, such as precision where it predicts no case.  O(1)."""
    return bool(np.isnan(found.found.difference)) or found.found.method == NOT_PREDICTED


def _is_worse(found: MeasureDifference, margin: float, level: float | None, *, proven: bool) -> bool:
    """Whether a change is worse than the margin allows, or is not proven not to be.  O(1)."""
    if level is None:
        return bool(found.gain < -margin)
    return found.verdict not in _NOT_INFERIOR if proven else found.verdict == INFERIOR


def _is_below(value: Interval, minimum: float, level: float | None, *, proven: bool) -> bool:
    """Whether a value is below the minimum, or is not proven to reach it.  O(1)."""
    if level is None:
        return bool(value.estimate < minimum)
    return not value.low >= minimum if proven else bool(value.high < minimum)


def _interval(what: Asserted, found: MeasureDifference, group: tuple[str, str] | None = None) -> Interval:
    """Return the interval of the value in all cases or in a group; bounds are NaN if it has none.  O(n log n)."""
    cases = what.cases if group is None else what.cases.of_group(*group)
    question = what.question if group is None else what.of_groups
    interval = value_interval(what.measure, cases.scores["y_score"], cases, question)
    return Interval(found.new, np.nan, np.nan, question.confidence, "") if interval is None else interval


def _change_text(found: MeasureDifference, *, one_sided: bool = False) -> str:
    """Write both values and the change; one_sided: with the bounds of one-sided tests."""
    low, high = one_sided_bounds(found) if one_sided else (found.found.low, found.found.high)
    change = f"{number_text(found.found.difference)}{_bounds_text(low, high)}"
    change += " without an interval" if one_sided and np.isnan(low) else ""
    change += ", where a model predicts no case of the class" if found.found.method == NOT_PREDICTED else ""
    return f"old {number_text(found.old)}, new {number_text(found.new)}, change {change}"


def _value_text(value: Interval) -> str:
    return f"{number_text(value.estimate)}{_bounds_text(value.low, value.high)}"


def _bounds_text(low: float, high: float) -> str:
    return "" if np.isnan(low) or np.isnan(high) else f" [{number_text(low)}, {number_text(high)}]"


def _required_change(found: MeasureDifference, margin: float, level: float | None, *, proven: bool) -> str:
    """Say what change is required."""
    limit, least = (plain_number(margin), "most") if found.lower_is_better else (plain_number(-margin), "least")
    required = f"a change of at {least} {limit}"
    if level is None:
        return required
    return (
        f"{required}, proven at level {level:g}" if proven else f"{required}, or not certainly worse at level {level:g}"
    )
