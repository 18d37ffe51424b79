"""Summaries of rows that come in batches: their bounds hold what the report of all rows says, and nothing is lost."""

import datetime
import itertools
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.evaluation import files
from evalcore.evaluation.answers import answer
from evalcore.evaluation.batches import KeptRows
from evalcore.evaluation.files import budget_for, program_bytes
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.model import CERTIFIED
from evalcore.evaluation.progress import Bar
from evalcore.evaluation.question import Question
from evalcore.evaluation.summaries import BYTES_OF_AN_INTERVAL, GroupedSummaries, SummaryLimits
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting
from evalcore.io.rows import Rows
from tests.differences import check_refusals, every, refused

WIDE = SummaryLimits(1 << 16, 1 << 20)
NARROW = SummaryLimits(16, 8)
CASES = list(itertools.product((False, True), (score / 64 for score in range(61)), "abc", (0, 0.25, 1, 2, 3)))
rows = st.lists(st.sampled_from(CASES), min_size=1, max_size=120).filter(lambda cases: any(case[-1] for case in cases))
WEIGHTINGS = st.sampled_from(
    [UNWEIGHTED, *(Weighting("w", **asked) for asked in ({}, {"target_prevalence": 0.125}, {"type": "frequency"})),
     Weighting(target_prevalence=0.75)]
)  # fmt: skip
BY = st.sampled_from([(), ("tree",), ("tree", "late")])
NAMES = "late", "model", "tree", "w"


def whole(cases, weighting):
    """Return cases whose weights fit the kind of weights."""
    return [(*case[:3], math.ceil(case[3])) for case in cases] if weighting.of_frequencies else cases


def columns_of(cases):
    return {name: np.array(column) for name, column in zip(NAMES, zip(*cases, strict=True), strict=True)}


def summarised(cases, limits, *, size=7, **asked):
    question = Question("late", ("model",), **asked)
    state = GroupedSummaries(question, limits)
    given_to = KeptRows(state.update, question.weighting)
    for begin in range(0, len(cases), size):
        given_to.update(pa.record_batch(columns_of(cases[begin : begin + size])), begin)
    return state


def statistics_of(sections):
    return {(section.name, record, item.name): item for section in sections
            for record, items in section.records.items() for item in items}  # fmt: skip


def exactly(cases, **asked):
    return statistics_of(answer(Question("late", ("model",), **asked), lambda selection: columns_of(cases)).sections)


def both_classes(cases, weighting):
    held = {late for late, *_, weight in cases if weight or weighting.column is None}
    return weighting.target_prevalence is None or len(held) == 2


def is_near(weighting, value):
    digits = {"rel": 1e-11, "abs": 1e-13} if weighting.asked else {"rel": 1e-12}
    return pytest.approx(value, nan_ok=True, **digits)


@given(rows, WEIGHTINGS, BY)
def test_what_fits_is_exact_and_what_the_report_of_all_rows_says(cases, weighting, by):
    cases, asked = whole(cases, weighting), {"thresholds": (0.5, 0.25), "by": by, "weighting": weighting}
    state = summarised(cases, WIDE, **asked)
    if not both_classes(cases, weighting):
        with pytest.raises(EvaluationError, match=r"^target_prevalence needs cases of both classes, got no "):
            state.sections()
        return
    assert state.exact
    found, expected = statistics_of(state.sections()), exactly(cases, **asked)
    assert list(found) == [key for key in expected if key in found]  # the same order, of groups too
    names = {name for *_, name in found}
    assert names >= {"cases", "roc_auc", "average_precision", "log_loss", "maximum_f1", "kappa", "chi_squared"}
    assert (names >= {"weight", "effective_cases"}) == (weighting.column is not None and not weighting.of_frequencies)
    for key, item in found.items():
        assert item.interval is None
        assert item.value == is_near(weighting, expected[key].value), key
        assert type(item.value) is type(expected[key].value), key


@given(rows, WEIGHTINGS)
def test_bounds_hold_the_exact_values_of_groups_and_of_all(cases, weighting):
    if not both_classes(cases, weighting):
        return
    cases = whole(cases, weighting)
    weighted = columns_of(cases)
    if weighting.column is None:
        weighted["w"][:] = 1
    state = summarised(cases, NARROW, by=("tree",), thresholds=(0.25,), weighting=weighting)
    found = statistics_of(state.sections())
    groups = set(weighted["tree"][weighted["w"] > 0].tolist())
    assert {group for _, group, _ in found} == groups | {"total"}
    if weighting.target_prevalence is not None:  # the factors of all rows weigh groups too
        sums = np.array([weighted["w"][weighted["late"] == late].sum() for late in (True, False)])
        prevalence = weighting.target_prevalence
        factors = np.array([prevalence, 1 - prevalence]) * sums.sum() / sums
        weighted["w"] = weighted["w"] * np.where(weighted["late"], *factors)
    own = weighting._replace(column="w" if weighting.asked else None, target_prevalence=None)
    apart = {"effective_cases", "chi_squared", "weight"} if weighting.asked else ()
    for group in ("total", *groups):
        chosen = weighted["tree"] == group if group != "total" else weighted["w"] >= 0
        part = list(zip(*(weighted[name][chosen].tolist() for name in NAMES), strict=True))
        for (_, _, name), expected in exactly(part, weighting=own, thresholds=(0.25,)).items():
            if ("model", group, name) not in found or name in apart:
                continue
            item, exact = found["model", group, name], expected.value
            if item.interval is None:
                assert item.value == is_near(weighting, exact), name
            elif math.isnan(exact):
                assert np.isnan([item.value, item.interval.low, item.interval.high]).all()
            else:
                rounding = 1e-15 if own.asked else 0  # of all rows, in which an eighth may be one bit less
                assert item.interval.method == CERTIFIED
                assert item.interval.low - rounding <= exact <= item.interval.high + rounding
                assert item.interval.low <= item.value <= item.interval.high


def test_groups_shrink_together_where_they_would_take_too_much():
    rng = np.random.default_rng(0)
    cases = [(bool(late), float(score), tree, 1) for late, score, tree in
             zip(rng.random(2500) < 0.3, rng.random(2500), rng.choice(list("abcd"), 2500), strict=True)]  # fmt: skip
    limit = 4 * 8_000 + 4 * 100 * 40
    state = summarised(cases, SummaryLimits(1024, 500, limit), size=500, by=("tree",))
    state.sections()
    assert state.capacity == 64
    summaries = [group["model"].scores for group in state.groups]
    assert {summary.capacity for summary in summaries} == {64}
    assert sum(summary.intervals.low.size for summary in summaries) * 40 + 4 * 8_000 <= limit
    assert state.total["model"].scores.capacity == 1024
    with refused(
        "column 'tree' must hold fewer groups, got at least 4, whose summaries take 32 kB, more than the 24 kB left "
        "for them; allow more memory (--memory SIZE)"
    ):
        summarised(cases, SummaryLimits(1024, 10**6, 3 * 8_000), size=500, by=("tree",))  # before they are sorted


def test_groups_are_limited_and_bounds_shown_in_all_records_alike():
    cases = [(late, 0.5, tree, 1) for late, tree in zip((True, False, True), "abc", strict=True)]
    with refused("column 'tree' must hold at most 2 groups, got at least 3; allow more (groups=N)"):
        summarised(cases, WIDE, by=("tree",), groups=2)
    assert len(summarised(cases, WIDE, by=("tree",), groups=3).sections()[0].records) == 4
    cases = [(True, 1.5, "a", 1.0), (False, 0.5, "a", 1.0)]
    found = summarised(cases, WIDE, weighting=Weighting("w", target_prevalence=0.5)).sections()
    assert math.isnan(statistics_of(found)["scores", "model", "log_loss"].value)
    few = [(place % 3 == 0, 0.5, "few", 1) for place in range(50)]
    many = [(place % 5 == 0, place / 64, "many", 1) for place in range(64)]
    found = statistics_of(summarised(few + many, SummaryLimits(16, 100), by=("tree",)).sections())
    assert found["model", "few", "roc_auc"].interval.low == found["model", "few", "roc_auc"].interval.high == 0.5
    assert found["model", "many", "roc_auc"].interval.low < found["model", "many", "roc_auc"].interval.high


GROUPS = {
    "integers": pa.array([10, 2, 10, -1]),
    "unsigned integers": pa.array([2**64 - 1, 0, 0, 3], pa.uint64()),
    "dictionary": pa.array(["b", "a", "b", ""]).dictionary_encode(),
    "large strings": pa.array(["b", "a", "b", "ä"], pa.large_string()),
    "Booleans": pa.array([True, False, True, True]),
    "whole floats": pa.array([3.0, 1e16, -0.0, 0.0]),
    "dates": pa.array([datetime.date(2013, 5, 1), datetime.date(2013, 4, 30)] * 2),
    "times": pa.array([datetime.datetime(2013, 5, 1, 6), datetime.datetime(2013, 5, 1)] * 2, pa.timestamp("ns")),
    "the total's name": pa.array(["total", "(total)", "total", "a"]),
}


@every("size", [1, 4])
@every("kind", GROUPS)
def test_groups_of_every_kind_have_the_names_and_the_order_of_the_exact_report(kind, size):
    column = GROUPS[kind]
    table = pa.table({"late": [0, 1, 1, 0], "model": [0.5, 0.25, 0.75, 1.0], "by": column})
    question = Question("late", ("model",), by=("by",))
    state = GroupedSummaries(question, WIDE)
    for batch in table.to_batches(max_chunksize=size):
        state.update(batch, 0)
    arrays = {name: table[name].cast(table[name].type.value_type).to_numpy() if kind == "dictionary" and name == "by"
              else table[name].to_numpy() for name in table.column_names}  # fmt: skip
    exact = answer(question, lambda selection: arrays).sections[0]
    assert list(state.sections()[0].records) == list(exact.records)


INVALID = [
    {"by": [1.0, 0.5]}, {"by": [1.0, np.nan]}, {"by": [[1], [2]]}, {"model": [0.5, np.nan]},
    {"model": ["0.5", "high"]}, {"model": [0, 2**60 + 1]}, {"late": [0.0, np.nan]}, {"late": ["yes", "no"]},
]  # fmt: skip


def test_an_invalid_score_label_or_group_is_reported_with_its_index_in_the_file():
    def ask(columns):
        updated({"late": [1, 0], "model": [0.5, 0.25], **columns}, 70, by=("by",) if "by" in columns else ())

    check_refusals("evaluation/outputs/refused_rows.txt", ask, INVALID)


def updated(columns, first=0, state=None, **asked):
    """Return summaries of some rows, or further ones."""
    state = state or GroupedSummaries(Question("late", ("model",), **asked), WIDE)
    state.update(pa.record_batch(columns), first)
    return state


@every(("labels", "positive"), [(["yes", "no"], "yes"), ([1, 2], "1"), ([True, False], "true"), ([1.0, 0.0], "1")])
def test_the_positive_label_can_be_named(labels, positive):
    sections = updated({"late": labels, "model": [1, 0]}, positive=positive).sections()
    assert [item.value for item in sections[0].records["model"]][:4] == [2, 1, 0.5, 1.0]


def test_a_positive_label_must_come_and_thresholds_have_the_width_of_scores():
    state = updated({"late": ["no", "nay"], "model": [1, 0]}, positive="yes")
    with refused("no row of column 'late' equals 'yes': it holds 'no', 'nay'"):
        state.sections()
    assert updated({"late": ["yes"], "model": [1]}, 2, state).sections()[0].records["model"][1].value == 1
    columns = {"late": [True, False], "model": pa.array([0.7, 0.2], pa.float32())}
    for threshold, predicted in ((0.7, 1), (1e300, 0)):
        found = statistics_of(updated(columns, thresholds=(threshold,)).sections())
        assert found["scores", "model", "tp"].value == predicted


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("asked", [{"scores": ("model",), "thresholds": (0.5,)}, {"predicted": ("guess",)}], ids=str)
def test_further_groupings_are_answered_in_the_same_pass(asked, fits, tmp_path, monkeypatch):
    draw = np.random.default_rng(0)
    table = pa.table({"late": draw.random(500) < 0.5, "model": draw.random(500), "guess": draw.random(500) < 0.5,
                      **{name: draw.integers(0, 3, 500) for name in ("site", "day")}})  # fmt: skip
    pq.write_table(table, tmp_path / "rows.parquet")
    if not fits:
        monkeypatch.setattr(files, "exact_bytes", lambda *_: 1 << 40)
    question, other = Question("late", by=("site",), **asked), ("day", "site")
    bar = Bar(lambda *_: None)
    found, alone = (
        files.answer_files(each._replace(memory=1 << 28), [str(tmp_path / "rows.parquet")], bar)
        for each in (question._replace(also_by=(other,)), question._replace(by=other))
    )
    [further] = found.further.values()
    assert list(found.further) == [other]
    assert statistics_of(further.sections) == statistics_of(alone.sections)
    assert list(found.sections[0].records) != list(further.sections[0].records)


def test_mean_losses_have_the_same_intervals_from_sums_as_from_all_cases():
    draw, names = np.random.default_rng(0), ("log_loss", "brier_score")
    columns = {"late": draw.random(500) < 0.5, "model": draw.random(500), "by": draw.integers(0, 3, 500)}
    question = Question("late", ("model",), by=("by",), level=0.9, measures=Measures(names))
    state = GroupedSummaries(question, WIDE)
    for batch in pa.table(columns).to_batches(max_chunksize=99):
        state.update(batch, 0)
    found, exact = (statistics_of(each.sections) for each in (state.answer(), answer(question, lambda _: columns)))
    assert [key[-1] for key, item in exact.items() if item.interval][-3:] == ["prevalence", *names]
    for key, item in exact.items():
        bounds = [(each.value, *(each.interval or ())) for each in (found[key], item)]
        assert bounds[0] == pytest.approx(bounds[1], rel=1e-12)


@every(("columns", "memory"), [(1, 165_000_000), (3, 200_000_000), (9, 256_000_000)])
def test_summaries_take_their_parts_of_the_memory_that_is_left(columns, memory):
    limits, rows = budget_for(memory, Question("late", tuple(map(str, range(columns)))))
    free = memory - program_bytes(Rows())
    for taken, part in (
        (limits.capacity * 3 * columns * BYTES_OF_AN_INTERVAL, 0.2),
        (limits.waiting * (60 + 24 * columns), 0.35),
        (rows * 16 * columns, 0.1),
    ):
        assert taken <= part * free < 2 * taken
