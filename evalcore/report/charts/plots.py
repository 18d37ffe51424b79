"""The plots of a report: those of scores, the chart of groups, and those of classes."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from evalcore.evaluation.model import Answer, Section, Statistic
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import listed, number, shown_names, shown_value
from evalcore.inference import Interval
from evalcore.report.charts.classes import plots_of_classes
from evalcore.report.charts.curves import plots_of_scores
from evalcore.report.charts.images import Plot
from evalcore.report.shown_groups import ShownGroups, shown_groups


def plots_of_groups(answer: Answer, question: Question) -> Iterator[Plot]:
    """Yield the chart of groups: the main measure of every model in each.  O(groups)."""
    shown = shown_groups(answer.sections)
    if shown is None or not any(_values(shown, section) for section in shown.models):
        return
    from evalcore import plots
    from evalcore.plots.groups import figure_height

    title, by = shown.measured(shown.models[0], shown.total).title, listed(question.by) if question.by else "group"
    estimates = {
        section.title: [_drawn(shown.measured(section, name)) for name in shown.names] for section in shown.models
    }
    models = shown_names([section.title for section in shown.models])
    totals = {section.title: shown.measured(section, shown.total).value for section in shown.models}
    lines = "the line marks that" if len(totals) == 1 else "the lines mark those"
    caption = f"{title[0].upper()}{title[1:]} of {listed(list(models.values()))} by {by}; {lines} of all cases."
    ends = [_ends_text(shown, section) for section in shown.models]
    height = figure_height(len(shown.names), len(shown.models))
    yield Plot(
        "groups",
        caption,
        partial(
            plots.plot_groups,
            shown.names,
            estimates if len(estimates) > 1 else next(iter(estimates.values())),
            sizes=[shown.items(shown.models[0], name)["cases"].value for name in shown.names],
            total=totals,
            measure=title,
            order="given",
        ),
        panel="groups",
        alt=f"{caption} {' '.join(ends)}",
        inches=(5.6, height),
    )


def _drawn(item: Statistic) -> float | Interval:
    return item.value if item.interval is None or np.isnan(item.value) else item.interval


def _values(shown: ShownGroups, section: Section) -> dict[str, float]:
    """Return the measure of the groups where it is defined.  O(groups)."""
    values = {name: shown.measured(section, name).value for name in shown.names}
    return {name: value for name, value in values.items() if not np.isnan(value)}


def _ends_text(shown: ShownGroups, section: Section) -> str:
    """Say the number of all cases, and the smallest and the largest of the shown groups.  O(groups)."""
    known = _values(shown, section)
    whole = number(shown.measured(section, shown.total).value)
    low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    return (
        f"{section.title}: {whole} in all, from {number(known[low])} ({shown_value(low)}) to {number(known[high])} "
        f"({shown_value(high)})."
    )


def plots_of(answer: Answer, question: Question) -> list[Plot]:
    """Return the plots of a report: curves of scores, areas of groups, a confusion matrix.

    question: what the report answers.  Infinite scores are not drawn, nor are labels of one class.  O(n log n) for each
    plot when it is drawn.
    """
    return [*plots_of_scores(answer, question), *plots_of_groups(answer, question), *plots_of_classes(answer, question)]
