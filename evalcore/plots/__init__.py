"""Pictures of evaluations, on axes of matplotlib.

Every function takes data or an evaluation, draws on the axes `ax`, or on those of a new figure, and returns the axes:
what was drawn are the artists on them, labelled as the legend says, and reference lines, whose labels begin with "_".
Several models are a mapping of names to scores, or one call for each on the same axes.  Colours are those of Okabe and
Ito, which people of any colour vision tell apart, and every curve has dashes of its own for prints in grey; a cycle in
rcParams goes before them.  Nothing sets rcParams.

Curves of more than a thousand points are thinned, by no more than 1/2000 of an axis; `thin=False` draws every point.
"""

from evalcore.plots.precision_recall import plot_precision_recall
from evalcore.plots.roc import plot_roc

__all__ = ["plot_precision_recall", "plot_roc"]
