"""ROC areas, whole and in part, and average precisions: intervals and comparisons."""
