"""The plots of values of cases, such as grades and costs: how they are distributed, and the means of systems."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore import plots
from evalcore.document.charts.images import Plot
from evalcore.document.comparison import SYSTEMS, ends_of_groups
from evalcore.document.shown import MOST_CURVES, model_records
from evalcore.evaluation.differences import ComparisonAnswer
from evalcore.evaluation.model import Answer
from evalcore.evaluation.outcomes import intervals_of_model
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, grouping_title, number, shown_value
from evalcore.plots.axes import grey, in_styles, nth_style, plain, reference
from evalcore.plots.groups import figure_height
from evalcore.typing import AnyArray, FloatArray

_MOST_BARS, _MOST_BINS, _MOST_TICKS = 30, 50, 11
"""Bars that single values may have, as grades do; bins of other values; values that are named one by one."""
_FENCE = 3.0
"""How many interquartile ranges beyond the quartiles a value is far out: J. W. Tukey, Exploratory Data Analysis."""
_INCHES = 3.2
_JUDGED = ", by people alone"


def plots_of_values(answer: Answer, question: Question, panel: str) -> Iterator[Plot]:
    """Yield the histogram of each column of values, but of 0 and 1, whose mean tells all.  O(n log n) for each."""
    for place, (column, every) in enumerate(answer.values.items(), 1):
        present = ~np.isnan(every)
        values, weights = every[present], None if answer.weights is None else answer.weights[present]
        distinct = np.unique(values)
        if distinct.size < 2 or np.isin(distinct, (0, 1)).all():
            continue
        mean = model_records(answer.sections, "mean")[column]["mean"].value
        whose = f"{shown_value(column)}{_JUDGED * bool(question.judge)}"
        caption = f"Histogram of {whose}; the dashed line marks the mean, {number(mean)}."
        if np.diff(distinct).min() * _MOST_BARS >= np.ptp(distinct):
            amounts, places = np.bincount(distinct.searchsorted(values), weights), distinct
        else:
            ends, bins = _ends(values), min(math.ceil(2 * np.cbrt(values.size)), _MOST_BINS)  # the Rice rule
            amounts, places = np.histogram(values.clip(*ends), bins, ends, weights=weights)
            if beyond := np.count_nonzero((values < ends[0]) | (values > ends[1])):
                far = "1 value" if beyond == 1 else f"{count(int(beyond))} values"
                caption = f"{caption} The outermost bars also hold {far} further out."
        of_weights = weights is not None and not question.weighting.of_frequencies
        titles = {"xlabel": plain(column), "ylabel": "sum of weights" if of_weights else "cases"}
        draw = partial(_draw_values, amounts, places, mean, titles)
        said = f"{caption} Values range from {number(distinct[0])} to {number(distinct[-1])}."
        yield Plot(f"values_{place}", caption, draw, panel, said, (Plot.inches[0], _INCHES))


def _ends(values: FloatArray) -> tuple[float, float]:
    """Return the ends of an axis that few values far out do not stretch.  O(n)."""
    low, lower, upper, high = np.quantile(values, (0, 0.25, 0.75, 1)).tolist()
    fence = _FENCE * (upper - lower) or math.inf  # if half of them are alike, none is far out
    return max(low, lower - fence), min(high, upper + fence)


def _draw_values(amounts: AnyArray, places: FloatArray, mean: float, titles: Mapping[str, str], ax: Any) -> None:
    """Draw a bar at each place, or between each two of them.  O(places)."""
    style = {"color": nth_style(0)["color"], "alpha": 0.7}
    if amounts.size < places.size:
        ax.stairs(amounts, places, fill=True, **style)
    else:
        ax.bar(places, amounts, width=0.8 * np.diff(places).min(), **style)
        if places.size <= _MOST_TICKS:
            ax.set_xticks(places)
    if places[0] <= mean <= places[-1]:
        reference(ax, "mean", [mean, mean], [0, 1], transform=ax.get_xaxis_transform())
    ax.set(**titles)
    ax.set_ylim(bottom=0)


def plots_of_systems(answer: ComparisonAnswer, question: Question, colours: Mapping[str, int]) -> Iterator[Plot]:
    """Yield the charts of the means of three or more systems, by the first column of groups if there is one.

    colours: their numbers, by system.  At most eight systems, the best, are drawn.  O(n) for each system and column.
    """
    cases, level = answer.outcomes, question.confidence
    if cases is None or not answer.standings:
        return
    grouping, changes = next(((by, own) for by, own in answer.models[0].groups.items() if own), ("", []))
    shown = ends_of_groups(changes)
    for place, column in enumerate(question.values, 1):
        ranked = [each for each in answer.standings if each.measure == column]
        best = {each.model: each for each in ranked[:MOST_CURVES]}
        asked: dict[str, Any] = {"measure": f"mean of {column}", "order": "given"}
        if shown:
            drawn = [model for model in colours if model in best]
            found = (intervals_of_model(cases, column, model, level, cases.groups[grouping]) for model in drawn)
            items = ([by[group.group] for group in shown] for by in found)
            means = [[each.estimate if math.isnan(each.low) else each for each in own] for own in items]
            asked |= {"sizes": [group.cases for group in shown], "estimates": dict(zip(drawn, means, strict=True))}
            where = f"by {grouping_title(grouping, question.every)}"
            names = [group.group for group in shown]
        else:
            asked |= {side: [getattr(each, side) for each in best.values()] for side in ("low", "high")}
            asked["estimates"] = [each.mean for each in best.values()]
            names, drawn, where = [*best], [*best][:1], "the best first"
        whose = f"the {len(best)} best systems" if len(ranked) > len(best) else "the systems"
        caption = f"Mean of {shown_value(column)} of {whose} with {100 * level:g}% intervals, {where}."
        caption = f"{caption} Systems with a letter in common in the table were not told apart."
        alt = f"{caption} {', '.join(f'{each.model} {number(each.mean)}' for each in ranked)}."
        styles = [*range(len(drawn))] if len(colours) > MOST_CURVES else [colours[model] for model in drawn]
        draw, inches = partial(_draw_systems, names, styles, asked), figure_height(len(names), len(drawn))
        yield Plot(f"systems_{place}", caption, draw, SYSTEMS, alt, (Plot.inches[0], inches))


def _draw_systems(names: Sequence[str], styles: list[int], asked: Mapping[str, Any], *, ax: Any) -> None:
    """Draw systems by groups in the colours that they have in the whole page, or as rows, in grey.  O(groups)."""
    with in_styles(styles):
        plots.plot_groups(names, **asked, color=None if "sizes" in asked else grey(), ax=ax)
