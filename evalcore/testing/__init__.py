"""Assertions on models for tests, such as those that pytest runs: each fails with the values, intervals and groups."""

from evalcore.testing.assertions import assert_at_least, assert_not_worse

__all__ = ["assert_at_least", "assert_not_worse"]
__dir__ = __all__.copy
