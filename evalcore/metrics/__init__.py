"""Measures of labels and scores, under the names and with the signatures that users of scikit-learn 1.9 know.

Its functions on labels, scores, rankings and probabilities of classes are here, `calibration_curve` too; scorers,
displays and measures of regression stay in scikit-learn, and take these functions.  Errors are ValueErrors or
TypeErrors.  Warnings are of `evalcore.metrics.UndefinedMetricWarning`, a UserWarning: filter that class.

What is not in scikit-learn: `roc_auc_by_column` (many models or targets at once), `metric_curves` (counts at every
threshold), `partial_auc`, `precision_at_recall`, `recall_at_precision`, `recall_at_specificity`,
`specificity_at_recall`, `threshold_at`, `optimal_threshold`, `ks_statistic`, `cumulative_gains_curve`, `lift_curve`,
`expected_cost`, `net_benefit`; of probabilities `expected_calibration_error`, `top_label_calibration_error`,
`classwise_calibration_error`, `isotonic_calibration_curve`, `loss_decomposition`, `brier_decomposition`.

`target_prevalence`, after the keywords of scikit-learn, is taken by functions whose values depend on how common
positives are: they reweight the two classes so that this fraction of the cases is positive.  Recall, specificity, and
the ROC curve with its area are the same at any prevalence, and take none.
"""

from evalcore.errors import InvalidParameterError, UndefinedMetricWarning
from evalcore.measures.optima import OptimalThreshold
from evalcore.metrics.agreement import accuracy_score, cohen_kappa_score, hamming_loss, matthews_corrcoef, zero_one_loss
from evalcore.metrics.areas import average_precision_score, roc_auc_score
from evalcore.metrics.calibration import (
    BrierDecomposition,
    IsotonicCurve,
    LossDecomposition,
    brier_decomposition,
    isotonic_calibration_curve,
    loss_decomposition,
)
from evalcore.metrics.class_calibration import classwise_calibration_error, top_label_calibration_error
from evalcore.metrics.class_scores import f1_score, fbeta_score, precision_score, recall_score
from evalcore.metrics.classification_report import classification_report
from evalcore.metrics.columns import roc_auc_by_column
from evalcore.metrics.confusion import (
    balanced_accuracy_score,
    class_likelihood_ratios,
    confusion_matrix,
    multilabel_confusion_matrix,
)
from evalcore.metrics.curves import (
    auc,
    confusion_matrix_at_thresholds,
    det_curve,
    metric_at_thresholds,
    precision_recall_curve,
    roc_curve,
)
from evalcore.metrics.decision_value import BestThreshold, expected_cost, net_benefit
from evalcore.metrics.gains import Gains, cumulative_gains_curve, lift_curve
from evalcore.metrics.hinge import hinge_loss
from evalcore.metrics.optimal_thresholds import optimal_threshold, recall_at_specificity, specificity_at_recall
from evalcore.metrics.precision_recall import jaccard_score, precision_recall_fscore_support
from evalcore.metrics.probabilities import brier_score_loss, calibration_curve, expected_calibration_error, log_loss
from evalcore.metrics.rankings import (
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
)
from evalcore.metrics.skill_scores import d2_brier_score, d2_log_loss_score
from evalcore.metrics.threshold_selection import (
    MetricCurves,
    ks_statistic,
    metric_curves,
    partial_auc,
    precision_at_recall,
    recall_at_precision,
    threshold_at,
)
from evalcore.metrics.top_k_accuracy import top_k_accuracy_score

__all__ = [
    "BestThreshold",
    "BrierDecomposition",
    "Gains",
    "InvalidParameterError",
    "IsotonicCurve",
    "LossDecomposition",
    "MetricCurves",
    "OptimalThreshold",
    "UndefinedMetricWarning",
    "accuracy_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_decomposition",
    "brier_score_loss",
    "calibration_curve",
    "class_likelihood_ratios",
    "classification_report",
    "classwise_calibration_error",
    "cohen_kappa_score",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "coverage_error",
    "cumulative_gains_curve",
    "d2_brier_score",
    "d2_log_loss_score",
    "dcg_score",
    "det_curve",
    "expected_calibration_error",
    "expected_cost",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "hinge_loss",
    "isotonic_calibration_curve",
    "jaccard_score",
    "ks_statistic",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "lift_curve",
    "log_loss",
    "loss_decomposition",
    "matthews_corrcoef",
    "metric_at_thresholds",
    "metric_curves",
    "multilabel_confusion_matrix",
    "ndcg_score",
    "net_benefit",
    "optimal_threshold",
    "partial_auc",
    "precision_at_recall",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_at_precision",
    "recall_at_specificity",
    "recall_score",
    "roc_auc_by_column",
    "roc_auc_score",
    "roc_curve",
    "specificity_at_recall",
    "threshold_at",
    "top_k_accuracy_score",
    "top_label_calibration_error",
    "zero_one_loss",
]
__dir__ = __all__.copy
