"""D² scores and the hinge loss beside scikit-learn's: the same value, or an error or warning of the same kind."""

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
from tests.metrics.comparing import check_same, outcome
from tests.metrics.test_probabilities_against_sklearn import CLASSES, predicted, tolerance_of
from tests.strategies import columns_of

DECISIONS = [-3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 1e6]


def check(name, *arguments, tolerance=1e-12, **options):
    theirs, warned = outcome(getattr(sklearn.metrics, name), *arguments, **options)
    if not isinstance(theirs, Exception) and not math.isfinite(theirs) and len(arguments[0]) > 1:
        warned |= {"UndefinedMetricWarning"}
    check_same(outcome(getattr(metrics, name), *arguments, **options), (theirs, warned), tolerance)


@given(predicted(), st.sampled_from([None, "classes", "more"]), st.sampled_from([None, 1, 0, "yes"]))
def test_d2_scores(case, labels, pos_label):
    y_true, y_proba, weights, classes = case
    labels = {"classes": classes, "more": sorted([*classes, classes[-1] * 2])}.get(labels)
    options, tolerance = {"sample_weight": weights, "labels": labels}, tolerance_of(y_proba)
    check("d2_brier_score", y_true, y_proba, tolerance=tolerance, pos_label=pos_label, **options)
    if len(set(y_true.tolist())) > 1:  # of a single class the loss of the frequency is that of its clipping
        check("d2_log_loss_score", y_true, y_proba, tolerance=tolerance, **options)


@given(columns_of(list(product([False, True], [False, True], [0.25, 0.5, 1.0])), 2, 6))
def test_d2_scores_of_indicators(rows):
    y_true, y_proba = [[a, b] for a, b, _ in rows], [[p, 1 - p] for *_, p in rows]
    if not np.any(y_true):
        assert math.isnan(metrics.d2_log_loss_score(np.array(y_true, int), y_proba))
        return
    for name in ("d2_log_loss_score", "d2_brier_score"):
        check(name, np.array(y_true, int), y_proba, sample_weight=range(1, len(rows) + 1))


def test_d2_scores_of_a_single_class():
    assert metrics.d2_log_loss_score([0, 0], [0.5, 0.5], labels=[0, 1]) == pytest.approx(-math.log(2) * 2**52, rel=1e-9)
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present") as caught:
        found = [metrics.d2_brier_score([0, 0], scores) for scores in ([0.5, 0.5], [0.0, 0.0])]
    assert found == [-math.inf, pytest.approx(math.nan, nan_ok=True)]
    assert caught[0].filename == __file__


def test_d2_scores_are_exact_where_one_weight_dominates():
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
    check("hinge_loss", y_true, decisions, sample_weight=weights, labels=labels)


def test_labels_of_two_classes_say_which_a_single_one_is():
    assert metrics.hinge_loss([1, 1], [0.5, 2.0]) == sklearn.metrics.hinge_loss([1, 1], [0.5, 2.0]) == 2.25
    assert metrics.hinge_loss([1, 1], [0.5, 2.0], labels=[1, 0]) == 0.25


def test_huge_decisions_overflow_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.hinge_loss([0, 1, 2], [[-1e308, 1e308, 0.0]] * 3) == math.inf
