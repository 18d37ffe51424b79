"""Intervals of kappa beside the R packages vcd and psych."""

import numpy as np
import pytest

from evalcore.inference import kappa_interval
from tests.inference.by_r import shown_by_r

SCRIPT = """
counts <- table(data$true, data$pred)
spaced <- Kappa(counts, weights = "Equal-Spacing")
squared <- Kappa(counts, weights = "Fleiss-Cohen")
for (found in list(spaced$Unweighted, spaced$Weighted, squared$Weighted)) show(found)
other <- cohen.kappa(as.matrix(unclass(counts)))
show(other$kappa, sqrt(other$var.kappa))
show(other$weighted.kappa, NaN)  # its error rests on another formula
"""
WEIGHTS = None, "linear", "quadratic", None, "quadratic"


@pytest.mark.process
@pytest.mark.parametrize("classes", [2, 5])
def test_errors_of_kappa_are_those_of_vcd_and_psych(classes):
    rng = np.random.default_rng(classes)
    true = rng.integers(0, classes, 150)
    pred = np.where(rng.random(150) < 0.5, true, rng.integers(0, classes, 150))
    shown = shown_by_r(["vcd", "psych"], SCRIPT, {"true": true, "pred": pred})
    for weights, (estimate, error) in zip(WEIGHTS, shown, strict=True):
        found = kappa_interval(true, pred, weights=weights)
        assert found.estimate == pytest.approx(estimate, rel=1e-12), weights
        assert np.isnan(error) or found.high - found.low == pytest.approx(2 * 1.959963984540054 * error, rel=1e-12), (
            weights
        )
