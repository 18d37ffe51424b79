"""The plots of scores: all models in one chart, of many the leading ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from evalcore import plots
from evalcore.evaluation.cases import probabilities
from evalcore.evaluation.model import Answer, Statistic
from evalcore.evaluation.options import FREQUENCY
from evalcore.evaluation.question import Question
from evalcore.evaluation.weighting import Weighting
from evalcore.evaluation.wording import count, listed, number, percent
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import given_number
from evalcore.measures import binary
from evalcore.optional import require
from evalcore.plots.axes import nth_style, styled
from evalcore.plots.models import Model, model_of, predicted_positive
from evalcore.report.charts.images import Plot
from evalcore.report.shown import ModelThresholds, leading_models, model_records, model_thresholds
from evalcore.report.thresholds import positions_of
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray

MODELS, THRESHOLDS = "models", "thresholds"
"""Parts of a page where plots of scores stand."""
_MOST_BY_MEASURE = 3
"""Models whose measures are drawn one by one; of more, F1 alone."""
_MOST_SCALES = 6
"""Models with charts of their own, because their scores are no probabilities."""
_ROW_INCHES = 0.6
"""Height of the distributions of a model among those of others."""


class ReportModels(dict[str, Model]):
    """The models of all charts, each made when one is drawn first."""

    def __init__(self, ranked: Mapping[str, ScoredCases | WeightedRanking], weighting: Weighting) -> None:
        super().__init__()
        self._ranked = ranked
        self._weighting = weighting

    def __missing__(self, name: str) -> Model:
        known = self._weighting.target_prevalence is not None
        self[name] = model_of(self._ranked[name], frequencies=self._weighting.of_frequencies, known_prevalence=known)
        return self[name]


def drawn_scores(answer: Answer) -> dict[str, Any]:
    """Return the columns of scores that have curves: finite ones, if both classes occur.  O(n) for each."""
    if answer.positive is None or answer.positive.all() or not answer.positive.any():
        return {}
    return {name: column for name, column in answer.scores.items() if np.isfinite(column).all()}


def options_of(plot: Callable[..., Any], question: Question) -> dict[str, Any]:
    """Return the options of a plot that a question decides, such as its threshold and the level of intervals.  O(1)."""
    known, options = signature(plot).parameters, dict[str, Any]()
    if "threshold" in known and question.threshold is not None and np.isfinite(question.threshold):
        options["threshold"] = question.threshold
    if "level" in known and question.level is not None:
        options["level"] = question.level
        if known["interval"].default is False:
            options["interval"] = True
    if "interval" in known and question.cluster is not None:  # bands treat cases as drawn
        options["interval"] = False
    if "method" in known:
        options["method"] = question.area_method
    if "weight_type" in known and question.weighting.of_frequencies:
        options["weight_type"] = FREQUENCY
    return options


class _Drawn(NamedTuple):
    """The models of a chart."""

    question: Question
    names: Mapping[int, str]
    """By their index in the report, which decides their styles."""
    models: Mapping[str, Model]
    records: Mapping[str, Mapping[str, Statistic]]
    left_out: int
    """Models that are not drawn."""
    marked: ModelThresholds
    """The threshold that stands for each model."""

    def draw(self, plot: Callable[..., Any], *, ax: Any, **options: Any) -> None:
        """Draw the models in the colours and dashes that they have in the whole report."""
        matplotlib = require("matplotlib", "plots")
        styles = [nth_style(index) for index in self.names]
        leading = list(self.names) == list(range(len(self.names)))
        own = {name: [style[name] for style in styles] for name in ("color", "linestyle")}
        with styled({} if leading else {"axes.prop_cycle": matplotlib.cycler(**own)}):
            models = {name: self.models[name] for name in self.names.values()}
            plot(models, ax=ax, **{**options_of(plot, self.question), **options})

    def caption(self, what: str, more: str = "") -> str:
        """Return the caption of a chart, which says whose it is."""
        leading = f"the {len(self.names)} models with the largest ROC AUCs"
        return f"{what} of {leading if self.left_out else listed(list(self.names.values()))}{more}."

    def numbers(self, name: str) -> str:
        """Return a statistic of each model, for those who do not see its curve."""
        return ", ".join(f"{model} {number(self.records[model][name].value)}" for model in self.names.values())

    def only(self, names: Mapping[str, Any]) -> "_Drawn":
        """Return the models of these names."""
        own = {index: name for index, name in self.names.items() if name in names}
        return self._replace(names=own, left_out=self.left_out if len(own) == len(self.names) else 0)


def plots_of_scores(answer: Answer, question: Question) -> Iterator[Plot]:
    """Yield the plots of columns of scores: none of infinite ones, or of labels of one class.  O(n) for each column."""
    positive, scores = answer.positive, drawn_scores(answer)
    if not scores or positive is None:
        return
    names = leading_models(answer.sections, list(scores))
    models = ReportModels(answer.ranked, question.weighting)
    records, marked = model_records(answer.sections), model_thresholds(answer.sections, question)
    drawn = _Drawn(question, names, models, records, len(scores) - len(names), marked)
    yield from _curves(drawn)
    yield from _more_charts(drawn, answer, {name: scores[name] for name in names.values()})


def _curves(drawn: _Drawn) -> Iterator[Plot]:
    """Yield the curves on which the thresholds of the models are marked."""
    dots = _dots(drawn)

    def roc(ax: Any) -> None:
        drawn.draw(plots.plot_roc, ax=ax, threshold=None)
        for index, counts in _chosen(drawn):
            _mark(ax, index, ratio(counts.fp, counts.fp + counts.tn), binary.recall(counts.tp, counts.fn))

    def precision_recall(ax: Any) -> None:
        drawn.draw(plots.plot_precision_recall, ax=ax, threshold=None)
        for index, counts in _chosen(drawn):
            _mark(ax, index, binary.recall(counts.tp, counts.fn), binary.precision(counts.tp, counts.fp))

    areas, means = drawn.numbers("roc_auc"), drawn.numbers("average_precision")
    yield Plot("roc", f"{drawn.caption('ROC curves')} {dots}", roc, MODELS, f"ROC curves, with areas: {areas}.")
    text = f"{drawn.caption('Precision-recall curves')} {dots}"
    alt = f"Precision-recall curves, with average precision: {means}."
    yield Plot("precision_recall", text, precision_recall, MODELS, alt)


def _dots(drawn: _Drawn) -> str:
    """Say what the dots of curves are."""
    dot, whose = ("The dot marks", "the") if len(drawn.names) == 1 else ("Dots mark", "each model's")
    if drawn.marked.of_target:
        return f"{dot} {whose} threshold for {drawn.marked.name}."
    if drawn.question.threshold is not None:
        return f"{dot} the threshold {given_number(drawn.question.threshold)}."
    return f"{dot} the threshold of {whose} {drawn.marked.name}."


def _chosen(drawn: _Drawn) -> Iterator[tuple[int, BinaryCounts]]:
    """Yield the decisions of each model, by its index, at its operating point."""
    for index, name in drawn.names.items():
        model = drawn.models[name]
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            tp, fp = predicted_positive(model, drawn.marked.values[name])
        counts: list[Any] = [tp, model.positives - tp, fp, model.negatives - fp]
        yield index, BinaryCounts(*counts)


def _mark(ax: Any, index: int, x: Any, y: Any) -> None:
    """Mark a point of the curve of a model.  Precision is not defined where no case is predicted positive."""
    colour = nth_style(index)["color"]
    ax.plot([x], [y], marker="o", markersize=6, color=colour, markeredgecolor=ax.get_facecolor(), label="_threshold")


def _found_first(name: str, cases: ScoredCases | WeightedRanking) -> str:
    """Say how many of the positives are in about the first tenth of the cases; ties are not divided.  O(n)."""
    positions = positions_of(cases)
    (tp,), (fp,) = positions.decided(positions.nearest(np.array([0.1])))
    found, flagged = tp / positions.positives, (tp + fp) / (positions.positives + positions.negatives)
    return f"{name} finds {percent(float(found))} among the first {percent(float(flagged))}"


def _more_charts(drawn: _Drawn, answer: Answer, scores: Mapping[str, Any]) -> Iterator[Plot]:
    text = drawn.caption("Gains", ": the fraction of positives found among the cases with the highest scores")
    alt = f"{text} {'; '.join(_found_first(name, answer.ranked[name]) for name in drawn.names.values())}."
    yield Plot("gains", text, partial(drawn.draw, plots.plot_gains), alt=alt)
    if calibrated := probabilities(scores):
        own = drawn.only(calibrated)
        text = own.caption("Calibration", ": the observed fraction of positives against the predicted probability")
        means = [f"{name} {number(_mean(scores[name], answer.weights))}" for name in own.names.values()]
        alt = f"{text} Mean probability: {', '.join(means)}. Fraction of positives: {own.numbers('prevalence')}."
        yield Plot("calibration", text, partial(own.draw, plots.plot_calibration), alt=alt)
        text = own.caption("Net benefit", " at each threshold, beside that of predicting all cases positive, or none")
        given, alt = drawn.question.threshold, text
        if given is not None and 0 < given < 1:
            alt = f"{text} At threshold {given_number(given)}: {own.numbers('net_benefit')}."
        yield Plot("decision_curve", text, partial(own.draw, plots.plot_decision_curve), alt=alt)
    for suffix, own, rest in _by_scale(drawn, calibrated):
        yield from _charts_of_scores(suffix, own, rest)


def _mean(scores: Any, weights: AnyArray | None) -> float:
    """Return the mean of scores, (n,).  O(n)."""
    return float(np.mean(scores, dtype=np.float64) if weights is None else np.average(scores, weights=weights))


def _by_scale(drawn: _Drawn, calibrated: Mapping[str, Any]) -> Iterator[tuple[str, _Drawn, str]]:
    """Yield the models whose scores share an axis: all probabilities, then each other model alone.

    Each with the end of the names of its plots, and what is said of models that have none.
    """
    others = [name for name in drawn.names.values() if name not in calibrated]
    if not others or len(drawn.names) == 1:
        yield "", drawn, ""
        return
    parts = [
        *([drawn.only(calibrated)] if calibrated else []),
        *(drawn.only({name: 1}) for name in others[:_MOST_SCALES]),
    ]
    for place, own in enumerate(parts, 1):
        yield f"_{place}" if place > 1 else "", own, _undrawn(others[_MOST_SCALES:]) if place == len(parts) else ""


def _undrawn(names: Sequence[str]) -> str:
    """Say which models have no chart of their own; empty for none."""
    if not names:
        return ""
    have = "has" if len(names) == 1 else "have"
    most = f"At most {_MOST_SCALES} models whose scores are not probabilities have a chart"
    return f" {most}; {listed(names)} {have} none."


def _charts_of_scores(suffix: str, drawn: _Drawn, rest: str) -> Iterator[Plot]:
    """Yield the charts whose axis is the score."""
    measures = ("precision", "recall", "F1") if len(drawn.names) <= _MOST_BY_MEASURE else ("F1",)
    shown = listed(measures)
    text = drawn.caption(f"{shown[0].upper()}{shown[1:]}", " at each threshold") + rest
    alt = f"{text} Largest F1: {drawn.numbers('maximum_f1')}."
    if (given := drawn.question.threshold) is not None:
        measured = f"precision: {drawn.numbers('precision')}; recall: {drawn.numbers('recall')}"
        alt = f"{alt} At threshold {given_number(given)}, {measured}."
    draw = partial(drawn.draw, plots.plot_thresholds, measures=measures)
    yield Plot(f"thresholds{suffix}", text, draw, THRESHOLDS, alt)
    text = drawn.caption("Distributions of the scores", ", for positives and for negatives") + rest
    items = next(iter(drawn.records.values()))
    cases, positives = (int(items[name].value) for name in ("cases", "positives"))
    alt = f"{text} There are {count(positives)} positives and {count(cases - positives)} negatives."
    draw = partial(drawn.draw, plots.plot_score_distributions)
    width, height = Plot.inches
    rows = 0.0 if len(drawn.names) == 1 else len(drawn.names) * _ROW_INCHES + 1
    yield Plot(f"distributions{suffix}", text, draw, THRESHOLDS, alt, (width, max(height, rows)))
