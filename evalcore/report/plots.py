"""The plots of a report."""

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from evalcore.errors import UndefinedMetricWarning
from evalcore.optional import require
from evalcore.report.model import Answer, Section

_INCHES = 5.2, 4.2
_MOST_GROUPS = 39
_MOST_CLASSES = 30


@dataclass(frozen=True, eq=False)
class Picture:
    """A plot, drawn when it is asked for, and once for each kind of image.

    >>> Picture("line", "A line.", lambda ax: ax.axhline(0)).name
    'line'
    """

    name: str
    """Of its file."""
    text: str
    """What it shows, for those who see it and those who do not."""
    draw: Callable[..., object]
    """Draws it on the axes of matplotlib that it is given as `ax`."""

    _images: dict[str, bytes] = field(default_factory=dict, init=False)
    """What was drawn before, by its kind."""

    def image(self, kind: str) -> bytes:
        """Return the plot as SVG or PNG, the same bytes for the same data.

        kind: 'svg' or 'png'.  Raises MissingLibraryError where matplotlib is missing.

        >>> Picture("line", "A line.", lambda ax: ax.axhline(0)).image("png")[1:4]
        b'PNG'
        """
        if kind not in self._images:
            self._images[kind] = self._drawn(kind)
        return self._images[kind]

    def _drawn(self, kind: str) -> bytes:
        """Draw on a figure of its own: the layout of one that was saved before depends on how."""
        matplotlib, figures = require("matplotlib", "plots"), require("matplotlib.figure", "plots")
        stream = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "evalcore"}), warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            figure = figures.Figure(figsize=_INCHES, layout="constrained")
            self.draw(ax=figure.add_subplot())
            figure.savefig(stream, format=kind, dpi=200, metadata={"Date": None} if kind == "svg" else {})
        return stream.getvalue()


def pictures(answer: Answer) -> list[Picture]:
    """Return what there is to see of a report: curves of scores, areas of groups, a confusion matrix.

    Columns with infinite scores are not drawn, nor is one class alone.  O(n log n) for each when it is drawn.

    >>> from evalcore.report.question import Question, answer
    >>> columns = {"late": np.array([1, 0]), "model": np.array([0.9, 0.1])}
    >>> [picture.name for picture in pictures(answer(Question("late", ("model",)), lambda selection: columns))][:2]
    ['roc', 'precision_recall']
    """
    confusion = [section for section in answer.sections if section.name == "confusion_matrix"]
    return [*_of_scores(answer), *_of_groups(answer.sections), *map(_of_confusion, filter(_fits, confusion))]


def _of_scores(answer: Answer) -> Iterator[Picture]:
    if answer.positive is None or answer.positive.all() or not answer.positive.any():
        return
    from evalcore import plots

    positive = answer.positive
    scores = {name: column for name, column in answer.scores.items() if np.isfinite(column).all()}
    if not scores:
        return
    names = ", ".join(scores)
    every: list[tuple[str, str, Callable[..., Any]]] = [
        ("roc", "ROC curves: positives found against negatives accepted", plots.plot_roc),
        ("precision_recall", "Precision against recall", plots.plot_precision_recall),
        ("gains", "Positives found in the best-scored part of the cases", plots.plot_gains),
    ]
    if all(column.min() >= 0 and column.max() <= 1 for column in scores.values()):
        every.append(("calibration", "Fraction of positives against probability", plots.plot_calibration))
    for name, text, plot in every:
        yield Picture(name, f"{text}, of {names}.", partial(plot, positive, scores))
    for place, (name, column) in enumerate(scores.items()):
        suffix = f"_{place}" if len(scores) > 1 else ""
        yield Picture(
            f"thresholds{suffix}",
            f"Precision, recall and F1 against the threshold, of {name}.",
            partial(plots.plot_thresholds, positive, column),
        )
        yield Picture(
            f"distributions{suffix}",
            f"How the scores of positives and negatives are spread, of {name}.",
            partial(plots.plot_score_distributions, positive, column),
        )


def _of_groups(sections: Sequence[Section]) -> Iterator[Picture]:
    from evalcore import plots

    for place, section in enumerate(section for section in sections if section.whole):
        areas = [
            (group, next(item for item in items if item.name == "roc_area")) for group, items in section.records.items()
        ]
        defined = [(group, item) for group, item in areas if not np.isnan(item.value)]
        if not defined:
            continue
        *groups, total = defined
        shown = [*groups[:_MOST_GROUPS], total]
        names, items = zip(*shown, strict=True)
        bounds = [(item.interval.low, item.interval.high) if item.interval else (item.value,) * 2 for item in items]
        left_out = f", without {len(areas) - len(shown):,} more" if len(shown) < len(areas) else ""
        yield Picture(
            f"groups_{place}",
            f"ROC area by group, the largest groups first{left_out}, of {section.name}.",
            partial(
                plots.plot_groups,
                list(names),
                [item.value for item in items],
                low=[low for low, _ in bounds],
                high=[high for _, high in bounds],
                measure="ROC area",
                order="given",
            ),
        )


def _fits(section: Section) -> bool:
    return len(section.records) <= _MOST_CLASSES


def _of_confusion(section: Section) -> Picture:
    from evalcore import plots

    counts = np.array([[int(item.value) for item in items] for items in section.records.values()])
    return Picture(
        "confusion_matrix",
        "Confusion matrix: cases by label and prediction.",
        partial(plots.plot_confusion_matrix, counts, labels=list(section.records)),
    )
