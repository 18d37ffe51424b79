import math

import numpy as np
import pytest

from evalcore.kernels.sums import ratio, whole_counts


@pytest.mark.parametrize(
    ("numerator", "denominator", "quotient"),
    [(1, 4, 0.25), (0, 3, 0.0), (0, 0, math.nan), (2, 0, math.inf), (-2, 0, -math.inf), (math.nan, 1, math.nan)],
)
def test_ratio_divides_silently_numbers_and_arrays_alike(numerator, denominator, quotient):
    assert ratio(numerator, denominator) == pytest.approx(quotient, nan_ok=True)
    columns = np.full(3, numerator), np.full(3, denominator)
    assert ratio(*columns).tolist() == pytest.approx([quotient] * 3, nan_ok=True)
    assert ratio(*columns).dtype == np.float64


def test_ratio_is_silent_where_the_caller_asked_for_errors():
    with np.errstate(all="raise"):
        assert np.isnan(ratio(0, 0))
        assert np.isinf(ratio(1, 0))


def test_numbers_that_are_whole_but_for_rounding_are_whole():
    assert whole_counts(np.array([0.1 * 30, (1 - 0.95) * 20, 2.5])).tolist() == [3.0, 1.0, 2.5]
