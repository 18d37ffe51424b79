"""Bands of curves, and intervals along thresholds."""
