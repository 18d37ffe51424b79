"""Which outcome a gate or a margin gives, and the table of conditions."""

import pytest

import evalcore
from evalcore.document.model import FAIL, INCONCLUSIVE, PASS, verdict_of_comparison, verdict_of_report
from evalcore.document.tables import Cell
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
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
        [["roc_auc < 0.73", "boosting", "0.72 [0.71, 0.735]", "at least 0.73", FAIL]],
    )
    assert conditions_of("roc_auc < 0.7", [AREA])[0] == PASS
    assert conditions_of("roc_auc < 0.73", [AREA], confident=True)[0] == INCONCLUSIVE


def test_the_worst_group_decides_and_others_are_named():
    outcome, [row] = conditions_of("any carrier: recall@0.3 < 0.5", GROUPS)
    assert outcome == FAIL
    assert row[1:4] == ["boosting, carrier HA (99 cases); also UA", "0.4", "at least 0.5"]
    outcome, [row] = conditions_of("any carrier: recall@0.3 > 0.95", GROUPS)
    assert (outcome, row[1:4]) == (PASS, ["boosting, carrier AA (500 cases)", "0.9", "at most 0.95"])


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
    assert 0 < change.low < change.difference < change.high
    assert change.high < compared("good", "base").change.high
