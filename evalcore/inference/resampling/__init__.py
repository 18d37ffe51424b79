"""Resamples and permutations of cases: the bootstrap, and tests of paired values."""
