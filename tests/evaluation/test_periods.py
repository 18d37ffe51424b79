"""Dates are grouped by their periods, as pandas names them: in memory, in batches, of any type, in every answer."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import evalcore
from evalcore.document.charts.plots import plots_of
from evalcore.evaluation.options import PERIODS
from evalcore.evaluation.summaries import GroupedSummaries, SummaryLimits
from tests.differences import collected, every

SIZE = 600
DRAW = np.random.default_rng(7)
LATE = DRAW.random(SIZE) < 0.4
TIMES = pd.Series(pd.Timestamp("2012-12-20") + pd.to_timedelta(DRAW.integers(0, 60 * 24 * 120, SIZE), "min"))
COLUMNS = {
    "late": LATE,
    "new": DRAW.normal(size=SIZE) + LATE,
    "old": DRAW.normal(size=SIZE),
    "site": np.arange(SIZE) % 2,
}
FORMS = {
    "times": TIMES.to_numpy(),
    "seconds": TIMES.to_numpy().astype("M8[s]"),
    "arrow": pa.array(TIMES, pa.timestamp("us")),
    "text": TIMES.dt.strftime("%Y-%m-%dT%H:%M").to_numpy(object),
    "of a zone": pa.array(
        TIMES.dt.tz_localize("America/New_York").dt.tz_convert("UTC"), pa.timestamp("us", "America/New_York")
    ),
}


def by_pandas(period):
    """Return the name of the period of each row."""
    if period == "week":
        return (
            (TIMES.dt.normalize() - pd.to_timedelta(TIMES.dt.day_of_week, "D")).dt.strftime("%Y-%m-%d").to_numpy(object)
        )
    if period == "quarter":
        return TIMES.dt.to_period("Q").astype(str).str.replace("Q", "-Q").to_numpy(object)
    forms = {"hour": "%Y-%m-%dT%H:00", "day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
    return TIMES.dt.strftime(forms[period]).to_numpy(object)


def numbers(report):
    """Return the numbers of a report, each group under its name."""
    return sorted(map(tuple, report.to_pandas().fillna(-1.0).drop(columns="section").to_numpy().tolist()))


def test_a_period_groups_rows_as_a_column_of_its_names_does():
    asked = {"label": "late", "score": ["new", "old"], "ci": 0.9, "measures": ["roc_auc", "brier_score"]}
    with collected() as checking:
        for period in PERIODS:
            expected = numbers(
                evalcore.evaluate({**COLUMNS, "when": by_pandas(period)}, by="when", groups=9999, **asked)
            )
            for form, times in FORMS.items():
                with checking((period, form)):
                    frame = pa.table({**COLUMNS, "when": times})
                    found = evalcore.evaluate(frame, by_time="when", every=period, groups=9999, **asked)
                    assert numbers(found) == expected
    both = evalcore.evaluate({**COLUMNS, "when": FORMS["times"]}, by="site", by_time="when", every="year", **asked)
    assert {"0, 2012", "1, 2013"} <= {*both.to_pandas()["group"]}


def test_batches_and_comparisons_group_by_the_same_periods():
    table, asked = pa.table({**COLUMNS, "when": FORMS["arrow"]}), {"label": "late", "by_time": "when"}
    whole = evalcore.evaluate(table, score="new", **asked)
    state = GroupedSummaries(whole.question, SummaryLimits(1 << 16, 1 << 20))
    for index, batch in enumerate(table.to_batches(max_chunksize=99)):
        state.update(batch.select(["late", "new", "when"]), 99 * index)
    (summarised,) = (section for section in state.sections() if section.whole)
    assert {*summarised.records} == {*by_pandas("month"), "total"}
    for name, items in summarised.records.items():
        assert next(item.value for item in items if item.name == "cases") == whole["new", name, "cases"], name
    assert json.loads(whole.to_json())["periods"] == {"when": "month"}
    compared = evalcore.compare(table, score="new", old_score="old", **asked, every="month")
    for group in compared.models[0].groups["when"]:
        assert group.differences[0].new == pytest.approx(whole["new", group.group, "roc_auc"]), group.group


RULE = "must hold dates or times, such as 2026-07-31, to be grouped"
NO_DATES = {
    "site": "0",
    "words": "'soon'",
    "digits": "'20130501'",
    "today": "'today'",
    "empty": "''",
    "longest": "'2013-02-30'",
}


@every(
    ("options", "message"),
    *(({"by_time": name}, f"column {name!r} {RULE} by month, got {got}") for name, got in NO_DATES.items()),
    (
        {"by_time": "when", "every": "age"},
        "every must be one of 'hour', 'day', 'week', 'month', 'quarter', 'year', got 'age'",
    ),
    ({"every": "day"}, "every='day' needs by_time=COLUMN"),
)
def test_what_is_no_date_or_period_is_refused(options, message):
    texts = {"words": "soon", "digits": "20130501", "today": "today", "empty": "", "longest": "2013-02-30"}
    columns = {name: np.array(["2013-01-31", "2013-02-01"] * (SIZE // 2), object) for name in texts}
    for name, text in texts.items():
        columns[name][7] = text
    frame = {**COLUMNS, **columns, "when": FORMS["times"]}
    for ask in (evalcore.evaluate, evalcore.compare):
        given = {"old_score": "old"} if ask is evalcore.compare else {}
        with pytest.raises(evalcore.EvaluationError, match=f"^{re.escape(message)}$"):
            ask(frame, label="late", score="new", **given, **options)


@pytest.mark.usefixtures("undrawn")
def test_readers_see_the_name_of_the_period_for_that_of_the_column():
    columns = {**COLUMNS, "day": FORMS["times"]}
    asked = {"label": "late", "by_time": "day", "every": "month"}
    report = evalcore.evaluate(columns, score="new", **asked, ci=0.95)
    for found in (report, evalcore.compare(columns, score="new", old_score="old", **asked)):
        for text in (str(found), found.to_markdown(), found.summary, found.to_html()):
            assert "month" in text
            assert not re.search(r"\b(by|of) day\b|[|] day", text)
    charts = {plot.name: plot.text for plot in plots_of(report.answer, report.question)}
    assert charts["groups"].startswith("ROC AUC of new by month;")
