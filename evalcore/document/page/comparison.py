"""A comparison as one HTML file: its document, and the charts that stand in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as replaced
from functools import partial
from typing import Any

import numpy as np

from evalcore import plots
from evalcore.document.charts.images import Plot
from evalcore.document.charts.plots import THRESHOLDS, TIME_INCHES, drawn_scores, is_time, plots_of_scores
from evalcore.document.comparison import CURVES, GROUPING, SCORES, SYSTEMS, ends_of_groups, groupings_of
from evalcore.document.exports import cases_of
from evalcore.document.model import Document, Part
from evalcore.document.page.elements import html_page
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.shown import MOST_CURVES
from evalcore.document.words import comparison as words
from evalcore.evaluation.answers import scores_answer
from evalcore.evaluation.cases import PairedCases, PairedOutcomes
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, MeasureDifference
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.model import Answer
from evalcore.evaluation.outcomes import intervals_of_model
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import FEWEST, grouping_title, listed, number, percent, shown_value
from evalcore.kernels.thresholds import given_number
from evalcore.plots.axes import grey, in_styles, nth_style, plain
from evalcore.plots.groups import figure_height


def as_comparison_html(document: Document, answer: ComparisonAnswer, question: Question, *, script: bool = True) -> str:
    """Write a comparison as an HTML page: its document, charts, and what thresholds decide.  O(n log n) for each model.

    script: whether the page may hold a script.  All names are escaped.  Raises MissingLibraryError if
    matplotlib is missing.
    """
    models, parts = as_report(answer, question), [*document.parts, Part("Notes", name="notes", notes=document.notes)]
    if models is not None and (panel := thresholds_panel(*models, script)):
        if question.thresholds and script:
            given = listed([*map(given_number, question.thresholds)])
            stay = "The sliders do not change the answer, the measures and the changed decisions, each at threshold"
            panel = panel._replace(before=[f"{stay}{'s' * (len(question.thresholds) > 1)} {given}."])
        parts.insert(1 + [part.name for part in parts].index(CURVES), panel)
    cases = cases_of(answer)
    plots = [] if cases is not None and cases < FEWEST else list(comparison_plots(answer, question, models))
    return html_page(document._replace(parts=parts), plots, models=len(answer.models) + 1, script=script)


_DRAWN = Measures(("roc_auc", "average_precision", "maximum_f1", "minimum_expected_cost", "net_benefit"))
"""What charts and thresholds show of models, beside decisions."""
_CURVES = "roc", "precision_recall"
"""The charts of a report that stand in the part of curves."""
_MOST_MODELS = 7
"""New models that have a colour of their own beside the old one."""
_MOST_PAIRS = 4
"""New models whose scores are drawn against those of the old one."""
_BEYOND = 0.5
"""How far the axis of the changes of groups goes beyond the dots, in parts of their range."""


def colours_of(answer: ComparisonAnswer) -> dict[str, int]:
    """Return the number of each model's colour, the first new model's first: that of a report on these in turn.

    >>> from evalcore.evaluation.differences import ModelDifferences
    >>> colours_of(ComparisonAnswer("old", [ModelDifferences("a", []), ModelDifferences("b", [])]))
    {'a': 0, 'old': 1, 'b': 2}
    """
    first, *others = (model.model for model in answer.models)
    return {name: number for number, name in enumerate([first, answer.old, *others])}


def as_report(answer: ComparisonAnswer, question: Question) -> tuple[Answer, Question] | None:
    """Return a report on the compared scores, whose curves and thresholds a page shows; None without them.

    O(n log n) for each model.
    """
    cases, names = answer.cases, [*colours_of(answer)][: _MOST_MODELS + 1]
    if not isinstance(cases, PairedCases) or cases.positive.all() or not cases.positive.any():
        return None
    of_rows = cases._replace(scores={name: cases.scores[name] for name in names}, groups={}, clusters=None)
    given, weighting = question.thresholds[:1], question.weighting
    asked = Question(question.label, tuple(names), thresholds=given, costs=question.costs, weighting=weighting)
    asked = asked._replace(measures=_DRAWN)
    return scores_answer(asked, of_rows, drawn=True), asked


def comparison_plots(
    answer: ComparisonAnswer, question: Question, models: tuple[Answer, Question] | None
) -> Iterator[Plot]:
    """Yield the charts of a comparison; models: as of `as_report`.  O(n log n) for each model when they are drawn."""
    if models is not None and len(drawn_scores(models[0])) == len(models[0].scores):  # none is infinite
        yield from _of_scores(answer, *models)
    numbers = colours_of(answer)
    yield from plots_of_systems(answer, question, numbers)
    for index, (model, by, groups) in enumerate(groupings_of(answer, question)):
        pair = {name: numbers[name] for name in (answer.old, model.model)}
        drawn = _over_time if is_time([each.group for each in groups]) else _of_groups
        yield from drawn(GROUPING.format(index), by, groups, pair, question)


def _of_scores(answer: ComparisonAnswer, models: Answer, question: Question) -> Iterator[Plot]:
    """Yield the charts of the models' scores."""
    for plot in plots_of_scores(models, question):
        if plot.name in _CURVES:
            yield replaced(plot, panel=CURVES)
        elif plot.panel == THRESHOLDS:
            yield plot
    old, scores, weights, positive = answer.old, models.scores, models.weights, models.positive
    at = question.threshold if question.threshold is not None and np.isfinite(question.threshold) else None
    lines = "" if at is None else f"; lines mark the threshold {given_number(at)}"
    for index, new in enumerate(model.model for model in answer.models[:_MOST_PAIRS]):
        caption = f"Scores of {new} against scores of {old}; darker cells hold more cases (log scale){lines}."
        higher = percent(np.count_nonzero(scores[new] > scores[old]) / scores[old].size)
        pair = {old: scores[old], new: scores[new]}
        pairs = partial(plots.plot_score_pairs, positive, pair, threshold=at, sample_weight=weights)
        alt = f"{caption} {new} scores higher in {higher} of the cases."
        yield Plot(f"score_pairs_{index}", caption, pairs, SCORES, alt)


def _title(item: MeasureDifference, question: Question) -> str:
    return f"mean of {item.title}" if question.values else item.title


def _over_time(
    panel: str, by: str, groups: Sequence[GroupDifferences], models: Mapping[str, int], question: Question
) -> Iterator[Plot]:
    """Yield the chart of the differences of groups that are dates or numbers, in their order; models: as below."""
    items, (old, new) = [group.differences[0] for group in groups], models
    found = {side: [getattr(item.found, side) for item in items] for side in ("difference", "low", "high")}
    if np.isnan(found["difference"]).all():
        return
    title, names = _title(items[0], question), [group.group for group in groups]
    options: dict[str, Any] = {"low": found["low"], "high": found["high"], "measure": f"difference in {title}"}

    def draw(*, ax: Any) -> None:
        with in_styles([models[new]]):
            plots.plot_groups(names, {"": found["difference"]}, kind="time", order="given", **options, ax=ax)
        ax.axhline(0, color=grey(), linewidth=0.8, zorder=1, label="_zero")
        ax.set_xlabel(plain(by))

    interval = f"its {100 * question.confidence:g}% interval"
    caption = f"Difference in {title}, {new} less {old}, in the order of {by}, with {interval}."
    ends = (f"{shown_value(names[at])} {words.difference_texts(items[at]).bounded}" for at in (0, -1))
    alt = f"{caption} From {' to '.join(ends)}."
    yield Plot(f"{panel}-changes", caption, draw, panel, alt, (Plot.inches[0], TIME_INCHES))


def _of_groups(
    panel: str, by: str, groups: Sequence[GroupDifferences], models: Mapping[str, int], question: Question
) -> Iterator[Plot]:
    """Yield the chart of the changes of groups, from the old to the new model, with the intervals of the differences.

    models: the numbers of their colours.
    """
    shown = [group for group in ends_of_groups(groups) if not np.isnan(group.differences[0].found.difference)]
    if not shown:
        return
    old, new = models
    items = [group.differences[0] for group in shown]
    names, title = [group.group for group in shown], _title(items[0], question)
    asked: dict[str, Any] = {"sizes": [group.cases for group in shown], "order": "given", "measure": title}
    estimates = {old: [item.old for item in items], new: [item.new for item in items]}
    if bounded := any(map(words.is_bounded, items)):
        for side in ("low", "high"):
            bounds = [item.old + getattr(item.found, side) for item in items]
            asked[side] = {old: [np.nan] * len(items), new: bounds}

    def draw(*, ax: Any) -> None:
        """Draw the models in the colours that they have in all charts."""
        with in_styles([*models.values()]):
            plots.plot_groups(names, estimates, **asked, ax=ax)
        if bounded:
            certain = (item.is_certain for item in items[::-1] if words.is_bounded(item))
            ax.collections[-1].set_color([nth_style(models[new])["color"] if each else grey() for each in certain])
        drawn, (left, right) = np.array([*estimates.values()]), ax.get_xlim()
        low, high = drawn.min(), drawn.max()  # intervals of a few cases may end far from all dots
        if low < high:  # else all dots are at one value
            ax.set_xlim(max(left, low - _BEYOND * (high - low)), min(right, high + _BEYOND * (high - low)))

    changes = [words.difference_texts(item).difference for item in items]
    first, last = (f"{shown_value(names[index])} {changes[index]}" for index in (0, -1))
    caption = f"{title[0].upper()}{title[1:]} of {old} and of {new} by {by}; groups that got worse are listed first."
    if bounded:
        better = "left" if items[0].lower_is_better else "right"
        interval = f"The line through {new} is the {100 * question.confidence:g}% interval of its difference from {old}"
        caption = f"{caption} {interval}: where it lies to the {better} of {old}, the group got better."
        caption = f"{caption} It is coloured where the difference remains after adjustment."
    inches = Plot.inches[0], figure_height(len(shown), 1)
    yield Plot(f"{panel}-changes", caption, draw, panel, f"{caption} From {first} to {last}.", inches)


def plots_of_systems(answer: ComparisonAnswer, question: Question, colours: Mapping[str, int]) -> Iterator[Plot]:
    """Yield the charts of the means of three or more systems, by the first column of groups if there is one.

    colours: their numbers, by system.  At most eight systems, the best, are drawn.  O(n) for each system and column.
    """
    cases, level = answer.cases, question.confidence
    if not isinstance(cases, PairedOutcomes) or not answer.standings:
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
            means = ([by[group.group] for group in shown] for by in found)
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
