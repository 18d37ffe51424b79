"""Validation: what callers hand in becomes checked arrays, or an error that names the argument."""

from evalcore.validation import arrays, categories, label_sets, labels, rankings

__all__ = ["arrays", "categories", "label_sets", "labels", "rankings"]
