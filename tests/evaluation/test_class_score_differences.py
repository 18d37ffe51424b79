"""Comparisons of models that score each class."""

import numpy as np
import pytest

import evalcore
from evalcore.errors import EvaluationError
from tests.differences import every
from tests.evaluation.test_every_setting import CLASSES, KINDS, SETTINGS, TABLE

ASKED = {name: own for each in KINDS["scores of classes"] for name, own in each.items()}


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


@every(
    "more, said",
    [
        ({"old_score": {"ash": "old_ash"}}, "score and old_score must have columns of the same classes"),
        ({"new": TABLE, "on": "id"}, "scores of classes are compared in one table, got several"),
        ({"threshold": 0.5}, "scores of classes take no positive, threshold or costs"),
        ({"method": "bootstrap"}, "scores of classes are compared by method='analytic' alone"),
    ],
)
def test_what_scores_of_classes_do_not_take(more, said):
    with pytest.raises(EvaluationError, match=said):
        evalcore.compare(TABLE, **{**ASKED, **more})
