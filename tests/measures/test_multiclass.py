"""Measures of a table of categories against slow twins, laws, scikit-learn and SciPy."""

import itertools
import math
from inspect import signature

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.kernels.tables import BinaryCounts, joint_counts
from evalcore.measures import agreement, multiclass
from tests.differences import every
from tests.reference import multiclass as slow_multiclass
from tests.strategies import BLOCKS, block_size, close_to, columns_of

EXACT = ["correct", "pooled_versus_all", "degrees_of_freedom"]
RATIOS = [
    "accuracy", "macro_precision", "macro_recall", "macro_f_measure", "chance_accuracy", "pooled_chance_accuracy",
    "kappa", "pooled_kappa", "kappa_no_prevalence", "reference_entropy", "response_entropy", "cross_entropy",
    "joint_entropy", "conditional_entropy", "mutual_information", "divergence", "chi_squared", "phi_squared",
    "cramers_v", "lambda_of_reference", "lambda_of_response",
]  # fmt: skip
EXTENSIVE = {"chi_squared"}


@st.composite
def matrices(draw, cells=(0, 0, 1, 2, 7), least=1):
    """Draw a table in which empty cells, rows and columns are common."""
    size = draw(st.integers(least, 4))
    return np.array(draw(columns_of(cells, size * size)), np.int64).reshape(size, size)


@st.composite
def columns(draw):
    """Draw two columns of codes, and how many categories there are."""
    size = draw(st.integers(1, 5))
    return draw(columns_of(list(itertools.product(range(size), repeat=2)), 0, 40)), size


FULL = matrices(cells=(1, 2, 7, 11), least=2)


def twin(name, counts):
    return getattr(slow_multiclass, name)(slow_multiclass.cases_of(counts.tolist()), len(counts))


@given(columns(), BLOCKS)
@example(([], 1), 1)
def test_every_case_is_counted_in_its_cell(drawn, block):
    pairs, size = drawn
    reference, response = np.array(pairs, np.intp).reshape(-1, 2).T
    with block_size(block):
        counts = joint_counts(reference, response, size)
    assert counts.dtype == np.int64
    assert counts.tolist() == slow_multiclass.category_counts(pairs, size)


@given(matrices())
def test_each_category_against_all_others_and_the_entropy_of_each_row(counts):
    cases = slow_multiclass.cases_of(counts.tolist())
    expected = [slow_multiclass.one_versus_all(cases, category) for category in range(len(counts))]
    assert np.transpose(multiclass.one_versus_all(counts)).tolist() == [list(table) for table in expected]
    singly = [multiclass.category_versus_all(counts, category) for category in range(len(counts))]
    assert singly == expected
    assert {type(count) for table in singly for count in table} == {int}
    expected = [slow_multiclass.conditional_entropy_of(cases, reference) for reference in range(len(counts))]
    assert agreement.entropy(counts).tolist() == close_to(expected, abs=1e-15)


@given(matrices())
@example(np.zeros((1, 1), np.int64))
@example(np.zeros((3, 3), np.int64))
@example(np.array([[5]]))
@example(np.array([[1, 2], [2, 4]]))
def test_measures_are_what_the_cases_themselves_give(counts):
    for name in EXACT:
        assert getattr(multiclass, name)(counts) == twin(name, counts), name
    for name in RATIOS:
        # differences of fractions: an absolute error of a rounding is all there is
        assert float(getattr(multiclass, name)(counts)) == close_to(twin(name, counts), abs=1e-14), name


@given(matrices(), st.sampled_from([0.0, -1.0, multiclass.Z_95, multiclass.Z_99]))
def test_confidence_is_a_multiple_of_the_deviation_of_being_right(counts, z):
    cases = slow_multiclass.cases_of(counts.tolist())
    assert multiclass.confidence(counts, z) == close_to(slow_multiclass.confidence(cases, z))


def test_every_measure_is_compared():
    others = {"one_versus_all"}
    public = {
        name
        for name, value in vars(multiclass).items()
        if getattr(value, "__module__", "") == multiclass.__name__ and [*signature(value).parameters] == ["counts"]
    }
    assert {name for name in public if not name.startswith("_")} - others == {*EXACT, *RATIOS}


@given(matrices(cells=(1, 2, 3, 7)), st.integers(0, 99))
def test_no_digit_of_a_macro_average_depends_on_the_order_of_the_categories(counts, seed):
    order = np.random.default_rng(seed).permutation(len(counts))
    for name in ("macro_precision", "macro_recall", "macro_f_measure"):
        assert getattr(multiclass, name)(counts[np.ix_(order, order)]) == getattr(multiclass, name)(counts)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6), st.integers(1, 5))
def test_independent_answers_have_no_information(frequencies, times):
    counts = np.outer(frequencies, frequencies) * times
    assert multiclass.mutual_information(counts) == 0
    assert multiclass.chi_squared(counts) == 0
    assert multiclass.kappa(counts) == close_to(0, abs=1e-14)
    nearly = np.array([[43271586360, 39508839720], [36226209386, 33076104222]])
    assert multiclass.mutual_information(nearly) == 0  # rounding leaves nothing negative


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=6))
def test_perfect_answers_are_exact(diagonal):
    counts = np.diag(diagonal)
    ones = ["accuracy", "macro_precision", "macro_recall", "macro_f_measure", "kappa", "pooled_kappa",
            "lambda_of_reference", "lambda_of_response"]  # fmt: skip
    assert [float(getattr(multiclass, name)(counts)) for name in ones] == [1.0] * len(ones)
    assert multiclass.cramers_v(counts) == close_to(1)
    assert multiclass.conditional_entropy(counts) == multiclass.divergence(counts) == 0


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 99))
@example(9, 3, 0)
def test_many_tables_have_the_measures_of_each_alone(categories, tables, seed):
    counts = np.random.default_rng(seed).integers(0, [[3], [90]][seed % 2], (tables, categories, categories))
    for name in ("kappa", "chi_squared", "phi_squared", "cramers_v", "mutual_information"):
        measure = getattr(multiclass, name)
        assert repr(measure(counts).tolist()) == repr([float(measure(each)) for each in counts])
    found = multiclass.one_versus_all(counts)
    for index, each in enumerate(counts):
        alone = [column.tolist() for column in multiclass.one_versus_all(each)]
        assert [column[index].tolist() for column in found] == alone


@every("name", RATIOS)
def test_huge_counts_do_not_overflow(name):
    small = np.array([[9, 3, 0], [3, 5, 1], [1, 1, 4]])
    times = (2**63 - 1) // 27
    factor = times if name in EXTENSIVE else 1
    measure = getattr(multiclass, name)
    assert measure(small * times) == close_to(float(measure(small)) * factor, rel=1e-12, abs=1e-15)


def test_pooled_counts_exceed_int64():
    counts = np.diag([2**61, 2**61, 2**61])
    assert multiclass.pooled_versus_all(counts) == BinaryCounts(3 * 2**61, 0, 0, 6 * 2**61)


def test_entropies_are_infinite_where_a_reference_is_never_a_response_and_no_negative_zero():
    for never in (np.array([[0, 8], [0, 0]]), np.array([[0, 3], [0, 7]])):
        assert multiclass.cross_entropy(never) == multiclass.divergence(never) == math.inf
    counts = np.array([[4, 0], [0, 0]])
    for name in ("reference_entropy", "response_entropy", "cross_entropy", "joint_entropy", "conditional_entropy",
                 "mutual_information", "divergence"):  # fmt: skip
        assert math.copysign(1, getattr(multiclass, name)(counts)) == 1


@given(matrices())
def test_matthews_is_the_correlation_of_indicators(counts):
    reference, response = np.array(slow_multiclass.cases_of(counts.tolist()), np.intp).reshape(-1, 2).T
    masks = [codes[:, None] == np.arange(len(counts)) for codes in (reference, response)]
    one, other = (mask - mask.mean(axis=0) for mask in masks) if reference.size else (np.zeros(0), np.zeros(0))
    spread = float((one**2).sum() * (other**2).sum())
    expected = float((one * other).sum()) / math.sqrt(spread) if spread > 1e-20 else math.nan
    found = multiclass.matthews(*multiclass.one_versus_all(counts))
    assert found == close_to(expected, abs=1e-12)
