"""DeLong's method and partial areas beside the R package pROC: what it printed, and what it says where installed."""

import csv
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from evalcore.inference import compare_roc_auc, compare_unpaired_roc_auc, roc_auc_covariance, roc_auc_interval
from evalcore.metrics import partial_auc
from tests.inference.by_r import shown_by_r

ASAH = Path(__file__).parents[1] / "data" / "asah.csv"
MODELS = ("s100b", "ndka", "wfns")
SCRIPT = """
curves <- lapply(data[-1], function(scores) roc(data[[1]], scores, levels = c(0, 1), direction = "<", quiet = TRUE))
for (curve in curves) show(auc(curve), var(curve), ci.auc(curve, conf.level = 0.95), ci.auc(curve, conf.level = 0.9))
for (pair in combn(curves, 2, simplify = FALSE)) {
  paired <- roc.test(pair[[1]], pair[[2]], method = "delong", paired = TRUE)
  unpaired <- suppressWarnings(roc.test(pair[[1]], pair[[2]], method = "delong", paired = FALSE))
  show(cov(pair[[1]], pair[[2]]), paired$statistic, paired$p.value, paired$conf.int,
       unpaired$statistic, unpaired$p.value)
}
"""

PARTIAL_SCRIPT = """
for (model in 1:3) {
  curve <- roc(data[[1]], data[[model + 1]], levels = c(0, 1), direction = "<", quiet = TRUE)
  for (range in list(c(0.9, 1), c(0.71, 0.97), c(0.05, 0.5))) for (focus in c("specificity", "sensitivity")) {
    show(model, focus == "specificity", range, auc(curve, partial.auc = range, partial.auc.focus = focus))
  }
}
"""


class OfModel(NamedTuple):
    """Area, its variance, its interval of 95% and that of 90%, each with the area in the middle."""

    area: float
    variance: float
    bounds: tuple[float, float, float]
    narrower: tuple[float, float, float]


class OfPair(NamedTuple):
    """Covariance of two areas; z, p-value and bounds of the paired test; t and p-value of the unpaired one."""

    covariance: float
    paired: tuple[float, float, float, float]
    unpaired: tuple[float, float]


PRINTED = (
    [
        OfModel(0.73136856368563685, 0.0026686824571724378,
                (0.63011821176162264, 0.73136856368563685, 0.83261891560965107),
                (0.64639658975856984, 0.73136856368563685, 0.81634053761270375)),
        OfModel(0.61195799457994582, 0.0031908105493913021,
                (0.50124499927170263, 0.61195799457994582, 0.72267098988818901),
                (0.51904471998925972, 0.61195799457994582, 0.70487126917063181)),
        OfModel(0.82367886178861793, 0.0014699147088236264,
                (0.74853488781945288, 0.82367886178861793, 0.89882283575778299),
                (0.76061605088919537, 0.82367886178861793, 0.88674167268804049)),
    ],
    [
        OfPair(-0.00075616493805657884,
               (1.3907700257355771, 0.16429517522305448, -0.048870606422809354, 0.28769174463419145),
               (1.5599574338968532, 0.12019283243084519)),
        OfPair(0.0011961556737675448,
               (-2.2089835914409077, 0.02717578222918815, -0.17421441924947756, -0.010406176956484617),
               (-1.4349064092690753, 0.15282537880879596)),
        OfPair(-0.00053296785676243776,
               (-2.7977759186890387, 0.0051455797069109776, -0.36004056348335656, -0.063401170933987644),
               (-3.1012509677896891, 0.0022095079175645685)),
    ],
)  # fmt: skip
"""By pROC 1.18.0 in R 4.2.2, of `MODELS` and of their pairs."""


@cache
def asah():
    """Read who had a poor outcome, and the scores of each model."""
    with ASAH.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return np.array([row["outcome"] == "Poor" for row in rows]), [np.array([float(row[name]) for row in rows])
                                                                  for name in MODELS]  # fmt: skip


def drawn(seed, levels):
    """Draw cases that three models score, the first two alike, with so many levels to a standard deviation."""
    rng = np.random.default_rng(seed)
    labels = rng.random(150) < 0.3
    shared = rng.normal(size=labels.size) + labels
    columns = [shared + 0.3 * rng.normal(size=labels.size), shared + 0.3 * rng.normal(size=labels.size),
               2 * labels + rng.normal(size=labels.size)]  # fmt: skip
    return labels, [np.round(column * levels) / levels for column in columns]


def by_proc(labels, columns):
    """Ask pROC what `PRINTED` holds of other data."""
    numbers = shown_by_r(["pROC"], SCRIPT, {"label": labels.astype(int)} | dict(zip(MODELS, columns, strict=True)))
    models, pairs = numbers[: len(columns)], numbers[len(columns) :]
    return ([OfModel(area, variance, rest[:3], rest[3:]) for area, variance, *rest in models],
            [OfPair(covariance, rest[:4], rest[4:]) for covariance, *rest in pairs])  # fmt: skip


def check(labels, columns, models, pairs):
    """Assert that all of it is what pROC says."""
    result = roc_auc_covariance(labels, columns)
    for index, (scores, model) in enumerate(zip(columns, models, strict=True)):
        assert result.areas[index] == close(model.area)
        assert result.covariance[index, index] == close(model.variance)
        for level, bounds in ((0.95, model.bounds), (0.9, model.narrower)):
            interval = roc_auc_interval(labels, scores, level=level, method="delong")
            assert [interval.low, interval.estimate, interval.high] == close(list(bounds))
    for (first, second), pair in zip(combinations(range(len(columns)), 2), pairs, strict=True):
        assert result.covariance[first, second] == close(pair.covariance)
        paired = compare_roc_auc(labels, columns[second], columns[first], method="delong")
        assert [paired.statistic, paired.p_value, paired.low, paired.high] == close(list(pair.paired))
        unpaired = compare_unpaired_roc_auc(labels, columns[second], labels, columns[first])
        assert [unpaired.statistic, unpaired.p_value] == close(list(pair.unpaired))


def close(numbers):
    return pytest.approx(numbers, rel=1e-10, abs=1e-13)


def test_the_numbers_are_those_that_proc_printed_for_its_data():
    labels, columns = asah()
    assert (labels.sum(), labels.size) == (41, 113)
    check(labels, columns, *PRINTED)


DATA = {
    "aSAH": asah,
    "distinct": lambda: drawn(1, 1e9),
    "with ties": lambda: drawn(2, 4),
    "few levels": lambda: drawn(3, 1),
}


@pytest.mark.process
@pytest.mark.parametrize("name", DATA)
def test_the_numbers_are_those_of_proc(name):
    labels, columns = DATA[name]()
    check(labels, columns, *by_proc(labels, columns))


@pytest.mark.process
def test_partial_areas_are_those_of_proc():
    labels, columns = asah()
    given = {"label": labels.astype(int)} | dict(zip(MODELS, columns, strict=True))
    for model, of_specificity, low, high, area in shown_by_r(["pROC"], PARTIAL_SCRIPT, given):
        bounds = {"fpr_range": (1 - high, 1 - low)} if of_specificity else {"tpr_range": (low, high)}
        assert partial_auc(labels, columns[int(model) - 1], **bounds) == pytest.approx(area, abs=1e-10)
