"""Which outcome a gate or a margin gives, and the table of conditions."""

import json
import re

import numpy as np
import pytest

import evalcore
from evalcore.document.comparison import document_of_comparison
from evalcore.document.documents import BRIEF, FULL, document_of_report, worst_of_report
from evalcore.document.model import FAIL, INCONCLUSIVE, PASS, verdict_of_comparison, verdict_of_report
from evalcore.document.page.cells import line_of
from evalcore.document.tables import Cell
from evalcore.document.terminal import as_terminal
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import decimals, number
from evalcore.gate.checks import check_conditions
from evalcore.gate.numbers import GatedNumber

AREA = GatedNumber("boosting", "roc_auc", 0.72, 0.71, 0.735)
GROUPS = [
    GatedNumber("boosting", "recall@0.3", 0.45, grouping="carrier", group="UA", cases=1234),
    GatedNumber("boosting", "recall@0.3", 0.4, grouping="carrier", group="HA", cases=99),
    GatedNumber("boosting", "recall@0.3", 0.9, grouping="carrier", group="AA", cases=500),
]


def conditions_of(conditions, numbers, confident=False):
    """Return the outcome of a gate, and its rows as texts."""
    gate = check_conditions(conditions, numbers, confident)
    verdict = verdict_of_report(Answer([]), Question("late"), gate)
    rows = [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in verdict.conditions.rows]
    return verdict.outcome, rows


def test_conditions_have_a_row_each_with_the_number_that_decides():
    assert conditions_of("roc_auc < 0.73", [AREA]) == (
        FAIL,
        [["roc_auc < 0.73", "0.7200 [0.7100, 0.7350]", FAIL]],
    )
    assert conditions_of("roc_auc < 0.7", [AREA])[0] == PASS
    assert conditions_of("roc_auc < 0.73", [AREA], confident=True)[0] == INCONCLUSIVE


def test_one_difference_has_the_same_decimals_in_the_answer_the_table_and_the_line():
    for digits in (4, 2):
        late = [1, 0] * 200
        base = [(7 * at) % 100 / 100 for at in range(400)]
        good = [value + 0.4 * each for value, each in zip(base, late, strict=True)]
        columns = {"late": late, "base": base, "good": good}
        report = evalcore.compare(columns, label="late", score="good", old_score="base")
        document = document_of_comparison(report.answer, report.question, BRIEF._replace(digits=digits))
        cell, change = document.parts[0].tables[0].rows[0][3], document.verdict.change
        assert f"difference {cell.line}," in document.verdict.claim
        assert f">{cell.text}</text>" in line_of(change, digits)
        assert len(cell.text.partition(".")[2]) == digits
    with decimals(2):
        assert number(0.123456) == "0.12"


def test_a_change_has_a_sign_so_that_a_rise_is_no_drop():
    risen = GatedNumber("boosting", "roc_auc", 0.72, change=0.01)
    assert conditions_of("roc_auc drops by 0.005", [risen])[1][0][1:] == ["+0.0100", PASS]
    assert conditions_of("roc_auc rises by 0.005", [risen])[1][0][1:] == ["+0.0100", FAIL]
    fallen = risen._replace(change=-0.01)
    assert conditions_of("roc_auc drops by 0.005", [fallen])[1][0][1:] == ["-0.0100", FAIL]


def test_the_worst_group_decides_and_others_are_named():
    outcome, [row] = conditions_of("any carrier: recall@0.3 < 0.5", GROUPS)
    assert outcome == FAIL
    assert row[1:] == ["0.4000", FAIL, "HA (99 cases); also UA"]
    outcome, [row] = conditions_of("any carrier: recall@0.3 > 0.95", GROUPS)
    assert (outcome, row[1:]) == (PASS, ["0.9000", PASS, "AA (500 cases)"])


def compared(score, old_score, **asked):
    """Compare two models on 400 cases, of which one ranks the positives higher."""
    late = [1, 0] * 200
    base = [(7 * at) % 100 / 100 for at in range(400)]
    good = [value + (0.4 if label else 0.0) for label, value in zip(late, base, strict=True)]
    columns = {"late": late, "base": base, "good": good}
    report = evalcore.compare(columns, label="late", score=score, old_score=old_score, **asked)
    return verdict_of_comparison(report.answer, report.question)


@pytest.mark.parametrize(
    ("margin", "outcome"), [(None, ""), (0.01, PASS), ({"average_precision": 0.01}, PASS), ({"f1@0.5": 0.9}, PASS)]
)
def test_margins_of_all_measures_or_of_some_decide(margin, outcome):
    measures = ["roc_auc", "average_precision", "f1@0.5"]
    assert compared("good", "base", measures=measures, margin=margin).outcome == outcome
    assert compared("base", "good", measures=measures[:2], margin=0.01).outcome == FAIL


def test_the_change_is_of_the_main_measure_and_has_the_interval_that_the_verdict_follows_from():
    change = compared("good", "base", margin=0.01, margin_level=0.9).change
    assert (change.title, change.margin, change.lower_is_better) == ("ROC AUC", 0.01, False)
    low, high = change.decisive
    assert 0 < low < change.found.difference < high < compared("good", "base").change.decisive[1]


DRAW = np.random.default_rng(7)
GROUPED = {
    "late": np.arange(1000) % 2,
    "base": DRAW.random(1000),
    "carrier": [*"ABCDE"] * 200,
}
GROUPED["good"] = GROUPED["base"] + 0.3 * GROUPED["late"] * (np.arange(1000) % 5)


def test_the_three_worst_groups_stand_before_the_tables_and_in_full_all_are_in_them():
    report = evalcore.evaluate(GROUPED, label="late", score="good", by="carrier", ci=0.95)
    worst = document_of_report(report.answer, report.question).worst
    areas = {name: report[name, "roc_auc"] for name in "ABCDE" if report[name, "roc_auc"] < report["good", "roc_auc"]}
    assert [row[0] for row in worst.rows] == sorted(areas, key=areas.get)[:3]
    assert worst.head == ["carrier", "ROC AUC of good", "cases"]
    assert document_of_report(report.answer, report.question, FULL).worst is None
    few = evalcore.evaluate({**GROUPED, "carrier": [*"AB"] * 500}, label="late", score="good", by="carrier")
    assert document_of_report(few.answer, few.question).worst is None


def test_groups_that_are_too_small_to_be_named_are_counted():
    cases = {name: [*column, *column[:5]] for name, column in GROUPED.items()}
    cases["carrier"] = [*GROUPED["carrier"], *"FFFGG"]
    report = evalcore.evaluate(cases, label="late", score="good", by="carrier")
    title = document_of_report(report.answer, report.question).worst.title
    assert title == "Lowest groups: ROC AUC of good (left out: 2 with fewer than 30 positives or negatives)"


def test_a_warning_of_few_cases_comes_first_in_every_format():
    few = {"late": [0, 1] * 14, "new": np.arange(28.0), "old": np.arange(28.0)}
    said = "Only 14 positive cases and 14 negative cases: too few to rely on these numbers."
    for report in (
        evalcore.evaluate(few, label="late", score="new"),
        evalcore.compare(few, label="late", score="new", old_score="old"),
    ):
        assert repr(report).startswith(said)
        assert report.to_markdown().startswith(f"**{said}**\n\n**")
        assert report._repr_html_().startswith(f"<p><strong>{said}</strong></p><")
    report = evalcore.evaluate(few, label="late", score="new")
    text = as_terminal(document_of_report(report.answer, report.question), colour=True)
    assert text.startswith(f"\x1b[1m{said}\x1b[0m\n\x1b[1mnew ")


def test_a_comparison_names_the_groups_that_lost_most():
    report = evalcore.compare(GROUPED, label="late", score="base", old_score="good", by="carrier")
    worst = document_of_comparison(report.answer, report.question).worst
    lost = {name: report[f"carrier={name}", "roc_auc"].found.difference for name in "ABCDE"}
    assert [row[0] for row in worst.rows] == sorted(lost, key=lost.get)[:3]
    report = evalcore.compare(GROUPED, label="late", score="good", old_score="base", by=["carrier", "late"])
    worst = document_of_comparison(report.answer, report.question).worst
    assert worst.title == "Worst changes in ROC AUC; only p-values are adjusted"
    few = {**GROUPED, "carrier": ["Z"] * 20 + list(GROUPED["carrier"][20:])}
    report = evalcore.compare(few, label="late", score="base", old_score="good", by="carrier")
    worst = document_of_comparison(report.answer, report.question).worst
    left_out = "(left out: 1 with fewer than 30 positives or negatives); only p-values are adjusted"
    assert worst.title == f"Worst changes in ROC AUC {left_out}"
    halves = {**GROUPED, "all": ["all"] * len(GROUPED["late"])}
    for by in (["all", "carrier"], ["carrier", "all"]):  # the grouping whose worst group lost most
        report = evalcore.compare(halves, label="late", score="base", old_score="good", by=by)
        found = document_of_comparison(report.answer, report.question).worst
        assert [row[0] for row in found.rows] == sorted(lost, key=lost.get)[:3]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"score": "base", "measures": "average_precision"}, "The average precision of base is 0."),
        ({"score": ["base", "good"], "measures": "average_precision"}, "good has the larger average precision: 0."),
        (
            {"score": ["good", "base"], "measures": ["kappa", "roc_auc"], "threshold": 0.5},
            "good has the larger Cohen's ",
        ),
        ({"score": ["base", "good"], "measures": ["roc_auc"]}, "good has the larger ROC AUC: 0."),
        ({"predicted": "late", "measures": "kappa"}, "Cohen's kappa of late is 1.000."),
    ],
)
def test_the_first_sentence_speaks_of_the_first_measure_that_is_named(asked, said):
    assert repr(evalcore.evaluate(GROUPED, label="late", **asked)).startswith(said)


def test_all_statistics_are_shown_where_they_are_asked_for():
    report = evalcore.evaluate(GROUPED, label="late", score=["good", "base"], threshold=0.5)
    brief, full = report.to_markdown(), report.to_markdown(full=True)
    assert len(re.findall("^\\| [a-zA-Z]", brief, re.MULTILINE)) <= 20
    assert "kappa" not in brief
    assert "kappa" in full
    assert "to_markdown(full=True) shows them all" in brief
    assert "shows them all" not in full
    compared = evalcore.compare(GROUPED, label="late", score="good", old_score="base", threshold=0.5, by="carrier")
    assert "Newly right" in compared.to_markdown(full=True)
    assert not re.search("Newly right|detectable", compared.to_markdown())


def test_the_lowest_groups_are_those_with_enough_cases_below_all():
    draw = np.random.default_rng(5)
    group, late = np.minimum(draw.geometric(0.06, 4000), 40), draw.random(4000) < 0.4
    columns = {"late": late, "model": draw.normal(size=4000) + late * draw.random(41)[group], "group": group}
    report = evalcore.evaluate(columns, label="late", score="model", by="group", show="group", threshold=0.5)
    total, found = report["model", "total", "roc_auc"], []
    for name in np.unique(group):
        positives = np.count_nonzero(late[group == name])
        if min(positives, np.count_nonzero(group == name) - positives) >= 30:
            area = report["model", str(name), "roc_auc"]
            found += [(area, str(name))] if area < total else []
    rows = worst_of_report(report.sections, report.question).rows
    assert [(row[1].value, row[0]) for row in rows] == sorted(found)[:3]
    assert report.to_dict()["mistakes"] == json.loads(report.to_json())["mistakes"]


def test_the_best_of_several_new_models_comes_first_and_a_lost_measure_is_named():
    table = {**GROUPED, "worse": -GROUPED["good"]}
    report = evalcore.compare(table, label="late", score=["worse", "good"], old_score="base", margin=0.01)
    said = document_of_comparison(report.answer, report.question).verdict
    assert (said.outcome, said.claim.split()[0], said.change.title) == (FAIL, "good", "ROC AUC of good")
    assert "inferior by the same margin: average precision of worse" in said.more[0]


def test_names_of_models_and_groups_command_no_terminal_and_mention_nobody():
    name, scores = "m\x1b[31m\u202e", [0.9, 0.1, 0.4, 0.8]
    columns = {"late": [1, 0, 1, 0], name: scores, "@bob": scores[::-1], "day": ["@team"] * 2 + ["a\x1b[0m"] * 2}
    report = evalcore.evaluate(columns, label="late", score=[name, "@bob"], by="day")
    compared = evalcore.compare(columns, label="late", score=name, old_score="@bob", by="day", threshold=0.5)
    for document in (report, compared):
        for text in (str(document), document.to_markdown(full=True)):
            assert not {"\x1b", "\u202e"}.intersection(text)
            assert r"\x1b[31m" in text.replace("\\\\", "\\").replace("\\[", "[")
        assert not re.search(r"(?<!\w)@\w", document.to_markdown(full=True))
