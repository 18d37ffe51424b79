"""What `plot_groups` draws of each group, from any of the forms that it takes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, shown
from evalcore.inference.intervals import Interval
from evalcore.state.shared import GroupValues
from evalcore.typing import FloatArray, IntArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.values import check_instance


class ModelEstimates(NamedTuple):
    """The estimates of one model, (g,) each."""

    name: str
    estimates: FloatArray
    """NaN where there is none."""
    lows: FloatArray
    highs: FloatArray
    """NaN where there is no interval."""
    has_bounds: bool
    """Whether intervals are given."""
    total: float | None


class GroupRows(NamedTuple):
    """What is drawn of g groups."""

    names: list[str]
    models: list[ModelEstimates]
    sizes: FloatArray | None
    """Shape (g,)."""
    text: str
    """The label of the axis."""
    of_all: str
    """What the line at the total is called."""

    def check_colour(self, color: Any) -> None:
        """Raise EvaluationError for one colour of several models.  O(1)."""
        if color is not None and len(self.models) > 1:
            raise EvaluationError(f"color must be None for several models, which have their own, got {shown(color)}")


class _Source(NamedTuple):
    """What is given of one model, by the names of its groups."""

    values: Mapping[str, Any]
    """Numbers or Intervals."""
    total: Any
    sizes: Mapping[str, float]
    measure: str | None
    of_all: str = "total"
    """What the line at the total is called."""


def group_rows(
    groups: Any, estimates: Any, bounds: tuple[Any, Any], *, sizes: Any, total: Any, measure: str | None
) -> GroupRows:
    """Return what is drawn; arguments as for `plot_groups`.  O(k g).  Raises EvaluationError as it does."""
    if isinstance(groups, GroupValues) or (isinstance(groups, Mapping) and estimates is None):
        each: Any = groups if _is_of_models(groups) else {"": groups}
        if estimates is not None:
            raise EvaluationError(
                "estimates must be None if groups is an evaluation, which has its estimates; name one by measure"
            )
        sources = {str(name): _source(given, measure) for name, given in each.items()}
        names = list(dict.fromkeys(group for source in sources.values() for group in source.values))
        columns = {name: [source.values.get(group, np.nan) for group in names] for name, source in sources.items()}
        first = next(iter(sources.values()), None)
        if first is not None and first.measure is not None:  # all are evaluations, of one measure
            own = {name: source.total for name, source in sources.items()}
            found = np.array([first.sizes.get(group, np.nan) for group in names])
            widths = found if sizes is None else sizes
            return _rows(names, columns, bounds, sizes=widths, totals=own, texts=(first.measure, first.of_all))
    elif estimates is None:
        raise EvaluationError("estimates are needed unless groups is a mapping or a GroupedEvaluation")
    else:
        names = [str(group) for group in groups]
        columns = (
            {str(name): list(given) for name, given in estimates.items()}
            if isinstance(estimates, Mapping)
            else {"": list(estimates)}
        )
    texts = measure or "estimate", "total"
    return _rows(names, columns, bounds, sizes=sizes, totals=total, texts=texts)


def row_order(rows: GroupRows, order: str) -> IntArray:
    """Return the indices of the groups with an estimate, in the order of rows from the bottom.  O(k g + g log g)."""
    by = rows.models[0].estimates if rows.models else np.empty(0)
    for model in rows.models[1:]:
        by = np.where(np.isnan(by), model.estimates, by)
    known = np.flatnonzero(~np.isnan(by))
    if not known.size:
        raise EvaluationError("there must be at least one group with an estimate")
    if order == "given":
        return known[::-1]
    if order == "size" and rows.sizes is None:
        raise EvaluationError("order='size' needs sizes")
    by = rows.sizes if order == "size" and rows.sizes is not None else by
    return known[::-1][np.argsort(by[known[::-1]], kind="stable")]


def _is_of_models(groups: Any) -> bool:
    """Whether a mapping is of models, not of groups.  O(1)."""
    if not isinstance(groups, Mapping) or isinstance(groups, GroupValues):
        return False
    return bool(groups) and all(isinstance(each, Mapping | GroupValues) for each in groups.values())


def _source(given: Any, measure: str | None) -> _Source:
    if not isinstance(given, GroupValues):
        return _Source({str(group): value for group, value in given.items()}, None, {}, None)
    if measure is None and len(given.values) != 1:
        raise EvaluationError(f"measure must be one of {', '.join(given.values)}")
    asked = next(iter(given.values)) if measure is None else check_instance(measure, str, "measure")
    name = given.measure_name(asked)
    groups = [str(group) for group in given.groups.tolist()]
    values, sizes = (dict(zip(groups, column.tolist(), strict=True)) for column in (given.values[name], given.sizes))
    of_all = "mean" if given.weights is None else "weighted mean"
    return _Source(values, given.mean(name), sizes, name, of_all)


def _rows(
    names: list[str],
    columns: Mapping[str, Sequence[Any]],
    bounds: tuple[Any, Any],
    *,
    sizes: Any,
    totals: Any,
    texts: tuple[str, str],
) -> GroupRows:
    """Return what is drawn; texts: the label of the axis, and the name of the line at the totals."""
    text, of_all = texts
    if (bounds[0] is None) != (bounds[1] is None):
        raise EvaluationError("low and high must be given together")
    several = list(columns) != [""]
    intervals = [each for column in columns.values() for each in column if isinstance(each, Interval)]
    lows, highs = (_by_model(given, name, list(columns)) for given, name in zip(bounds, ("low", "high"), strict=True))
    of_models = _by_model(totals, "total", list(columns))
    models = [_model(name, column, (lows[name], highs[name]), of_models[name]) for name, column in columns.items()]
    widths = None if sizes is None else _as_numbers(sizes, "sizes")
    for model in models:
        of = f"estimates[{model.name!r}]" if several else "estimates"
        _check_lengths(names, model.estimates, "groups", of)
        if widths is not None:
            _check_lengths(widths, model.estimates, "sizes", of)
    kinds = {f"{text} ({_kind(each)})" for each in intervals}
    return GroupRows(names, models, widths, kinds.pop() if len(kinds) == 1 else text, of_all)


def _by_model(given: Any, name: str, models: list[str]) -> dict[str, Any]:
    """Return what is given of each model; raises EvaluationError if it is of other models.  O(k)."""
    if models == [""] or given is None:
        return dict.fromkeys(models, next(iter(given.values())) if isinstance(given, Mapping) and given else given)
    if not isinstance(given, Mapping) or {str(model) for model in given} != set(models):
        got = list(given) if isinstance(given, Mapping) else given
        raise EvaluationError(f"{name} must be a mapping of {', '.join(map(repr, models))}, got {shown(got)}")
    return {str(model): value for model, value in given.items()}


def _model(name: str, given: Sequence[Any], bounds: tuple[Any, Any], total: Any) -> ModelEstimates:
    with_bounds = sum(isinstance(each, Interval) for each in given)
    missing = sum(isinstance(each, float) and np.isnan(each) for each in given)
    if with_bounds and with_bounds + missing < len(given):
        raise EvaluationError("estimates must be numbers, or all Intervals")
    if with_bounds:
        columns = zip(*(_parts(each) for each in given), strict=True)
        values, lows, highs = (np.array(column, np.float64) for column in columns)
    else:
        values = _as_numbers(given, "estimates")
        lows, highs = np.full((2, values.size), np.nan)
        if bounds[0] is not None:
            lows, highs = (_as_numbers(each, side) for each, side in zip(bounds, ("low", "high"), strict=True))
            check_equal_lengths(lows, values, "low", "estimates")
            check_equal_lengths(highs, values, "high", "estimates")
    of_all = None if total is None else float(_as_numbers([getattr(total, "estimate", total)], "total")[0])
    has_bounds = bool(with_bounds) or bounds[0] is not None
    return ModelEstimates(name, values, lows, highs, has_bounds, None if of_all is None or np.isnan(of_all) else of_all)


def _kind(interval: Interval) -> str:
    """Return the level of an interval; bounds that hold for certain have none, but a method.  O(1)."""
    return interval.method if interval.level == 1 else f"{100 * interval.level:g}% interval"


def _parts(given: Any) -> tuple[float, float, float]:
    return (given.estimate, given.low, given.high) if isinstance(given, Interval) else (np.nan,) * 3


def _as_numbers(values: Any, name: str) -> FloatArray:
    """Return numbers, perhaps NaN, as float64, shape (n,).  Raises EvaluationError for anything else.  O(n)."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise EvaluationError(f"{name} must be numbers, got {shown(values)}") from None
    if numbers.ndim != 1:
        raise EvaluationError(f"{name} must be one-dimensional, got shape {numbers.shape}")
    return numbers


def _check_lengths(column: Sequence[Any] | FloatArray, values: FloatArray, name: str, of: str) -> None:
    if len(column) != values.size:
        raise EvaluationError(f"{name} and {of} must have the same length, got {len(column)} and {values.size}")
