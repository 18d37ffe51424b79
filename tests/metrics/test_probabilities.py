"""Functions of probabilities and decisions beside scikit-learn's: the same value, or errors and warnings alike."""

import math
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from tests.differences import every
from tests.metrics.comparing import check, check_same, outcome
from tests.reference import rankings as slow
from tests.strategies import BLOCKS, block_size, close_to, columns_of

CLASSES = ([0, 1], [-1, 1], [False, True], [2, 5], [0.0, 1.0], ["no", "yes"], [0, 1, 2], ["a", "b", "c"], [0.5, 1])
SINGLE = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0]
ROWS = {
    1: [[0.0], [0.5], [1.0]],
    2: [[0.5, 0.5], [0.25, 0.75], [1, 0], [0.1, 0.9]],
    3: [[0.2, 0.7, 0.1], [0.5, 0.25, 0.25], [0, 0, 1], [1, 0, 0]],
}
DTYPES = st.sampled_from([np.float64, np.float64, np.float32])


@st.composite
def predicted(draw, columns=(None, None, 1, 2, 2, 3, 3)):
    """Draw true classes, probabilities, weights and the classes."""
    size, classes = draw(st.integers(1, 8)), draw(st.sampled_from(CLASSES))
    y_true = np.array(
        draw(columns_of(classes, size)), draw(st.sampled_from([None, object])) if classes[0] == "no" else None
    )
    width = draw(st.sampled_from(columns))
    y_proba = draw(columns_of(SINGLE if width is None else ROWS[width], size))
    weights = draw(st.none() | columns_of([0, 1, 2, 0.5], size))
    return y_true, np.array(y_proba, draw(DTYPES)), weights, classes


def tolerance_of(y_proba):
    """scikit-learn adds float32 losses up in float32."""
    return 1e-12 if y_proba.dtype == np.float64 else 1e-5


@given(predicted(), st.sampled_from([None, "classes", "reversed", "fewer", "more"]), st.booleans(), BLOCKS)
def test_log_loss(case, labels, normalize, block):
    y_true, y_proba, weights, classes = case
    labels = _labels(labels, classes)
    options = {"normalize": normalize, "sample_weight": weights, "labels": labels}
    with block_size(block):
        check("log_loss", y_true, y_proba, tolerance=tolerance_of(y_proba), **options)


@given(
    predicted(),
    st.sampled_from([None, "classes", "reversed", "fewer", "more"]),
    st.sampled_from([None, 1, 0, "yes", "other", 2]),
    st.sampled_from(["auto", True, False]),
    BLOCKS,
)
def test_brier_score_loss(case, labels, pos_label, half, block):
    y_true, y_proba, weights, classes = case
    labels = _labels(labels, classes)
    options = {"sample_weight": weights, "labels": labels, "pos_label": pos_label, "scale_by_half": half}
    with block_size(block):
        check("brier_score_loss", y_true, y_proba, tolerance=tolerance_of(y_proba), **options)


@given(
    predicted(columns=(None, None, 1)),
    st.sampled_from([1, 2, 3, 4, 5, 10, 97, 200]),
    st.sampled_from(["uniform", "quantile"]),
    st.sampled_from([None, None, 1, 0, "yes"]),
    BLOCKS,
)
def test_calibration_curve(case, bins, strategy, pos_label, block):
    y_true, y_prob, _, _ = case
    with block_size(block):
        check("calibration_curve", y_true, y_prob, n_bins=bins, strategy=strategy, pos_label=pos_label)


def _labels(kind, classes):
    more = sorted([*classes, classes[-1] * 2])
    return {"classes": classes, "reversed": classes[::-1], "fewer": classes[:1], "more": more}.get(kind)


@given(
    columns_of(list(product([False, True], SINGLE)), 1, 12),
    st.sampled_from([1, 2, 3, 4, 10]),
    st.sampled_from(["uniform", "quantile"]),
    BLOCKS,
)
def test_expected_calibration_error_is_what_its_definition_says(cases, bins, strategy, block):
    positive, probabilities = (list(column) for column in zip(*cases, strict=True))
    edges = (
        np.linspace(0, 1, bins + 1)[1:-1].tolist() if strategy == "uniform" else slow.equal_masses(probabilities, bins)
    )
    gaps = slow.gaps(probabilities, positive, edges)
    expected = {
        "l1": sum(size * gap for size, gap in gaps) / len(cases),
        "l2": float(sum(size * gap**2 for size, gap in gaps) / len(cases)) ** 0.5,
        "max": max(gap for _, gap in gaps),
    }
    for norm, value in expected.items():
        with block_size(block):
            found = metrics.expected_calibration_error(
                positive, probabilities, n_bins=bins, strategy=strategy, norm=norm, pos_label=True
            )
        assert found == close_to(value, abs=1e-8 if norm == "l2" else 1e-15)


def test_the_clip_is_that_of_the_width_and_a_sum_in_the_units_of_the_weights():
    for dtype in (np.float16, np.float32, np.float64):
        check("log_loss", [0, 1], np.array([1, 0], dtype), tolerance=1e-3)
    loss = metrics.log_loss([0, 1], [0.5, 0.5], normalize=False, sample_weight=[1e-300, 2e-300])
    assert loss == pytest.approx(3e-300 * np.log(2), rel=1e-12, abs=0)


@every("kind", ["integers", "text", "objects", "far"])
def test_classes_of_any_kind(kind):
    random = np.random.default_rng(7)
    proba = random.random((500, 4))
    proba /= proba.sum(axis=1, keepdims=True)
    classes = {"integers": [3, 1, 2, 0], "far": [2**40, -5, 0, 7]}.get(kind, ["d", "aa", "b", ""])
    y_true = np.array(classes, object if kind == "objects" else None)[random.integers(0, 4, 500)]
    for name in ("log_loss", "brier_score_loss"):
        for labels in (None, sorted(classes)):
            check(name, y_true, proba, labels=labels)


OF_CLASSES = ("top_label_calibration_error", "classwise_calibration_error", "d2_log_loss_score", "d2_brier_score")


@every("name", ["log_loss", "brier_score_loss", *OF_CLASSES])
@every("labels", [None, ["b", "a"]])
def test_warnings_point_at_the_caller(name, labels):
    with pytest.warns(UserWarning, match="do not sum to one|ordered lexicographically") as caught:
        getattr(metrics, name)(["a", "b"], [[0.5, 0.25], [0.5, 0.5]], labels=labels)
    assert {warning.filename for warning in caught} == {__file__}


DECISIONS = [-3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 1e6]


def check_skill(name, *arguments, tolerance=1e-12, **options):
    theirs, warned = outcome(getattr(sklearn.metrics, name), *arguments, **options)
    if not isinstance(theirs, Exception) and not math.isfinite(theirs) and len(arguments[0]) > 1:
        warned |= {"UndefinedMetricWarning"}
    check_same(outcome(getattr(metrics, name), *arguments, **options), (theirs, warned), tolerance)


@given(predicted(), st.sampled_from([None, "classes", "more"]), st.sampled_from([None, 1, 0, "yes"]))
def test_d2_scores(case, labels, pos_label):
    y_true, y_proba, weights, classes = case
    labels = {"classes": classes, "more": sorted([*classes, classes[-1] * 2])}.get(labels)
    options, tolerance = {"sample_weight": weights, "labels": labels}, tolerance_of(y_proba)
    check_skill("d2_brier_score", y_true, y_proba, tolerance=tolerance, pos_label=pos_label, **options)
    if len(set(y_true.tolist())) > 1:  # of a single class the loss of the frequency is that of its clipping
        check_skill("d2_log_loss_score", y_true, y_proba, tolerance=tolerance, **options)


@given(columns_of(list(product([False, True], [False, True], [0.25, 0.5, 1.0])), 2, 6))
def test_d2_scores_of_indicators(rows):
    y_true, y_proba = [[a, b] for a, b, _ in rows], [[p, 1 - p] for *_, p in rows]
    if not np.any(y_true):
        assert math.isnan(metrics.d2_log_loss_score(np.array(y_true, int), y_proba))
        return
    for name in ("d2_log_loss_score", "d2_brier_score"):
        check_skill(name, np.array(y_true, int), y_proba, sample_weight=range(1, len(rows) + 1))


def test_d2_scores_of_a_single_class_and_where_one_weight_dominates():
    assert metrics.d2_log_loss_score([0, 0], [0.5, 0.5], labels=[0, 1]) == pytest.approx(-math.log(2) * 2**52, rel=1e-9)
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present") as caught:
        found = [metrics.d2_brier_score([0, 0], scores) for scores in ([0.5, 0.5], [0.0, 0.0])]
    assert found == [-math.inf, pytest.approx(math.nan, nan_ok=True)]
    assert caught[0].filename == __file__
    weights, proba = [1e17, 1.0, 1.0], [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]
    error = Fraction(7, 8) * 2  # of the two light cases
    null = 2 * (Fraction(10**17) * 2 + 1) / (10**17 + 2)
    assert metrics.d2_brier_score([0, 1, 2], proba, sample_weight=weights) == pytest.approx(float(1 - error / null))


@every("name", ["log_loss", "d2_log_loss_score"])
def test_the_former_name_of_the_probabilities(name):
    with pytest.warns(FutureWarning, match="`y_pred` was renamed to `y_proba`") as caught:
        found = getattr(metrics, name)(y_true=[0, 1], y_pred=[0.25, 0.5])
    assert caught[0].filename == __file__
    assert found == getattr(metrics, name)([0, 1], [0.25, 0.5])
    with pytest.raises(EvaluationError, match="Cannot use both `y_pred` and `y_proba`"):
        getattr(metrics, name)([0, 1], [0.25, 0.5], y_pred=[0.25, 0.5])
    with pytest.raises(EvaluationError, match="y_proba"):
        getattr(metrics, name)([0, 1])


@st.composite
def decided(draw):
    """Draw true classes, decision values of a width, weights and the classes."""
    classes = draw(st.sampled_from([each for each in CLASSES if each != [0.5, 1]]))
    size, width = draw(st.integers(1, 7)), draw(st.sampled_from([None, len(classes), len(classes)]))
    decisions = np.reshape(draw(columns_of(DECISIONS, size * (width or 1))), (size, width) if width else size)
    weights = draw(st.none() | columns_of([1, 2, 0.5], size))
    return draw(columns_of(classes, size)), decisions.tolist(), weights, classes


@given(decided(), st.booleans())
def test_hinge_loss(case, given_labels):
    y_true, decisions, weights, classes = case
    labels = classes if given_labels and len(classes) > 2 else None  # of two scikit-learn ignores them
    check_skill("hinge_loss", y_true, decisions, sample_weight=weights, labels=labels)


def test_hinge_losses_of_a_single_label_and_of_huge_decisions():
    assert metrics.hinge_loss([1, 1], [0.5, 2.0]) == sklearn.metrics.hinge_loss([1, 1], [0.5, 2.0]) == 2.25
    assert metrics.hinge_loss([1, 1], [0.5, 2.0], labels=[1, 0]) == 0.25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.hinge_loss([0, 1, 2], [[-1e308, 1e308, 0.0]] * 3) == math.inf


PROBABILITIES = np.array(
    [0.05, 0.1, 0.15, 0.2, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.97]
)
OUTCOMES = np.array([0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
WEIGHTS = np.array([1, 2, 1, 3, 1, 2, 1, 1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 4, 1])
OF_CLASSES = np.array(
    [
        [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.4, 0.35, 0.25], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4],
        [0.05, 0.9, 0.05], [0.25, 0.45, 0.3], [0.7, 0.1, 0.2], [0.15, 0.25, 0.6], [0.33, 0.32, 0.35], [0.1, 0.65, 0.25],
    ]
)  # fmt: skip
OF_THREE = np.array([0, 1, 2, 1, 0, 0, 1, 2, 0, 2, 1, 1])
CASES = st.lists(st.tuples(st.integers(0, 8), st.booleans(), st.integers(1, 3)), min_size=1, max_size=30)


@every(
    ("loss", "weights", "parts"),
    ("brier", None, (0.21674, 0.03173999999999999, 0.065, 0.25)),
    ("brier", WEIGHTS, (0.24340625, 0.06283764097744357, 0.06845482847744358, 0.2490234375)),
    ("log_loss", None, (0.636208598812898, 0.10439218810107143, 0.16133076984811867, 0.6931471805599453)),
    ("log_loss", WEIGHTS, (0.7359072902685615, 0.21211984175425136, 0.16740533348889053, 0.6911927820032007)),
)
def test_parts_of_losses_are_those_of_model_diagnostics(loss, weights, parts):
    """Constants of `decompose` in model-diagnostics 1.5.0."""
    found = metrics.loss_decomposition(OUTCOMES, PROBABILITIES, loss=loss, sample_weight=weights)
    assert list(found) == close_to(list(parts))


@given(CASES, st.sampled_from(["brier", "log_loss"]))
def test_parts_of_losses_add_up_and_are_not_negative(cases, loss):
    probabilities, outcomes, weights = (np.array(column) for column in zip(*cases, strict=True))
    probabilities = (1 + probabilities) / 10
    found = metrics.loss_decomposition(outcomes, probabilities, loss=loss, sample_weight=weights)
    assert found.loss == close_to(found.miscalibration - found.discrimination + found.uncertainty, abs=1e-14)
    assert min(found) >= -1e-14
    repeated = metrics.loss_decomposition(outcomes.repeat(weights), probabilities.repeat(weights), loss=loss)
    assert list(found) == close_to(list(repeated), abs=1e-14)
    pools = metrics.isotonic_calibration_curve(outcomes, probabilities, sample_weight=weights)
    recalibrated = pools.prob_true[pools.high.searchsorted(probabilities)]
    again = metrics.loss_decomposition(outcomes, recalibrated, loss=loss, sample_weight=weights)
    assert again.miscalibration == close_to(0, abs=1e-14)
    assert again.discrimination == close_to(found.discrimination, abs=1e-14)


def test_losses_are_those_of_the_measures_and_a_curve_names_its_pools():
    for loss, measure in (("brier", metrics.brier_score_loss), ("log_loss", metrics.log_loss)):
        found = metrics.loss_decomposition(OUTCOMES, PROBABILITIES, loss=loss, sample_weight=WEIGHTS)
        assert found.loss == close_to(measure(OUTCOMES, PROBABILITIES, sample_weight=WEIGHTS))
    parts = metrics.brier_decomposition(OUTCOMES, PROBABILITIES, sample_weight=WEIGHTS)
    assert parts.brier == close_to(metrics.brier_score_loss(OUTCOMES, PROBABILITIES, sample_weight=WEIGHTS))
    of_one = metrics.brier_decomposition(OUTCOMES, PROBABILITIES.round(1), n_bins=20, strategy="uniform")
    assert of_one.within_bins == close_to(0, abs=1e-15)  # bins of one probability each
    words = np.array(["no", "yes"])[OUTCOMES]
    curve = metrics.isotonic_calibration_curve(words, PROBABILITIES, pos_label="yes")
    assert curve == metrics.isotonic_calibration_curve(OUTCOMES, PROBABILITIES)
    assert curve.prob_true == close_to([0, 0.25, 0.5, 0.6, 0.75, 1])
    assert (curve.low[1], curve.high[1], curve.cases.sum()) == (0.15, 0.3, 20)
    assert curve.prob_true.dtype == curve.cases.dtype == np.float64


@given(CASES)
def test_parts_of_brier_scores_are_their_definitions(cases):
    probabilities, outcomes, weights = (np.array(column) for column in zip(*cases, strict=True))
    probabilities = probabilities / 8
    found = metrics.brier_decomposition(outcomes, probabilities, n_bins=4, sample_weight=weights)
    bins = np.maximum(np.ceil(probabilities * 4), 1)
    overall = np.average(outcomes, weights=weights)
    reliability = resolution = 0.0
    for each in np.unique(bins):
        own = bins == each
        mean, rate = (np.average(column[own], weights=weights[own]) for column in (probabilities, outcomes))
        fraction = weights[own].sum() / weights.sum()
        reliability += fraction * (mean - rate) ** 2
        resolution += fraction * (rate - overall) ** 2
    assert [found.reliability, found.resolution] == close_to([reliability, resolution], abs=1e-14)
    assert found.uncertainty == close_to(overall * (1 - overall), abs=1e-14)
    parts = found.reliability - found.resolution + found.uncertainty + found.within_bins
    assert found.brier == close_to(parts, abs=1e-14)


@every(
    ("error", "norm", "value"),
    (metrics.classwise_calibration_error, "l1", 0.18777777777777774),
    (metrics.classwise_calibration_error, "l2", 0.2155752425144993),
    (metrics.top_label_calibration_error, "l1", 0.2708333333333333),
    (metrics.top_label_calibration_error, "l2", 0.2839148444320742),
)
def test_errors_of_classes_are_those_of_uncertainty_calibration(error, norm, value):
    """Constants of `calibration.utils._get_ce` in uncertainty-calibration 0.1.4, 4 bins, without debiasing."""
    options = {"n_bins": 4, "strategy": "quantile", "norm": norm}
    assert error(OF_THREE, OF_CLASSES, **options) == close_to(value)
    names = np.array(["ash", "elm", "oak"])
    assert error(names[OF_THREE], OF_CLASSES, **options, labels=names) == close_to(value)
    assert error(np.eye(3, dtype=int)[OF_THREE], OF_CLASSES, **options) == close_to(value)


@every("norm", ["l1", "l2", "max"])
@every("strategy", ["uniform", "quantile"])
def test_errors_of_classes_are_those_of_each_class_and_one_column_stands_for_two(norm, strategy):
    options = {"strategy": strategy, "norm": norm, "n_bins": 3}
    weights = np.array([1, 2, 0, 1, 3, 1, 2, 1, 1, 4, 1, 2])
    each = [
        metrics.expected_calibration_error(index == OF_THREE, OF_CLASSES[:, index], sample_weight=weights, **options)
        for index in range(3)
    ]
    whole = {"l1": np.mean, "l2": lambda errors: np.sqrt(np.mean(np.square(errors))), "max": np.max}[norm](each)
    error = metrics.classwise_calibration_error
    assert error(OF_THREE, OF_CLASSES, sample_weight=weights, **options) == close_to(whole)
    top = OF_CLASSES.argmax(axis=1)
    options["sample_weight"] = weights
    of_top = metrics.expected_calibration_error(top == OF_THREE, OF_CLASSES.max(axis=1), **options)
    assert metrics.top_label_calibration_error(OF_THREE, OF_CLASSES, **options) == close_to(of_top)
    both = np.stack([1 - PROBABILITIES, PROBABILITIES], axis=1)
    for error in (metrics.classwise_calibration_error, metrics.top_label_calibration_error):
        assert error(OUTCOMES, PROBABILITIES) == close_to(error(OUTCOMES, both))
