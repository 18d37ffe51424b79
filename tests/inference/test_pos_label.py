"""The positive class is found as in `evalcore.metrics`, wherever labels and scores or decisions go in."""

import warnings
from functools import partial

import numpy as np
import pytest

from evalcore import EvaluationError, EvaluationTypeError, distributed, inference, metrics
from evalcore.streaming import ScoreSummary, learn_cuts
from tests.differences import every

RNG = np.random.default_rng(17)
POSITIVE = RNG.random(60) < 0.4
SCORES, OTHERS = RNG.normal(POSITIVE), RNG.normal(POSITIVE)
PREDICTED = SCORES > 0.5
CODINGS = [
    ((0, 1), {}),
    ((-1, 1), {}),
    ((0.0, 1.0), {}),
    (("ham", "spam"), {"pos_label": "spam"}),
    ((3, 2), {"pos_label": 2}),
]
"""The negative and the positive label, and what must be said of them."""


def bootstrapped(function):
    return partial(function, resamples=4, level=0.5, seed=1)


def summary_of(y_true, scores, **options):
    summary = ScoreSummary(8, learn_cuts(y_true, scores, 8, **options))
    summary.update(y_true, scores, **options)
    return summary


def certified(y_true, scores, **options):
    array, config = pytest.importorskip("dask.array"), pytest.importorskip("dask.config")
    given = [array.from_array(np.asarray(column), chunks=30) for column in (y_true, scores)]
    with config.set(scheduler="synchronous"):
        return distributed.roc_auc_score(*given, **options)


SCORED = {
    "area": lambda y, **o: inference.roc_auc_interval(y, SCORES, **o),
    "areas": lambda y, **o: inference.compare_roc_auc(y, OTHERS, SCORES, **o),
    "unpaired": lambda y, **o: inference.compare_unpaired_roc_auc(y, OTHERS, y, SCORES, **o),
    "covariance": lambda y, **o: inference.roc_auc_covariance(y, [SCORES, OTHERS], **o).covariance.tolist(),
    "AP": lambda y, **o: inference.average_precision_interval(y, SCORES, **o),
    "prevalence": inference.prevalence_interval,
    "bootstrap": lambda y, **o: bootstrapped(inference.bootstrap_interval)(y, SCORES, **o),
    "several": lambda y, **o: bootstrapped(inference.bootstrap_intervals)(y, SCORES, ["ks"], **o),
    "comparison": lambda y, **o: bootstrapped(inference.bootstrap_comparison)(y, SCORES, OTHERS, **o),
    "summary": lambda y, **o: summary_of(y, SCORES, **o),
}
DECIDED = (
    inference.precision_interval, inference.recall_interval, inference.specificity_interval, inference.f1_interval,
)  # fmt: skip


def coded(labels, coding):
    return np.array(coding)[labels.astype(int)]


@pytest.fixture(scope="module")
def expected():
    return {name: function(POSITIVE) for name, function in SCORED.items()}


@every(("coding", "options"), CODINGS)
def test_labels_of_any_coding_give_the_same(coding, options, expected):
    labels, responses = coded(POSITIVE, coding), coded(PREDICTED, coding)
    for name, function in SCORED.items():
        assert function(labels if isinstance(coding[0], str) else labels.tolist(), **options) == expected[name], name
    for interval in DECIDED:
        assert interval(labels, responses, **options) == interval(POSITIVE, PREDICTED)
    assert certified(labels, SCORES, **options) == metrics.roc_auc_score(POSITIVE, SCORES)


@every(
    ("labels", "options"),
    [
        (["a", "b"], {}),
        ([0, 2], {}),
        ([0, 1, 2], {}),
        ([0.5, 1], {}),
        ([0, np.nan], {}),
        (["a", "b"], {"pos_label": "c"}),
        ([0, 1], {"pos_label": 2}),
        ([0, 1], {"pos_label": "1"}),
        ([0, 1], {"pos_label": [1]}),
        (["a", "b", "c"], {"pos_label": "d"}),
    ],
)
def test_errors_are_those_of_metrics(labels, options):
    def text_of(function, *columns):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                function(*columns, **options)
            except (EvaluationError, EvaluationTypeError) as error:
                return str(error).split(" must be ")[-1]
        return None

    labels = np.resize(np.array(labels), 60)
    for name, function in SCORED.items():
        # of an unknown class scikit-learn's curves only warn
        expected = text_of(metrics.roc_curve, labels, SCORES) or text_of(metrics.metric_curves, labels, SCORES)
        if name == "unpaired" and expected is not None:
            expected = expected.replace("y_true", "y_true_new")
        assert text_of(function, labels) == expected, name
    expected = text_of(metrics.precision_score, labels, labels)
    if expected is not None and "another average setting" in expected:  # which intervals do not have
        expected = "y_true and y_pred hold more than two classes; compare one with the rest, as y == c"
    for interval in DECIDED:
        assert text_of(interval, labels, labels) == expected


def test_decisions_in_two_codings_are_three_classes():
    for first, second in ((coded(POSITIVE, (-1, 1)), PREDICTED), (POSITIVE.astype(int), coded(PREDICTED, (-1, 1)))):
        with pytest.raises(EvaluationError, match="hold more than two classes"):
            inference.recall_interval(first, second)
    ones = np.ones(3, int)  # of either coding
    assert inference.recall_interval(ones, [-1, 1, 1]).estimate == inference.recall_interval(ones, [0, 1, 1]).estimate
