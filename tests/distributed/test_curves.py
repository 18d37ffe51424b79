"""Curves of partitioned cases go through points of the curve of all cases, and are within the tolerance of it."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalcore import EvaluationError, EvaluationTypeError, metrics
from evalcore.distributed import precision_recall_curve, roc_curve
from tests.differences import every
from tests.distributed.parted import equally, in_chunks, parted, partitioned, random_cases
from tests.strategies import cases_of

CURVES = {roc_curve: metrics.roc_curve, precision_recall_curve: metrics.precision_recall_curve}
DRAWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
TOLERANCES = st.sampled_from([1e-4, 0.001, 0.01, 0.1, 0.5])
SMALLEST = ((cases_of([(0.5, True), (0.25, False), (0.25, True)]), [2, 1]), 1e-6)  # which takes millions of columns
pytestmark = pytest.mark.usefixtures("at_once")


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.asarray(column) for column in function(*arguments, **options)]


def lines(curve):
    """Points as (p, 2); undefined rates lie on an axis."""
    return np.nan_to_num(np.column_stack(curve[:2]))


def distance(points, line):
    """How far the furthest of some points is from straight lines between others."""
    begin, end = line[:-1], line[1:]
    along = end - begin
    squares = np.maximum((along**2).sum(axis=1), 1e-300)
    fraction = np.clip(((points[:, None] - begin) * along).sum(axis=2) / squares, 0, 1)
    near = begin + fraction[..., None] * along
    return float(np.sqrt(((points[:, None] - near) ** 2).sum(axis=2)).min(axis=1).max())


def assert_all_points_are_of(few, whole, atol=0):
    """Every point is that of the whole curve at the same threshold."""
    ranks = {threshold: rank for rank, threshold in enumerate(whole[2].astype(np.float64).tolist())}
    chosen = [ranks[threshold] for threshold in few[2].tolist()]
    for column, full in zip(few[:2], whole[:2], strict=True):
        np.testing.assert_allclose(column[: len(chosen)], full[chosen], rtol=0, atol=atol)


@pytest.mark.parametrize("curve", CURVES)
@DRAWN
@given(partitioned(finite=True, least=1), TOLERANCES, st.booleans())
@example(*SMALLEST, True)
@example(*SMALLEST, False)
def test_a_curve_is_within_the_tolerance(curve, drawn, tolerance, exact):
    cases, sizes = drawn
    few = quietly(curve, *parted(cases.correct, cases.scores, sizes), tolerance=tolerance, exact=exact)
    whole = quietly(CURVES[curve], cases.correct, cases.scores, drop_intermediate=False)
    assert_all_points_are_of(few, whole)
    if curve is precision_recall_curve:
        assert (few[0][-1], few[1][-1]) == (1.0, 0.0)
    assert distance(lines(whole), lines(few)) <= tolerance * (1 + 1e-9)


@every(("curve", "exact"), [(curve, exact) for curve in CURVES for exact in (True, False)])
def test_weighted_curves_have_points_of_the_whole_one(curve, exact):
    rng, cases = np.random.default_rng(4), random_cases(600, levels=30)
    weights = rng.gamma(0.7, size=600) * (rng.random(600) < 0.9)
    labels, values, given_weights = in_chunks(equally(600, 4), cases.correct, cases.scores, weights)
    few = curve(labels, values, sample_weight=given_weights, exact=exact, tolerance=0.02)
    whole = CURVES[curve](cases.correct, cases.scores, sample_weight=weights, drop_intermediate=False)
    assert 4 < few[2].size < 60
    assert_all_points_are_of(few, whole, atol=1e-12)
    if curve is roc_curve:
        assert np.all(np.diff(few[:2]) >= 0)
        assert (few.fpr[-1], few.tpr[-1]) == (1.0, 1.0)


@every("exact", [True, False])
@every("parts", [1, 6])
def test_curves_of_many_cases_take_few_points(exact, parts):
    cases = random_cases(20_000)
    given = parted(cases.correct, cases.scores, equally(20_000, parts))
    fpr, tpr, thresholds = roc_curve(*given, tolerance=0.01, exact=exact)
    assert 5 < fpr.size < 60
    assert (fpr[0], tpr[0], thresholds[0], fpr[-1], tpr[-1]) == (0, 0, np.inf, 1, 1)
    whole = metrics.roc_curve(cases.correct, cases.scores)
    assert distance(lines(whole)[::7], lines((fpr, tpr))) <= 0.01


def test_a_summary_with_too_few_intervals_for_the_tolerance_says_so():
    cases = random_cases(2000)
    given = parted(cases.correct, cases.scores, equally(2000, 3))
    with pytest.raises(
        EvaluationError, match=r"^tolerance must be above 0\.\d+ for a summary of 8 intervals of"
    ) as caught:
        roc_curve(*given, capacity=8)
    least = float(str(caught.value).split()[4])
    assert roc_curve(*given, capacity=8, tolerance=np.nextafter(least, 1)).fpr.size
    curve = roc_curve(*given, capacity=64, tolerance=0.1)
    assert distance(lines(metrics.roc_curve(cases.correct, cases.scores)), lines(curve)) <= 0.1


def test_where_many_cases_have_one_score_a_summary_knows_the_line():
    cases = random_cases(2000)
    scores = np.where(np.arange(2000) % 3 == 0, 0.25, cases.scores)
    curve = roc_curve(*parted(cases.correct, scores, equally(2000, 3)), capacity=128, tolerance=0.02)
    assert distance(lines(metrics.roc_curve(cases.correct, scores)), lines(curve)) <= 0.02
    assert np.diff(curve.fpr).max() > 0.3


@every(
    ("tolerance", "error", "message"),
    [
        (0, EvaluationError, "tolerance must be in 1e-06 .. 1, got 0.0"),
        (2.0, EvaluationError, "tolerance must be in 1e-06 .. 1, got 2.0"),
        (float("nan"), EvaluationError, "tolerance must be in 1e-06 .. 1, got nan"),
        ("fine", EvaluationTypeError, "tolerance must be a number, got 'fine' (str)"),
    ],
)
@every("curve", CURVES)
def test_a_tolerance_is_a_part_of_an_axis(curve, tolerance, error, message):
    with pytest.raises(error) as caught:
        curve(*parted([1, 0], [0.1, 0.2], [2]), tolerance=tolerance)
    assert str(caught.value) == message


@every("labels", [[True] * 4, [False] * 4])
@every("exact", [True, False])
@every(("curve", "in_memory"), CURVES.items())
def test_curves_of_one_class_warn_as_in_memory(labels, exact, curve, in_memory):
    scores = np.array([0.1, 0.2, 0.3, 0.4])
    said = []
    for ask in (lambda: curve(*parted(labels, scores, [1, 3]), exact=exact), lambda: in_memory(labels, scores)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            columns = ask()
        said.append(([np.isnan(column).any() for column in columns], [(w.category, str(w.message)) for w in caught]))
        assert columns[1][0] == 1.0 or curve is roc_curve
    assert said[0] == said[1]
