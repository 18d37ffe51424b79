"""Textbook formulas on counts and curves.  0/0 is NaN here; documented exceptions stand in the faces."""
