"""Names of measures that models are compared by."""

import pytest

from evalcore import EvaluationError
from evalcore.comparison.measure_names import parse_compared, score_measures


@pytest.mark.parametrize(
    ("name", "full", "title"),
    [
        ("auroc", "roc_area", "ROC area"),
        ("AP", "average_precision", "average precision"),
        ("sensitivity@0.30", "recall@0.3", "recall at threshold 0.3"),
        ("f1@1e-3", "f1@0.001", "F1 at threshold 0.001"),
        ("f1[ash@home]", "f1[ash@home]", "F1 of ash@home"),
        ("max_f1", "maximum_f1", "maximum F1"),
        ("ks", "ks", "Kolmogorov-Smirnov statistic"),
        ("partial_auc@0.1", "partial_auc@0.1", "ROC area up to a false positive rate of 0.1"),
        ("brier", "brier_score", "Brier score"),
    ],
)
def test_names_are_those_of_reports(name, full, title):
    found = parse_compared(name)
    assert (found.name, found.title) == (full, title)
    assert parse_compared(found.name) == found
    assert found.lower_is_better == (full == "brier_score")


@pytest.mark.parametrize("name", ["", "recal@0.5", "recall@", "recall@high", "roc_area@0.5", "kappa[ash]", 3, "ks@1"])
def test_other_names_are_refused(name):
    with pytest.raises(EvaluationError, match="measure must be one of roc_area, average_precision, "):
        parse_compared(name)


def test_a_near_name_is_named():
    with pytest.raises(EvaluationError, match=r"got 'recal@0.5'; did you mean 'recall'"):
        parse_compared("recal@0.5")


def test_names_without_a_threshold_are_taken_at_each():
    names = [each.name for each in score_measures(["recall", "roc_area", "f1@0.5"], [0.5, 0.2], probabilities=False)]
    assert names == ["recall@0.5", "recall@0.2", "roc_area", "f1@0.5"]
    with pytest.raises(EvaluationError, match=r"'recall' needs a threshold: name one, such as 'recall@0.5'"):
        score_measures(["recall"], [], probabilities=False)
    with pytest.raises(EvaluationError, match=r"'recall\[ash\]' is of predicted classes, not of scores"):
        score_measures(["recall[ash]"], [], probabilities=False)


def test_thresholds_add_decisions_to_named_measures():
    names = [each.name for each in score_measures(["roc_area"], [0.5], probabilities=False)]
    assert names == ["roc_area", "accuracy@0.5", "recall@0.5", "specificity@0.5", "precision@0.5", "f1@0.5"]
