"""Sums of squares of what units add to a difference, against their definition in plain Python."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.measures import multiclass
from evalcore.measures.multiclass import INFLUENCES, influences, squares_of_differences

CODES = st.integers(0, 2)
CELLS = st.lists(st.tuples(st.integers(0, 4), CODES, CODES, CODES, st.integers(1, 5)), min_size=1, max_size=12)


def slow_squares(new, old, sums, clusters):
    """Return the sums of squares by class; of cases, each of which is a unit, where there are no clusters."""
    added = defaultdict(float)
    for sign, each in ((1, new), (-1, old)):
        for entry, values in enumerate(each.values):
            for cell, value in enumerate(values):
                of = 0 if each.classes is None else int(each.classes[entry, cell])
                unit, amount = (cell, 1) if clusters is None else (int(clusters[cell]), sums[cell])
                added[unit, of] += sign * value * amount
    found = [0.0] * (1 if new.classes is None else 3)
    for (unit, of), value in added.items():
        found[of] += value**2 * (sums[unit] if clusters is None else 1)
    return found


@pytest.mark.parametrize("measure", INFLUENCES)
@pytest.mark.parametrize(("dense", "fields"), [(16, 1 << 16), (1 << 10, 4), (0, 4)])
@pytest.mark.filterwarnings("ignore:invalid value|divide by zero")
@given(cells=CELLS)
def test_squares_of_differences_are_what_their_definition_says(measure, dense, fields, cells):
    clusters, labels, old, new, sums = map(np.array, zip(*sorted(cells), strict=True))
    tables = [
        np.bincount(labels * 3 + codes, sums, 9).astype(np.int64).reshape(3, 3) + np.eye(3, dtype=np.int64)
        for codes in (new, old)
    ]
    both = [influences(measure, labels, codes, table) for codes, table in zip((new, old), tables, strict=True)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(multiclass, "_DENSE", dense)
        patched.setattr(multiclass, "_FIELDS", fields)
        for own in (None, clusters):
            found = squares_of_differences(*both, 3, sums=sums, squares=sums, clusters=own)
            np.testing.assert_allclose(found, slow_squares(*both, sums, own), rtol=1e-9, atol=1e-15)
            same = squares_of_differences(both[0], both[0], 3, sums=sums, squares=sums, clusters=own)
            np.testing.assert_allclose(same, 0, atol=1e-30)
