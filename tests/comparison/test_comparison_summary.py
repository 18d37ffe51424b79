"""Comparisons claim in sentences what their numbers carry, and name these numbers in reports."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore.comparison.text import as_comparison_table
from evalcore.comparison.words import comparison_sentences, gate_sentences
from evalcore.evaluation.differences import EQUIVALENT, INCONCLUSIVE, INFERIOR, NON_INFERIOR, SUPERIOR, ModelDifferences
from tests.comparison import answers
from tests.comparison.answers import answer, cases, difference, question
from tests.differences import every, refused


def summary_of(made, asked):
    return " ".join(comparison_sentences(made, asked))


def first(item, **asked):
    return next(comparison_sentences(answer(models=[ModelDifferences("new model", [item])]), question(**asked)))


@every(
    ("item", "sentence"),
    (difference("roc_auc", "ROC AUC", 0.7142349, 0.7325148),
     "'new model' is better than logistic: its ROC AUC is 0.0183 higher [0.0171, 0.0195], p < 1e-300."),
    (difference("roc_auc", "ROC AUC", 0.7325148, 0.7142349, p=2e-9),
     "'new model' is worse than logistic: its ROC AUC is 0.0183 lower [0.0171, 0.0195], p = 2e-09."),
    (difference("log_loss", "log loss", 0.5, 0.4, 0.01, p=0.002, lower=True),
     "'new model' is better than logistic: its log loss is 0.100 lower [0.090, 0.110], p = 0.0020."),
    (difference("f1", "F1", 0.5, 0.501, 0.004, p=0.62),
     "No difference is shown between 'new model' and logistic: F1 0.5010 against 0.5000, difference +0.0010 "
     "[-0.0030, 0.0050], p = 0.6200; with so many cases, a true difference of 0.0057 would be shown 80% of the "
     "time."),
    (difference("f1", "F1", 0.5, 0.6, math.nan, p=math.nan),
     "No claim is made without an interval: 'new model' has F1 0.600 against 0.500 of logistic, difference "
     "+0.100."),
    (difference("f1", "F1", 0.5, math.nan), "Inconclusive: no F1 is defined for both 'new model' and logistic."),
    (difference("f1", "F1", 0.5, 0.5, 0.0, p=1.0), "'new model' and logistic have the same F1, 0.500."),
    (difference("f1", "F1", 0.5, 0.5, math.nan, p=1.0, verdict=INCONCLUSIVE),
     "'new model' and logistic have the same F1, 0.500; inconclusive, as the difference has no interval."),
)  # fmt: skip
def test_the_main_measure_is_judged_by_its_interval(item, sentence):
    assert first(item) == sentence


@every(
    ("verdict", "end"),
    (SUPERIOR, "; that is more than the margin of 0.02, so it is superior."),
    (EQUIVALENT, "; the difference is less than the margin of 0.02, so the two are equivalent."),
    (NON_INFERIOR, "; it is not worse by the margin of 0.02, so it is non-inferior, but not shown to be superior."),
    (INFERIOR, "; that is more than the margin of 0.02, so it is inferior."),
    (INCONCLUSIVE, "; the interval is too wide for a verdict with the margin of 0.02."),
)
def test_a_margin_has_its_own_verdict(verdict, end):
    item = difference("roc_auc", "ROC AUC", 0.7142349, 0.7325148, verdict=verdict, margin=0.02)
    assert first(item, margin=0.02).endswith(f"p < 1e-300{end}")


@every(("positives", "few"), [(12, "12 positives"), (1, "1 positive"), (390, "10 negatives")])
def test_few_cases_of_a_class_carry_no_claim(positives, few):
    made = cases()._replace(positive=np.arange(400) < positives)
    said = summary_of(answer(cases=made), question())
    assert said.startswith(
        f"No claim is made from {few}: ROC AUC 0.7325 against 0.7142 of logistic, difference +0.0183"
    )


def test_other_measures_and_groups_are_judged_by_adjusted_p_values():
    _, others, groups = comparison_sentences(answer(), question())
    assert others == (
        "Of 2 other measures, 1 is worse (log loss: +0.00050 [0.00030, 0.00070]) and 1 is not shown to differ, after "
        "Holm's adjustment."
    )
    assert groups == (
        "Of 4 groups by carrier, 2 got better and 1 worse (C0 by 0.030) by ROC AUC, after Holm's adjustment."
    )
    unsure = [group._replace(differences=[group.differences[0]._replace(holm=0.06)]) for group in answers.groups()]
    model = ModelDifferences("boosting", answers.measures()[:1], {"carrier": unsure})
    assert list(comparison_sentences(answer(models=[model]), question()))[1:] == [
        "Of 4 groups by carrier, none is shown to be better or worse by ROC AUC, after Holm's adjustment."
    ]


def test_measures_without_an_interval_and_groups_that_lose_by_others_are_counted_apart():
    better, unknown = difference("f1", "F1", 0.5, 0.6, 0.01), difference("ks", "ks", 0.5, 0.6, math.nan, p=math.nan)
    for others, said in {
        (better, unknown, better): "Of 3 other measures, 1 has no interval and 2 are better, after Holm's adjustment.",
        (unknown, better, unknown): "Of 3 other measures, 2 have no interval and 1 is better, after Holm's adjustment.",
    }.items():
        model = ModelDifferences("boosting", [better, *others])
        assert list(comparison_sentences(answer(models=[model]), question()))[1:] == [said]
    model = ModelDifferences("boosting", [better, unknown])
    assert len(list(comparison_sentences(answer(models=[model]), question()))) == 1
    lost = difference("f1", "F1", 0.5, 0.4, 0.01, p=1e-9)
    mixed = [group._replace(differences=[*group.differences[:1], lost]) for group in answers.groups()[1:]]
    model = ModelDifferences("boosting", answers.measures()[:1], {"carrier": mixed})
    assert list(comparison_sentences(answer(models=[model]), question()))[1:] == [
        "Of 3 groups by carrier, 2 got better and none worse by ROC AUC; by another measure, 3 got worse, after "
        "Holm's adjustment."
    ]


def test_what_did_not_get_worse_or_was_not_measured_is_not_claimed():
    better = [difference("f1", "F1", 0.5, 0.6, 0.01), difference("kappa", "kappa", 0.5, 0.6, 0.01)]
    model = ModelDifferences("boosting", better, {"carrier": answers.groups()[2:]})
    assert list(comparison_sentences(answer(models=[model]), question()))[1:] == [
        "The other measure is better, after Holm's adjustment.",
        "Of 2 groups by carrier, 2 got better and none worse by ROC AUC, after Holm's adjustment.",
    ]
    made = answer(models=[ModelDifferences("boosting", [])])
    assert summary_of(made, question()) == "No measure is defined for boosting and logistic."
    assert as_comparison_table(made, question()).splitlines()[1:3] == [
        "No measure is defined for boosting and logistic.",
        "  measure   old   new   difference, 95% interval",
    ]


@every(
    ("number", "p", "sentence"),
    (1, 0.001, "The other measure is better, after Holm's adjustment."),
    (1, 0.06, "The other measure is not shown to differ, after Holm's adjustment."),
    (2, 0.001, "Both other measures are better, after Holm's adjustment."),
    (2, 0.06, "Neither of the two other measures is shown to differ, after Holm's adjustment."),
    (3, 0.001, "All 3 other measures are better, after Holm's adjustment."),
    (3, 0.06, "None of the 3 other measures is shown to differ, after Holm's adjustment."),
)
def test_other_measures_that_agree_are_not_counted_apart(number, p, sentence):
    items = [difference("f1", "F1", 0.5, 0.6, 0.01, p=p)] * (number + 1)
    made = answer(models=[ModelDifferences("boosting", items)])
    assert list(comparison_sentences(made, question()))[1:] == [sentence]


def test_each_of_several_models_has_its_sentence_and_a_gate_its_first_reasons():
    models = [ModelDifferences(f"m{index}", answers.measures(), {"carrier": answers.groups()}) for index in range(6)]
    said = list(comparison_sentences(answer(models=models), question()))
    assert [each.split()[0] for each in said] == ["m0", "m1", "m2", "m3", "2"]
    assert said[-1] == "2 more models are in the tables."
    outcome, *reasons, left_out = gate_sentences(answers.gate("any carrier: roc_auc < 0.8", count=100))
    assert outcome == "Gate failed: the condition is true"
    assert len(reasons) == 20
    assert left_out == "... and 80 more, which JSON has"


DRAW = np.random.default_rng(5)
LATE = DRAW.random(300) < 0.4
TABLE = pd.DataFrame(
    {
        "late": LATE,
        "base": DRAW.random(300) + 0.1 * LATE,
        "ash": DRAW.random(300) + 0.5 * LATE,
        "elm": DRAW.random(300) - 0.5 * LATE,
        "day": DRAW.choice(["Mon", "Tue"], 300),
    }
)


@pytest.fixture(scope="module")
def two():
    return evalcore.compare(TABLE, label="late", score=["ash", "elm"], old_score="base", threshold=0.5, by="day")


@pytest.fixture(scope="module")
def one():
    return evalcore.compare(TABLE, label="late", score="ash", old_score="base", measures="auc", by="day")


def test_a_difference_is_named_by_its_model_its_group_and_its_measure(one, two):
    assert one["roc_auc"] == one["AUC"] == one["ash", "roc_auc"]
    assert one["roc_auc"].found == two["ash", "roc_auc"].found
    assert two["elm", "sensitivity@0.5"].measure == "recall@0.5"
    monday = TABLE[TABLE["day"] == "Mon"]
    expected = evalcore.inference.compare_roc_auc(monday["late"], monday["base"], monday["ash"])
    assert one["day=Mon", "roc_auc"].found.difference == pytest.approx(expected.difference, rel=1e-12)
    assert one["day=Mon", "roc_auc"].found.low == pytest.approx(expected.low, rel=1e-12)
    assert one["ash", "day=Mon", "roc_auc"] == one["day=Mon", "roc_auc"]


def test_other_names_are_refused(one, two):
    groups = ", ".join(f"'day={group.group}'" for group in one.models[0].groups["day"])
    for report, names, message in (
        (two, "roc_auc", "a model must be named first, one of 'ash', 'elm', got none"),
        (two, ("oak", "roc_auc"), "a model must be named first, one of 'ash', 'elm', got 'oak'"),
        (one, "roc_aera", "measure must be one that was compared, got 'roc_aera'; did you mean 'roc_auc'?"),
        (one, "f1", "measure must be one that was compared, got 'f1'; these are 'roc_auc'"),
        (one, ("Sunday", "roc_auc"), "a group must be named as COLUMN=VALUE, got 'Sunday'; these are " + groups),
    ):
        with refused(message):
            report[names]


def test_numbers_are_the_same_in_every_format(two, tmp_path):
    frame = two.to_pandas()
    area = frame[(frame["model"] == "ash") & (frame["measure"] == "roc_auc") & (frame["grouping"] == "")]
    assert area["difference"].tolist() == [two["ash", "roc_auc"].found.difference]
    assert two.to_arrow().num_rows == len(frame) == two.to_polars().height == len(two.to_csv().splitlines()) - 1
    assert json.loads(two.to_json()) == json.loads(json.dumps(two.to_dict()))
    for name in ("json", "csv", "markdown"):
        write = getattr(two, f"to_{name}")
        assert write(tmp_path / name) is None
        assert (tmp_path / name).stat().st_size > 100
    assert "ROC AUC" in repr(two)
    assert two.summary


def test_reports_list_what_they_hold_and_are_equal_by_their_numbers(one):
    again = evalcore.compare(TABLE, label="late", score="ash", old_score="base", measures="roc_auc", by="day")
    assert again == one
    assert hash(again) == hash(one)
    assert one != evalcore.compare(TABLE, label="late", score="elm", old_score="base", measures="roc_auc")
    for none in ([], (), {}):
        with refused("new must hold at least one table, got none"):
            evalcore.compare(TABLE, none, label="late", score="ash", on="day")
    columns = {"y": [1, 0, 1, 0], "old": [0.9, 0.2, 0.4, 0.6], "new": [0.7, 0.3, 0.8, 0.1]}
    report = evalcore.compare(columns, label="y", score="new", old_score="old", measures=["roc_auc", "f1@0.5"])
    assert list(report) == [("new", "roc_auc"), ("new", "f1@0.5")]
    assert all(names in report for names in (*report, "auc"))
    assert not any(names in report for names in ("recall@0.5", ("other", "roc_auc"), 0))


def test_columns_together_are_one_grouping_of_combinations():
    columns = {"y": [1, 0] * 4, "old": [0.9, 0.2] * 4, "new": [0.7, 0.8] * 4}
    columns |= {"a": list("xxxxyyyy"), "b": [1, 1, 2, 2] * 2}
    asked = {"label": "y", "score": "new", "old_score": "old", "measures": "roc_auc"}
    report = evalcore.compare(columns, **asked, by=["a", ("a", "b")])
    groups = {by: {each.group: each.cases for each in found} for by, found in report.models[0].groups.items()}
    assert groups == {"a": {"x": 4, "y": 4}, "a, b": {"x, 1": 2, "x, 2": 2, "y, 1": 2, "y, 2": 2}}
    assert report["a, b=x, 2", "roc_auc"].new == 0
    assert not report.check("any 'a, b': roc_auc < 0.5").passed
    assert report.to_dict()["by"] == ["a", "a, b"]
    for by, said in (
        ([("a", "a")], "by must name distinct columns, got 'a', 'a'"),
        ([()], "by must name at least one column for each grouping, got [()]"),
    ):
        with refused(said):
            evalcore.compare(columns, **asked, by=by)
