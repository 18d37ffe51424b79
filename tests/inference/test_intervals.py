"""Intervals and comparisons show themselves, and do not look surer than they are."""

import pytest

from evalcore.inference import Comparison, Interval


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (Interval(0.75, 0.5, 0.875, 0.95, "wilson"), "0.75 [0.5, 0.875] (95% wilson)"),
        (Interval(1.0, float("nan"), float("nan"), 0.9, "delong"), "1 [nan, nan] (90% delong)"),
        (
            Interval(1 - 1e-9, 1 - 1e-8, 1.0, 1 - 1e-9, "wilson"),
            "0.999999999 [0.99999999, 1] (99.9999999% wilson)",
        ),
        (Interval(1e-9, 0.0, 1e-8, 0.5, "normal"), "1e-09 [0, 1e-08] (50% normal)"),
    ],
)
def test_numbers_that_are_rounded_do_not_become_certain(interval, shown):
    assert repr(interval) == shown


def test_p_values_that_are_too_small_for_floats_are_not_zero():
    comparison = Comparison((0.75, 0.5), 0.25, 0.125, 0.375, 0.95, 50.0, 0.0, "delong")
    assert repr(comparison) == "0.75 - 0.5 = 0.25 [0.125, 0.375] (95% delong), p < 1e-300"
