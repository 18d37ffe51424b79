"""How certain a measure is: intervals, tests, and comparisons of two models.

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
- Outcomes, one value for each case: `mean_interval`.
- Any measure: `bootstrap_interval`, `bootstrap_intervals`, `bootstrap_comparison`; of a value for each case or query
  `paired_t_test`, `permutation_test`; p-values of several tests `holm`, `benjamini_hochberg`.
- Planning: `sample_size` and `power` of an `roc_auc_design`, `paired_roc_auc_design`, `pilot_design` or
  `proportion_design`.

notebooks/which-interval-when.md says which interval answers which question, and how often it contains the true value.
"""

import typing as _typing

from evalcore.inference.bootstrap import bootstrap_comparison as bootstrap_comparison
from evalcore.inference.bootstrap import bootstrap_interval as bootstrap_interval
from evalcore.inference.bootstrap import bootstrap_intervals as bootstrap_intervals
from evalcore.inference.calibration import CalibrationBins as CalibrationBins
from evalcore.inference.calibration import CalibrationTest as CalibrationTest
from evalcore.inference.calibration import ConsistencyBand as ConsistencyBand
from evalcore.inference.calibration import calibration_curve_intervals as calibration_curve_intervals
from evalcore.inference.calibration import consistency_band as consistency_band
from evalcore.inference.calibration import cumulative_calibration_test as cumulative_calibration_test
from evalcore.inference.calibration import debiased_calibration_error_interval as debiased_calibration_error_interval
from evalcore.inference.calibration import spiegelhalter_test as spiegelhalter_test
from evalcore.inference.curve_areas import RocAreas as RocAreas
from evalcore.inference.curve_areas import average_precision_interval as average_precision_interval
from evalcore.inference.curve_areas import compare_roc_auc as compare_roc_auc
from evalcore.inference.curve_areas import compare_unpaired_roc_auc as compare_unpaired_roc_auc
from evalcore.inference.curve_areas import roc_auc_covariance as roc_auc_covariance
from evalcore.inference.curve_areas import roc_auc_interval as roc_auc_interval
from evalcore.inference.decisions import accuracy_interval as accuracy_interval
from evalcore.inference.decisions import f1_interval as f1_interval
from evalcore.inference.decisions import kappa_interval as kappa_interval
from evalcore.inference.decisions import mcnemar_test as mcnemar_test
from evalcore.inference.decisions import precision_interval as precision_interval
from evalcore.inference.decisions import prevalence_interval as prevalence_interval
from evalcore.inference.decisions import recall_interval as recall_interval
from evalcore.inference.decisions import specificity_interval as specificity_interval
from evalcore.inference.intervals import Comparison as Comparison
from evalcore.inference.intervals import Interval as Interval
from evalcore.inference.intervals import proportion_interval as proportion_interval
from evalcore.inference.logits import LogisticCalibration as LogisticCalibration
from evalcore.inference.logits import logistic_calibration as logistic_calibration
from evalcore.inference.outcomes import mean_interval as mean_interval
from evalcore.inference.planning import StudyDesign as StudyDesign
from evalcore.inference.planning import paired_roc_auc_design as paired_roc_auc_design
from evalcore.inference.planning import pilot_design as pilot_design
from evalcore.inference.planning import power as power
from evalcore.inference.planning import proportion_design as proportion_design
from evalcore.inference.planning import roc_auc_design as roc_auc_design
from evalcore.inference.planning import sample_size as sample_size
from evalcore.inference.raters import AgreementInterval as AgreementInterval
from evalcore.inference.raters import PredictionPoweredInterval as PredictionPoweredInterval
from evalcore.inference.raters import agreement_interval as agreement_interval
from evalcore.inference.raters import corrected_prevalence_interval as corrected_prevalence_interval
from evalcore.inference.raters import corrected_proportion_interval as corrected_proportion_interval
from evalcore.inference.raters import krippendorff_interval as krippendorff_interval
from evalcore.inference.raters import prediction_powered_interval as prediction_powered_interval
from evalcore.inference.significance_tests import benjamini_hochberg as benjamini_hochberg
from evalcore.inference.significance_tests import holm as holm
from evalcore.inference.significance_tests import paired_t_test as paired_t_test
from evalcore.inference.significance_tests import permutation_test as permutation_test
from evalcore.inference.thresholds import CurveBand as CurveBand
from evalcore.inference.thresholds import DecisionCurve as DecisionCurve
from evalcore.inference.thresholds import DecisionCurveComparison as DecisionCurveComparison
from evalcore.inference.thresholds import OptimalThresholdInterval as OptimalThresholdInterval
from evalcore.inference.thresholds import ThresholdIntervals as ThresholdIntervals
from evalcore.inference.thresholds import compare_decision_curves as compare_decision_curves
from evalcore.inference.thresholds import decision_curve as decision_curve
from evalcore.inference.thresholds import optimal_threshold_interval as optimal_threshold_interval
from evalcore.inference.thresholds import precision_recall_curve_band as precision_recall_curve_band
from evalcore.inference.thresholds import roc_curve_band as roc_curve_band
from evalcore.inference.thresholds import sensitivity_at_specificity_intervals as sensitivity_at_specificity_intervals
from evalcore.inference.thresholds import specificity_at_sensitivity_intervals as specificity_at_sensitivity_intervals
from evalcore.inference.thresholds import threshold_intervals as threshold_intervals

if not _typing.TYPE_CHECKING:  # checkers take the names from the imports
    __all__ = [name for name, value in sorted(globals().items()) if hasattr(value, "__module__") and name[0] != "_"]
    __dir__ = __all__.copy
