"""Comparisons claim in sentences what their numbers carry, and name these numbers in reports."""

import json
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore.document.comparison import document_of_comparison
from evalcore.document.terminal import as_terminal
from evalcore.document.words.comparison import comparison_sentences
from evalcore.evaluation.differences import EQUIVALENT, INCONCLUSIVE, INFERIOR, NON_INFERIOR, SUPERIOR, ModelDifferences
from tests.differences import check_output, check_refusals, refused
from tests.document.comparison import answers
from tests.document.comparison.answers import answer, cases, difference, question


def one(*items, groups=None, **more):
    """Return the comparison of one model by these measures, with groups by carrier."""
    return answer(models=[ModelDifferences("boosting", list(items), {"carrier": groups} if groups else {})], **more)


def every_group(change, groups=None):
    """Return groups whose differences a function has changed."""
    return [group._replace(differences=change(group.differences)) for group in groups or answers.groups()]


AREA, F1 = partial(difference, "roc_auc", "ROC AUC", 0.7142349), partial(difference, "f1", "F1", 0.5)
FIRST, BETTER, UNKNOWN = answers.measures()[0], F1(0.6, 0.01), difference("ks", "ks", 0.5, 0.6, math.nan, p=math.nan)
SAID = {
    "better": one(AREA(0.7325148)),
    "worse": one(difference("roc_auc", "ROC AUC", 0.7325148, 0.7142349, p=2e-9)),
    "less is better": one(difference("log_loss", "log loss", 0.5, 0.4, 0.01, p=0.002, lower=True)),
    "not shown": one(F1(0.501, 0.004, p=0.62)),
    "no interval": one(F1(0.6, math.nan, p=math.nan)),
    "not defined": one(F1(math.nan)),
    "the same": one(F1(0.5, 0.0, p=1.0)),
    "the same without an interval": one(F1(0.5, math.nan, p=1.0, verdict=INCONCLUSIVE)),
    "a name in quotes": answer(models=[ModelDifferences("new model", [FIRST])]),
    **{f"{verdict} by a margin": one(AREA(0.7325148, verdict=verdict, margin=0.02))
       for verdict in (SUPERIOR, EQUIVALENT, NON_INFERIOR, INFERIOR, INCONCLUSIVE)},
    **{f"{few} of 400 are positive": answer(cases=cases()._replace(positive=np.arange(400) < few))
       for few in (12, 1, 390)},
    "other measures and groups": answer(),
    "groups after adjustment": one(
        FIRST, groups=every_group(lambda found: [found[0]._replace(holm=0.06)])
    ),
    "two better, one without an interval": one(BETTER, BETTER, UNKNOWN, BETTER),
    "one better, two without an interval": one(BETTER, UNKNOWN, BETTER, UNKNOWN),
    "another without an interval": one(BETTER, UNKNOWN),
    "groups worse by another measure": one(
        FIRST, groups=every_group(lambda found: [found[0], F1(0.4, 0.01, p=1e-9)], answers.groups()[1:])
    ),
    "better in everything": one(BETTER, BETTER, groups=answers.groups()[2:]),
    "no measure": one(),
    **{f"{number} others, p = {p}": one(*[F1(new, 0.01, p=p)] * (number + 1)) for number in (1, 2, 3)
       for new, p in ((0.6, 0.001), (0.505, 0.06))},
}  # fmt: skip


def test_sentences_claim_what_the_numbers_carry():
    said = {name: comparison_sentences(made, question(margin=0.02)) for name, made in SAID.items()}
    text = "\n".join("\n  ".join([f"{name}:", *sentences]) for name, sentences in said.items())
    check_output("document/comparison/outputs/sentences.txt", text)
    assert as_terminal(document_of_comparison(SAID["no measure"], question())).splitlines()[:4] == [
        "No measure is defined for boosting and logistic.",
        "late: boosting (new) against logistic (old)",
        "Cases: 400; Positive: 165 (41.2%)",
        "",
    ]


def test_each_of_several_models_has_its_sentence():
    models = [ModelDifferences(f"m{index}", answers.measures(), {"carrier": answers.groups()}) for index in range(6)]
    said = list(comparison_sentences(answer(models=models), question()))
    assert [each.split()[0] for each in said] == ["m0", "m1", "m2", "m3", "2"]
    assert said[-1] == "2 more models are in the tables."


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
    rows = [(two, "roc_auc"), (two, ("oak", "roc_auc")), (one, "roc_aera"), (one, "f1"), (one, ("Sunday", "roc_auc"))]
    check_refusals("document/comparison/outputs/refused_names.txt", lambda row: row[0][row[1]], rows)


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
