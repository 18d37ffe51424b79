import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.measures.losses import log2_parts, normalised
from tests.differences import every
from tests.reference import rankings as slow
from tests.strategies import WIDTHS, close_to

POOLS = (
    [-3.0, -2.0, -1.0, 0.0, -math.inf, math.nan],
    [-0.1, -0.7, -12.5, -60.0, math.nan],
    [-1000.0, -1001.0, -2000.0, -math.inf, math.nan],
    [-1e-300, -5e-324, -0.0, 0.0, -1e30],
)


@st.composite
def log_columns(draw):
    """Draw logarithms by category and case, (r, n), with something finite in each case."""
    pool, rows = draw(st.sampled_from(POOLS)), draw(st.integers(1, 5))
    column = st.lists(st.sampled_from(pool), min_size=rows, max_size=rows).filter(
        lambda logs: any(map(math.isfinite, logs))
    )
    dtype = WIDTHS[draw(st.sampled_from(sorted(WIDTHS)))]
    return np.array(draw(st.lists(column, max_size=12)), dtype).reshape(-1, rows).T


@given(log_columns())
@example(np.zeros((3, 0)))
def test_totals_are_those_of_the_definition(logs):
    totals = log2_parts(logs).sum(axis=0)
    assert totals.dtype == np.float64
    assert totals.tolist() == close_to([slow.log2_total(column) for column in logs.T.tolist()], abs=1e-15)


@given(log_columns(), st.data())
def test_totals_do_not_depend_on_the_order_of_rows_nor_on_the_columns_beside(logs, data):
    totals = log2_parts(logs).sum(axis=0)
    order = data.draw(st.permutations(range(len(logs))))
    assert log2_parts(logs[order]).sum(axis=0).tolist() == totals.tolist()
    assert [log2_parts(logs[:, [case]]).sum(axis=0).item() for case in range(logs.shape[1])] == totals.tolist()


@every("size", [1, 7, 8, 9, 64, 1001])
def test_totals_of_many_columns_are_those_of_each(size):
    rng = np.random.default_rng(size)
    logs = np.where(rng.random((10, size)) < 0.2, np.nan, -30 * rng.random((10, size)))
    logs[0] = -rng.random(size)
    totals = log2_parts(logs).sum(axis=0)
    assert [log2_parts(logs[:, [case]]).sum(axis=0).item() for case in range(size)] == totals.tolist()
    parts = log2_parts(logs)
    fractions = normalised(logs, parts)
    alone = [normalised(logs[:, [case]], parts[:, [case]])[:, 0].tolist() for case in range(size)]
    np.testing.assert_array_equal(fractions, np.array(alone).T)


@given(log_columns())
def test_conditional_probabilities_are_those_of_the_definition(logs):
    probabilities = normalised(logs, log2_parts(logs))
    assert probabilities.dtype == np.float64
    for column, row in zip(logs.T.tolist(), probabilities.T.tolist(), strict=True):
        # an error of one unit in the last place of an exponent x changes 2^x by x units
        assert row == close_to(slow.conditional(column), rel=1e-12, abs=1e-300)
        assert math.fsum(fraction for fraction in row if not math.isnan(fraction)) == close_to(1.0)


@every("depth", [0.0, -1000.0, -1e6])
def test_equal_logarithms_share_equally_however_small(depth):
    logs = np.full((4, 1), depth)
    assert log2_parts(logs).sum(axis=0).tolist() == [depth + 2]
    assert normalised(logs, log2_parts(logs)).tolist() == [[0.25]] * 4


def test_what_is_absent_adds_nothing_and_has_no_probability():
    logs = np.array([[-1.0], [math.nan], [-math.inf]])
    logs.flags.writeable = False
    assert log2_parts(logs).sum(axis=0).tolist() == [-1.0]
    np.testing.assert_array_equal(normalised(logs, log2_parts(logs)), [[1.0], [np.nan], [0.0]])
