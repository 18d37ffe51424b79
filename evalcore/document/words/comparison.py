"""A comparison in words: the answer first, and no claim that its intervals and tests do not carry.

Numbers have as many decimals as tell two models apart.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalcore.evaluation import differences, wording
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, MeasureDifference, ModelDifferences
from evalcore.evaluation.question import Question
from evalcore.kernels.thresholds import plain_number

DECIMALS = 4
"""Decimals of numbers in tables, unless a difference needs more, or others are asked for."""
MISSING = "\N{EN DASH}"
"""Stands where there is no number."""
_MOST_DECIMALS = 15
"""Those that float64 certainly holds of numbers up to 1."""
_MOST_OF_BOUNDS = 8
"""Decimals up to which a bound is told from 0."""


class DifferenceTexts(NamedTuple):
    """One measure of two models as texts with the same number of decimals."""

    old: str
    new: str
    difference: str
    """With its sign."""
    bounds: str
    """Of the difference, in brackets; empty without an interval."""

    @property
    def size(self) -> str:
        """The difference without its sign."""
        return self.difference.lstrip("+-")

    @property
    def bounded(self) -> str:
        """The difference with its interval, if it has one."""
        return f"{self.difference} {self.bounds}".rstrip()


def difference_texts(item: MeasureDifference, digits: int = DECIMALS) -> DifferenceTexts:
    """Return a difference with `digits` decimals, or more if fewer would show two numbers alike.  O(1).

    >>> from evalcore.inference.intervals import Comparison
    >>> found = Comparison((0.732, 0.714), 0.018, 0.017, 0.019, 0.95, 30.0, 0.0, "delong")
    >>> difference_texts(MeasureDifference("roc_auc", "ROC AUC", found))[:4]
    ('0.7140', '0.7320', '+0.0180', '[0.0170, 0.0190]')
    """
    found, decimals = item.found, decimals_of(item, digits)
    bounds = f"[{fixed_text(found.low, decimals)}, {fixed_text(found.high, decimals)}]" if is_bounded(item) else ""
    signed = MISSING if math.isnan(found.difference) else f"{found.difference + 0.0:+.{decimals}f}"
    return DifferenceTexts(fixed_text(item.old, decimals), fixed_text(item.new, decimals), signed, bounds)


def decimals_of(item: MeasureDifference, digits: int = DECIMALS) -> int:
    """Return `digits`, or as many decimals as tell the models apart, and the bounds from 0.  O(1)."""
    return most_decimals(item.found.difference, item.found.low, item.found.high, digits)


def most_decimals(value: float, low: float, high: float, digits: int = DECIMALS) -> int:
    """Return `digits`, or as many decimals as tell a value and its bounds from 0.  O(1)."""
    return max(digits, _first_decimal(value), *(_first_decimal(bound, _MOST_OF_BOUNDS) for bound in (low, high)))


def plain_text(value: float, digits: int = DECIMALS) -> str:
    """Return a number such as a detectable difference, with `digits` decimals, small ones with two digits.  O(1).

    >>> plain_text(0.00186), plain_text(0.0000186), plain_text(float("nan")) == MISSING
    ('0.0019', '1.9e-05', True)
    """
    if math.isnan(value):
        return MISSING
    return f"{value:.{digits}f}" if value == 0 or abs(value) >= 10.0 ** (1 - digits) else f"{value:.2g}"


def titled(item: MeasureDifference) -> str:
    """Return the title of a measure beside a difference, whose sign says nothing without the direction.  O(1)."""
    return f"{item.title} (lower is better)" if item.lower_is_better else item.title


def is_bounded(item: MeasureDifference) -> bool:
    """Whether a difference has both bounds.  O(1)."""
    return not (math.isnan(item.found.low) or math.isnan(item.found.high))


def _first_decimal(value: float, most: int = _MOST_DECIMALS) -> int:
    """Return with how many decimals a number is not rounded to 0; 0 for 0 and for NaN.  O(1)."""
    if not value or not math.isfinite(value):
        return 0
    return next((decimals for decimals in range(most) if round(abs(value), decimals)), most)


def fixed_text(value: float, decimals: int) -> str:
    """Return a number with `decimals` decimals.  O(1)."""
    if math.isnan(value):
        return MISSING
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # which drops the sign of -0.0


_MOST_MODELS = 4
"""New models that have a sentence each; of more, the first of them."""
_MOST_NAMED = 3
"""Groups and measures that a sentence names."""
_OF_MARGINS = {
    differences.SUPERIOR: "superior, as the whole interval is beyond the margin of {}",
    differences.EQUIVALENT: "equivalent, as the whole interval is within the margin of {}",
    differences.NON_INFERIOR: "non-inferior, as any loss is smaller than the margin of {}, but not shown to be "
    "superior",
    differences.INFERIOR: "inferior, as the whole interval is beyond the margin of {}",
    differences.INCONCLUSIVE: "the interval is too wide for a verdict with the margin of {}",
}


def comparison_sentences(answer: ComparisonAnswer, question: Question, digits: int = DECIMALS) -> Iterator[str]:
    """Yield a comparison in words: the claim on each new model, then other measures and groups.  O(measures + groups).

    digits: decimals, as of `difference_texts`.

    The main measure is the first; of a single new model it is judged by its own interval and p-value.  Several models,
    other measures and groups are also judged by their p-values adjusted by Holm's method.  Fewer than 30 cases of a
    class carry no claim.
    """
    shown = wording.shown_names([answer.old, *(each.model for each in answer.models)])
    for model in answer.models[:_MOST_MODELS]:
        claim = _claim(model, shown[model.model], shown[answer.old], answer, question, digits=digits)
        begins_with_a_word = claim.startswith(("no ", "inconclusive: "))  # names of models stay as they are
        yield claim[0].upper() + claim[1:] if begins_with_a_word else claim
    if len(answer.models) > _MOST_MODELS:
        yield f"{wording.count(len(answer.models) - _MOST_MODELS)} more models are in the tables."
    if len(answer.models) == 1:
        (model,) = answer.models
        yield from _of_other_measures(model, digits)
        for by, groups in model.groups.items():
            yield from _of_groups(wording.grouping_title(by, question.every), groups, question, digits)


def margin_sentences(answer: ComparisonAnswer, question: Question) -> dict[str, str]:
    """Return the verdict on each measure of each model with its margin; empty if no margin was named.  O(measures)."""
    if question.margin is None:
        return {}
    found = {}
    for model in answer.models:
        for item in model.differences:
            margin = f"with a margin of {plain_number(item.margin)}" if item.margin > 0 else "without a margin"
            found[f"verdict on {item.measure} of {model.model}"] = f"{item.verdict}, {margin}{judging_interval(item)}"
    return found


def judging_interval(item: MeasureDifference, digits: int = DECIMALS) -> str:
    """Return the interval that a verdict with a margin follows from, where it is not the one beside it.  O(1).

    >>> from evalcore.inference.intervals import Comparison
    >>> wide, narrow = (Comparison((0.7, 0.7), 0.0, -b, b, 0.9, 0.0, 1.0, "delta") for b in (0.03, 0.025))
    >>> judging_interval(MeasureDifference("f1", "F1", wide, judged_by=narrow))
    ' (90% interval -0.0250 to 0.0250)'
    """
    if item.judged_by is None or math.isnan(item.judged_by.low):
        return ""
    texts = difference_texts(item._replace(found=item.judged_by), digits)
    return f" ({wording.interval_text(item.judged_by.level, *texts.bounds.strip('[]').split(', '))})"


def _claim(
    model: ModelDifferences, new: str, old: str, answer: ComparisonAnswer, question: Question, *, digits: int
) -> str:
    """Return the sentence on the main measure of a model, or why it has none."""
    if not model.differences:
        return f"no measure is defined for {new} and {old}."
    item = model.differences[0]
    texts = difference_texts(item, digits)
    if item.found.difference != item.found.difference:
        why = f", from {few}" if (few := few_cases(answer)) else ""
        return f"inconclusive: no {item.title} is defined for both {new} and {old}{why}."
    both = f"{item.title} {texts.new} against {texts.old}"
    if few := few_cases(answer):
        return f"no claim is made from {few}: {both} for {old}, difference {texts.bounded}."
    if not is_bounded(item) and item.found.difference != 0:
        return f"no claim is made without an interval: {new} has {both} for {old}, difference {texts.difference}."
    several = len(answer.models) > 1
    return f"{_tested(item, new, old, question, digits, several=several)}{_judged(item, digits)}."


def _tested(item: MeasureDifference, new: str, old: str, question: Question, digits: int, *, several: bool) -> str:
    """Return what an interval and a test, of several new models an adjusted one, say of two, without the full stop."""
    texts, units = difference_texts(item, digits), "folds" if question.fold else question.units
    tested = f"{wording.p_value(item.holm)} after Holm's adjustment" if several else wording.p_value(item.found.p_value)
    both = f"{titled(item)} {texts.new} against {texts.old}, difference {texts.bounded}, {tested}"
    if item.is_certain if several else item.is_shown:
        return f"{new} is {'better' if item.gain > 0 else 'worse'} than {old}: {both}"
    if not is_bounded(item) or item.found.low == item.found.high:
        return f"{new} and {old} have the same {item.title}, {texts.new}"
    detectable = plain_text(item.detectable, digits)
    power = f"; with 80% power, this many {units} would detect a true difference of {detectable}"
    return f"no difference is shown between {new} and {old}: {both}{power if item.detectable > 0 else ''}"


def _judged(item: MeasureDifference, digits: int) -> str:
    """Return the verdict with a margin, or without an interval, as the end of a sentence; else nothing.  O(1)."""
    if not is_bounded(item):
        return "; inconclusive, as the difference has no interval"
    if item.verdict not in _OF_MARGINS:
        return ""
    return f"; {_OF_MARGINS[item.verdict].format(plain_number(item.margin))}{judging_interval(item, digits)}"


def few_cases(answer: ComparisonAnswer) -> str:
    """Return how few cases there are of the smaller class, if they are too few for a claim.  O(n)."""
    if (sides := answer.sides) is None or wording.enough(*sides):
        return ""
    fewest = min(sides)
    name = "positive" if fewest == sides[0] else "negative"
    return f"{wording.count(fewest) if fewest else 'no'} {name}{'s' * (fewest != 1)}"


def _of_other_measures(model: ModelDifferences, digits: int) -> Iterator[str]:
    items = model.differences[1:]
    judged = [item for item in items if is_bounded(item)]
    if not judged:
        return
    certain = [item for item in judged if item.is_certain]
    worse = [item for item in certain if item.gain < 0]
    named = _listed([f"{item.title}: {difference_texts(item, digits).bounded}" for item in worse])
    parts = [
        (len(items) - len(judged), ("has", "have"), "no interval"),
        (len(certain) - len(worse), ("is", "are"), "better"),
        (len(worse), ("is", "are"), f"worse{named}"),
        (len(judged) - len(certain), ("is", "are"), "not shown to differ"),
    ]
    parts, every = [part for part in parts if part[0]], len(items)
    if len(parts) > 1:
        counted = wording.listed(
            [f"{wording.count(number)} {verbs[number > 1]} {what}" for number, verbs, what in parts]
        )
        said = f"Of {wording.count(every)} other measures, {counted}"
    elif certain:
        few = {1: "The other measure is", 2: "Both other measures are"}
        said = f"{few.get(every, f'All {wording.count(every)} other measures are')} {parts[0][2]}"
    else:
        few = {1: "The other measure is not", 2: "Neither of the two other measures is"}
        said = f"{few.get(every, f'None of the {wording.count(every)} other measures is')} shown to differ"
    more = sum(item.is_shown for item in items) > len(certain)
    yield f"{said}, after Holm's adjustment{'; the verdicts in the table are before adjustment' if more else ''}."


def _of_groups(by: str, groups: Sequence[GroupDifferences], question: Question, digits: int) -> Iterator[str]:
    """Yield what is said of the groups by one column: how many got better and worse by the main measure, and others."""
    items = {group.group: group.differences[0] for group in groups if group.differences}
    if len(items) < 2:
        return
    if question.fold:
        known = [item for item in items.values() if not math.isnan(item.gain)]
        if known[1:]:
            ahead = wording.count(sum(item.gain > 0 for item in known))
            better = f"{'mean of ' if question.values else ''}{known[0].title}"
            yield f"The new model has the better {better} in {ahead} of {wording.count(len(known))} folds."
        return
    certain = {group: item for group, item in items.items() if item.is_certain}
    lost = ((group, item) for group, item in certain.items() if item.gain < 0)
    worse = [f"{wording.shown_value(group)} by {difference_texts(item, digits).size}" for group, item in lost]
    others = [[item for item in group.differences[1:] if item.gain < 0] for group in groups]
    otherwise = sum(any(item.is_certain for item in each) for each in others)
    better, fewer = (wording.count(number) if number else "none" for number in (len(certain) - len(worse), len(worse)))
    changed = f"{better} got better and {fewer} got worse" if certain else "none is shown to be better or worse"
    found = f"{changed} in {next(iter(items.values())).title}{_listed(worse)}"
    others_said = f"; {wording.count(otherwise)} got worse in another measure" if otherwise else ""
    of_groups = f"Of {wording.count(len(items))} groups by {wording.shown_names([by])[by]}"
    yield f"{of_groups}, {found}{others_said}, after Holm's adjustment."


def _listed(parts: Sequence[str]) -> str:
    """Return the first parts in brackets after a blank; empty for none.  O(1)."""
    return f" ({wording.listed(parts, _MOST_NAMED)})" if parts else ""
