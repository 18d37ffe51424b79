"""Numbers for readers are short, and never say more than the value does."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.report.formats import count, number, p_value, percent


@given(st.floats(-1, 1))
def test_a_fraction_is_shown_to_half_a_thousandth(value):
    text = number(value)
    if text in (">0.999", "<-0.999"):
        assert 0.999 < abs(value) < 1
    else:
        assert math.isclose(float(text), value, rel_tol=0.005, abs_tol=0) if 0 < abs(value) < 0.1 else True
        assert abs(float(text) - value) <= 0.0005 + 1e-12


@given(st.floats(-1, 1))
def test_only_0_and_1_are_shown_as_such(value):
    assert (float(number(value).lstrip("<>")) == 0) == (value == 0)
    assert (number(value) in ("1.000", "-1.000")) == (abs(value) == 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0999, "0.0999"), (9.87654, "9.877"), (99.44, "99.4"), (1234.5, "1,234"), (1e9, "1.00e+09"), (math.inf, "inf")],
)
def test_numbers_have_three_significant_digits_or_decimals(value, text):
    assert number(value) == text


def test_counts_fractions_and_p_values():
    assert (number(1234567), count(12)) == ("1,234,567", "12")
    assert (percent(1.0), percent(0.12345, 2)) == ("100.0%", "12.35%")
    assert [p_value(value) for value in (0.0, 0.001, 1.0)] == ["p < 0.001", "p = 0.001", "p = 1.000"]
