"""Pictures of evaluations, on axes of matplotlib.

Every function takes data or an evaluation, draws on the axes `ax`, or on those of a new figure, and returns the axes:
what was drawn are the artists on them, labelled as the legend says; those of reference lines and bands begin with "_".
Several models are a mapping of names to scores, or one call for each on the same axes.  Colours are those of Okabe and
Ito, which people of any colour vision tell apart, and every curve has dashes of its own for prints in grey; a cycle in
rcParams goes before them.  Nothing sets rcParams.  Some notes and long legends stand beside the axes: figures with
``layout="constrained"``, as the new ones are, leave room for them.

Curves of more than a thousand points are thinned, by no more than 1/2000 of an axis; `thin=False` draws every point.
"""

from evalcore.plots.calibration import plot_calibration
from evalcore.plots.confusion import plot_confusion_matrix
from evalcore.plots.det import plot_det
from evalcore.plots.distributions import plot_score_distributions
from evalcore.plots.gains import plot_gains, plot_lift
from evalcore.plots.groups import plot_groups
from evalcore.plots.precision_recall import plot_precision_recall
from evalcore.plots.ranks import plot_rank_histograms
from evalcore.plots.roc import plot_roc
from evalcore.plots.thresholds import plot_thresholds

__all__ = [
    "plot_calibration",
    "plot_confusion_matrix",
    "plot_det",
    "plot_gains",
    "plot_groups",
    "plot_lift",
    "plot_precision_recall",
    "plot_rank_histograms",
    "plot_roc",
    "plot_score_distributions",
    "plot_thresholds",
]
