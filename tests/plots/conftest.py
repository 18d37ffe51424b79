"""Pictures in memory; each test leaves no figure open."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return Figure(layout="constrained").add_subplot()


@pytest.fixture(scope="session")
def cases():
    """Draw labels and the scores of two models, as probabilities with ties."""
    rng = np.random.default_rng(7)
    labels = rng.random(400) < 0.3
    strong = np.round(1 / (1 + np.exp(-rng.normal(2.0 * labels - 1.5))), 2)
    return labels, {"strong": strong, "weak": np.round((strong + rng.random(400)) / 2, 2)}
