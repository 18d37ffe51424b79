"""Inference beside the R packages pROC, survey, vcd and psych: what they printed, and what they say where installed."""

import itertools
import shutil
import subprocess
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from evalcore import compare, inference
from evalcore.inference.cells import cells_of_counts, cells_of_sums, tables_of
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.measures import multiclass
from evalcore.measures.agreement import disagreement
from evalcore.measures.influence import effective_trials
from evalcore.metrics import partial_auc
from tests.asah import NDKA, POOR, S100B, WFNS

LIBRARY = "suppressMessages(library({}))\n"
READ = """
show <- function(...) cat(sprintf("%.17g", as.numeric(c(...))), "\\n")
data <- read.csv(file("stdin"))
"""


@cache
def has_package(name):
    """Tell whether R and a package of it are installed."""
    program = shutil.which("Rscript")
    script = f'quit(status = !requireNamespace("{name}", quietly = TRUE))'
    return (
        program is not None
        and subprocess.run([program, "-e", script], check=False, capture_output=True).returncode == 0
    )


def shown_by_r(packages, script, columns):
    """Return the lines of numbers that a script shows of `data`, which has these columns; skip without a package."""
    for name in packages:
        if not has_package(name):
            pytest.skip(f"R or its package {name} is not installed")
    rows = zip(*(map(repr, column.tolist()) for column in columns.values()), strict=True)
    table = "\n".join([",".join(columns), *map(",".join, rows)])
    script = "".join(map(LIBRARY.format, packages)) + READ + script
    run = subprocess.run(["Rscript", "-e", script], input=table, capture_output=True, text=True, check=True)
    return [tuple(map(float, line.split())) for line in run.stdout.splitlines()]


ASAH = POOR, [S100B, NDKA, WFNS]
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
    result = inference.roc_auc_covariance(labels, columns)
    for index, (scores, model) in enumerate(zip(columns, models, strict=True)):
        assert result.areas[index] == close(model.area)
        assert result.covariance[index, index] == close(model.variance)
        for level, bounds in ((0.95, model.bounds), (0.9, model.narrower)):
            interval = inference.roc_auc_interval(labels, scores, level=level, method="delong")
            assert [interval.low, interval.estimate, interval.high] == close(list(bounds))
    for (first, second), pair in zip(combinations(range(len(columns)), 2), pairs, strict=True):
        assert result.covariance[first, second] == close(pair.covariance)
        paired = inference.compare_roc_auc(labels, columns[second], columns[first], method="delong")
        assert [paired.statistic, paired.p_value, paired.low, paired.high] == close(list(pair.paired))
        unpaired = inference.compare_unpaired_roc_auc(labels, columns[second], labels, columns[first], method="delong")
        assert [unpaired.statistic, unpaired.p_value] == close(list(pair.unpaired))


def close(numbers):
    return pytest.approx(numbers, rel=1e-10, abs=1e-13)


def test_the_numbers_are_those_that_proc_printed_for_its_data():
    labels, columns = ASAH
    assert (labels.sum(), labels.size) == (41, 113)
    check(labels, columns, *PRINTED)


DATA = {
    "aSAH": lambda: ASAH,
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
    labels, columns = ASAH
    given = {"label": labels.astype(int)} | dict(zip(MODELS, columns, strict=True))
    for model, of_specificity, low, high, area in shown_by_r(["pROC"], PARTIAL_SCRIPT, given):
        bounds = {"fpr_range": (1 - high, 1 - low)} if of_specificity else {"tpr_range": (low, high)}
        assert partial_auc(labels, columns[int(model) - 1], **bounds) == pytest.approx(area, abs=1e-10)


Y_TRUE = np.array([1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0])
Y_PRED = np.array([1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1])
WEIGHTS = np.array([1, 2.5, 0.5, 3, 1.25, 4, 0.75, 2, 1.5, 6, 2, 0.25])
SURVEY = """
for (data in split(data, data$seed)) {
  design <- svydesign(ids = ~1, weights = ~weight, data = data)
  accuracy <- svymean(~as.numeric(true == pred), design)
  precision <- svyratio(~I(true * pred), ~pred, design)
  f1 <- svyratio(~I(2 * true * pred), ~I(true + pred), design)
  for (each in list(accuracy, precision, f1)) show(coef(each), SE(each))
  show(attr(svyciprop(~I(true == pred), design, method = "beta"), "ci"))
}
"""
DIFFERENCES = """
at <- function(scores) as.numeric(scores >= 0.5)
data <- within(data, {
  right.new <- as.numeric(at(new) == label); right.old <- as.numeric(at(old) == label)
  gain <- (new - label)^2 - (old - label)^2
  flagged.new <- at(new); flagged.old <- at(old); tp.new <- at(new) * label; tp.old <- at(old) * label
  negative <- 1 - label; tn.new <- (1 - at(new)) * negative; tn.old <- (1 - at(old)) * negative
})
known <- data.frame(label = c(1, 0), Freq = c(0.2, 0.8))
for (units in list(~1, ~cluster)) for (frequencies in list(NULL, known)) {
  design <- svydesign(ids = units, weights = ~weight, data = data)
  of.clusters <- identical(units, ~cluster)
  if (of.clusters) design <- as.svrepdesign(design, type = "JK1", mse = TRUE)
  if (!is.null(frequencies)) design <- postStratify(design, ~label, frequencies)
  means <- svymean(~gain + right.new + right.old + flagged.new + flagged.old + tp.new + tp.old + tn.new + tn.old +
                   label + negative, design, return.replicates = of.clusters)
  for (each in list(
    quote(gain), quote(right.new - right.old), quote((tp.new - tp.old) / label), quote((tn.new - tn.old) / negative),
    quote(tp.new / flagged.new - tp.old / flagged.old),
    quote(2 * tp.new / (label + flagged.new) - 2 * tp.old / (label + flagged.old))
  )) { found <- svycontrast(means, each); show(coef(found), SE(found)) }
}
"""
SURVEY_PRINTED = [
    (0.83838383838383845, 0.11513597457284361),
    (0.84615384615384615, 0.13385834020216433),
    (0.80487804878048785, 0.14103028604372278),
    (0.4891067069014387, 0.98555548208887156),
]
"""By survey 4.1.1 in R 4.2.2: accuracy, precision and F1 with their standard errors; Korn and Graubard's bounds."""


def similar(numbers, rel=1e-12):
    return pytest.approx(numbers, rel=rel)


def check_survey(y_true, y_pred, weights, printed):
    """Assert that estimates, standard errors and effective numbers of trials are those of survey."""
    size = y_true.size
    cells = weight_sums(binary_codes(y_true == 1, y_pred == 1), weights, 4)
    tp, fn, fp, tn = (cells.at(slice(cell, cell + 1)) for cell in range(4))
    corrected = np.sqrt((size - 1) / size)
    for (estimate, error), (successes, trials) in zip(
        printed[:2], [(tp.plus(tn), tp.plus(fn).plus(fp).plus(tn)), (tp, tp.plus(fp))], strict=True
    ):
        found, number = (float(each[0]) for each in effective_trials(successes, trials))
        assert found == similar(estimate)
        assert np.sqrt(found * (1 - found) / number) == similar(error * corrected)
    estimate, error = printed[2]
    tables = cells_of_sums(tables_of(WeightSums(*(column[:, np.newaxis] for column in cells))))
    [variance], _ = tables.spread(multiclass.decision_derivatives("f1", tables.sums.sums))
    assert np.sqrt(variance) == similar(error * corrected)
    for interval, function in ((printed[0], inference.accuracy_interval), (printed[1], inference.precision_interval)):
        normal = function(y_true, y_pred, sample_weight=weights, method="normal")
        assert normal.estimate - normal.low > 1.96 * interval[1] * corrected  # by Student's quantiles


def test_standard_errors_are_those_that_survey_printed():
    check_survey(Y_TRUE, Y_PRED, WEIGHTS, SURVEY_PRINTED)


def test_exact_bounds_are_near_those_of_korn_and_graubard():
    interval = inference.accuracy_interval(Y_TRUE, Y_PRED, sample_weight=WEIGHTS, method="clopper-pearson")
    # they have n - 1 degrees of freedom for the variance, which so unequal weights tell with fewer
    assert SURVEY_PRINTED[3][0] - 0.1 < interval.low < SURVEY_PRINTED[3][0]
    assert SURVEY_PRINTED[3][1] < interval.high < SURVEY_PRINTED[3][1] + 0.01


@pytest.mark.process
def test_standard_errors_are_those_of_survey():
    samples = []
    for rng in map(np.random.default_rng, range(3)):
        y_true = (rng.random(200) < 0.4).astype(int)
        y_pred = (rng.random(200) < np.where(y_true, 0.8, 0.3)).astype(int)
        samples.append((y_true, y_pred, rng.lognormal(size=200)))
    columns = dict(zip(("true", "pred", "weight"), map(np.concatenate, zip(*samples, strict=True)), strict=True))
    shown = shown_by_r(["survey"], SURVEY, columns | {"seed": np.repeat(range(3), 200)})
    for seed, sample in enumerate(samples):
        check_survey(*sample, shown[4 * seed : 4 * seed + 4])


@pytest.mark.process
def test_errors_of_differences_are_those_of_survey():
    """Cases have a factor of n / (n - 1) on both sides, and clusters are left out in turn.

    A known prevalence is that of two strata after the fact.
    """
    rng = np.random.default_rng(7)
    label, cluster = rng.random(300) < 0.4, np.arange(300) % 40
    quality = rng.normal(size=300) + label + rng.normal(size=40)[cluster]
    old, new = 1 / (1 + np.exp(1 - quality - rng.normal(size=(2, 300))))
    given = {"label": label, "old": old, "new": new, "weight": rng.lognormal(size=300), "cluster": cluster}
    names = ["brier_score", *(f"{each}@0.5" for each in ("accuracy", "recall", "specificity", "precision", "f1"))]
    asked = {"label": "label", "score": "new", "old_score": "old", "weight": "weight", "measures": names}
    shown = iter(shown_by_r(["survey"], DIFFERENCES, given | {"label": label.astype(int)}))
    for clusters, prevalence in itertools.product((None, "cluster"), (None, 0.2)):
        report = compare(given, **asked, cluster=clusters, target_prevalence=prevalence)
        for name in names:
            difference, error = next(shown)
            assert report[name].found.difference == similar(difference, rel=1e-10), (name, clusters, prevalence)
            assert report[name].error == similar(error, rel=1e-9), (name, clusters, prevalence)


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
    counts = np.zeros((1, classes, classes), np.int64)
    np.add.at(counts[0], (true, pred), 1)
    for weights, (estimate, error) in zip(KAPPA_WEIGHTS, shown, strict=True):
        found = inference.kappa_interval(true, pred, weights=weights)
        assert found.estimate == pytest.approx(estimate, rel=1e-12), weights
        apart = disagreement(classes, [None, "linear", "quadratic"].index(weights))
        variances = cells_of_counts(counts).spread(multiclass.kappa_derivatives(counts, apart)).variances
        assert np.isnan(error) or np.sqrt(variances) == pytest.approx([error], rel=1e-12), weights
