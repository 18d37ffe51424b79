"""Reports as JSON: what the standard library writes, only faster."""

import json
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.report.model import Section, Statistic, Whole
from evalcore.report.rendering import as_json, as_tree

NAMES = st.sampled_from(["a", "b", "é", 'quoted "', "line\nend", ",\n  ", ""])
VALUES = st.one_of(st.integers(), st.floats(), st.sampled_from([np.nan, np.inf, -np.inf, 1e300, 5e-324]))
STATISTICS = st.dictionaries(NAMES, VALUES, max_size=4).map(
    lambda values: [Statistic(name, name, value) for name, value in values.items()]
)
RECORDS = st.dictionaries(NAMES, STATISTICS, max_size=4)
ABOUT = st.dictionaries(NAMES, st.one_of(VALUES, NAMES, st.lists(NAMES, max_size=2), st.none()), max_size=3)


def finite(tree):
    if isinstance(tree, dict):
        return {name: finite(part) for name, part in tree.items()}
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


@given(st.lists(RECORDS, min_size=1, max_size=2), st.booleans(), st.lists(NAMES, max_size=2), ABOUT)
def test_json_is_that_of_the_standard_library(records, by, remarks, about):
    whole = Whole("scores", "score") if by else None
    sections = [Section(f"s{index}", "", "group", each, whole=whole) for index, each in enumerate(records)]
    text = as_json(sections, remarks, **about)
    tree = finite({**about, **as_tree(sections, remarks)})
    assert text == json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)
