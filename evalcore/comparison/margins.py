"""The smallest differences that matter: one for all measures, or one for each of some."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from evalcore.comparison.measure_names import parse_compared
from evalcore.comparison.model import ModelDifferences
from evalcore.errors import EvaluationError, did_you_mean
from evalcore.kernels.thresholds import plain_number
from evalcore.measures.multiclass import DIFFERENTIABLE
from evalcore.report.options import option
from evalcore.validation.values import check_number

Margin: TypeAlias = float | Mapping[str, float] | None
"""One margin for all measures, or margins by measure; None for none."""


def check_margin(margin: Margin) -> None:
    """Raise EvaluationError unless margins are finite numbers above 0, one for each measure.  O(margins)."""
    if margin is None:
        return
    of_measures = margin if isinstance(margin, Mapping) else {}
    for name, value in of_measures.items() if of_measures else [("", margin)]:
        what = f"{option('margin')} of {name!r}" if name else option("margin")
        if not 0 < check_number(value, what) < float("inf"):
            raise EvaluationError(f"{what} must be a finite number above 0, got {value!r}")
    if len(set(map(_full_name, of_measures))) < len(of_measures):
        raise EvaluationError(
            f"{option('margin')} must name each measure once, got {', '.join(map(repr, of_measures))}"
        )


def check_margin_names(margin: Margin, compared: Iterable[str]) -> None:
    """Raise EvaluationError for margins of measures that are not compared; compared: their names.  O(measures)."""
    known = list(dict.fromkeys(compared))
    for name in margin if isinstance(margin, Mapping) else ():
        if not any({str(name), _full_name(name)}.intersection(_names_of(measure)) for measure in known):
            at_a_threshold = f" or {option('threshold')}" if _full_name(name) in DIFFERENTIABLE else ""
            near = did_you_mean(name, known) or f"; choose them with {option('measures')}{at_a_threshold}"
            raise EvaluationError(
                f"{option('margin')} must name measures that are compared ({', '.join(known)}), got {name!r}{near}"
            )


def check_margins_of(models: Iterable[ModelDifferences], margin: Margin) -> None:
    """Raise EvaluationError for margins of measures that no model was compared by.  O(measures).

    Whether losses are compared is known only after all scores were read.
    """
    check_margin_names(margin, (item.measure for model in models for item in model.differences))


def margins_of(margin: Margin, compared: Iterable[str]) -> dict[str, float | None]:
    """Return the margin of each measure, None for those without one; compared: their names.  O(measures x margins).

    A margin of "recall" is that of "recall@0.3" too, unless that has its own.

    >>> margins_of({"recall": 0.02, "recall@0.5": 0.01}, ["roc_area", "recall@0.3", "recall@0.5"])
    {'roc_area': None, 'recall@0.3': 0.02, 'recall@0.5': 0.01}
    """
    names = dict.fromkeys(compared)
    if not isinstance(margin, Mapping):
        return dict.fromkeys(names, margin)
    by_name = {str(name): float(value) for name, value in margin.items()}
    given = {_full_name(name): value for name, value in by_name.items()} | by_name
    return {name: next((given[each] for each in _names_of(name) if each in given), None) for name in names}


def plain_margin(margin: Margin) -> float | dict[str, float] | None:
    """Return margins as JSON holds them.  O(margins)."""
    if isinstance(margin, Mapping):
        return {str(name): float(value) for name, value in margin.items()}
    return None if margin is None else float(margin)


def margin_text(margin: Margin) -> str:
    """Return margins for people; empty for none.  O(margins).

    >>> margin_text(0.005), margin_text({"roc_area": 0.005, "recall": 0.02})
    ('0.005', 'roc_area 0.005, recall 0.02')
    """
    if isinstance(margin, Mapping):
        return ", ".join(f"{name} {plain_number(value)}" for name, value in margin.items())
    return "" if margin is None else plain_number(margin)


def _names_of(measure: str) -> tuple[str, str]:
    """Return the names by which a measure may have a margin: its own, and that without a threshold or a class."""
    return measure, measure.partition("@")[0].partition("[")[0]


def _full_name(name: Any) -> str:
    """Return the name of a measure as comparisons write it; other names, such as those of runs, as they are.  O(1)."""
    try:
        return parse_compared(name).name
    except EvaluationError:
        return str(name)
