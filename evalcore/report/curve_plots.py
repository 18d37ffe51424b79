"""The plots of scores: all models in one chart, of many the leading ones."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.measures import binary
from evalcore.optional import require
from evalcore.plots.axes import nth_style
from evalcore.report.formats import count, number
from evalcore.report.images import Plot
from evalcore.report.missing import drawn_scores, probabilities
from evalcore.report.model import Answer, Statistic
from evalcore.report.model_records import leading_models, model_records
from evalcore.report.question import Question
from evalcore.report.wording import listed
from evalcore.state.scored_cases import ScoredCases

MODELS, THRESHOLDS = "models", "thresholds"
"""Parts of a page where plots of scores stand."""
_MOST_BY_MEASURE = 3
"""Models whose measures are drawn one by one; of more, F1 alone."""
_ROW_INCHES = 0.6
"""Height of the distributions of a model among those of others."""


class _Column(NamedTuple):
    """Scores of a model, which all of its plots sort once."""

    cases: ScoredCases

    def scored_cases(self) -> ScoredCases:
        """Return the cases.  O(1)."""
        return self.cases


class _Drawn(NamedTuple):
    """The models of a chart."""

    names: Mapping[int, str]
    """By their index in the report, which decides their styles."""
    columns: Mapping[str, _Column]
    records: Mapping[str, Mapping[str, Statistic]]
    left_out: int
    """Models that are not drawn."""

    def draw(self, plot: Callable[..., Any], *, ax: Any, dashes: bool = True, **options: Any) -> None:
        """Draw the models in the colours that they have in the whole report, and unless told otherwise its dashes."""
        if list(self.names) == list(range(len(self.names))):
            plot({name: self.columns[name] for name in self.names.values()}, ax=ax, **options)
            return
        for index, name in self.names.items():
            style = nth_style(index)
            plot({name: self.columns[name]}, ax=ax, **(style if dashes else {"color": style["color"]}), **options)

    def draw_in_rows(self, threshold: float | None, *, ax: Any) -> None:
        """Draw the distributions of the scores, which take no colours but those of a cycle."""
        from evalcore import plots

        matplotlib = require("matplotlib", "plots")
        colours = matplotlib.rcsetup.cycler(color=[nth_style(index)["color"] for index in self.names])
        columns = {name: self.columns[name] for name in self.names.values()}
        with matplotlib.rc_context({"axes.prop_cycle": colours}):
            plots.plot_score_distributions(columns, threshold=threshold, ax=ax)

    def caption(self, text: str) -> str:
        """Return the caption of a chart, which says whose it is."""
        leading = f"the {len(self.names)} models with the largest ROC areas"
        return f"{text} of {leading if self.left_out else listed(list(self.names.values()))}."

    def numbers(self, name: str) -> str:
        """Return a statistic of each model, for those who do not see its curve."""
        return ", ".join(f"{model} {number(self.records[model][name].value)}" for model in self.names.values())

    def only(self, names: Mapping[str, Any]) -> "_Drawn":
        """Return the models of these names."""
        return self._replace(names={index: name for index, name in self.names.items() if name in names})


def plots_of_scores(answer: Answer, question: Question) -> Iterator[Plot]:
    """Yield the plots of columns of scores: none of infinite ones, or of labels of one class.  O(n) for each column."""
    positive, scores = answer.positive, drawn_scores(answer)
    if not scores or positive is None:
        return
    names = leading_models(answer.sections, list(scores))
    columns = {name: _Column(ScoredCases.of(positive, scores[name])) for name in names.values()}
    drawn = _Drawn(names, columns, model_records(answer.sections), len(scores) - len(names))
    yield from _curves(drawn, question)
    yield from _more_charts(drawn, question, {name: scores[name] for name in names.values()})


def _curves(drawn: _Drawn, question: Question) -> Iterator[Plot]:
    """Yield the curves on which the thresholds of the models are marked."""
    from evalcore import plots

    interval: dict[str, Any] = {} if question.level is None else {"interval": True, "level": question.level}
    dots = _dots(question, len(drawn.names))

    def roc(ax: Any) -> None:
        drawn.draw(plots.plot_roc, ax=ax, **interval)
        for index, counts in _chosen(drawn, question):
            _mark(ax, index, ratio(counts.fp, counts.fp + counts.tn), binary.recall(counts.tp, counts.fn))

    def precision_recall(ax: Any) -> None:
        drawn.draw(plots.plot_precision_recall, ax=ax, **interval)
        for index, counts in _chosen(drawn, question):
            _mark(ax, index, binary.recall(counts.tp, counts.fn), binary.precision(counts.tp, counts.fp))

    areas, means = drawn.numbers("roc_area"), drawn.numbers("average_precision")
    yield Plot("roc", f"{drawn.caption('ROC curves')} {dots}", roc, MODELS, f"ROC curves, with areas: {areas}.")
    text = f"{drawn.caption('Precision-recall curves')} {dots}"
    alt = f"Precision-recall curves, with average precision: {means}."
    yield Plot("precision_recall", text, precision_recall, MODELS, alt)


def _dots(question: Question, models: int) -> str:
    """Say what the dots of curves are."""
    dot, its = ("The dot is", "the largest F1") if models == 1 else ("Dots are", "the largest F1 of each model")
    return f"{dot} at the threshold {f'of {its}' if question.threshold is None else f'{question.threshold:g}'}."


def _chosen(drawn: _Drawn, question: Question) -> Iterator[tuple[int, BinaryCounts]]:
    """Yield the decisions of each model, by its index, at the threshold given or else at that of its largest F1."""
    for index, name in drawn.names.items():
        cases = drawn.columns[name].cases
        threshold = drawn.records[name]["maximum_f1_score"].value if question.threshold is None else question.threshold
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            predicted = cases.scores >= cases.scores.dtype.type(threshold)
        yield index, binary_counts(cases.correct, predicted)


def _mark(ax: Any, index: int, x: Any, y: Any) -> None:
    """Mark a point of the curve of a model.  Precision is not defined where no case is predicted positive."""
    colour = nth_style(index)["color"]
    ax.plot([x], [y], marker="o", markersize=6, color=colour, markeredgecolor=ax.get_facecolor(), label="_threshold")


def _more_charts(drawn: _Drawn, question: Question, scores: Mapping[str, Any]) -> Iterator[Plot]:
    from evalcore import plots

    text = drawn.caption("Fraction of the positives among the highest-scored cases,")
    yield Plot("gains", text, partial(drawn.draw, plots.plot_gains))
    if calibrated := probabilities(scores):
        own = drawn.only(calibrated)
        text = own.caption("Observed fraction of positives against predicted probability,")
        yield Plot("calibration", text, partial(own.draw, plots.plot_calibration))
    measures = ("precision", "recall", "F1") if len(drawn.names) <= _MOST_BY_MEASURE else ("F1",)
    shown = listed(measures)
    text = drawn.caption(f"{shown[0].upper()}{shown[1:]} against the threshold,")
    alt = f"{text[:-1]}, with largest F1: {drawn.numbers('maximum_f1')}."
    given = question.threshold
    if given is not None:
        alt = (
            f"{alt} At threshold {given:g}, precision: {drawn.numbers('precision')}; recall: {drawn.numbers('recall')}."
        )
    at = given if given is not None and np.isfinite(given) else None
    draw = partial(drawn.draw, plots.plot_thresholds, dashes=False, measures=measures, threshold=at)
    yield Plot("thresholds", text, draw, THRESHOLDS, alt)
    text = drawn.caption("Distributions of the scores of positives and of negatives,")
    inches = (
        Plot.inches
        if len(drawn.names) == 1
        else (Plot.inches[0], max(Plot.inches[1], len(drawn.names) * _ROW_INCHES + 1))
    )
    cases = next(iter(drawn.columns.values())).cases
    alt = f"{text[:-1]}: {count(cases.positives)} positives and {count(cases.negatives)} negatives."
    yield Plot("distributions", text, partial(drawn.draw_in_rows, at), THRESHOLDS, alt, inches)
