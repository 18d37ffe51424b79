"""Intervals and comparisons of many groups at once."""
