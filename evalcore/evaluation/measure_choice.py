"""Which measures a report or a comparison is asked for: all, or some by their names, depths, thresholds or classes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, check, did_you_mean, refuse, shortened
from evalcore.evaluation import catalogue
from evalcore.evaluation.catalogue import DEPTH, ENTRIES, MEASURES, MeasureName, entry_of, measure_name, named_by
from evalcore.evaluation.model import CONFUSION_MATRIX, RANK_COUNTS, CountRecords, Section
from evalcore.evaluation.options import FREQUENCY, listing_option, option, spelled, text_option
from evalcore.evaluation.thresholds import Target, several, target_of_text
from evalcore.evaluation.wording import listed
from evalcore.inference.decisions import OPTIMA
from evalcore.kernels.thresholds import plain_number
from evalcore.validation.values import check_number

PRECISION_AT, RECALL_AT, TOP_ACCURACY = "precision_at_K", "recall_at_K", "top_K_accuracy"
DEFAULT_DEPTHS = {name: entry.depths for name, entry in ENTRIES.items() if entry.depths is not None}
_ALWAYS = frozenset(named_by("stays"))
_THRESHOLD = "threshold"
_TABLES = {
    CONFUSION_MATRIX: "Cases by label and predicted class.",
    RANK_COUNTS: "Cases by label and its rank among the scores of the classes.",
}
WHY_NO_RANKS = "sampling weights do not say which cases of the population are the k best"
_DEEPEST = 10**18 - 1
_ZERO_FIRST, _NUMBER = re.compile(r"_0\d*"), re.compile(rf"_(?:{DEPTH}|\d+)")
_NEEDS = catalogue.INTERVALS, catalogue.COSTS, catalogue.DECISIONS
OF_INTERVALS, OF_COSTS, OF_DECISIONS = (frozenset(named_by("needs", each)) for each in _NEEDS)
"""Names of what needs these; decisions on scores need a threshold."""
_BY_NAME = OF_INTERVALS.union(named_by("needs", catalogue.NAMED))
"""Names of what a report with everything may lack."""
_SHOWN = named_by("shown")


class Measures(NamedTuple):
    """What a report is asked for."""

    names: tuple[str, ...] = ()
    """Of statistics and of tables of counts; none for all."""
    depths: tuple[int, ...] = ()
    """Of precision and recall at k, and of top-k accuracy; none for those that reports have anyway."""
    added: tuple[str, ...] = ()
    """Which of the names other options asked for."""
    also: tuple[str, ...] = ()
    """Statistics that a report with everything has by name alone."""

    def wants(self, *names: str) -> bool:
        """Whether a report needs one of these statistics.  O(names).

        >>> Measures(("maximum_f1",)).wants("maximum_f1_threshold"), Measures(("maximum_f1",)).wants("roc_auc")
        (True, False)
        """
        partners = {entry.partner for name in names if (entry := ENTRIES.get(name))}
        of_depths = any(self.depths_of(name) for name in names if name in DEFAULT_DEPTHS)
        return not self.names or of_depths or not {*names, *partners}.isdisjoint(self.names)

    def asks_for(self, *names: str) -> bool:
        """Whether one of these statistics is wanted by its name, and not as one of all.  O(names).

        >>> Measures(("roc_auc",)).asks_for("roc_auc"), Measures().asks_for("roc_auc")
        (True, False)
        """
        return not {*self.names, *self.also}.isdisjoint(names)

    def depths_of(self, family: str) -> Sequence[int]:
        """Return the depths of a statistic whose name in the catalogue has a K.  O(names).

        >>> Measures().depths_of("top_K_accuracy"), Measures(("recall_at_7",)).depths_of("recall_at_K")
        ((2, 3, 5), [7])
        """
        if not self.names:
            return self.depths or DEFAULT_DEPTHS[family]
        pattern = re.compile(family.replace(DEPTH, r"(\d+)"))
        return [int(found[1]) for found in map(pattern.fullmatch, self.names) if found]

    def without_moments(self, weighted: bool) -> str:
        """Return which of these have no intervals from sums over rows, empty for none; weighted: these.  O(names).

        >>> Measures(("recall", "log_loss", "roc_auc")).without_moments(weighted=False)
        'roc_auc'
        """
        summed = OF_DECISIONS.union(() if weighted else LOSSES)
        names = self.names or ["other measures than decisions and losses"]
        return ", ".join(name for name in names if name not in summed)

    @property
    def whole(self) -> "Measures":
        """All measures, at the depths that are named, if any are, and with those that have to be named.  O(names).

        >>> Measures(("recall_at_7", "roc_auc")).whole.depths
        (7,)
        """
        depths = (depth for family in DEFAULT_DEPTHS for depth in self.depths_of(family))
        also = tuple(name for name in self.names if name in _BY_NAME)
        return Measures(depths=tuple(dict.fromkeys(depths)), also=also)

    def shown(self, sections: Iterable[Section]) -> list[Section]:
        """Return the sections that hold something that was asked for, and of their records that alone.  O(statistics).

        The numbers of cases, of positives and of classes stay with it, and the threshold of decisions.
        """
        return [self._part_of(section) for section in sections if self.is_in(section)]

    @property
    def typed(self) -> list[str]:
        """Those that are not beside others."""
        return [name for name in self.names if name not in self.added]

    @property
    def of_single_ranks(self) -> list[str]:
        """Names that were asked for, and depths, that summaries of rows do not give.  O(names)."""
        at = [f"precision_at_{depth}" for depth in self.depths] if not self.names else []
        return [*(name for name in self.typed if (entry := entry_of(name)) and not entry.merges), *at]

    def is_shown(self, name: str) -> bool:
        """Whether a statistic stands in the report, if its section does.  O(names)."""
        return name in _ALWAYS or name == _THRESHOLD or self.wants(name)

    def is_in(self, section: Section) -> bool:
        """Whether a section holds something that was asked for.  O(statistics of a record)."""
        if not self.names:
            return True
        if isinstance(section.records, CountRecords):
            return section.name in self.names
        names = section.statistics
        return self.wants(*_compared(names) or names)

    def _part_of(self, section: Section) -> Section:
        if not self.names or isinstance(section.records, CountRecords) or _compared(section.statistics):
            return section
        found = [name for name in section.statistics if self.is_shown(name)]
        if found[-1] == _THRESHOLD:  # of decisions of which nothing is shown
            del found[-1]
        return section._replace(records=section.columns.only(found))


ALL_MEASURES = Measures()
"""A report with everything."""


def _compared(names: Sequence[str]) -> list[str]:
    """Return the statistics whose differences these are; none for other statistics."""
    return [measure for measure in map(catalogue.difference_of, names) if measure]


def asked_measures(
    names: Any, depths: Any, *, of_classes: bool, decided: bool = False, costed: bool = False
) -> Measures:
    """Return what names of measures and depths ask for; of_classes: whether scores are of classes.  O(names).

    names: a name or several; depths: whole numbers from 1 on, which add precision and recall, or top-k accuracy, to the
    measures that are named.  decided, costed: whether thresholds and costs are given; they add numbers of decisions, or
    expected costs, if the names are of none.  Raises EvaluationError or EvaluationTypeError for anything else.

    >>> asked_measures("roc_auc", 10, of_classes=False).names
    ('roc_auc', 'precision_at_10', 'recall_at_10')
    >>> asked_measures("roc_auc", None, of_classes=False, decided=True).added
    ('tp', 'fn', 'fp', 'tn', 'recall', 'precision', 'f1')
    """
    named = tuple(map(_checked_name, several(names)))
    at = tuple(dict.fromkeys(_checked_depths(depths)))
    families = (TOP_ACCURACY,) if of_classes else (PRECISION_AT, RECALL_AT)
    if not named:
        return Measures((), at)
    added = []
    if decided and (OF_DECISIONS | OF_COSTS).isdisjoint(named):
        added = [name for name in _SHOWN if name not in OF_COSTS]
    if costed and OF_COSTS.isdisjoint(named):
        added += [name for name in _SHOWN if name in OF_COSTS and (decided or name not in OF_DECISIONS)]
    at_depths = (family.replace(DEPTH, str(depth)) for family in families for depth in at)
    return Measures(tuple(dict.fromkeys((*named, *at_depths, *added))), at, tuple(added))


def at_thresholds(
    names: Any, thresholds: tuple[float, ...], targets: tuple[Target, ...]
) -> tuple[list[Any], tuple[float, ...], tuple[Target, ...]]:
    """Return names of measures, those of decisions without their thresholds, and all thresholds and targets.  O(names).

    >>> at_thresholds("f1@0.3", (0.5,), ())
    (['f1'], (0.5, 0.3), ())
    """
    typed = several(names)
    parted = [measure_name(each) if isinstance(each, str) else MeasureName("") for each in typed]
    measured = (catalogue.difference_of(name.measure) or name.measure for name in parted)
    known = [each in OF_DECISIONS | OF_COSTS for each in measured]
    decided = [name if own and name.category is None else None for name, own in zip(parted, known, strict=True)]
    at = (name.threshold for name in decided if name and name.threshold is not None)
    reached = (target_of_text(name.target, name.name) for name in decided if name and name.target is not None)
    return (
        [name.measure if name else each for name, each in zip(decided, typed, strict=True)],
        (*thresholds, *(each for each in dict.fromkeys(at) if each not in thresholds)),
        (*targets, *(each for each in dict.fromkeys(reached) if each not in targets)),
    )


def check_available(measures: Measures, sections: Sequence[Section]) -> None:
    """Raise EvaluationError for a measure that a report lacks; sections: of one that has everything.  O(statistics)."""
    tables = [section.name for section in sections if isinstance(section.records, CountRecords)]
    others = (section for section in sections if not isinstance(section.records, CountRecords))
    known = list(dict.fromkeys([*(name for section in others for name in section.statistics), *tables]))
    for name in measures.names:
        if name not in known:
            raise EvaluationError(f"measure {name!r} is not in this report: {_why_absent(name, known)}")


def _why_absent(name: str, known: Sequence[str]) -> str:
    entry, of_scores = entry_of(name), "roc_auc" in known
    if of_scores and name in OF_COSTS and OF_COSTS.isdisjoint(known):
        return f"it needs {option('costs')}"
    if of_scores and name in OF_INTERVALS:
        without = "weights but frequencies" if name == "debiased_calibration_error" else option("target_prevalence")
        return f"it needs {option('ci')} and no {without}"
    if of_scores and name in OF_DECISIONS:
        return f"it needs {option('threshold')}{' above 0 and below 1' if name == 'net_benefit' else ''}"
    if of_scores and entry is not None and catalogue.RANKS in entry.needs:
        return f"{WHY_NO_RANKS}; {text_option('weight_type', FREQUENCY)} does"
    if name not in _TABLES:
        return f"it has {listed([name for name in known if name != _THRESHOLD])}"
    left_out, predicted = "accuracy" in known and _TABLES.keys().isdisjoint(known), option("predicted") + " or "
    needed = f"it needs {predicted if name == CONFUSION_MATRIX else ''}scores of classes"
    return f"{spelled('--no-matrix', 'matrix=False')} and {option('by')} leave it out" if left_out else needed


def _checked_name(given: Any) -> str:
    name = measure_name(given).name if isinstance(given, str) else ""
    entry, stem = entry_of(name), measure_name(given).measure if name else ""
    others = "compare has its difference, and bootstrap_interval of evalcore.inference its value"
    refuse({f"reports have no {stem}: {others}": stem in BOOTSTRAPPED and entry_of(stem) is None})
    if name not in _TABLES and (entry is None or not entry.asked):
        near = instead_of_measures() if stem in ("pass", "mean") else nearest_measures(given)
        got = f"{shortened(repr(given))}{near}"
        raise EvaluationError(f"{option('measure')} must be one of {listing_option(MEASURES)}, got {got}")
    rule = f"have a whole number from 1 on, such as {_NUMBER.sub('_10', name)!r}"
    check(DEPTH not in name and not _ZERO_FIRST.search(name), option("measure"), rule, repr(name))
    return name


def instead_of_measures() -> str:
    """Return the end of an error text that says how to ask for what columns of values have.  O(1)."""
    return f"; columns of {option('value')} have their mean or, with {text_option('repeats', 'pass@K')}, pass@k"


def nearest_measures(given: Any, names: Iterable[str] = (*MEASURES, *_TABLES)) -> str:
    """Return the end of an error text that suggests measures of nearly the same name, here or elsewhere.  O(names).

    >>> nearest_measures("roc_aera"), nearest_measures("MCCC")
    ("; did you mean 'roc_auc'?", "; did you mean 'matthews_correlation'?")
    """
    known = list(names)
    aliases = {alias: name for alias, name in catalogue.ALIASES.items() if name in known}
    return did_you_mean(given, known) or did_you_mean(given, aliases, aliases.__getitem__)


def _checked_depths(depths: Any) -> tuple[int, ...]:
    given = several(depths)
    for depth in given:
        if isinstance(depth, bool | np.bool_) or not isinstance(depth, int | np.integer) or not 1 <= depth <= _DEEPEST:
            raise EvaluationError(f"{option('at_k')} must be whole numbers from 1 on, got {shortened(repr(depths))}")
    return tuple(map(int, given))


def described_measures() -> dict[str, str]:
    """Return what can be asked for by name, and what it means.  O(measures)."""
    named = {name: entry.meaning for name in MEASURES if (entry := entry_of(name))}
    return named | _TABLES


_COMPARED = catalogue.RANKING, catalogue.LOSS, catalogue.CALIBRATION, catalogue.AT_THRESHOLDS
RANKED, LOSSES, CALIBRATED, DECIDED = (named_by("compared", kind) for kind in _COMPARED)
"""Measures of rankings, of losses, of logits, and of decisions that a threshold asks for."""
BOOTSTRAPPED = {name: ENTRIES[name].resampled for name in named_by("resampled")}
"""Names in `evalcore.inference` of what resamples are measured by."""
RESAMPLED = {name: known for name, known in BOOTSTRAPPED.items() if name not in OPTIMA}
"""Those that the bootstrap alone has intervals for."""
OF_CLASSES, OF_EACH_CLASS = named_by("compared", catalogue.ALL_CLASSES), named_by("compared", catalogue.EACH_CLASS)
"""Measures of all predicted classes together that predictions are compared by unless others are named, and of one."""
_DIFFERENTIABLE = named_by("derivatives")
OF_ALL_CLASSES = tuple(name for name in _DIFFERENTIABLE if ENTRIES[name].of_classes and name not in OF_EACH_CLASS)
"""Measures of all predicted classes that models are compared by: their derivatives are known."""
AT_A_THRESHOLD = tuple(name for name in (*_DIFFERENTIABLE, *named_by("factors")) if name in OF_DECISIONS)
"""Measures of decisions that models are compared by."""
OF_SCORED_CLASSES = (
    "macro_roc_auc", "weighted_roc_auc", "log_loss", "brier_score", "mean_reciprocal_rank", "mean_rank",
)  # fmt: skip
"""Measures of scores of each class that models are compared by, beside the top-K accuracies."""
OF_GROUPS = {True: (*RANKED, *LOSSES, *AT_A_THRESHOLD), False: tuple(dict.fromkeys(("accuracy", *OF_ALL_CLASSES)))}
"""What groups are compared by, the default first: whether of scores of one label."""
_STEM = re.compile(r"[@\[]")
"""What ends the name of a measure before a number or a class."""


def parse_compared(name: Any) -> MeasureName:
    """Return the measure of a name, which may have a threshold or a class.  O(1).

    Raises EvaluationError for any other name.

    >>> parse_compared("auc").name, parse_compared("recall@0.30").name, parse_compared("tpr@.5").name
    ('roc_auc', 'recall@0.3', 'recall@0.5')
    """
    text = name.strip() if isinstance(name, str) else ""
    found, known = measure_name(text), described_compared()
    if found.category is not None:
        ends = ["[CLASS]"]
    elif found.threshold is not None:
        ends = ["@THRESHOLD", f"@{catalogue.RATE}"]
    else:
        ends = ["", "@THRESHOLD", "[CLASS]"] if found.target is None else []
    if ends[:1] == [""] and is_of_scored_classes(found.measure):
        return found
    if not known.keys().isdisjoint(f"{found.measure}{end}" for end in ends):
        return found
    near = nearest_measures(_STEM.split(text)[0], [_STEM.split(each)[0] for each in known])
    if (entry := entry_of(found.measure)) and entry.why_no_interval:
        raise EvaluationError(f"models are not compared by {found.measure}: {entry.why_no_interval}")
    raise EvaluationError(f"measure must be one of {listing_option(known)}, got {shortened(repr(name))}{near}")


def is_of_scored_classes(name: str) -> bool:
    """Whether a measure is one of scores of each class, such as top_5_accuracy.  O(1)."""
    entry = entry_of(name)
    return name in OF_SCORED_CLASSES or (name != TOP_ACCURACY and entry is not None and entry.of_ranks is not None)


@lru_cache
def described_compared() -> Mapping[str, str]:
    """Return what models can be compared by, and what it means; THRESHOLD, RATE and CLASS stand for others.  O(1)."""
    names = [
        *(*RANKED, *LOSSES, *CALIBRATED, "maximum_f1", "ks"),
        *(f"{each}@THRESHOLD" for each in AT_A_THRESHOLD),
        *(f"{each}@{catalogue.RATE}" for each in RESAMPLED if catalogue.RATE in ENTRIES[each].title),
        *OF_ALL_CLASSES,
        *(name for name in (*OF_SCORED_CLASSES, TOP_ACCURACY) if name not in LOSSES),
        *(f"{each}[CLASS]" for each in OF_EACH_CLASS),
    ]
    return {name: ENTRIES[_STEM.split(name)[0]].meaning for name in names}


Margin: TypeAlias = float | Mapping[str, float] | None
"""One margin for all measures, or margins by measure; None for none."""


def check_margin(margin: Margin) -> None:
    """Raise EvaluationError unless margins are finite numbers above 0, one for each measure.  O(margins)."""
    if margin is None:
        return
    named = margin if isinstance(margin, Mapping) and margin else {"": margin}
    for name, value in named.items():
        what = f"{option('margin')} of {name!r}" if name else option("margin")
        check(0 < check_number(value, what) < float("inf"), what, "be a finite number above 0", repr(value))
    distinct = len(set(map(_full_name, named))) == len(named)
    check(distinct, option("margin"), "name each measure once", ", ".join(map(repr, named)))


def check_margin_names(margin: Margin, compared: Iterable[str]) -> None:
    """Raise EvaluationError for margins of measures that are not compared; compared: their names.  O(measures)."""
    known = list(dict.fromkeys(compared))
    understood = {*known, *(measure_name(each).measure for each in known)}
    for name in margin if isinstance(margin, Mapping) else ():
        if understood.isdisjoint((str(name), _full_name(name))):
            at_a_threshold = f" or {option('threshold')}" if _full_name(name) in AT_A_THRESHOLD else ""
            near = did_you_mean(name, known) or f"; choose them with {option('measures')}{at_a_threshold}"
            rule = f"must name measures that are compared ({listed(known)})"
            raise EvaluationError(f"{option('margin')} {rule}, got {name!r}{near}")


def margins_of(margin: Margin, compared: Iterable[str]) -> dict[str, float | None]:
    """Return the margin of each measure, None for those without one; compared: their names.  O(measures x margins).

    A margin of "recall" is that of "recall@0.3" too, unless that has its own.

    >>> margins_of({"recall": 0.02, "recall@0.5": 0.01}, ["roc_auc", "recall@0.3", "recall@0.5"])
    {'roc_auc': None, 'recall@0.3': 0.02, 'recall@0.5': 0.01}
    """
    names, by_name = dict.fromkeys(compared), plain_margin(margin)
    if not isinstance(by_name, dict):
        return dict.fromkeys(names, by_name)
    given = {_full_name(name): value for name, value in by_name.items()} | by_name
    return {name: given.get(name, given.get(measure_name(name).measure)) for name in names}


def plain_margin(margin: Margin) -> float | dict[str, float] | None:
    """Return margins as JSON holds them.  O(margins)."""
    if isinstance(margin, Mapping):
        return {str(name): float(value) for name, value in margin.items()}
    return None if margin is None else float(margin)


def margin_text(margin: Margin) -> str:
    """Return margins for people; empty for none.  O(margins).

    >>> margin_text(0.005), margin_text({"roc_auc": 0.005, "recall": 0.02})
    ('0.005', 'roc_auc 0.005, recall 0.02')
    """
    parts = margin.items() if isinstance(margin, Mapping) else [] if margin is None else [("", margin)]
    return ", ".join(f"{name} {plain_number(value)}".strip() for name, value in parts)


def _full_name(name: Any) -> str:
    """Return the name of a measure as comparisons write it; other names, such as those of runs, as they are.  O(1)."""
    return measure_name(str(name).strip()).name
