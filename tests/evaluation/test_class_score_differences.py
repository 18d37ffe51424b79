"""Comparisons of models that score each class."""

import json

import numpy as np
import pytest

import evalcore
from evalcore.errors import EvaluationError
from tests.differences import every
from tests.evaluation.test_every_setting import CLASSES, KINDS, SETTINGS, TABLE

ASKED = {name: own for each in KINDS["scores of classes"] for name, own in each.items()}


def test_models_in_tables_of_their_own_are_those_of_one_table():
    rows = np.random.default_rng(1).permutation(len(TABLE["kind"]))
    old = {"kind": TABLE["kind"], "id": np.arange(rows.size), **{name: TABLE[f"old_{name}"] for name in CLASSES}}
    new = {name: TABLE[name][rows] for name in CLASSES[::-1]} | {"id": rows}
    asked = {"on": "id", "label": "kind", "score": ASKED["score"]}
    found, one = evalcore.compare(old, {"a": new, "b": old}, **asked), evalcore.compare(TABLE, **ASKED)
    for name in ("macro_roc_auc", "log_loss", "kappa", "recall[ash]"):
        assert found["a", name].found.p_value == pytest.approx(one[name].found.p_value), name
        assert found["b", name].found.difference == 0
    assert {model.model: model.changes[0].counts for model in found.models}["a"] == one.models[0].changes[0].counts


def test_one_cluster_of_all_cases_has_no_interval():
    one = evalcore.compare(TABLE | {"one": np.ones(len(TABLE["kind"]), int)}, **ASKED, cluster="one")
    assert all(np.isnan(one[name].found.low) and np.isnan(one[name].found.p_value) for name in AVERAGES)


def test_conditions_on_values_have_the_bounds_of_reports():
    report = evalcore.evaluate(TABLE, label="kind", score=ASKED["score"], by="g", ci=0.95)
    of_group = json.loads(report.to_json())["statistics"]["class scores"]["0"]
    found = evalcore.compare(TABLE, **ASKED, by="g")
    for name in ("macro_roc_auc", "top_2_accuracy", "log_loss"):
        low = of_group[f"{name}_low"]
        assert found.check(f"g=0: {name} > {low + 1e-9}", confident=True).passed, name
        (failure,) = found.check(f"g=0: {name} > {low - 1e-9}", confident=True).failures
        assert failure.high == pytest.approx(of_group[f"{name}_high"]), name


@every("setting", ["plain", "weights", "frequencies", "clusters"])
def test_values_are_those_of_the_reports_of_both_models(setting):
    found = evalcore.compare(TABLE, **ASKED, **SETTINGS[setting])
    for columns, value in ((ASKED["score"], "new"), (ASKED["old_score"], "old")):
        report = evalcore.evaluate(TABLE, label="kind", score=columns, ci=0.95, **SETTINGS[setting])
        for name in ("macro_roc_auc", "log_loss", "mean_rank", "top_2_accuracy", "accuracy"):
            assert getattr(found[name], value) == pytest.approx(report["statistics", name], rel=1e-12), name


def test_gates_take_changes_of_scores_of_classes():
    report = evalcore.compare(TABLE, **ASKED)
    assert report.check(["macro_roc_auc drops by 0.1", "top_2_accuracy < 0.5", "accuracy < 0.1"]).passed


def test_differences_of_losses_are_those_of_a_paired_t_test():
    rows, codes = np.arange(len(TABLE["kind"])), np.searchsorted(CLASSES, TABLE["kind"])
    new, old = (
        -np.log([TABLE[name] for name in ASKED[score].values()])[codes, rows] for score in ("score", "old_score")
    )
    found = evalcore.compare(TABLE, **ASKED, measures="log_loss")["log_loss"]
    assert found.found.difference == pytest.approx(np.mean(new - old))
    assert found.error == pytest.approx(np.std(new - old, ddof=1) / np.sqrt(rows.size))


def test_scores_that_are_no_probabilities_have_no_losses():
    table = {**TABLE, "ash": TABLE["ash"] + 1}
    names = [each.measure for each in evalcore.compare(table, **ASKED).models[0].differences]
    assert names[:3] == ["macro_roc_auc", "weighted_roc_auc", "mean_reciprocal_rank"]
    assert "top_2_accuracy" in names
    with pytest.raises(
        EvaluationError, match="measure 'log_loss' is not defined, because scores are not probabilities"
    ):
        evalcore.compare(table, **ASKED, measures="log_loss")


def test_notes_say_how_classes_were_compared_and_that_cases_are_few():
    few = {name: column[:20] for name, column in TABLE.items()}
    notes = evalcore.compare(few, **ASKED, measures=["macro_roc_auc", "accuracy", "kappa"]).notes
    assert notes[:4] == [
        "ROC AUC, macro average: by a score test with DeLong's variance",
        "accuracy: by McNemar's test, with Tango's interval",
        "Cohen's kappa: by the delta method on the paired decisions",
        "with 20 cases, fewer than 30, intervals are rough",
    ]
    swapped = evalcore.compare(
        few, label="kind", predicted="now", old_predicted="was", method="permutation", resamples=50, measures="kappa"
    )
    assert swapped.notes[0] == "Cohen's kappa: by swaps of the two models"


@every(
    "more, said",
    [
        ({"old_score": {"ash": "old_ash"}}, "models must have scores of the same classes, got 'elm' and 'oak' of one "),
        ({"threshold": 0.5}, "threshold needs scores of one label, got scores of classes"),
        ({"costs": (1, 1)}, "costs needs scores of one label, got scores of classes"),
        ({"positive": "ash"}, "positive needs scores of one label, got scores of classes"),
        ({"method": "bootstrap"}, "scores of classes take method='analytic' alone; predicted takes others"),
        ({"old_score": ASKED["score"]}, "columns of models must be distinct, got 'ash', "),
        ({"measures": "roc_auc"}, "measure must be one of macro_roc_auc, .*; did you mean 'macro_roc_auc' or "),
    ],
)
def test_what_scores_of_classes_do_not_take(more, said):
    with pytest.raises(EvaluationError, match=said):
        evalcore.compare(TABLE, **{**ASKED, **more})


AVERAGES = "macro_roc_auc", "weighted_roc_auc"
OF_SCORES = *AVERAGES, "log_loss", "brier_score", "top_2_accuracy", "mean_rank", "mean_reciprocal_rank"


@every("setting", ["plain", "weights", "frequencies"])
def test_groups_are_compared_by_scores_of_classes_as_samples_of_their_own(setting):
    """The bounds of differences lie as far from them as squared distances to those of both sides add up to."""
    odds = np.exp([TABLE[name] for name in CLASSES])
    table = TABLE | dict(zip(CLASSES.tolist(), odds / odds.sum(axis=0), strict=True))
    chosen = table["g"] == table["g"][0]
    asked = {"label": "kind", "score": ASKED["score"], "ci": 0.95, "measures": [*OF_SCORES, "accuracy"]}
    asked |= SETTINGS[setting]
    report = evalcore.evaluate(table, **asked, by="g", compare_groups=True).to_dict()
    own, rest = (
        evalcore.evaluate({name: each[rows] for name, each in table.items()}, **asked).to_dict()["statistics"]
        for rows in (chosen, ~chosen)
    )
    for name in OF_SCORES:
        found = report[f"differences_to_rest of {name}"]["class scores"][str(table["g"][0])]
        difference = own[name] - rest[name]
        assert found[f"{name}_difference_to_rest"] == pytest.approx(difference)
        reach = np.hypot(own[name] - own[f"{name}_low"], rest[f"{name}_high"] - rest[name])
        assert difference - found[f"{name}_difference_to_rest_low"] == pytest.approx(reach, rel=0.15), name
        assert next(iter(report[f"largest_gaps of {name}"]["class scores"].values()))[f"{name}_gap"] > 0


def test_a_group_of_all_weighted_cases_has_no_rest():
    asked = {"label": "kind", "score": ASKED["score"], "by": "one", "ci": 0.95, "weight": "w"}
    table = TABLE | {"one": np.ones(len(TABLE["kind"]), int)}
    report = evalcore.evaluate(table, **asked, compare_groups=True, measures="macro_roc_auc").to_dict()
    [found] = report["differences_to_rest of macro_roc_auc"]["class scores"].values()
    assert np.isnan(found["macro_roc_auc_difference_to_rest"])


def test_groups_with_the_same_clusters_are_not_compared_by_averages_of_areas():
    asked = {"label": "kind", "score": ASKED["score"], "by": "g", "ci": 0.95, "compare_groups": True, "cluster": "c"}
    report = evalcore.evaluate(TABLE, **asked, measures=OF_SCORES)
    assert not [section for section in report.to_dict() if "roc_auc" in section]
    assert "differences_to_rest of mean_rank" in report.to_dict()
    those = "measures of scores of classes and predicted ones"
    assert f"groups are compared by {those}, and not by {' and '.join(AVERAGES)}" in report.notes
    with pytest.raises(EvaluationError, match="compare_groups needs a measure of predicted classes, like accuracy"):
        evalcore.evaluate(TABLE, **asked, measures=AVERAGES)
