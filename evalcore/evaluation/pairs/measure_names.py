"""Names of the measures that models are compared by, such as "roc_area", "recall@0.3" or "recall[ash]"."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, did_you_mean, shortened
from evalcore.evaluation.catalogue import (
    ALL_CLASSES,
    AT_THRESHOLDS,
    EACH_CLASS,
    ENTRIES,
    LOSS,
    NAMED,
    RANKING,
    RATE,
    catalogue_name,
    named_by,
)
from evalcore.measures.multiclass import DIFFERENTIABLE

RANKED, LOSSES, DECIDED = (named_by("compared", kind) for kind in (RANKING, LOSS, AT_THRESHOLDS))
"""Measures of rankings, of losses, and of decisions that a threshold asks for."""
RESAMPLED = {name: ENTRIES[name].resampled for name in named_by("resampled")}
"""Measures that the bootstrap alone has intervals for, and their names in `evalcore.inference`."""
OF_ALL_CLASSES, OF_EACH_CLASS = named_by("compared", ALL_CLASSES), named_by("compared", EACH_CLASS)
"""Measures of all predicted classes together, and of one."""
OF_CLASSES = tuple(name for name in OF_ALL_CLASSES if NAMED not in ENTRIES[name].compared)
"""Measures of all predicted classes by which predictions are compared by default."""
_AT_RATES = tuple(name for name in RESAMPLED if RATE in ENTRIES[name].title)
_THRESHOLD = "THRESHOLD"
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class ComparedMeasure(NamedTuple):
    """A measure that models are compared by."""

    measure: str
    """Its name in the catalogue of reports."""
    threshold: float | None = None
    """The least score that is predicted positive, or the rate that a measure of `RESAMPLED` takes."""
    category: str | None = None
    """The predicted class that it is of."""

    @property
    def name(self) -> str:
        """Its full name.  O(1).

        >>> ComparedMeasure("recall", 0.3).name, ComparedMeasure("recall", category="ash").name
        ('recall@0.3', 'recall[ash]')
        """
        at = "" if self.threshold is None else f"@{threshold_text(self.threshold)}"
        return self.measure + at + ("" if self.category is None else f"[{self.category}]")

    @property
    def title(self) -> str:
        """Its name for people.  O(1).

        >>> ComparedMeasure("f1", 0.5).title, ComparedMeasure("recall", category="ash").title
        ('F1 at threshold 0.5', 'recall of ash')
        """
        entry, number = ENTRIES.get(self.measure), threshold_text(self.threshold or 0.0)
        title = entry.full_title or entry.title if entry else self.measure
        if self.measure in _AT_RATES:
            return title.replace(RATE, number)
        at = "" if self.threshold is None else f" at threshold {number}"
        return title + at + ("" if self.category is None else f" of {self.category}")

    @property
    def lower_is_better(self) -> bool:
        """Whether a smaller value is better.  O(1)."""
        entry = ENTRIES.get(self.measure)
        return entry is not None and entry.lower_is_better


def threshold_text(threshold: float) -> str:
    """Write a threshold with all its digits, as names of measures have it.  O(1).

    >>> threshold_text(0.3), threshold_text(1.0), threshold_text(1e-7)
    ('0.3', '1', '1e-07')
    """
    return repr(float(threshold)).removesuffix(".0")


def parse_compared(name: Any) -> ComparedMeasure:
    """Return the measure of a name, which may have a threshold or a class.  O(1).

    Raises EvaluationError for any other name.

    >>> parse_compared("auc").name, parse_compared("recall@0.30").name, parse_compared("tpr@.5").name
    ('roc_area', 'recall@0.3', 'recall@0.5')
    """
    stem, category, number = _parts(name)
    measure = catalogue_name(stem)
    if category is not None:
        if measure in OF_EACH_CLASS:
            return ComparedMeasure(measure, category=category)
    elif number is None:
        if measure in (*RANKED, *LOSSES, *OF_ALL_CLASSES, *DIFFERENTIABLE, *RESAMPLED) and measure not in _AT_RATES:
            return ComparedMeasure(measure)
    elif _NUMBER.fullmatch(number) and (measure in DIFFERENTIABLE or measure in _AT_RATES):
        return ComparedMeasure(measure, float(number))
    known = described_compared()
    near = did_you_mean(stem, [each.partition("@")[0].partition("[")[0] for each in known])
    raise EvaluationError(f"measure must be one of {', '.join(known)}, got {shortened(repr(name))}{near}")


def described_compared() -> dict[str, str]:
    """Return what models can be compared by, and what it means; THRESHOLD, RATE and CLASS stand for others.  O(1)."""
    names = [
        *(*RANKED, *LOSSES, "maximum_f1", "ks"),
        *(f"{each}@{_THRESHOLD}" for each in DIFFERENTIABLE),
        *(f"{each}@{RATE}" for each in _AT_RATES),
        *OF_ALL_CLASSES,
        *(f"{each}[CLASS]" for each in OF_EACH_CLASS),
    ]
    return {name: ENTRIES[re.split(r"[@\[]", name)[0]].meaning for name in names}


def named_at(name: str, thresholds: Sequence[float]) -> list[str]:
    """Return a name of `described_compared` at thresholds; none for one of a single class.  O(thresholds).

    >>> named_at("recall@THRESHOLD", [0.3, 0.5]), named_at("roc_area", [0.3]), named_at("recall[CLASS]", [0.3])
    (['recall@0.3', 'recall@0.5'], ['roc_area'], [])
    """
    stem, at, _ = name.partition("@")
    if at:
        return [f"{stem}@{threshold_text(threshold)}" for threshold in thresholds]
    return [] if "[" in name else [name]


def _parts(name: Any) -> tuple[str, str | None, str | None]:
    """Return the measure, the class and the threshold that a name has."""
    text = name.strip() if isinstance(name, str) else ""
    stem, bracket, rest = text.partition("[")
    if bracket and rest.endswith("]"):
        return stem, rest[:-1], None
    stem, at, number = text.partition("@")
    return stem, None, number if at else None


def score_measures(
    names: Iterable[str], thresholds: Iterable[float], more: Iterable[str] = (), *, probabilities: bool
) -> list[ComparedMeasure]:
    """Return what scores are compared by; names: of measures, none for all with fast intervals.  O(names thresholds).

    more: names of measures beside these; probabilities: whether all scores are.  Names of decisions without a threshold
    are taken at each of the thresholds.  Raises EvaluationError for measures that scores do not have.

    >>> [measure.name for measure in score_measures([], [0.5], probabilities=False)][:3]
    ['roc_area', 'average_precision', 'accuracy@0.5']
    >>> [measure.name for measure in score_measures(["recall"], [0.2, 0.5], probabilities=True)]
    ['recall@0.2', 'recall@0.5']
    """
    levels = list(dict.fromkeys(map(float, thresholds)))
    given = list(map(parse_compared, names))
    if not given:
        given = list(map(ComparedMeasure, (*RANKED, *(LOSSES if probabilities else ()), *(DECIDED if levels else ()))))
    elif levels and not any(measure.measure in DIFFERENTIABLE for measure in given):
        given += map(ComparedMeasure, DECIDED)
    given += map(parse_compared, more)
    found = []
    for measure in given:
        if measure.category is not None or measure.measure in ("macro_f1", "balanced_accuracy"):
            raise EvaluationError(f"measure {measure.name!r} is of predicted classes, not of scores")
        if measure.measure in LOSSES and not probabilities:
            raise EvaluationError(
                f"measure {measure.name!r} needs probabilities: all scores of all models must be in 0 .. 1"
            )
        at = levels if measure.threshold is None else [measure.threshold]
        if measure.measure == "net_benefit" and not (probabilities and all(0 < level < 1 for level in at)):
            raise EvaluationError(
                f"measure {measure.name!r} needs probabilities, all in 0 .. 1, and thresholds above 0 and below 1"
            )
        if measure.measure not in DIFFERENTIABLE or measure.threshold is not None:
            found.append(measure)
        elif levels:
            found += [measure._replace(threshold=level) for level in levels]
        else:
            raise EvaluationError(
                f"measure {measure.name!r} needs a threshold: name one, such as '{measure.measure}@0.5'"
            )
    return list(dict.fromkeys(found))
