"""Whatever is not in `metrics` reads its columns by one rule, which the guide states."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import EvaluationError, EvaluationTypeError, ScoredPrecisionRecallEvaluation, inference, ranking
from evalcore.streaming import ScoreSummary, learn_cuts
from tests.differences import every

SCORES = [0.25, 0.5, 0.375, 0.75, 0.125, 0.625, 0.875, 0.0625]
LABELS = [0, 0, 1, 1, 0, 1, 0, 1]
PREDICTED = [0, 1, 1, 1, 0, 0, 0, 1]
WEIGHTS = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0]
CLUSTERS = [1, 1, 2, 2, 3, 3, 4, 4]


def summary(labels, scores, weights=None):
    found = ScoreSummary()
    found.update(labels, scores, sample_weight=weights)
    return found.roc_auc()


def added(labels, scores):
    evaluation = ScoredPrecisionRecallEvaluation()
    evaluation.addCases(labels, scores)
    return evaluation


def report(label=LABELS, score=SCORES, **columns):
    frame = {"label": label, "score": score, **columns}
    return evalcore.evaluate(frame, label="label", score="score", **{name: name for name in columns}).to_dict()


SCORED = {
    "area": lambda scores: inference.roc_auc_interval(LABELS, scores),
    "areas": lambda scores: inference.compare_roc_auc(LABELS, SCORES, scores),
    "AP": lambda scores: inference.average_precision_interval(LABELS, scores),
    "bootstrap": lambda scores: inference.bootstrap_interval(LABELS, scores, resamples=9, seed=1),
    "summary": lambda scores: summary(LABELS, scores),
    "rankings": lambda scores: ranking.evaluate(CLUSTERS, LABELS, scores, measures="AP"),
    "report": lambda scores: report(score=scores),
    "class": lambda scores: added(LABELS, scores),
    "decision curve": lambda scores: inference.decision_curve(LABELS, scores, [0.5]).net_benefit.tolist(),
    "calibration": lambda scores: inference.spiegelhalter_test(LABELS, scores),
    "band": lambda scores: inference.consistency_band(scores, resamples=9, seed=1),
}
LABELLED = {
    "area": lambda labels: inference.roc_auc_interval(labels, SCORES),
    "bootstrap": lambda labels: inference.bootstrap_interval(labels, SCORES, resamples=9, seed=1),
    "prevalence": inference.prevalence_interval,
    "calibration": lambda labels: inference.spiegelhalter_test(labels, SCORES),
    "judge": lambda labels: inference.corrected_prevalence_interval(labels, PREDICTED, PREDICTED),
    "summary": lambda labels: summary(labels, SCORES),
    "report": lambda labels: report(label=labels),
    "class": lambda labels: added(labels, SCORES),
    "f1": lambda labels: inference.f1_interval(labels, PREDICTED),
    "accuracy": lambda labels: inference.accuracy_interval(labels, PREDICTED),
    "kappa": lambda labels: inference.kappa_interval(labels, PREDICTED),
}
WEIGHTED = {
    "area": lambda weights: inference.roc_auc_interval(LABELS, SCORES, sample_weight=weights),
    "f1": lambda weights: inference.f1_interval(LABELS, PREDICTED, sample_weight=weights),
    "calibration": lambda weights: inference.spiegelhalter_test(LABELS, SCORES, sample_weight=weights),
    "summary": lambda weights: summary(LABELS, SCORES, weights),
    "cuts": lambda weights: learn_cuts(LABELS, SCORES, sample_weight=weights).tolist(),
    "report": lambda weights: report(weight=weights),
}
CLUSTERED = {
    "area": lambda cluster: inference.roc_auc_interval(LABELS, SCORES, cluster=cluster),
    "bootstrap": lambda cluster: inference.bootstrap_interval(LABELS, SCORES, cluster=cluster, resamples=9, seed=1),
    "threshold": lambda cluster: inference.optimal_threshold_interval(
        LABELS, SCORES, cluster=cluster, stratify=False, resamples=9, seed=1
    ),
    "rankings": lambda cluster: ranking.evaluate(cluster, LABELS, SCORES, measures="AP").values["AP"].tolist(),
    "report": lambda cluster: report(by=cluster),
}
FAMILIES = [
    *((call, SCORES) for call in SCORED.values()),
    *((call, LABELS) for call in LABELLED.values()),
    *((call, WEIGHTS) for call in WEIGHTED.values()),
    *((call, CLUSTERS) for call in CLUSTERED.values()),
]
TAKEN = {
    "tuple": tuple,
    "objects": lambda column: np.array(column, object),
    "float32": lambda column: np.array(column, np.float32),
    "Decimal": lambda column: [Decimal(str(value)) for value in column],
    "fractions": lambda column: np.array([Fraction(value) for value in column], object),
    "Series": pd.Series,
    "Series of objects": lambda column: pd.Series(column, dtype=object),
    "nullable": pd.array,
    "nothing masked": np.ma.masked_array,
}
REFUSED = {
    "column": lambda column: np.array(column)[:, np.newaxis],
    "row": lambda column: np.array(column)[np.newaxis],
    "frame": lambda column: pd.DataFrame({"a": column}),
    "number": lambda column: column[0],
    "nothing": lambda _: None,
    "None": lambda column: [None, *column[1:]],
    "NaN": lambda column: [float("nan"), *column[1:]],
    "NA": lambda column: pd.array([None, *column[1:]]),
    "complex": lambda column: np.array(column, complex),
    "masked": lambda column: np.ma.masked_array(column, [1] + [0] * 7),
}


@every("how", TAKEN)
@pytest.mark.filterwarnings("ignore")
def test_the_same_column_gives_the_same_answer_however_it_is_held(how):
    for call, column in FAMILIES:
        if (how, column) != ("float32", CLUSTERS) and not (how in ("Decimal", "fractions") and column is CLUSTERS):
            assert str(call(TAKEN[how](column))) == str(call(column))


@every("how", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_what_is_no_column_is_refused_everywhere(how):
    for call, column in FAMILIES:
        if how != "nothing" or column in (SCORES, LABELS):  # weights and clusters may be left out
            with pytest.raises((EvaluationError, EvaluationTypeError)):
                call(REFUSED[how](column))


@every("calls", [SCORED, WEIGHTED])
def test_booleans_are_neither_scores_nor_weights(calls):
    for call in calls.values():
        with pytest.raises((EvaluationError, EvaluationTypeError)):
            call(np.array([True, False] * 4))


@pytest.mark.filterwarnings("ignore")
def test_infinite_scores_are_ranked_and_all_else_that_is_infinite_is_refused():
    for name, call in SCORED.items():
        if name not in ("decision curve", "calibration", "band"):
            infinite, large = ([*SCORES[:6], score, SCORES[7]] for score in (np.inf, 2.0**99))
            assert str(call(infinite)) == str(call(large))
    probable = [SCORED[name] for name in ("decision curve", "calibration", "band")]
    for calls in (probable, LABELLED.values(), WEIGHTED.values(), CLUSTERED.values()):
        for call in calls:
            with pytest.raises(EvaluationError):
                call([1.0, np.inf, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0])


def test_fractions_are_no_names():
    for call in CLUSTERED.values():
        with pytest.raises(EvaluationError, match=r"0\.5"):
            call([0.5, *CLUSTERS[1:]])


@every("labels", [[2, 2, 1, 1], ["a", "b", "a", "b"], [0, 1, 2, 1]])
def test_without_pos_label_labels_are_zero_and_one_minus_one_and_one_or_booleans(labels):
    text = "pos_label is not specified|multiclass format is not supported"
    for interval in (inference.precision_interval, inference.f1_interval):
        with pytest.raises(EvaluationError, match=text):
            interval(labels, labels, pos_label=None)
        assert interval([-1, 1], [1, 1], pos_label=None) == interval([0, 1], [True, True], pos_label=1)
    for call in (inference.roc_auc_interval, inference.spiegelhalter_test, summary):
        with pytest.raises(EvaluationError, match=text):
            call(labels, [0.1, 0.2, 0.3, 0.4])
