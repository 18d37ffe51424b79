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
from evalcore.measures.thresholds import OptimalThreshold
from evalcore.metrics.areas import average_precision_score, roc_auc_by_column, roc_auc_score
from evalcore.metrics.class_scores import classification_report, f1_score, fbeta_score, precision_score, recall_score
from evalcore.metrics.confusion import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    cohen_kappa_score,
    confusion_matrix,
    hamming_loss,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    zero_one_loss,
)
from evalcore.metrics.curves import (
    auc,
    confusion_matrix_at_thresholds,
    det_curve,
    metric_at_thresholds,
    precision_recall_curve,
    roc_curve,
)
from evalcore.metrics.decisions import jaccard_score, precision_recall_fscore_support
from evalcore.metrics.probabilities import (
    BrierDecomposition,
    IsotonicCurve,
    LossDecomposition,
    brier_decomposition,
    brier_score_loss,
    calibration_curve,
    classwise_calibration_error,
    d2_brier_score,
    d2_log_loss_score,
    expected_calibration_error,
    isotonic_calibration_curve,
    log_loss,
    loss_decomposition,
    top_label_calibration_error,
)
from evalcore.metrics.rankings import (
    coverage_error,
    dcg_score,
    hinge_loss,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
    top_k_accuracy_score,
)
from evalcore.metrics.thresholds import (
    BestThreshold,
    Gains,
    MetricCurves,
    cumulative_gains_curve,
    expected_cost,
    ks_statistic,
    lift_curve,
    metric_curves,
    net_benefit,
    optimal_threshold,
    partial_auc,
    precision_at_recall,
    recall_at_precision,
    recall_at_specificity,
    specificity_at_recall,
    threshold_at,
)

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
