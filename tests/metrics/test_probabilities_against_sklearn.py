"""Functions on probabilities beside scikit-learn's: the same value, or an error or warning of the same kind."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import metrics
from tests.differences import every
from tests.metrics.comparing import check
from tests.reference import label_rankings as slow
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


@given(columns_of(list(product([False, True], SINGLE, range(4))), 1, 12))
def test_weights_count_as_repeated_cases(cases):
    repeated = [case for case in cases for _ in range(case[2])]
    if len({case[0] for case in repeated}) < 2:
        return
    truth, probabilities, weights = zip(*cases, strict=True)
    quantiles = [{"strategy": "quantile", "n_bins": bins} for bins in (1, 2, 3, 7)]
    asked = [(metrics.log_loss, {}), (metrics.brier_score_loss, {})]
    for function, option in asked + [(metrics.expected_calibration_error, option) for option in quantiles]:
        weighted = function(truth, probabilities, sample_weight=weights, **option)
        assert weighted == close_to(function(*list(zip(*repeated, strict=True))[:2], **option), abs=1e-15)


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


@every("name", ["log_loss", "brier_score_loss"])
@every("labels", [None, ["b", "a"]])
def test_warnings_point_at_the_caller(name, labels):
    with pytest.warns(UserWarning, match="do not sum to one|ordered lexicographically") as caught:
        getattr(metrics, name)(["a", "b"], [[0.5, 0.25], [0.5, 0.5]], labels=labels)
    assert {warning.filename for warning in caught} == {__file__}
