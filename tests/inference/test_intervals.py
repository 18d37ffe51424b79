"""Intervals and comparisons show themselves, and do not look surer than they are."""

import dataclasses
import math

import numpy as np
import pytest

from evalcore.inference import Comparison, Interval
from tests.differences import every


@every(
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


def test_close_estimates_are_told_apart():
    for estimates, shown in (
        ((1e6 + 2.1e-6, 1e6), "1000000.000002 - 1000000 = "),
        ((0.1234567, 0.1234568), "0.1234567 - 0.1234568 = "),
        ((1e6, 1e6), "1e+06 - 1e+06 = 0 "),
        ((math.nan, 0.5), "nan - 0.5 = "),
    ):
        close = Comparison(estimates, estimates[0] - estimates[1], 0.0, 1.0, 0.95, 1.0, 0.5, "paired")
        assert repr(close).startswith(shown)


def test_an_interval_is_its_estimate_as_a_number_and_its_bounds_when_unpacked():
    interval = Interval(0.75, 0.5, 0.875, 0.95, "wilson")
    low, high = interval
    assert (float(interval), low, high) == (0.75, 0.5, 0.875)
    assert np.array([interval, interval], dtype=float).tolist() == [0.75, 0.75]


def test_formats_apply_to_all_numbers_of_an_interval():
    interval = Interval(0.73249, 0.7281, math.nan, 0.95, "delong")
    assert f"{interval:.3f}" == "0.732 [0.728, nan]"
    assert f"{interval:.1%}" == "73.2% [72.8%, nan%]"
    assert f"{interval}" == str(interval) == repr(interval)
    with pytest.raises(ValueError, match="format"):
        f"{interval:wide}"


def test_formats_apply_to_all_numbers_of_a_comparison():
    comparison = Comparison((0.75, 0.5), 0.25, 0.125, math.nan, 0.95, 2.5, 0.01234, "delong")
    assert f"{comparison:.3f}" == "0.750 - 0.500 = 0.250 [0.125, nan], p = 0.0123"
    assert f"{comparison:.0%}" == "75% - 50% = 25% [12%, nan%], p = 0.0123"
    assert f"{comparison}" == str(comparison) == repr(comparison)
    with pytest.raises(ValueError, match="format"):
        f"{comparison:wide}"


def test_intervals_and_comparisons_are_tables_in_notebooks():
    interval = Interval(0.75, 0.5, 1 - 1e-9, 0.95, "<b>")
    cells = "<td>0.75</td><td>0.5</td><td>0.999999999</td><td>95%</td><td>&lt;b&gt;</td>"
    assert cells in interval._repr_html_()
    comparison = Comparison((0.1234567, 0.1234568), -1e-7, -0.125, 0.125, 0.9, 50.0, 0.0, "<b>")
    cells = (
        "<td>0.1234567</td><td>0.1234568</td><td>-1e-07</td><td>-0.125</td><td>0.125</td>"
        "<td>90%</td><td>&lt;b&gt;</td><td>&lt; 1e-300</td>"
    )
    assert cells in comparison._repr_html_()
    assert "<td>0.0124</td>" in dataclasses.replace(comparison, p_value=0.0124)._repr_html_()
