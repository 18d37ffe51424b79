"""Intervals of weighted and clustered cases, and of kappa, beside the R packages survey, vcd and psych."""

import numpy as np
import pytest

from evalcore import compare
from evalcore.inference import accuracy_interval, kappa_interval, precision_interval
from evalcore.inference.cells import cells_of_sums, tables_of
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.measures import multiclass
from evalcore.measures.effective_cases import effective_trials
from tests.inference.by_r import shown_by_r

Y_TRUE = np.array([1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0])
Y_PRED = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1])
WEIGHTS = np.array([1, 2.5, 0.5, 3, 1.25, 4, 0.75, 2, 1.5, 6, 2, 0.25])
SCRIPT = """
design <- svydesign(ids = ~1, weights = ~weight, data = data)
accuracy <- svymean(~as.numeric(true == pred), design)
precision <- svyratio(~I(true * pred), ~pred, design)
f1 <- svyratio(~I(2 * true * pred), ~I(true + pred), design)
for (each in list(accuracy, precision, f1)) show(coef(each), SE(each))
show(attr(svyciprop(~I(true == pred), design, method = "beta"), "ci"))
"""
DIFFERENCES = """
at <- function(scores) as.numeric(scores >= 0.5)
data <- within(data, {{
  right.new <- as.numeric(at(new) == label); right.old <- as.numeric(at(old) == label)
  gain <- (new - label)^2 - (old - label)^2
  flagged.new <- at(new); flagged.old <- at(old); tp.new <- at(new) * label; tp.old <- at(old) * label
  negative <- 1 - label; tn.new <- (1 - at(new)) * negative; tn.old <- (1 - at(old)) * negative
}})
design <- svydesign(ids = ~unit, weights = ~weight, data = data)
{}
means <- svymean(~gain + right.new + right.old + flagged.new + flagged.old + tp.new + tp.old + tn.new + tn.old +
                 label + negative, design)
for (each in list(
  quote(gain), quote(right.new - right.old), quote((tp.new - tp.old) / label), quote((tn.new - tn.old) / negative),
  quote(tp.new / flagged.new - tp.old / flagged.old),
  quote(2 * tp.new / (label + flagged.new) - 2 * tp.old / (label + flagged.old))
)) {{ found <- svycontrast(means, each); show(coef(found), SE(found)) }}
"""
AT_PREVALENCE = """
design <- postStratify(design, ~label, data.frame(label = c(1, 0), Freq = c({}, {})))
"""
PRINTED = [
    (0.83838383838383845, 0.11513597457284361),
    (0.84615384615384615, 0.13385834020216433),
    (0.80487804878048785, 0.14103028604372278),
    (0.4891067069014387, 0.98555548208887156),
]
"""By survey 4.1.1 in R 4.2.2: accuracy, precision and F1 with their standard errors; Korn and Graubard's bounds."""


def close(numbers, rel=1e-12):
    return pytest.approx(numbers, rel=rel)


def check(y_true, y_pred, weights, printed):
    """Assert that estimates, standard errors and effective numbers of trials are those of survey."""
    size = y_true.size
    cells = weight_sums(binary_codes(y_true == 1, y_pred == 1), weights, 4)
    tp, fn, fp, tn = (cells.at(slice(cell, cell + 1)) for cell in range(4))
    corrected = np.sqrt((size - 1) / size)
    for (estimate, error), (successes, trials) in zip(
        printed[:2], [(tp.plus(tn), tp.plus(fn).plus(fp).plus(tn)), (tp, tp.plus(fp))], strict=True
    ):
        found, number = (float(each[0]) for each in effective_trials(successes, trials))
        assert found == close(estimate)
        assert np.sqrt(found * (1 - found) / number) == close(error * corrected)
    estimate, error = printed[2]
    tables = cells_of_sums(tables_of(WeightSums(*(column[:, np.newaxis] for column in cells))))
    [variance] = tables.spread(multiclass.decision_derivatives("f1", tables.sums.sums))
    assert np.sqrt(variance) == close(error * corrected)
    for interval, function in ((printed[0], accuracy_interval), (printed[1], precision_interval)):
        normal = function(y_true, y_pred, sample_weight=weights, method="normal")
        assert normal.estimate - normal.low == close(1.959963984540054 * interval[1] * corrected)


def test_standard_errors_are_those_that_survey_printed():
    check(Y_TRUE, Y_PRED, WEIGHTS, PRINTED)


def test_exact_bounds_are_near_those_of_korn_and_graubard():
    interval = accuracy_interval(Y_TRUE, Y_PRED, sample_weight=WEIGHTS, method="clopper-pearson")
    # with n / (n - 1) times the variance theirs are a little wider
    assert PRINTED[3][0] < interval.low < PRINTED[3][0] + 0.03
    assert PRINTED[3][1] - 0.01 < interval.high < PRINTED[3][1]


@pytest.mark.process
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_standard_errors_are_those_of_survey(seed):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(200) < 0.4).astype(int)
    y_pred = (rng.random(200) < np.where(y_true, 0.8, 0.3)).astype(int)
    weights = rng.lognormal(size=200)
    check(y_true, y_pred, weights, shown_by_r(["survey"], SCRIPT, {"true": y_true, "pred": y_pred, "weight": weights}))


@pytest.mark.process
@pytest.mark.parametrize("clusters", [None, "cluster"])
@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_errors_of_differences_are_those_of_survey(clusters, prevalence):
    """With a factor of C / (C - 1) on both sides; a known prevalence is that of two strata after the fact."""
    rng = np.random.default_rng(7)
    label, cluster = rng.random(300) < 0.4, np.arange(300) % 40
    quality = rng.normal(size=300) + label + rng.normal(size=40)[cluster]
    old, new = 1 / (1 + np.exp(1 - quality - rng.normal(size=(2, 300))))
    given = {"label": label, "old": old, "new": new, "weight": rng.lognormal(size=300), "cluster": cluster}
    asked = {
        "score": "new",
        "old_score": "old",
        "weight": "weight",
        "cluster": clusters,
        "target_prevalence": prevalence,
    }
    names = ["brier_score", *(f"{each}@0.5" for each in ("accuracy", "recall", "specificity", "precision", "f1"))]
    report = compare(given, label="label", measures=names, **asked)
    columns = given | {"label": label.astype(int), "unit": np.arange(300) if clusters is None else cluster}
    script = DIFFERENCES.format("" if prevalence is None else AT_PREVALENCE.format(prevalence, 1 - prevalence))
    for name, (difference, error) in zip(names, shown_by_r(["survey"], script, columns), strict=True):
        assert report[name].found.difference == close(difference, rel=1e-10), name
        assert report[name].error == close(error, rel=1e-9), name


KAPPA_SCRIPT = """
counts <- table(data$true, data$pred)
spaced <- Kappa(counts, weights = "Equal-Spacing")
squared <- Kappa(counts, weights = "Fleiss-Cohen")
for (found in list(spaced$Unweighted, spaced$Weighted, squared$Weighted)) show(found)
other <- cohen.kappa(as.matrix(unclass(counts)))
show(other$kappa, sqrt(other$var.kappa))
show(other$weighted.kappa, NaN)  # its error rests on another formula
"""
KAPPA_WEIGHTS = None, "linear", "quadratic", None, "quadratic"


@pytest.mark.process
@pytest.mark.parametrize("classes", [2, 5])
def test_errors_of_kappa_are_those_of_vcd_and_psych(classes):
    rng = np.random.default_rng(classes)
    true = rng.integers(0, classes, 150)
    pred = np.where(rng.random(150) < 0.5, true, rng.integers(0, classes, 150))
    shown = shown_by_r(["vcd", "psych"], KAPPA_SCRIPT, {"true": true, "pred": pred})
    for weights, (estimate, error) in zip(KAPPA_WEIGHTS, shown, strict=True):
        found = kappa_interval(true, pred, weights=weights)
        assert found.estimate == pytest.approx(estimate, rel=1e-12), weights
        assert np.isnan(error) or found.high - found.low == pytest.approx(2 * 1.959963984540054 * error, rel=1e-12), (
            weights
        )
