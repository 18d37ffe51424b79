"""Confusion matrices as heat maps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import ratio
from evalcore.kernels.tables import category_counts
from evalcore.plots.axes import axes_of, plain, pyplot
from evalcore.plots.keywords import check_colour_map
from evalcore.state.protocols import HasCategoryCounts
from evalcore.typing import FloatArray, IntArray
from evalcore.validation.categories import as_categories, as_coded_cases, as_count_matrix

_DARK = 0.179
"""Below this luminance white digits have more contrast than black ones (WCAG 2.2, contrast ratio)."""
_LEAST_POINTS = 4.5
"""Smaller digits are unreadable."""
_MOST_SLANTED = 12
_INCHES = 0.45
"""Height per category, in a new figure."""


def plot_confusion_matrix(
    y_true: Any, y_pred: Any = None, *, ax: Any = None, labels: Any = None, cmap: Any = "Blues"
) -> Any:
    """Draw a confusion matrix as a heat map, with counts and their fraction of each row.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Names of categories.  Without `y_pred`, a ConfusionMatrix, an evaluator of a classifier, or counts of shape
        (k, k), rows by reference.
    y_pred : array-like of shape (n,), optional
        Names of categories.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    labels : sequence of str or int, optional
        The categories, in the order of rows and columns.
    cmap : str or matplotlib.colors.Colormap, default "Blues"
        From light to dark, for fractions from 0 to 1.

    Returns
    -------
    matplotlib.axes.Axes
        Its image holds the fractions, its texts the counts and percentages, row by row.  If the cells are too small for
        readable text, a colour bar replaces it.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, counts or arguments are invalid, or matplotlib is missing.

    Notes
    -----
    O(n + k²).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_confusion_matrix([[9, 3], [1, 5]], labels=["Cabernet", "Syrah"], ax=Figure().add_subplot())
    >>> ax.images[0].get_array().data
    array([[0.75      , 0.25      ],
           [0.16666667, 0.83333333]])
    """
    check_colour_map("cmap", cmap)
    categories, counts = _categories_and_counts(y_true, y_pred, labels)
    names = [str(name) for name in categories]
    fractions = np.asarray(ratio(counts, counts.sum(axis=1, keepdims=True)))
    ax = axes_of(ax, height=_INCHES * len(names))
    image = ax.imshow(fractions, cmap=cmap, vmin=0, vmax=1, aspect="equal", interpolation="nearest")
    ax.set(xlabel="response", ylabel="reference")
    _name_categories(ax, names)
    _draw_lattice(ax, len(names))
    if not _write_cells(ax, counts, fractions, image.cmap(fractions)):
        ax.figure.colorbar(image, ax=ax, label="fraction of row", fraction=0.046, pad=0.03)
    return ax


def _categories_and_counts(y_true: Any, y_pred: Any, labels: Any) -> tuple[Sequence[Any], IntArray]:
    if y_pred is not None:
        cases = as_coded_cases(y_true, y_pred, labels, ("y_true", "y_pred"))
        return cases.categories, category_counts(cases.reference, cases.response, len(cases.categories))
    if isinstance(y_true, HasCategoryCounts):
        if labels is not None:
            raise EvaluationError(
                "labels must be None if y_true is a ConfusionMatrix or an evaluator, which has its categories"
            )
        return y_true.categories(), y_true.category_counts()
    counts: npt.NDArray[Any] = np.asarray(y_true)
    if counts.ndim != 2:
        raise EvaluationError("y_pred is needed unless y_true is a ConfusionMatrix or counts of shape (k, k)")
    categories = as_categories(range(len(counts)) if labels is None else labels, "labels")
    return categories, as_count_matrix(counts, len(categories), "y_true")


def _name_categories(ax: Any, names: list[str]) -> None:
    """Write the names of rows and columns, as many and as large as there is space."""
    space = _cell_points(ax, len(names))
    font = min(ax.xaxis.get_ticklabels()[0].get_fontsize(), 0.8 * space)
    every = 1
    if font < _LEAST_POINTS:
        font, every = _LEAST_POINTS, int(np.ceil(_LEAST_POINTS / (0.8 * space)))
    indices = range(0, len(names), every)
    shown = [plain(names[index]) for index in indices]
    ax.set_yticks(indices, shown, fontsize=font)
    ax.set_xticks(indices, shown, fontsize=font)
    if 0.65 * font * max(map(len, shown)) > space * every:
        for text in ax.get_xticklabels():
            text.set(rotation=90 if len(names) > _MOST_SLANTED else 45, ha="right", va="center", rotation_mode="anchor")


def _draw_lattice(ax: Any, size: int) -> None:
    """Separate the cells by white lines."""
    ax.set_xticks(np.arange(size + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(size + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1)
    ax.grid(visible=False, which="major")
    ax.tick_params(which="minor", length=0)


def _cell_points(ax: Any, size: int) -> float:
    """Return the width of a cell in points of 1/72 inch, before a layout engine moves the axes."""
    box = ax.get_window_extent()
    return float(72 / ax.figure.dpi * min(box.width, box.height) / size)


def _write_cells(ax: Any, counts: IntArray, fractions: FloatArray, colours: FloatArray) -> bool:
    """Write count and percentage into each cell, as large as fits; return whether that is readable."""
    points = _cell_points(ax, len(counts))
    longest = max(len(f"{counts.max():,}"), 5)
    font = min(points / (0.72 * longest), points / 3.2, pyplot().rcParams["font.size"])
    if font < _LEAST_POINTS:
        return False
    dark = colours[..., :3] ** 2.2 @ [0.2126, 0.7152, 0.0722] < _DARK
    for row, column in np.ndindex(counts.shape):
        fraction = fractions[row, column]
        text = f"{counts[row, column]:,}" + ("" if np.isnan(fraction) else f"\n{100 * fraction:.1f}%")
        colour = None if np.isnan(fraction) else "white" if dark[row, column] else "black"
        ax.text(column, row, text, ha="center", va="center", fontsize=font, color=colour)
    return True
