"""Validation: what callers hand in becomes checked arrays, or an error that names the argument."""
