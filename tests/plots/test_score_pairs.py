"""The chart of two models' scores counts each case in its cell."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from evalcore.errors import EvaluationError
from evalcore.plots import plot_score_pairs
from evalcore.plots.axes import COLOURS
from evalcore.plots.scores import _cells, _colours
from evalcore.validation.scores import as_binary_scores
from tests.differences import every


def drawn(*given, **options):
    return plot_score_pairs(*given, ax=Figure().add_subplot(), **options)


def random_cases(count=1000):
    rng = np.random.default_rng(3)
    return rng.random(count) < 0.3, {"old": rng.random(count), "new": rng.random(count)}


@every("weighted", [False, True])
def test_cells_have_the_counts_of_numpy(weighted):
    label, scores = random_cases(70_000)
    weights = np.random.default_rng(4).random(label.size) if weighted else None
    cases = tuple(as_binary_scores(label, column, weights) for column in scores.values())
    every_case, positive = _cells(cases, [(0.0, 1.0), (0.0, 1.0)], 20)
    for found, own in ((every_case, np.ones(label.size, bool)), (positive, label)):
        given = None if weights is None else weights[own]
        edges = np.linspace(0, 1, 21)
        expected = np.histogram2d(scores["new"][own], scores["old"][own], [edges, edges], weights=given)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def test_colours_tell_the_class_and_how_many_cases_there_are():
    colours = _colours(np.array([[100.0, 1.0], [0.0, 10.0]]), np.array([[100.0, 0.0], [0.0, 5.0]]))
    np.testing.assert_allclose(colours[0, 0], [*to_rgb(COLOURS[1]), 1.0])
    np.testing.assert_allclose(colours[0, 1], [*to_rgb(COLOURS[0]), 0.2])
    assert colours[1, 0, 3] == 0
    np.testing.assert_allclose(colours[1, 1, 3], 0.6)


def test_axes_are_named_and_share_a_scale_unless_the_models_do_not():
    label, scores = random_cases()
    ax = drawn(label, scores, threshold=0.5, bins=8, title="late")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("score of old", "score of new", "late")
    assert ax.get_xlim() == ax.get_ylim()
    assert [line.get_label() for line in ax.get_lines()] == [
        "_same score",
        "_threshold of the first",
        "_threshold of the second",
    ]
    assert ax.images[0].get_array().shape == (8, 8, 4)
    apart = drawn(label, pd.DataFrame({"old": scores["old"], "new": 100 * scores["new"]}))
    assert apart.get_lines()[:] == []
    assert apart.get_ylim()[1] > 90 > apart.get_xlim()[1]
    assert drawn([1], {"a": [0.5], "b": [0.5]}).get_xlim() == (0.0, 1.0)


@every(
    ("scores", "options", "message"),
    ({"a": [0.1, 0.2]}, {}, r"y_score must have the scores of two models by their names, got 1$"),
    ([0.1, 0.2], {}, r"y_score must have the scores of two models by their names, got 0$"),
    ({"a": [0.1, 0.2], "b": [0.1, np.inf]}, {}, r"Input y_score contains infinity or a value too large"),
    ({"a": [0.1, 0.2], "b": [0.1, 0.3]}, {"bins": 0}, r"bins must be at least 1, got 0$"),
)
def test_what_cannot_be_drawn_is_refused(scores, options, message):
    with pytest.raises(EvaluationError, match=f"^{message}"):
        drawn([0, 1], scores, **options)
