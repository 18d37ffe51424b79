"""Reports as JSON and CSV: what the standard library writes, only faster."""

import csv
import io
import json
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.inference import Interval
from evalcore.report.model import CERTIFIED, Section, Statistic, Whole
from evalcore.report.records import EXACT, Row, number_rows
from evalcore.report.rendering import as_csv, as_json, as_tree

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
    if isinstance(tree, float) and math.isinf(tree):
        return "Infinity" if tree > 0 else "-Infinity"
    return None if isinstance(tree, float) and math.isnan(tree) else tree


@given(st.lists(RECORDS, min_size=1, max_size=2), st.booleans(), st.lists(NAMES, max_size=2), ABOUT)
def test_json_is_that_of_the_standard_library(records, by, remarks, about):
    whole = Whole("scores", "score") if by else None
    sections = [Section(f"s{index}", "", "group", each, whole=whole) for index, each in enumerate(records)]
    text = as_json(sections, remarks, **about)
    tree = finite({"schema_version": 1, **about, **as_tree(sections, remarks)})
    assert text == json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)


BOUNDS = st.sampled_from(
    [None, (0.25, 0.5, "wilson"), (np.nan, np.nan, "wilson"), (0.1, 0.3, CERTIFIED), (1, 1, CERTIFIED)]
)
BOUNDED = st.dictionaries(NAMES, st.tuples(VALUES, BOUNDS), max_size=4).map(
    lambda values: [
        Statistic(name, name, value, bounds and Interval(value, *bounds[:2], 0.9, bounds[2]))
        for name, (value, bounds) in values.items()
    ]
)


@given(st.dictionaries(NAMES, BOUNDED, min_size=1, max_size=4), st.booleans())
def test_csv_is_that_of_the_standard_library(records, by):
    sections = [Section('s,"', "", "group", records, whole=Whole("scores", "score") if by else None)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in number_rows(sections):
        writer.writerow([*row[:-3], *(("", "") if row.kind == EXACT else (row.low, row.high)), row.kind])
    assert as_csv(sections) == text.getvalue().removesuffix("\n")
