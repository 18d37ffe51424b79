import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.curves import undominated
from tests import slow

RATIOS = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]) | st.floats(0, 1)


@given(st.lists(RATIOS, max_size=60))
@example([])
def test_undominated_is_what_its_definition_says(heights):
    assert undominated(np.array(heights, np.float64)).tolist() == slow.undominated(heights)


@given(st.lists(RATIOS | st.just(math.nan), max_size=20))
@example([math.nan, math.nan])
def test_nan_neither_dominates_nor_is_dominated(heights):
    assert undominated(np.array(heights, np.float64)).tolist() == slow.undominated(heights)
