"""Plots on axes that are used again, since new ones take longer than the curves of small data."""

import functools

from matplotlib.figure import Figure


@functools.cache
def axes_for(plot):
    """Give the axes that all drawings of a plot share: the scales of some plots are their own."""
    return Figure().add_subplot()


def drawn(plot, *arguments, **options):
    """Draw on the shared axes after they are emptied; the artists of earlier drawings keep their data."""
    ax = axes_for(plot)
    for artist in [*ax.lines, *ax.texts, *ax.collections, *ax.patches, *ax.artists]:
        artist.remove()
    return plot(*arguments, ax=ax, **options)
