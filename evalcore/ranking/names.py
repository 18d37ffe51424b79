"""The measures of rankings by their common names, including those of trec_eval."""

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, refuse
from evalcore.measures import retrieval
from evalcore.measures.retrieval import GroupedRankings
from evalcore.typing import FloatArray


class Measure(NamedTuple):
    """A measure of each of many rankings, and its name."""

    name: str
    compute: Callable[[GroupedRankings], FloatArray]
    """A function of `evalcore.measures.retrieval.GroupedRankings` that returns a value for each group, (g,)."""
    geometric: bool = False
    """Whether means over groups are geometric ones, of values above 0."""
    highest: float = math.inf
    """The largest value that it may have."""
    whole_grades: bool = False
    """Whether it only tells relevant items from others, so that grades are whole numbers."""


_DIGITS = 18
"""A depth with more digits is invalid."""
_TAKEN = "group", "size", "positives"
"""The other columns of a result."""
_BETWEEN_NAMES, _BETWEEN_DEPTHS = re.compile(r"[\s,]+(?![\s,\d.])(?![^()]*\))"), re.compile(r"[\s,]+")
"""Commas and blanks outside brackets: before a number they are those of ``P@10,20``."""
_PARTS = re.compile(r"(?P<stem>[a-z_-]*[a-z])?(?P<brackets>\([^()]*)?\)?(?P<at>[@_.]?)(?P<level>\d+(?:\.\d+)?)?", re.I)
"""The parts of what may be meant as a name."""
_BETWEEN_ARGUMENTS = re.compile(r",(?![^{}]*\})")
"""Commas outside braces."""


class UnknownMeasureError(EvaluationError):
    """Report a name that no measure has."""


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def _positive(text: str, below: float = math.inf) -> float | None:
    """Return a number above 0 and below another, None for what is none."""
    return number if 0 < (number := _number(text)) < below else None


def _gains(value: str) -> tuple[tuple[float, float], ...] | None:
    """Return grades and other gains that they have, in their order; None if they are not written so."""
    pairs = [part.split(":") for part in value[1:-1].split(",")]
    if not (value.startswith("{") and value.endswith("}")) or any(len(pair) != 2 for pair in pairs):
        return None
    try:
        gains = {float(grade): float(gain) for grade, gain in pairs}
    except ValueError:
        return None
    if len(gains) < len(pairs) or not all(0 <= number < math.inf for number in (*gains, *gains.values())):
        return None
    return tuple(sorted((grade, gain) for grade, gain in gains.items() if grade != gain))


class _Argument(NamedTuple):
    """What may stand in the brackets of a name."""

    must: str
    read: Callable[[str], Any]
    """Returns the value of a text, None if it is not valid."""
    default: Any = None
    """The value that names leave out."""


_DISCOUNTS = {"log2": "log2", "exp-log2": "exp-log2"}
_ARGUMENTS = {
    "rel": _Argument("a number above 0", _positive),
    "judged_only": _Argument("True or False", lambda text: {"true": True, "false": False}.get(text.lower()), False),
    "p": _Argument("a number between 0 and 1", partial(_positive, below=1.0), 0.8),
    "beta": _Argument("a number above 0", _positive, 1.0),
    "max_rel": _Argument("a number above 0", _positive, 4.0),
    "dcg": _Argument("log2 or exp-log2", lambda text: _DISCOUNTS.get(text.strip("'\"")), "log2"),
    "gains": _Argument("grades and their gains, none below 0, such as {1:1,2:5}", _gains, ()),
}
"""By the names that ir_measures has."""
_BINARY = "rel", "judged_only"
"""Arguments of measures that know relevant items and others."""


class _Kind(NamedTuple):
    """A family of measures: its names, and the function that computes one at a depth or recall level."""

    name: str
    pattern: str
    compute: Callable[..., FloatArray]
    level: str = "depth"
    """'depth' for a whole number, 'recall' for a number in 0 .. 1, or 'none'."""
    required: bool = False
    arguments: tuple[str, ...] = _BINARY
    """Those that may stand in brackets, in the order in which names have them."""
    graded: bool = False
    """Whether the measure takes grades as gains unless ``rel`` is given."""
    geometric: bool = False
    highest: float = 1.0
    """The largest value; that of a `graded` measure depends on the grades.  0 is the smallest."""


_Count = partial(_Kind, level="none", highest=math.inf, arguments=("rel",))
_KINDS = (
    _Kind("P", r"P|precision", retrieval.precision_at, required=True),
    _Kind("R", r"R|recall", retrieval.recall_at, required=True),
    _Kind("success", r"success|hit|hit_rate|HR", retrieval.success_at, required=True),
    _Kind("AP", r"AP|MAP|map_cut|average_precision", retrieval.average_precision),
    _Kind("RR", r"RR|MRR|recip_rank|reciprocal_rank", retrieval.reciprocal_rank),
    _Kind("nDCG", r"nDCG|ndcg_cut", retrieval.ndcg, arguments=("dcg", "gains", "judged_only")),
    _Kind("nDCGexp", r"nDCGexp", partial(retrieval.ndcg, exponential=True), arguments=("gains", "judged_only")),
    _Kind("iprec", r"iprec|iprec_at_recall", retrieval.interpolated_precision, "recall", required=True),
    _Kind("Rprec", r"Rprec|R-precision|r_precision", retrieval.r_precision, "none"),
    _Kind("bpref", r"bpref", retrieval.bpref, "none", arguments=("rel",)),
    _Kind("RBP", r"RBP", retrieval.rank_biased_precision, arguments=("p", "rel"), graded=True),
    _Kind("ERR", r"ERR", retrieval.expected_reciprocal_rank, arguments=("max_rel",)),
    _Kind("Judged", r"Judged", retrieval.judged_at, arguments=()),
    _Kind("SetP", r"SetP|set_P", retrieval.set_precision, "none"),
    _Kind("SetR", r"SetR|set_recall", retrieval.set_recall, "none", arguments=("rel",)),
    _Kind("SetF", r"SetF|set_F", retrieval.set_f, "none", arguments=("beta", *_BINARY)),
    _Kind("SetAP", r"SetAP|set_map", retrieval.set_average_precision, "none"),
    _Kind("gm_map", r"gm_map|GMAP", retrieval.average_precision_for_geometric_mean, "none", geometric=True),
    _Kind("AUC", r"AUC", retrieval.roc_auc, "none"),
    _Kind("maxF", r"maxF|maxF1", retrieval.maximum_f, "none"),
    _Count("num_ret", r"num_ret|NumRet", retrieval.retrieved, arguments=()),
    _Count("num_rel", r"num_rel|NumRel", retrieval.relevant),
    _Count("num_rel_ret", r"num_rel_ret|NumRelRet", retrieval.relevant_retrieved),
)
_OF_NAME = {kind.name: kind for kind in _KINDS}


def parse(name: object, *, rel: float | None = None) -> Measure:
    """Return the measure of a name.  O(1).

    Names are P, R, success, AP, RR, nDCG, nDCGexp, iprec, Rprec, bpref, RBP, ERR, Judged, SetP, SetR, SetF, SetAP,
    gm_map, AUC, maxF, num_ret, num_rel and num_rel_ret, or those that trec_eval and other programs have for them.
    A depth follows ``@`` or ``_``: ``P@10``, ``P_10``.  P, R and success need one; AP, RR, nDCG, nDCGexp, RBP, ERR and
    Judged may have one; iprec needs a recall, ``iprec@0.1``.  Arguments stand in brackets, as ir_measures writes them:
    ``AP(rel=2)``, ``RBP(p=0.5)@20``.  Case does not matter.

    Parameters
    ----------
    name : str, Measure or object
        A measure is returned as it is.  Other objects must be written as a name, as those of ir_measures are:
        ``ir_measures.nDCG @ 10``.
    rel : int or float, optional
        The least grade of a relevant item, above 0, for a name without one.  Measures that take grades as gains, such
        as nDCG, ERR and RBP, do not need it.  By default every grade above 0 is relevant.

    Returns
    -------
    Measure

    Raises
    ------
    EvaluationError
        If the name is unknown, or an argument is unknown or invalid.
    EvaluationTypeError
        If it is neither a string nor a Measure, nor written as a name.

    Notes
    -----
    Use it to check names from a configuration before there are data; `evaluate` takes the names as they are.

    The arguments are ``rel`` (the least grade of a relevant item), ``judged_only`` (leave out unjudged items), ``p``
    (the persistence of RBP), ``beta`` (of SetF), ``max_rel`` (the largest grade of ERR), ``gains`` (of nDCG, by grade:
    ``nDCG(gains={1:1,2:5})``) and ``dcg`` (``exp-log2`` makes nDCG nDCGexp).

    nDCG, RBP and ERR take grades as gains: RBP may exceed 1 where grades do, and ``RBP(rel=1)`` counts relevant items.
    Judged counts items with grades of 0 and more; that of ir_measures counts negative grades too.  Source:
    S. MacAvaney, C. Macdonald and I. Ounis, Streamlining evaluation with ir-measures, ECIR 2022.

    Examples
    --------
    >>> parse("ndcg_cut_10").name, parse("map").name, parse("recip_rank").name
    ('nDCG@10', 'AP', 'RR')
    >>> parse("P(rel=2)@5").name, parse("RBP(p=0.8)").name, parse("AP", rel=2).name
    ('P(rel=2)@5', 'RBP', 'AP(rel=2)')
    """
    if isinstance(name, Measure):
        return name
    if isinstance(name, str):
        return _parsed(name, rel)
    try:
        return _parsed(str(name), rel)
    except EvaluationError as error:
        raise EvaluationTypeError(f"measure must be a string or a Measure, got {name!r}") from error


@lru_cache(maxsize=256)
def _parsed(name: str, rel: float | None) -> Measure:
    for kind in _KINDS:
        pattern = rf"(?:{kind.pattern})(?:\((?P<arguments>[^()]*)\))?(?:[@_](?P<level>[0-9.]+))?"
        if found := re.fullmatch(pattern, name, re.IGNORECASE):
            arguments = _arguments(kind, found["arguments"] or "", name)
            if rel is not None and "rel" in kind.arguments and not kind.graded:
                arguments.setdefault("rel", _checked("rel", str(rel), name))
            return _measure(kind, found["level"], arguments, name)
    if name.upper() == "GAUC":  # a weighted mean, not a measure of a ranking
        raise EvaluationError("measure 'GAUC' must be asked for as AUC, and averaged by .mean('AUC', by='size')")
    rule = "be a name such as AP, RR, P@10, R@10 or nDCG@10 (help(evalcore.ranking.parse) lists all)"
    raise UnknownMeasureError(f"measure must {rule}, got {name!r}{near_measures(name)}")


def near_measures(name: str, others: Iterable[str] = ()) -> str:
    """Return the end of an error text that suggests names, with the depth of the one that is unknown.  O(names).

    others: names without depths, beside those that `parse` knows.

    >>> near_measures("ndgc@10"), near_measures("P10")
    ("; did you mean 'nDCG@10'?", "; did you mean 'P@10'?")
    """
    parts = _PARTS.match(name)
    stem = (parts and parts["stem"]) or ""
    kinds = {alias: kind for kind in _KINDS for alias in kind.pattern.split("|")}
    exact = [alias for alias in kinds if alias.lower() == stem.lower()]

    def written(alias: str) -> str:
        if parts is None or alias not in kinds:
            return alias
        brackets, kind = f"{parts['brackets']})" if parts["brackets"] else "", kinds[alias]
        level = {"depth": "@k", "recall": "@x", "none": ""}[kind.level] if kind.required else ""
        if parts["level"] and kind.level != "none":
            level = f"{'_' if parts['at'] == '_' else '@'}{parts['level']}"
        return f"{alias}{brackets}{level}"

    return did_you_mean(stem, exact or [*kinds, *others], written)


def split_names(text: str) -> list[str]:
    """Return the names in a text, apart from each other by blanks or commas.  O(text).

    >>> split_names("AP P(rel=2,judged_only=True)@5,10, RR")
    ['AP', 'P(rel=2,judged_only=True)@5', 'P(rel=2,judged_only=True)@10', 'RR']
    """
    names = []
    for name in filter(None, _BETWEEN_NAMES.split(text.strip(" ,\n\t"))):
        stem, at, depths = name.rpartition("@")
        names += [f"{stem}@{depth}" for depth in _BETWEEN_DEPTHS.split(depths)] if at else [name]
    return names


def parse_all(measures: Any) -> list[Measure]:
    """Return the measures of a string of names, a Measure, or a sequence of either, without repeats.  O(m)."""
    if isinstance(measures, str):
        measures = split_names(measures)
    elif isinstance(measures, Measure) or not isinstance(measures, Iterable):
        measures = [measures]
    found: dict[str, Measure] = {}
    objects = set()
    for measure in measures:
        one = parse(measure)
        if isinstance(measure, Measure):
            objects.add(one.name)
        taken = one.name in _TAKEN or (one.name in objects and one.name in found)
        check(not taken, "measures", f"have different names, none of them {', '.join(_TAKEN)}", repr(one.name))
        found[one.name] = one
    refuse({"measures must name at least one measure": not found})
    return list(found.values())


def _arguments(kind: _Kind, written: str, name: str) -> dict[str, Any]:
    """Return the arguments that stand in the brackets of a name, without those that are the default."""
    found: dict[str, Any] = {}
    for part in filter(None, map(str.strip, _BETWEEN_ARGUMENTS.split(written))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        check(key not in found, f"arguments of measure {name!r}", "be given once each", f"{key} twice")
        if key not in kind.arguments or not equals:
            known = ", ".join(f"{known}=..." for known in kind.arguments)
            near = did_you_mean(key, kind.arguments)
            must = f"be {known}, each once" if known else "not be given"
            graded = key == "rel" and "gains" in kind.arguments
            instead = f"; {kind.name} takes grades as gains: gains={{1:0,2:1}} sets others" if graded else near
            raise EvaluationError(f"arguments of measure {name!r} must {must}, got {part!r}{instead}")
        found[key] = _checked(key, value, name)
    return {key: value for key, value in found.items() if value != _ARGUMENTS[key].default}


def _checked(key: str, value: str, name: str) -> Any:
    """Return the checked value of an argument."""
    found = _ARGUMENTS[key].read(value)
    check(found is not None, f"{key} of measure {name!r}", f"be {_ARGUMENTS[key].must}", repr(value))
    return found


def _measure(kind: _Kind, level: str | None, arguments: dict[str, Any], name: str) -> Measure:
    """Return a measure of a kind, under its name in full."""
    if arguments.pop("dcg", None):
        kind = _OF_NAME["nDCGexp"]
    at = _level(kind, level, name)
    written = ",".join(f"{key}={_written(arguments[key])}" for key in kind.arguments if key in arguments)
    full = kind.name + (f"({written})" if written else "") + "".join(f"@{number!r}" for number in at)
    compute = partial(_computed, kind.compute, at, **arguments) if arguments or at else kind.compute
    has_gains = kind.graded and "rel" not in arguments
    whole = "rel" in kind.arguments and "rel" not in arguments and not kind.graded
    return Measure(full, compute, kind.geometric, math.inf if has_gains else kind.highest, whole)


def _level(kind: _Kind, level: str | None, name: str) -> tuple[int] | tuple[float] | tuple[()]:
    """Return the depth or recall of a name; empty if it has none."""
    if level is None and not kind.required:
        return ()
    text = level or ""
    is_depth = kind.level == "depth" and text.isdecimal()
    refuse({f"measure {name!r} must have a depth of at least 1, got {text}": is_depth and not int(text[:_DIGITS])})
    if is_depth and len(text) <= _DIGITS:
        return (int(text),)
    if kind.level == "recall" and 0 <= (number := _number(text)) <= 1:
        return (number,)
    raise EvaluationError(f"measure {name!r} must be written {_shown(kind)}")


def _computed(
    compute: Callable[..., FloatArray],
    at: tuple[float, ...],
    ranked: GroupedRankings,
    *,
    rel: float | None = None,
    judged_only: bool = False,
    gains: tuple[tuple[float, float], ...] = (),
    **more: float,
) -> FloatArray:
    """Compute a measure of the items that are judged, with other gains, relevant from a grade on, down to a depth."""
    if judged_only:
        ranked = ranked.judged
    if gains:
        ranked = ranked.with_gains(dict(gains))
    if rel is not None:
        ranked = ranked.at_level(rel)
    return compute(ranked, *at, **more)


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{{{','.join(f'{_written(grade)}:{_written(gain)}' for grade, gain in value)}}}"
    return str(value).removesuffix(".0")


def _shown(kind: _Kind) -> str:
    level = {"depth": "@k", "recall": "@x (a recall in 0 .. 1)", "none": ""}[kind.level]
    return f"{kind.name}{level}" if kind.required or not level else f"{kind.name} or {kind.name}{level}"
