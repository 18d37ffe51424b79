"""How sure a measure is: intervals, and comparisons of two models."""

from evalcore.inference.intervals import Comparison, Interval

__all__ = ["Comparison", "Interval"]
