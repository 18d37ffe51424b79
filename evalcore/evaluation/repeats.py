"""Repeated samples of the same ids, such as answers to one question: each id becomes a row with the mean of its values.

What is drawn by chance are then ids, not samples, which would prove too much of too few questions.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.errors import check, refuse, shown
from evalcore.evaluation import inputs
from evalcore.evaluation.joining import ids_text
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count
from evalcore.io.columns import ColumnArrays
from evalcore.kernels.sums import ratio
from evalcore.measures.retrieval import pass_at_k
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.labels import encode_labels

MEAN = "mean"
_PASS = re.compile(r"pass@([1-9]\d{0,8})")
"""Asks for the probability that at least one of K samples of an id is 1."""
SAMPLES = np.dtype([("mean", "f8"), ("squares", "f8"), ("number", "i8"), ("right", "i8")])
"""The samples of an id: their mean, the sum of the squares of what they differ from it, how many have a value, and how
many of them are 1, or -1 if some are neither 0 nor 1."""


def read_values(question: Question, parts: Sequence[AnyArray], name: str, *, drop: bool) -> list[FloatArray]:
    """Return columns of one name of several tables as numbers, as `inputs.values_of_cases`.  O(n)."""
    said = question.words, question.positive
    return inputs.values_of_cases(parts, name, *said, decimal=question.reading.decimal or ".", drop=drop)


def with_means(question: Question, tables: Mapping[str, ColumnArrays]) -> dict[str, ColumnArrays]:
    """Return tables with a row of each id, and columns of values as `SAMPLES`, if these are asked for.  O(n log n).

    Raises EvaluationError for a column of cases that differs between samples of an id.
    """
    if question.repeats is None:
        return dict(tables)
    drop, found = question.rows.nulls == "drop", dict[str, ColumnArrays]()
    values = {
        name: read_values(question, [columns[name] for columns in tables.values()], name, drop=drop)
        for name in question.values
    }
    for place, (table, columns) in enumerate(tables.items()):
        codes = np.zeros(len(columns[question.on[0]]), np.int64)
        for name in question.on:
            own = inputs.coded_column(inputs.group_labels(columns[name], name), name)[1]
            codes = encode_labels(codes * (int(own.max(initial=0)) + 1) + own)[1]
        firsts = np.unique(codes, return_index=True)[1]
        for name in filter(columns.__contains__, question.case_columns):
            differing = np.flatnonzero(columns[name] != columns[name][firsts[codes]])
            got = f"several values for {ids_text(question.on, columns, differing[:1])}"
            check(not differing.size, f"column {name!r}", "be equal in all samples of an id", got)
        found[table] = {name: column[firsts] for name, column in columns.items()}
        found[table] |= {name: _samples(values[name][place], codes, firsts.size) for name in values}
    return found


def _samples(values: AnyArray, codes: IntArray, ids: int) -> AnyArray:
    """Return the `SAMPLES` of each id, (ids,); values: of rows, NaN where there is none; codes: their ids.  O(n)."""
    found, known = np.empty(ids, SAMPLES), ~np.isnan(values)
    codes, values = codes[known], values[known]
    found["number"] = np.bincount(codes, minlength=ids)
    found["mean"] = ratio(np.bincount(codes, values, ids), found["number"])
    found["squares"] = np.bincount(codes, np.square(values - found["mean"][codes]), ids)
    others = np.bincount(codes, (values != 0) & (values != 1), ids)
    found["right"] = np.where(others, -1, np.bincount(codes, values == 1, ids))
    return found


def depth_of(repeats: str | None) -> int | None:
    """Return the k of pass@k, None for means; EvaluationError for anything else.  O(1).

    >>> depth_of("pass@5"), depth_of("mean")
    (5, None)
    """
    found = _PASS.fullmatch(str(repeats))
    check(found or repeats in (None, MEAN), option("repeats"), f"be {MEAN} or pass@K, such as pass@5", shown(repeats))
    return int(found[1]) if found else None


def values_of_ids(name: str, samples: AnyArray, repeats: str) -> FloatArray:
    """Return what each id is worth, (m,): the mean of its `SAMPLES`, or how likely one of k is 1.  O(m)."""
    if (depth := depth_of(repeats)) is None:
        return np.asarray(samples["mean"])
    known = samples[samples["number"] > 0]
    least = int(known["number"].min(initial=depth))
    refuse({
        f"column {name!r} must hold 0 and 1 for {repeats}, got other values": (known["right"] < 0).any(),
        f"column {name!r} must have {depth:,} samples of each id for {repeats}, got {least:,} of one": least < depth,
    })  # fmt: skip
    return pass_at_k(samples["right"], samples["number"], depth)


def note_of_samples(name: str, samples: AnyArray, repeats: str) -> str:
    """Say how many samples the ids of a column have, (m,) `SAMPLES` of one or more models.  O(m)."""
    least, most = int(samples["number"].min()), int(samples["number"].max())
    number = f"{count(most)} sample{'s' * (most != 1)}" if least == most else f"{count(least)} to {count(most)} samples"
    return f"{name}: each id is a case, whose value is the {repeats} of its {number}"
