"""The charts of a comparison: the curves of the models, what each group gained, and score against score."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.comparison.output.number_texts import difference_texts, is_bounded, short_texts
from evalcore.comparison.output.tables import ends_of_groups
from evalcore.evaluation.cases import PairedCases, RankedColumns
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, ModelDifferences
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import listed, percent, shown_value
from evalcore.optional import require
from evalcore.plots.axes import COLOURS, nth_style, reference, styled
from evalcore.report.charts.curves import ReportModels
from evalcore.report.charts.images import Plot

CURVES, SCORES = "curves", "scores"
"""Parts of a page where charts of scores stand; those of groups stand in the part of their column."""
_MOST_MODELS = 7
"""New models that have a colour of their own beside the old one."""
_MOST_PAIRS = 4
"""New models whose scores are drawn against those of the old one."""
_AREA = 0.22
"""How much of the area between two curves is seen through."""


def group_panel_name(index: int) -> str:
    """Return the name of the panel of a grouping, by its number on the page.  O(1)."""
    return f"by-{index}"


def comparison_plots(answer: ComparisonAnswer, question: Question) -> Iterator[Plot]:
    """Yield the charts of a comparison.  O(n log n) for each model when they are drawn."""
    yield from _of_scores(answer, question)
    numbers = {model.model: index for index, model in enumerate(answer.models, 1)}
    for index, (model, by, groups) in enumerate(groupings_of(answer)):
        models = {answer.old: 0, model.model: numbers[model.model]}
        yield from _of_groups(group_panel_name(index), by, groups, models, question)


def groupings_of(answer: ComparisonAnswer) -> Iterator[tuple[ModelDifferences, str, Sequence[GroupDifferences]]]:
    """Yield each model with each of its groupings.  O(models x groupings)."""
    for model in answer.models:
        for by, groups in model.groups.items():
            yield model, by, groups


def _of_scores(answer: ComparisonAnswer, question: Question) -> Iterator[Plot]:
    """Yield the curves of the models: none of infinite scores, or of labels of one class."""
    cases = answer.cases
    if cases is None or cases.positive.all() or not cases.positive.any():
        return
    names = [answer.old, *(model.model for model in answer.models[:_MOST_MODELS])]
    scores = {name: cases.scores[name] for name in names}
    if not all(np.isfinite(column).all() for column in scores.values()):
        return
    models = ReportModels(RankedColumns(cases.positive, scores, cases.amounts), question.weighting)
    yield from _curves(answer, names, models)
    for index, new in enumerate(names[1 : 1 + _MOST_PAIRS]):
        yield _score_pairs(f"score_pairs_{index}", cases, (answer.old, new), question)


def _curves(answer: ComparisonAnswer, names: Sequence[str], models: ReportModels) -> Iterator[Plot]:
    from evalcore import plots

    whose = listed(names)
    between = "; the area between the two curves is shaded" if len(names) == 2 else ""
    drawn = {
        "roc": ("ROC curves", "roc_area", plots.plot_roc),
        "precision_recall": ("Precision-recall curves", "average_precision", plots.plot_precision_recall),
    }
    for name, (title, measure, plot) in drawn.items():
        text = f"{title} of {whose}{between}."
        said = [
            f"{item.title} of {model.model}: {short_texts(item).new}, {answer.old}: {short_texts(item).old}"
            for model in answer.models
            for item in model.differences
            if item.measure == measure
        ]
        yield Plot(name, text, partial(_draw_curves, plot, names, models), CURVES, f"{text} {'. '.join(said)}.")


def _draw_curves(plot: Any, names: Sequence[str], models: ReportModels, *, ax: Any) -> None:
    """Draw the curves of models and, of two, shade what lies between them."""
    plot({name: models[name] for name in names}, ax=ax)
    if len(names) != 2:
        return
    old, new = (line.get_xydata() for line in ax.get_lines()[:2])
    outline = np.concatenate([old, new[::-1]])
    ax.fill(*outline.T, color=COLOURS[1], alpha=_AREA, linewidth=0, label="_between", zorder=1)


def _score_pairs(name: str, cases: PairedCases, models: tuple[str, str], question: Question) -> Plot:
    """Return the chart of the scores of a new model against those of the old one."""
    from evalcore import plots

    old, new = models
    text = f"Scores of {new} against those of {old}: the stronger the colour, the more cases, on a logarithmic scale."
    higher = np.count_nonzero(cases.scores[new] > cases.scores[old]) / cases.positive.size
    said = f"{text} {new} scores higher in {percent(higher)} of the cases."
    at = question.thresholds[0] if question.thresholds and np.isfinite(question.thresholds[0]) else None
    scores = {model: cases.scores[model] for model in models}
    draw = partial(plots.plot_score_pairs, cases.positive, scores, threshold=at, sample_weight=cases.amounts)
    return Plot(name, text, draw, SCORES, said)


def _of_groups(
    panel: str, by: str, groups: Sequence[GroupDifferences], models: Mapping[str, int], question: Question
) -> Iterator[Plot]:
    """Yield the dumbbells of groups from the old to the new model, and the intervals of their differences.

    models: the numbers of their colours.
    """
    shown = [group for group in ends_of_groups(groups) if not np.isnan(group.differences[0].found.difference)]
    if not shown:
        return
    from evalcore import plots
    from evalcore.plots.groups import figure_height

    old, new = models
    items = [group.differences[0] for group in shown]
    names, title = [group.group for group in shown], items[0].title
    rows: dict[str, Any] = {"sizes": [group.cases for group in shown], "order": "given"}
    first, last = (f"{shown_value(names[index])} {difference_texts(items[index]).difference}" for index in (0, -1))
    ends, inches = f"From {first} to {last}.", (5.6, figure_height(len(shown), 2))

    def draw_dumbbells(*, ax: Any) -> None:
        """Draw the measure of both models in each group, in the colours that the models have in all charts."""
        estimates = {old: [item.old for item in items], new: [item.new for item in items]}
        own = {name: [nth_style(number)[name] for number in models.values()] for name in ("color", "linestyle")}
        with styled({"axes.prop_cycle": require("matplotlib", "plots").cycler(**own)}):
            plots.plot_groups(names, estimates, measure=title, **rows, ax=ax)

    def draw_differences(*, ax: Any) -> None:
        """Draw the difference of each group with its interval, in the colour of the new model, and a line at 0."""
        bounds: dict[str, Any] = {}
        if any(map(is_bounded, items)):
            bounds = {"low": [item.found.low for item in items], "high": [item.found.high for item in items]}
        changes, colour = [item.found.difference for item in items], nth_style(models[new])["color"]
        plots.plot_groups(names, changes, measure=f"difference in {title}", color=colour, **bounds, **rows, ax=ax)
        reference(ax, "no difference", [0, 0], ax.get_ylim())

    text = f"{capitalised(title)} of {old} and of {new} by {by}; the groups that got worse stand first."
    yield Plot(f"{panel}-dumbbells", text, draw_dumbbells, panel, f"{text} {ends}", inches)
    text = f"Difference in {title}, {new} less {old}, by {by}, with {100 * question.confidence:g}% intervals."
    better = "below" if items[0].lower_is_better else "above"
    text = f"{text} Where the interval lies {better} 0, the group got better."
    yield Plot(f"{panel}-differences", text, draw_differences, panel, f"{text} {ends}", inches)


def capitalised(title: str) -> str:
    """Return a title with a capital letter.  O(1)."""
    return f"{title[0].upper()}{title[1:]}"
