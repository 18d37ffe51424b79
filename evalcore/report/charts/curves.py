"""The plots of scores: all models in one chart, of many the leading ones."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore import plots
from evalcore.evaluation.cases import probabilities
from evalcore.evaluation.model import Answer, Statistic
from evalcore.evaluation.options import FREQUENCY
from evalcore.evaluation.question import Question
from evalcore.evaluation.weighting import Weighting
from evalcore.evaluation.wording import count, listed, number, percent
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number
from evalcore.plots.axes import in_styles, nth_style
from evalcore.plots.models import Model, model_of, predicted_positive
from evalcore.report.charts.images import OTHERS, Plot
from evalcore.report.shown import ModelThresholds, leading_models, model_records, model_thresholds
from evalcore.report.thresholds import STATISTIC_OF, Positions
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


Models: TypeAlias = Callable[[str], Model]
"""Returns the model of a name."""


def models_of(ranked: Mapping[str, ScoredCases | WeightedRanking], weighting: Weighting) -> Models:
    """Return the models of all charts, each made when one is drawn first.  O(1)."""
    known, frequencies = weighting.target_prevalence is not None, weighting.of_frequencies
    return cache(lambda name: model_of(ranked[name], frequencies=frequencies, at_prevalence=known))


def drawn_scores(answer: Answer) -> dict[str, Any]:
    """Return the columns of scores that have curves: finite ones, if both classes occur.  O(n) for each."""
    if answer.positive is None or answer.positive.all() or not answer.positive.any():
        return {}
    return {name: column for name, column in answer.scores.items() if np.isfinite(column).all()}


def options_of(plot: Callable[..., Any], question: Question) -> dict[str, Any]:
    """Return the options of a plot that a question decides, such as its threshold and the level of intervals.  O(1)."""
    known, at, level = signature(plot).parameters, question.threshold, question.level
    bounded = level is not None and "interval" in known and known["interval"].default is False
    asked = {
        "threshold": at if at is not None and np.isfinite(at) else None,
        "level": level,
        "interval": (bounded or None) if question.cluster is None else False,  # bands treat cases as drawn
        "method": question.area_method,
        "weight_type": FREQUENCY if question.weighting.of_frequencies else None,
    }
    return {name: value for name, value in asked.items() if name in known and value is not None}


_CURVES = {
    "roc": ("ROC curves", "areas", "roc_auc"),
    "precision_recall": ("Precision-recall curves", "average precision", "average_precision"),
}
"""Curves on which the thresholds of the models are marked: their caption, and what is said of which statistic."""


class _Drawn(NamedTuple):
    """The models of a chart."""

    question: Question
    names: Mapping[int, str]
    """By their index in the report, which decides their styles."""
    models: Models
    records: Mapping[str, Mapping[str, Statistic]]
    left_out: int
    """Models that are not drawn."""
    marked: ModelThresholds
    """The threshold that stands for each model."""
    suffix: str = ""
    """How the name of a chart ends, of several with axes of their own."""
    rest: str = ""
    """What captions say of models that have no chart."""

    def draw(self, plot: Callable[..., Any], *, ax: Any, **options: Any) -> None:
        """Draw the models in the colours and dashes that they have in the whole report."""
        with in_styles(list(self.names)):
            models = {name: self.models(name) for name in self.names.values()}
            plot(models, ax=ax, **{**options_of(plot, self.question), **options})

    def draw_marked(self, name: str, ax: Any) -> None:
        """Draw one of `_CURVES`, and mark where the threshold of each model is."""
        self.draw(getattr(plots, f"plot_{name}"), ax=ax, threshold=None)
        for index, each in self.names.items():
            model, style = self.models(each), {"marker": "o", "markersize": 6, "color": nth_style(index)["color"]}
            with np.errstate(over="ignore"):  # beyond float32 is infinite
                tp, fp = predicted_positive(model, self.marked.values[each])
            recall = ratio(tp, model.positives)
            # precision is not defined where no case is predicted positive
            point = (ratio(fp, model.negatives), recall) if name == "roc" else (recall, ratio(tp, tp + fp))
            ax.plot([point[0]], [point[1]], **style, markeredgecolor=ax.get_facecolor(), label="_threshold")

    def chart(
        self, name: str, what: str, more: str, said: str, *, panel: str = OTHERS, height: float = 0.0, **options: Any
    ) -> Plot:
        """Return the chart of a function of `plots`; said: behind the caption, to those who do not see it."""
        caption, (width, least) = self.caption(what, more), Plot.inches
        draw = partial(self.draw, getattr(plots, f"plot_{name}"), **options)
        file = f"{name.removeprefix('score_')}{self.suffix}"
        return Plot(file, caption, draw, panel, f"{caption} {said}".rstrip(), (width, max(least, height)))

    def caption(self, what: str, more: str = "") -> str:
        """Return the caption of a chart, which says whose it is."""
        leading = f"the {len(self.names)} models with the largest ROC AUCs"
        return f"{what} of {leading if self.left_out else listed(list(self.names.values()))}{more}.{self.rest}"

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
    models = models_of(answer.ranked, question.weighting)
    records, marked = model_records(answer.sections), model_thresholds(answer.sections, question)
    drawn = _Drawn(question, names, models, records, len(scores) - len(names), marked)
    for name, (what, of_areas, area) in _CURVES.items():
        caption = f"{drawn.caption(what)} {_dots(drawn)}"
        alt = f"{what}, with {of_areas}: {drawn.numbers(area)}."
        yield Plot(name, caption, partial(drawn.draw_marked, name), MODELS, alt)
    yield from _more_charts(drawn, answer, {name: scores[name] for name in names.values()})


def _dots(drawn: _Drawn) -> str:
    """Say what the dots of curves are."""
    dot, whose = ("The dot marks", "the") if len(drawn.names) == 1 else ("Dots mark", "each model's")
    if drawn.marked.name not in STATISTIC_OF:  # the bound of a target
        return f"{dot} {whose} threshold for {drawn.marked.name}."
    if drawn.question.threshold is not None:
        return f"{dot} the threshold {given_number(drawn.question.threshold)}."
    return f"{dot} the threshold of {whose} {drawn.marked.name}."


def _found_first(name: str, cases: ScoredCases | WeightedRanking) -> str:
    """Say how many of the positives are in about the first tenth of the cases; ties are not divided.  O(n)."""
    positions = Positions(cases)
    (tp,), (fp,) = positions.decided(positions.nearest(np.array([0.1])))
    found, flagged = tp / positions.positives, (tp + fp) / (positions.positives + positions.negatives)
    return f"{name} finds {percent(float(found))} among the first {percent(float(flagged))}"


def _more_charts(drawn: _Drawn, answer: Answer, scores: Mapping[str, Any]) -> Iterator[Plot]:
    found = "; ".join(_found_first(name, answer.ranked[name]) for name in drawn.names.values())
    what = ": the fraction of positives found among the cases with the highest scores"
    yield drawn.chart("gains", "Gains", what, f"{found}.")
    if calibrated := probabilities(scores):
        own = drawn.only(calibrated)
        means = [f"{name} {number(_mean(scores[name], answer.weights))}" for name in own.names.values()]
        said = f"Mean probability: {', '.join(means)}. Fraction of positives: {own.numbers('prevalence')}."
        what = ": the observed fraction of positives against the predicted probability"
        yield own.chart("calibration", "Calibration", what, said)
        given = drawn.question.threshold
        said = ""
        if given is not None and 0 < given < 1:
            said = f"At threshold {given_number(given)}: {own.numbers('net_benefit')}."
        what = " at each threshold, beside that of predicting all cases positive, or none"
        yield own.chart("decision_curve", "Net benefit", what, said)
    for own in _by_scale(drawn, calibrated):
        yield from _charts_of_scores(own)


def _mean(scores: Any, weights: AnyArray | None) -> float:
    """Return the mean of scores, (n,).  O(n)."""
    return float(np.mean(scores, dtype=np.float64) if weights is None else np.average(scores, weights=weights))


def _by_scale(drawn: _Drawn, calibrated: Mapping[str, Any]) -> list[_Drawn]:
    """Return the models whose scores share an axis: all probabilities, then each other model alone."""
    others = [name for name in drawn.names.values() if name not in calibrated]
    if not others or len(drawn.names) == 1:
        return [drawn]
    parts = [calibrated] * bool(calibrated) + [{name: 1} for name in others[:_MOST_SCALES]]
    found = [drawn.only(part)._replace(suffix=f"_{place}" * (place > 1)) for place, part in enumerate(parts, 1)]
    if undrawn := others[_MOST_SCALES:]:
        have = "has" if len(undrawn) == 1 else "have"
        most = f"At most {_MOST_SCALES} models whose scores are not probabilities have a chart"
        found[-1] = found[-1]._replace(rest=f" {most}; {listed(undrawn)} {have} none.")
    return found


def _charts_of_scores(drawn: _Drawn) -> Iterator[Plot]:
    """Yield the charts whose axis is the score."""
    measures = ("precision", "recall", "F1") if len(drawn.names) <= _MOST_BY_MEASURE else ("F1",)
    shown = listed(measures)
    said = f"Largest F1: {drawn.numbers('maximum_f1')}."
    if (given := drawn.question.threshold) is not None:
        measured = f"precision: {drawn.numbers('precision')}; recall: {drawn.numbers('recall')}"
        said = f"{said} At threshold {given_number(given)}, {measured}."
    what = f"{shown[0].upper()}{shown[1:]}"
    yield drawn.chart("thresholds", what, " at each threshold", said, panel=THRESHOLDS, measures=measures)
    items = next(iter(drawn.records.values()))
    cases, positives = (int(items[name].value) for name in ("cases", "positives"))
    said = f"There are {count(positives)} positives and {count(cases - positives)} negatives."
    what, more = "Distributions of the scores", ", for positives and for negatives"
    height = 0.0 if len(drawn.names) == 1 else len(drawn.names) * _ROW_INCHES + 1
    yield drawn.chart("score_distributions", what, more, said, panel=THRESHOLDS, height=height)
