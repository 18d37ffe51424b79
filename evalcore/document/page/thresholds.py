"""The panel of thresholds: what each decides, and a slider over them."""

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from evalcore.document import thresholds
from evalcore.document.model import Part
from evalcore.document.shown import MOST_TILES, decisions_of, leading_models, model_thresholds
from evalcore.document.tables import AnyCell, Table, amount_cell
from evalcore.document.thresholds import Decided, positions_of
from evalcore.document.words.summary import unreached
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import Costs, section_name
from evalcore.evaluation.wording import number, percent
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import plain_number
from evalcore.measures import binary
from evalcore.typing import Amount, AnyArray

_NEEDS_ROWS = "Thresholds are compared only if all rows fit in memory; this report was made from summaries."
_LEFT_OUT = "Thresholds are shown for the {} models with the largest ROC AUCs."
_ONE_CLASS = "All cases are {}, so there is no threshold to choose."
_LIVE_COLUMNS = "at", "precision", "recall", "false positive rate", "%\N{NO-BREAK SPACE}flagged", "expected cost"
"""In the order of the texts that the script makes."""


def thresholds_panel(answer: Answer, question: Question, script: bool = True) -> Part | None:
    """Return tables of thresholds, confusion matrices, and the data of a slider.  O(n log n) for each model."""
    if not question.scores:
        return None
    positive = answer.positive
    if positive is None or positive.all() or not positive.any():
        why = _NEEDS_ROWS if positive is None else _ONE_CLASS.format("positive" if positive.any() else "negative")
        return Part("Thresholds", name="thresholds", before=[why])
    shown = leading_models(answer.sections, list(answer.scores), MOST_TILES)
    before = [_LEFT_OUT.format(len(shown))] if len(shown) < len(answer.scores) else []
    return Part(
        "Thresholds", name="thresholds", before=before, content=_content(answer, question, shown, script=script)
    )


def _content(answer: Answer, question: Question, shown: Mapping[int, str], *, script: bool) -> dict[str, Any]:
    point, values = model_thresholds(answer.sections, question)
    is_given, is_optimum = point == thresholds.GIVEN, point in (thresholds.BEST_F1, thresholds.LOWEST_COST)
    which = "first " * (len(question.thresholds) > 1) if is_given else f"threshold {'of the' if is_optimum else 'for'} "
    starts = {
        name: thresholds.decided(positions_of(answer.ranked[name]), values[name], given=is_given)
        for name in shown.values()
    }
    models = []
    for colour, name in shown.items():
        targets = ((target, decisions_of(answer.sections, name, section_name(target))) for target in question.targets)
        missed = (target for target, own in targets if "threshold" in own and np.isnan(own["threshold"].value))
        said = {"said": _sentence(name, starts[name]), "unmet": [f"{unreached(each, name)}." for each in missed]}
        models.append(SimpleNamespace(colour=colour, name=name, matrix=_matrix(name, starts[name]), **said))
    costs = list(map(plain_number, question.costs or Costs(1.0, 1.0)))
    slider = _slider(answer, shown, starts) if script else {}
    live = {"slider": slider, "columns": _LIVE_COLUMNS, "weighted": question.weighting.asked, "costs": costs}
    return {"models": models, "matrix": f"Confusion matrix at the {which}{point}", **live}


def _matrix(name: str, found: Decided) -> Table:
    """Return a table of decisions, and which fractions of the cases of a label they are."""
    tp, fn, fp, tn = found.counts
    rows: list[list[AnyCell]] = [
        [label, *(amount_cell(part)._replace(below=percent(float(ratio(part, sum(parts))))) for part in parts)]
        for label, parts in {"positive": (tp, fn), "negative": (fp, tn)}.items()
    ]
    title = f"Confusion matrix of {name} at threshold {found.threshold}"
    return Table(title, ["label", "flagged", "not flagged"], rows)


def _texts(tp: AnyArray, fp: AnyArray, positives: Amount, negatives: Amount) -> list[list[str]]:
    """Return what the page says of each of some decisions, (d,).  O(d).

    Precision, recall and false positive rate; the fraction and the number of flagged cases; tp, fn, fp and tn; and the
    fraction of its label that each of these four is.
    """
    fn, tn = positives - tp, negatives - fp
    rates = ratio(tp, tp + fp), ratio(tp, positives), ratio(fp, negatives)
    parts = [ratio(each, positives) for each in (tp, fn)] + [ratio(each, negatives) for each in (fp, tn)]

    def shown(columns: Iterable[Any], write: Callable[[Any], str]) -> list[list[str]]:
        return [[*map(write, np.asarray(column).tolist())] for column in columns]

    written = shown(rates, lambda rate: "\N{EN DASH}" if np.isnan(rate) else number(rate))
    written += shown([ratio(tp + fp, positives + negatives)], percent)
    written += shown((tp + fp, tp, fn, fp, tn), lambda cases: amount_cell(cases).text) + shown(parts, percent)
    return [*map(list, zip(*written, strict=True))]


def _sentence(name: str, found: Decided) -> str:
    """Say what a model decides at a threshold, as the script does of others.  O(1)."""
    tp, fn, fp, tn = found.counts
    precision, recall, _, part, cases = _texts(np.array([tp]), np.array([fp]), tp + fn, fp + tn)[0][:5]
    said = f"{part} of the cases ({cases}): precision {precision}, recall {recall}."
    return f"At threshold {found.threshold}, {name} flags {said}"


def _slider(answer: Answer, shown: Mapping[int, str], starts: Mapping[str, Decided]) -> dict[str, Any]:
    """Return what the script reads: what each model decides at each position, and where its slider starts.

    The start is a position too: of all models where they share them, else in place of the nearest.
    """
    scores, numbers = {name: answer.scores[name] for name in starts}, [start.number for start in starts.values()]
    grid, models = thresholds.slider_grid(scores, numbers), list[dict[str, Any]]()
    for colour, name in shown.items():
        start, cases = starts[name], positions_of(answer.ranked[name])
        counts = thresholds.slider_counts(grid, cases)
        flagged = start.counts.tp + start.counts.fp
        if grid.thresholds is None:
            place = int(np.abs(grid.fractions - binary.response_rate(*start.counts)).argmin())
            own = {"tp": start.counts.tp, "fp": start.counts.fp, "thresholds": start.threshold} if flagged else {}
            counts |= {key: [*counts[key][:place], own[key], *counts[key][place + 1 :]] for key in own}
        else:
            near = np.clip(start.number, grid.thresholds[0], grid.thresholds[-1])  # infinity is near to none
            place = int(np.abs(grid.thresholds - near).argmin())
        columns = (np.array(counts[key]) for key in ("tp", "fp"))
        totals = {"positives": cases.positives, "negatives": cases.negatives}  # sums of weights in its own order
        texts = [*map("|".join, _texts(*columns, *totals.values()))]
        models.append({**counts, **totals, "colour": colour, "start": place, "texts": texts})
    steps = map(percent, grid.fractions.tolist()) if grid.thresholds is None else map(plain_number, grid.thresholds)
    return {"shared": grid.thresholds is not None, "positions": [*steps], "models": models}
