"""The plots of a report: those of scores, of values, of groups and of classes; which are missing, and why.

A script may move what depends on a threshold.  By the id in an SVG: ``dot-roc-0`` and ``dot-pr-0`` are the dots of the
model that has the first colour, on the curves; ``line-threshold-0`` is its line in the distributions of scores, and
``line-threshold-0-recall`` that in the panel of a measure.  They stand on the axes ``axes-roc``, ``axes-pr``,
``axes-scores`` and ``axes-thresholds-recall``; `images.frames` tells where these are and what data they show.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from inspect import signature
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from evalcore import plots
from evalcore.document import tables
from evalcore.document.charts.images import OTHERS, Plot
from evalcore.document.shown import (
    ModelThresholds,
    ShownGroups,
    by_titles,
    leading_models,
    model_records,
    model_thresholds,
    shown_groups,
)
from evalcore.document.thresholds import STATISTIC_OF, positions_of
from evalcore.document.words.classes import groups_apart
from evalcore.evaluation.cases import RankedCases, probabilities, ranked_cases
from evalcore.evaluation.model import CLASSES, Answer, ClassScoreCases, CountRecords, Section, Statistic
from evalcore.evaluation.options import FREQUENCY, option
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import NameOrder
from evalcore.evaluation.weighting import Weighting
from evalcore.evaluation.wording import count, listed, number, percent, shown_names, shown_value, times
from evalcore.inference import Interval
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import given_number
from evalcore.plots.axes import COLOURS, grey, in_styles, nth_style, plain, reference
from evalcore.plots.groups import figure_height
from evalcore.plots.models import Model, model_of, predicted_positive
from evalcore.typing import AnyArray, FloatArray

MODELS, THRESHOLDS = "models", "thresholds"
"""Parts of a page where plots of scores stand."""
_MOST_BY_MEASURE = 3
"""Models whose measures are drawn one by one; of more, F1 alone."""
_PANEL_INCHES = 1.2
"""Height of the panel of a measure."""
_ROW_INCHES = 0.6
"""Height of the distributions of a model among those of others."""


def models_of(ranked: Mapping[str, RankedCases], weighting: Weighting) -> Callable[[str], Model]:
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


class _Drawn(NamedTuple):
    """The models of a chart."""

    question: Question
    names: Mapping[int, str]
    """By their index in the report, which decides their styles."""
    models: Callable[[str], Model]
    records: Mapping[str, Mapping[str, Statistic]]
    left_out: int
    """Models that are not drawn."""
    marked: ModelThresholds
    """The threshold that stands for each model."""
    suffix: str = ""
    """How the name of a chart ends, of several with axes of their own."""

    def draw(self, plot: Callable[..., Any], *, ax: Any, **options: Any) -> None:
        """Draw the models in the colours and dashes that they have in the whole report."""
        with in_styles(list(self.names)):
            models = {name: self.models(name) for name in self.names.values()}
            plot(models, ax=ax, **{**options_of(plot, self.question), **options})

    def draw_marked(self, plot: Callable[..., Any], *, ax: Any) -> None:
        """Draw curves, and mark where the threshold of each model is."""
        self.draw(plot, ax=ax, threshold=None)
        short = "roc" if plot is plots.plot_roc else "pr"
        ax.set_gid(f"axes-{short}")
        for index, each in self.names.items():
            model, style = self.models(each), {"marker": "o", "markersize": 6, "color": nth_style(index)["color"]}
            with np.errstate(over="ignore"):  # beyond float32 is infinite
                tp, fp = predicted_positive(model, self.marked.values[each])
            recall = ratio(tp, model.positives)
            # precision is not defined where no case is predicted positive
            point = (ratio(fp, model.negatives), recall) if short == "roc" else (recall, ratio(tp, tp + fp))
            style |= {"markeredgecolor": ax.get_facecolor(), "gid": f"dot-{short}-{index}"}
            ax.plot([point[0]], [point[1]], **style, label="_threshold")

    def draw_with_lines(self, plot: Callable[..., Any], *, ax: Any, **options: Any) -> None:
        """Draw a plot whose axis is the score, with a line at the threshold of each model."""
        self.draw(plot, ax=ax, threshold=None, **options)
        count, of_scores = len(self.names), plot is plots.plot_score_distributions
        if of_scores:
            ax.set_gid("axes-scores")
        for row, (index, name) in enumerate(self.names.items()):
            at, gid = self.marked.values[name], f"line-threshold-{index}"
            style = {"color": nth_style(index)["color"]} if count > 1 else {}
            panels = [ax] if of_scores else ax.get_shared_x_axes().get_siblings(ax)
            for panel in panels if np.isfinite(at) else ():
                measure = panel.get_gid().removeprefix("axes-thresholds")
                ends = (count - 1 - row, count - row - 0.1) if of_scores and count > 1 else panel.get_ylim()
                reference(panel, gid, [at, at], ends, gid=gid if of_scores else f"{gid}{measure}", **style)

    def chart(self, name: str, said: str, height: float = 0.0, **options: Any) -> Plot:
        """Return one of `_CHARTS`; said: behind the caption, to those who do not see it."""
        (what, panel, drawing), (width, least) = _CHARTS[name], Plot.inches
        leading = f"the {len(self.names)} models with the largest ROC AUCs"
        whose = leading if self.left_out else listed(list(self.names.values()))
        caption = what.format(whose, listed(options.get("measures", [""])))
        caption, file = f"{caption[0].upper()}{caption[1:]}", f"{name.removeprefix('score_')}{self.suffix}"
        draw = partial(drawing, self, getattr(plots, f"plot_{name}"), **options)
        text, moved = (f"{caption} {each}" for each in _dots(self)) if drawing is _Drawn.draw_marked else (caption, "")
        return Plot(file, text, draw, panel, f"{caption} {said}".rstrip(), (width, max(least, height)), moved)

    def numbers(self, name: str) -> str:
        """Return a statistic of each model, for those who do not see its curve."""
        return ", ".join(f"{model} {number(self.records[model][name].value)}" for model in self.names.values())

    def only(self, names: Mapping[str, Any]) -> "_Drawn":
        """Return the models of these names."""
        own = {index: name for index, name in self.names.items() if name in names}
        return self._replace(names=own, left_out=self.left_out if len(own) == len(self.names) else 0)


_CHARTS: dict[str, tuple[str, str, Callable[..., None]]] = {
    "roc": ("ROC curves of {}.", MODELS, _Drawn.draw_marked),
    "precision_recall": ("Precision-recall curves of {}.", MODELS, _Drawn.draw_marked),
    "calibration": (
        "Calibration of {}: the observed fraction of positives against the predicted probability; ECE is the "
        "calibration error.", MODELS, _Drawn.draw
    ),
    "gains": (
        "Gains of {}: the fraction of positives found among the cases with the highest scores.", OTHERS, _Drawn.draw
    ),
    "decision_curve": (
        "Net benefit of {} at each threshold, compared with predicting all cases positive, or none.",
        OTHERS,
        _Drawn.draw,
    ),
    "thresholds": ("{1} of {0} at each threshold.", THRESHOLDS, _Drawn.draw_with_lines),
    "score_distributions": (
        "Distributions of the scores of {}, for positives and for negatives.", THRESHOLDS, _Drawn.draw_with_lines
    ),
}  # fmt: skip
"""By functions of `plots`: the caption, of which models and measures, the part of a page, and what draws it."""


def plots_of_scores(answer: Answer, question: Question) -> Iterator[Plot]:
    """Yield the plots of columns of scores: none of infinite ones, or of labels of one class.  O(n) for each column."""
    positive, scores = answer.positive, drawn_scores(answer)
    if not scores or positive is None:
        return
    names = leading_models(answer.sections, list(scores))
    models = models_of(answer.ranked, question.weighting)
    records, marked = model_records(answer.sections), model_thresholds(answer.sections, question)
    drawn = _Drawn(question, names, models, records, len(scores) - len(names), marked)
    calibrated = probabilities({name: scores[name] for name in names.values()})
    yield drawn.chart("roc", f"Areas: {drawn.numbers('roc_auc')}.")
    yield drawn.chart("precision_recall", f"Average precision: {drawn.numbers('average_precision')}.")
    found = "; ".join(_found_first(name, answer.ranked[name]) for name in names.values())
    yield drawn.chart("gains", f"{found}.")
    if calibrated:
        own, given, said = drawn.only(calibrated), question.threshold, ""
        columns = [(name, np.asarray(scores[name], np.float64)) for name in own.names.values()]
        means = [f"{name} {number(float(np.average(column, weights=answer.weights)))}" for name, column in columns]
        of_all = f"Fraction of positives: {own.numbers('prevalence')}."
        yield own.chart("calibration", f"Mean probability: {', '.join(means)}. {of_all}")
        if given is not None and 0 < given < 1:
            said = f"At threshold {given_number(given)}: {own.numbers('net_benefit')}."
        yield own.chart("decision_curve", said)
    for own in _by_scale(drawn, calibrated):
        yield from _charts_of_scores(own)


def _dots(drawn: _Drawn) -> tuple[str, str]:
    """Say what the dots of curves are, at first, and once sliders have moved them."""
    alone, given, name = len(drawn.names) == 1, drawn.question.threshold, drawn.marked.name
    dot, whose, plural = ("The dot marks", "the", "") if alone else ("Dots mark", "each model's", "s")
    if name not in STATISTIC_OF:  # the bound of a target
        place = f"{whose} threshold for {name}"
    else:
        place = f"the threshold {f'of {whose} {name}' if given is None else given_number(given)}"
    return f"{dot} {place}.", f"{dot} the threshold{plural} of the slider{plural}."


def _found_first(name: str, cases: RankedCases) -> str:
    """Say how many of the positives are in about the first tenth of the cases; ties are not divided.  O(n)."""
    positions = positions_of(cases)
    (tp,), (fp,) = positions.decided(positions.nearest(np.array([0.1])))
    found, flagged = tp / positions.positives, (tp + fp) / (positions.positives + positions.negatives)
    return f"{name} finds {percent(float(found))} among the first {percent(float(flagged))}"


def _by_scale(drawn: _Drawn, calibrated: Mapping[str, Any]) -> list[_Drawn]:
    """Return the models whose scores share an axis: all probabilities, then each other model alone."""
    others = [name for name in drawn.names.values() if name not in calibrated]
    if not others or len(drawn.names) == 1:
        return [drawn]
    parts = [calibrated] * bool(calibrated) + [{name: 1} for name in others]
    return [drawn.only(part)._replace(suffix=f"_{place}" * (place > 1)) for place, part in enumerate(parts, 1)]


def _charts_of_scores(drawn: _Drawn) -> Iterator[Plot]:
    """Yield the charts whose axis is the score."""
    measures = ("precision", "recall", "F1") if len(drawn.names) <= _MOST_BY_MEASURE else ("F1",)
    said = f"Largest F1: {drawn.numbers('maximum_f1')}."
    if (given := drawn.question.threshold) is not None:
        measured = f"precision: {drawn.numbers('precision')}; recall: {drawn.numbers('recall')}"
        said = f"{said} At threshold {given_number(given)}, {measured}."
    yield drawn.chart("thresholds", said, height=_PANEL_INCHES * len(measures) + 0.8, measures=measures)
    items = next(iter(drawn.records.values()))
    cases, positives = (int(items[name].value) for name in ("cases", "positives"))
    said = f"There are {count(positives)} positives and {count(cases - positives)} negatives."
    height = 0.0 if len(drawn.names) == 1 else len(drawn.names) * _ROW_INCHES + 1
    yield drawn.chart("score_distributions", said, height=height)


_MOST_CLASSES = 10
"""Classes that have curves."""
_INCHES_OF_A_CLASS, _MOST_INCHES = 0.42, 7.5
"""Width of a class in a confusion matrix, and of the largest one."""
TIME_INCHES, _LEAST_TIMES = 3.2, 4
"""Height of a histogram, or of a chart of groups in the order of time, and how many groups that takes."""
_INFINITE = "some of {} scores are infinite"
_LONG, _WIDE = 15, 6.2
"""Letters of a name beside which a chart has to be wider, and that width in inches."""


def cases_of_classes(cases: ClassScoreCases, names: Iterable[str]) -> dict[str, Model]:
    """Return the cases of some classes, each against the rest, sorted.  O(n log n) for each class."""
    codes, weights = {str(name): code for code, name in enumerate(cases.categories)}, cases.weights
    own = {name: (cases.codes == codes[name], cases.scores[:, codes[name]]) for name in names}
    ranked = {name: ranked_cases(*columns, weights.values) for name, columns in own.items()}
    return {name: model_of(each, frequencies=weights.weighting.of_frequencies) for name, each in ranked.items()}


def drawn_classes(cases: ClassScoreCases, classes: Section) -> list[str]:
    """Return the most frequent classes, those of finite scores: at most ten.  O(n k)."""
    finite = {str(cases.categories[code]) for code in np.flatnonzero(np.isfinite(cases.scores).all(axis=0))}
    return [name for name in tables.most_frequent(classes)[:_MOST_CLASSES] if name in finite]


def plots_of_classes(answer: Answer, question: Question) -> Iterator[Plot]:
    """Yield the confusion matrix, F1 of each class and, where classes have scores, their ROC curves.  O(k²)."""
    found = tables.class_sections(answer.sections)
    if found is None:
        return
    if question.matrix and len(found.matrix) <= tables.MOST_DRAWN_CLASSES:
        yield _of_confusion(found.matrix, tables.item_of(found.overall.records[""], "accuracy").value)
    yield _of_f1(found.classes)
    if answer.class_scores is not None:
        yield from _of_class_scores(answer.class_scores, found.classes)


def cells_of_matrix(counts: AnyArray, names: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `plot_confusion_matrix` for counts, or sums of weights, (k, k): a case a cell.  O(k²)."""
    size, labels = len(names), np.array(names)
    cells = {"y_true": labels.repeat(size), "y_pred": np.tile(labels, size), "sample_weight": counts.ravel()}
    return {**cells, "labels": names}


def _of_confusion(table: CountRecords, accuracy: float) -> Plot:
    side = min(max(_INCHES_OF_A_CLASS * len(table), 3.0), _MOST_INCHES)
    largest = [f"; the largest confusion is {label} mistaken for {other}, {times(cases)}"
               for label, other, cases, _ in tables.most_confused(table, 1)]  # fmt: skip
    what = f"rows are labels, columns are predictions{', cells are sums of weights' * table.weighted}"
    colours = "Colour: fraction of each row, with a separate scale for mistakes."
    right = f"{percent(accuracy)} of the {'weight' if table.weighted else 'cases'} on the diagonal{''.join(largest)}"
    alt = f"Confusion matrix of {len(table)} classes, with {right}."
    inches = max(side / 0.775, Plot.inches[0]), side / 0.77
    draw = partial(plots.plot_confusion_matrix, **cells_of_matrix(table.counts, list(table)))
    return Plot("confusion_matrix", f"Confusion matrix: {what}. {colours}", draw, CLASSES, alt, inches)


def _of_f1(classes: Section) -> Plot:
    """Return the chart of F1 of each class, of many those that are listed."""
    frequent, worst = tables.listed_classes(classes, tables.MOST_LISTED)
    many = len(classes.records) > 2 * tables.MOST_LISTED
    names = dict.fromkeys([*frequent, *worst]) if many else classes.records
    items = {name: tables.item_of(classes.records[name], "f1") for name in names}
    defined = sorted((name for name in items if not np.isnan(items[name].value)), key=lambda name: items[name].value)
    values = [items[name].interval or items[name].value for name in defined]
    sizes = [tables.item_of(classes.records[name], "cases").value for name in defined]
    low, high = (f"{items[name].value:.3f} ({name})" for name in (defined[0], defined[-1]))
    most = tables.MOST_LISTED
    some = f"the {most} most frequent classes and the {most} lowest" if many else "each class"
    draw = partial(plots.plot_groups, defined, values, sizes=sizes, measure="F1", order="given")
    inches = _WIDE if max(map(len, defined)) > _LONG else Plot.inches[0], figure_height(len(defined), 1)
    return Plot(
        "f1_by_class", f"F1 of {some}, the lowest first.", draw, CLASSES, f"F1 of {some}, from {low} to {high}.", inches
    )


def _of_class_scores(cases: ClassScoreCases, classes: Section) -> Iterator[Plot]:
    """Yield the ROC curves of the most frequent classes, each against the rest."""
    areas = {name: tables.item_of(classes.records[name], "roc_auc").value for name in drawn_classes(cases, classes)}
    drawn = [name for name, area in areas.items() if not np.isnan(area)]
    if not drawn:
        return

    worst, *others = sorted(drawn, key=lambda name: areas[name])

    def draw(ax: Any) -> None:
        models = cases_of_classes(cases, drawn)
        if others:
            plots.plot_roc({name: models[name] for name in others}, ax=ax, color=grey(), linewidth=1, marker="")
        for line, name in zip(ax.get_lines(), others, strict=False):
            line.set_label(f"_{plain(name)} {areas[name]:.3f}")
        plots.plot_roc(models[worst], label=worst, ax=ax, color=COLOURS[1], linewidth=2)

    some = f"the {len(drawn)} most frequent classes" if drawn[1:] else f"class {drawn[0]} alone"
    whose = some if len(drawn) < len(cases.categories) else "each class"
    coloured = "; the curve with the smallest area is coloured" if others else ""
    caption = f"ROC curves of {whose} against the rest{coloured}."
    said = f"{caption} Areas: {', '.join(f'{name} {areas[name]:.3f}' for name in drawn)}."
    yield Plot("roc_by_class", caption, draw, CLASSES, said)


def plots_of_groups(answer: Answer, question: Question) -> Iterator[Plot]:
    """Yield the chart of groups: the main measure of every model in each.  O(groups).

    Columns of values have charts of their own: their units differ.
    """
    over_time = is_time(answer.sections[0].groups)
    shown = shown_groups(answer.sections, full=over_time)
    if shown is None:
        return
    drawn = [shown]
    if question.values:
        rests = {each.name: [each] for each in shown.rests}
        drawn = [shown._replace(models=[each], rests=rests.get(each.name, [])) for each in shown.models]
    for place, each in enumerate(drawn, 1):
        yield from _of_groups(each, question, f"groups{f'_{place}' * (place > 1)}", over_time=over_time)


def _of_groups(shown: ShownGroups, question: Question, chart: str, *, over_time: bool) -> Iterator[Plot]:
    """Yield the chart of groups that is to have a name; none if no group has a value.  O(groups)."""
    if over_time and shown.models[0].sort:
        shown = shown._replace(names=sorted(shown.names, key=NameOrder(shown.names).key))
    groups = [*shown.names, shown.total]
    items = {each.title: [item for (item,) in shown.records(each, shown.measure).values()] for each in shown.models}
    values = {model: np.array([item.value for item in own]) for model, own in items.items()}
    if all(np.isnan(own[:-1]).all() for own in values.values()):
        return
    title, by = items[shown.models[0].title][-1].title, listed(by_titles(question)) if question.by else "group"
    drawn, total = estimates_of(items)
    lines = "the dashed line marks" if len(values) == 1 else "dashed lines mark"
    whose = listed(list(shown_names(list(values)).values()))
    caption = f"{title[0].upper()}{title[1:]} of {whose} by {by}; {lines} all cases."
    measure = f"{title} of {whose}" if question.values else title
    ends = [_ends_text(model, groups, own.tolist()) for model, own in values.items()]
    *sizes, _ = (item.value for (item,) in shown.records(shown.models[0], "cases").values())
    apart = groups_apart(shown, question) if len(values) == 1 and not over_time else None

    def draw(ax: Any) -> None:
        options: dict[str, Any] = {"kind": "time"} if over_time else {} if apart is None else {"color": grey()}
        plots.plot_groups(
            shown.names, drawn, sizes=sizes, total=total, measure=measure, order="given", ax=ax, **options
        )
        if over_time:
            ax.set_xlabel(plain(by))
        if apart:
            _colour_apart(ax, dict(zip(shown.names, drawn, strict=True)), apart)

    inches = Plot.inches[0], TIME_INCHES if over_time else figure_height(len(shown.names), len(values))
    yield Plot(chart, caption, draw, "groups", f"{caption} {' '.join(ends)}", inches)


def estimates_of(items: Mapping[str, Sequence[Statistic]]) -> tuple[Any, dict[str, float]]:
    """Return what `plots.plot_groups` draws of the records of models, whose last ones are totals, and the totals.

    These are estimates with their intervals, by the names of models; without a name if there is only one.  O(groups).
    """
    estimates = {
        model: [item.value if np.isnan(item.value) else item.interval or item.value for item in own[:-1]]
        for model, own in items.items()
    }
    total = {model: own[-1].value for model, own in items.items()}
    return estimates if len(estimates) > 1 else next(iter(estimates.values())), total


def _colour_apart(ax: Any, estimates: Mapping[str, Any], apart: Container[str]) -> None:
    """Give the groups that differ from all cases the colour of the model, among those that are grey.  O(groups)."""
    defined = [name for name, item in estimates.items() if isinstance(item, Interval) or not np.isnan(item)]
    colour = nth_style(0)["color"]
    for row, name in enumerate(reversed(defined)):
        if name in apart and isinstance(item := estimates[name], Interval):
            ax.plot([item.low, item.high], [row, row], "-", color=colour, linewidth=1.6, zorder=4, label="_apart")
            ax.plot([item.estimate], [row], "o", color=colour, markersize=6, zorder=5, label="_apart")


def is_time(names: Sequence[str]) -> bool:
    """Whether groups are dates or numbers of one column, and enough of them for a line.  O(groups)."""
    return len(names) >= _LEAST_TIMES and NameOrder(names).is_time


def _ends_text(model: str, groups: Sequence[str], values: Sequence[float]) -> str:
    """Say the number of all cases, the last one, and the smallest and the largest of the shown groups.  O(groups)."""
    known = [(value, group) for group, value in zip(groups, values[:-1], strict=False) if not np.isnan(value)]
    ends = (choose(known, key=itemgetter(0)) for choose in (min, max))
    low, high = (f"{number(value)} ({shown_value(group)})" for value, group in ends)
    return f"{model}: {number(values[-1])} in all, from {low} to {high}."


_MOST_BARS, _MOST_BINS, _MOST_TICKS = 30, 50, 11
"""Bars that single values may have, as grades do; bins of other values; values that are named one by one."""
_FENCE = 3.0
"""How many interquartile ranges beyond the quartiles a value is far out: J. W. Tukey, Exploratory Data Analysis."""
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
        yield Plot(f"values_{place}", caption, draw, panel, said, (Plot.inches[0], TIME_INCHES))


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


def plots_of(answer: Answer, question: Question) -> list[Plot]:
    """Return the plots of a report: curves of scores, areas of groups, a confusion matrix.

    question: what the report answers.  Infinite scores are not drawn, nor are labels of one class.  O(n log n) for each
    plot when it is drawn.
    """
    return [
        *plots_of_scores(answer, question),
        *plots_of_values(answer, question, MODELS),
        *plots_of_groups(answer, question),
        *plots_of_classes(answer, question),
    ]


def missing(answer: Answer, question: Question) -> list[str]:
    """Return which charts a report lacks, and why.  O(n) for each column of scores.

    >>> scores = {"a": np.array([0.5, np.inf]), "b": np.array([2, 3])}
    >>> for each in missing(Answer([], np.array([True, False]), scores), Question("late", ("a", "b"))):
    ...     print(each)
    no curves for a: some of its scores are infinite
    no calibration chart or decision curve for b: its scores are not probabilities between 0 and 1
    """
    areas = [each.columns.column("roc_auc") for each in answer.sections if each.whole and "roc_auc" in each.statistics]
    cases, infinite = answer.class_scores, list[str]()
    if cases is not None:
        codes = np.flatnonzero(np.isinf(cases.scores).any(axis=0)).tolist()
        infinite = [shown_value(str(cases.categories[code])) for code in codes]
    no_areas = bool(areas and np.isnan(np.concatenate(areas)).all())
    groups = ["no chart of groups: no group has cases of both classes"] * no_areas
    unscored = _lacking("ROC curves", infinite, _INFINITE)
    return [*_missing_curves(answer, question), *groups, *missing_matrices(answer, question), *unscored]


def _missing_curves(answer: Answer, question: Question) -> Iterator[str]:
    if answer.positive is None:
        if question.scores:
            yield f"no curves: they need all rows in memory; allow more ({option('memory', 'SIZE')})"
        return
    if answer.positive.all() or not answer.positive.any():
        yield f"no curves: all cases are {'positive' if answer.positive.any() else 'negative'}"
        return
    drawn, shown = drawn_scores(answer), shown_names(answer.scores)
    yield from _lacking("curves", [shown[name] for name in shown if name not in drawn], _INFINITE)
    calibrated = probabilities(drawn)
    beyond = [shown[name] for name in drawn if name not in calibrated]
    why = "{} scores are not probabilities between 0 and 1"
    yield from _lacking("calibration chart or decision curve", beyond, why)


def _lacking(what: str, shown: Sequence[str], why: str) -> Iterator[str]:
    """Yield one entry for all models, or classes, of a reason."""
    if shown:
        yield f"no {what} for {listed(shown)}: {why.format('its' if len(shown) == 1 else 'their')}"


def missing_matrices(answer: Answer, question: Question) -> Iterator[str]:
    """Yield the entry for a confusion matrix that is too large to be drawn.  O(sections)."""
    most, matrix = tables.MOST_DRAWN_CLASSES, tables.confusion_counts(question.shown(answer.sections))
    if matrix is not None and len(matrix) > most:
        yield f"no chart of the confusion matrix: there are {len(matrix):,} classes, and at most {most} are drawn"
