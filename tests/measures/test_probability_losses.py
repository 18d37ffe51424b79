"""Log loss, Brier score and calibration error in one pass are those of `evalcore.metrics` and scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.kernels.tables import bin_codes, equal_widths
from evalcore.measures.losses import NO_LOSSES, grouped_probability_losses, probability_losses
from tests.differences import every
from tests.strategies import block_size

EDGES = [0.1, 0.3, 0.30000000000000004, 0.7, 0.7000000000000001, np.float32(0.1), np.float32(0.7)]
SCORES = st.sampled_from([0.0, 1.0, 0.5, 1e-20, 1e-9, 1 - 1e-9, *map(float, EDGES)]) | st.floats(0, 1)
CASES = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=60)


def expected(scores, positive):
    return {
        "log_loss": metrics.log_loss(positive, scores, labels=[False, True]),
        "brier_score": float(np.mean((scores.astype(np.float64) - positive) ** 2)),
        "calibration_error": metrics.expected_calibration_error(positive, scores, pos_label=True),
    }


@given(CASES, st.sampled_from([np.float32, np.float64]), st.sampled_from([1, 4, 1 << 16]))
@example([(1.0, False), (0.0, True)], np.float32, 4)
def test_losses_are_those_of_the_functions_for_people(cases, dtype, block):
    scores, positive = np.array([p for p, _ in cases], dtype), np.array([label for _, label in cases])
    with block_size(block):
        found = probability_losses(scores, positive).statistics(scores.size)
    assert found == pytest.approx(expected(scores, positive), rel=1e-12, abs=1e-15)
    if dtype == np.float64:  # of float32 scikit-learn takes short logarithms
        assert found["log_loss"] == pytest.approx(sklearn.metrics.log_loss(positive, scores, labels=[False, True]))


@given(CASES, st.integers(1, 5), st.sampled_from([np.float32, np.float64]))
def test_losses_of_groups_are_those_of_each_and_add_up_to_all(cases, groups, dtype):
    scores, positive = np.array([p for p, _ in cases], dtype), np.array([label for _, label in cases])
    parts = [part for part in np.array_split(np.arange(scores.size), groups) if part.size]
    sizes = np.array([part.size for part in parts])
    found = grouped_probability_losses(scores, positive, sizes).statistics(sizes)
    total = NO_LOSSES
    for index, part in enumerate(parts):
        alone = probability_losses(scores[part], positive[part])
        values = {name: column[index] for name, column in found.items()}
        assert values == pytest.approx(alone.statistics(part.size), rel=1e-12, abs=1e-15)
        total = total.plus(alone)
    whole = probability_losses(scores, positive).statistics(scores.size)
    assert total.statistics(scores.size) == pytest.approx(whole, rel=1e-12, abs=1e-15)


@every("beyond", [-1e-300, 1.0000000000000002, np.inf, 1e308])
def test_scores_beyond_0_and_1_have_no_losses(beyond):
    scores, positive = np.array([0.5, beyond, 0.25]), np.array([True, False, True])
    assert np.isnan(list(probability_losses(scores, positive).statistics(3).values())).all()
    grouped = grouped_probability_losses(scores, positive, np.array([2, 1])).statistics(np.array([2, 1]))
    assert all(np.isnan(column).tolist() == [True, False] for column in grouped.values())


def test_the_bin_of_a_float32_is_that_of_its_value():
    scores = np.concatenate([np.nextafter(np.float32(edge), np.float32(to)).reshape(1)
                             for edge in equal_widths(10) for to in (0, edge, 1)])  # fmt: skip
    edges = equal_widths(10)
    assert bin_codes(scores, edges).tolist() == bin_codes(scores.astype(np.float64), edges).tolist()
