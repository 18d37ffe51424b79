import numpy as np
import pytest
from hypothesis import given

from evalcore.measures import agreement
from tests.differences import every
from tests.reference import tables as slow_tables
from tests.strategies import TABLES, close_to


def margins(table):
    """Write down the references and the responses of both classes."""
    tp, fn, fp, tn = table
    return [tp + fn, fp + tn], [tp + fp, fn + tn]


@pytest.mark.parametrize(
    ("chance", "beyond", "twin"),
    [(agreement.chance_accuracy, agreement.kappa, slow_tables.chance_accuracy),
     (agreement.pooled_chance_accuracy, agreement.pooled_kappa, slow_tables.chance_accuracy_unbiased)],
)  # fmt: skip
@given(TABLES)
def test_agreement_of_all_pairs_of_answers_and_beyond_it(chance, beyond, twin, table):
    assert chance(*margins(table)) == close_to(twin(*table), rel=1e-15)
    assert beyond(table.tp + table.tn, *margins(table)) == close_to(
        slow_tables.chance_corrected(twin, *table), rel=1e-15
    )


@every("power", [0, 1, 2])
def test_disagreement_grows_with_the_distance(power):
    expected = [[abs(i - j) ** power if i != j else 0 for j in range(4)] for i in range(4)]
    found = agreement.disagreement(4, power)
    assert found.dtype == np.int64
    assert found.tolist() == expected
