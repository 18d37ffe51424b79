"""Saved summaries: what no summary can hold is refused, and says what it is."""

from unittest import mock

import numpy as np
import pytest

from evalcore import EvaluationError
from evalcore.saving.container import packed
from evalcore.state import score_sketch
from evalcore.streaming import ScoreSummary
from tests.differences import every
from tests.saving.test_container import FIRST

FACTS = {"capacity": 4, "misses": 3, "negative_misses": 0, "given": False}
FIVE = np.arange(5.0)
LOW, HIGH, COUNTS = np.array([0.1, 0.5]), np.array([0.3, 0.6]), np.array([1, 2])
WAITING = {"waiting_score": np.array([0.55, 0.2], np.float32), "waiting_correct": np.array([True, False])}
COLUMNS = {"low": LOW, "high": HIGH, "positives": COUNTS, "negatives": COUNTS, "cuts": np.array([0.5]), **WAITING}


def content_of(facts, columns):
    snapshot = ScoreSummary()._snapshot()
    left_out = [name for name, column in columns.items() if column is None]
    kept = {name: column for name, column in (COLUMNS | columns).items() if name not in left_out}
    return packed(snapshot._replace(facts=FACTS | facts, columns=kept))


def test_what_is_sound_and_what_the_first_version_wrote_is_read():
    summary = ScoreSummary.from_bytes(content_of({}, {}))
    assert (summary.size, summary.positives, summary.misses, summary.exact) == (8, 7, 3, False)
    summary.update([1, 0], [0.55, 0.2])
    summary._cases._check()
    assert summary.size == 10
    content = (FIRST / "ScoreSummary.evalcore").read_bytes()
    summary = ScoreSummary.from_bytes(content)
    assert summary == few_cases()
    assert summary.to_bytes() == content == few_cases().to_bytes()
    assert (summary.size, summary.misses, summary._cases.kept[1].size) == (8, 2, 2)


@every(
    ("facts", "columns", "text"),
    ({"capacity": 3}, {}, "capacity must be at least 4, got 3"),
    (
        {},
        {"low": FIVE, "high": FIVE, "positives": np.ones(5, np.int64), "negatives": np.ones(5, np.int64), "cuts": None},
        "intervals must be at most 4, got 5",
    ),
    ({"capacity": "4"}, {}, "capacity must be an integer of at least 0, got '4'"),
    ({"misses": -1}, {}, "misses must be an integer of at least 0, got -1"),
    ({"negative_misses": 2**62 + 1}, {}, "negative_misses must be at most 4611686018427387904"),
    ({"misses": 2**62}, {}, "cases and misses must be at most 4611686018427387904, got 4611686018427387912"),
    ({}, {"positives": np.array([2**62, 2**62])}, "cases and misses must be at most 46.*, got 92"),
    ({"given": 1}, {}, "given must be true or false, got 1"),
    ({}, {"cuts": None}, "intervals must not share a cell"),
    ({"given": True}, {"cuts": None, "high": LOW}, "cells must have cuts between them"),
    ({}, {"waiting_correct": np.array([True])}, "waiting_correct and waiting_score must be equally long, got 1 and 2"),
    ({}, {"waiting_score": np.array([np.nan, 1.0])}, r"waiting_score\[0\] is NaN"),
    ({}, {"waiting_correct": None}, "there is no column 'waiting_correct'"),
    ({}, {"low": None}, "there is no column 'low'"),
    ({}, {"low": LOW.astype(np.float32)}, "column 'low' must hold float64, got float32"),
    ({}, {"low": LOW[:1]}, "low, high, positives and negatives must have equal lengths"),
    ({}, {"low": HIGH, "high": LOW}, "low must be at most high"),
    ({}, {"high": np.array([np.nan, 1.0])}, "low must be at most high, and neither may be NaN"),
    ({}, {"low": LOW[::-1], "high": np.array([0.6, 0.6])}, "low must be ascending"),
    ({}, {"cuts": np.array([0.7])}, "intervals must not share a cell"),
    ({}, {"low": LOW * 0, "high": LOW * 0}, "nor points a score"),
    ({}, {"cuts": np.array([0.5, 0.4])}, "cuts must be ascending"),
    ({}, {"cuts": np.arange(4.0)}, "cuts must be fewer than the capacity 4, got 4"),
    ({}, {"negatives": np.array([-1, 2])}, "positives and negatives must not be negative"),
    ({}, {"positives": np.array([0, 1]), "negatives": np.array([0, 1])}, "intervals must not be empty"),
    ({}, {"positives": np.array([0.5, 1])}, "positives and negatives must be of one type"),
    ({}, {"positives": np.array([0.5, np.inf]), "negatives": np.ones(2)}, "positives and negatives must be finite"),
    ({"roundings": -1}, {}, "roundings must be an integer of at least 0, got -1"),
    ({}, {"waiting_weight": np.array([0.5, 0.0])}, "waiting_weight must not be 0, got 0 at index 1"),
    ({}, {"waiting_weight": np.array([0.5, -np.inf])}, r"waiting_weight\[1\] is inf; weights must be finite"),
    ({}, {"waiting_weight": np.array([1])}, "waiting_weight and waiting_score must be equally long, got 1 and 2"),
)
def test_what_no_summary_holds_is_refused(facts, columns, text):
    with pytest.raises(EvaluationError, match=text):
        ScoreSummary.from_bytes(content_of(facts, columns))


def test_tables_hold_all_cases_and_saving_settles_none():
    summary = few_cases()
    table = summary.to_arrow()
    assert table.column_names == ["low", "high", "positives", "negatives", "cuts"]
    assert sum(table["positives"].to_pylist()) + sum(table["negatives"].to_pylist()) == 8
    assert ScoreSummary.from_arrow(table) == summary
    assert summary._cases.kept[1].size == 2


def few_cases():
    """Return a summary with cuts that were given, wide intervals and cases that wait."""
    summary = ScoreSummary(4, [0.25, 0.5])
    with mock.patch.object(score_sketch, "_WAITING", 6):
        summary.update([1, 0, 1, 0, 1, 0], [0.9, 0.1, 0.3, 0.4, 0.6, 0.2])
    summary.update([True, False], np.array([0.75, 0.5], np.float32))
    summary.misses = 2
    return summary
