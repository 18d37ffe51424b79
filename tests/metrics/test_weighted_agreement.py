"""Measures of agreement beside exact fractions, with weights of any size: no digit is lost to one that dominates."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import metrics

SIZES = [1.0, 3.0, 0.1, 1e17, 1e-17, 1e100, 1e-100, 2.0**199, 2.0**-190]
CELLS = st.tuples(st.integers(0, 2), st.integers(0, 2))
CASES = st.dictionaries(CELLS, st.sampled_from(SIZES), min_size=1)
"""Weights of one case in each of some cells, so that a cell's weight is exact."""
COUNTS = st.dictionaries(CELLS, st.integers(1, 9) | st.integers(1, 2**58), min_size=1)


def called(name, cells, **options):
    y_true, y_pred = zip(*cells, strict=True)
    return getattr(metrics, name)(y_true, y_pred, sample_weight=list(cells.values()), **options)


def margins(cells):
    """Sums of each class's references and responses, exact."""
    return [[sum(Fraction(w) for cell, w in cells.items() if cell[side] == k) for k in range(3)] for side in (0, 1)]


def matthews(cells):
    reference, response = margins(cells)
    total, right = sum(reference), sum(Fraction(w) for (i, j), w in cells.items() if i == j)
    covariance = right * total - sum(map(Fraction.__mul__, map(Fraction, reference), map(Fraction, response)))
    spread = math.prod(total**2 - sum(part**2 for part in side) for side in (reference, response))
    return math.copysign(math.sqrt(covariance**2 / spread), covariance) if spread else 0.0


def kappa(cells, power):
    # the classes that are there, in order, are what distances are counted by
    there = sorted({label for cell in cells for label in cell})
    index = {label: place for place, label in enumerate(there)}
    reference, response = margins(cells)
    distance = {(i, j): abs(index[i] - index[j]) ** power if i != j else 0 for i in there for j in there}
    expected = sum(d * reference[i] * response[j] for (i, j), d in distance.items())
    seen = sum(distance[cell] * Fraction(w) for cell, w in cells.items()) * sum(reference)
    return float((expected - seen) / expected) if expected else math.nan


def fraction_of(cells, kept):
    return float(sum(Fraction(w) for cell, w in cells.items() if kept(*cell)) / sum(map(Fraction, cells.values())))


@pytest.mark.filterwarnings("ignore:A single label", "ignore:`y1`")
@given(CASES, COUNTS, st.sampled_from([(0, None), (1, "linear"), (2, "quadratic")]))
def test_correlation_and_kappa_are_those_of_exact_fractions(cases, counts, distance):
    # whole weights are exact to the last place; float weights to the width of the scale, which is about 1
    for cells, tolerance in ((cases, {"abs": 1e-12}), (counts, {"rel": 1e-12, "abs": 0})):
        assert called("matthews_corrcoef", cells) == pytest.approx(matthews(cells), **tolerance)
        power, weights = distance
        expected = pytest.approx(kappa(cells, power), nan_ok=True, rel=1e-12, abs=tolerance["abs"])
        assert called("cohen_kappa_score", cells, weights=weights) == expected


@given(CASES)
def test_fractions_and_tables_are_exact_whatever_dominates(cells):
    close = {"rel": 1e-12, "abs": 0}
    wrong = fraction_of(cells, lambda i, j: i != j)
    assert called("accuracy_score", cells) == pytest.approx(fraction_of(cells, lambda i, j: i == j), **close)
    assert called("zero_one_loss", cells) == pytest.approx(wrong, **close)
    assert called("hamming_loss", cells) == pytest.approx(wrong, **close)
    counted = wrong * float(sum(map(Fraction, cells.values())))
    assert called("zero_one_loss", cells, normalize=False) == pytest.approx(counted, **close)
    found = called("multilabel_confusion_matrix", cells, labels=[2, 1, 0])
    expected = [
        [[math.fsum(w for (i, j), w in cells.items() if (i == k, j == k) == (a, b)) for b in (0, 1)] for a in (0, 1)]
        for k in (2, 1, 0)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_heavy_case_leaves_the_correlation_of_the_light_ones():
    found = metrics.matthews_corrcoef([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[3, 1, 1, 1e17])
    assert found == pytest.approx(0.75, rel=1e-12)
    indicators = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 0], [0, 0], [0, 1]])
    tables = metrics.multilabel_confusion_matrix(*indicators, sample_weight=[1e17, 3, 1])
    assert tables[1].tolist() == [[1e17, 0], [3, 1]]
    assert metrics.hamming_loss(*indicators, sample_weight=[1e17, 0, 1]) == pytest.approx(0.5e-17, rel=1e-12)


def test_tables_of_many_classes_are_exact_too():
    labels = np.arange(1500)
    weights = np.where(labels == 7, 1e17, 3.0)
    pred = np.where(labels % 2, labels, 0)
    tables = metrics.multilabel_confusion_matrix(labels, pred, sample_weight=weights)
    assert tables[7].tolist() == [[1499 * 3.0, 0], [0, 1e17]]
    found = metrics.matthews_corrcoef(labels, pred, sample_weight=weights)
    assert found == pytest.approx(matthews_of_many(labels, pred, weights), rel=1e-12)


def matthews_of_many(true, pred, weights):
    exact = [Fraction(w) for w in weights.tolist()]
    total = sum(exact)
    sums = [[Fraction(0)] * 1500 for _ in range(2)]
    for i, j, w in zip(true.tolist(), pred.tolist(), exact, strict=True):
        sums[0][i] += w
        sums[1][j] += w
    right = sum(w for i, j, w in zip(true, pred, exact, strict=True) if i == j)
    covariance = right * total - sum(a * b for a, b in zip(*sums, strict=True))
    return float(covariance) / math.sqrt(math.prod(total**2 - sum(a * a for a in side) for side in sums))
