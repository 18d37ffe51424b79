import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.shapes import corners, not_level, undominated
from tests.reference import scored_cases as slow
from tests.strategies import BLOCKS, block_size

RATIOS = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]) | st.floats(0, 1)


@given(st.lists(RATIOS, max_size=60))
@example([])
def test_undominated_is_what_its_definition_says(heights):
    assert undominated(np.array(heights, np.float64)).tolist() == slow.undominated(heights)


@given(st.lists(RATIOS | st.just(math.nan), max_size=20))
@example([math.nan, math.nan])
def test_nan_neither_dominates_nor_is_dominated(heights):
    assert undominated(np.array(heights, np.float64)).tolist() == slow.undominated(heights)


POINTS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.0, 3.0])] * 2), max_size=12)


@given(POINTS, BLOCKS)
def test_corners_are_where_a_coordinate_does_not_go_on_as_before(points, block):
    x, y = (np.array([point[side] for point in points]) for side in (0, 1))
    with block_size(block):
        mask = corners(x, y)
    assert mask.tolist() == slow.corners(points)


@given(POINTS, BLOCKS)
def test_level_points_have_two_neighbours_of_their_height(points, block):
    heights = [height for height, _ in points]
    with block_size(block):
        mask = not_level(np.array(heights, np.float64))
    assert mask.tolist() == slow.not_level(heights)
