"""Plots on axes that are used again, since new ones take longer than the curves of small data."""

import functools

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure


@functools.cache
def axes_for(plot):
    """Give the axes that all drawings of a plot share: the scales of some plots are their own."""
    return Figure().add_subplot()


def drawn(plot, *arguments, **options):
    """Draw on the shared axes after they are emptied; the artists of earlier drawings keep their data."""
    ax = axes_for(plot)
    for each in panels(ax):
        for artist in [*each.lines, *each.texts, *each.collections, *each.patches, *each.images]:
            artist.remove()
    return plot(*arguments, ax=ax, **options)


def panels(ax):
    """List axes and those below them that share their axis of thresholds."""
    return [other for other in ax.figure.axes if other in ax.get_shared_x_axes().get_siblings(ax)]


def lines_of_all(ax):
    """List the lines of axes and of the panels below them."""
    return [line for panel in panels(ax) for line in panel.get_lines()]


def names_of(ax):
    """List the texts of the legend, or those beside the curves; those of free corners come last."""
    legend = ax.get_legend()
    beside = [text for text in ax.texts if text.get_label() == "_beside"]
    return [text.get_text() for text in (legend.get_texts() if legend else beside)]


def in_turn(plot):
    """Draw models one after the other on the same axes."""

    def draw(labels, models, ax, **options):
        for name, scores in models.items():
            plot(labels, scores, label=name, ax=ax, **options)
        return ax

    return draw


def described(ax):
    """Write what stands on axes and in panels below them, a line for each artist: its label, its style and its data
    with six digits."""
    return "\n".join(map(_described, panels(ax)))


def _described(ax):

    def row(kind, label, *parts, **style):
        label = "" if label.startswith(("_child", "_nolegend")) else label  # matplotlib's own
        said = [f"{name} {value}" for name, value in style.items() if value not in (None, "None")]
        return f"  {kind} {label!r}: {', '.join([*said, *map(numbers, parts)])}"

    def numbers(values):
        return " ".join(f"{value:.6g}" for value in np.ma.filled(np.ma.asarray(values, float), np.nan).ravel() + 0.0)

    colour = functools.partial(to_hex, keep_alpha=True)
    shown = [f"  {ax.get_title()!r}, {ax.get_xlabel()!r} by {ax.get_ylabel()!r}"]
    for line in ax.get_lines():
        marks = {"marker": line.get_marker(), "size": line.get_markersize(), "every": line.get_markevery()}
        faces = {"face": colour(line.get_markerfacecolor())} if marks["marker"] != "None" else {}
        style = {"colour": colour(line.get_color()), "dashes": line.get_linestyle(), "width": line.get_linewidth(),
                 "alpha": line.get_alpha()}  # fmt: skip
        shown.append(row("line", line.get_label(), *line.get_data(), **style, **(marks if faces else {}), **faces))
    for patch in ax.patches:
        style = {"face": colour(patch.get_facecolor()), "edge": colour(patch.get_edgecolor()),
                 "width": patch.get_linewidth(), "dashes": patch.get_linestyle()}  # fmt: skip
        corners = patch.get_patch_transform().transform(patch.get_path().vertices)
        shown.append(row("patch", patch.get_label(), *corners.T, **style))
    for each in ax.collections:
        kind = "segments" if hasattr(each, "get_segments") else "area"
        corners = [np.empty((0, 2)), *(path.vertices for path in each.get_paths())]
        shown.append(row(kind, each.get_label(), np.concatenate(corners)))
    shown += [row("image", "", each.get_array(), each.get_clim(), each.get_extent()) for each in ax.images]
    shown += [f"  text {each.get_text()!r}: {colour(each.get_color())}" for each in ax.texts]
    ticks = ([each.get_text() for each in axis.get_ticklabels()] for axis in (ax.xaxis, ax.yaxis))
    digits = {*"0123456789.\N{MINUS SIGN}"}
    named = [(which, texts) for which, texts in zip("xy", ticks, strict=True) if not digits.issuperset("".join(texts))]
    shown += [f"  {which} ticks: {texts}" for which, texts in named]  # numbers stand where matplotlib puts them
    legends = filter(None, [ax.get_legend()])
    return "\n".join([*shown, *(f"  legend: {[text.get_text() for text in each.get_texts()]}" for each in legends)])
