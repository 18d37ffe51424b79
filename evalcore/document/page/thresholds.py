"""The panel of thresholds: what each decides, and a slider over them."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from evalcore.document import thresholds
from evalcore.document.model import Part
from evalcore.document.page.panels import View, amount_cell
from evalcore.document.shown import MOST_TILES, decisions_of, leading_models, model_thresholds
from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.document.thresholds import Choice, Positions, SliderGrid
from evalcore.document.words.summary import unreached
from evalcore.evaluation.thresholds import Costs, expected_cost, section_name
from evalcore.evaluation.wording import number, percent
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import plain_number
from evalcore.measures import binary

_NEEDS_ROWS = "Thresholds are compared where all rows fit in memory. This report was made from summaries."
_LEFT_OUT = "Thresholds are shown of the {} models with the largest ROC AUCs."
_ONE_CLASS = "All cases are {}, so there is no threshold to choose."
_RATES = _PRECISION, _RECALL, _FALLOUT = "precision", "recall", "false positive rate"
_FLAGGED, _COST = "%\N{NO-BREAK SPACE}flagged", "expected cost"
_LIVE_COLUMNS = "at", *_RATES, _FLAGGED, _COST
"""In the order of the texts that the script makes."""
_NO_VALUE = "\N{EN DASH}"


def thresholds_panel(view: View) -> Part | None:
    """Return tables of thresholds, confusion matrices, and the data of a slider.  O(n log n) for each model."""
    if not view.question.scores:
        return None
    positive = view.answer.positive
    if positive is None or positive.all() or not positive.any():
        why = _NEEDS_ROWS if positive is None else _ONE_CLASS.format("positive" if positive.any() else "negative")
        return Part("Thresholds", name="thresholds", before=[why])
    shown = leading_models(view.answer.sections, list(view.answer.scores), MOST_TILES)
    before = [_LEFT_OUT.format(len(shown))] if len(shown) < len(view.answer.scores) else []
    return Part("Thresholds", name="thresholds", before=before, content=_content(view, shown))


def _content(view: View, shown: Mapping[int, str]) -> dict[str, Any]:
    answer, question = view.answer, view.question
    models, grid = [], None
    data: dict[str, Any] = {}
    point = model_thresholds(answer.sections, question).name
    is_given, is_optimum = point == thresholds.GIVEN, point in (thresholds.BEST_F1, thresholds.LOWEST_COST)
    which = "first " * (len(question.thresholds) > 1) if is_given else f"threshold {'of the' if is_optimum else 'for'} "
    for colour, name in shown.items():
        cases = answer.ranked[name]
        items = {target: decisions_of(answer.sections, name, section_name(target)) for target in question.targets}
        reaching = {target: own["threshold"].value for target, own in items.items() if "threshold" in own}
        met = {target.bound: value for target, value in reaching.items() if not np.isnan(value)}
        found = thresholds.choices(cases, question.thresholds, question.costs, met)
        named = (choice for choice in found if point in choice.names)
        start = next(choice for choice in named if not is_given or choice.exact == question.threshold)
        unmet = [f"{unreached(target, name)}." for target, value in reaching.items() if np.isnan(value)]
        marked = None if is_optimum else found.index(start)
        own = {"said": _sentence(name, start), "matrix": _matrix(name, start), "unmet": unmet}
        table = _table(name, found, question.costs, marked)
        models.append(SimpleNamespace(colour=colour, name=name, table=table, **own))
        if not view.script:
            continue
        if grid is None:
            grid = thresholds.slider_grid({name: answer.scores[name] for name in shown.values()}, [start.number])
            data = _data(grid, Positions(cases))
        data["models"].append({**thresholds.slider_counts(grid, cases), "colour": colour, "start": _place(grid, start)})
    costs = list(map(plain_number, question.costs or Costs(1.0, 1.0)))
    live = {"slider": data, "columns": _LIVE_COLUMNS, "weighted": question.weighting.asked, "costs": costs}
    return {"models": models, "matrix": f"Confusion matrix at the {which}{point}", **live}


def _table(name: str, found: Sequence[Choice], costs: Costs | None, marked: int | None) -> Table:
    head = ["operating point", "threshold", *_RATES, "flagged", _FLAGGED, *BinaryCounts._fields]
    rows: list[list[AnyCell]] = []
    for names, threshold, exact, counts in found:
        tp, fn, fp, tn = counts
        full = plain_number(exact)
        at = Cell(threshold, full if tp + fp and full != threshold else "")
        rates = binary.precision(tp, fp), binary.recall(tp, fn), binary.false_positive_rate(fp, tn)
        flagged = amount_cell(tp + fp), Cell(percent(float(binary.response_rate(*counts))))
        cost = [] if costs is None else [_cell(expected_cost(counts, costs))]
        rows.append([_name(names), at, *map(_cell, map(float, rates)), *flagged, *map(amount_cell, counts), *cost])
    return Table(f"Thresholds of {name}", [*head, *([_COST] if costs else [])], rows, marked=marked)


def _cell(value: float) -> Cell:
    return Cell(_NO_VALUE) if np.isnan(value) else Cell(number(value), repr(value))


def _name(names: Sequence[str]) -> str:
    """Say why a threshold is of interest.

    >>> _name(("1%", "5%", "best F1"))
    'top 1%, 5%; best F1'
    """
    fractions = ", ".join(name for name in names if name.endswith("%"))
    others = [name for name in names if not name.endswith("%")]
    return "; ".join([*([f"top {fractions}"] if fractions else []), *others])


def _matrix(name: str, choice: Choice) -> Table:
    """Return a table of decisions, and which fractions of the cases of a label they are."""
    tp, fn, fp, tn = choice.counts
    rows: list[list[AnyCell]] = [
        [label, *(amount_cell(part)._replace(below=percent(float(ratio(part, sum(parts))))) for part in parts)]
        for label, parts in {"positive": (tp, fn), "negative": (fp, tn)}.items()
    ]
    title = f"Confusion matrix of {name} at threshold {choice.threshold}"
    return Table(title, ["label", "flagged", "not flagged"], rows)


def _sentence(name: str, choice: Choice) -> str:
    """Say what a model decides at a threshold, as the script does of others.  O(1)."""
    tp, fn, fp, _ = choice.counts
    precision, recall = (_cell(float(rate)).text for rate in (binary.precision(tp, fp), binary.recall(tp, fn)))
    said = f"{percent(float(binary.response_rate(*choice.counts)))} of the cases ({amount_cell(tp + fp).text})"
    return f"At threshold {choice.threshold}, {name} flags {said}: precision {precision}, recall {recall}."


def _place(grid: SliderGrid, start: Choice) -> int:
    """Return the position of a slider that is nearest to a threshold.  O(t)."""
    if grid.thresholds is None:
        return int(np.abs(grid.fractions - binary.response_rate(*start.counts)).argmin())
    near = np.clip(start.number, grid.thresholds[0], grid.thresholds[-1])  # infinity is near to none
    return int(np.abs(grid.thresholds - near).argmin())


def _data(grid: SliderGrid, cases: Positions) -> dict[str, Any]:
    """Return what the script reads, without the models."""
    steps = map(percent, grid.fractions.tolist()) if grid.thresholds is None else map(plain_number, grid.thresholds)
    counts = {"positives": cases.positives, "negatives": cases.negatives}
    return {**counts, "shared": grid.thresholds is not None, "positions": [*steps], "models": []}
