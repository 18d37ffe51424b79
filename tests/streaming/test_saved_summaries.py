"""Saved summaries: what no summary can hold is refused, and says what it is."""

import json
from unittest import mock

import numpy as np
import pytest

from evalcore import EvaluationError
from evalcore.saving.container import packed
from evalcore.state import score_sketch
from evalcore.streaming import ScoreSummary
from tests.differences import every, recorded, refused
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


@every(("saved", "why"), recorded("streaming/outputs/refused_contents.txt"))
def test_what_no_summary_holds_is_refused(saved, why):
    facts, columns = json.loads(saved)
    arrays = {name: None if values is None else np.array(values) for name, values in columns.items()}
    with refused(why):
        ScoreSummary.from_bytes(content_of(facts, arrays))


def test_bounds_of_float32_are_refused():
    with pytest.raises(EvaluationError, match="column 'low' must hold float64, got float32"):
        ScoreSummary.from_bytes(content_of({}, {"low": LOW.astype(np.float32)}))


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
