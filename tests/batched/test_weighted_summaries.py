"""Summaries of weighted rows: their bounds hold what the report of all rows says, and whole weights repeat rows."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.batched.grouped_summaries import GroupedSummaries, SummaryLimits
from evalcore.batched.rows import KeptRows
from evalcore.report.answers import answer
from evalcore.report.question import Question
from evalcore.report.weighting import Weighting

WIDE = SummaryLimits(1 << 16, 1 << 20)
NARROW = SummaryLimits(16, 8)
CASES = list(itertools.product((False, True), (score / 64 for score in range(61)), "abc", (0, 0.25, 1, 2, 3)))
rows = st.lists(st.sampled_from(CASES), min_size=1, max_size=80).filter(lambda cases: any(case[-1] for case in cases))
WEIGHTINGS = [Weighting("w"), Weighting("w", target_prevalence=0.125), Weighting(target_prevalence=0.75)]
NAMES = "late", "model", "tree", "w"


def columns_of(cases):
    return {name: np.array(column) for name, column in zip(NAMES, zip(*cases, strict=True), strict=True)}


def summarised(cases, weighting, limits, *, size=7, **asked):
    question = Question("late", ("model",), weighting=weighting, **asked)
    state = GroupedSummaries(question, limits)
    given_to = state if weighting.column is None else KeptRows(state.update, weighting)
    for begin in range(0, len(cases), size):
        given_to.update(pa.record_batch(columns_of(cases[begin : begin + size])), begin)
    return state


def numbers(sections):
    return {
        (section.name, record, item.name): item
        for section in sections
        for record, items in section.records.items()
        for item in items
    }


def exactly(cases, weighting, **asked):
    question = Question("late", ("model",), weighting=weighting, **asked)
    return numbers(answer(question, lambda selection: columns_of(cases)).sections)


def both_classes(cases, weighting):
    held = {late for late, *_, weight in cases if weight or weighting.column is None}
    return weighting.target_prevalence is None or len(held) == 2


@given(rows, st.sampled_from(WEIGHTINGS))
def test_what_fits_is_what_the_report_of_all_rows_says(cases, weighting):
    state = summarised(cases, weighting, WIDE, thresholds=(0.5, 0.25))
    if not both_classes(cases, weighting):
        with pytest.raises(EvaluationError, match=r"^target_prevalence needs cases of both classes, got no "):
            state.sections()
        return
    assert state.exact
    found, expected = numbers(state.sections()), exactly(cases, weighting, thresholds=(0.5, 0.25))
    assert list(found) == [key for key in expected if key in found]
    assert {name for *_, name in found} >= {"cases", "roc_area", "log_loss", "maximum_f1", "kappa", "chi_squared"}
    assert ({name for *_, name in found} >= {"weight", "effective_cases"}) == (weighting.column is not None)
    for key, item in found.items():
        assert item.interval is None
        assert item.value == pytest.approx(expected[key].value, rel=1e-11, abs=1e-13, nan_ok=True), key
        assert type(item.value) is type(expected[key].value), key


@given(rows, st.sampled_from(WEIGHTINGS[:2]))
def test_bounds_hold_the_exact_values_of_groups_and_of_all(cases, weighting):
    if not both_classes(cases, weighting):
        return
    found = numbers(summarised(cases, weighting, NARROW, by=("tree",), thresholds=(0.25,)).sections())
    groups = {tree for _, _, tree, weight in cases if weight}
    assert {group for _, group, _ in found} == groups | {"total"}
    weighted = columns_of(cases)
    if weighting.target_prevalence is not None:  # the factors of all rows weigh groups too
        sums = np.array([weighted["w"][weighted["late"] == late].sum() for late in (True, False)])
        factors = np.array([0.125, 0.875]) * sums.sum() / sums
        weighted["w"] = weighted["w"] * np.where(weighted["late"], *factors)
    for group in ("total", *groups):
        chosen = weighted["tree"] == group if group != "total" else weighted["w"] >= 0
        part = list(zip(*(weighted[name][chosen].tolist() for name in NAMES), strict=True))
        for (_, _, name), expected in exactly(part, Weighting("w"), thresholds=(0.25,)).items():
            if ("model", group, name) not in found or name in ("effective_cases", "chi_squared", "weight"):
                continue
            item, exact = found["model", group, name], expected.value
            if item.interval is None or math.isnan(exact):
                assert item.value == pytest.approx(exact, rel=1e-11, abs=1e-13, nan_ok=True), name
            else:
                rounding = 1e-15  # of the report of all rows, in which an eighth may be one bit less
                assert item.interval.low - rounding <= exact <= item.interval.high + rounding
                assert item.interval.low <= item.value <= item.interval.high


@given(rows, st.booleans(), st.sampled_from([WIDE, NARROW]))
def test_frequencies_are_repeated_rows(cases, by, limits):
    cases = [(late, model, tree, math.ceil(weight)) for late, model, tree, weight in cases]
    repeated = [(late, model, tree, 1) for late, model, tree, weight in cases for _ in range(weight)]
    asked = {"by": ("tree",) if by else (), "thresholds": (0.5, 0.25)}
    one = numbers(summarised(cases, Weighting("w", "frequency"), limits, **asked).sections())
    other = numbers(summarised(repeated, Weighting(), limits, **asked).sections())
    assert list(one) == list(other)
    for key, item in one.items():
        expected = other[key]
        assert type(item.value) is type(expected.value)
        if limits is WIDE:
            assert item.value == pytest.approx(expected.value, rel=1e-12, nan_ok=True)
            if "loss" not in key[-1] and key[-1] not in ("brier_score", "calibration_error"):
                assert item.value == expected.value or math.isnan(item.value)


def test_scores_that_are_no_probabilities_have_no_losses_at_another_prevalence():
    cases = [(True, 1.5, "a", 1.0), (False, 0.5, "a", 1.0)]
    found = numbers(summarised(cases, Weighting("w", target_prevalence=0.5), WIDE).sections())
    assert math.isnan(found["scores", "model", "log_loss"].value)
