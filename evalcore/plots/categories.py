"""Confusion matrices as heat maps, and histograms of the rank of the right category."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, check_type, refuse
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import joint_counts
from evalcore.optional import require
from evalcore.plots.axes import COLOURS, axes_of, count_text, grey, plain, settings, shortened, small
from evalcore.plots.legends import finished
from evalcore.plots.models import check_colour_map, check_line
from evalcore.state.shared import HasCategoryCounts, HasRankCounts
from evalcore.typing import AnyArray, BoolArray, FloatArray
from evalcore.validation.arrays import as_1d
from evalcore.validation.categories import as_categories, as_coded_cases, as_count_matrix
from evalcore.validation.values import check_choice
from evalcore.validation.weights import as_case_weights, check_consistent_lengths

_DARK = 0.179
"""Below this luminance white digits have more contrast than black ones (WCAG 2.2, contrast ratio)."""
_RIGHT, _MISTAKES = (0, 0.82), (1, 0.75)
"""The colours of the diagonal and of the other cells, and how opaque the largest is: texts are read on any page."""
_LEAST_POINTS, _LEAST_OF_BOTH = 6.0, 8.5
"""Smaller digits are unreadable; those of counts with percentages below are shortened before."""
_MOST_SLANTED = 12
_INCHES = 0.45
"""Width and height of a category, in a new figure."""
_MOST_INCHES = 12.0
_LONGEST_NAME = 25
_MOST_NAMED = 50
"""Categories with names of their own: more could not be read, and matplotlib takes a millisecond for each."""
_MOST_FULL, _MOST_WRITTEN = 12, 400
"""Categories whose cells have counts and percentages, and cells that have texts at all."""
_MOST_LINED = 30
"""Lines between more categories would hide small cells."""

_ROW = 0.55
"""Height of a bar of all cases of a category; rows are 1 apart."""
_MOST_NUMBERED = 12


def plot_confusion_matrix(
    y_true: Any,
    y_pred: Any = None,
    *,
    ax: Any = None,
    labels: Any = None,
    normalize: Literal["true", "pred", "all"] | None = "true",
    cmap: Any = None,
    norm: Any = None,
    title: str | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Draw a confusion matrix as a heat map, with counts and fractions in its cells.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Names of categories.  Without `y_pred`, a ConfusionMatrix, an evaluator of a classifier, or counts of shape
        (k, k), rows by label.
    y_pred : array-like of shape (n,), optional
        Names of categories.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure, as large as the matrix needs, at most 12 inches.
    labels : sequence of str or int, optional
        The categories, in the order of rows and columns: all that occur, or the names of given counts.
    normalize : {"true", "pred", "all"} or None, default "true"
        Whether colours show fractions of each row, of each column or of all cases, or the counts themselves.
    cmap : str or matplotlib.colors.Colormap, optional
        Of all cells, from small to large.  By default mistakes have a colour of their own, whose scale ends at the
        largest of them, so that rare ones are seen beside a strong diagonal; both colours are for any background.
    norm : matplotlib.colors.Normalize, optional
        How the numbers of all cells become colours; by default in proportion.
    title : str, optional
        Title of the axes.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative, of the cases in `y_true` and `y_pred`; cells are then sums of weights.

    Returns
    -------
    matplotlib.axes.Axes
        Its images hold the fractions or counts, the first one without the diagonal unless `cmap` or `norm` is given;
        its texts the counts and percentages, row by row.  Small cells have
        whole percentages alone, none where there is no case.  If even those would be unreadable, a colour bar replaces
        them.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, counts or arguments are invalid, or matplotlib is missing.

    Notes
    -----
    Use it to see which classes are mistaken for which; `normalize` it where classes differ in size.

    O(n + k²).  Long names are shortened, and names of many categories thinned.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_confusion_matrix([[9, 3], [1, 5]], labels=["Cabernet", "Syrah"], ax=Figure().add_subplot())
    >>> ax.images[0].get_array().data
    array([[0.75      , 0.25      ],
           [0.16666667, 0.83333333]])
    """
    check_choice(normalize, ("true", "pred", "all", None), "normalize", "plot_confusion_matrix")
    check_colour_map(cmap)
    if norm is not None and not isinstance(norm, require("matplotlib.colors", "plots").Normalize):
        raise EvaluationError(f"norm must be a Normalize of matplotlib.colors, such as PowerNorm(0.5), got {norm!r}")
    categories, counts = _categories_and_counts(y_true, y_pred, labels, sample_weight)
    shown, what = counts, "cases"
    if normalize is not None:  # NaN where there is nothing to divide by
        axis = {"true": 1, "pred": 0}.get(normalize)
        shown = np.asarray(ratio(counts, counts.sum(axis=axis, keepdims=True)))
        what = f"fraction of {'all cases' if axis is None else ('column', 'row')[axis]}"
    side = min(_INCHES * len(counts), _MOST_INCHES)
    ax = axes_of(ax, width=side + 1, height=side)
    images = _images(ax, shown, cmap, norm)
    ax.set(xlabel="predicted", ylabel="label")
    finished(ax, title)
    _name_categories(ax, [str(name) for name in categories])
    _draw_lattice(ax, len(counts))
    if not _write_cells(ax, counts, shown, images):
        ax.figure.colorbar(images[0], ax=ax, label=what, fraction=0.046, pad=0.03)
    return ax


def _images(ax: Any, shown: AnyArray, cmap: Any, norm: Any) -> list[Any]:
    """Draw the cells: mistakes and the diagonal on scales of their own, unless `cmap` or `norm` is given.  O(k²)."""
    if cmap is not None or norm is not None:
        scale = {"vmin": 0, "vmax": np.nanmax(shown, initial=0) or 1} if norm is None else {"norm": norm}
        return [ax.imshow(shown, cmap=cmap or _colour_map(*_RIGHT), **scale, interpolation="nearest")]
    right, found = np.eye(len(shown), dtype=bool), []
    for colour, hidden in ((_MISTAKES, right), (_RIGHT, ~right)):  # from transparent to a colour of the palette
        cells = np.ma.masked_array(shown, hidden)
        most = float(np.ma.filled(np.ma.masked_invalid(cells).max(), 0)) or 1
        found.append(ax.imshow(cells, cmap=_colour_map(*colour), vmin=0, vmax=most, interpolation="nearest"))
    return found


def _colour_map(number: int, most: float) -> Any:
    """Return a scale from transparent to a colour of the palette."""
    colors = require("matplotlib.colors", "plots")
    ends = [colors.to_rgba(COLOURS[number], alpha) for alpha in (0.0, most)]
    return colors.LinearSegmentedColormap.from_list("evalcore", ends)


def _categories_and_counts(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> tuple[Sequence[Any], AnyArray]:
    if y_pred is not None:
        weights = None
        if sample_weight is not None:  # categories are by default those of cases with a weight above zero
            y_true, y_pred = as_1d(y_true, "y_true"), as_1d(y_pred, "y_pred")
            check_consistent_lengths(y_true, y_pred, sample_weight)
            weights = as_case_weights(sample_weight, y_true.size)
            y_true, y_pred, weights = (column[weights > 0] for column in (y_true, y_pred, weights))
        cases = as_coded_cases(y_true, y_pred, labels, ("y_true", "y_pred"))
        return cases.categories, joint_counts(cases.reference, cases.response, len(cases.categories), weights=weights)
    if sample_weight is not None:
        raise EvaluationError("sample_weight must be None without y_pred: counts and evaluations hold no cases")
    if isinstance(y_true, HasCategoryCounts):
        why = "labels must be None if y_true is a ConfusionMatrix or an evaluator, which has its categories"
        refuse({why: labels is not None})
        return y_true.categories(), y_true.category_counts()
    counts: npt.NDArray[Any] = np.asarray(y_true)
    refuse({"y_pred is needed unless y_true is a ConfusionMatrix or counts of shape (k, k)": counts.ndim != 2})
    categories = as_categories(range(len(counts)) if labels is None else labels, "labels")
    return categories, as_count_matrix(counts, len(categories), "y_true")


def _name_categories(ax: Any, names: list[str]) -> None:
    """Write the names of rows and columns, as many and as large as there is space."""
    space = _cell_points(ax, len(names))
    every = int(np.ceil(max(_LEAST_POINTS / (0.8 * space), len(names) / _MOST_NAMED, 1)))
    font = min(ax.xaxis.get_ticklabels()[0].get_fontsize(), 0.8 * space * every)
    indices = range(0, len(names), every)
    shown = [plain(shortened(names[index], _LONGEST_NAME)) for index in indices]
    ax.set_yticks(indices, shown, fontsize=font)
    ax.set_xticks(indices, shown, fontsize=font)
    if 0.65 * font * max(map(len, shown)) > space * every:
        for text in ax.get_xticklabels():
            text.set(rotation=90 if len(names) > _MOST_SLANTED else 45, ha="right", va="center", rotation_mode="anchor")


def _draw_lattice(ax: Any, size: int) -> None:
    """Separate the cells by thin lines, unless there are many."""
    ax.grid(visible=False, which="both")
    if size <= _MOST_LINED:
        edges = np.arange(1, size) - 0.5
        for lines in (ax.hlines, ax.vlines):
            lines(edges, -0.5, size - 0.5, color="0.5", alpha=0.35, linewidth=0.5)


def _cell_points(ax: Any, size: int) -> float:
    """Return the width of a cell in points of 1/72 inch, as the axes are now."""
    ax.apply_aspect()
    box = ax.get_window_extent()
    return float(72 / ax.figure.dpi * min(box.width, box.height) / size)


def _write_cells(ax: Any, counts: AnyArray, shown: AnyArray, images: Sequence[Any]) -> bool:
    """Write counts and percentages into the cells, as large as fits; return whether that is readable.

    shown: fractions, or the counts themselves, (k, k).
    """
    engine = ax.figure.get_layout_engine()
    if engine is not None and len(counts) ** 2 <= 4 * _MOST_WRITTEN:
        engine.execute(ax.figure)  # names take space from the cells
    points = _cell_points(ax, len(counts))
    for rows, lines in _ways_of_texts(counts, shown):
        texts = np.array(rows, object)
        longest = max(len(line) for text in texts.flat for line in text.split("\n"))
        font = min(points / (0.8 * max(longest, 3)), points / (1.6 * lines), settings()["font.size"])
        least = _LEAST_POINTS if lines == 1 else _LEAST_OF_BOTH
        if font >= least and np.count_nonzero(texts) <= _MOST_WRITTEN:
            break
    else:
        return False
    colours = np.zeros((*shown.shape, 4))
    for image in images:  # masked cells are transparent
        colours += image.cmap(image.norm(image.get_array()))
    colours = _text_colours(ax, colours)
    for row, column in zip(*np.nonzero(texts), strict=True):
        colour = None if np.isnan(shown[row, column]) else colours[row, column]
        text = ax.text(column, row, texts[row, column], ha="center", va="center", fontsize=font, color=colour)
        text.set_in_layout(False)  # it fits, and measuring it takes as long as drawing it
    return True


def _ways_of_texts(cells: AnyArray, parts: AnyArray) -> list[tuple[list[list[str]], int]]:
    """Return the texts of all cells, (k, k), and their lines: in full and, for small cells, as short as they can be."""
    counts, shown = cells.tolist(), parts.tolist()
    few = len(counts) <= _MOST_FULL
    if parts is cells:
        return [([[count_text(count) if count or few else "" for count in row] for row in counts], 1)]
    pairs = [list(zip(*rows, strict=True)) for rows in zip(counts, shown, strict=True)]
    short = [[_percent(part, 0) if count else "" for count, part in row] for row in pairs]
    if not few:
        return [(short, 1)]
    full = [[f"{count_text(count)}\n{_percent(part, 1)}".rstrip() for count, part in row] for row in pairs]
    return [(full, 2), (short, 1)]


def _percent(part: float, decimals: int) -> str:
    """Write a fraction in percent, nothing for NaN."""
    text = "" if np.isnan(part) else f"{100 * part:.{decimals}f}%"
    return "<1%" if text == "0%" else text  # whole percentages stand where there are cases


def _text_colours(ax: Any, colours: FloatArray) -> AnyArray:
    """Return black or white for texts on cells of some colours, (k, k, 4), over the background of the axes.  O(k²).

    None, the usual colour of text, stands for the one that it is like: it suits the background.
    """
    to_rgba = require("matplotlib.colors", "plots").to_rgba
    behind = np.ones(3)
    for background in (ax.figure.get_facecolor(), ax.get_facecolor()):
        behind = _over(np.array(to_rgba(background)), behind)
    usual = np.array(to_rgba(settings()["text.color"]))
    on_dark, on_light = ("white", None) if _is_dark(usual[:3]) else (None, "black")
    return np.where(_is_dark(_over(colours, behind)), np.array(on_dark, object), np.array(on_light, object))


def _is_dark(colours: FloatArray) -> BoolArray:
    """Mark the colours, (..., 3), on which white has more contrast than black."""
    return np.asarray(colours**2.2 @ [0.2126, 0.7152, 0.0722] < _DARK)


def _over(colours: FloatArray, behind: FloatArray) -> FloatArray:
    """Return colours, (..., 4), as they are seen over an opaque one, (3,)."""
    alpha = colours[..., 3:]
    return colours[..., :3] * alpha + behind * (1 - alpha)


def plot_rank_histograms(
    evaluator: HasRankCounts, *, ax: Any = None, title: str | None = None, color: Any = COLOURS[0]
) -> Any:
    """Draw, for each category in its own row, a bar chart of the ranks that its cases were given.

    Parameters
    ----------
    evaluator : RankedClassifierEvaluator
        An evaluator of rankings, scores or probabilities of k categories.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        Stands above the axes.
    color : matplotlib colour, optional
        Of the bars.

    Returns
    -------
    matplotlib.axes.Axes
        Its patches are the bars, row by row from the top.  A bar of all cases of a row would be 0.55 high.  Up to 12
        categories, each bar has its count above it.

    Raises
    ------
    EvaluationTypeError
        If the evaluator has no ranks.
    EvaluationError
        Where matplotlib is missing.

    Notes
    -----
    Use it where a person may look at several guesses, to see which classes are found late.

    O(k²).  Ranks count from 0.  Source: LingPipe 3.9.2, the class documentation of
    com.aliasi.classify.RankedClassifierEvaluator.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from evalcore import RankedClassifierEvaluator
    >>> evaluator = RankedClassifierEvaluator(None, ["a", "b"])
    >>> evaluator.addRankings(["a", "a", "b"], [["a", "b"], ["b", "a"], ["b", "a"]])
    >>> [text.get_text() for text in plot_rank_histograms(evaluator, ax=Figure().add_subplot()).texts]
    ['1', '1', '1', '0']
    """
    check_line(plot_rank_histograms, {"color": color})
    check_type(isinstance(evaluator, HasRankCounts), "evaluator", "be a RankedClassifierEvaluator", evaluator)
    names, counts = [str(category) for category in evaluator.categories()], evaluator.rank_counts()
    cases = counts.sum(axis=1)
    heights = np.nan_to_num(np.asarray(ratio(counts, cases[:, np.newaxis]))) * _ROW
    floors = np.arange(len(names))[::-1, np.newaxis] + np.zeros_like(heights)
    bars = np.broadcast_to(np.arange(len(names)), heights.shape)
    ax = axes_of(ax, height=_INCHES * len(names))
    ax.bar(bars.ravel(), heights.ravel(), bottom=floors.ravel(), width=0.7, color=color)
    ax.hlines(floors[:, 0], -0.5, len(names) - 0.5, color=grey(), linewidth=0.6)
    shown = [f"{plain(name)} ({count:,})" for name, count in zip(names, cases.tolist(), strict=True)]
    ax.set_yticks(floors[:, 0], shown)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlim=(-0.6, len(names) - 0.4), ylim=(-0.15, len(names) + 0.1))
    ax.set(xlabel="rank of the right category (0 is best)", ylabel="category (cases)")
    if len(names) <= _MOST_NUMBERED:
        for place, count in np.ndenumerate(counts):
            top = (floors + heights)[place] + 0.02
            ax.text(place[1], top, f"{count:,}", ha="center", va="bottom", fontsize=small())
    return finished(ax, title)
