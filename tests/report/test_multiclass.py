"""Reports on classes: the same numbers from all columns at once as from each alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.report.statistics.multiclass import checked_class_scores, class_scores_report
from tests.strategies import block_size

SCORES = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 5e-324, 0.5, 1.0, np.inf])


@given(st.lists(st.tuples(st.integers(0, 2), SCORES, SCORES, SCORES), min_size=1, max_size=30))
def test_areas_are_the_same_for_any_number_of_cases(rows):
    labels, *columns = (np.array(column) for column in zip(*rows, strict=True))
    at_once = class_scores_report(checked_class_scores(labels, [0, 1, 2], np.column_stack(columns)))
    with block_size(1):
        alone = class_scores_report(checked_class_scores(labels, [0, 1, 2], np.column_stack(columns)))
    assert repr(at_once[1].records) == repr(alone[1].records)
