"""Textbook formulas on counts and curves.  0/0 is NaN here; the documented classes apply their own conventions."""
