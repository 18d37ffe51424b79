"""Reports and comparisons as JSON and CSV.

`tests/document/comparison/comparison.schema.json` describes the tree of comparisons.  Its schema_version grows when an
entry loses its name or its meaning; entries may be added within a version.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from evalcore.document.records import EXACT, Row, bounds_of
from evalcore.equality import is_nan
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, MeasureDifference, ModelDifferences
from evalcore.evaluation.measure_choice import plain_margin
from evalcore.evaluation.model import SCHEMA_VERSION, ColumnRecords, CountRecords, Section
from evalcore.evaluation.question import Question
from evalcore.gate.checks import GateResult
from evalcore.typing import AnyArray

_PLAIN_TYPES = {int, float, bool, str, type(None)}
_NOT_FINITE = {"nan": "null", "inf": '"Infinity"', "-inf": '"-Infinity"'}


def as_json(
    sections: Sequence[Section], notes: Sequence[str] = (), gate: GateResult | None = None, **about: Any
) -> str:
    """Return a report as strict JSON; `about` are entries before the sections.  NaN is null, infinities are text.

    The first entry is the version of the schema.  What a gate says comes before the sections and the notes.

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> kappa = Statistic("kappa", "Cohen's kappa", float("nan"))
    >>> print(as_json([Section("scores", "", "score", {"model": [kappa]})], label="late"))
    {
      "schema_version": 2,
      "label": "late",
      "scores": {
        "model": {
          "kappa": null
        }
      },
      "notes": []
    }
    """
    told, judged = ([], {}) if gate is None else (gate.lines, {"gate": gate.as_tree()})
    tree = as_tree(sections, [*told, *notes], attrgetter("columns"))
    return json_text({"schema_version": SCHEMA_VERSION, **about, **judged, **tree})


def as_tree(
    sections: Sequence[Section], notes: Sequence[str] = (), records: Callable[[Section], Any] | None = None
) -> dict[str, Any]:
    """Return a report as sections of records of numbers, with the bounds of intervals, and notes.  O(statistics).

    records: returns what stands for the records of a section.
    """
    report: dict[str, Any] = {}
    for section in sections:
        around = report.setdefault(section.whole.name, {}) if section.whole else report
        around[section.name] = (records or _numbers)(section) if section.record else _numbers(section)[""]
    return {**report, "notes": list(notes)}


def _numbers(section: Section) -> dict[str, dict[str, int | float]]:
    """Return for each record, by its name, its numbers and the bounds of intervals by their names."""
    found = dict[str, dict[str, int | float]]()
    for names, part in section.columns.blocks():
        columns = part.with_bounds
        # the same NaN for each, which mappings take for equal
        plain = ([np.nan if math.isnan(value) else value for value in values.tolist()] for values in columns.values())
        rows = zip(*plain, strict=True) if columns else [()]
        found |= {name: dict(zip(columns, row, strict=True)) for name, row in zip(names, rows, strict=True)}
    return found


def json_text(part: Any, line: str = "\n") -> str:
    """Write indented JSON; the encoder in C, many times as fast as the one in Python, cannot indent.

    line: the end of a line, and what the next one begins with.
    """
    return "".join(_pieces(part, line))


def _pieces(part: Any, line: str) -> Iterator[str]:
    """Yield indented JSON in pieces, which are put together once: it may take as much memory as all else."""
    inner = f"{line}  "
    if not isinstance(part, Mapping) or not part:
        yield json.dumps(plain_value(part), indent=2, ensure_ascii=False).replace("\n", line)
    elif isinstance(part, ColumnRecords):
        begin = f"{{{inner}"
        for entries in _entries(part, inner):
            yield begin + f",{inner}".join(f"{_quoted(name)}: {entry}" for name, entry in entries)
            begin = f",{inner}"
        yield f"{line}}}"
    elif set(map(type, part.values())) <= _PLAIN_TYPES:
        values = {name: plain_value(value) for name, value in part.items()}
        cells = json.dumps(values, separators=(f",{inner}", ": "), ensure_ascii=False)
        yield f"{{{inner}{cells[1:-1]}{line}}}"
    else:
        begin = f"{{{inner}"
        for name, value in part.items():
            yield f"{begin}{_quoted(name)}: "
            yield from _pieces(value, inner)
            begin = f",{inner}"
        yield f"{line}}}"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _entries(records: ColumnRecords, line: str) -> Iterator[Iterator[tuple[str, str]]]:
    """Yield the names of many records at a time, and their numbers as JSON."""
    quoted, first = cache(lambda name: f"{_quoted(name)}: ".replace("%", "%%") + "%s"), 0
    for names, part in records.blocks():
        columns = part.with_bounds
        cells = f",{line}  ".join(map(quoted, columns))
        if isinstance(records, CountRecords):  # whose rows lie in a row
            texts: Iterable[Any] = map(tuple, records.counts[first : first + len(names)].tolist())
        else:
            texts = zip(*map(_json_numbers, columns.values()), strict=True) if columns else [()]
        first += len(names)
        record = f"{{{line}  {cells}{line}}}" if columns else "{}"
        yield zip(names, map(record.__mod__, texts), strict=True)


def _json_numbers(values: AnyArray) -> Sequence[object]:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [_NOT_FINITE.get(text, text) for text in map(repr, values.tolist())]
    found: list[object] = values.tolist()
    return found


def as_csv(sections: Sequence[Section]) -> str:
    """Return a report as CSV: a line for each number, in all digits, by the schema of `evalcore.document.records`.

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"model": [Statistic("cases", "", 3), Statistic("f1", "F1", 0.25)]})
    >>> print(as_csv([section]))
    section,score,group,statistic,value,low,high,kind
    scores,model,,cases,3,,,exact
    scores,model,,f1,0.25,,,exact
    """
    pieces = [",".join(Row._fields) + "\n"]
    for section in sections:
        pieces += filter(None, _lines(section))
    pieces[-1] = pieces[-1].removesuffix("\n")
    return "".join(pieces)


def _lines(section: Section) -> Iterator[str]:
    """Yield the lines of many records at a time: names, which may need quotes, are written once."""
    exact, begin = f",,{EXACT}", cache(lambda name: "%s" + csv_text([["", name]]).replace("%", "%%") + ",%s")
    for names, part in section.columns.blocks():
        addresses = [csv_text([section.address(name)]) for name in names]
        columns, template = list[Sequence[object]](), ""
        for name, values in part.values.items():
            columns += [addresses, values.tolist()]
            if name in part.intervals:
                *bounds, kind = bounds_of(part.intervals[name], values.size)
                ends = zip(*(bound.tolist() for bound in bounds), strict=True)
                columns.append([exact if math.isnan(low) else f"{low},{high},{kind}" for low, high in ends])
            template += f"{begin(name)},{'%s' if name in part.intervals else exact}\n"
        yield "".join(map(template.__mod__, zip(*columns, strict=True)))


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows of cells as CSV, without the end of the last line.  O(cells).

    >>> print(csv_text([["a", None], ["b,c", 0.5]]))
    a,
    "b,c",0.5
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().removesuffix("\n")


def plain_value(value: Any) -> Any:
    """Return a value as JSON holds it: names with their values, lists, the text of what JSON lacks, null for NaN.

    Infinities are text that float reads.  O(values).

    >>> plain_value([math.nan, {"low": -math.inf}, np.float32(0.5)]), plain_value(("UA", np.int64(3)))
    ([None, {'low': '-Infinity'}, 0.5], ['UA', 3])
    """
    if isinstance(value, float):  # asked first: most are
        return float(value) if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value)
    if isinstance(value, np.generic):
        return plain_value(value.item())
    if isinstance(named := value._asdict() if hasattr(value, "_asdict") else value, Mapping):
        return {name: plain_value(each) for name, each in named.items()}
    if isinstance(value, list | tuple):
        return list(map(plain_value, value))
    return value if isinstance(value, int | str | None) else str(value)


COMPARISON_SCHEMA_VERSION = 2
ROW = (
    "model", "grouping", "group", "cases", "measure", "old", "new", "difference", "low", "high", "p_value",
    "p_value_holm", "p_value_benjamini_hochberg", "margin", "verdict", "detectable", "method",
)  # fmt: skip
"""The columns of CSV."""


def as_comparison_json(answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None) -> str:
    """Return a comparison as strict JSON, as `comparison_tree` has it.  O(numbers)."""
    tree = comparison_tree(answer, question)
    return json_text(tree if gate is None else {**tree, "gate": gate.as_tree()})


def comparison_tree(answer: ComparisonAnswer, question: Question) -> dict[str, Any]:
    """Return a comparison as nested dictionaries and lists of plain values.  O(measures x groups)."""
    what = {"schema_version": COMPARISON_SCHEMA_VERSION, "label": question.label or None, "old": answer.old}
    margin_level = None if question.margin is None else question.margin_level or question.confidence
    judged = {"level": question.confidence, "margin": plain_margin(question.margin), "margin_level": margin_level}
    drawn = {"resamples": question.resamples, "seed": question.seed} if question.method != "analytic" else {}
    where = {"on": list(question.on), "by": list(question.groupings), "cluster": question.cluster}
    asked = {**where, "fold": list(question.fold), "ci_method": question.ci_method, **question.weighting.as_json}
    how = {"method": question.method, **drawn, **{name: value for name, value in asked.items() if value}}
    found: dict[str, Any] = {} if not question.values else {"values": list(question.values)}
    if answer.standings:
        found |= {"standings": plain_value(answer.standings), "closest": plain_value(answer.closest)}
    found |= {"cases": cases_of(answer), "models": {model.model: _tree_of(model) for model in answer.models}}
    return {**what, **judged, **how, **found, "joins": plain_value(answer.joins), "notes": list(answer.notes)}


def _tree_of(model: ModelDifferences) -> dict[str, Any]:
    def of_group(group: GroupDifferences) -> dict[str, Any]:
        return {"cases": group.cases, "positives": group.positives, "measures": _values_of(group.differences)}

    groups = {by: {each.group: of_group(each) for each in found} for by, found in model.groups.items()}
    lists = {name: plain_value(getattr(model, name)) for name in ("changes", "risen", "fallen")}
    for change in lists["changes"]:
        if not change["measure"]:
            del change["measure"]
    return {"measures": _values_of(model.differences), "groups": groups, **lists}


def _values_of(items: Sequence[MeasureDifference]) -> dict[str, dict[str, Any]]:
    def margin_of(item: MeasureDifference) -> dict[str, Any]:
        own = (item.margin, *item.decisive) if item.margin > 0 else (np.nan,) * 3
        return dict(zip(("margin", "margin_low", "margin_high"), map(plain_value, own), strict=True))

    return {item.measure: _values(item) | margin_of(item) for item in items}


def _values(item: MeasureDifference) -> dict[str, Any]:
    """Return what JSON says of a difference, in its order."""
    found = item.found
    return {
        "title": item.title, "old": item.old, "new": item.new, "difference": found.difference, "low": found.low,
        "high": found.high, "standard_error": item.error, "statistic": found.statistic, "p_value": found.p_value,
        "p_value_holm": item.holm, "p_value_benjamini_hochberg": item.benjamini_hochberg, "margin": item.margin,
        "verdict": item.verdict, "verdict_adjusted": item.verdict_adjusted, "detectable": item.detectable,
        "lower_is_better": item.lower_is_better, "method": found.method,
    }  # fmt: skip


def differences_in_turn(answer: ComparisonAnswer) -> Iterator[tuple[str, str, str, int | None, MeasureDifference]]:
    """Yield every difference, those of all cases of a model and then those of groups, behind where it was found.

    That is the model, the grouping and the group, empty for all cases, and their number, None if it is not known.
    O(measures x groups).
    """
    every = cases_of(answer)
    for model in answer.models:
        yield from ((model.model, "", "", every, item) for item in model.differences)
        for by, groups in model.groups.items():
            for group in groups:
                yield from ((model.model, by, group.group, group.cases, item) for item in group.differences)


def difference_rows(answer: ComparisonAnswer) -> Iterator[tuple[Any, ...]]:
    """Yield every difference as a row of `ROW`.  O(measures x groups)."""
    for *where, item in differences_in_turn(answer):
        values = _values(item)
        yield (*where, item.measure, *(values[name] for name in ROW[5:]))


def cases_of(answer: ComparisonAnswer) -> int | None:
    """Return how many cases were compared, rows counting by their frequencies; None if that is not known.  O(n)."""
    if answer.cases is not None:
        return sum(answer.cases.kinds.values())
    joined = {counts.cases for counts in answer.joins.values()}
    return joined.pop() if len(joined) == 1 else None


def as_comparison_csv(answer: ComparisonAnswer) -> str:
    """Return a line for each model, grouping, group and measure, in all digits; empty cells for NaN.  O(numbers)."""
    rows = (["" if is_nan(cell) else cell for cell in row] for row in difference_rows(answer))
    return csv_text([ROW, *rows])
