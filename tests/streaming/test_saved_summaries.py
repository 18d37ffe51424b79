"""Saved summaries: what no summary can hold is refused, and says what it is."""

import base64
from unittest import mock

import numpy as np
import pytest

from evalcore import EvaluationError
from evalcore.saving.container import packed
from evalcore.state import score_sketch
from evalcore.streaming import ScoreSummary
from tests.differences import every

FIRST = (  # what the first version wrote
    "iDh<SY-"
    "4Y7Weo}%0RR91xB&nF00000`Tzg`00000G2cu*dm>|RY;|pJb0RuhTOw?4cOonzJZ3l|EHhm!TOw#_XJ{fUB0Od|A}ljqEL$RQZ*ysMX?"
    "A6EA}k_2X*eP*GhHlOB5q}8VRUJBWpg4dB0On0A}ljqEL$RXVQF+}Zf9R}V{dY0A}k_2W;7x!GF>cNB6neFbZKs9Ut@1_a%E$5A}k_&Vl"
    "g5tGF>cNB4c%Qb0RDvJZ3l|EHYhPEFxxMV{~&OI(s5xVQ^t%X>@raIy5XIXK8k2ZX!B#a&=`aB5i4Nb7gZPIx;LGZe?d-"
    "bZK^FUu|h~b7gZPIxu}KB5P@GWFk5uQ)6#(Wm9!+ZDDeGB7K^fnVFfHxj!>AGcz+Y(?2saGcz+Y<3F02nVFfH$v>KznVFfH*+0$9%*@Qp"
    ">^}ei000000003100000000620000000062000000003100000000000000000000KtBKg06zf$00000007WG00000007`W2gE^ty>VGA"
    "?)@;(H?bN=@`dm|^>e_%CQ>%L>-)+i"
)
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
    content = base64.b85decode(FIRST)
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


@pytest.mark.parametrize("capacity", [4, 100])
def test_summaries_go_through_tables_and_files(tmp_path, capacity):
    rng = np.random.default_rng(1)
    summary = ScoreSummary(capacity)
    summary.update(rng.random(50) < 0.5, rng.normal(size=50))
    summary.misses = 7
    assert summary._cases.kept[1].size == 50
    path = tmp_path / "summary.evalcore"
    summary.save(path)
    assert ScoreSummary.load(path) == summary
    table = summary.to_arrow()
    assert table.column_names[:4] == ["low", "high", "positives", "negatives"]
    assert ScoreSummary.from_arrow(table) == summary
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(EvaluationError, match="is cut short"):
        ScoreSummary.load(path)


@every("distinct", [3, 50])
def test_cuts_that_were_given_stay_given_when_saved(distinct):
    cuts = np.array([0.25, 0.5, 0.75])
    rng = np.random.default_rng(2)
    parts = [ScoreSummary(8, cuts) for _ in range(2)]
    for part in parts:
        part.update(rng.random(60) < 0.5, rng.integers(0, distinct, 60) / distinct)
    loaded = ScoreSummary.from_bytes(parts[0].to_bytes())
    np.testing.assert_array_equal(loaded.cuts, cuts)
    parts[0].merge(parts[1])
    loaded.merge(parts[1])
    assert loaded == parts[0]


def test_saving_makes_no_answer_wider_and_tables_hold_all_cases():
    rng = np.random.default_rng(3)
    saved, silent = ScoreSummary(64), ScoreSummary(64)
    for batch in range(50):
        labels = rng.random(50) < 0.3
        scores = rng.normal(labels) + batch / 10
        for summary in (saved, silent):
            summary.update(labels, scores)
        saved.to_bytes()
    assert saved == silent
    assert saved.to_bytes() == silent.to_bytes()
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


def test_no_byte_may_be_missing_or_another():
    content = few_cases().to_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        for wrong in (damaged, content[:place]):
            with pytest.raises(EvaluationError):
                ScoreSummary.from_bytes(wrong)
