"""The plots of a report."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from evalcore.report.images import image_of
from evalcore.report.missing import drawn_scores, probabilities
from evalcore.report.model import COMPARISONS, CONFUSION_MATRIX, Answer, CountRecords, Section
from evalcore.report.question import Question
from evalcore.report.tables import MOST_DRAWN_CLASSES

_MOST_DRAWN_GROUPS = 39
_OF_GROUPS = "roc_area", "accuracy"
"""The first of these that groups have is drawn."""


@dataclass(frozen=True, eq=False)
class Plot:
    """A plot that is drawn when it is asked for, once for each kind of image."""

    name: str
    """The name of its file."""
    text: str
    """Its caption."""
    draw: Callable[..., object]
    """Draws it on the matplotlib axes `ax`."""
    panel: str = ""
    """The part of a page where it stands; empty for the panel of plots."""

    alt: str = ""
    """What it shows, with numbers, for those who do not see it; the caption if empty."""
    inches: tuple[float, float] = 4.8, 3.9
    """Width and height of its figure."""

    _images: dict[str, bytes] = field(default_factory=dict, init=False)
    """Images that were drawn before, by their kind."""

    def image(self, kind: str) -> bytes:
        """Return the plot as 'svg', 'png' or `EMBEDDED`, the same bytes for the same data.

        Raises MissingLibraryError if matplotlib is missing.
        """
        if kind not in self._images:
            self._images[kind] = image_of(self.draw, kind, self.inches)
        return self._images[kind]


def plots_of(answer: Answer, question: Question) -> list[Plot]:
    """Return the plots of a report: curves of scores, areas of groups, a confusion matrix.

    question: what the report answers.  Infinite scores are not drawn, nor are labels of one class.  O(n log n) for each
    plot when it is drawn.
    """
    tables = [section.records for section in answer.sections if section.name == CONFUSION_MATRIX]
    shown = [table for table in tables if isinstance(table, CountRecords) and len(table) <= MOST_DRAWN_CLASSES]
    return [*_of_scores(answer), *_of_groups(answer.sections), *map(_of_confusion, shown)]


def _of_scores(answer: Answer) -> Iterator[Plot]:
    positive, scores = answer.positive, drawn_scores(answer)
    if not scores:
        return
    from evalcore import plots

    names = ", ".join(scores)
    every: list[tuple[str, str, Callable[..., Any]]] = [
        ("roc", "ROC curves: true positive rate against false positive rate", plots.plot_roc),
        ("precision_recall", "Precision against recall", plots.plot_precision_recall),
        ("gains", "Fraction of the positives that is found among the highest-scored cases", plots.plot_gains),
    ]
    for name, text, plot in every:
        yield Plot(name, f"{text}, of {names}.", partial(plot, positive, scores))
    if calibrated := probabilities(scores):
        text = f"Fraction of positives against predicted probability, of {', '.join(calibrated)}."
        yield Plot("calibration", text, partial(plots.plot_calibration, positive, calibrated))
    for index, (name, column) in enumerate(scores.items()):
        suffix = f"_{index}" if len(scores) > 1 else ""
        yield Plot(
            f"thresholds{suffix}",
            f"Precision, recall and F1 against the threshold, of {name}.",
            partial(plots.plot_thresholds, positive, column),
            panel="thresholds",
        )
        yield Plot(
            f"distributions{suffix}",
            f"Distributions of the scores of positives and of negatives, of {name}.",
            partial(plots.plot_score_distributions, positive, column),
            panel="thresholds",
        )


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


def _of_confusion(table: CountRecords) -> Plot:
    from evalcore import plots

    return Plot(
        CONFUSION_MATRIX,
        "Confusion matrix: cases by label and prediction.",
        partial(plots.plot_confusion_matrix, table.counts, labels=list(table)),
    )
