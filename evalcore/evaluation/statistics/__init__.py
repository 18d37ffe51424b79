"""The statistics of a report: of scores, classes, groups, sets of labels and rankings, with their intervals."""
