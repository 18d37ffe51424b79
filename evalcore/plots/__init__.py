"""Plots of evaluations: matplotlib-style functions.

Each function takes data or an evaluation, draws on the axes `ax` or in a new figure, and returns the axes.  The artists
have the names of the models as labels; the labels of reference lines and bands begin with "_".  To compare models, pass
a mapping of names to scores, or call the function once per model on the same axes.

A solid line is data, a dashed one is what to compare it with: chance, a prevalence, a threshold, a total.  Eight
colours, which people with any colour vision can tell apart on light and on dark pages, stand for eight models; a ninth
has the first colour again and markers.  A property cycle in rcParams takes precedence, and text, notes and reference
lines follow the style; no function sets rcParams.

Up to four names stand beside their curves, where they hide none.  Others are in a legend below the axes, and the figure
grows by its height.  With several rows of axes, that needs a figure with ``layout="constrained"``, as new ones have; in
others the legend stands inside.

Curves of more than a thousand points are thinned: no point moves by more than 1/2000 of an axis.  `thin=False` draws
every point.
"""

from evalcore.plots.calibration import plot_calibration
from evalcore.plots.categories import plot_confusion_matrix, plot_rank_histograms
from evalcore.plots.curves import plot_det, plot_gains, plot_lift, plot_precision_recall, plot_roc
from evalcore.plots.groups import plot_groups
from evalcore.plots.scores import plot_score_distributions, plot_score_pairs
from evalcore.plots.thresholds import plot_decision_curve, plot_thresholds

__all__ = [
    "plot_calibration",
    "plot_confusion_matrix",
    "plot_decision_curve",
    "plot_det",
    "plot_gains",
    "plot_groups",
    "plot_lift",
    "plot_precision_recall",
    "plot_rank_histograms",
    "plot_roc",
    "plot_score_distributions",
    "plot_score_pairs",
    "plot_thresholds",
]
__dir__ = __all__.copy
