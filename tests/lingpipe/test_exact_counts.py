"""Statistics of tables of counts to 2**60 beside exact fractions: differences of products of counts lose nothing."""

import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import ConfusionMatrix, PrecisionRecallEvaluation
from evalcore.inference.cells import cells_of_counts
from evalcore.measures import agreement, binary, multiclass
from tests.reference import exact as slow_exact
from tests.reference import inference as slow_inference
from tests.strategies import close_to

SIZES = st.integers(0, 60).flatmap(lambda bits: st.integers(0, 2**bits)) | st.sampled_from([0, 1, 2, 2**60])
CELLS = st.lists(SIZES, min_size=4, max_size=4)
SEEN = [
    [2, 1, 1, 4999996], [0, 1, 2, 877817077], [1, 0, 0, 2**55], [1, 1, 1, 10**15], [949285436, 8, 7, 4],
    [2**60, 2**60 - 1, 2**60 + 1, 2**60], [1, 2**59, 2**59, 1],
]  # fmt: skip


@st.composite
def tables(draw):
    """Draw a table of small and large counts, or one whose references and responses are almost independent."""
    size = draw(st.integers(1, 3))
    shares = st.lists(SIZES.map(lambda count: math.isqrt(count) >> 1), min_size=size, max_size=size)
    if draw(st.booleans()):
        table = [[one * other for other in columns] for columns in [draw(shares)] for one in draw(shares)]
    else:
        cells = SIZES.map(lambda count: count >> 1 if size == 3 else count)
        table = draw(st.lists(st.lists(cells, min_size=size, max_size=size), min_size=size, max_size=size))
    table[draw(st.integers(0, size - 1))][draw(st.integers(0, size - 1))] += draw(st.integers(0, 2))
    return table


def with_seen(test):
    for tp, fn, fp, tn in SEEN:
        test = example([[tp, fn], [fp, tn]])(test)
    return test


def misses(found, exact):
    return {name: (found[name], value) for name, value in exact.items() if found[name] != close_to(value)}


@with_seen
@given(tables().filter(lambda table: len(table) == 2) | CELLS.map(lambda cells: [cells[:2], cells[2:]]))
def test_statistics_of_two_classes_are_those_of_exact_fractions(table):
    (tp, fn), (fp, tn) = table
    evaluation, exact = PrecisionRecallEvaluation(tp, fn, fp, tn), slow_exact.binary(tp, fn, fp, tn)
    assert misses({name: getattr(evaluation, name)() for name in exact}, exact) == {}
    columns = [np.array([count, 3]) for count in (tp, fn, fp, tn)]
    found = {"yulesQ": binary.yules_q, "yulesY": binary.yules_y, "phiSquared": binary.phi_squared,
             "chiSquared": binary.chi_squared, "accuracyDeviation": binary.accuracy_deviation}  # fmt: skip
    assert misses({name: measure(*columns)[0] for name, measure in found.items()}, {n: exact[n] for n in found}) == {}


@with_seen
@given(tables())
def test_statistics_of_classes_are_those_of_exact_fractions(table):
    matrix, exact = ConfusionMatrix(list(range(len(table))), table), slow_exact.confusion(table)
    assert misses({name: getattr(matrix, name)() for name in exact}, exact) == {}


@with_seen
@given(tables())
def test_weighted_kappa_and_the_variance_of_kappa_are_those_of_exact_fractions(table):
    counts = np.array(table)
    for power in range(3):
        found = multiclass.weighted_kappa(counts, agreement.disagreement(len(table), power))
        assert found == close_to(slow_exact.weighted_kappa(table, power))
    if counts.any():
        expected = slow_inference.kappa_variance(table)
        cells = cells_of_counts(counts[np.newaxis])
        assert cells.spread(multiclass.kappa_derivatives(cells.table))[0] == close_to(
            math.nan if expected is None else expected
        )
