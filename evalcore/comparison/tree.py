"""A comparison as a tree of plain values, for JSON and for Python, and as rows for CSV.

`tests/comparison/comparison.schema.json` describes the tree.  Its schema_version grows when an entry loses its name or
its meaning; entries may be added within a version.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evalcore.evaluation.differences import (
    ComparisonAnswer,
    GroupDifferences,
    MeasureDifference,
    ModelDifferences,
    plain_margin,
)
from evalcore.evaluation.question import Question
from evalcore.report.rendering import plain_value

COMPARISON_SCHEMA_VERSION = 2
_OF_DIFFERENCE = (
    "title", "old", "new", "difference", "low", "high", "standard_error", "statistic", "p_value", "p_value_holm",
    "p_value_benjamini_hochberg", "margin", "verdict", "detectable", "lower_is_better", "method",
)  # fmt: skip
"""What JSON says of a difference, in its order."""


class DifferenceRow(NamedTuple):
    """One measure of a model, of all cases or of a group, as a row of CSV."""

    model: str
    grouping: str
    """The column of the group; empty for all cases."""
    group: str
    cases: int | None
    """None where it is not known."""
    measure: str
    old: float
    new: float
    difference: float
    low: float
    high: float
    p_value: float
    p_value_holm: float
    p_value_benjamini_hochberg: float
    margin: float
    verdict: str
    detectable: float
    method: str


def difference_rows(answer: ComparisonAnswer) -> Iterator[DifferenceRow]:
    """Yield every difference: those of all cases, then those of groups.  O(measures x groups)."""
    every = cases_of(answer)
    for model in answer.models:
        for item in model.differences:
            yield _row(model.model, "", "", every, item)
        for by, groups in model.groups.items():
            for group in groups:
                for item in group.differences:
                    yield _row(model.model, by, group.group, group.cases, item)


def cases_of(answer: ComparisonAnswer) -> int | None:
    """Return how many cases were compared, rows counting by their frequencies; None if that is not known.  O(n)."""
    if answer.cases is not None:
        return sum(answer.cases.counts)
    if answer.classes is not None:
        frequencies = answer.classes.weights.frequencies
        return int(answer.classes.labels.size if frequencies is None else frequencies.sum())
    joined = {counts.cases for counts in answer.joins.values()}
    return joined.pop() if len(joined) == 1 else None


def _row(model: str, by: str, group: str, cases: int | None, item: MeasureDifference) -> DifferenceRow:
    found = item.found
    return DifferenceRow(
        model, by, group, cases, item.measure, item.old, item.new, found.difference, found.low, found.high,
        found.p_value, item.holm, item.benjamini_hochberg, item.margin, item.verdict, item.detectable, found.method,
    )  # fmt: skip


def comparison_tree(answer: ComparisonAnswer, question: Question) -> dict[str, Any]:
    """Return a comparison as nested dictionaries and lists of plain values.  O(measures x groups)."""
    return {
        "schema_version": COMPARISON_SCHEMA_VERSION,
        "label": question.label,
        "old": answer.old,
        **_asked(question),
        "cases": cases_of(answer),
        "models": {model.model: _of_model(model) for model in answer.models},
        "joins": plain_value(answer.joins),
        "notes": list(answer.notes),
    }


def _asked(question: Question) -> dict[str, Any]:
    """Return what decides the numbers, by the names of options."""
    asked = {
        "on": list(question.on),
        "by": list(question.groupings),
        "cluster": question.cluster,
        "ci_method": question.ci_method,
        **question.weighting.as_json,
    }
    drawn = {"resamples": question.resamples, "seed": question.seed} if question.method != "analytic" else {}
    return {
        "level": question.confidence,
        "margin": plain_margin(question.margin),
        "method": question.method,
        **drawn,
        **{name: value for name, value in asked.items() if value},
    }


def _of_model(model: ModelDifferences) -> dict[str, Any]:
    return {
        "measures": _of_measures(model.differences),
        "groups": {by: {each.group: _of_group(each) for each in groups} for by, groups in model.groups.items()},
        **{name: plain_value(getattr(model, name)) for name in ("changes", "risen", "fallen")},
    }


def _of_group(group: GroupDifferences) -> dict[str, Any]:
    return {"cases": group.cases, "positives": group.positives, "measures": _of_measures(group.differences)}


def _of_measures(differences: Sequence[MeasureDifference]) -> dict[str, dict[str, Any]]:
    return {item.measure: _of_difference(item) for item in differences}


def _of_difference(item: MeasureDifference) -> dict[str, Any]:
    own = {
        "title": item.title,
        "standard_error": item.error,
        "statistic": item.found.statistic,
        "lower_is_better": item.lower_is_better,
    }
    values = {**_row("", "", "", None, item)._asdict(), **own, "margin": plain_value(item.margin)}
    return {name: values[name] for name in _OF_DIFFERENCE}
