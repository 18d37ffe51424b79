import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.measures import retrieval
from evalcore.measures.ranks import label_roc_area
from evalcore.measures.retrieval import GroupedRankings
from tests.reference import scored_cases as slow
from tests.strategies import close_to


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=1, max_size=50))
def test_area_of_the_labels_of_a_case_is_that_of_as_many_cases(labels):
    scores, relevant = (np.array(column) for column in zip(*labels, strict=True))
    found = label_roc_area(scores[:, np.newaxis], relevant[:, np.newaxis])
    assert found.tolist() == close_to([float(slow.roc_area(labels))])


def test_areas_near_0_are_rounded_once():
    scores = np.arange(101.0)
    relevant = scores == 1
    assert label_roc_area(scores[:, np.newaxis], relevant[:, np.newaxis]).tolist() == [0.01]
    ranked = GroupedRankings(np.zeros(101, np.int64), scores, relevant, 1)
    assert retrieval.roc_area(ranked).tolist() == [0.01]
