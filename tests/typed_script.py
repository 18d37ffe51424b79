"""What a user writes, as `mypy --strict` and pyright read it: the types of results, options and inputs."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import evalcore
from evalcore import inference, metrics, ranking, streaming

Floats = npt.NDArray[np.float64]
labels = np.array([0, 1, 1, 0])
scores = np.array([0.1, 0.8, 0.4, 0.5], dtype=np.float32)
guesses = [0, 1, 0, 1]
names = ["ham", "spam", "spam", "ham"]
chances = [[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]

assert_type(metrics.roc_auc_score(labels, scores), float)
assert_type(metrics.roc_auc_score([0, 1, 2, 0], chances, multi_class="ovr", average="weighted"), float)
assert_type(metrics.roc_auc_score([0, 1, 2, 0], chances, multi_class="ovr", average=None), float | Floats)
assert_type(metrics.average_precision_score(names, scores, pos_label="spam", sample_weight=[1, 2, 1, 2]), float)
assert_type(metrics.average_precision_score(labels, scores, average=None), float | Floats)
for score in (metrics.f1_score, metrics.precision_score, metrics.recall_score, metrics.jaccard_score):
    assert_type(score(labels, guesses), float)
    assert_type(score(labels, guesses, average="macro", zero_division=0), float)
    assert_type(score(labels, guesses, average=None), Floats)
assert_type(metrics.fbeta_score(names, names, beta=2, pos_label="spam"), float)
assert_type(metrics.fbeta_score(names, names, beta=2, average=None, labels=["spam"]), Floats)
precision, recall, f1, support = metrics.precision_recall_fscore_support(labels, guesses)
assert_type(precision, Floats)
assert_type(support, npt.NDArray[Any])
assert_type(metrics.precision_recall_fscore_support(labels, guesses, average="macro"), tuple[float, float, float, None])
assert_type(metrics.classification_report(names, names), str)
assert_type(metrics.classification_report(names, names, output_dict=True), dict[str, Any])
assert_type(metrics.accuracy_score(labels, guesses), float)
assert_type(metrics.cohen_kappa_score(labels, guesses, weights="linear"), float)
assert_type(metrics.confusion_matrix(names, names, normalize="true"), npt.NDArray[Any])
assert_type(metrics.class_likelihood_ratios(labels, guesses, replace_undefined_by=1.0)[0], float)
fpr, tpr, thresholds = evalcore.metrics.roc_curve(labels, scores)
assert_type(fpr, Floats)
assert_type(metrics.expected_calibration_error(labels, scores, strategy="quantile", norm="l2"), float)
assert_type(metrics.roc_auc_by_column(labels, scores), Floats)
assert_type(metrics.threshold_at(labels, scores, recall=0.5), float)
assert_type(metrics.expected_cost(labels, scores, false_positive=1, false_negative=5), metrics.BestThreshold)

interval = inference.roc_auc_interval(labels, scores, method="delong-logit")
assert_type(interval, inference.Interval)
assert_type((interval.low, interval.estimate, interval.high), tuple[float, float, float])
low, high = interval
assert_type((low, float(interval), high, f"{interval:.3f}"), tuple[float, float, float, str])
assert_type(inference.recall_interval(names, names, pos_label="spam", method="clopper-pearson"), inference.Interval)
assert_type(inference.proportion_interval(np.int64(1), 2).method, str)
assert_type(inference.bootstrap_interval(labels, scores, "ks", method="bca", seed=0, stratify=True), inference.Interval)
assert_type(inference.bootstrap_intervals(labels, scores, ["ks"], seed=0, stratify=True)["ks"], inference.Interval)
assert_type(inference.compare_roc_auc(labels, [0.1, 0.2, 0.3, 0.25], scores).p_value, float)
assert_type(inference.mcnemar_test(labels, labels, guesses, method="mid-p"), inference.Comparison)
assert_type(inference.holm([0.1, 0.2]), Floats)

summary = streaming.ScoreSummary(cuts=streaming.learn_cuts(labels, scores))
summary.update(labels, scores)
assert_type(summary.roc_auc(), streaming.Certified)
assert_type(summary.roc_auc() + 0.0, float)
assert_type(summary.roc_auc().width, float)
assert_type(summary.roc_curve().fpr, Floats)
assert_type(streaming.ScoreSummary.from_bytes(summary.to_bytes()), streaming.ScoreSummary)

run = ranking.evaluate(names, [1, 0, 2, 1], scores, measures="AP nDCG@10", misses={"ham": 2}, ties="mean")
assert_type(run, ranking.GroupedEvaluation)
assert_type(ranking.from_ids({"q": ["a", "b"]}, {"q": {"a": 1}}).evaluate("AP(rel=2)"), ranking.GroupedEvaluation)
assert_type(run.mean("AP"), float)
assert_type(run.to_dict()["AP"], npt.NDArray[Any])
assert_type(inference.permutation_test(run, run, measure="AP", seed=0, resamples=10), inference.Comparison)

evaluation = evalcore.ScoredPrecisionRecallEvaluation()
evaluation.addCases([True, False], [0.75, 0.25])
assert_type(evaluation.averagePrecision(), float)
assert_type(evaluation.rocCurve(interpolate=False), Floats)
matrix = evalcore.ConfusionMatrix.fromLabels(names, ["ham", "spam", "ham", "ham"])
assert_type(matrix.kappa(), float)
assert_type(evalcore.PrecisionRecallEvaluation.fromCases(labels == 1, [True, True, False, False]).recall(), float)
assert_type(evalcore.PrecisionRecallEvaluation(3, 1, 1, 5).fMeasure(), float)
