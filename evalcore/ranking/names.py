"""The measures of rankings by their common names, including those of trec_eval."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.measures import retrieval
from evalcore.measures.grouped_rankings import GroupedRankings
from evalcore.typing import FloatArray


class Measure(NamedTuple):
    """A measure of each of many rankings, and its name."""

    name: str
    compute: Callable[[GroupedRankings], FloatArray]
    """A function of `evalcore.measures.grouped_rankings.GroupedRankings` that returns a value for each group, (g,)."""


_DIGITS = 18
"""A depth with more digits is invalid."""
_TAKEN = "group", "size", "positives"
"""The other columns of a result."""


class _Kind(NamedTuple):
    """A family of measures: its names, and the function that computes one at a depth or recall level."""

    name: str
    pattern: str
    compute: Callable[..., FloatArray]
    level: str = "depth"
    """'depth' for a whole number, 'recall' for a number in 0 .. 1, or 'none'."""
    required: bool = False


_KINDS = (
    _Kind("P", r"P|precision", retrieval.precision_at, required=True),
    _Kind("R", r"R|recall", retrieval.recall_at, required=True),
    _Kind("success", r"success|hit|HR", retrieval.success_at, required=True),
    _Kind("AP", r"AP|MAP|map_cut|average_precision", retrieval.average_precision),
    _Kind("RR", r"RR|MRR|recip_rank|reciprocal_rank", retrieval.reciprocal_rank),
    _Kind("nDCG", r"nDCG|ndcg_cut", retrieval.ndcg),
    _Kind("nDCGexp", r"nDCGexp", partial(retrieval.ndcg, exponential=True)),
    _Kind("iprec", r"iprec|iprec_at_recall", retrieval.interpolated_precision, "recall", required=True),
    _Kind("Rprec", r"Rprec|R-precision|r_precision", retrieval.r_precision, "none"),
    _Kind("bpref", r"bpref", retrieval.bpref, "none"),
    _Kind("AUC", r"AUC", retrieval.roc_area, "none"),
    _Kind("maxF", r"maxF|maxF1", retrieval.maximum_f, "none"),
    _Kind("num_ret", r"num_ret", retrieval.retrieved, "none"),
    _Kind("num_rel", r"num_rel", retrieval.relevant, "none"),
    _Kind("num_rel_ret", r"num_rel_ret", retrieval.relevant_retrieved, "none"),
)


def parse(name: str | Measure) -> Measure:
    """Return the measure of a name.  O(1).

    A depth or a recall follows ``@`` or ``_``: ``P@10``, ``P_10``, ``iprec@0.1``.  Case does not matter.

    Parameters
    ----------
    name : str or Measure
        A measure is returned as it is.

    Returns
    -------
    Measure

    Raises
    ------
    EvaluationError
        If the name is unknown.
    EvaluationTypeError
        If it is neither a string nor a Measure.

    Examples
    --------
    >>> parse("ndcg_cut_10").name, parse("map").name, parse("recip_rank").name
    ('nDCG@10', 'AP', 'RR')
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise EvaluationTypeError(f"measure must be a string or a Measure, got {name!r}")
    return _parsed(name)


@lru_cache(maxsize=256)
def _parsed(name: str) -> Measure:
    for kind in _KINDS:
        found = re.fullmatch(rf"(?:{kind.pattern})(?:[@_](?P<level>[0-9.]+))?", name, re.IGNORECASE)
        if found:
            return _measure(kind, found["level"], name)
    if name.upper() == "GAUC":  # a weighted mean, not a measure of a ranking
        raise EvaluationError("measure 'GAUC' must be asked for as AUC, and averaged by .mean('AUC', by='size')")
    raise EvaluationError(f"measure must be one of {', '.join(_shown(kind) for kind in _KINDS)}, got {name!r}")


def parse_all(measures: Any) -> list[Measure]:
    """Return the measures of a string of names, a Measure, or a sequence of either, without repeats.  O(m)."""
    if isinstance(measures, str):
        measures = measures.replace(",", " ").split()
    elif isinstance(measures, Measure):
        measures = [measures]
    elif not isinstance(measures, Iterable):
        raise EvaluationTypeError(f"measures must be a string, a Measure or a sequence of them, got {measures!r}")
    found: dict[str, Measure] = {}
    objects = set()
    for measure in measures:
        one = parse(measure)
        if isinstance(measure, Measure):
            objects.add(one.name)
        if one.name in _TAKEN or (one.name in objects and one.name in found):
            raise EvaluationError(
                f"measures must have different names, none of them {', '.join(_TAKEN)}, got {one.name!r}"
            )
        found[one.name] = one
    if not found:
        raise EvaluationError("measures must name at least one measure")
    return list(found.values())


def _measure(kind: _Kind, level: str | None, name: str) -> Measure:
    wrong = EvaluationError(f"measure {name!r} must be written {_shown(kind)}")
    if level is None:
        if kind.required:
            raise wrong
        return Measure(kind.name, kind.compute)
    if kind.level == "depth" and level.isdecimal() and not int(level[:_DIGITS]):
        raise EvaluationError(f"measure {name!r} must have a depth of at least 1, got {level}")
    if kind.level == "depth" and level.isdecimal() and len(level) <= _DIGITS:
        return Measure(f"{kind.name}@{int(level)}", partial(_at, kind.compute, level=int(level)))
    if kind.level == "recall" and 0 <= (number := _number(level)) <= 1:
        return Measure(f"{kind.name}@{number!r}", partial(_at, kind.compute, level=number))
    raise wrong


def _at(compute: Callable[..., FloatArray], ranked: GroupedRankings, level: float) -> FloatArray:
    return compute(ranked, level)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def _shown(kind: _Kind) -> str:
    level = {"depth": "@k", "recall": "@x (a recall in 0 .. 1)", "none": ""}[kind.level]
    return f"{kind.name}{level}" if kind.required or not level else f"{kind.name} or {kind.name}{level}"
