import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.weighted_points import weighted_points
from evalcore.measures import weighted_curves
from tests import slow
from tests.strategies import close_to

ROWS = st.lists(st.tuples(st.sampled_from([0.1, 0.4, 0.5, -0.0, 0.0]), st.booleans(), st.integers(0, 3)), min_size=1)


def columns(rows):
    scores, correct, weights = zip(*rows, strict=True)
    return np.array(scores), np.array(correct), np.array(weights, np.float64)


@given(ROWS)
def test_points_add_up_the_weights_at_or_above_each_score(rows):
    points = weighted_points(*columns(rows))
    distinct = sorted({score + 0.0 for score, _, _ in rows}, reverse=True)
    assert points.scores.tolist() == distinct
    for side, sums in ((True, points.tp), (False, points.fp)):
        assert sums.tolist() == [
            sum(weight for score, correct, weight in rows if score >= least and correct is side) for least in distinct
        ]


@given(ROWS)
def test_areas_of_whole_weights_are_those_of_repeated_cases(rows):
    tp, fp, _ = weighted_points(*columns(rows))
    repeated = [(score, correct) for score, correct, weight in rows for _ in range(weight)]
    assert weighted_curves.roc_area(tp, fp) == close_to(float(slow.roc_area(repeated)))
    average = slow.average_precision(repeated)
    assert weighted_curves.average_precision(tp, fp) == close_to(float(average))
