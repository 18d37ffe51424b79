import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evalcore.inference import benjamini_hochberg, holm
from tests.differences import every
from tests.reference import inference as slow
from tests.strategies import close_to

P_VALUES = st.lists(
    st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]) | st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12
)


@given(P_VALUES)
def test_holm_is_what_its_definition_says(p_values):
    adjusted = holm(p_values)
    assert adjusted.dtype == np.float64
    assert adjusted.tolist() == close_to(slow.holm(p_values))


def test_holm_is_that_of_statsmodels():
    p_values = np.random.default_rng(1).integers(0, 40, 50) / 4000
    assert holm(p_values).tolist() == close_to(multipletests(p_values, method="holm")[1].tolist())


@given(P_VALUES)
def test_benjamini_hochberg_is_that_of_scipy_and_statsmodels(p_values):
    adjusted = benjamini_hochberg(p_values)
    assert adjusted.dtype == np.float64
    assert adjusted.tolist() == close_to(scipy.stats.false_discovery_control(p_values).tolist())
    assert adjusted.tolist() == close_to(multipletests(p_values, method="fdr_bh")[1].tolist())
    assert np.all(adjusted <= holm(p_values) * (1 + 1e-12))


@pytest.mark.parametrize("method", [holm, benjamini_hochberg])
@given(P_VALUES, st.integers(0, 99))
def test_each_test_keeps_its_place_and_gets_no_smaller(method, p_values, seed):
    pairs = list(zip(p_values, method(p_values).tolist(), strict=True))
    assert all(p <= adjusted <= 1 for p, adjusted in pairs)
    shuffled, expected = np.random.default_rng(seed).permutation(pairs).T
    assert method(shuffled).tolist() == expected.tolist()


@every("method", [holm, benjamini_hochberg])
def test_a_single_test_stays_and_none_gives_none(method):
    assert method([0.03]).tolist() == [0.03]
    assert method([]).shape == (0,)
    given = np.array([0.5, 0.25], np.float32)
    assert holm(given).dtype == np.float64
    assert given.tolist() == [0.5, 0.25]
