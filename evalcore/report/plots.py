"""The plots of a report."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from evalcore.report.class_plots import plots_of_classes
from evalcore.report.curve_plots import plots_of_scores
from evalcore.report.images import Plot
from evalcore.report.model import COMPARISONS, Answer, Section
from evalcore.report.question import Question

_MOST_DRAWN_GROUPS = 39
_OF_GROUPS = "roc_area", "accuracy"
"""The first of these that groups have is drawn."""


def plots_of(answer: Answer, question: Question) -> list[Plot]:
    """Return the plots of a report: curves of scores, areas of groups, a confusion matrix.

    question: what the report answers.  Infinite scores are not drawn, nor are labels of one class.  O(n log n) for each
    plot when it is drawn.
    """
    return [*plots_of_scores(answer, question), *_of_groups(answer.sections), *plots_of_classes(answer)]


def _of_groups(sections: Sequence[Section]) -> Iterator[Plot]:
    from evalcore import plots

    for index, section in enumerate(
        section for section in sections if section.whole and section.whole.name != COMPARISONS
    ):
        measure = next(
            name for name in _OF_GROUPS for item in next(iter(section.records.values())) if item.name == name
        )
        areas = [
            (group, next(item for item in items if item.name == measure)) for group, items in section.records.items()
        ]
        defined = [(group, item) for group, item in areas if not np.isnan(item.value)]
        if not defined:
            continue
        *groups, total = defined
        shown = [*groups[:_MOST_DRAWN_GROUPS], total]
        names, items = zip(*shown, strict=True)
        title = items[0].title
        bounds = [(item.interval.low, item.interval.high) if item.interval else (item.value,) * 2 for item in items]
        left_out = f", without {len(areas) - len(shown):,} more" if len(shown) < len(areas) else ""
        yield Plot(
            f"groups_{index}",
            f"{title[0].upper()}{title[1:]} by group, the largest groups first{left_out}, of {section.name}.",
            partial(
                plots.plot_groups,
                list(names),
                [item.value for item in items],
                low=[low for low, _ in bounds],
                high=[high for _, high in bounds],
                measure=title,
                order="given",
            ),
        )
