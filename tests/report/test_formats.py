"""Numbers for readers are short, and never say more than the value does."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.report.formats import count, number, p_value, percent


@given(st.floats(-1, 1))
def test_a_fraction_is_shown_to_half_a_thousandth_and_to_two_digits(value):
    text = number(value)
    if text in (">0.999", "<-0.999"):
        assert 0.999 < abs(value) < 1
    else:
        assert abs(float(text) - value) <= 0.0005 + 1e-12
        assert math.isclose(float(text), value, rel_tol=0.05 + 1e-12)


@given(st.floats(-1, 1))
def test_only_0_and_1_are_shown_as_such(value):
    assert (float(number(value).lstrip("<>")) == 0) == (value == 0)
    assert (number(value) in ("1.000", "-1.000")) == (abs(value) == 1)


@given(st.floats(-1.5, 1.5))
def test_numbers_differ_from_their_negatives_by_the_sign_alone(value):
    size = number(abs(value)).replace(">", "")
    negative = f"<-{size}" if ">" in number(abs(value)) else f"-{size}"
    assert number(-abs(value)) == (negative if value else "0.000")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0183, "0.018"), (0.0999, "0.100"), (0.00996, "0.010"), (0.00764, "0.0076"), (0.0001, "0.00010"),
     (0.0000994, "0.000099"), (0.0000099, "9.9e-06"), (1.0001, ">1.000"), (9.87654, "9.877"), (9.9996, "10.0"),
     (99.44, "99.4"), (99.96, "100"), (1234.5, "1,234"), (1e9, "1.00e+09"), (math.inf, "inf"), (-0.0, "0.000")],
)  # fmt: skip
def test_numbers_have_three_decimals_or_at_least_two_significant_digits(value, text):
    assert number(value) == text


def test_counts_fractions_and_p_values():
    assert (number(1234567), count(12)) == ("1,234,567", "12")
    assert (percent(1.0), percent(0.12345, 2)) == ("100.0%", "12.35%")
    assert [p_value(value) for value in (0.0, 0.001, 1.0)] == ["p < 0.001", "p = 0.001", "p = 1.000"]
