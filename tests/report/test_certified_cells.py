"""What is written of certain bounds holds the exact value too, however few digits are shown."""

import math
from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.inference import Interval
from evalcore.report.model import CERTIFIED, Section, Statistic
from evalcore.report.tables import tables

shares = (
    st.floats(0, 1, allow_subnormal=False)
    | st.floats(0, 1e-3, allow_subnormal=False)
    | st.integers(0, 10**6).map(lambda millionths: millionths / 1e6)
)


def cell_of(low, high, method=CERTIFIED):
    middle = low + (high - low) / 2
    statistic = Statistic("roc_area", "ROC area", middle, Interval(middle, low, high, 1.0, method))
    return tables([Section("scores", "", "score", {"model": [statistic]})])[0].rows[1][1]


@given(shares, shares)
@example(0.7320855, 0.7320859)
@example(1e-9, 1.0000004e-9)
@example(0.9999999, 1.0)
@example(0.0, 0.0009999999)
@example(0.00099999996, 0.00099999997)
def test_bounds_are_written_outward(one, other):
    low, high = min(one, other), max(one, other)
    cell = cell_of(low, high)
    if low == high:
        assert "[" not in cell
        return
    value, below, above = (Decimal(text) for text in cell.replace("[", "").replace("]", "").replace(",", "").split())
    assert below <= Decimal(low) < Decimal(high) <= above
    assert below <= value <= above
    for bound, written in ((low, below), (high, above)):
        assert math.isclose(bound, written, rel_tol=2e-5, abs_tol=1.01e-6 if bound >= 1e-3 else 0.0)


def test_bounds_of_other_intervals_are_rounded():
    assert cell_of(0.7320854, 0.7320856, "delong") == "0.732085 [0.732085, 0.732086]"
    assert cell_of(0.7320854, 0.7320856) == "0.732085 [0.732085, 0.732086]"
    assert cell_of(0.7320856, 0.7320863, "delong") == "0.732086 [0.732086, 0.732086]"
    assert cell_of(0.7320856, 0.7320863) == "0.732086 [0.732085, 0.732087]"


def test_what_is_not_defined_has_no_bounds():
    assert cell_of(math.nan, math.nan) == "NaN"
