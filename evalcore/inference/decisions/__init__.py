"""Intervals of what decisions achieve, and comparisons of two classifiers."""
