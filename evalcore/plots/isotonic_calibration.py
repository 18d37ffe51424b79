"""Calibration without bins: the isotonic curve of a model, its consistency band, and the parts of its Brier score."""

import numpy as np

from evalcore.inference.calibration.consistency import consistency_band
from evalcore.kernels.isotonic import isotonic_pools
from evalcore.kernels.ratios import ratio
from evalcore.kernels.thinning import Line
from evalcore.metrics.calibration import LossDecomposition, decomposition_by_pools
from evalcore.plots.axes import Curve, legend_text
from evalcore.typing import FloatArray, WeightType
from evalcore.validation.probabilities import PositiveProbabilities

_SEED = 0
"""Of the band, so that a figure is the same each time."""


def isotonic_curve(name: str, cases: PositiveProbabilities, band: tuple[float, bool] | None) -> Curve:
    """Return the isotonic regression of outcomes on probabilities, level within each pool.  O(n log n).

    band: the level of the consistency band, and whether weights are frequencies; None for no band.
    """
    pools = isotonic_pools(*cases)
    x = np.stack([pools.low, pools.high], axis=1, dtype=np.float64).ravel()
    y = np.repeat(ratio(pools.positives, pools.positives + pools.negatives), 2)
    parts = decomposition_by_pools("brier", cases, pools)
    outline = None if band is None else _outline(cases, *band)
    return Curve(Line(x, y), legend_text(name, _decomposition(parts)), name, outline)


def _decomposition(parts: LossDecomposition) -> str:
    """Write a Brier score and what it is made of.

    >>> print(_decomposition(LossDecomposition(0.28125, 0.03125, 0.0, 0.25)))
    Brier score 0.281 =
    miscalibration 0.031
    - discrimination 0.000
    + uncertainty 0.250
    """
    return (
        f"Brier score {parts.loss:.3f} =\nmiscalibration {parts.miscalibration:.3f}\n"
        f"- discrimination {parts.discrimination:.3f}\n+ uncertainty {parts.uncertainty:.3f}"
    )


def _outline(cases: PositiveProbabilities, level: float, frequencies: bool) -> tuple[FloatArray, FloatArray]:
    """Return the outline of the consistency band.  O(n log n)."""
    weight_type: WeightType = "frequency" if frequencies else "sampling"
    band = consistency_band(
        cases.probabilities, sample_weight=cases.weights, weight_type=weight_type, level=level, seed=_SEED
    )
    x = band.probabilities
    return np.concatenate([x, x[::-1]]), np.concatenate([band.high, band.low[::-1]])
