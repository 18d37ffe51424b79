import math

import numpy as np
import pytest
from hypothesis import given

from evalcore.measures import agreement, binary
from tests import slow_tables
from tests.strategies import TABLES, close_to


@given(TABLES)
def test_chance_accuracy_is_the_agreement_of_all_pairs_of_answers(table):
    chance = agreement.chance_accuracy(binary.prevalence(*table), binary.response_rate(*table))
    assert chance == close_to(slow_tables.chance_accuracy(*table))


@given(TABLES)
def test_chance_accuracy_of_the_pooled_rate_is_the_agreement_of_all_pairs_of_any_answers(table):
    rate = agreement.pooled_rate(binary.prevalence(*table), binary.response_rate(*table))
    assert agreement.chance_accuracy(rate, rate) == close_to(slow_tables.chance_accuracy_unbiased(*table))


@pytest.mark.parametrize("chance", [slow_tables.chance_accuracy, slow_tables.chance_accuracy_unbiased])
@given(TABLES)
def test_kappa_is_agreement_beyond_chance(chance, table):
    by_chance = float(chance(*table))
    fast = agreement.kappa(binary.accuracy(*table), by_chance)
    assert fast == close_to(slow_tables.kappa(chance, *table), abs=1e-13)


@given(TABLES)
def test_kappa_no_prevalence_is_right_less_wrong_answers(table):
    right, wrong = table.tp + table.tn, table.fn + table.fp
    expected = (right - wrong) / (right + wrong) if right + wrong else math.nan
    assert agreement.kappa_no_prevalence(binary.accuracy(*table)) == close_to(expected, abs=1e-15)


@pytest.mark.parametrize("power", [0, 1, 2])
def test_disagreement_grows_with_the_distance(power):
    expected = [[abs(i - j) ** power if i != j else 0 for j in range(4)] for i in range(4)]
    found = agreement.disagreement(4, power)
    assert found.dtype == np.int64
    assert found.tolist() == expected
