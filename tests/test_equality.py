"""Objects of every public class compare by what they hold, or by identity where the docstring says so."""

import copy
import importlib
import inspect
import pickle
from functools import partial

import numpy as np
import pytest

import evalcore
from evalcore import compare, evaluate, inference, metrics, ranking
from evalcore.equality import same
from evalcore.streaming import Certified, ScoreSummary
from tests.differences import every

AB = ["a", "b"]
TRUTH, SCORES = [0, 1, 0, 1, 1], [0.1, 0.3, 0.35, 0.8, np.inf]
MODULES = (
    "evalcore",
    *(f"evalcore.{name}" for name in ("distributed", "inference", "metrics", "ranking", "saving", "streaming")),
)
BY_IDENTITY = {
    name for name in evalcore.__all__ if name.endswith("ClassifierEvaluator")
} | {"ClassifierAdapter", "Saved"}  # fmt: skip
"""Classes that hold a model, and the parent of those that are saved."""

RATINGS = [0, 1], [1, 1], [0, 0], [1, 1]


def filled(cls, *cases):
    evaluation = cls()
    for case in cases:
        getattr(evaluation, "update" if cls is ScoreSummary else "addCases")(*case)
    return evaluation


def contingency(*categories):
    experiment = evalcore.Contingency(categories)
    experiment.add_result("b", ["a", "b"])
    return experiment


def classified(value):
    return evalcore.Classified(value, evalcore.Classification("a"))


def undefined(level=0.95):
    return inference.Interval(float("nan"), float("nan"), 1.0, level, "wilson")


def report(last):
    return evaluate({"late": TRUTH, "model": [0.1, 0.2, 0.3, 0.4, last]}, label="late", score="model")


def comparison(last):
    columns = {"late": TRUTH, "old": TRUTH, "model": [0.1, 0.2, 0.3, 0.4, last]}
    return compare(columns, label="late", score="model", old_score="old")


def compared(score):
    return inference.compare_roc_auc(TRUTH, [0.5, 0.4, 0.3, 0.2, score], SCORES)


PROBABILITIES = [0.2, 0.6, 0.4, 0.3, 0.7]
CASES = [True, False], [0.5, np.inf]
AGAIN = PROBABILITIES[::-1]
QUESTION = TRUTH, [0.5] * 5
DRAWN = {"seed": 1, "resamples": 40}
PAIRS = {  # by class: what makes an object, its arguments, and those of another one
    "Classification": (evalcore.Classification, ("a",), ("b",)),
    "RankedClassification": (evalcore.RankedClassification, (AB,), (["b", "a"],)),
    "ScoredClassification": (evalcore.ScoredClassification, (AB, [2, 1]), (AB, [3, 1])),
    "ConditionalClassification": (evalcore.ConditionalClassification, (AB, [0.75, 0.25]), (AB, [1, 0])),
    "JointClassification": (evalcore.JointClassification, (AB, [-1, -2]), (AB, [-1, -3])),
    "Classified": (classified, (np.arange(3.0),), (np.arange(2),)),
    "ConfusionMatrix": (evalcore.ConfusionMatrix, (AB, [[1, 2], [3, 4]]), (AB,)),
    "Contingency": (contingency, AB, ("b",)),
    "PrecisionRecallEvaluation": (evalcore.PrecisionRecallEvaluation, (2**70, 1), (2**70, 2)),
    "ScoredPrecisionRecallEvaluation": (partial(filled, evalcore.ScoredPrecisionRecallEvaluation), (CASES,), ()),
    "ScoreSummary": (partial(filled, ScoreSummary), (CASES,), (CASES, ([True], [0.25]))),
    "Certified": (Certified, (0.5, 0.75), (0.5, 0.5)),
    "Interval": (undefined, (), (0.9,)),
    "Comparison": (compared, (0.1,), (0.6,)),
    "AgreementInterval": (lambda of: of(RATINGS), (inference.agreement_interval,), (inference.krippendorff_interval,)),
    "PredictionPoweredInterval": (inference.prediction_powered_interval, ([1, 0, 1], [1, 0, 0], [1, 0]), ([1, 0, 1],
                                  [1, 0, 1], [1, 0])),
    "RocAreas": (inference.roc_auc_covariance, (TRUTH, [SCORES]), (TRUTH, [TRUTH])),
    "DecisionCurve": (inference.decision_curve, QUESTION, (TRUTH, [0.6] * 5)),
    "DecisionCurveComparison": (partial(inference.compare_decision_curves, *QUESTION, [0.6] * 5), ([0.2],), ([0.55],)),
    "OptimalThresholdInterval": (partial(inference.optimal_threshold_interval, [0, 1] * 9, range(18), **DRAWN), (),
                                 ("f1",)),
    "OptimalThreshold": (metrics.optimal_threshold, (TRUTH, TRUTH), (TRUTH, [0, 1, 2, 3, 4])),
    "IsotonicCurve": (metrics.isotonic_calibration_curve, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "LossDecomposition": (metrics.loss_decomposition, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "BrierDecomposition": (metrics.brier_decomposition, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "CalibrationBins": (inference.calibration_curve_intervals, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "CalibrationTest": (inference.spiegelhalter_test, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "ConsistencyBand": (partial(inference.consistency_band, **DRAWN), (PROBABILITIES,), (PROBABILITIES[:4],)),
    "LogisticCalibration": (inference.logistic_calibration, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "CurveBand": (inference.roc_curve_band, (TRUTH, PROBABILITIES), (TRUTH, AGAIN)),
    "ThresholdIntervals": (partial(inference.threshold_intervals, TRUTH, PROBABILITIES), ([0.5],), ([0.2],)),
    "StudyDesign": (inference.roc_auc_design, (0.8,), (0.7,)),
    "BestThreshold": (metrics.BestThreshold, (0.5, np.inf), (0.5, 0.0)),
    "MetricCurves": (metrics.metric_curves, (TRUTH, [1, 2, 3, 4, 5]), (TRUTH, TRUTH)),
    "Gains": (metrics.lift_curve, (TRUTH, [1, 2, 3, 4, 5]), (TRUTH, TRUTH)),
    "RocCurve": (lambda *given: filled(ScoreSummary, *given).roc_curve(), (CASES,), ()),
    "PrecisionRecallCurve": (lambda *given: filled(ScoreSummary, *given).precision_recall_curve(), (CASES,), ()),
    "SummaryIntervals": (lambda *given: filled(ScoreSummary, *given).intervals, (CASES,), ()),
    "GroupedEvaluation": (lambda name: ranking.evaluate(["a", name], [1, 0], [1, 2], measures="AUC"), ("b",), ("c",)),
    "JudgedRankings": (ranking.from_ids, ({"q": ["a"]}, {"q": {"a": 1}}), ({"q": ["a"]}, {"q": ["b"]})),
    "Measure": (ranking.parse, ("AP",), ("RR",)),
    "Snapshot": (lambda kind: filled(kind, CASES)._snapshot(), (evalcore.ScoredPrecisionRecallEvaluation,),
                 (ScoreSummary,)),
    "Report": (report, (0.5,), (0.0,)),
    "Record": (lambda last: report(last)["model"], (0.5,), (0.0,)),
    "ComparisonReport": (comparison, (0.5,), (0.0,)),
}  # fmt: skip


def test_no_class_is_forgotten_and_mutable_ones_cannot_be_hashed():
    members = [getattr(importlib.import_module(module), name) for module in MODULES
               for name in importlib.import_module(module).__all__]  # fmt: skip
    names = {each.__name__ for each in members if inspect.isclass(each) and not issubclass(each, Exception)}
    assert names <= {*PAIRS, *BY_IDENTITY}
    for name in ("ScoredPrecisionRecallEvaluation", "PrecisionRecallEvaluation", "ConfusionMatrix", "Contingency"):
        assert type(PAIRS[name][0](*PAIRS[name][1])).__hash__ is None
    for name in BY_IDENTITY - {"Saved"}:
        cls = getattr(evalcore, name)
        assert cls.__eq__ is object.__eq__
        assert any("only to itself" in (parent.__doc__ or "") for parent in cls.__mro__)
    record = report(0.5)["model"]
    assert np.isnan(record["precision_at_10"])
    assert record == pickle.loads(pickle.dumps(record)) == dict(record)
    assert record != {**record, "cases": 6}
    assert contingency(*AB) == contingency("b", "a")
    assert evalcore.ConfusionMatrix(AB) != evalcore.ConfusionMatrix(["b", "a"])  # whose rows have an order


@every("name", PAIRS)
def test_objects_are_equal_where_their_contents_are(name):
    function, given, others = PAIRS[name]
    make, other = partial(function, *given), function(*others)
    one = make()
    assert type(one).__name__ == name
    protocols = range(6) if name == "Certified" else range(2, 6)
    again = [make(), copy.copy(one), copy.deepcopy(one), *(pickle.loads(pickle.dumps(one, each)) for each in protocols)]
    for equal in again:
        assert [one == equal, one != equal, one == other, one != other] == [True, False, False, True]
    assert [one == "text", one != "text"] == [False, True]
    if getattr(type(one).__eq__, "__module__", "") == "evalcore.equality":  # others hold no arrays
        assert [one == np.arange(3), one != np.arange(3)] == [False, True]
    if getattr(type(one), "__hash__", None) is None:
        with pytest.raises(TypeError, match="unhashable type"):
            hash(one)
    elif name != "Classified":  # which has the hash of its object, if that has one
        assert {hash(equal) for equal in again} == {hash(one)}


class Vague:
    """Something whose `==` is no Boolean, as of a data frame."""

    __hash__ = None

    def __eq__(self, other):
        return np.array([True, False])


@every(
    ("first", "second", "equal"),
    (float("nan"), float("nan"), True),
    (float("nan"), 1.0, False),
    (np.float32("nan"), np.float64("nan"), True),
    (np.array([1.0, np.nan]), np.array([1.0, np.nan], np.float32), True),
    (np.array(["a"]), np.array(["a"], object), True),
    (np.array([1]), np.array(["1"]), False),
    (np.array([np.nan], object), np.array([float("nan")], object), True),
    (np.array([1]), [1], False),
    ({"a": [1], "b": 2}, {"b": 2, "a": [1]}, True),
    ({"a": 1}, {"b": 1}, False),
    ((1, 2), (1, 2, 3), False),
    ([1], (1,), False),
    (Vague(), Vague(), False),
)
def test_what_is_the_same(first, second, equal):
    assert same(first, second) is same(second, first) is equal
