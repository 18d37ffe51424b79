"""How sure a measure is: intervals, and comparisons of two models."""

from evalcore.inference.areas.average_precisions import average_precision_interval
from evalcore.inference.areas.paired_roc_areas import RocAreas, compare_roc_auc, roc_auc_covariance
from evalcore.inference.areas.partial_areas import compare_partial_auc, partial_auc_interval
from evalcore.inference.areas.roc_areas import roc_auc_interval
from evalcore.inference.areas.unpaired_roc_areas import compare_unpaired_roc_auc
from evalcore.inference.calibration.binned import (
    CalibrationBins,
    calibration_curve_intervals,
    calibration_error_interval,
)
from evalcore.inference.calibration.calibration_tests import (
    CalibrationTest,
    cumulative_calibration_test,
    spiegelhalter_test,
)
from evalcore.inference.calibration.consistency import ConsistencyBand, consistency_band
from evalcore.inference.calibration.recalibration import LogisticCalibration, logistic_calibration
from evalcore.inference.curves.curve_bands import (
    CurveBand,
    precision_recall_curve_band,
    roc_curve_band,
    sensitivity_intervals,
    specificity_intervals,
)
from evalcore.inference.curves.decision_curves import (
    DecisionCurve,
    DecisionCurveComparison,
    compare_decision_curves,
    decision_curve,
)
from evalcore.inference.curves.optimal_thresholds import OptimalThresholdInterval, optimal_threshold_interval
from evalcore.inference.curves.threshold_intervals import ThresholdIntervals, threshold_intervals
from evalcore.inference.decisions.agreement import f1_interval, kappa_interval
from evalcore.inference.decisions.classifiers import mcnemar_test
from evalcore.inference.decisions.decision_proportions import (
    accuracy_interval,
    precision_interval,
    prevalence_interval,
    recall_interval,
    specificity_interval,
)
from evalcore.inference.intervals import Comparison, Interval
from evalcore.inference.multiplicity import benjamini_hochberg, holm
from evalcore.inference.planning import (
    StudyDesign,
    area_design,
    paired_areas_design,
    pilot_design,
    power,
    proportion_design,
    sample_size,
)
from evalcore.inference.proportions import proportion_interval
from evalcore.inference.raters.judges import (
    PredictionPoweredInterval,
    corrected_prevalence_interval,
    corrected_proportion_interval,
    prediction_powered_interval,
)
from evalcore.inference.raters.rater_agreement import AgreementInterval, agreement_interval, krippendorff_interval
from evalcore.inference.resampling.bootstrap import bootstrap_comparison, bootstrap_interval, bootstrap_intervals
from evalcore.inference.resampling.paired import paired_t_test, permutation_test

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
    "area_design",
    "average_precision_interval",
    "benjamini_hochberg",
    "bootstrap_comparison",
    "bootstrap_interval",
    "bootstrap_intervals",
    "calibration_curve_intervals",
    "calibration_error_interval",
    "compare_decision_curves",
    "compare_partial_auc",
    "compare_roc_auc",
    "compare_unpaired_roc_auc",
    "consistency_band",
    "corrected_prevalence_interval",
    "corrected_proportion_interval",
    "cumulative_calibration_test",
    "decision_curve",
    "f1_interval",
    "holm",
    "kappa_interval",
    "krippendorff_interval",
    "logistic_calibration",
    "mcnemar_test",
    "optimal_threshold_interval",
    "paired_areas_design",
    "paired_t_test",
    "partial_auc_interval",
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
    "roc_auc_interval",
    "roc_curve_band",
    "sample_size",
    "sensitivity_intervals",
    "specificity_interval",
    "specificity_intervals",
    "spiegelhalter_test",
    "threshold_intervals",
]
