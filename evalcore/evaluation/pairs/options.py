"""What options of comparisons may be; help and shell completion need these names, and no arrays."""

ALLOWED = MISSING, REPEATED, LABELS = "missing", "repeated", "labels"
"""What may be allowed by name: ids that one side lacks, ids of several rows, labels that disagree."""
METHODS = ANALYTIC, BOOTSTRAP = "analytic", "bootstrap"
"""Where intervals and p-values come from."""
METHODS_OF_CLASSES = *METHODS, "permutation"
"""Those of predicted classes."""
WILCOXON = "wilcoxon"
"""The method of runs of ranked results, beside those of classes, that ranks the differences of queries."""
CI_METHODS = "delong-score", "delong"
"""Intervals of differences of ROC areas, the default first; a copy of `DIFFERENCE_METHODS`, which need NumPy."""
RESAMPLES, CHANGED = 1000, 10
"""The number of resamples, and the most cases in a list of changed ones, unless others are given."""
