"""How sure a measure is: intervals, and comparisons of two models.

An `Interval` has `estimate`, `low` and `high`, and a `Comparison` the difference, its bounds and a p-value.

- Areas: `roc_auc_interval`, `average_precision_interval`; of two models on the same cases `compare_roc_auc` and, of any
  number, `roc_auc_covariance`; on different cases `compare_unpaired_roc_auc`.
- Curves: `roc_curve_band`, `precision_recall_curve_band`, `sensitivity_at_specificity_intervals` (at specificities),
  `specificity_at_sensitivity_intervals` (at sensitivities).
- Decisions: `accuracy_interval`, `recall_interval` (sensitivity), `specificity_interval`, `precision_interval`
  (positive predictive value), `prevalence_interval`, `f1_interval`, `proportion_interval` of counts,
  `threshold_intervals` at many thresholds, `optimal_threshold_interval` for one chosen on the same cases (Youden, F1,
  cost); of two models `mcnemar_test`.
- Calibration: `logistic_calibration` (slope and intercept), `debiased_calibration_error_interval`,
  `calibration_curve_intervals`, `consistency_band`, `spiegelhalter_test`, `cumulative_calibration_test`.
- Net benefit: `decision_curve`, `compare_decision_curves`.
- Raters and judges that err: `kappa_interval`, `agreement_interval` (Gwet, Fleiss, Conger), `krippendorff_interval`,
  `corrected_proportion_interval`, `corrected_prevalence_interval`, `prediction_powered_interval`.
- Any measure: `bootstrap_interval`, `bootstrap_intervals`, `bootstrap_comparison`; of a value for each case or query
  `paired_t_test`, `permutation_test`; p-values of several tests `holm`, `benjamini_hochberg`.
- Planning: `sample_size` and `power` of an `roc_auc_design`, `paired_roc_auc_design`, `pilot_design` or
  `proportion_design`.

notebooks/which-interval-when.md says which interval answers which question, and how often it holds.
"""

from evalcore.inference.bootstrap import bootstrap_comparison, bootstrap_interval, bootstrap_intervals
from evalcore.inference.calibration import (
    CalibrationBins,
    CalibrationTest,
    ConsistencyBand,
    calibration_curve_intervals,
    consistency_band,
    cumulative_calibration_test,
    debiased_calibration_error_interval,
    spiegelhalter_test,
)
from evalcore.inference.curve_areas import (
    RocAreas,
    average_precision_interval,
    compare_roc_auc,
    compare_unpaired_roc_auc,
    roc_auc_covariance,
    roc_auc_interval,
)
from evalcore.inference.decisions import (
    accuracy_interval,
    f1_interval,
    kappa_interval,
    mcnemar_test,
    precision_interval,
    prevalence_interval,
    recall_interval,
    specificity_interval,
)
from evalcore.inference.intervals import Comparison, Interval, proportion_interval
from evalcore.inference.logits import LogisticCalibration, logistic_calibration
from evalcore.inference.planning import (
    StudyDesign,
    paired_roc_auc_design,
    pilot_design,
    power,
    proportion_design,
    roc_auc_design,
    sample_size,
)
from evalcore.inference.raters import (
    AgreementInterval,
    PredictionPoweredInterval,
    agreement_interval,
    corrected_prevalence_interval,
    corrected_proportion_interval,
    krippendorff_interval,
    prediction_powered_interval,
)
from evalcore.inference.significance_tests import benjamini_hochberg, holm, paired_t_test, permutation_test
from evalcore.inference.thresholds import (
    CurveBand,
    DecisionCurve,
    DecisionCurveComparison,
    OptimalThresholdInterval,
    ThresholdIntervals,
    compare_decision_curves,
    decision_curve,
    optimal_threshold_interval,
    precision_recall_curve_band,
    roc_curve_band,
    sensitivity_at_specificity_intervals,
    specificity_at_sensitivity_intervals,
    threshold_intervals,
)

__all__ = [
    "AgreementInterval",
    "CalibrationBins",
    "CalibrationTest",
    "Comparison",
    "ConsistencyBand",
    "CurveBand",
    "DecisionCurve",
    "DecisionCurveComparison",
    "Interval",
    "LogisticCalibration",
    "OptimalThresholdInterval",
    "PredictionPoweredInterval",
    "RocAreas",
    "StudyDesign",
    "ThresholdIntervals",
    "accuracy_interval",
    "agreement_interval",
    "average_precision_interval",
    "benjamini_hochberg",
    "bootstrap_comparison",
    "bootstrap_interval",
    "bootstrap_intervals",
    "calibration_curve_intervals",
    "compare_decision_curves",
    "compare_roc_auc",
    "compare_unpaired_roc_auc",
    "consistency_band",
    "corrected_prevalence_interval",
    "corrected_proportion_interval",
    "cumulative_calibration_test",
    "debiased_calibration_error_interval",
    "decision_curve",
    "f1_interval",
    "holm",
    "kappa_interval",
    "krippendorff_interval",
    "logistic_calibration",
    "mcnemar_test",
    "optimal_threshold_interval",
    "paired_roc_auc_design",
    "paired_t_test",
    "permutation_test",
    "pilot_design",
    "power",
    "precision_interval",
    "precision_recall_curve_band",
    "prediction_powered_interval",
    "prevalence_interval",
    "proportion_design",
    "proportion_interval",
    "recall_interval",
    "roc_auc_covariance",
    "roc_auc_design",
    "roc_auc_interval",
    "roc_curve_band",
    "sample_size",
    "sensitivity_at_specificity_intervals",
    "specificity_at_sensitivity_intervals",
    "specificity_interval",
    "spiegelhalter_test",
    "threshold_intervals",
]
__dir__ = __all__.copy
