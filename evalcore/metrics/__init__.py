"""Measures of labels and scores, under the names and with the signatures that users of scikit-learn 1.9 know.

scikit-learn's functions on labels, scores, rankings and probabilities of classes are here, also `calibration_curve`;
scorers, displays and measures of regression stay in scikit-learn, and take these functions.  Errors are ValueErrors or
TypeErrors.  Warnings are of `evalcore.metrics.UndefinedMetricWarning`, a UserWarning: filter that class.

What is not in scikit-learn: `roc_auc_by_column` (many models or targets at once), `metric_curves` (counts at every
threshold), `partial_auc`, `precision_at_recall`, `recall_at_precision`, `recall_at_specificity`,
`specificity_at_recall`, `threshold_at`, `optimal_threshold`, `ks_statistic`, `cumulative_gains_curve`, `lift_curve`,
`expected_cost`, `net_benefit`; of probabilities `expected_calibration_error`, `top_label_calibration_error`,
`classwise_calibration_error`, `isotonic_calibration_curve`, `loss_decomposition`, `brier_decomposition`.

Functions whose values depend on how common positives are take `target_prevalence`, after the keywords of scikit-learn:
they reweight the two classes so that this fraction of the cases is positive.  Recall, specificity, and the ROC curve
with its area are the same at any prevalence, and do not take it.
"""

import typing as _typing

from evalcore.errors import InvalidParameterError as InvalidParameterError
from evalcore.errors import UndefinedMetricWarning as UndefinedMetricWarning
from evalcore.measures.thresholds import OptimalThreshold as OptimalThreshold
from evalcore.metrics.areas import average_precision_score as average_precision_score
from evalcore.metrics.areas import roc_auc_by_column as roc_auc_by_column
from evalcore.metrics.areas import roc_auc_score as roc_auc_score
from evalcore.metrics.class_scores import classification_report as classification_report
from evalcore.metrics.class_scores import f1_score as f1_score
from evalcore.metrics.class_scores import fbeta_score as fbeta_score
from evalcore.metrics.class_scores import precision_score as precision_score
from evalcore.metrics.class_scores import recall_score as recall_score
from evalcore.metrics.confusion import accuracy_score as accuracy_score
from evalcore.metrics.confusion import balanced_accuracy_score as balanced_accuracy_score
from evalcore.metrics.confusion import class_likelihood_ratios as class_likelihood_ratios
from evalcore.metrics.confusion import cohen_kappa_score as cohen_kappa_score
from evalcore.metrics.confusion import confusion_matrix as confusion_matrix
from evalcore.metrics.confusion import hamming_loss as hamming_loss
from evalcore.metrics.confusion import matthews_corrcoef as matthews_corrcoef
from evalcore.metrics.confusion import multilabel_confusion_matrix as multilabel_confusion_matrix
from evalcore.metrics.confusion import zero_one_loss as zero_one_loss
from evalcore.metrics.curves import auc as auc
from evalcore.metrics.curves import confusion_matrix_at_thresholds as confusion_matrix_at_thresholds
from evalcore.metrics.curves import det_curve as det_curve
from evalcore.metrics.curves import metric_at_thresholds as metric_at_thresholds
from evalcore.metrics.curves import precision_recall_curve as precision_recall_curve
from evalcore.metrics.curves import roc_curve as roc_curve
from evalcore.metrics.decisions import jaccard_score as jaccard_score
from evalcore.metrics.decisions import precision_recall_fscore_support as precision_recall_fscore_support
from evalcore.metrics.probabilities import BrierDecomposition as BrierDecomposition
from evalcore.metrics.probabilities import IsotonicCurve as IsotonicCurve
from evalcore.metrics.probabilities import LossDecomposition as LossDecomposition
from evalcore.metrics.probabilities import brier_decomposition as brier_decomposition
from evalcore.metrics.probabilities import brier_score_loss as brier_score_loss
from evalcore.metrics.probabilities import calibration_curve as calibration_curve
from evalcore.metrics.probabilities import classwise_calibration_error as classwise_calibration_error
from evalcore.metrics.probabilities import d2_brier_score as d2_brier_score
from evalcore.metrics.probabilities import d2_log_loss_score as d2_log_loss_score
from evalcore.metrics.probabilities import expected_calibration_error as expected_calibration_error
from evalcore.metrics.probabilities import isotonic_calibration_curve as isotonic_calibration_curve
from evalcore.metrics.probabilities import log_loss as log_loss
from evalcore.metrics.probabilities import loss_decomposition as loss_decomposition
from evalcore.metrics.probabilities import top_label_calibration_error as top_label_calibration_error
from evalcore.metrics.rankings import coverage_error as coverage_error
from evalcore.metrics.rankings import dcg_score as dcg_score
from evalcore.metrics.rankings import hinge_loss as hinge_loss
from evalcore.metrics.rankings import label_ranking_average_precision_score as label_ranking_average_precision_score
from evalcore.metrics.rankings import label_ranking_loss as label_ranking_loss
from evalcore.metrics.rankings import ndcg_score as ndcg_score
from evalcore.metrics.rankings import top_k_accuracy_score as top_k_accuracy_score
from evalcore.metrics.thresholds import BestThreshold as BestThreshold
from evalcore.metrics.thresholds import Gains as Gains
from evalcore.metrics.thresholds import MetricCurves as MetricCurves
from evalcore.metrics.thresholds import cumulative_gains_curve as cumulative_gains_curve
from evalcore.metrics.thresholds import expected_cost as expected_cost
from evalcore.metrics.thresholds import ks_statistic as ks_statistic
from evalcore.metrics.thresholds import lift_curve as lift_curve
from evalcore.metrics.thresholds import metric_curves as metric_curves
from evalcore.metrics.thresholds import net_benefit as net_benefit
from evalcore.metrics.thresholds import optimal_threshold as optimal_threshold
from evalcore.metrics.thresholds import partial_auc as partial_auc
from evalcore.metrics.thresholds import precision_at_recall as precision_at_recall
from evalcore.metrics.thresholds import recall_at_precision as recall_at_precision
from evalcore.metrics.thresholds import recall_at_specificity as recall_at_specificity
from evalcore.metrics.thresholds import specificity_at_recall as specificity_at_recall
from evalcore.metrics.thresholds import threshold_at as threshold_at

if not _typing.TYPE_CHECKING:  # checkers take the names from the imports
    __all__ = [name for name, value in sorted(globals().items()) if hasattr(value, "__module__") and name[0] != "_"]
    __dir__ = __all__.copy
